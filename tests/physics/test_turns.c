/* Bushings and compliant welds turned by more than half a turn. About one axis, with equal stiffness, each is the
 * oscillator J x'' + k x = 0:
 *     x = (w0 / s) sin(s t),   s^2 = k / J,   the rotation by x about that axis */
#include "support/events.h"
#include "support/reading.h"

#include "core/numbers.h"

/* J = 2 kg m^2, k = 2 N m/rad: s = 1, and x = w0 sin t. The axis (2, 3, 6) / 7 is no ground axis. */
#define FREE_BODY "cardan: 1\nspace: spatial\nbodies:\n  b: {mass: 1, inertia: [2, 2, 2], angular_velocity: "
#define BUSHING                                                                                                        \
    "forces:\n  mount: {type: bushing, bodies: [ground, b], point: [0, 0, 0], stiffness: [9, 9, 9, 2, 2, 2]}\n"
#define WELD "joints:\n  mount: {type: weld, bodies: [ground, b], compliant: {stiffness: [9, 2]}}\n"
#define SPIN_55 "[1.5714285714285714, 2.3571428571428572, 4.714285714285714]}\n" /* 5.5 rad/s: 1.75 pi at most */
#define SPIN_70 "[2, 3, 6]}\n"                                                   /* 7 rad/s: beyond a whole turn */

/* Unequal in everything, turned far beyond pi: no closed form, but an energy. */
static const char *const UNEQUAL =
    "cardan: 1\nspace: spatial\nbodies:\n  b: {mass: 1, inertia: [1, 1.2, 1.5], angular_velocity: [0.3, 0.2, 5]}\n"
    "forces:\n  mount: {type: bushing, bodies: [ground, b], point: [0.1, 0, 0], stiffness: [10, 10, 10, 1, 2, 3],"
    " damping: [0, 0, 0, 0.02, 0.01, 0.03]}\n";

/* With 1e-10 the phase is off by less than the steps of ten seconds times that, in an oscillator of size 6. */
static const double TOLERANCE = 1e-10, ALLOWED = 1e-8;

static CardanQuat turned_by(double x) {
    const double half = 0.5 * x, s = sin(half) / 7.0;
    return (CardanQuat){cos(half), 2.0 * s, 3.0 * s, 6.0 * s};
}

/* The same rotation: equal, or equal but for the sign. */
static void check_turn(CardanQuat q, CardanQuat expected, double allowed, const char *what, double t) {
    double dot = q.w * expected.w + q.x * expected.x + q.y * expected.y + q.z * expected.z;
    double sign = dot < 0.0 ? -1.0 : 1.0;
    double off[4] = {q.w - sign * expected.w, q.x - sign * expected.x, q.y - sign * expected.y,
                     q.z - sign * expected.z};
    check_near(norm_of(off, 4), 0.0, allowed, "%s: turn at t = %g", what, t);
}

