/* What the reader makes of good model files. */
#include "builder_fixture.h"

#include "build/law_check.h"

static CardanBuilder *read_good(const char *text) {
    CardanBuilder *b = NULL;
    CardanStatus status = cardan_builder_read_text(text, strlen(text), "good.yaml", &b);
    if (status < 0) print_message("%s\n", cardan_builder_message(b));
    assert_int_equal(status, CARDAN_OK);
    return b;
}

/* The example of the format's page, and its sections in an unusual order. */
static const char SLIDER_CRANK[] =
    "outputs: [main.angle, slider.x, pin.reaction, energy, residual]\n"
    "simulation: {end: \"10*r\", stepper: dopri5, tolerance: {relative: 1e-8, absolute: 1e-10}}\n"
    "start: {positions: project, velocities: keep, rates: {main: \"1/r\"}, hold: [crank, ground]}\n"
    "forces:\n"
    "  motor: {type: torque, joint: main, value: \"0.1 - 0.02*main.rate + u\"}\n"
    "  push: {type: force, body: rod, value: [\"r\", \"t\"], point: [0, \"l/2\"], frame: body}\n"
    "  coil: {type: spring, bodies: [ground, rod], points: [[0, 1], [\"l\", 0]], stiffness: 5, damping: 1}\n"
    "joints:\n"
    "  main:  {type: revolute,  bodies: [ground, crank],  point: [0, 0]}\n"
    "  pin:   {type: revolute,  bodies: [crank, rod],     local: {a: [\"r/2\", 0], b: [\"-l/2\", 0]}}\n"
    "  wrist: {type: revolute,  bodies: [rod, slider]}\n"
    "  guide: {type: prismatic, bodies: [ground, slider], point: [0, 0], axis: [1, 0], geometry: {sphere: 0.1}}\n"
    "bodies:\n"
    "  crank:  {mass: 1.0, inertia: {rod: r}, position: [\"r/2\", 0], angle: 0, velocity: [0, 0], spin: 0,\n"
    "           geometry: [{rod: [[0, 0], [1, 0], 0.1]}, {mesh: a.stl}]}\n"
    "  rod:    {mass: 2.0, inertia: \"2.0*l^2/12\", position: [\"r + l/2\", 0]}\n"
    "  slider: {mass: 0.5, inertia: {box: [0.1, 0.2]}, position: [\"r + l\", 0]}\n"
    "inputs: {u: \"r/2\"}\n"
    "parameters: {r: 0.2, l: \"2*r\"}\n"
    "gravity: [0, -9.81]\n"
    "space: planar\n"
    "description: crank 0.2 m, rod 0.4 m, slider on x\n"
    "name: slider_crank\n"
    "cardan: 1\n";

static void a_good_file_becomes_a_description(void **state) {
    (void)state;
    CardanBuilder *b = read_good(SLIDER_CRANK);
    const CrdDescription *d = b->description;
    assert_string_equal(d->name, "slider_crank");
    assert_string_equal(d->file, "good.yaml");
    assert_true(d->gravity[1] == -9.81);
    assert_int_equal(d->body_count, 3);
    assert_true(d->bodies[0].inertia_form == CRD_INERTIA_ROD && d->bodies[0].inertia[0] == 0.2);
    assert_true(d->bodies[2].position[0] == 0.2 + 0.4);
    assert_int_equal(d->bodies[0].place.line, 14);
    assert_true(d->bodies[0].hold && !d->bodies[1].hold);
    EXPECT_GIVEN(d, CRD_OWNER_JOINT, 0, "point");
    EXPECT_GIVEN(d, CRD_OWNER_JOINT, 1, "local.a", "local.b");
    EXPECT_GIVEN(d, CRD_OWNER_JOINT, 2, "");
    assert_true(d->joints[3].type == CARDAN_JOINT_PRISMATIC && numbers_of(d, CRD_OWNER_JOINT, 3, "axis")[0] == 1.0);
    assert_int_equal(crd_joint_numbers(&d->joints[2])->b, 3);
    assert_string_equal(d->forces[0].law[0], "0.1 - 0.02*main.rate + u");
    assert_int_equal(d->forces[0].law_place[0].line, 5);
    assert_int_equal(d->forces[0].law_place[0].column, 45);
    CardanCoordinate coordinate;
    assert_int_equal(crd_force_joint(&d->forces[0], &coordinate), 1);
    assert_true(numbers_of(d, CRD_OWNER_FORCE, 1, "value")[0] == 0.2 && d->forces[1].law[0] == NULL);
    EXPECT_GIVEN(d, CRD_OWNER_FORCE, 1, "body", "point", "value", "frame");
    assert_true(*(const bool *)(const void *)numbers_of(d, CRD_OWNER_FORCE, 1, "frame"));
    assert_string_equal(d->forces[1].law[1], "t");
    EXPECT_GIVEN(d, CRD_OWNER_FORCE, 2, "points[0]", "points[1]", "stiffness", "damping");
    assert_true(d->rates[0].rate == 5.0 && d->start_positions == CARDAN_START_PROJECT);
    assert_true(d->options.end == 2.0 && d->options.rtol == 1e-8 && d->options.stepper == CARDAN_STEPPER_DOPRI5);
    assert_int_equal(d->output_count, 5);
    assert_string_equal(d->outputs[2], "pin.reaction");
    assert_int_equal(d->output_places[1].column, 23);
    accepts(b);
}

