/* Knowing that a model is stiff: explicit steppers say so once, with what is to blame, on stiff models and on no other;
 * `auto` goes over to radau5 and back, and its states go on with the same bits. */
#include "support/check.h"
#include "support/reading.h"
#include "support/scene.h"

#include <glob.h>

/* Two links; what joins or holds them is stiff. */
#define LINKS                                                                                                          \
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\n"                                                                  \
    "bodies:\n  a: {mass: 1, inertia: 0.02, position: [0.25, 0]}\n  b: {mass: 1, inertia: 0.02, position: [0.75, "     \
    "0]}\n"

static const char BUSHING[] =
    LINKS "joints:\n  p: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
          "forces:\n  mount: {type: bushing, bodies: [a, b], point: [0.5, 0], stiffness: [1e7, 1e7, 1e4], damping: "
          "[1e5, 1e5, 1e3]}\n";
static const char SPRING[] = LINKS
    "joints:\n  p: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
    "  e: {type: revolute, bodies: [a, b], point: [0.5, 0]}\n"
    "forces:\n  soft: {type: spring, bodies: [ground, b], points: [[0, 1], [0.25, 0]], stiffness: 20, length: 1}\n"
    "  strut: {type: spring, bodies: [ground, a], points: [[0, 0.4], [0, 0]], stiffness: 1e6, damping: 3e4, "
    "length: 0.47169905660283}\n";
static const char TORSION[] = LINKS "joints:\n  p: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
                                    "  e: {type: revolute, bodies: [a, b], point: [0.5, 0]}\n"
                                    "forces:\n  slack: {type: torsion, joint: p, stiffness: 3}\n"
                                    "  clamp: {type: torsion, joint: e, stiffness: 1e5, damping: 2e3}\n";
static const char COMPLIANT[] =
    LINKS "joints:\n  p: {type: revolute, bodies: [ground, a], point: [0, 0]}\n"
          "  pin: {type: revolute, bodies: [a, b], point: [0.5, 0], compliant: {stiffness: 1e7, damping: 1e5}}\n";
static const char IN_SPACE[] =
    "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  arm: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.25, 0, 0]}\n"
    "  tip: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.75, 0, 0]}\n"
    "joints:\n  p: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n  wind: {type: drag, body: tip, point: [0, 0, 0], coefficient: 0.1}\n"
    "  mount: {type: bushing, bodies: [arm, tip], point: [0.5, 0, 0], stiffness: [1e7, 1e7, 1e7, 1e4, 1e4, 1e4], "
    "damping: [1e5, 1e5, 1e5, 1e3, 1e3, 1e3]}\n";

static const struct {
    const char *name, *text, *blamed;
} STIFF[] = {{"bushing", BUSHING, "mount"},
             {"spring", SPRING, "strut"},
             {"torsion spring", TORSION, "clamp"},
             {"compliant joint", COMPLIANT, "pin"},
             {"bushing in space", IN_SPACE, "mount"}};

/* Events that say so, and the first. */
static int told(const CardanSim *sim, const CardanEvent **first) {
    const CardanEvent *events = NULL;
    int count = cardan_sim_events(sim, &events, NULL), found = 0;
    *first = NULL;
    for (int i = 0; i < count; i++) {
        if (events[i].kind != CARDAN_EVENT_STIFF) continue;
        if (found++ == 0) *first = &events[i];
    }
    return found;
}

static void stiff_models_are_told_once_with_what_is_to_blame(void **state) {
    (void)state;
    static const CardanStepper STEPPERS[] = {CARDAN_STEPPER_DOPRI5, CARDAN_STEPPER_DOP853};
    for (size_t i = 0; i < sizeof STIFF / sizeof *STIFF; i++)
        for (int k = 0; k < 2; k++) {
            CardanModel *model = scene_read(STIFF[i].text);
            CardanOptions options = cardan_default_options();
            options.stepper = STEPPERS[k];
            options.max_steps = 3000;
            CardanSim *sim = scene_start(model, &options);
            const CardanEvent *event;
            bool remarked = false;
            for (int step = 0; step < 1500 && cardan_sim_time(sim) < 1.0; step++) {
                CardanStatus status = cardan_sim_step(sim, 1.0);
                assert_true(status >= 0);
                if (status == CARDAN_REMARK) remarked = strstr(cardan_sim_message(sim), STIFF[i].blamed) != NULL;
            }
            if (told(sim, &event) != 1) fail_msg("%s: told %d times", STIFF[i].name, told(sim, &event));
            if (strcmp(event->name, STIFF[i].blamed) != 0) fail_msg("%s: %s is blamed", STIFF[i].name, event->name);
            assert_int_equal(event->direction, 1);
            assert_true(remarked);
            cardan_sim_destroy(sim);
            cardan_model_release(model);
        }
}

/* Is the model called stiff on its page? */
static bool is_called_stiff(const char *path) {
    char line[512], name[128];
    bool stiff = false;
    FILE *page = fopen("docs/MODELS.md", "r");
    assert_non_null(page);
    snprintf(name, sizeof name, "(../%s)", path);
    while (fgets(line, sizeof line, page) != NULL)
        if (strstr(line, name) != NULL) stiff = strstr(line, "stiff") != NULL;
    fclose(page);
    return stiff;
}

