/* Callbacks: each gets the pointer it was given and arrays of zeros, and when one fails, the failure names its object
 * and leaves the state alone. */
#include "support/defaulted.h"
#include "unit/sim_fixture.h"

enum { MASS, FORCE, CONSTRAINT, GRADIENT, FRAME, POTENTIAL, POWER, ROWS, ROWS_GRADIENT, WRENCH, KINDS };

static const char *const OBJECTS[KINDS] = {"bead", "bead", "bead", "bead", "bead",
                                           "bead", "bead", "rail", "rail", "wind"};

/* What user pointers point to: one for the block, one for the rows, one for the force. */
typedef struct User {
    int from, to;        /* kinds of callbacks that may come with it */
    int failing;         /* kind that fails; -1: none */
    double after;        /* s; fails later than this */
    CardanStatus status; /* what it returns then */
    double poison;       /* what it gives then when it is not 0: something that is no number */
    long calls[KINDS];
    long strange;  /* calls of a kind that is not its own */
    long not_zero; /* arrays that did not arrive zeroed */
    bool bad_mass; /* the mass matrix is not positive definite later than `after` */
} User;

static CardanStatus called(void *user, int kind, double t) {
    User *u = user;
    u->calls[kind]++;
    if (kind < u->from || kind > u->to) u->strange++;
    return kind == u->failing && t > u->after ? u->status : CARDAN_OK;
}

/* Puts the poison into what a callback gives. */
static void spoil(void *user, int kind, double t, double *number) {
    const User *u = user;
    if (kind == u->failing && t > u->after && u->poison != 0.0) *number = u->poison;
}

static void expect_zeros(void *user, const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0) ((User *)user)->not_zero++;
}

/* ---- a bead on the unit circle ---- */

static CardanStatus mass(void *user, double t, const double *q, double *m) {
    const User *u = user;
    (void)q;
    expect_zeros(user, m, 4);
    m[0] = m[3] = 1.0;
    if (u->bad_mass && t > u->after) m[3] = -1.0;
    spoil(user, MASS, t, &m[1]);
    return called(user, MASS, t);
}

static CardanStatus force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)q, (void)v;
    expect_zeros(user, f, 2);
    f[1] = -9.81 + 0.1 * inputs[0];
    spoil(user, FORCE, t, &f[0]);
    return called(user, FORCE, t);
}

static CardanStatus constraint(void *user, double t, const double *q, const double *v, double *g, double *jacobian,
                               double *rate, double *gamma) {
    expect_zeros(user, g, 1);
    expect_zeros(user, jacobian, 2);
    expect_zeros(user, rate, 1);
    expect_zeros(user, gamma, 1);
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    jacobian[0] = q[0];
    jacobian[1] = q[1];
    gamma[0] = -(v[0] * v[0] + v[1] * v[1]);
    spoil(user, CONSTRAINT, t, &jacobian[1]);
    return called(user, CONSTRAINT, t);
}

static CardanStatus constraint_gradient(void *user, double t, const double *q, const double *v, double *gradient) {
    (void)q;
    expect_zeros(user, gradient, 2);
    gradient[0] = v[0];
    gradient[1] = v[1];
    spoil(user, GRADIENT, t, &gradient[0]);
    return called(user, GRADIENT, t);
}

