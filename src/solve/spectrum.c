#include "solve/spectrum.h"

#include "core/numbers.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

bool crd_spectrum_fits(const CrdShape *s) {
    return (long long)s->rows * s->nv <= CRD_DENSE_LOOK;
}

static void layout(CrdSpectrum *sp, const CrdShape *s) {
    CrdArena *arena = &sp->arena;
    size_t rows = (size_t)sp->rows, columns = (size_t)sp->columns, count = (size_t)sp->count, real = sizeof(double);
    sp->held = crd_take(arena, (size_t)s->block_count, sizeof *sp->held);
    crd_mass_root_layout(&sp->root, s, arena);
    sp->b = crd_take(arena, rows * columns, real);
    sp->scale = crd_take(arena, rows, real);
    sp->u = crd_take(arena, rows * count, real);
    sp->sigma = crd_take(arena, count, real);
    sp->vt = crd_take(arena, count * columns, real);
    sp->y = crd_take(arena, columns, real);
    sp->c = crd_take(arena, rows, real);
    sp->work = crd_take(arena, (size_t)sp->work_size, real);
    sp->index = crd_take(arena, 8 * count + rows, sizeof *sp->index); /* of dgesdd, or of dgeqp3 */
}

CardanStatus crd_spectrum_open(CrdSpectrum *sp, const CardanModel *model, CrdError *error) {
    const CrdShape *s = model->shape;
    memset(sp, 0, sizeof *sp);
    sp->model = model;
    sp->rows = s->rows;
    sp->columns = s->nv;
    sp->count = s->rows < s->nv ? s->rows : s->nv;
    int rows = sp->rows > 0 ? sp->rows : 1, count = sp->count > 0 ? sp->count : 1;
    double size = 0.0;
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', sp->rows, sp->columns, NULL, rows, NULL, NULL, rows,
                                          NULL, count, &size, -1, NULL);
    if (info != 0)
        return crd_fail(error, CARDAN_ERR_INTERNAL, "LAPACK refused a %d x %d matrix", sp->rows, sp->columns);
    sp->work_size = (int)fmax(size, crd_spectrum_qr_work(sp)) + 1;
    layout(sp, s);
    if (!crd_arena_allocate(&sp->arena)) return crd_fail_memory(error);
    layout(sp, s);
    crd_spectrum_use(sp, model);
    return CARDAN_OK;
}

void crd_spectrum_use(CrdSpectrum *sp, const CardanModel *model) {
    sp->model = model;
    crd_mass_root_use(&sp->root, model);
}

void crd_spectrum_close(CrdSpectrum *sp) {
    crd_delete(sp->arena.base);
    memset(sp, 0, sizeof *sp);
}

/* ---- roots of M ---- */

/* x <- L^-1 x, or L^-T x, for the numbers of a coordinate block. */
static void block_root(const CrdSpectrum *sp, const CrdSystem *w, int index, bool transposed, double *x) {
    if (sp->held[index])
        memset(x, 0, (size_t)sp->model->shape->blocks[index].nv * sizeof *x);
    else
        crd_mass_root_solve(&sp->root, w, index, transposed, x);
}

void crd_spectrum_velocities(const CrdSpectrum *sp, const CrdSystem *w, const double *y, double *x) {
    memcpy(x, y, (size_t)sp->columns * sizeof *x);
    for (int i = 0; i < sp->model->shape->block_count; i++)
        block_root(sp, w, i, true, x + sp->model->shape->blocks[i].v);
}

/* ---- the decomposition ---- */

/* b = G L^-T; rows of an element and a block at a time. */
static void fill(CrdSpectrum *sp, const CrdSystem *w, bool holonomic) {
    const CrdShape *s = sp->model->shape;
    size_t rows = (size_t)sp->rows;
    memset(sp->b, 0, rows * (size_t)sp->columns * sizeof *sp->b);
    for (int i = 0; i < s->incidence_count; i++) {
        const CrdIncidence *in = &s->incidences[i];
        const CrdElement *element = &s->elements[in->element];
        for (int r = 0; r < (holonomic ? element->holonomic : in->rows); r++) {
            memcpy(sp->y, w->G + in->g + r * in->width, (size_t)in->width * sizeof *sp->y);
            block_root(sp, w, in->block, false, sp->y);
            for (int k = 0; k < in->width; k++)
                sp->b[(size_t)(element->first + r) + rows * (size_t)(in->v + k)] = sp->y[k];
        }
    }
}

/* Scales the rows of b to length 1. false: there is a number that is none. */
static bool scale_rows(CrdSpectrum *sp) {
    size_t rows = (size_t)sp->rows;
    for (size_t r = 0; r < rows; r++) {
        double length = cblas_dnrm2(sp->columns, sp->b + r, sp->rows);
        if (!isfinite(length)) return false;
        sp->scale[r] = length > 0.0 ? 1.0 / length : 1.0;
        cblas_dscal(sp->columns, sp->scale[r], sp->b + r, sp->rows);
    }
    return true;
}

CardanStatus crd_spectrum_fill(CrdSpectrum *sp, const CrdSystem *w, bool holonomic, CrdError *error) {
    fill(sp, w, holonomic);
    if (scale_rows(sp)) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_NUMERIC, "the constraint rows are not finite at t = %.9g", w->t);
}

CardanStatus crd_spectrum_take(CrdSpectrum *sp, const CrdSystem *w, bool holonomic, CrdError *error) {
    if (sp->count == 0) return CARDAN_OK;
    CRD_TRY(crd_spectrum_fill(sp, w, holonomic, error));
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', sp->rows, sp->columns, sp->b, sp->rows, sp->sigma,
                                          sp->u, sp->rows, sp->vt, sp->count, sp->work, sp->work_size, sp->index);
    if (info == 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_NUMERIC,
                    "the singular values of the constraint rows did not converge at t = %.9g", w->t);
}

