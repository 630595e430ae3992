/* Events of users: located, logged, called back, stopping the run, changing the state. */
#include "support/defaulted.h"
#include "support/events.h"
#include "support/reading.h"

#include "cardan/cardan.h"

#define G 9.81

/* What the functions and actions of these tests share. */
typedef struct Note {
    double level; /* height at which the ball is looked for */
    double restitution;
    int calls; /* of the action */
    double t[64], height[64];
    CardanStatus answer;
    int nested; /* what a forbidden call answered */
} Note;

static CardanStatus height_above(void *user, const CardanEventView *view, double *value) {
    const Note *note = user;
    *value = view->frames[0].x.y - note->level;
    return CARDAN_OK;
}

static CardanStatus take_note(void *user, CardanSim *sim, double *q, double *v, double *z) {
    Note *note = user;
    (void)q, (void)v, (void)z;
    CardanBodyState ball;
    assert_int_equal(cardan_sim_body(sim, (CardanBody){1}, &ball), CARDAN_OK);
    if (note->calls < 64) {
        note->t[note->calls] = cardan_sim_time(sim);
        note->height[note->calls] = ball.position.y;
    }
    note->calls++;
    note->nested = cardan_sim_step(sim, INFINITY);
    return note->answer;
}

static CardanStatus bounce(void *user, CardanSim *sim, double *q, double *v, double *z) {
    Note *note = user;
    take_note(note, sim, q, v, z);
    v[1] = -note->restitution * v[1];
    return CARDAN_OK;
}

static CardanStatus rebound(void *user, const CardanEventView *view, double *q, double *v, double *z) {
    const Note *note = user;
    (void)q, (void)z;
    v[1] = -note->restitution * view->v[1];
    return note->answer;
}

/* A particle thrown up from (0, height) with this speed, and one event on its height. */
static CardanModel *thrown(double height, double speed, CardanEventDef def) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    CardanBody ball =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "ball", .mass = 2.0, .particle = true,
                                                    .pose.p = {0.0, height, 0.0}, .velocity = {0.5, speed, 0.0}});
    def.bodies = 1;
    def.body = &ball;
    if (def.function == NULL) def.function = height_above;
    cardan_builder_add_event(b, &def);
    return scene_compile(b);
}

static void finish(CardanModel *model, CardanSim *sim) {
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_run_stops_at_an_event_and_goes_on(void **state) {
    (void)state;
    Note note = {.level = 0.0};
    CardanModel *model = thrown(1.0, 0.0, (CardanEventDef){DEFAULTED, .name = "floor", .user = &note, .stop = true});
    for (int fixed = 0; fixed < 2; fixed++) {
        CardanOptions options = fixed ? scene_fixed(CARDAN_STEPPER_RK4, 5.0) : scene_tight(1e-9, 1e-9);
        CardanSim *sim = scene_start(model, &options);
        assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_STOPPED);
        assert_non_null(strstr(cardan_sim_message(sim), "'floor' stopped the run"));
        check_near(cardan_sim_time(sim), sqrt(2.0 / G), 1e-9, "where it stopped");
        check_near(scene_body(sim, model, "ball").position.y, 0.0, 1e-9, "height");
        assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_OK);
        check_near(scene_body(sim, model, "ball").position.y, 1.0 - 0.5 * G * 4.0, 1e-8, "height");
        check_event(sim, 0, CARDAN_EVENT_USER, "floor", -1, sqrt(2.0 / G), 1e-9);
        check_event_count(sim, 1);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

static void an_action_is_called_where_it_was_asked_for(void **state) {
    (void)state;
    /* rises through 3 and falls through it again */
    for (int direction = -1; direction <= 1; direction++) {
        Note note = {.level = 3.0};
        CardanModel *model = thrown(
            0.0, 10.0,
            (CardanEventDef){DEFAULTED, .name = "level", .user = &note, .action = take_note, .direction = direction});
        CardanOptions options = scene_tight(1e-10, 1e-10);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 2.5);
        double root = sqrt(100.0 - 2.0 * G * 3.0), up = (10.0 - root) / G, down = (10.0 + root) / G;
        assert_int_equal(note.calls, direction == 0 ? 2 : 1);
        check_near(note.t[0], direction < 0 ? down : up, 1e-9, "first call");
        if (direction == 0) check_near(note.t[1], down, 1e-9, "second call");
        for (int i = 0; i < note.calls; i++) check_near(note.height[i], 3.0, 1e-8, "height when called");
        assert_int_equal(note.nested, CARDAN_ERR_ARGUMENT); /* an action cannot step */
        finish(model, sim);
    }
}

