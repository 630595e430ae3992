#include "integrate/linearise.h"

#include "integrate/formulation.h"
#include "integrate/integrator.h"

#include <assert.h>
#include <string.h>

enum { GAMMA_X = 0, GAMMA_V, RATES, ALONG, PUSH, PUSH_FULL };
enum { HOLD_Q = PUSH, HOLD_V = PUSH_FULL }; /* of index 3, which pushes nothing */

/* Where the parts of a matrix start: rows and columns. Multipliers of positions at core, of velocities after them. */
typedef struct Places {
    CrdColumns columns;
    int core, rows;
    int more; /* after the multipliers that are in slopes */
} Places;

static Places places_of(const CrdForm *form) {
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    int core = structure->nq + structure->nv + structure->first_order;
    bool in_slopes = form->formulation != CARDAN_FORMULATION_INDEX1;
    return (Places){.columns = {0, structure->nq, structure->nq + structure->nv},
                    .core = core,
                    .rows = structure->rows,
                    .more = core + (form->index3 || !in_slopes ? 0 : 2) * structure->rows};
}

int crd_linearisation_size(const CrdForm *form) {
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    Places places = places_of(form);
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

/* ---- parts that several matrices have ---- */

static void into(CrdLinearisation *linearisation, double *values) {
    linearisation->jacobian.values = values;
}

static CardanMetric metric_of(const CrdForm *form) {
    return form->integrator->options.stabilise.metric;
}

/* q', v' with M or without, z'. */
static void put_rates(CrdLinearisation *linearisation, Places places, CardanMetric metric) {
    const CrdStructure *structure = linearisation->form->integrator->dynamics.model->structure;
    CrdJacobian *jacobian = &linearisation->jacobian;
    crd_jacobian_identity(jacobian, 0, 0, structure->nq, 1.0);
    crd_jacobian_mass(jacobian, places.columns.v, places.columns.v, 1.0, metric);
    crd_jacobian_identity(jacobian, places.columns.z, places.columns.z, structure->first_order, 1.0);
}

/* g and G v + g_t. */
static void put_hold(CrdLinearisation *linearisation, Places places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const double *G = linearisation->form->integrator->dynamics.system.G;
    crd_jacobian_over_q(jacobian, places.core, 0, 1.0, G);
    crd_jacobian_over_q(jacobian, places.core + places.rows, 0, 1.0, linearisation->pieces[RATES]);
    crd_jacobian_over_v(jacobian, places.core + places.rows, places.columns.v, 1.0, G);
}

/* -N W G^T mu, and in the full form -N W ((G v)_q)^T tau. */
static void put_push(CrdLinearisation *linearisation, Places places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    crd_jacobian_pushed(jacobian, 0, places.core, -1.0, linearisation->pieces[PUSH]);
    if (linearisation->form->gradient != NULL)
        crd_jacobian_pushed(jacobian, 0, places.core + places.rows, -1.0, linearisation->pieces[PUSH_FULL]);
}

/* G a - gamma at rows `row`, but for its part G da. */
static void put_accelerations(CrdLinearisation *linearisation, Places places, int row) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const CrdDynamics *dynamics = &linearisation->form->integrator->dynamics;
    double own = dynamics->first_derivatives ? 0.0 : -1.0;
    int v = places.columns.v;
    crd_jacobian_over_q(jacobian, row, 0, 1.0, linearisation->pieces[ALONG]);
    crd_jacobian_over_q(jacobian, row, 0, own, linearisation->pieces[GAMMA_X]);
    crd_jacobian_over_v(jacobian, row, v, own, linearisation->pieces[GAMMA_V]);
    if (dynamics->alpha == 0.0 && dynamics->beta == 0.0) return;
    crd_jacobian_over_q(jacobian, row, 0, dynamics->alpha, linearisation->pieces[RATES]);
    crd_jacobian_over_v(jacobian, row, v, dynamics->alpha, dynamics->system.G);
    crd_jacobian_over_q(jacobian, row, 0, dynamics->beta, dynamics->system.G);
}

/* Room on the diagonal, for rows that are left out. */
static void put_diagonal(CrdLinearisation *linearisation, int first, int count) {
    crd_jacobian_identity(&linearisation->jacobian, first, first, count, 0.0);
}

/* ---- stages ---- */

