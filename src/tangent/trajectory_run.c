/* The run whose steps are differentiated: accepted states, the sides on which laws were held in each step, and what
 * lies on the way: events that can be crossed (transition.h), and whatever cannot, which is refused by name. */
#include "core/numbers.h"
#include "guard/events/event.h"
#include "tangent/trajectory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What rounding and a projection leave of a state that an event does not change. */
static const double UNCHANGED = 1e-10;

static double *grown(const double *old, long count, long room, size_t width) {
    double *out = crd_new((size_t)room * width, sizeof *out);
    if (out != NULL && count > 0) memcpy(out, old, (size_t)count * width * sizeof *out);
    return out;
}

static CardanStatus grow(CrdTrajectory *trajectory, CrdError *error) {
    long room = trajectory->room > 0 ? 2 * trajectory->room : 256, count = trajectory->steps;
    size_t switches = (size_t)trajectory->structure->switch_count;
    double *t = grown(trajectory->t, count, room, 1), *y = grown(trajectory->y, count, room, (size_t)trajectory->n);
    CrdSide *sides = crd_new((size_t)room * switches, sizeof *sides);
    if (t == NULL || y == NULL || sides == NULL) {
        CRD_DELETE_ALL(t, y, sides);
        return crd_fail_memory(error);
    }
    if (count > 0 && switches > 0) memcpy(sides, trajectory->sides, (size_t)count * switches * sizeof *sides);
    CRD_DELETE_ALL(trajectory->t, trajectory->y, trajectory->sides);
    trajectory->t = t;
    trajectory->y = y;
    trajectory->sides = sides;
    trajectory->room = room;
    return CARDAN_OK;
}

/* The present state, and of the step that led to it the sides and the slopes of its stages. */
static CardanStatus keep(CrdTrajectory *trajectory, CrdError *error) {
    const CrdStepper *stepper = &trajectory->sim->integrator.stepper;
    const CrdEvents *events = crd_events_of(&trajectory->sim->integrator);
    size_t n = (size_t)trajectory->n, switches = (size_t)trajectory->structure->switch_count;
    if (trajectory->steps == trajectory->room) CRD_TRY(grow(trajectory, error));
    if (trajectory->steps > 0) { /* a step that was cut afterwards has other stages */
        bool whole = stepper->t_old == trajectory->t[trajectory->steps - 1];
        crd_kept_add(&trajectory->kept, whole ? crd_rk_slope(stepper->memory, 0) : NULL);
    }
    if (trajectory->steps > 0 && switches > 0)
        memcpy(trajectory->sides + (size_t)(trajectory->steps - 1) * switches, events->side_last,
               switches * sizeof *trajectory->sides);
    trajectory->t[trajectory->steps] = stepper->t;
    memcpy(trajectory->y + (size_t)trajectory->steps * n, stepper->y, n * sizeof *stepper->y);
    trajectory->steps++;
    return CARDAN_OK;
}

/* ---- what cannot be differentiated ---- */

static CardanStatus refuse_told(CardanSim *sim, int from, CrdError *error) {
    const CardanEvent *events;
    int count = cardan_sim_events(sim, &events, NULL);
    for (int i = from; i < count; i++) {
        if (events[i].kind == CARDAN_EVENT_SINGULARITY)
            return crd_fail(error, CARDAN_ERR_NUMERIC,
                            "at t = %.9g the motion meets a singular pose, across which it is not differentiated; end "
                            "before it",
                            events[i].t);
        if (events[i].kind == CARDAN_EVENT_TURN)
            return crd_fail(error, CARDAN_ERR_NUMERIC,
                            "at t = %.9g '%s' is turned as far as its rotation vector goes; end before it", events[i].t,
                            events[i].name);
    }
    return CARDAN_OK;
}

static CardanStatus refuse_transition(const CrdTrajectory *trajectory, const char *name, const char *reason,
                                      CrdError *error) {
    return crd_fail(error, CARDAN_ERR_NUMERIC, "at t = %.9g, event of '%s': %s; end before it",
                    trajectory->sim->integrator.stepper.t, name, reason);
}

