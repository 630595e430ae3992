/* The start, in this order: positions judged and projected, rows found independent, velocities judged and projected,
 * rates set. */
#include "analysis/start.h"

#include "analysis/assemble.h"
#include "analysis/rank.h"
#include "analysis/rates.h"
#include "core/numbers.h"
#include "solve/regularise.h"
#include "solve/singular.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORST_JOINTS = 5, NAMED_JOINTS = 8 };

typedef struct Start {
    CrdRun *run;
    CrdDynamics *d;
    const CardanModel *model;
    double *q, *v;
    double *given;              /* (nq or nv, the longer) as it was before it was moved */
    double *r, *x;              /* (rows), (nv): scratch */
    bool *redundant, *singular; /* (elements) */
    bool *held;                 /* (blocks) */
    bool hold;                  /* some block is held */
    bool is_singular;           /* the pose has a lower rank than its neighbours */
    char remark[CRD_MESSAGE_SIZE / 2];
    CrdArena arena;
} Start;

static void layout(Start *st) {
    const CrdShape *s = st->model->shape;
    size_t real = sizeof(double), elements = (size_t)s->element_count;
    st->given = crd_take(&st->arena, (size_t)(s->nq > s->nv ? s->nq : s->nv), real);
    st->r = crd_take(&st->arena, (size_t)s->rows, real);
    st->x = crd_take(&st->arena, (size_t)s->nv, real);
    st->held = crd_take(&st->arena, (size_t)s->block_count, sizeof *st->held);
    st->redundant = crd_take(&st->arena, elements, sizeof *st->redundant);
    st->singular = crd_take(&st->arena, elements, sizeof *st->singular);
}

/* ---- sentences ---- */

static CrdPlace element_place(const CardanModel *model, int element) {
    const CrdElement *e = &model->shape->elements[element];
    if (e->joint >= 0) return model->description->joints[e->joint].place;
    return model->description->blocks[model->shape->blocks[e->block].object].place;
}

static void append(char *text, size_t size, const char *format, ...) CRD_PRINTF(3, 4);
static void append(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Elements with the largest |row| above limit, worst first; how many, at most WORST_JOINTS. Arrays have room for one
 * more. */
static int find_worst(const CrdShape *s, const double *rows, double limit, int *worst, double *size) {
    int count = 0;
    for (int e = 0; e < s->element_count; e++) {
        double most = crd_worst(rows + s->elements[e].first, s->elements[e].rows);
        if (most <= limit) continue;
        int k = count;
        for (; k > 0 && !(most <= size[k - 1]); k--) { /* what is no number comes first */
            worst[k] = worst[k - 1];
            size[k] = size[k - 1];
        }
        worst[k] = e;
        size[k] = most;
        if (count < WORST_JOINTS) count++;
    }
    return count;
}

/* "joint 'wrist' by 0.2, 'pin' by 0.1" */
static CrdPlace list_worst(const CardanModel *model, const double *rows, double limit, char *text, size_t size) {
    int worst[WORST_JOINTS + 1] = {0};
    double most[WORST_JOINTS + 1] = {0};
    int count = find_worst(model->shape, rows, limit, worst, most);
    text[0] = '\0';
    for (int k = 0; k < count; k++)
        append(text, size, "%s'%.64s' by %.3g", k == 0 ? "joint " : ", ", crd_element_name(model, worst[k]), most[k]);
    return element_place(model, worst[0]);
}

typedef struct NameList {
    const CardanModel *model;
    char text[CRD_MESSAGE_SIZE / 2]; /* "'a', 'b' and 3 more" */
    int count;
    CrdPlace place; /* of the first */
} NameList;

static void add_name(NameList *list, int element) {
    if (list->count++ >= NAMED_JOINTS) return;
    if (list->count == 1) list->place = element_place(list->model, element);
    append(list->text, sizeof list->text, "%s'%.64s'", list->count == 1 ? "" : ", ",
           crd_element_name(list->model, element));
}

/* Joints in the order of the description, then blocks. */
static NameList list_marked(const CardanModel *model, const bool *marked) {
    const CrdShape *s = model->shape;
    NameList list = {.model = model};
    for (int i = 0; i < s->joint_count; i++)
        if (marked[s->element_of_joint[i]]) add_name(&list, s->element_of_joint[i]);
    for (int e = 0; e < s->element_count; e++)
        if (marked[e] && s->elements[e].joint < 0) add_name(&list, e);
    if (list.count > NAMED_JOINTS) append(list.text, sizeof list.text, " and %d more", list.count - NAMED_JOINTS);
    return list;
}

/* Keeps a remark for the end. */
static void remark(Start *st, const char *what, double moved, const char *joint) {
    append(st->remark, sizeof st->remark, "%s%s changed by up to %.2g to meet the constraints (off: %s)",
           st->remark[0] != '\0' ? "; " : "the start's ", what, moved, joint);
}

static double largest_change(const double *now, const double *before, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(now[i] - before[i]));
    return most;
}

