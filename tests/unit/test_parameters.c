/* Numbers that follow parameters. */
#include "builder_fixture.h"
#include "support/defaulted.h"

static void bound_numbers_follow_parameters(void **state) {
    (void)state;
    CardanBuilder *b = planar();
    cardan_builder_add_parameter(b, "m", 2.0);
    cardan_builder_add_parameter(b, "l", 1.0);
    CardanBody body = rod(b, "rod");
    CardanJoint joint = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .b = body});
    CardanForceDef spring = {DEFAULTED, .name = "coil", .type = CARDAN_FORCE_SPRING, .b = body, .stiffness = 1.0};
    cardan_builder_add_force(b, &spring);
    cardan_builder_set_start_rate(b, joint, 1.0);
    cardan_builder_add_input(b, "u", 0.0);
    cardan_builder_bind(b, "rod.mass", "2*m");
    cardan_builder_bind(b, "rod.inertia", "m*l^2/12");
    cardan_builder_bind(b, "rod.position[1]", "-l/2");
    cardan_builder_bind(b, "rod.spin", "m");
    cardan_builder_bind(b, "gravity[1]", "-9.81*l");
    cardan_builder_bind(b, "pin.point[0]", "l");
    cardan_builder_bind(b, "coil.points[1][0]", "l/4");
    cardan_builder_bind(b, "coil.length", "l");
    cardan_builder_bind(b, "start.rates.pin", "3*l");
    cardan_builder_bind(b, "inputs.u", "m");
    cardan_builder_bind(b, "rod.velocity[0]", "2*3");
    const CrdDescription *d = b->description;
    assert_int_equal(d->binding_count, 10); /* 2*3 is just a number */
    assert_int_equal(cardan_builder_set_parameter(b, "l", 4.0), CARDAN_OK);
    assert_int_equal(cardan_builder_set_parameter(b, "m", 3.0), CARDAN_OK);
    assert_true(d->bodies[0].mass == 6.0);
    assert_true(d->bodies[0].inertia[2] == 4.0);
    assert_true(d->bodies[0].position[1] == -2.0);
    assert_true(d->bodies[0].angular_velocity[2] == 3.0);
    assert_true(d->bodies[0].velocity[0] == 6.0);
    assert_true(d->gravity[1] == -9.81 * 4.0);
    assert_true(numbers_of(d, CRD_OWNER_JOINT, 0, "point")[0] == 4.0);
    assert_true(numbers_of(d, CRD_OWNER_FORCE, 0, "points[1]")[0] == 1.0);
    assert_true(numbers_of(d, CRD_OWNER_FORCE, 0, "length")[0] == 4.0);
    CrdWritten written = crd_written(d, CRD_OWNER_FORCE, &d->forces[0]);
    assert_true(crd_given(&written, "length"));
    assert_true(d->rates[0].rate == 12.0);
    assert_true(d->inputs[0].value == 3.0);
    cardan_builder_bind(b, "rod.mass", "5"); /* replaces the binding */
    cardan_builder_bind(b, "rod.spin", "7*m");
    assert_int_equal(d->binding_count, 9);
    assert_int_equal(cardan_builder_set_parameter(b, "m", 1.0), CARDAN_OK);
    assert_true(d->bodies[0].mass == 5.0 && d->bodies[0].angular_velocity[2] == 7.0);
    accepts(b);
}

/* Items of lists: points of a rope. */
static void points_of_a_rope_follow_parameters(void **state) {
    (void)state;
    CardanBuilder *b = planar();
    cardan_builder_add_parameter(b, "l", 1.0);
    CardanBodyPoint points[] = {{{0}, {0.0, 0.0, 0.0}}, {rod(b, "rod"), {1.0, 0.0, 0.0}}, {{0}, {2.0, 0.0, 0.0}}};
    CardanForceDef rope = {DEFAULTED, .name = "cord", .type = CARDAN_FORCE_ROPE, .points = 3, .points_list = points};
    cardan_builder_add_force(b, &rope);
    cardan_builder_bind(b, "cord.points[1][0]", "2*l");
    cardan_builder_bind(b, "cord.points[2][1]", "-l");
    assert_int_equal(cardan_builder_set_parameter(b, "l", 4.0), CARDAN_OK);
    assert_true(b->description->points[1].local[0] == 8.0 && b->description->points[2].local[1] == -4.0);
    cardan_builder_bind(b, "cord.points[3][0]", "l");
    refuses(b, CARDAN_ERR_MODEL, "there is no number 'points[3][0]' there");
}