static void check_oscillator(const char *text, const char *what) {
    CardanModel *model = scene_read(text);
    CardanOptions options = scene_tight(TOLERANCE, TOLERANCE);
    CardanSim *sim = scene_start(model, &options);
    bool far = false;
    for (int i = 1; i <= 50; i++) {
        double t = 0.2 * i, x = 5.5 * sin(t);
        scene_advance(sim, t);
        CardanBodyState b = scene_body(sim, model, "b");
        check_turn(b.quaternion, turned_by(x), ALLOWED, what, t);
        check_near(b.angular_velocity.z, 5.5 * cos(t) * 6.0 / 7.0, ALLOWED, "%s: spin at t = %g", what, t);
        far = far || fabs(x) > 1.7 * CRD_PI;
    }
    assert_true(far);
    check_event_count(sim, 0);
    CardanEnergy energy;
    MUST(cardan_sim_energy(sim, &energy));
    check_near(energy.total, 30.25, ALLOWED * 30.25, "%s: energy", what);
    check_near(energy.drift_max, 0.0, ALLOWED * 30.25, "%s: drift", what);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void about_one_axis_a_bushing_and_a_compliant_weld_oscillate_through_half_a_turn(void **state) {
    (void)state;
    check_oscillator(FREE_BODY SPIN_55 BUSHING, "bushing");
    check_oscillator(FREE_BODY SPIN_55 WELD, "weld");
}

/* Ten turns and back, which no rotation vector could count. */
static void in_the_plane_turns_are_counted(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "forces: {mount: {type: bushing, bodies: [ground, b], point: [0, 0], stiffness: [9, 9, 2]}}\n",
        "joints: {mount: {type: weld, bodies: [ground, b], compliant: {stiffness: [9, 2]}}}\n",
        "joints: {mount: {type: angle, bodies: [ground, b], compliant: {stiffness: [9, 2]}}}\n"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, "cardan: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 2, spin: 60}}\n%s",
                 TEXTS[i]);
        CardanModel *model = scene_read(text);
        CardanOptions options = scene_tight(TOLERANCE, TOLERANCE);
        CardanSim *sim = scene_start(model, &options);
        for (double t = 0.5; t <= 6.0; t += 0.5) {
            scene_advance(sim, t);
            CardanBodyState b = scene_body(sim, model, "b");
            check_near(b.angle, 60.0 * sin(t), 60.0 * ALLOWED, "angle at t = %g", t);
        }
        check_event_count(sim, 0);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* Energy less the work of the dampers, over ten seconds of tumbling, with every stepper that controls its error. */
static void energy_is_balanced_to_the_tolerance_through_half_a_turn(void **state) {
    (void)state;
    static const CardanStepper STEPPERS[] = {CARDAN_STEPPER_DOPRI5, CARDAN_STEPPER_DOP853, CARDAN_STEPPER_ABM,
                                             CARDAN_STEPPER_GBS};
    CardanModel *model = scene_read(UNEQUAL);
    CardanQuat first = {0};
    for (int i = 0; i < 4; i++) {
        CardanOptions options = scene_tight(1e-9, 1e-10);
        options.stepper = STEPPERS[i];
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 10.0);
        CardanEnergy energy;
        MUST(cardan_sim_energy(sim, &energy));
        /* 1e-9 a step, of some hundred steps, of 19 J */
        check_near(energy.drift_max, 0.0, 1e-9 * 100.0 * 19.0, "drift with %s", cardan_stepper_name(STEPPERS[i]));
        assert_true(energy.work < -1.0);
        CardanQuat q = scene_body(sim, model, "b").quaternion;
        if (i == 0) first = q;
        check_turn(q, first, 1e-6, cardan_stepper_name(STEPPERS[i]), 10.0);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* ---- the limit ---- */

static void check_stop(const char *text, const CardanOptions *options, double miss, const char *what) {
    CardanModel *model = scene_read(text);
    CardanSim *sim = scene_start(model, options);
    assert_int_equal(cardan_sim_advance(sim, 5.0), CARDAN_ERR_NUMERIC);
    double stop = asin(1.9 * CRD_PI / 7.0), t = cardan_sim_time(sim);
    check_between(t, stop - miss, stop + miss, what);
    assert_non_null(strstr(cardan_sim_message(sim), "'mount' is turned by 1.9 pi"));
    check_event(sim, 0, CARDAN_EVENT_TURN, "mount", 1, t, 0.0);
    int n = cardan_sim_state_size(sim);
    double *before = room((size_t)n, sizeof *before), *after = room((size_t)n, sizeof *after);
    MUST(cardan_sim_get_state(sim, before));
    assert_int_equal(cardan_sim_step(sim, 5.0), CARDAN_ERR_NUMERIC); /* as often as it is asked */
    MUST(cardan_sim_get_state(sim, after));
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    check_event_count(sim, 1);
    free(before);
    free(after);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void next_to_a_whole_turn_the_run_stops_with_the_name(void **state) {
    (void)state;
    CardanOptions tight = scene_tight(TOLERANCE, TOLERANCE), loose = cardan_default_options();
    CardanOptions fixed = scene_fixed(CARDAN_STEPPER_RK4, 1e-3);
    check_stop(FREE_BODY SPIN_70 BUSHING, &tight, 1e-6, "bushing, tight");
    check_stop(FREE_BODY SPIN_70 BUSHING, &loose, 1e-5, "bushing, loose");
    check_stop(FREE_BODY SPIN_70 BUSHING, &fixed, 1e-3, "bushing, fixed step");
    check_stop(FREE_BODY SPIN_70 WELD, &tight, 1e-6, "weld, tight");
    check_stop(FREE_BODY SPIN_70 WELD, &fixed, 1e-3, "weld, fixed step");
}

/* A bushing, or a weld, that holds the place alone lets the body spin for ever. */
static void without_stiffness_in_rotation_nothing_stops_a_turn(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        FREE_BODY SPIN_70 "forces: {mount: {type: bushing, bodies: [ground, b], point: [0, 0, 0], "
                          "stiffness: [9, 9, 9, 0, 0, 0]}}\n",
        FREE_BODY SPIN_70 "joints: {mount: {type: weld, bodies: [ground, b], compliant: {stiffness: [9, 0]}}}\n"};
    for (int i = 0; i < 2; i++) {
        CardanModel *model = scene_read(TEXTS[i]);
        CardanOptions options = scene_tight(TOLERANCE, TOLERANCE);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 20.0);
        check_turn(scene_body(sim, model, "b").quaternion, turned_by(140.0), ALLOWED * 14.0, "free", 20.0);
        check_event_count(sim, 0);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- memory ---- */

static void a_run_put_back_or_cloned_beyond_half_a_turn_goes_on_with_the_same_bits(void **state) {
    (void)state;
    static const char *const TEXTS[] = {FREE_BODY SPIN_55 BUSHING, FREE_BODY SPIN_55 WELD};
    for (int i = 0; i < 2; i++) {
        CardanModel *model = scene_read(TEXTS[i]);
        CardanSim *sim = scene_start(model, NULL), *other = scene_start(model, NULL), *clone = NULL;
        int n = cardan_sim_state_size(sim);
        double *saved = room((size_t)n, sizeof *saved), *a = room((size_t)n, sizeof *a),
               *b = room((size_t)n, sizeof *b);
        scene_advance(sim, 1.2); /* at 1.63 pi */
        MUST(cardan_sim_get_state(sim, saved));
        assert_int_equal(cardan_sim_set_state(other, saved), CARDAN_OK);
        assert_int_equal(cardan_sim_clone(sim, &clone), CARDAN_OK);
        scene_advance(sim, 9.0);
        scene_advance(other, 9.0);
        scene_advance(clone, 9.0);
        MUST(cardan_sim_get_state(sim, a));
        MUST(cardan_sim_get_state(other, b));
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
        MUST(cardan_sim_get_state(clone, b));
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
        check_turn(scene_body(sim, model, "b").quaternion, turned_by(5.5 * sin(9.0)), 1e-4, "default tolerance", 9.0);
        free(saved);
        free(a);
        free(b);
        cardan_sim_destroy(sim);
        cardan_sim_destroy(other);
        cardan_sim_destroy(clone);
        cardan_model_release(model);
    }
}

/* A pose from outside is the continuation of the one before; where that would be beyond the limit, the shortest turn.
 */
static void a_pose_that_is_set_continues_the_turn_or_begins_anew(void **state) {
    (void)state;
    CardanModel *model = scene_read(FREE_BODY "[0, 0, 0]}\n" BUSHING);
    CardanSim *sim = scene_start(model, NULL);
    static const struct {
        double given, expected; /* rad about the axis: of the pose, of the bushing */
    } POSES[] = {{2.0, 2.0}, {3.5, 3.5}, {5.0, 5.0}, {5.9, 5.9}, {6.2, 6.2 - 2.0 * CRD_PI}, {-1.0, -1.0}, {-4.0, -4.0}};
    for (size_t i = 0; i < sizeof POSES / sizeof *POSES; i++) {
        CardanQuat p = turned_by(POSES[i].given);
        const double q[7] = {0, 0, 0, p.w, p.x, p.y, p.z}, v[6] = {0};
        CardanEnergy energy;
        assert_int_equal(cardan_sim_set_motion(sim, 0.0, q, v), CARDAN_OK);
        MUST(cardan_sim_energy(sim, &energy));
        check_near(energy.potential, POSES[i].expected * POSES[i].expected, 1e-9, "potential at %g", POSES[i].given);
        assert_int_equal(cardan_sim_advance(sim, 0.1), CARDAN_OK);
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about_one_axis_a_bushing_and_a_compliant_weld_oscillate_through_half_a_turn),
        cmocka_unit_test(in_the_plane_turns_are_counted),
        cmocka_unit_test(energy_is_balanced_to_the_tolerance_through_half_a_turn),
        cmocka_unit_test(next_to_a_whole_turn_the_run_stops_with_the_name),
        cmocka_unit_test(without_stiffness_in_rotation_nothing_stops_a_turn),
        cmocka_unit_test(a_pose_that_is_set_continues_the_turn_or_begins_anew),
        cmocka_unit_test(a_run_put_back_or_cloned_beyond_half_a_turn_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
