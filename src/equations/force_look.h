/* One force looked at along changes of what it reads: shared by its derivatives and products with them. */
#ifndef CRD_EQUATIONS_FORCE_LOOK_H
#define CRD_EQUATIONS_FORCE_LOOK_H

#include "equations/force_scene.h"

typedef struct CrdForceLook {
    const CardanModel *model;
    int index;
    const CrdForceStructure *structure;
    CrdSystem *w;
    const CrdActions *actions;
    CrdForceScene scene;
    bool still; /* measures that laws read stay as they are */
    CrdError *error;
} CrdForceLook;

/* The scene made ready; and jets as crd_law_input left them. */
CardanStatus crd_look_begin(CrdForceLook *work);
void crd_look_end(CrdForceLook *work);

/* Changes of all loads and rates along what stands in system->changes and the jets of states, into load_changes. */
CardanStatus crd_look_along(CrdForceLook *work, double *rates);

#endif