static void a_reset_and_an_action_that_do_the_same_lead_to_the_same_motion(void **state) {
    (void)state;
    double height[2];
    CardanOptions options = scene_tight(1e-9, 1e-9);
    for (int pure = 0; pure < 2; pure++) {
        Note note = {.restitution = 0.8};
        CardanEventDef def = {DEFAULTED, .name = "floor", .user = &note, .direction = -1};
        if (pure == 1)
            def.reset = rebound;
        else
            def.action = bounce;
        CardanModel *model = thrown(1.0, 0.0, def);
        CardanSim *sim = scene_start(model, &options);
        assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_OK);
        height[pure] = scene_body(sim, model, "ball").position.y;
        note.answer = CARDAN_ERR_NUMERIC;
        if (pure == 1) {
            assert_int_equal(cardan_sim_advance(sim, 3.0), CARDAN_ERR_NUMERIC);
            assert_non_null(strstr(cardan_sim_message(sim), "event 'floor': its reset"));
        }
        finish(model, sim);
    }
    check_near(height[1], height[0], 0.0, "height after some bounces");
}

static void an_answer_of_the_action_stops_or_fails(void **state) {
    (void)state;
    Note note = {.level = 0.0, .answer = CARDAN_STOPPED};
    CardanModel *model =
        thrown(1.0, 0.0, (CardanEventDef){DEFAULTED, .name = "floor", .user = &note, .action = take_note});
    CardanSim *sim = scene_start(model, NULL);
    assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_STOPPED);
    cardan_sim_destroy(sim);
    note.answer = CARDAN_ERR_IO;
    sim = scene_start(model, NULL);
    assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_ERR_IO);
    assert_non_null(strstr(cardan_sim_message(sim), "event 'floor': its action failed at t = 0.4515"));
    check_near(cardan_sim_time(sim), sqrt(2.0 / G), 1e-6, "where it is left");
    note.answer = CARDAN_OK;
    assert_int_equal(cardan_sim_advance(sim, 2.0), CARDAN_OK);
    finish(model, sim);
}

/* Dropped from 1: bounce n is at t1 (1 + 2 e + 2 e^2 + ... + 2 e^n), t1 = sqrt(2/g); the energy lost counts as work. */
static void a_ball_bounces_with_its_restitution(void **state) {
    (void)state;
    for (int direction = -1; direction <= 0; direction++) {
        Note note = {.level = 0.0, .restitution = 0.8};
        CardanModel *model = thrown(
            1.0, 0.0,
            (CardanEventDef){DEFAULTED, .name = "floor", .user = &note, .action = bounce, .direction = direction});
        CardanOptions options = scene_tight(1e-10, 1e-10);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 3.0);
        double t = sqrt(2.0 / G), flight = 2.0 * t, last = t;
        int n = 0;
        for (; t < 3.0; n++) {
            if (n >= note.calls) fail_msg("bounce %d at %g is missing", n, t);
            check_near(note.t[n], t, 1e-8, "bounce %d", n);
            last = t;
            flight *= note.restitution;
            t += flight;
        }
        assert_int_equal(note.calls, n);
        double speed = pow(note.restitution, n) * sqrt(2.0 * G), up = 3.0 - last;
        check_near(scene_body(sim, model, "ball").position.y, speed * up - 0.5 * G * up * up, 1e-7, "height");
        CardanEnergy energy = scene_energy(sim);
        check_near(energy.drift_max, 0.0, 1e-8, "energy balance");
        check_near(energy.work, -2.0 * G * (1.0 - pow(note.restitution, 2.0 * n)), 1e-7, "energy lost");
        finish(model, sim);
    }
}

