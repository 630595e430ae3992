/* Steps in relative coordinates: the same motion, passages, events and sentences as in absolute ones, and the same
 * bits when a state is put back or cloned. */
#include "project/tolerance.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

#include <dirent.h>

static const double RUN = 1.0; /* s */

static CardanOptions in(CardanOptions options, CardanCoordinates coordinates) {
    options.coordinates = coordinates;
    return options;
}

/* Largest difference of positions of bodies, in sizes of the mechanism as the test takes it: 1 m and what is moved. */
static double apart(CardanSim *a, CardanSim *b, const CardanModel *model) {
    double most = 0.0;
    for (int i = 1; i <= cardan_model_sizes(model).bodies; i++) {
        CardanBodyState x, y;
        MUST(cardan_sim_body(a, (CardanBody){i}, &x));
        MUST(cardan_sim_body(b, (CardanBody){i}, &y));
        most = fmax(most, fabs(x.position.x - y.position.x));
        most = fmax(most, fabs(x.position.y - y.position.y));
        most = fmax(most, fabs(x.position.z - y.position.z));
        most = fmax(most, fabs(x.angle - y.angle));
        double dot = x.quaternion.w * y.quaternion.w + x.quaternion.x * y.quaternion.x +
                     x.quaternion.y * y.quaternion.y + x.quaternion.z * y.quaternion.z;
        if (cardan_model_space(model) == CARDAN_SPACE_SPATIAL) most = fmax(most, fabs(1.0 - fabs(dot)));
    }
    return most;
}

enum { EVENTS = 512 }; /* that are kept */

static bool is_yaml(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

/* Events of the motion: that steps are held by stability is one of the steps, which differ. */
static int events_of(const CardanSim *sim, const CardanEvent **out) {
    const CardanEvent *all;
    int count = cardan_sim_events(sim, &all, NULL), kept = 0;
    for (int i = 0; i < count; i++)
        if (all[i].kind != CARDAN_EVENT_STIFF) out[kept++] = &all[i];
    return kept;
}

/* Both runs of one model; returns whether there was a second. */
static bool compare(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "models/%s", name);
    CardanModel *model = scene_load(path);
    CardanOptions options = cardan_model_options(model);
    options.rtol = 1e-8;
    options.atol = 1e-9;
    double end = options.end > 0.0 ? fmin(options.end, RUN) : RUN;
    CardanOptions absolute = in(options, CARDAN_COORDINATES_ABSOLUTE), other = in(options, CARDAN_COORDINATES_RELATIVE);
    CardanSim *a = scene_start(model, &absolute), *b = NULL;
    bool relative = cardan_sim_create(model, &other, &b) >= 0;
    if (!relative) assert_true(strlen(cardan_sim_message(b)) > 20);
    assert_int_equal(cardan_sim_coordinates(a), CARDAN_COORDINATES_ABSOLUTE);
    if (relative) {
        if (cardan_sim_advance(a, end) < 0) fail_msg("%s, absolute: %s", name, cardan_sim_message(a));
        if (cardan_sim_advance(b, end) < 0) fail_msg("%s, relative: %s", name, cardan_sim_message(b));
        check_near(apart(a, b, model), 0.0, 1e-5, "%s: positions", name);
        const CardanEvent *ea[EVENTS], *eb[EVENTS];
        int na = events_of(a, ea), nb = events_of(b, eb);
        if (na != nb) fail_msg("%s: %d events, in relative coordinates %d", name, na, nb);
        for (int i = 0; i < na; i++) {
            assert_int_equal(ea[i]->kind, eb[i]->kind);
            check_near(eb[i]->t, ea[i]->t, 1e-6, "%s: time of event %d", name, i);
        }
    }
    cardan_sim_destroy(a);
    cardan_sim_destroy(b);
    cardan_model_release(model);
    return relative;
}

static void every_model_moves_as_in_absolute_coordinates(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    assert_non_null(folder);
    int relative = 0, all = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!is_yaml(entry->d_name) || !sample_has_name(entry->d_name, 3)) continue;
        all++;
        relative += compare(entry->d_name);
    }
    closedir(folder);
    print_message("%d of %d models are stepped in relative coordinates\n", relative, all);
    assert_true(relative > all * 3 / 4);
}

/* ---- state in and out ---- */

static const char *const KEPT[] = {"models/double_pendulum.yaml", "models/bricard.yaml", "models/slider_crank.yaml",
                                   "models/four_bar.yaml", "models/triple_pendulum.yaml"};

