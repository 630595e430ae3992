/* Joints that make no sense: each complaint names the joint and the exact line and column, and says what was expected.
 * Drivers, couplers, curves, wheels and compliant joints; the simpler ones are in test_bad_objects.c. */
#include "pathology/bad_file.h"
#include "support/defaulted.h"

/* Line 10 is the joint under test. */
#define PLANE(text)                                                                                                    \
    "cardan: 1\nspace: planar\nparameters: {w: 2}\ninputs: {u: 0}\n"                                                   \
    "bodies:\n  rod: {mass: 1, inertia: 1}\njoints:\n"                                                                 \
    "  hinge: {type: revolute, bodies: [ground, rod]}\n  glue: {type: weld, bodies: [ground, rod]}\n  j: " text "\n"
#define SPACE(text)                                                                                                    \
    "cardan: 1\nspace: spatial\nparameters: {w: 2}\n\n"                                                                \
    "bodies:\n  box: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"                                                         \
    "  ball: {type: spherical, bodies: [ground, box]}\n"                                                               \
    "  tube: {type: cylindrical, bodies: [ground, box], axis: [0, 0, 1]}\n  j: " text "\n"

static const BadFile DRIVES[] = {
    {SPACE("{type: driver, joint: ball, value: t}"), 10, 28,
     "joint 'j': spherical 'ball' has no coordinate that could be driven"},
    {PLANE("{type: driver, joint: glue, value: t}"), 10, 28, "weld 'glue' has no coordinate"},
    {PLANE("{type: driver, joint: hing, value: t}"), 10, 28, "there is no joint 'hing'; did you mean 'hinge'?"},
    {PLANE("{type: driver, joint: j, value: t}"), 10, 28, "there is no joint 'j'"},
    {PLANE("{type: driver, joint: hinge}"), 10, 3, "the key 'value' is missing"},
    {PLANE("{type: driver, value: t}"), 10, 3, "the key 'joint' or 'body' is missing"},
    {PLANE("{type: driver, joint: hinge, value: \"hinge.rate\"}"), 10, 42,
     "a drive may use t, parameters and inputs, no measures"},
    {PLANE("{type: driver, joint: hinge, value: \"ww*t\"}"), 10, 42, "unknown name 'ww'; did you mean 'w'?"},
    {PLANE("{type: driver, joint: hinge, value: \"sin(t\"}"), 10, 42, "value: "},
    {PLANE("{type: driver, joint: hinge, value: \"atan2(t)\"}"), 10, 42, "atan2"},
    {PLANE("{type: driver, joint: hinge, value: [t]}"), 10, 42,
     "value must be a number or an expression, found a list"},
    {PLANE("{type: driver, joint: hinge, coordinate: displacement, value: t}"), 10, 47,
     "revolute 'hinge' has no displacement"},
    {SPACE("{type: driver, joint: tube, coordinate: angel, value: t}"), 10, 46,
     "unknown coordinate 'angel'; did you mean 'angle'?"},
    {PLANE("{type: driver, joint: hinge, value: t, path: [t, t]}"), 10, 45, "unknown key 'path'"},
    {PLANE("{type: driver, body: rod, path: [t]}"), 10, 38, "path must be a list of 2 expressions in t"},
    {PLANE("{type: driver, body: rod, path: [t, s]}"), 10, 42, "unknown name 's'"},
    {PLANE("{type: driver, body: ground, path: [t, 0]}"), 10, 27, "leads the ground, which does not move"},
    {PLANE("{type: driver, body: rod}"), 10, 3, "the key 'path' is missing"},
};

static const BadFile COUPLERS[] = {
    {SPACE("{type: coupler, joints: {tube: 1, ball: 2}}"), 10, 40,
     "spherical 'ball' has no coordinate that could be coupled"},
    {SPACE("{type: coupler, joints: {tube.length: 1}}"), 10, 31, "cylindrical 'tube' has no length"},
    {SPACE("{type: coupler, joints: {tube.angel: 1}}"), 10, 36, "unknown coordinate 'angel'; did you mean 'angle'?"},
    {PLANE("{type: coupler, joints: {hinge: 0}}"), 10, 30, "all its coefficients are zero"},
    {PLANE("{type: coupler, joints: {hinge: x}}"), 10, 38, "unknown name 'x'"},
    {PLANE("{type: coupler, joints: {}}"), 10, 30, "joints must name at least one joint"},
    {PLANE("{type: coupler, joints: [hinge]}"), 10, 30, "joints must be a mapping"},
    {PLANE("{type: coupler}"), 10, 3, "the key 'joints' is missing"},
    {PLANE("{type: coupler, joints: {door: 1}}"), 10, 31, "there is no joint 'door'"},
    {PLANE("{type: coupler, joints: {hinge: 1}, value: \"rod.x\"}"), 10, 49, "no measures"},
    {PLANE("{type: coupler, joints: {hinge: 1}, bodies: [ground, rod]}"), 10, 42, "unknown key 'bodies'"},
};

