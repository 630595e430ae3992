/* Derivatives along runs that meet events, and of integrals: closed forms, differences of runs, backwards against
 * forwards. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/scene.h"

enum { KNOBS = 3, COLUMNS = 3 };

/* Differences of runs are of this step, extrapolated once; asked for are 1e-6 and 1e-9. */
static const double STEP = 1e-4, NEAR = 1e-6, SAME = 1e-9;

static CardanOptions tight(double end) {
    CardanOptions options = scene_tight(1e-11, 1e-12);
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    options.end = end;
    return options;
}

typedef struct Case {
    const char *text, *channel;
    CardanSensitivityTarget target;
    double end; /* s */
    const char *names[KNOBS];
    double at[KNOBS]; /* values of these parameters */
} Case;

static CardanSensitivityDef def_of(const Case *c) {
    CardanSensitivityDef def = {DEFAULTED, .target = c->target, .channel = c->channel, .names = c->names};
    while (def.count < KNOBS && c->names[def.count] != NULL) def.count++;
    return def;
}

static void ask(const CardanModel *model, const Case *c, const CardanSensitivityDef *def, double *values,
                double *derivatives) {
    CardanOptions options = tight(c->end);
    char message[1024];
    if (cardan_model_sensitivity(model, &options, def, NULL, values, derivatives, message, sizeof message) < 0)
        fail_msg("%s: %s", c->channel, message);
}

static double value_with(const CardanModel *model, const Case *c, int k, double p, int column) {
    CardanModel *changed = NULL;
    CardanSensitivityDef def = def_of(c);
    char message[512];
    double values[COLUMNS];
    def.count = 0;
    if (cardan_model_with_parameters(model, 1, &c->names[k], &p, &changed, message, sizeof message) < 0)
        fail_msg("%s", message);
    ask(changed, c, &def, values, NULL);
    cardan_model_release(changed);
    return values[column];
}

static double difference(const CardanModel *model, const Case *c, int k, int column) {
    double p = c->at[k], h = STEP * fmax(fabs(p), 0.1), d[2];
    for (int i = 0; i < 2; i++, h *= 0.5)
        d[i] = (value_with(model, c, k, p + h, column) - value_with(model, c, k, p - h, column)) / (2.0 * h);
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void compare(const CardanModel *model, const Case *c, int columns) {
    double forward[COLUMNS * KNOBS], backward[COLUMNS * KNOBS], value[2][COLUMNS];
    CardanSensitivityDef def = def_of(c);
    ask(model, c, &def, value[0], forward);
    def.method = CARDAN_SENSITIVITY_ADJOINT;
    ask(model, c, &def, value[1], backward);
    for (int i = 0; i < columns; i++) {
        check_near(value[0][i], value[1][i], 1e-14 * fmax(1.0, fabs(value[0][i])), "%s: the same run", c->channel);
        for (int k = 0; k < def.count; k++) {
            double expected = difference(model, c, k, i), size = fmax(1.0, fabs(expected));
            double *got = &forward[i * def.count + k];
            check_near(*got, expected, NEAR * size, "%s[%d] over %s", c->channel, i, c->names[k]);
            check_near(backward[i * def.count + k], *got, SAME * size, "%s[%d] over %s, backwards", c->channel, i,
                       c->names[k]);
        }
    }
}

/* ---- a ball that bounces ---- */

enum { RESTITUTION, GRAVITY, HEIGHT };

static CardanStatus height_of(void *user, const CardanEventView *view, double *value) {
    (void)user;
    *value = view->frames[0].x.y;
    return CARDAN_OK;
}

static CardanStatus bounce(void *user, const CardanEventView *view, double *q, double *v, double *z) {
    (void)user, (void)q, (void)z;
    v[1] = -view->parameters[RESTITUTION] * view->v[1];
    return CARDAN_OK;
}

static CardanStatus bounce_by_hand(void *user, CardanSim *sim, double *q, double *v, double *z) {
    (void)user, (void)sim, (void)q, (void)z;
    v[1] = -0.8 * v[1];
    return CARDAN_OK;
}

static const double START[] = {[RESTITUTION] = 0.8, [GRAVITY] = 9.81, [HEIGHT] = 1.0};

static CardanModel *ball(CardanEventDef def) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_parameter(b, "e", START[RESTITUTION]);
    cardan_builder_add_parameter(b, "g", START[GRAVITY]);
    cardan_builder_add_parameter(b, "height", START[HEIGHT]);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -START[GRAVITY], 0.0});
    CardanBody body =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "ball", .mass = 2.0, .particle = true,
                                                    .pose.p = {0.0, START[HEIGHT], 0.0}, .velocity = {0.5, 0.0, 0.0}});
    cardan_builder_bind(b, "gravity[1]", "-g");
    cardan_builder_bind(b, "ball.position[1]", "height");
    def.name = "floor";
    def.direction = -1;
    def.bodies = 1;
    def.body = &body;
    def.function = height_of;
    cardan_builder_add_event(b, &def);
    return scene_compile(b);
}

