/* Every way to regularise on the slider-crank of equal lengths through its bifurcation: within the error that
 * docs/SINGULAR.md states, or refused with the reason; never on the other branch, and every passage logged. */
#include "pathology/passage_fixture.h"
#include "support/defaulted.h"
#include "support/reading.h"

#include <string.h>

static const double RELEASE = -0.3; /* rad */
static const double LOAD = 5.0;     /* N m */
static const double END = 3.0;      /* s, two passages */
static const double NEAR = 0.02;    /* rad; from the pose */
static const double EXACT = 1e-10;  /* rad; what is never asked for */

typedef struct Run {
    CardanRegularise method;
    double epsilon, radius;
    double relative; /* tolerance of DOP853; 0: RK4 with steps of 0.002 s, or: */
    double step;     /* s */
    CrankDef crank;
    double end;
} Run;

typedef struct Outcome {
    CardanStatus status; /* of the step that failed, or 0 */
    char message[512];
    double error, parted; /* rad */
    double lambda;        /* N, N m: length of the multipliers, the largest near the pose */
    bool softened_seen;   /* a reaction was softened there */
    long passages, steps;
    CardanEvent first;
} Outcome;

static CardanOptions options_of(const Run *run) {
    CardanOptions options = run->relative > 0.0 ? tolerance(run->relative)
                                                : scene_fixed(CARDAN_STEPPER_RK4, run->step > 0.0 ? run->step : 0.002);
    options.regularise.method = run->method;
    options.regularise.epsilon = run->epsilon;
    options.regularise.radius = run->radius;
    return options;
}

static double length_of_multipliers(CardanSim *sim) {
    double lambda[8], sum = 0.0;
    assert_true(cardan_sim_evaluate(sim, NULL, lambda) >= 0);
    for (int i = 0; i < 8; i++) sum += lambda[i] * lambda[i];
    return sqrt(sum);
}

/* What is softened is never called unique. */
static void look_near_pose(CardanSim *sim, const CardanModel *model, Outcome *out) {
    bool softened, unique;
    CardanJoint pin = cardan_model_find_joint(model, "pin");
    out->lambda = fmax(out->lambda, length_of_multipliers(sim));
    assert_true(cardan_sim_reaction_softened(sim, pin, &softened) >= 0);
    assert_true(cardan_sim_reaction_unique(sim, pin, &unique) >= 0);
    assert_true(!unique || !softened);
    CardanChannel channel;
    double value;
    assert_true(cardan_model_find_channel(model, "pin.reaction_softened", &channel, NULL, 0) >= 0);
    assert_true(cardan_sim_sample(sim, cardan_sim_time(sim), 1, &channel, &value) >= 0);
    assert_true(value == (softened ? 1.0 : 0.0));
    out->softened_seen = out->softened_seen || softened;
}

static void follow(CardanSim *sim, const CardanModel *model, const Run *run, Outcome *out) {
    Swing swing = crank_swing(run->crank);
    while (cardan_sim_time(sim) < run->end) {
        CardanStatus status = cardan_sim_step(sim, run->end);
        if (status < 0) {
            out->status = status;
            snprintf(out->message, sizeof out->message, "%s", cardan_sim_message(sim));
            break;
        }
        double angle = scene_body(sim, model, "crank").angle;
        swing_advance(&swing, cardan_sim_time(sim));
        out->error = fmax(out->error, fabs(angle - (double)swing.x));
        out->parted = fmax(out->parted, fabs(angle + scene_body(sim, model, "rod").angle));
        if (run->radius > 0.0 && fabs(angle + HALF_PI) < NEAR) look_near_pose(sim, model, out);
    }
    const CardanEvent *events;
    cardan_sim_events(sim, &events, &out->passages);
    if (out->passages > 0) out->first = events[0];
    out->steps = work_of(sim).steps;
}

static Outcome outcome_of(Run run) {
    Outcome out = {0};
    CardanOptions options = options_of(&run);
    CardanModel *model = scene_compile(equal_slider_crank(run.crank));
    CardanSim *sim = NULL;
    out.status = cardan_sim_create(model, &options, &sim);
    if (out.status < 0) snprintf(out.message, sizeof out.message, "%s", cardan_sim_message(sim));
    if (out.status >= 0) follow(sim, model, &run, &out);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return out;
}

static Outcome swing(CardanRegularise method, double epsilon, double relative, double torque) {
    return outcome_of((Run){.method = method,
                            .epsilon = epsilon,
                            .relative = relative,
                            .crank = {.angle = RELEASE, .torque = torque},
                            .end = END});
}

