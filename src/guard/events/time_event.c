/* Zeros that the time alone decides: step(t - 1), table(t, ...), if(t < 2, ...), breakpoints of drives.
 *
 * Held sides make each argument a smooth function of the time, known with two derivatives. The search marches ahead
 * from the present time: a stretch of length d is believed when the second-order expansion at its beginning foretells
 * value and slope at its end, |phi(t+d) - (phi + phi' d + phi'' d^2/2)| and |phi'(t+d) - (phi' + phi'' d)| d  <=
 * CRD_TIME_EVENT_MATCH of their size, else d is halved. So it is long for straight arguments, whose zeros are found
 * however far ahead, and short for those that swing. In a believed stretch a zero is found by its sign, and a pair of
 * zeros where the slope turns inside. */
#include "guard/events/event.h"

#include "core/numbers.h"

#include <math.h>
#include <string.h>

/* Part of their size by which value and slope
 * may differ from what the expansion foretold; shortest stretch, as part of the whole, that is still halved; stretches
 * looked at in one go (then the step ends where the search has come to); sections of one zero, enough to halve 1 to an
 * ulp; ulps of the time within which zeros are one event. */
#define CRD_TIME_EVENT_MATCH 0.25
#define CRD_TIME_EVENT_MIN 1e-9
#define CRD_TIME_EVENT_LOOKS 4000
#define CRD_TIME_EVENT_SECTIONS 200
#define CRD_TIME_EVENT_ULPS 4.0

static const CrdJet *jets_at(CrdEvents *events, double t) {
    CrdDynamics *dynamics = &events->integrator->dynamics;
    crd_time_switches(dynamics->model, &dynamics->actions, &dynamics->system, t);
    return dynamics->system.switch_jets;
}

/* A jet as its side sees it: positive on it. */
static CrdJet seen(const CrdEvents *events, int i, const CrdJet *jets) {
    double side = events->side[i];
    return (CrdJet){side * jets[i].x, side * jets[i].d1, side * jets[i].d2};
}

static bool is_watched(const CrdEvents *events, int i) {
    return crd_events_structure(events)->switches[i].time_event && events->side[i] != 0;
}

int crd_events_side_in_time(CrdEvents *events, int i) {
    CrdJet jet = jets_at(events, events->integrator->stepper.t)[i];
    double first = jet.x != 0.0 ? jet.x : jet.d1 != 0.0 ? jet.d1 : jet.d2;
    return (first > 0.0) - (first < 0.0);
}

/* Does the expansion of a foretell b, d later? */
static bool foretells(CrdJet a, CrdJet b, double d) {
    double value = a.x + d * (a.d1 + 0.5 * d * a.d2), slope = a.d1 + d * a.d2;
    double size = fabs(a.x) + fabs(b.x) + fabs(a.d1 * d), turn = fabs(a.d1) + fabs(b.d1);
    return fabs(b.x - value) <= CRD_TIME_EVENT_MATCH * size && fabs(b.d1 - slope) <= CRD_TIME_EVENT_MATCH * turn;
}

/* The first time in (a, b] at which function i is no longer on its side; it is not at b. */
static double first_off(CrdEvents *events, int i, double a, double b) {
    for (int k = 0; k < CRD_TIME_EVENT_SECTIONS; k++) {
        CrdJet jet = seen(events, i, jets_at(events, b));
        if (jet.x == 0.0) return b;
        double t = jet.d1 < 0.0 && k % 3 < 2 ? b - jet.x / jet.d1 : 0.5 * (a + b); /* Newton from the far end */
        if (t >= b) t = b - CRD_TIME_EVENT_ULPS * CRD_EPS * fabs(b); /* it has arrived: the near end follows */
        if (!(t > a && t < b)) t = 0.5 * (a + b);
        if (!(t > a && t < b)) return b;
        if (seen(events, i, jets_at(events, t)).x > 0.0)
            a = t;
        else
            b = t;
    }
    return b;
}