/* ---- judging ---- */

typedef enum Verdict { LEAVE, MOVE, MOVE_WITH_REMARK } Verdict;

/* What to do with rows off by up to `worst` in units of `scale`; refuses what is too much. */
static CardanStatus judge(Start *st, const char *what, CardanStartMode mode, const double *rows, double scale,
                          Verdict *verdict) {
    int n = st->model->shape->rows;
    double off = crd_worst(rows, n) / scale;
    *verdict = mode == CARDAN_START_KEEP ? LEAVE : MOVE;
    if (mode == CARDAN_START_PROJECT) return CARDAN_OK;
    if (off <= CRD_START_RESIDUAL) {
        if (mode == CARDAN_START_DEFAULT && off > CRD_START_ROUNDING) *verdict = MOVE_WITH_REMARK;
        return CARDAN_OK;
    }
    char list[CRD_MESSAGE_SIZE / 2];
    CrdPlace place = list_worst(st->model, rows, CRD_START_RESIDUAL * scale, list, sizeof list);
    return crd_fail_at(st->d->error, CARDAN_ERR_MODEL, place,
                       "the %s given do not meet the constraints: %s; correct them, or let them be projected with "
                       "start: {%s: project}",
                       what, list, what);
}

/* ---- positions ---- */

static CardanStatus assemble_dense(Start *st, CrdAssembly *assembly) {
    CrdSpectrum spectrum;
    CardanStatus status = crd_spectrum_open(&spectrum, st->model, st->d->error);
    if (status >= 0) {
        assembly->spectrum = &spectrum;
        status = crd_assemble(assembly, st->run->t, st->q, st->v);
    }
    crd_spectrum_close(&spectrum);
    return status;
}

static CardanStatus fail_assembly(Start *st, const CrdAssembly *assembly) {
    char list[CRD_MESSAGE_SIZE / 2];
    CrdPlace place =
        list_worst(st->model, st->d->system.g, CRD_START_RESIDUAL * st->model->numbers.size, list, sizeof list);
    return crd_fail_at(
        st->d->error, CARDAN_ERR_MODEL, place,
        "the mechanism cannot be assembled from the given positions: after %d iterations the constraints "
        "are still off: %s%s",
        assembly->iterations, list, st->hold ? " (with the held bodies kept in place)" : "");
}

/* Refuses dependent rows where nothing is to be done about them. */
static CardanStatus refuse_dependent(Start *st, const CrdRank *rank) {
    const CrdShape *s = st->model->shape;
    NameList list = list_marked(st->model, rank->rank < s->rows ? st->redundant : st->singular);
    if (rank->rank < s->rows)
        return crd_fail_at(st->d->error, CARDAN_ERR_MODEL, list.place,
                           "%d of %d constraint rows are redundant: joints %s; regularise: %s refuses them, use auto",
                           s->rows - rank->rank, s->rows, list.text, st->d->regulariser->name);
    return crd_fail_at(st->d->error, CARDAN_ERR_NUMERIC, list.place,
                       "the start pose is singular: %d of %d constraint rows depend on the others in just this pose "
                       "(joints %s); regularise: %s refuses it, use auto",
                       s->rows - rank->rank_here, s->rows, list.text, st->d->regulariser->name);
}

/* Measures a neighbour of the pose along the motion: side -1 or 1. */
static CardanStatus measure_neighbour(Start *st, int side) {
    const CrdShape *s = st->model->shape;
    CrdDynamics *d = st->d;
    double reach = crd_reach(st->model, st->v);
    for (int i = 0; i < s->nv; i++) st->x[i] = reach > 0.0 ? side * CRD_NEIGHBOUR_NEAR / reach * st->v[i] : 0.0;
    memcpy(d->near_q, st->q, (size_t)s->nq * sizeof *st->q);
    crd_move(s, st->x, d->near_q);
    return crd_measure(d, st->run->t, d->near_q, st->v);
}

