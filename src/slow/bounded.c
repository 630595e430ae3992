/* Bounded derivatives (H.-O. Kreiss, SIAM J. Numer. Anal. 16 (1979) 980-998; Ariel, Sanz-Serna and Tsai, section 2.4):
 * a motion is slow when its derivatives are. With the fast joints rigid the mechanism has multipliers lambda(t) along
 * its motion; lambda' and lambda'' are differences over five points of it. The deflections that carry them,
 *     g = K^-1 (lambda - C g'),   g' = K^-1 (lambda' - C g''),   g'' = K^-1 lambda''
 * are put into the mechanism by moves that are least in the metric of M. That misses the slow manifold by O(w^-2) of
 * itself, since lambda is that of the rigid pose. Sweeps take the rest: the accelerations a of the mechanism as it is
 * must give g'' = G_K a - gamma; what they give besides is met by other forces,
 *     S dlambda = G a - gamma - g'',    g <- g + K^-1 dlambda
 * and dlambda is what would ring. Each sweep gains a factor (rate / w)^2. */
#include "core/numbers.h"
#include "slow/slow.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Points along the rigid motion are so far apart, in times of its rate: fourth-order differences leave 1e-12 there, and
 * rounding of multipliers 1e-13 in lambda', 1e-10 in lambda''. */
#define CRD_SLOW_STEP 1e-3

/* 1/s; a rate that is lower says nothing: a mechanism at rest. */
#define CRD_SLOW_RATE_MIN 1.0

/* Differences of second and of fourth order may disagree by this part of the multipliers in one step; else the motion
 * has a time scale of its own that is shorter, and the points are laid closer. */
#define CRD_SLOW_ROUGH 1e-4
enum { CRD_SLOW_CLOSER = 8 };

enum { CRD_SLOW_SWEEPS = 10 };

/* A sweep must gain at least this: else frequencies are not apart from the motion. */
#define CRD_SLOW_GAIN 0.5

/* ---- the rigid motion ---- */

CardanStatus crd_slow_multipliers(CrdSlow *slow, double t, const double *y, double *dydt, double *out) {
    CrdIntegrator *rigid = &slow->rigid.integrator;
    CRD_TRY(crd_integrator_evaluate_constraints(rigid, t, y));
    CRD_TRY(crd_integrator_derivative(rigid, y, dydt, false));
    slow->result.evaluations++;
    for (int i = 0; i < slow->count; i++) {
        const CrdFast *fast = &slow->fast[i];
        memcpy(out + fast->at, rigid->dynamics.lambda + fast->first, (size_t)fast->rows * sizeof *out);
        if (fast->gap > 0) crd_slow_turn_gap(slow, fast, false, out + fast->at);
    }
    return CARDAN_OK;
}

/* One step of the classical Runge-Kutta method from (t, y), whose slope is there, to y. */
static CardanStatus rigid_step(CrdSlow *slow, double t, double h, double *y) {
    static const double NODES[4] = {0.0, 0.5, 0.5, 1.0};
    CrdIntegrator *rigid = &slow->rigid.integrator;
    int n = rigid->stepper.n;
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < n; i++) slow->stage[i] = y[i] + NODES[s] * h * slow->slope[s - 1][i];
        CRD_TRY(crd_integrator_evaluate_constraints(rigid, t + NODES[s] * h, slow->stage));
        CRD_TRY(crd_integrator_derivative(rigid, slow->stage, slow->slope[s], false));
        slow->result.evaluations++;
    }
    for (int i = 0; i < n; i++)
        y[i] += h / 6.0 * (slow->slope[0][i] + 2.0 * (slow->slope[1][i] + slow->slope[2][i]) + slow->slope[3][i]);
    crd_normalise(rigid->dynamics.model->structure, y);
    return CARDAN_OK;
}

/* Multipliers at the five points t + k h; the twin's y is where the motion is at t. */
static CardanStatus look_along(CrdSlow *slow, double t, double h) {
    CrdIntegrator *rigid = &slow->rigid.integrator;
    double *y = rigid->stepper.y_new;
    size_t bytes = (size_t)rigid->stepper.n * sizeof *y, rows = (size_t)slow->rows;
    for (int side = -1; side <= 1; side += 2) {
        memcpy(y, rigid->stepper.y, bytes);
        CRD_TRY(crd_slow_multipliers(slow, t, y, slow->slope[0], slow->lambda + CRD_SLOW_HERE * rows));
        for (int k = 1; k <= CRD_SLOW_HERE; k++) {
            CRD_TRY(rigid_step(slow, t + side * (k - 1) * h, side * h, y));
            CRD_TRY(crd_slow_multipliers(slow, t + side * k * h, y, slow->slope[0],
                                         slow->lambda + (size_t)(CRD_SLOW_HERE + side * k) * rows));
        }
        CRD_TRY(crd_slow_refuse_contact(slow, &slow->rigid, t + side * CRD_SLOW_HERE * h, y));
    }
    return CARDAN_OK;
}

