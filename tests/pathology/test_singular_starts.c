/* Starts in singular poses and next to them: given velocities choose the branch, rest and velocities of no branch are
 * refused; and the one singular pose from which no motion goes on, lock-up. */
#define STEPS_MOST 1000
#include "pathology/passage_fixture.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/sample.h"

static void check_says(const char *message, const char *words) {
    if (strstr(message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", message, words);
}

/* Creates a simulation that must be refused with these words and joints (up to a NULL). */
static void check_refused(CardanModel *model, const char *words, const char *const *joints) {
    CardanSim *sim = NULL;
    CardanStatus status = cardan_sim_create(model, NULL, &sim);
    assert_non_null(sim);
    const char *message = cardan_sim_message(sim);
    if (status != CARDAN_ERR_NUMERIC) fail_msg("status %d, \"%s\"", (int)status, message);
    check_says(message, "singular");
    check_says(message, words);
    for (int i = 0; joints[i] != NULL; i++) check_says(message, joints[i]);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- the slider-crank of equal lengths, folded ---- */

/* Crank straight down, rod back up on it; spins of both choose the motion: opposite ones move the slider. */
static CardanBuilder *build_folded(double crank, double rod, double torque, CardanJoint *main, CardanJoint *pin) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
    CardanBody one =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "crank", .mass = 1.0, .inertia.zz = 1.0 / 12,
                                                    .pose = {.p = {0.0, -0.5, 0.0}, .angle = -HALF_PI},
                                                    .velocity = {0.5 * crank, 0.0, 0.0}, .angular_velocity.z = crank});
    CardanBody two = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "rod", .mass = 1.0, .inertia.zz = 1.0 / 12,
                            .pose = {.p = {0.0, -0.5, 0.0}, .angle = HALF_PI},
                            .velocity = {crank - 0.5 * rod, 0.0, 0.0}, .angular_velocity.z = rod});
    CardanBody slider =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "slider", .mass = 1.0, .inertia.zz = 0.01,
                                                    .velocity = {crank - rod, 0.0, 0.0}});
    *main = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "main", .type = CARDAN_JOINT_REVOLUTE, .b = one});
    *pin = cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE,
                                                         .a = one, .b = two, .point = {0.0, -1.0, 0.0}});
    cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "wrist", .type = CARDAN_JOINT_REVOLUTE, .a = two, .b = slider});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "guide", .type = CARDAN_JOINT_PRISMATIC,
                                                  .b = slider, .axis = {1.0, 0.0, 0.0}});
    if (torque != 0.0)
        cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "load", .type = CARDAN_FORCE_TORQUE,
                                                      .joint = *main, .value.x = torque});
    return b;
}

static CardanModel *folded_crank(double crank, double rod, double torque) {
    CardanJoint main, pin;
    return scene_compile(build_folded(crank, rod, torque, &main, &pin));
}

static const char *const SLIDER_CRANK[] = {"'main'", "'pin'", "'wrist'", "'guide'", NULL};

static void a_folded_slider_crank_at_rest_is_refused(void **state) {
    (void)state;
    check_refused(folded_crank(0.0, 0.0, 0.0), "at rest", SLIDER_CRANK);
    check_refused(folded_crank(0.0, 0.0, 5.0), "several motions are possible", SLIDER_CRANK);
}

static void velocities_that_belong_to_no_branch_are_refused(void **state) {
    (void)state;
    check_refused(folded_crank(2.0, 0.0, 0.0), "velocities belong to none", SLIDER_CRANK);
    check_refused(folded_crank(2.0, -1.9, 0.0), "velocities belong to none", SLIDER_CRANK);
}

