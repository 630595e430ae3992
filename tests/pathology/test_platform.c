/* A plate on three driven legs, moved along a smooth path through a pose where the legs' lines meet in its centre:
 * there the legs no longer hold its turning, and turning on and turning back are both possible. Leg laws are computed
 * from the path, so the exact motion is known. */
#include <cardan/cardan.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LEGS = 3, TEXT = 8192 };

static const double FEET[LEGS][2] = {{0.0, 0.0}, {4.0, 0.3}, {1.7, 3.0}};

/* The path: centre (2 + 0.3 sin s, 1 + 0.2 s), angle 0.5 s, s = t - 1; singular at s = 0. */
static double path_x(double t) {
    return 2.0 + 0.3 * sin(t - 1.0);
}
static double path_y(double t) {
    return 1.0 + 0.2 * (t - 1.0);
}
static double path_angle(double t) {
    return 0.5 * (t - 1.0);
}

static void describe(char *text) {
    int n = snprintf(text, TEXT,
                     "cardan: 1\nname: platform\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                     "  plate: {mass: 1, inertia: 0.1, position: [%.17g, %.17g], angle: -0.5, velocity: [%.17g, 0.2], "
                     "spin: 0.5}\njoints:\n",
                     path_x(0.0), path_y(0.0), 0.3 * cos(-1.0));
    for (int i = 0; i < LEGS; i++) {
        /* The plate's points lie on the lines from its centre to the feet in the singular pose. */
        double dx = FEET[i][0] - path_x(1.0), dy = FEET[i][1] - path_y(1.0), l = hypot(dx, dy);
        double bx = 0.5 * dx / l, by = 0.5 * dy / l;
        n += snprintf(
            text + n, TEXT - (size_t)n,
            "  leg%d: {type: distance, bodies: [ground, plate], local: {a: [%.17g, %.17g], b: [%.17g, %.17g]}, "
            "length: \"sqrt((2 + 0.3*sin(t - 1) + (%.17g)*cos(0.5*(t - 1)) - (%.17g)*sin(0.5*(t - 1)) - %.17g)^2 "
            "+ (1 + 0.2*(t - 1) + (%.17g)*sin(0.5*(t - 1)) + (%.17g)*cos(0.5*(t - 1)) - %.17g)^2)\"}\n",
            i + 1, FEET[i][0], FEET[i][1], bx, by, bx, by, FEET[i][0], bx, by, FEET[i][1]);
    }
}

static void expect_path(double rtol, double allowed) {
    char text[TEXT];
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    describe(text);
    if (cardan_builder_read_text(text, strlen(text), "platform", &builder) < 0 ||
        cardan_builder_compile(builder, &model) < 0)
        fail_msg("%s", cardan_builder_message(builder));
    CardanOptions options = cardan_default_options();
    options.rtol = rtol;
    options.atol = 0.01 * rtol;
    if (cardan_sim_create(model, &options, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
    CardanBody plate = cardan_model_find_body(model, "plate");
    while (cardan_sim_time(sim) < 2.0) {
        if (cardan_sim_step(sim, 2.0) < 0) fail_msg("%s", cardan_sim_message(sim));
        CardanBodyState s;
        double t = cardan_sim_time(sim);
        assert_int_equal(cardan_sim_body(sim, plate, &s), CARDAN_OK);
        double off = fmax(fabs(s.position.x - path_x(t)), fabs(s.position.y - path_y(t)));
        off = fmax(off, fabs(s.angle - path_angle(t)));
        if (!(off <= allowed)) fail_msg("off the path by %.3g at t = %.9g", off, t);
    }
    const CardanEvent *events = NULL;
    assert_int_equal(cardan_sim_events(sim, &events, NULL), 1);
    if (fabs(events[0].t - 1.0) > 1e-3) fail_msg("passage logged at t = %.9g, was at 1", events[0].t);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
}

static void a_driven_platform_goes_on_through_its_singular_pose(void **state) {
    (void)state;
    expect_path(1e-6, 1e-5);
    expect_path(1e-9, 1e-8);
    expect_path(1e-11, 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_driven_platform_goes_on_through_its_singular_pose)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
