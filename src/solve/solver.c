/* Which back end solves S lambda = r, and what all of them share. */
#include "solve/solver.h"

#include "core/memory.h"
#include "core/numbers.h"

#include <stddef.h>
#include <stdio.h>

CardanStatus crd_solver_open(CrdSolver *solver, const CrdSolverOps *ops, const CrdPattern *pattern, CrdError *error) {
    *solver = (CrdSolver){.ops = ops, .pattern = *pattern};
    solver->is_dropped = crd_new((size_t)pattern->n, sizeof *solver->is_dropped);
    return solver->is_dropped == NULL ? crd_fail_memory(error) : CARDAN_OK;
}

void crd_solver_close(CrdSolver *solver) {
    crd_delete(solver->is_dropped);
    solver->is_dropped = NULL;
}

bool crd_solver_dropped(const CrdSolver *solver, int row) {
    return solver->is_dropped != NULL && row >= 0 && row < solver->pattern.n && solver->is_dropped[row] != 0;
}

static CardanSolver by_work(const CrdPattern *pattern) {
    if (pattern->n <= CRD_DENSE_ROWS) return CARDAN_SOLVER_DENSE;
    return CARDAN_SOLVER_CHOLMOD;
}

static const CrdSolverOps *ops_of(CardanSolver kind) {
    switch (kind) {
    case CARDAN_SOLVER_DENSE: return &crd_solver_dense;
    case CARDAN_SOLVER_BLOCK: return &crd_solver_block;
    case CARDAN_SOLVER_CHOLMOD: return &crd_solver_cholmod;
    case CARDAN_SOLVER_SADDLE: return &crd_solver_saddle;
    case CARDAN_SOLVER_SUPERNODAL: return &crd_solver_supernodal;
    case CARDAN_SOLVER_AUTO:
    case CARDAN_SOLVERS: break;
    }
    return NULL; /* no such solver: cardan_options_check refuses it earlier */
}

CrdChoice crd_solver_choose(CardanSolver choice, const CrdPattern *pattern) {
    CrdChoice chosen = {.kind = choice == CARDAN_SOLVER_AUTO ? by_work(pattern) : choice};
    chosen.ops = ops_of(chosen.kind);
    return chosen;
}
