/* Distance: a massless bar between a point of a and a point of b, |p_b - p_a| = length.
 *     n = d / |d|,   g = |d| - length,   g' = n . d'                        1 / 1 row
 *     G_b = (n, l_b x R_b^T n)     G_a = -(n, l_a x R_a^T n)
 *     bias = (|d'|^2 - (n . d')^2) / |d| + n . bias of d''
 *     gradient: (d' - (n . d') n) / |d| . delta d + n . delta d'
 * Coordinate: the length itself. */
#include "joint/direction.h"
#include "joint/records.h"

typedef struct Distance {
    double length; /* m; 0 when a law gives it, which is subtracted */
} Distance;
CRD_FITS_OWN(Distance);

double crd_bar_length(const CrdJointData *joint) {
    return ((const Distance *)(const void *)joint->own)->length;
}

/* Twist rows of n . d' on one side. */
static void put_side(double *row, double sign, const CardanFrame *frame, CrdVec l, CrdVec n) {
    crd_put(row, crd_scale(sign, n));
    crd_put(row + 3, crd_scale(sign, crd_cross(l, crd_apply_t(frame->rotation, n))));
}

static void add_turning(double *row, double sign, const CardanFrame *frame, CrdVec l, CrdVec n) {
    CrdVec more = crd_cross(crd_cross(frame->w, l), crd_apply_t(frame->rotation, n));
    crd_put(row + 3, crd_axpy(crd_vec_of(row + 3), sign, more));
}

void crd_length_row(const CrdJointData *joint, const CrdPair *pair, double *value, double *bias, double *a, double *b) {
    CrdGap gap = crd_gap_of(joint, pair);
    double distance = crd_norm(gap.d);
    CrdVec n = crd_scale(1.0 / distance, gap.d);
    double along = crd_dot(n, gap.rate);
    *value = distance;
    *bias = (crd_dot(gap.rate, gap.rate) - along * along) / distance + crd_dot(n, gap.bias);
    put_side(a, -1.0, pair->a, joint->la, n);
    put_side(b, 1.0, pair->b, joint->lb, n);
}

void crd_length_gradient(const CrdJointData *joint, const CrdPair *pair, double *a, double *b) {
    CrdGap gap = crd_gap_of(joint, pair);
    double distance = crd_norm(gap.d);
    CrdVec n = crd_scale(1.0 / distance, gap.d);
    CrdVec dn = crd_scale(1.0 / distance, crd_axpy(gap.rate, -crd_dot(n, gap.rate), n));
    put_side(a, -1.0, pair->a, joint->la, dn);
    put_side(b, 1.0, pair->b, joint->lb, dn);
    add_turning(a, -1.0, pair->a, joint->la, n);
    add_turning(b, 1.0, pair->b, joint->lb, n);
}

static void rows_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    double distance, bias;
    crd_length_row(data, pair, &distance, &bias, out.a[0], out.b[0]);
    out.g[0] = distance - crd_bar_length(data);
    out.gamma[0] = -bias;
}

static void gradient_of(const CrdJointData *data, const CrdPair *pair, CrdRows out) {
    crd_length_gradient(data, pair, out.a[0], out.b[0]);
}

static void residual_of(const CrdJointData *data, const CrdPair *pair, double *g, double *rate) {
    CrdGap gap = crd_gap_of(data, pair);
    double distance = crd_norm(gap.d);
    g[0] = distance - crd_bar_length(data);
    rate[0] = crd_dot(gap.d, gap.rate) / distance;
}

static const CrdPart DISTANCE = {
    .rows = {1, 1}, .rows_of = rows_of, .gradient_of = gradient_of, .residuals_of = residual_of};

static bool prepare(const CrdWritten *written, CrdVec gap, CrdJointData *joint, CrdObjection *fault) {
    Distance *own = (Distance *)(void *)joint->own;
    assert(own->length >= 0.0);
    if (!crd_given(written, "length")) own->length = crd_norm(gap);
    if (crd_norm(gap) > 0.0) return true;
    *fault = (CrdObjection){"", "its two points coincide, so the distance has no direction"};
    return false;
}

static const CrdField FIELDS[] = {
    CRD_ROW_BODIES,
    {"local.a", CRD_HOLDS_POINT, CRD_VECTOR, CRD_REQUIRED, .unit = "m", .fallback = "the centre of mass",
     CRD_AT(local_a, local_a), .sides = CRD_SIDE_A, .local = true, .missing = ": between which points?",
     .doc = "Its end in a's own axes from its centre of mass; one of both may be left out."},
    {"local.b", CRD_HOLDS_POINT, CRD_VECTOR, CRD_REQUIRED, .unit = "m", .fallback = "the centre of mass",
     CRD_AT(local_b, local_b), .sides = CRD_SIDE_B, .local = true, .missing = ": between which points?",
     .doc = "Its end in b's own axes, likewise."},
    {"length", CRD_HOLDS_DRIVEN, CRD_ONE, CRD_MAYBE, CRD_POSITIVE, .unit = "m", .fallback = "as it stands",
     CRD_OWN(Distance, length, length), .flag = offsetof(CardanJointDef, length_given),
     .law = offsetof(CardanJointDef, law), .variable = 't', .doc = "A number or an expression in t."},
    CRD_ROWS_LAST,
};

const CrdJointKind crd_distance = {
    .name = "distance",
    .doc = "A massless bar between a point of one body and a point of another.",
    .fields = CRD_FIELDS(FIELDS),
    .parts = {&DISTANCE},
    .whole = {crd_plane_distance, crd_space_distance},
    .angles = CRD_ROLL_PITCH_YAW,
    .shifts = true,
    .space = {true, true},
    .particles = {true, true},
    .coordinates = {CARDAN_COORDINATE_LENGTH},
    .rank = CRD_RANK_CAN_BE_DRIVEN_DOWN, /* at length 0 it has no direction */
    .prepare = prepare,
};
