/* Derivatives of M a + G^T lambda - f and of the rates of states. What elements and forces put on frames has dense
 * derivatives over the frames they touch (element_derivatives.h, force_derivatives.h): with E the twist of a frame from
 * the velocities of its block
 *     over x   E_i^T (L_x E_j + L_v (J v)_q)        over v   E_i^T L_v E_j
 * and of frames of custom blocks also (J^T L)_q at fixed loads L (block_derivatives.h). */
#include "equations/block_derivatives.h"
#include "equations/element.h"
#include "equations/element_derivatives.h"
#include "equations/jacobian_parts.h"

#include "core/callback.h"
#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Where a part goes. */
typedef struct Target {
    int row, states;
    CrdColumns columns;
} Target;

static bool fills(const CrdJacobian *jacobian) {
    return !crd_tiles_is_open(jacobian->tiles);
}

static const CrdBlock *block_of(const CrdJacobian *jacobian, int frame) {
    const CrdStructure *structure = jacobian->model->structure;
    return structure->frames[frame].block < 0 ? NULL : &structure->blocks[structure->frames[frame].block];
}

/* Of a frame that is not the ground's. */
static const CrdBlock *moving_block_of(const CrdJacobian *jacobian, int frame) {
    const CrdStructure *structure = jacobian->model->structure;
    assert(structure->frames[frame].block >= 0);
    return &structure->blocks[structure->frames[frame].block];
}

static const double *frame_matrix(const CrdJacobian *jacobian, int frame, const double *matrices) {
    return matrices + jacobian->model->structure->frames[frame].jacobian;
}

/* out (6 x nv) <- l (6 x 6, rows `stride` apart) E, or times (J v)_q, of a frame. */
static void over_velocities(const CrdJacobian *jacobian, int frame, const double *l, int stride, const double *matrices,
                            double *out) {
    const CrdBlock *block = moving_block_of(jacobian, frame);
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < block->nv; k++) {
            double sum = 0.0;
            if (block->kind == CRD_CUSTOM_BLOCK)
                for (int i = 0; i < 6; i++)
                    sum += l[(size_t)r * (size_t)stride + (size_t)i] *
                           frame_matrix(jacobian, frame, matrices)[i * block->nv + k];
            else
                sum = l[(size_t)r * (size_t)stride + (size_t)crd_twist_component(block, k)];
            out[r * block->nv + k] = sum;
        }
}

/* out (nv x columns) <- E^T in (6 x columns) of a frame. */
static void onto_velocities(const CrdJacobian *jacobian, int frame, const double *in, int columns, double *out) {
    const CrdBlock *block = moving_block_of(jacobian, frame);
    for (int r = 0; r < block->nv; r++)
        for (int c = 0; c < columns; c++) {
            double sum = 0.0;
            if (block->kind == CRD_CUSTOM_BLOCK)
                for (int i = 0; i < 6; i++)
                    sum += frame_matrix(jacobian, frame, jacobian->system->frame_jacobian)[i * block->nv + r] *
                           in[i * columns + c];
            else
                sum = in[crd_twist_component(block, r) * columns + c];
            out[r * columns + c] = sum;
        }
}

/* Rectangle of rows of velocities of `to` (or of states) over positions and velocities of a block. */
static void put(CrdJacobian *jacobian, int row, int rows, const CrdBlock *from, CrdColumns columns, double scale,
                const double *over_x, const double *over_v) {
    double *over_q = jacobian->local[3];
    if (fills(jacobian)) crd_jacobian_columns(from, jacobian->q, rows, over_x, from->nv, over_q);
    crd_tiles_put(jacobian->tiles, row, columns.q + from->q, rows, from->nq, scale, over_q, from->nq, jacobian->values);
    if (over_v != NULL)
        crd_tiles_put(jacobian->tiles, row, columns.v + from->v, rows, from->nv, scale, over_v, from->nv,
                      jacobian->values);
}