static void expect_passed(const Outcome *out, double error, const char *what, double relative, double torque) {
    if (out->status < 0) fail_msg("%s at %g under %g Nm: %s", what, relative, torque, out->message);
    check_below(out->error, error, "%s at %g under %g Nm, %ld steps: error", what, relative, torque, out->steps);
    check_below(out->parted, 1e-6, "%s at %g under %g Nm: parting of rod and crank", what, relative, torque);
    assert_int_equal(out->passages, 2);
}

static void expect_refused(const Outcome *out, const char *words) {
    assert_int_equal(out->status, CARDAN_ERR_NUMERIC);
    if (strstr(out->message, words) == NULL) fail_msg("'%s' does not say '%s'", out->message, words);
}

/* ---- the methods that are exact where rows are independent ---- */

static void swing_exactly(CardanRegularise method, const char *name) {
    const double relative[] = {1e-3, 1e-6, 1e-9};
    for (int loaded = 0; loaded < 2; loaded++) {
        Outcome out = swing(method, 0.0, 0.0, loaded * LOAD);
        expect_passed(&out, EXACT, name, 0.0, loaded * LOAD);
        for (int i = 0; i < 3; i++) {
            out = swing(method, 0.0, relative[i], loaded * LOAD);
            expect_passed(&out, fmax(100.0 * relative[i], EXACT), name, relative[i], loaded * LOAD);
            assert_true(out.first.epsilon == 0.0);
            assert_int_equal(out.first.branch, CARDAN_BRANCH_KEPT);
        }
    }
}

static void auto_keeps_the_tolerance(void **state) {
    (void)state;
    swing_exactly(CARDAN_REGULARISE_AUTO, "auto");
}

static void qr_keeps_the_tolerance(void **state) {
    (void)state;
    swing_exactly(CARDAN_REGULARISE_QR, "qr");
}

static void proximal_keeps_the_tolerance(void **state) {
    (void)state;
    swing_exactly(CARDAN_REGULARISE_PROXIMAL, "proximal");
}

static void trust_region_keeps_the_tolerance(void **state) {
    (void)state;
    swing_exactly(CARDAN_REGULARISE_TRUST_REGION, "trust region");
}

static void proximal_with_a_large_epsilon_still_converges_or_says_that_it_does_not(void **state) {
    (void)state;
    for (int loaded = 0; loaded < 2; loaded++) {
        Outcome out = swing(CARDAN_REGULARISE_PROXIMAL, 1e-4, 0.0, loaded * LOAD);
        expect_passed(&out, EXACT, "proximal with epsilon 1e-4", 0.0, loaded * LOAD);
        out = swing(CARDAN_REGULARISE_PROXIMAL, 1e-2, 0.0, loaded * LOAD);
        expect_refused(&out, "epsilon 0.01 is too large");
    }
}

/* ---- the methods that soften rows ---- */

typedef struct Stated {
    CardanRegularise method;
    const char *name;
    double epsilon;      /* 0: default */
    double relative;     /* 0: RK4 */
    double free, loaded; /* rad; what docs/SINGULAR.md states, rounded up */
} Stated;

/* With error control it depends on where the stages fall: several times what was measured. */
static const Stated STATED[] = {
    {CARDAN_REGULARISE_DIRECT, "direct", 0.0, 0.0, 1e-10, 1e-8},
    {CARDAN_REGULARISE_DIRECT, "direct", 0.0, 1e-3, 1e-3, 1e-3},
    {CARDAN_REGULARISE_DIRECT, "direct", 0.0, 1e-6, 1e-6, 1e-5},
    {CARDAN_REGULARISE_DIRECT, "direct", 0.0, 1e-9, 1e-8, 1e-6},
    {CARDAN_REGULARISE_TRUST_REGION, "trust region, epsilon 1e-12", 1e-12, 0.0, 3e-7, 1e-4},
    {CARDAN_REGULARISE_TRUST_REGION, "trust region, epsilon 1e-12", 1e-12, 1e-6, 2e-5, 2e-3},
};

static void softened_rows_cost_what_is_stated_and_are_logged(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof STATED / sizeof *STATED; i++)
        for (int loaded = 0; loaded < 2; loaded++) {
            const Stated *s = &STATED[i];
            Outcome out = swing(s->method, s->epsilon, s->relative, loaded * LOAD);
            expect_passed(&out, loaded ? s->loaded : s->free, s->name, s->relative, loaded * LOAD);
            /* Long steps may have no evaluation near the pose. */
            bool softened = out.first.remedy == CARDAN_REMEDY_SOFTENED_ROWS;
            assert_true(softened || (s->relative > 1e-6 && out.first.remedy == CARDAN_REMEDY_STEPPED_OVER));
            assert_true(softened == (out.first.epsilon > 0.0) && softened == (out.first.softened > 0));
        }
}

