#include "linear/spectrum.h"

#include "core/numbers.h"
#include "equations/kinematic.h"
#include "equations/tree.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#ifndef NDEBUG
/* Those of the first `rank` are at hand; a model without rows or velocities has none. */
static bool has_singular_values(const CrdSpectrum *sp, int rank) {
    if (rank < 0 || rank > sp->count) return false;
    return sp->count == 0 || (sp->holds == CRD_SINGULAR_VALUES && (rank == 0 || sp->sigma[rank - 1] > 0.0));
}
#endif

bool crd_spectrum_fits(const CrdStructure *structure) {
    return (long long)structure->rows * structure->nv <= CRD_DENSE_LOOK;
}

static void layout(CrdSpectrum *sp, const CrdStructure *structure) {
    CrdArena *arena = &sp->arena;
    size_t rows = (size_t)sp->rows, columns = (size_t)sp->columns, count = (size_t)sp->count, real = sizeof(double);
    sp->held = crd_take(arena, (size_t)structure->block_count, sizeof *sp->held);
    crd_mass_root_layout(&sp->root, structure, arena);
    sp->b = crd_take(arena, rows * columns, real);
    sp->scale = crd_take(arena, rows, real);
    sp->u = crd_take(arena, rows * count, real);
    sp->sigma = crd_take(arena, count, real);
    sp->vt = crd_take(arena, count * columns, real);
    sp->factors = crd_take(arena, rows * (size_t)structure->max_rows, real);
    sp->pieces = crd_take(arena, (size_t)structure->size_g, real);
    sp->y = crd_take(arena, columns, real);
    sp->c = crd_take(arena, rows, real);
    sp->work = crd_take(arena, (size_t)sp->work_size, real);
    sp->index = crd_take(arena, 8 * count + rows, sizeof *sp->index); /* of dgesdd, or of dgeqp3 */
}

CardanStatus crd_spectrum_open(CrdSpectrum *sp, const CardanModel *model, CrdError *error) {
    const CrdStructure *structure = model->structure;
    assert(crd_spectrum_fits(structure));
    memset(sp, 0, sizeof *sp);
    sp->model = model;
    sp->rows = structure->rows;
    sp->columns = structure->nv;
    sp->count = structure->rows < structure->nv ? structure->rows : structure->nv;
    int rows = sp->rows > 0 ? sp->rows : 1, count = sp->count > 0 ? sp->count : 1;
    double size = 0.0;
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', sp->rows, sp->columns, NULL, rows, NULL, NULL, rows,
                                          NULL, count, &size, -1, NULL);
    if (info != 0)
        return crd_fail(error, CARDAN_ERR_INTERNAL, "LAPACK refused a %d x %d matrix", sp->rows, sp->columns);
    sp->work_size = (int)fmax(size, crd_spectrum_qr_work(sp)) + 1;
    layout(sp, structure);
    if (!crd_arena_allocate(&sp->arena)) return crd_fail_memory(error);
    layout(sp, structure);
    assert(crd_arena_is_full(&sp->arena));
    crd_spectrum_use(sp, model);
    return CARDAN_OK;
}

void crd_spectrum_use(CrdSpectrum *sp, const CardanModel *model) {
    assert(sp->model->structure == model->structure);
    sp->holds = CRD_DECOMPOSED_NOT;
    sp->model = model;
    crd_mass_root_use(&sp->root, model);
}

void crd_spectrum_close(CrdSpectrum *sp) {
    crd_arena_free(&sp->arena);
    memset(sp, 0, sizeof *sp);
}

/* ---- roots of M ---- */

/* x <- L^-1 x, or L^-T x, for the numbers of a coordinate block; kinematic: T^T x, or T x. */
static void block_root(const CrdSpectrum *sp, const CrdSystem *system, int index, bool transposed, double *x) {
    assert(index >= 0 && index < sp->model->structure->block_count);
    if (sp->held[index])
        memset(x, 0, (size_t)sp->model->structure->blocks[index].nv * sizeof *x);
    else if (sp->kinematic)
        crd_kinematic_root(sp->model, system, index, !transposed, x);
    else
        crd_mass_root_solve(&sp->root, system, index, transposed, x);
}