/* The parameter of a path is remembered, not a function of the state. */
static bool is_of_path(const CrdStructure *structure, int i) {
    if (i < structure->first_drive_switch || i >= structure->first_event) return false;
    const CrdElement *element = &structure->elements[structure->element_of_joint[structure->switches[i].object]];
    return element->kind != NULL && element->kind->curve;
}

/* ---- events that can be crossed ---- */

static bool is_changed(const CrdTrajectory *trajectory, const double *a, const double *b) {
    for (int i = 0; i < trajectory->core; i++)
        if (fabs(a[i] - b[i]) > UNCHANGED * fmax(1.0, fabs(a[i]))) return true;
    return false;
}

/* Does a user's event do anything that matters: change the state by a function, or stop? */
static bool has_effect(const CardanModel *model, int i, bool stops) {
    if (i < model->structure->first_event) return true;
    const CardanEventDef *def = &model->description->events[model->structure->switches[i].object].def;
    return def->reset != NULL || stops;
}

/* Who is crossed, and whether that changes the state; transition->who stays -1 when nothing happens. */
static CardanStatus look_at(CrdTrajectory *trajectory, const CrdEvents *events, CrdTransition *transition,
                            CrdError *error) {
    const CardanModel *model = trajectory->sim->model;
    const CrdStructure *structure = model->structure;
    bool changed = is_changed(trajectory, transition->before, trajectory->sim->integrator.stepper.y), by_user = false;
    int any = -1;
    for (int i = 0; i < events->count; i++) {
        const char *name = crd_switch_name(model, i);
        if (events->crossed[i] && any < 0) any = i;
        transition->crossed[i] = events->crossed[i] && !events->touched[i] && has_effect(model, i, transition->stops);
        if (events->loose[i]) return refuse_transition(trajectory, name, "both sides of a kink lead back to it", error);
        if (events->crossed[i] && events->touched[i] && (changed || transition->stops))
            return refuse_transition(trajectory, name,
                                     "its function only touches zero, so when it happens has no "
                                     "derivative",
                                     error);
        if (events->crossed[i] && is_of_path(structure, i))
            return refuse_transition(trajectory, name, "a kink of a path is not differentiated", error);
        if (!transition->crossed[i]) continue;
        if (transition->who < 0) transition->who = i;
        if (i < structure->first_event) continue;
        by_user |= model->description->events[structure->switches[i].object].def.reset != NULL;
    }
    transition->resets = changed || by_user;
    if (!changed || transition->who >= 0 || any < 0) return CARDAN_OK;
    return refuse_transition(trajectory, crd_switch_name(model, any),
                             "its action changes the state in a way that has no derivative; give that as its `reset`",
                             error);
}

static CrdTransition *new_transition(CrdTrajectory *trajectory, const CrdEvents *events) {
    if (trajectory->transitions == trajectory->transition_room) {
        long room = trajectory->transition_room > 0 ? 2 * trajectory->transition_room : 16;
        CrdTransition *more = crd_new((size_t)room, sizeof *more);
        if (more == NULL) return NULL;
        if (trajectory->transitions > 0)
            memcpy(more, trajectory->transition, (size_t)trajectory->transitions * sizeof *more);
        crd_delete(trajectory->transition);
        trajectory->transition = more;
        trajectory->transition_room = room;
    }
    CrdTransition *transition = &trajectory->transition[trajectory->transitions];
    *transition = (CrdTransition){.state = trajectory->steps, .who = -1};
    transition->before = crd_new((size_t)trajectory->n, sizeof *transition->before);
    transition->crossed = crd_new((size_t)events->count, sizeof *transition->crossed);
    trajectory->transitions++; /* from here on closing frees it */
    if (transition->before == NULL || transition->crossed == NULL) return NULL;
    memcpy(transition->before, events->before, (size_t)trajectory->n * sizeof *transition->before);
    return transition;
}

