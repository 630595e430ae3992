/* Models and simulations for the tests of the public simulation object. What cannot be made fails the test with the
 * library's own sentence. */
#ifndef TESTS_UNIT_SIM_FIXTURE_H
#define TESTS_UNIT_SIM_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mechanisms.h"

/* Steppers that go on with any model here: all but the one for models without joints. */
static inline bool keeps_joints(int stepper) {
    return stepper != CARDAN_STEPPER_VERLET && stepper != CARDAN_STEPPER_SLOW_RK4;
}

enum { STATE_MOST = 4096 }; /* numbers in the state of any model here */

/* Compiles and destroys the builder. */
static inline CardanModel *model_of(CardanBuilder *builder) {
    CardanModel *model = NULL;
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return model;
}

static inline CardanModel *model_of_text(const char *text) {
    CardanBuilder *builder = NULL;
    if (cardan_builder_read_text(text, strlen(text), "text", &builder) < 0)
        fail_msg("%s", cardan_builder_message(builder));
    return model_of(builder);
}

static inline CardanSim *sim_of(const CardanModel *model, const CardanOptions *options) {
    CardanSim *sim = NULL;
    if (cardan_sim_create(model, options, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
    return sim;
}

/* Retains nothing but through the simulation: the model goes with it. */
static inline CardanSim *sim_alone(CardanModel *model, const CardanOptions *options) {
    CardanSim *sim = sim_of(model, options);
    cardan_model_release(model);
    return sim;
}

static inline void advance(CardanSim *sim, double t) {
    CardanStatus status = cardan_sim_advance(sim, t);
    if (status < 0) fail_msg("advance to %g: status %d, %s", t, (int)status, cardan_sim_message(sim));
}

static inline CardanOptions tight_options(void) {
    CardanOptions o = cardan_default_options();
    o.rtol = 1e-11;
    o.atol = 1e-12;
    return o;
}

static inline CardanOptions fixed_options(CardanStepper stepper, double step) {
    CardanOptions o = cardan_default_options();
    o.stepper = stepper;
    o.step = step;
    return o;
}

/* ---- comparing ---- */

/* The whole state; numbers beyond its end are zero. */
typedef struct Snapshot {
    int size;
    double state[STATE_MOST];
} Snapshot;

static inline Snapshot snapshot_of(CardanSim *sim) {
    Snapshot shot = {.size = cardan_sim_state_size(sim)};
    assert_in_range(shot.size, 1, STATE_MOST);
    assert_int_equal(cardan_sim_get_state(sim, shot.state), CARDAN_OK);
    return shot;
}

static inline bool same_bits(const Snapshot *a, const Snapshot *b) {
    return a->size == b->size && memcmp(a->state, b->state, (size_t)a->size * sizeof *a->state) == 0;
}

static inline void assert_same_bits(CardanSim *a, CardanSim *b) {
    Snapshot sa = snapshot_of(a), sb = snapshot_of(b);
    assert_int_equal(sa.size, sb.size);
    for (int i = 0; i < sa.size; i++)
        if (memcmp(&sa.state[i], &sb.state[i], sizeof *sa.state) != 0)
            fail_msg("number %d of the state: %.17g and %.17g", i, sa.state[i], sb.state[i]);
}

static inline void assert_unchanged(const Snapshot *before, CardanSim *sim) {
    Snapshot now = snapshot_of(sim);
    assert_int_equal(now.size, before->size);
    for (int i = 0; i < now.size; i++)
        if (memcmp(&now.state[i], &before->state[i], sizeof *now.state) != 0)
            fail_msg("number %d of the state: %.17g, was %.17g", i, now.state[i], before->state[i]);
}

static inline void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g and %.17g differ by more than %g", a, b, tolerance);
}

/* Positions and velocities; models of the same sizes. */
static inline double largest_difference(const CardanModel *model, const CardanSim *a, const CardanSim *b) {
    CardanSizes sizes = cardan_model_sizes(model);
    double most = 0.0;
    for (int i = 0; i < sizes.coordinates; i++)
        most = fmax(most, fabs(cardan_sim_positions(a)[i] - cardan_sim_positions(b)[i]));
    for (int i = 0; i < sizes.velocities; i++)
        most = fmax(most, fabs(cardan_sim_velocities(a)[i] - cardan_sim_velocities(b)[i]));
    return most;
}

#endif
