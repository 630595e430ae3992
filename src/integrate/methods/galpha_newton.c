/* Newton's method in a step of generalised-alpha, by exact derivatives of its end. */
#include "core/numbers.h"
#include "integrate/methods/galpha.h"

#include <math.h>
#include <string.h>

/* Newton's method: corrections that are rounding, that are so small and fall no more, iterations with one matrix,
 * matrices in a step, growth at which a matrix is given up. Positions carry the rounding of the residuals, so nothing
 * is gained below the first; off the slow motion of stiff forces h^2 a_0 is large, and they carry some ulps of it. */
#define CRD_GALPHA_CONVERGED 1e-15
#define CRD_GALPHA_STILL 1e-10
#define CRD_GALPHA_FALL 0.25
#define CRD_GALPHA_ITERATIONS 10
#define CRD_GALPHA_ROUNDS 4
#define CRD_GALPHA_DIVERGING 2.0

/* With error control: corrections may leave this part of the tolerance, and two matrices are enough. Stiff forces turn
 * what is left of positions into accelerations, so it is small. */
#define CRD_GALPHA_SHARE 1e-4
#define CRD_GALPHA_CONTROLLED_ROUNDS 2

/* y_1 of the present a_1, and v'_1 that it asks for; what rides along is summed by the trapezoidal rule. */
static void place(CrdStepper *stepper, CrdGalpha c, double h) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    const double *rate = memory->rate_start;
    double *v = stepper->y_new + equations->nq;
    for (int i = 0; i < memory->m; i++) {
        double a0 = memory->a_start[i], a1 = memory->a[i];
        if (i < equations->nv) memory->x[i] = h * (memory->v_start[i] + h * ((0.5 - c.beta) * a0 + c.beta * a1));
        v[i] = memory->v_start[i] + h * ((1.0 - c.gamma) * a0 + c.gamma * a1);
        memory->rate[i] = ((1.0 - c.am) * a1 + c.am * a0 - c.af * rate[i]) / (1.0 - c.af);
    }
    equations->displace(equations->user, stepper->y, memory->x, stepper->y_new);
    for (int i = equations->core; i < stepper->n; i++)
        stepper->y_new[i] = stepper->y[i] + 0.5 * h * (stepper->f[i] + memory->slope[i]);
}

/* Unknowns are multiplied, equations divided by these. */
static double scale_of(const CrdEquations *equations, double h, int i, bool equation) {
    if (i >= equations->core) return equation ? h : 1.0 / h;
    if (i < equations->nq) return equation ? 1.0 : h;
    return equation ? 1.0 / h : 1.0;
}

static void scale(const CrdEquations *equations, double h) {
    const CrdStageMatrix *stage = equations->stage;
    for (int c = 0; c < stage->tiles.n; c++)
        for (int i = stage->tiles.start[c]; i < stage->tiles.start[c + 1]; i++) {
            double factor = scale_of(equations, h, c, false) / scale_of(equations, h, stage->tiles.row[i], true);
            stage->rates[i] *= factor;
            stage->state[i] *= factor;
        }
}

static CardanStatus factor(CrdStepper *stepper, CrdGalpha c, double h) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    const CrdStageMatrix *stage = equations->stage;
    double weakest = 1.0;
    CRD_TRY(stage->linearise(stage->user, stepper->t + h, stepper->y_new, memory->lambda));
    scale(equations, h);
    if (equations->count != NULL) equations->count->factorisations++;
    if (crd_sparse_lu_factor(stage->real, 1.0 / crd_galpha_own_step(c, h), stage->rates, stage->state, &weakest) >= 0)
        return CARDAN_OK;
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    isnan(weakest) ? "the step matrix of galpha is not finite at t = %.9g: slopes or their derivatives "
                                     "are not (step %.3g)"
                                   : "the step matrix of galpha is singular at t = %.9g (step %.3g): rows depend on "
                                     "each other there",
                    stepper->t + h, h);
}

