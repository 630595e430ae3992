/* Chains of many links in absolute coordinates: the smallest pivot of S falls with their number, 1 / 2 n, and costs no
 * digits. Solving is refined where that changes something. */
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 2000 };

/* Links of a metre, released from level; that in the middle has this mass. */
static CardanModel *chain(double mass) {
    enum { LINE = 200 };
    char *text = malloc((2 * LINKS + 4) * (size_t)LINE), *at = text;
    assert_non_null(text);
    at += snprintf(at, LINE, "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < LINKS; i++) {
        double own = i == LINKS / 2 ? mass : 1.0;
        at += snprintf(at, LINE, "  l%d: {mass: %g, inertia: %.17g, position: [%g, 0]}\n", i, own, own / 12.0, i + 0.5);
    }
    at += snprintf(at, LINE, "joints:\n");
    for (int i = 0; i < LINKS; i++) {
        char on[16];
        snprintf(on, sizeof on, "l%d", i - 1);
        at += snprintf(at, LINE, "  j%d: {type: revolute, bodies: [%s, l%d], point: [%d, 0]}\n", i,
                       i > 0 ? on : "ground", i, i);
    }
    CardanModel *model = scene_read(text);
    free(text);
    return model;
}

static CardanSim *start(const CardanModel *model, CardanCoordinates coordinates) {
    CardanOptions options = scene_tight(1e-8, 1e-10);
    options.coordinates = coordinates;
    return scene_start(model, &options);
}

static double solves_a_right_hand_side(CardanSim *sim) {
    CardanWork work;
    assert_int_equal(cardan_sim_work(sim, &work), CARDAN_OK);
    return (double)work.solves / (double)work.rhs;
}

/* Both passes of post-stabilisation count two solves in a step of twelve right-hand sides. */
static void equal_links_are_refined_once_an_attempt(void **state) {
    (void)state;
    CardanModel *model = chain(1.0);
    CardanSim *absolute = start(model, CARDAN_COORDINATES_ABSOLUTE),
              *relative = start(model, CARDAN_COORDINATES_RELATIVE);
    scene_advance(absolute, 0.1);
    scene_advance(relative, 0.1);
    check_between(solves_a_right_hand_side(absolute), 1.0, 1.6, "solves a right-hand side");
    for (int i = 0; i < LINKS; i += 7) {
        char name[16];
        snprintf(name, sizeof name, "l%d", i);
        CardanVec3 a = scene_body(absolute, model, name).position, b = scene_body(relative, model, name).position;
        check_near(a.x, b.x, 1e-7, "%s.x", name);
        check_near(a.y, b.y, 1e-7, "%s.y", name);
    }
    cardan_sim_destroy(absolute);
    cardan_sim_destroy(relative);
    cardan_model_release(model);
}

static void with_a_light_one_between_them_every_time(void **state) {
    (void)state;
    CardanModel *model = chain(1e-6);
    CardanSim *sim = start(model, CARDAN_COORDINATES_ABSOLUTE);
    scene_advance(sim, 0.02);
    check_between(solves_a_right_hand_side(sim), 1.9, 4.0, "solves a right-hand side");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* What one step learnt of refining is not known to the next. */
static void a_saved_state_goes_on_with_the_same_bits(void **state) {
    (void)state;
    CardanModel *model = chain(1.0);
    CardanSim *sim = start(model, CARDAN_COORDINATES_ABSOLUTE), *other = start(model, CARDAN_COORDINATES_ABSOLUTE);
    scene_advance(sim, 0.1);
    int size = cardan_sim_state_size(sim);
    double *numbers = calloc(2 * (size_t)size, sizeof *numbers);
    assert_non_null(numbers);
    assert_int_equal(cardan_sim_get_state(sim, numbers), CARDAN_OK);
    assert_int_equal(cardan_sim_set_state(other, numbers), CARDAN_OK);
    for (int i = 0; i < 3; i++) {
        assert_true(cardan_sim_step(sim, 1.0) >= 0 && cardan_sim_step(other, 1.0) >= 0);
        assert_int_equal(cardan_sim_get_state(sim, numbers), CARDAN_OK);
        assert_int_equal(cardan_sim_get_state(other, numbers + size), CARDAN_OK);
        assert_memory_equal(numbers, numbers + size, (size_t)size * sizeof *numbers);
    }
    free(numbers);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_links_are_refined_once_an_attempt),
        cmocka_unit_test(with_a_light_one_between_them_every_time),
        cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
