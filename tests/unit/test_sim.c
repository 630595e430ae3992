/* Going on and reading: exact landing, internal steps and their limits, samples, channels, reactions, energies, work.
 */
#include "support/defaulted.h"
#include "support/reading.h"
#include "unit/sim_fixture.h"

static CardanSim *slider_crank(const CardanOptions *options) {
    return sim_alone(model_of(mechanism_slider_crank(0.2, 0.4, 0.8)), options);
}

/* ---- going on ---- */

static void advance_lands_on_the_very_bits_of_the_time_asked_for(void **state) {
    (void)state;
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        if (!keeps_joints(stepper)) continue;
        CardanOptions o = cardan_default_options();
        o.stepper = (CardanStepper)stepper;
        if (stepper != CARDAN_STEPPER_DOPRI5 && stepper != CARDAN_STEPPER_DOP853) o.step = 1e-3;
        CardanSim *sim = slider_crank(&o);
        const double times[] = {0.1, 0.1 + 1e-15, 1.0 / 3.0, 0.7 * 0.7, 0.5000000001, 0.6180339887498949};
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            advance(sim, times[i]);
            assert_true(cardan_sim_time(sim) == times[i]);
        }
        advance(sim, cardan_sim_time(sim)); /* nowhere to go: done */
        assert_true(cardan_sim_time(sim) == times[5]);
        cardan_sim_destroy(sim);
    }
}

static void many_small_advances_make_the_motion_of_one_long_one(void **state) {
    (void)state;
    CardanOptions o = tight_options();
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    CardanSim *often = sim_of(model, &o), *once = sim_of(model, &o);
    for (int i = 1; i <= 1000; i++) advance(often, 1e-3 * i);
    advance(once, 1.0);
    assert_true(largest_difference(model, often, once) < 1e-7); /* 1e-11 a step, grown by the motion */
    assert_true(work_of(often).steps >= 1000);
    assert_true(work_of(once).steps < 500);
    cardan_sim_destroy(often);
    cardan_sim_destroy(once);
    cardan_model_release(model);
}

static void fixed_steps_cut_by_landings_do_not_leave_crumbs(void **state) {
    (void)state;
    CardanOptions o = fixed_options(CARDAN_STEPPER_RK4, 1e-3);
    CardanSim *sim = slider_crank(&o);
    for (int i = 1; i <= 100; i++) advance(sim, 0.01 * i); /* 0.01 i is no whole number of steps in binary */
    assert_int_equal(work_of(sim).steps, 1000);
    assert_true(cardan_sim_time(sim) == 0.01 * 100);
    cardan_sim_destroy(sim);
}

static void one_internal_step_stops_at_its_limit(void **state) {
    (void)state;
    CardanSim *sim = slider_crank(NULL);
    double before = cardan_sim_time(sim);
    assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
    assert_int_equal(work_of(sim).steps, 1);
    assert_true(cardan_sim_time(sim) > before);
    assert_true(cardan_sim_last_step(sim) == cardan_sim_time(sim) - before);
    double limit = cardan_sim_time(sim) + 1e-7;
    assert_int_equal(cardan_sim_step(sim, limit), CARDAN_OK);
    assert_true(cardan_sim_time(sim) == limit);
    assert_int_equal(work_of(sim).steps, 2);
    cardan_sim_destroy(sim);
}

static void a_short_landing_does_not_shorten_the_steps_after_it(void **state) {
    (void)state;
    CardanSim *sim = slider_crank(NULL);
    advance(sim, 0.3);
    assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
    double usual = cardan_sim_last_step(sim);
    advance(sim, cardan_sim_time(sim) + 1e-9);
    assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
    assert_true(cardan_sim_last_step(sim) > 0.1 * usual);
    cardan_sim_destroy(sim);
}

static void max_step_bounds_every_step_and_max_steps_every_advance(void **state) {
    (void)state;
    CardanOptions o = cardan_default_options();
    o.max_step = 2e-3;
    o.max_steps = 10;
    CardanSim *sim = slider_crank(&o);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
        assert_true(cardan_sim_last_step(sim) <= 2e-3 * (1.0 + 1e-12));
    }
    double before = cardan_sim_time(sim);
    assert_int_equal(cardan_sim_advance(sim, 1.0), CARDAN_ERR_LIMIT);
    assert_non_null(strstr(cardan_sim_message(sim), "max_steps = 10"));
    assert_int_equal(work_of(sim).steps, 20);
    assert_true(cardan_sim_time(sim) > before && cardan_sim_time(sim) < 1.0);
    advance(sim, cardan_sim_time(sim) + 0.01); /* goes on from there, and the message is gone */
    assert_string_equal(cardan_sim_message(sim), "");
    cardan_sim_destroy(sim);
}

