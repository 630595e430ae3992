/* Drives that cannot do what their laws ask for, and mechanisms that only look as if rows were redundant: the first are
 * refused with the names of all that take part, the second run without a word. */
#include "pathology/passage_fixture.h"

static const char FOUR_BAR[] =
    "cardan: 1\nname: four_bar\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  crank:   {mass: 0.5, inertia: 0.001, position: [0.05, 0], angle: 0}\n"
    "  coupler: {mass: 1.0, inertia: 0.01, position: [0.25, \"yc/2\"], angle: \"atan2(yc, 0.3)\"}\n"
    "  rocker:  {mass: 0.8, inertia: 0.004, position: [0.4, \"yc/2\"], angle: \"pi/2\"}\n"
    "parameters: {yc: \"sqrt(0.05)\"}\n"
    "joints:\n"
    "  main:  {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
    "  pin:   {type: revolute, bodies: [crank, coupler], point: [0.1, 0]}\n"
    "  tip:   {type: revolute, bodies: [coupler, rocker], point: [0.4, yc]}\n"
    "  pivot: {type: revolute, bodies: [ground, rocker], point: [0.4, 0]}\n";

typedef struct Case {
    const char *what;
    const char *drives;   /* lines of the file after its joints */
    CardanStatus status;  /* of the start */
    const char *words[4]; /* what the sentence says */
} Case;

static CardanModel *driven(const char *drives) {
    char text[3000];
    snprintf(text, sizeof text, "%s%s", FOUR_BAR, drives);
    return scene_read(text);
}

static void check_words(const char *what, const char *said, const char *const *words) {
    for (int i = 0; i < 4 && words[i] != NULL; i++)
        if (strstr(said, words[i]) == NULL) fail_msg("%s: \"%s\" does not say \"%s\"", what, said, words[i]);
}

#define PROJECT "start: {velocities: project}\n"

static const Case CASES[] = {
    {"two speeds of one joint",
     "  d1: {type: driver, joint: main, value: \"2*t\"}\n  d2: {type: driver, joint: main, value: \"3*t\"}\n",
     CARDAN_ERR_MODEL,
     {"driver 'd2' of joint 'main'", "contradicts driver 'd1'", "t = 0"}},
    {"two laws of one joint that part later",
     "  d1: {type: driver, joint: main, value: \"2*t\"}\n  d2: {type: driver, joint: main, value: \"2*t + "
     "t^4\"}\n" PROJECT "simulation: {end: 0.5}\n",
     CARDAN_ERR_MODEL,
     {"driver 'd2' of joint 'main'", "contradicts driver 'd1'", "t = 0.0"}},
    {"both ends of a loop",
     "  d1: {type: driver, joint: main, value: \"2*t\"}\n  d2: {type: driver, joint: pivot, value: "
     "\"0.1*t\"}\n" PROJECT,
     CARDAN_ERR_MODEL,
     {"driver 'd2' of joint 'pivot'", "contradicts driver 'd1'", "joints 'main', 'pin', 'tip', 'pivot'"}},
    {"both ends of a loop, accelerations",
     "  d1: {type: driver, joint: main, value: \"2*t^2\"}\n  d2: {type: driver, joint: pivot, value: \"0.1*t^2\"}\n",
     CARDAN_ERR_MODEL,
     {"driver 'd2'", "'d1'", "per s^2"}},
    {"a joint that others hold",
     "  lock: {type: weld, bodies: [ground, crank], point: [0, 0]}\n"
     "  d1: {type: driver, joint: pivot, value: \"0.3*(1 - cos(4*t))\"}\n",
     CARDAN_ERR_MODEL,
     {"driver 'd1' cannot move joint 'pivot'", "'lock'", "hold it"}},
    {"a jump in position",
     "  d1: {type: driver, joint: main, value: \"0.2 + 2*t\"}\n" PROJECT,
     CARDAN_ERR_MODEL,
     {"positions", "'d1' by 0.2", "jump at the start"}},
    {"a jump in velocity",
     "  d1: {type: driver, joint: main, value: \"2*t\"}\n",
     CARDAN_ERR_MODEL,
     {"velocities", "'d1' by 2", "jump at the start"}},
    {"a rate that a driver leads",
     "  d1: {type: driver, joint: main, value: \"2*t\"}\nstart: {rates: {main: 3}}\n",
     CARDAN_ERR_MODEL,
     {"rate of joint 'main'", "driver 'd1' leads it"}},
};

