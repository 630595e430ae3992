/* Kinks and jumps of expressions: the arguments whose sign decides which piece of the law holds.
 *     a < b and the other comparisons, min(a, b), max(a, b)    a - b
 *     abs(a), sign(a), step(a)                                 a
 *     floor(a)                                                 sin(pi a): zero where a is whole
 *     table(x, x0,y0, ...)                                     x - x0, x - x1, ...
 * `if` has none of its own: its condition is a comparison or made of such. */
#include "core/numbers.h"
#include "expr/program.h"

#include <math.h>

int crd_kink_count(const CrdInstruction *in) {
    switch (in->op) {
    case CRD_OP_CALL:
        return in->as.function->kink != CRD_SMOOTH;
    case CRD_OP_TABLE:
        return in->as.points.count;
    case CRD_OP_FIRST_POINT:
    case CRD_OP_NEXT_POINT:
    case CRD_OP_MIN:
    case CRD_OP_MAX:
    case CRD_OP_LESS:
    case CRD_OP_LESS_EQUAL:
    case CRD_OP_GREATER:
    case CRD_OP_GREATER_EQUAL:
    case CRD_OP_EQUAL:
    case CRD_OP_NOT_EQUAL:
        return 1;
    default:
        return 0;
    }
}

void crd_kink_values(const CrdProgram *program, const CrdInstruction *in, const double *top, double *values) {
    if (crd_kink_count(in) == 0) return;
    switch (in->op) {
    case CRD_OP_CALL:
        values[0] =
            in->as.function->kink == CRD_KINK_AT_ZERO ? top[0] : sin(CRD_PI * (top[0] - 2.0 * floor(0.5 * top[0])));
        break;
    case CRD_OP_TABLE:
        for (int k = 0; k < in->as.points.count; k++)
            values[k] = top[0] - program->points[2 * (in->as.points.first + k)];
        break;
    case CRD_OP_FIRST_POINT:
        values[0] = top[-2] - top[-1];
        break; /* x  x0 y0 */
    case CRD_OP_NEXT_POINT:
        values[0] = top[-5] - top[-1];
        break; /* x y  x0 y0  x1 y1 */
    default:
        values[0] = top[-1] - top[0];
        break;
    }
}