static void same_numbers(CardanSim *a, CardanSim *b, const char *what) {
    int n = cardan_sim_state_size(a);
    assert_int_equal(cardan_sim_state_size(b), n);
    double *x = room((size_t)n, sizeof *x), *y = room((size_t)n, sizeof *y);
    MUST(cardan_sim_get_state(a, x));
    MUST(cardan_sim_get_state(b, y));
    for (int i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0)
            fail_msg("%s: number %d of the state is %.17g and %.17g", what, i, x[i], y[i]);
    free(x);
    free(y);
}

static void a_state_put_back_goes_on_with_the_same_bits(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof KEPT / sizeof *KEPT; k++) {
        CardanModel *model = scene_load(KEPT[k]);
        CardanOptions options = in(cardan_model_options(model), CARDAN_COORDINATES_RELATIVE);
        CardanSim *whole = scene_start(model, &options), *other = scene_start(model, &options), *copy = NULL;
        for (int i = 0; i < 15; i++) MUST(cardan_sim_step(whole, 100.0));
        int n = cardan_sim_state_size(whole);
        double *kept = room((size_t)n, sizeof *kept);
        MUST(cardan_sim_get_state(whole, kept));
        MUST(cardan_sim_set_state(other, kept));
        MUST(cardan_sim_clone(whole, &copy));
        for (int i = 0; i < 40; i++) {
            CardanWrench wrench;
            MUST(cardan_sim_step(whole, 100.0));
            MUST(cardan_sim_step(other, 100.0));
            MUST(cardan_sim_step(copy, 100.0));
            MUST(cardan_sim_reaction(copy, (CardanJoint){1}, &wrench)); /* reading changes nothing */
        }
        same_numbers(whole, other, KEPT[k]);
        same_numbers(whole, copy, KEPT[k]);
        free(kept);
        cardan_sim_destroy(whole);
        cardan_sim_destroy(other);
        cardan_sim_destroy(copy);
        cardan_model_release(model);
    }
}

/* ---- from one kind of coordinates to the other, next to a pose ---- */

static long factorisations(CardanSim *sim) {
    CardanWork work;
    MUST(cardan_sim_work(sim, &work));
    return work.factorisations;
}

/* Factorisations of the costliest step of a run beyond the first pose. An integration on both sides of a pose takes 2
 * (32 + 16) substeps of four; a step next to one with all that is asked there some 100. */
static long costliest_step(CardanSim *sim, double end, bool *handed_over) {
    long most = 0;
    while (cardan_sim_time(sim) < end) {
        bool led = sim->relative.leads;
        long before = factorisations(sim);
        MUST(cardan_sim_step(sim, end));
        long made = factorisations(sim) - before;
        if (made > most) most = made;
        if (led && !sim->relative.leads) *handed_over = true;
    }
    return most;
}

/* The branch watch of absolute steps is told of the relative ones right before: cubics through two states on each side
 * of the pose suffice. */
static void a_passage_after_a_hand_over_is_judged_without_integration(void **state) {
    (void)state;
    const double met = 0.985917653, end = 1.3; /* s; as the file says */
    CardanModel *model = scene_load("models/equal_slider_crank.yaml");
    for (int i = 0; i < 12; i++) {
        CardanOptions options = cardan_model_options(model);
        options.rtol = pow(10.0, -8.0 - 0.1 * i);
        options.atol = 1e-2 * options.rtol;
        CardanSim *sim = scene_start(model, &options);
        const CardanEvent *events;
        bool handed_over = false;
        long most = costliest_step(sim, end, &handed_over);
        assert_true(handed_over);
        if (most > 2 * (32 + 16) * 4) fail_msg("rtol %.3g: a step of %ld factorisations", options.rtol, most);
        assert_int_equal(cardan_sim_events(sim, &events, NULL), 1);
        assert_int_equal(events[0].branch, CARDAN_BRANCH_KEPT);
        assert_true(fabs(events[0].t - met) < 1e-7);
        cardan_sim_destroy(sim);
    }
    cardan_model_release(model);
}

/* Wherever a run is saved or cloned before the pose, it comes to it in the same bits, and judges it alike. */
static void a_run_put_back_before_a_hand_over_goes_on_with_the_same_bits(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/equal_slider_crank.yaml");
    CardanOptions options = cardan_model_options(model);
    CardanSim *whole = scene_start(model, &options), *rest = NULL;
    double *kept = room((size_t)cardan_sim_state_size(whole), sizeof *kept);
    MUST(cardan_sim_clone(whole, &rest));
    MUST(cardan_sim_advance(rest, 1.3));
    for (int i = 0; cardan_sim_time(whole) < 0.98; i++) {
        CardanSim *put = scene_start(model, &options), *copy = NULL;
        MUST(cardan_sim_get_state(whole, kept));
        MUST(cardan_sim_set_state(put, kept));
        MUST(cardan_sim_clone(whole, &copy));
        MUST(cardan_sim_advance(put, 1.3));
        MUST(cardan_sim_advance(copy, 1.3));
        same_numbers(rest, put, "put back");
        same_numbers(rest, copy, "cloned");
        cardan_sim_destroy(put);
        cardan_sim_destroy(copy);
        MUST(cardan_sim_step(whole, 1.3));
    }
    free(kept);
    cardan_sim_destroy(whole);
    cardan_sim_destroy(rest);
    cardan_model_release(model);
}

