/* Products with M, and what they make of those with pieces of G (pieces.c). */
#include "equations/tree.h"

#include <assert.h>
#include <string.h>

/* ---- M ---- */

static void custom_solve(const double *l, int n, double *x) {
    assert(l != NULL || n == 0);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
}

void crd_solve_block(const CardanModel *model, const CrdSystem *system, int index, double *x) {
    const CrdBlock *block = &model->structure->blocks[index];
    const CrdBlockValues *values = &model->values.blocks[index];
    switch (block->kind) {
    case CRD_SPATIAL_BODY:
        crd_put(x + 3, crd_apply(values->inverse_inertia, crd_vec_of(x + 3))); /* fall through */
    case CRD_SPATIAL_PARTICLE:
        crd_put(x, crd_scale(values->inverse_mass, crd_vec_of(x)));
        break;
    case CRD_PLANAR_BODY:
        x[2] *= values->inverse_inertia[8]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        x[0] *= values->inverse_mass;
        x[1] *= values->inverse_mass;
        break;
    case CRD_CUSTOM_BLOCK:
        custom_solve(system->custom_mass + block->mass, block->nv, x);
        break;
    default:
        assert(false); /* M of a tree is not block diagonal */
    }
}

typedef struct Blocks {
    const CardanModel *model;
    const CrdSystem *system;
    double *x;
} Blocks;

static void solve_blocks(void *user, CrdRange items) {
    const Blocks all = *(const Blocks *)user;
    const CrdBlock *blocks = all.model->structure->blocks;
    for (int i = items.first; i < items.end; i++) crd_solve_block(all.model, all.system, i, all.x + blocks[i].v);
}

void crd_solve_mass(const CardanModel *model, const CrdSystem *system, double *x) {
    const CrdStructure *structure = model->structure;
    assert(structure->size_custom == 0 || system->stamp.frames_q != NULL); /* custom masses are there */
    if (structure->tree != NULL) {
        crd_tree_inward(model, system, x);
        crd_tree_outward(model, system, x);
        return;
    }
    if (system->pool == NULL) {
        for (int i = 0; i < structure->block_count; i++) crd_solve_block(model, system, i, x + structure->blocks[i].v);
        return;
    }
    enum { PART = 1024 }; /* some 10 us */
    Blocks blocks = {model, system, x};
    crd_pool_each(system->pool, solve_blocks, &blocks, structure->block_count, PART);
}

void crd_times_mass(const CardanModel *model, const CrdSystem *system, const double *x, double *y) {
    const CrdStructure *structure = model->structure;
    assert(structure->nv == 0 || x != y);
    if (structure->tree != NULL) {
        crd_tree_times_mass(model, system, x, y);
        return;
    }
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        const CrdBlockValues *values = &model->values.blocks[i];
        const double *from = x + block->v;
        double *to = y + block->v;
        switch (block->kind) {
        case CRD_SPATIAL_BODY:
            crd_put(to + 3, crd_apply(values->inertia, crd_vec_of(from + 3))); /* fall through */
        case CRD_SPATIAL_PARTICLE:
            crd_put(to, crd_scale(values->mass, crd_vec_of(from)));
            break;
        case CRD_PLANAR_BODY:
            to[2] = values->inertia[8] * from[2]; /* fall through */
        case CRD_PLANAR_PARTICLE:
            to[0] = values->mass * from[0];
            to[1] = values->mass * from[1];
            break;
        case CRD_CUSTOM_BLOCK:
            for (int r = 0; r < block->nv; r++) {
                const double *m = system->custom_matrix + block->mass + (size_t)r * (size_t)block->nv;
                to[r] = 0.0;
                for (int c = 0; c < block->nv; c++) to[r] += m[c] * from[c];
            }
            break;
        default:
            assert(false);
        }
    }
}

double crd_kinetic(const CardanModel *model, const CrdSystem *system, const double *v) {
    const CrdStructure *structure = model->structure;
    double twice = 0.0;
    if (structure->tree != NULL) return crd_tree_kinetic(model, system, v);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        const CrdBlockValues *values = &model->values.blocks[i];
        const double *u = v + block->v;
        switch (block->kind) {
        case CRD_SPATIAL_BODY: {
            CrdVec spin = crd_vec_of(u + 3);
            twice += crd_dot(spin, crd_apply(values->inertia, spin));
        } /* fall through */
        case CRD_SPATIAL_PARTICLE:
            twice += values->mass * crd_dot(crd_vec_of(u), crd_vec_of(u));
            break;
        case CRD_PLANAR_BODY:
            twice += values->inertia[8] * u[2] * u[2]; /* fall through */
        case CRD_PLANAR_PARTICLE:
            twice += values->mass * (u[0] * u[0] + u[1] * u[1]);
            break;
        case CRD_CUSTOM_BLOCK:
            for (int r = 0; r < block->nv; r++)
                for (int c = 0; c < block->nv; c++)
                    twice += u[r] * system->custom_matrix[block->mass + r * block->nv + c] * u[c];
            break;
        default:
            assert(false);
        }
    }
    return 0.5 * twice;
}

