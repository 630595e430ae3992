/* The back ends of S lambda = r against each other, in threads, and against malloc. */
#include "solver_fixture.h"

#include "core/numbers.h"

#include <cblas.h>
#include <pthread.h>

/* ---- malloc itself, counted: an allocator of our own would not see LAPACK, OpenBLAS and SuiteSparse ---- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

/* Volatile: the compiler believes that malloc changes no variable of ours. */
static _Thread_local volatile long calls;        /* successful allocations and reallocations of this thread */
static _Thread_local volatile long frees;        /* what it gave back */
static _Thread_local volatile long fail_at = -1; /* this allocation from now fails, and all after it; -1: none */

#if defined(__GLIBC__) && !defined(SANITIZED)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static int refused(void) {
    if (fail_at == 0) return 1;
    if (fail_at > 0) fail_at--;
    calls++;
    return 0;
}

void *malloc(size_t size) {
    return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    if (refused()) return NULL;
    if (memory != NULL) frees++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return refused() ? NULL : __libc_memalign(alignment, size);
}

void free(void *memory) {
    if (memory != NULL) frees++;
    __libc_free(memory);
}
#endif

/* Whether malloc is the one above: sanitizers and valgrind put their own in its place. */
static int counting(void) {
    long before = calls;
    void *volatile probe = malloc(1);
    free(probe);
    return calls > before;
}

/* ---- agreement ---- */

/* Every back end finds the solution chosen beforehand, to 1e-12 times the condition number. */
static void check_agreement(const System *y) {
    size_t n = (size_t)y->n;
    double *exact = room(n, sizeof(double)), *right = room(n, sizeof(double)), *r = room(n, sizeof(double));
    for (int i = 0; i < y->n; i++) exact[i] = noise();
    for (int i = 0; i < y->n; i++)
        for (int j = 0; j < y->n; j++) right[i] += y->s[i + j * y->n] * exact[j];
    double bound = 1e-12 * condition(y) * size_of(exact, y->n);
    for (int b = 0; b < BACK_END_COUNT; b++) {
        CrdPivot pivot = {0};
        CrdSolver *solver = solver_of(BACK_ENDS[b], y);
        assert_int_equal(factor(solver, y, &pivot), CARDAN_OK);
        assert_true(pivot.ratio > CRD_PIVOT_DEPENDENT && pivot.ratio <= 1.0 + 4.0 * CRD_EPS);
        for (int again = 0; again < 2; again++) { /* a solve leaves the factor as it was */
            memcpy(r, right, n * sizeof(double));
            assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
            assert_true(distance(r, exact, y->n) <= bound);
        }
        solver->ops->destroy(solver);
    }
    free(exact);
    free(right);
    free(r);
}

static void chains_are_solved_alike_by_every_back_end(void **state) {
    (void)state;
    for (int w = 1; w <= 6; w++)
        for (int joints = 0; joints * w <= 200; joints = joints < 4 ? joints + 1 : 3 * joints) {
            System y = chain(joints, w);
            check_agreement(&y);
            system_free(&y);
        }
}

static void scattered_systems_are_solved_alike_by_every_back_end(void **state) {
    (void)state;
    static const int sizes[] = {0, 1, 2, 3, 5, 8, 13, 21, 50, 100, 200};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        System y = scattered(sizes[k]);
        check_agreement(&y);
        system_free(&y);
    }
}

static void both_factors_of_s_see_the_same_smallest_pivot(void **state) {
    (void)state;
    System y = chain(12, 5);
    CrdPivot dense = {0}, sparse = {0};
    CrdSolver *a = solver_of(&crd_solver_dense, &y), *b = solver_of(&crd_solver_cholmod, &y);
    assert_int_equal(factor(a, &y, &dense), CARDAN_OK);
    assert_int_equal(factor(b, &y, &sparse), CARDAN_OK);
    assert_int_equal(dense.row, sparse.row);
    assert_true(fabs(dense.ratio - sparse.ratio) <= 1e-12);
    a->ops->destroy(a);
    b->ops->destroy(b);
    system_free(&y);
}

