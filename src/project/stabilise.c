#include "project/stabilise.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"
#include "project/full.h"
#include "project/words.h"

#include <assert.h>
#include <string.h>

/* After the passes the residual, in units of the step's tolerance, must be below this; else the factor is refreshed. */
#define CRD_STABILISE_FRACTION 0.01

/* Fresh-factor repetitions before the step is given up: each contracts quadratically, so two reach round-off. */
#define CRD_STABILISE_REPEATS 3

/* A factor kept for several steps is made anew when a pass leaves more than this of the rows: all passes together then
 * gain 1e7, as much as two with a fresh factor do at usual tolerances. The part of the mechanism's size at which they
 * are at rounding, and passes at most. */
#define CRD_FROZEN_CONTRACTION 0.05
#define CRD_FROZEN_ROUNDING 1e-14
enum { CRD_FROZEN_PASSES = 6 };

/* Passes over rows of output with the factor of a state nearby, each of which leaves some hundredths. */
enum { CRD_NEARBY_PASSES = 4 };

/* Rows of the dense full form: beyond this its (2 rows)^2 matrix costs more than seconds a step. */
enum { FULL_ROWS_MAX = 1000 };

void crd_stabiliser_layout(CrdStabiliser *st, const CardanModel *model, const CardanOptions *options, CrdArena *arena) {
    const CrdStructure *structure = model->structure;
    st->options = *options;
    st->tolerance = crd_tolerance_of(model, options);
    st->r = crd_take(arena, (size_t)structure->rows, sizeof *st->r);
    st->both = crd_take(arena, 2 * (size_t)structure->rows, sizeof *st->both);
    st->moves = crd_take(arena, 2 * (size_t)structure->nv, sizeof *st->moves);
    st->dx = st->moves;
    st->dv = st->moves != NULL ? st->moves + structure->nv : NULL;
    crd_frozen_layout(&st->frozen, model, options, arena);
    bool full = options->stabilise.method == CARDAN_STABILISE_POST &&
                options->stabilise.form == CARDAN_STABILISE_FORM_FULL && structure->rows <= FULL_ROWS_MAX;
    if (full) crd_full_layout(st, structure, arena);
}

CardanStatus crd_stabiliser_check(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    if (options->stabilise.method != CARDAN_STABILISE_POST || options->stabilise.form != CARDAN_STABILISE_FORM_FULL)
        return CARDAN_OK;
    const CrdStructure *structure = model->structure;
    if (structure->rows > FULL_ROWS_MAX)
        return crd_fail(error, CARDAN_ERR_LIMIT,
                        "the full form of post-stabilisation is dense and takes at most %d rows; this model has %d; "
                        "use form: block",
                        FULL_ROWS_MAX, structure->rows);
    if (structure->holonomic_rows != structure->rows)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "the full form of post-stabilisation has no place for nonholonomic rows; use form: block");
    return CARDAN_OK;
}

static bool wants_position(const CrdStabiliser *st) {
    return st->options.stabilise.levels != CARDAN_LEVELS_VELOCITY;
}

static bool wants_velocity(const CrdStabiliser *st) {
    return st->options.stabilise.levels != CARDAN_LEVELS_POSITION;
}

/* The second pass mends what the first did to the rates by moving q. Rows of velocities alone move no q: once. */
static int passes_of(const CrdStabiliser *st, const CrdStructure *structure) {
    return structure->holonomic_rows == 0 ? 1 : st->options.stabilise.passes;
}

static bool is_full(const CrdStabiliser *st) {
    return st->options.stabilise.form == CARDAN_STABILISE_FORM_FULL;
}

CardanStatus crd_block_pass(CrdStabiliser *st, CrdDynamics *dynamics, bool position, bool velocity, double t, double *q,
                            double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    if (position) CRD_TRY(crd_correct(dynamics, dynamics->system.g, st->r, st->dx));
    if (velocity) CRD_TRY(crd_correct(dynamics, dynamics->system.rate, st->r, st->dv));
    if (position) crd_move(structure, st->dx, q);
    for (int i = 0; velocity && i < structure->nv; i++) v[i] += st->dv[i];
    return crd_evaluate_constraints(dynamics, t, q, v);
}

