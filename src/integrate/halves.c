#include "integrate/halves.h"

#include "integrate/attempt.h"
#include "integrate/hermite.h"
#include "integrate/interpolate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Tolerances: size of the last term of an interpolation up to which it is believed. Its error is a ninth of it, a
 * fourth at worst (2000 steps of the models in models/ and of chains): at most 8 tolerances. */
#define CRD_DENSE_SURE 30.0

/* Part of the bound of stability from which the last term says nothing of what rings inside a step: bushings of 2e8 N/m
 * were missed by 13 tolerances where it was below 10. */
#define CRD_DENSE_STIFF 0.5

/* The same of one made of the step's own slopes (CrdMethod.prepare_sparing): its error is a sixtieth of that term, an
 * eighth at worst. Where the step is as long as stability allows, or the term small by chance, the combination of
 * slopes that vanishes up to its order says so: that is a two hundredth of the term as a rule, and the error 3 times as
 * large, 20 times at worst. What is below the first of its bounds, or this part of the term, is as a rule. In the
 * models, with relative tolerances from 1e-4 to 1e-11, rows were then off by at most 6.5 tolerances. */
#define CRD_SPARING_SURE 100.0
#define CRD_SPARING_REST 0.25
#define CRD_SPARING_PART 0.015

/* Beyond those and up to here one right-hand side in the middle tells: what it differs by from the derivative of the
 * interpolation, times the step, is up to this many tolerances. Of 815 such steps (of trees in the models and of chains
 * of 2 to 64 links, relative tolerances from 1e-4 to 1e-11) 791 were below it, with errors of at most 6.0 tolerances, a
 * fifth of that defect and at worst nine tenths; errors of 8 to 22 were all among the others. */
#define CRD_SPARING_UNSURE 200.0
#define CRD_SPARING_UNSURE_PART 0.02
#define CRD_SPARING_DEFECT 25.0

/* Part of those where there are joints to be closed: rows that are open by more than a tolerance are put back, each by
 * a factorisation, which is dearer than the three stages that make them rare. */
#define CRD_SPARING_CLOSED 0.2

/* Tolerances: how far it may miss the state in the middle. Its largest error is up to 3.5 times as large. */
#define CRD_DENSE_MISS 2.0

void crd_halves_layout(CrdHalves *halves, const CrdStructure *structure, int n, CrdArena *arena) {
    crd_kinds_layout(&halves->kinds, structure, arena);
    CRD_TAKE_VECTORS(arena, (size_t)n, &halves->y, &halves->f);
}

/* ---- in tolerances ---- */

static CrdKindSizes one_tolerance(const CrdIntegrator *integrator) {
    return crd_kinds_tolerated(&integrator->halves.kinds, &integrator->stabiliser.tolerance, integrator->dynamics.model,
                               integrator->stepper.y);
}

/* Largest of a theta^i (1 - theta)^k over [0, 1], for the last of these rows: with i + k = rows - 1. */
static double last_weight(int rows) {
    int k = (rows - 1) / 2, i = rows - 1 - k;
    double weight = 1.0, theta = (double)i / (i + k);
    for (int m = 0; m < i + k; m++) weight *= m < i ? theta : 1.0 - theta;
    return weight;
}

static double last_term(const CrdIntegrator *integrator) {
    const CrdRungeKutta *rk = integrator->stepper.memory;
    const double *last = rk->dense + (size_t)(rk->rows - 1) * (size_t)rk->n;
    CrdKindSizes one = one_tolerance(integrator);
    return crd_kinds_largest(&integrator->halves.kinds, &one, last) * last_weight(rk->rows);
}

/* ---- half a step ---- */

/* A state of the last step, or where one is to be put. */
typedef struct End {
    double t, *y, *f;
} End;

static void put_ends(CrdStepper *stepper, End from, End to) {
    stepper->t = from.t;
    stepper->y = from.y;
    stepper->f = from.f;
    stepper->y_new = to.y;
    stepper->f_new = to.f;
}

/* A step from one end to the other, put on the constraints. */
static CardanStatus step_between(CrdIntegrator *integrator, End from, End to) {
    CrdStepper *stepper = &integrator->stepper;
    const CrdStepper kept = *stepper;
    double h = to.t - from.t;
    put_ends(stepper, from, to);
    stepper->method->begin(stepper);
    CardanStatus status = crd_stages_make(integrator, h, false, false);
    if (status >= 0) status = crd_project_step(integrator, to.t);
    *stepper = kept;
    return status;
}

