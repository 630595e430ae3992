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

/* ---- predicted work ---- */

/* ns: of a call, and of each unit of three kinds of work. */
typedef struct Work {
    double call, unit[3];
} Work;

static double weigh(Work work, double a, double b, double c) {
    return work.call + work.unit[0] * a + work.unit[1] * b + work.unit[2] * c;
}

double crd_solver_predict(CardanSolver kind, const CrdPattern *pattern) {
    const CrdElimination *e = pattern->elimination;
    double n = pattern->n;
    if (kind == CARDAN_SOLVER_DENSE) return weigh((Work)CRD_WORK_DENSE, n, n * n, n * n * n);
    if (e == NULL || !e->fits) return -1.0;
    switch (kind) {
    case CARDAN_SOLVER_BLOCK: return weigh((Work)CRD_WORK_BLOCK, n, e->lnz, e->flops);
    case CARDAN_SOLVER_SUPERNODAL: return weigh((Work)CRD_WORK_SUPERNODAL, n, e->lnz, e->flops);
    case CARDAN_SOLVER_CHOLMOD: return weigh((Work)CRD_WORK_CHOLMOD, n, e->lnz, e->flops);
    default: return -1.0;
    }
}

/* The back ends whose work is predicted, and how many of the first of them auto chooses from: the dense one is for
 * comparison, a full S being a single supernode. */
static const CardanSolver CANDIDATES[] = {CARDAN_SOLVER_BLOCK, CARDAN_SOLVER_SUPERNODAL, CARDAN_SOLVER_CHOLMOD,
                                          CARDAN_SOLVER_DENSE};
enum { CANDIDATE_COUNT = sizeof CANDIDATES / sizeof *CANDIDATES, CHOSEN_FROM = 3 };

/* The least predicted work decides. */
static CardanSolver by_work(const CrdPattern *pattern) {
    CardanSolver best = CARDAN_SOLVER_BLOCK;
    if (pattern->elimination == NULL) return best;
    if (!pattern->elimination->fits) return CARDAN_SOLVER_CHOLMOD; /* which has no other limits, but tells its own way */
    for (int i = 1; i < CHOSEN_FROM; i++)
        if (crd_solver_predict(CANDIDATES[i], pattern) < crd_solver_predict(best, pattern)) best = CANDIDATES[i];
    return best;
}

static void give_reason(const CrdPattern *pattern, bool asked, CrdChoice *choice) {
    const CrdElimination *e = pattern->elimination;
    const char *name = choice->ops == NULL ? "none" : choice->ops->name;
    size_t size = sizeof choice->reason;
    if (asked) {
        snprintf(choice->reason, size, "%s: as asked", name);
        return;
    }
    int used = snprintf(choice->reason, size, "%s: %d rows", name, pattern->n);
    if (e == NULL || !e->fits || pattern->n == 0) return;
    used += snprintf(choice->reason + used, size - (size_t)used, ", fill %.2f; predicted in microseconds:",
                     e->lnz / pattern->start[pattern->n]);
    for (int i = 0; i < CANDIDATE_COUNT && used < (int)size; i++)
        used += snprintf(choice->reason + used, size - (size_t)used, "%s %s %.3g", i == 0 ? "" : ",",
                         crd_solver_ops(CANDIDATES[i])->name, 1e-3 * crd_solver_predict(CANDIDATES[i], pattern));
}

/* ---- the choice ---- */

const CrdSolverOps *crd_solver_ops(CardanSolver kind) {
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
    CrdChoice chosen = {.kind = asked ? choice : by_work(pattern)};
    chosen.ops = crd_solver_ops(chosen.kind);
    give_reason(pattern, asked, &chosen);
    return chosen;
}
