/* Models as problems of the laboratory: their terms against differences and the engine, runs against its own, all
 * formulations on one mechanism, and the public interface. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/desk.h"

#include "cardan/cardan.h"
#include "cardan/lab.h"
#include "lab/law.h"
#include "lab/mechanism.h"
#include "support/random.h"
#include "support/sample.h"

/* ---- terms against differences ---- */

typedef struct Place {
    const CrdLabProblem *problem;
    double t;
    const double *z, *along; /* (state) */
    double clock;            /* how fast time goes along */
} Place;

/* h of the problem on the line z + s along. */
static void invariants_on_line(void *user, double s, double *values) {
    const Place *place = user;
    int state = crd_lab_state(place->problem);
    CrdLabMark mark = crd_lab_mark(&workspace);
    double *z = crd_lab_numbers(&workspace, state, 1);
    CrdLabTerms terms;
    for (int i = 0; i < state; i++) z[i] = place->z[i] + s * place->along[i];
    if (crd_lab_terms(place->problem, place->t + place->clock * s, z, &workspace, &terms) < 0)
        fail_msg("%s", error.text);
    crd_lab_invariant(place->problem, z, &terms, values, NULL);
    crd_lab_back(&workspace, mark);
}

/* A state a little off the constraints, where nothing cancels by accident, and a direction. */
static void disturb(const CrdLabMechanism *m, const CrdLabProblem *p, double *z, double *along) {
    Random random = {.state = 7};
    crd_lab_mechanism_start(m, p, z);
    for (int i = 0; i < crd_lab_state(p); i++) {
        z[i] += 0.01 * random_between(&random, -1.0, 1.0);
        along[i] = random_between(&random, -1.0, 1.0);
    }
}

static void check_terms(const char *file, const CrdLabMechanism *m, const CrdLabProblem *p) {
    enum { STATE = 200 };
    double z[STATE], along[STATE], expected[STATE], found[STATE] = {0}, h[STATE], *jacobian;
    int state = crd_lab_state(p), all = crd_lab_invariants(p);
    assert_true(state <= STATE);
    CrdLabTerms terms;
    disturb(m, p, z, along);
    CrdLabMark mark = crd_lab_mark(&workspace);
    jacobian = crd_lab_numbers(&workspace, all, state);
    assert_int_equal(crd_lab_terms(p, 0.3, z, &workspace, &terms), 0);
    crd_lab_invariant(p, z, &terms, h, jacobian);
    crd_add_product(all, state, 1, 1.0, jacobian, along, found);
    Place place = {p, 0.3, z, along, 0.0};
    differentiate(invariants_on_line, &place, all, expected);
    double scale = 1.0 + worst_of(expected, all);
    for (int i = 0; i < all; i++)
        check_near(found[i], expected[i], 1e-7 * scale, "%s: H along a line, row %d", file, i);
    if (p->order == 2) {                                         /* with x'' = 0 the rate of g' is the bias */
        place.clock = 1.0 / fmax(1.0, worst_of(z + p->n, p->n)); /* so slow that differences see a straight line */
        for (int i = 0; i < p->n; i++) along[i] = place.clock * z[p->n + i];
        memset(along + p->n, 0, (size_t)p->n * sizeof *along);
        differentiate(invariants_on_line, &place, all, expected);
        for (int i = 0; i < p->rows; i++)
            check_near(place.clock * terms.bias[i], expected[p->rows + i], 1e-7 * scale, "%s: bias, row %d", file, i);
    }
    crd_lab_back(&workspace, mark);
}

static const struct {
    const char *name, *refused; /* why it is no problem of order 2; NULL: it is */
} files[] = {{"slider_crank", NULL},
             {"four_bar", NULL},
             {"double_pendulum", NULL},
             {"spatial_slider_crank", NULL},
             {"heavy_top", NULL},
             {"bead_on_curve", NULL},
             {"planetary", NULL},
             {"universal_shaft", NULL},
             {"bricard", NULL},
             {"cam", NULL},
             {"compliant_pendulum", NULL},
             {"screw", NULL},
             {"rolling_disc", "nonholonomic rows"},
             {"every_joint", "nonholonomic rows"},
             {"plane_joints", "nonholonomic rows"},
             {"quarter_car", "first-order states"}};

static CardanModel *loaded(const char *name) {
    char path[96], message[1024];
    CardanModel *model = NULL;
    snprintf(path, sizeof path, "models/%s.yaml", name);
    if (cardan_model_load(path, &model, message, sizeof message) < 0) fail_msg("%s", message);
    return model;
}

