/* Expressions: language, values, derivatives. */
#include "expr_fixture.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static double value_at(const char *text, double x, double y) {
    CrdError error = {0};
    CrdExpr *e = compile(text);
    double value = NOTHING;
    const double variables[VARIABLES] = {x, y, 0.25, 0.5, -3.0};
    if (crd_expr_value(e, variables, &value, &error) < 0) fail_msg("'%s': %s", text, error.text);
    crd_expr_free(e);
    return value;
}

/* Equal to the last bit but for rounding of the test's own arithmetic. */
static void assert_near(const char *what, double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance * fmax(1.0, fabs(expected)))) {
        fail_msg("%s: %.17g instead of %.17g", what, value, expected);
    }
}

typedef struct Case {
    const char *text;
    double expected;
} Case;

static void assert_values(const Case *cases, size_t count, double x, double y) {
    for (size_t i = 0; i < count; i++) {
        assert_near(cases[i].text, value_at(cases[i].text, x, y), cases[i].expected, 0.0);
    }
}

/* ---- values ---- */

static void operators_bind_as_documented(void **state) {
    (void)state;
    const Case cases[] = {
        {"1+2*3", 7},  {"(1+2)*3", 9}, {"8-3-2", 3},       {"8/4/2", 1},       {"2^3^2", 512},
        {"-2^2", -4},  {"(-2)^2", 4},  {"2^-1", 0.5},      {"2^-2^2", 0.0625}, {"--3", 3},
        {"-+-3", 3},   {"+3", 3},      {"2--3", 5},        {"2*-3", -6},       {"-2*3", -6},
        {"1+1<3", 1},  {"3>2>1", 0},   {"1<2==1", 1},      {"3!=3", 0},        {"2<=2", 1},
        {"2>=3", 0},   {"2*3^2", 18},  {"-x^2", -9},       {"2^x", 8},         {"x^y^2", 81},
        {"1-2+3", 2},  {"6/2*3", 9},   {" 1\t+\n2\r ", 3}, {"((((x))))", 3},   {"x/y*y", 3},
        {"+-x^2", -9}, {"2^+3", 8},    {"J.rate", -3},     {"J.rate*t", -1.5}, {"1e3+.5e-1", 1000.05},
        {"2.*x", 6},   {"x==3", 1},    {"x!=3", 0},        {"x<3", 0},         {"x>3", 0},
        {"x<=3", 1},   {"x>=3", 1},    {"x-y", 1},         {"x+y", 5},         {"0^0", 1},
    };
    assert_values(cases, COUNT(cases), 3.0, 2.0);
}

static void functions_agree_with_libm(void **state) {
    (void)state;
    double x = 0.7, y = -1.3;
    const Case cases[] = {
        {"sin(x)", sin(x)},
        {"cos(x)", cos(x)},
        {"tan(x)", tan(x)},
        {"asin(x)", asin(x)},
        {"acos(x)", acos(x)},
        {"atan(y)", atan(y)},
        {"sinh(y)", sinh(y)},
        {"cosh(y)", cosh(y)},
        {"tanh(y)", tanh(y)},
        {"exp(y)", exp(y)},
        {"log(x)", log(x)},
        {"sqrt(x)", sqrt(x)},
        {"abs(y)", 1.3},
        {"sign(y)", -1},
        {"sign(0*x)", 0},
        {"sign(x)", 1},
        {"floor(y)", -2},
        {"floor(x)", 0},
        {"step(x)", 1},
        {"step(y)", 0},
        {"step(0*x)", 1},
        {"atan2(x,y)", atan2(x, y)},
        {"min(x)", x},
        {"max(y)", y},
        {"min(x,y)", y},
        {"max(x,y)", x},
        {"min(1,x,y,3)", y},
        {"max(1,x,y,3)", 3},
        {"if(x>y,x,y)", x},
        {"if(x<y,x,y)", y},
        {"pi", PI},
        {"x^y", pow(x, y)},
        {"y^3", pow(y, 3)},
        {"y^-2", pow(y, -2)},
        {"y^2", y * y},
        {"x^0.5", sqrt(x)},
        {"atan2(0*x,0*x)", 0},
        {"if(0*x,1,2)", 2},
        {"if(y,1,2)", 1},
        {"exp(-1000*x/x)", 0},
        {"sin(x)+cos(x)*tan(x)/exp(y)-log(x)", sin(x) + cos(x) * tan(x) / exp(y) - log(x)},
    };
    assert_values(cases, COUNT(cases), x, y);
}

