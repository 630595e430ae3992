/* Singular poses far from the origin, where positions are known to an ulp of a kilometre, and of many loops at once:
 * what rounding becomes in accelerations is no error to be resolved, so steps stay what they are near the origin. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>

static const double END = 10.0; /* s: ten flat poses */

typedef struct Passed {
    long passages, steps;
    double angle; /* rad, of the first crank */
} Passed;

static Passed pass(CardanModel *model, CardanCoordinates coordinates, const char *crank) {
    CardanOptions options = scene_tight(1e-9, 1e-11);
    options.coordinates = coordinates;
    CardanSim *sim = scene_start(model, &options);
    CardanWork work;
    Passed out = {0};
    scene_advance(sim, END);
    cardan_sim_events(sim, NULL, &out.passages);
    assert_int_equal(cardan_sim_work(sim, &work), CARDAN_OK);
    out.steps = work.steps;
    out.angle = scene_body(sim, model, crank).angle;
    cardan_sim_destroy(sim);
    return out;
}

/* A parallelogram of rods of a metre, its first pin at x. */
static CardanModel *parallelogram(double x) {
    char text[1000];
    const double inertia = 1.0 / 12.0, upright = acos(0.0);
    snprintf(text, sizeof text,
             "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
             "  c0: {mass: 1, inertia: %.17g, position: [%.17g, 0.5], angle: %.17g, velocity: [0.5, 0], spin: -1}\n"
             "  c1: {mass: 1, inertia: %.17g, position: [%.17g, 0.5], angle: %.17g, velocity: [0.5, 0], spin: -1}\n"
             "  h: {mass: 1, inertia: %.17g, position: [%.17g, 1], velocity: [1, 0]}\n"
             "joints:\n"
             "  g0: {type: revolute, bodies: [ground, c0], point: [%.17g, 0]}\n"
             "  g1: {type: revolute, bodies: [ground, c1], point: [%.17g, 0]}\n"
             "  a: {type: revolute, bodies: [c0, h], point: [%.17g, 1]}\n"
             "  b: {type: revolute, bodies: [h, c1], point: [%.17g, 1]}\n",
             inertia, x, upright, inertia, x + 1.0, upright, inertia, x + 0.5, x, x + 1.0, x, x + 1.0);
    return scene_read(text);
}

static void a_kilometre_away_it_takes_as_many_steps(void **state) {
    (void)state;
    static const CardanCoordinates coordinates[] = {CARDAN_COORDINATES_ABSOLUTE, CARDAN_COORDINATES_RELATIVE};
    for (int i = 0; i < 2; i++) {
        CardanModel *near = parallelogram(0.0), *far = parallelogram(1000.0);
        Passed here = pass(near, coordinates[i], "c0"), there = pass(far, coordinates[i], "c0");
        assert_int_equal(here.passages, 10);
        assert_int_equal(there.passages, 10);
        check_between((double)there.steps / (double)here.steps, 0.7, 1.4, "steps a kilometre away");
        check_near(there.angle, here.angle, 1e-6, "angle of the crank");
        cardan_model_release(near);
        cardan_model_release(far);
    }
}

static void three_hundred_loops_take_as_many_steps_as_one(void **state) {
    (void)state;
    CardanModel *one = scene_compile(mechanism_four_bars(1)), *many = scene_compile(mechanism_four_bars(300));
    Passed few = pass(one, CARDAN_COORDINATES_AUTO, "c0"), all = pass(many, CARDAN_COORDINATES_AUTO, "c0"),
           last = pass(many, CARDAN_COORDINATES_AUTO, "c300");
    assert_int_equal(all.passages, 10);
    check_between((double)all.steps / (double)few.steps, 0.7, 1.4, "steps of three hundred loops");
    check_near(last.angle, all.angle, 1e-8, "cranks stay parallel");
    cardan_model_release(one);
    cardan_model_release(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kilometre_away_it_takes_as_many_steps),
        cmocka_unit_test(three_hundred_loops_take_as_many_steps_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
