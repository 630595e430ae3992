/* Small mechanisms made of bytes, from a fuzzer or a random generator: bodies on a lattice, joints of every kind
 * between any of them, so that loops, redundant rows and singular poses come about by themselves, and forces of every
 * kind. What their joints say is known beside the library (geometry.h). */
#ifndef TESTS_SUPPORT_MADE_MODEL_H
#define TESTS_SUPPORT_MADE_MODEL_H

#include "fuzz/bytes.h"
#include "support/geometry.h"

enum { MADE_BODIES = 5, MADE_JOINTS = 8, MADE_FORCES = 4, MADE_ROWS = MADE_JOINTS * GEOMETRY_ROWS_MAX };

typedef struct Made {
    CardanSpace space;
    CardanBuilder *builder;
    int bodies, joints, forces;
    CardanBody body[MADE_BODIES + 1]; /* 0: the ground */
    bool particle[MADE_BODIES + 1];
    Place written[MADE_BODIES + 1];
    int a[MADE_JOINTS], b[MADE_JOINTS]; /* places in body */
    CardanJoint joint[MADE_JOINTS];
    bool rigid[MADE_JOINTS]; /* a constraint: not compliant */
    Geometry geometry[MADE_JOINTS];
} Made;

/* The builder belongs to the caller; it may have refused an object, and then says why. */
void made_model(Made *made, Bytes *bytes, bool with_forces);

/* Holonomic rows of all joints that are constraints, nonholonomic ones; the number of rows is returned. */
int made_rows(const Made *made, double t, const Place *places, double *g);
int made_rates(const Made *made, const Place *places, double *rate);

/* Largest arm of a joint: the size of the mechanism. */
double made_size(const Made *made);

#endif
