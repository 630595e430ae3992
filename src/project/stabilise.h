/* Putting a state back on its constraints after a step.
 *
 * Post-stabilisation (Ascher, Chin, Reich 1994; applied twice: Ascher & Petzold): with h = (g, G v + g_t), one pass is
 *     block form   q <- q + N dx,  dx = -W G^T (G W G^T)^-1 g          W = M^-1 (metric mass) or I (euclid)
 *                  v <- v + dv,    dv = -W G^T (G W G^T)^-1 (G v + g_t)      both at the q before the pass
 *     full form    (dx, dv) = -W H^T (H W H^T)^-1 h,   H = [G 0; (G v)_q G]
 * A step of order p leaves |h| = O(h^(p+1)). One full pass makes it O(h^(2(p+1))); one block pass does so for
 * positions, but moving q disturbs G v, which stays O(h^(p+1)); the second block pass brings it to O(h^(2(p+1))),
 * because (I - H F)^2 = 0. That is why passes = 2 is the default. */
#ifndef CRD_PROJECT_STABILISE_H
#define CRD_PROJECT_STABILISE_H

#include "dynamics/dynamics.h"
#include "project/frozen.h"
#include "project/tolerance.h"

/* Rows that could not be brought to zero. */
typedef struct CrdUnclosed {
    bool any;
    int row;         /* the worst against what is allowed */
    double rounding; /* largest residual in units of rounding */
} CrdUnclosed;

typedef struct CrdStabiliser {
    CardanOptions options;
    CrdTolerance tolerance;
    CrdUnclosed unclosed; /* of the last attempt that was made */
    bool closed;          /* the rows of its end were judged and found small */
    CrdFrozen frozen;     /* a factor for several steps */
    double *r;            /* (rows) right side of one pass */
    double *both, *moves; /* (rows x 2), (nv x 2) right sides and corrections of both levels, number beside number; lent
                           * to the gate in between */
    double *dx, *dv;      /* (nv) corrections, one after the other: the halves of moves */
    double *gradient;     /* full form: pieces of (G v)_q */
    double *h, *hw;       /* full form: (2 nv x 2 rows) H^T and (H W)^T by columns */
    double *full;         /* full form: (2 rows x 2 rows) H W H^T */
    double *residual;     /* full form: (2 rows) */
    long refreshed;       /* steps that needed a fresh factor, or a kept one made anew before its time */
} CrdStabiliser;

/* Takes the workspace from an arena; called twice, measuring and real. */
void crd_stabiliser_layout(CrdStabiliser *stabiliser, const CardanModel *model, const CardanOptions *options,
                           CrdArena *arena);

/* Whether this model can be stabilised as the options ask. */
CardanStatus crd_stabiliser_check(const CardanModel *model, const CardanOptions *options, CrdError *error);

/* Does the method put states back on the constraints after a step? */
bool crd_stabiliser_moves(const CrdStabiliser *stabiliser);

/* Residuals of the workspace in units of what is allowed, <= 1: good; and whose they are. Of levels that the options
 * leave alone: 0. */
typedef struct CrdResidual {
    double position, velocity;
    int row, rate_row;
} CrdResidual;

/* Allowed are so many tolerances of the step, or rounding. */
CrdResidual crd_stabiliser_judge(const CrdStabiliser *stabiliser, const CrdDynamics *dynamics, const double *v,
                                 double times);

/* The same of the residuals alone, where rounding is not looked at: the largest of both levels. */
double crd_stabiliser_excess(const CrdStabiliser *stabiliser, const CrdDynamics *dynamics, const double *v,
                             double times);

/* Notes that the rows of the workspace could not be brought to zero. */
void crd_stabiliser_note(CrdStabiliser *stabiliser, const CrdDynamics *dynamics, const double *v, int row);

/* Stabilises q, v at t by the method of the options, starting with the factor of the last stage. Afterwards
 * the workspace holds the rows of the result. raw: a copy of [q | v], from which it may begin again (no rows: not
 * read). CARDAN_ERR_NUMERIC: it did not converge. */
CardanStatus crd_stabilise(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double t, const double *raw, double *q,
                           double *v);

/* The same of any state whose rows the workspace holds, with a factor of its own. */
CardanStatus crd_stabilise_afresh(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double t, double *q, double *v);

/* Can states near that of the factor be closed with it? Not where rows give way, a pose is near or one level is left
 * alone. */
bool crd_stabiliser_lends(const CrdStabiliser *stabiliser, const CrdDynamics *dynamics);

/* The same of a state whose residuals the workspace holds, with the factor of one nearby that lends it; what is left
 * are its residuals, at most this part of the tolerance where *good. */
CardanStatus crd_stabilise_nearby(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double part, double t, double *q,
                                  double *v, bool *good);

/* Next to a singular pose: two fresh block passes without the rows that vanish there; those come right by themselves
 * when the pose is left. Afterwards the workspace holds the rows of the result. */
CardanStatus crd_project_without_weak_rows(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double t, double *q,
                                           double *v);

/* Is a projection at the rounding of its rows, or did its residual, *now, stop falling there? */
bool crd_is_projected(const CrdDynamics *dynamics, double before, double *now);

/* Newton with fresh factors until the residuals are at round-off (first positions, then velocities). */
CardanStatus crd_project(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double t, double *q, double *v);

/* The same of a stage. What the workspace holds of it is not made again, and afterwards it holds the factor of the
 * result, which the monitor has seen. */
CardanStatus crd_project_stage(CrdStabiliser *stabiliser, CrdDynamics *dynamics, double t, double *q, double *v);

/* ---- among its files ---- */

/* One block pass with the factor at hand, from the rows at hand; then evaluates those of the result. */
CardanStatus crd_block_pass(CrdStabiliser *stabiliser, CrdDynamics *dynamics, bool position, bool velocity, double t,
                            double *q, double *v);

/* The sentence where it did not converge. */
CardanStatus crd_stabiliser_fail(CrdStabiliser *stabiliser, const CrdDynamics *dynamics, const double *v);

#endif
