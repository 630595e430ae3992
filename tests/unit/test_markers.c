/* Markers: from files and programs, as places of joints and forces, following parameters; what is wrong with them is
 * said at its place; groups of channels, suggestions, and what laws may not read. */
#include "pathology/bad_file.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/scene.h"

#define HEAD "cardan: 1\nspace: planar\nparameters: {l: 0.4}\nbodies:\n"
#define LEG "  leg: {mass: 1, inertia: 0.1, position: [0.1, 0.2], angle: 0.3}\n"
#define BEAD "  bead: {mass: 1, particle: true}\n"

static double sample(CardanSim *sim, const CardanModel *model, const char *name) {
    CardanChannel channel;
    char message[512];
    double values[6];
    if (cardan_model_find_channel(model, name, &channel, message, sizeof message) < 0) fail_msg("%s", message);
    MUST(cardan_sim_sample(sim, cardan_sim_time(sim), 1, &channel, values));
    return values[0];
}

static const char LEG_MODEL[] =
    HEAD LEG BEAD "markers:\n  foot: {body: leg, point: [l, 0.05], angle: 0.5}\n  peg: {body: ground, point: [1, 0]}\n"
                  "  on: {body: bead}\n"
                  "joints:\n  hinge: {type: revolute, bodies: [ground, leg], at: foot}\n"
                  "forces:\n  spring: {type: spring, points: [peg, on], stiffness: 1}\n"
                  "  rope: {type: rope, points: [peg, [leg, [0, 0]], foot], stiffness: 1}\n"
                  "  push: {type: force, at: foot, value: [1, 2]}\n"
                  "  drag: {type: drag, body: leg, at: foot, coefficient: 0.1}\nsimulation: {end: 1}\n";

/* x + R(0.3) (l, 0.05) */
static void check_foot(const CardanModel *model, double l) {
    double x = 0.1 + cos(0.3) * l - sin(0.3) * 0.05, y = 0.2 + sin(0.3) * l + cos(0.3) * 0.05;
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    check_near(sample(sim, model, "foot.x"), x, 1e-15, "x");
    check_near(sample(sim, model, "foot.y"), y, 1e-15, "y");
    check_near(sample(sim, model, "foot.angle"), 0.8, 1e-15, "angle");
    check_near(sample(sim, model, "distance(foot,peg)"), hypot(x - 1.0, y), 1e-15, "distance");
    check_near(sample(sim, model, "angle( peg , foot )"), 0.8, 1e-15, "angle between");
    cardan_sim_destroy(sim);
    CardanJointScene joint = cardan_model_joint_scene(model, (CardanJoint){1});
    check_near(joint.point_a.x, x, 1e-15, "the joint's point in the ground");
    check_near(joint.point_b.x, l, 1e-15, "the joint's point in the leg");
    CardanBodyPoint push = cardan_model_force_point(model, cardan_model_find_force(model, "push"), 0);
    assert_int_equal(push.body.index, 1);
    check_near(push.point.x, l, 1e-15, "where the force acts");
    CardanBodyPoint end = cardan_model_force_point(model, cardan_model_find_force(model, "rope"), 2);
    check_near(end.point.x, l, 1e-15, "where the rope ends");
    assert_int_equal(cardan_model_force_point(model, cardan_model_find_force(model, "spring"), 1).body.index, 2);
}

static void markers_stand_for_places_and_follow_parameters(void **state) {
    (void)state;
    CardanModel *model = scene_read(LEG_MODEL), *longer = NULL;
    check_foot(model, 0.4);
    const char *name = "l";
    const double value = 0.7;
    assert_int_equal(cardan_model_with_parameters(model, 1, &name, &value, &longer, NULL, 0), CARDAN_OK);
    check_foot(longer, 0.7);
    assert_int_equal(cardan_model_find_marker(model, "peg").index, 2);
    assert_int_equal(cardan_model_find_marker(model, "leg").index, CARDAN_INVALID);
    assert_string_equal(cardan_model_marker_name(model, (CardanMarker){3}), "on");
    assert_string_equal(cardan_model_marker_name(model, (CardanMarker){4}), "");
    assert_int_equal(cardan_model_sizes(model).markers, 3);
    assert_int_equal(cardan_model_marker_scene(model, (CardanMarker){1}).body.index, 1);
    assert_int_equal(cardan_model_marker_scene(model, (CardanMarker){9}).body.index, CARDAN_INVALID);
    cardan_model_release(longer);
    cardan_model_release(model);
}

