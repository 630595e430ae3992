#include "analysis/assemble.h"

#include "core/numbers.h"
#include "equations/row_units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Singular values, against the largest, below which a Newton step near the manifold leaves a direction alone. */
#define CRD_ASSEMBLE_TRUNCATION 1e-8

/* The same in the first Newton steps from a far guess, where only what is well determined moves (the oracle's numbers).
 */
#define CRD_ASSEMBLE_COARSE                                                                                            \
    { 1e-2, 1e-3, 1e-4, 1e-6 }

/* Largest Newton step from a far guess, in lengths of the model or rad: beyond it a linearised rotation says nothing.
 */
#define CRD_ASSEMBLE_REACH 0.5

/* Newton iterations without a smaller residual before the best so far is taken: near the manifold, from afar. */
#define CRD_ASSEMBLE_STUCK 2
#define CRD_ASSEMBLE_STUCK_FAR 6

/* Times which a held body's mass counts in the sparse factor while the rest is moved: so heavy that the iteration takes
 * it for fixed (what it would move is left out, each step misses this part), not so heavy that pivots suffer. */
#define CRD_HELD_MASS 1e6

bool crd_find_held(const CardanModel *model, bool *held) {
    const CrdStructure *structure = model->structure;
    bool any = false;
    for (int i = 0; i < structure->block_count; i++) {
        held[i] = structure->blocks[i].kind != CRD_CUSTOM_BLOCK &&
                  model->description->bodies[structure->blocks[i].object].hold;
        any = any || held[i];
    }
    return any;
}

/* Falling truncation from a far guess. */
static double truncation(bool far, int iteration) {
    assert(iteration >= 0);
    static const double coarse[] = CRD_ASSEMBLE_COARSE;
    return far && iteration < (int)(sizeof coarse / sizeof *coarse) ? coarse[iteration] : CRD_ASSEMBLE_TRUNCATION;
}

/* Scratch of one assembly. */
typedef struct Steps {
    double *dx;   /* (nv) */
    double *r;    /* (rows) */
    double *best; /* (nq) */
} Steps;

/* dx at the rows in the workspace. */
static CardanStatus newton_step(CrdAssembly *as, Steps *steps) {
    CrdDynamics *dynamics = as->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS));
    if (as->spectrum != NULL) {
        if (structure->tree != NULL) crd_form_schur(dynamics->model, CARDAN_METRIC_MASS, &dynamics->system);
        CRD_TRY(crd_spectrum_take(as->spectrum, &dynamics->system, true, dynamics->error));
        int rank = crd_spectrum_rank(as->spectrum, truncation(as->far, as->iterations));
        crd_spectrum_correct(as->spectrum, &dynamics->system, dynamics->system.g, rank, steps->dx);
    } else {
        CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
        CRD_TRY(crd_correct(dynamics, dynamics->system.g, steps->r, steps->dx));
    }
    for (int i = 0; as->held != NULL && i < structure->block_count; i++)
        if (as->held[i])
            memset(steps->dx + structure->blocks[i].v, 0, (size_t)structure->blocks[i].nv * sizeof *steps->dx);
    double reach = crd_reach(dynamics->model, steps->dx);
    if (as->far && reach > CRD_ASSEMBLE_REACH)
        for (int i = 0; i < structure->nv; i++) steps->dx[i] *= CRD_ASSEMBLE_REACH / reach;
    return CARDAN_OK;
}

double crd_left(const CrdDynamics *dynamics) {
    const CardanModel *model = dynamics->model;
    return model->values.size *
           crd_rows_excess(model, &dynamics->system, dynamics->system.g, crd_part_of_size(model, 1.0), NULL);
}

static CardanStatus iterate(CrdAssembly *as, Steps *steps, double t, double *q, const double *v) {
    CrdDynamics *dynamics = as->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    double size = dynamics->model->values.size, enough = fmax(as->enough, CRD_PROJECT_TOLERANCE * size);
    size_t bytes = (size_t)structure->nq * sizeof *q;
    int stuck = 0;
    as->left = (double)INFINITY;
    memcpy(steps->best, q, bytes);
    for (as->iterations = 0;; as->iterations++) {
        CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
        double now = crd_left(dynamics);
        stuck = now < as->left ? 0 : stuck + 1;
        if (now < as->left) {
            as->left = now;
            memcpy(steps->best, q, bytes);
        }
        int patience = as->left < CRD_START_RESIDUAL * size ? 0 : as->far ? CRD_ASSEMBLE_STUCK_FAR : CRD_ASSEMBLE_STUCK;
        if (as->left <= enough || stuck > patience) break;
        if (as->iterations == CRD_PROJECT_ITERATIONS || !isfinite(now)) break;
        CRD_TRY(newton_step(as, steps));
        crd_move(structure, steps->dx, q);
    }
    memcpy(q, steps->best, bytes);
    assert(as->iterations <= CRD_PROJECT_ITERATIONS);
    return crd_evaluate_constraints(dynamics, t, q, v);
}

static CardanStatus assemble(CrdAssembly *as, double t, double *q, const double *v) {
    const CrdStructure *structure = as->dynamics->model->structure;
    size_t real = sizeof(double);
    Steps steps = {crd_new((size_t)structure->nv, real), crd_new((size_t)structure->rows, real),
                   crd_new((size_t)structure->nq, real)};
    bool all = steps.dx != NULL && steps.r != NULL && steps.best != NULL;
    CardanStatus status = all ? iterate(as, &steps, t, q, v) : crd_fail_memory(as->dynamics->error);
    crd_delete(steps.dx);
    crd_delete(steps.r);
    crd_delete(steps.best);
    return status;
}

static void make_heavy(CrdBlockValues *values) {
    values->mass *= CRD_HELD_MASS;
    values->inverse_mass /= CRD_HELD_MASS;
    for (int i = 0; i < 9; i++) {
        values->inertia[i] *= CRD_HELD_MASS;
        values->inverse_inertia[i] /= CRD_HELD_MASS;
    }
}

/* The sparse factor knows no fixed bodies: they are made heavy in a copy of the model's numbers. */
static CardanStatus assemble_heavy(CrdAssembly *as, double t, double *q, const double *v) {
    CrdDynamics *dynamics = as->dynamics;
    const CardanModel *model = dynamics->model;
    size_t count = (size_t)model->structure->block_count;
    CardanModel heavy = {.structure = model->structure, .values = model->values, .description = model->description};
    heavy.values.blocks = crd_new(count, sizeof *heavy.values.blocks);
    if (heavy.values.blocks == NULL) return crd_fail_memory(dynamics->error);
    memcpy(heavy.values.blocks, model->values.blocks, count * sizeof *heavy.values.blocks);
    assert(as->held != NULL && as->spectrum == NULL);
    for (size_t i = 0; i < count; i++)
        if (as->held[i]) make_heavy(&heavy.values.blocks[i]);
    dynamics->model = &heavy;
    CardanStatus status = assemble(as, t, q, v);
    dynamics->model = model;
    crd_delete(heavy.values.blocks);
    return status;
}

CardanStatus crd_assemble(CrdAssembly *as, double t, double *q, const double *v) {
    assert(q != v && as->dynamics != NULL);
    assert(as->spectrum == NULL || as->spectrum->model->structure == as->dynamics->model->structure);
    if (as->held == NULL) return assemble(as, t, q, v);
    if (as->spectrum == NULL) return assemble_heavy(as, t, q, v);
    memcpy(as->spectrum->held, as->held, (size_t)as->dynamics->model->structure->block_count * sizeof *as->held);
    return assemble(as, t, q, v);
}
