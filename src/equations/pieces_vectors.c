/* Products of G in pieces with vectors: G x and G^T y. Of pieces that hold a point (pieces.c) nothing is multiplied
 * that is known to be zero.
 *
 * G^T y adds the rows of several elements to the coordinates of one block: with threads block by block, each taking its
 * elements in their order, so that bits are the same. */
#include "equations/pieces.h"

#include "core/two.h"

#include <assert.h>
#include <string.h>

#ifndef NDEBUG
/* Is what stands beside the diagonal and below it zero? */
static inline bool is_point(const CrdIncidence *in, const double *piece) {
    for (int r = 0; in->point && r < in->rows; r++)
        for (int k = 0; k < 3; k++)
            if (r != k && piece[6 * r + k] != 0.0) return false;
    return true;
}
#endif

/* ---- y += G x ---- */

/* Incidences that follow one another may be of one element, whose rows they add to: those of a range begin with the
 * first element that is not the one before it, and end likewise. */
static int whole_elements(const CrdStructure *structure, int i) {
    const CrdIncidence *incidences = structure->incidences;
    while (i > 0 && i < structure->incidence_count && incidences[i].element == incidences[i - 1].element) i++;
    return i;
}

WITHIN void add_rows(int width, int rows, const double *piece, const double *u, double *y) {
    for (int r = 0; r < rows; r++, piece += width) {
        double sum = 0.0;
        for (int k = 0; k < width; k++) sum += piece[k] * u[k];
        y[r] += sum;
    }
}

WITHIN void add_point_rows(int rows, const double *piece, const double *u, double *y) {
    const double turns[3] = {u[3], u[4], u[5]};
    for (int r = 0; r < 3; r++) y[r] += piece[7 * r] * u[r] + crd_dot3(piece + 6 * r + 3, turns);
    for (int r = 3; r < rows; r++) y[r] += crd_dot3(piece + 6 * r + 3, turns);
}

/* mixed: a constant. */
WITHIN void times_g(const CrdPieces *all, bool mixed, CrdRange items) {
    const CrdStructure *structure = all->structure;
    const double *pieces = all->a, *x = all->b;
    double *y = all->out;
    assert(structure->size_g == 0 || (x != y && pieces != y));
    int end = whole_elements(structure, items.end);
    for (int i = whole_elements(structure, items.first); i < end; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const double *piece = pieces + in->g, *u = x + in->v;
        double *out = y + structure->elements[in->element].first;
        assert(mixed || is_point(in, piece));
        if (!mixed && in->point)
            add_point_rows(in->rows, piece, u, out);
        else if (in->width == 6)
            add_rows(6, in->rows, piece, u, out);
        else if (in->width == 3)
            add_rows(3, in->rows, piece, u, out);
        else if (in->width == 1 && in->rows == CRD_PIN_ROWS)
            add_rows(1, CRD_PIN_ROWS, piece, u, out);
        else if (in->width == 1)
            add_rows(1, in->rows, piece, u, out);
        else
            add_rows(in->width, in->rows, piece, u, out);
    }
}

WITHIN void times_g_range(void *user, CrdRange items) {
    times_g(user, false, items);
}

void crd_times_g_with(CrdPool *pool, const CrdStructure *structure, const double *pieces, const double *x, double *y) {
    enum { PART = 1024 }; /* some 10 us */
    CrdPieces all = {structure, pieces, x, y};
    crd_pool_each(pool, times_g_range, &all, structure->incidence_count, PART);
}

void crd_times_g(const CrdStructure *structure, const double *pieces, const double *x, double *y) {
    crd_times_g_with(NULL, structure, pieces, x, y);
}

void crd_mixed_times_g(const CrdStructure *structure, const double *pieces, const double *x, double *y) {
    CrdPieces all = {structure, pieces, x, y};
    times_g(&all, true, (CrdRange){0, structure->incidence_count});
}

/* ---- x += s G^T y ---- */

WITHIN void add_columns(int width, int rows, const double *piece, double scale, const double *from, double *u) {
    for (int r = 0; r < rows; r++, piece += width) {
        double lambda = scale * from[r];
        for (int k = 0; k < width; k++) u[k] += piece[k] * lambda;
    }
}

/* Columns are few: they stay in registers. */
WITHIN void add_few_columns(int width, int rows, const double *piece, double scale, const double *from, double *u) {
    double sum[6];
    for (int k = 0; k < width; k++) sum[k] = u[k];
    add_columns(width, rows, piece, scale, from, sum);
    for (int k = 0; k < width; k++) u[k] = sum[k];
}

WITHIN void add_point_columns(int rows, const double *piece, double scale, const double *from, double *u) {
    double turns[3] = {u[3], u[4], u[5]};
    for (int r = 0; r < rows; r++) {
        double lambda = scale * from[r];
        if (r < 3) u[r] += piece[7 * r] * lambda;
        for (int k = 0; k < 3; k++) turns[k] += piece[6 * r + 3 + k] * lambda;
    }
    memcpy(u + 3, turns, sizeof turns);
}

typedef struct Transposed {
    const CrdStructure *structure;
    const double *pieces, *y;
    double *x;
    double scale;
} Transposed;

/* Of one piece. mixed: a constant. */
WITHIN void add_piece(Transposed all, const CrdIncidence *in, bool mixed) {
    const double *piece = all.pieces + in->g, *from = all.y + all.structure->elements[in->element].first;
    double *u = all.x + in->v;
    assert(mixed || is_point(in, piece));
    if (!mixed && in->point)
        add_point_columns(in->rows, piece, all.scale, from, u);
    else if (in->width == 6)
        add_few_columns(6, in->rows, piece, all.scale, from, u);
    else if (in->width == 3)
        add_few_columns(3, in->rows, piece, all.scale, from, u);
    else if (in->width == 1 && in->rows == CRD_PIN_ROWS)
        add_few_columns(1, CRD_PIN_ROWS, piece, all.scale, from, u);
    else if (in->width == 1)
        add_few_columns(1, in->rows, piece, all.scale, from, u);
    else
        add_columns(in->width, in->rows, piece, all.scale, from, u);
}

