/* Each column is what the kernel's `along` gives for a unit change: of a frame, of its motion, of a state. Laws follow
 * by the derivatives of the measures they read. */
#include "equations/force_derivatives.h"

#include "equations/force_look.h"
#include "equations/measures.h"

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

/* In an order in which each stands behind those it depends on. */
CardanStatus crd_change_measures(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                 CrdError *error) {
    const CrdStructure *structure = model->structure;
    const CrdForceStructure *force = &structure->force_structures[index];
    for (int i = 0; i < force->measures; i++) {
        int number = structure->force_measures[force->measure + i];
        assert(number >= 0 && number < structure->law_measure_count);
        CRD_TRY(crd_measure_slope(model, actions, system, &structure->law_measures[number],
                                  &system->law_jets[crd_law_measures(structure) + number].d1, error));
    }
    return CARDAN_OK;
}

void crd_still_measures(const CardanModel *model, int index, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    const CrdForceStructure *force = &structure->force_structures[index];
    CrdJet *jets = system->law_jets, *measures = jets + crd_law_measures(structure);
    for (int i = 0; i < force->measures; i++) measures[structure->force_measures[force->measure + i]].d1 = 0.0;
    jets[CRD_LAW_X].d1 = jets[CRD_LAW_V].d1 = 0.0;
    assert(nothing_changes(structure, system));
}

/* Changes of all loads and rates along what stands in system->changes, scene.z_change and the jets of states. */
CardanStatus crd_look_along(CrdForceLook *work, double *rates) {
    const CrdForceStructure *structure = work->structure;
    const int *frame = work->model->structure->force_frames + structure->frame;
    CrdLoads change = {.load = work->w->load_changes, .z_rate = rates};
    if (!work->still) CRD_TRY(crd_change_measures(work->model, work->index, work->actions, work->w, work->error));
    memset(work->w->load_changes[0], 0, sizeof *work->w->load_changes); /* of the ground */
    for (int i = 0; i < structure->frames; i++)
        memset(work->w->load_changes[frame[i]], 0, sizeof *work->w->load_changes);
    CardanStatus status = crd_force_scene_along(work->model, work->index, work->w, &work->scene);
    const CrdForceData *force = &work->model->values.forces[work->index];
    if (status >= 0) status = crd_force_kinds[force->type]->along(force, &work->scene.input, &change);
    if (status >= 0) return CARDAN_OK;
    return crd_force_failed(work->model, work->index, work->w, &work->scene, status, work->error);
}

static void put_column(const CrdForceLook *work, const double *rates, double *loads, double *rate_rows, int width,
                       int column) {
    assert(column >= 0 && column < width);
    const int *frame = work->model->structure->force_frames + work->structure->frame;
    for (int i = 0; i < work->structure->frames; i++)
        for (int r = 0; r < 6; r++)
            loads[(size_t)(6 * i + r) * (size_t)width + (size_t)column] = work->w->load_changes[frame[i]][r];
    for (int i = 0; i < work->structure->states; i++) rate_rows[(size_t)i * (size_t)width + (size_t)column] = rates[i];
}

/* Columns of components that do not exist in the plane are zero. */
static CardanStatus frame_column(CrdForceLook *work, double *unit, bool exists, double *rates) {
    const int *frame = work->model->structure->force_frames + work->structure->frame;
    if (!exists) {
        for (int i = 0; i < work->structure->frames; i++)
            memset(work->w->load_changes[frame[i]], 0, sizeof *work->w->load_changes);
        return CARDAN_OK;
    }
    *unit = 1.0;
    CardanStatus status = crd_look_along(work, rates);
    *unit = 0.0;
    return status;
}

static CardanStatus frame_columns(CrdForceLook *work, CrdLoadDerivatives *out) {
    const CrdStructure *structure = work->model->structure;
    int width = 6 * work->structure->frames;
    for (int column = 0; column < 2 * width; column++) {
        int place = column % width, k = place % 6 + (column < width ? 0 : 6);
        double rates[CRD_FORCE_STATES] = {0};
        double *unit =
            crd_change_component(&work->w->changes[structure->force_frames[work->structure->frame + place / 6]], k);
        CRD_TRY(frame_column(work, unit, crd_change_exists(structure->space, k), rates));
        bool position = column < width;
        put_column(work, rates, position ? out->displacement : out->twist,
                   position ? out->rate_displacement : out->rate_twist, width, place);
    }
    return CARDAN_OK;
}

static CardanStatus state_columns(CrdForceLook *work, CrdLoadDerivatives *out) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->reads; i++) {
        int state = structure->force_states[work->structure->read + i];
        double rates[CRD_FORCE_STATES] = {0}, *jet = &work->w->law_jets[crd_law_states(structure) + state].d1;
        *jet = 1.0;
        CardanStatus status = crd_look_along(work, rates);
        *jet = 0.0;
        if (status < 0) return status;
        put_column(work, rates, out->state, out->rate_state, work->structure->reads, i);
    }
    return CARDAN_OK;
}

/* The scene of a force made ready for derivatives. */
CardanStatus crd_look_begin(CrdForceLook *work) {
    assert(work->index >= 0 && work->index < work->model->structure->force_count);
    assert(nothing_changes(work->model->structure, work->w));
    return crd_force_scene(work->model, work->index, work->actions, work->w, &work->scene, work->error);
}

/* Jets as crd_law_input left them. */
void crd_look_end(CrdForceLook *work) {
    crd_still_measures(work->model, work->index, work->w);
}

CardanStatus crd_force_derivatives(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                   CrdLoadDerivatives *out, CrdError *error) {
    const CrdForceStructure *structure = &model->structure->force_structures[index];
    assert(out->displacement != NULL);
    CrdForceLook work = {
        .model = model, .index = index, .structure = structure, .w = system, .actions = actions, .error = error};
    CRD_TRY(crd_look_begin(&work));
    out->frames = structure->frames;
    out->frame = model->structure->force_frames + structure->frame;
    out->reads = structure->reads;
    out->read = structure->reads > 0 ? model->structure->force_states + structure->read : NULL;
    out->states = structure->states;
    CardanStatus status = frame_columns(&work, out);
    if (status >= 0) status = state_columns(&work, out);
    crd_look_end(&work);
    return status;
}