/* scale times the loads on frame `to` over the motion of frame `from`: 6 x 6 blocks over displacements and twists
 * (NULL: there is none), rows `stride` apart. */
static void put_loads(CrdJacobian *jacobian, Target target, int to, int from, double scale, const double *l_x,
                      const double *l_v, int stride) {
    const CrdBlock *row_block = block_of(jacobian, to), *block = block_of(jacobian, from);
    if (row_block == NULL || block == NULL) return;
    double *over_x = jacobian->local[0], *over_v = jacobian->local[1], *wide = jacobian->local[2];
    if (fills(jacobian)) {
        const double *e = jacobian->system->frame_jacobian;
        over_velocities(jacobian, from, l_x, stride, e, wide);
        onto_velocities(jacobian, to, wide, block->nv, over_x);
        if (l_v != NULL && block->kind == CRD_CUSTOM_BLOCK) {
            over_velocities(jacobian, from, l_v, stride, jacobian->frame_gradients, wide);
            onto_velocities(jacobian, to, wide, block->nv, over_v);
            for (int i = 0; i < row_block->nv * block->nv; i++) over_x[i] += over_v[i];
        }
        if (l_v != NULL) over_velocities(jacobian, from, l_v, stride, e, wide);
        if (l_v != NULL) onto_velocities(jacobian, to, wide, block->nv, over_v);
    }
    put(jacobian, target.row + row_block->v, row_block->nv, block, target.columns, scale, over_x,
        l_v != NULL ? over_v : NULL);
}

/* ---- elements ---- */

static CardanStatus put_element(CrdJacobian *jacobian, Target target, int index) {
    const CrdStructure *structure = jacobian->model->structure;
    const CrdElement *element = &structure->elements[index];
    bool compliant = element->compliant > 0;
    double *l_x = jacobian->element[0], *l_v = compliant ? jacobian->element[1] : NULL;
    int stride = 6 * element->attachments;
    if (fills(jacobian))
        CRD_TRY(compliant
                    ? crd_compliant_derivatives(jacobian->model, index, jacobian->system, l_x, l_v, jacobian->error)
                    : crd_row_force_derivatives(jacobian->model, index, jacobian->system,
                                                jacobian->lambda + element->first, l_x, jacobian->error));
    const CrdAttachment *at = structure->attachments + element->attachment;
    for (int i = 0; i < element->attachments; i++)
        for (int j = 0; j < element->attachments; j++) {
            int place = 6 * i * stride + 6 * j;
            put_loads(jacobian, target, at[i].frame, at[j].frame, compliant ? -1.0 : 1.0, l_x + place,
                      l_v != NULL ? l_v + place : NULL, stride);
        }
    return CARDAN_OK;
}

/* Rows of a block. */
static CardanStatus put_block_rows(CrdJacobian *jacobian, Target target, const CrdElement *element) {
    const CrdBlock *block = &jacobian->model->structure->blocks[element->block];
    CrdScene scene = {jacobian->model, jacobian->q, jacobian->v};
    double *over_x = jacobian->local[0];
    if (fills(jacobian))
        CRD_TRY(crd_block_reactions(&scene, element->block, jacobian->system, jacobian->lambda + element->first, over_x,
                                    jacobian->error));
    put(jacobian, target.row + block->v, block->nv, block, target.columns, 1.0, over_x, NULL);
    return CARDAN_OK;
}

static CardanStatus put_elements(CrdJacobian *jacobian, Target target) {
    const CrdStructure *structure = jacobian->model->structure;
    for (int i = 0; i < structure->element_count; i++) {
        const CrdElement *element = &structure->elements[i];
        if (element->rows == 0 && element->compliant == 0) continue;
        CRD_TRY(element->type == CRD_ELEMENT_BLOCK ? put_block_rows(jacobian, target, element)
                                                   : put_element(jacobian, target, i));
    }
    return CARDAN_OK;
}

/* ---- forces ---- */

