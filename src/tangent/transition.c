#include "tangent/transition.h"

#include "guard/events/event.h"
#include "tangent/sensitivity.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of a change of the state, for those of resets. */
static const double RESET_STEP = 1e-5;

/* A slope of a law that changes by less than this part of it does not change. */
static const double SAME_SLOPE = 1e-14;

/* A reset that an action adds to is none that is known. */
static const double SAME_STATE = 1e-9;

/* ---- room ---- */

CardanStatus crd_jump_take_room(const CrdTrajectory *trajectory, int knobs, CrdJump *jump, CrdError *error) {
    size_t core = (size_t)trajectory->core, n = (size_t)trajectory->n, own = (size_t)knobs;
    size_t switches = (size_t)trajectory->structure->switch_count;
    double **const of_core[] = {&jump->before, &jump->after, &jump->over_y, &jump->row, &jump->w};
    double **const of_state[] = {&jump->y, &jump->z, &jump->made[0], &jump->made[1]};
    bool made = true;
    for (size_t i = 0; i < sizeof of_core / sizeof *of_core; i++)
        made = (*of_core[i] = crd_new(core, sizeof(double))) != NULL && made;
    for (size_t i = 0; i < sizeof of_state / sizeof *of_state; i++)
        made = (*of_state[i] = crd_new(n, sizeof(double))) != NULL && made;
    jump->over_p = crd_new(own, sizeof(double));
    jump->row_p = crd_new(own, sizeof(double));
    jump->low = crd_new(switches, sizeof(double));
    jump->high = crd_new(switches, sizeof(double));
    jump->reads = crd_new(core, sizeof(bool));
    made = made && jump->over_p != NULL && jump->row_p != NULL && jump->low != NULL && jump->high != NULL &&
           jump->reads != NULL;
    return made ? CARDAN_OK : crd_fail_memory(error);
}

void crd_jump_free(CrdJump *jump) {
    CRD_DELETE_ALL(jump->before, jump->after, jump->over_y, jump->over_p, jump->row, jump->row_p, jump->low, jump->high,
                   jump->y, jump->z, jump->made[0], jump->made[1], jump->w, jump->reads);
}

CardanStatus crd_transition_refuse(CrdSensitivity *work, const CrdTransition *transition, int who, const char *reason) {
    return crd_fail(&work->error, CARDAN_ERR_NUMERIC, "at t = %.9g, event of '%s': %s; end before it",
                    work->trajectory.t[transition->state], crd_switch_name(work->model, who), reason);
}

CardanStatus crd_transition_pass_on(CrdSensitivity *work, CardanStatus status) {
    return status < 0 ? crd_fail(&work->error, status, "%s", work->trajectory.at->error.text) : CARDAN_OK;
}

/* ---- slopes on both sides ---- */

static CardanStatus slope_at(CrdSensitivity *work, long step, double t, const double *y, double *f) {
    CrdIntegrator *integrator = &work->trajectory.at->integrator;
    crd_trajectory_hold(&work->trajectory, step);
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, t, y);
    if (status >= 0) status = crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false);
    if (status >= 0) memcpy(f, integrator->stepper.f_new, (size_t)work->trajectory.core * sizeof *f);
    return crd_transition_pass_on(work, status);
}

CardanStatus crd_transition_slope(CrdSensitivity *work, const CrdTransition *transition) {
    return slope_at(work, transition->state - 1, work->trajectory.t[transition->state], transition->before,
                    work->jump.before);
}

/* How much later the event is with the change w and knob k. */
static double delay(const CrdSensitivity *work, const double *w, int k) {
    double sum = work->jump.over_p[k];
    for (int i = 0; i < work->trajectory.core; i++) sum += work->jump.over_y[i] * w[i];
    return -sum;
}

/* ---- the change of the state ---- */

static bool has_drive(const CrdStructure *structure, const CrdTransition *transition) {
    for (int i = structure->first_drive_switch; i < structure->first_event; i++)
        if (transition->crossed[i]) return true;
    return false;
}

static CardanStatus project(CrdIntegrator *integrator, double t, double *y) {
    crd_normalise(integrator->dynamics.model->structure, y);
    return crd_integrator_project(integrator, t, y);
}

/* out (n) <- R(t, y): drives are followed, then users act, each put on the constraints. */
static CardanStatus make_reset(CrdSensitivity *work, const CrdTransition *transition, double t, const double *y,
                               double *out) {
    CrdIntegrator *integrator = &work->trajectory.at->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = work->trajectory.structure;
    size_t bytes = (size_t)work->trajectory.n * sizeof *out;
    double *z = work->jump.z;
    memcpy(out, y, bytes);
    if (has_drive(structure, transition)) CRD_TRY(project(integrator, t, out));
    for (int i = structure->first_event; i < structure->switch_count; i++) {
        int index = structure->switches[i].object;
        if (!transition->crossed[i] || dynamics->model->description->events[index].def.reset == NULL) continue;
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, out));
        memcpy(z, out, bytes);
        dynamics->actions.states = crd_integrator_z(integrator, out);
        CRD_TRY(
            crd_event_reset(dynamics->model, index, &dynamics->actions, &dynamics->system, out, z, dynamics->error));
        memcpy(out, z, bytes);
        CRD_TRY(project(integrator, t, out));
    }
    return CARDAN_OK;
}

