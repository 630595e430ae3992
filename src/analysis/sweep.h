/* Joints closed one after another along a tree from the ground: each body is carried along with the one before it, then
 * moved by itself until its joint closes, by turning no more than it must. Of a long chain a small opening of many
 * joints is a large displacement of its end, which rows at once trade against turns, whose second order undoes them; a
 * sweep is exact in displacements. What closes loops is left to the rows. */
#ifndef CRD_ANALYSIS_SWEEP_H
#define CRD_ANALYSIS_SWEEP_H

#include "dynamics/dynamics.h"

typedef struct CrdSweep {
    const CardanModel *model;
    int *parent; /* by frame: the one before it; -1: none */
    int *over;   /* by frame: the element to it */
    int *order;  /* (count) frames that have one, parents first */
    int count;
    CardanFrame *before; /* by frame: as they were */
} CrdSweep;

/* Once a structure. To be freed in any case. */
CardanStatus crd_sweep_open(CrdSweep *sweep, const CardanModel *model, CrdError *error);
void crd_sweep_free(CrdSweep *sweep);

/* Moves the coordinates q, whose frames are in the workspace; these move along. held (by block; NULL: none) stay. */
void crd_sweep(CrdSweep *sweep, const bool *held, CrdSystem *system, double *q);

#endif
