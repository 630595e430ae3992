/* The recipe of a solver: conjugate gradients on S, scaled by its diagonal. "Factoring" copies the matrix, because S
 * may have moved on when its factor is still wanted; rows are never left out. */
#include "core/memory.h"
#include "linear/pivot.h"
#include "linear/solver.h"

/* Residual at which the iteration stops, and iterations a row before it is given up. */
#define CRD_CONJUGATE_TOLERANCE 1e-15
#define CRD_CONJUGATE_ITERATIONS 20

typedef struct Conjugate {
    CrdSolver base;
    double *s;             /* values of S */
    double *x, *p, *q, *z; /* (n) */
} Conjugate;

static void destroy(CrdSolver *solver) {
    Conjugate *own = (Conjugate *)solver;
    if (own == NULL) return;
    crd_delete(own->s);
    crd_delete(own->x);
    crd_solver_close(solver);
    crd_delete(own);
}

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error);

static CardanStatus factor(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot) {
    Conjugate *own = (Conjugate *)solver;
    const CrdPattern *pattern = &solver->pattern;
    *pivot = crd_pivot_start(solver);
    memcpy(own->s, matrix->s, (size_t)pattern->start[pattern->n] * sizeof *own->s);
    for (int j = 0; j < pattern->n; j++) {
        solver->ratio[j] = 1.0;
        if (!(own->s[pattern->start[j + 1] - 1] > 0.0)) return *pivot = (CrdPivot){.row = j}, CARDAN_ERR_NUMERIC;
    }
    return CARDAN_OK;
}

/* y <- S x */
static void multiply(const Conjugate *own, const double *x, double *y) {
    const CrdPattern *pattern = &own->base.pattern;
    memset(y, 0, (size_t)pattern->n * sizeof *y);
    for (int j = 0; j < pattern->n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            int i = pattern->row[k];
            y[i] += own->s[k] * x[j];
            if (i != j) y[j] += own->s[k] * x[i];
        }
}

static double dot(int n, const double *x, const double *y) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* z <- D^-1 r */
static void scale(const Conjugate *own, const double *r) {
    const CrdPattern *pattern = &own->base.pattern;
    for (int i = 0; i < pattern->n; i++) own->z[i] = r[i] / own->s[pattern->start[i + 1] - 1];
}

static CardanStatus solve(CrdSolver *solver, double *r) {
    Conjugate *own = (Conjugate *)solver;
    int n = solver->pattern.n;
    size_t size = (size_t)n * sizeof *r;
    scale(own, r);
    memset(own->x, 0, size);
    memcpy(own->p, own->z, size);
    double now = dot(n, r, own->z), first = now;
    for (int k = 0; k < CRD_CONJUGATE_ITERATIONS * n && now > CRD_CONJUGATE_TOLERANCE * CRD_CONJUGATE_TOLERANCE * first;
         k++) {
        multiply(own, own->p, own->q);
        double before = now, step = now / dot(n, own->p, own->q);
        for (int i = 0; i < n; i++) {
            own->x[i] += step * own->p[i];
            r[i] -= step * own->q[i];
        }
        scale(own, r);
        now = dot(n, r, own->z);
        for (int i = 0; i < n; i++) own->p[i] = own->z[i] + now / before * own->p[i];
    }
    memcpy(r, own->x, size);
    return CARDAN_OK;
}

const CrdSolverOps crd_solver_conjugate = {.name = "conjugate",
                                           .summary = "conjugate gradients",
                                           .create = create,
                                           .factor = factor,
                                           .solve = solve,
                                           .destroy = destroy};

static CardanStatus create(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error) {
    Conjugate *own = crd_new(1, sizeof *own);
    size_t n = (size_t)pattern->n;
    (void)velocities;
    *out = NULL;
    if (own == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_solver_open(&own->base, &crd_solver_conjugate, pattern, error);
    own->s = crd_new((size_t)pattern->start[n], sizeof *own->s);
    own->x = crd_new(4 * n, sizeof *own->x);
    if (status < 0 || own->s == NULL || own->x == NULL) {
        destroy(&own->base);
        return crd_fail_memory(error);
    }
    own->p = own->x + n;
    own->q = own->x + 2 * n;
    own->z = own->x + 3 * n;
    *out = &own->base;
    return CARDAN_OK;
}
