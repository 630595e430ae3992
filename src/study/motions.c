/* Minimal velocities: a basis of the motions that the rows allow, by Gauss-Jordan elimination of the dense kinematic
 * rows with complete pivoting. Columns that never became a pivot are the independent velocities, so their lines of Z
 * are the identity. */
#include "study/operators.h"

#include "core/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pivot below this part of the first one is zero: the rows know poses to some 1e-15, and elimination with complete
 * pivoting keeps that but for a modest growth. */
#define CRD_MOTIONS_PIVOT 1e-9

typedef struct Elimination {
    int rows, n;
    double *a;     /* (rows x n) */
    double *width; /* (n) what columns were divided by: lengths of the model, so that m and rad compare */
    int *column;   /* (rows) pivot of each used row */
    bool *used;    /* (n) column is a pivot */
} Elimination;

static bool next_pivot(const Elimination *el, int from, double least, int *row, int *column) {
    double largest = 0.0;
    for (int r = from; r < el->rows; r++)
        for (int c = 0; c < el->n; c++)
            if (!el->used[c] && fabs(el->a[(size_t)r * (size_t)el->n + (size_t)c]) > largest) {
                largest = fabs(el->a[(size_t)r * (size_t)el->n + (size_t)c]);
                *row = r;
                *column = c;
            }
    return largest > least;
}

static void eliminate(Elimination *el, int k, int row, int column) {
    size_t n = (size_t)el->n;
    double *pivot = el->a + (size_t)k * n, *other = el->a + (size_t)row * n;
    for (size_t c = 0; row != k && c < n; c++) {
        double keep = pivot[c];
        pivot[c] = other[c];
        other[c] = keep;
    }
    double over = 1.0 / pivot[column];
    for (size_t c = 0; c < n; c++) pivot[c] *= over;
    for (int r = 0; r < el->rows; r++) {
        double *line = el->a + (size_t)r * n, times = line[column];
        if (r == k || times == 0.0) continue;
        for (size_t c = 0; c < n; c++) line[c] -= times * pivot[c];
        line[column] = 0.0;
    }
    el->used[column] = true;
    el->column[k] = column;
}

/* Columns in lengths of the model, rows of length 1. */
static void balance(const CardanModel *model, Elimination *el) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        int lengths = crd_block_lengths(structure, block);
        for (int k = 0; k < block->nv; k++) el->width[block->v + k] = k < lengths ? model->values.size : 1.0;
    }
    for (int r = 0; r < el->rows; r++) {
        double *line = el->a + (size_t)r * (size_t)el->n, sum = 0.0;
        for (int c = 0; c < el->n; c++) {
            line[c] *= el->width[c];
            sum += line[c] * line[c];
        }
        for (int c = 0; c < el->n && sum > 0.0; c++) line[c] /= sqrt(sum);
    }
}

static int rank_of(Elimination *el) {
    int rank = 0, row = 0, column = 0;
    double least = CRD_MOTIONS_PIVOT;
    while (rank < el->rows && next_pivot(el, rank, least, &row, &column)) eliminate(el, rank++, row, column);
    return rank;
}

static void write_basis(const Elimination *el, int rank, double *z, int *chosen) {
    int freedoms = el->n - rank, at = 0;
    if (z != NULL) memset(z, 0, (size_t)el->n * (size_t)freedoms * sizeof *z);
    for (int c = 0; c < el->n; c++) {
        if (el->used[c]) continue;
        if (chosen != NULL) chosen[at] = c;
        if (z != NULL) z[(size_t)c * (size_t)freedoms + (size_t)at] = 1.0;
        for (int r = 0; z != NULL && r < rank; r++)
            z[(size_t)el->column[r] * (size_t)freedoms + (size_t)at] =
                -el->a[(size_t)r * (size_t)el->n + (size_t)c] * el->width[el->column[r]] / el->width[c];
        at++;
    }
}

CardanStatus cardan_operators_motions(CardanOperators *operators, int *freedoms, double *z, int *chosen) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, freedoms));
    CRD_TRY(crd_operators_dense(operators, "a basis of motions"));
    const CrdStructure *structure = operators->model->structure;
    size_t rows = (size_t)structure->rows, n = (size_t)structure->nv;
    Elimination el = {.rows = structure->rows, .n = structure->nv};
    el.a = crd_new(rows * n, sizeof *el.a);
    el.width = crd_new(n, sizeof *el.width);
    el.column = crd_new(rows, sizeof *el.column);
    el.used = crd_new(n, sizeof *el.used);
    CardanStatus status = CARDAN_OK;
    if (el.a == NULL || el.width == NULL || el.column == NULL || el.used == NULL)
        status = crd_operators_report(operators, crd_fail_memory(&operators->error));
    if (status >= 0) status = cardan_operators_rows(operators, el.a);
    if (status >= 0) {
        balance(operators->model, &el);
        int rank = rank_of(&el);
        *freedoms = structure->nv - rank;
        write_basis(&el, rank, z, chosen);
    }
    CRD_DELETE_ALL(el.a, el.width, el.column, el.used);
    return status;
}
