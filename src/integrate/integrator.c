#include "integrate/integrator.h"

#include "core/numbers.h"
#include "equations/tree.h"
#include "integrate/beyond.h"
#include "integrate/hermite.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of a tree on which nothing acts but gravity: stages need no more than accelerations. */
static CardanStatus plain_slope(CrdDynamics *dynamics, const double *y, double *dydt) {
    const CrdStructure *structure = dynamics->model->structure;
    const double *v = y + structure->nq;
    double *a = dydt + structure->nq;
    dynamics->work.rhs++;
    crd_position_rates(structure, y, v, dydt);
    crd_tree_accelerate(dynamics->model, y, v, &dynamics->system, a);
    a[structure->nv] = 0.0; /* no power */
    return CARDAN_OK;
}

static CardanStatus rhs(void *user, double t, const double *y, double *dydt) {
    CrdIntegrator *integrator = user;
    CrdDynamics *dynamics = &integrator->dynamics;
    if (crd_tree_is_plain(dynamics->model->structure, &dynamics->actions)) return plain_slope(dynamics, y, dydt);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    return crd_integrator_derivative(integrator, y, dydt, true);
}

void crd_integrator_set_tolerance(CrdIntegrator *integrator) {
    integrator->stabiliser.tolerance = crd_tolerance_of(integrator->dynamics.model, &integrator->options);
    integrator->conduct.scaled = false;
}

/* Tracked coordinates ride along and have no tolerance; work is an energy, whose weight each step sets. */
void crd_integrator_scale(CrdIntegrator *integrator) {
    const CrdTolerance *tolerance = &integrator->stabiliser.tolerance;
    const CrdStructure *structure = integrator->dynamics.model->structure;
    CrdStepper *stepper = &integrator->stepper;
    int controlled = structure->nq + structure->nv + structure->first_order;
    if (integrator->conduct.scaled) return;
    assert(controlled + structure->tracked_count + 1 == stepper->n);
    for (int i = 0; i < stepper->n; i++) stepper->absolute[i] = tolerance->number;
    for (int i = 0; i < controlled; i++) stepper->weight[i] = 1.0;
    crd_tolerance_spread(tolerance, structure, stepper->absolute);
    stepper->absolute[stepper->n - 1] = tolerance->energy;
    integrator->conduct.scaled = true;
}

/* Each of two methods lays out its own scratch, the explicit one last. */
static void layout_method(CrdIntegrator *integrator, CrdArena *arena) {
    CrdStepper *stepper = &integrator->stepper;
    CrdMethods *methods = &integrator->methods;
    *methods = (CrdMethods){0};
    if (stepper->method != &crd_auto) {
        stepper->method->layout(stepper, arena);
        return;
    }
    methods->method[0] = &crd_dop853;
    methods->method[1] = &crd_radau5;
    for (int i = 1; i >= 0; i--) {
        stepper->method = methods->method[i];
        stepper->method->layout(stepper, arena);
        methods->memory[i] = stepper->memory;
    }
}

static void layout_stepper(CrdIntegrator *integrator, size_t n, CrdArena *arena) {
    CrdStepper *stepper = &integrator->stepper;
    const CardanOptions *options = &integrator->options;
    stepper->n = (int)n;
    stepper->method = crd_method(options->stepper);
    stepper->order = options->order;
    stepper->rtol = options->rtol;
    stepper->rho = options->rho;
    stepper->atol = integrator->stabiliser.tolerance.number;
    crd_model_equations(integrator, arena);
    layout_method(integrator, arena);
    stepper->history = crd_take(arena, (size_t)stepper->history_size, sizeof(double));
    stepper->hermite = crd_take(arena, stepper->method->interpolate == NULL ? CRD_HERMITE_ROWS * n : 0, sizeof(double));
    CRD_TAKE_VECTORS(arena, n, &stepper->weight, &stepper->absolute, &stepper->y, &stepper->f, &stepper->y_new,
                     &stepper->f_new, &stepper->y_old);
    stepper->ode = (CrdOde){.rhs = rhs, .user = integrator, .n = stepper->n};
    if (arena->base != NULL) crd_integrator_set_tolerance(integrator);
}

