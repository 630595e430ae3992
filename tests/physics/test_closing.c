/* Assembling from rough poses: random ones close, impossible lengths are refused with the joints and the length. */
#include "support/check.h"
#include "support/scene.h"

#include "core/random.h"

enum { NUMBERS = 600 };

/* Largest distance between bodies: what 20 percent is of. */
static double size_of(CardanStudy *study, const CardanModel *model) {
    double size = 0.0;
    int bodies = cardan_model_sizes(model).bodies;
    for (int i = 0; i < bodies; i++)
        for (int k = 0; k < i; k++) {
            CardanBodyState a, b;
            assert_int_equal(cardan_study_body(study, cardan_model_body(model, i), &a), CARDAN_OK);
            assert_int_equal(cardan_study_body(study, cardan_model_body(model, k), &b), CARDAN_OK);
            double x = a.position.x - b.position.x, y = a.position.y - b.position.y, z = a.position.z - b.position.z;
            size = fmax(size, sqrt(x * x + y * y + z * z));
        }
    return size;
}

/* How many of `count` perturbed poses close; an answer that is not closed to 1e-12, by rows evaluated apart from the
 * study, fails. */
static int close_perturbed(const char *file, int count) {
    CardanModel *model = scene_load(file);
    CardanSizes sizes = cardan_model_sizes(model);
    CardanStudy *study = NULL;
    CardanOperators *op = NULL;
    double q0[NUMBERS], q[NUMBERS], v[NUMBERS] = {0}, dx[NUMBERS], g[NUMBERS];
    uint64_t random = 11;
    int closed = 0;
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_operators_create(model, CARDAN_COORDINATES_ABSOLUTE, &op, NULL, 0), CARDAN_OK);
    memcpy(q0, cardan_study_positions(study), (size_t)sizes.coordinates * sizeof *q);
    double size = size_of(study, model);
    int lengths = cardan_model_space(model) == CARDAN_SPACE_PLANAR ? 2 : 3, all = lengths == 2 ? 3 : 6;
    assert_int_equal(all * sizes.bodies, sizes.velocities);
    for (int i = 0; i < count; i++) {
        CardanAssembly found;
        for (int k = 0; k < sizes.velocities; k++) dx[k] = (k % all < lengths ? 0.2 * size : 0.5) * crd_random(&random);
        memcpy(q, q0, sizeof q);
        assert_int_equal(cardan_operators_move(op, dx, q), CARDAN_OK);
        assert_int_equal(cardan_study_set(study, 0.0, q, v), CARDAN_OK);
        if (cardan_study_assemble(study, 0, 0, &found) < 0) continue;
        closed++;
        assert_int_equal(cardan_operators_set(op, 0.0, cardan_study_positions(study), v), CARDAN_OK);
        assert_int_equal(cardan_operators_residuals(op, g, NULL, NULL), CARDAN_OK);
        check_near(worst_of(g, sizes.rows), 0.0, 1e-12, "%s: rows of a pose that was reported closed", file);
    }
    cardan_operators_destroy(op);
    cardan_study_destroy(study);
    cardan_model_release(model);
    return closed;
}

static void perturbed_poses_of_six_mechanisms_close_to_1e_12(void **state) {
    (void)state;
    static const char *const files[] = {"models/slider_crank.yaml", "models/stewart_platform.yaml",
                                        "models/andrews.yaml",      "models/double_wishbone.yaml",
                                        "models/bricard.yaml",      "models/delta_robot.yaml"};
    const char *asked = getenv("CARDAN_CLOSINGS"); /* 1000 by hand */
    int count = asked != NULL ? atoi(asked) : 60;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int closed = close_perturbed(files[i], count);
        if (asked != NULL) printf("%s: %d of %d closed\n", files[i], closed, count);
        if (closed < count - count / 100) fail_msg("%s: %d of %d closed", files[i], closed, count);
    }
}