static void constants_fold_to_the_same_values(void **state) {
    (void)state;
    const Case cases[] = {
        {"sin(0.7)", sin(0.7)},
        {"2*pi", 2 * PI},
        {"(-8)^3", -512},
        {"min(3,1,2)", 1},
        {"atan2(1,-1)", atan2(1, -1)},
        {"if(1<2, 5, 1/0)", 5},
        {"if(2<1, log(-1), 5)", 5},
        {"if(if(0,1/0,1), 2, 1/0)", 2},
        {"table(1.5, 0,0, 1,10, 2,20)", 15},
        {"table(1, table(0,0,0),0, 2,table(3, 3,4))", 2},
        {"if(0, table(x, 0,1, 1,2), table(1, 0,5, 2,6))", 5.5},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CrdExpr *e = compile(cases[i].text);
        assert_true(crd_expr_is_constant(e));
        double value;
        assert_int_equal(crd_expr_value(e, NULL, &value, NULL), CARDAN_OK);
        assert_near(cases[i].text, value, cases[i].expected, 0.0);
        crd_expr_free(e);
    }
}

static void tables_interpolate_and_are_constant_outside(void **state) {
    (void)state;
    const char *const texts[] = {"table(x, 0,10, 1,20, 3,0)",         /* constant points: found by bisection */
                                 "table(x, 0*y,10, y-1,20, 3,2*y-4)", /* varying points: one after the other */
                                 "table(x, 0,10, 1,20, y+1,0*y)"};
    const double points[][2] = {{-5, 10}, {0, 10}, {0.25, 12.5}, {1, 20}, {1.5, 15}, {2.75, 2.5}, {3, 0}, {9, 0}};
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t k = 0; k < COUNT(points); k++) {
            assert_near(texts[i], value_at(texts[i], points[k][0], 2.0), points[k][1], 0.0);
        }
    }
    assert_near("one point", value_at("table(x, 1,7)", 3.0, 0.0), 7.0, 0.0);
    assert_near("one varying point", value_at("table(x, y,7) + 1", 3.0, 5.0), 8.0, 0.0);
}

static void long_tables_and_reductions_need_few_slots(void **state) {
    (void)state;
    char *text = calloc(1, 40000);
    for (int kind = 0; kind < 3; kind++) {
        const char *const heads[] = {"table(x", "table(x, y-1,-2", "max(x"};
        char *at = text + sprintf(text, "%s", heads[kind]);
        for (int i = 0; i < 2000; i++) at += sprintf(at, kind < 2 ? ",%d,%d" : ",%d+0*%d", i, 2 * i);
        strcpy(at, ")");
        CrdExpr *e = compile(text);
        assert_true(crd_expr_depth(e) <= 8);
        crd_expr_free(e);
        assert_near("table", value_at(text, 1500.25, 0.0), kind < 2 ? 3000.5 : 1999.0, 1e-14);
    }
    free(text);
}

