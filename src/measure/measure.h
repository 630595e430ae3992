/* What can be asked of a state, in one table of names: the words behind the dot in `crank.x` or `main.angle`, the words
 * that stand alone, and those of two places, distance(foot, hip). Laws may use those that are functions of t, q, v and
 * first-order states; the others are outputs only. What a force offers besides stands in its own record
 * (force/force.h). */
#ifndef CRD_MEASURE_MEASURE_H
#define CRD_MEASURE_MEASURE_H

#include "joint/change.h"

#include <string.h>

/* A measure may be of several: bodies and markers have most of theirs in common. */
typedef enum CrdMeasureOf {
    CRD_OF_BODY = 1,
    CRD_OF_JOINT = 2,
    CRD_OF_MODEL = 4,
    CRD_OF_FORCE = 8,
    CRD_OF_MARKER = 16,
    CRD_OF_PAIR = 32 /* of two places: bodies or markers */
} CrdMeasureOf;

typedef enum CrdMeasure {
    /* of frames: of a body or a marker */
    CRD_X = 0,
    CRD_Y,
    CRD_Z,
    CRD_VX,
    CRD_VY,
    CRD_VZ,
    CRD_WX,
    CRD_WY,
    CRD_WZ,
    CRD_BODY_ANGLE,
    CRD_SPIN,
    CRD_ROLL,
    CRD_PITCH,
    CRD_YAW,
    CRD_QW,
    CRD_QX,
    CRD_QY,
    CRD_QZ,
    CRD_AX,
    CRD_AY,
    CRD_AZ,
    CRD_ALPHAX,
    CRD_ALPHAY,
    CRD_ALPHAZ,
    CRD_SPIN_RATE,
    CRD_BODY_MOMENTUM,
    CRD_BODY_SPIN_MOMENTUM,
    CRD_DISTANCE,
    CRD_ANGLE_BETWEEN,
    CRD_ANGLE,
    CRD_RATE,
    CRD_DISPLACEMENT,
    CRD_SPEED,
    CRD_LENGTH,
    CRD_LENGTH_RATE,
    CRD_ACCELERATION,
    CRD_ACCELERATION2,
    CRD_JOINT_ROLL,
    CRD_JOINT_PITCH,
    CRD_JOINT_YAW,
    CRD_CROSS_ANGLE,
    CRD_CROSS_ANGLE2,
    CRD_JOINT_TURN,
    CRD_JOINT_TURN_RATE,
    CRD_SHIFT,
    CRD_SHIFT_RATE,
    CRD_SHIFT_ACCELERATION,
    CRD_PARAMETER,
    CRD_REACTION,
    CRD_REACTION_LOCAL,
    CRD_REACTION_SOFTENED,
    CRD_EFFORT,
    CRD_POWER,
    CRD_ELASTIC_POWER,
    CRD_JOINT_ENERGY,
    CRD_OFFERED,
    CRD_FORCE_POWER,
    CRD_FORCE_ENERGY,
    CRD_FORCE_WORK,
    CRD_FORCE_WRENCH,
    CRD_ENERGY,
    CRD_MASS_CENTRE,
    CRD_MOMENTUM,
    CRD_ANGULAR_MOMENTUM,
    CRD_RESIDUAL,
    CRD_STEP,
    CRD_CONDITION,
    CRD_MEASURES
} CrdMeasure;

/* What must be known of a state before a measure can be read from it, each with all before it. */
typedef enum CrdMeasureNeed {
    CRD_NEEDS_STATE = 0,     /* frames and coordinates at t, q, v, z */
    CRD_NEEDS_ROWS,          /* the constraints' residuals */
    CRD_NEEDS_FORCES,        /* applied forces and their potential */
    CRD_NEEDS_ACCELERATIONS, /* of all coordinates */
    CRD_NEEDS_MULTIPLIERS,   /* any that give this motion */
    CRD_NEEDS_LEAST,         /* of those the least ones, where they are not unique */
    CRD_NEEDS_FACTOR         /* that of all rows */
} CrdMeasureNeed;

/* Which joints have a measure, where that is not a matter of their coordinate. */
typedef enum CrdJointHas {
    CRD_ANY_JOINT = 0,
    CRD_HAS_COORDINATE,  /* one at least */
    CRD_HAS_COORDINATE2, /* two */
    CRD_HAS_TURN,        /* turns that are no coordinate: roll, pitch, yaw; in the plane an angle */
    CRD_HAS_CROSS,       /* a cross of two pins: two angles */
    CRD_HAS_SHIFT,       /* its points may part: shifts along the joint's axes */
    CRD_HAS_CURVE,       /* a place on a curve */
    CRD_HAS_EFFORT,
    CRD_HAS_POWER,
    CRD_HAS_COMPLIANCE
} CrdJointHas;

