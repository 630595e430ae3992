#include "integrate/linearise_parts.h"

#include "integrate/formulation.h"
#include "integrate/integrator.h"

#include <assert.h>
#include <string.h>

int crd_linearisation_size(const CrdForm *form) {
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    CrdPlaces places = crd_places_of(form);
    if (form->index3) return places.core + places.rows;
    switch (form->formulation) {
    case CARDAN_FORMULATION_GGL:
        return places.more;
    case CARDAN_FORMULATION_PROJECTED:
        return places.more + structure->nv + structure->rows;
    default:
        return places.more + structure->rows;
    }
}

void crd_linearisation_layout(CrdLinearisation *linearisation, CrdForm *form, int n, CrdArena *arena) {
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    linearisation->form = form;
    crd_jacobian_layout(&linearisation->jacobian, structure, arena);
    for (int i = 0; i < 6; i++) linearisation->pieces[i] = crd_take(arena, (size_t)structure->size_g, sizeof(double));
    CRD_TAKE_VECTORS(arena, (size_t)structure->nv, &linearisation->a, &linearisation->added);
    linearisation->lambda = crd_take(arena, (size_t)structure->rows, sizeof(double));
    linearisation->dropped = crd_take(arena, (size_t)structure->rows, sizeof *linearisation->dropped);
    CRD_TAKE_VECTORS(arena, (size_t)n, &linearisation->slope, &linearisation->y);
}

/* Rows of multipliers that are not held, and of redundant rows: u = 0. */
static void leave_out(const CrdLinearisation *linearisation, const CrdStageMatrix *matrix, bool stage) {
    const CrdForm *form = linearisation->form;
    const bool *dropped = form->integrator->dynamics.redundancy.is_dropped;
    CrdPlaces places = crd_places_of(form);
    bool held_there = !stage || form->index3 || form->formulation != CARDAN_FORMULATION_INDEX1;
    int last = matrix->tiles.n - places.rows; /* of the rows of accelerations */
    for (int c = 0; c < matrix->tiles.n; c++)
        for (int i = matrix->tiles.start[c]; i < matrix->tiles.start[c + 1]; i++) {
            int r = matrix->tiles.row[i];
            if (r < places.core) continue;
            bool multiplier = held_there && r < places.core + form->multipliers;
            bool acceleration = stage && form->formulation != CARDAN_FORMULATION_GGL && r >= last;
            bool out = multiplier ? !form->held[r - places.core] : acceleration && dropped[r - last];
            if (!out) continue;
            if (matrix->rates != NULL) matrix->rates[i] = 0.0;
            matrix->state[i] = r == c ? 1.0 : 0.0;
        }
}

/* ---- the point ---- */

/* Of index 3: G over positions, of nonholonomic rows their rates, and A over velocities. */
static void fill_hold(CrdLinearisation *linearisation) {
    const CrdDynamics *dynamics = &linearisation->form->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    double **pieces = linearisation->pieces;
    const double *G = dynamics->system.G;
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        int limit = in->g + structure->elements[in->element].holonomic * in->width; /* behind it: nonholonomic rows */
        for (int k = in->g; k < in->g + in->rows * in->width; k++) {
            pieces[CRD_HOLD_Q][k] = k < limit ? G[k] : pieces[CRD_RATES][k];
            pieces[CRD_HOLD_V][k] = k < limit ? 0.0 : G[k];
        }
    }
}

/* Pieces that do not depend on accelerations. */
static CardanStatus fill_pieces(CrdLinearisation *linearisation) {
    const CrdForm *form = linearisation->form;
    CrdDynamics *dynamics = &form->integrator->dynamics;
    double **pieces = linearisation->pieces;
    size_t bytes = (size_t)dynamics->model->structure->size_g * sizeof **pieces;
    CRD_TRY(crd_jacobian_rates(&linearisation->jacobian, pieces[CRD_RATES]));
    if (form->index3) fill_hold(linearisation);
    if (form->index3 || form->multipliers == 0) return CARDAN_OK;
    const double *from[2] = {dynamics->system.G, pieces[CRD_RATES]};
    for (int i = 0; i < (form->gradient != NULL ? 2 : 1); i++)
        if (crd_metric_of(form) == CARDAN_METRIC_MASS)
            crd_pieces_over_mass(dynamics->model, &dynamics->system, from[i], pieces[CRD_PUSH + i]);
        else
            memcpy(pieces[CRD_PUSH + i], from[i], bytes);
    return CARDAN_OK;
}

