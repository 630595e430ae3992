/* Many simulations on many threads over one model: each makes the bits it makes alone. Run under the thread sanitizer
 * by tools/test. Threads only compute; what they found is judged by the main thread. */
#include "fault/rich_model.h"
#include "support/defaulted.h"
#include "support/sample.h"
#include "unit/sim_fixture.h"

#include "cardan/lab.h"
#include "mechanisms.h"
#include "nets.h"

#include "core/pool.h"
#include "model/tree.h"
#include "sim/sim.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Under a sanitizer fewer runs of each thread: still every stepper, solver and stabiliser. */
enum { THREADS = 8, RUNS = SAMPLE_IS_PART ? 3 : 5, ROUNDS = 2000 };

/* ---- one run ---- */

typedef struct Outcome {
    CardanStatus status;
    int size;
    double state[STATE_MOST];
    CardanWrench reaction;
    double energy;
} Outcome;

static CardanOptions options_of(int run) {
    CardanOptions o = cardan_default_options();
    o.stepper = (CardanStepper)(run % (CARDAN_STEPPER_GBS + 1)); /* those that take any model */
    o.solver = (CardanSolver)(run % CARDAN_SOLVERS);
    bool adaptive = o.stepper == CARDAN_STEPPER_DOPRI5 || o.stepper == CARDAN_STEPPER_DOP853;
    if (!adaptive || run % 3 == 0) o.step = 1e-3;
    o.stabilise.method = run % 5 == 4 ? CARDAN_STABILISE_PROJECT : CARDAN_STABILISE_POST;
    o.stabilise.metric = run % 4 == 1 ? CARDAN_METRIC_EUCLID : CARDAN_METRIC_MASS;
    o.stabilise.freeze = run % 2;
    return o;
}

/* Input, wrench, clone, sample and parameter on the way, so that every public way through is met by every thread. */
static CardanStatus drive(CardanSim **sim, const CardanModel *model, int run) {
    CardanStatus status = CARDAN_OK;
    CardanBody body = cardan_model_body(model, 0);
    if (cardan_model_sizes(model).inputs > 0) status = cardan_sim_set_input(*sim, (CardanInput){1}, 0.1 * run);
    for (int i = 1; i <= 5 && status >= 0; i++) {
        status = cardan_sim_apply_wrench(*sim, body, (CardanWrench){.force = {0.1 * run, 0.0, 0.0}});
        if (status >= 0) status = cardan_sim_advance(*sim, 0.01 * i);
    }
    CardanSim *copy = NULL;
    if (status >= 0) status = cardan_sim_clone(*sim, &copy);
    cardan_sim_destroy(*sim);
    *sim = copy;
    if (status >= 0) status = cardan_sim_advance(copy, 0.08);
    if (status >= 0 && cardan_model_sizes(model).parameters > 0)
        status = cardan_sim_set_parameter(copy, "m", 1.0 + 0.1 * run);
    return status >= 0 ? cardan_sim_advance(copy, 0.1) : status;
}

static void make_run(const CardanModel *model, int run, Outcome *out) {
    CardanOptions options = options_of(run);
    CardanSim *sim = NULL;
    CardanEnergy energy = {0};
    memset(out, 0, sizeof *out);
    out->status = cardan_sim_create(model, &options, &sim);
    if (out->status >= 0) out->status = drive(&sim, model, run);
    if (out->status >= 0) {
        out->size = cardan_sim_state_size(sim);
        if (out->size <= STATE_MOST) out->status = cardan_sim_get_state(sim, out->state);
        if (out->status >= 0) out->status = cardan_sim_reaction(sim, (CardanJoint){1}, &out->reaction);
        if (out->status >= 0) out->status = cardan_sim_energy(sim, &energy);
        out->energy = energy.total;
    }
    cardan_sim_destroy(sim);
}

/* ---- threads ---- */

typedef struct Worker {
    pthread_t thread;
    int number;
    CardanModel *model;
    Outcome outcome[RUNS];
    double mass;         /* of a model with other parameters */
    CardanStatus status; /* of it */
    const CrdStructure *structure;
} Worker;

