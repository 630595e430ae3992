/* The factor of S, and what the rows are solved with.
 *
 * The monitor and every regulariser look at its pivots: a pivot against its diagonal entry is the share of a row that
 * the rows before it do not explain. */
#ifndef CRD_DYNAMICS_FACTOR_H
#define CRD_DYNAMICS_FACTOR_H

#include "dynamics/uneven.h"
#include "linear/solver.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdFactor {
    CrdSolver *solver;   /* the one at work: all or reduced */
    CrdSolver *all;      /* of all rows */
    CrdSolver *reduced;  /* without the redundant rows found at the start; NULL: there are none */
    CrdChoice choice;    /* the back end, and why */
    CardanMetric metric; /* of the last factorisation */
    bool made;           /* there is one */
    int dropped;         /* rows left out of it besides the redundant ones */
    double pivot_last;   /* its smallest pivot ratio */
    int pivot_row;       /* and its row */
    double pivot_min;    /* smallest so far */
    CrdUneven uneven;    /* what stands in for it where masses are too uneven */
} CrdFactor;

/* The pattern of S, with its elimination. */
CrdPattern crd_schur_pattern(const CrdStructure *structure);

/* Makes the back end; once, after the layout. */
CardanStatus crd_factor_open(CrdDynamics *dynamics, CardanSolver solver);
void crd_factor_close(CrdFactor *factor);

/* Factors S in this metric at the rows of the workspace. Dependent rows are left out (factor.dropped), or refused with
 * CARDAN_ERR_NUMERIC and the joint's name when nothing is to be done about them. */
CardanStatus crd_factor(CrdDynamics *dynamics, CardanMetric metric);

/* The same for corrections alone: the singularity measure stays that of the state before, unless masses may be so
 * uneven that the geometry has to correct. */
CardanStatus crd_factor_unwatched(CrdDynamics *dynamics, CardanMetric metric);

/* The same in the mass metric with weak rows left out too: pivots below the square of CRD_LAND of what is healthy. The
 * monitor keeps what the full factor showed, and the factor does not count as that of the workspace. */
CardanStatus crd_factor_without_weak_rows(CrdDynamics *dynamics);

/* Factors S in this metric at the rows of the workspace with a solver that is not the dynamics' own, whose factor
 * stays. No dependent row may be left out of it but the redundant ones: CARDAN_ERR_NUMERIC, without a sentence. The
 * workspace holds T of that factor then. */
CardanStatus crd_factor_apart(CrdDynamics *dynamics, CardanMetric metric, CrdSolver *solver, CrdPivot *pivot);

/* Do the last accelerations meet all rows but the redundant ones, with their own multipliers? */
bool crd_all_rows_act(const CrdDynamics *dynamics);

/* r becomes S^-1 r with the factor there is, of this state or (a kept one) of another; zero in redundant rows. */
CardanStatus crd_solve_rows(CrdDynamics *dynamics, double *r);

/* x = -W G^T (G W G^T)^-1 r of two right sides in one sweep, number beside number (rows x 2; nv x 2), all of it of the
 * state that the factor was made at; r is changed, scratch as long as rows. */
CardanStatus crd_correct_twice(CrdDynamics *dynamics, double *r, double *scratch, double *x);

#endif
