/* Can bodies move as a steady motion asks, and is it steady at later times too? */
#include "study/steady.h"

#include "core/numbers.h"
#include "equations/row_units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Rates and accelerations of rows that are off by more, against those of the bodies, are not met: far above rounding of
 * sums along trees, far below what a joint that moves leaves. */
#define CRD_STEADY_OFF 1e-8

/* How far a motion is followed to see whether it lasts, in rad of its fastest rate; and by which part of their size
 * accelerations that the loads give there may differ from those of the motion: steps of second order leave 1e-6. */
#define CRD_STEADY_AHEAD 0.8
#define CRD_STEADY_CHANGED 1e-4
enum { AHEAD_STEPS = 100 };

/* ---- can it be? ---- */

/* The row that is off most against a size. */
static int worst_row(const CardanModel *model, const CrdSystem *system, const double *off, double size, double *most) {
    CrdAllowed one = crd_part_of_size(model, size);
    int worst = 0;
    *most = 0.0;
    for (int i = 0; i < model->structure->rows; i++) {
        double part = fabs(off[i]) / crd_allowed_row(model, system, model->structure->row_element[i], i, one);
        if (!(part > *most)) continue;
        *most = part;
        worst = i;
    }
    return worst;
}

CardanStatus crd_steady_check(CrdSteady *steady) {
    CardanStudy *study = steady->study;
    const CardanModel *model = study->model;
    const CrdSystem *system = &study->dynamics->system;
    double speed = crd_reach(model, crd_study_v(study)), faster = fmax(crd_reach(model, steady->a), speed * speed),
           most;
    int row = worst_row(model, system, system->rate, fmax(speed, CRD_NUMBER_MIN), &most);
    if (most <= CRD_STEADY_OFF) {
        double *off = study->outer;
        for (int i = 0; i < model->structure->rows; i++) off[i] = -system->gamma[i];
        crd_times_g(model->structure, system->G, steady->a, off);
        row = worst_row(model, system, off, fmax(faster, CRD_NUMBER_MIN), &most);
    }
    if (most <= CRD_STEADY_OFF) return CARDAN_OK;
    return crd_fail(&study->error, CARDAN_ERR_MODEL,
                    "no steady motion: with these rates, and all other joints at rest, joint '%s' would open; give the "
                    "rates of all joints that move (a coupled one too), or there is none",
                    crd_element_name(model, model->structure->row_element[row]));
}

/* ---- does it last? ---- */

/* Displacements of all bodies along their screws over a time h: places by the closed form of a constant screw,
 *     r(h) - r = (h + (1 - cos th) [w] / w^2 + (th - sin th) [w]^2 / w^3) v,        th = w h
 * turns so that a normalised quaternion is moved by th. */
static void along_screws(const CrdSteady *steady, double h, double *dx) {
    const CrdStructure *structure = steady->study->model->structure;
    const CardanFrame *frames = steady->study->dynamics->system.frames;
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        CrdScrew xi = steady->twist[block->frame];
        CrdVec v = crd_add(xi.u, crd_cross(xi.w, frames[block->frame].x)), cross = crd_cross(xi.w, v);
        double w = crd_norm(xi.w), th = w * h;
        double first = w > 0.0 ? 2.0 * pow(sin(0.5 * th) / w, 2) : 0.0;
        double second = w > 0.0 ? (th - sin(th)) / (w * w * w) : 0.0;
        CrdVec along = crd_axpy(crd_axpy(crd_scale(h, v), first, cross), second, crd_cross(xi.w, cross));
        CrdVec turn =
            crd_scale(w > 0.0 ? 2.0 * tan(0.5 * th) / w : 0.0, crd_apply_t(frames[block->frame].rotation, xi.w));
        const double number[6] = {along.x, along.y, along.z, turn.x, turn.y, turn.z};
        for (int k = 0; k < block->nv; k++) dx[block->v + k] = number[k];
        if (block->kind == CRD_PLANAR_BODY) dx[block->v + 2] = h * xi.w.z;
    }
}

/* The pose of y a time h later, by screws in the middle of it. middle: (n), then dx (nv). */
static CardanStatus go_on(CrdSteady *steady, double h, double *y, double *middle) {
    CardanStudy *study = steady->study;
    double *dx = middle + study->run->stepper.n;
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, y));
    crd_steady_motion(steady, dx);
    memcpy(middle, y, (size_t)study->run->stepper.n * sizeof *y);
    along_screws(steady, 0.5 * h, dx);
    crd_move(study->model->structure, dx, middle);
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, middle));
    crd_steady_motion(steady, dx);
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, y)); /* places are those of the beginning */
    along_screws(steady, h, dx);
    crd_move(study->model->structure, dx, y);
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, y));
    return crd_integrator_track(study->run, y);
}

/* Screws of joints that stand on the ground do not change: one step is exact. */
static int steps_ahead(const CrdSteady *steady) {
    for (int i = 0; i < steady->frames; i++)
        if (steady->over[i] >= 0 && steady->parent[i] != 0) return AHEAD_STEPS;
    return 1;
}

