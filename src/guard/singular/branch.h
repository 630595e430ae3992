/* Did the motion keep its branch over a singular pose?
 *
 * Branches of motion cross in a pose, and momentum decides which one is followed: velocities are continuous. Accepted
 * states from before the neighbourhood of the pose and from after it are taken to the time t* of the pose, and the jump
 * there is
 *     J = |v+ - v-| / max(|v-|, |v+|)      in the mass metric, over the coordinate blocks whose joints took part
 *     J <= 0.25 kept     J >= 0.5 left     else unclear                                        (RANK_AND_BRANCH 3)
 * Nothing inside the neighbourhood enters, so it does not matter how the pose was passed: with which regulariser,
 * stepper or step, or stepped over altogether. It is the neighbourhood that a passage has, CRD_PASSAGE_LEFT, so that
 * two passages with a turn between them are two.
 *
 * First by Hermite's cubics through two states on each side, which cost nothing. Long steps put the states too far away
 * for cubics; so where those do not say `kept`, the exact equations are integrated from the nearest state of each side
 * to the pose (march.c), in 32 substeps and again in 16, and what the two differ by is taken off a jump that is to show
 * that the branch was left.
 *
 * A motion that just misses a pose turns there as sharply as one that leaves its branch in it. So before a branch is
 * said to be left, the exact equations are followed past the lowest point; if they miss the pose and come to the state
 * beyond it, that is the motion.
 *
 * A dip that passes no pose is looked at too: rows that give way can change the branch beside the pose. It is nothing
 * unless the branch was left, and is let be where it comes so near a pose that an integration would not resolve the
 * turn of a motion that just misses it.
 *
 * An integration goes on with the laws as they are held now, so where an event lies between the states it does not
 * decide. Unclear too: that, no state on a side (a start next to the pose, a state put there from outside or by an
 * event), or a speed at t* below 1e-3 of the largest so far. */
#ifndef CRD_GUARD_SINGULAR_BRANCH_H
#define CRD_GUARD_SINGULAR_BRANCH_H

#include "cardan/sim.h"
#include "integrate/integrator.h"

typedef struct CrdBranchState {
    double t;
    double *y; /* (n) */
    double *a; /* (nv) */
} CrdBranchState;

/* Scratch of an integration: (n) each. */
typedef struct CrdMarch {
    double *y, *stage, *slope, *sum, *before, *slope_before;
} CrdMarch;

enum { CRD_BRANCH_OLDER = 0, CRD_BRANCH_NEWER, CRD_BRANCH_AFTER, CRD_BRANCH_STATES };

/* What is known of the present dip. */
typedef struct CrdDip {
    int before;      /* states kept before it: at most 2 */
    bool near;       /* in a neighbourhood */
    bool passed;     /* one state beyond it: the next attempt is judged */
    bool logged;     /* as a passage */
    bool softened;   /* with softened rows */
    bool known;      /* there is a last accepted state */
    long events;     /* since the last state before it: how often sides of laws changed or users acted */
    int joint;       /* the first in the dependency; 0: none is known */
    int joint_count; /* in it */
    double t_last;   /* s; of the last accepted state */
    double pose_at;  /* s; t* */
    double lowest;   /* singularity measure there */
    double w_before; /* that of the last state before it */
    double w_after;  /* and of the one beyond it */
} CrdDip;

typedef struct CrdBranch {
    CrdDip dip;
    double *v_last; /* (nv) velocities of the last accepted state: others now come from outside or from an event */
    double *top;    /* (blocks) largest |v|^2 of each in the mass metric so far */
    double *part;   /* (blocks) 1: a joint of it takes part in the dependency, 0 */
    CrdBranchState state[CRD_BRANCH_STATES];

    const CrdIntegrator *integrator;
    long counted; /* events of it that were counted: by those who make them, as a log begins anew in a clone */

    CardanBranch verdict; /* of the attempt made last: none, it ends no passage */
    double jump;          /* J; < 0: there are too few states */
    bool torn;            /* the step began at another state than the one accepted last */
    bool whole;           /* all blocks count: who takes part is not known */
    bool passes_pose;     /* the dip is known to pass one: integrations leave its neighbourhood to a cubic */
    int repeats;          /* how often the present step was made shorter */
    double *minus, *plus; /* (nv) v-, v+ */
    double *unsure;       /* (nv) how far both are uncertain together */
    double *spare, *mass; /* (nv) */
    CrdMarch march;
} CrdBranch;