/* Its interpolation, after the step. */
static CardanStatus interpolate_between(CrdIntegrator *integrator, End from, End to) {
    CrdStepper *stepper = &integrator->stepper;
    const CrdStepper kept = *stepper;
    stepper->t_old = from.t;
    stepper->y_old = from.y;
    stepper->t = to.t;
    stepper->y = to.y;
    stepper->f = to.f;
    CardanStatus status = crd_prepare_by_method(integrator);
    *stepper = kept;
    return status;
}

static double middle(const CrdStepper *stepper) {
    return stepper->t_old + 0.5 * (stepper->t - stepper->t_old);
}

static End middle_of(const CrdIntegrator *integrator) {
    return (End){middle(&integrator->stepper), integrator->halves.y, integrator->halves.f};
}

/* Where the step began. Vectors of the next one are scratch until it is tried; methods keep the slope they begin with,
 * so that its place may take another. */
static CardanStatus begin_again(CrdIntegrator *integrator, End *from) {
    const CrdStepper *stepper = &integrator->stepper;
    *from = (End){stepper->t_old, stepper->y_old, stepper->f_new};
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, from->t, from->y));
    return crd_integrator_derivative(integrator, from->y, from->f, false);
}

/* To the middle; the interpolation of the whole step is still there. */
static CardanStatus step_first(CrdIntegrator *integrator, End *from) {
    CRD_TRY(begin_again(integrator, from));
    return step_between(integrator, *from, middle_of(integrator));
}

static CardanStatus take_first(CrdIntegrator *integrator) {
    End from;
    CRD_TRY(step_first(integrator, &from));
    integrator->halves.piece = CRD_FIRST_HALF;
    return interpolate_between(integrator, from, middle_of(integrator));
}

/* From there to the end of the step. */
static CardanStatus take_rest(CrdIntegrator *integrator, End from, CrdPiece piece) {
    const CrdStepper *stepper = &integrator->stepper;
    End to = {stepper->t, stepper->y_new, stepper->f_new};
    CRD_TRY(step_between(integrator, from, to));
    integrator->halves.piece = piece;
    return interpolate_between(integrator, from, to);
}

/* A half that cannot be stepped, next to a singular pose, leaves the whole in use: it could. */
static CardanStatus take_whole(CrdIntegrator *integrator) {
    End from;
    crd_error_clear(integrator->stepper.error);
    integrator->conduct.doubts = false;
    CRD_TRY(begin_again(integrator, &from));
    return take_rest(integrator, from, CRD_WHOLE_STEP);
}

/* ---- is the whole good enough? ---- */

/* Only of methods whose steps have a tolerance and whose interpolation has a last term. */
static bool is_judged(const CrdIntegrator *integrator) {
    const CrdMethod *method = integrator->stepper.method;
    return integrator->options.step <= 0.0 && method->adaptive && method->tableau != NULL &&
           method->tableau->dense_rows > 0;
}

/* Largest difference of slope in the middle, over the step; NaN where the right-hand side cannot be found there. */
static double defect(CrdIntegrator *integrator, const CrdKindSizes *one) {
    CrdStepper *stepper = &integrator->stepper;
    double h = stepper->t - stepper->t_old, *y = integrator->halves.y, *f = integrator->halves.f,
           *slope = stepper->y_new; /* scratch until the next step */
    stepper->method->interpolate_sparing(stepper, 0.5, y);
    crd_normalise(integrator->dynamics.model->structure, y);
    stepper->method->slope_sparing(stepper, 0.5, slope);
    if (stepper->ode.rhs(stepper->ode.user, stepper->t_old + 0.5 * h, y, f) < 0) {
        crd_error_clear(stepper->error);
        integrator->conduct.doubts = false;
        return (double)NAN;
    }
    for (int i = 0; i < stepper->n; i++) slope[i] -= h * f[i];
    return crd_kinds_largest(&integrator->halves.kinds, one, slope);
}

