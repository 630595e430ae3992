#include "build/convert.h"

#include "build/law_check.h"
#include "build/objects.h"
#include "build/take.h"
#include "core/memory.h"
#include "core/vec.h"

#include <math.h>
#include <string.h>

CardanStatus crd_take_name(char **name, const char *given, const char *what, CrdError *error) {
    *name = NULL;
    if (given == NULL) return crd_fail(error, CARDAN_ERR_ARGUMENT, "a %s needs a name", what);
    *name = crd_copy_string(given);
    return *name != NULL ? CARDAN_OK : crd_fail_memory(error);
}

CardanStatus crd_take_body(const CrdDescription *d, CardanBody handle, const char *of, int *carrier,
                           CrdError *error) {
    *carrier = 0;
    if (handle.index < 0 || handle.index >= d->carrier_count)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "'%s': there is no body number %d", crd_shown(of, strlen(of)).text,
                        handle.index);
    *carrier = handle.index;
    return CARDAN_OK;
}

CardanStatus crd_take_vector(const CrdDescription *d, CardanVec3 v, const char *of, const char *what, double *out,
                             CrdError *error) {
    crd_put(out, v);
    if (d->space == CARDAN_SPATIAL || v.z == 0.0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': %s has a z component in a planar model",
                    crd_shown(of, strlen(of)).text, what);
}

/* ---- bodies ---- */

static bool zero(CardanVec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static CardanStatus check_particle(const CardanBodyDef *def, CrdError *error) {
    const CardanInertia *i = &def->inertia;
    const CardanQuat *q = &def->pose.q;
    bool bare = i->xx == 0.0 && i->yy == 0.0 && i->zz == 0.0 && i->xy == 0.0 && i->xz == 0.0 && i->yz == 0.0;
    bare = bare && q->w == 0.0 && q->x == 0.0 && q->y == 0.0 && q->z == 0.0 && def->pose.angle == 0.0;
    if (bare && zero(def->angular_velocity) && zero(def->body_rates)) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "body '%s': a particle has no inertia, orientation or spin",
                    crd_shown(def->name, strlen(def->name)).text);
}

static CardanStatus convert_planar_body(const CardanBodyDef *def, CrdBodyDesc *body, CrdError *error) {
    const CardanVec3 *w = &def->angular_velocity, *r = &def->body_rates;
    const CardanQuat *q = &def->pose.q;
    bool turned = q->x != 0.0 || q->y != 0.0 || q->z != 0.0;
    if (turned || w->x != 0.0 || w->y != 0.0 || r->x != 0.0 || r->y != 0.0) {
        return crd_fail(error, CARDAN_ERR_MODEL, "body '%s': in a planar model bodies turn about z only, by pose.angle",
                        crd_shown(def->name, strlen(def->name)).text);
    }
    body->orientation_form = CRD_ORIENTATION_ANGLE;
    body->orientation[0] = def->pose.angle;
    body->inertia[2] = def->inertia.zz;
    body->angular_velocity[2] = w->z + r->z;
    return CARDAN_OK;
}

static CardanStatus convert_spatial_body(const CardanBodyDef *def, CrdBodyDesc *body, CrdError *error) {
    const CardanInertia *i = &def->inertia;
    const CardanQuat *q = &def->pose.q;
    if (def->pose.angle != 0.0) {
        return crd_fail(error, CARDAN_ERR_MODEL, "body '%s': pose.angle is for planar models",
                        crd_shown(def->name, strlen(def->name)).text);
    }
    memcpy(body->inertia, (double[6]){i->xx, i->yy, i->zz, i->xy, i->xz, i->yz}, sizeof body->inertia);
    memcpy(body->orientation, (double[4]){q->w, q->x, q->y, q->z}, sizeof body->orientation);
    bool turned = q->w != 0.0 || q->x != 0.0 || q->y != 0.0 || q->z != 0.0;
    if (turned) body->orientation_form = CRD_ORIENTATION_QUATERNION;
    crd_put(body->angular_velocity, def->angular_velocity);
    crd_put(body->body_rates, def->body_rates);
    return CARDAN_OK;
}

CardanStatus crd_convert_body(const CrdDescription *d, const CardanBodyDef *def, CrdBodyDesc *body, CrdError *error) {
    *body = (CrdBodyDesc){.particle = def->particle, .mass = def->mass};
    CRD_TRY(crd_take_name(&body->name, def->name, "body", error));
    CRD_TRY(crd_take_vector(d, def->pose.p, def->name, "the position", body->position, error));
    CRD_TRY(crd_take_vector(d, def->velocity, def->name, "the velocity", body->velocity, error));
    if (def->particle) return check_particle(def, error);
    if (d->space == CARDAN_PLANAR) return convert_planar_body(def, body, error);
    return convert_spatial_body(def, body, error);
}

/* ---- blocks ---- */

CardanStatus crd_take_start(const double *given, int n, const char *what, const char *name, double **copy,
                            CrdError *error) {
    *copy = crd_new((size_t)n, sizeof **copy);
    if (*copy == NULL) return crd_fail_memory(error);
    for (int i = 0; i < n && given != NULL; i++) {
        if (!isfinite(given[i]))
            return crd_fail(error, CARDAN_ERR_MODEL, "%s '%s': a start value is not finite", what, name);
        (*copy)[i] = given[i];
    }
    return CARDAN_OK;
}

