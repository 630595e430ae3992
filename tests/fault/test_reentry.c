/* A callback that uses the simulation which is calling it: every call is refused with a sentence of its own and the
 * motion is that of a run without. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/scene.h"

enum { CALLS = 23 };

typedef struct Meddler {
    CardanSim *sim; /* NULL: it keeps quiet */
    CardanModel *model;
    long refused[CALLS], taken[CALLS]; /* by call */
    long strange;                      /* refused with another sentence */
    bool within;                       /* it is at work: what it does may call it again */
} Meddler;

static const char *const NAMES[CALLS] = {"step",      "advance",   "set_state", "get_state", "set_motion",  "evaluate",
                                         "set_input", "get_input", "wrench",    "parameter", "first_order", "body",
                                         "joint",     "energy",    "residual",  "sample",    "coordinate",  "reaction",
                                         "unique",    "clone",     "effort",    "power",     "states"};

static double numbers[512];

static CardanStatus call(CardanSim *sim, const CardanModel *model, int which) {
    double x, y;
    bool unique;
    CardanChannel energy;
    CardanBodyState body;
    CardanEnergy account;
    CardanResidual residual;
    CardanWrench wrench = {{1, 0, 0}, {0, 0, 0}};
    CardanSim *copy = NULL;
    CardanStatus status = CARDAN_OK;
    assert_true(cardan_sim_state_size(sim) <= (int)(sizeof numbers / sizeof *numbers));
    MUST(cardan_model_find_channel(model, "energy", &energy, NULL, 0));
    switch (which) {
    case 0:
        return cardan_sim_step(sim, 9.0);
    case 1:
        return cardan_sim_advance(sim, 9.0);
    case 2:
        return cardan_sim_set_state(sim, numbers);
    case 3:
        return cardan_sim_get_state(sim, numbers);
    case 4:
        return cardan_sim_set_motion(sim, 0.0, numbers, numbers);
    case 5:
        return cardan_sim_evaluate(sim, numbers, NULL);
    case 6:
        return cardan_sim_set_input(sim, (CardanInput){1}, 3.0);
    case 7:
        return cardan_sim_get_input(sim, (CardanInput){1}, &x);
    case 8:
        return cardan_sim_apply_wrench(sim, (CardanBody){1}, wrench);
    case 9:
        return cardan_sim_set_parameter(sim, "k", 2.0);
    case 10:
        return cardan_sim_set_first_order(sim, (CardanFirstOrder){0}, numbers);
    case 11:
        return cardan_sim_body(sim, (CardanBody){1}, &body);
    case 12:
        return cardan_sim_joint(sim, (CardanJoint){1}, &x, &y);
    case 13:
        return cardan_sim_energy(sim, &account);
    case 14:
        return cardan_sim_residual(sim, &residual);
    case 15:
        return cardan_sim_sample(sim, cardan_sim_time(sim), 1, &energy, numbers);
    case 16:
        return cardan_sim_coordinate(sim, (CardanJoint){1}, CARDAN_COORDINATE_ANGLE, &x, &y);
    case 17:
        return cardan_sim_reaction(sim, (CardanJoint){1}, &wrench);
    case 18:
        return cardan_sim_reaction_unique(sim, (CardanJoint){1}, &unique);
    case 19:
        status = cardan_sim_clone(sim, &copy);
        cardan_sim_destroy(copy);
        return status;
    case 20:
        return cardan_sim_effort(sim, (CardanJoint){2}, &x);
    case 21:
        return cardan_sim_power(sim, (CardanJoint){2}, &x);
    default:
        return cardan_sim_first_order(sim, (CardanFirstOrder){0}) == NULL ? CARDAN_ERR_ARGUMENT : CARDAN_OK;
    }
}

static void meddle(Meddler *m) {
    if (m->sim == NULL || m->within) return;
    m->within = true;
    for (int i = 0; i < CALLS; i++) {
        if (call(m->sim, m->model, i) >= 0) {
            m->taken[i]++;
            continue;
        }
        m->refused[i]++;
        if (strstr(cardan_sim_message(m->sim), "a callback may not use the simulation that is calling it") == NULL)
            m->strange++;
    }
    cardan_sim_destroy(m->sim); /* does nothing */
    m->within = false;
}

static CardanStatus pull(void *user, double t, const CardanFrame *frames, const double *inputs, CardanWrench *wrench) {
    (void)t;
    meddle(user);
    wrench[0].force.y = -frames[0].x.y + inputs[0];
    return CARDAN_OK;
}

static CardanStatus lag(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                        double *rate) {
    (void)t, (void)frames, (void)inputs;
    meddle(user);
    rate[0] = -z[0];
    return CARDAN_OK;
}

static CardanStatus height(void *user, const CardanEventView *view, double *value) {
    meddle(user);
    *value = view->q[1] - 0.1;
    return CARDAN_OK;
}

static CardanStatus keep_level(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                               double *rate, double *gamma) {
    (void)t, (void)rate, (void)gamma;
    meddle(user);
    g[0] = frames[0].x.x - 5.0;
    jacobian[0][0] = 1.0;
    return CARDAN_OK;
}