void crd_integrator_layout(CrdIntegrator *integrator, const CardanModel *model, const CardanOptions *options,
                           CrdArena *arena) {
    const CrdStructure *structure = model->structure;
    size_t n = (size_t)structure->nq + (size_t)structure->nv + (size_t)structure->first_order +
               (size_t)structure->tracked_count + 1;
    integrator->options = *options;
    crd_dynamics_layout(&integrator->dynamics, model, options, arena);
    crd_stabiliser_layout(&integrator->stabiliser, model, options, arena);
    layout_stepper(integrator, n, arena);
    crd_stages_layout(&integrator->stages, (int)n, arena);
    crd_halves_layout(&integrator->halves, structure, (int)n, arena);
    CRD_TAKE_VECTORS(arena, n, &integrator->y_raw, &integrator->floor);
    integrator->taken = crd_take(arena, (size_t)structure->nv, sizeof(double));
    crd_log_layout(&integrator->log, arena);
    integrator->guards = (CrdGuards){0};
}

void crd_integrator_use_tracked(CrdIntegrator *integrator, const double *y) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    integrator->dynamics.actions.tracked = y + structure->nq + structure->nv + structure->first_order;
}

CardanStatus crd_integrator_evaluate_constraints(CrdIntegrator *integrator, double t, const double *y) {
    crd_integrator_use_tracked(integrator, y);
    return crd_evaluate_constraints(&integrator->dynamics, t, y, y + integrator->dynamics.model->structure->nq);
}

CardanStatus crd_integrator_evaluate_rows(CrdIntegrator *integrator, double t, const double *y) {
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    if (!crd_imperfect_is_spread(&integrator->dynamics)) return CARDAN_OK;
    CRD_TRY(crd_factor(&integrator->dynamics, CARDAN_METRIC_MASS));
    return crd_integrator_evaluate_constraints(integrator, t, y);
}

CardanStatus crd_integrator_forces(CrdIntegrator *integrator, const double *y) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const double *v = y + structure->nq;
    dynamics->actions.states = v + structure->nv;
    return crd_forces(dynamics->model, y, v, &dynamics->actions, &dynamics->system, dynamics->error);
}

void crd_pack_derivative(const CrdIntegrator *integrator, const double *y, const double *lambda, double *dydt) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    crd_position_rates_with(dynamics->system.pool, structure, y, y + structure->nq, dydt);
    double *a = dydt + structure->nq, *z_rate = a + structure->nv;
    memcpy(a, dynamics->a, (size_t)structure->nv * sizeof *a);
    if (structure->first_order > 0)
        memcpy(z_rate, dynamics->system.z_rate, (size_t)structure->first_order * sizeof *z_rate);
    crd_tracked_rates(dynamics->model, &dynamics->system, z_rate + structure->first_order);
    dydt[integrator->stepper.n - 1] = dynamics->system.power + crd_drive_power(structure, &dynamics->system, lambda);
}

double crd_integrator_moved(const CrdIntegrator *integrator, const double *from, const double *to) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    double max = 0.0;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        int lengths = crd_block_lengths(structure, block);
        for (int k = 0; k < block->nq; k++) {
            double scale = k < lengths ? integrator->dynamics.model->values.size : 1.0;
            max = fmax(max, fabs(to[block->q + k] - from[block->q + k]) / scale);
        }
    }
    return max;
}

/* ---- the present state ---- */

bool crd_integrator_is_solved(const CrdIntegrator *integrator) {
    const unsigned all = CRD_HOLDS_ROWS | CRD_HOLDS_FORCES | CRD_HOLDS_ACCELERATIONS;
    const CrdStepper *stepper = &integrator->stepper;
    return crd_stamp_holds_of(&integrator->dynamics.system.stamp, all, stepper->t, stepper->y);
}

CardanStatus crd_integrator_factor_start(CrdIntegrator *integrator, double *pieces) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStepper *stepper = &integrator->stepper;
    if (dynamics->model->structure->rows == 0) return CARDAN_OK;
    if (!crd_stamp_holds_of(&dynamics->system.stamp, CRD_HOLDS_FACTOR, stepper->t, stepper->y)) {
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y));
        CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    }
    memcpy(pieces, dynamics->system.T, (size_t)dynamics->model->structure->size_g * sizeof *pieces);
    return CARDAN_OK;
}

