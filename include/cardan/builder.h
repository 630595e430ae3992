/* Describing a mechanism: bodies, custom coordinate blocks, joints, forces.
 *
 * A builder is the one mutable description. It keeps its first error: after it every call returns CARDAN_INVALID and
 * changes nothing, so that one check at cardan_builder_compile is enough. Definitions begin as cardan_default_...()
 * gives them; one that does not is refused, so that members added later break no program. They are copied; zeros in
 * them are defaults. SI units and radians throughout. A builder is used by one thread at a time. */
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
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_builder_read_file(const char *path, CardanBuilder **out);

/* The same from memory; label stands in messages where a file name would. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_builder_read_text(const char *text, size_t length, const char *label,
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
    CardanVec3 p; /* m; centre of mass, ground axes */
    CardanQuat q; /* spatial: body to ground; all zeros: no rotation */
    double angle; /* planar: rad */
} CardanPose;

typedef struct CardanBodyDef {
    int internal; /* by cardan_default_body */
    const char *name;
    double mass;           /* kg, > 0 */
    CardanInertia inertia; /* positive definite, triangle inequality */
    bool particle;         /* only mass: no orientation, no inertia */
    CardanPose pose;
    CardanVec3 velocity;         /* m/s; of the centre of mass, ground axes */
    CardanVec3 angular_velocity; /* rad/s; ground axes (planar: z) */
    CardanVec3 body_rates;       /* rad/s; the same in body axes, added to the above */
} CardanBodyDef;

CARDAN_API CardanBodyDef cardan_default_body(void);
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

/* A small change of a frame and of its motion, along which derivatives are taken. */
typedef struct CardanFrameChange {
    CardanVec3 x;    /* m; of the origin, ground axes */
    CardanVec3 turn; /* rad; small rotation, own axes */
    CardanVec3 v;    /* m/s; of the velocity, ground axes */
    CardanVec3 w;    /* rad/s; of the angular velocity, own axes */
} CardanFrameChange;

/* ---- custom coordinate blocks: n coordinates of the user's own, velocities are their derivatives ---- */

typedef struct CardanBlockDef {
    int internal; /* by cardan_default_block */
    const char *name;
    int coordinates;  /* n >= 1 */
    const double *q0; /* n start values; NULL: zeros */
    const double *v0; /* n start velocities; NULL: zeros */
    int rows;         /* holonomic constraint rows of the block itself */
    int frames;       /* frames it offers to joints and forces */
    void *user;       /* handed to every callback */

    /* m: n x n, symmetric positive definite, row-major; arrives zeroed. Required. Constraint forces act through
     * M(q) a + G^T lambda = force. */
    CardanStatus (*mass)(void *user, double t, const double *q, double *m);
    /* f: n; applied, gyroscopic and elastic forces together; arrives zeroed. NULL: none. */
    CardanStatus (*force)(void *user, double t, const double *q, const double *v, const double *inputs, double *f);
    /* Rows: g (rows), jacobian (rows x n, row-major), rate (rows; dg/dt by explicit time), gamma (rows): right side of
     * G a = gamma. All arrive zeroed. Required when rows > 0. */
    CardanStatus (*constraint)(void *user, double t, const double *q, const double *v, double *g, double *jacobian,
                               double *rate, double *gamma);
    /* Frame number k: place and motion, jacobian (6 x n, row-major: v in ground axes, then w in own axes) and bias (6):
     * rate of the twist at zero accelerations. The twist is jacobian v: a frame does not move with time alone. Required
     * when frames > 0. */
    CardanStatus (*frame)(void *user, int k, double t, const double *q, const double *v, CardanFrame *frame,
                          double *jacobian, double *bias);
    /* Potential energy in J of the conservative part of `force`; NULL: none. */
    double (*potential)(void *user, double t, const double *q);
    /* Power in W of the part of `force` without potential (not of gyroscopic terms); NULL: none. */
    double (*power)(void *user, double t, const double *q, const double *v, const double *inputs);

    /* Derivatives at fixed velocities (accelerations, multipliers, load), matrices row-major, for the full form of
     * post-stabilisation, implicit steppers and linearisation. All arrive zeroed. Each may be NULL: central differences
     * of the callbacks above are taken then, good to about 1e-10 where coordinates and forces are of size 1. */
    CardanStatus (*constraint_gradient)(void *user, double t, const double *q, const double *v,
                                        double *gradient); /* (G v)_q: rows x n */
    CardanStatus (*reaction_gradient)(void *user, double t, const double *q, const double *lambda,
                                      double *gradient); /* (G^T lambda)_q: n x n */
    CardanStatus (*mass_gradient)(void *user, double t, const double *q, const double *a,
                                  double *gradient); /* (M a)_q: n x n */
    CardanStatus (*force_gradient)(void *user, double t, const double *q, const double *v, const double *inputs,
                                   double *by_q, double *by_v); /* f_q and f_v: n x n */
    CardanStatus (*frame_gradient)(void *user, int k, double t, const double *q, const double *v,
                                   double *gradient); /* (J v)_q of frame k: 6 x n */
    CardanStatus (*load_gradient)(void *user, int k, double t, const double *q, const double *load,
                                  double *gradient); /* (J^T load)_q of frame k, of a force and a moment in own axes */
} CardanBlockDef;

