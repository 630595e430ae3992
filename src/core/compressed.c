#include "core/compressed.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

void crd_entries_add(CrdEntries *entries, int row, int column, double value) {
    if (entries->failed) return;
    if (entries->count == INT_MAX ||
        !crd_grow(&entries->entry, &entries->capacity, entries->count + 1, sizeof *entries->entry)) {
        entries->failed = true;
        return;
    }
    entries->entry[entries->count++] = (CrdEntry){row, column, value};
}

void crd_entries_add_matrix(CrdEntries *entries, int row, int column, double s, const CrdCompressed *matrix) {
    for (int c = 0; c < matrix->columns; c++)
        for (int i = matrix->start[c]; i < matrix->start[c + 1]; i++)
            crd_entries_add(entries, row + matrix->row[i], column + c, s * matrix->value[i]);
}

/* Where the entries of each row, or column, start. */
static void count_starts(const CrdEntries *entries, bool by_row, int n, int *start) {
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int i = 0; i < entries->count; i++) start[(by_row ? entries->entry[i].row : entries->entry[i].column) + 1]++;
    for (int i = 0; i < n; i++) start[i + 1] += start[i];
}

/* Sorts by rows, then, keeping that order, by columns: two passes of counting. */
static bool sort_entries(CrdEntries *entries, int rows, int columns) {
    int longest = rows > columns ? rows : columns;
    int *start = crd_new((size_t)longest + 1, sizeof *start);
    CrdEntry *other = crd_new((size_t)entries->count, sizeof *other);
    bool done = start != NULL && other != NULL;
    for (int pass = 0; done && pass < 2; pass++) {
        bool by_row = pass == 0;
        const CrdEntry *from = by_row ? entries->entry : other;
        CrdEntry *to = by_row ? other : entries->entry;
        count_starts(entries, by_row, by_row ? rows : columns, start);
        for (int i = 0; i < entries->count; i++) to[start[by_row ? from[i].row : from[i].column]++] = from[i];
    }
    CRD_DELETE_ALL(start, other);
    return done;
}

/* Entries in the same place become one; returns how many are left. */
static int merge_entries(CrdEntries *entries) {
    int kept = 0;
    for (int i = 0; i < entries->count; i++) {
        CrdEntry *last = kept > 0 ? &entries->entry[kept - 1] : NULL, now = entries->entry[i];
        if (last != NULL && last->row == now.row && last->column == now.column)
            last->value += now.value;
        else
            entries->entry[kept++] = now;
    }
    return kept;
}

static bool fill(const CrdEntries *entries, int count, CrdCompressed *out) {
    out->start = crd_new((size_t)out->columns + 1, sizeof *out->start);
    out->row = crd_new((size_t)count, sizeof *out->row);
    out->value = crd_new((size_t)count, sizeof *out->value);
    if (out->start == NULL || out->row == NULL || out->value == NULL) return false;
    for (int i = 0; i < count; i++) {
        assert(entries->entry[i].row >= 0 && entries->entry[i].row < out->rows);
        out->start[entries->entry[i].column + 1]++;
        out->row[i] = entries->entry[i].row;
        out->value[i] = entries->entry[i].value;
    }
    for (int c = 0; c < out->columns; c++) out->start[c + 1] += out->start[c];
    return true;
}

CardanStatus crd_compressed_create(CrdEntries *entries, int rows, int columns, CrdCompressed *out, CrdError *error) {
    *out = (CrdCompressed){.rows = rows, .columns = columns};
    bool made = !entries->failed && (entries->count == 0 || sort_entries(entries, rows, columns));
    if (made) made = fill(entries, merge_entries(entries), out);
    crd_delete(entries->entry);
    *entries = (CrdEntries){0};
    if (made) return CARDAN_OK;
    crd_compressed_free(out);
    return crd_fail_memory(error);
}

void crd_compressed_free(CrdCompressed *matrix) {
    CRD_DELETE_ALL(matrix->start, matrix->row, matrix->value);
    *matrix = (CrdCompressed){0};
}

void crd_compressed_times(const CrdCompressed *matrix, double s, const double *x, double *y) {
    for (int c = 0; c < matrix->columns; c++)
        for (int i = matrix->start[c]; i < matrix->start[c + 1]; i++) y[matrix->row[i]] += s * matrix->value[i] * x[c];
}

void crd_compressed_times_transposed(const CrdCompressed *matrix, double s, const double *x, double *y) {
    for (int c = 0; c < matrix->columns; c++)
        for (int i = matrix->start[c]; i < matrix->start[c + 1]; i++) y[c] += s * matrix->value[i] * x[matrix->row[i]];
}

double crd_compressed_largest(const CrdCompressed *matrix) {
    double max = 0.0;
    for (int i = 0; i < (matrix->start != NULL ? matrix->start[matrix->columns] : 0); i++)
        max = fmax(max, fabs(matrix->value[i]));
    return max;
}