/* ---- evaluate ---- */

static void accelerations_are_the_rate_of_the_velocities(void **state) {
    (void)state;
    CardanBuilder *builders[] = {mechanism_slider_crank(0.2, 0.4, 0.8), mechanism_chain(CARDAN_SPACE_SPATIAL, 3)};
    for (int m = 0; m < 2; m++) {
        CardanModel *model = model_of(builders[m]);
        CardanOptions o = tight_options();
        CardanSim *sim = sim_of(model, &o);
        int nv = cardan_model_sizes(model).velocities;
        double before[64], a[64], h = 1e-4;
        advance(sim, 0.2 - h);
        memcpy(before, cardan_sim_velocities(sim), (size_t)nv * sizeof *before);
        advance(sim, 0.2);
        Snapshot present = snapshot_of(sim);
        assert_int_equal(cardan_sim_evaluate(sim, a, NULL), CARDAN_OK);
        assert_unchanged(&present, sim);
        advance(sim, 0.2 + h);
        for (int i = 0; i < nv; i++) {
            double slope = (cardan_sim_velocities(sim)[i] - before[i]) / (2.0 * h);
            assert_near(a[i], slope, 1e-5 * (1.0 + fabs(a[i]))); /* h^2 times a third derivative of about 1e3 */
        }
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void multipliers_of_a_hanging_rod_carry_its_weight(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 0.0});
    CardanBody rod = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "rod", .mass = 2.0, .inertia.zz = 0.1, .pose.p = {0.0, -0.5, 0.0}});
    CardanJoint pin = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .b = rod});
    CardanSim *sim = sim_alone(model_of(b), NULL);
    double a[3], lambda[2];
    assert_int_equal(cardan_sim_evaluate(sim, a, lambda), CARDAN_OK);
    for (int i = 0; i < 3; i++) assert_near(a[i], 0.0, 1e-13);
    CardanWrench r = reaction_of(sim, pin);
    assert_near(r.force.x, 0.0, 1e-13);
    assert_near(r.force.y, 2.0 * 9.81, 1e-12); /* upwards, on the rod */
    assert_near(r.moment.z, 0.0, 1e-13);
    assert_near(lambda[1], -r.force.y, 1e-12); /* the wrench on b is -G_b^T lambda */
    cardan_sim_destroy(sim);
}

/* ---- channels ---- */

static const CardanModel *channel_model;

static CardanChannel channel(const char *name) {
    CardanChannel c;
    char message[256];
    if (cardan_model_find_channel(channel_model, name, &c, message, sizeof message) < 0) fail_msg("%s", message);
    return c;
}

static void channels_have_widths_and_headings(void **state) {
    (void)state;
    const struct {
        const char *name;
        int width;
        const char *first, *last;
    } cases[] = {
        {"main.angle", 1, "main.angle", "main.angle"},
        {"guide.displacement", 1, "guide.displacement", "guide.displacement"},
        {"slider.x", 1, "slider.x", "slider.x"},
        {"pin.reaction", 3, "pin.reaction.fx", "pin.reaction.m"},
        {"pin.reaction_local", 3, "pin.reaction_local.fx", "pin.reaction_local.m"},
        {"energy", 3, "energy.kinetic", "energy.total"},
        {"residual", 2, "residual.position", "residual.velocity"},
        {"step", 1, "step", "step"},
    };
    char label[64];
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    channel_model = model;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CardanChannel c = channel(cases[i].name);
        assert_int_equal(c.width, cases[i].width);
        assert_string_equal(cardan_model_channel_label(model, c, 0, label, sizeof label), cases[i].first);
        assert_string_equal(cardan_model_channel_label(model, c, c.width - 1, label, sizeof label), cases[i].last);
        assert_string_equal(cardan_model_channel_label(model, c, c.width, label, sizeof label), "");
    }
    assert_string_equal(cardan_model_channel_label(model, channel("pin.reaction"), 0, label, 5), "pin.");
    cardan_model_release(model);
    model = model_of(mechanism_chain(CARDAN_SPACE_SPATIAL, 2));
    channel_model = model;
    CardanChannel spatial = channel("j1.reaction");
    assert_int_equal(spatial.width, 6);
    assert_string_equal(cardan_model_channel_label(model, spatial, 5, label, sizeof label), "j1.reaction.mz");
    cardan_model_release(model);
}

