/* Coordinates of joints, b against a, zero in the pose as written: scalar functions with two derivatives.
 *     angle, plane   angle_b - angle_a - turn0
 *     angle, space   atan2(Y, X), Y = e2 . f1 - e1 . f2, X = e1 . f1 + e2 . f2 with e fixed in a and f in b across the
 *                    axis (align.h). With r = X^2 + Y^2, along any motion
 *                    x' = (X Y' - Y X') / r,   x'' = (X Y'' - Y X'') / r - x' (2 X X' + 2 Y Y') / r
 *                    and, with w = w_a - w_b in ground axes, (e . f)' = w . (e x f)
 *     displacement   (R_a axis) . (p_b - p_a) - along0 (direction.h)
 *     length         |p_b - p_a| (distance.c) */
#include "core/numbers.h"
#include "joint/align.h"
#include "joint/direction.h"

#include <assert.h>
#include <string.h>

/* ---- angles in space ---- */

static void add_scaled(double *row, double s, const double *other) {
    for (int i = 0; i < 6; i++) row[i] += s * other[i];
}

/* Adds s (R_a e) . (R_b f). */
static void add_product(CrdCoordinate *sum, double s, CrdVec e, CrdVec f, const CrdPair *pair) {
    CrdCoordinate product;
    crd_align_row(e, f, pair, &product.value, &product.bias, product.a, product.b);
    sum->value += s * product.value;
    sum->bias += s * product.bias;
    add_scaled(sum->a, s, product.a);
    add_scaled(sum->b, s, product.b);
}

typedef struct Angle {
    CrdCoordinate x, y; /* X and Y */
    double square;      /* X^2 + Y^2 */
} Angle;

static void set_rate(CrdCoordinate *coordinate, const CrdPair *pair) {
    coordinate->rate = crd_row_rate(coordinate->a, pair->a) + crd_row_rate(coordinate->b, pair->b);
}

static Angle angle_of(const CrdJointData *data, const CrdPair *pair) {
    Angle angle;
    memset(&angle, 0, sizeof angle);
    add_product(&angle.x, 1.0, data->ea[0], data->eb[0], pair);
    add_product(&angle.x, 1.0, data->ea[1], data->eb[1], pair);
    add_product(&angle.y, 1.0, data->ea[1], data->eb[0], pair);
    add_product(&angle.y, -1.0, data->ea[0], data->eb[1], pair);
    set_rate(&angle.x, pair);
    set_rate(&angle.y, pair);
    angle.square = angle.x.value * angle.x.value + angle.y.value * angle.y.value;
    return angle;
}

/* The angle whose cosine and sine these are, in the turn that `near` is in. */
static double counted_angle(double x, double y, double near) {
    double turned = atan2(y, x);
    return turned + 2.0 * CRD_PI * round((near - turned) / (2.0 * CRD_PI));
}

static void spatial_angle(const CrdJointData *data, const CrdPair *pair, CrdCoordinate *out) {
    Angle angle = angle_of(data, pair);
    double x = angle.x.value, y = angle.y.value, r = angle.square;
    assert(!data->planar);
    out->value = counted_angle(x, y, pair->near);
    double *rows[2] = {out->a, out->b}, *rx[2] = {angle.x.a, angle.x.b}, *ry[2] = {angle.y.a, angle.y.b};
    for (int side = 0; side < 2; side++) {
        add_scaled(rows[side], x / r, ry[side]);
        add_scaled(rows[side], -y / r, rx[side]);
    }
    double rate = (x * angle.y.rate - y * angle.x.rate) / r;
    out->bias = (x * angle.y.bias - y * angle.x.bias) / r - rate * 2.0 * (x * angle.x.rate + y * angle.y.rate) / r;
}

/* delta x' = (dX Y' + X dY' - dY X' - Y dX') / r - x' (2 X dX + 2 Y dY) / r */
static void spatial_angle_gradient(const CrdJointData *data, const CrdPair *pair, double *a, double *b) {
    static const struct {
        int e, f;
        double x, y;
    } PRODUCTS[] = {{0, 0, 1.0, 0.0}, {1, 1, 1.0, 0.0}, {1, 0, 0.0, 1.0}, {0, 1, 0.0, -1.0}};
    Angle angle = angle_of(data, pair);
    double x = angle.x.value, y = angle.y.value, r = angle.square;
    double rate = (x * angle.y.rate - y * angle.x.rate) / r;
    double by_x = (angle.y.rate - 2.0 * rate * x) / r, by_y = (-angle.x.rate - 2.0 * rate * y) / r;
    add_scaled(a, by_x, angle.x.a);
    add_scaled(b, by_x, angle.x.b);
    add_scaled(a, by_y, angle.y.a);
    add_scaled(b, by_y, angle.y.b);
    for (int i = 0; i < 4; i++) {
        CardanTwistRow ga, gb;
        double weight = (x * PRODUCTS[i].y - y * PRODUCTS[i].x) / r;
        crd_align_gradient(data->ea[PRODUCTS[i].e], data->eb[PRODUCTS[i].f], pair, ga, gb);
        add_scaled(a, weight, ga);
        add_scaled(b, weight, gb);
    }
}

