/* The pattern of a sparse matrix that is put together from dense rectangles, and where the numbers of each go.
 *
 * The same code runs twice over its rectangles, as layout functions do: while the pattern is open crd_tiles_put only
 * notes them; once it is closed each further run, in the same order, adds their numbers to a set of values without any
 * search. Rows of a rectangle are consecutive and so are their slots in each of its columns. */
#ifndef CRD_CORE_TILES_H
#define CRD_CORE_TILES_H

#include "core/memory.h"
#include "core/status.h"

#include <stdbool.h>

typedef struct CrdTile {
    int row, column, rows, columns;
    int slot; /* in CrdTiles.slot: of each of its columns */
} CrdTile;

typedef struct CrdTiles {
    int n;       /* order of the matrix */
    int entries; /* in the pattern */
    int *start;  /* (n + 1) by columns; NULL: the pattern is open */
    int *row;    /* (entries) sorted in each column */
    CrdTile *tile;
    int count, capacity;
    int *slot;
    int slots;
    int cursor;  /* the next one to be put */
    bool failed; /* out of memory, or too large */
} CrdTiles;

/* An open pattern of this order. */
void crd_tiles_open(CrdTiles *tiles, int n);

/* Makes the pattern of what was noted. */
CardanStatus crd_tiles_close(CrdTiles *tiles, CrdError *error);

void crd_tiles_free(CrdTiles *tiles);

/* The run over the rectangles begins. */
static inline void crd_tiles_begin(CrdTiles *tiles) {
    tiles->cursor = 0;
}

/* Notes a rectangle (values and block are not looked at), or adds scale times the row-major block, whose rows are
 * `stride` apart, to the values. */
void crd_tiles_put(CrdTiles *tiles, int row, int column, int rows, int columns, double scale, const double *block,
                   int stride, double *values);

/* Is the pattern still being noted? */
static inline bool crd_tiles_is_open(const CrdTiles *tiles) {
    return tiles->start == NULL;
}

/* y (n) += s A x. */
void crd_tiles_times(const CrdTiles *tiles, const double *values, double s, const double *x, double *y);

#endif
