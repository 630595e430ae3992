/* What there is to be seen of a mechanism: shapes of bodies, where joints sit, where forces act and how strongly. For
 * programs that draw; nothing here takes part in the motion. Where a question has no answer (no model, no such object)
 * counts are -1, texts empty and the rest zeros. */
#ifndef CARDAN_SCENE_H
#define CARDAN_SCENE_H

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- shapes: `geometry` of the model file ---- */

typedef enum CardanShapeKind {
    CARDAN_SHAPE_NONE = 0, /* forgotten: refused */
    CARDAN_SHAPE_ROD,      /* from `from` to `to`, round */
    CARDAN_SHAPE_BOX,      /* edges along x, y, z, about the centre of mass */
    CARDAN_SHAPE_CYLINDER, /* along z, about the centre of mass */
    CARDAN_SHAPE_SPHERE,   /* about the centre of mass */
    CARDAN_SHAPE_MESH,     /* of a file, which this library does not open */
    CARDAN_SHAPE_KINDS
} CardanShapeKind;

typedef struct CardanShape {
    int internal; /* by cardan_default_shape */
    CardanShapeKind kind;
    CardanVec3 from, to; /* rod: m, own axes from the centre of mass */
    CardanVec3 edges;    /* box: m */
    double radius;       /* rod, cylinder, sphere: m */
    double height;       /* cylinder: m */
    const char *file;    /* mesh: as written */
} CardanShape;

CARDAN_API CardanShape cardan_default_shape(CardanShapeKind kind);
CARDAN_API void cardan_builder_add_shape(CardanBuilder *builder, CardanBody body, const CardanShape *shape);

/* How many shapes a body has, and number k of them, from 0. */
CARDAN_API int cardan_model_shapes(const CardanModel *model, CardanBody body);
CARDAN_API CardanShape cardan_model_shape(const CardanModel *model, CardanBody body, int k);

/* ---- numbers of bodies ---- */

typedef struct CardanBodyMass {
    double mass;           /* kg; 0: the ground, a frame of a block */
    CardanInertia inertia; /* kg m^2, own axes, about the centre of mass; planar: zz alone */
} CardanBodyMass;
CARDAN_API CardanBodyMass cardan_model_body_mass(const CardanModel *model, CardanBody body);

/* m/s^2, ground axes. */
CARDAN_API CardanVec3 cardan_model_gravity(const CardanModel *model);

/* Centre of mass and axes of a body in the pose as written. */
CARDAN_API CardanPose cardan_model_body_pose(const CardanModel *model, CardanBody body);

/* ---- markers; their handles are 1 to markers ---- */

typedef struct CardanMarkerScene {
    CardanBody body;  /* CARDAN_INVALID: there is no such marker */
    CardanVec3 point; /* m; own axes of the body */
    CardanQuat q;     /* marker to body axes */
} CardanMarkerScene;
CARDAN_API CardanMarkerScene cardan_model_marker_scene(const CardanModel *model, CardanMarker marker);

/* ---- joints ---- */

/* Where a joint sits. */
typedef struct CardanJointScene {
    CardanJointType type;        /* none: rows of the user's own, of which nothing below is known */
    CardanBody a, b;             /* of a driver or coupler those of the joint it leads */
    CardanVec3 point_a, point_b; /* m; its point in a and in b, own axes from the centre of mass */
    CardanVec3 axis_a, axis_b;   /* unit; own axes of a and of b; zeros: it has none there. rolling: the plane's normal
                                  * and the wheel's axis */
    double radius;               /* rolling: m */
    CardanJoint joint;           /* driver, coupler: the (first) joint it leads; else 0 */
    bool compliant;
} CardanJointScene;
CARDAN_API CardanJointScene cardan_model_joint_scene(const CardanModel *model, CardanJoint joint);

/* "revolute", as in the model file; "unknown" of any other number. */
CARDAN_API const char *cardan_joint_type_name(CardanJointType type);

/* ---- forces; their handles are 1 to forces ---- */

typedef struct CardanForceScene {
    CardanForceType type;
    CardanJoint joint;                    /* along whose coordinate it acts; 0: along none */
    CardanCoordinate coordinate;          /* of that joint */
    int points;                           /* where it acts: cardan_model_force_point */
    CardanVec3 plane_point, plane_normal; /* contact, tyre: ground axes; the normal has length 1 */
    double radius;                        /* contact, tyre: m */
    CardanVec3 axis;                      /* tyre: of the wheel, unit, own axes */
} CardanForceScene;
CARDAN_API CardanForceScene cardan_model_force_scene(const CardanModel *model, CardanForce force);

/* Point number k at which a force acts, from 0: the ends of a spring, the points of a rope, of a force along a joint's
 * coordinate those of the joint in a and in b. Body CARDAN_INVALID: there is none. */
CARDAN_API CardanBodyPoint cardan_model_force_point(const CardanModel *model, CardanForce force, int k);

/* CARDAN_INVALID when there is none of that name. */
CARDAN_API CardanForce cardan_model_find_force(const CardanModel *model, const char *name);
CARDAN_API const char *cardan_model_force_name(const CardanModel *model, CardanForce force);

/* "spring", as in the model file; "callback" of a program's own; "unknown" of any other number. */
CARDAN_API const char *cardan_force_type_name(CardanForceType type);

/* What a body receives from a force element at the present state, all its points on it together: ground axes, moment
 * about the body's centre of mass. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_load(CardanSim *sim, CardanForce force, CardanBody body,
                                                         CardanWrench *out);

/* ---- what looks wrong ---- */

/* Remarks on a model that can be computed and looks as if it were not what was meant: lengths far apart, an inertia
 * that fits neither mass nor size, angles that look like degrees, bodies that nothing holds. Number k of them, from 0,
 * is written to text (size bytes, may be NULL); how many there are is returned, -1 without a model or when out of
 * memory. */
CARDAN_API int cardan_model_remarks(const CardanModel *model, int k, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
