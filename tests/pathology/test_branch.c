/* Is the branch of a passage computed? Random passages of the slider-crank of equal lengths that keep it raise no
 * alarm, whichever stepper and step; runs whose softened rows leave it are stopped; other linkages keep theirs. */
#include "pathology/passage_fixture.h"
#include "support/random.h"
#include "support/sample.h"

#include <string.h>

static const double END = 3.0; /* s */

/* Largest |rod angle + crank angle| of a motion that is on its branch: far above errors, far below the other branch. */
static const double ON_BRANCH = 1e-2;

/* models/equal_slider_crank.yaml with a stop on the crank. */
static const char STOPPED[] =
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {x: -0.3}\nbodies:\n"
    "  crank:  {mass: 1, inertia: \"1/12\", position: [\"cos(x)/2\", \"sin(x)/2\"], angle: x}\n"
    "  rod:    {mass: 1, inertia: \"1/12\", position: [\"1.5*cos(x)\", \"sin(x)/2\"], angle: \"-x\"}\n"
    "  slider: {mass: 1, inertia: 0.01, position: [\"2*cos(x)\", 0]}\njoints:\n"
    "  main:  {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
    "  pin:   {type: revolute, bodies: [crank, rod], point: [\"cos(x)\", \"sin(x)\"]}\n"
    "  wrist: {type: revolute, bodies: [rod, slider], point: [\"2*cos(x)\", 0]}\n"
    "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\nforces:\n"
    "  stop: {type: limit, joint: main, range: [\"-pi/2 - x - %g\", 3], stiffness: %g}\n";

typedef struct Count {
    long runs, kept, unclear, doubted, left, off; /* doubted: unclear though there were states on both sides */
    double jump;                                  /* the largest of passages kept */
} Count;

/* One of five ways to step: two of them with fixed steps of 2 to 30 ms, three by tolerances from 1e-3 to 1e-10. */
static CardanOptions random_options(Random *random, int draw) {
    const double steps[] = {0.002, 0.004, 0.01, 0.02, 0.03};
    const CardanStepper ways[] = {CARDAN_STEPPER_RK4, CARDAN_STEPPER_DOP853, CARDAN_STEPPER_GAUSS,
                                  CARDAN_STEPPER_DOPRI5, CARDAN_STEPPER_ABM};
    bool fixed = draw % 5 % 2 == 0 && draw % 5 != 4;
    double step = steps[(int)random_between(random, 0.0, 4.999)],
           relative = pow(10.0, random_between(random, -10.0, -3.0));
    CardanOptions options = fixed ? scene_fixed(ways[draw % 5], step) : tolerance(relative);
    options.stepper = ways[draw % 5];
    return options;
}

static void count_events(CardanSim *sim, Count *count) {
    const CardanEvent *events;
    int kept = cardan_sim_events(sim, &events, NULL);
    for (int i = 0; i < kept; i++) {
        if (events[i].kind != CARDAN_EVENT_SINGULARITY) continue;
        count->kept += events[i].branch == CARDAN_BRANCH_KEPT;
        count->left += events[i].branch == CARDAN_BRANCH_LEFT;
        count->unclear += events[i].branch == CARDAN_BRANCH_UNCLEAR;
        count->doubted += events[i].branch == CARDAN_BRANCH_UNCLEAR && events[i].jump >= 0.0;
        if (events[i].branch == CARDAN_BRANCH_KEPT) count->jump = fmax(count->jump, events[i].jump);
    }
}

/* Alarms of a run that stays on its branch: a failure that says `branch`, or such a remark. */
static bool has_alarm(CardanSim *sim, const CardanModel *model, double *parted) {
    while (cardan_sim_time(sim) < END) {
        CardanStatus status = cardan_sim_step(sim, END);
        if (status != CARDAN_OK && strstr(cardan_sim_message(sim), "branch") != NULL) return true;
        if (status < 0) return false; /* stopped for another reason */
        *parted = fmax(*parted, fabs(scene_body(sim, model, "crank").angle + scene_body(sim, model, "rod").angle));
    }
    return false;
}

