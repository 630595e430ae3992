#include "analysis/saddle.h"

#include <assert.h>
#include <string.h>

/* Runs over the rectangles: notes them, or puts their numbers. */
static void put_extras(CrdSaddle *saddle, double eps) {
    CrdTiles *tiles = &saddle->sparse.tiles;
    const CrdStructure *structure = saddle->dynamics->model->structure;
    bool fills = !crd_tiles_is_open(tiles);
    for (int i = 0; i < saddle->extras; i++) {
        const CrdCoordinateRow *extra = &saddle->extra[i];
        int at = saddle->nv + saddle->rows + i;
        for (int side = 0; side < 2; side++) {
            int frame = crd_element_frame(structure, extra->element, side), block = structure->frames[frame].block;
            if (block < 0) continue;
            const CrdBlock *b = &structure->blocks[block];
            double *piece = saddle->jacobian.local[0];
            if (fills) {
                memset(piece, 0, (size_t)b->nv * sizeof *piece);
                if (!extra->rests && (saddle->held == NULL || !saddle->held[block]))
                    crd_add_twist_row(structure, &saddle->dynamics->system, frame, extra->row + 6 * (size_t)side,
                                      piece);
            }
            crd_tiles_put(tiles, at, b->v, 1, b->nv, 1.0, piece, b->nv, saddle->sparse.values);
            crd_tiles_put(tiles, b->v, at, b->nv, 1, 1.0, piece, 1, saddle->sparse.values);
        }
        crd_jacobian_identity(&saddle->jacobian, at, at, 1, -(extra->soft > 0.0 ? fmax(eps, 1.0 / extra->soft) : eps));
    }
}

static void put(CrdSaddle *saddle, double mass, double eps) {
    CrdJacobian *jacobian = &saddle->jacobian;
    int nv = saddle->nv, rows = saddle->rows;
    jacobian->tiles = &saddle->sparse.tiles;
    jacobian->values = saddle->sparse.values;
    crd_sparse_begin(&saddle->sparse);
    crd_jacobian_mass(jacobian, 0, 0, saddle->weighted ? 0.0 : mass, CARDAN_METRIC_MASS);
    for (int i = 0; i < nv; i++) crd_jacobian_identity(jacobian, i, i, 1, saddle->weighted ? saddle->weight[i] : 0.0);
    crd_jacobian_over_v(jacobian, nv, 0, 1.0, saddle->pieces);
    crd_jacobian_transposed(jacobian, 0, nv, 1.0, saddle->pieces);
    crd_jacobian_identity(jacobian, nv, nv, rows, -eps);
    put_extras(saddle, eps);
}

static void layout(CrdSaddle *saddle) {
    const CrdStructure *structure = saddle->dynamics->model->structure;
    crd_jacobian_layout(&saddle->jacobian, structure, &saddle->arena);
    saddle->pieces = crd_take(&saddle->arena, (size_t)structure->size_g, sizeof(double));
    saddle->scale = crd_take(&saddle->arena, (size_t)structure->rows, sizeof(double));
    saddle->weight = crd_take(&saddle->arena, (size_t)structure->nv, sizeof(double));
}

CardanStatus crd_saddle_open(CrdSaddle *saddle, CrdDynamics *dynamics, int extras, CrdCoordinateRow *extra) {
    const CrdStructure *structure = dynamics->model->structure;
    assert(!(structure->tree != NULL));
    *saddle = (CrdSaddle){
        .dynamics = dynamics, .nv = structure->nv, .rows = structure->rows, .extras = extras, .extra = extra};
    layout(saddle);
    if (!crd_arena_allocate(&saddle->arena)) return crd_fail_memory(dynamics->error);
    layout(saddle);
    saddle->jacobian.model = dynamics->model;
    saddle->jacobian.system = &dynamics->system;
    saddle->jacobian.actions = &dynamics->actions;
    saddle->jacobian.error = dynamics->error;
    for (int i = 0; i < saddle->rows; i++) saddle->scale[i] = 1.0;
    crd_sparse_open(&saddle->sparse, saddle->nv + saddle->rows + extras);
    put(saddle, 1.0, 1.0);
    return crd_sparse_close_pattern(&saddle->sparse, dynamics->error);
}

