/* Relative coordinates: a second way to compile the same model (tree.h). */
#ifndef CRD_MODEL_RELATIVE_H
#define CRD_MODEL_RELATIVE_H

#include "model/model.h"

static inline bool crd_is_relative(const CrdStructure *structure) {
    return structure->tree != NULL;
}

/* The relative model of an absolute one. *out is NULL where there is none, with a sentence in error and CARDAN_OK; a
 * failure is one of memory or size. */
CardanStatus crd_relative_create(const CardanModel *absolute, CardanModel **out, CrdError *error);

/* Predicted work of a right-hand side of the absolute model over that of the relative one. */
double crd_relative_gain(const CardanModel *absolute, const CardanModel *relative);

/* Joint coordinates of poses and twists; angles in space are counted to lie nearest to the tracked number of their
 * joint (tracked may be NULL: to 0). */
void crd_relative_from_frames(const CardanModel *relative, const CardanFrame *frames, const double *tracked, double *q,
                              double *v);

/* Absolute coordinates of the same frames; q arrives with those before, which tell which of two quaternions it is. */
void crd_relative_to_absolute(const CardanModel *absolute, const CardanFrame *frames, double *q, double *v);

#endif
