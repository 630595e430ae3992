/* Systems for the tests of the solvers: M and G given dense, S = G M^-1 G^T computed from them. */
#ifndef TESTS_UNIT_SOLVER_FIXTURE_H
#define TESTS_UNIT_SOLVER_FIXTURE_H

#include "linear/solver.h"

#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct System {
    int n, nv;
    double *m; /* nv x nv */
    double *g; /* n x nv, column-major */
    double *s; /* n x n */
    CrdPattern pattern;
    int *start, *row;
    double *value;
} System;

static const CrdSolverOps *const BACK_ENDS[] = {&crd_solver_dense, &crd_solver_cholmod, &crd_solver_block,
                                                &crd_solver_supernodal, &crd_solver_saddle};
enum { BACK_END_COUNT = 5, FACTORS_OF_S = 4 }; /* the last needs M and G */

static uint64_t seed = 1;

/* Uniform in -1 .. 1. */
static inline double noise(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline void *room(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

static inline System system_new(int n, int nv) {
    size_t rows = (size_t)n, columns = (size_t)nv;
    System y = {.n = n, .nv = nv};
    y.m = room(columns * columns, sizeof(double));
    y.g = room(rows * columns, sizeof(double));
    y.s = room(rows * rows, sizeof(double));
    y.start = room(rows + 1, sizeof(int));
    y.row = room(rows * (rows + 1) / 2, sizeof(int));
    y.value = room(rows * (rows + 1) / 2, sizeof(double));
    for (int i = 0; i < nv; i++) y.m[i + i * nv] = 1.0;
    return y;
}

static inline void system_free(System *y) {
    free(y->m);
    free(y->g);
    free(y->s);
    free(y->start);
    free(y->row);
    free(y->value);
}

/* Takes pattern and values from s: the entries that are not 0 and the diagonal. */
static inline void compress(System *y) {
    int k = 0;
    for (int j = 0; j < y->n; j++) {
        for (int i = 0; i <= j; i++) {
            if (i != j && y->s[i + j * y->n] == 0.0) continue;
            y->row[k] = i;
            y->value[k++] = y->s[i + j * y->n];
        }
        y->start[j + 1] = k;
    }
    y->pattern = (CrdPattern){.n = y->n, .start = y->start, .row = y->row};
}

/* S from G and M (diagonal or not). A row of M^-1 G^T that must be 0 is 0: M is solved by blocks through Cholesky
 * of the whole, whose zeros stay zeros. */
static inline void form_s(System *y) {
    int n = y->n, nv = y->nv;
    double *u = room((size_t)nv * (size_t)nv, sizeof(double)), *t = room((size_t)nv * (size_t)n, sizeof(double));
    memcpy(u, y->m, (size_t)nv * (size_t)nv * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < nv; j++) t[j + i * nv] = y->g[i + j * n];
    if (nv > 0) assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', nv, u, nv), 0);
    if (nv > 0 && n > 0) LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'U', nv, n, u, nv, t, nv);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < nv; k++) sum += y->g[i + k * n] * t[k + j * nv];
            y->s[i + j * n] = y->s[j + i * n] = sum;
        }
    free(u);
    free(t);
    compress(y);
}

/* A chain: joint k holds rows k*w .. k*w+w-1 and touches bodies k and k-1 of six velocities each. */
static inline System chain(int joints, int w) {
    System y = system_new(joints * w, joints * 6);
    for (int k = 0; k < joints; k++)
        for (int i = k * w; i < k * w + w; i++)
            for (int v = k > 0 ? 6 * k - 6 : 0; v < 6 * k + 6; v++)
                y.g[i + v * y.n] = noise() + (v - 6 * k == i - k * w ? 3.0 : 0.0);
    for (int v = 0; v < y.nv; v++) y.m[v + v * y.nv] = 1.5 + noise();
    form_s(&y);
    return y;
}

/* Rows over a few random velocities; M in 2 x 2 blocks. */
static inline System scattered(int n) {
    int nv = 2 * n + 2;
    System y = system_new(n, nv);
    for (int i = 0; i < n; i++) {
        y.g[i + 2 * i * n] = 2.0 + noise();
        for (int k = 0; k < 3; k++) y.g[i + (int)(0.5 * (1.0 + noise()) * (nv - 1)) * n] += noise();
    }
    for (int v = 0; v < nv; v++) {
        y.m[v + v * nv] = 2.0 + noise();
        y.m[v + (v ^ 1) * nv] = 0.4;
    }
    form_s(&y);
    return y;
}

/* A chain of points on a line, mass j of kind j: row j is the distance of points j and j+1, row 0 holds point 0. */
static inline System line(int n, const double *mass) {
    System y = system_new(n, n);
    for (int j = 0; j < n; j++) {
        y.m[j + j * n] = mass[j];
        y.g[j + j * n] = 1.0;
        if (j > 0) y.g[j + (j - 1) * n] = -1.0;
    }
    form_s(&y);
    return y;
}

static inline void fill(const void *user, double *k, int order) {
    const System *y = user;
    for (int j = 0; j < y->nv; j++) {
        for (int i = 0; i < y->nv; i++) k[i + j * order] = y->m[i + j * y->nv];
        for (int i = 0; i < y->n; i++) k[y->nv + i + j * order] = y->g[i + j * y->n];
    }
}

static inline CrdMatrix matrix_of(const System *y) {
    return (CrdMatrix){.s = y->value, .velocities = y->nv, .fill_saddle = fill, .user = y};
}

static inline CrdSolver *solver_of(const CrdSolverOps *ops, const System *y) {
    CrdSolver *solver = NULL;
    CrdError error = {0};
    assert_int_equal(ops->create(&y->pattern, y->nv, &solver, &error), CARDAN_OK);
    assert_non_null(solver);
    assert_ptr_equal(solver->ops, ops);
    return solver;
}

static inline CardanStatus factor(CrdSolver *solver, const System *y, CrdPivot *pivot) {
    CrdMatrix matrix = matrix_of(y);
    return solver->ops->factor(solver, &matrix, pivot);
}

/* Condition number of S. */
static inline double condition(const System *y) {
    if (y->n == 0) return 1.0;
    double *copy = room((size_t)y->n * (size_t)y->n, sizeof(double)), *w = room((size_t)y->n, sizeof(double));
    memcpy(copy, y->s, (size_t)y->n * (size_t)y->n * sizeof(double));
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', y->n, copy, y->n, w), 0);
    double ratio = w[y->n - 1] / w[0];
    free(copy);
    free(w);
    return ratio;
}

static inline double distance(const double *a, const double *b, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static inline double size_of(const double *a, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

static inline System copy_of(const System *y) {
    System c = system_new(y->n, y->nv);
    memcpy(c.m, y->m, (size_t)y->nv * (size_t)y->nv * sizeof(double));
    memcpy(c.g, y->g, (size_t)y->n * (size_t)y->nv * sizeof(double));
    form_s(&c);
    return c;
}

#endif
