/* Modes of large models at rest: shift and invert, sparse. Undamped
 *     [K - sigma M  G^T; G  0] (y, mu) = (M x, 0),   theta = 1 / (omega^2 - sigma)
 * which is symmetric in the inner product of M; damped (A - sigma E) X = E x, theta = 1 / (lambda - sigma), on the
 * states alone. sigma is 0 unless that is an eigenvalue. */
#include "linear/sparse_lu.h"
#include "tangent/modes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of the stiffness over the mass of a typical coordinate: where 0 is an eigenvalue, this is near it and none itself. */
static const double SHIFT = 1e-7;

/* A factor whose smallest pivot is this part of the largest solves nothing. */
static const double SINGULAR = 1e-15;

typedef struct Inverse {
    const CrdTangent *tangent;
    const CardanLinear *linear;
    CrdCompressed matrix; /* shift parts: value + sigma part */
    double *part;
    CrdSparseLu *lu;
    double sigma;
    double *x; /* (size) */
} Inverse;

static void inverse_free(Inverse *inverse) {
    crd_sparse_lu_destroy(inverse->lu);
    crd_compressed_free(&inverse->matrix);
    CRD_DELETE_ALL(inverse->part, inverse->x);
}

/* Both matrices in one pattern: entries of the second are put as zeros into the first, and the other way round. */
static CardanStatus merge(Inverse *inverse, CrdEntries *first, CrdEntries *second, int n, CrdError *error) {
    assert(n > 0);
    CrdCompressed other = {0};
    int own = first->count, more = second->count;
    for (int i = 0; i < more; i++) crd_entries_add(first, second->entry[i].row, second->entry[i].column, 0.0);
    for (int i = 0; i < own; i++) crd_entries_add(second, first->entry[i].row, first->entry[i].column, 0.0);
    CardanStatus status = crd_compressed_create(first, n, n, &inverse->matrix, error);
    CardanStatus made = crd_compressed_create(second, n, n, &other, error);
    inverse->part = other.value;
    CRD_DELETE_ALL(other.start, other.row);
    inverse->x = crd_new((size_t)n, sizeof(double));
    if (status < 0 || made < 0 || inverse->x == NULL) return crd_fail_memory(error);
    return crd_sparse_lu_create(n, inverse->matrix.start, inverse->matrix.row, false, &inverse->lu, error);
}

/* Factors at sigma = 0, and beside it where that is singular. */
static CardanStatus factor(Inverse *inverse, double beside, CrdError *error) {
    assert(isfinite(beside));
    for (int attempt = 0; attempt < 2; attempt++) {
        double weakest;
        inverse->sigma = attempt == 0 ? 0.0 : beside;
        CardanStatus status =
            crd_sparse_lu_factor(inverse->lu, inverse->sigma, inverse->part, inverse->matrix.value, &weakest);
        if (status >= 0 && weakest > SINGULAR) return CARDAN_OK;
        if (status < 0 && status != CARDAN_ERR_NUMERIC) return status;
    }
    return crd_fail(error, CARDAN_ERR_NUMERIC,
                    "the stiffness matrix cannot be inverted next to 0: the pose is singular, or next to it");
}

/* ---- undamped ---- */

static CardanStatus apply_undamped(void *user, const double *x, double *y) {
    Inverse *inverse = user;
    const CrdTangent *tangent = inverse->tangent;
    memset(inverse->x, 0, (size_t)inverse->matrix.columns * sizeof *inverse->x);
    crd_compressed_times(&tangent->mass, 1.0, x, inverse->x);
    CRD_TRY(crd_sparse_lu_solve(inverse->lu, inverse->x));
    memcpy(y, inverse->x, (size_t)tangent->nv * sizeof *y);
    return CARDAN_OK;
}

static void metric_undamped(void *user, const double *x, double *y) {
    const Inverse *inverse = user;
    memset(y, 0, (size_t)inverse->tangent->nv * sizeof *y);
    crd_compressed_times(&inverse->tangent->mass, 1.0, x, y);
}

