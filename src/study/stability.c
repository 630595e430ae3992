/* Stable or not: eigenvalues of the reduced Hessian Z^T K Z against Z^T M Z, Z a basis of the motions that the rows
 * allow. K is symmetric at an equilibrium of conservative forces; where it is not, its signs do not decide. */
#include "study/balance.h"

#include "cardan/operators.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Largest part by which the reduced Hessian may be unsymmetric: rounding, and differences of callbacks. */
#define CRD_UNSYMMETRIC 1e-6

/* Eigenvalues within this part of the largest are neither: differences of products of size 1 leave as much. */
#define CRD_NEUTRAL 1e-9

/* Velocities up to which eigenvalues are found one by one: about where that takes as long as the inertia of the sparse
 * matrix does. */
enum { STABILITY_DENSE = 120 };

typedef struct Hessian {
    CrdBalance *balance;
    CardanOperators *operators;
    int n;         /* freedoms */
    double *z;     /* (nv x n) */
    double *h, *m; /* (n x n) */
    double *x, *y; /* columns: order of the balance */
    double *value; /* (n) */
} Hessian;

/* y (nv) <- K x, x (nv) a displacement. */
static void times_stiffness(const Hessian *hessian, const double *x, double *y) {
    CrdBalance *balance = hessian->balance;
    size_t n = (size_t)balance->sparse.tiles.n;
    memset(hessian->x, 0, n * sizeof *x);
    crd_position_rates(balance->study->model->structure, balance->study->y, x, hessian->x);
    memcpy(hessian->x + balance->dx, x, (size_t)balance->nv * sizeof *x);
    for (int pass = 0; pass < 2; pass++) { /* velocities of a steady motion follow the pose by rows of their own */
        memset(hessian->y, 0, n * sizeof *x);
        crd_tiles_times(&balance->sparse.tiles, balance->sparse.values, 1.0, hessian->x, hessian->y);
        for (int i = 0; pass == 0 && i < balance->nv; i++)
            hessian->x[balance->twist + i] -= hessian->y[balance->twist + i];
    }
    memcpy(y, hessian->y + balance->dx, (size_t)balance->nv * sizeof *y);
}

static double column_product(const Hessian *hessian, int i, const double *y) {
    double sum = 0.0;
    for (int r = 0; r < hessian->balance->nv; r++) sum += hessian->z[(size_t)r * (size_t)hessian->n + (size_t)i] * y[r];
    return sum;
}

/* How fast column k of Z moves a coordinate. */
static double along(const Hessian *hessian, const CrdCoordinateRow *pin, int k) {
    CrdBalance *balance = hessian->balance;
    double *x = balance->residual;
    CrdCoordinateRow row = *pin;
    for (int r = 0; r < balance->nv; r++) x[r] = hessian->z[(size_t)r * (size_t)hessian->n + (size_t)k];
    return crd_coordinate_along(&balance->closing.saddle, &row, x);
}

/* Motions that move a coordinate which is kept are taken out of Z: the one that moves it most, and its part in others.
 */
static void keep_coordinate(Hessian *hessian, const CrdCoordinateRow *pin) {
    int n = hessian->n, most = 0, nv = hessian->balance->nv;
    double *part = hessian->value;
    for (int k = 0; k < n; k++) part[k] = along(hessian, pin, k);
    for (int k = 0; k < n; k++)
        if (fabs(part[k]) > fabs(part[most])) most = k;
    if (n == 0 || part[most] == 0.0) return;
    for (int r = 0; r < nv; r++) { /* lines become one number shorter, in place */
        double *line = hessian->z + (size_t)r * (size_t)n, *out = hessian->z + (size_t)r * (size_t)(n - 1);
        double own = line[most];
        for (int k = 0, to = 0; k < n; k++)
            if (k != most) out[to++] = line[k] - part[k] / part[most] * own;
    }
    hessian->n = n - 1;
}

