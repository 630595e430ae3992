/* What Verlet and RATTLE keep: energy without drift over very many steps, where a Runge-Kutta method loses it; the way
 * back, for they are reversible; angular momentum of a free body; constraints to rounding. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

enum { TENTHS = 10, LENGTH_MAX = 32 };

typedef struct Course {
    double mean[TENTHS];       /* J; mean energy in each tenth of the run */
    double spread[TENTHS];     /* J; largest deviation from the start's */
    double position, velocity; /* largest residuals */
} Course;

static Course long_run(const CardanModel *model, CardanStepper stepper, double step, int steps) {
    CardanOptions options = scene_fixed(stepper, step);
    CardanSim *sim = scene_start(model, &options);
    double start = scene_energy(sim).total;
    Course course = {{0.0}, {0.0}, 0.0, 0.0};
    for (int k = 0; k < TENTHS; k++)
        for (int i = 0; i < steps / TENTHS; i++) {
            assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
            double off = scene_energy(sim).total - start;
            course.mean[k] += off * TENTHS / steps;
            course.spread[k] = fmax(course.spread[k], fabs(off));
        }
    assert_int_equal(work_of(sim).steps, steps);
    CardanResidual residual = residual_of(sim);
    course.position = residual.position_max;
    course.velocity = residual.velocity_max;
    cardan_sim_destroy(sim);
    return course;
}

/* A double pendulum, tumbling, over 10^5 steps of 10 ms: 1000 s. */
static void rattle_keeps_the_energy_of_the_double_pendulum_while_rk4_loses_it(void **state) {
    (void)state;
    if (SAMPLE_IS_PART) skip(); /* shorter runs say nothing about drift; the one in space has the same code */
    CardanModel *model = scene_load("models/double_pendulum.yaml");
    Course rattle = long_run(model, CARDAN_STEPPER_RATTLE, 0.01, 100000),
           rk4 = long_run(model, CARDAN_STEPPER_RK4, 0.01, 100000);
    for (int k = 0; k < TENTHS; k++) {
        /* 19.6 J change hands; RATTLE's error of second order moves with the motion but never grows */
        check_between(rattle.spread[k], 0.0, 0.25, "RATTLE: largest error of the energy in a tenth of the run");
        check_near(rattle.mean[k], rattle.mean[0], 2e-3, "RATTLE: mean energy of tenth %d", k);
        if (k > 0) check_between(rk4.mean[k - 1] - rk4.mean[k], 5e-3, 1.0, "RK4: loss of energy in a tenth of the run");
    }
    check_between(rk4.spread[TENTHS - 1] / rk4.spread[0], 5.0, 100.0, "RK4: growth of the error of the energy");
    check_between(rattle.position, 0.0, 1e-13, "RATTLE: residual of positions");
    check_between(rattle.velocity, 0.0, 1e-13, "RATTLE: residual of velocities");
    cardan_model_release(model);
}

/* In space the turns of bodies are part of it. */
static void rattle_keeps_the_energy_of_a_chain_in_space(void **state) {
    (void)state;
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 2);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 4.0});
    CardanModel *model = scene_compile(b);
    Course rattle = long_run(model, CARDAN_STEPPER_RATTLE, 0.01, 20000);
    for (int k = 0; k < TENTHS; k++) {
        check_between(rattle.spread[k], 0.0, 0.5, "largest error of the energy in a tenth of the run");
        check_near(rattle.mean[k], rattle.mean[0], 0.02, "mean energy of tenth %d", k);
    }
    check_between(rattle.position, 0.0, 1e-13, "residual of positions");
    cardan_model_release(model);
}

