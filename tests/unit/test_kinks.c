/* Kinks: arguments of expressions whose sign matters, and the switching functions of forces. */
#include "support/check.h"
#include "support/scene.h"

#include "expr/expr.h"
#include "sim/sim.h"

static int find_variable(const void *user, const char *name, size_t length) {
    (void)user;
    return length == 1 && (name[0] == 'x' || name[0] == 'y') ? name[0] - 'x' : -1;
}

typedef struct KinkCase {
    const char *text;
    double x, y;
    int count;
    double values[4];
} KinkCase;

static void arguments_are_those_whose_sign_matters(void **state) {
    (void)state;
    static const KinkCase CASES[] = {
        {"x + sin(y)^2", 1, 2, 0, {0}},
        {"abs(x - 3)", 1, 0, 1, {-2}},
        {"sign(x) + step(y - 1)", 2, 4, 2, {2, 3}},
        {"max(x, y)", 1, 4, 1, {-3}},
        {"min(x, y, 2)", 1, 4, 2, {-3, -1}},
        {"if(x > 2, 1, y)", 1, 4, 1, {-1}},
        {"if(x >= 1, abs(y), sign(x))", 3, 4, 3, {2, 4, 0}},
        {"if(x >= 1, abs(y), sign(x)) + abs(y - 1)", 0.5, 4, 4, {-0.5, 0, 0.5, 3}},
        {"table(x, 0,1, 2,3, 5,0)", 3, 0, 3, {3, 1, -2}},
        {"table(x, 0,y, y,3)", 3, 1, 2, {3, 2}},
        {"abs(-2)*x", 3, 1, 0, {0}}, /* computed when compiled */
    };
    CrdSymbols symbols = {.find = find_variable};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const KinkCase *c = &CASES[i];
        const double variables[] = {c->x, c->y};
        double values[4];
        CrdExpr *e = NULL;
        CrdError error = {0};
        assert_int_equal(crd_expr_compile(c->text, &symbols, &e, &error), CARDAN_OK);
        if (crd_expr_kink_count(e) != c->count) fail_msg("%s: %d kinks", c->text, crd_expr_kink_count(e));
        assert_int_equal(crd_expr_held_kinks(e, variables, NULL, values, &error), CARDAN_OK);
        for (int k = 0; k < c->count; k++) check_near(values[k], c->values[k], 1e-15, "%s: kink %d", c->text, k);
        crd_expr_free(e);
    }
}

static void floors_change_their_sign_at_every_whole_number(void **state) {
    (void)state;
    CrdSymbols symbols = {.find = find_variable};
    CrdExpr *e = NULL;
    CrdError error = {0};
    assert_int_equal(crd_expr_compile("floor(x)", &symbols, &e, &error), CARDAN_OK);
    for (int whole = -3; whole <= 1000; whole++) {
        double below = whole - 1e-3, above = whole + 1e-3, a, b;
        assert_int_equal(crd_expr_held_kinks(e, &below, NULL, &a, &error), CARDAN_OK);
        assert_int_equal(crd_expr_held_kinks(e, &above, NULL, &b, &error), CARDAN_OK);
        assert_true(a * b < 0.0);
    }
    crd_expr_free(e);
}

static void faults_of_a_law_are_faults_of_its_kinks(void **state) {
    (void)state;
    CrdSymbols symbols = {.find = find_variable};
    CrdExpr *e = NULL;
    CrdError error = {0};
    double zero[2] = {0}, value;
    assert_int_equal(crd_expr_compile("abs(1/x)", &symbols, &e, &error), CARDAN_OK);
    assert_int_equal(crd_expr_held_kinks(e, zero, NULL, &value, &error), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(error.text, "division"));
    crd_expr_free(e);
}

static const char *const STOPS =
    "cardan: 1\nspace: planar\n"
    "bodies:\n"
    "  block: {mass: 1, inertia: 1, velocity: [2, 0]}\n"
    "joints:\n"
    "  rail: {type: prismatic, bodies: [ground, block], axis: [1, 0]}\n"
    "forces:\n"
    "  stop:  {type: limit, joint: rail, range: [-1, 3], stiffness: 10, damping: 1}\n"
    "  drive: {type: motor, joint: rail, target: 2, gains: [1, 0.5], limit: 4}\n"
    "  pull:  {type: spring, bodies: [ground, block], points: [[-5, 0], [0, 0]], length: 4, law: \"abs(x) + max(v, "
    "1)\"}\n"
    "  floor: {type: contact, body: block, plane: {point: [0, -0.5], normal: [0, 1]}, stiffness: 1}\n";

