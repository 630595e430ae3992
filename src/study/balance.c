#include "study/balance.h"

#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Forces that are not balanced, against the largest that act, and openings in lengths of the mechanism or rad, that are
 * zero to rounding of sums of a few terms. */
#define CRD_BALANCED 1e-12

/* What is as good as it gets where rounding of larger terms inside does not let it fall further. */
#define CRD_BALANCED_STUCK 1e-9

/* First pseudo-time step: bodies move about this far, in lengths of the mechanism or rad; and the largest step. */
#define CRD_BALANCE_FIRST 0.05
#define CRD_BALANCE_REACH 0.3

/* A step after which more than this times the forces are left is tried shorter. */
#define CRD_BALANCE_WORSE 2.0

/* Softening of rows, against M: dependent ones share what they carry. */
#define CRD_BALANCE_SOFT 1e-11

/* Steps at most, retries of one, and steps without gain near the end. */
enum { BALANCE_STEPS = 400, BALANCE_RETRIES = 30, BALANCE_POTENTIAL = 8, BALANCE_STUCK = 6 };

/* Rounding of the potential, a sum over all bodies; and the part of the forces below which a step is a good one
 * whatever it does to the potential: it is Newton's. */
#define CRD_BALANCE_LEVEL 1e-14
#define CRD_BALANCE_NEAR 0.1

/* mu, against the first, that no longer matters: the steps are Newton's. And the least that it is raised to where a
 * step was not good. */
#define CRD_BALANCE_MU 1e-9
#define CRD_BALANCE_RAISE 1e-4

/* A last step that is longer than this, in lengths of the mechanism or rad, goes along poses that are all in balance.
 */
#define CRD_BALANCE_POLISH 1e-6

/* ---- room ---- */

static CardanStatus put(CrdBalance *balance, double mu, double eps) {
    CrdJacobian *jacobian = &balance->jacobian;
    const double *G = balance->study->dynamics->system.G;
    CrdColumns columns = {0, balance->dx, balance->z}, forces = {0, balance->twist, balance->z};
    jacobian->tiles = &balance->sparse.tiles;
    jacobian->values = balance->sparse.values;
    crd_sparse_begin(&balance->sparse);
    crd_jacobian_identity(jacobian, 0, 0, balance->nq, 1.0);
    if (balance->moves) /* q alone moves, along dx: no velocities are added */
        for (int i = 0; i < balance->nv; i++) balance->against[i] = jacobian->v != NULL ? -jacobian->v[i] : 0.0;
    crd_jacobian_kinematics(jacobian, 0, columns, balance->moves ? balance->against : NULL);
    CRD_TRY(crd_jacobian_dynamics(jacobian, balance->dx, balance->z, forces));
    crd_jacobian_mass(jacobian, balance->dx, balance->dx, mu, CARDAN_METRIC_MASS);
    crd_jacobian_transposed(jacobian, balance->dx, balance->lambda, 1.0, G);
    crd_jacobian_identity(jacobian, balance->twist, balance->twist, balance->nv, 1.0);
    crd_jacobian_identity(jacobian, balance->z, balance->z, balance->nz, mu > 0.0 ? sqrt(mu) : 0.0);
    crd_jacobian_over_v(jacobian, balance->lambda, balance->dx, 1.0, G);
    crd_jacobian_identity(jacobian, balance->lambda, balance->lambda, balance->rows, -eps);
    if (!balance->moves) return CARDAN_OK;
    crd_steady_put(&balance->steady, jacobian, balance->dx, balance->twist, balance->dx);
    crd_steady_put_pins(&balance->steady, jacobian, balance->dx, 0, balance->dx, balance->pin);
    crd_jacobian_identity(jacobian, balance->pin, balance->pin, balance->pins, -eps);
    return CARDAN_OK;
}

