/* Where derivatives are taken, and those that no record gives. */
#include "equations/block_derivatives.h"
#include "equations/jacobian_parts.h"

#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- colours ---- */

static void list_incidences(const CrdStructure *structure, int *start, int *item) {
    memset(start, 0, ((size_t)structure->block_count + 2) * sizeof *start);
    for (int i = 0; i < structure->incidence_count; i++) start[structure->incidences[i].block + 2]++;
    for (int b = 0; b < structure->block_count; b++) start[b + 2] += start[b + 1];
    for (int i = 0; i < structure->incidence_count; i++) item[start[structure->incidences[i].block + 1]++] = i;
}

/* Greedy: each block gets the first colour that none of its neighbours has. */
void crd_jacobian_colour(CrdJacobian *jacobian, const CrdStructure *structure) {
    int *start = jacobian->block_start, *item = jacobian->block_item, *taken = jacobian->taken;
    list_incidences(structure, start, item);
    for (int b = 0; b < structure->block_count; b++) jacobian->colour[b] = taken[b] = -1;
    taken[structure->block_count] = -1;
    jacobian->colours = 0;
    for (int b = 0; b < structure->block_count; b++) {
        for (int i = start[b]; i < start[b + 1]; i++) {
            const CrdElement *element = &structure->elements[structure->incidences[item[i]].element];
            for (int k = 0; k < element->incidences; k++) {
                int colour = jacobian->colour[structure->incidences[element->incidence + k].block];
                if (colour >= 0) taken[colour] = b;
            }
        }
        int colour = 0;
        while (taken[colour] == b) colour++;
        jacobian->colour[b] = colour;
        if (colour >= jacobian->colours) jacobian->colours = colour + 1;
    }
}

/* ---- the point ---- */

static CardanStatus rows_at(CrdJacobian *jacobian, const double *q, const double *v) {
    double t = jacobian->system->t;
    CRD_TRY(crd_kinematics(jacobian->model, t, q, v, jacobian->system, jacobian->error));
    return crd_constraints(jacobian->model, q, v, jacobian->actions, jacobian->system, jacobian->error);
}

/* Subtracts the reactions of an element from the loads on block frames. */
static CardanStatus subtract_reactions(CrdJacobian *jacobian, int index) {
    const CrdStructure *structure = jacobian->model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdAttachment *at = structure->attachments + element->attachment;
    bool touches = false;
    for (int i = 0; i < element->attachments; i++) touches |= structure->frames[at[i].frame].kind == CRD_FRAME_OF_BLOCK;
    if (!touches || element->rows == 0 || element->type == CRD_ELEMENT_BLOCK) return CARDAN_OK;
    CrdSystem *system = jacobian->system;
    CrdSlots slots = {jacobian->slots, jacobian->slots + element->rows, jacobian->slots + 2 * element->rows};
    CardanTwistRow *rows = system->twist_rows;
    bool by_side = element->type == CRD_ELEMENT_JOINT;
    if (by_side)
        CRD_TRY(crd_evaluate_joint(jacobian->model, index, system, rows, rows + element->rows, slots, jacobian->error));
    else
        CRD_TRY(element->type == CRD_ELEMENT_COUPLER
                    ? crd_evaluate_coupler(jacobian->model, index, system, rows, slots, jacobian->error)
                    : crd_evaluate_user(jacobian->model, index, system, rows, slots, jacobian->error));
    for (int i = 0; i < element->attachments; i++)
        for (int r = 0; r < element->rows; r++) {
            const double *row = rows[by_side ? i * element->rows + r : r * element->attachments + i];
            for (int k = 0; k < 6; k++)
                jacobian->frame_loads[6 * at[i].frame + k] -= jacobian->lambda[element->first + r] * row[k];
        }
    return CARDAN_OK;
}

/* Of frames of custom blocks: (J v)_q and what acts on them. */
static CardanStatus look_at_frames(CrdJacobian *jacobian) {
    const CrdStructure *structure = jacobian->model->structure;
    CrdScene scene = {jacobian->model, jacobian->q, jacobian->v};
    if (structure->size_jacobian == 0) return CARDAN_OK;
    memcpy(jacobian->frame_loads, jacobian->system->loads, 6 * (size_t)structure->frame_count * sizeof(double));
    for (int i = 0; i < structure->element_count; i++) CRD_TRY(subtract_reactions(jacobian, i));
    for (int f = 1; f < structure->frame_count; f++)
        if (structure->frames[f].kind == CRD_FRAME_OF_BLOCK)
            CRD_TRY(crd_frame_gradient(&scene, f, jacobian->system,
                                       jacobian->frame_gradients + structure->frames[f].jacobian, jacobian->error));
    return CARDAN_OK;
}

CardanStatus crd_jacobian_at(CrdJacobian *jacobian, double t, const double *q, const double *v, const double *a,
                             const double *lambda) {
    jacobian->q = q;
    jacobian->v = v;
    jacobian->a = a;
    jacobian->lambda = lambda;
    jacobian->system->t = t;
    CRD_TRY(rows_at(jacobian, q, v));
    CRD_TRY(crd_forces(jacobian->model, q, v, jacobian->actions, jacobian->system, jacobian->error));
    return look_at_frames(jacobian);
}

/* ---- differences ---- */

static double step_of(const CrdJacobian *jacobian, const CrdBlock *block, int k) {
    const CrdStructure *structure = jacobian->model->structure;
    int lengths = block->kind == CRD_CUSTOM_BLOCK ? 0 : structure->space == CARDAN_SPACE_PLANAR ? 2 : 3;
    return CRD_DIFFERENCE_STEP * (k < lengths ? jacobian->model->values.size : 1.0);
}

