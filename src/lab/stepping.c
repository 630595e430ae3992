#include "lab/stepping.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "integrate/norm.h"
#include "lab/formulation.h"

/* Half-explicit stages: a derivative serves on after a correction of this part of the state or less. */
#define CRD_LAB_KEEP 1e-3

/* ---- rates ---- */

/* phi and psi at (t, y, u) into stepping->out; u NULL: there are no multipliers. */
static CardanStatus evaluate(CrdLabStepping *stepping, double t, const double *y, const double *u) {
    const CrdLabSystem *system = stepping->system;
    memcpy(stepping->w, y, (size_t)system->n * sizeof *y);
    if (u != NULL) memcpy(stepping->w + system->n, u, (size_t)system->algebraic * sizeof *u);
    return system->rates(system->user, t, stepping->w, stepping->out, stepping->workspace);
}

static CardanStatus rates(void *user, double t, const double *y, const double *u, double *slope, double *residual) {
    CrdLabStepping *stepping = user;
    const CrdLabSystem *system = stepping->system;
    CRD_TRY(evaluate(stepping, t, y, u));
    memcpy(slope, stepping->out, (size_t)system->n * sizeof *slope);
    if (residual != NULL) memcpy(residual, stepping->out + system->n, (size_t)system->algebraic * sizeof *residual);
    return CARDAN_OK;
}

static CardanStatus begin(void *user, double t, const double *y, double *u) {
    const CrdLabStepping *stepping = user;
    (void)t, (void)y;
    memcpy(u, stepping->u, (size_t)stepping->system->algebraic * sizeof *u);
    return CARDAN_OK;
}

static void end(void *user, const double *u) {
    CrdLabStepping *stepping = user;
    memcpy(stepping->u, u, (size_t)stepping->system->algebraic * sizeof *u);
}

static CardanStatus mass(void *user, double t, double *e) {
    CrdLabStepping *stepping = user;
    const CrdLabSystem *system = stepping->system;
    CrdLabMark mark = crd_lab_mark(stepping->workspace);
    double *rows = crd_lab_numbers(stepping->workspace, system->n, system->n);
    if (stepping->workspace->empty) return crd_fail_memory(stepping->workspace->error);
    CRD_TRY(system->mass(system->user, t, rows));
    crd_dense_transpose(system->n, system->n, rows, e);
    crd_lab_back(stepping->workspace, mark);
    return CARDAN_OK;
}

/* ---- multipliers of index 1 ---- */

/* psi over a (algebraic x algebraic) by central differences. */
static CardanStatus differentiate(const CrdLabSystem *system, double t, double *w, double *plus, double *minus,
                                  double *matrix, CrdLabWorkspace *workspace) {
    int n = system->n, m = system->algebraic;
    for (int j = 0; j < m; j++) {
        double keep = w[n + j], step = CRD_DIFFERENCE_STEP * fmax(1.0, fabs(keep));
        w[n + j] = keep + step;
        CRD_TRY(system->rates(system->user, t, w, plus, workspace));
        w[n + j] = keep - step;
        CRD_TRY(system->rates(system->user, t, w, minus, workspace));
        w[n + j] = keep;
        for (int i = 0; i < m; i++) matrix[i * m + j] = (plus[n + i] - minus[n + i]) / (2.0 * step);
    }
    return CARDAN_OK;
}

CardanStatus crd_lab_solve_multipliers(const CrdLabSystem *system, double t, double *w, CrdLabWorkspace *workspace) {
    int n = system->n, m = system->algebraic;
    assert(system->index == 1 && m > 0);
    CrdLabMark mark = crd_lab_mark(workspace);
    double *plus = crd_lab_numbers(workspace, n + m, 1), *minus = crd_lab_numbers(workspace, n + m, 1),
           *matrix = crd_lab_numbers(workspace, m, m), size = (double)INFINITY, before;
    if (workspace->empty) return crd_fail_memory(workspace->error);
    for (int k = 0; k < CRD_LAB_ITERATIONS; k++) {
        CRD_TRY(differentiate(system, t, w, plus, minus, matrix, workspace));
        CRD_TRY(system->rates(system->user, t, w, plus, workspace));
        CRD_TRY(crd_lab_solve((CrdLabPlace){"matrix of the multipliers", t, workspace}, m, 1, matrix, plus + n));
        for (int j = 0; j < m; j++) w[n + j] -= plus[n + j];
        before = size;
        size = crd_largest(plus + n, m) / fmax(1.0, crd_largest(w + n, m));
        if (size > CRD_LAB_NEWTON && !(size <= CRD_LAB_NEWTON_ROUNDING && size >= 0.5 * before)) continue;
        crd_lab_back(workspace, mark);
        return CARDAN_OK;
    }
    return crd_fail(workspace->error, CARDAN_ERR_NUMERIC, "the multipliers did not converge at t = %.9g", t);
}