/* Finds rows whose leaving out leaves the others independent, in a regular pose. */
static CardanStatus take_out_redundant(Start *st, const CrdRank *rank) {
    CrdDynamics *d = st->d;
    int expected = st->model->shape->rows - rank->rank;
    CRD_TRY(rank->singular ? measure_neighbour(st, 1) : crd_measure(d, st->run->t, st->q, st->v));
    CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    crd_dynamics_take_out(d);
    CRD_TRY(crd_measure(d, st->run->t, st->q, st->v));
    if (!rank->exact || d->redundant == expected) return crd_dynamics_reduce(d);
    return crd_fail(d->error, CARDAN_ERR_NUMERIC,
                    "%d constraint rows are redundant, but the factor leaves out %d of them: the rows are too badly scaled",
                    expected, d->redundant);
}

static CardanStatus refuse_singular(Start *st, const char *why) {
    NameList list = list_marked(st->model, st->singular);
    return crd_fail_at(st->d->error, CARDAN_ERR_NUMERIC, list.place, "the start pose is singular (joints %s) and %s",
                       list.text, why);
}

static CardanStatus refuse_at_rest(Start *st) {
    return refuse_singular(st, "the mechanism is at rest there, so several motions are possible: give it a velocity, or start "
                               "a little beside it");
}

/* Tells redundant rows from a singular pose and lets the dynamics know. */
static CardanStatus know_rank(Start *st) {
    const CrdShape *s = st->model->shape;
    CrdDynamics *d = st->d;
    CrdRank rank;
    CRD_TRY(crd_rank(d, st->run->t, st->q, st->v, &rank, st->redundant, st->singular));
    if (rank.rank_here < s->rows && !d->regulariser->drops) return refuse_dependent(st, &rank);
    st->is_singular = rank.singular;
    if (rank.singular && st->model->description->rate_count == 0 && crd_reach(st->model, st->v) == 0.0)
        return refuse_at_rest(st);
    if (rank.rank == s->rows || !d->regulariser->drops) return CARDAN_OK;
    return take_out_redundant(st, &rank);
}

static CardanStatus move_positions(Start *st, CardanStartMode mode) {
    bool project = mode == CARDAN_START_PROJECT, dense = (project || st->hold) && crd_spectrum_fits(st->model->shape);
    /* Far from the manifold rows say nothing yet about their rank. */
    if (!dense && !project) CRD_TRY(know_rank(st));
    CrdAssembly assembly = {.dynamics = st->d, .held = st->hold ? st->held : NULL, .far = project};
    CRD_TRY(dense ? assemble_dense(st, &assembly) : crd_assemble(&assembly, st->run->t, st->q, st->v));
    if (!(assembly.left <= CRD_START_RESIDUAL * st->model->numbers.size)) return fail_assembly(st, &assembly);
    return dense || project ? know_rank(st) : CARDAN_OK;
}

static CardanStatus start_positions(Start *st) {
    CardanStartMode mode = st->model->description->start_positions;
    const CrdShape *s = st->model->shape;
    Verdict verdict;
    CRD_TRY(crd_measure(st->d, st->run->t, st->q, st->v));
    CRD_TRY(judge(st, "positions", mode, st->d->system.g, st->model->numbers.size, &verdict));
    if (verdict == LEAVE) return know_rank(st);
    char list[CRD_MESSAGE_SIZE / 4];
    list_worst(st->model, st->d->system.g, 0.0, list, sizeof list);
    memcpy(st->given, st->q, (size_t)s->nq * sizeof *st->given);
    CRD_TRY(move_positions(st, mode));
    if (verdict == MOVE_WITH_REMARK) remark(st, "positions were", largest_change(st->q, st->given, s->nq), list);
    return CARDAN_OK;
}

/* ---- velocities ---- */

/* v <- v - M^-1 G^T S^-1 (G v + g_t), twice: the second takes away what rounding left of the first. */
static CardanStatus project_velocities(Start *st) {
    const CrdShape *s = st->model->shape;
    for (int pass = 0; pass < 2; pass++) {
        memcpy(st->r, st->d->system.rate, (size_t)s->rows * sizeof *st->r);
        CRD_TRY(crd_solve_rows(st->d, st->r));
        memset(st->x, 0, (size_t)s->nv * sizeof *st->x);
        crd_times_gt(s, st->d->system.T, -1.0, st->r, st->x);
        for (int i = 0; i < s->nv; i++) st->v[i] += st->x[i];
        CRD_TRY(crd_measure(st->d, st->run->t, st->q, st->v));
    }
    return CARDAN_OK;
}

