#include "integrate/beyond.h"

#include "integrate/norm.h"

#include <math.h>

/* Coordinates, velocities and accelerations of a block against their tolerances; infinite: one of them is no number. */
static double haste(const CrdIntegrator *integrator, const CrdBlock *block) {
    const CrdStepper *stepper = &integrator->stepper;
    int nq = integrator->dynamics.model->structure->nq;
    double most = 0.0;
    for (int i = 0; i < block->nq + block->nv; i++) {
        int k = i < block->nq ? block->q + i : nq + block->v + (i - block->nq);
        double rate = fabs(stepper->f[k]) / (stepper->atol + stepper->rtol * fabs(stepper->y[k]));
        if (!isfinite(rate) || !isfinite(stepper->y[k])) return (double)INFINITY;
        most = fmax(most, rate);
    }
    return most;
}

static const char *block_name(const CardanModel *model, const CrdBlock *block) {
    return block->kind == CRD_CUSTOM_BLOCK ? model->description->blocks[block->object].name
                                           : model->description->bodies[block->object].name;
}

const char *crd_fastest_name(const CrdIntegrator *integrator) {
    const CardanModel *model = integrator->dynamics.model;
    const char *name = "none";
    double most = -1.0;
    for (int i = 0; i < model->structure->block_count; i++) {
        double rate = haste(integrator, &model->structure->blocks[i]);
        if (rate <= most) continue;
        most = rate;
        name = block_name(model, &model->structure->blocks[i]);
    }
    return name;
}

/* The joint with a multiplier that is no number; -1: none. */
static int lost_element(const CrdIntegrator *integrator) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    for (int e = 0; e < structure->element_count; e++)
        for (int k = 0; k < structure->elements[e].rows; k++)
            if (!isfinite(integrator->dynamics.lambda[structure->elements[e].first + k])) return e;
    return -1;
}

CardanStatus crd_check_numbers(CrdIntegrator *integrator) {
    const CrdStepper *stepper = &integrator->stepper;
    int element = lost_element(integrator);
    if (element >= 0)
        return crd_fail(
            stepper->error, CARDAN_ERR_NUMERIC,
            "the reaction of joint '%s' at t = %.9g is beyond all numbers: masses, speeds or forces are too large",
            crd_element_name(integrator->dynamics.model, element), stepper->t);
    bool numbers = crd_all_finite(stepper->y, stepper->n) && crd_all_finite(stepper->f, stepper->n);
    if (numbers && isfinite(crd_integrator_energy(integrator, stepper->y))) return CARDAN_OK;
    return crd_fail(
        stepper->error, CARDAN_ERR_NUMERIC,
        "the %s at t = %.9g is beyond all numbers, that of body '%s' first: masses, speeds or forces are too large",
        numbers ? "energy" : "motion", stepper->t, crd_fastest_name(integrator));
}
