/* How to simulate: stepper, tolerances, stabilisation, solver. */
#ifndef CARDAN_OPTIONS_H
#define CARDAN_OPTIONS_H

#include "cardan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CardanStepper {
    CARDAN_STEPPER_EULER = 0,
    CARDAN_STEPPER_MIDPOINT,
    CARDAN_STEPPER_HEUN,
    CARDAN_STEPPER_KUTTA3,
    CARDAN_STEPPER_RK4,
    CARDAN_STEPPER_DOPRI5,
    CARDAN_STEPPER_DOP853,
    CARDAN_STEPPER_AB2, /* Adams-Bashforth of order 2 */
    CARDAN_STEPPER_ABM, /* Adams-Bashforth-Moulton of variable order */
    CARDAN_STEPPER_GBS, /* extrapolation of the midpoint rule, variable order */
    CARDAN_STEPPER_BACKWARD_EULER,
    CARDAN_STEPPER_TRAPEZOIDAL,
    CARDAN_STEPPER_IMPLICIT_MIDPOINT,
    CARDAN_STEPPER_GAUSS,
    CARDAN_STEPPER_VERLET,   /* velocity Verlet, for models without constraints */
    CARDAN_STEPPER_RATTLE,   /* the same with constraints */
    CARDAN_STEPPER_HEM,      /* half-explicit of order 4, velocity constraints in every stage */
    CARDAN_STEPPER_RADAU5,   /* Radau IIA of order 5 with error control, for stiff models */
    CARDAN_STEPPER_BDF,      /* backward differentiation of variable order, for stiff models */
    CARDAN_STEPPER_GALPHA,   /* generalised-alpha on index 3, damping of fast motions chosen by rho */
    CARDAN_STEPPER_SLOW_RK4, /* rk4 whose stages are put on the slow manifold of stiff compliant joints */
    CARDAN_STEPPER_AUTO,     /* dop853, and radau5 while the motion is stiff */
    CARDAN_STEPPERS
} CardanStepper;

typedef enum CardanFormulation {
    CARDAN_FORMULATION_INDEX1 = 0, /* accelerations with the multipliers eliminated: an ODE */
    CARDAN_FORMULATION_GGL, /* stabilised index 2: multipliers of positions and velocities are unknowns of each stage */
    CARDAN_FORMULATION_PROJECTED, /* projected invariants: the ODE and multipliers that keep it on the constraints in
                                     each stage */
    CARDAN_FORMULATIONS
} CardanFormulation;

typedef enum CardanStabiliseMethod {
    CARDAN_STABILISE_POST = 0,  /* corrections after each step, `passes` times */
    CARDAN_STABILISE_BAUMGARTE, /* G a = gamma - alpha (G v + g_t) - beta g */
    CARDAN_STABILISE_PROJECT,   /* Newton to round-off after each step */
    CARDAN_STABILISE_NONE
} CardanStabiliseMethod;

typedef enum CardanStabiliseForm { CARDAN_STABILISE_FORM_BLOCK = 0, CARDAN_STABILISE_FORM_FULL } CardanStabiliseForm;
typedef enum CardanMetric { CARDAN_METRIC_MASS = 0, CARDAN_METRIC_EUCLID } CardanMetric;
typedef enum CardanLevels { CARDAN_LEVELS_BOTH = 0, CARDAN_LEVELS_POSITION, CARDAN_LEVELS_VELOCITY } CardanLevels;
/* What becomes of the energy of a conservative model. */
typedef enum CardanEnergyHold {
    CARDAN_ENERGY_FREE = 0, /* as steps leave it */
    CARDAN_ENERGY_HELD,     /* velocities are scaled after each step, so that it stays */
    CARDAN_ENERGY_HOLDS
} CardanEnergyHold;

typedef enum CardanSolver {
    CARDAN_SOLVER_AUTO = 0,
    CARDAN_SOLVER_DENSE,
    CARDAN_SOLVER_CHOLMOD,
    CARDAN_SOLVER_SADDLE,
    CARDAN_SOLVER_BLOCK,
    CARDAN_SOLVER_SUPERNODAL,
    CARDAN_SOLVERS
} CardanSolver;

typedef enum CardanRegularise {
    CARDAN_REGULARISE_AUTO = 0,     /* exact while healthy, the most exact remedy near singular poses */
    CARDAN_REGULARISE_QR,           /* a rank-revealing solve every time */
    CARDAN_REGULARISE_PROXIMAL,     /* S + epsilon I, iterated */
    CARDAN_REGULARISE_TRUST_REGION, /* as auto, multipliers bounded near singular poses */
    CARDAN_REGULARISE_DIRECT,       /* S + epsilon I */
    CARDAN_REGULARISE_NONE,         /* dependent rows are refused */
    CARDAN_REGULARISERS
} CardanRegularise;