/* The derivative where matrices are made. What is seen there of singular poses is none of the step's: a run put back
 * makes kept matrices again, and must find the same as one that still has them. */
static CardanStatus look_at(CrdIntegrator *integrator, const double *y, double *slope) {
    CrdStages *stages = &integrator->stages;
    const CrdStages before = *stages;
    const CrdRemedy remedy = integrator->dynamics.near_pose.remedy;
    CardanStatus status = crd_integrator_derivative(integrator, y, slope, true);
    stages->noise = before.noise;
    stages->lowest = before.lowest;
    stages->lowest_at = before.lowest_at;
    stages->seen = before.seen;
    integrator->dynamics.near_pose.remedy = remedy;
    return status;
}

/* Accelerations and multipliers at the point, and W G^T mu. */
static CardanStatus solve_at(CrdLinearisation *linearisation, double t, const double *u) {
    const CrdForm *form = linearisation->form;
    CrdIntegrator *integrator = form->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    size_t rows = (size_t)structure->rows, nv = (size_t)structure->nv;
    const double *y = linearisation->y, *v = y + structure->nq;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    if (form->index3 || form->formulation == CARDAN_FORMULATION_GGL) {
        if (rows > 0) memcpy(linearisation->lambda, form->index3 ? u : u + rows, rows * sizeof *u);
        dynamics->actions.states = v + nv;
        CRD_TRY(crd_forces(dynamics->model, y, v, &dynamics->actions, &dynamics->system, dynamics->error));
        memcpy(linearisation->a, dynamics->system.f, nv * sizeof *linearisation->a);
        crd_times_gt(structure, dynamics->system.G, -1.0, linearisation->lambda, linearisation->a);
        crd_solve_mass(dynamics->model, &dynamics->system, linearisation->a);
    } else {
        CRD_TRY(look_at(integrator, y, linearisation->slope));
        memcpy(linearisation->a, dynamics->a, nv * sizeof *linearisation->a);
        memcpy(linearisation->lambda, dynamics->lambda, rows * sizeof *linearisation->lambda);
    }
    for (size_t i = 0; i < nv; i++) linearisation->added[i] = form->index3 ? -v[i] : 0.0;
    if (form->index3 || u == NULL || form->formulation == CARDAN_FORMULATION_INDEX1) return CARDAN_OK;
    crd_times_gt(structure, dynamics->system.G, 1.0, u, linearisation->added);
    if (crd_metric_of(form) == CARDAN_METRIC_MASS)
        crd_solve_mass(dynamics->model, &dynamics->system, linearisation->added);
    return CARDAN_OK;
}

static void clear(const CrdStageMatrix *matrix) {
    size_t bytes = (size_t)matrix->tiles.entries * sizeof(double);
    if (matrix->rates != NULL) memset(matrix->rates, 0, bytes);
    memset(matrix->state, 0, bytes);
}

static void begin(CrdLinearisation *linearisation, const double *y) {
    CrdIntegrator *integrator = linearisation->form->integrator;
    CrdJacobian *jacobian = &linearisation->jacobian;
    jacobian->model = integrator->dynamics.model;
    jacobian->system = &integrator->dynamics.system;
    jacobian->actions = &integrator->dynamics.actions;
    jacobian->error = integrator->dynamics.error;
    memcpy(linearisation->y, y, (size_t)integrator->stepper.n * sizeof *y);
}

static bool is_near_pose(const CrdIntegrator *integrator) {
    return integrator->stages.project || crd_near_singular(&integrator->dynamics);
}

/* What the matrices depend on beside the point. */
static void note_circumstances(CrdLinearisation *linearisation) {
    const CrdDynamics *dynamics = &linearisation->form->integrator->dynamics;
    size_t rows = (size_t)dynamics->model->structure->rows;
    memcpy(linearisation->dropped, dynamics->redundancy.is_dropped, rows * sizeof *linearisation->dropped);
    linearisation->near_pose = is_near_pose(linearisation->form->integrator);
}

static bool would_be_same(const void *user) {
    const CrdLinearisation *linearisation = user;
    const CrdDynamics *dynamics = &linearisation->form->integrator->dynamics;
    size_t bytes = (size_t)dynamics->model->structure->rows * sizeof *linearisation->dropped;
    if (linearisation->near_pose || is_near_pose(linearisation->form->integrator)) return false;
    return memcmp(linearisation->dropped, dynamics->redundancy.is_dropped, bytes) == 0;
}

