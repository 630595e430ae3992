/* Whose numbers they are that are none any more: every refusal names an object. */
#ifndef CRD_INTEGRATE_BEYOND_H
#define CRD_INTEGRATE_BEYOND_H

#include "integrate/integrator.h"

/* Where the present motion, just evaluated, is not made of numbers (an energy, an acceleration or a multiplier
 * overflows): CARDAN_ERR_NUMERIC, naming the body or joint. */
CardanStatus crd_check_numbers(CrdIntegrator *integrator);

/* The body or block that moves fastest for its size, or whose slope is no number: by which a motion that cannot be
 * followed is best looked for. "none" without one. */
const char *crd_fastest_name(const CrdIntegrator *integrator);

#endif
