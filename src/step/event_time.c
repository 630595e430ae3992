/* Zeros that the time alone decides: step(t - 1), table(t, ...), if(t < 2, ...), breakpoints of drives.
 *
 * Held sides make each argument a smooth function of the time, known with two derivatives. The search marches ahead from
 * the present time: a stretch of length d is believed when the second-order expansion at its beginning foretells value and
 * slope at its end,
 *     |phi(t+d) - (phi + phi' d + phi'' d^2/2)| and |phi'(t+d) - (phi' + phi'' d)| d  <=  CRD_TIMELY_MATCH of their size,
 * else d is halved. So it is long for straight arguments, whose zeros are found however far ahead, and short for those
 * that swing. In a believed stretch a zero is found by its sign, and a pair of zeros where the slope turns inside. */
#include "step/event.h"

#include "core/numbers.h"
#include "step/run.h"

#include <math.h>
#include <string.h>

static const CrdJet *jets_at(CrdRun *run, double t) {
    CrdDynamics *d = &run->dynamics;
    crd_timely_switches(d->model, &d->actions, &d->system, t);
    return d->system.switch_jets;
}

/* A jet as its side sees it: positive on it. */
static CrdJet seen(const CrdRun *run, int i, const CrdJet *jets) {
    double side = run->events.side[i];
    return (CrdJet){side * jets[i].x, side * jets[i].d1, side * jets[i].d2};
}

static bool is_watched(const CrdRun *run, int i) {
    return run->dynamics.model->shape->switches[i].timely && run->events.side[i] != 0;
}

int crd_events_timely_side(CrdRun *run, int i) {
    CrdJet jet = jets_at(run, run->t)[i];
    double first = jet.x != 0.0 ? jet.x : jet.d1 != 0.0 ? jet.d1 : jet.d2;
    return (first > 0.0) - (first < 0.0);
}

/* Does the expansion of a foretell b, d later? */
static bool foretells(CrdJet a, CrdJet b, double d) {
    double value = a.x + d * (a.d1 + 0.5 * d * a.d2), slope = a.d1 + d * a.d2;
    double size = fabs(a.x) + fabs(b.x) + fabs(a.d1 * d), turn = fabs(a.d1) + fabs(b.d1);
    return fabs(b.x - value) <= CRD_TIMELY_MATCH * size && fabs(b.d1 - slope) <= CRD_TIMELY_MATCH * turn;
}

/* The first time in (a, b] at which function i is no longer on its side; it is not at b. */
static double first_off(CrdRun *run, int i, double a, double b) {
    for (int k = 0; k < CRD_TIMELY_SECTIONS; k++) {
        CrdJet jet = seen(run, i, jets_at(run, b));
        if (jet.x == 0.0) return b;
        double t = jet.d1 < 0.0 && k % 3 < 2 ? b - jet.x / jet.d1 : 0.5 * (a + b); /* Newton from the far end */
        if (t >= b) t = b - CRD_TIMELY_ULPS * CRD_EPS * fabs(b); /* it has arrived: the near end follows */
        if (!(t > a && t < b)) t = 0.5 * (a + b);
        if (!(t > a && t < b)) return b;
        if (seen(run, i, jets_at(run, t)).x > 0.0)
            a = t;
        else
            b = t;
    }
    return b;
}

/* Where the slope of function i, which falls at a and rises at b, turns. */
static double turn_of(CrdRun *run, int i, double a, double b) {
    for (int k = 0; k < CRD_TIMELY_SECTIONS && b - a > CRD_EPS * fabs(b); k++) {
        double t = 0.5 * (a + b);
        CrdJet jet = seen(run, i, jets_at(run, t));
        if (jet.x <= 0.0) return t;
        if (jet.d1 < 0.0)
            a = t;
        else
            b = t;
    }
    return b;
}

/* The first zero of any function in a believed stretch from t, where run->events.jet was taken, to `to`. */
static double first_in(CrdRun *run, double t, double to, const CrdJet *at_end) {
    CrdEvents *e = &run->events;
    double first = CRD_EVENT_NEVER;
    for (int i = 0; i < e->count; i++) {
        if (!is_watched(run, i)) continue;
        CrdJet a = seen(run, i, e->jet), b = seen(run, i, at_end);
        bool off = b.x < 0.0 || (b.x == 0.0 && a.x > 0.0);
        double end = to;
        if (!off && a.x > 0.0 && a.d1 < 0.0 && b.d1 > 0.0) {
            end = turn_of(run, i, t, to);
            off = seen(run, i, jets_at(run, end)).x < 0.0;
        }
        if (off) first = fmin(first, first_off(run, i, t, end));
        if (off || end != to) at_end = jets_at(run, to); /* was overwritten */
    }
    return first;
}

static bool all_foretold(const CrdRun *run, const CrdJet *at_end, double d) {
    for (int i = 0; i < run->events.count; i++)
        if (is_watched(run, i) && !foretells(seen(run, i, run->events.jet), seen(run, i, at_end), d)) return false;
    return true;
}

/* Marches from where the search has come to, at most to `to`. */
static void search(CrdRun *run, double to) {
    CrdEvents *e = &run->events;
    size_t bytes = (size_t)e->count * sizeof *e->jet;
    double t = fmax(e->searched, run->t), d = to - t, least = CRD_TIMELY_LEAST * (to - t);
    memcpy(e->jet, jets_at(run, t), bytes);
    for (int i = 0; i < e->count; i++) /* a zero that said nothing was left meanwhile */
        if (run->dynamics.model->shape->switches[i].timely && e->side[i] == 0)
            e->side[i] = (CrdSide)((e->jet[i].x > 0.0) - (e->jet[i].x < 0.0));
    for (int k = 0; k < CRD_TIMELY_LOOKS && t < to; k++) {
        double end = d < to - t ? t + d : to;
        const CrdJet *at_end = jets_at(run, end);
        if (end - t > least && !all_foretold(run, at_end, end - t)) {
            d = 0.5 * (end - t);
            continue;
        }
        e->next = first_in(run, t, end, at_end);
        if (e->next < CRD_EVENT_NEVER) return;
        memcpy(e->jet, jets_at(run, end), bytes);
        t = e->searched = end;
        d *= 2.0;
    }
}

double crd_events_limit(CrdRun *run, double t_limit, double h) {
    CrdEvents *e = &run->events;
    e->landing = -1;
    if (run->dynamics.model->shape->timely_count == 0) return t_limit;
    double to = fmin(t_limit, run->t + h * (1.0 + 2.0 * CRD_STEP_STRETCH));
    if (e->next == CRD_EVENT_NEVER && e->searched < to) search(run, to);
    double limit = e->next < CRD_EVENT_NEVER ? e->next : e->searched < to ? e->searched : t_limit;
    return fmin(t_limit, limit);
}

void crd_events_mark_timely(CrdRun *run) {
    CrdEvents *e = &run->events;
    double near = CRD_TIMELY_ULPS * CRD_EPS * fabs(run->t);
    const CrdJet *jets = jets_at(run, run->t);
    for (int i = 0; i < e->count; i++) {
        if (!is_watched(run, i)) continue;
        CrdJet jet = seen(run, i, jets);
        bool active = jets[i].x != 0.0 || jets[i].d1 != 0.0 || jets[i].d2 != 0.0;
        e->crossed[i] = active && (jet.x <= 0.0 || (jet.d1 < 0.0 && jet.x <= -jet.d1 * near));
        if (jet.x <= 0.0 && jet.d1 > 0.0) e->crossed[i] = false; /* left behind by rounding */
    }
}
