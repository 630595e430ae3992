/* One record per joint, each in its own file. */
#ifndef CRD_JOINT_RECORDS_H
#define CRD_JOINT_RECORDS_H

#include "joint/joint.h"

extern const CrdJointKind crd_revolute, crd_prismatic, crd_weld, crd_distance, crd_spherical, crd_universal;
extern const CrdJointKind crd_cylindrical, crd_screw, crd_planar, crd_point_on_line, crd_point_on_plane;
extern const CrdJointKind crd_parallel, crd_perpendicular, crd_angle;
extern const CrdJointKind crd_driver, crd_coupler, crd_curve, crd_rolling, crd_knife_edge;

#endif
