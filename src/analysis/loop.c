#include "analysis/loop.h"

#include "analysis/fault.h"
#include "analysis/sentences.h"

#include <math.h>
#include <string.h>

/* Openings, in lengths of the mechanism or rad, up to which nothing is said: data with nine digits. */
#define CRD_OPENING_TOLD 1e-9

/* What is locked by less cannot be held: S, which has the square of it, says that its rows are dependent
 * (CRD_PIVOT_DROP). */
#define CRD_LOCKED_FIRMLY 1e-6

static void begin_sentence(const CrdLoop *loop) {
    if (loop->remark[0] != '\0') crd_say(loop->remark, loop->size, "; ");
}

static bool has_drives(const CardanModel *model) {
    for (int e = 0; e < model->structure->element_count; e++)
        if (crd_element_is_driven(&model->structure->elements[e])) return true;
    return false;
}

/* Is a motion asked for? Else it may be a frame that is to stand still. */
static bool should_move(const CrdLoop *loop) {
    const CardanModel *model = loop->run->dynamics.model;
    return model->description->rate_count > 0 || crd_reach(model, loop->v) > 0.0 || has_drives(model);
}

/* Large models: rows that cannot be treated, and a rate asked of what has no freedom. */
static CardanStatus judge_large(const CrdLoop *loop, const CrdRank *rank) {
    const CrdDynamics *dynamics = &loop->run->dynamics;
    const CardanModel *model = dynamics->model;
    if (rank->inexact == 0 && rank->rank == model->structure->nv && model->description->rate_count > 0 &&
        !has_drives(model))
        return crd_fail_at(
            dynamics->error, CARDAN_ERR_MODEL, model->description->rates[0].place,
            "the mechanism is locked: 0 degrees of freedom, and the start asks for a rate. If its joints "
            "should let it move, correct their data or set redundancy higher");
    if (rank->inexact == 0) return CARDAN_OK;
    CrdNameList list = crd_list_marked(model, loop->marked);
    return crd_fail_at(
        dynamics->error, CARDAN_ERR_LIMIT, list.place,
        "%d constraint row%s on others within %g, but not exactly (joints %s): such loops are treated in "
        "models with rows x velocities up to 20000, and this one has %d x %d. Correct the joint data, or "
        "set redundancy: 0 to take them as they are",
        rank->inexact, rank->inexact == 1 ? " depends" : "s depend", dynamics->redundancy.tolerance, list.text,
        model->structure->rows, model->structure->nv);
}

CardanStatus crd_judge_locked(const CrdLoop *loop, const CrdRank *rank) {
    const CrdDynamics *dynamics = &loop->run->dynamics;
    const CardanModel *model = dynamics->model;
    char text[CRD_MESSAGE_SIZE / 2] = "";
    int freedoms = model->structure->nv - rank->rank;
    if (!rank->dense) return judge_large(loop, rank);
    if (rank->nearly == rank->rank) return CARDAN_OK;
    CrdNameList list = crd_list_marked(model, loop->marked);
    crd_say_nearly(model, rank, list.text, text, sizeof text);
    bool stands = rank->within > CRD_LOCKED_FIRMLY && !should_move(loop);
    if (freedoms == 0 && !(stands && loop->run->options.redundancy == 0.0))
        return crd_fail_at(dynamics->error, CARDAN_ERR_MODEL, list.place,
                           "the mechanism is locked: 0 degrees of freedom. %s%s", text,
                           stands ? ", or redundancy: 0 if it is to stand still" : "");
    begin_sentence(loop);
    crd_say(loop->remark, loop->size, "%d degree%s of freedom. %s", freedoms, freedoms == 1 ? "" : "s", text);
    return CARDAN_OK;
}

static CardanStatus refuse_spread(const CrdLoop *loop, const CrdRank *rank, const CrdNameList *list) {
    const CrdDynamics *dynamics = &loop->run->dynamics;
    const char *stepper = loop->run->stepper.method->iterates ? loop->run->stepper.method->name : NULL;
    bool full = loop->run->options.stabilise.method == CARDAN_STABILISE_POST &&
                loop->run->options.stabilise.form == CARDAN_STABILISE_FORM_FULL;
    if (rank->singular)
        return crd_fail_at(dynamics->error, CARDAN_ERR_NUMERIC, list->place,
                           "the loop %s is imperfect by %.1e and starts in a singular pose: its branches do not cross. "
                           "Correct the joint data",
                           list->text, dynamics->redundancy.imperfect.size);
    if (stepper == NULL && !full) return CARDAN_OK;
    return crd_fail_at(dynamics->error, CARDAN_ERR_MODEL, list->place,
                       "the loop %s is imperfect by %.1e, so that its rows are met by least squares; %s holds each of "
                       "them: take %s, or correct the joint data",
                       list->text, dynamics->redundancy.imperfect.size,
                       full ? "the full form of post-stabilisation" : stepper,
                       full ? "form: block" : "an explicit stepper");
}

/* Says so where it can be seen in results. */
static void remark_imperfect(const CrdLoop *loop, const CrdRank *rank, int fault, const CrdNameList *list) {
    const CrdDynamics *dynamics = &loop->run->dynamics;
    int rows = dynamics->model->structure->rows - rank->rank, freedoms = dynamics->model->structure->nv - rank->rank;
    if (dynamics->redundancy.imperfect.size <= CRD_OPENING_TOLD) return;
    begin_sentence(loop);
    crd_say(loop->remark, loop->size, "%d constraint row%s dependent within %g (joints %s); %d degree%s of freedom. ",
            rows, rows == 1 ? " is" : "s are", dynamics->redundancy.tolerance, list->text, freedoms,
            freedoms == 1 ? "" : "s");
    if (fault >= 0)
        crd_say(loop->remark, loop->size, "Joint '%.64s' does not fit the others and may open: watched",
                crd_element_name(dynamics->model, fault));
    else
        crd_say(loop->remark, loop->size, "They may open: watched");
}

CardanStatus crd_treat_imperfect(const CrdLoop *loop, const CrdRank *rank) {
    CrdDynamics *dynamics = &loop->run->dynamics;
    double t = loop->run->stepper.t;
    CrdImperfect *imperfect = &dynamics->redundancy.imperfect;
    CrdNameList list = crd_list_marked(dynamics->model, loop->marked);
    int fault;
    CRD_TRY(crd_imperfect_open(dynamics));
    memcpy(imperfect->in_loop, loop->marked, (size_t)dynamics->model->structure->element_count * sizeof *loop->marked);
    imperfect->size = fmax(rank->weak, rank->opening);
    CRD_TRY(crd_find_fault(dynamics, t, loop->q, loop->v, loop->marked, &fault));
    const CardanOptions *options = &loop->run->options;
    if (fault < 0 && !crd_rank_wants_spread(dynamics->model, rank, options->rtol, options->atol)) {
        crd_imperfect_close(imperfect);
        return CARDAN_OK;
    }
    if (fault < 0) CRD_TRY(refuse_spread(loop, rank, &list));
    remark_imperfect(loop, rank, fault, &list);
    if (fault < 0)
        crd_imperfect_spread(dynamics, rank->rank);
    else
        crd_imperfect_release(dynamics);
    return crd_evaluate_constraints(dynamics, t, loop->q, loop->v);
}