CARDAN_API CardanBlockDef cardan_default_block(void);
CARDAN_API CardanBlock cardan_builder_add_block(CardanBuilder *builder, const CardanBlockDef *def);

/* Frame k (from 0) of a block, to be used wherever a body is. */
CARDAN_API CardanBody cardan_builder_block_frame(CardanBuilder *builder, CardanBlock block, int k);

/* ---- markers: points of bodies, with axes of their own ---- */

/* Channels and laws read places and motion there ("foot.x", "distance(foot, hip)"); joints and forces may sit there. */
typedef struct CardanMarkerDef {
    int internal; /* by cardan_default_marker */
    const char *name;
    CardanBody body;  /* zeroed: the ground */
    CardanVec3 point; /* m; own axes from the centre of mass */
    CardanQuat q;     /* spatial: marker to body axes; all zeros: no rotation */
    double angle;     /* planar: rad */
} CardanMarkerDef;

CARDAN_API CardanMarkerDef cardan_default_marker(void);
CARDAN_API CardanMarker cardan_builder_add_marker(CardanBuilder *builder, const CardanMarkerDef *def);

/* ---- joints ---- */

typedef enum CardanJointType {
    CARDAN_JOINT_NONE = 0, /* forgotten: refused */
    CARDAN_JOINT_REVOLUTE,
    CARDAN_JOINT_PRISMATIC,
    CARDAN_JOINT_WELD,
    CARDAN_JOINT_DISTANCE,
    CARDAN_JOINT_SPHERICAL,
    CARDAN_JOINT_UNIVERSAL,
    CARDAN_JOINT_CYLINDRICAL,
    CARDAN_JOINT_SCREW,
    CARDAN_JOINT_PLANAR,
    CARDAN_JOINT_POINT_ON_LINE,
    CARDAN_JOINT_POINT_ON_PLANE,
    CARDAN_JOINT_PARALLEL,
    CARDAN_JOINT_PERPENDICULAR,
    CARDAN_JOINT_ANGLE, /* planar models: the angle of b against a is kept */
    CARDAN_JOINT_DRIVER,
    CARDAN_JOINT_COUPLER,
    CARDAN_JOINT_CURVE,
    CARDAN_JOINT_ROLLING,
    CARDAN_JOINT_KNIFE_EDGE,
    CARDAN_JOINT_CONSTANT_VELOCITY, /* shafts along axis and axis2 turn alike, however they are bent */
    CARDAN_JOINT_TYPES              /* one more than the last */
} CardanJointType;

/* One term of a coupler: coefficient times a coordinate of a joint. */
typedef struct CardanTerm {
    CardanJoint joint;
    CardanCoordinate coordinate; /* zeroed: the joint's first */
    double coefficient;
} CardanTerm;

/* Which vectors of a joint are given in the bodies' own axes instead of by point and axis. */
enum {
    CARDAN_LOCAL_POINT_A = 1,
    CARDAN_LOCAL_POINT_B = 2,
    CARDAN_LOCAL_AXIS_A = 4,
    CARDAN_LOCAL_AXIS_B = 8,
    CARDAN_POINT_AT_CENTRE = 16 /* point is the centre of mass of b (of a when b is the ground) */
};

