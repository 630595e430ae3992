/* Describing a mechanism: bodies, custom coordinate blocks, joints, forces.
 *
 * A builder is the one mutable description. It keeps its first error: after it every call returns a zeroed handle and
 * changes nothing, so that one check at cardan_builder_compile is enough. Definitions are copied; zeros in them are
 * defaults. SI units and radians throughout. A builder is used by one thread at a time. */
#ifndef CARDAN_BUILDER_H
#define CARDAN_BUILDER_H

#include "cardan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CardanBuilder CardanBuilder;
typedef struct CardanModel CardanModel;

/* NULL only when out of memory. */
CARDAN_API CardanBuilder *cardan_builder_create(CardanSpace space);
CARDAN_API void cardan_builder_destroy(CardanBuilder *builder);

/* Reads a model file (YAML, format 1) into a new builder. On failure *out is still a builder (unless out of memory),
 * so that its message can be read; destroy it in any case. */
CARDAN_API CardanStatus cardan_builder_read_file(const char *path, CardanBuilder **out);

/* The same from memory; label stands in messages where a file name would. */
CARDAN_API CardanStatus cardan_builder_read_text(const char *text, size_t length, const char *label,
                                                 CardanBuilder **out);

/* The first error, "file:line:column: sentence" when it comes from a file; an empty string if there is none. */
CARDAN_API const char *cardan_builder_message(const CardanBuilder *builder);
CARDAN_API CardanStatus cardan_builder_status(const CardanBuilder *builder);

CARDAN_API void cardan_builder_set_name(CardanBuilder *builder, const char *name);
CARDAN_API void cardan_builder_set_gravity(CardanBuilder *builder, CardanVec3 gravity);

/* A named number that expressions may use. An input is one that a program changes while it runs. */
CARDAN_API void cardan_builder_add_parameter(CardanBuilder *builder, const char *name, double value);
CARDAN_API CardanInput cardan_builder_add_input(CardanBuilder *builder, const char *name, double value);

/* Makes a number of an object follow an expression over parameters, now and whenever a parameter changes:
 * cardan_builder_bind(b, "crank.mass", "2*m"), "rod.position[0]", "gravity[1]", "spring.stiffness". The keys are those
 * of the model file. */
CARDAN_API void cardan_builder_bind(CardanBuilder *builder, const char *number, const char *expression);

/* Changes the value of a parameter; everything bound to it follows. */
CARDAN_API CardanStatus cardan_builder_set_parameter(CardanBuilder *builder, const char *name, double value);

/* ---- bodies ---- */

typedef struct CardanInertia {
    double xx, yy, zz, xy, xz, yz; /* kg m^2, body axes, about the centre of mass; planar: zz alone */
} CardanInertia;

typedef struct CardanPose {
    CardanVec3 p;  /* m; centre of mass, ground axes */
    CardanQuat q;  /* spatial: body to ground; all zeros: no rotation */
    double angle;  /* planar: rad */
} CardanPose;

typedef struct CardanBodyDef {
    const char *name;
    double mass;           /* kg, > 0 */
    CardanInertia inertia; /* positive definite, triangle inequality */
    bool particle;         /* only mass: no orientation, no inertia */
    CardanPose pose;
    CardanVec3 velocity;         /* m/s; of the centre of mass, ground axes */
    CardanVec3 angular_velocity; /* rad/s; ground axes (planar: z) */
    CardanVec3 body_rates;       /* rad/s; the same in body axes, added to the above */
} CardanBodyDef;

CARDAN_API CardanBody cardan_builder_add_body(CardanBuilder *builder, const CardanBodyDef *def);

/* ---- how a frame moves, as callbacks see it ---- */

typedef struct CardanFrame {
    CardanVec3 x;       /* m; origin (a body's centre of mass), ground axes */
    double rotation[9]; /* row-major, own axes to ground axes */
    CardanVec3 v;       /* m/s; velocity of the origin, ground axes */
    CardanVec3 w;       /* rad/s; angular velocity, own axes */
    double angle;       /* rad; planar bodies: counted through turns */
} CardanFrame;

/* A wrench coefficient or a twist row: 3 numbers for v (ground axes), 3 for w (own axes). */
typedef double CardanTwistRow[6];

