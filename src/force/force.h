/* Forces: frames in, loads on them out.
 *
 * A load on a frame is dual to its twist: force in ground axes at the origin, moment in the frame's own axes about it.
 * A force is a const record in one small file. Its kernels:
 *     apply     adds its loads, its potential energy and the power of what has none, and the rates of its states
 *     along     the derivative of all this but the energies along small changes of the frames, of what its laws read
 *               and of its states: exact, by the same formulas. Columns of the matrices
 *               d load / d displacement and d load / d twist are its values along unit changes (assembly/forces.h)
 *     switches  functions whose zeros are kinks of the law: an event locator makes steps end there. Inside a step the sides
 *               of switches are held (CrdSide), so that the law is smooth there: a kernel asks crd_side which piece holds
 * Along a joint's coordinate x with the twist rows `row` a force F against it is the load -F row, and its derivative
 * -(dF row + F d row). */
#ifndef CRD_FORCE_FORCE_H
#define CRD_FORCE_FORCE_H

#include "core/status.h"
#include "expr/expr.h"
#include "joint/change.h"

enum { CRD_FORCE_SWITCHES = 4, CRD_FORCE_STATES = 2, CRD_FORCE_LAWS = 3 }; /* at most, of one force */

/* Where the elongation and its rate stand among the variables of laws; the time is number 0. */
enum { CRD_LAW_TIME = 0, CRD_LAW_X, CRD_LAW_V, CRD_LAW_OWN };

/* The numbers of one force element; which of them are used is said at the head of each record's file. */
typedef struct CrdForceData {
    CardanForceType type;
    bool planar;
    int a, b;                /* spring, bushing: carriers */
    CrdVec point_a, point_b; /* m; own axes */
    double stiffness, damping, length;
    double start_a[9], start_b[9], turn0; /* bushing: the pose as written, as in CrdJointData */
    double gap_stiffness[3], gap_damping[3], turn_stiffness[3], turn_damping[3]; /* bushing */
    int body;                                                                    /* carrier */
    int joint; /* on its coordinate: joint from 1; 0: on the body */
    CardanCoordinate coordinate;
    double angle; /* torsion: rest */
    CrdVec point; /* m; own axes */
    double value[CRD_FORCE_LAWS];
    bool follower;
    double gains[2], limit; /* motor; limit 0: none */
    double range[2];
    double coulomb, stick, stribeck, viscous, speed;
    double radius, exponent, dissipation, friction;
    CrdVec plane_point, normal; /* contact, tyre: ground axes; normal of length 1 */
    double coefficient;
    CrdVec axis;          /* tyre: own axes, length 1 */
    CardanMagic magic[2]; /* tyre: longitudinal, lateral */
    double relaxation, slow;
    int bodies; /* callback */
    const int *carriers;
    CardanForceCallback callback;
    CardanForceChangeCallback change;
    void *user;
} CrdForceData;

/* What a kernel may read. Fields of the second part are there for `along` only. */
typedef struct CrdForceInput {
    double t;
    const CardanFrame *frames;       /* by carrier */
    const double *value;             /* force, torque: the laws' values, or the numbers given; motor: target, target' */
    const CrdCoordinate *coordinate; /* of the joint, for a force on it */
    int joint_a, joint_b;            /* carriers of that joint */
    const CrdExpr *law;              /* spring, torsion: in x and v; NULL: none */
    double *law_values;              /* variables of laws */
    const CrdSide *sides, *law_sides; /* held: of its record's switches, of its law's kinks; NULL: none */
    const double *inputs;
    const double *z;       /* its first-order states */
    CardanFrame *gathered; /* callback: room for its frames and wrenches */
    CardanWrench *wrench;
    CrdError *error; /* where a law says what is wrong */

    const CrdChange *changes;   /* by carrier */
    const double *value_change; /* as value; not of a motor, whose target depends on the time alone */
    const CrdCoordinate *coordinate_change;
    CrdJet *law_jets; /* variables of laws with their derivatives */
    const double *z_change;
    CrdChange *gathered_changes; /* callback: room for the changes of its frames */
} CrdForceInput;

/* Which piece of a law holds: the side of switch k if that is held, else the sign of its function's value. */
static inline int crd_side(const CrdForceInput *input, int k, double value) {
    return input->sides != NULL && input->sides[k] != 0 ? input->sides[k] : (value > 0.0) - (value < 0.0);
}

/* Where it writes: loads are added, rates are set. `along` writes changes of loads and rates. */
typedef struct CrdLoads {
    CardanTwistRow *load; /* by carrier: force (ground axes), moment (own axes) */
    double potential;     /* J */
    double power;         /* W; of the part without potential */
    double *z_rate;       /* of its first-order states */
} CrdLoads;

typedef struct CrdForceKind {
    const char *name; /* in the model file; NULL: only through the API */
    CardanStatus (*apply)(const CrdForceData *force, const CrdForceInput *input, CrdLoads *loads);
    CardanStatus (*along)(const CrdForceData *force, const CrdForceInput *input, CrdLoads *change);
    int switch_count;
    void (*switches)(const CrdForceData *force, const CrdForceInput *input, double *values); /* NULL: none */
    const char *event;  /* what the first switches are called in the log; the others are kinks */
    int event_switches; /* how many */
} CrdForceKind;

/* By CardanForceType. */
extern const CrdForceKind *const crd_force_kinds[CARDAN_FORCE_TYPES];

/* Distance of a spring's points, and its derivative along changes of the frames (by carrier); 0 where they coincide. */
double crd_spring_length(const CrdForceData *spring, const CardanFrame *frames);
double crd_spring_length_change(const CrdForceData *spring, const CardanFrame *frames, const CrdChange *changes);

/* ---- what kernels are made of ---- */

/* Adds a force at a point fixed in a frame (own axes), and returns its power. */
double crd_push(CrdLoads *loads, const CardanFrame *frames, int carrier, CrdVec local, CrdVec force);

/* Adds a moment given in own axes, and returns its power. */
double crd_twist(CrdLoads *loads, const CardanFrame *frames, int carrier, CrdVec moment);

/* Change of what crd_push adds, when the force changes by dforce and the point by dlocal. */
void crd_push_change(CrdLoads *change, const CrdForceInput *input, int carrier, CrdVec local, CrdVec dlocal,
                     CrdVec force, CrdVec dforce);

/* Adds value times the twist rows of the coordinate; and its change. */
void crd_drive(CrdLoads *loads, const CrdForceInput *input, double value);
void crd_drive_change(CrdLoads *change, const CrdForceInput *input, double value, double dvalue);

/* The law in x and v; 0 without one. Its change along dx, dv and what else it reads. */
CardanStatus crd_law(const CrdForceInput *input, double x, double v, double *value);
CardanStatus crd_law_change(const CrdForceInput *input, CrdJet x, CrdJet v, double *value, double *change);

#endif