void crd_spectrum_velocities(const CrdSpectrum *sp, const CrdSystem *system, const double *y, double *x) {
    memcpy(x, y, (size_t)sp->columns * sizeof *x);
    if (sp->model->structure->tree != NULL && !sp->kinematic) {
        crd_tree_outward(sp->model, system, x);
        return;
    }
    for (int i = 0; i < sp->model->structure->block_count; i++)
        block_root(sp, system, i, true, x + sp->model->structure->blocks[i].v);
}

/* ---- the decomposition ---- */

/* b = G L^-T; rows of an element and a block at a time. */
static void fill(CrdSpectrum *sp, const CrdSystem *system, bool holonomic) {
    const CrdStructure *structure = sp->model->structure;
    size_t rows = (size_t)sp->rows;
    const double *pieces = structure->tree != NULL ? system->T : system->G; /* T of a tree is G L^-T already */
    assert(structure->tree == NULL || crd_stamp_holds(&system->stamp, CRD_HOLDS_SCHUR));
    memset(sp->b, 0, rows * (size_t)sp->columns * sizeof *sp->b);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdElement *element = &structure->elements[in->element];
        for (int r = 0; r < (holonomic ? element->holonomic : in->rows); r++) {
            if (sp->left_alone != NULL && sp->left_alone[element->first + r]) continue;
            memcpy(sp->y, pieces + in->g + r * in->width, (size_t)in->width * sizeof *sp->y);
            assert(element->first + r < sp->rows && in->v + in->width <= sp->columns);
            if (structure->tree == NULL) block_root(sp, system, in->block, false, sp->y);
            for (int k = 0; k < in->width; k++)
                sp->b[(size_t)(element->first + r) + rows * (size_t)(in->v + k)] = sp->y[k];
        }
    }
}

/* b = K. */
static void fill_kinematic(CrdSpectrum *sp, const CrdSystem *system, bool holonomic) {
    const CrdStructure *structure = sp->model->structure;
    size_t rows = (size_t)sp->rows;
    crd_kinematic_held_pieces(sp->model, system, sp->left_alone, sp->held, sp->factors, sp->pieces);
    memset(sp->b, 0, rows * (size_t)sp->columns * sizeof *sp->b);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdElement *element = &structure->elements[in->element];
        for (int r = 0; r < (holonomic ? element->holonomic : in->rows); r++)
            for (int k = 0; k < in->width; k++)
                sp->b[(size_t)(element->first + r) + rows * (size_t)(in->v + k)] =
                    sp->pieces[in->g + r * in->width + k];
    }
}

/* The row of b in which there is a number that is none; -1: in no row. */
static int keep_rows(const CrdSpectrum *sp) {
    for (size_t i = 0; i < (size_t)sp->rows * (size_t)sp->columns; i++)
        if (!isfinite(sp->b[i])) return (int)(i % (size_t)sp->rows);
    for (int i = 0; i < sp->rows; i++) sp->scale[i] = 1.0;
    return -1;
}

/* Scales the rows of b to length 1. The row in which there is a number that is none; -1: in no row. */
static int scale_rows(CrdSpectrum *sp, const CrdSystem *system) {
    size_t rows = (size_t)sp->rows;
    for (size_t r = 0; r < rows; r++) {
        double length = cblas_dnrm2(sp->columns, sp->b + r, sp->rows);
        if (sp->model->structure->tree != NULL && isfinite(length)) length = sqrt(system->tree.scale[r]);
        if (!isfinite(length)) return (int)r;
        sp->scale[r] = length > 0.0 ? 1.0 / length : 1.0;
        cblas_dscal(sp->columns, sp->scale[r], sp->b + r, sp->rows);
    }
    return -1;
}