/* Away from poses all of a pass can be that of the last stage, which is as near to the state as its factor: then only
 * what the rows leave open is evaluated, and positions and velocities are corrected in one sweep. */
static bool is_quick(const CrdStabiliser *st, const CrdDynamics *dynamics) {
    return st->options.stabilise.freeze > 0 && st->frozen.steps == 0 && crd_stabiliser_lends(st, dynamics);
}

bool crd_stabiliser_lends(const CrdStabiliser *st, const CrdDynamics *dynamics) {
    const CardanOptions *o = &st->options;
    bool block = !is_full(st) && o->stabilise.levels == CARDAN_LEVELS_BOTH;
    bool kept = o->stabilise.metric == CARDAN_METRIC_MASS && dynamics->factor.made &&
                dynamics->factor.metric == CARDAN_METRIC_MASS;
    bool plain = dynamics->redundancy.imperfect.kind == CRD_PERFECT && !dynamics->factor.uneven.acts &&
                 crd_all_rows_act(dynamics);
    return block && kept && plain && crd_singularity_measure(dynamics) >= CRD_PASSAGE_WATCH;
}

/* Corrects the levels asked for by the residuals at hand, with the factor at hand or the one kept for several steps. */
static CardanStatus move_both(CrdStabiliser *st, CrdDynamics *dynamics, bool frozen, double *q, double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    assert(crd_stamp_holds_residuals(&dynamics->system.stamp));
    for (int i = 0; i < structure->rows; i++) {
        st->both[2 * i] = dynamics->system.g[i];
        st->both[2 * i + 1] = dynamics->system.rate[i];
    }
    CRD_TRY(frozen ? crd_frozen_correct(&st->frozen, dynamics, st->both, st->r, st->moves)
                   : crd_correct_twice(dynamics, st->both, st->r, st->moves));
    for (int i = 0; i < structure->nv; i++) {
        double dx = st->moves[2 * i], dv = st->moves[2 * i + 1];
        if (wants_velocity(st)) v[i] += dv;
        st->dx[i] = dx; /* in place of one that was read */
    }
    if (wants_position(st)) crd_move(structure, st->dx, q);
    return CARDAN_OK;
}

static CardanStatus quick_pass(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    CRD_TRY(crd_evaluate_residuals(dynamics, t, q, v));
    return move_both(st, dynamics, false, q, v);
}

/* ---- is it good enough? ---- */

/* Near a singular pose positions are known to an ulp over the singularity measure only, and G with them. */
static double noise_of(const CrdDynamics *dynamics) {
    return 1.0 / fmax(crd_singularity_measure(dynamics), CRD_LAND);
}

/* What is allowed of rows and of their rates. */
typedef struct Allowed {
    CrdAllowed places, rates;
} Allowed;

static Allowed allowed_of(const CrdStabiliser *st, const CrdDynamics *dynamics, const double *v, double times) {
    Allowed out = {crd_tolerated_positions(&st->tolerance, dynamics->model, times),
                   crd_tolerated_rates(&st->tolerance, dynamics->model, v, times)};
    out.places.open = out.rates.open = dynamics->redundancy.open;
    return out;
}

static CrdResidual judge_residuals(const CrdStabiliser *st, const CrdDynamics *dynamics, const Allowed *allowed) {
    const CrdSystem *system = &dynamics->system;
    CrdResidual out = {.row = 0};
    if (wants_position(st))
        out.position = crd_rows_excess(dynamics->model, system, system->g, allowed->places, &out.row);
    if (wants_velocity(st))
        out.velocity = crd_rows_excess(dynamics->model, system, system->rate, allowed->rates, &out.rate_row);
    return out;
}

