#include "tangent/sensitivity.h"

#include "core/cookie.h"
#include "guard/hold/hold.h"
#include "tangent/pull.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

CardanSensitivityDef cardan_default_sensitivity(void) {
    return (CardanSensitivityDef){.internal = CRD_COOKIE};
}

static CardanStatus take_room(CrdSensitivity *work, bool backwards) {
    const CrdTrajectory *trajectory = &work->trajectory;
    size_t core = (size_t)trajectory->core, size = (size_t)trajectory->size, rows = (size_t)trajectory->structure->rows;
    size_t directions = backwards ? 1 : (size_t)work->knobs, stages = (size_t)trajectory->tableau->stages;
    size_t columns = (size_t)work->quantity.channel.width;
    work->w = crd_new(directions * core, sizeof(double));
    work->k = crd_new(directions * stages * size, sizeof(double));
    work->weight = crd_new(2 * rows, sizeof(double));
    work->over = crd_new(2 * rows, sizeof(double));
    work->slope = crd_new(core, sizeof(double));
    work->value = crd_new(columns, sizeof(double));
    work->derivative = crd_new(columns * (size_t)work->knobs, sizeof(double));
    bool made = work->w != NULL && work->k != NULL && work->weight != NULL && work->over != NULL &&
                work->slope != NULL && work->value != NULL && work->derivative != NULL;
    if (!made) return crd_fail_memory(&work->error);
    CRD_TRY(crd_quantity_take_room(trajectory, work->knobs, &work->quantity, &work->error));
    return trajectory->transitions > 0 ? crd_jump_take_room(trajectory, work->knobs, &work->jump, &work->error)
                                       : CARDAN_OK;
}

/* What steps of this simulation do besides stepping, and is not differentiated. */
static CardanStatus refuse_options(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    if (!(options->end > 0.0))
        return crd_fail(error, CARDAN_ERR_MODEL, "an end of the simulation is wanted: its option `end`");
    if (options->stabilise.method == CARDAN_STABILISE_BAUMGARTE)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "Baumgarte's terms are not differentiated; take stabilise: {method: post}");
    if (options->stabilise.energy == CARDAN_ENERGY_HELD || model->structure->invariant_count > 0)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "invariants that steps hold (%s) are not differentiated; leave them free",
                        model->structure->invariant_count > 0 ? model->description->invariants[0].name : "the energy");
    if (model->description->slow.every > 0.0)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "a motion that is put on the slow manifold again and again is not differentiated");
    return CARDAN_OK;
}

static CardanStatus refuse_imperfect(const CrdTrajectory *trajectory, CrdError *error) {
    if (trajectory->sim->integrator.dynamics.redundancy.imperfect.kind == CRD_PERFECT) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL,
                    "loops of the mechanism are imperfect, so that joints open when it moves: that is not "
                    "differentiated; close them");
}

static CardanStatus differentiate(CrdSensitivity *work, const CardanOptions *options, const CardanSensitivityDef *def) {
    bool backwards = def->method == CARDAN_SENSITIVITY_ADJOINT;
    work->quantity.kind = def->target;
    CRD_TRY(crd_quantity_find(work->model, def->channel, &work->quantity, &work->error));
    CRD_TRY(refuse_options(work->model, options, &work->error));
    for (int i = 0; i < work->knobs; i++)
        CRD_TRY(crd_knob_find(work->model, def->names[i], &work->knob[i], &work->error));
    CRD_TRY(crd_trajectory_open(&work->trajectory, work->model, options, backwards, &work->error));
    CRD_TRY(refuse_imperfect(&work->trajectory, &work->error));
    CRD_TRY(crd_trajectory_run(&work->trajectory, options->end, &work->error));
    CRD_TRY(take_room(work, backwards));
    CRD_TRY(crd_touches_create(work->model, work->knobs, work->knob, &work->touches, &work->error));
    work->pulls = backwards && crd_trajectory_pulls(&work->trajectory);
    work->projected = crd_start_is_projected(work);
    if (!backwards) return crd_forwards(work);
    CrdQuantity *quantity = &work->quantity;
    for (quantity->column = 0; quantity->column < quantity->channel.width; quantity->column++)
        CRD_TRY(crd_backwards(work));
    return CARDAN_OK;
}