/* Links of 1 m that hang as a V from a pin, or between two, each moved by up to 0.2 m and 0.2 rad. */
static void close_chain(int links, bool loop) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody before = {0};
    double x = 0.0, y = 0.0;
    uint64_t random = 17;
    for (int i = 0; i < links + loop; i++) {
        char name[32];
        double turn = i < links / 2 ? -0.5 : 0.5;
        CardanBodyDef body = cardan_default_body();
        CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "link%d", i);
        body.name = name;
        body.mass = 1.0;
        body.inertia.zz = 1.0 / 12.0;
        body.pose.p = (CardanVec3){x + 0.5 * cos(turn), y + 0.5 * sin(turn), 0};
        body.pose.angle = turn;
        joint.a = before;
        if (i < links) joint.b = before = cardan_builder_add_body(builder, &body);
        snprintf(name, sizeof name, "pin%d", i);
        joint.name = name;
        joint.point = (CardanVec3){x, y, 0};
        cardan_builder_add_joint(builder, &joint);
        x += cos(turn);
        y += sin(turn);
    }
    CardanModel *model = scene_compile(builder);
    CardanStudy *study = NULL;
    CardanAssembly found;
    size_t n = 3 * (size_t)links;
    double *q = calloc(n, sizeof *q), *v = calloc(n, sizeof *v);
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    for (size_t i = 0; i < n; i++) q[i] = cardan_study_positions(study)[i] + 0.2 * crd_random(&random);
    assert_int_equal(cardan_study_set(study, 0.0, q, v), CARDAN_OK);
    if (cardan_study_assemble(study, 1, 0, &found) < 0) fail_msg("%s", cardan_study_message(study));
    assert_true(found.iterations <= 40);
    check_near(found.residual, 0.0, 1e-12 * links, "rows of a %s of %d links", loop ? "loop" : "chain", links);
    free(q);
    free(v);
    cardan_study_destroy(study);
    cardan_model_release(model);
}

static void rough_chains_close_in_as_many_steps_however_long_they_are(void **state) {
    (void)state;
    for (int links = 50; links <= 2450; links *= 7) {
        close_chain(links, false);
        close_chain(links, true);
    }
}

#define OPEN_CRANK(l)                                                                                                  \
    "cardan: 1\nname: open\nspace: planar\n"                                                                           \
    "bodies:\n"                                                                                                        \
    "  crank: {mass: 1.0, inertia: 0.01, position: [0.1, 0]}\n"                                                        \
    "  rod: {mass: 2.0, inertia: 0.02, position: [0.3, 0.1]}\n"                                                        \
    "joints:\n"                                                                                                        \
    "  main: {type: revolute, bodies: [ground, crank], local: {a: [0, 0], b: [-0.1, 0]}}\n"                            \
    "  pin: {type: revolute, bodies: [crank, rod], local: {a: [0.1, 0], b: [-" l ", 0]}}\n"                            \
    "  end: {type: revolute, bodies: [rod, ground], local: {a: [" l ", 0], b: [0.8, 0]}}\n"

static CardanStudy *study_of(const char *text, CardanModel **model) {
    CardanStudy *study = NULL;
    *model = scene_read(text);
    assert_int_equal(cardan_study_create(*model, &study, NULL, 0), CARDAN_OK);
    return study;
}

static void a_chain_too_short_for_its_ends_is_refused_with_joints_openings_and_the_length(void **state) {
    (void)state;
    CardanModel *model;
    CardanStudy *study = study_of(OPEN_CRANK("0.15"), &model);
    CardanAssembly found = {.starts = -1};
    double before = cardan_study_positions(study)[3];
    assert_int_equal(cardan_study_assemble(study, 5, 0, &found), CARDAN_ERR_MODEL);
    const char *message = cardan_study_message(study);
    if (strstr(message, "'main' by 0.1") == NULL || strstr(message, "'pin' by 0.1") == NULL ||
        strstr(message, "'end' by 0.1") == NULL || strstr(message, "body 'rod' about 0.6 m long") == NULL)
        fail_msg("the sentence is '%s'", message);
    assert_int_equal(found.starts, -1);
    check_near(cardan_study_positions(study)[3], before, 0.0, "the state after a failure");
    cardan_study_destroy(study);
    cardan_model_release(model);
}