static Worker workers[THREADS];
static Outcome alone[THREADS][RUNS];

static void *run_all(void *user) {
    Worker *w = user;
    for (int r = 0; r < RUNS; r++) make_run(w->model, w->number * RUNS + r, &w->outcome[r]);
    return NULL;
}

static void start_all(CardanModel *model, void *(*work)(void *)) {
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].model = model;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
}

static void join_all(void) {
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
}

static void compare_with_serial(CardanBuilder *builder) {
    CardanModel *model = model_of(builder);
    for (int i = 0; i < THREADS; i++)
        for (int r = 0; r < RUNS; r++) make_run(model, i * RUNS + r, &alone[i][r]);
    start_all(model, run_all);
    join_all();
    assert_int_equal(atomic_load(&model->references), 1);
    cardan_model_release(model);
    for (int i = 0; i < THREADS; i++)
        for (int r = 0; r < RUNS; r++) {
            const Outcome *a = &alone[i][r], *b = &workers[i].outcome[r];
            int run = i * RUNS + r;
            if (a->status < 0) fail_msg("run %d: status %d", run, (int)a->status);
            assert_in_range(a->size, 1, STATE_MOST);
            assert_true(a->state[0] == 0.1);
            if (memcmp(a, b, sizeof *a) != 0)
                fail_msg("run %d: energy %.17g alone, %.17g beside others", run, a->energy, b->energy);
        }
    /* different options made different runs, or the comparison means nothing */
    assert_true(memcmp(alone[0][0].state, alone[0][1].state, sizeof alone[0][0].state) != 0);
}

/* ---- the tests ---- */

static void eight_threads_make_the_bits_of_one_on_a_slider_crank(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.8);
    cardan_builder_add_parameter(b, "m", 1.0);
    cardan_builder_bind(b, "crank.mass", "m");
    cardan_builder_add_input(b, "u", 0.0);
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = {1},
                                                  .law = {"u*cos(t) - 0.02*main.rate", NULL, NULL}});
    compare_with_serial(b);
}

static void eight_threads_make_the_bits_of_one_on_a_spatial_chain(void **state) {
    (void)state;
    compare_with_serial(mechanism_chain(CARDAN_SPACE_SPATIAL, 5));
}

static void eight_threads_make_the_bits_of_one_on_everything_there_is(void **state) {
    (void)state;
    compare_with_serial(rich_model());
}

/* Changes parameters of the shared model and of its own, over and over. */
static void *change_parameters(void *user) {
    Worker *w = user;
    const char *const names[] = {"m", "L"};
    for (int i = 0; i < 20 && w->status >= 0; i++) {
        CardanModel *first = NULL, *second = NULL;
        const double values[] = {1.0 + w->number + 0.01 * i, 1.5};
        w->status = cardan_model_with_parameters(w->model, 2, names, values, &first, NULL, 0);
        if (w->status >= 0) w->status = cardan_model_with_parameters(first, 1, names, values, &second, NULL, 0);
        if (w->status >= 0) {
            w->mass = second->values.blocks[0].mass;
            w->structure = second->structure;
        }
        cardan_model_release(first);
        cardan_model_release(second);
    }
    return NULL;
}

static void parameters_of_one_model_are_changed_on_eight_threads_at_once(void **state) {
    (void)state;
    CardanModel *model = model_of(rich_model());
    memset(workers, 0, sizeof workers);
    start_all(model, change_parameters);
    join_all();
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].status, CARDAN_OK);
        assert_ptr_equal(workers[i].structure, model->structure);
        assert_near(workers[i].mass, 1.19 + i, 1e-12);
    }
    assert_near(model->values.blocks[0].mass, 1.0, 0.0);
    assert_int_equal(atomic_load(&model->references), 1);
    assert_int_equal(atomic_load(&model->structure->references), 1);
    cardan_model_release(model);
}

