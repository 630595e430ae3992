#include "assembly/force_scene.h"

#include <string.h>

static CrdCoordinate coordinate_of(const CardanModel *model, const CrdSystem *w, int e, CardanCoordinate which) {
    CrdCoordinate coordinate;
    CrdPair pair = crd_pair_of(model->shape, w, e);
    crd_joint_coordinate(which, &model->numbers.joints[e], &pair, &coordinate);
    return coordinate;
}

CardanCoordinate crd_force_coordinate(const CardanModel *model, int index) {
    const CrdForceData *force = &model->numbers.forces[index];
    if (force->coordinate != CARDAN_NO_COORDINATE) return force->coordinate;
    return model->shape->elements[model->shape->element_of_joint[force->joint - 1]].kind->coordinates[0];
}

void crd_law_input(const CardanModel *model, const CrdActions *actions, CrdSystem *w) {
    const CrdShape *s = model->shape;
    double *x = w->law_values;
    x[CRD_LAW_TIME] = w->t;
    x += CRD_LAW_OWN; /* x and v are each force's own */
    memcpy(x, model->numbers.parameters, (size_t)s->parameter_count * sizeof *x);
    x += s->parameter_count;
    if (s->input_count > 0) memcpy(x, actions->inputs, (size_t)s->input_count * sizeof *x);
    x += s->input_count;
    if (s->first_order > 0) memcpy(x, actions->states, (size_t)s->first_order * sizeof *x);
    x += s->first_order;
    for (int i = 0; i < s->law_measure_count; i++) {
        const CrdLawMeasure *m = &s->law_measures[i];
        if (crd_measures[m->measure].of == CRD_OF_BODY) {
            x[i] = crd_measure_body(m->measure, &w->frames[m->object]);
        } else if (crd_measures[m->measure].of == CRD_OF_SPRING) {
            x[i] = crd_spring_length(&model->numbers.forces[m->object], w->frames);
        } else {
            CrdCoordinate coordinate = coordinate_of(model, w, m->object, crd_measures[m->measure].coordinate);
            x[i] = crd_measure_joint(m->measure, &coordinate);
        }
    }
    for (int i = 0; i < crd_law_variables(s); i++) w->law_jets[i] = (CrdJet){w->law_values[i], 0.0, 0.0};
}

CardanStatus crd_force_failed(const CardanModel *model, int index, const CrdSystem *w, const CrdForceScene *scene,
                              CardanStatus status, CrdError *error) {
    const CrdForceDesc *desc = &model->description->forces[index];
    if (scene->inner.text[0] == '\0') return crd_fail(error, status, "force '%s' failed at t = %.9g", desc->name, w->t);
    return crd_fail_at(error, status, desc->law_place[scene->law], "force '%s': %s at t = %.9g", desc->name,
                       scene->inner.text, w->t);
}

/* Target and its derivative in time. */
static CardanStatus target_of(const CrdExpr *law, CrdSystem *w, CrdForceScene *scene) {
    CrdJet target;
    w->law_jets[CRD_LAW_TIME].d1 = 1.0;
    CardanStatus status = crd_expr_held_slope(law, w->law_jets, scene->input.law_sides, &target, &scene->inner);
    w->law_jets[CRD_LAW_TIME].d1 = 0.0;
    if (status < 0) return status;
    scene->value[0] = target.x;
    scene->value[1] = target.d1;
    return CARDAN_OK;
}

/* Values of laws that need no more than the variables; a law in x and v is left to the kernel. */
static CardanStatus values_of(const CardanModel *model, int index, CrdSystem *w, CrdForceScene *scene) {
    CrdExpr *const *laws = &model->shape->laws[CRD_FORCE_LAWS * index];
    CardanForceType type = model->numbers.forces[index].type;
    if (type == CARDAN_MOTOR) return target_of(laws[0], w, scene);
    if (type != CARDAN_FORCE && type != CARDAN_TORQUE) {
        scene->input.law = laws[0];
        return CARDAN_OK;
    }
    const CrdSide *sides = scene->input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        if (laws[k] == NULL) continue;
        scene->law = k;
        CRD_TRY(crd_expr_held_value(laws[k], w->law_values, sides, &scene->value[k], &scene->inner));
        if (sides != NULL) sides += crd_expr_kink_count(laws[k]);
    }
    return CARDAN_OK;
}

CardanStatus crd_force_scene(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *w,
                             CrdForceScene *scene, CrdError *error) {
    const CrdForceData *force = &model->numbers.forces[index];
    const CrdForceShape *shape = &model->shape->force_shapes[index];
    memcpy(scene->value, force->value, sizeof scene->value);
    scene->law = 0;
    crd_error_clear(&scene->inner);
    scene->input = (CrdForceInput){.t = w->t,
                                   .frames = w->frames,
                                   .value = scene->value,
                                   .law_values = w->law_values,
                                   .inputs = actions->inputs,
                                   .z = shape->states > 0 ? actions->states + shape->state : NULL,
                                   .gathered = w->gathered,
                                   .wrench = w->wrench,
                                   .error = &scene->inner};
    if (actions->sides != NULL) {
        scene->input.sides = actions->sides + shape->first_switch;
        scene->input.law_sides = scene->input.sides + crd_force_kinds[force->type]->switch_count;
    }
    if (force->joint > 0) {
        int e = model->shape->element_of_joint[force->joint - 1];
        scene->coordinate = coordinate_of(model, w, e, crd_force_coordinate(model, index));
        scene->input.coordinate = &scene->coordinate;
        scene->input.joint_a = crd_element_carrier(model->shape, e, 0);
        scene->input.joint_b = crd_element_carrier(model->shape, e, 1);
    }
    CardanStatus status = values_of(model, index, w, scene);
    return status >= 0 ? CARDAN_OK : crd_force_failed(model, index, w, scene, status, error);
}
