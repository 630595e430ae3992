/* Half-explicit Runge-Kutta methods for z' = phi(t, z, a), 0 = psi(t, z, a) (LEC10, 10.1.5):
 *     Z_i = z_n + h sum_{j<i} a_ij phi(T_j, Z_j, A_j)        the end point is row s of the tableau
 *     index 1:  A_i from psi(T_i, Z_i, A_i) = 0
 *     index 2:  A_i from psi(T_(i+1), Z_(i+1)) = 0, which A_i enters through phi(T_i, Z_i, A_i)
 * T_i = t + c_i h. The multipliers of the end are those of the last stage (index 2), or belong to it (index 1). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/stepper.h"

enum { S = CRD_TABLEAU_SLOPES_MAX };

typedef struct Stages {
    const CrdLabStepping *stepping;
    const CrdTableau *tableau;
    double t, h;
    const double *start; /* (n) */
    int i;               /* the stage whose multipliers are sought */
    double *z[S + 1];    /* (n) stage values, filled up to i (index 2: the trial of i + 1 too) */
    double *k[S];        /* (n) their slopes */
    double *w, *out;     /* (n + algebraic) one evaluation */
} Stages;

/* Z_i from the slopes before it. */
static void stage_value(Stages *s, int i) {
    const double *row = i > 0 ? crd_tableau_row(s->tableau, i) : NULL;
    for (int c = 0; c < s->stepping->system->n; c++) {
        double sum = 0.0;
        for (int j = 0; j < i; j++) sum += row[j] * s->k[j][c];
        s->z[i][c] = s->start[c] + s->h * sum;
    }
}

/* phi and psi at stage i with multipliers a, into s->out. */
static CardanStatus evaluate(const Stages *s, int i, const double *z, const double *a) {
    const CrdLabSystem *system = s->stepping->system;
    memcpy(s->w, z, (size_t)system->n * sizeof *s->w);
    memcpy(s->w + system->n, a, (size_t)system->algebraic * sizeof *s->w);
    return system->rates(system->user, s->t + s->tableau->c[i] * s->h, s->w, s->out, s->stepping->desk);
}

/* What the multipliers a of stage i leave of the constraint. */
static CardanStatus constraint_left(void *user, const double *a, double *left) {
    Stages *s = user;
    const CrdLabSystem *system = s->stepping->system;
    CRD_TRY(evaluate(s, s->i, s->z[s->i], a));
    if (system->index == 2) {
        memcpy(s->k[s->i], s->out, (size_t)system->n * sizeof *s->out);
        stage_value(s, s->i + 1);
        CRD_TRY(evaluate(s, s->i + 1, s->z[s->i + 1], a));
    }
    memcpy(left, s->out + system->n, (size_t)system->algebraic * sizeof *left);
    return CARDAN_OK;
}

static CardanStatus solve_multipliers(Stages *s, int i, double *a) {
    CrdLabPlace place = {"matrix of the half-explicit stage", s->t + s->tableau->c[i] * s->h, s->stepping->desk};
    s->i = i;
    return crd_lab_find_root(&(CrdLabRoot){s->stepping->system->algebraic, constraint_left, s, place}, a);
}

static CardanStatus take_room(Stages *s, CrdLabDesk *desk) {
    int n = s->stepping->system->n, m = s->stepping->system->algebraic;
    for (int i = 0; i <= s->tableau->stages; i++) s->z[i] = crd_lab_numbers(desk, n, 1);
    for (int i = 0; i < s->tableau->stages; i++) s->k[i] = crd_lab_numbers(desk, n, 1);
    s->w = crd_lab_numbers(desk, n + m, 1);
    s->out = crd_lab_numbers(desk, n + m, 1);
    return desk->empty ? crd_fail_memory(desk->error) : CARDAN_OK;
}

static CardanStatus step_half_explicit(CrdLabStepping *stepping, double t, double h, double *w) {
    const CrdLabSystem *system = stepping->system;
    Stages s = {.stepping = stepping, .tableau = stepping->stepper->data, .t = t, .h = h, .start = w};
    double *a = w + system->n;
    CRD_TRY(take_room(&s, stepping->desk));
    for (int i = 0; i < s.tableau->stages; i++) {
        stage_value(&s, i);
        CRD_TRY(solve_multipliers(&s, i, a));
        CRD_TRY(evaluate(&s, i, s.z[i], a));
        memcpy(s.k[i], s.out, (size_t)system->n * sizeof *s.out);
    }
    stage_value(&s, s.tableau->stages);
    if (system->index == 1) CRD_TRY(solve_multipliers(&s, s.tableau->stages, a));
    memcpy(w, s.z[s.tableau->stages], (size_t)system->n * sizeof *w);
    return CARDAN_OK;
}

static const char *refuse_half_explicit(const CrdLabSystem *system) {
    if (system->mass != NULL || system->overdetermined) return "it is made for semi-explicit equations";
    if (system->algebraic == 0) return "there are no algebraic equations; take the explicit method";
    if (system->index > 2) return "the equations have index 3; reduce the index first";
    return NULL;
}

const CrdLabStepper crd_lab_half_explicit_family[] = {
    {"half_explicit_euler", 1, &crd_tableaux[0], false, refuse_half_explicit, step_half_explicit, NULL, false},
    {"half_explicit_midpoint", 2, &crd_tableaux[1], false, refuse_half_explicit, step_half_explicit, NULL, false},
    {"half_explicit_heun", 2, &crd_tableaux[2], false, refuse_half_explicit, step_half_explicit, NULL, false},
    {"half_explicit_kutta3", 3, &crd_tableaux[3], false, refuse_half_explicit, step_half_explicit, NULL, false},
    {"half_explicit_rk4", 4, &crd_tableaux[4], false, refuse_half_explicit, step_half_explicit, NULL, false},
    {.name = NULL},
};