static CardanStatus put_index1(CrdLinearisation *linearisation, Places places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const double *G = linearisation->form->integrator->dynamics.system.G;
    into(linearisation, linearisation->stage.rates);
    put_rates(linearisation, places, CARDAN_METRIC_MASS);
    crd_jacobian_over_v(jacobian, places.more, places.columns.v, 1.0, G);
    into(linearisation, linearisation->stage.state);
    crd_jacobian_kinematics(jacobian, 0, places.columns, NULL);
    CRD_TRY(crd_jacobian_dynamics(jacobian, places.columns.v, places.columns.z, places.columns));
    crd_jacobian_transposed(jacobian, places.columns.v, places.more, 1.0, G);
    put_accelerations(linearisation, places, places.more);
    return CARDAN_OK;
}

static CardanStatus put_ggl(CrdLinearisation *linearisation, Places places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const double *G = linearisation->form->integrator->dynamics.system.G;
    into(linearisation, linearisation->stage.rates);
    put_rates(linearisation, places, CARDAN_METRIC_MASS);
    into(linearisation, linearisation->stage.state);
    crd_jacobian_kinematics(jacobian, 0, places.columns, linearisation->added);
    put_push(linearisation, places);
    CRD_TRY(crd_jacobian_dynamics(jacobian, places.columns.v, places.columns.z, places.columns));
    crd_jacobian_transposed(jacobian, places.columns.v, places.core + places.rows, 1.0, G);
    put_hold(linearisation, places);
    return CARDAN_OK;
}

static CardanStatus put_projected(CrdLinearisation *linearisation, Places places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const CrdForm *form = linearisation->form;
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    const double *G = form->integrator->dynamics.system.G;
    int a = places.more, lambda = a + structure->nv;
    into(linearisation, linearisation->stage.rates);
    put_rates(linearisation, places, metric_of(form));
    into(linearisation, linearisation->stage.state);
    crd_jacobian_kinematics(jacobian, 0, places.columns, linearisation->added);
    put_push(linearisation, places);
    crd_jacobian_mass(jacobian, places.columns.v, a, -1.0, metric_of(form));
    crd_jacobian_transposed(jacobian, places.columns.v, places.core + places.rows, -1.0, G);
    put_hold(linearisation, places);
    CRD_TRY(crd_jacobian_dynamics(jacobian, a, places.columns.z, places.columns));
    crd_jacobian_mass(jacobian, a, a, 1.0, CARDAN_METRIC_MASS);
    crd_jacobian_transposed(jacobian, a, lambda, 1.0, G);
    crd_jacobian_over_v(jacobian, lambda, a, 1.0, G);
    put_accelerations(linearisation, places, lambda);
    return CARDAN_OK;
}

/* Velocities are added in the kinematics so that N alone is left of them: of increments q o exp(x). */
static CardanStatus put_index3(CrdLinearisation *linearisation, Places places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const CrdIntegrator *integrator = linearisation->form->integrator;
    const CrdStructure *structure = integrator->dynamics.model->structure;
    int v = places.columns.v, z = places.columns.z;
    into(linearisation, linearisation->stage.rates);
    crd_jacobian_identity(jacobian, 0, 0, structure->nq, integrator->stepper.equations.position_scale);
    crd_jacobian_mass(jacobian, v, v, 1.0, CARDAN_METRIC_MASS);
    crd_jacobian_identity(jacobian, z, z, structure->first_order, 1.0);
    into(linearisation, linearisation->stage.state);
    crd_jacobian_kinematics(jacobian, 0, places.columns, linearisation->added);
    CRD_TRY(crd_jacobian_dynamics(jacobian, v, z, places.columns));
    crd_jacobian_transposed(jacobian, v, places.core, 1.0, integrator->dynamics.system.G);
    crd_jacobian_over_q(jacobian, places.core, 0, 1.0, linearisation->pieces[HOLD_Q]);
    if (structure->holonomic_rows < structure->rows)
        crd_jacobian_over_v(jacobian, places.core, v, 1.0, linearisation->pieces[HOLD_V]);
    return CARDAN_OK;
}

