/* Nothing allocates between the creation of a simulation and its end: seen by a malloc of the program's own, which
 * serves OpenBLAS, LAPACK and SuiteSparse too. */
#include "fault/own_malloc.h"
#include "support/defaulted.h"
#include "support/reading.h"

#include "fault/rich_model.h"
#include "unit/sim_fixture.h"

#include <lapacke.h>

enum { STEPS = 200, FEW_STEPS = 5, CHANNELS = 8 };

/* ---- the models ---- */

static CardanModel *crank(void) {
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    CardanInput u = cardan_builder_add_input(b, "u", 0.1);
    CardanBody slider = {3};
    assert_int_equal(u.index, 1);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"u*cos(t) - 0.02*main.rate", NULL, NULL}});
    cardan_builder_add_force(b,
                             &(CardanForceDef){DEFAULTED, .name = "spring", .type = CARDAN_FORCE_SPRING, .b = slider,
                                               .stiffness = 20.0, .damping = 0.1, .length = 0.3, .length_given = true});
    return model_of(b);
}

static CardanModel *planar_chain(void) {
    return model_of(mechanism_chain(CARDAN_SPACE_PLANAR, 6));
}

static CardanModel *spatial_chain(void) {
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 6);
    cardan_builder_add_input(b, "u", 0.1);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {2},
                                                  .law = {"u*sin(t) - 0.1*j1.rate - 0.1*j1.angle", NULL, NULL}});
    return model_of(b);
}

static CardanModel *four_bars(void) {
    return model_of(mechanism_four_bars(3));
}

static CardanModel *from_file(const char *path) {
    CardanModel *model = NULL;
    char message[512];
    if (cardan_model_load(path, &model, message, sizeof message) < 0) fail_msg("%s", message);
    return model;
}

static CardanModel *spatial_crank(void) {
    return from_file("models/spatial_slider_crank.yaml");
}

static CardanModel *four_bar_file(void) {
    return from_file("models/four_bar.yaml");
}

static CardanModel *rich(void) {
    return model_of(rich_model());
}

typedef struct Machine {
    const char *name;
    CardanModel *(*make)(void);
} Machine;

static const Machine MACHINES[] = {
    {"slider-crank", crank},     {"planar chain", planar_chain},          {"spatial chain", spatial_chain},
    {"four-bars", four_bars},    {"spatial slider-crank", spatial_crank}, {"four-bar with motor", four_bar_file},
    {"one of everything", rich},
};
enum { MACHINE_COUNT = sizeof MACHINES / sizeof *MACHINES };

/* ---- what a program does with a simulation ---- */

typedef struct Watch {
    const CardanModel *model;
    CardanSim *sim;
    CardanChannel channels[CHANNELS];
    int count, steps;
    double state[STATE_MOST], values[STATE_MOST], accelerations[STATE_MOST], multipliers[STATE_MOST];
    CardanStatus worst;
    const char *where;
} Watch;

static void note(Watch *w, const char *where, CardanStatus status) {
    if (status >= w->worst) return;
    w->worst = status;
    w->where = where;
}

static void find_channels(Watch *w) {
    char joint[64];
    const char *first = cardan_model_joint_name(w->model, (CardanJoint){1});
    snprintf(joint, sizeof joint, "%s.reaction", first);
    const char *names[] = {"energy", "residual", "step", "condition", joint};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(cardan_model_find_channel(w->model, names[i], &w->channels[w->count++], NULL, 0), CARDAN_OK);
}

static void read_all(Watch *w) {
    CardanSizes sizes = cardan_model_sizes(w->model);
    CardanEnergy energy;
    for (int i = 0; i < sizes.bodies; i++) {
        CardanBodyState body;
        note(w, "body", cardan_sim_body(w->sim, cardan_model_body(w->model, i), &body));
    }
    for (int i = 1; i <= sizes.joints; i++) {
        double x, rate;
        if (cardan_model_joint_coordinate(w->model, (CardanJoint){i}) != CARDAN_COORDINATE_NONE)
            note(w, "joint", cardan_sim_joint(w->sim, (CardanJoint){i}, &x, &rate));
        reaction_of(w->sim, (CardanJoint){i});
    }
    note(w, "energy", cardan_sim_energy(w->sim, &energy));
    residual_of(w->sim);
    work_of(w->sim);
    note(w, "evaluate", cardan_sim_evaluate(w->sim, w->accelerations, w->multipliers));
}

