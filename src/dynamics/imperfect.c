#include "dynamics/imperfect.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Joints may open by so many tolerances of redundancy (RANK_AND_BRANCH 1.3). */
#define CRD_OPENING_MOST 10.0

/* Joints named in a sentence. */
enum { NAMED = 6 };

static void layout(CrdImperfect *im, const CrdStructure *structure) {
    size_t rows = (size_t)structure->rows, real = sizeof(double),
           rank = (size_t)(structure->rows < structure->nv ? structure->rows : structure->nv);
    im->released = crd_take(&im->arena, rows, sizeof *im->released);
    im->in_loop = crd_take(&im->arena, (size_t)structure->element_count, sizeof *im->in_loop);
    im->is_length = crd_take(&im->arena, rows, sizeof *im->is_length);
    CRD_TAKE_VECTORS(&im->arena, rows, &im->open, &im->rate);
    CRD_TAKE_VECTORS(&im->arena, rows * rank, &im->z, &im->z_inverse);
    im->product = crd_take(&im->arena, rows * rank, real);
    im->work = crd_take(&im->arena, rank, real);
    im->square = crd_take(&im->arena, rank * rank, real);
}

CardanStatus crd_imperfect_open(CrdDynamics *dynamics) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    const CrdStructure *structure = dynamics->model->structure;
    assert(crd_spectrum_fits(structure));
    crd_imperfect_close(im);
    layout(im, structure);
    if (!crd_arena_allocate(&im->arena)) return crd_fail_memory(dynamics->error);
    layout(im, structure);
    assert(crd_arena_is_full(&im->arena));
    for (int i = 0; i < structure->rows; i++) im->is_length[i] = crd_row_is_length(structure, &dynamics->system, i);
    if (dynamics->reveals) return CARDAN_OK;
    CRD_TRY(crd_spectrum_open(&dynamics->spectrum, dynamics->model, dynamics->error));
    dynamics->reveals = true;
    return CARDAN_OK;
}

void crd_imperfect_close(CrdImperfect *im) {
    crd_arena_free(&im->arena);
    memset(im, 0, sizeof *im);
}

/* The workspace holds rows that were not masked: they have to be evaluated again. */
static void begin(CrdDynamics *dynamics, CrdImperfection kind) {
    dynamics->redundancy.imperfect.kind = kind;
    dynamics->spectrum.left_alone = kind == CRD_RELEASED ? dynamics->redundancy.imperfect.released : NULL;
    crd_stamp_clear(&dynamics->system.stamp);
}

void crd_imperfect_release(CrdDynamics *dynamics) {
    begin(dynamics, CRD_RELEASED);
    crd_redundancy_release(dynamics);
}

void crd_imperfect_spread(CrdDynamics *dynamics, int rank) {
    assert(rank > 0 && rank <= dynamics->spectrum.count && dynamics->redundancy.count == 0);
    dynamics->redundancy.imperfect.rank = rank;
    begin(dynamics, CRD_SPREAD);
}

CardanStatus crd_imperfect_copy(CrdDynamics *to, const CrdDynamics *from) {
    const CrdImperfect *old = &from->redundancy.imperfect;
    CrdImperfect *im = &to->redundancy.imperfect;
    size_t rows = (size_t)to->model->structure->rows, elements = (size_t)to->model->structure->element_count;
    if (old->kind == CRD_PERFECT) return CARDAN_OK;
    CRD_TRY(crd_imperfect_open(to));
    memcpy(im->released, old->released, rows * sizeof *im->released);
    memcpy(im->in_loop, old->in_loop, elements * sizeof *im->in_loop);
    memcpy(im->is_length, old->is_length, rows * sizeof *im->is_length);
    memcpy(im->largest, old->largest, sizeof im->largest);
    im->size = old->size;
    im->rank = old->rank;
    im->top = old->top;
    begin(to, old->kind);
    return CARDAN_OK;
}

/* ---- rows ---- */

/* rows <- Z^+ Z rows. */
static void meet(CrdImperfect *im, int n, const double *from, double *rows) {
    cblas_dgemv(CblasColMajor, CblasTrans, n, im->rank, 1.0, im->z, n, from, 1, 0.0, im->work, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, im->rank, 1.0, im->z_inverse, n, im->work, 1, 0.0, rows, 1);
}

static void meet_all(CrdDynamics *dynamics) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    int n = dynamics->model->structure->rows;
    meet(im, n, im->open, dynamics->system.g);
    meet(im, n, im->rate, dynamics->system.rate);
}

void crd_imperfect_mask(CrdDynamics *dynamics) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    CrdSystem *system = &dynamics->system;
    int n = dynamics->model->structure->rows;
    if (im->kind == CRD_PERFECT) return;
    memcpy(im->open, system->g, (size_t)n * sizeof *im->open);
    memcpy(im->rate, system->rate, (size_t)n * sizeof *im->rate);
    if (im->kind == CRD_SPREAD && im->taken) meet_all(dynamics);
    for (int i = 0; im->kind == CRD_RELEASED && i < n; i++)
        if (im->released[i]) system->g[i] = system->rate[i] = 0.0;
}

/* ---- spread ---- */

bool crd_imperfect_is_spread(const CrdDynamics *dynamics) {
    return dynamics->redundancy.imperfect.kind == CRD_SPREAD;
}

