/* The papers' problems as data; sources and equations stand at the head of each file. */
#ifndef PAPERS_PROBLEMS_H
#define PAPERS_PROBLEMS_H

#include "lab/problem.h"
#include "lab/system.h"

/* ---- linear problems with x = v = e^t (1, 1) ---- */

/* One constraint row of two coordinates with the derivatives it needs: g = c x + r. */
typedef struct CrdLabRow {
    double c[2], c1[2], c2[2]; /* c, c', c'' */
    double r, r1, r2;          /* r, r', r'' */
} CrdLabRow;

/* Fills g, G, g_t and, with v, the terms of order 2. */
void crd_lab_row_terms(const CrdLabRow *row, const double *x, const double *v, CrdLabTerms *terms);

CrdLabProblem crd_lab_rotating(const double *nu);      /* AP93 example 1; data: nu */
CrdLabProblem crd_lab_skew(const double *nu);          /* ACR92 example 1 = AP93 example 2; data: nu */
CrdLabProblem crd_lab_skew_mass(const double *nu_c);   /* AP93 example 3; data: nu, c */
CrdLabProblem crd_lab_rotating_mass(const double *nu); /* AP93 example 4; data: nu */

/* ---- ODEs with invariants ---- */

extern const CrdLabProblem crd_lab_cubic;       /* ACR92 example 2 */
extern const CrdLabProblem crd_lab_kepler;      /* ACR92 example 3; starts in the pericentre (c, 0) */
extern const CrdLabProblem crd_lab_swing;       /* the pendulum's angle and spin: no invariants */
extern const CrdLabProblem crd_lab_fold_branch; /* angle and spin on one branch of crd_lab_fold: no invariants */

void crd_lab_kepler_start(double c, double *z);

/* ---- mechanisms ---- */

extern const CrdLabProblem crd_lab_pendulum;     /* LEC10, chapter 10: q on the unit circle */
extern const CrdLabProblem crd_lab_slider_crank; /* ACR92 example 4: q = (theta, x2, y2, psi) */
extern const CrdLabProblem crd_lab_fold;         /* PRM97 example 5.2: slider-crank of two equal rods, through its dead
                                                    centre */

/* (state) at t = 0. */
extern const double crd_lab_pendulum_start[4], crd_lab_slider_crank_start[8];

/* x of the slider, by the rod's place and by the crank's angle. */
double crd_lab_slider(const double *q);
double crd_lab_slider_by_angle(const double *q);

double crd_lab_fold_energy(const double *z);

/* ---- singular and rank-deficient constraints ---- */

typedef enum CrdLabSpan { CRD_LAB_SPAN_C = 0, CRD_LAB_SPAN_OTHER } CrdLabSpan;
CrdLabProblem crd_lab_deficient(const CrdLabSpan *span); /* PRM97 theorem 3.1: two dependent rows */
extern const CrdLabProblem crd_lab_crossing;             /* PRM97 example 5.1 in e = x - t - 1 */

/* ---- semi-explicit systems that are not linear in the multipliers ---- */

extern const CrdLabSystem crd_lab_cubic_index1;  /* LEC10: x = sin t */
extern const CrdLabSystem crd_lab_power_index2;  /* LEC10: (e^t, e^-2t), multiplier e^2t */
CrdLabSystem crd_lab_coupled(const double *eta); /* LEC10 example 10.1: E(t) y' = F(t, y); data: eta */

#endif
