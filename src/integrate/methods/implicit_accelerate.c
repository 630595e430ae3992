/* Corrections of simplified Newton that fall slowly, accelerated (Anderson 1965; Walker and Ni, SIAM J. Numer. Anal.
 * 49, 2011). Of iterates x_k with corrections d_k, which vanish at the solution, the last differences
 *
 *     X_j = x_(j+1) - x_j     D_j = d_(j+1) - d_j
 *
 * say how corrections answer to changes: with gamma that makes |d_k - sum_j gamma_j D_j| least,
 *
 *     x_(k+1) = x_k + d_k - sum_j gamma_j (X_j + D_j)
 *
 * A matrix that is a little off leaves a few slow directions, and as many differences take them away. The solution is
 * the same; d_k itself still says how far it is. */
#include "integrate/methods/implicit_accelerate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Differences that are nearly a combination of those before say nothing: this part of their length must be new. */
#define CRD_ACCELERATE_NEW 1e-3

void crd_acceleration_layout(CrdAcceleration *ac, size_t unknowns, CrdArena *arena) {
    ac->unknowns = unknowns;
    ac->count = ac->known = 0;
    CRD_TAKE_VECTORS(arena, unknowns, &ac->before, &ac->moved, &ac->left);
    for (int j = 0; j < CRD_ACCELERATE_MAX; j++) CRD_TAKE_VECTORS(arena, unknowns, &ac->iterate[j], &ac->correction[j]);
}

void crd_acceleration_begin(CrdAcceleration *ac) {
    ac->count = ac->known = 0;
}

/* Over the slopes of all stages, each component in its measure. */
static double product(const CrdAcceleration *ac, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < ac->stages; i++)
        for (int c = 0; c < ac->core; c++) {
            size_t k = (size_t)i * (size_t)ac->core + (size_t)c;
            sum += a[k] * b[k] / (ac->measure[c] * ac->measure[c]);
        }
    return sum;
}

/* Takes the newest difference in, made orthogonal to those there are, with its iterate's. */
static void learn(CrdAcceleration *ac, const double *d) {
    if (ac->known == CRD_ACCELERATE_MAX) ac->known = 0; /* they are of another part of the way */
    double *x_new = ac->iterate[ac->known], *d_new = ac->correction[ac->known];
    for (size_t k = 0; k < ac->unknowns; k++) {
        x_new[k] = ac->moved[k];
        d_new[k] = d[k] - ac->before[k];
    }
    double whole = product(ac, d_new, d_new);
    for (int j = 0; j < ac->known; j++) {
        const double *x = ac->iterate[j], *e = ac->correction[j];
        double share = product(ac, d_new, e) / product(ac, e, e);
        for (size_t k = 0; k < ac->unknowns; k++) {
            x_new[k] -= share * x[k];
            d_new[k] -= share * e[k];
        }
    }
    if (product(ac, d_new, d_new) > CRD_ACCELERATE_NEW * CRD_ACCELERATE_NEW * whole) ac->known++;
}

void crd_acceleration_apply(CrdAcceleration *ac, double *d) {
    assert(ac->stages > 0 && ac->measure != NULL);
    if (ac->count > 0) learn(ac, d);
    memcpy(ac->before, d, ac->unknowns * sizeof *d);
    memcpy(ac->left, d, ac->unknowns * sizeof *d);
    for (int j = 0; j < ac->known; j++) {
        const double *x = ac->iterate[j], *e = ac->correction[j];
        double gamma = product(ac, ac->left, e) / product(ac, e, e);
        for (size_t k = 0; k < ac->unknowns; k++) {
            ac->left[k] -= gamma * e[k];
            d[k] -= gamma * (x[k] + e[k]);
        }
    }
    memcpy(ac->moved, d, ac->unknowns * sizeof *d);
    ac->count++;
}