/* ---- S ---- */

void crd_form_schur(const CardanModel *model, CardanMetric metric, CrdSystem *system) {
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    crd_stamp_drop(&system->stamp, CRD_HOLDS_SCHUR);
    system->shared.holds = false;
    if (model->structure->tree != NULL) {
        crd_tree_schur(model, metric, system);
        crd_stamp_add(&system->stamp, CRD_HOLDS_SCHUR);
        return;
    }
    if (metric == CARDAN_METRIC_MASS)
        crd_pieces_over_mass(model, system, system->G, system->T);
    else
        memcpy(system->T, system->G, (size_t)model->structure->size_g * sizeof *system->T);
    crd_form_product(system->pool, model->structure, system->G, system->T, system->S);
    crd_stamp_add(&system->stamp, CRD_HOLDS_SCHUR);
}

void crd_add_forced(const CardanModel *model, const CrdSystem *system, double s, const double *y, double *x) {
    const CrdStructure *structure = model->structure;
    if (structure->tree == NULL) {
        crd_times_gt_with(system->pool, structure, system->T, s, y, x);
        return;
    }
    double *forced = system->tree.forced;
    memset(forced, 0, (size_t)structure->nv * sizeof *forced);
    crd_times_gt_with(system->pool, structure, system->T, s, y, forced);
    crd_tree_outward(model, system, forced);
    for (int i = 0; i < structure->nv; i++) x[i] += forced[i];
}

/* ---- sizes ---- */

double crd_reach(const CardanModel *model, const double *x) {
    assert(model->values.size > 0.0);
    const CrdStructure *structure = model->structure;
    double max = 0.0;
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        int moves = crd_block_lengths(structure, block);
        for (int k = 0; k < block->nv; k++)
            max = fmax(max, fabs(x[block->v + k]) / (k < moves ? model->values.size : 1.0));
    }
    return max;
}

/* ---- the slow reference ---- */

static double mass_entry(const CrdBlock *block, const CrdBlockValues *values, const double *custom, int r, int c) {
    assert(r >= 0 && r < block->nv && c >= 0 && c < block->nv);
    if (block->kind == CRD_CUSTOM_BLOCK) return custom[block->mass + r * block->nv + c];
    if (block->kind == CRD_SPATIAL_BODY && r >= 3 && c >= 3) return values->inertia[3 * (r - 3) + c - 3];
    if (r != c) return 0.0;
    return block->kind == CRD_PLANAR_BODY && r == 2 ? values->inertia[8] : values->mass;
}

/* Column after column: M times unit vectors. */
static void tree_mass(const CardanModel *model, const CrdSystem *system, CardanMetric metric, double *k, size_t order) {
    double *unit = system->tree.forced;
    int n = model->structure->nv;
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int c = 0; c < n; c++) {
        double *column = k + order * (size_t)c;
        unit[c] = 1.0;
        if (metric == CARDAN_METRIC_MASS)
            crd_tree_times_mass(model, system, unit, column);
        else
            column[c] = 1.0;
        unit[c] = 0.0;
    }
}

void crd_fill_saddle(const CardanModel *model, const CrdSystem *system, CardanMetric metric, double *k, int order) {
    const CrdStructure *structure = model->structure;
    assert(order == structure->nv + structure->rows);
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    size_t n = (size_t)order;
    if (structure->tree != NULL) tree_mass(model, system, metric, k, n);
    for (int i = 0; structure->tree == NULL && i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        for (int r = 0; r < block->nv; r++)
            for (int c = 0; c < block->nv; c++)
                k[(size_t)(block->v + r) + n * (size_t)(block->v + c)] =
                    metric == CARDAN_METRIC_MASS
                        ? mass_entry(block, &model->values.blocks[i], system->custom_matrix, r, c)
                        : (double)(r == c);
    }
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        int first = structure->nv + structure->elements[in->element].first;
        for (int r = 0; r < in->rows; r++)
            for (int c = 0; c < in->width; c++)
                k[(size_t)(first + r) + n * (size_t)(in->v + c)] = system->G[in->g + r * in->width + c];
    }
}