static CardanStatus start_velocities(Start *st) {
    const CrdShape *s = st->model->shape;
    const CrdDescription *description = st->model->description;
    CardanStartMode mode = description->start_velocities;
    /* Rates given: the rest follows them, so nobody is expected to have written velocities that fit. */
    if (mode == CARDAN_START_DEFAULT && description->rate_count > 0) mode = CARDAN_START_PROJECT;
    double scale = fmax(crd_worst(st->v, s->nv), st->model->numbers.size);
    Verdict verdict;
    CRD_TRY(crd_measure(st->d, st->run->t, st->q, st->v));
    CRD_TRY(judge(st, "velocities", mode, st->d->system.rate, scale, &verdict));
    if (verdict == LEAVE) return CARDAN_OK;
    char list[CRD_MESSAGE_SIZE / 4];
    list_worst(st->model, st->d->system.rate, 0.0, list, sizeof list);
    memcpy(st->given, st->v, (size_t)s->nv * sizeof *st->given);
    CRD_TRY(crd_factor(st->d, CARDAN_METRIC_MASS));
    CRD_TRY(project_velocities(st));
    if (verdict == MOVE_WITH_REMARK) remark(st, "velocities were", largest_change(st->v, st->given, s->nv), list);
    return CARDAN_OK;
}

/* ---- singular poses ---- */

/* What part of gamma no acceleration can meet, against all of it: not zero where the velocities fit no branch. */
static double unmet(Start *st, int rank) {
    const CrdDynamics *d = st->d;
    const CrdSpectrum *sp = &d->spectrum;
    double all = 0.0, left = 0.0;
    for (int i = 0; i < sp->rows; i++) st->r[i] = sp->scale[i] * d->system.gamma[i];
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
    CrdDynamics *d = st->d;
    double reach = crd_reach(st->model, st->v);
    if (!(reach > 0.0))
        return refuse_at_rest(st);
    if (d->looks) {
        CRD_TRY(crd_spectrum_take(&d->spectrum, &d->system, false, d->error));
        if (unmet(st, crd_spectrum_rank(&d->spectrum, CRD_RANK_TOLERANCE)) > CRD_BRANCH_UNMET)
            return refuse_singular(st, "its velocities belong to none of the motions that are possible there: give "
                                       "velocities of one of them, or the rates of more joints, until they decide on one");
    }
    for (int side = -1; side <= 1; side += 2) {
        CRD_TRY(measure_neighbour(st, side));
        CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
        crd_dynamics_healthy(d);
    }
    return CARDAN_OK;
}

/* What is healthy for this model: the pivots of the start, or of its neighbours. */
static CardanStatus set_watch(Start *st) {
    CrdDynamics *d = st->d;
    if (st->model->shape->rows == 0) return CARDAN_OK;
    if (st->is_singular) CRD_TRY(start_in_pose(st));
    CRD_TRY(crd_measure(d, st->run->t, st->q, st->v));
    CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    crd_dynamics_healthy(d);
    st->run->passage.w_last = crd_closeness(d);
    return CARDAN_OK;
}

/* ---- the whole ---- */

static CardanStatus start(Start *st) {
    const CrdShape *s = st->model->shape;
    layout(st);
    if (!crd_arena_allocate(&st->arena)) return crd_fail_memory(st->d->error);
    layout(st);
    st->hold = crd_find_held(st->model, st->held);
    crd_normalise(s, st->q);
    crd_run_look_at(st->run, st->run->y);
    if (s->rows > 0) {
        CRD_TRY(start_positions(st));
        CRD_TRY(start_velocities(st));
    }
    CRD_TRY(crd_measure(st->d, st->run->t, st->q, st->v));
    if (st->model->description->rate_count > 0) {
        if (s->rows > 0) CRD_TRY(crd_factor(st->d, CARDAN_METRIC_MASS));
        CRD_TRY(crd_set_rates(st->d, st->v));
        CRD_TRY(crd_measure(st->d, st->run->t, st->q, st->v));
    }
    CRD_TRY(set_watch(st));
    crd_run_follow(st->run, st->run->y);
    return st->remark[0] == '\0' ? CARDAN_OK : crd_fail(st->d->error, CARDAN_REMARK, "%s", st->remark);
}

CardanStatus crd_start(CrdRun *run) {
    Start st = {
        .run = run, .d = &run->dynamics, .model = run->dynamics.model, .q = run->y, .v = crd_run_v(run, run->y)};
    double pivot_min = st.d->pivot_min; /* of the motion that follows, not of trial poses */
    CardanStatus status = start(&st);
    st.d->pivot_min = pivot_min;
    crd_delete(st.arena.base);
    return status;
}
