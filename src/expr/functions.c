/* The functions of the language, one row each, and the derivatives of those of one argument. */
#include "expr/jet.h"
#include "expr/program.h"

#include "core/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double value_log(double x) {
    return x > 0.0 ? log(x) : CRD_UNDEFINED;
}

static double value_sign(double x) {
    return (x > 0.0) - (x < 0.0);
}

static double value_step(double x) {
    return x >= 0.0;
}

static CrdJet jet_sin(CrdJet a) {
    double s = sin(a.x), c = cos(a.x);
    return crd_jet_chain(a, s, c, -s);
}

static CrdJet jet_cos(CrdJet a) {
    double s = sin(a.x), c = cos(a.x);
    return crd_jet_chain(a, c, -s, -c);
}

static CrdJet jet_tan(CrdJet a) {
    double y = tan(a.x), f1 = 1.0 + y * y;
    return crd_jet_chain(a, y, f1, 2.0 * y * f1);
}

static CrdJet jet_asin(CrdJet a) {
    double f1 = 1.0 / sqrt((1.0 - a.x) * (1.0 + a.x)); /* without the cancellation of 1 - x^2 */
    return crd_jet_chain(a, asin(a.x), f1, a.x * f1 * f1 * f1);
}

static CrdJet jet_acos(CrdJet a) {
    double f1 = -1.0 / sqrt((1.0 - a.x) * (1.0 + a.x));
    return crd_jet_chain(a, acos(a.x), f1, a.x * f1 * f1 * f1);
}

static CrdJet jet_atan(CrdJet a) {
    double f1 = 1.0 / (1.0 + a.x * a.x);
    return crd_jet_chain(a, atan(a.x), f1, -2.0 * a.x * f1 * f1);
}

static CrdJet jet_sinh(CrdJet a) {
    double s = sinh(a.x), c = cosh(a.x);
    return crd_jet_chain(a, s, c, s);
}

static CrdJet jet_cosh(CrdJet a) {
    double s = sinh(a.x), c = cosh(a.x);
    return crd_jet_chain(a, c, s, c);
}

static CrdJet jet_tanh(CrdJet a) {
    double y = tanh(a.x), r = 1.0 / cosh(a.x); /* 1 - y^2 = r^2 without its cancellation; 0 when cosh overflows */
    return crd_jet_chain(a, y, r * r, -2.0 * y * r * r);
}

static CrdJet jet_exp(CrdJet a) {
    double y = exp(a.x);
    return crd_jet_chain(a, y, y, y);
}

static CrdJet jet_abs(CrdJet a) {
    double sign = a.x >= 0.0 ? 1.0 : -1.0;
    return (CrdJet){fabs(a.x), sign * a.d1, sign * a.d2};
}

static CrdJet jet_sign(CrdJet a) {
    return crd_jet_constant(value_sign(a.x));
}

static CrdJet jet_floor(CrdJet a) {
    return crd_jet_constant(floor(a.x));
}

static CrdJet jet_step(CrdJet a) {
    return crd_jet_constant(value_step(a.x));
}

/* ---- pieces of those with a kink ---- */

static CrdJet piece_abs(CrdJet a, int side) {
    return (CrdJet){side * a.x, side * a.d1, side * a.d2};
}

static CrdJet piece_sign(CrdJet a, int side) {
    (void)a;
    return crd_jet_constant(side);
}

static CrdJet piece_step(CrdJet a, int side) {
    (void)a;
    return crd_jet_constant(side > 0);
}

/* The whole number below is even on the side + of sin(pi a), odd on the other: the one of them that is nearest. */
static CrdJet piece_floor(CrdJet a, int side) {
    double odd = side > 0 ? 0.0 : 1.0;
    return crd_jet_constant(2.0 * floor(0.5 * (a.x + 0.5 - odd)) + odd);
}

enum { ANY = -1 };

/* Functions of one argument: smooth ones, and those with a kink or a jump at `where`. */
#define SMOOTH(word, f, f_jet, is, derivative)                                                                         \
    {                                                                                                                  \
        .name = word, .kind = CRD_CALL_FUNCTION, .min = 1, .max = 1, .op = CRD_OP_CALL, .value = f, .jet = f_jet,      \
        .arguments = "x", .summary = is, .slope = derivative                                                           \
    }
#define KINKED(word, f, f_jet, f_piece, at, is, derivative, where)                                                     \
    {                                                                                                                  \
        .name = word, .kind = CRD_CALL_FUNCTION, .min = 1, .max = 1, .op = CRD_OP_CALL, .value = f, .jet = f_jet,      \
        .kink = at, .piece = f_piece, .arguments = "x", .summary = is, .slope = derivative, .kinks = where             \
    }

