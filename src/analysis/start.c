/* The start, in this order: positions judged and projected, rows found independent, velocities judged and projected,
 * rates set. */
#include "analysis/start.h"

#include "analysis/start_joints.h"

#include "analysis/around.h"
#include "analysis/assemble.h"
#include "analysis/choose.h"
#include "analysis/drives.h"
#include "analysis/fault.h"
#include "analysis/loop.h"
#include "analysis/rank.h"
#include "analysis/rates.h"
#include "analysis/sentences.h"
#include "core/numbers.h"
#include "dynamics/dynamics.h"
#include "dynamics/rank_look.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Part of gamma that no acceleration meets, above which velocities in a singular pose belong to no branch. */
#define CRD_BRANCH_UNMET 1e-6

/* Positions that are off by up to so many tolerances of redundancy may be those of an imperfect loop: as much as joints
 * may open by. */
#define CRD_IMPERFECT_OFF 10.0

typedef struct Start {
    CrdIntegrator *run;
    CrdDynamics *d;
    const CardanModel *model;
    double *q, *v;
    double *given;              /* (nq or nv, the longer) as it was before it was moved */
    double *r, *x;              /* (rows), (nv): scratch */
    bool *redundant, *singular; /* (elements) */
    bool *held;                 /* (blocks) */
    bool *out;                  /* (rows) taken out */
    bool hold;                  /* some block is held */
    bool is_singular;           /* the pose has a lower rank than its neighbours */
    bool is_held;               /* others decide what drives do */
    bool is_known;              /* the rank is, and what is done about it */
    char remark[CRD_MESSAGE_SIZE / 2];
    CrdArena arena;
} Start;

static void layout(Start *st) {
    const CrdStructure *structure = st->model->structure;
    size_t real = sizeof(double), elements = (size_t)structure->element_count;
    st->given = crd_take(&st->arena, (size_t)(structure->nq > structure->nv ? structure->nq : structure->nv), real);
    st->r = crd_take(&st->arena, (size_t)structure->rows, real);
    st->x = crd_take(&st->arena, (size_t)structure->nv, real);
    st->held = crd_take(&st->arena, (size_t)structure->block_count, sizeof *st->held);
    st->out = crd_take(&st->arena, (size_t)structure->rows, sizeof *st->out);
    st->redundant = crd_take(&st->arena, elements, sizeof *st->redundant);
    st->singular = crd_take(&st->arena, elements, sizeof *st->singular);
}

/* ---- judging ---- */

/* Keeps a remark for the end. */
static void remark(Start *st, const char *what, double moved, const char *joint) {
    crd_say(st->remark, sizeof st->remark, "%s%s changed by up to %.2g to meet the constraints (off: %s)",
            st->remark[0] != '\0' ? "; " : "the start's ", what, moved, joint);
}

static double largest_change(const double *now, const double *before, int n) {
    double max = 0.0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(now[i] - before[i]));
    return max;
}

typedef enum Verdict { LEAVE, MOVE, MOVE_WITH_REMARK } Verdict;

/* What to do with rows off by some part of `size`; refuses what is too much. */
static CardanStatus judge(Start *st, const char *what, CardanStartMode mode, const double *rows, CrdAllowed size,
                          Verdict *verdict) {
    double off = crd_rows_excess(st->model, &st->d->system, rows, size, NULL);
    *verdict = mode == CARDAN_START_KEEP ? LEAVE : MOVE;
    if (mode == CARDAN_START_PROJECT) return CARDAN_OK;
    if (off <= CRD_START_RESIDUAL) {
        if (mode == CARDAN_START_DEFAULT && off > CRD_START_ROUNDING) *verdict = MOVE_WITH_REMARK;
        return CARDAN_OK;
    }
    char list[CRD_MESSAGE_SIZE / 2];
    CrdPlace place = crd_list_worst(st->model, &st->d->system, rows, size, CRD_START_RESIDUAL, list, sizeof list);
    bool jump = crd_worst_is_driven(st->model, rows);
    return crd_fail_at(st->d->error, CARDAN_ERR_MODEL, place,
                       "the %s given do not meet the constraints: %s%s; correct them, or let them be projected with "
                       "start: {%s: project}",
                       what, list, jump ? " (its law would have to jump at the start)" : "", what);
}

/* ---- positions ---- */

