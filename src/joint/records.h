/* What the files of joints share: the list of their records, and rows of their tables. */
#ifndef CRD_JOINT_RECORDS_H
#define CRD_JOINT_RECORDS_H

#include "joint/part.h"
#include "joint/whole.h"

/* The list of joints: one line each, CARDAN_JOINT_... and the record. */
#define CRD_JOINTS(X)                                                                                                  \
    X(REVOLUTE, crd_revolute)                                                                                          \
    X(PRISMATIC, crd_prismatic)                                                                                        \
    X(WELD, crd_weld)                                                                                                  \
    X(DISTANCE, crd_distance)                                                                                          \
    X(SPHERICAL, crd_spherical)                                                                                        \
    X(UNIVERSAL, crd_universal)                                                                                        \
    X(CYLINDRICAL, crd_cylindrical)                                                                                    \
    X(SCREW, crd_screw)                                                                                                \
    X(PLANAR, crd_planar)                                                                                              \
    X(POINT_ON_LINE, crd_point_on_line)                                                                                \
    X(POINT_ON_PLANE, crd_point_on_plane)                                                                              \
    X(PARALLEL, crd_parallel)                                                                                          \
    X(PERPENDICULAR, crd_perpendicular)                                                                                \
    X(ANGLE, crd_angle)                                                                                                \
    X(DRIVER, crd_driver)                                                                                              \
    X(COUPLER, crd_coupler)                                                                                            \
    X(CURVE, crd_curve)                                                                                                \
    X(ROLLING, crd_rolling)                                                                                            \
    X(KNIFE_EDGE, crd_knife_edge)                                                                                      \
    X(CONSTANT_VELOCITY, crd_constant_velocity)

#define CRD_DECLARE_JOINT(type, record) extern const CrdJointKind record;
CRD_JOINTS(CRD_DECLARE_JOINT)

/* Where a row is kept in the numbers of a joint, and in a program's definition; and one of the record's own numbers. */
#define CRD_AT(member, given) .own = offsetof(CrdJointNumbers, member), .def = offsetof(CardanJointDef, given)
#define CRD_OWN(type, member, given)                                                                                   \
    .own = offsetof(CrdJointNumbers, own) + offsetof(type, member), .def = offsetof(CardanJointDef, given)
#define CRD_FITS_OWN(type) _Static_assert(sizeof(type) <= CRD_JOINT_OWN * sizeof(double), "CRD_JOINT_OWN is too small")

#define CRD_ROW_BODIES                                                                                                 \
    CRD_ROW("bodies", CRD_HOLDS_BODIES, CRD_ONE, CRD_REQUIRED, CRD_AT(a, a), .doc = "The bodies a and b it joins.")
#define CRD_ROW_POINT                                                                                                  \
    CRD_ROW("point", CRD_HOLDS_POINT, CRD_VECTOR, CRD_MAYBE, .unit = "m",                                              \
            .fallback = "the centre of mass of b (of a when b is the ground)", CRD_AT(point, point),                   \
            .sides = CRD_BOTH_SIDES,                                                                                   \
            .doc = "Where it sits: ground axes, in the pose as written; fixed in both bodies.")
#define CRD_ROW_AXIS(space, of, text)                                                                                  \
    CRD_ROW("axis", CRD_HOLDS_AXIS, space, CRD_REQUIRED, CRD_DIRECTION, CRD_AT(axis, axis), .sides = of, .doc = text)
#define CRD_ROW_AXIS2(need, text)                                                                                      \
    CRD_ROW("axis2", CRD_HOLDS_AXIS, CRD_IN_SPACE, need, CRD_DIRECTION, .fallback = "axis", CRD_AT(axis2, axis2),      \
            .sides = CRD_SIDE_B, .doc = text)