static void random_passage(Random *random, int draw, Count *count) {
    CrankDef def = {.torque = 6.0 * random_signed(random), .angle = random_between(random, -1.1, 0.4)};
    def.rate = 3.0 * random_signed(random);
    CardanOptions options = random_options(random, draw);
    CardanModel *model = scene_compile(equal_slider_crank(def));
    CardanSim *sim = scene_start(model, &options);
    double parted = 0.0;
    bool alarm = has_alarm(sim, model, &parted);
    count->runs++;
    count->off += parted > ON_BRANCH;
    if (alarm && parted <= ON_BRANCH)
        fail_msg("draw %d (%g Nm from %g rad at %g rad/s, stepper %s, step %g, tolerance %g): %s", draw, def.torque,
                 def.angle, def.rate, cardan_stepper_name(options.stepper), options.step, options.rtol,
                 cardan_sim_message(sim));
    count_events(sim, count);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_thousand_random_passages_that_keep_their_branch_raise_no_alarm(void **state) {
    (void)state;
    Random random = {31};
    Count count = {0};
    for (int draw = 0; count.kept < sample_of(1000, 20); draw++) {
        random_passage(&random, draw, &count);
        assert_true(draw < 2000);
    }
    print_message(
        "    %ld runs: %ld passages kept, largest jump %.2e, %ld unclear, %ld left, %ld runs off their branch\n",
        count.runs, count.kept, count.jump, count.unclear, count.left, count.off);
    assert_int_equal(count.left, 0);
    assert_int_equal(count.doubted, 0); /* the others are passages with which a run ends */
    assert_int_equal(count.off, 0);
}

/* ---- runs that leave it ---- */

/* The model of findings: rows softened at index 2, positions left alone. */
static CardanOptions leaving(double epsilon) {
    CardanOptions options = scene_tight(1e-5, 1e-5);
    options.stabilise.method = CARDAN_STABILISE_BAUMGARTE;
    options.stabilise.alpha = 1000.0;
    options.regularise.method = CARDAN_REGULARISE_DIRECT;
    options.regularise.epsilon = epsilon;
    return options;
}

static CardanSim *start_leaving(CardanModel **model, const CardanOptions *options) {
    *model = scene_compile(equal_slider_crank((CrankDef){.angle = -0.3, .torque = 5.0}));
    return scene_start(*model, options);
}

static double off_branch(CardanSim *sim, const CardanModel *model) {
    return fabs(scene_body(sim, model, "crank").angle + scene_body(sim, model, "rod").angle);
}

static void a_run_that_leaves_its_branch_is_stopped(void **state) {
    (void)state;
    int stopped = 0;
    for (double epsilon = 1e-6; epsilon < 1.0; epsilon *= 10.0) {
        CardanModel *model;
        CardanOptions options = leaving(epsilon);
        CardanSim *sim = start_leaving(&model, &options);
        CardanStatus status = cardan_sim_advance(sim, END);
        double off = off_branch(sim, model);
        if (status >= 0) check_below(off, 0.3, "a run that went on with epsilon %.0e: rod against crank", epsilon);
        if (status == CARDAN_ERR_NUMERIC && strstr(cardan_sim_message(sim), "left its branch") != NULL) {
            stopped++;
            assert_non_null(strstr(cardan_sim_message(sim), "joint '"));
            assert_non_null(strstr(cardan_sim_message(sim), "percent"));
            assert_non_null(strstr(cardan_sim_message(sim), "leave_branch: true"));
            double t = cardan_sim_time(sim); /* and it stays so, with the state as it was */
            assert_int_equal(cardan_sim_step(sim, END), CARDAN_ERR_NUMERIC);
            assert_true(cardan_sim_time(sim) == t);
        }
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
    print_message("    %d of 6 left their branch\n", stopped);
    assert_true(stopped > 0);
}

static void a_branch_may_be_left_when_that_is_allowed(void **state) {
    (void)state;
    CardanModel *model;
    CardanOptions options = leaving(1e-4);
    CardanSim *sim = start_leaving(&model, &options);
    assert_int_equal(cardan_sim_advance(sim, END), CARDAN_ERR_NUMERIC);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    options.regularise.leave_branch = CARDAN_LEAVE_BRANCH_REMARK;
    sim = start_leaving(&model, &options);
    bool told = false;
    while (cardan_sim_time(sim) < END) {
        CardanStatus status = must_step(sim, END);
        told = told || (status == CARDAN_REMARK && strstr(cardan_sim_message(sim), "left its branch") != NULL);
    }
    assert_true(told);
    assert_true(off_branch(sim, model) > 0.3);
    Count count = {0};
    count_events(sim, &count);
    assert_true(count.left > 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- stops beside the pose ---- */

/* The slider-crank falls against a stop right beyond its pose and is thrown back through it: velocities jump, and the
 * branch is kept. What is not known is said to be unclear. */
static void a_stop_beside_the_pose_raises_no_alarm(void **state) {
    (void)state;
    const double beyond[] = {0.005, 0.02, 0.1}, stiffness[] = {1e3, 1e6};
    for (int i = 0; i < 12; i++) {
        char text[2048];
        snprintf(text, sizeof text, STOPPED, beyond[i % 3], stiffness[i / 3 % 2]);
        CardanModel *model = scene_read(text);
        CardanOptions options = i < 6 ? tolerance(1e-6) : scene_fixed(CARDAN_STEPPER_RK4, 0.002);
        CardanSim *sim = scene_start(model, &options);
        while (cardan_sim_time(sim) < END) must_step(sim, END);
        Count count = {0};
        count_events(sim, &count);
        assert_int_equal(count.left, 0);
        assert_true(count.kept + count.unclear > 0);
        check_below(fabs(scene_body(sim, model, "crank").angle + scene_body(sim, model, "rod").angle), 1e-6,
                    "parting of rod and crank with a stop %g rad beyond, %g Nm/rad", beyond[i % 3],
                    stiffness[i / 3 % 2]);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- poses that are missed ---- */

/* A four-bar whose coupler is too long by m: it just misses the flat pose of the parallelogram and turns there, as
 * sharply as one that would leave its branch. */
static const char MISSING[] =
    "cardan: 1\nspace: planar\nparameters: {m: %g}\nbodies:\n"
    "  c: {mass: 1, inertia: 0.1, position: [\"cos(1)/2\", \"sin(1)/2\"], angle: 1}\n"
    "  r: {mass: 1, inertia: 0.1, position: [\"cos(1) + 1\", \"sin(1)\"]}\n"
    "  k: {mass: 1, inertia: 0.1, position: [\"2 + cos(1)/2\", \"sin(1)/2\"], angle: 1}\njoints:\n"
    "  A: {type: revolute, bodies: [ground, c], local: {a: [0, 0], b: [-0.5, 0]}}\n"
    "  B: {type: revolute, bodies: [c, r], local: {a: [0.5, 0], b: [\"-1 - m/2\", 0]}}\n"
    "  C: {type: revolute, bodies: [r, k], local: {a: [\"1 + m/2\", 0], b: [0.5, 0]}}\n"
    "  D: {type: revolute, bodies: [ground, k], local: {a: [2, 0], b: [-0.5, 0]}}\n"
    "start: {positions: project, rates: {A: 2}}\n";

static void a_pose_that_is_just_missed_raises_no_alarm(void **state) {
    (void)state;
    for (double miss = 1e-6; miss < 0.02; miss *= 10.0) {
        char text[1024];
        snprintf(text, sizeof text, MISSING, miss);
        CardanModel *model = scene_read(text);
        CardanOptions options = tolerance(1e-9);
        CardanSim *sim = scene_start(model, &options);
        while (cardan_sim_time(sim) < END) {
            CardanStatus status = cardan_sim_step(sim, END);
            if (status != CARDAN_OK && strstr(cardan_sim_message(sim), "branch") != NULL)
                fail_msg("missed by %g m: %s", miss, cardan_sim_message(sim));
            assert_true(status >= 0);
        }
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- what is remembered ---- */

/* A run that is put back in the middle of a passage goes on with the same bits and comes to the same verdict. */
static void a_state_saved_inside_a_passage_is_judged_as_the_run_is(void **state) {
    (void)state;
    CardanModel *model;
    CardanOptions options = leaving(1e-4);
    CardanSim *sim = start_leaving(&model, &options), *other = scene_start(model, &options), *clone = NULL;
    double saved[4096];
    assert_true(cardan_sim_state_size(sim) <= 4096);
    double failed = END;
    for (int saves = 0; failed == END; saves++) {
        CardanStatus status = cardan_sim_step(sim, END);
        if (status < 0) failed = cardan_sim_time(sim);
        if (saves != 100) continue;
        assert_int_equal(cardan_sim_get_state(sim, saved), CARDAN_OK);
        assert_int_equal(cardan_sim_clone(sim, &clone), CARDAN_OK);
    }
    assert_non_null(clone);
    assert_int_equal(cardan_sim_set_state(other, saved), CARDAN_OK);
    CardanSim *again[] = {other, clone};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cardan_sim_advance(again[i], END), CARDAN_ERR_NUMERIC);
        assert_true(cardan_sim_time(again[i]) == failed);
        assert_string_equal(cardan_sim_message(again[i]), cardan_sim_message(sim));
        cardan_sim_destroy(again[i]);
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- other linkages ---- */

typedef struct Linkage {
    const char *file;
    double end; /* s */
} Linkage;

static void follow_linkage(const Linkage *linkage, const CardanOptions *options, const char *how) {
    CardanModel *model = scene_load(linkage->file);
    CardanSim *sim = scene_start(model, options);
    while (cardan_sim_time(sim) < linkage->end) {
        CardanStatus status = cardan_sim_step(sim, linkage->end);
        bool alarm = status != CARDAN_OK && strstr(cardan_sim_message(sim), "branch") != NULL;
        if (status < 0 || alarm) fail_msg("%s, %s: %s", linkage->file, how, cardan_sim_message(sim));
    }
    Count count = {0};
    count_events(sim, &count);
    print_message("    %s, %s: %ld kept, %ld unclear, largest jump %.2e\n", linkage->file, how, count.kept,
                  count.unclear, count.jump);
    assert_true(count.kept > 0);
    assert_true(count.unclear <= 1); /* the last one */
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void linkages_keep_their_branches(void **state) {
    (void)state;
    const Linkage linkages[] = {
        {"models/double_four_bar.yaml", 4.0}, {"models/sarrus.yaml", 4.0}, {"models/equal_slider_crank.yaml", 6.0}};
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++) {
        CardanOptions loose = tolerance(1e-4), tight = tolerance(1e-9), fixed = scene_fixed(CARDAN_STEPPER_RK4, 0.005);
        follow_linkage(&linkages[i], &loose, "at 1e-4");
        follow_linkage(&linkages[i], &tight, "at 1e-9");
        follow_linkage(&linkages[i], &fixed, "RK4");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_random_passages_that_keep_their_branch_raise_no_alarm),
        cmocka_unit_test(a_run_that_leaves_its_branch_is_stopped),
        cmocka_unit_test(a_branch_may_be_left_when_that_is_allowed),
        cmocka_unit_test(a_stop_beside_the_pose_raises_no_alarm),
        cmocka_unit_test(a_pose_that_is_just_missed_raises_no_alarm),
        cmocka_unit_test(a_state_saved_inside_a_passage_is_judged_as_the_run_is),
        cmocka_unit_test(linkages_keep_their_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