/* The bounces end at t1 (1 + e) / (1 - e): nobody steps over that. */
static void bounces_without_end_are_told(void **state) {
    (void)state;
    Note note = {.level = 0.0, .restitution = 0.3};
    CardanModel *model = thrown(
        1.0, 0.0, (CardanEventDef){DEFAULTED, .name = "floor", .user = &note, .action = bounce, .direction = -1});
    CardanSim *sim = scene_start(model, NULL);
    assert_int_equal(cardan_sim_advance(sim, 3.0), CARDAN_ERR_LIMIT);
    assert_non_null(strstr(cardan_sim_message(sim), "event 'floor' follows itself ever faster"));
    check_near(cardan_sim_time(sim), sqrt(2.0 / G) * 1.3 / 0.7, 1e-3, "the end of bounces");
    finish(model, sim);
}

/* Two crossings a thousandth of the step apart, and a touch of zero, in steps of 8 s. */
static void grazing_and_double_crossings_are_found_in_large_steps(void **state) {
    (void)state;
    double top = 400.0 / (2.0 * G);
    for (int fixed = 0; fixed < 2; fixed++) {
        CardanOptions options = fixed ? scene_fixed(CARDAN_STEPPER_RK4, 8.0) : scene_tight(1e-10, 1e-10);
        for (double below = 1.0; below > 1e-7; below *= 0.1) {
            Note note = {.level = top - below};
            CardanModel *model = thrown(0.0, 20.0, (CardanEventDef){DEFAULTED, .name = "top", .user = &note});
            CardanSim *sim = scene_start(model, &options);
            scene_advance(sim, 8.0);
            double half = sqrt(2.0 * below / G), width = 1e-9 / half; /* where it is flat, times are less sharp */
            check_event(sim, 0, CARDAN_EVENT_USER, "top", 1, 20.0 / G - half, 1e-8 + 10.0 * width);
            check_event(sim, 1, CARDAN_EVENT_USER, "top", -1, 20.0 / G + half, 1e-8 + 10.0 * width);
            check_event_count(sim, 2);
            finish(model, sim);
        }
        Note note = {.level = top};
        CardanModel *model = thrown(0.0, 20.0, (CardanEventDef){DEFAULTED, .name = "top", .user = &note});
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 8.0);
        check_event(sim, 0, CARDAN_EVENT_USER, "top", 0, 20.0 / G, 1e-5);
        check_event_count(sim, 1);
        finish(model, sim);
        note.level = top + 1e-6;
        model = thrown(0.0, 20.0, (CardanEventDef){DEFAULTED, .name = "top", .user = &note});
        sim = scene_start(model, &options);
        scene_advance(sim, 8.0);
        check_event_count(sim, 0);
        finish(model, sim);
    }
}

static CardanStatus clock(void *user, const CardanEventView *view, double *value) {
    const Note *note = user;
    *value = view->t - note->level;
    return CARDAN_OK;
}

