/* The constraint rows at one pose seen densely: singular values and vectors of the row-scaled
 *
 *     B = D G L^-T = U diag(sigma) V^T        M = L L^T,  D: every row of B has length 1
 *
 * B has the singular values of D G M^-1/2: in it least corrections and least multipliers are found. Questions of rank
 * are asked of the kinematic rows D G T instead (equations/kinematic.h), which know neither units nor masses. For the
 * start, for questions about a model (up to CRD_DENSE_LOOK) and for the few evaluations in a singular pose
 * (CRD_LOOK_IN_STEP). */
#ifndef CRD_LINEAR_SPECTRUM_H
#define CRD_LINEAR_SPECTRUM_H

#include "linear/mass_root.h"

/* Which decomposition is at hand. */
typedef enum CrdDecomposition { CRD_DECOMPOSED_NOT = 0, CRD_SINGULAR_VALUES, CRD_PIVOTED_QR } CrdDecomposition;

typedef struct CrdSpectrum {
    const CardanModel *model;
    int rows, columns;      /* of B: constraint rows and velocities */
    int count;              /* the smaller of them: how many singular values */
    bool *held;             /* (blocks) true: the block does not move, its columns are zero */
    CrdMassRoot root;       /* L */
    bool kinematic;         /* T stands in place of L^-T, and the rows of each element are made orthonormal by D */
    const bool *left_alone; /* (rows) true: zeros in place of the row; NULL: none */
    double *factors;        /* kinematic: D^-1, element by element (equations/kinematic.h) */
    double *pieces;         /* kinematic: of K */
    CrdDecomposition holds;
    double *b;     /* (rows x columns) by columns; destroyed by the decomposition */
    double *scale; /* (rows) the diagonal of D; 1 for rows of zeros, and where the rows are kinematic */
    double *u;     /* (rows x count) by columns */
    double *sigma; /* (count) falling */
    double *vt;    /* (count x columns) by columns */
    double *y, *c; /* (columns), (rows): scratch */
    double *work;  /* of LAPACK */
    int work_size;
    int *index; /* of LAPACK */
    CrdArena arena;
} CrdSpectrum;

/* Does this model fit a dense look? */
bool crd_spectrum_fits(const CrdStructure *structure);

/* Workspace for the model; to be closed in any case. */
CardanStatus crd_spectrum_open(CrdSpectrum *spectrum, const CardanModel *model, CrdError *error);
void crd_spectrum_close(CrdSpectrum *spectrum);

/* Goes on with another model of the same structure. */
void crd_spectrum_use(CrdSpectrum *spectrum, const CardanModel *model);

/* B of the rows in the workspace, and D; holonomic: with zeros in place of nonholonomic rows. */
CardanStatus crd_spectrum_fill(CrdSpectrum *spectrum, const CrdSystem *system, bool holonomic, CrdError *error);

/* y <- L^-1 y; x = L^-T y. */
void crd_spectrum_roots(const CrdSpectrum *spectrum, const CrdSystem *system, double *y);
void crd_spectrum_velocities(const CrdSpectrum *spectrum, const CrdSystem *system, const double *y, double *x);

/* Decomposes the rows in the workspace; holonomic: with zeros in place of nonholonomic ones. */
CardanStatus crd_spectrum_take(CrdSpectrum *spectrum, const CrdSystem *system, bool holonomic, CrdError *error);

/* The same of the kinematic rows; what follows then is in the metric of T, and lines of U are those of elements' rows
 * made orthonormal, so that single rows cannot be chosen by them. */
CardanStatus crd_spectrum_take_kinematic(CrdSpectrum *spectrum, const CrdSystem *system, bool holonomic,
                                         CrdError *error);

/* The singular values of the kinematic rows alone, at a third of the cost: nothing below may be asked then. */
CardanStatus crd_spectrum_measure_kinematic(CrdSpectrum *spectrum, const CrdSystem *system, CrdError *error);

/* Singular values above tolerance times the largest. */
int crd_spectrum_rank(const CrdSpectrum *spectrum, double tolerance);

/* r <- D r, or D^T r, of the rows last taken. */
void crd_spectrum_scale(const CrdSpectrum *spectrum, bool transposed, double *r);

/* x of least x^T M x with G x = -r, as far as the first `rank` singular values tell. */
void crd_spectrum_correct(CrdSpectrum *spectrum, const CrdSystem *system, const double *r, int rank, double *x);

/* The feasible part of x: x less its part along the first `rank` right singular vectors, in the metric of M. x enters
 * as L^T x and leaves as itself. */
void crd_spectrum_feasible(CrdSpectrum *spectrum, const CrdSystem *system, int rank, double *x);

/* Part (0 to 1) that each row has in the dependencies left by the first `rank` singular values: the length of its
 * line of I - U U^T. part is rows long, square rows x rows scratch. */
void crd_spectrum_parts(const CrdSpectrum *spectrum, int rank, double *square, double *part);

/* Marks as many rows as this rank leaves over, those that the others determine best: rows with long lines of I - U U^T,
 * one after another, each less what the ones before it explain (Cholesky with pivoting). false: too many for the
 * scratch. */
bool crd_spectrum_choose(CrdSpectrum *spectrum, int rank, bool *left_out);

/* The least D^-1 lambda with G^T lambda = r as far as this rank tells. */
void crd_spectrum_multipliers(CrdSpectrum *spectrum, const CrdSystem *system, const double *r, int rank,
                              double *lambda);

/* ---- by QR with column pivoting, at a tenth of the cost of singular values (spectrum_qr.c) ---- */

/* Numbers of scratch that LAPACK wants for it. */
double crd_spectrum_qr_work(const CrdSpectrum *spectrum);

/* B^T P = Q R of the rows in the workspace but those left out, in place of the singular values. rank: pivots above
 * tolerance times the largest. */
CardanStatus crd_spectrum_take_qr(CrdSpectrum *spectrum, const CrdSystem *system, const bool *left_out,
                                  double tolerance, int *rank, CrdError *error);

/* The motion at this rank by that QR: a of M a + G^T lambda = f, G a = target, least in a - M^-1 f in the metric of M,
 * and lambda, zero in the rows that depend on others. */
void crd_spectrum_motion_qr(CrdSpectrum *spectrum, const CrdSystem *system, const double *f, const double *target,
                            int rank, double *a, double *lambda);

#endif
