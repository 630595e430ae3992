#include "study/same.h"

#include "analysis/sentences.h"
#include "build/fields.h"
#include "core/numbers.h"
#include "core/random.h"
#include "equations/element.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rows in lengths of the mechanism or rad (a second), and forces against the largest, that agree. Numbers that were
 * written and read again are off by rounding; what means something else is off by as much as bodies moved. */
#define CRD_SAME_ROWS 1e-10
#define CRD_SAME_FORCES 1e-8

/* Poses that are asked, and how far the furthest is, in lengths of the mechanism and rad. */
#define CRD_SAME_FAR 0.2
enum { SAME_POSES = 4 };

typedef struct Asking {
    CardanStudy *study, *other;
    CrdClosing closing;
    double *y, *dx; /* (n) a state; (nv) */
    uint64_t random;
} Asking;

/* Displacements or velocities, none of them further than this. */
static void wander(Asking *asking, double far, double *out) {
    const CrdStructure *structure = asking->study->model->structure;
    double size = asking->study->model->values.size;
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        int lengths = crd_block_lengths(structure, block);
        for (int k = 0; k < block->nv; k++)
            out[block->v + k] = far * crd_random(&asking->random) * (k < lengths ? size : 1.0);
    }
}

/* State number k in asking->y; false: there is none that the rows allow. */
static CardanStatus next_state(Asking *asking, const double *found, int k, bool *there) {
    CardanStudy *study = asking->study;
    double far = CRD_SAME_FAR * k / (SAME_POSES - 1);
    memcpy(asking->y, found, (size_t)study->run->stepper.n * sizeof *found);
    wander(asking, far, asking->dx);
    crd_move(study->model->structure, asking->dx, asking->y);
    CardanStatus status = crd_close(&asking->closing, study->t, asking->y);
    *there = status >= 0 && asking->closing.closed;
    if (status == CARDAN_ERR_NUMERIC) crd_error_clear(&study->error);
    if (!*there) return status == CARDAN_ERR_NUMERIC ? CARDAN_OK : status;
    wander(asking, 1.0, crd_integrator_v(study->run, asking->y));
    return crd_close_rates(study->run, study->t, asking->y, 0, NULL);
}

static CardanStatus put(CardanStudy *study, double t, const double *y) {
    CRD_TRY(cardan_study_set(study, t, y, y + study->model->structure->nq));
    return crd_study_evaluate(study);
}

/* ---- where they part ---- */

static CardanStatus refuse_rows(Asking *asking, const double *rows) {
    char list[CRD_MESSAGE_SIZE / 3] = "";
    CardanStudy *other = asking->other;
    CrdPlace place = crd_list_worst(asking->study->model, &other->dynamics->system, rows,
                                    crd_part_of_size(other->model, 1.0), CRD_SAME_ROWS, list, sizeof list);
    return crd_fail_at(&asking->study->error, CARDAN_ERR_MODEL, place,
                       "with bodies written where they are now the file would mean another mechanism: %s; coordinates "
                       "count from the pose as written, and so do places and axes that are not given by local",
                       list);
}

/* The loads of one force alone, in both. */
static CardanStatus force_differs(Asking *asking, int i, double most, bool *differs) {
    CardanStudy *const both[2] = {asking->study, asking->other};
    for (int k = 0; k < 2; k++)
        CRD_TRY(
            crd_one_force(both[k]->model, i, &both[k]->dynamics->actions, &both[k]->dynamics->system, &both[k]->error));
    *differs = false;
    for (int f = 0; f < asking->study->model->structure->frame_count; f++)
        for (int k = 0; k < 6; k++) {
            double one = both[0]->dynamics->system.loads[f][k], two = both[1]->dynamics->system.loads[f][k];
            *differs = *differs || fabs(one - two) > CRD_SAME_FORCES * most;
        }
    return CARDAN_OK;
}

/* force: -1: none of them, so that it is a compliant joint. */
static CardanStatus refuse_force(Asking *asking, int force) {
    const CrdForceDesc *desc = force >= 0 ? &asking->study->model->description->forces[force] : NULL;
    return crd_fail_at(&asking->study->error, CARDAN_ERR_MODEL, desc != NULL ? desc->place : (CrdPlace){0, 0},
                       "with bodies written where they are now %s%s%s would act otherwise: it counts a coordinate, or "
                       "takes a place or axis, from the pose as written",
                       desc != NULL ? "force '" : "", desc != NULL ? desc->name : "a compliant joint",
                       desc != NULL ? "'" : "");
}

static CardanStatus refuse_forces(Asking *asking, double most) {
    bool differs = false;
    int i = 0, count = asking->study->model->structure->force_count;
    for (; i < count && !differs; i++) CRD_TRY(force_differs(asking, i, most, &differs));
    return refuse_force(asking, differs ? i - 1 : -1);
}

/* ---- what no sample of poses shows: stops and laws that act only further away ---- */