static void light_and_heavy_bodies_are_not_taken_for_dependent_rows(void **state) {
    (void)state;
    static const double ratio[] = {1e8, 1e10};
    enum { N = 60 };
    for (int k = 0; k < 2; k++)
        for (int kind = 0; kind < 4; kind++) {
            double mass[N];
            for (int j = 0; j < N; j++) {
                double graded = pow(ratio[k], (double)j / (N - 1));
                mass[j] = kind == 0 ? (j % 2 ? 1.0 : ratio[k]) : kind == 1 ? graded : kind == 2 ? 1.0 / graded : 1.0;
            }
            if (kind == 3) mass[N - 1] = ratio[k]; /* a heavy load at the end of a light chain */
            System y = line(N, mass);
            double exact[N], r[N];
            for (int j = 0; j < N; j++) exact[j] = (j + 1.0) / N; /* each a force; S times it, row by row */
            for (int b = 0; b < BACK_END_COUNT; b++) {
                for (int i = 0; i < N; i++) {
                    double a = (exact[i] - (i + 1 < N ? exact[i + 1] : 0.0)) / mass[i];
                    double before = i > 0 ? (exact[i - 1] - exact[i]) / mass[i - 1] : 0.0;
                    r[i] = a - before;
                }
                CrdPivot pivot;
                CrdSolver *solver = solver_of(BACK_ENDS[b], &y);
                assert_int_equal(factor(solver, &y, &pivot), CARDAN_OK);
                if (BACK_ENDS[b] != &crd_solver_saddle) assert_true(pivot.ratio > 0.1 / ratio[k]);
                assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
                assert_true(distance(r, exact, N) <= 1e-12 * ratio[k] * N);
                solver->ops->destroy(solver);
            }
            system_free(&y);
        }
}

/* ---- threads and memory ---- */

typedef struct Worker {
    const System *y;
    const CrdSolverOps *ops;
    double *lambda;
    int failures;
} Worker;

static void *work(void *argument) {
    Worker *w = argument;
    CrdSolver *solver = NULL;
    CrdPivot pivot;
    CrdMatrix matrix = matrix_of(w->y);
    if (w->ops->create(&w->y->pattern, w->y->nv, &solver, NULL) < 0) {
        w->failures++;
        return NULL;
    }
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < w->y->n; i++) w->lambda[i] = 1.0 + i;
        if (w->ops->factor(solver, &matrix, &pivot) < 0) w->failures++;
        if (w->ops->solve(solver, w->lambda) < 0) w->failures++;
    }
    w->ops->destroy(solver);
    return NULL;
}

