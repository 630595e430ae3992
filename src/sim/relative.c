#include "sim/relative.h"

#include "analysis/choose.h"
#include "core/numbers.h"
#include "equations/element.h"
#include "equations/tree.h"
#include "guard/events/event.h"
#include "integrate/interpolate.h"
#include "model/relative.h"
#include "model/tree.h"
#include "sim/sim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Accelerations of bodies by both ways, against the largest: rounding leaves 1e-11 with ordinary masses. Beyond this
 * one of them has lost its digits, and the absolute way says which. */
#define CRD_RELATIVE_AGREES 1e-7

/* Steps from one comparison to the next: an absolute right-hand side costs as much as about six relative ones, a step
 * has a dozen. Besides, after as many as are worth taking over: half-way between two singular poses absolute steps
 * learn what is healthy. */
#define CRD_RELATIVE_COMPARE_EVERY 64

/* Relative steps that are worth taking over; absolute steps after a doubt are doubled when fewer were made; at most. */
#define CRD_RELATIVE_WORTH 4
#define CRD_RELATIVE_PAUSE_MOST 4096

/* Absolute steps after a singular pose: more than there are from one to the next in a mechanism that turns (15 at 1e-9,
 * twice a turn), so that it is handed over once, not at each. */
#define CRD_RELATIVE_REST_AT_POSE 512

/* More steps than any run has; a whole number that a saved state can keep. */
#define CRD_RELATIVE_FOREVER 1000000000000000

/* Singularity measure from which the relative way is tried again: twice what raises its doubt. */
#define CRD_RELATIVE_HEALTHY (2.0 * CRD_PASSAGE_WATCH)

/* ---- do both agree? ---- */

/* Against the largest, or those of gravity and of turning alone: where forces balance, what is left is rounding. */
static double largest_difference(const CardanModel *model, double *a, const double *b, const double *v) {
    double speed = crd_reach(model, v), reach = fmax(crd_reach(model, a), crd_reach(model, b));
    reach = fmax(reach, fmax(crd_norm(model->values.gravity) / model->values.size, speed * speed));
    for (int i = 0; i < model->structure->nv; i++) a[i] -= b[i];
    double off = crd_reach(model, a);
    return off <= 0.0 ? 0.0 : off / reach; /* NaN stays one */
}

/* Accelerations at the present state by both equations of motion; the absolute monitor learns what is healthy. What
 * this takes is not counted as work of the run. */
static CardanStatus compare(CardanSim *sim) {
    CrdIntegrator *absolute = &sim->integrator, *integrator = &sim->relative.integrator;
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdWork before = absolute->dynamics.work, own = dynamics->work;
    if (sim->relative.leads && crd_relative_is_tree(sim)) {
        CardanStatus solved = crd_relative_check(sim);
        integrator->dynamics.work = own;
        return solved;
    }
    CRD_TRY(crd_integrator_evaluate(integrator));
    CRD_TRY(crd_integrator_evaluate(absolute));
    absolute->dynamics.work = before;
    integrator->dynamics.work = own;
    crd_integrator_learn(absolute);
    if (sim->relative.leads) crd_redundancy_see(&absolute->dynamics);
    crd_relative_accelerations(sim->model, dynamics->model, &dynamics->system, dynamics->a,
                               sim->relative.accelerations);
    double off = largest_difference(sim->model, sim->relative.accelerations, absolute->dynamics.a,
                                    crd_integrator_v(absolute, absolute->stepper.y));
    if (off <= CRD_RELATIVE_AGREES) return CARDAN_OK;
    return crd_fail(&sim->relative.error, CARDAN_ERR_NUMERIC,
                    "relative and absolute accelerations differ by %.2g of the largest at t = %.9g", off,
                    absolute->stepper.t);
}

/* ---- taking over ---- */

/* The loop rows that others say already: as many as all rows of the absolute model have, because joints of the tree
 * depend on nothing. */
static CardanStatus drop_rows(CrdRelative *relative, int count) {
    CrdDynamics *dynamics = &relative->integrator.dynamics;
    int chosen;
    CRD_TRY(crd_choose_redundant(dynamics, count, relative->redundant, &chosen));
    crd_drop_redundant_rows(dynamics, relative->redundant);
    if (chosen != count)
        return crd_fail(&relative->error, CARDAN_ERR_NUMERIC, "%d rows are redundant, of the loops %d", count, chosen);
    CRD_TRY(crd_redundancy_reduce(dynamics));
    crd_stamp_drop(&dynamics->system.stamp, CRD_HOLDS_FACTOR);
    return CARDAN_OK;
}

