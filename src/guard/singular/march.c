/* Velocities in a pose from a state beside it: the exact equations of motion, S lambda = G M^-1 f - gamma without
 * anything that softens or stabilises, integrated by the classical Runge-Kutta method in n equal substeps up to some
 * short of the pose, and from there by Hermite's cubic of the velocities over the last substep. */
#include "guard/singular/branch.h"

#include <math.h>
#include <string.h>

/* Spacings of two states beyond which their cubic is not trusted and the tangent of the nearer one is taken. */
#define CRD_BRANCH_SPACINGS 8.0

void crd_branch_extrapolate(const CrdBranchState *near, const CrdBranchState *far, const CrdStructure *structure,
                            double t, double *v) {
    double x = t - near->t, d = far != NULL ? near->t - far->t : 0.0;
    bool cubic = far != NULL && fabs(x) <= CRD_BRANCH_SPACINGS * fabs(d);
    for (int i = 0; i < structure->nv; i++) {
        double here = near->y[structure->nq + i], curve = 0.0;
        if (cubic) {
            double mean = (here - far->y[structure->nq + i]) / d;
            double c2 = (2.0 * near->a[i] + far->a[i] - 3.0 * mean) / d,
                   c3 = (near->a[i] + far->a[i] - 2.0 * mean) / (d * d);
            curve = (c2 + c3 * x) * x * x;
        }
        v[i] = here + near->a[i] * x + curve;
    }
}

/* Past a pose that is just missed: steps are this part of the time in which the measure would fall to 0, so that the
 * turn there, which takes about that time, is resolved to a thousandth; a measure below the second number counts as the
 * pose itself (a miss by 1e-9 of the size of a linkage has 3e-5); so many steps are some times what such a miss takes.
 */
#define CRD_MARCH_PART 0.1
#define CRD_MARCH_POSE 1e-5
#define CRD_MARCH_STEPS 2000

void crd_march_layout(CrdMarch *march, int n, CrdArena *arena) {
    march->y = crd_take(arena, (size_t)n, sizeof *march->y);
    march->stage = crd_take(arena, (size_t)n, sizeof *march->stage);
    march->slope = crd_take(arena, (size_t)n, sizeof *march->slope);
    march->sum = crd_take(arena, (size_t)n, sizeof *march->sum);
    march->before = crd_take(arena, (size_t)n, sizeof *march->before);
    march->slope_before = crd_take(arena, (size_t)n, sizeof *march->slope_before);
}

static CardanStatus derivative(CrdIntegrator *integrator, double t, double *y, double *dydt) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const double *v = y + structure->nq;
    crd_normalise(structure, y);
    crd_integrator_use_tracked(integrator, y);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    dynamics->actions.states = v + structure->nv;
    CRD_TRY(crd_forces(dynamics->model, y, v, &dynamics->actions, &dynamics->system, dynamics->error));
    memcpy(dynamics->target, dynamics->system.gamma, (size_t)structure->rows * sizeof *dynamics->target);
    CRD_TRY(crd_plain_solve(dynamics));
    CRD_TRY(crd_refine(dynamics));
    crd_pack_derivative(integrator, y, dynamics->lambda, dydt);
    return CARDAN_OK;
}

/* One substep from march->y, whose slope is there; then that of its end is. */
static CardanStatus substep(CrdMarch *march, CrdIntegrator *integrator, double t, double h) {
    static const double place[3] = {0.5, 0.5, 1.0}, weight[3] = {2.0, 2.0, 1.0};
    int n = integrator->stepper.n;
    memcpy(march->sum, march->slope, (size_t)n * sizeof *march->sum);
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < n; i++) march->stage[i] = march->y[i] + place[s] * h * march->slope[i];
        CRD_TRY(derivative(integrator, t + place[s] * h, march->stage, march->slope));
        for (int i = 0; i < n; i++) march->sum[i] += weight[s] * march->slope[i];
    }
    for (int i = 0; i < n; i++) march->y[i] += h / 6.0 * march->sum[i];
    return derivative(integrator, t + h, march->y, march->slope);
}

CardanStatus crd_march(CrdMarch *march, CrdIntegrator *integrator, const CrdBranchState *from, double t, int n,
                       int bridged, double *v) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    size_t bytes = (size_t)integrator->stepper.n * sizeof *march->y;
    double h = (t - from->t) / n;
    memcpy(march->y, from->y, bytes);
    CRD_TRY(crd_integrator_project(integrator, from->t, march->y)); /* Baumgarte's states are beside the constraints */
    CRD_TRY(derivative(integrator, from->t, march->y, march->slope));
    for (int k = 0; k < n - bridged; k++) {
        memcpy(march->before, march->y, bytes);
        memcpy(march->slope_before, march->slope, bytes);
        CRD_TRY(substep(march, integrator, from->t + k * h, h));
    }
    CrdBranchState far = {from->t + (n - bridged - 1) * h, march->before, march->slope_before + structure->nq},
                   near = {from->t + (n - bridged) * h, march->y, march->slope + structure->nq};
    crd_branch_extrapolate(&near, &far, structure, t, v);
    for (int i = 0; i < structure->nv; i++)
        if (!isfinite(v[i])) return CARDAN_ERR_NUMERIC;
    return CARDAN_OK;
}

CardanStatus crd_march_past(CrdMarch *march, CrdIntegrator *integrator, const CrdBranchState *from, double t_low,
                            double t_end, double *v, bool *resolved) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    double t = from->t, scale = 0.0;
    memcpy(march->y, from->y, (size_t)integrator->stepper.n * sizeof *march->y);
    *resolved = false;
    for (int k = 0; k < CRD_MARCH_STEPS; k++) {
        CRD_TRY(
            crd_integrator_project(integrator, t, march->y)); /* what is off the rows must be small against a miss */
        CRD_TRY(derivative(integrator, t, march->y, march->slope));
        double w = crd_singularity_measure(&integrator->dynamics);
        if (k == 0) scale = (t_low - t) / w; /* s for the whole of the measure */
        if (!(w >= CRD_MARCH_POSE)) return CARDAN_OK;
        if (t >= t_end) break;
        double h = fmin(CRD_MARCH_PART * w * scale, t_end - t);
        CRD_TRY(substep(march, integrator, t, h));
        t = h == t_end - t ? t_end : t + h;
    }
    *resolved = t >= t_end;
    memcpy(v, march->y + structure->nq, (size_t)structure->nv * sizeof *v);
    return CARDAN_OK;
}