/* Without load, at a tolerance far below: the error is that of the softening, and falls with it. */
static void errors_fall_with_epsilon(void **state) {
    (void)state;
    const CardanRegularise method[] = {CARDAN_REGULARISE_TRUST_REGION, CARDAN_REGULARISE_DIRECT};
    for (int m = 0; m < 2; m++) {
        double before = (double)INFINITY;
        for (double epsilon = 1e-4; epsilon > 0.5e-8; epsilon *= 1e-2) {
            Outcome out = swing(method[m], epsilon, 1e-9, 0.0);
            expect_passed(&out, 1e-3, m == 0 ? "trust region" : "direct", 1e-9, 0.0);
            check_below(out.error, before / 20.0, "error at epsilon %.0e, against 100 times as much", epsilon);
            before = out.error;
        }
    }
}

static void rows_that_give_way_too_far_are_refused(void **state) {
    (void)state;
    const double relative[] = {0.0, 1e-3, 1e-6};
    for (int i = 0; i < 3; i++) {
        Outcome out = swing(CARDAN_REGULARISE_TRUST_REGION, 1e-4, relative[i], LOAD);
        expect_refused(&out, "softened rows give way");
        check_below(out.parted, 1e-6, "parting of rod and crank until then");
    }
}

/* RK4 with steps of h under 5 Nm. */
static Outcome swing_with_step(double h, double radius) {
    return outcome_of((Run){.method = CARDAN_REGULARISE_TRUST_REGION,
                            .step = h,
                            .radius = radius,
                            .crank = {.angle = RELEASE, .torque = LOAD},
                            .end = END});
}

static void the_trust_region_is_exact_inside_its_radius(void **state) {
    (void)state;
    const double step[] = {0.01, 0.002}, allowed[] = {1e-8, 1e-11};
    for (int i = 0; i < 2; i++) {
        Outcome out = swing_with_step(step[i], 0.0);
        expect_passed(&out, allowed[i], "trust region by RK4", step[i], LOAD);
        assert_int_equal(out.first.softened, 0);
        assert_int_equal(out.first.branch, CARDAN_BRANCH_KEPT);
    }
}

/* A radius below what the pose needs: near it multipliers stay within (diagonals of S are above 1 here, so those of
 * rows as they are stay too), the log says what it took, and the motion pays for it. */
static void a_small_radius_bounds_the_multipliers_near_the_pose_and_says_so(void **state) {
    (void)state;
    Outcome exact = swing_with_step(0.002, 1e6), out = swing_with_step(0.002, 30.0);
    check_below(-exact.lambda, -31.0, "largest multipliers near the pose (with a minus) inside the radius");
    assert_int_equal(exact.first.softened, 0);
    if (out.status < 0) fail_msg("%s", out.message);
    check_below(out.lambda, 30.0 * 1.001, "largest multipliers near the pose");
    check_below(-out.error, -10.0 * exact.error, "error (with a minus): softening costs accuracy");
    assert_true(out.softened_seen && !exact.softened_seen);
    assert_int_equal(out.first.remedy, CARDAN_REMEDY_SOFTENED_ROWS);
    assert_true(out.first.softened > 0 && out.first.epsilon > 0.0 && out.first.gave_way > 0.0);
    assert_true(out.first.radius == 30.0);
    assert_true(exact.first.radius == 0.0 && exact.first.epsilon == 0.0);
}

/* ---- none ---- */

static void none_refuses_what_it_cannot_resolve(void **state) {
    (void)state;
    /* A fixed step has a stage so near the pose that its rows say nothing. */
    Outcome out = swing(CARDAN_REGULARISE_NONE, 0.0, 0.0, 0.0);
    expect_refused(&out, "constraint rows of joint 'pin' come too close to dependence");
    expect_refused(&out, "use auto");
    /* Slower, under load, it has none. */
    out = swing(CARDAN_REGULARISE_NONE, 0.0, 0.0, LOAD);
    expect_passed(&out, 1e-9, "none", 0.0, LOAD);
    for (int loaded = 0; loaded < 2; loaded++) { /* steps under error control cross in a gap of the nodes */
        out = swing(CARDAN_REGULARISE_NONE, 0.0, 1e-6, loaded * LOAD);
        expect_passed(&out, 1e-4, "none", 1e-6, loaded * LOAD);
    }
}

/* ---- all of them ---- */

