/* Steps laid to cross a singular pose (guard/singular/crossing.c), on singularity measures that are made up: they fall
 * and rise in proportion to the distance from the pose, as those of mechanisms do beside one. What stages foresee must
 * be what the end of the step would ask for. */
#include "support/check.h"

#include "core/numbers.h"
#include "guard/singular/singular.h"
#include "integrate/methods/tableau.h"

#include <math.h>

static const double CLEAR = 0.06;    /* steps between a pose and the nearest node */
static const double SLOPE = 0.55;    /* of the measure, a step */
static const double AHEAD = 0.45;    /* steps from the end to a pose */
static const double STEP = 0.125;    /* s */
static const double BEGINS_AT = 3.0; /* s */

/* An attempt over a pose at `pose`, in steps. */
typedef struct Crossing {
    CrdIntegrator integrator;
    double pose, bias; /* pivots of S show the measure from 0.3 on times this */
} Crossing;

static Crossing crossing(const CrdMethod *method, double pose) {
    Crossing out = {.pose = pose, .bias = 1.0};
    out.integrator.stepper.method = method;
    out.integrator.stepper.t = BEGINS_AT;
    return out;
}

static double measure_at(const Crossing *c, double place) {
    double w = fmin(SLOPE * fabs(place - c->pose), 1.0);
    return w < CRD_PASSAGE_WATCH ? w : c->bias * w;
}

/* Stages in the order of the method, all or until one foresees another size; how many were made. */
static int make_stages(Crossing *c, bool all, double *h) {
    const CrdTableau *tableau = c->integrator.stepper.method->tableau;
    CrdStages *stages = &c->integrator.stages;
    assert_int_equal(stages->seen, 0);
    stages->lowest = 1.0;
    stages->accepted = measure_at(c, 0.0);
    for (int i = 1; i < tableau->stages; i++) {
        double w = measure_at(c, tableau->c[i]);
        stages->stage[stages->seen++] =
            (CrdStageSeen){BEGINS_AT + tableau->c[i] * STEP, w, w < CRD_PASSAGE_WATCH || c->bias == 1.0};
        stages->lowest = fmin(stages->lowest, w);
        *h = crd_crossing_foresee(&c->integrator, STEP);
        if (*h < STEP && !all) return i;
    }
    return tableau->stages;
}

static double planned_at_end(Crossing *c) {
    c->integrator.dynamics.monitor.singularity = measure_at(c, 1.0);
    return crd_crossing_plan(&c->integrator, STEP);
}

/* How far from the nearest node; beyond the end from the end. */
static double distance_from_node(const CrdTableau *tableau, double place) {
    double least = fabs(place - 1.0);
    for (int i = 0; i < tableau->stages; i++) least = fmin(least, fabs(place - tableau->c[i]));
    return least;
}

static const CrdMethod *const METHODS[] = {&crd_dop853, &crd_dopri5};

/* A pose close before the end is taken by the end, which knows less, for one that lies ahead. */
static bool is_hidden_from_end(double pose) {
    return pose > 0.85 && pose < 1.0;
}

static void what_stages_foresee_is_what_the_end_would_ask_for(void **state) {
    (void)state;
    int given_up = 0;
    for (int m = 0; m < 2; m++)
        for (double pose = 0.153; pose < 1.6; pose += 0.01) {
            Crossing c = crossing(METHODS[m], pose), whole = c;
            double h = STEP, ignored;
            bool early = make_stages(&c, false, &h) < METHODS[m]->tableau->stages;
            make_stages(&whole, true, &ignored);
            given_up += early && !is_hidden_from_end(pose);
            if (early && !is_hidden_from_end(pose))
                check_near(h, planned_at_end(&whole), 1e-12 * STEP, "size for a pose at %.2f", pose);
        }
    assert_true(given_up > 50);
}

static void a_size_foreseen_puts_the_pose_between_nodes(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++)
        for (double pose = 0.153; pose < 1.6; pose += 0.01) {
            double h = STEP;
            Crossing c = crossing(METHODS[m], pose);
            make_stages(&c, false, &h);
            if (h == STEP) continue;
            double there = pose * STEP / h, clear = distance_from_node(METHODS[m]->tableau, there);
            check_between(clear, there > 1.0 ? AHEAD - 1e-12 : CLEAR, 1.0, "distance from a node");
        }
}

/* Pivots of S and the geometry tell different numbers of the same distance: a place found from one of each is none. */
static void two_measures_are_not_mixed(void **state) {
    (void)state;
    int given_up = 0;
    for (double pose = 0.35; pose < 1.6; pose += 0.01) {
        double h = STEP;
        Crossing c = crossing(&crd_dop853, pose);
        c.bias = 1.4;
        make_stages(&c, false, &h);
        if (h == STEP) continue;
        given_up++;
        double there = pose * STEP / h, clear = distance_from_node(crd_dop853.tableau, there);
        check_between(clear, there > 1.0 ? AHEAD - 1e-12 : CLEAR, 1.0, "distance from a node");
    }
    assert_true(given_up > 20);
}

static void a_pose_right_ahead_is_foreseen_by_the_first_stages(void **state) {
    (void)state;
    double h = STEP;
    Crossing c = crossing(&crd_dop853, 0.3);
    assert_int_equal(make_stages(&c, false, &h), 3);
}

static void methods_without_nodes_are_left_alone(void **state) {
    (void)state;
    Crossing c = crossing(&crd_dop853, 0.3);
    double h = STEP;
    make_stages(&c, false, &h);
    assert_true(h < STEP);
    c.integrator.stepper.method = &crd_abm;
    assert_true(crd_crossing_foresee(&c.integrator, STEP) == STEP);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stages_foresee_is_what_the_end_would_ask_for),
        cmocka_unit_test(a_size_foreseen_puts_the_pose_between_nodes),
        cmocka_unit_test(two_measures_are_not_mixed),
        cmocka_unit_test(a_pose_right_ahead_is_foreseen_by_the_first_stages),
        cmocka_unit_test(methods_without_nodes_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