static void add_to_blocks(void *user, CrdRange blocks) {
    const Transposed all = *(const Transposed *)user;
    const CrdStructure *structure = all.structure;
    for (int i = structure->of_block_start[blocks.first]; i < structure->of_block_start[blocks.end]; i++)
        add_piece(all, &structure->incidences[structure->of_block[i]], false);
}

enum { BLOCKS = 256 }; /* in a range: some 5 us */

void crd_times_gt_with(CrdPool *pool, const CrdStructure *structure, const double *pieces, double scale,
                       const double *y, double *x) {
    const Transposed all = {structure, pieces, y, x, scale};
    Transposed shared = all; /* the other need not be in memory */
    assert(structure->size_g == 0 || (x != y && pieces != x));
    if (pool != NULL && structure->block_count > BLOCKS)
        crd_pool_divide(pool, add_to_blocks, &shared, structure->block_count, BLOCKS);
    else
        for (int i = 0; i < structure->incidence_count; i++) add_piece(all, &structure->incidences[i], false);
}

void crd_times_gt(const CrdStructure *structure, const double *pieces, double scale, const double *y, double *x) {
    crd_times_gt_with(NULL, structure, pieces, scale, y, x);
}

void crd_mixed_times_gt(const CrdStructure *structure, const double *pieces, double scale, const double *y, double *x) {
    Transposed all = {structure, pieces, y, x, scale};
    for (int i = 0; i < structure->incidence_count; i++) add_piece(all, &structure->incidences[i], true);
}

/* ---- of two vectors at once ---- */

/* Inlined with a constant width of 6 at most. */
WITHIN void add_few_twice(int width, int rows, const double *piece, double scale, const double *from, double *u) {
    CrdTwo sum[6];
    for (int k = 0; k < width; k++) sum[k] = crd_two_at(u, k);
    for (int r = 0; r < rows; r++, piece += width) {
        CrdTwo lambda = crd_two_scaled(scale, crd_two_at(from, r));
        for (int k = 0; k < width; k++) sum[k] = crd_two_plus(sum[k], piece[k], lambda);
    }
    for (int k = 0; k < width; k++) crd_put_two(u, k, sum[k]);
}

WITHIN void add_point_twice(int rows, const double *piece, double scale, const double *from, double *u) {
    CrdTwo turns[3] = {crd_two_at(u, 3), crd_two_at(u, 4), crd_two_at(u, 5)};
    for (int r = 0; r < rows; r++) {
        CrdTwo lambda = crd_two_scaled(scale, crd_two_at(from, r));
        if (r < 3) crd_put_two(u, r, crd_two_plus(crd_two_at(u, r), piece[7 * r], lambda));
        for (int k = 0; k < 3; k++) turns[k] = crd_two_plus(turns[k], piece[6 * r + 3 + k], lambda);
    }
    for (int k = 0; k < 3; k++) crd_put_two(u, 3 + k, turns[k]);
}

WITHIN void add_twice(const CrdIncidence *in, const double *piece, double scale, const double *from, double *u) {
    for (int r = 0; r < in->rows; r++, piece += in->width) {
        CrdTwo lambda = crd_two_scaled(scale, crd_two_at(from, r));
        for (int k = 0; k < in->width; k++) crd_put_two(u, k, crd_two_plus(crd_two_at(u, k), piece[k], lambda));
    }
}

WITHIN void add_piece_twice(Transposed all, const CrdIncidence *in) {
    const double *piece = all.pieces + in->g;
    const double *from = all.y + 2 * (ptrdiff_t)all.structure->elements[in->element].first;
    double *u = all.x + 2 * (ptrdiff_t)in->v;
    assert(is_point(in, piece));
    if (in->point)
        add_point_twice(in->rows, piece, all.scale, from, u);
    else if (in->width == 6)
        add_few_twice(6, in->rows, piece, all.scale, from, u);
    else if (in->width == 3 && in->rows == CRD_PIN_ROWS)
        add_few_twice(3, CRD_PIN_ROWS, piece, all.scale, from, u);
    else if (in->width == 3)
        add_few_twice(3, in->rows, piece, all.scale, from, u);
    else if (in->width == 1)
        add_few_twice(1, in->rows, piece, all.scale, from, u);
    else
        add_twice(in, piece, all.scale, from, u);
}

static void add_twice_to_blocks(void *user, CrdRange blocks) {
    const Transposed all = *(const Transposed *)user;
    const CrdStructure *structure = all.structure;
    for (int i = structure->of_block_start[blocks.first]; i < structure->of_block_start[blocks.end]; i++)
        add_piece_twice(all, &structure->incidences[structure->of_block[i]]);
}

void crd_times_gt_twice(CrdPool *pool, const CrdStructure *structure, const double *pieces, double scale,
                        const double *y, double *x) {
    const Transposed all = {structure, pieces, y, x, scale};
    Transposed shared = all; /* the other need not be in memory */
    assert(structure->size_g == 0 || (x != y && pieces != x));
    if (pool != NULL && structure->block_count > BLOCKS)
        crd_pool_divide(pool, add_twice_to_blocks, &shared, structure->block_count, BLOCKS);
    else
        for (int i = 0; i < structure->incidence_count; i++) add_piece_twice(all, &structure->incidences[i]);
}
