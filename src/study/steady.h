/* Steady motions: some joints' coordinates go on at given rates, all other joints stay at rest, so that every body
 * moves along a screw that goes with it. With screws (w, u): angular velocity, velocity at the ground's origin,
 *
 *     xi_b  = xi_a + rate s                     over a joint with a given rate, s its unit screw; xi_b = xi_a over
 * others xi_b' = xi_a' + rate [xi_a, s]            [x, y] = (x.w x y.w, x.w x y.u + x.u x y.w)
 *
 * along a tree of joints from the ground; v = u + w x r and a = u' + w' x r + w x v follow, and both are functions of
 * the pose alone. The pose is one of a steady motion where
 *
 *     M a(q) + G^T lambda + R^T mu = f(q, v(q)),   g(q) = 0        R: given coordinates, which are kept where they are
 *
 * (E. J. Routh, Advanced Rigid Dynamics, ch. III; mu: what keeps the rates). Where forces have a potential V it is a
 * stationary point of V - T with the given rates, T taken at v(q). */
#ifndef CRD_STUDY_STEADY_H
#define CRD_STUDY_STEADY_H

#include "study/study.h"

typedef struct CrdScrew {
    CrdVec w, u;
} CrdScrew;

/* A joint whose coordinate keeps a rate. */
typedef struct CrdGiven {
    int element;
    CardanCoordinate which;
    double rate;
    int a, b; /* frames */
    bool driven;
} CrdGiven;

typedef struct CrdSteady {
    CardanStudy *study;
    int given, given_room;
    CrdGiven *rate;        /* (given) */
    int pins;              /* those that no drive leads */
    CrdCoordinateRow *pin; /* (pins) kept where they are */
    double *mu;            /* (pins) */
    double *a;             /* (nv) accelerations of the steady motion */
    int frames;
    int *parent;      /* by frame; -1: none */
    int *over;        /* by frame: the given joint to its parent; -1: at rest against it */
    int *order;       /* (frames) parents first */
    CrdScrew *unit;   /* by frame: of that joint from the parent, at the pose */
    CrdScrew *twist;  /* by frame: xi */
    CrdScrew *change; /* by frame: xi' */
    bool *carried;    /* by frame, scratch */
    CrdScrew *by;     /* (2 frames) their derivatives along a displacement */
} CrdSteady;

/* The joints that are given rates (study->rate) and the drives at their present rates. CARDAN_ERR_MODEL: one cannot be
 * given a rate. To be closed in any case. */
CardanStatus crd_steady_open(CrdSteady *steady, CardanStudy *study);
void crd_steady_close(CrdSteady *steady);

/* v (nv) and steady->a of the pose whose frames are in the workspace. */
void crd_steady_motion(CrdSteady *steady, double *v);

/* Do all rows allow the motion in the workspace? CARDAN_ERR_MODEL names the joint that cannot stay at rest. */
CardanStatus crd_steady_check(CrdSteady *steady);

/* Is it steady a good part of a turn later too? CARDAN_ERR_MODEL: the loads change as it goes on. */
CardanStatus crd_steady_lasts(CrdSteady *steady, CrdSaddle *saddle);

/* Derivatives: -v_x in the rows `twist`, M a_x in the rows `row`, over displacements. */
void crd_steady_put(const CrdSteady *steady, CrdJacobian *jacobian, int row, int twist, int column);

/* Rows and columns of what is kept, from `at` on, and (R^T mu)_x over positions. */
void crd_steady_put_pins(const CrdSteady *steady, CrdJacobian *jacobian, int row, int positions, int column, int at);

/* residual (nv) += M a + R^T mu; the pins' rows are evaluated. Returns the largest number of M a. */
double crd_steady_add(CrdSteady *steady, const double *mu, double *residual);

#endif
