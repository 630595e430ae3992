/* All rows of a common joint at once, beside the parts it is listed with: what its rows share is computed once. Each
 * writes what the parts write, to rounding, and the rates, which parts do not give. */
#ifndef CRD_JOINT_WHOLE_H
#define CRD_JOINT_WHOLE_H

#include "joint/joint.h"

void crd_plane_revolute(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_plane_prismatic(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_plane_weld(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_plane_distance(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);

void crd_space_revolute(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_space_spherical(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_space_universal(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_space_weld(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_space_prismatic(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_space_cylindrical(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);
void crd_space_distance(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);

#endif
