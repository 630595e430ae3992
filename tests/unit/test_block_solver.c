/* The back ends on models: agreement, rows left out; and the elimination they share. */
#include "model_system.h"
#include "support/defaulted.h"

#include "linear/reduced.h"

#include "mechanisms.h"
#include "nets.h"

#include <stdio.h>

static const double DROP = 1e-12;

/* ---- agreement ---- */

/* Every back end finds the solution chosen beforehand, to 1e-12 times the condition number. */
static void check_agreement(const System *y) {
    size_t n = (size_t)y->n;
    double *exact = room(n, sizeof(double)), *right = room(n, sizeof(double)), *r = room(n, sizeof(double));
    for (int i = 0; i < y->n; i++) exact[i] = noise();
    for (int i = 0; i < y->n; i++)
        for (int j = 0; j < y->n; j++) right[i] += y->s[i + j * y->n] * exact[j];
    double bound = 1e-12 * condition(y) * size_of(exact, y->n);
    double smallest = 0.0;
    for (int b = 0; b < BACK_END_COUNT; b++)
        for (int turn = 0; turn < 2; turn++) {
            CrdPivot pivot = {0};
            CrdSolver *solver = solver_of(BACK_ENDS[b], y);
            if (turn == 1) solver->drop = DROP;
            assert_int_equal(factor(solver, y, &pivot), CARDAN_OK);
            assert_int_equal(pivot.dropped, 0);
            if (b == 0) smallest = pivot.ratio;
            if (b < FACTORS_OF_S) assert_true(fabs(pivot.ratio - smallest) <= 1e-12);
            memcpy(r, right, n * sizeof(double));
            assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
            if (!(distance(r, exact, y->n) <= bound))
                fail_msg("%s: %g off, allowed %g", solver->ops->name, distance(r, exact, y->n), bound);
            solver->ops->destroy(solver);
        }
    free(exact);
    free(right);
    free(r);
}

static void check_model(CardanBuilder *builder) {
    ModelSystem s = model_system(builder);
    check_agreement(&s.y);
    s.y.pattern.elimination = NULL; /* blocks found from the pattern serve as well */
    check_agreement(&s.y);
    model_system_free(&s);
}

static void models_are_solved_alike_by_every_back_end(void **state) {
    (void)state;
    static const int links[] = {1, 2, 7, 30};
    for (int k = 0; k < 4; k++) {
        check_model(mechanism_chain(CARDAN_SPACE_PLANAR, links[k]));
        check_model(mechanism_chain(CARDAN_SPACE_SPATIAL, links[k]));
        check_model(mechanism_four_bars(links[k]));
        check_model(mechanism_hinged_bars(links[k], 0.7, 1.0, false));
    }
    check_model(mechanism_slider_crank(0.2, 0.4, 1.0));
    for (int n = 2; n <= 7; n++) check_model(mechanism_net(n));
}

/* Elements of 1 .. 15 rows over one to three of some bodies of six velocities; block[e]: its first row. */
static System random_elements(int elements, int *block) {
    int rows[64], n = 0;
    assert_in_range(elements, 1, 64);
    for (int e = 0; e < elements; e++) {
        rows[e] = 1 + (int)(3.0 * (1.0 + noise())) + (noise() > 0.8 ? 8 : 0);
        block[e] = n;
        n += rows[e];
    }
    int bodies = n / 3 + 3;
    System y = system_new(n, 6 * bodies);
    for (int e = 0; e < elements; e++) {
        int touched = 1 + (int)(1.5 * (1.0 + noise()));
        if (rows[e] > 5) touched = 3; /* 15 rows want 18 velocities */
        for (int k = 0; k < touched; k++) {
            int body = k == 0 ? 3 * e % bodies : (int)(0.5 * (1.0 + noise()) * (bodies - 1));
            for (int i = block[e]; i < block[e] + rows[e]; i++)
                for (int v = 6 * body; v < 6 * body + 6; v++) y.g[i + v * n] += noise();
        }
    }
    for (int v = 0; v < y.nv; v++) y.m[v + v * y.nv] = 1.5 + noise();
    form_s(&y);
    /* Bodies met by chance may leave rows dependent: something on the diagonal keeps S definite, for M and G too. */
    System z = system_new(n, y.nv + n);
    for (int j = 0; j < y.nv; j++) {
        z.m[j + j * z.nv] = y.m[j + j * y.nv];
        for (int i = 0; i < n; i++) z.g[i + j * n] = y.g[i + j * n];
    }
    for (int i = 0; i < n; i++) z.g[i + (y.nv + i) * n] = 0.5;
    form_s(&z);
    system_free(&y);
    return z;
}

