/* Derivatives along a trajectory (trajectory.h), forwards and backwards. With c the channel at the end,
 *
 *     tangent   w <- dy_new of each step, one w a knob;                    dc = c_y w + c_p
 *     adjoint   w <- c_y; of each step from the last, with psi_s = L_s^-T (h b_s w + h sum_j>s a_js Y_j),
 *               Y_s = -S_s^T psi_s, w <- w + sum_s Y_s;                    dc = sum of -psi_s R_s, and w y_p at the
 * start
 *
 * Accepted states are kept, stages are computed again: what a step needs is there while it is differentiated. */
#include "cardan/sensitivity.h"

#include "build/parameters.h"
#include "sim/channel.h"
#include "tangent/pull.h"
#include "tangent/tangent.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a parameter, or of 1 where it is 0: central differences are good to its square, their noise is rounding over it.
 */
static const double PARAMETER_STEP = 1e-5;

/* Of a coordinate, in its unit, for the derivative of the channel at the end. */
static const double STATE_STEP = 1e-6;

/* A start that moved by less than this was on the constraints as written. */
static const double START_MOVED = 1e-12;

typedef struct Work {
    const CardanModel *model;
    CrdTrajectory trajectory;
    CardanChannel channel;
    int knobs;
    CrdKnob *knob;
    CrdTouches touches;
    bool pulls;     /* backwards without matrices */
    bool projected; /* the start as written was moved by the projection on the constraints */
    double *w;      /* (knobs x core), adjoint: (core) */
    double *k;      /* (stages x size) slopes of changes, or psi, then Y */
    double *weight; /* (2 rows) */
    double *over;   /* (2 rows) */
    double *slope;  /* (core) c_y */
    double value, *derivative;
    CrdError error;
} Work;

/* ---- knobs ---- */

static CardanStatus find_start(Work *work, const char *name, CrdKnob *knob) {
    int nv = work->model->structure->nv;
    char text[128];
    for (int i = 0; i < 2 * nv; i++)
        if (strcmp(crd_tangent_name(work->model, i % nv, i >= nv, text, sizeof text), name) == 0) {
            knob->coordinate = i;
            return CARDAN_OK;
        }
    return crd_fail(&work->error, CARDAN_ERR_MODEL,
                    "there is no start value '%s': they are places, angles and velocities of bodies, as start.%s",
                    crd_shown_text(name).text, crd_tangent_name(work->model, 0, false, text, sizeof text));
}

static CardanStatus make_knob(Work *work, const char *name, CrdKnob *knob) {
    const CrdDescription *description = work->model->description;
    if (strncmp(name, "start.", 6) == 0) return find_start(work, name + 6, knob);
    CrdNamed named = crd_names_find(&description->numbers, name, strlen(name));
    if (named.kind != CRD_NAME_PARAMETER) {
        const char *near = crd_nearest_of(description, 1u << CRD_NAME_PARAMETER, name, strlen(name));
        return crd_fail(&work->error, CARDAN_ERR_MODEL, "there is no parameter '%s'%s", crd_shown_text(name).text,
                        crd_did_you_mean(near).text);
    }
    double p = work->model->values.parameters[named.index], h = PARAMETER_STEP * (p != 0.0 ? fabs(p) : 1.0);
    double low = p - h, high = p + h;
    char *text = work->error.text;
    CardanStatus status = cardan_model_with_parameters(work->model, 1, &name, &low, &knob->low, text, CRD_MESSAGE_SIZE);
    if (status >= 0)
        status = cardan_model_with_parameters(work->model, 1, &name, &high, &knob->high, text, CRD_MESSAGE_SIZE);
    knob->width = high - low;
    knob->parameter = named.index;
    return work->error.status = status < 0 ? status : CARDAN_OK;
}

/* Whether the projection on the constraints moves the start as written, so that inertia has a part in it. */
static bool is_projected(const Work *work) {
    const CrdStructure *structure = work->model->structure;
    const double *y = work->trajectory.y;
    for (int i = 0; i < structure->nq + structure->nv; i++) {
        double written = i < structure->nq ? work->model->values.q0[i] : work->model->values.v0[i - structure->nq];
        if (fabs(y[i] - written) > START_MOVED * fmax(1.0, fabs(written))) return true;
    }
    return false;
}

