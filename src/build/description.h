/* The description of a mechanism exactly as it was written: the one mutable thing before the compiled model.
 *
 * Numbers stay in the form in which they were given (a box's edges, a rotation by axis and angle), because any of them
 * may be bound to an expression over parameters and must be resolvable again when a parameter changes. Resolving is
 * src/model/values. A table of fields per kind of object (core/field.h) names each number by its key of the model file;
 * the reader, cardan_builder_bind and messages all use it. */
#ifndef CRD_BUILD_DESCRIPTION_H
#define CRD_BUILD_DESCRIPTION_H

#include "cardan/builder.h"
#include "cardan/options.h"
#include "cardan/scene.h"
#include "core/field.h"
#include "core/names.h"
#include "core/status.h"
#include "expr/expr.h"
#include "force/force.h"

#include <assert.h>

typedef enum CrdInertiaForm {
    CRD_INERTIA_TENSOR = 0, /* inertia[6]: xx yy zz xy xz yz; planar: zz */
    CRD_INERTIA_ROD,        /* inertia[0] length, inertia[1] radius; along */
    CRD_INERTIA_BOX,        /* inertia[0..2] edges (planar: 2) */
    CRD_INERTIA_CYLINDER,   /* inertia[0] radius, inertia[1] height; along */
    CRD_INERTIA_SPHERE      /* inertia[0] radius */
} CrdInertiaForm;