/* Height at time T, from the closed form of flights between bounces. */
static double height_at(const double *p, double T) {
    double e = p[RESTITUTION], g = p[GRAVITY], speed = sqrt(2.0 * g * p[HEIGHT]), t = speed / g;
    if (T < t) return p[HEIGHT] - 0.5 * g * T * T;
    for (speed *= e; t + 2.0 * speed / g < T; speed *= e) t += 2.0 * speed / g;
    return speed * (T - t) - 0.5 * g * (T - t) * (T - t);
}

static double slope_of_height(int k, double T) {
    double d[2], h = 1e-3;
    for (int i = 0; i < 2; i++, h *= 0.5) {
        double low[3], high[3];
        memcpy(low, START, sizeof low);
        memcpy(high, START, sizeof high);
        low[k] -= h * START[k];
        high[k] += h * START[k];
        d[i] = (height_at(high, T) - height_at(low, T)) / (2.0 * h * START[k]);
    }
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void the_height_of_a_bouncing_ball_has_the_derivatives_of_its_closed_form(void **state) {
    (void)state;
    const Case c = {.channel = "ball.y", .end = 2.9, .names = {"e", "g", "height"}};
    CardanModel *model = ball((CardanEventDef){DEFAULTED, .reset = bounce});
    CardanSensitivityDef def = def_of(&c);
    for (int method = 0; method < 2; method++) {
        double value, derivative[KNOBS];
        def.method = (CardanSensitivityMethod)method;
        ask(model, &c, &def, &value, derivative);
        check_near(value, height_at(START, c.end), 1e-9, "height after five bounces");
        for (int k = 0; k < KNOBS; k++) {
            double expected = slope_of_height(k, c.end);
            check_near(derivative[k], expected, NEAR * fmax(1.0, fabs(expected)), "over %s, method %d", c.names[k],
                       method);
        }
    }
    Case integral = c;
    integral.channel = "ball.vy";
    integral.target = CARDAN_TARGET_INTEGRAL;
    memcpy(integral.at, START, sizeof START);
    compare(model, &integral, 1);
    cardan_model_release(model);
}

static void where_a_stopped_run_ends_moves_with_the_parameters(void **state) {
    (void)state;
    const char *const names[] = {"g", "height", "start.ball.vx"};
    CardanModel *model = ball((CardanEventDef){DEFAULTED, .stop = true});
    CardanOptions options = tight(5.0);
    double t = sqrt(2.0 * START[HEIGHT] / START[GRAVITY]), value, end, derivative[3];
    for (int method = 0; method < 2; method++) {
        CardanSensitivityDef def = {DEFAULTED, .channel = "ball.x", .count = 3, .names = names};
        def.method = (CardanSensitivityMethod)method;
        assert_int_equal(cardan_model_sensitivity(model, &options, &def, &end, &value, derivative, NULL, 0),
                         CARDAN_STOPPED);
        check_near(end, t, 1e-10, "when it lands");
        check_near(value, 0.5 * t, 1e-10, "how far it flies");
        check_near(derivative[0], -0.25 * t / START[GRAVITY], 1e-9, "over gravity");
        check_near(derivative[1], 0.25 * t / START[HEIGHT], 1e-9, "over the height");
        check_near(derivative[2], t, 1e-9, "over the speed");
        def.target = CARDAN_TARGET_INTEGRAL;
        def.channel = "ball.vx";
        assert_int_equal(cardan_model_sensitivity(model, &options, &def, NULL, &value, derivative, NULL, 0),
                         CARDAN_STOPPED);
        check_near(derivative[1], 0.25 * t / START[HEIGHT], 1e-9, "the integral of its speed over the height");
    }
    cardan_model_release(model);
}

/* ---- laws that change ---- */

#define PENDULUM(more)                                                                                                 \
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {L: 1, k: 200, lo: -0.4, T: 0.33, F: 5}\nbodies:\n"    \
    "  rod: {mass: 2, inertia: 0.2, position: [L/2, 0]}\njoints:\n"                                                    \
    "  pin: {type: revolute, bodies: [ground, rod], point: [0, 0]}\n" more

static const Case CASES[] = {
    {PENDULUM("forces:\n  stop: {type: limit, joint: pin, range: [lo, 3], stiffness: k, damping: 3}\n"),
     "rod.angle",
     CARDAN_TARGET_END,
     0.9,
     {"L", "k", "lo"},
     {1.0, 200.0, -0.4}},
    {PENDULUM("forces:\n  push: {type: torque, joint: pin, value: \"F*step(t - T)\"}\n"),
     "rod.x",
     CARDAN_TARGET_END,
     0.7,
     {"T", "F", "L"},
     {0.33, 5.0, 1.0}},
    {PENDULUM("forces:\n  push: {type: torque, joint: pin, value: \"if(rod.angle < lo, F, 0)\"}\n"),
     "pin.rate",
     CARDAN_TARGET_END,
     0.8,
     {"lo", "F", "L"},
     {-0.4, 5.0, 1.0}},
    {PENDULUM("forces:\n  push: {type: torque, joint: pin, value: \"F*step(t - T)\"}\n"),
     "energy",
     CARDAN_TARGET_INTEGRAL,
     0.7,
     {"T", "F"},
     {0.33, 5.0}},
    {PENDULUM("forces:\n  push: {type: torque, joint: pin, value: \"if(rod.angle < lo, F, 0)\"}\n"),
     "push.power",
     CARDAN_TARGET_INTEGRAL,
     0.8,
     {"lo", "F"},
     {-0.4, 5.0}},
    {PENDULUM("forces:\n  push: {type: torque, joint: pin, value: \"F*step(t - T)\"}\n"),
     "rod.angle",
     CARDAN_TARGET_SQUARE,
     0.7,
     {"T", "L"},
     {0.33, 1.0}},
    {PENDULUM("  drive: {type: driver, joint: pin, value: \"if(t < T, F*t, F*T + 0.2*F*(t - T))\"}\n"
              "  bob: {type: revolute, bodies: [rod, tip], point: [1, 0]}\nstart: {velocities: project}\n"),
     "tip.x",
     CARDAN_TARGET_END,
     0.8,
     {"T", "F", "m"},
     {0.33, 5.0, 0.5}},
    {"cardan: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {r: 0.1, k: 4000, d: 0.3, h: 0.5}\nbodies:\n"
     "  ball: {mass: 1, inertia: 0.01, position: [0, h], velocity: [1, 0]}\nforces:\n"
     "  floor: {type: contact, body: ball, radius: r, plane: {point: [0, 0], normal: [0, 1]}, stiffness: k, "
     "dissipation: d, friction: 0.3, speed: 0.5}\n",
     "ball.y",
     CARDAN_TARGET_END,
     0.8,
     {"r", "k", "h"},
     {0.1, 4000.0, 0.5}},
};

/* Channels of several kinds and columns, laws that read parameters made of others, on a smooth run. */
static const Case SMOOTH[] = {
    {"cardan: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {k: 3, twice: \"2*k\"}\nbodies:\n"
     "  rod: {mass: 2, inertia: 0.2, position: [0.5, 0]}\njoints:\n"
     "  pin: {type: revolute, bodies: [ground, rod], point: [0, 0]}\nforces:\n"
     "  push: {type: torque, joint: pin, value: \"twice*sin(3*t) - pin.rate*abs(2 + pin.angle)\"}\n",
     "pin.reaction",
     CARDAN_TARGET_END,
     0.5,
     {"k"},
     {3.0}},
    {PENDULUM(""), "rod.ax", CARDAN_TARGET_END, 0.5, {"L"}, {1.0}},
    {PENDULUM("markers:\n  tip: {body: rod, point: [F/10, 0]}\n"),
     "tip.y",
     CARDAN_TARGET_INTEGRAL,
     0.5,
     {"F", "L"},
     {5.0, 1.0}},
    {PENDULUM("forces:\n  coil: {type: torsion, joint: pin, stiffness: k, damping: 1}\n"),
     "coil.force",
     CARDAN_TARGET_SQUARE,
     0.5,
     {"k", "L"},
     {200.0, 1.0}},
};

static void channels_of_every_kind_have_derivatives(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SMOOTH / sizeof *SMOOTH; i++) {
        CardanModel *model = scene_read(SMOOTH[i].text);
        compare(model, &SMOOTH[i], i == 0 ? 3 : 1);
        cardan_model_release(model);
    }
}

