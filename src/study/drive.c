#include "study/drive.h"

#include "analysis/sentences.h"
#include "core/numbers.h"
#include "core/random.h"
#include "study/operators.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A correction that is larger than this part of the predicted move, plus what rounding may be, doubts the step. */
#define CRD_DRIVE_AGREES 0.2
#define CRD_DRIVE_ROUNDING 1e-9

/* Largest predicted move of a step, in lengths of the mechanism or rad. */
#define CRD_DRIVE_REACH 0.2

/* Steps of less than this part of the way are not tried: there is a dead point. */
#define CRD_DRIVE_LEAST 1e-7

/* A motion that is left to a random one, against it: beyond it the mechanism is not fully driven. */
#define CRD_DRIVE_FREE 1e-6

/* Softening of rows; while some motion is left it is made less, to what rounding bears: a driven chain of 10,000 links
 * is held by a row that a motion of size 1 moves by 1e-8. A motion that no row holds stays whatever it is. */
#define CRD_DRIVE_SOFT 1e-9
#define CRD_DRIVE_LESS 1e-3
#define CRD_DRIVE_SOFT_MIN 1e-18
enum { FREE_PASSES = 5 };

CardanStatus crd_drive_open(CrdDrive *drive, CardanStudy *study, CrdCoordinateRow *extra, double rate) {
    *drive = (CrdDrive){.study = study, .extra = extra, .rate = rate};
    drive->y = crd_new((size_t)study->run->stepper.n, sizeof(double));
    drive->dx = crd_new((size_t)study->model->structure->nv, sizeof(double));
    if (drive->y == NULL || drive->dx == NULL) return crd_fail_memory(&study->error);
    return crd_closing_open(&drive->closing, study->run, extra != NULL ? 1 : 0, extra, NULL);
}

void crd_drive_close(CrdDrive *drive) {
    if (drive->study == NULL) return;
    crd_closing_close(&drive->closing);
    CRD_DELETE_ALL(drive->y, drive->dx);
    *drive = (CrdDrive){0};
}

/* ---- motion ---- */

CardanStatus crd_drive_motion(CrdDrive *drive, double *effort) {
    CardanStudy *study = drive->study;
    double value = drive->extra != NULL ? drive->extra->value : 0.0;
    if (drive->extra != NULL) drive->extra->value = drive->rate; /* as a rate */
    CardanStatus status = crd_close_rates(study->run, study->t, study->y, drive->extra != NULL ? 1 : 0, drive->extra);
    if (drive->extra != NULL) drive->extra->value = value;
    CRD_TRY(status);
    CRD_TRY(crd_study_evaluate(study));
    crd_saddle_evaluate(&drive->closing.saddle);
    return crd_study_solve_motion(study, &drive->closing.saddle, effort);
}

/* ---- is it driven? ---- */

static void name_moving(CrdDrive *drive, const double *x, char *list, size_t size) {
    CardanStudy *study = drive->study;
    const CrdStructure *structure = study->model->structure;
    double most = 0.0;
    for (int pass = 0, named = 0; pass < 2; pass++)
        for (int j = 0; j < structure->joint_count && named < 4; j++) {
            CrdCoordinateRow row;
            if (crd_study_coordinate(study, j + 1, &row) < 0) continue;
            CrdSaddle *saddle = &drive->closing.saddle;
            double rate = fabs(crd_coordinate_along(saddle, &row, x));
            if (pass == 0) most = fmax(most, rate);
            if (pass == 0 || !(rate > 0.3 * most)) continue;
            crd_say(list, size, "%s'%s'", named++ == 0 ? "" : ", ", crd_element_name(study->model, row.element));
        }
}

static bool is_driven(const CrdDrive *drive) {
    const CrdStructure *structure = drive->study->model->structure;
    bool driven = drive->extra != NULL;
    for (int e = 0; e < structure->element_count; e++)
        driven = driven || crd_element_is_driven(&structure->elements[e]);
    return driven;
}

/* [W G^T; G -eps] [x; y] = [W r; 0]: what the rows leave of a motion x; each pass takes eps / sigma^2 of what is held,
 * nothing of the rest. */
