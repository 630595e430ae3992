/* Applied forces: force elements, gravity, gyroscopic terms, rates of first-order states. Loads are gathered on
 * frames and then become f. */
#include "core/callback.h"
#include "equations/force_scene.h"
#include "equations/tree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static CardanStatus apply_force(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                CrdLoads *loads, CrdError *error) {
    const CrdForceData *force = &model->values.forces[index];
    CrdForceScene scene;
    CRD_TRY(crd_force_scene(model, index, actions, system, &scene, error));
    loads->z_rate = system->z_rate + model->structure->force_structures[index].state;
    CardanStatus status = crd_force_kinds[force->type]->apply(force, &scene.input, loads);
    return status >= 0 ? CARDAN_OK : crd_force_failed(model, index, system, &scene, status, error);
}

/* Rates of the user's first-order states. */
static CardanStatus state_rates(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                                CrdError *error) {
    for (int i = 0; i < model->structure->states_count; i++) {
        const CrdStatesDesc *desc = &model->description->states[i];
        int first = model->structure->state_of_states[i];
        assert(first + desc->def.count <= model->structure->first_order);
        assert(desc->def.bodies <= model->structure->max_gathered);
        for (int k = 0; k < desc->def.bodies; k++) system->gathered[k] = system->frames[desc->frames[k]];
        memset(system->z_rate + first, 0, (size_t)desc->def.count * sizeof *system->z_rate);
        CardanStatus status = desc->def.rate(desc->def.user, system->t, system->gathered, actions->inputs,
                                             actions->states + first, system->z_rate + first);
        CRD_TRY(crd_callback_ended(error, status, crd_are_finite(system->z_rate + first, (size_t)desc->def.count),
                                   system->t, "states '%s': their rate callback", desc->name));
    }
    return CARDAN_OK;
}

/* Wrenches applied from outside: ground axes, moment about the origin; their power counts as work. */
static void apply_wrenches(const CardanModel *model, CardanTwistRow *wrenches, CrdSystem *system, CrdLoads *loads) {
    for (int i = 1; i < model->structure->frame_count; i++) {
        CrdVec force = crd_vec_of(wrenches[i]);
        CrdVec moment = crd_apply_t(system->frames[i].rotation, crd_vec_of(wrenches[i] + 3));
        loads->power += crd_push(loads, system->frames, i, crd_vec(0, 0, 0), force);
        loads->power += crd_twist(loads, system->frames, i, moment);
    }
}

/* Load of a body as generalised force, with gravity and -w x J w. */
static void body_force(const CardanModel *model, int index, const CrdSystem *system) {
    const CrdBlock *block = &model->structure->blocks[index];
    const CrdBlockValues *values = &model->values.blocks[index];
    assert(model->structure->frames[block->frame].block == index);
    const CardanFrame *frame = &system->frames[block->frame];
    const double *load = system->loads[block->frame];
    double *f = system->f + block->v;
    CrdVec force = crd_axpy(crd_vec_of(load), values->mass, model->values.gravity);
    switch (block->kind) {
    case CRD_PLANAR_BODY:
        f[2] = load[5]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        f[0] = force.x;
        f[1] = force.y;
        break;
    case CRD_SPATIAL_BODY:
        crd_put(f + 3, crd_sub(crd_vec_of(load + 3), crd_cross(frame->w, crd_apply(values->inertia, frame->w))));
        /* fall through */
    case CRD_SPATIAL_PARTICLE:
        crd_put(f, force);
        break;
    default:
        break;
    }
}