#define SEVERAL(word, how, least, most, operation, of, is, derivative, where)                                          \
    {                                                                                                                  \
        .name = word, .kind = how, .min = least, .max = most, .op = operation, .arguments = of, .summary = is,         \
        .slope = derivative, .kinks = where                                                                            \
    }

static const CrdFunction FUNCTIONS[] = {
    SMOOTH("sin", sin, jet_sin, "sine of an angle in rad", "cos(x)"),
    SMOOTH("cos", cos, jet_cos, "cosine", "-sin(x)"),
    SMOOTH("tan", tan, jet_tan, "tangent", "1 + tan(x)^2"),
    SMOOTH("asin", asin, jet_asin, "angle from -pi/2 to pi/2 with that sine; -1 <= x <= 1", "1/sqrt(1 - x^2)"),
    SMOOTH("acos", acos, jet_acos, "angle from 0 to pi with that cosine; -1 <= x <= 1", "-1/sqrt(1 - x^2)"),
    SMOOTH("atan", atan, jet_atan, "angle between -pi/2 and pi/2 with that tangent", "1/(1 + x^2)"),
    SMOOTH("sinh", sinh, jet_sinh, "hyperbolic sine", "cosh(x)"),
    SMOOTH("cosh", cosh, jet_cosh, "hyperbolic cosine", "sinh(x)"),
    SMOOTH("tanh", tanh, jet_tanh, "hyperbolic tangent, a smooth sign", "1/cosh(x)^2"),
    SMOOTH("exp", exp, jet_exp, "exponential", "exp(x)"),
    SMOOTH("log", value_log, crd_jet_log, "natural logarithm; x > 0", "1/x"),
    SMOOTH("sqrt", sqrt, crd_jet_sqrt, "square root; x >= 0, for its derivative x > 0", "1/(2*sqrt(x))"),
    KINKED("abs", fabs, jet_abs, piece_abs, CRD_KINK_AT_ZERO, "absolute value", "sign(x), +1 at 0", "x = 0"),
    KINKED("sign", value_sign, jet_sign, piece_sign, CRD_KINK_AT_ZERO, "-1, 0 or 1", "0", "jumps at x = 0"),
    KINKED("floor", floor, jet_floor, piece_floor, CRD_KINK_AT_WHOLE, "largest whole number <= x", "0",
           "jumps where x is whole"),
    KINKED("step", value_step, jet_step, piece_step, CRD_KINK_AT_ZERO, "0 below zero, 1 from zero on: step(0) = 1", "0",
           "jumps at x = 0"),
    SEVERAL("atan2", CRD_CALL_BINARY, 2, 2, CRD_OP_ATAN2, "y, x", "angle of the point (x, y), from -pi to pi",
            "(x*y' - y*x')/(x^2 + y^2)", "jumps by a turn at y = 0 where x < 0"),
    SEVERAL("min", CRD_CALL_REDUCE, 1, ANY, CRD_OP_MIN, "a, b, ...", "the smallest", "that of the one taken",
            "two of them equal"),
    SEVERAL("max", CRD_CALL_REDUCE, 1, ANY, CRD_OP_MAX, "a, b, ...", "the largest", "that of the one taken",
            "two of them equal"),
    SEVERAL("if", CRD_CALL_IF, 3, 3, CRD_OP_UNLESS, "c, a, b",
            "a where c is not 0, else b; only the one taken is computed", "that of the one taken", "those of c"),
    SEVERAL("table", CRD_CALL_TABLE, 3, ANY, CRD_OP_TABLE, "x, x0,y0, x1,y1, ...",
            "straight lines between the points, constant outside them; x0 < x1 < ...", "slope of the line",
            "x at each breakpoint"),
};

enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

#ifndef NDEBUG
/* A function of one argument has a value and a derivative, and pieces where it has a kink; others have none of them. */
static bool is_whole(const CrdFunction *function) {
    bool one = function->kind == CRD_CALL_FUNCTION;
    return (function->value != NULL) == one && (function->jet != NULL) == one &&
           (function->piece != NULL) == (function->kink != CRD_SMOOTH);
}
#endif

const CrdFunction *crd_function_table(int *count) {
    *count = FUNCTION_COUNT;
    return FUNCTIONS;
}

const CrdFunction *crd_function_find(const char *name, size_t length) {
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        const char *known = FUNCTIONS[i].name;
        assert(is_whole(&FUNCTIONS[i]));
        if (strlen(known) == length && memcmp(known, name, length) == 0) return &FUNCTIONS[i];
    }
    return NULL;
}

const char *crd_function_nearest(const char *name, size_t length) {
    const char *names[FUNCTION_COUNT];
    for (int i = 0; i < FUNCTION_COUNT; i++) names[i] = FUNCTIONS[i].name;
    return crd_nearest_name(name, length, names, FUNCTION_COUNT);
}