static void *retain_and_release(void *user) {
    Worker *w = user;
    for (int i = 0; i < ROUNDS; i++) {
        CardanModel *mine = cardan_model_retain(w->model);
        if (mine != w->model) w->status = CARDAN_ERR_INTERNAL;
        cardan_model_release(mine);
    }
    return NULL;
}

static void owners_of_a_model_are_counted_across_threads(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_chain(CARDAN_SPACE_PLANAR, 3));
    memset(workers, 0, sizeof workers);
    start_all(model, retain_and_release);
    join_all();
    for (int i = 0; i < THREADS; i++) assert_int_equal(workers[i].status, CARDAN_OK);
    assert_int_equal(atomic_load(&model->references), 1);
    cardan_model_release(model);
}

/* The last owner, whichever thread it is on, frees the model: leaks and early ends are for the sanitizers. */
static void *use_and_let_go(void *user) {
    Worker *w = user;
    make_run(w->model, w->number, &w->outcome[0]);
    cardan_model_release(w->model);
    return NULL;
}

static void the_last_thread_to_let_go_frees_the_model(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_chain(CARDAN_SPACE_PLANAR, 3));
    for (int i = 0; i < THREADS; i++) cardan_model_retain(model);
    start_all(model, use_and_let_go);
    cardan_model_release(model);
    join_all();
    for (int i = 0; i < THREADS; i++) assert_true(workers[i].outcome[0].status >= 0);
}

/* ---- the laboratory ---- */

/* A problem of its own over the shared model, and a method for each thread. */
static void make_experiment(const CardanModel *model, int number, Outcome *out) {
    static const CardanLabMethod methods[THREADS] = {
        {DEFAULTED, .stepper = "rk4", .correction = "post"},
        {DEFAULTED, .stepper = "dop853", .rtol = 1e-6, .atol = 1e-6},
        {DEFAULTED, .formulation = "projected", .stepper = "backward_euler"},
        {DEFAULTED, .formulation = "state_space", .stepper = "heun"},
        {DEFAULTED, .formulation = "index2", .stepper = "radau5"},
        {DEFAULTED, .stepper = "bdf", .rtol = 1e-6, .atol = 1e-6},
        {DEFAULTED, .formulation = "least_squares", .stepper = "backward_euler"},
        {DEFAULTED, .formulation = "stabilised", .stepper = "gauss4", .gamma = 5.0},
    };
    CardanLabSpan span = {DEFAULTED, .t1 = 0.02, .steps = methods[number].rtol > 0.0 ? 0 : 4};
    CardanLabProblem *problem = NULL;
    memset(out, 0, sizeof *out);
    out->status = cardan_lab_problem_of_model(model, CARDAN_LAB_MECHANISM, &problem, NULL, 0);
    out->size = cardan_lab_problem_sizes(problem).state;
    if (out->status >= 0) out->status = cardan_lab_problem_start(problem, out->state, NULL, 0);
    if (out->status >= 0) out->status = cardan_lab_run(problem, &methods[number], &span, out->state, NULL, NULL, 0);
    cardan_lab_problem_destroy(problem);
}

static void *experiment(void *user) {
    Worker *w = user;
    make_experiment(w->model, w->number, &w->outcome[0]);
    return NULL;
}

static void experiments_on_eight_threads_make_the_bits_of_one(void **state) {
    (void)state;
    CardanModel *model = model_of(mechanism_slider_crank(0.2, 0.4, 0.8));
    for (int i = 0; i < THREADS; i++) make_experiment(model, i, &alone[i][0]);
    start_all(model, experiment);
    join_all();
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(alone[i][0].status, CARDAN_OK);
        assert_in_range(alone[i][0].size, 1, STATE_MOST);
        assert_memory_equal(&alone[i][0], &workers[i].outcome[0], sizeof alone[i][0]);
    }
    cardan_model_release(model);
}

