/* Sparse rectangular matrices by columns, made of entries in any order; entries in the same place add up. */
#ifndef CRD_CORE_COMPRESSED_H
#define CRD_CORE_COMPRESSED_H

#include "core/memory.h"
#include "core/status.h"

#include <stdbool.h>

typedef struct CrdEntry {
    int row, column;
    double value;
} CrdEntry;

/* A list of entries that grows. */
typedef struct CrdEntries {
    CrdEntry *entry;
    int count, capacity;
    bool failed; /* out of memory */
} CrdEntries;

void crd_entries_add(CrdEntries *entries, int row, int column, double value);

typedef struct CrdCompressed {
    int rows, columns;
    int *start;    /* (columns + 1) */
    int *row;      /* rising in each column */
    double *value; /* entries */
} CrdCompressed;

/* The matrix of the entries, which are freed in any case. Zeros keep their places. */
CardanStatus crd_compressed_create(CrdEntries *entries, int rows, int columns, CrdCompressed *out, CrdError *error);
void crd_compressed_free(CrdCompressed *matrix);

/* y += s A x, y += s A^T x. */
void crd_compressed_times(const CrdCompressed *matrix, double s, const double *x, double *y);
void crd_compressed_times_transposed(const CrdCompressed *matrix, double s, const double *x, double *y);

/* Adds s times the matrix to entries, its upper left corner at (row, column). */
void crd_entries_add_matrix(CrdEntries *entries, int row, int column, double s, const CrdCompressed *matrix);

/* Largest |entry|. */
double crd_compressed_largest(const CrdCompressed *matrix);

#endif
