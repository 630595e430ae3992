#include "analysis/drives.h"

#include "analysis/sentences.h"
#include "core/numbers.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

/* Share of the terms of a sum, in velocities and in accelerations, from which it is a contradiction and no rounding. */
#define CRD_DRIVES_DISAGREE 1e-7

/* Share of the largest coefficient below which a row takes no part. */
#define CRD_DRIVES_PART 1e-6

/* What is left of a drive's row when others decide it: as accurate as they are known. */
#define CRD_DRIVES_HELD 1e-6

/* Times, evenly over the run, at which laws are compared where one pose tells for all. */
enum { LAW_TIMES = 32 };

/* A run that has no end is looked at for so long. */
#define CRD_DRIVES_LOOK 1.0 /* s */

typedef struct Drives {
    CrdIntegrator *run;
    CrdDynamics *d;
    CrdSpectrum spectrum;
    double t;
    const double *q, *v;
    bool moving;   /* v meets the constraints */
    bool *out;     /* (rows) of drives that are not known to be free */
    bool *element; /* (elements) with a part in what holds a drive */
    bool *named;   /* (elements) scratch */
    double *line;  /* (nv) */
    double *c;     /* (rows) coefficients */
    double *part;  /* (rows) the same of rows of length 1 */
    double *g;     /* (rows) at the start */
    CrdArena arena;
} Drives;

static void layout(Drives *dr, const CrdStructure *structure) {
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    dr->out = crd_take(&dr->arena, rows, sizeof *dr->out);
    dr->element = crd_take(&dr->arena, (size_t)structure->element_count, sizeof *dr->element);
    dr->named = crd_take(&dr->arena, (size_t)structure->element_count, sizeof *dr->named);
    dr->line = crd_take(&dr->arena, (size_t)structure->nv, real);
    CRD_TAKE_VECTORS(&dr->arena, rows, &dr->c, &dr->part);
    dr->g = crd_take(&dr->arena, rows, real);
}

/* line <- row i of G T; its length. */
static double take_line(Drives *dr, int i) {
    const CrdStructure *structure = dr->d->model->structure;
    const CrdElement *element = &structure->elements[structure->row_element[i]];
    memset(dr->line, 0, (size_t)structure->nv * sizeof *dr->line);
    for (int k = element->incidence; k < element->incidence + element->incidences; k++) {
        const CrdIncidence *in = &structure->incidences[k];
        memcpy(dr->line + in->v, dr->d->system.G + in->g + (i - element->first) * in->width,
               (size_t)in->width * sizeof *dr->line);
        crd_kinematic_root(dr->d->model, &dr->d->system, in->block, true, dr->line + in->v);
    }
    return cblas_dnrm2(structure->nv, dr->line, 1);
}

/* c, part <- row i in terms of the rows that are not out. false: it is free of them. */
static CardanStatus explain_row(Drives *dr, int i, bool *held) {
    CrdSpectrum *sp = &dr->spectrum;
    sp->left_alone = dr->out;
    CRD_TRY(crd_spectrum_take_kinematic(sp, &dr->d->system, false, dr->d->error));
    int rank = crd_spectrum_rank(sp, dr->d->redundancy.tolerance);
    double length = take_line(dr, i);
    memset(dr->part, 0, (size_t)sp->rows * sizeof *dr->part);
    for (int k = 0; k < rank; k++) {
        double along = cblas_ddot(sp->columns, sp->vt + k, sp->count, dr->line, 1);
        cblas_daxpy(sp->columns, -along, sp->vt + k, sp->count, dr->line, 1);
        cblas_daxpy(sp->rows, along / sp->sigma[k], sp->u + (size_t)k * (size_t)sp->rows, 1, dr->part, 1);
    }
    memcpy(dr->c, dr->part, (size_t)sp->rows * sizeof *dr->c);
    crd_spectrum_scale(sp, true, dr->c);
    *held = cblas_dnrm2(sp->columns, dr->line, 1) <= CRD_DRIVES_HELD * length;
    return CARDAN_OK;
}

/* Is |x_i - sum of c_j x_j| more than rounding? *off is that difference. */
static bool disagrees(const Drives *dr, int i, const double *x, double *off) {
    double size = crd_max_abs(x, dr->spectrum.rows);
    *off = x[i];
    for (int j = 0; j < dr->spectrum.rows; j++) {
        if (dr->out[j]) continue;
        *off -= dr->c[j] * x[j];
        size += fabs(dr->c[j] * x[j]);
    }
    return fabs(*off) > CRD_DRIVES_DISAGREE * size;
}

/* Marks elements with a part; counts the drives among them. */
static int mark_holders(Drives *dr) {
    const CrdStructure *structure = dr->d->model->structure;
    double max = crd_max_abs(dr->part, structure->rows);
    int drives = 0;
    memset(dr->element, 0, (size_t)structure->element_count * sizeof *dr->element);
    for (int j = 0; j < structure->rows; j++) {
        int e = structure->row_element[j];
        if (dr->out[j] || !(fabs(dr->part[j]) > CRD_DRIVES_PART * max) || dr->element[e]) continue;
        dr->element[e] = true;
        drives += crd_element_is_driven(&structure->elements[e]);
    }
    return drives;
}

/* The joint that a drive leads; itself where it is several or none. */
static const char *led_by(const CardanModel *model, int e) {
    const CrdElement *element = &model->structure->elements[e];
    bool one = element->type == CRD_ELEMENT_COUPLER && element->terms == 1;
    return crd_element_name(model, one ? model->structure->terms[element->term].element : e);
}