static void drives_that_contradict_what_holds_them_are_refused_by_name(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        CardanModel *model = driven(CASES[k].drives);
        CardanSim *sim = NULL;
        CardanStatus status = cardan_sim_create(model, NULL, &sim);
        if (status != CASES[k].status)
            fail_msg("%s: status %d, \"%s\"", CASES[k].what, (int)status, cardan_sim_message(sim));
        check_words(CASES[k].what, cardan_sim_message(sim), CASES[k].words);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

static void drives_that_agree_run(void **state) {
    (void)state;
    static const char *const good[] = {
        "  d1: {type: driver, joint: main, value: \"2*t\"}\n  d2: {type: driver, joint: main, value: "
        "\"2*t\"}\n" PROJECT,
        "  d1: {type: driver, joint: main, value: \"2*t\"}\n  d2: {type: driver, joint: main, value: \"t + "
        "t\"}\n" PROJECT,
        "  d1: {type: driver, joint: main, value: \"0*t\"}\n  d2: {type: driver, joint: pivot, value: \"0*t\"}\n",
        "  d1: {type: driver, joint: main, value: \"5*t\"}\n" PROJECT,
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        CardanSim *sim = scene_run(driven(good[k]), NULL);
        scene_advance(sim, 0.5);
        cardan_sim_destroy(sim);
    }
}

static void check_stops(const char *what, const char *drives, double t, const char *const *words) {
    CardanSim *sim = scene_run(driven(drives), NULL);
    CardanStatus status = cardan_sim_advance(sim, t);
    if (status != CARDAN_ERR_NUMERIC) fail_msg("%s: status %d", what, (int)status);
    check_words(what, cardan_sim_message(sim), words);
    cardan_sim_destroy(sim);
}

static void contradictions_that_come_later_name_the_driver(void **state) {
    (void)state;
    static const char *const words[4] = {"driver 'd1' contradicts what holds it", "from t = "};
    check_stops("both ends, later",
                "  d1: {type: driver, joint: main, value: \"2*t^3\"}\n"
                "  d2: {type: driver, joint: pivot, value: \"0.1*t^3\"}\n",
                0.5, words);
}

static void dead_points_name_the_driver_and_the_time(void **state) {
    (void)state;
    static const char *const words[4] = {"locks up at t = 0.0830", "driver 'd1' has led it to a dead point"};
    check_stops("rocker", "  d1: {type: driver, joint: pivot, value: \"-1*t\"}\n" PROJECT, 1.0, words);
}

/* ---- what is no redundancy ---- */

static void check_regular(CardanModel *model, bool singular) {
    CardanCheck check;
    char message[512];
    CardanSim *sim = NULL;
    if (cardan_model_check(model, &check, NULL, NULL, message, sizeof message) < 0) fail_msg("%s", message);
    assert_int_equal(check.redundant_rows, 0);
    assert_int_equal(check.singular, singular);
    CardanStatus status = cardan_sim_create(model, NULL, &sim);
    if (status != CARDAN_OK) fail_msg("%s", cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_slider_crank_near_its_pose_has_no_redundant_rows(void **state) {
    (void)state;
    static const double off[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 0.0};
    for (int k = 0; k < 8; k++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "cardan: 1\nname: folded\nspace: planar\nparameters: {a: \"pi/2 - %.17g\", c: \"cos(a)\", s: \"sin(a)\"}\n"
            "bodies:\n  crank: {mass: 1, inertia: 0.1, position: [\"c/2\", \"s/2\"], angle: a}\n"
            "  rod: {mass: 1, inertia: 0.1, position: [\"1.5*c\", \"s/2\"], angle: \"-a\"}\n"
            "  slider: {mass: 1, inertia: 0.1, position: [\"2*c\", 0]}\n"
            "joints:\n  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
            "  pin: {type: revolute, bodies: [crank, rod], point: [c, s]}\n"
            "  wrist: {type: revolute, bodies: [rod, slider], point: [\"2*c\", 0]}\n"
            "  guide: {type: prismatic, bodies: [ground, slider], point: [\"2*c\", 0], axis: [1, 0]}\n"
            "start: {rates: {main: 1, pin: -2}}\n",
            off[k]);
        CardanModel *model = scene_read(text);
        CardanCheck check;
        char message[512];
        if (cardan_model_check(model, &check, NULL, NULL, message, sizeof message) < 0) fail_msg("%s", message);
        if (check.redundant_rows != 0 || check.degrees_of_freedom != 1)
            fail_msg("%g rad off: %d rows redundant, %d freedoms", off[k], check.redundant_rows,
                     check.degrees_of_freedom);
        cardan_model_release(model);
    }
}

/* Links of 1 m in a row, masses falling from `ratio` to 1. */
static CardanModel *chain(int links, double ratio) {
    size_t size = 300 * (size_t)(links + 1), used;
    char *text = room(size, 1);
    used = (size_t)snprintf(text, size, "cardan: 1\nname: chain\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < links; i++) {
        double mass = pow(ratio, (double)(links - 1 - i) / (links - 1));
        used += (size_t)snprintf(text + used, size - used, "  b%d: {mass: %.17g, inertia: %.17g, position: [%g, 0]}\n",
                                 i, mass, mass / 12.0, i + 0.5);
    }
    used += (size_t)snprintf(text + used, size - used, "joints:\n");
    for (int i = 0; i < links; i++) {
        char before[16] = "ground";
        if (i > 0) snprintf(before, sizeof before, "b%d", i - 1);
        used += (size_t)snprintf(text + used, size - used,
                                 "  j%d: {type: revolute, bodies: [%s, b%d], point: [%d, 0]}\n", i, before, i, i);
    }
    CardanModel *model = scene_read(text);
    free(text);
    return model;
}

static void chains_of_very_unequal_masses_have_no_redundant_rows(void **state) {
    (void)state;
    check_regular(chain(30, 1e10), false);
    check_regular(chain(30, 1e-10), false);
    check_regular(chain(100, 1e10), false);
    check_regular(chain(100, 1e-10), false);
    check_regular(chain(300, 1.0), false);
}

/* A frame of three bars has no freedom, and nothing about it is imperfect. */
static void a_truss_stands(void **state) {
    (void)state;
    static const char text[] = "cardan: 1\nname: truss\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                               "  left:  {mass: 1, inertia: 0.1, position: [0.5, 0.5], angle: \"pi/4\"}\n"
                               "  right: {mass: 1, inertia: 0.1, position: [1.5, 0.5], angle: \"-pi/4\"}\n"
                               "joints:\n  a: {type: revolute, bodies: [ground, left], point: [0, 0]}\n"
                               "  top: {type: revolute, bodies: [left, right], point: [1, 1]}\n"
                               "  b: {type: revolute, bodies: [ground, right], point: [2, 0]}\n";
    CardanSim *sim = scene_run(scene_read(text), NULL);
    scene_advance(sim, 1.0);
    CardanEnergy energy = scene_energy(sim);
    check_below(energy.kinetic, 1e-20, "energy of a truss");
    cardan_sim_destroy(sim);
}

/* Two hinges a little out of line, at rest: they may be meant to hold each other. */
static void a_frame_that_nearly_moves_stands_when_it_is_told_so(void **state) {
    (void)state;
    static const char text[] =
        "cardan: 1\nname: frame\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  door: {mass: 10, inertia: [2, 1, 3], position: [0.4, 0, 1]}\n"
        "joints:\n  low: {type: revolute, bodies: [ground, door], point: [0, 0, 0.2], axis: [0, 0, 1]}\n"
        "  high: {type: revolute, bodies: [ground, door], point: [0, 0, 1.8], axis: [0.003, 0, 1]}\n";
    CardanModel *model = scene_read(text);
    CardanSim *sim = NULL;
    assert_int_equal(cardan_sim_create(model, NULL, &sim), CARDAN_ERR_MODEL);
    static const char *const words[4] = {"locked: 0 degrees of freedom", "'low', 'high'", "redundancy: 1e-2",
                                         "redundancy: 0 if it is to stand still"};
    check_words("frame", cardan_sim_message(sim), words);
    cardan_sim_destroy(sim);
    CardanOptions options = cardan_default_options();
    options.redundancy = 0.0;
    sim = scene_start(model, &options);
    scene_advance(sim, 1.0);
    check_below(scene_energy(sim).kinetic, 1e-20, "energy of a frame");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_that_contradict_what_holds_them_are_refused_by_name),
        cmocka_unit_test(drives_that_agree_run),
        cmocka_unit_test(contradictions_that_come_later_name_the_driver),
        cmocka_unit_test(dead_points_name_the_driver_and_the_time),
        cmocka_unit_test(a_slider_crank_near_its_pose_has_no_redundant_rows),
        cmocka_unit_test(chains_of_very_unequal_masses_have_no_redundant_rows),
        cmocka_unit_test(a_truss_stands),
        cmocka_unit_test(a_frame_that_nearly_moves_stands_when_it_is_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
