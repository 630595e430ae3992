/* Products with G in pieces, and S = G W G^T through the slot map made at compile. */
#include "equations/system.h"

#include <assert.h>
#include <string.h>

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
        double *t = out + in->g;
        if (block->kind == CRD_PLANAR_BODY) {
            const CrdBlockValues *values = &model->values.blocks[in->block];
            over_planar(values->inverse_mass, values->inverse_inertia[8], in->rows, pieces + in->g, t);
            continue;
        }
        memcpy(t, pieces + in->g, (size_t)in->rows * (size_t)in->width * sizeof *t);
        for (int r = 0; r < in->rows; r++, t += in->width) crd_solve_block(model, system, in->block, t);
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
