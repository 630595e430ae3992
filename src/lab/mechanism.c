#include "lab/mechanism.h"

#include <string.h>

#include "core/memory.h"

/* ---- memory ---- */

static void layout(CrdLabMechanism *mechanism, const CrdStructure *structure, CrdArena *arena) {
    size_t real = sizeof(double), nq = (size_t)structure->nq, nv = (size_t)structure->nv,
           rows = (size_t)structure->rows;
    mechanism->row = crd_take(arena, rows, sizeof *mechanism->row);
    mechanism->body = crd_take(arena, (size_t)structure->block_count, sizeof *mechanism->body);
    CRD_TAKE_VECTORS(arena, nq, &mechanism->q, &mechanism->column);
    CRD_TAKE_VECTORS(arena, nv, &mechanism->v, &mechanism->weighed);
    CRD_TAKE_VECTORS(arena, rows * nv, &mechanism->g, &mechanism->l);
    mechanism->tracked = crd_take(arena, (size_t)structure->tracked_count, real);
    mechanism->u = crd_take(arena, (size_t)structure->first_order, real);
    mechanism->pieces = crd_take(arena, (size_t)structure->size_g, real);
}

void crd_lab_mechanism_destroy(CrdLabMechanism *mechanism) {
    if (mechanism == NULL) return;
    cardan_sim_destroy(mechanism->sim);
    crd_arena_free(&mechanism->arena);
    crd_delete(mechanism);
}

/* ---- which rows, which quaternions ---- */

static void list(CrdLabMechanism *mechanism) {
    const CrdStructure *structure = mechanism->sim->model->structure;
    const CrdDynamics *dynamics = &mechanism->sim->integrator.dynamics;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < structure->rows; r++)
            if (!dynamics->redundancy.is_dropped[r] && crd_row_is_holonomic(structure, r) == (pass == 0))
                mechanism->row[mechanism->rows++] = r;
        if (pass == 0) mechanism->holonomic = mechanism->rows;
    }
    for (int i = 0; i < structure->block_count; i++)
        if (structure->blocks[i].kind == CRD_SPATIAL_BODY) mechanism->body[mechanism->bodies++] = i;
}

/* ---- what does not fit ---- */

static CardanStatus refuse(const CardanModel *model, CardanLabView view, CrdError *error) {
    const CrdStructure *structure = model->structure;
    const char *reason = NULL;
    if (view == CARDAN_LAB_MECHANISM && structure->rows > structure->holonomic_rows)
        reason = "it has nonholonomic rows, which no g(x) stands behind; take the view of invariants";
    if (view == CARDAN_LAB_MECHANISM && structure->first_order > 0)
        reason = "it has first-order states, and x'' is of order 2 throughout; take the view of invariants";
    for (int i = 0; view == CARDAN_LAB_ENERGY && i < structure->block_count; i++)
        if (structure->blocks[i].kind == CRD_CUSTOM_BLOCK)
            reason = "the mass of a custom block may depend on its coordinates";
    if (reason == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "model '%s' does not fit: %s", cardan_model_name(model), reason);
}

/* ---- creation ---- */

static void describe(const CrdLabMechanism *mechanism, CrdLabProblem *problem) {
    const CrdStructure *structure = mechanism->sim->model->structure;
    *problem = (CrdLabProblem){
        .name = cardan_model_name(mechanism->sim->model),
        .order = 2,
        .n = structure->nq,
        .rows = mechanism->rows + mechanism->bodies,
        .data = &mechanism->self,
        .terms = crd_lab_mechanism_terms,
        .energy = crd_lab_mechanism_energy,
        .accept = crd_lab_mechanism_accept,
        .said = &mechanism->sim->error,
    };
    if (mechanism->view == CARDAN_LAB_MECHANISM) return;
    bool energy = mechanism->view == CARDAN_LAB_ENERGY;
    problem->order = 0;
    problem->n = structure->nq + structure->nv + structure->first_order;
    problem->rows = mechanism->holonomic + mechanism->rows + mechanism->bodies + energy;
    problem->velocities = structure->nq;
    problem->terms = energy ? crd_lab_energy_terms : crd_lab_invariants_terms;
}

