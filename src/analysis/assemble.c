#include "analysis/assemble.h"

#include "core/numbers.h"

#include <math.h>
#include <string.h>

bool crd_find_held(const CardanModel *model, bool *held) {
    const CrdShape *s = model->shape;
    bool any = false;
    for (int i = 0; i < s->block_count; i++) {
        held[i] = s->blocks[i].kind != CRD_CUSTOM_BLOCK && model->description->bodies[s->blocks[i].object].hold;
        any = any || held[i];
    }
    return any;
}

/* Falling truncation from a far guess. */
static double truncation(bool far, int iteration) {
    static const double coarse[] = CRD_ASSEMBLE_COARSE;
    return far && iteration < (int)(sizeof coarse / sizeof *coarse) ? coarse[iteration] : CRD_ASSEMBLE_TRUNCATION;
}

/* Scratch of one assembly. */
typedef struct Steps {
    double *dx;   /* (nv) */
    double *r;    /* (rows) */
    double *best; /* (nq) */
} Steps;

/* dx at what was measured last. */
static CardanStatus newton_step(CrdAssembly *as, Steps *steps) {
    CrdDynamics *d = as->dynamics;
    const CrdShape *s = d->model->shape;
    if (as->spectrum != NULL) {
        CRD_TRY(crd_spectrum_take(as->spectrum, &d->system, true, d->error));
        int rank = crd_spectrum_rank(as->spectrum, truncation(as->far, as->iterations));
        crd_spectrum_correct(as->spectrum, &d->system, d->system.g, rank, steps->dx);
    } else {
        CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
        memcpy(steps->r, d->system.g, (size_t)s->rows * sizeof *steps->r);
        CRD_TRY(crd_solve_rows(d, steps->r));
        memset(steps->dx, 0, (size_t)s->nv * sizeof *steps->dx);
        crd_times_gt(s, d->system.T, -1.0, steps->r, steps->dx);
    }
    for (int i = 0; as->held != NULL && i < s->block_count; i++)
        if (as->held[i]) memset(steps->dx + s->blocks[i].v, 0, (size_t)s->blocks[i].nv * sizeof *steps->dx);
    double reach = crd_reach(d->model, steps->dx);
    if (as->far && reach > CRD_ASSEMBLE_REACH)
        for (int i = 0; i < s->nv; i++) steps->dx[i] *= CRD_ASSEMBLE_REACH / reach;
    return CARDAN_OK;
}

static CardanStatus iterate(CrdAssembly *as, Steps *steps, double t, double *q, const double *v) {
    CrdDynamics *d = as->dynamics;
    const CrdShape *s = d->model->shape;
    double size = d->model->numbers.size;
    size_t bytes = (size_t)s->nq * sizeof *q;
    int stuck = 0;
    as->left = (double)INFINITY;
    memcpy(steps->best, q, bytes);
    for (as->iterations = 0;; as->iterations++) {
        CRD_TRY(crd_measure(d, t, q, v));
        double now = crd_worst(d->system.g, s->rows);
        stuck = now < as->left ? 0 : stuck + 1;
        if (now < as->left) {
            as->left = now;
            memcpy(steps->best, q, bytes);
        }
        int patience = as->left < CRD_START_RESIDUAL * size ? 0 : as->far ? CRD_ASSEMBLE_STUCK_FAR : CRD_ASSEMBLE_STUCK;
        if (as->left <= CRD_PROJECT_TOLERANCE * size || stuck > patience) break;
        if (as->iterations == CRD_PROJECT_ITERATIONS || !isfinite(now)) break;
        CRD_TRY(newton_step(as, steps));
        crd_move(s, steps->dx, q);
    }
    memcpy(q, steps->best, bytes);
    return crd_measure(d, t, q, v);
}

static CardanStatus assemble(CrdAssembly *as, double t, double *q, const double *v) {
    const CrdShape *s = as->dynamics->model->shape;
    size_t real = sizeof(double);
    Steps steps = {crd_new((size_t)s->nv, real), crd_new((size_t)s->rows, real), crd_new((size_t)s->nq, real)};
    bool all = steps.dx != NULL && steps.r != NULL && steps.best != NULL;
    CardanStatus status = all ? iterate(as, &steps, t, q, v) : crd_fail_memory(as->dynamics->error);
    crd_delete(steps.dx);
    crd_delete(steps.r);
    crd_delete(steps.best);
    return status;
}

static void weigh_held(CrdBlockNumbers *n) {
    n->mass *= CRD_HELD_MASS;
    n->inverse_mass /= CRD_HELD_MASS;
    for (int i = 0; i < 9; i++) {
        n->inertia[i] *= CRD_HELD_MASS;
        n->inverse_inertia[i] /= CRD_HELD_MASS;
    }
}

/* The sparse factor knows no fixed bodies: they are made heavy in a copy of the model's numbers. */
static CardanStatus assemble_heavy(CrdAssembly *as, double t, double *q, const double *v) {
    CrdDynamics *d = as->dynamics;
    const CardanModel *model = d->model;
    size_t count = (size_t)model->shape->block_count;
    CardanModel heavy = {.shape = model->shape, .numbers = model->numbers, .description = model->description};
    heavy.numbers.blocks = crd_new(count, sizeof *heavy.numbers.blocks);
    if (heavy.numbers.blocks == NULL) return crd_fail_memory(d->error);
    memcpy(heavy.numbers.blocks, model->numbers.blocks, count * sizeof *heavy.numbers.blocks);
    for (size_t i = 0; i < count; i++)
        if (as->held[i]) weigh_held(&heavy.numbers.blocks[i]);
    d->model = &heavy;
    CardanStatus status = assemble(as, t, q, v);
    d->model = model;
    crd_delete(heavy.numbers.blocks);
    return status;
}

CardanStatus crd_assemble(CrdAssembly *as, double t, double *q, const double *v) {
    if (as->held == NULL) return assemble(as, t, q, v);
    if (as->spectrum == NULL) return assemble_heavy(as, t, q, v);
    memcpy(as->spectrum->held, as->held, (size_t)as->dynamics->model->shape->block_count * sizeof *as->held);
    return assemble(as, t, q, v);
}
