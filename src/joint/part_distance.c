/* Distance: |p_b - p_a| = length.
 *     n = d / |d|,   g = |d| - length,   g' = n . d'
 *     G_b = (n, l_b x R_b^T n)     G_a = -(n, l_a x R_a^T n)
 *     bias = (|d'|^2 - (n . d')^2) / |d| + n . bias of d''
 *     gradient: (d' - (n . d') n) / |d| . delta d + n . delta d' */
#include "joint/direction.h"
#include "joint/part.h"

/* Twist rows of n . d' on one side. */
static void put_side(double *row, double sign, const CardanFrame *f, CrdVec l, CrdVec n) {
    crd_put(row, crd_scale(sign, n));
    crd_put(row + 3, crd_scale(sign, crd_cross(l, crd_apply_t(f->rotation, n))));
}

static void add_turning(double *row, double sign, const CardanFrame *f, CrdVec l, CrdVec n) {
    CrdVec more = crd_cross(crd_cross(f->w, l), crd_apply_t(f->rotation, n));
    crd_put(row + 3, crd_axpy(crd_vec_of(row + 3), sign, more));
}

void crd_length_row(const CrdJointData *j, const CrdPair *p, double *value, double *bias, double *a, double *b) {
    CrdGap gap = crd_gap_of(j, p);
    double distance = crd_norm(gap.d);
    CrdVec n = crd_scale(1.0 / distance, gap.d);
    double along = crd_dot(n, gap.rate);
    *value = distance;
    *bias = (crd_dot(gap.rate, gap.rate) - along * along) / distance + crd_dot(n, gap.bias);
    put_side(a, -1.0, p->a, j->la, n);
    put_side(b, 1.0, p->b, j->lb, n);
}

void crd_length_gradient(const CrdJointData *j, const CrdPair *p, double *a, double *b) {
    CrdGap gap = crd_gap_of(j, p);
    double distance = crd_norm(gap.d);
    CrdVec n = crd_scale(1.0 / distance, gap.d);
    CrdVec dn = crd_scale(1.0 / distance, crd_axpy(gap.rate, -crd_dot(n, gap.rate), n));
    put_side(a, -1.0, p->a, j->la, dn);
    put_side(b, 1.0, p->b, j->lb, dn);
    add_turning(a, -1.0, p->a, j->la, n);
    add_turning(b, 1.0, p->b, j->lb, n);
}

static void rows_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    double distance, bias;
    crd_length_row(j, p, &distance, &bias, out.a[0], out.b[0]);
    out.g[0] = distance - j->length;
    out.gamma[0] = -bias;
}

static void gradient_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    crd_length_gradient(j, p, out.a[0], out.b[0]);
}

const CrdPart crd_part_distance = {.rows = {1, 1}, .rows_of = rows_of, .gradient_of = gradient_of};
