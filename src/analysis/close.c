#include "analysis/close.h"

#include "core/numbers.h"
#include "core/rotation.h"
#include "equations/row_units.h"
#include "joint/part.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows that are closed: in lengths of the mechanism or rad, besides the rounding of their own terms. */
#define CRD_CLOSED 1e-12

/* Damping eps: at first, and its bounds. Against W in lengths of the mechanism and mean masses. Below the least one
 * dependent rows are no longer told from rounding, above the largest a step moves nothing. */
#define CRD_CLOSE_DAMPING 1e-3
#define CRD_CLOSE_DAMPING_MIN 1e-13
#define CRD_CLOSE_DAMPING_MAX 1e6

/* Parts of the predicted gain: below the first a step is undone, above the second the damping falls (More 1978). */
#define CRD_CLOSE_POOR 1e-4
#define CRD_CLOSE_GOOD 0.5

/* Largest step, in lengths of the mechanism or rad: beyond it a linearised rotation says nothing. */
#define CRD_CLOSE_REACH 0.5

/* Steps at most, and steps without a smaller residual before a pose counts as the best there is. */
enum { CLOSE_STEPS = 250, CLOSE_STUCK = 12, NEAREST_STEPS = 60, RATE_PASSES = 12 };

/* Steps after which joints are closed one after another: mechanisms of some dozens of bodies are closed by then; and
 * plain steps after that. */
enum { CLOSE_SWEEP = 12, SWEEP_PLAIN = 4 };

/* What places count against turns in these, in lengths of the mechanism and rad. */
#define CRD_SWEEP_PLACES 1e-6

/* Softening of rows where nothing is damped: far above where a factor with dependent rows is lost, and each further
 * step leaves no more than about this part of what the one before left. */
#define CRD_CLOSE_SOFT 1e-9

/* A change of velocities, against the largest, that ends their corrections. */
#define CRD_RATE_STEP 1e-14

/* A step of the nearest pose that is so small ends it; in lengths of the mechanism or rad. */
#define CRD_NEAREST_STEP 1e-9

/* ---- room ---- */

double crd_mean_mass(const CardanModel *model) {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < model->structure->block_count; i++)
        if (model->structure->blocks[i].kind != CRD_CUSTOM_BLOCK) {
            sum += model->values.blocks[i].mass;
            count++;
        }
    return count > 0 ? sum / count : 1.0;
}

/* What makes M a metric of lengths of the mechanism. */
static double mass_scale(const CardanModel *model) {
    return 1.0 / (crd_mean_mass(model) * model->values.size * model->values.size);
}

CardanStatus crd_closing_open(CrdClosing *closing, CrdIntegrator *run, int extras, CrdCoordinateRow *extra,
                              const bool *held) {
    CrdDynamics *dynamics = &run->dynamics;
    size_t n = (size_t)run->stepper.n, rows = (size_t)(dynamics->model->structure->rows + extras);
    *closing = (CrdClosing){.run = run};
    closing->y = crd_new(n, sizeof(double));
    closing->trial = crd_new(n, sizeof(double));
    closing->r = crd_new(rows, sizeof(double));
    if (closing->y == NULL || closing->trial == NULL || closing->r == NULL) return crd_fail_memory(dynamics->error);
    CRD_TRY(crd_saddle_open(&closing->saddle, dynamics, extras, extra));
    closing->saddle.held = held;
    return crd_sweep_open(&closing->sweep, dynamics->model, dynamics->error);
}

void crd_closing_close(CrdClosing *closing) {
    crd_saddle_close(&closing->saddle);
    crd_sweep_free(&closing->sweep);
    CRD_DELETE_ALL(closing->y, closing->trial, closing->r);
    *closing = (CrdClosing){0};
}

/* weight (by block; NULL: 1), what places count against turns. */
static void put_weights(CrdClosing *closing, const double *weight, double places) {
    const CardanModel *model = closing->run->dynamics.model;
    const CrdStructure *structure = model->structure;
    double place = places / (model->values.size * model->values.size);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        int lengths = crd_block_lengths(structure, block);
        for (int k = 0; k < block->nv; k++)
            closing->saddle.weight[block->v + k] = (weight != NULL ? weight[i] : 1.0) * (k < lengths ? place : 1.0);
    }
}

