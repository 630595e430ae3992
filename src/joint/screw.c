/* Screw: a cylindrical joint whose displacement follows its angle.
 *     p_b - p_a across the axis = 0       - / 2 rows (off)
 *     b's axis . directions across a's    - / 2 rows (tilt)
 *     displacement - pitch angle = 0      - / 1 row, of the joint's two coordinates (coordinate.c)
 * Coordinates: the angle about the axis, the displacement along it. */
#include "joint/records.h"

typedef struct Screw {
    double pitch; /* m/rad */
} Screw;
CRD_FITS_OWN(Screw);

static double pitch_of(const CrdJointData *data) {
    return ((const Screw *)(const void *)data->own)->pitch;
}

static void rows_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    CrdCoordinate along, angle;
    assert(!data->planar);
    crd_joint_coordinate(CARDAN_COORDINATE_DISPLACEMENT, data, pair, &along);
    crd_joint_coordinate(CARDAN_COORDINATE_ANGLE, data, pair, &angle);
    out.g[0] = along.value - pitch_of(data) * angle.value;
    out.gamma[0] = -(along.bias - pitch_of(data) * angle.bias);
    for (int k = 0; k < 6; k++) {
        out.a[0][k] = along.a[k] - pitch_of(data) * angle.a[k];
        out.b[0][k] = along.b[k] - pitch_of(data) * angle.b[k];
    }
}

static void gradient_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    CardanTwistRow a, b;
    crd_joint_coordinate_gradient(CARDAN_COORDINATE_DISPLACEMENT, data, pair, out.a[0], out.b[0]);
    crd_joint_coordinate_gradient(CARDAN_COORDINATE_ANGLE, data, pair, a, b);
    for (int k = 0; k < 6; k++) {
        out.a[0][k] -= pitch_of(data) * a[k];
        out.b[0][k] -= pitch_of(data) * b[k];
    }
}

static const CrdPart LEAD = {.rows = {0, 1}, .rows_of = rows_of, .gradient_of = gradient_of};

static const CrdField FIELDS[] = {
    CRD_ROWS_AXIS(0, 3),
    {"pitch", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 1), CRD_REQUIRED, .unit = "m/rad", CRD_OWN(Screw, pitch, pitch),
     .doc = "Displacement per angle."},
    CRD_ROWS_LAST,
};

const CrdJointKind crd_screw = {
    .name = "screw",
    .doc = "A cylindrical joint whose displacement is pitch times its angle.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&crd_part_off, &crd_part_tilt, &LEAD},
    .space = {false, true},
    .coordinates = {CARDAN_COORDINATE_ANGLE, CARDAN_COORDINATE_DISPLACEMENT},
};