/* Notes an event at the end of the step just made. */
static CardanStatus note(CrdTrajectory *trajectory, long happened, bool stops, CrdError *error) {
    const CrdEvents *events = crd_events_of(&trajectory->sim->integrator);
    if (events == NULL || events->happened == happened) return CARDAN_OK;
    CrdTransition *transition = new_transition(trajectory, events);
    if (transition == NULL) return crd_fail_memory(error);
    transition->stops = stops;
    CRD_TRY(look_at(trajectory, events, transition, error));
    const char *name = transition->who >= 0 ? crd_switch_name(trajectory->sim->model, transition->who) : "a law";
    if (events->happened > happened + 1 || events->happened_at != trajectory->sim->integrator.stepper.t)
        return refuse_transition(trajectory, name, "another one follows it at once", error);
    if (transition->resets && stops)
        return refuse_transition(trajectory, name, "it stops the run and changes the state", error);
    if (transition->who >= 0) return CARDAN_OK;
    CRD_DELETE_ALL(transition->before, transition->crossed);
    trajectory->transitions--;
    return CARDAN_OK;
}

/* ---- the run ---- */

/* Is the state with which the step began that with which the one before ended? */
static CardanStatus refuse_moved(const CrdTrajectory *trajectory, CrdError *error) {
    const CrdStepper *stepper = &trajectory->sim->integrator.stepper;
    const double *kept = trajectory->y + (size_t)(trajectory->steps - 1) * (size_t)trajectory->n;
    if (memcmp(stepper->y_old, kept, (size_t)trajectory->core * sizeof *kept) == 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_NUMERIC,
                    "at t = %.9g the state is moved between two steps, which is not differentiated",
                    trajectory->t[trajectory->steps - 1]);
}

static CardanStatus make_step(CrdTrajectory *trajectory, double end, bool *stopped, CrdError *error) {
    CardanSim *sim = trajectory->sim;
    long happened = crd_events_happened(&sim->integrator);
    int told = cardan_sim_events(sim, NULL, NULL), inputs = trajectory->structure->input_count;
    CardanStatus status = cardan_sim_step(sim, end);
    if (status < 0) return crd_fail(error, status, "%s", cardan_sim_message(sim));
    *stopped = status == CARDAN_STOPPED;
    CRD_TRY(refuse_told(sim, told, error));
    CRD_TRY(note(trajectory, happened, *stopped, error));
    CRD_TRY(refuse_moved(trajectory, error));
    if (inputs > 0 && memcmp(sim->inputs, trajectory->at->inputs, (size_t)inputs * sizeof *sim->inputs) != 0)
        return crd_fail(error, CARDAN_ERR_NUMERIC,
                        "at t = %.9g the action of an event sets an input, which is not differentiated; end before it",
                        sim->integrator.stepper.t);
    return keep(trajectory, error);
}

CardanStatus crd_trajectory_run(CrdTrajectory *trajectory, double end, CrdError *error) {
    bool stopped = false;
    CRD_TRY(keep(trajectory, error));
    while (!stopped && cardan_sim_time(trajectory->sim) < end) CRD_TRY(make_step(trajectory, end, &stopped, error));
    trajectory->steps--; /* from here on steps, not states */
    const CrdTransition *last = crd_trajectory_transition(trajectory, trajectory->steps);
    if (last == NULL || !last->resets) return CARDAN_OK;
    return refuse_transition(trajectory, crd_switch_name(trajectory->sim->model, last->who),
                             "it changes the state where the run ends", error);
}

/* ---- afterwards ---- */

const CrdTransition *crd_trajectory_transition(const CrdTrajectory *trajectory, long i) {
    long low = 0, high = trajectory->transitions; /* they rise */
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (trajectory->transition[middle].state < i)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < trajectory->transitions && trajectory->transition[low].state == i;
    return found ? &trajectory->transition[low] : NULL;
}

const double *crd_trajectory_reached(const CrdTrajectory *trajectory, long i) {
    const CrdTransition *transition = crd_trajectory_transition(trajectory, i);
    return transition != NULL ? transition->before : trajectory->y + (size_t)i * (size_t)trajectory->n;
}

void crd_trajectory_hold(CrdTrajectory *trajectory, long i) {
    assert(i >= 0 && i < trajectory->steps);
    size_t switches = (size_t)trajectory->structure->switch_count;
    if (switches == 0) return;
    const CrdSide *sides = trajectory->sides + (size_t)i * switches;
    trajectory->sim->integrator.dynamics.actions.sides = sides;
    trajectory->at->integrator.dynamics.actions.sides = sides;
}
