/* The slider-crank of equal lengths through its bifurcation, where crank and rod fold onto each other at -90 degrees:
 * the slider's row becomes dependent there and two motions cross, the one it is on (rod angle = - crank angle) and the
 * one with the slider at rest over the crank's pin. Nothing is tuned: default options but for stepper and tolerances.
 */
#include "pathology/passage_fixture.h"
#include "support/random.h"
#include "support/sample.h"

#include "sim/sim.h"

static const double RELEASE = -0.3;   /* rad */
static const double LOAD = 5.0;       /* N m */
static const double END = 3.0;        /* s */
static const double SHORTEST = 1e-10; /* s; what a step is never below */

/* What is asked of the angle at a relative tolerance. */
static double asked(double relative) {
    return fmax(100.0 * relative, 1e-10);
}

static Followed swing_through(CrankDef def, const CardanOptions *options, double end) {
    CardanModel *model = scene_compile(equal_slider_crank(def));
    CardanSim *sim = scene_start(model, options);
    Followed f = follow_crank(sim, model, crank_swing(def), end);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return f;
}

static void swing_at_all_tolerances(double torque) {
    const double relative[] = {1e-3, 1e-6, 1e-9, 1e-12};
    for (int i = 0; i < 4; i++) {
        CardanOptions options = tolerance(relative[i]);
        Followed f = swing_through((CrankDef){.angle = RELEASE, .torque = torque}, &options, END);
        check_below(f.error, asked(relative[i]), "error at tolerance %.0e under %g Nm", relative[i], torque);
        check_below(-f.shortest, -SHORTEST, "shortest step (with a minus) of %ld", f.steps);
        check_below(f.parted, asked(relative[i]), "parting of rod and crank");
    }
}

static void the_reference_equation_is_good_to_1e_14(void **state) {
    (void)state;
    Swing whole = crank_swing((CrankDef){.angle = RELEASE}), parts = whole;
    swing_advance(&whole, END);
    for (int i = 1; i <= 1000; i++) swing_advance(&parts, i * END / 1000);
    check_near((double)whole.x, (double)parts.x, 1e-15, "angle by long and short leaps");
    long double sn = sinl(whole.x), energy = (whole.j0 + whole.j1 * sn * sn) * whole.v * whole.v / 2 - whole.c1 * sn;
    check_near((double)energy, (double)(-whole.c1 * sinl((long double)RELEASE)), 1e-15, "energy");
}

static void swinging_through_keeps_the_tolerance_without_load(void **state) {
    (void)state;
    swing_at_all_tolerances(0.0);
}

static void swinging_through_keeps_the_tolerance_under_load(void **state) {
    (void)state;
    swing_at_all_tolerances(LOAD);
}

static void rk4_swings_through_with_fixed_steps(void **state) {
    (void)state;
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.002);
    for (int loaded = 0; loaded < 2; loaded++) {
        Followed f = swing_through((CrankDef){.angle = RELEASE, .torque = loaded * LOAD}, &options, END);
        check_below(f.error, 1e-8, "error of RK4 under %g Nm", loaded * LOAD);
    }
}

static void a_start_in_the_pose_goes_on_with_its_velocities(void **state) {
    (void)state;
    for (int loaded = 1; loaded >= 0; loaded--) {
        CardanOptions options = tolerance(1e-8);
        CrankDef def = {.angle = -HALF_PI, .rate = 2.0, .torque = loaded * LOAD};
        Followed f = swing_through(def, &options, END);
        check_below(f.error, 1e-5, "error after a start in the pose under %g Nm", loaded * LOAD);
    }
}

