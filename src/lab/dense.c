#include "lab/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "integrate/norm.h"

static CardanStatus not_finite(CrdLabPlace place) {
    return crd_fail(place.workspace->error, CARDAN_ERR_NUMERIC, "%s has entries that are not finite at t = %.9g",
                    place.what, place.t);
}

static CardanStatus singular(CrdLabPlace place, double rcond) {
    return crd_fail(place.workspace->error, CARDAN_ERR_NUMERIC,
                    "%s is singular at t = %.9g: reciprocal condition number %.2g", place.what, place.t, rcond);
}

/* One number needs no pivoting, and the regularised equations of a single row are solved millions of times. */
static CardanStatus divide(CrdLabPlace place, int columns, double a, double *b) {
    CrdLuCount *count = &place.workspace->count;
    count->factorisations++;
    count->solves += columns;
    count->operations += 1.0 / 3.0 + columns;
    if (!isfinite(a) || !crd_all_finite(b, columns)) return not_finite(place);
    if (a == 0.0) return singular(place, 0.0);
    for (int j = 0; j < columns; j++) b[j] /= a;
    return crd_all_finite(b, columns) ? CARDAN_OK : not_finite(place);
}

/* Room for n unknowns. */
static CardanStatus room_for(CrdLu *lu, int n, CrdLabWorkspace *workspace) {
    CrdArena arena = {0};
    crd_lu_layout(lu, n, &workspace->count, &arena);
    void *room = crd_lab_take(workspace, arena.used, 1);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    crd_arena_use(&arena, room);
    crd_lu_layout(lu, n, &workspace->count, &arena);
    lu->by_rows = true;
    return CARDAN_OK;
}

static CardanStatus factor(CrdLabPlace place, CrdLu *lu, const double *a) {
    double rcond;
    assert(lu->by_rows);
    memcpy(lu->matrix, a, (size_t)lu->n * (size_t)lu->n * sizeof *a);
    if (crd_lu_factor(lu, &rcond) >= 0) return CARDAN_OK;
    return isnan(rcond) ? not_finite(place) : singular(place, rcond);
}

CardanStatus crd_lab_solve(CrdLabPlace place, int n, int columns, const double *a, double *b) {
    if (n == 0 || columns == 0) return CARDAN_OK;
    if (n == 1) return divide(place, columns, a[0], b);
    CrdLu lu;
    CrdLabMark mark = crd_lab_mark(place.workspace);
    CRD_TRY(room_for(&lu, n, place.workspace));
    CRD_TRY(factor(place, &lu, a));
    if (!crd_all_finite(b, n * columns)) return not_finite(place);
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < n; i++) lu.x[i] = b[i * columns + j];
        if (crd_lu_solve(&lu) < 0) return not_finite(place);
        for (int i = 0; i < n; i++) b[i * columns + j] = lu.x[i];
    }
    crd_lab_back(place.workspace, mark);
    return CARDAN_OK;
}
