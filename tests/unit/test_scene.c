/* What there is to be seen of a model: shapes, where joints sit and forces act, and how strongly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cardan/cardan.h"

/* Rounding of sums of a few numbers, relative to the largest of them. */
static const double ROUNDING = 1e-12;

static CardanModel *load(const char *path) {
    CardanModel *model = NULL;
    char message[512] = "";
    if (cardan_model_load(path, &model, message, sizeof message) < 0) fail_msg("%s: %s", path, message);
    return model;
}

static CardanModel *read_text(const char *text) {
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    CardanStatus status = cardan_builder_read_text(text, strlen(text), "text", &builder);
    if (status >= 0) status = cardan_builder_compile(builder, &model);
    if (status < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return model;
}

static void is_vector(CardanVec3 v, double x, double y, double z) {
    double off = fabs(v.x - x) + fabs(v.y - y) + fabs(v.z - z);
    if (!(off < 1e-14)) fail_msg("(%g, %g, %g) is not (%g, %g, %g)", v.x, v.y, v.z, x, y, z);
}

/* ---- shapes ---- */

static const char SHAPES[] = "cardan: 1\nname: m\nspace: spatial\nparameters: {r: 0.2}\nbodies:\n"
                             "  a: {mass: 1, inertia: [1, 1, 1], geometry: [{rod: [[0, 0, 0], [r, 0, \"2*r\"], 0.01]}, "
                             "{box: [1, 2, r]}]}\n"
                             "  b: {mass: 1, inertia: [1, 1, 1], geometry: {cylinder: [r, 3]}}\n"
                             "  c: {mass: 1, inertia: [1, 1, 1], geometry: [{sphere: r}, {mesh: part.stl}]}\n"
                             "  d: {mass: 1, particle: true}\n";

static void geometry_of_a_file_is_kept_and_follows_parameters(void **state) {
    (void)state;
    CardanModel *model = read_text(SHAPES), *other = NULL;
    CardanBody a = cardan_model_find_body(model, "a"), b = cardan_model_find_body(model, "b"),
               c = cardan_model_find_body(model, "c"), d = cardan_model_find_body(model, "d");
    assert_int_equal(cardan_model_shapes(model, a), 2);
    assert_int_equal(cardan_model_shapes(model, d), 0);
    assert_int_equal(cardan_model_shapes(model, (CardanBody){99}), -1);
    is_vector(cardan_model_shape(model, a, 0).to, 0.2, 0.0, 0.4);
    is_vector(cardan_model_shape(model, a, 1).edges, 1.0, 2.0, 0.2);
    assert_true(cardan_model_shape(model, b, 0).height == 3.0 && cardan_model_shape(model, b, 0).radius == 0.2);
    assert_int_equal(cardan_model_shape(model, c, 0).kind, CARDAN_SHAPE_SPHERE);
    assert_string_equal(cardan_model_shape(model, c, 1).file, "part.stl");
    assert_int_equal(cardan_model_shape(model, c, 2).kind, CARDAN_SHAPE_NONE);
    const char *const name = "r";
    const double value = 0.5;
    assert_int_equal(cardan_model_with_parameters(model, 1, &name, &value, &other, NULL, 0), CARDAN_OK);
    is_vector(cardan_model_shape(other, a, 0).to, 0.5, 0.0, 1.0);
    assert_true(cardan_model_shape(other, c, 0).radius == 0.5);
    const double bad = -1.0;
    CardanModel *none = NULL;
    char message[256] = "";
    assert_int_equal(cardan_model_with_parameters(model, 1, &name, &bad, &none, message, sizeof message),
                     CARDAN_ERR_MODEL);
    assert_non_null(strstr(message, "negative"));
    cardan_model_release(other);
    cardan_model_release(model);
}

static void a_program_may_add_shapes(void **state) {
    (void)state;
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBodyDef def = cardan_default_body();
    CardanModel *model = NULL;
    def.name = "rod";
    def.mass = 2.0;
    def.inertia.zz = 0.3;
    CardanBody body = cardan_builder_add_body(builder, &def);
    CardanShape rod = cardan_default_shape(CARDAN_SHAPE_ROD), mesh = cardan_default_shape(CARDAN_SHAPE_MESH);
    rod.from.x = -1.0;
    rod.to.x = 1.0;
    rod.radius = 0.1;
    mesh.file = "rod.stl";
    cardan_builder_add_shape(builder, body, &rod);
    cardan_builder_add_shape(builder, body, &mesh);
    assert_int_equal(cardan_builder_compile(builder, &model), CARDAN_OK);
    cardan_builder_destroy(builder);
    assert_int_equal(cardan_model_shapes(model, body), 2);
    is_vector(cardan_model_shape(model, body, 0).from, -1.0, 0.0, 0.0);
    assert_string_equal(cardan_model_shape(model, body, 1).file, "rod.stl");
    assert_true(cardan_model_body_mass(model, body).mass == 2.0 &&
                cardan_model_body_mass(model, body).inertia.zz == 0.3);
    cardan_model_release(model);
}

/* ---- joints and forces ---- */

static void joints_say_where_they_sit(void **state) {
    (void)state;
    CardanModel *model = load("models/slider_crank.yaml");
    CardanJointScene pin = cardan_model_joint_scene(model, cardan_model_find_joint(model, "pin"));
    CardanJointScene guide = cardan_model_joint_scene(model, cardan_model_find_joint(model, "guide"));
    assert_int_equal(pin.type, CARDAN_JOINT_REVOLUTE);
    is_vector(pin.point_a, 0.1, 0.0, 0.0);
    is_vector(pin.point_b, -0.2, 0.0, 0.0);
    is_vector(guide.axis_a, 1.0, 0.0, 0.0);
    assert_int_equal(guide.a.index, 0);
    is_vector(cardan_model_gravity(model), 0.0, -9.81, 0.0);
    is_vector(cardan_model_body_pose(model, pin.b).p, 0.4, 0.0, 0.0);
    cardan_model_release(model);
    model = load("models/vehicle.yaml");
    CardanJointScene road = cardan_model_joint_scene(model, cardan_model_find_joint(model, "road_fl"));
    CardanJointScene steer = cardan_model_joint_scene(model, cardan_model_find_joint(model, "steer_l"));
    is_vector(road.axis_a, 0.0, 0.0, 1.0);
    is_vector(road.axis_b, 0.0, 1.0, 0.0);
    assert_true(road.radius == 0.3);
    assert_int_equal(steer.type, CARDAN_JOINT_DRIVER);
    assert_int_equal(steer.joint.index, cardan_model_find_joint(model, "king_l").index);
    cardan_model_release(model);
}

static void forces_say_where_they_act(void **state) {
    (void)state;
    CardanModel *model = load("models/every_load.yaml");
    CardanForce spring = cardan_model_find_force(model, "spring"), mount = cardan_model_find_force(model, "mount"),
                floor = cardan_model_find_force(model, "floor"), motor = cardan_model_find_force(model, "motor");
    assert_int_equal(cardan_model_find_force(model, "arm").index, CARDAN_INVALID);
    assert_string_equal(cardan_model_force_name(model, spring), "spring");
    assert_int_equal(cardan_model_force_scene(model, spring).points, 2);
    is_vector(cardan_model_force_point(model, spring, 1).point, 0.2, 0.0, 0.0);
    assert_int_equal(cardan_model_force_point(model, spring, 2).body.index, CARDAN_INVALID);
    is_vector(cardan_model_force_point(model, mount, 0).point, 0.4, 0.0, 0.0); /* 1.0 less the arm's 0.6 */
    is_vector(cardan_model_force_scene(model, floor).plane_normal, 0.0, 0.0, 1.0);
    assert_true(cardan_model_force_scene(model, floor).radius == 0.1);
    assert_int_equal(cardan_model_force_scene(model, motor).joint.index, cardan_model_find_joint(model, "yaw").index);
    assert_int_equal(cardan_model_force_scene(model, motor).coordinate, CARDAN_COORDINATE_ANGLE);
    assert_int_equal(cardan_model_force_scene(model, motor).points, 2);
    cardan_model_release(model);
}

/* ---- loads ---- */

static void add(double *sum, double *largest, double sign, CardanVec3 v) {
    const double x[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        sum[k] += sign * x[k];
        *largest = fmax(*largest, fabs(x[k]));
    }
}

/* Forces of all elements, weight and reactions of joints on a body are its mass times its acceleration. */
static void balance(const CardanModel *model, CardanSim *sim, CardanBody body, int first, const double *a) {
    CardanSizes sizes = cardan_model_sizes(model);
    double sum[3] = {0.0, 0.0, 0.0}, largest = 1.0, mass = cardan_model_body_mass(model, body).mass;
    CardanVec3 g = cardan_model_gravity(model);
    CardanWrench w;
    add(sum, &largest, 1.0, (CardanVec3){mass * g.x, mass * g.y, mass * g.z});
    for (int i = 1; i <= sizes.forces; i++) {
        assert_int_equal(cardan_sim_load(sim, (CardanForce){i}, body, &w), CARDAN_OK);
        add(sum, &largest, 1.0, w.force);
    }
    for (int i = 1; i <= sizes.joints; i++) {
        CardanJointScene joint = cardan_model_joint_scene(model, (CardanJoint){i});
        if (joint.a.index != body.index && joint.b.index != body.index) continue;
        assert_int_equal(cardan_sim_reaction(sim, (CardanJoint){i}, &w), CARDAN_OK);
        add(sum, &largest, joint.b.index == body.index ? 1.0 : -1.0, w.force);
    }
    int n = cardan_model_space(model) == CARDAN_SPACE_PLANAR ? 2 : 3;
    for (int k = 0; k < n; k++)
        if (!(fabs(sum[k] - mass * a[first + k]) < 1e3 * ROUNDING * largest))
            fail_msg("%s: body '%s', component %d: %.17g is not %.17g", cardan_model_name(model),
                     cardan_model_body_name(model, body), k, sum[k], mass * a[first + k]);
}

static void loads_weights_and_reactions_are_what_accelerates(void **state) {
    (void)state;
    static const char *const paths[] = {"models/every_load.yaml", "models/plane_loads.yaml", "models/vehicle.yaml",
                                        "models/quarter_car.yaml", "models/tendon_finger.yaml"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        CardanModel *model = load(paths[i]);
        CardanSim *sim = NULL;
        double a[512];
        assert_true(cardan_sim_create(model, NULL, &sim) >= 0);
        assert_true(cardan_sim_advance(sim, 0.05) >= 0);
        CardanSizes sizes = cardan_model_sizes(model);
        assert_true(sizes.velocities <= 512);
        assert_int_equal(cardan_sim_evaluate(sim, a, NULL), CARDAN_OK);
        int first = 0, wide = cardan_model_space(model) == CARDAN_SPACE_PLANAR ? 3 : 6, narrow = wide == 3 ? 2 : 3;
        for (int k = 0; k < sizes.bodies; k++) {
            CardanBody body = cardan_model_body(model, k);
            balance(model, sim, body, first, a);
            first += cardan_model_body_kind(model, body) == CARDAN_BODY_PARTICLE ? narrow : wide;
        }
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void reading_a_load_changes_nothing(void **state) {
    (void)state;
    CardanModel *model = load("models/every_load.yaml");
    CardanSim *read = NULL, *plain = NULL;
    double one[512], other[512];
    assert_true(cardan_sim_create(model, NULL, &read) >= 0 && cardan_sim_create(model, NULL, &plain) >= 0);
    assert_true(cardan_sim_state_size(read) <= 512);
    for (int i = 0; i < 20; i++) {
        CardanWrench w;
        for (int f = 1; f <= cardan_model_sizes(model).forces; f++)
            assert_int_equal(cardan_sim_load(read, (CardanForce){f}, (CardanBody){3}, &w), CARDAN_OK);
        assert_true(cardan_sim_step(read, 1.0) >= 0 && cardan_sim_step(plain, 1.0) >= 0);
    }
    assert_int_equal(cardan_sim_get_state(read, one), CARDAN_OK);
    assert_int_equal(cardan_sim_get_state(plain, other), CARDAN_OK);
    assert_memory_equal(one, other, (size_t)cardan_sim_state_size(read) * sizeof *one);
    cardan_sim_destroy(read);
    cardan_sim_destroy(plain);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry_of_a_file_is_kept_and_follows_parameters),
        cmocka_unit_test(a_program_may_add_shapes),
        cmocka_unit_test(joints_say_where_they_sit),
        cmocka_unit_test(forces_say_where_they_act),
        cmocka_unit_test(loads_weights_and_reactions_are_what_accelerates),
        cmocka_unit_test(reading_a_load_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