/* w (core): the change of the start with a knob. */
static CardanStatus start_change(Work *work, const CrdKnob *knob, double *w) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdStructure *structure = trajectory->structure;
    size_t core = (size_t)trajectory->core;
    memset(w, 0, core * sizeof *w);
    if (knob->low == NULL) {
        double *x = trajectory->slope; /* nv numbers of scratch */
        memset(x, 0, (size_t)trajectory->n * sizeof *x);
        if (knob->coordinate < structure->nv) {
            x[knob->coordinate] = 1.0;
            crd_position_rates(structure, trajectory->y, x, w);
        } else {
            w[structure->nq + knob->coordinate - structure->nv] = 1.0;
        }
        return crd_trajectory_project(trajectory, NULL, 0, w, &work->error);
    }
    if (!knob->wide && !knob->start && !(knob->heavy && work->projected)) return CARDAN_OK;
    const CardanModel *const models[2] = {knob->low, knob->high};
    for (int side = 0; side < 2; side++) {
        CardanSim *sim = NULL;
        CardanStatus status = cardan_sim_create(models[side], &trajectory->sim->integrator.options, &sim);
        if (status < 0) crd_fail(&work->error, status, "%s", cardan_sim_message(sim));
        for (size_t i = 0; status >= 0 && i < core; i++)
            w[i] += (side == 0 ? -1.0 : 1.0) / knob->width * sim->integrator.stepper.y[i];
        cardan_sim_destroy(sim);
        if (status < 0) return status;
    }
    return CARDAN_OK;
}

/* ---- the channel at the end ---- */

/* Read from places and velocities alone: no force and no inertia is in it. */
static bool is_kinematic(const Work *work) {
    return crd_measures[work->channel.measure].needs <= CRD_NEEDS_ROWS;
}

static CardanStatus read_channel(Work *work, const CardanModel *model, const double *y, double *value) {
    CrdIntegrator *integrator = &work->trajectory.at->integrator;
    double t = work->trajectory.t[work->trajectory.steps];
    crd_dynamics_use(&integrator->dynamics, model);
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, t, y);
    if (status >= 0 && !is_kinematic(work))
        status = crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false);
    if (status >= 0) crd_channel_values(integrator, y, work->channel, value);
    crd_dynamics_use(&integrator->dynamics, work->trajectory.at->model);
    return status < 0 ? crd_fail(&work->error, status, "%s", work->trajectory.at->error.text) : CARDAN_OK;
}

static CardanStatus differentiate_channel(Work *work) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CardanModel *model = trajectory->at->model;
    double *y = trajectory->stage, low, high;
    memcpy(y, trajectory->y + (size_t)trajectory->steps * (size_t)trajectory->n, (size_t)trajectory->n * sizeof *y);
    CRD_TRY(read_channel(work, model, y, &work->value));
    for (int i = 0; i < trajectory->core; i++) {
        double kept = y[i], h = STATE_STEP * fmax(1.0, fabs(kept));
        y[i] = kept - h;
        CRD_TRY(read_channel(work, model, y, &low));
        y[i] = kept + h;
        CRD_TRY(read_channel(work, model, y, &high));
        y[i] = kept;
        work->slope[i] = (high - low) / (2.0 * h);
    }
    for (int k = 0; k < work->knobs; k++) {
        work->derivative[k] = 0.0;
        if (work->knob[k].low == NULL || (is_kinematic(work) && !work->knob[k].wide)) continue;
        CRD_TRY(read_channel(work, work->knob[k].low, y, &low));
        CRD_TRY(read_channel(work, work->knob[k].high, y, &high));
        work->derivative[k] = (high - low) / work->knob[k].width;
    }
    return CARDAN_OK;
}

/* ---- tangent ---- */

