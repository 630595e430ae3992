/* What derivatives are taken over: parameters and start values, and how the start moves with them. */
#include "build/parameters.h"
#include "tangent/sensitivity.h"
#include "tangent/tangent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of a parameter, or of 1 where it is 0: central differences are good to its square, their noise is rounding over it.
 */
static const double PARAMETER_STEP = 1e-5;

/* A start that moved by less than this was on the constraints as written. */
static const double START_MOVED = 1e-12;

/* Rows that change by less than this a unit of a parameter, which is what rounding leaves of their difference. */
static const double ROWS_OPEN = 1e-9;

static CardanStatus find_start(const CardanModel *model, const char *name, CrdKnob *knob, CrdError *error) {
    int nv = model->structure->nv;
    char text[128];
    for (int i = 0; i < 2 * nv; i++)
        if (strcmp(crd_tangent_name(model, i % nv, i >= nv, text, sizeof text), name) == 0) {
            knob->coordinate = i;
            return CARDAN_OK;
        }
    return crd_fail(error, CARDAN_ERR_MODEL,
                    "there is no start value '%s': they are places, angles and velocities of bodies, as start.%s",
                    crd_shown_text(name).text, crd_tangent_name(model, 0, false, text, sizeof text));
}

/* Parameters may be made of others, and move with them. */
static void find_range(CrdKnob *knob) {
    const double *low = knob->low->values.parameters, *high = knob->high->values.parameters;
    int count = knob->low->structure->parameter_count;
    knob->first = count;
    knob->last = -1;
    for (int i = 0; i < count; i++) {
        if (low[i] == high[i]) continue;
        if (knob->first == count) knob->first = i;
        knob->last = i;
    }
}

CardanStatus crd_knob_find(const CardanModel *model, const char *name, CrdKnob *knob, CrdError *error) {
    const CrdDescription *description = model->description;
    if (strncmp(name, "start.", 6) == 0) return find_start(model, name + 6, knob, error);
    CrdNamed named = crd_names_find(&description->numbers, name, strlen(name));
    if (named.kind != CRD_NAME_PARAMETER) {
        const char *near = crd_nearest_of(description, 1u << CRD_NAME_PARAMETER, name, strlen(name));
        return crd_fail(error, CARDAN_ERR_MODEL, "there is no parameter '%s'%s", crd_shown_text(name).text,
                        crd_did_you_mean(near).text);
    }
    double p = model->values.parameters[named.index], h = PARAMETER_STEP * (p != 0.0 ? fabs(p) : 1.0);
    double low = p - h, high = p + h;
    CardanStatus status =
        cardan_model_with_parameters(model, 1, &name, &low, &knob->low, error->text, CRD_MESSAGE_SIZE);
    if (status >= 0)
        status = cardan_model_with_parameters(model, 1, &name, &high, &knob->high, error->text, CRD_MESSAGE_SIZE);
    knob->width = high - low;
    if (status < 0) return error->status = status;
    find_range(knob);
    assert(knob->first <= named.index && named.index <= knob->last);
    return error->status = CARDAN_OK;
}

bool crd_start_is_projected(const CrdSensitivity *work) {
    const CrdStructure *structure = work->model->structure;
    const double *y = work->trajectory.y;
    for (int i = 0; i < structure->nq + structure->nv; i++) {
        double written = i < structure->nq ? work->model->values.q0[i] : work->model->values.v0[i - structure->nq];
        if (fabs(y[i] - written) > START_MOVED * fmax(1.0, fabs(written))) return true;
    }
    return false;
}

/* Of a start value, put on the constraints. */
static CardanStatus change_value(CrdSensitivity *work, const CrdKnob *knob, double *w) {
    CrdTrajectory *trajectory = &work->trajectory;
    const CrdStructure *structure = trajectory->structure;
    assert(knob->coordinate >= 0 && knob->coordinate < 2 * structure->nv);
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

/* Do rows open with the knob where the run starts? They are made for the pose as written, so most do not. */
static CardanStatus opens(CrdSensitivity *work, const CrdKnob *knob, bool *open) {
    int rows = work->trajectory.structure->rows;
    *open = work->projected;
    if (rows == 0) return CARDAN_OK;
    CRD_TRY(crd_trajectory_rows_over(&work->trajectory, knob, 0, work->over, &work->error));
    for (int r = 0; r < 2 * rows; r++) *open |= fabs(work->over[r]) > ROWS_OPEN;
    return CARDAN_OK;
}

CardanStatus crd_start_change(CrdSensitivity *work, const CrdKnob *knob, double *w) {
    CrdTrajectory *trajectory = &work->trajectory;
    size_t core = (size_t)trajectory->core;
    memset(w, 0, core * sizeof *w);
    if (knob->low == NULL) return change_value(work, knob, w);
    bool moves = knob->wide || knob->start || (knob->heavy && work->projected);
    if (!moves && knob->bends) CRD_TRY(opens(work, knob, &moves));
    if (!moves) return CARDAN_OK;
    const CardanModel *const models[2] = {knob->low, knob->high};
    for (int side = 0; side < 2; side++) {
        CardanSim *sim = NULL;
        CardanStatus status =
            crd_trajectory_start(models[side], &trajectory->sim->integrator.options, &sim, &work->error);
        for (size_t i = 0; status >= 0 && i < core; i++)
            w[i] += (side == 0 ? -1.0 : 1.0) / knob->width * sim->integrator.stepper.y[i];
        cardan_sim_destroy(sim);
        if (status < 0) return status;
    }
    return CARDAN_OK;
}
