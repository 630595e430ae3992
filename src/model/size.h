/* How large the mechanism is, and how far from the origin its numbers reach: two lengths with two uses.
 *
 *     size   the mechanism's own: what tolerances, residuals and displacements are measured in. It is the same wherever
 *            the mechanism stands and however it is turned
 *     far    the longest vector that occurs in a row: what rounding is proportional to, and so larger far from the
 *            origin */
#ifndef CRD_MODEL_SIZE_H
#define CRD_MODEL_SIZE_H

#include "model/model.h"

/* Sets size, far and the units of the rows in `values`, whose joints and forces are resolved; frames: of the pose as
 * written. */
void crd_resolve_sizes(const CrdStructure *structure, const CardanFrame *frames, CrdValues *values);

#endif
