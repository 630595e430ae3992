/* Coordinates of joints, b against a, zero in the pose as written.
 * Angle, plane:   angle_b - angle_a - turn0.
 * Angle, space:   atan2(Y, X), Y = e2 . f1 - e1 . f2, X = e1 . f1 + e2 . f2 with e fixed in a and f in b across the axis;
 *                 d(e . f) = (w_b - w_a) . (f x e) in ground axes, so the gradient is n on b and -n on a,
 *                 n = (X (f1 x e2 - f2 x e1) - Y (f1 x e1 + f2 x e2)) / (X^2 + Y^2).
 * Displacement:   (R_a axis) . (p_b - p_a) - along0.
 * Length:         |p_b - p_a|. */
#include "core/numbers.h"
#include "joint/direction.h"
#include "joint/joint.h"

#include <string.h>

static void planar_angle(const CrdJointData *j, const CrdPair *p, CrdCoordinate *out) {
    out->value = p->b->angle - p->a->angle - j->turn0;
    out->a[5] = -1.0;
    out->b[5] = 1.0;
}

static void spatial_angle(const CrdJointData *j, const CrdPair *p, double near, CrdCoordinate *out) {
    const double *ra = p->a->rotation, *rb = p->b->rotation;
    CrdVec e1 = crd_apply(ra, j->ea[0]), e2 = crd_apply(ra, j->ea[1]);
    CrdVec f1 = crd_apply(rb, j->eb[0]), f2 = crd_apply(rb, j->eb[1]);
    double y = crd_dot(e2, f1) - crd_dot(e1, f2), x = crd_dot(e1, f1) + crd_dot(e2, f2);
    CrdVec dy = crd_sub(crd_cross(f1, e2), crd_cross(f2, e1)), dx = crd_add(crd_cross(f1, e1), crd_cross(f2, e2));
    CrdVec n = crd_scale(1.0 / (x * x + y * y), crd_axpy(crd_scale(x, dy), -y, dx));
    double angle = atan2(y, x);
    out->value = angle + 2.0 * CRD_PI * round((near - angle) / (2.0 * CRD_PI));
    crd_put(out->a + 3, crd_neg(crd_apply_t(ra, n)));
    crd_put(out->b + 3, crd_apply_t(rb, n));
}

static void displacement(const CrdJointData *j, const CrdPair *p, CrdCoordinate *out) {
    CrdGap gap = crd_gap_of(j, p);
    double bias;
    crd_direction_row(j, p, &gap, j->axis_a, &out->value, &bias, out->a, out->b);
    out->value -= j->along0;
}

static void length(const CrdJointData *j, const CrdPair *p, CrdCoordinate *out) {
    CrdGap gap = crd_gap_of(j, p);
    out->value = crd_norm(gap.d);
    CrdVec n = crd_scale(1.0 / out->value, gap.d);
    crd_put(out->a, crd_neg(n));
    crd_put(out->a + 3, crd_neg(crd_cross(j->la, crd_apply_t(p->a->rotation, n))));
    crd_put(out->b, n);
    crd_put(out->b + 3, crd_cross(j->lb, crd_apply_t(p->b->rotation, n)));
}

static double row_times_twist(const double *row, const CardanFrame *f) {
    return crd_dot(crd_vec_of(row), f->v) + crd_dot(crd_vec_of(row + 3), f->w);
}

void crd_joint_coordinate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double near,
                          CrdCoordinate *out) {
    memset(out, 0, sizeof *out);
    switch (kind->coordinate) {
    case CARDAN_NO_COORDINATE: return;
    case CARDAN_ANGLE: joint->planar ? planar_angle(joint, pair, out) : spatial_angle(joint, pair, near, out); break;
    case CARDAN_DISPLACEMENT: displacement(joint, pair, out); break;
    case CARDAN_LENGTH: length(joint, pair, out); break;
    }
    out->rate = row_times_twist(out->a, pair->a) + row_times_twist(out->b, pair->b);
}

bool crd_joint_counts_turns(const CrdJointKind *kind, CardanSpace space) {
    return kind->coordinate == CARDAN_ANGLE && space == CARDAN_SPATIAL;
}

double crd_joint_turn_rate(const CrdJointData *joint, const CrdPair *pair) {
    CrdVec u = crd_apply(pair->a->rotation, joint->axis_a);
    return crd_dot(u, crd_apply(pair->b->rotation, pair->b->w)) - crd_dot(joint->axis_a, pair->a->w);
}