typedef enum CrdOrientationForm {
    CRD_ORIENTATION_NONE = 0,
    CRD_ORIENTATION_ANGLE,      /* orientation[0]; planar */
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

/* A point of a frame and axes there. */
typedef struct CrdMarkerDesc {
    char *name;
    CrdPlace place;
    int frame;
    double point[3]; /* m; own axes from the frame's origin */
    CrdOrientationForm orientation_form;
    double orientation[4]; /* of its axes against the frame's */
} CrdMarkerDesc;

/* What is drawn of a body. */
typedef struct CrdShapeDesc {
    char *file; /* mesh */
    CrdPlace place;
    int frame;
    CardanShapeKind kind;
    double numbers[7]; /* rod: from, to, radius; box: edges; cylinder: radius, height; sphere: radius */
} CrdShapeDesc;

typedef struct CrdBlockDesc {
    char *name;
    CrdPlace place;
    CardanBlockDef def; /* name, q0, v0 in it are NULL; see here */
    double *q0, *v0;    /* def.coordinates long, own copies */
    int first_frame;    /* frame number of its frame 0 */
} CrdBlockDesc;

/* A frame is what joints and forces attach to: number 0 the ground, then bodies and block frames as they were added.
 * Public CardanBody handles are frame numbers. */
typedef enum CrdFrameKind { CRD_FRAME_GROUND = 0, CRD_FRAME_BODY, CRD_FRAME_OF_BLOCK } CrdFrameKind;
typedef struct CrdFrameDesc {
    CrdFrameKind kind;
    int object; /* index into bodies or blocks */
    int frame;  /* which frame of the block */
} CrdFrameDesc;

typedef struct CrdRowsDesc { /* rows of the user's own */
    CardanRowsDef def;       /* name and body in it are NULL; see here */
    int *frames;             /* def.bodies long */
} CrdRowsDesc;

/* A row of numbers that are a marker's: they follow it. */
typedef struct CrdPlacing {
    int marker; /* from 1; 0: none */
    int row;    /* of the table */
} CrdPlacing;
enum { CRD_PLACINGS = 2 }; /* of one element, at most */

/* A joint or a force. Its kind's table of fields (core/field.h) says what its numbers are. */
typedef struct CrdElementDesc {
    char *name;
    CrdPlace place;
    int type;          /* CardanJointType or CardanForceType */
    CrdRowsDesc *rows; /* a joint of user rows; NULL: one of the list */
    int form;          /* which of the forms its kind has; 0: it has no forms */
    uint64_t given;    /* bit i: row i of its table */
    char *law[3];      /* NULL: the number stands */
    CrdPlace law_place[3];
    CrdPlacing at[CRD_PLACINGS];
    int item, items; /* first of its terms (joints) or points (forces) in the description, and how many */
    CrdWrittenNumbers numbers;
} CrdElementDesc;
typedef CrdElementDesc CrdJointDesc; /* its numbers are CrdJointNumbers */
typedef CrdElementDesc CrdForceDesc;

static inline const CrdJointNumbers *crd_joint_numbers(const CrdJointDesc *joint) {
    assert(joint->rows == NULL);
    return (const CrdJointNumbers *)(const void *)&joint->numbers;
}

/* Coefficient times a coordinate of a joint: what couplers add up. */
typedef struct CrdTermDesc {
    int joint;                   /* from 1 */
    CardanCoordinate coordinate; /* never none */
    double coefficient;
    CrdPlace place;
} CrdTermDesc;

typedef struct CrdStatesDesc { /* first-order states of the user's own */
    char *name;
    CardanFirstOrderDef def; /* name, z0 and body in it are NULL; see here */
    double *z0;              /* def.count long */
    int *frames;             /* def.bodies long */
} CrdStatesDesc;

typedef struct CrdEventDesc {
    char *name;
    CardanEventDef def; /* name and body in it are NULL; see here */
    int *frames;        /* def.bodies long */
} CrdEventDesc;

typedef struct CrdInvariantDesc {
    char *name;
    CardanInvariantDef def; /* name and body in it are NULL; see here */
    int *frames;            /* def.bodies long */
} CrdInvariantDesc;

/* What a bound number belongs to. */
typedef enum CrdOwner {
    CRD_OWNER_MODEL = 0,
    CRD_OWNER_BODY,
    CRD_OWNER_JOINT,
    CRD_OWNER_FORCE,
    CRD_OWNER_INPUT,
    CRD_OWNER_RATE,
    CRD_OWNER_COORDINATE,
    CRD_OWNER_TERM,
    CRD_OWNER_POINT,
    CRD_OWNER_SHAPE,
    CRD_OWNER_MARKER
} CrdOwner;

typedef struct CrdBinding {
    CrdOwner owner;
    int index;           /* object, from 0 */
    size_t offset;       /* bytes from the start of its description to the double */
    CrdExpr *expression; /* variable i = parameter i */
    CrdPlace place;
} CrdBinding;

typedef struct CrdStartRate {
    int joint;   /* from 1 */
    double rate; /* of its coordinate; among `coordinates` the coordinate itself */
    CrdPlace place;
} CrdStartRate;

/* A start on the slow manifold (slow/slow.h). */
typedef struct CrdSlowDesc {
    bool given;
    CrdPlace place;
    int method, kernel; /* CardanSlowMethod, CardanSlowKernel */
    double tolerance;   /* 0: that of the method */
    double every;       /* s; again after so long; 0: never */
} CrdSlowDesc;

/* The lists of a description. */
typedef enum CrdList {
    CRD_LIST_PARAMETERS = 0,
    CRD_LIST_VALUES,
    CRD_LIST_INPUTS,
    CRD_LIST_BODIES,
    CRD_LIST_BLOCKS,
    CRD_LIST_FRAMES,
    CRD_LIST_MARKERS,
    CRD_LIST_JOINTS,
    CRD_LIST_TERMS,
    CRD_LIST_POINTS,
    CRD_LIST_SHAPES,
    CRD_LIST_FORCES,
    CRD_LIST_STATES,
    CRD_LIST_EVENTS,
    CRD_LIST_INVARIANTS,
    CRD_LIST_BINDINGS,
    CRD_LIST_RATES,
    CRD_LIST_COORDINATES,
    CRD_LIST_OUTPUTS,
    CRD_LIST_OUTPUT_PLACES,
    CRD_LIST_SLOW,
    CRD_LISTS
} CrdList;

typedef struct CrdDescription {
    char *name; /* never NULL */
    char *file; /* label for messages; NULL: built by program */
    CardanSpace space;
    double gravity[3];
    CardanStartMode start_positions, start_velocities;
    CrdSlowDesc slow;
    CardanOptions options;

    int parameter_count, value_count, input_count, body_count, block_count, frame_count, joint_count, term_count;
    int point_count, force_count, states_count, event_count, binding_count, rate_count, coordinate_count, output_count;
    int shape_count, marker_count, invariant_count;
    int output_place_count;
    int slow_count;
    int capacity[CRD_LISTS]; /* room in each list */
    CrdParameterDesc *parameters;
    double *parameter_values; /* their values side by side, as expressions want them */
    CrdInputDesc *inputs;
    CrdBodyDesc *bodies;
    CrdBlockDesc *blocks;
    CrdFrameDesc *frames; /* at least 1: the ground */
    CrdMarkerDesc *markers;
    CrdJointDesc *joints; /* joint number i (from 1) is joints[i - 1] */
    CrdTermDesc *terms;
    CrdForcePoint *points; /* of forces that have any number of them */
    CrdShapeDesc *shapes;
    CrdForceDesc *forces;
    CrdStatesDesc *states;
    CrdEventDesc *events;
    CrdInvariantDesc *invariants;
    CrdBinding *bindings;
    CrdStartRate *rates;
    CrdStartRate *coordinates; /* at which it shall be assembled */
    char **outputs;
    CrdPlace *output_places; /* as outputs */
    char **slow_names;       /* compliant joints and bushings that start slow; none: all that are stiff */

    /* Bodies, blocks, joints, forces, states, events, invariants, markers: one name space, because measures are
     * `name.what`. */
    CrdNames names;
    CrdNames numbers; /* parameters and inputs */
} CrdDescription;

/* An empty one: the ground alone, default options; NULL when out of memory. */
CrdDescription *crd_description_create(CardanSpace space);

/* A deep copy (callbacks and user pointers are shared); NULL when out of memory. */
CrdDescription *crd_description_clone(const CrdDescription *description);
void crd_description_free(CrdDescription *description);

/* Adds an item to a list, and its name to the names; what it owns is the description's then. */
CardanStatus crd_list_append(CrdDescription *description, CrdList which, const void *item, CrdError *error);

/* The same in two: room for so many more (false: out of memory), and an item for which there is room. */
bool crd_list_reserve(CrdDescription *description, CrdList which, int more);
void crd_list_put(CrdDescription *description, CrdList which, const void *item);

/* What a joint or force owns. */
void crd_element_free(CrdElementDesc *element);

/* Sets a parameter, evaluates later parameters and all bindings again and checks the whole. A parameter that had an
 * expression is a plain number from then on. On failure nothing is changed. */
CardanStatus crd_description_set_parameter(CrdDescription *description, const char *name, double value,
                                           CrdError *error);

/* The same for several at once: only the result is checked, not the way there. */
CardanStatus crd_description_set_parameters(CrdDescription *description, int count, const char *const *names,
                                            const double *values, CrdError *error);

/* Checks of physical sense that need only one object's numbers: masses, inertias, axes, finiteness. Run when objects
 * are added and again after a parameter changed. */
CardanStatus crd_description_check(const CrdDescription *description, CrdError *error);

/* Name of a frame for messages: "ground", "crank", "rod.2". */
const char *crd_frame_name(const CrdDescription *description, int frame, char *buffer, size_t size);

struct CardanBuilder {
    CrdDescription *description;
    CrdError error;
    char message[CRD_MESSAGE_SIZE + 512]; /* "file:line:column: sentence" of the error */
};

/* Writes builder->message from builder->error; returns its status. To be called when builder->error was filled. */
CardanStatus crd_builder_report(CardanBuilder *builder);

#endif
