/* Assembling: from a rough pose to a closed mechanism with velocities, accelerations and multipliers. */
#include "study/study.h"

#include "analysis/sentences.h"
#include "core/numbers.h"
#include "core/random.h"
#include "study/blame.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Starts from poses beside the given one where it does not lead to a closed mechanism: how far the first is, in lengths
 * of the mechanism and rad, how much further each next one, and how far at most. */
#define CRD_START_FIRST 0.1
#define CRD_START_FURTHER 0.1
#define CRD_START_FURTHEST 3.0
enum { START_DEFAULT = 40 };

/* Closed poses that differ by less are the same; in lengths of the mechanism or rad. */
#define CRD_SAME_POSE 1e-6

/* Velocities that are off by more than this part of the speed (at least one size a second) are not met. */
#define CRD_RATE_OFF 1e-9

/* The given state, moved by a random displacement of bodies that are not held. */
void crd_study_perturb(const CardanStudy *study, double far, uint64_t *random, double *dx, double *y) {
    const CrdStructure *structure = study->model->structure;
    double size = study->model->values.size;
    memcpy(y, study->given, (size_t)study->run->stepper.n * sizeof *y);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        int lengths = crd_block_lengths(structure, block);
        bool held = study->has_held && study->held[i];
        for (int k = 0; k < block->nv; k++)
            dx[block->v + k] = held ? 0.0 : far * crd_random(random) * (k < lengths ? size : 1.0);
    }
    crd_move(structure, dx, y);
}

double crd_study_far(int start) {
    return start == 0 ? 0.0 : fmin(CRD_START_FIRST + CRD_START_FURTHER * (start - 1), CRD_START_FURTHEST);
}

/* Starts one after another until one closes; else the best is left in y. */
static CardanStatus try_starts(CardanStudy *study, CrdClosing *closing, int starts, double *best, CardanAssembly *out) {
    uint64_t random = 1;
    double least = (double)INFINITY;
    size_t bytes = (size_t)study->run->stepper.n * sizeof *best;
    for (int i = 0; i < starts; i++) {
        crd_study_perturb(study, crd_study_far(i), &random, closing->saddle.sparse.x, study->y);
        CardanStatus status = crd_close(closing, study->t, study->y);
        if (status == CARDAN_ERR_NUMERIC) continue; /* not finite from there */
        CRD_TRY(status);
        out->iterations += closing->iterations;
        out->starts = i + 1;
        if (closing->closed) return i > 0 ? crd_close_nearest(closing, study->t, study->given, study->y) : CARDAN_OK;
        if (closing->left < least) {
            least = closing->left;
            memcpy(best, study->y, bytes);
        }
    }
    if (isinf(least)) return CARDAN_ERR_NUMERIC;
    memcpy(study->y, best, bytes);
    return crd_close(closing, study->t, study->y);
}

/* Largest displacement of y from the given pose, and whose. */
static double distance_of(CardanStudy *study, double *dx, const double *y, int *block) {
    const CrdStructure *structure = study->model->structure;
    double most = 0.0, moved = 0.0;
    crd_displacement(structure, study->given, y, dx);
    for (int i = 0; i < structure->block_count; i++)
        for (int k = 0; k < structure->blocks[i].nv; k++) {
            bool length = k < crd_block_lengths(structure, &structure->blocks[i]);
            double x = fabs(dx[structure->blocks[i].v + k]), part = x / (length ? study->model->values.size : 1.0);
            if (part <= most) continue;
            most = part;
            moved = x;
            if (block != NULL) *block = i;
        }
    return moved;
}

/* ---- alternatives ---- */

static bool is_known(CardanStudy *study, double *dx, const double *y) {
    const CrdStructure *structure = study->model->structure;
    crd_displacement(structure, study->y, y, dx);
    if (crd_reach(study->model, dx) < CRD_SAME_POSE) return true;
    for (int i = 0; i < study->alternatives; i++) {
        crd_displacement(structure, study->alternative[i].y, y, dx);
        if (crd_reach(study->model, dx) < CRD_SAME_POSE) return true;
    }
    return false;
}

