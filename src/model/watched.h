/* Elements whose rows can become dependent in a pose: those a singularity watch has to look at.
 *
 * A dependency is a combination of rows, lambda^T G = 0. Let an element join two parts of the mechanism that nothing
 * else joins (a bridge). Moved as a whole, the part that is not the ground's changes none of its own rows, so the
 * element's alone must annul every such motion: lambda_e^T G_e = 0 on its body. Its rows are independent by themselves,
 * unless the joint's record says otherwise; so lambda_e = 0, and bridges take part in no dependency.
 *
 *     vertices   the ground and bodies. A custom block may not move as a whole: it counts as ground
 *     edges      joints and drivers of bodies, one each; rows of the user's read places, so they join what they touch
 *                to the ground
 *     couplers   name joints: with them they are one group. Alone on bridges it adds the coordinate of a joint, which
 *                is independent of the joint's rows; with several on the same joints, with a length (which can vanish),
 *                or where one of the joints is watched, the whole group is watched
 *
 * Watched are elements that are no bridges, those that can lose rank alone, and such groups. */
#ifndef CRD_MODEL_WATCHED_H
#define CRD_MODEL_WATCHED_H

#include "model/model.h"

/* Lists them in structure->watched; elements must be in elimination order. */
CardanStatus crd_structure_watch(CrdStructure *structure, CrdError *error);

#endif