/* What is set from outside acts in both alike: a wrench, another motion, another parameter. */
static void act(CardanSim *sim, const CardanModel *model, int what, double *room_for) {
    CardanSizes sizes = cardan_model_sizes(model);
    if (what == 0) MUST(cardan_sim_apply_wrench(sim, (CardanBody){1}, (CardanWrench){.force = {3.0, -2.0, 0.0}}));
    if (what == 1) {
        memcpy(room_for, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *room_for);
        double *v = room_for + sizes.coordinates;
        memcpy(v, cardan_sim_velocities(sim), (size_t)sizes.velocities * sizeof *v);
        for (int i = 0; i < sizes.velocities; i++) v[i] *= 0.5; /* halved they meet all joints still */
        MUST(cardan_sim_set_motion(sim, cardan_sim_time(sim), room_for, v));
    }
}

static void what_acts_from_outside_acts_alike(void **state) {
    (void)state;
    for (int what = 0; what < 2; what++)
        for (size_t k = 0; k < sizeof KEPT / sizeof *KEPT; k++) {
            CardanModel *model = scene_load(KEPT[k]);
            CardanOptions options = cardan_model_options(model);
            options.rtol = 1e-9;
            options.atol = 1e-11;
            CardanOptions one = in(options, CARDAN_COORDINATES_ABSOLUTE),
                          two = in(options, CARDAN_COORDINATES_RELATIVE);
            CardanSim *a = scene_start(model, &one), *b = scene_start(model, &two);
            double room_for[1024];
            assert_true(cardan_model_sizes(model).coordinates + cardan_model_sizes(model).velocities <= 1024);
            for (int i = 1; i <= 4; i++) {
                act(a, model, what, room_for);
                act(b, model, what, room_for);
                MUST(cardan_sim_advance(a, 0.05 * i));
                MUST(cardan_sim_advance(b, 0.05 * i));
            }
            check_near(apart(a, b, model), 0.0, 1e-7, "%s, %d: positions", KEPT[k], what);
            cardan_sim_destroy(a);
            cardan_sim_destroy(b);
            cardan_model_release(model);
        }
}

/* ---- refusals ---- */

static void refused(CardanOptions options, const char *path, const char *part) {
    CardanModel *model = scene_load(path);
    CardanSim *sim = NULL;
    options.coordinates = CARDAN_COORDINATES_RELATIVE;
    assert_true(cardan_sim_create(model, &options, &sim) < 0);
    if (strstr(cardan_sim_message(sim), part) == NULL) fail_msg("%s: '%s'", path, cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void what_relative_coordinates_have_no_part_in_is_refused_by_name(void **state) {
    (void)state;
    CardanOptions options = cardan_default_options();
    options.stepper = CARDAN_STEPPER_GAUSS;
    options.step = 0.01;
    refused(options, "models/four_bar.yaml", "'stepper'");
    options = cardan_default_options();
    options.stabilise.method = CARDAN_STABILISE_BAUMGARTE;
    refused(options, "models/four_bar.yaml", "'stabilise.method'");
    options = cardan_default_options();
    options.solver = CARDAN_SOLVER_CHOLMOD;
    refused(options, "models/four_bar.yaml", "'solver'");
}

/* ---- which steps are whose ---- */

/* Reads a row in the middle of the last step. */
static void look_inside(CardanSim *sim, const CardanModel *model) {
    CardanChannel channel[2];
    double values[7], t = cardan_sim_time(sim) - 0.5 * cardan_sim_last_step(sim);
    MUST(cardan_model_find_channel(model, "j1.angle", &channel[0], NULL, 0));
    MUST(cardan_model_find_channel(model, "j1.reaction", &channel[1], NULL, 0));
    MUST(cardan_sim_sample(sim, t, 2, channel, values));
}

/* Bennett's and Bricard's linkages meet no pose, though redundant rows become poor and loop rows shrink to a quarter.
 * Every step can be looked into, which changes nothing. */
static void linkages_without_poses_stay_in_relative_coordinates(void **state) {
    (void)state;
    static const char *const FREE[] = {"models/bennett.yaml", "models/bricard.yaml"};
    for (size_t k = 0; k < sizeof FREE / sizeof *FREE; k++) {
        CardanModel *model = scene_load(FREE[k]);
        CardanOptions options = cardan_model_options(model);
        CardanSim *sim = scene_start(model, &options), *unseen = scene_start(model, &options);
        int steps = 0, relative = 0;
        for (; cardan_sim_time(sim) < options.end; steps++) {
            MUST(cardan_sim_step(sim, options.end));
            MUST(cardan_sim_step(unseen, options.end));
            relative += sim->relative.made;
            look_inside(sim, model);
        }
        if (relative < steps) fail_msg("%s: %d of %d steps are relative", FREE[k], relative, steps);
        same_numbers(sim, unseen, FREE[k]);
        cardan_sim_destroy(sim);
        cardan_sim_destroy(unseen);
        cardan_model_release(model);
    }
}

/* ---- what a tolerance means ---- */

/* Largest difference of two absolute states in units of the tolerance, at the speed v. */
static double tolerances_apart(const CardanSim *sim, const double *x, const double *y, const double *v) {
    const CrdStructure *structure = sim->model->structure;
    int n = structure->nq + structure->nv;
    double *allowed = room((size_t)sim->integrator.stepper.n, sizeof *allowed), most = 0.0;
    CrdTolerance one = sim->integrator.stabiliser.tolerance;
    CrdAllowed place = crd_tolerated_positions(&one, sim->model, 1.0),
               rate = crd_tolerated_rates(&one, sim->model, v, 1.0);
    one.length = place.length;
    one.angle = place.angle;
    one.speed = rate.length;
    one.spin = rate.angle;
    crd_tolerance_spread(&one, structure, allowed);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]) / allowed[i]);
    free(allowed);
    return most;
}