/* Where the slope of function i, which falls at a and rises at b, turns. */
static double turn_of(CrdEvents *events, int i, double a, double b) {
    for (int k = 0; k < CRD_TIME_EVENT_SECTIONS && b - a > CRD_EPS * fabs(b); k++) {
        double t = 0.5 * (a + b);
        CrdJet jet = seen(events, i, jets_at(events, t));
        if (jet.x <= 0.0) return t;
        if (jet.d1 < 0.0)
            a = t;
        else
            b = t;
    }
    return b;
}

/* The first zero of any function in a believed stretch from t, where events->jet was taken, to `to`. */
static double first_in(CrdEvents *events, double t, double to, const CrdJet *at_end) {
    double first = CRD_EVENT_NEVER;
    for (int i = 0; i < events->count; i++) {
        if (!is_watched(events, i)) continue;
        CrdJet a = seen(events, i, events->jet), b = seen(events, i, at_end);
        bool off = b.x < 0.0 || (b.x == 0.0 && a.x > 0.0);
        double end = to;
        if (!off && a.x > 0.0 && a.d1 < 0.0 && b.d1 > 0.0) {
            end = turn_of(events, i, t, to);
            off = seen(events, i, jets_at(events, end)).x < 0.0;
        }
        if (off) first = fmin(first, first_off(events, i, t, end));
        if (off || end != to) at_end = jets_at(events, to); /* was overwritten */
    }
    return first;
}

static bool all_foretold(const CrdEvents *events, const CrdJet *at_end, double d) {
    for (int i = 0; i < events->count; i++)
        if (is_watched(events, i) && !foretells(seen(events, i, events->jet), seen(events, i, at_end), d)) return false;
    return true;
}

/* Marches from where the search has come to, at most to `to`. */
static void search(CrdEvents *events, double to) {
    size_t bytes = (size_t)events->count * sizeof *events->jet;
    double t = fmax(events->searched, events->integrator->stepper.t), d = to - t, min = CRD_TIME_EVENT_MIN * (to - t);
    memcpy(events->jet, jets_at(events, t), bytes);
    for (int i = 0; i < events->count; i++) /* a zero that said nothing was left meanwhile */
        if (crd_events_structure(events)->switches[i].time_event && events->side[i] == 0)
            events->side[i] = (CrdSide)((events->jet[i].x > 0.0) - (events->jet[i].x < 0.0));
    for (int k = 0; k < CRD_TIME_EVENT_LOOKS && t < to; k++) {
        double end = d < to - t ? t + d : to;
        const CrdJet *at_end = jets_at(events, end);
        if (end - t > min && !all_foretold(events, at_end, end - t)) {
            d = 0.5 * (end - t);
            continue;
        }
        events->next = first_in(events, t, end, at_end);
        if (events->next < CRD_EVENT_NEVER) return;
        memcpy(events->jet, jets_at(events, end), bytes);
        t = events->searched = end;
        d *= 2.0;
    }
}

double crd_events_limit(void *self, double t_limit, double h) {
    CrdEvents *events = self;
    events->landing = -1;
    if (crd_events_structure(events)->time_event_count == 0) return t_limit;
    double to = fmin(t_limit, events->integrator->stepper.t + h * (1.0 + 2.0 * CRD_STEP_STRETCH));
    if (events->next == CRD_EVENT_NEVER && events->searched < to) search(events, to);
    double limit = events->next < CRD_EVENT_NEVER ? events->next : events->searched < to ? events->searched : t_limit;
    return fmin(t_limit, limit);
}

void crd_events_mark_time_events(CrdEvents *events) {
    double t = events->integrator->stepper.t, near = CRD_TIME_EVENT_ULPS * CRD_EPS * fabs(t);
    const CrdJet *jets = jets_at(events, t);
    for (int i = 0; i < events->count; i++) {
        if (!is_watched(events, i)) continue;
        CrdJet jet = seen(events, i, jets);
        bool active = jets[i].x != 0.0 || jets[i].d1 != 0.0 || jets[i].d2 != 0.0;
        events->crossed[i] = active && (jet.x <= 0.0 || (jet.d1 < 0.0 && jet.x <= -jet.d1 * near));
        if (jet.x <= 0.0 && jet.d1 > 0.0) events->crossed[i] = false; /* left behind by rounding */
    }
}
