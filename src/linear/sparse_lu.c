#include "linear/sparse_lu.h"

#include "core/complex.h"
#include "core/memory.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

/* A pivot on the diagonal is taken while it is at least this part of the largest in its column: the order was chosen
 * for it, and a growth of 100 in a step costs two digits of a correction. */
#define CRD_LU_DIAGONAL 0.01

/* Singular to rounding: pivots so far apart leave no digit. */
#define CRD_LU_SINGULAR (4.0 * DBL_EPSILON)

typedef double complex Complex;

struct CrdSparseLu {
    int n;
    bool is_complex;
    const int *start, *row;           /* the pattern, not owned */
    int *order;                       /* (n) columns in the order they are eliminated */
    int *pivot_of;                    /* (n) by row: the column it was the pivot of; -1: of none so far */
    int *row_of;                      /* (n) its inverse */
    int *found, top;                  /* (n) rows that are not zero in the present column, from top on */
    int *stack, *next, *mark, stamp;  /* (n) of the search */
    int *l_start, *l_row;             /* L by columns, rows as they were before */
    int *u_start, *u_row;             /* U by columns, rows by pivot, without the diagonal */
    long l_room, u_room;              /* entries */
    void *l_value, *u_value;          /* numbers */
    void *diagonal, *work, *values;   /* (n), (n), (entries) numbers */
    double *row_scale, *column_scale; /* (n) */
    double least, most;               /* pivots */
};

/* ---- the pattern of the orthogonal factor ---- */

/* Rows are merged where their first column is eliminated; what is left of them goes on to the next column they have. */
typedef struct Merge {
    int *first, *following; /* rows, and merged sets, by first column: lists */
    int *set_start;         /* (n + 1) where the set of each column starts */
    int *set, capacity;
    int *left; /* (n) rows left of each set when its column is gone */
    int *mark;
    int *position;           /* (n) of each column in the order */
    int *row_start, *column; /* the pattern by rows */
    long long l, u;
} Merge;

static void merge_free(Merge *m) {
    CRD_DELETE_ALL(m->first, m->following, m->set_start, m->set, m->left, m->mark, m->position, m->row_start,
                   m->column);
}

static bool merge_open(Merge *m, const CrdSparseLu *lu) {
    size_t n = (size_t)lu->n;
    m->first = crd_new(n, sizeof(int));
    m->following = crd_new(2 * n, sizeof(int));
    m->set_start = crd_new(n + 1, sizeof(int));
    m->left = crd_new(n, sizeof(int));
    m->mark = crd_new(n, sizeof(int));
    m->position = crd_new(n, sizeof(int));
    m->row_start = crd_new(n + 2, sizeof(int));
    m->column = crd_new((size_t)lu->start[n], sizeof(int));
    if (m->first == NULL || m->following == NULL || m->set_start == NULL || m->left == NULL || m->mark == NULL ||
        m->position == NULL || m->row_start == NULL || m->column == NULL)
        return false;
    for (int k = 0; k < lu->n; k++) m->position[lu->order[k]] = k;
    for (int i = 0; i < lu->start[n]; i++) m->row_start[lu->row[i] + 2]++;
    for (size_t r = 2; r <= n + 1; r++) m->row_start[r] += m->row_start[r - 1];
    for (int k = 0; k < lu->n; k++) /* columns of each row come sorted */
        for (int i = lu->start[lu->order[k]]; i < lu->start[lu->order[k] + 1]; i++)
            m->column[m->row_start[lu->row[i] + 1]++] = k;
    for (size_t i = 0; i < n; i++) m->first[i] = m->mark[i] = -1;
    for (int r = 0; r < lu->n; r++) {
        if (m->row_start[r] == m->row_start[r + 1]) continue;
        int k = m->column[m->row_start[r]];
        m->following[r] = m->first[k];
        m->first[k] = r;
    }
    return true;
}

static bool merge_column(Merge *m, int n, int k) {
    int end = m->set_start[k], rows = 0, next = INT_MAX;
    for (int item = m->first[k]; item >= 0; item = m->following[item]) {
        bool is_row = item < n;
        int from = is_row ? m->row_start[item] : m->set_start[item - n];
        int to = is_row ? m->row_start[item + 1] : m->set_start[item - n + 1];
        rows += is_row ? 1 : m->left[item - n];
        if (!crd_grow(&m->set, &m->capacity, end + to - from + 1, sizeof *m->set)) return false;
        for (int i = from; i < to; i++) {
            int c = is_row ? m->column[i] : m->set[i];
            if (c <= k || m->mark[c] == k) continue;
            m->mark[c] = k;
            m->set[end++] = c;
            if (c < next) next = c;
        }
    }
    m->set_start[k + 1] = end;
    m->left[k] = rows - 1;
    m->l += rows > 0 ? rows - 1 : 0;
    m->u += end - m->set_start[k];
    if (rows <= 1 || next == INT_MAX) return true;
    m->following[n + k] = m->first[next];
    m->first[next] = n + k;
    return true;
}

