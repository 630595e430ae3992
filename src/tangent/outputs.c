/* What can be read of a linearised system: channels, as rows of C. Places, velocities and coordinates have exact
 * derivatives, from the tangents of their measures; the others are left to differences. */
#include "tangent/linear.h"

#include "equations/force_scene.h"
#include "equations/measure_gradient.h"
#include "sim/channel.h"

/* Where the derivatives of a channel go: one row for each of its columns. */
typedef struct Rows {
    const CardanLinear *linear;
    const CardanChannel *channel;
    int row;
    CrdEntries *entries;
} Rows;

static bool add_slopes(void *user, CrdGradientBy by, int index, const CrdDual *columns) {
    const Rows *rows = user;
    const int first[] = {
        [CRD_BY_DISPLACEMENT] = 0, [CRD_BY_VELOCITY] = rows->linear->nv, [CRD_BY_STATE] = 2 * rows->linear->nv};
    int skip = rows->channel->column > 0 ? rows->channel->column - 1 : 0;
    for (int k = 0; k < rows->channel->width; k++)
        if (columns[skip + k].d != 0.0)
            crd_entries_add(rows->entries, rows->row + k, first[by] + index, columns[skip + k].d);
    return true; /* entries remember that there was no room */
}

/* Differences say why where there are none. */
static bool add_exact(const CardanLinear *linear, const CrdTangent *tangent, const CardanChannel *channel, int row,
                      CrdEntries *entries) {
    CrdDynamics *dynamics = &tangent->sim->integrator.dynamics;
    const CardanModel *model = tangent->sim->model;
    const CrdLawMeasure it = crd_channel_measure(*channel);
    const double *y = tangent->sim->integrator.stepper.y;
    CrdScene scene = {model, y, y + model->structure->nq};
    Rows rows = {linear, channel, row, entries};
    int kept = entries->count;
    bool dynamic = crd_is_dynamic(model->description, &it); /* then inputs may act on it at once */
    if (!crd_has_gradient(model, &it) || (dynamic && model->structure->input_count > 0)) return false;
    CardanStatus status = CARDAN_OK;
    if (dynamic) status = crd_law_input(model, &dynamics->actions, &dynamics->system, dynamics->error);
    if (status >= 0)
        status = crd_measure_gradient(&scene, &dynamics->actions, &dynamics->system, &it, add_slopes, &rows,
                                      dynamics->error);
    if (status >= 0) return true;
    crd_error_clear(dynamics->error);
    entries->count = kept;
    return false;
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
        bool exact = add_exact(linear, tangent, &linear->channel[i], row, &entries);
        for (int k = 0; k < linear->channel[i].width; k++) linear->exact[row + k] = exact;
        if (exact || linear->form == CARDAN_LINEAR_MINIMAL) continue;
        crd_delete(entries.entry);
        return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                        "output '%s' has no exact derivative, which the descriptor form needs; places, velocities and "
                        "joint coordinates have one, and the minimal form takes any channel",
                        name[i]);
    }
    return crd_compressed_create(&entries, linear->outputs, linear->size, &linear->c, &sim->error);
}
