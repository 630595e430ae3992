/* Events: kinks of laws, limits, contacts, times named in laws and drives, functions of users.
 *
 * Each is the zero of a switching function phi_i(t, y) (equations/switches.c). During a step every law is held on the
 * side of its kinks on which the step began, also where a stage strays beyond, so the right-hand side is smooth inside
 * a step. A step that crosses a zero is made again, shorter, to end there; then the side changes, the state is put on
 * the constraints of the new side if they moved, users act, and the step size starts anew.
 *
 *     crd_events_limit   zeros that the time alone decides are found ahead; no step goes beyond one
 *     crd_events_detect  did the step just tried cross a zero that depends on the state? Then it is to end there
 *     crd_events_apply   after the step was accepted: sides, log, actions
 *
 * What is guaranteed: zero.c and time_event.c say it. */
#ifndef CRD_GUARD_EVENTS_EVENT_H
#define CRD_GUARD_EVENTS_EVENT_H

#include "integrate/integrator.h"

/* Points along a step at which switching functions are compared. */
enum { CRD_EVENT_SAMPLES = 8 };

typedef struct CrdEvents {
    CrdIntegrator *integrator;
    int count;            /* switches */
    bool monitors;        /* some of them depend on the state */
    bool known;           /* side and start belong to the present state and inputs */
    CrdSide *side;        /* (count) on which laws are held; 0: not held */
    CrdSide *side_last;   /* (count) on which they were in the last step */
    double *slack;        /* (count) |phi| where it was landed on: as far it may be on the wrong side */
    bool *loose;          /* (count) both sides lead back to the zero: not held, not looked at, until it is left */
    unsigned char *flips; /* (count) sides changed without a step in between */
    bool *crossed;        /* (count) at the end of the step just made */
    bool *touched;        /* (count) of users: the zero was touched there, not crossed */
    double *start;        /* (count) phi at the present state */
    double *end;          /* (count) at the end of the step just tried */
    double *sample;       /* ((CRD_EVENT_SAMPLES + 1) x count) along it */
    double *y;            /* (n) a state looked at */
    double *hermite;      /* (4 x n) cubic over the step just tried */
    CrdJet *jet;          /* (count) of what the time alone decides, where the search has come to */

    double next;     /* s; the next zero that the time alone decides; CRD_EVENT_NEVER: none up to `searched` */
    double searched; /* s */

    /* a step that is to end at a zero */
    int landing; /* whose; -1: none */
    bool landing_touches;
    double landing_h;        /* s; the size it is made with */
    double landing_range;    /* largest |phi| along that step */
    double landing_theta;    /* where in that step */
    double landing_max;      /* s; the size of the step in which the zero was seen */
    double slope;            /* 1/s; of that function there, upwards on its side */
    int landings;            /* how often it was tried */
    int quick_switch, quick; /* whose events followed each other within a small part of a step, and how many */

    double *last, *longest; /* (user events) s; when it happened last, longest time between two; 0: not yet */

    long happened;      /* how often sides changed or users acted, */
    double happened_at; /* s; when last, */
    double *before;     /* (n) and the state before it: what derivatives along a run start from there */

    int stuck; /* steps with a loose switch, weighed against those without */
} CrdEvents;

/* s; later than anything. */
#define CRD_EVENT_NEVER 1e300

extern const CrdGuard crd_events_guard;

/* Its memory from the arena, for models that have switches; called twice, measuring and real. */
void *crd_events_layout(CrdIntegrator *integrator, CrdArena *arena);

/* Of an integrator; NULL: its model has no switches. */
CrdEvents *crd_events_of(const CrdIntegrator *integrator);

/* How often sides changed or users acted in an integrator: a number to compare with an earlier one. */
long crd_events_happened(const CrdIntegrator *integrator);

/* The force, joint or user's event a switch belongs to. */
const char *crd_switch_name(const CardanModel *model, int i);

/* ---- hooks of the guard; self is a CrdEvents ---- */

/* The sides of all switches at the present state, which was set or is under other inputs. */
CardanStatus crd_events_initialise(void *self);

/* The earlier of t_limit and the next zero that the time alone decides, for a step of about h. */
double crd_events_limit(void *self, double t_limit, double h);

/* Was a zero that depends on the state crossed in a step that was tried? Then it is to be made again, to end there. */
CrdVerdict crd_events_detect(void *self, CrdTry *attempt, CardanStatus *status);

/* At an event that the step just accepted ends with. CARDAN_STOPPED: a user's event stops the run. */
CardanStatus crd_events_apply(void *self);

/* ---- among the files of events ---- */

static inline const CrdStructure *crd_events_structure(const CrdEvents *events) {
    return events->integrator->dynamics.model->structure;
}

/* phi of all switches at t, y, with sides held; the workspace then holds the frames of y. */
CardanStatus crd_events_values(CrdEvents *events, double t, const double *y, double *values);

/* Changes the side of switch i at the present state; CARDAN_STOPPED: a user's event stops the run. */
CardanStatus crd_events_flip(CrdEvents *events, int i);

/* Marks as crossed what the time alone decides and is zero at the present time. */
void crd_events_mark_time_events(CrdEvents *events);

/* For a switch whose zero says nothing: on which side the time will bring it; 0: neither. */
int crd_events_side_in_time(CrdEvents *events, int i);

/* The size of a step that cannot be told from none. */
double crd_events_nothing(const CrdEvents *events);

#endif