/* Entries of L by elimination of a full matrix of marks. */
static double count_entries(const System *y) {
    size_t n = (size_t)y->n;
    char *mark = room(n * n, 1);
    double entries = 0.0;
    for (size_t i = 0; i < n * n; i++) mark[i] = y->s[i] != 0.0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = k; i < n; i++) {
            if (!mark[i + k * n]) continue;
            entries += 1.0;
            for (size_t j = k + 1; j <= i; j++)
                if (mark[j + k * n]) mark[i + j * n] = 1;
        }
    free(mark);
    return entries;
}

static void random_elements_are_solved_alike_and_their_fill_is_known(void **state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        int block[64], elements = 1 + k;
        System y = random_elements(elements, block);
        CrdElimination *given = NULL, *found = NULL;
        assert_int_equal(crd_elimination_create(y.n, y.start, y.row, elements, block, &given, NULL), CARDAN_OK);
        assert_int_equal(crd_elimination_create(y.n, y.start, y.row, 0, NULL, &found, NULL), CARDAN_OK);
        double entries = count_entries(&y);
        assert_true(given->fits && given->lnz == entries);
        assert_true(found->fits && found->lnz >= entries); /* blocks found may hold parts of elements */
        for (int p = 0; p < given->count; p++) assert_in_range(given->panels[p].width, 1, CRD_WIDEST);
        y.pattern.elimination = given;
        check_agreement(&y);
        y.pattern.elimination = NULL;
        check_agreement(&y);
        crd_elimination_free(given);
        crd_elimination_free(found);
        system_free(&y);
    }
}

/* ---- rows left out ---- */

/* Accelerations by least squares on M^-1/2 G^T = L^-1 G^T: B^T y = r with the shortest y, a = M^-1 f - L^-T y. */
static void least_squares(const ModelSystem *s, double *a) {
    int n = s->y.n, nv = s->y.nv, rank = 0;
    double *l = room((size_t)nv * (size_t)nv, sizeof(double)), *b = room((size_t)nv * (size_t)n, sizeof(double));
    double *bt = room((size_t)nv * (size_t)n, sizeof(double)), *sigma = room((size_t)nv + (size_t)n, sizeof(double));
    double *y = room((size_t)nv + (size_t)n, sizeof(double));
    memcpy(l, s->y.m, (size_t)nv * (size_t)nv * sizeof(double));
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', nv, l, nv), 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < nv; j++) b[j + i * nv] = s->y.g[i + j * n];
    LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', nv, n, l, nv, b, nv);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < nv; j++) bt[i + j * n] = b[j + i * nv];
    memcpy(y, s->r, (size_t)n * sizeof(double));
    assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, n, nv, 1, bt, n, y, n > nv ? n : nv, sigma, 1e-9, &rank), 0);
    LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'T', 'N', nv, 1, l, nv, y, nv);
    memcpy(a, s->f, (size_t)nv * sizeof(double));
    crd_solve_mass(s->model, &s->w, a);
    for (int j = 0; j < nv; j++) a[j] -= y[j];
    free(l), free(b), free(bt), free(sigma), free(y);
}

