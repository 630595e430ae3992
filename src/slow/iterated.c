/* Iterated projection (Ariel, Sanz-Serna and Tsai 2012, sections 3 and 4; mixed rigid and compliant joints are ours):
 * micro-steps of RATTLE (Verlet where no joint is rigid) forward and backward over a window, a filter over them, and
 * that again until deflections stand still.
 *     window  L / w_min, L = 6 pi        micro-step  2 pi / (6 w_max)
 * Damping of the fast joints is left out of the micro-steps: backward it would grow. Rotations are filtered in the
 * tangent space at the point, q <- q exp(sum w_j log(q^-1 q_j)). What the filter opens of rigid joints is closed. */
#include "core/numbers.h"
#include "core/rotation.h"
#include "slow/slow.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* rad: what the slowest fast motion turns by on each side of the point; the kernel's Fourier transform is small there.
 */
#define CRD_SLOW_WINDOW (6.0 * CRD_PI)

enum { CRD_SLOW_PER_PERIOD = 6 }; /* micro-steps in a period of the fastest motion */
enum { CRD_SLOW_ITERATIONS = 12 };

/* Part of a micro-step that rounding may add to a whole number of them. */
#define CRD_SLOW_WHOLE 1e-9

/* Largest damping ratio: beyond it the motion without damping says little of the one with it. */
#define CRD_SLOW_DAMPED 0.3

/* Largest ratio of frequencies: a window takes 2 x 18 micro-steps times as many. */
#define CRD_SLOW_SPREAD 100.0

static void swap(double **a, double **b) {
    double *keep = *a;
    *a = *b;
    *b = keep;
}

/* One micro-step; h may be negative. */
static CardanStatus micro_step(CrdSlow *slow, double t_new, double h) {
    CrdIntegrator *soft = &slow->soft.integrator;
    CrdStepper *stepper = &soft->stepper;
    CRD_TRY(stepper->method->attempt(stepper, h, false));
    crd_normalise(soft->dynamics.model->structure, stepper->y_new);
    CRD_TRY(crd_integrator_evaluate_constraints(soft, t_new, stepper->y_new));
    CRD_TRY(crd_integrator_track(soft, stepper->y_new));
    CRD_TRY(crd_integrator_derivative(soft, stepper->y_new, stepper->f_new, false));
    slow->result.evaluations++;
    stepper->t = t_new;
    swap(&stepper->y, &stepper->y_new);
    swap(&stepper->f, &stepper->f_new);
    return CARDAN_OK;
}

static CrdVec turn_between(const double *from, const double *to) {
    CrdMat a = crd_matrix_of((CardanQuat){from[0], from[1], from[2], from[3]}),
           b = crd_matrix_of((CardanQuat){to[0], to[1], to[2], to[3]});
    CrdMat back = crd_transpose(a.m), turned = crd_mul(back.m, b.m);
    return crd_rotation_vector(turned.m);
}

/* Adds weight times the displacement from `here` to y, and its velocity. */
static void add_point(CrdSlow *slow, double weight, const double *y) {
    const CrdStructure *structure = slow->model->structure;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        const double *from = slow->here + block->q, *to = y + block->q;
        double *moved = slow->moved + block->v;
        int turn = crd_block_quaternion(block), plain = turn >= 0 ? turn : block->nq;
        for (int k = 0; k < plain; k++) moved[k] += weight * (to[k] - from[k]);
        if (turn < 0) continue;
        double phi[3];
        crd_put(phi, turn_between(from + turn, to + turn));
        for (int k = 0; k < 3; k++) moved[plain + k] += weight * phi[k];
    }
    for (int i = 0; i < structure->nv; i++) slow->speed[i] += weight * y[structure->nq + i];
}

/* crd_move adds N dx and normalises: of a rotation vector phi that is a turn by 2 atan(|dx| / 2), so dx is longer. */
static void move_here(CrdSlow *slow) {
    const CrdStructure *structure = slow->model->structure;
    for (int b = 0; b < structure->block_count; b++) {
        int turn = crd_block_quaternion(&structure->blocks[b]);
        if (turn < 0) continue;
        double *phi = slow->moved + structure->blocks[b].v + turn;
        double angle = crd_norm(crd_vec_of(phi)), longer = angle > 0.0 ? tan(0.5 * angle) / (0.5 * angle) : 1.0;
        for (int k = 0; k < 3; k++) phi[k] *= longer;
    }
    crd_move(structure, slow->moved, slow->here);
    memcpy(slow->here + structure->nq, slow->speed, (size_t)structure->nv * sizeof *slow->speed);
}

/* A window that cannot be stepped over: most often backward, where damping of other forces makes motions grow. */
static CardanStatus fail_window(CrdSlow *slow, double t, double window) {
    char why[CRD_MESSAGE_SIZE / 2];
    snprintf(why, sizeof why, "%.300s", slow->error->text[0] != '\0' ? slow->error->text : "it is not finite");
    crd_error_clear(slow->error);
    return crd_fail_at(slow->error, CARDAN_ERR_NUMERIC, slow->fast[crd_slow_slowest(slow)].place,
                       "the iterated projection cannot follow the motion %s over %.3g s about t = %.9g (%s); strong "
                       "damping of other forces does that: use method: bounded",
                       slow->soft.integrator.stepper.t < t ? "backward" : "forward", window, t, why);
}

