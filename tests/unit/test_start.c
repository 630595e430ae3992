/* Where simulations begin: poses and velocities judged, projected, held; rates; refusals that name what is wrong. */
#include "analysis/start.h"
#include "core/numbers.h"
#include "mechanisms.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"

typedef struct Started {
    CardanModel *model;
    CardanSim *sim;
    CardanStatus status;
} Started;

static Started start_text(const char *text) {
    CardanBuilder *builder = NULL;
    Started s = {0};
    if (cardan_builder_read_text(text, strlen(text), "test", &builder) < 0 ||
        cardan_builder_compile(builder, &s.model) < 0)
        fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    s.status = cardan_sim_create(s.model, NULL, &s.sim);
    assert_non_null(s.sim);
    return s;
}

static void finish(Started *s) {
    cardan_sim_destroy(s->sim);
    cardan_model_release(s->model);
}

static void expect_status(const Started *s, CardanStatus status) {
    if (s->status != status) fail_msg("status %d, expected %d: %s", s->status, status, cardan_sim_message(s->sim));
}

static void expect_words(const Started *s, const char *const *words) {
    for (; *words != NULL; words++)
        if (strstr(cardan_sim_message(s->sim), *words) == NULL)
            fail_msg("'%s' is not in: %s", *words, cardan_sim_message(s->sim));
}

/* A refusal with these words in its sentence; line 0: from no place in the file. */
static void expect_refusal(const char *text, CardanStatus status, int line, const char *const *words) {
    Started s = start_text(text);
    expect_status(&s, status);
    expect_words(&s, words);
    assert_int_equal(s.sim->error.place.line, line);
    finish(&s);
}

static void expect_on_constraints(const Started *s) {
    CardanResidual r = residual_of(s->sim);
    double size = s->model->values.size, speed = worst_of(cardan_sim_velocities(s->sim), s->model->structure->nv);
    check_near(r.position, 0.0, 2.0 * CRD_PROJECT_TOLERANCE * size, "position residual");
    check_near(r.velocity, 0.0, 10.0 * CRD_PROJECT_TOLERANCE * fmax(speed, size), "velocity residual");
}

static double rate_of(const Started *s, const char *joint) {
    double coordinate, rate;
    assert_int_equal(cardan_sim_joint(s->sim, cardan_model_find_joint(s->model, joint), &coordinate, &rate), CARDAN_OK);
    return rate;
}

static CardanBodyState body_of(const Started *s, const char *body) {
    CardanBodyState state;
    assert_int_equal(cardan_sim_body(s->sim, cardan_model_find_body(s->model, body), &state), CARDAN_OK);
    return state;
}

/* A pendulum of two rods whose elbow is `off` metres apart along x, with a start section. */
static const char *pendulum(double off, double speed, const char *start) {
    static char text[2048];
    snprintf(text, sizeof text,
             "cardan: 1\n"
             "name: two\n"
             "space: planar\n"
             "bodies:\n"
             "  a: {mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
             "  b: {mass: 2, inertia: 0.2, position: [%.17g, 0], velocity: [%.17g, 0]}\n"
             "joints:\n"
             "  shoulder: {type: revolute, bodies: [ground, a], local: {a: [0, 0], b: [-0.5, 0]}}\n"
             "  elbow: {type: revolute, bodies: [a, b], local: {a: [0.5, 0], b: [-0.5, 0]}}\n"
             "%s",
             1.5 + off, speed, start);
    return text;
}

/* ---- positions ---- */

static void a_pose_that_fits_is_left_to_the_last_bit(void **state) {
    (void)state;
    Started s = start_text(pendulum(0.0, 0.0, ""));
    expect_status(&s, CARDAN_OK);
    assert_memory_equal(cardan_sim_positions(s.sim), s.model->values.q0, 6 * sizeof(double));
    assert_string_equal(cardan_sim_message(s.sim), "");
    finish(&s);
}

static void rounding_of_a_pose_is_taken_away_silently(void **state) {
    (void)state;
    Started s = start_text(pendulum(4e-15, 0.0, ""));
    expect_status(&s, CARDAN_OK);
    assert_string_equal(cardan_sim_message(s.sim), "");
    expect_on_constraints(&s);
    finish(&s);
}

static void a_small_residual_is_projected_with_a_remark(void **state) {
    (void)state;
    Started s = start_text(pendulum(3e-9, 0.0, ""));
    expect_status(&s, CARDAN_REMARK);
    expect_words(&s, (const char *const[]){"positions were changed", "'elbow' by 3e-09", NULL});
    expect_on_constraints(&s);
    finish(&s);
}

