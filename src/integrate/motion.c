#include "integrate/motion.h"

#include "core/numbers.h"
#include "integrate/free_rotation.h"
#include "integrate/integrator.h"

#include <assert.h>
#include <string.h>

static const CrdStructure *structure_of(const CrdModelMotion *motion) {
    return motion->integrator->dynamics.model->structure;
}

static bool is_damped(const CardanModel *model) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; structure->compliant_count > 0 && i < structure->element_count; i++) {
        const double *damping = model->values.joints[i].damping;
        if (structure->elements[i].compliant > 0 && (damping[CRD_METRES] != 0.0 || damping[CRD_RADIANS] != 0.0))
            return true;
    }
    return false;
}

/* Whether a force may depend on velocities: springs and compliant joints without damper and law do not. */
static bool velocities_matter(const CardanModel *model) {
    const CrdStructure *structure = model->structure;
    if (structure->first_order > 0 || is_damped(model)) return true;
    for (int i = 0; i < structure->force_count; i++) {
        const CrdForceData *force = &model->values.forces[i];
        const CrdForceKind *kind = crd_force_kinds[force->type];
        if (kind->elastic == NULL || !kind->elastic(force)) return true;
        for (int k = 0; k < CRD_FORCE_LAWS; k++)
            if (structure->laws[CRD_FORCE_LAWS * i + k] != NULL) return true;
    }
    return false;
}

static bool is_implicit(void *user) {
    const CrdModelMotion *motion = user;
    return motion->implicit || motion->integrator->dynamics.actions.wrenches != NULL;
}

/* ---- rows and their factor ---- */

static CardanStatus start(void *user) {
    CrdModelMotion *motion = user;
    return crd_integrator_factor_start(motion->integrator, motion->pieces);
}

static CardanStatus evaluate(void *user, double t, const double *y) {
    CrdModelMotion *motion = user;
    return crd_integrator_evaluate_constraints(motion->integrator, t, y);
}

static CardanStatus hold(void *user) {
    CrdModelMotion *motion = user;
    CrdDynamics *dynamics = &motion->integrator->dynamics;
    if (structure_of(motion)->rows > 0 && !crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR))
        CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    memcpy(motion->pieces, dynamics->system.T, (size_t)structure_of(motion)->size_g * sizeof *motion->pieces);
    return CARDAN_OK;
}

static bool is_closed(void *user, double before, double *now) {
    const CrdModelMotion *motion = user;
    return crd_is_projected(&motion->integrator->dynamics, before, now);
}

/* motion->r <- G v + g_t */
static void velocity_residual(CrdModelMotion *motion, const double *v) {
    const CrdSystem *system = &motion->integrator->dynamics.system;
    memcpy(motion->r, system->rate_t, (size_t)structure_of(motion)->rows * sizeof *motion->r);
    crd_times_g(structure_of(motion), system->G, v, motion->r);
}

static CardanStatus push_positions(void *user, double h, double *x) {
    CrdModelMotion *motion = user;
    CrdDynamics *dynamics = &motion->integrator->dynamics;
    for (int r = 0; r < structure_of(motion)->rows; r++) motion->r[r] = dynamics->system.g[r] / h;
    CRD_TRY(crd_solve_rows(dynamics, motion->r));
    crd_times_gt(structure_of(motion), motion->pieces, -1.0, motion->r, x);
    return CARDAN_OK;
}

static CardanStatus push_velocities(void *user, double *v) {
    CrdModelMotion *motion = user;
    velocity_residual(motion, v);
    CRD_TRY(crd_solve_rows(&motion->integrator->dynamics, motion->r));
    crd_times_gt(structure_of(motion), motion->pieces, -1.0, motion->r, v);
    return CARDAN_OK;
}

/* ---- free rotation and forces ---- */

static CardanStatus drift(void *user, double h, const double *q, const double *u, double *q_new, double *u_new) {
    const CrdModelMotion *motion = user;
    return crd_rotate_freely(motion->integrator->dynamics.model, h, q, u, q_new, u_new);
}

