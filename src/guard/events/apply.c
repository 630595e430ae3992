/* What happens at an event: sides change, the log, impulses of drives, actions of users. */
#include "core/numbers.h"
#include "guard/events/event.h"
#include "guard/turn.h"
#include "integrate/interpolate.h"

#include <math.h>
#include <string.h>

/* A user's event that follows itself after this part of the longest time it once took does so without end: the bounces
 * of a ball that loses speed with each. */
#define CRD_EVENT_CROWDED 1e-7

/* A law that sticks makes the error control crawl: so many steps with a loose switch are enough, four without one
 * making up for one with it. */
#define CRD_EVENT_STUCK 500

/* ---- what happens at an event ---- */

const char *crd_switch_name(const CardanModel *model, int i) {
    const CrdDescription *description = model->description;
    int object = model->structure->switches[i].object;
    if (i >= model->structure->first_event) return description->events[object].name;
    return i >= model->structure->first_drive_switch ? description->joints[object].name
                                                     : description->forces[object].name;
}

static void log_event(CrdEvents *events, int i) {
    CrdIntegrator *integrator = events->integrator;
    const CardanModel *model = integrator->dynamics.model;
    const CrdSwitch *s = &model->structure->switches[i];
    CardanEvent event = {.kind = s->kind, .t = integrator->stepper.t, .left_at = integrator->stepper.t};
    event.direction = events->touched[i] ? 0 : -events->side[i];
    event.name = crd_switch_name(model, i);
    const CardanEvent *last = integrator->log.count > 0 ? &integrator->log.events[integrator->log.count - 1] : NULL;
    bool again = last != NULL && last->t == event.t && last->name == event.name && last->direction == event.direction;
    if (!again) crd_log_add(&integrator->log, &event, false); /* a law may have an argument more than once */
}

/* Puts y, which stands for the present state, on the constraints and in its place. What its energy changed by was done
 * from outside. */
static CardanStatus replace_state(CrdEvents *events, const double *y) {
    CrdIntegrator *integrator = events->integrator;
    CrdStepper *stepper = &integrator->stepper;
    CRD_TRY(crd_integrator_evaluate(integrator));
    double before = crd_integrator_energy(integrator, stepper->y), *y_new = stepper->y_new;
    memcpy(y_new, y, (size_t)stepper->n * sizeof *y);
    crd_normalise(integrator->dynamics.model->structure, y_new);
    CRD_TRY(crd_integrator_project(integrator, stepper->t, y_new));
    CRD_TRY(crd_turns_begin_anew(integrator, stepper->t, y_new));
    CRD_TRY(crd_integrator_derivative(integrator, y_new, stepper->f_new, false));
    *crd_integrator_work(integrator, y_new) += crd_integrator_energy(integrator, y_new) - before;
    crd_integrator_enter(integrator, stepper->t);
    crd_integrator_touch(integrator);
    crd_guards_touch(&integrator->guards); /* it is another state */
    return CARDAN_OK;
}

/* The rows of a drive go on with another speed, and so does what it drives, at once: with the least change of the
 * kinetic energy's metric, as an impulse of the rows alone leaves it. A drive cannot jump in position. */
static CardanStatus follow_drives(CrdEvents *events, int drive) {
    CrdIntegrator *integrator = events->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CardanModel *model = dynamics->model;
    const CrdStructure *structure = model->structure;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, integrator->stepper.y));
    CrdAllowed tolerated = crd_tolerated_positions(&integrator->stabiliser.tolerance, model, 1.0),
               least = crd_part_of_size(model, CRD_START_RESIDUAL);
    const double *g = dynamics->system.g;
    bool jumps = crd_rows_excess(model, &dynamics->system, g, tolerated, NULL) > 1.0 &&
                 crd_rows_excess(model, &dynamics->system, g, least, NULL) > 1.0;
    const char *name = dynamics->model->description->joints[structure->switches[drive].object].name;
    if (jumps)
        return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                        "the drive of joint '%s' jumps by %.3g at t = %.9g: positions cannot; let it move there within "
                        "a time",
                        name, crd_max_abs(g, structure->rows), integrator->stepper.t);
    crd_integrator_touch(integrator);
    memcpy(events->y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *events->y);
    return replace_state(events, events->y);
}

static bool is_changed(const CrdEvents *events, const double *y) {
    const CrdStructure *structure = crd_events_structure(events);
    int count = structure->nq + structure->nv + structure->first_order;
    return memcmp(events->integrator->stepper.y, y, (size_t)count * sizeof *y) != 0;
}