static void a_hundred_passages_keep_branch_and_energy(void **state) {
    (void)state;
    const double relative[] = {1e-6, 1e-9};
    for (int i = 0; i < 2; i++) {
        CardanOptions options = tolerance(relative[i]);
        CardanModel *model = scene_compile(equal_slider_crank((CrankDef){.angle = RELEASE}));
        CardanSim *sim = scene_start(model, &options);
        double parted = 0.0, before = RELEASE, drift = 0.0, start = scene_energy(sim).total;
        int passages = 0;
        while (passages < sample_of(100, 5)) {
            must_step(sim, 1000.0);
            double angle = scene_body(sim, model, "crank").angle;
            passages += (angle + HALF_PI) * (before + HALF_PI) < 0.0;
            before = angle;
            parted = fmax(parted, fabs(angle + scene_body(sim, model, "rod").angle));
            drift = fmax(drift, fabs(scene_energy(sim).total - start));
        }
        check_below(parted, 1000.0 * relative[i], "parting of rod and crank over 100 passages at %.0e", relative[i]);
        check_below(drift, 1000.0 * relative[i], "energy over 100 passages, %.0f s", cardan_sim_time(sim));
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void random_masses_swing_through(void **state) {
    (void)state;
    Random random = {2024};
    for (int draw = 0; draw < sample_of(10, 2); draw++) {
        CrankDef def = {.angle = RELEASE};
        def.crank = pow(10.0, random_signed(&random));
        def.rod = pow(10.0, random_signed(&random));
        def.slider = pow(10.0, random_signed(&random));
        def.torque = draw % 2 * fmin(LOAD, 0.4 * GRAVITY * (def.crank + def.rod)); /* with more it would not fall */
        for (double relative = 1e-6; relative > 1e-10; relative *= 1e-3) {
            CardanOptions options = tolerance(relative);
            Followed f = swing_through(def, &options, END);
            check_below(f.error, asked(relative), "masses %.3g %.3g %.3g, %g Nm at %.0e", def.crank, def.rod,
                        def.slider, def.torque, relative);
            check_below(-f.shortest, -SHORTEST, "shortest step (with a minus)");
        }
    }
}

/* ---- fixed steps that land on the pose ---- */

/* Crank angle of the engine after n fixed steps. */
static double angle_after(CrankDef def, double h, int n) {
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, h);
    CardanModel *model = scene_compile(equal_slider_crank(def));
    CardanSim *sim = scene_start(model, &options);
    for (int i = 0; i < n; i++) must_step(sim, (double)INFINITY);
    double angle = scene_body(sim, model, "crank").angle;
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return angle;
}

/* The step near h with which the engine itself is in the pose after n steps, to rounding. */
static double landing_step(CrankDef def, double h, int n) {
    double low = h * (1.0 - 1e-6), high = h * (1.0 + 1e-6);
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        *(angle_after(def, middle, n) < -HALF_PI ? &high : &low) = middle;
    }
    return low;
}

static void swing_with_step(CrankDef def, double h, double allowed, const char *what) {
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, h);
    Followed f = swing_through(def, &options, END);
    check_below(f.error, allowed, "RK4, h = %.6g, %s in the pose, %g Nm", h, what, def.torque);
    check_below(f.parted, allowed, "parting of rod and crank");
}

/* A step of about h that ends in the pose, one whose stages at half of it are there, and one that lands there in the
 * engine's own motion. */
static void land_on_pose(CrankDef def, double h, double allowed) {
    Swing swing = crank_swing(def);
    double t = swing_pass(&swing, -HALF_PI, END);
    int n = (int)(t / h);
    swing_with_step(def, t / n, allowed, "a step's end");
    swing_with_step(def, t / (n + 0.5), allowed, "stages");
    double landing = landing_step(def, t / n, n);
    check_below(fabs(angle_after(def, landing, n) + HALF_PI), 1e-13, "distance to the pose");
    swing_with_step(def, landing, allowed, "a step's end to rounding");
}

static void fixed_steps_that_land_on_the_pose_keep_the_branch(void **state) {
    (void)state;
    Random random = {7};
    for (int draw = 0; draw < sample_of(4, 2); draw++) {
        CrankDef def = {.angle = RELEASE, .torque = draw % 2 * LOAD};
        if (draw > 1) {
            def.crank = random_between(&random, 0.5, 10.0);
            def.rod = random_between(&random, 0.5, 10.0);
            def.slider = random_between(&random, 0.1, 10.0);
        }
        land_on_pose(def, 0.002, 1e-8);
        land_on_pose(def, 0.01, 1e-5);
    }
}

/* ---- the log ---- */

