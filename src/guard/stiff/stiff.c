/* Between the end of a step y and its last stage Y, which is at the same time, slopes differ by J (y - Y), and the
 * difference lies mostly in the fastest mode: h |lambda| is about h |f(y) - f(Y)| / |y - Y|. Where that stays at the
 * bound of the method's region of stability the step is as long as stability lets it be, however loose the tolerance
 * (Hairer, Wanner, IV.2; as in their DOPRI5 and DOP853). */
#include "guard/stiff/stiff.h"

#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Steps at the bound that make it stiff, and steps in a row below it that make it forgotten (DOPRI5). A remark waits
 * for more of them: a short rubbing contact is not worth one. */
#define CRD_STIFF_HITS 15
#define CRD_STIFF_REMARK_HITS 60
#define CRD_STIFF_MISSES 6

/* Parts of a difference that rows forbid dilute the quotient: from this part of the bound on, every so many such steps,
 * the spectrum itself is looked at. */
#define CRD_STIFF_SUSPECT 0.2
#define CRD_STIFF_SUSPECT_EVERY 20

/* Where an implicit method is at work: steps from one look at the spectrum to the next, iterations of a look, and the
 * h |lambda| below which an explicit method, stable up to 6, would make steps of that size and longer. */
#define CRD_STIFF_LOOK_EVERY 25
#define CRD_STIFF_LOOK_ITERATIONS 4
#define CRD_STIFF_CALM 1.0

/* Of a vector to begin iterations with, beside a difference: a little of everything, so that no mode is missed. */
#define CRD_STIFF_SEED 1e-3

/* Iterations from a difference that lies in the mode already. */
#define CRD_STIFF_BLAME_ITERATIONS 2

/* Remarks of one run; all changes are in the log. */
enum { REMARKS_MAX = 2, MEMORY = 5 };

static bool changes(const CrdIntegrator *integrator) {
    return integrator->methods.method[1] != NULL;
}

bool crd_stiff_is_watched(const CrdIntegrator *integrator) {
    return integrator->options.step <= 0.0 && integrator->stepper.method->stiffness != NULL;
}

/* ---- telling ---- */

static void note(CrdIntegrator *integrator, int direction, const char *name) {
    double t = integrator->stepper.t;
    CardanEvent event = {.kind = CARDAN_EVENT_STIFF, .t = t, .left_at = t, .direction = direction, .name = name};
    crd_log_add(&integrator->log, &event, false);
}

static CardanStatus tell_stiff(CrdStiff *stiff, const char *name, double product) {
    const CrdIntegrator *integrator = stiff->integrator;
    double t = integrator->stepper.t;
    CrdError *error = integrator->stepper.error;
    if (stiff->told++ >= REMARKS_MAX) return CARDAN_OK;
    if (changes(integrator))
        return crd_fail(error, CARDAN_REMARK, "from t = %.4g on %s makes the steps: '%s' is stiff", t,
                        integrator->methods.method[1]->name, name);
    return crd_fail(error, CARDAN_REMARK,
                    "from t = %.4g on stability bounds the steps of %s, not accuracy (h |lambda| = %.2g): '%s' is "
                    "stiff; try stepper auto, radau5 or bdf",
                    t, integrator->stepper.method->name, product, name);
}

static CardanStatus tell_calm(CrdStiff *stiff) {
    const CrdIntegrator *integrator = stiff->integrator;
    if (stiff->told++ >= REMARKS_MAX) return CARDAN_OK;
    return crd_fail(integrator->stepper.error, CARDAN_REMARK,
                    "from t = %.4g on %s makes the steps again: nothing is stiff any more", integrator->stepper.t,
                    integrator->methods.method[0]->name);
}

/* ---- watching ---- */

/* Looks at the spectrum use the workspace; the slope of the state stays the very one of the step. */
static void keep_slope(CrdStiff *stiff) {
    const CrdStepper *stepper = &stiff->integrator->stepper;
    memcpy(stiff->slope, stepper->f, (size_t)stepper->n * sizeof *stepper->f);
}

static CardanStatus put_back(CrdStiff *stiff) {
    CrdIntegrator *integrator = stiff->integrator;
    crd_error_clear(integrator->stepper.error);
    crd_integrator_touch(integrator);
    CardanStatus status = crd_integrator_evaluate(integrator);
    memcpy(integrator->stepper.f, stiff->slope, (size_t)integrator->stepper.n * sizeof *stiff->slope);
    return status;
}

static CardanStatus become_stiff(CrdStiff *stiff, double product) {
    CrdIntegrator *integrator = stiff->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    double lambda = product / (stepper->t - stepper->t_old);
    keep_slope(stiff);
    stepper->method->stiff_mode(stepper, stiff->mode);
    double seen = crd_stiff_iterate(stiff, CRD_STIFF_BLAME_ITERATIONS);
    const char *name = crd_stiff_blame(stiff, seen > 0.0 ? seen : lambda);
    CRD_TRY(put_back(stiff));
    note(integrator, 1, name);
    integrator->methods.next = changes(integrator) ? 1 : 0;
    stiff->hits = stiff->misses = 0;
    return tell_stiff(stiff, name, product);
}

