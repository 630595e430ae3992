#include "tangent/modes.h"

#include "sim/refuse.h"
#include "tangent/copy.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Forces count as balanced when what is left of them is this part of them: an equilibrium found by a solver to its
 * tolerance passes, a pose written by hand in three digits does not. */
static const double BALANCED = 1e-6;

/* 1/s^2, in sizes of the mechanism or rad: rounding of forces that balance each other on one body. */
static const double STILL = 1e-9;

/* 1/s, likewise: a mechanism that is slower is at rest. */
static const double REST = 1e-9;

enum { SPARSE_DEFAULT = 20 };

static const double TWO_PI = 6.283185307179586;

/* ---- lists ---- */

CardanStatus crd_modes_room(CardanModes *modes, CardanModeKind kind, int count, CrdError *error) {
    assert(count >= 0);
    CrdModeList *list = &modes->list[kind];
    size_t n = (size_t)count, nv = (size_t)modes->nv;
    list->mode = crd_new(n, sizeof *list->mode);
    list->re = crd_new(n * nv, sizeof *list->re);
    list->im = crd_new(n * nv, sizeof *list->im);
    return list->mode == NULL || list->re == NULL || list->im == NULL ? crd_fail_memory(error) : CARDAN_OK;
}

static double reach_of(const CardanModes *modes, const double *x) {
    return x != NULL ? crd_reach(modes->model, x) : 0.0;
}

void crd_modes_add(CardanModes *modes, CardanModeKind kind, double re, double im, double residual, const double *x_re,
                   const double *x_im) {
    CrdModeList *list = &modes->list[kind];
    size_t nv = (size_t)modes->nv, first = (size_t)list->count * nv;
    double size = hypot(re, im), reach = fmax(reach_of(modes, x_re), reach_of(modes, x_im));
    CardanMode *mode = &list->mode[list->count++];
    *mode = (CardanMode){re, im, im / TWO_PI, size > 0.0 ? -re / size : 0.0, residual};
    for (size_t i = 0; reach > 0.0 && i < nv; i++) {
        list->re[first + i] = x_re[i] / reach;
        list->im[first + i] = x_im != NULL ? x_im[i] / reach : 0.0;
    }
}

/* ---- is there anything to swing about? ---- */

/* The body that would be moved most by x (nv), and its name. */
static const char *moved_farthest(const CrdTangent *tangent, const double *x) {
    const CrdStructure *structure = tangent->structure;
    int worst = 0;
    double max = -1.0;
    for (int b = 0; b < structure->block_count; b++)
        for (int k = 0; k < structure->blocks[b].nv; k++)
            if (fabs(x[structure->blocks[b].v + k]) > max) {
                max = fabs(x[structure->blocks[b].v + k]);
                worst = b;
            }
    const CrdBlock *block = &structure->blocks[worst];
    const CardanModel *model = tangent->sim->model;
    return block->kind == CRD_CUSTOM_BLOCK ? model->description->blocks[block->object].name
                                           : cardan_model_body_name(model, (CardanBody){block->frame});
}

/* Accelerations at rest against those that forces alone would make. */
static CardanStatus check_balance(const CrdTangent *tangent) {
    CardanSim *sim = tangent->sim;
    CrdIntegrator *integrator = &sim->integrator;
    double *alone = crd_new((size_t)tangent->nv, sizeof *alone);
    if (alone == NULL) return crd_fail_memory(&sim->error);
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, integrator->stepper.y);
    if (status >= 0) status = crd_integrator_forces(integrator, integrator->stepper.y);
    if (status >= 0) {
        memcpy(alone, integrator->dynamics.system.f, (size_t)tangent->nv * sizeof *alone);
        crd_solve_mass(sim->model, &integrator->dynamics.system, alone);
        double left = crd_reach(sim->model, tangent->a), forces = crd_reach(sim->model, alone);
        if (left > BALANCED * forces + STILL)
            status =
                crd_fail(&sim->error, CARDAN_ERR_NUMERIC,
                         "the state at t = %.9g is no equilibrium, so it has no modes: body '%s' would accelerate, for "
                         "%.3g of the forces are not balanced; start the model from an equilibrium (cardan "
                         "equilibrium finds one)",
                         integrator->stepper.t, moved_farthest(tangent, tangent->a), fmin(1.0, left / forces));
    }
    crd_delete(alone);
    return status;
}

/* A steady motion: its velocities do not change, and they would not in what comes next: A (x', 0) has no rates of
 * velocities. The rates x' of independent displacements are the velocities themselves. */
static CardanStatus check_steady(const CrdTangent *tangent, const CardanLinear *linear) {
    CardanSim *sim = tangent->sim;
    const double *v = sim->integrator.stepper.y + tangent->structure->nq;
    const CrdIndependent *free = &linear->independent;
    double speed = crd_reach(sim->model, v), worst = 0.0;
    size_t n = (size_t)linear->states;
    for (int i = 0; i < free->velocities; i++) {
        const double *row = linear->A + (size_t)(free->positions + i) * n;
        double next = 0.0, terms = 0.0;
        for (int k = 0; k < free->positions; k++) {
            next += row[k] * v[free->position[k]];
            terms += fabs(row[k] * v[free->position[k]]);
        }
        worst = fmax(worst, fabs(next) - BALANCED * terms);
        worst = fmax(worst, fabs(tangent->a[free->velocity[i]]) - BALANCED * speed * speed);
    }
    if (worst <= STILL) return CARDAN_OK;
    return crd_fail(&sim->error, CARDAN_ERR_NUMERIC,
                    "the state at t = %.9g moves and its motion is not steady, so it has no modes: body '%s' "
                    "accelerates; take an equilibrium or a steady motion, or `cardan linearise`, which takes any state",
                    sim->integrator.stepper.t, moved_farthest(tangent, tangent->a));
}

