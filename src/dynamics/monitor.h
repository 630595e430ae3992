/* The singularity monitor: how close the configuration is to one in which rows lose rank.
 *
 * The pivots of S, which every evaluation has, only raise the question: each element's are compared with what is
 * healthy for it, the largest it had in accepted states. Small inertias make them dip in healthy configurations, so the
 * answer comes from the geometry alone (geometry.h): its smallest singular value against the largest that one had in
 * accepted states. It falls linearly with the distance to the pose. */
#ifndef CRD_DYNAMICS_MONITOR_H
#define CRD_DYNAMICS_MONITOR_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdMonitor {
    double *pivot_top;   /* (rows) largest pivot ratio of each row in accepted states: what is healthy for it */
    double *element_top; /* (elements) the same of the product of an element's ratios: its rows may change roles */
    double *weak;        /* (rows) ratios below which rows count as weak */
    double singularity;  /* of the last factor in the mass metric: 1 far from any singular pose, 0 in one */
} CrdMonitor;

void crd_monitor_layout(CrdMonitor *monitor, const CrdStructure *structure, CrdArena *arena);

/* After a factorisation in the mass metric: the singularity measure. */
void crd_monitor_look(CrdDynamics *dynamics);

/* The configuration of the factor is taken for healthy: rows remember their largest pivots. */
void crd_monitor_accept(CrdDynamics *dynamics);

/* Other rows have other pivots: what is healthy for them begins with this configuration. */
void crd_monitor_restart(CrdDynamics *dynamics);

/* Pivots that count as healthy from now on (rows), as a saved state has them. */
void crd_monitor_set_pivots(CrdMonitor *monitor, int rows, const double *pivot_top);

/* The singularity measure of the last factor. */
double crd_singularity_measure(const CrdDynamics *dynamics);

/* Is it so small that stages should be put on the constraints here? */
bool crd_near_singular(const CrdDynamics *dynamics);

#endif