static CardanStatus choose_rows(CardanSim *sim) {
    CrdRelative *relative = &sim->relative;
    CrdDynamics *dynamics = &relative->integrator.dynamics;
    int count = sim->integrator.dynamics.redundancy.count;
    if (relative->knows_rows || dynamics->model->structure->rows == 0) return CARDAN_OK;
    if (count > 0) CRD_TRY(drop_rows(relative, count));
    CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    crd_monitor_restart(dynamics);
    relative->knows_rows = true;
    return CARDAN_OK;
}

static CardanStatus take_over(CardanSim *sim) {
    CrdIntegrator *to = &sim->relative.integrator;
    CRD_TRY(crd_integrator_evaluate(&sim->integrator));
    crd_relative_enter(sim);
    CRD_TRY(crd_integrator_evaluate_constraints(to, to->stepper.t, to->stepper.y));
    CRD_TRY(choose_rows(sim));
    CRD_TRY(compare(sim));
    if (to->conduct.doubts) return CARDAN_ERR_NUMERIC;
    sim->relative.leads = true;
    sim->relative.knows_before = false;
    sim->relative.since = 0;
    return CARDAN_OK;
}

/* Is it its turn? */
static bool is_asked(const CardanSim *sim) {
    const CrdRelative *relative = &sim->relative;
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    if (relative->model == NULL) return false;
    if (relative->leads) return true;
    return relative->rest == 0 && !crd_imperfect_is_spread(dynamics) &&
           !crd_guards_are_engaged(&sim->integrator.guards) &&
           (dynamics->model->structure->rows == 0 || sim->integrator.stages.accepted >= CRD_RELATIVE_HEALTHY);
}

/* What absolute steps would have learnt on the way here: without it their redundant rows are those of a configuration
 * long past, and those kept may come close to dependence where all rows together do not. */
static void catch_up(CardanSim *sim) {
    CrdIntegrator *absolute = &sim->integrator;
    if (sim->relative.caught_up || absolute->dynamics.model->structure->watched_count == 0) return;
    sim->relative.caught_up = true;
    crd_integrator_touch(absolute);
    if (crd_integrator_evaluate(absolute) < 0) return;
    crd_integrator_learn(absolute);
    absolute->stages.accepted = crd_singularity_measure(&absolute->dynamics);
}

/* The absolute integrator goes on from the state before the step. */
static void hand_over(CardanSim *sim) {
    CrdRelative *relative = &sim->relative;
    if (relative->leads) {
        catch_up(sim);
        crd_relative_join(sim);
    }
    relative->integrator.conduct.doubts = false;
    relative->leads = relative->made = relative->knows_before = false;
    if (relative->since >= CRD_RELATIVE_WORTH) relative->pause = CRD_RELATIVE_PAUSE;
    relative->rest = relative->pause;
    if (relative->pause < CRD_RELATIVE_PAUSE_MOST) relative->pause *= 2;
    crd_error_clear(&relative->error);
    crd_error_clear(&sim->error);
    crd_integrator_touch(&sim->integrator);
}

void crd_relative_begin(CardanSim *sim) {
    if (is_asked(sim) && take_over(sim) < 0) hand_over(sim);
}

/* A failure that absolute steps would meet too: of a callback, or of a guard after the step itself was accepted. */
static bool is_final(const CardanSim *sim, CardanStatus status) {
    bool accepted = sim->relative.leads && sim->relative.integrator.stepper.t > sim->integrator.stepper.t;
    return status < 0 && (status != CARDAN_ERR_NUMERIC || accepted);
}

static bool is_time_to_compare(long since) {
    return since == CRD_RELATIVE_WORTH || since % CRD_RELATIVE_COMPARE_EVERY == 0;
}

/* A step that was made, with a remark or why it stopped; now and then both ways are compared. */
static CardanStatus conclude(CardanSim *sim, CardanStatus status) {
    CrdRelative *relative = &sim->relative;
    relative->made = true;
    if (is_time_to_compare(++relative->since) && compare(sim) < 0) hand_over(sim);
    if (status != CARDAN_OK) sim->error = relative->error;
    return status;
}

/* Where a step in doubt begins, other loop rows are left out than those that became poor, if a look at the loop rows
 * shows a healthy pose behind them: true where the new choice is better. */