static CardanStatus frame(void *user, int k, double t, const double *q, const double *v, CardanFrame *out,
                          double *jacobian, double *bias) {
    (void)k;
    expect_zeros(user, jacobian, 12);
    expect_zeros(user, bias, 6);
    *out = (CardanFrame){.x = {q[0], q[1], 0.0}, .v = {v[0], v[1], 0.0}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    jacobian[0] = jacobian[3] = 1.0;
    spoil(user, FRAME, t, &out->v.y);
    return called(user, FRAME, t);
}

static double potential(void *user, double t, const double *q) {
    double value = 9.81 * q[1];
    called(user, POTENTIAL, t);
    spoil(user, POTENTIAL, t, &value);
    return value;
}

static double power(void *user, double t, const double *q, const double *v, const double *inputs) {
    (void)q;
    double value = 0.1 * inputs[0] * v[1];
    called(user, POWER, t);
    spoil(user, POWER, t, &value);
    return value;
}

/* ---- rows and a force ---- */

static CardanStatus rail(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                         double *rate, double *gamma) {
    expect_zeros(user, g, 1);
    expect_zeros(user, jacobian[0], 6);
    expect_zeros(user, rate, 1);
    expect_zeros(user, gamma, 1);
    g[0] = frames[0].x.y - 2.0;
    jacobian[0][1] = 1.0;
    spoil(user, ROWS, t, gamma);
    return called(user, ROWS, t);
}

static CardanStatus rail_gradient(void *user, double t, const CardanFrame *frames, CardanTwistRow *gradient) {
    (void)frames;
    expect_zeros(user, gradient[0], 6);
    spoil(user, ROWS_GRADIENT, t, &gradient[0][5]);
    return called(user, ROWS_GRADIENT, t);
}

static CardanStatus wind(void *user, double t, const CardanFrame *frames, const double *inputs, CardanWrench *wrench) {
    (void)frames;
    expect_zeros(user, &wrench[0].force.x, 1);
    expect_zeros(user, &wrench[1].moment.z, 1);
    wrench[0].force.x = inputs[0];
    wrench[1].force.x = 0.2;
    spoil(user, WRENCH, t, &wrench[1].moment.z);
    return called(user, WRENCH, t);
}

/* users: of the block, of the rows, of the force */
static CardanBuilder *build(User *users) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    const double q0[2] = {1.0, 0.0};
    cardan_builder_add_input(b, "u", 0.5);
    CardanBlock bead = cardan_builder_add_block(
        b, &(CardanBlockDef){DEFAULTED, .name = "bead", .coordinates = 2, .q0 = q0, .rows = 1, .frames = 1,
                             .user = &users[0], .mass = mass, .force = force, .constraint = constraint,
                             .constraint_gradient = constraint_gradient, .frame = frame, .potential = potential,
                             .power = power});
    CardanBody cart = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "cart", .mass = 1.0, .inertia.zz = 1.0, .pose.p = {0.0, 2.0, 0.0}});
    cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = "rail", .rows = 1, .bodies = 1, .body = &cart,
                                                .user = &users[1], .evaluate = rail, .gradient = rail_gradient});
    const CardanBody both[2] = {cart, cardan_builder_block_frame(b, bead, 0)};
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "wind", .type = CARDAN_FORCE_CALLBACK, .bodies = 2,
                                                  .bodies_list = both, .callback = wind, .user = &users[2]});
    return b;
}

static void set_users(User *users, int failing, double after, CardanStatus status) {
    const int from[3] = {MASS, ROWS, WRENCH}, to[3] = {POWER, ROWS_GRADIENT, WRENCH};
    for (int i = 0; i < 3; i++)
        users[i] = (User){.from = from[i], .to = to[i], .failing = failing, .after = after, .status = status};
}

static CardanOptions full_options(void) {
    CardanOptions o = fixed_options(CARDAN_STEPPER_RK4, 1e-3);
    o.stabilise.form = CARDAN_STABILISE_FORM_FULL; /* so that gradients are asked for */
    return o;
}

/* ---- the tests ---- */

static void every_callback_gets_its_own_pointer_and_arrays_of_zeros(void **state) {
    (void)state;
    User users[3];
    set_users(users, -1, 0.0, CARDAN_OK);
    CardanOptions o = full_options();
    CardanSim *sim = sim_alone(model_of(build(users)), &o);
    advance(sim, 0.2);
    for (int kind = 0; kind < KINDS; kind++)
        assert_true(users[0].calls[kind] + users[1].calls[kind] + users[2].calls[kind] > 100);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(users[i].strange, 0);
        assert_int_equal(users[i].not_zero, 0);
    }
    CardanEnergy energy;
    assert_int_equal(cardan_sim_energy(sim, &energy), CARDAN_OK);
    assert_true(energy.drift_max < 1e-6);               /* potential and power are counted */
    const double *bead = cardan_sim_positions(sim) + 3; /* after the cart */
    assert_near(hypot(bead[0], bead[1]), 1.0, 1e-13);
    cardan_sim_destroy(sim);
}