/* Force of a custom block, and of what acts on its frames. */
static CardanStatus custom_force(const CardanModel *model, const CrdBlock *block, const double *q, const double *v,
                                 const CrdActions *actions, CrdSystem *system, CrdError *error) {
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    double *f = system->f + block->v;
    memset(f, 0, (size_t)block->nv * sizeof *f);
    if (desc->def.force != NULL) {
        CardanStatus status =
            desc->def.force(desc->def.user, system->t, q + block->q, v + block->v, actions->inputs, f);
        CRD_TRY(crd_callback_ended(error, status, crd_are_finite(f, (size_t)block->nv), system->t,
                                   "block '%s': its force callback", desc->name));
    }
    double potential = 0.0, power = 0.0;
    if (desc->def.potential != NULL) potential = desc->def.potential(desc->def.user, system->t, q + block->q);
    if (desc->def.power != NULL)
        power = desc->def.power(desc->def.user, system->t, q + block->q, v + block->v, actions->inputs);
    CRD_TRY(crd_callback_ended(error, CARDAN_OK, isfinite(potential) && isfinite(power), system->t,
                               "block '%s': its %s callback", desc->name, isfinite(potential) ? "power" : "potential"));
    system->stored += potential;
    system->power += power;
    for (int k = 0; k < desc->def.frames; k++) {
        int frame = block->frame + k;
        assert(model->structure->frames[frame].kind == CRD_FRAME_OF_BLOCK &&
               model->structure->frames[frame].frame == k);
        const double *jacobian = system->frame_jacobian + model->structure->frames[frame].jacobian;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < block->nv; j++) f[j] += jacobian[i * block->nv + j] * system->loads[frame][i];
    }
    return CARDAN_OK;
}

typedef struct Bodies {
    const CardanModel *model;
    const CrdSystem *system;
} Bodies;

static void body_forces(void *user, CrdRange items) {
    const Bodies bodies = *(const Bodies *)user;
    for (int i = items.first; i < items.end; i++)
        if (bodies.model->structure->blocks[i].kind != CRD_CUSTOM_BLOCK) body_force(bodies.model, i, bodies.system);
}

/* f of absolute coordinates from the loads of frames. */
static CardanStatus block_forces(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                                 CrdSystem *system, CrdError *error) {
    enum { PART = 512 }; /* some 10 us */
    const CrdStructure *structure = model->structure;
    Bodies bodies = {model, system};
    crd_pool_each(system->pool, body_forces, &bodies, structure->block_count, PART);
    for (int i = 0; structure->size_custom > 0 && i < structure->block_count; i++)
        if (structure->blocks[i].kind == CRD_CUSTOM_BLOCK)
            CRD_TRY(custom_force(model, &structure->blocks[i], q, v, actions, system, error));
    return CARDAN_OK;
}

CardanStatus crd_one_force(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                           CrdError *error) {
    CrdLoads loads = {.load = system->loads};
    memset(system->loads, 0, (size_t)model->structure->frame_count * sizeof *system->loads);
    system->loaded = true;
    CRD_TRY(crd_law_input(model, actions, system, error));
    return apply_force(model, index, actions, system, &loads, error);
}

CardanStatus crd_forces(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                        CrdSystem *system, CrdError *error) {
    const CrdStructure *structure = model->structure;
    assert(q == NULL || crd_stamp_at(&system->stamp, q));
    CrdLoads loads = {.load = system->loads};
    bool loaded = structure->force_count > 0 || structure->compliant_count > 0 || actions->wrenches != NULL;
    if (system->loaded) memset(system->loads, 0, (size_t)structure->frame_count * sizeof *system->loads);
    system->loaded = loaded;
    if (structure->force_count > 0) CRD_TRY(crd_law_input(model, actions, system, error));
    for (int i = 0; i < structure->force_count; i++) CRD_TRY(apply_force(model, i, actions, system, &loads, error));
    CRD_TRY(crd_compliant(model, system, &loads, error));
    CRD_TRY(state_rates(model, actions, system, error));
    if (actions->wrenches != NULL) apply_wrenches(model, actions->wrenches, system, &loads);
    system->stored = loads.potential;
    system->power = loads.power;
    if (structure->tree != NULL)
        system->tree.loaded = loaded;
    else
        CRD_TRY(block_forces(model, q, v, actions, system, error));
    crd_stamp_add(&system->stamp, CRD_HOLDS_FORCES);
    return CARDAN_OK;
}

double crd_potential(const CardanModel *model, const CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    double sum = system->stored;
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_FORCES));
    if (structure->tree != NULL) return sum + crd_tree_gravity(model, system);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        if (block->kind == CRD_CUSTOM_BLOCK) continue;
        sum -= model->values.blocks[i].mass * crd_dot(model->values.gravity, system->frames[block->frame].x);
    }
    return sum;
}