double crd_stabiliser_excess(const CrdStabiliser *st, const CrdDynamics *dynamics, const double *v, double times) {
    Allowed allowed = allowed_of(st, dynamics, v, times);
    CrdResidual left = judge_residuals(st, dynamics, &allowed);
    return left.position <= left.velocity ? left.velocity : left.position; /* also a NaN */
}

/* Against the tolerance of the step, each row in its own unit; the costlier rounding floors are looked at only when it
 * is not small against that. */
CrdResidual crd_stabiliser_judge(const CrdStabiliser *st, const CrdDynamics *dynamics, const double *v, double times) {
    const CardanModel *model = dynamics->model;
    const CrdSystem *system = &dynamics->system;
    const Allowed allowed = allowed_of(st, dynamics, v, times);
    CrdResidual out = judge_residuals(st, dynamics, &allowed);
    if (!(out.position <= 1.0)) out.position = crd_position_excess(model, system, allowed.places, &out.row);
    if (!(out.velocity <= 1.0))
        out.velocity = crd_velocity_excess(model, system, v, allowed.rates, noise_of(dynamics), &out.rate_row);
    return out;
}

/* Next to a pose a row that vanishes is open by w times what it is away from closing. */
static double fraction_of(const CrdDynamics *dynamics) {
    double w = crd_singularity_measure(dynamics);
    return crd_near_singular(dynamics) ? fmax(w, CRD_LAND) * CRD_STABILISE_FRACTION : CRD_STABILISE_FRACTION;
}

static bool is_good(const CrdStabiliser *st, const CrdDynamics *dynamics, const double *v) {
    CrdResidual opening = crd_stabiliser_judge(st, dynamics, v, fraction_of(dynamics));
    return opening.position <= 1.0 && opening.velocity <= 1.0; /* false for a NaN */
}

void crd_stabiliser_note(CrdStabiliser *st, const CrdDynamics *dynamics, const double *v, int row) {
    CrdAllowed none = {0.0, 0.0, NULL};
    double place = crd_position_excess(dynamics->model, &dynamics->system, none, NULL),
           rate = crd_velocity_excess(dynamics->model, &dynamics->system, v, none, noise_of(dynamics), NULL);
    st->unclosed = (CrdUnclosed){true, row, fmax(place, rate)};
}

CardanStatus crd_stabiliser_fail(CrdStabiliser *st, const CrdDynamics *dynamics, const double *v) {
    const CardanModel *model = dynamics->model;
    CrdResidual opening = crd_stabiliser_judge(st, dynamics, v, fraction_of(dynamics));
    bool rate = opening.position <= 1.0;
    int row = rate ? opening.rate_row : opening.row;
    crd_stabiliser_note(st, dynamics, v, row);
    return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                    "post-stabilisation did not converge at t = %.9g: residual %.2g of joint '%s', %.2g in velocities",
                    dynamics->system.t, fabs(dynamics->system.g[row]),
                    crd_element_name(model, model->structure->row_element[row]), fabs(dynamics->system.rate[row]));
}

/* ---- the methods ---- */

/* One pass of either form; fresh: with a factor made anew, as the full form always is. moves: positions, too. */
static CardanStatus post_pass(CrdStabiliser *st, CrdDynamics *dynamics, bool fresh, bool moves, double t, double *q,
                              double *v) {
    if (is_full(st)) return crd_full_pass(st, dynamics, t, q, v);
    if (fresh) CRD_TRY(crd_factor(dynamics, st->options.stabilise.metric));
    return crd_block_pass(st, dynamics, moves && wants_position(st), wants_velocity(st), t, q, v);
}

/* Positions that are good stay where they are: what rounding leaves of them, an ulp of where the mechanism is farthest,
 * would move them again, and rates with them, by more than may be left of those. */
