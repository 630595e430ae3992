#include "tangent/slope.h"

#include "equations/measures.h"

#include <assert.h>

/* Component of a frame's twist that velocity k of a body is. */
static int component(const CrdBlock *block, int k) {
    assert(k >= 0);
    return block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k;
}

bool crd_slope_along(CrdDynamics *dynamics, const CrdLawMeasure *it, int frame, const CrdBlock *block, int k,
                     bool velocity, double *slope) {
    assert(block->kind != CRD_CUSTOM_BLOCK);
    int place = component(block, k) + (velocity ? 6 : 0);
    double *component_of = crd_change_component(&dynamics->system.changes[frame], place);
    *component_of = 1.0;
    CardanStatus status =
        crd_measure_slope(dynamics->model, &dynamics->actions, &dynamics->system, it, slope, dynamics->error);
    *component_of = 0.0;
    if (status < 0) crd_error_clear(dynamics->error); /* differences say why */
    return status >= 0;
}

int crd_slope_frame(const CardanModel *model, const CrdLawMeasure *it, int i) {
    assert(i >= 0);
    const CrdStructure *structure = model->structure;
    if (crd_measures[it->measure].of == CRD_OF_FORCE) {
        const CrdForceStructure *force = &structure->force_structures[it->object];
        return i < force->own_frames ? structure->force_frames[force->frame + i] : -1;
    }
    if (crd_measures[it->measure].of == CRD_OF_JOINT) return i < 2 ? crd_element_frame(structure, it->object, i) : -1;
    int places[2] = {it->object, it->other};
    for (int k = 0; k < 2; k++)
        if (places[k] >= structure->frame_count)
            places[k] = model->values.markers[places[k] - structure->frame_count].frame;
    bool two = crd_measures[it->measure].of == CRD_OF_PAIR && places[0] != places[1];
    return i < (two ? 2 : 1) ? places[i] : -1;
}

bool crd_has_slope(const CardanModel *model, const CrdLawMeasure *it) {
    const CrdMeasureRecord *record = &crd_measures[it->measure];
    if (it->measure == CRD_OFFERED) return !crd_is_dynamic(model->description, it);
    if (record->of == CRD_OF_JOINT && model->structure->elements[it->object].type != CRD_ELEMENT_JOINT) return false;
    return record->in_laws;
}