/* ---- all of it ---- */

static CardanStatus find_modes(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, int number) {
    CardanSim *sim = tangent->sim;
    bool at_rest = crd_reach(sim->model, sim->integrator.stepper.y + tangent->structure->nq) <= REST;
    bool dense = linear->form == CARDAN_LINEAR_MINIMAL;
    if (at_rest) CRD_TRY(check_balance(tangent));
    if (!at_rest && !dense)
        return crd_fail(&sim->error, CARDAN_ERR_LIMIT,
                        "modes of steady motions are found densely, up to %d states; this mechanism has %d",
                        CARDAN_MODES_DENSE, linear->states);
    if (!at_rest) CRD_TRY(check_steady(tangent, linear));
    if (linear->states == 0)
        return crd_fail(&sim->error, CARDAN_ERR_MODEL, "the mechanism cannot move: it has no degree of freedom");
    return dense ? crd_modes_dense(modes, tangent, linear, at_rest, number)
                 : crd_modes_sparse(modes, tangent, linear, number > 0 ? number : SPARSE_DEFAULT);
}

/* The linearisation that modes are found with: minimal up to the limit. */
static CardanStatus linearise(CardanSim *sim, CardanLinear **out) {
    const CrdStructure *structure = sim->model->structure;
    int states = 2 * structure->nv - structure->holonomic_rows - structure->rows + structure->first_order;
    if (states <= CARDAN_MODES_DENSE) {
        CRD_TRY(cardan_sim_linearise(sim, CARDAN_LINEAR_MINIMAL, 0, NULL, 0, NULL, out));
        if ((*out)->states <= CARDAN_MODES_DENSE) return CARDAN_OK;
        cardan_linear_destroy(*out);
    }
    return cardan_sim_linearise(sim, CARDAN_LINEAR_DESCRIPTOR, 0, NULL, 0, NULL, out);
}

typedef struct Asked {
    CardanModes *modes;
    int number;
} Asked;

static CardanStatus make(CardanSim *sim, void *user) {
    const Asked *asked = user;
    CardanLinear *linear = NULL;
    CrdTangent tangent;
    CRD_TRY(linearise(sim, &linear));
    CardanStatus status = crd_tangent_create(sim, &tangent);
    if (status >= 0) {
        CrdCall before = crd_sim_enter(sim);
        crd_error_clear(&sim->error);
        status = find_modes(asked->modes, &tangent, linear, asked->number);
        crd_sim_leave(sim, before);
        crd_sim_touch(sim);
        status = status < 0 ? crd_sim_report(sim, status) : CARDAN_OK;
        crd_tangent_free(&tangent);
    }
    cardan_linear_destroy(linear);
    return status;
}

CardanStatus cardan_sim_modes(CardanSim *sim, int number, CardanModes **out) {
    if (out != NULL) *out = NULL;
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_given(sim, out, "the place for the modes"));
    if (number < 0) return crd_refuse(sim, "there cannot be %d modes", number);
    CardanModes *modes = crd_new(1, sizeof *modes);
    if (modes == NULL) return crd_sim_report(sim, crd_fail_memory(&sim->error));
    modes->model = cardan_model_retain(sim->model);
    modes->nv = sim->model->structure->nv;
    Asked asked = {modes, number};
    CardanStatus status = crd_on_copy(sim, make, &asked);
    if (status < 0)
        cardan_modes_destroy(modes);
    else
        *out = modes;
    return status;
}

void cardan_modes_destroy(CardanModes *modes) {
    if (modes == NULL) return;
    for (int k = 0; k < CARDAN_MODE_KINDS; k++)
        CRD_DELETE_ALL(modes->list[k].mode, modes->list[k].re, modes->list[k].im);
    cardan_model_release(modes->model);
    crd_delete(modes);
}

/* ---- reading ---- */

static bool is_kind(CardanModeKind kind) {
    return kind == CARDAN_MODES_DAMPED || kind == CARDAN_MODES_UNDAMPED;
}

int cardan_modes_count(const CardanModes *modes, CardanModeKind kind) {
    return modes == NULL || !is_kind(kind) ? -1 : modes->list[kind].count;
}

int cardan_modes_ignorable(const CardanModes *modes) {
    return modes == NULL ? -1 : modes->ignorable;
}

CardanStatus cardan_modes_get(const CardanModes *modes, CardanModeKind kind, int i, CardanMode *mode, double *shape_re,
                              double *shape_im) {
    if (modes == NULL || !is_kind(kind) || i < 0 || i >= modes->list[kind].count) return CARDAN_ERR_ARGUMENT;
    const CrdModeList *list = &modes->list[kind];
    size_t nv = (size_t)modes->nv, first = (size_t)i * nv;
    if (mode != NULL) *mode = list->mode[i];
    if (shape_re != NULL) memcpy(shape_re, list->re + first, nv * sizeof *shape_re);
    if (shape_im != NULL) memcpy(shape_im, list->im + first, nv * sizeof *shape_im);
    return CARDAN_OK;
}

const char *cardan_modes_name(const CardanModes *modes, int i, char *text, size_t size) {
    if (text == NULL || size == 0) return "";
    text[0] = '\0';
    if (modes == NULL || i < 0 || i >= modes->nv) return text;
    return crd_tangent_name(modes->model, i, false, text, size);
}
