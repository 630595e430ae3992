/* Derivatives of custom blocks and of their frames in the n coordinates of the block, row-major: from the user's
 * callbacks, or by central differences of the callbacks they belong to, at the scene's q, v and the system's time.
 *
 * A load L on a frame is the force J^T L on the block, so with J dq for the frame's displacement
 *     (J^T L)_q = J^T (L_x J + L_v (J v)_q) + (J^T L)_q at fixed L        (J^T L)_v = J^T L_v J */
#ifndef CRD_EQUATIONS_BLOCK_DERIVATIVES_H
#define CRD_EQUATIONS_BLOCK_DERIVATIVES_H

#include "equations/element.h"

/* Numbers of scratch that derivatives of custom blocks and user rows take (CrdSystem.probe). */
size_t crd_probe_size(const CrdStructure *structure);

/* block: number of the coordinate block in the structure. */
CardanStatus crd_block_gradient(const CrdScene *scene, int block, CrdSystem *system, double *out,
                                CrdError *error); /* (G v)_q of its own rows: rows x n */
CardanStatus crd_block_reactions(const CrdScene *scene, int block, CrdSystem *system, const double *lambda, double *out,
                                 CrdError *error); /* (G^T lambda)_q, lambda of its own rows: n x n */
CardanStatus crd_block_inertia(const CrdScene *scene, int block, CrdSystem *system, const double *a, double *out,
                               CrdError *error); /* (M a)_q, a of the block: n x n */
CardanStatus crd_block_force(const CrdScene *scene, int block, CrdSystem *system, const double *inputs, double *by_q,
                             double *by_v, CrdError *error); /* of its force callback: n x n both */

/* frame: of a block's frame. */
CardanStatus crd_frame_gradient(const CrdScene *scene, int frame, CrdSystem *system, double *out,
                                CrdError *error); /* (J v)_q: 6 x n */
CardanStatus crd_frame_loads(const CrdScene *scene, int frame, CrdSystem *system, const double *load, double *out,
                             CrdError *error); /* (J^T load)_q at fixed load: n x n */

#endif