CardanStatus crd_integrator_evaluate(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    CRD_TRY(crd_guards_initialise(&integrator->guards));
    if (crd_integrator_is_solved(integrator)) return CARDAN_OK;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y));
    bool looks = integrator->conduct.looks;
    integrator->conduct.looks = true;
    CardanStatus status = crd_integrator_derivative(integrator, stepper->y, stepper->f, false);
    integrator->conduct.looks = looks;
    if (status < 0) return status;
    integrator->statistics.balance = crd_integrator_energy(integrator, stepper->y);
    return crd_check_numbers(integrator);
}

void crd_integrator_touch(CrdIntegrator *integrator) {
    crd_stamp_clear(&integrator->dynamics.system.stamp);
}

CardanStatus crd_integrator_track(CrdIntegrator *integrator, double *y) {
    CrdDynamics *dynamics = &integrator->dynamics;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS));
    crd_track(dynamics->model, &dynamics->system, crd_integrator_tracked(integrator, y));
    /* The foot on a curve is sought from where it was last: from the new one rounding makes it another, and the rows
     * must be those that the state alone gives, or a run put back would not go on with the same bits. */
    if (dynamics->model->structure->curve_count == 0) return CARDAN_OK;
    return crd_integrator_evaluate_constraints(integrator, dynamics->system.t, y);
}

CardanStatus crd_integrator_project(CrdIntegrator *integrator, double t, double *y) {
    CrdDynamics *dynamics = &integrator->dynamics;
    crd_integrator_use_tracked(integrator, y);
    if (dynamics->model->structure->rows > 0)
        CRD_TRY(crd_project(&integrator->stabiliser, dynamics, t, y, crd_integrator_v(integrator, y)));
    else
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    return crd_integrator_track(integrator, y);
}

CrdEnergies crd_integrator_energies(const CrdIntegrator *integrator, const double *y) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdSystem *system = &dynamics->system;
    const CrdStructure *structure = dynamics->model->structure;
    const double *v = y + structure->nq;
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_FORCES));
    bool as_frames = structure->tree != NULL && structure->rows == 0 && system->tree.v == v;
    if (!as_frames)
        return (CrdEnergies){crd_potential(dynamics->model, system), crd_kinetic(dynamics->model, system, v)};
    CrdEnergies energies = crd_tree_energies(dynamics->model, system);
    energies.potential += system->stored;
    return energies;
}

double crd_integrator_energy(const CrdIntegrator *integrator, const double *y) {
    CrdEnergies energies = crd_integrator_energies(integrator, y);
    return energies.kinetic + energies.potential - y[integrator->stepper.n - 1];
}

static void swap(double **a, double **b) {
    double *keep = *a;
    *a = *b;
    *b = keep;
}

void crd_integrator_enter(CrdIntegrator *integrator, double t) {
    CrdStepper *stepper = &integrator->stepper;
    assert(t >= stepper->t);
    stepper->t = t;
    swap(&stepper->y, &stepper->y_new);
    swap(&stepper->f, &stepper->f_new);
}

void crd_integrator_reset(CrdIntegrator *integrator) {
    integrator->grid = integrator->stepper.t;
    crd_guards_reset(&integrator->guards);
}

void crd_integrator_choose_method(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    CrdMethods *methods = &integrator->methods;
    const CrdMethod *method = methods->method[methods->next];
    if (method == NULL || stepper->method == method) return;
    stepper->method = method;
    stepper->memory = methods->memory[methods->next];
    integrator->dense = CRD_DENSE_LOST;
}

void crd_integrator_restart(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    bool forgets = integrator->methods.method[0] != NULL && integrator->methods.next == 0; /* it has no history */
    if (stepper->history_size == 0 || forgets) return;
    memset(stepper->history, 0, (size_t)stepper->history_size * sizeof *stepper->history);
    integrator->controller.h_next = 0.0; /* a low order starts again */
}