#define CRD_ROW_LOCAL(side, of)                                                                                        \
    CRD_ROW("local." #side, CRD_HOLDS_POINT, CRD_VECTOR, CRD_MAYBE, .unit = "m", CRD_AT(local_##side, local_##side),   \
            .sides = of, .local = true, .doc = "In " #side "'s own axes from its centre of mass, in place of point.")
#define CRD_ROW_LOCAL_AXIS(side, of, ...)                                                                              \
    CRD_ROW("local_axis." #side, CRD_HOLDS_AXIS, __VA_ARGS__, CRD_MAYBE, CRD_DIRECTION,                                \
            CRD_AT(local_axis_##side, local_axis_##side), .sides = of, .local = true,                                  \
            .doc = "In " #side "'s own axes, in place of axis.")
#define CRD_ROWS_LOCAL CRD_ROW_LOCAL(a, CRD_SIDE_A), CRD_ROW_LOCAL(b, CRD_SIDE_B)
#define CRD_ROWS_LOCAL_AXIS(...)                                                                                       \
    CRD_ROW_LOCAL_AXIS(a, CRD_SIDE_A, __VA_ARGS__), CRD_ROW_LOCAL_AXIS(b, CRD_SIDE_B, __VA_ARGS__)

/* A joint with a point; with an axis too, fixed in both; with an axis of a and another of b. */
#define CRD_ROWS_POINT CRD_ROW_BODIES, CRD_ROW_POINT, CRD_ROWS_LOCAL
#define CRD_ROWS_AXIS(...)                                                                                             \
    CRD_ROWS_POINT,                                                                                                    \
        CRD_ROW_AXIS(CRD_COUNT(__VA_ARGS__), CRD_BOTH_SIDES,                                                           \
                     "Ground axes, in the pose as written; any length; in a plane an axis of rotation is +z."),        \
        CRD_ROWS_LOCAL_AXIS(CRD_COUNT(__VA_ARGS__))
/* The same where the rows read the axis of a alone. */
#define CRD_ROWS_AXIS_OF_A(...)                                                                                        \
    CRD_ROWS_POINT,                                                                                                    \
        CRD_ROW("axis", CRD_HOLDS_AXIS, CRD_COUNT(__VA_ARGS__), CRD_REQUIRED, CRD_DIRECTION, CRD_AT(axis, axis),       \
                .sides = CRD_BOTH_SIDES, .unread = CRD_SIDE_B,                                                         \
                .doc = "Fixed in a: ground axes, in the pose as written; any length."),                                \
        CRD_ROWS_LOCAL_AXIS(CRD_COUNT(__VA_ARGS__))
#define CRD_ROWS_TWO_AXES(of_a, of_b)                                                                                  \
    CRD_ROWS_POINT, CRD_ROW_AXIS(CRD_IN_SPACE, CRD_SIDE_A, of_a), CRD_ROW_AXIS2(CRD_REQUIRED, of_b),                   \
        CRD_ROWS_LOCAL_AXIS(CRD_IN_SPACE)

/* What every joint may have, in the end. */
#define CRD_ROWS_LAST                                                                                                  \
    CRD_ROW("compliant.stiffness", CRD_HOLDS_PAIR, CRD_COUNT(2, 2), CRD_REQUIRED_INSIDE, CRD_NOT_NEGATIVE,             \
            .unit = "N/m, N m/rad", CRD_AT(stiffness, stiffness), .flag = offsetof(CardanJointDef, compliant),         \
            .doc = "Of rows in metres and in radians, or one number for both: the rows become a potential."),          \
        CRD_ROW("compliant.damping", CRD_HOLDS_PAIR, CRD_COUNT(2, 2), CRD_OPTIONAL, CRD_NOT_NEGATIVE,                  \
                .unit = "N s/m, N m s/rad", .fallback = "0", CRD_AT(damping, damping),                                 \
                .flag = offsetof(CardanJointDef, compliant), .doc = "The same per rate."),                             \
        CRD_ROW("geometry", CRD_HOLDS_GEOMETRY, CRD_ONE, .doc = "What the viewer draws.")

#endif