static void terms_of_models_are_derivatives_of_each_other(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (CardanLabView view = CARDAN_LAB_MECHANISM; view <= CARDAN_LAB_INVARIANTS; view++) {
            CardanModel *model = loaded(files[i].name);
            CrdLabMechanism *m;
            CrdLabProblem problem;
            crd_error_clear(&error);
            CardanStatus status = crd_lab_mechanism_create(model, view, &m, &problem, &error);
            bool refused = view == CARDAN_LAB_MECHANISM && files[i].refused != NULL;
            assert_int_equal(status, refused ? CARDAN_ERR_ARGUMENT : CARDAN_OK);
            if (refused) assert_non_null(strstr(error.text, files[i].refused));
            if (status >= 0) check_terms(files[i].name, m, &problem);
            crd_lab_mechanism_destroy(m);
            cardan_model_release(model);
        }
}

/* ---- runs against the engine ---- */

enum { MOST = 200 };

static void engine_runs(const CardanModel *model, double end, int steps, double *q, double *v) {
    CardanOptions options = cardan_default_options();
    CardanSizes sizes = cardan_model_sizes(model);
    CardanSim *sim = NULL;
    options.stepper = CARDAN_STEPPER_RK4;
    options.step = end / steps;
    options.stabilise.method = CARDAN_STABILISE_NONE;
    assert_true(cardan_sim_create(model, &options, &sim) >= 0);
    if (cardan_sim_advance(sim, end) < 0) fail_msg("%s", cardan_sim_message(sim));
    memcpy(q, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *q);
    memcpy(v, cardan_sim_velocities(sim), (size_t)sizes.velocities * sizeof *v);
    cardan_sim_destroy(sim);
}

static CardanLabProblem *problem_of(const CardanModel *model, CardanLabView view) {
    char message[1024];
    CardanLabProblem *problem = NULL;
    if (cardan_lab_problem_of_model(model, view, &problem, message, sizeof message) < 0) fail_msg("%s", message);
    return problem;
}

/* From the start to t = end in so many steps; q and v there. */
static CardanLabResult lab_runs(CardanLabProblem *problem, const CardanLabMethod *method, double end, int steps,
                                double *q, double *v) {
    CardanLabSpan span = {DEFAULTED, .t1 = end, .steps = steps};
    CardanLabResult result;
    double z[MOST];
    char message[1024];
    assert_true(cardan_lab_problem_sizes(problem).state <= MOST);
    assert_int_equal(cardan_lab_problem_start(problem, z, NULL, 0), 0);
    if (cardan_lab_run(problem, method, &span, z, &result, message, sizeof message) < 0) fail_msg("%s", message);
    assert_int_equal(cardan_lab_problem_motion(problem, z, q, v, NULL, 0), 0);
    return result;
}

static double distance(const double *a, const double *b, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void index_reduction_with_rk4_is_what_the_engine_does(void **state) {
    static const struct {
        const char *name;
        CardanLabView view;
        double end;
    } runs[] = {{"slider_crank", CARDAN_LAB_MECHANISM, 0.1},
                {"slider_crank", CARDAN_LAB_INVARIANTS, 0.1},
                {"four_bar", CARDAN_LAB_MECHANISM, 0.1},
                {"double_four_bar", CARDAN_LAB_MECHANISM, 0.1},
                {"double_pendulum", CARDAN_LAB_MECHANISM, 0.1},
                {"planetary", CARDAN_LAB_MECHANISM, 0.1},
                {"spatial_slider_crank", CARDAN_LAB_INVARIANTS, 0.1},
                {"heavy_top", CARDAN_LAB_INVARIANTS, 0.1},
                {"bead_on_curve", CARDAN_LAB_MECHANISM, 0.1},
                {"rolling_disc", CARDAN_LAB_INVARIANTS, 0.1},
                {"quarter_car", CARDAN_LAB_INVARIANTS, 0.01}, /* its tyre is in the air: here are no events */
                {"bricard", CARDAN_LAB_INVARIANTS, 0.1}};
    const CardanLabMethod method = {DEFAULTED, .stepper = "rk4"};
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        CardanModel *model = loaded(runs[i].name);
        CardanSizes sizes = cardan_model_sizes(model);
        CardanLabProblem *problem = problem_of(model, runs[i].view);
        double q[MOST], v[MOST], lab_q[MOST], lab_v[MOST];
        engine_runs(model, runs[i].end, 20, q, v);
        CardanLabResult result = lab_runs(problem, &method, runs[i].end, 20, lab_q, lab_v);
        double scale = 1.0 + worst_of(v, sizes.velocities);
        check_near(distance(q, lab_q, sizes.coordinates), 0.0, 1e-10 * scale, "%s: positions", runs[i].name);
        check_near(distance(v, lab_v, sizes.velocities), 0.0, 1e-9 * scale, "%s: velocities", runs[i].name);
        assert_int_equal(result.rhs, 80);
        assert_int_equal(result.steps, 20);
        cardan_lab_problem_destroy(problem);
        cardan_model_release(model);
    }
}

/* ---- every combination ---- */

