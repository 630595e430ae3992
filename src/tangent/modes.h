/* Modes of the linearised equations. Damped ones are the finite eigenvalues of E X' = A X; undamped ones those of
 *     (K - omega^2 M) x + G^T mu = 0,   G x = 0        K = D_x
 * at rest. Small models: the minimal form, dense. Large ones: A - sigma E and the saddle of K - sigma M factored once,
 * sparse, and block Krylov spaces of their inverses. */
#ifndef CRD_TANGENT_MODES_H
#define CRD_TANGENT_MODES_H

#include "linear/krylov.h"
#include "tangent/linear.h"

typedef struct CrdModeList {
    int count;
    CardanMode *mode;
    double *re, *im; /* (nv x count) */
} CrdModeList;

struct CardanModes {
    CardanModel *model; /* retained */
    int nv;
    int ignorable;
    CrdModeList list[CARDAN_MODE_KINDS];
};

/* Room for count modes. */
CardanStatus crd_modes_room(CardanModes *modes, CardanModeKind kind, int count, CrdError *error);

/* Adds an eigenvalue with its shape (nv; im may be NULL), which is made to have the size 1. */
void crd_modes_add(CardanModes *modes, CardanModeKind kind, double re, double im, double residual, const double *x_re,
                   const double *x_im);

/* modes_dense.c, modes_sparse.c: both kinds; undamped ones only at rest. number: how many, 0: all. */
CardanStatus crd_modes_dense(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, bool at_rest,
                             int number);
CardanStatus crd_modes_sparse(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, int number);

#endif