void crd_closing_use_weights(CrdClosing *closing, const double *weight) {
    closing->saddle.weighted = true;
    put_weights(closing, weight, 1.0);
}

/* ---- one pose ---- */

/* Rows at y: D g into r, the largest into left; |r|^2, soft coordinates by their weight. */
static CardanStatus look(CrdClosing *closing, double t, const double *y, double *square) {
    CrdSaddle *saddle = &closing->saddle;
    CrdDynamics *dynamics = saddle->dynamics;
    const CardanModel *model = dynamics->model;
    CrdAllowed size = crd_part_of_size(model, 1.0);
    CRD_TRY(crd_integrator_evaluate_constraints(closing->run, t, y));
    crd_saddle_evaluate(saddle);
    double left = 0.0, sum = 0.0;
    for (int i = 0; i < saddle->rows; i++) {
        int element = model->structure->row_element[i];
        saddle->scale[i] = 1.0 / crd_allowed_row(model, &dynamics->system, element, i, size);
        closing->r[i] = crd_row_is_holonomic(model->structure, i) ? saddle->scale[i] * dynamics->system.g[i] : 0.0;
        left = fmax(left, fabs(closing->r[i]));
        sum += closing->r[i] * closing->r[i];
    }
    for (int i = 0; i < saddle->extras; i++) {
        double g = saddle->extra[i].rests ? 0.0 : saddle->extra[i].g, soft = saddle->extra[i].soft;
        closing->r[saddle->rows + i] = g;
        if (soft == 0.0) left = fmax(left, fabs(g));
        sum += (soft > 0.0 ? soft : 1.0) * g * g;
    }
    closing->left = left;
    *square = sum;
    return isfinite(sum) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* Closed, but for CRD_CLOSED and rounding of terms. */
static bool is_closed(const CrdClosing *closing) {
    const CrdDynamics *dynamics = closing->saddle.dynamics;
    double hard = 0.0;
    for (int i = 0; i < closing->saddle.extras; i++)
        if (closing->saddle.extra[i].soft == 0.0) hard = fmax(hard, fabs(closing->saddle.extra[i].g));
    if (!(hard <= CRD_CLOSED)) return false;
    return closing->saddle.rows == 0 || crd_position_excess(dynamics->model, &dynamics->system,
                                                            crd_part_of_size(dynamics->model, CRD_CLOSED), NULL) <= 1.0;
}

/* Rows of axes that are parallel hold the other way round too: no joint can be put together so. */
static bool is_reversed(const CardanModel *model, const CrdSystem *system, int element) {
    const CrdElement *e = &model->structure->elements[element];
    const CrdJointData *joint = &model->values.joints[element];
    bool tilts = false;
    if (e->type != CRD_ELEMENT_JOINT || e->kind == NULL || e->kind->coordinates[0] == CARDAN_COORDINATE_NONE)
        return false;
    for (int k = 0; k < CRD_JOINT_PARTS && e->kind->parts[k] != NULL; k++)
        tilts = tilts || e->kind->parts[k] == &crd_part_tilt;
    if (!tilts || joint->planar || e->compliant > 0) return false;
    CrdPair pair = crd_pair_of(model->structure, system, element);
    double written = crd_dot(crd_apply(joint->start_a, joint->axis_a), crd_apply(joint->start_b, joint->axis_b));
    return written * crd_dot(crd_apply(pair.a->rotation, joint->axis_a), crd_apply(pair.b->rotation, joint->axis_b)) <
           0.0;
}

bool crd_closing_reversed(const CrdClosing *closing, int *element) {
    const CrdDynamics *dynamics = closing->saddle.dynamics;
    for (*element = 0; *element < dynamics->model->structure->element_count; ++*element)
        if (is_reversed(dynamics->model, &dynamics->system, *element)) return true;
    return false;
}

/* The damped step at the rows in the workspace, its reach bounded; what of r it should leave. */
static CardanStatus step_at(CrdClosing *closing, double damping, double *predicted) {
    CrdSaddle *saddle = &closing->saddle;
    const CardanModel *model = saddle->dynamics->model;
    double *x = saddle->sparse.x, eps = damping;
    assert(damping >= CRD_CLOSE_DAMPING_MIN);
    int all = saddle->rows + saddle->extras;
    CRD_TRY(crd_saddle_factor(saddle, mass_scale(model), eps, true));
    memset(x, 0, (size_t)saddle->nv * sizeof *x);
    for (int i = 0; i < all; i++) x[saddle->nv + i] = -closing->r[i];
    CRD_TRY(crd_saddle_solve(saddle));
    double reach = crd_reach(model, x), part = reach > CRD_CLOSE_REACH ? CRD_CLOSE_REACH / reach : 1.0, sum = 0.0;
    for (int i = 0; i < all; i++) { /* r + G x = eps y for the whole step */
        double soft = i < saddle->rows ? 0.0 : saddle->extra[i - saddle->rows].soft;
        double own = soft > 0.0 ? fmax(eps, 1.0 / soft) : eps;
        double to = (1.0 - part) * closing->r[i] + part * own * x[saddle->nv + i];
        sum += (soft > 0.0 ? soft : 1.0) * to * to;
    }
    for (int i = 0; i < saddle->nv; i++) x[i] *= part;
    *predicted = sum;
    return CARDAN_OK;
}

/* ---- iteration ---- */

typedef struct Iteration {
    double square, damping;
    int stuck;
    bool done;
} Iteration;

static double next_damping(const Iteration *at, double gain) {
    double damping = gain > CRD_CLOSE_GOOD ? 0.1 * at->damping : at->damping;
    if (gain > CRD_CLOSE_GOOD) damping = fmin(damping, sqrt(at->square));
    return fmax(damping, CRD_CLOSE_DAMPING_MIN);
}

/* One step from y, taken if it gains. */
static CardanStatus advance(CrdClosing *closing, double t, double *y, Iteration *at) {
    CrdIntegrator *run = closing->run;
    size_t bytes = (size_t)run->stepper.n * sizeof *y;
    double predicted = at->square, square = (double)INFINITY;
    CardanStatus status = step_at(closing, at->damping, &predicted);
    if (status >= 0) {
        memcpy(closing->trial, y, bytes);
        crd_move(run->dynamics.model->structure, closing->saddle.sparse.x, closing->trial);
        status = look(closing, t, closing->trial, &square);
    }
    double gain = (at->square - square) / fmax(at->square - predicted, CRD_NUMBER_MIN);
    bool gains = status >= 0 && square < at->square && gain > CRD_CLOSE_POOR;
    if (gains) status = crd_integrator_track(run, closing->trial); /* a foot on a curve may be lost there */
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return status;
    if (status >= 0 && gains) {
        at->stuck = square > 0.999 * at->square ? at->stuck + 1 : 0;
        at->square = square;
        at->damping = next_damping(at, gain);
        memcpy(y, closing->trial, bytes);
        return CARDAN_OK;
    }
    crd_error_clear(run->dynamics.error);
    at->stuck++;
    at->damping = fmax(10.0 * at->damping, CRD_CLOSE_DAMPING);
    at->done = at->damping > CRD_CLOSE_DAMPING_MAX;
    return look(closing, t, y, &square);
}

/* Joints one after another, then plain steps for what that leaves at loops, in which all bodies turn as little as they
 * can wherever they go: links of a straight chain would else turn to and fro. Into trial, whose square it is. */
static CardanStatus try_sweep(CrdClosing *closing, double t, const double *y, double enough, double *square) {
    CrdSaddle *saddle = &closing->saddle;
    double predicted;
    memcpy(closing->trial, y, (size_t)closing->run->stepper.n * sizeof *y);
    crd_sweep(&closing->sweep, saddle->held, &saddle->dynamics->system, closing->trial);
    CardanStatus status = look(closing, t, closing->trial, square);
    bool weighted = saddle->weighted;
    if (!weighted) put_weights(closing, NULL, CRD_SWEEP_PLACES);
    saddle->weighted = true;
    for (int i = 0; i < SWEEP_PLAIN && status >= 0 && !(*square < enough); i++) {
        status = step_at(closing, CRD_CLOSE_DAMPING_MIN, &predicted);
        crd_move(saddle->dynamics->model->structure, saddle->sparse.x, closing->trial);
        if (status >= 0) status = look(closing, t, closing->trial, square);
    }
    saddle->weighted = weighted;
    return status;
}

/* Kept where it leaves less. */
static CardanStatus sweep(CrdClosing *closing, double t, double *y, Iteration *at) {
    double square = (double)INFINITY;
    CardanStatus status = try_sweep(closing, t, y, at->square, &square);
    bool gains = status >= 0 && square < at->square;
    if (gains) status = crd_integrator_track(closing->run, closing->trial);
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return status;
    if (status >= 0 && gains) {
        *at = (Iteration){.square = square};
        at->damping = fmax(fmin(CRD_CLOSE_DAMPING, sqrt(square)), CRD_CLOSE_DAMPING_MIN);
        memcpy(y, closing->trial, (size_t)closing->run->stepper.n * sizeof *y);
        return CARDAN_OK;
    }
    crd_error_clear(closing->run->dynamics.error);
    return look(closing, t, y, &square);
}

static CardanStatus iterate(CrdClosing *closing, double t, double *y) {
    Iteration at = {0};
    CRD_TRY(look(closing, t, y, &at.square));
    at.damping = fmax(fmin(CRD_CLOSE_DAMPING, sqrt(at.square)), CRD_CLOSE_DAMPING_MIN);
    for (int more = 0; closing->iterations < CLOSE_STEPS && !at.done && at.stuck < CLOSE_STUCK; closing->iterations++) {
        /* once closed, one step more takes away what it can */
        if (is_closed(closing) && (more++ > 0 || at.square == 0.0)) break;
        CRD_TRY(advance(closing, t, y, &at));
        if (closing->iterations % CLOSE_SWEEP == CLOSE_SWEEP - 1) CRD_TRY(sweep(closing, t, y, &at));
    }
    CRD_TRY(look(closing, t, y, &at.square));
    closing->closed = is_closed(closing);
    return CARDAN_OK;
}

/* Wishes first have their say, then they rest while the joints are closed. */
CardanStatus crd_close(CrdClosing *closing, double t, double *y) {
    CrdSaddle *saddle = &closing->saddle;
    bool wishes = false;
    assert(saddle->dynamics == &closing->run->dynamics);
    closing->closed = false;
    closing->iterations = 0;
    for (int i = 0; i < saddle->extras; i++) wishes = wishes || saddle->extra[i].soft > 0.0;
    if (wishes) CRD_TRY(iterate(closing, t, y));
    for (int i = 0; i < saddle->extras; i++) saddle->extra[i].rests = saddle->extra[i].soft > 0.0;
    CardanStatus status = iterate(closing, t, y);
    for (int i = 0; i < saddle->extras; i++) saddle->extra[i].rests = false;
    int element;
    if (status >= 0 && closing->closed && crd_closing_reversed(closing, &element)) {
        closing->closed = false;
        closing->left = CRD_PI;
    }
    return status;
}

/* ---- the nearest ---- */

void crd_displacement(const CrdStructure *structure, const double *q1, const double *q2, double *x) {
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        int quaternion = crd_block_quaternion(block), plain = quaternion < 0 ? block->nv : quaternion;
        const double *from = q1 + block->q, *to = q2 + block->q;
        for (int k = 0; k < plain; k++) x[block->v + k] = to[k] - from[k];
        if (block->kind == CRD_PLANAR_BODY) x[block->v + 2] = remainder(x[block->v + 2], 2.0 * CRD_PI);
        if (quaternion < 0) continue;
        const double *p = from + quaternion, *r = to + quaternion;
        CardanQuat turn = crd_quat_mul((CardanQuat){p[0], -p[1], -p[2], -p[3]}, (CardanQuat){r[0], r[1], r[2], r[3]});
        CrdMat matrix = crd_matrix_of(crd_quat_normalised(turn));
        crd_put(x + block->v + plain, crd_rotation_vector(matrix.m));
    }
}

