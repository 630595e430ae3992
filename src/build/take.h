/* What conversions of definitions are made of: handles checked, strings and arrays copied. `of` is the name of what is
 * being converted, for messages. */
#ifndef CRD_BUILD_TAKE_H
#define CRD_BUILD_TAKE_H

#include "build/description.h"

/* The name of a `what` ("force"), copied. */
CardanStatus crd_take_name(char **name, const char *given, const char *what, CrdError *error);

CardanStatus crd_take_body(const CrdDescription *description, CardanBody handle, const char *of, int *frame,
                           CrdError *error);

/* In a plane vectors have no z. */
CardanStatus crd_take_vector(const CrdDescription *description, CardanVec3 v, const char *of, const char *what,
                             double *out, CrdError *error);

#endif
