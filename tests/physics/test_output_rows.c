/* Rows between steps come from the interpolation of a step. They must be as good as its end: here they stand beside
 * those of a run that lands on them, from the same state before the step, in units of the tolerance. */
#include "support/check.h"
#include "support/reading.h"
#include "support/row_channels.h"
#include "support/sample.h"
#include "support/scene.h"

#include "core/numbers.h"
#include "mechanisms.h"
#include "sim/sim.h"

#include <dirent.h>

static const double RUN = 2.0;                    /* s; a whole run of each would take long under the sanitizers */
static const double INSIDE[] = {0.13, 0.5, 0.77}; /* of a step */
enum { PLACES = 3, STEPS = 60 };                  /* steps that are looked at in each model */

/* An error of the step itself, one of the steps that land, and what the interpolation adds: up to 3.5 times the 2 that
 * it may miss the middle by. */
static const double TOLERANCES = 10.0;

/* Next to a singular pose, closer than CRD_APPROACH, where rounding is left in the velocities of a landing and of the
 * stages of an interpolation alike: eps over the square of the singularity measure, some 1e-10 at 1e-3, where the one
 * model that passes poses asks for 1e-12. */
static const double BESIDE_A_POSE = 1000.0;

typedef struct Look {
    int places, beside;         /* looked at; of them next to a singular pose */
    double worst, worst_beside; /* tolerances */
} Look;

/* The largest difference at t inside the last step of sim from a run that lands there. */
static void compare(CardanSim *sim, CardanSim *before, double t, const Channels *channels, Look *look) {
    CardanSim *lands = NULL;
    double here[ROOM], there[ROOM];
    assert_int_equal(cardan_sim_clone(before, &lands), CARDAN_OK);
    MUST(cardan_sim_advance(lands, t));
    assert_true(cardan_sim_time(lands) == t);
    MUST(cardan_sim_sample(lands, t, channels->count, channels->list, there));
    MUST(cardan_sim_sample(sim, t, channels->count, channels->list, here));
    /* there, or where stages are that the row is interpolated from */
    double lowest = sim->relative.made ? 1.0 : sim->integrator.stages.lowest;
    bool beside = fmin(crd_singularity_measure(&lands->integrator.dynamics), lowest) < CRD_APPROACH;
    const double *v = faster(sim, before);
    double *worst = beside ? &look->worst_beside : &look->worst;
    look->places++;
    look->beside += beside;
    for (int i = 0; i < channels->count; i++)
        *worst =
            fmax(*worst, difference(channels->list[i], here[i], there[i]) / tolerance_of(sim, v, channels->list[i]));
    cardan_sim_destroy(lands);
}

static Look look_at(CardanModel *model, CardanOptions options) {
    Channels channels = channels_of(model);
    CardanSim *sim = scene_start(model, &options), *before = NULL;
    double end = fmin(options.end, RUN);
    Look look = {0};
    for (int k = 0; k < STEPS && cardan_sim_time(sim) < end; k++) {
        assert_int_equal(cardan_sim_clone(sim, &before), CARDAN_OK);
        MUST(cardan_sim_step(sim, (double)INFINITY));
        double t = cardan_sim_time(sim), h = cardan_sim_last_step(sim);
        for (int i = 0; i < PLACES && h > 1e-9; i++) compare(sim, before, t - h + INSIDE[i] * h, &channels, &look);
        cardan_sim_destroy(before);
    }
    cardan_sim_destroy(sim);
    return look;
}

static void check(const Look *look, const char *name) {
    if (!(look->worst <= TOLERANCES && look->worst_beside <= BESIDE_A_POSE))
        fail_msg("%s: rows are %.3g tolerances off, beside poses %.3g", name, look->worst, look->worst_beside);
}

static void every_model_with(const CardanStepper *stepper) {
    DIR *folder = opendir("models");
    int count = 0, places = 0, beside = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        size_t length = strlen(entry->d_name);
        if (length < 5 || length > 250 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        count++;
        if (!sample_has_name(entry->d_name, 3)) continue;
        snprintf(path, sizeof path, "models/%.250s", entry->d_name);
        CardanModel *model = scene_load(path);
        CardanOptions options = cardan_model_options(model);
        if (stepper != NULL) options.stepper = *stepper;
        Look look = look_at(model, options);
        check(&look, path);
        cardan_model_release(model);
        places += look.places;
        beside += look.beside;
    }
    closedir(folder);
    assert_true(count > 40 && places > sample_of(3000, 4) && beside < places / 100);
}

static void rows_inside_steps_are_as_good_as_rows_landed_on(void **state) {
    (void)state;
    every_model_with(NULL);
}

