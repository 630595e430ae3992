/* What can be asked of a state, in one table of names: the words behind the dot in `crank.x` or `main.angle`, and the
 * words that stand alone. Laws may use those that are functions of the state; the others are outputs only. */
#ifndef CRD_MEASURE_MEASURE_H
#define CRD_MEASURE_MEASURE_H

#include "joint/change.h"

typedef enum CrdMeasureOf { CRD_OF_BODY = 1, CRD_OF_JOINT = 2, CRD_OF_MODEL = 4, CRD_OF_SPRING = 8 } CrdMeasureOf;

typedef enum CrdMeasure {
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
    CRD_ANGLE,
    CRD_RATE,
    CRD_DISPLACEMENT,
    CRD_SPEED,
    CRD_LENGTH,
    CRD_REACTION,
    CRD_REACTION_LOCAL,
    CRD_REACTION_SOFTENED,
    CRD_EFFORT,
    CRD_POWER,
    CRD_SPRING_LENGTH,
    CRD_ENERGY,
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
    CRD_NEEDS_ACCELERATIONS, /* the factor, and accelerations */
    CRD_NEEDS_MULTIPLIERS,   /* any that give this motion */
    CRD_NEEDS_LEAST          /* of those the least ones, where they are not unique */
} CrdMeasureNeed;

typedef struct CrdMeasureRecord {
    const char *name;
    CrdMeasureOf of;
    CrdMeasureNeed needs;
    bool space[2];               /* by CardanSpace */
    int width[2];                /* by CardanSpace: columns */
    bool orientation;            /* not of a particle */
    CardanCoordinate coordinate; /* of joints with this coordinate only; none: of any joint */
    bool effort, power;          /* of joints that have an effort; that have a power */
    bool in_laws;
    const char *part[2][6]; /* by CardanSpace: ends of column headings; NULL: the bare name */
    const char *unit, *summary;
} CrdMeasureRecord;

extern const CrdMeasureRecord crd_measures[CRD_MEASURES];

/* The measure of this name for this kind of object in this space; -1 when there is none. */
int crd_measure_find(const char *name, size_t length, CrdMeasureOf of, CardanSpace space);

/* Value of a body measure. */
double crd_measure_body(CrdMeasure measure, const CardanFrame *frame);

/* Its derivative along a change of the frame. */
double crd_measure_body_change(CrdMeasure measure, const CardanFrame *frame, const CrdChange *change);

/* Value of a joint measure that is a coordinate or its rate; of their changes, its derivative. */
double crd_measure_joint(CrdMeasure measure, const CrdCoordinate *coordinate);

#endif
