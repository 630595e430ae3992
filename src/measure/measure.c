#include "measure/measure.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define BOTH                                                                                                           \
    { true, true }
#define PLANE                                                                                                          \
    { true, false }
#define SPACE                                                                                                          \
    { false, true }
#define ONE                                                                                                            \
    { 1, 1 }
#define WRENCH {3, 6}, .part = {{"fx", "fy", "m"}, {"fx", "fy", "fz", "mx", "my", "mz"}}, .unit = "N", .moment = "N m"
#define VECTOR {2, 3}, .part = {{"x", "y"}, {"x", "y", "z"}}
#define SPIN_VECTOR {1, 3}, .part = {{NULL}, {"x", "y", "z"}}

/* Of bodies and markers, and of those that turn; of coordinates of joints: all for laws too. */
#define PLACE ((CrdMeasureOf)(CRD_OF_BODY | CRD_OF_MARKER))
#define FIELD(member) (1 + (int)(offsetof(CardanFrame, member) / sizeof(double)))
#define FRAME(what, member, where, in, is)                                                                             \
    { what, PLACE, CRD_NEEDS_STATE, where, ONE, .in_laws = true, .field = FIELD(member), .unit = in, .summary = is }
#define TURN(what, where, in, is)                                                                                      \
    { what, PLACE, CRD_NEEDS_STATE, where, ONE, .orientation = true, .in_laws = true, .unit = in, .summary = is }
#define PLANE_TURN(what, member, in, is)                                                                               \
    {                                                                                                                  \
        what, PLACE, CRD_NEEDS_STATE, PLANE, ONE, .orientation = true, .in_laws = true, .field = FIELD(member),        \
                                                  .unit = in, .summary = is                                            \
    }
#define QUATERNION(what, is)                                                                                           \
    { what, PLACE, CRD_NEEDS_STATE, SPACE, ONE, .orientation = true, .in_laws = true, .unit = "1", .summary = is }
#define MOTION(what, where, turns, in, is)                                                                             \
    { what, PLACE, CRD_NEEDS_ACCELERATIONS, where, ONE, .orientation = turns, .unit = in, .summary = is }
#define PAIR(what, turns, in, is)                                                                                      \
    { what, CRD_OF_PAIR, CRD_NEEDS_STATE, BOTH, ONE, .orientation = turns, .in_laws = true, .unit = in, .summary = is }
#define JOINT(what, which, in, is)                                                                                     \
    {                                                                                                                  \
        what, CRD_OF_JOINT, CRD_NEEDS_STATE, BOTH, ONE, .coordinate = CARDAN_COORDINATE_##which, .in_laws = true,      \
                                                        .unit = in, .summary = is                                      \
    }
#define ANGLES(what, which, is)                                                                                        \
    { what, CRD_OF_JOINT, CRD_NEEDS_STATE, SPACE, ONE, .has = which, .in_laws = true, .unit = "rad", .summary = is }
#define SHIFT(what, needs, laws, in, is)                                                                               \
    {                                                                                                                  \
        what, CRD_OF_JOINT, CRD_NEEDS_##needs, BOTH, VECTOR, .has = CRD_HAS_SHIFT, .in_laws = laws, .unit = in,        \
                                                             .summary = is                                             \
    }
