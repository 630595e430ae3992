/* Modes of small models: LAPACK on the minimal form.
 *
 * Directions that nothing depends on, A n = 0, are taken out first, one after another: with Q the reflection that takes
 * n to the first axis
 *     Q A Q = [0 r; 0 A2]        x = Q (r y / lambda, y)        A2 y = lambda y
 * Each is an eigenvalue 0; left in, they would stand in Jordan blocks, whose eigenvalues come out as the root of
 * rounding. */
#include "tangent/modes.h"

#include "linear/dense.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* A singular value of A this small against the largest is the noise of derivatives that are differences (1e-11). */
static const double NOTHING = 1e-10;

/* A stiffness matrix is symmetric when it is so to the rounding of its differences; else forces follow the motion. */
static const double SYMMETRIC = 1e-8;

/* omega^2 this small against the largest is rounding. */
static const double ZERO = 1e-13;

typedef struct Dense {
    CardanModes *modes;
    const CrdTangent *tangent;
    const CardanLinear *linear;
    int n;             /* states */
    double *direction; /* (n x nv) displacements of all bodies by state */
    int number;
    double *a;       /* (kept x kept) what is left of A, row-major */
    int kept;        /* states that are left */
    double *reflect; /* (n x n) level l: vector of its reflection, n - l long */
    double *row;     /* (n x n) level l: r, n - l - 1 long */
    double *room;    /* (3 n n) */
} Dense;

static CardanStatus note_direction(void *user, int i, const double *unknowns) {
    Dense *dense = user;
    size_t nv = (size_t)dense->linear->nv;
    memcpy(dense->direction + (size_t)i * nv, unknowns, nv * sizeof *unknowns);
    return CARDAN_OK;
}

/* Displacements of all bodies that a vector of states makes. */
static void expand(const Dense *dense, int count, const double *states, double *x) {
    assert(count >= 0);
    size_t nv = (size_t)dense->linear->nv;
    memset(x, 0, nv * sizeof *x);
    for (int k = 0; k < count; k++)
        for (size_t i = 0; i < nv; i++) x[i] += states[k] * dense->direction[(size_t)k * nv + i];
}

/* ---- directions that nothing depends on ---- */

/* One of them, 1 long, into x; false: there is none. */
static bool find_null(const Dense *dense, double *x) {
    int n = dense->kept;
    size_t m = (size_t)n;
    double *copy = dense->room, *vt = copy + m * m, *values = vt + m * m, *work = values + m;
    memcpy(copy, dense->a, m * m * sizeof *copy);
    if (n == 0 || LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'A', n, n, copy, n, values, NULL, n, vt, n, work) != 0)
        return false;
    memcpy(x, vt + (m - 1) * m, m * sizeof *x);
    return values[n - 1] <= NOTHING * values[0];
}

/* x <- x - 2 u (u . x), stride apart. */
static void mirror(const double *u, int n, double *x, int stride) {
    assert(n > 0 && stride > 0);
    double s = 0.0;
    for (int i = 0; i < n; i++) s += u[i] * x[(size_t)i * (size_t)stride];
    for (int i = 0; i < n; i++) x[(size_t)i * (size_t)stride] -= 2.0 * s * u[i];
}

/* Takes direction x out of a: u of the reflection that leads it to +- the first axis. */
static void deflate(Dense *dense, const double *x) {
    int n = dense->kept, level = dense->n - n;
    size_t m = (size_t)n, side = (size_t)dense->n;
    double *u = dense->reflect + (size_t)level * side, *r = dense->row + (size_t)level * side, length = 0.0;
    memcpy(u, x, m * sizeof *u);
    u[0] += x[0] >= 0.0 ? 1.0 : -1.0;
    for (size_t i = 0; i < m; i++) length += u[i] * u[i];
    for (size_t i = 0; i < m; i++) u[i] /= sqrt(length);
    for (int i = 0; i < n; i++) mirror(u, n, dense->a + (size_t)i * m, 1);
    for (int i = 0; i < n; i++) mirror(u, n, dense->a + i, n);
    if (m > 1) memcpy(r, dense->a + 1, (m - 1) * sizeof *r);
    for (size_t i = 1; i < m; i++) memmove(dense->a + (i - 1) * (m - 1), dense->a + i * m + 1, (m - 1) * sizeof *r);
    dense->kept--;
}

