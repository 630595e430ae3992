/* Zeros of switching functions inside a step that was just tried, on the interpolation over it.
 *
 * With psi = +-phi, positive on the side where the step began, each function is compared at CRD_EVENT_SAMPLES points
 * evenly along the step. Found are: every change of sign between two points; a pair of zeros between points when the
 * parabola through three neighbours comes down to CRD_EVENT_DIP of them, by looking for the lowest point. So two
 * crossings further apart than an eighth of the step are found always, closer ones when the function is as smooth there
 * as the interpolation, a polynomial of degree 7 or less, lets a linear function of the state be. A cheaper look on the
 * cubic through the ends, at three points, comes first; a function that stays away from zero by CRD_EVENT_NEAR of its
 * range there has none.
 *
 * A function that starts at zero, because the last step landed on it, counts as on its side; if it is not to be found
 * there at all, the side changes back at once. */
#include "guard/events/zero.h"

#include "core/numbers.h"
#include "integrate/hermite.h"
#include "integrate/interpolate.h"

#include <math.h>
#include <string.h>

/* A switching function is looked at closely when along the step it comes nearer to zero than this part of its range:
 * samples a quarter of a step apart of the cubic over it, which may be wrong by some hundredths, cannot hide a zero
 * then. */
#define CRD_EVENT_NEAR 0.5

/* Where the parabola through three samples comes down to this part of them, its lowest point is looked for. */
#define CRD_EVENT_DIP 0.3

/* Golden sections of that (1e-7 of the step: the lowest value then is right to rounding), sections of one zero. */
#define CRD_EVENT_GOLDEN 34
#define CRD_EVENT_SECTIONS 100

/* A user's function whose lowest value is this part of its range touches zero; as much as rounding leaves. */
#define CRD_EVENT_TOUCH 1e-12

/* Halvings of the first stretch in which a function that starts at zero is looked for on its side. */
#define CRD_EVENT_PROBES 20

double crd_watch_psi(const CrdEventWatch *watch, double phi) {
    return watch->sign * (phi - watch->shift);
}

static bool is_of_user(const CrdEvents *events, int i) {
    return i >= crd_events_structure(events)->first_event;
}

/* The direction a user asks for; of laws all zeros matter. */
static int direction_of(const CrdEvents *events, int i) {
    const CardanModel *model = events->integrator->dynamics.model;
    return is_of_user(events, i) ? model->description->events[model->structure->switches[i].object].def.direction : 0;
}

/* The direction in which a crossing is an event: psi falls. 0: the function is not watched. */
static int sign_of(const CrdEvents *events, int i) {
    if (crd_events_structure(events)->switches[i].time_event || events->loose[i]) return 0;
    int direction = direction_of(events, i);
    return direction != 0 ? -direction : events->side[i];
}

CrdEventWatch crd_event_watch(CrdEvents *events, int i, double h, bool dense) {
    CrdEventWatch w = {.events = events, .i = i, .sign = sign_of(events, i), .h = h, .dense = dense};
    w.armed = w.sign != 0 && events->side[i] == w.sign;
    if (events->side[i] * events->start[i] < 0.0) w.shift = events->start[i];
    return w;
}

/* ---- values along the step ---- */

CardanStatus crd_events_values_along(CrdEvents *events, double h, double theta, bool dense, double *values) {
    CrdIntegrator *integrator = events->integrator;
    if (dense)
        crd_integrator_dense_at(integrator, theta, events->y);
    else
        crd_dense_at(integrator->stepper.n, events->hermite, CRD_HERMITE_ROWS, theta, events->y);
    crd_normalise(integrator->dynamics.model->structure, events->y);
    return crd_events_values(events, integrator->stepper.t + theta * h, events->y, values);
}

CardanStatus crd_watch_psi_at(const CrdEventWatch *watch, double theta, double *psi) {
    CRD_TRY(crd_events_values_along(watch->events, watch->h, theta, watch->dense, watch->events->end));
    *psi = crd_watch_psi(watch, watch->events->end[watch->i]);
    return CARDAN_OK;
}

/* ---- one zero ---- */

/* Between a (psi >= 0) and b (psi < 0): false position, the weight of an end that stays being halved (Illinois). */
static CardanStatus refine(const CrdEventWatch *watch, double a, double psi_a, double b, double psi_b, double *zero) {
    int stayed = 0; /* +1: b, -1: a */
    for (int k = 0; k < CRD_EVENT_SECTIONS && b - a > CRD_EPS && psi_a > 0.0 && psi_b < 0.0; k++) {
        double t = b - psi_b * (b - a) / (psi_b - psi_a), psi;
        if (!(t > a && t < b) || k % 8 == 7) t = 0.5 * (a + b);
        CRD_TRY(crd_watch_psi_at(watch, t, &psi));
        if (psi > 0.0) {
            a = t, psi_a = psi;
            if (stayed > 0) psi_b *= 0.5;
            stayed = 1;
        } else {
            b = t, psi_b = psi;
            if (stayed < 0) psi_a *= 0.5;
            stayed = -1;
        }
    }
    *zero = psi_a == 0.0 ? a : b;
    return CARDAN_OK;
}

/* A function that starts at zero and is off its side at b: was it on it in between? Then the zero after that. */
static CardanStatus leave_and_return(const CrdEventWatch *watch, double b, double psi_b, double *zero) {
    *zero = 0.0;
    for (int k = 0; k < CRD_EVENT_PROBES; k++) {
        double a = 0.5 * b, psi;
        CRD_TRY(crd_watch_psi_at(watch, a, &psi));
        if (psi > 0.0) return refine(watch, a, psi, b, psi_b, zero);
        b = a;
        psi_b = psi;
    }
    return CARDAN_OK;
}

