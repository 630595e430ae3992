#include "build/fields.h"

#include <string.h>

#define AT(type, member) offsetof(type, member)
#define SAME(type, member)                                                                                             \
    { AT(type, member), AT(type, member) }
#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static const CrdField BODY[] = {
    {"mass", {1, 1}, SAME(CrdBodyDesc, mass), CRD_GROUP_NONE, 0},
    {"position", {2, 3}, SAME(CrdBodyDesc, position), CRD_GROUP_NONE, 0},
    {"velocity", {2, 3}, SAME(CrdBodyDesc, velocity), CRD_GROUP_NONE, 0},
    {"spin", {1, 0}, SAME(CrdBodyDesc, angular_velocity[2]), CRD_GROUP_NONE, 0},
    {"angular_velocity", {0, 3}, SAME(CrdBodyDesc, angular_velocity), CRD_GROUP_NONE, 0},
    {"body_rates", {0, 3}, SAME(CrdBodyDesc, body_rates), CRD_GROUP_NONE, 0},
    {"angle", {1, 0}, SAME(CrdBodyDesc, orientation), CRD_GROUP_ORIENTATION, CRD_ORIENTATION_ANGLE},
    {"quaternion", {0, 4}, SAME(CrdBodyDesc, orientation), CRD_GROUP_ORIENTATION, CRD_ORIENTATION_QUATERNION},
    {"rpy", {0, 3}, SAME(CrdBodyDesc, orientation), CRD_GROUP_ORIENTATION, CRD_ORIENTATION_RPY},
    {"axis_angle", {0, 4}, SAME(CrdBodyDesc, orientation), CRD_GROUP_ORIENTATION, CRD_ORIENTATION_AXIS_ANGLE},
    {"inertia", {1, 6}, {AT(CrdBodyDesc, inertia[2]), AT(CrdBodyDesc, inertia)}, CRD_GROUP_INERTIA, CRD_INERTIA_TENSOR},
    {"inertia.rod", {1, 1}, SAME(CrdBodyDesc, inertia), CRD_GROUP_INERTIA, CRD_INERTIA_ROD},
    {"inertia.radius", {1, 1}, SAME(CrdBodyDesc, inertia[1]), CRD_GROUP_INERTIA, CRD_INERTIA_ROD},
    {"inertia.box", {3, 3}, SAME(CrdBodyDesc, inertia), CRD_GROUP_INERTIA, CRD_INERTIA_BOX},
    {"inertia.cylinder", {2, 2}, SAME(CrdBodyDesc, inertia), CRD_GROUP_INERTIA, CRD_INERTIA_CYLINDER},
    {"inertia.sphere", {1, 1}, SAME(CrdBodyDesc, inertia), CRD_GROUP_INERTIA, CRD_INERTIA_SPHERE},
};

static const CrdField JOINT[] = {
    {"point", {2, 3}, SAME(CrdJointDesc, point), CRD_GROUP_NONE, 0},
    {"axis", {2, 3}, SAME(CrdJointDesc, axis), CRD_GROUP_NONE, 0},
    {"axis2", {0, 3}, SAME(CrdJointDesc, axis2), CRD_GROUP_NONE, 0},
    {"local.a", {2, 3}, SAME(CrdJointDesc, local_a), CRD_GROUP_NONE, 0},
    {"local.b", {2, 3}, SAME(CrdJointDesc, local_b), CRD_GROUP_NONE, 0},
    {"local_axis.a", {2, 3}, SAME(CrdJointDesc, local_axis_a), CRD_GROUP_NONE, 0},
    {"local_axis.b", {2, 3}, SAME(CrdJointDesc, local_axis_b), CRD_GROUP_NONE, 0},
    {"length", {1, 1}, SAME(CrdJointDesc, length), CRD_GROUP_NONE, 0},
    {"pitch", {0, 1}, SAME(CrdJointDesc, pitch), CRD_GROUP_NONE, 0},
    {"radius", {1, 1}, SAME(CrdJointDesc, radius), CRD_GROUP_NONE, 0},
    {"normal", {2, 3}, SAME(CrdJointDesc, normal), CRD_GROUP_NONE, 0},
    {"value", {1, 1}, SAME(CrdJointDesc, value), CRD_GROUP_NONE, 0},
    {"s", {1, 1}, SAME(CrdJointDesc, s), CRD_GROUP_NONE, 0},
    {"compliant.stiffness", {2, 2}, SAME(CrdJointDesc, stiffness), CRD_GROUP_NONE, 0},
    {"compliant.damping", {2, 2}, SAME(CrdJointDesc, damping), CRD_GROUP_NONE, 0},
};

