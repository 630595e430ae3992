#include "guard/events/event.h"

#include "core/numbers.h"
#include "integrate/hermite.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Smallest steps that cannot be told from none. */
#define CRD_EVENT_NOTHING 4.0

/* Passes over laws inside laws until all sides are known: deeper nests of `if` do not occur. */
#define CRD_EVENT_PASSES 20

/* One array of every kind for all switches, and a state to look at. */
static void take_arrays(CrdEvents *events, const CrdStructure *structure, size_t n, CrdArena *arena) {
    size_t count = (size_t)structure->switch_count, users = (size_t)(structure->switch_count - structure->first_event);
    events->side = crd_take(arena, count, sizeof *events->side);
    events->side_last = crd_take(arena, count, sizeof *events->side_last);
    events->loose = crd_take(arena, count, sizeof *events->loose);
    events->flips = crd_take(arena, count, sizeof *events->flips);
    events->crossed = crd_take(arena, count, sizeof *events->crossed);
    events->touched = crd_take(arena, count, sizeof *events->touched);
    CRD_TAKE_VECTORS(arena, count, &events->slack, &events->start, &events->end);
    events->sample = crd_take(arena, (CRD_EVENT_SAMPLES + 1) * count, sizeof *events->sample);
    events->jet = crd_take(arena, count, sizeof *events->jet);
    CRD_TAKE_VECTORS(arena, n, &events->y, &events->before);
    events->hermite = crd_take(arena, CRD_HERMITE_ROWS * n, sizeof *events->hermite);
    CRD_TAKE_VECTORS(arena, users, &events->last, &events->longest);
}

void *crd_events_layout(CrdIntegrator *integrator, CrdArena *arena) {
    CrdEvents measuring = {0}, *real = crd_take(arena, 1, sizeof *real), *events = real != NULL ? real : &measuring;
    const CrdStructure *structure = integrator->dynamics.model->structure;
    assert(structure->switch_count > 0);
    events->integrator = integrator;
    events->count = structure->switch_count;
    events->monitors = structure->switch_count > structure->time_event_count;
    take_arrays(events, structure, (size_t)integrator->stepper.n, arena);
    events->next = CRD_EVENT_NEVER;
    events->landing = events->quick_switch = -1;
    return real;
}

CrdEvents *crd_events_of(const CrdIntegrator *integrator) {
    const CrdGuards *guards = &integrator->guards;
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i] == &crd_events_guard) return guards->self[i];
    return NULL;
}

long crd_events_happened(const CrdIntegrator *integrator) {
    const CrdEvents *events = crd_events_of(integrator);
    return events != NULL ? events->happened : 0;
}

static void hold(void *self, bool last) {
    CrdEvents *events = self;
    events->integrator->dynamics.actions.sides = last ? events->side_last : events->side;
}

double crd_events_nothing(const CrdEvents *events) {
    return CRD_EVENT_NOTHING * crd_smallest_step(events->integrator->stepper.t);
}

CardanStatus crd_events_values(CrdEvents *events, double t, const double *y, double *values) {
    CrdIntegrator *integrator = events->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    CrdError *error = integrator->stepper.error;
    const double *v = y + dynamics->model->structure->nq;
    crd_integrator_use_tracked(integrator, y);
    dynamics->actions.states = v + dynamics->model->structure->nv;
    CRD_TRY(crd_kinematics(dynamics->model, t, y, v, &dynamics->system, error));
    return crd_switches(dynamics->model, y, v, &dynamics->actions, &dynamics->system, values, error);
}

/* ---- sides ---- */

static int user_events(const CrdEvents *events) {
    return events->count - crd_events_structure(events)->first_event;
}

static void reset(void *self) {
    CrdEvents *events = self;
    events->known = false;
    memset(events->side, 0, (size_t)events->count * sizeof *events->side);
    memset(events->loose, 0, (size_t)events->count * sizeof *events->loose);
    memset(events->slack, 0, (size_t)events->count * sizeof *events->slack);
    memset(events->last, 0, (size_t)user_events(events) * sizeof *events->last);
    memset(events->longest, 0, (size_t)user_events(events) * sizeof *events->longest);
    events->quick = 0;
}

/* Sides by the present values: those that are zero, or as near as they were landed on, stay. Sides of outer laws decide
 * which inner ones are looked at, so it is repeated until nothing changes. */