/* The start of the simulation. */
static CardanStatus open(CrdLabMechanism *mechanism, const CardanModel *model, CrdError *error) {
    CardanOptions options = cardan_default_options();
    options.stabilise.method = CARDAN_STABILISE_NONE;
    CardanStatus status = cardan_sim_create(model, &options, &mechanism->sim);
    if (mechanism->sim == NULL) return crd_fail_memory(error);
    if (status < 0) return crd_fail(error, status, "%s", cardan_sim_message(mechanism->sim));
    const CrdIntegrator *integrator = &mechanism->sim->integrator;
    const CrdStructure *structure = model->structure;
    if (crd_imperfect_is_spread(&integrator->dynamics))
        return crd_fail(
            error, CARDAN_ERR_MODEL,
            "model '%s' does not fit: it has an imperfect loop, whose rows can be met by least squares only",
            cardan_model_name(model));
    layout(mechanism, structure, &mechanism->arena);
    if (!crd_arena_allocate(&mechanism->arena)) return crd_fail_memory(error);
    layout(mechanism, structure, &mechanism->arena);
    list(mechanism);
    double *y = integrator->stepper.y;
    memcpy(mechanism->q, y, (size_t)structure->nq * sizeof *y);
    memcpy(mechanism->v, crd_integrator_v(integrator, y), (size_t)structure->nv * sizeof *y);
    memcpy(mechanism->u, crd_integrator_z(integrator, y), (size_t)structure->first_order * sizeof *y);
    memcpy(mechanism->tracked, crd_integrator_tracked(integrator, y), (size_t)structure->tracked_count * sizeof *y);
    const CrdSystem *system = &integrator->dynamics.system;
    mechanism->energy_start = crd_kinetic(model, system, mechanism->v) + crd_potential(model, system);
    return CARDAN_OK;
}

CardanStatus crd_lab_mechanism_create(const CardanModel *model, CardanLabView view, CrdLabMechanism **out,
                                      CrdLabProblem *problem, CrdError *error) {
    *out = NULL;
    CRD_TRY(refuse(model, view, error));
    CrdLabMechanism *mechanism = crd_new(1, sizeof *mechanism);
    if (mechanism == NULL) return crd_fail_memory(error);
    mechanism->self = mechanism;
    mechanism->view = view;
    CardanStatus status = open(mechanism, model, error);
    if (status >= 0) describe(mechanism, problem);
    if (status >= 0) status = crd_lab_check_problem(problem, error);
    if (status < 0)
        crd_lab_mechanism_destroy(mechanism);
    else
        *out = mechanism;
    return status;
}

/* ---- states ---- */

void crd_lab_mechanism_start(const CrdLabMechanism *mechanism, const CrdLabProblem *problem, double *z) {
    const CrdIntegrator *integrator = &mechanism->sim->integrator;
    const CrdStructure *structure = mechanism->sim->model->structure;
    const double *y = integrator->stepper.y, *v = y + structure->nq;
    memcpy(z, y, (size_t)structure->nq * sizeof *z);
    if (problem->order == 2)
        crd_position_rates(structure, y, v, z + structure->nq);
    else
        memcpy(z + structure->nq, v, (size_t)(structure->nv + structure->first_order) * sizeof *z);
}

void crd_lab_mechanism_motion(const CrdLabMechanism *mechanism, const CrdLabProblem *problem, const double *z,
                              double *q, double *v) {
    const CrdStructure *structure = mechanism->sim->model->structure;
    if (q != NULL) memcpy(q, z, (size_t)structure->nq * sizeof *q);
    if (q != NULL) crd_normalise(structure, q);
    if (v != NULL && problem->order == 2) crd_lab_mechanism_rates(mechanism, z, z + structure->nq, v);
    if (v != NULL && problem->order == 0) memcpy(v, z + structure->nq, (size_t)structure->nv * sizeof *v);
}