/* OpenBLAS counts its threads before main begins: started by hand, the program starts itself again. */
static void use_one_blas_thread(char **argv) {
    if (getenv("OPENBLAS_NUM_THREADS") != NULL) return;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

/* ---- threads of one simulation ---- */

enum {
    PARTS = 1000,
    SHRINKS = 200,
    ARMS = 30,
    KNOTS = 8,
    ARM = 10,
    STEPS = SAMPLE_IS_PART ? 1 : 4,
    NET = SAMPLE_IS_PART ? 15 : 20
};

static void count_part(void *user, int part) {
    atomic_fetch_add((atomic_int *)user + part, 1);
}

static void a_pool_does_every_part_of_every_task_once(void **state) {
    (void)state;
    static atomic_int counts[PARTS];
    CrdPool *pool = crd_pool_create(4);
    assert_non_null(pool);
    for (int round = 0; round < SHRINKS; round++) crd_pool_run(pool, count_part, counts, PARTS - round);
    crd_pool_free(pool);
    for (int i = 0; i < PARTS; i++)
        assert_int_equal(atomic_load(&counts[i]), i <= PARTS - SHRINKS ? SHRINKS : PARTS - i);
}

static CardanBody add_link(CardanBuilder *builder, CardanBody on, CardanVec3 at, int number) {
    bool ball = number % 7 == 3;
    char name[32];
    CardanBodyDef body = cardan_default_body();
    CardanJointDef joint = cardan_default_joint(ball ? CARDAN_JOINT_SPHERICAL : CARDAN_JOINT_REVOLUTE);
    snprintf(name, sizeof name, "l%d", number);
    body.name = name;
    body.mass = 1.0 + 0.1 * (number % 5);
    body.inertia = (CardanInertia){.xx = 0.08, .yy = 0.1, .zz = 0.12};
    body.pose.p = (CardanVec3){at.x + 0.5, at.y, at.z};
    CardanBody link = cardan_builder_add_body(builder, &body);
    snprintf(name, sizeof name, "j%d", number);
    joint.name = name;
    joint.a = on;
    joint.b = link;
    joint.point = at;
    if (!ball) joint.axis = number % 2 == 0 ? (CardanVec3){0, 0, 1} : (CardanVec3){0, 1, 0};
    cardan_builder_add_joint(builder, &joint);
    return link;
}

/* A chain of knots, each with arms, or arms on the ground alone. */
static CardanModel *make_tree(bool trunk) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CardanBody knot = {0};
    int number = 0;
    cardan_builder_set_gravity(builder, (CardanVec3){0.0, -9.81, 0.0});
    for (int k = 0; k < KNOTS; k++) {
        if (trunk) knot = add_link(builder, knot, (CardanVec3){k, 0, 0}, number++);
        for (int arm = 0; arm < ARMS; arm++) {
            CardanBody last = knot;
            for (int i = 0; i < ARM; i++) last = add_link(builder, last, (CardanVec3){k + 1.0 + i, 0, arm}, number++);
        }
    }
    return model_of(builder);
}

static CardanModel *make_arms(void) {
    return make_tree(false);
}

static CardanModel *make_arms_on_trunk(void) {
    return make_tree(true);
}

static CardanModel *make_ladder(void) {
    return model_of(mechanism_four_bars(600));
}

/* More than one range of each kind of items. */
static CardanModel *make_net(void) {
    return model_of(mechanism_net(NET));
}

static const struct {
    CardanModel *(*make)(void);
    CardanCoordinates coordinates;
    int branches; /* at least */
} SHARED[] = {{make_arms, CARDAN_COORDINATES_AUTO, 5},       {make_arms_on_trunk, CARDAN_COORDINATES_AUTO, 5},
              {make_ladder, CARDAN_COORDINATES_RELATIVE, 0}, {make_ladder, CARDAN_COORDINATES_ABSOLUTE, -1},
              {make_net, CARDAN_COORDINATES_RELATIVE, 0},    {make_net, CARDAN_COORDINATES_ABSOLUTE, -1}};
enum { SHARED_COUNT = sizeof SHARED / sizeof *SHARED };