static CardanStatus linearise_stage(void *user, double t, const double *y, const double *u) {
    CrdLinearisation *linearisation = user;
    const CrdForm *form = linearisation->form;
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    CrdJacobian *jacobian = &linearisation->jacobian;
    begin(linearisation, y);
    CRD_TRY(solve_at(linearisation, t, u));
    note_circumstances(linearisation);
    CRD_TRY(crd_jacobian_at(jacobian, t, linearisation->y, linearisation->y + structure->nq, linearisation->a,
                            linearisation->lambda));
    if (!form->index3 && form->formulation != CARDAN_FORMULATION_GGL && structure->rows > 0) {
        if (!form->integrator->dynamics.first_derivatives)
            CRD_TRY(
                crd_jacobian_gamma(jacobian, linearisation->pieces[CRD_GAMMA_X], linearisation->pieces[CRD_GAMMA_V]));
        CRD_TRY(crd_jacobian_rows_along(jacobian, linearisation->a, linearisation->pieces[CRD_ALONG]));
    }
    CRD_TRY(fill_pieces(linearisation));
    clear(&linearisation->stage);
    CRD_TRY(crd_put_stage(linearisation));
    leave_out(linearisation, &linearisation->stage, true);
    return CARDAN_OK;
}

/* ---- ends ---- */

static CardanStatus linearise_ends(void *user, double t, const double *y, const double *u) {
    (void)u;
    CrdLinearisation *linearisation = user;
    CrdIntegrator *integrator = linearisation->form->integrator;
    begin(linearisation, y);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, linearisation->y));
    linearisation->jacobian.q = linearisation->y;
    linearisation->jacobian.v = linearisation->y + integrator->dynamics.model->structure->nq;
    CRD_TRY(fill_pieces(linearisation));
    clear(&linearisation->ends);
    crd_put_ends(linearisation);
    leave_out(linearisation, &linearisation->ends, false);
    return CARDAN_OK;
}

/* ---- opening ---- */

static CardanStatus open_matrix(CrdStageMatrix *matrix, bool stage, bool pairs, CrdError *error) {
    CRD_TRY(crd_tiles_close(&matrix->tiles, error));
    size_t entries = (size_t)matrix->tiles.entries;
    matrix->state = crd_new(entries, sizeof(double));
    matrix->rates = stage ? crd_new(entries, sizeof(double)) : NULL;
    if (matrix->state == NULL || (stage && matrix->rates == NULL)) return crd_fail_memory(error);
    const CrdTiles *tiles = &matrix->tiles;
    CRD_TRY(crd_sparse_lu_create(tiles->n, tiles->start, tiles->row, false, &matrix->real, error));
    return pairs ? crd_sparse_lu_create(tiles->n, tiles->start, tiles->row, true, &matrix->both, error) : CARDAN_OK;
}

CardanStatus crd_linearisation_open(CrdLinearisation *linearisation, bool ends, bool pairs, CrdError *error) {
    const CrdForm *form = linearisation->form;
    CrdPlaces places = crd_places_of(form);
    linearisation->jacobian.model = form->integrator->dynamics.model;
    linearisation->jacobian.system = &form->integrator->dynamics.system;
    linearisation->is_open = true;
    crd_tiles_open(&linearisation->stage.tiles, crd_linearisation_size(form));
    CRD_TRY(crd_put_stage(linearisation));
    CRD_TRY(open_matrix(&linearisation->stage, true, pairs, error));
    linearisation->stage.user = linearisation->ends.user = linearisation;
    linearisation->stage.linearise = linearise_stage;
    linearisation->stage.would_be_same = would_be_same;
    linearisation->ends.linearise = linearise_ends;
    if (!ends) return CARDAN_OK;
    crd_tiles_open(&linearisation->ends.tiles, places.core + 2 * places.rows);
    crd_put_ends(linearisation);
    return open_matrix(&linearisation->ends, false, false, error);
}

void crd_linearisation_close(CrdLinearisation *linearisation) {
    CrdStageMatrix *matrices[2] = {&linearisation->stage, &linearisation->ends};
    if (!linearisation->is_open) return;
    for (int i = 0; i < 2; i++) {
        crd_tiles_free(&matrices[i]->tiles);
        crd_sparse_lu_destroy(matrices[i]->real);
        crd_sparse_lu_destroy(matrices[i]->both);
        CRD_DELETE_ALL(matrices[i]->rates, matrices[i]->state);
    }
}