/* Rates of states over the motion of a frame: (states x 6), rows `stride` apart. */
static void put_rates(CrdJacobian *jacobian, Target target, int first, int states, int from, const double *r_x,
                      const double *r_v, int stride) {
    const CrdBlock *block = block_of(jacobian, from);
    double over_x[6] = {0}, over_v[6] = {0}, *x = over_x, *v = over_v;
    if (block == NULL) return;
    for (int i = 0; i < states; i++) {
        if (block->kind == CRD_CUSTOM_BLOCK) {
            x = jacobian->local[0];
            v = jacobian->local[1];
        }
        for (int k = 0; fills(jacobian) && k < block->nv; k++) {
            const double *rx = r_x + (size_t)i * (size_t)stride, *rv = r_v + (size_t)i * (size_t)stride;
            bool custom = block->kind == CRD_CUSTOM_BLOCK;
            x[k] = custom ? 0.0 : rx[crd_twist_component(block, k)];
            v[k] = custom ? 0.0 : rv[crd_twist_component(block, k)];
            for (int c = 0; custom && c < 6; c++) {
                double e = frame_matrix(jacobian, from, jacobian->system->frame_jacobian)[c * block->nv + k];
                x[k] += rx[c] * e + rv[c] * frame_matrix(jacobian, from, jacobian->frame_gradients)[c * block->nv + k];
                v[k] += rv[c] * e;
            }
        }
        put(jacobian, target.states + first + i, 1, block, target.columns, -1.0, x, v);
    }
}

/* Loads and rates over the states that a force reads. */
static void put_reads(CrdJacobian *jacobian, Target target, int index) {
    const CrdStructure *structure = jacobian->model->structure;
    const CrdForceStructure *force = &structure->force_structures[index];
    const CrdLoadDerivatives *loads = &jacobian->loads;
    for (int k = 0; k < force->reads; k++) {
        int column = target.columns.z + structure->force_states[force->read + k];
        for (int i = 0; i < force->frames; i++) {
            int frame = structure->force_frames[force->frame + i];
            const CrdBlock *block = block_of(jacobian, frame);
            double load[6] = {0}, *out = jacobian->local[0];
            for (int r = 0; fills(jacobian) && r < 6; r++)
                load[r] = loads->state[(size_t)(6 * i + r) * (size_t)force->reads + (size_t)k];
            if (fills(jacobian)) onto_velocities(jacobian, frame, load, 1, out);
            crd_tiles_put(jacobian->tiles, target.row + block->v, column, block->nv, 1, -1.0, out, 1, jacobian->values);
        }
        for (int s = 0; s < force->states; s++)
            crd_tiles_put(jacobian->tiles, target.states + force->state + s, column, 1, 1, -1.0,
                          loads->rate_state + (size_t)s * (size_t)force->reads + (size_t)k, 1, jacobian->values);
    }
}

static CardanStatus put_force(CrdJacobian *jacobian, Target target, int index) {
    const CrdStructure *structure = jacobian->model->structure;
    const CrdForceStructure *force = &structure->force_structures[index];
    const CrdLoadDerivatives *loads = &jacobian->loads;
    const int *frame = structure->force_frames + force->frame;
    int stride = 6 * force->frames;
    if (fills(jacobian))
        CRD_TRY(crd_force_derivatives(jacobian->model, index, jacobian->actions, jacobian->system, &jacobian->loads,
                                      jacobian->error));
    for (int i = 0; i < force->frames; i++) {
        for (int j = 0; j < force->frames; j++) {
            int place = 6 * i * stride + 6 * j;
            put_loads(jacobian, target, frame[i], frame[j], -1.0, loads->displacement + place, loads->twist + place,
                      stride);
        }
        put_rates(jacobian, target, force->state, force->states, frame[i], loads->rate_displacement + 6 * i,
                  loads->rate_twist + 6 * i, stride);
    }
    put_reads(jacobian, target, index);
    return CARDAN_OK;
}

/* ---- first-order states of the user's: their callback gives no derivatives ---- */

