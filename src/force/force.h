/* Forces: frames in, loads on them out.
 *
 * A load on a frame is dual to its twist: force in ground axes at the origin, moment in the frame's own axes about it.
 * A force is a const record in one small file. Its kernels:
 *     apply     adds its loads, its potential energy and the power of what has none, and the rates of its states
 *     along     the derivative of all this but the power along small changes of the frames, of what its laws read
 *               and of its states: exact, by the same formulas. Columns of the matrices d load / d displacement and
 *               d load / d twist are its values along unit changes (equations/force_derivatives.h)
 *     switches  functions whose zeros are kinks of the law: an event locator makes steps end there. Inside a step the
 *               sides of switches are held (CrdSide), so that the law is smooth there: a kernel asks crd_side which
 *               piece holds
 * Along a joint's coordinate x with the twist rows `row` a force F against it is the load -F row, and its derivative
 * -(dF row + F d row). */
#ifndef CRD_FORCE_FORCE_H
#define CRD_FORCE_FORCE_H

#include "core/field.h"
#include "core/status.h"
#include "expr/expr.h"
#include "force/dual.h"
#include "joint/change.h"

enum { CRD_FORCE_STATES = 2, CRD_FORCE_LAWS = 3 }; /* at most, of one force */

/* Where the elongation and its rate stand among the variables of laws; the time is number 0. */
enum { CRD_LAW_TIME = 0, CRD_LAW_X, CRD_LAW_V, CRD_LAW_OWN };

/* What a law may use besides the parameters, the time and the inputs. */
typedef enum CrdLawScope {
    CRD_LAW_OF_STATE = 0, /* measures and first-order states */
    CRD_LAW_OF_TWO,       /* these, and x and v, which hide parameters of that name */
    CRD_LAW_OF_TIME,      /* nothing more: its derivative in time is needed */
    CRD_LAW_OF_DRIVE,     /* nothing more: of joints */
    CRD_LAW_OF_PATH       /* s in place of the time, and no inputs: of joints */
} CrdLawScope;

/* A point of a body, of a force that has any number of them. */
typedef struct CrdForcePoint {
    int frame;
    double local[3]; /* m; own axes */
    int marker;      /* from 1: it is the marker's; 0: given by itself */
    CrdPlace place;
} CrdForcePoint;

/* One force element: what all have, and the numbers of its own. */
typedef struct CrdForceData {
    CardanForceType type;
    CrdLawScope scope;
    int joint; /* on its coordinate: joint from 1; 0: not on a joint */
    CardanCoordinate coordinate;
    double value[CRD_FORCE_LAWS]; /* what its field `value` has where no law stands */
    int points;
    const CrdForcePoint *point; /* of the description */
    CrdNumbers numbers;         /* laid out by the record's file */
} CrdForceData;

static inline void *crd_numbers_of(CrdForceData *force) {
    return &force->numbers;
}

static inline const void *crd_own(const CrdForceData *force) {
    return &force->numbers;
}

/* What a kernel may read. Fields of the second part are there for `along` only. */
typedef struct CrdForceInput {
    double t;
    const CardanFrame *frames;       /* by frame */
    const double *value;             /* force, torque: the laws' values, or the numbers given; motor: target, target' */
    const CrdCoordinate *coordinate; /* of the joint, for a force on it */
    int joint_a, joint_b;            /* frames of that joint */
    const CrdExpr *law;              /* in x and v; NULL: none */
    double *law_values;              /* variables of laws */
    const CrdSide *sides, *law_sides; /* held: of its record's switches, of its law's kinks; NULL: none */
    const double *inputs;
    const double *z;       /* its first-order states */
    const double *turn;    /* its rotation vector is the one nearest to it; NULL: the one of at most half a turn */
    CardanFrame *gathered; /* room for the frames and wrenches of its points */
    CardanWrench *wrench;
    CrdError *error; /* where a law says what is wrong */

    const CrdChange *changes;   /* by frame */
    const double *value_change; /* as value; not of a motor, whose target depends on the time alone */
    const CrdCoordinate *coordinate_change;
    CrdJet *law_jets; /* variables of laws with their derivatives */
    const double *z_change;
    CrdChange *gathered_changes; /* room for the changes of those frames */
} CrdForceInput;

/* Which piece of a law holds: the side of switch k if that is held, else the sign of its function's value. */
static inline int crd_side(const CrdForceInput *input, int k, double value) {
    return input->sides != NULL && input->sides[k] != 0 ? input->sides[k] : (value > 0.0) - (value < 0.0);
}

/* Where it writes: loads are added, rates are set. `along` writes changes of loads, of the potential and of rates. */
typedef struct CrdLoads {
    CardanTwistRow *load; /* by frame: force (ground axes), moment (own axes) */
    double potential;     /* J */
    double power;         /* W; of the part without potential */
    double *z_rate;       /* of its first-order states */
} CrdLoads;

/* What can be asked of a force by name besides its loads: a row of the table in its own file. */
typedef struct CrdOffer {
    const char *name;
    const char *unit;    /* on a joint's coordinate: along a displacement */
    const char *angular; /* the same where the coordinate is an angle; NULL: the same */
    bool kinematic;      /* of frames alone: none of its laws is read for it */
    bool spatial;        /* in space only */
    const char *summary;
} CrdOffer;