static void without_gyroscopic(void *user, double scale, const double *v, double *x) {
    const CrdModelMotion *motion = user;
    crd_without_gyroscopic(motion->integrator->dynamics.model, scale, v, x);
}

static CardanStatus accelerate(void *user, const double *y, double *a, const double **z_rate) {
    CrdModelMotion *motion = user;
    CrdDynamics *dynamics = &motion->integrator->dynamics;
    const CrdStructure *structure = structure_of(motion);
    const double *v = y + structure->nq;
    dynamics->actions.states = v + structure->nv;
    CRD_TRY(crd_forces(dynamics->model, y, v, &dynamics->actions, &dynamics->system, dynamics->error));
    memcpy(a, dynamics->system.f, (size_t)structure->nv * sizeof *a);
    crd_solve_mass(dynamics->model, &dynamics->system, a);
    *z_rate = dynamics->system.z_rate;
    return CARDAN_OK;
}

/* ---- half-explicit stages: multipliers of velocities ---- */

/* The slope with the accelerations of index 1; its factor stays. */
static CardanStatus open(void *user, double t, const double *y, double *slope) {
    CrdModelMotion *motion = user;
    if (slope == NULL) return start(motion);
    CRD_TRY(evaluate(motion, t, y));
    CRD_TRY(crd_integrator_derivative(motion->integrator, y, slope, false));
    return hold(motion);
}

static CardanStatus close(void *user, double scale, double *slope, double *next, double *change, double *size) {
    CrdModelMotion *motion = user;
    const CrdStructure *structure = structure_of(motion);
    double *v = next + structure->nq, *a = slope + structure->nq;
    velocity_residual(motion, v);
    CRD_TRY(crd_solve_rows(&motion->integrator->dynamics, motion->r));
    memset(motion->dv, 0, (size_t)structure->nv * sizeof *motion->dv);
    crd_times_gt(structure, motion->pieces, -1.0, motion->r, motion->dv);
    for (int c = 0; c < structure->nv; c++) {
        v[c] += motion->dv[c];
        a[c] += scale * motion->dv[c];
    }
    *change = crd_max_abs(motion->dv, structure->nv);
    *size = crd_max_abs(v, structure->nv);
    return CARDAN_OK;
}

static const CrdMotion of_model = {.is_implicit = is_implicit,
                                   .start = start,
                                   .evaluate = evaluate,
                                   .hold = hold,
                                   .is_closed = is_closed,
                                   .push_positions = push_positions,
                                   .push_velocities = push_velocities,
                                   .drift = drift,
                                   .without_gyroscopic = without_gyroscopic,
                                   .accelerate = accelerate};

void crd_motion_layout(CrdModelMotion *motion, CrdIntegrator *integrator, CrdArena *arena) {
    const CardanModel *model = integrator->dynamics.model;
    const CrdStructure *structure = model->structure;
    size_t real = sizeof(double);
    assert(integrator->stepper.n > structure->nq + structure->nv);
    motion->integrator = integrator;
    motion->pieces = crd_take(arena, (size_t)structure->size_g, real);
    motion->r = crd_take(arena, (size_t)structure->rows, real);
    motion->dv = crd_take(arena, (size_t)structure->nv, real);
    motion->implicit = velocities_matter(model);
    bool rows = structure->rows > 0;
    integrator->stepper.equations = (CrdEquations){.user = motion,
                                                   .n = integrator->stepper.n,
                                                   .open = open,
                                                   .reach = rows ? evaluate : NULL,
                                                   .close = rows ? close : NULL};
    CrdMotion *seen = &integrator->stepper.motion;
    *seen = of_model;
    seen->user = motion;
    seen->nq = structure->nq;
    seen->nv = structure->nv;
    seen->nz = structure->first_order;
    seen->rows = structure->rows;
    seen->work = integrator->stepper.n - 1;
}
