/* Starts on the slow manifold: what rings after them in the reactions of the engine itself, what they cost, what steps
 * that stay there are worth, and what is refused. */
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

/* ---- models with other numbers, rigid, or without their slow start ---- */

typedef enum Kind { SLOW, ITERATED, PLAIN, RIGID } Kind;

static void cut(char *text, const char *from, const char *until) {
    for (char *at = strstr(text, from); at != NULL; at = strstr(at, from)) {
        char *end = strstr(at, until);
        assert_non_null(end);
        end += strlen(until);
        memmove(at, end, strlen(end) + 1);
    }
}

/* Into a text with room behind it. */
static void splice(char *at, const char *more) {
    memmove(at + strlen(more), at, strlen(at) + 1);
    memcpy(at, more, strlen(more));
}

static CardanModel *model_of(const char *path, Kind kind, double k, double c) {
    char *text = room(1, 20000), message[2048];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, 19999, file) < 19999);
    fclose(file);
    char *slow = strstr(text, "slow: all");
    assert_non_null(slow);
    if (kind == ITERATED) splice(slow + strlen("slow: all"), ", method: iterated");
    if (kind == PLAIN || kind == RIGID) memcpy(slow, "hold: [] ", strlen("slow: all"));
    if (kind == RIGID) cut(text, ", compliant: {", "}");
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    if (cardan_builder_read_text(text, strlen(text), path, &builder) < 0)
        fail_msg("%s", cardan_builder_message(builder));
    if (k > 0.0) MUST(cardan_builder_set_parameter(builder, "k", k));
    if (c > 0.0) MUST(cardan_builder_set_parameter(builder, "c", c));
    snprintf(message, sizeof message, "%s", cardan_builder_message(builder));
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    free(text);
    return model;
}

/* The rigid mechanism's start in the compliant one: no deflection, velocities that fit. */
static CardanSim *start_at_rest_length(const char *path, CardanModel *model, const CardanOptions *options) {
    CardanModel *rigid = model_of(path, RIGID, 0.0, 0.0);
    CardanSim *from = scene_start(rigid, NULL), *sim = scene_start(model, options);
    MUST(cardan_sim_set_motion(sim, 0.0, cardan_sim_positions(from), cardan_sim_velocities(from)));
    cardan_sim_destroy(from);
    cardan_model_release(rigid);
    return sim;
}

/* ---- ringing ---- */

enum { SAMPLES = 300, DEGREE = 7 };

/* Largest deviation from the polynomial of this degree that fits best. */
static double ringing(const double *y, int n) {
    static double basis[DEGREE + 1][SAMPLES], left[SAMPLES];
    memcpy(left, y, (size_t)n * sizeof *left);
    for (int d = 0; d <= DEGREE; d++) {
        for (int i = 0; i < n; i++) {
            double x = 2.0 * i / (n - 1) - 1.0;
            basis[d][i] = d == 0 ? 1.0 : x * basis[d - 1][i];
        }
        for (int twice = 0; twice < 2; twice++)
            for (int e = 0; e < d; e++) {
                double part = 0.0;
                for (int i = 0; i < n; i++) part += basis[e][i] * basis[d][i];
                for (int i = 0; i < n; i++) basis[d][i] -= part * basis[e][i];
            }
        double size = norm_of(basis[d], n), part = 0.0;
        for (int i = 0; i < n; i++) basis[d][i] /= size;
        for (int i = 0; i < n; i++) part += basis[d][i] * left[i];
        for (int i = 0; i < n; i++) left[i] -= part * basis[d][i];
    }
    return worst_of(left, n);
}

/* Of the reaction of a joint, all components, over `time`. */
static double ringing_of(CardanSim *sim, CardanModel *model, const char *joint, double time) {
    static double y[6][SAMPLES];
    CardanJoint handle = cardan_model_find_joint(model, joint);
    double worst = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        if (i > 0) MUST(cardan_sim_advance(sim, time * i / (SAMPLES - 1)));
        CardanWrench r = reaction_of(sim, handle);
        const double all[6] = {r.force.x, r.force.y, r.force.z, r.moment.x, r.moment.y, r.moment.z};
        for (int k = 0; k < 6; k++) y[k][i] = all[k];
    }
    for (int k = 0; k < 6; k++) worst = fmax(worst, ringing(y[k], SAMPLES));
    return worst;
}

