/* Many rows of one step, read from a few states of it: beside runs that land on them and rows that are read one by one,
 * in units of the tolerance. */
#include "support/check.h"
#include "support/reading.h"
#include "support/row_channels.h"
#include "support/sample.h"
#include "support/scene.h"

#include "cardan/run.h"
#include "core/numbers.h"
#include "mechanisms.h"

#include <dirent.h>

enum { ROWS = 100, STEPS = 25, LANDINGS = 3 };

/* As of rows by themselves (test_output_rows): the error of the step, of the one that lands, of the interpolation. A
 * quarter of one is what many rows add. */
static const double TOLERANCES = 10.0;

typedef struct Count {
    int steps, together; /* looked at; of them read from a few states */
    double worst;        /* tolerances, from landings */
} Count;

static void spread(const CardanSim *sim, int rows, double *t) {
    double h = cardan_sim_last_step(sim), from = cardan_sim_time(sim) - h;
    for (int i = 0; i < rows; i++) t[i] = from + h * (i + 0.5) / rows;
}

static bool same_bits(CardanSim *sim, const Channels *channels, const double *t, const double *values) {
    double alone[ROOM];
    bool same = true;
    for (int i = 0; i < ROWS && same; i += 9) {
        MUST(cardan_sim_sample(sim, t[i], channels->count, channels->list, alone));
        same =
            memcmp(alone, values + (size_t)i * (size_t)channels->count, sizeof *alone * (size_t)channels->count) == 0;
    }
    return same;
}

static void compare(CardanSim *sim, CardanSim *before, const Channels *channels, Count *count) {
    static double values[ROWS * ROOM];
    double t[ROWS], there[ROOM];
    spread(sim, ROWS, t);
    MUST(cardan_sim_sample_rows(sim, ROWS, t, channels->count, channels->list, values));
    count->steps++;
    count->together += !same_bits(sim, channels, t, values);
    for (int k = 0; k < LANDINGS; k++) {
        CardanSim *lands = NULL;
        int row = (2 * k + 1) * ROWS / (2 * LANDINGS);
        assert_int_equal(cardan_sim_clone(before, &lands), CARDAN_OK);
        MUST(cardan_sim_advance(lands, t[row]));
        MUST(cardan_sim_sample(lands, t[row], channels->count, channels->list, there));
        double lowest = sim->relative.made ? 1.0 : sim->integrator.stages.lowest;
        bool beside = fmin(crd_singularity_measure(&lands->integrator.dynamics), lowest) < CRD_APPROACH;
        for (int i = 0; i < channels->count && !beside; i++) { /* of a pose: test_output_rows */
            double off = difference(channels->list[i], values[row * channels->count + i], there[i]);
            count->worst = fmax(count->worst, off / tolerance_of(sim, faster(sim, before), channels->list[i]));
        }
        cardan_sim_destroy(lands);
    }
}

static Count look_at(CardanModel *model, CardanOptions options) {
    Channels channels = channels_of(model);
    CardanSim *sim = scene_start(model, &options), *before = NULL;
    Count count = {0};
    for (int k = 0; k < STEPS && cardan_sim_time(sim) < options.end; k++) {
        assert_int_equal(cardan_sim_clone(sim, &before), CARDAN_OK);
        MUST(cardan_sim_step(sim, (double)INFINITY));
        if (cardan_sim_last_step(sim) > 1e-9) compare(sim, before, &channels, &count);
        cardan_sim_destroy(before);
    }
    cardan_sim_destroy(sim);
    return count;
}

static void many_rows_are_as_good_as_rows_landed_on(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    Count all = {0};
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        size_t length = strlen(entry->d_name);
        if (length < 5 || length > 250 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        if (!sample_has_name(entry->d_name, 6)) continue;
        snprintf(path, sizeof path, "models/%.250s", entry->d_name);
        CardanModel *model = scene_load(path);
        Count count = look_at(model, cardan_model_options(model));
        if (!(count.worst <= TOLERANCES)) fail_msg("%s: many rows are %.3g tolerances off", path, count.worst);
        cardan_model_release(model);
        all.steps += count.steps;
        all.together += count.together;
    }
    closedir(folder);
    print_message("%d of %d steps were read from a few states\n", all.together, all.steps);
    assert_true(all.steps > sample_of(600, 8) && 10 * all.together > 7 * all.steps);
}