static void layout(CrdBalance *balance) {
    const CrdStructure *structure = balance->study->model->structure;
    size_t real = sizeof(double), state = (size_t)(balance->study->run->stepper.n + structure->rows + balance->pins);
    crd_jacobian_layout(&balance->jacobian, structure, &balance->arena);
    balance->zero = crd_take(&balance->arena, (size_t)structure->nv, real);
    balance->residual = crd_take(&balance->arena, (size_t)structure->nv, real);
    balance->trial = crd_take(&balance->arena, state, real);
    balance->against = crd_take(&balance->arena, (size_t)structure->nv, real);
}

CardanStatus crd_balance_open(CrdBalance *balance, CardanStudy *study) {
    const CrdStructure *structure = study->model->structure;
    int nq = structure->nq, nv = structure->nv, nz = structure->first_order;
    *balance = (CrdBalance){.study = study, .nq = nq, .nv = nv, .nz = nz, .rows = structure->rows};
    balance->moves = study->drives_go_on;
    if (balance->moves) CRD_TRY(crd_steady_open(&balance->steady, study));
    balance->pins = balance->steady.pins;
    balance->dx = nq;
    balance->twist = nq + nv;
    balance->z = nq + 2 * nv;
    balance->lambda = balance->z + nz;
    balance->pin = balance->lambda + balance->rows;
    layout(balance);
    if (!crd_arena_allocate(&balance->arena)) return crd_fail_memory(&study->error);
    layout(balance);
    balance->jacobian.model = study->model;
    balance->jacobian.system = &study->dynamics->system;
    balance->jacobian.actions = &study->dynamics->actions;
    balance->jacobian.error = &study->error;
    crd_sparse_open(&balance->sparse, balance->pin + balance->pins);
    CRD_TRY(put(balance, 1.0, 1.0));
    CRD_TRY(crd_sparse_close_pattern(&balance->sparse, &study->error));
    return crd_closing_open(&balance->closing, study->run, balance->pins, balance->steady.pin, NULL);
}

void crd_balance_close(CrdBalance *balance) {
    crd_sparse_free(&balance->sparse);
    crd_closing_close(&balance->closing);
    crd_steady_close(&balance->steady);
    crd_arena_free(&balance->arena);
    *balance = (CrdBalance){0};
}

/* ---- one pose ---- */

/* The workspace at the pose of y, with the velocities of the motion. */
static CardanStatus evaluate(CrdBalance *balance, double *y) {
    CardanStudy *study = balance->study;
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, y));
    if (balance->moves) {
        crd_steady_motion(&balance->steady, y + balance->nq);
        CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, y));
    }
    return crd_integrator_forces(study->run, y);
}