static const CrdEventDesc *event_of(const CrdEvents *events, int i) {
    const CardanModel *model = events->integrator->dynamics.model;
    return &model->description->events[model->structure->switches[i].object];
}

static CardanStatus fail_crowded(CrdEvents *events, int i) {
    const CrdStepper *stepper = &events->integrator->stepper;
    return crd_fail(stepper->error, CARDAN_ERR_LIMIT,
                    "event '%s' follows itself ever faster at t = %.9g; its action must end that, or stop the run",
                    event_of(events, i)->name, stepper->t);
}

/* Do the events of a user come ever faster, without end? */
static bool is_crowded(CrdEvents *events, int i) {
    int k = i - crd_events_structure(events)->first_event;
    double t = events->integrator->stepper.t, since = t - events->last[k];
    bool first = events->longest[k] == 0.0 && events->last[k] == 0.0;
    events->last[k] = t;
    if (!first) events->longest[k] = fmax(events->longest[k], since);
    return since < CRD_EVENT_CROWDED * events->longest[k];
}

/* The state becomes what a user's event makes of it; where it goes from the zero is not known. */
static CardanStatus reset(CrdEvents *events, int i) {
    CrdIntegrator *integrator = events->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const double *y = integrator->stepper.y;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, y));
    dynamics->actions.states = crd_integrator_z(integrator, integrator->stepper.y);
    memcpy(events->y, y, (size_t)integrator->stepper.n * sizeof *events->y);
    CRD_TRY(crd_event_reset(dynamics->model, dynamics->model->structure->switches[i].object, &dynamics->actions,
                            &dynamics->system, y, events->y, integrator->stepper.error));
    crd_integrator_touch(integrator);
    if (!is_changed(events, events->y)) return CARDAN_OK;
    CRD_TRY(replace_state(events, events->y));
    events->side[i] = 0;
    return CARDAN_OK;
}

/* Calls the action of a user's event. Where a changed state goes from the zero is not known. */
static CardanStatus act(CrdEvents *events, int i) {
    CrdIntegrator *integrator = events->integrator;
    const CrdEventDesc *event = event_of(events, i);
    CardanStatus quiet = event->def.stop ? CARDAN_STOPPED : CARDAN_OK;
    if (event->def.action == NULL && event->def.reset == NULL) return quiet;
    if (is_crowded(events, i)) return fail_crowded(events, i);
    if (event->def.reset != NULL) CRD_TRY(reset(events, i));
    if (event->def.action == NULL) return quiet;
    memcpy(events->y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *events->y);
    integrator->conduct.acting = true;
    CardanStatus status =
        event->def.action(event->def.user, integrator->owner, events->y, crd_integrator_v(integrator, events->y),
                          crd_integrator_z(integrator, events->y));
    integrator->conduct.acting = false;
    integrator->conduct.stays = status < 0;
    if (status < 0)
        return crd_fail(integrator->stepper.error, status, "event '%s': its action failed at t = %.9g", event->name,
                        integrator->stepper.t);
    for (int k = 0; k < integrator->stepper.n; k++)
        if (!isfinite(events->y[k]))
            return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                            "event '%s': its action left a state that is not finite", event->name);
    if (is_changed(events, events->y)) {
        CRD_TRY(replace_state(events, events->y));
        events->side[i] = 0;
    }
    return event->def.stop ? CARDAN_STOPPED : status;
}

/* After sides changed: the motion is not smooth here. */
static void begin_anew(CrdEvents *events) {
    CrdIntegrator *integrator = events->integrator;
    crd_integrator_touch(integrator);
    events->known = false;
    integrator->controller = (CrdController){0};
    crd_integrator_restart(integrator);
}

/* Sides, log, drives, users, in this order, for all that was crossed at the present state. */
static CardanStatus happen(CrdEvents *events) {
    CrdIntegrator *integrator = events->integrator;
    const CrdStructure *structure = integrator->dynamics.model->structure;
    int drive = -1;
    events->happened++;
    events->happened_at = integrator->stepper.t;
    memcpy(events->before, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *events->before);
    CRD_TRY(crd_events_values(events, integrator->stepper.t, integrator->stepper.y, events->start));
    for (int i = 0; i < events->count; i++) {
        if (!events->crossed[i]) continue;
        log_event(events, i);
        events->slack[i] = fabs(events->start[i]);
        if (!events->touched[i]) events->side[i] = (CrdSide)-events->side[i];
        if (i >= structure->first_drive_switch && i < structure->first_event) drive = i;
    }
    begin_anew(events);
    CRD_TRY(crd_events_initialise(events));
    if (drive >= 0) CRD_TRY(follow_drives(events, drive));
    CardanStatus status = CARDAN_OK;
    for (int i = structure->first_event; i < events->count; i++) {
        CardanStatus acted = events->crossed[i] ? act(events, i) : CARDAN_OK;
        if (acted < 0) return acted;
        if (acted != CARDAN_STOPPED || status != CARDAN_OK) continue;
        crd_error_clear(integrator->stepper.error);
        status = crd_fail(integrator->stepper.error, CARDAN_STOPPED, "event '%s' stopped the run at t = %.9g",
                          event_of(events, i)->name, integrator->stepper.t);
    }
    return status;
}

