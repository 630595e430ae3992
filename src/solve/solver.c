/* Which back end solves S lambda = r, and what all of them share. */
#include "solve/solver.h"

#include "core/memory.h"
#include "core/numbers.h"

#include <stddef.h>
#include <stdio.h>

CardanStatus crd_solver_open(CrdSolver *solver, const CrdSolverOps *ops, const CrdPattern *pattern, CrdError *error) {
    *solver = (CrdSolver){.ops = ops, .pattern = *pattern};
    solver->is_dropped = crd_new((size_t)pattern->n, sizeof *solver->is_dropped);
    solver->ratio = crd_new((size_t)pattern->n, sizeof *solver->ratio);
    return solver->is_dropped == NULL || solver->ratio == NULL ? crd_fail_memory(error) : CARDAN_OK;
}

void crd_solver_close(CrdSolver *solver) {
    crd_delete(solver->is_dropped);
    crd_delete(solver->ratio);
    solver->is_dropped = NULL;
    solver->ratio = NULL;
}

bool crd_solver_dropped(const CrdSolver *solver, int row) {
    return solver->is_dropped != NULL && row >= 0 && row < solver->pattern.n && solver->is_dropped[row] != 0;
}

/* Predicted work decides. The dense solver is never chosen: the block solver costs less from two rows on, and a large
 * dense S is a single supernode. */
static CardanSolver by_work(const CrdElimination *e) {
    if (e == NULL) return CARDAN_SOLVER_BLOCK;
    if (!e->fits) return CARDAN_SOLVER_CHOLMOD; /* which has no other limits, but tells its own way */
    bool heavy = e->flops > CRD_SUPERNODAL_SHARE * e->lnz || e->flops > CRD_SUPERNODAL_FLOPS;
    return heavy ? CARDAN_SOLVER_SUPERNODAL : CARDAN_SOLVER_BLOCK;
}

static void give_reason(const CrdPattern *pattern, bool asked, CrdChoice *choice) {
    const CrdElimination *e = pattern->elimination;
    const char *name = choice->ops == NULL ? "none" : choice->ops->name;
    if (asked) {
        snprintf(choice->reason, sizeof choice->reason, "%s: as asked", name);
    } else if (e == NULL || !e->fits || pattern->n == 0) {
        snprintf(choice->reason, sizeof choice->reason, "%s: %d rows", name, pattern->n);
    } else {
        snprintf(choice->reason, sizeof choice->reason,
                 "%s: %d rows, fill %.2f, %.2g operations, %.0f to an entry of L (supernodal from %.0f on)", name,
                 pattern->n, e->lnz / pattern->start[pattern->n], e->flops, e->flops / e->lnz, CRD_SUPERNODAL_SHARE);
    }
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
    bool asked = choice != CARDAN_SOLVER_AUTO;
    CrdChoice chosen = {.kind = asked ? choice : by_work(pattern->elimination)};
    chosen.ops = ops_of(chosen.kind);
    give_reason(pattern, asked, &chosen);
    return chosen;
}
