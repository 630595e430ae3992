/* Off: the joint's point of b stays on the line through that of a along a's axis.
 *     g = (R_a e) . (p_b - p_a)   for the directions e across the axis; formulas in direction.h */
#include "joint/direction.h"
#include "joint/part.h"

static void rows_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CrdGap gap = crd_gap_of(j, p);
    for (int k = 0; k < (j->planar ? 1 : 2); k++) {
        double bias;
        crd_direction_row(j, p, &gap, j->ea[k], &out.g[k], &bias, out.a[k], out.b[k]);
        out.rate_t[k] = 0.0;
        out.gamma[k] = -bias;
    }
}

static void gradient_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    CrdGap gap = crd_gap_of(j, p);
    for (int k = 0; k < (j->planar ? 1 : 2); k++)
        crd_direction_gradient(j, p, &gap, j->ea[k], out.a[k], out.b[k]);
}

const CrdPart crd_part_off = {.rows = {1, 2}, .rows_of = rows_of, .gradient_of = gradient_of};