static void a_large_residual_is_refused_with_its_joint(void **state) {
    (void)state;
    expect_refusal(pendulum(0.01, 0.0, ""), CARDAN_ERR_MODEL, 9,
                   (const char *const[]){"positions given do not meet", "'elbow' by 0.01", "positions: project", NULL});
}

static void the_worst_joint_comes_first(void **state) {
    (void)state;
    const char *text = "cardan: 1\n"
                       "name: three\n"
                       "space: planar\n"
                       "bodies:\n"
                       "  a: {mass: 1, particle: true, position: [1.1, 0]}\n"
                       "  b: {mass: 1, particle: true, position: [0, 1.3]}\n"
                       "  c: {mass: 1, particle: true, position: [0, 1.2]}\n"
                       "joints:\n"
                       "  ja: {type: distance, bodies: [ground, a], local: {a: [0, 0], b: [0, 0]}, length: 1}\n"
                       "  jb: {type: distance, bodies: [ground, b], local: {a: [0, 0], b: [0, 0]}, length: 1}\n"
                       "  jc: {type: distance, bodies: [ground, c], local: {a: [0, 0], b: [0, 0]}, length: 1}\n";
    expect_refusal(text, CARDAN_ERR_MODEL, 10,
                   (const char *const[]){"joint 'jb' by 0.3, 'jc' by 0.2, 'ja' by 0.1", NULL});
}

static void a_pose_to_keep_is_kept_or_refused(void **state) {
    (void)state;
    Started s = start_text(pendulum(3e-9, 0.0, "start: {positions: keep}\n"));
    expect_status(&s, CARDAN_OK);
    assert_memory_equal(cardan_sim_positions(s.sim), s.model->values.q0, 6 * sizeof(double));
    finish(&s);
    expect_refusal(pendulum(0.01, 0.0, "start: {positions: keep}\n"), CARDAN_ERR_MODEL, 9,
                   (const char *const[]){"'elbow' by 0.01", NULL});
}

static void a_guess_is_projected_when_asked_for(void **state) {
    (void)state;
    Started s = start_text(pendulum(0.3, 0.0, "start: {positions: project}\n"));
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    finish(&s);
}

/* Links of a four-bar thrown near their places, each turned the wrong way by up to a radian. */
static const char FAR_FOUR_BAR[] =
    "cardan: 1\nname: far\nspace: planar\nbodies:\n"
    "  crank:   {mass: 0.5, inertia: 0.001, position: [0.05, 0.02], angle: 0.1}\n"
    "  coupler: {mass: 1, inertia: 0.01, position: [0.5, -0.1], angle: -0.2}\n"
    "  rocker:  {mass: 0.8, inertia: 0.004, position: [0.3, 0.2], angle: 1.0}\n"
    "joints:\n"
    "  main:  {type: revolute, bodies: [ground, crank], local: {a: [0, 0], b: [-0.05, 0]}}\n"
    "  pin:   {type: revolute, bodies: [crank, coupler], local: {a: [0.05, 0], b: [-0.175, 0]}}\n"
    "  tip:   {type: revolute, bodies: [coupler, rocker], local: {a: [0.175, 0], b: [0.125, 0]}}\n"
    "  pivot: {type: revolute, bodies: [ground, rocker], local: {a: [0.4, 0], b: [-0.125, 0]}}\n"
    "start: {positions: project%s}\n";

static void a_far_guess_is_assembled(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, FAR_FOUR_BAR, "");
    Started s = start_text(text);
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    finish(&s);
}

static void a_held_body_stays_while_the_rest_is_moved(void **state) {
    (void)state;
    Started s = start_text(pendulum(0.3, 0.0, "start: {positions: project, hold: [a]}\n"));
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    assert_memory_equal(cardan_sim_positions(s.sim), s.model->values.q0, 3 * sizeof(double));
    check_near(cardan_sim_positions(s.sim)[3], 1.5, 1e-14, "centre of the other rod");
    finish(&s);
    s = start_text(pendulum(3e-9, 0.0, "start: {hold: [a]}\n"));
    expect_status(&s, CARDAN_REMARK);
    assert_memory_equal(cardan_sim_positions(s.sim), s.model->values.q0, 3 * sizeof(double));
    finish(&s);
}

