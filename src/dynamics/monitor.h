/* The singularity monitor: how close the configuration is to one in which rows lose rank.
 *
 * The pivots of S, which every evaluation has, only raise the question: each element's are compared with what is
 * healthy for it, the largest it had in accepted states. Small inertias make them dip in healthy configurations, so the
 * answer comes from the same comparison with the pivots of the geometry alone (geometry.h), which know no masses. Of
 * what is left the root is taken: it falls linearly with the distance to the pose. Where an accepted state shows that
 * masses are what made them dip, they are corrected by that until they fall further, or for a few steps.
 *
 * Only elements that can take part in a dependency are looked at (model/watched.h); without any the measure is 1. */
#ifndef CRD_DYNAMICS_MONITOR_H
#define CRD_DYNAMICS_MONITOR_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

/* What is healthy for the pivots of a matrix: the largest ratios in accepted states. */
typedef struct CrdHealth {
    double *rows;     /* (rows) of each row */
    double *elements; /* (elements) of the product of an element's ratios: its rows may change roles */
} CrdHealth;

/* What pivots of S show of a range of elements. */
typedef struct CrdPivotsShown {
    double min; /* smallest part; from 1 on it does not matter */
    int row;    /* its weakest */
    bool asks;  /* the geometry has to be asked */
} CrdPivotsShown;

typedef struct CrdMonitor {
    CrdHealth schur, geometry; /* of S in the mass metric, and of K K^T */
    double *bias;              /* (elements) part of what the geometry shows that S does; 0: not compared */
    double since;              /* accepted steps since then */
    bool looked;               /* the geometry was asked after the last factor in the mass metric */
    CrdPivotsShown *shown;     /* by range of watched elements */
    double *weak;              /* (rows) ratios of S below which rows count as weak */
    double singularity;        /* of the last factor in the mass metric: 1 far from any singular pose, 0 in one */
    double measured;           /* the same where the geometry was asked, also where a pose is missed: for noise */
} CrdMonitor;

void crd_monitor_layout(CrdMonitor *monitor, const CrdStructure *structure, CrdArena *arena);

/* After a factorisation in the mass metric: the singularity measure. */
void crd_monitor_look(CrdDynamics *dynamics);

/* The singularity measure of the rows in the workspace by their geometry alone; the factor of S is left as it is. */
double crd_monitor_geometry(CrdDynamics *dynamics);

/* How many watched elements pivots of S show below this singularity measure, each by itself; at least 1. */
int crd_monitor_weak(const CrdDynamics *dynamics, double singularity);

/* The configuration of the factor is taken for healthy: rows remember their largest pivots. */
void crd_monitor_accept(CrdDynamics *dynamics);

/* The geometry of the configuration in the workspace is taken for healthy. */
void crd_monitor_accept_geometry(CrdDynamics *dynamics);

/* Other rows have other pivots: what is healthy for them begins with this configuration. */
void crd_monitor_restart(CrdDynamics *dynamics);

/* What is healthy, as numbers; and from them, as a saved state has it. */
int crd_monitor_size(const CrdStructure *structure);
void crd_monitor_get(const CrdDynamics *dynamics, double *numbers);
void crd_monitor_set(CrdDynamics *dynamics, const double *numbers);
void crd_monitor_copy(CrdDynamics *to, const CrdDynamics *from);

/* The singularity measure of the last factor. */
double crd_singularity_measure(const CrdDynamics *dynamics);

/* Is it so small that stages should be put on the constraints here? */
bool crd_near_singular(const CrdDynamics *dynamics);

#endif
