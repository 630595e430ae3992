/* Stable or not, of mechanisms of any size: the inertia of the saddle matrix at a shift,
 *
 *     [ K - s M + rho C^T C   C^T  ]
 *     [ C                    -eps  ]        C: constraint rows and coordinates that are kept
 *
 * has as many negative eigenvalues beyond its rows as Z^T K Z against Z^T M Z has below s (N. I. M. Gould, Math.
 * Program. 32 (1985) 90-99): Schur's complement of -eps is K - s M + (rho + 1/eps) C^T C. rho changes nothing on the
 * rows and keeps pivots away from zero; displacements are eliminated in the order of AMD, multipliers after what they
 * act on. */
#include "study/balance.h"

#include "core/numbers.h"
#include "core/random.h"
#include "linear/inertia.h"
#include "study/operators.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

/* rho and 1/eps against the largest entries of K: the first of the same size, the second as large as rounding lets the
 * difference to rows that hold exactly vanish. */
#define CRD_INERTIA_RHO 1.0
#define CRD_INERTIA_HARD 1e13

/* Eigenvalues within this part of a bound of the largest are neither: rounding of factors of a chain of 10,000 links.
 */
#define CRD_INERTIA_NEUTRAL 1e-13

/* What a solve may leave, against its terms, where the factor is good enough to count by; the largest unsymmetry, and
 * the part of the largest eigenvalue by which it is looked for beside neutral directions. */
#define CRD_INERTIA_LEFT 1e-11
#define CRD_INERTIA_UNSYMMETRIC 1e-6
#define CRD_INERTIA_ASIDE 1e-4

/* Changes of the weakest eigenvalue that end inverse iteration; its steps at most; tries of a shift below all. */
#define CRD_INERTIA_SETTLED 1e-11
enum { INVERSE_STEPS = 300, INVERSE_BELOW = 60 };

typedef struct Judge {
    CrdBalance *balance;
    int nv, rows;                   /* rows: with what is kept */
    CrdCompressed k, m, c, penalty; /* penalty: C^T C */
    double largest;                 /* bound of the eigenvalues of K against M */
    double rho, eps;
    int *position; /* (nv + rows) in the order of elimination */
    double *x, *y; /* (nv + rows) */
} Judge;

/* ---- matrices ---- */

/* Column j of K: displacements move positions, and velocities of a steady motion, by rows of their own. */
static void add_column(const CrdBalance *balance, int j, CrdEntries *entries) {
    const CrdTiles *tiles = &balance->sparse.tiles;
    const double *value = balance->sparse.values;
    int column = balance->dx + j;
    for (int i = tiles->start[column]; i < tiles->start[column + 1]; i++) {
        int row = tiles->row[i], from = -1;
        if (row < balance->nq || (row >= balance->twist && row < balance->z)) from = row;
        if (from < 0 && row >= balance->dx && row < balance->twist)
            crd_entries_add(entries, row - balance->dx, j, value[i]);
        for (int k = from < 0 ? 0 : tiles->start[from]; from >= 0 && k < tiles->start[from + 1]; k++)
            if (tiles->row[k] >= balance->dx && tiles->row[k] < balance->twist)
                crd_entries_add(entries, tiles->row[k] - balance->dx, j, -value[i] * value[k]);
    }
}

static CardanStatus make_stiffness(Judge *judge) {
    CrdEntries entries = {0};
    for (int j = 0; j < judge->nv; j++) add_column(judge->balance, j, &entries);
    return crd_compressed_create(&entries, judge->nv, judge->nv, &judge->k, &judge->balance->study->error);
}

static double inertia_of(const CardanModel *model, int index, int i, int k) {
    const CrdBlock *block = &model->structure->blocks[index];
    const CrdBlockValues *values = &model->values.blocks[index];
    int lengths = crd_block_lengths(model->structure, block);
    if (i < lengths || k < lengths) return i == k ? values->mass : 0.0;
    return block->kind == CRD_PLANAR_BODY ? values->inertia[8] : values->inertia[3 * (i - lengths) + k - lengths];
}

