#include "step/formulation.h"

#include "step/run.h"

#include <math.h>
#include <string.h>

/* ---- which multipliers are held ---- */

/* Rows of an element beyond its holonomic ones have no position level. */
static bool is_holonomic(const CrdShape *s, int row) {
    const CrdElement *e = &s->elements[s->row_element[row]];
    return row - e->first < e->holonomic;
}

static CardanStatus begin(void *user, double t, const double *y, double *u) {
    CrdForm *form = user;
    CrdRun *run = form->run;
    const CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    CardanLevels levels = run->options.stabilise.levels;
    bool always = form->formulation == CARDAN_GGL; /* both levels are what it is */
    /* Next to a singular pose the stages are put on the constraints, and the stabiliser knows how to do so with the
     * end. */
    bool left = form->formulation == CARDAN_INDEX1 && run->project_stages;
    for (int r = 0; r < s->rows; r++) {
        bool kept = !left && !d->is_redundant[r];
        form->held[r] = kept && is_holonomic(s, r) && (always || levels != CARDAN_LEVELS_VELOCITY);
        form->held[s->rows + r] = kept && (always || levels != CARDAN_LEVELS_POSITION);
    }
    memset(u, 0, 2 * (size_t)s->rows * sizeof *u);
    if (!always) return CARDAN_OK;
    CRD_TRY(crd_run_measure(run, t, y)); /* lambda of the start; it may have been overwritten by another attempt */
    CRD_TRY(crd_run_slope(run, y, run->f_new, false));
    memcpy(u + s->rows, d->lambda, (size_t)s->rows * sizeof *u);
    return CARDAN_OK;
}

/* ---- residuals and directions ---- */

static void take_residual(const CrdForm *form, double *residual) {
    const CrdSystem *w = &form->run->dynamics.system;
    size_t rows = (size_t)form->run->dynamics.model->shape->rows;
    memcpy(residual, w->g, rows * sizeof *residual);
    memcpy(residual + rows, w->rate, rows * sizeof *residual);
}

static CardanStatus measure(void *user, double t, const double *y, double *residual) {
    CrdForm *form = user;
    form->run->solved = false;
    CRD_TRY(crd_run_measure(form->run, t, y));
    take_residual(form, residual);
    return CARDAN_OK;
}

/* x <- W G^T u */
static void spread(const CrdForm *form, CardanMetric metric, double sign, const double *u, double *x) {
    const CrdDynamics *d = &form->run->dynamics;
    memset(x, 0, (size_t)d->model->shape->nv * sizeof *x);
    crd_times_gt(d->model->shape, d->system.G, sign, u, x);
    if (metric == CARDAN_METRIC_MASS) crd_solve_mass(d->model, &d->system, x);
}

/* dx <- dx + W ((G v)_q)^T tau */
static CardanStatus add_gradient(CrdForm *form, CardanMetric metric, const double *y, const double *tau) {
    CrdDynamics *d = &form->run->dynamics;
    const CrdShape *s = d->model->shape;
    CRD_TRY(crd_gradient(d->model, y, y + s->nq, &d->system, form->gradient, d->error));
    memset(form->dv, 0, (size_t)s->nv * sizeof *form->dv);
    crd_times_gt(s, form->gradient, 1.0, tau, form->dv);
    if (metric == CARDAN_METRIC_MASS) crd_solve_mass(d->model, &d->system, form->dv);
    for (int i = 0; i < s->nv; i++) form->dx[i] += form->dv[i];
    return CARDAN_OK;
}

static CardanStatus push(void *user, const double *y, const double *u, double *out) {
    CrdForm *form = user;
    const CrdShape *s = form->run->dynamics.model->shape;
    CardanMetric metric = form->run->options.stabilise.metric;
    bool ggl = form->formulation == CARDAN_GGL;
    spread(form, metric, 1.0, u, form->dx);
    if (form->gradient != NULL) CRD_TRY(add_gradient(form, metric, y, u + s->rows));
    spread(form, ggl ? CARDAN_METRIC_MASS : metric, ggl ? -1.0 : 1.0, u + s->rows, form->dv);
    crd_position_rates(s, y, form->dx, form->rates);
    for (int i = 0; i < s->nq; i++) out[i] += form->rates[i];
    for (int i = 0; i < s->nv; i++) out[s->nq + i] += form->dv[i];
    return CARDAN_OK;
}