/* ---- states and callbacks of users ---- */

static CardanStatus follow(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                           double *rate) {
    (void)user, (void)t, (void)inputs;
    rate[0] = 20.0 * (frames[0].x.x - z[0]);
    return CARDAN_OK;
}

static void states_of_users_are_differentiated_with_the_motion(void **state) {
    (void)state;
    const Case c = {.channel = "ball.x", .end = 0.8, .names = {"k", "height"}, .at = {40.0, 1.0}};
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_parameter(b, "k", 40.0);
    cardan_builder_add_parameter(b, "height", 1.0);
    CardanBody body = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "ball", .mass = 2.0, .particle = true, .pose.p = {0.3, 1.0, 0.0}});
    cardan_builder_bind(b, "ball.position[1]", "height");
    cardan_builder_add_first_order(
        b, &(CardanFirstOrderDef){DEFAULTED, .name = "lag", .count = 1, .bodies = 1, .body = &body, .rate = follow});
    CardanForceDef pull = cardan_default_force(CARDAN_FORCE_AT_POINT);
    pull.name = "pull";
    pull.body = body;
    pull.law[0] = "-k*lag.z0*ball.y^2";
    pull.law[1] = "0";
    cardan_builder_add_force(b, &pull);
    CardanModel *model = scene_compile(b);
    compare(model, &c, 1);
    cardan_model_release(model);
}

