/* T = G M^-1 in pieces, and S = G W G^T through the slot map made at compile.
 *
 * The pieces in space are mostly those of joints that hold a point (CrdIncidence.point): with D diagonal, 3 x 3,
 *     G = [ D  A ]        G M^-1 = [ D / m  A J^-1 ]        G_i M^-1 G_j^T = [ D_i D_j / m  0 ]  +  A_i J^-1 A_j^T
 *         [ 0    ]                 [ 0             ]                         [ 0            0 ]
 * so half of the products are not made. */
#include "equations/pieces.h"

#include <assert.h>
#include <string.h>

/* ---- G M^-1 ---- */

WITHIN void over_planar(const CrdBlockValues *values, int rows, const double *piece, double *t) {
    for (int r = 0; r < rows; r++, piece += 3, t += 3) {
        t[0] = piece[0] * values->inverse_mass;
        t[1] = piece[1] * values->inverse_mass;
        t[2] = piece[2] * values->inverse_inertia[8];
    }
}

WITHIN void over_spatial(const CrdBlockValues *values, int rows, const double *piece, double *t) {
    double inverse[9];
    memcpy(inverse, values->inverse_inertia, sizeof inverse);
    for (int r = 0; r < rows; r++, piece += 6, t += 6) {
        crd_put(t, crd_scale(values->inverse_mass, crd_vec_of(piece)));
        crd_put(t + 3, crd_apply(inverse, crd_vec_of(piece + 3)));
    }
}

typedef struct Pieces {
    const CardanModel *model;
    const CrdSystem *system;
    const double *pieces;
    double *out;
} Pieces;

WITHIN void over_mass_range(void *user, CrdRange items) {
    const Pieces *all = user;
    const CardanModel *model = all->model;
    const CrdStructure *structure = model->structure;
    for (int i = items.first; i < items.end; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdBlockValues *values = &model->values.blocks[in->block];
        const double *piece = all->pieces + in->g;
        double *t = all->out + in->g;
        switch (structure->blocks[in->block].kind) {
        case CRD_PLANAR_BODY:
            over_planar(values, in->rows, piece, t);
            break;
        case CRD_SPATIAL_BODY:
            over_spatial(values, in->rows, piece, t);
            break;
        default:
            memcpy(t, piece, (size_t)in->rows * (size_t)in->width * sizeof *t);
            for (int r = 0; r < in->rows; r++, t += in->width) crd_solve_block(model, all->system, in->block, t);
        }
    }
}

void crd_pieces_over_mass(const CardanModel *model, const CrdSystem *system, const double *pieces, double *out) {
    enum { PART = 512 }; /* some 10 us */
    Pieces all = {model, system, pieces, out};
    assert(model->structure->size_g == 0 || pieces != out);
    crd_pool_each(system->pool, over_mass_range, &all, model->structure->incidence_count, PART);
}

/* ---- S ---- */

WITHIN void add_product(const CrdProduct *product, const double *G, const double *T, int width, double *S) {
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

/* Bodies in the plane, hinges of two rows. */
WITHIN void add_hinges(const CrdProduct *product, const double *G, const double *T, double *S) {
    const double *g = G + product->g, *t = T + product->t;
    double *first = S + product->base + product->offset, *second = first + product->above + 1;
    first[0] += crd_dot3(g, t);
    if (!product->diagonal) first[1] += crd_dot3(g + 3, t);
    second[0] += crd_dot3(g, t + 3);
    second[1] += crd_dot3(g + 3, t + 3);
}

/* Pieces that hold points, see above. Inlined with constants where they are common. */
WITHIN void add_point_columns_of(int rows, int columns, bool diagonal, const CrdProduct *product, const double *g,
                                 const double *t, double *slot) {
    for (int c = 0; c < columns; c++, t += 6) {
        const double turns[3] = {t[3], t[4], t[5]};
        int end = diagonal ? c + 1 : rows;
        for (int r = 0; r < end; r++) slot[r] += crd_dot3(g + 6 * r + 3, turns);
        if (c < 3) slot[c] += g[7 * c] * t[c];
        slot += product->above + c + 1;
    }
}

WITHIN void add_points(const CrdProduct *product, int rows, int columns, const double *G, const double *T, double *S) {
    const double *g = G + product->g, *t = T + product->t;
    double *slot = S + product->base + product->offset;
    assert(rows >= 3 && columns >= 3);
    if (product->diagonal)
        add_point_columns_of(rows, columns, true, product, g, t, slot);
    else
        add_point_columns_of(rows, columns, false, product, g, t, slot);
}

/* Products are by column elements: those of one add to the same entries. */
static int whole_columns(const CrdStructure *structure, int i) {
    const CrdProduct *products = structure->products;
    while (i > 0 && i < structure->product_count && products[i].base == products[i - 1].base) i++;
    return i;
}

/* Where the entries of S begin that a product and those after it add to. */
static int begin_of(const CrdStructure *structure, int product) {
    if (product == 0) return 0;
    return product < structure->product_count ? structure->products[product].base : structure->size_s;
}

WITHIN void form_product(const CrdPieces *all, bool mixed, CrdRange items) {
    const CrdStructure *structure = all->structure;
    const double *G = all->a, *T = all->b;
    double *S = all->out;
    int first = whole_columns(structure, items.first), end = whole_columns(structure, items.end);
    int from = begin_of(structure, first);
    memset(S + from, 0, (size_t)(begin_of(structure, end) - from) * sizeof *S);
    for (int i = first; i < end; i++) {
        const CrdProduct *product = &structure->products[i];
        CrdProductKind kind = product->kind;
        if (mixed && kind > CRD_PRODUCT_SPACE) kind = CRD_PRODUCT_SPACE;
        switch (kind) {
        case CRD_PRODUCT_POINTS5:
            add_points(product, 5, 5, G, T, S);
            break;
        case CRD_PRODUCT_POINTS3:
            add_points(product, 3, 3, G, T, S);
            break;
        case CRD_PRODUCT_POINTS:
            add_points(product, product->rows, product->columns, G, T, S);
            break;
        case CRD_PRODUCT_SPACE:
            add_product(product, G, T, 6, S);
            break;
        case CRD_PRODUCT_HINGES:
            add_hinges(product, G, T, S);
            break;
        case CRD_PRODUCT_PLANE:
            add_product(product, G, T, 3, S);
            break;
        case CRD_PRODUCT_TWO:
            add_product(product, G, T, 2, S);
            break;
        case CRD_PRODUCT_ONE:
            add_product(product, G, T, 1, S);
            break;
        case CRD_PRODUCT_ANY:
            add_product(product, G, T, product->width, S);
            break;
        }
    }
}

WITHIN void form_range(void *user, CrdRange items) {
    form_product(user, false, items);
}

static void form_mixed_range(void *user, CrdRange items) {
    form_product(user, true, items);
}

enum { PRODUCTS = 256 }; /* in a range: some 5 us */

void crd_form_product(CrdPool *pool, const CrdStructure *structure, const double *G, const double *T, double *S) {
    CrdPieces all = {structure, G, T, S};
    crd_pool_each(pool, form_range, &all, structure->product_count, PRODUCTS);
}

void crd_form_mixed_product(CrdPool *pool, const CrdStructure *structure, const double *G, const double *T, double *S) {
    CrdPieces all = {structure, G, T, S};
    crd_pool_each(pool, form_mixed_range, &all, structure->product_count, PRODUCTS);
}