static const BadFile CURVES[] = {
    {PLANE("{type: curve, bodies: [ground, rod]}"), 10, 3, "the key 'path' is missing"},
    {PLANE("{type: curve, bodies: [ground, rod], path: [s, t]}"), 10, 53,
     "a path on a body may use s and parameters only"},
    {PLANE("{type: curve, bodies: [ground, rod], path: [s, u]}"), 10, 53, "unknown name 'u'"},
    {PLANE("{type: curve, bodies: [ground, rod], path: s}"), 10, 49, "path must be a list of 2 expressions in s"},
    {PLANE("{type: curve, bodies: [ground, rod], path: [s, s], s: t}"), 10, 60, "unknown name 't'"},
    {PLANE("{type: curve, bodies: [ground, rod], path: [s, \"0*s\", s]}"), 10, 49, "path must be a list of 2"},
};

static const BadFile WHEELS[] = {
    {PLANE("{type: rolling, bodies: [ground, rod], point: [0, 0], normal: [0, 1]}"), 10, 3,
     "the key 'radius' is missing"},
    {PLANE("{type: rolling, bodies: [ground, rod], point: [0, 0], radius: 1}"), 10, 3, "the key 'normal' is missing"},
    {PLANE("{type: rolling, bodies: [ground, rod], normal: [0, 1], radius: 1}"), 10, 3,
     "the key 'point' is missing: through"},
    {PLANE("{type: rolling, bodies: [ground, rod], point: [0, 0], normal: [0, 0], radius: 1}"), 10, 68,
     "normal is zero"},
    {PLANE("{type: rolling, bodies: [ground, rod], point: [0, 0], normal: [0, 1], radius: 0}"), 10, 84,
     "radius must be > 0"},
    {PLANE("{type: rolling, bodies: [ground, rod], point: [0, 0], normal: [0, 1], radius: 1, axis: [0, 1]}"), 10, 87,
     "unknown key 'axis'"},
    {PLANE("{type: knife_edge, bodies: [ground, rod]}"), 10, 3, "the key 'axis' is missing"},
    {PLANE("{type: knife_edge, bodies: [ground, rod], local_axis: {a: [1, 0]}}"), 10, 3, "local_axis names b only"},
    {SPACE("{type: screw, bodies: [ground, box], axis: [0, 0, 1]}"), 10, 3, "the key 'pitch' is missing"},
    {SPACE("{type: perpendicular, bodies: [ground, box], axis: [0, 0, 1]}"), 10, 3, "the key 'axis2' is missing"},
    {SPACE("{type: angle, bodies: [ground, box]}"), 10, 13, "an angle joint needs a planar model"},
    {PLANE("{type: cylindrical, bodies: [ground, rod]}"), 10, 13, "a cylindrical joint needs a spatial model"},
};

static const BadFile COMPLIANT[] = {
    {PLANE("{type: revolute, bodies: [ground, rod], compliant: 5}"), 10, 57, "compliant must be a mapping"},
    {PLANE("{type: revolute, bodies: [ground, rod], compliant: {damping: 1}}"), 10, 46,
     "the key 'stiffness' is missing"},
    {PLANE("{type: revolute, bodies: [ground, rod], compliant: {stiffness: -1}}"), 10, 69,
     "stiffness must be >= 0, is -1"},
    {PLANE("{type: weld, bodies: [ground, rod], compliant: {stiffness: [1, 2, 3]}}"), 10, 65, "must have 2 numbers"},
    {PLANE("{type: weld, bodies: [ground, rod], compliant: {stiffness: 1, dampin: 2}}"), 10, 68,
     "did you mean 'damping'?"},
    {PLANE("{type: knife_edge, bodies: [ground, rod], axis: [1, 0], compliant: {stiffness: 1}}"), 10, 73,
     "a knife_edge joint is nonholonomic and cannot be compliant"},
};

static void faults_of_drivers_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(DRIVES);
}

static void faults_of_couplers_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(COUPLERS);
}

static void faults_of_curves_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(CURVES);
}

static void faults_of_wheels_edges_and_screws_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(WHEELS);
}

static void faults_of_compliant_joints_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(COMPLIANT);
}

/* ---- the same by the program's interface ---- */

static CardanBuilder *begin(CardanJoint *hinge, CardanJoint *ball, CardanBody *body) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    *body = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "box", .mass = 1.0, .inertia = {.xx = 1.0, .yy = 1.0, .zz = 1.0}});
    *hinge = cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "hinge", .type = CARDAN_JOINT_REVOLUTE,
                                                           .b = *body, .axis = {0.0, 0.0, 1.0}});
    *ball = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "ball", .type = CARDAN_JOINT_SPHERICAL, .b = *body});
    return b;
}

