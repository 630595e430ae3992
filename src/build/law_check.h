/* Laws of forces before they are compiled: do the names in them exist, and may a law use them? */
#ifndef CRD_BUILD_LAW_CHECK_H
#define CRD_BUILD_LAW_CHECK_H

#include "build/description.h"

/* Is the text an expression, and does it use anything but parameters: the time, an input, a measure? Names of measures
 * are not looked up yet, because their objects may still follow. */
CardanStatus crd_law_uses_state(const CrdDescription *description, const char *text, bool *uses, CrdError *error);

/* All names exist and may stand in a law. */
CardanStatus crd_law_check(const CrdDescription *description, const char *text, CrdError *error);

#endif
