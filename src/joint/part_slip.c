/* Slip: the velocity of b's material point at C against a's at the same place has no component along e.
 *     psi = e . (v_b + w_b x (C - x_b) - v_a - w_a x (C - x_a)) = 0        (w in ground axes here)
 *     A_b = (e, R_b^T ((C - x_b) x e))      A_a = -(e, R_a^T ((C - x_a) x e))
 * At fixed v, w (own axes) a small displacement with rotations t_a, t_b changes psi by
 *     delta e . slip + e . ((t_b x w_b) x (C - x_b) + w_b x (delta C - delta x_b) - the same of a)
 * which gives the gradient column by column and, with the motion itself for the displacement, -gamma.
 * Rolling:    C where the wheel touches (contact.h), e the directions across the normal, fixed in a.
 * Knife edge: C the joint's point of b, e its axis, fixed in b. */
#include "joint/contact.h"
#include "joint/part.h"

#include <assert.h>

typedef struct Slip {
    const CrdJointData *joint;
    const CrdPair *pair;
    bool edge;           /* a knife edge; else rolling */
    CrdVec at, velocity; /* C; of b against a there */
    CrdVec wa, wb;       /* ground axes */
    CrdVec ra, rb;       /* C - x_a, C - x_b */
} Slip;

static Slip slip_of(const CrdJointData *data, const CrdPair *pair, bool edge) {
    assert(edge || crd_wheel(data)->radius > 0.0);
    Slip s = {.joint = data, .pair = pair, .edge = edge};
    s.at = edge ? crd_add(pair->b->x, crd_apply(pair->b->rotation, data->lb)) : crd_contact_point(data, pair);
    s.wa = crd_apply(pair->a->rotation, pair->a->w);
    s.wb = crd_apply(pair->b->rotation, pair->b->w);
    s.ra = crd_sub(s.at, pair->a->x);
    s.rb = crd_sub(s.at, pair->b->x);
    s.velocity = crd_sub(crd_add(pair->b->v, crd_cross(s.wb, s.rb)), crd_add(pair->a->v, crd_cross(s.wa, s.ra)));
    return s;
}

static CrdVec direction(const Slip *slip, int k) {
    return slip->edge ? crd_apply(slip->pair->b->rotation, slip->joint->axis_b)
                      : crd_apply(slip->pair->a->rotation, slip->joint->ea[k]);
}

static double change(const Slip *slip, CrdVec e, const CrdShift *shift) {
    CrdVec de = crd_cross(slip->edge ? shift->tb : shift->ta, e), moved;
    if (slip->edge)
        moved = crd_add(shift->xb, crd_cross(shift->tb, slip->rb));
    else
        moved = crd_contact_shift(slip->joint, slip->pair, shift);
    CrdVec of_b =
        crd_add(crd_cross(crd_cross(shift->tb, slip->wb), slip->rb), crd_cross(slip->wb, crd_sub(moved, shift->xb)));
    CrdVec of_a =
        crd_add(crd_cross(crd_cross(shift->ta, slip->wa), slip->ra), crd_cross(slip->wa, crd_sub(moved, shift->xa)));
    return crd_dot(de, slip->velocity) + crd_dot(e, crd_sub(of_b, of_a));
}

static void slip_rows(const Slip *slip, int count, CrdRows out) {
    const CardanFrame *frame = slip->pair->a, *b = slip->pair->b;
    CrdShift motion = {frame->v, slip->wa, b->v, slip->wb};
    for (int k = 0; k < count; k++) {
        CrdVec e = direction(slip, k);
        out.g[k] = 0.0;
        out.gamma[k] = -change(slip, e, &motion);
        crd_put(out.a[k], crd_neg(e));
        crd_put(out.a[k] + 3, crd_neg(crd_apply_t(frame->rotation, crd_cross(slip->ra, e))));
        crd_put(out.b[k], e);
        crd_put(out.b[k] + 3, crd_apply_t(b->rotation, crd_cross(slip->rb, e)));
    }
}

/* Displacement number i of one frame: along ground axis i, or about own axis i - 3. */
static void unit_shift(const CardanFrame *frame, int i, CrdVec *x, CrdVec *turn) {
    assert(i >= 0 && i < 6);
    double unit[6] = {0};
    unit[i] = 1.0;
    *x = crd_vec_of(unit);
    *turn = crd_apply(frame->rotation, crd_vec_of(unit + 3));
}

static void slip_gradient(const Slip *slip, int count, CrdRows out) {
    for (int i = 0; i < 6; i++) {
        CrdShift of_a = {0}, of_b = {0};
        unit_shift(slip->pair->a, i, &of_a.xa, &of_a.ta);
        unit_shift(slip->pair->b, i, &of_b.xb, &of_b.tb);
        for (int k = 0; k < count; k++) {
            out.a[k][i] = change(slip, direction(slip, k), &of_a);
            out.b[k][i] = change(slip, direction(slip, k), &of_b);
        }
    }
}

static void rolling_rows(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    Slip slip = slip_of(data, pair, false);
    slip_rows(&slip, data->planar ? 1 : 2, out);
}

static void rolling_gradient(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    Slip slip = slip_of(data, pair, false);
    slip_gradient(&slip, data->planar ? 1 : 2, out);
}

static void edge_rows(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    Slip slip = slip_of(data, pair, true);
    slip_rows(&slip, 1, out);
}

static void edge_gradient(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    Slip slip = slip_of(data, pair, true);
    slip_gradient(&slip, 1, out);
}

const CrdPart crd_part_rolling = {
    .rows = {1, 2}, .nonholonomic = true, .rows_of = rolling_rows, .gradient_of = rolling_gradient};
const CrdPart crd_part_edge = {
    .rows = {1, 1}, .nonholonomic = true, .rows_of = edge_rows, .gradient_of = edge_gradient};