/* An eigenvector of what is left becomes one of A: re and im (n), of which the first `kept` numbers are given. */
static void put_back(const Dense *dense, double lambda_re, double lambda_im, double *re, double *im) {
    double square = lambda_re * lambda_re + lambda_im * lambda_im;
    for (int m = dense->kept; m < dense->n; m++) {
        int level = dense->n - m - 1;
        const double *r = dense->row + (size_t)level * (size_t)dense->n;
        double a = 0.0, b = 0.0;
        for (int i = 0; i < m; i++) {
            a += r[i] * re[i];
            b += r[i] * im[i];
        }
        memmove(re + 1, re, (size_t)m * sizeof *re);
        memmove(im + 1, im, (size_t)m * sizeof *im);
        re[0] = square > 0.0 ? (a * lambda_re + b * lambda_im) / square : 0.0;
        im[0] = square > 0.0 ? (b * lambda_re - a * lambda_im) / square : 0.0;
        mirror(dense->reflect + (size_t)level * (size_t)dense->n, m + 1, re, 1);
        mirror(dense->reflect + (size_t)level * (size_t)dense->n, m + 1, im, 1);
    }
}

static void leave_out_ignorable(Dense *dense) {
    size_t n = (size_t)dense->n;
    double *x = dense->room + 3 * n * n + 2 * n;
    memcpy(dense->a, dense->linear->A, n * n * sizeof *dense->a);
    dense->kept = dense->n;
    while (find_null(dense, x)) deflate(dense, x);
    dense->modes->ignorable = dense->n - dense->kept;
}

/* ---- eigenvalues ---- */

typedef struct Eigen {
    int n;
    double *matrix, *re, *im, *vector; /* vector by columns */
    int *order;
} Eigen;

static bool eigen_room(Eigen *eigen, int n) {
    size_t m = (size_t)n;
    *eigen = (Eigen){n,
                     crd_new(m * m, sizeof(double)),
                     crd_new(m, sizeof(double)),
                     crd_new(m, sizeof(double)),
                     crd_new(m * m, sizeof(double)),
                     crd_new(m, sizeof(int))};
    return eigen->matrix != NULL && eigen->re != NULL && eigen->im != NULL && eigen->vector != NULL &&
           eigen->order != NULL;
}

static void eigen_free(Eigen *eigen) {
    CRD_DELETE_ALL(eigen->matrix, eigen->re, eigen->im, eigen->vector, eigen->order);
}

/* By rising size; of a pair the one with positive imaginary part alone. Their number. */
static int sort(Eigen *eigen) {
    int count = 0;
    for (int i = 0; i < eigen->n; i++) {
        if (eigen->im[i] < 0.0) continue;
        int k = count++;
        double size = hypot(eigen->re[i], eigen->im[i]);
        for (; k > 0; k--) {
            int before = eigen->order[k - 1];
            if (hypot(eigen->re[before], eigen->im[before]) <= size) break;
            eigen->order[k] = before;
        }
        eigen->order[k] = i;
    }
    return count;
}

/* Residual of eigenvalue i of the row-major matrix a, against its largest terms. */
static double residual_of(const Eigen *eigen, const double *a, int i) {
    assert(i >= 0);
    size_t n = (size_t)eigen->n;
    bool pair = eigen->im[i] > 0.0;
    const double *x = eigen->vector + (size_t)i * n, *y = pair ? x + n : NULL;
    double worst = 0.0, size = 0.0;
    for (size_t r = 0; r < n; r++) {
        double u = -eigen->re[i] * x[r] + (pair ? eigen->im[i] * y[r] : 0.0);
        double w = pair ? -eigen->re[i] * y[r] - eigen->im[i] * x[r] : 0.0, terms = hypot(u, w);
        for (size_t k = 0; k < n; k++) {
            u += a[r * n + k] * x[k];
            terms += fabs(a[r * n + k] * x[k]);
            if (pair) w += a[r * n + k] * y[k];
        }
        worst = fmax(worst, hypot(u, w));
        size = fmax(size, terms);
    }
    return size > 0.0 ? worst / size : 0.0;
}

