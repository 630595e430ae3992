/* Shapes of bodies, for viewers: they take no part in the motion. */
#ifndef CRD_BUILD_SHAPE_H
#define CRD_BUILD_SHAPE_H

#include "build/description.h"

/* What a kind is called in the model file, and how many numbers it has. */
typedef struct CrdShapeKind {
    const char *name;
    int numbers;
    int first_size; /* numbers from here on are sizes: not negative */
} CrdShapeKind;

/* By CardanShapeKind; [0] has no name. */
extern const CrdShapeKind crd_shape_kinds[CARDAN_SHAPE_KINDS];

CardanStatus crd_check_shape(const CrdDescription *description, const CrdShapeDesc *shape, CrdError *error);

/* Takes over the name of the file when it succeeds. */
CardanStatus crd_add_shape(CrdDescription *description, const CrdShapeDesc *shape, CrdError *error);

/* From a program's definition; on failure nothing is to be freed. */
CardanStatus crd_convert_shape(const CrdDescription *description, CardanBody body, const CardanShape *def,
                               CrdShapeDesc *out, CrdError *error);

/* And back; the file's name stays the description's. */
CardanShape crd_shape_of(const CrdShapeDesc *shape);

#endif