static void names_that_are_no_channels_are_refused_with_a_sentence(void **state) {
    (void)state;
    const char *names[] = {"",     "nobody.x", "crank", "crank.z", "main.displacement", "guide.angle", "energy.heat",
                           "main."};
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CardanChannel c;
        char message[256] = "";
        assert_int_equal(cardan_model_find_channel(model, names[i], &c, message, sizeof message), CARDAN_ERR_MODEL);
        if (strstr(message, names[i]) == NULL || message[0] == '\0') fail_msg("'%s': %s", names[i], message);
    }
    cardan_model_release(model);
}

static void samples_inside_a_step_lie_on_the_motion(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    channel_model = model;
    CardanChannel c[] = {channel("main.angle"), channel("slider.vx"), channel("residual"), channel("pin.reaction")};
    for (int stepper = CARDAN_STEPPER_DOPRI5; stepper <= CARDAN_STEPPER_DOP853; stepper++) {
        CardanOptions loose = cardan_default_options(), tight = tight_options();
        loose.stepper = (CardanStepper)stepper;
        loose.rtol = 1e-8;
        loose.atol = 1e-10;
        CardanSim *sim = sim_of(model, &loose), *fine = sim_of(model, &tight);
        for (int i = 0; i < 30; i++) {
            assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
            double here[7], there[7], t = cardan_sim_time(sim) - 0.4 * cardan_sim_last_step(sim);
            assert_int_equal(cardan_sim_sample(sim, t, 4, c, here), CARDAN_OK);
            advance(fine, t);
            assert_int_equal(cardan_sim_sample(fine, t, 4, c, there), CARDAN_OK);
            assert_near(here[0], there[0], 1e-6);
            assert_near(here[1], there[1], 1e-5);
            /* open by no more than the tolerance of a mechanism of half a metre, or of a speed of 10 m/s or rad/s */
            assert_true(here[2] <= 1e-10 + 1e-8 && here[3] <= 1e-10 + 1e-8 * 10.0);
            for (int k = 4; k < 7; k++) assert_near(here[k], there[k], 1e-4 * (1.0 + fabs(there[k])));
        }
        cardan_sim_destroy(sim);
        cardan_sim_destroy(fine);
    }
    cardan_model_release(model);
}

static void sampling_at_the_ends_of_a_step_gives_the_states_there(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    channel_model = model;
    CardanChannel c[] = {channel("slider.x"), channel("energy")};
    CardanSim *sim = sim_of(model, NULL);
    advance(sim, 0.2);
    double before[4], now[4], again[4], t = cardan_sim_time(sim);
    assert_int_equal(cardan_sim_sample(sim, t, 2, c, before), CARDAN_OK);
    assert_int_equal(cardan_sim_step(sim, (double)INFINITY), CARDAN_OK);
    assert_int_equal(cardan_sim_sample(sim, t, 2, c, now), CARDAN_OK);
    for (int i = 0; i < 4; i++) assert_near(now[i], before[i], 1e-12);
    assert_int_equal(cardan_sim_sample(sim, cardan_sim_time(sim), 2, c, again), CARDAN_OK);
    CardanBodyState slider;
    CardanEnergy energy;
    assert_int_equal(cardan_sim_body(sim, cardan_model_find_body(model, "slider"), &slider), CARDAN_OK);
    assert_int_equal(cardan_sim_energy(sim, &energy), CARDAN_OK);
    assert_true(again[0] == slider.position.x && again[3] == energy.total);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void reading_does_not_change_the_motion(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    channel_model = model;
    CardanChannel c[] = {channel("pin.reaction"), channel("energy"), channel("condition")};
    for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
        if (!keeps_joints(stepper)) continue;
        CardanOptions o = fixed_options((CardanStepper)stepper, 2e-3);
        if (stepper == CARDAN_STEPPER_DOPRI5 || stepper == CARDAN_STEPPER_DOP853) o.step = 0.0;
        CardanSim *read = sim_of(model, &o), *left_alone = sim_of(model, &o);
        for (int i = 0; i < 100; i++) {
            double values[7], t;
            CardanEnergy energy;
            CardanBodyState body;
            assert_int_equal(cardan_sim_step(read, (double)INFINITY), CARDAN_OK);
            assert_int_equal(cardan_sim_step(left_alone, (double)INFINITY), CARDAN_OK);
            t = cardan_sim_time(read) - 0.7 * cardan_sim_last_step(read);
            assert_int_equal(cardan_sim_sample(read, t, 3, c, values), CARDAN_OK);
            residual_of(read);
            if (i % 3 == 0) MUST(cardan_sim_energy(read, &energy));
            MUST(cardan_sim_body(read, (CardanBody){2}, &body));
            reaction_of(read, (CardanJoint){2});
            assert_same_bits(read, left_alone);
        }
        cardan_sim_destroy(read);
        cardan_sim_destroy(left_alone);
    }
    cardan_model_release(model);
}