static CardanStatus keep_alternative(CardanStudy *study, double *dx, const double *y) {
    size_t bytes = (size_t)study->run->stepper.n * sizeof *y;
    if (!crd_grow(&study->alternative, &study->alternative_room, study->alternatives + 1, sizeof *study->alternative))
        return crd_fail_memory(&study->error);
    double *copy = crd_new((size_t)study->run->stepper.n, sizeof *y), distance = distance_of(study, dx, y, NULL);
    if (copy == NULL) return crd_fail_memory(&study->error);
    memcpy(copy, y, bytes);
    int at = study->alternatives++;
    for (; at > 0 && study->alternative[at - 1].distance > distance; at--)
        study->alternative[at] = study->alternative[at - 1];
    study->alternative[at] = (CrdAlternative){copy, distance};
    return CARDAN_OK;
}

/* Each is brought as near to the given pose as its way of closing allows, so that free motions do not count. */
static CardanStatus find_alternatives(CardanStudy *study, CrdClosing *closing, int count, double *y) {
    uint64_t random = 2;
    double *dx = closing->saddle.sparse.x;
    for (int i = 0; i < count; i++) {
        crd_study_perturb(study, crd_study_far(i + 5), &random, dx, y);
        CardanStatus status = crd_close(closing, study->t, y);
        if (status >= 0 && closing->closed) status = crd_close_nearest(closing, study->t, study->given, y);
        if (status == CARDAN_ERR_NUMERIC) continue;
        CRD_TRY(status);
        if (closing->closed && !is_known(study, dx, y)) CRD_TRY(keep_alternative(study, dx, y));
    }
    return CARDAN_OK;
}

CardanStatus cardan_study_alternative(CardanStudy *study, int i, double *q, double *distance) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    if (i < 0 || i >= study->alternatives) return crd_study_refuse(study, "there is no such alternative");
    if (q != NULL) memcpy(q, study->alternative[i].y, (size_t)study->model->structure->nq * sizeof *q);
    if (distance != NULL) *distance = study->alternative[i].distance;
    return CARDAN_OK;
}

/* ---- failing ---- */

static CardanStatus refuse_open(CardanStudy *study, CrdClosing *closing, const CardanAssembly *out) {
    char list[CRD_MESSAGE_SIZE / 3] = "", advice[CRD_MESSAGE_SIZE / 3] = "", asked[CRD_MESSAGE_SIZE / 4] = "";
    CrdSystem *system = &study->dynamics->system;
    CrdAllowed size = crd_part_of_size(study->model, 1.0);
    CrdPlace place = crd_list_worst(study->model, system, system->g, size, 0.01 * closing->left, list, sizeof list);
    for (int i = 0; i < study->targets; i++)
        if (study->target[i].soft == 0.0 && fabs(study->target[i].g) > 0.01 * closing->left)
            crd_say(asked, sizeof asked, "%s'%s' by %.3g", asked[0] == '\0' ? " (and coordinates asked for: " : ", ",
                    crd_element_name(study->model, study->target[i].element), study->target[i].g);
    if (asked[0] != '\0') crd_say(asked, sizeof asked, ")");
    int reversed;
    if (list[0] == '\0' && crd_closing_reversed(closing, &reversed))
        crd_say(list, sizeof list, "joint '%s' turned round by half a turn", crd_element_name(study->model, reversed));
    CRD_TRY(crd_blame_length(study, closing, advice, sizeof advice));
    crd_error_clear(&study->error);
    return crd_fail_at(&study->error, CARDAN_ERR_MODEL, place,
                       "the mechanism cannot be assembled: from %d start%s the best pose leaves %s%s%s%s", out->starts,
                       out->starts == 1 ? "" : "s", list, asked,
                       study->has_held ? " (with the held bodies kept in place)" : "", advice);
}

