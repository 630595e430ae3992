#include "project/tolerance.h"

#include "model/tree.h"

#include <math.h>

/* The absolute tolerance when none is given: graphs look exact, and drift is far below. */
#define CRD_DEFAULT_ABSOLUTE 1e-8

/* Mass of the bodies; 1 when there are none. */
static double mass_of(const CardanModel *model) {
    double mass = 0.0;
    for (int i = 0; i < model->structure->block_count; i++)
        if (model->structure->blocks[i].kind != CRD_CUSTOM_BLOCK) mass += crd_block_values(model, i)->mass;
    return mass > 0.0 ? mass : 1.0;
}

CrdTolerance crd_tolerance_of(const CardanModel *model, const CardanOptions *options) {
    double size = model->values.size, one = options->atol > 0.0 ? options->atol : CRD_DEFAULT_ABSOLUTE;
    CrdTolerance tolerance = {options->rtol, one, one, one, one, one, one};
    if (options->atol > 0.0) return tolerance;
    tolerance.length = tolerance.speed = one * fmin(1.0, size);
    tolerance.energy = one * fmin(1.0, mass_of(model) * size * size);
    return tolerance;
}

CrdAllowed crd_tolerated_positions(const CrdTolerance *tolerance, const CardanModel *model, double times) {
    return (CrdAllowed){times * (tolerance->length + tolerance->relative * model->values.size),
                        times * (tolerance->angle + tolerance->relative), NULL};
}

CrdAllowed crd_tolerated_rates(const CrdTolerance *tolerance, const CardanModel *model, const double *v, double times) {
    CrdAllowed most = crd_speeds(model, v);
    return (CrdAllowed){times * (tolerance->speed + tolerance->relative * most.length),
                        times * (tolerance->spin + tolerance->relative * most.angle), NULL};
}

void crd_tolerance_spread(const CrdTolerance *tolerance, const CrdStructure *structure, double *absolute) {
    double *rates = absolute + structure->nq;
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        bool custom = block->kind == CRD_CUSTOM_BLOCK;
        int lengths = custom ? 0 : crd_block_lengths(structure, block);
        double angle = custom ? tolerance->number : tolerance->angle,
               spin = custom ? tolerance->number : tolerance->spin;
        for (int k = 0; k < block->nq; k++) absolute[block->q + k] = k < lengths ? tolerance->length : angle;
        for (int k = 0; k < block->nv; k++) rates[block->v + k] = k < lengths ? tolerance->speed : spin;
    }
    for (int i = 0; i < structure->first_order; i++) rates[structure->nv + i] = tolerance->number;
}
