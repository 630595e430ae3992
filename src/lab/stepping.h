/* A system of the laboratory in the hands of a stepper: what of its rates a method sees
 * (integrate/methods/equations.h), in room from a workspace. */
#ifndef CRD_LAB_STEPPING_H
#define CRD_LAB_STEPPING_H

#include "lab/stepper.h"

typedef struct CrdLabStepping {
    const CrdLabSystem *system;
    CrdLabWorkspace *workspace;
    CrdStepper stepper;
    double *u;       /* (algebraic) multipliers: a guess, then those of the end */
    double *w, *out; /* (n + algebraic) one evaluation */
    bool *held;      /* (algebraic) all true */
    double *typical; /* (n) all 1 */
    /* half-explicit stages */
    double t_stage, t_next;
    double *stage, *slope; /* (n) where a stage is; its slope with other multipliers */
    double *plus, *minus;  /* (n) the next stage in differences */
    CrdLu lu;              /* what the multipliers do to the constraints; rattle: G B */
    bool factored;         /* for this stage */
    /* rattle: what the problem says where rows were evaluated last, and B where the factor is held */
    double *f, *b, *g, *jacobian, *rate, *along;
} CrdLabStepping;

/* Checks that stepper and system fit, and takes room from the workspace. */
CardanStatus crd_lab_stepping_begin(CrdLabStepping *stepping, const CrdLabStepper *stepper, const CrdLabSystem *system,
                                    CrdLabWorkspace *workspace);

/* One step of w from t to t + h. */
CardanStatus crd_lab_step(CrdLabStepping *stepping, double t, double h, double *w);

/* Multipliers of index 1, solved for: 0 = psi(t, w) in the algebraic part of w, which arrives as a guess. */
CardanStatus crd_lab_solve_multipliers(const CrdLabSystem *system, double t, double *w, CrdLabWorkspace *workspace);

/* ---- for those who step by themselves ---- */

/* The method on the system, which are known to fit. */
CardanStatus crd_lab_stepping_open(CrdLabStepping *stepping, const CrdMethod *method, const CrdLabSystem *system,
                                   CrdLabWorkspace *workspace);

/* The slope of the stepper's y at its t, into its f. */
CardanStatus crd_lab_slope(CrdLabStepping *stepping);

/* The state of an attempt becomes the accepted one; its slope is not known yet. */
void crd_lab_move_on(CrdLabStepping *stepping, double t_new);

/* ---- motion.c ---- */

/* Takes room from the arena and gives the stepper its motion. */
void crd_lab_motion_layout(CrdLabStepping *stepping, CrdArena *arena);

#endif