/* Ringing after the slow start against that of the start without deflection. */
static double ringing_ratio(const char *path, double k, double c, const char *joint, double w_min, Kind without) {
    CardanOptions o = scene_tight(1e-10, 1e-14);
    double time = 4.0 * 2.0 * 3.14159265358979 / w_min; /* four of the slowest */
    CardanModel *slow = model_of(path, SLOW, k, c), *plain = model_of(path, PLAIN, k, c);
    CardanSim *a = scene_start(slow, &o),
              *b = without == RIGID ? start_at_rest_length(path, plain, &o) : scene_start(plain, &o);
    double after = ringing_of(a, slow, joint, time), before = ringing_of(b, plain, joint, time);
    print_message("%s k %g c %g: %s rings %.3g after the slow start, %.3g without\n", path, k, c, joint, after, before);
    cardan_sim_destroy(a);
    cardan_sim_destroy(b);
    cardan_model_release(slow);
    cardan_model_release(plain);
    return after / before;
}

static void reactions_hardly_ring_after_the_bounded_start(void **state) {
    (void)state;
    assert_true(ringing_ratio("models/stiff_slider_crank.yaml", 1e8, 0.0, "pin", 8593.0, RIGID) < 1e-4);
    assert_true(ringing_ratio("models/stiff_chain.yaml", 1e8, 0.0, "pin1", 3118.0, RIGID) < 1e-4);
}

static void springs_in_space_and_bushings_hardly_ring(void **state) {
    (void)state;
    assert_true(ringing_ratio("models/stiff_spatial_crank.yaml", 1e8, 0.0, "ball", 3721.0, RIGID) < 1e-4);
    assert_true(ringing_ratio("models/bushed_axle.yaml", 2e8, 0.0, "heave", 1760.0, PLAIN) < 1e-3);
}

static void damped_joints_start_without_their_transient(void **state) {
    (void)state;
    assert_true(ringing_ratio("models/stiff_slider_crank.yaml", 1e8, 1e3, "pin", 8593.0, RIGID) < 1e-4);
}

/* ---- what it costs ---- */

static CardanSlowReport report_of(const char *path, double k, CardanSlowMethod method, CardanSlowJoint *joints,
                                  int count) {
    char message[1024];
    CardanModel *model = model_of(path, SLOW, k, 0.0);
    CardanSlow wish = cardan_model_slow(model);
    CardanSlowReport report = {.joint = joints, .room = count, .extrapolate = joints != NULL};
    wish.method = method;
    if (cardan_model_slow_start(model, &wish, &report, message, sizeof message) < 0) fail_msg("%s", message);
    cardan_model_release(model);
    return report;
}

static void iterations_do_not_grow_with_stiffness(void **state) {
    (void)state;
    const char *const paths[] = {"models/stiff_slider_crank.yaml", "models/stiff_chain.yaml"};
    for (int p = 0; p < 2; p++) {
        int low = 100, high = 0;
        for (double k = 1e6; k < 2e12; k *= 10.0) {
            CardanSlowReport report = report_of(paths[p], k, CARDAN_SLOW_ITERATED, NULL, 0);
            if (report.iterations < low) low = report.iterations;
            if (report.iterations > high) high = report.iterations;
            check_near(report.frequency_max / report.frequency_min, p == 0 ? 2.459 : 10.77, 0.01, "ratio at k %g", k);
        }
        print_message("%s: %d to %d iterations from k 1e6 to 1e12\n", paths[p], low, high);
        assert_true(high - low <= 1 && high <= 5);
    }
}

static void the_bounded_start_takes_some_twenty_evaluations(void **state) {
    (void)state;
    for (double k = 1e6; k < 2e10; k *= 100.0) {
        CardanSlowReport report = report_of("models/stiff_slider_crank.yaml", k, CARDAN_SLOW_BOUNDED, NULL, 0);
        assert_true(report.evaluations <= 25 && report.ringing <= 1e-6 * report.multiplier);
    }
}

