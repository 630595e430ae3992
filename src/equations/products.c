/* Products with M and G, and S = G W G^T through the slot map made at compile. */
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

static inline void block_solve(const CrdBlock *block, const CrdBlockValues *values, const double *custom, double *x) {
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
        custom_solve(custom, block->nv, x);
        break;
    default:
        assert(false); /* M of a tree is not block diagonal */
    }
}

void crd_solve_mass(const CardanModel *model, const CrdSystem *system, double *x) {
    const CrdStructure *structure = model->structure;
    assert(structure->size_custom == 0 || system->stamp.frames_q != NULL); /* custom masses are there */
    if (structure->tree != NULL) {
        crd_tree_inward(model, system, x);
        crd_tree_outward(model, system, x);
        return;
    }
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        const double *custom = block->kind == CRD_CUSTOM_BLOCK ? system->custom_mass + block->mass : NULL;
        block_solve(block, &model->values.blocks[i], custom, x + block->v);
    }
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
    if (structure->tree != NULL) return crd_tree_times_mass(model, system, v, NULL);
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

/* ---- G ---- */

static inline double dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void crd_times_g(const CrdStructure *structure, const double *pieces, const double *x, double *y) {
    assert(structure->size_g == 0 || (x != y && pieces != y));
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const double *piece = pieces + in->g, *u = x + in->v;
        double *out = y + structure->elements[in->element].first;
        if (in->width == 3) {
            const double own[3] = {u[0], u[1], u[2]};
            for (int r = 0; r < in->rows; r++, piece += 3) out[r] += dot3(piece, own);
            continue;
        }
        if (in->width == 1) {
            double one = u[0];
            for (int r = 0; r < in->rows; r++) out[r] += piece[r] * one;
            continue;
        }
        for (int r = 0; r < in->rows; r++, piece += in->width) {
            double sum = 0.0;
            for (int k = 0; k < in->width; k++) sum += piece[k] * u[k];
            out[r] += sum;
        }
    }
}

void crd_times_gt(const CrdStructure *structure, const double *pieces, double scale, const double *y, double *x) {
    assert(structure->size_g == 0 || (x != y && pieces != x));
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const double *piece = pieces + in->g, *from = y + structure->elements[in->element].first;
        double *u = x + in->v;
        if (in->width == 3) {
            double sum[3] = {u[0], u[1], u[2]};
            for (int r = 0; r < in->rows; r++, piece += 3)
                for (int k = 0; k < 3; k++) sum[k] += piece[k] * (scale * from[r]);
            memcpy(u, sum, sizeof sum);
            continue;
        }
        if (in->width == 1) {
            double sum = 0.0;
            for (int r = 0; r < in->rows; r++) sum += piece[r] * from[r];
            u[0] += scale * sum;
            continue;
        }
        for (int r = 0; r < in->rows; r++, piece += in->width) {
            double lambda = scale * from[r];
            for (int k = 0; k < in->width; k++) u[k] += piece[k] * lambda;
        }
    }
}

/* Inlined with a constant width. */
static inline void add_twice(const CrdIncidence *in, int width, const double *piece, double scale, const double *from,
                             double *u) {
    for (int r = 0; r < in->rows; r++, piece += width) {
        double first = scale * from[2 * r], second = scale * from[2 * r + 1];
        for (int k = 0; k < width; k++) {
            u[2 * k] += piece[k] * first;
            u[2 * k + 1] += piece[k] * second;
        }
    }
}

void crd_times_gt_twice(const CrdStructure *structure, const double *pieces, double scale, const double *y, double *x) {
    assert(structure->size_g == 0 || (x != y && pieces != x));
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const double *piece = pieces + in->g, *from = y + 2 * (ptrdiff_t)structure->elements[in->element].first;
        double *u = x + 2 * (ptrdiff_t)in->v;
        if (in->width == 6)
            add_twice(in, 6, piece, scale, from, u);
        else if (in->width == 3)
            add_twice(in, 3, piece, scale, from, u);
        else
            add_twice(in, in->width, piece, scale, from, u);
    }
}

