/* Room, and the parts that need no derivatives of forces. */
#include "equations/jacobian.h"

#include "equations/block_derivatives.h"
#include "equations/jacobian_parts.h"

#include <assert.h>
#include <string.h>

static int widest(const CrdStructure *structure) {
    int width = 6;
    for (int b = 0; b < structure->block_count; b++)
        if (structure->blocks[b].nv > width) width = structure->blocks[b].nv;
    return width;
}

void crd_jacobian_layout(CrdJacobian *jacobian, const CrdStructure *structure, CrdArena *arena) {
    size_t real = sizeof(double), side = 6 * (size_t)structure->max_attachments, rows = (size_t)structure->rows;
    jacobian->widest = widest(structure);
    size_t square = (size_t)jacobian->widest * ((size_t)jacobian->widest + 1);
    crd_load_derivatives_layout(&jacobian->loads, structure, arena);
    jacobian->frame_gradients = crd_take(arena, (size_t)structure->size_jacobian, real);
    jacobian->frame_loads =
        crd_take(arena, structure->size_jacobian > 0 ? 6 * (size_t)structure->frame_count : 0, real);
    for (int i = 0; i < 4; i++) jacobian->local[i] = crd_take(arena, square, real);
    for (int i = 0; i < 2; i++) jacobian->element[i] = crd_take(arena, side * side, real);
    jacobian->q_moved = crd_take(arena, (size_t)structure->nq, real);
    jacobian->v_moved = crd_take(arena, (size_t)structure->nv, real);
    jacobian->slots = crd_take(arena, 3 * (size_t)structure->max_rows, real);
    jacobian->seen = crd_take(arena, 2 * rows, real);
    jacobian->pieces = crd_take(arena, (size_t)structure->size_g, real);
    jacobian->state_rates = crd_take(arena, 15 * (size_t)structure->first_order, real);
    jacobian->colour = crd_take(arena, (size_t)structure->block_count, sizeof(int));
    jacobian->taken = crd_take(arena, (size_t)structure->block_count + 1, sizeof(int));
    jacobian->block_start = crd_take(arena, (size_t)structure->block_count + 2, sizeof(int));
    jacobian->block_item = crd_take(arena, (size_t)structure->incidence_count, sizeof(int));
    if (arena->base != NULL) crd_jacobian_colour(jacobian, structure);
}

/* ---- displacements and positions ---- */

/* out (rows x nq) <- in (rows x nv) times the displacement that a change of q makes. */
void crd_jacobian_columns(const CrdBlock *block, const double *flat_q, int rows, const double *in, int stride,
                          double *out) {
    bool turns = block->kind == CRD_SPATIAL_BODY;
    const double *p = flat_q + block->q + 3;
    double s = turns ? 2.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) : 0.0;
    for (int r = 0; r < rows; r++, in += stride, out += block->nq) {
        for (int k = 0; k < (turns ? 3 : block->nq); k++) out[k] = in[k];
        if (!turns) continue;
        double a = s * in[3], b = s * in[4], c = s * in[5];
        out[3] = -(a * p[1] + b * p[2] + c * p[3]);
        out[4] = a * p[0] - b * p[3] + c * p[2];
        out[5] = a * p[3] + b * p[0] - c * p[1];
        out[6] = -a * p[2] + b * p[1] + c * p[0];
    }
}

/* (p o (0, w) / 2) over p: 4 x 4, and over w: 4 x 3. */
static void quaternion_over_p(const double *w, double *out) {
    double a = 0.5 * w[0], b = 0.5 * w[1], c = 0.5 * w[2];
    const double m[16] = {0, -a, -b, -c, a, 0, c, -b, b, -c, 0, a, c, b, -a, 0};
    memcpy(out, m, sizeof m);
}

static void quaternion_over_w(const double *p, double *out) {
    const double m[12] = {-p[1], -p[2], -p[3], p[0], -p[3], p[2], p[3], p[0], -p[1], -p[2], p[1], p[0]};
    for (int i = 0; i < 12; i++) out[i] = 0.5 * m[i];
}

void crd_jacobian_kinematics(CrdJacobian *jacobian, int row, CrdColumns columns, const double *x) {
    const CrdStructure *structure = jacobian->model->structure;
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        int at = row + block->q;
        if (block->kind != CRD_SPATIAL_BODY) {
            crd_jacobian_identity(jacobian, at, columns.v + block->v, block->nv, -1.0);
            continue;
        }
        crd_jacobian_identity(jacobian, at, columns.v + block->v, 3, -1.0);
        double over_p[16] = {0}, over_w[12] = {0}, w[3] = {0};
        for (int k = 0; fills && k < 3; k++)
            w[k] = jacobian->v[block->v + 3 + k] + (x != NULL ? x[block->v + 3 + k] : 0.0);
        if (fills) quaternion_over_p(w, over_p);
        if (fills) quaternion_over_w(jacobian->q + block->q + 3, over_w);
        crd_tiles_put(jacobian->tiles, at + 3, columns.q + block->q + 3, 4, 4, -1.0, over_p, 4, jacobian->values);
        crd_tiles_put(jacobian->tiles, at + 3, columns.v + block->v + 3, 4, 3, -1.0, over_w, 3, jacobian->values);
    }
}

