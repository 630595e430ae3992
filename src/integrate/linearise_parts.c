/* The parts of the matrices. */
#include "integrate/linearise_parts.h"

#include "integrate/formulation.h"
#include "integrate/integrator.h"

CrdPlaces crd_places_of(const CrdForm *form) {
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    int core = structure->nq + structure->nv + structure->first_order;
    bool in_slopes = form->formulation != CARDAN_FORMULATION_INDEX1;
    return (CrdPlaces){.columns = {0, structure->nq, structure->nq + structure->nv},
                       .core = core,
                       .rows = structure->rows,
                       .more = core + (form->index3 || !in_slopes ? 0 : 2) * structure->rows};
}

/* ---- parts that several matrices have ---- */

static void into(CrdLinearisation *linearisation, double *values) {
    linearisation->jacobian.values = values;
}

CardanMetric crd_metric_of(const CrdForm *form) {
    return form->integrator->options.stabilise.metric;
}

/* q', v' with M or without, z'. */
static void put_rates(CrdLinearisation *linearisation, CrdPlaces places, CardanMetric metric) {
    const CrdStructure *structure = linearisation->form->integrator->dynamics.model->structure;
    CrdJacobian *jacobian = &linearisation->jacobian;
    crd_jacobian_identity(jacobian, 0, 0, structure->nq, 1.0);
    crd_jacobian_mass(jacobian, places.columns.v, places.columns.v, 1.0, metric);
    crd_jacobian_identity(jacobian, places.columns.z, places.columns.z, structure->first_order, 1.0);
}

/* g and G v + g_t. */
static void put_hold(CrdLinearisation *linearisation, CrdPlaces places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const double *G = linearisation->form->integrator->dynamics.system.G;
    crd_jacobian_over_q(jacobian, places.core, 0, 1.0, G);
    crd_jacobian_over_q(jacobian, places.core + places.rows, 0, 1.0, linearisation->pieces[CRD_RATES]);
    crd_jacobian_over_v(jacobian, places.core + places.rows, places.columns.v, 1.0, G);
}

/* -N W G^T mu, and in the full form -N W ((G v)_q)^T tau. */
static void put_push(CrdLinearisation *linearisation, CrdPlaces places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    crd_jacobian_pushed(jacobian, 0, places.core, -1.0, linearisation->pieces[CRD_PUSH]);
    if (linearisation->form->gradient != NULL)
        crd_jacobian_pushed(jacobian, 0, places.core + places.rows, -1.0, linearisation->pieces[CRD_PUSH_FULL]);
}

/* G a - gamma at rows `row`, but for its part G da. */
static void put_accelerations(CrdLinearisation *linearisation, CrdPlaces places, int row) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const CrdDynamics *dynamics = &linearisation->form->integrator->dynamics;
    double own = dynamics->first_derivatives ? 0.0 : -1.0;
    int v = places.columns.v;
    crd_jacobian_over_q(jacobian, row, 0, 1.0, linearisation->pieces[CRD_ALONG]);
    crd_jacobian_over_q(jacobian, row, 0, own, linearisation->pieces[CRD_GAMMA_X]);
    crd_jacobian_over_v(jacobian, row, v, own, linearisation->pieces[CRD_GAMMA_V]);
    if (dynamics->alpha == 0.0 && dynamics->beta == 0.0) return;
    crd_jacobian_over_q(jacobian, row, 0, dynamics->alpha, linearisation->pieces[CRD_RATES]);
    crd_jacobian_over_v(jacobian, row, v, dynamics->alpha, dynamics->system.G);
    crd_jacobian_over_q(jacobian, row, 0, dynamics->beta, dynamics->system.G);
}

/* Room on the diagonal, for rows that are left out. */
static void put_diagonal(CrdLinearisation *linearisation, int first, int count) {
    crd_jacobian_identity(&linearisation->jacobian, first, first, count, 0.0);
}

/* ---- stages ---- */

static CardanStatus put_index1(CrdLinearisation *linearisation, CrdPlaces places) {
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

static CardanStatus put_ggl(CrdLinearisation *linearisation, CrdPlaces places) {
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

static CardanStatus put_projected(CrdLinearisation *linearisation, CrdPlaces places) {
    CrdJacobian *jacobian = &linearisation->jacobian;
    const CrdForm *form = linearisation->form;
    const CrdStructure *structure = form->integrator->dynamics.model->structure;
    const double *G = form->integrator->dynamics.system.G;
    int a = places.more, lambda = a + structure->nv;
    into(linearisation, linearisation->stage.rates);
    put_rates(linearisation, places, crd_metric_of(form));
    into(linearisation, linearisation->stage.state);
    crd_jacobian_kinematics(jacobian, 0, places.columns, linearisation->added);
    put_push(linearisation, places);
    crd_jacobian_mass(jacobian, places.columns.v, a, -1.0, crd_metric_of(form));
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
static CardanStatus put_index3(CrdLinearisation *linearisation, CrdPlaces places) {
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
    crd_jacobian_over_q(jacobian, places.core, 0, 1.0, linearisation->pieces[CRD_HOLD_Q]);
    if (structure->holonomic_rows < structure->rows)
        crd_jacobian_over_v(jacobian, places.core, v, 1.0, linearisation->pieces[CRD_HOLD_V]);
    return CARDAN_OK;
}

CardanStatus crd_put_stage(CrdLinearisation *linearisation) {
    const CrdForm *form = linearisation->form;
    CrdPlaces places = crd_places_of(form);
    linearisation->jacobian.tiles = &linearisation->stage.tiles;
    crd_tiles_begin(&linearisation->stage.tiles);
    CRD_TRY(form->index3                                        ? put_index3(linearisation, places)
            : form->formulation == CARDAN_FORMULATION_GGL       ? put_ggl(linearisation, places)
            : form->formulation == CARDAN_FORMULATION_PROJECTED ? put_projected(linearisation, places)
                                                                : put_index1(linearisation, places));
    put_diagonal(linearisation, places.core, crd_linearisation_size(form) - places.core);
    return CARDAN_OK;
}

/* ---- ends ---- */

void crd_put_ends(CrdLinearisation *linearisation) {
    const CrdForm *form = linearisation->form;
    CrdPlaces places = crd_places_of(form);
    CrdJacobian *jacobian = &linearisation->jacobian;
    bool ggl = form->formulation == CARDAN_FORMULATION_GGL;
    jacobian->tiles = &linearisation->ends.tiles;
    crd_tiles_begin(jacobian->tiles);
    into(linearisation, linearisation->ends.state);
    put_rates(linearisation, places, ggl ? CARDAN_METRIC_MASS : crd_metric_of(form));
    put_push(linearisation, places);
    crd_jacobian_transposed(jacobian, places.columns.v, places.core + places.rows, ggl ? 1.0 : -1.0,
                            form->integrator->dynamics.system.G);
    put_hold(linearisation, places);
    put_diagonal(linearisation, places.core, 2 * places.rows);
}
