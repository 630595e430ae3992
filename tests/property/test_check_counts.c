/* Freedoms and redundant rows as `check` counts them, over random mechanisms (support/made_model.h), beside a dense
 * computation that shares nothing with the library: rows by geometry, their Jacobian by central differences, its rank
 * by singular values; generic where it is largest, here or in poses near by that close all joints again.
 *
 * A pose near by is reached along a feasible direction and Gauss-Newton steps whose truncation falls from coarse to
 * fine, as one that starts off the manifold next to a singular pose must not follow small singular values. */
#include "support/check.h"
#include "support/made_model.h"
#include "support/random.h"
#include "support/sample.h"

#include <lapacke.h>

enum { MODELS = 500, BYTES = 400, COLUMNS = 6 * MADE_BODIES, MOVES = 8, NEWTON = 40 };

#define WIDTH 1e-5    /* of differences: errors of about 1e-10 */
#define RANK_TOL 1e-5 /* of the largest singular value of rows of length 1: far above those errors */
#define CLOSED 1e-13  /* of a pose near by: where rows touch, a residual of e leaves a singular value of sqrt(e) */
static const double COARSE[] = {1e-2, 1e-2, 1e-3, 1e-3, 1e-4, 1e-5, 1e-6};
enum { COARSE_COUNT = sizeof COARSE / sizeof COARSE[0] };

typedef struct Dense {
    int rows, holonomic, columns;
    double g[MADE_ROWS];
    double m[MADE_ROWS * COLUMNS]; /* row-major, rows of length 1 */
    double length[MADE_ROWS];      /* of the rows before */
    double u[MADE_ROWS * MADE_ROWS], s[MADE_ROWS], vt[COLUMNS * COLUMNS];
    int rank;
} Dense;

/* Column c of the velocities: which body, and what of it. */
typedef struct Column {
    int body;
    double dx[3], dw[3];
} Column;

static int columns_of(const Made *made, Column *columns) {
    int n = 0;
    bool planar = made->space == CARDAN_SPACE_PLANAR;
    for (int i = 1; i <= made->bodies; i++) {
        for (int k = 0; k < (planar ? 2 : 3); k++, n++) {
            columns[n] = (Column){.body = i};
            columns[n].dx[k] = 1.0;
        }
        for (int k = planar ? 2 : 0; k < 3 && !made->particle[i]; k++, n++) {
            columns[n] = (Column){.body = i};
            columns[n].dw[k] = 1.0;
        }
    }
    return n;
}

static void move(Place *places, const Column *column, double by) {
    double dx[3], dw[3];
    for (int k = 0; k < 3; k++) dx[k] = by * column->dx[k], dw[k] = by * column->dw[k];
    place_move(&places[column->body], dx, dw);
}

static void fill(const Made *made, const Place *places, Dense *d) {
    Column columns[COLUMNS];
    double up[MADE_ROWS], down[MADE_ROWS];
    d->columns = columns_of(made, columns);
    d->holonomic = d->rows = made_rows(made, 0.0, places, d->g);
    for (int c = 0; c < d->columns; c++) {
        Place moved[MADE_BODIES + 1];
        memcpy(moved, places, sizeof moved);
        move(moved, &columns[c], WIDTH);
        made_rows(made, 0.0, moved, up);
        memcpy(moved, places, sizeof moved);
        move(moved, &columns[c], -WIDTH);
        made_rows(made, 0.0, moved, down);
        for (int r = 0; r < d->holonomic; r++) d->m[r * COLUMNS + c] = (up[r] - down[r]) / (2.0 * WIDTH);
        memcpy(moved, places, sizeof moved);
        for (int i = 0; i <= made->bodies; i++)
            for (int k = 0; k < 3; k++) moved[i].v[k] = moved[i].w[k] = 0.0;
        memcpy(moved[columns[c].body].v, columns[c].dx, sizeof columns[c].dx);
        memcpy(moved[columns[c].body].w, columns[c].dw, sizeof columns[c].dw);
        int rates = made_rates(made, moved, up);
        for (int r = 0; r < rates; r++) d->m[(d->holonomic + r) * COLUMNS + c] = up[r];
        d->rows = d->holonomic + rates;
    }
}

/* Singular values of the first `rows` rows, scaled to length 1. */
static void decompose(Dense *d, int rows) {
    double work[MADE_ROWS * COLUMNS], spare[MADE_ROWS + COLUMNS];
    for (int r = 0; r < rows; r++) {
        double square = 0.0;
        for (int c = 0; c < d->columns; c++) square += d->m[r * COLUMNS + c] * d->m[r * COLUMNS + c];
        d->length[r] = square > WIDTH * WIDTH ? sqrt(square) : 1.0;
        for (int c = 0; c < d->columns; c++) work[r * d->columns + c] = d->m[r * COLUMNS + c] / d->length[r];
    }
    d->rank = 0;
    if (rows == 0) return;
    lapack_int info = LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', rows, d->columns, work, d->columns, d->s, d->u, rows,
                                     d->vt, d->columns, spare);
    assert_int_equal(info, 0);
    int n = rows < d->columns ? rows : d->columns;
    while (d->rank < n && d->s[d->rank] > RANK_TOL * d->s[0]) d->rank++;
}

