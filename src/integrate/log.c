#include "integrate/log.h"

#define NAME_OF(names, i) ((unsigned)(i) < sizeof(names) / sizeof *(names) ? (names)[i] : "unknown")

const char *cardan_event_kind_name(CardanEventKind kind) {
    static const char *const NAMES[] = {[CARDAN_EVENT_NONE] = "none",       [CARDAN_EVENT_SINGULARITY] = "singularity",
                                        [CARDAN_EVENT_KINK] = "kink",       [CARDAN_EVENT_LIMIT] = "limit",
                                        [CARDAN_EVENT_CONTACT] = "contact", [CARDAN_EVENT_DRIVE] = "drive",
                                        [CARDAN_EVENT_USER] = "user",       [CARDAN_EVENT_TURN] = "turn",
                                        [CARDAN_EVENT_STIFF] = "stiff"};
    return NAME_OF(NAMES, kind);
}

const char *cardan_remedy_name(CardanRemedy remedy) {
    static const char *const NAMES[] = {[CARDAN_REMEDY_NONE] = "none",
                                        [CARDAN_REMEDY_STEPPED_OVER] = "stepped over",
                                        [CARDAN_REMEDY_REFINED_SOLVE] = "refined solve",
                                        [CARDAN_REMEDY_ACROSS_POSE] = "accelerations across the pose",
                                        [CARDAN_REMEDY_SOFTENED_ROWS] = "softened rows"};
    return NAME_OF(NAMES, remedy);
}

const char *cardan_branch_name(CardanBranch branch) {
    static const char *const NAMES[] = {[CARDAN_BRANCH_NONE] = "none",
                                        [CARDAN_BRANCH_KEPT] = "kept",
                                        [CARDAN_BRANCH_LEFT] = "left",
                                        [CARDAN_BRANCH_UNCLEAR] = "unclear"};
    return NAME_OF(NAMES, branch);
}

void crd_log_layout(CrdLog *log, CrdArena *arena) {
    log->events = crd_take(arena, 2 * CRD_EVENTS_MAX, sizeof *log->events);
}

void crd_log_add(CrdLog *log, const CardanEvent *event, bool singular) {
    int kept = singular ? log->singular : log->count - log->singular;
    log->total++;
    if (kept == CRD_EVENTS_MAX) return;
    log->events[log->count++] = *event;
    log->singular += singular;
}
