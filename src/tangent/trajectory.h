/* A trajectory whose steps can be differentiated. One accepted step from y to y_new of an explicit Runge-Kutta method,
 *
 *     Y_s = y + h sum_j a_sj K_j      K_s = F(t_s, Y_s, p)      y_raw = y + h sum_s b_s K_s      y_new = P(y_raw, p)
 *
 * has the derivative (d: along a direction; y without tracked coordinates and work, which follow from it)
 *
 *     L_s dK_s = -S_s dY_s - R_s dp        dy_new = P' dy_raw - ...
 *
 * with L, S the derivatives of the equations of motion with multipliers over rates and state (integrate/linearise.h,
 * index1), R over a parameter, and P' the projection along W G^T on the constraints of y_new. */
#ifndef CRD_TANGENT_TRAJECTORY_H
#define CRD_TANGENT_TRAJECTORY_H

#include "integrate/linearise.h"
#include "linear/sparse_lu.h"
#include "sim/sim.h"
#include "tangent/kept.h"
#include "tangent/touched.h"

/* An event on the way, which ends step state - 1. */
typedef struct CrdTransition {
    long state;     /* number of the state that it leaves behind */
    int who;        /* the switch, the first of those that are crossed together */
    bool *crossed;  /* (switch_count) */
    bool resets;    /* the state changes by it */
    bool stops;     /* the run ends with it */
    double *before; /* (n) the state it is met in */
} CrdTransition;

typedef struct CrdTrajectory {
    CardanSim *sim; /* steps explicitly, in absolute coordinates */
    CardanSim *at;  /* linearises: its matrices are those of an implicit stepper */
    const CrdStructure *structure;
    const CrdTableau *tableau;
    int n, core, size; /* length of y; of what is differentiated; with multipliers */
    long steps, room;
    double *t, *y;             /* (steps + 1), (steps + 1) x n */
    CrdSide *sides;            /* steps x switch_count: on which laws are held */
    CrdTransition *transition; /* in their order */
    long transitions, transition_room;
    CrdKept kept;           /* slopes of stages */
    double *slope, *stage;  /* (stages + 1) x n of the step at hand */
    double *low, *high;     /* (size) residuals on both sides of a parameter */
    double *pieces;         /* (size_g) (G v)_x */
    double *matrix, *u;     /* entries of L or its transpose; multipliers */
    int *start, *row, *map; /* pattern of the transpose, and where its entries come from */
    CrdSparseLu *lu;        /* of L, or of its transpose */
    bool transposed;
} CrdTrajectory;

CardanStatus crd_trajectory_open(CrdTrajectory *trajectory, const CardanModel *model, const CardanOptions *options,
                                 bool transposed, CrdError *error);
/* A simulation at its start; there may be one to destroy after a failure too. */
CardanStatus crd_trajectory_start(const CardanModel *model, const CardanOptions *options, CardanSim **out,
                                  CrdError *error);
void crd_trajectory_close(CrdTrajectory *trajectory);

/* Steps to the end and keeps each accepted state. */
CardanStatus crd_trajectory_run(CrdTrajectory *trajectory, double end, CrdError *error);

/* What ends with state i; NULL: nothing. The state that step i - 1 reached, before what its end makes of it. */
const CrdTransition *crd_trajectory_transition(const CrdTrajectory *trajectory, long i);
const double *crd_trajectory_reached(const CrdTrajectory *trajectory, long i);

/* From here on laws are held as in step i. */
void crd_trajectory_hold(CrdTrajectory *trajectory, long i);

/* Stages of step i again. */
CardanStatus crd_trajectory_stages(CrdTrajectory *trajectory, long i, CrdError *error);

/* When stage s of step i is. */
double crd_trajectory_time(const CrdTrajectory *trajectory, long i, int s);

/* dq (nq) <- what x, over displacements, is over positions that keep quaternions of unit length. */
void crd_displace_back(const CrdStructure *structure, const double *q, const double *x, double *dq);

/* x (nv) <- N^T dq at q. */
void crd_rates_back(const CrdStructure *structure, const double *q, const double *dq, double *x);

/* Linearises stage s of the step at hand and factors. */
CardanStatus crd_trajectory_linearise(CrdTrajectory *trajectory, long i, int s, CrdError *error);

/* R of the stage that was linearised last, into trajectory->high (size). */
CardanStatus crd_trajectory_over(CrdTrajectory *trajectory, const CrdKnob *knob, long i, int s, CrdError *error);

/* out (core or size) += s S x, or s S^T x. */
void crd_trajectory_state(const CrdTrajectory *trajectory, double s, const double *x, double *out);
void crd_trajectory_state_transposed(const CrdTrajectory *trajectory, double s, const double *x, double *out);

/* Puts the rows of the state that was reached in step i - 1 into the workspace, factored: before projections there. */
CardanStatus crd_trajectory_rows(CrdTrajectory *trajectory, long i, CrdError *error);

/* The change w (core) of state i put on the constraints; knob (may be NULL): these move with it. */
CardanStatus crd_trajectory_project(CrdTrajectory *trajectory, const CrdKnob *knob, long i, double *w, CrdError *error);

/* The same backwards, after crd_trajectory_rows: w (core) <- P'^T w; weight (2 rows) gets what multiplies changes of g
 * and of G v + g_t. */
CardanStatus crd_trajectory_project_back(CrdTrajectory *trajectory, long i, double *w, double *weight, CrdError *error);

/* Changes of g and of G v + g_t of state i with a parameter, into out (2 rows). */
CardanStatus crd_trajectory_rows_over(CrdTrajectory *trajectory, const CrdKnob *knob, long i, double *out,
                                      CrdError *error);

#endif
