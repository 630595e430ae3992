/* The equations of motion of one simulation: workspace, solver, and what they are good for.
 *
 *     measure   frames and rows at (t, q, v): g, G v + g_t, gamma
 *     factor    S = G M^-1 G^T here, factored
 *     motion    S lambda = G M^-1 f - gamma,   a = M^-1 (f - G^T lambda)
 *
 * With Baumgarte's gains gamma is replaced by gamma - alpha (G v + g_t) - beta g. */
#ifndef CRD_SOLVE_DYNAMICS_H
#define CRD_SOLVE_DYNAMICS_H

#include "assembly/system.h"
#include "solve/solver.h"
#include "solve/spectrum.h"

typedef struct CrdRegulariser CrdRegulariser;

/* What was done about nearly dependent rows, from least to most. */
typedef enum CrdRemedy {
    CRD_REMEDY_NONE = 0,
    CRD_REMEDY_REFINED, /* refinement of the solve */
    CRD_REMEDY_ACROSS,  /* accelerations across the pose */
    CRD_REMEDY_SOFTENED /* rows softened, as asked for */
} CrdRemedy;

typedef struct CrdDynamics {
    const CardanModel *model;
    CrdSystem system;
    CrdSolver *solver;  /* the one at work: all or reduced */
    CrdSolver *all;     /* of all rows */
    CrdSolver *reduced; /* without the redundant rows found at the start; NULL: there are none */
    CrdChoice choice; /* the solver, and why */
    CrdActions actions;
    CardanMetric metric; /* of the last factorisation */
    double alpha, beta; /* 1/s, 1/s^2: Baumgarte's gains; 0: none */

    double *target; /* (rows) right side of G a = target: gamma, with Baumgarte's terms */
    double *lambda; /* (rows) N or N m; by crd_motion */
    double *a;      /* (nv) m/s^2, rad/s^2; by crd_motion */

    /* dependent rows */
    const CrdRegulariser *regulariser;
    double epsilon, radius; /* of the method; 0: its default */
    CrdSolver *shifted;     /* factor of S + eps I; NULL: the method has none */
    double *diagonal;       /* (rows) of S, while it is shifted */
    double shift;           /* the epsilon used last */
    int redundant;          /* rows that depend on others in every pose; known from the start */
    double tried;           /* largest closeness since other rows were last tried */
    double sigma_top;       /* largest singular value of the generic rank at looks so far */
    bool *was_redundant;    /* (rows) the choice before, while another is tried */
    bool *is_redundant;     /* (rows) which: they are taken out of S, so that what its pivots show is the pose alone */
    int *taken_out;         /* (taken_out_count) slots of S in their rows and columns, diagonal ones last */
    int taken_out_count, diagonal_count;
    bool factored;          /* the factor is that of what was measured last, in the mass metric */
    int dropped;            /* further rows left out of the last factor */
    double pivot_last;      /* smallest pivot ratio of the last factor */
    int pivot_row;          /* and its row */
    double pivot_min;       /* smallest so far */
    double *pivot_top;      /* (rows) largest pivot ratio of each row in accepted states: what is healthy for it */
    double *element_top;    /* (elements) the same of the product of an element's ratios: its rows may change roles */
    double *weak;           /* (rows) ratios below which rows count as weak */
    double closeness;       /* of the last factor: root of the smallest product of ratios / element_top */
    bool looks;             /* room for rank-revealing looks in steps */
    CrdSpectrum spectrum;
    CrdRemedy remedy;       /* the strongest since it was last cleared */
    double noise;           /* relative noise of the last accelerations */
    double *near_q, *near_v, *near_dx; /* (nq), (nv), (nv) a neighbour of a singular pose */
    double *a0, *near_a;    /* (nv), (3 nv) */
    double *near_lambda;    /* (rows) */
    double *r, *rv;         /* (rows), (nv) residuals of refinement */
    double *matrix, *image; /* (rows x rows) of dense regularisers */
    double pose_t;          /* s */
    double neighbour;       /* how far the neighbours across a pose are, in lengths of the model or rad */

    long measures, rhs, factorisations, solves;
    CrdError *error;  /* where sentences go */
} CrdDynamics;

/* Takes the workspace from an arena; called twice, measuring and real. */
void crd_dynamics_layout(CrdDynamics *dynamics, const CardanModel *model, const CardanOptions *options,
                         CrdArena *arena);

/* Makes the solver and what the way to regularise needs; to be called once after the layout. */
CardanStatus crd_dynamics_open(CrdDynamics *dynamics, const CardanOptions *options);
void crd_dynamics_close(CrdDynamics *dynamics);

/* Goes on with another model of the same shape. */
void crd_dynamics_use(CrdDynamics *dynamics, const CardanModel *model);

CardanStatus crd_measure(CrdDynamics *dynamics, double t, const double *q, const double *v);

/* Takes rows for redundant: those that the last factor left out. */
void crd_dynamics_take_out(CrdDynamics *dynamics);

/* Does the pose of the last factor look closer to a singular one than those since rows were last chosen? */
bool crd_dynamics_doubts_choice(CrdDynamics *dynamics);

/* Chooses other rows to take out when those kept come close to dependence though all rows together do not; at what was
 * measured and factored last, whose factor it may replace. */
CardanStatus crd_dynamics_choose_again(CrdDynamics *dynamics);

/* Makes the solver of the rows that are kept now. To be called outside of steps: when other rows are chosen later, theirs
 * are taken out of S instead. */
CardanStatus crd_dynamics_reduce(CrdDynamics *dynamics);

/* What another simulation of the same shape knows of its rank. */
CardanStatus crd_dynamics_copy_rank(CrdDynamics *to, const CrdDynamics *from);

/* Factors S in this metric at what was measured last. Dependent rows are left out (dynamics->dropped), or refused with
 * CARDAN_ERR_NUMERIC and the joint's name when nothing is to be done about them. */
CardanStatus crd_factor(CrdDynamics *dynamics, CardanMetric metric);

/* The same in the mass metric with weak rows left out too: pivots below the square of CRD_LAND of what is healthy. */
CardanStatus crd_factor_strong(CrdDynamics *dynamics);

/* The pose of the last factor is taken for healthy: rows remember their largest pivots. */
void crd_dynamics_healthy(CrdDynamics *dynamics);

/* What is remembered of rows and elements, as numbers (2 x rows + elements + 2): healthy pivots, which rows are taken out (0
 * or 1), healthy products, tried, sigma_top. */
int crd_dynamics_rank_size(const CrdShape *shape);
void crd_dynamics_get_rank(const CrdDynamics *dynamics, double *numbers);
void crd_dynamics_set_rank(CrdDynamics *dynamics, const double *numbers);

/* Zeros in the rows that are taken out. */
void crd_take_out_rows(const CrdDynamics *dynamics, double *r);

/* r becomes S^-1 r with the last factor. */
CardanStatus crd_solve_rows(CrdDynamics *dynamics, double *r);

/* Accelerations and multipliers at what was measured last. */
CardanStatus crd_motion(CrdDynamics *dynamics, const double *q, const double *v);

/* Largest |g| and |G v + g_t| of what was measured last. */
double crd_worst(const double *rows, int n);

#endif
