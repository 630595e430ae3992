/* B^T P = Q R, with A = B^T = L^-1 G^T D (columns x rows) kept where the singular vectors would be. With y = L^T a:
 *
 *     A^T y = D target,  y0 - y = A lambda'      z = Q^T y0,   R1^T s = c,   y = Q (s, z2),   R1 lambda' = z1 - s
 *
 * c: D target in the order of the pivots; index 1: the first `rank` of them. */
#include "linear/spectrum.h"

#include <assert.h>
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* One of both holds rows x columns numbers. */
static double *factor_of(const CrdSpectrum *sp) {
    return sp->rows <= sp->columns ? sp->vt : sp->u;
}

double crd_spectrum_qr_work(const CrdSpectrum *sp) {
    double size[2] = {0.0, 0.0};
    int ld = sp->columns > 0 ? sp->columns : 1;
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, sp->columns, sp->rows, NULL, ld, NULL, NULL, &size[0], -1);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', sp->columns, 1, sp->count, NULL, ld, NULL, NULL, ld, &size[1], -1);
    return fmax(size[0], size[1]);
}

CardanStatus crd_spectrum_take_qr(CrdSpectrum *sp, const CrdSystem *system, const bool *left_out, double tolerance,
                                  int *rank, CrdError *error) {
    double *x = factor_of(sp);
    size_t rows = (size_t)sp->rows, columns = (size_t)sp->columns;
    *rank = 0;
    if (sp->count == 0) return CARDAN_OK;
    sp->kinematic = false;
    CRD_TRY(crd_spectrum_fill(sp, system, false, error));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) x[j + columns * i] = left_out[i] ? 0.0 : sp->b[i + rows * j];
    memset(sp->index, 0, rows * sizeof *sp->index); /* all columns may move */
    lapack_int info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, sp->columns, sp->rows, x, sp->columns, sp->index, sp->sigma,
                                          sp->work, sp->work_size);
    if (info != 0)
        return crd_fail(error, CARDAN_ERR_INTERNAL, "LAPACK refused a %d x %d matrix", sp->columns, sp->rows);
    sp->holds = CRD_PIVOTED_QR;
    while (*rank < sp->count && fabs(x[(size_t)*rank * (columns + 1)]) > tolerance * fabs(x[0])) ++*rank;
    return CARDAN_OK;
}

/* y <- Q^T y or Q y. */
static void turn(CrdSpectrum *sp, char how) {
    lapack_int info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', how, sp->columns, 1, sp->count, factor_of(sp),
                                          sp->columns, sp->sigma, sp->y, sp->columns, sp->work, sp->work_size);
    assert(info == 0);
    (void)info;
}

void crd_spectrum_motion_qr(CrdSpectrum *sp, const CrdSystem *system, const double *f, const double *target, int rank,
                            double *a, double *lambda) {
    assert(rank >= 0 && rank <= sp->count);
    assert(sp->count == 0 || sp->holds == CRD_PIVOTED_QR);
    const double *x = factor_of(sp);
    memcpy(sp->y, f, (size_t)sp->columns * sizeof *sp->y);
    crd_spectrum_roots(sp, system, sp->y);
    memset(lambda, 0, (size_t)sp->rows * sizeof *lambda);
    if (sp->count > 0) {
        turn(sp, 'T');
        for (int k = 0; k < rank; k++) sp->c[k] = sp->scale[sp->index[k] - 1] * target[sp->index[k] - 1];
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, rank, x, sp->columns, sp->c, 1);
        for (int k = 0; k < rank; k++) {
            double s = sp->c[k];
            sp->c[k] = sp->y[k] - s;
            sp->y[k] = s;
        }
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, rank, x, sp->columns, sp->c, 1);
        for (int k = 0; k < rank; k++) lambda[sp->index[k] - 1] = sp->scale[sp->index[k] - 1] * sp->c[k];
        turn(sp, 'N');
    }
    crd_spectrum_velocities(sp, system, sp->y, a);
}