int crd_spectrum_rank(const CrdSpectrum *sp, double tolerance) {
    int rank = 0;
    while (rank < sp->count && sp->sigma[rank] > tolerance * sp->sigma[0]) rank++;
    return rank;
}

/* ---- what it is good for ---- */

void crd_spectrum_correct(CrdSpectrum *sp, const CrdSystem *w, const double *r, int rank, double *x) {
    memset(sp->y, 0, (size_t)sp->columns * sizeof *sp->y);
    for (int i = 0; i < sp->rows; i++) sp->c[i] = sp->scale[i] * r[i];
    for (int k = 0; k < rank; k++) {
        double part = cblas_ddot(sp->rows, sp->u + (size_t)k * (size_t)sp->rows, 1, sp->c, 1);
        cblas_daxpy(sp->columns, -part / sp->sigma[k], sp->vt + k, sp->count, sp->y, 1);
    }
    crd_spectrum_velocities(sp, w, sp->y, x);
}

void crd_spectrum_feasible(CrdSpectrum *sp, const CrdSystem *w, int rank, double *x) {
    memcpy(sp->y, x, (size_t)sp->columns * sizeof *sp->y);
    for (int k = 0; k < rank; k++) {
        double part = cblas_ddot(sp->columns, sp->vt + k, sp->count, sp->y, 1);
        cblas_daxpy(sp->columns, -part, sp->vt + k, sp->count, sp->y, 1);
    }
    crd_spectrum_velocities(sp, w, sp->y, x);
}

void crd_spectrum_parts(const CrdSpectrum *sp, int rank, double *square, double *part) {
    size_t rows = (size_t)sp->rows;
    memset(square, 0, rows * rows * sizeof *square);
    for (size_t i = 0; i < rows; i++) square[i + rows * i] = 1.0;
    if (rank > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, sp->rows, sp->rows, rank, -1.0, sp->u, sp->rows, sp->u,
                    sp->rows, 1.0, square, sp->rows);
    for (size_t i = 0; i < rows; i++) part[i] = cblas_dnrm2(sp->rows, square + i * rows, 1);
}

/* line <- line i of I - U U^T. */
static void line_left(const CrdSpectrum *sp, int rank, int i, double *line) {
    memset(line, 0, (size_t)sp->rows * sizeof *line);
    line[i] = 1.0;
    for (int k = 0; k < rank; k++) {
        const double *u = sp->u + (size_t)k * (size_t)sp->rows;
        cblas_daxpy(sp->rows, -u[i], u, 1, line, 1);
    }
}

/* The row that is explained least; a row of velocities when one comes near. What it says the others say of velocities,
 * but what a row of places says of places no row of velocities can keep. */
static int next_left_out(const CrdSpectrum *sp, const double *left) {
    const CrdShape *s = sp->model->shape;
    int most = (int)cblas_idamax(sp->rows, left, 1), rate = -1;
    for (int i = 0; i < sp->rows; i++)
        if (!crd_row_is_holonomic(s, i) && left[i] > (rate < 0 ? CRD_CHOOSE_RATE * left[most] : left[rate])) rate = i;
    return rate < 0 ? most : rate;
}

bool crd_spectrum_choose(CrdSpectrum *sp, int rank, bool *left_out) {
    size_t rows = (size_t)sp->rows;
    int count = sp->rows - rank;
    double *left = sp->c; /* diagonal of what is not explained yet */
    if (count > sp->columns) return false;
    memset(left_out, 0, rows * sizeof *left_out);
    for (int i = 0; i < sp->rows; i++) {
        left[i] = 1.0;
        for (int k = 0; k < rank; k++) left[i] -= sp->u[(size_t)k * rows + (size_t)i] * sp->u[(size_t)k * rows + (size_t)i];
    }
    for (int m = 0; m < count; m++) {
        int most = next_left_out(sp, left);
        double *line = sp->b + (size_t)m * rows;
        if (!(left[most] > 0.0)) return false;
        line_left(sp, rank, most, line);
        for (int j = 0; j < m; j++)
            cblas_daxpy(sp->rows, -sp->b[(size_t)j * rows + (size_t)most], sp->b + (size_t)j * rows, 1, line, 1);
        cblas_dscal(sp->rows, 1.0 / sqrt(left[most]), line, 1);
        for (int i = 0; i < sp->rows; i++) left[i] -= line[i] * line[i];
        left[most] = 0.0;
        left_out[most] = true;
    }
    return true;
}

void crd_spectrum_roots(const CrdSpectrum *sp, const CrdSystem *w, double *y) {
    for (int i = 0; i < sp->model->shape->block_count; i++)
        block_root(sp, w, i, false, y + sp->model->shape->blocks[i].v);
}

/* lambda <- D sum of u_k (part_k / sigma_k). */
static void add_multiplier(CrdSpectrum *sp, int k, double part, double *lambda) {
    cblas_daxpy(sp->rows, part / sp->sigma[k], sp->u + (size_t)k * (size_t)sp->rows, 1, lambda, 1);
}

void crd_spectrum_multipliers(CrdSpectrum *sp, const CrdSystem *w, const double *r, int rank, double *lambda) {
    memcpy(sp->y, r, (size_t)sp->columns * sizeof *sp->y);
    crd_spectrum_roots(sp, w, sp->y);
    memset(lambda, 0, (size_t)sp->rows * sizeof *lambda);
    for (int k = 0; k < rank; k++)
        add_multiplier(sp, k, cblas_ddot(sp->columns, sp->vt + k, sp->count, sp->y, 1), lambda);
    for (int i = 0; i < sp->rows; i++) lambda[i] *= sp->scale[i];
}
