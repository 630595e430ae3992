/* Stages of a step near a singular pose. Off the constraints accelerations have a pole there, so the stages are put on
 * them first: all of a step's or none, because some alone would break its order. */
#ifndef CRD_INTEGRATE_STAGES_H
#define CRD_INTEGRATE_STAGES_H

#include "core/memory.h"
#include "core/status.h"

typedef struct CrdIntegrator CrdIntegrator;

/* Singularity measure below which relative coordinates are in doubt: so far from a pose that absolute steps see two
 * states before it is watched, which tell them the branch. */
#define CRD_RELATIVE_DOUBT 0.45

/* The first stages of an attempt, as many as the longest tableau has with its ends. */
enum { CRD_STAGES_SEEN = 18 };

/* What a stage showed. */
typedef struct CrdStageSeen {
    double t;      /* s */
    double w;      /* its singularity measure */
    bool geometry; /* that of the geometry, not of pivots of S */
} CrdStageSeen;

typedef struct CrdStages {
    double h;                            /* s; size of the attempt, if guards are asked for a better one; else 0 */
    double better;                       /* s; what they answered, less than h; 0: the step lies well so far */
    bool project;                        /* the stages of the present step are put on the constraints */
    bool wants_projection;               /* one came close to a pose without that: the step must be begun again */
    double learns;                       /* s; size of the attempt whose refinements are looked at (refining.h), or 0 */
    double noise;                        /* largest noise of an acceleration in the stages of this attempt */
    double lowest, lowest_at;            /* smallest singularity measure of them, and when (s) */
    int seen;                            /* how many of them are in: */
    CrdStageSeen stage[CRD_STAGES_SEEN]; /* as they came */
    double before, accepted;             /* singularity measure of the last two accepted states */
    double *y;                           /* (n) a stage that was put on the constraints */
} CrdStages;

void crd_stages_layout(CrdStages *stages, int n, CrdArena *arena);

/* The stages of a step of size h by the method of the integrator, put on the constraints where a pose is near; asks:
 * guards may know a better size, which then is in stages.better, with a status < 0. */
CardanStatus crd_stages_make(CrdIntegrator *integrator, double h, bool adaptive, bool asks);

/* The accepted state is one with this singularity measure. */
void crd_stages_accept(CrdStages *stages, double singularity);

/* dydt of y, whose rows the workspace holds; a stage near a singular pose is put on the constraints first. */
CardanStatus crd_integrator_derivative(CrdIntegrator *integrator, const double *y, double *dydt, bool stage);

#endif
