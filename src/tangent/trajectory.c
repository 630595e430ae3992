#include "tangent/trajectory.h"

#include "integrate/methods/runge_kutta.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Matrices that an implicit stepper would use; its step is not made. */
static const double UNUSED_STEP = 1e-3; /* s */

static CrdStageMatrix *stage_of(const CrdTrajectory *trajectory) {
    return trajectory->at->integrator.stepper.equations.stage;
}

static const double *state_at(const CrdTrajectory *trajectory, long i) {
    return trajectory->y + (size_t)i * (size_t)trajectory->n;
}

/* ---- opening ---- */

static CardanStatus start(const CardanModel *model, const CardanOptions *options, CardanSim **out, CrdError *error) {
    CardanStatus status = cardan_sim_create(model, options, out);
    return status < 0 ? crd_fail(error, status, "%s", cardan_sim_message(*out)) : CARDAN_OK;
}

static CardanStatus open_sims(CrdTrajectory *trajectory, const CardanModel *model, const CardanOptions *options,
                              CrdError *error) {
    CardanOptions own = *options;
    own.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CRD_TRY(start(model, &own, &trajectory->sim, error));
    if (trajectory->sim->integrator.stepper.method->tableau == NULL) {
        cardan_sim_destroy(trajectory->sim);
        trajectory->sim = NULL;
        own.stepper = CARDAN_STEPPER_DOP853;
        own.step = 0.0;
        CRD_TRY(start(model, &own, &trajectory->sim, error));
    }
    own.stepper = CARDAN_STEPPER_BACKWARD_EULER;
    own.step = UNUSED_STEP;
    own.formulation = CARDAN_FORMULATION_INDEX1;
    own.stabilise.method = CARDAN_STABILISE_POST;
    return start(model, &own, &trajectory->at, error);
}

/* Entry map[k] of the pattern is entry k of its transpose. */
static void transpose(CrdTrajectory *trajectory, const CrdTiles *tiles) {
    int *next = trajectory->start + 1;
    for (int i = 0; i < tiles->entries; i++) trajectory->start[tiles->row[i] + 2]++;
    for (int r = 0; r < tiles->n; r++) trajectory->start[r + 2] += trajectory->start[r + 1];
    for (int c = 0; c < tiles->n; c++)
        for (int i = tiles->start[c]; i < tiles->start[c + 1]; i++) {
            int at = next[tiles->row[i]]++;
            trajectory->row[at] = c;
            trajectory->map[at] = i;
        }
}

static CardanStatus take_room(CrdTrajectory *trajectory, CrdError *error) {
    const CrdTiles *tiles = &stage_of(trajectory)->tiles;
    size_t n = (size_t)trajectory->n, size = (size_t)trajectory->size, real = sizeof(double);
    size_t slopes = (size_t)trajectory->tableau->stages + 1, entries = (size_t)tiles->entries;
    trajectory->slope = crd_new(slopes * n, real);
    trajectory->stage = crd_new(slopes * n, real);
    trajectory->low = crd_new(size, real);
    trajectory->high = crd_new(size, real);
    trajectory->pieces = crd_new((size_t)trajectory->structure->size_g, real);
    trajectory->matrix = crd_new(2 * entries, real);
    trajectory->u = crd_new(size, real);
    trajectory->start = crd_new(size + 2, sizeof(int));
    trajectory->row = crd_new(entries, sizeof(int));
    trajectory->map = crd_new(entries, sizeof(int));
    bool made = trajectory->slope != NULL && trajectory->stage != NULL && trajectory->low != NULL &&
                trajectory->high != NULL && trajectory->pieces != NULL && trajectory->matrix != NULL &&
                trajectory->u != NULL && trajectory->start != NULL && trajectory->row != NULL &&
                trajectory->map != NULL;
    return made ? CARDAN_OK : crd_fail_memory(error);
}