CardanStatus crd_spectrum_fill(CrdSpectrum *sp, const CrdSystem *system, bool holonomic, CrdError *error) {
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    sp->holds = CRD_DECOMPOSED_NOT;
    if (sp->kinematic)
        fill_kinematic(sp, system, holonomic);
    else
        fill(sp, system, holonomic);
    int lost = sp->kinematic ? keep_rows(sp) : scale_rows(sp, system);
    if (lost < 0) return CARDAN_OK;
    const CardanModel *model = sp->model;
    return crd_fail(error, CARDAN_ERR_NUMERIC, "constraint rows of joint '%s' are not finite at t = %.9g",
                    crd_element_name(model, model->structure->row_element[lost]), system->t);
}

/* how: LAPACK's word for what is wanted, 'S' the vectors too, 'N' the values alone. */
static CardanStatus take(CrdSpectrum *sp, const CrdSystem *system, bool holonomic, char how, CrdError *error) {
    if (sp->count == 0) return CARDAN_OK;
    CRD_TRY(crd_spectrum_fill(sp, system, holonomic, error));
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, how, sp->rows, sp->columns, sp->b, sp->rows, sp->sigma,
                                          sp->u, sp->rows, sp->vt, sp->count, sp->work, sp->work_size, sp->index);
    if (info == 0) {
        assert(sp->sigma[0] >= sp->sigma[sp->count - 1] && sp->sigma[sp->count - 1] >= 0.0);
        if (how == 'S') sp->holds = CRD_SINGULAR_VALUES;
        return CARDAN_OK;
    }
    return crd_fail(error, CARDAN_ERR_NUMERIC,
                    "the singular values of the constraint rows did not converge at t = %.9g", system->t);
}

CardanStatus crd_spectrum_take(CrdSpectrum *sp, const CrdSystem *system, bool holonomic, CrdError *error) {
    sp->kinematic = false;
    return take(sp, system, holonomic, 'S', error);
}

CardanStatus crd_spectrum_take_kinematic(CrdSpectrum *sp, const CrdSystem *system, bool holonomic, CrdError *error) {
    sp->kinematic = true;
    return take(sp, system, holonomic, 'S', error);
}

CardanStatus crd_spectrum_measure_kinematic(CrdSpectrum *sp, const CrdSystem *system, CrdError *error) {
    sp->kinematic = true;
    return take(sp, system, false, 'N', error);
}

int crd_spectrum_rank(const CrdSpectrum *sp, double tolerance) {
    assert(has_singular_values(sp, 0) && tolerance >= 0.0);
    int rank = 0;
    while (rank < sp->count && sp->sigma[rank] > tolerance * sp->sigma[0]) rank++;
    return rank;
}

/* ---- what it is good for ---- */

void crd_spectrum_scale(const CrdSpectrum *sp, bool transposed, double *r) {
    if (sp->kinematic && transposed)
        crd_kinematic_rows_transposed(sp->model->structure, sp->factors, r);
    else if (sp->kinematic)
        crd_kinematic_rows(sp->model->structure, sp->factors, r);
    else
        for (int i = 0; i < sp->rows; i++) r[i] *= sp->scale[i];
}

void crd_spectrum_correct(CrdSpectrum *sp, const CrdSystem *system, const double *r, int rank, double *x) {
    assert(has_singular_values(sp, rank));
    memset(sp->y, 0, (size_t)sp->columns * sizeof *sp->y);
    memcpy(sp->c, r, (size_t)sp->rows * sizeof *sp->c);
    crd_spectrum_scale(sp, false, sp->c);
    for (int k = 0; k < rank; k++) {
        double part = cblas_ddot(sp->rows, sp->u + (size_t)k * (size_t)sp->rows, 1, sp->c, 1);
        cblas_daxpy(sp->columns, -part / sp->sigma[k], sp->vt + k, sp->count, sp->y, 1);
    }
    crd_spectrum_velocities(sp, system, sp->y, x);
}

