/* Branches of the elimination: found where there are some, and factors by threads the same to the bit. */
#include "core/numbers.h"
#include "linear/solver.h"
#include "model/paths.h"
#include "model/postorder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 36, CELLS = SIDE * SIDE, WIDTH = 3, ROWS = CELLS * WIDTH, ENTRIES = 5 * WIDTH * ROWS };

static uint64_t seed = 1;

static double noise(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

/* A square of cells of three rows each, coupled to the four beside it; positive definite. */
typedef struct Square {
    int place[CELLS]; /* of a cell in the elimination */
    int start[ROWS + 1], row[ENTRIES];
    double value[ENTRIES];
    CrdPattern pattern;
} Square;

/* Cells of a rectangle from `next` on, the line through its middle last. */
static int dissect(Square *s, int x, int y, int width, int height, int next) {
    if (width <= 0 || height <= 0) return next;
    if (width == 1 && height == 1) {
        s->place[x + SIDE * y] = next;
        return next + 1;
    }
    if (width >= height) {
        int middle = width / 2;
        next = dissect(s, x, y, middle, height, next);
        next = dissect(s, x + middle + 1, y, width - middle - 1, height, next);
        for (int i = 0; i < height; i++) s->place[x + middle + SIDE * (y + i)] = next++;
    } else {
        int middle = height / 2;
        next = dissect(s, x, y, width, middle, next);
        next = dissect(s, x, y + middle + 1, width, height - middle - 1, next);
        for (int i = 0; i < width; i++) s->place[x + i + SIDE * (y + middle)] = next++;
    }
    return next;
}

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Places of the cell at `place` and of those beside it that come earlier, sorted. */
static int earlier(const Square *s, const int *cell, int place, int *out) {
    int x = cell[place] % SIDE, y = cell[place] / SIDE, count = 0;
    const int beside[5][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int k = 0; k < 5; k++) {
        int u = x + beside[k][0], v = y + beside[k][1];
        if (u < 0 || u >= SIDE || v < 0 || v >= SIDE || s->place[u + SIDE * v] > place) continue;
        out[count++] = s->place[u + SIDE * v];
    }
    qsort(out, (size_t)count, sizeof(int), by_value);
    return count;
}

static void compress(Square *s, const int *cell) {
    int at = 0;
    for (int j = 0; j < ROWS; j++) {
        int places[5], count = earlier(s, cell, j / WIDTH, places);
        for (int k = 0; k < count; k++)
            for (int r = WIDTH * places[k]; r < WIDTH * places[k] + WIDTH && r <= j; r++) {
                s->row[at] = r;
                s->value[at++] = r == j ? 20.0 + noise() : noise();
            }
        s->start[j + 1] = at;
    }
    s->pattern = (CrdPattern){.n = ROWS, .start = s->start, .row = s->row};
}

static Square *square(void) {
    Square *s = room(1, sizeof *s);
    int cell[CELLS];
    seed = 1;
    assert_int_equal(dissect(s, 0, 0, SIDE, SIDE, 0), CELLS);
    for (int i = 0; i < CELLS; i++) cell[s->place[i]] = i;
    compress(s, cell);
    return s;
}

static void residual(const Square *s, const double *x, double *r) {
    for (int j = 0; j < ROWS; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            r[s->row[k]] -= s->value[k] * x[j];
            if (s->row[k] != j) r[j] -= s->value[k] * x[s->row[k]];
        }
}

/* ---- what is found ---- */

static CrdElimination *eliminate(const CrdPattern *pattern) {
    CrdElimination *e = NULL;
    CrdError error = {0};
    assert_int_equal(crd_elimination_create(pattern->n, pattern->start, pattern->row, 0, NULL, &e, &error), CARDAN_OK);
    return e;
}

/* Of each panel the branch, or -1; each is met once. */
static int *branch_of(const CrdElimination *e) {
    int *branch = room((size_t)e->count, sizeof *branch);
    for (int k = 0; k < e->count; k++) branch[k] = -2;
    for (int b = 0; b < e->branch_count; b++)
        for (int i = e->branches[b]; i < e->branches[b + 1]; i++)
            for (int k = e->ranges[i].first; k < e->ranges[i].end; k++) {
                assert_int_equal(branch[k], -2);
                branch[k] = b;
            }
    for (int i = 0; i < e->trunk_count; i++)
        for (int k = e->trunk[i].first; k < e->trunk[i].end; k++) {
            assert_int_equal(branch[k], -2);
            branch[k] = -1;
        }
    for (int k = 0; k < e->count; k++) assert_int_not_equal(branch[k], -2);
    return branch;
}

static void branches_of_a_square_need_nothing_of_each_other(void **state) {
    (void)state;
    Square *s = square();
    CrdElimination *e = eliminate(&s->pattern);
    int *branch = branch_of(e), reaching = 0;
    assert_in_range(e->branch_count, 4, 64);
    for (int k = 0; k < e->count; k++) {
        bool reaches = false;
        for (int i = e->panels[k].block; i < e->panels[k + 1].block; i++) {
            int below = branch[e->below[i].panel];
            assert_true(below == branch[k] || below == -1);
            reaches = reaches || (branch[k] >= 0 && below == -1);
        }
        if (reaches) assert_int_equal(e->reaching[reaching++], k);
    }
    assert_int_equal(e->reaching_count, reaching);
    free(branch);
    crd_elimination_free(e);
    free(s);
}

/* Blocks in a row, eliminated from one end: each waits for the one before it. */
static void a_chain_is_all_trunk(void **state) {
    (void)state;
    enum { N = 30000 };
    int *start = room(N + 1, sizeof *start), *row = room(2 * N, sizeof *row), at = 0;
    for (int j = 0; j < N; j++) {
        if (j > 0) row[at++] = j - 1;
        row[at++] = j;
        start[j + 1] = at;
    }
    CrdPattern pattern = {.n = N, .start = start, .row = row};
    CrdElimination *e = eliminate(&pattern);
    assert_int_equal(e->branch_count, 0);
    assert_int_equal(e->trunk_count, 1);
    assert_int_equal(e->trunk[0].end, e->count);
    crd_elimination_free(e);
    free(start);
    free(row);
}

static void a_postorder_keeps_subtrees_together_and_the_fill(void **state) {
    (void)state;
    enum { N = 7 }; /* edges 0-4, 2-4, 1-5, 3-5, 4-6, 5-6: eliminated as numbered, two subtrees that alternate */
    static const int start[] = {0, 1, 2, 3, 4, 7, 10, 12}, item[] = {4, 5, 4, 5, 0, 2, 6, 1, 3, 6, 4, 5};
    int order[N] = {0, 1, 2, 3, 4, 5, 6};
    static const int should[N] = {0, 2, 4, 1, 3, 5, 6};
    CrdError error = {0};
    assert_int_equal(crd_postorder(N, start, item, order, &error), CARDAN_OK);
    assert_memory_equal(order, should, sizeof order);
    assert_int_equal(crd_postorder(N, start, item, order, &error), CARDAN_OK);
    assert_memory_equal(order, should, sizeof order);
}

/* Two paths of five, 4-1-8-0-6 and 9-2-11-5-7, one of two, 3-10, and a ring with a tail, 12-13-14, 14-15. */
static void long_paths_are_done_from_both_ends(void **state) {
    (void)state;
    enum { N = 16 };
    static const int edges[][2] = {{4, 1}, {1, 8},  {8, 0},   {0, 6},   {9, 2},   {2, 11}, {11, 5},
                                   {5, 7}, {3, 10}, {12, 13}, {13, 14}, {12, 14}, {14, 15}};
    static const int before[N] = {3, 10, 4, 1, 8, 0, 6, 15, 12, 13, 14, 7, 5, 11, 2, 9},
                     should[N] = {3, 10, 4, 1, 6, 0, 8, 15, 12, 13, 14, 7, 5, 9, 2, 11};
    int start[N + 1] = {0}, item[N * N], order[N], count = 0;
    for (int v = 0; v < N; v++) {
        item[count++] = v;
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
            for (int side = 0; side < 2; side++)
                if (edges[i][side] == v) item[count++] = edges[i][1 - side];
        start[v + 1] = count;
    }
    CrdError error = {0};
    memcpy(order, before, sizeof order);
    assert_int_equal(crd_halve_paths(N, start, item, 5, order, &error), CARDAN_OK);
    assert_memory_equal(order, should, sizeof order);
    memcpy(order, before, sizeof order);
    assert_int_equal(crd_halve_paths(N, start, item, 6, order, &error), CARDAN_OK);
    assert_memory_equal(order, before, sizeof order);
}

/* ---- threads ---- */

typedef struct Answer {
    CardanStatus status;
    CrdPivot pivot;
    double one[ROWS], two[2 * ROWS], ratio[ROWS];
    unsigned char dropped[ROWS];
} Answer;

static Answer *answer(const CrdSolverOps *ops, const Square *s, double drop, CrdPool *pool) {
    Answer *a = room(1, sizeof *a);
    CrdSolver *solver = NULL;
    CrdError error = {0};
    CrdMatrix matrix = {.s = s->value};
    assert_int_equal(ops->create(&s->pattern, ROWS, &solver, &error), CARDAN_OK);
    solver->pool = pool;
    solver->drop = drop;
    for (int again = 0; again < 3; again++) a->status = ops->factor(solver, &matrix, &a->pivot);
    for (int i = 0; i < ROWS; i++) a->one[i] = a->two[2 * i] = sin(i), a->two[2 * i + 1] = cos(i);
    if (a->status >= 0) {
        double *scratch = room(ROWS, sizeof *scratch);
        assert_int_equal(ops->solve(solver, a->one), CARDAN_OK);
        assert_int_equal(crd_solver_solve_twice(solver, a->two, scratch), CARDAN_OK);
        for (int i = 0; i < ROWS; i++) a->dropped[i] = crd_solver_dropped(solver, i);
        memcpy(a->ratio, solver->ratio, sizeof a->ratio);
        free(scratch);
    }
    ops->destroy(solver);
    return a;
}

static const CrdSolverOps *const DIVIDED[] = {&crd_solver_block, &crd_solver_supernodal};

static void check_the_same_by_any_threads(const Square *s, double drop, CardanStatus status, int row) {
    for (int b = 0; b < 2; b++) {
        Answer *alone = answer(DIVIDED[b], s, drop, NULL);
        assert_int_equal(alone->status, status);
        if (row >= 0 && status < 0) assert_int_equal(alone->pivot.row, row);
        if (row >= 0 && status >= 0) assert_true(alone->pivot.dropped == 1 && alone->dropped[row]);
        for (int threads = 1; threads <= 8; threads += threads == 1 ? 1 : threads == 2 ? 1 : 5) {
            CrdPool *pool = crd_pool_create(threads);
            Answer *with = answer(DIVIDED[b], s, drop, pool);
            assert_memory_equal(with, alone, sizeof *with);
            free(with);
            crd_pool_free(pool);
        }
        free(alone);
    }
}

static void factors_by_threads_solve_as_cholmod_does(void **state) {
    (void)state;
    Square *s = square();
    Answer *should = answer(&crd_solver_cholmod, s, 0.0, NULL);
    for (int b = 0; b < 2; b++) {
        CrdPool *pool = crd_pool_create(2);
        Answer *with = answer(DIVIDED[b], s, 0.0, pool);
        double *r = room(ROWS, sizeof *r);
        for (int i = 0; i < ROWS; i++) {
            assert_true(fabs(with->one[i] - should->one[i]) <= 1e-14);
            assert_true(fabs(with->two[2 * i] - should->one[i]) <= 1e-14);
            r[i] = sin(i);
        }
        residual(s, with->one, r);
        for (int i = 0; i < ROWS; i++) assert_true(fabs(r[i]) <= 1e-13);
        free(r);
        free(with);
        crd_pool_free(pool);
    }
    free(should);
    check_the_same_by_any_threads(s, 0.0, CARDAN_OK, -1);
    free(s);
}

/* A row of zeros. */
static void a_row_too_many_is_left_out_or_named_in_branches_and_trunk(void **state) {
    (void)state;
    static const int rows[] = {0, ROWS / 3, ROWS - 1};
    for (int k = 0; k < 3; k++) {
        Square *s = square();
        for (int j = rows[k]; j < ROWS; j++)
            for (int i = s->start[j]; i < s->start[j + 1]; i++)
                if (j == rows[k] || s->row[i] == rows[k]) s->value[i] = 0.0;
        check_the_same_by_any_threads(s, 0.0, CARDAN_ERR_NUMERIC, rows[k]);
        check_the_same_by_any_threads(s, 1e-12, CARDAN_OK, rows[k]);
        free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_of_a_square_need_nothing_of_each_other),
        cmocka_unit_test(a_chain_is_all_trunk),
        cmocka_unit_test(a_postorder_keeps_subtrees_together_and_the_fill),
        cmocka_unit_test(long_paths_are_done_from_both_ends),
        cmocka_unit_test(factors_by_threads_solve_as_cholmod_does),
        cmocka_unit_test(a_row_too_many_is_left_out_or_named_in_branches_and_trunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
