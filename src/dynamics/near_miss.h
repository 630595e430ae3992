/* A near miss is no pose.
 *
 * Next to a singular pose one combination u of the rows is nearly independent of the motion: on the other rows it is
 *     phi(y) = e + 1/2 y^T H y
 * over the two directions that matter, the one that only u holds and that of the motion. Where e = 0 branches cross and
 * a motion goes straight on. Where e is not 0 they do not: the motion turns within sqrt(2 e / h), from one into the
 * other, and going straight on would jump over a gap to where the mechanism cannot go. So the critical point of phi is
 * sought by Newton's method, derivatives of u^T G by central differences, and e is what the rows leave there. */
#ifndef CRD_DYNAMICS_NEAR_MISS_H
#define CRD_DYNAMICS_NEAR_MISS_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef enum CrdCrossing {
    CRD_CROSSING_UNKNOWN = 0, /* not asked, or no answer: several rows vanish together, drives move them, the model is
                               * too large */
    CRD_CROSSING_TRUE,        /* branches cross there */
    CRD_CROSSING_MISSED       /* they do not */
} CrdCrossing;

typedef struct CrdNearMiss {
    double gap;        /* e of the last answer, in lengths of the mechanism or rad */
    double *q, *trial; /* (nq) where the critical point is sought; beside it */
    double *weak;      /* (nv) displacement that only u holds */
    double *along;     /* (nv) displacement along the motion */
    double *move;      /* (nv) */
    double *row;       /* (rows) D^T u */
    double *image;     /* (rows) G x */
    double *direction; /* (nv) u^T K where the state was accepted */
    double *left;      /* (rows) its u */
    bool known;        /* direction and left are there */
    double weakness;   /* the weakest singular value there, against the largest */
    bool several;      /* the last question has no answer because several rows vanish together */
    bool acts;         /* the pose that is near is missed: the rows are as good as anywhere, and none is left out */
} CrdNearMiss;

void crd_near_miss_layout(CrdNearMiss *near_miss, const CrdStructure *structure, CrdArena *arena);

/* Do branches cross at the pose near (t, q), which moves with v? The workspace then holds another state. */
CrdCrossing crd_near_miss_ask(CrdDynamics *dynamics, double t, const double *q, const double *v);

/* Remembers the weakest row at the state of the workspace, an accepted one. */
void crd_near_miss_remember(CrdDynamics *dynamics);

/* Has the weakest row at the state of the workspace turned round against the one remembered: was a gap jumped over? */
bool crd_near_miss_jumped(CrdDynamics *dynamics);

#endif