/* [W G^T; G 0] [x; y] = [W d; -g], d: from the pose to the given one. */
static CardanStatus pull(CrdClosing *closing, const double *given, double *y, double *reach) {
    CrdSaddle *saddle = &closing->saddle;
    const CardanModel *model = saddle->dynamics->model;
    double *x = saddle->sparse.x, *d = closing->trial, scale = mass_scale(model);
    CRD_TRY(crd_saddle_factor(saddle, scale, CRD_CLOSE_SOFT, true));
    crd_displacement(model->structure, y, given, d);
    if (saddle->weighted)
        for (int i = 0; i < saddle->nv; i++) x[i] = saddle->weight[i] * d[i];
    else
        crd_times_mass(model, &saddle->dynamics->system, d, x);
    for (int i = 0; i < saddle->nv && !saddle->weighted; i++) x[i] *= scale;
    for (int i = 0; saddle->held != NULL && i < model->structure->block_count; i++)
        if (saddle->held[i])
            memset(x + model->structure->blocks[i].v, 0, (size_t)model->structure->blocks[i].nv * sizeof *x);
    for (int i = 0; i < saddle->rows + saddle->extras; i++) x[saddle->nv + i] = -closing->r[i];
    CRD_TRY(crd_saddle_solve(saddle));
    *reach = crd_reach(model, x);
    for (int i = 0; i<saddle->nv && * reach> CRD_CLOSE_REACH; i++) x[i] *= CRD_CLOSE_REACH / *reach;
    crd_move(model->structure, x, y);
    return CARDAN_OK;
}