/* The solver made without these rows moves as least squares do, refuses nothing and is as good as its own pivots. */
static void check_reduced(const ModelSystem *s, const CrdSolverOps *ops, const unsigned char *out,
                          const double *expected) {
    size_t n = (size_t)s->y.n;
    bool *is_out = room(n, sizeof *is_out);
    double *r = room(n, sizeof(double)), *a = room((size_t)s->y.nv, sizeof(double)), *least = room(n, sizeof(double));
    CrdSolver *solver = NULL;
    CrdPivot pivot = {0};
    for (size_t i = 0; i < n; i++) is_out[i] = out[i] != 0;
    assert_int_equal(crd_reduced_create(ops, &s->y.pattern, s->y.nv, is_out, &solver, NULL), CARDAN_OK);
    assert_true(crd_reduced_is(solver, is_out));
    assert_memory_equal(crd_reduced_rows(solver), is_out, n * sizeof *is_out);
    assert_int_equal(factor(solver, &s->y, &pivot), CARDAN_OK);
    assert_int_equal(pivot.dropped, 0);
    assert_true(pivot.ratio > 1e-6 && pivot.ratio <= 1.0 && pivot.ratio == solver->ratio[pivot.row]);
    memcpy(r, s->r, n * sizeof(double));
    assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
    for (size_t i = 0; i < n; i++)
        if (is_out[i]) assert_true(r[i] == 0.0 && solver->ratio[i] == 1.0 && !crd_solver_dropped(solver, (int)i));
    accelerations(s, r, a);
    assert_true(distance(a, expected, s->y.nv) <= 1e-11 * size_of(expected, s->y.nv));
    least[pivot.row] = 2.0; /* more than any pivot: just this row is left out */
    solver->drop_row = least;
    solver->drop = DROP;
    int weakest = pivot.row;
    assert_int_equal(factor(solver, &s->y, &pivot), CARDAN_OK);
    assert_int_equal(pivot.dropped, 1);
    assert_true(crd_solver_dropped(solver, weakest));
    solver->drop_row = NULL;
    assert_int_equal(factor(solver, &s->y, &pivot), CARDAN_OK);
    assert_false(crd_solver_dropped(solver, weakest));
    is_out[weakest] = true;
    assert_false(crd_reduced_is(solver, is_out));
    solver->ops->destroy(solver);
    free(is_out), free(r), free(a), free(least);
}

/* Every factor of S leaves out this many rows, the same ones, and gives the accelerations of least squares. */
static void check_redundant(CardanBuilder *builder, int redundant) {
    ModelSystem s = model_system(builder);
    size_t n = (size_t)s.y.n, nv = (size_t)s.y.nv;
    double *expected = room(nv, sizeof(double)), *a = room(nv, sizeof(double)), *r = room(n, sizeof(double));
    unsigned char *out = room(n, 1);
    least_squares(&s, expected);
    for (int b = 0; b < FACTORS_OF_S; b++) {
        CrdPivot pivot = {0};
        CrdSolver *solver = solver_of(BACK_ENDS[b], &s.y);
        assert_int_equal(factor(solver, &s.y, &pivot), CARDAN_ERR_NUMERIC); /* refused as created */
        assert_int_equal(solver->ops->solve(solver, r), CARDAN_ERR_INTERNAL);
        solver->drop = DROP;
        for (int again = 0; again < 2; again++) {
            assert_int_equal(factor(solver, &s.y, &pivot), CARDAN_OK);
            assert_int_equal(pivot.dropped, redundant);
            assert_true(pivot.ratio > 1e-6 && pivot.ratio <= 1.0);
            memcpy(r, s.r, n * sizeof(double));
            assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
            int counted = 0;
            for (int i = 0; i < s.y.n; i++) {
                bool dropped = crd_solver_dropped(solver, i);
                if (b == 0) out[i] = dropped;
                assert_int_equal(dropped, out[i]);
                if (dropped) assert_true(r[i] == 0.0);
                counted += dropped;
            }
            assert_int_equal(counted, redundant);
            accelerations(&s, r, a);
            double size = size_of(expected, s.y.nv);
            if (!(distance(a, expected, s.y.nv) <= 1e-11 * size))
                fail_msg("%s: accelerations %g off of %g", solver->ops->name, distance(a, expected, s.y.nv), size);
        }
        solver->drop = 0.0;
        assert_int_equal(factor(solver, &s.y, &pivot), CARDAN_ERR_NUMERIC);
        solver->ops->destroy(solver);
        check_reduced(&s, BACK_ENDS[b], out, expected);
    }
    free(expected), free(a), free(r), free(out);
    model_system_free(&s);
}

/* A spatial chain in which a joint is there twice. */
static CardanBuilder *doubled(int n, int twice, CardanJointType type) {
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, n);
    cardan_builder_add_joint(b,
                             &(CardanJointDef){DEFAULTED, .name = "twin", .type = type, .a = {twice}, .b = {twice + 1},
                                               .point = {twice, 0.0, 0.0}, .axis = {0.0, twice % 2, 1 - twice % 2}});
    return b;
}