static void act(Watch *w) {
    if (cardan_model_sizes(w->model).inputs > 0)
        note(w, "set_input", cardan_sim_set_input(w->sim, (CardanInput){1}, 0.2));
    note(w, "apply_wrench",
         cardan_sim_apply_wrench(w->sim, cardan_model_body(w->model, 0), (CardanWrench){.force = {0.01, 0.02, 0.0}}));
    note(w, "get_state", cardan_sim_get_state(w->sim, w->state));
    note(w, "advance", cardan_sim_advance(w->sim, cardan_sim_time(w->sim) + 0.0025));
    note(w, "set_state", cardan_sim_set_state(w->sim, w->state));
    note(w, "set_motion",
         cardan_sim_set_motion(w->sim, w->state[0], w->state + 1,
                               w->state + 1 + cardan_model_sizes(w->model).coordinates));
}

/* As many rows of the last step as are read together. */
static void read_many(Watch *w) {
    enum { ROWS = 30 };
    static double t[ROWS], values[ROWS * STATE_MOST];
    double h = cardan_sim_last_step(w->sim), from = cardan_sim_time(w->sim) - h;
    for (int i = 0; i < ROWS; i++) t[i] = from + h * (i + 0.5) / ROWS;
    note(w, "sample_rows", cardan_sim_sample_rows(w->sim, ROWS, t, w->count, w->channels, values));
}

/* Everything but creating and destroying. */
static void use(Watch *w) {
    for (int i = 0; i < w->steps; i++) {
        note(w, "step", cardan_sim_step(w->sim, (double)INFINITY));
        double inside = cardan_sim_time(w->sim) - 0.3 * cardan_sim_last_step(w->sim);
        if (i % 10 == 0) note(w, "sample", cardan_sim_sample(w->sim, inside, w->count, w->channels, w->values));
        if (i % 25 == 0) read_many(w);
        if (i % 50 == 0) read_all(w);
    }
    note(w, "advance", cardan_sim_advance(w->sim, cardan_sim_time(w->sim) + 0.0105));
}

static void assert_no_allocation(const CardanModel *model, const char *what, const CardanOptions *options) {
    static Watch w;
    memset(&w, 0, sizeof w);
    w.model = model;
    w.sim = sim_of(model, options);
    bool slow = options->stepper >= CARDAN_STEPPER_BACKWARD_EULER &&
                options->stepper <= CARDAN_STEPPER_GAUSS; /* dense matrices */
    w.steps = slow ? FEW_STEPS : STEPS;
    find_channels(&w);
    char label[160];
    snprintf(label, sizeof label, "%s, %s, %s, stabilise %d form %d metric %d passes %d levels %d freeze %d", what,
             cardan_stepper_name(options->stepper), cardan_solver_name(options->solver), (int)options->stabilise.method,
             (int)options->stabilise.form, (int)options->stabilise.metric, options->stabilise.passes,
             (int)options->stabilise.levels, options->stabilise.freeze);
    long before = own_malloc_calls();
    use(&w);
    bool actable =
        options->stabilise.method == CARDAN_STABILISE_POST && options->stabilise.levels == CARDAN_LEVELS_BOTH;
    if (actable) act(&w); /* without stabilisation the drift may be more than set_motion takes */
    long asked = own_malloc_calls() - before;
    if (w.worst < 0) fail_msg("%s: %s failed: %s", label, w.where, cardan_sim_message(w.sim));
    if (asked != 0) fail_msg("%s: %ld allocations", label, asked);
    cardan_sim_destroy(w.sim);
}

static CardanOptions options_of(CardanStepper stepper, CardanSolver solver) {
    CardanOptions o = cardan_default_options();
    o.stepper = stepper;
    o.solver = solver;
    if (stepper == CARDAN_STEPPER_DOPRI5 || stepper == CARDAN_STEPPER_DOP853)
        o.max_step = 1e-3; /* 200 steps stay away from singular poses */
    else
        o.step = stepper == CARDAN_STEPPER_EULER ? 1e-4 : 1e-3;
    return o;
}

static void skip_without_malloc(void) {
    if (!OWN_MALLOC) skip();
}

/* ---- the tests ---- */

static void the_counter_sees_allocations_in_shared_libraries(void **state) {
    (void)state;
    skip_without_malloc();
    double a[4] = {2.0, 1.0, 1.0, 2.0};
    lapack_int pivots[2];
    long before = own_malloc_calls();
    LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'L', 2, a, 2, pivots); /* takes its work space by malloc */
    assert_true(own_malloc_calls() > before);
    before = own_malloc_calls();
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
    assert_true(own_malloc_calls() > before);
    cardan_builder_destroy(builder);
}