CardanStatus crd_close_nearest(CrdClosing *closing, double t, const double *given, double *y) {
    double reach = 1.0, square;
    size_t bytes = (size_t)closing->run->stepper.n * sizeof *y;
    memcpy(closing->y, y, bytes);
    for (int i = 0; i < NEAREST_STEPS && reach > CRD_NEAREST_STEP; i++) {
        CRD_TRY(look(closing, t, y, &square));
        if (pull(closing, given, y, &reach) < 0) break;
        CRD_TRY(look(closing, t, y, &square));
        crd_integrator_track(closing->run, y);
    }
    CRD_TRY(crd_close(closing, t, y));
    if (closing->closed) return CARDAN_OK;
    memcpy(y, closing->y, bytes); /* it led away: as it was */
    return crd_close(closing, t, y);
}

/* ---- velocities ---- */

static CardanStatus rates_at(CrdIntegrator *run, CrdSaddle *saddle, double t, double *y) {
    double *v = crd_integrator_v(run, y), *x = saddle->sparse.x;
    const CardanModel *model = run->dynamics.model;
    for (int pass = 0; pass < RATE_PASSES; pass++) {
        CRD_TRY(crd_integrator_evaluate_constraints(run, t, y));
        crd_saddle_evaluate(saddle);
        CRD_TRY(crd_saddle_factor(saddle, mass_scale(model), CRD_CLOSE_SOFT, false));
        memset(x, 0, (size_t)saddle->nv * sizeof *x);
        for (int i = 0; i < saddle->rows; i++) x[saddle->nv + i] = -run->dynamics.system.rate[i];
        for (int i = 0; i < saddle->extras; i++)
            x[saddle->nv + saddle->rows + i] = saddle->extra[i].value - saddle->extra[i].rate;
        CRD_TRY(crd_saddle_solve(saddle));
        for (int i = 0; i < saddle->nv; i++) v[i] += x[i];
        if (crd_max_abs(x, saddle->nv) <= CRD_RATE_STEP * crd_max_abs(v, saddle->nv)) break;
    }
    CRD_TRY(crd_integrator_evaluate_constraints(run, t, y));
    crd_saddle_evaluate(saddle);
    return CARDAN_OK;
}

CardanStatus crd_close_rates(CrdIntegrator *run, double t, double *y, int extras, CrdCoordinateRow *extra) {
    CrdSaddle saddle;
    CardanStatus status = crd_saddle_open(&saddle, &run->dynamics, extras, extra);
    if (status >= 0) status = rates_at(run, &saddle, t, y);
    crd_saddle_close(&saddle);
    return status;
}
