#include "dynamics/near_pose.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"

#include <math.h>
#include <string.h>

/* Arms of joints that mechanisms reach from the origin, as a rule: those that the numbers below were found with. */
#define CRD_USUAL_ARMS 10.0

/* Elements below this singularity measure are weak together: twice that from which a pose is near. */
#define CRD_WEAK_TOGETHER 0.1

/* Noise of accelerations, as a share of them, from which they are taken from neighbours across the pose; from which the
 * ordinary ones say nothing any more and the vanishing row is left out. */
#define CRD_ACROSS_NOISE 1e-9
#define CRD_ACROSS_LOST 1e-2

/* How far the farthest neighbours are, in units of the singularity measure at which the first noise is reached; the
 * nearest, at half of it, must stay well outside. */
#define CRD_ACROSS_FAR 8.0

/* Where the motion turns back near the pose: the neighbourhood is at most this part of speed^2 / acceleration, so that
 * its farthest neighbours see a quarter of the way to the turn. */
#define CRD_ACROSS_TURN 0.06

/* Largest square of (distance to the pose / distance of the neighbours) that is believed. */
#define CRD_ACROSS_RATIO 0.5

/* Improvements of an acceleration across a pose: each leaves at most some hundredths of what was wrong; it stands still
 * when this share of it changes, or as much as this part of the change before: that is rounding of the neighbours. */
#define CRD_ACROSS_ITERATIONS 8
#define CRD_ACROSS_STILL 1e-13
#define CRD_ACROSS_NO_LESS 0.5

/* Corrections of multipliers by a neighbour's factor, each of which leaves some hundredths of what was wrong. */
enum { CRD_BALANCE_PASSES = 3 };

void crd_near_pose_layout(CrdNearPose *near_pose, const CrdStructure *structure, CrdArena *arena) {
    size_t nv = (size_t)structure->nv, real = sizeof(double);
    near_pose->q = crd_take(arena, (size_t)structure->nq, real);
    near_pose->v = crd_take(arena, nv, real);
    near_pose->dx = crd_take(arena, nv, real);
    near_pose->a0 = crd_take(arena, nv, real);
    near_pose->mean = crd_take(arena, 3 * nv, real);
    near_pose->lambda = crd_take(arena, (size_t)structure->rows, real);
    near_pose->free = crd_take(arena, nv, real);
}

static void note(CrdDynamics *dynamics, CrdRemedy remedy, double noise) {
    CrdNearPose *near_pose = &dynamics->near_pose;
    if (remedy > near_pose->remedy) near_pose->remedy = remedy;
    near_pose->noise = noise;
}

/* A motion next to a pose, and what rounding does to it. */
typedef struct Motion {
    double speed, free; /* 1/s, and 1/s^2: what accelerations would be without the constraints */
    double grain; /* rounding of directions: an ulp of the place farthest from the origin, over the arms of joints;
                   * of many loops that are weak together sums of as many */
} Motion;

static double grain_of(const CrdDynamics *dynamics) {
    const CardanModel *model = dynamics->model;
    double arm = model->values.span > 0.0 ? model->values.span : model->values.size, far = 0.0;
    for (int i = 0; i < model->structure->frame_count; i++) far = fmax(far, crd_norm(dynamics->system.frames[i].x));
    double arms = far / arm * sqrt(crd_monitor_weak(dynamics, CRD_WEAK_TOGETHER));
    return CRD_EPS * fmax(1.0, arms - CRD_USUAL_ARMS);
}

/* What rounding of positions and velocities becomes in accelerations: m/s^2 and rad/s^2 in lengths of the model. */
static double noise_of(const Motion *motion, double w) {
    return motion->grain * motion->speed * motion->speed / (w * w * w);
}

/* The singularity measure at which that noise is the share `part` of the accelerations of a motion this fast. */
static double singularity_of_noise(const Motion *motion, double part) {
    double square = motion->speed * motion->speed, size = fmax(motion->free, square);
    return size > 0.0 ? cbrt(motion->grain * square / (part * size)) : 0.0;
}

/* ---- across the pose ---- */

/* A neighbour's distance in s, and what its multipliers count for. */
typedef struct Neighbour {
    double e, share;
} Neighbour;

/* Ordinary acceleration at (q + e v + e^2 a0 / 2, v + e a0): half of it is added to sum; returns the singularity
 * measure there.
 */
