/* Loops that close by special dimensions, with one error of data or with errors in all of them: they move as the
 * perfect ones do, joints open by no more than the errors, and what is locked or cannot be right is refused by name. */
#include "cardan/lab.h"
#include "pathology/hinges.h"
#include "pathology/imperfect_texts.h"
#include "pathology/passage_fixture.h"
#include "support/random.h"

enum { DECADES = 11, SAMPLES = 4 };

/* What motions at tight tolerances differ by when nothing else is different: 1e-9 over some tens of steps, through a
 * singular pose. */
#define SAME_MOTION 1e-6

typedef struct Family {
    const char *name, *text;
    const char *joint[2]; /* whose coordinates are compared */
    double end;           /* s */
} Family;

static const Family FAMILIES[] = {
    {"tilted four-bar", TILTED_FOUR_BAR, {"main", "pivot"}, 1.2},
    {"out of plane", OUT_OF_PLANE, {"main", "pivot"}, 1.2},
    {"parallelogram", PARALLELOGRAM, {"A", "C"}, 1.2},
    {"door", DOOR, {"low", "low"}, 1.2},
    {"Bennett", BENNETT, {"j1", "j2"}, 1.2},
    {"Sarrus", SARRUS, {"base1", "knee1"}, 0.3},
    {"double shaft", DOUBLE_SHAFT, {"front", "back"}, 1.2},
    {"shaft", SHAFT, {"front", "back"}, 1.2},
    {"driven shaft", DRIVEN_SHAFT, {"front", "back"}, 1.2},
};
enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

typedef struct Motion {
    CardanStatus status;
    char message[1024];
    double at[SAMPLES][2];
    CardanWork work;
    CardanOpening opening;
} Motion;

static CardanModel *with_error(const char *text, double e) {
    CardanModel *model = scene_read(text), *changed = NULL;
    char message[512];
    const char *name = "e";
    if (cardan_model_with_parameters(model, 1, &name, &e, &changed, message, sizeof message) < 0)
        fail_msg("%s", message);
    cardan_model_release(model);
    return changed;
}

static CardanStatus go(CardanSim *sim, const CardanModel *model, const Family *family, Motion *motion) {
    for (int k = 0; k < SAMPLES; k++) {
        CardanStatus status = cardan_sim_advance(sim, family->end * (k + 1) / SAMPLES);
        if (status < 0) return status;
        for (int j = 0; j < 2; j++) motion->at[k][j] = scene_coordinate(sim, model, family->joint[j], NULL);
    }
    return CARDAN_OK;
}

