/* Fast frequencies: eigenvalues w^2 of
 *     K^1/2 B K^1/2,    B = G_K (M^-1 - M^-1 G_R^T (G_R M^-1 G_R^T)^-1 G_R M^-1) G_K^T
 * G_R: rows that are rigid in the model itself, G_K: those of the fast elements. With S of the twin, in which all of
 * them are rigid, B is the inverse of the block (S^-1)_KK, so few rows are solved for densely: 1 / w^2 are eigenvalues
 * of K^-1/2 (S^-1)_KK K^-1/2. For many rows Lanczos finds both ends, the slow one with this matrix, the fast one with
 * K^1/2 B K^1/2 itself. */
#include "slow/frequencies.h"
#include "slow/slow.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* What is left of a vector below this part is rounding: the basis spans all that the operator reaches. */
#define CRD_SLOW_INVARIANT 1e-12

/* Which fast row is this row of the twin's in? Vectors over all rows of the twin are zero but there. */
static void spread(const CrdSlow *slow, const double *x, double *r) {
    memset(r, 0, (size_t)slow->rigid.model->structure->rows * sizeof *r);
    for (int i = 0; i < slow->count; i++)
        memcpy(r + slow->fast[i].first, x + slow->fast[i].at, (size_t)slow->fast[i].rows * sizeof *r);
}

static void gather(const CrdSlow *slow, const double *r, double *x) {
    for (int i = 0; i < slow->count; i++)
        memcpy(x + slow->fast[i].at, r + slow->fast[i].first, (size_t)slow->fast[i].rows * sizeof *x);
}

/* x <- K^power x; the gap of a bushing has its stiffnesses along axes that its first body carries. */
static void times_stiffness(const CrdSlow *slow, double power, double *x) {
    for (int i = 0; i < slow->count; i++) {
        const CrdFast *fast = &slow->fast[i];
        double *own = x + fast->at;
        if (fast->gap > 0) crd_slow_turn_gap(slow, fast, false, own);
        for (int r = 0; r < fast->rows; r++) own[r] *= pow(fast->k[r], power);
        if (fast->gap > 0) crd_slow_turn_gap(slow, fast, true, own);
    }
}

/* y <- K^-1/2 (S^-1)_KK K^-1/2 x. */
static CardanStatus times_inverse(CrdSlow *slow, const double *x, double *y) {
    memcpy(y, x, (size_t)slow->rows * sizeof *y);
    times_stiffness(slow, -0.5, y);
    spread(slow, y, slow->r);
    CRD_TRY(crd_solve_rows(&slow->rigid.integrator.dynamics, slow->r));
    gather(slow, slow->r, y);
    times_stiffness(slow, -0.5, y);
    return CARDAN_OK;
}

/* dx <- what the rigid rows of the model leave of it. */
static CardanStatus keep_rigid(CrdSlow *slow, CrdDynamics *soft) {
    const CrdStructure *structure = soft->model->structure;
    memset(slow->dlambda, 0, (size_t)structure->rows * sizeof *slow->dlambda);
    crd_times_g(structure, soft->system.G, slow->dx, slow->dlambda);
    CRD_TRY(crd_solve_rows(soft, slow->dlambda));
    crd_times_gt(structure, soft->system.T, -1.0, slow->dlambda, slow->dx);
    return CARDAN_OK;
}

/* y <- K^1/2 B K^1/2 x; the workspace of the soft model holds its factor here. */
static CardanStatus times_forward(CrdSlow *slow, const double *x, double *y) {
    CrdDynamics *rigid = &slow->rigid.integrator.dynamics, *soft = &slow->soft.integrator.dynamics;
    const CrdStructure *structure = rigid->model->structure;
    memcpy(y, x, (size_t)slow->rows * sizeof *y);
    times_stiffness(slow, 0.5, y);
    spread(slow, y, slow->r);
    memset(slow->dx, 0, (size_t)structure->nv * sizeof *slow->dx);
    crd_times_gt(structure, rigid->system.G, 1.0, slow->r, slow->dx);
    crd_solve_mass(rigid->model, &rigid->system, slow->dx);
    if (soft->model->structure->rows > 0) CRD_TRY(keep_rigid(slow, soft));
    memset(slow->r, 0, (size_t)structure->rows * sizeof *slow->r);
    crd_times_g(structure, rigid->system.G, slow->dx, slow->r);
    gather(slow, slow->r, y);
    times_stiffness(slow, 0.5, y);
    return CARDAN_OK;
}

