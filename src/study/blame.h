/* Which length keeps a mechanism from closing.
 *
 * In the best pose r = D g has no part along any motion, so a number p of the model changes |r| at first order by
 * r . D g_p alone, and closes it (as far as that holds) with dp = -|r|^2 / (r . D g_p). */
#ifndef CRD_STUDY_BLAME_H
#define CRD_STUDY_BLAME_H

#include "study/study.h"

/* Appends which parameter, or without parameters which body's length between two of its joints, would close it with the
 * least relative change, and to what. The pose that `closing` found is the state. */
CardanStatus crd_blame_length(CardanStudy *study, const CrdClosing *closing, char *text, size_t size);

#endif