static CardanStatus assemble_dense(Start *st, CrdAssembly *assembly) {
    CrdSpectrum spectrum;
    CardanStatus status = crd_spectrum_open(&spectrum, st->model, st->d->error);
    if (status >= 0) {
        assembly->spectrum = &spectrum;
        status = crd_assemble(assembly, st->run->stepper.t, st->q, st->v);
    }
    crd_spectrum_close(&spectrum);
    assembly->spectrum = NULL;
    return status;
}

static CardanStatus fail_assembly(Start *st, const CrdAssembly *assembly) {
    char list[CRD_MESSAGE_SIZE / 2], advice[128] = "";
    CrdPlace place = crd_list_worst(st->model, &st->d->system, st->d->system.g, crd_part_of_size(st->model, 1.0),
                                    CRD_START_RESIDUAL, list, sizeof list);
    double wanted = assembly->left / (CRD_IMPERFECT_OFF * st->model->values.span);
    int digits = wanted <= CRD_REDUNDANCY_MOST && wanted > 0.0 ? (int)ceil(log10(wanted)) : 0;
    if (digits < 0)
        crd_say(advice, sizeof advice, "; if its joints cannot fit, redundancy: 1e%d allows openings of that size",
                digits);
    return crd_fail_at(
        st->d->error, CARDAN_ERR_MODEL, place,
        "the mechanism cannot be assembled from the given positions: after %d iterations the constraints "
        "are still off: %s%s%s",
        assembly->iterations, list, st->hold ? " (with the held bodies kept in place)" : "", advice);
}

/* Refuses dependent rows where nothing is to be done about them. */
static CardanStatus refuse_dependent(Start *st, const CrdRank *rank) {
    const CrdStructure *structure = st->model->structure;
    CrdNameList list = crd_list_marked(st->model, rank->rank < structure->rows ? st->redundant : st->singular);
    if (rank->rank < structure->rows)
        return crd_fail_at(st->d->error, CARDAN_ERR_MODEL, list.place,
                           "%d of %d constraint rows are redundant: joints %s; regularise: %s refuses them, use auto",
                           structure->rows - rank->rank, structure->rows, list.text,
                           st->d->regularisation.method->name);
    return crd_fail_at(st->d->error, CARDAN_ERR_NUMERIC, list.place,
                       "the start pose is singular: %d of %d constraint rows depend on the others in just this pose "
                       "(joints %s); regularise: %s refuses it, use auto",
                       structure->rows - rank->rank_here, structure->rows, list.text,
                       st->d->regularisation.method->name);
}

/* Finds rows whose leaving out leaves the others independent, in a regular pose. The workspace holds those of the
 * start.
 */
static CardanStatus drop_redundant(Start *st, const CrdRank *rank) {
    CrdDynamics *dynamics = st->d;
    int expected = st->model->structure->rows - rank->rank, count;
    assert(expected > 0);
    /* In a singular pose more rows depend on each other than beside it. */
    if (rank->singular)
        CRD_TRY(crd_evaluate_beside(dynamics, st->run->stepper.t, st->q, st->v, st->v, CRD_NEIGHBOUR_NEAR));
    CRD_TRY(crd_choose_redundant(dynamics, expected, st->out, &count));
    crd_drop_redundant_rows(dynamics, st->out);
    if (rank->singular) CRD_TRY(crd_evaluate_constraints(dynamics, st->run->stepper.t, st->q, st->v));
    if (!rank->exact || count == expected) return crd_redundancy_reduce(dynamics);
    CrdNameList list = crd_list_marked(st->model, st->redundant);
    return crd_fail_at(dynamics->error, CARDAN_ERR_NUMERIC, list.place,
                       "%d constraint rows are redundant (joints %s), but the others explain %d of them: the rows are "
                       "too badly scaled",
                       expected, list.text, count);
}

static CardanStatus refuse_singular(Start *st, const char *why) {
    CrdNameList list = crd_list_marked(st->model, st->singular);
    return crd_fail_at(st->d->error, CARDAN_ERR_NUMERIC, list.place, "the start pose is singular (joints %s) and %s",
                       list.text, why);
}

static CardanStatus refuse_at_rest(Start *st) {
    return refuse_singular(
        st, "the mechanism is at rest there, so several motions are possible, or none: give it a velocity, or start "
            "a little beside it");
}