/* The motion at t = end by the engine with tight tolerances. */
static void engine_tight(const CardanModel *model, double end, double *q, double *v) {
    CardanOptions options = cardan_default_options();
    CardanSizes sizes = cardan_model_sizes(model);
    CardanSim *sim = NULL;
    options.rtol = options.atol = 1e-12;
    assert_true(cardan_sim_create(model, &options, &sim) >= 0);
    if (cardan_sim_advance(sim, end) < 0) fail_msg("%s", cardan_sim_message(sim));
    memcpy(q, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *q);
    memcpy(v, cardan_sim_velocities(sim), (size_t)sizes.velocities * sizeof *v);
    cardan_sim_destroy(sim);
}

typedef struct Matrix {
    CardanLabProblem *problem;
    int nq, nv;
    double end;
    double q[MOST], v[MOST]; /* there */
    int ran, refused;
} Matrix;

/* A method that fits must come close, twice as many steps closer; one that does not must say why. */
static void try_one(Matrix *m, const CardanLabMethod *method, int steps) {
    char message[1024] = "";
    CardanStatus status = cardan_lab_check(m->problem, method, message, sizeof message);
    assert_true(status == CARDAN_OK || status == CARDAN_ERR_ARGUMENT);
    if (status < 0) {
        assert_true(strlen(message) > 30); /* a sentence */
        m->refused++;
        return;
    }
    double q[MOST], v[MOST], error_before = 0.0;
    for (int half = 1; half <= 2; half++) {
        lab_runs(m->problem, method, m->end, half * steps, q, v);
        double far = distance(q, m->q, m->nq) + distance(v, m->v, m->nv);
        if (half == 2 && !(far < 0.7 * error_before || far < 1e-9))
            fail_msg("%s, %s, %s, %s, %s: error %.3g after %d steps, %.3g after half of them", method->formulation,
                     method->stepper, method->directions, method->scaling, method->correction, far, 2 * steps,
                     error_before);
        error_before = far;
    }
    m->ran++;
}

static bool uses_directions(const char *formulation) {
    static const char *const names[] = {"stabilised", "stabilised_index2", "projected", "least_squares"};
    for (int i = 0; i < 4; i++)
        if (strcmp(formulation, names[i]) == 0) return true;
    return false;
}

static void every_combination_converges_on_a_model_or_is_refused_with_a_sentence(void **state) {
    CardanModel *model = loaded("double_pendulum");
    CardanSizes sizes = cardan_model_sizes(model);
    Matrix m = {problem_of(model, CARDAN_LAB_MECHANISM), sizes.coordinates, sizes.velocities, .end = 0.1};
    CardanLabMethod method = {DEFAULTED, .gamma = 0.0};
    int turn = 0;
    (void)state;
    engine_tight(model, m.end, m.q, m.v);
    for (int f = 0; (method.formulation = cardan_lab_name(CARDAN_LAB_FORMULATION, f)) != NULL; f++)
        for (int s = 0; (method.stepper = cardan_lab_name(CARDAN_LAB_STEPPER, s)) != NULL; s++)
            for (int d = 0; (method.directions = cardan_lab_name(CARDAN_LAB_DIRECTIONS, d)) != NULL; d++)
                for (int c = 0; (method.correction = cardan_lab_name(CARDAN_LAB_CORRECTION, c)) != NULL; c++)
                    if ((c == 0 ? d == 0 || uses_directions(method.formulation) : d == f % 3) && sample_has(turn++, 5))
                        try_one(&m, &method, 4);
    assert_int_equal(turn, 445 + 751);
    assert_int_equal(m.ran, SAMPLE_IS_PART ? m.ran : 445);
    assert_true(m.ran > 0 && m.refused > 0);
    cardan_lab_problem_destroy(m.problem);
    cardan_model_release(model);
}

/* ---- bodies in space ---- */

static void quaternions_are_coordinates_like_others(void **state) {
    static const struct {
        CardanLabMethod method;
        int order;
    } runs[] = {
        {{DEFAULTED, .stepper = "rk4"}, 4},
        {{DEFAULTED, .stepper = "rk4", .correction = "post", .passes = 2, .directions = "B", .scaling = "blocks"}, 4},
        {{DEFAULTED, .stepper = "heun", .formulation = "stabilised", .gamma = 5.0}, 2},
        {{DEFAULTED, .stepper = "backward_euler", .formulation = "direct"}, 1},
        {{DEFAULTED, .stepper = "half_explicit_midpoint", .formulation = "index2"}, 2},
        {{DEFAULTED, .stepper = "backward_euler", .formulation = "stabilised_index2", .directions = "G^T"}, 1},
        {{DEFAULTED, .stepper = "rk4", .formulation = "state_space"}, 4},
    };
    CardanModel *model = loaded("spatial_slider_crank");
    CardanSizes sizes = cardan_model_sizes(model);
    CardanLabProblem *problem = problem_of(model, CARDAN_LAB_MECHANISM);
    double q[MOST], v[MOST], lab_q[MOST], lab_v[MOST];
    (void)state;
    engine_tight(model, 0.05, q, v);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double far[2];
        for (int k = 0; k < 2; k++) {
            lab_runs(problem, &runs[i].method, 0.05, 6 << k, lab_q, lab_v);
            far[k] = distance(q, lab_q, sizes.coordinates) + distance(v, lab_v, sizes.velocities);
        }
        check_near(log2(far[0] / far[1]), runs[i].order, 0.4, "%s on %s", runs[i].method.stepper,
                   runs[i].method.formulation);
    }
    cardan_lab_problem_destroy(problem);
    cardan_model_release(model);
}