/* What the equations miss by, and the solution of that. */
static CardanStatus solve(CrdStepper *stepper, double h) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    const CrdStageMatrix *stage = equations->stage;
    int nq = equations->nq, core = equations->core;
    double *missing = memory->missing, *x = memory->solution;
    memset(missing, 0, (size_t)equations->stage_size * sizeof *missing);
    for (int i = 0; i < memory->m; i++) missing[nq + i] = memory->slope[nq + i] - memory->rate[i];
    memset(x, 0, (size_t)equations->stage_size * sizeof *x);
    crd_tiles_times(&stage->tiles, stage->rates, 1.0, missing, x); /* scaled already */
    for (int r = 0; r < equations->multipliers; r++)
        x[core + r] = (equations->held[r] ? -memory->residual[r] : -memory->lambda[r]) / h;
    if (equations->count != NULL) equations->count->solves++;
    if (crd_sparse_lu_solve(stage->real, x) < 0)
        return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                        "a correction in the step of galpha after t = %.9g is not finite (step %.3g)", stepper->t, h);
    for (int i = 0; i < equations->stage_size; i++) x[i] *= scale_of(equations, h, i, false);
    return CARDAN_OK;
}

/* One correction; *size: the largest part of a position, or of what a velocity leads to in a step. */
static CardanStatus correct(CrdStepper *stepper, CrdGalpha c, double h, double *size) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    const double *x = memory->solution;
    int nq = equations->nq, core = equations->core;
    CRD_TRY(equations->rates(equations->user, stepper->t + h, stepper->y_new, memory->lambda, memory->slope,
                             memory->residual));
    CRD_TRY(solve(stepper, h));
    *size = 0.0;
    for (int i = 0; i < core; i++) *size = fmax(*size, fabs(i < nq ? x[i] : h * x[i]) / memory->measure[i]);
    for (int i = 0; i < memory->m; i++) memory->a[i] += x[nq + i] / (h * c.gamma);
    for (int r = 0; r < equations->multipliers; r++) memory->lambda[r] += x[core + r];
    place(stepper, c, h);
    return CARDAN_OK;
}

/* Corrections with one matrix, until they are at rounding, or small enough, or stop falling. */
static CardanStatus converge(CrdStepper *stepper, CrdGalpha c, double h, bool *done, double *size) {
    const CrdGalphaMemory *memory = stepper->memory;
    double before = (double)INFINITY;
    *done = false;
    for (int i = 0; i < CRD_GALPHA_ITERATIONS && !*done; i++) {
        CRD_TRY(correct(stepper, c, h, size));
        bool falls = *size < CRD_GALPHA_FALL * before;
        *done = *size <= memory->enough || (i > 0 && *size <= memory->still && !falls);
        if (!(*size <= CRD_GALPHA_DIVERGING * before)) break;
        before = *size;
    }
    return CARDAN_OK;
}

static void set_measure(CrdStepper *stepper, bool controlled) {
    CrdGalphaMemory *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    memory->enough = controlled ? fmax(CRD_GALPHA_CONVERGED, CRD_GALPHA_SHARE * stepper->rtol) : CRD_GALPHA_CONVERGED;
    for (int i = 0; i < equations->core; i++) memory->measure[i] = fmax(fabs(stepper->y[i]), equations->typical[i]);
}

/* What may be nothing but rounding. */
static void set_still(CrdStepper *stepper, double h) {
    CrdGalphaMemory *memory = stepper->memory;
    const double *measure = memory->measure + stepper->equations.nq;
    memory->still = CRD_GALPHA_STILL;
    for (int i = 0; i < memory->m; i++)
        memory->still = fmax(memory->still, CRD_GALPHA_ULPS * CRD_EPS * fabs(h * h * memory->a_start[i]) / measure[i]);
}

CardanStatus crd_galpha_solve(CrdStepper *stepper, CrdGalpha c, double h, bool controlled) {
    CrdGalphaMemory *memory = stepper->memory;
    bool done = false;
    double size = 0.0;
    int rounds = controlled ? CRD_GALPHA_CONTROLLED_ROUNDS : CRD_GALPHA_ROUNDS;
    set_measure(stepper, controlled);
    set_still(stepper, h);
    memcpy(memory->slope, stepper->f, (size_t)stepper->n * sizeof *memory->slope);
    place(stepper, c, h);
    for (int round = 0; round < rounds && !done; round++) {
        CRD_TRY(factor(stepper, c, h));
        CRD_TRY(converge(stepper, c, h, &done, &size));
    }
    if (done) return CARDAN_OK;
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    "Newton's iteration of galpha does not converge after t = %.9g: last correction %.2g of the "
                    "state; take a step shorter than %.3g",
                    stepper->t, size, h);
}
