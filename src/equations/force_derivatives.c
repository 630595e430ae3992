/* Each column is what the kernel's `along` gives for a unit change: of a frame, of its motion, of a state. Laws follow
 * by the derivatives of the measures they read. */
#include "equations/force_derivatives.h"

#include "equations/force_scene.h"

#include <assert.h>
#include <string.h>

void crd_load_derivatives_layout(CrdLoadDerivatives *out, const CrdStructure *structure, CrdArena *arena) {
    size_t n = 6 * (size_t)structure->max_touched, reads = (size_t)structure->max_read, real = sizeof(double);
    out->displacement = crd_take(arena, n * n, real);
    out->twist = crd_take(arena, n * n, real);
    out->state = crd_take(arena, n * reads, real);
    out->rate_displacement = crd_take(arena, CRD_FORCE_STATES * n, real);
    out->rate_twist = crd_take(arena, CRD_FORCE_STATES * n, real);
    out->rate_state = crd_take(arena, CRD_FORCE_STATES * reads, real);
}

#ifndef NDEBUG
/* What a derivative is taken along is set for it alone and cleared again. */
static bool nothing_changes(const CrdStructure *structure, const CrdSystem *system) {
    static const CrdChange NONE = {0};
    for (int i = 0; i < structure->frame_count; i++)
        if (memcmp(&system->changes[i], &NONE, sizeof NONE) != 0) return false;
    for (int i = 0; i < crd_law_variables(structure); i++)
        if (system->law_jets[i].d1 != 0.0) return false;
    return true;
}
#endif

typedef struct Work {
    const CardanModel *model;
    int index;
    const CrdForceStructure *structure;
    CrdSystem *w;
    CrdForceScene scene;
    CrdError *error;
} Work;

/* Derivatives of the measures that the laws read. */
static void change_measures(Work *work) {
    const CardanModel *model = work->model;
    const CrdStructure *structure = model->structure;
    CrdSystem *system = work->w;
    for (int i = 0; i < work->structure->measures; i++) {
        int number = structure->force_measures[work->structure->measure + i];
        assert(number >= 0 && number < structure->law_measure_count);
        CrdMeasure measure = structure->law_measures[number].measure;
        int object = structure->law_measures[number].object;
        double *slope = &system->law_jets[crd_law_measures(structure) + number].d1;
        if (crd_measures[measure].of == CRD_OF_BODY) {
            *slope = crd_measure_body_change(measure, &system->frames[object], &system->changes[object]);
        } else if (crd_measures[measure].of == CRD_OF_SPRING) {
            const CrdForceData *force = &model->values.forces[object];
            *slope = crd_force_kinds[force->type]->length_change(force, system->frames, system->changes);
        } else {
            assert(crd_measures[measure].of == CRD_OF_JOINT);
            CrdCoordinate change;
            CrdPair pair = crd_pair_of(structure, system, object);
            const CrdChange *a = &system->changes[crd_element_frame(structure, object, 0)];
            const CrdChange *b = &system->changes[crd_element_frame(structure, object, 1)];
            const CrdJointData *joint = &model->values.joints[object];
            crd_joint_coordinate_change(crd_measures[measure].coordinate, joint, &pair, a, b, &change);
            *slope = crd_measure_joint(measure, &change);
        }
    }
}

/* Derivatives of values that follow laws of their own. */
static CardanStatus change_values(Work *work) {
    const CrdForceData *force = &work->model->values.forces[work->index];
    CrdExpr *const *laws = &work->model->structure->laws[CRD_FORCE_LAWS * work->index];
    memset(work->scene.value_change, 0, sizeof work->scene.value_change);
    if (force->scope != CRD_LAW_OF_STATE) return CARDAN_OK;
    const CrdSide *sides = work->scene.input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        if (laws[k] == NULL) continue;
        CrdJet value;
        work->scene.law = k;
        CRD_TRY(crd_expr_held_slope(laws[k], work->w->law_jets, sides, &value, &work->scene.inner));
        if (sides != NULL) sides += crd_expr_kink_count(laws[k]);
        work->scene.value_change[k] = value.d1;
    }
    return CARDAN_OK;
}

static void change_coordinate(Work *work) {
    const CrdForceData *force = &work->model->values.forces[work->index];
    if (force->joint == 0) return;
    const CrdStructure *structure = work->model->structure;
    int e = structure->element_of_joint[force->joint - 1];
    CrdPair pair = crd_pair_of(structure, work->w, e);
    crd_joint_coordinate_change(crd_force_coordinate(work->model, work->index), &work->model->values.joints[e], &pair,
                                &work->w->changes[work->scene.input.joint_a],
                                &work->w->changes[work->scene.input.joint_b], &work->scene.coordinate_change);
}

