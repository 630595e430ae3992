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
} CrdJointDesc;

typedef struct CrdForceDesc {
    char *name;
    CrdPlace place;
    CardanForceType type;
    int a, b;                     /* spring: carrier numbers */
    double point_a[3], point_b[3];
    double stiffness, damping, length;
    bool length_given;
    int body;                     /* force, torque: carrier number */
    int joint;                    /* torque: joint number from 1; 0: on the body */
    double point[3];
    double value[3];              /* planar torque on a body in [2]; on a joint in [0] */
    char *law[3];                 /* NULL: the number stands */
    CrdPlace law_place[3];
    bool follower;
    int bodies;                   /* callback */
    int *carriers;
    CardanForceCallback callback;
    void *user;
} CrdForceDesc;

/* What a bound number belongs to. */
typedef enum CrdOwner { CRD_OWNER_MODEL = 0, CRD_OWNER_BODY, CRD_OWNER_JOINT, CRD_OWNER_FORCE, CRD_OWNER_INPUT, CRD_OWNER_RATE } CrdOwner;

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
    int force_count, force_capacity;
    CrdForceDesc *forces;
    int binding_count, binding_capacity;
    CrdBinding *bindings;
    int rate_count, rate_capacity;
    CrdStartRate *rates;
    int output_count, output_capacity;
    char **outputs;
    CrdPlace *output_places; /* output_count long */
    int output_place_capacity;

    CrdNames names;   /* bodies, blocks, joints, forces: one name space, because measures are `name.what` */
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