/* Least energy for one rate mixes the branches; the rates of two joints choose one. */
static void rates_of_enough_joints_choose_the_motion(void **state) {
    (void)state;
    CardanJoint main, pin;
    CardanBuilder *one = build_folded(0.0, 0.0, 0.0, &main, &pin);
    cardan_builder_set_start_rate(one, main, 2.0);
    check_refused(scene_compile(one), "rates of more joints", SLIDER_CRANK);
    for (int slides = 0; slides < 2; slides++) {
        CardanBuilder *two = build_folded(0.0, 0.0, 0.0, &main, &pin);
        cardan_builder_set_start_rate(two, main, 2.0);
        cardan_builder_set_start_rate(two, pin, slides * -4.0);
        CardanModel *model = scene_compile(two);
        CardanOptions options = tolerance(1e-8);
        CardanSim *sim = scene_start(model, &options);
        assert_true(cardan_sim_advance(sim, 0.1) >= 0);
        double x = scene_body(sim, model, "slider").position.x, crank = scene_body(sim, model, "crank").angle;
        check_below(fabs(x - slides * 2.0 * cos(crank)), 1e-9, "slider on its branch");
        assert_true(crank > -HALF_PI + 0.1);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void opposite_spins_choose_the_motion_of_the_slider(void **state) {
    (void)state;
    const double relative[] = {1e-3, 1e-6, 1e-8, 1e-12};
    for (int i = 0; i < 8; i++) {
        double tol = relative[i / 2], torque = i % 2 * 5.0;
        CardanOptions options = tolerance(tol);
        CardanModel *model = folded_crank(2.0, -2.0, torque);
        CardanSim *sim = scene_start(model, &options);
        Followed f =
            follow_crank(sim, model, crank_swing((CrankDef){.angle = -HALF_PI, .rate = 2.0, .torque = torque}), 3.0);
        check_below(f.error, fmax(1e3 * tol, 1e-9), "error from the pose at %.0e, %g Nm", tol, torque);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* Crank and rod turn as one about the resting slider: a pendulum that comes through the same pose again. */
static void equal_spins_choose_the_motion_with_a_resting_slider(void **state) {
    (void)state;
    for (int loaded = 0; loaded < 2; loaded++) {
        double torque = loaded * 2.0, error = 0.0, moved = 0.0;
        CardanOptions options = tolerance(1e-8);
        CardanModel *model = folded_crank(2.0, 2.0, torque);
        CardanSim *sim = scene_start(model, &options);
        Swing swing = {.j0 = 2.0L / 3.0L,
                       .c0 = (long double)torque,
                       .c1 = -(long double)GRAVITY,
                       .x = -(long double)HALF_PI,
                       .v = 2.0L};
        while (cardan_sim_time(sim) < 3.0) {
            must_step(sim, 3.0);
            swing_advance(&swing, cardan_sim_time(sim));
            error = fmax(error, fabs(scene_body(sim, model, "crank").angle - (double)swing.x));
            moved = fmax(moved, fabs(scene_body(sim, model, "slider").position.x));
        }
        check_below(error, 1e-5, "error of the pendulum from the pose, %g Nm", torque);
        check_below(moved, 1e-9, "slider moved");
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void starts_next_to_the_pose_go_on(void **state) {
    (void)state;
    for (int digits = 2; digits <= 16; digits += 2) {
        CrankDef def = {.angle = -HALF_PI + pow(10.0, -digits), .rate = 2.0, .torque = 5.0};
        CardanOptions options = tolerance(1e-8);
        CardanModel *model = scene_compile(equal_slider_crank(def));
        CardanSim *sim = scene_start(model, &options);
        Followed f = follow_crank(sim, model, crank_swing(def), 3.0);
        check_below(f.error, 1e-5, "error from 1e-%d beside the pose", digits);
        check_below(f.parted, 1e-7, "parting of rod and crank");
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- flat four-bars: n couplers in one line with their cranks ---- */

static CardanModel *flat_four_bars(CardanSpace space, int n, double rate) {
    CardanBuilder *b = cardan_builder_create(space);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
    CardanInertia inertia = {.xx = 1.0 / 600, .yy = 1.0 / 12, .zz = 1.0 / 12};
    CardanVec3 z = {0.0, 0.0, 1.0};
    CardanBody before = {0};
    for (int i = 0; i <= n; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        CardanBody crank = cardan_builder_add_body(
            b, &(CardanBodyDef){DEFAULTED, .name = name, .mass = 1.0, .inertia = inertia, .pose.p = {i + 0.5, 0.0, 0.0},
                                .velocity = {0.0, 0.5 * rate, 0.0}, .angular_velocity.z = rate});
        snprintf(name, sizeof name, "g%d", i);
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE,
                                                      .b = crank, .point = {i, 0.0, 0.0}, .axis = z});
        if (i > 0) {
            snprintf(name, sizeof name, "h%d", i);
            CardanBody bar = cardan_builder_add_body(
                b, &(CardanBodyDef){DEFAULTED, .name = name, .mass = 1.0, .inertia = inertia,
                                    .pose.p = {i + 0.5, 0.0, 0.0}, .velocity = {0.0, rate, 0.0}});
            snprintf(name, sizeof name, "a%d", i);
            cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE,
                                                          .a = before, .b = bar, .point = {i, 0.0, 0.0}, .axis = z});
            snprintf(name, sizeof name, "b%d", i);
            cardan_builder_add_joint(b,
                                     &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE,
                                                       .a = crank, .b = bar, .point = {i + 1.0, 0.0, 0.0}, .axis = z});
        }
        before = crank;
    }
    return scene_compile(b);
}

static void flat_four_bars_at_rest_are_refused(void **state) {
    (void)state;
    const char *const joints[] = {"'g0'", "'a1'", "'b1'", NULL};
    for (int n = 1; n <= 3; n++) {
        check_refused(flat_four_bars(CARDAN_SPACE_PLANAR, n, 0.0), "at rest", joints);
        check_refused(flat_four_bars(CARDAN_SPACE_SPATIAL, n, 0.0), "at rest", joints);
    }
}

static void go_on_from_flat(CardanSpace space, int n) {
    const double rate = -3.0, end = 2.0;
    CardanOptions options = tolerance(1e-8);
    CardanModel *model = flat_four_bars(space, n, rate);
    CardanSim *sim = scene_start(model, &options);
    Swing swing = {
        .j0 = (n + 1) / 3.0L + n, .c1 = -((n + 1) / 2.0L + n) * (long double)GRAVITY, .v = (long double)rate};
    double error = 0.0;
    while (cardan_sim_time(sim) < end) {
        must_step(sim, end);
        swing_advance(&swing, cardan_sim_time(sim));
        for (int i = 0; i <= n; i++) {
            char name[16];
            snprintf(name, sizeof name, "c%d", i);
            CardanBodyState s = scene_body(sim, model, name);
            double angle = space == CARDAN_SPACE_PLANAR ? s.angle : 2.0 * atan2(s.quaternion.z, s.quaternion.w);
            error = fmax(error, fabs(remainder(angle - (double)swing.x, 4.0 * HALF_PI)));
        }
    }
    check_below(error, 1e-5, "all cranks of %d %s four-bars from the flat pose", n,
                space == CARDAN_SPACE_PLANAR ? "planar" : "spatial");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void flat_four_bars_go_on_with_their_velocities(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n++) go_on_from_flat(CARDAN_SPACE_PLANAR, n);
}

static void flat_spatial_four_bars_go_on_with_their_velocities(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n++) go_on_from_flat(CARDAN_SPACE_SPATIAL, n);
}

/* ---- lock-up: a driven crank that coupler and rocker, stretched, cannot follow any further ---- */

static const double LOCK_FROM = 0.5, LOCK_RATE = 2.0;

/* theta - from - rate t = 0 */
static CardanStatus lead_crank(void *user, double t, const CardanFrame *f, double *g, CardanTwistRow *jacobian,
                               double *rate, double *gamma) {
    (void)user;
    (void)gamma;
    g[0] = f->angle - LOCK_FROM - LOCK_RATE * t;
    jacobian[0][5] = 1.0;
    rate[0] = -LOCK_RATE;
    return CARDAN_OK;
}

static void add_link(CardanBuilder *b, const char *name, CardanVec3 p, CardanVec3 q, CardanBody *out) {
    double dx = q.x - p.x, dy = q.y - p.y;
    *out = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = name, .mass = 1.0, .inertia.zz = 1.0 / 12,
                            .pose = {.p = {0.5 * (p.x + q.x), 0.5 * (p.y + q.y), 0.0}, .angle = atan2(dy, dx)}});
}

