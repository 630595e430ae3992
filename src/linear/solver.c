/* Which back end solves S lambda = r, and what all of them share. */
#include "linear/solver.h"

#include "core/memory.h"
#include "model/valid.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#define CRD_MICROSECONDS 1e-3 /* of a ns */

void *crd_solver_new(CrdSolver *solver, size_t count, size_t size) {
    assert(solver->owned_count < CRD_SOLVER_ARRAYS);
    void *memory = crd_new(count, size);
    if (memory == NULL) solver->lacks_memory = true;
    return solver->owned[solver->owned_count++] = memory;
}

CardanStatus crd_solver_open(CrdSolver *solver, const CrdSolverOps *ops, const CrdPattern *pattern, CrdError *error) {
    assert(crd_pattern_is_valid(pattern->n, pattern->start, pattern->row));
    assert(pattern->elimination == NULL || pattern->elimination->n == pattern->n);
    assert(pattern->slot == NULL || ops->takes_slots);
    *solver = (CrdSolver){.ops = ops, .pattern = *pattern};
    solver->is_dropped = crd_solver_new(solver, (size_t)pattern->n, sizeof *solver->is_dropped);
    solver->ratio = crd_solver_new(solver, (size_t)pattern->n, sizeof *solver->ratio);
    return solver->lacks_memory ? crd_fail_memory(error) : CARDAN_OK;
}

void crd_solver_close(CrdSolver *solver) {
    while (solver->owned_count > 0) crd_delete(solver->owned[--solver->owned_count]);
}

CardanStatus crd_solver_finish(CrdSolver *solver, CardanStatus status, CrdSolver **out, CrdError *error) {
    if (status >= 0 && solver->lacks_memory) status = crd_fail_memory(error);
    if (status < 0)
        solver->ops->destroy(solver);
    else
        *out = solver;
    return status < 0 ? status : CARDAN_OK;
}

bool crd_solver_dropped(const CrdSolver *solver, int row) {
    return solver->is_dropped != NULL && row >= 0 && row < solver->pattern.n && solver->is_dropped[row] != 0;
}

/* ---- predicted work ---- */

double crd_solver_predict(CardanSolver kind, const CrdPattern *pattern) {
    const CrdSolverOps *ops = crd_solver_ops(kind);
    const CrdElimination *elimination = pattern->elimination;
    double n = pattern->n;
    if (ops == NULL || !ops->work.known) return -1.0;
    const CrdPredicted *work = &ops->work;
    if (!work->full && (elimination == NULL || !elimination->fits)) return -1.0;
    assert(work->full || (elimination->lnz >= n && elimination->flops >= elimination->lnz));
    double entries = work->full ? n * n : elimination->lnz, operations = work->full ? n * n * n : elimination->flops;
    return work->call + work->unit[0] * n + work->unit[1] * entries + work->unit[2] * operations;
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
    if (!pattern->elimination->fits)
        return CARDAN_SOLVER_CHOLMOD; /* which has no other limits, but tells its own way */
    for (int i = 1; i < CHOSEN_FROM; i++)
        if (crd_solver_predict(CANDIDATES[i], pattern) < crd_solver_predict(best, pattern)) best = CANDIDATES[i];
    return best;
}

static void give_reason(const CrdPattern *pattern, bool asked, CrdChoice *choice) {
    const CrdElimination *elimination = pattern->elimination;
    const char *name = choice->ops == NULL ? "none" : choice->ops->name;
    size_t size = sizeof choice->reason;
    if (asked) {
        snprintf(choice->reason, size, "%s: as asked", name);
        return;
    }
    int used = snprintf(choice->reason, size, "%s: %d rows", name, pattern->n);
    if (elimination == NULL || !elimination->fits || pattern->n == 0) return;
    used += snprintf(choice->reason + used, size - (size_t)used,
                     ", fill %.2f; predicted in microseconds:", elimination->lnz / pattern->start[pattern->n]);
    for (int i = 0; i < CANDIDATE_COUNT && used < (int)size; i++) {
        const CrdSolverOps *ops = crd_solver_ops(CANDIDATES[i]);
        assert(ops != NULL);
        used += snprintf(choice->reason + used, size - (size_t)used, "%s %s %.3g", i == 0 ? "" : ",", ops->name,
                         CRD_MICROSECONDS * crd_solver_predict(CANDIDATES[i], pattern));
    }
}

CardanStatus crd_solver_solve_twice(CrdSolver *solver, double *r, double *scratch) {
    if (solver->ops->solve_twice != NULL) return solver->ops->solve_twice(solver, r);
    int n = solver->pattern.n;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++) scratch[i] = r[2 * i + side];
        CRD_TRY(solver->ops->solve(solver, scratch));
        for (int i = 0; i < n; i++) r[2 * i + side] = scratch[i];
    }
    return CARDAN_OK;
}

/* ---- the choice ---- */

static const CrdSolverOps *const SOLVERS[CARDAN_SOLVERS] = {
    [CARDAN_SOLVER_DENSE] = &crd_solver_dense,           [CARDAN_SOLVER_CHOLMOD] = &crd_solver_cholmod,
    [CARDAN_SOLVER_SADDLE] = &crd_solver_saddle,         [CARDAN_SOLVER_BLOCK] = &crd_solver_block,
    [CARDAN_SOLVER_SUPERNODAL] = &crd_solver_supernodal,
};

const CrdSolverOps *crd_solver_ops(CardanSolver kind) {
    return (int)kind >= 0 && kind < CARDAN_SOLVERS ? SOLVERS[kind] : NULL;
}

CrdWord crd_solver_word(int kind) {
    if (kind == CARDAN_SOLVER_AUTO) return (CrdWord){"auto", "the one with the least predicted work"};
    const CrdSolverOps *ops = crd_solver_ops((CardanSolver)kind);
    return ops != NULL ? (CrdWord){ops->name, ops->summary} : (CrdWord){NULL, NULL};
}

CrdChoice crd_solver_choose(CardanSolver choice, const CrdPattern *pattern) {
    bool asked = choice != CARDAN_SOLVER_AUTO;
    CrdChoice chosen = {.kind = asked ? choice : by_work(pattern)};
    chosen.ops = crd_solver_ops(chosen.kind);
    assert(asked || chosen.ops != NULL);
    give_reason(pattern, asked, &chosen);
    return chosen;
}
