/* Kernels of the block solver, written once for any width up to CRD_WIDEST and inlined with constants, so that every
 * loop over columns is unrolled. Panels are column-major with leading dimension `ld`; rows go in pairs, two to a
 * register of every processor with 64-bit arithmetic (SSE2, NEON), and a last one alone. No result depends on the
 * pairing. */
#ifndef CRD_LINEAR_BLOCK_KERNELS_H
#define CRD_LINEAR_BLOCK_KERNELS_H

#include "model/elimination.h"

#include <stddef.h>
#include <string.h>

#if defined(__GNUC__)
typedef double CrdPair __attribute__((vector_size(16)));
#define CRD_KERNEL static inline __attribute__((always_inline))
#else
typedef double CrdPair; /* one row at a time */
#define CRD_KERNEL static inline
#endif

/* Before a loop over columns of a triangle, which the compiler would leave as it is. */
#if defined(__GNUC__) && !defined(__clang__)
#define CRD_UNROLLED _Pragma("GCC unroll 6")
#else
#define CRD_UNROLLED
#endif

enum { CRD_LANES = sizeof(CrdPair) / sizeof(double) };

CRD_KERNEL CrdPair crd_pair(const double *x) {
    CrdPair pair;
    memcpy(&pair, x, sizeof pair);
    return pair;
}

CRD_KERNEL void crd_put_pair(double *x, CrdPair pair) {
    memcpy(x, &pair, sizeof pair);
}

CRD_KERNEL double crd_pair_sum(CrdPair pair) {
    double lane[CRD_LANES], sum = 0.0;
    memcpy(lane, &pair, sizeof pair);
    for (int i = 0; i < CRD_LANES; i++) sum += lane[i];
    return sum;
}

/* ---- factor ---- */

/* x -= z y^T: x (rows x wj), z (rows x wk), y (wj x wk, y[c][l] at l + c wk). */
CRD_KERNEL void crd_update_rows(int wk, int wj, int rows, const double *z, int ldz, const double *y, double *x,
                                int ldx) {
    int i = 0;
    for (; i + 2 * CRD_LANES <= rows; i += 2 * CRD_LANES) { /* two pairs: each y is read once for both */
        CrdPair p[CRD_WIDEST], q[CRD_WIDEST];
        for (int l = 0; l < wk; l++) {
            p[l] = crd_pair(z + (ptrdiff_t)l * ldz + i);
            q[l] = crd_pair(z + (ptrdiff_t)l * ldz + i + CRD_LANES);
        }
        for (int c = 0; c < wj; c++) {
            double *to = x + (ptrdiff_t)c * ldx + i;
            CrdPair a = crd_pair(to), b = crd_pair(to + CRD_LANES);
            for (int l = 0; l < wk; l++) {
                a -= p[l] * y[c * wk + l];
                b -= q[l] * y[c * wk + l];
            }
            crd_put_pair(to, a);
            crd_put_pair(to + CRD_LANES, b);
        }
    }
    for (; i + CRD_LANES <= rows; i += CRD_LANES) {
        CrdPair p[CRD_WIDEST];
        for (int l = 0; l < wk; l++) p[l] = crd_pair(z + (ptrdiff_t)l * ldz + i);
        for (int c = 0; c < wj; c++) {
            CrdPair a = crd_pair(x + (ptrdiff_t)c * ldx + i);
            for (int l = 0; l < wk; l++) a -= p[l] * y[c * wk + l];
            crd_put_pair(x + (ptrdiff_t)c * ldx + i, a);
        }
    }
    for (; i < rows; i++)
        for (int c = 0; c < wj; c++) {
            double a = x[(ptrdiff_t)c * ldx + i];
            for (int l = 0; l < wk; l++) a -= z[(ptrdiff_t)l * ldz + i] * y[c * wk + l];
            x[(ptrdiff_t)c * ldx + i] = a;
        }
}

/* y = z diag(d), transposed: y (wj x wk, rows together). */
CRD_KERNEL void crd_scale_rows(int wk, int wj, const double *z, int ldz, const double *d, double *y) {
    for (int c = 0; c < wj; c++)
        for (int l = 0; l < wk; l++) y[c * wk + l] = z[(ptrdiff_t)l * ldz + c] * d[l];
}

