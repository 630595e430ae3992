/* Kinks and jumps of expressions: the arguments whose sign decides which piece of the law holds.
 *     a < b and the other comparisons, min(a, b), max(a, b)    a - b
 *     abs(a), sign(a), step(a)                                 a
 *     floor(a)                                                 sin(pi a): zero where a is whole
 *     atan2(y, x)                                              y: its jump by a turn is where y changes its sign, x < 0
 *     table(x, x0,y0, ...)                                     x - x0, x - x1, ...
 * `if` has none of its own: its condition is a comparison or made of such. */
#include "core/numbers.h"
#include "expr/jet.h"
#include "expr/program.h"

#include <assert.h>
#include <math.h>

int crd_kink_count(const CrdInstruction *in) {
    switch (in->op) {
    case CRD_OP_CALL:
        return in->as.function->kink != CRD_SMOOTH;
    case CRD_OP_TABLE:
        return in->as.points.count;
    case CRD_OP_FIRST_POINT:
    case CRD_OP_NEXT_POINT:
    case CRD_OP_ATAN2:
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
    case CRD_OP_ATAN2:
        values[0] = top[-1];
        break;
    default:
        values[0] = top[-1] - top[0];
        break;
    }
}

/* The same for jets. Written apart: the values are taken in every look along a step, the jets only where the time alone
 * decides. */
void crd_kink_jets(const CrdProgram *program, const CrdInstruction *in, const CrdJet *top, CrdJet *values) {
    if (crd_kink_count(in) == 0) return;
    switch (in->op) {
    case CRD_OP_CALL:
        values[0] = top[0];
        if (in->as.function->kink == CRD_KINK_AT_WHOLE) {
            double turn = CRD_PI * (top[0].x - 2.0 * floor(0.5 * top[0].x)), s = sin(turn), c = CRD_PI * cos(turn);
            values[0] = crd_jet_chain(top[0], s, c, -CRD_PI * CRD_PI * s);
        }
        break;
    case CRD_OP_TABLE:
        for (int k = 0; k < in->as.points.count; k++) {
            values[k] = top[0];
            values[k].x -= program->points[2 * (in->as.points.first + k)];
        }
        break;
    case CRD_OP_FIRST_POINT:
        values[0] = crd_jet_subtract(top[-2], top[-1]);
        break;
    case CRD_OP_NEXT_POINT:
        values[0] = crd_jet_subtract(top[-5], top[-1]);
        break;
    case CRD_OP_ATAN2:
        values[0] = top[-1];
        break;
    default:
        values[0] = crd_jet_subtract(top[-1], top[0]);
        break;
    }
}

int crd_kink_number(CrdInstruction *code, int count) {
    int kinks = 0, point[CRD_EXPR_MAX_NESTING + 1], tables = 0; /* last point of each table being made */
    for (int i = 0; i < count; i++) {
        code[i].kink = kinks;
        assert(tables >= 0 && tables <= CRD_EXPR_MAX_NESTING);
        if (code[i].op == CRD_OP_FIRST_POINT) point[tables++] = kinks;
        if (code[i].op == CRD_OP_END_TABLE) tables--;
        if (code[i].op == CRD_OP_NEXT_POINT) {
            assert(tables > 0);
            code[i].as.index = point[tables - 1];
            point[tables - 1] = kinks;
        }
        kinks += crd_kink_count(&code[i]);
    }
    assert(tables == 0); /* every table that was begun is ended */
    return kinks;
}

double crd_held_turn(double y, double x, int side) {
    assert(side == 1 || side == -1);
    if (!(x < 0.0) || (y >= 0.0) == (side > 0)) return 0.0;
    return side > 0 ? 2.0 * CRD_PI : -2.0 * CRD_PI;
}

bool crd_held_takes_second(CrdOp op, int side) {
    assert((op == CRD_OP_MIN || op == CRD_OP_MAX) && side != 0);
    return op == CRD_OP_MIN ? side > 0 : side < 0;
}

double crd_held_comparison(CrdOp op, int side) {
    assert(op >= CRD_OP_LESS && op <= CRD_OP_NOT_EQUAL && side != 0);
    switch (op) {
    case CRD_OP_LESS:
    case CRD_OP_LESS_EQUAL:
        return side < 0;
    case CRD_OP_GREATER:
    case CRD_OP_GREATER_EQUAL:
        return side > 0;
    default:
        return op == CRD_OP_NOT_EQUAL;
    }
}
