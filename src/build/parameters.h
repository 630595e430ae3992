/* Numbers that follow parameters. */
#ifndef CRD_BUILD_PARAMETERS_H
#define CRD_BUILD_PARAMETERS_H

#include "build/fields.h"

/* The number a text stands for: plain, or an expression over the first `known` parameters and pi. *expression (may be
 * asked for or NULL) is the compiled one if it uses a parameter, else NULL; the caller frees it. */
CardanStatus crd_number_of(const CrdDescription *description, const char *text, int known, double *value,
                           CrdExpr **expression, CrdError *error);

/* nan, .inf, -Infinity, ... get a sentence of their own, unless a parameter or input has that name. */
CardanStatus crd_refuse_not_finite(const CrdDescription *description, const char *text, CrdError *error);

/* Binds a number to an expression, which it takes over (also on failure); an older binding of that number goes.
 * expression NULL: the number is plain from now on. */
CardanStatus crd_bind(CrdDescription *description, CrdTarget target, CrdExpr *expression, CrdPlace place,
                      CrdError *error);

/* The nearest of the names of these kinds to a mistyped one; NULL: none is near. kinds: bits 1 << CrdNameKind. */
const char *crd_nearest_of(const CrdDescription *description, unsigned kinds, const char *word, size_t length);

#endif
