/* Rows of C and D by central differences along the constraints: the state is moved along a direction that the
 * linearised constraints allow, put on the constraints, and read with the multipliers and accelerations that go with it
 * to first order. */
#include "tangent/linear.h"

#include "sim/channel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Largest motion of a difference, in sizes of the mechanism, rad, and these a second: its square is the error, rounding
 * over it the noise. */
static const double STEP = 1e-5;

typedef struct Look {
    CardanLinear *linear;
    CardanSim *sim;
    const double *unknowns;
    int input;    /* of the model, from 0; -1: none is moved */
    bool applied; /* a force that the model has not: multipliers are those of the linearised equations */
} Look;

static double largest(const double *x, int n) {
    assert(n >= 0);
    double max = 0.0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
    return max;
}

static double step_along(const Look *look) {
    const CardanLinear *linear = look->linear;
    const double *x = look->unknowns;
    double reach = fmax(crd_reach(linear->model, x), crd_reach(linear->model, x + linear->nv));
    reach = fmax(reach, largest(x + (size_t)(2 * linear->nv), linear->nz));
    return reach > 0.0 ? STEP / reach : look->input >= 0 ? 1e3 * STEP : STEP;
}

/* The state moved by h and put on the constraints, in sim->scratch, with its motion. */
static CardanStatus move(const Look *look, double h) {
    assert(isfinite(h));
    const CardanLinear *linear = look->linear;
    CrdIntegrator *integrator = &look->sim->integrator;
    int nv = linear->nv, nz = linear->nz;
    const double *x = look->unknowns;
    double *y = look->sim->scratch, *v = crd_integrator_v(integrator, y), *z = crd_integrator_z(integrator, y);
    double *dx = integrator->y_raw;
    memcpy(y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *y);
    for (int i = 0; i < nv; i++) dx[i] = h * x[i];
    crd_move(linear->model->structure, dx, y);
    for (int i = 0; i < nv; i++) v[i] += h * x[nv + i];
    for (int i = 0; i < nz; i++) z[i] += h * x[2 * nv + i];
    CRD_TRY(crd_integrator_project(integrator, integrator->stepper.t, y));
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, y));
    return crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false);
}

/* The channels there, into values (outputs). */
static CardanStatus read_at(const Look *look, double h, double *values) {
    const CardanLinear *linear = look->linear;
    CrdIntegrator *integrator = &look->sim->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const double *a = look->unknowns + (size_t)(2 * linear->nv + linear->nz), *lambda = a + linear->nv;
    double kept = look->input >= 0 ? look->sim->inputs[look->input] : 0.0;
    if (look->input >= 0) look->sim->inputs[look->input] = kept + h;
    CardanStatus status = move(look, h);
    for (int i = 0; look->applied && i < linear->nv; i++) dynamics->a[i] += h * a[i];
    for (int r = 0; look->applied && r < linear->rows; r++) dynamics->lambda[r] += h * lambda[r];
    for (int i = 0; status >= 0 && i < linear->channels; i++) {
        crd_channel_values(integrator, look->sim->scratch, linear->channel[i], values);
        values += linear->channel[i].width;
    }
    if (look->input >= 0) look->sim->inputs[look->input] = kept;
    return status;
}

static CardanStatus fill(const Look *look, int i, double *low, double *high) {
    assert(i >= 0);
    CardanLinear *linear = look->linear;
    double h = step_along(look);
    size_t n = (size_t)linear->states, m = (size_t)linear->inputs, k = (size_t)i;
    CRD_TRY(read_at(look, -h, low));
    CRD_TRY(read_at(look, h, high));
    for (size_t r = 0; r < (size_t)linear->outputs; r++) {
        if (linear->exact[r]) continue;
        double slope = (high[r] - low[r]) / (2.0 * h);
        if (i < linear->states)
            linear->C[r * n + k] = slope;
        else
            linear->D[r * m + k - n] = slope;
    }
    return CARDAN_OK;
}

CardanStatus crd_linear_difference(CardanLinear *linear, CardanSim *sim, int i, const double *unknowns) {
    assert(i >= 0 && unknowns != NULL);
    bool all = true;
    for (int r = 0; r < linear->outputs; r++) all &= linear->exact[r];
    if (all) return CARDAN_OK;
    Look look = {linear, sim, unknowns, -1, i >= linear->states};
    if (i >= linear->states) {
        CardanInput input = cardan_model_find_input(linear->model, linear->input[i - linear->states]);
        look.input = input.index > 0 ? input.index - 1 : -1;
        look.applied = look.input < 0;
    }
    double *values = crd_new(2 * (size_t)linear->outputs, sizeof *values);
    if (values == NULL) return crd_fail_memory(&sim->error);
    CardanStatus status = fill(&look, i, values, values + linear->outputs);
    crd_delete(values);
    return status;
}