/* Its arrays from the arena; called twice, measuring and real. */
void crd_branch_layout(CrdBranch *branch, const CrdIntegrator *integrator, CrdArena *arena);

/* Before a step. */
void crd_branch_begin(CrdBranch *branch, const CrdIntegrator *integrator);

/* First of all after acceptance: the step may have begun at a state of which nothing was known. */
void crd_branch_enter(CrdBranch *branch, const CrdIntegrator *integrator);

/* Before a step, where the ones before were made by another integrator (guard.h): away from poses both states count as
 * accepted, so that cubics can be laid through them. */
void crd_branch_join(CrdBranch *branch, const CrdIntegrator *integrator);

/* After an attempt, whose end the workspace holds, and holds again when it is accepted. CRD_AGAIN: it seems to leave
 * its branch and is tried shorter; CRD_FAIL: a passage ends with it that left its branch, and that is not allowed. */
CrdVerdict crd_branch_judge(CrdBranch *branch, CrdIntegrator *integrator, CrdTry *attempt, CardanStatus *status);

/* After acceptance; passage: the one that was logged with it, or NULL. The log learns of the verdict on the last one,
 * if there is one. CARDAN_REMARK: the branch was left, or it is unclear whether it was. */
CardanStatus crd_branch_accept(CrdBranch *branch, CrdIntegrator *integrator, const CardanEvent *passage);

/* Before that: elements in the dependency of the passage. */
void crd_branch_take_part(CrdBranch *branch, const CrdStructure *structure, const bool *element_mark);

/* The state is another one. */
void crd_branch_reset(CrdBranch *branch, const CrdStructure *structure);

/* Events since the last state before the dip. */
long crd_branch_events(const CrdBranch *branch);

/* Length of y. */
int crd_branch_flat_size(const CrdStructure *structure);

/* |v|^2 of a block in the mass metric; mass is M v. */
double crd_branch_square(const CrdBlock *block, const double *v, const double *mass);

/* The verdict at t from the states before and beyond, near and (or NULL) far: by cubics, or by integrations, after
 * which the workspace holds another state; the jump is left in branch->jump. */
CardanBranch crd_branch_by_cubics(CrdBranch *branch, const CrdDynamics *dynamics, double t, const CrdBranchState *near,
                                  const CrdBranchState *far);
CardanBranch crd_branch_by_integration(CrdBranch *branch, CrdIntegrator *integrator, double t,
                                       const CrdBranchState *near);

/* v (nv) at t by Hermite's cubic through two states, near the one nearer to t; beyond eight spacings of them, and
 * without far, by the tangent. */
void crd_branch_extrapolate(const CrdBranchState *near, const CrdBranchState *far, const CrdStructure *structure,
                            double t, double *v);

void crd_march_layout(CrdMarch *march, int n, CrdArena *arena);

/* v (nv) at t integrated from a state in n substeps, the last `bridged` of them by a cubic: solves nearer to a pose are
 * noisy. The workspace then holds another state. */
CardanStatus crd_march(CrdMarch *march, CrdIntegrator *integrator, const CrdBranchState *from, double t, int n,
                       int bridged, double *v);

/* v (nv) at t_end integrated from a state past the lowest point of the measure, about at t_low. resolved: there is no
 * pose on the way, or the motion is not known there. */
CardanStatus crd_march_past(CrdMarch *march, CrdIntegrator *integrator, const CrdBranchState *from, double t_low,
                            double t_end, double *v, bool *resolved);

/* As numbers (branch_memory.c). */
int crd_branch_memory_size(const CrdStructure *structure);
void crd_branch_get(const CrdBranch *branch, const CrdStructure *structure, double *numbers);
void crd_branch_set(CrdBranch *branch, const CrdStructure *structure, const double *numbers);
void crd_branch_copy(CrdBranch *branch, const CrdBranch *from, const CrdStructure *structure);

#endif