/* Slope of the change of knob number `knob` in stage s, into its place. */
static CardanStatus tangent_stage(Work *work, long i, int s, int knob) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdTableau *tableau = trajectory->tableau;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size, stages = (size_t)tableau->stages;
    double h = trajectory->t[i + 1] - trajectory->t[i], *own = work->k + (size_t)knob * stages * size;
    double *k = own + (size_t)s * size, *dy = trajectory->low;
    const double *a = s > 0 ? crd_tableau_row(tableau, s) : NULL;
    CRD_TRY(crd_trajectory_over(trajectory, &work->knob[knob], i, s, &work->error));
    memcpy(dy, work->w + (size_t)knob * core, core * sizeof *dy);
    for (int j = 0; j < s; j++)
        for (size_t c = 0; c < core; c++) dy[c] += h * a[j] * own[(size_t)j * size + c];
    for (size_t r = 0; r < size; r++) k[r] = -trajectory->high[r];
    crd_trajectory_state(trajectory, -1.0, dy, k);
    CardanStatus status = crd_sparse_lu_solve(trajectory->lu, k);
    return status < 0 ? crd_fail(&work->error, status, "a change could not be solved for") : CARDAN_OK;
}

static CardanStatus tangent_step(Work *work, long i) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdTableau *tableau = trajectory->tableau;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size, stages = (size_t)tableau->stages;
    double h = trajectory->t[i + 1] - trajectory->t[i];
    const double *b = crd_tableau_row(tableau, tableau->stages);
    CRD_TRY(crd_trajectory_stages(trajectory, i, &work->error));
    for (int s = 0; s < tableau->stages; s++) {
        CRD_TRY(crd_trajectory_linearise(trajectory, i, s, &work->error));
        for (int k = 0; k < work->knobs; k++) CRD_TRY(tangent_stage(work, i, s, k));
    }
    for (int k = 0; k < work->knobs; k++) {
        double *w = work->w + (size_t)k * core;
        for (size_t s = 0; s < stages; s++)
            for (size_t c = 0; c < core; c++) w[c] += h * b[s] * work->k[((size_t)k * stages + s) * size + c];
        CRD_TRY(crd_trajectory_project(trajectory, &work->knob[k], i + 1, w, &work->error));
    }
    return CARDAN_OK;
}

static CardanStatus tangent(Work *work) {
    size_t core = (size_t)work->trajectory.core;
    for (int k = 0; k < work->knobs; k++) CRD_TRY(start_change(work, &work->knob[k], work->w + (size_t)k * core));
    for (long i = 0; i < work->trajectory.steps; i++) CRD_TRY(tangent_step(work, i));
    CRD_TRY(differentiate_channel(work));
    for (int k = 0; k < work->knobs; k++)
        for (size_t c = 0; c < core; c++) work->derivative[k] += work->slope[c] * work->w[(size_t)k * core + c];
    return CARDAN_OK;
}

/* ---- adjoint ---- */

/* Adds what the projection at state i makes of the knobs. */
static CardanStatus adjoint_projection(Work *work, long i) {
    CrdTrajectory *trajectory = &work->trajectory;
    int rows = trajectory->structure->rows;
    CRD_TRY(crd_trajectory_rows(trajectory, i, &work->error));
    CRD_TRY(crd_trajectory_project_back(trajectory, i, work->w, work->weight, &work->error));
    for (int k = 0; rows > 0 && k < work->knobs; k++) {
        if (!work->knob[k].wide) continue;
        CRD_TRY(crd_trajectory_rows_over(trajectory, &work->knob[k], i, work->over, &work->error));
        for (int r = 0; r < 2 * rows; r++) work->derivative[k] += work->weight[r] * work->over[r];
    }
    return CARDAN_OK;
}

/* psi <- L^-T psi, and Y in work->slope: by the matrices of the stage, */
static CardanStatus transpose_stage(Work *work, long i, int s, double *psi) {
    CrdTrajectory *trajectory = &work->trajectory;
    CRD_TRY(crd_trajectory_linearise(trajectory, i, s, &work->error));
    CardanStatus status = crd_sparse_lu_solve(trajectory->lu, psi);
    if (status < 0) return crd_fail(&work->error, status, "an adjoint could not be solved for");
    memset(work->slope, 0, (size_t)trajectory->core * sizeof *work->slope);
    crd_trajectory_state_transposed(trajectory, -1.0, psi, work->slope);
    return CARDAN_OK;
}