typedef struct CrdOffers {
    const CrdOffer *rows;
    int count;
} CrdOffers;
#define CRD_OFFERS(table)                                                                                              \
    { table, (int)(sizeof(table) / sizeof(table)[0]) }

typedef struct CrdForceKind {
    const char *name; /* in the model file; NULL: only through the API */
    const char *doc;  /* one sentence */
    CrdFieldTable fields;
    bool (*check)(const CrdWritten *written, CrdObjection *fault); /* what the rules of the fields do not say; NULL:
                                                                    * that is all */
    /* Completes the numbers of the copy in `force`: defaults, directions in own axes; frames: in the pose as written.
     * NULL: they are as written. */
    void (*prepare)(const CrdWritten *written, const CardanFrame *frames, CrdForceData *force);
    int (*states)(const void *numbers); /* how many first-order states it has; NULL: none */
    CardanStatus (*apply)(const CrdForceData *force, const CrdForceInput *input, CrdLoads *loads);
    CardanStatus (*along)(const CrdForceData *force, const CrdForceInput *input, CrdLoads *change);
    int switch_count;
    void (*switches)(const CrdForceData *force, const CrdForceInput *input, double *values); /* NULL: none */
    CardanEventKind event; /* what the first switches are called in the log; the others are kinks */
    int event_switches;    /* how many */
    bool (*elastic)(const CrdForceData *force); /* no velocity matters unless a law uses it; NULL: never so */
    void (*variables)(const CrdForceData *force, const CrdForceInput *input, double *x, double *v); /* of its law */
    /* Its rotation vector in space and that one's rate, which are tracked; NULL: it has none. */
    void (*turn)(const CrdForceData *force, const CrdForceInput *input, CrdVec *phi, CrdVec *rate);
    double (*length)(const CrdForceData *force, const CardanFrame *frames); /* NULL: it has none */
    CrdOffers offers;
    /* Row k of them, with its derivative along the changes of the input (0 where it has none). */
    CardanStatus (*offered)(const CrdForceData *force, const CrdForceInput *input, int k, CrdDual *value);
    /* Where it acts on a frame that it loads, ground axes, with its derivative along the changes of the input. NULL: at
     * the joint's point, or at the frame's origin. */
    CrdDualVec (*place)(const CrdForceData *force, const CrdForceInput *input, int frame);
    /* Of a force between two frames that holds one as a joint would: stiffness and damping of the gap, then of the
     * turn, one row after another, and how many are of the gap; the number of rows is returned. NULL: no such force. */
    int (*compliance)(const CrdForceData *force, double *stiffness, double *damping, int *gap);
} CrdForceKind;

/* By CardanForceType; [0] is NULL. */
extern const CrdForceKind *const crd_force_kinds[CARDAN_FORCE_TYPES];

/* The kind of a type; NULL: there is none. */
const CrdForceKind *crd_force_kind(int type);

/* The row that holds its laws; NULL: it follows none. */
const CrdField *crd_force_law_field(const CrdForceKind *kind, int form);

/* The length of a force that has one. */
double crd_force_length(const CrdForceData *force, const CardanFrame *frames);

/* Which of its offers has this name in this space; -1: none. */
int crd_offer_find(const CrdForceKind *kind, CardanSpace space, const char *name, size_t length);

/* The direction of a vector that was checked to have one. */
CrdVec crd_direction_of(CrdVec v);

/* ---- what kernels are made of ---- */

/* Adds a force at a point fixed in a frame (own axes), and returns its power. */
double crd_push(CrdLoads *loads, const CardanFrame *frames, int frame, CrdVec local, CrdVec force);

/* Adds a moment given in own axes, and returns its power. */
double crd_twist(CrdLoads *loads, const CardanFrame *frames, int frame, CrdVec moment);

/* Change of what crd_push adds, when the force changes by dforce and the point by dlocal. */
void crd_push_change(CrdLoads *change, const CrdForceInput *input, int frame, CrdVec local, CrdVec dlocal, CrdVec force,
                     CrdVec dforce);

/* Adds value times the twist rows of the coordinate; and its change. */
void crd_drive(CrdLoads *loads, const CrdForceInput *input, double value);
void crd_drive_change(CrdLoads *change, const CrdForceInput *input, double value, double dvalue);

/* The law in x and v; 0 without one. Its change along dx, dv and what else it reads. */
CardanStatus crd_law(const CrdForceInput *input, double x, double v, double *value);
CardanStatus crd_law_change(const CrdForceInput *input, CrdJet x, CrdJet v, double *value, double *change);

/* The same for what a force offers, with changes or without. */
CardanStatus crd_law_dual(const CrdForceInput *input, CrdDual x, CrdDual v, CrdDual *value);

/* How a frame changes; not at all without changes. */
const CrdChange *crd_change_of(const CrdForceInput *input, int frame);

/* A point fixed in a frame, with its change; and without its velocity. */
CrdDualVec crd_place_dual(const CrdForceInput *input, int frame, CrdVec local);
void crd_point_dual(const CrdForceInput *input, int frame, CrdVec local, CrdDualVec *p, CrdDualVec *u);

/* The coordinate it acts along, and its rate. */
CrdDual crd_coordinate_dual(const CrdForceInput *input);
CrdDual crd_rate_dual(const CrdForceInput *input);

/* Component k of its values, with its change. */
CrdDual crd_value_dual(const CrdForceInput *input, int k);

#endif