/* The error of the step that sim makes next, against absolute ones a thousand times as fine from the same state. */
static double error_of_step(CardanSim *sim, CardanSim *fine) {
    const CrdStepper *stepper = &sim->integrator.stepper;
    CardanSim *before = NULL;
    assert_int_equal(cardan_sim_clone(sim, &before), CARDAN_OK);
    MUST(cardan_sim_set_motion(fine, cardan_sim_time(sim), cardan_sim_positions(sim), cardan_sim_velocities(sim)));
    MUST(cardan_sim_step(sim, (double)INFINITY));
    MUST(cardan_sim_advance(fine, cardan_sim_time(sim)));
    const double *old = cardan_sim_velocities(before), *new = cardan_sim_velocities(sim);
    const double *v = crd_reach(sim->model, old) > crd_reach(sim->model, new) ? old : new;
    double error = tolerances_apart(sim, stepper->y, fine->integrator.stepper.y, v);
    cardan_sim_destroy(before);
    return error;
}

/* The error test sees coordinates of joints; loop rows and long arms lie between them and bodies. */
static void a_relative_step_misses_no_body_by_a_tolerance(void **state) {
    (void)state;
    static const char *const LOOPS[] = {"models/bennett.yaml",      "models/bricard.yaml",
                                        "models/crank_rocker.yaml", "models/double_wishbone.yaml",
                                        "models/four_bar.yaml",     "models/rssr.yaml"};
    for (size_t k = 0; k < sizeof LOOPS / sizeof *LOOPS; k++) {
        CardanModel *model = scene_load(LOOPS[k]);
        CardanOptions options = cardan_model_options(model);
        options.rtol = 1e-8;
        options.atol = 1e-10;
        CardanOptions tight = in(options, CARDAN_COORDINATES_ABSOLUTE);
        tight.rtol = 1e-11;
        tight.atol = 1e-13;
        CardanSim *sim = scene_start(model, &options), *fine = scene_start(model, &tight);
        for (int i = 0; i < 25; i++) {
            double error = error_of_step(sim, fine);
            assert_true(sim->relative.made);
            if (!(error <= 1.0)) fail_msg("%s, step %d: off by %.3g tolerances", LOOPS[k], i, error);
        }
        cardan_sim_destroy(sim);
        cardan_sim_destroy(fine);
        cardan_model_release(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_moves_as_in_absolute_coordinates),
        cmocka_unit_test(a_state_put_back_goes_on_with_the_same_bits),
        cmocka_unit_test(a_passage_after_a_hand_over_is_judged_without_integration),
        cmocka_unit_test(a_run_put_back_before_a_hand_over_goes_on_with_the_same_bits),
        cmocka_unit_test(a_relative_step_misses_no_body_by_a_tolerance),
        cmocka_unit_test(linkages_without_poses_stay_in_relative_coordinates),
        cmocka_unit_test(what_acts_from_outside_acts_alike),
        cmocka_unit_test(what_relative_coordinates_have_no_part_in_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
