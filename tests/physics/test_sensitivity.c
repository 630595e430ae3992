/* Derivatives along trajectories against differences of whole runs on twenty models, and backwards against forwards. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/sample.h"
#include "support/scene.h"

#include "sim/sim.h"
#include "tangent/tangent.h"

enum { KNOBS = 3 };

typedef struct Case {
    const char *path, *channel;
    double end;               /* s */
    const char *names[KNOBS]; /* NULL: fewer */
} Case;

static const Case CASES[] = {
    {"models/pendulum.yaml", "ball.x", 0.7, {"L", "start.ball.vy"}},
    {"models/double_pendulum.yaml", "lower.x", 0.8, {"L", "m", "start.upper.spin"}},
    {"models/triple_pendulum.yaml", "lower.y", 0.5, {"L1", "m1", "start.lower.angle"}},
    {"models/slider_crank.yaml", "slider.x", 0.3, {"r", "l"}},
    {"models/four_bar.yaml", "main.angle", 0.3, {"a", "b", "c"}},
    {"models/cart_pendulum.yaml", "pole.angle", 0.5, {"L", "ka", "m"}},
    {"models/double_cart_pendulum.yaml", "upper.angle", 0.4, {"tilt", "L", "start.cart.vx"}},
    {"models/bicycle.yaml", "steer.angle", 0.4, {"v", "push", "trail"}},
    {"models/rolling_disc.yaml", "disc.x", 0.4, {"W", "theta", "a"}},
    {"models/heavy_top.yaml", "top.x", 0.3, {"start.top.rate_z", "start.top.turn_x"}},
    {"models/sleigh.yaml", "sled.y", 0.5, {"start.sled.spin", "start.sled.angle"}},
    /* rows that are redundant, in loops that relative coordinates would be taken for */
    {"models/bennett.yaml", "bar2.x", 0.2, {"start.bar1.turn_z"}},
    {"models/sarrus.yaml", "upper1.z", 0.2, {"a"}},
    {"models/stephenson_six_bar.yaml", "crank.angle", 0.2, {"start.crank.spin"}},
    /* drives, gears, a path, a screw */
    {"models/cam.yaml", "follower.vy", 0.2, {"R", "e", "omega"}},
    {"models/planetary.yaml", "carrier.angle", 0.3, {"R", "zs"}},
    {"models/screw.yaml", "nut.vz", 0.3, {"p", "k"}},
    {"models/half_shaft.yaml", "hub.wx", 0.2, {"l", "bend"}},
    /* rows that give way, ropes, tyres with states of their own, markers */
    {"models/compliant_pendulum.yaml", "rod.angle", 0.3, {"k", "c"}},
    {"models/tendon_finger.yaml", "third.angle", 0.1, {"k", "d"}},
    {"models/vehicle.yaml", "chassis.x", 0.05, {"torque", "v", "l"}},
    {"models/markers.yaml", "bob.y", 0.3, {"reach"}},
    /* a start that is asked for by rates of joints */
    {"models/quarter_car.yaml", "chassis.x", 0.05, {"v", "brake"}},
};

/* Central differences of runs, of this step, extrapolated once; runs are good to the tolerance. */
static const double STEP = 1e-4, NEAR = 1e-6, SAME = 1e-9;

static int count_of(const Case *c) {
    int n = 0;
    while (n < KNOBS && c->names[n] != NULL) n++;
    return n;
}

static CardanSensitivityDef of_end(CardanSensitivityMethod method, const char *channel, int count,
                                   const char *const *names) {
    return (CardanSensitivityDef){DEFAULTED, .method = method, .channel = channel, .count = count, .names = names};
}

static CardanOptions options_of(const CardanModel *model, double end) {
    CardanOptions options = cardan_model_options(model);
    options.stepper = CARDAN_STEPPER_DOP853;
    options.step = 0.0;
    options.rtol = 1e-11;
    options.atol = 1e-12;
    options.coordinates = CARDAN_COORDINATES_AUTO; /* of runs: derivatives are taken in absolute ones */
    options.end = end;
    return options;
}

/* Moves a start value and puts it on the constraints. */
static void move_start(CardanSim *sim, const char *name, double by) {
    const CrdStructure *structure = sim->model->structure;
    CrdIntegrator *integrator = &sim->integrator;
    double *y = sim->scratch, *dx = room((size_t)structure->nv, sizeof *dx);
    char text[128];
    int found = -1;
    for (int i = 0; i < 2 * structure->nv && found < 0; i++)
        if (strcmp(crd_tangent_name(sim->model, i % structure->nv, i >= structure->nv, text, sizeof text), name) == 0)
            found = i;
    assert_true(found >= 0);
    memcpy(y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *y);
    if (found < structure->nv) {
        dx[found] = by;
        crd_move(structure, dx, y);
    } else {
        y[structure->nq + found - structure->nv] += by;
    }
    assert_true(crd_integrator_project(integrator, 0.0, y) >= 0);
    double *copy = room((size_t)integrator->stepper.n, sizeof *copy);
    memcpy(copy, y, (size_t)integrator->stepper.n * sizeof *y);
    if (cardan_sim_set_motion(sim, 0.0, copy, copy + structure->nq) < 0) fail_msg("%s", cardan_sim_message(sim));
    free(copy);
    free(dx);
}