/* Planar: a coupler of 2 m on three parallel cranks. */
static CardanBuilder *three_cranks(void) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 0.0});
    double x = cos(1.2), y = sin(1.2), rate = 2.0;
    CardanBody coupler = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "coupler", .mass = 2.0, .inertia.zz = 2.0 / 3.0,
                            .pose.p = {1.0 + x, y, 0.0}, .velocity = {-rate * y, rate * x, 0.0}});
    for (int i = 0; i < 3; i++) {
        char name[3][8];
        for (int k = 0; k < 3; k++) snprintf(name[k], sizeof name[k], "%c%d", "cgp"[k], i);
        CardanBody crank = cardan_builder_add_body(
            b,
            &(CardanBodyDef){DEFAULTED, .name = name[0], .mass = 1.0, .inertia.zz = 1.0 / 12.0,
                             .pose = {.p = {i + 0.5 * x, 0.5 * y, 0.0}, .angle = 1.2},
                             .velocity = {-0.5 * rate * y, 0.5 * rate * x, 0.0}, .angular_velocity = {0.0, 0.0, rate}});
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name[1], .type = CARDAN_JOINT_REVOLUTE,
                                                      .b = crank, .point = {i, 0.0, 0.0}});
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name[2], .type = CARDAN_JOINT_REVOLUTE,
                                                      .a = crank, .b = coupler, .point = {i + x, y, 0.0}});
    }
    return b;
}

static void redundant_rows_are_left_out_and_the_motion_is_that_of_least_squares(void **state) {
    (void)state;
    check_redundant(doubled(6, 3, CARDAN_JOINT_REVOLUTE), 5);
    check_redundant(doubled(6, 0, CARDAN_JOINT_SPHERICAL), 3);
    check_redundant(doubled(9, 8, CARDAN_JOINT_REVOLUTE), 5);
    check_redundant(three_cranks(), 1);
    check_redundant(mechanism_hinged_bars(1, 1.0, -1.0, true), 3);
    check_redundant(mechanism_hinged_bars(6, 0.6, 2.0, true), 18);
}

/* Exact accelerations of long ladders, with and without redundant rows. */
static void ladders_of_hinges_move_as_their_one_coordinate_says(void **state) {
    (void)state;
    const int cells = 20;
    const double angle = 0.8, rate = 1.5, x = cos(0.8), y = sin(0.8);
    double exact = mechanism_hinged_bars_acceleration(cells, angle);
    for (int redundant = 0; redundant < 2; redundant++) {
        ModelSystem s = model_system(mechanism_hinged_bars(cells, angle, rate, redundant));
        double *a = room((size_t)s.y.nv, sizeof(double)), *r = room((size_t)s.y.n, sizeof(double));
        for (int b = 0; b < FACTORS_OF_S; b++) {
            CrdPivot pivot;
            CrdSolver *solver = solver_of(BACK_ENDS[b], &s.y);
            solver->drop = DROP;
            assert_int_equal(factor(solver, &s.y, &pivot), CARDAN_OK);
            assert_int_equal(pivot.dropped, redundant ? 3 * cells : 0);
            memcpy(r, s.r, (size_t)s.y.n * sizeof(double));
            assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
            accelerations(&s, r, a);
            for (int i = 0; i < s.model->structure->block_count; i++) {
                bool crank = i == 0 || i % 2 == 1; /* c0, then c1 h0, c2 h1, ... */
                double arm = crank ? 0.5 : 1.0;
                const double expected[6] = {arm * (-exact * y - rate * rate * x),
                                            arm * (exact * x - rate * rate * y),
                                            0.0,
                                            0.0,
                                            0.0,
                                            crank ? exact : 0.0};
                assert_true(distance(a + s.model->structure->blocks[i].v, expected, 6) <= 1e-11);
            }
            solver->ops->destroy(solver);
        }
        free(a), free(r);
        model_system_free(&s);
    }
}