static bool choose_anew(CrdIntegrator *integrator) {
    CrdDynamics *dynamics = &integrator->dynamics;
    if (dynamics->redundancy.count == 0) return false;
    crd_integrator_touch(integrator);
    if (crd_integrator_evaluate(integrator) < 0) return false;
    double before = crd_singularity_measure(dynamics);
    crd_stamp_drop(&dynamics->system.stamp, CRD_HOLDS_ACCELERATIONS); /* multipliers of other rows */
    if (crd_redundancy_choose_again(dynamics) < 0) return false;
    integrator->stages.accepted = crd_singularity_measure(dynamics);
    return integrator->stages.accepted > before;
}

/* Loop rows alone can shrink far from any pose. Where the absolute integrator, which has to learn now what a hand-over
 * needs, would not be in doubt itself, they are followed further, as far as poses are watched. */
static bool has_consent(CardanSim *sim) {
    catch_up(sim);
    return sim->integrator.dynamics.redundancy.count > 0 && sim->integrator.stages.accepted >= CRD_RELATIVE_DOUBT;
}

/* A step in relative coordinates; again where only the choice of rows, or how they are measured, stood against it. */
static CardanStatus try_step(CardanSim *sim, double t_limit) {
    CrdRelative *relative = &sim->relative;
    CrdIntegrator *integrator = &relative->integrator;
    CardanStatus status = crd_step(integrator, t_limit);
    bool doubts = status == CARDAN_ERR_NUMERIC && integrator->conduct.doubts;
    if (doubts && choose_anew(integrator)) {
        crd_error_clear(&relative->error);
        status = crd_step(integrator, t_limit);
        doubts = status == CARDAN_ERR_NUMERIC && integrator->conduct.doubts;
    }
    if (doubts && has_consent(sim)) {
        crd_error_clear(&relative->error);
        integrator->conduct.goes_on = true;
        crd_integrator_touch(integrator);
        status = crd_step(integrator, t_limit);
        integrator->conduct.goes_on = false;
    }
    return status;
}

CardanStatus crd_relative_step(CardanSim *sim, double t_limit, bool *made) {
    CrdRelative *relative = &sim->relative;
    *made = relative->caught_up = false;
    if (!is_asked(sim)) return CARDAN_OK;
    crd_error_clear(&relative->error);
    CardanStatus status = relative->leads ? CARDAN_OK : take_over(sim);
    const long events = crd_events_happened(&relative->integrator);
    if (status >= 0) status = try_step(sim, t_limit);
    *made = is_final(sim, status);
    if (*made) {
        sim->error = relative->error;
        return status;
    }
    *made = status >= 0 && crd_relative_follow(sim) >= 0;
    if (*made) {
        relative->knows_before =
            relative->model->structure->rows > 0 && crd_events_happened(&relative->integrator) == events;
        return conclude(sim, status);
    }
    hand_over(sim);
    return CARDAN_OK;
}

/* Where a singular pose was met absolute steps go on: the next one is mostly near. Steps between that change hands
 * twice cost more than they save, and errors of the way up no longer cancel those of the way down. With redundant rows
 * they do so for good: which rows are dropped next to a pose is a history of choices, made well by who makes all steps.
 */
void crd_relative_rest(CardanSim *sim) {
    const CrdIntegrator *integrator = &sim->integrator;
    CrdRelative *relative = &sim->relative;
    double low = fmin(integrator->stages.accepted, integrator->stages.lowest);
    bool redundant = integrator->dynamics.redundancy.count > 0;
    relative->made = false;
    if (low < CRD_PASSAGE_LEFT) relative->rest = redundant ? CRD_RELATIVE_FOREVER : CRD_RELATIVE_REST_AT_POSE;
    if (relative->rest > 0) relative->rest--;
    assert(relative->rest >= 0);
}

void crd_relative_touch(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->relative.integrator;
    sim->relative.made = false;
    if (sim->relative.model == NULL) return;
    integrator->dynamics.actions.wrenches = sim->integrator.dynamics.actions.wrenches;
    crd_integrator_touch(integrator);
    integrator->dense = CRD_DENSE_LOST;
    crd_guards_touch(&integrator->guards);
    crd_integrator_restart(integrator);
}

void crd_relative_leave(CardanSim *sim) {
    sim->relative.leads = sim->relative.made = sim->relative.knows_before = false;
}

/* ---- reading ---- */

bool crd_relative_evaluate(CardanSim *sim, double *accelerations) {
    CrdIntegrator *integrator = &sim->relative.integrator;
    const CrdDynamics *dynamics = &integrator->dynamics;
    if (!sim->relative.leads) return false;
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->relative.error);
    CardanStatus status = crd_integrator_evaluate(integrator);
    crd_sim_leave(sim, before);
    if (status < 0) return false;
    crd_relative_accelerations(sim->model, dynamics->model, &dynamics->system, dynamics->a, accelerations);
    return true;
}

