/* A second mechanism beside the one that is simulated: the same bodies, in the same coordinates, but its compliant
 * joints and bushings are rigid, or have lost their damping. */
#ifndef CRD_SLOW_TWIN_H
#define CRD_SLOW_TWIN_H

#include "integrate/integrator.h"

/* A compliant joint or bushing whose deflection is to follow slowly. */
typedef struct CrdFast {
    const char *name; /* of the model's description */
    CrdPlace place;
    int joint;       /* in the description, from 0; -1: a bushing */
    int force;       /* the bushing, from 0; -1: a joint */
    int element;     /* of the rigid twin */
    int first, rows; /* its rows there */
    int gap;         /* bushing: how many of its rows, the first, are in axes that a carries; 0: none */
    bool loose;      /* bushing: its gap alone is fast, its turn is left to its springs */
    int at;          /* its first row among all fast ones */
    double k[CRD_JOINT_ROWS], c[CRD_JOINT_ROWS]; /* by row */
    CrdUnit unit[CRD_JOINT_ROWS];
} CrdFast;

typedef struct CrdTwin {
    CardanModel *model;
    CrdIntegrator integrator;
    CrdArena arena;
} CrdTwin;

/* The models: joints rigid (begins: it starts as the description says), and without damping (`damped`: as they are).
 */
CardanStatus crd_twin_rigid(const CardanModel *model, const CrdFast *fast, int count, bool begins, CardanModel **out,
                            CrdError *error);
CardanStatus crd_twin_soft(const CardanModel *model, const CrdFast *fast, int count, bool damped, double stiffer,
                           CardanModel **out, CrdError *error);

/* Takes over the model, makes its workspace and starts it at the state of another integrator. */
CardanStatus crd_twin_open(CrdTwin *twin, CardanModel *model, const CardanOptions *options, const CrdIntegrator *like,
                           CrdError *error);
void crd_twin_close(CrdTwin *twin);

/* The state of a model into one of its twin's, whose numbers with memory stand elsewhere, and its coordinates back. */
void crd_twin_put(CrdTwin *twin, const CardanModel *model, const double *y, double *own);
void crd_twin_get(const CrdTwin *twin, const double *own, double *y);

/* Stiffness and damping of a fast element's rows, from the numbers of the model; false: some row has no stiffness. */
bool crd_fast_numbers(const CardanModel *model, CrdFast *fast);

/* Rotation from the axes a bushing is in to ground axes; the twin's workspace holds the frames. */
CrdMat crd_fast_axes(const CrdTwin *rigid, const CrdFast *fast);

#endif
