/* One look along each component of the frames that the measure depends on. Of a frame of a custom block with Jacobian J
 * coordinate j moves it by column j of J and its twist by that of (J v)_q (block_derivatives.h). */
#include "equations/measure_gradient.h"
#include "equations/element.h"

#include "equations/block_derivatives.h"
#include "equations/force_derivatives.h"

#include <assert.h>

typedef struct Look {
    const CrdScene *scene;
    const CrdActions *actions;
    CrdSystem *system;
    const CrdLawMeasure *it;
    int law_force; /* whose laws' measures change too; -1: none */
    CrdGradientVisit visit;
    void *user;
    CrdError *error;
} Look;

bool crd_has_gradient(const CardanModel *model, const CrdLawMeasure *it) {
    const CrdMeasureRecord *record = &crd_measures[it->measure];
    if (record->of == CRD_OF_JOINT && model->structure->elements[it->object].type > CRD_ELEMENT_COUPLER) return false;
    return it->measure == CRD_OFFERED || record->in_laws;
}

/* Along what stands in system->changes and the jets of states. */
static CardanStatus look_along(const Look *look, CrdGradientBy by, int index) {
    const CardanModel *model = look->scene->model;
    CrdDual columns[CRD_COLUMNS];
    if (look->law_force >= 0)
        CRD_TRY(crd_change_measures(model, look->law_force, look->actions, look->system, look->error));
    CRD_TRY(crd_measure_columns(model, look->actions, look->system, look->it, true, columns, look->error));
    return look->visit(look->user, by, index, columns) ? CARDAN_OK : crd_fail_memory(look->error);
}

static CardanStatus along_body(const Look *look, const CrdBlock *block, int frame) {
    CrdChange *change = &look->system->changes[frame];
    for (int k = 0; k < 2 * block->nv; k++) {
        int own = k % block->nv, side = k / block->nv;
        double *unit = crd_change_component(change, 6 * side + crd_twist_component(block, own));
        *unit = 1.0;
        CardanStatus status = look_along(look, side == 0 ? CRD_BY_DISPLACEMENT : CRD_BY_VELOCITY, block->v + own);
        *unit = 0.0;
        if (status < 0) return status;
    }
    return CARDAN_OK;
}

static void add_column(CrdChange *change, int first, const double *matrix, int width, int column) {
    for (int r = 0; r < 6; r++) *crd_change_component(change, first + r) = matrix[r * width + column];
}

static CardanStatus along_custom(const Look *look, const CrdBlock *block, int frame) {
    CrdSystem *system = look->system;
    const double *jacobian = system->frame_jacobian + look->scene->model->structure->frames[frame].jacobian;
    assert(block->kind == CRD_CUSTOM_BLOCK);
    CRD_TRY(crd_frame_gradient(look->scene, frame, system, system->frame_gradient, look->error));
    for (int k = 0; k < 2 * block->nv; k++) {
        int own = k % block->nv;
        bool displacement = k < block->nv;
        CrdChange *change = &system->changes[frame];
        add_column(change, displacement ? 0 : 6, jacobian, block->nv, own);
        if (displacement) add_column(change, 6, system->frame_gradient, block->nv, own);
        CardanStatus status = look_along(look, displacement ? CRD_BY_DISPLACEMENT : CRD_BY_VELOCITY, block->v + own);
        *change = (CrdChange){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        if (status < 0) return status;
    }
    return CARDAN_OK;
}

/* A coupler may have a frame several times. */
static bool came_before(const CardanModel *model, const CrdLawMeasure *it, int frame, int i) {
    for (int k = 0; crd_measures[it->measure].of == CRD_OF_JOINT && k < i; k++)
        if (crd_measured_frame(model, it, k) == frame) return true;
    return false;
}

static CardanStatus along_frames(const Look *look) {
    const CardanModel *model = look->scene->model;
    const CrdStructure *structure = model->structure;
    for (int i = 0, frame; (frame = crd_measured_frame(model, look->it, i)) >= 0; i++) {
        int block = structure->frames[frame].block;
        if (block < 0 || came_before(model, look->it, frame, i)) continue;
        const CrdBlock *moving = &structure->blocks[block];
        CRD_TRY(moving->kind == CRD_CUSTOM_BLOCK ? along_custom(look, moving, frame) : along_body(look, moving, frame));
    }
    return CARDAN_OK;
}

static CardanStatus along_states(const Look *look) {
    const CrdStructure *structure = look->scene->model->structure;
    if (look->law_force < 0) return CARDAN_OK;
    const CrdForceStructure *force = &structure->force_structures[look->law_force];
    for (int i = 0; i < force->reads; i++) {
        int state = structure->force_states[force->read + i];
        double *unit = &look->system->law_jets[crd_law_states(structure) + state].d1;
        *unit = 1.0;
        CardanStatus status = look_along(look, CRD_BY_STATE, state);
        *unit = 0.0;
        if (status < 0) return status;
    }
    return CARDAN_OK;
}

CardanStatus crd_measure_gradient(const CrdScene *scene, const CrdActions *actions, CrdSystem *system,
                                  const CrdLawMeasure *it, CrdGradientVisit visit, void *user, CrdError *error) {
    assert(scene->model->structure->tree == NULL && crd_has_gradient(scene->model, it));
    bool dynamic = crd_is_dynamic(scene->model->description, it);
    Look look = {scene, actions, system, it, dynamic ? it->object : -1, visit, user, error};
    CardanStatus status = along_frames(&look);
    if (status >= 0) status = along_states(&look);
    if (dynamic) crd_still_measures(scene->model, it->object, system);
    return status;
}
