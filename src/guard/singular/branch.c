#include "guard/singular/branch.h"

#include "core/numbers.h"
#include "guard/events/event.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Singularity measure below which a motion that goes towards a pose is in its neighbourhood: far enough out that
 * softened rows and noise next to the pose do not reach it, near enough to be bridged. */
#define CRD_BRANCH_NEAR 0.3

/* A step that seems to leave its branch is halved at most so often. */
#define CRD_BRANCH_REPEATS 3

int crd_branch_flat_size(const CrdStructure *structure) {
    return structure->nq + structure->nv + structure->first_order + structure->tracked_count + 1;
}

void crd_branch_layout(CrdBranch *branch, const CrdIntegrator *integrator, CrdArena *arena) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    size_t nv = (size_t)structure->nv, blocks = (size_t)structure->block_count, real = sizeof(double);
    assert(integrator->stepper.n == crd_branch_flat_size(structure));
    branch->integrator = integrator;
    for (int i = 0; i < CRD_BRANCH_STATES; i++) {
        branch->state[i].y = crd_take(arena, (size_t)integrator->stepper.n, real);
        branch->state[i].a = crd_take(arena, nv, real);
    }
    branch->v_last = crd_take(arena, nv, real);
    branch->top = crd_take(arena, blocks, real);
    branch->part = crd_take(arena, blocks, real);
    branch->minus = crd_take(arena, nv, real);
    branch->plus = crd_take(arena, nv, real);
    branch->spare = crd_take(arena, nv, real);
    branch->mass = crd_take(arena, nv, real);
    branch->unsure = crd_take(arena, nv, real);
    crd_march_layout(&branch->march, integrator->stepper.n, arena);
}

/* ---- states ---- */

static void keep(CrdBranchState *state, const CrdStructure *structure, double t, const double *y, const double *a) {
    state->t = t;
    memcpy(state->y, y, (size_t)crd_branch_flat_size(structure) * sizeof *y);
    memcpy(state->a, a, (size_t)structure->nv * sizeof *a);
}

/* The workspace holds the end of the attempt again. */
static CardanStatus put_back(CrdIntegrator *integrator, double t_new) {
    const CrdStepper *stepper = &integrator->stepper;
    crd_integrator_use_tracked(integrator, stepper->y_new);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t_new, stepper->y_new));
    return crd_integrator_derivative(integrator, stepper->y_new, stepper->f_new, false);
}

/* The end of an attempt stands where the state is going to be. */
static CrdBranchState end_of(const CrdIntegrator *integrator, double t_new) {
    const CrdStepper *stepper = &integrator->stepper;
    return (CrdBranchState){t_new, stepper->y_new, crd_integrator_v(integrator, stepper->f_new)};
}

/* ---- before a step ---- */

static bool is_torn(const CrdBranch *branch, const CrdIntegrator *integrator) {
    const CrdStepper *stepper = &integrator->stepper;
    size_t bytes = (size_t)integrator->dynamics.model->structure->nv * sizeof *branch->v_last;
    return !branch->dip.known || branch->dip.t_last != stepper->t ||
           memcmp(branch->v_last, crd_integrator_v(integrator, stepper->y), bytes) != 0;
}

static void remember(CrdBranch *branch, const CrdIntegrator *integrator) {
    const CrdStepper *stepper = &integrator->stepper;
    size_t bytes = (size_t)integrator->dynamics.model->structure->nv * sizeof *branch->v_last;
    branch->dip.known = true;
    branch->dip.t_last = stepper->t;
    memcpy(branch->v_last, crd_integrator_v(integrator, stepper->y), bytes);
}

static void keep_present(CrdBranchState *state, const CrdIntegrator *integrator) {
    const CrdStepper *stepper = &integrator->stepper;
    keep(state, integrator->dynamics.model->structure, stepper->t, stepper->y,
         crd_integrator_v(integrator, stepper->f));
}

/* Room for a newer state among those before; it is the one in `newer`, whose place gets the oldest. */
static void shift(CrdBranch *branch, CrdBranchState *newer) {
    CrdBranchState *state = branch->state, oldest = state[CRD_BRANCH_OLDER];
    state[CRD_BRANCH_OLDER] = state[CRD_BRANCH_NEWER];
    state[CRD_BRANCH_NEWER] = newer != NULL ? *newer : oldest;
    if (newer != NULL) *newer = oldest;
    if (branch->dip.before < 2) branch->dip.before++;
}

