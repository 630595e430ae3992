/* Each column is what the kernel's `along` gives for a unit change: of a frame, of its motion, of a state. Laws follow
 * by the derivatives of the measures they read. */
#include "equations/force_derivatives.h"

#include "equations/force_scene.h"
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

typedef struct Work {
    const CardanModel *model;
    int index;
    const CrdForceStructure *structure;
    CrdSystem *w;
    const CrdActions *actions;
    CrdForceScene scene;
    CrdError *error;
} Work;

/* Derivatives of the measures that the laws read, in an order in which each stands behind those it depends on. */
static CardanStatus change_measures(Work *work) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->measures; i++) {
        int number = structure->force_measures[work->structure->measure + i];
        assert(number >= 0 && number < structure->law_measure_count);
        CRD_TRY(crd_measure_slope(work->model, work->actions, work->w, &structure->law_measures[number],
                                  &work->w->law_jets[crd_law_measures(structure) + number].d1, work->error));
    }
    return CARDAN_OK;
}

/* Changes of all loads and rates along what stands in system->changes, scene.z_change and the jets of states. */
static CardanStatus look_along(Work *work, double *rates) {
    const CrdForceStructure *structure = work->structure;
    const int *frame = work->model->structure->force_frames + structure->frame;
    CrdLoads change = {.load = work->w->load_changes, .z_rate = rates};
    memset(work->w->load_changes[0], 0, sizeof *work->w->load_changes); /* of the ground */
    for (int i = 0; i < structure->frames; i++)
        memset(work->w->load_changes[frame[i]], 0, sizeof *work->w->load_changes);
    CRD_TRY(change_measures(work));
    CardanStatus status = crd_force_scene_along(work->model, work->index, work->w, &work->scene);
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

/* Columns of components that do not exist in the plane are zero. */
static CardanStatus frame_column(Work *work, double *unit, bool exists, double *rates) {
    const int *frame = work->model->structure->force_frames + work->structure->frame;
    if (!exists) {
        for (int i = 0; i < work->structure->frames; i++)
            memset(work->w->load_changes[frame[i]], 0, sizeof *work->w->load_changes);
        return CARDAN_OK;
    }
    *unit = 1.0;
    CardanStatus status = look_along(work, rates);
    *unit = 0.0;
    return status;
}

static CardanStatus frame_columns(Work *work, CrdLoadDerivatives *out) {
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

static CardanStatus state_columns(Work *work, CrdLoadDerivatives *out) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->reads; i++) {
        int state = structure->force_states[work->structure->read + i];
        double rates[CRD_FORCE_STATES] = {0}, *jet = &work->w->law_jets[crd_law_states(structure) + state].d1;
        *jet = 1.0;
        CardanStatus status = look_along(work, rates);
        *jet = 0.0;
        if (status < 0) return status;
        put_column(work, rates, out->state, out->rate_state, work->structure->reads, i);
    }
    return CARDAN_OK;
}

/* The scene of a force made ready for derivatives. */
static CardanStatus begin(Work *work) {
    assert(work->index >= 0 && work->index < work->model->structure->force_count);
    assert(nothing_changes(work->model->structure, work->w));
    return crd_force_scene(work->model, work->index, work->actions, work->w, &work->scene, work->error);
}

/* Jets as crd_law_input left them. */
static void end(Work *work) {
    const CrdStructure *structure = work->model->structure;
    CrdJet *jets = work->w->law_jets, *measures = jets + crd_law_measures(structure);
    for (int i = 0; i < work->structure->measures; i++)
        measures[structure->force_measures[work->structure->measure + i]].d1 = 0.0;
    jets[CRD_LAW_X].d1 = jets[CRD_LAW_V].d1 = 0.0;
    assert(nothing_changes(structure, work->w));
}

CardanStatus crd_force_derivatives(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                   CrdLoadDerivatives *out, CrdError *error) {
    const CrdForceStructure *structure = &model->structure->force_structures[index];
    assert(out->displacement != NULL);
    Work work = {
        .model = model, .index = index, .structure = structure, .w = system, .actions = actions, .error = error};
    CRD_TRY(begin(&work));
    out->frames = structure->frames;
    out->frame = model->structure->force_frames + structure->frame;
    out->reads = structure->reads;
    out->read = structure->reads > 0 ? model->structure->force_states + structure->read : NULL;
    out->states = structure->states;
    CardanStatus status = frame_columns(&work, out);
    if (status >= 0) status = state_columns(&work, out);
    end(&work);
    return status;
}

