/* What checks of single objects are made of. */
#ifndef CRD_BUILD_BLAME_H
#define CRD_BUILD_BLAME_H

#include "build/checks.h"

/* "joint 'main'", safe to stand in a message. */
typedef struct CrdObjectName {
    char text[96];
} CrdObjectName;
CrdObjectName crd_object_name(const char *kind, const char *name);

/* Where a check of an object tells what is wrong. */
typedef struct CrdVerdict {
    const char *object; /* "joint 'main'" */
    CrdBlame *blame;    /* may be NULL */
    CrdError *error;
} CrdVerdict;

/* Fails with "joint 'main': sentence"; blame gets the key at fault. */
CardanStatus crd_blame_key(CrdVerdict verdict, const char *key, const char *format, ...) CRD_PRINTF(3, 4);

/* No number of the object is so large that what is computed from it overflows; after what else is to be said. */
CardanStatus crd_check_large(const CrdDescription *description, CrdFieldTable table, CrdOwner owner, const void *object,
                             CrdVerdict verdict);

/* All numbers of the object are finite. */
CardanStatus crd_check_finite(const CrdDescription *description, CrdFieldTable table, CrdOwner owner,
                              const void *object, CrdVerdict verdict);

/* Long enough to name a direction, and short enough that its square does not overflow. */
CardanStatus crd_check_direction(const double *axis, int count, const char *key, CrdVerdict verdict);

#endif
