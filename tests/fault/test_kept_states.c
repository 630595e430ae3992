/* Whatever makes a step fail, the state afterwards is that before it, number by number: what the controller, the
 * method, the guards and the watch over rows remember included. And a state with open joints is not taken. */
#include "support/events.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

typedef struct Kind {
    const char *name, *text;
    CardanStepper stepper;
    double step; /* s; 0: error control */
    CardanStatus status;
    const char *sentence; /* part of it */
} Kind;

#define RAIL                                                                                                           \
    "bodies: {cart: {mass: 1, inertia: 1}}\njoints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: [1, "     \
    "0]}\n"
#define PLANAR "cardan: 1\nspace: planar\n"

static const char LAW[] = PLANAR RAIL "forces: {push: {type: torque, joint: rail, value: \"sqrt(0.5 - t)\"}}\n";
static const char DRIVE[] = PLANAR RAIL "  push: {type: driver, joint: rail, value: \"if(t < 0.5, t, t + 0.3)\"}\n"
                                        "start: {velocities: project}\n";
static const char STICKS[] =
    "cardan: 1\nspace: planar\ngravity: [0, 0]\nbodies: {cart: {mass: 1, inertia: 1, velocity: [1, 0]}}\n"
    "joints: {rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
    "forces: {rub: {type: torque, joint: rail, value: \"-2*sign(rail.speed) + 0.3*sin(9*t)\"}}\n";
