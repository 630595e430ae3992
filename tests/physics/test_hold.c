/* Held invariants: the energy of conservative mechanisms, and invariants of users by callback; what is refused. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Standard gravitational parameter of the centre times the mass of the bob, N m^2. */
#define MU 4.0

/* A bob that slides on an arm about a pivot: the arm takes part in the motion, so that joints carry loads. */
#define ARM                                                                                                            \
    "cardan: 1\nname: orbit\nspace: planar\ngravity: [0, 0]\nbodies:\n"                                                \
    "  arm: {mass: 0.2, inertia: 0.05, position: [0.5, 0]}\n"                                                          \
    "  bob: {mass: 1, inertia: 0.01, position: [1, 0]}\n"                                                              \
    "joints:\n"                                                                                                        \
    "  pivot: {type: revolute, bodies: [ground, arm], point: [0, 0]}\n"                                                \
    "  rail: {type: prismatic, bodies: [arm, bob], point: [1, 0], axis: [1, 0]}\n"
#define START "start: {rates: {pivot: 2.2, rail: 0.3}}\n"
#define SPRING(more)                                                                                                   \
    "forces:\n  spring: {type: spring, bodies: [ground, bob], points: [[0, 0], [0, 0]], stiffness: 20, length: "       \
    "0.6" more "}\n"

static CardanOptions fixed(double step, CardanEnergyHold energy) {
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, step);
    options.stabilise.energy = energy;
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    return options;
}

/* Largest relative change of the energy at whole seconds, and the turns of the arm at the end. */
typedef struct Orbit {
    double drift, angle;
} Orbit;

static Orbit follow(const CardanModel *model, const CardanOptions *options, int end) {
    CardanSim *sim = scene_start(model, options);
    CardanEnergy e = scene_energy(sim);
    double start = e.kinetic + e.potential, rate;
    Orbit orbit = {0};
    for (int t = 1; t <= end; t++) {
        scene_advance(sim, (double)t);
        e = scene_energy(sim);
        orbit.drift = fmax(orbit.drift, fabs(e.kinetic + e.potential - start) / fabs(start));
    }
    orbit.angle = scene_coordinate(sim, model, "pivot", &rate);
    cardan_sim_destroy(sim);
    return orbit;
}

static void the_energy_of_a_conservative_mechanism_stays(void **state) {
    (void)state;
    CardanModel *model = scene_read(ARM SPRING("") START);
    CardanOptions tight = scene_tight(1e-12, 1e-13), let = fixed(0.02, CARDAN_ENERGY_FREE),
                  held = fixed(0.02, CARDAN_ENERGY_HELD);
    Orbit exact = follow(model, &tight, 200), drifts = follow(model, &let, 200), kept = follow(model, &held, 200);
    print_message("energy %.2e free, %.2e held; angle off by %.2e free, %.2e held\n", drifts.drift, kept.drift,
                  fabs(drifts.angle - exact.angle), fabs(kept.angle - exact.angle));
    assert_true(drifts.drift > 1e-6);
    check_near(kept.drift, 0.0, 1e-13, "energy, held");
    assert_true(fabs(kept.angle - exact.angle) < 0.1 * fabs(drifts.angle - exact.angle));
    cardan_model_release(model);
}

static void steps_keep_their_order_when_energy_is_held(void **state) {
    (void)state;
    CardanModel *model = scene_read(ARM SPRING("") START);
    CardanOptions tight = scene_tight(1e-13, 1e-14);
    double exact = follow(model, &tight, 5).angle, error[2];
    for (int k = 0; k < 2; k++) {
        CardanOptions held = fixed(0.02 / (1 + k), CARDAN_ENERGY_HELD);
        error[k] = fabs(follow(model, &held, 5).angle - exact);
    }
    double order = log2(error[0] / error[1]);
    print_message("errors %.2e and %.2e: order %.2f\n", error[0], error[1], order);
    assert_true(order > 3.7);
    cardan_model_release(model);
}

