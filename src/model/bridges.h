/* Bridges of a graph: edges that lie on no cycle (Tarjan 1974, by low-links of a depth-first search). */
#ifndef CRD_MODEL_BRIDGES_H
#define CRD_MODEL_BRIDGES_H

#include "core/status.h"

#include <stdbool.h>

typedef struct CrdEdge {
    int a, b;
} CrdEdge;

/* Marks the edges whose removal parts their ends; there may be several between two vertices, and loops at one. */
CardanStatus crd_find_bridges(int vertices, int count, const CrdEdge *edges, bool *is_bridge, CrdError *error);

#endif