static void a_callback_that_fails_on_the_way_is_named_and_leaves_the_state(void **state) {
    (void)state;
    const CardanStatus statuses[] = {CARDAN_ERR_NUMERIC, CARDAN_ERR_MODEL, CARDAN_ERR_INTERNAL, CARDAN_ERR_MEMORY};
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == POTENTIAL || kind == POWER) continue; /* they return a number */
        User users[3];
        CardanStatus status = CARDAN_OK, expected = statuses[kind % 4];
        set_users(users, kind, 0.05, expected);
        CardanOptions o = full_options();
        CardanSim *sim = sim_alone(model_of(build(users)), &o);
        Snapshot before;
        while (status >= 0 && cardan_sim_time(sim) < 0.2) {
            before = snapshot_of(sim);
            status = cardan_sim_step(sim, 0.2);
        }
        if (status != expected) fail_msg("callback %d: status %d instead of %d", kind, (int)status, (int)expected);
        assert_unchanged(&before, sim);
        assert_near(cardan_sim_time(sim), 0.05, 2e-3);
        if (strstr(cardan_sim_message(sim), OBJECTS[kind]) == NULL)
            fail_msg("callback %d: '%s' does not name '%s'", kind, cardan_sim_message(sim), OBJECTS[kind]);
        cardan_sim_destroy(sim);
    }
}

static void a_callback_that_fails_at_the_start_is_named_too(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == POTENTIAL || kind == POWER || kind == GRADIENT || kind == ROWS_GRADIENT) continue;
        User users[3];
        set_users(users, kind, -1.0, CARDAN_ERR_NUMERIC);
        CardanBuilder *builder = build(users);
        CardanModel *model = NULL;
        CardanSim *sim = NULL;
        CardanStatus status = cardan_builder_compile(builder, &model);
        if (status >= 0) status = cardan_sim_create(model, NULL, &sim);
        assert_true(status < 0);
        const char *message = sim != NULL ? cardan_sim_message(sim) : cardan_builder_message(builder);
        if (strstr(message, OBJECTS[kind]) == NULL) fail_msg("callback %d: '%s'", kind, message);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
        cardan_builder_destroy(builder);
    }
}

/* ---- numbers that are none ---- */

static const double POISON[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};

static void check_poisoned(const char *message, int kind) {
    if (strstr(message, OBJECTS[kind]) == NULL || strstr(message, "not finite") == NULL)
        fail_msg("callback %d: '%s' does not say what '%s' gave", kind, message, OBJECTS[kind]);
}

static void a_callback_that_gives_what_is_not_finite_is_named_where_it_happens(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int p = 0; p < 3; p++) {
            User users[3];
            CardanStatus status = CARDAN_OK;
            set_users(users, kind, 0.05, CARDAN_OK);
            for (int i = 0; i < 3; i++) users[i].poison = POISON[p];
            CardanOptions o = full_options();
            CardanSim *sim = sim_alone(model_of(build(users)), &o);
            Snapshot before;
            while (status >= 0 && cardan_sim_time(sim) < 0.2) {
                before = snapshot_of(sim);
                status = cardan_sim_step(sim, 0.2);
            }
            if (status != CARDAN_ERR_NUMERIC) fail_msg("callback %d: status %d", kind, (int)status);
            assert_unchanged(&before, sim);
            assert_near(cardan_sim_time(sim), 0.05, 2e-3);
            check_poisoned(cardan_sim_message(sim), kind);
            cardan_sim_destroy(sim);
        }
}

