#include "integrate/attempt.h"

#include "core/numbers.h"

#include <assert.h>
#include <math.h>

/* Allowance of the error control for noise: that many times h times what rounding becomes in accelerations. */
#define CRD_NOISE_FACTOR 1.0

/* Share of the accelerations up to which noise is excused in a step that comes from afar, and the singularity measure
 * from which that is: a step that crosses has less by construction. More is met where the motion turns back in the
 * pose; over a long step it would hide an error of any size, and shorter steps lead there. */
#define CRD_NOISE_FROM_AFAR 1e-6
#define CRD_NOISE_AFAR 1e-3

/* Largest noise of accelerations that this step may have. */
static double excused(const CrdIntegrator *integrator) {
    const CardanModel *model = integrator->dynamics.model;
    const CrdStages *stages = &integrator->stages;
    if (stages->accepted < CRD_NOISE_AFAR) return stages->noise;
    double size = crd_reach(model, integrator->stepper.f + model->structure->nq);
    return fmin(stages->noise, CRD_NOISE_FROM_AFAR * size);
}

/* Near a singular pose accelerations carry noise of eps v^2 / measure^3: no error to be resolved, and a controller that
 * took it for one would shrink the step and so come ever closer. Its allowance enters as a smaller weight. */
static const double *weights(CrdIntegrator *integrator, double h) {
    const CrdStepper *stepper = &integrator->stepper;
    if (integrator->stages.noise == 0.0) return stepper->weight;
    int nq = integrator->dynamics.model->structure->nq;
    double allowed = CRD_NOISE_FACTOR * fabs(h) * excused(integrator);
    for (int i = 0; i < stepper->n; i++) {
        double scale = stepper->absolute[i] + stepper->rtol * fmax(fabs(stepper->y[i]), fabs(stepper->y_new[i]));
        integrator->floor[i] = stepper->weight[i] * scale / (scale + (i < nq ? fabs(h) : 1.0) * allowed);
    }
    return integrator->floor;
}

CardanStatus crd_attempt(CrdIntegrator *integrator, CrdTry *attempt) {
    CrdStepper *stepper = &integrator->stepper;
    const double h = attempt->h;
    bool adaptive = integrator->options.step <= 0.0;
    assert(h > 0.0);
    integrator->stabiliser.unclosed.any = false;
    if (integrator->dense != CRD_DENSE_READY) integrator->dense = CRD_DENSE_LOST;
    CardanStatus status = crd_stages_make(integrator, h, adaptive, adaptive);
    attempt->anew = integrator->stages.better > 0.0;
    if (attempt->anew) attempt->h = integrator->stages.better;
    if (status < 0) return status;
    attempt->norm = adaptive ? stepper->method->error_norm(stepper, h, weights(integrator, h)) : 0.0;
    return CARDAN_OK;
}
