#include "analysis/sparse.h"

#include <assert.h>
#include <string.h>

void crd_sparse_open(CrdSparse *sparse, int n) {
    *sparse = (CrdSparse){0};
    crd_tiles_open(&sparse->tiles, n);
}

CardanStatus crd_sparse_close_pattern(CrdSparse *sparse, CrdError *error) {
    CRD_TRY(crd_tiles_close(&sparse->tiles, error));
    const CrdTiles *tiles = &sparse->tiles;
    size_t n = (size_t)tiles->n;
    sparse->values = crd_new((size_t)tiles->entries, sizeof(double));
    sparse->x = crd_new(n, sizeof(double));
    sparse->right = crd_new(n, sizeof(double));
    sparse->r = crd_new(n, sizeof(double));
    if (sparse->values == NULL || sparse->x == NULL || sparse->right == NULL || sparse->r == NULL)
        return crd_fail_memory(error);
    return crd_sparse_lu_create(tiles->n, tiles->start, tiles->row, false, &sparse->lu, error);
}

void crd_sparse_free(CrdSparse *sparse) {
    crd_tiles_free(&sparse->tiles);
    crd_sparse_lu_destroy(sparse->lu);
    CRD_DELETE_ALL(sparse->values, sparse->x, sparse->right, sparse->r);
    *sparse = (CrdSparse){0};
}

void crd_sparse_begin(CrdSparse *sparse) {
    crd_tiles_begin(&sparse->tiles);
    if (sparse->values != NULL) memset(sparse->values, 0, (size_t)sparse->tiles.entries * sizeof(double));
}

CardanStatus crd_sparse_factor(CrdSparse *sparse) {
    assert(sparse->lu != NULL);
    return crd_sparse_lu_factor(sparse->lu, 0.0, sparse->values, sparse->values, &sparse->weakest);
}

CardanStatus crd_sparse_solve(CrdSparse *sparse) {
    int n = sparse->tiles.n;
    size_t bytes = (size_t)n * sizeof(double);
    memcpy(sparse->right, sparse->x, bytes);
    CRD_TRY(crd_sparse_lu_solve(sparse->lu, sparse->x));
    memcpy(sparse->r, sparse->right, bytes);
    crd_tiles_times(&sparse->tiles, sparse->values, -1.0, sparse->x, sparse->r);
    CRD_TRY(crd_sparse_lu_solve(sparse->lu, sparse->r));
    for (int i = 0; i < n; i++) sparse->x[i] += sparse->r[i];
    return CARDAN_OK;
}