static CardanStatus hold_back(CrdSaddle *saddle, double eps) {
    double *x = saddle->sparse.x;
    CRD_TRY(crd_saddle_factor(saddle, 1.0, eps, false));
    for (int pass = 0; pass < FREE_PASSES; pass++) {
        memset(x + saddle->nv, 0, (size_t)(saddle->rows + saddle->extras) * sizeof *x);
        CRD_TRY(crd_saddle_solve(saddle));
    }
    return CARDAN_OK;
}

/* Of a random motion, in saddle->sparse.x. */
static CardanStatus leave_free(CrdDrive *drive) {
    CrdSaddle *saddle = &drive->closing.saddle;
    double *x = saddle->sparse.x;
    uint64_t random = 5;
    CardanStatus status = CARDAN_OK;
    for (int i = 0; i < saddle->rows; i++) saddle->scale[i] = 1.0;
    for (int i = 0; i < saddle->nv; i++) saddle->weight[i] = 1.0;
    for (int i = 0; i < saddle->nv; i++) x[i] = crd_random(&random);
    saddle->weighted = true;
    for (double eps = CRD_DRIVE_SOFT; eps >= CRD_DRIVE_SOFT_MIN && status >= 0; eps *= CRD_DRIVE_LESS) {
        status = hold_back(saddle, eps);
        if (crd_max_abs(x, saddle->nv) <= CRD_DRIVE_FREE) break;
    }
    saddle->weighted = false;
    return status;
}

CardanStatus crd_drive_judge(CrdDrive *drive) {
    CardanStudy *study = drive->study;
    const double *x = drive->closing.saddle.sparse.x;
    char list[CRD_MESSAGE_SIZE / 2] = "";
    if (!is_driven(drive))
        return crd_fail(&study->error, CARDAN_ERR_MODEL,
                        "nothing drives the mechanism: give it a joint of type driver, or sweep a joint's coordinate");
    CRD_TRY(leave_free(drive));
    if (crd_max_abs(x, drive->closing.saddle.nv) <= CRD_DRIVE_FREE) return CARDAN_OK;
    name_moving(drive, x, list, sizeof list);
    return crd_fail(
        &study->error, CARDAN_ERR_MODEL,
        "the drives leave the mechanism free to move%s%s: several motions are possible, drive as many joints "
        "as there are degrees of freedom",
        list[0] != '\0' ? ", at joints " : "", list);
}

/* ---- steps ---- */

/* One step to s from the state with its motion; *good: the branch was kept, and the state is the new one. */
static CardanStatus try_step(CrdDrive *drive, double s, bool *good) {
    CardanStudy *study = drive->study;
    const CrdStructure *structure = study->model->structure;
    double ds = (s - drive->s) / drive->rate, *v = crd_study_v(study), effort;
    size_t bytes = (size_t)study->run->stepper.n * sizeof(double);
    *good = false;
    for (int i = 0; i < structure->nv; i++) drive->dx[i] = ds * (v[i] + 0.5 * ds * study->a[i]);
    double predicted = crd_reach(study->model, drive->dx);
    if (!(predicted <= CRD_DRIVE_REACH)) return CARDAN_OK;
    memcpy(drive->y, study->y, bytes);
    crd_move(structure, drive->dx, drive->y);
    memcpy(drive->closing.y, drive->y, (size_t)structure->nq * sizeof(double));
    if (drive->extra != NULL) drive->extra->value = s;
    double t = drive->extra != NULL ? study->t : s;
    CardanStatus status = crd_close(&drive->closing, t, drive->y);
    if (status == CARDAN_ERR_NUMERIC || (status >= 0 && !drive->closing.closed)) return CARDAN_OK;
    CRD_TRY(status);
    crd_displacement(structure, drive->closing.y, drive->y, drive->dx);
    if (!(crd_reach(study->model, drive->dx) <= CRD_DRIVE_AGREES * predicted + CRD_DRIVE_ROUNDING)) return CARDAN_OK;
    memcpy(study->y, drive->y, bytes);
    study->t = t;
    drive->s = s;
    *good = true;
    return crd_drive_motion(drive, &effort);
}

