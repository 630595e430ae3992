/* Dense elimination for the references, all rows and columns, in long double. */
#include "reference.h"

#include <math.h>
#include <string.h>

static Real sum(const Real *a, const Real *b, int n) {
    Real s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static void cholesky(Real *h, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            Real s = h[i * n + j] - sum(h + i * n, h + j * n, j);
            h[i * n + j] = i == j ? sqrtl(s) : s / h[j * n + j];
        }
}

static void forward(const Real *l, int n, Real *x) {
    for (int i = 0; i < n; i++) x[i] = (x[i] - sum(l + i * n, x, i)) / l[i * n + i];
}

static void backward(const Real *l, int n, Real *x) {
    for (int i = n - 1; i >= 0; i--) {
        Real s = x[i];
        for (int k = i + 1; k < n; k++) s -= l[k * n + i] * x[k];
        x[i] = s / l[i * n + i];
    }
}

/* Rows of L^-1 J^T made orthonormal one after another, the one furthest from the span of those before first; what is
 * left of a row after two rounds is its part across them. s holds the coefficients: row k = sum s[k][i] basis[i]. */
static void orthogonalise(Reference *ref, Real drop) {
    int n = ref->n, rows = ref->rows;
    ref->rank = 0;
    memset(ref->s, 0, (size_t)rows * (size_t)rows * sizeof *ref->s);
    for (int k = 0; k < rows; k++) {
        ref->order[k] = k;
        ref->lambda[k] = sum(ref->hj + k * n, ref->hj + k * n, n); /* as they were */
    }
    for (int step = 0; step < rows; step++) {
        int best = -1;
        Real largest = drop;
        for (int k = step; k < rows; k++) {
            const Real *row = ref->hj + ref->order[k] * n;
            Real left = sum(row, row, n) / ref->lambda[ref->order[k]];
            if (left > largest) {
                largest = left;
                best = k;
            }
        }
        if (best < 0) return;
        int row = ref->order[best];
        ref->order[best] = ref->order[step];
        ref->order[step] = row;
        Real *pivot = ref->hj + row * n;
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < step; i++) {
                const Real *basis = ref->hj + ref->order[i] * n;
                Real along = sum(pivot, basis, n);
                ref->s[row * rows + i] += along;
                for (int c = 0; c < n; c++) pivot[c] -= along * basis[c];
            }
        Real length = sqrtl(sum(pivot, pivot, n));
        ref->s[row * rows + step] = length;
        for (int c = 0; c < n; c++) pivot[c] /= length;
        ref->rank = step + 1;
        for (int k = step + 1; k < rows; k++) {
            Real *other = ref->hj + ref->order[k] * n, along = sum(other, pivot, n);
            ref->s[ref->order[k] * rows + step] += along;
            for (int c = 0; c < n; c++) other[c] -= along * pivot[c];
        }
    }
}

void dense_factor(Reference *ref, Real drop) {
    cholesky(ref->h, ref->n);
    for (int k = 0; k < ref->rows; k++) {
        memcpy(ref->hj + k * ref->n, ref->j + k * ref->n, (size_t)ref->n * sizeof *ref->j);
        forward(ref->h, ref->n, ref->hj + k * ref->n);
    }
    orthogonalise(ref, drop);
}

/* With z = L^T x: the part of z in the span of the rows follows from c, the part across it is that of L^-1 f. */
void dense_solve(Reference *ref, const Real *f, const Real *c, Real *x) {
    int n = ref->n, rows = ref->rows;
    for (int i = 0; i < n; i++) x[i] = f == NULL ? 0 : f[i];
    forward(ref->h, n, x);
    for (int i = 0; i < ref->rank; i++) {
        int row = ref->order[i];
        const Real *basis = ref->hj + row * n;
        ref->work[i] = (c[row] - sum(ref->s + row * rows, ref->work, i)) / ref->s[row * rows + i];
        Real change = ref->work[i] - sum(basis, x, n);
        for (int k = 0; k < n; k++) x[k] += change * basis[k];
    }
    backward(ref->h, n, x);
}
