#include "lab/implicit.h"

#include <math.h>
#include <string.h>

#include "core/numbers.h"

/* An affine function is differenced over [0, 1] from the origin: no truncation, and no cancellation against a large
 * state. */
static double difference_point(const CrdLabSystem *s, const double *w, int j, double side, double *at) {
    int unknowns = crd_lab_unknowns(s);
    if (s->affine)
        memset(at, 0, (size_t)unknowns * sizeof *at);
    else
        memcpy(at, w, (size_t)unknowns * sizeof *at);
    double step = s->affine ? 0.5 : CRD_LAB_DIFFERENCE * fmax(1.0, fabs(w[j]));
    at[j] += side * step;
    return at[j];
}

CardanStatus crd_lab_differentiate(const CrdLabSystem *system, double t, const double *w, double *jacobian,
                                   CrdLabDesk *desk) {
    int unknowns = crd_lab_unknowns(system), rows = system->n + system->algebraic;
    CrdLabMark mark = crd_lab_mark(desk);
    double *at = crd_lab_numbers(desk, unknowns, 1), *plus = crd_lab_numbers(desk, rows, 1),
           *minus = crd_lab_numbers(desk, rows, 1);
    if (desk->empty) return crd_fail_memory(desk->error);
    for (int j = 0; j < unknowns; j++) {
        double right = difference_point(system, w, j, 1.0, at);
        CRD_TRY(system->rates(system->user, t, at, plus, desk));
        double left = difference_point(system, w, j, -1.0, at);
        CRD_TRY(system->rates(system->user, t, at, minus, desk));
        for (int i = 0; i < rows; i++) jacobian[i * unknowns + j] = (plus[i] - minus[i]) / (right - left);
    }
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

/* (w - base, or E (w - base)) - h phi, then psi; and the matrix of its derivatives. */
static CardanStatus linearise(const CrdLabStage *stage, const double *w, double *residual, double *matrix) {
    const CrdLabSystem *s = stage->system;
    CrdLabDesk *desk = stage->place.desk;
    int n = s->n, unknowns = crd_lab_unknowns(s);
    CrdLabMark mark = crd_lab_mark(desk);
    double *mass = crd_lab_numbers(desk, n, n), *moved = crd_lab_numbers(desk, n, 1);
    if (desk->empty) return crd_fail_memory(desk->error);
    if (s->mass != NULL)
        CRD_TRY(s->mass(s->user, stage->t, mass));
    else
        for (int i = 0; i < n; i++) mass[i * n + i] = 1.0;
    CRD_TRY(s->rates(s->user, stage->t, w, residual, desk));
    CRD_TRY(crd_lab_differentiate(s, stage->t, w, matrix, desk));
    for (int i = 0; i < n; i++) {
        residual[i] *= -stage->h;
        for (int j = 0; j < unknowns; j++) matrix[i * unknowns + j] *= -stage->h;
        for (int j = 0; j < n; j++) matrix[i * unknowns + j] += mass[i * n + j];
        moved[i] = w[i] - stage->base[i];
    }
    crd_lab_add_product(n, n, 1, 1.0, mass, moved, residual);
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

/* change: the Newton, or Gauss-Newton, correction. */
static CardanStatus newton_step(const CrdLabStage *stage, const double *w, double *change) {
    const CrdLabSystem *s = stage->system;
    CrdLabDesk *desk = stage->place.desk;
    int unknowns = crd_lab_unknowns(s), rows = s->n + s->algebraic;
    CrdLabMark mark = crd_lab_mark(desk);
    double *residual = crd_lab_numbers(desk, rows, 1), *matrix = crd_lab_numbers(desk, rows, unknowns);
    if (desk->empty) return crd_fail_memory(desk->error);
    CRD_TRY(linearise(stage, w, residual, matrix));
    for (int i = 0; i < rows; i++) residual[i] = -residual[i];
    if (s->overdetermined) {
        CRD_TRY(crd_lab_least_squares(stage->place, s->n, unknowns, s->algebraic, matrix, residual,
                                      matrix + s->n * unknowns, residual + s->n, change));
    } else {
        memcpy(change, residual, (size_t)unknowns * sizeof *change);
        CRD_TRY(crd_lab_solve(stage->place, unknowns, 1, matrix, change));
    }
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

CardanStatus crd_lab_newton(const CrdLabStage *stage, double *w) {
    int unknowns = crd_lab_unknowns(stage->system);
    CrdLabDesk *desk = stage->place.desk;
    CrdLabMark mark = crd_lab_mark(desk);
    double *change = crd_lab_numbers(desk, unknowns, 1), size = (double)INFINITY, before;
    if (desk->empty) return crd_fail_memory(desk->error);
    for (int i = 0; i < CRD_LAB_ITERATIONS; i++) {
        CRD_TRY(newton_step(stage, w, change));
        for (int j = 0; j < unknowns; j++) w[j] += change[j];
        before = size;
        size = crd_lab_largest(change, unknowns) / fmax(1.0, crd_lab_largest(w, unknowns));
        bool done = size <= CRD_LAB_NEWTON;
        /* At the rounding of an ill-conditioned matrix corrections stop shrinking. */
        done |= size <= CRD_LAB_NEWTON_ROUNDING && size >= 0.5 * before;
        done |= stage->system->affine && i > 0; /* one correction and its refinement: nothing is left */
        if (!done) continue;
        crd_lab_back(desk, mark);
        return CARDAN_OK;
    }
    return crd_fail(desk->error, CARDAN_ERR_NUMERIC,
                    "Newton's method did not converge at t = %.9g: last correction %.2g of the state (%s)", stage->t,
                    size, stage->place.what);
}

/* ---- few unknowns ---- */

/* One correction of a; size: relative. room: m x (m + 3). */
static CardanStatus improve(const CrdLabRoot *root, double *room, double *a, double *size) {
    int m = root->m;
    double *matrix = room, *plus = room + m * m, *minus = plus + m, *left = minus + m;
    for (int j = 0; j < m; j++) {
        double keep = a[j], step = CRD_LAB_DIFFERENCE * fmax(1.0, fabs(keep));
        a[j] = keep + step;
        CRD_TRY(root->left(root->user, a, plus));
        a[j] = keep - step;
        CRD_TRY(root->left(root->user, a, minus));
        a[j] = keep;
        for (int i = 0; i < m; i++) matrix[i * m + j] = (plus[i] - minus[i]) / (2.0 * step);
    }
    CRD_TRY(root->left(root->user, a, left));
    CRD_TRY(crd_lab_solve(root->place, m, 1, matrix, left));
    for (int j = 0; j < m; j++) a[j] -= left[j];
    *size = crd_lab_largest(left, m) / fmax(1.0, crd_lab_largest(a, m));
    return CARDAN_OK;
}

CardanStatus crd_lab_find_root(const CrdLabRoot *root, double *a) {
    CrdLabDesk *desk = root->place.desk;
    CrdLabMark mark = crd_lab_mark(desk);
    double *room = crd_lab_numbers(desk, root->m, root->m + 3), size = (double)INFINITY, before;
    if (desk->empty) return crd_fail_memory(desk->error);
    for (int k = 0; k < CRD_LAB_ITERATIONS; k++) {
        before = size;
        CRD_TRY(improve(root, room, a, &size));
        if (size > CRD_LAB_NEWTON && !(size <= CRD_LAB_NEWTON_ROUNDING && size >= 0.5 * before)) continue;
        crd_lab_back(desk, mark);
        return CARDAN_OK;
    }
    return crd_fail(desk->error, CARDAN_ERR_NUMERIC, "the multipliers did not converge at t = %.9g (%s)", root->place.t,
                    root->place.what);
}