typedef struct CardanJointDef {
    int internal; /* by cardan_default_joint */
    const char *name;
    CardanJointType type;
    CardanBody a, b;  /* zeroed: the ground */
    CardanVec3 point; /* m; ground coordinates in the pose as written; fixed in both bodies */
    CardanVec3 axis;  /* ground axes in the pose as written; any length > 0; fixed in a, and in b without axis2 */
    CardanVec3 axis2; /* fixed in b (universal, perpendicular, parallel); zeros: axis */
    unsigned local;   /* CARDAN_LOCAL_... */
    CardanVec3 local_a, local_b;           /* m; from the centre of mass, own axes */
    CardanVec3 local_axis_a, local_axis_b; /* own axes */
    double length;                         /* distance: m */
    bool length_given;                     /* false: the length as it stands */
    double pitch;                          /* screw: m per rad */
    double radius;                         /* rolling: m */
    CardanVec3 normal; /* rolling: of the plane through point, towards the wheel, fixed in a (or local_axis_a). point is
                        * a's; the wheel's centre is b's centre of mass or local_b; axis is the wheel's, fixed in b;
                        * zeros in space: a ball */
    CardanJoint joint; /* driver: whose coordinate is driven; zeroed: the point of b is led along path */
    CardanCoordinate coordinate; /* driver: which one; zeroed: the joint's first */
    double value;                /* driver, coupler: what the coordinate (the sum) is kept at */
    const char *law;             /* driver, coupler: expression in t in place of value; distance: in place of length */
    const char
        *path[3]; /* driver: ground coordinates of the point, in t; curve: in s, in a's axes from its centre of mass */
    double s;     /* curve: where to look for the foot first */
    bool s_given; /* false: the nearest foot */
    int terms;    /* coupler: how many joints */
    const CardanTerm *term;
    bool compliant; /* the rows of a holonomic joint become the potential (stiffness/2) g^2 with damping */
    double stiffness[2], damping[2]; /* compliant: of rows in metres, of rows in radians */
    CardanMarker at;                 /* not 0: point is where this marker is */
} CardanJointDef;

CARDAN_API CardanJointDef cardan_default_joint(CardanJointType type);
CARDAN_API CardanJoint cardan_builder_add_joint(CardanBuilder *builder, const CardanJointDef *def);

/* ---- rows of the user's own between existing bodies ---- */

typedef struct CardanRowsDef {
    int internal; /* by cardan_default_rows */
    const char *name;
    int rows;               /* >= 1 */
    int bodies;             /* how many bodies they touch, >= 1 */
    const CardanBody *body; /* which */
    bool nonholonomic;      /* rows at velocity level only: g is not used */
    void *user;
    /* frames: one per body. g: rows (holonomic). jacobian: rows x bodies twist rows. rate: part of the row's velocity
     * that does not come from the twists (g_t, or b of A v + b = 0). gamma: right side of G a = gamma. Arrive zeroed.
     */
    CardanStatus (*evaluate)(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                             double *rate, double *gamma);
    /* Derivatives along displacements of the bodies (x in ground axes, rotation in own axes), for the full form of
     * post-stabilisation, implicit steppers and linearisation. All arrive zeroed. Each may be NULL: central differences
     * are taken then, good to about 1e-10 where lengths and speeds are of size 1.
     * Of G v at fixed v and w: rows x bodies twist rows. */
    CardanStatus (*gradient)(void *user, double t, const CardanFrame *frames, CardanTwistRow *gradient);
    /* Of G^T lambda at fixed lambda: 6 bodies x 6 bodies, row-major. */
    CardanStatus (*reaction_gradient)(void *user, double t, const CardanFrame *frames, const double *lambda,
                                      double *gradient);
} CardanRowsDef;

CARDAN_API CardanRowsDef cardan_default_rows(void);
CARDAN_API CardanJoint cardan_builder_add_rows(CardanBuilder *builder, const CardanRowsDef *def);

/* ---- forces ---- */

typedef enum CardanForceType {
    CARDAN_FORCE_NONE = 0, /* forgotten: refused */
    CARDAN_FORCE_SPRING,   /* tension stiffness x + damping x' + law between points of a and b, x = distance - length */
    CARDAN_FORCE_TORSION,  /* stiffness x + damping x' + law against a joint's coordinate, x = coordinate - angle */
    CARDAN_FORCE_BUSHING,  /* springs and dampers on the gap and the rotation vector of b against a */
    CARDAN_FORCE_AT_POINT, /* at a point of `body`, ground axes, or its own axes when follower */
    CARDAN_FORCE_TORQUE,   /* on `body`, or along the coordinate of `joint` (+ on b, - on a) */
    CARDAN_FORCE_MOTOR,    /* kp (target - x) + kd (target' - x') along a joint's coordinate, at most `limit` */
    CARDAN_FORCE_FRICTION, /* Coulomb and viscous friction with Stribeck's peak against a joint's coordinate */
    CARDAN_FORCE_LIMIT,    /* one-sided springs and dampers at both ends of the range of a joint's coordinate */
    CARDAN_FORCE_CONTACT,  /* a sphere or point of `body` on a plane fixed in the ground (Hunt and Crossley) */
    CARDAN_FORCE_DRAG,     /* -coefficient |v| v at a point of `body` */
    CARDAN_FORCE_TYRE,     /* a wheel on a plane fixed in the ground, magic formula */
    CARDAN_FORCE_CALLBACK, /* the user's own wrenches on any number of bodies */
    CARDAN_FORCE_ROPE,     /* one tension through two or more points, never pushing; numbers as of a spring */
    CARDAN_FORCE_TYPES
} CardanForceType;

