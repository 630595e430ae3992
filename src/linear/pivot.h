/* The watch over pivots that every direct solver keeps: each pivot against the diagonal entry of S it came from. */
#ifndef CRD_LINEAR_PIVOT_H
#define CRD_LINEAR_PIVOT_H

#include "core/numbers.h"
#include "linear/solver.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* What an empty or a diagonal system has. */
static inline CrdPivot crd_pivot_perfect(int n) {
    return (CrdPivot){.ratio = 1.0, .row = n > 0 ? 0 : -1};
}

/* The same, and no row left out yet: how a factorisation begins. */
static inline CrdPivot crd_pivot_start(CrdSolver *solver) {
    if (solver->is_dropped != NULL) memset(solver->is_dropped, 0, (size_t)solver->pattern.n);
    return crd_pivot_perfect(solver->pattern.n);
}

/* Takes pivot d of a row whose diagonal entry was s. false: the row depends on those before it (or is no number), and
 * the pivots after it mean nothing, so the caller stops here and the row stays named. */
static inline bool crd_pivot_take(CrdPivot *smallest, int row, double d, double s) {
    assert(row >= 0);
    double ratio = s == 0.0 ? 0.0 : d / fabs(s); /* |s|: a negative diagonal entry must not pass as ratio 1 */
    if (!(ratio >= smallest->ratio)) *smallest = (CrdPivot){.ratio = ratio, .row = row, .dropped = smallest->dropped};
    return ratio > CRD_PIVOT_DEPENDENT;
}

/* What a part of the rows, after those before, had; false, as is handed on: one of them was refused and stays named. */
static inline bool crd_pivot_join(CrdPivot *smallest, CrdPivot part, bool good) {
    int dropped = smallest->dropped + part.dropped;
    if (!good || part.ratio < smallest->ratio) *smallest = part;
    smallest->dropped = dropped;
    return good;
}

typedef enum CrdPivotVerdict { CRD_PIVOT_KEPT = 0, CRD_PIVOT_LEFT_OUT, CRD_PIVOT_REFUSED } CrdPivotVerdict;

/* The same where rows may be left out, against `size`. S = G W G^T has no negative pivots but by rounding: larger ones
 * are refused. */
static inline CrdPivotVerdict crd_pivot_judge_by(CrdSolver *solver, CrdPivot *smallest, int row, double d, double s,
                                                 double size) {
    assert(row >= 0 && row < solver->pattern.n);
    assert(solver->is_dropped == NULL || !solver->is_dropped[row]); /* each row once, after crd_pivot_start */
    double min = solver->drop > 0.0 ? solver->drop : CRD_PIVOT_DEPENDENT;
    if (solver->drop_row != NULL) min = fmax(min, solver->drop_row[row]);
    solver->ratio[row] = d / size;
    if (d > min * size) { /* no division unless it is the smallest: they are few */
        if (d < smallest->ratio * size)
            *smallest = (CrdPivot){.ratio = d / size, .row = row, .dropped = smallest->dropped};
        return CRD_PIVOT_KEPT;
    }
    if (solver->drop > 0.0 && s >= 0.0 && isfinite(s) && d >= -fmax(CRD_PIVOT_NEGATIVE, solver->drop) * size) {
        solver->is_dropped[row] = 1;
        smallest->dropped++;
        return CRD_PIVOT_LEFT_OUT;
    }
    *smallest = (CrdPivot){.ratio = s == 0.0 ? 0.0 : d / size, .row = row, .dropped = smallest->dropped};
    return CRD_PIVOT_REFUSED;
}

static inline CrdPivotVerdict crd_pivot_judge(CrdSolver *solver, CrdPivot *smallest, int row, double d, double s) {
    return crd_pivot_judge_by(solver, smallest, row, d, s, solver->scale != NULL ? solver->scale[row] : fabs(s));
}

#endif