/* Another place of a law with the same argument: they cross together. */
static bool is_copy(const CrdEvents *events, int i, int k) {
    const CrdStructure *structure = crd_events_structure(events);
    const CrdSwitch *a = &structure->switches[i], *b = &structure->switches[k];
    return a->kind == b->kind && a->object == b->object && k < structure->first_event &&
           events->side[i] == events->side[k] && events->start[i] == events->start[k];
}

CardanStatus crd_events_flip(CrdEvents *events, int i) {
    CrdIntegrator *integrator = events->integrator;
    memset(events->crossed, 0, (size_t)events->count * sizeof *events->crossed);
    memset(events->touched, 0, (size_t)events->count * sizeof *events->touched);
    crd_integrator_touch(integrator);
    if (events->flips[i]++ < CRD_EVENT_FLIPS) {
        for (int k = 0; k < events->count; k++) events->crossed[k] = k == i || is_copy(events, i, k);
        return happen(events);
    }
    if (i >= integrator->dynamics.model->structure->first_event) return fail_crowded(events, i);
    events->loose[i] = true;
    events->side[i] = 0;
    begin_anew(events);
    return CARDAN_OK;
}

/* What the step that was just accepted leaves behind: values, the sides of what users watch, switches that left zero.
 */
static void move_on(CrdEvents *events) {
    for (int i = 0; i < events->count && events->monitors; i++) {
        int before = (events->start[i] > 0.0) - (events->start[i] < 0.0),
            after = (events->end[i] > 0.0) - (events->end[i] < 0.0);
        if (events->crossed[i]) continue;
        if (events->loose[i] && before == after && after != 0) {
            events->loose[i] = false;
            events->side[i] = (CrdSide)after;
        }
        if (i >= crd_events_structure(events)->first_event && after != 0) events->side[i] = (CrdSide)after;
    }
    if (events->monitors) memcpy(events->start, events->end, (size_t)events->count * sizeof *events->start);
    memset(events->flips, 0, (size_t)events->count * sizeof *events->flips);
}

/* Has the error control been crawling at a law that sticks? */
static CardanStatus refuse_crawling(CrdEvents *events) {
    const CrdIntegrator *integrator = events->integrator;
    int who = -1;
    for (int i = 0; i < events->count && integrator->options.step <= 0.0; i++)
        if (events->loose[i]) who = i;
    events->stuck = who >= 0 ? events->stuck + 4 : events->stuck > 0 ? events->stuck - 1 : 0;
    if (who < 0 || events->stuck < 4 * CRD_EVENT_STUCK) return CARDAN_OK;
    events->stuck = 0;
    return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "'%s' sticks at t = %.9g: both sides of a kink of its law lead back to it; use a friction force, "
                    "tanh(v/speed), or fixed steps",
                    crd_switch_name(integrator->dynamics.model, who), integrator->stepper.t);
}

CardanStatus crd_events_apply(void *self) {
    CrdEvents *events = self;
    CrdIntegrator *integrator = events->integrator;
    if (events->count == 0) return CARDAN_OK;
    CRD_TRY(refuse_crawling(events));
    bool time_event = integrator->stepper.t == events->next, any = false;
    memcpy(events->side_last, events->side, (size_t)events->count * sizeof *events->side);
    if (time_event) crd_events_mark_time_events(events);
    move_on(events);
    for (int i = 0; i < events->count; i++) any = any || events->crossed[i];
    if (!any && !time_event) return CARDAN_OK;
    double step = integrator->options.step, before = integrator->stepper.t_old;
    if (step > 0.0 && !(integrator->grid > before)) integrator->grid = before + step;
    /* Now, while the slope at its end is that of the side it was made on. */
    if (crd_integrator_prepare_dense(integrator) < 0) {
        crd_error_clear(integrator->stepper.error);
        integrator->dense = CRD_DENSE_LOST;
    }
    return happen(events);
}