static double run_with(const CardanModel *model, const Case *c, const char *name, double by) {
    CardanModel *changed = NULL;
    CardanChannel channel;
    char message[512];
    double value;
    bool start = strncmp(name, "start.", 6) == 0;
    CardanOptions options = options_of(model, c->end);
    if (!start && cardan_model_with_parameters(model, 1, &name, &by, &changed, message, sizeof message) < 0)
        fail_msg("%s", message);
    CardanSim *sim = scene_start(start ? model : changed, &options);
    if (start) move_start(sim, name + 6, by);
    scene_advance(sim, c->end);
    assert_int_equal(cardan_model_find_channel(model, c->channel, &channel, message, sizeof message), CARDAN_OK);
    assert_true(cardan_sim_sample(sim, cardan_sim_time(sim), 1, &channel, &value) >= 0);
    cardan_sim_destroy(sim);
    cardan_model_release(changed);
    return value;
}

static double parameter_of(const CardanModel *model, const char *name) {
    CrdNamed named = crd_names_find(&model->description->numbers, name, strlen(name));
    return named.kind == CRD_NAME_PARAMETER ? model->values.parameters[named.index] : 0.0;
}

static double difference(const CardanModel *model, const Case *c, const char *name) {
    double p = parameter_of(model, name), h = STEP * (p != 0.0 ? fabs(p) : 1.0), d[2];
    for (int i = 0; i < 2; i++, h *= 0.5)
        d[i] = (run_with(model, c, name, p + h) - run_with(model, c, name, p - h)) / (2.0 * h);
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void derivatives_are_those_of_whole_runs(void **state) {
    (void)state;
    double worst = 0.0, apart = 0.0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        if (!sample_has((int)i, 3)) continue;
        const Case *c = &CASES[i];
        CardanModel *model = scene_load(c->path);
        CardanOptions options = options_of(model, c->end);
        double forward[KNOBS], backward[KNOBS], value[2];
        char message[1024];
        int n = count_of(c);
        CardanSensitivityDef def = of_end(CARDAN_SENSITIVITY_TANGENT, c->channel, n, c->names);
        if (cardan_model_sensitivity(model, &options, &def, NULL, &value[0], forward, message, sizeof message) < 0)
            fail_msg("%s: %s", c->path, message);
        def.method = CARDAN_SENSITIVITY_ADJOINT;
        if (cardan_model_sensitivity(model, &options, &def, NULL, &value[1], backward, message, sizeof message) < 0)
            fail_msg("%s: %s", c->path, message);
        check_near(value[0], value[1], 0.0, "%s: the same run", c->path);
        for (int k = 0; k < n; k++) {
            double expected = difference(model, c, c->names[k]), size = fmax(1.0, fabs(expected));
            worst = fmax(worst, fabs(forward[k] - expected) / size);
            apart = fmax(apart, fabs(forward[k] - backward[k]) / size);
            check_near(forward[k], expected, NEAR * size, "%s: %s over %s", c->path, c->channel, c->names[k]);
            check_near(backward[k], forward[k], SAME * size, "%s: %s over %s, backwards", c->path, c->channel,
                       c->names[k]);
        }
        cardan_model_release(model);
    }
    print_message("against runs %.3g, backwards against forwards %.3g\n", worst, apart);
}

static void refused(const char *path, double end, const char *channel, const char *name, CardanStatus status,
                    const char *word) {
    CardanModel *model = scene_load(path);
    CardanOptions options = options_of(model, end);
    double derivative = 7.0;
    char message[1024];
    CardanSensitivityDef def = of_end(CARDAN_SENSITIVITY_TANGENT, channel, 1, &name);
    assert_int_equal(cardan_model_sensitivity(model, &options, &def, NULL, NULL, &derivative, message, sizeof message),
                     status);
    if (strstr(message, word) == NULL) fail_msg("%s: %s", path, message);
    check_near(derivative, 7.0, 0.0, "%s: nothing is written", path);
    cardan_model_release(model);
}

static void what_cannot_be_differentiated_is_refused_by_name(void **state) {
    (void)state;
    refused("models/pendulum.yaml", 1.0, "ball.x", "nobody", CARDAN_ERR_MODEL, "no parameter 'nobody'");
    refused("models/pendulum.yaml", 1.0, "ball.x", "start.ball.w", CARDAN_ERR_MODEL, "no start value");
    refused("models/pendulum.yaml", 1.0, "bal.x", "L", CARDAN_ERR_MODEL, "bal.x");
    refused("models/pendulum.yaml", 1.0, "step", "L", CARDAN_ERR_MODEL, "tells of the steps");
}

static CardanStepper told(CardanStepper asked, const char *name, CardanStatus status) {
    CardanModel *model = scene_load("models/pendulum.yaml");
    CardanOptions options = options_of(model, 0.1);
    CardanStepper stepper = CARDAN_STEPPERS;
    double derivative;
    options.stepper = asked;
    CardanSensitivityDef def = of_end(CARDAN_SENSITIVITY_TANGENT, "ball.x", 1, &name);
    def.stepper = &stepper;
    assert_int_equal(cardan_model_sensitivity(model, &options, &def, NULL, NULL, &derivative, NULL, 0), status);
    cardan_model_release(model);
    return stepper;
}

static void the_stepper_whose_steps_are_differentiated_is_told(void **state) {
    (void)state;
    assert_int_equal(told(CARDAN_STEPPER_DOPRI5, "L", CARDAN_OK), CARDAN_STEPPER_DOPRI5);
    assert_int_equal(told(CARDAN_STEPPER_RADAU5, "L", CARDAN_OK), CARDAN_STEPPER_DOP853);
    assert_int_equal(told(CARDAN_STEPPER_AUTO, "L", CARDAN_OK), CARDAN_STEPPER_DOP853);
    assert_int_equal(told(CARDAN_STEPPER_RADAU5, "nobody", CARDAN_ERR_MODEL), CARDAN_STEPPERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_whole_runs),
        cmocka_unit_test(what_cannot_be_differentiated_is_refused_by_name),
        cmocka_unit_test(the_stepper_whose_steps_are_differentiated_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