/* Bricard's linkage after k steps. */
static CardanSim *stepped(CardanModel *model, int k) {
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    for (; k > 0; k--) MUST(cardan_sim_step(sim, (double)INFINITY));
    return sim;
}

static void find(const CardanModel *model, const char *name, CardanChannel *channel) {
    char message[256];
    if (cardan_model_find_channel(model, name, channel, message, sizeof message) < 0) fail_msg("%s", message);
}

/* Eleven states in place of a hundred; and the end of the step as it is. */
static void they_cost_a_few(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanSim *sim = stepped(model, 5);
    CardanChannel reaction, place;
    double t[ROWS + 1], values[(ROWS + 1) * 7], end[7];
    const CardanChannel both[] = {(find(model, "j4.reaction", &reaction), reaction),
                                  (find(model, "bar3.x", &place), place)};
    spread(sim, ROWS, t);
    t[ROWS] = cardan_sim_time(sim);
    MUST(cardan_sim_sample(sim, t[50], 2, both, values)); /* makes the interpolation ready */
    CardanWork before = work_of(sim);
    MUST(cardan_sim_sample_rows(sim, ROWS + 1, t, 2, both, values));
    CardanWork after = work_of(sim);
    assert_true(after.rhs - before.rhs >= 9 &&
                after.rhs - before.rhs <= 19); /* at 9 or 17 nodes and their probes, the end */
    MUST(cardan_sim_sample(sim, t[ROWS], 2, both, end));
    assert_memory_equal(end, values + ROWS * 7, sizeof end);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* The largest of the states that they are read from, each closed to a small part of a tolerance. */
static void residuals_are_those_of_the_states_read(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanSim *sim = stepped(model, 5);
    CardanChannel residual;
    double t[ROWS], values[2 * ROWS];
    find(model, "residual", &residual);
    spread(sim, ROWS, t);
    MUST(cardan_sim_sample_rows(sim, ROWS, t, 1, &residual, values));
    CrdAllowed place = crd_tolerated_positions(&sim->integrator.stabiliser.tolerance, model, 0.1);
    for (int i = 0; i < ROWS; i++) {
        assert_true(values[2 * i] > 0.0 && values[2 * i] < place.length);
        assert_true(fabs(values[2 * i] - values[0]) <= 1e-14 * values[0]);
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static const char SPINNER[] = "cardan: 1\nname: spinner\nspace: spatial\nbodies:\n"
                              "  top: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 40]}\n"
                              "simulation: {end: 1}\n";

/* An angle that jumps from pi to -pi is no polynomial: each row is read by itself. */
static void what_is_not_smooth_is_read_row_by_row(void **state) {
    (void)state;
    CardanModel *model = scene_read(SPINNER);
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    Channels yaw = {.count = 1};
    double t[ROWS], values[ROWS];
    int jumps = 0;
    find(model, "top.yaw", &yaw.list[0]);
    for (int k = 0; k < 40 && cardan_sim_time(sim) < 1.0; k++) {
        bool jumped = false;
        MUST(cardan_sim_step(sim, 1.0));
        spread(sim, ROWS, t);
        MUST(cardan_sim_sample_rows(sim, ROWS, t, 1, yaw.list, values));
        for (int i = 1; i < ROWS; i++) jumped = jumped || fabs(values[i] - values[i - 1]) > 3.0;
        for (int i = 0; i < ROWS; i++) assert_true(fabs(remainder(values[i] - 40.0 * t[i], 2.0 * acos(-1.0))) < 1e-5);
        if (jumped) assert_true(same_bits(sim, &yaw, t, values));
        jumps += jumped;
    }
    assert_true(jumps >= 2);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* From pi to -pi between the last two nodes of the fifth step, in its last hundredth. */
static void an_angle_within_half_a_turn_stays_there(void **state) {
    (void)state;
    const double pi = acos(-1.0);
    CardanModel *model = scene_read(SPINNER);
    CardanOptions options = cardan_model_options(model);
    options.stepper = CARDAN_STEPPER_RK4;
    options.step = 0.0157208;
    CardanSim *sim = scene_start(model, &options);
    CardanChannel yaw;
    double t[ROWS], values[ROWS];
    find(model, "top.yaw", &yaw);
    for (int k = 0; k < 5; k++) MUST(cardan_sim_step(sim, 1.0));
    for (int i = 0; i < ROWS; i++) t[i] = cardan_sim_time(sim) - 0.01 * options.step * (ROWS - i) / ROWS;
    MUST(cardan_sim_sample_rows(sim, ROWS, t, 1, &yaw, values));
    assert_true(values[0] > 3.0 && values[ROWS - 1] < -3.0);
    for (int i = 0; i < ROWS; i++) {
        assert_true(fabs(values[i]) <= pi);
        assert_true(fabs(remainder(values[i] - 40.0 * t[i], 2.0 * pi)) < 1e-3); /* of rk4 */
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Its peak is where the probe of the second step is. */
static const char PULSE[] =
    "cardan: 1\nname: pulse\nspace: planar\nbodies: {a: {mass: 1, inertia: 1}}\n"
    "forces:\n  push: {type: force, body: a, value: [\"1e-6*exp(-((t - 0.1597545)/0.0004)^2)\", 0]}\n"
    "simulation: {end: 1, step: 0.1, stepper: rk4}\n";

/* A force that is nothing at all nodes, and something between them. */
static void what_only_the_probe_sees_is_read_row_by_row(void **state) {
    (void)state;
    CardanModel *model = scene_read(PULSE);
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    Channels push = {.count = 1};
    double t[ROWS], values[ROWS], largest = 0.0;
    find(model, "push.force", &push.list[0]);
    for (int k = 0; k < 2; k++) MUST(cardan_sim_step(sim, 1.0));
    spread(sim, ROWS, t);
    MUST(cardan_sim_sample_rows(sim, ROWS, t, 1, push.list, values));
    for (int i = 0; i < ROWS; i++) largest = fmax(largest, fabs(values[i]));
    assert_true(largest > 1e-7 && same_bits(sim, &push, t, values));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Few rows are what cardan_sim_sample gives, to the bit. */
static void few_rows_are_read_one_by_one(void **state) {
    (void)state;
    enum { FEW = 23 };
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanSim *sim = stepped(model, 5);
    CardanChannel angle;
    double t[FEW], values[FEW], alone;
    find(model, "j2.angle", &angle);
    spread(sim, FEW, t);
    MUST(cardan_sim_sample_rows(sim, FEW, t, 1, &angle, values));
    for (int i = 0; i < FEW; i++) {
        MUST(cardan_sim_sample(sim, t[i], 1, &angle, &alone));
        assert_memory_equal(&alone, &values[i], sizeof alone);
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* States that rows of a run file keep show what the rows say. */
static void states_of_rows_agree_with_them(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanSim *sim = stepped(model, 0), *shows = stepped(model, 0);
    CardanRun *run = NULL;
    CardanResult *result = NULL;
    Channels channels = channels_of(model);
    CardanRunDef def = cardan_default_run();
    double t[ROWS], there[ROOM];
    size_t size;
    def.channels = channels.count;
    def.channel = channels.list;
    MUST(cardan_run_create(sim, &def, &run));
    for (int k = 0; k < 3; k++) {
        MUST(cardan_sim_step(sim, (double)INFINITY));
        spread(sim, ROWS, t);
        MUST(cardan_run_rows(run, ROWS, t, NULL));
    }
    const void *bytes = cardan_run_bytes(run, &size);
    MUST(cardan_result_read(bytes, size, &result, NULL, 0));
    assert_int_equal(cardan_result_info(result).rows, 3 * ROWS);
    for (long i = 0; i < 3 * ROWS; i += 7) {
        MUST(cardan_result_show(result, i, shows));
        MUST(cardan_sim_sample(shows, cardan_sim_time(shows), channels.count, channels.list, there));
        for (int c = 0; c < channels.count; c++) {
            double off = difference(channels.list[c], cardan_result_row(result, i)[c], there[c]);
            assert_true(off <= 2.0 * tolerance_of(sim, cardan_sim_velocities(sim), channels.list[c]));
        }
    }
    cardan_result_close(result);
    cardan_run_close(run);
    cardan_sim_destroy(shows);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows_are_as_good_as_rows_landed_on),
        cmocka_unit_test(they_cost_a_few),
        cmocka_unit_test(residuals_are_those_of_the_states_read),
        cmocka_unit_test(what_is_not_smooth_is_read_row_by_row),
        cmocka_unit_test(an_angle_within_half_a_turn_stays_there),
        cmocka_unit_test(what_only_the_probe_sees_is_read_row_by_row),
        cmocka_unit_test(few_rows_are_read_one_by_one),
        cmocka_unit_test(states_of_rows_agree_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
