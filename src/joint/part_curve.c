/* Curve: the joint's point of b stands on a path c(s) fixed in a, in a's axes from its origin.
 *
 * T is the path's unit tangent at the parameter followed so far and e the directions across it, both held. With
 *     y = (R_a T) . (p_b - x_a),   y_e = (R_a e) . (p_b - x_a)          (direction.h)
 * the foot s is where the plane across T through the point cuts the path, y = T . c(s), and
 *     g = y_e - e . c(s)
 * vanishes when the point is on the path, whatever T is held. Along any motion s' = y' / (T . c1), and with
 * k = (e . c1) / (T . c1), k_s = ((e . c2) (T . c1) - (e . c1) (T . c2)) / (T . c1)^2:
 *     G = Y_e - k Y        bias = y_e'' - k y'' - k_s y'^2 / (T . c1)
 *     gradient: that of y_e - k times that of y - k_s y' / (T . c1) times Y */
#include "joint/direction.h"
#include "joint/part.h"

/* k and k_s / (T . c1) of a direction across the tangent. */
typedef struct Slope {
    double k, bend;
} Slope;

static Slope slope_of(const CrdFoot *f, CrdVec e) {
    double t1 = crd_dot(f->tangent, f->c1), t2 = crd_dot(f->tangent, f->c2);
    double e1 = crd_dot(e, f->c1), e2 = crd_dot(e, f->c2);
    return (Slope){e1 / t1, (e2 * t1 - e1 * t2) / (t1 * t1 * t1)};
}

static void rows_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    const CrdFoot *f = p->foot;
    CrdGap gap = crd_gap_of(j, p);
    CrdCoordinate along;
    crd_direction_row(j, p, &gap, f->tangent, &along.value, &along.bias, along.a, along.b);
    along.rate = crd_row_rate(along.a, p->a) + crd_row_rate(along.b, p->b);
    for (int k = 0; k < (j->planar ? 1 : 2); k++) {
        double value, bias;
        Slope slope = slope_of(f, f->across[k]);
        crd_direction_row(j, p, &gap, f->across[k], &value, &bias, out.a[k], out.b[k]);
        out.g[k] = value - crd_dot(f->across[k], f->c);
        out.gamma[k] = -(bias - slope.k * along.bias - slope.bend * along.rate * along.rate);
        for (int i = 0; i < 6; i++) {
            out.a[k][i] -= slope.k * along.a[i];
            out.b[k][i] -= slope.k * along.b[i];
        }
    }
}

static void gradient_of(const CrdJointData *j, const CrdPair *p, CrdRows out) {
    const CrdFoot *f = p->foot;
    CrdGap gap = crd_gap_of(j, p);
    CrdCoordinate along;
    CardanTwistRow ga, gb;
    crd_direction_row(j, p, &gap, f->tangent, &along.value, &along.bias, along.a, along.b);
    along.rate = crd_row_rate(along.a, p->a) + crd_row_rate(along.b, p->b);
    crd_direction_gradient(j, p, &gap, f->tangent, ga, gb);
    for (int k = 0; k < (j->planar ? 1 : 2); k++) {
        Slope slope = slope_of(f, f->across[k]);
        crd_direction_gradient(j, p, &gap, f->across[k], out.a[k], out.b[k]);
        for (int i = 0; i < 6; i++) {
            out.a[k][i] -= slope.k * ga[i] + slope.bend * along.rate * along.a[i];
            out.b[k][i] -= slope.k * gb[i] + slope.bend * along.rate * along.b[i];
        }
    }
}

const CrdPart crd_part_curve = {.rows = {1, 2}, .rows_of = rows_of, .gradient_of = gradient_of};