static CardanStatus filter_side(CrdSlow *slow, double t, double window, int n, double mass) {
    assert(window != 0.0 && n > 0);
    CrdIntegrator *soft = &slow->soft.integrator;
    CrdStepper *stepper = &soft->stepper;
    crd_integrator_touch(soft);
    stepper->t = t;
    memcpy(stepper->y, slow->here, (size_t)stepper->n * sizeof *stepper->y);
    CRD_TRY(crd_integrator_evaluate(soft));
    slow->result.evaluations++;
    for (int j = 1; j <= n; j++) {
        CardanStatus status = micro_step(slow, t + window * j / n, window / n);
        if (status == CARDAN_ERR_NUMERIC) return fail_window(slow, t, fabs(window));
        CRD_TRY(status);
        add_point(slow, crd_slow_kernel(slow->kernel, (double)j / n) / mass, stepper->y);
    }
    return crd_slow_refuse_contact(slow, &slow->soft, stepper->t, stepper->y);
}

/* The filter over a window of n micro-steps on each side. */
static CardanStatus filter(CrdSlow *slow, double t, double window, int n) {
    assert(window > 0.0 && n > 0);
    size_t bytes = (size_t)slow->model->structure->nv * sizeof *slow->moved;
    double mass = crd_slow_kernel(slow->kernel, 0.0);
    for (int j = 1; j <= n; j++) mass += 2.0 * crd_slow_kernel(slow->kernel, (double)j / n);
    memset(slow->moved, 0, bytes);
    memset(slow->speed, 0, bytes);
    add_point(slow, crd_slow_kernel(slow->kernel, 0.0) / mass, slow->here);
    CRD_TRY(filter_side(slow, t, -window, n, mass));
    CRD_TRY(filter_side(slow, t, window, n, mass));
    move_here(slow);
    return crd_integrator_project(&slow->soft.integrator, t, slow->here);
}

static CardanStatus refuse(CrdSlow *slow) {
    const CrdSlowResult *result = &slow->result;
    const CrdFast *slowest = &slow->fast[crd_slow_slowest(slow)];
    if (result->damping > CRD_SLOW_DAMPED)
        return crd_fail_at(slow->error, CARDAN_ERR_MODEL, slowest->place,
                           "the iterated projection leaves out damping, and the compliant joints ('%s' first) have a "
                           "damping ratio of %.3g, more than %g: use method: bounded",
                           slowest->name, result->damping, CRD_SLOW_DAMPED);
    if (result->w_max > CRD_SLOW_SPREAD * result->w_min)
        return crd_fail_at(slow->error, CARDAN_ERR_MODEL, slowest->place,
                           "the frequencies of the compliant joints lie between %.3g rad/s ('%s') and %.3g rad/s, more "
                           "than %g apart: the iterated projection would take %.0f micro-steps; use method: bounded, "
                           "or name fewer joints",
                           result->w_min, slowest->name, result->w_max, CRD_SLOW_SPREAD,
                           2.0 * CRD_SLOW_WINDOW * CRD_SLOW_PER_PERIOD / (2.0 * CRD_PI) * result->w_max /
                               result->w_min);
    return CARDAN_OK;
}

/* Of a row the change of its force in the last iteration, that of its rate counting by the fastest motion. */
static double changed(const CrdSlow *slow, const CrdFast *fast, int row) {
    assert(row >= 0);
    int at = fast->at + row;
    return fast->k[row] * fmax(fabs(slow->g[0][at] - slow->g[1][at]),
                               fabs(slow->rate[0][at] - slow->rate[1][at]) / slow->result.w_max);
}

static CardanStatus fail_iterations(CrdSlow *slow) {
    const CrdFast *slowest = &slow->fast[crd_slow_slowest(slow)];
    return crd_fail_at(slow->error, CARDAN_ERR_NUMERIC, slowest->place,
                       "the iterated projection does not converge: after %d iterations %.3g N (N m) still change, more "
                       "than %.3g of the multipliers ('%s' is the slowest, %.3g rad/s); use method: bounded, or name "
                       "stiffer joints",
                       CRD_SLOW_ITERATIONS, slow->result.ringing, slow->tolerance, slowest->name, slow->result.w_min);
}

CardanStatus crd_slow_iterated(CrdSlow *slow, double t) {
    CRD_TRY(refuse(slow));
    double window = CRD_SLOW_WINDOW / slow->result.w_min, h = 2.0 * CRD_PI / (CRD_SLOW_PER_PERIOD * slow->result.w_max);
    int n = (int)ceil(window / h - CRD_SLOW_WHOLE);
    assert(n > 0);
    CRD_TRY(crd_slow_rows(slow, t, slow->here, slow->g[1], slow->rate[1]));
    for (slow->result.iterations = 1; slow->result.iterations <= CRD_SLOW_ITERATIONS; slow->result.iterations++) {
        CRD_TRY(filter(slow, t, window, n));
        CRD_TRY(crd_slow_rows(slow, t, slow->here, slow->g[0], slow->rate[0]));
        if (crd_slow_ringing(slow, changed) <= 1.0) return CARDAN_OK;
        swap(&slow->g[0], &slow->g[1]);
        swap(&slow->rate[0], &slow->rate[1]);
    }
    return fail_iterations(slow);
}
