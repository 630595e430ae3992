/* Joints in the plane as a whole: formulas of whole_space.c with spins along z and rows over (x, y, turn). */
#include "joint/direction.h"
#include "joint/whole.h"

#include <string.h>

/* One body: R l, turned by a quarter to give its velocity, and its acceleration at zero accelerations. */
typedef struct Side {
    double x, y, ax, ay;
} Side;

static inline Side side_of(const CardanFrame *frame, CrdVec l) {
    const double *r = frame->rotation;
    double w = frame->w.z, mx = -(w * (w * l.x)), my = -(w * (w * l.y));
    assert(l.z == 0.0);
    return (Side){r[0] * l.x + r[1] * l.y, r[3] * l.x + r[4] * l.y, r[0] * mx + r[1] * my, r[3] * mx + r[4] * my};
}

/* d = p_b - p_a and its derivatives. */
typedef struct Gap {
    double d[2], rate[2], bias[2];
} Gap;

static inline Gap gap_of(const CrdPair *pair, const Side *a, const Side *b) {
    double wa = pair->a->w.z, wb = pair->b->w.z;
    return (Gap){{(pair->b->x.x + b->x) - (pair->a->x.x + a->x), (pair->b->x.y + b->y) - (pair->a->x.y + a->y)},
                 {(pair->b->v.x - wb * b->y) - (pair->a->v.x - wa * a->y),
                  (pair->b->v.y + wb * b->x) - (pair->a->v.y + wa * a->x)},
                 {b->ax - a->ax, b->ay - a->ay}};
}

static inline void put_row(double *row, double x, double y, double turn) {
    row[0] = x;
    row[1] = y;
    row[2] = turn;
}

static inline double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1];
}

static inline void put_gap(const CrdPair *pair, const Side *a, const Side *b, CrdWholeRows out) {
    Gap gap = gap_of(pair, a, b);
    memcpy(out.g, gap.d, sizeof gap.d);
    memcpy(out.rate, gap.rate, sizeof gap.rate);
    if (out.a == NULL) return;
    out.gamma[0] = -gap.bias[0];
    out.gamma[1] = -gap.bias[1];
    put_row(out.a, -1.0, 0.0, a->y);
    put_row(out.a + 3, 0.0, -1.0, -a->x);
    put_row(out.b, 1.0, 0.0, -b->y);
    put_row(out.b + 3, 0.0, 1.0, b->x);
}

/* Row r: b keeps its turn against a. */
static inline void put_turn(const CrdJointData *joint, const CrdPair *pair, int r, CrdWholeRows out) {
    out.g[r] = pair->b->angle - pair->a->angle - joint->turn0;
    out.rate[r] = pair->b->w.z - pair->a->w.z;
    if (out.a == NULL) return;
    out.gamma[r] = 0.0;
    put_row(out.a + 3 * r, 0.0, 0.0, -1.0);
    put_row(out.b + 3 * r, 0.0, 0.0, 1.0);
}

void crd_plane_revolute(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Side a = side_of(pair->a, joint->la), b = side_of(pair->b, joint->lb);
    put_gap(pair, &a, &b, out);
}

void crd_plane_weld(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Side a = side_of(pair->a, joint->la), b = side_of(pair->b, joint->lb);
    put_gap(pair, &a, &b, out);
    put_turn(joint, pair, 2, out);
}

void crd_plane_prismatic(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    const double *r = pair->a->rotation, w = pair->a->w.z;
    Side a = side_of(pair->a, joint->la), b = side_of(pair->b, joint->lb);
    Gap gap = gap_of(pair, &a, &b);
    CrdVec e = joint->ea[0];
    double u[2] = {r[0] * e.x + r[1] * e.y, r[3] * e.x + r[4] * e.y}, across[2] = {-u[1], u[0]};
    double arm[2] = {pair->b->x.x + b.x - pair->a->x.x, pair->b->x.y + b.y - pair->a->x.y};
    out.g[0] = dot(u, gap.d);
    out.rate[0] = w * dot(across, gap.d) + dot(u, gap.rate);
    put_turn(joint, pair, 1, out);
    if (out.a == NULL) return;
    out.gamma[0] = w * (w * out.g[0] - 2.0 * dot(across, gap.rate)) - dot(u, gap.bias);
    put_row(out.a, -u[0], -u[1], dot(across, arm));
    put_row(out.b, u[0], u[1], u[1] * b.x - u[0] * b.y);
}

void crd_plane_distance(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out) {
    Side a = side_of(pair->a, joint->la), b = side_of(pair->b, joint->lb);
    Gap gap = gap_of(pair, &a, &b);
    double distance = sqrt(dot(gap.d, gap.d)), n[2] = {gap.d[0] / distance, gap.d[1] / distance};
    double along = dot(n, gap.rate);
    out.g[0] = distance - crd_bar_length(joint);
    out.rate[0] = along;
    if (out.a == NULL) return;
    out.gamma[0] = -((dot(gap.rate, gap.rate) - along * along) / distance + dot(n, gap.bias));
    put_row(out.a, -n[0], -n[1], n[0] * a.y - n[1] * a.x);
    put_row(out.b, n[0], n[1], n[1] * b.x - n[0] * b.y);
}
