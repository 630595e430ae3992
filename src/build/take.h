/* What conversions of definitions are made of: handles checked, strings and arrays copied. `of` is the name of what is
 * being converted, for messages. */
#ifndef CRD_BUILD_TAKE_H
#define CRD_BUILD_TAKE_H

#include "build/description.h"

/* The name of a `what` ("force"), copied. */
CardanStatus crd_take_name(char **name, const char *given, const char *what, CrdError *error);

CardanStatus crd_take_body(const CrdDescription *description, CardanBody handle, const char *of, int *carrier,
                           CrdError *error);

/* Carrier numbers of a list of bodies, in a new array. */
CardanStatus crd_take_bodies(const CrdDescription *description, const CardanBody *bodies, int count, const char *of,
                             int **carriers, CrdError *error);

/* In a plane vectors have no z. */
CardanStatus crd_take_vector(const CrdDescription *description, CardanVec3 v, const char *of, const char *what,
                             double *out, CrdError *error);

/* Start values, in a new array: given (NULL: zeros), all finite; "block 'rod'" stands in the message. */
CardanStatus crd_take_start(const double *given, int count, const char *what, const char *name, double **copy,
                            CrdError *error);

#endif
