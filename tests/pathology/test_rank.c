/* Rank of the constraint rows: redundant, singular, neither, and what unequal masses must not do to it. */
#include "analysis/rank.h"
#include "mechanisms.h"
#include "nets.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/scene.h"

enum { JOINTS_MOST = 300 };

/* What cardan_model_check says, with room for its joints. */
typedef struct Report {
    CardanCheck check;
    CardanStatus status;
    bool redundant[JOINTS_MOST];
    double residual[2 * JOINTS_MOST];
    char message[512];
} Report;

static Report report_of(CardanBuilder *builder) {
    Report report = {0};
    CardanModel *model = NULL;
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    assert_true(cardan_model_sizes(model).joints <= JOINTS_MOST);
    report.status = cardan_model_check(model, &report.check, report.redundant, report.residual, report.message,
                                       sizeof report.message);
    if (report.status < 0) fail_msg("%s", report.message);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return report;
}

static CardanBuilder *read_text(const char *text) {
    CardanBuilder *builder = NULL;
    if (cardan_builder_read_text(text, strlen(text), "test", &builder) < 0)
        fail_msg("%s", cardan_builder_message(builder));
    return builder;
}

static int count_redundant(const Report *report) {
    int count = 0;
    for (int i = 0; i < JOINTS_MOST; i++) count += report->redundant[i];
    return count;
}

static void expect(const Report *r, int freedoms, int redundant_rows, bool singular) {
    assert_int_equal(r->check.degrees_of_freedom, freedoms);
    assert_int_equal(r->check.redundant_rows, redundant_rows);
    assert_int_equal(r->check.singular, singular);
    assert_true(r->check.assembled);
}

/* Square bar of 1 m in the x-y plane with its centre at (x, y). */
static CardanBody add_bar(CardanBuilder *b, const char *name, double x, double y, double angle) {
    CardanBodyDef def = {DEFAULTED, .name = name, .mass = 1.0, .inertia = {1.0 / 600, 1.01 / 12, 1.01 / 12, 0, 0, 0}};
    def.pose.p = (CardanVec3){x, y, 0.0};
    def.pose.q = (CardanQuat){cos(0.5 * angle), 0, 0, sin(0.5 * angle)};
    return cardan_builder_add_body(b, &def);
}

static void add_hinge(CardanBuilder *b, const char *name, CardanBody a, CardanBody c, double x, double y) {
    CardanJointDef def = {DEFAULTED,          .name = name,     .type = CARDAN_JOINT_REVOLUTE, .a = a, .b = c,
                          .point = {x, y, 0}, .axis = {0, 0, 1}};
    cardan_builder_add_joint(b, &def);
}

/* The N-four-bar with hinges in space, its cranks at this angle. */
static CardanBuilder *spatial_four_bars(int n, double angle) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    double c = cos(angle), s = sin(angle);
    CardanBody ground = {0}, before = {0};
    char name[16];
    for (int i = 0; i <= n; i++) {
        snprintf(name, sizeof name, "c%d", i);
        CardanBody crank = add_bar(b, name, i + 0.5 * c, 0.5 * s, angle);
        snprintf(name, sizeof name, "foot%d", i);
        add_hinge(b, name, ground, crank, i, 0.0);
        if (i > 0) {
            snprintf(name, sizeof name, "h%d", i);
            CardanBody coupler = add_bar(b, name, i - 0.5 + c, s, 0.0);
            snprintf(name, sizeof name, "left%d", i);
            add_hinge(b, name, before, coupler, i - 1 + c, s);
            snprintf(name, sizeof name, "right%d", i);
            add_hinge(b, name, crank, coupler, i + c, s);
        }
        before = crank;
    }
    return b;
}

static const char BRICARD[] = "cardan: 1\nname: bricard\nspace: spatial\nbodies:\n"
                              "  bar1: {mass: 1, inertia: [0.002, 0.08, 0.08], position: [0.5, 0, 0]}\n"
                              "  bar2: {mass: 1, inertia: [0.08, 0.002, 0.08], position: [1, -0.5, 0]}\n"
                              "  bar3: {mass: 1, inertia: [0.08, 0.08, 0.002], position: [1, -1, 0.5]}\n"
                              "  bar4: {mass: 1, inertia: [0.002, 0.08, 0.08], position: [0.5, -1, 1]}\n"
                              "  bar5: {mass: 1, inertia: [0.08, 0.002, 0.08], position: [0, -0.5, 1]}\n"
                              "joints:\n"
                              "  j1: {type: revolute, bodies: [ground, bar1], point: [0, 0, 0], axis: [0, 1, 0]}\n"
                              "  j2: {type: revolute, bodies: [bar1, bar2], point: [1, 0, 0], axis: [0, 0, 1]}\n"
                              "  j3: {type: revolute, bodies: [bar2, bar3], point: [1, -1, 0], axis: [1, 0, 0]}\n"
                              "  j4: {type: revolute, bodies: [bar3, bar4], point: [1, -1, 1], axis: [0, 1, 0]}\n"
                              "  j5: {type: revolute, bodies: [bar4, bar5], point: [0, -1, 1], axis: [0, 0, 1]}\n"
                              "  j6: {type: revolute, bodies: [bar5, ground], point: [0, 0, 1], axis: [1, 0, 0]}\n";

