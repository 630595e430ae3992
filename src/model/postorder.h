/* An elimination order in which subtrees of the elimination tree are ranges, as branches want them
 * (elimination_branches.c). */
#ifndef CRD_MODEL_POSTORDER_H
#define CRD_MODEL_POSTORDER_H

#include "core/status.h"

/* order: of n vertices, whose neighbours stand at item[start[i] .. start[i + 1]), i itself may be among them. One of
 * the same fill and the same pivots takes its place, in which every subtree is done before the next one begins. */
CardanStatus crd_postorder(int n, const int *start, const int *item, int *order, CrdError *error);

#endif
