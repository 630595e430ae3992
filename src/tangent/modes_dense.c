/* Modes of small models: LAPACK on the minimal form. Coordinates that nothing depends on (columns of A that are 0) are
 * taken out first, one after another: each is an eigenvalue 0, and left in they would stand in Jordan blocks, whose
 * eigenvalues come out as the root of rounding. */
#include "tangent/modes.h"

#include "linear/dense.h"

#include <math.h>
#include <string.h>

/* An entry of A this small against the largest of its row and column is rounding, and that of differences. */
static const double NOTHING = 1e-10;

/* A stiffness matrix is symmetric when it is so to the rounding of its differences; else forces follow the motion. */
static const double SYMMETRIC = 1e-8;

typedef struct Dense {
    CardanModes *modes;
    const CrdTangent *tangent;
    const CardanLinear *linear;
    int n;             /* states */
    double *direction; /* (n x nv) displacements of all bodies by state */
    int kept;
    int *keep; /* states that are not ignorable */
    int number;
} Dense;

static CardanStatus note_direction(void *user, int i, const double *unknowns) {
    Dense *dense = user;
    size_t nv = (size_t)dense->linear->nv;
    memcpy(dense->direction + (size_t)i * nv, unknowns, nv * sizeof *unknowns);
    return CARDAN_OK;
}

/* Displacements of all bodies that a vector of states (kept ones) makes. */
static void expand(const Dense *dense, const double *states, double *x) {
    size_t nv = (size_t)dense->linear->nv;
    memset(x, 0, nv * sizeof *x);
    for (int k = 0; k < dense->kept; k++)
        for (size_t i = 0; i < nv; i++) x[i] += states[k] * dense->direction[(size_t)dense->keep[k] * nv + i];
}

/* ---- ignorable coordinates ---- */

static double entry(const Dense *dense, int i, int k) {
    return dense->linear->A[(size_t)i * (size_t)dense->n + (size_t)k];
}

static bool is_ignorable(const Dense *dense, int column) {
    for (int r = 0; r < dense->kept; r++) {
        int i = dense->keep[r];
        double size = 1.0;
        for (int k = 0; k < dense->n; k++) size = fmax(size, fabs(entry(dense, i, k)));
        if (fabs(entry(dense, i, column)) > NOTHING * size) return false;
    }
    return true;
}

static void leave_out_ignorable(Dense *dense) {
    for (int i = 0; i < dense->n; i++) dense->keep[dense->kept++] = i;
    for (bool again = true; again;) {
        again = false;
        for (int r = 0; r < dense->kept && !again; r++) {
            if (!is_ignorable(dense, dense->keep[r])) continue;
            memmove(dense->keep + r, dense->keep + r + 1, (size_t)(dense->kept - r - 1) * sizeof *dense->keep);
            dense->kept--;
            again = true;
        }
    }
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

static CardanStatus add_damped(Dense *dense, Eigen *eigen, const double *a, double *x) {
    CrdError *error = &dense->tangent->sim->error;
    size_t n = (size_t)eigen->n, nv = (size_t)dense->linear->nv;
    memcpy(eigen->matrix, a, n * n * sizeof *a);
    if (n > 0 && LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'V', eigen->n, eigen->matrix, eigen->n, eigen->re, eigen->im,
                               NULL, eigen->n, eigen->vector, eigen->n) != 0)
        return crd_fail(error, CARDAN_ERR_NUMERIC, "LAPACK found no eigenvalues of the linearised equations");
    for (size_t r = 0; r < n; r++) /* by columns from here on */
        for (size_t c = r + 1; c < n; c++) {
            double keep = eigen->vector[r * n + c];
            eigen->vector[r * n + c] = eigen->vector[c * n + r];
            eigen->vector[c * n + r] = keep;
        }
    int count = wanted_of(dense, sort(eigen));
    CRD_TRY(crd_modes_room(dense->modes, CARDAN_MODES_DAMPED, count, error));
    for (int i = 0; i < count; i++) {
        int k = eigen->order[i];
        bool pair = eigen->im[k] > 0.0;
        expand(dense, eigen->vector + (size_t)k * n, x);
        if (pair) expand(dense, eigen->vector + (size_t)(k + 1) * n, x + nv);
        crd_modes_add(dense->modes, CARDAN_MODES_DAMPED, eigen->re[k], eigen->im[k], residual_of(eigen, a, k), x,
                      pair ? x + nv : NULL);
    }
    return CARDAN_OK;
}