static CardanModel *make_model(Meddler *m, CardanStatus (*action)(void *, CardanSim *, double *, double *, double *)) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_parameter(b, "k", 1.0);
    cardan_builder_add_input(b, "u", 0.5);
    CardanBody arm = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "arm", .mass = 1, .inertia.zz = 1, .pose.p = {1, 0, 0}});
    CardanBody cart = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "cart", .mass = 1, .inertia.zz = 1, .pose.p = {5, 0, 0}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .b = arm});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "rod", .type = CARDAN_JOINT_DISTANCE, .b = cart,
                                                  .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B,
                                                  .local_a = {5, -2, 0}, .law = "2 + 0*t"});
    cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = "level", .rows = 1, .bodies = 1, .body = &cart,
                                                .user = m, .evaluate = keep_level});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "pull", .type = CARDAN_FORCE_CALLBACK, .bodies = 1,
                                                  .bodies_list = &arm, .callback = pull, .user = m});
    cardan_builder_add_first_order(
        b, &(CardanFirstOrderDef){DEFAULTED, .name = "lag", .count = 1, .user = m, .rate = lag});
    cardan_builder_add_event(
        b, &(CardanEventDef){DEFAULTED, .name = "high", .user = m, .function = height, .action = action});
    return m->model = scene_compile(b);
}

static void check_same_motion(CardanSim *a, CardanSim *b) {
    int n = cardan_sim_state_size(a);
    double *x = room((size_t)n, sizeof *x), *y = room((size_t)n, sizeof *y);
    MUST(cardan_sim_get_state(a, x));
    MUST(cardan_sim_get_state(b, y));
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(x);
    free(y);
}

static void check_all_refused(const Meddler *m) {
    for (int i = 0; i < CALLS; i++)
        if (m->refused[i] == 0 || m->taken[i] > 0)
            fail_msg("%s: %ld refused, %ld taken", NAMES[i], m->refused[i], m->taken[i]);
    assert_int_equal(m->strange, 0);
}

static void every_call_from_a_callback_of_its_own_is_refused(void **state) {
    (void)state;
    Meddler quiet = {0}, loud = {0};
    CardanModel *model = make_model(&quiet, NULL), *meddled = make_model(&loud, NULL);
    CardanSim *sim = scene_start(model, NULL), *used = scene_start(meddled, NULL);
    loud.sim = used;
    for (double t = 0.5; t <= 2.0; t += 0.5) {
        scene_advance(sim, t);
        scene_advance(used, t);
        assert_string_equal(cardan_sim_message(used), cardan_sim_message(sim));
        check_same_motion(sim, used);
    }
    check_all_refused(&loud);
    /* calls that evaluate are no different */
    for (int i = 0; i < CALLS; i++) loud.refused[i] = 0;
    MUST(cardan_sim_set_input(used, (CardanInput){1}, 0.6));
    MUST(cardan_sim_evaluate(used, NULL, NULL));
    check_all_refused(&loud);
    loud.sim = NULL;
    cardan_sim_destroy(sim);
    cardan_sim_destroy(used);
    cardan_model_release(model);
    cardan_model_release(meddled);
}

/* The action of an event may read, also what calls callbacks again; those may not use it still. */
static CardanStatus read_all(void *user, CardanSim *sim, double *q, double *v, double *z) {
    Meddler *m = user;
    CardanEnergy energy;
    (void)q, (void)v, (void)z;
    m->sim = sim;
    CardanStatus status = cardan_sim_set_input(sim, (CardanInput){1}, 0.7);
    if (status >= 0) status = cardan_sim_energy(sim, &energy);
    if (cardan_sim_step(sim, 9.0) != CARDAN_ERR_ARGUMENT ||
        strstr(cardan_sim_message(sim), "the action of an event may read") == NULL)
        m->strange++;
    m->sim = NULL;
    return status;
}

static void an_action_may_read_but_callbacks_in_that_reading_may_not(void **state) {
    (void)state;
    Meddler m = {0};
    CardanModel *model = make_model(&m, read_all);
    CardanSim *sim = scene_start(model, NULL);
    scene_advance(sim, 2.0);
    assert_true(cardan_sim_events(sim, NULL, NULL) > 0);
    check_all_refused(&m);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Another simulation is free. */
static CardanStatus ask_another(void *user, double t, const CardanFrame *frames, const double *inputs,
                                CardanWrench *wrench) {
    CardanSim *other = user;
    CardanBodyState body;
    (void)frames, (void)inputs;
    if (t > cardan_sim_time(other) && cardan_sim_advance(other, t) < 0) return CARDAN_ERR_NUMERIC;
    if (cardan_sim_body(other, (CardanBody){1}, &body) < 0) return CARDAN_ERR_NUMERIC;
    wrench[0].force.x = body.position.x;
    return CARDAN_OK;
}

static void a_callback_may_use_another_simulation(void **state) {
    (void)state;
    Meddler quiet = {0};
    CardanModel *model = make_model(&quiet, NULL);
    CardanSim *other = scene_start(model, NULL);
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody mass = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "m", .mass = 1, .particle = true});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "f", .type = CARDAN_FORCE_CALLBACK, .bodies = 1,
                                                  .bodies_list = &mass, .callback = ask_another, .user = other});
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.1);
    CardanSim *sim = scene_run(scene_compile(b), &options);
    scene_advance(sim, 1.0);
    assert_true(cardan_sim_time(other) >= 0.9);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_from_a_callback_of_its_own_is_refused),
        cmocka_unit_test(an_action_may_read_but_callbacks_in_that_reading_may_not),
        cmocka_unit_test(a_callback_may_use_another_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
