#include "project/frozen.h"

#include <assert.h>
#include <string.h>

static size_t place_size(const CrdStructure *structure) {
    return 1 + (size_t)structure->nq + (size_t)structure->tracked_count;
}

void crd_frozen_layout(CrdFrozen *frozen, const CardanModel *model, const CardanOptions *options, CrdArena *arena) {
    const CrdStructure *structure = model->structure;
    bool wanted = options->stabilise.freeze > 1 && options->stabilise.method == CARDAN_STABILISE_POST &&
                  options->stabilise.form == CARDAN_STABILISE_FORM_BLOCK && structure->rows > 0;
    *frozen = (CrdFrozen){.steps = wanted ? options->stabilise.freeze : 0, .metric = options->stabilise.metric};
    if (!wanted) return;
    frozen->T = crd_take(arena, (size_t)structure->size_g, sizeof *frozen->T);
    frozen->place = crd_take(arena, place_size(structure), sizeof *frozen->place);
    frozen->dropped = crd_take(arena, (size_t)structure->rows, sizeof *frozen->dropped);
}

CardanStatus crd_frozen_open(CrdFrozen *frozen, CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    if (frozen->steps == 0) return CARDAN_OK;
    assert(frozen->solver == NULL && dynamics->factor.all != NULL && structure->tree == NULL);
    CrdPattern pattern = crd_schur_pattern(structure);
    return dynamics->factor.choice.ops->create(&pattern, structure->nv, &frozen->solver, dynamics->error);
}

void crd_frozen_close(CrdFrozen *frozen) {
    if (frozen->solver != NULL) frozen->solver->ops->destroy(frozen->solver);
    frozen->solver = NULL;
}

void crd_frozen_forget(CrdFrozen *frozen) {
    frozen->served = 0;
    frozen->made = false;
}

/* Were the rows left out that are left out now? */
static bool is_of_these_rows(const CrdFrozen *frozen, const CrdDynamics *dynamics) {
    size_t rows = (size_t)dynamics->model->structure->rows;
    return memcmp(frozen->dropped, dynamics->redundancy.is_dropped, rows * sizeof *frozen->dropped) == 0;
}

bool crd_frozen_serves(const CrdFrozen *frozen, const CrdDynamics *dynamics) {
    assert(frozen->steps > 1);
    return frozen->served > 0 && frozen->served < frozen->steps && is_of_these_rows(frozen, dynamics);
}

/* The factor at `place`; velocities have no part in G. */
static CardanStatus make(CrdFrozen *frozen, CrdDynamics *dynamics, const double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    const double *tracked = dynamics->actions.tracked, *q = frozen->place + 1;
    CrdPivot pivot;
    dynamics->actions.tracked = q + structure->nq;
    CardanStatus status = crd_evaluate_constraints(dynamics, frozen->place[0], q, v);
    dynamics->actions.tracked = tracked;
    if (status >= 0) status = crd_factor_apart(dynamics, frozen->metric, frozen->solver, &pivot);
    frozen->made = status >= 0;
    if (frozen->made) memcpy(frozen->T, dynamics->system.T, (size_t)structure->size_g * sizeof *frozen->T);
    return status;
}

CardanStatus crd_frozen_use(CrdFrozen *frozen, CrdDynamics *dynamics, bool anew, double t, const double *q,
                            const double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    assert(frozen->solver != NULL && (anew || frozen->served > 0));
    frozen->served++;
    if (!anew) return frozen->made ? CARDAN_OK : make(frozen, dynamics, v);
    frozen->served = 1;
    frozen->place[0] = t;
    memcpy(frozen->place + 1, q, (size_t)structure->nq * sizeof *q);
    memcpy(frozen->place + 1 + structure->nq, dynamics->actions.tracked, (size_t)structure->tracked_count * sizeof *q);
    memcpy(frozen->dropped, dynamics->redundancy.is_dropped, (size_t)structure->rows * sizeof *frozen->dropped);
    return make(frozen, dynamics, v);
}

CardanStatus crd_frozen_correct(const CrdFrozen *frozen, CrdDynamics *dynamics, double *r, double *scratch, double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    assert(frozen->made);
    dynamics->work.solves += 2;
    for (int i = 0; i < structure->rows; i++)
        if (frozen->dropped[i]) r[2 * i] = r[2 * i + 1] = 0.0;
    CRD_TRY(crd_solver_solve_twice(frozen->solver, r, scratch));
    memset(x, 0, 2 * (size_t)structure->nv * sizeof *x);
    crd_times_gt_twice(NULL, structure, frozen->T, -1.0, r, x);
    return CARDAN_OK;
}

/* ---- memory ---- */

int crd_frozen_memory_size(const CrdFrozen *frozen, const CrdStructure *structure) {
    return frozen->steps == 0 ? 0 : 1 + (int)place_size(structure);
}

/* Which rows were left out need not be told: with others than now it is made anew in any case. */
void crd_frozen_memory_get(const CrdFrozen *frozen, const CrdDynamics *dynamics, double *numbers) {
    if (frozen->steps == 0) return;
    bool any = frozen->served > 0 && is_of_these_rows(frozen, dynamics);
    size_t size = place_size(dynamics->model->structure);
    numbers[0] = any ? frozen->served : 0.0;
    memset(numbers + 1, 0, size * sizeof *numbers);
    if (any) memcpy(numbers + 1, frozen->place, size * sizeof *numbers);
}

void crd_frozen_memory_set(CrdFrozen *frozen, const CrdDynamics *dynamics, const double *numbers) {
    const CrdStructure *structure = dynamics->model->structure;
    if (frozen->steps == 0) return;
    crd_frozen_forget(frozen);
    frozen->served = numbers[0] > 0.0 && numbers[0] <= frozen->steps ? (int)numbers[0] : 0;
    memcpy(frozen->place, numbers + 1, place_size(structure) * sizeof *numbers);
    memcpy(frozen->dropped, dynamics->redundancy.is_dropped, (size_t)structure->rows * sizeof *frozen->dropped);
}

void crd_frozen_copy(CrdFrozen *to, const CrdFrozen *from, const CrdStructure *structure) {
    assert(to->steps == from->steps);
    if (from->steps == 0) return;
    crd_frozen_forget(to);
    to->served = from->served;
    memcpy(to->place, from->place, place_size(structure) * sizeof *to->place);
    memcpy(to->dropped, from->dropped, (size_t)structure->rows * sizeof *to->dropped);
}
