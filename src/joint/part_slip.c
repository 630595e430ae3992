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

typedef struct Slip {
    const CrdJointData *joint;
    const CrdPair *pair;
    bool edge;           /* a knife edge; else rolling */
    CrdVec at, velocity; /* C; of b against a there */
    CrdVec wa, wb;       /* ground axes */
    CrdVec ra, rb;       /* C - x_a, C - x_b */
} Slip;

static Slip slip_of(const CrdJointData *j, const CrdPair *p, bool edge) {
    Slip s = {.joint = j, .pair = p, .edge = edge};
    s.at = edge ? crd_add(p->b->x, crd_apply(p->b->rotation, j->lb)) : crd_contact_point(j, p);
    s.wa = crd_apply(p->a->rotation, p->a->w);
    s.wb = crd_apply(p->b->rotation, p->b->w);
    s.ra = crd_sub(s.at, p->a->x);
    s.rb = crd_sub(s.at, p->b->x);
    s.velocity = crd_sub(crd_add(p->b->v, crd_cross(s.wb, s.rb)), crd_add(p->a->v, crd_cross(s.wa, s.ra)));
    return s;
}

static CrdVec direction(const Slip *s, int k) {
    return s->edge ? crd_apply(s->pair->b->rotation, s->joint->axis_b)
                   : crd_apply(s->pair->a->rotation, s->joint->ea[k]);
}

static double change(const Slip *s, CrdVec e, const CrdShift *d) {
    CrdVec de = crd_cross(s->edge ? d->tb : d->ta, e), moved;
    if (s->edge)
        moved = crd_add(d->xb, crd_cross(d->tb, s->rb));
    else
        moved = crd_contact_shift(s->joint, s->pair, d);
    CrdVec of_b = crd_add(crd_cross(crd_cross(d->tb, s->wb), s->rb), crd_cross(s->wb, crd_sub(moved, d->xb)));
    CrdVec of_a = crd_add(crd_cross(crd_cross(d->ta, s->wa), s->ra), crd_cross(s->wa, crd_sub(moved, d->xa)));
    return crd_dot(de, s->velocity) + crd_dot(e, crd_sub(of_b, of_a));
}

static void slip_rows(const Slip *s, int count, CrdRows out) {
    const CardanFrame *a = s->pair->a, *b = s->pair->b;
    CrdShift motion = {a->v, s->wa, b->v, s->wb};
    for (int k = 0; k < count; k++) {
        CrdVec e = direction(s, k);
        out.g[k] = 0.0;
        out.gamma[k] = -change(s, e, &motion);
        crd_put(out.a[k], crd_neg(e));
        crd_put(out.a[k] + 3, crd_neg(crd_apply_t(a->rotation, crd_cross(s->ra, e))));
        crd_put(out.b[k], e);
        crd_put(out.b[k] + 3, crd_apply_t(b->rotation, crd_cross(s->rb, e)));
    }
}

/* Displacement number i of one frame: along ground axis i, or about own axis i - 3. */
static void unit_shift(const CardanFrame *f, int i, CrdVec *x, CrdVec *turn) {
    double unit[6] = {0};
    unit[i] = 1.0;
    *x = crd_vec_of(unit);
    *turn = crd_apply(f->rotation, crd_vec_of(unit + 3));
}

static void slip_gradient(const Slip *s, int count, CrdRows out) {
    for (int i = 0; i < 6; i++) {
        CrdShift of_a = {0}, of_b = {0};
        unit_shift(s->pair->a, i, &of_a.xa, &of_a.ta);
        unit_shift(s->pair->b, i, &of_b.xb, &of_b.tb);
        for (int k = 0; k < count; k++) {
            out.a[k][i] = change(s, direction(s, k), &of_a);
            out.b[k][i] = change(s, direction(s, k), &of_b);
        }
    }
}

static void rolling_rows(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    Slip slip = slip_of(j, p, false);
    slip_rows(&slip, j->planar ? 1 : 2, out);
}

static void rolling_gradient(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    Slip slip = slip_of(j, p, false);
    slip_gradient(&slip, j->planar ? 1 : 2, out);
}

static void edge_rows(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    Slip slip = slip_of(j, p, true);
    slip_rows(&slip, 1, out);
}

static void edge_gradient(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    Slip slip = slip_of(j, p, true);
    slip_gradient(&slip, 1, out);
}

const CrdPart crd_part_rolling = {
    .rows = {1, 2}, .nonholonomic = true, .rows_of = rolling_rows, .gradient_of = rolling_gradient};
const CrdPart crd_part_edge = {
    .rows = {1, 1}, .nonholonomic = true, .rows_of = edge_rows, .gradient_of = edge_gradient};