/* ---- S ---- */

static inline void over_planar(double inverse_mass, double inverse_inertia, int rows, const double *piece, double *t) {
    for (int r = 0; r < rows; r++, piece += 3, t += 3) {
        t[0] = piece[0] * inverse_mass;
        t[1] = piece[1] * inverse_mass;
        t[2] = piece[2] * inverse_inertia;
    }
}

void crd_pieces_over_mass(const CardanModel *model, const CrdSystem *system, const double *pieces, double *out) {
    const CrdStructure *structure = model->structure;
    assert(structure->size_g == 0 || pieces != out);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdBlock *block = &structure->blocks[in->block];
        const double *custom = block->kind == CRD_CUSTOM_BLOCK ? system->custom_mass + block->mass : NULL;
        double *t = out + in->g;
        if (block->kind == CRD_PLANAR_BODY) {
            const CrdBlockValues *values = &model->values.blocks[in->block];
            over_planar(values->inverse_mass, values->inverse_inertia[8], in->rows, pieces + in->g, t);
            continue;
        }
        memcpy(t, pieces + in->g, (size_t)in->rows * (size_t)in->width * sizeof *t);
        for (int r = 0; r < in->rows; r++, t += in->width)
            block_solve(block, &model->values.blocks[in->block], custom, t);
    }
}

/* Inlined with a constant width, so that the inner product is unrolled. */
static inline void add_product(const CrdProduct *product, const double *G, const double *T, int width, double *S) {
    const double *t = T + product->t;
    for (int c = 0; c < product->columns; c++, t += width) {
        double *slot = S + product->base + c * product->above + c * (c + 1) / 2 + product->offset;
        const double *g = G + product->g;
        int rows = product->diagonal ? c + 1 : product->rows;
        for (int r = 0; r < rows; r++, g += width) {
            double sum = 0.0;
            for (int k = 0; k < width; k++) sum += g[k] * t[k];
            slot[r] += sum;
        }
    }
}

/* Width 3: bodies in the plane, where hinges have two rows. */
static inline void add_plane_product(const CrdProduct *product, const double *G, const double *T, double *S) {
    if (product->rows != 2 || product->columns != 2) {
        add_product(product, G, T, 3, S);
        return;
    }
    const double *g = G + product->g, *t = T + product->t;
    double *first = S + product->base + product->offset, *second = first + product->above + 1;
    first[0] += dot3(g, t);
    if (!product->diagonal) first[1] += dot3(g + 3, t);
    second[0] += dot3(g, t + 3);
    second[1] += dot3(g + 3, t + 3);
}

void crd_form_product(const CrdStructure *structure, const double *G, const double *T, double *S) {
    memset(S, 0, (size_t)structure->size_s * sizeof *S);
    for (int i = 0; i < structure->product_count; i++) {
        const CrdProduct *product = &structure->products[i];
        switch (product->width) {
        case 6:
            add_product(product, G, T, 6, S);
            break;
        case 3:
            add_plane_product(product, G, T, S);
            break;
        case 2:
            add_product(product, G, T, 2, S);
            break;
        case 1:
            add_product(product, G, T, 1, S);
            break;
        default:
            add_product(product, G, T, product->width, S);
            break;
        }
    }
}

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
    crd_form_product(model->structure, system->G, system->T, system->S);
    crd_stamp_add(&system->stamp, CRD_HOLDS_SCHUR);
}

void crd_add_forced(const CardanModel *model, const CrdSystem *system, double s, const double *y, double *x) {
    const CrdStructure *structure = model->structure;
    if (structure->tree == NULL) {
        crd_times_gt(structure, system->T, s, y, x);
        return;
    }
    double *forced = system->tree.forced;
    memset(forced, 0, (size_t)structure->nv * sizeof *forced);
    crd_times_gt(structure, system->T, s, y, forced);
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
