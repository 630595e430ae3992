/* Could a run of this model start? What `cardan run` does up to its first step is done, on a copy that is thrown away.
 */
#ifndef TOOL_READY_H
#define TOOL_READY_H

#include "simulate.h"
#include "started.h"

typedef struct Readiness {
    int status;                    /* the exit status that `run` would leave with; STATUS_DONE: it could start */
    char reason[REASON_SIZE];      /* the sentence that it would give; empty: none */
    Remarks remarks;               /* of the start and of the first step */
    char solver[REASON_SIZE];      /* in use, and why; empty: none was chosen */
    bool relative;                 /* steps are made in relative coordinates */
    char coordinates[REASON_SIZE]; /* why; empty: no simulation was made */
    Started started;               /* in full; the caller frees it */
} Readiness;

/* readiness arrives zeroed. */
void look_ready(const char *path, const CardanModel *model, Readiness *readiness);

#endif
