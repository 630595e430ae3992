/* The laboratory: every published formulation, stepper and stabilisation as a choice by name, on small dense problems
 * given by a callback and on compiled models (docs/PAPERS.md lists the papers). */
#ifndef CARDAN_LAB_H
#define CARDAN_LAB_H

#include "cardan/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- problems ----
 *
 *     order 1, 2:  x^(m) = f(x, x', t) - B(x, t) y      0 = g(x, t)      m: order, y: multipliers
 *     order 0:     z' = f(z, t)                         0 = h(z, t)      an ODE and its invariants; h stands for g
 *
 * The state z is x (orders 0 and 1) or (x, x') (order 2). Matrices are dense and row-major. */

/* What a problem says at one place; everything arrives zeroed. */
typedef struct CardanLabTerms {
    double *f;        /* (n) */
    double *b;        /* (n x rows) B; orders 1 and 2 */
    double *g;        /* (rows) */
    double *jacobian; /* (rows x n) G = g_x */
    double *rate;     /* (rows) g_t; orders 1 and 2 */
    double *bias;     /* (rows) what g'' has besides G x''; order 2 */
    double *gradient; /* (rows x n) (G x' + g_t)_x; order 2 */
} CardanLabTerms;

/* A problem by callbacks. They are called by one thread at a time; a status < 0 ends the run. */
typedef struct CardanLabDef {
    int internal; /* by cardan_default_lab_problem */
    const char *name;
    int order;   /* 0, 1 or 2 */
    int n, rows; /* of x, of g; rows <= n */
    bool affine; /* f and g are affine in (x, x'), B and G depend on t alone */
    void *user;
    /* v is x' (order 2) or NULL. */
    CardanStatus (*terms)(void *user, double t, const double *x, const double *v, CardanLabTerms *terms);
    double (*energy)(void *user, double t, const double *z); /* what should be kept; NULL: none is known */
} CardanLabDef;
CARDAN_API CardanLabDef cardan_default_lab_problem(void);

typedef struct CardanLabProblem CardanLabProblem;

/* On failure *out is NULL and message (size bytes, may be NULL) gets the sentence; so with all calls below. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_lab_problem_create(const CardanLabDef *def, CardanLabProblem **out,
                                                                   char *message, size_t size);

/* How a model is handed over. */
typedef enum CardanLabView {
    /* Order 2 in x = q: B = N M^-1 G^T. A quaternion p brings a row (|p|^2 - 1) / 2 and a multiplier that stays 0.
     * Refused when the model has nonholonomic rows or first-order states. */
    CARDAN_LAB_MECHANISM = 0,
    /* Order 0 in (q, v, first-order states) with the multipliers eliminated, and h = (g, G v + g_t, quaternions). Takes
     * every model; formulations that need B are refused. */
    CARDAN_LAB_INVARIANTS,
    /* The same with the energy as a further invariant; refused when forces or drives put work in. */
    CARDAN_LAB_ENERGY
} CardanLabView;

/* The model from its start configuration, put on its constraints; rows that are redundant there are left out. The
 * problem keeps the model; threads take a problem each. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_lab_problem_of_model(const CardanModel *model, CardanLabView view,
                                                                     CardanLabProblem **out, char *message,
                                                                     size_t size);
CARDAN_API void cardan_lab_problem_destroy(CardanLabProblem *problem);

typedef struct CardanLabSizes {
    int order, n, rows;    /* see above */
    int state, invariants; /* numbers of z, of h with its derivative */
} CardanLabSizes;
CARDAN_API CardanLabSizes cardan_lab_problem_sizes(const CardanLabProblem *problem);

/* Of a model: its start state (state) at t = 0; and q, v (either may be NULL) of a state. CARDAN_ERR_ARGUMENT for
 * problems by callbacks. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_lab_problem_start(const CardanLabProblem *problem, double *z,
                                                                  char *message, size_t size);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_lab_problem_motion(const CardanLabProblem *problem, const double *z,
                                                                   double *q, double *v, char *message, size_t size);

/* ---- methods ----
 *
 * Names as cardan_lab_name lists them; NULL: the first of its kind. Zeros are defaults. A stepper must be named. */
typedef struct CardanLabMethod {
    int internal;            /* by cardan_default_lab_method */
    const char *formulation; /* NULL: "reduced": index reduction, with gains Baumgarte's, with a regulariser PRM97's */
    const char *stepper;
    double rtol, atol; /* both > 0: steps by tolerance, and the stepper is a CARDAN_LAB_INTEGRATOR */
    /* gains */
    double gamma;        /* 1/s; `stabilised`: of -gamma F h; `reduced`: Baumgarte's (tau + gamma)^order */
    bool gamma_per_step; /* gamma = 1/h instead */
    double alpha, beta;  /* order 2: Baumgarte's g'' + alpha g' + beta g instead, 1/s and 1/s^2 */
    const char *regulariser;
    double epsilon;         /* of it */
    bool first_derivatives; /* order 2: second derivatives of g left out, as the index-3 forms of PRM97 do */
    /* F of the families, D of the formulations that have one */
    const char *directions; /* D */
    const double *given;    /* (n x rows) D of "given" */
    const char *scaling;    /* F from D */
    const char *held;       /* which invariants are held (order 2) */
    const char *moved;      /* which half of the state may move; NULL: as held */
    /* after each step */
    const char *correction;
    double correction_alpha; /* 0: 1 */
    int passes;              /* of "post"; 0: 1 */
    bool frozen;             /* "post": F of the first pass serves all */
    double tolerance;        /* "project": of |h|; 0: near rounding */
    const double *selection; /* ((n - rows) x n) R of "state_space"; NULL: chosen, and switched as needed */
} CardanLabMethod;
CARDAN_API CardanLabMethod cardan_default_lab_method(void);

typedef enum CardanLabChoice {
    CARDAN_LAB_FORMULATION = 0, /* "reduced", "stabilised", "direct", "index2", ... */
    CARDAN_LAB_STEPPER,         /* steps of fixed size: "euler", "rk4", "backward_euler", ... */
    CARDAN_LAB_INTEGRATOR,      /* steppers by tolerance: "dop853", "radau5", "bdf" */
    CARDAN_LAB_REGULARISER,     /* "none", "direct", "trust" */
    CARDAN_LAB_DIRECTIONS,      /* "H^T", "G^T", "B", "given" */
    CARDAN_LAB_SCALING,         /* "inverse": D (H D)^-1; "blocks": its diagonal blocks; "plain": D */
    CARDAN_LAB_PART,            /* "all", "position", "velocity" */
    CARDAN_LAB_CORRECTION       /* "none", "forward", "backward", "post", "project" */
} CardanLabChoice;

/* Names, i from 0; NULL after the last. */
CARDAN_API const char *cardan_lab_name(CardanLabChoice choice, int i);

/* Order of a stepper of fixed size on ODEs; 0: there is none of this name. */
CARDAN_API int cardan_lab_stepper_order(const char *name);

/* Whether the parts fit together and the problem; CARDAN_ERR_ARGUMENT with the reason when not. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_lab_check(const CardanLabProblem *problem,
                                                          const CardanLabMethod *method, char *message, size_t size);

/* ---- runs ---- */

typedef struct CardanLabSpan {
    int internal; /* by cardan_default_lab_span */
    double t0, t1;
    int steps; /* of equal size; 0 when the method goes by tolerance */
    /* After each step; NULL: nobody looks. */
    void (*see)(void *user, double t, const double *z);
    void *user;
} CardanLabSpan;
CARDAN_API CardanLabSpan cardan_default_lab_span(void);

typedef struct CardanLabResult {
    double position, velocity;         /* largest |g| and |g'| at the end; order 0: |h|, and 0; order 1: |g|, and 0 */
    double position_max, velocity_max; /* over all steps */
    double energy_max;                 /* largest change of the energy since the start; NAN: the problem has none */
    long steps, rejected;
    long rhs;                    /* evaluations of the terms */
    long factorisations, solves; /* of matrices of any size */
    double operations;           /* multiplications in them: n^3 / 3 and n^2 each */
} CardanLabResult;

/* z (state) from t0 to t1. After a failure it is the last good state. Nothing ever comes out of a failed solve. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_lab_run(CardanLabProblem *problem, const CardanLabMethod *method,
                                                        const CardanLabSpan *span, double *z, CardanLabResult *result,
                                                        char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
