/* The laboratory: observed orders of every fixed-step stepper on every formulation that takes it, stabilisations, what
 * is refused, and failures that give no numbers. (The papers' tables: reference/test_papers.c.) */
#include "support/check.h"
#include "support/desk.h"

#include "lab/integrate.h"
#include "lab/method.h"
#include "lab/problems.h"

static const CrdLabStepper *const families[] = {crd_lab_explicit_family, crd_lab_one_stage_family,
                                                crd_lab_half_explicit_family};

/* ---- the slider-crank to t = END ---- */

#define END 3.0
enum { STATE = 8 };
static const double crank_angle[4] = {1.0, 0.0, 0.0, 0.0}; /* R: the coordinate of the state-space form */

static void slider_crank_exact(double *z) {
    CrdLabSetting setting = {
        .problem = &crd_lab_slider_crank, .formulation = &crd_lab_state_space, .selection = crank_angle};
    CrdLabTolerance tight = {.rtol = 1e-14, .atol = 1e-14};
    CrdLabSystem system = crd_lab_system(&setting);
    double u[2];
    assert_int_equal(crd_lab_open_chart(&setting, &desk), 0);
    assert_int_equal(crd_lab_enter_chart(&setting, 0.0, crd_lab_slider_crank_start, u, &desk), 0);
    assert_int_equal(crd_lab_dop853.run(&system, tight, 0.0, END, u, (CrdLabWatcher){0}, &desk), 0);
    assert_int_equal(crd_lab_leave_chart(&setting, END, u, z, &desk), 0);
}

static double slider_crank_error(const CrdLabMethod *method, int steps) {
    static double exact[STATE];
    double z[STATE];
    if (exact[0] == 0.0) slider_crank_exact(exact);
    memcpy(z, crd_lab_slider_crank_start, sizeof z);
    if (crd_lab_run(method, 0.0, END / steps, steps, z, (CrdLabObserver){0}, &desk) < 0)
        fail_msg("%s on %s: %s", method->stepper->name, method->setting.formulation->name, error.text);
    for (int i = 0; i < STATE; i++) z[i] -= exact[i];
    return norm_of(z, STATE);
}

/* ---- orders ---- */

typedef struct Case {
    const CrdLabFormulation *formulation;
    const CrdLabDirections *directions;
    unsigned rows;
    const CrdLabCorrection *correction;
    double gamma; /* of `stabilised`, and of Baumgarte's damping */
} Case;

static const Case cases[] = {
    {&crd_lab_reduced, NULL, 0, NULL, 0.0},
    {&crd_lab_reduced, NULL, 0, NULL, 2.0},
    {&crd_lab_reduced, &crd_lab_along_g, 0, &crd_lab_post, 0.0},
    {&crd_lab_reduced, &crd_lab_along_h, 0, &crd_lab_post, 0.0},
    {&crd_lab_reduced, &crd_lab_along_h, 0, &crd_lab_forward, 0.0},
    {&crd_lab_reduced, &crd_lab_along_h, 0, &crd_lab_backward, 0.0},
    {&crd_lab_reduced, &crd_lab_along_b, 0, &crd_lab_project, 0.0},
    {&crd_lab_stabilised, &crd_lab_along_h, 0, NULL, 2.0},
    {&crd_lab_state_space, NULL, 0, NULL, 0.0},
    {&crd_lab_index2, NULL, 0, NULL, 0.0},
    {&crd_lab_stabilised_index2, &crd_lab_along_g, 0, NULL, 0.0},
    {&crd_lab_projected, &crd_lab_along_g, CRD_LAB_POSITION, NULL, 0.0},
    {&crd_lab_projected, &crd_lab_along_h, 0, NULL, 0.0},
    {&crd_lab_overdetermined, &crd_lab_along_h, 0, NULL, 0.0},
};

