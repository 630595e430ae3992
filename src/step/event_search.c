/* Zeros of switching functions inside a step that was just tried, on the interpolation over it.
 *
 * With psi = +-phi, positive on the side where the step began, each function is compared at CRD_EVENT_SAMPLES points
 * evenly along the step. Found are: every change of sign between two points; a pair of zeros between points when the
 * parabola through three neighbours comes down to CRD_EVENT_DIP of them, by looking for the lowest point. So two crossings
 * further apart than an eighth of the step are found always, closer ones when the function is as smooth there as the
 * interpolation, a polynomial of degree 7 or less, lets a linear function of the state be. A cheaper look on the cubic
 * through the ends, at three points, comes first; a function that stays away from zero by CRD_EVENT_NEAR of its range
 * there has none.
 *
 * A function that starts at zero, because the last step landed on it, counts as on its side; if it is not to be found
 * there at all, the side changes back at once. */
#include "step/event.h"

#include "core/numbers.h"
#include "step/dense.h"
#include "step/run.h"

#include <math.h>
#include <string.h>

enum { QUARTERS = 4 };

/* One function along the step that was tried. */
typedef struct Watch {
    CrdRun *run;
    int i;
    int sign;    /* psi = sign (phi - shift) */
    double shift; /* phi where the step begins, if rounding left it on the wrong side */
    double h;
    bool armed;  /* psi is, or counts as, positive: its fall through zero is an event */
    bool dense;  /* the method's own interpolation is ready, else the cubic */
} Watch;

static double psi_of(const Watch *w, double phi) {
    return w->sign * (phi - w->shift);
}

static bool is_of_user(const CrdRun *run, int i) {
    return i >= run->dynamics.model->shape->first_event;
}

/* The direction a user asks for; of laws all zeros matter. */
static int direction_of(const CrdRun *run, int i) {
    const CardanModel *model = run->dynamics.model;
    return is_of_user(run, i) ? model->description->events[model->shape->switches[i].object].def.direction : 0;
}

/* The direction in which a crossing is an event: psi falls. 0: the function is not watched. */
static int sign_of(const CrdRun *run, int i) {
    const CrdEvents *e = &run->events;
    if (run->dynamics.model->shape->switches[i].timely || e->loose[i]) return 0;
    int direction = direction_of(run, i);
    return direction != 0 ? -direction : e->side[i];
}

static Watch watch(CrdRun *run, int i, double h, bool dense) {
    const CrdEvents *e = &run->events;
    Watch w = {.run = run, .i = i, .sign = sign_of(run, i), .h = h, .dense = dense};
    w.armed = w.sign != 0 && e->side[i] == w.sign;
    if (e->side[i] * e->start[i] < 0.0) w.shift = e->start[i];
    return w;
}

/* ---- values along the step ---- */

static CardanStatus values_at(CrdRun *run, double h, double theta, bool dense, double *values) {
    CrdEvents *e = &run->events;
    if (dense)
        crd_run_dense_at(run, theta, e->y);
    else
        crd_dense_at(run->n, e->hermite, CRD_HERMITE_ROWS, theta, e->y);
    crd_normalise(run->dynamics.model->shape, e->y);
    return crd_events_values(run, run->t + theta * h, e->y, values);
}

/* psi at theta; e->end is scratch. */
static CardanStatus psi_at(const Watch *w, double theta, double *psi) {
    CRD_TRY(values_at(w->run, w->h, theta, w->dense, w->run->events.end));
    *psi = psi_of(w, w->run->events.end[w->i]);
    return CARDAN_OK;
}

/* ---- one zero ---- */

typedef struct Zero {
    double theta; /* CRD_EVENT_NEVER: none */
    bool touches; /* it is not crossed */
} Zero;

