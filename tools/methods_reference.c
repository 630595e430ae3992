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
    o.stepper = check ? CARDAN_DOPRI5 : CARDAN_DOP853;
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

static bool record(Recording *r, const CardanModel *model, const CardanOptions *options, int landings,
                   const Limits *limits) {
    Drive d;
    bool good = drive_open(&d, model, options, limits);
    d.watch_size = true;
    d.landings = landings;
    for (int k = 0; good && k < landings; k++) {
        good = drive_to(&d, k);
        if (good) memcpy(r->state[k], d.state, (size_t)d.n * sizeof *d.state);
    }
    memcpy(r->size, d.size, sizeof r->size);
    r->steps = d.steps;
    snprintf(r->why, sizeof r->why, "%s", d.why);
    drive_close(&d);
    return good;
}

/* The tightest tolerance that gets through in time. */
static bool record_tightest(Recording *r, const CardanModel *model, const CardanOptions *base, bool check, int landings,
                            const Limits *limits) {
    for (r->rtol = check ? 1e-12 : 1e-13; r->rtol < 1.1 * least_useful && interrupt_signal() == 0; r->rtol *= 10.0) {
        CardanOptions o = options_of(base, check, r->rtol);
        if (record(r, model, &o, landings, limits)) return true;
    }
    if (interrupt_signal() == 0)
        complain("methods: no %s: %s", check ? "second run to check the reference" : "reference", r->why);
    return false;
}

static bool make_room(Recording *r, int n) {
    bool room = true;
    for (int k = 0; k < LANDINGS_MOST; k++) {
        r->state[k] = calloc((size_t)n + 1, sizeof **r->state);
        room = room && r->state[k] != NULL;
    }
    return room;
}

int reference_make(Reference *r, const CardanModel *model, const CardanOptions *base, const Limits *limits) {
    CardanSizes sizes = cardan_model_sizes(model);
    Recording first = {.rtol = 0.0}, second = {.rtol = 0.0};
    *r = (Reference){.nq = sizes.coordinates, .n = sizes.coordinates + sizes.velocities + sizes.first_order};
    bool room = make_room(&first, r->n) && make_room(&second, r->n);
    CardanOptions coarse = options_of(base, false, coarse_tolerance);
    int status = room ? STATUS_DONE : STATUS_FAULT;
    if (!room) complain("out of memory");
    r->coarse_steps = room && record(&second, model, &coarse, 1, limits) ? second.steps : 100;
    r->landings = r->coarse_steps >= many_steps ? LANDINGS_MOST : 1;
    if (room && !(record_tightest(&first, model, base, false, r->landings, limits) &&
                  record_tightest(&second, model, base, true, r->landings, limits)))
        status = STATUS_STOPPED;
    for (int k = 0; k < 2; k++) r->size[k] = first.size[k] > 0.0 ? first.size[k] : 1.0; /* 0: nothing moves */
    for (int k = 0; k < LANDINGS_MOST; k++) {
        r->state[k] = first.state[k];
        if (status == STATUS_DONE && k < r->landings)
            r->error = fmax(r->error, reference_distance(r, r->state[k], second.state[k]));
        free(second.state[k]);
    }
    snprintf(r->text, sizeof r->text, "dop853 at %.0e, checked by dopri5 with projection at %.0e", first.rtol,
             second.rtol);
    return status;
}

void reference_free(Reference *r) {
    for (int k = 0; k < LANDINGS_MOST; k++) free(r->state[k]);
}