/* ---- reactions ---- */

static void local_reactions_are_ground_reactions_in_the_axes_of_a(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    CardanModel *model = model_of(b);
    channel_model = model;
    CardanChannel c[] = {channel("pin.reaction"), channel("pin.reaction_local"), channel("crank.angle")};
    CardanSim *sim = sim_of(model, NULL);
    advance(sim, 0.3);
    double x[7];
    assert_int_equal(cardan_sim_sample(sim, 0.3, 3, c, x), CARDAN_OK);
    double cosine = cos(x[6]), sine = sin(x[6]); /* a of the pin is the crank, its axes those of the body */
    assert_near(x[3], cosine * x[0] + sine * x[1], 1e-12 * (1.0 + fabs(x[0]) + fabs(x[1])));
    assert_near(x[4], -sine * x[0] + cosine * x[1], 1e-12 * (1.0 + fabs(x[0]) + fabs(x[1])));
    assert_near(x[5], x[2], 1e-13);
    CardanWrench r = reaction_of(sim, cardan_model_find_joint(model, "pin"));
    assert_true(r.force.x == x[0] && r.force.y == x[1] && r.moment.z == x[2]);
    assert_true(hypot(x[0], x[1]) > 1.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Newton for the slider alone: wrist and guide carry it, the guide only across. */
static void reactions_balance_the_slider(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    CardanSim *sim = sim_of(model, NULL);
    advance(sim, 0.25);
    double a[9];
    assert_int_equal(cardan_sim_evaluate(sim, a, NULL), CARDAN_OK);
    CardanWrench wrist = reaction_of(sim, cardan_model_find_joint(model, "wrist"));
    CardanWrench guide = reaction_of(sim, cardan_model_find_joint(model, "guide"));
    assert_near(guide.force.x, 0.0, 1e-12);
    assert_near(wrist.force.x, 0.5 * a[6], 1e-10);
    assert_near(wrist.force.y + guide.force.y - 0.5 * 9.81, 0.5 * a[7], 1e-10);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- energies, residuals, work ---- */

static void joint_angles_are_counted_through_turns(void **state) {
    (void)state;
    for (int space = 0; space < 2; space++) {
        CardanBuilder *b = cardan_builder_create((CardanSpace)space);
        CardanInertia inertia = space ? (CardanInertia){.xx = 1.0, .yy = 1.0, .zz = 1.0} : (CardanInertia){.zz = 1.0};
        CardanBody wheel =
            cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "wheel", .mass = 1.0, .inertia = inertia,
                                                        .angular_velocity = {0.0, 0.0, 9.0}});
        CardanJoint axle =
            cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "axle", .type = CARDAN_JOINT_REVOLUTE,
                                                          .b = wheel, .axis = {0.0, 0.0, 1.0}});
        CardanSim *sim = sim_alone(model_of(b), NULL);
        double angle, rate;
        for (int i = 1; i <= 20; i++) {
            advance(sim, 0.1 * i);
            assert_int_equal(cardan_sim_joint(sim, axle, &angle, &rate), CARDAN_OK);
            assert_near(angle, 9.0 * 0.1 * i, 1e-6);
            assert_near(rate, 9.0, 1e-9);
        }
        cardan_sim_destroy(sim);
    }
}

