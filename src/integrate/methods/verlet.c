/* Velocity Verlet, and RATTLE, which is the same under constraints: kick, drift, kick.
 *
 *     u     = v + h/2 M^-1 (f - G^T lambda)                      half a kick at (t, q)
 *     q_new = q + h u, rotations as in free_rotation.h                  lambda such that g(q_new) = 0
 *     v_new = u + h/2 M^-1 (f_new - G_new^T mu)                  half a kick at the end, mu such that G v + g_t = 0
 * there
 *
 * Symplectic where forces have a potential, reversible, of second order; both levels of the constraints are met to
 * rounding. (H. C. Andersen, J. Comput. Phys. 52 (1983) 24-34; B. Leimkuhler, R. D. Skeel, J. Comput. Phys. 112 (1994)
 * 117-125; Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., Springer, 2006, VII.1.) Newton's method on
 * lambda starts with that of the accelerations and works with the factor of S at the old state. Forces that depend on
 * velocities make the last kick implicit: it is iterated, and first-order states z go with it by the trapezoidal rule.
 */
#include "integrate/methods/method.h"
#include "integrate/norm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Verlet and RATTLE. Newton's method with the factor of the old state gains about -log10(turn in a step) digits an
 * iteration: rounding is reached in time up to a third of a radian a step. Iterations of an implicit kick stand still
 * at a few ulps; where rounding keeps them moving, as much is good enough as a sum of some thousand terms leaves. */
#define CRD_VERLET_ITERATIONS 40
#define CRD_VERLET_STILL 1e-15
#define CRD_VERLET_SMALL 1e-12

typedef struct Verlet {
    double *u;       /* (nv) velocities in the middle, at first in the old axes */
    double *drifted; /* (nv) the same in the new axes */
    double *v;       /* (nv) iterate of the last kick */
} Verlet;

static void layout(CrdStepper *stepper, CrdArena *arena) {
    Verlet measuring = {0}, *m = crd_take(arena, 1, sizeof *m), *verlet = m != NULL ? m : &measuring;
    assert(stepper->motion.accelerate != NULL);
    CRD_TAKE_VECTORS(arena, (size_t)stepper->motion.nv, &verlet->u, &verlet->drifted, &verlet->v);
    stepper->memory = m;
}

static CardanStatus too_long(CrdStepper *stepper, const char *what, double h) {
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC, "%s: %s after t = %.9g; a step shorter than %.3g may do",
                    stepper->method->name, what, stepper->t, h);
}

/* Newton's method on the multipliers of the first kick, until g(q_new) is at rounding. */
static CardanStatus drift_onto_constraints(CrdStepper *stepper, double h) {
    const Verlet *verlet = stepper->memory;
    const CrdMotion *motion = &stepper->motion;
    double before = (double)INFINITY, now;
    for (int i = 0; i < CRD_VERLET_ITERATIONS; i++) {
        if (motion->drift(motion->user, h, stepper->y, verlet->u, stepper->y_new, verlet->drifted) < 0)
            return too_long(stepper, "a body turns too far in one step", h);
        if (!crd_all_finite(stepper->y_new, motion->nq)) return CARDAN_ERR_NUMERIC;
        if (motion->rows == 0) return CARDAN_OK;
        CRD_TRY(motion->evaluate(motion->user, stepper->t + h, stepper->y_new));
        if (motion->is_closed(motion->user, before, &now)) return CARDAN_OK;
        before = now;
        CRD_TRY(motion->push_positions(motion->user, h, verlet->u));
    }
    return too_long(stepper, "no multipliers put the positions on the constraints", h);
}