CardanStatus crd_trajectory_open(CrdTrajectory *trajectory, const CardanModel *model, const CardanOptions *options,
                                 bool transposed, CrdError *error) {
    *trajectory = (CrdTrajectory){.structure = model->structure, .transposed = transposed};
    CRD_TRY(open_sims(trajectory, model, options, error));
    const CrdStructure *structure = model->structure;
    const CrdTiles *tiles = &stage_of(trajectory)->tiles;
    trajectory->tableau = trajectory->sim->integrator.stepper.method->tableau;
    trajectory->n = trajectory->sim->integrator.stepper.n;
    trajectory->core = structure->nq + structure->nv + structure->first_order;
    trajectory->size = tiles->n;
    trajectory->kept.size = (size_t)trajectory->tableau->stages * (size_t)trajectory->n;
    CRD_TRY(take_room(trajectory, error));
    transpose(trajectory, tiles);
    return crd_sparse_lu_create(trajectory->size, transposed ? trajectory->start : tiles->start,
                                transposed ? trajectory->row : tiles->row, false, &trajectory->lu, error);
}

void crd_trajectory_close(CrdTrajectory *trajectory) {
    crd_sparse_lu_destroy(trajectory->lu);
    crd_delete(trajectory->kept.slope);
    CRD_DELETE_ALL(trajectory->t, trajectory->y, trajectory->slope, trajectory->stage, trajectory->low,
                   trajectory->high, trajectory->pieces, trajectory->matrix, trajectory->u, trajectory->start,
                   trajectory->row, trajectory->map);
    cardan_sim_destroy(trajectory->sim);
    cardan_sim_destroy(trajectory->at);
}

/* ---- the run ---- */

static CardanStatus keep(CrdTrajectory *trajectory, CrdError *error) {
    const CrdStepper *stepper = &trajectory->sim->integrator.stepper;
    if (trajectory->steps == trajectory->room) {
        long room = trajectory->room > 0 ? 2 * trajectory->room : 256;
        double *t = crd_new((size_t)room, sizeof *t), *y = crd_new((size_t)room * (size_t)trajectory->n, sizeof *y);
        if (t == NULL || y == NULL) {
            CRD_DELETE_ALL(t, y);
            return crd_fail_memory(error);
        }
        if (trajectory->steps > 0) {
            memcpy(t, trajectory->t, (size_t)trajectory->steps * sizeof *t);
            memcpy(y, trajectory->y, (size_t)trajectory->steps * (size_t)trajectory->n * sizeof *y);
        }
        CRD_DELETE_ALL(trajectory->t, trajectory->y);
        trajectory->t = t;
        trajectory->y = y;
        trajectory->room = room;
    }
    if (trajectory->steps > 0) { /* a step that was cut afterwards has other stages */
        bool whole = stepper->t_old == trajectory->t[trajectory->steps - 1];
        crd_kept_add(&trajectory->kept, whole ? crd_rk_slope(stepper->memory, 0) : NULL);
    }
    trajectory->t[trajectory->steps] = stepper->t;
    memcpy(trajectory->y + (size_t)trajectory->steps * (size_t)trajectory->n, stepper->y,
           (size_t)trajectory->n * sizeof *stepper->y);
    trajectory->steps++;
    return CARDAN_OK;
}

static CardanStatus refuse_events(CardanSim *sim, CrdError *error) {
    const CardanEvent *events;
    if (cardan_sim_events(sim, &events, NULL) <= 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_NUMERIC,
                    "at t = %.9g the motion meets %s%s%s%s, across which it is not differentiated; end before it",
                    events[0].t, events[0].name != NULL ? "an event (" : "a singular pose",
                    events[0].name != NULL ? cardan_event_kind_name(events[0].kind) : "",
                    events[0].name != NULL ? ") of " : "", events[0].name != NULL ? events[0].name : "");
}

CardanStatus crd_trajectory_run(CrdTrajectory *trajectory, double end, CrdError *error) {
    CardanSim *sim = trajectory->sim;
    CRD_TRY(keep(trajectory, error));
    while (cardan_sim_time(sim) < end) {
        CardanStatus status = cardan_sim_step(sim, end);
        if (status < 0) return crd_fail(error, status, "%s", cardan_sim_message(sim));
        CRD_TRY(refuse_events(sim, error));
        CRD_TRY(keep(trajectory, error));
        if (status == CARDAN_STOPPED) break;
    }
    trajectory->steps--; /* from here on steps, not states */
    return CARDAN_OK;
}

/* ---- one step ---- */