static int wanted_of(const Dense *dense, int count) {
    return dense->number > 0 && dense->number < count ? dense->number : count;
}

/* ---- damped ---- */

/* Of a matrix by columns its transpose. */
static void turn_over(double *matrix, int count) {
    assert(count >= 0);
    size_t n = (size_t)count;
    for (size_t r = 0; r < n; r++)
        for (size_t c = r + 1; c < n; c++) {
            double keep = matrix[r * n + c];
            matrix[r * n + c] = matrix[c * n + r];
            matrix[c * n + r] = keep;
        }
}

static void add_one(Dense *dense, const Eigen *eigen, int k, double *x) {
    assert(k >= 0);
    size_t n = (size_t)eigen->n, nv = (size_t)dense->linear->nv, all = (size_t)dense->n;
    bool pair = eigen->im[k] > 0.0;
    double *re = dense->room, *im = re + all;
    memset(re, 0, 2 * all * sizeof *re);
    memcpy(re, eigen->vector + (size_t)k * n, n * sizeof *re);
    if (pair) memcpy(im, eigen->vector + ((size_t)k + 1) * n, n * sizeof *im);
    put_back(dense, eigen->re[k], eigen->im[k], re, im);
    expand(dense, dense->n, re, x);
    if (pair) expand(dense, dense->n, im, x + nv);
    crd_modes_add(dense->modes, CARDAN_MODES_DAMPED, eigen->re[k], eigen->im[k], residual_of(eigen, dense->a, k), x,
                  pair ? x + nv : NULL);
}

static CardanStatus solve_damped(Dense *dense, Eigen *eigen, double *x) {
    CrdError *error = &dense->tangent->sim->error;
    size_t n = (size_t)eigen->n;
    memcpy(eigen->matrix, dense->a, n * n * sizeof *eigen->matrix);
    if (n > 0 && LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'V', eigen->n, eigen->matrix, eigen->n, eigen->re, eigen->im,
                               NULL, eigen->n, eigen->vector, eigen->n) != 0)
        return crd_fail(error, CARDAN_ERR_NUMERIC, "LAPACK found no eigenvalues of the linearised equations");
    turn_over(eigen->vector, eigen->n);
    int count = wanted_of(dense, sort(eigen));
    CRD_TRY(crd_modes_room(dense->modes, CARDAN_MODES_DAMPED, count, error));
    for (int i = 0; i < count; i++) add_one(dense, eigen, eigen->order[i], x);
    return CARDAN_OK;
}

static CardanStatus damped(Dense *dense) {
    Eigen eigen;
    bool made = eigen_room(&eigen, dense->kept);
    double *x = crd_new(2 * (size_t)dense->linear->nv, sizeof *x);
    CardanStatus status =
        made && x != NULL ? solve_damped(dense, &eigen, x) : crd_fail_memory(&dense->tangent->sim->error);
    crd_delete(x);
    eigen_free(&eigen);
    return status;
}

/* ---- undamped ---- */

/* K and M of the independent displacements. */
static void reduce(const Dense *dense, int count, double *k, double *m, double *room) {
    const CrdTangent *tangent = dense->tangent;
    size_t nv = (size_t)tangent->nv, n = (size_t)count;
    CrdCompressed over_x = tangent->d; /* its first columns */
    over_x.columns = tangent->nv;
    for (size_t c = 0; c < n; c++) {
        const double *x = dense->direction + c * nv;
        memset(room, 0, (2 * nv + (size_t)tangent->nz) * sizeof *room);
        crd_compressed_times(&over_x, 1.0, x, room + nv);
        crd_compressed_times(&tangent->mass, 1.0, x, room);
        for (size_t r = 0; r < n; r++) {
            const double *y = dense->direction + r * nv;
            double sum_k = 0.0, sum_m = 0.0;
            for (size_t i = 0; i < nv; i++) {
                sum_k += y[i] * room[nv + i];
                sum_m += y[i] * room[i];
            }
            k[r * n + c] = sum_k;
            m[r * n + c] = sum_m;
        }
    }
}