static void switches_of_forces_stand_in_their_order(void **state) {
    (void)state;
    CardanModel *model = scene_read(STOPS);
    CardanOptions options = cardan_model_options(model);
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* whose frames are read below */
    CardanSim *sim = scene_start(model, &options);
    /* demand 1 (2 - 0) + 0.5 (0 - 2) = 1; elongation 5 - 4, rate 2; height 0.5 above the floor */
    const double expected[] = {1, -3, 0, 1 - 4, 1 + 4, 1, 2 - 1, -0.5, 0};
    enum { COUNT = sizeof expected / sizeof *expected };
    double values[COUNT];
    CrdError error = {0};
    CrdDynamics *d = &sim->integrator.dynamics;
    assert_int_equal(model->structure->switch_count, COUNT);
    assert_int_equal(crd_switches(model, sim->integrator.stepper.y,
                                  crd_integrator_v(&sim->integrator, sim->integrator.stepper.y), &d->actions,
                                  &d->system, values, &error),
                     CARDAN_OK);
    for (int i = 0; i < COUNT; i++) check_near(values[i], expected[i], 1e-14, "switch %d", i);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Beyond its kink a held piece goes on; where it has no value there, the argument decides. */
static void held_pieces_go_on_beyond_their_kinks(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double x, y;
        CrdSide sides[4];
        double value, slope; /* along x */
    } CASES[] = {
        {"abs(x)", -2, 0, {1}, -2, 1},
        {"abs(x)", 2, 0, {-1}, -2, -1},
        {"sign(x)*y", -2, 3, {1}, 3, 0},
        {"step(x)", 5, 0, {-1}, 0, 0},
        {"max(x, y)", 3, 1, {-1}, 1, 0},
        {"min(x, y)", 3, 1, {-1}, 3, 1},
        {"if(x < y, x^2, 0)", 3, 1, {-1}, 9, 6},
        {"if(x >= y, x^2, 7)", 3, 1, {-1}, 7, 0},
        {"(x == y) + 2*(x != y)", 1, 1, {1, 1}, 2, 0},
        {"table(x, 0,0, 1,2, 2,0)", 1.5, 0, {1, -1, -1}, 3, 2},
        {"table(x, 0,0, 1,2, 2,0)", -1, 0, {1, 1, 1}, 0, 0},
        {"table(x, 0,0, y,2, 2,0)", 1.5, 1, {1, -1, -1}, 3, 2},
        {"floor(x)", 2.1, 0, {-1}, 1, 0},
        {"floor(x)", 1.9, 0, {1}, 2, 0},
        {"atan2(x, -1)", -0.1, 0, {1}, 3.14159265358979323846 + 0.09966865249116202, -1 / 1.01},
        {"abs(x)", -2, 0, {0}, 2, -1},
        {"if(x > 0, sqrt(x), y)", -1, 5, {1}, 5, 0}, /* no value there */
    };
    CrdSymbols symbols = {.find = find_variable};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const double variables[] = {CASES[i].x, CASES[i].y};
        const CrdJet jets[] = {{CASES[i].x, 1, 0}, {CASES[i].y, 0, 0}};
        CrdExpr *e = NULL;
        CrdError error = {0};
        double value;
        CrdJet jet;
        assert_int_equal(crd_expr_compile(CASES[i].text, &symbols, &e, &error), CARDAN_OK);
        assert_int_equal(crd_expr_held_value(e, variables, CASES[i].sides, &value, &error), CARDAN_OK);
        assert_int_equal(crd_expr_held_jet(e, jets, CASES[i].sides, &jet, &error), CARDAN_OK);
        check_near(value, CASES[i].value, 1e-14, "%s at %g", CASES[i].text, CASES[i].x);
        check_near(jet.x, CASES[i].value, 1e-14, "%s at %g", CASES[i].text, CASES[i].x);
        check_near(jet.d1, CASES[i].slope, 1e-14, "slope of %s at %g", CASES[i].text, CASES[i].x);
        crd_expr_free(e);
    }
}

static bool is_y(const void *user, int variable) {
    (void)user;
    return variable == 1;
}

static void it_is_known_what_the_argument_of_a_kink_reads(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int count;
        bool reads[6];
    } CASES[] = {
        {"abs(x) + sign(y) + step(x*y)", 3, {false, true, true}},
        {"if(x < 1, abs(x), abs(y)) + abs(x)", 4, {false, false, true, false}},
        {"abs(if(y < 1, x, 2))", 2, {true, true}},
        {"abs(if(x < 1, if(x < 2, y, 1), 2))*abs(x)", 4, {false, false, true, false}},
        {"table(x, 0,y, 1,2) + abs(x)", 3, {false, false, false}},
        {"table(y, 0,x, 1,2) + table(x, 0,1, y,2)", 4, {true, true, false, true}},
        {"abs(table(x, 0,1, x + 1,2))", 3, {false, false, false}},
        {"abs(table(x, 0,1, x + 1,y))", 3, {false, false, true}},
        {"max(x, 1, y, 2)", 3, {false, true, true}},
    };
    CrdSymbols symbols = {.find = find_variable};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        bool reads[6];
        CrdExpr *e = NULL;
        CrdError error = {0};
        assert_int_equal(crd_expr_compile(CASES[i].text, &symbols, &e, &error), CARDAN_OK);
        if (crd_expr_kink_count(e) != CASES[i].count) fail_msg("%s: %d kinks", CASES[i].text, crd_expr_kink_count(e));
        crd_expr_kink_reads(e, is_y, NULL, reads);
        for (int k = 0; k < CASES[i].count; k++)
            if (reads[k] != CASES[i].reads[k]) fail_msg("%s: kink %d", CASES[i].text, k);
        crd_expr_free(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_those_whose_sign_matters),
        cmocka_unit_test(floors_change_their_sign_at_every_whole_number),
        cmocka_unit_test(faults_of_a_law_are_faults_of_its_kinks),
        cmocka_unit_test(switches_of_forces_stand_in_their_order),
        cmocka_unit_test(held_pieces_go_on_beyond_their_kinks),
        cmocka_unit_test(it_is_known_what_the_argument_of_a_kink_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