/* Crank and rod of 1 m in the pose where they fold onto each other (SINGULARITIES). */
static const char FOLDED_SLIDER_CRANK[] =
    "cardan: 1\nname: folded\nspace: planar\nbodies:\n"
    "  crank:  {mass: 1, inertia: \"1/12\", position: [0, -0.5], angle: \"-pi/2\"}\n"
    "  rod:    {mass: 1, inertia: \"1/12\", position: [0, -0.5], angle: \"pi/2\"}\n"
    "  slider: {mass: 1, inertia: 0.01, position: [0, 0]}\n"
    "joints:\n"
    "  main:  {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
    "  pin:   {type: revolute, bodies: [crank, rod], point: [0, -1]}\n"
    "  wrist: {type: revolute, bodies: [rod, slider], point: [0, 0]}\n"
    "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\n";

static void bricard_has_one_redundant_row_in_all_its_joints(void **state) {
    (void)state;
    Report r = report_of(read_text(BRICARD));
    expect(&r, 1, 1, false);
    assert_int_equal(count_redundant(&r), 6);
}

static void planar_double_four_bar_upright_is_regular(void **state) {
    (void)state;
    Report r = report_of(mechanism_four_bars(2));
    expect(&r, 1, 0, false);
    assert_int_equal(count_redundant(&r), 0);
}

static void spatial_hinges_of_four_bars_are_redundant(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n++) {
        Report r = report_of(spatial_four_bars(n, 1.0));
        expect(&r, 1, 3 * n, false);
        assert_int_equal(count_redundant(&r), 3 * n + 1);
    }
}

static void flat_four_bars_are_singular_besides(void **state) {
    (void)state;
    Report r = report_of(spatial_four_bars(2, 0.0));
    expect(&r, 1, 6, true);
    assert_int_equal(count_redundant(&r), 7);
}

static void only_the_loop_with_redundant_rows_is_named(void **state) {
    (void)state;
    CardanBuilder *b = spatial_four_bars(1, 1.0);
    CardanBody pendulum = add_bar(b, "pendulum", 5.5, 0.0, 0.0);
    add_hinge(b, "free", (CardanBody){0}, pendulum, 5.0, 0.0);
    Report r = report_of(b);
    expect(&r, 2, 3, false);
    assert_int_equal(count_redundant(&r), 4);
    assert_false(r.redundant[4]);
}

static void slider_crank_of_equal_lengths_is_singular_when_folded(void **state) {
    (void)state;
    Report r = report_of(read_text(FOLDED_SLIDER_CRANK));
    expect(&r, 1, 0, true);
    assert_int_equal(count_redundant(&r), 0);
}

static void slider_crank_of_equal_lengths_is_regular_elsewhere(void **state) {
    (void)state;
    Report r = report_of(mechanism_slider_crank(1.0, 1.0, -0.3));
    expect(&r, 1, 0, false);
}

static void a_pose_off_the_constraints_is_assembled_before_its_rank_is_taken(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: off\nspace: planar\nbodies:\n"
                       "  a: {mass: 1, inertia: 0.1, position: [0.6, 0.1]}\n"
                       "  b: {mass: 1, inertia: 0.1, position: [1.3, 0.2], angle: 0.2}\n"
                       "joints:\n"
                       "  j: {type: revolute, bodies: [ground, a], local: {a: [0, 0], b: [-0.5, 0]}}\n"
                       "  k: {type: revolute, bodies: [a, b], local: {a: [0.5, 0], b: [-0.5, 0]}}\n";
    Report r = report_of(read_text(text));
    expect(&r, 2, 0, false);
    check_near(r.check.residual_position, 1.1 - (1.3 - 0.5 * cos(0.2)), 1e-15, "residual of the pose as given");
    check_near(r.residual[0], 0.1, 1e-15, "residual of the first joint");
}

static void a_linkage_that_cannot_close_is_not_assembled(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: short\nspace: planar\nbodies:\n"
                       "  a: {mass: 1, particle: true, position: [1, 0]}\n"
                       "joints:\n"
                       "  near: {type: distance, bodies: [ground, a], local: {a: [0, 0], b: [0, 0]}, length: 1}\n"
                       "  away: {type: distance, bodies: [ground, a], local: {a: [5, 0], b: [0, 0]}, length: 1}\n";
    CardanBuilder *builder = read_text(text);
    Report r = report_of(builder);
    assert_false(r.check.assembled);
}