static void a_bad_parameter_changes_nothing(void **state) {
    (void)state;
    CardanBuilder *b = planar();
    cardan_builder_add_parameter(b, "m", 2.0);
    rod(b, "rod");
    cardan_builder_bind(b, "rod.spin", "10*m");
    cardan_builder_bind(b, "rod.mass", "m - 1");
    CrdDescription *d = b->description;
    CrdError error = {0};
    assert_int_equal(crd_description_set_parameter(d, "m", 0.5, &error), CARDAN_ERR_MODEL);
    assert_non_null(strstr(error.text, "mass must be > 0, is -0.5"));
    assert_true(d->parameters[0].value == 2.0 && d->parameter_values[0] == 2.0);
    assert_true(d->bodies[0].mass == 1.0 && d->bodies[0].angular_velocity[2] == 20.0);
    assert_int_equal(crd_description_set_parameter(d, "m", (double)NAN, NULL), CARDAN_ERR_MODEL);
    assert_int_equal(crd_description_set_parameter(d, "mm", 1.0, NULL), CARDAN_ERR_MODEL);
    const char *names[] = {"m", "nothing"};
    assert_int_equal(crd_description_set_parameters(d, 2, names, (double[]){3.0, 1.0}, NULL), CARDAN_ERR_MODEL);
    assert_true(d->parameters[0].value == 2.0);
    assert_int_equal(crd_description_set_parameter(d, "m", 3.0, NULL), CARDAN_OK);
    assert_true(d->bodies[0].mass == 2.0);
    accepts(b);
}

static void bad_bindings_are_refused(void **state) {
    (void)state;
    static const char *const BAD[][3] = {
        {"rod.weight", "1", "there is no number 'weight'"},
        {"rid.mass", "1", "there is no body, joint, force or marker 'rid'"},
        {"rod.position", "1", "'position' has 2 numbers"},
        {"rod.position[2]", "1", "'position' has 2 numbers"},
        {"rod.position[x]", "1", "'position' has 2 numbers"},
        {"rod.mass[1]", "1", "'mass' has 1 number"},
        {"rod.mass", "2*q", "unknown name 'q'"},
        {"rod.mass", "-m", "mass must be > 0"},
        {"rod.inertia.sphere", "m", "given in another form"},
        {"speed", "m", "there is no number 'speed'"},
        {"inputs.v", "m", "there is no input 'v'"},
        {"start.rates.rod", "m", "no start rate is set"},
        {"rod.quaternion[0]", "m", "there is no number"},
        {"point.angle", "m", "'point' is a particle"},
        {"pin.axis[0]", "m", "there is no number"},
        {"pin.length", "m", "there is no number"},
        {"motor.value", "m", "follows the law 'sin(t)' already"},
        {"twist.value", "m", "follows the law 't' already"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        CardanBuilder *b = planar();
        cardan_builder_add_parameter(b, "m", 2.0);
        rod(b, "rod");
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "point", .mass = 1.0, .particle = true});
        CardanJoint pin = cardan_builder_add_joint(
            b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .b = {1}});
        CardanForceDef motor = {DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE, .joint = pin,
                                .law = {"sin(t)"}};
        cardan_builder_add_force(b, &motor);
        CardanForceDef twist = {DEFAULTED, .name = "twist", .type = CARDAN_FORCE_TORQUE, .body = {1},
                                .law = {NULL, NULL, "t"}};
        cardan_builder_add_force(b, &twist);
        cardan_builder_bind(b, BAD[i][0], BAD[i][1]);
        refuses(b, CARDAN_ERR_MODEL, BAD[i][2]);
    }
}

static void an_orientation_may_be_bound_before_it_is_given(void **state) {
    (void)state;
    CardanBuilder *b = spatial();
    cardan_builder_add_parameter(b, "a", 0.5);
    brick(b, "one");
    brick(b, "two");
    cardan_builder_bind(b, "one.rpy[2]", "a");
    cardan_builder_bind(b, "two.quaternion[3]", "a");
    assert_int_equal(b->description->bodies[0].orientation_form, CRD_ORIENTATION_RPY);
    assert_true(b->description->bodies[0].orientation[2] == 0.5);
    assert_true(b->description->bodies[1].orientation[0] == 1.0);
    cardan_builder_bind(b, "one.quaternion[0]", "a");
    refuses(b, CARDAN_ERR_MODEL, "the orientation of body 'one' is given in another form");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_numbers_follow_parameters),
        cmocka_unit_test(points_of_a_rope_follow_parameters),
        cmocka_unit_test(a_bad_parameter_changes_nothing),
        cmocka_unit_test(bad_bindings_are_refused),
        cmocka_unit_test(an_orientation_may_be_bound_before_it_is_given),
    };
    return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}
