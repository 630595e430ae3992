#include "build/convert.h"

#include "build/take.h"
#include "core/memory.h"
#include "core/vec.h"

#include <math.h>
#include <string.h>

CardanStatus crd_take_name(char **name, const char *given, const char *what, CrdError *error) {
    *name = NULL;
    if (given == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "a%s %s needs a name", strchr("aeiou", what[0]) != NULL ? "n" : "",
                        what);
    *name = crd_copy_string(given);
    return *name != NULL ? CARDAN_OK : crd_fail_memory(error);
}

CardanStatus crd_take_body(const CrdDescription *description, CardanBody handle, const char *of, int *frame,
                           CrdError *error) {
    *frame = 0;
    if (handle.index < 0 || handle.index >= description->frame_count)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "'%s': there is no body number %d", crd_shown_text(of).text,
                        handle.index);
    *frame = handle.index;
    return CARDAN_OK;
}

CardanStatus crd_take_vector(const CrdDescription *description, CardanVec3 v, const char *of, const char *what,
                             double *out, CrdError *error) {
    crd_put(out, v);
    if (description->space == CARDAN_SPACE_SPATIAL || v.z == 0.0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': %s has a z component in a planar model", crd_shown_text(of).text,
                    what);
}

/* ---- bodies ---- */

static bool zero(CardanVec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static CardanStatus check_particle(const CardanBodyDef *def, CrdError *error) {
    const CardanInertia *inertia = &def->inertia;
    const CardanQuat *q = &def->pose.q;
    bool bare = inertia->xx == 0.0 && inertia->yy == 0.0 && inertia->zz == 0.0 && inertia->xy == 0.0 &&
                inertia->xz == 0.0 && inertia->yz == 0.0;
    bare = bare && q->w == 0.0 && q->x == 0.0 && q->y == 0.0 && q->z == 0.0 && def->pose.angle == 0.0;
    if (bare && zero(def->angular_velocity) && zero(def->body_rates)) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "body '%s': a particle has no inertia, orientation or spin",
                    crd_shown_text(def->name).text);
}

static CardanStatus convert_planar_body(const CardanBodyDef *def, CrdBodyDesc *body, CrdError *error) {
    const CardanVec3 *w = &def->angular_velocity, *r = &def->body_rates;
    const CardanQuat *q = &def->pose.q;
    bool turned = q->x != 0.0 || q->y != 0.0 || q->z != 0.0;
    if (turned || w->x != 0.0 || w->y != 0.0 || r->x != 0.0 || r->y != 0.0)
        return crd_fail(error, CARDAN_ERR_MODEL, "body '%s': in a planar model bodies turn about z only, by pose.angle",
                        crd_shown_text(def->name).text);
    body->orientation_form = CRD_ORIENTATION_ANGLE;
    body->orientation[0] = def->pose.angle;
    body->inertia[2] = def->inertia.zz;
    body->angular_velocity[2] = w->z + r->z;
    return CARDAN_OK;
}

static CardanStatus convert_spatial_body(const CardanBodyDef *def, CrdBodyDesc *body, CrdError *error) {
    const CardanInertia *inertia = &def->inertia;
    const CardanQuat *q = &def->pose.q;
    if (def->pose.angle != 0.0)
        return crd_fail(error, CARDAN_ERR_MODEL, "body '%s': pose.angle is for planar models",
                        crd_shown_text(def->name).text);
    memcpy(body->inertia, (double[6]){inertia->xx, inertia->yy, inertia->zz, inertia->xy, inertia->xz, inertia->yz},
           sizeof body->inertia);
    memcpy(body->orientation, (double[4]){q->w, q->x, q->y, q->z}, sizeof body->orientation);
    bool turned = q->w != 0.0 || q->x != 0.0 || q->y != 0.0 || q->z != 0.0;
    if (turned) body->orientation_form = CRD_ORIENTATION_QUATERNION;
    crd_put(body->angular_velocity, def->angular_velocity);
    crd_put(body->body_rates, def->body_rates);
    return CARDAN_OK;
}

CardanStatus crd_convert_body(const CrdDescription *description, const CardanBodyDef *def, CrdBodyDesc *body,
                              CrdError *error) {
    *body = (CrdBodyDesc){.particle = def->particle, .mass = def->mass};
    CRD_TRY(crd_take_name(&body->name, def->name, "body", error));
    CRD_TRY(crd_take_vector(description, def->pose.p, def->name, "the position", body->position, error));
    CRD_TRY(crd_take_vector(description, def->velocity, def->name, "the velocity", body->velocity, error));
    if (def->particle) return check_particle(def, error);
    if (description->space == CARDAN_SPACE_PLANAR) return convert_planar_body(def, body, error);
    return convert_spatial_body(def, body, error);
}

