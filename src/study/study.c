/* The study: creation, state, reading. */
#include "study/study.h"

#include "core/numbers.h"
#include "core/rotation.h"
#include "study/operators.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Proximal steps at most, and the change of multipliers, against the largest, that ends them. Each leaves about
 * CRD_STUDY_SOFT, against M in mean masses, of what the one before left open; long chains need more than one. */
#define CRD_PROXIMAL_DONE 1e-13
enum { PROXIMAL_STEPS = 40 };

/* ---- sentences ---- */

CardanStatus crd_study_report(CardanStudy *study, CardanStatus status) {
    const char *file = study->error.place.line > 0 ? study->model->description->file : NULL;
    study->message[0] = '\0';
    if (status != CARDAN_OK) crd_tell(&study->error, file, study->message, sizeof study->message);
    crd_error_clear(&study->error);
    return status;
}

CardanStatus crd_study_refuse(CardanStudy *study, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(study->message, sizeof study->message, format, list);
    va_end(list);
    return CARDAN_ERR_ARGUMENT;
}

CardanStatus crd_study_need(CardanStudy *study, const void *given, const char *what) {
    if (study == NULL) return CARDAN_ERR_ARGUMENT;
    study->message[0] = '\0';
    return given != NULL ? CARDAN_OK : crd_study_refuse(study, "%s is NULL", what);
}

CardanStatus crd_study_need_joint(CardanStudy *study, CardanJoint joint) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    if (joint.index >= 1 && joint.index <= study->model->structure->joint_count) return CARDAN_OK;
    return crd_study_refuse(study, "there is no such joint");
}

CardanStatus crd_study_need_body(CardanStudy *study, CardanBody body) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    if (body.index >= 0 && body.index < study->model->structure->frame_count) return CARDAN_OK;
    return crd_study_refuse(study, "there is no such body");
}

const char *cardan_study_message(const CardanStudy *study) {
    return study == NULL ? "there is no study" : study->message;
}

/* ---- creation ---- */

static CardanStatus take_room(CardanStudy *study) {
    const CrdStructure *structure = study->model->structure;
    size_t real = sizeof(double), rows = (size_t)structure->rows, blocks = (size_t)structure->block_count;
    study->a = crd_new((size_t)structure->nv, real);
    study->lambda = crd_new(rows, real);
    study->outer = crd_new(rows, real);
    study->given = crd_new((size_t)study->run->stepper.n, real);
    study->dead.y = crd_new((size_t)study->run->stepper.n, real);
    study->held = crd_new(blocks, sizeof *study->held);
    study->weight = crd_new(blocks, real);
    bool all = study->a != NULL && study->lambda != NULL && study->outer != NULL && study->given != NULL &&
               study->dead.y != NULL && study->held != NULL && study->weight != NULL;
    return all ? CARDAN_OK : crd_fail_memory(&study->error);
}

static void put_start(CardanStudy *study) {
    const CrdStructure *structure = study->model->structure;
    const CrdValues *values = &study->model->values;
    double *y = study->y;
    memcpy(y, values->q0, (size_t)structure->nq * sizeof *y);
    memcpy(crd_integrator_v(study->run, y), values->v0, (size_t)structure->nv * sizeof *y);
    memcpy(crd_integrator_tracked(study->run, y), values->tracked, (size_t)structure->tracked_count * sizeof *y);
    memcpy(crd_integrator_z(study->run, y), values->z0, (size_t)structure->first_order * sizeof *y);
    crd_normalise(structure, y);
    for (int i = 0; i < structure->block_count; i++) study->weight[i] = 1.0;
    study->has_held = crd_find_held(study->model, study->held);
}

static CardanStatus open(CardanStudy *study) {
    CardanOptions options = cardan_default_options();
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CardanStatus status = crd_sim_open(study->model, &options, &study->sim);
    if (status < 0) {
        if (study->sim == NULL) return crd_fail_memory(&study->error);
        study->error = study->sim->error;
        return status;
    }
    study->run = &study->sim->integrator;
    study->dynamics = &study->run->dynamics;
    study->dynamics->error = study->run->stepper.error = &study->error;
    study->y = study->run->stepper.y;
    CRD_TRY(take_room(study));
    put_start(study);
    for (int i = 0; i < study->model->description->coordinate_count; i++) {
        const CrdStartRate *start = &study->model->description->coordinates[i];
        CRD_TRY(cardan_study_target(study, (CardanJoint){start->joint}, start->rate, 0.0));
    }
    return CARDAN_OK;
}

CardanStatus cardan_study_create(const CardanModel *model, CardanStudy **out, char *message, size_t size) {
    if (message != NULL && size > 0) message[0] = '\0';
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL)
        return crd_refuse_call(message, size, "%s is NULL", model == NULL ? "the model" : "the place for the study");
    CardanStudy *study = crd_new(1, sizeof *study);
    if (study == NULL) return CARDAN_ERR_MEMORY;
    study->model = cardan_model_retain(model);
    CardanStatus status = open(study);
    if (status >= 0) {
        *out = study;
        return status;
    }
    crd_tell(&study->error, model->description->file, message, size);
    cardan_study_destroy(study);
    return status;
}

