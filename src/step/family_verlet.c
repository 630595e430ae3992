/* Velocity Verlet, and RATTLE, which is the same under constraints: kick, fly, kick.
 *
 *     u     = v + h/2 M^-1 (f - G^T lambda)                      half a kick at (t, q)
 *     q_new = q + h u, rotations as in flight.h                  lambda such that g(q_new) = 0
 *     v_new = u + h/2 M^-1 (f_new - G_new^T mu)                  half a kick at the end, mu such that G v + g_t = 0 there
 *
 * Symplectic where forces have a potential, reversible, of second order; both levels of the constraints are met to
 * rounding. (H. C. Andersen, J. Comput. Phys. 52 (1983) 24-34; B. Leimkuhler, R. D. Skeel, J. Comput. Phys. 112 (1994)
 * 117-125; Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., Springer, 2006, VII.1.) Newton's method on
 * lambda starts with that of the accelerations and works with the factor of S at the old state. Forces that depend on
 * velocities make the last kick implicit: it is iterated, and first-order states z go with it by the trapezoidal rule. */
#include "core/numbers.h"
#include "step/flight.h"
#include "step/norm.h"
#include "step/run.h"

#include <math.h>
#include <string.h>

typedef struct Verlet {
    double *t;       /* pieces of G M^-1 at the old state */
    double *u;       /* (nv) velocities in the middle, at first in the old axes */
    double *flown;   /* (nv) the same in the new axes */
    double *v;       /* (nv) iterate of the last kick */
    double *r;       /* (rows) */
    bool implicit;   /* forces may depend on velocities */
} Verlet;

/* ---- what fits ---- */

static CardanStatus check(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    const CrdShape *s = model->shape;
    const char *name = crd_method(options->stepper)->name;
    for (int b = 0; b < s->block_count; b++)
        if (s->blocks[b].kind == CRD_CUSTOM_BLOCK)
            return crd_fail(error, CARDAN_ERR_MODEL,
                            "stepper '%s' needs masses that do not change, and block '%s' has a mass matrix of its own",
                            name, model->description->blocks[s->blocks[b].object].name);
    if (s->holonomic_rows != s->rows)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' has no place for nonholonomic rows (rolling, knife edges); use an explicit one", name);
    return CARDAN_OK;
}

static CardanStatus check_free(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    CRD_TRY(check(model, options, error));
    if (model->shape->rows == 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL,
                    "stepper 'verlet' cannot keep joints closed and the model has %d constraint rows; use rattle",
                    model->shape->rows);
}

/* Whether a force may depend on velocities: springs and torsions without damper and law do not. */
static bool velocities_matter(const CardanModel *model) {
    const CrdShape *s = model->shape;
    if (s->compliant_count > 0 || s->first_order > 0) return true;
    for (int i = 0; i < s->force_count; i++) {
        const CrdForceData *force = &model->numbers.forces[i];
        bool elastic = force->type == CARDAN_SPRING || force->type == CARDAN_TORSION;
        if (!elastic || force->damping != 0.0) return true;
        for (int k = 0; k < CRD_FORCE_LAWS; k++)
            if (s->laws[CRD_FORCE_LAWS * i + k] != NULL) return true;
    }
    return false;
}

/* ---- the step ---- */

static void layout(CrdRun *run, CrdArena *arena) {
    const CardanModel *model = run->dynamics.model;
    const CrdShape *s = model->shape;
    Verlet measuring, *m = crd_take(arena, 1, sizeof *m), *verlet = m != NULL ? m : &measuring;
    size_t nv = (size_t)s->nv, real = sizeof(double);
    verlet->t = crd_take(arena, (size_t)s->size_g, real);
    double **vectors[] = {&verlet->u, &verlet->flown, &verlet->v};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = crd_take(arena, nv, real);
    verlet->r = crd_take(arena, (size_t)s->rows, real);
    verlet->implicit = velocities_matter(model);
    run->memory = m;
}

static CardanStatus too_long(CrdRun *run, const char *what, double h) {
    return crd_fail(run->error, CARDAN_ERR_NUMERIC, "%s: %s after t = %.9g; a step shorter than %.3g may do",
                    run->method->name, what, run->t, h);
}

/* q_new from u; followers are predicted. */
static CardanStatus fly(CrdRun *run, double h) {
    const Verlet *verlet = run->memory;
    if (crd_fly(run->dynamics.model, h, run->y, verlet->u, run->y_new, verlet->flown) < 0)
        return too_long(run, "a body turns too far in one step", h);
    return CARDAN_OK;
}

/* Newton's method on the multipliers of the first kick, until g(q_new) is at rounding. */
static CardanStatus fly_onto_constraints(CrdRun *run, double h) {
    const Verlet *verlet = run->memory;
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    double before = (double)INFINITY, floor = CRD_PROJECT_TOLERANCE * d->model->numbers.size;
    for (int i = 0; i < CRD_VERLET_ITERATIONS; i++) {
        CRD_TRY(fly(run, h));
        if (!crd_all_finite(run->y_new, s->nq)) return CARDAN_ERR_NUMERIC;
        if (s->rows == 0) return CARDAN_OK;
        CRD_TRY(crd_run_measure(run, run->t + h, run->y_new));
        double now = crd_worst(d->system.g, s->rows);
        if (now <= floor || (now >= before && crd_position_excess(d->model, &d->system, floor) <= 1.0)) return CARDAN_OK;
        before = now;
        for (int r = 0; r < s->rows; r++) verlet->r[r] = d->system.g[r] / h;
        CRD_TRY(crd_solve_rows(d, verlet->r));
        crd_times_gt(s, verlet->t, -1.0, verlet->r, verlet->u);
    }
    return too_long(run, "no multipliers put the positions on the constraints", h);
}

