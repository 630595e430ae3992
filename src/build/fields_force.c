/* Numbers of forces, by type. */
#include "build/fields.h"

#include <string.h>

#define AT(member) offsetof(CrdForceDesc, member)
#define ROW(key, planar, spatial, member)                                                                              \
    { key, {planar, spatial}, {AT(member), AT(member)}, CRD_GROUP_NONE, 0 }
#define NUMBER(key, member) ROW(key, 1, 1, member)
#define TABLE(rows)                                                                                                    \
    (CrdFieldTable) {                                                                                                  \
        rows, (int)(sizeof(rows) / sizeof(rows)[0])                                                                    \
    }

static const CrdField SPRING[] = {
    ROW("points[0]", 2, 3, point_a), ROW("points[1]", 2, 3, point_b), NUMBER("stiffness", stiffness[0]),
    NUMBER("damping", damping[0]),   NUMBER("length", length),
};

static const CrdField TORSION[] = {
    NUMBER("stiffness", stiffness[0]),
    NUMBER("damping", damping[0]),
    NUMBER("angle", angle),
};

static const CrdField BUSHING[] = {
    ROW("point", 2, 3, point),
    ROW("stiffness", 3, 6, stiffness),
    ROW("damping", 3, 6, damping),
};

static const CrdField FORCE[] = {
    ROW("point", 2, 3, point),
    ROW("value", 2, 3, value),
};

static const CrdField JOINT_TORQUE[] = {
    NUMBER("value", value),
};

static const CrdField BODY_TORQUE[] = {
    {"value", {1, 3}, {AT(value[2]), AT(value)}, CRD_GROUP_NONE, 0},
};

static const CrdField MOTOR[] = {
    ROW("gains", 2, 2, gains),
    NUMBER("limit", limit),
};

static const CrdField FRICTION[] = {
    NUMBER("coulomb", coulomb), NUMBER("static", stick), NUMBER("stribeck", stribeck),
    NUMBER("viscous", viscous), NUMBER("speed", speed),
};

static const CrdField LIMIT[] = {
    ROW("range", 2, 2, range),
    NUMBER("stiffness", stiffness[0]),
    NUMBER("damping", damping[0]),
};

static const CrdField CONTACT[] = {
    ROW("point", 2, 3, point),
    NUMBER("radius", radius),
    ROW("plane.point", 2, 3, plane_point),
    ROW("plane.normal", 2, 3, plane_normal),
    NUMBER("stiffness", stiffness[0]),
    NUMBER("exponent", exponent),
    NUMBER("dissipation", dissipation),
    NUMBER("friction", friction),
    NUMBER("speed", speed),
};

static const CrdField DRAG[] = {
    ROW("point", 2, 3, point),
    NUMBER("coefficient", coefficient),
};

static const CrdField TYRE[] = {
    ROW("axis", 0, 3, axis),
    NUMBER("radius", radius),
    ROW("plane.point", 2, 3, plane_point),
    ROW("plane.normal", 2, 3, plane_normal),
    NUMBER("vertical.stiffness", stiffness[0]),
    NUMBER("vertical.damping", damping[0]),
    NUMBER("longitudinal.B", longitudinal.B),
    NUMBER("longitudinal.C", longitudinal.C),
    NUMBER("longitudinal.D", longitudinal.D),
    NUMBER("longitudinal.E", longitudinal.E),
    ROW("lateral.B", 0, 1, lateral.B),
    ROW("lateral.C", 0, 1, lateral.C),
    ROW("lateral.D", 0, 1, lateral.D),
    ROW("lateral.E", 0, 1, lateral.E),
    NUMBER("relaxation", relaxation),
    NUMBER("slow", slow),
};

CrdFieldTable crd_force_fields(const CrdForceDesc *force) {
    switch (force->type) {
    case CARDAN_SPRING:
        return TABLE(SPRING);
    case CARDAN_TORSION:
        return TABLE(TORSION);
    case CARDAN_BUSHING:
        return TABLE(BUSHING);
    case CARDAN_FORCE:
        return TABLE(FORCE);
    case CARDAN_TORQUE:
        return force->joint > 0 ? TABLE(JOINT_TORQUE) : TABLE(BODY_TORQUE);
    case CARDAN_MOTOR:
        return TABLE(MOTOR);
    case CARDAN_FRICTION:
        return TABLE(FRICTION);
    case CARDAN_LIMIT:
        return TABLE(LIMIT);
    case CARDAN_CONTACT:
        return TABLE(CONTACT);
    case CARDAN_DRAG:
        return TABLE(DRAG);
    case CARDAN_TYRE:
        return TABLE(TYRE);
    case CARDAN_CALLBACK:
    case CARDAN_FORCE_TYPES:
        break;
    }
    return (CrdFieldTable){NULL, 0};
}

bool *crd_force_given(CrdForceDesc *force, const char *key) {
    const struct {
        const char *key;
        bool *given;
    } flags[] = {{"length", &force->length_given},     {"limit", &force->limit_given},
                 {"static", &force->stick_given},      {"stribeck", &force->stribeck_given},
                 {"exponent", &force->exponent_given}, {"relaxation", &force->relaxation_given},
                 {"speed", &force->speed_given}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].key, key) == 0) return flags[i].given;
    return NULL;
}