CardanStatus crd_trajectory_stages(CrdTrajectory *trajectory, long i, CrdError *error) {
    const CrdOde *ode = &trajectory->sim->integrator.stepper.ode;
    const CrdTableau *tableau = trajectory->tableau;
    size_t n = (size_t)trajectory->n;
    double h = trajectory->t[i + 1] - trajectory->t[i];
    const double *kept = crd_kept_of(&trajectory->kept, i);
    if (kept != NULL) memcpy(trajectory->slope, kept, trajectory->kept.size * sizeof *kept);
    for (int s = 0; s < tableau->stages; s++) {
        double *stage = trajectory->stage + (size_t)s * n;
        const double *a = s > 0 ? crd_tableau_row(tableau, s) : NULL;
        memcpy(stage, state_at(trajectory, i), n * sizeof *stage);
        for (int j = 0; j < s; j++)
            for (size_t k = 0; k < n; k++) stage[k] += h * a[j] * trajectory->slope[(size_t)j * n + k];
        if (kept != NULL) continue;
        CardanStatus status =
            ode->rhs(ode->user, trajectory->t[i] + tableau->c[s] * h, stage, trajectory->slope + (size_t)s * n);
        if (status < 0) return crd_fail(error, status, "a stage of a step could not be repeated");
    }
    return CARDAN_OK;
}

double crd_trajectory_time(const CrdTrajectory *trajectory, long i, int s) {
    return trajectory->t[i] + trajectory->tableau->c[s] * (trajectory->t[i + 1] - trajectory->t[i]);
}

CardanStatus crd_trajectory_linearise(CrdTrajectory *trajectory, long i, int s, CrdError *error) {
    CrdStageMatrix *stage = stage_of(trajectory);
    const double *y = trajectory->stage + (size_t)s * (size_t)trajectory->n;
    CardanStatus status = stage->linearise(stage->user, crd_trajectory_time(trajectory, i, s), y, trajectory->u);
    if (status < 0) return crd_fail(error, status, "%s", trajectory->at->error.text);
    const CrdTiles *tiles = &stage->tiles;
    double weakest, *zero = trajectory->matrix + tiles->entries;
    for (int c = 0; c < tiles->n; c++)
        for (int k = tiles->start[c]; k < tiles->start[c + 1]; k++)
            zero[k] = c < trajectory->core ? stage->rates[k] : stage->state[k];
    for (int k = 0; k < tiles->entries; k++)
        trajectory->matrix[k] = zero[trajectory->transposed ? trajectory->map[k] : k];
    memset(zero, 0, (size_t)tiles->entries * sizeof *zero);
    status = crd_sparse_lu_factor(trajectory->lu, 1.0, trajectory->matrix, zero, &weakest);
    return status < 0 ? crd_fail(error, status, "the equations of motion are singular at t = %.9g",
                                 crd_trajectory_time(trajectory, i, s))
                      : CARDAN_OK;
}

void crd_trajectory_state(const CrdTrajectory *trajectory, double s, const double *x, double *out) {
    const CrdStageMatrix *stage = stage_of(trajectory);
    for (int c = 0; c < trajectory->core; c++)
        for (int k = stage->tiles.start[c]; k < stage->tiles.start[c + 1]; k++)
            out[stage->tiles.row[k]] += s * stage->state[k] * x[c];
}

void crd_trajectory_state_transposed(const CrdTrajectory *trajectory, double s, const double *x, double *out) {
    const CrdStageMatrix *stage = stage_of(trajectory);
    for (int c = 0; c < trajectory->core; c++)
        for (int k = stage->tiles.start[c]; k < stage->tiles.start[c + 1]; k++)
            out[c] += s * stage->state[k] * x[stage->tiles.row[k]];
}

/* ---- parameters ---- */

/* The rest of the equations of motion at stage s, at given accelerations and multipliers, under another model. */
static CardanStatus rest(CrdTrajectory *trajectory, const CardanModel *model, double t, const double *y,
                         const double *a, const double *lambda, double *out) {
    CrdIntegrator *integrator = &trajectory->at->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = trajectory->structure;
    const CrdSystem *system = &dynamics->system;
    double *balance = out + structure->nq, *z = balance + structure->nv, *rows = out + trajectory->core;
    memset(out, 0, (size_t)trajectory->size * sizeof *out);
    crd_dynamics_use(dynamics, model);
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, t, y);
    if (status >= 0) status = crd_integrator_forces(integrator, y);
    if (status >= 0) {
        crd_times_mass(model, system, a, balance);
        crd_times_gt(structure, system->G, 1.0, lambda, balance);
        for (int k = 0; k < structure->nv; k++) balance[k] -= system->f[k];
        for (int k = 0; k < structure->first_order; k++) z[k] = -system->z_rate[k];
        crd_times_g(structure, system->G, a, rows);
        for (int r = 0; r < structure->rows; r++)
            rows[r] =
                dynamics->redundancy.count > 0 && dynamics->redundancy.is_dropped[r] ? 0.0 : rows[r] - system->gamma[r];
    }
    crd_dynamics_use(dynamics, trajectory->at->model);
    return status;
}

