/* Which elements stand in cycles of the graph of rows.
 *
 * Vertices are coordinate blocks and the ground, edges are elements; an element may have more than two ends (a coupler
 * has those of all its joints). Cycles that share a vertex alone, be it the ground or a body, say nothing about each
 * other: seen from that body the rows of each are those of a mechanism of its own, because rows of joints know only
 * how bodies stand to each other. So rows can depend on each other within a component of cycles only, and those of an
 * element in no cycle not at all, but when it loses its own (a distance of length 0).
 *
 * Components are the biconnected ones (Hopcroft and Tarjan 1973) of the graph in which elements are vertices too, those
 * put together that share an element, or a block whose rows know more than how it stands to others. */
#ifndef CRD_MODEL_CYCLES_H
#define CRD_MODEL_CYCLES_H

#include "model/model.h"

/* Edges with any number of ends: those of edge e are end[start[e]] .. end[start[e + 1] - 1], all different. */
typedef struct CrdGraph {
    int vertices, edges;
    const int *start; /* (edges + 1) */
    const int *end;   /* vertices from 0 */
    const bool *ties; /* (vertices) true: components that share this vertex are one; NULL: none does so */
} CrdGraph;

/* component (edges): the number of the component of cycles that an edge belongs to, from 0 in the order of edges; -1:
 * a bridge, in no cycle. The number of components, or -1: out of memory. Takes the time of one walk. */
int crd_cycle_components(const CrdGraph *graph, int *component);

/* The same for the elements of a structure. The ground is an end of what stands on it, of rows of the user's and of
 * custom blocks, which may know where things are; elements without rows are in no cycle. */
int crd_element_components(const CrdStructure *structure, int *component);

#endif
