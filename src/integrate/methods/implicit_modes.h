/* The stages of an implicit Runge-Kutta method, uncoupled (Butcher 1976; Hairer, Wanner, IV.8): with A^-1 = T diag T^-1
 * simplified Newton solves one real system a real eigenvalue and one complex one a pair, each of the size of one stage.
 * All methods here have at most one of each. */
#ifndef CRD_INTEGRATE_METHODS_IMPLICIT_MODES_H
#define CRD_INTEGRATE_METHODS_IMPLICIT_MODES_H

#include "integrate/methods/implicit.h"

#include <complex.h>

typedef struct CrdModes {
    bool has_real, has_pair;
    double real;                                                          /* eigenvalue of A^-1 */
    double right[CRD_IMPLICIT_STAGES_MAX], left[CRD_IMPLICIT_STAGES_MAX]; /* its column of T, its row of T^-1 */
    double complex pair, pair_right[CRD_IMPLICIT_STAGES_MAX], pair_left[CRD_IMPLICIT_STAGES_MAX];
    double inverse[CRD_IMPLICIT_STAGES_MAX][CRD_IMPLICIT_STAGES_MAX]; /* A^-1 */
} CrdModes;

CrdModes crd_modes_of(const CrdImplicitTableau *method);

#endif
