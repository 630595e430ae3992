/* Sparse rectangular matrices by columns, made of entries in any order; entries in the same place add up. */
#ifndef CRD_CORE_SPARSE_H
#define CRD_CORE_SPARSE_H

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

typedef struct CrdSparse {
    int rows, columns;
    int *start;    /* (columns + 1) */
    int *row;      /* rising in each column */
    double *value; /* entries */
} CrdSparse;

/* The matrix of the entries, which are freed in any case. Zeros keep their places. */
CardanStatus crd_sparse_create(CrdEntries *entries, int rows, int columns, CrdSparse *out, CrdError *error);
void crd_sparse_free(CrdSparse *matrix);

/* y += s A x, y += s A^T x. */
void crd_sparse_times(const CrdSparse *matrix, double s, const double *x, double *y);
void crd_sparse_times_transposed(const CrdSparse *matrix, double s, const double *x, double *y);

/* Adds s times the matrix to entries, its upper left corner at (row, column). */
void crd_entries_add_sparse(CrdEntries *entries, int row, int column, double s, const CrdSparse *matrix);

/* Largest |entry|. */
double crd_sparse_largest(const CrdSparse *matrix);

#endif