/* Makes k symmetric; false: it is not. */
static bool symmetrise(double *k, int count) {
    assert(count >= 0);
    size_t n = (size_t)count;
    double size = 0.0, odd = 0.0;
    for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(k[i]));
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < r; c++) {
            double mean = 0.5 * (k[r * n + c] + k[c * n + r]);
            odd = fmax(odd, fabs(k[r * n + c] - mean));
            k[r * n + c] = k[c * n + r] = mean;
        }
    return odd <= SYMMETRIC * size;
}

static void add_undamped(Dense *dense, double square, double residual, const double *x) {
    double root = sqrt(fabs(square));
    crd_modes_add(dense->modes, CARDAN_MODES_UNDAMPED, square < 0.0 ? root : 0.0, square > 0.0 ? root : 0.0, residual,
                  x, NULL);
}

static CardanStatus solve_undamped(Dense *dense, int n, double *k, double *m, double *w, double *room) {
    CrdError *error = &dense->tangent->sim->error;
    if (!symmetrise(k, n))
        return CARDAN_OK; /* forces that turn with bodies: undamped modes are not what they are elsewhere */
    if (LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'U', n, k, n, m, n, w) != 0)
        return crd_fail(error, CARDAN_ERR_NUMERIC, "the mass matrix of the independent coordinates is not positive");
    int count = wanted_of(dense, n);
    CRD_TRY(crd_modes_room(dense->modes, CARDAN_MODES_UNDAMPED, count, error));
    double *states = room, *x = room + n;
    double largest = fmax(fabs(w[0]), fabs(w[n - 1]));
    int below = 0; /* negative ones stand first: the two ends of a sorted list are merged by size */
    while (below < n && w[below] < 0.0) below++;
    for (int done = 0, down = below - 1, up = below; done < count; done++) {
        int i = up >= n || (down >= 0 && -w[down] < w[up]) ? down-- : up++;
        for (int r = 0; r < n; r++) states[r] = k[(size_t)r * (size_t)n + (size_t)i];
        expand(dense, n, states, x);
        add_undamped(dense, fabs(w[i]) <= ZERO * largest ? 0.0 : w[i], 0.0, x);
    }
    return CARDAN_OK;
}

static CardanStatus undamped(Dense *dense) {
    int n = dense->linear->independent.positions;
    size_t m = (size_t)n, nv = (size_t)dense->linear->nv;
    double *k = crd_new(m * m, sizeof *k), *mass = crd_new(m * m, sizeof *mass), *w = crd_new(m, sizeof *w);
    double *room = crd_new(m + 2 * nv + (size_t)dense->linear->nz, sizeof *room);
    CardanStatus status = crd_fail_memory(NULL);
    if (k != NULL && mass != NULL && w != NULL && room != NULL) {
        reduce(dense, n, k, mass, room);
        status = solve_undamped(dense, n, k, mass, w, room);
    } else {
        status = crd_fail_memory(&dense->tangent->sim->error);
    }
    CRD_DELETE_ALL(k, mass, w, room);
    return status;
}

static bool allocate(Dense *dense) {
    size_t n = (size_t)dense->n, real = sizeof(double);
    dense->direction = crd_new(n * (size_t)dense->linear->nv, real);
    dense->a = crd_new(n * n, real);
    dense->reflect = crd_new(n * n, real);
    dense->row = crd_new(n * n, real);
    dense->room = crd_new(3 * n * n + 3 * n, real);
    return dense->direction != NULL && dense->a != NULL && dense->reflect != NULL && dense->row != NULL &&
           dense->room != NULL;
}

CardanStatus crd_modes_dense(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, bool at_rest,
                             int number) {
    CrdError *error = &tangent->sim->error;
    Dense dense = {.modes = modes, .tangent = tangent, .linear = linear, .n = linear->states, .number = number};
    CardanStatus status =
        allocate(&dense) ? crd_linear_directions(linear, error, note_direction, &dense) : crd_fail_memory(error);
    /* nonholonomic rows have no place in K and M alone */
    bool whole = linear->independent.positions == linear->independent.velocities;
    if (status >= 0 && at_rest && whole && linear->independent.positions > 0) status = undamped(&dense);
    if (status >= 0) leave_out_ignorable(&dense);
    if (status >= 0) status = damped(&dense);
    CRD_DELETE_ALL(dense.direction, dense.a, dense.reflect, dense.row, dense.room);
    return status;
}
