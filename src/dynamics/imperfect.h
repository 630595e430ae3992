/* Rows that depend on others but for errors of their data: hinges a little out of line, links a little too long.
 *
 * Where the rows of one joint are at fault, those that open are released: they carry nothing any more and the others
 * are met exactly. Else all rows are met as well as can be, by least squares at the rank r of the perfect mechanism
 * (RANK_AND_BRANCH 1.3): with K = D G T = U diag(s) V^T (equations/kinematic.h) and U_r the first r columns of U,
 *
 *     Z = U_r^T D,   (Z S Z^T) mu = Z b,   lambda = Z^T mu          Z taken at each factorisation
 *
 * in place of S lambda = b, for accelerations and corrections alike. In both cases what is left of g and G v + g_t in
 * the workspace is the part that can be met, Z^+ Z g, so that everybody else sees rows that close; what joints are open
 * by is kept here and watched. */
#ifndef CRD_DYNAMICS_IMPERFECT_H
#define CRD_DYNAMICS_IMPERFECT_H

#include "core/memory.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef enum CrdImperfection {
    CRD_PERFECT = 0,
    CRD_RELEASED, /* rows of one joint are left alone */
    CRD_SPREAD    /* least squares of all rows */
} CrdImperfection;

/* The largest opening so far of rows of one unit. */
typedef struct CrdOpening {
    double size; /* m or rad */
    double t;    /* s */
    int element;
} CrdOpening;

typedef struct CrdImperfect {
    CrdImperfection kind;
    double size;            /* what rows are open by near the start, in lengths of the mechanism or rad */
    bool *released;         /* (rows) */
    bool *in_loop;          /* (elements) with a part in the dependency */
    bool *is_length;        /* (rows) in m, not rad */
    double *open, *rate;    /* (rows) g and G v + g_t as they are */
    CrdOpening largest[2];  /* of rows in rad, in m */
    int rank;               /* spread: r */
    double top;             /* spread: largest s_r / s_1 in accepted states */
    double now;             /* spread: that of the last factor */
    bool taken;             /* spread: there is a Z */
    double *z, *z_inverse;  /* spread: (rows x r) by columns, Z^T; Z^+ */
    double *product, *work; /* spread: (rows x r), (r) */
    double *square;         /* spread: (r x r) Z S Z^T, then its Cholesky factor */
    CrdArena arena;
} CrdImperfect;

/* Room for what follows; allocates. The structure of the model must be small enough for a dense look. */
CardanStatus crd_imperfect_open(CrdDynamics *dynamics);
void crd_imperfect_close(CrdImperfect *imperfect);

/* Leaves alone the rows that are marked in imperfect.released. */
void crd_imperfect_release(CrdDynamics *dynamics);

/* Meets all rows by least squares at this rank. */
void crd_imperfect_spread(CrdDynamics *dynamics, int rank);

/* What another simulation of the same structure knows of its imperfect rows; allocates. */
CardanStatus crd_imperfect_copy(CrdDynamics *to, const CrdDynamics *from);

/* After rows were evaluated: the part of them that can be met, in place. */
void crd_imperfect_mask(CrdDynamics *dynamics);

/* ---- spread: what crd_factor and crd_solve_rows do then ---- */

bool crd_imperfect_is_spread(const CrdDynamics *dynamics);

/* S in the workspace becomes Z S Z^T, factored. CARDAN_ERR_NUMERIC: the loop comes to a singular pose, where the
 * branches of an imperfect one do not cross. */
CardanStatus crd_imperfect_factor(CrdDynamics *dynamics);
void crd_imperfect_solve(CrdDynamics *dynamics, double *r);

/* The configuration of the factor was accepted. */
void crd_imperfect_accept(CrdDynamics *dynamics);

/* ---- the watch ---- */

/* Are joints open by no more than ten times the tolerance of redundancy? CARDAN_ERR_NUMERIC and the joint's name if
 * not.
 */
CardanStatus crd_imperfect_check(CrdDynamics *dynamics);

/* The rows in the workspace are those of an accepted state: the largest openings. */
void crd_imperfect_watch(CrdDynamics *dynamics);

#endif