static CardanStatus find_sides(CrdEvents *events) {
    const CrdStepper *stepper = &events->integrator->stepper;
    const CrdSwitch *switches = crd_events_structure(events)->switches;
    bool changed = true;
    for (int pass = 0; changed && pass < CRD_EVENT_PASSES; pass++) {
        changed = false;
        CRD_TRY(crd_events_values(events, stepper->t, stepper->y, events->start));
        for (int i = 0; i < events->count; i++) {
            int side = (events->start[i] > 0.0) - (events->start[i] < 0.0);
            if (events->loose[i] || (fabs(events->start[i]) <= events->slack[i] && (side != 0 || events->side[i] != 0)))
                continue;
            if (side == 0 && switches[i].time_event && events->side[i] == 0) side = crd_events_side_in_time(events, i);
            if (side == 0 || side == events->side[i]) continue;
            events->side[i] = (CrdSide)side;
            changed = true;
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_events_initialise(void *self) {
    CrdEvents *events = self;
    CrdIntegrator *integrator = events->integrator;
    if (events->known) return CARDAN_OK;
    crd_integrator_touch(integrator);
    CRD_TRY(find_sides(events));
    if (integrator->stepper.t_old == integrator->stepper.t)
        memcpy(events->side_last, events->side, (size_t)events->count * sizeof *events->side);
    events->next = CRD_EVENT_NEVER;
    events->searched = integrator->stepper.t;
    events->known = true;
    return CARDAN_OK;
}

/* ---- as numbers ---- */

enum { MEMORY = 6, OF_SWITCH = 3 };

static int memory_size(const CrdStructure *structure) {
    int count = structure->switch_count, users = count - structure->first_event;
    return count > 0 ? MEMORY + OF_SWITCH * count + 2 * users : 0;
}

static void get(const void *self, double *numbers) {
    const CrdEvents *events = self;
    const CrdIntegrator *integrator = events->integrator;
    const double memory[MEMORY] = {events->known ? events->next : CRD_EVENT_NEVER,
                                   events->known ? events->searched : integrator->stepper.t,
                                   integrator->grid,
                                   events->quick_switch,
                                   events->quick,
                                   events->stuck};
    memcpy(numbers, memory, sizeof memory);
    for (int i = 0; i < events->count; i++) {
        double *of_switch = numbers + MEMORY + OF_SWITCH * i;
        of_switch[0] = events->loose[i] ? 2.0 : events->side[i];
        of_switch[1] = events->slack[i];
        of_switch[2] = events->monitors && isfinite(events->start[i]) ? events->start[i] : 0.0;
    }
    numbers += MEMORY + OF_SWITCH * events->count;
    for (int k = 0; k < user_events(events); k++) {
        numbers[2 * k] = events->last[k];
        numbers[2 * k + 1] = events->longest[k];
    }
}

static void set(void *self, const double *numbers) {
    CrdEvents *events = self;
    CrdIntegrator *integrator = events->integrator;
    for (int i = 0; i < events->count; i++) {
        double side = numbers[MEMORY + OF_SWITCH * i];
        events->loose[i] = side == 2.0;
        events->side[i] = (CrdSide)(events->loose[i] ? 0 : (side > 0.0) - (side < 0.0));
        events->slack[i] = numbers[MEMORY + OF_SWITCH * i + 1];
        events->start[i] = numbers[MEMORY + OF_SWITCH * i + 2];
    }
    for (int k = 0; k < user_events(events); k++) {
        events->last[k] = numbers[MEMORY + OF_SWITCH * events->count + 2 * k];
        events->longest[k] = numbers[MEMORY + OF_SWITCH * events->count + 2 * k + 1];
    }
    events->known = integrator->conduct.as_reached;
    memcpy(events->side_last, events->side, (size_t)events->count * sizeof *events->side);
    if (crd_events_initialise(events) < 0)
        crd_error_clear(integrator->stepper.error); /* the next step will say it again */
    events->next = numbers[0];
    events->searched = numbers[1];
    integrator->grid = numbers[2];
    events->quick_switch = numbers[3] >= 0.0 && numbers[3] < events->count ? (int)numbers[3] : -1;
    events->quick = numbers[4] >= 0.0 && numbers[4] <= CRD_EVENT_QUICK ? (int)numbers[4] : 0;
    events->stuck = fabs(numbers[5]) < 1e6 ? (int)numbers[5] : 0;
}

static void copy(void *self, const void *other) {
    CrdEvents *events = self;
    const CrdEvents *from = other;
    size_t count = (size_t)events->count;
    memcpy(events->side, from->side, count * sizeof *events->side);
    memcpy(events->side_last, from->side_last, count * sizeof *events->side);
    memcpy(events->loose, from->loose, count * sizeof *events->loose);
    memcpy(events->slack, from->slack, count * sizeof *events->slack);
    memcpy(events->start, from->start, count * sizeof *events->start);
    memcpy(events->last, from->last, (size_t)user_events(events) * sizeof *events->last);
    memcpy(events->longest, from->longest, (size_t)user_events(events) * sizeof *events->longest);
    events->known = from->known;
    events->next = from->next;
    events->searched = from->searched;
    events->integrator->grid = from->integrator->grid;
    events->quick_switch = from->quick_switch;
    events->quick = from->quick;
    events->stuck = from->stuck;
}

/* ---- the guard ---- */

static void touch(void *self) {
    CrdEvents *events = self;
    events->known = false;
}

const CrdGuard crd_events_guard = {.initialise = crd_events_initialise,
                                   .limit = crd_events_limit,
                                   .after_attempt = crd_events_detect,
                                   .after_acceptance = crd_events_apply,
                                   .touch = touch,
                                   .reset = reset,
                                   .hold = hold,
                                   .memory_size = memory_size,
                                   .get = get,
                                   .set = set,
                                   .copy = copy};
