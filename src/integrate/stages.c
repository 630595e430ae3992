#include "integrate/stages.h"

#include "core/numbers.h"
#include "integrate/integrator.h"
#include "integrate/refining.h"
#include "model/relative.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Singularity measure down to which stages are put on all constraints: rounding leaves eps / measure^2 of the speed in
 * their velocities, here 1e-9. */
#define CRD_PROJECT_CLOSE 5e-4

/* Pivot of S against its row's size below which relative coordinates are in doubt: 1e-16 of it is 1e-9 of a pivot. */
#define CRD_RELATIVE_PIVOT 1e-7

void crd_stages_layout(CrdStages *stages, int n, CrdArena *arena) {
    stages->y = crd_take(arena, (size_t)n, sizeof *stages->y);
    stages->lowest = stages->before = stages->accepted = 1.0;
}

/* Nothing is seen yet. */
static void begin(CrdStages *stages, bool project) {
    stages->noise = 0.0;
    stages->lowest = 1.0;
    stages->seen = 0;
    stages->project = project;
    stages->wants_projection = false;
    stages->better = 0.0;
}

CardanStatus crd_stages_make(CrdIntegrator *integrator, double h, bool adaptive, bool asks) {
    CrdStages *stages = &integrator->stages;
    CrdStepper *stepper = &integrator->stepper;
    stages->h = asks ? h : 0.0;
    begin(stages, stages->accepted < CRD_APPROACH);
    crd_refining_begin(integrator, adaptive ? h : 0.0);
    CardanStatus status = stepper->method->attempt(stepper, h, adaptive);
    if (stages->wants_projection) {
        begin(stages, true);
        status = stepper->method->attempt(stepper, h, adaptive);
    }
    stages->h = 0.0;
    if (status < 0) crd_refining_end(integrator);
    return status;
}

void crd_stages_accept(CrdStages *stages, double singularity) {
    stages->before = stages->accepted;
    stages->accepted = singularity;
}

static void see(CrdStages *stages, const CrdDynamics *dynamics) {
    double singularity = crd_singularity_measure(dynamics), t = dynamics->system.t;
    assert(stages->seen >= 0 && stages->seen <= CRD_STAGES_SEEN);
    if (stages->seen < CRD_STAGES_SEEN)
        stages->stage[stages->seen++] = (CrdStageSeen){t, singularity, dynamics->monitor.looked};
    if (singularity >= stages->lowest) return;
    stages->lowest = singularity;
    stages->lowest_at = t;
}

/* Copies a stage to where it may be moved, with unit quaternions. Without any it is the same state, and what the
 * workspace holds of the one holds of the other. */
static void copy_stage(CrdIntegrator *integrator, const double *y) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    memcpy(integrator->stages.y, y, (size_t)integrator->stepper.n * sizeof *y);
    crd_normalise(structure, integrator->stages.y);
    if (memcmp(integrator->stages.y, y, (size_t)structure->nq * sizeof *y) == 0)
        crd_stamp_copied(&integrator->dynamics.system.stamp, y, integrator->stages.y);
}

/* Puts a stage on the constraints; *y then is the stage in stages.y. Right next to the pose, where that could change
 * the branch, the rows that vanish there are left alone. */
static CardanStatus project_stage(CrdIntegrator *integrator, const double **y) {
    CrdDynamics *dynamics = &integrator->dynamics;
    double t = dynamics->system.t, w = crd_singularity_measure(dynamics), *stage = integrator->stages.y;
    double *v = crd_integrator_v(integrator, stage);
    CardanStatus status = CARDAN_OK;
    copy_stage(integrator, *y);
    if (w >= CRD_PROJECT_CLOSE) status = crd_project_stage(&integrator->stabiliser, dynamics, t, stage, v);
    bool good = w >= CRD_PROJECT_CLOSE && status >= 0 &&
                (w >= CRD_APPROACH || crd_integrator_moved(integrator, *y, stage) <= CRD_BRANCH_SHARE * w);
    if (!good && w >= CRD_LAND)
        return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                        "a stage at t = %.9g is too far off the constraints next to a singular pose", t);
    if (!good) {
        if (status == CARDAN_ERR_NUMERIC) crd_error_clear(integrator->stepper.error);
        copy_stage(integrator, *y);
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, stage));
        CRD_TRY(crd_project_without_weak_rows(&integrator->stabiliser, dynamics, t, stage, v));
    }
    *y = stage;
    return CARDAN_OK;
}

/* Relative coordinates leave to absolute ones what is near a singular pose, and S that has lost half of its digits.
 * Where nobody stands by to take over, or who does sees no pose, they go on as far as poses are watched. */
static CardanStatus trust_relative(CrdIntegrator *integrator) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    CrdConduct *conduct = &integrator->conduct;
    double least = conduct->tries && !conduct->goes_on ? CRD_RELATIVE_DOUBT : CRD_PASSAGE_WATCH;
    bool near = crd_singularity_measure(dynamics) < least,
         lost = dynamics->factor.pivot_last < CRD_RELATIVE_PIVOT || !crd_all_rows_act(dynamics);
    conduct->doubts = near || lost;
    return lost || (near && !conduct->looks) ? CARDAN_ERR_NUMERIC : CARDAN_OK;
}

/* Guards are asked as soon as a stage comes near a pose: the rest of a step that crosses it badly is not worth making.
 */
static bool is_laid_badly(CrdIntegrator *integrator) {
    CrdStages *stages = &integrator->stages;
    if (stages->h <= 0.0 || stages->lowest >= CRD_FORESEE) return false;
    double better = crd_guards_foresee(&integrator->guards, stages->h);
    if (better >= stages->h) return false;
    stages->better = better;
    return true;
}

/* S factored, and what the monitor then says about a stage. */
static CardanStatus watch_stage(CrdIntegrator *integrator, const double **y, bool stage) {
    CrdDynamics *dynamics = &integrator->dynamics;
    CrdStages *stages = &integrator->stages;
    CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    see(stages, dynamics);
    if (crd_is_relative(dynamics->model->structure)) return trust_relative(integrator);
    if (stage && is_laid_badly(integrator)) return CARDAN_ERR_NUMERIC;
    if (!stage || !crd_stabiliser_moves(&integrator->stabiliser)) return CARDAN_OK;
    if (stages->project) return project_stage(integrator, y);
    if (!crd_near_singular(dynamics)) return CARDAN_OK;
    stages->wants_projection = true;
    return CARDAN_ERR_NUMERIC;
}

CardanStatus crd_integrator_derivative(CrdIntegrator *integrator, const double *y, double *dydt, bool stage) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS) && crd_stamp_at(&dynamics->system.stamp, y));
    if (structure->rows > 0) CRD_TRY(watch_stage(integrator, &y, stage));
    const double *v = y + structure->nq;
    dynamics->actions.states = v + structure->nv;
    CRD_TRY(crd_solve_accelerations(dynamics, y, v));
    crd_refining_learn(integrator);
    integrator->stages.noise = fmax(integrator->stages.noise, dynamics->near_pose.noise);
    crd_pack_derivative(integrator, y, dynamics->lambda, dydt);
    return CARDAN_OK;
}