static void spring_forces_extrapolate_to_the_multipliers_of_rigid_joints(void **state) {
    (void)state;
    CardanSlowJoint joints[5];
    CardanSlowReport report = report_of("models/stiff_slider_crank.yaml", 1e6, CARDAN_SLOW_BOUNDED, joints, 5);
    assert_int_equal(report.joints, 2);
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < 2; r++) {
            double rigid = joints[i].multiplier[r];
            assert_true(fabs(joints[i].elastic[r] - rigid) > 5e-3); /* 1 / k is still there */
            check_near(joints[i].extrapolated[r], rigid, 1e-6 * report.multiplier, "%s row %d", joints[i].name, r);
        }
}

/* ---- steps on the slow manifold ---- */

/* Coordinates at `end` after steps on the slow manifold. */
static void step_slowly(const char *path, Kind kind, double k, double step, double end, double *q, int n) {
    CardanModel *model = model_of(path, kind, k, 0.0);
    CardanOptions o = cardan_default_options();
    o.stepper = CARDAN_STEPPER_SLOW_RK4;
    o.step = step;
    CardanSim *sim = scene_start(model, &o);
    scene_advance(sim, end);
    memcpy(q, cardan_sim_positions(sim), (size_t)n * sizeof *q);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

enum { COORDINATES = 9 }; /* of the slider-crank */

static double error_of_steps(const char *path, Kind kind, double k, double step, double end, const double *exact) {
    double q[COORDINATES], worst = 0.0;
    step_slowly(path, kind, k, step, end, q, COORDINATES);
    for (int i = 0; i < COORDINATES; i++) worst = fmax(worst, fabs(q[i] - exact[i]));
    return worst;
}

static void resolve(const char *path, double k, double end, double *q, int n) {
    CardanModel *model = model_of(path, SLOW, k, 0.0);
    CardanOptions o = scene_tight(1e-12, 1e-15);
    CardanSim *sim = scene_start(model, &o);
    scene_advance(sim, end);
    memcpy(q, cardan_sim_positions(sim), (size_t)n * sizeof *q);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void steps_on_the_slow_manifold_are_of_fourth_order(void **state) {
    (void)state;
    const char *path = "models/stiff_slider_crank.yaml";
    double q[COORDINATES], error[5];
    resolve(path, 1e8, 0.04, q, COORDINATES);
    for (int i = 0; i < 5; i++) error[i] = error_of_steps(path, SLOW, 1e8, 0.02 / (1 << i), 0.04, q);
    print_message("slow_rk4, k 1e8, H 0.02 ...: %.3g %.3g %.3g %.3g %.3g\n", error[0], error[1], error[2], error[3],
                  error[4]);
    for (int i = 1; i < 4; i++) check_between(log2(error[i - 1] / error[i]), 3.7, 4.6, "order of slow_rk4 in H");
    assert_true(error[4] < 1e-8);
}

/* No run resolves 1e12 N/m: against steps four times as short as the shortest. */
static void they_are_so_at_any_stiffness(void **state) {
    (void)state;
    const char *path = "models/stiff_slider_crank.yaml";
    for (double k = 1e10; k < 2e12 && (k < 2e10 || !SAMPLE_IS_PART); k *= 100.0) {
        double q[COORDINATES], error[4];
        step_slowly(path, SLOW, k, 0.02 / 32, 0.04, q, COORDINATES);
        for (int i = 0; i < 4; i++) error[i] = error_of_steps(path, SLOW, k, 0.02 / (1 << i), 0.04, q);
        for (int i = 1; i < 4; i++) check_between(log2(error[i - 1] / error[i]), 3.7, 4.4, "order of slow_rk4 in H");
        assert_true(error[3] < 5e-9);
    }
}

/* What is left when H falls: of `bounded` O(w^-4), of `iterated` O(w^-2), with w^2 proportional to k, and both the same
 * whatever H is. */
static void their_floors_follow_powers_of_the_frequency(void **state) {
    (void)state;
    if (SAMPLE_IS_PART) skip(); /* numbers of steps that the case before makes too */
    const char *path = "models/stiff_slider_crank.yaml";
    double q[COORDINATES], bounded[2], iterated[2];
    for (int i = 0; i < 2; i++) {
        double k = i == 0 ? 1e6 : 1e7;
        resolve(path, k, 0.04, q, COORDINATES);
        bounded[i] = error_of_steps(path, SLOW, k, 0.04 / 64, 0.04, q);
        check_between(error_of_steps(path, SLOW, k, 0.04 / 128, 0.04, q) / bounded[i], 0.9, 1.1, "bounded at half H");
    }
    for (int i = 0; i < 2; i++) {
        double k = i == 0 ? 1e6 : 1e8;
        step_slowly(path, SLOW, k, 0.04 / 64, 0.04, q, COORDINATES);
        iterated[i] = error_of_steps(path, ITERATED, k, 0.04 / 8, 0.04, q);
        check_between(error_of_steps(path, ITERATED, k, 0.04 / 16, 0.04, q) / iterated[i], 0.7, 1.4,
                      "iterated at half H");
    }
    print_message("floors: bounded %.2e at 1e6, %.2e at 1e7; iterated %.2e at 1e6, %.2e at 1e8\n", bounded[0],
                  bounded[1], iterated[0], iterated[1]);
    check_between(log10(bounded[0] / bounded[1]), 1.6, 2.2, "power of k, bounded");
    check_between(log10(iterated[0] / iterated[1]) / 2.0, 0.85, 1.15, "power of k, iterated");
}

static void the_state_goes_back_to_the_slow_manifold_every_so_often(void **state) {
    (void)state;
    const char text[] =
        "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  rod: {mass: 1, inertia: {rod: 1}, position: "
        "[0.5, 0]}\njoints:\n  pin: {type: revolute, bodies: [ground, rod], point: [0, 0], compliant: "
        "{stiffness: 1e6}}\nstart: {slow_every: 0.01}\nsimulation: {end: 0.1}\n";
    CardanBuilder *builder = NULL;
    MUST(cardan_builder_read_text(text, sizeof text - 1, "text", &builder));
    CardanModel *model = scene_compile(builder);
    CardanSim *sim = scene_start(model, NULL);
    MUST(cardan_sim_advance(sim, 0.0095));
    double *q = room(3, sizeof *q);
    memcpy(q, cardan_sim_positions(sim), 3 * sizeof *q);
    q[0] += 1e-5; /* 10 N of ringing */
    MUST(cardan_sim_set_motion(sim, 0.0095, q, cardan_sim_velocities(sim)));
    free(q);
    double before = fabs(reaction_of(sim, cardan_model_find_joint(model, "pin")).force.x);
    MUST(cardan_sim_advance(sim, 0.01));
    double after = fabs(reaction_of(sim, cardan_model_find_joint(model, "pin")).force.x);
    assert_true(before > 9.0 && after < 1.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- refusals ---- */

static const char FRAME[] = "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                            "  a: {mass: 1, inertia: {rod: 1}, position: [0.5, 0]}\n"
                            "  b: {mass: 1, inertia: {rod: 1}, position: [1.5, 0]}\njoints:\n"
                            "  pin: {type: revolute, bodies: [ground, a], point: [0, 0], compliant: %s}\n"
                            "  mid: {type: revolute, bodies: [a, b], point: [1, 0], compliant: %s}\n%s\n";

static void refused(const char *pin, const char *mid, const char *rest, CardanSlow wish, const char *expected) {
    char text[2048];
    snprintf(text, sizeof text, FRAME, pin, mid, rest);
    CardanBuilder *builder = NULL;
    MUST(cardan_builder_read_text(text, strlen(text), "text", &builder));
    CardanModel *model = scene_compile(builder);
    CardanSim *sim = scene_start(model, NULL);
    double before[12];
    memcpy(before, cardan_sim_positions(sim), 6 * sizeof *before);
    memcpy(before + 6, cardan_sim_velocities(sim), 6 * sizeof *before);
    CardanStatus status = cardan_sim_slow_start(sim, &wish, NULL);
    if (status >= 0) fail_msg("not refused: %s", expected);
    if (strstr(cardan_sim_message(sim), expected) == NULL)
        fail_msg("%s\nexpected %s", cardan_sim_message(sim), expected);
    assert_memory_equal(before, cardan_sim_positions(sim), 6 * sizeof *before);
    assert_memory_equal(before + 6, cardan_sim_velocities(sim), 6 * sizeof *before);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void what_cannot_be_slow_is_refused_by_name(void **state) {
    (void)state;
    static const char *const both[] = {"pin", "mid"}, *const other[] = {"pin", "nowhere"};
    CardanSlow iterated = cardan_default_slow(), bounded = cardan_default_slow(), named = cardan_default_slow();
    iterated.method = CARDAN_SLOW_ITERATED;
    named.names = both;
    named.count = 2;
    refused("{stiffness: 1e8, damping: 1e5}", "{stiffness: 1e8}", "", iterated, "damping ratio");
    refused("{stiffness: 1e10}", "{stiffness: 1e5}", "", iterated, "'mid'");
    refused("{stiffness: 1e10}", "{stiffness: 1e5}", "", iterated, "apart");
    refused("{stiffness: 1e8}", "{stiffness: 100}", "", named, "'mid' is not stiff enough");
    refused("{stiffness: 1}", "{stiffness: 1}", "", bounded, "not stiff enough");
    named.names = other;
    refused("{stiffness: 1e8}", "{stiffness: 1e8}", "", named, "'nowhere' is no compliant joint");
    const char *limit = "forces:\n  stop: {type: limit, joint: mid, range: [0.1, 1], stiffness: 100, damping: 1}\n";
    refused("{stiffness: 1e8}", "{stiffness: 1e8}", limit, bounded, "limit 'stop' acts");
    const char *contact =
        "forces:\n  floor: {type: contact, body: b, point: [0, 0], radius: 0.1, plane: {point: [0, -0.09], normal: "
        "[0, 1]}, stiffness: 1e4}\n";
    refused("{stiffness: 1e8}", "{stiffness: 1e8}", contact, iterated, "contact 'floor' acts");
}

static void all_leaves_out_joints_that_are_part_of_the_motion(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, FRAME, "{stiffness: 1e8}", "{stiffness: 100}", "");
    CardanBuilder *builder = NULL;
    MUST(cardan_builder_read_text(text, strlen(text), "text", &builder));
    CardanModel *model = scene_compile(builder);
    CardanSim *sim = scene_start(model, NULL);
    CardanSlowJoint joint;
    CardanSlowReport report = {.joint = &joint, .room = 1};
    MUST(cardan_sim_slow_start(sim, NULL, &report));
    assert_int_equal(report.joints, 1);
    assert_string_equal(joint.name, "pin");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void copies_go_on_with_the_same_bits_on_the_slow_manifold(void **state) {
    (void)state;
    CardanModel *model = model_of("models/stiff_slider_crank.yaml", SLOW, 1e8, 0.0);
    CardanOptions o = cardan_default_options();
    o.stepper = CARDAN_STEPPER_SLOW_RK4;
    o.step = 0.005;
    CardanSim *sim = scene_start(model, &o), *copy = NULL;
    scene_advance(sim, 0.01);
    MUST(cardan_sim_clone(sim, &copy));
    scene_advance(sim, 0.02);
    scene_advance(copy, 0.02);
    assert_memory_equal(cardan_sim_positions(sim), cardan_sim_positions(copy), 9 * sizeof(double));
    cardan_sim_destroy(sim);
    cardan_sim_destroy(copy);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reactions_hardly_ring_after_the_bounded_start),
        cmocka_unit_test(springs_in_space_and_bushings_hardly_ring),
        cmocka_unit_test(damped_joints_start_without_their_transient),
        cmocka_unit_test(iterations_do_not_grow_with_stiffness),
        cmocka_unit_test(the_bounded_start_takes_some_twenty_evaluations),
        cmocka_unit_test(spring_forces_extrapolate_to_the_multipliers_of_rigid_joints),
        cmocka_unit_test(steps_on_the_slow_manifold_are_of_fourth_order),
        cmocka_unit_test(they_are_so_at_any_stiffness),
        cmocka_unit_test(their_floors_follow_powers_of_the_frequency),
        cmocka_unit_test(the_state_goes_back_to_the_slow_manifold_every_so_often),
        cmocka_unit_test(what_cannot_be_slow_is_refused_by_name),
        cmocka_unit_test(all_leaves_out_joints_that_are_part_of_the_motion),
        cmocka_unit_test(copies_go_on_with_the_same_bits_on_the_slow_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
