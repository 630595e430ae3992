#include "guard/hold/hold.h"

#include "core/callback.h"
#include "core/numbers.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Velocities do not move by more than this part of the speed, in the metric of M: a step of any use errs by less, but
 * near rest, where an error of the energy is large against the kinetic energy. */
#define CRD_HOLD_MOVES 0.1

/* Nothing moves any more: rounding of the speed. */
#define CRD_HOLD_STILL (4.0 * DBL_EPSILON)

/* D is kept, so each repetition leaves about the moved part of the speed of what it finds: from a tenth it takes
 * fifteen to rounding, from what steps leave two or three. */
#define CRD_HOLD_ROUNDS 15

/* A pivot of E D below this part of its diagonal entry: the constraints, or the invariants before it, decide it. */
#define CRD_HOLD_FREE 1e-12

/* Gradients are compared with differences over this part of the speed, to this part of their size: a wrong term shows,
 * the third derivative of the value does not. */
#define CRD_HOLD_DIFFERENCE 1e-3
#define CRD_HOLD_GRADIENT 1e-4

typedef struct Hold {
    CrdIntegrator *integrator;
    int count;             /* all: the user's, then the energy where that is held */
    int own;               /* the user's */
    bool known;            /* their targets are */
    double *target;        /* (own) */
    double *value, *mu;    /* (count) */
    double *rows, *change; /* (own x nv) E and D^T */
    double *k;             /* (count x count) E D, lower triangle; then its Cholesky factor */
    double *v;             /* (nv) before anything is moved */
    double *residual;      /* (constraint rows) */
    CardanTwistRow *twist; /* of one invariant */
    double potential;      /* J; of this pose, less the work */
} Hold;

bool crd_hold_is_wanted(const CrdIntegrator *integrator) {
    return integrator->options.stabilise.energy == CARDAN_ENERGY_HELD ||
           integrator->dynamics.model->structure->invariant_count > 0;
}

void *crd_hold_layout(CrdIntegrator *integrator, CrdArena *arena) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    size_t own = (size_t)structure->invariant_count, nv = (size_t)structure->nv, rows = (size_t)structure->rows;
    size_t count = own + (integrator->options.stabilise.energy == CARDAN_ENERGY_HELD), real = sizeof(double);
    Hold layout = {.integrator = integrator, .count = (int)count, .own = (int)own}, *hold;
    hold = crd_take(arena, 1, sizeof *hold);
    layout.target = crd_take(arena, own, real);
    layout.rows = crd_take(arena, own * nv, real);
    layout.change = crd_take(arena, own * nv, real);
    layout.k = crd_take(arena, count * count, real);
    layout.v = crd_take(arena, nv, real);
    CRD_TAKE_VECTORS(arena, count, &layout.value, &layout.mu);
    layout.residual = crd_take(arena, rows, real);
    layout.twist = crd_take(arena, own > 0 ? (size_t)structure->max_gathered : 0, sizeof *layout.twist);
    if (hold != NULL) *hold = layout;
    return hold;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static int nv_of(const Hold *hold) {
    return hold->integrator->dynamics.model->structure->nv;
}

static double *row_of(const Hold *hold, double *rows, int i) {
    return rows + (size_t)i * (size_t)nv_of(hold);
}

/* ---- values ---- */