static CardanStatus add_neighbour(CrdDynamics *dynamics, Neighbour at, const double *q, const double *v, double *sum,
                                  double *w) {
    const double e = at.e;
    CrdNearPose *near_pose = &dynamics->near_pose;
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; i < structure->nv; i++) {
        near_pose->dx[i] = e * v[i] + 0.5 * e * e * near_pose->a0[i];
        near_pose->v[i] = v[i] + e * near_pose->a0[i];
    }
    memcpy(near_pose->q, q, (size_t)structure->nq * sizeof *q);
    crd_move(structure, near_pose->dx, near_pose->q);
    CRD_TRY(crd_evaluate_constraints(dynamics, near_pose->t + e, near_pose->q, near_pose->v));
    CRD_TRY(crd_forces(dynamics->model, near_pose->q, near_pose->v, &dynamics->actions, &dynamics->system,
                       dynamics->error));
    memcpy(dynamics->target, dynamics->system.gamma, (size_t)structure->rows * sizeof *dynamics->target);
    CRD_TRY(crd_plain_solve(dynamics));
    for (int k = 0; k < 2; k++) CRD_TRY(crd_refine(dynamics));
    for (int i = 0; i < structure->nv; i++) sum[i] += 0.5 * dynamics->a[i];
    for (int i = 0; i < structure->rows; i++) near_pose->lambda[i] += 0.5 * at.share * dynamics->lambda[i];
    *w = crd_singularity_measure(dynamics);
    return CARDAN_OK;
}

/* First row of the inverse of the 3 x 3 matrix with rows (1 + k_i, x_i, x_i^2): weights of the three equations for a.
 */
static void weights_of(const double *k, const double *x, double *weight) {
    double total = 0.0;
    for (int i = 0; i < 3; i++) {
        int m = (i + 1) % 3, n = (i + 2) % 3;
        weight[i] = x[m] * x[n] * (x[n] - x[m]);
        total += (1.0 + k[i]) * weight[i];
    }
    for (int i = 0; i < 3; i++) weight[i] /= total;
}

/* Mean acceleration at this distance on both sides, and what a wrong part of a0 is multiplied by there. */
static CardanStatus both_sides(CrdDynamics *dynamics, Neighbour at, const double *q, const double *v, double *mean,
                               double *k) {
    double before = 0.0, after = 0.0;
    memset(mean, 0, (size_t)dynamics->model->structure->nv * sizeof *mean);
    CRD_TRY(add_neighbour(dynamics, (Neighbour){-at.e, at.share}, q, v, mean, &before));
    CRD_TRY(add_neighbour(dynamics, at, q, v, mean, &after));
    double r = before + after > 0.0 ? (after - before) / (after + before) : 0.0;
    *k = 2.0 / (1.0 - fmin(r * r, CRD_ACROSS_RATIO));
    return CARDAN_OK;
}

/* One improvement of the acceleration a0 from its neighbours at three distances, and their multipliers; *change is its
 * largest part. */
static CardanStatus improve(CrdDynamics *dynamics, const double *q, const double *v, double *change) {
    CrdNearPose *near_pose = &dynamics->near_pose;
    static const double distance[3] = {1.0, 0.75, 0.5}, none[3] = {0};
    const CrdStructure *structure = dynamics->model->structure;
    double far = near_pose->distance / crd_reach(dynamics->model, v), k[3] = {0}, x[3], weight[3];
    for (int i = 0; i < 3; i++) x[i] = distance[i] * distance[i];
    weights_of(none, x, weight);
    memset(near_pose->lambda, 0, (size_t)structure->rows * sizeof *near_pose->lambda);
    for (int i = 0; i < 3; i++)
        CRD_TRY(both_sides(dynamics, (Neighbour){distance[i] * far, weight[i]}, q, v,
                           near_pose->mean + (size_t)i * (size_t)structure->nv, &k[i]));
    weights_of(k, x, weight);
    *change = 0.0;
    for (int i = 0; i < structure->nv; i++) {
        double a = 0.0;
        for (int m = 0; m < 3; m++) a += weight[m] * (near_pose->mean[m * structure->nv + i] + k[m] * near_pose->a0[i]);
        *change = fmax(*change, fabs(a - near_pose->a0[i]));
        near_pose->a0[i] = a;
    }
    return CARDAN_OK;
}

/* lambda <- what G^T lambda = f - M a says of rows that do not vanish here. With the factor of a neighbour, which
 * leaves some hundredths; the row that vanishes has no part in G M^-1 r. */
static CardanStatus balance(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    double *left = dynamics->regularisation.velocities_left, *rows = dynamics->regularisation.rows_left;
    for (int pass = 0; pass < CRD_BALANCE_PASSES; pass++) {
        crd_left_of_balance(dynamics, left);
        memset(rows, 0, (size_t)structure->rows * sizeof *rows);
        crd_times_g_with(system->pool, structure, system->G, left, rows);
        CRD_TRY(crd_solve_rows(dynamics, rows));
        for (int i = 0; i < structure->rows; i++) dynamics->lambda[i] += rows[i];
    }
    return CARDAN_OK;
}