#define ELEMENT(what, which, needs, is, ...)                                                                           \
    { what, CRD_OF_JOINT, CRD_NEEDS_##needs, BOTH, __VA_ARGS__, .has = which, .summary = is }
#define FORCE(what, in, is)                                                                                            \
    { what, CRD_OF_FORCE, CRD_NEEDS_STATE, BOTH, ONE, .in_laws = true, .unit = in, .summary = is }
#define MODEL(what, needs, in, is, ...)                                                                                \
    { what, CRD_OF_MODEL, CRD_NEEDS_##needs, BOTH, __VA_ARGS__, .unit = in, .summary = is }
#define WHOLE(what, in, is, ...)                                                                                       \
    { what, CRD_OF_MODEL, CRD_NEEDS_STATE, BOTH, __VA_ARGS__, .in_laws = true, .unit = in, .summary = is }

const CrdMeasureRecord crd_measures[CRD_MEASURES] = {
    [CRD_X] = FRAME("x", x.x, BOTH, "m", "place along x of the ground: of the centre of mass, of the marker's point"),
    [CRD_Y] = FRAME("y", x.y, BOTH, "m", "place along y"),
    [CRD_Z] = FRAME("z", x.z, SPACE, "m", "place along z"),
    [CRD_VX] = FRAME("vx", v.x, BOTH, "m/s", "velocity along x of the ground"),
    [CRD_VY] = FRAME("vy", v.y, BOTH, "m/s", "velocity along y"),
    [CRD_VZ] = FRAME("vz", v.z, SPACE, "m/s", "velocity along z"),
    [CRD_WX] = TURN("wx", SPACE, "rad/s", "angular velocity about x of the ground"),
    [CRD_WY] = TURN("wy", SPACE, "rad/s", "angular velocity about y of the ground"),
    [CRD_WZ] = TURN("wz", SPACE, "rad/s", "angular velocity about z of the ground"),
    [CRD_BODY_ANGLE] = PLANE_TURN("angle", angle, "rad", "angle about z, counted through turns"),
    [CRD_SPIN] = PLANE_TURN("spin", w.z, "rad/s", "rate of angle"),
    [CRD_ROLL] =
        TURN("roll", SPACE, "rad",
             "orientation: first turn, about x of the ground (fixed axes x, y, z in turn), within half a turn"),
    [CRD_PITCH] = TURN("pitch", SPACE, "rad", "second turn, about y of the ground, within a quarter turn"),
    [CRD_YAW] = TURN("yaw", SPACE, "rad", "third turn, about z of the ground, within half a turn"),
    [CRD_QW] = QUATERNION("qw", "orientation: unit quaternion, own axes to ground axes, continuous in time; here w"),
    [CRD_QX] = QUATERNION("qx", "the same, x"),
    [CRD_QY] = QUATERNION("qy", "the same, y"),
    [CRD_QZ] = QUATERNION("qz", "the same, z"),
    [CRD_AX] = MOTION("ax", BOTH, false, "m/s^2", "acceleration along x of the ground"),
    [CRD_AY] = MOTION("ay", BOTH, false, "m/s^2", "acceleration along y"),
    [CRD_AZ] = MOTION("az", SPACE, false, "m/s^2", "acceleration along z"),
    [CRD_ALPHAX] = MOTION("alphax", SPACE, true, "rad/s^2", "angular acceleration about x of the ground"),
    [CRD_ALPHAY] = MOTION("alphay", SPACE, true, "rad/s^2", "angular acceleration about y of the ground"),
    [CRD_ALPHAZ] = MOTION("alphaz", SPACE, true, "rad/s^2", "angular acceleration about z of the ground"),
    [CRD_SPIN_RATE] = MOTION("spin_rate", PLANE, true, "rad/s^2", "angular acceleration"),
    [CRD_BODY_MOMENTUM] = {"momentum", CRD_OF_BODY, CRD_NEEDS_STATE, BOTH, VECTOR, .in_laws = true, .unit = "kg m/s",
                           .summary = "mass times velocity, ground axes"},
    [CRD_BODY_SPIN_MOMENTUM] = {"angular_momentum", CRD_OF_BODY, CRD_NEEDS_STATE, BOTH, SPIN_VECTOR,
                                .orientation = true, .in_laws = true, .unit = "kg m^2/s",
                                .summary = "about its centre of mass, ground axes"},
    [CRD_DISTANCE] = PAIR("distance", false, "m", "distance of two places, which are markers or bodies"),
    [CRD_ANGLE_BETWEEN] = PAIR("angle", true, "rad",
                               "angle between their x axes: in the plane from the first to the second, counted through "
                               "turns; in space from 0 to pi"),
    [CRD_ANGLE] = JOINT("angle", ANGLE, "rad", "turn of b against a about the axis, counted through turns"),
    [CRD_RATE] = JOINT("rate", ANGLE, "rad/s", "rate of angle"),
    [CRD_DISPLACEMENT] = JOINT("displacement", DISPLACEMENT, "m", "shift of b against a along the axis"),
    [CRD_SPEED] = JOINT("speed", DISPLACEMENT, "m/s", "rate of displacement"),
    [CRD_LENGTH] = JOINT("length", LENGTH, "m", "distance of its two points"),
    [CRD_LENGTH_RATE] = JOINT("rate", LENGTH, "m/s", "rate of length"),
    [CRD_ACCELERATION] = ELEMENT("acceleration", CRD_HAS_COORDINATE, ACCELERATIONS,
                                 "second derivative of its coordinate; of two the first, the angle", ONE,
                                 .unit = "m/s^2", .angular = "rad/s^2"),
    [CRD_ACCELERATION2] = ELEMENT("acceleration2", CRD_HAS_COORDINATE2, ACCELERATIONS,
                                  "second derivative of its second coordinate, the displacement", ONE, .unit = "m/s^2"),
    [CRD_JOINT_ROLL] =
        ANGLES("roll", CRD_HAS_TURN,
               "turn of b against a since the pose as written, about a's own axes x, y, z, which are held "
               "fixed, in turn: about x, within half a turn"),
    [CRD_JOINT_PITCH] = ANGLES("pitch", CRD_HAS_TURN, "then about y, within a quarter turn"),
    [CRD_JOINT_YAW] = ANGLES("yaw", CRD_HAS_TURN, "then about z, within half a turn"),
    [CRD_CROSS_ANGLE] =
        ANGLES("angle", CRD_HAS_CROSS,
               "turn of the cross against a about axis, zero in the pose as written, within half a turn"),
    [CRD_CROSS_ANGLE2] = ANGLES("angle2", CRD_HAS_CROSS, "turn of b against the cross about axis2, likewise"),
    [CRD_JOINT_TURN] = {"angle", CRD_OF_JOINT, CRD_NEEDS_STATE, PLANE, ONE, .has = CRD_HAS_TURN, .in_laws = true,
                        .unit = "rad",
                        .summary = "turn of b against a since the pose as written, counted through turns"},
    [CRD_JOINT_TURN_RATE] = {"rate", CRD_OF_JOINT, CRD_NEEDS_STATE, PLANE, ONE, .has = CRD_HAS_TURN, .in_laws = true,
                             .unit = "rad/s", .summary = "rate of that angle"},
    [CRD_SHIFT] =
        SHIFT("shift", STATE, true, "m", "place of the joint's point on b against that on a, in the joint's axes on a"),
    [CRD_SHIFT_RATE] = SHIFT("shift_rate", STATE, true, "m/s", "rates of shift"),
    [CRD_SHIFT_ACCELERATION] =
        SHIFT("shift_acceleration", ACCELERATIONS, false, "m/s^2", "second derivatives of shift"),
    [CRD_PARAMETER] =
        ELEMENT("parameter", CRD_HAS_CURVE, ROWS, "where on its curve the point is: s of the path", ONE, .unit = "1"),
    [CRD_REACTION] = ELEMENT("reaction", CRD_ANY_JOINT, LEAST,
                             "force and moment that b receives at the joint's point on b, ground axes; what another of "
                             "its bodies receives at the point there `JOINT.reaction.BODY`",
                             WRENCH, .on_bodies = true),
    [CRD_REACTION_LOCAL] = ELEMENT("reaction_local", CRD_ANY_JOINT, LEAST, "the same in the joint's axes on a", WRENCH),
    [CRD_REACTION_SOFTENED] =
        ELEMENT("reaction_softened", CRD_ANY_JOINT, LEAST,
                "1 where the regularisation softened rows and changed the reaction, else 0", ONE, .unit = "1"),
    [CRD_EFFORT] = ELEMENT("effort", CRD_HAS_EFFORT, LEAST, "force or torque along the coordinate, + on b", ONE,
                           .unit = "N", .angular = "N m"),
    [CRD_POWER] = ELEMENT("power", CRD_HAS_POWER, LEAST, "power fed into the mechanism", ONE, .unit = "W"),
    [CRD_ELASTIC_POWER] =
        ELEMENT("power", CRD_HAS_COMPLIANCE, STATE, "the same of a compliant joint", ONE, .in_laws = true, .unit = "W"),
    [CRD_JOINT_ENERGY] = ELEMENT("energy", CRD_HAS_COMPLIANCE, STATE, "energy stored in a compliant joint", ONE,
                                 .in_laws = true, .unit = "J"),
    [CRD_OFFERED] = {NULL, CRD_OF_FORCE, CRD_NEEDS_STATE, BOTH, ONE, .summary = "what the record of the force offers"},
    [CRD_FORCE_POWER] = FORCE("power", "W", "power fed into the mechanism, that of stored energy included"),
    [CRD_FORCE_ENERGY] = FORCE("energy", "J", "stored energy; 0 of a force without potential"),
    [CRD_FORCE_WORK] = {"work", CRD_OF_FORCE, CRD_NEEDS_STATE, BOTH, ONE, .unit = "J",
                        .summary = "its power integrated since the start; asked for when the run begins"},
    [CRD_FORCE_WRENCH] = {"wrench", CRD_OF_FORCE, CRD_NEEDS_STATE, BOTH, WRENCH, .in_laws = true, .on_bodies = true,
                          .summary = "force and moment that its last body receives at its point there, ground axes; "
                                     "of another body `FORCE.wrench.BODY`"},
    [CRD_ENERGY] = MODEL("energy", FORCES, "J", "kinetic, potential (gravity, springs) and their sum", {3, 3},
                         .part = {{"kinetic", "potential", "total"}, {"kinetic", "potential", "total"}}),
    [CRD_MASS_CENTRE] = WHOLE("mass_centre", "m", "centre of mass of all bodies, ground axes", VECTOR),
    [CRD_MOMENTUM] = WHOLE("momentum", "kg m/s", "of all bodies, ground axes", VECTOR),
    [CRD_ANGULAR_MOMENTUM] =
        WHOLE("angular_momentum", "kg m^2/s", "of all bodies about the origin of the ground", SPIN_VECTOR),
    [CRD_RESIDUAL] = MODEL("residual", ROWS, "m or rad, per s", "largest row of the constraints, and of their rates",
                           {2, 2}, .rough = true, .part = {{"position", "velocity"}, {"position", "velocity"}}),
    [CRD_STEP] = MODEL("step", STATE, "s", "length of the last step", ONE),
    [CRD_CONDITION] =
        MODEL("condition", FACTOR, "1",
              "smallest pivot of the multipliers' matrix against its diagonal entry: small near a singular pose", ONE),
};

int crd_measure_column(const CrdMeasureRecord *measure, CardanSpace space, const char *word, size_t length) {
    assert(measure->width[space] <= CRD_COLUMNS);
    for (int k = 0; k < measure->width[space]; k++) {
        const char *part = measure->part[space][k];
        if (part != NULL && strlen(part) == length && memcmp(part, word, length) == 0) return k + 1;
    }
    return 0;
}

static bool is_called(const CrdMeasureRecord *measure, CardanSpace space, const char *name, size_t length,
                      int *column) {
    size_t own = strlen(measure->name);
    *column = 0;
    if (length < own || memcmp(measure->name, name, own) != 0) return false;
    if (length == own) return true;
    if (name[own] == '.') *column = crd_measure_column(measure, space, name + own + 1, length - own - 1);
    return *column > 0;
}

int crd_measure_next(int after, const char *name, size_t length, CrdMeasureOf of, CardanSpace space, int *column) {
    assert(space == CARDAN_SPACE_PLANAR || space == CARDAN_SPACE_SPATIAL);
    for (int i = after + 1; i < CRD_MEASURES; i++) {
        const CrdMeasureRecord *measure = &crd_measures[i];
        if ((measure->of & of) != 0 && measure->space[space] && measure->name != NULL &&
            is_called(measure, space, name, length, column))
            return i;
    }
    return -1;
}

/* ---- of frames ---- */

static double along(CrdVec v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Of a frame's place, velocity, angular velocity in ground axes, angle, spin and roll, pitch, yaw. */
static double component(CrdMeasure measure, CrdVec x, CrdVec v, CrdVec w, double angle, double spin, CrdVec rpy) {
    assert(measure <= CRD_YAW && (crd_measures[measure].of & CRD_OF_BODY) != 0);
    if (measure <= CRD_Z) return along(x, (int)measure - CRD_X);
    if (measure <= CRD_VZ) return along(v, (int)measure - CRD_VX);
    if (measure <= CRD_WZ) return along(w, (int)measure - CRD_WX);
    if (measure >= CRD_ROLL) return along(rpy, (int)measure - CRD_ROLL);
    return measure == CRD_BODY_ANGLE ? angle : spin;
}

double crd_measure_frame(CrdMeasure measure, const CardanFrame *frame) {
    CrdVec rpy = measure >= CRD_ROLL ? crd_rpy_of(frame->rotation) : crd_vec(0, 0, 0);
    return component(measure, frame->x, frame->v, crd_apply(frame->rotation, frame->w), frame->angle, frame->w.z, rpy);
}

double crd_measure_frame_change(CrdMeasure measure, const CardanFrame *frame, const CrdChange *change) {
    CrdVec spin = crd_apply(frame->rotation, crd_add(crd_cross(change->turn, frame->w), change->w)); /* of R w */
    CrdVec rpy = crd_vec(0, 0, 0);
    if (measure >= CRD_ROLL) rpy = crd_rpy_change(frame->rotation, crd_apply(frame->rotation, change->turn));
    return component(measure, change->x, change->v, spin, change->turn.z, change->w.z, rpy);
}

double crd_measure_acceleration(CrdMeasure measure, const CrdFrameRate *rate) {
    assert(measure >= CRD_AX && measure <= CRD_SPIN_RATE);
    if (measure <= CRD_AZ) return along(rate->a, (int)measure - CRD_AX);
    return measure == CRD_SPIN_RATE ? rate->alpha.z : along(rate->alpha, (int)measure - CRD_ALPHAX);
}

/* R = Rz(yaw) Ry(pitch) Rx(roll): its last row is (-sin pitch, cos pitch sin roll, cos pitch cos roll), its first
 * column cos pitch (cos yaw, sin yaw, ...). Where cos pitch is lost in rounding, roll is 0 and Rz = R Ry^T. */
#define CRD_COSINE_LOST 1e-12

CrdVec crd_rpy_of(const double *r) {
    double cosine = hypot(r[0], r[3]), pitch = atan2(-r[6], cosine);
    if (cosine > CRD_COSINE_LOST) return crd_vec(atan2(r[7], r[8]), pitch, atan2(r[3], r[0]));
    return crd_vec(0.0, pitch, atan2(-r[1], r[4]));
}

/* w = yaw' z + pitch' (Rz y) + roll' (Rz Ry x) in the axes R turns to, solved for the three rates. */
CrdVec crd_rpy_change(const double *r, CrdVec w) {
    double cosine = hypot(r[0], r[3]);
    if (!(cosine > CRD_COSINE_LOST)) return crd_vec(0, 0, 0);
    double c = r[0] / cosine, s = r[3] / cosine; /* of yaw */
    double roll = (c * w.x + s * w.y) / cosine;
    return crd_vec(roll, -s * w.x + c * w.y, w.z - r[6] * roll);
}

/* ---- of two places ---- */

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

/* The next word of "( foot , hip )" up to the mark, without the spaces around it. */
static size_t next_word(const char **at, const char *end, char mark, const char **word) {
    const char *stop = memchr(*at, mark, (size_t)(end - *at));
    if (stop == NULL) return 0;
    const char *first = *at, *last = stop;
    while (first < last && is_space(*first)) first++;
    while (last > first && is_space(last[-1])) last--;
    *at = stop + 1;
    *word = first;
    return (size_t)(last - first);
}

bool crd_split_pair(const char *name, size_t length, CrdPairName *out) {
    const char *at = name, *end = name + length;
    out->length[0] = next_word(&at, end, '(', &out->word[0]);
    if (out->length[0] == 0) return false;
    out->length[1] = next_word(&at, end, ',', &out->word[1]);
    out->length[2] = out->length[1] > 0 ? next_word(&at, end, ')', &out->word[2]) : 0;
    while (at < end && is_space(*at)) at++;
    return out->length[2] > 0 && at == end;
}

static CrdVec x_axis(const CardanFrame *frame) {
    return crd_vec(frame->rotation[0], frame->rotation[3], frame->rotation[6]);
}

double crd_measure_pair(CrdMeasure measure, bool planar, const CardanFrame *a, const CardanFrame *b) {
    assert(crd_measures[measure].of == CRD_OF_PAIR);
    if (measure == CRD_DISTANCE) return crd_norm(crd_sub(b->x, a->x));
    if (planar) return b->angle - a->angle;
    CrdVec u = x_axis(a), v = x_axis(b);
    return atan2(crd_norm(crd_cross(u, v)), crd_dot(u, v));
}

/* Distance d = |r|: d' = r . r' / d. Angle between unit vectors: cos' = -sin angle'. Where r or the sine is 0 there is
 * a kink, and 0 is between the slopes of both sides. */
double crd_measure_pair_change(CrdMeasure measure, bool planar, const CardanFrame *a, const CardanFrame *b,
                               const CrdChange *da, const CrdChange *db) {
    if (measure == CRD_DISTANCE) {
        CrdVec r = crd_sub(b->x, a->x);
        double d = crd_norm(r);
        return d > 0.0 ? crd_dot(r, crd_sub(db->x, da->x)) / d : 0.0;
    }
    if (planar) return db->turn.z - da->turn.z;
    CrdVec u = x_axis(a), v = x_axis(b), ex = crd_vec(1, 0, 0);
    CrdVec du = crd_carried_change(a, da, ex), dv = crd_carried_change(b, db, ex);
    double sine = crd_norm(crd_cross(u, v));
    return sine > 0.0 ? -(crd_dot(du, v) + crd_dot(u, dv)) / sine : 0.0;
}

/* ---- of joints ---- */

double crd_measure_joint(CrdMeasure measure, const CrdCoordinate *coordinate) {
    assert(crd_measures[measure].coordinate != CARDAN_COORDINATE_NONE);
    bool rate = measure == CRD_RATE || measure == CRD_SPEED || measure == CRD_LENGTH_RATE;
    return rate ? coordinate->rate : coordinate->value;
}