/* Tells redundant rows from a singular pose and lets the dynamics know. */
static CardanStatus know_rank(Start *st) {
    const CrdStructure *structure = st->model->structure;
    CrdDynamics *dynamics = st->d;
    CrdRank rank;
    if (st->is_known) return CARDAN_OK;
    st->is_known = true;
    CrdLoop loop = {st->run, st->q, st->v, st->redundant, st->remark, sizeof st->remark};
    CRD_TRY(crd_rank(dynamics, st->run->stepper.t, st->q, st->v, &rank, st->redundant, st->singular));
    assert(rank.rank_here <= rank.rank && rank.rank <= structure->rows);
    CRD_TRY(crd_judge_locked(&loop, &rank));
    if (rank.rank_here < structure->rows && !dynamics->regularisation.method->drops) return refuse_dependent(st, &rank);
    st->is_singular = rank.singular;
    if (rank.singular && st->model->description->rate_count == 0 && crd_reach(st->model, st->v) == 0.0)
        return refuse_at_rest(st);
    st->is_held = rank.dense && rank.drivers_held > 0;
    if (rank.rank == structure->rows || !dynamics->regularisation.method->drops) return CARDAN_OK;
    if (crd_rank_is_imperfect(st->model, &rank)) CRD_TRY(crd_treat_imperfect(&loop, &rank));
    if (crd_imperfect_is_spread(dynamics)) return CARDAN_OK;
    bool all = dynamics->redundancy.count == structure->rows - rank.rank; /* those released are all there are */
    return all ? crd_redundancy_reduce(dynamics) : drop_redundant(st, &rank);
}

static CardanStatus move_positions(Start *st, CardanStartMode mode) {
    bool project = mode == CARDAN_START_PROJECT,
         dense = (project || st->hold) && crd_spectrum_fits(st->model->structure) && !st->is_known;
    /* Far from the manifold rows say nothing yet about their rank. */
    if (!dense && !project) CRD_TRY(know_rank(st));
    CrdAssembly assembly = {.dynamics = st->d, .held = st->hold ? st->held : NULL, .far = project};
    CRD_TRY(dense ? assemble_dense(st, &assembly) : crd_assemble(&assembly, st->run->stepper.t, st->q, st->v));
    double left = assembly.left / st->model->values.size;
    if (dense && left > CRD_START_RESIDUAL && left <= CRD_IMPERFECT_OFF * st->d->redundancy.tolerance) {
        CRD_TRY(know_rank(st)); /* an imperfect loop is assembled as well as can be */
        assembly.spectrum = NULL;
        CRD_TRY(crd_assemble(&assembly, st->run->stepper.t, st->q, st->v));
    }
    if (!(assembly.left <= CRD_START_RESIDUAL * st->model->values.size)) return fail_assembly(st, &assembly);
    return dense || project ? know_rank(st) : CARDAN_OK;
}

static CardanStatus start_positions(Start *st) {
    CardanStartMode mode = st->model->description->start_positions;
    const CrdStructure *structure = st->model->structure;
    Verdict verdict;
    CRD_TRY(crd_evaluate_constraints(st->d, st->run->stepper.t, st->q, st->v));
    double off = crd_max_abs(st->d->system.g, structure->rows) / st->model->values.size;
    /* So little off may be an imperfect loop, which no positions meet. */
    if (mode != CARDAN_START_KEEP && off > CRD_START_RESIDUAL && off <= CRD_IMPERFECT_OFF * st->d->redundancy.tolerance)
        CRD_TRY(know_rank(st));
    CrdAllowed size = crd_part_of_size(st->model, 1.0);
    CRD_TRY(judge(st, "positions", mode, st->d->system.g, size, &verdict));
    if (verdict == LEAVE) return know_rank(st);
    char list[CRD_MESSAGE_SIZE / 4];
    crd_list_worst(st->model, &st->d->system, st->d->system.g, size, 0.0, list, sizeof list);
    memcpy(st->given, st->q, (size_t)structure->nq * sizeof *st->given);
    CRD_TRY(move_positions(st, mode));
    double moved = largest_change(st->q, st->given, structure->nq);
    if (verdict == MOVE_WITH_REMARK && moved > 0.0) remark(st, "positions were", moved, list);
    return CARDAN_OK;
}

/* ---- velocities ---- */