/* An invariant of the user's at y, whose frames the workspace holds; row (nv, may be NULL): its derivative. */
static CardanStatus evaluate_own(Hold *hold, int i, double *y, double *value, double *row) {
    CrdDynamics *dynamics = &hold->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    CrdSystem *system = &dynamics->system;
    const CrdInvariantDesc *desc = &dynamics->model->description->invariants[i];
    size_t bodies = (size_t)desc->def.bodies;
    assert(desc->def.bodies <= structure->max_gathered);
    CardanEventView view = {.t = system->t,
                            .q = y,
                            .v = crd_integrator_v(hold->integrator, y),
                            .z = crd_integrator_z(hold->integrator, y),
                            .frames = system->gathered,
                            .inputs = dynamics->actions.inputs,
                            .parameters = dynamics->model->values.parameters};
    for (size_t k = 0; k < bodies; k++) system->gathered[k] = system->frames[desc->frames[k]];
    memset(hold->twist, 0, bodies * sizeof *hold->twist);
    *value = 0.0;
    CardanStatus status = desc->def.evaluate(desc->def.user, &view, value, hold->twist);
    bool finite = crd_are_finite(value, 1) && crd_are_finite(hold->twist, 6 * bodies);
    CRD_TRY(crd_callback_ended(dynamics->error, status, finite, system->t, "invariant '%s': its evaluate callback",
                               desc->name));
    if (row == NULL) return CARDAN_OK;
    memset(row, 0, (size_t)structure->nv * sizeof *row);
    for (size_t k = 0; k < bodies; k++) {
        int block = structure->frames[desc->frames[k]].block;
        if (block >= 0)
            crd_add_twist_row(structure, system, desc->frames[k], hold->twist[k], row + structure->blocks[block].v);
    }
    return CARDAN_OK;
}

/* How far all are from their targets. */
static CardanStatus evaluate_all(Hold *hold, double *y, double *rows) {
    const CrdIntegrator *integrator = hold->integrator;
    for (int i = 0; i < hold->own; i++) {
        CRD_TRY(evaluate_own(hold, i, y, &hold->value[i], rows != NULL ? row_of(hold, rows, i) : NULL));
        hold->value[i] -= hold->target[i];
    }
    if (hold->count > hold->own)
        hold->value[hold->own] =
            crd_kinetic(integrator->dynamics.model, &integrator->dynamics.system, crd_integrator_v(integrator, y)) +
            hold->potential - integrator->statistics.energy_start;
    return CARDAN_OK;
}

/* ---- targets ---- */

/* The derivative along d against a difference of values, at y, which is moved there and back. */
static CardanStatus check_gradient(Hold *hold, int i, double t, double *y) {
    CrdIntegrator *integrator = hold->integrator;
    const CardanModel *model = integrator->dynamics.model;
    double *row = row_of(hold, hold->rows, i), *d = row_of(hold, hold->change, i), *v = crd_integrator_v(integrator, y);
    int nv = nv_of(hold);
    memcpy(d, row, (size_t)nv * sizeof *d);
    crd_solve_mass(model, &integrator->dynamics.system, d);
    double length = sqrt(dot(nv, row, d)), speed = sqrt(2.0 * crd_kinetic(model, &integrator->dynamics.system, v));
    if (speed == 0.0) speed = 1.0; /* as good as any: there is none to compare with */
    for (int k = 0; k < nv; k++) {
        d[k] = v[k] + (length > 0.0 ? d[k] * speed / length : 0.0);
        hold->v[k] = v[k];
    }
    double ends[2] = {0.0, 0.0}, along = dot(nv, row, d), size = 0.0;
    for (int end = 0; end < 2; end++) {
        for (int k = 0; k < nv; k++) v[k] = hold->v[k] + (end == 0 ? -1.0 : 1.0) * CRD_HOLD_DIFFERENCE * d[k];
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
        CRD_TRY(evaluate_own(hold, i, y, &ends[end], NULL));
        size = fmax(size, fabs(ends[end]));
    }
    memcpy(v, hold->v, (size_t)nv * sizeof *v);
    double found = (ends[1] - ends[0]) / (2.0 * CRD_HOLD_DIFFERENCE);
    double allowed = CRD_HOLD_GRADIENT * fmax(fabs(found), fabs(along)) + DBL_EPSILON / CRD_HOLD_GRADIENT * size;
    if (fabs(found - along) <= allowed) return CARDAN_OK;
    return crd_fail(integrator->stepper.error, CARDAN_ERR_MODEL,
                    "the gradient of invariant '%s' is not that of its value: %.6g along a change of velocities where "
                    "differences of the value give %.6g",
                    model->description->invariants[i].name, along, found);
}

