/* What post-stabilisation leaves: the slider-crank of Ascher, Chin, Reich (TR 92-17, Example 4) over 3 s with fixed
 * steps of Euler, the explicit midpoint rule and RK4, and the largest |g| and |G v| (2-norm) over all steps.
 *
 * A step of order p leaves O(h^(p+1)). With fresh factors: full form once 2(p+1) in positions and velocities; block
 * form once 2(p+1) in positions but only p+1 in velocities; block form twice 2(p+1). The numbers expected are those of
 * an independent computation of the paper's method. With the kept factor the orders are lower for methods whose last
 * stage stands far from the step's end; they are measured here and written up in docs/DRIFT.md.
 *
 * The engine repeats passes until the residual is a small part of the tolerance, so the tolerances are set huge: what
 * is left is what the passes alone leave. */
#include "support/check.h"
#include "support/paper_slider_crank.h"
#include "support/reading.h"
#include "support/scene.h"

static const double END = 3.0;

/* Residuals of positions of size 3 and velocities of size 1 rounded in a few operations. */
static const double ROUNDING = 2e-15;

typedef struct Drift {
    double position, velocity; /* largest over the steps */
    double slider;             /* r cos theta + l cos psi at the end */
    CardanWork work;
} Drift;

typedef struct Scheme {
    const char *name;
    CardanStabiliseMethod method;
    CardanStabiliseForm form;
    CardanMetric metric;
    int passes, freeze;
} Scheme;

static CardanOptions options_of(const Scheme *s, CardanStepper stepper, int steps) {
    CardanOptions o = scene_fixed(stepper, END / steps);
    o.rtol = o.atol = 1e3;
    o.stabilise.method = s->method;
    o.stabilise.form = s->form;
    o.stabilise.metric = s->metric;
    o.stabilise.passes = s->passes;
    o.stabilise.freeze = s->freeze;
    return o;
}

static Drift run(const CardanModel *model, const CardanOptions *options) {
    CardanSim *sim = scene_start(model, options);
    Drift drift = {0};
    const double *q, *v;
    double g[3], rate[3];
    do {
        if (cardan_sim_step(sim, END) < 0) fail_msg("%s", cardan_sim_message(sim));
        q = cardan_sim_positions(sim);
        v = cardan_sim_velocities(sim);
        paper_slider_crank_residuals(q, v, g, rate);
        drift.position = fmax(drift.position, norm_of(g, 3));
        drift.velocity = fmax(drift.velocity, norm_of(rate, 3));
    } while (cardan_sim_time(sim) < END);
    drift.slider = cos(q[0]) + 3.0 * cos(q[3]);
    drift.work = work_of(sim);
    cardan_sim_destroy(sim);
    return drift;
}

static Drift run_scheme(const CardanModel *model, const Scheme *scheme, CardanStepper stepper, int steps) {
    CardanOptions options = options_of(scheme, stepper, steps);
    Drift drift = run(model, &options);
    assert_int_equal(drift.work.steps, steps);
    assert_int_equal(drift.work.refreshed, 0); /* no pass but those asked for */
    return drift;
}

enum { EULER, MIDPOINT, RK4, METHODS };
static const CardanStepper STEPPERS[METHODS] = {CARDAN_STEPPER_EULER, CARDAN_STEPPER_MIDPOINT, CARDAN_STEPPER_RK4};
static const int ORDER[METHODS] = {1, 2, 4};

static const Scheme NONE = {"none", CARDAN_STABILISE_NONE, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_EUCLID, 2, 0};
static const Scheme FULL = {"full", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_FULL, CARDAN_METRIC_EUCLID, 1, 0};
static const Scheme ONCE = {
    "block once", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_EUCLID, 1, 0};
static const Scheme TWICE = {
    "block twice", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_EUCLID, 2, 0};
static const Scheme FULL_MASS = {
    "full, mass", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_FULL, CARDAN_METRIC_MASS, 1, 0};
static const Scheme ONCE_MASS = {
    "block once, mass", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_MASS, 1, 0};
static const Scheme TWICE_MASS = {
    "block twice, mass", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_MASS, 2, 0};
static const Scheme ONCE_KEPT = {
    "block once, mass, kept factor", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_MASS, 1, 1};
static const Scheme TWICE_KEPT = {
    "block twice, mass, kept factor", CARDAN_STABILISE_POST, CARDAN_STABILISE_FORM_BLOCK, CARDAN_METRIC_MASS, 2, 1};

/* ---- the paper's numbers ---- */

typedef struct Expected {
    const Scheme *scheme;
    int method, steps[3];
    double position[3], velocity[3], error[3];
} Expected;

