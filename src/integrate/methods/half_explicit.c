/* Half-explicit Runge-Kutta methods for equations of index 2: explicit in the state, implicit in the multipliers.
 *
 *     Y_i = y + h sum_{j<i} a_ij K_j        K_i = slope(t + c_i h, Y_i, u_i)        the end of the step is row s + 1
 *     u_i such that the residual at Y_(i+1) is 0
 *
 * hem is HEM4 of Brasey and Hairer: five stages, order 4. On a model
 *     Q_i = q + h sum_{j<i} a_ij N V_j        V_i = v + h sum_{j<i} a_ij A_j
 *     M A_i = f(Q_i, V_i) - G(Q_i)^T Lambda_i         Lambda_i such that  G(Q_(i+1)) V_(i+1) + g_t = 0
 * so all stages and the end meet the velocity constraints, without an acceleration level; positions drift by O(h^5) a
 * step, which the stabiliser takes back. A_i starts as the acceleration with the multipliers of index 1; what
 * G(Q_(i+1)) V_(i+1) + g_t then still is goes by iteration with the factor of S at stage i in place of the unsymmetric
 * G(Q_(i+1)) M^-1 G(Q_i)^T. (V. Brasey, E. Hairer, Half-explicit Runge-Kutta methods for differential-algebraic systems
 * of index 2, SIAM J. Numer. Anal. 30 (1993) 538-552. For index 1, a half-explicit method is the explicit method itself
 * with multipliers solved for in each slope, which is what the explicit steppers do with models.) The others take the
 * classical tableaux, whose order multipliers of index 2 lower (LEC10, 10.1.5). */
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Half-explicit steps: iterations on the multipliers of a stage, each gains about -log10(turn in a step) digits; where
 * they stand still; what is good enough where rounding keeps them moving. Parts of the largest velocity. */
#define CRD_HEM_ITERATIONS 60
#define CRD_HEM_STILL 1e-15
#define CRD_HEM_SMALL 1e-12

/* clang-format off */
#define ROOT6 2.4494897427831780982

static const double hem4_a[] = {
    3.0 / 10.0,
    (1.0 + ROOT6) / 30.0, (11.0 - 4.0 * ROOT6) / 30.0,
    (-79.0 - 31.0 * ROOT6) / 150.0, (-1.0 - 4.0 * ROOT6) / 30.0, (24.0 + 11.0 * ROOT6) / 25.0,
    (14.0 + 5.0 * ROOT6) / 6.0, (-8.0 + 7.0 * ROOT6) / 6.0, (-9.0 - 7.0 * ROOT6) / 4.0, (9.0 - ROOT6) / 4.0,
    0.0, 0.0, (16.0 - ROOT6) / 36.0, (16.0 + ROOT6) / 36.0, 1.0 / 9.0,
};
static const double hem4_c[] = {0.0, 3.0 / 10.0, (4.0 - ROOT6) / 10.0, (4.0 + ROOT6) / 10.0, 1.0, 1.0};
/* clang-format on */

static const CrdTableau HEM4 = {.name = "hem", .order = 4, .stages = 5, .a = hem4_a, .c = hem4_c, .dense_order = 3};

typedef struct HalfExplicit {
    double *k;     /* (stages x n) slopes */
    double *stage; /* (n) */
} HalfExplicit;

static double *slope(const CrdStepper *stepper, int i) {
    const HalfExplicit *memory = stepper->memory;
    return memory->k + (size_t)i * (size_t)stepper->n;
}

static void layout(CrdStepper *stepper, CrdArena *arena) {
    HalfExplicit measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *memory = m != NULL ? m : &measuring;
    const CrdTableau *tableau = stepper->method->tableau;
    assert(tableau != NULL && stepper->equations.open != NULL);
    memory->k = crd_take(arena, (size_t)tableau->stages * (size_t)stepper->n, sizeof(double));
    memory->stage = crd_take(arena, (size_t)stepper->n, sizeof(double));
    stepper->memory = m;
}