static CardanStatus make_mass(Judge *judge) {
    const CardanModel *model = judge->balance->study->model;
    CrdEntries entries = {0};
    for (int b = 0; b < model->structure->block_count; b++) {
        const CrdBlock *block = &model->structure->blocks[b];
        const double *custom = judge->balance->study->dynamics->system.custom_matrix + block->mass;
        for (int i = 0; i < block->nv; i++)
            for (int k = 0; k < block->nv; k++) {
                double value = block->kind == CRD_CUSTOM_BLOCK ? custom[i * block->nv + k] : inertia_of(model, b, i, k);
                if (value != 0.0) crd_entries_add(&entries, block->v + i, block->v + k, value);
            }
    }
    return crd_compressed_create(&entries, judge->nv, judge->nv, &judge->m, &judge->balance->study->error);
}

/* Rows of joints as they are, then what is kept. */
static CardanStatus make_rows(Judge *judge) {
    const CrdBalance *balance = judge->balance;
    const CrdTiles *tiles = &balance->sparse.tiles;
    CrdEntries entries = {0};
    for (int j = 0; j < judge->nv; j++)
        for (int i = tiles->start[balance->dx + j]; i < tiles->start[balance->dx + j + 1]; i++)
            if (tiles->row[i] >= balance->lambda)
                crd_entries_add(&entries, tiles->row[i] - balance->lambda, j, balance->sparse.values[i]);
    return crd_compressed_create(&entries, judge->rows, judge->nv, &judge->c, &balance->study->error);
}

/* C^T C, row by row. */
static CardanStatus make_penalty(Judge *judge) {
    CrdError *error = &judge->balance->study->error;
    CrdEntries turned = {0}, entries = {0};
    CrdCompressed rows = {0};
    for (int j = 0; j < judge->nv; j++)
        for (int i = judge->c.start[j]; i < judge->c.start[j + 1]; i++)
            crd_entries_add(&turned, j, judge->c.row[i], judge->c.value[i]);
    CardanStatus status = crd_compressed_create(&turned, judge->nv, judge->rows, &rows, error);
    for (int r = 0; status >= 0 && r < judge->rows; r++)
        for (int a = rows.start[r]; a < rows.start[r + 1]; a++)
            for (int b = rows.start[r]; b < rows.start[r + 1]; b++)
                crd_entries_add(&entries, rows.row[a], rows.row[b], rows.value[a] * rows.value[b]);
    crd_compressed_free(&rows);
    CRD_TRY(status);
    return crd_compressed_create(&entries, judge->nv, judge->nv, &judge->penalty, error);
}

/* A bound of the eigenvalues of K against M by rows, bodies' own inertias taken as diagonal; rho and eps. */
static void measure(Judge *judge) {
    double *bound = judge->x, *own = judge->y;
    memset(bound, 0, (size_t)judge->nv * sizeof *bound);
    for (int j = 0; j < judge->nv; j++)
        for (int i = judge->m.start[j]; i < judge->m.start[j + 1]; i++)
            if (judge->m.row[i] == j) own[j] = sqrt(judge->m.value[i]);
    for (int j = 0; j < judge->nv; j++)
        for (int i = judge->k.start[j]; i < judge->k.start[j + 1]; i++)
            bound[judge->k.row[i]] += fabs(judge->k.value[i]) / (own[j] * own[judge->k.row[i]]);
    judge->largest = crd_max_abs(bound, judge->nv);
    double stiff = fmax(crd_compressed_largest(&judge->k), CRD_NUMBER_MIN);
    double steep = judge->rows > 0 ? crd_compressed_largest(&judge->penalty) : 1.0;
    judge->rho = CRD_INERTIA_RHO * stiff / steep;
    judge->eps = steep / (CRD_INERTIA_HARD * stiff);
}

