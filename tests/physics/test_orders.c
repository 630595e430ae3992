/* Observed order of every stepper, post-stabilised as by default, with fixed steps on nonlinear mechanisms: a double
 * pendulum, a chain in space, and a slider-crank swinging. The error is the largest of all coordinates and velocities
 * at eight times (at one alone the leading term may happen to be small) against DOP853 at 1e-13; the order is the slope
 * of log error over log step, fitted over a range of steps.
 *
 * The steps of each method lie where its leading error term rules: small enough that the next term is a few per cent,
 * large enough that rounding is. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/scene.h"

enum { COUNTS = 4, LENGTH_MAX = 32, TIMES = 8 };

typedef struct Range {
    CardanStepper stepper;
    int steps[COUNTS];
    double low, high; /* what the slope must lie in */
} Range;

static const double SLACK = 0.15;

typedef struct Problem {
    const char *name;
    CardanModel *model;
    double end;
    int nq, nv;
    double exact[TIMES][LENGTH_MAX];
} Problem;

static void read_state(CardanSim *sim, const Problem *p, double *out) {
    memcpy(out, cardan_sim_positions(sim), (size_t)p->nq * sizeof *out);
    memcpy(out + p->nq, cardan_sim_velocities(sim), (size_t)p->nv * sizeof *out);
}

static Problem problem_of(const char *name, CardanModel *model, double end) {
    CardanSizes sizes = cardan_model_sizes(model);
    Problem p = {.name = name, .model = model, .end = end, .nq = sizes.coordinates, .nv = sizes.velocities};
    assert_true(p.nq + p.nv <= LENGTH_MAX);
    CardanOptions options = scene_tight(1e-13, 1e-14);
    CardanSim *sim = scene_start(model, &options);
    for (int k = 0; k < TIMES; k++) {
        scene_advance(sim, end * (k + 1) / TIMES);
        read_state(sim, &p, p.exact[k]);
    }
    cardan_sim_destroy(sim);
    return p;
}

static double error_of(const Problem *p, CardanStepper stepper, int steps) {
    CardanOptions options = scene_fixed(stepper, p->end / steps);
    CardanSim *sim = scene_start(p->model, &options);
    double state[LENGTH_MAX], worst = 0.0;
    assert_int_equal(steps % TIMES, 0);
    for (int k = 0; k < TIMES; k++) {
        scene_advance(sim, p->end * (k + 1) / TIMES);
        read_state(sim, p, state);
        for (int i = 0; i < p->nq + p->nv; i++) worst = fmax(worst, fabs(state[i] - p->exact[k][i]));
    }
    assert_int_equal(cardan_sim_work(sim).steps, steps);
    cardan_sim_destroy(sim);
    return worst;
}

/* Least squares slope of log error over log step. */
static double fitted_order(const Problem *p, const Range *range) {
    double x[COUNTS], y[COUNTS], mx = 0.0, my = 0.0, top = 0.0, bottom = 0.0;
    for (int i = 0; i < COUNTS; i++) {
        x[i] = log(p->end / range->steps[i]);
        y[i] = log(error_of(p, range->stepper, range->steps[i]));
        mx += x[i] / COUNTS;
        my += y[i] / COUNTS;
    }
    for (int i = 0; i < COUNTS; i++) {
        top += (x[i] - mx) * (y[i] - my);
        bottom += (x[i] - mx) * (x[i] - mx);
    }
    return top / bottom;
}

static void check_orders(const Problem *p, const Range *ranges) {
    for (int i = 0; i < CARDAN_STEPPERS; i++) {
        char sentence[128];
        assert_int_equal(ranges[i].stepper, i); /* none left out */
        snprintf(sentence, sizeof sentence, "%s: order of %s", p->name, cardan_stepper_name(ranges[i].stepper));
        check_between(fitted_order(p, &ranges[i]), ranges[i].low, ranges[i].high, sentence);
    }
}

