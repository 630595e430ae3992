/* The gate: no step is accepted with an open joint, numbers that are not finite or equations that are not solved, drift
 * is told with its number, and a run that cannot go on says why. */
#include "guard/gate/gate.h"
#include "mechanisms.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/scene.h"

static void expect_words(const char *text, const char *words) {
    if (strstr(text, words) == NULL) fail_msg("'%s' does not say '%s'", text, words);
}

/* ---- the guard itself, shown a state ---- */

typedef struct Shown {
    CardanSim *sim;
    CrdGate *gate;
    CrdStepper *stepper;
} Shown;

static CrdGate *gate_of(CardanSim *sim) {
    const CrdGuards *guards = &sim->integrator.guards;
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i] == &crd_gate_guard) return guards->self[i];
    fail_msg("the simulation has no gate");
    return NULL;
}

/* A slider-crank after a step, as if that had been tried and not accepted yet. */
static Shown show(void) {
    CardanOptions options = cardan_default_options();
    Shown shown = {.sim = scene_run(scene_compile(mechanism_slider_crank(0.2, 0.4, 0.8)), &options)};
    scene_advance(shown.sim, 0.1);
    shown.gate = gate_of(shown.sim);
    shown.stepper = &shown.sim->integrator.stepper;
    size_t bytes = (size_t)shown.stepper->n * sizeof(double);
    memcpy(shown.stepper->y_new, shown.stepper->y, bytes);
    memcpy(shown.stepper->f_new, shown.stepper->f, bytes);
    shown.sim->integrator.stabiliser.closed = false;
    shown.sim->integrator.statistics.steps = 0; /* a step in which everything is looked at */
    return shown;
}

static void evaluate(Shown *shown) {
    CrdIntegrator *integrator = &shown->sim->integrator;
    assert_true(crd_integrator_evaluate_constraints(integrator, shown->stepper->t, shown->stepper->y_new) >= 0);
    assert_true(crd_integrator_derivative(integrator, shown->stepper->y_new, shown->stepper->f_new, false) >= 0);
}

/* What the gate says; its sentence is then in the simulation's error. */
static CrdVerdict verdict_on(Shown *shown) {
    CrdTry attempt = {.h = 1e-3, .t_new = shown->stepper->t};
    CardanStatus status = CARDAN_OK;
    crd_error_clear(shown->stepper->error);
    CrdVerdict verdict = crd_gate_guard.after_attempt(shown->gate, &attempt, &status);
    assert_true((verdict == CRD_REJECT) == (status < 0));
    return verdict;
}

static void a_state_on_its_constraints_passes(void **state) {
    (void)state;
    Shown shown = show();
    evaluate(&shown);
    assert_int_equal(verdict_on(&shown), CRD_ACCEPT);
    cardan_sim_destroy(shown.sim);
}

static void a_joint_open_by_more_than_the_tolerance_is_refused_by_name(void **state) {
    (void)state;
    /* the tolerance allows about 1e-8 + 1e-6 0.6 m */
    static const struct {
        double moved;
        CrdVerdict verdict;
    } CASES[] = {{1e-8, CRD_ACCEPT}, {1e-5, CRD_REJECT}, {0.05, CRD_REJECT}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Shown shown = show();
        int slider = shown.sim->model->structure->blocks[2].q;
        shown.stepper->y_new[slider + 1] += CASES[i].moved; /* off the guide */
        evaluate(&shown);
        assert_int_equal(verdict_on(&shown), CASES[i].verdict);
        if (CASES[i].verdict == CRD_REJECT) expect_words(shown.stepper->error->text, "does not close");
        if (CASES[i].verdict == CRD_REJECT) expect_words(shown.stepper->error->text, "joint '");
        cardan_sim_destroy(shown.sim);
    }
}