/* Each improvement leaves of the wrong part of a0 what k misses of it: a few thousandths at the edge of the
 * neighbourhood. a0 is the ordinary acceleration while that still says something, else the one without the rows that
 * vanish. */
static CardanStatus across(CrdDynamics *dynamics, const double *q, const double *v, bool in_pose) {
    CrdNearPose *near_pose = &dynamics->near_pose;
    const CrdStructure *structure = dynamics->model->structure;
    double pivot = dynamics->factor.pivot_last, singularity = dynamics->monitor.singularity, change = (double)INFINITY;
    int row = dynamics->factor.pivot_row, dropped = dynamics->factor.dropped;
    if (in_pose) {
        CRD_TRY(crd_factor_without_weak_rows(dynamics));
        crd_stamp_add(&dynamics->system.stamp, CRD_HOLDS_FACTOR);
        CRD_TRY(crd_plain_solve(dynamics));
        CRD_TRY(crd_refine(dynamics));
    }
    memcpy(near_pose->a0, dynamics->a, (size_t)structure->nv * sizeof *near_pose->a0);
    near_pose->t = dynamics->system.t;
    for (int i = 0; i < CRD_ACROSS_ITERATIONS; i++) {
        double before = change;
        CRD_TRY(improve(dynamics, q, v, &change));
        bool still = change <= CRD_ACROSS_STILL * crd_max_abs(near_pose->a0, structure->nv);
        if (still || change >= CRD_ACROSS_NO_LESS * before) break;
    }
    CRD_TRY(crd_evaluate_constraints(dynamics, near_pose->t, q, v));
    CRD_TRY(crd_forces(dynamics->model, q, v, &dynamics->actions, &dynamics->system, dynamics->error));
    crd_set_target(dynamics);
    memcpy(dynamics->a, near_pose->a0, (size_t)structure->nv * sizeof *dynamics->a);
    memcpy(dynamics->lambda, near_pose->lambda, (size_t)structure->rows * sizeof *dynamics->lambda);
    CRD_TRY(balance(dynamics));
    dynamics->factor.pivot_last = pivot; /* the watch is that of this state, not of its neighbours */
    dynamics->monitor.singularity = singularity;
    dynamics->factor.pivot_row = row;
    dynamics->factor.dropped = dropped;
    return CARDAN_OK;
}

/* Size of M^-1 f: what accelerations would be without the constraints. */
static double free_acceleration(CrdDynamics *dynamics) {
    CrdNearPose *near_pose = &dynamics->near_pose;
    crd_complete_forces(dynamics->model, &dynamics->system);
    memcpy(near_pose->free, dynamics->system.f, (size_t)dynamics->model->structure->nv * sizeof *near_pose->free);
    crd_solve_mass(dynamics->model, &dynamics->system, near_pose->free);
    return crd_reach(dynamics->model, near_pose->free);
}

static CardanStatus refuse(CrdDynamics *dynamics) {
    return crd_fail(
        dynamics->error, CARDAN_ERR_NUMERIC,
        "constraint rows of joint '%s' come too close to dependence at t = %.9g (singularity measure %.2g): "
        "regularise: %s "
        "does not go through singular poses, use auto",
        crd_element_name(dynamics->model, dynamics->model->structure->row_element[dynamics->factor.pivot_row]),
        dynamics->system.t, crd_singularity_measure(dynamics), dynamics->regularisation.method->name);
}

CardanStatus crd_solve_near_pose(CrdDynamics *dynamics, const double *q, const double *v) {
    double w = crd_singularity_measure(dynamics);
    const Motion motion = {crd_reach(dynamics->model, v), free_acceleration(dynamics), grain_of(dynamics)};
    double noisy = fmin(singularity_of_noise(&motion, CRD_ACROSS_NOISE), CRD_LAND);
    if (motion.free > 0.0) noisy = fmin(noisy, CRD_ACROSS_TURN * motion.speed * motion.speed / motion.free);
    double lost = singularity_of_noise(&motion, CRD_ACROSS_LOST);
    if (dynamics->regularisation.softened) {
        note(dynamics, CRD_REMEDY_SOFTENED, noise_of(&motion, fmax(w, noisy)));
        return CARDAN_OK;
    }
    if (w >= noisy || motion.speed == 0.0) {
        note(dynamics, CRD_REMEDY_REFINED, noise_of(&motion, fmax(fmin(w, dynamics->monitor.measured), CRD_POSE)));
        return CARDAN_OK;
    }
    if (dynamics->regularisation.method->in_pose == CRD_IN_POSE_REFUSED) return refuse(dynamics);
    dynamics->near_pose.distance = CRD_ACROSS_FAR * noisy;
    CRD_TRY(across(dynamics, q, v, w < lost));
    note(dynamics, CRD_REMEDY_ACROSS, noise_of(&motion, noisy));
    return CARDAN_OK;
}