static CardanStatus repeat_until_good(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    for (int again = 0;; again++) {
        CrdResidual left = crd_stabiliser_judge(st, dynamics, v, fraction_of(dynamics));
        bool closed = left.position <= 1.0; /* not so for a NaN */
        if (closed && left.velocity <= 1.0) break;
        if (again == CRD_STABILISE_REPEATS) return crd_stabiliser_fail(st, dynamics, v);
        if (again == 0 && !is_full(st)) st->refreshed++;
        CRD_TRY(post_pass(st, dynamics, true, !closed || again + 1 < CRD_STABILISE_REPEATS, t, q, v));
    }
    st->closed = true;
    return CARDAN_OK;
}

/* ---- with a factor kept for several steps ---- */

/* Not where rows give way or are met by least squares, nor where a pose is near. */
static bool may_keep(const CrdStabiliser *st, const CrdDynamics *dynamics) {
    return st->frozen.solver != NULL && dynamics->redundancy.imperfect.kind == CRD_PERFECT &&
           !dynamics->factor.uneven.acts && crd_all_rows_act(dynamics) &&
           crd_singularity_measure(dynamics) >= CRD_PASSAGE_WATCH;
}

/* How far rows and their rates are open, as parts of the mechanism's size and of its speed; 0 of what is left alone. */
typedef struct Open {
    double place, rate;
} Open;

static Open open_by(const CrdStabiliser *st, const CrdDynamics *dynamics, const double *v) {
    const CrdSystem *system = &dynamics->system;
    const CardanModel *model = dynamics->model;
    CrdAllowed size = crd_part_of_size(model, 1.0), speed = crd_part_of_size(model, fmax(crd_reach(model, v), 1.0));
    return (Open){wants_position(st) ? crd_rows_excess(model, system, system->g, size, NULL) : 0.0,
                  wants_velocity(st) ? crd_rows_excess(model, system, system->rate, speed, NULL) : 0.0};
}

/* False for a NaN. */
static bool contracts(double now, double before) {
    return now <= CRD_FROZEN_ROUNDING || now <= CRD_FROZEN_CONTRACTION * before;
}

/* Passes until nothing but rounding is left, those asked for at least. *good: each contracted well. */
static CardanStatus kept_passes(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v, bool *good) {
    int least = passes_of(st, dynamics->model->structure);
    Open before = {(double)INFINITY, (double)INFINITY};
    for (int pass = 0;; pass++) {
        CRD_TRY(crd_evaluate_residuals(dynamics, t, q, v));
        Open now = open_by(st, dynamics, v);
        bool moved = pass == 1 && before.place > 0.0; /* the first pass disturbs the rates by as much as it moved */
        *good = contracts(now.place, before.place) && (moved || contracts(now.rate, before.rate));
        bool done = now.place <= CRD_FROZEN_ROUNDING && now.rate <= CRD_FROZEN_ROUNDING;
        if (!*good || pass == CRD_FROZEN_PASSES || (pass >= least && done)) break;
        before = now;
        CRD_TRY(move_both(st, dynamics, true, q, v));
    }
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    *good = *good && is_good(st, dynamics, v);
    return CARDAN_OK;
}

static void put_back(const double *raw, const CrdStructure *structure, double *q, double *v) {
    memcpy(q, raw, (size_t)structure->nq * sizeof *q);
    memcpy(v, raw + structure->nq, (size_t)structure->nv * sizeof *v);
    crd_normalise(structure, q);
}

/* The passes with the kept factor, and where it contracts poorly at once with a new one; *good: that was enough, else
 * the state is as before. */
static CardanStatus post_kept(CrdStabiliser *st, CrdDynamics *dynamics, double t, const double *raw, double *q,
                              double *v, bool *good) {
    for (bool old = crd_frozen_serves(&st->frozen, dynamics);; old = false) {
        CardanStatus status = crd_frozen_use(&st->frozen, dynamics, !old, t, q, v);
        if (status >= 0) status = kept_passes(st, dynamics, t, q, v, good);
        if (status < 0 && status != CARDAN_ERR_NUMERIC) return status;
        if (status >= 0 && *good) return CARDAN_OK;
        if (status < 0) crd_error_clear(dynamics->error);
        put_back(raw, dynamics->model->structure, q, v);
        crd_frozen_forget(&st->frozen);
        *good = false;
        if (!old) return CARDAN_OK;
        st->refreshed++;
    }
}

