#include "step/log.h"

void crd_log_layout(CrdLog *log, CrdArena *arena) {
    log->events = crd_take(arena, 2 * CRD_EVENTS_MOST, sizeof *log->events);
}

void crd_log_add(CrdLog *log, const CardanEvent *event, bool singular) {
    int kept = singular ? log->singular : log->count - log->singular;
    log->total++;
    if (kept == CRD_EVENTS_MOST) return;
    log->events[log->count++] = *event;
    log->singular += singular;
}
