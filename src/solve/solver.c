/* Which back end solves S lambda = r. */
#include "solve/solver.h"

#include "core/numbers.h"

#include <stddef.h>

const CrdSolverOps *crd_solver_choose(CardanSolver choice, const CrdPattern *pattern, CardanSolver *chosen) {
    if (choice == CARDAN_SOLVER_AUTO)
        choice = pattern->n <= CRD_DENSE_ROWS ? CARDAN_SOLVER_DENSE : CARDAN_SOLVER_CHOLMOD;
    if (chosen != NULL) *chosen = choice;
    switch (choice) {
    case CARDAN_SOLVER_DENSE:
        return &crd_solver_dense;
    case CARDAN_SOLVER_CHOLMOD:
        return &crd_solver_cholmod;
    case CARDAN_SOLVER_SADDLE:
        return &crd_solver_saddle;
    case CARDAN_SOLVER_AUTO:
    case CARDAN_SOLVERS:
        break;
    }
    return NULL; /* no such solver: cardan_options_check refuses it earlier */
}