/* or by products alone, with what the knobs that are not wide add. */
static CardanStatus pull_stage(Work *work, long i, int s, double *psi) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdStructure *structure = trajectory->structure;
    const CrdLinearisation *point = trajectory->at->integrator.stepper.equations.stage->user;
    const double *v = trajectory->stage + (size_t)s * (size_t)trajectory->n + structure->nq;
    const double *psi_v = psi + structure->nq, *psi_z = psi_v + structure->nv;
    CRD_TRY(crd_trajectory_solve_back(trajectory, i, s, psi, &work->error));
    CardanStatus status = crd_touches_over(&work->touches, work->knob, &trajectory->at->integrator.dynamics, point->a,
                                           v, psi_v, psi_z, -1.0, work->derivative);
    if (status < 0) return crd_fail(&work->error, status, "%s", trajectory->at->error.text);
    return crd_trajectory_pull(trajectory, s, psi, work->slope, &work->error);
}

/* From the last stage to the first: psi, what it adds to the knobs, and Y in the place of psi. */
static CardanStatus adjoint_stage(Work *work, long i, int s) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdTableau *tableau = trajectory->tableau;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size;
    double h = trajectory->t[i + 1] - trajectory->t[i], *psi = work->k + (size_t)s * size;
    double b = crd_tableau_row(tableau, tableau->stages)[s];
    memset(psi, 0, size * sizeof *psi);
    for (size_t c = 0; c < core; c++) psi[c] = h * b * work->w[c];
    for (int j = s + 1; j < tableau->stages; j++)
        for (size_t c = 0; c < core; c++) psi[c] += h * crd_tableau_row(tableau, j)[s] * work->k[(size_t)j * size + c];
    CRD_TRY(work->pulls ? pull_stage(work, i, s, psi) : transpose_stage(work, i, s, psi)); /* c_y is in w: room */
    for (int k = 0; k < work->knobs; k++) {
        if (work->knob[k].low == NULL || (work->pulls && !work->knob[k].wide)) continue;
        CRD_TRY(crd_trajectory_over(trajectory, &work->knob[k], i, s, &work->error));
        for (size_t r = 0; r < size; r++) work->derivative[k] -= psi[r] * trajectory->high[r];
    }
    memset(psi, 0, size * sizeof *psi);
    memcpy(psi, work->slope, core * sizeof *psi);
    return CARDAN_OK;
}

static CardanStatus adjoint_step(Work *work, long i) {
    CrdTrajectory *trajectory = &work->trajectory;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size;
    int stages = trajectory->tableau->stages;
    CRD_TRY(adjoint_projection(work, i + 1));
    CRD_TRY(crd_trajectory_stages(trajectory, i, &work->error));
    for (int s = stages - 1; s >= 0; s--) CRD_TRY(adjoint_stage(work, i, s));
    for (int s = 0; s < stages; s++)
        for (size_t c = 0; c < core; c++) work->w[c] += work->k[(size_t)s * size + c];
    return CARDAN_OK;
}

static CardanStatus adjoint(Work *work) {
    size_t core = (size_t)work->trajectory.core;
    CRD_TRY(differentiate_channel(work));
    memcpy(work->w, work->slope, core * sizeof *work->w);
    for (long i = work->trajectory.steps - 1; i >= 0; i--) CRD_TRY(adjoint_step(work, i));
    for (int k = 0; k < work->knobs; k++) {
        CRD_TRY(start_change(work, &work->knob[k], work->slope));
        for (size_t c = 0; c < core; c++) work->derivative[k] += work->slope[c] * work->w[c];
    }
    return CARDAN_OK;
}

/* ---- the call ---- */

static CardanStatus take_room(Work *work, bool backwards) {
    const CrdTrajectory *trajectory = &work->trajectory;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size, rows = (size_t)trajectory->structure->rows;
    size_t directions = backwards ? 1 : (size_t)work->knobs, stages = (size_t)trajectory->tableau->stages;
    work->w = crd_new(directions * core, sizeof(double));
    work->k = crd_new(directions * stages * size, sizeof(double));
    work->weight = crd_new(2 * rows, sizeof(double));
    work->over = crd_new(2 * rows, sizeof(double));
    work->slope = crd_new(core, sizeof(double));
    work->derivative = crd_new((size_t)work->knobs, sizeof(double));
    bool made = work->w != NULL && work->k != NULL && work->weight != NULL && work->over != NULL &&
                work->slope != NULL && work->derivative != NULL;
    return made ? CARDAN_OK : crd_fail_memory(&work->error);
}