/* What the present state has of them is held from now on. */
static CardanStatus initialise(void *self) {
    Hold *hold = self;
    CrdStepper *stepper = &hold->integrator->stepper;
    if (hold->known || hold->own == 0) return CARDAN_OK;
    double *y = stepper->y_new;
    memcpy(y, stepper->y, (size_t)stepper->n * sizeof *y);
    for (int i = 0; i < hold->own; i++) {
        CRD_TRY(crd_integrator_evaluate_constraints(hold->integrator, stepper->t, y));
        CRD_TRY(evaluate_own(hold, i, y, &hold->target[i], row_of(hold, hold->rows, i)));
        CRD_TRY(check_gradient(hold, i, stepper->t, y));
    }
    crd_integrator_use_tracked(hold->integrator, stepper->y);
    crd_integrator_touch(hold->integrator);
    hold->known = true;
    return CARDAN_OK;
}

/* ---- a step ---- */

/* D of the user's, twice through P: what rounding left of the first is gone after the second. */
static CardanStatus find_changes(Hold *hold) {
    CrdDynamics *dynamics = &hold->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    if (hold->own > 0 && structure->rows > 0 && !crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR))
        CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    for (int i = 0; i < hold->own; i++) {
        double *d = row_of(hold, hold->change, i);
        memcpy(d, row_of(hold, hold->rows, i), (size_t)structure->nv * sizeof *d);
        crd_solve_mass(dynamics->model, &dynamics->system, d);
        for (int pass = 0; pass < 2 && structure->rows > 0; pass++) {
            memset(hold->residual, 0, (size_t)structure->rows * sizeof *hold->residual);
            crd_times_g(structure, dynamics->system.G, d, hold->residual);
            CRD_TRY(crd_solve_rows(dynamics, hold->residual));
            crd_times_gt(structure, dynamics->system.T, -1.0, hold->residual, d);
        }
    }
    return CARDAN_OK;
}

/* k = E D = L L^T. One that others or the constraints decide has L_ii = 0 and moves nothing. */
static void factor(Hold *hold) {
    int n = hold->count, nv = nv_of(hold);
    for (int i = 0; i < n; i++) {
        double *row = hold->k + (size_t)i * (size_t)n;
        bool energy = i == hold->own;
        for (int j = 0; j <= i; j++) {
            const double *e = energy && j == i ? NULL : row_of(hold, hold->rows, j);
            row[j] = e == NULL ? 2.0 * crd_kinetic(hold->integrator->dynamics.model, &hold->integrator->dynamics.system,
                                                   hold->v)
                               : dot(nv, e, energy ? hold->v : row_of(hold, hold->change, i));
        }
        double diagonal = row[i];
        for (int j = 0; j < i; j++) {
            const double *above = hold->k + (size_t)j * (size_t)n;
            row[j] = above[j] > 0.0 ? (row[j] - dot(j, row, above)) / above[j] : 0.0;
        }
        double pivot = diagonal - dot(i, row, row);
        row[i] = pivot > CRD_HOLD_FREE * diagonal ? sqrt(pivot) : 0.0;
    }
}

/* mu of the values now; returns how far that moves velocities, in the metric of M. */
static double solve(Hold *hold) {
    size_t n = (size_t)hold->count;
    double *x = hold->mu, moved = 0.0;
    for (int i = 0; i < hold->count; i++) {
        const double *row = hold->k + (size_t)i * n;
        x[i] = row[i] > 0.0 ? (hold->value[i] - dot(i, row, x)) / row[i] : 0.0;
        moved += x[i] * x[i];
    }
    for (int i = hold->count - 1; i >= 0; i--) {
        double pivot = hold->k[(size_t)i * n + (size_t)i];
        for (int j = i + 1; j < hold->count; j++) x[i] -= hold->k[(size_t)j * n + (size_t)i] * x[j];
        x[i] = pivot > 0.0 ? x[i] / pivot : 0.0;
    }
    return sqrt(moved);
}

static void move(const Hold *hold, double *v) {
    for (int i = 0; i < hold->count; i++) {
        const double *d = i < hold->own ? row_of(hold, hold->change, i) : hold->v;
        for (int k = 0; k < nv_of(hold); k++) v[k] -= hold->mu[i] * d[k];
    }
}

/* Near rest the energy waits for a later step; false: it does so already, or is not held. */
static bool let_energy_go(Hold *hold) {
    double *pivot = &hold->k[(size_t)hold->count * (size_t)hold->count - 1];
    bool held = hold->count > hold->own && *pivot > 0.0;
    if (held) *pivot = 0.0;
    return held;
}