/* Gauss-Newton from where the places are; false: it does not close. */
static bool closes(const Made *made, Place *places, Dense *d) {
    Column columns[COLUMNS];
    columns_of(made, columns);
    for (int it = 0; it <= NEWTON; it++) {
        fill(made, places, d);
        double worst = 0.0, tol = COARSE[it < COARSE_COUNT ? it : COARSE_COUNT - 1];
        for (int r = 0; r < d->holonomic; r++) worst = fmax(worst, fabs(d->g[r]));
        if (worst < CLOSED && it >= COARSE_COUNT) return true;
        if (it == NEWTON || worst > 1.0) return false;
        decompose(d, d->holonomic);
        double x[COLUMNS] = {0};
        for (int k = 0; k < d->holonomic && k < d->columns && d->s[k] > tol * d->s[0]; k++) {
            double part = 0.0;
            for (int r = 0; r < d->holonomic; r++) part += d->u[r * d->holonomic + k] * d->g[r] / d->length[r];
            for (int c = 0; c < d->columns; c++) x[c] -= d->vt[k * d->columns + c] * part / d->s[k];
        }
        for (int c = 0; c < d->columns; c++) move(places, &columns[c], x[c]);
    }
    return false;
}

/* The largest rank here and near by; -1: rows are dependent here and no neighbour closes, so that it cannot be told
 * whether only the pose is singular. */
static int generic_rank(const Made *made, Random *random, Dense *d) {
    static Dense near;
    Column columns[COLUMNS];
    int n = columns_of(made, columns);
    fill(made, made->written, d);
    decompose(d, d->rows);
    int best = d->rank, rows = d->rows, closed = 0, tried = 0;
    static Dense holonomic;
    holonomic = *d;
    decompose(&holonomic, holonomic.holonomic);
    for (int i = 0; i < MOVES && holonomic.rank < n; i++) {
        Place places[MADE_BODIES + 1];
        double x[COLUMNS] = {0}, reach = 0.0;
        memcpy(places, made->written, sizeof places);
        for (int k = holonomic.rank; k < n; k++) {
            double by = random_signed(random);
            for (int c = 0; c < n; c++) x[c] += holonomic.holonomic > 0 ? by * holonomic.vt[k * n + c] : 0.0;
        }
        for (int c = 0; c < n && holonomic.holonomic == 0; c++) x[c] = random_signed(random);
        for (int c = 0; c < n; c++) reach = fmax(reach, fabs(x[c]));
        for (int c = 0; c < n; c++) move(places, &columns[c], x[c] * (i % 2 == 0 ? 0.05 : 0.15) / reach);
        tried++;
        if (!closes(made, places, &near)) continue;
        closed++;
        decompose(&near, near.rows);
        if (near.rank > best) best = near.rank;
    }
    d->rows = rows;
    return tried > 0 && closed == 0 && best < rows ? -1 : best;
}

typedef struct Tally {
    int differ, redundant, singular; /* models: that are counted otherwise, that have such rows, such a pose */
    int untold;                      /* whose rank the dense computation does not know */
} Tally;

/* One mechanism; 1: compared, 0: refused, for reasons that are no matter of rank. */
static int compare(uint64_t seed, Tally *tally) {
    static Made made;
    static Dense dense;
    uint8_t data[BYTES];
    Random random = {seed * 2654435761u + 12345u};
    for (int i = 0; i < BYTES; i++) data[i] = (uint8_t)random_index(&random, 256);
    Bytes bytes = bytes_of(data, sizeof data);
    made_model(&made, &bytes, false);
    CardanModel *model = NULL;
    CardanCheck check = {0};
    CardanStatus status = cardan_builder_compile(made.builder, &model);
    if (status >= 0) status = cardan_model_check(model, &check, NULL, NULL, NULL, 0);
    int rank = status >= 0 ? generic_rank(&made, &random, &dense) : -1;
    bool compared = rank >= 0;
    tally->untold += status >= 0 && !compared;
    if (compared) {
        if (check.rows != dense.rows || check.velocities != dense.columns ||
            check.degrees_of_freedom != dense.columns - rank || check.redundant_rows != dense.rows - rank) {
            print_message("model %d: %d freedoms and %d redundant rows of %d, but %d and %d of %d\n", (int)seed,
                          check.degrees_of_freedom, check.redundant_rows, check.rows, dense.columns - rank,
                          dense.rows - rank, dense.rows);
            tally->differ++;
        }
        tally->redundant += check.redundant_rows > 0;
        tally->singular += check.singular;
    }
    cardan_model_release(model);
    cardan_builder_destroy(made.builder);
    return compared;
}

static void counts_of_freedoms_and_redundant_rows_are_those_of_a_dense_computation(void **state) {
    (void)state;
    int compared = 0, models = sample_of(MODELS, 5);
    Tally tally = {0};
    uint64_t seed = 0;
    for (; compared < models && seed < 4 * MODELS; seed++) compared += compare(seed, &tally);
    print_message("%d models compared of %d made: %d with redundant rows, %d in a singular pose, %d not known\n",
                  compared, (int)seed, tally.redundant, tally.singular, tally.untold);
    assert_int_equal(compared, models);
    assert_int_equal(tally.differ, 0);
    assert_true(tally.untold <= MODELS / 100);
    assert_true(tally.redundant > models / 10 && (SAMPLE_IS_PART || tally.singular > 0)); /* the trial is one */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_freedoms_and_redundant_rows_are_those_of_a_dense_computation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
