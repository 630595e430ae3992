/* Geometry of a joint in body axes, from its description and the pose as written. */
#ifndef CRD_MODEL_JOINT_VALUES_H
#define CRD_MODEL_JOINT_VALUES_H

#include "model/model.h"

/* Fills numbers->joints[element] and where its number with memory starts; frames: by frame, in the pose as written.
 */
CardanStatus crd_resolve_joint(const CrdStructure *structure, const CrdDescription *description, int element,
                               const CardanFrame *frames, CrdValues *numbers, CrdError *error);

#endif