static void so_they_are_with_dopri5(void **state) {
    (void)state;
    static const CardanStepper DOPRI5 = CARDAN_STEPPER_DOPRI5;
    every_model_with(&DOPRI5);
}

/* Joints are open at rows by no more than a tolerance, or rounding. */
static void check_closed(const CardanSim *sim) {
    const CrdIntegrator *run = &sim->integrator;
    const CrdSystem *system = &run->dynamics.system;
    double excess =
        crd_stabiliser_excess(&run->stabiliser, &run->dynamics, sim->scratch + sim->model->structure->nq, 1.0);
    double largest = fmax(crd_max_abs(system->g, sim->model->structure->rows),
                          crd_max_abs(system->rate, sim->model->structure->rows));
    if (!(excess <= 1.0 || largest < 1e-12)) fail_msg("open by %.3g tolerances", excess);
}

typedef struct Price {
    long rhs, factorisations;
} Price;

/* What `rows` samples in the last step cost beyond the first, whose interpolation has to be made ready. */
static Price price_of(CardanSim *sim, int channels, const CardanChannel *channel, int rows) {
    double values[ROOM], t = cardan_sim_time(sim), h = cardan_sim_last_step(sim);
    MUST(cardan_sim_sample(sim, t - 0.999 * h, channels, channel, values));
    CardanWork before = work_of(sim);
    for (int i = 1; i <= rows; i++) {
        MUST(cardan_sim_sample(sim, t - h + 0.49 * h * i / rows, channels, channel, values));
        check_closed(sim);
    }
    CardanWork after = work_of(sim);
    return (Price){after.rhs - before.rhs, after.factorisations - before.factorisations};
}

