/* What one force reads at one state, made ready for its kernels: shared by loads, derivatives and switches. */
#ifndef CRD_EQUATIONS_FORCE_SCENE_H
#define CRD_EQUATIONS_FORCE_SCENE_H

#include "equations/system.h"

typedef struct CrdForceScene {
    CrdForceInput input;
    double value[CRD_FORCE_LAWS], value_change[CRD_FORCE_LAWS];
    double z_change[CRD_FORCE_STATES];
    CrdCoordinate coordinate, coordinate_change;
    int law;        /* the one looked at last */
    CrdError inner; /* what it says of itself, without the force's name */
} CrdForceScene;

/* Fills CrdSystem.law_values and law_jets (without derivatives) from the frames. */
CardanStatus crd_law_input(const CardanModel *model, const CrdActions *actions, CrdSystem *system, CrdError *error);

/* What force number `index` reads of frames, coordinates and states; none of its laws. */
void crd_force_frames(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                      CrdForceScene *scene);

/* Everything it reads; after crd_law_input. */
CardanStatus crd_force_scene(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                             CrdForceScene *scene, CrdError *error);

/* The values of its laws again, after variables of these have changed. */
CardanStatus crd_force_scene_values(const CardanModel *model, int index, CrdSystem *system, CrdForceScene *scene,
                                    CrdError *error);

/* What the scene's kernels read along system->changes and the derivatives in law_jets: of states, and of the measures
 * that its laws use. */
CardanStatus crd_force_scene_along(const CardanModel *model, int index, CrdSystem *system, CrdForceScene *scene);

/* The coordinate of its joint that a force acts along. */
CardanCoordinate crd_force_coordinate(const CardanModel *model, int index);

/* The sentence of a kernel or law that failed. */
CardanStatus crd_force_failed(const CardanModel *model, int index, const CrdSystem *system, const CrdForceScene *scene,
                              CardanStatus status, CrdError *error);

#endif