/* ---- custom coordinate blocks: n coordinates of the user's own, velocities are their derivatives ---- */

typedef struct CardanBlockDef {
    const char *name;
    int coordinates;   /* n >= 1 */
    const double *q0;  /* n start values; NULL: zeros */
    const double *v0;  /* n start velocities; NULL: zeros */
    int rows;          /* holonomic constraint rows of the block itself */
    int frames;        /* frames it offers to joints and forces */
    void *user;        /* handed to every callback */

    /* m: n x n, symmetric positive definite, row-major; arrives zeroed. Required. Constraint forces act through
     * M(q) a + G^T lambda = force. */
    CardanStatus (*mass)(void *user, double t, const double *q, double *m);
    /* f: n; applied, gyroscopic and elastic forces together; arrives zeroed. NULL: none. */
    CardanStatus (*force)(void *user, double t, const double *q, const double *v, const double *inputs, double *f);
    /* Rows: g (rows), jacobian (rows x n, row-major), rate (rows; dg/dt by explicit time), gamma (rows): right side of
     * G a = gamma. All arrive zeroed. Required when rows > 0. */
    CardanStatus (*constraint)(void *user, double t, const double *q, const double *v, double *g, double *jacobian,
                               double *rate, double *gamma);
    /* (G v)_q: rows x n, row-major; only the full form of post-stabilisation needs it. */
    CardanStatus (*constraint_gradient)(void *user, double t, const double *q, const double *v, double *gradient);
    /* Frame number k: place and motion, jacobian (6 x n, row-major: v in ground axes, then w in own axes) and bias (6):
     * rate of the twist at zero accelerations. Required when frames > 0. */
    CardanStatus (*frame)(void *user, int k, double t, const double *q, const double *v, CardanFrame *frame,
                          double *jacobian, double *bias);
    /* Potential energy in J of the conservative part of `force`; NULL: none. */
    double (*potential)(void *user, double t, const double *q);
    /* Power in W of the part of `force` without potential (not of gyroscopic terms); NULL: none. */
    double (*power)(void *user, double t, const double *q, const double *v, const double *inputs);
} CardanBlockDef;

CARDAN_API CardanBlock cardan_builder_add_block(CardanBuilder *builder, const CardanBlockDef *def);

/* Frame k (from 0) of a block, to be used wherever a body is. */
CARDAN_API CardanBody cardan_builder_block_frame(const CardanBuilder *builder, CardanBlock block, int k);

/* ---- joints ---- */

typedef enum CardanJointType {
    CARDAN_REVOLUTE = 0,
    CARDAN_PRISMATIC,
    CARDAN_WELD,
    CARDAN_DISTANCE,
    CARDAN_SPHERICAL,
    CARDAN_UNIVERSAL,
    CARDAN_JOINT_TYPES /* how many there are */
} CardanJointType;

/* Which vectors of a joint are given in the bodies' own axes instead of by point and axis. */
enum {
    CARDAN_LOCAL_POINT_A = 1,
    CARDAN_LOCAL_POINT_B = 2,
    CARDAN_LOCAL_AXIS_A = 4,
    CARDAN_LOCAL_AXIS_B = 8,
    CARDAN_POINT_AT_CENTRE = 16 /* point is the centre of mass of b (of a when b is the ground) */
};

typedef struct CardanJointDef {
    const char *name;
    CardanJointType type;
    CardanBody a, b;    /* zeroed: the ground */
    CardanVec3 point;   /* m; ground coordinates in the pose as written; fixed in both bodies */
    CardanVec3 axis;    /* ground axes in the pose as written; any length > 0; fixed in a, and in b without axis2 */
    CardanVec3 axis2;   /* fixed in b (universal); zeros: axis */
    unsigned local;     /* CARDAN_LOCAL_... */
    CardanVec3 local_a, local_b;           /* m; from the centre of mass, own axes */
    CardanVec3 local_axis_a, local_axis_b; /* own axes */
    double length;      /* distance: m */
    bool length_given;  /* false: the length as it stands */
} CardanJointDef;

CARDAN_API CardanJoint cardan_builder_add_joint(CardanBuilder *builder, const CardanJointDef *def);

