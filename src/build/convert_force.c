/* Definitions of forces, first-order states and events into descriptions. */
#include "build/convert.h"
#include "build/take.h"
#include "core/memory.h"
#include "core/vec.h"

#include <string.h>

static CardanStatus take_law(const CardanForceDef *def, int k, CrdForceDesc *force, CrdError *error) {
    if (def->law[k] == NULL) return CARDAN_OK;
    force->law[k] = crd_copy_string(def->law[k]);
    return force->law[k] != NULL ? CARDAN_OK : crd_fail_memory(error);
}

static CardanStatus refuse_laws(const CardanForceDef *def, int first, CrdError *error) {
    for (int k = first; k < 3; k++)
        if (def->law[k] != NULL)
            return crd_fail(error, CARDAN_ERR_MODEL, "force '%s': a force of this type has no law[%d]",
                            crd_shown(def->name, strlen(def->name)).text, k);
    return CARDAN_OK;
}

/* ---- what it acts on ---- */

static CardanStatus take_joint(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                               CrdError *error) {
    CrdShown shown = crd_shown(def->name, strlen(def->name));
    bool optional = def->type == CARDAN_TORQUE && def->joint.index == 0;
    if (!optional && (def->joint.index < 1 || def->joint.index > d->joint_count))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "force '%s': it cannot act on joint number %d", shown.text,
                        def->joint.index);
    if ((unsigned)def->coordinate > CARDAN_LENGTH)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "force '%s': there is no coordinate number %d", shown.text,
                        (int)def->coordinate);
    force->joint = def->joint.index;
    force->coordinate = def->coordinate;
    return CARDAN_OK;
}

static CardanStatus take_plane(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                               CrdError *error) {
    CRD_TRY(crd_take_vector(d, def->plane_point, def->name, "plane_point", force->plane_point, error));
    return crd_take_vector(d, def->plane_normal, def->name, "plane_normal", force->plane_normal, error);
}

static CardanStatus take_two_bodies(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                    CrdError *error) {
    CRD_TRY(crd_take_body(d, def->a, def->name, &force->a, error));
    return crd_take_body(d, def->b, def->name, &force->b, error);
}

static CardanStatus take_body_point(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                    CrdError *error) {
    CRD_TRY(crd_take_body(d, def->body, def->name, &force->body, error));
    return crd_take_vector(d, def->point, def->name, "the point", force->point, error);
}

/* ---- values ---- */

/* Which components of the value there are, by kind of force and space. */
static bool has_component(const CrdDescription *d, const CrdForceDesc *force, int k) {
    if (force->type == CARDAN_TORQUE && force->joint > 0) return k == 0;
    if (d->space == CARDAN_SPATIAL) return true;
    return force->type == CARDAN_TORQUE ? k == 2 : k < 2;
}

static CardanStatus take_value(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                               CrdError *error) {
    force->follower = def->follower;
    crd_put(force->value, def->value);
    for (int k = 0; k < 3; k++) {
        if (!has_component(d, force, k) && (force->value[k] != 0.0 || def->law[k] != NULL))
            return crd_fail(error, CARDAN_ERR_MODEL, "force '%s': its value has no component '%c' here",
                            crd_shown(def->name, strlen(def->name)).text, "xyz"[k]);
        CRD_TRY(take_law(def, k, force, error));
    }
    return CARDAN_OK;
}

/* ---- types ---- */

static CardanStatus convert_spring(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                   CrdError *error) {
    force->length = def->length;
    force->length_given = def->length_given;
    CRD_TRY(take_two_bodies(d, def, force, error));
    CRD_TRY(crd_take_vector(d, def->point_a, def->name, "point_a", force->point_a, error));
    return crd_take_vector(d, def->point_b, def->name, "point_b", force->point_b, error);
}

static CardanStatus convert_bushing(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                    CrdError *error) {
    memcpy(force->stiffness, def->bushing_stiffness, sizeof force->stiffness);
    memcpy(force->damping, def->bushing_damping, sizeof force->damping);
    CRD_TRY(take_two_bodies(d, def, force, error));
    return crd_take_vector(d, def->point, def->name, "the point", force->point, error);
}

static void take_friction(const CardanForceDef *def, CrdForceDesc *force) {
    force->coulomb = def->coulomb;
    force->stick = def->stick;
    force->stick_given = def->stick != 0.0;
    force->stribeck = def->stribeck;
    force->stribeck_given = def->stribeck != 0.0;
    force->viscous = def->viscous;
}

static CardanStatus convert_contact(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                    CrdError *error) {
    force->exponent = def->exponent;
    force->exponent_given = def->exponent != 0.0;
    force->dissipation = def->dissipation;
    force->friction = def->friction;
    CRD_TRY(take_body_point(d, def, force, error));
    return take_plane(d, def, force, error);
}

/* In a plane the axis is z, said or not. */
static CardanStatus convert_tyre(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                 CrdError *error) {
    CardanVec3 axis = def->axis;
    if (d->space == CARDAN_PLANAR && axis.z >= 0.0) axis.z = 0.0;
    force->longitudinal = def->longitudinal;
    force->lateral = def->lateral;
    force->relaxation = def->relaxation;
    force->relaxation_given = def->relaxation != 0.0;
    force->slow = def->slow;
    if (d->space == CARDAN_PLANAR && (axis.x != 0.0 || axis.y != 0.0 || axis.z != 0.0))
        return crd_fail(error, CARDAN_ERR_MODEL, "force '%s': the axis of a planar wheel is +z",
                        crd_shown(def->name, strlen(def->name)).text);
    crd_put(force->axis, axis);
    CRD_TRY(crd_take_body(d, def->body, def->name, &force->body, error));
    return take_plane(d, def, force, error);
}