/* ---- the steps ---- */

/* With steps of a fixed length the runs of a difference make the same ones: what is left is what projections move,
 * the error of a step, to which their derivatives are exact. */
static void steps_of_fixed_length_are_differentiated_as_they_are_made(void **state) {
    (void)state;
    static const CardanStepper STEPPERS[] = {CARDAN_STEPPER_RK4, CARDAN_STEPPER_DOPRI5, CARDAN_STEPPER_DOP853};
    const char *name = "L";
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    for (size_t i = 0; i < sizeof STEPPERS / sizeof *STEPPERS; i++) {
        CardanOptions options = scene_fixed(STEPPERS[i], 0.01);
        CardanSensitivityDef def = {DEFAULTED, .channel = "lower.x", .count = 1, .names = &name};
        double derivative[2], value[2];
        options.end = 0.4;
        for (int method = 0; method < 2; method++) {
            def.method = (CardanSensitivityMethod)method;
            assert_int_equal(cardan_model_sensitivity(model, &options, &def, NULL, NULL, &derivative[method], NULL, 0),
                             CARDAN_OK);
        }
        def.count = 0;
        for (int side = 0; side < 2; side++) {
            CardanModel *changed = NULL;
            double L = 1.0 + (side == 0 ? -1e-5 : 1e-5);
            assert_int_equal(cardan_model_with_parameters(model, 1, &name, &L, &changed, NULL, 0), CARDAN_OK);
            assert_int_equal(cardan_model_sensitivity(changed, &options, &def, NULL, &value[side], NULL, NULL, 0),
                             CARDAN_OK);
            cardan_model_release(changed);
        }
        check_near(derivative[0], (value[1] - value[0]) / 2e-5, 1e-6, "%s", cardan_stepper_name(STEPPERS[i]));
        check_near(derivative[1], derivative[0], SAME, "%s, backwards", cardan_stepper_name(STEPPERS[i]));
    }
    cardan_model_release(model);
}

