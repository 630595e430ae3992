#include "equations/force_scene.h"

#include "equations/measures.h"

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

/* Those of forces that follow laws themselves (dynamic) come last: they read the others. */
static CardanStatus read_measures(const CardanModel *model, const CrdActions *actions, CrdSystem *system, bool dynamic,
                                  CrdError *error) {
    const CrdStructure *structure = model->structure;
    int first = crd_law_measures(structure);
    for (int i = 0; i < structure->law_measure_count; i++) {
        const CrdLawMeasure *it = &structure->law_measures[i];
        if (structure->has_dynamic && crd_is_dynamic(model->description, it) != dynamic) continue;
        CRD_TRY(crd_measure_value(model, actions, system, it, &system->law_values[first + i], error));
        system->law_jets[first + i].x = system->law_values[first + i];
    }
    return CARDAN_OK;
}

CardanStatus crd_law_input(const CardanModel *model, const CrdActions *actions, CrdSystem *system, CrdError *error) {
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
    assert(x + structure->law_measure_count == system->law_values + crd_law_variables(structure));
    for (int i = 0; i < crd_law_variables(structure); i++)
        system->law_jets[i] = (CrdJet){system->law_values[i], 0.0, 0.0};
    CRD_TRY(read_measures(model, actions, system, false, error));
    return structure->has_dynamic ? read_measures(model, actions, system, true, error) : CARDAN_OK;
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

void crd_force_frames(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                      CrdForceScene *scene) {
    const CrdForceData *force = &model->values.forces[index];
    const CrdForceStructure *structure = &model->structure->force_structures[index];
    assert(index >= 0 && index < model->structure->force_count);
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
}

CardanStatus crd_force_scene(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                             CrdForceScene *scene, CrdError *error) {
    assert(system->law_values[CRD_LAW_TIME] == system->t); /* crd_law_input came before */
    crd_force_frames(model, index, actions, system, scene);
    return crd_force_scene_values(model, index, system, scene, error);
}

CardanStatus crd_force_scene_values(const CardanModel *model, int index, CrdSystem *system, CrdForceScene *scene,
                                    CrdError *error) {
    CardanStatus status = values_of(model, index, system, scene);
    return status >= 0 ? CARDAN_OK : crd_force_failed(model, index, system, scene, status, error);
}

/* Derivatives of values that follow laws of their own. */
static CardanStatus change_values(const CardanModel *model, int index, CrdSystem *system, CrdForceScene *scene) {
    CrdExpr *const *laws = &model->structure->laws[CRD_FORCE_LAWS * index];
    memset(scene->value_change, 0, sizeof scene->value_change);
    if (model->values.forces[index].scope != CRD_LAW_OF_STATE) return CARDAN_OK;
    const CrdSide *sides = scene->input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        if (laws[k] == NULL) continue;
        CrdJet value;
        scene->law = k;
        CRD_TRY(crd_expr_held_slope(laws[k], system->law_jets, sides, &value, &scene->inner));
        if (sides != NULL) sides += crd_expr_kink_count(laws[k]);
        scene->value_change[k] = value.d1;
    }
    return CARDAN_OK;
}

CardanStatus crd_force_scene_along(const CardanModel *model, int index, CrdSystem *system, CrdForceScene *scene) {
    const CrdStructure *structure = model->structure;
    const CrdForceStructure *it = &structure->force_structures[index];
    const CrdForceData *force = &model->values.forces[index];
    scene->input.changes = system->changes;
    scene->input.value_change = scene->value_change;
    scene->input.coordinate_change = &scene->coordinate_change;
    scene->input.law_jets = system->law_jets;
    scene->input.z_change = scene->z_change;
    scene->input.gathered_changes = system->gathered_changes;
    for (int i = 0; i < it->states; i++)
        scene->z_change[i] = system->law_jets[crd_law_states(structure) + it->state + i].d1;
    if (force->joint > 0) {
        int e = structure->element_of_joint[force->joint - 1];
        CrdPair pair = crd_pair_of(structure, system, e);
        crd_joint_coordinate_change(crd_force_coordinate(model, index), &model->values.joints[e], &pair,
                                    &system->changes[scene->input.joint_a], &system->changes[scene->input.joint_b],
                                    &scene->coordinate_change);
    }
    return change_values(model, index, system, scene);
}
