#include "step/event.h"

#include "core/numbers.h"
#include "step/run.h"

#include <math.h>
#include <string.h>

void crd_events_layout(CrdRun *run, CrdArena *arena) {
    CrdEvents *e = &run->events;
    const CrdShape *s = run->dynamics.model->shape;
    size_t count = (size_t)s->switch_count, n = count > 0 ? (size_t)run->n : 0;
    e->count = s->switch_count;
    e->watches = s->switch_count > s->timely_count;
    e->side = crd_take(arena, count, sizeof *e->side);
    e->side_last = crd_take(arena, count, sizeof *e->side_last);
    e->loose = crd_take(arena, count, sizeof *e->loose);
    e->flips = crd_take(arena, count, sizeof *e->flips);
    e->crossed = crd_take(arena, count, sizeof *e->crossed);
    e->touched = crd_take(arena, count, sizeof *e->touched);
    e->slack = crd_take(arena, count, sizeof *e->slack);
    e->start = crd_take(arena, count, sizeof *e->start);
    e->end = crd_take(arena, count, sizeof *e->end);
    e->sample = crd_take(arena, (CRD_EVENT_SAMPLES + 1) * count, sizeof *e->sample);
    e->y = crd_take(arena, n, sizeof *e->y);
    e->hermite = crd_take(arena, 4 * n, sizeof *e->hermite);
    e->jet = crd_take(arena, count, sizeof *e->jet);
    e->last = crd_take(arena, (size_t)(s->switch_count - s->first_event), sizeof *e->last);
    e->longest = crd_take(arena, (size_t)(s->switch_count - s->first_event), sizeof *e->longest);
    e->next = CRD_EVENT_NEVER;
    e->landing = e->quick_switch = -1;
    crd_events_hold(run, false);
}

void crd_events_hold(CrdRun *run, bool last) {
    CrdEvents *e = &run->events;
    run->dynamics.actions.sides = e->count == 0 ? NULL : last ? e->side_last : e->side;
}

double crd_events_nothing(const CrdRun *run) {
    return CRD_EVENT_NOTHING * CRD_STEP_MIN_ULP * CRD_EPS * fmax(fabs(run->t), CRD_STEP_TIME_SCALE);
}

CardanStatus crd_events_values(CrdRun *run, double t, const double *y, double *values) {
    CrdDynamics *d = &run->dynamics;
    const double *v = y + d->model->shape->nq;
    crd_run_look_at(run, y);
    d->actions.states = v + d->model->shape->nv;
    CRD_TRY(crd_kinematics(d->model, t, y, v, &d->system, run->error));
    return crd_switches(d->model, y, v, &d->actions, &d->system, values, run->error);
}

/* ---- sides ---- */

static int user_events(const CrdRun *run) {
    return run->events.count - run->dynamics.model->shape->first_event;
}

void crd_events_forget(CrdRun *run) {
    CrdEvents *e = &run->events;
    e->known = false;
    memset(e->side, 0, (size_t)e->count * sizeof *e->side);
    memset(e->loose, 0, (size_t)e->count * sizeof *e->loose);
    memset(e->slack, 0, (size_t)e->count * sizeof *e->slack);
    memset(e->last, 0, (size_t)user_events(run) * sizeof *e->last);
    memset(e->longest, 0, (size_t)user_events(run) * sizeof *e->longest);
    e->quick = 0;
    e->grid = run->t;
}

/* Sides by the present values: those that are zero, or as near as they were landed on, stay. Sides of outer laws decide
 * which inner ones are looked at, so it is repeated until nothing changes. */