static void release(CrdSensitivity *work) {
    for (int i = 0; work->knob != NULL && i < work->knobs; i++) {
        cardan_model_release(work->knob[i].low);
        cardan_model_release(work->knob[i].high);
    }
    CRD_DELETE_ALL(work->knob, work->w, work->k, work->weight, work->over, work->slope, work->value, work->derivative);
    crd_quantity_free(&work->quantity);
    crd_jump_free(&work->jump);
    crd_touches_free(&work->touches);
    crd_trajectory_close(&work->trajectory);
}

/* What is wrong with a call; NULL: nothing. */
static CardanStatus refuse_call(const CardanModel *model, const CardanSensitivityDef *def, const double *derivatives,
                                char *message, size_t size) {
    if (model == NULL) return crd_refuse_call(message, size, "the model is NULL");
    if (def == NULL) return crd_refuse_call(message, size, "the definition of a sensitivity is NULL");
    if (def->internal != CRD_COOKIE)
        return crd_refuse_call(message, size,
                               "the definition of a sensitivity was not made by cardan_default_sensitivity()");
    if (def->channel == NULL) return crd_refuse_call(message, size, "the channel is NULL");
    if ((int)def->method < 0 || def->method >= CARDAN_SENSITIVITY_METHODS)
        return crd_refuse_call(message, size, "there is no method number %d", (int)def->method);
    if ((int)def->target < 0 || def->target >= CARDAN_TARGETS)
        return crd_refuse_call(message, size, "there is no target number %d", (int)def->target);
    if (def->count < 0 || (def->count > 0 && (def->names == NULL || derivatives == NULL)))
        return crd_refuse_call(message, size, "names and a place for %d derivatives are wanted", def->count);
    for (int i = 0; i < def->count; i++)
        if (def->names[i] == NULL) return crd_refuse_call(message, size, "name %d is NULL", i);
    return CARDAN_OK;
}

/* Everything that was asked for, now that it is known. */
static CardanStatus answer(const CrdSensitivity *work, double *t, double *values, double *derivatives, char *message,
                           size_t size) {
    const CrdTrajectory *trajectory = &work->trajectory;
    size_t columns = (size_t)work->quantity.channel.width, knobs = (size_t)work->knobs;
    const CrdTransition *transition = crd_trajectory_transition(trajectory, trajectory->steps);
    assert(trajectory->steps > 0);
    if (t != NULL) *t = trajectory->t[trajectory->steps];
    if (values != NULL) memcpy(values, work->value, columns * sizeof *values);
    if (knobs > 0) memcpy(derivatives, work->derivative, columns * knobs * sizeof *derivatives);
    if (transition == NULL || !transition->stops) return CARDAN_OK;
    if (message != NULL && size > 0) snprintf(message, size, "%s", cardan_sim_message(trajectory->sim));
    return CARDAN_STOPPED;
}

CardanStatus cardan_model_sensitivity(const CardanModel *model, const CardanOptions *options,
                                      const CardanSensitivityDef *def, double *t, double *values, double *derivatives,
                                      char *message, size_t size) {
    CRD_TRY(refuse_call(model, def, derivatives, message, size));
    CardanOptions own = options != NULL ? *options : cardan_model_options(model);
    CrdSensitivity work = {.model = model, .knobs = def->count, .knob = crd_new((size_t)def->count, sizeof(CrdKnob))};
    CardanStatus status = work.knob == NULL ? crd_fail_memory(&work.error) : differentiate(&work, &own, def);
    if (message != NULL && size > 0) snprintf(message, size, "%s", status < 0 ? work.error.text : "");
    if (status >= 0 && def->stepper != NULL) *def->stepper = work.trajectory.sim->integrator.options.stepper;
    if (status >= 0) status = answer(&work, t, values, derivatives, message, size);
    release(&work);
    return status;
}
