/* Shapes of uniform density, mass m:
 *   rod, cylinder of radius r and length h along an axis:  m r^2/2 about it,  m (3 r^2 + h^2)/12 across it
 *   box of edges a, b, c:                                  m (b^2 + c^2)/12 about a, ...
 *   sphere of radius r:                                    2 m r^2/5
 * A planar body may leave out the third edge of a box. */
#include "build/inertia.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void crd_body_inertia(const CrdBodyDesc *body, double tensor[6]) {
    const double *n = body->inertia;
    double m = body->mass;
    memset(tensor, 0, 6 * sizeof *tensor);
    switch (body->inertia_form) {
    case CRD_INERTIA_TENSOR:
        memcpy(tensor, n, 6 * sizeof *tensor);
        return;
    case CRD_INERTIA_BOX:
        tensor[0] = m * (n[1] * n[1] + n[2] * n[2]) / 12.0;
        tensor[1] = m * (n[0] * n[0] + n[2] * n[2]) / 12.0;
        tensor[2] = m * (n[0] * n[0] + n[1] * n[1]) / 12.0;
        return;
    case CRD_INERTIA_SPHERE:
        tensor[0] = tensor[1] = tensor[2] = 0.4 * m * n[0] * n[0];
        return;
    case CRD_INERTIA_ROD:
    case CRD_INERTIA_CYLINDER:
        break;
    }
    bool rod = body->inertia_form == CRD_INERTIA_ROD;
    double h = rod ? n[0] : n[1], r = rod ? n[1] : n[0];
    for (int i = 0; i < 3; i++) tensor[i] = m * (3.0 * r * r + h * h) / 12.0;
    assert(body->along >= 0 && body->along < 3);
    tensor[body->along] = 0.5 * m * r * r;
}

/* One Jacobi rotation that makes a[p][q] zero (Golub and Van Loan, symmetric Schur decomposition 2 x 2). */
static void rotate(double a[3][3], int p, int q) {
    assert(p < q && q < 3 && a[p][q] == a[q][p]);
    double apq = a[p][q];
    if (apq == 0.0) return;
    int r = 3 - p - q;
    double tau = (a[q][q] - a[p][p]) / (2.0 * apq);
    double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + hypot(1.0, tau));
    double c = 1.0 / hypot(1.0, t), s = t * c;
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = a[q][p] = 0.0;
    double arp = a[r][p], arq = a[r][q];
    a[r][p] = a[p][r] = c * arp - s * arq;
    a[r][q] = a[q][r] = s * arp + c * arq;
}

static void swap_if_falling(double *a, double *b) {
    if (*a <= *b) return;
    double x = *a;
    *a = *b;
    *b = x;
}

void crd_principal_moments(const double tensor[6], double moments[3]) {
    /* Cyclic Jacobi converges quadratically; a 3 x 3 matrix is diagonal to round-off after 5 or 6 sweeps. */
    enum { SWEEPS = 12 };
    double scale = 0.0;
    for (int i = 0; i < 6; i++) scale = fmax(scale, fabs(tensor[i]));
    bool diagonal = tensor[3] == 0.0 && tensor[4] == 0.0 && tensor[5] == 0.0;
    if (diagonal) scale = 1.0; /* nothing to compute, so nothing that could overflow */
    double x[6];
    for (int i = 0; i < 6; i++) x[i] = tensor[i] / scale; /* no square overflows */
    double a[3][3] = {{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate(a, 0, 1);
        rotate(a, 0, 2);
        rotate(a, 1, 2);
    }
    for (int i = 0; i < 3; i++) moments[i] = scale * a[i][i];
    swap_if_falling(&moments[0], &moments[1]);
    swap_if_falling(&moments[1], &moments[2]);
    swap_if_falling(&moments[0], &moments[1]);
}