static CrdLabMethod method_of(const Case *c, const CrdLabStepper *stepper) {
    CrdLabMethod method = {.setting = {.problem = &crd_lab_slider_crank,
                                       .formulation = c->formulation,
                                       .gamma = c->gamma,
                                       .selection = crank_angle},
                           .stepper = stepper};
    method.setting.stabiliser = (CrdLabStabiliser){.directions = c->directions,
                                                   .scaling = CRD_LAB_INVERSE,
                                                   .rows = c->rows,
                                                   .moved = c->rows,
                                                   .correction = c->correction};
    if (c->formulation == &crd_lab_reduced) crd_lab_damp(&method.setting.law, 2, c->gamma);
    return method;
}

/* Whether the parts fit, found without a step. */
static bool fits(const CrdLabMethod *method) {
    double z[STATE];
    memcpy(z, crd_lab_slider_crank_start, sizeof z);
    return crd_lab_run(method, 0.0, 0.01, 0, z, (CrdLabObserver){0}, &desk) >= 0;
}

/* Slope of log(error) over log(h), fitted to `sizes` numbers of steps that grow by half each time and stay even: the
 * midpoint rule on index 2 has a part that changes its sign with each step. */
static double observed_order(const CrdLabMethod *method, int steps, int sizes) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < sizes; i++, steps += 2 * (steps / 4)) {
        double x = -log(steps), y = log(slider_crank_error(method, steps));
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (sizes * sxy - sx * sy) / (sizes * sxx - sx * sx);
}

/* Orders to 4 are clean; the errors of dopri5 and dop853 on this motion meet rounding before they are asymptotic (their
 * coefficients and clean orders: test_tableau.c, test_runge_kutta.c). */
static const struct {
    int steps, sizes;
    double slack;
} fits_of_order[] = {[1] = {100, 3, 0.15}, [2] = {300, 3, 0.15}, [3] = {60, 4, 0.15},
                     [4] = {40, 4, 0.15},  [5] = {80, 2, 0.5},   [8] = {8, 3, 0.6}};

/* On index 2 half-explicit methods of order 4 lose one. */
static int expected_order(const CrdLabStepper *s) {
    return strcmp(s->name, "half_explicit_rk4") == 0 ? 3 : s->order;
}

static void every_stepper_has_its_order_on_every_formulation_that_takes_it(void **state) {
    int seen = 0;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t f = 0; f < sizeof families / sizeof *families; f++)
            for (const CrdLabStepper *s = families[f]; s->name != NULL; s++) {
                CrdLabMethod method = method_of(&cases[c], s);
                if (!fits(&method)) continue;
                int order = expected_order(s);
                double observed = observed_order(&method, fits_of_order[order].steps, fits_of_order[order].sizes);
                check_near(observed, order, fits_of_order[order].slack, "order of %s on %s, case %d", s->name,
                           cases[c].formulation->name, (int)c);
                seen++;
            }
    assert_int_equal(seen, 128);
}

/* ---- stabilisation ---- */

static double drift_after(const CrdLabMethod *method, int steps) {
    CrdLabTerms terms;
    double z[STATE], h[STATE];
    memcpy(z, crd_lab_slider_crank_start, sizeof z);
    assert_int_equal(crd_lab_run(method, 0.0, 0.05, steps, z, (CrdLabObserver){0}, &desk), 0);
    assert_int_equal(crd_lab_terms(&crd_lab_slider_crank, 0.05 * steps, z, &desk, &terms), 0);
    crd_lab_invariant(&crd_lab_slider_crank, z, &terms, h, NULL);
    return worst_of(h, 6);
}

static void projection_meets_its_tolerance_and_baumgarte_with_gamma_one_over_h_damps_drift(void **state) {
    (void)state;
    Case projected = {&crd_lab_reduced, &crd_lab_along_h, 0, &crd_lab_project, 0.0};
    Case plain = {&crd_lab_reduced, NULL, 0, NULL, 0.0};
    CrdLabMethod method = method_of(&projected, crd_lab_stepper("euler"));
    assert_true(drift_after(&method, 60) <= 1e-12);
    method = method_of(&plain, crd_lab_stepper("euler"));
    double free = drift_after(&method, 60);
    method.setting.law.inverse_step = true;
    assert_true(drift_after(&method, 60) < 0.1 * free);
}