static CardanStatus reset(CrdSensitivity *work, const CrdTransition *transition, const CardanModel *model, double t,
                          const double *y, double *out) {
    CrdDynamics *dynamics = &work->trajectory.at->integrator.dynamics;
    crd_trajectory_hold(&work->trajectory, transition->state);
    crd_dynamics_use(dynamics, model);
    CardanStatus status = make_reset(work, transition, t, y, out);
    crd_dynamics_use(dynamics, work->trajectory.at->model);
    return crd_transition_pass_on(work, status);
}

/* out (core) <- R_y w + R_t dt. */
static CardanStatus reset_along(CrdSensitivity *work, const CrdTransition *transition, const double *w, double dt,
                                double *out) {
    const CrdTrajectory *trajectory = &work->trajectory;
    CrdJump *jump = &work->jump;
    double size = fabs(dt), t = trajectory->t[transition->state];
    for (int i = 0; i < trajectory->core; i++) size = fmax(size, fabs(w[i]));
    double h = size > 0.0 ? RESET_STEP / size : 0.0;
    for (int side = 0; side < 2; side++) {
        double by = side == 0 ? -h : h;
        memcpy(jump->y, transition->before, (size_t)trajectory->n * sizeof *jump->y);
        for (int i = 0; i < trajectory->core; i++) jump->y[i] += by * w[i];
        CRD_TRY(reset(work, transition, work->model, t + by * dt, jump->y, jump->made[side]));
    }
    for (int i = 0; i < trajectory->core; i++)
        out[i] = h > 0.0 ? (jump->made[1][i] - jump->made[0][i]) / (2.0 * h) : 0.0;
    return CARDAN_OK;
}

/* R_p of a knob: the difference is in jump->made afterwards. */
static CardanStatus reset_over(CrdSensitivity *work, const CrdTransition *transition, const CrdKnob *knob) {
    double t = work->trajectory.t[transition->state], **made = work->jump.made;
    CRD_TRY(reset(work, transition, knob->low, t, transition->before, made[0]));
    CRD_TRY(reset(work, transition, knob->high, t, transition->before, made[1]));
    for (int i = 0; i < work->trajectory.core; i++) made[1][i] = (made[1][i] - made[0][i]) / knob->width;
    return CARDAN_OK;
}

/* Is what happened to the state all that drives and resets make of it? */
static CardanStatus check_reset(CrdSensitivity *work, const CrdTransition *transition) {
    const CrdTrajectory *trajectory = &work->trajectory;
    const double *after = trajectory->y + (size_t)transition->state * (size_t)trajectory->n, *made = work->jump.made[0];
    CRD_TRY(
        reset(work, transition, work->model, trajectory->t[transition->state], transition->before, work->jump.made[0]));
    for (int i = 0; i < trajectory->core; i++)
        if (fabs(made[i] - after[i]) > SAME_STATE * fmax(1.0, fabs(after[i])))
            return crd_transition_refuse(
                work, transition, transition->who,
                "its action changes the state in a way that has no derivative; give that as its `reset`");
    return CARDAN_OK;
}

/* ---- the jump ---- */

/* c- less c+ of the column at hand. */
static CardanStatus target_drop(CrdSensitivity *work, const CrdTransition *transition, double *drop) {
    CrdTrajectory *trajectory = &work->trajectory;
    double t = trajectory->t[transition->state], after;
    crd_trajectory_hold(trajectory, transition->state - 1);
    CRD_TRY(crd_quantity_value(&work->quantity, trajectory, work->model, t, transition->before, drop, &work->error));
    crd_trajectory_hold(trajectory, transition->state);
    CRD_TRY(crd_quantity_value(&work->quantity, trajectory, work->model, t,
                               trajectory->y + (size_t)transition->state * (size_t)trajectory->n, &after,
                               &work->error));
    *drop -= after;
    return CARDAN_OK;
}

/* Slopes on both sides, and the event's time where it matters. */
static CardanStatus open_jump(CrdSensitivity *work, const CrdTransition *transition) {
    const CrdTrajectory *trajectory = &work->trajectory;
    CrdJump *jump = &work->jump;
    CRD_TRY(crd_transition_slope(work, transition));
    CRD_TRY(slope_at(work, transition->state, trajectory->t[transition->state],
                     trajectory->y + (size_t)transition->state * (size_t)trajectory->n, jump->after));
    jump->matters = transition->resets || crd_sensitivity_is_integral(work);
    for (int i = 0; i < trajectory->core && !jump->matters; i++)
        jump->matters = fabs(jump->after[i] - jump->before[i]) > SAME_SLOPE * fmax(1.0, fabs(jump->before[i]));
    if (!jump->matters) return CARDAN_OK;
    if (transition->resets) CRD_TRY(check_reset(work, transition));
    return crd_transition_time(work, transition);
}