static CardanStatus bound(CrdSparseLu *lu, CrdError *error) {
    Merge m = {0};
    bool fine = merge_open(&m, lu);
    for (int k = 0; fine && k < lu->n; k++) fine = merge_column(&m, lu->n, k) && m.u <= INT_MAX / 4;
    merge_free(&m);
    if (m.u > INT_MAX / 4 || m.l > INT_MAX / 4)
        return crd_fail(error, CARDAN_ERR_LIMIT, "the factors of a step matrix of order %d are too large", lu->n);
    if (!fine) return crd_fail_memory(error);
    lu->l_room = (long)m.l;
    lu->u_room = (long)m.u;
    return CARDAN_OK;
}

/* ---- creation ---- */

/* The pattern of A^T A, upper and lower: columns are coupled that share a row. */
typedef struct Square {
    int *row_start, *column; /* A by rows */
    int *start, *item, *mark;
} Square;

static bool list_rows(Square *q, const CrdSparseLu *lu) {
    size_t n = (size_t)lu->n;
    q->row_start = crd_new(n + 2, sizeof(int));
    q->column = crd_new((size_t)lu->start[n], sizeof(int));
    q->start = crd_new(n + 1, sizeof(int));
    q->mark = crd_new(n, sizeof(int));
    if (q->row_start == NULL || q->column == NULL || q->start == NULL || q->mark == NULL) return false;
    for (int i = 0; i < lu->start[n]; i++) q->row_start[lu->row[i] + 2]++;
    for (size_t r = 2; r <= n + 1; r++) q->row_start[r] += q->row_start[r - 1];
    for (int c = 0; c < lu->n; c++)
        for (int i = lu->start[c]; i < lu->start[c + 1]; i++) q->column[q->row_start[lu->row[i] + 1]++] = c;
    return true;
}

static long long couple(Square *q, const CrdSparseLu *lu, int c, int *out) {
    long long count = 0;
    for (int i = lu->start[c]; i < lu->start[c + 1]; i++)
        for (int k = q->row_start[lu->row[i]]; k < q->row_start[lu->row[i] + 1]; k++) {
            if (q->mark[q->column[k]] == c) continue;
            q->mark[q->column[k]] = c;
            if (out != NULL) out[count] = q->column[k];
            count++;
        }
    return count;
}

static CardanStatus order(CrdSparseLu *lu, CrdError *error) {
    Square q = {0};
    long long total = 0;
    bool fine = list_rows(&q, lu);
    for (int c = 0; fine && c < lu->n; c++) q.mark[c] = -1;
    for (int c = 0; fine && c < lu->n; c++) {
        total += couple(&q, lu, c, NULL);
        fine = total <= INT_MAX;
        q.start[c + 1] = (int)total;
    }
    q.item = fine ? crd_new((size_t)total, sizeof(int)) : NULL;
    fine = fine && q.item != NULL;
    for (int c = 0; fine && c < lu->n; c++) q.mark[c] = -1;
    for (int c = 0; fine && c < lu->n; c++) couple(&q, lu, c, q.item + q.start[c]);
    int status = fine ? amd_order(lu->n, q.start, q.item, lu->order, NULL, NULL) : AMD_OUT_OF_MEMORY;
    CRD_DELETE_ALL(q.row_start, q.column, q.start, q.item, q.mark);
    if (status == AMD_OUT_OF_MEMORY) return crd_fail_memory(error);
    assert(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
    return CARDAN_OK;
}

static CardanStatus take(CrdSparseLu *lu, CrdError *error) {
    size_t n = (size_t)lu->n, number = lu->is_complex ? sizeof(Complex) : sizeof(double);
    lu->l_row = crd_new((size_t)lu->l_room, sizeof(int));
    lu->u_row = crd_new((size_t)lu->u_room, sizeof(int));
    lu->l_value = crd_new((size_t)lu->l_room, number);
    lu->u_value = crd_new((size_t)lu->u_room, number);
    lu->diagonal = crd_new(n, number);
    lu->work = crd_new(n, number);
    lu->values = crd_new((size_t)lu->start[n], number);
    bool fine = lu->l_row != NULL && lu->u_row != NULL && lu->l_value != NULL && lu->u_value != NULL &&
                lu->diagonal != NULL && lu->work != NULL && lu->values != NULL;
    return fine ? CARDAN_OK : crd_fail_memory(error);
}

CardanStatus crd_sparse_lu_create(int n, const int *start, const int *row, bool is_complex, CrdSparseLu **out,
                                  CrdError *error) {
    CrdSparseLu *lu = crd_new(1, sizeof *lu);
    *out = lu;
    if (lu == NULL) return crd_fail_memory(error);
    *lu = (CrdSparseLu){.n = n, .is_complex = is_complex, .start = start, .row = row};
    int **vectors[] = {&lu->order, &lu->pivot_of, &lu->row_of, &lu->found, &lu->stack, &lu->next, &lu->mark};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = crd_new((size_t)n, sizeof(int));
        if (*vectors[i] == NULL) return crd_fail_memory(error);
    }
    lu->l_start = crd_new((size_t)n + 1, sizeof(int));
    lu->u_start = crd_new((size_t)n + 1, sizeof(int));
    lu->row_scale = crd_new((size_t)n, sizeof(double));
    lu->column_scale = crd_new((size_t)n, sizeof(double));
    if (lu->l_start == NULL || lu->u_start == NULL || lu->row_scale == NULL || lu->column_scale == NULL)
        return crd_fail_memory(error);
    CRD_TRY(order(lu, error));
    CRD_TRY(bound(lu, error));
    return take(lu, error);
}