/* A zero at the start is none; one at the end of an advance is there when it returns, and not once more after it. */
static void zeros_at_the_start_and_at_the_end(void **state) {
    (void)state;
    Note note = {.level = 0.0};
    CardanModel *model = thrown(
        1.0, 0.0, (CardanEventDef){DEFAULTED, .name = "clock", .user = &note, .function = clock, .action = take_note});
    for (int fixed = 0; fixed < 2; fixed++) {
        CardanOptions options = fixed ? scene_fixed(CARDAN_STEPPER_RK4, 0.3) : scene_tight(1e-9, 1e-9);
        note = (Note){.level = 0.0};
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 0.6);
        check_event_count(sim, 0);
        cardan_sim_destroy(sim);
        note.level = 0.75;
        sim = scene_start(model, &options);
        scene_advance(sim, 0.75);
        check_event(sim, 0, CARDAN_EVENT_USER, "clock", 1, 0.75, 0.0);
        assert_int_equal(note.calls, 1);
        scene_advance(sim, 1.5);
        assert_int_equal(note.calls, 1);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* A pendulum that is pushed off its circle is put back on it. */
static CardanStatus push(void *user, CardanSim *sim, double *q, double *v, double *z) {
    (void)user, (void)sim, (void)z;
    q[0] += 0.05;
    v[1] += 0.5;
    return CARDAN_OK;
}

static void a_changed_state_is_put_on_its_constraints(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    CardanBody bob = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "bob", .mass = 1.0, .inertia.zz = 0.1, .pose.p = {1.0, 0.0, 0.0}});
    CardanJoint pin = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .b = bob});
    Note note = {.level = 0.4};
    cardan_builder_add_event(
        b, &(CardanEventDef){DEFAULTED, .name = "push", .user = &note, .function = clock, .action = push});
    CardanModel *model = scene_compile(b);
    CardanOptions options = scene_tight(1e-9, 1e-9);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 0.4);
    double angle, rate, before_angle, before_rate;
    assert_int_equal(cardan_sim_joint(sim, pin, &angle, &rate), CARDAN_OK);
    CardanResidual residual = residual_of(sim);
    check_near(residual.position, 0.0, 1e-14, "positions");
    check_near(residual.velocity, 0.0, 1e-13, "velocities");
    CardanEnergy energy = scene_energy(sim);
    check_near(energy.total, energy.work, 1e-8, "what the push brought is work");
    assert_true(fabs(energy.work) > 0.01);
    check_near(energy.drift_max, 0.0, 1e-8, "energy balance");
    /* the step before is still what it was */
    CardanChannel channel[2];
    double value[2];
    MUST(cardan_model_find_channel(model, "pin.angle", &channel[0], NULL, 0));
    MUST(cardan_model_find_channel(model, "pin.rate", &channel[1], NULL, 0));
    assert_int_equal(cardan_sim_sample(sim, 0.4 - 1e-7, 2, channel, value), CARDAN_OK);
    before_angle = value[0], before_rate = value[1];
    assert_true(fabs(before_angle - angle) > 1e-3 && fabs(before_rate - rate) > 0.1);
    scene_advance(sim, 2.0);
    energy = scene_energy(sim);
    check_near(energy.total, energy.work, 1e-7, "energy balance");
    check_near(residual_of(sim).position_max, 0.0, 1e-10, "the push is no residual of steps");
    finish(model, sim);
}

static void definitions_that_make_no_sense_are_refused(void **state) {
    (void)state;
    const CardanEventDef bad[] = {{DEFAULTED, .name = "e"},
                                  {DEFAULTED, .name = "e", .function = clock, .direction = 2},
                                  {DEFAULTED, .function = clock},
                                  {DEFAULTED, .name = "e", .function = clock, .bodies = 1},
                                  {DEFAULTED, .name = "e", .function = clock, .bodies = 1, .body = &(CardanBody){7}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
        cardan_builder_add_event(b, &bad[i]);
        assert_true(cardan_builder_status(b) < 0);
        cardan_builder_destroy(b);
    }
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "e", .mass = 1.0, .particle = true});
    cardan_builder_add_event(b, &(CardanEventDef){DEFAULTED, .name = "e", .function = clock});
    assert_non_null(strstr(cardan_builder_message(b), "taken by a body"));
    cardan_builder_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_stops_at_an_event_and_goes_on),
        cmocka_unit_test(an_action_is_called_where_it_was_asked_for),
        cmocka_unit_test(a_reset_and_an_action_that_do_the_same_lead_to_the_same_motion),
        cmocka_unit_test(an_answer_of_the_action_stops_or_fails),
        cmocka_unit_test(a_ball_bounces_with_its_restitution),
        cmocka_unit_test(bounces_without_end_are_told),
        cmocka_unit_test(grazing_and_double_crossings_are_found_in_large_steps),
        cmocka_unit_test(zeros_at_the_start_and_at_the_end),
        cmocka_unit_test(a_changed_state_is_put_on_its_constraints),
        cmocka_unit_test(definitions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