/* Changes of all loads and rates along what stands in system->changes, scene.z_change and the jets of states. */
static CardanStatus look_along(Work *work, double *rates) {
    const CrdForceStructure *structure = work->structure;
    const int *frame = work->model->structure->force_frames + structure->frame;
    CrdLoads change = {.load = work->w->load_changes, .z_rate = rates};
    memset(work->w->load_changes[0], 0, sizeof *work->w->load_changes); /* of the ground */
    for (int i = 0; i < structure->frames; i++)
        memset(work->w->load_changes[frame[i]], 0, sizeof *work->w->load_changes);
    change_measures(work);
    change_coordinate(work);
    CardanStatus status = change_values(work);
    const CrdForceData *force = &work->model->values.forces[work->index];
    if (status >= 0) status = crd_force_kinds[force->type]->along(force, &work->scene.input, &change);
    if (status >= 0) return CARDAN_OK;
    return crd_force_failed(work->model, work->index, work->w, &work->scene, status, work->error);
}

static void put_column(const Work *work, const double *rates, double *loads, double *rate_rows, int width, int column) {
    assert(column >= 0 && column < width);
    const int *frame = work->model->structure->force_frames + work->structure->frame;
    for (int i = 0; i < work->structure->frames; i++)
        for (int r = 0; r < 6; r++)
            loads[(size_t)(6 * i + r) * (size_t)width + (size_t)column] = work->w->load_changes[frame[i]][r];
    for (int i = 0; i < work->structure->states; i++) rate_rows[(size_t)i * (size_t)width + (size_t)column] = rates[i];
}

static CardanStatus frame_columns(Work *work, CrdLoadDerivatives *out) {
    const CrdStructure *structure = work->model->structure;
    int width = 6 * work->structure->frames;
    for (int column = 0; column < 2 * width; column++) {
        int place = column % width, k = place % 6 + (column < width ? 0 : 6);
        double rates[CRD_FORCE_STATES] = {0};
        double *unit =
            crd_change_component(&work->w->changes[structure->force_frames[work->structure->frame + place / 6]], k);
        *unit = crd_change_exists(structure->space, k) ? 1.0 : 0.0;
        CardanStatus status = look_along(work, rates);
        *unit = 0.0;
        if (status < 0) return status;
        bool position = column < width;
        put_column(work, rates, position ? out->displacement : out->twist,
                   position ? out->rate_displacement : out->rate_twist, width, place);
    }
    return CARDAN_OK;
}

static CardanStatus state_columns(Work *work, CrdLoadDerivatives *out) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->reads; i++) {
        int state = structure->force_states[work->structure->read + i], own = state - work->structure->state;
        double rates[CRD_FORCE_STATES] = {0}, *jet = &work->w->law_jets[crd_law_states(structure) + state].d1;
        bool is_own = own >= 0 && own < work->structure->states;
        *jet = 1.0;
        if (is_own) work->scene.z_change[own] = 1.0;
        CardanStatus status = look_along(work, rates);
        *jet = 0.0;
        if (is_own) work->scene.z_change[own] = 0.0;
        if (status < 0) return status;
        put_column(work, rates, out->state, out->rate_state, work->structure->reads, i);
    }
    return CARDAN_OK;
}

CardanStatus crd_force_derivatives(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                   CrdLoadDerivatives *out, CrdError *error) {
    const CrdForceStructure *structure = &model->structure->force_structures[index];
    assert(index >= 0 && index < model->structure->force_count && out->displacement != NULL);
    assert(nothing_changes(model->structure, system));
    Work work = {.model = model, .index = index, .structure = structure, .w = system, .error = error};
    CRD_TRY(crd_force_scene(model, index, actions, system, &work.scene, error));
    work.scene.input.changes = system->changes;
    work.scene.input.value_change = work.scene.value_change;
    work.scene.input.coordinate_change = &work.scene.coordinate_change;
    work.scene.input.law_jets = system->law_jets;
    work.scene.input.z_change = work.scene.z_change;
    work.scene.input.gathered_changes = system->gathered_changes;
    out->frames = structure->frames;
    out->frame = model->structure->force_frames + structure->frame;
    out->reads = structure->reads;
    out->read = structure->reads > 0 ? model->structure->force_states + structure->read : NULL;
    out->states = structure->states;
    CardanStatus status = frame_columns(&work, out);
    if (status >= 0) status = state_columns(&work, out);
    for (int i = 0; i < structure->measures; i++) /* as crd_law_input left them */
        system->law_jets[crd_law_measures(model->structure) + model->structure->force_measures[structure->measure + i]]
            .d1 = 0.0;
    system->law_jets[CRD_LAW_X].d1 = system->law_jets[CRD_LAW_V].d1 = 0.0;
    assert(nothing_changes(model->structure, system));
    return status;
}
