#include "tangent/quantity.h"

#include "equations/force_scene.h"
#include "equations/measure_gradient.h"
#include "sim/channel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of a coordinate, in its unit: central differences are good to its square, their noise is rounding over it. */
static const double STATE_STEP = 1e-6;

/* ---- which channels ---- */

/* Why a measure has no derivative; NULL: it has one. */
static const char *reason_against(CrdMeasure measure) {
    switch (measure) {
    case CRD_FORCE_WORK:
        return "is kept beside the state; take the integral of its power";
    case CRD_REACTION_SOFTENED:
        return "is a yes or no";
    case CRD_RESIDUAL:
    case CRD_STEP:
    case CRD_CONDITION:
        return "tells of the steps, not of the motion";
    default:
        return NULL;
    }
}

CardanStatus crd_quantity_find(const CardanModel *model, const char *name, CrdQuantity *quantity, CrdError *error) {
    char text[CRD_MESSAGE_SIZE];
    CardanStatus status = cardan_model_find_channel(model, name, &quantity->channel, text, sizeof text);
    if (status < 0) return crd_fail(error, status, "%.900s", text);
    const char *reason = reason_against((CrdMeasure)quantity->channel.measure);
    if (reason == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "channel '%s' has no derivative: it %s", crd_shown_text(name).text,
                    reason);
}

CardanStatus crd_quantity_take_room(const CrdTrajectory *trajectory, int knobs, CrdQuantity *quantity,
                                    CrdError *error) {
    size_t room = (size_t)trajectory->n + (size_t)trajectory->structure->nv + (size_t)quantity->channel.width;
    assert(quantity->channel.width > 0 && knobs >= 0);
    quantity->slope = crd_new((size_t)trajectory->core, sizeof *quantity->slope);
    quantity->over = crd_new((size_t)knobs, sizeof *quantity->over);
    quantity->room = crd_new(room, sizeof *quantity->room);
    bool made = quantity->slope != NULL && quantity->over != NULL && quantity->room != NULL;
    return made ? CARDAN_OK : crd_fail_memory(error);
}

void crd_quantity_free(CrdQuantity *quantity) {
    CRD_DELETE_ALL(quantity->slope, quantity->over, quantity->room);
}

/* ---- values ---- */

/* Read from places and velocities alone: no force and no inertia is in it. */
static bool is_kinematic(const CrdQuantity *quantity) {
    return crd_measures[quantity->channel.measure].needs <= CRD_NEEDS_ROWS;
}

static CardanStatus read_column(CrdQuantity *quantity, CrdTrajectory *trajectory, const CardanModel *model, double t,
                                const double *y, double *value, CrdError *error) {
    CrdIntegrator *integrator = &trajectory->at->integrator;
    double *columns = quantity->room + trajectory->n + trajectory->structure->nv;
    crd_dynamics_use(&integrator->dynamics, model);
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, t, y);
    integrator->dynamics.actions.states = y + trajectory->structure->nq + trajectory->structure->nv;
    if (status >= 0 && !is_kinematic(quantity))
        status = crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false);
    if (status >= 0) status = crd_channel_values(integrator, y, quantity->channel, columns);
    crd_dynamics_use(&integrator->dynamics, trajectory->at->model);
    *value = columns[quantity->column];
    return status < 0 ? crd_fail(error, status, "%s", trajectory->at->error.text) : CARDAN_OK;
}

static double made_of(const CrdQuantity *quantity, double value) {
    return quantity->kind == CARDAN_TARGET_SQUARE ? value * value : value;
}

CardanStatus crd_quantity_value(CrdQuantity *quantity, CrdTrajectory *trajectory, const CardanModel *model, double t,
                                const double *y, double *value, CrdError *error) {
    CRD_TRY(read_column(quantity, trajectory, model, t, y, value, error));
    *value = made_of(quantity, *value);
    return CARDAN_OK;
}

/* ---- derivatives over the state ---- */

/* Where the derivatives of one column go. */
typedef struct Slopes {
    int column;
    double *over[3]; /* by CrdGradientBy */
} Slopes;

static bool add_slopes(void *user, CrdGradientBy by, int index, const CrdDual *columns) {
    const Slopes *slopes = user;
    slopes->over[by][index] += columns[slopes->column].d;
    return true;
}

/* By the measure's own derivatives; false: it has none. */
static bool slope_exact(CrdQuantity *quantity, CrdTrajectory *trajectory, double t, const double *y) {
    CrdIntegrator *integrator = &trajectory->at->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CardanModel *model = dynamics->model;
    const CrdStructure *structure = model->structure;
    const CrdLawMeasure it = crd_channel_measure(quantity->channel);
    double *x = quantity->room + trajectory->n, *over_v = quantity->slope + structure->nq;
    assert(trajectory->core >= structure->nq + structure->nv + structure->first_order);
    if (!crd_has_gradient(model, &it) || crd_integrator_evaluate_constraints(integrator, t, y) < 0) return false;
    memset(quantity->slope, 0, (size_t)trajectory->core * sizeof *quantity->slope);
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    Slopes slopes = {quantity->column + (it.column > 0 ? it.column - 1 : 0), {x, over_v, over_v + structure->nv}};
    CrdScene scene = {model, y, y + structure->nq};
    CardanStatus status = CARDAN_OK;
    dynamics->actions.states = y + structure->nq + structure->nv;
    if (crd_is_dynamic(model->description, &it))
        status = crd_law_input(model, &dynamics->actions, &dynamics->system, dynamics->error);
    if (status >= 0)
        status = crd_measure_gradient(&scene, &dynamics->actions, &dynamics->system, &it, add_slopes, &slopes,
                                      dynamics->error);
    if (status < 0) crd_error_clear(dynamics->error); /* differences say why */
    if (status >= 0) crd_displace_back(structure, y, x, quantity->slope);
    return status >= 0;
}