static void what_is_not_finite_is_found_at_create_and_evaluate(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == GRADIENT || kind == ROWS_GRADIENT) continue; /* asked for by steps alone */
        User users[3];
        set_users(users, kind, -1.0, CARDAN_OK);
        for (int i = 0; i < 3; i++) users[i].poison = POISON[kind % 3];
        CardanBuilder *builder = build(users);
        CardanModel *model = NULL;
        CardanSim *sim = NULL;
        CardanStatus status = cardan_builder_compile(builder, &model);
        if (status >= 0) status = cardan_sim_create(model, NULL, &sim);
        assert_int_equal(status, CARDAN_ERR_NUMERIC);
        check_poisoned(sim != NULL ? cardan_sim_message(sim) : cardan_builder_message(builder), kind);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
        cardan_builder_destroy(builder);

        set_users(users, -1, -1.0, CARDAN_OK);
        sim = sim_alone(model_of(build(users)), NULL);
        for (int i = 0; i < 3; i++) users[i].failing = kind, users[i].poison = POISON[kind % 3];
        assert_int_equal(cardan_sim_set_input(sim, (CardanInput){1}, 0.7), CARDAN_OK); /* to be evaluated again */
        double accelerations[5];
        assert_int_equal(cardan_sim_evaluate(sim, accelerations, NULL), CARDAN_ERR_NUMERIC);
        check_poisoned(cardan_sim_message(sim), kind);
        cardan_sim_destroy(sim);
    }
}

/* First-order states and events, with the time after which they give what is no number. */
static CardanStatus poisoned_rate(void *user, double t, const CardanFrame *frames, const double *inputs,
                                  const double *z, double *rate) {
    (void)frames, (void)inputs, (void)z;
    rate[0] = t > *(const double *)user ? (double)NAN : 1.0;
    return CARDAN_OK;
}

static CardanStatus poisoned_function(void *user, const CardanEventView *view, double *value) {
    *value = view->t > *(const double *)user ? (double)INFINITY : 1.0;
    return CARDAN_OK;
}

static void states_and_events_that_are_not_finite_are_named(void **state) {
    (void)state;
    const char *const SENTENCES[] = {"states 'lag': their rate callback gave a number that is not finite",
                                     "event 'bell': its function gave a number that is not finite"};
    for (int which = 0; which < 2; which++)
        for (int late = 0; late < 2; late++) {
            double after = late == 0 ? -1.0 : 0.05;
            CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
            cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "cart", .mass = 1.0, .inertia.zz = 1.0});
            if (which == 0)
                cardan_builder_add_first_order(b, &(CardanFirstOrderDef){DEFAULTED, .name = "lag", .count = 1,
                                                                         .user = &after, .rate = poisoned_rate});
            else
                cardan_builder_add_event(
                    b, &(CardanEventDef){DEFAULTED, .name = "bell", .user = &after, .function = poisoned_function});
            CardanModel *model = model_of(b);
            CardanSim *sim = NULL;
            CardanStatus status = cardan_sim_create(model, NULL, &sim);
            assert_int_equal(status, late == 0 ? CARDAN_ERR_NUMERIC : CARDAN_OK);
            if (late == 1) assert_int_equal(cardan_sim_advance(sim, 0.2), CARDAN_ERR_NUMERIC);
            if (strstr(cardan_sim_message(sim), SENTENCES[which]) == NULL) fail_msg("%s", cardan_sim_message(sim));
            assert_true(cardan_sim_time(sim) <= 0.05);
            cardan_sim_destroy(sim);
            cardan_model_release(model);
        }
}

static void a_mass_matrix_that_is_not_positive_definite_is_refused(void **state) {
    (void)state;
    User users[3];
    set_users(users, -1, 0.05, CARDAN_OK);
    users[0].bad_mass = true;
    CardanSim *sim = sim_alone(model_of(build(users)), NULL);
    assert_int_equal(cardan_sim_advance(sim, 0.2), CARDAN_ERR_NUMERIC);
    assert_non_null(
        strstr(cardan_sim_message(sim), "block 'bead': its mass matrix is not positive definite at t = 0.05"));
    assert_true(cardan_sim_time(sim) <= 0.05);
    cardan_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_callback_gets_its_own_pointer_and_arrays_of_zeros),
        cmocka_unit_test(a_callback_that_fails_on_the_way_is_named_and_leaves_the_state),
        cmocka_unit_test(a_callback_that_fails_at_the_start_is_named_too),
        cmocka_unit_test(a_callback_that_gives_what_is_not_finite_is_named_where_it_happens),
        cmocka_unit_test(what_is_not_finite_is_found_at_create_and_evaluate),
        cmocka_unit_test(states_and_events_that_are_not_finite_are_named),
        cmocka_unit_test(a_mass_matrix_that_is_not_positive_definite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