/* ---- order ---- */

/* AMD on displacements; a multiplier comes after the last of those it acts on. */
static CardanStatus choose_order(Judge *judge) {
    CrdError *error = &judge->balance->study->error;
    CrdEntries entries = {0};
    CrdCompressed pattern = {0};
    int nv = judge->nv, *order = crd_new((size_t)nv, sizeof *order);
    int *after = crd_new((size_t)judge->rows, sizeof *after), *count = crd_new((size_t)nv + 1, sizeof *count);
    crd_entries_add_matrix(&entries, 0, 0, 1.0, &judge->k);
    crd_entries_add_matrix(&entries, 0, 0, 1.0, &judge->penalty);
    crd_entries_add_matrix(&entries, 0, 0, 1.0, &judge->m);
    CardanStatus status = crd_compressed_create(&entries, nv, nv, &pattern, error);
    if (status >= 0 && (order == NULL || after == NULL || count == NULL)) status = crd_fail_memory(error);
    if (status >= 0 && amd_order(nv, pattern.start, pattern.row, order, NULL, NULL) < AMD_OK)
        status = crd_fail_memory(error);
    for (int k = 0; status >= 0 && k < nv; k++) /* position of displacements among themselves */
        judge->position[order[k]] = k;
    for (int j = 0; status >= 0 && j < nv; j++)
        for (int i = judge->c.start[j]; i < judge->c.start[j + 1]; i++)
            if (judge->position[j] > after[judge->c.row[i]]) after[judge->c.row[i]] = judge->position[j];
    for (int r = 0; status >= 0 && r < judge->rows; r++) count[after[r] + 1]++;
    for (int k = 0; status >= 0 && k < nv; k++) count[k + 1] += count[k];
    for (int j = 0; status >= 0 && j < nv; j++) judge->position[j] += count[judge->position[j]];
    for (int r = 0; status >= 0 && r < judge->rows; r++) judge->position[nv + r] = after[r] + 1 + count[after[r]]++;
    crd_compressed_free(&pattern);
    CRD_DELETE_ALL(order, after, count);
    return status;
}

/* ---- one shift ---- */

/* The upper triangle in the order of elimination; half of what stands on both sides of the diagonal. */
static void add_upper(const Judge *judge, double s, const CrdCompressed *a, CrdEntries *entries) {
    for (int j = 0; j < a->columns; j++)
        for (int i = a->start[j]; i < a->start[j + 1]; i++) {
            int p = judge->position[a->row[i]], q = judge->position[j];
            crd_entries_add(entries, p < q ? p : q, p < q ? q : p, p == q ? s * a->value[i] : 0.5 * s * a->value[i]);
        }
}

/* |b - A x| against |A| |x| + |b| of a solve for random numbers b, A by its upper triangle. */
static double backward_error(const CrdCompressed *upper, const CrdInertia *inertia, double *x, double *r) {
    uint64_t random = 13;
    int n = upper->columns;
    for (int i = 0; i < n; i++) r[i] = x[i] = crd_random(&random);
    if (crd_inertia_solve(inertia, x) < 0) return (double)INFINITY;
    crd_compressed_times(upper, -1.0, x, r);
    crd_compressed_times_transposed(upper, -1.0, x, r);
    for (int j = 0; j < n; j++)
        for (int i = upper->start[j]; i < upper->start[j + 1]; i++)
            if (upper->row[i] == j) r[j] += upper->value[i] * x[j];
    return crd_max_abs(r, n) / (crd_compressed_largest(upper) * crd_max_abs(x, n) + 1.0);
}

