/* Products of one number for each load and rate with the derivatives of a force. */
#include "equations/element.h"
#include "equations/force_derivatives.h"
#include "equations/force_look.h"
#include "equations/measures.h"

#include <assert.h>
#include <string.h>

static const CrdBlock *block_of(const CrdForceLook *work, int frame) {
    const CrdStructure *structure = work->model->structure;
    return &structure->blocks[structure->frames[structure->force_frames[work->structure->frame + frame]].block];
}

/* sum += psi times the changes along *unit. */
static CardanStatus product_along(CrdForceLook *work, double *unit, const double *psi_v, const double *psi_z,
                                  double *sum) {
    const int *frame = work->model->structure->force_frames + work->structure->frame;
    double rates[CRD_FORCE_STATES] = {0};
    assert(*unit == 0.0);
    *unit = 1.0;
    CardanStatus status = crd_look_along(work, rates);
    *unit = 0.0;
    for (int i = 0; i < work->structure->frames; i++) {
        const CrdBlock *block = block_of(work, i);
        for (int k = 0; k < block->nv; k++)
            *sum += psi_v[block->v + k] * work->w->load_changes[frame[i]][crd_twist_component(block, k)];
    }
    for (int i = 0; i < work->structure->states; i++) *sum += psi_z[work->structure->state + i] * rates[i];
    return status;
}

static CardanStatus pull(CrdForceLook *work, const double *psi_v, const double *psi_z, double *const over[3]) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->frames; i++) {
        const CrdBlock *block = block_of(work, i);
        assert(block->kind != CRD_CUSTOM_BLOCK && block->nv <= 6);
        CrdChange *change = &work->w->changes[structure->force_frames[work->structure->frame + i]];
        for (int k = 0; k < 2 * block->nv; k++) {
            int side = k / block->nv, c = k % block->nv;
            CRD_TRY(product_along(work, crd_change_component(change, 6 * side + crd_twist_component(block, c)), psi_v,
                                  psi_z, &over[side][block->v + c]));
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

/* Reads its kernel nothing else of the motion? */
static bool is_on_coordinate(const CrdForceLook *work) {
    const CrdForceData *force = &work->model->values.forces[work->index];
    return force->joint > 0 && force->points == 0 && work->structure->reads == 0;
}

/* Loads along a change of the coordinate, into load_changes of its two frames. */
static CardanStatus along_coordinate(CrdForceLook *work, CrdCoordinate change) {
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
static CardanFrame frame_with(const CrdForceLook *work, int frame, const double *psi, CardanTwistRow twist) {
    const CrdStructure *structure = work->model->structure;
    CardanFrame out = work->w->frames[frame];
    memset(twist, 0, sizeof(CardanTwistRow));
    if (structure->frames[frame].block >= 0) {
        const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
        assert(block->kind != CRD_CUSTOM_BLOCK);
        for (int k = 0; k < block->nv; k++) twist[crd_twist_component(block, k)] = psi[block->v + k];
    }
    out.v = (CardanVec3){twist[0], twist[1], twist[2]};
    out.w = (CardanVec3){twist[3], twist[4], twist[5]};
    return out;
}

/* Q_x r, Q_v r and Q. */
static CardanStatus coordinate_slopes(CrdForceLook *work, const double *psi_a, const double *psi_b, double slope[3]) {
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

static CardanStatus pull_coordinate(CrdForceLook *work, const double *psi, double *const over[3]) {
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
            int c = crd_twist_component(block, k);
            over[0][block->v + k] += slope[0] * row[c] + slope[1] * motion[side][c] + slope[2] * weight[side][c];
            over[1][block->v + k] += slope[1] * row[c];
        }
    }
    return CARDAN_OK;
}

/* ---- products through measures that laws read ----
 *
 * psi load_x has W m_x in it for each measure m, W = psi load_m. */

static CardanStatus weight_of(CrdForceLook *work, int number, const double *psi_v, const double *psi_z,
                              double *weight) {
    double *jet = &work->w->law_jets[crd_law_measures(work->model->structure) + number].d1;
    *weight = 0.0;
    return product_along(work, jet, psi_v, psi_z, weight);
}

/* A coordinate of a joint or its rate: by the rows. */
static void pull_joint_measure(CrdForceLook *work, const CrdLawMeasure *it, double weight, double *const over[3]) {
    const CrdStructure *structure = work->model->structure;
    const CrdJointData *joint = &work->model->values.joints[it->object];
    CardanCoordinate which = crd_measures[it->measure].coordinate;
    CrdPair pair = crd_pair_of(structure, work->w, it->object);
    CrdCoordinate at;
    CardanTwistRow motion[2];
    double of_value = weight * crd_measure_joint(it->measure, &(CrdCoordinate){.value = 1.0}),
           of_rate = weight * crd_measure_joint(it->measure, &(CrdCoordinate){.rate = 1.0});
    crd_joint_coordinate(which, joint, &pair, &at);
    crd_joint_coordinate_gradient(which, joint, &pair, motion[0], motion[1]);
    for (int side = 0; side < 2; side++) {
        int frame = crd_element_frame(structure, it->object, side);
        if (structure->frames[frame].block < 0) continue;
        const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
        const double *row = side == 0 ? at.a : at.b;
        for (int k = 0; k < block->nv; k++) {
            int c = crd_twist_component(block, k);
            over[0][block->v + k] += of_value * row[c] + of_rate * motion[side][c];
            over[1][block->v + k] += of_rate * row[c];
        }
    }
}

static CardanStatus pull_any_measure(CrdForceLook *work, const CrdLawMeasure *it, double weight,
                                     double *const over[3]) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->frames; i++) {
        const CrdBlock *block = block_of(work, i);
        CrdChange *change = &work->w->changes[structure->force_frames[work->structure->frame + i]];
        for (int k = 0; k < 2 * block->nv; k++) {
            int side = k / block->nv, c = k % block->nv;
            double slope, *unit = crd_change_component(change, 6 * side + crd_twist_component(block, c));
            *unit = 1.0;
            CardanStatus status = crd_measure_slope(work->model, work->actions, work->w, it, &slope, work->error);
            *unit = 0.0;
            if (status < 0) return status;
            over[side][block->v + c] += weight * slope;
        }
    }
    return CARDAN_OK;
}