static const Expected TABLE[] = {
    {&NONE,
     EULER,
     {60, 120, 240},
     {1.0562370e-01, 5.2576546e-02, 2.6229321e-02},
     {4.4082764e-02, 2.1798480e-02, 1.0839577e-02},
     {1.7503e-02, 8.6795e-03, 4.3225e-03}},
    {&NONE,
     MIDPOINT,
     {60, 120, 240},
     {1.1774042e-03, 2.9509352e-04, 7.3868736e-05},
     {3.8408851e-04, 9.5403306e-05, 2.3776132e-05},
     {2.9827e-05, 7.8959e-06, 2.0284e-06}},
    {&NONE,
     RK4,
     {15, 30, 60},
     {3.5248573e-05, 2.2544044e-06, 1.4232526e-07},
     {2.0691150e-05, 1.2972544e-06, 8.1105842e-08},
     {1.5486e-07, 5.9682e-09, 2.6838e-10}},
    {&FULL,
     EULER,
     {60, 120, 240},
     {2.6823060e-07, 1.5804751e-08, 9.5855002e-10},
     {3.4981086e-07, 2.0027668e-08, 1.1987672e-09},
     {1.5609e-02, 8.2133e-03, 4.2026e-03}},
    {&FULL,
     MIDPOINT,
     {60, 120, 240},
     {1.3879504e-10, 2.1962610e-12, 3.4631307e-14},
     {1.6605062e-10, 2.5949271e-12, 4.0741706e-14},
     {5.8184e-05, 1.3317e-05, 3.1745e-06}},
    {&FULL,
     RK4,
     {15, 30, 60},
     {2.7998109e-12, 3.3539774e-15, 0},
     {2.2935246e-12, 2.1013739e-15, 0},
     {6.1278e-07, 3.6404e-08, 2.1962e-09}},
    {&ONCE,
     EULER,
     {60, 120, 240},
     {2.6901039e-07, 1.5798293e-08, 9.5763494e-10},
     {7.0101761e-04, 1.7353042e-04, 4.3124720e-05},
     {1.5230e-02, 7.9829e-03, 4.0767e-03}},
    {&ONCE,
     MIDPOINT,
     {60, 120, 240},
     {1.5242538e-10, 2.3951256e-12, 3.7567231e-14},
     {1.8676132e-05, 2.3406902e-06, 2.9300306e-07},
     {5.6263e-05, 1.2867e-05, 3.0664e-06}},
    {&ONCE,
     RK4,
     {15, 30, 60},
     {2.1922307e-12, 2.2779872e-15, 0},
     {2.2339589e-06, 7.0924840e-08, 2.2282697e-09},
     {9.3204e-07, 5.9528e-08, 3.7003e-09}},
    {&TWICE,
     EULER,
     {60, 120, 240},
     {8.3237116e-15, 0, 0},
     {1.4300038e-07, 8.3542277e-09, 5.0495466e-10},
     {1.5183e-02, 7.9691e-03, 4.0730e-03}},
    {&TWICE,
     MIDPOINT,
     {60, 120, 240},
     {0, 0, 0},
     {4.4508145e-11, 7.0782389e-13, 1.1271669e-14},
     {5.6698e-05, 1.2925e-05, 3.0741e-06}},
    {&TWICE, RK4, {15, 30, 60}, {0, 0, 0}, {6.5990339e-13, 0, 0}, {8.9371e-07, 5.8166e-08, 3.6484e-09}},
    {&ONCE_MASS,
     EULER,
     {60, 120, 240},
     {2.5456070e-07, 1.5492739e-08, 9.5499101e-10},
     {2.3114863e-04, 5.8014354e-05, 1.4524765e-05},
     {8.1433e-03, 4.1837e-03, 2.1193e-03}},
    {&ONCE_MASS,
     MIDPOINT,
     {60, 120, 240},
     {6.7854007e-11, 1.0712651e-12, 1.7203084e-14},
     {4.7546200e-06, 5.9311372e-07, 7.4031471e-08},
     {2.5265e-05, 5.9911e-06, 1.4568e-06}},
    {&ONCE_MASS,
     RK4,
     {15, 30, 60},
     {1.2098345e-12, 1.3833308e-15, 0},
     {4.6233191e-07, 1.3699237e-08, 4.1932706e-10},
     {5.4354e-07, 3.2951e-08, 2.0194e-09}},
    {&TWICE_MASS,
     EULER,
     {60, 120, 240},
     {1.5671458e-15, 0, 0},
     {2.6832385e-08, 1.6413052e-09, 1.0140628e-10},
     {8.1378e-03, 4.1822e-03, 2.1189e-03}},
    {&TWICE_MASS,
     MIDPOINT,
     {60, 120, 240},
     {0, 0, 0},
     {3.8043051e-12, 5.6943430e-14, 0},
     {2.5180e-05, 5.9803e-06, 1.4554e-06}},
    {&TWICE_MASS, RK4, {15, 30, 60}, {0, 0, 0}, {5.5246091e-14, 0, 0}, {5.4040e-07, 3.2820e-08, 2.0148e-09}},
};