/* Runs 6 s and holds the log against the equation: one event a passage, at its time to within `late`. */
static void check_log(double relative, double torque, double late) {
    const double end = 2.0 * END;
    CrankDef def = {.angle = RELEASE, .torque = torque};
    CardanOptions options = tolerance(relative);
    CardanModel *model = scene_compile(equal_slider_crank(def));
    CardanSim *sim = scene_start(model, &options);
    Swing swing = crank_swing(def);
    Followed f = follow_crank(sim, model, swing, end);
    const CardanEvent *events;
    long total;
    int kept = cardan_sim_events(sim, &events, &total), passed = 0;
    double most = 0.0;
    for (double t; (t = swing_pass(&swing, -HALF_PI, end)) < end; passed++) {
        if (passed >= kept)
            fail_msg("passage %d, at t = %.6f, is not in the log at %.0e, %g Nm", passed, t, relative, torque);
        const CardanEvent *e = &events[passed];
        most = fmax(most, fabs(e->t - t));
        assert_int_equal(e->kind, CARDAN_EVENT_SINGULARITY);
        assert_int_equal(e->branch, CARDAN_BRANCH_KEPT);
        assert_true(e->left_at >= e->t);
        assert_int_not_equal(e->remedy, CARDAN_REMEDY_NONE);
        assert_int_equal(e->joint_count, 4);
        for (int j = 0; j < 4; j++) assert_int_equal(e->joint[j].index, j + 1);
        assert_true(e->pivot_min < 1e-3 && e->lambda_max > 0.0);
    }
    check_below(most, late, "times in the log, %d passages, at %.0e, %g Nm", passed, relative, torque);
    assert_true(passed >= 2);
    assert_int_equal(kept, passed);
    assert_int_equal(total, passed);
    assert_int_equal(f.remarks, passed);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void each_passage_is_logged_once(void **state) {
    (void)state;
    const double relative[] = {1e-6, 1e-9, 1e-12};
    for (int i = 0; i < 6; i++) check_log(relative[i / 2], i % 2 * LOAD, 1e-4);
}

static void passages_inside_long_steps_are_logged_too(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) check_log(1e-3, i * LOAD, 1e-2);
}

static void the_remark_names_time_joint_and_remedy(void **state) {
    (void)state;
    CardanModel *model = scene_compile(equal_slider_crank((CrankDef){.angle = RELEASE}));
    CardanSim *sim = scene_start(model, NULL);
    while (must_step(sim, END) != CARDAN_REMARK) assert_true(cardan_sim_time(sim) < END);
    const char *message = cardan_sim_message(sim);
    assert_non_null(strstr(message, "singular pose at t = "));
    assert_non_null(strstr(message, "'main'"));
    const CardanEvent *events;
    long total;
    assert_int_equal(cardan_sim_events(sim, &events, &total), 1);
    assert_non_null(strstr(message, cardan_remedy_name(events[0].remedy)));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Next to the pose accelerations come from neighbours across it; afterwards the workspace is that of the state. */
static void the_workspace_is_that_of_the_state_when_neighbours_were_asked(void **state) {
    (void)state;
    CardanModel *model = scene_compile(equal_slider_crank((CrankDef){.angle = -HALF_PI + 1e-4, .rate = 2.0}));
    CardanSim *sim = scene_start(model, NULL);
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    double acceleration[9];
    assert_true(cardan_sim_evaluate(sim, acceleration, NULL) >= 0);
    assert_int_equal(dynamics->near_pose.remedy, CRD_REMEDY_ACROSS);
    assert_true(crd_stamp_at(&dynamics->system.stamp, cardan_sim_positions(sim)));
    for (int i = 0; i < model->structure->rows; i++)
        check_near(dynamics->target[i], dynamics->system.gamma[i], 0.0, "row %d", i);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_equation_is_good_to_1e_14),
        cmocka_unit_test(swinging_through_keeps_the_tolerance_without_load),
        cmocka_unit_test(swinging_through_keeps_the_tolerance_under_load),
        cmocka_unit_test(rk4_swings_through_with_fixed_steps),
        cmocka_unit_test(a_start_in_the_pose_goes_on_with_its_velocities),
        cmocka_unit_test(a_hundred_passages_keep_branch_and_energy),
        cmocka_unit_test(random_masses_swing_through),
        cmocka_unit_test(fixed_steps_that_land_on_the_pose_keep_the_branch),
        cmocka_unit_test(each_passage_is_logged_once),
        cmocka_unit_test(passages_inside_long_steps_are_logged_too),
        cmocka_unit_test(the_remark_names_time_joint_and_remedy),
        cmocka_unit_test(the_workspace_is_that_of_the_state_when_neighbours_were_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