/* v <- v - M^-1 G^T S^-1 (G v + g_t), twice: the second takes away what rounding left of the first. */
static CardanStatus project_velocities(Start *st) {
    const CrdStructure *structure = st->model->structure;
    assert(crd_stamp_holds(&st->d->system.stamp, CRD_HOLDS_FACTOR));
    for (int pass = 0; pass < 2; pass++) {
        CRD_TRY(crd_correct(st->d, st->d->system.rate, st->r, st->x));
        for (int i = 0; i < structure->nv; i++) st->v[i] += st->x[i];
        CRD_TRY(crd_evaluate_constraints(st->d, st->run->stepper.t, st->q, st->v));
    }
    return CARDAN_OK;
}

static CardanStatus start_velocities(Start *st) {
    const CrdStructure *structure = st->model->structure;
    const CrdDescription *description = st->model->description;
    CardanStartMode mode = description->start_velocities;
    /* Rates given: the rest follows them, so nobody is expected to have written velocities that fit. */
    if (mode == CARDAN_START_DEFAULT && description->rate_count > 0) mode = CARDAN_START_PROJECT;
    /* The size of the mechanism a second is the least speed that counts: nothing else is known of one at rest. */
    CrdAllowed scale = crd_part_of_size(st->model, fmax(crd_reach(st->model, st->v), 1.0));
    Verdict verdict;
    CRD_TRY(crd_evaluate_constraints(st->d, st->run->stepper.t, st->q, st->v));
    CRD_TRY(judge(st, "velocities", mode, st->d->system.rate, scale, &verdict));
    if (verdict == LEAVE) return CARDAN_OK;
    char list[CRD_MESSAGE_SIZE / 4];
    crd_list_worst(st->model, &st->d->system, st->d->system.rate, scale, 0.0, list, sizeof list);
    memcpy(st->given, st->v, (size_t)structure->nv * sizeof *st->given);
    CRD_TRY(crd_factor(st->d, CARDAN_METRIC_MASS));
    CRD_TRY(project_velocities(st));
    if (verdict == MOVE_WITH_REMARK)
        remark(st, "velocities were", largest_change(st->v, st->given, structure->nv), list);
    return CARDAN_OK;
}

/* Velocities that were projected, or follow rates, meet the constraints now; else no motion begins like that: a drive
 * asks for what other joints do not allow, joints lock each other because their data is not exact, or masses are too
 * far apart for the rows to be told. */
static CardanStatus check_velocities(Start *st) {
    const CrdSystem *system = &st->d->system;
    double speed = fmax(crd_reach(st->model, st->v), 1.0);
    CrdAllowed allowed = crd_part_of_size(st->model, CRD_START_RESIDUAL * speed);
    allowed.open = st->d->redundancy.open;
    if (crd_rows_excess(st->model, system, system->rate, allowed, NULL) <= 1.0) return CARDAN_OK;
    char list[CRD_MESSAGE_SIZE / 2];
    CrdPlace place = crd_list_worst(st->model, system, system->rate, allowed, 1.0, list, sizeof list);
    return crd_fail_at(st->d->error, CARDAN_ERR_NUMERIC, place,
                       "no velocities at the start meet the constraints: %s; a drive that other joints do not allow, "
                       "joints that lock each other, or masses that differ by many powers of ten, do that",
                       list);
}

/* ---- singular poses ---- */

/* What part of gamma no acceleration can meet, against all of it: not zero where the velocities fit no branch. */
static double unmet(Start *st, int rank) {
    const CrdDynamics *dynamics = st->d;
    const CrdSpectrum *sp = &dynamics->spectrum;
    assert(rank >= 0 && rank <= sp->count && sp->holds == CRD_SINGULAR_VALUES);
    double all = 0.0, left = 0.0;
    for (int i = 0; i < sp->rows; i++) st->r[i] = sp->scale[i] * dynamics->system.gamma[i];
    for (int i = 0; i < sp->rows; i++) all += st->r[i] * st->r[i];
    for (int k = 0; k < rank; k++) {
        const double *u = sp->u + (size_t)k * (size_t)sp->rows;
        double part = 0.0;
        for (int i = 0; i < sp->rows; i++) part += u[i] * st->r[i];
        for (int i = 0; i < sp->rows; i++) st->r[i] -= part * u[i];
    }
    for (int i = 0; i < sp->rows; i++) left += st->r[i] * st->r[i];
    return all > 0.0 ? sqrt(left / all) : 0.0;
}

/* A start in a singular pose goes on if its velocities choose a branch. What is healthy for the model is seen at
 * neighbours along the motion, since the pose itself tells nothing. */