/* out (count) <- the rates at the gathered frames and z. */
static CardanStatus user_rates(CrdJacobian *jacobian, const CrdStatesDesc *desc, const double *z, double *out) {
    memset(out, 0, (size_t)desc->def.count * sizeof *out);
    CardanStatus status = desc->def.rate(desc->def.user, jacobian->system->t, jacobian->system->gathered,
                                         jacobian->actions->inputs, z, out);
    return crd_callback_ended(jacobian->error, status, crd_are_finite(out, (size_t)desc->def.count),
                              jacobian->system->t, "states '%s': their rate callback", desc->name);
}

/* Rates over one component of the motion of body k (component 0..11), one row after the other 12 numbers wide. */
static CardanStatus rates_over(CrdJacobian *jacobian, const CrdStatesDesc *desc, const double *z, int k, int c,
                               double *out) {
    CrdSystem *system = jacobian->system;
    double *low = jacobian->state_rates, *high = low + desc->def.count;
    CrdChange unit = {0};
    for (int i = 0; i < desc->def.bodies; i++) system->gathered[i] = system->frames[desc->frames[i]];
    *crd_change_component(&unit, c) = 1.0;
    const CardanFrame *frame = &system->frames[desc->frames[k]];
    system->gathered[k] = crd_changed_frame(frame, &unit, -CRD_DIFFERENCE_STEP);
    CRD_TRY(user_rates(jacobian, desc, z, low));
    system->gathered[k] = crd_changed_frame(frame, &unit, CRD_DIFFERENCE_STEP);
    CRD_TRY(user_rates(jacobian, desc, z, high));
    for (int i = 0; i < desc->def.count; i++) out[12 * i + c] = (high[i] - low[i]) / (2.0 * CRD_DIFFERENCE_STEP);
    return CARDAN_OK;
}

static CardanStatus put_states(CrdJacobian *jacobian, Target target, int index) {
    const CrdStructure *structure = jacobian->model->structure;
    const CrdStatesDesc *desc = &jacobian->model->description->states[index];
    int first = structure->state_of_states[index], count = desc->def.count;
    double *over = jacobian->state_rates + 2 * count, *moved = over + 12 * count;
    const double *z = fills(jacobian) ? jacobian->actions->states + first : NULL;
    for (int k = 0; k < desc->def.bodies; k++) {
        if (block_of(jacobian, desc->frames[k]) == NULL) continue;
        if (fills(jacobian)) memset(over, 0, 12 * (size_t)count * sizeof *over);
        for (int c = 0; fills(jacobian) && c < 12; c++)
            if (crd_change_exists(structure->space, c)) CRD_TRY(rates_over(jacobian, desc, z, k, c, over));
        put_rates(jacobian, target, first, count, desc->frames[k], over, over + 6, 12);
    }
    for (int i = 0; fills(jacobian) && i < desc->def.bodies; i++)
        jacobian->system->gathered[i] = jacobian->system->frames[desc->frames[i]];
    for (int c = 0; c < count; c++) {
        double *low = jacobian->state_rates, *high = low + count, h = 0.0;
        if (fills(jacobian)) {
            h = CRD_DIFFERENCE_STEP * fmax(1.0, fabs(z[c]));
            memcpy(moved, z, (size_t)count * sizeof *moved);
            moved[c] = z[c] - h;
            CRD_TRY(user_rates(jacobian, desc, moved, low));
            moved[c] = z[c] + h;
            CRD_TRY(user_rates(jacobian, desc, moved, high));
            for (int i = 0; i < count; i++) low[i] = (high[i] - low[i]) / (2.0 * h);
        }
        crd_tiles_put(jacobian->tiles, target.states + first, target.columns.z + first + c, count, 1, -1.0, low, 1,
                      jacobian->values);
    }
    return CARDAN_OK;
}

/* ---- blocks ---- */

