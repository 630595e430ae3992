/* One switching function along a step that was tried: its zeros. */
#ifndef CRD_GUARD_EVENTS_ZERO_H
#define CRD_GUARD_EVENTS_ZERO_H

#include "guard/events/event.h"

/* Parts of the step at which functions are first looked at, on the cubic over it. */
enum { CRD_EVENT_QUARTERS = 4 };

/* One function along the step that was tried. */
typedef struct CrdEventWatch {
    CrdEvents *events;
    int i;
    int sign;     /* psi = sign (phi - shift) */
    double shift; /* phi where the step begins, if rounding left it on the wrong side */
    double h;
    bool armed; /* psi is, or counts as, positive: its fall through zero is an event */
    bool dense; /* the method's own interpolation is ready, else the cubic */
} CrdEventWatch;

typedef struct CrdEventZero {
    double theta; /* CRD_EVENT_NEVER: none */
    bool touches; /* it is not crossed */
} CrdEventZero;

double crd_watch_psi(const CrdEventWatch *watch, double phi);

CrdEventWatch crd_event_watch(CrdEvents *events, int i, double h, bool dense);

CardanStatus crd_events_values_along(CrdEvents *events, double h, double theta, bool dense, double *values);

/* psi at theta; events->end is scratch. */
CardanStatus crd_watch_psi_at(const CrdEventWatch *watch, double theta, double *psi);

/* psi at sample j. */
double crd_watch_sampled(const CrdEventWatch *watch, int j);

double crd_watch_range(const CrdEventWatch *watch);

/* The first event of this function along the samples. */
CardanStatus crd_watch_first_zero(CrdEventWatch *watch, CrdEventZero *zero);

/* Might this function have a zero in the step, as far as the quarters of the cubic over it tell? */
bool crd_watch_is_suspicious(const CrdEventWatch *watch);

#endif