static void what_cannot_be_assembled_is_refused(void **state) {
    (void)state;
    expect_refusal(pendulum(0.3, 0.0, "start: {positions: project, hold: [a, b]}\n"), CARDAN_ERR_MODEL, 9,
                   (const char *const[]){"cannot be assembled", "'elbow' by 0.3", "held", NULL});
}

static void orientations_in_space_are_assembled_and_counted_from_the_pose_as_written(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: door\nspace: spatial\nbodies:\n"
                       "  door: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], rpy: [0.4, 0.3, 2.0]}\n"
                       "joints:\n"
                       "  hinge: {type: revolute, bodies: [ground, door], local: {a: [0, 0, 0], b: [-1, 0, 0]},"
                       " local_axis: {a: [0, 0, 1], b: [0, 0, 1]}}\n"
                       "start: {positions: project}\n";
    Started s = start_text(text);
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    CardanQuat q = body_of(&s, "door").quaternion;
    check_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1.0, 1e-15, "length of the quaternion");
    double angle, rate;
    assert_int_equal(cardan_sim_joint(s.sim, (CardanJoint){1}, &angle, &rate), CARDAN_OK);
    assert_true(fabs(angle) < 1.0);
    finish(&s);
}

/* ---- velocities ---- */

static void velocities_are_judged_like_positions(void **state) {
    (void)state;
    Started s = start_text(pendulum(0.0, 2e-9, ""));
    expect_status(&s, CARDAN_REMARK);
    expect_words(&s, (const char *const[]){"velocities were changed", "'elbow' by 2e-09", NULL});
    expect_on_constraints(&s);
    finish(&s);
    expect_refusal(
        pendulum(0.0, 0.5, ""), CARDAN_ERR_MODEL, 9,
        (const char *const[]){"velocities given do not meet", "'elbow' by 0.5", "velocities: project", NULL});
    expect_refusal(pendulum(0.0, 0.5, "start: {velocities: keep}\n"), CARDAN_ERR_MODEL, 9,
                   (const char *const[]){"'elbow' by 0.5", NULL});
    s = start_text(pendulum(0.0, 0.5, "start: {velocities: project}\n"));
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    finish(&s);
}

static void one_remark_tells_of_positions_and_velocities(void **state) {
    (void)state;
    Started s = start_text(pendulum(3e-9, 2e-9, ""));
    expect_status(&s, CARDAN_REMARK);
    expect_words(&s, (const char *const[]){"positions were", "velocities were", NULL});
    finish(&s);
}

/* ---- rates ---- */

static void a_rate_drives_the_whole_slider_crank(void **state) {
    (void)state;
    CardanBuilder *builder = mechanism_slider_crank(0.2, 0.5, 0.7);
    CardanModel *model = NULL;
    CardanJoint main_joint = {1};
    cardan_builder_set_start_rate(builder, main_joint, 3.0);
    assert_int_equal(cardan_builder_compile(builder, &model), CARDAN_OK);
    Started s = {.model = model};
    s.status = cardan_sim_create(model, NULL, &s.sim);
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    /* x = r cos a + sqrt(l^2 - r^2 sin^2 a) */
    double r = 0.2, l = 0.5, a = 0.7, reach = sqrt(l * l - r * r * sin(a) * sin(a));
    double slope = -r * sin(a) - r * r * sin(a) * cos(a) / reach;
    check_near(rate_of(&s, "main"), 3.0, 1e-14, "rate of the crank");
    check_near(body_of(&s, "slider").velocity.x, 3.0 * slope, 1e-14, "speed of the slider");
    finish(&s);
    cardan_builder_destroy(builder);
}

static void the_rest_follows_a_rate_with_the_least_kinetic_energy(void **state) {
    (void)state;
    Started s = start_text(pendulum(0.0, 0.0, "start: {rates: {elbow: 2}}\n"));
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    check_near(rate_of(&s, "elbow"), 2.0, 1e-14, "rate of the elbow");
    /* Least energy over the shoulder's rate: no angular momentum about it. */
    CardanBodyState a = body_of(&s, "a"), b = body_of(&s, "b");
    double momentum = 0.5 * a.velocity.y + 0.1 * a.spin + 2.0 * 1.5 * b.velocity.y + 0.2 * b.spin;
    check_near(momentum, 0.0, 1e-14, "angular momentum about the shoulder");
    finish(&s);
}