void cardan_study_destroy(CardanStudy *study) {
    if (study == NULL) return;
    for (int i = 0; i < study->alternatives; i++) crd_delete(study->alternative[i].y);
    crd_study_forget_equilibria(study);
    cardan_sim_destroy(study->sim);
    cardan_model_release(study->model);
    CRD_DELETE_ALL(study->a, study->lambda, study->outer, study->given, study->held, study->weight, study->target,
                   study->rate, study->alternative, study->equilibrium, study->dead.y, study->text);
    crd_delete(study);
}

/* ---- the state ---- */

void crd_study_begin(CardanStudy *study) {
    crd_error_clear(&study->error);
    memcpy(study->given, study->y, (size_t)study->run->stepper.n * sizeof *study->given);
    study->sim->busy = true;
}

CardanStatus crd_study_end(CardanStudy *study, CardanStatus status) {
    study->sim->busy = false;
    crd_stamp_clear(&study->dynamics->system.stamp);
    if (status < 0) {
        memcpy(study->y, study->given, (size_t)study->run->stepper.n * sizeof *study->given);
        if (study->error.text[0] == '\0') crd_fail(&study->error, status, "the equations cannot be solved here");
    }
    return crd_study_report(study, status);
}

CardanStatus cardan_study_set(CardanStudy *study, double t, const double *q, const double *v) {
    CRD_TRY(crd_study_need(study, q, "the coordinates"));
    CRD_TRY(crd_study_need(study, v, "the velocities"));
    const CrdStructure *structure = study->model->structure;
    bool finite = isfinite(t);
    for (int i = 0; i < structure->nq; i++) finite = finite && isfinite(q[i]);
    for (int i = 0; i < structure->nv; i++) finite = finite && isfinite(v[i]);
    if (!finite) return crd_study_refuse(study, "a number of the state is not finite");
    study->t = t;
    memmove(study->y, q, (size_t)structure->nq * sizeof *q);
    memmove(crd_study_v(study), v, (size_t)structure->nv * sizeof *v);
    crd_normalise(structure, study->y);
    crd_stamp_clear(&study->dynamics->system.stamp);
    crd_study_begin(study);
    CardanStatus status = crd_integrator_evaluate_constraints(study->run, t, study->y);
    if (status >= 0) crd_integrator_track(study->run, study->y);
    return crd_study_end(study, status);
}

CardanStatus cardan_study_set_input(CardanStudy *study, CardanInput input, double value) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    if (input.index < 1 || input.index > study->model->structure->input_count || !isfinite(value))
        return crd_study_refuse(study, "there is no such input, or its value is not finite");
    study->sim->inputs[input.index - 1] = value;
    crd_stamp_clear(&study->dynamics->system.stamp);
    return CARDAN_OK;
}

double cardan_study_time(const CardanStudy *study) {
    return study == NULL ? (double)NAN : study->t;
}

const double *cardan_study_positions(const CardanStudy *study) {
    return study == NULL ? NULL : study->y;
}

const double *cardan_study_velocities(const CardanStudy *study) {
    return study == NULL ? NULL : study->y + study->model->structure->nq;
}

const double *cardan_study_accelerations(const CardanStudy *study) {
    return study == NULL ? NULL : study->a;
}

const double *cardan_study_multipliers(const CardanStudy *study) {
    return study == NULL ? NULL : study->outer;
}

/* ---- accelerations ---- */

CardanStatus crd_study_evaluate(CardanStudy *study) {
    const CrdStamp *stamp = &study->dynamics->system.stamp;
    bool busy = study->sim->busy;
    study->sim->busy = true;
    CardanStatus status = CARDAN_OK;
    if (!crd_stamp_holds_of(stamp, CRD_HOLDS_ROWS, study->t, study->y))
        status = crd_integrator_evaluate_constraints(study->run, study->t, study->y);
    if (status >= 0 && !crd_stamp_holds(stamp, CRD_HOLDS_FORCES)) status = crd_integrator_forces(study->run, study->y);
    study->sim->busy = busy;
    return status;
}

double crd_study_soft(const CardanModel *model) {
    double sum = 0.0;
    for (int i = 0; i < model->structure->block_count; i++)
        sum += model->structure->blocks[i].kind == CRD_CUSTOM_BLOCK ? 1.0 : model->values.blocks[i].mass;
    return CRD_STUDY_SOFT * (double)model->structure->block_count / fmax(sum, CRD_NUMBER_MIN);
}