static void a_velocity_that_opens_a_joint_is_refused(void **state) {
    (void)state;
    Shown shown = show();
    const CrdStructure *structure = shown.sim->model->structure;
    shown.stepper->y_new[structure->nq + structure->blocks[2].v + 1] += 1e-2;
    evaluate(&shown);
    assert_int_equal(verdict_on(&shown), CRD_REJECT);
    expect_words(shown.stepper->error->text, "opening by 0.01");
    cardan_sim_destroy(shown.sim);
}

static void accelerations_that_do_not_solve_their_equations_are_refused(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        Shown shown = show();
        CrdDynamics *dynamics = &shown.sim->integrator.dynamics;
        evaluate(&shown);
        if (which == 0) dynamics->a[1] *= 1.0 + 1e-3; /* no longer along the rows */
        if (which == 1) dynamics->lambda[0] *= 1.0 + 1e-3;
        assert_int_equal(verdict_on(&shown), CRD_REJECT);
        expect_words(shown.stepper->error->text, "too badly conditioned");
        cardan_sim_destroy(shown.sim);
    }
}

static void what_is_not_finite_is_refused_by_the_joint_s_name(void **state) {
    (void)state;
    Shown shown = show();
    evaluate(&shown);
    shown.sim->integrator.dynamics.lambda[3] = (double)NAN;
    assert_int_equal(verdict_on(&shown), CRD_REJECT);
    expect_words(shown.stepper->error->text, "multipliers of joint '");
    cardan_sim_destroy(shown.sim);
}

/* An element may be open by what its place for that says, and not by more. */
static void an_element_may_be_open_by_what_is_allowed_of_it(void **state) {
    (void)state;
    double open[8] = {0};
    Shown shown = show();
    int slider = shown.sim->model->structure->blocks[2].q;
    shown.sim->integrator.dynamics.redundancy.open = open;
    shown.stepper->y_new[slider + 1] += 1e-4;
    evaluate(&shown);
    assert_int_equal(verdict_on(&shown), CRD_REJECT);
    for (int i = 0; i < 8; i++) open[i] = 1e-2;
    assert_int_equal(verdict_on(&shown), CRD_ACCEPT);
    for (int i = 0; i < 8; i++) open[i] = 1e-5;
    assert_int_equal(verdict_on(&shown), CRD_REJECT);
    cardan_sim_destroy(shown.sim);
}

/* ---- whole runs ---- */

#define YOKE(mass, inertia, place)                                                                                     \
    "cardan: 1\nname: yoke\nspace: planar\nparameters: {r: 0.1, omega: 20}\nbodies:\n"                                 \
    "  crank: {mass: " mass ", inertia: " inertia ", position: [" place ", 0]}\n"                                      \
    "  slider: {mass: 2, inertia: 1e-2, position: [\"r + 0.2\", 0]}\njoints:\n"                                        \
    "  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"                                               \
    "  guide: {type: prismatic, bodies: [ground, slider], point: [0, 0], axis: [1, 0]}\n"                              \
    "  slot: {type: point_on_line, bodies: [slider, crank], point: [r, 0], axis: [0, 1]}\n"                            \
    "  motor: {type: driver, joint: main, value: \"omega*t\"}\nstart: {velocities: project}\n"

