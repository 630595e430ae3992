/* The end of a step, put on its constraints. */
#include "core/numbers.h"
#include "integrate/attempt.h"
#include "integrate/refining.h"

#include <math.h>
#include <string.h>

/* Tracked coordinates and derivative of a new state that was put on its constraints. */
static CardanStatus finish(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    CRD_TRY(crd_imperfect_check(&integrator->dynamics));
    CRD_TRY(crd_integrator_track(integrator, stepper->y_new));
    return crd_integrator_derivative(integrator, stepper->y_new, stepper->f_new, false);
}

/* Right next to a singular pose: the rows that vanish there are left alone. */
static CardanStatus project_without_weak_rows(CrdIntegrator *integrator, double t_new) {
    CrdStepper *stepper = &integrator->stepper;
    crd_error_clear(stepper->error);
    memcpy(stepper->y_new, integrator->y_raw, (size_t)stepper->n * sizeof *integrator->y_raw);
    crd_normalise(integrator->dynamics.model->structure, stepper->y_new);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t_new, stepper->y_new));
    CRD_TRY(crd_project_without_weak_rows(&integrator->stabiliser, &integrator->dynamics, t_new, stepper->y_new,
                                          crd_integrator_v(integrator, stepper->y_new)));
    return finish(integrator);
}

/* Rows that are softened give way, and post-stabilisation takes that back. When it takes back more than a share of the
 * velocity itself, momentum no longer decides on the motion: a shorter step gives way less. */
static CardanStatus check_softening(CrdIntegrator *integrator) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    if (!crd_softens(dynamics) || structure->rows == 0) return CARDAN_OK;
    const double *v = crd_integrator_v(integrator, integrator->stepper.y_new),
                 *raw = crd_integrator_v(integrator, integrator->y_raw);
    for (int i = 0; i < structure->nv; i++) integrator->taken[i] = v[i] - raw[i];
    double taken = sqrt(crd_kinetic(dynamics->model, &dynamics->system, integrator->taken)),
           speed = sqrt(crd_kinetic(dynamics->model, &dynamics->system, v));
    if (taken <= CRD_BRANCH_SHARE * speed) return CARDAN_OK;
    return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "softened rows give way by %.2g of the speed in a step to t = %.9g, so that momentum does not "
                    "decide on "
                    "the motion: a smaller step, a smaller epsilon (now %.3g) or regularise: auto will help",
                    taken / speed, dynamics->system.t, dynamics->regularisation.shift);
}

/* Near a pose a correction that is long against the distance to it is not believed. */
static CardanStatus check_branch(CrdIntegrator *integrator, double t_new, bool there) {
    double moved = crd_integrator_moved(integrator, integrator->y_raw, integrator->stepper.y_new);
    if (moved <= CRD_BRANCH_SHARE * crd_singularity_measure(&integrator->dynamics)) return CARDAN_OK;
    if (integrator->options.step > 0.0 || there) return project_without_weak_rows(integrator, t_new);
    return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "the step's end at t = %.9g is too far off the constraints next to a singular pose", t_new);
}

CardanStatus crd_project_step(CrdIntegrator *integrator, double t_new) {
    CrdStepper *stepper = &integrator->stepper;
    CrdDynamics *dynamics = &integrator->dynamics;
    crd_refining_end(integrator);
    if (stepper->method->on_constraints) {
        CRD_TRY(crd_integrator_evaluate_constraints(integrator, t_new, stepper->y_new));
        return finish(integrator);
    }
    if (dynamics->model->structure->rows > 0)
        memcpy(integrator->y_raw, stepper->y_new, (size_t)stepper->n * sizeof *integrator->y_raw);
    crd_integrator_use_tracked(integrator, stepper->y_new);
    CardanStatus status = crd_stabilise(&integrator->stabiliser, dynamics, t_new, integrator->y_raw, stepper->y_new,
                                        crd_integrator_v(integrator, stepper->y_new));
    if (status >= 0) status = finish(integrator);
    if (!crd_stabiliser_moves(&integrator->stabiliser)) return status;
    if (status >= 0) CRD_TRY(check_softening(integrator));
    if (!crd_near_singular(dynamics)) return status;
    bool there = crd_singularity_measure(dynamics) < CRD_LAND;
    if (status == CARDAN_ERR_NUMERIC && there) return project_without_weak_rows(integrator, t_new);
    return status < 0 ? status : check_branch(integrator, t_new, there);
}