CardanStatus crd_study_solve_motion(CardanStudy *study, CrdSaddle *saddle, double *effort) {
    const CrdSystem *system = &study->dynamics->system;
    double eps = crd_study_soft(study->model), *x = saddle->sparse.x, *y = x + saddle->nv, own = 0.0, moved = 1.0;
    for (int i = 0; i < saddle->rows; i++) saddle->scale[i] = 1.0;
    CRD_TRY(crd_saddle_factor(saddle, 1.0, eps, false));
    memset(study->lambda, 0, (size_t)saddle->rows * sizeof *study->lambda);
    for (int step = 0; step < PROXIMAL_STEPS && moved > CRD_PROXIMAL_DONE; step++) {
        memcpy(x, system->f, (size_t)saddle->nv * sizeof *x);
        for (int i = 0; i < saddle->rows; i++) y[i] = system->gamma[i] - eps * study->lambda[i];
        for (int i = 0; i < saddle->extras; i++) y[saddle->rows + i] = -saddle->extra[i].bias - eps * own;
        CRD_TRY(crd_saddle_solve(saddle));
        for (int i = 0; i < saddle->rows; i++) study->lambda[i] -= y[i]; /* by how much they change */
        moved = crd_max_abs(study->lambda, saddle->rows) / fmax(crd_max_abs(y, saddle->rows), CRD_NUMBER_MIN);
        memcpy(study->lambda, y, (size_t)saddle->rows * sizeof *y);
        own = saddle->extras > 0 ? y[saddle->rows] : 0.0;
    }
    memcpy(study->a, x, (size_t)saddle->nv * sizeof *x);
    crd_rows_outward(study->model->structure, study->lambda, study->outer);
    *effort = -own;
    return CARDAN_OK;
}

CardanStatus crd_study_accelerate(CardanStudy *study) {
    CrdSaddle saddle;
    double effort;
    CRD_TRY(crd_study_evaluate(study));
    CardanStatus status = crd_saddle_open(&saddle, study->dynamics, 0, NULL);
    if (status >= 0) status = crd_study_solve_motion(study, &saddle, &effort);
    crd_saddle_close(&saddle);
    return status;
}

/* ---- asking ---- */

CardanStatus crd_study_coordinate(CardanStudy *study, int joint, CrdCoordinateRow *row) {
    const CrdStructure *structure = study->model->structure;
    int element = structure->element_of_joint[joint - 1];
    const CrdElement *e = &structure->elements[element];
    if (e->kind == NULL || e->type != CRD_ELEMENT_JOINT || e->kind->coordinates[0] == CARDAN_COORDINATE_NONE)
        return crd_study_refuse(study, "joint '%s' has no coordinate that could be asked for",
                                crd_element_name(study->model, element));
    *row = (CrdCoordinateRow){.element = element, .which = e->kind->coordinates[0]};
    return CARDAN_OK;
}

CardanStatus cardan_study_hold(CardanStudy *study, CardanBody body) {
    CRD_TRY(crd_study_need_body(study, body));
    int block = study->model->structure->frames[body.index].block;
    if (block < 0) return CARDAN_OK; /* the ground is held as it is */
    study->held[block] = study->has_held = true;
    return CARDAN_OK;
}

CardanStatus cardan_study_weight(CardanStudy *study, CardanBody body, double weight) {
    CRD_TRY(crd_study_need_body(study, body));
    int block = study->model->structure->frames[body.index].block;
    if (block < 0 || !(weight > 0.0) || !isfinite(weight))
        return crd_study_refuse(study, "a weight is a number above 0, of a body that can move");
    study->weight[block] = weight;
    study->has_weights = true;
    return CARDAN_OK;
}

CardanStatus cardan_study_target(CardanStudy *study, CardanJoint joint, double value, double weight) {
    CRD_TRY(crd_study_need_joint(study, joint));
    CrdCoordinateRow row;
    if (!isfinite(value) || !isfinite(weight) || weight < 0.0)
        return crd_study_refuse(study, "a coordinate to assemble at is a finite number, its weight none below 0");
    CRD_TRY(crd_study_coordinate(study, joint.index, &row));
    row.value = value;
    row.soft = weight;
    for (int i = 0; i < study->targets; i++)
        if (study->target[i].element == row.element) {
            study->target[i] = row;
            return CARDAN_OK;
        }
    if (!crd_grow(&study->target, &study->target_room, study->targets + 1, sizeof *study->target))
        return crd_study_report(study, crd_fail_memory(&study->error));
    study->target[study->targets++] = row;
    return CARDAN_OK;
}

/* A kept rate in place of the joint's last, or one more. */
static CardanStatus put_rate(CardanStudy *study, const CrdKeptRate *kept) {
    int at = 0;
    while (at < study->rates && study->rate[at].row.element != kept->row.element) at++;
    if (!crd_grow(&study->rate, &study->rate_room, at + 1, sizeof *study->rate))
        return crd_study_report(study, crd_fail_memory(&study->error));
    study->rate[at] = *kept;
    if (at == study->rates) study->rates++;
    return CARDAN_OK;
}

CardanStatus cardan_study_keep_rate(CardanStudy *study, CardanJoint joint, double rate) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    CrdKeptRate kept = {.rate = rate};
    if (!isfinite(rate)) return crd_study_refuse(study, "a rate is a finite number");
    if (joint.index != 0) {
        CRD_TRY(crd_study_need_joint(study, joint));
        CRD_TRY(crd_study_coordinate(study, joint.index, &kept.row));
    }
    study->drives_go_on = true;
    crd_study_forget_equilibria(study);
    return joint.index != 0 ? put_rate(study, &kept) : CARDAN_OK;
}
