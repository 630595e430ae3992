/* Checks of physical sense of single objects. Each names the field at fault, so that the caller can point to the place
 * where it was written. */
#ifndef CRD_BUILD_CHECKS_H
#define CRD_BUILD_CHECKS_H

#include "build/fields.h"
#include "joint/joint.h"

/* Which key of an object is at fault; "" for the object as a whole. Set only on failure. May be NULL. */
typedef struct CrdBlame {
    const char *key;
    bool at_key; /* the key itself is too much, not its value */
} CrdBlame;

CardanStatus crd_check_body(const CrdDescription *description, const CrdBodyDesc *body, CrdBlame *blame,
                            CrdError *error);
CardanStatus crd_check_element(const CrdDescription *description, CrdOwner owner, const CrdElementDesc *element,
                               CrdBlame *blame, CrdError *error);
CardanStatus crd_check_rate(const CrdDescription *description, const CrdStartRate *rate, CrdError *error);

/* The object a number belongs to, with the place in error: that of the binding at fault, else that of the object. */
CardanStatus crd_check_object(const CrdDescription *description, CrdOwner owner, int index, CrdError *error);

/* "a", or "an" before a type such as angle. */
const char *crd_article(const char *name);

/* "angle", "displacement", "length". */
const char *crd_coordinate_name(CardanCoordinate coordinate);

#endif
