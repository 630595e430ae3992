#include "integrate/refining.h"

#include <math.h>

/* From this part of one in as many as there are elements a pivot is small because they are many. Smaller ones tell of
 * uneven masses, where one state may be solved for without loss and the next is not. */
#define CRD_PIVOT_OF_MANY 0.1

/* Part of a tolerance of velocities that is nothing, and how far the pivot may then fall. */
#define CRD_REFINED_NOTHING 1e-4
#define CRD_REFINED_FALL 0.5

void crd_refining_begin(CrdIntegrator *integrator, double h) {
    crd_refining_end(integrator);
    integrator->stages.learns = h;
}

void crd_refining_end(CrdIntegrator *integrator) {
    integrator->stages.learns = 0.0;
    integrator->dynamics.regularisation.sound = 0.0;
}

/* Over the whole step, against one tolerance of each kind. */
static bool changed_nothing(const CrdIntegrator *integrator) {
    const CardanModel *model = integrator->dynamics.model;
    const CrdKinds *kinds = &integrator->halves.kinds;
    CrdKindSizes one = crd_kinds_tolerated(kinds, &integrator->stabiliser.tolerance, model, integrator->stepper.y),
                 change =
                     crd_kinds_of_rates(kinds, model->structure, integrator->dynamics.regularisation.velocities_left);
    double h = fabs(integrator->stages.learns);
    for (int i = 0; i < CRD_KINDS; i++)
        if (!(h * change.of[i] <= CRD_REFINED_NOTHING * one.of[i])) return false;
    return true;
}

void crd_refining_learn(CrdIntegrator *integrator) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    CrdRegularisation *regularisation = &integrator->dynamics.regularisation;
    double pivot = dynamics->factor.pivot_last;
    if (integrator->stages.learns == 0.0 || !regularisation->refined) return;
    bool many = pivot * dynamics->model->structure->element_count >= CRD_PIVOT_OF_MANY;
    regularisation->sound = many && changed_nothing(integrator) ? CRD_REFINED_FALL * pivot : 0.0;
}