/* ---- half-explicit stages ---- */

/* The slope with the multipliers at hand; those of index 1 belong to the stage itself. */
static CardanStatus open(void *user, double t, const double *y, double *slope) {
    CrdLabStepping *stepping = user;
    const CrdLabSystem *system = stepping->system;
    stepping->t_stage = t;
    memcpy(stepping->stage, y, (size_t)system->n * sizeof *y);
    if (slope == NULL) return CARDAN_OK;
    if (system->index == 1) {
        memcpy(stepping->w, y, (size_t)system->n * sizeof *y);
        memcpy(stepping->w + system->n, stepping->u, (size_t)system->algebraic * sizeof *stepping->u);
        CRD_TRY(crd_lab_solve_multipliers(system, t, stepping->w, stepping->workspace));
        memcpy(stepping->u, stepping->w + system->n, (size_t)system->algebraic * sizeof *stepping->u);
    }
    return rates(stepping, t, y, stepping->u, slope, NULL);
}

static CardanStatus reach(void *user, double t, const double *next) {
    CrdLabStepping *stepping = user;
    (void)next;
    stepping->t_next = t;
    stepping->factored = false;
    return CARDAN_OK;
}

/* moved <- next with the multipliers u instead of those that gave `slope`, and psi there into stepping->out. */
static CardanStatus constraints_with(CrdLabStepping *stepping, double scale, const double *slope, const double *next,
                                     double *moved) {
    int n = stepping->system->n;
    CRD_TRY(rates(stepping, stepping->t_stage, stepping->stage, stepping->u, stepping->slope, NULL));
    for (int i = 0; i < n; i++) moved[i] = next[i] + (stepping->slope[i] - slope[i]) / scale;
    return evaluate(stepping, stepping->t_next, moved, stepping->u);
}

/* The derivative of psi at the next stage over the multipliers of this one, factored. */
static CardanStatus factor(CrdLabStepping *stepping, double scale, const double *slope, const double *next) {
    const CrdLabSystem *system = stepping->system;
    int n = system->n, m = system->algebraic;
    double rcond;
    for (int j = 0; j < m; j++) {
        double keep = stepping->u[j], step = CRD_DIFFERENCE_STEP * fmax(1.0, fabs(keep));
        stepping->u[j] = keep + step;
        CRD_TRY(constraints_with(stepping, scale, slope, next, stepping->plus));
        memcpy(stepping->plus, stepping->out + n, (size_t)m * sizeof *stepping->plus);
        stepping->u[j] = keep - step;
        CRD_TRY(constraints_with(stepping, scale, slope, next, stepping->minus));
        memcpy(stepping->minus, stepping->out + n, (size_t)m * sizeof *stepping->minus);
        stepping->u[j] = keep;
        for (int i = 0; i < m; i++)
            *crd_lu_at(&stepping->lu, i, j) = (stepping->plus[i] - stepping->minus[i]) / (2.0 * step);
    }
    if (crd_lu_factor(&stepping->lu, &rcond) < 0)
        return crd_fail(stepping->workspace->error, CARDAN_ERR_NUMERIC,
                        "matrix of the half-explicit stage is singular at t = %.9g: reciprocal condition number %.2g",
                        stepping->t_stage, rcond);
    stepping->factored = true;
    return CARDAN_OK;
}