CardanStatus crd_transition_forwards(CrdSensitivity *work, const CrdTransition *transition) {
    CrdQuantity *quantity = &work->quantity;
    CrdJump *jump = &work->jump;
    int core = work->trajectory.core;
    CRD_TRY(open_jump(work, transition));
    if (!jump->matters) return CARDAN_OK;
    for (quantity->column = 0; crd_sensitivity_is_integral(work) && quantity->column < quantity->channel.width;
         quantity->column++) {
        double drop, *derivative = crd_sensitivity_derivatives(work);
        CRD_TRY(target_drop(work, transition, &drop));
        for (int k = 0; k < work->knobs; k++)
            derivative[k] += drop * delay(work, work->w + (size_t)k * (size_t)core, k);
    }
    for (int k = 0; k < work->knobs; k++) {
        double *w = work->w + (size_t)k * (size_t)core, dt = delay(work, w, k);
        for (int i = 0; i < core; i++) w[i] += jump->before[i] * dt;
        if (transition->resets) {
            CRD_TRY(reset_along(work, transition, w, dt, jump->w));
            memcpy(w, jump->w, (size_t)core * sizeof *w);
            if (work->knob[k].low != NULL) CRD_TRY(reset_over(work, transition, &work->knob[k]));
            for (int i = 0; work->knob[k].low != NULL && i < core; i++) w[i] += jump->made[1][i];
        }
        for (int i = 0; i < core; i++) w[i] -= jump->after[i] * dt;
    }
    return CARDAN_OK;
}

static double product(const double *a, const double *b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* w <- R_y^T w, and what R makes of the knobs; *along: w times R along the motion. */
static CardanStatus reset_back(CrdSensitivity *work, const CrdTransition *transition, double *along) {
    CrdJump *jump = &work->jump;
    double *derivative = crd_sensitivity_derivatives(work), *unit = jump->row;
    int core = work->trajectory.core;
    CRD_TRY(reset_along(work, transition, jump->before, 1.0, jump->w));
    *along = product(work->w, jump->w, core);
    for (int k = 0; k < work->knobs; k++) {
        if (work->knob[k].low == NULL) continue;
        CRD_TRY(reset_over(work, transition, &work->knob[k]));
        derivative[k] += product(work->w, jump->made[1], core);
    }
    memset(unit, 0, (size_t)core * sizeof *unit);
    for (int i = 0; i < core; i++) {
        unit[i] = 1.0;
        CRD_TRY(reset_along(work, transition, unit, 0.0, jump->w));
        unit[i] = 0.0;
        work->slope[i] = product(work->w, jump->w, core);
    }
    memcpy(work->w, work->slope, (size_t)core * sizeof *work->w);
    return CARDAN_OK;
}

/* Takes back what the event's time makes of the adjoint and the knobs. */
static void pull_time(CrdSensitivity *work, double weight) {
    double *derivative = crd_sensitivity_derivatives(work);
    for (int i = 0; i < work->trajectory.core; i++) work->w[i] -= weight * work->jump.over_y[i];
    for (int k = 0; k < work->knobs; k++) derivative[k] -= weight * work->jump.over_p[k];
}

CardanStatus crd_transition_backwards(CrdSensitivity *work, const CrdTransition *transition) {
    CrdJump *jump = &work->jump;
    int core = work->trajectory.core;
    double drop = 0.0, along;
    CRD_TRY(open_jump(work, transition));
    if (!jump->matters) return CARDAN_OK;
    if (crd_sensitivity_is_integral(work)) CRD_TRY(target_drop(work, transition, &drop));
    double weight = drop - product(work->w, jump->after, core);
    if (transition->resets)
        CRD_TRY(reset_back(work, transition, &along));
    else
        along = product(work->w, jump->before, core);
    pull_time(work, weight + along);
    return CARDAN_OK;
}

/* ---- the end of the run ---- */

CardanStatus crd_transition_end_forwards(CrdSensitivity *work, const CrdTransition *transition, double rate) {
    double *derivative = crd_sensitivity_derivatives(work);
    CRD_TRY(crd_transition_time(work, transition));
    for (int k = 0; k < work->knobs; k++)
        derivative[k] += rate * delay(work, work->w + (size_t)k * (size_t)work->trajectory.core, k);
    return CARDAN_OK;
}

CardanStatus crd_transition_end_backwards(CrdSensitivity *work, const CrdTransition *transition, double rate) {
    CRD_TRY(crd_transition_time(work, transition));
    pull_time(work, rate);
    return CARDAN_OK;
}