static void a_start_in_the_pose_goes_on_with_every_method(void **state) {
    (void)state;
    const double allowed[CARDAN_REGULARISERS] = {[CARDAN_REGULARISE_AUTO] = 1e-6,
                                                 [CARDAN_REGULARISE_QR] = 1e-6,
                                                 [CARDAN_REGULARISE_PROXIMAL] = 1e-6,
                                                 [CARDAN_REGULARISE_TRUST_REGION] = 1e-6,
                                                 [CARDAN_REGULARISE_DIRECT] = 1e-6};
    for (int m = 0; m < CARDAN_REGULARISERS; m++)
        for (int fixed = 0; fixed < 2; fixed++) {
            Outcome out = outcome_of((Run){.method = (CardanRegularise)m,
                                           .relative = fixed ? 0.0 : 1e-8,
                                           .crank = {.angle = -HALF_PI, .rate = 2.0, .torque = LOAD},
                                           .end = 2.0});
            if (m == CARDAN_REGULARISE_NONE) {
                expect_refused(&out, "start pose is singular");
                continue;
            }
            if (out.status < 0) fail_msg("method %d: %s", m, out.message);
            check_below(out.error, allowed[m], "method %d, %s: error after a start in the pose", m,
                        fixed ? "RK4" : "DOP853");
            check_below(out.parted, 1e-9, "method %d: parting of rod and crank", m);
        }
}

/* Error of Bricard's linkage after two seconds: the centre of bar3 beside the oracle's. */
static double bricard_error(CardanRegularise method) {
    CardanOptions options = options_of(&(Run){.method = method});
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 2.0);
    CardanVec3 bar = scene_body(sim, model, "bar3").position;
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return fmax(fmax(fabs(bar.x + 0.8737378589054062), fabs(bar.y + 1.1007997891998285)),
                fabs(bar.z - 0.2785126700812043));
}

static void redundant_rows_pass_with_every_method(void **state) {
    (void)state;
    const double allowed[CARDAN_REGULARISERS] = {[CARDAN_REGULARISE_AUTO] = 1e-10,
                                                 [CARDAN_REGULARISE_QR] = 1e-10,
                                                 [CARDAN_REGULARISE_PROXIMAL] = 1e-10,
                                                 [CARDAN_REGULARISE_TRUST_REGION] = 1e-10,
                                                 [CARDAN_REGULARISE_DIRECT] = 1e-10};
    for (int m = 0; m < CARDAN_REGULARISERS; m++)
        if (m != CARDAN_REGULARISE_NONE)
            check_below(bricard_error((CardanRegularise)m), allowed[m], "Bricard, method %d", m);
}

static void a_model_without_rows_moves_with_every_method(void **state) {
    (void)state;
    for (int m = 0; m < CARDAN_REGULARISERS; m++) {
        CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
        cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "stone", .mass = 2.0, .inertia.zz = 1.0});
        CardanModel *model = scene_compile(b);
        CardanOptions options = options_of(&(Run){.method = (CardanRegularise)m});
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 1.0);
        check_near(scene_body(sim, model, "stone").position.y, -0.5 * GRAVITY, 1e-12, "fall");
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- a singular mass matrix ---- */

static CardanStatus half_a_mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    m[0] = 1.0;
    m[1] = m[2] = 1.0;
    m[3] = 1.0;
    return CARDAN_OK;
}

static CardanStatus no_force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)user, (void)t, (void)q, (void)v, (void)inputs;
    f[0] = f[1] = 0.0;
    return CARDAN_OK;
}

static void a_singular_mass_matrix_is_refused_by_name(void **state) {
    (void)state;
    for (int m = 0; m < CARDAN_REGULARISERS; m++) {
        CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
        cardan_builder_add_block(
            b, &(CardanBlockDef){DEFAULTED, .name = "thin", .coordinates = 2, .mass = half_a_mass, .force = no_force});
        CardanModel *model = scene_compile(b);
        CardanOptions options = options_of(&(Run){.method = (CardanRegularise)m});
        CardanSim *sim = NULL;
        assert_int_equal(cardan_sim_create(model, &options, &sim), CARDAN_ERR_NUMERIC);
        assert_non_null(strstr(cardan_sim_message(sim), "block 'thin': its mass matrix is not positive definite"));
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_keeps_the_tolerance),
        cmocka_unit_test(qr_keeps_the_tolerance),
        cmocka_unit_test(proximal_keeps_the_tolerance),
        cmocka_unit_test(trust_region_keeps_the_tolerance),
        cmocka_unit_test(proximal_with_a_large_epsilon_still_converges_or_says_that_it_does_not),
        cmocka_unit_test(softened_rows_cost_what_is_stated_and_are_logged),
        cmocka_unit_test(errors_fall_with_epsilon),
        cmocka_unit_test(rows_that_give_way_too_far_are_refused),
        cmocka_unit_test(the_trust_region_is_exact_inside_its_radius),
        cmocka_unit_test(a_small_radius_bounds_the_multipliers_near_the_pose_and_says_so),
        cmocka_unit_test(none_refuses_what_it_cannot_resolve),
        cmocka_unit_test(a_start_in_the_pose_goes_on_with_every_method),
        cmocka_unit_test(redundant_rows_pass_with_every_method),
        cmocka_unit_test(a_model_without_rows_moves_with_every_method),
        cmocka_unit_test(a_singular_mass_matrix_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