/* ---- rates ---- */

/* The slope without reactions; the work of drives is that of the given lambda. */
static CardanStatus free_slope(CrdRun *run, const double *y, const double *lambda, double *slope) {
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    const double *v = y + s->nq;
    d->actions.states = v + s->nv;
    d->rhs++;
    CRD_TRY(crd_forces(d->model, y, v, &d->actions, &d->system, d->error));
    memcpy(d->a, d->system.f, (size_t)s->nv * sizeof *d->a);
    crd_solve_mass(d->model, &d->system, d->a);
    crd_run_collect(run, y, lambda, slope);
    return CARDAN_OK;
}

static CardanStatus rates(void *user, double t, const double *y, const double *u, double *slope, double *residual) {
    CrdForm *form = user;
    CrdRun *run = form->run;
    run->solved = false;
    CRD_TRY(crd_run_measure(run, t, y));
    if (residual != NULL && form->multipliers > 0) take_residual(form, residual);
    if (form->formulation == CARDAN_GGL)
        CRD_TRY(free_slope(run, y, u + run->dynamics.model->shape->rows, slope));
    else
        CRD_TRY(crd_run_slope(run, y, slope, true));
    return u != NULL ? push(form, y, u, slope) : CARDAN_OK;
}

static double noise(void *user) {
    const CrdForm *form = user;
    return form->run->stage_noise;
}

/* ---- layout ---- */

/* Lengths against the size of the model, everything else against 1; velocities the same a second. */
static void fill_typical(const CardanModel *model, double *typical) {
    const CrdShape *s = model->shape;
    for (int i = 0; i < s->nq + s->nv + s->first_order; i++) typical[i] = 1.0;
    for (int b = 0; b < s->block_count; b++) {
        const CrdBlock *block = &s->blocks[b];
        int lengths = block->kind == CRD_CUSTOM_BLOCK ? 0 : s->space == CARDAN_PLANAR ? 2 : 3;
        for (int k = 0; k < lengths; k++) typical[block->q + k] = typical[s->nq + block->v + k] = model->numbers.size;
    }
}

int crd_form_multipliers(const CrdShape *s, const CardanOptions *o, bool symmetric) {
    bool moves = o->stabilise.method == CARDAN_STABILISE_POST || o->stabilise.method == CARDAN_STABILISE_PROJECT;
    return o->formulation != CARDAN_INDEX1 || (symmetric && moves) ? 2 * s->rows : 0;
}

void crd_form_layout(CrdForm *form, CrdRun *run, bool symmetric, CrdArena *arena, CrdEquations *out) {
    const CardanModel *model = run->dynamics.model;
    const CrdShape *s = model->shape;
    const CardanOptions *o = &run->options;
    size_t nq = (size_t)s->nq, nv = (size_t)s->nv, core = nq + nv + (size_t)s->first_order, real = sizeof(double);
    int multipliers = crd_form_multipliers(s, o, symmetric);
    bool full = multipliers > 0 && o->formulation != CARDAN_GGL && o->stabilise.form == CARDAN_FORM_FULL;
    form->run = run;
    form->formulation = s->rows > 0 ? o->formulation : CARDAN_INDEX1;
    form->multipliers = multipliers;
    form->held = crd_take(arena, (size_t)multipliers, sizeof *form->held);
    form->typical = crd_take(arena, core, real);
    form->dx = crd_take(arena, nv, real);
    form->dv = crd_take(arena, nv, real);
    form->rates = crd_take(arena, nq, real);
    form->gradient = full ? crd_take(arena, (size_t)s->size_g, real) : NULL;
    if (arena->base != NULL) fill_typical(model, form->typical);
    *out = (CrdEquations){.user = form,
                          .n = run->n,
                          .core = (int)core,
                          .multipliers = multipliers,
                          .in_slopes = form->formulation != CARDAN_INDEX1,
                          .held = form->held,
                          .typical = form->typical,
                          .begin = begin,
                          .rates = rates,
                          .measure = measure,
                          .push = push,
                          .noise = noise};
}