/* v <- v less its part across the constraints, with the factor of the new state; twice, for rounding. */
static CardanStatus onto_rates(CrdRun *run, double *v) {
    const Verlet *verlet = run->memory;
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    for (int pass = 0; s->rows > 0 && pass < 2; pass++) {
        memcpy(verlet->r, d->system.rate_t, (size_t)s->rows * sizeof *verlet->r);
        crd_times_g(s, d->system.G, v, verlet->r);
        CRD_TRY(crd_solve_rows(d, verlet->r));
        crd_times_gt(s, d->system.T, -1.0, verlet->r, v);
    }
    return CARDAN_OK;
}

/* One pass of the last kick: forces at (q_new, y_new's v and z), then v and z from them. change: largest of both. */
static CardanStatus last_kick(CrdRun *run, double h, double *change) {
    const Verlet *verlet = run->memory;
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    double *v = crd_run_v(run, run->y_new), *z = crd_run_z(run, run->y_new), most = 0.0, size = 0.0;
    const double *z_old = crd_run_z(run, run->y), *z_rate = crd_run_z(run, run->f);
    d->actions.states = z;
    CRD_TRY(crd_forces(d->model, run->y_new, v, &d->actions, &d->system, d->error));
    memcpy(verlet->v, d->system.f, (size_t)s->nv * sizeof *verlet->v);
    crd_solve_mass(d->model, &d->system, verlet->v);
    crd_without_gyroscopic(d->model, 1.0, v, verlet->v);
    for (int i = 0; i < s->nv; i++) verlet->v[i] = verlet->flown[i] + 0.5 * h * verlet->v[i];
    CRD_TRY(onto_rates(run, verlet->v));
    for (int i = 0; i < s->nv; i++) {
        most = fmax(most, fabs(verlet->v[i] - v[i]));
        size = fmax(size, fabs(verlet->v[i]));
        v[i] = verlet->v[i];
    }
    for (int i = 0; i < s->first_order; i++) {
        double next = z_old[i] + 0.5 * h * (z_rate[i] + d->system.z_rate[i]);
        most = fmax(most, fabs(next - z[i]));
        size = fmax(size, fabs(next));
        z[i] = next;
    }
    *change = most / fmax(size, CRD_VERLET_STILL);
    return crd_all_finite(run->y_new, run->n) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* The last kick; implicit ones by iteration until nothing moves any more. */
static CardanStatus land(CrdRun *run, double h) {
    const Verlet *verlet = run->memory;
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    double *v = crd_run_v(run, run->y_new), change, before = (double)INFINITY;
    for (int i = 0; i < s->nv; i++) v[i] = verlet->flown[i] + 0.5 * h * crd_run_v(run, run->f)[i];
    for (int i = 0; i < CRD_VERLET_ITERATIONS; i++) {
        CRD_TRY(crd_run_measure(run, run->t + h, run->y_new));
        CRD_TRY(s->rows > 0 && i == 0 ? crd_factor(d, CARDAN_METRIC_MASS) : CARDAN_OK);
        CRD_TRY(last_kick(run, h, &change));
        bool implicit = verlet->implicit || d->actions.wrenches != NULL;
        if (!implicit || change <= CRD_VERLET_STILL || (change >= before && change <= CRD_VERLET_SMALL)) return CARDAN_OK;
        before = change;
    }
    return too_long(run, "forces that depend on velocities change too much in one step", h);
}

static CardanStatus attempt(CrdRun *run, double h, bool want_error) {
    (void)want_error;
    const Verlet *verlet = run->memory;
    const CrdShape *s = run->dynamics.model->shape;
    const double *v = crd_run_v(run, run->y), *a = crd_run_v(run, run->f);
    CRD_TRY(crd_run_start(run, verlet->t));
    for (int i = 0; i < s->nv; i++) verlet->u[i] = v[i] + 0.5 * h * a[i];
    crd_without_gyroscopic(run->dynamics.model, 0.5 * h, v, verlet->u);
    for (int i = s->nq; i < run->n; i++) run->y_new[i] = run->y[i] + h * run->f[i];
    CRD_TRY(fly_onto_constraints(run, h));
    return land(run, h);
}

/* Work by the trapezoidal rule, now that the power at the end is known. */
static void accepted(CrdRun *run) {
    int w = run->n - 1;
    run->y[w] = run->y_old[w] + 0.5 * (run->t - run->t_old) * (run->f_new[w] + run->f[w]);
}

const CrdMethod crd_verlet = {.name = "verlet",
                              .order = 2,
                              .on_constraints = true,
                              .check = check_free,
                              .layout = layout,
                              .attempt = attempt,
                              .accepted = accepted};
const CrdMethod crd_rattle = {.name = "rattle",
                              .order = 2,
                              .iterates = true,
                              .on_constraints = true,
                              .check = check,
                              .layout = layout,
                              .attempt = attempt,
                              .accepted = accepted};