/* The present state becomes the newer one of those before. */
static void keep_before(CrdBranch *branch, const CrdIntegrator *integrator, double w) {
    shift(branch, NULL);
    keep_present(&branch->state[CRD_BRANCH_NEWER], integrator);
    branch->dip.w_before = w;
    branch->dip.events = 0;
}

long crd_branch_events(const CrdBranch *branch) {
    return branch->dip.events + crd_events_happened(branch->integrator) - branch->counted;
}

static void count_events(CrdBranch *branch) {
    branch->dip.events = crd_branch_events(branch);
    branch->counted = crd_events_happened(branch->integrator);
}

void crd_branch_begin(CrdBranch *branch, const CrdIntegrator *integrator) {
    branch->repeats = 0;
    branch->verdict = CARDAN_BRANCH_NONE;
    branch->torn = is_torn(branch, integrator);
}

/* The state before the last step, the only one before. */
static void keep_start(CrdBranch *branch, const CrdIntegrator *integrator) {
    const CrdStepper *stepper = &integrator->stepper;
    branch->dip.before = 0;
    shift(branch, NULL);
    keep(&branch->state[CRD_BRANCH_NEWER], integrator->dynamics.model->structure, stepper->t_old, stepper->y_old,
         crd_integrator_v(integrator, stepper->f_new));
    branch->dip.w_before = integrator->stages.before;
}

void crd_branch_join(CrdBranch *branch, const CrdIntegrator *integrator) {
    const CrdStages *stages = &integrator->stages;
    const CrdDip *dip = &branch->dip;
    assert(integrator->stepper.t_old < integrator->stepper.t);
    bool engaged = dip->near || dip->passed || dip->logged;
    if (engaged || stages->before < CRD_BRANCH_NEAR || stages->accepted < CRD_BRANCH_NEAR) return;
    keep_start(branch, integrator);
    keep_before(branch, integrator, stages->accepted);
    branch->counted = crd_events_happened(integrator);
    remember(branch, integrator);
}

void crd_branch_enter(CrdBranch *branch, const CrdIntegrator *integrator) {
    CrdDip *dip = &branch->dip;
    if (!branch->torn) return;
    dip->before = 0;
    dip->passed = false;
    if (dip->near || integrator->stages.before < CRD_BRANCH_NEAR) return;
    keep_start(branch, integrator);
}

/* ---- after an attempt ---- */

static CardanStatus tell(const CrdBranch *branch, const CrdIntegrator *integrator, CardanStatus status) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdDip *dip = &branch->dip;
    const char *name = dip->joint > 0 ? cardan_model_joint_name(dynamics->model, (CardanJoint){dip->joint}) : "";
    bool softened = dip->softened || crd_softens(dynamics);
    double percent = 100.0 * branch->jump;
    if (branch->verdict == CARDAN_BRANCH_UNCLEAR)
        return crd_fail(
            integrator->stepper.error, status,
            "it is unclear whether the motion kept its branch at the singular pose t = %.9g (joint '%s'%s): "
            "the velocity jumps by %.0f percent",
            dip->pose_at, name, dip->joint_count > 1 ? " and others" : "", percent);
    return crd_fail(integrator->stepper.error, status,
                    "the motion left its branch at the singular pose t = %.9g (joint '%s'%s): the velocity jumps by "
                    "%.0f percent; %s%s",
                    dip->pose_at, name, dip->joint_count > 1 ? " and others" : "", percent,
                    softened ? "rows were softened, use regularise: auto" : "use a shorter step or a smaller tolerance",
                    status < 0 ? ", or allow it by regularise: {leave_branch: true}" : "");
}

/* Does the attempt, which goes over a pose in one, seem to leave its branch? One state beyond has to do. */
static bool seems_left(CrdBranch *branch, CrdIntegrator *integrator, const CrdTry *attempt, bool *moved) {
    const CrdStages *stages = &integrator->stages;
    const CrdDip *dip = &branch->dip;
    bool over = stages->lowest < CRD_PASSAGE && crd_singularity_measure(&integrator->dynamics) >= CRD_PASSAGE_LEFT;
    bool may = integrator->options.step <= 0.0 && branch->repeats < CRD_BRANCH_REPEATS && !branch->torn;
    bool smooth = crd_branch_events(branch) == 0;
    if (!over || !may || !smooth || dip->before < 2 || dip->near || dip->passed) return false;
    CrdBranchState end = end_of(integrator, attempt->t_new);
    branch->whole = true; /* who takes part is not known yet */
    branch->passes_pose = true;
    if (crd_branch_by_cubics(branch, &integrator->dynamics, stages->lowest_at, &end, NULL) != CARDAN_BRANCH_LEFT)
        return false;
    *moved = true;
    return crd_branch_by_integration(branch, integrator, stages->lowest_at, &end) == CARDAN_BRANCH_LEFT;
}

