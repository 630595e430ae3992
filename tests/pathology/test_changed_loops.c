/* Parameters that are changed in a running simulation so that loops become imperfect or locked: what was found at the
 * start holds no longer, and is not used as if it did. */
#include "pathology/imperfect_texts.h"
#include "pathology/passage_fixture.h"
#include "sim/sim.h"

static const char *const TEXTS[] = {TILTED_FOUR_BAR, OUT_OF_PLANE, DOOR, BENNETT, SHAFT, DRIVEN_SHAFT};
enum { COUNT = sizeof TEXTS / sizeof *TEXTS };

/* A simulation of the mechanism with an error e of its data, under way. */
static CardanSim *under_way(const char *text, double e) {
    CardanModel *model = scene_read(text), *changed = NULL;
    char message[512];
    const char *name = "e";
    CardanSim *sim = NULL;
    if (cardan_model_with_parameters(model, 1, &name, &e, &changed, message, sizeof message) < 0)
        fail_msg("%s", message);
    if (cardan_sim_create(changed, NULL, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
    cardan_model_release(model);
    cardan_model_release(changed); /* the simulation holds it */
    scene_advance(sim, 0.1);
    return sim;
}

/* Refused with words and a joint's name, after which the motion goes on as if nothing had been asked for. */
static void check_refused(const char *text, double from, double to, const char *words) {
    CardanSim *sim = under_way(text, from), *other = under_way(text, from);
    CardanStatus status = cardan_sim_set_parameter(sim, "e", to);
    const char *said = cardan_sim_message(sim);
    if (status >= 0 || strstr(said, words) == NULL || strstr(said, " '") == NULL)
        fail_msg("%s, %g to %g: status %d, \"%s\"", text, from, to, (int)status, said);
    scene_advance(sim, 0.2);
    scene_advance(other, 0.2);
    int coordinates = sim->model->structure->nq;
    for (int i = 0; i < coordinates; i++)
        check_near(cardan_sim_positions(sim)[i], cardan_sim_positions(other)[i], 1e-9, "coordinate %d", i);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
}

static void an_error_that_was_not_there_at_the_start_is_refused_by_joints(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        check_refused(TEXTS[i], 0.0, 1e-6, "changes which constraint rows depend on others");
        check_refused(TEXTS[i], 0.0, 1e-3, "changes which constraint rows depend on others");
    }
}

static void an_error_beyond_what_may_open_is_refused_when_it_is_set(void **state) {
    (void)state;
    static const char *const released[] = {TILTED_FOUR_BAR, OUT_OF_PLANE, DOOR};
    for (int i = 0; i < 3; i++) check_refused(released[i], 1e-6, 1e-3, "times redundancy");
    check_refused(SHAFT, 1e-6, 1e-3, "changes which constraint rows depend on others");
}

static void errors_within_the_tolerance_may_change(void **state) {
    (void)state;
    static const double to[] = {0.0, 2e-6};
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 2; k++) {
            CardanSim *sim = under_way(TEXTS[i], 1e-6);
            CardanOpening opening;
            if (cardan_sim_set_parameter(sim, "e", to[k]) < 0) fail_msg("%s", cardan_sim_message(sim));
            scene_advance(sim, 0.2);
            assert_true(cardan_sim_opening(sim, &opening) >= 0);
            check_below(fmax(opening.length, opening.angle), 6e-6, "opening");
            cardan_sim_destroy(sim);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_that_was_not_there_at_the_start_is_refused_by_joints),
        cmocka_unit_test(an_error_beyond_what_may_open_is_refused_when_it_is_set),
        cmocka_unit_test(errors_within_the_tolerance_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