/* lambda, lambda', lambda'' into `wanted`; the largest disagreement of lambda' in one step, against the largest. */
static double differentiate(CrdSlow *slow, double h) {
    size_t n = (size_t)slow->rows;
    const double *l = slow->lambda;
    double rough = 0.0, max = 0.0;
    for (size_t i = 0; i < n; i++) {
        double a = l[i], b = l[n + i], c = l[2 * n + i], d = l[3 * n + i], e = l[4 * n + i];
        double second = (d - b) / 2.0, fourth = (8.0 * (d - b) - (e - a)) / 12.0;
        slow->wanted[0][i] = c;
        slow->wanted[1][i] = fourth / h;
        slow->wanted[2][i] = (16.0 * (b + d) - (a + e) - 30.0 * c) / (12.0 * h * h);
        rough = fmax(rough, fabs(second - fourth));
        max = fmax(max, fabs(c));
    }
    slow->result.multiplier = max;
    return max > 0.0 ? rough / max : 0.0;
}

/* The deflections that carry these multipliers. */
static void deflect(CrdSlow *slow) {
    for (int i = 0; i < slow->count; i++)
        for (int r = 0; r < slow->fast[i].rows; r++) {
            double k = slow->fast[i].k[r], c = slow->fast[i].c[r];
            int at = slow->fast[i].at + r;
            slow->wanted[2][at] /= k;
            slow->wanted[1][at] = (slow->wanted[1][at] - c * slow->wanted[2][at]) / k;
            slow->wanted[0][at] = (slow->wanted[0][at] - c * slow->wanted[1][at]) / k;
        }
}

/* ---- rows ---- */

static CrdVec gap_of(const CrdFast *fast, const double *own) {
    return crd_vec(own[0], own[1], fast->gap == 3 ? own[2] : 0.0);
}

static void put_gap(const CrdFast *fast, CrdVec x, double *own) {
    double all[3] = {x.x, x.y, x.z};
    memcpy(own, all, (size_t)fast->gap * sizeof *own);
}

void crd_slow_turn_gap(const CrdSlow *slow, const CrdFast *fast, bool to_ground, double *own) {
    CrdMat axes = crd_fast_axes(&slow->rigid, fast);
    CrdVec gap = gap_of(fast, own);
    put_gap(fast, to_ground ? crd_apply(axes.m, gap) : crd_apply_t(axes.m, gap), own);
}

/* Spin and its rate of the body that carries a bushing's axes, in ground axes. */
static void frame_spin(const CrdSlow *slow, const CrdFast *fast, const double *a, CrdVec *w, CrdVec *alpha) {
    const CrdDynamics *rigid = &slow->rigid.integrator.dynamics;
    const CrdStructure *structure = rigid->model->structure;
    int frame = crd_element_frame(structure, fast->element, 0), b = structure->frames[frame].block;
    const CardanFrame *f = &rigid->system.frames[frame];
    *w = crd_apply(f->rotation, f->w);
    *alpha = crd_vec(0, 0, 0);
    if (b < 0 || a == NULL) return;
    const CrdBlock *block = &structure->blocks[b];
    if (block->kind == CRD_PLANAR_BODY) *alpha = crd_vec(0, 0, a[block->v + 2]);
    if (block->kind == CRD_SPATIAL_BODY) *alpha = crd_apply(f->rotation, crd_vec_of(a + block->v + 3));
}

/* A bushing's gap and its rate as the body that it is fixed to sees them. */
static void see_gap(const CrdSlow *slow, const CrdFast *fast, double *g, double *rate) {
    CrdVec w, alpha;
    frame_spin(slow, fast, NULL, &w, &alpha);
    put_gap(fast, crd_sub(gap_of(fast, rate), crd_cross(w, gap_of(fast, g))), rate);
    crd_slow_turn_gap(slow, fast, false, g);
    crd_slow_turn_gap(slow, fast, false, rate);
}

