/* The log of events: the first ones of each sort are kept, so that thousands of kinks do not crowd out a singular pose.
 */
#ifndef CRD_INTEGRATE_LOG_H
#define CRD_INTEGRATE_LOG_H

#include "cardan/sim.h"
#include "core/memory.h"

/* Kept of singular poses, and as many of all other events. */
enum { CRD_EVENTS_MAX = 256 };

typedef struct CrdLog {
    CardanEvent *events; /* (2 x CRD_EVENTS_MAX) in the order in which they were noticed */
    int count;           /* kept */
    int singular;        /* of them, singular poses */
    long total;          /* all */
} CrdLog;

void crd_log_layout(CrdLog *log, CrdArena *arena);
void crd_log_add(CrdLog *log, const CardanEvent *event, bool singular);

#endif
