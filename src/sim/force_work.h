/* Work of force elements, `F.work`: the integral of their power over the run, by quadrature of each accepted step,
 *
 *     W += h sum_k w_k P(t + c_k h),   P = sum over its frames of load times velocity,
 *
 * with the four points of Gauss and Legendre (degree 7, as the interpolation of the longest steps). It rides along: no
 * step is chosen by it. Only forces whose work is asked for when the run begins are followed. */
#ifndef CRD_SIM_FORCE_WORK_H
#define CRD_SIM_FORCE_WORK_H

#include "cardan/sim.h"
#include "core/memory.h"
#include "model/model.h"

typedef struct CrdForceWork {
    int count;        /* of forces */
    bool any;         /* is one followed? */
    double *followed; /* (count) 1: it is */
    double *before;   /* (count) J; where the last step began, */
    double *now;      /* (count) at the present, */
    double *at;       /* (count) and at the row that is read */
} CrdForceWork;

void crd_force_work_layout(CrdForceWork *work, const CrdStructure *structure, CrdArena *arena);

/* Follows those that the outputs of the model name. */
void crd_force_work_begin(CardanSim *sim);

/* After a step that was made. */
CardanStatus crd_force_work_step(CardanSim *sim);

/* Puts the work up to t, inside the last step or at its end, into `at`; of these channels those that are works. */
CardanStatus crd_force_work_read(CardanSim *sim, double t, int channels, const CardanChannel *channel);

/* As numbers of a saved state; and back, or of another simulation. */
int crd_force_work_memory_size(const CrdStructure *structure);
void crd_force_work_get(const CrdForceWork *work, double *numbers);
void crd_force_work_set(CrdForceWork *work, const double *numbers);
void crd_force_work_copy(CrdForceWork *to, const CrdForceWork *from);

#endif