CardanStatus crd_slow_rows(CrdSlow *slow, double t, const double *y, double *g, double *rate) {
    CrdIntegrator *rigid = &slow->rigid.integrator;
    const CrdSystem *system = &rigid->dynamics.system;
    double *own = rigid->stepper.y_new;
    memcpy(own, rigid->stepper.y, (size_t)rigid->stepper.n * sizeof *own);
    crd_twin_put(&slow->rigid, slow->model, y, own);
    CRD_TRY(crd_integrator_evaluate_constraints(rigid, t, own));
    for (int i = 0; i < slow->count; i++) {
        const CrdFast *fast = &slow->fast[i];
        memcpy(g + fast->at, system->g + fast->first, (size_t)fast->rows * sizeof *g);
        memcpy(rate + fast->at, system->rate + fast->first, (size_t)fast->rows * sizeof *rate);
        if (fast->gap > 0) see_gap(slow, fast, g + fast->at, rate + fast->at);
    }
    return CARDAN_OK;
}

/* The wanted deflection (level 0), rate or second derivative as rows of the twin, zero in those of other joints; at the
 * frames in its workspace and, for level 2, the accelerations a. */
static void rows_wanted(CrdSlow *slow, int level, const double *a) {
    memset(slow->row_target, 0, (size_t)slow->rigid.model->structure->rows * sizeof *slow->row_target);
    for (int i = 0; i < slow->count; i++) {
        const CrdFast *fast = &slow->fast[i];
        double *out = slow->row_target + fast->first;
        memcpy(out, slow->wanted[level] + fast->at, (size_t)fast->rows * sizeof *out);
        if (fast->gap == 0) continue;
        CrdVec w, alpha, e[3];
        CrdMat axes = crd_fast_axes(&slow->rigid, fast);
        frame_spin(slow, fast, a, &w, &alpha);
        for (int k = 0; k < 3; k++) e[k] = crd_apply(axes.m, gap_of(fast, slow->wanted[k] + fast->at));
        CrdVec x = e[level];
        if (level == 1) x = crd_add(x, crd_cross(w, e[0]));
        if (level == 2)
            x = crd_add(crd_add(x, crd_cross(crd_scale(2.0, w), e[1])),
                        crd_add(crd_cross(alpha, e[0]), crd_cross(w, crd_cross(w, e[0]))));
        put_gap(fast, x, out);
    }
}

/* r = rows - wanted; the largest, a length counting as it is. */
static double missing(CrdSlow *slow, const double *rows) {
    int n = slow->rigid.model->structure->rows;
    for (int i = 0; i < n; i++) slow->r[i] = rows[i] - slow->row_target[i];
    return crd_max_abs(slow->r, n);
}

/* Twice: the second takes away what rounding left of the first. */
static CardanStatus put_rates(CrdSlow *slow, double t, double *y) {
    CrdIntegrator *rigid = &slow->rigid.integrator;
    CrdDynamics *dynamics = &rigid->dynamics;
    double *v = crd_integrator_v(rigid, y);
    for (int pass = 0; pass < 2; pass++) {
        CRD_TRY(crd_integrator_evaluate_constraints(rigid, t, y));
        CRD_TRY(crd_factor_unwatched(dynamics, CARDAN_METRIC_MASS));
        rows_wanted(slow, 1, NULL);
        missing(slow, dynamics->system.rate);
        CRD_TRY(crd_correct(dynamics, slow->r, slow->dlambda, slow->dx));
        for (int i = 0; i < dynamics->model->structure->nv; i++) v[i] += slow->dx[i];
    }
    return crd_integrator_evaluate_constraints(rigid, t, y);
}

/* Newton's method on the positions until nothing is gained any more, then the velocities. Moves are least in the
 * metric of M. */
static CardanStatus put_deflections(CrdSlow *slow, double t, double *y) {
    CrdIntegrator *rigid = &slow->rigid.integrator;
    CrdDynamics *dynamics = &rigid->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    double before = (double)INFINITY;
    for (int i = 0; i < CRD_PROJECT_ITERATIONS; i++) {
        CRD_TRY(crd_integrator_evaluate_constraints(rigid, t, y));
        rows_wanted(slow, 0, NULL);
        double now = missing(slow, dynamics->system.g);
        if (now == 0.0 || (now >= 0.5 * before && now <= CRD_START_RESIDUAL * dynamics->model->values.size)) break;
        before = now;
        CRD_TRY(crd_factor_unwatched(dynamics, CARDAN_METRIC_MASS));
        CRD_TRY(crd_correct(dynamics, slow->r, slow->dlambda, slow->dx));
        crd_move(structure, slow->dx, y);
    }
    return put_rates(slow, t, y);
}

