/* Mechanisms and their copies in other units of length, mass and time. */
#include "property/small_mechanism.h"
#include "support/check.h"
#include "support/sample.h"
#include "support/scaled.h"
#include "support/scene.h"

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
    CardanOptions options = cardan_model_options(model);
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* whose tolerances are scaled, too */
    if (cardan_sim_create(model, &options, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
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
        for (int s = 0; s < SCALING_COUNT; s++)
            if (sample_has(m + s, SCALING_COUNT)) compare(MODELS[m], &SCALINGS[s]);
}

/* ---- default tolerances ---- */

/* A ten-thousandth of the relative tolerance: where nothing is left of an error, factors say nothing. */
static const double FAR_BELOW = 1e-10;

/* Largest error at the end of a run against an exact one, lengths in sizes of the mechanism, speeds likewise. */
static double error_of(const CardanSim *sim, const Scaling *scaling, const CardanSim *exact) {
    const CrdStructure *structure = sim->model->structure;
    int n = structure->nq + structure->nv;
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(scaled_back(sim, scaling, i) - exact->integrator.stepper.y[i]));
    return worst;
}

static CardanSim *run_to(const CardanModel *model, double rtol, double end) {
    CardanOptions options = cardan_default_options();
    if (rtol > 0.0) options.rtol = rtol, options.atol = 0.1 * rtol;
    CardanSim *sim = NULL;
    if (cardan_sim_create(model, &options, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
    if (cardan_sim_advance(sim, end) < 0) fail_msg("%s", cardan_sim_message(sim));
    return sim;
}

/* With a tenth of the file's time, so that chaos has no part in it. */
static void small_copies_have_the_relative_errors_of_the_mechanism_by_default(void **state) {
    (void)state;
    static const Scaling SMALL[] = {{1e-3, 1.0, 1.0}, {1e-3, 1e-9, 1.0}, {1e-5, 1e-15, 1.0}};
    const Scaling one = {1.0, 1.0, 1.0};
    for (int m = 0; m < MODEL_COUNT; m++) {
        if (!sample_has(m, 5)) continue;
        CardanModel *model = scaled_model(MODELS[m], &one);
        double end = 0.1 * cardan_model_options(model).end;
        CardanSim *exact = run_to(model, 1e-12, end), *itself = run_to(model, 0.0, end);
        double error = error_of(itself, &one, exact);
        for (size_t s = 0; s < sizeof SMALL / sizeof *SMALL; s++) {
            CardanModel *other = scaled_model(MODELS[m], &SMALL[s]);
            CardanSim *copy = run_to(other, 0.0, end);
            double scaled = error_of(copy, &SMALL[s], exact);
            if (!(scaled <= 3.0 * error + FAR_BELOW))
                fail_msg("%s at %g, %g: error %.3g, that of the mechanism %.3g", MODELS[m], SMALL[s].length,
                         SMALL[s].mass, scaled, error);
            cardan_sim_destroy(copy);
            cardan_model_release(other);
        }
        cardan_sim_destroy(exact);
        cardan_sim_destroy(itself);
        cardan_model_release(model);
    }
}

/* ---- where it stands ---- */

static CardanModel *moved_model(const char *file, double x, double y) {
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    if (cardan_builder_read_file(file, &builder) < 0) fail_msg("%s", cardan_builder_message(builder));
    CrdDescription *d = builder->description;
    for (int i = 0; i < d->body_count; i++) d->bodies[i].position[0] += x, d->bodies[i].position[1] += y;
    for (int i = 0; i < d->joint_count; i++) {
        CrdJointNumbers *numbers = (CrdJointNumbers *)(void *)&d->joints[i].numbers;
        numbers->point[0] += x, numbers->point[1] += y;
    }
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return model;
}

static void the_size_of_a_mechanism_does_not_depend_on_where_it_stands(void **state) {
    (void)state;
    static const char *const FILES[] = {"models/double_pendulum.yaml", "models/watt_six_bar.yaml",
                                        "models/bennett.yaml"};
    for (int i = 0; i < 3; i++) {
        CardanModel *here = moved_model(FILES[i], 0.0, 0.0), *there = moved_model(FILES[i], 1024.0, -512.0);
        check_near(there->values.size, here->values.size, 1e-12 * there->values.far, "size of %s", FILES[i]);
        assert_true(there->values.far > 1000.0 && here->values.far < 100.0);
        cardan_model_release(here);
        cardan_model_release(there);
    }
}

static void a_centimetre_mechanism_runs_at_a_tolerance_near_rounding(void **state) {
    (void)state;
    CardanModel *model = scene_read(SMALL_MECHANISM);
    CardanOptions options = scene_tight(1e-12, 1e-15);
    CardanSim *sim = scene_run(model, &options);
    scene_advance(sim, 0.03);
    assert_in_range(sim->integrator.statistics.steps, 10, 20);
    cardan_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_other_units_make_the_same_steps_with_the_same_bits),
        cmocka_unit_test(small_copies_have_the_relative_errors_of_the_mechanism_by_default),
        cmocka_unit_test(the_size_of_a_mechanism_does_not_depend_on_where_it_stands),
        cmocka_unit_test(a_centimetre_mechanism_runs_at_a_tolerance_near_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