static void rates_together_with_velocities_that_do_not_fit_are_fine(void **state) {
    (void)state;
    Started s = start_text(pendulum(0.0, 0.5, "start: {rates: {shoulder: 1, elbow: -3}}\n"));
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    check_near(rate_of(&s, "shoulder"), 1.0, 1e-14, "rate of the shoulder");
    check_near(rate_of(&s, "elbow"), -3.0, 1e-14, "rate of the elbow");
    finish(&s);
}

static void rates_that_are_not_free_are_refused(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, FAR_FOUR_BAR, ", rates: {main: 1,\n  tip: 2}");
    expect_refusal(text, CARDAN_ERR_MODEL, 14, (const char *const[]){"'tip' is not free", "that of 'main'", NULL});
}

/* A four-bar whose coupler is a parallelogram's: main and tip turn alike, the elbow against them. */
static const char *const PARALLEL = "cardan: 1\nname: parallel\nspace: planar\nbodies:\n"
                                    "  a: {mass: 1, inertia: 0.1, position: [0, 0.5]}\n"
                                    "  b: {mass: 1, inertia: 0.1, position: [1, 1]}\n"
                                    "  c: {mass: 1, inertia: 0.1, position: [2, 0.5]}\n"
                                    "  d: {mass: 1, inertia: 0.1, position: [4, 0.5]}\n"
                                    "joints:\n"
                                    "  main:  {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                                    "  elbow: {type: revolute, bodies: [a, b], point: [0, 1]}\n"
                                    "  wrist: {type: revolute, bodies: [b, c], point: [2, 1]}\n"
                                    "  tip:   {type: revolute, bodies: [ground, c], point: [2, 0]}\n"
                                    "  other: {type: revolute, bodies: [ground, d], point: [4, 0]}\n"
                                    "start: {rates: {other: 7, main: 2, %s}}\n";

static void rates_that_contradict_name_both_joints_and_both_values(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, PARALLEL, "tip: 2.5");
    expect_refusal(text, CARDAN_ERR_MODEL, 15,
                   (const char *const[]){"'tip' is not free: it contradicts that of 'main', which makes it 2,",
                                         "and 2.5 is given", NULL});
    snprintf(text, sizeof text, PARALLEL, "elbow: 3");
    expect_refusal(
        text, CARDAN_ERR_MODEL, 15,
        (const char *const[]){"'elbow' is not free: it contradicts that of 'main', which makes it -2,", NULL});
}

static void a_rate_that_says_what_another_says_is_named_with_it(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, PARALLEL, "tip: 2");
    expect_refusal(text, CARDAN_ERR_MODEL, 15,
                   (const char *const[]){"'tip' is not free: it says the same as that of 'main'", NULL});
}

static void a_rate_that_constraints_fix_is_refused(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: truss\nspace: planar\nbodies:\n"
                       "  a: {mass: 1, inertia: 0.1, position: [0.5, 0.5], angle: 0.3}\n"
                       "  b: {mass: 1, inertia: 0.1, position: [1.5, 0.5]}\n"
                       "joints:\n"
                       "  left:  {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                       "  top:   {type: revolute, bodies: [a, b], point: [1, 1]}\n"
                       "  right: {type: revolute, bodies: [ground, b], point: [2, 0]}\n"
                       "start: {rates: {left: 1}}\n";
    expect_refusal(text, CARDAN_ERR_MODEL, 11,
                   (const char *const[]){"'left' is not free: the constraints keep it at", "and 1 is given", NULL});
}

static void a_rate_of_a_joint_without_a_coordinate_is_refused(void **state) {
    (void)state;
    CardanBuilder *builder = mechanism_slider_crank(0.2, 0.5, 0.7);
    CardanJointDef weld = {DEFAULTED, .name = "stuck", .type = CARDAN_JOINT_WELD,
                           .b = cardan_builder_add_body(
                               builder, &(CardanBodyDef){DEFAULTED, .name = "block", .mass = 1, .inertia.zz = 1})};
    CardanJoint stuck = cardan_builder_add_joint(builder, &weld);
    cardan_builder_set_start_rate(builder, (CardanJoint){1}, 1.0);
    Started s = {0};
    assert_int_equal(cardan_builder_compile(builder, &s.model), CARDAN_OK);
    s.model->description->rates[0].joint = stuck.index; /* the builder would have refused it */
    s.status = cardan_sim_create(s.model, NULL, &s.sim);
    expect_status(&s, CARDAN_ERR_MODEL);
    expect_words(&s, (const char *const[]){"'stuck'", "no coordinate", NULL});
    finish(&s);
    cardan_builder_destroy(builder);
}

