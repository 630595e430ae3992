/* What an event on the way makes of changes. Where g(t, y, p) = 0 ends a step, the state goes from y to R(t, y, p) and
 * the motion from f- to f+. The event is earlier or later by dt, and seen at the same time as before,
 *
 *     dt = -(g_y w + g_p dp) / (g_t + g_y f-)        w <- R_y (w + f- dt) + R_t dt + R_p dp - f+ dt
 *
 * (the saltation matrix, e.g. Leine and Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems, 2004),
 * an integral changes by (c- - c+) dt, and backwards by the transposes. R is the identity where laws change alone; else
 * it is differenced: projections of drives that change their speed, resets of users. */
#ifndef CRD_TANGENT_TRANSITION_H
#define CRD_TANGENT_TRANSITION_H

#include "tangent/trajectory.h"

typedef struct CrdSensitivity CrdSensitivity;

typedef struct CrdJump {
    bool matters;           /* something changes by it */
    double *before, *after; /* (core) f-, f+ */
    double *over_y;         /* (core) g_y / g', g' = g_t + g_y f- */
    double *over_p;         /* (knobs) g_p / g' */
    double *row, *row_p;    /* those of another switch */
    double *low, *high;     /* (switch_count) */
    double *y, *z;          /* (n) states looked at */
    double *made[2];        /* (n) what R makes of them */
    double *w;              /* (core) */
    bool *reads;            /* (core) what a switch may depend on */
} CrdJump;

CardanStatus crd_jump_take_room(const CrdTrajectory *trajectory, int knobs, CrdJump *jump, CrdError *error);
void crd_jump_free(CrdJump *jump);

/* Changes w of all knobs, and derivatives of integrals, across an event between two steps. */
CardanStatus crd_transition_forwards(CrdSensitivity *work, const CrdTransition *transition);

/* The adjoint w back across it. */
CardanStatus crd_transition_backwards(CrdSensitivity *work, const CrdTransition *transition);

/* An event that ends the run: adds to the derivatives of the column at hand what its time changes by, forwards with the
 * changes w; backwards the adjoint w is begun with what is read at the end, whose rate along the motion is `rate`. */
CardanStatus crd_transition_end_forwards(CrdSensitivity *work, const CrdTransition *transition, double rate);
CardanStatus crd_transition_end_backwards(CrdSensitivity *work, const CrdTransition *transition, double rate);

/* The slope (core) of the state in which the transition is met, as the step before it sees it. */
CardanStatus crd_transition_slope(CrdSensitivity *work, const CrdTransition *transition);

/* ---- among the files of transitions ---- */

/* jump->over_y and over_p, with f- in jump->before: of the switch that is crossed; others that are crossed with it must
 * go with it. */
CardanStatus crd_transition_time(CrdSensitivity *work, const CrdTransition *transition);

/* The refusal of an event of switch `who`, and the sentence of an evaluation that failed. */
CardanStatus crd_transition_refuse(CrdSensitivity *work, const CrdTransition *transition, int who, const char *reason);
CardanStatus crd_transition_pass_on(CrdSensitivity *work, CardanStatus status);

#endif
