/* State events: does a step that was tried cross a zero? Then it is made again, to end there. */
#include "core/numbers.h"
#include "guard/events/zero.h"
#include "integrate/hermite.h"
#include "integrate/interpolate.h"

#include <math.h>
#include <string.h>

/* Steps to a zero: location errors, in units of the tolerance of what moves on meanwhile, and as part of the step, that
 * are good enough; what is left of a function, in relative tolerances of its range, that is good enough where it is
 * flat; attempts. The interpolation is good to the tolerance, so one or two do. */
#define CRD_EVENT_LOCATED 0.1
#define CRD_EVENT_LOCATED_PART 1e-6
#define CRD_EVENT_LOCATED_FIXED 1e-12
#define CRD_EVENT_LOCATED_RANGE 1e-3
#define CRD_EVENT_LANDINGS 6

/* Part of a step on both sides of a zero over which the slope for Newton's correction is taken: three digits do. */
#define CRD_EVENT_ASIDE 5e-4

/* Part of a step after which a function that starts at zero is asked where it goes: far above rounding. */
#define CRD_EVENT_SOON 1e-6

/* ---- the step ---- */

/* Samples 0 .. count of the step. */
static CardanStatus take_samples(CrdEvents *events, double t_new, double h, int count, bool dense) {
    size_t row = (size_t)events->count;
    memcpy(events->sample, events->start, row * sizeof *events->sample);
    for (int j = 1; j < count; j++)
        CRD_TRY(crd_events_values_along(events, h, (double)j / count, dense, events->sample + (size_t)j * row));
    return crd_events_values(events, t_new, events->integrator->stepper.y_new, events->sample + (size_t)count * row);
}

/* Is the side of a switch not known that moves along the step? */
static bool is_unknown(const CrdEvents *events, int i) {
    if (events->side[i] != 0 || events->loose[i] || crd_events_structure(events)->switches[i].time_event) return false;
    for (int j = 1; j <= CRD_EVENT_QUARTERS; j++)
        if (events->sample[(size_t)j * (size_t)events->count + (size_t)i] != events->start[i]) return true;
    return false;
}

/* A switch whose side is not known, because the step began at its zero, is held on the side it goes to: at once, else
 * later in the step. *held: laws are held otherwise now. */
static CardanStatus choose_sides(CrdEvents *events, double t_new, double h, bool *held) {
    size_t row = (size_t)events->count;
    bool any = false;
    for (int i = 0; i < events->count; i++) any = any || is_unknown(events, i);
    if (!any) return CARDAN_OK;
    CRD_TRY(crd_events_values_along(events, h, CRD_EVENT_SOON, false, events->sample)); /* in the place of the start */
    for (int i = 0; i < events->count; i++) {
        if (!is_unknown(events, i)) continue;
        for (int j = 0; j <= CRD_EVENT_QUARTERS && events->side[i] == 0; j++) {
            double gone = events->sample[(size_t)j * row + (size_t)i] - events->start[i];
            events->side[i] = (CrdSide)((gone > 0.0) - (gone < 0.0));
        }
        *held = *held || (i < crd_events_structure(events)->first_event && events->side[i] != 0);
    }
    memcpy(events->sample, events->start, row * sizeof *events->sample);
    /* The workspace holds the end again. */
    return crd_events_values(events, t_new, events->integrator->stepper.y_new, events->end);
}

/* The first zero of all. */
typedef struct Found {
    int who; /* -1: none */
    CrdEventZero zero;
    double slope; /* of its psi in theta */
} Found;

static CardanStatus first_of_all(CrdEvents *events, double h, bool dense, Found *found) {
    for (int i = 0; i < events->count; i++) {
        CrdEventWatch w = crd_event_watch(events, i, h, dense);
        CrdEventZero zero = {CRD_EVENT_NEVER, false};
        if (w.sign == 0) continue;
        CRD_TRY(crd_watch_first_zero(&w, &zero));
        if (zero.theta < found->zero.theta) *found = (Found){i, zero, 0.0};
    }
    if (found->who < 0) return CARDAN_OK;
    CrdEventWatch w = crd_event_watch(events, found->who, h, dense);
    double before, after;
    CRD_TRY(crd_watch_psi_at(&w, found->zero.theta - CRD_EVENT_ASIDE, &before));
    CRD_TRY(crd_watch_psi_at(&w, found->zero.theta + CRD_EVENT_ASIDE, &after));
    found->slope = (after - before) / (2.0 * CRD_EVENT_ASIDE);
    return CARDAN_OK;
}