typedef struct CrdMeasureRecord {
    const char *name;
    CrdMeasureOf of;
    CrdMeasureNeed needs;
    bool space[2];               /* by CardanSpace */
    int width[2];                /* by CardanSpace: columns */
    bool orientation;            /* not of a particle */
    CardanCoordinate coordinate; /* of joints with this coordinate only; none: see has */
    CrdJointHas has;             /* of joints */
    bool in_laws;
    bool rough;             /* not smooth inside a step: many rows of one tell the largest that was seen in it */
    bool on_bodies;         /* of a joint or force: of each of its bodies by name, wrench.crank */
    int field;              /* of frames: which number of a CardanFrame it is, from 1; 0: none as it stands */
    const char *part[2][6]; /* by CardanSpace: ends of column headings; NULL: the bare name */
    const char *unit;       /* of joints with two kinds of coordinates: along a length */
    const char *angular;    /* the same where the coordinate is an angle; NULL: the same */
    const char *moment;     /* of a wrench: of its columns behind the force; NULL: it is none */
    const char *summary;
} CrdMeasureRecord;

extern const CrdMeasureRecord crd_measures[CRD_MEASURES];

/* The next measure after number `after` (-1: the first) of this name for this kind of object in this space; -1 when
 * there is no more. Those of joints may share a name: `rate` is that of an angle or of a length. The name may end with
 * that of a column (momentum.x): *column is its number from 1, or 0 for all of them. */
int crd_measure_next(int after, const char *name, size_t length, CrdMeasureOf of, CardanSpace space, int *column);

/* The column of this name, from 1; 0: there is none. */
int crd_measure_column(const CrdMeasureRecord *measure, CardanSpace space, const char *word, size_t length);

/* At most, of any measure. */
enum { CRD_COLUMNS = 6 };

/* ---- of frames ---- */

/* A number of a frame, by CrdMeasureRecord.field. */
static inline double crd_frame_field(const CardanFrame *frame, int field) {
    double value;
    memcpy(&value, (const char *)frame + (size_t)(field - 1) * sizeof value, sizeof value);
    return value;
}

/* Value of a measure of a frame, up to CRD_YAW. */
double crd_measure_frame(CrdMeasure measure, const CardanFrame *frame);

/* Its derivative along a change of the frame. */
double crd_measure_frame_change(CrdMeasure measure, const CardanFrame *frame, const CrdChange *change);

/* How the motion of a frame changes, ground axes. */
typedef struct CrdFrameRate {
    CrdVec a, alpha; /* m/s^2 of the origin; rad/s^2 */
} CrdFrameRate;

/* Value of a measure from CRD_AX to CRD_SPIN_RATE. */
double crd_measure_acceleration(CrdMeasure measure, const CrdFrameRate *rate);

/* Roll, pitch, yaw of a rotation about fixed axes x, y, z in turn: R = Rz(yaw) Ry(pitch) Rx(roll). Pitch lies between
 * -pi/2 and pi/2; where it is one of them only yaw - roll or yaw + roll is known, and roll is 0. */
CrdVec crd_rpy_of(const double *r);

/* Their change when R changes by [w]_x R. */
CrdVec crd_rpy_change(const double *r, CrdVec w);

/* ---- of two places ---- */

/* "distance(foot, hip)" in three: what, and of which two. */
typedef struct CrdPairName {
    const char *word[3];
    size_t length[3];
} CrdPairName;
bool crd_split_pair(const char *name, size_t length, CrdPairName *out);

double crd_measure_pair(CrdMeasure measure, bool planar, const CardanFrame *a, const CardanFrame *b);
double crd_measure_pair_change(CrdMeasure measure, bool planar, const CardanFrame *a, const CardanFrame *b,
                               const CrdChange *da, const CrdChange *db);

/* ---- of joints ---- */

/* Value of a joint measure that is a coordinate or its rate; of their changes, its derivative. */
double crd_measure_joint(CrdMeasure measure, const CrdCoordinate *coordinate);

/* Has a kind of joint this measure? What depends on the joint itself, whether it is driven or compliant, is not
 * asked. */
bool crd_kind_has(const CrdJointKind *kind, const CrdMeasureRecord *measure);

/* Roll, pitch, yaw, the two angles of a cross, the turn in the plane or its rate; and their change. */
double crd_measure_turn(CrdMeasure measure, const CrdJointData *joint, const CrdPair *pair);
double crd_measure_turn_change(CrdMeasure measure, const CrdJointData *joint, const CrdPair *pair, const CrdChange *da,
                               const CrdChange *db);

/* Where b's point is against a's, along the joint's axes on a; its rate, and the changes of both. */
typedef struct CrdJointShift {
    CrdVec x, rate; /* m, m/s; in the plane z is 0 */
} CrdJointShift;
CrdJointShift crd_measure_shift(const CrdJointData *joint, const CrdPair *pair);
CrdJointShift crd_measure_shift_change(const CrdJointData *joint, const CrdPair *pair, const CrdChange *da,
                                       const CrdChange *db);

/* ---- markers ---- */

/* A point of a frame with axes of its own. */
typedef struct CrdMarker {
    int frame;
    CrdVec local;       /* m; own axes of the frame */
    double rotation[9]; /* marker to frame axes */
    CardanQuat q;
    double angle; /* planar: rad */
} CrdMarker;

/* The marker as a frame, how it changes with its frame, and how its motion does. */
CardanFrame crd_marker_frame(const CrdMarker *marker, const CardanFrame *frame);
CrdChange crd_marker_change(const CrdMarker *marker, const CardanFrame *frame, const CrdChange *change);
CrdFrameRate crd_marker_rate(const CrdMarker *marker, const CardanFrame *frame, const CrdFrameRate *rate);

#endif
