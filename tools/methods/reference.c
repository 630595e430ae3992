/* The solution that errors are measured against. Two explicit methods of high order with error control, of different
 * orders and with different ways to keep the constraints: what they agree on is the solution. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"

static const double coarse_tolerance = 1e-3; /* its steps are the largest that are worth while */
static const double least_useful = 1e-6;     /* a reference at a looser tolerance is none */
static const long many_steps = 40;           /* so many coarse ones are not disturbed by some landings */

static CardanOptions options_of(const CardanOptions *base, bool check, double rtol) {
    CardanOptions o = cardan_default_options();
    o.end = base->end;
    o.solver = base->solver;
    o.max_step = base->max_step;
    o.stepper = check ? CARDAN_STEPPER_DOPRI5 : CARDAN_STEPPER_DOP853;
    if (check) o.stabilise.method = CARDAN_STABILISE_PROJECT;
    o.rtol = rtol;
    o.atol = 0.01 * rtol;
    return o;
}

typedef struct Recording {
    double *state[LANDINGS_MOST];
    double size[2], rtol;
    long steps;
    char why[WHY_SIZE];
} Recording;

static bool record(Recording *recording, const CardanModel *model, const CardanOptions *options, int landings,
                   const Limits *limits) {
    Drive d;
    bool good = drive_open(&d, model, options, limits);
    d.watch_size = true;
    d.landings = landings;
    for (int k = 0; good && k < landings; k++) {
        good = drive_to(&d, k);
        if (good) memcpy(recording->state[k], d.state, (size_t)d.n * sizeof *d.state);
    }
    memcpy(recording->size, d.size, sizeof recording->size);
    recording->steps = d.steps;
    snprintf(recording->why, sizeof recording->why, "%s", d.why);
    drive_close(&d);
    return good;
}

/* The tightest tolerance that gets through in time. */
static bool record_tightest(Recording *recording, const CardanModel *model, const CardanOptions *base, bool check,
                            int landings, const Limits *limits) {
    for (recording->rtol = check ? 1e-12 : 1e-13; recording->rtol < 1.1 * least_useful && interrupt_signal() == 0;
         recording->rtol *= 10.0) {
        CardanOptions o = options_of(base, check, recording->rtol);
        if (record(recording, model, &o, landings, limits)) return true;
    }
    if (interrupt_signal() == 0)
        complain("methods: no %s: %s", check ? "second run to check the reference" : "reference", recording->why);
    return false;
}

static bool make_room(Recording *recording, int n) {
    bool room = true;
    for (int k = 0; k < LANDINGS_MOST; k++) {
        recording->state[k] = calloc((size_t)n + 1, sizeof **recording->state);
        room = room && recording->state[k] != NULL;
    }
    return room;
}

int reference_make(Reference *reference, const CardanModel *model, const CardanOptions *base, const Limits *limits) {
    CardanSizes sizes = cardan_model_sizes(model);
    Recording first = {.rtol = 0.0}, second = {.rtol = 0.0};
    *reference = (Reference){.nq = sizes.coordinates, .n = sizes.coordinates + sizes.velocities + sizes.first_order};
    bool room = make_room(&first, reference->n) && make_room(&second, reference->n);
    CardanOptions coarse = options_of(base, false, coarse_tolerance);
    int status = room ? STATUS_DONE : STATUS_FAULT;
    if (!room) complain("out of memory");
    reference->coarse_steps = room && record(&second, model, &coarse, 1, limits) ? second.steps : 100;
    reference->landings = reference->coarse_steps >= many_steps ? LANDINGS_MOST : 1;
    if (room && !(record_tightest(&first, model, base, false, reference->landings, limits) &&
                  record_tightest(&second, model, base, true, reference->landings, limits)))
        status = STATUS_STOPPED;
    for (int k = 0; k < 2; k++) reference->size[k] = first.size[k] > 0.0 ? first.size[k] : 1.0; /* 0: nothing moves */
    for (int k = 0; k < LANDINGS_MOST; k++) {
        reference->state[k] = first.state[k];
        if (status == STATUS_DONE && k < reference->landings)
            reference->error =
                fmax(reference->error, reference_distance(reference, reference->state[k], second.state[k]));
        free(second.state[k]);
    }
    snprintf(reference->text, sizeof reference->text, "dop853 at %.0e, checked by dopri5 with projection at %.0e",
             first.rtol, second.rtol);
    return status;
}

void reference_free(Reference *reference) {
    for (int k = 0; k < LANDINGS_MOST; k++) free(reference->state[k]);
}