/* Crank, coupler and rocker of 1 m, 2 m from foot to foot: the crank's end stays within 2 m of the rocker's foot, so
 * that its angle has cos >= 1/4. */
static CardanModel *locking_four_bar(bool driver) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanVec3 o = {0}, foot = {2.0, 0.0, 0.0}, p = {cos(LOCK_FROM), sin(LOCK_FROM), 0.0};
    double dx = foot.x - p.x, dy = foot.y - p.y, half = 0.5 * hypot(dx, dy),
           up = sqrt(1.0 - half * half) / (2.0 * half);
    CardanVec3 knee = {p.x + 0.5 * dx - up * dy, p.y + 0.5 * dy + up * dx, 0.0};
    CardanBody crank, coupler, rocker;
    add_link(b, "crank", o, p, &crank);
    add_link(b, "coupler", p, knee, &coupler);
    add_link(b, "rocker", foot, knee, &rocker);
    CardanJoint main = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "main", .type = CARDAN_JOINT_REVOLUTE, .b = crank});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .a = crank,
                                                  .b = coupler, .point = p});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "knee", .type = CARDAN_JOINT_REVOLUTE,
                                                  .a = coupler, .b = rocker, .point = knee});
    cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "foot", .type = CARDAN_JOINT_REVOLUTE, .b = rocker, .point = foot});
    if (driver)
        cardan_builder_add_joint(
            b, &(CardanJointDef){DEFAULTED, .name = "drive", .type = CARDAN_JOINT_DRIVER, .joint = main, .law = "2*t"});
    else
        cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = "drive", .rows = 1, .bodies = 1, .body = &crank,
                                                    .evaluate = lead_crank});
    cardan_builder_set_start(b, CARDAN_START_DEFAULT, CARDAN_START_PROJECT);
    return scene_compile(b);
}

