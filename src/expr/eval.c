/* Runs programs: once over numbers, once over jets. Every result is tested for being finite, so that a fault is found
 * at the instruction that makes it; only then is it asked why. */
#include "expr/jet.h"
#include "expr/program.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static bool fault_at(CrdFault *fault, int column, const char *format, ...) CRD_PRINTF(3, 4);

static bool fault_at(CrdFault *fault, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fault->column = column;
    vsnprintf(fault->what, sizeof fault->what, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- why a result is not finite; always false ---- */

static bool explain_binary(CrdFault *fault, const CrdInstruction *in, double a, double b) {
    static const char *const NAMES[] = {[CRD_OP_ADD] = "the sum",
                                        [CRD_OP_SUBTRACT] = "the difference",
                                        [CRD_OP_MULTIPLY] = "the product",
                                        [CRD_OP_DIVIDE] = "the quotient"};
    if (in->op == CRD_OP_DIVIDE && b == 0.0) return fault_at(fault, in->column, "division of %g by zero", a);
    if (in->op != CRD_OP_POWER) return fault_at(fault, in->column, "%s of %g and %g overflows", NAMES[in->op], a, b);
    if (a == 0.0) return fault_at(fault, in->column, "zero to the negative power %g", b);
    if (a < 0.0 && b != floor(b)) {
        return fault_at(fault, in->column, "(%g)^%.17g: a negative number to a power that is no whole number", a, b);
    }
    return fault_at(fault, in->column, "%g^%g overflows", a, b);
}

static bool explain_call(CrdFault *fault, const CrdInstruction *in, double x, double y) {
    const char *why = isnan(y) ? "is not defined" : "overflows";
    return fault_at(fault, in->column, "%s(%.17g) %s", in->as.function->name, x, why);
}

static bool explain_derivative(CrdFault *fault, const CrdInstruction *in, double x) {
    static const char *const NAMES[] = {[CRD_OP_TABLE] = "table",          [CRD_OP_NEXT_POINT] = "table",
                                        [CRD_OP_ADD] = "the sum",          [CRD_OP_SUBTRACT] = "the difference",
                                        [CRD_OP_MULTIPLY] = "the product", [CRD_OP_DIVIDE] = "the quotient",
                                        [CRD_OP_POWER] = "the power",      [CRD_OP_ATAN2] = "atan2"};
    if (in->op == CRD_OP_VARIABLE) return fault_at(fault, in->column, "the derivative of the variable is not finite");
    const char *name = in->op == CRD_OP_CALL ? in->as.function->name : NAMES[in->op];
    return fault_at(fault, in->column, "%s has no finite derivative where its first operand is %.17g", name, x);
}

/* ---- steps ---- */

static double binary_value(CrdOp op, double a, double b) {
    switch (op) {
    case CRD_OP_ADD:
        return a + b;
    case CRD_OP_SUBTRACT:
        return a - b;
    case CRD_OP_MULTIPLY:
        return a * b;
    case CRD_OP_DIVIDE:
        return a / b;
    case CRD_OP_POWER:
        return crd_power(a, b);
    case CRD_OP_ATAN2:
        return atan2(a, b);
    case CRD_OP_MIN:
        return b < a ? b : a;
    case CRD_OP_MAX:
        return b > a ? b : a;
    case CRD_OP_LESS:
        return a < b;
    case CRD_OP_LESS_EQUAL:
        return a <= b;
    case CRD_OP_GREATER:
        return a > b;
    case CRD_OP_GREATER_EQUAL:
        return a >= b;
    case CRD_OP_EQUAL:
        return a == b;
    case CRD_OP_NOT_EQUAL:
        return a != b;
    default:
        return CRD_UNDEFINED;
    }
}

static CrdJet binary_jet(CrdOp op, CrdJet a, CrdJet b) {
    switch (op) {
    case CRD_OP_ADD:
        return crd_jet_add(a, b);
    case CRD_OP_SUBTRACT:
        return crd_jet_subtract(a, b);
    case CRD_OP_MULTIPLY:
        return crd_jet_multiply(a, b);
    case CRD_OP_DIVIDE:
        return crd_jet_divide(a, b);
    case CRD_OP_POWER:
        return crd_jet_power(a, b);
    case CRD_OP_ATAN2:
        return crd_jet_atan2(a, b);
    case CRD_OP_MIN:
        return b.x < a.x ? b : a;
    case CRD_OP_MAX:
        return b.x > a.x ? b : a;
    default:
        return crd_jet_constant(binary_value(op, a.x, b.x)); /* comparisons */
    }
}

/* Is x at or beyond a point? */
static bool beyond(double x, double point, const CrdSide *sides, int kink) {
    return sides != NULL && sides[kink] != 0 ? sides[kink] > 0 : x >= point;
}

/* The piece of a constant table x lies in: 0 before the first point, count from the last one on. */
static int find_piece(const double *points, int count, double x, const CrdSide *sides, int kink) {
    assert(count > 0);
    int low = 0, high = count; /* points[low - 1] <= x < points[high] */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (beyond(x, points[2 * middle], sides, kink + middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double table_value(const CrdProgram *program, const CrdInstruction *in, double x, const CrdSide *sides) {
    int count = in->as.points.count;
    const double *points = program->points + 2 * in->as.points.first;
    int piece = find_piece(points, count, x, sides, in->kink);
    if (piece == 0) return points[1];
    const double *p = points + 2 * (piece - 1);
    return piece == count ? p[1] : crd_between(x, p[0], p[1], p[2], p[3]);
}

static CrdJet table_jet(const CrdProgram *program, const CrdInstruction *in, CrdJet x, const CrdSide *sides) {
    int count = in->as.points.count;
    const double *points = program->points + 2 * in->as.points.first;
    int piece = find_piece(points, count, x.x, sides, in->kink);
    if (piece == 0) return crd_jet_constant(points[1]);
    const double *p = points + 2 * (piece - 1);
    if (piece == count) return crd_jet_constant(p[1]);
    double slope = (p[3] - p[1]) / (p[2] - p[0]);
    return crd_jet_chain(x, crd_between(x.x, p[0], p[1], p[2], p[3]), slope, 0.0);
}

static bool check_points(CrdFault *fault, const CrdInstruction *in, double before, double x) {
    if (x > before && isfinite(x - before)) return true;
    return fault_at(fault, in->column, "breakpoints of table must increase: %.17g after %.17g", x, before);
}

/* Stack at s: x, y so far, x0, y0, x1, y1. */
static bool next_point(double *s, const CrdInstruction *in, const CrdSide *sides, CrdFault *fault) {
    if (!check_points(fault, in, s[2], s[4])) return false;
    if (beyond(s[0], s[2], sides, in->as.index))
        s[1] = !beyond(s[0], s[4], sides, in->kink) ? crd_between(s[0], s[2], s[3], s[4], s[5]) : s[5];
    s[2] = s[4];
    s[3] = s[5];
    return isfinite(s[1]) || fault_at(fault, in->column, "table overflows at %.17g", s[0]);
}

static bool next_point_jet(CrdJet *jet, int order, const CrdInstruction *in, const CrdSide *sides, CrdFault *fault) {
    if (!check_points(fault, in, jet[2].x, jet[4].x)) return false;
    if (beyond(jet[0].x, jet[2].x, sides, in->as.index))
        jet[1] = !beyond(jet[0].x, jet[4].x, sides, in->kink) ? crd_jet_between(jet[0], jet[2], jet[3], jet[4], jet[5])
                                                              : jet[5];
    jet[2] = jet[4];
    jet[3] = jet[5];
    if (order < 2) jet[1].d2 = 0.0;
    if (!isfinite(jet[1].x)) return fault_at(fault, in->column, "table overflows at %.17g", jet[0].x);
    return crd_jet_is_finite(jet[1]) || explain_derivative(fault, in, jet[0].x);
}

/* x x0 y0 -> x y0 x0 y0, the last of them at top. */
static double *first_point(double *top) {
    top[1] = top[0];
    top[0] = top[-1];
    top[-1] = top[1];
    return top + 1;
}

static CrdJet *first_point_jet(CrdJet *top) {
    top[1] = top[0];
    top[0] = top[-1];
    top[-1] = top[1];
    return top + 1;
}

/* Is the result y of an instruction good? a, b are its operands. */
static bool check_value(CrdFault *fault, const CrdInstruction *in, double a, double b, double y) {
    if (isfinite(y)) return true;
    switch (in->op) {
    case CRD_OP_VARIABLE:
        return fault_at(fault, in->column, "the variable is not finite");
    case CRD_OP_CALL:
        return explain_call(fault, in, a, y);
    case CRD_OP_TABLE:
        return fault_at(fault, in->column, "table overflows at %.17g", a);
    default:
        return explain_binary(fault, in, a, b);
    }
}

static bool check_jet(CrdFault *fault, const CrdInstruction *in, double a, double b, CrdJet y) {
    if (crd_jet_is_finite(y)) return true;
    return check_value(fault, in, a, b, y.x) && explain_derivative(fault, in, a);
}

/* ---- the two machines; top points at the highest value of the stack, stack[0] lies under the lowest ---- */

/* First kink at or after an instruction. */
static int kink_from(const CrdProgram *program, int i) {
    return i < program->count ? program->code[i].kink : program->kinks;
}

/* Is the sign of this instruction's argument held? */
static inline bool is_held(const CrdInstruction *in, const CrdSide *sides) {
    return sides != NULL && crd_kink_count(in) == 1 && sides[in->kink] != 0;
}

static double held_binary(const CrdInstruction *in, const CrdSide *sides, double a, double b) {
    if (in->op == CRD_OP_ATAN2) return atan2(a, b) + crd_held_turn(a, b, sides[in->kink]);
    if (in->op != CRD_OP_MIN && in->op != CRD_OP_MAX) return crd_held_comparison(in->op, sides[in->kink]);
    return crd_held_takes_second(in->op, sides[in->kink]) ? b : a;
}

static CrdJet held_binary_jet(const CrdInstruction *in, const CrdSide *sides, CrdJet a, CrdJet b) {
    if (in->op == CRD_OP_ATAN2) {
        CrdJet angle = crd_jet_atan2(a, b);
        angle.x += crd_held_turn(a.x, b.x, sides[in->kink]);
        return angle;
    }
    if (in->op != CRD_OP_MIN && in->op != CRD_OP_MAX)
        return crd_jet_constant(crd_held_comparison(in->op, sides[in->kink]));
    return crd_held_takes_second(in->op, sides[in->kink]) ? b : a;
}

/* kinks NULL: not wanted; where they are, those of instructions that are not run are 0. */
static inline bool run_value(const CrdProgram *program, const double *variables, const CrdSide *sides, double *kinks,
                             double *value, CrdFault *fault) {
    double stack[CRD_EXPR_MAX_DEPTH + 1], *top = stack;
    stack[0] = 0.0;
    for (int i = 0; i < program->count; i++) {
        const CrdInstruction *in = &program->code[i];
        double a = top[0], b = 0.0;
        assert(top >= stack && top - stack <= CRD_EXPR_MAX_DEPTH);
        if (kinks != NULL) {
            crd_kink_values(program, in, top, kinks + in->kink);
            if (in->op == CRD_OP_JUMP || (in->op == CRD_OP_UNLESS && a == 0.0))
                for (int k = in->kink; k < kink_from(program, i + 1 + in->as.index); k++) kinks[k] = 0.0;
        }
        switch (in->op) {
        case CRD_OP_CONSTANT:
            *++top = in->as.number;
            continue;
        case CRD_OP_NEGATE:
            *top = -a;
            continue;
        case CRD_OP_JUMP:
            i += in->as.index;
            continue;
        case CRD_OP_UNLESS:
            top--;
            if (a == 0.0) i += in->as.index;
            continue;
        case CRD_OP_FIRST_POINT:
            top = first_point(top);
            continue;
        case CRD_OP_NEXT_POINT:
            top -= 2;
            if (!next_point(top - 3, in, sides, fault)) return false;
            continue;
        case CRD_OP_END_TABLE:
            top -= 3;
            top[0] = top[1];
            continue;
        case CRD_OP_VARIABLE:
            assert(variables != NULL); /* or it would be a constant */
            *++top = variables[in->as.index];
            break;
        case CRD_OP_CALL:
            *top = is_held(in, sides) ? in->as.function->piece(crd_jet_constant(a), sides[in->kink]).x
                                      : in->as.function->value(a);
            break;
        case CRD_OP_TABLE:
            *top = table_value(program, in, a, sides);
            break;
        default:
            b = *top--;
            a = *top;
            *top = is_held(in, sides) ? held_binary(in, sides, a, b) : binary_value(in->op, a, b);
        }
        if (!check_value(fault, in, a, b, *top)) return false;
    }
    assert(top == stack + 1);
    *value = *top;
    return true;
}

bool crd_run_value(const CrdProgram *program, const double *variables, const CrdSide *sides, double *value,
                   CrdFault *fault) {
    if (sides != NULL) return run_value(program, variables, sides, NULL, value, fault);
    return run_value(program, variables, NULL, NULL, value, fault);
}

bool crd_run_kinks(const CrdProgram *program, const double *variables, const CrdSide *sides, double *kinks,
                   CrdFault *fault) {
    double value;
    return run_value(program, variables, sides, kinks, &value, fault);
}

bool crd_run_jet(const CrdProgram *program, int order, const CrdJet *variables, const CrdSide *sides, CrdJet *kinks,
                 CrdJet *value, CrdFault *fault) {
    assert(order == 2 || (order == 1 && kinks == NULL));
    CrdJet stack[CRD_EXPR_MAX_DEPTH + 1], *top = stack;
    stack[0] = crd_jet_constant(0.0);
    for (int i = 0; i < program->count; i++) {
        const CrdInstruction *in = &program->code[i];
        CrdJet a = top[0], b = stack[0];
        assert(top >= stack && top - stack <= CRD_EXPR_MAX_DEPTH);
        if (kinks != NULL) {
            crd_kink_jets(program, in, top, kinks + in->kink);
            if (in->op == CRD_OP_JUMP || (in->op == CRD_OP_UNLESS && a.x == 0.0))
                for (int k = in->kink; k < kink_from(program, i + 1 + in->as.index); k++) kinks[k] = stack[0];
        }
        switch (in->op) {
        case CRD_OP_CONSTANT:
            *++top = crd_jet_constant(in->as.number);
            continue;
        case CRD_OP_NEGATE:
            *top = (CrdJet){-a.x, -a.d1, -a.d2};
            continue;
        case CRD_OP_JUMP:
            i += in->as.index;
            continue;
        case CRD_OP_UNLESS:
            top--;
            if (a.x == 0.0) i += in->as.index;
            continue;
        case CRD_OP_FIRST_POINT:
            top = first_point_jet(top);
            continue;
        case CRD_OP_NEXT_POINT:
            top -= 2;
            if (!next_point_jet(top - 3, order, in, sides, fault)) return false;
            continue;
        case CRD_OP_END_TABLE:
            top -= 3;
            top[0] = top[1];
            continue;
        case CRD_OP_VARIABLE:
            *++top = variables[in->as.index];
            break;
        case CRD_OP_CALL:
            *top = is_held(in, sides) ? in->as.function->piece(a, sides[in->kink]) : in->as.function->jet(a);
            break;
        case CRD_OP_TABLE:
            *top = table_jet(program, in, a, sides);
            break;
        default:
            b = *top--;
            a = *top;
            *top = is_held(in, sides) ? held_binary_jet(in, sides, a, b) : binary_jet(in->op, a, b);
        }
        if (order < 2) top->d2 = 0.0;
        if (!check_jet(fault, in, a.x, b.x, *top)) return false;
    }
    assert(top == stack + 1);
    *value = *top;
    return true;
}