static Motion run(const Family *family, double e, double redundancy) {
    Motion motion = {0};
    CardanModel *model = with_error(family->text, e);
    CardanOptions options = scene_tight(1e-9, 1e-11);
    options.redundancy = redundancy;
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* those of imperfect loops: steps of both are counted */
    options.max_steps = 5000;
    CardanSim *sim = NULL;
    motion.status = cardan_sim_create(model, &options, &sim);
    bool started = motion.status >= 0;
    if (started) motion.status = go(sim, model, family, &motion);
    snprintf(motion.message, sizeof motion.message, "%s", cardan_sim_message(sim));
    assert_true(cardan_sim_work(sim, &motion.work) >= 0);
    if (started) assert_true(cardan_sim_opening(sim, &motion.opening) >= 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return motion;
}

static void check_motion(const Family *family, double e, const Motion *motion, const Motion *perfect) {
    for (int k = 0; k < SAMPLES; k++)
        for (int j = 0; j < 2; j++)
            check_near(motion->at[k][j], perfect->at[k][j], 10.0 * e + SAME_MOTION, "%s, e = %g: %s after %g s",
                       family->name, e, family->joint[j], family->end * (k + 1) / SAMPLES);
    if (motion->work.steps > 10 * perfect->work.steps)
        fail_msg("%s, e = %g: %ld steps, %ld of the perfect one", family->name, e, motion->work.steps,
                 perfect->work.steps);
    check_below(fmax(motion->opening.length, motion->opening.angle), 3.0 * e + 1e-11, "%s, e = %g: opening",
                family->name, e);
}

static void check_refusal(const Family *family, double e, const Motion *motion) {
    bool locked = motion->status == CARDAN_ERR_MODEL && strstr(motion->message, "redundancy: 1e-") != NULL,
         unmet = motion->status == CARDAN_ERR_MODEL && strstr(motion->message, "do not meet") != NULL,
         opened = motion->status == CARDAN_ERR_NUMERIC && strstr(motion->message, "times redundancy") != NULL;
    if (!(locked || unmet || opened))
        fail_msg("%s, e = %g: status %d, \"%s\"", family->name, e, (int)motion->status, motion->message);
}

/* ---- one error ---- */

static void errors_up_to_the_tolerance_change_motions_by_no_more_than_themselves(void **state) {
    (void)state;
    for (int f = 0; f < FAMILY_COUNT; f++) {
        Motion perfect = run(&FAMILIES[f], 0.0, 1e-5);
        if (perfect.status < 0) fail_msg("%s: %s", FAMILIES[f].name, perfect.message);
        assert_true(perfect.opening.length == 0.0 && perfect.opening.angle == 0.0);
        for (int k = 0; k < DECADES; k++) {
            double e = pow(10.0, k - 12);
            Motion motion = run(&FAMILIES[f], e, 1e-5);
            if (motion.status < 0 && e < 1.5e-5) fail_msg("%s, e = %g: %s", FAMILIES[f].name, e, motion.message);
            if (motion.status < 0)
                check_refusal(&FAMILIES[f], e, &motion);
            else
                check_motion(&FAMILIES[f], e, &motion, &perfect);
        }
    }
}

static void what_is_refused_moves_with_a_larger_tolerance(void **state) {
    (void)state;
    static const double errors[] = {1e-4, 1e-3};
    for (int f = 0; f < FAMILY_COUNT; f++) {
        Motion perfect = run(&FAMILIES[f], 0.0, 1e-5);
        for (int k = 0; k < 2; k++) {
            Motion motion = run(&FAMILIES[f], errors[k], 10.0 * errors[k]);
            if (motion.status < 0) fail_msg("%s, e = %g: %s", FAMILIES[f].name, errors[k], motion.message);
            check_motion(&FAMILIES[f], errors[k], &motion, &perfect);
        }
    }
}

static void without_a_tolerance_what_is_not_exact_is_locked(void **state) {
    (void)state;
    static const Family *const rigid[] = {&FAMILIES[0], &FAMILIES[2], &FAMILIES[3], &FAMILIES[4]};
    for (int f = 0; f < 4; f++) {
        Motion perfect = run(rigid[f], 0.0, 0.0), motion = run(rigid[f], 1e-7, 0.0);
        if (perfect.status < 0) fail_msg("%s: %s", rigid[f]->name, perfect.message);
        assert_int_equal(motion.status, CARDAN_ERR_MODEL);
        if (strstr(motion.message, "locked: 0 degrees of freedom") == NULL) fail_msg("%s", motion.message);
        if (strstr(motion.message, "it would have 1") == NULL) fail_msg("%s", motion.message);
    }
}

static void the_tolerance_that_a_refusal_names_frees_the_mechanism(void **state) {
    (void)state;
    for (int f = 0; f < FAMILY_COUNT; f++) {
        Motion refused = run(&FAMILIES[f], 1e-3, 1e-6), perfect = run(&FAMILIES[f], 0.0, 1e-6);
        const char *set = strstr(refused.message, "set redundancy: ");
        if (set == NULL) continue; /* refused for another reason */
        Motion motion = run(&FAMILIES[f], 1e-3, strtod(set + strlen("set redundancy: "), NULL));
        if (motion.status < 0) fail_msg("%s after \"%s\"", motion.message, refused.message);
        check_motion(&FAMILIES[f], 1e-3, &motion, &perfect);
    }
}

/* ---- openings ---- */

/* Rows are components: the largest of them is no less than the whole over the root of their number. */
static void check_openings(CardanModel *model, Hinge *hinges, int n, double end, double e) {
    CardanOptions options = cardan_default_options();
    CardanSim *sim = scene_start(model, &options);
    double gap = 0.0, angle = 0.0;
    for (int k = 0; k < n; k++) {
        CardanBodyState a = hinge_body(sim, model, hinges[k].a), b = hinge_body(sim, model, hinges[k].b);
        hinge_attach(&a, &hinges[k], hinges[k].point_a, hinges[k].axis_a);
        hinge_attach(&b, &hinges[k], hinges[k].point_b, hinges[k].axis_b);
    }
    while (cardan_sim_time(sim) < end) {
        if (cardan_sim_step(sim, end) < 0) fail_msg("%s", cardan_sim_message(sim));
        hinges_measure(sim, model, hinges, n, &gap, &angle);
    }
    CardanOpening o;
    assert_true(cardan_sim_opening(sim, &o) >= 0);
    check_between(o.length, gap / sqrt(3.0) - 1e-13, gap + 1e-13, "largest gap, m");
    check_between(o.angle, angle / sqrt(2.0) - 1e-13, angle + 1e-13, "largest angle between axes, rad");
    check_below(gap, 2.0 * e, "%s: gap", cardan_model_name(model));
    check_below(angle, 2.0 * e, "%s: angle", cardan_model_name(model));
    check_below(1e-3 * e, fmax(gap, angle), "%s: something opens", cardan_model_name(model));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void openings_of_released_joints_are_those_of_the_bodies(void **state) {
    (void)state;
    double e = 3e-6;
    Hinge door[] = {{.b = "door", .point = {0, 0, 0.2}, .axis = {0, 0, 1}},
                    {.b = "door", .point = {0, 0, 1.8}, .axis = {e, 0, 1}}};
    check_openings(with_error(DOOR, e), door, 2, 1.2, e);
    Hinge bars[] = {{.b = "crank", .point = {0, 0, 0}, .axis = {0, 1, 0}},
                    {.a = "crank", .b = "coupler", .point = {0, 0, 1}, .axis = {e, 1, 0}},
                    {.a = "coupler", .b = "rocker", .point = {2, 0, 1}, .axis = {0, 1, 0}},
                    {.b = "rocker", .point = {2, 0, 0}, .axis = {0, 1, 0}}};
    check_openings(with_error(PARALLELOGRAM, e), bars, 4, 1.2, e);
}

/* ---- errors everywhere, as coordinates with few digits have them ---- */

static double error_of(Random *random, double e) {
    return e * random_signed(random);
}

enum { CAD_TEXT = 4000 };

/* The parallelogram with lengths up to `stretch`, its hinges off by up to e in every number. */
static int write_bars(char *text, Hinge *hinges, double e, double stretch, Random *random) {
    static const char *const names[] = {"A", "B", "C", "D"}, *const a[] = {NULL, "crank", "coupler", NULL},
                             *const b[] = {"crank", "coupler", "rocker", "rocker"};
    const double x[] = {0, 0, 2, 2 + stretch}, z[] = {0, 1, 1, 0};
    int used = snprintf(text, CAD_TEXT,
                        "cardan: 1\nname: bars\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                        "  crank:   {mass: 1, inertia: {rod: 1, radius: 0.02, along: z}, position: [0, 0, 0.5]}\n"
                        "  coupler: {mass: 1, inertia: {rod: 2, radius: 0.02, along: x}, position: [1, 0, 1]}\n"
                        "  rocker:  {mass: 1, inertia: {rod: 1, radius: 0.02, along: z}, position: [2, 0, 0.5]}\n"
                        "joints:\n");
    for (int k = 0; k < 4; k++) {
        Hinge *h = &hinges[k];
        *h = (Hinge){.a = a[k],
                     .b = b[k],
                     .point = {x[k] + error_of(random, e), error_of(random, e), z[k] + error_of(random, e)},
                     .axis = {error_of(random, e), 1.0, error_of(random, e)}};
        used += snprintf(
            text + used, (size_t)(CAD_TEXT - used),
            "  %s: {type: revolute, bodies: [%s, %s], point: [%.17g, %.17g, %.17g], axis: [%.17g, 1, %.17g]}\n",
            names[k], h->a != NULL ? h->a : "ground", h->b, h->point[0], h->point[1], h->point[2], h->axis[0],
            h->axis[2]);
    }
    return used + snprintf(text + used, (size_t)(CAD_TEXT - used), "start: {rates: {A: 1}}\n");
}

static void errors_in_all_joints_are_spread_and_the_motion_is_that_of_the_perfect_loop(void **state) {
    (void)state;
    Random random = {7};
    char text[CAD_TEXT];
    Hinge hinges[4];
    for (int draw = 0; draw < 10; draw++) {
        double e = 1e-6, at[2];
        for (int k = 0; k < 2; k++) {
            write_bars(text, hinges, k == 0 ? 0.0 : e, 0.3, &random); /* no parallelogram: its poses are regular */
            CardanModel *model = scene_read(text);
            CardanOptions options = scene_tight(1e-9, 1e-11);
            CardanSim *sim = scene_start(model, &options);
            scene_advance(sim, 0.6);
            at[k] = scene_coordinate(sim, model, "A", NULL);
            cardan_sim_destroy(sim);
            cardan_model_release(model);
        }
        check_near(at[1], at[0], 10.0 * e, "draw %d: angle of A", draw);
        check_openings(scene_read(text), hinges, 4, 0.6, e);
    }
}

/* Copies the number or expression at *from, which a comma or bracket ends, with an error added to it. */
static size_t copy_with_error(const char **from, char *to, size_t size, double error) {
    const char *p = *from + strspn(*from, " ");
    size_t length = *p == '"' ? strcspn(p + 1, "\"") : strcspn(p, ",]");
    bool quoted = *p == '"';
    *from = p + length + (quoted ? 2 : 0);
    return (size_t)snprintf(to, size, "\"%.*s + (%.17g)\"", (int)length, quoted ? p + 1 : p, error);
}

/* The text with every coordinate of axes of joints off by up to e, and those of points by up to e times the length. */
static void write_with_errors(const char *text, double length, char *out, size_t size, double e, Random *random) {
    size_t used = 0;
    for (const char *p = text; *p != '\0';) {
        bool point = strncmp(p, "point: [", 8) == 0, axis = strncmp(p, "axis: [", 7) == 0;
        out[used++] = *p++;
        if (!point && !axis) continue;
        while (out[used - 1] != '[') out[used++] = *p++;
        for (int k = 0; k < 3; k++) {
            used += copy_with_error(&p, out + used, size - used, error_of(random, point ? length * e : e));
            out[used++] = *p++; /* comma or bracket */
        }
        assert_true(out[used - 1] == ']' && used < size);
    }
    out[used] = '\0';
}

/* What can be met of rows by least squares is known where they are factored: there a state from elsewhere closes. */
static void a_state_put_back_goes_on_with_the_same_bits(void **state) {
    (void)state;
    Random random = {11};
    char text[CAD_TEXT];
    Hinge hinges[4];
    write_bars(text, hinges, 1e-6, 0.3, &random);
    CardanModel *model = scene_read(text);
    CardanOptions options = scene_tight(1e-9, 1e-11);
    CardanSim *sim = scene_start(model, &options), *other = scene_start(model, &options);
    int size = cardan_sim_state_size(sim);
    double *numbers = calloc((size_t)(2 * size), sizeof *numbers);
    assert_non_null(numbers);
    scene_advance(sim, 0.6);
    assert_true(cardan_sim_get_state(sim, numbers) >= 0);
    if (cardan_sim_set_state(other, numbers) < 0) fail_msg("%s", cardan_sim_message(other));
    scene_advance(sim, 0.8);
    scene_advance(other, 0.8);
    assert_true(cardan_sim_get_state(sim, numbers) >= 0 && cardan_sim_get_state(other, numbers + size) >= 0);
    assert_memory_equal(numbers, numbers + size, (size_t)size * sizeof *numbers);
    free(numbers);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(other);
    cardan_model_release(model);
}

enum { INSIDE = 10, ROW = 7 }; /* rows of each step; coupler.x, A.reaction */

static void read_inside(CardanSim *sim, int i, const CardanChannel *channels, double row[INSIDE][ROW]) {
    double h = cardan_sim_last_step(sim);
    if (cardan_sim_sample(sim, cardan_sim_time(sim) - h * (i + 1) / (INSIDE + 1), 2, channels, row[i]) < 0)
        fail_msg("%s", cardan_sim_message(sim));
}

/* Rows read forwards and backwards. */
static void a_row_does_not_depend_on_those_read_before(void **state) {
    (void)state;
    Random random = {13};
    char text[CAD_TEXT], message[128];
    Hinge hinges[4];
    CardanChannel channels[2];
    double one[INSIDE][ROW], other[INSIDE][ROW];
    write_bars(text, hinges, 3e-6, 0.3, &random);
    CardanModel *model = scene_read(text);
    CardanOptions options = scene_tight(1e-9, 1e-11);
    CardanSim *sim = scene_start(model, &options), *clone = NULL;
    assert_true(cardan_model_find_channel(model, "coupler.x", &channels[0], message, sizeof message) >= 0 &&
                cardan_model_find_channel(model, "A.reaction", &channels[1], message, sizeof message) >= 0);
    for (int step = 0; step < 5; step++) {
        assert_true(cardan_sim_clone(sim, &clone) >= 0);
        assert_true(cardan_sim_step(sim, 1.0) >= 0 && cardan_sim_step(clone, 1.0) >= 0);
        for (int i = 0; i < INSIDE; i++) read_inside(sim, i, channels, one);
        for (int i = INSIDE - 1; i >= 0; i--) read_inside(clone, i, channels, other);
        assert_memory_equal(one, other, sizeof one);
        cardan_sim_destroy(clone);
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void numbers_with_six_digits_move_linkages_as_exact_ones_do(void **state) {
    (void)state;
    static const Family *const families[] = {&FAMILIES[0], &FAMILIES[3], &FAMILIES[4]};
    static const double length[] = {0.4, 1.6, 0.5}; /* m; of the frames: numbers are given to a share of it */
    static char text[2 * CAD_TEXT];
    Random random = {11};
    double e = 1e-6;
    for (int f = 0; f < 3; f++) {
        Motion perfect = run(families[f], 0.0, 1e-5);
        for (int draw = 0; draw < 10; draw++) {
            Family off = *families[f];
            write_with_errors(off.text, length[f], text, sizeof text, e, &random);
            off.text = text;
            Motion motion = run(&off, 0.0, 1e-5);
            if (motion.status < 0) fail_msg("%s: %s", off.name, motion.message);
            check_motion(&off, e, &motion, &perfect);
        }
    }
}

static void imperfect_loops_stop_before_a_singular_pose_by_name(void **state) {
    (void)state;
    Random random = {3};
    char text[CAD_TEXT];
    Hinge hinges[4];
    for (int k = 0; k < 4; k++) {
        write_bars(text, hinges, pow(10.0, -5 - k), 0.0, &random);
        CardanModel *model = scene_read(text);
        CardanSim *sim = scene_start(model, NULL);
        CardanStatus status = cardan_sim_advance(sim, 3.0);
        const char *said = cardan_sim_message(sim);
        if (status != CARDAN_ERR_NUMERIC || strstr(said, "branches do not cross") == NULL ||
            strstr(said, "'A', 'B', 'C', 'D'") == NULL)
            fail_msg("status %d, \"%s\"", (int)status, said);
        check_between(cardan_sim_time(sim), 0.65, 0.7085, "where it stops, s"); /* flat at 0.70847 s */
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* Each holds single rows, which least squares leave open. */
static void what_has_no_place_for_least_squares_says_so(void **state) {
    (void)state;
    CardanModel *model = with_error(SHAFT, 1e-6);
    CardanOptions options[2] = {scene_fixed(CARDAN_STEPPER_GAUSS, 1e-3), cardan_default_options()};
    options[1].stabilise.form = CARDAN_STABILISE_FORM_FULL;
    for (int k = 0; k < 2; k++) {
        CardanSim *sim = NULL;
        assert_int_equal(cardan_sim_create(model, &options[k], &sim), CARDAN_ERR_MODEL);
        assert_non_null(strstr(cardan_sim_message(sim), "met by least squares"));
        cardan_sim_destroy(sim);
    }
    CardanLabProblem *problem = NULL;
    char message[512];
    assert_int_equal(cardan_lab_problem_of_model(model, CARDAN_LAB_MECHANISM, &problem, message, sizeof message),
                     CARDAN_ERR_MODEL);
    assert_non_null(strstr(message, "imperfect loop"));
    cardan_lab_problem_destroy(problem);
    cardan_model_release(model);
}

/* A slider-crank whose wrist is written 1e12 m away: lengths of the mechanism are such that every body turns as if it
 * had no inertia. The rows are well conditioned, S is not. */
static void least_squares_that_masses_hide_are_refused_by_joint(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\nbodies:\n"
                                    "  crank: {mass: 1, inertia: 0.01, position: [0.05, 0]}\n"
                                    "  rod: {mass: 1, inertia: 0.01, position: [0.25, 0]}\n"
                                    "  slider: {mass: 1, inertia: 0.01, position: [0.4, 0]}\n"
                                    "joints:\n"
                                    "  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
                                    "  pin: {type: revolute, bodies: [crank, rod], point: [0.1, 0]}\n"
                                    "  wrist: {type: revolute, bodies: [rod, slider], point: [0.4, 1e11]}\n"
                                    "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\n");
    CardanSim *sim = NULL;
    CardanStatus status = cardan_sim_create(model, NULL, &sim);
    const char *said = cardan_sim_message(sim);
    if (status != CARDAN_ERR_NUMERIC || strstr(said, "masses are too uneven") == NULL ||
        strstr(said, "joint '") == NULL)
        fail_msg("status %d, \"%s\"", (int)status, said);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void tolerances_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const double bad[] = {-1e-9, 0.02, 1.0, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 5; k++) {
        Motion motion = run(&FAMILIES[3], 0.0, bad[k]);
        if (motion.status >= 0 || strstr(motion.message, "redundancy must be from 0 to 0.01") == NULL)
            fail_msg("%g: status %d, \"%s\"", bad[k], (int)motion.status, motion.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_up_to_the_tolerance_change_motions_by_no_more_than_themselves),
        cmocka_unit_test(what_is_refused_moves_with_a_larger_tolerance),
        cmocka_unit_test(without_a_tolerance_what_is_not_exact_is_locked),
        cmocka_unit_test(the_tolerance_that_a_refusal_names_frees_the_mechanism),
        cmocka_unit_test(openings_of_released_joints_are_those_of_the_bodies),
        cmocka_unit_test(errors_in_all_joints_are_spread_and_the_motion_is_that_of_the_perfect_loop),
        cmocka_unit_test(a_state_put_back_goes_on_with_the_same_bits),
        cmocka_unit_test(a_row_does_not_depend_on_those_read_before),
        cmocka_unit_test(numbers_with_six_digits_move_linkages_as_exact_ones_do),
        cmocka_unit_test(what_has_no_place_for_least_squares_says_so),
        cmocka_unit_test(least_squares_that_masses_hide_are_refused_by_joint),
        cmocka_unit_test(tolerances_that_make_no_sense_are_refused),
        cmocka_unit_test(imperfect_loops_stop_before_a_singular_pose_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