/* Moves coordinate k of all blocks of one colour, of their positions or velocities. */
static CardanStatus move(CrdJacobian *jacobian, int colour, int k, bool velocities, double side) {
    const CrdStructure *structure = jacobian->model->structure;
    double *dx = jacobian->v_moved;
    memset(dx, 0, (size_t)structure->nv * sizeof *dx);
    for (int b = 0; b < structure->block_count; b++)
        if (jacobian->colour[b] == colour && k < structure->blocks[b].nv)
            dx[structure->blocks[b].v + k] = side * step_of(jacobian, &structure->blocks[b], k);
    memcpy(jacobian->q_moved, jacobian->q, (size_t)structure->nq * sizeof *jacobian->q_moved);
    if (!velocities) {
        crd_move(structure, dx, jacobian->q_moved);
        return rows_at(jacobian, jacobian->q_moved, jacobian->v);
    }
    for (int i = 0; i < structure->nv; i++) dx[i] += jacobian->v[i];
    return rows_at(jacobian, jacobian->q, dx);
}

/* The derivative of gamma, or of the rates of rows, along displacements or over velocities, piece by piece. */
static CardanStatus difference(CrdJacobian *jacobian, bool velocities, bool rates, double *out) {
    const CrdStructure *structure = jacobian->model->structure;
    const double *source = rates ? jacobian->system->rate : jacobian->system->gamma;
    size_t bytes = (size_t)structure->rows * sizeof *source;
    for (int colour = 0; colour < jacobian->colours; colour++)
        for (int k = 0; k < jacobian->widest; k++) {
            bool any = false;
            for (int b = 0; b < structure->block_count && !any; b++)
                any = jacobian->colour[b] == colour && k < structure->blocks[b].nv;
            if (!any) continue;
            CRD_TRY(move(jacobian, colour, k, velocities, -1.0));
            memcpy(jacobian->seen, source, bytes);
            CRD_TRY(move(jacobian, colour, k, velocities, 1.0));
            for (int i = 0; i < structure->incidence_count; i++) {
                const CrdIncidence *in = &structure->incidences[i];
                if (jacobian->colour[in->block] != colour || k >= in->width) continue;
                double h = 2.0 * step_of(jacobian, &structure->blocks[in->block], k);
                int first = structure->elements[in->element].first;
                for (int r = 0; r < in->rows; r++)
                    out[in->g + r * in->width + k] = (source[first + r] - jacobian->seen[first + r]) / h;
            }
        }
    return CARDAN_OK;
}

/* Joints and couplers have rows whose g_t depends on the time alone, and exact derivatives of G v. Rows of users and of
 * custom blocks may have g_t that moves with q, which no callback tells. */
bool crd_jacobian_is_told(const CrdStructure *structure) {
    for (int i = 0; i < structure->element_count; i++)
        if (structure->elements[i].rows > 0 && structure->elements[i].type != CRD_ELEMENT_JOINT &&
            structure->elements[i].type != CRD_ELEMENT_COUPLER)
            return false;
    return true;
}

/* ---- along the motion ---- */

bool crd_jacobian_turns_follow(const CrdStructure *structure) {
    return structure->holonomic_rows == structure->rows && structure->curve_count == 0;
}

CardanStatus crd_jacobian_later(CrdJacobian *jacobian, double side, double *out, double *scale) {
    const CrdStructure *structure = jacobian->model->structure;
    CrdSystem *system = jacobian->system;
    double reach = crd_reach(jacobian->model, jacobian->v), h = reach > 0.0 ? CRD_DIFFERENCE_STEP / reach : 1.0;
    double *q = jacobian->q_moved;
    for (int i = 0; i < structure->nv; i++) jacobian->v_moved[i] = side * h * jacobian->v[i];
    memcpy(q, jacobian->q, (size_t)structure->nq * sizeof *q);
    crd_move(structure, jacobian->v_moved, q);
    *scale = 0.5 / h;
    CRD_TRY(crd_jacobian_turns_follow(structure)
                ? crd_kinematics(jacobian->model, system->t, q, jacobian->v, system, jacobian->error)
                : rows_at(jacobian, q, jacobian->v));
    return crd_gradient(jacobian->model, q, jacobian->v, system, out, jacobian->error);
}

CardanStatus crd_jacobian_gamma(CrdJacobian *jacobian, double *over_x, double *over_v) {
    CRD_TRY(difference(jacobian, false, false, over_x));
    CRD_TRY(difference(jacobian, true, false, over_v));
    return rows_at(jacobian, jacobian->q, jacobian->v);
}

CardanStatus crd_jacobian_rows_along(CrdJacobian *jacobian, const double *x, double *out) {
    double t = jacobian->system->t;
    CRD_TRY(crd_kinematics(jacobian->model, t, jacobian->q, x, jacobian->system, jacobian->error));
    CRD_TRY(crd_gradient(jacobian->model, jacobian->q, x, jacobian->system, out, jacobian->error));
    return rows_at(jacobian, jacobian->q, jacobian->v);
}

CardanStatus crd_jacobian_rates(CrdJacobian *jacobian, double *out) {
    if (crd_jacobian_is_told(jacobian->model->structure))
        return crd_gradient(jacobian->model, jacobian->q, jacobian->v, jacobian->system, out, jacobian->error);
    CRD_TRY(difference(jacobian, false, true, out));
    return rows_at(jacobian, jacobian->q, jacobian->v);
}