/* The absolute workspace with these frames of the relative one, as those of sim->scratch at t: nothing else is held. */
static void share_frames(CardanSim *sim, double t, const CardanFrame *frames) {
    CrdIntegrator *to = &sim->integrator;
    assert(sim->relative.model->structure->frame_count == sim->model->structure->frame_count);
    crd_use_frames(sim->model, t, sim->scratch, frames, &to->dynamics.system);
    crd_begin_rows(sim->model, &to->dynamics.actions, &to->dynamics.system);
}

/* Its residuals too: those of loop rows are the same; joints of the tree are closed by construction. */
static void share_residuals(CardanSim *sim) {
    const CrdStructure *structure = sim->model->structure, *own = sim->relative.model->structure;
    const CrdSystem *from = &sim->relative.integrator.dynamics.system;
    CrdSystem *to = &sim->integrator.dynamics.system;
    assert(own->rows == 0 || crd_stamp_holds_residuals(&from->stamp));
    memset(to->g, 0, (size_t)structure->rows * sizeof *to->g);
    memset(to->rate, 0, (size_t)structure->rows * sizeof *to->rate);
    for (int i = 0; i < own->tree->loop_elements; i++) {
        const CrdElement *loop = &own->elements[own->tree->loops[i]],
                         *element = &structure->elements[own->tree->loops[i]];
        assert(loop->rows == element->rows);
        memcpy(to->g + element->first, from->g + loop->first, (size_t)loop->rows * sizeof *to->g);
        memcpy(to->rate + element->first, from->rate + loop->first, (size_t)loop->rows * sizeof *to->rate);
    }
    crd_stamp_add(&to->stamp, CRD_HOLDS_RESIDUALS);
}

/* The relative state at t, in relative->y, and its frames. Without massless links these are made where the absolute
 * workspace has its own, which then holds nothing else. */
static CardanStatus interpolate(CardanSim *sim, double t, const CrdRowClosing *closing, const CardanFrame **frames) {
    CrdRelative *relative = &sim->relative;
    CrdIntegrator *integrator = &relative->integrator;
    CrdSystem *absolute = &sim->integrator.dynamics.system;
    bool aside = relative->model->structure->rows == 0;
    if (aside && relative->model->structure->tree->inner == 0) {
        relative->aside.frames = absolute->frames;
        crd_stamp_clear(&absolute->stamp);
    }
    *frames = aside ? relative->aside.frames : integrator->dynamics.system.frames;
    crd_guards_hold(&integrator->guards, true);
    integrator->conduct.looks = true;
    CardanStatus status = aside ? crd_integrator_interpolate_aside(integrator, t, relative->y, &relative->aside)
                                : crd_integrator_interpolate(integrator, t, false, closing, relative->y);
    integrator->conduct.looks = false;
    crd_guards_hold(&integrator->guards, false);
    return status;
}

CardanStatus crd_relative_interpolate(CardanSim *sim, double t, CrdMeasureNeed need, const CrdRowClosing *closing) {
    CrdRelative *relative = &sim->relative;
    CrdIntegrator *from = &relative->integrator, *to = &sim->integrator;
    const CardanFrame *frames;
    CardanStatus status = interpolate(sim, t, closing, &frames);
    if (status < 0)
        return crd_fail(&sim->error, status, "%s",
                        relative->error.text[0] != '\0' ? relative->error.text
                                                        : "inside the last step loops come near a singular pose: "
                                                          "`coordinates: absolute` passes there");
    if (sim->model->structure->space == CARDAN_SPACE_SPATIAL) /* of two quaternions the one nearer to these is taken */
        memcpy(sim->scratch, to->stepper.y, (size_t)to->stepper.n * sizeof *sim->scratch);
    crd_relative_to_absolute(sim->model, frames, sim->scratch, crd_integrator_v(to, sim->scratch));
    crd_relative_carry_rest(to, sim->scratch, from, relative->y);
    if (need >= CRD_NEEDS_ACCELERATIONS) return crd_integrator_evaluate_constraints(to, t, sim->scratch);
    crd_integrator_use_tracked(to, sim->scratch);
    if (sim->model->structure->curve_count > 0) /* feet on curves come with the rows */
        return crd_evaluate_residuals(&to->dynamics, t, sim->scratch, crd_integrator_v(to, sim->scratch));
    share_frames(sim, t, frames);
    if (need > CRD_NEEDS_STATE) share_residuals(sim);
    return CARDAN_OK;
}
