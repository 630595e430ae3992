/* Applied forces: force elements, gravity, gyroscopic terms, rates of first-order states. Loads are gathered on
 * carriers and then become f. */
#include "assembly/force_scene.h"

#include <string.h>

static CardanStatus apply_force(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *w,
                                CrdLoads *loads, CrdError *error) {
    const CrdForceData *force = &model->numbers.forces[index];
    CrdForceScene scene;
    CRD_TRY(crd_force_scene(model, index, actions, w, &scene, error));
    loads->z_rate = w->z_rate + model->shape->force_shapes[index].state;
    CardanStatus status = crd_force_kinds[force->type]->apply(force, &scene.input, loads);
    return status >= 0 ? CARDAN_OK : crd_force_failed(model, index, w, &scene, status, error);
}

/* Rates of the user's first-order states. */
static CardanStatus state_rates(const CardanModel *model, const CrdActions *actions, CrdSystem *w, CrdError *error) {
    for (int i = 0; i < model->shape->states_count; i++) {
        const CrdStatesDesc *desc = &model->description->states[i];
        int first = model->shape->state_of_states[i];
        for (int k = 0; k < desc->def.bodies; k++) w->gathered[k] = w->frames[desc->carriers[k]];
        memset(w->z_rate + first, 0, (size_t)desc->def.count * sizeof *w->z_rate);
        CardanStatus status = desc->def.rate(desc->def.user, w->t, w->gathered, actions->inputs,
                                             actions->states + first, w->z_rate + first);
        if (status < 0)
            return crd_fail(error, status, "states '%s': their rate callback failed at t = %.9g", desc->name, w->t);
    }
    return CARDAN_OK;
}

/* Wrenches applied from outside: ground axes, moment about the origin; their power counts as work. */
static void apply_wrenches(const CardanModel *model, CardanTwistRow *wrenches, CrdSystem *w, CrdLoads *loads) {
    for (int i = 1; i < model->shape->carrier_count; i++) {
        CrdVec force = crd_vec_of(wrenches[i]);
        CrdVec moment = crd_apply_t(w->frames[i].rotation, crd_vec_of(wrenches[i] + 3));
        loads->power += crd_push(loads, w->frames, i, crd_vec(0, 0, 0), force);
        loads->power += crd_twist(loads, w->frames, i, moment);
    }
}

/* Load of a body as generalised force, with gravity and -w x J w. */
static void body_force(const CardanModel *model, int index, const CrdSystem *w, double *potential, double *f) {
    const CrdBlock *block = &model->shape->blocks[index];
    const CrdBlockNumbers *n = &model->numbers.blocks[index];
    const CardanFrame *frame = &w->frames[block->carrier];
    const double *load = w->loads[block->carrier];
    CrdVec force = crd_axpy(crd_vec_of(load), n->mass, model->numbers.gravity);
    *potential -= n->mass * crd_dot(model->numbers.gravity, frame->x);
    switch (block->kind) {
    case CRD_PLANAR_BODY:
        f[2] = load[5]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        f[0] = force.x;
        f[1] = force.y;
        break;
    case CRD_SPATIAL_BODY:
        crd_put(f + 3, crd_sub(crd_vec_of(load + 3), crd_cross(frame->w, crd_apply(n->inertia, frame->w))));
        /* fall through */
    case CRD_SPATIAL_PARTICLE:
        crd_put(f, force);
        break;
    case CRD_CUSTOM_BLOCK:
        break;
    }
}

/* Force of a custom block, and of what acts on its frames. */
static CardanStatus custom_force(const CardanModel *model, const CrdBlock *block, const double *q, const double *v,
                                 const CrdActions *actions, CrdSystem *w, CrdError *error) {
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    double *f = w->f + block->v;
    memset(f, 0, (size_t)block->nv * sizeof *f);
    if (desc->def.force != NULL) {
        CardanStatus status = desc->def.force(desc->def.user, w->t, q + block->q, v + block->v, actions->inputs, f);
        if (status < 0)
            return crd_fail(error, status, "block '%s': its force callback failed at t = %.9g", desc->name, w->t);
    }
    if (desc->def.potential != NULL) w->potential += desc->def.potential(desc->def.user, w->t, q + block->q);
    if (desc->def.power != NULL)
        w->power += desc->def.power(desc->def.user, w->t, q + block->q, v + block->v, actions->inputs);
    for (int k = 0; k < desc->def.frames; k++) {
        int carrier = block->carrier + k;
        const double *jacobian = w->frame_jacobian + model->shape->carriers[carrier].jacobian;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < block->nv; j++) f[j] += jacobian[i * block->nv + j] * w->loads[carrier][i];
    }
    return CARDAN_OK;
}

CardanStatus crd_forces(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                        CrdSystem *w, CrdError *error) {
    const CrdShape *s = model->shape;
    CrdLoads loads = {.load = w->loads};
    memset(w->loads, 0, (size_t)s->carrier_count * sizeof *w->loads);
    if (s->force_count > 0) crd_law_input(model, actions, w);
    for (int i = 0; i < s->force_count; i++) CRD_TRY(apply_force(model, i, actions, w, &loads, error));
    CRD_TRY(crd_compliant(model, w, &loads, error));
    CRD_TRY(state_rates(model, actions, w, error));
    if (actions->wrenches != NULL) apply_wrenches(model, actions->wrenches, w, &loads);
    w->potential = loads.potential;
    w->power = loads.power;
    for (int i = 0; i < s->block_count; i++) {
        if (s->blocks[i].kind == CRD_CUSTOM_BLOCK)
            CRD_TRY(custom_force(model, &s->blocks[i], q, v, actions, w, error));
        else
            body_force(model, i, w, &w->potential, w->f + s->blocks[i].v);
    }
    return CARDAN_OK;
}