/* ---- blocks ---- */

/* Start values, in a new array: given (NULL: zeros), all finite; "block 'rod'" stands in the message. */
static CardanStatus take_start(const double *given, int count, const char *what, const char *name, double **copy,
                               CrdError *error) {
    *copy = crd_new((size_t)count, sizeof **copy);
    if (*copy == NULL) return crd_fail_memory(error);
    for (int i = 0; i < count && given != NULL; i++) {
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
    CrdShown shown = crd_shown_text(def->name);
    CRD_TRY(check_block(def, shown.text, error));
    CRD_TRY(take_start(def->q0, def->coordinates, "block", shown.text, &block->q0, error));
    return take_start(def->v0, def->coordinates, "block", shown.text, &block->v0, error);
}

/* ---- lists of bodies ---- */

/* Frames of a list of bodies, in a new array. */
static CardanStatus take_bodies(const CrdDescription *description, const CardanBody *bodies, int count, const char *of,
                                int **frames, CrdError *error) {
    *frames = crd_new((size_t)count, sizeof **frames);
    if (*frames == NULL) return crd_fail_memory(error);
    for (int i = 0; i < count; i++) CRD_TRY(crd_take_body(description, bodies[i], of, &(*frames)[i], error));
    return CARDAN_OK;
}

CardanStatus crd_convert_rows(const CrdDescription *description, const CardanRowsDef *def, CrdJointDesc *joint,
                              CrdError *error) {
    *joint = (CrdJointDesc){.type = CARDAN_JOINT_NONE};
    CRD_TRY(crd_take_name(&joint->name, def->name, "set of rows", error));
    if (def->rows < 1 || def->bodies < 1 || def->body == NULL || def->evaluate == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "rows '%s' need rows >= 1, bodies >= 1, body and evaluate",
                        crd_shown_text(def->name).text);
    joint->rows = crd_new(1, sizeof *joint->rows);
    if (joint->rows == NULL) return crd_fail_memory(error);
    joint->rows->def = *def;
    joint->rows->def.name = NULL;
    joint->rows->def.body = NULL;
    return take_bodies(description, def->body, def->bodies, def->name, &joint->rows->frames, error);
}

/* ---- first-order states ---- */

CardanStatus crd_convert_states(const CrdDescription *description, const CardanFirstOrderDef *def,
                                CrdStatesDesc *states, CrdError *error) {
    *states = (CrdStatesDesc){.def = *def};
    states->def.name = NULL;
    states->def.z0 = NULL;
    states->def.body = NULL;
    CRD_TRY(crd_take_name(&states->name, def->name, "set of states", error));
    CrdShown shown = crd_shown_text(def->name);
    if (def->count < 1 || def->rate == NULL || def->bodies < 0 || (def->bodies > 0 && def->body == NULL))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "states '%s' need count >= 1, rate, and body for their bodies",
                        shown.text);
    CRD_TRY(take_start(def->z0, def->count, "states", shown.text, &states->z0, error));
    return take_bodies(description, def->body, def->bodies, def->name, &states->frames, error);
}

/* ---- events ---- */

CardanStatus crd_convert_event(const CrdDescription *description, const CardanEventDef *def, CrdEventDesc *event,
                               CrdError *error) {
    *event = (CrdEventDesc){.def = *def};
    event->def.name = NULL;
    event->def.body = NULL;
    CRD_TRY(crd_take_name(&event->name, def->name, "event", error));
    bool sound = def->function != NULL && def->direction >= -1 && def->direction <= 1;
    if (!sound || def->bodies < 0 || (def->bodies > 0 && def->body == NULL))
        return crd_fail(error, CARDAN_ERR_ARGUMENT,
                        "event '%s' needs a function, a direction of -1, 0 or 1, and body for its bodies",
                        crd_shown_text(def->name).text);
    return take_bodies(description, def->body, def->bodies, def->name, &event->frames, error);
}

/* ---- invariants ---- */

CardanStatus crd_convert_invariant(const CrdDescription *description, const CardanInvariantDef *def,
                                   CrdInvariantDesc *invariant, CrdError *error) {
    *invariant = (CrdInvariantDesc){.def = *def};
    invariant->def.name = NULL;
    invariant->def.body = NULL;
    CRD_TRY(crd_take_name(&invariant->name, def->name, "invariant", error));
    if (def->evaluate == NULL || def->bodies < 1 || def->body == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "invariant '%s' needs evaluate, bodies >= 1 and body for them",
                        crd_shown_text(def->name).text);
    return take_bodies(description, def->body, def->bodies, def->name, &invariant->frames, error);
}