static double slider_at_end(const CardanModel *model) {
    CardanOptions options = scene_tight(1e-13, 1e-14);
    return run(model, &options).slider;
}

/* 8 digits are given of drifts, 5 of errors; zeros stand for rounding. */
static void drifts_and_errors_are_those_of_the_paper(void **state) {
    (void)state;
    CardanModel *model = scene_compile(paper_slider_crank());
    double slider = slider_at_end(model);
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++) {
        const Expected *e = &TABLE[i];
        for (int k = 0; k < 3; k++) {
            Drift drift = run_scheme(model, e->scheme, STEPPERS[e->method], e->steps[k]);
            check_near(drift.position, e->position[k], 1e-7 * e->position[k] + ROUNDING, "%s, order %d, %d steps: |g|",
                       e->scheme->name, ORDER[e->method], e->steps[k]);
            check_near(drift.velocity, e->velocity[k], 1e-7 * e->velocity[k] + ROUNDING,
                       "%s, order %d, %d steps: |G v|", e->scheme->name, ORDER[e->method], e->steps[k]);
            check_near(fabs(drift.slider - slider), e->error[k], 1e-4 * e->error[k] + 1e-13,
                       "%s, order %d, %d steps: error", e->scheme->name, ORDER[e->method], e->steps[k]);
        }
    }
    cardan_model_release(model);
}

/* ---- orders ---- */

/* Numbers of steps whose drifts lie between the first terms' reach and rounding. */
static const int STEPS[METHODS][2] = {{480, 960}, {30, 60}, {8, 20}},
                 KEPT_STEPS[METHODS][2] = {{480, 960}, {240, 480}, {8, 20}};

typedef struct Orders {
    double position, velocity;
} Orders;

static Orders orders_of(const CardanModel *model, const Scheme *scheme, int method) {
    const int *n = scheme->freeze > 0 ? KEPT_STEPS[method] : STEPS[method];
    Drift one = run_scheme(model, scheme, STEPPERS[method], n[0]),
          two = run_scheme(model, scheme, STEPPERS[method], n[1]);
    double refine = log((double)n[1] / n[0]);
    return (Orders){log(one.position / two.position) / refine, log(one.velocity / two.velocity) / refine};
}

/* The observed order: RK4 is seen with steps of 0.15 to 0.4 s, where higher terms still count. */
static void check_order(double observed, int expected, int method, const char *what) {
    double slack = method == RK4 ? 0.6 : 0.15;
    char sentence[128];
    snprintf(sentence, sizeof sentence, "%s, order %d", what, ORDER[method]);
    check_between(observed, expected - slack, expected + slack, sentence);
}

static void the_full_form_once_squares_the_residual_of_a_step(void **state) {
    (void)state;
    CardanModel *model = scene_compile(paper_slider_crank());
    const Scheme *schemes[] = {&FULL, &FULL_MASS};
    for (int s = 0; s < 2; s++)
        for (int m = 0; m < METHODS; m++) {
            Orders orders = orders_of(model, schemes[s], m);
            check_order(orders.position, 2 * (ORDER[m] + 1), m, schemes[s]->name);
            check_order(orders.velocity, 2 * (ORDER[m] + 1), m, schemes[s]->name);
        }
    cardan_model_release(model);
}

static void the_block_form_once_does_so_for_positions_only(void **state) {
    (void)state;
    CardanModel *model = scene_compile(paper_slider_crank());
    const Scheme *schemes[] = {&ONCE, &ONCE_MASS};
    for (int s = 0; s < 2; s++)
        for (int m = 0; m < METHODS; m++) {
            Orders orders = orders_of(model, schemes[s], m);
            check_order(orders.position, 2 * (ORDER[m] + 1), m, schemes[s]->name);
            check_order(orders.velocity, ORDER[m] + 1, m, schemes[s]->name);
        }
    cardan_model_release(model);
}