/* Names of the elements that hold a drive: of drives, or of the others. */
static CrdNameList holders(Drives *dr, bool driven) {
    const CrdStructure *structure = dr->d->model->structure;
    for (int e = 0; e < structure->element_count; e++)
        dr->named[e] = dr->element[e] && crd_element_is_driven(&structure->elements[e]) == driven;
    return crd_list_marked(dr->d->model, dr->named);
}

/* off: by how much the law of a drive differs from what the others leave it, m or rad, or by the unit per s. */
static CardanStatus refuse(Drives *dr, int e, double off, const char *unit, double t) {
    const CardanModel *model = dr->d->model;
    CrdNameList drives = holders(dr, true), others = holders(dr, false);
    CrdPlace place = model->description->joints[model->structure->elements[e].joint].place;
    if (drives.count == 0)
        return crd_fail_at(dr->d->error, CARDAN_ERR_MODEL, place,
                           "driver '%s' cannot move joint '%s': joints %s hold it, and its law is off by %.3g%s at t = "
                           "%.9g. Take the driver out, or free what holds it",
                           crd_element_name(model, e), led_by(model, e), others.text, off, unit, t);
    return crd_fail_at(dr->d->error, CARDAN_ERR_MODEL, place,
                       "driver '%s' of joint '%s' contradicts driver %s%s%s: it is off by %.3g%s at t = %.9g. Take one "
                       "of them out, or make their laws agree",
                       crd_element_name(model, e), led_by(model, e), drives.text,
                       others.count > 0 ? ", to which it is tied by joints " : "", others.text, off, unit, t);
}

/* Do rows of joints take part? Then the pose decides on the coefficients. */
static bool depends_on_pose(const Drives *dr, int drives) {
    const CrdStructure *structure = dr->d->model->structure;
    int others = 0;
    for (int e = 0; e < structure->element_count; e++)
        others += dr->element[e] && !crd_element_is_driven(&structure->elements[e]);
    return drives > 0 && others > 0;
}

/* Laws at later times, in the pose of the start. */
static CardanStatus compare_later(Drives *dr, int i) {
    CrdDynamics *dynamics = dr->d;
    int rows = dynamics->model->structure->rows;
    double end = dr->run->options.end > 0.0 ? dr->run->options.end : CRD_DRIVES_LOOK, off;
    CardanStatus status = CARDAN_OK;
    for (int k = 1; k <= LAW_TIMES && status >= 0; k++) {
        double t = dr->t + end * k / LAW_TIMES;
        CRD_TRY(crd_evaluate_constraints(dynamics, t, dr->q, dr->v));
        double most = CRD_DRIVES_DISAGREE * dynamics->model->values.span;
        for (int j = 0; j < rows; j++) dr->part[j] = dynamics->system.g[j] - dr->g[j];
        if (disagrees(dr, i, dr->part, &off) && fabs(off) > most) /* m or rad */
            status = refuse(dr, dynamics->model->structure->row_element[i], off, "", t);
    }
    CardanStatus back = crd_evaluate_constraints(dynamics, dr->t, dr->q, dr->v);
    return status < 0 ? status : back;
}

static CardanStatus judge(Drives *dr, int i) {
    CrdDynamics *dynamics = dr->d;
    const CrdStructure *structure = dynamics->model->structure;
    int e = structure->row_element[i], drives = mark_holders(dr);
    double off;
    if (disagrees(dr, i, dynamics->system.rate_t, &off)) return refuse(dr, e, off, " per s", dr->t);
    if (dr->moving && disagrees(dr, i, dynamics->system.gamma, &off)) return refuse(dr, e, off, " per s^2", dr->t);
    dynamics->redundancy.contested[e] = true;
    for (int k = 0; k < structure->element_count; k++)
        if (dr->element[k]) dynamics->redundancy.contested[k] = true;
    return depends_on_pose(dr, drives) ? CARDAN_OK : compare_later(dr, i);
}

/* Rows of drives one after another: each is free of the joints and of the drives before it, or held. */
static CardanStatus judge_all(Drives *dr) {
    const CrdStructure *structure = dr->d->model->structure;
    CRD_TRY(crd_evaluate_constraints(dr->d, dr->t, dr->q, dr->v));
    memcpy(dr->g, dr->d->system.g, (size_t)structure->rows * sizeof *dr->g);
    for (int i = 0; i < structure->rows; i++)
        dr->out[i] = crd_element_is_driven(&structure->elements[structure->row_element[i]]);
    for (int j = 0; j < structure->joint_count; j++) {
        const CrdElement *element = &structure->elements[structure->element_of_joint[j]];
        for (int i = element->first; crd_element_is_driven(element) && i < element->first + element->rows; i++) {
            bool held;
            CRD_TRY(explain_row(dr, i, &held));
            if (held) CRD_TRY(judge(dr, i));
            if (!held) dr->out[i] = false;
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_judge_drives(CrdIntegrator *integrator, double t, const double *q, const double *v, bool moving) {
    CrdDynamics *dynamics = &integrator->dynamics;
    Drives dr = {.run = integrator, .d = dynamics, .t = t, .q = q, .v = v, .moving = moving};
    layout(&dr, dynamics->model->structure);
    if (!crd_arena_allocate(&dr.arena)) return crd_fail_memory(dynamics->error);
    layout(&dr, dynamics->model->structure);
    assert(crd_arena_is_full(&dr.arena));
    CardanStatus status = crd_spectrum_open(&dr.spectrum, dynamics->model, dynamics->error);
    if (status >= 0) status = judge_all(&dr);
    crd_spectrum_close(&dr.spectrum);
    crd_arena_free(&dr.arena);
    return status;
}