CardanStatus crd_trajectory_over(CrdTrajectory *trajectory, const CrdKnob *knob, long i, int s, CrdError *error) {
    const CrdLinearisation *point = stage_of(trajectory)->user;
    const double *y = trajectory->stage + (size_t)s * (size_t)trajectory->n;
    double t = crd_trajectory_time(trajectory, i, s);
    memset(trajectory->high, 0, (size_t)trajectory->size * sizeof *trajectory->high);
    if (knob->low == NULL) return CARDAN_OK;
    CardanStatus status = rest(trajectory, knob->low, t, y, point->a, point->lambda, trajectory->low);
    if (status >= 0) status = rest(trajectory, knob->high, t, y, point->a, point->lambda, trajectory->high);
    for (int k = 0; k < trajectory->size; k++)
        trajectory->high[k] = (trajectory->high[k] - trajectory->low[k]) / knob->width;
    return status < 0 ? crd_fail(error, status, "%s", trajectory->at->error.text) : CARDAN_OK;
}

CardanStatus crd_trajectory_rows_over(CrdTrajectory *trajectory, const CrdKnob *knob, long i, double *out,
                                      CrdError *error) {
    CrdIntegrator *integrator = &trajectory->at->integrator;
    const CrdSystem *system = &integrator->dynamics.system;
    int rows = trajectory->structure->rows;
    memset(out, 0, 2 * (size_t)rows * sizeof *out);
    for (int side = 0; knob != NULL && knob->low != NULL && side < 2; side++) {
        double sign = (side == 0 ? -1.0 : 1.0) / knob->width;
        crd_dynamics_use(&integrator->dynamics, side == 0 ? knob->low : knob->high);
        CardanStatus status =
            crd_integrator_evaluate_constraints(integrator, trajectory->t[i], state_at(trajectory, i));
        for (int r = 0; r < rows; r++) {
            out[r] += sign * system->g[r];
            out[rows + r] += sign * system->rate[r];
        }
        crd_dynamics_use(&integrator->dynamics, trajectory->at->model);
        if (status < 0) return crd_fail(error, status, "%s", trajectory->at->error.text);
    }
    return CARDAN_OK;
}

/* ---- projections ---- */

CardanStatus crd_trajectory_rows(CrdTrajectory *trajectory, long i, CrdError *error) {
    CrdIntegrator *integrator = &trajectory->at->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const double *y = state_at(trajectory, i);
    if (trajectory->structure->rows == 0) return CARDAN_OK;
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, trajectory->t[i], y);
    if (status >= 0) status = crd_factor(dynamics, integrator->options.stabilise.metric);
    if (status >= 0)
        status = crd_gradient(dynamics->model, y, y + trajectory->structure->nq, &dynamics->system, trajectory->pieces,
                              dynamics->error);
    return status < 0 ? crd_fail(error, status, "%s", trajectory->at->error.text) : CARDAN_OK;
}

/* x (nv) <- displacement of a change of q, or the other way round, the length of quaternions left alone. */
static void displace(const CrdStructure *structure, const double *q, const double *dq, double *x) {
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        bool turns = block->kind == CRD_SPATIAL_BODY;
        for (int k = 0; k < (turns ? 3 : block->nv); k++) x[block->v + k] = dq[block->q + k];
        if (!turns) continue;
        const double *p = q + block->q + 3, *d = dq + block->q + 3;
        x[block->v + 3] = 2.0 * (p[0] * d[1] - p[1] * d[0] - p[2] * d[3] + p[3] * d[2]);
        x[block->v + 4] = 2.0 * (p[0] * d[2] + p[1] * d[3] - p[2] * d[0] - p[3] * d[1]);
        x[block->v + 5] = 2.0 * (p[0] * d[3] - p[1] * d[2] + p[2] * d[1] - p[3] * d[0]);
    }
}