static CardanStatus make_undamped(Inverse *inverse, CrdError *error) {
    const CrdTangent *tangent = inverse->tangent;
    int nv = tangent->nv, n = nv + tangent->rows;
    CrdEntries k = {0}, m = {0};
    for (int c = 0; c < nv; c++) {
        for (int i = tangent->d.start[c]; i < tangent->d.start[c + 1]; i++)
            if (tangent->d.row[i] < nv) crd_entries_add(&k, tangent->d.row[i], c, tangent->d.value[i]);
        for (int i = tangent->g.start[c]; i < tangent->g.start[c + 1]; i++) {
            int r = tangent->g.row[i];
            if (tangent->dropped[r]) continue;
            crd_entries_add(&k, nv + r, c, tangent->g.value[i]);
            crd_entries_add(&k, c, nv + r, tangent->g.value[i]);
        }
    }
    for (int r = 0; r < tangent->rows; r++) crd_entries_add(&k, nv + r, nv + r, tangent->dropped[r] ? 1.0 : 0.0);
    crd_entries_add_matrix(&m, 0, 0, -1.0, &tangent->mass);
    return merge(inverse, &k, &m, n, error);
}

/* Typical stiffness over mass. */
static double scale_of(const CrdTangent *tangent) {
    double sum = 0.0, mass = 0.0;
    for (int c = 0; c < tangent->nv; c++) {
        for (int i = tangent->d.start[c]; i < tangent->d.start[c + 1]; i++)
            if (tangent->d.row[i] == c) sum += fabs(tangent->d.value[i]);
        for (int i = tangent->mass.start[c]; i < tangent->mass.start[c + 1]; i++)
            if (tangent->mass.row[i] == c) mass += tangent->mass.value[i];
    }
    return sum > 0.0 && mass > 0.0 ? sum / mass : 1.0;
}

static int block_of(const CrdTangent *tangent) {
    return tangent->structure->space == CARDAN_SPACE_PLANAR ? 3 : 6;
}

static CardanStatus undamped(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, int number) {
    CrdError *error = &tangent->sim->error;
    Inverse inverse = {.tangent = tangent, .linear = linear};
    CrdRitz ritz = {0};
    CardanStatus status = make_undamped(&inverse, error);
    if (status >= 0) status = factor(&inverse, -SHIFT * scale_of(tangent), error);
    const CrdOperator operator= {tangent->nv, block_of(tangent), true, &inverse, apply_undamped, metric_undamped};
    if (status >= 0) status = crd_krylov(&operator, number, &ritz, error);
    if (status >= 0) status = crd_modes_room(modes, CARDAN_MODES_UNDAMPED, ritz.count, error);
    for (int i = 0; status >= 0 && i < ritz.count; i++) {
        double square = inverse.sigma + 1.0 / ritz.re[i], root = sqrt(fabs(square));
        crd_modes_add(modes, CARDAN_MODES_UNDAMPED, square < 0.0 ? root : 0.0, square > 0.0 ? root : 0.0,
                      ritz.residual[i], ritz.vector + (size_t)i * (size_t)tangent->nv, NULL);
    }
    crd_ritz_free(&ritz);
    inverse_free(&inverse);
    return status;
}

/* ---- damped ---- */

static CardanStatus apply_damped(void *user, const double *x, double *y) {
    Inverse *inverse = user;
    const CardanLinear *linear = inverse->linear;
    memset(inverse->x, 0, (size_t)linear->size * sizeof *inverse->x);
    for (int i = 0; i < linear->states; i++) inverse->x[linear->state_row[i]] = x[i];
    CRD_TRY(crd_sparse_lu_solve(inverse->lu, inverse->x));
    for (int i = 0; i < linear->states; i++) y[i] = inverse->x[linear->state[i]];
    return CARDAN_OK;
}

static CardanStatus make_damped(Inverse *inverse, CrdError *error) {
    CrdEntries a = {0}, e = {0};
    crd_entries_add_matrix(&a, 0, 0, 1.0, &inverse->linear->a);
    crd_entries_add_matrix(&e, 0, 0, -1.0, &inverse->linear->e);
    return merge(inverse, &a, &e, inverse->linear->size, error);
}

