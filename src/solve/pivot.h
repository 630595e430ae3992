/* The watch over pivots that every direct solver keeps: each pivot against the diagonal entry of S it came from. */
#ifndef CRD_SOLVE_PIVOT_H
#define CRD_SOLVE_PIVOT_H

#include "core/numbers.h"
#include "solve/solver.h"

#include <math.h>
#include <stdbool.h>

/* What an empty or a diagonal system has. */
static inline CrdPivot crd_pivot_perfect(int n) {
    return (CrdPivot){.ratio = 1.0, .row = n > 0 ? 0 : -1};
}

/* Takes pivot d of a row whose diagonal entry was s. false: the row depends on those before it (or is no number), and
 * the pivots after it mean nothing, so the caller stops here and the row stays named. */
static inline bool crd_pivot_take(CrdPivot *smallest, int row, double d, double s) {
    double ratio = s == 0.0 ? 0.0 : d / fabs(s); /* |s|: a negative diagonal entry must not pass as ratio 1 */
    if (!(ratio >= smallest->ratio)) *smallest = (CrdPivot){ratio, row};
    return ratio > CRD_PIVOT_DEPENDENT;
}

#endif