static void energies_add_up_and_work_is_what_forces_did(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .value = {0.3, 0.0, 0.0}});
    CardanOptions o = tight_options();
    CardanSim *sim = sim_alone(model_of(b), &o);
    CardanEnergy start, end;
    double from, to;
    assert_int_equal(cardan_sim_energy(sim, &start), CARDAN_OK);
    assert_int_equal(cardan_sim_joint(sim, (CardanJoint){1}, &from, NULL), CARDAN_OK);
    assert_near(start.work, 0.0, 0.0);
    advance(sim, 1.0);
    assert_int_equal(cardan_sim_energy(sim, &end), CARDAN_OK);
    assert_int_equal(cardan_sim_joint(sim, (CardanJoint){1}, &to, NULL), CARDAN_OK);
    assert_near(end.total, end.kinetic + end.potential, 1e-14);
    assert_near(end.work, 0.3 * (to - from), 1e-8);
    assert_near(end.total - end.work, start.total, 1e-8);
    assert_true(fabs(to - from) > 0.1 && end.drift_max < 1e-8 && end.drift_max > 0.0);
    cardan_sim_destroy(sim);
}

static void counters_of_work_and_residuals_are_plausible(void **state) {
    (void)state;
    CardanOptions o = fixed_options(CARDAN_STEPPER_RK4, 1e-3);
    CardanSim *sim = slider_crank(&o);
    advance(sim, 0.1);
    CardanWork w = work_of(sim);
    assert_int_equal(w.steps, 100);
    assert_int_equal(w.rejected, 0);
    assert_in_range(w.rhs, 400, 401);
    assert_true(w.factorisations >= w.rhs && w.factorisations <= w.rhs + w.refreshed * 3 + 10);
    assert_true(w.solves >= w.rhs + 4 * w.steps); /* two passes, positions and velocities */
    assert_true(w.pivot_min > 1e-6 && w.pivot_min <= 1.0);
    CardanResidual r = residual_of(sim);
    assert_true(r.position <= r.position_max && r.velocity <= r.velocity_max);
    assert_true(r.position_max < 1e-12 && r.velocity_max < 1e-11);
    assert_int_equal(cardan_sim_solver(sim), CARDAN_SOLVER_BLOCK);
    cardan_sim_destroy(sim);
    CardanOptions adaptive = cardan_default_options();
    CardanSim *chain = sim_alone(model_of(mechanism_chain(CARDAN_SPACE_SPATIAL, 10)), &adaptive);
    assert_int_equal(cardan_sim_solver(chain), CARDAN_SOLVER_BLOCK);
    advance(chain, 0.5);
    w = work_of(chain);
    assert_true(w.steps > 3 && w.rhs >= 12 * w.steps);
    cardan_sim_destroy(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advance_lands_on_the_very_bits_of_the_time_asked_for),
        cmocka_unit_test(many_small_advances_make_the_motion_of_one_long_one),
        cmocka_unit_test(fixed_steps_cut_by_landings_do_not_leave_crumbs),
        cmocka_unit_test(one_internal_step_stops_at_its_limit),
        cmocka_unit_test(a_short_landing_does_not_shorten_the_steps_after_it),
        cmocka_unit_test(max_step_bounds_every_step_and_max_steps_every_advance),
        cmocka_unit_test(accelerations_are_the_rate_of_the_velocities),
        cmocka_unit_test(multipliers_of_a_hanging_rod_carry_its_weight),
        cmocka_unit_test(channels_have_widths_and_headings),
        cmocka_unit_test(names_that_are_no_channels_are_refused_with_a_sentence),
        cmocka_unit_test(samples_inside_a_step_lie_on_the_motion),
        cmocka_unit_test(sampling_at_the_ends_of_a_step_gives_the_states_there),
        cmocka_unit_test(reading_does_not_change_the_motion),
        cmocka_unit_test(local_reactions_are_ground_reactions_in_the_axes_of_a),
        cmocka_unit_test(reactions_balance_the_slider),
        cmocka_unit_test(joint_angles_are_counted_through_turns),
        cmocka_unit_test(energies_add_up_and_work_is_what_forces_did),
        cmocka_unit_test(counters_of_work_and_residuals_are_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