/* Right, or stopped with a name; never at the end with the slot open or the drive forgotten. */
static void light_and_far_cranks_are_right_or_refused_by_name(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        YOKE("0.5", "4e-4", "0.05"),  YOKE("1e-12", "4e-4", "0.05"), YOKE("0.5", "4e-4", "5e4"),
        YOKE("0.5", "1e-12", "0.05"), YOKE("1e-12", "1e-12", "0"),   YOKE("1e-9", "1e-9", "1e3"),
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        CardanModel *model = scene_read(TEXTS[i]);
        CardanSim *sim = NULL;
        CardanStatus status = cardan_sim_create(model, NULL, &sim);
        while (status >= 0 && cardan_sim_time(sim) < 0.5) {
            status = cardan_sim_step(sim, 0.5);
            if (status < 0) break;
            double t = cardan_sim_time(sim), size = model->values.size;
            check_near(scene_coordinate(sim, model, "main", NULL), 20.0 * t, 1e-5, "crank angle of model %zu", i);
            check_near(scene_coordinate(sim, model, "guide", NULL), 0.1 * cos(20.0 * t) - 0.1, 1e-5 + 1e-6 * size,
                       "slider of model %zu at t = %g", i, t);
        }
        if (i == 0) assert_true(status >= 0);
        if (status < 0) expect_words(cardan_sim_message(sim), "'"); /* a joint or body is named */
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void joints_that_nothing_closes_are_told_with_their_opening(void **state) {
    (void)state;
    CardanOptions options = scene_fixed(CARDAN_STEPPER_EULER, 2e-3);
    options.stabilise.method = CARDAN_STABILISE_NONE;
    CardanSim *sim = scene_run(scene_load("models/double_pendulum.yaml"), &options);
    CardanStatus status = CARDAN_OK;
    while (status == CARDAN_OK && cardan_sim_time(sim) < 1.0) status = cardan_sim_step(sim, 1.0);
    assert_int_equal(status, CARDAN_REMARK);
    expect_words(cardan_sim_message(sim), "is open by");
    CardanResidual residual;
    assert_true(cardan_sim_residual(sim, &residual) >= 0);
    double told = strtod(strstr(cardan_sim_message(sim), "open by") + 7, NULL);
    check_near(told, residual.position, 0.06 * residual.position, "opening told"); /* two digits are */
    /* told again tenfold, not in every step */
    int remarks = 0;
    for (int i = 0; i < 200; i++) remarks += cardan_sim_step(sim, 10.0) == CARDAN_REMARK;
    assert_in_range(remarks, 0, 4);
    cardan_sim_destroy(sim);
}

static void an_energy_balance_that_is_off_is_told_with_its_number(void **state) {
    (void)state;
    CardanOptions options = scene_fixed(CARDAN_STEPPER_EULER, 1e-2);
    CardanSim *sim = scene_run(scene_load("models/double_pendulum.yaml"), &options);
    assert_int_equal(cardan_sim_advance(sim, 5.0), CARDAN_REMARK);
    expect_words(cardan_sim_message(sim), "energy and work balance to");
    expect_words(cardan_sim_message(sim), "the step is too long for this motion");
    double told = strtod(strstr(cardan_sim_message(sim), "balance to") + 10, NULL);
    assert_true(told > 0.0 && told <= 1.05 * scene_energy(sim).drift_max);
    cardan_sim_destroy(sim);
    options = cardan_default_options();
    sim = scene_run(scene_load("models/double_pendulum.yaml"), &options);
    assert_int_equal(cardan_sim_advance(sim, 5.0), CARDAN_OK);
    cardan_sim_destroy(sim);
}

/* ---- causes ---- */

enum { STATE_MAX = 400 };

static void a_fixed_step_that_is_too_long_says_which_is_not(void **state) {
    (void)state;
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.4);
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* relative ones have no joints to close here */
    CardanSim *sim = scene_run(scene_load("models/double_pendulum.yaml"), &options);
    double before[STATE_MAX], after[STATE_MAX];
    int size = cardan_sim_state_size(sim);
    assert_in_range(size, 1, STATE_MAX);
    assert_int_equal(cardan_sim_get_state(sim, before), CARDAN_OK);
    assert_int_equal(cardan_sim_step(sim, 4.0), CARDAN_ERR_NUMERIC);
    assert_int_equal(cardan_sim_get_state(sim, after), CARDAN_OK);
    assert_memory_equal(before, after, (size_t)size * sizeof *before); /* looking for a cause changes nothing */
    expect_words(cardan_sim_message(sim), "post-stabilisation did not converge");
    expect_words(cardan_sim_message(sim), "a fixed step of 0.4 s is too long");
    assert_true(cardan_sim_time(sim) == 0.0);
    double shorter = strtod(strstr(cardan_sim_message(sim), "steps of ") + 9, NULL);
    cardan_sim_destroy(sim);
    options = scene_fixed(CARDAN_STEPPER_RK4, shorter);
    sim = scene_run(scene_load("models/double_pendulum.yaml"), &options);
    assert_true(cardan_sim_step(sim, 4.0) >= 0);
    cardan_sim_destroy(sim);
}