CardanStatus crd_drive_to(CrdDrive *drive, double s) {
    double way = s - drive->s, part = way;
    assert(drive->rate != 0.0);
    while (drive->s != s) {
        bool good = false;
        double left = s - drive->s, to = fabs(part) >= fabs(left) ? s : drive->s + part;
        CardanStatus status = try_step(drive, to, &good);
        if (status == CARDAN_ERR_NUMERIC) good = false;
        if (status < 0 && status != CARDAN_ERR_NUMERIC) return status;
        crd_error_clear(&drive->study->error);
        part = good ? 2.0 * part : 0.5 * part;
        if (good || fabs(part) > CRD_DRIVE_LEAST * fabs(way)) continue;
        return crd_drive_dead(drive, way);
    }
    return CARDAN_OK;
}

/* ---- public ---- */

static CardanStatus begin_at(CrdDrive *drive, double s, double *effort) {
    CardanStudy *study = drive->study;
    if (drive->extra != NULL) drive->extra->value = s;
    CRD_TRY(crd_close(&drive->closing, study->t, study->y));
    if (!drive->closing.closed) return CARDAN_ERR_NUMERIC;
    drive->s = s;
    CardanStatus status = crd_drive_judge(drive);
    if (status == CARDAN_ERR_MODEL && crd_drive_stands_dead(drive)) return CARDAN_ERR_NUMERIC;
    CRD_TRY(status);
    return crd_drive_motion(drive, effort);
}

/* From where the coordinate is now, or the time. */
static CardanStatus drive_to(CardanStudy *study, CrdDrive *drive, double s, CardanDriven *out) {
    double from = study->t;
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, study->y));
    if (drive->extra != NULL) {
        crd_saddle_evaluate(&drive->closing.saddle);
        from = drive->extra->x;
    }
    CardanStatus status = begin_at(drive, from, &out->effort);
    if (status == CARDAN_ERR_NUMERIC && study->error.text[0] == '\0')
        return crd_fail(&study->error, CARDAN_ERR_NUMERIC,
                        "the mechanism does not close where it is: assemble it first");
    CRD_TRY(status);
    CRD_TRY(crd_drive_to(drive, s));
    CRD_TRY(crd_drive_motion(drive, &out->effort));
    return CARDAN_OK;
}

static CardanStatus drive(CardanStudy *study, CrdCoordinateRow *extra, double s, double rate, CardanDriven *out) {
    CrdDrive drive = {0};
    CardanDriven found = {0};
    double t = study->t;
    study->dead.known = false;
    crd_study_begin(study);
    CardanStatus status = crd_drive_open(&drive, study, extra, rate);
    if (status >= 0) status = drive_to(study, &drive, s, &found);
    crd_drive_close(&drive);
    if (status >= 0 && out != NULL) *out = found;
    if (status < 0) study->t = t;
    return crd_study_end(study, status);
}

CardanStatus cardan_study_kinematics(CardanStudy *study, double t, CardanDriven *out) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    if (!isfinite(t)) return crd_study_refuse(study, "the time is not finite");
    return drive(study, NULL, t, 1.0, out);
}

CardanStatus cardan_study_sweep(CardanStudy *study, CardanJoint joint, double value, double rate, CardanDriven *out) {
    CRD_TRY(crd_study_need_joint(study, joint));
    if (!isfinite(value) || !isfinite(rate) || rate == 0.0)
        return crd_study_refuse(study, "a coordinate is swept to a finite value at a rate that is not 0");
    CrdCoordinateRow row;
    CRD_TRY(crd_study_coordinate(study, joint.index, &row));
    return drive(study, &row, value, rate, out);
}

CardanStatus cardan_study_dead_point(CardanStudy *study, double *at, double *q) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    if (!study->dead.known) return crd_study_refuse(study, "the last sweep met no dead point");
    if (at != NULL) *at = study->dead.s;
    if (q != NULL) memcpy(q, study->dead.y, (size_t)study->model->structure->nq * sizeof *q);
    return CARDAN_OK;
}
