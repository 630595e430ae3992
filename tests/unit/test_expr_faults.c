/* Expressions: faults of evaluation, and texts that make no sense, too deep, too long or random. */
#include "expr_fixture.h"

#include <stdlib.h>

/* ---- faults ---- */

enum { VALUE, SLOPE, JET };

/* Evaluates with x given and moving, y = -1, z = 1e300; what fails must leave the results alone. */
static CardanStatus evaluate(const char *text, int kind, double x, CrdError *error) {
    CrdExpr *e = compile(text);
    const CrdJet jets[VARIABLES] = {{x, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {1e300, 0.0, 0.0}, {0, 0, 0}, {0, 0, 0}};
    const double variables[VARIABLES] = {x, -1.0, 1e300, 0.0, 0.0};
    double value = NOTHING;
    CrdJet jet = {NOTHING, NOTHING, NOTHING};
    CardanStatus status = kind == VALUE   ? crd_expr_value(e, variables, &value, error)
                          : kind == SLOPE ? crd_expr_held_slope(e, jets, NULL, &jet, error)
                                          : crd_expr_held_jet(e, jets, NULL, &jet, error);
    bool good = kind == VALUE ? isfinite(value) : isfinite(jet.x) && isfinite(jet.d1) && isfinite(jet.d2);
    bool untouched = isnan(value) && isnan(jet.x) && isnan(jet.d1) && isnan(jet.d2);
    assert_true(status < 0 ? untouched : good);
    crd_expr_free(e);
    return status;
}

static void assert_fault(const char *text, int kind, double x, int column, const char *words) {
    CrdError error = {0};
    if (evaluate(text, kind, x, &error) != CARDAN_ERR_NUMERIC) fail_msg("'%s' at %g is no fault (%d)", text, x, kind);
    if (error.place.column != column || strstr(error.text, words) == NULL) {
        fail_msg("'%s' at %g: column %d, %s", text, x, error.place.column, error.text);
    }
}

static void assert_no_fault(const char *text, int kind, double x) {
    CrdError error = {0};
    if (evaluate(text, kind, x, &error) < 0) fail_msg("'%s' at %g: %s", text, x, error.text);
}

static void faults_name_the_operation_and_the_column(void **state) {
    (void)state;
    const struct {
        const char *text;
        double x;
        int column;
        const char *words;
    } cases[] = {
        {"1/x", 0, 2, "division of 1 by zero"},
        {"x/x", 0, 2, "division of 0 by zero"},
        {"2 + sqrt(x)", -4, 5, "sqrt(-4) is not defined"},
        {"log(x)", 0, 1, "log(0) is not defined"},
        {"log(x)", -1, 1, "log(-1) is not defined"},
        {"asin(x)", 1.5, 1, "asin(1.5)"},
        {"acos(x)", -1.5, 1, "acos(-1.5)"},
        {"exp(x)", 1000, 1, "exp(1000) overflows"},
        {"sinh(x)", -1000, 1, "sinh(-1000) overflows"},
        {"cosh(x)", 1000, 1, "overflows"},
        {"z*z", 0, 2, "the product of 1e+300 and 1e+300 overflows"},
        {"x+x", 1.7e308, 2, "the sum"},
        {"x-(-x)", 1.7e308, 2, "the difference"},
        {"z/x", 1e-300, 2, "the quotient"},
        {"z^2", 0, 2, "1e+300^2 overflows"},
        {"x^1.5", -2, 2, "(-2)^1.5: a negative number"},
        {"x^0.5", -2, 2, "a negative number"},
        {"x^y", 0, 2, "zero to the negative power -1"},
        {"if(x>0, 1/0, 2)", 1, 10, "division of 1 by zero"},
        {"if(x>0, exp(999)+1, 2)", 1, 9, "exp(999) overflows"},
        {"table(0, 0,1, x,2)", -1, 15, "breakpoints of table must increase: -1 after 0"},
        {"table(0, 0,1, x,2)", 0, 15, "must increase"},
        {"table(x, -1,-1.7e308, 1,1.7e308)", 0.5, 1, "table overflows"},
        {"table(x, -1,-1.7e308, 1+0*y,1.7e308)", 0.5, 23, "table overflows"},
        {"y*x", NOTHING, 3, "the variable is not finite"},
        {"y*x", (double)INFINITY, 3, "the variable is not finite"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int kind = VALUE; kind <= JET; kind++) {
            assert_fault(cases[i].text, kind, cases[i].x, cases[i].column, cases[i].words);
        }
    }
}

static void derivatives_that_do_not_exist_are_faults_of_the_derivative_only(void **state) {
    (void)state;
    const struct {
        const char *text;
        double x;
        int column;
    } cases[] = {{"sqrt(x)", 0, 1}, {"1+asin(x)", 1, 3}, {"acos(x)", -1, 1}, {"atan2(x,0)", 0, 1}, {"x^0.25", 0, 2}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_no_fault(cases[i].text, VALUE, cases[i].x);
        assert_fault(cases[i].text, SLOPE, cases[i].x, cases[i].column, "has no finite derivative");
        assert_fault(cases[i].text, JET, cases[i].x, cases[i].column, "has no finite derivative");
    }
    assert_fault("x^1.5", JET, 0, 2, "the power has no finite derivative"); /* only the second one */
    assert_no_fault("x^1.5", SLOPE, 0);
    assert_fault("y^x", JET, 2, 2, "the power"); /* (-1)^x has a value at 2 and none beside it */
    assert_fault("sqrt(-x*x)", JET, 0, 1, "sqrt");
}

/* ---- texts that make no sense ---- */

static void assert_refused(const char *text, CardanStatus status, int column, const char *words) {
    CrdError error = {0};
    CrdExpr *e = (CrdExpr *)(uintptr_t)1;
    CardanStatus result = crd_expr_compile(text, &SYMBOLS, &e, &error);
    if (result != status || e != NULL) fail_msg("'%.50s': status %d, %s", text, result, error.text);
    if (error.place.column != column || strstr(error.text, words) == NULL) {
        fail_msg("'%.50s': column %d, %s", text, error.place.column, error.text);
    }
    assert_int_equal(crd_expr_compile(text, &SYMBOLS, &e, NULL), status); /* nobody need listen */
}

static void texts_that_make_no_sense_are_refused_with_a_sentence(void **state) {
    (void)state;
    const struct {
        const char *text;
        int column;
        const char *words;
    } cases[] = {
        {"", 1, "is empty"},
        {"  \t ", 1, "is empty"},
        {"(x+1", 1, "opened here is not closed"},
        {"2*(x+(1)", 3, "opened here is not closed"},
        {"sin(x", 4, "opened here is not closed"},
        {"sin(", 4, "opened here is not closed"},
        {"x+1)", 4, "closes nothing"},
        {"x+", 3, "ends where a value is expected"},
        {"x^", 3, "ends where a value is expected"},
        {"-", 2, "ends where a value is expected"},
        {"*x", 1, "expected a value before '*'"},
        {"x**2", 3, "expected a value before '*'"},
        {"()", 2, "expected a value before ')'"},
        {"max(x,,y)", 7, "expected a value before ','"},
        {"max(x,)", 7, "expected a value before ')'"},
        {"x y", 3, "expected an operator before 'y'"},
        {"2x", 2, "expected an operator before 'x'"},
        {"0x10", 2, "expected an operator before 'x10'"},
        {"1.2.3", 4, "expected an operator before '.3'"},
        {"max(x y)", 7, "expected ')' or an operator before 'y'"},
        {"(x, y)", 3, "expected ')' or an operator before ','"},
        {"x, y", 2, "only between the arguments"},
        {"1 + speed", 5, "unknown name 'speed'"},
        {"xx", 1, "unknown name 'xx'; did you mean 'x'?"},
        {"J.angle", 1, "unknown name 'J.angle'"},
        {"J.", 2, "unexpected character '.'"},
        {"J + 1", 1, "unknown name 'J'"},
        {"x.", 2, "unexpected character '.'"},
        {"x.2", 2, "expected an operator"},
        {"sni(x)", 1, "unknown function 'sni'; did you mean 'sin'?"},
        {"1+sqr(x)", 3, "did you mean 'sqrt'?"},
        {"frobnicate(x)", 1, "unknown function 'frobnicate'"},
        {"x(2)", 1, "unknown function 'x'"},
        {"2(x)", 2, "expected an operator before '('"},
        {"pi(2)", 1, "unknown function 'pi'"},
        {"sin + 1", 1, "'sin' is a function: write sin(...)"},
        {"sin()", 1, "sin expects 1 argument, got 0"},
        {"sin(x,y)", 1, "sin expects 1 argument, got 2"},
        {"2*atan2(x)", 3, "atan2 expects 2 arguments, got 1"},
        {"if(x,y)", 1, "if expects 3 arguments, got 2"},
        {"if(x,y,z,t)", 1, "if expects 3 arguments, got 4"},
        {"min()", 1, "min expects at least 1 argument, got 0"},
        {"table(x)", 1, "table expects x and then pairs"},
        {"table(x,1,2,3)", 1, "got 4"},
        {"table(x, 1,1, 1,2)", 15, "breakpoints of table must increase: 1 after 1"},
        {"table(x, y,1, 2,2, 1,1)", 20, "breakpoints of table must increase: 1 after 2"},
        {"table(x, -1.7e308,1, 1.7e308,2)", 22, "breakpoints"},
        {"x = 2", 3, "write '=='"},
        {"x ! 2", 3, "unexpected character '!'"},
        {"x & y", 3, "unexpected character '&'"},
        {"x $", 3, "unexpected character '$'"},
        {"x \xe2\x88\x92 1", 3, "unexpected byte 0xE2"},
        {"\xc2\xa0x", 1, "unexpected byte 0xC2"},
        {"x\x01", 2, "unexpected byte 0x01"},
        {"\xff", 1, "unexpected byte 0xFF"},
        {"1e999", 1, "the number is too large"},
        {"1/0", 2, "division of 1 by zero"},
        {"x + 2/(1-1)", 6, "division of 2 by zero"},
        {"log(0)*x", 1, "log(0) is not defined"},
        {"if(1, 1/0, x)", 8, "division of 1 by zero"},
        {"if(0, 1, y+sqrt(-1))", 12, "sqrt(-1) is not defined"},
        {"table(0, 0,1/0)", 13, "division"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_refused(cases[i].text, CARDAN_ERR_MODEL, cases[i].column, cases[i].words);
    }
}

static char *repeat(const char *piece, int times, const char *tail) {
    size_t n = strlen(piece);
    char *text = malloc(n * (size_t)times + strlen(tail) + 1);
    for (int i = 0; i < times; i++) memcpy(text + n * (size_t)i, piece, n);
    strcpy(text + n * (size_t)times, tail);
    return text;
}

static void assert_repeated(const char *piece, int times, const char *tail, int column, const char *words) {
    char *text = repeat(piece, times, tail);
    if (words != NULL)
        assert_refused(text, CARDAN_ERR_LIMIT, column, words);
    else
        crd_expr_free(compile(text));
    free(text);
}

static void depth_and_length_are_bounded(void **state) {
    (void)state;
    assert_repeated("(", 10000, "x", 129, "more than 128 brackets");
    assert_repeated("x^", 10000, "x", 129, "is too deep"); /* would need as many slots: whichever limit comes first */
    assert_repeated("x+(", 10000, "x", 193, "more than 64 values wait");
    assert_repeated("-(", 10000, "x", 257, "more than 128 brackets");
    assert_repeated("(", 65537, "", 65537, "longer than 65536 bytes");
    assert_repeated("x+", 32767, "x", 0, NULL);
    assert_repeated("-", 65535, "x", 0, NULL);
    char *closed = repeat(")", 127, ""), *text = repeat("(", 127, "x");
    char *whole = malloc(400);
    sprintf(whole, "%s%s", text, closed);
    crd_expr_free(compile(whole));
    free(closed), free(text), free(whole);
}

static void long_texts_are_cut_in_messages(void **state) {
    (void)state;
    CrdError error = {0};
    CrdExpr *e;
    char *text = repeat("x+", 1000, "#");
    assert_int_equal(crd_expr_compile(text, &SYMBOLS, &e, &error), CARDAN_ERR_MODEL);
    assert_int_equal(error.place.column, 2001);
    assert_true(strlen(error.text) < 200 && strstr(error.text, "'...x+") != NULL);
    free(text);
    assert_int_equal(crd_expr_compile(NULL, &SYMBOLS, &e, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(crd_expr_compile("x", NULL, &e, NULL), CARDAN_ERR_MODEL);
    assert_int_equal(crd_expr_compile("2*pi", NULL, &e, NULL), CARDAN_OK);
    crd_expr_free(e);
}

/* Pieces of the language in random order: whatever comes is compiled or refused with a sentence, and what compiles
 * gives a finite value or a sentence. */
static void random_texts_do_no_harm(void **state) {
    (void)state;
    const char *const pieces[] = {"x",   "y", "(",     ")",   ",",      "+",    "-",     "*",    "/",
                                  "^",   "<", "==",    "if(", "table(", "sin(", "sqrt(", "max(", "1",
                                  "2.5", "0", "1e300", "(x",  "log(",   "x)",   ",1",    "\xc3", " "};
    unsigned seed = 12345;
    for (int i = 0; i < 200000; i++) {
        char text[200] = "";
        int length = 1 + i % 14;
        for (int k = 0; k < length; k++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, pieces[(seed >> 8) % COUNT(pieces)]);
        }
        CrdError error = {0};
        CrdExpr *e;
        if (crd_expr_compile(text, &SYMBOLS, &e, &error) < 0) {
            assert_true(error.text[0] != '\0' && error.place.column >= 1);
            continue;
        }
        const CrdJet jets[VARIABLES] = {{0.5, 1.0, 0.0}, {-1.5, 0.5, 1.0}};
        const double variables[VARIABLES] = {0.5, -1.5};
        double value;
        CrdJet jet;
        CardanStatus status = crd_expr_value(e, variables, &value, &error);
        assert_true(status < 0 ? error.text[0] != '\0' : isfinite(value));
        if (crd_expr_held_jet(e, jets, NULL, &jet, NULL) >= 0) {
            assert_true(status >= 0 && jet.x == value && isfinite(jet.d1) && isfinite(jet.d2));
        }
        crd_expr_free(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_name_the_operation_and_the_column),
        cmocka_unit_test(derivatives_that_do_not_exist_are_faults_of_the_derivative_only),
        cmocka_unit_test(texts_that_make_no_sense_are_refused_with_a_sentence),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(long_texts_are_cut_in_messages),
        cmocka_unit_test(random_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
