/* Explicit Runge-Kutta methods, and Adams-Bashforth of order 2:
 *     w_(n+1) = w_n + h (3/2 f_n - 1/2 f_(n-1)),   w_1 = w_0 + h f_0 */
#include <math.h>
#include <string.h>

#include "lab/stepper.h"

const char *crd_lab_refuse_explicit(const CrdLabSystem *system) {
    if (system->mass != NULL) return "it is explicit, and the rates stand behind a matrix E";
    if (system->algebraic > 0) return "it is explicit and cannot solve the algebraic equations of this formulation";
    return NULL;
}

static CardanStatus slope(void *user, double t, const double *w, double *rates) {
    const CrdLabStepping *s = user;
    return s->system->rates(s->system->user, t, w, rates, s->desk);
}

CardanStatus crd_lab_lay_out(CrdRungeKutta *rk, const CrdTableau *tableau, int n, CrdLabDesk *desk) {
    CrdArena arena = {0};
    crd_rk_layout(rk, tableau, n, &arena);
    arena.base = crd_lab_take(desk, arena.used, 1);
    arena.used = 0;
    if (desk->empty) return crd_fail_memory(desk->error);
    crd_rk_layout(rk, tableau, n, &arena);
    return CARDAN_OK;
}

static CardanStatus prepare_runge_kutta(CrdLabStepping *s) {
    return crd_lab_lay_out(&s->rk, s->stepper->data, s->system->n, s->desk);
}

static CardanStatus step_runge_kutta(CrdLabStepping *s, double t, double h, double *w) {
    CrdOde ode = {slope, s, s->system->n};
    double *end = crd_lab_numbers(s->desk, s->system->n, 1);
    if (s->desk->empty) return crd_fail_memory(s->desk->error);
    CRD_TRY(slope(s, t, w, s->rk.k));
    CardanStatus status = crd_rk_attempt(&s->rk, &ode, t, h, w, false, end);
    if (status == CARDAN_ERR_NUMERIC) return crd_lab_not_finite(s, t);
    CRD_TRY(status);
    memcpy(w, end, (size_t)s->system->n * sizeof *w);
    return CARDAN_OK;
}

static CardanStatus prepare_slope(CrdLabStepping *s) {
    s->slope = crd_lab_numbers(s->desk, s->system->n, 1);
    return s->desk->empty ? crd_fail_memory(s->desk->error) : CARDAN_OK;
}

static CardanStatus step_adams_bashforth(CrdLabStepping *s, double t, double h, double *w) {
    int n = s->system->n;
    double *now = crd_lab_numbers(s->desk, n, 1);
    if (s->desk->empty) return crd_fail_memory(s->desk->error);
    CRD_TRY(slope(s, t, w, now));
    for (int i = 0; i < n; i++) {
        w[i] += h * (s->started ? 1.5 * now[i] - 0.5 * s->slope[i] : now[i]);
        s->slope[i] = now[i];
    }
    s->started = true;
    return crd_lab_finite(w, n) ? CARDAN_OK : crd_lab_not_finite(s, t);
}

/* clang-format off */
const CrdLabStepper crd_lab_explicit_family[] = {
    {"euler",    1, &crd_tableaux[0], false, crd_lab_refuse_explicit, step_runge_kutta, prepare_runge_kutta, false},
    {"midpoint", 2, &crd_tableaux[1], false, crd_lab_refuse_explicit, step_runge_kutta, prepare_runge_kutta, false},
    {"heun",     2, &crd_tableaux[2], false, crd_lab_refuse_explicit, step_runge_kutta, prepare_runge_kutta, false},
    {"kutta3",   3, &crd_tableaux[3], false, crd_lab_refuse_explicit, step_runge_kutta, prepare_runge_kutta, false},
    {"rk4",      4, &crd_tableaux[4], false, crd_lab_refuse_explicit, step_runge_kutta, prepare_runge_kutta, false},
    {"dopri5",   5, &crd_tableaux[5], false, crd_lab_refuse_explicit, step_runge_kutta, prepare_runge_kutta, false},
    {"dop853",   8, &crd_tableaux[6], false, crd_lab_refuse_explicit, step_runge_kutta, prepare_runge_kutta, false},
    {"adams_bashforth2", 2, NULL, true, crd_lab_refuse_explicit, step_adams_bashforth, prepare_slope, false},
    {.name = NULL},
};
/* clang-format on */