static void no_step_allocates_with_any_stepper_and_solver(void **state) {
    (void)state;
    skip_without_malloc();
    for (int m = 0; m < MACHINE_COUNT; m++) {
        CardanModel *model = MACHINES[m].make();
        for (int solver = CARDAN_SOLVER_DENSE; solver < CARDAN_SOLVERS; solver++)
            for (int stepper = 0; stepper < CARDAN_STEPPERS; stepper++) {
                /* beyond extrapolation steppers ask for something of the model, here: joints alone; and their steps are
                   long to compute, so one solver and two machines do */
                bool plain = stepper <= CARDAN_STEPPER_GBS;
                if (!keeps_joints(stepper) || (!plain && (m % 2 != 0 || m > 2 || solver != CARDAN_SOLVER_BLOCK)))
                    continue;
                CardanOptions o = options_of((CardanStepper)stepper, (CardanSolver)solver);
                assert_no_allocation(model, MACHINES[m].name, &o);
            }
        cardan_model_release(model);
    }
}

static void no_step_allocates_with_any_formulation(void **state) {
    (void)state;
    skip_without_malloc();
    for (int m = 0; m < MACHINE_COUNT; m++) {
        CardanModel *model = MACHINES[m].make();
        for (int formulation = CARDAN_FORMULATION_GGL; formulation < CARDAN_FORMULATIONS; formulation++)
            for (int stepper = CARDAN_STEPPER_BACKWARD_EULER; stepper <= CARDAN_STEPPER_GAUSS; stepper++) {
                CardanOptions o = options_of((CardanStepper)stepper, CARDAN_SOLVER_AUTO);
                o.formulation = (CardanFormulation)formulation;
                assert_no_allocation(model, MACHINES[m].name, &o);
            }
        cardan_model_release(model);
    }
}

/* Steps of any size and order, with derivatives that are kept and made anew. */
static void no_step_of_a_stiff_stepper_allocates_by_tolerance(void **state) {
    (void)state;
    static const CardanStepper steppers[] = {CARDAN_STEPPER_BDF,         CARDAN_STEPPER_RADAU5,
                                             CARDAN_STEPPER_TRAPEZOIDAL, CARDAN_STEPPER_IMPLICIT_MIDPOINT,
                                             CARDAN_STEPPER_GAUSS,       CARDAN_STEPPER_BACKWARD_EULER,
                                             CARDAN_STEPPER_GALPHA,      CARDAN_STEPPER_AUTO};
    enum { COUNT = sizeof steppers / sizeof *steppers };
    skip_without_malloc();
    for (int m = 0; m < 3; m += 2) {
        CardanModel *model = MACHINES[m].make();
        for (int i = 0; i < COUNT * CARDAN_FORMULATIONS; i++) {
            CardanOptions o = cardan_default_options();
            o.stepper = steppers[i % COUNT];
            o.formulation = (CardanFormulation)(i / COUNT);
            if (o.formulation != CARDAN_FORMULATION_INDEX1 &&
                (o.stepper == CARDAN_STEPPER_GALPHA || o.stepper == CARDAN_STEPPER_AUTO))
                continue;
            o.max_step = 1e-3;
            assert_no_allocation(model, MACHINES[m].name, &o);
        }
        cardan_model_release(model);
    }
}

/* A rod on a pin that gives way; index1 is all it takes. */
static void no_step_on_the_slow_manifold_allocates(void **state) {
    (void)state;
    skip_without_malloc();
    static const char TEXT[] =
        "cardan: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: {rod: {mass: 1, inertia: 0.02, position: [0.25, 0]}}\n"
        "joints: {pin: {type: revolute, bodies: [ground, rod], point: [0, 0], compliant: {stiffness: 1e8}}}\n";
    CardanBuilder *builder = NULL;
    assert_int_equal(cardan_builder_read_text(TEXT, sizeof TEXT - 1, "text", &builder), CARDAN_OK);
    CardanModel *model = model_of(builder);
    CardanOptions o = options_of(CARDAN_STEPPER_SLOW_RK4, CARDAN_SOLVER_AUTO);
    assert_no_allocation(model, "rod on a compliant pin", &o);
    cardan_model_release(model);
}