void crd_jacobian_identity(CrdJacobian *jacobian, int row, int column, int n, double scale) {
    const double one = 1.0;
    for (int i = 0; i < n; i++)
        crd_tiles_put(jacobian->tiles, row + i, column + i, 1, 1, scale, &one, 1, jacobian->values);
}

/* ---- M ---- */

void crd_jacobian_mass(CrdJacobian *jacobian, int row, int column, double scale, CardanMetric metric) {
    const CardanModel *model = jacobian->model;
    for (int i = 0; i < model->structure->block_count; i++) {
        const CrdBlock *block = &model->structure->blocks[i];
        const CrdBlockValues *values = &model->values.blocks[i];
        int r = row + block->v, c = column + block->v;
        int lengths = model->structure->space == CARDAN_SPACE_PLANAR ? 2 : 3;
        if (metric != CARDAN_METRIC_MASS) {
            crd_jacobian_identity(jacobian, r, c, block->nv, scale);
            continue;
        }
        if (block->kind == CRD_CUSTOM_BLOCK) {
            crd_tiles_put(jacobian->tiles, r, c, block->nv, block->nv, scale,
                          jacobian->system->custom_matrix + block->mass, block->nv, jacobian->values);
            continue;
        }
        crd_jacobian_identity(jacobian, r, c, lengths, scale * values->mass);
        if (block->kind == CRD_PLANAR_BODY)
            crd_jacobian_identity(jacobian, r + 2, c + 2, 1, scale * values->inertia[8]);
        if (block->kind == CRD_SPATIAL_BODY)
            crd_tiles_put(jacobian->tiles, r + 3, c + 3, 3, 3, scale, values->inertia, 3, jacobian->values);
    }
}

/* ---- pieces ---- */

void crd_jacobian_over_q(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces) {
    const CrdStructure *structure = jacobian->model->structure;
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdBlock *block = &structure->blocks[in->block];
        for (int r = 0; r < in->rows; r++) {
            double *out = jacobian->local[0];
            if (fills) crd_jacobian_columns(block, jacobian->q, 1, pieces + in->g + r * in->width, in->width, out);
            crd_tiles_put(jacobian->tiles, row + structure->elements[in->element].first + r, column + block->q, 1,
                          block->nq, scale, out, block->nq, jacobian->values);
        }
    }
}

void crd_jacobian_over_v(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces) {
    const CrdStructure *structure = jacobian->model->structure;
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        crd_tiles_put(jacobian->tiles, row + structure->elements[in->element].first, column + in->v, in->rows,
                      in->width, scale, fills ? pieces + in->g : NULL, in->width, jacobian->values);
    }
}

/* Rows of one element may be more than a local rectangle holds: they go one by one. */
void crd_jacobian_transposed(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces) {
    const CrdStructure *structure = jacobian->model->structure;
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        int first = column + structure->elements[in->element].first;
        for (int r = 0; r < in->rows; r++)
            crd_tiles_put(jacobian->tiles, row + in->v, first + r, in->width, 1, scale,
                          fills ? pieces + in->g + r * in->width : NULL, 1, jacobian->values);
    }
}

/* out (nq) <- N x of one block. */
static void rates_of(const CrdBlock *block, const double *flat_q, const double *x, double *out) {
    bool turns = block->kind == CRD_SPATIAL_BODY;
    for (int k = 0; k < (turns ? 3 : block->nq); k++) out[k] = x[k];
    if (!turns) return;
    double n[12];
    quaternion_over_w(flat_q + block->q + 3, n);
    for (int i = 0; i < 4; i++) out[3 + i] = n[3 * i] * x[3] + n[3 * i + 1] * x[4] + n[3 * i + 2] * x[5];
}

void crd_jacobian_pushed(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces) {
    const CrdStructure *structure = jacobian->model->structure;
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdBlock *block = &structure->blocks[in->block];
        int first = column + structure->elements[in->element].first;
        for (int r = 0; r < in->rows; r++) {
            double *out = jacobian->local[0];
            if (fills) rates_of(block, jacobian->q, pieces + in->g + r * in->width, out);
            crd_tiles_put(jacobian->tiles, row + block->q, first + r, block->nq, 1, scale, out, 1, jacobian->values);
        }
    }
}
