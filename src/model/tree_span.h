/* The choice of a spanning tree in the graph of frames and joints. */
#ifndef CRD_MODEL_TREE_SPAN_H
#define CRD_MODEL_TREE_SPAN_H

#include "model/model.h"

/* The one-freedom joints (or others of a tree) that a joint is made of, from its parent's side on. */
typedef struct CrdChain {
    int count;
    CrdBlockKind kind[3];
} CrdChain;

/* NULL: the element is no joint of a tree. */
const CrdChain *crd_joint_chain(const CrdStructure *structure, const CrdDescription *description, int element);

/* By frame: the frame it hangs on, and by which element; -1, -1: free. */
typedef struct CrdSpanning {
    int *parent, *element;
} CrdSpanning;

/* To be freed in any case. */
CardanStatus crd_span(const CrdStructure *structure, const CrdDescription *description, CrdSpanning *out,
                      CrdError *error);
void crd_spanning_free(CrdSpanning *spanning);

#endif
