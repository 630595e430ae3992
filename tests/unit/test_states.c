/* First-order states of the user's own: integrated along, read, set, part of the whole state, seen by laws. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/scene.h"

typedef struct Rates {
    double gain;
    CardanStatus status;
} Rates;

/* z0' = -gain z0 + u,  z1' = x of the body */
static CardanStatus rate(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                         double *out) {
    const Rates *r = user;
    (void)t;
    out[0] = -r->gain * z[0] + inputs[0];
    out[1] = frames[0].x.x;
    return r->status;
}

/* A mass held by nothing but an integrator: m x'' = -k x - i z1 - c x', z1' = x. */
static CardanModel *make_model(Rates *rates, CardanInput *u) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody mass = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "mass", .mass = 1.0, .particle = true, .pose.p = {1.0, 0.0, 0.0}});
    *u = cardan_builder_add_input(b, "u", 0.0);
    const double z0[] = {2.0, 0.0};
    CardanFirstOrder pid = cardan_builder_add_first_order(
        b, &(CardanFirstOrderDef){DEFAULTED, .name = "pid", .count = 2, .z0 = z0, .bodies = 1, .body = &mass,
                                  .user = rates, .rate = rate});
    assert_int_equal(pid.index, 1);
    cardan_builder_add_force(b,
                             &(CardanForceDef){DEFAULTED, .name = "hold", .type = CARDAN_FORCE_AT_POINT, .body = mass,
                                               .law = {"-4*mass.x - mass.vx - 2*pid.z1", "0.1*pid.z0", NULL}});
    return scene_compile(b);
}