static void the_block_form_twice_does_so_for_velocities_too(void **state) {
    (void)state;
    CardanModel *model = scene_compile(paper_slider_crank());
    const Scheme *schemes[] = {&TWICE, &TWICE_MASS};
    for (int s = 0; s < 2; s++)
        for (int m = 0; m < METHODS; m++) {
            check_order(orders_of(model, schemes[s], m).velocity, 2 * (ORDER[m] + 1), m, schemes[s]->name);
            Drift drift = run_scheme(model, schemes[s], STEPPERS[m], STEPS[m][1]);
            check_near(drift.position, 0.0, ROUNDING, "positions after two passes, order %d", ORDER[m]);
        }
    cardan_model_release(model);
}

/* The kept factor S_k of the last stage, a distance O(h^s) from the step's end, leaves (I - S S_k^-1) of a residual, so
 * a pass gains O(h^s) instead of squaring: s = 1 for Euler and midpoint. Positions after one and two passes: p+1+s,
 * p+1+2s; velocities p+1 and, moved by the second correction of positions, p+1+s. The last stage of RK4 is within
 * O(h^3) of the step's end: s = 3. */
static void a_kept_factor_gains_by_the_distance_of_the_last_stage(void **state) {
    (void)state;
    CardanModel *model = scene_compile(paper_slider_crank());
    static const int distance[METHODS] = {1, 1, 3};
    for (int m = 0; m < METHODS; m++) {
        int p1 = ORDER[m] + 1, s = distance[m];
        Orders once = orders_of(model, &ONCE_KEPT, m), twice = orders_of(model, &TWICE_KEPT, m);
        check_order(once.position, p1 + s, m, "kept factor, positions once");
        check_order(once.velocity, p1, m, "kept factor, velocities once");
        check_order(twice.position, p1 + 2 * s, m, "kept factor, positions twice");
        check_order(twice.velocity, p1 + s, m, "kept factor, velocities twice");
    }
    cardan_model_release(model);
}

/* ... and this is why the engine looks at what is left: at a tolerance that means something, a step whose residual is
 * not a small part of it gets a fresh factor. */
static void the_guard_refreshes_a_kept_factor_that_is_not_good_enough(void **state) {
    (void)state;
    CardanModel *model = scene_compile(paper_slider_crank());
    CardanOptions options = options_of(&TWICE_KEPT, CARDAN_STEPPER_EULER, 60);
    options.rtol = options.atol = 1e-8;
    Drift guarded = run(model, &options), bare = run_scheme(model, &TWICE_KEPT, CARDAN_STEPPER_EULER, 60);
    assert_true(guarded.work.refreshed > 0);
    /* allowed is 0.01 (atol + rtol size) with sizes and speeds below 4: 5e-10 */
    check_between(guarded.position, 0.0, 5e-10, "position residual under guard");
    check_between(guarded.velocity, 0.0, 5e-10, "velocity residual under guard");
    assert_true(bare.velocity > 1e4 * guarded.velocity);
    /* one Euler step leaves 2e-3: with a fine step two passes are enough */
    options = options_of(&TWICE_KEPT, CARDAN_STEPPER_RK4, 60);
    options.rtol = options.atol = 1e-8;
    Drift fine = run(model, &options);
    assert_int_equal(fine.work.refreshed, 0);
    check_between(fine.velocity, 0.0, 5e-10, "velocity residual of fine steps");
    cardan_model_release(model);
}

/* Levels: only what is asked for is corrected. */
static void one_level_alone_leaves_the_other_drifting(void **state) {
    (void)state;
    CardanModel *model = scene_compile(paper_slider_crank());
    CardanOptions options = options_of(&TWICE, CARDAN_STEPPER_MIDPOINT, 60);
    options.stabilise.levels = CARDAN_LEVELS_POSITION;
    Drift position = run(model, &options);
    options.stabilise.levels = CARDAN_LEVELS_VELOCITY;
    Drift velocity = run(model, &options);
    check_near(position.position, 0.0, ROUNDING, "positions when they are corrected");
    check_between(position.velocity, 1e-4, 1e-2, "velocities when only positions are");
    check_between(velocity.position, 1e-4, 1e-2, "positions when only velocities are");
    check_near(velocity.velocity, 0.0, ROUNDING, "velocities when they are corrected");
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drifts_and_errors_are_those_of_the_paper),
        cmocka_unit_test(the_full_form_once_squares_the_residual_of_a_step),
        cmocka_unit_test(the_block_form_once_does_so_for_positions_only),
        cmocka_unit_test(the_block_form_twice_does_so_for_velocities_too),
        cmocka_unit_test(a_kept_factor_gains_by_the_distance_of_the_last_stage),
        cmocka_unit_test(the_guard_refreshes_a_kept_factor_that_is_not_good_enough),
        cmocka_unit_test(one_level_alone_leaves_the_other_drifting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
