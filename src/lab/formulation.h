/* Formulations: the systems that a problem is handed to a stepper as. f^ are the rates with the multipliers eliminated
 * by the law (law.h), D the directions of the stabiliser (stabiliser.h).
 *
 *     reduced            z' = f^                                      direct reduction, Baumgarte, regularised forms
 *     stabilised         z' = f^ - gamma F h                          (ACR92, 1.12)
 *     direct             x^(m) = f - B y, 0 = g                       as it stands, index m + 1
 *     index2             x'' = f - B y, 0 = g'                        constraint differentiated once (AP93, 3.2)
 *     stabilised_index2  p' = v + D mu, v' = f - B y, 0 = g, 0 = g'   (AP93, 4.15)
 *     projected          z' = f^ + D mu, 0 = h                        projected invariants (AP93, 3.27)
 *     least_squares      z' = f^, 0 = h, overdetermined               (AP93, 3.4)
 *     state_space        u' = R f^, u = R z                           (AP93, 3.3): R given, or chosen anew as needed
 *
 * projected with h = g alone is Pa (AP93, 4.7 and 4.14), with blocks G^T it is Pb (4.16), with H^T Pc (4.17). */
#ifndef CRD_LAB_FORMULATION_H
#define CRD_LAB_FORMULATION_H

#include "lab/law.h"
#include "lab/stabiliser.h"
#include "lab/system.h"

struct CrdLabSetting;

enum { CRD_LAB_HELD = -1, CRD_LAB_ORDER_AND_ONE = -1 };

typedef struct CrdLabFormulation {
    const char *name;
    unsigned orders; /* bit m: takes problems of order m */
    bool wants_directions;
    int multipliers; /* times the rows of the problem; CRD_LAB_HELD: the invariants held */
    int index;       /* CRD_LAB_ORDER_AND_ONE: that */
    bool overdetermined;
    bool charted; /* works with coordinates of the manifold instead of z */
    CardanStatus (*rates)(const void *setting, double t, const double *w, double *out, CrdLabWorkspace *workspace);
} CrdLabFormulation;

extern const CrdLabFormulation crd_lab_reduced, crd_lab_stabilised, crd_lab_as_it_stands, crd_lab_index2,
    crd_lab_stabilised_index2, crd_lab_projected, crd_lab_overdetermined, crd_lab_state_space;
extern const CrdLabFormulation *const crd_lab_formulations[]; /* all of them, ended by NULL */

/* Coordinates u = R x, u' = R v of the manifold, R constant between switches. */
typedef struct CrdLabChart {
    double *r;     /* ((n - rows) x n) R */
    double *guess; /* (state) near which the manifold is looked for */
    int switches;  /* how often R was chosen */
} CrdLabChart;

typedef struct CrdLabSetting {
    const CrdLabProblem *problem;
    const CrdLabFormulation *formulation;
    CrdLabLaw law;
    CrdLabStabiliser stabiliser;
    double gamma;            /* of `stabilised` */
    bool gamma_per_step;     /* gamma = 1/h instead */
    const double *selection; /* ((n - rows) x n) R of `state_space`; NULL: chosen and switched */
    CrdLabChart chart;       /* state_space */
} CrdLabSetting;

/* The system of a setting, which it refers to. */
CrdLabSystem crd_lab_system(const CrdLabSetting *setting);

/* CARDAN_ERR_ARGUMENT with the reason when the formulation does not fit the problem. */
CardanStatus crd_lab_check_formulation(const CrdLabSetting *setting, CrdError *error);

/* ---- state_space.c ---- */

/* Room for R and the guess. */
CardanStatus crd_lab_open_chart(CrdLabSetting *setting, CrdLabWorkspace *workspace);

/* Chooses R for the state z when it has to, and u (state - invariants) = R z. */
CardanStatus crd_lab_enter_chart(CrdLabSetting *setting, double t, const double *z, double *u,
                                 CrdLabWorkspace *workspace);

/* z on the manifold with R z = u. */
CardanStatus crd_lab_leave_chart(const CrdLabSetting *setting, double t, const double *u, double *z,
                                 CrdLabWorkspace *workspace);

CardanStatus crd_lab_chart_rates(const void *setting, double t, const double *u, double *out,
                                 CrdLabWorkspace *workspace);

#endif