static CardanStatus start_in_pose(Start *st) {
    CrdDynamics *dynamics = st->d;
    assert(st->is_singular);
    double reach = crd_reach(st->model, st->v);
    if (!(reach > 0.0)) return refuse_at_rest(st);
    if (dynamics->reveals) {
        CRD_TRY(crd_spectrum_take(&dynamics->spectrum, &dynamics->system, false, dynamics->error));
        if (unmet(st, crd_spectrum_rank(&dynamics->spectrum, CRD_RANK_TOLERANCE)) > CRD_BRANCH_UNMET)
            return refuse_singular(st,
                                   "its velocities belong to none of the motions that are possible there: give "
                                   "velocities of one of them, or the rates of more joints, until they decide on one");
    }
    for (int side = -1; side <= 1; side += 2) {
        CRD_TRY(crd_evaluate_beside(dynamics, st->run->stepper.t, st->q, st->v, st->v, side * CRD_NEIGHBOUR_NEAR));
        CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
        crd_monitor_accept(dynamics);
    }
    return CARDAN_OK;
}

/* What is healthy for this model: the pivots of the start, or of its neighbours. */
static CardanStatus set_watch(Start *st) {
    CrdDynamics *dynamics = st->d;
    if (st->model->structure->rows == 0) return CARDAN_OK;
    if (st->is_singular) CRD_TRY(start_in_pose(st));
    CRD_TRY(crd_evaluate_constraints(dynamics, st->run->stepper.t, st->q, st->v));
    CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    crd_monitor_accept(dynamics);
    CRD_TRY(crd_look_around(dynamics, st->run->stepper.t, st->q, st->v));
    CRD_TRY(crd_evaluate_constraints(dynamics, st->run->stepper.t, st->q, st->v));
    CRD_TRY(crd_factor(dynamics, CARDAN_METRIC_MASS));
    CRD_TRY(crd_imperfect_check(dynamics));
    crd_imperfect_watch(dynamics);
    st->run->stages.accepted = crd_singularity_measure(dynamics);
    return CARDAN_OK;
}

/* ---- the whole ---- */

static CardanStatus start(Start *st) {
    const CrdStructure *structure = st->model->structure;
    layout(st);
    if (!crd_arena_allocate(&st->arena)) return crd_fail_memory(st->d->error);
    layout(st);
    assert(crd_arena_is_full(&st->arena));
    st->hold = crd_find_held(st->model, st->held);
    crd_normalise(structure, st->q);
    crd_integrator_use_tracked(st->run, st->run->stepper.y);
    CRD_TRY(crd_start_joints(st->run));
    if (structure->rows > 0) {
        CRD_TRY(start_positions(st));
        if (st->is_held) CRD_TRY(crd_judge_drives(st->run, st->run->stepper.t, st->q, st->v, false));
        CRD_TRY(start_velocities(st));
        if (st->is_held) CRD_TRY(crd_judge_drives(st->run, st->run->stepper.t, st->q, st->v, true));
    }
    CRD_TRY(crd_evaluate_constraints(st->d, st->run->stepper.t, st->q, st->v));
    if (st->model->description->rate_count > 0) {
        if (structure->rows > 0) CRD_TRY(crd_factor(st->d, CARDAN_METRIC_MASS));
        CRD_TRY(crd_set_rates(st->d, st->v));
        CRD_TRY(crd_evaluate_constraints(st->d, st->run->stepper.t, st->q, st->v));
    }
    if (structure->rows > 0) CRD_TRY(check_velocities(st));
    CRD_TRY(set_watch(st));
    CRD_TRY(crd_integrator_track(st->run, st->run->stepper.y));
    return st->remark[0] == '\0' ? CARDAN_OK : crd_fail(st->d->error, CARDAN_REMARK, "%s", st->remark);
}

CardanStatus crd_start(CrdIntegrator *integrator) {
    assert(integrator->stepper.y != NULL && integrator->dynamics.error != NULL);
    Start st = {.run = integrator,
                .d = &integrator->dynamics,
                .model = integrator->dynamics.model,
                .q = integrator->stepper.y,
                .v = crd_integrator_v(integrator, integrator->stepper.y)};
    double pivot_min = st.d->factor.pivot_min; /* of the motion that follows, not of trial poses */
    CardanStatus status = start(&st);
    st.d->factor.pivot_min = pivot_min;
    crd_arena_free(&st.arena);
    return status;
}
