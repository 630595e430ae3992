/* Mechanisms and their copies in other units of length, mass and time. */
#include "support/check.h"
#include "support/scaled.h"

/* Planar and spatial, driven and free, redundant rows, closed and open chains, springs, motors, ropes, gears, rolling,
 * a curve, couplers that mix lengths and angles. Left out are laws with powers that are no whole numbers (contacts,
 * tyres: pow() of a scaled number is not always the scaled power) and singular poses on the way. */
static const char *const MODELS[] = {
    "models/four_bar.yaml",
    "models/slider_crank.yaml",
    "models/double_pendulum.yaml",
    "models/andrews.yaml",
    "models/heavy_top.yaml",
    "models/spatial_slider_crank.yaml",
    "models/rssr.yaml",
    "models/bennett.yaml",
    "models/jansen_leg.yaml",
    "models/planetary.yaml",
    "models/screw.yaml",
    "models/cam.yaml",
    "models/rolling_disc.yaml",
    "models/scotch_yoke.yaml",
    "models/delta_robot.yaml",
    "models/oldham.yaml",
    "models/crank_rocker.yaml",
    "models/bead_on_helix.yaml",
    "models/universal_shaft.yaml",
    "models/watt_six_bar.yaml",
};

enum { MODEL_COUNT = sizeof MODELS / sizeof *MODELS };

/* About 1 mm, 10 um, 1 km; grams and tonnes; milliseconds and hours. */
static const Scaling SCALINGS[] = {{0x1p-10, 1.0, 1.0},      {0x1p-16, 0x1p-30, 1.0}, {0x1p10, 0x1p10, 1.0},
                                   {1.0, 0x1p-10, 1.0},      {1.0, 1.0, 0x1p-10},     {0x1p-16, 0x1p-20, 0x1p-12},
                                   {0x1p10, 0x1p-10, 0x1p12}};

enum { SCALING_COUNT = sizeof SCALINGS / sizeof *SCALINGS };

static CardanSim *started(const CardanModel *model) {
    CardanSim *sim = NULL;
    if (cardan_sim_create(model, NULL, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
    return sim;
}

static void step(CardanSim *sim, double end, const char *file) {
    if (cardan_sim_step(sim, end) < 0) fail_msg("%s: %s", file, cardan_sim_message(sim));
}

static void assert_same(const CardanSim *itself, const CardanSim *copy, const Scaling *scaling, const char *file) {
    const CrdStepper *stepper = &itself->integrator.stepper;
    for (int i = 0; i < stepper->n; i++) {
        double a = stepper->y[i], b = scaled_back(copy, scaling, i);
        if (a != b)
            fail_msg("%s at %g, %g, %g: number %d of the state after step %ld, t = %.9g: %.17g, scaled %.17g", file,
                     scaling->length, scaling->mass, scaling->time, i, itself->integrator.statistics.steps, stepper->t,
                     a, b);
    }
    if (cardan_sim_time(itself) != cardan_sim_time(copy) / scaling->time)
        fail_msg("%s at %g, %g, %g: step %ld ends at %.17g, scaled %.17g", file, scaling->length, scaling->mass,
                 scaling->time, itself->integrator.statistics.steps, cardan_sim_time(itself),
                 cardan_sim_time(copy) / scaling->time);
}

static void compare(const char *file, const Scaling *scaling) {
    CardanModel *model = scaled_model(file, &(Scaling){1.0, 1.0, 1.0}), *other = scaled_model(file, scaling);
    CardanSim *itself = started(model), *copy = started(other);
    double end = cardan_model_options(model).end;
    scale_tolerances(copy, itself, scaling);
    assert_same(itself, copy, scaling, file);
    while (cardan_sim_time(itself) < end) {
        step(itself, end, file);
        step(copy, end * scaling->time, file);
        assert_same(itself, copy, scaling, file);
    }
    cardan_sim_destroy(itself);
    cardan_sim_destroy(copy);
    cardan_model_release(model);
    cardan_model_release(other);
}

static void copies_in_other_units_make_the_same_steps_with_the_same_bits(void **state) {
    (void)state;
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int s = 0; s < SCALING_COUNT; s++) compare(MODELS[m], &SCALINGS[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_other_units_make_the_same_steps_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
