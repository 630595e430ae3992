/* What can be read of a linearised system: channels, as rows of C. Places, velocities and coordinates have exact
 * derivatives, from the tangents of their measures; the others are left to differences. */
#include "tangent/linear.h"

#include "equations/measures.h"
#include "sim/channel.h"

#include <assert.h>
#include <string.h>

/* Component of a frame's twist that velocity k of a body is. */
static int component(const CrdBlock *block, int k) {
    assert(k >= 0);
    return block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k;
}

/* Derivative of a measure along a change of one component of one frame. */
static bool derivative(const CrdTangent *tangent, const CrdLawMeasure *it, int frame, int k, double *slope) {
    CrdDynamics *dynamics = &tangent->sim->integrator.dynamics;
    double *component_of = crd_change_component(&dynamics->system.changes[frame], k);
    *component_of = 1.0;
    CardanStatus status =
        crd_measure_slope(dynamics->model, &dynamics->actions, &dynamics->system, it, slope, dynamics->error);
    *component_of = 0.0;
    if (status < 0) crd_error_clear(dynamics->error); /* differences say why */
    return status >= 0;
}

/* Adds the row of a measure over one frame; false: it is one of a custom block. */
static bool add_frame(const CardanLinear *linear, const CrdTangent *tangent, const CrdLawMeasure *it, int row,
                      int frame, CrdEntries *entries) {
    const CrdStructure *structure = tangent->structure;
    if (structure->frames[frame].block < 0) return true;
    const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
    if (block->kind == CRD_CUSTOM_BLOCK) return false;
    for (int k = 0; k < block->nv; k++) {
        double x, v;
        if (!derivative(tangent, it, frame, component(block, k), &x) ||
            !derivative(tangent, it, frame, 6 + component(block, k), &v))
            return false;
        if (x != 0.0) crd_entries_add(entries, row, block->v + k, x);
        if (v != 0.0) crd_entries_add(entries, row, linear->nv + block->v + k, v);
    }
    return true;
}

/* The frames that a measure depends on, number i of them; -1: there are no more. */
static int frame_of(const CardanModel *model, const CrdLawMeasure *it, int i) {
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

/* Of what laws may read, but for what a force does by laws of its own. */
static bool has_slope(const CardanModel *model, const CrdLawMeasure *it) {
    const CrdMeasureRecord *record = &crd_measures[it->measure];
    if (it->measure == CRD_OFFERED) return !crd_is_dynamic(model->description, it);
    if (record->of == CRD_OF_JOINT && model->structure->elements[it->object].type != CRD_ELEMENT_JOINT) return false;
    return record->in_laws;
}

static bool add_exact(const CardanLinear *linear, const CrdTangent *tangent, CardanChannel channel, int row,
                      CrdEntries *entries) {
    const CardanModel *model = tangent->sim->model;
    const CrdLawMeasure it = {(CrdMeasure)channel.measure, channel.object, channel.other};
    int kept = entries->count;
    bool exact = channel.width == 1 && has_slope(model, &it);
    for (int i = 0, frame; exact && (frame = frame_of(model, &it, i)) >= 0; i++)
        exact = add_frame(linear, tangent, &it, row, frame, entries);
    if (!exact) entries->count = kept;
    return exact;
}

static CardanStatus find(const CardanSim *sim, const char *name, CardanChannel *channel, CrdError *error) {
    char sentence[CRD_MESSAGE_SIZE - 128];
    if (cardan_model_find_channel(sim->model, name, channel, sentence, sizeof sentence) >= 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "%s", sentence);
}

static CardanStatus find_all(CardanLinear *linear, CardanSim *sim, int count, const char *const *name) {
    linear->channel = crd_new((size_t)count, sizeof *linear->channel);
    if (linear->channel == NULL) return crd_fail_memory(&sim->error);
    linear->channels = count;
    for (int i = 0; i < count; i++) {
        CRD_TRY(find(sim, name[i], &linear->channel[i], &sim->error));
        linear->outputs += linear->channel[i].width;
    }
    linear->exact = crd_new((size_t)linear->outputs, sizeof *linear->exact);
    return linear->exact == NULL ? crd_fail_memory(&sim->error) : CARDAN_OK;
}

CardanStatus crd_linear_outputs(CardanLinear *linear, const CrdTangent *tangent, int count, const char *const *name) {
    CardanSim *sim = tangent->sim;
    const double *y = sim->integrator.stepper.y;
    CrdEntries entries = {0};
    CRD_TRY(find_all(linear, sim, count, name));
    CRD_TRY(crd_integrator_evaluate_constraints(&sim->integrator, sim->integrator.stepper.t, y));
    for (int i = 0, row = 0; i < count; row += linear->channel[i++].width) {
        linear->exact[row] = add_exact(linear, tangent, linear->channel[i], row, &entries);
        if (linear->exact[row] || linear->form == CARDAN_LINEAR_MINIMAL) continue;
        crd_delete(entries.entry);
        return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                        "output '%s' has no exact derivative, which the descriptor form needs; places, velocities and "
                        "joint coordinates have one, and the minimal form takes any channel",
                        name[i]);
    }
    return crd_compressed_create(&entries, linear->outputs, linear->size, &linear->c, &sim->error);
}