/* The passes the quick way; *good: that was enough, else the state is as before. */
static CardanStatus post_quickly(CrdStabiliser *st, CrdDynamics *dynamics, double t, const double *raw, double *q,
                                 double *v, bool *good) {
    const CrdStructure *structure = dynamics->model->structure;
    for (int pass = 0; pass < passes_of(st, structure); pass++) CRD_TRY(quick_pass(st, dynamics, t, q, v));
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    *good = is_good(st, dynamics, v);
    if (*good) return CARDAN_OK;
    put_back(raw, structure, q, v);
    return CARDAN_OK;
}

static CardanStatus post(CrdStabiliser *st, CrdDynamics *dynamics, double t, const double *raw, double *q, double *v) {
    /* Rows met by least squares are those of the pose itself: an old Z would leave the motion in doubt by the openings.
     */
    bool frozen = st->options.stabilise.freeze > 0 && !crd_imperfect_is_spread(dynamics),
         kept = st->options.stabilise.metric == CARDAN_METRIC_MASS;
    if (may_keep(st, dynamics))
        CRD_TRY(post_kept(st, dynamics, t, raw, q, v, &st->closed));
    else
        crd_frozen_forget(&st->frozen);
    if (is_quick(st, dynamics)) CRD_TRY(post_quickly(st, dynamics, t, raw, q, v, &st->closed));
    if (st->closed) return CARDAN_OK;
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    for (int pass = 0; pass < passes_of(st, dynamics->model->structure); pass++)
        CRD_TRY(post_pass(st, dynamics, !frozen || (!kept && pass == 0), true, t, q, v));
    return repeat_until_good(st, dynamics, t, q, v);
}

bool crd_stabiliser_moves(const CrdStabiliser *st) {
    return crd_stabilise_record(st->options.stabilise.method)->moves;
}

CardanStatus crd_stabilise(CrdStabiliser *st, CrdDynamics *dynamics, double t, const double *raw, double *q,
                           double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    CardanStabiliseMethod method = st->options.stabilise.method;
    assert(structure->rows == 0 || (memcmp(raw, q, (size_t)structure->nq * sizeof *q) == 0 &&
                                    memcmp(raw + structure->nq, v, (size_t)structure->nv * sizeof *v) == 0));
    st->closed = false;
    crd_normalise(structure, q);
    if (structure->rows > 0 && method == CARDAN_STABILISE_PROJECT) return crd_project(st, dynamics, t, q, v);
    if (structure->rows > 0 && method == CARDAN_STABILISE_POST) return post(st, dynamics, t, raw, q, v);
    return crd_evaluate_constraints(dynamics, t, q, v);
}

/* Two passes with one factor square what the first leaves in the velocities. */
CardanStatus crd_stabilise_afresh(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_ROWS));
    if (st->options.stabilise.method == CARDAN_STABILISE_PROJECT) return crd_project(st, dynamics, t, q, v);
    for (int pass = 0; pass < 2; pass++) CRD_TRY(post_pass(st, dynamics, pass == 0, true, t, q, v));
    return repeat_until_good(st, dynamics, t, q, v);
}

CardanStatus crd_stabilise_nearby(CrdStabiliser *st, CrdDynamics *dynamics, double part, double t, double *q, double *v,
                                  bool *good) {
    assert(crd_stabiliser_lends(st, dynamics));
    *good = false;
    for (int pass = 0; !*good && pass < CRD_NEARBY_PASSES; pass++) {
        CRD_TRY(move_both(st, dynamics, false, q, v));
        CRD_TRY(crd_evaluate_residuals(dynamics, t, q, v));
        *good = crd_stabiliser_excess(st, dynamics, v, part) <= 1.0;
    }
    return CARDAN_OK;
}