static CardanStatus refuse_rates(CardanStudy *study, double speed) {
    char list[CRD_MESSAGE_SIZE / 2] = "";
    CrdSystem *system = &study->dynamics->system;
    CrdPlace place = crd_list_worst(study->model, system, system->rate, crd_part_of_size(study->model, speed),
                                    CRD_RATE_OFF, list, sizeof list);
    return crd_fail_at(&study->error, CARDAN_ERR_NUMERIC, place,
                       "the mechanism closes, but no velocities meet its constraints there: %s; a drive, or a start "
                       "rate, that other joints do not allow does that",
                       list);
}

/* ---- the whole ---- */

static CardanStatus put_velocities(CardanStudy *study, CardanAssembly *out) {
    const CrdDescription *description = study->model->description;
    CrdCoordinateRow *rates = crd_new((size_t)description->rate_count, sizeof *rates);
    CardanStatus status = rates != NULL ? CARDAN_OK : crd_fail_memory(&study->error);
    for (int i = 0; status >= 0 && i < description->rate_count; i++) {
        status = crd_study_coordinate(study, description->rates[i].joint, &rates[i]);
        rates[i].value = description->rates[i].rate;
    }
    if (status >= 0) status = crd_close_rates(study->run, study->t, study->y, description->rate_count, rates);
    double speed = fmax(crd_reach(study->model, crd_study_v(study)), 1.0);
    CrdSystem *system = &study->dynamics->system;
    bool met = status < 0 || study->model->structure->rows == 0 ||
               crd_rows_excess(study->model, system, system->rate, crd_part_of_size(study->model, CRD_RATE_OFF * speed),
                               NULL) <= 1.0;
    for (int i = 0; status >= 0 && i < description->rate_count; i++)
        met = met && fabs(rates[i].value - rates[i].rate) <= CRD_RATE_OFF * fmax(speed, fabs(rates[i].value));
    crd_delete(rates);
    CRD_TRY(status);
    out->residual_rate = crd_max_abs(system->rate, study->model->structure->rows);
    return met ? CARDAN_OK : refuse_rates(study, speed);
}

static CardanStatus assemble(CardanStudy *study, CrdClosing *closing, int starts, int alternatives, double *scratch,
                             CardanAssembly *out) {
    if (study->has_weights) crd_closing_use_weights(closing, study->weight);
    CRD_TRY(try_starts(study, closing, starts > 0 ? starts : START_DEFAULT, scratch, out));
    if (!closing->closed) return refuse_open(study, closing, out);
    int block = 0;
    out->moved = distance_of(study, closing->saddle.sparse.x, study->y, &block);
    out->furthest.index = study->model->structure->blocks[block].frame;
    CRD_TRY(find_alternatives(study, closing, alternatives, scratch));
    out->alternatives = study->alternatives;
    CRD_TRY(put_velocities(study, out));
    out->residual = crd_max_abs(study->dynamics->system.g, study->model->structure->rows);
    return crd_study_accelerate(study);
}

CardanStatus cardan_study_assemble(CardanStudy *study, int starts, int alternatives, CardanAssembly *out) {
    CRD_TRY(crd_study_need(study, out, "the place for the findings"));
    if (starts < 0 || alternatives < 0) return crd_study_refuse(study, "a number of starts is below 0");
    CrdClosing closing;
    CardanAssembly found = {0};
    while (study->alternatives > 0) crd_delete(study->alternative[--study->alternatives].y);
    crd_study_begin(study);
    double *scratch = crd_new((size_t)study->run->stepper.n, sizeof *scratch);
    CardanStatus status =
        crd_closing_open(&closing, study->run, study->targets, study->target, study->has_held ? study->held : NULL);
    if (scratch == NULL) status = crd_fail_memory(&study->error);
    if (status >= 0) status = assemble(study, &closing, starts, alternatives, scratch, &found);
    crd_closing_close(&closing);
    crd_delete(scratch);
    if (status >= 0) *out = found;
    return crd_study_end(study, status);
}
