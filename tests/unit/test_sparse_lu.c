/* Sparse factors of random matrices, real and complex, with saddle points, blocks that vanish and rows of very
 * different size; singular ones are refused. */
#include "support/check.h"
#include "support/random.h"

#include "linear/sparse_lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_MAX = 60, TRIALS = 300 };

/* Rounding times the growth that small pivots of the diagonal may bring. */
static const double SOLVED = 1e-11;

typedef struct Matrix {
    int n, start[N_MAX + 1], row[N_MAX * N_MAX];
    double a[N_MAX * N_MAX], b[N_MAX * N_MAX];
} Matrix;

/* Chance of an entry; the first m rows and columns have no diagonal block, as multipliers do. */
static void make(Matrix *m, Random *random, int n, double chance, int without) {
    m->n = n;
    int count = 0;
    for (int c = 0; c < n; c++) {
        m->start[c] = count;
        for (int r = 0; r < n; r++) {
            bool zero = r < without && c < without;
            bool must = !zero && (r == c || (r < without && c == r + without) || (c < without && r == c + without));
            if (!must && (zero || random_between(random, 0.0, 1.0) > chance)) continue;
            m->row[count] = r;
            m->a[count] = random_signed(random) * pow(10.0, 3.0 * random_signed(random));
            m->b[count] = must ? 1.0 + random_between(random, 0.0, 1.0) : random_signed(random);
            count++;
        }
    }
    m->start[n] = count;
}

/* The residual of a solution against the sizes of its terms, row by row. */
static void check_solution(const Matrix *m, double complex first, const double complex *x,
                           const double complex *right) {
    double complex sum[N_MAX] = {0};
    double size[N_MAX] = {0};
    for (int c = 0; c < m->n; c++)
        for (int i = m->start[c]; i < m->start[c + 1]; i++) {
            double complex term = (first * m->a[i] + m->b[i]) * x[c];
            sum[m->row[i]] += term;
            size[m->row[i]] += cabs(term);
        }
    double largest = 0.0;
    for (int r = 0; r < m->n; r++) largest = fmax(largest, size[r]);
    for (int r = 0; r < m->n; r++) check_near(cabs(sum[r] - right[r]), 0.0, SOLVED * largest, "row %d of %d", r, m->n);
}

static void solve_real(const Matrix *m, double first, Random *random) {
    double x[N_MAX], weakest;
    double complex right[N_MAX], found[N_MAX];
    CrdError error = {0};
    CrdSparseLu *lu;
    assert_true(crd_sparse_lu_create(m->n, m->start, m->row, false, &lu, &error) >= 0);
    for (int again = 0; again < 2; again++) { /* the second finds what the first left */
        for (int i = 0; i < m->n; i++) right[i] = x[i] = random_signed(random);
        assert_true(crd_sparse_lu_factor(lu, first, m->a, m->b, &weakest) >= 0);
        assert_true(crd_sparse_lu_solve(lu, x) >= 0);
        for (int i = 0; i < m->n; i++) found[i] = x[i];
        check_solution(m, first, found, right);
        assert_true(crd_sparse_lu_entries(lu) <= crd_sparse_lu_room(lu));
    }
    crd_sparse_lu_destroy(lu);
}

static void solve_complex(const Matrix *m, double complex first, Random *random) {
    double complex x[N_MAX], right[N_MAX];
    double weakest;
    CrdError error = {0};
    CrdSparseLu *lu;
    assert_true(crd_sparse_lu_create(m->n, m->start, m->row, true, &lu, &error) >= 0);
    for (int i = 0; i < m->n; i++) x[i] = right[i] = CMPLX(random_signed(random), random_signed(random));
    assert_true(crd_sparse_lu_factor_complex(lu, first, m->a, m->b, &weakest) >= 0);
    assert_true(crd_sparse_lu_solve_complex(lu, x) >= 0);
    check_solution(m, first, x, right);
    crd_sparse_lu_destroy(lu);
}

static void sparse_factors_solve_real_and_complex_systems(void **state) {
    (void)state;
    static Matrix m;
    for (int i = 0; i < TRIALS; i++) {
        Random random = {100 + (uint64_t)i};
        int n = 1 + i % N_MAX;
        make(&m, &random, n, i % 3 == 0 ? 0.6 : 2.0 / n, i % 2 == 0 ? n / 3 : 0);
        solve_real(&m, i % 5 == 0 ? 0.0 : 0.01, &random);
        solve_complex(&m, CMPLX(0.01, 0.02), &random);
    }
}

static void a_singular_matrix_is_refused(void **state) {
    (void)state;
    const int start[] = {0, 2, 4, 5}, row[] = {0, 1, 0, 1, 2};
    const double none[5] = {0}, dependent[] = {1.0, 2.0, 2.0, 4.0, 1.0}, odd[] = {1.0, 2.0, (double)NAN, 4.0, 1.0};
    double weakest;
    CrdError error = {0};
    CrdSparseLu *lu;
    assert_true(crd_sparse_lu_create(3, start, row, false, &lu, &error) >= 0);
    assert_int_equal(crd_sparse_lu_factor(lu, 1.0, dependent, none, &weakest), CARDAN_ERR_NUMERIC);
    assert_int_equal(crd_sparse_lu_factor(lu, 1.0, odd, none, &weakest), CARDAN_ERR_NUMERIC);
    assert_true(isnan(weakest));
    assert_int_equal(crd_sparse_lu_factor(lu, 1.0, none, none, &weakest), CARDAN_ERR_NUMERIC);
    crd_sparse_lu_destroy(lu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_factors_solve_real_and_complex_systems),
        cmocka_unit_test(a_singular_matrix_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