/* A chain whose masses alternate between 1 and ratio. */
static CardanBuilder *uneven_chain(int n, double ratio) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody before = {0};
    char name[16];
    for (int i = 0; i < n; i++) {
        double mass = i % 2 == 0 ? 1.0 : ratio;
        snprintf(name, sizeof name, "l%d", i);
        CardanBody link =
            cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = name, .mass = mass,
                                                        .inertia.zz = mass / 12.0, .pose.p = {i + 0.5, 0, 0}});
        snprintf(name, sizeof name, "j%d", i);
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE,
                                                      .a = before, .b = link, .point = {i, 0, 0}});
        before = link;
    }
    return b;
}

static void unequal_masses_do_not_lower_the_rank(void **state) {
    (void)state;
    const double ratio[] = {1e6, 1e8, 1e10, 1e-10};
    for (size_t k = 0; k < sizeof ratio / sizeof *ratio; k++) {
        Report r = report_of(uneven_chain(20, ratio[k]));
        expect(&r, 20, 0, false);
        assert_int_equal(count_redundant(&r), 0);
    }
}

static void a_chain_of_unequal_masses_starts(void **state) {
    (void)state;
    CardanBuilder *builder = uneven_chain(20, 1e10);
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    assert_int_equal(cardan_builder_compile(builder, &model), CARDAN_OK);
    if (cardan_sim_create(model, NULL, &sim) != CARDAN_OK) fail_msg("%s", cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
}

/* ---- rows of the user's ---- */

/* No velocity along the body's own y: a knife edge. */
static CardanStatus blade(void *user, double t, const CardanFrame *f, double *g, CardanTwistRow *jacobian, double *rate,
                          double *gamma) {
    (void)user;
    (void)t;
    (void)g;
    (void)rate;
    double s = f->rotation[3], c = f->rotation[0];
    jacobian[0][0] = -s;
    jacobian[0][1] = c;
    gamma[0] = f->w.z * (c * f->v.x + s * f->v.y);
    return CARDAN_OK;
}

static CardanBuilder *sleigh(int blades) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody body =
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "sleigh", .mass = 1, .inertia.zz = 1});
    const char *const names[] = {"first", "second"};
    for (int i = 0; i < blades; i++)
        cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = names[i], .rows = 1, .bodies = 1, .body = &body,
                                                    .nonholonomic = true, .evaluate = blade});
    return b;
}

static void nonholonomic_rows_count(void **state) {
    (void)state;
    Report one = report_of(sleigh(1)), two = report_of(sleigh(2));
    expect(&one, 2, 0, false);
    expect(&two, 2, 1, false);
    assert_int_equal(count_redundant(&two), 2);
}

static void a_model_without_rows_has_all_its_freedoms(void **state) {
    (void)state;
    Report r = report_of(sleigh(0));
    expect(&r, 3, 0, false);
}

/* ---- sizes ---- */

static void a_large_regular_model_needs_no_dense_look(void **state) {
    (void)state;
    Report r = report_of(mechanism_chain(CARDAN_SPACE_SPATIAL, 250));
    assert_int_equal(r.status, CARDAN_OK);
    expect(&r, 250, 0, false);
}

static void a_large_model_with_dependent_rows_is_counted_too(void **state) {
    (void)state;
    Report r = report_of(spatial_four_bars(90, 1.0));
    assert_int_equal(r.status, CARDAN_OK);
    expect(&r, 1, 270, false);
}

static void a_large_model_in_a_singular_pose_is_told_from_a_redundant_one(void **state) {
    (void)state;
    Report r = report_of(spatial_four_bars(60, 0.0));
    assert_int_equal(r.status, CARDAN_OK);
    expect(&r, 1, 180, true);
}

static void a_redundant_model_of_some_hundred_rows_is_looked_at(void **state) {
    (void)state;
    Report r = report_of(spatial_four_bars(12, 1.0));
    expect(&r, 1, 36, false);
    assert_int_equal(count_redundant(&r), 37);
}

