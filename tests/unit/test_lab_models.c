/* Models as problems of the laboratory: their terms against differences and the engine, runs against its own, all
 * formulations on one mechanism, and the public interface. */
#include "support/check.h"
#include "support/desk.h"

#include "cardan/cardan.h"
#include "lab/law.h"
#include "lab/mechanism.h"
#include "support/random.h"

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
    CrdLabMark mark = crd_lab_mark(&desk);
    double *z = crd_lab_numbers(&desk, state, 1);
    CrdLabTerms terms;
    for (int i = 0; i < state; i++) z[i] = place->z[i] + s * place->along[i];
    if (crd_lab_terms(place->problem, place->t + place->clock * s, z, &desk, &terms) < 0) fail_msg("%s", error.text);
    crd_lab_invariant(place->problem, z, &terms, values, NULL);
    crd_lab_back(&desk, mark);
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
    CrdLabMark mark = crd_lab_mark(&desk);
    jacobian = crd_lab_numbers(&desk, all, state);
    assert_int_equal(crd_lab_terms(p, 0.3, z, &desk, &terms), 0);
    crd_lab_invariant(p, z, &terms, h, jacobian);
    crd_lab_add_product(all, state, 1, 1.0, jacobian, along, found);
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
    crd_lab_back(&desk, mark);
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
    options.stepper = CARDAN_RK4;
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
    CardanLabSpan span = {.t1 = end, .steps = steps};
    CardanLabResult result;
    double z[MOST];
    char message[1024];
    assert_true(cardan_lab_problem_sizes(problem).state <= MOST);
    assert_int_equal(cardan_lab_problem_start(problem, z), 0);
    if (cardan_lab_run(problem, method, &span, z, &result, message, sizeof message) < 0) fail_msg("%s", message);
    assert_int_equal(cardan_lab_problem_motion(problem, z, q, v), 0);
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
    } runs[] = {{"slider_crank", CARDAN_LAB_MECHANISM},
                {"slider_crank", CARDAN_LAB_INVARIANTS},
                {"four_bar", CARDAN_LAB_MECHANISM},
                {"double_four_bar", CARDAN_LAB_MECHANISM},
                {"double_pendulum", CARDAN_LAB_MECHANISM},
                {"planetary", CARDAN_LAB_MECHANISM},
                {"spatial_slider_crank", CARDAN_LAB_INVARIANTS},
                {"heavy_top", CARDAN_LAB_INVARIANTS},
                {"bead_on_curve", CARDAN_LAB_MECHANISM},
                {"rolling_disc", CARDAN_LAB_INVARIANTS},
                {"quarter_car", CARDAN_LAB_INVARIANTS},
                {"bricard", CARDAN_LAB_INVARIANTS}};
    const CardanLabMethod method = {.stepper = "rk4"};
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        CardanModel *model = loaded(runs[i].name);
        CardanSizes sizes = cardan_model_sizes(model);
        CardanLabProblem *problem = problem_of(model, runs[i].view);
        double q[MOST], v[MOST], lab_q[MOST], lab_v[MOST];
        engine_runs(model, 0.1, 20, q, v);
        CardanLabResult result = lab_runs(problem, &method, 0.1, 20, lab_q, lab_v);
        double scale = 1.0 + worst_of(v, sizes.velocities);
        check_near(distance(q, lab_q, sizes.coordinates), 0.0, 1e-10 * scale, "%s: positions", runs[i].name);
        check_near(distance(v, lab_v, sizes.velocities), 0.0, 1e-9 * scale, "%s: velocities", runs[i].name);
        assert_int_equal(result.rhs, 80);
        assert_int_equal(result.steps, 20);
        cardan_lab_problem_destroy(problem);
        cardan_model_release(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_of_models_are_derivatives_of_each_other),
        cmocka_unit_test(index_reduction_with_rk4_is_what_the_engine_does),
    };
    return cmocka_run_group_tests(tests, NULL, clear_desk);
}