static CardanStatus damped(Dense *dense) {
    CrdError *error = &dense->tangent->sim->error;
    size_t n = (size_t)dense->kept;
    Eigen eigen;
    bool made = eigen_room(&eigen, dense->kept);
    double *a = crd_new(n * n, sizeof *a), *x = crd_new(2 * (size_t)dense->linear->nv, sizeof *x);
    for (size_t r = 0; a != NULL && r < n; r++)
        for (size_t c = 0; c < n; c++) a[r * n + c] = entry(dense, dense->keep[r], dense->keep[c]);
    CardanStatus status = made && a != NULL && x != NULL ? add_damped(dense, &eigen, a, x) : crd_fail_memory(error);
    CRD_DELETE_ALL(a, x);
    eigen_free(&eigen);
    return status;
}

/* ---- undamped ---- */

/* K and M of the independent displacements. */
static void reduce(const Dense *dense, int count, double *k, double *m, double *room) {
    const CrdTangent *tangent = dense->tangent;
    size_t nv = (size_t)tangent->nv, n = (size_t)count;
    CrdSparse over_x = tangent->d; /* its first columns */
    over_x.columns = tangent->nv;
    for (size_t c = 0; c < n; c++) {
        const double *x = dense->direction + c * nv;
        memset(room, 0, (2 * nv + (size_t)tangent->nz) * sizeof *room);
        crd_sparse_times(&over_x, 1.0, x, room + nv);
        crd_sparse_times(&tangent->mass, 1.0, x, room);
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

/* omega^2 below rounding of the largest is 0. */
static void add_undamped(Dense *dense, double square, double residual, const double *x) {
    double root = sqrt(fabs(square));
    crd_modes_add(dense->modes, CARDAN_MODES_UNDAMPED, square < 0.0 ? root : 0.0, square > 0.0 ? root : 0.0, residual,
                  x, NULL);
}

static CardanStatus solve_undamped(Dense *dense, int n, double *k, double *m, double *w, double *room) {
    CrdError *error = &dense->tangent->sim->error;
    size_t nv = (size_t)dense->linear->nv;
    int kept = dense->kept;
    if (!symmetrise(k, n)) return CARDAN_OK; /* follower forces: undamped modes are not what they are elsewhere */
    if (LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'U', n, k, n, m, n, w) != 0)
        return crd_fail(error, CARDAN_ERR_NUMERIC, "the mass matrix of the independent coordinates is not positive");
    int count = wanted_of(dense, n);
    CRD_TRY(crd_modes_room(dense->modes, CARDAN_MODES_UNDAMPED, count, error));
    double *states = room, *x = room + n;
    dense->kept = n;
    for (int i = 0; i < n; i++) dense->keep[i] = i;
    for (int i = 0; i < count; i++) { /* by rising omega^2 */
        for (int r = 0; r < n; r++) states[r] = k[(size_t)r * (size_t)n + (size_t)i];
        expand(dense, states, x);
        double largest = fmax(fabs(w[0]), fabs(w[n - 1]));
        add_undamped(dense, fabs(w[i]) <= 1e-13 * largest ? 0.0 : w[i], 0.0, x);
    }
    dense->kept = kept;
    (void)nv;
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

CardanStatus crd_modes_dense(CardanModes *modes, const CrdTangent *tangent, const CardanLinear *linear, bool at_rest,
                             int number) {
    CrdError *error = &tangent->sim->error;
    Dense dense = {modes, tangent, linear, linear->states, NULL, 0, NULL, number};
    dense.direction = crd_new((size_t)linear->states * (size_t)linear->nv, sizeof(double));
    dense.keep = crd_new((size_t)linear->states, sizeof(int));
    CardanStatus status = dense.direction == NULL || dense.keep == NULL
                              ? crd_fail_memory(error)
                              : crd_linear_directions(linear, error, note_direction, &dense);
    /* nonholonomic rows have no place in K and M alone */
    bool whole = linear->independent.positions == linear->independent.velocities;
    if (status >= 0 && at_rest && whole && linear->independent.positions > 0) status = undamped(&dense);
    dense.kept = 0;
    if (status >= 0) {
        leave_out_ignorable(&dense);
        status = damped(&dense);
    }
    CRD_DELETE_ALL(dense.direction, dense.keep);
    return status;
}