/* ---- the energy as an invariant ---- */

static void the_energy_of_a_model_is_kept_when_asked_for(void **state) {
    static const char *const names[] = {"double_pendulum", "heavy_top"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        CardanModel *model = loaded(names[i]);
        CardanLabProblem *problem = problem_of(model, CARDAN_LAB_ENERGY);
        double q[MOST], v[MOST], end = i == 0 ? 1.0 : 0.05;
        CardanLabMethod method = {DEFAULTED, .stepper = "heun"};
        double drift = lab_runs(problem, &method, end, 100, q, v).energy_max;
        method.correction = "project";
        method.tolerance = 1e-11; /* of the energy in J, too */
        double left = lab_runs(problem, &method, end, 100, q, v).energy_max;
        assert_true(drift > 1e-6);
        check_near(left, 0.0, 2e-11, "%s: energy", names[i]);
        cardan_lab_problem_destroy(problem);
        cardan_model_release(model);
    }
}

static void an_energy_that_is_not_kept_is_no_invariant(void **state) {
    CardanModel *model = loaded("slider_crank"); /* a motor drives it */
    CardanLabProblem *problem = problem_of(model, CARDAN_LAB_ENERGY);
    const CardanLabMethod method = {DEFAULTED, .stepper = "rk4"};
    const CardanLabSpan span = {DEFAULTED, .t1 = 0.1, .steps = 10};
    char message[512] = "";
    double z[MOST];
    (void)state;
    assert_int_equal(cardan_lab_problem_start(problem, z, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_lab_run(problem, &method, &span, z, NULL, message, sizeof message), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(message, "the energy is not kept"));
    cardan_lab_problem_destroy(problem);
    cardan_model_release(model);
}

/* ---- by tolerance ---- */

static void integrators_meet_their_tolerance_on_models(void **state) {
    static const CardanLabMethod methods[] = {
        {DEFAULTED, .stepper = "dop853", .rtol = 1e-9, .atol = 1e-9},
        {DEFAULTED, .stepper = "radau5", .rtol = 1e-8, .atol = 1e-8},
        {DEFAULTED, .stepper = "bdf", .rtol = 1e-9, .atol = 1e-9},
        {DEFAULTED, .stepper = "radau5", .rtol = 1e-8, .atol = 1e-8, .gamma = 20.0},
        {DEFAULTED, .stepper = "dop853", .formulation = "stabilised", .gamma = 20.0, .rtol = 1e-9, .atol = 1e-9},
        {DEFAULTED, .stepper = "dop853", .rtol = 1e-9, .atol = 1e-9, .regulariser = "trust", .epsilon = 1e-12},
    };
    CardanModel *model = loaded("four_bar");
    CardanSizes sizes = cardan_model_sizes(model);
    CardanLabProblem *problem = problem_of(model, CARDAN_LAB_MECHANISM);
    double q[MOST], v[MOST], lab_q[MOST], lab_v[MOST];
    (void)state;
    engine_tight(model, 0.5, q, v);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        CardanLabResult result = lab_runs(problem, &methods[i], 0.5, 0, lab_q, lab_v);
        check_near(distance(q, lab_q, sizes.coordinates), 0.0, 1e-6, "method %d: positions", (int)i);
        assert_true(result.rhs > 0 && result.steps > 0 && result.operations > 0.0);
    }
    cardan_lab_problem_destroy(problem);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_of_models_are_derivatives_of_each_other),
        cmocka_unit_test(index_reduction_with_rk4_is_what_the_engine_does),
        cmocka_unit_test(every_combination_converges_on_a_model_or_is_refused_with_a_sentence),
        cmocka_unit_test(quaternions_are_coordinates_like_others),
        cmocka_unit_test(the_energy_of_a_model_is_kept_when_asked_for),
        cmocka_unit_test(an_energy_that_is_not_kept_is_no_invariant),
        cmocka_unit_test(integrators_meet_their_tolerance_on_models),
    };
    return cmocka_run_group_tests(tests, NULL, clear_desk);
}