void crd_sparse_lu_destroy(CrdSparseLu *lu) {
    if (lu == NULL) return;
    CRD_DELETE_ALL(lu->order, lu->pivot_of, lu->row_of, lu->found, lu->stack, lu->next, lu->mark, lu->l_start,
                   lu->u_start, lu->l_row, lu->u_row, lu->l_value, lu->u_value, lu->diagonal, lu->work, lu->values,
                   lu->row_scale, lu->column_scale);
    crd_delete(lu);
}

long crd_sparse_lu_entries(const CrdSparseLu *lu) {
    return (long)lu->l_start[lu->n] + lu->u_start[lu->n] + lu->n;
}

long crd_sparse_lu_room(const CrdSparseLu *lu) {
    return lu->l_room + lu->u_room + lu->n;
}

/* ---- the search ---- */

/* Depth first from row r over the columns of L: what becomes nonzero, each row before those it changes. */
static void reach(CrdSparseLu *lu, int r) {
    int depth = 0;
    lu->stack[0] = r;
    lu->mark[r] = lu->stamp;
    lu->next[0] = lu->pivot_of[r] >= 0 ? lu->l_start[lu->pivot_of[r]] : 0;
    while (depth >= 0) {
        int at = lu->stack[depth], j = lu->pivot_of[at], end = j >= 0 ? lu->l_start[j + 1] : 0;
        int i = lu->next[depth];
        while (i < end && lu->mark[lu->l_row[i]] == lu->stamp) i++;
        if (i >= end) {
            lu->found[--lu->top] = at;
            depth--;
            continue;
        }
        int to = lu->l_row[i];
        lu->next[depth] = i + 1;
        lu->mark[to] = lu->stamp;
        lu->stack[++depth] = to;
        lu->next[depth] = lu->pivot_of[to] >= 0 ? lu->l_start[lu->pivot_of[to]] : 0;
    }
}

static void search(CrdSparseLu *lu, int column) {
    lu->top = lu->n;
    lu->stamp++;
    for (int i = lu->start[column]; i < lu->start[column + 1]; i++)
        if (lu->mark[lu->row[i]] != lu->stamp) reach(lu, lu->row[i]);
}

/* ---- numbers ---- */

static inline double part(double x) {
    return fabs(x);
}

static inline double part_complex(Complex x) {
    return fabs(creal(x)) + fabs(cimag(x));
}

/* Products by parts: those of the language look for infinities, which are refused here. */
static inline Complex less_product(Complex x, Complex l, Complex u) {
    double a = creal(l), b = cimag(l), c = creal(u), d = cimag(u);
    return crd_complex(creal(x) - (a * c - b * d), cimag(x) - (a * d + b * c));
}

static inline Complex quotient(Complex x, Complex y) {
    double a = creal(y), b = cimag(y), s = 1.0 / (a * a + b * b);
    return crd_complex((creal(x) * a + cimag(x) * b) * s, (cimag(x) * a - creal(x) * b) * s);
}