static const CrdField MODEL[] = {
    {"gravity", {2, 3}, SAME(CrdDescription, gravity), CRD_GROUP_NONE, 0},
};

static const CrdField INPUT[] = {
    {"value", {1, 1}, SAME(CrdInputDesc, value), CRD_GROUP_NONE, 0},
};

static const CrdField RATE[] = {
    {"rate", {1, 1}, SAME(CrdStartRate, rate), CRD_GROUP_NONE, 0},
};

static const CrdField TERM[] = {
    {"coefficient", {1, 1}, SAME(CrdTermDesc, coefficient), CRD_GROUP_NONE, 0},
};

CrdFieldTable crd_body_fields(void) {
    return (CrdFieldTable){BODY, COUNT(BODY)};
}

CrdFieldTable crd_joint_fields(void) {
    return (CrdFieldTable){JOINT, COUNT(JOINT)};
}

CrdFieldTable crd_fields_of(const CrdDescription *d, CrdOwner owner, int index) {
    switch (owner) {
    case CRD_OWNER_BODY:
        return crd_body_fields();
    case CRD_OWNER_JOINT:
        return crd_joint_fields();
    case CRD_OWNER_FORCE:
        return crd_force_fields(&d->forces[index]);
    case CRD_OWNER_INPUT:
        return (CrdFieldTable){INPUT, COUNT(INPUT)};
    case CRD_OWNER_RATE:
        return (CrdFieldTable){RATE, COUNT(RATE)};
    case CRD_OWNER_TERM:
        return (CrdFieldTable){TERM, COUNT(TERM)};
    case CRD_OWNER_MODEL:
        break;
    }
    return (CrdFieldTable){MODEL, COUNT(MODEL)};
}

const CrdField *crd_field_find(CrdFieldTable table, const char *key) {
    for (int i = 0; i < table.count; i++) {
        if (strcmp(table.fields[i].key, key) == 0) return &table.fields[i];
    }
    return NULL;
}

bool crd_field_active(const CrdField *field, CrdOwner owner, const void *object) {
    if (owner != CRD_OWNER_BODY || field->group == CRD_GROUP_NONE) return true;
    const CrdBodyDesc *body = object;
    int form = field->group == CRD_GROUP_INERTIA ? (int)body->inertia_form : (int)body->orientation_form;
    return !body->particle && form == field->form;
}

void *crd_owner_object(CrdDescription *d, CrdOwner owner, int index) {
    switch (owner) {
    case CRD_OWNER_BODY:
        return &d->bodies[index];
    case CRD_OWNER_JOINT:
        return &d->joints[index];
    case CRD_OWNER_FORCE:
        return &d->forces[index];
    case CRD_OWNER_INPUT:
        return &d->inputs[index];
    case CRD_OWNER_RATE:
        return &d->rates[index];
    case CRD_OWNER_TERM:
        return &d->terms[index];
    case CRD_OWNER_MODEL:
        break;
    }
    return d;
}

double *crd_target_number(CrdDescription *d, CrdTarget target) {
    unsigned char *object = crd_owner_object(d, target.owner, target.index);
    return (double *)(void *)(object + target.offset);
}