static CardanStatus close(void *user, double scale, double *slope, double *next, double *change, double *size) {
    CrdLabStepping *stepping = user;
    const CrdLabSystem *system = stepping->system;
    if (!stepping->factored) CRD_TRY(factor(stepping, scale, slope, next));
    CRD_TRY(evaluate(stepping, stepping->t_next, next, stepping->u));
    memcpy(stepping->lu.x, stepping->out + system->n, (size_t)system->algebraic * sizeof *stepping->lu.x);
    CRD_TRY(crd_lu_solve(&stepping->lu));
    for (int j = 0; j < system->algebraic; j++) stepping->u[j] -= stepping->lu.x[j];
    CRD_TRY(rates(stepping, stepping->t_stage, stepping->stage, stepping->u, stepping->slope, NULL));
    *change = 0.0;
    for (int i = 0; i < system->n; i++) {
        double moved = (stepping->slope[i] - slope[i]) / scale;
        next[i] += moved;
        slope[i] = stepping->slope[i];
        *change = fmax(*change, fabs(moved));
    }
    *size = fmax(1.0, crd_largest(next, system->n));
    stepping->factored = *change <= CRD_LAB_KEEP * *size;
    return CARDAN_OK;
}

/* ---- layout ---- */

static CardanStatus right_side(void *user, double t, const double *y, double *dydt) {
    return rates(user, t, y, NULL, dydt, NULL);
}

static const CrdEquations of_system = {.ends_free = true, .begin = begin, .rates = rates, .end = end, .open = open};

static void fill_equations(CrdLabStepping *stepping) {
    const CrdLabSystem *system = stepping->system;
    CrdEquations *equations = &stepping->stepper.equations;
    bool later = system->index == 2; /* multipliers are found from the next stage */
    stepping->stepper.ode = (CrdOde){.rhs = right_side, .user = stepping, .n = system->n};
    *equations = of_system;
    equations->user = stepping;
    equations->n = equations->core = system->n;
    equations->multipliers = system->algebraic;
    equations->in_slopes = system->algebraic > 0;
    equations->affine = system->affine;
    equations->overdetermined = system->overdetermined;
    equations->held = stepping->held;
    equations->typical = stepping->typical;
    equations->mass = system->mass != NULL ? mass : NULL;
    equations->reach = later ? reach : NULL;
    equations->close = later ? close : NULL;
    equations->count = &stepping->workspace->count;
    equations->error = stepping->workspace->error;
}

static void layout(CrdLabStepping *stepping, CrdArena *arena) {
    const CrdLabSystem *system = stepping->system;
    CrdStepper *stepper = &stepping->stepper;
    size_t n = (size_t)system->n, m = (size_t)system->algebraic, real = sizeof(double);
    size_t half = stepper->method->sees == CRD_SEES_STAGES ? (n > m ? n : m) : 0;
    CRD_TAKE_VECTORS(arena, n, &stepper->y, &stepper->f, &stepper->y_new, &stepper->f_new, &stepper->y_old,
                     &stepping->typical);
    CRD_TAKE_VECTORS(arena, half, &stepping->stage, &stepping->slope, &stepping->plus, &stepping->minus);
    stepping->u = crd_take(arena, m, real);
    CRD_TAKE_VECTORS(arena, n + m, &stepping->w, &stepping->out);
    stepping->held = crd_take(arena, m, sizeof *stepping->held);
    fill_equations(stepping);
    if (half > 0) crd_lu_layout(&stepping->lu, system->algebraic, &stepping->workspace->count, arena);
    if (stepper->method->sees == CRD_SEES_MOTION) crd_lab_motion_layout(stepping, arena);
    stepper->method->layout(stepper, arena);
    stepper->history = crd_take(arena, (size_t)stepper->history_size, real);
}

CardanStatus crd_lab_stepping_open(CrdLabStepping *stepping, const CrdMethod *method, const CrdLabSystem *system,
                                   CrdLabWorkspace *workspace) {
    CrdArena arena = {0};
    *stepping = (CrdLabStepping){.system = system, .workspace = workspace};
    stepping->stepper = (CrdStepper){.method = method, .n = system->n, .error = workspace->error};
    layout(stepping, &arena);
    void *room = crd_lab_take(workspace, arena.used, 1);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    crd_arena_use(&arena, room);
    layout(stepping, &arena);
    for (int i = 0; i < system->n; i++) stepping->typical[i] = 1.0;
    for (int i = 0; i < system->algebraic; i++) stepping->held[i] = true;
    return CARDAN_OK;
}