static void a_branch_not_taken_does_no_harm(void **state) {
    (void)state;
    assert_near("sqrt", value_at("if(x>0, sqrt(x), 0)", -4.0, 0.0), 0.0, 0.0);
    assert_near("division", value_at("if(x==0, 1, sin(x)/x)", 0.0, 0.0), 1.0, 0.0);
    assert_near("constant fault", value_at("1 + if(x>0, 2, 1/0)", 1.0, 0.0), 3.0, 0.0);
    assert_near("nested", value_at("if(x>0, if(x>1, log(-x), 7), 8) * 2", 0.5, 0.0), 14.0, 0.0);
    assert_near("nested", value_at("if(x>0, if(x>1, 6, 1/0), if(y>0, 5, 1/0)) * 2", -1, 1), 10.0, 0.0);
}

/* ---- what a program says of itself ---- */

static void the_text_clone_and_uses_are_kept(void **state) {
    (void)state;
    const char *text = "x*J.rate + if(1, t, y) + table(x, 0,0, 1,1)";
    CrdExpr *e = compile(text);
    CrdExpr *copy = crd_expr_clone(e);
    assert_non_null(copy);
    crd_expr_free(e);
    assert_string_equal(crd_expr_text(copy), text);
    assert_true(crd_expr_uses(copy, 0));
    assert_false(crd_expr_uses(copy, 1)); /* in the branch never taken */
    assert_true(crd_expr_uses(copy, 3));
    assert_true(crd_expr_uses(copy, 4));
    assert_false(crd_expr_is_constant(copy));
    const double variables[VARIABLES] = {0.5, 0, 0, 2.0, 4.0};
    double value;
    assert_int_equal(crd_expr_value(copy, variables, &value, NULL), CARDAN_OK);
    assert_near(text, value, 4.5, 0.0);
    CrdExpr *again = compile(crd_expr_text(copy));
    double same;
    assert_int_equal(crd_expr_value(again, variables, &same, NULL), CARDAN_OK);
    assert_true(same == value);
    crd_expr_free(again);
    crd_expr_free(copy);
    crd_expr_free(NULL);
    assert_null(crd_expr_clone(NULL));
    e = compile("2*(x+1)");
    assert_int_equal(crd_expr_depth(e), 3);
    crd_expr_free(e);
}

/* ---- derivatives ---- */

static CrdJet jet_at(const char *text, CrdJet x, CrdJet y, int order) {
    CrdError error = {0};
    CrdExpr *e = compile(text);
    const CrdJet variables[VARIABLES] = {x, y, {0.25, 0.0, 0.0}, {0.5, 1.0, 0.0}, {-3.0, 0.5, -1.0}};
    CrdJet value = {NOTHING, NOTHING, NOTHING};
    CardanStatus status = order == 2 ? crd_expr_held_jet(e, variables, NULL, &value, &error)
                                     : crd_expr_held_slope(e, variables, NULL, &value, &error);
    if (status < 0) fail_msg("'%s': %s", text, error.text);
    crd_expr_free(e);
    return value;
}

static double along(const CrdExpr *e, CrdJet x, CrdJet y, double s) {
    const double variables[VARIABLES] = {x.x + x.d1 * s + 0.5 * x.d2 * s * s, y.x + y.d1 * s + 0.5 * y.d2 * s * s, 0.25,
                                         0.5 + s, -3.0 + 0.5 * s - 0.5 * s * s};
    double value = NOTHING;
    CrdError error = {0};
    if (crd_expr_value(e, variables, &value, &error) < 0) fail_msg("%s", error.text);
    return value;
}

/* Central differences of order 8. Their error is h^8/3150 f^(10), about 1e-16 of a function whose derivatives grow as
 * 3^n, and rounding, 10 eps/h^2 = 1e-11; the tolerance leaves a factor 10. */