void crd_saddle_close(CrdSaddle *saddle) {
    if (saddle->dynamics == NULL) return;
    crd_sparse_free(&saddle->sparse);
    crd_arena_free(&saddle->arena);
    *saddle = (CrdSaddle){0};
}

void crd_coordinate_evaluate(const CardanModel *model, const CrdSystem *system, CrdCoordinateRow *extra) {
    CrdPair pair = crd_pair_of(model->structure, system, extra->element);
    CrdCoordinate coordinate;
    crd_joint_coordinate(extra->which, &model->values.joints[extra->element], &pair, &coordinate);
    memcpy(extra->row, coordinate.a, 6 * sizeof(double));
    memcpy(extra->row + 6, coordinate.b, 6 * sizeof(double));
    extra->x = coordinate.value;
    extra->rate = coordinate.rate;
    extra->bias = coordinate.bias;
    extra->g = coordinate.value - extra->value;
}

void crd_saddle_evaluate(CrdSaddle *saddle) {
    for (int i = 0; i < saddle->extras; i++)
        crd_coordinate_evaluate(saddle->dynamics->model, &saddle->dynamics->system, &saddle->extra[i]);
}

double crd_coordinate_along(CrdSaddle *saddle, CrdCoordinateRow *row, const double *x) {
    const CrdStructure *structure = saddle->dynamics->model->structure;
    double sum = 0.0, *piece = saddle->jacobian.local[0];
    crd_coordinate_evaluate(saddle->dynamics->model, &saddle->dynamics->system, row);
    for (int side = 0; side < 2; side++) {
        int frame = crd_element_frame(structure, row->element, side), block = structure->frames[frame].block;
        if (block < 0) continue;
        const CrdBlock *b = &structure->blocks[block];
        memset(piece, 0, (size_t)b->nv * sizeof *piece);
        crd_add_twist_row(structure, &saddle->dynamics->system, frame, row->row + 6 * (size_t)side, piece);
        for (int k = 0; k < b->nv; k++) sum += piece[k] * x[b->v + k];
    }
    return sum;
}

/* Pieces of G by rows scaled, zero in the columns of what is held and in rows that are left out. */
static void scale_pieces(CrdSaddle *saddle, bool holonomic) {
    assert(saddle->pieces != saddle->dynamics->system.G);
    const CrdStructure *structure = saddle->dynamics->model->structure;
    const double *G = saddle->dynamics->system.G;
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        int first = structure->elements[in->element].first;
        bool held = saddle->held != NULL && saddle->held[in->block];
        for (int r = 0; r < in->rows; r++) {
            bool out = held || (holonomic && !crd_row_is_holonomic(structure, first + r));
            for (int k = 0; k < in->width; k++) {
                int at = in->g + r * in->width + k;
                saddle->pieces[at] = out ? 0.0 : saddle->scale[first + r] * G[at];
            }
        }
    }
}

CardanStatus crd_saddle_factor(CrdSaddle *saddle, double mass, double eps, bool holonomic) {
    assert(crd_stamp_holds(&saddle->dynamics->system.stamp, CRD_HOLDS_ROWS));
    saddle->jacobian.model = saddle->dynamics->model;
    scale_pieces(saddle, holonomic);
    put(saddle, mass, eps);
    return crd_sparse_factor(&saddle->sparse);
}

CardanStatus crd_saddle_solve(CrdSaddle *saddle) {
    assert(saddle->sparse.tiles.n == saddle->nv + saddle->rows + saddle->extras);
    return crd_sparse_solve(&saddle->sparse);
}