/* Accelerations that the loads give at y against those of the motion. */
static CardanStatus compare(CrdSteady *steady, CrdSaddle *saddle, double *y, double *off) {
    CardanStudy *study = steady->study;
    const CardanModel *model = study->model;
    double *kept = study->y, effort;
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, y));
    crd_steady_motion(steady, y + model->structure->nq);
    study->y = y;
    crd_stamp_clear(&study->dynamics->system.stamp);
    CardanStatus status = crd_study_evaluate(study);
    crd_saddle_evaluate(saddle);
    if (status >= 0) status = crd_study_solve_motion(study, saddle, &effort);
    study->y = kept;
    CRD_TRY(status);
    double size = fmax(crd_reach(model, steady->a), crd_reach(model, study->a));
    size = fmax(size, crd_norm(model->values.gravity) / model->values.size);
    for (int i = 0; i < model->structure->nv; i++) study->a[i] -= steady->a[i];
    *off = crd_reach(model, study->a) / fmax(size, CRD_NUMBER_MIN);
    return CARDAN_OK;
}

/* What keeps rates: of pins and of drives, in the order of steady->rate; what multipliers mean is the same at all
 * times.
 */
static void efforts_of(const CrdSteady *steady, const double *mu, double *out) {
    const CrdStructure *structure = steady->study->model->structure;
    int pins = 0, drives = 0;
    for (int e = 0; e < structure->element_count; e++)
        if (crd_element_is_driven(&structure->elements[e]) && structure->elements[e].terms == 1)
            out[drives++] = steady->study->lambda[structure->elements[e].first];
    for (int i = 0; i < steady->given; i++)
        if (!steady->rate[i].driven) out[drives + pins] = mu[pins], pins++;
    assert(drives + pins == steady->given);
}

/* Drives whose rates are others at a later time; -1: none. */
static CardanStatus changing_drive(CrdSteady *steady, double later, const double *y, int *which) {
    CardanStudy *study = steady->study;
    const CrdStructure *structure = study->model->structure;
    int drive = 0;
    *which = -1;
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t + later, y));
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        if (!crd_element_is_driven(element) || element->terms != 1) continue;
        double rate =
            -study->dynamics->system.rate_t[element->first] / study->model->values.coefficients[element->term];
        double given = steady->rate[drive++].rate;
        if (fabs(rate - given) > CRD_STEADY_CHANGED * fabs(given)) *which = e;
    }
    return CARDAN_OK;
}

static CardanStatus go_ahead(CrdSteady *steady, double time, double *y, double *scratch) {
    int steps = steps_ahead(steady);
    for (int i = 0; i < steps; i++) CRD_TRY(go_on(steady, time / steps, y, scratch));
    return CARDAN_OK;
}

/* Of efforts, against the largest and what acts. */
static double difference(const CrdSteady *steady, const double *now, const double *then) {
    const CardanModel *model = steady->study->model;
    double acts = crd_max_abs(steady->study->dynamics->system.f, model->structure->nv) * fmin(model->values.size, 1.0);
    double most = fmax(fmax(acts, crd_max_abs(now, steady->given)), CRD_NUMBER_MIN), off = 0.0;
    for (int i = 0; i < steady->given; i++) off = fmax(off, fabs(then[i] - now[i]) / most);
    return off;
}

/* room: y (n), scratch (n + nv), efforts now and later. */
static CardanStatus look_ahead(CrdSteady *steady, CrdSaddle *saddle, double time, double *room, double *off) {
    CardanStudy *study = steady->study;
    const CardanModel *model = study->model;
    size_t n = (size_t)study->run->stepper.n;
    double *now = room + 2 * n + (size_t)model->structure->nv, *then = now + steady->given;
    int drive;
    memcpy(room, study->y, n * sizeof *room);
    efforts_of(steady, steady->mu, now);
    CRD_TRY(go_ahead(steady, time, room, room + n));
    CRD_TRY(compare(steady, saddle, room, off));
    efforts_of(steady, saddle->sparse.x + saddle->nv + saddle->rows, then);
    *off = fmax(*off, difference(steady, now, then));
    CRD_TRY(changing_drive(steady, time, room, &drive));
    if (drive < 0) return CARDAN_OK;
    return crd_fail(
        &study->error, CARDAN_ERR_MODEL,
        "no steady motion: drive '%s' has another rate %.3g s later; hold it, or look at the motion over time "
        "by kinematics",
        crd_element_name(model, drive), time);
}

CardanStatus crd_steady_lasts(CrdSteady *steady, CrdSaddle *saddle) {
    CardanStudy *study = steady->study;
    const CrdStructure *structure = study->model->structure;
    size_t n = (size_t)study->run->stepper.n, rows = (size_t)structure->rows, nv = (size_t)structure->nv;
    double most = 0.0, off = 0.0, *room = crd_new(2 * n + nv + 2 * (size_t)steady->given + rows, sizeof *room);
    if (room == NULL) return crd_fail_memory(&study->error);
    double *lambda = room + 2 * n + nv + 2 * (size_t)steady->given;
    for (int i = 0; i < steady->given; i++) most = fmax(most, fabs(steady->rate[i].rate));
    memcpy(lambda, study->lambda, rows * sizeof *lambda);
    CardanStatus status = most > 0.0 ? look_ahead(steady, saddle, CRD_STEADY_AHEAD / most, room, &off) : CARDAN_OK;
    memcpy(study->lambda, lambda, rows * sizeof *lambda);
    crd_delete(room);
    crd_stamp_clear(&study->dynamics->system.stamp);
    CRD_TRY(status);
    if (off <= CRD_STEADY_CHANGED) return CARDAN_OK;
    return crd_fail(&study->error, CARDAN_ERR_MODEL,
                    "a pose is in balance at these rates, but the motion is not steady: the loads change as it goes on "
                    "(gravity across an axis, a spring to the ground); they differ by %.3g of their size later",
                    off);
}