/* ---- products ---- */

/* Component of a frame's twist that velocity k of a body is. */
static int component(const CrdBlock *block, int k) {
    return block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k;
}

static const CrdBlock *block_of(const Work *work, int frame) {
    const CrdStructure *structure = work->model->structure;
    return &structure->blocks[structure->frames[structure->force_frames[work->structure->frame + frame]].block];
}

/* sum += psi times the changes along *unit. */
static CardanStatus product_along(Work *work, double *unit, const double *psi_v, const double *psi_z, double *sum) {
    const int *frame = work->model->structure->force_frames + work->structure->frame;
    double rates[CRD_FORCE_STATES] = {0};
    assert(*unit == 0.0);
    *unit = 1.0;
    CardanStatus status = look_along(work, rates);
    *unit = 0.0;
    for (int i = 0; i < work->structure->frames; i++) {
        const CrdBlock *block = block_of(work, i);
        for (int k = 0; k < block->nv; k++)
            *sum += psi_v[block->v + k] * work->w->load_changes[frame[i]][component(block, k)];
    }
    for (int i = 0; i < work->structure->states; i++) *sum += psi_z[work->structure->state + i] * rates[i];
    return status;
}

static CardanStatus pull(Work *work, const double *psi_v, const double *psi_z, double *const over[3]) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->frames; i++) {
        const CrdBlock *block = block_of(work, i);
        assert(block->kind != CRD_CUSTOM_BLOCK && block->nv <= 6);
        CrdChange *change = &work->w->changes[structure->force_frames[work->structure->frame + i]];
        for (int k = 0; k < 2 * block->nv; k++) {
            int side = k / block->nv, c = k % block->nv;
            CRD_TRY(product_along(work, crd_change_component(change, 6 * side + component(block, c)), psi_v, psi_z,
                                  &over[side][block->v + c]));
        }
    }
    for (int i = 0; i < work->structure->reads; i++) {
        int state = structure->force_states[work->structure->read + i];
        CRD_TRY(product_along(work, &work->w->law_jets[crd_law_states(structure) + state].d1, psi_v, psi_z,
                              &over[2][state]));
    }
    return CARDAN_OK;
}

/* ---- products of forces on a joint's coordinate ----
 *
 * The load is Q(x, v) times the rows of the coordinate x, whose rate is v, so with r = psi rows
 *     psi load_x = Q_x r rows + Q_v r v_x + Q r_x        psi load_v = Q_v r rows
 * and r is the rate of the coordinate with velocities psi: three looks along changes of x, v and rows do. */

/* Reads it nothing else of the motion? */
static bool is_on_coordinate(const Work *work) {
    const CrdForceData *force = &work->model->values.forces[work->index];
    return force->joint > 0 && force->points == 0 && work->structure->measures == 0 && work->structure->reads == 0;
}

/* Loads along a change of the coordinate, into load_changes of its two frames. */
static CardanStatus along_coordinate(Work *work, CrdCoordinate change) {
    const CrdForceData *force = &work->model->values.forces[work->index];
    const CrdForceInput *input = &work->scene.input;
    double rates[CRD_FORCE_STATES] = {0};
    CrdLoads loads = {.load = work->w->load_changes, .z_rate = rates};
    memset(loads.load[input->joint_a], 0, sizeof *loads.load);
    memset(loads.load[input->joint_b], 0, sizeof *loads.load);
    work->scene.coordinate_change = change;
    CardanStatus status = crd_force_kinds[force->type]->along(force, input, &loads);
    if (status >= 0) return CARDAN_OK;
    return crd_force_failed(work->model, work->index, work->w, &work->scene, status, work->error);
}

static double row_product(const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < 6; k++) sum += a[k] * b[k];
    return sum;
}