static void check_integrated(const CardanOptions *options) {
    Rates rates = {.gain = 3.0};
    CardanInput u;
    CardanModel *model = make_model(&rates, &u);
    CardanSim *sim = scene_start(model, options);
    CardanFirstOrder pid = cardan_model_find_first_order(model, "pid");
    assert_int_equal(pid.index, 1);
    assert_int_equal(cardan_model_find_first_order(model, "mass").index, CARDAN_INVALID);
    assert_int_equal(cardan_model_sizes(model).first_order, 2);
    assert_true(cardan_sim_first_order(sim, pid)[0] == 2.0);
    scene_advance(sim, 1.0);
    check_near(cardan_sim_first_order(sim, pid)[0], 2.0 * exp(-3.0), 1e-10, "decay");
    /* y'' = 0.1 z0, z0 = 2 e^(-3t): y = 0.2 (t/3 - (1 - e^(-3t))/9) */
    CardanBodyState mass = scene_body(sim, model, "mass");
    check_near(mass.position.y, 0.2 * (1.0 / 3.0 - (1.0 - exp(-3.0)) / 9.0), 1e-10, "what the law makes of it");
    /* x''' + x'' + 4 x' + 2 x = 0 with x = 1, x' = 0, x'' = -4 at the start, by its power series */
    double c[60] = {1.0, 0.0, -2.0}, x = 0.0, integral = 0.0;
    for (int k = 3; k < 60; k++)
        c[k] =
            -(c[k - 1] * (k - 1) * (k - 2) + 4.0 * c[k - 2] * (k - 2) + 2.0 * c[k - 3]) / (k * (k - 1.0) * (k - 2.0));
    for (int k = 0; k < 60; k++) {
        x += c[k];
        integral += c[k] / (k + 1.0);
    }
    check_near(mass.position.x, x, 1e-10, "controlled mass");
    check_near(cardan_sim_first_order(sim, (CardanFirstOrder){0})[1], integral, 1e-10, "its integral");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void states_are_integrated_along(void **state) {
    (void)state;
    CardanOptions options = scene_tight(1e-11, 1e-12);
    check_integrated(&options);
}

static void states_are_integrated_along_by_an_implicit_stepper(void **state) {
    (void)state;
    CardanOptions options = scene_fixed(CARDAN_STEPPER_GAUSS, 0.02);
    check_integrated(&options);
}

static void states_are_part_of_the_whole_state(void **state) {
    (void)state;
    Rates rates = {.gain = 3.0};
    CardanInput u;
    CardanModel *model = make_model(&rates, &u);
    CardanSim *sim = scene_start(model, NULL), *copy = NULL;
    double kept[64], again[64];
    scene_advance(sim, 0.3);
    assert_in_range(cardan_sim_state_size(sim), 1, 64);
    assert_int_equal(cardan_sim_get_state(sim, kept), CARDAN_OK);
    assert_int_equal(cardan_sim_clone(sim, &copy), CARDAN_OK);
    scene_advance(sim, 0.7);
    double first = cardan_sim_first_order(sim, (CardanFirstOrder){1})[0];
    assert_int_equal(cardan_sim_set_state(sim, kept), CARDAN_OK);
    assert_int_equal(cardan_sim_get_state(sim, again), CARDAN_OK);
    assert_memory_equal(kept, again, (size_t)cardan_sim_state_size(sim) * sizeof *kept);
    scene_advance(sim, 0.7);
    scene_advance(copy, 0.7);
    assert_true(cardan_sim_first_order(sim, (CardanFirstOrder){1})[0] == first);
    assert_true(cardan_sim_first_order(copy, (CardanFirstOrder){1})[0] == first);
    cardan_sim_destroy(copy);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_state_with_another_memory_is_refused_and_changes_nothing(void **state) {
    (void)state;
    Rates rates = {.gain = 3.0};
    CardanInput u;
    CardanModel *model = make_model(&rates, &u);
    CardanOptions options = cardan_default_options();
    options.stepper = CARDAN_STEPPER_ABM; /* remembers orders, which are indices */
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 0.3);
    int size = cardan_sim_state_size(sim), free = 1 + 2 + 2 + 2; /* t, q, v, z */
    double kept[256], again[256];
    assert_in_range(size, free + 2, 256);
    assert_int_equal(cardan_sim_get_state(sim, kept), CARDAN_OK);
    for (int i = 0; i < size; i++) {
        double old = kept[i];
        kept[i] = old == 0.0 ? 1.0 : 1.5 * old;
        CardanStatus status = cardan_sim_set_state(sim, kept);
        if (i < free) assert_int_equal(status, CARDAN_OK);
        if (i > free) assert_int_equal(status, CARDAN_ERR_ARGUMENT); /* in between: work */
        kept[i] = old;
        if (status < 0) {
            assert_non_null(strstr(cardan_sim_message(sim), "memory was changed"));
            assert_int_equal(cardan_sim_get_state(sim, again), CARDAN_OK);
            assert_memory_equal(kept, again, (size_t)size * sizeof *kept);
        }
        assert_int_equal(cardan_sim_set_state(sim, kept), CARDAN_OK);
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_copy_makes_fixed_steps_of_the_same_length_at_any_time(void **state) {
    (void)state;
    Rates rates = {.gain = 3.0};
    CardanInput u;
    CardanModel *model = make_model(&rates, &u);
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.01);
    CardanSim *sim = scene_start(model, &options), *copy = NULL;
    double kept[64];
    assert_int_equal(cardan_sim_get_state(sim, kept), CARDAN_OK);
    kept[0] = -1.0;
    assert_int_equal(cardan_sim_set_state(sim, kept), CARDAN_OK);
    assert_int_equal(cardan_sim_clone(sim, &copy), CARDAN_OK);
    assert_int_equal(cardan_sim_step(sim, 1.0), CARDAN_OK);
    assert_int_equal(cardan_sim_step(copy, 1.0), CARDAN_OK);
    check_near(cardan_sim_time(sim), -0.99, 1e-15, "after a step");
    check_near(cardan_sim_time(copy), -0.99, 1e-15, "after a step of the copy");
    cardan_sim_destroy(sim);
    cardan_sim_destroy(copy);
    cardan_model_release(model);
}

static void a_motion_without_a_number_for_its_energy_is_refused(void **state) {
    (void)state;
    Rates rates = {.gain = 3.0};
    CardanInput u;
    CardanModel *model = make_model(&rates, &u);
    CardanSim *sim = scene_start(model, NULL);
    const double q[] = {0.5, 0.0}, v[] = {1e200, 0.0};
    double before[64], after[64];
    assert_int_equal(cardan_sim_get_state(sim, before), CARDAN_OK);
    assert_int_equal(cardan_sim_set_motion(sim, 0.0, q, v), CARDAN_ERR_MODEL);
    assert_non_null(strstr(cardan_sim_message(sim), "energy is no number"));
    assert_int_equal(cardan_sim_get_state(sim, after), CARDAN_OK);
    assert_memory_equal(before, after, (size_t)cardan_sim_state_size(sim) * sizeof *before);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void states_can_be_set(void **state) {
    (void)state;
    Rates rates = {.gain = 3.0};
    CardanInput u;
    CardanModel *model = make_model(&rates, &u);
    CardanSim *sim = scene_start(model, NULL);
    const double z[] = {5.0, 0.25}, bad[] = {(double)NAN, 0.0};
    assert_int_equal(cardan_sim_set_first_order(sim, (CardanFirstOrder){1}, z), CARDAN_OK);
    assert_true(cardan_sim_first_order(sim, (CardanFirstOrder){1})[1] == 0.25);
    double a[2];
    assert_int_equal(cardan_sim_evaluate(sim, a, NULL), CARDAN_OK);
    check_near(a[0], -4.0 - 0.5, 1e-14, "acceleration under the new states");
    assert_int_equal(cardan_sim_set_first_order(sim, (CardanFirstOrder){1}, bad), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_sim_set_first_order(sim, (CardanFirstOrder){2}, z), CARDAN_ERR_ARGUMENT);
    assert_null(cardan_sim_first_order(sim, (CardanFirstOrder){-1}));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_rate_that_fails_stops_the_run_with_its_name(void **state) {
    (void)state;
    Rates rates = {.gain = 3.0};
    CardanInput u;
    CardanModel *model = make_model(&rates, &u);
    CardanSim *sim = scene_start(model, NULL);
    rates.status = CARDAN_ERR_ARGUMENT;
    assert_int_equal(cardan_sim_advance(sim, 1.0), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(cardan_sim_message(sim), "states 'pid'"));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    const double z0[] = {(double)INFINITY};
    const CardanFirstOrderDef bad[] = {
        {DEFAULTED, .name = NULL, .count = 1, .rate = rate},
        {DEFAULTED, .name = "s", .count = 0, .rate = rate},
        {DEFAULTED, .name = "s", .count = 1},
        {DEFAULTED, .name = "s", .count = 1, .rate = rate, .bodies = 1},
        {DEFAULTED, .name = "s", .count = 1, .rate = rate, .z0 = z0},
        {DEFAULTED, .name = "ground", .count = 1, .rate = rate},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
        assert_int_equal(cardan_builder_add_first_order(b, &bad[i]).index, CARDAN_INVALID);
        assert_true(cardan_builder_status(b) < 0);
        cardan_builder_destroy(b);
    }
}

static void laws_may_not_name_states_that_are_not_there(void **state) {
    (void)state;
    static const char *const BAD[] = {"s.z1", "s.z", "s.z0x", "s.x", "t.z0", "s.z99999999999"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
        CardanBody mass =
            cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "m", .mass = 1.0, .particle = true});
        cardan_builder_add_first_order(b, &(CardanFirstOrderDef){DEFAULTED, .name = "s", .count = 1, .rate = rate});
        cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "f", .type = CARDAN_FORCE_AT_POINT,
                                                      .body = mass, .law = {BAD[i], NULL, NULL}});
        CardanModel *model = NULL;
        if (cardan_builder_compile(b, &model) != CARDAN_ERR_MODEL) fail_msg("'%s' is accepted", BAD[i]);
        cardan_builder_destroy(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_integrated_along),
        cmocka_unit_test(states_are_integrated_along_by_an_implicit_stepper),
        cmocka_unit_test(states_are_part_of_the_whole_state),
        cmocka_unit_test(a_state_with_another_memory_is_refused_and_changes_nothing),
        cmocka_unit_test(a_copy_makes_fixed_steps_of_the_same_length_at_any_time),
        cmocka_unit_test(a_motion_without_a_number_for_its_energy_is_refused),
        cmocka_unit_test(states_can_be_set),
        cmocka_unit_test(a_rate_that_fails_stops_the_run_with_its_name),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(laws_may_not_name_states_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
