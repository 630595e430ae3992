/* Problems of order 2 as Verlet and RATTLE see them:
 *     verlet    x'' = f^(t, x, x')                                              multipliers eliminated by the law
 *     rattle    x'' = f - B y        0 = g(t, x)        0 = G x' + g_t          B stands for W G^T, G B is factored */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/formulation.h"
#include "lab/stepping.h"

static const CrdLabProblem *problem_of(const CrdLabStepping *stepping) {
    return ((const CrdLabSetting *)stepping->system->user)->problem;
}

/* Forces of a callback may depend on anything. */
static bool is_implicit(void *user) {
    (void)user;
    return true;
}

static CardanStatus evaluate(void *user, double t, const double *y) {
    CrdLabStepping *stepping = user;
    const CrdLabProblem *problem = problem_of(stepping);
    size_t n = (size_t)problem->n, rows = (size_t)problem->rows, real = sizeof(double);
    stepping->t_stage = t;
    if (stepping->stepper.motion.rows == 0) return CARDAN_OK;
    CrdLabTerms terms;
    CrdLabMark mark = crd_lab_mark(stepping->workspace);
    CRD_TRY(crd_lab_terms(problem, t, y, stepping->workspace, &terms));
    memcpy(stepping->f, terms.f, n * real);
    memcpy(stepping->b, terms.b, n * rows * real);
    memcpy(stepping->g, terms.g, rows * real);
    memcpy(stepping->jacobian, terms.jacobian, rows * n * real);
    memcpy(stepping->rate, terms.rate, rows * real);
    crd_lab_back(stepping->workspace, mark);
    return CARDAN_OK;
}

static CardanStatus hold(void *user) {
    CrdLabStepping *stepping = user;
    const CrdLabProblem *problem = problem_of(stepping);
    int n = problem->n, rows = stepping->stepper.motion.rows;
    double rcond;
    if (rows == 0) return CARDAN_OK;
    assert(stepping->lu.n == rows);
    memset(stepping->lu.matrix, 0, (size_t)(rows * rows) * sizeof(double));
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < n; k++)
                *crd_lu_at(&stepping->lu, i, j) += stepping->jacobian[i * n + k] * stepping->b[k * rows + j];
    memcpy(stepping->along, stepping->b, (size_t)(n * rows) * sizeof(double));
    if (crd_lu_factor(&stepping->lu, &rcond) >= 0) return CARDAN_OK;
    return crd_fail(stepping->workspace->error, CARDAN_ERR_NUMERIC,
                    "G B of the constraints is singular at t = %.9g: reciprocal condition number %.2g",
                    stepping->t_stage, rcond);
}

static CardanStatus start(void *user) {
    CrdLabStepping *stepping = user;
    CRD_TRY(evaluate(stepping, stepping->stepper.t, stepping->stepper.y));
    return hold(stepping);
}

static bool is_closed(void *user, double before, double *now) {
    const CrdLabStepping *stepping = user;
    double size = fmax(1.0, crd_largest(stepping->stepper.y_new, stepping->stepper.motion.nq));
    *now = crd_largest(stepping->g, stepping->stepper.motion.rows);
    return *now <= CRD_EPS || (*now >= 0.5 * before && *now <= CRD_LAB_PROJECT * size);
}

/* x -= B (G B)^-1 r, r in stepping->lu.x */
static CardanStatus push(CrdLabStepping *stepping, double *x) {
    CRD_TRY(crd_lu_solve(&stepping->lu));
    crd_add_product(stepping->stepper.motion.nv, stepping->stepper.motion.rows, 1, -1.0, stepping->along,
                    stepping->lu.x, x);
    return CARDAN_OK;
}

static CardanStatus push_positions(void *user, double h, double *x) {
    CrdLabStepping *stepping = user;
    for (int i = 0; i < stepping->stepper.motion.rows; i++) stepping->lu.x[i] = stepping->g[i] / h;
    return push(stepping, x);
}

static CardanStatus push_velocities(void *user, double *v) {
    CrdLabStepping *stepping = user;
    int rows = stepping->stepper.motion.rows;
    memcpy(stepping->lu.x, stepping->rate, (size_t)rows * sizeof *stepping->rate);
    crd_add_product(rows, stepping->stepper.motion.nv, 1, 1.0, stepping->jacobian, v, stepping->lu.x);
    return push(stepping, v);
}

static CardanStatus drift(void *user, double h, const double *q, const double *u, double *q_new, double *u_new) {
    const CrdLabStepping *stepping = user;
    for (int i = 0; i < stepping->stepper.motion.nq; i++) q_new[i] = q[i] + h * u[i];
    memcpy(u_new, u, (size_t)stepping->stepper.motion.nv * sizeof *u);
    return CARDAN_OK;
}

static void without_gyroscopic(void *user, double scale, const double *v, double *x) {
    (void)user, (void)scale, (void)v, (void)x;
}

static CardanStatus accelerate(void *user, const double *y, double *a, const double **z_rate) {
    CrdLabStepping *stepping = user;
    const CrdLabSystem *system = stepping->system;
    int n = stepping->stepper.motion.nv;
    *z_rate = NULL;
    if (system->second_order)
        CRD_TRY(system->rates(system->user, stepping->t_stage, y, stepping->out, stepping->workspace));
    memcpy(a, system->second_order ? stepping->out + n : stepping->f, (size_t)n * sizeof *a);
    return CARDAN_OK;
}

static const CrdMotion of_problem = {.work = -1,
                                     .is_implicit = is_implicit,
                                     .start = start,
                                     .evaluate = evaluate,
                                     .hold = hold,
                                     .is_closed = is_closed,
                                     .push_positions = push_positions,
                                     .push_velocities = push_velocities,
                                     .drift = drift,
                                     .without_gyroscopic = without_gyroscopic,
                                     .accelerate = accelerate};

void crd_lab_motion_layout(CrdLabStepping *stepping, CrdArena *arena) {
    assert(stepping->system->second_order != stepping->system->both_levels);
    int n = stepping->system->n / 2, rows = stepping->system->both_levels ? problem_of(stepping)->rows : 0;
    size_t columns = (size_t)n, height = (size_t)rows;
    stepping->f = crd_take(arena, columns, sizeof(double));
    CRD_TAKE_VECTORS(arena, height * columns, &stepping->b, &stepping->along, &stepping->jacobian);
    CRD_TAKE_VECTORS(arena, height, &stepping->g, &stepping->rate);
    crd_lu_layout(&stepping->lu, rows, &stepping->workspace->count, arena);
    CrdMotion *motion = &stepping->stepper.motion;
    *motion = of_problem;
    motion->user = stepping;
    motion->nq = motion->nv = n;
    motion->rows = rows;
}