/* wrench: one per body, arrives zeroed: force in ground axes at the body's centre of mass (a frame's origin), moment in
 * ground axes about it. inputs: all inputs in order of creation. */
typedef CardanStatus (*CardanForceCallback)(void *user, double t, const CardanFrame *frames, const double *inputs,
                                            CardanWrench *wrench);

/* How those wrenches change along changes of the frames (one per body); arrives zeroed. */
typedef CardanStatus (*CardanForceChangeCallback)(void *user, double t, const CardanFrame *frames,
                                                  const CardanFrameChange *changes, const double *inputs,
                                                  CardanWrench *change);

/* Magic formula, D Fz sin(C atan(B s - E (B s - atan(B s)))) of a slip s. */
typedef struct CardanMagic {
    double B, C, D, E; /* C, D > 0 */
} CardanMagic;

/* A point of a body. */
typedef struct CardanBodyPoint {
    CardanBody body;
    CardanVec3 point; /* m; own axes from the centre of mass */
} CardanBodyPoint;

typedef struct CardanForceDef {
    int internal; /* by cardan_default_force */
    const char *name;
    CardanForceType type;
    CardanBody a, b;             /* spring, bushing */
    CardanVec3 point_a, point_b; /* spring: m, own axes from the centre of mass */
    double stiffness, damping;   /* spring, torsion, limit; contact: N/m^exponent, no damping; tyre: vertical */
    double bushing_stiffness[6]; /* x y z of the gap, then of the rotation vector; planar: x, y, angle */
    double bushing_damping[6];
    double length;               /* spring: rest length, m */
    bool length_given;           /* false: as it stands */
    CardanBody body;             /* force, torque, contact, drag, tyre */
    CardanJoint joint;           /* torsion, motor, friction, limit; torque: instead of body when not 0 */
    CardanCoordinate coordinate; /* which one of that joint; zero: its angle, else its displacement */
    double angle;                /* torsion: rest value of the coordinate, rad or m */
    CardanVec3 point;            /* force, contact, drag: m, own axes; bushing: ground axes, pose as written */
    CardanVec3 value;            /* N or N m; torque on a joint: x; planar torque on a body: z */
    const char *law[3];          /* force, torque: expressions for value.x, .y, .z; NULL: the number stands; spring,
                                    torsion: [0], added to the tension, in x and v; motor: [0], the target */
    bool follower;               /* value in the body's own axes */
    double gains[2];             /* motor: kp, kd */
    double limit;                /* motor: largest force or torque; 0: none */
    double range[2];             /* limit: lowest and highest value of the coordinate */
    double coulomb, stick;       /* friction: levels while sliding and at rest; stick 0: as coulomb */
    double stribeck;             /* friction: speed at which the peak at rest is gone; 0: as speed */
    double viscous;              /* friction: per unit of speed */
    double speed;                /* friction, contact: speed that regularises the sign, tanh(v/speed) */
    double radius;               /* contact, tyre: m */
    CardanVec3 plane_point, plane_normal; /* contact, tyre: ground axes; the normal points out */
    double exponent;                      /* contact: of the depth; 0: 1.5 */
    double dissipation;                   /* contact: s/m */
    double friction;                      /* contact: coefficient */
    double coefficient;                   /* drag: 1/2 rho cd A */
    CardanVec3 axis;                    /* tyre: of the wheel, ground axes, pose as written; forward is axis x normal */
    CardanMagic longitudinal, lateral;  /* tyre */
    double relaxation;                  /* tyre: m; 0: forces follow the slip at once */
    double slow;                        /* tyre: m/s; speed below which the slip is no longer divided by the speed */
    int points;                         /* rope: how many, >= 2 */
    const CardanBodyPoint *points_list; /* rope: which */
    int bodies;                         /* callback: how many */
    const CardanBody *bodies_list;      /* callback: which */
    CardanForceCallback callback;
    CardanForceChangeCallback change; /* callback: derivatives; NULL: by differences where they are needed */
    void *user;
    CardanMarker at; /* not 0: point is where this marker is, and body its body */
} CardanForceDef;