static CardanStatus convert_callback(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                     CrdError *error) {
    if (def->bodies < 1 || def->bodies_list == NULL || def->callback == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "force '%s' needs bodies >= 1, bodies_list and callback",
                        crd_shown(def->name, strlen(def->name)).text);
    force->bodies = def->bodies;
    force->callback = def->callback;
    force->change = def->change;
    force->user = def->user;
    return crd_take_bodies(d, def->bodies_list, def->bodies, def->name, &force->carriers, error);
}

static CardanStatus convert_type(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                                 CrdError *error) {
    bool two = def->type == CARDAN_SPRING || def->type == CARDAN_TORSION || def->type == CARDAN_MOTOR;
    bool load = def->type == CARDAN_FORCE || def->type == CARDAN_TORQUE;
    if (!load) CRD_TRY(refuse_laws(def, two ? 1 : 0, error));
    if (two) CRD_TRY(take_law(def, 0, force, error));
    switch (def->type) {
    case CARDAN_SPRING:
        return convert_spring(d, def, force, error);
    case CARDAN_BUSHING:
        return convert_bushing(d, def, force, error);
    case CARDAN_FORCE:
        if (def->joint.index != 0)
            return crd_fail(error, CARDAN_ERR_ARGUMENT, "force '%s': it cannot act on joint number %d",
                            crd_shown(def->name, strlen(def->name)).text, def->joint.index);
        CRD_TRY(take_body_point(d, def, force, error));
        return take_value(d, def, force, error);
    case CARDAN_TORQUE:
        CRD_TRY(take_joint(d, def, force, error));
        CRD_TRY(take_body_point(d, def, force, error));
        return take_value(d, def, force, error);
    case CARDAN_TORSION:
    case CARDAN_LIMIT:
        return take_joint(d, def, force, error);
    case CARDAN_MOTOR:
        memcpy(force->gains, def->gains, sizeof force->gains);
        force->limit = def->limit;
        force->limit_given = def->limit != 0.0;
        return take_joint(d, def, force, error);
    case CARDAN_FRICTION:
        take_friction(def, force);
        return take_joint(d, def, force, error);
    case CARDAN_CONTACT:
        return convert_contact(d, def, force, error);
    case CARDAN_DRAG:
        force->coefficient = def->coefficient;
        return take_body_point(d, def, force, error);
    case CARDAN_TYRE:
        return convert_tyre(d, def, force, error);
    case CARDAN_CALLBACK:
        return convert_callback(d, def, force, error);
    case CARDAN_FORCE_TYPES:
        break;
    }
    return CARDAN_OK;
}

CardanStatus crd_convert_force(const CrdDescription *d, const CardanForceDef *def, CrdForceDesc *force,
                               CrdError *error) {
    *force = (CrdForceDesc){.type = def->type, .angle = def->angle, .speed = def->speed, .radius = def->radius};
    force->stiffness[0] = def->stiffness;
    force->damping[0] = def->damping;
    force->speed_given = def->speed != 0.0;
    memcpy(force->range, def->range, sizeof force->range);
    CRD_TRY(crd_take_name(&force->name, def->name, "force", error));
    if ((unsigned)def->type >= CARDAN_FORCE_TYPES)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "force '%s': there is no type number %d",
                        crd_shown(def->name, strlen(def->name)).text, (int)def->type);
    return convert_type(d, def, force, error);
}

/* ---- first-order states ---- */

CardanStatus crd_convert_states(const CrdDescription *d, const CardanStatesDef *def, CrdStatesDesc *states,
                                CrdError *error) {
    *states = (CrdStatesDesc){.def = *def};
    states->def.name = NULL;
    states->def.z0 = NULL;
    states->def.body = NULL;
    CRD_TRY(crd_take_name(&states->name, def->name, "set of states", error));
    CrdShown shown = crd_shown(def->name, strlen(def->name));
    if (def->count < 1 || def->rate == NULL || def->bodies < 0 || (def->bodies > 0 && def->body == NULL))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "states '%s' need count >= 1, rate, and body for their bodies",
                        shown.text);
    CRD_TRY(crd_take_start(def->z0, def->count, "states", shown.text, &states->z0, error));
    return crd_take_bodies(d, def->body, def->bodies, def->name, &states->carriers, error);
}

/* ---- events ---- */

CardanStatus crd_convert_event(const CrdDescription *d, const CardanEventDef *def, CrdEventDesc *event,
                               CrdError *error) {
    *event = (CrdEventDesc){.def = *def};
    event->def.name = NULL;
    event->def.body = NULL;
    CRD_TRY(crd_take_name(&event->name, def->name, "event", error));
    bool sound = def->function != NULL && def->direction >= -1 && def->direction <= 1;
    if (!sound || def->bodies < 0 || (def->bodies > 0 && def->body == NULL))
        return crd_fail(error, CARDAN_ERR_ARGUMENT,
                        "event '%s' needs a function, a direction of -1, 0 or 1, and body for its bodies",
                        crd_shown(def->name, strlen(def->name)).text);
    return crd_take_bodies(d, def->body, def->bodies, def->name, &event->carriers, error);
}
