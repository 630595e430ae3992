/* Whether a stepper fits a model and the other options; what options alone tell is refused in options/options.c. */
#ifndef CRD_INTEGRATE_FITS_H
#define CRD_INTEGRATE_FITS_H

#include "cardan/options.h"
#include "core/status.h"
#include "model/model.h"

/* The sentence says why it does not. */
CardanStatus crd_method_check(const CardanModel *model, const CardanOptions *options, CrdError *error);

#endif