static bool names_one_of(const char *message, const char *const *joints) {
    for (int i = 0; joints[i] != NULL; i++)
        if (strstr(message, joints[i]) != NULL) return true;
    return false;
}

static void run_into_lock(bool driver, CardanOptions options, double stops_within) {
    static const char *const joints[] = {"'pin'", "'knee'", "'foot'", "'main'", "'drive'", NULL};
    double lock = (acos(0.25) - LOCK_FROM) / LOCK_RATE;
    CardanModel *model = locking_four_bar(driver);
    CardanSim *sim = scene_start(model, &options);
    int size = cardan_sim_state_size(sim), steps = 0;
    double *before = room((size_t)size, sizeof *before), *after = room((size_t)size, sizeof *after);
    CardanStatus status = CARDAN_OK;
    while (status >= 0 && cardan_sim_time(sim) < 2.0 * lock && steps++ < STEPS_MOST) {
        assert_int_equal(cardan_sim_get_state(sim, before), CARDAN_OK);
        status = cardan_sim_step(sim, 2.0 * lock);
    }
    if (status != CARDAN_ERR_NUMERIC)
        fail_msg("status %d at t = %.9g after %d steps of the lock at %.9g: %s", (int)status, cardan_sim_time(sim),
                 steps, lock, cardan_sim_message(sim));
    check_says(cardan_sim_message(sim), "locks up");
    if (!names_one_of(cardan_sim_message(sim), joints)) fail_msg("no joint in \"%s\"", cardan_sim_message(sim));
    check_below(fabs(cardan_sim_time(sim) - lock), stops_within, "time of the last good step, %d steps", steps);
    assert_true(cardan_sim_time(sim) <= lock * (1.0 + 1e-9));
    const char *told = strstr(cardan_sim_message(sim), "t = ");
    assert_non_null(told);
    check_below(fabs(strtod(told + 4, NULL) - lock), 1e-4, "time of lock-up as told");
    /* the state is that of the last good step: untouched, and on its constraints */
    assert_int_equal(cardan_sim_get_state(sim, after), CARDAN_OK);
    assert_memory_equal(before, after, (size_t)size * sizeof *after);
    check_below(residual_of(sim).position, 1e-6, "residual of the last good state");
    assert_int_equal(cardan_sim_step(sim, 2.0 * lock), CARDAN_ERR_NUMERIC);
    free(before);
    free(after);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_driven_four_bar_reports_its_lock_up(void **state) {
    (void)state;
    run_into_lock(false, tolerance(1e-3), 1e-4);
    run_into_lock(false, tolerance(1e-6), 1e-4);
    run_into_lock(false, tolerance(1e-12), 1e-4);
}

/* A fixed step ends where it ends: the state is kept there, and the pose that stops the motion is looked for beyond. */
static void a_lock_up_is_reported_with_fixed_steps_too(void **state) {
    (void)state;
    const struct {
        CardanStepper stepper;
        double step; /* s */
    } runs[] = {{CARDAN_STEPPER_RK4, 0.002},
                {CARDAN_STEPPER_RK4, 0.01},
                {CARDAN_STEPPER_RK4, 0.05},
                {CARDAN_STEPPER_DOP853, 0.03}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        if (!sample_has((int)i, 3)) continue;
        CardanOptions options = tolerance(1e-6);
        options.stepper = runs[i].stepper;
        options.step = runs[i].step;
        run_into_lock(true, options, runs[i].step);
    }
}

static void a_lock_up_is_reported_without_creeping_towards_it(void **state) {
    (void)state;
    run_into_lock(false, tolerance(1e-9), 1e-4);
}

static void a_four_bar_with_a_driver_reports_its_lock_up(void **state) {
    (void)state;
    run_into_lock(true, tolerance(1e-6), 1e-4);
}

static void fixed_steps_do_not_go_on_beyond_a_lock_up(void **state) {
    (void)state;
    double lock = (acos(0.25) - LOCK_FROM) / LOCK_RATE;
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.001);
    CardanModel *model = locking_four_bar(false);
    CardanSim *sim = scene_start(model, &options);
    assert_int_equal(cardan_sim_advance(sim, 2.0 * lock), CARDAN_ERR_NUMERIC);
    assert_true(cardan_sim_message(sim)[0] != '\0');
    assert_true(cardan_sim_time(sim) <= lock + 0.001);
    check_below(residual_of(sim).position, 1e-6, "residual at t = %g of %g: %s", cardan_sim_time(sim), lock,
                cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folded_slider_crank_at_rest_is_refused),
        cmocka_unit_test(velocities_that_belong_to_no_branch_are_refused),
        cmocka_unit_test(rates_of_enough_joints_choose_the_motion),
        cmocka_unit_test(opposite_spins_choose_the_motion_of_the_slider),
        cmocka_unit_test(equal_spins_choose_the_motion_with_a_resting_slider),
        cmocka_unit_test(starts_next_to_the_pose_go_on),
        cmocka_unit_test(flat_four_bars_at_rest_are_refused),
        cmocka_unit_test(flat_four_bars_go_on_with_their_velocities),
        cmocka_unit_test(flat_spatial_four_bars_go_on_with_their_velocities),
        cmocka_unit_test(a_driven_four_bar_reports_its_lock_up),
        cmocka_unit_test(a_lock_up_is_reported_with_fixed_steps_too),
        cmocka_unit_test(a_lock_up_is_reported_without_creeping_towards_it),
        cmocka_unit_test(a_four_bar_with_a_driver_reports_its_lock_up),
        cmocka_unit_test(fixed_steps_do_not_go_on_beyond_a_lock_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