static CardanStatus find_channel(Work *work, const char *name) {
    char text[CRD_MESSAGE_SIZE];
    CardanStatus status = cardan_model_find_channel(work->model, name, &work->channel, text, sizeof text);
    if (status < 0) return crd_fail(&work->error, status, "%.900s", text);
    if (work->channel.width == 1) return CARDAN_OK;
    return crd_fail(&work->error, CARDAN_ERR_MODEL,
                    "channel '%s' has %d columns; the derivative of one number is asked for", crd_shown_text(name).text,
                    work->channel.width);
}

static CardanStatus differentiate(Work *work, const CardanOptions *options, bool backwards, const char *channel,
                                  const char *const *names) {
    CRD_TRY(find_channel(work, channel));
    if (!(options->end > 0.0))
        return crd_fail(&work->error, CARDAN_ERR_MODEL, "an end of the simulation is wanted: its option `end`");
    if (options->stabilise.method == CARDAN_STABILISE_BAUMGARTE)
        return crd_fail(&work->error, CARDAN_ERR_MODEL,
                        "Baumgarte's terms are not differentiated; take stabilise: {method: post}");
    for (int i = 0; i < work->knobs; i++) CRD_TRY(make_knob(work, names[i], &work->knob[i]));
    CRD_TRY(crd_trajectory_open(&work->trajectory, work->model, options, backwards, &work->error));
    CRD_TRY(crd_trajectory_run(&work->trajectory, options->end, &work->error));
    CRD_TRY(take_room(work, backwards));
    CRD_TRY(crd_touches_create(work->model, work->knobs, work->knob, &work->touches, &work->error));
    work->pulls = backwards && crd_trajectory_pulls(&work->trajectory);
    work->projected = is_projected(work);
    return backwards ? adjoint(work) : tangent(work);
}

static void release(Work *work) {
    for (int i = 0; work->knob != NULL && i < work->knobs; i++) {
        cardan_model_release(work->knob[i].low);
        cardan_model_release(work->knob[i].high);
    }
    CRD_DELETE_ALL(work->knob, work->w, work->k, work->weight, work->over, work->slope, work->derivative);
    crd_touches_free(&work->touches);
    crd_trajectory_close(&work->trajectory);
}

CardanStatus cardan_model_sensitivity(const CardanModel *model, const CardanOptions *options,
                                      CardanSensitivityMethod method, const char *channel, int count,
                                      const char *const *names, double *value, double *derivatives, char *message,
                                      size_t size) {
    if (model == NULL) return crd_refuse_call(message, size, "the model is NULL");
    if (channel == NULL) return crd_refuse_call(message, size, "the channel is NULL");
    if (method != CARDAN_SENSITIVITY_TANGENT && method != CARDAN_SENSITIVITY_ADJOINT)
        return crd_refuse_call(message, size, "there is no method number %d", (int)method);
    if (count < 0 || (count > 0 && (names == NULL || derivatives == NULL)))
        return crd_refuse_call(message, size, "names and a place for %d derivatives are wanted", count);
    for (int i = 0; i < count; i++)
        if (names[i] == NULL) return crd_refuse_call(message, size, "name %d is NULL", i);
    CardanOptions own = options != NULL ? *options : cardan_model_options(model);
    Work work = {.model = model, .knobs = count, .knob = crd_new((size_t)count, sizeof(CrdKnob))};
    CardanStatus status = work.knob == NULL
                              ? crd_fail_memory(&work.error)
                              : differentiate(&work, &own, method == CARDAN_SENSITIVITY_ADJOINT, channel, names);
    if (status >= 0 && value != NULL) *value = work.value;
    if (status >= 0 && count > 0) memcpy(derivatives, work.derivative, (size_t)count * sizeof *derivatives);
    if (message != NULL && size > 0) snprintf(message, size, "%s", status < 0 ? work.error.text : "");
    release(&work);
    return status;
}