/* The lowest psi (turn -1: highest) between a and b, by golden sections, or the first found beyond zero. */
static CardanStatus lowest(const CrdEventWatch *watch, double a, double b, int turn, double *theta, double *psi) {
    const double golden = 0.3819660112501051;
    double x = a + golden * (b - a), y = b - golden * (b - a), at_x, at_y;
    CRD_TRY(crd_watch_psi_at(watch, x, &at_x));
    CRD_TRY(crd_watch_psi_at(watch, y, &at_y));
    for (int k = 0; k < CRD_EVENT_GOLDEN && turn * at_x > 0.0 && turn * at_y > 0.0; k++) {
        if (turn * at_x < turn * at_y) {
            b = y, y = x, at_y = at_x;
            x = a + golden * (b - a);
            CRD_TRY(crd_watch_psi_at(watch, x, &at_x));
        } else {
            a = x, x = y, at_x = at_y;
            y = b - golden * (b - a);
            CRD_TRY(crd_watch_psi_at(watch, y, &at_y));
        }
    }
    bool first = turn * at_x < turn * at_y;
    *theta = first ? x : y;
    *psi = first ? at_x : at_y;
    return CARDAN_OK;
}

/* ---- one function ---- */

double crd_watch_sampled(const CrdEventWatch *watch, int j) {
    const CrdEvents *events = watch->events;
    return crd_watch_psi(watch, events->sample[(size_t)j * (size_t)events->count + (size_t)watch->i]);
}

double crd_watch_range(const CrdEventWatch *watch) {
    double range = 0.0;
    for (int j = 0; j <= CRD_EVENT_SAMPLES; j++) range = fmax(range, fabs(crd_watch_sampled(watch, j)));
    return range;
}

/* Does the parabola through three samples come near or beyond zero between them? */
static bool may_dip(double a, double b, double c, int turn) {
    double bend = turn * (a - 2.0 * b + c), side = turn * (a - c);
    if (!(bend > 0.0) || fabs(side) > 2.0 * bend) return false;
    return turn * b - side * side / (8.0 * bend) < CRD_EVENT_DIP * fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

/* A pair of zeros, or a touched one, between samples j - 1 and j + 1, which have the same sign. */
static CardanStatus look_between(const CrdEventWatch *watch, int j, CrdEventZero *zero) {
    const double width = 1.0 / CRD_EVENT_SAMPLES;
    double a = crd_watch_sampled(watch, j - 1), b = crd_watch_sampled(watch, j), c = crd_watch_sampled(watch, j + 1),
           theta, psi;
    int turn = watch->armed ? 1 : -1;
    if (!may_dip(a, b, c, turn)) return CARDAN_OK;
    CRD_TRY(lowest(watch, (j - 1) * width, (j + 1) * width, turn, &theta, &psi));
    if (turn * psi < 0.0 && watch->armed) return refine(watch, (j - 1) * width, a, theta, psi, &zero->theta);
    if (turn * psi < 0.0) return refine(watch, theta, psi, (j + 1) * width, c, &zero->theta);
    bool inside = theta > (j - 1 + CRD_EVENT_DIP) * width && psi < CRD_EVENT_DIP * fmin(a, c);
    bool wanted = is_of_user(watch->events, watch->i) && direction_of(watch->events, watch->i) == 0;
    if (wanted && inside && psi <= CRD_EVENT_TOUCH * crd_watch_range(watch)) *zero = (CrdEventZero){theta, true};
    return CARDAN_OK;
}

CardanStatus crd_watch_first_zero(CrdEventWatch *watch, CrdEventZero *zero) {
    const double width = 1.0 / CRD_EVENT_SAMPLES;
    double before = crd_watch_sampled(watch, 0);
    bool seen = before > 0.0;                        /* on its side, and not only counted so */
    bool user = is_of_user(watch->events, watch->i); /* of laws, 0 may mean a branch that is not taken */
    for (int j = 1; j <= CRD_EVENT_SAMPLES && zero->theta == CRD_EVENT_NEVER; j++) {
        double psi = crd_watch_sampled(watch, j);
        bool off = psi < 0.0 || (psi == 0.0 && seen && user && j == CRD_EVENT_SAMPLES);
        if (watch->armed && off && !seen) return leave_and_return(watch, j * width, psi, &zero->theta);
        if (watch->armed && off && psi == 0.0) return zero->theta = 1.0, CARDAN_OK;
        if (watch->armed && off) return refine(watch, (j - 1) * width, before, j * width, psi, &zero->theta);
        if (psi > 0.0) watch->armed = seen = true;
        bool same = j < CRD_EVENT_SAMPLES && (psi > 0.0) == (crd_watch_sampled(watch, j + 1) > 0.0);
        if (same && (watch->armed ? before >= 0.0 : before <= 0.0)) CRD_TRY(look_between(watch, j, zero));
        before = psi;
    }
    return CARDAN_OK;
}

bool crd_watch_is_suspicious(const CrdEventWatch *watch) {
    double low = crd_watch_sampled(watch, 0), high = low;
    if (watch->sign == 0) return false;
    for (int j = 1; j <= CRD_EVENT_QUARTERS; j++) {
        low = fmin(low, crd_watch_sampled(watch, j));
        high = fmax(high, crd_watch_sampled(watch, j));
    }
    if (low == 0.0 && high == 0.0) return false; /* a branch that is not taken */
    return watch->armed ? low < CRD_EVENT_NEAR * (high - low) : high > -CRD_EVENT_NEAR * (high - low);
}