static const char LOCKS[] = "cardan: 1\nspace: planar\nbodies: {a: {mass: 1, inertia: 1, position: [0, 1]}}\n"
                            "joints:\n  pin: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                            "  rod: {type: distance, bodies: [ground, a], local: {a: [2, 0], b: [0, 0]},"
                            " length: \"sqrt(5) + 0.2*t\"}\nstart: {velocities: project}\n";
static const char TURN[] =
    "cardan: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [2, 2, 2], angular_velocity: [0, 0, 7]}}\n"
    "forces: {mount: {type: bushing, bodies: [ground, b], point: [0, 0, 0], stiffness: [9, 9, 9, 2, 2, 2]}}\n";
static const char SPIN[] =
    "cardan: 1\nspace: planar\nbodies: {a: {mass: 1, inertia: 0.01, position: [1, 0], velocity: [0, 900],"
    " spin: 900}}\njoints: {pin: {type: revolute, bodies: [ground, a], point: [0, 0]}}\n";
/* A tree on which nothing acts: no state is kept of it while it steps. */
static const char WILD[] = "cardan: 1\nspace: planar\nbodies:\n  a: {mass: 1, inertia: 0.1, position: [1, 0]}\n"
                           "  b: {mass: 1, inertia: 0.1, position: [2, 1]}\njoints:\n"
                           "  p: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                           "  q: {type: revolute, bodies: [a, b], point: [2, 0]}\n"
                           "start: {rates: {p: 1e140, q: -3e140}}\n";

static const Kind KINDS[] = {
    {"a law without a value", LAW, CARDAN_STEPPER_DOP853, 0.0, CARDAN_ERR_NUMERIC, "push"},
    {"a law without a value, abm", LAW, CARDAN_STEPPER_ABM, 0.0, CARDAN_ERR_NUMERIC, "push"},
    {"a law without a value, gbs", LAW, CARDAN_STEPPER_GBS, 0.0, CARDAN_ERR_NUMERIC, "push"},
    {"a law without a value, fixed", LAW, CARDAN_STEPPER_RK4, 0.03, CARDAN_ERR_NUMERIC, "push"},
    {"a law without a value, ab2", LAW, CARDAN_STEPPER_AB2, 0.03, CARDAN_ERR_NUMERIC, "push"},
    {"a law without a value, gauss", LAW, CARDAN_STEPPER_GAUSS, 0.03, CARDAN_ERR_NUMERIC, "push"},
    {"a drive that jumps", DRIVE, CARDAN_STEPPER_DOP853, 0.0, CARDAN_ERR_NUMERIC, "jumps by 0.3"},
    {"a drive that jumps, abm", DRIVE, CARDAN_STEPPER_ABM, 0.0, CARDAN_ERR_NUMERIC, "jumps by 0.3"},
    {"a drive that jumps, fixed", DRIVE, CARDAN_STEPPER_RK4, 0.03, CARDAN_ERR_NUMERIC, "jumps by 0.3"},
    {"a law that sticks", STICKS, CARDAN_STEPPER_DOP853, 0.0, CARDAN_ERR_NUMERIC, "sticks at"},
    {"a law that sticks, abm", STICKS, CARDAN_STEPPER_ABM, 0.0, CARDAN_ERR_NUMERIC, "sticks at"},
    {"a lock-up", LOCKS, CARDAN_STEPPER_DOP853, 0.0, CARDAN_ERR_NUMERIC, ""},
    {"a lock-up, abm", LOCKS, CARDAN_STEPPER_ABM, 0.0, CARDAN_ERR_NUMERIC, ""},
    {"a lock-up, fixed", LOCKS, CARDAN_STEPPER_RK4, 0.01, CARDAN_ERR_NUMERIC, ""},
    {"a lock-up, ab2", LOCKS, CARDAN_STEPPER_AB2, 0.01, CARDAN_ERR_NUMERIC, ""},
    {"a turn", TURN, CARDAN_STEPPER_DOP853, 0.0, CARDAN_ERR_NUMERIC, "turned by 1.9 pi"},
    {"a turn, abm", TURN, CARDAN_STEPPER_ABM, 0.0, CARDAN_ERR_NUMERIC, "turned by 1.9 pi"},
    {"a turn, fixed", TURN, CARDAN_STEPPER_VERLET, 0.01, CARDAN_ERR_NUMERIC, "turned by 1.9 pi"},
    {"a wild tree", WILD, CARDAN_STEPPER_DOP853, 0.0, CARDAN_ERR_NUMERIC, ""},
    {"a step too long", SPIN, CARDAN_STEPPER_EULER, 0.5, CARDAN_ERR_NUMERIC, "too long"},
    {"a step too long, rattle", SPIN, CARDAN_STEPPER_RATTLE, 0.5, CARDAN_ERR_NUMERIC, "too long"},
};

static CardanOptions options_of(const Kind *kind) {
    CardanOptions options = cardan_default_options();
    options.stepper = kind->stepper;
    options.step = kind->step;
    if (kind->text == SPIN)
        options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* about a hinge alone any step will do */
    return options;
}

static void check_same(const double *before, const double *after, int n, const char *what) {
    for (int i = 0; i < n; i++)
        if (memcmp(&before[i], &after[i], sizeof *before) != 0)
            fail_msg("%s: number %d of the state is %.17g, was %.17g", what, i, after[i], before[i]);
}

static void look_at(const Kind *kind) {
    CardanModel *model = scene_read(kind->text);
    CardanOptions options = options_of(kind);
    CardanSim *sim = scene_start(model, &options);
    int n = cardan_sim_state_size(sim);
    double *before = room((size_t)n, sizeof *before), *after = room((size_t)n, sizeof *after);
    CardanStatus status = CARDAN_OK;
    for (int i = 0; status >= 0 && i < 100000; i++) {
        MUST(cardan_sim_get_state(sim, before));
        status = cardan_sim_step(sim, 20.0);
        if (cardan_sim_time(sim) >= 20.0) fail_msg("%s: no step fails", kind->name);
    }
    if (status != kind->status) fail_msg("%s: status %d", kind->name, (int)status);
    if (strstr(cardan_sim_message(sim), kind->sentence) == NULL)
        fail_msg("%s: '%s'", kind->name, cardan_sim_message(sim));
    bool long_step = strstr(kind->name, "too long") != NULL;
    if ((strstr(cardan_sim_message(sim), "too long") != NULL) != long_step) /* only a step that is is blamed */
        fail_msg("%s: '%s'", kind->name, cardan_sim_message(sim));
    MUST(cardan_sim_get_state(sim, after));
    check_same(before, after, n, kind->name);
    assert_true(cardan_sim_step(sim, 20.0) < 0 ||
                strstr(kind->name, "sticks") != NULL); /* and again, if nothing changes */
    free(before);
    free(after);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void every_kind_of_failure_leaves_every_number_of_the_state(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) look_at(&KINDS[i]);
}

/* ---- fixed steps that are too long ---- */

static const struct {
    const char *model;
    CardanStepper stepper;
    double step;
} LONG[] = {
    {"models/pendulum.yaml", CARDAN_STEPPER_RK4, 1.0},       {"models/pendulum.yaml", CARDAN_STEPPER_EULER, 0.1},
    {"models/slider_crank.yaml", CARDAN_STEPPER_RK4, 0.3},   {"models/slider_crank.yaml", CARDAN_STEPPER_DOP853, 1.0},
    {"models/four_bar.yaml", CARDAN_STEPPER_DOP853, 1.0},    {"models/four_bar.yaml", CARDAN_STEPPER_GAUSS, 1.0},
    {"models/quarter_car.yaml", CARDAN_STEPPER_RK4, 1.0},    {"models/quarter_car.yaml", CARDAN_STEPPER_DOP853, 1.0},
    {"models/heavy_top.yaml", CARDAN_STEPPER_AB2, 0.2},      {"models/loads.yaml", CARDAN_STEPPER_RK4, 0.05},
    {"models/loads.yaml", CARDAN_STEPPER_AB2, 0.2},          {"models/andrews.yaml", CARDAN_STEPPER_RK4, 0.05},
    {"models/double_pendulum.yaml", CARDAN_STEPPER_HEM, 0.3}};

/* Whatever such a step looks like (a lock-up, dependent rows, a whole turn), and the log has nothing of that. */
static void a_fixed_step_that_is_too_long_is_said_to_be(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof LONG / sizeof *LONG; i++) {
        CardanModel *model = scene_load(LONG[i].model);
        CardanOptions options = scene_fixed(LONG[i].stepper, LONG[i].step);
        CardanSim *sim = scene_start(model, &options);
        const CardanEvent *events = NULL;
        assert_int_equal(cardan_sim_advance(sim, 5.0), CARDAN_ERR_NUMERIC);
        if (strstr(cardan_sim_message(sim), "too long") == NULL)
            fail_msg("%s, %s: '%s'", LONG[i].model, cardan_stepper_name(LONG[i].stepper), cardan_sim_message(sim));
        for (int k = 0; k < cardan_sim_events(sim, &events, NULL); k++)
            assert_int_not_equal(events[k].kind, CARDAN_EVENT_TURN);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- states that are not taken ---- */

static const char CRANK[] = PLANAR "parameters: {r: 1}\nbodies:\n  a: {mass: 1, inertia: 1, position: [\"r/2\", 0]}\n"
                                   "  b: {mass: 1, inertia: 1, position: [\"r + 1\", 0], angle: 0}\n"
                                   "joints:\n  main: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                                   "  pin: {type: revolute, bodies: [a, b], point: [\"r\", 0]}\n"
                                   "start: {rates: {main: 3, pin: -1}}\n";

static void check_refused(CardanSim *sim, const double *bad, CardanStatus expected, const char *part) {
    int n = cardan_sim_state_size(sim);
    double *before = room((size_t)n, sizeof *before), *after = room((size_t)n, sizeof *after);
    MUST(cardan_sim_get_state(sim, before));
    assert_int_equal(cardan_sim_set_state(sim, bad), expected);
    if (strstr(cardan_sim_message(sim), part) == NULL) fail_msg("'%s'", cardan_sim_message(sim));
    MUST(cardan_sim_get_state(sim, after));
    check_same(before, after, n, part);
    free(before);
    free(after);
}

static void a_state_with_an_open_joint_is_refused_by_name_and_changes_nothing(void **state) {
    (void)state;
    CardanModel *model = scene_read(CRANK);
    CardanSim *sim = scene_start(model, NULL), *never = scene_start(model, NULL);
    int n = cardan_sim_state_size(sim);
    double *bad = room((size_t)n, sizeof *bad), *a = room((size_t)n, sizeof *a), *b = room((size_t)n, sizeof *b);
    scene_advance(sim, 0.4);
    scene_advance(never, 0.4);
    MUST(cardan_sim_get_state(sim, bad));
    bad[1 + 3] += 0.01; /* x of b */
    check_refused(sim, bad, CARDAN_ERR_MODEL, "'pin' by 0.01 in its position");
    MUST(cardan_sim_get_state(sim, bad));
    bad[1 + 6 + 1] += 0.02; /* velocity of a in y */
    check_refused(sim, bad, CARDAN_ERR_MODEL, "in its velocity");
    CardanModel *longer = NULL;
    double r = 1.5;
    assert_int_equal(cardan_model_with_parameters(model, 1, (const char *const[]){"r"}, &r, &longer, NULL, 0),
                     CARDAN_OK);
    CardanSim *other = scene_start(longer, NULL);
    MUST(cardan_sim_get_state(sim, a));
    check_refused(other, a, CARDAN_ERR_MODEL, "the state does not meet the constraints here: joint '");
    scene_advance(sim, 1.0); /* goes on as if it had not been asked */
    scene_advance(never, 1.0);
    MUST(cardan_sim_get_state(sim, a));
    MUST(cardan_sim_get_state(never, b));
    check_same(b, a, n, "after refusals");
    free(bad);
    free(a);
    free(b);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(never);
    cardan_sim_destroy(other);
    cardan_model_release(longer);
    cardan_model_release(model);
}

/* Without stabilisation joints drift open; that run's own states are taken back all the same. */
static void a_state_that_drifted_in_its_own_run_is_taken(void **state) {
    (void)state;
    CardanModel *model = scene_read(CRANK);
    CardanOptions options = scene_fixed(CARDAN_STEPPER_EULER, 1e-2);
    options.stabilise.method = CARDAN_STABILISE_NONE;
    CardanSim *sim = scene_start(model, &options), *other = scene_start(model, &options);
    int n = cardan_sim_state_size(sim);
    double *a = room((size_t)n, sizeof *a), *b = room((size_t)n, sizeof *b);
    scene_advance(sim, 0.5);
    assert_true(residual_of(sim).position > 1e-4);
    MUST(cardan_sim_get_state(sim, a));
    assert_int_equal(cardan_sim_set_state(other, a), CARDAN_OK);
    scene_advance(sim, 1.0);
    scene_advance(other, 1.0);
    MUST(cardan_sim_get_state(sim, a));
    MUST(cardan_sim_get_state(other, b));
    check_same(a, b, n, "put back");
    free(a);
    free(b);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
    cardan_model_release(model);
}

static void a_quaternion_that_is_none_is_refused(void **state) {
    (void)state;
    CardanModel *model = scene_read(TURN);
    CardanSim *sim = scene_start(model, NULL);
    double *bad = room((size_t)cardan_sim_state_size(sim), sizeof *bad);
    MUST(cardan_sim_get_state(sim, bad));
    for (int k = 0; k < 4; k++) bad[1 + 3 + k] *= 2.0;
    check_refused(sim, bad, CARDAN_ERR_ARGUMENT, "the quaternion of body 'b' in the state has the length 2");
    free(bad);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Any number of a state replaced by another: refused, or taken and gone on with, but never a crash or a hang. */
static const char ALL[] =
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n  cart: {mass: 1, inertia: 1, velocity: [1, 0]}\n"
    "  ball: {mass: 1, particle: true, position: [3, 0.5], velocity: [0.2, 0]}\n"
    "joints:\n  rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\n"
    "  twin: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\n"
    "forces:\n  stop: {type: limit, joint: rail, range: [-0.4, 0.4], stiffness: 300, damping: 2}\n"
    "  wave: {type: torque, joint: rail, value: \"0.5*sign(sin(7*t))\"}\n"
    "  floor: {type: contact, body: ball, plane: {point: [0, 0], normal: [0, 1]}, stiffness: 4000}\n";

static void try_number(CardanSim *sim, const double *state, double *bad, int n, int i, double value) {
    memcpy(bad, state, (size_t)n * sizeof *bad);
    bad[i] = value;
    CardanStatus status = cardan_sim_set_state(sim, bad);
    for (int k = 0; status >= 0 && k < 5; k++) {
        status = cardan_sim_step(sim, cardan_sim_time(sim) + 0.2);
        for (int j = 0; status >= 0 && j < 5; j++) assert_true(isfinite(cardan_sim_positions(sim)[j]));
    }
    if (status < 0 && strlen(cardan_sim_message(sim)) < 10) fail_msg("number %d = %g: no sentence", i, value);
    assert_int_equal(cardan_sim_set_state(sim, state), CARDAN_OK); /* it can always be put right */
}

static void a_state_with_a_number_changed_breaks_nothing(void **state) {
    (void)state;
    static const CardanStepper STEPPERS[] = {CARDAN_STEPPER_DOP853, CARDAN_STEPPER_ABM, CARDAN_STEPPER_GBS,
                                             CARDAN_STEPPER_AB2};
    static const double VALUES[] = {-1e300, -7.0, -1.0, 0.0, 0.5, 2.0, 7.0, 13.0, 1e9, 1e300};
    CardanModel *model = scene_read(ALL);
    for (int s = 0; s < 4; s++) {
        CardanOptions options = cardan_default_options();
        options.stepper = STEPPERS[s];
        if (STEPPERS[s] == CARDAN_STEPPER_AB2) options.step = 1e-3;
        CardanSim *sim = scene_start(model, &options);
        int n = cardan_sim_state_size(sim);
        double *good = room((size_t)n, sizeof *good), *bad = room((size_t)n, sizeof *bad);
        scene_advance(sim, 0.3);
        MUST(cardan_sim_get_state(sim, good));
        for (int i = 0; i < n; i++)
            for (int k = 0; k < (int)(sizeof VALUES / sizeof *VALUES); k++)
                if (sample_has(i + k, 5)) try_number(sim, good, bad, n, i, VALUES[k]);
        free(good);
        free(bad);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_failure_leaves_every_number_of_the_state),
        cmocka_unit_test(a_fixed_step_that_is_too_long_is_said_to_be),
        cmocka_unit_test(a_state_with_an_open_joint_is_refused_by_name_and_changes_nothing),
        cmocka_unit_test(a_state_that_drifted_in_its_own_run_is_taken),
        cmocka_unit_test(a_quaternion_that_is_none_is_refused),
        cmocka_unit_test(a_state_with_a_number_changed_breaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
