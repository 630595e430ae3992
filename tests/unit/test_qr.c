/* The sparse QR beside singular values: the same rank, the same rows in dependencies, and dependencies that vanish. */
#include "linear/qr.h"
#include "support/defaulted.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"
#include "mechanisms.h"
#include "nets.h"
#include "support/check.h"
#include "support/scene.h"

typedef struct Rows {
    CardanModel *model;
    CrdSystem w;
    CrdArena arena;
} Rows;

/* Takes the model; its rows in the pose as written. */
static Rows rows_of(CardanModel *model) {
    Rows s = {.model = model};
    CrdError error = {0};
    crd_system_layout(&s.w, model->structure, &s.arena);
    assert_true(crd_arena_allocate(&s.arena));
    crd_system_layout(&s.w, model->structure, &s.arena);
    CrdActions none = {0};
    const double *q = model->values.q0, *v = model->values.v0;
    if (crd_kinematics(model, 0.0, q, v, &s.w, &error) < 0 || crd_constraints(model, q, v, &none, &s.w, &error) < 0)
        fail_msg("%s", error.text);
    return s;
}

/* Length of M^-1/2 G^T D y against that of y. */
static double left_of_dependency(const Rows *s, const CrdQr *qr) {
    int n = s->model->structure->rows, nv = s->model->structure->nv;
    double *u = crd_new((size_t)n, sizeof *u), *x = crd_new((size_t)nv, sizeof *x), *m = crd_new((size_t)nv, sizeof *m);
    double left = 0.0, size = 0.0;
    assert_true(u != NULL && x != NULL && m != NULL);
    for (int i = 0; i < n; i++) u[i] = qr->scale[i] * qr->y[i], size += qr->y[i] * qr->y[i];
    crd_times_gt(s->model->structure, s->w.G, 1.0, u, x);
    memcpy(m, x, (size_t)nv * sizeof *m);
    crd_solve_mass(s->model, &s->w, m);
    for (int i = 0; i < nv; i++) left += x[i] * m[i];
    crd_delete(u), crd_delete(x), crd_delete(m);
    return size > 0.0 ? sqrt(left / size) : 0.0;
}

/* Rows with a part in dependencies, as singular vectors show them. */
static void check_support(const CrdSpectrum *sp, const CrdQr *qr, int rank, const char *name) {
    size_t n = (size_t)sp->rows;
    double *square = crd_new(n, n * sizeof *square), *part = crd_new(n, sizeof *part);
    assert_true(square != NULL && part != NULL);
    crd_spectrum_parts(sp, rank, square, part);
    double most = crd_max_abs(part, sp->rows), largest = crd_max_abs(qr->y, sp->rows);
    for (int i = 0; i < sp->rows; i++) {
        bool expected = part[i] > CRD_NULL_SUPPORT * most, found = fabs(qr->y[i]) > CRD_NULL_SUPPORT * largest;
        if (expected != found)
            fail_msg("%s: row %d: part %g of %g, but %g of %g", name, i, part[i], most, qr->y[i], largest);
    }
    crd_delete(square), crd_delete(part);
}

/* Takes the model. */
static void check(CardanModel *model, int redundant, const char *name) {
    Rows s = rows_of(model);
    CrdSpectrum sp;
    CrdQr qr;
    assert_int_equal(crd_spectrum_open(&sp, model, NULL), CARDAN_OK);
    assert_int_equal(crd_spectrum_take(&sp, &s.w, false, NULL), CARDAN_OK);
    assert_true(crd_qr_fits(model->structure));
    assert_int_equal(crd_qr_open(&qr, model, NULL), CARDAN_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(crd_qr_take(&qr, &s.w, CRD_RANK_TOLERANCE, NULL), CARDAN_OK);
        int rank = crd_spectrum_rank(&sp, CRD_RANK_TOLERANCE), dead = 0;
        for (int i = 0; i < model->structure->rows; i++) dead += qr.is_dead[i];
        if (qr.rank != rank || dead != model->structure->rows - rank || dead != redundant)
            fail_msg("%s: rank %d by QR with %d dead, %d by singular values", name, qr.rank, dead, rank);
        crd_qr_dependency(&qr);
        assert_true(left_of_dependency(&s, &qr) <= 1e-13 * (1.0 + model->structure->rows));
        if (dead > 0) check_support(&sp, &qr, rank, name);
    }
    crd_qr_close(&qr);
    crd_spectrum_close(&sp);
    crd_arena_free(&s.arena);
    cardan_model_release(model);
}

static void mechanisms_have_the_rank_that_singular_values_show(void **state) {
    (void)state;
    check(scene_compile(mechanism_chain(CARDAN_SPACE_SPATIAL, 1)), 0, "one link");
    check(scene_compile(mechanism_chain(CARDAN_SPACE_SPATIAL, 30)), 0, "chain");
    check(scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 40)), 0, "planar chain");
    check(scene_compile(mechanism_four_bars(10)), 0, "planar four-bars");
    check(scene_compile(mechanism_net(5)), 0, "net");
    check(scene_compile(mechanism_star(12)), 0, "star");
    for (int n = 1; n < 12; n += 3) {
        check(scene_compile(mechanism_hinged_bars(n, 1.0, -1.0, true)), 3 * n, "hinged bars");
        check(scene_compile(mechanism_hinged_bars(n, 1.0, -1.0, false)), 0, "hinged bars without redundant rows");
        check(scene_compile(mechanism_hinged_bars(n, 0.0, -1.0, true)), 4 * n, "flat hinged bars");
    }
    check(scene_load("models/bricard.yaml"), 1, "Bricard");
    check(scene_load("models/sarrus.yaml"), 1, "Sarrus");
    check(scene_load("models/bennett.yaml"), 3, "Bennett");
}

/* A net of revolutes has many more rows than freedoms, and fronts whose rows run out. */
static void overconstrained_nets_have_it_too(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_net(4);
    for (int i = 1; i <= 4; i++)
        for (int k = 0; k < 3; k++) {
            char name[32];
            snprintf(name, sizeof name, "extra%d%d", i, k);
            cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE,
                                                          .a = {i}, .b = {i + 4 * k + 4},
                                                          .point = {0.3 * i, 0.7 * k, 0.1}, .axis = {0.2, i, 1.0 + k}});
        }
    CardanModel *model = scene_compile(b);
    Rows s = rows_of(model);
    CrdSpectrum sp;
    assert_int_equal(crd_spectrum_open(&sp, model, NULL), CARDAN_OK);
    assert_int_equal(crd_spectrum_take(&sp, &s.w, false, NULL), CARDAN_OK);
    int redundant = model->structure->rows - crd_spectrum_rank(&sp, CRD_RANK_TOLERANCE);
    assert_true(redundant > 0);
    crd_spectrum_close(&sp);
    crd_arena_free(&s.arena);
    check(model, redundant, "net with revolutes");
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    Rows s = rows_of(scene_compile(mechanism_chain(CARDAN_SPACE_SPATIAL, 3)));
    CrdQr qr;
    CrdError error = {0};
    assert_int_equal(crd_qr_open(&qr, s.model, &error), CARDAN_OK);
    s.w.G[4] = (double)NAN;
    assert_int_equal(crd_qr_take(&qr, &s.w, CRD_RANK_TOLERANCE, &error), CARDAN_ERR_NUMERIC);
    assert_non_null(strstr(error.text, "not finite"));
    crd_qr_close(&qr);
    crd_arena_free(&s.arena);
    cardan_model_release(s.model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_have_the_rank_that_singular_values_show),
        cmocka_unit_test(overconstrained_nets_have_it_too),
        cmocka_unit_test(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
