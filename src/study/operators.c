/* Operators at a state: the object, M and G. Bodies, points and forces are in operators_bodies.c. */
#include "study/operators.h"

#include "equations/tree.h"
#include "model/relative.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- sentences ---- */

CardanStatus crd_operators_report(CardanOperators *operators, CardanStatus status) {
    if (status == CARDAN_OK) {
        operators->message[0] = '\0';
        return status;
    }
    crd_tell(&operators->error, operators->error.place.line > 0 ? operators->absolute->description->file : NULL,
             operators->message, sizeof operators->message);
    crd_error_clear(&operators->error);
    return status;
}

CardanStatus crd_operators_refuse(CardanOperators *operators, CardanStatus status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(operators->message, sizeof operators->message, format, list);
    va_end(list);
    return status;
}

CardanStatus crd_operators_need(CardanOperators *operators, const void *const *given, size_t count) {
    if (operators == NULL) return CARDAN_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (given[i] == NULL) return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT, "an argument is NULL");
    operators->message[0] = '\0';
    return CARDAN_OK;
}

const char *cardan_operators_message(const CardanOperators *operators) {
    return operators == NULL ? "there are no operators" : operators->message;
}

/* ---- rows ---- */

/* Runs over rows in both orders: joints as they were added, then rows of blocks. */
static void move_rows(const CrdStructure *structure, const double *from, double *to, bool outward) {
    int at = 0;
    for (int j = 0; j < structure->joint_count; j++) {
        const CrdElement *element = &structure->elements[structure->element_of_joint[j]];
        for (int r = 0; r < element->rows; r++, at++)
            to[outward ? at : element->first + r] = from[outward ? element->first + r : at];
    }
    if (at == structure->rows) return;
    for (int b = 0; b < structure->block_count; b++)
        for (int i = 0; i < structure->element_count; i++) {
            const CrdElement *element = &structure->elements[i];
            if (element->joint >= 0 || element->block != b) continue;
            for (int r = 0; r < element->rows; r++, at++)
                to[outward ? at : element->first + r] = from[outward ? element->first + r : at];
        }
    assert(at == structure->rows);
}

void crd_rows_outward(const CrdStructure *structure, const double *inner, double *outer) {
    move_rows(structure, inner, outer, true);
}

void crd_rows_inward(const CrdStructure *structure, const double *outer, double *inner) {
    move_rows(structure, outer, inner, false);
}

/* ---- the object ---- */

static CardanStatus make_model(CardanOperators *operators, CardanCoordinates coordinates) {
    if (coordinates != CARDAN_COORDINATES_RELATIVE) {
        operators->model = cardan_model_retain(operators->absolute);
        return CARDAN_OK;
    }
    CRD_TRY(crd_relative_create(operators->absolute, &operators->model, &operators->error));
    if (operators->model != NULL) return CARDAN_OK;
    operators->error.status = CARDAN_ERR_MODEL;
    return CARDAN_ERR_MODEL;
}

/* Coordinates of joints of the pose as written. */
static CardanStatus put_relative_start(CardanOperators *operators) {
    CardanOperators *bodies = NULL;
    char message[CRD_MESSAGE_SIZE] = "the pose as written cannot be evaluated";
    CardanStatus status =
        cardan_operators_create(operators->absolute, CARDAN_COORDINATES_ABSOLUTE, &bodies, message, sizeof message);
    if (status >= 0) status = crd_operators_at(bodies);
    if (status >= 0)
        crd_relative_from_frames(operators->model, bodies->dynamics->system.frames, operators->absolute->values.tracked,
                                 operators->q, operators->v);
    cardan_operators_destroy(bodies);
    return status < 0 ? crd_fail(&operators->error, status, "%s", message) : status;
}

/* The pose as written, in the coordinates at work. */
static CardanStatus put_start(CardanOperators *operators) {
    const CrdValues *values = &operators->absolute->values;
    const CrdStructure *structure = operators->absolute->structure;
    CrdIntegrator *integrator = &operators->sim->integrator;
    size_t real = sizeof(double);
    memcpy(crd_integrator_z(integrator, operators->q), values->z0, (size_t)structure->first_order * real);
    memcpy(crd_integrator_tracked(integrator, operators->q), values->tracked,
           (size_t)operators->model->structure->tracked_count * real);
    if (crd_is_relative(operators->model->structure)) return put_relative_start(operators);
    memcpy(operators->q, values->q0, (size_t)structure->nq * real);
    memcpy(operators->v, values->v0, (size_t)structure->nv * real);
    crd_normalise(structure, operators->q);
    return CARDAN_OK;
}