CARDAN_API CardanForceDef cardan_default_force(CardanForceType type);
CARDAN_API CardanForce cardan_builder_add_force(CardanBuilder *builder, const CardanForceDef *def);

/* ---- first-order states of the user's own: z' = h ---- */

typedef struct CardanFirstOrderDef {
    int internal;           /* by cardan_default_first_order */
    const char *name;       /* laws may use the numbers as name.z0, name.z1, ... */
    int count;              /* n >= 1 */
    const double *z0;       /* n start values; NULL: zeros */
    int bodies;             /* frames that h reads; 0: none */
    const CardanBody *body; /* which */
    void *user;
    /* rate: n; arrives zeroed. frames: one per body. inputs: all inputs in order of creation. */
    CardanStatus (*rate)(void *user, double t, const CardanFrame *frames, const double *inputs, const double *z,
                         double *rate);
} CardanFirstOrderDef;

CARDAN_API CardanFirstOrderDef cardan_default_first_order(void);
CARDAN_API CardanFirstOrder cardan_builder_add_first_order(CardanBuilder *builder, const CardanFirstOrderDef *def);

/* ---- events of the user's own ---- */

/* What the function of an event may look at. */
typedef struct CardanEventView {
    double t;
    const double *q, *v, *z;   /* all coordinates, velocities and first-order states */
    const CardanFrame *frames; /* one per body of the definition */
    const double *inputs;      /* all, in order of creation */
    const double *parameters;  /* likewise */
} CardanEventView;

struct CardanSim;

/* Steps end where the function is zero; then action is called, and the event stands in the log. */
typedef struct CardanEventDef {
    int internal; /* by cardan_default_event */
    const char *name;
    int direction; /* +1: where the function rises through zero; -1: falls; 0: both, and where it only touches it */
    bool stop;     /* the step or advance returns there, with CARDAN_STOPPED */
    int bodies;    /* frames that function reads; 0: none */
    const CardanBody *body; /* which */
    void *user;
    /* Must be smooth in the state; it is also called at states that no step ends in. Required. */
    CardanStatus (*function)(void *user, const CardanEventView *view, double *value);
    /* NULL: none. A change of the state that is a smooth function of the view alone, a bounce for instance: q, v, z
     * arrive as they are in the view, and what is left in them is put back on the constraints; the change of energy
     * counts as work. It may be called for neighbours of the event at any time: derivatives along a run
     * (cardan/sensitivity.h) go through it. It comes before the action. */
    CardanStatus (*reset)(void *user, const CardanEventView *view, double *q, double *v, double *z);
    /* NULL: none. sim stands at the event; it may be read and its inputs set, nothing else. q, v, z may be changed: the
     * state is then put back on its constraints, and the change of energy counts as work. CARDAN_STOPPED stops the run
     * as `stop` does; a failure is handed through and leaves the simulation at the event, unchanged. */
    CardanStatus (*action)(void *user, struct CardanSim *sim, double *q, double *v, double *z);
} CardanEventDef;

CARDAN_API CardanEventDef cardan_default_event(void);
CARDAN_API void cardan_builder_add_event(CardanBuilder *builder, const CardanEventDef *def);

/* ---- invariants of the user's own ---- */

/* A quantity that the motion keeps and steps do not quite: after each step velocities move, by the least kinetic energy
 * of the change and along the constraints, to where it is again what it was at the start, or where the state was last
 * set from outside. A step that would have to move them by more than a tenth is not accepted: such a quantity is none
 * that the motion keeps. */
typedef struct CardanInvariantDef {
    int internal; /* by cardan_default_invariant */
    const char *name;
    int bodies;             /* frames that it reads, >= 1 */
    const CardanBody *body; /* which */
    void *user;
    /* value, and its derivative by the velocities of these bodies, one twist row each. Both arrive zeroed. Required;
     * the derivative is compared with differences of the value where a run starts. */
    CardanStatus (*evaluate)(void *user, const CardanEventView *view, double *value, CardanTwistRow *gradient);
} CardanInvariantDef;

CARDAN_API CardanInvariantDef cardan_default_invariant(void);
CARDAN_API void cardan_builder_add_invariant(CardanBuilder *builder, const CardanInvariantDef *def);

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
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_builder_compile(CardanBuilder *builder, CardanModel **out);

#ifdef __cplusplus
}
#endif
#endif
