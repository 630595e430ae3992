/* What can be read of a linearised system: channels, as rows of C. Places, velocities and coordinates have exact
 * derivatives, from the tangents of their measures; the others are left to differences. */
#include "tangent/linear.h"

#include "build/parameters.h"
#include "joint/change.h"
#include "sim/channel.h"

#include <assert.h>
#include <string.h>

/* Component of a frame's twist that velocity k of a body is. */
static int component(const CrdBlock *block, int k) {
    return block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k;
}

/* Derivative of a channel along a change of one component of one frame. */
static double derivative(const CrdTangent *tangent, CardanChannel channel, int frame, int k) {
    const CardanModel *model = tangent->sim->model;
    const CrdSystem *system = &tangent->sim->integrator.dynamics.system;
    const CrdMeasureRecord *record = &crd_measures[channel.measure];
    CrdChange change = {0}, none = {0};
    *crd_change_component(&change, k) = 1.0;
    if ((record->of & CRD_OF_BODY) != 0)
        return crd_measure_frame_change((CrdMeasure)channel.measure, &system->frames[frame], &change);
    CrdPair pair = crd_pair_of(tangent->structure, system, channel.object);
    bool first = crd_element_frame(tangent->structure, channel.object, 0) == frame;
    CrdCoordinate out;
    crd_joint_coordinate_change(record->coordinate, &model->values.joints[channel.object], &pair,
                                first ? &change : &none, first ? &none : &change, &out);
    return crd_measure_joint((CrdMeasure)channel.measure, &out);
}

/* Adds the row of a channel over one frame; false: it is one of a custom block. */
static bool add_frame(const CardanLinear *linear, const CrdTangent *tangent, CardanChannel channel, int row, int frame,
                      CrdEntries *entries) {
    const CrdStructure *structure = tangent->structure;
    if (structure->frames[frame].block < 0) return true;
    const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
    if (block->kind == CRD_CUSTOM_BLOCK) return false;
    for (int k = 0; k < block->nv; k++) {
        double x = derivative(tangent, channel, frame, component(block, k));
        double v = derivative(tangent, channel, frame, 6 + component(block, k));
        if (x != 0.0) crd_entries_add(entries, row, block->v + k, x);
        if (v != 0.0) crd_entries_add(entries, row, linear->nv + block->v + k, v);
    }
    return true;
}

static bool add_exact(const CardanLinear *linear, const CrdTangent *tangent, CardanChannel channel, int row,
                      CrdEntries *entries) {
    const CrdMeasureRecord *record = &crd_measures[channel.measure];
    const CrdStructure *structure = tangent->structure;
    if (!record->in_laws || channel.width != 1) return false;
    bool body = (record->of & CRD_OF_BODY) != 0 && channel.object < structure->frame_count;
    if (body && channel.measure <= CRD_YAW) return add_frame(linear, tangent, channel, row, channel.object, entries);
    if (record->of != CRD_OF_JOINT || record->coordinate == CARDAN_COORDINATE_NONE) return false;
    int kept = entries->count;
    bool exact = structure->elements[channel.object].type == CRD_ELEMENT_JOINT;
    for (int side = 0; exact && side < 2; side++)
        exact = add_frame(linear, tangent, channel, row, crd_element_frame(structure, channel.object, side), entries);
    if (!exact) entries->count = kept;
    return exact;
}

static CardanStatus find(const CardanSim *sim, const char *name, CardanChannel *channel, CrdError *error) {
    const CrdDescription *description = sim->model->description;
    char sentence[CRD_MESSAGE_SIZE - 128];
    if (cardan_model_find_channel(sim->model, name, channel, sentence, sizeof sentence) >= 0) return CARDAN_OK;
    unsigned kinds = 1u << CRD_NAME_JOINT | 1u << CRD_NAME_FORCE | 1u << CRD_NAME_BODY;
    size_t length = strcspn(name, ".");
    const char *near = crd_nearest_of(description, kinds, name, length);
    bool itself = near != NULL && strlen(near) == length && strncmp(near, name, length) == 0;
    return crd_fail(error, CARDAN_ERR_MODEL, "%s%s", sentence, itself ? "" : crd_did_you_mean(near).text);
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