/* Asks the gate why steps fail in which this row was left open. */
static void ask(Shown *shown, int row, double rounding) {
    CrdTry attempt = {.h = 1e-9, .unclosed = {true, row, rounding}};
    crd_error_clear(shown->stepper->error);
    (void)crd_fail(shown->stepper->error, CARDAN_ERR_NUMERIC, "post-stabilisation did not converge");
    assert_int_equal(crd_gate_guard.explain(shown->gate, &attempt, CARDAN_ERR_NUMERIC), CARDAN_ERR_NUMERIC);
    expect_words(shown->stepper->error->text, "post-stabilisation did not converge; ");
}

static Shown show_text(const char *text) {
    CardanOptions options = cardan_default_options();
    Shown shown = {.sim = scene_run(scene_read(text), &options)};
    shown.gate = gate_of(shown.sim);
    shown.stepper = &shown.sim->integrator.stepper;
    return shown;
}

static void causes_are_named_with_what_helps(void **state) {
    (void)state;
    Shown shown = show_text(YOKE("0.5", "4e-4", "0.05"));
    ask(&shown, 0, 10.0);
    expect_words(shown.stepper->error->text, "what is left is rounding: the tolerance, relative 1e-06");
    ask(&shown, 0, 1e9);
    expect_words(shown.stepper->error->text, "steps down to 1e-09 fail too");
    cardan_sim_destroy(shown.sim);
    shown = show_text(YOKE("1e-11", "4e-4", "0"));
    ask(&shown, 0, 1e9);
    expect_words(shown.stepper->error->text, "body 'crank' has 5e-12 of the mass of the heaviest");
    cardan_sim_destroy(shown.sim);
}

/* A plate on two pins cannot turn: the drive is one row too many, and says something else than the pins do. */
static void a_drive_against_other_joints_is_named(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nname: plate\nspace: planar\nbodies:\n"
                                    "  plate: {mass: 1, inertia: 0.1, position: [0.5, 0]}\njoints:\n"
                                    "  left: {type: revolute, bodies: [ground, plate], point: [0, 0]}\n"
                                    "  right: {type: revolute, bodies: [ground, plate], point: [1, 0]}\n"
                                    "  motor: {type: driver, joint: left, value: \"0.3*t^2\"}\n");
    CardanSim *sim = NULL;
    CardanStatus status = cardan_sim_create(model, NULL, &sim);
    if (status >= 0) status = cardan_sim_advance(sim, 1.0);
    assert_true(status < 0);
    expect_words(cardan_sim_message(sim), "'motor'");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_on_its_constraints_passes),
        cmocka_unit_test(a_joint_open_by_more_than_the_tolerance_is_refused_by_name),
        cmocka_unit_test(a_velocity_that_opens_a_joint_is_refused),
        cmocka_unit_test(accelerations_that_do_not_solve_their_equations_are_refused),
        cmocka_unit_test(what_is_not_finite_is_refused_by_the_joint_s_name),
        cmocka_unit_test(an_element_may_be_open_by_what_is_allowed_of_it),
        cmocka_unit_test(light_and_far_cranks_are_right_or_refused_by_name),
        cmocka_unit_test(joints_that_nothing_closes_are_told_with_their_opening),
        cmocka_unit_test(an_energy_balance_that_is_off_is_told_with_its_number),
        cmocka_unit_test(a_fixed_step_that_is_too_long_says_which_is_not),
        cmocka_unit_test(causes_are_named_with_what_helps),
        cmocka_unit_test(a_drive_against_other_joints_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
