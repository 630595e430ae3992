/* Accelerations near a kinematic singularity.
 *
 * With w the singularity measure (monitor.h), the constraints there are like x y = 0 on the branch y = 0, x = w:
 * rounding leaves eps/w in y, eps/w^2 in y' and so eps/w^3 in y''. As w falls:
 *     w < CRD_APPROACH   the solve is refined to the accuracy of an orthogonal factorisation, and stages are put on the
 *                        constraints first, because off them accelerations have a pole there
 *     w < CRD_LAND       the row that vanishes is left out, and what it would say is taken from neighbours along the
 *                        motion, on both sides of the pose, where it still says it:
 *
 * With a0 the acceleration without the weak row and A(d) the mean of the ordinary accelerations at
 * (q +- d v + d^2 a0 / 2, v +- d a0), the wrong part e of a0 comes back as -k e, k = 2 / (1 - r^2), r the distance to
 * the pose in units of d, seen by the singularity measure of the two neighbours. So
 *     A(d) = a - k(d) (a0 - a) + c2 d^2 + c4 d^4 + ...
 * and three distances give a. In the pose itself (r = 0) it is a = (A + 2 a0) / 3, which is the next derivative of the
 * constraints, 3 u' G' a = u' (gamma_q N v) for the left null vector u (SINGULARITIES). Multipliers are the limit of
 * the mean on both sides, and what G^T lambda = f - M a says of the rows that do not vanish. */
#ifndef CRD_DYNAMICS_NEAR_POSE_H
#define CRD_DYNAMICS_NEAR_POSE_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

/* What was done about nearly dependent rows, from least to most. */
typedef enum CrdRemedy {
    CRD_REMEDY_NONE = 0,
    CRD_REMEDY_REFINED, /* refinement of the solve */
    CRD_REMEDY_ACROSS,  /* accelerations across the pose */
    CRD_REMEDY_SOFTENED /* rows softened, as asked for */
} CrdRemedy;

typedef struct CrdNearPose {
    CrdRemedy remedy;   /* the strongest since it was last cleared */
    double noise;       /* relative noise of the last accelerations */
    double t;           /* s; of the state looked at */
    double distance;    /* of the neighbours, in lengths of the model or rad */
    double *q, *v, *dx; /* (nq), (nv), (nv) a neighbour */
    double *a0, *mean;  /* (nv), (3 nv) */
    double *lambda;     /* (rows) from those of the neighbours */
    double *free;       /* (nv) M^-1 f */
} CrdNearPose;

void crd_near_pose_layout(CrdNearPose *near_pose, const CrdStructure *structure, CrdArena *arena);

/* What the method does about a motion that was solved for near a singular pose. */
CardanStatus crd_solve_near_pose(CrdDynamics *dynamics, const double *q, const double *v);

#endif