static void no_model_is_told_stiff_that_its_page_does_not_call_so(void **state) {
    (void)state;
    glob_t files;
    assert_int_equal(glob("models/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        CardanModel *model = scene_load(files.gl_pathv[i]);
        CardanOptions options = cardan_model_options(model);
        const CardanEvent *event;
        CardanSim *sim = scene_start(model, &options);
        for (int step = 0; step < 500 && cardan_sim_time(sim) < options.end; step++)
            if (cardan_sim_step(sim, options.end) < 0) break;
        if (told(sim, &event) > 0 && !is_called_stiff(files.gl_pathv[i]))
            fail_msg("%s is told stiff at t = %g, by %s", files.gl_pathv[i], event->t, event->name);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
    globfree(&files);
}

/* ---- auto ---- */

static void auto_goes_over_to_radau5_and_has_the_same_energy(void **state) {
    (void)state;
    CardanModel *model = scene_read(BUSHING);
    CardanOptions options = cardan_default_options(), tight = scene_tight(1e-10, 1e-12);
    options.stepper = CARDAN_STEPPER_AUTO;
    tight.stepper = CARDAN_STEPPER_RADAU5;
    CardanSim *sim = scene_start(model, &options), *exact = scene_start(model, &tight);
    const CardanEvent *event;
    assert_true(cardan_sim_advance(sim, 5.0) >= 0 && cardan_sim_advance(exact, 5.0) >= 0);
    assert_int_equal(told(sim, &event), 1);
    assert_string_equal(event->name, "mount");
    assert_int_equal(cardan_sim_coordinates(sim), CARDAN_COORDINATES_ABSOLUTE);
    check_between((double)work_of(sim).steps, 1.0, 499.0, "steps of auto"); /* dop853 takes 564404 */
    check_near(scene_energy(sim).total, scene_energy(exact).total, 1e-5, "energy");
    cardan_sim_destroy(sim);
    cardan_sim_destroy(exact);
    cardan_model_release(model);
}

static void auto_comes_back_when_nothing_is_stiff_any_more(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/stick_slip.yaml");
    CardanOptions options = cardan_model_options(model);
    options.stepper = CARDAN_STEPPER_AUTO;
    CardanSim *sim = scene_start(model, &options);
    assert_true(cardan_sim_advance(sim, options.end) >= 0);
    const CardanEvent *events = NULL;
    int count = cardan_sim_events(sim, &events, NULL), there = 0, back = 0;
    for (int i = 0; i < count; i++) {
        there += events[i].kind == CARDAN_EVENT_STIFF && events[i].direction > 0;
        back += events[i].kind == CARDAN_EVENT_STIFF && events[i].direction < 0;
    }
    assert_true(there >= 1 && back >= 1 && abs(there - back) <= 1);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void states_of_auto_go_on_with_the_same_bits_before_and_after_it_went_over(void **state) {
    (void)state;
    static const double TIMES[] = {1e-4, 1.9e-4, 0.3};
    CardanModel *model = scene_read(BUSHING);
    CardanOptions options = cardan_default_options();
    options.stepper = CARDAN_STEPPER_AUTO;
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        CardanSim *sim = scene_start(model, &options), *other = scene_start(model, &options), *copy = NULL;
        size_t size = (size_t)cardan_sim_state_size(sim);
        double *kept = room(size, sizeof *kept), *end = room(size, sizeof *end), *again = room(size, sizeof *again);
        assert_true(cardan_sim_advance(sim, TIMES[i]) >= 0);
        assert_int_equal(cardan_sim_get_state(sim, kept), CARDAN_OK);
        assert_true(cardan_sim_clone(sim, &copy) >= 0);
        assert_int_equal(cardan_sim_set_state(other, kept), CARDAN_OK);
        CardanSim *sims[3] = {sim, other, copy};
        for (int k = 0; k < 3; k++) {
            assert_true(cardan_sim_advance(sims[k], 0.6) >= 0);
            assert_int_equal(cardan_sim_get_state(sims[k], k == 0 ? end : again), CARDAN_OK);
            if (k > 0) assert_memory_equal(end, again, size * sizeof *end);
            cardan_sim_destroy(sims[k]);
        }
        free(kept), free(end), free(again);
    }
    cardan_model_release(model);
}

static void relative_coordinates_are_refused_by_name(void **state) {
    (void)state;
    static const CardanStepper STEPPERS[] = {CARDAN_STEPPER_AUTO, CARDAN_STEPPER_RADAU5, CARDAN_STEPPER_GALPHA};
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    for (int i = 0; i < 3; i++) {
        CardanOptions options = cardan_default_options();
        CardanSim *sim = NULL;
        options.stepper = STEPPERS[i];
        options.coordinates = CARDAN_COORDINATES_RELATIVE;
        assert_int_equal(cardan_sim_create(model, &options, &sim), CARDAN_ERR_MODEL);
        assert_non_null(strstr(cardan_sim_message(sim), "coordinates: relative"));
        assert_non_null(strstr(cardan_sim_message(sim), "stepper"));
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_models_are_told_once_with_what_is_to_blame),
        cmocka_unit_test(no_model_is_told_stiff_that_its_page_does_not_call_so),
        cmocka_unit_test(auto_goes_over_to_radau5_and_has_the_same_energy),
        cmocka_unit_test(auto_comes_back_when_nothing_is_stiff_any_more),
        cmocka_unit_test(states_of_auto_go_on_with_the_same_bits_before_and_after_it_went_over),
        cmocka_unit_test(relative_coordinates_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
