/* The description of a mechanism exactly as it was written: the one mutable thing before the compiled model.
 *
 * Numbers stay in the form in which they were given (a box's edges, a rotation by axis and angle), because any of them
 * may be bound to an expression over parameters and must be resolvable again when a parameter changes. Resolving is
 * src/model/numbers. A field table per kind of object (fields.h) names each number by its key of the model file; the
 * reader, cardan_builder_bind and messages all use it. */
#ifndef CRD_BUILD_DESCRIPTION_H
#define CRD_BUILD_DESCRIPTION_H

#include "build/names.h"
#include "cardan/builder.h"
#include "cardan/options.h"
#include "core/status.h"
#include "expr/expr.h"

typedef enum CrdInertiaForm {
    CRD_INERTIA_TENSOR = 0, /* inertia[6]: xx yy zz xy xz yz; planar: zz */
    CRD_INERTIA_ROD,        /* inertia[0] length, inertia[1] radius; along */
    CRD_INERTIA_BOX,        /* inertia[0..2] edges (planar: 2) */
    CRD_INERTIA_CYLINDER,   /* inertia[0] radius, inertia[1] height; along */
    CRD_INERTIA_SPHERE      /* inertia[0] radius */
} CrdInertiaForm;

typedef enum CrdOrientationForm {
    CRD_ORIENTATION_NONE = 0,
    CRD_ORIENTATION_ANGLE,     /* orientation[0]; planar */
    CRD_ORIENTATION_QUATERNION, /* w x y z; any length > 0 */
    CRD_ORIENTATION_RPY,        /* roll pitch yaw about fixed axes x, y, z in turn */
    CRD_ORIENTATION_AXIS_ANGLE  /* ax ay az angle */
} CrdOrientationForm;

typedef struct CrdParameterDesc {
    char *name;
    CrdPlace place;
    double value;
    CrdExpr *expression; /* over earlier parameters (variable i = parameter i); NULL: a plain number */
} CrdParameterDesc;

typedef struct CrdInputDesc {
    char *name;
    CrdPlace place;
    double value;
} CrdInputDesc;

typedef struct CrdBodyDesc {
    char *name;
    CrdPlace place;
    bool particle;
    double mass;
    CrdInertiaForm inertia_form;
    double inertia[6];
    int along; /* 0 x, 1 y, 2 z */
    double position[3];
    CrdOrientationForm orientation_form;
    double orientation[4];
    double velocity[3];
    double angular_velocity[3]; /* ground axes; planar: spin in [2] */
    double body_rates[3];       /* body axes, added */
    bool hold;                  /* kept in place while the start is projected */
} CrdBodyDesc;

typedef struct CrdBlockDesc {
    char *name;
    CrdPlace place;
    CardanBlockDef def;  /* name, q0, v0 in it are NULL; see here */
    double *q0, *v0;     /* def.coordinates long, own copies */
    int first_carrier;   /* carrier number of its frame 0 */
} CrdBlockDesc;

/* A carrier is what joints and forces attach to: number 0 the ground, then bodies and block frames as they were added.
 * Public CardanBody handles are carrier numbers. */
typedef enum CrdCarrierKind { CRD_CARRIER_GROUND = 0, CRD_CARRIER_BODY, CRD_CARRIER_FRAME } CrdCarrierKind;
typedef struct CrdCarrierDesc {
    CrdCarrierKind kind;
    int object; /* index into bodies or blocks */
    int frame;  /* which frame of the block */
} CrdCarrierDesc;

typedef struct CrdRowsDesc { /* rows of the user's own */
    CardanRowsDef def;       /* name and body in it are NULL; see here */
    int *carriers;           /* def.bodies long */
} CrdRowsDesc;

typedef struct CrdJointDesc {
    char *name;
    CrdPlace place;
    CardanJointType type;
    CrdRowsDesc *rows; /* user rows; NULL: a joint of the list */
    int a, b;          /* carrier numbers */
    unsigned local;    /* CARDAN_LOCAL_... */
    double point[3], axis[3], axis2[3];
    bool axis2_given;
    double local_a[3], local_b[3], local_axis_a[3], local_axis_b[3];
    double length;
    bool length_given;
    double pitch, radius, normal[3];
    bool axis_given;   /* rolling: a disc about the axis; else a ball */
    double value;      /* driver, coupler */
    double s;          /* curve: where to look for the foot first */
    bool s_given;
    char *law[3];      /* [0]: length, value; all: path. NULL: the number stands */
    CrdPlace law_place[3];
    int term, terms;   /* driver, coupler: first of its terms in the description, and how many */
    bool compliant;
    double stiffness[2], damping[2]; /* compliant: by CrdUnit of the row */
} CrdJointDesc;

/* Coefficient times a coordinate of a joint: what couplers add up. */
typedef struct CrdTermDesc {
    int joint; /* from 1 */
    CardanCoordinate coordinate; /* never none */
    double coefficient;
    CrdPlace place;
} CrdTermDesc;