static CardanStatus check_block(const CardanBlockDef *def, const char *name, CrdError *error) {
    const char *missing = NULL;
    if (def->coordinates < 1 || def->rows < 0 || def->frames < 0) missing = "coordinates >= 1, rows and frames >= 0";
    if (def->mass == NULL) missing = "the callback mass";
    if (def->rows > 0 && def->constraint == NULL) missing = "the callback constraint for its rows";
    if (def->frames > 0 && def->frame == NULL) missing = "the callback frame for its frames";
    if (missing == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "block '%s' needs %s", name, missing);
}

CardanStatus crd_convert_block(const CardanBlockDef *def, CrdBlockDesc *block, CrdError *error) {
    *block = (CrdBlockDesc){.def = *def};
    block->def.name = NULL;
    block->def.q0 = block->def.v0 = NULL;
    CRD_TRY(crd_take_name(&block->name, def->name, "block", error));
    CrdShown shown = crd_shown(def->name, strlen(def->name));
    CRD_TRY(check_block(def, shown.text, error));
    CRD_TRY(crd_take_start(def->q0, def->coordinates, "block", shown.text, &block->q0, error));
    return crd_take_start(def->v0, def->coordinates, "block", shown.text, &block->v0, error);
}

/* ---- joints ---- */

/* A planar axis of rotation is +z, said or not; other axes lie in the plane. */
static CardanStatus take_axes(const CrdDescription *d, const CardanJointDef *def, CrdJointDesc *joint,
                              CrdError *error) {
    const char *name = def->name;
    bool wheel = def->type == CARDAN_ROLLING, turns = d->space == CARDAN_PLANAR && (def->type == CARDAN_REVOLUTE || wheel);
    bool upright = def->axis.x == 0.0 && def->axis.y == 0.0 && def->axis.z >= 0.0;
    if (turns && !upright)
        return crd_fail(error, CARDAN_ERR_MODEL, "joint '%s': planar axes of rotation are +z",
                        crd_shown(name, strlen(name)).text);
    if (turns && !wheel) return CARDAN_OK;
    if (!turns) CRD_TRY(crd_take_vector(d, def->axis, name, "the axis", joint->axis, error));
    joint->axis_given = !turns && (!zero(def->axis) || (def->local & CARDAN_LOCAL_AXIS_B) != 0);
    CRD_TRY(crd_take_vector(d, def->normal, name, "the normal", joint->normal, error));
    CRD_TRY(crd_take_vector(d, def->axis2, name, "axis2", joint->axis2, error));
    CRD_TRY(crd_take_vector(d, def->local_axis_a, name, "local_axis_a", joint->local_axis_a, error));
    CRD_TRY(crd_take_vector(d, def->local_axis_b, name, "local_axis_b", joint->local_axis_b, error));
    joint->axis2_given = !zero(def->axis2);
    return CARDAN_OK;
}

/* Joints named by a driver or coupler; the sides are those of the first. */
static CardanStatus take_terms(CrdDescription *d, const CardanJointDef *def, CrdJointDesc *joint, CrdError *error) {
    CardanTerm one = {def->joint, def->coordinate, 1.0};
    const CardanTerm *term = def->type == CARDAN_DRIVER ? &one : def->term;
    int count = def->type == CARDAN_DRIVER ? 1 : def->terms;
    if (def->type == CARDAN_DRIVER && def->joint.index == 0) return CARDAN_OK;
    CrdShown shown = crd_shown(def->name, strlen(def->name));
    if (count < 1 || term == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "joint '%s' needs terms >= 1 and term", shown.text);
    joint->term = d->term_count;
    joint->terms = count;
    for (int i = 0; i < count; i++) {
        if (term[i].joint.index < 1 || term[i].joint.index > d->joint_count ||
            (unsigned)term[i].coordinate > CARDAN_LENGTH)
            return crd_fail(error, CARDAN_ERR_ARGUMENT, "joint '%s': there is no joint number %d (or coordinate %d)",
                            shown.text, term[i].joint.index, (int)term[i].coordinate);
        CrdTermDesc fresh = {term[i].joint.index, term[i].coordinate, term[i].coefficient, {0, 0}};
        CRD_TRY(crd_add_term(d, &fresh, error));
    }
    joint->a = d->joints[term[0].joint.index - 1].a;
    joint->b = d->joints[term[0].joint.index - 1].b;
    return CARDAN_OK;
}

static CardanStatus take_law(const CrdDescription *d, const char *text, const char *variable, CrdJointDesc *joint, int k,
                             CrdError *error) {
    bool uses;
    CrdError inner;
    crd_error_clear(&inner);
    CardanStatus status = crd_drive_check(d, text, variable, &uses, &inner);
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(error);
    if (status < 0)
        return crd_fail(error, status, "joint '%s': %s", crd_shown(joint->name, strlen(joint->name)).text, inner.text);
    joint->law[k] = crd_copy_string(text);
    return joint->law[k] != NULL ? CARDAN_OK : crd_fail_memory(error);
}

