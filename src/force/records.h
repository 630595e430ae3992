/* What the files of forces share: the list of their records, and rows of their tables. */
#ifndef CRD_FORCE_RECORDS_H
#define CRD_FORCE_RECORDS_H

#include "force/force.h"

#include <assert.h>

/* The list of forces: one line each, CARDAN_FORCE_... and the record. */
#define CRD_FORCES(X)                                                                                                  \
    X(SPRING, crd_spring)                                                                                              \
    X(TORSION, crd_torsion)                                                                                            \
    X(BUSHING, crd_bushing)                                                                                            \
    X(AT_POINT, crd_force)                                                                                             \
    X(TORQUE, crd_torque)                                                                                              \
    X(MOTOR, crd_motor)                                                                                                \
    X(FRICTION, crd_friction)                                                                                          \
    X(LIMIT, crd_limit)                                                                                                \
    X(CONTACT, crd_contact)                                                                                            \
    X(DRAG, crd_drag)                                                                                                  \
    X(TYRE, crd_tyre)                                                                                                  \
    X(ROPE, crd_rope)                                                                                                  \
    X(CALLBACK, crd_callback)

#define CRD_DECLARE_FORCE(type, record) extern const CrdForceKind record;
CRD_FORCES(CRD_DECLARE_FORCE)

/* Where a row is kept in the numbers of its force, and in a program's definition. */
#define CRD_AT(type, member, given) .own = offsetof(type, member), .def = offsetof(CardanForceDef, given)

#define CRD_ROW_BODY(type)                                                                                             \
    CRD_ROW("body", CRD_HOLDS_BODY, CRD_ONE, CRD_REQUIRED, CRD_MOVES, CRD_AT(type, body, body),                        \
            .doc = "The body it acts on.")
#define CRD_ROW_BODY_POINT(type)                                                                                       \
    CRD_ROW("point", CRD_HOLDS_NUMBERS, CRD_VECTOR, .unit = "m", .fallback = "the centre of mass",                     \
            CRD_AT(type, point, point), .doc = "Where, in the body's own axes from its centre of mass.")
#define CRD_ROWS_JOINT(type)                                                                                           \
    CRD_ROW("joint", CRD_HOLDS_JOINT, CRD_ONE, CRD_REQUIRED, CRD_AT(type, joint, joint),                               \
            .doc = "The joint on whose coordinate it acts."),                                                          \
        CRD_ROW("coordinate", CRD_HOLDS_COORDINATE, CRD_ONE, CRD_AT(type, coordinate, coordinate),                     \
                .fallback = "the joint's angle, else its displacement",                                                \
                .doc = "angle or displacement, of a joint with both.")
#define CRD_ROWS_PLANE(type)                                                                                           \
    CRD_ROW("plane.point", CRD_HOLDS_NUMBERS, CRD_VECTOR, CRD_REQUIRED, .unit = "m",                                   \
            CRD_AT(type, plane_point, plane_point), .doc = "A point of the plane, ground axes."),                      \
        CRD_ROW("plane.normal", CRD_HOLDS_NUMBERS, CRD_VECTOR, CRD_REQUIRED, CRD_DIRECTION,                            \
                CRD_AT(type, normal, plane_normal), .doc = "Out of the ground, in ground axes; any length.")

/* Rows of what forces offer. */
#define CRD_OFFERS_ON_JOINT                                                                                            \
    {"force", "N", "N m", .summary = "along the joint's coordinate, + on b; a torque where that is an angle"}, {       \
        "rate", "m/s", "rad/s", true, .summary = "of the coordinate it acts along"                                     \
    }
#define CRD_OFFERS_ALONG_LINE                                                                                          \
    {"force", "N", .summary = "tension along its line, + when it pulls"},                                              \
        {"length", "m", .kinematic = true, .summary = "distance along its points"},                                    \
        {"rate", "m/s", .kinematic = true, .summary = "rate of length"}, {                                             \
        "elongation", "m", .kinematic = true, .summary = "length less that at rest"                                    \
    }

#endif