static void joint_coordinates_are_met_exactly_or_as_far_as_joints_allow(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanStudy *study = NULL;
    CardanAssembly found;
    double x = 0.0;
    CardanJoint main = cardan_model_find_joint(model, "main"), guide = cardan_model_find_joint(model, "guide");
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_study_target(study, main, 1.1, 0.0), CARDAN_OK);
    assert_int_equal(cardan_study_target(study, guide, 5.0, 1e-3), CARDAN_OK); /* a wish that cannot be met */
    assert_int_equal(cardan_study_assemble(study, 0, 0, &found), CARDAN_OK);
    assert_int_equal(cardan_study_joint(study, main, &x, NULL), CARDAN_OK);
    check_near(x, 1.1, 1e-12, "the crank's angle");
    cardan_study_destroy(study);
    cardan_model_release(model);
}

static void the_two_ways_to_close_a_crank_and_rod_are_found(void **state) {
    (void)state;
    CardanModel *model;
    CardanStudy *study = study_of(OPEN_CRANK("0.4"), &model);
    CardanAssembly found;
    assert_int_equal(cardan_study_hold(study, (CardanBody){0}), CARDAN_OK);
    assert_int_equal(cardan_study_assemble(study, 0, 20, &found), CARDAN_OK);
    assert_int_equal(found.alternatives, 1); /* the mirror image */
    double q[6], distance = 0.0;
    assert_int_equal(cardan_study_alternative(study, 0, q, &distance), CARDAN_OK);
    check_near(q[2], -cardan_study_positions(study)[2], 1e-9, "the crank's angle of the other way");
    cardan_study_destroy(study);
    cardan_model_release(model);
}

static void a_run_starts_at_the_joint_coordinates_of_its_file(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nname: at\nspace: planar\nparameters: {a: 0.3}\n"
                                    "bodies:\n  crank: {mass: 1.0, inertia: 0.01, position: [0.1, 0]}\n"
                                    "  rod: {mass: 1.0, inertia: 0.01, position: [0.4, 0]}\n"
                                    "  slider: {mass: 1.0, inertia: 0.01, position: [0.6, 0]}\n"
                                    "joints:\n  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
                                    "  pin: {type: revolute, bodies: [crank, rod], point: [0.2, 0]}\n"
                                    "  wrist: {type: revolute, bodies: [rod, slider], point: [0.6, 0]}\n"
                                    "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\n"
                                    "start: {joints: {main: \"2*a\"}, rates: {main: 1}}\n");
    CardanSim *sim = scene_start(model, NULL);
    double x, rate;
    assert_int_equal(cardan_sim_joint(sim, cardan_model_find_joint(model, "main"), &x, &rate), CARDAN_OK);
    check_near(x, 0.6, 1e-12, "the crank's angle");
    check_near(rate, 1.0, 1e-12, "its rate");
    CardanBodyState slider;
    assert_int_equal(cardan_sim_body(sim, cardan_model_find_body(model, "slider"), &slider), CARDAN_OK);
    double expected = 0.2 * cos(0.6) + sqrt(0.16 - 0.04 * sin(0.6) * sin(0.6));
    check_near(slider.position.x, expected, 1e-12, "the slider");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perturbed_poses_of_six_mechanisms_close_to_1e_12),
        cmocka_unit_test(rough_chains_close_in_as_many_steps_however_long_they_are),
        cmocka_unit_test(a_chain_too_short_for_its_ends_is_refused_with_joints_openings_and_the_length),
        cmocka_unit_test(joint_coordinates_are_met_exactly_or_as_far_as_joints_allow),
        cmocka_unit_test(the_two_ways_to_close_a_crank_and_rod_are_found),
        cmocka_unit_test(a_run_starts_at_the_joint_coordinates_of_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