static void numbers_of_a_file_follow_its_parameters(void **state) {
    (void)state;
    CardanBuilder *b = read_good(SLIDER_CRANK);
    const CrdDescription *d = b->description;
    assert_int_equal(cardan_builder_set_parameter(b, "r", 0.5), CARDAN_OK);
    assert_true(d->parameters[1].value == 1.0);
    assert_true(d->bodies[1].position[0] == 1.0 && d->bodies[2].position[0] == 1.5);
    assert_true(d->bodies[0].inertia[0] == 0.5);
    assert_true(d->bodies[1].inertia[2] == 2.0 / 12.0);
    assert_true(numbers_of(d, CRD_OWNER_JOINT, 1, "local.b")[0] == -0.5);
    assert_true(numbers_of(d, CRD_OWNER_FORCE, 1, "value")[0] == 0.5);
    assert_true(numbers_of(d, CRD_OWNER_FORCE, 1, "point")[1] == 0.5);
    assert_true(numbers_of(d, CRD_OWNER_FORCE, 2, "points[1]")[0] == 1.0);
    assert_true(d->rates[0].rate == 2.0 && d->inputs[0].value == 0.25 && d->options.end == 5.0);
    assert_int_equal(cardan_builder_set_parameter(b, "l", 3.0), CARDAN_OK);
    assert_int_equal(cardan_builder_set_parameter(b, "r", 0.25), CARDAN_OK);
    assert_true(d->parameters[1].value == 3.0); /* set by hand: no longer 2*r */
    assert_int_equal(cardan_builder_set_parameter(b, "r", -1.0), CARDAN_ERR_MODEL);
    assert_string_equal(cardan_builder_message(b),
                        "good.yaml:14:38: body 'crank': the rod's length must be > 0, is -1");
    cardan_builder_destroy(b);
}

static void all_spatial_forms_are_read(void **state) {
    (void)state;
    CardanBuilder *b =
        read_good("cardan: 1\nspace: spatial\nparameters: {a: 1}\nbodies:\n"
                  "  q: {mass: 1, inertia: [1, 1, 1, 0.1, 0, 0], quaternion: [0, 0, 0, 2]}\n"
                  "  r: {mass: 1, inertia: {cylinder: [0.1, 1], along: y}, rpy: [a, 0, 0]}\n"
                  "  s: {mass: 1, inertia: {sphere: 1}, axis_angle: [0, 0, 3, a], body_rates: [1, 2, 3]}\n"
                  "  t: {mass: 1, inertia: {rod: 1, radius: 0.1}, angular_velocity: [1, 2, 3]}\n"
                  "  p: {mass: 1, particle: true, velocity: [1, 2, 3]}\n"
                  "  f: {mass: 1, particle: false, inertia: {box: [1, 2, 3]}}\n"
                  "joints:\n"
                  "  u: {type: universal, bodies: [q, r], local_axis: {a: [1, 0, 0]}, axis2: [0, a, 0]}\n"
                  "  v: {type: revolute, bodies: [r, s], local_axis: {a: [1, 0, 0], b: [0, 1, 0]}}\n"
                  "  d: {type: distance, bodies: [s, p], local: {a: [1, 0, 0]}, length: a}\n"
                  "  k: {type: spherical, bodies: [t, p], local: {a: [1, 0, 0]}, point: [0, 0, 0]}\n"
                  "forces:\n"
                  "  m: {type: torque, body: q, value: [t, \"q.wx\", a], frame: body}\n");
    const CrdDescription *d = b->description;
    assert_int_equal(d->bodies[0].orientation_form, CRD_ORIENTATION_QUATERNION);
    assert_true(d->bodies[0].inertia[3] == 0.1);
    assert_int_equal(d->bodies[1].along, 1);
    assert_true(d->bodies[2].body_rates[2] == 3.0);
    assert_int_equal(d->bodies[3].along, 0);
    assert_true(d->bodies[4].particle && !d->bodies[5].particle);
    EXPECT_GIVEN(d, CRD_OWNER_JOINT, 0, "local_axis.a", "axis2");
    EXPECT_GIVEN(d, CRD_OWNER_JOINT, 2, "local.a", "length");
    assert_true(numbers_of(d, CRD_OWNER_JOINT, 2, "length")[0] == 1.0);
    EXPECT_GIVEN(d, CRD_OWNER_JOINT, 3, "local.a", "point");
    assert_string_equal(d->forces[0].law[1], "q.wx");
    assert_true(d->forces[0].law[2] == NULL && numbers_of(d, CRD_OWNER_FORCE, 0, "value")[2] == 1.0);
    accepts(b);
}

