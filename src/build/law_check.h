/* Laws of forces before they are compiled: do the names in them exist, and may a law use them? */
#ifndef CRD_BUILD_LAW_CHECK_H
#define CRD_BUILD_LAW_CHECK_H

#include "build/fields.h"

/* Is the text an expression, and does it use anything but parameters: the time, an input, a measure? Names of measures
 * are not looked up yet, because their objects may still follow. */
CardanStatus crd_law_uses_state(const CrdDescription *description, const char *text, CrdLawScope scope, bool *uses,
                                CrdError *error);

/* A law of a drive is a function of the time (variable t) with parameters and inputs; a path on a body one of its
 * parameter (s) with parameters. Refuses other names, measures too; says whether it uses the variable or an input,
 * that is, whether it is more than a number. */
CardanStatus crd_drive_check(const CrdDescription *description, const char *text, char variable, bool *uses,
                             CrdError *error);

/* All names exist and may stand in a law. */
CardanStatus crd_law_check(const CrdDescription *description, const char *text, CrdLawScope scope, CrdError *error);

/* Number of the first-order state that "pid.z0" names, counted over all states of the user's; -1: there is none. */
int crd_find_state(const CrdDescription *description, const char *name, size_t length);

#endif
