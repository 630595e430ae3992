#include "integrate/formulation.h"

#include "integrate/integrator.h"
#include "integrate/methods/implicit.h"
#include "project/words.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- which multipliers are held ---- */

static CardanStatus begin(void *user, double t, const double *y, double *u) {
    CrdForm *form = user;
    CrdIntegrator *integrator = form->integrator;
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    CardanLevels levels = integrator->options.stabilise.levels;
    bool always = form->formulation == CARDAN_FORMULATION_GGL; /* both levels are what it is */
    /* Next to a singular pose the stages are put on the constraints, and the stabiliser knows how to do so with the
     * end. */
    bool left = form->formulation == CARDAN_FORMULATION_INDEX1 && integrator->stages.project;
    for (int r = 0; r < structure->rows; r++) {
        bool kept = !left && !dynamics->redundancy.is_dropped[r];
        form->held[r] = kept && crd_row_is_holonomic(structure, r) && (always || levels != CARDAN_LEVELS_VELOCITY);
        form->held[structure->rows + r] = kept && (always || levels != CARDAN_LEVELS_POSITION);
    }
    memset(u, 0, 2 * (size_t)structure->rows * sizeof *u);
    if (!always) return CARDAN_OK;
    /* Lambda of the start; it may have been overwritten by another attempt. */
    if (!crd_stamp_holds_of(&dynamics->system.stamp, CRD_HOLDS_ROWS | CRD_HOLDS_FORCES | CRD_HOLDS_ACCELERATIONS, t,
                            y)) {
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
        CRD_TRY(crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false));
    }
    memcpy(u + structure->rows, dynamics->lambda, (size_t)structure->rows * sizeof *u);
    return CARDAN_OK;
}

/* ---- residuals and directions ---- */

static void take_residual(const CrdForm *form, double *residual) {
    assert(form->multipliers > 0 && residual != NULL);
    const CrdSystem *system = &form->integrator->dynamics.system;
    size_t rows = (size_t)form->integrator->dynamics.model->structure->rows;
    memcpy(residual, system->g, rows * sizeof *residual);
    memcpy(residual + rows, system->rate, rows * sizeof *residual);
}

static CardanStatus measure(void *user, double t, const double *y, double *residual) {
    CrdForm *form = user;
    CRD_TRY(crd_integrator_evaluate_constraints(form->integrator, t, y));
    take_residual(form, residual);
    return CARDAN_OK;
}

/* x <- sign W P^T u, P: pieces of G, or of (G v)_q. */
static void spread(const CrdDynamics *dynamics, CardanMetric metric, double sign, const double *pieces, const double *u,
                   double *x) {
    const CrdStructure *structure = dynamics->model->structure;
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    crd_times_gt(structure, pieces, sign, u, x);
    if (metric == CARDAN_METRIC_MASS) crd_solve_mass(dynamics->model, &dynamics->system, x);
}

/* dx <- dx + W ((G v)_q)^T tau */
static CardanStatus add_gradient(CrdForm *form, CardanMetric metric, const double *y, const double *tau) {
    CrdDynamics *dynamics = &form->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    CRD_TRY(crd_gradient(dynamics->model, y, y + structure->nq, &dynamics->system, form->gradient, dynamics->error));
    spread(dynamics, metric, 1.0, form->gradient, tau, form->dv);
    for (int i = 0; i < structure->nv; i++) form->dx[i] += form->dv[i];
    return CARDAN_OK;
}

static CardanStatus push(void *user, const double *y, const double *u, double *out) {
    CrdForm *form = user;
    const CrdDynamics *dynamics = &form->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const double *G = dynamics->system.G;
    CardanMetric metric = form->integrator->options.stabilise.metric;
    bool ggl = form->formulation == CARDAN_FORMULATION_GGL;
    assert(form->multipliers == 2 * structure->rows);
    spread(dynamics, metric, 1.0, G, u, form->dx);
    if (form->gradient != NULL) CRD_TRY(add_gradient(form, metric, y, u + structure->rows));
    spread(dynamics, ggl ? CARDAN_METRIC_MASS : metric, ggl ? -1.0 : 1.0, G, u + structure->rows, form->dv);
    crd_position_rates(structure, y, form->dx, form->rates);
    for (int i = 0; i < structure->nq; i++) out[i] += form->rates[i];
    for (int i = 0; i < structure->nv; i++) out[structure->nq + i] += form->dv[i];
    return CARDAN_OK;
}

/* ---- rates ---- */

/* The slope without reactions; the work of drives is that of the given lambda. */
static CardanStatus free_slope(CrdIntegrator *integrator, const double *y, const double *lambda, double *slope) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const double *v = y + structure->nq;
    dynamics->actions.states = v + structure->nv;
    dynamics->work.rhs++;
    CRD_TRY(crd_forces(dynamics->model, y, v, &dynamics->actions, &dynamics->system, dynamics->error));
    memcpy(dynamics->a, dynamics->system.f, (size_t)structure->nv * sizeof *dynamics->a);
    crd_solve_mass(dynamics->model, &dynamics->system, dynamics->a);
    crd_pack_derivative(integrator, y, lambda, slope);
    return CARDAN_OK;
}

static CardanStatus rates(void *user, double t, const double *y, const double *u, double *slope, double *residual) {
    CrdForm *form = user;
    CrdIntegrator *integrator = form->integrator;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    if (residual != NULL && form->multipliers > 0) take_residual(form, residual);
    if (form->formulation == CARDAN_FORMULATION_GGL)
        CRD_TRY(free_slope(integrator, y, u + integrator->dynamics.model->structure->rows, slope));
    else
        CRD_TRY(crd_integrator_derivative(integrator, y, slope, true));
    if (u == NULL) return CARDAN_OK;
    /* Next to a pose the slope is that of y put on the constraints, whose rows are there then. */
    if (!crd_stamp_holds_of(&integrator->dynamics.system.stamp, CRD_HOLDS_ROWS, t, y))
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    return push(form, y, u, slope);
}

