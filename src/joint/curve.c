/* Curve: the joint's point of b stands on a path c(s) fixed in a, in a's axes from its origin: 1 / 2 rows. The
 * parameter s is followed continuously: a number with memory.
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
#include "joint/records.h"

typedef struct Curve {
    double s; /* where the foot is looked for first */
} Curve;
CRD_FITS_OWN(Curve);

/* k and k_s / (T . c1) of a direction across the tangent. */
typedef struct Slope {
    double k, bend;
} Slope;

static Slope slope_of(const CrdFoot *foot, CrdVec e) {
    double t1 = crd_dot(foot->tangent, foot->c1), t2 = crd_dot(foot->tangent, foot->c2);
    double e1 = crd_dot(e, foot->c1), e2 = crd_dot(e, foot->c2);
    return (Slope){e1 / t1, (e2 * t1 - e1 * t2) / (t1 * t1 * t1)};
}

static void rows_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    const CrdFoot *foot = pair->foot;
    CrdGap gap = crd_gap_of(data, pair);
    CrdCoordinate along;
    crd_direction_row(data, pair, &gap, foot->tangent, &along.value, &along.bias, along.a, along.b);
    along.rate = crd_row_rate(along.a, pair->a) + crd_row_rate(along.b, pair->b);
    for (int k = 0; k < (data->planar ? 1 : 2); k++) {
        double value, bias;
        Slope slope = slope_of(foot, foot->across[k]);
        crd_direction_row(data, pair, &gap, foot->across[k], &value, &bias, out.a[k], out.b[k]);
        out.g[k] = value - crd_dot(foot->across[k], foot->c);
        out.gamma[k] = -(bias - slope.k * along.bias - slope.bend * along.rate * along.rate);
        for (int i = 0; i < 6; i++) {
            out.a[k][i] -= slope.k * along.a[i];
            out.b[k][i] -= slope.k * along.b[i];
        }
    }
}

static void gradient_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    const CrdFoot *foot = pair->foot;
    CrdGap gap = crd_gap_of(data, pair);
    CrdCoordinate along;
    CardanTwistRow ga, gb;
    crd_direction_row(data, pair, &gap, foot->tangent, &along.value, &along.bias, along.a, along.b);
    along.rate = crd_row_rate(along.a, pair->a) + crd_row_rate(along.b, pair->b);
    crd_direction_gradient(data, pair, &gap, foot->tangent, ga, gb);
    for (int k = 0; k < (data->planar ? 1 : 2); k++) {
        Slope slope = slope_of(foot, foot->across[k]);
        crd_direction_gradient(data, pair, &gap, foot->across[k], out.a[k], out.b[k]);
        for (int i = 0; i < 6; i++) {
            out.a[k][i] -= slope.k * ga[i] + slope.bend * along.rate * along.a[i];
            out.b[k][i] -= slope.k * gb[i] + slope.bend * along.rate * along.b[i];
        }
    }
}

static const CrdPart CURVE = {.rows = {1, 2}, .rows_of = rows_of, .gradient_of = gradient_of};

static const CrdField FIELDS[] = {
    CRD_ROW_BODIES,
    {"point", CRD_HOLDS_POINT, CRD_VECTOR, CRD_MAYBE, .unit = "m", .fallback = "the centre of mass of b",
     CRD_AT(point, point), .sides = CRD_SIDE_B, .doc = "The point of b: ground axes, in the pose as written."},
    CRD_ROW_LOCAL(b, CRD_SIDE_B),
    {"path", CRD_HOLDS_PATH, CRD_VECTOR, CRD_REQUIRED, .unit = "m", .law = offsetof(CardanJointDef, path),
     .variable = 's', .doc = "The curve in a's axes from its centre of mass: expressions in s."},
    {"s", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_MAYBE, .fallback = "the nearest foot", CRD_OWN(Curve, s, s),
     .flag = offsetof(CardanJointDef, s_given), .doc = "Where to look for the foot first; followed continuously."},
    CRD_ROWS_LAST,
};

const CrdJointKind crd_curve = {
    .name = "curve",
    .doc = "A point of b stays on a curve fixed in a.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&CURVE},
    .angles = CRD_ROLL_PITCH_YAW,
    .shifts = true,
    .space = {true, true},
    .particles = {true, true},
    .curve = true,
    .rank = CRD_RANK_CAN_FALL, /* at a cusp it has no tangent */
};