static CardanStatus refuse_pose(CrdDynamics *dynamics) {
    const CardanModel *model = dynamics->model;
    char names[256] = "";
    int count = 0;
    for (int i = 0; i < model->structure->joint_count; i++) {
        if (!dynamics->redundancy.imperfect.in_loop[model->structure->element_of_joint[i]] || count++ >= NAMED)
            continue;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s'%.32s'", count == 1 ? "" : ", ",
                 model->description->joints[i].name);
    }
    return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                    "the loop %s%s is imperfect by %.1e and comes to a singular pose at t = %.9g: its branches do not "
                    "cross. Correct the joint data",
                    names, count > NAMED ? " and others" : "", dynamics->redundancy.imperfect.size, dynamics->system.t);
}

/* Z and Z^+ of the rows in the workspace. */
static CardanStatus take(CrdDynamics *dynamics) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    CrdSpectrum *sp = &dynamics->spectrum;
    size_t n = (size_t)sp->rows;
    CRD_TRY(crd_spectrum_take_kinematic(sp, &dynamics->system, false, dynamics->error));
    memcpy(im->z, sp->u, n * (size_t)im->rank * sizeof *im->z);
    memcpy(im->z_inverse, sp->u, n * (size_t)im->rank * sizeof *im->z);
    for (int k = 0; k < im->rank; k++) {
        crd_kinematic_rows_transposed(dynamics->model->structure, sp->factors, im->z + n * (size_t)k);
        crd_kinematic_rows_back(dynamics->model->structure, sp->factors, im->z_inverse + n * (size_t)k);
    }
    im->now = sp->sigma[im->rank - 1] / sp->sigma[0];
    im->top = im->top > 0.0 ? im->top : im->now;
    im->taken = true;
    return CARDAN_OK;
}

/* product <- S Z^T, S symmetric with its upper triangle given. */
static void multiply(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    size_t n = (size_t)structure->rows;
    memset(im->product, 0, n * (size_t)im->rank * sizeof *im->product);
    for (int c = 0; c < structure->rows; c++)
        for (int k = structure->s_start[c]; k < structure->s_start[c + 1]; k++) {
            int r = structure->s_row[k];
            cblas_daxpy(im->rank, dynamics->system.S[k], im->z + c, structure->rows, im->product + r, structure->rows);
            if (r != c)
                cblas_daxpy(im->rank, dynamics->system.S[k], im->z + r, structure->rows, im->product + c,
                            structure->rows);
        }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, im->rank, im->rank, structure->rows, 1.0, im->z,
                structure->rows, im->product, structure->rows, 0.0, im->square, im->rank);
}

CardanStatus crd_imperfect_factor(CrdDynamics *dynamics) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    CRD_TRY(take(dynamics));
    meet_all(dynamics);
    dynamics->monitor.singularity = fmin(1.0, im->now / im->top);
    if (dynamics->monitor.singularity < CRD_APPROACH) return refuse_pose(dynamics);
    multiply(dynamics);
    dynamics->work.factorisations++;
    int lost = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', im->rank, im->square, im->rank);
    if (lost == 0) return CARDAN_OK;
    /* Z has this rank, so it is S that has not: by its masses. */
    int n = dynamics->model->structure->rows;
    return crd_refuse_uneven(dynamics, (int)cblas_idamax(n, im->z + (size_t)n * (size_t)(lost - 1), 1));
}

void crd_imperfect_solve(CrdDynamics *dynamics, double *r) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    int n = dynamics->model->structure->rows;
    cblas_dgemv(CblasColMajor, CblasTrans, n, im->rank, 1.0, im->z, n, r, 1, 0.0, im->work, 1);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', im->rank, 1, im->square, im->rank, im->work, im->rank);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, im->rank, 1.0, im->z, n, im->work, 1, 0.0, r, 1);
}

void crd_imperfect_accept(CrdDynamics *dynamics) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    im->top = fmax(im->top, im->now);
}

/* ---- the watch ---- */

/* What a row may be open by, m or rad. */
static double allowed(const CrdDynamics *dynamics, int row) {
    double scale = dynamics->redundancy.imperfect.is_length[row] ? dynamics->model->values.span : 1.0;
    return CRD_OPENING_MOST * dynamics->redundancy.tolerance * scale;
}

CardanStatus crd_imperfect_check(CrdDynamics *dynamics) {
    const CrdImperfect *im = &dynamics->redundancy.imperfect;
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; im->kind != CRD_PERFECT && i < structure->rows; i++) {
        if (fabs(im->open[i]) <= allowed(dynamics, i)) continue;
        return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                        "joint '%s' opened by %.2g %s at t = %.9g, more than %g times redundancy: %g%s. Correct the "
                        "joint data, or set redundancy higher",
                        crd_element_name(dynamics->model, structure->row_element[i]), fabs(im->open[i]),
                        im->is_length[i] ? "m" : "rad", dynamics->system.t, CRD_OPENING_MOST,
                        dynamics->redundancy.tolerance, im->is_length[i] ? " in lengths of the mechanism" : "");
    }
    return CARDAN_OK;
}

void crd_imperfect_watch(CrdDynamics *dynamics) {
    CrdImperfect *im = &dynamics->redundancy.imperfect;
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; im->kind != CRD_PERFECT && i < structure->rows; i++) {
        CrdOpening *largest = &im->largest[im->is_length[i]];
        if (!(fabs(im->open[i]) > largest->size)) continue;
        *largest = (CrdOpening){fabs(im->open[i]), dynamics->system.t, structure->row_element[i]};
    }
}