/* Next to a singular pose, and where loops do not close, accelerations are not those of the plain equations. */
static bool rough(void *user) {
    const CrdForm *form = user;
    const CrdIntegrator *integrator = form->integrator;
    return integrator->stages.project || crd_near_singular(&integrator->dynamics) ||
           crd_imperfect_is_spread(&integrator->dynamics);
}

static double noise(void *user) {
    const CrdForm *form = user;
    return form->integrator->stages.noise;
}

/* ---- layout ---- */

/* Lengths against the size of the model, everything else against 1; velocities the same a second. */
static void fill_typical(const CardanModel *model, double *typical) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; i < structure->nq + structure->nv + structure->first_order; i++) typical[i] = 1.0;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        int lengths = crd_block_lengths(structure, block);
        for (int k = 0; k < lengths; k++)
            typical[block->q + k] = typical[structure->nq + block->v + k] = model->values.size;
    }
}

int crd_form_multipliers(const CrdStructure *structure, const CardanOptions *options, bool symmetric) {
    bool moves = crd_stabilise_record(options->stabilise.method)->moves;
    return options->formulation != CARDAN_FORMULATION_INDEX1 || (symmetric && moves) ? 2 * structure->rows : 0;
}

/* symmetric: the method is, so its ends are projected symmetrically where multipliers are not in slopes and states are
 * put on the constraints. */
static void layout(CrdForm *form, CrdIntegrator *integrator, const CrdMethod *method, CrdArena *arena,
                   CrdEquations *out) {
    const CardanModel *model = integrator->dynamics.model;
    const CrdStructure *structure = model->structure;
    const CardanOptions *options = &integrator->options;
    size_t nq = (size_t)structure->nq, nv = (size_t)structure->nv, core = nq + nv + (size_t)structure->first_order,
           real = sizeof(double);
    bool index3 = method->sees == CRD_SEES_INDEX3, symmetric = method->stages != NULL && method->stages->symmetric;
    int multipliers = index3 ? structure->rows : crd_form_multipliers(structure, options, symmetric);
    bool full = multipliers > 0 && !index3 && options->formulation != CARDAN_FORMULATION_GGL &&
                options->stabilise.form == CARDAN_STABILISE_FORM_FULL;
    form->integrator = integrator;
    form->formulation = structure->rows > 0 ? options->formulation : CARDAN_FORMULATION_INDEX1;
    form->index3 = index3;
    form->multipliers = multipliers;
    form->held = crd_take(arena, (size_t)multipliers, sizeof *form->held);
    form->typical = crd_take(arena, core, real);
    CRD_TAKE_VECTORS(arena, nv, &form->dx, &form->dv);
    form->rates = crd_take(arena, nq, real);
    form->row_values = crd_take(arena, index3 ? (size_t)structure->rows : 0, real);
    form->gradient = full ? crd_take(arena, (size_t)structure->size_g, real) : NULL;
    crd_linearisation_layout(&form->linearisation, form, integrator->stepper.n, arena);
    if (arena->base != NULL) fill_typical(model, form->typical);
    *out = (CrdEquations){.user = form,
                          .n = integrator->stepper.n,
                          .core = (int)core,
                          .multipliers = multipliers,
                          .in_slopes = form->formulation != CARDAN_FORMULATION_INDEX1,
                          .ends_may_rest = true,
                          .held = form->held,
                          .typical = form->typical,
                          .begin = begin,
                          .rates = rates,
                          .measure = measure,
                          .push = push,
                          .noise = noise,
                          .stage = &form->linearisation.stage,
                          .ends = &form->linearisation.ends,
                          .stage_size = crd_linearisation_size(form),
                          .rough = rough};
    if (index3) crd_index3_equations(form, out);
}

/* It iterates on equations of the model, with their derivatives. */
static bool solves(const CrdMethod *method) {
    return method->sees == CRD_SEES_EQUATIONS || method->sees == CRD_SEES_INDEX3;
}

void crd_model_equations(CrdIntegrator *integrator, CrdArena *arena) {
    const CrdMethod *method = integrator->stepper.method;
    if (solves(method)) layout(&integrator->form, integrator, method, arena, &integrator->stepper.equations);
    if (method->sees == CRD_SEES_STAGES || method->sees == CRD_SEES_MOTION)
        crd_motion_layout(&integrator->motion, integrator, arena);
}

CardanStatus crd_model_equations_open(CrdIntegrator *integrator, CrdError *error) {
    const CrdMethod *method = crd_method(integrator->options.stepper);
    const CrdForm *form = &integrator->form;
    if (!solves(method)) return CARDAN_OK;
    const CrdImplicitTableau *stages = method->stages; /* NULL: one stage, at the end */
    bool in_slopes = form->formulation != CARDAN_FORMULATION_INDEX1;
    bool ends = form->multipliers > 0 && stages != NULL && (!in_slopes || !stages->ends_on_stage);
    return crd_linearisation_open(&integrator->form.linearisation, ends, stages != NULL && stages->stages > 1, error);
}

void crd_model_equations_close(CrdIntegrator *integrator) {
    if (integrator->stepper.method != NULL && solves(crd_method(integrator->options.stepper)))
        crd_linearisation_close(&integrator->form.linearisation);
}