CardanStatus crd_lab_stepping_begin(CrdLabStepping *stepping, const CrdLabStepper *stepper, const CrdLabSystem *system,
                                    CrdLabWorkspace *workspace) {
    const char *reason = stepper->refuse(system);
    if (reason != NULL)
        return crd_fail(workspace->error, CARDAN_ERR_ARGUMENT, "stepper '%s' does not fit: %s", stepper->name, reason);
    return crd_lab_stepping_open(stepping, stepper->method, system, workspace);
}

/* ---- steps ---- */

/* With a mass matrix or multipliers to be solved for nobody knows it, and the method begins with a state at rest;
 * RATTLE begins with the multipliers of index 1. */
CardanStatus crd_lab_slope(CrdLabStepping *stepping) {
    const CrdLabSystem *system = stepping->system;
    CrdStepper *stepper = &stepping->stepper;
    if (system->mass != NULL || (system->algebraic > 0 && stepper->method->sees == CRD_SEES_EQUATIONS)) {
        memset(stepper->f, 0, (size_t)system->n * sizeof *stepper->f);
        return CARDAN_OK;
    }
    if (stepper->method->sees == CRD_SEES_MOTION && system->both_levels) {
        CrdLabMark mark = crd_lab_mark(stepping->workspace);
        CRD_TRY(crd_lab_reduced.rates(system->user, stepper->t, stepper->y, stepper->f, stepping->workspace));
        crd_lab_back(stepping->workspace, mark);
        return CARDAN_OK;
    }
    if (stepper->method->sees == CRD_SEES_STAGES) return open(stepping, stepper->t, stepper->y, stepper->f);
    return rates(stepping, stepper->t, stepper->y, NULL, stepper->f, NULL);
}

void crd_lab_move_on(CrdLabStepping *stepping, double t_new) {
    CrdStepper *stepper = &stepping->stepper;
    double *y = stepper->y_old, *f = stepper->f_new;
    assert(t_new >= stepper->t);
    stepper->t_old = stepper->t;
    stepper->t = t_new;
    stepper->y_old = stepper->y;
    stepper->y = stepper->y_new;
    stepper->y_new = y;
    stepper->f_new = stepper->f;
    stepper->f = f;
    if (stepper->method->accepted != NULL) stepper->method->accepted(stepper);
}

CardanStatus crd_lab_step(CrdLabStepping *stepping, double t, double h, double *w) {
    const CrdLabSystem *system = stepping->system;
    CrdStepper *stepper = &stepping->stepper;
    CrdError *error = stepping->workspace->error;
    int algebraic = system->overdetermined ? 0 : system->algebraic;
    size_t state = (size_t)system->n * sizeof *w, rest = (size_t)algebraic * sizeof *w;
    assert(h > 0.0 && w != stepper->y);
    memcpy(stepper->y, w, state);
    memcpy(stepping->u, w + system->n, rest);
    stepper->t = t;
    stepper->proposed = h;
    CRD_TRY(crd_lab_slope(stepping));
    if (stepper->method->begin != NULL) stepper->method->begin(stepper);
    CardanStatus status = stepper->method->attempt(stepper, h, false);
    bool silent = status == CARDAN_ERR_NUMERIC && (error == NULL || error->text[0] == '\0');
    if (silent || (status >= 0 && !crd_all_finite(stepper->y_new, system->n)))
        return crd_fail(error, CARDAN_ERR_NUMERIC, "%s: the state is not finite after the step from t = %.9g",
                        stepper->method->name, t);
    CRD_TRY(status);
    stepper->t = 0.0; /* what a method remembers is the size of the step, without the rounding of t */
    crd_lab_move_on(stepping, h);
    stepper->t = t + h;
    if (stepper->method->sees == CRD_SEES_STAGES && system->index == 1) CRD_TRY(crd_lab_slope(stepping));
    memcpy(w, stepper->y, state);
    memcpy(w + system->n, stepping->u, rest);
    return CARDAN_OK;
}