/* A frame that moves with psi, as a row over its twist; the ground stands still. */
static CardanFrame frame_with(const Work *work, int frame, const double *psi, CardanTwistRow twist) {
    const CrdStructure *structure = work->model->structure;
    CardanFrame out = work->w->frames[frame];
    memset(twist, 0, sizeof(CardanTwistRow));
    if (structure->frames[frame].block >= 0) {
        const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
        assert(block->kind != CRD_CUSTOM_BLOCK);
        for (int k = 0; k < block->nv; k++) twist[component(block, k)] = psi[block->v + k];
    }
    out.v = (CardanVec3){twist[0], twist[1], twist[2]};
    out.w = (CardanVec3){twist[3], twist[4], twist[5]};
    return out;
}

/* Q_x r, Q_v r and Q. */
static CardanStatus coordinate_slopes(Work *work, const double *psi_a, const double *psi_b, double slope[3]) {
    const CrdForceInput *input = &work->scene.input;
    const CrdCoordinate *at = &work->scene.coordinate;
    const double *load_a = work->w->load_changes[input->joint_a], *load_b = work->w->load_changes[input->joint_b];
    double size = row_product(at->a, at->a) + row_product(at->b, at->b);
    assert(size > 0.0);
    CRD_TRY(along_coordinate(work, (CrdCoordinate){.value = 1.0}));
    slope[0] = row_product(psi_a, load_a) + row_product(psi_b, load_b);
    CRD_TRY(along_coordinate(work, (CrdCoordinate){.rate = 1.0}));
    slope[1] = row_product(psi_a, load_a) + row_product(psi_b, load_b);
    CrdCoordinate rows = {0};
    memcpy(rows.a, at->a, sizeof rows.a);
    memcpy(rows.b, at->b, sizeof rows.b);
    CRD_TRY(along_coordinate(work, rows));
    slope[2] = (row_product(at->a, load_a) + row_product(at->b, load_b)) / size;
    return CARDAN_OK;
}

static CardanStatus pull_coordinate(Work *work, const double *psi, double *const over[3]) {
    const CrdStructure *structure = work->model->structure;
    int e = structure->element_of_joint[work->model->values.forces[work->index].joint - 1];
    const CrdJointData *joint = &work->model->values.joints[e];
    CardanCoordinate which = crd_force_coordinate(work->model, work->index);
    const int frames[2] = {work->scene.input.joint_a, work->scene.input.joint_b};
    CrdPair pair = crd_pair_of(structure, work->w, e), moved = pair;
    CardanTwistRow twist[2], motion[2], weight[2]; /* psi; v_x; r_x */
    CardanFrame a = frame_with(work, frames[0], psi, twist[0]), b = frame_with(work, frames[1], psi, twist[1]);
    double slope[3];
    CRD_TRY(crd_force_scene_along(work->model, work->index, work->w, &work->scene)); /* what kernels read */
    CRD_TRY(coordinate_slopes(work, twist[0], twist[1], slope));
    moved.a = &a;
    moved.b = &b;
    crd_joint_coordinate_gradient(which, joint, &pair, motion[0], motion[1]);
    crd_joint_coordinate_gradient(which, joint, &moved, weight[0], weight[1]);
    for (int side = 0; side < 2; side++) {
        if (structure->frames[frames[side]].block < 0) continue;
        const CrdBlock *block = &structure->blocks[structure->frames[frames[side]].block];
        const double *row = side == 0 ? work->scene.coordinate.a : work->scene.coordinate.b;
        for (int k = 0; k < block->nv; k++) {
            int c = component(block, k);
            over[0][block->v + k] += slope[0] * row[c] + slope[1] * motion[side][c] + slope[2] * weight[side][c];
            over[1][block->v + k] += slope[1] * row[c];
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_force_pull(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                            const double *psi_v, const double *psi_z, double *const over[3], CrdError *error) {
    Work work = {.model = model,
                 .index = index,
                 .structure = &model->structure->force_structures[index],
                 .w = system,
                 .actions = actions,
                 .error = error};
    CRD_TRY(begin(&work));
    CardanStatus status =
        is_on_coordinate(&work) ? pull_coordinate(&work, psi_v, over) : pull(&work, psi_v, psi_z, over);
    end(&work);
    return status;
}
