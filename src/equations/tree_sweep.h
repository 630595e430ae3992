/* Sweeps over a tree, branch by branch where it is divided: side by side, with threads or without. Bits are the same as
 * in one sweep over all links: a link meets what others made of it in the same order. */
#ifndef CRD_EQUATIONS_TREE_SWEEP_H
#define CRD_EQUATIONS_TREE_SWEEP_H

#include "equations/system.h"

/* What one sweep does with a range of links; x may be NULL. */
typedef void (*CrdSweep)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);

/* Trunk first, then branches: parents before children. */
void crd_sweep_outward(const CardanModel *model, const CrdSystem *system, CrdSweep sweep, double *x);

/* Branches first, then the trunk: children before parents. */
void crd_sweep_inward(const CardanModel *model, const CrdSystem *system, CrdSweep sweep, double *x);

#endif