static CardanStatus open(CardanOperators *operators, CardanCoordinates coordinates) {
    CRD_TRY(make_model(operators, coordinates));
    CardanOptions options = cardan_default_options();
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CardanStatus status = crd_sim_open(operators->model, &options, &operators->sim);
    if (status < 0) {
        if (operators->sim == NULL) return crd_fail_memory(&operators->error);
        operators->error = operators->sim->error;
        return status;
    }
    const CrdStructure *structure = operators->model->structure;
    operators->dynamics = &operators->sim->integrator.dynamics;
    operators->dynamics->error = &operators->error;
    operators->q = operators->sim->integrator.stepper.y;
    operators->v = crd_integrator_v(&operators->sim->integrator, operators->q);
    operators->x = crd_new((size_t)structure->nv, sizeof(double));
    operators->y = crd_new((size_t)structure->nv, sizeof(double));
    operators->r = crd_new(2 * (size_t)structure->rows, sizeof(double));
    if (operators->x == NULL || operators->y == NULL || operators->r == NULL) return crd_fail_memory(&operators->error);
    return put_start(operators);
}

CardanStatus cardan_operators_create(const CardanModel *model, CardanCoordinates coordinates, CardanOperators **out,
                                     char *message, size_t size) {
    if (message != NULL && size > 0) message[0] = '\0';
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL)
        return crd_refuse_call(message, size, "%s is NULL", model == NULL ? "the model" : "the place for operators");
    CardanOperators *operators = crd_new(1, sizeof *operators);
    if (operators == NULL) return CARDAN_ERR_MEMORY;
    operators->absolute = cardan_model_retain(model);
    CardanStatus status = open(operators, coordinates);
    if (status >= 0) {
        *out = operators;
        return status;
    }
    crd_tell(&operators->error, model->description->file, message, size);
    cardan_operators_destroy(operators);
    return status;
}

void cardan_operators_destroy(CardanOperators *operators) {
    if (operators == NULL) return;
    if (operators->has_saddle) crd_saddle_close(&operators->saddle);
    cardan_sim_destroy(operators->sim);
    cardan_model_release(operators->model);
    cardan_model_release(operators->absolute);
    CRD_DELETE_ALL(operators->x, operators->y, operators->r);
    crd_delete(operators);
}

CardanOperatorSizes cardan_operators_sizes(const CardanOperators *operators) {
    if (operators == NULL) return (CardanOperatorSizes){0};
    const CrdStructure *structure = operators->model->structure;
    return (CardanOperatorSizes){structure->nq, structure->nv, structure->rows};
}

/* ---- the state ---- */

CardanStatus cardan_operators_set(CardanOperators *operators, double t, const double *q, const double *v) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, q, v));
    const CrdStructure *structure = operators->model->structure;
    if (!isfinite(t)) return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT, "the time is not finite");
    for (int i = 0; i < structure->nq + structure->nv; i++)
        if (!isfinite(i < structure->nq ? q[i] : v[i - structure->nq]))
            return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT, "number %d of the state is not finite", i);
    operators->t = t;
    memmove(operators->q, q, (size_t)structure->nq * sizeof *q);
    memmove(operators->v, v, (size_t)structure->nv * sizeof *v);
    crd_normalise(structure, operators->q);
    crd_stamp_clear(&operators->dynamics->system.stamp);
    return CARDAN_OK;
}

CardanStatus cardan_operators_get(CardanOperators *operators, double *t, double *q, double *v) {
    CRD_TRY(crd_operators_need(operators, NULL, 0));
    const CrdStructure *structure = operators->model->structure;
    if (t != NULL) *t = operators->t;
    if (q != NULL) memcpy(q, operators->q, (size_t)structure->nq * sizeof *q);
    if (v != NULL) memcpy(v, operators->v, (size_t)structure->nv * sizeof *v);
    return CARDAN_OK;
}

CardanStatus cardan_operators_set_input(CardanOperators *operators, CardanInput input, double value) {
    CRD_TRY(crd_operators_need(operators, NULL, 0));
    if (input.index < 1 || input.index > operators->absolute->structure->input_count || !isfinite(value))
        return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT,
                                    "there is no such input, or its value is not finite");
    operators->sim->inputs[input.index - 1] = value;
    crd_stamp_clear(&operators->dynamics->system.stamp);
    return CARDAN_OK;
}

CardanStatus cardan_operators_move(CardanOperators *operators, const double *dx, double *q) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, dx, q));
    crd_move(operators->model->structure, dx, q);
    return CARDAN_OK;
}

CardanStatus crd_operators_at(CardanOperators *operators) {
    CrdDynamics *dynamics = operators->dynamics;
    if (crd_stamp_holds_of(&dynamics->system.stamp, CRD_HOLDS_ROWS, operators->t, operators->q)) return CARDAN_OK;
    CrdCall before = crd_sim_enter(operators->sim);
    CardanStatus status = crd_integrator_evaluate_constraints(&operators->sim->integrator, operators->t, operators->q);
    crd_sim_leave(operators->sim, before);
    return crd_operators_report(operators, status);
}

CardanStatus crd_operators_forced(CardanOperators *operators) {
    CrdDynamics *dynamics = operators->dynamics;
    CRD_TRY(crd_operators_at(operators));
    if (crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FORCES)) return CARDAN_OK;
    CrdCall before = crd_sim_enter(operators->sim);
    CardanStatus status = crd_integrator_forces(&operators->sim->integrator, operators->q);
    crd_sim_leave(operators->sim, before);
    return crd_operators_report(operators, status);
}

