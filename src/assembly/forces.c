/* Applied forces: laws, force elements, gravity, gyroscopic terms. Loads are gathered on carriers and then become f. */
#include "assembly/system.h"

#include <string.h>

static CrdCoordinate coordinate_of(const CardanModel *model, const CrdSystem *w, const CrdActions *actions, int e) {
    const CrdElement *element = &model->shape->elements[e];
    CrdCoordinate coordinate;
    CrdPair pair = crd_pair_of(model->shape, w, e);
    double near = element->turn >= 0 ? actions->turns[element->turn] : 0.0;
    crd_joint_coordinate(element->kind, &model->numbers.joints[e], &pair, near, &coordinate);
    return coordinate;
}

/* Variables of laws: t, parameters, inputs, measures. */
static void law_variables(const CardanModel *model, const CrdActions *actions, CrdSystem *w) {
    const CrdShape *s = model->shape;
    double *x = w->law_values;
    *x++ = w->t;
    memcpy(x, model->numbers.parameters, (size_t)s->parameter_count * sizeof *x);
    x += s->parameter_count;
    if (s->input_count > 0) memcpy(x, actions->inputs, (size_t)s->input_count * sizeof *x);
    x += s->input_count;
    for (int i = 0; i < s->law_measure_count; i++) {
        const CrdLawMeasure *m = &s->law_measures[i];
        if (crd_measures[m->measure].of == CRD_OF_BODY) {
            x[i] = crd_measure_body(m->measure, &w->frames[m->object]);
        } else {
            CrdCoordinate coordinate = coordinate_of(model, w, actions, m->object);
            x[i] = crd_measure_joint(m->measure, &coordinate);
        }
    }
}

static CardanStatus law_value(const CardanModel *model, const CrdSystem *w, int force, int k, double *value,
                              CrdError *error) {
    const CrdForceDesc *desc = &model->description->forces[force];
    CrdError inner = {0};
    CardanStatus status = crd_expr_value(model->shape->laws[3 * force + k], w->law_values, value, &inner);
    if (status >= 0) return CARDAN_OK;
    return crd_fail_at(error, CARDAN_ERR_NUMERIC, desc->law_place[k], "force '%s': %s at t = %.9g", desc->name,
                       inner.text, w->t);
}

static CardanStatus apply_force(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *w,
                                CrdLoads *loads, CrdError *error) {
    const CrdForceData *force = &model->numbers.forces[index];
    double value[3];
    memcpy(value, force->value, sizeof value);
    for (int k = 0; k < 3; k++)
        if (model->shape->laws[3 * index + k] != NULL) CRD_TRY(law_value(model, w, index, k, &value[k], error));
    CrdForceInput input = {.t = w->t, .frames = w->frames, .value = value, .inputs = actions->inputs,
                           .gathered = w->gathered, .wrench = w->wrench};
    CrdCoordinate coordinate;
    if (force->joint > 0) {
        int e = model->shape->element_of_joint[force->joint - 1];
        coordinate = coordinate_of(model, w, actions, e);
        input.coordinate = &coordinate;
        input.joint_a = crd_element_carrier(model->shape, e, 0);
        input.joint_b = crd_element_carrier(model->shape, e, 1);
    }
    CardanStatus status = crd_force_kinds[force->type]->apply(force, &input, loads);
    if (status >= 0) return CARDAN_OK;
    return crd_fail(error, status, "force '%s' failed at t = %.9g", model->description->forces[index].name, w->t);
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
    case CRD_PLANAR_BODY: f[2] = load[5]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        f[0] = force.x;
        f[1] = force.y;
        break;
    case CRD_SPATIAL_BODY:
        crd_put(f + 3, crd_sub(crd_vec_of(load + 3), crd_cross(frame->w, crd_apply(n->inertia, frame->w))));
        /* fall through */
    case CRD_SPATIAL_PARTICLE: crd_put(f, force); break;
    case CRD_CUSTOM_BLOCK: break;
    }
}

/* Force of a custom block, and of what acts on its frames. */
static CardanStatus custom_force(const CardanModel *model, const CrdBlock *block, const double *q, const double *v,
                                 const CrdActions *actions, CrdSystem *w, CrdError *error) {
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    double *f = w->f + block->v;
    memset(f, 0, (size_t)block->nv * sizeof *f);
    if (desc->def.force != NULL) {
        CardanStatus status =
            desc->def.force(desc->def.user, w->t, q + block->q, v + block->v, actions->inputs, f);
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
    law_variables(model, actions, w);
    for (int i = 0; i < s->force_count; i++) CRD_TRY(apply_force(model, i, actions, w, &loads, error));
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
