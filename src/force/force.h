/* Forces: frames in, loads on them out.
 *
 * A load on a frame is dual to its twist: force in ground axes at the origin, moment in the frame's own axes about it.
 * Every kernel also reports its potential energy and the power of what has none. A force is a const record in one small
 * file. */
#ifndef CRD_FORCE_FORCE_H
#define CRD_FORCE_FORCE_H

#include "core/status.h"
#include "joint/joint.h"

/* The numbers of one force element. */
typedef struct CrdForceData {
    CardanForceType type;
    int a, b;                     /* spring: carriers */
    CrdVec point_a, point_b;      /* m; own axes */
    double stiffness, damping, length;
    int body;                     /* force, torque on a body: carrier */
    int joint;                    /* torque on a coordinate: joint from 1; 0: on the body */
    CrdVec point;                 /* m; own axes */
    double value[3];
    bool follower;
    int bodies;                   /* callback */
    const int *carriers;
    CardanForceCallback callback;
    void *user;
} CrdForceData;

/* What a kernel may read. */
typedef struct CrdForceInput {
    double t;
    const CardanFrame *frames;       /* by carrier */
    const double *value;             /* 3: the laws' values, or the numbers given */
    const CrdCoordinate *coordinate; /* of the joint, for a torque on it */
    int joint_a, joint_b;            /* carriers of that joint */
    const double *inputs;
    CardanFrame *gathered;           /* callback: room for its frames and wrenches */
    CardanWrench *wrench;
} CrdForceInput;

/* Where it writes: loads are added. */
typedef struct CrdLoads {
    CardanTwistRow *load; /* by carrier: force (ground axes), moment (own axes) */
    double potential;     /* J */
    double power;         /* W; of the part without potential */
} CrdLoads;

typedef struct CrdForceKind {
    const char *name; /* in the model file; NULL: only through the API */
    CardanStatus (*apply)(const CrdForceData *force, const CrdForceInput *input, CrdLoads *loads);
} CrdForceKind;

/* By CardanForceType. */
extern const CrdForceKind *const crd_force_kinds[CARDAN_FORCE_TYPES];

/* Adds a force at a point fixed in a frame (own axes), and returns its power. */
double crd_push(CrdLoads *loads, const CardanFrame *frames, int carrier, CrdVec local, CrdVec force);

/* Adds a moment given in own axes, and returns its power. */
double crd_twist(CrdLoads *loads, const CardanFrame *frames, int carrier, CrdVec moment);

#endif
