/* Geometry of a joint in body axes, from its description and the pose as written. */
#ifndef CRD_MODEL_JOINT_NUMBERS_H
#define CRD_MODEL_JOINT_NUMBERS_H

#include "model/model.h"

/* Fills numbers->joints[element] and where its number with memory starts; frames: by carrier, in the pose as written.
 */
CardanStatus crd_resolve_joint(const CrdShape *shape, const CrdDescription *description, int element,
                               const CardanFrame *frames, CrdNumbers *numbers, CrdError *error);

#endif