/* Over the pose to the state after it and, if this attempt goes on well, its end. */
static CardanBranch judge(CrdBranch *branch, CrdIntegrator *integrator, const CrdTry *attempt, bool *moved) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdDip *dip = &branch->dip;
    const CrdBranchState *after = &branch->state[CRD_BRANCH_AFTER];
    double low = fmin(crd_singularity_measure(dynamics), integrator->stages.lowest);
    bool unresolved = !dip->logged && dip->lowest < CRD_PASSAGE;
    if (!dip->passed || unresolved || branch->torn) return CARDAN_BRANCH_NONE;
    branch->jump = -1.0;
    branch->whole = !dip->logged;
    branch->passes_pose = dip->logged;
    if (dip->before == 0 || (dip->before == 1 && !dip->logged)) return CARDAN_BRANCH_UNCLEAR;
    if (dip->before == 2 && low >= CRD_PASSAGE_LEFT) {
        CrdBranchState end = end_of(integrator, attempt->t_new);
        CardanBranch verdict = crd_branch_by_cubics(branch, dynamics, dip->pose_at, after, &end);
        if (verdict == CARDAN_BRANCH_KEPT || (!dip->logged && verdict != CARDAN_BRANCH_LEFT)) return verdict;
    }
    branch->jump = -1.0;
    if (crd_branch_events(branch) > 0) return CARDAN_BRANCH_UNCLEAR;
    *moved = true;
    return crd_branch_by_integration(branch, integrator, dip->pose_at, after);
}

CrdVerdict crd_branch_judge(CrdBranch *branch, CrdIntegrator *integrator, CrdTry *attempt, CardanStatus *status) {
    bool moved = false, again = seems_left(branch, integrator, attempt, &moved);
    branch->verdict = CARDAN_BRANCH_NONE;
    if (again) {
        branch->repeats++;
        attempt->h *= 0.5;
        return CRD_AGAIN;
    }
    if (moved) *status = put_back(integrator, attempt->t_new);
    if (*status < 0) return CRD_REJECT;
    moved = false;
    branch->verdict = judge(branch, integrator, attempt, &moved);
    if (branch->verdict == CARDAN_BRANCH_LEFT &&
        integrator->options.regularise.leave_branch == CARDAN_LEAVE_BRANCH_ERROR) {
        *status = tell(branch, integrator, CARDAN_ERR_NUMERIC);
        return CRD_FAIL;
    }
    if (moved) *status = put_back(integrator, attempt->t_new);
    return *status < 0 ? CRD_REJECT : CRD_ACCEPT;
}

/* ---- after acceptance ---- */

static void see_speed(CrdBranch *branch, const CrdIntegrator *integrator) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const double *v = crd_integrator_v(integrator, integrator->stepper.y);
    crd_times_mass(dynamics->model, &dynamics->system, v, branch->mass);
    for (int b = 0; b < structure->block_count; b++)
        branch->top[b] = fmax(branch->top[b], crd_branch_square(&structure->blocks[b], v, branch->mass));
}

/* The passage is the last one in the log, unless that is full; a branch that was left beside a pose makes an event. */
static void log_verdict(const CrdBranch *branch, CrdIntegrator *integrator) {
    CrdLog *log = &integrator->log;
    const CrdDip *dip = &branch->dip;
    CardanEvent event = {.kind = CARDAN_EVENT_SINGULARITY, .t = dip->pose_at, .left_at = integrator->stepper.t_old};
    event.pivot_min = dip->lowest * dip->lowest;
    event.joint_count = dip->joint_count;
    event.joint[0].index = dip->joint;
    bool softened = crd_softens(&integrator->dynamics);
    event.remedy = softened ? CARDAN_REMEDY_SOFTENED_ROWS : CARDAN_REMEDY_STEPPED_OVER;
    if (!dip->logged) crd_log_add(log, &event, true);
    for (int i = log->count - 1; i >= 0 && log->events[i].left_at >= dip->pose_at; i--)
        if (log->events[i].kind == CARDAN_EVENT_SINGULARITY && log->events[i].t == dip->pose_at) {
            log->events[i].branch = branch->verdict;
            log->events[i].jump = branch->jump;
        }
}