/* h |lambda| by the spectrum, where the method's own quotient is in doubt. */
static CardanStatus look(CrdStiff *stiff, double *product) {
    const CrdStepper *stepper = &stiff->integrator->stepper;
    keep_slope(stiff);
    stepper->method->stiff_mode(stepper, stiff->mode);
    double lambda = crd_stiff_iterate(stiff, CRD_STIFF_LOOK_ITERATIONS);
    CRD_TRY(put_back(stiff));
    if (lambda > 0.0) *product = fmax(*product, lambda * (stepper->t - stepper->t_old));
    return CARDAN_OK;
}

static CardanStatus watch_explicit(CrdStiff *stiff) {
    const CrdStepper *stepper = &stiff->integrator->stepper;
    const double bound = stepper->method->stability;
    bool known = stiff->told > 0 && !changes(stiff->integrator);
    double product = known ? 0.0 : stepper->method->stiffness(stepper);
    int weight = 1;
    if (product > CRD_STIFF_SUSPECT * bound && product <= bound && ++stiff->suspects >= CRD_STIFF_SUSPECT_EVERY) {
        stiff->suspects = 0;
        weight = CRD_STIFF_SUSPECT_EVERY;
        CRD_TRY(look(stiff, &product));
    }
    if (product > bound) {
        stiff->misses = 0;
        stiff->hits += weight;
        if (stiff->hits >= (changes(stiff->integrator) ? CRD_STIFF_HITS : CRD_STIFF_REMARK_HITS))
            return become_stiff(stiff, product);
    } else if (stiff->hits > 0 &&
               ++stiff->misses == (stiff->suspects > 0 ? CRD_STIFF_SUSPECT_EVERY : 1) + CRD_STIFF_MISSES) {
        stiff->hits = stiff->misses = 0;
    }
    return CARDAN_OK;
}

/* Any vector with a part of the mode does. */
static void begin_mode(CrdStiff *stiff) {
    const CrdStepper *stepper = &stiff->integrator->stepper;
    for (int i = 0; i < stepper->n; i++)
        stiff->mode[i] = stepper->f[i] - stepper->f_new[i] + CRD_STIFF_SEED * (1 + i % 5) * (i % 2 == 0 ? 1.0 : -1.0);
}

static CardanStatus watch_implicit(CrdStiff *stiff) {
    CrdIntegrator *integrator = stiff->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    if (++stiff->misses < CRD_STIFF_LOOK_EVERY) return CARDAN_OK;
    stiff->misses = 0;
    keep_slope(stiff);
    begin_mode(stiff);
    double lambda = crd_stiff_iterate(stiff, CRD_STIFF_LOOK_ITERATIONS);
    CRD_TRY(put_back(stiff));
    double h = fmax(stepper->t - stepper->t_old, integrator->controller.h_next);
    if (!(lambda * h <= CRD_STIFF_CALM)) return CARDAN_OK;
    memset(stepper->history, 0, (size_t)stepper->history_size * sizeof *stepper->history);
    integrator->methods.next = 0;
    stiff->hits = 0;
    note(integrator, -1, integrator->methods.method[0]->name);
    return tell_calm(stiff);
}

static CardanStatus after_acceptance(void *self) {
    CrdStiff *stiff = self;
    return stiff->integrator->stepper.method->implicit ? watch_implicit(stiff) : watch_explicit(stiff);
}

/* ---- memory ---- */

static int memory_size(const CrdStructure *structure) {
    (void)structure;
    return MEMORY;
}

static void get(const void *self, double *numbers) {
    const CrdStiff *stiff = self;
    numbers[0] = stiff->hits;
    numbers[1] = stiff->misses;
    numbers[2] = stiff->integrator->methods.next;
    numbers[3] = stiff->suspects;
    numbers[4] = stiff->told;
}

static void set(void *self, const double *numbers) {
    CrdStiff *stiff = self;
    stiff->hits = (int)numbers[0];
    stiff->misses = (int)numbers[1];
    stiff->suspects = (int)numbers[3];
    stiff->told = (int)numbers[4];
    stiff->integrator->methods.next = changes(stiff->integrator) && numbers[2] > 0.0 ? 1 : 0;
}

static void copy(void *self, const void *from) {
    double numbers[MEMORY];
    get(from, numbers);
    set(self, numbers);
}

CrdStiff *crd_stiff_layout(CrdIntegrator *integrator, CrdArena *arena) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    CrdStiff measuring = {0}, *taken = crd_take(arena, 1, sizeof *taken), *stiff = taken != NULL ? taken : &measuring;
    size_t widest = 0;
    stiff->integrator = integrator;
    for (int i = 0; i < structure->element_count; i++)
        if (structure->elements[i].compliant > 0 && (size_t)structure->elements[i].attachments > widest)
            widest = (size_t)structure->elements[i].attachments;
    CRD_TAKE_VECTORS(arena, (size_t)integrator->stepper.n, &stiff->mode, &stiff->image, &stiff->slope);
    stiff->twist = crd_take(arena, 6 * (size_t)structure->frame_count, sizeof(double));
    crd_load_derivatives_layout(&stiff->loads, structure, arena);
    CRD_TAKE_VECTORS(arena, 36 * widest * widest, &stiff->element[0], &stiff->element[1]);
    return taken;
}

const CrdGuard crd_stiff_guard = {
    .after_acceptance = after_acceptance, .memory_size = memory_size, .get = get, .set = set, .copy = copy};