/* There and back: with its velocities turned round the motion returns to its start. */
static void check_way_back(CardanModel *model, CardanStepper stepper, double back, double not_back) {
    CardanSizes sizes = cardan_model_sizes(model);
    CardanOptions options = scene_fixed(stepper, 0.01);
    CardanSim *sim = scene_start(model, &options);
    double start[LENGTH_MAX], q[LENGTH_MAX], v[LENGTH_MAX], worst = 0.0;
    memcpy(start, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *start);
    for (int i = 0; i < 60; i++) assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
    memcpy(q, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *q);
    for (int i = 0; i < sizes.velocities; i++) v[i] = -cardan_sim_velocities(sim)[i];
    assert_true(cardan_sim_set_motion(sim, 0.0, q, v) >= 0);
    for (int i = 0; i < 60; i++) assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
    for (int i = 0; i < sizes.coordinates; i++) worst = fmax(worst, fabs(cardan_sim_positions(sim)[i] - start[i]));
    check_between(worst, not_back, back, cardan_stepper_name(stepper));
    cardan_sim_destroy(sim);
}

static void rattle_finds_its_way_back(void **state) {
    (void)state;
    CardanModel *plane = scene_compile(mechanism_chain(CARDAN_SPACE_PLANAR, 2));
    CardanBuilder *b = mechanism_chain(CARDAN_SPACE_SPATIAL, 2);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 4.0});
    CardanModel *space = scene_compile(b);
    /* rounding, grown by the motion; another method misses by its error */
    check_way_back(plane, CARDAN_STEPPER_RATTLE, 1e-11, 0.0);
    check_way_back(space, CARDAN_STEPPER_RATTLE, 1e-11, 0.0);
    check_way_back(plane, CARDAN_STEPPER_HEUN, 1.0, 1e-6);
    check_way_back(space, CARDAN_STEPPER_HEUN, 1.0, 1e-6);
    cardan_model_release(plane);
    cardan_model_release(space);
}

/* A free body about its middle axis, which tumbles: momentum in ground axes to rounding, energy without drift. */
static void verlet_keeps_the_momentum_of_a_tumbling_body(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\n"
                                    "space: spatial\n"
                                    "gravity: [0, 0, 0]\n"
                                    "bodies:\n"
                                    "  box: {mass: 1, inertia: [1, 2, 3], position: [0, 0, 0], "
                                    "angular_velocity: [0.01, 2, 0.01]}\n");
    const double inertia[3] = {1.0, 2.0, 3.0};
    CardanOptions options = scene_fixed(CARDAN_STEPPER_VERLET, 0.02);
    CardanSim *sim = scene_start(model, &options);
    double first[3], energy = scene_energy(sim).total, least = energy, most = energy, turned = 0.0;
    for (int i = 0; i <= 20000; i++) {
        const double *q = cardan_sim_positions(sim) + 3, *w = cardan_sim_velocities(sim) + 3;
        double p[3], m[3] = {inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]};
        /* m in ground axes: m + 2 u x (u x m + q0 m), u the vector part */
        double c[3] = {q[2] * m[2] - q[3] * m[1] + q[0] * m[0], q[3] * m[0] - q[1] * m[2] + q[0] * m[1],
                       q[1] * m[1] - q[2] * m[0] + q[0] * m[2]};
        p[0] = m[0] + 2.0 * (q[2] * c[2] - q[3] * c[1]);
        p[1] = m[1] + 2.0 * (q[3] * c[0] - q[1] * c[2]);
        p[2] = m[2] + 2.0 * (q[1] * c[1] - q[2] * c[0]);
        if (i == 0) memcpy(first, p, sizeof first);
        for (int k = 0; k < 3; k++) check_near(p[k], first[k], 1e-11, "momentum %d after %d steps", k, i);
        turned = fmax(turned, -w[1]);
        least = fmin(least, scene_energy(sim).total);
        most = fmax(most, scene_energy(sim).total);
        assert_true(cardan_sim_step(sim, (double)INFINITY) >= 0);
    }
    assert_true(turned > 1.9);                                              /* it did tumble */
    check_between(most - least, 0.0, 2e-3 * energy, "range of the energy"); /* of the order of (h w)^2 */
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rattle_keeps_the_energy_of_the_double_pendulum_while_rk4_loses_it),
        cmocka_unit_test(rattle_keeps_the_energy_of_a_chain_in_space),
        cmocka_unit_test(rattle_finds_its_way_back),
        cmocka_unit_test(verlet_keeps_the_momentum_of_a_tumbling_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
