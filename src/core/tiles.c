#include "core/tiles.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

void crd_tiles_open(CrdTiles *tiles, int n) {
    assert(n >= 0);
    *tiles = (CrdTiles){.n = n};
}

void crd_tiles_free(CrdTiles *tiles) {
    CRD_DELETE_ALL(tiles->start, tiles->row, tiles->tile, tiles->slot);
    *tiles = (CrdTiles){0};
}

static void note(CrdTiles *tiles, CrdTile tile) {
    if (tiles->failed) return;
    if (tiles->slots > INT_MAX - tile.columns ||
        !crd_grow(&tiles->tile, &tiles->capacity, tiles->count + 1, sizeof *tiles->tile)) {
        tiles->failed = true;
        return;
    }
    tile.slot = tiles->slots;
    tiles->slots += tile.columns;
    tiles->tile[tiles->count++] = tile;
}

void crd_tiles_put(CrdTiles *tiles, int row, int column, int rows, int columns, double scale, const double *block,
                   int stride, double *values) {
    assert(row >= 0 && column >= 0 && row + rows <= tiles->n && column + columns <= tiles->n);
    if (crd_tiles_is_open(tiles)) {
        note(tiles, (CrdTile){row, column, rows, columns, 0});
        return;
    }
    assert(tiles->cursor < tiles->count);
    const CrdTile *tile = &tiles->tile[tiles->cursor++];
    assert(tile->row == row && tile->column == column && tile->rows == rows && tile->columns == columns);
    for (int c = 0; c < columns; c++) {
        double *to = values + tiles->slot[tile->slot + c];
        for (int r = 0; r < rows; r++) to[r] += scale * block[(size_t)r * (size_t)stride + (size_t)c];
    }
}

/* ---- closing ---- */

/* Rectangles by first column. */
typedef struct Lists {
    int *start, *item; /* of each column: rectangles that have it */
    int *mark;         /* (n) last column that has this row */
} Lists;

static bool list_columns(const CrdTiles *tiles, Lists *lists) {
    size_t n = (size_t)tiles->n;
    lists->start = crd_new(n + 2, sizeof *lists->start);
    lists->item = crd_new((size_t)tiles->slots, sizeof *lists->item);
    lists->mark = crd_new(n, sizeof *lists->mark);
    if (lists->start == NULL || lists->item == NULL || lists->mark == NULL) return false;
    for (int i = 0; i < tiles->count; i++)
        for (int c = 0; c < tiles->tile[i].columns; c++) lists->start[tiles->tile[i].column + c + 2]++;
    for (size_t c = 2; c <= n + 1; c++) lists->start[c] += lists->start[c - 1];
    for (int i = 0; i < tiles->count; i++)
        for (int c = 0; c < tiles->tile[i].columns; c++) lists->item[lists->start[tiles->tile[i].column + c + 1]++] = i;
    for (size_t r = 0; r < n; r++) lists->mark[r] = -1;
    return true;
}

static void free_lists(Lists *lists) {
    CRD_DELETE_ALL(lists->start, lists->item, lists->mark);
}

/* Rows of column c; written when `out` is not NULL. */
static long long rows_of(const CrdTiles *tiles, Lists *lists, int c, int stamp, int *out) {
    long long count = 0;
    for (int i = lists->start[c]; i < lists->start[c + 1]; i++) {
        const CrdTile *tile = &tiles->tile[lists->item[i]];
        for (int r = tile->row; r < tile->row + tile->rows; r++) {
            if (lists->mark[r] == stamp) continue;
            lists->mark[r] = stamp;
            if (out != NULL) out[count] = r;
            count++;
        }
    }
    return count;
}

/* Columns are short or nearly sorted: they are made of sorted runs. */
static void sort(int *x, long long count) {
    for (long long i = 1; i < count; i++) {
        int value = x[i];
        long long k = i;
        for (; k > 0 && x[k - 1] > value; k--) x[k] = x[k - 1];
        x[k] = value;
    }
}

/* Where row r stands in a sorted column. */
static int position(const CrdTiles *tiles, int c, int r) {
    int low = tiles->start[c], high = tiles->start[c + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (tiles->row[middle] < r)
            low = middle + 1;
        else
            high = middle;
    }
    assert(tiles->row[low] == r);
    return low;
}

static CardanStatus fill(CrdTiles *tiles, Lists *lists, int *start, CrdError *error) {
    long long total = 0;
    for (int c = 0; c < tiles->n; c++) {
        total += rows_of(tiles, lists, c, c, NULL);
        if (total > INT_MAX) return crd_fail(error, CARDAN_ERR_LIMIT, "a step matrix is too large for 32 bits");
        start[c + 1] = (int)total;
    }
    tiles->row = crd_new((size_t)total, sizeof *tiles->row);
    tiles->slot = crd_new((size_t)tiles->slots, sizeof *tiles->slot);
    if (tiles->row == NULL || tiles->slot == NULL) return crd_fail_memory(error);
    for (int r = 0; r < tiles->n; r++) lists->mark[r] = -1;
    for (int c = 0; c < tiles->n; c++) {
        long long count = rows_of(tiles, lists, c, c, tiles->row + start[c]);
        sort(tiles->row + start[c], count);
    }
    tiles->start = start;
    tiles->entries = (int)total;
    for (int i = 0; i < tiles->count; i++)
        for (int c = 0; c < tiles->tile[i].columns && tiles->tile[i].rows > 0; c++)
            tiles->slot[tiles->tile[i].slot + c] = position(tiles, tiles->tile[i].column + c, tiles->tile[i].row);
    return CARDAN_OK;
}

CardanStatus crd_tiles_close(CrdTiles *tiles, CrdError *error) {
    assert(crd_tiles_is_open(tiles));
    if (tiles->failed) return crd_fail_memory(error);
    Lists lists = {0};
    int *start = crd_new((size_t)tiles->n + 1, sizeof *start);
    CardanStatus status =
        start != NULL && list_columns(tiles, &lists) ? fill(tiles, &lists, start, error) : crd_fail_memory(error);
    free_lists(&lists);
    if (tiles->start != start) crd_delete(start);
    return status;
}

void crd_tiles_times(const CrdTiles *tiles, const double *values, double s, const double *x, double *y) {
    for (int c = 0; c < tiles->n; c++) {
        double at = s * x[c];
        for (int i = tiles->start[c]; at != 0.0 && i < tiles->start[c + 1]; i++) y[tiles->row[i]] += values[i] * at;
    }
}
