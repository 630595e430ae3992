/* Collocation in steps of fixed size:
 *     gauss4, gauss6    Gauss with two and three stages, orders 4 and 6; symmetric, so that energies stay bounded. For
 *                       ODEs; with a projection after each step they stay on the invariants
 *     radau5            Radau IIA with three stages, order 5; takes algebraic equations too, at index 3 with velocities
 *                       of order 3
 * (Hairer and Wanner, Solving ODEs II, IV.5 and VII.4). */
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/collocation.h"
#include "lab/stepper.h"

#define ROOT3 1.73205080756887729353
#define ROOT15 3.87298334620741688518

static const CrdLabCollocation gauss4 = {
    .matrix = "step matrix of gauss4",
    .stages = 2,
    .c = {0.5 - ROOT3 / 6.0, 0.5 + ROOT3 / 6.0},
    .a = {{0.25, 0.25 - ROOT3 / 6.0}, {0.25 + ROOT3 / 6.0, 0.25}},
    .b = {0.5, 0.5},
};

static const CrdLabCollocation gauss6 = {
    .matrix = "step matrix of gauss6",
    .stages = 3,
    .c = {0.5 - ROOT15 / 10.0, 0.5, 0.5 + ROOT15 / 10.0},
    .a = {{5.0 / 36.0, 2.0 / 9.0 - ROOT15 / 15.0, 5.0 / 36.0 - ROOT15 / 30.0},
          {5.0 / 36.0 + ROOT15 / 24.0, 2.0 / 9.0, 5.0 / 36.0 - ROOT15 / 24.0},
          {5.0 / 36.0 + ROOT15 / 30.0, 2.0 / 9.0 + ROOT15 / 15.0, 5.0 / 36.0}},
    .b = {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0},
};

static const char *refuse_special(const CrdLabSystem *system) {
    if (system->mass != NULL) return "it takes no matrix E before the rates";
    if (system->overdetermined) return "the least squares of this formulation are those of backward_euler";
    return NULL;
}

static const char *refuse_algebraic(const CrdLabSystem *system) {
    if (system->algebraic > 0)
        return "its steps end between stages, where no algebraic equation holds; reduce the index and project";
    return refuse_special(system);
}

/* Until corrections are at rounding. With derivatives from one place each leaves a part of the one before; where that
 * part is large, as in the first step of multipliers that are not known, the derivatives are taken anew at the last
 * stage. */
static CardanStatus solve(CrdLabStages *s) {
    double size = (double)INFINITY, before;
    int n = s->system->n + s->system->algebraic;
    bool renewed = false;
    for (int i = 0; i < CRD_LAB_ITERATIONS; i++) {
        before = size;
        CRD_TRY(crd_lab_stages_improve(s, &size));
        size /= fmax(1.0, crd_lab_largest(s->w, n));
        if (size <= CRD_EPS) return CARDAN_OK;
        bool slow = size > CRD_LAB_SLOW * before;
        if (slow && renewed && size <= CRD_LAB_NEWTON_ROUNDING) return CARDAN_OK;
        renewed = slow;
        if (slow) CRD_TRY(crd_lab_stages_renew(s));
    }
    return crd_fail(s->desk->error, CARDAN_ERR_NUMERIC,
                    "Newton's method did not converge at t = %.9g: last correction %.2g of the state (%s)", s->t, size,
                    s->method->matrix);
}

static CardanStatus step_collocation(CrdLabStepping *stepping, double t, double h, double *w) {
    const CrdLabCollocation *method = stepping->stepper->data;
    const CrdLabSystem *system = stepping->system;
    CrdLabStages s = {.method = method, .system = system, .t = t, .h = h, .w = w, .desk = stepping->desk};
    int n = system->n + system->algebraic, last = method->stages - 1;
    CRD_TRY(crd_lab_stages_begin(&s));
    CRD_TRY(solve(&s));
    if (!method->at_end) CRD_TRY(crd_lab_stages_evaluate(&s));
    for (int k = 0; k < n; k++) {
        double change = 0.0;
        for (int i = 0; i < method->stages; i++) change += h * method->b[i] * s.phi[i][k];
        w[k] += method->at_end ? s.z[last * n + k] : change;
    }
    return crd_lab_finite(w, n) ? CARDAN_OK : crd_lab_not_finite(stepping, t);
}

const CrdLabStepper crd_lab_collocation_family[] = {
    {"gauss4", 4, &gauss4, false, refuse_algebraic, step_collocation, NULL, false},
    {"gauss6", 6, &gauss6, false, refuse_algebraic, step_collocation, NULL, false},
    {"radau5", 5, &crd_lab_radau_stages, false, refuse_special, step_collocation, NULL, false},
    {.name = NULL},
};