/* ---- products ---- */

/* The sweeps of a tree need its inertias, which are made with S. */
static CardanStatus inertias_at(CardanOperators *operators) {
    CRD_TRY(crd_operators_at(operators));
    CrdSystem *system = &operators->dynamics->system;
    if (operators->model->structure->tree != NULL && !crd_stamp_holds(&system->stamp, CRD_HOLDS_SCHUR))
        crd_form_schur(operators->model, CARDAN_METRIC_MASS, system);
    return CARDAN_OK;
}

CardanStatus cardan_operators_mass_times(CardanOperators *operators, const double *x, double *y) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, x, y));
    CRD_TRY(crd_operators_at(operators));
    crd_times_mass(operators->model, &operators->dynamics->system, x, y);
    return CARDAN_OK;
}

CardanStatus cardan_operators_mass_solve(CardanOperators *operators, const double *x, double *y) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, x, y));
    CRD_TRY(inertias_at(operators));
    memmove(y, x, (size_t)operators->model->structure->nv * sizeof *y);
    crd_solve_mass(operators->model, &operators->dynamics->system, y);
    return CARDAN_OK;
}

CardanStatus cardan_operators_rows_times(CardanOperators *operators, const double *x, double *rows) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, x, rows));
    CRD_TRY(crd_operators_at(operators));
    const CrdStructure *structure = operators->model->structure;
    memset(operators->r, 0, (size_t)structure->rows * sizeof *rows);
    crd_times_g(structure, operators->dynamics->system.G, x, operators->r);
    crd_rows_outward(structure, operators->r, rows);
    return CARDAN_OK;
}

CardanStatus cardan_operators_rows_transposed(CardanOperators *operators, const double *rows, double *x) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, rows, x));
    CRD_TRY(crd_operators_at(operators));
    const CrdStructure *structure = operators->model->structure;
    crd_rows_inward(structure, rows, operators->r);
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    crd_times_gt(structure, operators->dynamics->system.G, 1.0, operators->r, x);
    return CARDAN_OK;
}

CardanStatus cardan_operators_residuals(CardanOperators *operators, double *position, double *velocity, double *gamma) {
    CRD_TRY(crd_operators_need(operators, NULL, 0));
    CRD_TRY(crd_operators_at(operators));
    const CrdSystem *system = &operators->dynamics->system;
    const CrdStructure *structure = operators->model->structure;
    if (position != NULL) crd_rows_outward(structure, system->g, position);
    if (velocity != NULL) crd_rows_outward(structure, system->rate, velocity);
    if (gamma != NULL) crd_rows_outward(structure, system->gamma, gamma);
    return CARDAN_OK;
}

/* ---- dense ---- */

CardanStatus crd_operators_dense(CardanOperators *operators, const char *what) {
    const CrdStructure *structure = operators->model->structure;
    int size = structure->nv > structure->rows ? structure->nv : structure->rows;
    if (size <= CARDAN_DENSE_MAX) return CARDAN_OK;
    return crd_operators_refuse(
        operators, CARDAN_ERR_LIMIT,
        "%s as a dense matrix has %d rows or columns; at most %d are made, products have no limit", what, size,
        CARDAN_DENSE_MAX);
}

CardanStatus cardan_operators_mass(CardanOperators *operators, double *m) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, m));
    CRD_TRY(crd_operators_dense(operators, "the mass matrix"));
    CRD_TRY(crd_operators_at(operators));
    int n = operators->model->structure->nv;
    double *unit = operators->x;
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int c = 0; c < n; c++) { /* M is symmetric: its columns are its rows */
        unit[c] = 1.0;
        crd_times_mass(operators->model, &operators->dynamics->system, unit, m + (size_t)c * (size_t)n);
        unit[c] = 0.0;
    }
    return CARDAN_OK;
}

/* Pieces of G into lines of the order of the description; outer: that of each row. */
static void fill_rows(const CrdStructure *structure, const double *pieces, const double *outer, double *g) {
    size_t n = (size_t)structure->nv;
    memset(g, 0, (size_t)structure->rows * n * sizeof *g);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        int first = structure->elements[in->element].first;
        for (int r = 0; r < in->rows; r++)
            for (int c = 0; c < in->width; c++)
                g[(size_t)outer[first + r] * n + (size_t)(in->v + c)] += pieces[in->g + r * in->width + c];
    }
}

CardanStatus cardan_operators_rows(CardanOperators *operators, double *g) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, g));
    CRD_TRY(crd_operators_dense(operators, "the constraint Jacobian"));
    CRD_TRY(crd_operators_at(operators));
    const CrdStructure *structure = operators->model->structure;
    double *outer = operators->r, *numbers = operators->r + structure->rows;
    for (int i = 0; i < structure->rows; i++) numbers[i] = (double)i;
    crd_rows_inward(structure, numbers, outer);
    fill_rows(structure, operators->dynamics->system.G, outer, g);
    return CARDAN_OK;
}