typedef struct CrdForceDesc {
    char *name;
    CrdPlace place;
    CardanForceType type;
    int a, b;                     /* spring, bushing: carrier numbers */
    double point_a[3], point_b[3];
    double stiffness[6], damping[6]; /* one number but for a bushing */
    double length;
    bool length_given;
    int body;                     /* carrier number */
    int joint;                    /* joint number from 1; 0: on the body */
    CardanCoordinate coordinate;  /* of the joint, as asked for; none: its first */
    double angle;
    double point[3];              /* own axes; bushing: ground axes, as written */
    double value[3];              /* planar torque on a body in [2]; on a joint in [0] */
    char *law[3];                 /* NULL: the number stands; spring, torsion, motor: [0] */
    CrdPlace law_place[3];
    bool follower;
    double gains[2], limit, range[2];
    bool limit_given;
    double coulomb, stick, stribeck, viscous, speed;
    bool stick_given, stribeck_given, speed_given;
    double radius, plane_point[3], plane_normal[3];
    double exponent, dissipation, friction, coefficient;
    bool exponent_given;
    double axis[3];               /* tyre: ground axes, as written */
    CardanMagic longitudinal, lateral;
    double relaxation, slow;
    bool relaxation_given;
    int bodies;                   /* callback */
    int *carriers;
    CardanForceCallback callback;
    CardanForceChangeCallback change;
    void *user;
} CrdForceDesc;

typedef struct CrdStatesDesc { /* first-order states of the user's own */
    char *name;
    CardanStatesDef def; /* name, z0 and body in it are NULL; see here */
    double *z0;          /* def.count long */
    int *carriers;       /* def.bodies long */
} CrdStatesDesc;

typedef struct CrdEventDesc {
    char *name;
    CardanEventDef def; /* name and body in it are NULL; see here */
    int *carriers;      /* def.bodies long */
} CrdEventDesc;

/* What a bound number belongs to. */
typedef enum CrdOwner {
    CRD_OWNER_MODEL = 0,
    CRD_OWNER_BODY,
    CRD_OWNER_JOINT,
    CRD_OWNER_FORCE,
    CRD_OWNER_INPUT,
    CRD_OWNER_RATE,
    CRD_OWNER_TERM
} CrdOwner;

typedef struct CrdBinding {
    CrdOwner owner;
    int index;     /* object, from 0 */
    size_t offset; /* bytes from the start of its description to the double */
    CrdExpr *expression; /* variable i = parameter i */
    CrdPlace place;
} CrdBinding;

typedef struct CrdStartRate {
    int joint; /* from 1 */
    double rate;
    CrdPlace place;
} CrdStartRate;

typedef struct CrdDescription {
    char *name; /* never NULL */
    char *file; /* label for messages; NULL: built by program */
    CardanSpace space;
    double gravity[3];
    CardanStartMode start_positions, start_velocities;
    CardanOptions options;

    int parameter_count, parameter_capacity;
    CrdParameterDesc *parameters;
    int value_capacity;
    double *parameter_values; /* parameter_count long: their values side by side, as expressions want them */
    int input_count, input_capacity;
    CrdInputDesc *inputs;
    int body_count, body_capacity;
    CrdBodyDesc *bodies;
    int block_count, block_capacity;
    CrdBlockDesc *blocks;
    int carrier_count, carrier_capacity; /* at least 1: the ground */
    CrdCarrierDesc *carriers;
    int joint_count, joint_capacity; /* joint number i (from 1) is joints[i - 1] */
    CrdJointDesc *joints;
    int term_count, term_capacity;
    CrdTermDesc *terms;
    int force_count, force_capacity;
    CrdForceDesc *forces;
    int states_count, states_capacity;
    CrdStatesDesc *states;
    int event_count, event_capacity;
    CrdEventDesc *events;
    int binding_count, binding_capacity;
    CrdBinding *bindings;
    int rate_count, rate_capacity;
    CrdStartRate *rates;
    int output_count, output_capacity;
    char **outputs;
    CrdPlace *output_places; /* output_count long */
    int output_place_capacity;

    CrdNames names;   /* bodies, blocks, joints, forces, states, events: one name space, because measures are `name.what` */
    CrdNames numbers; /* parameters and inputs */
} CrdDescription;

/* An empty one: the ground alone, default options; NULL when out of memory. */
CrdDescription *crd_description_create(CardanSpace space);

/* A deep copy (callbacks and user pointers are shared); NULL when out of memory. */
CrdDescription *crd_description_clone(const CrdDescription *description);
void crd_description_free(CrdDescription *description);

/* Sets a parameter, evaluates later parameters and all bindings again and checks the whole. A parameter that had an
 * expression is a plain number from then on. On failure nothing is changed. */
CardanStatus crd_description_set_parameter(CrdDescription *description, const char *name, double value, CrdError *error);

/* The same for several at once: only the result is checked, not the way there. */
CardanStatus crd_description_set_parameters(CrdDescription *description, int count, const char *const *names,
                                            const double *values, CrdError *error);

/* Checks of physical sense that need only one object's numbers: masses, inertias, axes, finiteness. Run when objects
 * are added and again after a parameter changed. */
CardanStatus crd_description_check(const CrdDescription *description, CrdError *error);

/* Name of a carrier for messages: "ground", "crank", "rod.2". */
const char *crd_carrier_name(const CrdDescription *description, int carrier, char *buffer, size_t size);

struct CardanBuilder {
    CrdDescription *description;
    CrdError error;
    char message[CRD_MESSAGE_SIZE + 512]; /* "file:line:column: sentence" of the error */
};

/* Writes builder->message from builder->error; returns its status. To be called when builder->error was filled. */
CardanStatus crd_builder_report(CardanBuilder *builder);

#endif