static void no_step_allocates_with_any_stabilisation(void **state) {
    (void)state;
    skip_without_malloc();
    for (int m = 0; m < 5; m++) { /* joints alone: the full form takes no block frames and no nonholonomic rows */
        CardanModel *model = MACHINES[m].make();
        for (int bits = 0; bits < 2 * 2 * 2 * 2 * 3; bits++) {
            CardanOptions o = options_of(CARDAN_STEPPER_RK4, CARDAN_SOLVER_AUTO);
            o.stabilise.passes = 1 + bits % 2;
            o.stabilise.form = (CardanStabiliseForm)(bits / 2 % 2);
            o.stabilise.metric = (CardanMetric)(bits / 4 % 2);
            o.stabilise.freeze = bits / 8 % 2 == 0 ? 0 : 3; /* 1 is that of all the others */
            o.stabilise.levels = (CardanLevels)(bits / 16);
            assert_no_allocation(model, MACHINES[m].name, &o);
        }
        for (int method = CARDAN_STABILISE_BAUMGARTE; method <= CARDAN_STABILISE_NONE; method++)
            for (int metric = 0; metric < 2; metric++) {
                CardanOptions o = options_of(CARDAN_STEPPER_DOPRI5, CARDAN_SOLVER_AUTO);
                o.stabilise.method = (CardanStabiliseMethod)method;
                o.stabilise.metric = (CardanMetric)metric;
                assert_no_allocation(model, MACHINES[m].name, &o);
            }
        cardan_model_release(model);
    }
}

/* The flat pose of A02 is passed at about 0.62 s; a second hinge beside the first makes rows redundant throughout. */
static void passing_a_singular_pose_allocates_nothing(void **state) {
    (void)state;
    skip_without_malloc();
    for (int method = 0; method < CARDAN_REGULARISERS; method++)
        for (int redundant = 0; redundant < 2; redundant++) {
            CardanBuilder *b = mechanism_four_bars(2);
            if (redundant)
                cardan_builder_add_joint(
                    b, &(CardanJointDef){DEFAULTED, .name = "again", .type = CARDAN_JOINT_REVOLUTE, .b = {1}});
            CardanModel *model = model_of(b);
            CardanOptions o = cardan_default_options();
            CardanSim *sim = NULL;
            o.regularise.method = (CardanRegularise)method;
            o.max_steps = 20000;
            if (cardan_sim_create(model, &o, &sim) >= 0) {
                long before = own_malloc_calls();
                CardanWrench reaction; /* both may fail with some methods: that must not allocate either */
                (void)!cardan_sim_advance(sim, 1.0);
                (void)!cardan_sim_reaction(sim, (CardanJoint){1}, &reaction);
                long asked = own_malloc_calls() - before;
                if (asked != 0)
                    fail_msg("method %d%s: %ld allocations", method, redundant ? ", redundant rows" : "", asked);
                assert_true(work_of(sim).steps > 5);
            } else {
                assert_true(redundant || method == CARDAN_REGULARISE_NONE); /* the start is regular */
            }
            cardan_sim_destroy(sim);
            cardan_model_release(model);
        }
}

static CardanStatus refuse(void *user, double t, const CardanFrame *frames, const double *inputs,
                           CardanWrench *wrench) {
    (void)frames, (void)inputs, (void)wrench;
    return t > *(const double *)user ? CARDAN_ERR_NUMERIC : CARDAN_OK;
}

static void a_step_that_fails_allocates_nothing_either(void **state) {
    (void)state;
    skip_without_malloc();
    double last = 0.02;
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 6);
    CardanBody body = {1};
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "stop", .type = CARDAN_FORCE_CALLBACK, .bodies = 1,
                                                  .bodies_list = &body, .callback = refuse, .user = &last});
    CardanModel *model = model_of(b);
    CardanSim *sim = sim_of(model, NULL);
    long before = own_malloc_calls();
    CardanStatus status = cardan_sim_advance(sim, 1.0);
    long asked = own_malloc_calls() - before;
    assert_int_equal(status, CARDAN_ERR_NUMERIC);
    assert_int_equal(asked, 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_sees_allocations_in_shared_libraries),
        cmocka_unit_test(no_step_allocates_with_any_stepper_and_solver),
        cmocka_unit_test(no_step_allocates_with_any_formulation),
        cmocka_unit_test(no_step_of_a_stiff_stepper_allocates_by_tolerance),
        cmocka_unit_test(no_step_on_the_slow_manifold_allocates),
        cmocka_unit_test(no_step_allocates_with_any_stabilisation),
        cmocka_unit_test(passing_a_singular_pose_allocates_nothing),
        cmocka_unit_test(a_step_that_fails_allocates_nothing_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
