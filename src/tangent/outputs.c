/* What can be read of a linearised system: channels, as rows of C. Places, velocities and coordinates have exact
 * derivatives, from the tangents of their measures; the others are left to differences. */
#include "tangent/linear.h"

#include "sim/channel.h"
#include "tangent/slope.h"

#include <assert.h>
#include <string.h>

/* Adds the row of a measure over one frame; false: it is one of a custom block. */
static bool add_frame(const CardanLinear *linear, const CrdTangent *tangent, const CrdLawMeasure *it, int row,
                      int frame, CrdEntries *entries) {
    const CrdStructure *structure = tangent->structure;
    if (structure->frames[frame].block < 0) return true;
    const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
    if (block->kind == CRD_CUSTOM_BLOCK) return false;
    CrdDynamics *dynamics = &tangent->sim->integrator.dynamics;
    for (int k = 0; k < block->nv; k++) {
        double x, v;
        if (!crd_slope_along(dynamics, it, frame, block, k, false, &x) ||
            !crd_slope_along(dynamics, it, frame, block, k, true, &v))
            return false;
        if (x != 0.0) crd_entries_add(entries, row, block->v + k, x);
        if (v != 0.0) crd_entries_add(entries, row, linear->nv + block->v + k, v);
    }
    return true;
}

static bool add_exact(const CardanLinear *linear, const CrdTangent *tangent, CardanChannel channel, int row,
                      CrdEntries *entries) {
    const CardanModel *model = tangent->sim->model;
    const CrdLawMeasure it = {(CrdMeasure)channel.measure, channel.object, channel.other};
    int kept = entries->count;
    bool exact = channel.width == 1 && crd_has_slope(model, &it);
    for (int i = 0, frame; exact && (frame = crd_slope_frame(model, &it, i)) >= 0; i++)
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