/* ---- the others ---- */

static void planar_angle(const CrdJointData *data, const CrdPair *pair, CrdCoordinate *out) {
    out->value = pair->b->angle - pair->a->angle - data->turn0;
    out->a[5] = -1.0;
    out->b[5] = 1.0;
}

static void displacement(const CrdJointData *data, const CrdPair *pair, CrdCoordinate *out) {
    CrdGap gap = crd_gap_of(data, pair);
    crd_direction_row(data, pair, &gap, data->axis_a, &out->value, &out->bias, out->a, out->b);
    out->value -= data->along0;
}

void crd_joint_coordinate(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair, CrdCoordinate *out) {
    memset(out, 0, sizeof *out);
    assert(which <= CARDAN_COORDINATE_LENGTH);
    switch (which) {
    case CARDAN_COORDINATE_NONE:
        return;
    case CARDAN_COORDINATE_ANGLE:
        joint->planar ? planar_angle(joint, pair, out) : spatial_angle(joint, pair, out);
        break;
    case CARDAN_COORDINATE_DISPLACEMENT:
        displacement(joint, pair, out);
        break;
    case CARDAN_COORDINATE_LENGTH:
        crd_length_row(joint, pair, &out->value, &out->bias, out->a, out->b);
        break;
    }
    set_rate(out, pair);
}

/* ---- values and rates alone ---- */

static void read_spatial_angle(const CrdJointData *data, const CrdPair *pair, double *value, double *rate) {
    CrdVec e[2], f[2];
    for (int k = 0; k < 2; k++) {
        e[k] = crd_apply(pair->a->rotation, data->ea[k]);
        f[k] = crd_apply(pair->b->rotation, data->eb[k]);
    }
    CrdVec w = crd_relative_spin(pair);
    double x = crd_dot(e[0], f[0]) + crd_dot(e[1], f[1]), y = crd_dot(e[1], f[0]) - crd_dot(e[0], f[1]);
    double dx = crd_dot(w, crd_add(crd_cross(e[0], f[0]), crd_cross(e[1], f[1]))),
           dy = crd_dot(w, crd_sub(crd_cross(e[1], f[0]), crd_cross(e[0], f[1])));
    *value = counted_angle(x, y, pair->near);
    *rate = (x * dy - y * dx) / (x * x + y * y);
}

void crd_joint_read(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair, double *value,
                    double *rate) {
    if (which == CARDAN_COORDINATE_ANGLE && !joint->planar) {
        read_spatial_angle(joint, pair, value, rate);
        return;
    }
    CrdCoordinate coordinate;
    crd_joint_coordinate(which, joint, pair, &coordinate);
    *value = coordinate.value;
    *rate = coordinate.rate;
}

void crd_joint_coordinate_gradient(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair, double *a,
                                   double *b) {
    CrdGap gap;
    memset(a, 0, sizeof(CardanTwistRow));
    memset(b, 0, sizeof(CardanTwistRow));
    switch (which) {
    case CARDAN_COORDINATE_NONE:
        break;
    case CARDAN_COORDINATE_ANGLE:
        if (!joint->planar) spatial_angle_gradient(joint, pair, a, b);
        break;
    case CARDAN_COORDINATE_DISPLACEMENT:
        gap = crd_gap_of(joint, pair);
        crd_direction_gradient(joint, pair, &gap, joint->axis_a, a, b);
        break;
    case CARDAN_COORDINATE_LENGTH:
        crd_length_gradient(joint, pair, a, b);
        break;
    }
}

bool crd_joint_has(const CrdJointKind *kind, CardanCoordinate coordinate) {
    for (int i = 0; i < CRD_JOINT_COORDINATES; i++)
        if (coordinate != CARDAN_COORDINATE_NONE && kind->coordinates[i] == coordinate) return true;
    return false;
}