#define NUMBER double
#define OF(name) name##_real
#define LESS(x, l, u) ((x) - (l) * (u))
#define OVER(x, y) ((x) / (y))
#define TIMES(x, s) ((x) * (s))
#define SIZE(x) part(x)
#include "linear/sparse_lu_kernels.h"
#undef NUMBER
#undef OF
#undef LESS
#undef OVER
#undef TIMES
#undef SIZE

#define NUMBER Complex
#define OF(name) name##_complex
#define LESS(x, l, u) less_product(x, l, u)
#define OVER(x, y) quotient(x, y)
#define TIMES(x, s) crd_complex(creal(x) * (s), cimag(x) * (s))
#define SIZE(x) part_complex(x)
#include "linear/sparse_lu_kernels.h"

/* Columns, then rows, by their largest entries. */
static void scale(CrdSparseLu *lu) {
    const double *real = lu->values;
    const Complex *both = lu->values;
    memset(lu->row_scale, 0, (size_t)lu->n * sizeof *lu->row_scale);
    for (int c = 0; c < lu->n; c++) {
        double largest = 0.0;
        for (int i = lu->start[c]; i < lu->start[c + 1]; i++)
            largest = fmax(largest, lu->is_complex ? part_complex(both[i]) : part(real[i]));
        lu->column_scale[c] = largest > 0.0 ? 1.0 / largest : 1.0;
        for (int i = lu->start[c]; i < lu->start[c + 1]; i++) {
            double size = lu->column_scale[c] * (lu->is_complex ? part_complex(both[i]) : part(real[i]));
            lu->row_scale[lu->row[i]] = fmax(lu->row_scale[lu->row[i]], size);
        }
    }
    for (int r = 0; r < lu->n; r++) lu->row_scale[r] = lu->row_scale[r] > 0.0 ? 1.0 / lu->row_scale[r] : 1.0;
    for (int c = 0; c < lu->n; c++)
        for (int i = lu->start[c]; i < lu->start[c + 1]; i++) {
            double s = lu->column_scale[c] * lu->row_scale[lu->row[i]];
            if (lu->is_complex)
                ((Complex *)lu->values)[i] = crd_complex(creal(both[i]) * s, cimag(both[i]) * s);
            else
                ((double *)lu->values)[i] *= s;
        }
}

/* Factors what stands in values. */
static CardanStatus factor(CrdSparseLu *lu, double *weakest) {
    scale(lu);
    lu->least = (double)INFINITY;
    lu->most = 0.0;
    lu->stamp = 0;
    memset(lu->mark, 0, (size_t)lu->n * sizeof *lu->mark);
    for (int r = 0; r < lu->n; r++) lu->pivot_of[r] = -1;
    bool done = lu->is_complex ? factor_complex(lu, lu->values) : factor_real(lu, lu->values);
    *weakest = !done ? (double)NAN : lu->n == 0 ? 1.0 : lu->least / lu->most;
    return *weakest > CRD_LU_SINGULAR ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

CardanStatus crd_sparse_lu_factor(CrdSparseLu *lu, double first, const double *a, const double *b, double *weakest) {
    assert(!lu->is_complex);
    double *values = lu->values;
    for (int i = 0; i < lu->start[lu->n]; i++) values[i] = first * a[i] + b[i];
    return factor(lu, weakest);
}

CardanStatus crd_sparse_lu_factor_complex(CrdSparseLu *lu, double complex first, const double *a, const double *b,
                                          double *weakest) {
    assert(lu->is_complex);
    Complex *values = lu->values;
    for (int i = 0; i < lu->start[lu->n]; i++) values[i] = crd_complex(creal(first) * a[i] + b[i], cimag(first) * a[i]);
    return factor(lu, weakest);
}

CardanStatus crd_sparse_lu_solve(CrdSparseLu *lu, double *x) {
    assert(!lu->is_complex);
    sweep_real(lu, x);
    double sum = 0.0; /* not finite if one of them is not */
    for (int i = 0; i < lu->n; i++) sum += 0.0 * x[i];
    return sum == 0.0 ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

CardanStatus crd_sparse_lu_solve_complex(CrdSparseLu *lu, double complex *x) {
    assert(lu->is_complex);
    sweep_complex(lu, x);
    double sum = 0.0;
    for (int i = 0; i < lu->n; i++) sum += 0.0 * creal(x[i]) + 0.0 * cimag(x[i]);
    return sum == 0.0 ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}