static void automatic_state_space_coordinates_follow_the_pendulum_round(void **state) {
    CrdLabMethod method = {.setting = {.problem = &crd_lab_pendulum, .formulation = &crd_lab_state_space},
                           .stepper = crd_lab_stepper("rk4")};
    double z[4] = {1.0, 0.0, 0.0, 8.0}; /* fast enough to go over the top, where both coordinates turn back */
    (void)state;
    assert_int_equal(crd_lab_run(&method, 0.0, 1e-3, 2000, z, (CrdLabObserver){0}, &desk), 0);
    double energy = 0.5 * (z[2] * z[2] + z[3] * z[3]) + 9.81 * z[1];
    check_near(energy, 32.0, 1e-5, "energy");
    check_near(z[0] * z[0] + z[1] * z[1], 1.0, 1e-13, "length");
}

/* ---- what is refused ---- */

static void refused(const CrdLabMethod *method, const char *reason) {
    double z[STATE] = {1.0, 1.0, 1.0, 1.0};
    crd_error_clear(&error);
    assert_int_equal(crd_lab_run(method, 0.0, 0.01, 1, z, (CrdLabObserver){0}, &desk), CARDAN_ERR_ARGUMENT);
    if (strstr(error.text, reason) == NULL) fail_msg("'%s' does not say '%s'", error.text, reason);
    assert_true(z[0] == 1.0 && z[1] == 1.0);
}