/* Steps, a clone, more steps. */
static double *numbers_of_shared(int which, const CardanModel *model, int threads, int *size) {
    CardanOptions options = cardan_default_options();
    CardanSim *sim = NULL, *copy = NULL;
    options.threads = threads;
    options.coordinates = SHARED[which].coordinates;
    assert_int_equal(cardan_sim_create(model, &options, &sim), CARDAN_OK);
    assert_true(sim->relative.leads == (SHARED[which].branches >= 0));
    assert_true(!sim->relative.leads || sim->relative.model->structure->tree->branch_count >= SHARED[which].branches);
    assert_int_equal(crd_pool_threads(sim->pool), threads);
    for (int i = 0; i < STEPS; i++) assert_true(cardan_sim_step(sim, 1.0) >= 0);
    assert_int_equal(cardan_sim_clone(sim, &copy), CARDAN_OK);
    for (int i = 0; i < STEPS; i++) assert_true(cardan_sim_step(copy, 1.0) >= 0);
    *size = cardan_sim_state_size(copy);
    double *numbers = calloc((size_t)*size, sizeof *numbers);
    assert_non_null(numbers);
    assert_int_equal(cardan_sim_get_state(copy, numbers), CARDAN_OK);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(copy);
    return numbers;
}

static void threads_of_a_simulation_do_not_change_a_bit(void **state) {
    (void)state;
    const int counts[] = {3, 2, 8};
    for (int which = 0; which < SHARED_COUNT; which++) {
        CardanModel *model = SHARED[which].make();
        int size, other_size;
        double *one = numbers_of_shared(which, model, 1, &size);
        for (size_t i = 0; i < (SAMPLE_IS_PART ? 1 : sizeof counts / sizeof *counts); i++) {
            double *numbers = numbers_of_shared(which, model, counts[i], &other_size);
            assert_int_equal(size, other_size);
            assert_memory_equal(one, numbers, (size_t)size * sizeof *numbers);
            free(numbers);
        }
        free(one);
        cardan_model_release(model);
    }
}

/* Absolute equations know nothing of branches. */
static void a_divided_tree_accelerates_as_in_absolute_coordinates(void **state) {
    (void)state;
    CardanModel *model = make_tree(true);
    int n = cardan_model_sizes(model).velocities;
    double *a = calloc(2 * (size_t)n, sizeof *a), largest = 0.0, apart = 0.0;
    assert_non_null(a);
    for (int i = 0; i < 2; i++) {
        CardanOptions options = cardan_default_options();
        CardanSim *sim = NULL;
        options.coordinates = i == 0 ? CARDAN_COORDINATES_RELATIVE : CARDAN_COORDINATES_ABSOLUTE;
        options.threads = 2;
        assert_int_equal(cardan_sim_create(model, &options, &sim), CARDAN_OK);
        assert_true(sim->relative.leads == (i == 0));
        assert_int_equal(cardan_sim_evaluate(sim, a + i * n, NULL), CARDAN_OK);
        cardan_sim_destroy(sim);
    }
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(a[i]));
        apart = fmax(apart, fabs(a[i] - a[n + i]));
    }
    assert_true(apart <= 1e-10 * largest);
    free(a);
    cardan_model_release(model);
}

int main(int argc, char **argv) {
    (void)argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_make_the_bits_of_one_on_a_slider_crank),
        cmocka_unit_test(eight_threads_make_the_bits_of_one_on_a_spatial_chain),
        cmocka_unit_test(eight_threads_make_the_bits_of_one_on_everything_there_is),
        cmocka_unit_test(parameters_of_one_model_are_changed_on_eight_threads_at_once),
        cmocka_unit_test(owners_of_a_model_are_counted_across_threads),
        cmocka_unit_test(the_last_thread_to_let_go_frees_the_model),
        cmocka_unit_test(experiments_on_eight_threads_make_the_bits_of_one),
        cmocka_unit_test(a_pool_does_every_part_of_every_task_once),
        cmocka_unit_test(threads_of_a_simulation_do_not_change_a_bit),
        cmocka_unit_test(a_divided_tree_accelerates_as_in_absolute_coordinates),
    };
    use_one_blas_thread(argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
