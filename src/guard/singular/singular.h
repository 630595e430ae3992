/* The guard of singular poses.
 *
 * Before a step is accepted: a step past a pose over which energy does not balance is refused, one that crosses a pose
 * badly is laid anew (crossing.c). After it: passages are noticed (the singularity measure of stages and accepted
 * states dips), confirmed by a look at the motion between two steps, and logged (passage.c). Two steps beyond a pose:
 * was the branch kept (branch.h)? When no step succeeds: does the mechanism lock up (lock_up.c)? */
#ifndef CRD_GUARD_SINGULAR_SINGULAR_H
#define CRD_GUARD_SINGULAR_SINGULAR_H

#include "guard/singular/branch.h"

typedef struct CrdSingular {
    CrdIntegrator *integrator;
    int laid;           /* how often the present step was laid anew */
    int foreseen;       /* how often that was done before its end */
    bool *element_mark; /* (elements) with a row in the dependency of the dip that is open */
    bool *look_mark;    /* (elements) the same of a look after a failure */
    double *y;          /* (n) a state between two steps */
    double
        *hermite; /* (CRD_HERMITE_ROWS x n) the step as its ends have it, where no better interpolation is to be had */

    /* the pose that is near */
    CrdCrossing crossing; /* do branches cross there? */
    double asked;         /* singularity measure when that was last asked */

    /* the dip that is open */
    bool open;
    double lowest;     /* smallest singularity measure so far */
    double lowest_at;  /* s */
    double lambda_max; /* largest multiplier */
    CrdRemedy remedy;  /* strongest remedy used */
    CardanEvent found; /* joints at the lowest point */
    bool confirmed;    /* a look there found the rows dependent */

    CardanEvent logged; /* the last passage in the log */
    CrdBranch branch;
} CrdSingular;

extern const CrdGuard crd_singular_guard;

/* Its memory from the arena; called twice, measuring and real. */
void *crd_singular_layout(CrdIntegrator *integrator, CrdArena *arena);

/* ---- among its files ---- */

/* The size with which the step just tried, of size h, should be tried again; h itself when it lies well. Stages right
 * next to a pose are the noisy ones, and those early in a step are far off the constraints: a step that crosses a pose
 * is laid such that the pose falls into a wide gap between the method's nodes c_i, and a step towards a pose ends where
 * the next one can do that. */
double crd_crossing_plan(const CrdIntegrator *integrator, double h);

/* The same at the last stage of an attempt, as soon as its stages tell where the pose is. */
double crd_crossing_foresee(const CrdIntegrator *integrator, double h);

/* Whether a step that comes near a pose is believed: where branches do not cross there, it must not go straight on.
 * CRD_AGAIN: with attempt->h as it is then. */
CrdVerdict crd_gap_verdict(CrdSingular *singular, CrdTry *attempt, CardanStatus *status);

/* After acceptance: is the gap so narrow that rounding decides on the motion? */
CardanStatus crd_gap_check(CrdSingular *singular);

/* After acceptance: a pose that is left behind is forgotten. */
void crd_gap_follow(CrdSingular *singular);

/* Another motion begins: nothing is known of the next pose. */
void crd_gap_forget(CrdSingular *singular);

/* Joints with rows in the dependency of the configuration that the workspace holds. false: a look finds none. */
bool crd_singular_name_joints(CrdSingular *singular, bool *element_mark, CardanEvent *event);

/* After a step was accepted; CARDAN_REMARK: a passage is over. */
CardanStatus crd_passage_follow(CrdSingular *singular);

/* Hook of the guard: after no step succeeded: CARDAN_ERR_NUMERIC and the joints' names when a pose ahead stops the
 * motion. */
CardanStatus crd_explain_lock_up(void *self, const CrdTry *attempt, CardanStatus status);

#endif