static void assert_derivatives(const char *text, CrdJet x, CrdJet y) {
    static const double C1[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static const double C2[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    const double h = 0.01;
    CrdExpr *e = compile(text);
    CrdJet jet = jet_at(text, x, y, 2), slope = jet_at(text, x, y, 1);
    double middle = along(e, x, y, 0.0), d1 = 0.0, d2 = -205.0 / 72 * middle;
    for (int k = 0; k < 4; k++) {
        double right = along(e, x, y, (k + 1) * h), left = along(e, x, y, -(k + 1) * h);
        d1 += C1[k] * (right - left);
        d2 += C2[k] * (right + left);
    }
    assert_near(text, jet.x, middle, 0.0);
    assert_near(text, jet.d1, d1 / h, 1e-11);
    assert_near(text, jet.d2, d2 / (h * h), 1e-10);
    assert_true(slope.x == jet.x && slope.d1 == jet.d1 && slope.d2 == 0.0);
    crd_expr_free(e);
}

static void jets_equal_finite_differences(void **state) {
    (void)state;
    const char *const texts[] = {
        "x",
        "-x",
        "3",
        "x+y",
        "x-y",
        "x*y",
        "x/y",
        "y/x",
        "x^2",
        "y^3",
        "y^-3",
        "x^2.5",
        "x^y",
        "2^y",
        "x^-y",
        "sin(x)",
        "cos(y)",
        "tan(x)",
        "asin(x)",
        "acos(x)",
        "atan(y)",
        "sinh(y)",
        "cosh(y)",
        "tanh(y)",
        "exp(y)",
        "log(x)",
        "sqrt(x)",
        "abs(x)",
        "abs(y)",
        "sign(x)",
        "floor(y)",
        "step(x)",
        "min(x,y)",
        "max(x,y)",
        "max(x^2, y, x*y)",
        "atan2(x,y)",
        "atan2(y,x)",
        "atan2(y,-x)",
        "if(x>y, sin(x), cos(y))",
        "if(x<y, sin(x), cos(y))*x",
        "(x<y)*x",
        "table(x, 0,1, 1,3)",
        "table(x*y, -2,1, 1,3)",
        "table(sin(x), 0,x, y+3,exp(y), 5,1)",
        "table(x, y,t, y+0.5,x*y)",
        "table(y, 0,x^2, 1,x)",
        "sin(x*y)+cos(x)^2",
        "exp(-x^2)*log(2+y)",
        "sqrt(x^2+y^2)",
        "J.rate*x^2/(1+t)",
        "(x-y)^2/(1+exp(-3*x*y))",
        "x^x",
        "(x^0.5)^3",
        "tanh(3*x)*atan(t)",
        "2*t^3-t*x*y",
        "(1+(x+y)^2)^-1.5",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_derivatives(texts[i], (CrdJet){0.6, 1.0, 0.0}, (CrdJet){-1.3, 0.0, 0.0});
        assert_derivatives(texts[i], (CrdJet){0.6, 0.0, 1.0}, (CrdJet){-1.3, 1.0, -0.5});
        assert_derivatives(texts[i], (CrdJet){0.55, 0.4, -1.1}, (CrdJet){-1.4, -0.9, 0.8});
    }
}

static void assert_jet(const char *text, CrdJet x, CrdJet expected) {
    CrdJet jet = jet_at(text, x, (CrdJet){0.0, 0.0, 0.0}, 2);
    if (jet.x != expected.x || jet.d1 != expected.d1 || jet.d2 != expected.d2) {
        fail_msg("%s at %g: %.17g %.17g %.17g", text, x.x, jet.x, jet.d1, jet.d2);
    }
}

static void derivatives_at_zero_are_those_of_the_function(void **state) {
    (void)state;
    const CrdJet x = {0.0, 3.0, 5.0};
    assert_jet("x^0", x, (CrdJet){1, 0, 0});
    assert_jet("x^1", x, (CrdJet){0, 3, 5});
    assert_jet("x^2", x, (CrdJet){0, 0, 18});
    assert_jet("x^3", x, (CrdJet){0, 0, 0});
    assert_jet("x^2.5", x, (CrdJet){0, 0, 0});
    assert_jet("x*abs(x)", x, (CrdJet){0, 0, 18});
    assert_jet("sqrt(y)", x, (CrdJet){0, 0, 0});
    assert_jet("sqrt(x*x)", x, (CrdJet){0, 3, 0});
    assert_jet("y^(2.5+x)", x, (CrdJet){0, 0, 0});
    assert_jet("atan2(y,y)", x, (CrdJet){0, 0, 0});
    assert_jet("tanh(x+1000)", x, (CrdJet){1, 0, 0});
}

/* x = 1e200 (1 + s): where 1/x^2 is no number any more, logarithms and powers still have their derivatives. */
static void derivatives_of_huge_numbers_do_not_fade(void **state) {
    (void)state;
    const CrdJet x = {1e200, 1e200, 0.0};
    const struct {
        const char *text;
        CrdJet expected;
    } cases[] = {
        {"log(x)", {log(1e200), 1.0, -1.0}},    {"log(x^1.5)", {1.5 * log(1e200), 1.5, -1.5}},
        {"log(1/x)", {-log(1e200), -1.0, 1.0}}, {"log(x^-1)", {-log(1e200), -1.0, 1.0}},
        {"sqrt(x)/1e100", {1.0, 0.5, -0.25}},   {"x^0.75/1e150", {1.0, 0.75, -0.1875}},
        {"1e200*x^-1", {1.0, -1.0, 2.0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CrdExpr *expr = compile(cases[i].text);
        CrdJet variables[VARIABLES] = {x}, jet = {0};
        CrdError error = {0};
        assert_int_equal(crd_expr_held_jet(expr, variables, NULL, &jet, &error), CARDAN_OK);
        assert_near(cases[i].text, jet.x, cases[i].expected.x, 1e-12);
        assert_near(cases[i].text, jet.d1, cases[i].expected.d1, 1e-12);
        assert_near(cases[i].text, jet.d2, cases[i].expected.d2, 1e-12);
        crd_expr_free(expr);
    }
}

static void derivatives_at_kinks_are_those_of_the_active_branch(void **state) {
    (void)state;
    const CrdJet x = {0.0, 3.0, 5.0};
    assert_jet("abs(x)", x, (CrdJet){0, 3, 5});
    assert_jet("sign(x)", x, (CrdJet){0, 0, 0});
    assert_jet("step(x)", x, (CrdJet){1, 0, 0});
    assert_jet("floor(x)", x, (CrdJet){0, 0, 0});
    assert_jet("max(x,0)", x, (CrdJet){0, 3, 5});
    assert_jet("max(0,x)", x, (CrdJet){0, 0, 0});
    assert_jet("min(x,2*x)", x, (CrdJet){0, 3, 5});
    assert_jet("if(x>0, x, 2*x)", x, (CrdJet){0, 6, 10});
    assert_jet("if(x>=0, x, 2*x)", x, (CrdJet){0, 3, 5});
    assert_jet("table(x, -1,-4, 0,0, 1,2)", x, (CrdJet){0, 6, 10});
    assert_jet("table(x, -1,-4, y,0, 1,2)", x, (CrdJet){0, 6, 10});
    assert_jet("table(x, -1,-4, 0,0)", x, (CrdJet){0, 0, 0});
    assert_jet("table(x, 0,0, 1,1)", (CrdJet){-1e-9, 3, 5}, (CrdJet){0, 0, 0});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_documented),
        cmocka_unit_test(functions_agree_with_libm),
        cmocka_unit_test(constants_fold_to_the_same_values),
        cmocka_unit_test(tables_interpolate_and_are_constant_outside),
        cmocka_unit_test(long_tables_and_reductions_need_few_slots),
        cmocka_unit_test(a_branch_not_taken_does_no_harm),
        cmocka_unit_test(the_text_clone_and_uses_are_kept),
        cmocka_unit_test(jets_equal_finite_differences),
        cmocka_unit_test(derivatives_at_zero_are_those_of_the_function),
        cmocka_unit_test(derivatives_of_huge_numbers_do_not_fade),
        cmocka_unit_test(derivatives_at_kinks_are_those_of_the_active_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