static void rates_of_spatial_joints_are_met(void **state) {
    (void)state;
    CardanBuilder *builder = mechanism_chain(CARDAN_SPACE_SPATIAL, 6);
    cardan_builder_set_start_rate(builder, (CardanJoint){2}, 1.5);
    cardan_builder_set_start_rate(builder, (CardanJoint){5}, -0.5);
    Started s = {0};
    assert_int_equal(cardan_builder_compile(builder, &s.model), CARDAN_OK);
    s.status = cardan_sim_create(s.model, NULL, &s.sim);
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    check_near(rate_of(&s, "j1"), 1.5, 1e-13, "rate of j1");
    check_near(rate_of(&s, "j4"), -0.5, 1e-13, "rate of j4");
    finish(&s);
    cardan_builder_destroy(builder);
}

/* ---- dependent rows ---- */

static void redundant_rows_are_refused_with_their_joints(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: twice\nspace: planar\nbodies:\n"
                       "  a: {mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                       "  b: {mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
                       "joints:\n"
                       "  pin:   {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                       "  one:   {type: weld, bodies: [a, b], point: [1, 0]}\n"
                       "  other: {type: revolute, bodies: [a, b], point: [1, 0]}\n"
                       "simulation: {regularise: {method: none}}\n";
    expect_refusal(text, CARDAN_ERR_MODEL, 9,
                   (const char *const[]){"2 of 7 constraint rows are redundant: joints 'one', 'other';", NULL});
}

static void a_guess_of_a_redundant_mechanism_is_refused_for_its_rows(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: twice\nspace: planar\nbodies:\n"
                       "  a: {mass: 1, inertia: 0.1, position: [0.7, 0.1]}\n"
                       "joints:\n"
                       "  pin:   {type: revolute, bodies: [ground, a], local: {a: [0, 0], b: [-0.5, 0]}}\n"
                       "  again: {type: revolute, bodies: [ground, a], local: {a: [0, 0], b: [-0.5, 0]}}\n"
                       "start: {positions: project}\n"
                       "simulation: {regularise: {method: none}}\n";
    expect_refusal(text, CARDAN_ERR_MODEL, 7, (const char *const[]){"2 of 4", "'pin', 'again'", NULL});
}

static void a_singular_start_is_refused_as_such(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: folded\nspace: planar\nbodies:\n"
                       "  crank:  {mass: 1, inertia: \"1/12\", position: [0, -0.5], angle: \"-pi/2\"}\n"
                       "  rod:    {mass: 1, inertia: \"1/12\", position: [0, -0.5], angle: \"pi/2\"}\n"
                       "  slider: {mass: 1, inertia: 0.01, position: [0, 0]}\n"
                       "joints:\n"
                       "  main:  {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
                       "  pin:   {type: revolute, bodies: [crank, rod], point: [0, -1]}\n"
                       "  wrist: {type: revolute, bodies: [rod, slider], point: [0, 0]}\n"
                       "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\n";
    expect_refusal(text, CARDAN_ERR_NUMERIC, 9,
                   (const char *const[]){"start pose is singular", "'main', 'pin', 'wrist', 'guide'",
                                         "at rest there, so several motions are possible", NULL});
    char refused[1024];
    snprintf(refused, sizeof refused, "%ssimulation: {regularise: {method: none}}\n", text);
    expect_refusal(refused, CARDAN_ERR_NUMERIC, 9,
                   (const char *const[]){"start pose is singular", "1 of 8", "'main', 'pin', 'wrist', 'guide'", NULL});
}

static void many_redundant_joints_are_counted_after_eight_names(void **state) {
    (void)state;
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody a = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "a", .mass = 1, .inertia.zz = 1});
    char name[16];
    for (int i = 0; i < 11; i++) {
        snprintf(name, sizeof name, "pin%d", i);
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE, .b = a});
    }
    Started s = {0};
    assert_int_equal(cardan_builder_compile(b, &s.model), CARDAN_OK);
    CardanOptions options = cardan_default_options();
    options.regularise.method = CARDAN_REGULARISE_NONE;
    s.status = cardan_sim_create(s.model, &options, &s.sim);
    expect_status(&s, CARDAN_ERR_MODEL);
    expect_words(&s, (const char *const[]){"20 of 22", "'pin7' and 3 more", NULL});
    finish(&s);
    cardan_builder_destroy(b);
}

/* ---- no rows ---- */