/* One pass of the last kick: forces at (q_new, y_new's v and z), then v and z from them. change: largest of both. */
static CardanStatus last_kick(CrdStepper *stepper, double h, double *change) {
    const Verlet *verlet = stepper->memory;
    const CrdMotion *motion = &stepper->motion;
    int first = motion->nq + motion->nv;
    double *v = stepper->y_new + motion->nq, *z = stepper->y_new + first, max = 0.0, size = 0.0;
    const double *z_old = stepper->y + first, *z_rate_old = stepper->f + first, *z_rate = NULL;
    CRD_TRY(motion->accelerate(motion->user, stepper->y_new, verlet->v, &z_rate));
    motion->without_gyroscopic(motion->user, 1.0, v, verlet->v);
    for (int i = 0; i < motion->nv; i++) verlet->v[i] = verlet->drifted[i] + 0.5 * h * verlet->v[i];
    for (int pass = 0; motion->rows > 0 && pass < 2; pass++) /* the second for rounding */
        CRD_TRY(motion->push_velocities(motion->user, verlet->v));
    for (int i = 0; i < motion->nv; i++) {
        max = fmax(max, fabs(verlet->v[i] - v[i]));
        size = fmax(size, fabs(verlet->v[i]));
        v[i] = verlet->v[i];
    }
    for (int i = 0; i < motion->nz; i++) {
        double next = z_old[i] + 0.5 * h * (z_rate_old[i] + z_rate[i]);
        max = fmax(max, fabs(next - z[i]));
        size = fmax(size, fabs(next));
        z[i] = next;
    }
    *change = max / fmax(size, CRD_VERLET_STILL);
    return crd_all_finite(stepper->y_new, stepper->n) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* The last kick; implicit ones by iteration until nothing moves any more. */
static CardanStatus land(CrdStepper *stepper, double h) {
    const Verlet *verlet = stepper->memory;
    const CrdMotion *motion = &stepper->motion;
    double *v = stepper->y_new + motion->nq, change, before = (double)INFINITY;
    for (int i = 0; i < motion->nv; i++) v[i] = verlet->drifted[i] + 0.5 * h * stepper->f[motion->nq + i];
    for (int i = 0; i < CRD_VERLET_ITERATIONS; i++) {
        CRD_TRY(motion->evaluate(motion->user, stepper->t + h, stepper->y_new));
        if (motion->rows > 0 && i == 0) CRD_TRY(motion->hold(motion->user));
        CRD_TRY(last_kick(stepper, h, &change));
        if (!motion->is_implicit(motion->user) || change <= CRD_VERLET_STILL ||
            (change >= before && change <= CRD_VERLET_SMALL))
            return CARDAN_OK;
        before = change;
    }
    return too_long(stepper, "forces that depend on velocities change too much in one step", h);
}

static CardanStatus attempt(CrdStepper *stepper, double h, bool want_error) {
    (void)want_error;
    const Verlet *verlet = stepper->memory;
    const CrdMotion *motion = &stepper->motion;
    const double *v = stepper->y + motion->nq, *a = stepper->f + motion->nq;
    assert(h != 0.0 && motion->nq + motion->nv + motion->nz <= stepper->n);
    CRD_TRY(motion->start(motion->user));
    for (int i = 0; i < motion->nv; i++) verlet->u[i] = v[i] + 0.5 * h * a[i];
    motion->without_gyroscopic(motion->user, 0.5 * h, v, verlet->u);
    for (int i = motion->nq; i < stepper->n; i++) stepper->y_new[i] = stepper->y[i] + h * stepper->f[i];
    CRD_TRY(drift_onto_constraints(stepper, h));
    return land(stepper, h);
}

/* Work by the trapezoidal rule, now that the power at the end is known. */
static void accepted(CrdStepper *stepper) {
    int w = stepper->motion.work;
    if (w < 0) return;
    stepper->y[w] = stepper->y_old[w] + 0.5 * (stepper->t - stepper->t_old) * (stepper->f_new[w] + stepper->f[w]);
}

/* What both have in common and their own. */
#define VERLET(...)                                                                                                    \
    {                                                                                                                  \
        .formulations = CRD_TAKES_INDEX1, .order = 2, .on_constraints = true, .sees = CRD_SEES_MOTION,                 \
        .layout = layout, .attempt = attempt, .accepted = accepted, __VA_ARGS__                                        \
    }

const CrdMethod crd_verlet =
    VERLET(.name = "verlet", .summary = "velocity Verlet, symplectic, for models without constraints",
           .needs = "masses that do not change and no constraint rows",
           .demands = CRD_FIXED_MASSES | CRD_HOLONOMIC | CRD_NO_ROWS);
const CrdMethod crd_rattle =
    VERLET(.name = "rattle", .summary = "RATTLE: Verlet with constraints, both levels met to rounding",
           .needs = "masses that do not change and no nonholonomic rows", .no_baumgarte = true, .iterates = true,
           .stops_in_poses = true, .demands = CRD_FIXED_MASSES | CRD_HOLONOMIC);
