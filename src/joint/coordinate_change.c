/* Derivatives of joint coordinates along changes of the frames: of the value, of the rate and of the twist rows, by the
 * formulas of coordinate.c. With row the twist rows,
 *     d value = row . (x, turn),      d rate = d row . (v, w) + row . (d v, d w). */
#include "joint/change.h"
#include "joint/direction.h"

#include <assert.h>
#include <string.h>

static void spatial_angle(const CrdJointData *data, const CrdPair *pair, const CrdChange *da, const CrdChange *db,
                          CrdCoordinate *out) {
    const double *ra = pair->a->rotation, *rb = pair->b->rotation;
    CrdVec e1 = crd_apply(ra, data->ea[0]), e2 = crd_apply(ra, data->ea[1]);
    CrdVec f1 = crd_apply(rb, data->eb[0]), f2 = crd_apply(rb, data->eb[1]);
    CrdVec de1 = crd_carried_change(pair->a, da, data->ea[0]), de2 = crd_carried_change(pair->a, da, data->ea[1]);
    CrdVec df1 = crd_carried_change(pair->b, db, data->eb[0]), df2 = crd_carried_change(pair->b, db, data->eb[1]);
    double y = crd_dot(e2, f1) - crd_dot(e1, f2), x = crd_dot(e1, f1) + crd_dot(e2, f2);
    double dy = crd_dot(de2, f1) + crd_dot(e2, df1) - crd_dot(de1, f2) - crd_dot(e1, df2);
    double dx = crd_dot(de1, f1) + crd_dot(e1, df1) + crd_dot(de2, f2) + crd_dot(e2, df2);
    /* n = (x turn_y - y turn_x) / (x^2 + y^2) */
    CrdVec turn_y = crd_sub(crd_cross(f1, e2), crd_cross(f2, e1));
    CrdVec turn_x = crd_add(crd_cross(f1, e1), crd_cross(f2, e2));
    CrdVec dturn_y =
        crd_sub(crd_add(crd_cross(df1, e2), crd_cross(f1, de2)), crd_add(crd_cross(df2, e1), crd_cross(f2, de1)));
    CrdVec dturn_x =
        crd_add(crd_add(crd_cross(df1, e1), crd_cross(f1, de1)), crd_add(crd_cross(df2, e2), crd_cross(f2, de2)));
    double square = x * x + y * y, dsquare = 2.0 * (x * dx + y * dy);
    CrdVec n = crd_scale(1.0 / square, crd_axpy(crd_scale(x, turn_y), -y, turn_x));
    CrdVec top = crd_sub(crd_axpy(crd_scale(dx, turn_y), x, dturn_y), crd_axpy(crd_scale(dy, turn_x), y, dturn_x));
    CrdVec dn = crd_scale(1.0 / square, crd_axpy(top, -dsquare, n));
    crd_put(out->a + 3, crd_neg(crd_own_change(pair->a, da, crd_apply_t(ra, n), dn)));
    crd_put(out->b + 3, crd_own_change(pair->b, db, crd_apply_t(rb, n), dn));
}

/* (-u, e x R_a^T arm) and (u, l_b x R_b^T u), u = R_a e, arm = p_b - x_a. */
static void displacement(const CrdJointData *data, const CrdPair *pair, const CrdChange *da, const CrdChange *db,
                         CrdCoordinate *out) {
    CrdVec e = data->axis_a, u = crd_apply(pair->a->rotation, e), du = crd_carried_change(pair->a, da, e);
    CrdVec arm = crd_sub(crd_point_of(pair->b, data->lb).p, pair->a->x);
    CrdVec darm = crd_sub(crd_point_change(pair->b, db, data->lb).p, da->x);
    crd_put(out->a, crd_neg(du));
    crd_put(out->a + 3, crd_cross(e, crd_own_change(pair->a, da, crd_apply_t(pair->a->rotation, arm), darm)));
    crd_put(out->b, du);
    crd_put(out->b + 3, crd_cross(data->lb, crd_own_change(pair->b, db, crd_apply_t(pair->b->rotation, u), du)));
}

/* -(n, l_a x R_a^T n) and (n, l_b x R_b^T n), n = d / |d|. */
static void length(const CrdJointData *data, const CrdPair *pair, const CrdChange *da, const CrdChange *db,
                   CrdCoordinate *out) {
    CrdGap gap = crd_gap_of(data, pair);
    double distance = crd_norm(gap.d);
    CrdVec n = crd_scale(1.0 / distance, gap.d);
    CrdVec dd = crd_sub(crd_point_change(pair->b, db, data->lb).p, crd_point_change(pair->a, da, data->la).p);
    CrdVec dn = crd_scale(1.0 / distance, crd_axpy(dd, -crd_dot(n, dd), n));
    crd_put(out->a, crd_neg(dn));
    crd_put(out->a + 3,
            crd_neg(crd_cross(data->la, crd_own_change(pair->a, da, crd_apply_t(pair->a->rotation, n), dn))));
    crd_put(out->b, dn);
    crd_put(out->b + 3, crd_cross(data->lb, crd_own_change(pair->b, db, crd_apply_t(pair->b->rotation, n), dn)));
}

static double times(const double *row, CrdVec v, CrdVec w) {
    return crd_dot(crd_vec_of(row), v) + crd_dot(crd_vec_of(row + 3), w);
}

void crd_joint_coordinate_change(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair,
                                 const CrdChange *change, const CrdChange *b, CrdCoordinate *out) {
    assert(which <= CARDAN_COORDINATE_LENGTH);
    memset(out, 0, sizeof *out);
    if (which == CARDAN_COORDINATE_ANGLE && joint->planar) { /* its rows are constant */
        out->value = b->turn.z - change->turn.z;
        out->rate = b->w.z - change->w.z;
        return;
    }
    CrdCoordinate here;
    crd_joint_coordinate(which, joint, pair, &here);
    switch (which) {
    case CARDAN_COORDINATE_NONE:
        return;
    case CARDAN_COORDINATE_ANGLE:
        spatial_angle(joint, pair, change, b, out);
        break;
    case CARDAN_COORDINATE_DISPLACEMENT:
        displacement(joint, pair, change, b, out);
        break;
    case CARDAN_COORDINATE_LENGTH:
        length(joint, pair, change, b, out);
        break;
    }
    out->value = times(here.a, change->x, change->turn) + times(here.b, b->x, b->turn);
    out->rate = times(out->a, pair->a->v, pair->a->w) + times(out->b, pair->b->v, pair->b->w) +
                times(here.a, change->v, change->w) + times(here.b, b->v, b->w);
}