static CardanStatus fail_far(const Hold *hold, double moved, double speed) {
    const CrdIntegrator *integrator = hold->integrator;
    int worst = 0;
    for (int i = 1; i < hold->own; i++)
        if (fabs(hold->value[i] / hold->target[i]) > fabs(hold->value[worst] / hold->target[worst])) worst = i;
    return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "invariant '%s' is off by %.3g of %.6g after a step to t = %.9g, and to hold it velocities would "
                    "have to move by %.2g of the speed: the step is too long, or the motion does not keep it",
                    integrator->dynamics.model->description->invariants[worst].name, fabs(hold->value[worst]),
                    hold->target[worst], integrator->dynamics.system.t, speed > 0.0 ? moved / speed : (double)INFINITY);
}

/* Moves velocities of y at t until nothing moves any more; *any: they were moved. */
static CardanStatus correct(Hold *hold, double t, double *y, bool *any) {
    CrdIntegrator *integrator = hold->integrator;
    const CardanModel *model = integrator->dynamics.model;
    double *v = crd_integrator_v(integrator, y);
    double speed = sqrt(2.0 * crd_kinetic(model, &integrator->dynamics.system, v));
    memcpy(hold->v, v, (size_t)nv_of(hold) * sizeof *v);
    hold->potential = crd_potential(model, &integrator->dynamics.system) - *crd_integrator_work(integrator, y);
    CRD_TRY(evaluate_all(hold, y, hold->rows));
    CRD_TRY(find_changes(hold));
    factor(hold);
    for (int round = 0; round < CRD_HOLD_ROUNDS; round++) {
        double moved = solve(hold);
        if (moved <= CRD_HOLD_STILL * speed) break;
        if (moved <= CRD_HOLD_MOVES * speed)
            move(hold, v);
        else if (let_energy_go(hold))
            memcpy(v, hold->v, (size_t)nv_of(hold) * sizeof *v);
        else
            return fail_far(hold, moved, speed);
        *any = true;
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
        CRD_TRY(evaluate_all(hold, y, NULL));
    }
    return CARDAN_OK;
}

static CrdVerdict after_attempt(void *self, CrdTry *attempt, CardanStatus *status) {
    Hold *hold = self;
    CrdIntegrator *integrator = hold->integrator;
    CrdStepper *stepper = &integrator->stepper;
    bool any = false;
    *status = correct(hold, attempt->t_new, stepper->y_new, &any);
    if (*status < 0) return CRD_REJECT;
    if (any) *status = crd_integrator_evaluate_constraints(integrator, attempt->t_new, stepper->y_new);
    if (any && *status >= 0) *status = crd_integrator_derivative(integrator, stepper->y_new, stepper->f_new, false);
    return *status < 0 ? CRD_REJECT : CRD_ACCEPT;
}

/* ---- what is remembered ---- */

static void touch(void *self) {
    ((Hold *)self)->known = false;
}

static int memory_size(const CrdStructure *structure) {
    return structure->invariant_count > 0 ? structure->invariant_count + 1 : 0;
}

static void get(const void *self, double *numbers) {
    const Hold *hold = self;
    if (hold->own == 0) return;
    memcpy(numbers, hold->target, (size_t)hold->own * sizeof *numbers);
    numbers[hold->own] = hold->known ? 1.0 : 0.0;
}

static void set(void *self, const double *numbers) {
    Hold *hold = self;
    if (hold->own == 0) return;
    memcpy(hold->target, numbers, (size_t)hold->own * sizeof *numbers);
    hold->known = numbers[hold->own] != 0.0;
}

static void copy(void *self, const void *from) {
    const Hold *other = from;
    Hold *hold = self;
    assert(hold->own == other->own);
    memcpy(hold->target, other->target, (size_t)hold->own * sizeof *hold->target);
    hold->known = other->known;
}

const CrdGuard crd_hold_guard = {.initialise = initialise,
                                 .after_attempt = after_attempt,
                                 .touch = touch,
                                 .reset = touch,
                                 .memory_size = memory_size,
                                 .get = get,
                                 .set = set,
                                 .copy = copy};