/* The displacements of a Ritz vector: once more through the operator, which leads to all unknowns. */
static CardanStatus lift(Inverse *inverse, const double *x, double *room, double *out) {
    CRD_TRY(apply_damped(inverse, x, room));
    memcpy(out, inverse->x, (size_t)inverse->linear->nv * sizeof *out);
    return CARDAN_OK;
}

static CardanStatus add_damped(CardanModes *modes, Inverse *inverse, const CrdRitz *ritz, double *room,
                               CrdError *error) {
    const CardanLinear *linear = inverse->linear;
    size_t n = (size_t)linear->states, nv = (size_t)linear->nv;
    double *re = room + n, *im = re + nv;
    CRD_TRY(crd_modes_room(modes, CARDAN_MODES_DAMPED, ritz->count, error));
    for (int i = 0; i < ritz->count; i++) {
        bool pair = ritz->im[i] > 0.0 && i + 1 < ritz->count;
        double size = ritz->re[i] * ritz->re[i] + ritz->im[i] * ritz->im[i];
        CRD_TRY(lift(inverse, ritz->vector + (size_t)i * n, room, re));
        if (pair) CRD_TRY(lift(inverse, ritz->vector + (size_t)(i + 1) * n, room, im));
        /* 1 / theta is conjugate: the vector of the one with positive imaginary part has its own turned over */
        for (size_t k = 0; pair && k < nv; k++) im[k] = -im[k];
        crd_modes_add(modes, CARDAN_MODES_DAMPED, inverse->sigma + ritz->re[i] / size, fabs(ritz->im[i]) / size,
                      ritz->residual[i], re, pair ? im : NULL);
        i += pair;
    }
    return CARDAN_OK;
}

static CardanStatus damped(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, int number) {
    CrdError *error = &tangent->sim->error;
    Inverse inverse = {.tangent = tangent, .linear = linear};
    CrdRitz ritz = {0};
    double *room = crd_new((size_t)linear->states + 2 * (size_t)linear->nv, sizeof *room);
    CardanStatus status = room == NULL ? crd_fail_memory(error) : make_damped(&inverse, error);
    if (status >= 0) status = factor(&inverse, sqrt(SHIFT * scale_of(tangent)), error);
    const CrdOperator operator= {linear->states, block_of(tangent), false, &inverse, apply_damped, NULL};
    if (status >= 0) status = crd_krylov(&operator, 2 * number, &ritz, error);
    if (status >= 0) status = add_damped(modes, &inverse, &ritz, room, error);
    crd_ritz_free(&ritz);
    inverse_free(&inverse);
    crd_delete(room);
    return status;
}

/* Without damping the two kinds are the same. */
static bool is_damped(const CrdTangent *tangent) {
    double largest = 0.0;
    for (int c = tangent->nv; c < tangent->d.columns; c++)
        for (int i = tangent->d.start[c]; i < tangent->d.start[c + 1]; i++)
            largest = fmax(largest, fabs(tangent->d.value[i]));
    return largest > 0.0 || tangent->nz > 0;
}

CardanStatus crd_modes_sparse(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, int number) {
    if (linear->independent.positions != linear->independent.velocities) return damped(modes, tangent, linear, number);
    CRD_TRY(undamped(modes, tangent, linear, number));
    if (is_damped(tangent)) return damped(modes, tangent, linear, number);
    const CrdModeList *list = &modes->list[CARDAN_MODES_UNDAMPED];
    CRD_TRY(crd_modes_room(modes, CARDAN_MODES_DAMPED, list->count, &tangent->sim->error));
    for (int i = 0; i < list->count; i++)
        crd_modes_add(modes, CARDAN_MODES_DAMPED, list->mode[i].re, list->mode[i].im, list->mode[i].residual,
                      list->re + (size_t)i * (size_t)modes->nv, NULL);
    return CARDAN_OK;
}