static void what_does_not_fit_is_refused_with_the_reason(void **state) {
    static const double nu = 1.0;
    CrdLabProblem skew = crd_lab_skew(&nu);
    const struct {
        const CrdLabProblem *problem;
        const CrdLabFormulation *formulation;
        const char *stepper;
        CrdLabStabiliser stabiliser;
        const char *reason;
    } table[] = {
        {&skew, &crd_lab_as_it_stands, "rk4", {0}, "cannot solve the algebraic equations"},
        {&skew, &crd_lab_as_it_stands, "trapezoidal", {0}, "multipliers that no equation gives"},
        {&skew, &crd_lab_reduced, "half_explicit_rk4", {0}, "no algebraic equations"},
        {&crd_lab_pendulum, &crd_lab_as_it_stands, "half_explicit_euler", {0}, "index 3"},
        {&skew, &crd_lab_index2, "backward_euler", {0}, "a problem of order 1"},
        {&skew, &crd_lab_projected, "backward_euler", {0}, "needs the directions D"},
        {&crd_lab_kepler, &crd_lab_as_it_stands, "backward_euler", {0}, "a problem of order 0"},
        {&crd_lab_kepler, &crd_lab_stabilised, "rk4", {.directions = &crd_lab_along_b}, "has no B"},
        {&crd_lab_swing, &crd_lab_stabilised, "rk4", {.directions = &crd_lab_along_h}, "no invariants"},
        {&skew, &crd_lab_reduced, "rk4", {.directions = &crd_lab_along_given}, "no matrix is given"},
        {&skew, &crd_lab_reduced, "rk4", {.correction = &crd_lab_post}, "needs directions D"},
        {&skew,
         &crd_lab_reduced,
         "rk4",
         {.directions = &crd_lab_along_g, .correction = &crd_lab_project},
         "inverse of H D"},
        {&skew, &crd_lab_overdetermined, "implicit_midpoint", {.directions = &crd_lab_along_g}, "least squares"},
        {&skew, &crd_lab_state_space, "adams_bashforth2", {0}, "changes its coordinates"},
        {&crd_lab_crossing, &crd_lab_state_space, "rk4", {0}, "leave no coordinate free"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CrdLabMethod method = {.setting = {.problem = table[i].problem,
                                           .formulation = table[i].formulation,
                                           .stabiliser = table[i].stabiliser},
                               .stepper = crd_lab_stepper(table[i].stepper)};
        refused(&method, table[i].reason);
    }
}

static void a_problem_beyond_the_laboratory_is_refused(void **state) {
    CrdLabProblem large = crd_lab_pendulum;
    (void)state;
    large.n = CRD_LAB_SIZE + 1;
    assert_int_equal(crd_lab_check_problem(&large, NULL), CARDAN_ERR_LIMIT);
    large.n = 0;
    assert_int_equal(crd_lab_check_problem(&large, NULL), CARDAN_ERR_ARGUMENT);
}

/* ---- failures ---- */

static void backward_euler_on_the_coupled_problem_reports_its_singular_matrix(void **state) {
    static const double eta = -1.0;
    CrdLabSystem system = crd_lab_coupled(&eta);
    CrdLabStepping stepping;
    double y[2] = {0.0, -1.0};
    (void)state;
    crd_error_clear(&error);
    assert_int_equal(crd_lab_stepping_begin(&stepping, crd_lab_stepper("backward_euler"), &system, &desk), 0);
    assert_int_equal(crd_lab_step(&stepping, 0.0, 0.1, y), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(error.text, "step matrix of backward_euler is singular at t = 0.1"));
}

static void a_dead_centre_stops_baumgarte_and_not_the_regularised_forms(void **state) {
    static const CrdLabRegulariser *const kinds[] = {&crd_lab_regular, &crd_lab_direct, &crd_lab_trust};
    (void)state;
    for (int k = 0; k < 3; k++) {
        CrdLabMethod method = {.setting = {.problem = &crd_lab_crossing, .formulation = &crd_lab_reduced},
                               .stepper = crd_lab_stepper("euler")};
        method.setting.law = (CrdLabLaw){.damping = {1.0}, .regulariser = kinds[k], .eps = 1e-3};
        double e = 0.0; /* at t = 0 itself G B = 0 */
        crd_error_clear(&error);
        CardanStatus status = crd_lab_run(&method, -1.0, 0.25, 8, &e, (CrdLabObserver){0}, &desk);
        assert_int_equal(status, k == 0 ? CARDAN_ERR_NUMERIC : CARDAN_OK);
        if (k == 0) assert_non_null(strstr(error.text, "G B of the constraints is singular at t = 0"));
    }
}

static void singular_and_not_finite_matrices_give_no_solution(void **state) {
    CrdLabPlace place = {"matrix", 2.0, &desk};
    double twin[4] = {1.0, 2.0, 2.0, 4.0}, zero[4] = {1.0, 0.0, 1.0, 0.0}, broken[4] = {1.0, (double)NAN, 0.0, 1.0};
    double scaled[4] = {1e-150, 0.0, 0.0, 1e150}, b[2] = {1.0, 1.0};
    (void)state;
    crd_error_clear(&error);
    assert_int_equal(crd_lab_solve(place, 2, 1, twin, b), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(error.text, "matrix is singular at t = 2"));
    assert_int_equal(crd_lab_solve(place, 2, 1, zero, b), CARDAN_ERR_NUMERIC);
    assert_int_equal(crd_lab_solve(place, 2, 1, broken, b), CARDAN_ERR_NUMERIC);
    b[0] = b[1] = 1.0;
    assert_int_equal(crd_lab_solve(place, 2, 1, scaled, b), CARDAN_OK); /* units are not dependence */
    check_near(b[0], 1e150, 1e136, "x0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_has_its_order_on_every_formulation_that_takes_it),
        cmocka_unit_test(projection_meets_its_tolerance_and_baumgarte_with_gamma_one_over_h_damps_drift),
        cmocka_unit_test(automatic_state_space_coordinates_follow_the_pendulum_round),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_reason),
        cmocka_unit_test(a_problem_beyond_the_laboratory_is_refused),
        cmocka_unit_test(backward_euler_on_the_coupled_problem_reports_its_singular_matrix),
        cmocka_unit_test(a_dead_centre_stops_baumgarte_and_not_the_regularised_forms),
        cmocka_unit_test(singular_and_not_finite_matrices_give_no_solution),
    };
    return cmocka_run_group_tests(tests, NULL, clear_desk);
}
