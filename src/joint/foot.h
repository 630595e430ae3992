/* Paths c(s) fixed in a body, and feet of points on them. */
#ifndef CRD_JOINT_FOOT_H
#define CRD_JOINT_FOOT_H

#include "core/status.h"
#include "expr/expr.h"
#include "joint/joint.h"

typedef struct CrdPath {
    CrdExpr *const *law; /* 2 or 3 expressions; their variable 0 is s */
    int dimensions;
    CrdJet *variables;    /* number 0 is written; the others do not move */
    const CrdSide *sides; /* of the kinks of all laws; NULL: none is held */
} CrdPath;

/* The foot for the rows of a curve: where the plane across the path's tangent at `near`, through the point (a's axes),
 * cuts the path. CARDAN_ERR_NUMERIC: the path has no value or no tangent there, or the point has left it. */
CardanStatus crd_foot_find(const CrdPath *path, CrdVec point, double near, CrdFoot *out, CrdError *error);

/* The parameter of the nearest foot, looked for from *s when given, else all along CRD_CURVE_SEARCH. */
CardanStatus crd_foot_nearest(const CrdPath *path, CrdVec point, bool given, double *s, CrdError *error);

#endif