/* Does a coordinate of the element count from elsewhere in the other? Rows of both are in their workspaces. */
static bool shifted(const Asking *asking, int element) {
    CardanStudy *const both[2] = {asking->study, asking->other};
    const CrdElement *e = &asking->study->model->structure->elements[element];
    bool differs = false;
    for (int c = 0;
         c < CRD_JOINT_COORDINATES && e->type == CRD_ELEMENT_JOINT && e->kind->coordinates[c] != CARDAN_COORDINATE_NONE;
         c++) {
        double x[2], rate;
        for (int k = 0; k < 2; k++) {
            CrdPair pair = crd_pair_of(both[k]->model->structure, &both[k]->dynamics->system, element);
            crd_joint_read(e->kind->coordinates[c], &both[k]->model->values.joints[element], &pair, &x[k], &rate);
        }
        differs = differs || fabs(x[0] - x[1]) > CRD_SAME_ROWS;
    }
    return differs;
}

static bool law_is_shifted(const Asking *asking, int force) {
    enum { VARIABLE_X = 1 }; /* of laws: t, x, v */
    const CrdStructure *structure = asking->study->model->structure;
    const CrdForceStructure *own = &structure->force_structures[force];
    const CrdForceDesc *desc = &asking->study->model->description->forces[force];
    CardanCoordinate which;
    int joint = crd_force_joint(desc, &which);
    bool counts = desc->type == CARDAN_FORCE_LIMIT;
    for (int k = 0; k < 3; k++) {
        const CrdExpr *law = structure->laws[3 * force + k];
        counts = counts || (law != NULL && crd_expr_uses(law, VARIABLE_X));
    }
    if (counts && joint > 0 && shifted(asking, structure->element_of_joint[joint - 1])) return true;
    for (int i = own->measure; i < own->measure + own->measures; i++) {
        const CrdLawMeasure *law = &structure->law_measures[structure->force_measures[i]];
        bool turn = law->measure >= CRD_JOINT_ROLL && law->measure <= CRD_JOINT_YAW;
        bool counted = law->measure == CRD_ANGLE || law->measure == CRD_DISPLACEMENT;
        if (turn || (counted && shifted(asking, law->object))) return true;
    }
    return false;
}

static CardanStatus look_at_laws(Asking *asking) {
    for (int i = 0; i < asking->study->model->structure->force_count; i++)
        if (law_is_shifted(asking, i)) return refuse_force(asking, i);
    return CARDAN_OK;
}

static CardanStatus compare(Asking *asking) {
    CardanStudy *study = asking->study, *other = asking->other;
    CRD_TRY(put(study, study->t, asking->y));
    CardanStatus status = put(other, study->t, asking->y);
    if (status < 0) return crd_fail(&study->error, status, "the rewritten file: %s", cardan_study_message(other));
    const CrdSystem *one = &study->dynamics->system, *two = &other->dynamics->system;
    const CrdAllowed allowed = crd_part_of_size(other->model, CRD_SAME_ROWS);
    const CrdStructure *structure = study->model->structure;
    for (int i = 0; i < structure->rows; i++)
        if (!crd_row_is_holonomic(structure, i)) two->g[i] = 0.0;
    if (crd_rows_excess(other->model, two, two->g, allowed, NULL) > 1.0) return refuse_rows(asking, two->g);
    if (crd_rows_excess(other->model, two, two->rate, allowed, NULL) > 1.0) return refuse_rows(asking, two->rate);
    double most = crd_max_abs(one->f, structure->nv), off = 0.0;
    for (int i = 0; i < structure->nv; i++) off = fmax(off, fabs(one->f[i] - two->f[i]));
    return off > CRD_SAME_FORCES * most ? refuse_forces(asking, most) : CARDAN_OK;
}

/* ---- the whole ---- */

static bool same_structure(const CrdStructure *one, const CrdStructure *two) {
    return one->nq == two->nq && one->nv == two->nv && one->rows == two->rows && one->frame_count == two->frame_count &&
           one->force_count == two->force_count && one->joint_count == two->joint_count;
}

static CardanStatus ask(Asking *asking, const double *found) {
    for (int k = 0; k < SAME_POSES; k++) {
        bool there = false;
        CRD_TRY(next_state(asking, found, k, &there));
        if (there) CRD_TRY(compare(asking));
        if (there && k == 0) CRD_TRY(look_at_laws(asking));
    }
    return CARDAN_OK;
}

CardanStatus crd_study_same(CardanStudy *study, CardanStudy *other) {
    const CrdStructure *structure = study->model->structure;
    if (!same_structure(structure, other->model->structure))
        return crd_fail(&study->error, CARDAN_ERR_MODEL, "the rewritten file has another structure");
    size_t n = (size_t)study->run->stepper.n, real = sizeof(double);
    Asking asking = {.study = study, .other = other, .random = 3};
    asking.y = crd_new(n, real);
    asking.dx = crd_new((size_t)structure->nv, real);
    double *found = crd_new(n, real);
    CardanStatus status = crd_closing_open(&asking.closing, study->run, 0, NULL, NULL);
    if (asking.y == NULL || asking.dx == NULL || found == NULL) status = crd_fail_memory(&study->error);
    if (found != NULL) memcpy(found, study->y, n * real);
    if (status >= 0) status = ask(&asking, found);
    if (found != NULL) memcpy(study->y, found, n * real);
    crd_stamp_clear(&study->dynamics->system.stamp);
    crd_closing_close(&asking.closing);
    CRD_DELETE_ALL(asking.y, asking.dx, found);
    return status;
}