/* ---- rows of the user's own between existing bodies ---- */

typedef struct CardanRowsDef {
    const char *name;
    int rows;                 /* >= 1 */
    int bodies;               /* how many bodies they touch, >= 1 */
    const CardanBody *body;   /* which */
    bool nonholonomic;        /* rows at velocity level only: g is not used */
    void *user;
    /* frames: one per body. g: rows (holonomic). jacobian: rows x bodies twist rows. rate: part of the row's velocity
     * that does not come from the twists (g_t, or b of A v + b = 0). gamma: right side of G a = gamma. Arrive zeroed. */
    CardanStatus (*evaluate)(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                             double *rate, double *gamma);
    /* Derivative of G v along displacements of the bodies (x in ground axes, rotation in own axes) at fixed v and w:
     * rows x bodies twist rows; only the full form of post-stabilisation needs it. NULL: none. */
    CardanStatus (*gradient)(void *user, double t, const CardanFrame *frames, CardanTwistRow *gradient);
} CardanRowsDef;

CARDAN_API CardanJoint cardan_builder_add_rows(CardanBuilder *builder, const CardanRowsDef *def);

/* ---- forces ---- */

typedef enum CardanForceType {
    CARDAN_SPRING = 0, /* tension stiffness x + damping v between points of a and b */
    CARDAN_FORCE,      /* at a point of `body`, ground axes, or its own axes when follower */
    CARDAN_TORQUE,     /* on `body`, or along the coordinate of `joint` (+ on b, - on a) */
    CARDAN_CALLBACK,   /* the user's own wrenches on any number of bodies */
    CARDAN_FORCE_TYPES
} CardanForceType;

/* wrench: one per body, arrives zeroed: force in ground axes at the body's centre of mass (a frame's origin), moment in
 * ground axes about it. inputs: all inputs in order of creation. */
typedef CardanStatus (*CardanForceCallback)(void *user, double t, const CardanFrame *frames, const double *inputs,
                                            CardanWrench *wrench);

typedef struct CardanForceDef {
    const char *name;
    CardanForceType type;
    CardanBody a, b;                 /* spring */
    CardanVec3 point_a, point_b;     /* spring: m, own axes from the centre of mass */
    double stiffness, damping;       /* spring: N/m, N s/m */
    double length;                   /* spring: rest length, m */
    bool length_given;               /* false: as it stands */
    CardanBody body;                 /* force, torque */
    CardanJoint joint;               /* torque: instead of body when its index is not 0 */
    CardanVec3 point;                /* force: m, own axes from the centre of mass */
    CardanVec3 value;                /* N or N m; torque on a joint: x; planar torque on a body: z */
    const char *law[3];              /* expressions that replace value.x, .y, .z; NULL: the number stands */
    bool follower;                   /* value in the body's own axes */
    int bodies;                      /* callback: how many */
    const CardanBody *bodies_list;   /* callback: which */
    CardanForceCallback callback;
    void *user;
} CardanForceDef;

CARDAN_API CardanForce cardan_builder_add_force(CardanBuilder *builder, const CardanForceDef *def);

/* ---- start ---- */

/* Sets the rate of a joint's coordinate at the start; other velocities follow with the least kinetic energy of the
 * change. */
CARDAN_API void cardan_builder_set_start_rate(CardanBuilder *builder, CardanJoint joint, double rate);

/* What to do with positions (velocities) that do not meet the constraints: by default residuals below 1e-8 are
 * projected and larger ones refused; project: always projected; keep: taken as given, refused when not met. */
typedef enum CardanStartMode { CARDAN_START_DEFAULT = 0, CARDAN_START_KEEP, CARDAN_START_PROJECT } CardanStartMode;
CARDAN_API void cardan_builder_set_start(CardanBuilder *builder, CardanStartMode positions, CardanStartMode velocities);

/* Keeps this body where it is given while the rest is projected. */
CARDAN_API void cardan_builder_hold(CardanBuilder *builder, CardanBody body);

/* Checks the whole and makes the immutable model. The builder may be changed and compiled again afterwards. */
CARDAN_API CardanStatus cardan_builder_compile(CardanBuilder *builder, CardanModel **out);

#ifdef __cplusplus
}
#endif
#endif
