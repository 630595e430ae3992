/* Copies of a mechanism in other units: every number of its description multiplied by what its unit becomes when
 * lengths, masses and times are, laws and tolerances along. By powers of four nothing is rounded, roots included, so
 * that a copy should make the same steps with the same bits. */
#ifndef TESTS_SUPPORT_SCALED_H
#define TESTS_SUPPORT_SCALED_H

#include "build/description.h"
#include "sim/sim.h"

typedef struct Scaling {
    double length, mass, time;
} Scaling;

/* What a number in this unit is multiplied by: "N m s/rad", "kg m^2", "m/s^2". */
double scale_of_unit(const Scaling *scaling, const char *unit, size_t length);

/* The model of a file, scaled. */
CardanModel *scaled_model(const char *file, const Scaling *scaling);

/* Options, likewise; alpha and beta of Baumgarte's terms too. */
CardanOptions scaled_options(CardanOptions options, const Scaling *scaling);

/* Gives a simulation of a copy the tolerances that one of the mechanism itself has, scaled. */
void scale_tolerances(CardanSim *copy, const CardanSim *itself, const Scaling *scaling);

/* Number i of the flat state of a copy in the units of the mechanism itself. */
double scaled_back(const CardanSim *copy, const Scaling *scaling, int i);

#endif