static CardanStatus slope_by_differences(CrdQuantity *quantity, CrdTrajectory *trajectory, double t, const double *from,
                                         CrdError *error) {
    const CardanModel *model = trajectory->at->model;
    double *y = quantity->room, low, high;
    memcpy(y, from, (size_t)trajectory->n * sizeof *y);
    for (int i = 0; i < trajectory->core; i++) {
        double h = STATE_STEP * fmax(1.0, fabs(from[i]));
        y[i] = from[i] - h;
        CRD_TRY(read_column(quantity, trajectory, model, t, y, &low, error));
        y[i] = from[i] + h;
        CRD_TRY(read_column(quantity, trajectory, model, t, y, &high, error));
        y[i] = from[i];
        quantity->slope[i] = (high - low) / (2.0 * h);
    }
    return CARDAN_OK;
}

/* ---- derivatives over parameters ---- */

/* Is the channel read from numbers of the model that the knob moves? */
static bool is_touched(const CrdQuantity *quantity, const CrdKnob *knob) {
    const CrdMeasureRecord *record = &crd_measures[quantity->channel.measure];
    if (knob->low == NULL) return false;
    if (!is_kinematic(quantity) || record->of == CRD_OF_MODEL) return true;
    const CrdStructure *structure = knob->low->structure;
    const CrdValues *a = &knob->low->values, *b = &knob->high->values;
    int object = quantity->channel.object;
    if (record->of == CRD_OF_JOINT || record->of == CRD_OF_FORCE) return true;
    bool of_body = object < structure->frame_count && (record->of & CRD_OF_PAIR) == 0;
    if (of_body)
        return quantity->channel.measure == CRD_BODY_MOMENTUM || quantity->channel.measure == CRD_BODY_SPIN_MOMENTUM;
    return structure->marker_count > 0 &&
           memcmp(a->markers, b->markers, (size_t)structure->marker_count * sizeof *a->markers) != 0;
}

static CardanStatus differentiate_over(CrdQuantity *quantity, CrdTrajectory *trajectory, int knobs, const CrdKnob *knob,
                                       double t, const double *y, CrdError *error) {
    double low, high;
    for (int k = 0; k < knobs; k++) {
        quantity->over[k] = 0.0;
        if (!is_touched(quantity, &knob[k])) continue;
        CRD_TRY(read_column(quantity, trajectory, knob[k].low, t, y, &low, error));
        CRD_TRY(read_column(quantity, trajectory, knob[k].high, t, y, &high, error));
        quantity->over[k] = (high - low) / knob[k].width;
    }
    return CARDAN_OK;
}

CardanStatus crd_quantity_differentiate(CrdQuantity *quantity, CrdTrajectory *trajectory, int knobs,
                                        const CrdKnob *knob, double t, const double *y, CrdError *error) {
    double value;
    CRD_TRY(read_column(quantity, trajectory, trajectory->at->model, t, y, &value, error));
    if (!slope_exact(quantity, trajectory, t, y)) CRD_TRY(slope_by_differences(quantity, trajectory, t, y, error));
    CRD_TRY(differentiate_over(quantity, trajectory, knobs, knob, t, y, error));
    quantity->value = made_of(quantity, value);
    if (quantity->kind != CARDAN_TARGET_SQUARE) return CARDAN_OK;
    for (int i = 0; i < trajectory->core; i++) quantity->slope[i] *= 2.0 * value;
    for (int k = 0; k < knobs; k++) quantity->over[k] *= 2.0 * value;
    return CARDAN_OK;
}

CardanStatus crd_quantity_rate(CrdQuantity *quantity, CrdTrajectory *trajectory, double t, const double *y,
                               const double *f, double *rate, CrdError *error) {
    const CardanModel *model = trajectory->at->model;
    double *moved = quantity->room, fastest = 1.0, side[2];
    for (int i = 0; i < trajectory->core; i++) fastest = fmax(fastest, fabs(f[i]) / fmax(1.0, fabs(y[i])));
    double h = STATE_STEP / fastest;
    for (int k = 0; k < 2; k++) {
        double by = k == 0 ? -h : h;
        memcpy(moved, y, (size_t)trajectory->n * sizeof *moved);
        for (int i = 0; i < trajectory->core; i++) moved[i] += by * f[i];
        CRD_TRY(read_column(quantity, trajectory, model, t + by, moved, &side[k], error));
    }
    *rate = (side[1] - side[0]) / (2.0 * h);
    return CARDAN_OK;
}
