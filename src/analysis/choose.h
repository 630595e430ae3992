/* Which rows are taken out where some depend on others in every configuration: each that the kinematic rows before it
 * in the order of elimination explain (linear/qr.h). It is a matter of geometry, so masses have no say: by pivots of S
 * a light body's rows would look explained by those of a heavy one. */
#ifndef CRD_ANALYSIS_CHOOSE_H
#define CRD_ANALYSIS_CHOOSE_H

#include "dynamics/dynamics.h"

/* Marks `expected` rows of the workspace, those that are released (dynamics/imperfect.h) among them, whose leaving out
 * leaves the others independent. count: how many it found; not as many where the rows are too badly scaled. */
CardanStatus crd_choose_redundant(CrdDynamics *dynamics, int expected, bool *rows, int *count);

#endif
