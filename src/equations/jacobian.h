/* Exact derivatives of the equations of motion as a sparse matrix: the full residual
 *
 *     kinematics      q' - N (v + x)                    x: given velocities that are added
 *     dynamics        M a + G^T lambda - f
 *     states          z' - r
 *     accelerations   G a - gamma,   positions  g,   velocities  G v + g_t
 *
 * over q, v and z, at given a and lambda. They come from the records: of joints (joint.h), forces (force.h),
 * expressions and callbacks with derivatives. Along displacements x of blocks q moves by N x; of a quaternion p, which
 * need not have length 1, the rotation in own axes is (2 / |p|^2) (p* o dp), which is where its four columns come from.
 *
 * Not from records: gamma is the second derivative of rows along the motion, so its own would be third ones. They, and
 * what callbacks do not give, are central differences (good to about 1e-10). Blocks that share no element are moved at
 * the same time (Curtis, Powell, Reid 1974): of a chain of any length a few dozen evaluations of the rows.
 *
 * Who wants a matrix runs over its parts twice (core/tiles.h): first for the pattern, once per structure, then, as
 * often as it likes, for the numbers. Each part says where its rows and columns start. */
#ifndef CRD_EQUATIONS_JACOBIAN_H
#define CRD_EQUATIONS_JACOBIAN_H

#include "core/tiles.h"
#include "equations/force_derivatives.h"
#include "equations/system.h"

/* Columns of positions, velocities and first-order states. */
typedef struct CrdColumns {
    int q, v, z;
} CrdColumns;

typedef struct CrdJacobian {
    const CardanModel *model;
    CrdSystem *system;
    const CrdActions *actions;
    CrdError *error;
    CrdTiles *tiles;
    double *values; /* the set of values that parts add to */

    const double *q, *v; /* where derivatives are taken: crd_jacobian_at */
    const double *a;
    const double *lambda; /* (rows) */

    CrdLoadDerivatives loads;
    int widest;                            /* nv of the widest block, at least 6 */
    double *frame_gradients;               /* by block frame, 6 x n, where its Jacobian stands: (J v)_q */
    double *frame_loads;                   /* (frames x 6) on block frames: f - G^T lambda */
    double *local[4];                      /* (widest x (widest + 1)) of one rectangle, and on the way to it */
    double *element[2];                    /* of one element, (6 attachments)^2 */
    double *q_moved;                       /* (nq) */
    double *v_moved;                       /* (nv) */
    double *slots;                         /* (3 max_rows) of rows that are evaluated once more */
    double *seen;                          /* (2 rows) on one side of a difference */
    double *pieces;                        /* (size_g) the same, of pieces */
    double *state_rates;                   /* of one set of the user's states */
    int *colour, colours;                  /* by block: blocks of one colour share no element */
    int *block_start, *block_item, *taken; /* room of colouring */
} CrdJacobian;

/* Takes the room from an arena, called twice, measuring and real; then blocks are coloured. */
void crd_jacobian_layout(CrdJacobian *jacobian, const CrdStructure *structure, CrdArena *arena);

/* The workspace is put at (t, q, v) with all that the parts need, and a, lambda are noted. Not needed for the pattern.
 */
CardanStatus crd_jacobian_at(CrdJacobian *jacobian, double t, const double *q, const double *v, const double *a,
                             const double *lambda);

/* ---- parts; each adds to jacobian->values, or notes its rectangles ---- */

/* -(N (v + x))_q and -N; x (nv) may be NULL. */
void crd_jacobian_kinematics(CrdJacobian *jacobian, int row, CrdColumns columns, const double *x);

/* (M a + G^T lambda - f) and, in the rows `states`, -r, over q, v and z. */
CardanStatus crd_jacobian_dynamics(CrdJacobian *jacobian, int row, int states, CrdColumns columns);

/* scale M, or scale times the identity, over velocities. */
void crd_jacobian_mass(CrdJacobian *jacobian, int row, int column, double scale, CardanMetric metric);

/* scale times the identity, n rows and columns of it, one by one. */
void crd_jacobian_identity(CrdJacobian *jacobian, int row, int column, int n, double scale);

/* scale pieces (like G) over positions, and over velocities. */
void crd_jacobian_over_q(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces);
void crd_jacobian_over_v(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces);

/* scale pieces^T into rows of velocities, and N pieces^T into those of positions; columns are rows of the model. */
void crd_jacobian_transposed(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces);
void crd_jacobian_pushed(CrdJacobian *jacobian, int row, int column, double scale, const double *pieces);

/* ---- pieces; into arrays like G. Each leaves the workspace at the point ---- */

/* The derivative of G v + g_t along displacements. */
CardanStatus crd_jacobian_rates(CrdJacobian *jacobian, double *out);

/* The derivative of G x along displacements, x (nv) fixed. */
CardanStatus crd_jacobian_rows_along(CrdJacobian *jacobian, const double *x, double *out);

/* The derivatives of gamma along displacements and over velocities. */
CardanStatus crd_jacobian_gamma(CrdJacobian *jacobian, double *over_x, double *over_v);

#endif