/* The state after a pose is the first one before the next. */
static CardanStatus conclude(CrdBranch *branch, CrdIntegrator *integrator) {
    bool left = branch->verdict == CARDAN_BRANCH_LEFT, logged = branch->dip.logged;
    bool doubted = logged && branch->verdict == CARDAN_BRANCH_UNCLEAR && branch->jump > 0.0;
    if (left || (logged && branch->verdict != CARDAN_BRANCH_NONE)) log_verdict(branch, integrator);
    branch->dip.before = 0;
    branch->dip.passed = false;
    shift(branch, &branch->state[CRD_BRANCH_AFTER]);
    branch->dip.w_before = branch->dip.w_after;
    branch->dip.events = 0;
    return left || doubted ? tell(branch, integrator, CARDAN_REMARK) : CARDAN_OK;
}

/* The lowest point of the dip, as stages and states saw it; the log knows better. */
static void see_lowest(CrdDip *dip, const CrdIntegrator *integrator) {
    const CrdStages *stages = &integrator->stages;
    bool end = stages->accepted < stages->lowest;
    double low = end ? stages->accepted : stages->lowest;
    if (dip->logged || (dip->near && low >= dip->lowest)) return;
    dip->lowest = low;
    dip->pose_at = end ? integrator->stepper.t : stages->lowest_at;
}

/* The joint of the smallest pivot; 0: its row is none of a joint. */
static int weakest_joint(const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    return structure->elements[structure->row_element[dynamics->factor.pivot_row]].joint + 1;
}

/* Is the step one away from all poses? After a passage, states count again while the measure rises. */
static bool is_away(const CrdDip *dip, const CrdStages *stages) {
    double low = fmin(stages->accepted, stages->lowest);
    bool rises = dip->before > 0 && low >= fmax(dip->w_before, CRD_PASSAGE_LEFT);
    return !dip->near && !dip->logged && (low >= CRD_BRANCH_NEAR || rises);
}

/* The neighbourhood is left. */
static void leave(CrdBranch *branch, const CrdIntegrator *integrator) {
    CrdDip *dip = &branch->dip;
    dip->near = false;
    dip->passed = true;
    keep_present(&branch->state[CRD_BRANCH_AFTER], integrator);
    dip->w_after = integrator->stages.accepted;
    if (dip->logged) return;
    dip->joint = weakest_joint(&integrator->dynamics);
    dip->joint_count = dip->joint > 0;
}

CardanStatus crd_branch_accept(CrdBranch *branch, CrdIntegrator *integrator, const CardanEvent *passage) {
    const CrdStages *stages = &integrator->stages;
    CrdDip *dip = &branch->dip;
    count_events(branch);
    CardanStatus status = dip->passed ? conclude(branch, integrator) : CARDAN_OK;
    remember(branch, integrator);
    see_speed(branch, integrator);
    dip->logged = passage != NULL;
    dip->softened = passage != NULL && passage->remedy == CARDAN_REMEDY_SOFTENED_ROWS;
    if (is_away(dip, stages)) {
        keep_before(branch, integrator, stages->accepted);
        return status;
    }
    see_lowest(dip, integrator);
    dip->near = true;
    if (dip->logged) {
        dip->lowest = sqrt(passage->pivot_min);
        dip->pose_at = passage->t;
        dip->joint = passage->joint_count > 0 ? passage->joint[0].index : 0;
        dip->joint_count = passage->joint_count;
    }
    if (dip->logged || stages->accepted >= CRD_BRANCH_NEAR) leave(branch, integrator);
    return status;
}

void crd_branch_take_part(CrdBranch *branch, const CrdStructure *structure, const bool *element_mark) {
    memset(branch->part, 0, (size_t)structure->block_count * sizeof *branch->part);
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        for (int i = element->incidence; element_mark[e] && i < element->incidence + element->incidences; i++)
            branch->part[structure->incidences[i].block] = 1.0;
    }
}
