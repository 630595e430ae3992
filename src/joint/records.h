/* One record per joint, each in its own file. */
#ifndef CRD_JOINT_RECORDS_H
#define CRD_JOINT_RECORDS_H

#include "joint/joint.h"

extern const CrdJointKind crd_revolute, crd_prismatic, crd_weld, crd_distance, crd_spherical, crd_universal;

#endif