static CardanStatus take_laws(const CrdDescription *d, const CardanJointDef *def, CrdJointDesc *joint, CrdError *error) {
    bool driver = def->type == CARDAN_DRIVER, path = def->type == CARDAN_CURVE || (driver && joint->terms == 0);
    bool law = def->type == CARDAN_DISTANCE || def->type == CARDAN_COUPLER || (driver && joint->terms > 0);
    CrdShown shown = crd_shown(def->name, strlen(def->name));
    if (def->law != NULL && !law)
        return crd_fail(error, CARDAN_ERR_MODEL, "joint '%s': a %s joint follows no law", shown.text,
                        crd_joint_kinds[def->type]->name);
    if (def->law != NULL) return take_law(d, def->law, "t", joint, 0, error);
    for (int k = 0; k < (d->space == CARDAN_PLANAR ? 2 : 3) && path; k++) {
        if (def->path[k] == NULL)
            return crd_fail(error, CARDAN_ERR_MODEL, "joint '%s': its path has no component '%c'", shown.text, "xyz"[k]);
        CRD_TRY(take_law(d, def->path[k], driver ? "t" : "s", joint, k, error));
    }
    return CARDAN_OK;
}

static void take_numbers(const CardanJointDef *def, CrdJointDesc *joint) {
    joint->length = def->length;
    joint->length_given = def->length_given;
    joint->pitch = def->pitch;
    joint->radius = def->radius;
    joint->value = def->value;
    joint->s = def->s;
    joint->s_given = def->s_given;
    joint->compliant = def->compliant;
    memcpy(joint->stiffness, def->stiffness, sizeof joint->stiffness);
    memcpy(joint->damping, def->damping, sizeof joint->damping);
    /* One common point would make every distance 0: it is between local points, by default the centres of mass. */
    if (def->type == CARDAN_DISTANCE) joint->local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B;
    if (def->type == CARDAN_ROLLING) joint->local |= CARDAN_LOCAL_POINT_B; /* point is a's */
}

CardanStatus crd_convert_joint(CrdDescription *d, const CardanJointDef *def, CrdJointDesc *joint, CrdError *error) {
    const unsigned known = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B | CARDAN_LOCAL_AXIS_A | CARDAN_LOCAL_AXIS_B |
                           CARDAN_POINT_AT_CENTRE;
    *joint = (CrdJointDesc){.type = def->type, .local = def->local};
    CRD_TRY(crd_take_name(&joint->name, def->name, "joint", error));
    CrdShown shown = crd_shown(def->name, strlen(def->name));
    if ((unsigned)def->type >= CARDAN_JOINT_TYPES)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "joint '%s': there is no type number %d", shown.text,
                        (int)def->type);
    if ((def->local & ~known) != 0)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "joint '%s': unknown bits in local", shown.text);
    CRD_TRY(crd_take_body(d, def->a, def->name, &joint->a, error));
    CRD_TRY(crd_take_body(d, def->b, def->name, &joint->b, error));
    CRD_TRY(crd_take_vector(d, def->point, def->name, "the point", joint->point, error));
    CRD_TRY(crd_take_vector(d, def->local_a, def->name, "local_a", joint->local_a, error));
    CRD_TRY(crd_take_vector(d, def->local_b, def->name, "local_b", joint->local_b, error));
    CRD_TRY(take_axes(d, def, joint, error));
    take_numbers(def, joint);
    if (def->type == CARDAN_DRIVER || def->type == CARDAN_COUPLER) CRD_TRY(take_terms(d, def, joint, error));
    return take_laws(d, def, joint, error);
}

CardanStatus crd_take_bodies(const CrdDescription *d, const CardanBody *bodies, int count, const char *name,
                             int **carriers, CrdError *error) {
    *carriers = crd_new((size_t)count, sizeof **carriers);
    if (*carriers == NULL) return crd_fail_memory(error);
    for (int i = 0; i < count; i++) CRD_TRY(crd_take_body(d, bodies[i], name, &(*carriers)[i], error));
    return CARDAN_OK;
}

CardanStatus crd_convert_rows(const CrdDescription *d, const CardanRowsDef *def, CrdJointDesc *joint, CrdError *error) {
    *joint = (CrdJointDesc){.type = CARDAN_JOINT_TYPES};
    CRD_TRY(crd_take_name(&joint->name, def->name, "set of rows", error));
    if (def->rows < 1 || def->bodies < 1 || def->body == NULL || def->evaluate == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "rows '%s' need rows >= 1, bodies >= 1, body and evaluate",
                        crd_shown(def->name, strlen(def->name)).text);
    joint->rows = crd_new(1, sizeof *joint->rows);
    if (joint->rows == NULL) return crd_fail_memory(error);
    joint->rows->def = *def;
    joint->rows->def.name = NULL;
    joint->rows->def.body = NULL;
    return crd_take_bodies(d, def->body, def->bodies, def->name, &joint->rows->carriers, error);
}