static CardanStatus put_stage(CrdLinearisation *linearisation) {
    const CrdForm *form = linearisation->form;
    Places places = places_of(form);
    linearisation->jacobian.tiles = &linearisation->stage.tiles;
    crd_tiles_begin(&linearisation->stage.tiles);
    CRD_TRY(form->index3                                        ? put_index3(linearisation, places)
            : form->formulation == CARDAN_FORMULATION_GGL       ? put_ggl(linearisation, places)
            : form->formulation == CARDAN_FORMULATION_PROJECTED ? put_projected(linearisation, places)
                                                                : put_index1(linearisation, places));
    put_diagonal(linearisation, places.core, crd_linearisation_size(form) - places.core);
    return CARDAN_OK;
}

/* Rows of multipliers that are not held, and of redundant rows: u = 0. */
static void leave_out(const CrdLinearisation *linearisation, const CrdStageMatrix *matrix, bool stage) {
    const CrdForm *form = linearisation->form;
    const bool *dropped = form->integrator->dynamics.redundancy.is_dropped;
    Places places = places_of(form);
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
            pieces[HOLD_Q][k] = k < limit ? G[k] : pieces[RATES][k];
            pieces[HOLD_V][k] = k < limit ? 0.0 : G[k];
        }
    }
}

/* Pieces that do not depend on accelerations. */
static CardanStatus fill_pieces(CrdLinearisation *linearisation) {
    const CrdForm *form = linearisation->form;
    CrdDynamics *dynamics = &form->integrator->dynamics;
    double **pieces = linearisation->pieces;
    size_t bytes = (size_t)dynamics->model->structure->size_g * sizeof **pieces;
    CRD_TRY(crd_jacobian_rates(&linearisation->jacobian, pieces[RATES]));
    if (form->index3) fill_hold(linearisation);
    if (form->index3 || form->multipliers == 0) return CARDAN_OK;
    const double *from[2] = {dynamics->system.G, pieces[RATES]};
    for (int i = 0; i < (form->gradient != NULL ? 2 : 1); i++)
        if (metric_of(form) == CARDAN_METRIC_MASS)
            crd_pieces_over_mass(dynamics->model, &dynamics->system, from[i], pieces[PUSH + i]);
        else
            memcpy(pieces[PUSH + i], from[i], bytes);
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
    if (metric_of(form) == CARDAN_METRIC_MASS) crd_solve_mass(dynamics->model, &dynamics->system, linearisation->added);
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
            CRD_TRY(crd_jacobian_gamma(jacobian, linearisation->pieces[GAMMA_X], linearisation->pieces[GAMMA_V]));
        CRD_TRY(crd_jacobian_rows_along(jacobian, linearisation->a, linearisation->pieces[ALONG]));
    }
    CRD_TRY(fill_pieces(linearisation));
    clear(&linearisation->stage);
    CRD_TRY(put_stage(linearisation));
    leave_out(linearisation, &linearisation->stage, true);
    return CARDAN_OK;
}

/* ---- ends ---- */

static void put_ends(CrdLinearisation *linearisation) {
    const CrdForm *form = linearisation->form;
    Places places = places_of(form);
    CrdJacobian *jacobian = &linearisation->jacobian;
    bool ggl = form->formulation == CARDAN_FORMULATION_GGL;
    jacobian->tiles = &linearisation->ends.tiles;
    crd_tiles_begin(jacobian->tiles);
    into(linearisation, linearisation->ends.state);
    put_rates(linearisation, places, ggl ? CARDAN_METRIC_MASS : metric_of(form));
    put_push(linearisation, places);
    crd_jacobian_transposed(jacobian, places.columns.v, places.core + places.rows, ggl ? 1.0 : -1.0,
                            form->integrator->dynamics.system.G);
    put_hold(linearisation, places);
    put_diagonal(linearisation, places.core, 2 * places.rows);
}

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
    put_ends(linearisation);
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
    Places places = places_of(form);
    linearisation->jacobian.model = form->integrator->dynamics.model;
    linearisation->jacobian.system = &form->integrator->dynamics.system;
    linearisation->is_open = true;
    crd_tiles_open(&linearisation->stage.tiles, crd_linearisation_size(form));
    CRD_TRY(put_stage(linearisation));
    CRD_TRY(open_matrix(&linearisation->stage, true, pairs, error));
    linearisation->stage.user = linearisation->ends.user = linearisation;
    linearisation->stage.linearise = linearise_stage;
    linearisation->stage.would_be_same = would_be_same;
    linearisation->ends.linearise = linearise_ends;
    if (!ends) return CARDAN_OK;
    crd_tiles_open(&linearisation->ends.tiles, places.core + 2 * places.rows);
    put_ends(linearisation);
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