static void rows_cost_what_their_channels_need(void **state) {
    (void)state;
    static const char *const NAMES[] = {"j1.angle", "j2.rate", "bar3.x", "energy", "residual", "j4.reaction"};
    enum { CHEAP = 5, ALL = 6, ROWS = 50 };
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    CardanChannel channel[ALL];
    for (int i = 0; i < ALL; i++) MUST(cardan_model_find_channel(model, NAMES[i], &channel[i], NULL, 0));
    long projected = 0;
    for (int k = 0; k < 10; k++) {
        MUST(cardan_sim_step(sim, (double)INFINITY));
        Price cheap = price_of(sim, CHEAP, channel, ROWS), dear = price_of(sim, ALL, channel, ROWS);
        assert_int_equal(cheap.rhs, 0);
        assert_int_equal(dear.rhs, ROWS);
        projected += cheap.factorisations; /* of rows that were put on the constraints */
    }
    assert_true(projected < 10 * ROWS / 3); /* 27 of 100 over the first 28 steps */
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Rows of one step share work: in turn, backwards, and with others between them that need all of the rows. */
static void a_row_is_the_same_whatever_is_asked_beside_it(void **state) {
    (void)state;
    enum { ROWS = 40, CHANNELS = 4 };
    static const char *const NAMES[] = {"j1.angle", "bar3.x", "bar3.qw", "bar5.wx", "j4.reaction"};
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    CardanChannel channel[CHANNELS + 1];
    double first[ROWS][CHANNELS], again[CHANNELS], reaction[6];
    for (int i = 0; i <= CHANNELS; i++) MUST(cardan_model_find_channel(model, NAMES[i], &channel[i], NULL, 0));
    for (int step = 0; step < 12; step++) {
        MUST(cardan_sim_step(sim, (double)INFINITY));
        double t = cardan_sim_time(sim), h = cardan_sim_last_step(sim);
        for (int i = 0; i < ROWS; i++)
            MUST(cardan_sim_sample(sim, t - h + h * (i + 0.5) / ROWS, CHANNELS, channel, first[i]));
        for (int i = ROWS - 1; i >= 0; i--) {
            if (i % 3 == 0) MUST(cardan_sim_sample(sim, t - 0.3 * h, 1, &channel[CHANNELS], reaction));
            MUST(cardan_sim_sample(sim, t - h + h * (i + 0.5) / ROWS, CHANNELS, channel, again));
            assert_memory_equal(first[i], again, sizeof again);
        }
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Beside a reaction the rows of all joints are evaluated anew. */
static void residuals_of_relative_rows_are_those_of_all_joints(void **state) {
    (void)state;
    enum { ROWS = 20 };
    const double rounding = 1e-13; /* of places and speeds of some units, over six joints */
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanOptions options = cardan_model_options(model);
    options.rtol = options.atol = 1e-5;
    CardanSim *sim = scene_start(model, &options);
    CardanChannel channel[2];
    double alone[2], values[8], largest = 0.0;
    MUST(cardan_model_find_channel(model, "residual", &channel[0], NULL, 0));
    MUST(cardan_model_find_channel(model, "j4.reaction", &channel[1], NULL, 0));
    for (int step = 0; step < 12; step++) {
        MUST(cardan_sim_step(sim, (double)INFINITY));
        assert_true(sim->relative.made);
        double t = cardan_sim_time(sim), h = cardan_sim_last_step(sim);
        for (int i = 0; i < ROWS; i++) {
            double at = t - h + h * (i + 0.5) / ROWS;
            MUST(cardan_sim_sample(sim, at, 1, channel, alone));
            MUST(cardan_sim_sample(sim, at, 2, channel, values));
            for (int k = 0; k < 2; k++) assert_true(fabs(alone[k] - values[k]) <= rounding);
            largest = fmax(largest, alone[0]);
        }
    }
    assert_true(largest > 1e-8); /* rows are closed to a tolerance, not to rounding: there was something to see */
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void the_look_for_least_multipliers_is_made_once_a_row(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    CardanChannel channel[2];
    double values[12], again[12];
    MUST(cardan_model_find_channel(model, "j1.reaction", &channel[0], NULL, 0));
    MUST(cardan_model_find_channel(model, "j4.reaction", &channel[1], NULL, 0));
    MUST(cardan_sim_step(sim, (double)INFINITY));
    CrdDynamics *dynamics = &sim->integrator.dynamics;
    MUST(cardan_sim_sample(sim, cardan_sim_time(sim), 2, channel, values));
    assert_true(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_LEAST));
    dynamics->spectrum.holds = CRD_DECOMPOSED_NOT; /* another look would be seen */
    MUST(cardan_sim_sample(sim, cardan_sim_time(sim), 2, channel, again));
    assert_int_equal(dynamics->spectrum.holds, CRD_DECOMPOSED_NOT);
    assert_memory_equal(values, again, sizeof values);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Swinging chains, whose ends crack. */
static void so_they_are_on_chains(void **state) {
    (void)state;
    static const CardanSpace SPACES[] = {CARDAN_SPACE_PLANAR, CARDAN_SPACE_SPATIAL};
    static const int LINKS[] = {2, 8, 32};
    for (int i = 0; i < 6; i++) {
        CardanModel *model = scene_compile(mechanism_chain(SPACES[i % 2], LINKS[i / 2]));
        CardanOptions options = cardan_default_options();
        options.end = 1.0;
        Look look = look_at(model, options);
        check(&look, "chain");
        assert_true(look.places >= 15);
        cardan_model_release(model);
    }
}

/* A run that is looked at inside each step, next to singular poses too, and one that is not have the same state. */
static void reading_rows_changes_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"models/equal_slider_crank.yaml", "models/double_four_bar.yaml"};
    static const char *const joints[] = {"wrist.reaction", "foot1.reaction"};
    for (int m = 0; m < 2; m++) {
        CardanModel *model = scene_load(names[m]);
        CardanOptions options = cardan_model_options(model);
        options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
        CardanSim *seen = scene_start(model, &options), *alone = scene_start(model, &options);
        size_t size = (size_t)cardan_sim_state_size(seen);
        double *numbers = calloc(2 * size, sizeof *numbers), wrench[6];
        CardanChannel reaction;
        char message[128];
        assert_non_null(numbers);
        assert_true(cardan_model_find_channel(model, joints[m], &reaction, message, sizeof message) >= 0);
        while (cardan_sim_time(alone) < RUN) {
            assert_true(cardan_sim_step(seen, RUN) >= 0 && cardan_sim_step(alone, RUN) >= 0);
            double h = cardan_sim_last_step(seen), end = cardan_sim_time(seen);
            for (int i = 1; i < 20; i++)
                assert_true(cardan_sim_sample(seen, end - h * i / 20.0, 1, &reaction, wrench) >= 0);
            assert_true(cardan_sim_get_state(seen, numbers) >= 0 && cardan_sim_get_state(alone, numbers + size) >= 0);
            if (memcmp(numbers, numbers + size, size * sizeof *numbers) != 0) fail_msg("%s: t = %.9g", names[m], end);
        }
        free(numbers);
        cardan_sim_destroy(seen);
        cardan_sim_destroy(alone);
        cardan_model_release(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_inside_steps_are_as_good_as_rows_landed_on),
        cmocka_unit_test(so_they_are_with_dopri5),
        cmocka_unit_test(so_they_are_on_chains),
        cmocka_unit_test(rows_cost_what_their_channels_need),
        cmocka_unit_test(a_row_is_the_same_whatever_is_asked_beside_it),
        cmocka_unit_test(residuals_of_relative_rows_are_those_of_all_joints),
        cmocka_unit_test(the_look_for_least_multipliers_is_made_once_a_row),
        cmocka_unit_test(reading_rows_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