/* Swings through rest, where the speed says nothing of the energy; in relative coordinates too. */
static void energy_is_held_by_what_comes_to_rest(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    for (int k = 0; k < 2; k++) {
        CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.005);
        options.stabilise.energy = CARDAN_ENERGY_HELD;
        options.coordinates = k == 0 ? CARDAN_COORDINATES_ABSOLUTE : CARDAN_COORDINATES_RELATIVE;
        CardanSim *sim = scene_start(model, &options);
        CardanEnergy start = scene_energy(sim), end;
        scene_advance(sim, 20.0);
        end = scene_energy(sim);
        double size = fabs(start.kinetic) + fabs(start.potential) + fabs(end.potential);
        check_near((end.kinetic + end.potential - start.kinetic - start.potential) / size, 0.0, 1e-14, "energy");
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* ---- Kepler's problem, with invariants of the user's ---- */

static CardanStatus attract(void *user, double t, const CardanFrame *frames, const double *inputs,
                            CardanWrench *wrench) {
    double r = hypot(frames[0].x.x, frames[0].x.y);
    (void)user, (void)t, (void)inputs;
    wrench[0].force = (CardanVec3){-MU * frames[0].x.x / (r * r * r), -MU * frames[0].x.y / (r * r * r), 0.0};
    return CARDAN_OK;
}

typedef struct Law {
    double wrong; /* added to its gradient */
} Law;

static const double MASS[2] = {0.2, 1.0}, INERTIA[2] = {0.05, 0.01};

static CardanStatus energy(void *user, const CardanEventView *view, double *value, CardanTwistRow *gradient) {
    const CardanFrame *f = view->frames;
    *value = -MU / hypot(f[1].x.x, f[1].x.y);
    for (int i = 0; i < 2; i++) {
        *value += 0.5 * MASS[i] * (f[i].v.x * f[i].v.x + f[i].v.y * f[i].v.y) + 0.5 * INERTIA[i] * f[i].w.z * f[i].w.z;
        gradient[i][0] = MASS[i] * f[i].v.x + ((const Law *)user)->wrong;
        gradient[i][1] = MASS[i] * f[i].v.y;
        gradient[i][5] = INERTIA[i] * f[i].w.z;
    }
    return CARDAN_OK;
}

static CardanStatus momentum(void *user, const CardanEventView *view, double *value, CardanTwistRow *gradient) {
    const CardanFrame *f = view->frames;
    (void)user;
    for (int i = 0; i < 2; i++) {
        *value += MASS[i] * (f[i].x.x * f[i].v.y - f[i].x.y * f[i].v.x) + INERTIA[i] * f[i].w.z;
        gradient[i][0] = -MASS[i] * f[i].x.y;
        gradient[i][1] = MASS[i] * f[i].x.x;
        gradient[i][5] = INERTIA[i];
    }
    return CARDAN_OK;
}

/* The speed of the bob along x, which nothing keeps. */
static CardanStatus no_invariant(void *user, const CardanEventView *view, double *value, CardanTwistRow *gradient) {
    (void)user;
    *value = view->frames[1].v.x;
    gradient[1][0] = 1.0;
    return CARDAN_OK;
}

typedef CardanStatus (*Evaluate)(void *, const CardanEventView *, double *, CardanTwistRow *);

static CardanModel *kepler(Law *law, Evaluate first, Evaluate second) {
    CardanBuilder *b = NULL;
    const char *text = ARM START;
    assert_int_equal(cardan_builder_read_text(text, strlen(text), "kepler", &b), CARDAN_OK);
    CardanBody body[2] = {{1}, {2}};
    CardanForceDef pull = cardan_default_force(CARDAN_FORCE_CALLBACK);
    pull.name = "sun";
    pull.bodies = 1;
    pull.bodies_list = &body[1];
    pull.callback = attract;
    cardan_builder_add_force(b, &pull);
    Evaluate evaluate[2] = {first, second};
    for (int i = 0; i < 2; i++)
        if (evaluate[i] != NULL)
            cardan_builder_add_invariant(b, &(CardanInvariantDef){DEFAULTED, .name = i == 0 ? "first" : "second",
                                                                  .bodies = 2, .body = body, .user = law,
                                                                  .evaluate = evaluate[i]});
    return scene_compile(b);
}

static double value_of(CardanSim *sim, const CardanModel *model, Evaluate evaluate) {
    static const char *const NAME[2] = {"arm", "bob"};
    CardanFrame frames[2] = {0};
    CardanTwistRow ignored[2];
    Law law = {0.0};
    double value = 0.0;
    for (int i = 0; i < 2; i++) {
        CardanBodyState s = scene_body(sim, model, NAME[i]);
        frames[i] = (CardanFrame){.x = s.position, .v = s.velocity, .w = {0.0, 0.0, s.spin}};
    }
    evaluate(&law, &(CardanEventView){.frames = frames}, &value, ignored);
    return value;
}

static void keplers_orbit_keeps_invariants_of_users(void **state) {
    (void)state;
    Law law = {0.0};
    CardanModel *plain = kepler(&law, NULL, NULL), *model = kepler(&law, energy, momentum);
    CardanOptions tight = scene_tight(1e-12, 1e-13), rk4 = fixed(0.02, CARDAN_ENERGY_FREE);
    double angle[3], rate, off[2][3];
    for (int k = 0; k < 3; k++) {
        const CardanModel *which = k == 2 ? model : plain;
        CardanSim *sim = scene_start(which, k == 0 ? &tight : &rk4);
        double e = value_of(sim, which, energy), l = value_of(sim, which, momentum);
        scene_advance(sim, 100.0);
        off[0][k] = fabs(value_of(sim, which, energy) / e - 1.0);
        off[1][k] = fabs(value_of(sim, which, momentum) / l - 1.0);
        angle[k] = scene_coordinate(sim, which, "pivot", &rate);
        cardan_sim_destroy(sim);
    }
    double let = fabs(angle[1] - angle[0]), held = fabs(angle[2] - angle[0]);
    print_message("energy %.1e free, %.1e held; momentum %.1e, %.1e; angle off by %.2e, %.2e\n", off[0][1], off[0][2],
                  off[1][1], off[1][2], let, held);
    assert_true(off[0][1] > 1e-8 && off[1][1] > 1e-10);
    check_near(off[0][2], 0.0, 1e-13, "energy, held");
    check_near(off[1][2], 0.0, 1e-13, "momentum, held");
    assert_true(held < 0.1 * let);
    cardan_model_release(plain);
    cardan_model_release(model);
}

static void a_saved_state_and_a_clone_hold_what_the_run_holds(void **state) {
    (void)state;
    Law law = {0.0};
    CardanModel *model = kepler(&law, energy, momentum);
    CardanOptions rk4 = fixed(0.01, CARDAN_ENERGY_FREE);
    CardanSim *sim = scene_start(model, &rk4), *other = scene_start(model, &rk4), *clone = NULL;
    scene_advance(sim, 1.0);
    size_t size = (size_t)cardan_sim_state_size(sim);
    double *kept = calloc(3 * size, sizeof *kept);
    assert_int_equal(cardan_sim_get_state(sim, kept), CARDAN_OK);
    assert_int_equal(cardan_sim_set_state(other, kept), CARDAN_OK);
    assert_int_equal(cardan_sim_clone(sim, &clone), CARDAN_OK);
    CardanSim *all[3] = {sim, other, clone};
    for (int i = 0; i < 3; i++) {
        scene_advance(all[i], 3.0);
        assert_int_equal(cardan_sim_get_state(all[i], kept + (size_t)i * size), CARDAN_OK);
        if (i > 0) assert_memory_equal(kept + (size_t)i * size, kept, size * sizeof *kept);
    }
    for (int i = 0; i < 3; i++) cardan_sim_destroy(all[i]);
    free(kept);
    cardan_model_release(model);
}

/* ---- refusals ---- */

static void expect_refused(CardanModel *model, const CardanOptions *options, const char *const *words) {
    CardanSim *sim = NULL;
    CardanStatus status = cardan_sim_create(model, options, &sim);
    if (status >= 0) status = cardan_sim_advance(sim, 5.0);
    assert_true(status < 0);
    for (; *words != NULL; words++)
        if (strstr(cardan_sim_message(sim), *words) == NULL)
            fail_msg("'%s' is not in: %s", *words, cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

#define EXPECT_REFUSED(model, options, ...) expect_refused(model, options, (const char *const[]){__VA_ARGS__, NULL})

static void what_is_not_conservative_is_refused_by_name(void **state) {
    (void)state;
    Law law = {0.0};
    CardanOptions held = fixed(0.01, CARDAN_ENERGY_HELD);
    EXPECT_REFUSED(scene_read(ARM SPRING(", damping: 0.1")), &held, "force 'spring'", "conservative", "12:");
    EXPECT_REFUSED(scene_read(ARM "  motor: {type: driver, joint: pivot, value: \"2*t\"}\n"), &held, "driver 'motor'");
    EXPECT_REFUSED(kepler(&law, NULL, NULL), &held, "force 'sun'");
}

static void a_gradient_that_is_not_the_values_is_refused(void **state) {
    (void)state;
    Law law = {0.01};
    CardanOptions rk4 = fixed(0.01, CARDAN_ENERGY_FREE);
    EXPECT_REFUSED(kepler(&law, energy, NULL), &rk4, "the gradient of invariant 'first'");
}

static void a_quantity_that_the_motion_does_not_keep_is_refused_by_name(void **state) {
    (void)state;
    Law law = {0.0};
    CardanOptions rk4 = fixed(0.1, CARDAN_ENERGY_FREE);
    EXPECT_REFUSED(kepler(&law, no_invariant, NULL), &rk4, "invariant 'first'", "the motion does not keep it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_of_a_conservative_mechanism_stays),
        cmocka_unit_test(steps_keep_their_order_when_energy_is_held),
        cmocka_unit_test(energy_is_held_by_what_comes_to_rest),
        cmocka_unit_test(keplers_orbit_keeps_invariants_of_users),
        cmocka_unit_test(a_saved_state_and_a_clone_hold_what_the_run_holds),
        cmocka_unit_test(what_is_not_conservative_is_refused_by_name),
        cmocka_unit_test(a_gradient_that_is_not_the_values_is_refused),
        cmocka_unit_test(a_quantity_that_the_motion_does_not_keep_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