static void solvers_in_two_threads_agree_bit_by_bit(void **state) {
    (void)state;
    System y = chain(10, 5);
    for (int b = 0; b < BACK_END_COUNT; b++) {
        Worker worker[2];
        pthread_t thread[2];
        for (int k = 0; k < 2; k++) {
            worker[k] = (Worker){&y, BACK_ENDS[b], room((size_t)y.n, sizeof(double)), 0};
            assert_int_equal(pthread_create(&thread[k], NULL, work, &worker[k]), 0);
        }
        for (int k = 0; k < 2; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
        assert_int_equal(worker[0].failures + worker[1].failures, 0);
        assert_memory_equal(worker[0].lambda, worker[1].lambda, (size_t)y.n * sizeof(double));
        free(worker[0].lambda);
        free(worker[1].lambda);
    }
    system_free(&y);
}

static void factor_and_solve_allocate_nothing(void **state) {
    (void)state;
    if (!counting()) skip();
    static const int joints[] = {0, 1, 2, 9, 40};
    for (int k = 0; k < 5; k++) {
        System y = chain(joints[k], 5), bad = copy_of(&y), mesh = scattered(5 * joints[k]);
        if (y.n > 0) bad.value[bad.start[bad.n] - 1] *= -1.0;
        for (int v = 0; y.n > 0 && v < y.nv; v++) bad.g[y.n - 1 + v * y.n] = 0.0;
        const System *systems[] = {&y, &mesh, &bad, &y};
        double *r = room((size_t)y.n, sizeof(double));
        for (int b = 0; b < BACK_END_COUNT; b++) {
            CrdSolver *first = solver_of(BACK_ENDS[b], &y), *second = solver_of(BACK_ENDS[b], &mesh);
            long before = calls, freed = frees;
            int failures = 0;
            for (int turn = 0; turn < 8; turn++) { /* as created, then leaving out rows */
                CrdPivot pivot;
                CrdSolver *solver = systems[turn % 4] == &mesh ? second : first;
                solver->drop = turn < 4 ? 0.0 : 1e-12;
                CardanStatus status = factor(solver, systems[turn % 4], &pivot);
                if (status >= 0) status = solver->ops->solve(solver, r);
                failures += status < 0; /* looked at below: cmocka may allocate */
            }
            assert_int_equal(calls - before, 0);
            assert_int_equal(frees - freed, 0);
            assert_int_equal(failures, y.n > 0 ? 2 : 0);
            first->ops->destroy(first);
            second->ops->destroy(second);
        }
        free(r);
        system_free(&y);
        system_free(&bad);
        system_free(&mesh);
    }
}

static void creation_survives_every_failing_allocation(void **state) {
    (void)state;
    if (!counting()) skip();
    System y = chain(9, 5);
    for (int b = 0; b < BACK_END_COUNT; b++) {
        CrdSolver *warm = solver_of(BACK_ENDS[b], &y); /* what the libraries keep for themselves is taken by now */
        warm->ops->destroy(warm);
        long k = 0;
        for (CardanStatus status = CARDAN_ERR_MEMORY; status != CARDAN_OK; k++) {
            CrdSolver *solver = NULL;
            CrdError error = {0};
            long live = calls - frees;
            fail_at = k;
            status = BACK_ENDS[b]->create(&y.pattern, y.nv, &solver, &error);
            fail_at = -1;
            if (status == CARDAN_OK)
                BACK_ENDS[b]->destroy(solver);
            else {
                assert_int_equal(status, CARDAN_ERR_MEMORY);
                assert_int_equal(error.status, CARDAN_ERR_MEMORY);
                assert_null(solver);
            }
            assert_int_equal(calls - frees - live, 0);
        }
        assert_in_range(k, 2, 200);
    }
    system_free(&y);
}

static void the_choice_is_made_by_predicted_work(void **state) {
    (void)state;
    CrdElimination light = {.fits = true, .lnz = 1e4, .flops = 1e5}, heavy = {.fits = true, .lnz = 1e4, .flops = 3e6};
    CrdElimination huge = {.fits = true, .lnz = 1e7, .flops = 4e9}, vast = {.fits = false};
    int start[] = {0, 1, 3};
    CrdPattern small = {.n = 2, .start = start, .elimination = &light};
    CrdChoice choice = crd_solver_choose(CARDAN_SOLVER_AUTO, &small);
    assert_ptr_equal(choice.ops, &crd_solver_block);
    assert_int_equal(choice.kind, CARDAN_SOLVER_BLOCK);
    assert_non_null(strstr(choice.reason, "block: 2 rows, fill"));
    assert_non_null(
        strstr(choice.reason, "predicted in microseconds: block 22.2, supernodal 40.1, cholmod 104, dense"));
    small.elimination = &heavy;
    assert_int_equal(crd_solver_choose(CARDAN_SOLVER_AUTO, &small).kind, CARDAN_SOLVER_SUPERNODAL);
    small.elimination = &huge;
    assert_int_equal(crd_solver_choose(CARDAN_SOLVER_AUTO, &small).kind, CARDAN_SOLVER_SUPERNODAL);
    small.elimination = &vast;
    assert_int_equal(crd_solver_choose(CARDAN_SOLVER_AUTO, &small).kind, CARDAN_SOLVER_CHOLMOD);
    small.elimination = NULL;
    assert_int_equal(crd_solver_choose(CARDAN_SOLVER_AUTO, &small).kind, CARDAN_SOLVER_BLOCK);
    assert_string_equal(crd_solver_choose(CARDAN_SOLVER_DENSE, &small).reason, "dense: as asked");
    assert_ptr_equal(crd_solver_choose(CARDAN_SOLVER_DENSE, &small).ops, &crd_solver_dense);
    assert_ptr_equal(crd_solver_choose(CARDAN_SOLVER_SUPERNODAL, &small).ops, &crd_solver_supernodal);
    assert_ptr_equal(crd_solver_choose(CARDAN_SOLVER_CHOLMOD, &small).ops, &crd_solver_cholmod);
    assert_ptr_equal(crd_solver_choose(CARDAN_SOLVER_SADDLE, &small).ops, &crd_solver_saddle);
    assert_int_equal(crd_solver_choose(CARDAN_SOLVER_SADDLE, &small).kind, CARDAN_SOLVER_SADDLE);
    assert_null(crd_solver_choose(CARDAN_SOLVERS, &small).ops);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_solved_alike_by_every_back_end),
        cmocka_unit_test(scattered_systems_are_solved_alike_by_every_back_end),
        cmocka_unit_test(both_factors_of_s_see_the_same_smallest_pivot),
        cmocka_unit_test(light_and_heavy_bodies_are_not_taken_for_dependent_rows),
        cmocka_unit_test(solvers_in_two_threads_agree_bit_by_bit),
        cmocka_unit_test(factor_and_solve_allocate_nothing),
        cmocka_unit_test(creation_survives_every_failing_allocation),
        cmocka_unit_test(the_choice_is_made_by_predicted_work),
    };
    openblas_set_num_threads(1); /* with more, OpenBLAS allocates in its own parallel driver */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