static CardanStatus factor_at(Judge *judge, double shift, CrdInertia **out) {
    CrdError *error = &judge->balance->study->error;
    CrdEntries entries = {0};
    CrdCompressed upper = {0};
    int all = judge->nv + judge->rows;
    *out = NULL;
    add_upper(judge, 1.0, &judge->k, &entries);
    add_upper(judge, -shift, &judge->m, &entries);
    add_upper(judge, judge->rho, &judge->penalty, &entries);
    for (int j = 0; j < judge->nv; j++)
        for (int i = judge->c.start[j]; i < judge->c.start[j + 1]; i++)
            crd_entries_add(&entries, judge->position[j], judge->position[judge->nv + judge->c.row[i]],
                            judge->c.value[i]);
    for (int r = 0; r < judge->rows; r++) {
        int at = judge->position[judge->nv + r];
        crd_entries_add(&entries, at, at, -judge->eps);
    }
    for (int i = 0; i < all; i++) crd_entries_add(&entries, i, i, 0.0);
    CRD_TRY(crd_compressed_create(&entries, all, all, &upper, error));
    CardanStatus status = crd_inertia_create(&upper, out, error);
    if (status >= 0 && !(backward_error(&upper, *out, judge->x, judge->y) <= CRD_INERTIA_LEFT)) {
        crd_inertia_destroy(*out);
        *out = NULL;
        status = CARDAN_ERR_NUMERIC;
    }
    crd_compressed_free(&upper);
    return status;
}