static void a_program_adds_markers_and_puts_joints_there(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    CardanBodyDef def = cardan_default_body();
    def.name = "arm";
    def.mass = 1.0;
    def.inertia = (CardanInertia){.xx = 1, .yy = 1, .zz = 1};
    def.pose.p = (CardanVec3){1, 2, 3};
    CardanBody arm = cardan_builder_add_body(b, &def);
    CardanMarkerDef marker = cardan_default_marker();
    marker.name = "tip";
    marker.body = arm;
    marker.point = (CardanVec3){0.1, 0.2, 0.3};
    marker.q = (CardanQuat){0, 0, 2, 0};
    CardanMarker tip = cardan_builder_add_marker(b, &marker);
    assert_int_equal(tip.index, 1);
    CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_SPHERICAL);
    joint.name = "ball";
    joint.b = arm;
    joint.at = tip;
    cardan_builder_add_joint(b, &joint);
    CardanForceDef push = cardan_default_force(CARDAN_FORCE_AT_POINT);
    push.name = "push";
    push.at = tip;
    push.value.x = 1.0;
    cardan_builder_add_force(b, &push);
    cardan_builder_bind(b, "tip.point[2]", "0.5");
    CardanModel *model = scene_compile(b);
    CardanJointScene scene = cardan_model_joint_scene(model, (CardanJoint){1});
    check_near(scene.point_a.z, 3.5, 1e-15, "the joint is where the marker is, also after a bind");
    check_near(scene.point_b.z, 0.5, 1e-15, "and in the body");
    check_near(cardan_model_marker_scene(model, tip).q.y, 1.0, 1e-15, "its axes");
    cardan_model_release(model);
}

static void refused(const CardanMarkerDef *marker, const CardanJointDef *joint, const char *piece) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBodyDef def = cardan_default_body();
    def.name = "arm";
    def.mass = def.inertia.zz = 1.0;
    cardan_builder_add_body(b, &def);
    if (marker != NULL) cardan_builder_add_marker(b, marker);
    if (joint != NULL) cardan_builder_add_joint(b, joint);
    if (strstr(cardan_builder_message(b), piece) == NULL) fail_msg("'%s': %s", piece, cardan_builder_message(b));
    cardan_builder_destroy(b);
}

static void what_a_program_gets_wrong_is_told(void **state) {
    (void)state;
    CardanMarkerDef marker = cardan_default_marker();
    refused(&marker, NULL, "needs a name");
    marker.name = "arm";
    refused(&marker, NULL, "is taken by a body");
    marker.name = "tip";
    marker.body.index = 7;
    refused(&marker, NULL, "there is no body number 7");
    marker.body.index = 1;
    marker.q.x = 1.0;
    refused(&marker, NULL, "by angle in a planar model");
    marker.q.x = 0.0;
    marker.point.z = 1.0;
    refused(&marker, NULL, "its point has a z component");
    refused(&(CardanMarkerDef){.name = "x"}, NULL, "was not made by cardan_default_marker()");
    CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
    joint.name = "hinge";
    joint.b.index = 1;
    joint.at.index = 3;
    refused(NULL, &joint, "there is no marker number 3");
}

#define MARK(text) HEAD LEG BEAD "markers:\n" text
#define FOOT "  foot: {body: leg, point: [0.4, 0]}\n"