/* Can all of them be taken one by one? Not where one reads laws itself. */
static bool reads_plainly(const CrdForceLook *work) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->measures; i++) {
        int number = structure->force_measures[work->structure->measure + i];
        if (crd_is_dynamic(work->model->description, &structure->law_measures[number])) return false;
    }
    return true;
}

static CardanStatus pull_measures(CrdForceLook *work, const double *psi_v, const double *psi_z, double *const over[3]) {
    const CrdStructure *structure = work->model->structure;
    for (int i = 0; i < work->structure->measures; i++) {
        int number = structure->force_measures[work->structure->measure + i];
        const CrdLawMeasure *it = &structure->law_measures[number];
        double weight;
        CRD_TRY(weight_of(work, number, psi_v, psi_z, &weight));
        if (weight == 0.0) continue;
        bool by_rows = crd_measures[it->measure].of == CRD_OF_JOINT &&
                       crd_measures[it->measure].coordinate != CARDAN_COORDINATE_NONE &&
                       structure->elements[it->object].type == CRD_ELEMENT_JOINT;
        if (by_rows)
            pull_joint_measure(work, it, weight, over);
        else
            CRD_TRY(pull_any_measure(work, it, weight, over));
    }
    return CARDAN_OK;
}

CardanStatus crd_force_pull(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                            const double *psi_v, const double *psi_z, double *const over[3], CrdError *error) {
    CrdForceLook work = {.model = model,
                         .index = index,
                         .structure = &model->structure->force_structures[index],
                         .w = system,
                         .actions = actions,
                         .error = error};
    CRD_TRY(crd_look_begin(&work));
    work.still = reads_plainly(&work);
    CardanStatus status =
        work.still && is_on_coordinate(&work) ? pull_coordinate(&work, psi_v, over) : pull(&work, psi_v, psi_z, over);
    if (status >= 0 && work.still) status = pull_measures(&work, psi_v, psi_z, over);
    crd_look_end(&work);
    return status;
}