/* Factorisations until a ladder of spatial four-bars stands ready. */
static long work_of_start(int cells, bool redundant) {
    CardanModel *model = scene_compile(mechanism_hinged_bars(cells, 0.7, -1.0, redundant));
    CardanSim *sim = NULL;
    CardanOptions options = cardan_default_options();
    if (cardan_sim_create(model, &options, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
    assert_int_equal(sim->integrator.dynamics.redundancy.count, redundant ? 3 * cells : 0);
    long work = sim->integrator.dynamics.work.factorisations;
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return work;
}

/* One neighbour shows that they are redundant: a factor to leave the pose with, and some steps of Newton. */
static void redundant_rows_cost_a_start_few_factorisations_however_many_they_are(void **state) {
    (void)state;
    long few = work_of_start(20, true) - work_of_start(20, false);
    long many = work_of_start(200, true) - work_of_start(200, false);
    print_message("    %ld factorisations more for 20 cells, %ld for 200\n", few, many);
    assert_true(few <= 5 && many <= 5);
}

/* ---- the function itself ---- */

static void rank_leaves_the_pose_as_it_was_measured(void **state) {
    (void)state;
    CardanBuilder *builder = read_text(FOLDED_SLIDER_CRANK);
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    CardanOptions options = cardan_default_options();
    assert_int_equal(cardan_builder_compile(builder, &model), CARDAN_OK);
    assert_int_equal(crd_sim_open(model, &options, &sim), CARDAN_OK);
    CrdRank rank;
    bool redundant[4], singular[4];
    const double *q = model->values.q0, *v = model->values.v0;
    assert_int_equal(crd_rank(&sim->integrator.dynamics, 0.0, q, v, &rank, redundant, singular), CARDAN_OK);
    assert_int_equal(rank.rank, 8);
    assert_int_equal(rank.rank_here, 7);
    assert_true(rank.exact && rank.singular);
    for (int i = 0; i < 4; i++) assert_false(redundant[i]);
    /* Vertical forces of main, pin, wrist and guide can balance one another: each has a part. */
    for (int i = 0; i < 4; i++) assert_true(singular[i]);
    CardanVec3 crank = {0, -0.5, 0};
    assert_memory_equal(&sim->integrator.dynamics.system.frames[1].x, &crank, sizeof crank);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
}

/* A stretched crank and rod whose end slides across them, and three rods from one point to points of a plane through
 * it: circle and line, or spheres, touch. What rows allow there to first order does not exist, and no error of data is
 * in it: no imperfect loop. */
static void rows_that_touch_are_a_singular_pose(void **state) {
    (void)state;
    Report r = report_of(read_text("cardan: 1\nspace: planar\nbodies:\n"
                                   "  crank: {mass: 1, inertia: 0.01, position: [0.1, 0]}\n"
                                   "  rod: {mass: 1, inertia: 0.03, position: [0.4, 0]}\n"
                                   "  slider: {mass: 1, inertia: 0.01, position: [0.6, 0]}\n"
                                   "joints:\n"
                                   "  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
                                   "  pin: {type: revolute, bodies: [crank, rod], point: [0.2, 0]}\n"
                                   "  wrist: {type: revolute, bodies: [rod, slider], point: [0.6, 0]}\n"
                                   "  guide: {type: prismatic, bodies: [ground, slider], axis: [0, 1]}\n"));
    expect(&r, 1, 0, true);
    r = report_of(
        read_text("cardan: 1\nspace: spatial\nbodies:\n"
                  "  plate: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                  "joints:\n"
                  "  one: {type: distance, bodies: [ground, plate], local: {a: [0, 0, 0], b: [1, 0.5, 0]}}\n"
                  "  two: {type: distance, bodies: [ground, plate], local: {a: [0, 0, 0], b: [-1, 1, 0]}}\n"
                  "  three: {type: distance, bodies: [ground, plate], local: {a: [0, 0, 0], b: [0, -1, 0]}}\n"));
    expect(&r, 3, 0, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard_has_one_redundant_row_in_all_its_joints),
        cmocka_unit_test(planar_double_four_bar_upright_is_regular),
        cmocka_unit_test(spatial_hinges_of_four_bars_are_redundant),
        cmocka_unit_test(flat_four_bars_are_singular_besides),
        cmocka_unit_test(only_the_loop_with_redundant_rows_is_named),
        cmocka_unit_test(slider_crank_of_equal_lengths_is_singular_when_folded),
        cmocka_unit_test(slider_crank_of_equal_lengths_is_regular_elsewhere),
        cmocka_unit_test(a_pose_off_the_constraints_is_assembled_before_its_rank_is_taken),
        cmocka_unit_test(a_linkage_that_cannot_close_is_not_assembled),
        cmocka_unit_test(unequal_masses_do_not_lower_the_rank),
        cmocka_unit_test(a_chain_of_unequal_masses_starts),
        cmocka_unit_test(nonholonomic_rows_count),
        cmocka_unit_test(a_model_without_rows_has_all_its_freedoms),
        cmocka_unit_test(a_large_regular_model_needs_no_dense_look),
        cmocka_unit_test(a_large_model_with_dependent_rows_is_counted_too),
        cmocka_unit_test(a_large_model_in_a_singular_pose_is_told_from_a_redundant_one),
        cmocka_unit_test(a_redundant_model_of_some_hundred_rows_is_looked_at),
        cmocka_unit_test(redundant_rows_cost_a_start_few_factorisations_however_many_they_are),
        cmocka_unit_test(rank_leaves_the_pose_as_it_was_measured),
        cmocka_unit_test(rows_that_touch_are_a_singular_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