static CardanStatus find_sides(CrdRun *run) {
    CrdEvents *e = &run->events;
    const CrdSwitch *switches = run->dynamics.model->shape->switches;
    bool changed = true;
    for (int pass = 0; changed && pass < CRD_EVENT_PASSES; pass++) {
        changed = false;
        CRD_TRY(crd_events_values(run, run->t, run->y, e->start));
        for (int i = 0; i < e->count; i++) {
            int side = (e->start[i] > 0.0) - (e->start[i] < 0.0);
            if (e->loose[i] || (fabs(e->start[i]) <= e->slack[i] && (side != 0 || e->side[i] != 0))) continue;
            if (side == 0 && switches[i].timely && e->side[i] == 0) side = crd_events_timely_side(run, i);
            if (side == 0 || side == e->side[i]) continue;
            e->side[i] = (CrdSide)side;
            changed = true;
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_events_know(CrdRun *run) {
    CrdEvents *e = &run->events;
    if (e->known) return CARDAN_OK;
    if (e->count > 0) CRD_TRY(find_sides(run));
    if (run->t_old == run->t) memcpy(e->side_last, e->side, (size_t)e->count * sizeof *e->side);
    e->next = CRD_EVENT_NEVER;
    e->searched = run->t;
    e->known = true;
    return CARDAN_OK;
}

/* ---- what happens at an event ---- */

static const char *switch_name(const CardanModel *model, int i) {
    const CrdDescription *d = model->description;
    int object = model->shape->switches[i].object;
    if (i >= model->shape->first_event) return d->events[object].name;
    return i >= model->shape->first_drive_switch ? d->joints[object].name : d->forces[object].name;
}

static void log_event(CrdRun *run, int i) {
    const CardanModel *model = run->dynamics.model;
    const CrdSwitch *s = &model->shape->switches[i];
    CardanEvent event = {.kind = s->kind, .t = run->t, .left_at = run->t};
    event.direction = run->events.touched[i] ? 0 : -run->events.side[i];
    event.name = switch_name(model, i);
    const CardanEvent *last = run->log.count > 0 ? &run->log.events[run->log.count - 1] : NULL;
    bool again = last != NULL && last->t == event.t && last->name == event.name && last->direction == event.direction;
    if (!again) crd_log_add(&run->log, &event, false); /* a law may have an argument more than once */
}

/* Puts y, which stands for the present state, on the constraints and in its place. What its energy changed by was done from
 * outside. */
static CardanStatus replace_state(CrdRun *run, double *y) {
    CrdDynamics *d = &run->dynamics;
    CRD_TRY(crd_run_evaluate(run));
    double before = crd_run_energy(run, run->y);
    crd_normalise(d->model->shape, y);
    crd_run_look_at(run, y);
    if (d->model->shape->rows > 0)
        CRD_TRY(crd_project(&run->stabiliser, d, run->t, y, crd_run_v(run, y)));
    else
        CRD_TRY(crd_run_measure(run, run->t, y));
    crd_run_follow(run, y);
    CRD_TRY(crd_run_slope(run, y, run->f_new, false));
    *crd_run_work(run, y) += crd_run_energy(run, y) - before;
    memcpy(run->y, y, (size_t)run->n * sizeof *y);
    run->slope_known = run->solved = run->events.known = false;
    return CARDAN_OK;
}

/* The rows of a drive go on with another speed, and so does what it drives, at once: with the least change of the kinetic
 * energy's metric, as an impulse of the rows alone leaves it. A drive cannot jump in position. */
static CardanStatus follow_drives(CrdRun *run, int drive) {
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    CRD_TRY(crd_run_measure(run, run->t, run->y));
    double jump = crd_worst(d->system.g, s->rows), allowed = CRD_START_RESIDUAL * d->model->numbers.size;
    const char *name = d->model->description->joints[s->switches[drive].object].name;
    if (jump > fmax(allowed, run->options.atol + run->options.rtol * d->model->numbers.size))
        return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                        "the drive of joint '%s' jumps by %.3g at t = %.9g: positions cannot; let it move there within "
                        "a time", name, jump, run->t);
    run->slope_known = run->solved = false;
    CrdEvents *e = &run->events;
    memcpy(e->y, run->y, (size_t)run->n * sizeof *e->y);
    return replace_state(run, e->y);
}

static bool is_changed(const CrdRun *run, const double *y) {
    const CrdShape *s = run->dynamics.model->shape;
    return memcmp(run->y, y, (size_t)(s->nq + s->nv + s->first_order) * sizeof *y) != 0;
}

static const CrdEventDesc *event_of(const CrdRun *run, int i) {
    const CardanModel *model = run->dynamics.model;
    return &model->description->events[model->shape->switches[i].object];
}

static CardanStatus fail_crowded(CrdRun *run, int i) {
    return crd_fail(run->error, CARDAN_ERR_LIMIT,
                    "event '%s' follows itself ever faster at t = %.9g; its action must end that, or stop the run",
                    event_of(run, i)->name, run->t);
}

/* Do the events of a user come ever faster, without end? */
static bool is_crowded(CrdRun *run, int i) {
    CrdEvents *e = &run->events;
    int k = i - run->dynamics.model->shape->first_event;
    double since = run->t - e->last[k];
    bool first = e->longest[k] == 0.0 && e->last[k] == 0.0;
    e->last[k] = run->t;
    if (!first) e->longest[k] = fmax(e->longest[k], since);
    return since < CRD_EVENT_CROWDED * e->longest[k];
}

/* Calls the action of a user's event. Where a changed state goes from the zero is not known. */
static CardanStatus act(CrdRun *run, int i) {
    CrdEvents *e = &run->events;
    const CrdEventDesc *event = event_of(run, i);
    if (event->def.action == NULL) return event->def.stop ? CARDAN_STOPPED : CARDAN_OK;
    if (is_crowded(run, i)) return fail_crowded(run, i);
    memcpy(e->y, run->y, (size_t)run->n * sizeof *e->y);
    e->acting = true;
    CardanStatus status =
        event->def.action(event->def.user, run->owner, e->y, crd_run_v(run, e->y), crd_run_z(run, e->y));
    e->acting = false;
    if (status < 0) return crd_fail(run->error, status, "event '%s': its action failed at t = %.9g", event->name, run->t);
    for (int k = 0; k < run->n; k++)
        if (!isfinite(e->y[k]))
            return crd_fail(run->error, CARDAN_ERR_NUMERIC, "event '%s': its action left a state that is not finite",
                            event->name);
    if (is_changed(run, e->y)) {
        CRD_TRY(replace_state(run, e->y));
        e->side[i] = 0;
    }
    return event->def.stop ? CARDAN_STOPPED : status;
}

/* After sides changed: the motion is not smooth here. */
static void begin_anew(CrdRun *run) {
    CrdEvents *e = &run->events;
    run->slope_known = run->solved = e->known = false;
    run->controller = (CrdController){0};
    run->h_next = 0.0;
    crd_run_restart(run);
}

/* Sides, log, drives, users, in this order, for all that was crossed at the present state. */
static CardanStatus happen(CrdRun *run) {
    const CrdShape *s = run->dynamics.model->shape;
    CrdEvents *e = &run->events;
    int drive = -1;
    CRD_TRY(crd_events_values(run, run->t, run->y, e->start));
    for (int i = 0; i < e->count; i++) {
        if (!e->crossed[i]) continue;
        log_event(run, i);
        e->slack[i] = fabs(e->start[i]);
        if (!e->touched[i]) e->side[i] = (CrdSide)-e->side[i];
        if (i >= s->first_drive_switch && i < s->first_event) drive = i;
    }
    begin_anew(run);
    CRD_TRY(crd_events_know(run));
    if (drive >= 0) CRD_TRY(follow_drives(run, drive));
    CardanStatus status = CARDAN_OK;
    for (int i = s->first_event; i < e->count; i++) {
        CardanStatus acted = e->crossed[i] ? act(run, i) : CARDAN_OK;
        if (acted < 0) return acted;
        if (acted != CARDAN_STOPPED || status != CARDAN_OK) continue;
        crd_error_clear(run->error);
        status = crd_fail(run->error, CARDAN_STOPPED, "event '%s' stopped the run at t = %.9g", event_of(run, i)->name,
                          run->t);
    }
    return status;
}

/* Another place of a law with the same argument: they cross together. */
static bool is_copy(const CrdRun *run, int i, int k) {
    const CrdSwitch *s = run->dynamics.model->shape->switches;
    const CrdEvents *e = &run->events;
    return s[i].kind == s[k].kind && s[i].object == s[k].object && k < run->dynamics.model->shape->first_event &&
           e->side[i] == e->side[k] && e->start[i] == e->start[k];
}

CardanStatus crd_events_flip(CrdRun *run, int i) {
    CrdEvents *e = &run->events;
    memset(e->crossed, 0, (size_t)e->count * sizeof *e->crossed);
    memset(e->touched, 0, (size_t)e->count * sizeof *e->touched);
    run->slope_known = run->solved = false;
    if (e->flips[i]++ < CRD_EVENT_FLIPS) {
        for (int k = 0; k < e->count; k++) e->crossed[k] = k == i || is_copy(run, i, k);
        return happen(run);
    }
    if (i >= run->dynamics.model->shape->first_event) return fail_crowded(run, i);
    e->loose[i] = true;
    e->side[i] = 0;
    begin_anew(run);
    return CARDAN_OK;
}

/* What the step that was just accepted leaves behind: values, the sides of what users watch, switches that left zero. */
static void move_on(CrdRun *run) {
    CrdEvents *e = &run->events;
    const CrdShape *s = run->dynamics.model->shape;
    for (int i = 0; i < e->count && e->watches; i++) {
        int before = (e->start[i] > 0.0) - (e->start[i] < 0.0), after = (e->end[i] > 0.0) - (e->end[i] < 0.0);
        if (e->crossed[i]) continue;
        if (e->loose[i] && before == after && after != 0) {
            e->loose[i] = false;
            e->side[i] = (CrdSide)after;
        }
        if (i >= s->first_event && after != 0) e->side[i] = (CrdSide)after;
    }
    if (e->watches) memcpy(e->start, e->end, (size_t)e->count * sizeof *e->start);
    memset(e->flips, 0, (size_t)e->count * sizeof *e->flips);
}

/* Has the error control been crawling at a law that sticks? */
static CardanStatus refuse_crawling(CrdRun *run) {
    CrdEvents *e = &run->events;
    const CardanModel *model = run->dynamics.model;
    int who = -1;
    for (int i = 0; i < e->count && run->options.step <= 0.0; i++)
        if (e->loose[i]) who = i;
    e->stuck = who >= 0 ? e->stuck + 4 : e->stuck > 0 ? e->stuck - 1 : 0;
    if (who < 0 || e->stuck < 4 * CRD_EVENT_STUCK) return CARDAN_OK;
    e->stuck = 0;
    return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                    "'%s' sticks at t = %.9g: both sides of a kink of its law lead back to it; use a friction force, "
                    "tanh(v/speed), or fixed steps",
                    switch_name(model, who), run->t);
}

CardanStatus crd_events_pass(CrdRun *run) {
    CrdEvents *e = &run->events;
    if (e->count == 0) return CARDAN_OK;
    CRD_TRY(refuse_crawling(run));
    bool timely = run->t == e->next, any = false;
    memcpy(e->side_last, e->side, (size_t)e->count * sizeof *e->side);
    if (timely) crd_events_mark_timely(run);
    move_on(run);
    for (int i = 0; i < e->count; i++) any = any || e->crossed[i];
    if (!any && !timely) return CARDAN_OK;
    double planned = e->grid > run->t_old ? e->grid : run->t_old + run->options.step;
    if (run->options.step > 0.0) e->grid = planned;
    if (crd_run_prepare_dense(run) < 0) { /* now, while the slope at its end is that of the side it was made on */
        crd_error_clear(run->error);
        run->dense_lost = true;
    }
    return happen(run);
}

/* ---- as numbers ---- */

enum { MEMORY = 5 };

int crd_events_size(const CrdShape *s) {
    return s->switch_count > 0 ? MEMORY + 2 * s->switch_count + 2 * (s->switch_count - s->first_event) : 0;
}

void crd_events_get(const CrdRun *run, double *numbers) {
    const CrdEvents *e = &run->events;
    if (e->count == 0) return;
    const double memory[MEMORY] = {e->known ? e->next : CRD_EVENT_NEVER, e->known ? e->searched : run->t, e->grid,
                                   e->quick_switch, e->quick};
    memcpy(numbers, memory, sizeof memory);
    for (int i = 0; i < e->count; i++) {
        numbers[MEMORY + 2 * i] = e->loose[i] ? 2.0 : e->side[i];
        numbers[MEMORY + 2 * i + 1] = e->slack[i];
    }
    numbers += MEMORY + 2 * e->count;
    for (int k = 0; k < user_events(run); k++) {
        numbers[2 * k] = e->last[k];
        numbers[2 * k + 1] = e->longest[k];
    }
}

void crd_events_set(CrdRun *run, const double *numbers) {
    CrdEvents *e = &run->events;
    if (e->count == 0) return;
    for (int i = 0; i < e->count; i++) {
        double side = numbers[MEMORY + 2 * i];
        e->loose[i] = side == 2.0;
        e->side[i] = (CrdSide)(e->loose[i] ? 0 : (side > 0.0) - (side < 0.0));
        e->slack[i] = numbers[MEMORY + 2 * i + 1];
    }
    for (int k = 0; k < user_events(run); k++) {
        e->last[k] = numbers[MEMORY + 2 * (e->count + k)];
        e->longest[k] = numbers[MEMORY + 2 * (e->count + k) + 1];
    }
    e->known = false;
    if (crd_events_know(run) < 0) crd_error_clear(run->error); /* the next step will say it again */
    e->next = numbers[0];
    e->searched = numbers[1];
    e->grid = numbers[2];
    e->quick_switch = numbers[3] >= 0.0 && numbers[3] < e->count ? (int)numbers[3] : -1;
    e->quick = numbers[4] >= 0.0 && numbers[4] <= CRD_EVENT_QUICK ? (int)numbers[4] : 0;
}

void crd_events_copy(CrdRun *to, const CrdRun *from) {
    CrdEvents *e = &to->events;
    const CrdEvents *f = &from->events;
    size_t count = (size_t)e->count;
    memcpy(e->side, f->side, count * sizeof *e->side);
    memcpy(e->side_last, f->side, count * sizeof *e->side);
    memcpy(e->loose, f->loose, count * sizeof *e->loose);
    memcpy(e->slack, f->slack, count * sizeof *e->slack);
    memcpy(e->start, f->start, count * sizeof *e->start);
    memcpy(e->last, f->last, (size_t)user_events(to) * sizeof *e->last);
    memcpy(e->longest, f->longest, (size_t)user_events(to) * sizeof *e->longest);
    e->known = f->known;
    e->next = f->next;
    e->searched = f->searched;
    e->grid = f->grid;
    e->quick_switch = f->quick_switch;
    e->quick = f->quick;
}
