/* Pulling a state back to the invariants h(z) = 0: the families z' = f - gamma F h and the corrections made of them.
 *
 *     F = D                                plain     (ACR92, 1.14)
 *     F = D (H D)^-1                       inverse   (ACR92, 1.13)
 *     F = D blockdiag((G D_i)^-1)          blocks    (ACR92, 4.8): L is not needed
 * with D one of
 *     B, B; G^T, G^T; a given matrix       a block for each level of z     (ACR92, 4.7)
 *     H^T                                  the shortest way back
 * rows picks the levels of h that are held, moved the halves of z that may change: position, velocity, or both.
 *
 * Corrections of the step z0 -> z, all but the first from the tentative end z:
 *     forward    z <- z - alpha F(z0) h(z0)                          (ACR92, 3.4)
 *     backward   z_new = z - alpha F(z_new) h(z_new)                 (ACR92, 3.7)
 *     post       z <- z - alpha F(z) h(z), passes times              (ACR92, 3.9; LEC10, 10.2.2)
 *     project    z <- z - D(z_tentative) lambda until h(z) = 0       (ACR92, 3.10) */
#ifndef CRD_LAB_STABILISER_H
#define CRD_LAB_STABILISER_H

#include "lab/dense.h"
#include "lab/problem.h"

enum { CRD_LAB_POSITION = 1, CRD_LAB_VELOCITY = 2, CRD_LAB_ALL = 3 };

typedef enum CrdLabScaling { CRD_LAB_PLAIN = 0, CRD_LAB_INVERSE, CRD_LAB_BLOCKS } CrdLabScaling;

typedef struct CrdLabDirections {
    const char *name;
    bool wants_b;     /* the problem must have multipliers */
    bool wants_given; /* the stabiliser must give a matrix */
    /* D (state x invariants), arrives zeroed. given: n x rows. */
    void (*fill)(const CrdLabProblem *problem, const CrdLabTerms *terms, const double *given, double *d);
} CrdLabDirections;

extern const CrdLabDirections crd_lab_along_b, crd_lab_along_g, crd_lab_along_h, crd_lab_along_given;

struct CrdLabStabiliser;

typedef struct CrdLabCorrection {
    const char *name;
    /* z (at t) is the tentative end of a step from z0 (at t0). */
    CardanStatus (*correct)(const struct CrdLabStabiliser *stabiliser, double t0, const double *z0, double t, double *z,
                            CrdLabWorkspace *workspace);
} CrdLabCorrection;

extern const CrdLabCorrection crd_lab_forward, crd_lab_backward, crd_lab_post, crd_lab_project;

typedef struct CrdLabStabiliser {
    const CrdLabProblem *problem; /* set by the run */
    const CrdLabDirections *directions;
    const double *given; /* (n x rows) for crd_lab_along_given */
    CrdLabScaling scaling;
    unsigned rows, moved;               /* CRD_LAB_...; 0: all */
    const CrdLabCorrection *correction; /* NULL: none */
    double alpha;                       /* of the correction; 0: 1 */
    int passes;                         /* post; 0: 1 */
    bool frozen;                        /* post: F of the first pass serves all */
    double tolerance;                   /* project: of |h|; 0: CRD_LAB_PROJECT */
} CrdLabStabiliser;

/* D, h and what its inverse is taken of, at one state. */
typedef struct CrdLabPull {
    int state, rows; /* rows: invariants held */
    double *h;       /* (rows) */
    double *d;       /* (state x rows) */
    double *hd;      /* (rows x rows) H D, its diagonal blocks, or the identity */
} CrdLabPull;

/* CARDAN_ERR_ARGUMENT with the reason when directions, rows or correction do not fit the problem. */
CardanStatus crd_lab_check_stabiliser(const CrdLabStabiliser *stabiliser, CrdError *error);

/* How many invariants it holds. */
int crd_lab_held(const CrdLabStabiliser *stabiliser);

/* Fills pull from the terms at z, in room from the workspace. */
CardanStatus crd_lab_pull(const CrdLabStabiliser *stabiliser, const double *z, const CrdLabTerms *terms,
                          CrdLabWorkspace *workspace, CrdLabPull *pull);

/* z -= factor F h */
CardanStatus crd_lab_apply(const CrdLabPull *pull, double factor, const double *h, double t, double *z,
                           CrdLabWorkspace *workspace);

#endif