static CardanStatus fill(Hessian *hessian) {
    int n = hessian->n, nv = hessian->balance->nv;
    double *column = hessian->balance->zero, *product = hessian->balance->residual;
    CardanStatus status = CARDAN_OK;
    for (int k = 0; k < n && status >= 0; k++) {
        for (int r = 0; r < nv; r++) column[r] = hessian->z[(size_t)r * (size_t)n + (size_t)k];
        times_stiffness(hessian, column, product);
        for (int i = 0; i < n; i++) hessian->h[(size_t)i * (size_t)n + (size_t)k] = column_product(hessian, i, product);
        status = cardan_operators_mass_times(hessian->operators, column, product);
        for (int i = 0; i < n; i++) hessian->m[(size_t)i * (size_t)n + (size_t)k] = column_product(hessian, i, product);
    }
    memset(column, 0, (size_t)nv * sizeof *column);
    return status;
}

static double unsymmetry(const Hessian *hessian) {
    double most = 0.0, off = 0.0;
    size_t n = (size_t)hessian->n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            most = fmax(most, fabs(hessian->h[i * n + k]));
            off = fmax(off, fabs(hessian->h[i * n + k] - hessian->h[k * n + i]));
        }
    return most > 0.0 ? off / most : 0.0;
}

static void count(const Hessian *hessian, CardanEquilibrium *out) {
    double most = 0.0;
    out->negative = out->neutral = 0;
    for (int i = 0; i < hessian->n; i++) most = fmax(most, fabs(hessian->value[i]));
    for (int i = 0; i < hessian->n; i++) {
        bool neutral = fabs(hessian->value[i]) <= CRD_NEUTRAL * most;
        out->neutral += neutral;
        out->negative += !neutral && hessian->value[i] < 0.0;
    }
    out->weakest = hessian->n > 0 ? hessian->value[0] : 0.0;
}

static CardanStatus solve(Hessian *hessian, CardanEquilibrium *out) {
    CRD_TRY(fill(hessian));
    int n = hessian->n;
    if (unsymmetry(hessian) > CRD_UNSYMMETRIC) return CARDAN_OK;
    if (n > 0 && LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, hessian->h, n, hessian->m, n, hessian->value) != 0)
        return CARDAN_OK;
    out->judged = true;
    count(hessian, out);
    return CARDAN_OK;
}

static CardanStatus take_room(Hessian *hessian) {
    size_t n = (size_t)hessian->n, real = sizeof(double), order = (size_t)hessian->balance->sparse.tiles.n;
    hessian->z = crd_new((size_t)hessian->balance->nv * n, real);
    hessian->h = crd_new(n * n, real);
    hessian->m = crd_new(n * n, real);
    hessian->x = crd_new(order, real);
    hessian->y = crd_new(order, real);
    hessian->value = crd_new(n, real);
    bool all = hessian->z != NULL && hessian->h != NULL && hessian->m != NULL && hessian->x != NULL &&
               hessian->y != NULL && hessian->value != NULL;
    return all ? CARDAN_OK : crd_fail_memory(&hessian->balance->study->error);
}

static CardanStatus judge_dense(CrdBalance *balance, CardanEquilibrium *out) {
    CardanStudy *study = balance->study;
    Hessian hessian = {.balance = balance};
    CardanStatus status =
        cardan_operators_create(study->model, CARDAN_COORDINATES_ABSOLUTE, &hessian.operators, NULL, 0);
    if (status >= 0) status = cardan_operators_set(hessian.operators, study->t, study->y, balance->zero);
    if (status >= 0) status = cardan_operators_motions(hessian.operators, &hessian.n, NULL, NULL);
    if (status >= 0) status = take_room(&hessian);
    if (status >= 0) status = cardan_operators_motions(hessian.operators, &hessian.n, hessian.z, NULL);
    for (int i = 0; status >= 0 && i < balance->pins; i++) keep_coordinate(&hessian, &balance->steady.pin[i]);
    if (status >= 0) status = solve(&hessian, out);
    cardan_operators_destroy(hessian.operators);
    CRD_DELETE_ALL(hessian.z, hessian.h, hessian.m, hessian.x, hessian.y, hessian.value);
    return status;
}

CardanStatus crd_balance_judge(CrdBalance *balance, CardanEquilibrium *out) {
    out->judged = false;
    CRD_TRY(crd_balance_matrix(balance, 0.0));
    if (balance->nv > STABILITY_DENSE) {
        CardanStatus told = crd_balance_judge_sparse(balance, out);
        if (told != CARDAN_ERR_NUMERIC) return told;
        if (balance->nv > CARDAN_DENSE_MAX || balance->rows > CARDAN_DENSE_MAX) return CARDAN_OK;
    }
    return judge_dense(balance, out);
}