static double dot(int n, const double *a, const double *b) {
    assert(n >= 0);
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

typedef CardanStatus (*Operator)(CrdSlow *slow, const double *x, double *y);

/* Takes out of x what lies in the first vectors of a basis; twice, for rounding. */
static void make_orthogonal(int n, const double *basis, int vectors, double *x) {
    assert(n >= 0 && vectors >= 0);
    for (int k = 0; k < 2 * vectors; k++) {
        const double *old = basis + (size_t)(k % vectors) * (size_t)n;
        double part = dot(n, old, x);
        for (int i = 0; i < n; i++) x[i] -= part * old[i];
    }
}

/* Largest eigenvalue by Lanczos with full orthogonalisation. */
static CardanStatus largest(CrdSlow *slow, Operator times, double *value) {
    int n = slow->rows, made = 0;
    double *basis = slow->lanczos, *alpha = basis + (size_t)(CRD_SLOW_LANCZOS + 1) * (size_t)n,
           *beta = alpha + CRD_SLOW_LANCZOS;
    for (int i = 0; i < n; i++) basis[i] = 1.0 + 0.5 * sin(1.0 + i); /* any vector that is no mode */
    double size = sqrt(dot(n, basis, basis));
    for (int i = 0; i < n; i++) basis[i] /= size;
    for (; made < CRD_SLOW_LANCZOS; made++) {
        double *x = basis + (size_t)made * (size_t)n, *next = x + n;
        CRD_TRY(times(slow, x, next));
        alpha[made] = dot(n, x, next);
        make_orthogonal(n, basis, made + 1, next);
        beta[made] = sqrt(dot(n, next, next));
        if (!(beta[made] > CRD_SLOW_INVARIANT * fabs(alpha[0]))) {
            made++;
            break;
        }
        for (int i = 0; i < n; i++) next[i] /= beta[made];
    }
    if (LAPACKE_dsterf(made, alpha, beta) != 0 || !isfinite(alpha[made - 1])) return CARDAN_ERR_NUMERIC;
    *value = alpha[made - 1];
    return CARDAN_OK;
}

static CardanStatus by_lanczos(CrdSlow *slow) {
    double slow_end, fast_end;
    CRD_TRY(largest(slow, times_inverse, &slow_end));
    CrdIntegrator *soft = &slow->soft.integrator;
    CRD_TRY(crd_integrator_evaluate_constraints(soft, soft->stepper.t, slow->here));
    if (soft->dynamics.model->structure->rows > 0) CRD_TRY(crd_factor(&soft->dynamics, CARDAN_METRIC_MASS));
    CRD_TRY(largest(slow, times_forward, &fast_end));
    slow->result.w_min = 1.0 / sqrt(slow_end);
    slow->result.w_max = sqrt(fast_end);
    return CARDAN_OK;
}

static CardanStatus by_all(CrdSlow *slow) {
    int n = slow->rows;
    for (int k = 0; k < n; k++) {
        double *column = slow->inverse + (size_t)k * (size_t)n;
        memset(slow->values, 0, (size_t)n * sizeof *slow->values);
        slow->values[k] = 1.0;
        CRD_TRY(times_inverse(slow, slow->values, column));
    }
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, slow->inverse, n, slow->values, slow->lanczos,
                           CRD_SLOW_DENSE_WORK(n)) != 0 ||
        !(slow->values[0] > 0.0) || !isfinite(slow->values[n - 1]))
        return CARDAN_ERR_NUMERIC;
    slow->result.w_min = 1.0 / sqrt(slow->values[n - 1]);
    slow->result.w_max = 1.0 / sqrt(slow->values[0]);
    return CARDAN_OK;
}

CardanStatus crd_slow_frequencies(CrdSlow *slow) {
    assert(crd_stamp_holds(&slow->rigid.integrator.dynamics.system.stamp, CRD_HOLDS_FACTOR));
    CardanStatus status = slow->rows > CRD_SLOW_DENSE ? by_lanczos(slow) : by_all(slow);
    if (status == CARDAN_ERR_NUMERIC)
        return crd_fail(slow->error, status, "the frequencies of the compliant joints cannot be computed here");
    if (status < 0) return status;
    slow->result.damping = 0.0;
    for (int i = 0; i < slow->count; i++)
        for (int r = 0; r < slow->fast[i].rows; r++)
            slow->result.damping =
                fmax(slow->result.damping, slow->fast[i].c[r] * slow->result.w_max / (2.0 * slow->fast[i].k[r]));
    return CARDAN_OK;
}

/* Share that an element has in a mode: the sum of squares of its parts. */
static double share(const CrdSlow *slow, const CrdFast *fast, int mode) {
    assert(mode >= 0);
    const double *vector = slow->inverse + (size_t)mode * (size_t)slow->rows + fast->at;
    return dot(fast->rows, vector, vector);
}

int crd_slow_slowest(const CrdSlow *slow) {
    int most = 0;
    if (slow->rows > CRD_SLOW_DENSE) return 0;
    for (int i = 1; i < slow->count; i++)
        if (share(slow, &slow->fast[i], slow->rows - 1) > share(slow, &slow->fast[most], slow->rows - 1)) most = i;
    return most;
}

/* Modes in which it has at least half as much of a part as in the one where it has the most. */
void crd_slow_frequencies_of(const CrdSlow *slow, int index, double *low, double *high) {
    assert(index >= 0);
    const CrdFast *fast = &slow->fast[index];
    *low = slow->result.w_min;
    *high = slow->result.w_max;
    if (slow->rows > CRD_SLOW_DENSE) return;
    double most = 0.0;
    for (int k = 0; k < slow->rows; k++) most = fmax(most, share(slow, fast, k));
    *low = (double)INFINITY;
    *high = 0.0;
    for (int k = 0; k < slow->rows; k++) {
        if (share(slow, fast, k) < 0.5 * most) continue;
        *low = fmin(*low, 1.0 / sqrt(slow->values[k]));
        *high = fmax(*high, 1.0 / sqrt(slow->values[k]));
    }
}