/* y + h sum_{j<i} a_ij K_j. */
static void stage_value(const CrdStepper *stepper, int i, double h, double *out) {
    const double *a = crd_tableau_row(stepper->method->tableau, i);
    memset(out, 0, (size_t)stepper->n * sizeof *out);
    for (int j = 0; j < i; j++) {
        const double *k = slope(stepper, j);
        for (int c = 0; a[j] != 0.0 && c < stepper->n; c++) out[c] += a[j] * k[c];
    }
    for (int c = 0; c < stepper->n; c++) out[c] = stepper->y[c] + h * out[c];
}

/* Changes the multipliers of stage i until the next stage, `next`, meets the constraints. */
static CardanStatus close_stage(CrdStepper *stepper, int i, double t, double h, double *next) {
    const CrdEquations *equations = &stepper->equations;
    double before = (double)INFINITY, change, size, a = crd_tableau_row(stepper->method->tableau, i + 1)[i];
    assert(a != 0.0);
    CRD_TRY(equations->reach(equations->user, t, next));
    for (int k = 0; k < CRD_HEM_ITERATIONS; k++) {
        CRD_TRY(equations->close(equations->user, 1.0 / (h * a), slope(stepper, i), next, &change, &size));
        if (change <= CRD_HEM_STILL * size || (change >= before && change <= CRD_HEM_SMALL * size)) return CARDAN_OK;
        if (!(change < (double)INFINITY)) break;
        before = change;
    }
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    "%s: no multipliers put the velocities on the constraints after t = %.9g; a step shorter than %.3g "
                    "may do",
                    stepper->method->name, stepper->t, h);
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    (void)want_error;
    const HalfExplicit *memory = stepper->memory;
    const CrdEquations *equations = &stepper->equations;
    const CrdTableau *tableau = stepper->method->tableau;
    CRD_TRY(equations->open(equations->user, stepper->t, stepper->y, NULL));
    memcpy(slope(stepper, 0), stepper->f, (size_t)stepper->n * sizeof *stepper->f);
    for (int i = 0; i < tableau->stages; i++) {
        double t = stepper->t + tableau->c[i + 1] * h;
        double *next = i + 1 < tableau->stages ? memory->stage : stepper->y_new;
        stage_value(stepper, i + 1, h, next);
        if (!crd_all_finite(next, stepper->n)) return CARDAN_ERR_NUMERIC;
        if (equations->close != NULL) CRD_TRY(close_stage(stepper, i, t, h, next));
        if (i + 1 < tableau->stages) CRD_TRY(equations->open(equations->user, t, next, slope(stepper, i + 1)));
    }
    return CARDAN_OK;
}

/* A row of the table: what all have in common and its own. */
#define HALF_EXPLICIT(...)                                                                                             \
    { .implicit = true, .iterates = true, .sees = CRD_SEES_STAGES, .layout = layout, .attempt = attempt, __VA_ARGS__ }

const CrdMethod crd_hem =
    HALF_EXPLICIT(.name = "hem", .summary = "half-explicit of order 4: velocity constraints met in every stage",
                  .no_baumgarte = true, .stops_in_poses = true, .formulations = CRD_TAKES_INDEX1, .order = 4,
                  .tableau = &HEM4);
const CrdMethod crd_half_explicit_euler = HALF_EXPLICIT(.name = "half_explicit_euler", .summary = "half-explicit Euler",
                                                        .order = 1, .tableau = &crd_tableaux[0]);
const CrdMethod crd_half_explicit_midpoint =
    HALF_EXPLICIT(.name = "half_explicit_midpoint", .summary = "the half-explicit midpoint rule", .order = 2,
                  .tableau = &crd_tableaux[1]);
const CrdMethod crd_half_explicit_heun =
    HALF_EXPLICIT(.name = "half_explicit_heun", .summary = "Heun's method, half-explicit", .order = 2,
                  .tableau = &crd_tableaux[2]);
const CrdMethod crd_half_explicit_kutta3 =
    HALF_EXPLICIT(.name = "half_explicit_kutta3", .summary = "Kutta's method of order 3, half-explicit", .order = 3,
                  .tableau = &crd_tableaux[3]);
const CrdMethod crd_half_explicit_rk4 =
    HALF_EXPLICIT(.name = "half_explicit_rk4", .summary = "the classical Runge-Kutta method, half-explicit", .order = 4,
                  .tableau = &crd_tableaux[4]);