static void steppers_have_their_order_on_a_double_pendulum(void **state) {
    (void)state;
    const Range ranges[] = {{CARDAN_EULER, {8000, 12000, 16000, 24000}, 1.0 - SLACK, 1.0 + SLACK},
                            {CARDAN_MIDPOINT, {800, 1200, 1600, 2400}, 2.0 - SLACK, 2.0 + SLACK},
                            {CARDAN_HEUN, {800, 1200, 1600, 2400}, 2.0 - SLACK, 2.0 + SLACK},
                            {CARDAN_KUTTA3, {400, 600, 800, 1200}, 3.0 - SLACK, 3.0 + SLACK},
                            {CARDAN_RK4, {200, 304, 400, 600}, 4.0 - SLACK, 4.0 + SLACK},
                            {CARDAN_DOPRI5, {240, 320, 400, 560}, 5.0 - SLACK, 5.0 + SLACK},
                            {CARDAN_DOP853, {48, 56, 64, 72}, 7.5, 9.0}};
    Problem p = problem_of("double pendulum", scene_compile(mechanism_chain(CARDAN_PLANAR, 2)), 1.0);
    check_orders(&p, ranges);
    cardan_model_release(p.model);
}

/* A spatial chain has quaternions, whose lengths the stabiliser restores. */
static void steppers_have_their_order_on_a_chain_in_space(void **state) {
    (void)state;
    const Range ranges[] = {{CARDAN_EULER, {4000, 6000, 8000, 12000}, 1.0 - SLACK, 1.0 + SLACK},
                            {CARDAN_MIDPOINT, {400, 600, 800, 1200}, 2.0 - SLACK, 2.0 + SLACK},
                            {CARDAN_HEUN, {400, 600, 800, 1200}, 2.0 - SLACK, 2.0 + SLACK},
                            {CARDAN_KUTTA3, {200, 304, 400, 600}, 3.0 - SLACK, 3.0 + SLACK},
                            {CARDAN_RK4, {120, 160, 200, 304}, 4.0 - SLACK, 4.0 + SLACK},
                            {CARDAN_DOPRI5, {80, 120, 160, 200}, 5.0 - SLACK, 5.0 + SLACK},
                            {CARDAN_DOP853, {8, 16, 24, 32}, 7.5, 9.0}};
    CardanBuilder *b = mechanism_chain(CARDAN_SPATIAL, 2);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 4.0}); /* so that both hinges move */
    Problem p = problem_of("chain in space", scene_compile(b), 0.6);
    check_orders(&p, ranges);
    cardan_model_release(p.model);
}

static void steppers_have_their_order_on_a_slider_crank(void **state) {
    (void)state;
    const Range ranges[] = {{CARDAN_EULER, {8000, 12000, 16000, 24000}, 1.0 - SLACK, 1.0 + SLACK},
                            {CARDAN_MIDPOINT, {800, 1200, 1600, 2400}, 2.0 - SLACK, 2.0 + SLACK},
                            {CARDAN_HEUN, {800, 1200, 1600, 2400}, 2.0 - SLACK, 2.0 + SLACK},
                            {CARDAN_KUTTA3, {400, 600, 800, 1200}, 3.0 - SLACK, 3.0 + SLACK},
                            {CARDAN_RK4, {80, 120, 160, 240}, 4.0 - SLACK, 4.0 + SLACK},
                            {CARDAN_DOPRI5, {80, 120, 160, 200}, 5.0 - SLACK, 5.0 + SLACK},
                            {CARDAN_DOP853, {16, 24, 32, 40}, 7.5, 9.0}};
    CardanBuilder *b = mechanism_slider_crank(0.2, 0.4, 0.9);
    cardan_builder_set_start_rate(b, (CardanJoint){1}, 3.0);
    Problem p = problem_of("slider-crank", scene_compile(b), 0.5);
    check_orders(&p, ranges);
    cardan_model_release(p.model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steppers_have_their_order_on_a_double_pendulum),
        cmocka_unit_test(steppers_have_their_order_on_a_chain_in_space),
        cmocka_unit_test(steppers_have_their_order_on_a_slider_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