bool crd_slopes_do(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    const CrdKinds *kinds = &integrator->halves.kinds;
    if (stepper->method->sparing_terms == NULL || !is_judged(integrator)) return false;
    CrdSparingTerms terms = stepper->method->sparing_terms(stepper);
    CrdKindSizes one = one_tolerance(integrator);
    bool closes = integrator->dynamics.model->structure->rows > 0;
    double share = closes ? CRD_SPARING_CLOSED : 1.0,
           last = crd_kinds_largest(kinds, &one, terms.last) * last_weight(terms.rows),
           rest = crd_kinds_largest(kinds, &one, terms.rest);
    if (last <= share * CRD_SPARING_SURE && /* false for a NaN */
        rest <= fmax(share * CRD_SPARING_REST, CRD_SPARING_PART * last))
        return true;
    bool unsure = last <= CRD_SPARING_UNSURE && rest <= fmax(CRD_SPARING_REST, CRD_SPARING_UNSURE_PART * last);
    return !closes && unsure && defect(integrator, &one) <= CRD_SPARING_DEFECT;
}

/* Does it miss the middle, which halves.y has, by too much? */
static bool misses_middle(CrdIntegrator *integrator) {
    const CrdHalves *halves = &integrator->halves;
    double *guess = integrator->stepper.y_new;
    CrdKindSizes one = one_tolerance(integrator);
    crd_integrator_dense_at(integrator, 0.5, guess);
    crd_normalise(integrator->dynamics.model->structure, guess);
    for (int i = 0; i < integrator->stepper.n; i++) guess[i] -= halves->y[i];
    return !(crd_kinds_largest(&halves->kinds, &one, guess) <= CRD_DENSE_MISS);
}

/* Where the interpolation misses the middle, or could meet it by chance, that of the first half takes its place. A
 * middle that cannot be reached, because a stage comes close to a singular pose or relative coordinates doubt it, says
 * nothing. */
static CardanStatus try_middle(CrdIntegrator *integrator, bool stiff) {
    End from;
    CardanStatus status = step_first(integrator, &from);
    if (status == CARDAN_ERR_NUMERIC) {
        crd_error_clear(integrator->stepper.error);
        integrator->conduct.doubts = false;
        return CARDAN_OK;
    }
    if (status < 0) return status;
    if (crd_near_singular(&integrator->dynamics)) return CARDAN_OK; /* rounding next to a pose is worse */
    if (!stiff && !misses_middle(integrator)) return CARDAN_OK;
    integrator->halves.piece = CRD_FIRST_HALF;
    return interpolate_between(integrator, from, middle_of(integrator));
}

/* Was the step about as long as stability allows? */
static bool is_stiff(const CrdStepper *stepper) {
    return stepper->method->stiffness != NULL &&
           stepper->method->stiffness(stepper) > CRD_DENSE_STIFF * stepper->method->stability;
}

static CardanStatus judge(CrdIntegrator *integrator) {
    integrator->halves.piece = CRD_WHOLE_STEP;
    if (!is_judged(integrator)) return CARDAN_OK;
    bool stiff = is_stiff(&integrator->stepper);
    return stiff || !(last_term(integrator) <= CRD_DENSE_SURE) ? try_middle(integrator, stiff) : CARDAN_OK;
}

/* The piece that t is in. */
static CardanStatus choose(CrdIntegrator *integrator, bool later) {
    const CrdPiece *piece = &integrator->halves.piece;
    if (*piece == CRD_WHOLE_UNTRIED) CRD_TRY(judge(integrator));
    if (*piece == CRD_SECOND_HALF && !later) return take_first(integrator);
    if (*piece == CRD_FIRST_HALF && later) return take_rest(integrator, middle_of(integrator), CRD_SECOND_HALF);
    return CARDAN_OK;
}

CardanStatus crd_halves_at(CrdIntegrator *integrator, double t, double *theta) {
    const CrdStepper *stepper = &integrator->stepper;
    CrdHalves *halves = &integrator->halves;
    double half = middle(stepper);
    assert(integrator->dense == CRD_DENSE_READY);
    CardanStatus status = choose(integrator, t >= half);
    if (status == CARDAN_ERR_NUMERIC) status = take_whole(integrator);
    if (status < 0) return status;
    double from = halves->piece == CRD_SECOND_HALF ? half : stepper->t_old,
           to = halves->piece == CRD_FIRST_HALF ? half : stepper->t;
    *theta = (t - from) / (to - from);
    return CARDAN_OK;
}