/* ---- sweeps ---- */

static double pushed(const CrdSlow *slow, const CrdFast *fast, int row) {
    assert(row >= 0);
    return slow->r[fast->first + row];
}

/* What the mechanism's own accelerations have too much of, as multipliers (slow->r), against what may ring. */
static CardanStatus excess(CrdSlow *slow, double t, double *y, double *ratio) {
    CrdIntegrator *rigid = &slow->rigid.integrator, *soft = &slow->soft.integrator;
    CrdDynamics *dynamics = &rigid->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    double *there = soft->stepper.y_new;
    memcpy(there, slow->here, (size_t)soft->stepper.n * sizeof *there);
    crd_twin_get(&slow->rigid, y, there);
    CRD_TRY(crd_integrator_evaluate_constraints(soft, t, there));
    CRD_TRY(crd_integrator_derivative(soft, there, soft->stepper.f_new, false));
    slow->result.evaluations++;
    CRD_TRY(crd_integrator_evaluate_constraints(rigid, t, y));
    rows_wanted(slow, 2, soft->dynamics.a);
    for (int i = 0; i < structure->rows; i++) slow->r[i] = -dynamics->system.gamma[i] - slow->row_target[i];
    crd_times_g(structure, dynamics->system.G, soft->dynamics.a, slow->r);
    CRD_TRY(crd_factor_unwatched(dynamics, CARDAN_METRIC_MASS));
    CRD_TRY(crd_solve_rows(dynamics, slow->r));
    *ratio = crd_slow_ringing(slow, pushed);
    return CARDAN_OK;
}

/* Other deflections, by what is in slow->r. */
static void deflect_more(CrdSlow *slow) {
    for (int i = 0; i < slow->count; i++) {
        const CrdFast *fast = &slow->fast[i];
        double own[CRD_JOINT_ROWS];
        memcpy(own, slow->r + fast->first, (size_t)fast->rows * sizeof *own);
        if (fast->gap > 0) crd_slow_turn_gap(slow, fast, false, own);
        for (int r = 0; r < fast->rows; r++) slow->wanted[0][fast->at + r] += own[r] / fast->k[r];
    }
}

static CardanStatus fail_sweeps(CrdSlow *slow) {
    const CrdFast *worst = &slow->fast[0];
    double max = -1.0;
    for (int i = 0; i < slow->count; i++) {
        double now = crd_max_abs(slow->r + slow->fast[i].first, slow->fast[i].rows);
        if (now > max) worst = &slow->fast[i];
        max = fmax(max, now);
    }
    return crd_fail_at(slow->error, CARDAN_ERR_NUMERIC, worst->place,
                       "the slow start does not converge: after %d sweeps %.3g N (N m) of '%s' would still ring; its "
                       "frequencies, from %.3g rad/s, are too close to other motions: name stiffer joints",
                       slow->result.iterations, slow->result.ringing, worst->name, slow->result.w_min);
}

static CardanStatus sweep(CrdSlow *slow, double t, double *y) {
    double before = (double)INFINITY, now;
    for (slow->result.iterations = 0;; slow->result.iterations++) {
        CRD_TRY(excess(slow, t, y, &now));
        if (now <= 1.0) return CARDAN_OK;
        if (!(now <= CRD_SLOW_GAIN * before) || slow->result.iterations == CRD_SLOW_SWEEPS) return fail_sweeps(slow);
        before = now;
        deflect_more(slow);
        CRD_TRY(put_deflections(slow, t, y));
    }
}

CardanStatus crd_slow_bounded(CrdSlow *slow, double t) {
    CrdIntegrator *rigid = &slow->rigid.integrator;
    double h = CRD_SLOW_STEP / fmax(slow->result.rate, CRD_SLOW_RATE_MIN);
    for (int closer = 0; closer <= CRD_SLOW_CLOSER; closer++, h /= 4.0) {
        CRD_TRY(look_along(slow, t, h));
        if (differentiate(slow, h) <= CRD_SLOW_ROUGH) break;
    }
    deflect(slow);
    double *y = rigid->stepper.y_new;
    memcpy(y, rigid->stepper.y, (size_t)rigid->stepper.n * sizeof *y);
    crd_twin_put(&slow->rigid, slow->model, slow->here, y);
    CRD_TRY(put_deflections(slow, t, y));
    CRD_TRY(sweep(slow, t, y));
    crd_twin_get(&slow->rigid, y, slow->here);
    return CARDAN_OK;
}