/* Rows that nearly depend are left out exactly too: rows 0 and 1 differ by 3e-7, row 2 feels the difference. */
static void a_row_left_out_takes_no_part_in_later_pivots(void **state) {
    (void)state;
    System y = system_new(4, 4);
    const double g[4][4] = {{1.0, 0.0, 0.0, 0.0}, {1.0, 3e-7, 0.0, 0.0}, {0.5, 1.0, 1.0, 0.0}, {0.0, 0.0, 1.0, 2.0}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) y.g[i + 4 * j] = g[i][j];
    form_s(&y);
    double reduced[9] = {y.s[0], y.s[2], y.s[3], y.s[8], y.s[10], y.s[11], y.s[12], y.s[14], y.s[15]};
    double expected[3] = {1.0, 2.0, 3.0};
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', 3, 1, reduced, 3, expected, 3), 0);
    for (int b = 0; b < FACTORS_OF_S; b++) {
        double r[4] = {1.0, 0.7, 2.0, 3.0};
        CrdPivot pivot;
        CrdSolver *solver = solver_of(BACK_ENDS[b], &y);
        solver->drop = DROP;
        assert_int_equal(factor(solver, &y, &pivot), CARDAN_OK);
        assert_true(pivot.dropped == 1 && crd_solver_dropped(solver, 1) && !crd_solver_dropped(solver, 0));
        assert_false(crd_solver_dropped(solver, -1) || crd_solver_dropped(solver, 4));
        assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
        assert_true(r[1] == 0.0);
        assert_true(fabs(r[0] - expected[0]) + fabs(r[2] - expected[1]) + fabs(r[3] - expected[2]) <= 1e-13);
        solver->ops->destroy(solver);
    }
    system_free(&y);
}

/* What is no S of any M and G is refused even where rows may be left out. */
static void rubbish_is_refused_even_where_rows_may_be_left_out(void **state) {
    (void)state;
    static const double rubbish[] = {-1.0, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < FACTORS_OF_S; b++) {
            System y = chain(4, 3);
            CrdPivot pivot;
            CrdSolver *solver = solver_of(BACK_ENDS[b], &y);
            solver->drop = DROP;
            y.value[y.start[8] - 1] = rubbish[k]; /* diagonal of row 7 */
            assert_int_equal(factor(solver, &y, &pivot), CARDAN_ERR_NUMERIC);
            assert_int_equal(pivot.row, 7);
            assert_false(pivot.ratio > 0.0);
            solver->ops->destroy(solver);
            system_free(&y);
        }
}

/* A row of zeros, first, in the middle or last, is left out; all rows of zeros are too. */
static void rows_of_zeros_are_left_out(void **state) {
    (void)state;
    for (int at = 0; at <= 12; at++)
        for (int b = 0; b < FACTORS_OF_S; b++) {
            System y = chain(4, 3);
            double r[12] = {0}, right[12];
            for (int i = 0; i < 12; i++) right[i] = 1.0 + i;
            for (int j = 0; j < 12; j++)
                for (int i = y.start[j]; i < y.start[j + 1]; i++)
                    if (at == 12 || j == at || y.row[i] == at) y.value[i] = 0.0;
            CrdPivot pivot;
            CrdSolver *solver = solver_of(BACK_ENDS[b], &y);
            solver->drop = DROP;
            assert_int_equal(factor(solver, &y, &pivot), CARDAN_OK);
            assert_int_equal(pivot.dropped, at == 12 ? 12 : 1);
            memcpy(r, right, sizeof r);
            assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
            for (int i = 0; i < 12; i++) {
                double sum = 0.0;
                for (int j = 0; j < 12; j++) sum += y.s[i + 12 * j] * r[j];
                if (at == 12 || i == at)
                    assert_true(r[i] == 0.0);
                else
                    assert_true(fabs(sum - right[i]) <= 1e-12 * condition(&y));
            }
            solver->ops->destroy(solver);
            system_free(&y);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_solved_alike_by_every_back_end),
        cmocka_unit_test(random_elements_are_solved_alike_and_their_fill_is_known),
        cmocka_unit_test(redundant_rows_are_left_out_and_the_motion_is_that_of_least_squares),
        cmocka_unit_test(ladders_of_hinges_move_as_their_one_coordinate_says),
        cmocka_unit_test(a_row_left_out_takes_no_part_in_later_pivots),
        cmocka_unit_test(rubbish_is_refused_even_where_rows_may_be_left_out),
        cmocka_unit_test(rows_of_zeros_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
