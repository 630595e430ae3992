/* Looking at the log of a simulation. */
#ifndef TESTS_SUPPORT_EVENTS_H
#define TESTS_SUPPORT_EVENTS_H

#include "support/check.h"
#include "support/scene.h"

/* Event number i of the log, which must be of this kind and name. */
static inline CardanEvent event_at(const CardanSim *sim, int i, CardanEventKind kind, const char *name) {
    const CardanEvent *events = NULL;
    int count = cardan_sim_events(sim, &events, NULL);
    if (i >= count) fail_msg("event %d of '%s' is not there: the log has %d", i, name, count);
    assert_int_equal(events[i].kind, kind);
    assert_string_equal(events[i].name, name);
    return events[i];
}

static inline void check_event(const CardanSim *sim, int i, CardanEventKind kind, const char *name, int direction,
                               double t, double tolerance) {
    CardanEvent event = event_at(sim, i, kind, name);
    assert_int_equal(event.direction, direction);
    check_near(event.t, t, tolerance, "event %d, %s '%s'", i, cardan_event_kind_name(kind), name);
}

static inline void check_event_count(const CardanSim *sim, int expected) {
    assert_int_equal(cardan_sim_events(sim, NULL, NULL), expected);
}

#endif