/* What a passage through a singular pose that leaves its branch of the motion is. */
typedef enum CardanLeaveBranch {
    CARDAN_LEAVE_BRANCH_ERROR = 0,
    CARDAN_LEAVE_BRANCH_REMARK,
    CARDAN_LEAVE_BRANCH_WORDS
} CardanLeaveBranch;

/* In which coordinates steps are made. What is read and set is the same in all. */
typedef enum CardanCoordinates {
    CARDAN_COORDINATES_AUTO = 0, /* relative where they promise less work */
    CARDAN_COORDINATES_ABSOLUTE, /* those of each body */
    CARDAN_COORDINATES_RELATIVE, /* those of the joints of a spanning tree, the other joints as loop rows */
    CARDAN_COORDINATES_WORDS
} CardanCoordinates;

typedef struct CardanOptions {
    int internal;       /* by cardan_default_options: options that were not made there are refused */
    double end;         /* s; where a run of the command ends */
    double step;        /* s; > 0: fixed steps */
    double rtol, atol;  /* tolerances of the error control (no fixed step); atol 0: 1e-8, for lengths and speeds 1e-8 of
                           the mechanism's size where that is below 1 m */
    double output_step; /* s; 0: output at every step */
    double max_step;    /* s; 0: no bound */
    long max_steps;     /* internal steps of one advance; 0: no bound */
    CardanStepper stepper;
    int order;                     /* highest of bdf and abm, and that of fixed steps of bdf; 0: 5 and 12 */
    CardanFormulation formulation; /* ggl and projected take implicit steppers */
    double rho;                    /* galpha, 0 to 1: what a step leaves of the fastest motions; 1: damps nothing */
    CardanSolver solver;
    struct {
        CardanStabiliseMethod method;
        int passes; /* 1 or 2 */
        CardanStabiliseForm form;
        CardanMetric metric;
        CardanLevels levels;
        int freeze;         /* 0: a fresh factor for each pass; 1: the last stage's serves both; k: kept for k steps */
        double alpha, beta; /* Baumgarte: 1/s, 1/s^2; both 0: 20 and 100, critically damped over 0.1 s */
        int index;          /* Baumgarte: 2, or 3: G a = - alpha (G v + g_t) - beta g, without gamma */
        CardanEnergyHold energy;
    } stabilise;
    struct {
        CardanRegularise method;
        double epsilon; /* absolute; 0: relative to each diagonal entry of S; trust region: none */
        double radius;  /* trust region: bound of |diag(S)^1/2 lambda|; 0: 1000 times what it is when healthy */
        CardanLeaveBranch leave_branch;
    } regularise;
    double redundancy; /* kinematic singular values up to this count as zero: joints of imperfect loops may open by
                          ten times as much, in lengths of the mechanism and rad; 0: only to rounding */
    CardanCoordinates coordinates;
    /* of a large model's steps; 0: one a processor, 4 at most, from 4000 links on. No bit depends on it. Factors
     * with heavy fill are divided where OpenBLAS has one thread. */
    int threads;
} CardanOptions;

/* DOP853, relative 1e-6, absolute 1e-8, post-stabilisation twice with the kept factor. */
CARDAN_API CardanOptions cardan_default_options(void);

/* Sets one option by its name in the model file's `simulation` section ("stepper", "tolerance.relative",
 * "stabilise.passes", "end", ...) from text. On failure message (size bytes, may be NULL) gets a sentence that says
 * what was expected. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_options_set(CardanOptions *options, const char *name, const char *text,
                                                            char *message, size_t size);

/* Whether the combination makes sense; the sentence says why not. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_options_check(const CardanOptions *options, char *message, size_t size);

/* The words a choice takes, i from 0, by its name as above: words of "stepper" are "euler", "midpoint", ... NULL after
 * the last, and for what is no choice. */
CARDAN_API const char *cardan_options_word(const char *name, int i);

/* What that word stands for, in one sentence without full stop. NULL after the last. */
CARDAN_API const char *cardan_options_summary(const char *name, int i);

CARDAN_API const char *cardan_stepper_name(CardanStepper stepper);
CARDAN_API const char *cardan_solver_name(CardanSolver solver);

#ifdef __cplusplus
}
#endif
#endif