static void json_is_read(void **state) {
    (void)state;
    CardanBuilder *b = read_good("{\"cardan\": 1, \"space\": \"planar\", \"bodies\": {\"p\": {\"mass\": 1e0, "
                                 "\"particle\": true, \"position\": [-1.5e-3, 2]}}, \"outputs\": [\"p.x\"]}");
    assert_true(b->description->bodies[0].position[0] == -1.5e-3);
    accepts(b);
}

static void laws_are_checked_by_name(void **state) {
    (void)state;
    CardanBuilder *b = read_good(SLIDER_CRANK);
    static const char *const GOOD[] = {"t",  "r*u",        "guide.speed + guide.displacement", "rod.angle - rod.spin",
                                       "pi", "coil.length"};
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++)
        assert_int_equal(crd_law_check(b->description, GOOD[i], CRD_LAW_OF_STATE, NULL), CARDAN_OK);
    static const char *const BAD[] = {"guide.angle", "main.length", "rod.wx", "main.reaction",
                                      "step",        "coil.angle",  "x"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        assert_int_equal(crd_law_check(b->description, BAD[i], CRD_LAW_OF_STATE, NULL), CARDAN_ERR_MODEL);
    accepts(b);
}

/* Coordinates and velocities after a run of a joint between two moving bodies, described by this line. */
static void motion_of(const char *space, const char *joint, double *out, int *count) {
    char text[1024];
    bool planar = strcmp(space, "planar") == 0;
    snprintf(text, sizeof text,
             "cardan: 1\nspace: %s\ngravity: [%s]\nbodies:\n  a: {mass: 2, inertia: %s, position: [%s], %s}\n"
             "  b: {mass: 1, inertia: %s, position: [%s]}\njoints:\n  j: {%s}\n",
             space, planar ? "0, -9" : "0, 1, -9", planar ? "1" : "[1, 2, 2]", planar ? "0, 0" : "0, 0, 0",
             planar ? "spin: 1" : "angular_velocity: [1, 0.5, 0.2]", planar ? "1" : "[1, 1, 1.5]",
             planar ? "1, 0" : "1, 0, 0", joint);
    CardanBuilder *b = read_good(text);
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    cardan_builder_set_start(b, CARDAN_START_DEFAULT, CARDAN_START_PROJECT);
    if (cardan_builder_compile(b, &model) < 0) fail_msg("%s", cardan_builder_message(b));
    if (cardan_sim_create(model, NULL, &sim) < 0 || cardan_sim_advance(sim, 0.5) < 0)
        fail_msg("%s", cardan_sim_message(sim));
    CardanSizes sizes = cardan_model_sizes(model);
    *count = sizes.coordinates + sizes.velocities;
    assert_true(*count <= 64);
    memcpy(out, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *out);
    memcpy(out + sizes.coordinates, cardan_sim_velocities(sim), (size_t)sizes.velocities * sizeof *out);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(b);
}

static void the_axis_of_a_is_enough_where_that_of_b_is_not_read(void **state) {
    (void)state;
    static const struct {
        const char *space, *type, *direction;
    } CASES[] = {{"planar", "prismatic", "[0.6, 0.8]"},
                 {"spatial", "prismatic", "[0.6, 0, 0.8]"},
                 {"planar", "point_on_line", "[0.6, 0.8]"},
                 {"spatial", "point_on_line", "[0.6, 0, 0.8]"},
                 {"spatial", "point_on_plane", "[0.6, 0, 0.8]"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char local[256], common[256];
        double a[64], b[64];
        int n, m;
        const char *at = CASES[i].space[0] == 'p' ? "[1, 0]" : "[1, 0, 0]";
        snprintf(local, sizeof local, "type: %s, bodies: [a, b], point: %s, local_axis: {a: %s}", CASES[i].type, at,
                 CASES[i].direction);
        snprintf(common, sizeof common, "type: %s, bodies: [a, b], point: %s, axis: %s", CASES[i].type, at,
                 CASES[i].direction);
        motion_of(CASES[i].space, local, a, &n);
        motion_of(CASES[i].space, common, b, &m);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, (size_t)n * sizeof *a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_becomes_a_description),
        cmocka_unit_test(numbers_of_a_file_follow_its_parameters),
        cmocka_unit_test(all_spatial_forms_are_read),
        cmocka_unit_test(json_is_read),
        cmocka_unit_test(laws_are_checked_by_name),
        cmocka_unit_test(the_axis_of_a_is_enough_where_that_of_b_is_not_read),
    };
    return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