/* Eigenvalues below the shift. */
static CardanStatus count_below(Judge *judge, double shift, int *below) {
    CrdInertia *inertia;
    CRD_TRY(factor_at(judge, shift, &inertia));
    *below = crd_inertia_negative(inertia) - judge->rows;
    crd_inertia_destroy(inertia);
    return *below >= 0 ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* ---- the weakest ---- */

/* x <- (K - s M)^-1 y on the rows, in the order of displacements. */
static CardanStatus solve_on_rows(Judge *judge, const CrdInertia *inertia, const double *y, double *x, double *room) {
    memset(room, 0, (size_t)(judge->nv + judge->rows) * sizeof *room);
    for (int i = 0; i < judge->nv; i++) room[judge->position[i]] = y[i];
    CRD_TRY(crd_inertia_solve(inertia, room));
    for (int i = 0; i < judge->nv; i++) x[i] = room[judge->position[i]];
    return CARDAN_OK;
}

static double product(const CrdCompressed *a, const double *x, const double *z, double *room) {
    double sum = 0.0;
    memset(room, 0, (size_t)a->rows * sizeof *room);
    crd_compressed_times(a, 1.0, x, room);
    for (int i = 0; i < a->rows; i++) sum += z[i] * room[i];
    return sum;
}

/* Inverse iteration from a random motion; *lambda: Rayleigh's quotient. Below all eigenvalues it ends at the smallest.
 */
static CardanStatus iterate(Judge *judge, const CrdInertia *inertia, double *room, double *lambda) {
    uint64_t random = 7;
    double *x = judge->x, *y = judge->y, before = (double)INFINITY;
    for (int i = 0; i < judge->nv; i++) y[i] = crd_random(&random);
    for (int step = 0; step < INVERSE_STEPS; step++) {
        CRD_TRY(solve_on_rows(judge, inertia, y, x, room));
        double mass = product(&judge->m, x, x, room), scale = 1.0 / sqrt(fmax(mass, CRD_NUMBER_MIN));
        for (int i = 0; i < judge->nv; i++) x[i] *= scale;
        *lambda = product(&judge->k, x, x, room);
        if (fabs(*lambda - before) <= CRD_INERTIA_SETTLED * fabs(*lambda)) break;
        before = *lambda;
        memset(y, 0, (size_t)judge->nv * sizeof *y);
        crd_compressed_times(&judge->m, 1.0, x, y);
    }
    return CARDAN_OK;
}

/* The smallest eigenvalue, with a shift below it. */
static CardanStatus find_weakest(Judge *judge, double shift, double *room, double *lambda) {
    int below = 1;
    CrdInertia *inertia;
    CRD_TRY(count_below(judge, shift, &below));
    for (int i = 0; i < INVERSE_BELOW && below > 0; i++) {
        shift *= 4.0;
        CRD_TRY(count_below(judge, shift, &below));
    }
    CRD_TRY(factor_at(judge, shift, &inertia));
    CardanStatus status = iterate(judge, inertia, room, lambda);
    crd_inertia_destroy(inertia);
    return status;
}

/* ---- the whole ---- */

/* On two motions that the rows allow: y K x against x K y. */
static CardanStatus look_symmetric(Judge *judge, double *room, bool *symmetric) {
    uint64_t random = 11;
    CrdInertia *inertia;
    CRD_TRY(factor_at(judge, -CRD_INERTIA_ASIDE * judge->largest, &inertia));
    CardanStatus status = CARDAN_OK;
    for (int k = 0; k < 2 && status >= 0; k++) {
        double *x = k == 0 ? judge->x : judge->y, *right = room + judge->nv + judge->rows;
        for (int i = 0; i < judge->nv; i++) right[i] = crd_random(&random);
        status = solve_on_rows(judge, inertia, right, x, room);
    }
    double size = sqrt(product(&judge->m, judge->x, judge->x, room) * product(&judge->m, judge->y, judge->y, room));
    double ab = product(&judge->k, judge->x, judge->y, room), ba = product(&judge->k, judge->y, judge->x, room);
    double scale = fmax(fmax(fabs(ab), fabs(ba)), CRD_INERTIA_ASIDE * judge->largest * size);
    *symmetric = fabs(ab - ba) <= CRD_INERTIA_UNSYMMETRIC * scale;
    crd_inertia_destroy(inertia);
    return status;
}

/* Eigenvalues below zero, about zero, and the smallest. */
static CardanStatus count_all(Judge *judge, double *room, CardanEquilibrium *out) {
    double level = CRD_INERTIA_NEUTRAL * judge->largest;
    int up_to = 0, all = 1;
    CRD_TRY(count_below(judge, -level, &out->negative));
    CRD_TRY(count_below(judge, level, &up_to));
    out->neutral = up_to - out->negative;
    if (judge->nv <= judge->rows) CRD_TRY(count_below(judge, 2.0 * judge->largest, &all));
    return all > 0 ? find_weakest(judge, -level, room, &out->weakest) : CARDAN_OK;
}

static CardanStatus judge_all(Judge *judge, CardanEquilibrium *out) {
    bool symmetric = false;
    double *room = crd_new(2 * (size_t)(judge->nv + judge->rows), sizeof *room);
    CardanStatus status = room != NULL ? choose_order(judge) : crd_fail_memory(&judge->balance->study->error);
    if (status >= 0) measure(judge);
    if (status >= 0) status = look_symmetric(judge, room, &symmetric);
    if (status >= 0 && symmetric) status = count_all(judge, room, out);
    crd_delete(room);
    out->judged = status >= 0 && symmetric;
    return status;
}

CardanStatus crd_balance_judge_sparse(CrdBalance *balance, CardanEquilibrium *out) {
    Judge judge = {.balance = balance, .nv = balance->nv, .rows = balance->rows + balance->pins};
    size_t all = (size_t)(judge.nv + judge.rows);
    judge.position = crd_new(all, sizeof(int));
    judge.x = crd_new(all, sizeof(double));
    judge.y = crd_new(all, sizeof(double));
    CardanStatus status = judge.position != NULL && judge.x != NULL && judge.y != NULL
                              ? make_stiffness(&judge)
                              : crd_fail_memory(&balance->study->error);
    if (status >= 0) status = make_mass(&judge);
    if (status >= 0) status = make_rows(&judge);
    if (status >= 0) status = make_penalty(&judge);
    if (status >= 0) status = judge_all(&judge, out);
    CrdCompressed *matrices[] = {&judge.k, &judge.m, &judge.c, &judge.penalty};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) crd_compressed_free(matrices[i]);
    CRD_DELETE_ALL(judge.position, judge.x, judge.y);
    return status;
}
