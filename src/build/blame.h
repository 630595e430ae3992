/* What checks of single objects are made of. */
#ifndef CRD_BUILD_BLAME_H
#define CRD_BUILD_BLAME_H

#include "build/checks.h"

/* "joint 'main'", safe to stand in a message. */
typedef struct CrdObjectName {
    char text[96];
} CrdObjectName;
CrdObjectName crd_object_name(const char *kind, const char *name);

/* Fails with "joint 'main': sentence"; blame (may be NULL) gets the key at fault. */
CardanStatus crd_blame_key(CrdError *error, CrdBlame *blame, const char *key, const char *object, const char *format,
                           ...) CRD_PRINTF(5, 6);

/* All numbers of the object are finite. */
CardanStatus crd_check_finite(const CrdDescription *description, CrdFieldTable table, CrdOwner owner,
                              const void *object, const char *name, CrdBlame *blame, CrdError *error);

/* Long enough to name a direction, and short enough that its square does not overflow. */
CardanStatus crd_check_direction(const double *axis, int count, const char *key, const char *name, CrdBlame *blame,
                                 CrdError *error);

bool crd_is_particle(const CrdDescription *description, int carrier);

#endif