/* The driven pendulum has a second link. */
static CardanModel *load(const char *text) {
    char changed[2048];
    const char *at = strstr(text, "joints:"), *head = "  tip: {mass: m, inertia: 0.05, position: [1.3, 0.1]}\n";
    if (strstr(text, "tip]") == NULL) return scene_read(text);
    const char *p = strstr(text, "F: 5");
    snprintf(changed, sizeof changed, "%.*sF: 5, m: 0.5%.*s%s%s", (int)(p - text), text, (int)(at - p - 4), p + 4, head,
             at);
    return scene_read(changed);
}

static void derivatives_cross_events_with_the_jump_they_make(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        CardanModel *model = load(CASES[i].text);
        compare(model, &CASES[i], strcmp(CASES[i].channel, "energy") == 0 ? 3 : 1);
        cardan_model_release(model);
    }
}

static void an_integral_of_a_velocity_is_a_change_of_place(void **state) {
    (void)state;
    Case c = {.channel = "lower.vx", .target = CARDAN_TARGET_INTEGRAL, .end = 0.8, .names = {"L", "m"}};
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    double integral[2], value[2], place[2], end[2], begin[2];
    CardanSensitivityDef def = def_of(&c);
    ask(model, &c, &def, &value[0], integral);
    def.target = CARDAN_TARGET_END;
    def.channel = "lower.x";
    ask(model, &c, &def, &end[0], place);
    c.end = 1e-9;
    ask(model, &c, &def, &end[1], begin);
    check_near(value[0], end[0] - end[1], 1e-8, "the way");
    for (int k = 0; k < 2; k++) check_near(integral[k], place[k] - begin[k], 1e-8, "its change with %s", c.names[k]);
    cardan_model_release(model);
}

/* ---- what is refused ---- */

static void refused(CardanModel *model, double end, const char *channel, const char *name, const char *word) {
    CardanOptions options = tight(end);
    CardanSensitivityDef def = {DEFAULTED, .channel = channel, .count = 1, .names = &name};
    double derivative = 7.0;
    char message[1024];
    if (cardan_model_sensitivity(model, &options, &def, NULL, NULL, &derivative, message, sizeof message) >= 0)
        fail_msg("'%s' was expected", word);
    if (strstr(message, word) == NULL) fail_msg("%s, and not '%s'", message, word);
    check_near(derivative, 7.0, 0.0, "nothing is written");
    cardan_model_release(model);
}

static void events_without_derivative_are_refused_by_name(void **state) {
    (void)state;
    refused(ball((CardanEventDef){DEFAULTED, .action = bounce_by_hand}), 1.0, "ball.y", "g",
            "event of 'floor': its action changes");
    refused(ball((CardanEventDef){DEFAULTED, .reset = bounce, .stop = true}), 1.0, "ball.y", "g", "stops the run and");
    refused(scene_load("models/equal_slider_crank.yaml"), 2.0, "crank.angle", "x", "singular pose");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_height_of_a_bouncing_ball_has_the_derivatives_of_its_closed_form),
        cmocka_unit_test(where_a_stopped_run_ends_moves_with_the_parameters),
        cmocka_unit_test(derivatives_cross_events_with_the_jump_they_make),
        cmocka_unit_test(channels_of_every_kind_have_derivatives),
        cmocka_unit_test(states_of_users_are_differentiated_with_the_motion),
        cmocka_unit_test(steps_of_fixed_length_are_differentiated_as_they_are_made),
        cmocka_unit_test(an_integral_of_a_velocity_is_a_change_of_place),
        cmocka_unit_test(events_without_derivative_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
