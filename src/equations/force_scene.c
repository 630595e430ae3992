#include "equations/force_scene.h"

#include <assert.h>
#include <string.h>

static CrdCoordinate coordinate_of(const CardanModel *model, const CrdSystem *system, int e, CardanCoordinate which) {
    CrdCoordinate coordinate;
    CrdPair pair = crd_pair_of(model->structure, system, e);
    crd_joint_coordinate(which, &model->values.joints[e], &pair, &coordinate);
    return coordinate;
}

CardanCoordinate crd_force_coordinate(const CardanModel *model, int index) {
    const CrdForceData *force = &model->values.forces[index];
    assert(force->joint > 0);
    if (force->coordinate != CARDAN_COORDINATE_NONE) return force->coordinate;
    return model->structure->elements[model->structure->element_of_joint[force->joint - 1]].kind->coordinates[0];
}

void crd_law_input(const CardanModel *model, const CrdActions *actions, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    assert(structure->input_count == 0 || actions->inputs != NULL);
    assert(structure->first_order == 0 || actions->states != NULL);
    double *x = system->law_values;
    x[CRD_LAW_TIME] = system->t;
    x += CRD_LAW_OWN; /* x and v are each force's own */
    memcpy(x, model->values.parameters, (size_t)structure->parameter_count * sizeof *x);
    x += structure->parameter_count;
    if (structure->input_count > 0) memcpy(x, actions->inputs, (size_t)structure->input_count * sizeof *x);
    x += structure->input_count;
    if (structure->first_order > 0) memcpy(x, actions->states, (size_t)structure->first_order * sizeof *x);
    x += structure->first_order;
    for (int i = 0; i < structure->law_measure_count; i++) {
        const CrdLawMeasure *law_measure = &structure->law_measures[i];
        if (crd_measures[law_measure->measure].of == CRD_OF_BODY) {
            x[i] = crd_measure_body(law_measure->measure, &system->frames[law_measure->object]);
        } else if (crd_measures[law_measure->measure].of == CRD_OF_SPRING) {
            x[i] = crd_force_length(&model->values.forces[law_measure->object], system->frames);
        } else {
            CrdCoordinate coordinate =
                coordinate_of(model, system, law_measure->object, crd_measures[law_measure->measure].coordinate);
            x[i] = crd_measure_joint(law_measure->measure, &coordinate);
        }
    }
    assert(x + structure->law_measure_count == system->law_values + crd_law_variables(structure));
    for (int i = 0; i < crd_law_variables(structure); i++)
        system->law_jets[i] = (CrdJet){system->law_values[i], 0.0, 0.0};
}

CardanStatus crd_force_failed(const CardanModel *model, int index, const CrdSystem *system, const CrdForceScene *scene,
                              CardanStatus status, CrdError *error) {
    const CrdForceDesc *desc = &model->description->forces[index];
    if (scene->inner.text[0] == '\0')
        return crd_fail(error, status, "force '%s' failed at t = %.9g", desc->name, system->t);
    return crd_fail_at(error, status, desc->law_place[scene->law], "force '%s': %s at t = %.9g", desc->name,
                       scene->inner.text, system->t);
}

/* Target and its derivative in time. */
static CardanStatus target_of(const CrdExpr *law, CrdSystem *system, CrdForceScene *scene) {
    assert(law != NULL);
    CrdJet target;
    system->law_jets[CRD_LAW_TIME].d1 = 1.0;
    CardanStatus status = crd_expr_held_slope(law, system->law_jets, scene->input.law_sides, &target, &scene->inner);
    system->law_jets[CRD_LAW_TIME].d1 = 0.0;
    if (status < 0) return status;
    scene->value[0] = target.x;
    scene->value[1] = target.d1;
    return CARDAN_OK;
}

/* Values of laws that need no more than the variables; a law in x and v is left to the kernel. */
static CardanStatus values_of(const CardanModel *model, int index, CrdSystem *system, CrdForceScene *scene) {
    CrdExpr *const *laws = &model->structure->laws[CRD_FORCE_LAWS * index];
    CrdLawScope scope = model->values.forces[index].scope;
    if (scope == CRD_LAW_OF_TIME) return target_of(laws[0], system, scene);
    if (scope == CRD_LAW_OF_TWO) {
        scene->input.law = laws[0];
        return CARDAN_OK;
    }
    const CrdSide *sides = scene->input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        if (laws[k] == NULL) continue;
        scene->law = k;
        CRD_TRY(crd_expr_held_value(laws[k], system->law_values, sides, &scene->value[k], &scene->inner));
        if (sides != NULL) sides += crd_expr_kink_count(laws[k]);
    }
    return CARDAN_OK;
}

/* The rotation vector that is tracked for it; NULL: none is. */
static const double *turn_of(const CardanModel *model, int index, const CrdSystem *system) {
    int tracked = model->structure->force_structures[index].tracked;
    assert(tracked < 0 || system->tracked != NULL); /* crd_begin_rows came before */
    return tracked < 0 ? NULL : system->tracked + tracked;
}

CardanStatus crd_force_scene(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                             CrdForceScene *scene, CrdError *error) {
    const CrdForceData *force = &model->values.forces[index];
    const CrdForceStructure *structure = &model->structure->force_structures[index];
    assert(index >= 0 && index < model->structure->force_count);
    assert(system->law_values[CRD_LAW_TIME] == system->t); /* crd_law_input came before */
    memcpy(scene->value, force->value, sizeof scene->value);
    scene->law = 0;
    crd_error_clear(&scene->inner);
    scene->input = (CrdForceInput){.t = system->t,
                                   .frames = system->frames,
                                   .value = scene->value,
                                   .law_values = system->law_values,
                                   .inputs = actions->inputs,
                                   .z = structure->states > 0 ? actions->states + structure->state : NULL,
                                   .turn = turn_of(model, index, system),
                                   .gathered = system->gathered,
                                   .wrench = system->wrench,
                                   .error = &scene->inner};
    if (actions->sides != NULL) {
        scene->input.sides = actions->sides + structure->first_switch;
        scene->input.law_sides = scene->input.sides + crd_force_kinds[force->type]->switch_count;
    }
    if (force->joint > 0) {
        int e = model->structure->element_of_joint[force->joint - 1];
        scene->coordinate = coordinate_of(model, system, e, crd_force_coordinate(model, index));
        scene->input.coordinate = &scene->coordinate;
        scene->input.joint_a = crd_element_frame(model->structure, e, 0);
        scene->input.joint_b = crd_element_frame(model->structure, e, 1);
    }
    CardanStatus status = values_of(model, index, system, scene);
    return status >= 0 ? CARDAN_OK : crd_force_failed(model, index, system, scene, status, error);
}
