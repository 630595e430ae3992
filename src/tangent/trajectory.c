#include "tangent/trajectory.h"

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

CardanStatus crd_trajectory_start(const CardanModel *model, const CardanOptions *options, CardanSim **out,
                                  CrdError *error) {
    CardanStatus status = cardan_sim_create(model, options, out);
    if (status < 0 && *out == NULL) return crd_fail_memory(error);
    return status < 0 ? crd_fail(error, status, "%s", cardan_sim_message(*out)) : CARDAN_OK;
}

static CardanStatus open_sims(CrdTrajectory *trajectory, const CardanModel *model, const CardanOptions *options,
                              CrdError *error) {
    CardanOptions own = *options;
    own.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CRD_TRY(crd_trajectory_start(model, &own, &trajectory->sim, error));
    if (crd_method(own.stepper)->tableau == NULL) { /* auto too, which turns to radau5 on the way */
        cardan_sim_destroy(trajectory->sim);
        trajectory->sim = NULL;
        own.stepper = CARDAN_STEPPER_DOP853;
        own.step = 0.0;
        CRD_TRY(crd_trajectory_start(model, &own, &trajectory->sim, error));
    }
    own.stepper = CARDAN_STEPPER_BACKWARD_EULER;
    own.step = UNUSED_STEP;
    own.formulation = CARDAN_FORMULATION_INDEX1;
    own.stabilise.method = CARDAN_STABILISE_POST;
    return crd_trajectory_start(model, &own, &trajectory->at, error);
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
    for (long i = 0; i < trajectory->transitions; i++)
        CRD_DELETE_ALL(trajectory->transition[i].before, trajectory->transition[i].crossed);
    CRD_DELETE_ALL(trajectory->t, trajectory->y, trajectory->sides, trajectory->transition, trajectory->slope,
                   trajectory->stage, trajectory->low, trajectory->high, trajectory->pieces, trajectory->matrix,
                   trajectory->u, trajectory->start, trajectory->row, trajectory->map);
    cardan_sim_destroy(trajectory->sim);
    cardan_sim_destroy(trajectory->at);
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
            crd_integrator_evaluate_constraints(integrator, trajectory->t[i], crd_trajectory_reached(trajectory, i));
        for (int r = 0; r < rows; r++) {
            out[r] += sign * system->g[r];
            out[rows + r] += sign * system->rate[r];
        }
        crd_dynamics_use(&integrator->dynamics, trajectory->at->model);
        if (status < 0) return crd_fail(error, status, "%s", trajectory->at->error.text);
    }
    return CARDAN_OK;
}