/* dq (nq) <- transposed displacement: the adjoint of displace. */
static void displace_back(const CrdStructure *structure, const double *q, const double *x, double *dq) {
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        bool turns = block->kind == CRD_SPATIAL_BODY;
        for (int k = 0; k < (turns ? 3 : block->nv); k++) dq[block->q + k] = x[block->v + k];
        if (!turns) continue;
        const double *p = q + block->q + 3, *w = x + block->v + 3;
        double *d = dq + block->q + 3;
        d[0] = 2.0 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]);
        d[1] = 2.0 * (p[0] * w[0] - p[3] * w[1] + p[2] * w[2]);
        d[2] = 2.0 * (p[3] * w[0] + p[0] * w[1] - p[1] * w[2]);
        d[3] = 2.0 * (-p[2] * w[0] + p[1] * w[1] + p[0] * w[2]);
    }
}

void crd_rates_back(const CrdStructure *structure, const double *q, const double *dq, double *x) {
    displace(structure, q, dq, x);
    for (int b = 0; b < structure->block_count; b++)
        for (int k = 3; structure->blocks[b].kind == CRD_SPATIAL_BODY && k < 6; k++)
            x[structure->blocks[b].v + k] *= 0.25;
}

static void leave_nonholonomic(const CrdStructure *structure, double *r) {
    for (int i = 0; i < structure->rows; i++)
        if (!crd_row_is_holonomic(structure, i)) r[i] = 0.0;
}

CardanStatus crd_trajectory_project(CrdTrajectory *trajectory, const CrdKnob *knob, long i, double *w,
                                    CrdError *error) {
    CrdDynamics *dynamics = &trajectory->at->integrator.dynamics;
    const CrdStructure *structure = trajectory->structure;
    const double *q = state_at(trajectory, i);
    double *x = trajectory->low, *v = w + structure->nq, *r = trajectory->high, *rate = r + structure->rows;
    if (structure->rows > 0) {
        assert(trajectory->size >= structure->nv && trajectory->size >= 2 * structure->rows);
        CRD_TRY(crd_trajectory_rows_over(trajectory, knob, i, r, error));
        CRD_TRY(crd_trajectory_rows(trajectory, i, error));
    }
    displace(structure, q, w, x);
    if (structure->rows > 0) {
        crd_times_g(structure, dynamics->system.G, x, r);
        leave_nonholonomic(structure, r);
        CRD_TRY(crd_solve_rows(dynamics, r));
        crd_add_forced(dynamics->model, &dynamics->system, -1.0, r, x);
        crd_times_g(structure, trajectory->pieces, x, rate);
        crd_times_g(structure, dynamics->system.G, v, rate);
        CRD_TRY(crd_solve_rows(dynamics, rate));
        crd_add_forced(dynamics->model, &dynamics->system, -1.0, rate, v);
    }
    crd_position_rates(structure, q, x, w);
    return CARDAN_OK;
}

CardanStatus crd_trajectory_project_back(CrdTrajectory *trajectory, long i, double *w, double *weight,
                                         CrdError *error) {
    CrdDynamics *dynamics = &trajectory->at->integrator.dynamics;
    const CrdStructure *structure = trajectory->structure;
    const double *q = state_at(trajectory, i);
    double *x = trajectory->low, *v = w + structure->nq, *r = weight, *rate = weight + structure->rows;
    crd_rates_back(structure, q, w, x);
    memset(weight, 0, 2 * (size_t)structure->rows * sizeof *weight);
    if (structure->rows > 0) {
        /* v_new = v - W G^T S^-1 (G v + R x_new) */
        crd_times_g(structure, dynamics->system.T, v, rate);
        CardanStatus status = crd_solve_rows(dynamics, rate);
        for (int k = 0; k < structure->rows; k++) rate[k] = -rate[k];
        crd_times_gt(structure, dynamics->system.G, 1.0, rate, v);
        crd_times_gt(structure, trajectory->pieces, 1.0, rate, x);
        /* x_new = x - W G^T S^-1 (G x), holonomic rows */
        crd_times_g(structure, dynamics->system.T, x, r);
        if (status >= 0) status = crd_solve_rows(dynamics, r);
        if (status < 0) return crd_fail(error, status, "%s", trajectory->at->error.text);
        leave_nonholonomic(structure, r);
        for (int k = 0; k < structure->rows; k++) r[k] = -r[k];
        crd_times_gt(structure, dynamics->system.G, 1.0, r, x);
    }
    displace_back(structure, q, x, w);
    return CARDAN_OK;
}
