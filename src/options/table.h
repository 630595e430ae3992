/* What setting and checking share. */
#ifndef CRD_OPTIONS_TABLE_H
#define CRD_OPTIONS_TABLE_H

#include "options/options.h"

enum { CRD_WORDS_MAX = 64 }; /* words of one option */

/* The words of an option; their number. */
int crd_option_words(const CrdOption *option, const char *words[CRD_WORDS_MAX]);

/* Whether a number or count is in its range, and whole if it must be. */
CardanStatus crd_option_range(const CrdOption *option, double value, CrdError *error);

/* The sentence for a public caller, who may not want it; gives the status. */
CardanStatus crd_option_report(const CrdError *error, CardanStatus status, char *message, size_t size);

#endif
