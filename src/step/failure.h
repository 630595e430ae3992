/* Why no step succeeds. */
#ifndef CRD_STEP_FAILURE_H
#define CRD_STEP_FAILURE_H

#include "step/run.h"

/* After the last attempt of size h ended with this status, or with this error norm: writes the sentence and returns the
 * status of the failure. Next to a singular pose from which no motion goes on: lock-up, with the joints' names. */
CardanStatus crd_explain_failure(CrdRun *run, CardanStatus status, double h, double norm);

#endif
