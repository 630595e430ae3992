/* Long paths in a graph that is to be eliminated. */
#ifndef CRD_MODEL_PATHS_H
#define CRD_MODEL_PATHS_H

#include "core/status.h"

/* order: of n vertices, whose neighbours stand at item[start[i] .. start[i + 1]), i itself among them. Of a part of the
 * graph that is a path of at least `least` vertices both halves are done from their ends on and the middle last: the
 * same fill, in two branches of one size. Parts of the graph stay in one piece where they are in one. */
CardanStatus crd_halve_paths(int n, const int *start, const int *item, int least, int *order, CrdError *error);

#endif