/* Everything at the step's end as it was before the look. */
static CardanStatus restore(CrdEvents *events, double t_new, bool stages) {
    CrdIntegrator *integrator = events->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    if (stages) CRD_TRY(crd_integrator_evaluate_constraints(integrator, t_new, stepper->y_new));
    if (stages) CRD_TRY(crd_integrator_derivative(integrator, stepper->y_new, stepper->f_new, false));
    return crd_events_values(events, t_new, stepper->y_new, events->end);
}

/* Seconds by which it may miss. */
static double located(const CrdEvents *events, double h) {
    const CrdStepper *stepper = &events->integrator->stepper;
    const CardanOptions *options = &events->integrator->options;
    double max = 0.0, part = (options->step > 0.0 ? CRD_EVENT_LOCATED_FIXED : CRD_EVENT_LOCATED_PART) * h;
    for (int i = 0; i < stepper->n && options->step <= 0.0; i++)
        max = fmax(max, stepper->weight[i] * fabs(stepper->f_new[i]) /
                            (stepper->absolute[i] + options->rtol * fabs(stepper->y_new[i])));
    return fmax(crd_events_nothing(events), max * part > CRD_EVENT_LOCATED ? CRD_EVENT_LOCATED / max : part);
}

/* A zero of another function at the same place, as far as it is located. Copies of one argument in a law cross
 * together. */
static bool crosses_too(const CrdEventWatch *watch, double psi, double miss) {
    const CrdEvents *events = watch->events;
    int j = (int)(events->landing_theta * CRD_EVENT_SAMPLES);
    if (j == CRD_EVENT_SAMPLES) j--;
    double a = crd_watch_sampled(watch, j), b = crd_watch_sampled(watch, j + 1),
           width = events->landing_max / CRD_EVENT_SAMPLES;
    return b < 0.0 && a > b && psi * width <= (a - b) * miss;
}

/* All that is no longer on its side at the end was crossed there; the zero landed on was missed by so many seconds. */
static void mark(CrdEvents *events, double h, double missed) {
    double miss = fmax(located(events, h), 2.0 * fabs(missed));
    for (int i = 0; i < events->count; i++) {
        CrdEventWatch w = crd_event_watch(events, i, h, false);
        double psi = crd_watch_psi(&w, events->end[i]);
        if (w.armed) events->crossed[i] = psi < 0.0 || crosses_too(&w, psi, miss);
    }
    events->crossed[events->landing] = true;
    events->touched[events->landing] = events->landing_touches;
}

/* What the first zero of a step means for it. */
static CardanStatus decide(CrdEvents *events, CrdTry *attempt, bool dense, Found found, CrdVerdict *verdict) {
    int who = found.who;
    double until = found.zero.theta * attempt->h;
    if (until <= crd_events_nothing(events)) {
        *verdict = CRD_RESTART;
        return crd_events_flip(events, who);
    }
    events->quick = found.zero.theta < CRD_EVENT_QUICK_PART && events->quick_switch == who ? events->quick + 1 : 0;
    events->quick_switch = who;
    if (events->quick > CRD_EVENT_QUICK) {
        events->flips[who] = CRD_EVENT_FLIPS;
        *verdict = CRD_RESTART;
        return crd_events_flip(events, who);
    }
    CrdEventWatch w = crd_event_watch(events, who, attempt->h, dense);
    events->landing = who;
    events->landing_touches = found.zero.touches;
    events->landings = 0;
    events->slope = found.slope / attempt->h;
    events->landing_theta = found.zero.theta;
    events->landing_max = attempt->h;
    if (attempt->t_new - events->integrator->stepper.t - until <=
        crd_events_nothing(events)) { /* it ends there already */
        CRD_TRY(restore(events, attempt->t_new, dense));
        mark(events, attempt->h, 0.0);
        return CARDAN_OK;
    }
    *verdict = CRD_AGAIN;
    events->landing_range = crd_watch_range(&w);
    events->landing_h = attempt->h = until;
    return CARDAN_OK;
}