static void a_free_body_starts_as_given(void **state) {
    (void)state;
    const char *text = "cardan: 1\nname: free\nspace: spatial\nbodies:\n"
                       "  top: {mass: 1, inertia: [1, 2, 2.5], quaternion: [2, 0, 0, 0], body_rates: [1, 2, 3]}\n";
    Started s = start_text(text);
    expect_status(&s, CARDAN_OK);
    CardanQuat q = body_of(&s, "top").quaternion;
    check_near(q.w, 1.0, 0.0, "normalised");
    finish(&s);
}

/* ---- larger than a dense look ---- */

static void a_large_guess_is_assembled_by_the_sparse_factor(void **state) {
    (void)state;
    enum { LINKS = 600 }; /* 1200 rows of 1800 velocities */
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody before = {0};
    char name[16];
    for (int i = 0; i < LINKS; i++) {
        snprintf(name, sizeof name, "l%d", i);
        CardanBodyDef def = {DEFAULTED, .name = name, .mass = 1, .inertia.zz = 1.0 / 12,
                             .pose.p = {i + 0.5, i % 3 * 1e-3, 0}};
        CardanBody link = cardan_builder_add_body(b, &def);
        snprintf(name, sizeof name, "j%d", i);
        CardanJointDef joint = {DEFAULTED,
                                .name = name,
                                .type = CARDAN_JOINT_REVOLUTE,
                                .a = before,
                                .b = link,
                                .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B,
                                .local_a = {i == 0 ? 0.0 : 0.5, 0, 0},
                                .local_b = {-0.5, 0, 0}};
        cardan_builder_add_joint(b, &joint);
        if (i == 0) cardan_builder_hold(b, link);
        before = link;
    }
    cardan_builder_set_start(b, CARDAN_START_PROJECT, CARDAN_START_DEFAULT);
    Started s = {0};
    assert_int_equal(cardan_builder_compile(b, &s.model), CARDAN_OK);
    s.status = cardan_sim_create(s.model, NULL, &s.sim);
    expect_status(&s, CARDAN_OK);
    expect_on_constraints(&s);
    assert_memory_equal(cardan_sim_positions(s.sim), s.model->values.q0, 3 * sizeof(double));
    finish(&s);
    cardan_builder_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pose_that_fits_is_left_to_the_last_bit),
        cmocka_unit_test(rounding_of_a_pose_is_taken_away_silently),
        cmocka_unit_test(a_small_residual_is_projected_with_a_remark),
        cmocka_unit_test(a_large_residual_is_refused_with_its_joint),
        cmocka_unit_test(the_worst_joint_comes_first),
        cmocka_unit_test(a_pose_to_keep_is_kept_or_refused),
        cmocka_unit_test(a_guess_is_projected_when_asked_for),
        cmocka_unit_test(a_far_guess_is_assembled),
        cmocka_unit_test(a_held_body_stays_while_the_rest_is_moved),
        cmocka_unit_test(what_cannot_be_assembled_is_refused),
        cmocka_unit_test(orientations_in_space_are_assembled_and_counted_from_the_pose_as_written),
        cmocka_unit_test(velocities_are_judged_like_positions),
        cmocka_unit_test(one_remark_tells_of_positions_and_velocities),
        cmocka_unit_test(a_rate_drives_the_whole_slider_crank),
        cmocka_unit_test(the_rest_follows_a_rate_with_the_least_kinetic_energy),
        cmocka_unit_test(rates_together_with_velocities_that_do_not_fit_are_fine),
        cmocka_unit_test(rates_that_are_not_free_are_refused),
        cmocka_unit_test(rates_that_contradict_name_both_joints_and_both_values),
        cmocka_unit_test(a_rate_that_says_what_another_says_is_named_with_it),
        cmocka_unit_test(a_rate_that_constraints_fix_is_refused),
        cmocka_unit_test(a_rate_of_a_joint_without_a_coordinate_is_refused),
        cmocka_unit_test(rates_of_spatial_joints_are_met),
        cmocka_unit_test(redundant_rows_are_refused_with_their_joints),
        cmocka_unit_test(a_guess_of_a_redundant_mechanism_is_refused_for_its_rows),
        cmocka_unit_test(a_singular_start_is_refused_as_such),
        cmocka_unit_test(many_redundant_joints_are_counted_after_eight_names),
        cmocka_unit_test(a_free_body_starts_as_given),
        cmocka_unit_test(a_large_guess_is_assembled_by_the_sparse_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
