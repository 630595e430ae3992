/* The functions of the language, one row each, and the derivatives of those of one argument. */
#include "expr/jet.h"
#include "expr/program.h"

#include "core/text.h"

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

static CrdJet jet_log(CrdJet a) {
    double f1 = 1.0 / a.x;
    return crd_jet_chain(a, value_log(a.x), f1, -f1 * f1);
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

static const CrdFunction FUNCTIONS[] = {
    /* name, kind, least, most arguments, op, value, jet, kink, piece */
    {"sin", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, sin, jet_sin, CRD_SMOOTH, NULL},
    {"cos", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, cos, jet_cos, CRD_SMOOTH, NULL},
    {"tan", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, tan, jet_tan, CRD_SMOOTH, NULL},
    {"asin", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, asin, jet_asin, CRD_SMOOTH, NULL},
    {"acos", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, acos, jet_acos, CRD_SMOOTH, NULL},
    {"atan", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, atan, jet_atan, CRD_SMOOTH, NULL},
    {"sinh", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, sinh, jet_sinh, CRD_SMOOTH, NULL},
    {"cosh", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, cosh, jet_cosh, CRD_SMOOTH, NULL},
    {"tanh", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, tanh, jet_tanh, CRD_SMOOTH, NULL},
    {"exp", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, exp, jet_exp, CRD_SMOOTH, NULL},
    {"log", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, value_log, jet_log, CRD_SMOOTH, NULL},
    {"sqrt", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, sqrt, crd_jet_sqrt, CRD_SMOOTH, NULL},
    {"abs", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, fabs, jet_abs, CRD_KINK_AT_ZERO, piece_abs},
    {"sign", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, value_sign, jet_sign, CRD_KINK_AT_ZERO, piece_sign},
    {"floor", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, floor, jet_floor, CRD_KINK_AT_WHOLE, piece_floor},
    {"step", CRD_CALL_FUNCTION, 1, 1, CRD_OP_CALL, value_step, jet_step, CRD_KINK_AT_ZERO, piece_step},
    {"atan2", CRD_CALL_BINARY, 2, 2, CRD_OP_ATAN2, NULL, NULL, CRD_SMOOTH, NULL},
    {"min", CRD_CALL_REDUCE, 1, ANY, CRD_OP_MIN, NULL, NULL, CRD_SMOOTH, NULL},
    {"max", CRD_CALL_REDUCE, 1, ANY, CRD_OP_MAX, NULL, NULL, CRD_SMOOTH, NULL},
    {"if", CRD_CALL_IF, 3, 3, CRD_OP_UNLESS, NULL, NULL, CRD_SMOOTH, NULL},
    {"table", CRD_CALL_TABLE, 3, ANY, CRD_OP_TABLE, NULL, NULL, CRD_SMOOTH, NULL},
};

enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

const CrdFunction *crd_function_find(const char *name, size_t length) {
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        const char *known = FUNCTIONS[i].name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return &FUNCTIONS[i];
    }
    return NULL;
}

const char *crd_function_nearest(const char *name, size_t length) {
    const char *names[FUNCTION_COUNT];
    for (int i = 0; i < FUNCTION_COUNT; i++) names[i] = FUNCTIONS[i].name;
    return crd_nearest_name(name, length, names, FUNCTION_COUNT);
}