static CardanStatus look_closely(CrdEvents *events, CrdTry *attempt, CrdVerdict *verdict) {
    CrdIntegrator *integrator = events->integrator;
    Found found = {-1, {CRD_EVENT_NEVER, false}, 0.0};
    bool dense = integrator->stepper.method->looks_inside;
    if (dense) CRD_TRY(crd_integrator_prepare_attempt(integrator, attempt->h));
    CRD_TRY(take_samples(events, attempt->t_new, attempt->h, CRD_EVENT_SAMPLES, dense));
    CRD_TRY(first_of_all(events, attempt->h, dense, &found));
    return found.who < 0 ? restore(events, attempt->t_new, dense) : decide(events, attempt, dense, found, verdict);
}

/* ---- a step that is to end at a zero ---- */

/* Newton on the size of the step. A zero that is not there when the step ends where it was seen was one of the
 * interpolation alone: the step ends there all the same. */
static CardanStatus land(CrdEvents *events, CrdTry *attempt, CrdVerdict *verdict) {
    CrdIntegrator *integrator = events->integrator;
    CRD_TRY(crd_events_values(events, attempt->t_new, integrator->stepper.y_new, events->end));
    CrdEventWatch w = crd_event_watch(events, events->landing, attempt->h, false);
    double psi = crd_watch_psi(&w, events->end[events->landing]);
    double miss = events->slope < 0.0 && !events->landing_touches ? -psi / events->slope : 0.0;
    double close = integrator->options.step > 0.0 ? CRD_EPS : CRD_EVENT_LOCATED_RANGE * integrator->options.rtol;
    bool there = fabs(miss) <= located(events, attempt->h) || fabs(psi) <= close * events->landing_range;
    if (!there && ++events->landings < CRD_EVENT_LANDINGS && miss > -0.5 * attempt->h &&
        attempt->h + miss <= events->landing_max) {
        *verdict = CRD_AGAIN;
        events->landing_h = attempt->h = attempt->h + miss;
        return CARDAN_OK;
    }
    if (there || psi <= 0.0) mark(events, attempt->h, miss);
    return CARDAN_OK;
}

static CardanStatus detect(CrdEvents *events, CrdTry *attempt, CrdVerdict *verdict) {
    const CrdStepper *stepper = &events->integrator->stepper;
    memset(events->crossed, 0, (size_t)events->count * sizeof *events->crossed);
    memset(events->touched, 0, (size_t)events->count * sizeof *events->touched);
    if (!events->monitors) return CARDAN_OK;
    if (events->landing >= 0 && attempt->h == events->landing_h) return land(events, attempt, verdict);
    events->landing = -1;
    crd_dense_hermite(stepper->n, attempt->h, stepper->y, stepper->f, stepper->y_new, stepper->f_new, events->hermite);
    bool held = false;
    CRD_TRY(take_samples(events, attempt->t_new, attempt->h, CRD_EVENT_QUARTERS, false));
    CRD_TRY(choose_sides(events, attempt->t_new, attempt->h, &held));
    memcpy(events->end, events->sample + CRD_EVENT_QUARTERS * (size_t)events->count,
           (size_t)events->count * sizeof *events->end);
    if (held) {
        *verdict = CRD_RESTART;
        crd_integrator_touch(events->integrator);
        return CARDAN_OK;
    }
    bool close = stepper->method->looks_inside && stepper->method->tableau == NULL; /* steps too long for a cubic */
    for (int i = 0; i < events->count && !close; i++) {
        CrdEventWatch w = crd_event_watch(events, i, attempt->h, false);
        close = crd_watch_is_suspicious(&w);
    }
    return close ? look_closely(events, attempt, verdict) : CARDAN_OK;
}

CrdVerdict crd_events_detect(void *self, CrdTry *attempt, CardanStatus *status) {
    CrdVerdict verdict = CRD_ACCEPT;
    *status = detect(self, attempt, &verdict);
    return verdict;
}