void crd_spectrum_feasible(CrdSpectrum *sp, const CrdSystem *system, int rank, double *x) {
    assert(has_singular_values(sp, rank));
    memcpy(sp->y, x, (size_t)sp->columns * sizeof *sp->y);
    for (int k = 0; k < rank; k++) {
        double part = cblas_ddot(sp->columns, sp->vt + k, sp->count, sp->y, 1);
        cblas_daxpy(sp->columns, -part, sp->vt + k, sp->count, sp->y, 1);
    }
    crd_spectrum_velocities(sp, system, sp->y, x);
}

void crd_spectrum_parts(const CrdSpectrum *sp, int rank, double *square, double *part) {
    assert(has_singular_values(sp, rank));
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
    assert(i >= 0 && i < sp->rows);
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
    const CrdStructure *structure = sp->model->structure;
    int max = (int)cblas_idamax(sp->rows, left, 1), rate = -1;
    for (int i = 0; i < sp->rows; i++)
        if (!crd_row_is_holonomic(structure, i) && left[i] > (rate < 0 ? CRD_CHOOSE_RATE * left[max] : left[rate]))
            rate = i;
    return rate < 0 ? max : rate;
}

bool crd_spectrum_choose(CrdSpectrum *sp, int rank, bool *left_out) {
    assert(has_singular_values(sp, rank));
    size_t rows = (size_t)sp->rows;
    int count = sp->rows - rank;
    double *left = sp->c; /* diagonal of what is not explained yet */
    if (count > sp->columns) return false;
    memset(left_out, 0, rows * sizeof *left_out);
    for (int i = 0; i < sp->rows; i++) {
        left[i] = 1.0;
        for (int k = 0; k < rank; k++)
            left[i] -= sp->u[(size_t)k * rows + (size_t)i] * sp->u[(size_t)k * rows + (size_t)i];
    }
    for (int m = 0; m < count; m++) {
        int max = next_left_out(sp, left);
        double *line = sp->b + (size_t)m * rows;
        if (!(left[max] > 0.0)) return false;
        line_left(sp, rank, max, line);
        for (int j = 0; j < m; j++)
            cblas_daxpy(sp->rows, -sp->b[(size_t)j * rows + (size_t)max], sp->b + (size_t)j * rows, 1, line, 1);
        cblas_dscal(sp->rows, 1.0 / sqrt(left[max]), line, 1);
        for (int i = 0; i < sp->rows; i++) left[i] -= line[i] * line[i];
        left[max] = 0.0;
        assert(!left_out[max]);
        left_out[max] = true;
    }
    return true;
}

void crd_spectrum_roots(const CrdSpectrum *sp, const CrdSystem *system, double *y) {
    if (sp->model->structure->tree != NULL && !sp->kinematic) {
        crd_tree_inward(sp->model, system, y);
        return;
    }
    for (int i = 0; i < sp->model->structure->block_count; i++)
        block_root(sp, system, i, false, y + sp->model->structure->blocks[i].v);
}

/* lambda <- D sum of u_k (part_k / sigma_k). */
static void add_multiplier(CrdSpectrum *sp, int k, double part, double *lambda) {
    cblas_daxpy(sp->rows, part / sp->sigma[k], sp->u + (size_t)k * (size_t)sp->rows, 1, lambda, 1);
}

void crd_spectrum_multipliers(CrdSpectrum *sp, const CrdSystem *system, const double *r, int rank, double *lambda) {
    assert(has_singular_values(sp, rank));
    memcpy(sp->y, r, (size_t)sp->columns * sizeof *sp->y);
    crd_spectrum_roots(sp, system, sp->y);
    memset(lambda, 0, (size_t)sp->rows * sizeof *lambda);
    for (int k = 0; k < rank; k++)
        add_multiplier(sp, k, cblas_ddot(sp->columns, sp->vt + k, sp->count, sp->y, 1), lambda);
    crd_spectrum_scale(sp, true, lambda);
}