/* Between a (psi >= 0) and b (psi < 0): false position, the weight of an end that stays being halved (Illinois). */
static CardanStatus refine(const Watch *w, double a, double psi_a, double b, double psi_b, double *zero) {
    int stayed = 0; /* +1: b, -1: a */
    for (int k = 0; k < CRD_EVENT_SECTIONS && b - a > CRD_EPS && psi_a > 0.0 && psi_b < 0.0; k++) {
        double t = b - psi_b * (b - a) / (psi_b - psi_a), psi;
        if (!(t > a && t < b) || k % 8 == 7) t = 0.5 * (a + b);
        CRD_TRY(psi_at(w, t, &psi));
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
static CardanStatus leave_and_return(const Watch *w, double b, double psi_b, double *zero) {
    *zero = 0.0;
    for (int k = 0; k < CRD_EVENT_PROBES; k++) {
        double a = 0.5 * b, psi;
        CRD_TRY(psi_at(w, a, &psi));
        if (psi > 0.0) return refine(w, a, psi, b, psi_b, zero);
        b = a;
        psi_b = psi;
    }
    return CARDAN_OK;
}

/* The lowest psi (turn -1: highest) between a and b, by golden sections, or the first found beyond zero. */
static CardanStatus lowest(const Watch *w, double a, double b, int turn, double *theta, double *psi) {
    const double golden = 0.3819660112501051;
    double x = a + golden * (b - a), y = b - golden * (b - a), at_x, at_y;
    CRD_TRY(psi_at(w, x, &at_x));
    CRD_TRY(psi_at(w, y, &at_y));
    for (int k = 0; k < CRD_EVENT_GOLDEN && turn * at_x > 0.0 && turn * at_y > 0.0; k++) {
        if (turn * at_x < turn * at_y) {
            b = y, y = x, at_y = at_x;
            x = a + golden * (b - a);
            CRD_TRY(psi_at(w, x, &at_x));
        } else {
            a = x, x = y, at_x = at_y;
            y = b - golden * (b - a);
            CRD_TRY(psi_at(w, y, &at_y));
        }
    }
    bool first = turn * at_x < turn * at_y;
    *theta = first ? x : y;
    *psi = first ? at_x : at_y;
    return CARDAN_OK;
}

/* ---- one function ---- */

/* psi at sample j. */
static double sampled(const Watch *w, int j) {
    const CrdEvents *e = &w->run->events;
    return psi_of(w, e->sample[(size_t)j * (size_t)e->count + (size_t)w->i]);
}

static double range_of(const Watch *w) {
    double range = 0.0;
    for (int j = 0; j <= CRD_EVENT_SAMPLES; j++) range = fmax(range, fabs(sampled(w, j)));
    return range;
}

/* Does the parabola through three samples come near or beyond zero between them? */
static bool may_dip(double a, double b, double c, int turn) {
    double bend = turn * (a - 2.0 * b + c), side = turn * (a - c);
    if (!(bend > 0.0) || fabs(side) > 2.0 * bend) return false;
    return turn * b - side * side / (8.0 * bend) < CRD_EVENT_DIP * fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

/* A pair of zeros, or a touched one, between samples j - 1 and j + 1, which have the same sign. */
static CardanStatus look_between(const Watch *w, int j, Zero *zero) {
    const double width = 1.0 / CRD_EVENT_SAMPLES;
    double a = sampled(w, j - 1), b = sampled(w, j), c = sampled(w, j + 1), theta, psi;
    int turn = w->armed ? 1 : -1;
    if (!may_dip(a, b, c, turn)) return CARDAN_OK;
    CRD_TRY(lowest(w, (j - 1) * width, (j + 1) * width, turn, &theta, &psi));
    if (turn * psi < 0.0 && w->armed) return refine(w, (j - 1) * width, a, theta, psi, &zero->theta);
    if (turn * psi < 0.0) return refine(w, theta, psi, (j + 1) * width, c, &zero->theta);
    bool inside = theta > (j - 1 + CRD_EVENT_DIP) * width && psi < CRD_EVENT_DIP * fmin(a, c);
    bool wanted = is_of_user(w->run, w->i) && direction_of(w->run, w->i) == 0;
    if (wanted && inside && psi <= CRD_EVENT_TOUCH * range_of(w)) *zero = (Zero){theta, true};
    return CARDAN_OK;
}

/* The first event of this function along the samples. */
static CardanStatus first_zero(Watch *w, Zero *zero) {
    const double width = 1.0 / CRD_EVENT_SAMPLES;
    double before = sampled(w, 0);
    bool seen = before > 0.0; /* on its side, and not only counted so */
    bool user = is_of_user(w->run, w->i); /* of laws, 0 may mean a branch that is not taken */
    for (int j = 1; j <= CRD_EVENT_SAMPLES && zero->theta == CRD_EVENT_NEVER; j++) {
        double psi = sampled(w, j);
        bool off = psi < 0.0 || (psi == 0.0 && seen && user && j == CRD_EVENT_SAMPLES);
        if (w->armed && off && !seen) return leave_and_return(w, j * width, psi, &zero->theta);
        if (w->armed && off && psi == 0.0) return zero->theta = 1.0, CARDAN_OK;
        if (w->armed && off) return refine(w, (j - 1) * width, before, j * width, psi, &zero->theta);
        if (psi > 0.0) w->armed = seen = true;
        bool same = j < CRD_EVENT_SAMPLES && (psi > 0.0) == (sampled(w, j + 1) > 0.0);
        if (same && (w->armed ? before >= 0.0 : before <= 0.0)) CRD_TRY(look_between(w, j, zero));
        before = psi;
    }
    return CARDAN_OK;
}

/* Might this function have a zero in the step, as far as the quarters of the cubic over it tell? */
static bool is_suspicious(const Watch *w) {
    double low = sampled(w, 0), high = low;
    if (w->sign == 0) return false;
    for (int j = 1; j <= QUARTERS; j++) {
        low = fmin(low, sampled(w, j));
        high = fmax(high, sampled(w, j));
    }
    if (low == 0.0 && high == 0.0) return false; /* a branch that is not taken */
    return w->armed ? low < CRD_EVENT_NEAR * (high - low) : high > -CRD_EVENT_NEAR * (high - low);
}

/* ---- the step ---- */

static void swap(double **a, double **b) {
    double *keep = *a;
    *a = *b;
    *b = keep;
}

/* The interpolation of a method is that of the last accepted step: for a look the step is put in its place, or taken out
 * again. */
static void pretend(CrdRun *run, double *t_old, double *t) {
    double keep_old = run->t_old, keep = run->t;
    run->t_old = *t_old;
    run->t = *t;
    *t_old = keep_old;
    *t = keep;
}

static CardanStatus prepare(CrdRun *run, double h) {
    double t_old = run->t, t = run->t + h;
    swap(&run->y_old, &run->y);
    swap(&run->y, &run->y_new);
    swap(&run->f, &run->f_new);
    pretend(run, &t_old, &t);
    run->project_stages = run->passage.step_lowest < CRD_PASSAGE_WATCH;
    CardanStatus status = run->method->prepare_dense(run);
    pretend(run, &t_old, &t);
    swap(&run->f, &run->f_new);
    swap(&run->y, &run->y_new);
    swap(&run->y_old, &run->y);
    return status;
}

/* Samples 0 .. count of the step. */
static CardanStatus take_samples(CrdRun *run, double t_new, double h, int count, bool dense) {
    CrdEvents *e = &run->events;
    size_t row = (size_t)e->count;
    memcpy(e->sample, e->start, row * sizeof *e->sample);
    for (int j = 1; j < count; j++) CRD_TRY(values_at(run, h, (double)j / count, dense, e->sample + (size_t)j * row));
    return crd_events_values(run, t_new, run->y_new, e->sample + (size_t)count * row);
}

/* Is the side of a switch not known that moves along the step? */
static bool is_unknown(const CrdRun *run, int i) {
    const CrdEvents *e = &run->events;
    if (e->side[i] != 0 || e->loose[i] || run->dynamics.model->shape->switches[i].timely) return false;
    for (int j = 1; j <= QUARTERS; j++)
        if (e->sample[(size_t)j * (size_t)e->count + (size_t)i] != e->start[i]) return true;
    return false;
}

/* A switch whose side is not known, because the step began at its zero, is held on the side it goes to: at once, else later
 * in the step. *held: laws are held otherwise now. */
static CardanStatus choose_sides(CrdRun *run, double t_new, double h, bool *held) {
    const CrdShape *s = run->dynamics.model->shape;
    CrdEvents *e = &run->events;
    size_t row = (size_t)e->count;
    bool any = false;
    for (int i = 0; i < e->count; i++) any = any || is_unknown(run, i);
    if (!any) return CARDAN_OK;
    CRD_TRY(values_at(run, h, CRD_EVENT_SOON, false, e->sample)); /* in the place of the start */
    for (int i = 0; i < e->count; i++) {
        if (!is_unknown(run, i)) continue;
        for (int j = 0; j <= QUARTERS && e->side[i] == 0; j++) {
            double gone = e->sample[(size_t)j * row + (size_t)i] - e->start[i];
            e->side[i] = (CrdSide)((gone > 0.0) - (gone < 0.0));
        }
        *held = *held || (e->side[i] != 0 && i < s->first_event);
    }
    memcpy(e->sample, e->start, row * sizeof *e->sample);
    return crd_events_values(run, t_new, run->y_new, e->end); /* the workspace holds the end again */
}

/* The first zero of all. */
typedef struct Found {
    int who; /* -1: none */
    Zero zero;
    double slope; /* of its psi in theta */
} Found;

static CardanStatus first_of_all(CrdRun *run, double h, bool dense, Found *found) {
    for (int i = 0; i < run->events.count; i++) {
        Watch w = watch(run, i, h, dense);
        Zero zero = {CRD_EVENT_NEVER, false};
        if (w.sign == 0) continue;
        CRD_TRY(first_zero(&w, &zero));
        if (zero.theta < found->zero.theta) *found = (Found){i, zero, 0.0};
    }
    if (found->who < 0) return CARDAN_OK;
    Watch w = watch(run, found->who, h, dense);
    double before, after;
    CRD_TRY(psi_at(&w, found->zero.theta - CRD_EVENT_ASIDE, &before));
    CRD_TRY(psi_at(&w, found->zero.theta + CRD_EVENT_ASIDE, &after));
    found->slope = (after - before) / (2.0 * CRD_EVENT_ASIDE);
    return CARDAN_OK;
}

/* Everything at the step's end as it was before the look. */
static CardanStatus restore(CrdRun *run, double t_new, bool stages) {
    if (!stages) return crd_events_values(run, t_new, run->y_new, run->events.end);
    CRD_TRY(crd_run_measure(run, t_new, run->y_new));
    CRD_TRY(crd_run_slope(run, run->y_new, run->f_new, false));
    return crd_events_values(run, t_new, run->y_new, run->events.end);
}

/* Seconds by which it may miss. */
static double located(const CrdRun *run, double h) {
    const CardanOptions *o = &run->options;
    double most = 0.0, part = (o->step > 0.0 ? CRD_EVENT_LOCATED_FIXED : CRD_EVENT_LOCATED_PART) * h;
    for (int i = 0; i < run->n && o->step <= 0.0; i++)
        most = fmax(most, run->weight[i] * fabs(run->f_new[i]) / (o->atol + o->rtol * fabs(run->y_new[i])));
    return fmax(crd_events_nothing(run), most * part > CRD_EVENT_LOCATED ? CRD_EVENT_LOCATED / most : part);
}

/* A zero of another function at the same place, as far as it is located. Copies of one argument in a law cross together. */
static bool crosses_too(const Watch *w, double psi, double miss) {
    const CrdEvents *e = &w->run->events;
    int j = (int)(e->landing_theta * CRD_EVENT_SAMPLES);
    if (j == CRD_EVENT_SAMPLES) j--;
    double a = sampled(w, j), b = sampled(w, j + 1), width = e->landing_most / CRD_EVENT_SAMPLES;
    return b < 0.0 && a > b && psi * width <= (a - b) * miss;
}

/* All that is no longer on its side at the end was crossed there; the zero landed on was missed by so many seconds. */
static void mark(CrdRun *run, double h, double missed) {
    CrdEvents *e = &run->events;
    double miss = fmax(located(run, h), 2.0 * fabs(missed));
    for (int i = 0; i < e->count; i++) {
        Watch w = watch(run, i, h, false);
        double psi = psi_of(&w, e->end[i]);
        if (w.armed) e->crossed[i] = psi < 0.0 || crosses_too(&w, psi, miss);
    }
    e->crossed[e->landing] = true;
    e->touched[e->landing] = e->landing_touches;
}

/* What the first zero of a step means for it. */
static CardanStatus decide(CrdRun *run, double t_new, double *h, bool dense, Found found, CrdLook *look) {
    CrdEvents *e = &run->events;
    int who = found.who;
    double until = found.zero.theta * *h;
    if (until <= crd_events_nothing(run)) {
        *look = CRD_LOOK_RESTART;
        return crd_events_flip(run, who);
    }
    e->quick = found.zero.theta < CRD_EVENT_QUICK_PART && e->quick_switch == who ? e->quick + 1 : 0;
    e->quick_switch = who;
    if (e->quick > CRD_EVENT_QUICK) {
        e->flips[who] = CRD_EVENT_FLIPS;
        *look = CRD_LOOK_RESTART;
        return crd_events_flip(run, who);
    }
    Watch w = watch(run, who, *h, dense);
    e->landing = who;
    e->landing_touches = found.zero.touches;
    e->landings = 0;
    e->slope = found.slope / *h;
    e->landing_theta = found.zero.theta;
    e->landing_most = *h;
    if (t_new - run->t - until <= crd_events_nothing(run)) { /* it ends there already */
        CRD_TRY(restore(run, t_new, dense));
        mark(run, *h, 0.0);
        return CARDAN_OK;
    }
    *look = CRD_LOOK_LAND;
    e->landing_range = range_of(&w);
    e->landing_h = *h = until;
    return CARDAN_OK;
}

static CardanStatus look_closely(CrdRun *run, double t_new, double *h, CrdLook *look) {
    Found found = {-1, {CRD_EVENT_NEVER, false}, 0.0};
    bool dense = run->method->looks_inside;
    if (dense) CRD_TRY(prepare(run, *h));
    CRD_TRY(take_samples(run, t_new, *h, CRD_EVENT_SAMPLES, dense));
    CRD_TRY(first_of_all(run, *h, dense, &found));
    return found.who < 0 ? restore(run, t_new, dense) : decide(run, t_new, h, dense, found, look);
}

/* ---- a step that is to end at a zero ---- */

/* Newton on the size of the step. A zero that is not there when the step ends where it was seen was one of the
 * interpolation alone: the step ends there all the same. */
static CardanStatus land(CrdRun *run, double t_new, double *h, CrdLook *look) {
    CrdEvents *e = &run->events;
    CRD_TRY(crd_events_values(run, t_new, run->y_new, e->end));
    Watch w = watch(run, e->landing, *h, false);
    double psi = psi_of(&w, e->end[e->landing]);
    double miss = e->slope < 0.0 && !e->landing_touches ? -psi / e->slope : 0.0;
    double close = run->options.step > 0.0 ? CRD_EPS : CRD_EVENT_LOCATED_RANGE * run->options.rtol;
    bool there = fabs(miss) <= located(run, *h) || fabs(psi) <= close * e->landing_range;
    if (!there && ++e->landings < CRD_EVENT_LANDINGS && miss > -0.5 * *h && *h + miss <= e->landing_most) {
        *look = CRD_LOOK_LAND;
        e->landing_h = *h = *h + miss;
        return CARDAN_OK;
    }
    if (there || psi <= 0.0) mark(run, *h, miss);
    return CARDAN_OK;
}

CardanStatus crd_events_look(CrdRun *run, double t_new, double *h, CrdLook *look) {
    CrdEvents *e = &run->events;
    *look = CRD_LOOK_CLEAR;
    memset(e->crossed, 0, (size_t)e->count * sizeof *e->crossed);
    memset(e->touched, 0, (size_t)e->count * sizeof *e->touched);
    if (!e->watches) return CARDAN_OK;
    if (e->landing >= 0 && *h == e->landing_h) return land(run, t_new, h, look);
    e->landing = -1;
    crd_dense_hermite(run->n, *h, run->y, run->f, run->y_new, run->f_new, e->hermite);
    bool held = false;
    CRD_TRY(take_samples(run, t_new, *h, QUARTERS, false));
    CRD_TRY(choose_sides(run, t_new, *h, &held));
    memcpy(e->end, e->sample + QUARTERS * (size_t)e->count, (size_t)e->count * sizeof *e->end);
    if (held) {
        *look = CRD_LOOK_RESTART;
        run->slope_known = false;
        return CARDAN_OK;
    }
    bool close = run->method->looks_inside && run->method->tableau == NULL; /* steps too long for a cubic */
    for (int i = 0; i < e->count && !close; i++) {
        Watch w = watch(run, i, *h, false);
        close = is_suspicious(&w);
    }
    return close ? look_closely(run, t_new, h, look) : CARDAN_OK;
}