/* w x J w over w, and what turning a body does to a moment from outside in its axes. */
static void put_body(CrdJacobian *jacobian, Target target, int index) {
    const CrdBlock *block = &jacobian->model->structure->blocks[index];
    const double *inertia = jacobian->model->values.blocks[index].inertia;
    double over_w[9] = {0};
    for (int k = 0; fills(jacobian) && k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        CrdVec w = crd_vec_of(jacobian->v + block->v + 3), u = crd_vec_of(unit);
        CrdVec d = crd_add(crd_cross(u, crd_apply(inertia, w)), crd_cross(w, crd_apply(inertia, u)));
        over_w[k] = d.x, over_w[3 + k] = d.y, over_w[6 + k] = d.z;
    }
    crd_tiles_put(jacobian->tiles, target.row + block->v + 3, target.columns.v + block->v + 3, 3, 3, 1.0, over_w, 3,
                  jacobian->values);
}

/* A wrench from outside keeps its moment in ground axes: in own axes it changes by -turn x R^T m. */
static void put_wrench(CrdJacobian *jacobian, Target target, int frame) {
    double l_x[36] = {0};
    if (fills(jacobian) && jacobian->actions->wrenches != NULL) {
        CrdVec m =
            crd_apply_t(jacobian->system->frames[frame].rotation, crd_vec_of(jacobian->actions->wrenches[frame] + 3));
        const double own[9] = {0, -m.z, m.y, m.z, 0, -m.x, -m.y, m.x, 0};
        for (int i = 0; i < 9; i++) l_x[6 * (3 + i / 3) + 3 + i % 3] = own[i];
    }
    put_loads(jacobian, target, frame, frame, -1.0, l_x, NULL, 6);
}

static CardanStatus put_custom(CrdJacobian *jacobian, Target target, int index) {
    const CardanModel *model = jacobian->model;
    const CrdBlock *block = &model->structure->blocks[index];
    const CrdBlockDesc *desc = &model->description->blocks[block->object];
    CrdScene scene = {model, jacobian->q, jacobian->v};
    double *over_x = jacobian->local[0], *over_v = jacobian->local[1];
    int row = target.row + block->v;
    if (fills(jacobian))
        CRD_TRY(crd_block_inertia(&scene, index, jacobian->system, jacobian->a + block->v, over_x, jacobian->error));
    put(jacobian, row, block->nv, block, target.columns, 1.0, over_x, NULL);
    if (fills(jacobian))
        CRD_TRY(crd_block_force(&scene, index, jacobian->system, jacobian->actions->inputs, over_x, over_v,
                                jacobian->error));
    put(jacobian, row, block->nv, block, target.columns, -1.0, over_x, over_v);
    for (int k = 0; k < desc->def.frames; k++) {
        int frame = block->frame + k;
        if (fills(jacobian))
            CRD_TRY(crd_frame_loads(&scene, frame, jacobian->system, jacobian->frame_loads + 6 * frame, over_x,
                                    jacobian->error));
        put(jacobian, row, block->nv, block, target.columns, -1.0, over_x, NULL);
    }
    return CARDAN_OK;
}

CardanStatus crd_jacobian_dynamics(CrdJacobian *jacobian, int row, int states, CrdColumns columns) {
    const CrdStructure *structure = jacobian->model->structure;
    Target target = {row, states, columns};
    CRD_TRY(put_elements(jacobian, target));
    for (int i = 0; i < structure->force_count; i++) CRD_TRY(put_force(jacobian, target, i));
    for (int i = 0; i < structure->states_count; i++) CRD_TRY(put_states(jacobian, target, i));
    for (int i = 0; i < structure->block_count; i++) {
        if (structure->blocks[i].kind == CRD_CUSTOM_BLOCK) CRD_TRY(put_custom(jacobian, target, i));
        if (structure->blocks[i].kind == CRD_SPATIAL_BODY) put_body(jacobian, target, i);
    }
    for (int i = 1; structure->space == CARDAN_SPACE_SPATIAL && i < structure->frame_count; i++)
        put_wrench(jacobian, target, i);
    return CARDAN_OK;
}
