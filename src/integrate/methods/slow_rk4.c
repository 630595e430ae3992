/* The classical Runge-Kutta method on the slow manifold: with P the projection onto it and phi the right-hand side,
 *     Z_1 = z_n,   Z_2 = P (z_n + H/2 phi(Z_1)),   Z_3 = P (z_n + H/2 phi(Z_2)),   Z_4 = P (z_n + H phi(Z_3))
 *     z_(n+1) = P (z_n + H/6 (phi(Z_1) + 2 phi(Z_2) + 2 phi(Z_3) + phi(Z_4)))
 * (Ariel, Sanz-Serna and Tsai 2012, section 6.5, who project z_n at the start of the next step). It is rk4 for
 * z' = phi(P z), whose solutions on the manifold are those of z' = phi(z): of order 4, with steps as long as the slow
 * motion allows, however stiff the joints are, down to what P itself is in error by. */
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>

enum { STAGES = 4 };

typedef struct Slow {
    double *stage; /* (n) */
    double *slope; /* (n) of the last stage */
} Slow;

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Slow measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *slow = m != NULL ? m : &measuring;
    CRD_TAKE_VECTORS(arena, (size_t)stepper->n, &slow->stage, &slow->slope);
    stepper->memory = m;
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    static const double NODES[STAGES] = {0.0, 0.5, 0.5, 1.0}, WEIGHTS[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    (void)want_error;
    const Slow *slow = stepper->memory;
    assert(h > 0.0 && stepper->project != NULL);
    for (int i = 0; i < stepper->n; i++) {
        stepper->y_new[i] = stepper->y[i] + WEIGHTS[0] * h * stepper->f[i];
        slow->slope[i] = stepper->f[i];
    }
    for (int s = 1; s < STAGES; s++) {
        double t = stepper->t + NODES[s] * h;
        for (int i = 0; i < stepper->n; i++) slow->stage[i] = stepper->y[i] + NODES[s] * h * slow->slope[i];
        CRD_TRY(stepper->project(stepper->project_user, t, slow->stage));
        CRD_TRY(stepper->ode.rhs(stepper->ode.user, t, slow->stage, slow->slope));
        for (int i = 0; i < stepper->n; i++) stepper->y_new[i] += WEIGHTS[s] * h * slow->slope[i];
    }
    if (!crd_all_finite(stepper->y_new, stepper->n)) return CARDAN_ERR_NUMERIC;
    return stepper->project(stepper->project_user, stepper->t + h, stepper->y_new);
}

const CrdMethod crd_slow_rk4 = {.name = "slow_rk4",
                                .summary = "rk4 on the slow manifold of stiff compliant joints and bushings",
                                .needs = "compliant joints or bushings that are stiff",
                                .formulations = CRD_TAKES_INDEX1,
                                .order = 4,
                                .demands = CRD_SPRINGY,
                                .projects = true,
                                .layout = layout,
                                .attempt = attempt};
