/* What became of a call of the user's own function: it may fail, and what it gives may not be finite. */
#ifndef CRD_CORE_CALLBACK_H
#define CRD_CORE_CALLBACK_H

#include "core/status.h"

/* Are these numbers, doubles one after another, all finite? */
bool crd_are_finite(const void *numbers, size_t count);

/* CARDAN_OK; or, naming who it was ("block 'bead': its mass callback") and the time, its own failure, or
 * CARDAN_ERR_NUMERIC when it gave something that is not finite. */
CardanStatus crd_callback_ended(CrdError *error, CardanStatus status, bool finite, double t, const char *format, ...)
    CRD_PRINTF(5, 6);

#endif