/* Residuals of y and lambda, mu (pins); left. */
static CardanStatus look(CrdBalance *balance, double *y, const double *lambda, const double *mu) {
    CardanStudy *study = balance->study;
    const CrdSystem *system = &study->dynamics->system;
    const CrdStructure *structure = study->model->structure;
    CRD_TRY(evaluate(balance, y));
    for (int i = 0; i < balance->nv; i++) balance->residual[i] = -system->f[i];
    crd_times_gt(structure, system->G, 1.0, lambda, balance->residual);
    double force = crd_max_abs(system->f, balance->nv), open = 0.0;
    if (balance->moves) force = fmax(force, crd_steady_add(&balance->steady, mu, balance->residual));
    for (int i = 0; i < balance->pins; i++)
        open = fmax(open, fabs(balance->steady.pin[i].g) * study->model->values.size);
    balance->forces = fmax(balance->forces, force);
    for (int i = 0; i < balance->rows; i++)
        if (crd_row_is_holonomic(structure, i)) open = fmax(open, fabs(system->g[i]));
    double states = crd_max_abs(system->z_rate, balance->nz);
    double left = balance->forces > 0.0 ? crd_max_abs(balance->residual, balance->nv) / balance->forces : 0.0;
    balance->left = fmax(fmax(left, open / study->model->values.size), states);
    return isfinite(balance->left) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* Softening of rows: against the inverse masses. */
static double softness(const CrdBalance *balance) {
    const CardanModel *model = balance->study->model;
    double sum = 0.0;
    for (int i = 0; i < model->structure->block_count; i++) sum += model->values.blocks[i].mass;
    return sum > 0.0 ? CRD_BALANCE_SOFT * model->structure->block_count / sum : CRD_BALANCE_SOFT;
}

CardanStatus crd_balance_matrix(CrdBalance *balance, double mu) {
    CardanStudy *study = balance->study;
    assert(mu >= 0.0);
    bool moves = balance->moves;
    CRD_TRY(crd_jacobian_at(&balance->jacobian, study->t, study->y, moves ? crd_study_v(study) : balance->zero,
                            moves ? balance->steady.a : balance->zero, study->lambda));
    double own = softness(balance);
    return put(balance, mu, mu > 0.0 ? own / fmax(mu, 1.0) : own);
}

/* The step at the state, mu given: x, dz, dlambda in sparse.x. */
static CardanStatus step_at(CrdBalance *balance, double mu) {
    CardanStudy *study = balance->study;
    double *x = balance->sparse.x;
    assert(balance->sparse.lu != NULL && balance->nv == study->model->structure->nv);
    CRD_TRY(look(balance, study->y, study->lambda, balance->steady.mu));
    CRD_TRY(crd_balance_matrix(balance, mu));
    const CrdSystem *system = &study->dynamics->system;
    memset(x, 0, (size_t)balance->sparse.tiles.n * sizeof *x);
    for (int i = 0; i < balance->nv; i++) x[balance->dx + i] = -balance->residual[i];
    for (int i = 0; i < balance->nz; i++) x[balance->z + i] = system->z_rate[i];
    for (int i = 0; i < balance->rows; i++)
        x[balance->lambda + i] = crd_row_is_holonomic(study->model->structure, i) ? -system->g[i] : 0.0;
    for (int i = 0; i < balance->pins; i++) x[balance->pin + i] = -balance->steady.pin[i].g;
    CRD_TRY(crd_sparse_factor(&balance->sparse));
    return crd_sparse_solve(&balance->sparse);
}

/* The state after a part of the step, into trial. */
static double move(CrdBalance *balance) {
    CardanStudy *study = balance->study;
    const double *x = balance->sparse.x;
    assert(balance->trial != NULL && study->run->stepper.n > 0);
    double *y = balance->trial, *lambda = balance->trial + study->run->stepper.n, *dx = balance->residual;
    double reach = crd_reach(study->model, x + balance->dx);
    double part = reach > CRD_BALANCE_REACH ? CRD_BALANCE_REACH / reach : 1.0;
    memcpy(y, study->y, (size_t)study->run->stepper.n * sizeof *y);
    for (int i = 0; i < balance->nv; i++) dx[i] = part * x[balance->dx + i];
    crd_move(study->model->structure, dx, y);
    for (int i = 0; i < balance->nz; i++) crd_integrator_z(study->run, y)[i] += part * x[balance->z + i];
    for (int i = 0; i < balance->rows; i++) lambda[i] = study->lambda[i] + part * x[balance->lambda + i];
    for (int i = 0; i < balance->pins; i++)
        lambda[balance->rows + i] = balance->steady.mu[i] + part * x[balance->pin + i];
    return part;
}

/* ---- iteration ---- */

typedef struct Pseudo {
    double mu, first; /* 1/s^2: now; where forces were as large as at first */
    int stuck;
    bool blind; /* the potential is not asked */
    bool loose; /* poses are not put on the constraints */
} Pseudo;

static void accept(CrdBalance *balance) {
    CardanStudy *study = balance->study;
    crd_integrator_track(study->run, balance->trial);
    memcpy(study->y, balance->trial, (size_t)study->run->stepper.n * sizeof(double));
    memcpy(study->lambda, balance->trial + study->run->stepper.n, (size_t)balance->rows * sizeof(double));
    for (int i = 0; i < balance->pins; i++)
        balance->steady.mu[i] = balance->trial[study->run->stepper.n + balance->rows + i];
}

/* V, or V - T of the motion with v, of the pose in the workspace. */
static double energy_of(const CrdBalance *balance, const double *v) {
    const CrdSystem *system = &balance->study->dynamics->system;
    return crd_potential(balance->study->model, system) -
           (balance->moves ? crd_kinetic(balance->study->model, system, v) : 0.0);
}

/* The same + lambda^T g. */
static double lagrange(const CrdBalance *balance, const double *lambda, const double *v) {
    const CrdSystem *system = &balance->study->dynamics->system;
    double sum = energy_of(balance, v);
    for (int i = 0; i < balance->pins; i++) sum += lambda[balance->rows + i] * balance->steady.pin[i].g;
    for (int i = 0; i < balance->rows; i++)
        if (crd_row_is_holonomic(balance->study->model->structure, i)) sum += lambda[i] * system->g[i];
    return sum;
}

/* One trial with the present mu: is the pose it leads to, put on the constraints, better, or as far as a step goes not
 * worse? While relaxing, the potential must fall; where it does not in spite of many shorter steps, forces have none.
 */
static CardanStatus try_step(CrdBalance *balance, const Pseudo *at, int retry, bool *good) {
    CardanStudy *study = balance->study;
    double before = balance->left;
    *good = false;
    CRD_TRY(step_at(balance, at->mu));
    const double *lambda = balance->trial + study->run->stepper.n;
    double *y = balance->trial, *v = crd_study_v(study);
    double part = move(balance), energy = at->loose ? lagrange(balance, lambda, v) : energy_of(balance, v);
    if (!at->loose) CRD_TRY(crd_close(&balance->closing, study->t, balance->trial));
    if (!at->loose && !balance->closing.closed) return CARDAN_OK;
    CRD_TRY(look(balance, y, lambda, lambda + balance->rows));
    double after = at->loose ? lagrange(balance, lambda, y + balance->nq) : energy_of(balance, y + balance->nq);
    bool falls = after <= energy + CRD_BALANCE_LEVEL * (fabs(energy) + fabs(after));
    bool near = balance->left < CRD_BALANCE_NEAR * before;
    bool limited = balance->left <= CRD_BALANCE_WORSE * before || part < 1.0;
    *good = at->blind || at->first == 0.0 ? limited : (falls || near || (limited && retry >= BALANCE_POTENTIAL));
    return CARDAN_OK;
}

/* One step, with mu raised until it is a good one. */
static CardanStatus advance(CrdBalance *balance, Pseudo *at, bool *moved) {
    CardanStudy *study = balance->study;
    double before = balance->left;
    *moved = false;
    for (int i = 0; i < BALANCE_RETRIES && !*moved; i++) {
        CardanStatus status = try_step(balance, at, i, moved);
        if (status < 0 && status != CARDAN_ERR_NUMERIC) return status;
        crd_error_clear(&study->error);
        if (*moved) break;
        at->mu = fmax(4.0 * at->mu, CRD_BALANCE_RAISE * (at->first > 0.0 ? at->first : 1.0));
        CRD_TRY(look(balance, study->y, study->lambda, balance->steady.mu));
    }
    if (!*moved) return CARDAN_OK;
    accept(balance);
    at->stuck = balance->left < 0.5 * before ? 0 : at->stuck + 1;
    double fall = at->blind ? fmin(1.0, fmax(0.1, balance->left / before)) : 0.2;
    at->mu = at->first == 0.0 ? 0.0 : fall * at->mu;
    if (at->mu < CRD_BALANCE_MU * at->first || balance->left < CRD_BALANCED_STUCK) at->mu = 0.0;
    return CARDAN_OK;
}

/* Multipliers and accelerations at rest: where mu begins. */
static CardanStatus begin(CrdBalance *balance, CrdBalanceWay way, Pseudo *at) {
    CardanStudy *study = balance->study;
    CrdSaddle *saddle = &balance->closing.saddle;
    double effort;
    memset(crd_study_v(study), 0, (size_t)balance->nv * sizeof(double));
    crd_stamp_clear(&study->dynamics->system.stamp);
    CRD_TRY(evaluate(balance, study->y));
    if (balance->moves) CRD_TRY(crd_steady_check(&balance->steady));
    crd_saddle_evaluate(saddle);
    CRD_TRY(crd_study_solve_motion(study, saddle, &effort));
    for (int i = 0; i < balance->pins; i++) balance->steady.mu[i] = saddle->sparse.x[balance->nv + balance->rows + i];
    for (int i = 0; balance->moves && i < balance->nv; i++) study->a[i] -= balance->steady.a[i];
    balance->forces = 0.0;
    CRD_TRY(look(balance, study->y, study->lambda, balance->steady.mu));
    double far = crd_reach(study->model, study->a);
    *at = (Pseudo){.first = way != CRD_BALANCE_NEWTON ? far / CRD_BALANCE_FIRST : 0.0,
                   .blind = way == CRD_BALANCE_BLIND,
                   .loose = way == CRD_BALANCE_LOOSE};
    at->mu = at->first;
    balance->iterations = 0;
    return CARDAN_OK;
}

/* In balance, one step more, taken where it is a small one that gains: what is left of many rows adds up. */
static CardanStatus polish(CrdBalance *balance) {
    CardanStudy *study = balance->study;
    double before = balance->left;
    CardanStatus status = step_at(balance, 0.0);
    bool small = status >= 0 && crd_reach(study->model, balance->sparse.x + balance->dx) < CRD_BALANCE_POLISH;
    if (small) {
        move(balance);
        const double *lambda = balance->trial + study->run->stepper.n;
        status = look(balance, balance->trial, lambda, lambda + balance->rows);
    }
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return status;
    crd_error_clear(&study->error);
    if (small && status >= 0 && balance->left <= before) {
        accept(balance);
        return CARDAN_OK;
    }
    return look(balance, study->y, study->lambda, balance->steady.mu);
}

/* Accelerations, and what keeps rates: those of what was found. */
static CardanStatus leave_motion(CrdBalance *balance) {
    CardanStudy *study = balance->study;
    memset(study->a, 0, (size_t)balance->nv * sizeof(double));
    crd_stamp_clear(&study->dynamics->system.stamp);
    if (!balance->moves) return CARDAN_OK;
    CRD_TRY(look(balance, study->y, study->lambda, balance->steady.mu));
    memcpy(study->a, balance->steady.a, (size_t)balance->nv * sizeof(double));
    for (int i = 0; i < balance->pins; i++) study->rate[i].effort = 0.0 - balance->steady.mu[i];
    return CARDAN_OK;
}

CardanStatus crd_balance_find(CrdBalance *balance, CrdBalanceWay way, bool *converged) {
    Pseudo at;
    CRD_TRY(begin(balance, way, &at));
    bool moved = true;
    while (balance->left > CRD_BALANCED && balance->iterations < BALANCE_STEPS && moved) {
        if (balance->left < CRD_BALANCED_STUCK && at.stuck > BALANCE_STUCK) break;
        CRD_TRY(advance(balance, &at, &moved));
        balance->iterations++;
    }
    *converged = balance->left <= CRD_BALANCED_STUCK;
    if (*converged && balance->left > 0.0) CRD_TRY(polish(balance));
    if (*converged && balance->moves) CRD_TRY(crd_steady_lasts(&balance->steady, &balance->closing.saddle));
    return leave_motion(balance);
}
