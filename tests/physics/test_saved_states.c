/* A state put back into another simulation goes on with the same bits, whatever the stepper, the coordinates, and what
 * is under way: events, passages, curves, kept matrices. Every number of every later state is compared. */
#include "support/check.h"
#include "support/random.h"
#include "support/sample.h"
#include "support/scene.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 150, RESUMES = 3, ALONG = 16 }; /* every number is compared, so what was forgotten shows soon */

/* Singular poses, redundant rows, curves, events of every sort, dry friction. */
static const char *const MODELS[] = {
    "slider_crank", "equal_slider_crank", "sarrus",     "double_four_bar", "bead_on_helix", "cam",
    "every_load",   "plane_loads",        "stick_slip", "bricard",         "geneva",        "quarter_car"};

/* The states after each step, one behind the other. */
typedef struct Trail {
    const CardanModel *model;
    CardanOptions options;
    const char *what;
    int size, steps;
    double *state;
    double end;
} Trail;

static const double *at(const Trail *trail, int step) {
    return trail->state + (size_t)step * (size_t)trail->size;
}

static bool follow(Trail *trail) {
    CardanSim *sim = NULL;
    bool fits = cardan_sim_create(trail->model, &trail->options, &sim) >= 0; /* a stepper may not take this model */
    trail->size = fits ? cardan_sim_state_size(sim) : 0;
    trail->steps = -1;
    trail->state = fits ? calloc((size_t)trail->size * (STEPS + 1), sizeof *trail->state) : NULL;
    for (CardanStatus status = CARDAN_OK; fits && status >= 0;) {
        trail->steps++;
        assert_int_equal(cardan_sim_get_state(sim, trail->state + (size_t)trail->steps * (size_t)trail->size), 0);
        if (trail->steps == STEPS || !(cardan_sim_time(sim) < trail->end)) break;
        status = cardan_sim_step(sim, trail->end);
    }
    cardan_sim_destroy(sim);
    return trail->steps > 1;
}

static void compare(const Trail *trail, CardanSim *sim, double *numbers, int from, int step) {
    const double *expected = at(trail, step);
    assert_int_equal(cardan_sim_get_state(sim, numbers), CARDAN_OK);
    for (int i = 0; i < trail->size; i++)
        if (memcmp(&numbers[i], &expected[i], sizeof *numbers) != 0)
            fail_msg("%s: from step %d, number %d of %d after step %d is %.17g, not %.17g", trail->what, from, i,
                     trail->size, step, numbers[i], expected[i]);
}

static void put_back(const Trail *trail, int from) {
    CardanSim *sim = NULL;
    double *numbers = calloc((size_t)trail->size, sizeof *numbers);
    assert_true(cardan_sim_create(trail->model, &trail->options, &sim) >= 0);
    if (cardan_sim_set_state(sim, at(trail, from)) < 0) fail_msg("%s: %s", trail->what, cardan_sim_message(sim));
    compare(trail, sim, numbers, from, from);
    for (int step = from + 1; step <= trail->steps && step <= from + ALONG; step++) {
        if (cardan_sim_step(sim, trail->end) < 0) fail_msg("%s: %s", trail->what, cardan_sim_message(sim));
        compare(trail, sim, numbers, from, step);
    }
    cardan_sim_destroy(sim);
    free(numbers);
}

/* With error control where the stepper has it, else with fixed steps; true: the model takes this stepper. */
static bool check(const CardanModel *model, const char *name, const char *stepper, const char *coordinates,
                  Random *random) {
    char what[256], message[256];
    Trail trail = {.model = model, .options = cardan_model_options(model), .what = what, .end = 2.0};
    assert_int_equal(cardan_options_set(&trail.options, "stepper", stepper, message, sizeof message), CARDAN_OK);
    assert_int_equal(cardan_options_set(&trail.options, "coordinates", coordinates, message, sizeof message), 0);
    trail.options.step = 0.0;
    bool adaptive = cardan_options_check(&trail.options, message, sizeof message) >= 0;
    if (!adaptive) trail.options.step = 0.004;
    snprintf(what, sizeof what, "%s with %s in %s coordinates", name, stepper, coordinates);
    bool fits = follow(&trail);
    for (int k = 0; fits && k < sample_of(RESUMES, 3); k++) put_back(&trail, random_index(random, trail.steps));
    free(trail.state);
    return fits;
}

static void check_model(const char *name, const char *coordinates) {
    char path[128];
    Random random = {17};
    int taken = 0;
    snprintf(path, sizeof path, "models/%s.yaml", name);
    CardanModel *model = scene_load(path);
    for (int i = 0; cardan_options_word("stepper", i) != NULL; i++)
        if (sample_has(i + (int)name[0], 6)) /* others of each model */
            taken += check(model, name, cardan_options_word("stepper", i), coordinates, &random);
    assert_true(taken > 5 || SAMPLE_IS_PART);
    cardan_model_release(model);
}

static void a_saved_state_goes_on_with_the_same_bits_in_absolute_coordinates(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) check_model(MODELS[i], "absolute");
}

static void a_saved_state_goes_on_with_the_same_bits_in_relative_coordinates(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i += 2) check_model(MODELS[i], "relative");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits_in_absolute_coordinates),
        cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits_in_relative_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