static void expect_refusal(const CardanJointDef *def, CardanStatus status, const char *piece) {
    CardanJoint hinge, ball;
    CardanBody body;
    CardanBuilder *b = begin(&hinge, &ball, &body);
    assert_int_equal(cardan_builder_add_joint(b, def).index, CARDAN_INVALID);
    if (cardan_builder_status(b) != status || strstr(cardan_builder_message(b), piece) == NULL)
        fail_msg("status %d: %s; expected %d: %s", (int)cardan_builder_status(b), cardan_builder_message(b),
                 (int)status, piece);
    cardan_builder_destroy(b);
}

static void the_builder_refuses_drives_that_make_no_sense(void **state) {
    (void)state;
    CardanJoint hinge, ball;
    CardanBody body;
    cardan_builder_destroy(begin(&hinge, &ball, &body));
    expect_refusal(&(CardanJointDef){DEFAULTED, .name = "d", .type = CARDAN_JOINT_DRIVER, .joint = ball, .law = "t"},
                   CARDAN_ERR_MODEL, "spherical 'ball' has no coordinate that could be driven");
    expect_refusal(&(CardanJointDef){DEFAULTED, .name = "d", .type = CARDAN_JOINT_DRIVER, .joint = {9}, .law = "t"},
                   CARDAN_ERR_ARGUMENT, "there is no joint number 9");
    expect_refusal(
        &(CardanJointDef){DEFAULTED, .name = "d", .type = CARDAN_JOINT_DRIVER, .joint = hinge, .law = "box.x"},
        CARDAN_ERR_MODEL, "no measures");
    expect_refusal(
        &(CardanJointDef){DEFAULTED, .name = "d", .type = CARDAN_JOINT_DRIVER, .b = body, .path = {"t", "t"}},
        CARDAN_ERR_MODEL, "its path has no component 'z'");
    expect_refusal(&(CardanJointDef){DEFAULTED, .name = "d", .type = CARDAN_JOINT_REVOLUTE, .b = body,
                                     .axis = {0, 0, 1}, .law = "t"},
                   CARDAN_ERR_MODEL, "a revolute joint follows no law");
    expect_refusal(&(CardanJointDef){DEFAULTED, .name = "c", .type = CARDAN_JOINT_COUPLER}, CARDAN_ERR_ARGUMENT,
                   "needs terms >= 1");
    CardanTerm term = {hinge, CARDAN_COORDINATE_DISPLACEMENT, 1.0};
    expect_refusal(&(CardanJointDef){DEFAULTED, .name = "c", .type = CARDAN_JOINT_COUPLER, .terms = 1, .term = &term},
                   CARDAN_ERR_MODEL, "revolute 'hinge' has no displacement");
    expect_refusal(
        &(CardanJointDef){DEFAULTED, .name = "w", .type = CARDAN_JOINT_ROLLING, .b = body, .normal = {0, 0, 1}},
        CARDAN_ERR_MODEL, "radius must be > 0");
    expect_refusal(&(CardanJointDef){DEFAULTED, .name = "e", .type = CARDAN_JOINT_KNIFE_EDGE, .b = body,
                                     .axis = {1, 0, 0}, .compliant = true},
                   CARDAN_ERR_MODEL, "nonholonomic");
}

/* Coefficients, pitch, stiffness follow parameters. */
static void numbers_of_drives_follow_parameters(void **state) {
    (void)state;
    CardanJoint hinge, ball;
    CardanBody body;
    CardanBuilder *b = begin(&hinge, &ball, &body);
    CardanTerm term[] = {{hinge, CARDAN_COORDINATE_NONE, 1.0}};
    cardan_builder_add_parameter(b, "p", 2.0);
    cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "gear", .type = CARDAN_JOINT_COUPLER, .terms = 1, .term = term});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "soft", .type = CARDAN_JOINT_WELD, .b = body,
                                                  .compliant = true, .stiffness = {1.0, 1.0}});
    cardan_builder_bind(b, "gear.joints[0]", "3*p");
    cardan_builder_bind(b, "gear.value", "p");
    cardan_builder_bind(b, "soft.compliant.stiffness[1]", "p^2");
    assert_int_equal(cardan_builder_status(b), CARDAN_OK);
    cardan_builder_bind(b, "soft.compliant.stiffness[1]", "-p");
    assert_int_equal(cardan_builder_status(b), CARDAN_ERR_MODEL);
    assert_non_null(strstr(cardan_builder_message(b), "stiffness must be >= 0"));
    cardan_builder_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_drivers_are_placed),
        cmocka_unit_test(faults_of_couplers_are_placed),
        cmocka_unit_test(faults_of_curves_are_placed),
        cmocka_unit_test(faults_of_wheels_edges_and_screws_are_placed),
        cmocka_unit_test(faults_of_compliant_joints_are_placed),
        cmocka_unit_test(the_builder_refuses_drives_that_make_no_sense),
        cmocka_unit_test(numbers_of_drives_follow_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
