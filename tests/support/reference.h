/* Numbers of an independent, slow computation of a model file beside the engine's (a joint is only its function g
 * there; every derivative exact by Taylor arithmetic, adaptive order-8 steps at 1e-12). Places, velocities,
 * coordinates, reactions, efforts of drives, energies and work.
 *
 * Tolerances: both sides are integrated with 1e-12; what they differ by grows with the motion, at most a few hundred
 * times that in accelerations, which reactions are made of. */
#ifndef TESTS_SUPPORT_REFERENCE_H
#define TESTS_SUPPORT_REFERENCE_H

#include "support/check.h"
#include "support/scene.h"

typedef struct Row {
    const char *name; /* body: x y z vx vy vz; joint.reaction: force, moment; joint.effort; joint.angle: with its rate;
                         energy: kinetic, potential, work */
    double value[6];
} Row;

typedef struct Reference {
    const char *file, *text; /* one of them */
    double t;
    const Row *rows;
    int count;
} Reference;

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Runs the model to t and compares every row. */
void check_reference(const Reference *reference);

#endif
