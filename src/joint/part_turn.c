/* Turn: b keeps the orientation against a that it has in the pose as written.
 * Plane:  g = angle_b - angle_a - turn0: linear, counted through turns.
 * Space:  g = phi, the rotation vector of C = A0 R_a^T R_b B0^T, in the axes the ground had in the pose as written,
 *         carried by a (A0, B0: the rotations there); of a compliant joint it is the one that continues the vector of
 *         the last step (tracked), so that its potential goes on smoothly through half a turn. With s_a = A0 w_a, s_b =
 * B0 w_b: C' = [c]_x C,   c = C s_b - s_a,   phi' = J c,   J = Jl^-1(phi) (core/rotation.h) G_a = -J A0,    G_b = J C
 * B0 gamma = -(J' c + J (c x C s_b)) gradient: along small rotations, r = C B0 delta_b - A0 delta_a: (dJ along J r) c +
 * J (r x C s_b) */
#include "core/rotation.h"
#include "joint/part.h"

#include <string.h>

static void planar_row(double *row, double turn) {
    for (int i = 0; i < 5; i++) row[i] = 0.0;
    row[5] = turn;
}

typedef struct Turn {
    CrdMat on_a, on_b; /* A0 and C B0: spins in own axes to the axes of phi */
    CrdVec phi, c, cb; /* cb = C s_b */
} Turn;

/* Where a compliant joint neither holds nor damps the turn any of its vectors serves, and the shortest is never near a
 * whole turn. */
static bool matters(const CrdJointData *data) {
    return data->stiffness[CRD_RADIANS] != 0.0 || data->damping[CRD_RADIANS] != 0.0;
}

static Turn turn_of(const CrdJointData *data, const CrdPair *pair) {
    Turn turn;
    CrdMat back = crd_transpose(pair->a->rotation), b0t = crd_transpose(data->start_b);
    CrdMat relative = crd_mul(back.m, pair->b->rotation);
    memcpy(turn.on_a.m, data->start_a, sizeof turn.on_a.m);
    turn.on_b = crd_mul(data->start_a, relative.m); /* C B0 = A0 R_a^T R_b */
    CrdMat c = crd_mul(turn.on_b.m, b0t.m);
    turn.phi = pair->turn != NULL && matters(data) ? crd_rotation_vector_near(c.m, crd_vec_of(pair->turn))
                                                   : crd_rotation_vector(c.m);
    turn.cb = crd_apply(turn.on_b.m, pair->b->w);
    turn.c = crd_sub(turn.cb, crd_apply(turn.on_a.m, pair->a->w));
    return turn;
}

void crd_turn_of_joint(const CrdJointData *joint, const CrdPair *pair, CrdVec *phi, CrdVec *rate) {
    Turn turn = turn_of(joint, pair);
    *phi = turn.phi;
    *rate = crd_rotation_vector_rate(turn.phi, turn.c);
}

static CrdVec column(const CrdMat *m, int k) {
    return crd_vec(m->m[k], m->m[3 + k], m->m[6 + k]);
}

/* Writes the three components of x into column 3 + k of three rows. */
static void put_column(CardanTwistRow *rows, int k, CrdVec x) {
    rows[0][3 + k] = x.x;
    rows[1][3 + k] = x.y;
    rows[2][3 + k] = x.z;
}

static void clear(CardanTwistRow *rows) {
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 3; i++) rows[r][i] = 0.0;
}

static void rows_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    if (data->planar) {
        out.g[0] = pair->b->angle - pair->a->angle - data->turn0;
        out.gamma[0] = 0.0;
        planar_row(out.a[0], -1.0);
        planar_row(out.b[0], 1.0);
        return;
    }
    Turn turn = turn_of(data, pair);
    CrdVec rate = crd_rotation_vector_rate(turn.phi, turn.c);
    CrdVec bias = crd_add(crd_rotation_vector_rate_change(turn.phi, rate, turn.c),
                          crd_rotation_vector_rate(turn.phi, crd_cross(turn.c, turn.cb)));
    crd_put(out.g, turn.phi);
    crd_put(out.gamma, crd_neg(bias));
    clear(out.a);
    clear(out.b);
    for (int k = 0; k < 3; k++) {
        put_column(out.a, k, crd_neg(crd_rotation_vector_rate(turn.phi, column(&turn.on_a, k))));
        put_column(out.b, k, crd_rotation_vector_rate(turn.phi, column(&turn.on_b, k)));
    }
}

void crd_turn_rows(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Turn turn = turn_of(joint, pair);
    CrdMat rates = crd_rotation_vector_rates(turn.phi);
    CrdVec rate = crd_apply(rates.m, turn.c);
    assert(!joint->planar);
    crd_put(out.g, turn.phi);
    crd_put(out.rate, rate);
    if (out.a == NULL) return;
    CrdMat on_a = crd_mul(rates.m, turn.on_a.m), on_b = crd_mul(rates.m, turn.on_b.m);
    crd_put(out.gamma, crd_neg(crd_add(crd_rotation_vector_rate_change(turn.phi, rate, turn.c),
                                       crd_apply(rates.m, crd_cross(turn.c, turn.cb)))));
    for (int r = 0; r < 3; r++) {
        crd_put(out.a + 6 * r, crd_vec(0, 0, 0));
        crd_put(out.a + 6 * r + 3, crd_neg(crd_vec_of(on_a.m + 3 * r)));
        crd_put(out.b + 6 * r, crd_vec(0, 0, 0));
        crd_put(out.b + 6 * r + 3, crd_vec_of(on_b.m + 3 * r));
    }
}

static CrdVec along(const Turn *turn, CrdVec r) {
    CrdVec dphi = crd_rotation_vector_rate(turn->phi, r);
    return crd_add(crd_rotation_vector_rate_change(turn->phi, dphi, turn->c),
                   crd_rotation_vector_rate(turn->phi, crd_cross(r, turn->cb)));
}

static void gradient_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    if (data->planar) {
        planar_row(out.a[0], 0.0);
        planar_row(out.b[0], 0.0);
        return;
    }
    Turn turn = turn_of(data, pair);
    clear(out.a);
    clear(out.b);
    for (int k = 0; k < 3; k++) {
        put_column(out.a, k, along(&turn, crd_neg(column(&turn.on_a, k))));
        put_column(out.b, k, along(&turn, column(&turn.on_b, k)));
    }
}

static void residual_of(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    if (data->planar) {
        g[0] = pair->b->angle - pair->a->angle - data->turn0;
        rate[0] = pair->b->w.z - pair->a->w.z;
        return;
    }
    CrdVec phi, change;
    crd_turn_of_joint(data, pair, &phi, &change);
    crd_put(g, phi);
    crd_put(rate, change);
}

const CrdPart crd_part_turn = {.rows = {1, 3},
                               .unit = CRD_RADIANS,
                               .moves = CRD_MOVES_NOT,
                               .rows_of = rows_of,
                               .gradient_of = gradient_of,
                               .residuals_of = residual_of};