/* The lower triangle of a diagonal block, a -= z y^T: whole pairs, so some entries above it change too. */
CRD_KERNEL void crd_update_diagonal(int wk, int wj, const double *z, int ldz, const double *y, double *a) {
    for (int c = 0; c < wj; c++) {
        int r = c / CRD_LANES * CRD_LANES;
        for (; r + CRD_LANES <= wj; r += CRD_LANES) {
            CrdPair sum = crd_pair(a + c * wj + r);
            for (int l = 0; l < wk; l++) sum -= crd_pair(z + (ptrdiff_t)l * ldz + r) * y[c * wk + l];
            crd_put_pair(a + c * wj + r, sum);
        }
        for (; r < wj; r++) {
            double sum = a[c * wj + r];
            for (int l = 0; l < wk; l++) sum -= z[(ptrdiff_t)l * ldz + r] * y[c * wk + l];
            a[c * wj + r] = sum;
        }
    }
}

/* A panel x below through the factor of its diagonal block: y L^T = x, then z = y D^-1 in its place. */
CRD_KERNEL void crd_divide_rows(int w, int rows, const double *l, const double *inverse, double *x) {
    int i = 0;
    for (; i + CRD_LANES <= rows; i += CRD_LANES) {
        CrdPair y[CRD_WIDEST];
        for (int c = 0; c < w; c++) {
            y[c] = crd_pair(x + (ptrdiff_t)c * rows + i);
            for (int b = 0; b < c; b++) y[c] -= y[b] * l[b * w + c];
        }
        for (int c = 0; c < w; c++) crd_put_pair(x + (ptrdiff_t)c * rows + i, y[c] * inverse[c]);
    }
    for (; i < rows; i++) {
        double y[CRD_WIDEST];
        for (int c = 0; c < w; c++) {
            y[c] = x[(ptrdiff_t)c * rows + i];
            for (int b = 0; b < c; b++) y[c] -= y[b] * l[b * w + c];
        }
        for (int c = 0; c < w; c++) x[(ptrdiff_t)c * rows + i] = y[c] * inverse[c];
    }
}

/* ---- solve ---- */

/* z <- L^-1 z with the unit lower triangle of a diagonal block. */
CRD_KERNEL void crd_forward_diagonal(int w, const double *l, double *z) {
    for (int c = 1; c < w; c++)
        for (int b = 0; b < c; b++) z[c] -= l[b * w + c] * z[b];
}

/* z <- L^-T z */
CRD_KERNEL void crd_backward_diagonal(int w, const double *l, double *z) {
    for (int c = w - 2; c >= 0; c--)
        for (int b = w - 1; b > c; b--) z[c] -= l[c * w + b] * z[b];
}

/* r -= x z for `rows` rows of a panel of leading dimension ld. */
CRD_KERNEL void crd_forward_rows(int w, int rows, const double *x, int ld, const double *z, double *r) {
    int i = 0;
    for (; i + CRD_LANES <= rows; i += CRD_LANES) {
        CrdPair sum = crd_pair(r + i);
        for (int c = 0; c < w; c++) sum -= crd_pair(x + (ptrdiff_t)c * ld + i) * z[c];
        crd_put_pair(r + i, sum);
    }
    for (; i < rows; i++)
        for (int c = 0; c < w; c++) r[i] -= x[(ptrdiff_t)c * ld + i] * z[c];
}

/* z -= x^T r, from the last row up: the sweep has just computed those, and the first ones come latest. */
CRD_KERNEL void crd_backward_rows(int w, int rows, const double *x, int ld, const double *r, double *z) {
    int i = rows;
    for (; i % CRD_LANES != 0; i--)
        for (int c = 0; c < w; c++) z[c] -= x[(ptrdiff_t)c * ld + i - 1] * r[i - 1];
    CrdPair sum[CRD_WIDEST];
    for (int c = 0; c < w; c++) sum[c] = (CrdPair){0.0};
    for (; i > 0; i -= CRD_LANES) {
        CrdPair t = crd_pair(r + i - CRD_LANES);
        for (int c = 0; c < w; c++) sum[c] += crd_pair(x + (ptrdiff_t)c * ld + i - CRD_LANES) * t;
    }
    for (int c = 0; c < w; c++) z[c] -= crd_pair_sum(sum[c]);
}

#endif