static void faults_of_markers_are_placed(void **state) {
    (void)state;
    static const BadFile cases[] = {
        {MARK("  foot: {body: lag}\n"), 8, 16, "there is no body 'lag'; did you mean 'leg'?"},
        {MARK("  foot: {point: [0, 0]}\n"), 8, 3, "the key 'body' is missing"},
        {MARK("  leg: {body: leg}\n"), 8, 3, "the name 'leg' is taken by a body in line 5"},
        {MARK("  foot: {body: leg, point: [0, 0, 0]}\n"), 8, 28, "must have 2 numbers"},
        {MARK("  foot: {body: leg, rpy: [0, 0, 0]}\n"), 8, 21, "unknown key 'rpy'"},
        {MARK("  foot: {body: bead, point: [1, 0]}\n"), 8, 29, "its body is a particle"},
        {MARK(FOOT) "joints:\n  j: {type: revolute, bodies: [ground, leg], at: fot}\n", 10, 50,
         "there is no marker 'fot'; did you mean 'foot'?"},
        {MARK(FOOT) "joints:\n  j: {type: revolute, bodies: [ground, leg], at: foot, point: [0, 0]}\n", 10, 56,
         "given twice"},
        {MARK(FOOT) "forces:\n  f: {type: torque, body: leg, at: foot, value: 1}\n", 10, 32, "unknown key 'at'"},
        {MARK(FOOT) "forces:\n  f: {type: drag, body: bead, at: foot, coefficient: 1}\n", 10, 35,
         "marker 'foot' is on 'leg', not on 'bead'"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [foot.ax, 0]}\n", 10, 38,
         "it is for outputs only and refused in laws"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [f.power, 0]}\n", 10, 38,
         "its law reads 'f.power', which follows from that law"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [f.wrench.fx, 0]}\n", 10, 38,
         "its law reads 'f.wrench', which follows from that law"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [g.wrench, 0]}\n  g: {type: force, at: foot, value: "
                    "[t, 0]}\n",
         10, 38, "a law reads one number of it: 'g.wrench.fx', of fx, fy"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [g.work, 0]}\n  g: {type: force, at: foot, value: "
                    "[t, 0]}\n",
         10, 38, "it is for outputs only and refused in laws"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [energy.kinetic, 0]}\n", 10, 38,
         "it is for outputs only and refused in laws"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [momentum.z, 0]}\n", 10, 38, "momentum.z"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [fot.vx, 0]}\n", 10, 38, "did you mean 'foot.vx'?"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [\"distance(foot, hip)\", 0]}\n", 10, 38,
         "take two markers or bodies"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [f.force, 0]}\n", 10, 38, "follows from that law"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [g.force, 0]}\n"
                    "  g: {type: force, at: foot, value: [h.force, 0]}\n  h: {type: force, at: foot, value: [t, 0]}\n",
         10, 38, "follows a law that reads a force itself"},
        {MARK(FOOT) "forces:\n  f: {type: force, at: foot, value: [mass_centre, 0]}\n", 10, 38,
         "a law reads one number of it: 'mass_centre.x', of x, y"},
    };
    EXPECT_ALL(cases);
}

static void groups_and_suggestions_name_channels(void **state) {
    (void)state;
    CardanModel *model = scene_read(LEG_MODEL);
    CardanChannel channels[4], channel;
    char message[512], label[64];
    assert_int_equal(cardan_model_match_channels(model, "*.reaction", 4, channels, NULL, 0), 1);
    assert_string_equal(cardan_model_channel_label(model, channels[0], 2, label, sizeof label), "hinge.reaction.m");
    assert_string_equal(cardan_model_channel_unit(model, channels[0], 0), "N");
    assert_string_equal(cardan_model_channel_unit(model, channels[0], 2), "N m");
    assert_int_equal(cardan_model_match_channels(model, "*.vx", 2, channels, NULL, 0), 5); /* 2 bodies, 3 markers */
    assert_int_equal(cardan_model_match_channels(model, "foot.a*", 0, NULL, NULL, 0), 3);
    assert_int_equal(cardan_model_match_channels(model, "bead.*", 0, NULL, NULL, 0), 7); /* x, v, a, momentum */
    assert_int_equal(cardan_model_match_channels(model, "leg.x", 4, channels, NULL, 0), 1);
    assert_int_equal(cardan_model_match_channels(model, "q*.x", 0, NULL, message, sizeof message), CARDAN_ERR_MODEL);
    assert_non_null(strstr(message, "no channel is called 'q*.x'"));
    static const struct {
        const char *name, *piece;
    } cases[] = {{"foott.x", "did you mean 'foot.x'?"},
                 {"spring.forc", "did you mean 'spring.force'?"},
                 {"hinge.rat", "did you mean"},
                 {"spring.colour", "'spring' has: force, length, rate"},
                 {"spring.wrench.leg", "there is no"},
                 {"momentun", "did you mean 'momentum'?"},
                 {"distance(foot)", "distance(MARKER, MARKER)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cardan_model_find_channel(model, cases[i].name, &channel, message, sizeof message),
                         CARDAN_ERR_MODEL);
        if (strstr(message, cases[i].piece) == NULL) fail_msg("'%s': %s", cases[i].name, message);
    }
    assert_int_equal(cardan_model_find_channel(model, "rope.wrench.leg", &channel, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_model_find_channel(model, "hinge.acceleration", &channel, NULL, 0), CARDAN_OK);
    assert_string_equal(cardan_model_channel_unit(model, channel, 0), "rad/s^2");
    assert_string_equal(cardan_model_channel_unit(model, channel, 1), "");
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_stand_for_places_and_follow_parameters),
        cmocka_unit_test(a_program_adds_markers_and_puts_joints_there),
        cmocka_unit_test(what_a_program_gets_wrong_is_told),
        cmocka_unit_test(faults_of_markers_are_placed),
        cmocka_unit_test(groups_and_suggestions_name_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
