/* Two equal-length slider-cranks on one crank, their pins a little apart: two singular poses at once, or one so shortly
 * after the other that the neighbourhood of each holds the other. On its branch every slider is at 2 cos of its pin's
 * angle; with one freedom, that and the energy decide on the motion. */
#define STEPS_MOST 4000
#include "pathology/passage_fixture.h"
#include "support/defaulted.h"

enum { TWINS = 2 };
static const double RELEASED = -0.3; /* rad */

/* Everything as in space; in the plane what has no place there is left away. */
static CardanBody add_part(CardanBuilder *b, CardanSpace space, const char *name, int number, CardanVec3 p,
                           double angle) {
    char full[16];
    snprintf(full, sizeof full, "%s%d", name, number);
    CardanBodyDef def = {DEFAULTED, .name = full, .mass = 1.0, .inertia.zz = 0.1, .pose.p = p};
    if (space == CARDAN_SPACE_PLANAR) {
        def.pose.angle = angle;
    } else {
        def.inertia.xx = def.inertia.yy = 0.1;
        def.pose.q = (CardanQuat){.w = cos(0.5 * angle), .z = sin(0.5 * angle)};
    }
    return cardan_builder_add_body(b, &def);
}

static void add_pair(CardanBuilder *b, CardanSpace space, CardanJointDef def, const char *name, int number) {
    char full[16];
    snprintf(full, sizeof full, "%s%d", name, number);
    def.name = full;
    if (space == CARDAN_SPACE_SPATIAL && def.type == CARDAN_JOINT_REVOLUTE) def.axis = (CardanVec3){0.0, 0.0, 1.0};
    cardan_builder_add_joint(b, &def);
}

static CardanModel *twins(CardanSpace space, double apart) {
    CardanBuilder *b = cardan_builder_create(space);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
    CardanBody crank = add_part(b, space, "crank", 0, (CardanVec3){0}, RELEASED);
    add_pair(b, space, (CardanJointDef){DEFAULTED, .type = CARDAN_JOINT_REVOLUTE, .b = crank}, "main", 0);
    for (int i = 0; i < TWINS; i++) {
        double x = cos(RELEASED + i * apart), y = sin(RELEASED + i * apart);
        CardanVec3 end = {2.0 * x, 0.0, 0.0};
        CardanBody rod = add_part(b, space, "rod", i, (CardanVec3){1.5 * x, 0.5 * y, 0.0}, -RELEASED - i * apart);
        CardanBody slider = add_part(b, space, "slider", i, end, 0.0);
        add_pair(b, space,
                 (CardanJointDef){DEFAULTED, .type = CARDAN_JOINT_REVOLUTE, .a = crank, .b = rod, .point = {x, y, 0.0}},
                 "pin", i);
        add_pair(b, space,
                 (CardanJointDef){DEFAULTED, .type = CARDAN_JOINT_REVOLUTE, .a = rod, .b = slider, .point = end},
                 "wrist", i);
        add_pair(b, space,
                 (CardanJointDef){DEFAULTED, .type = CARDAN_JOINT_PRISMATIC, .b = slider, .axis = {1.0, 0.0, 0.0}},
                 "guide", i);
    }
    return scene_compile(b);
}

static void swing_twins(CardanSpace space, double apart, CardanOptions options, double allowed) {
    const char *const sliders[TWINS] = {"slider0", "slider1"};
    CardanModel *model = twins(space, apart);
    CardanSim *sim = scene_start(model, &options);
    double off = 0.0, lowest = 0.0;
    while (cardan_sim_time(sim) < 3.0) {
        must_step(sim, 3.0);
        double angle = RELEASED + scene_coordinate(sim, model, "main0", NULL);
        for (int i = 0; i < TWINS; i++)
            off = fmax(off, fabs(scene_body(sim, model, sliders[i]).position.x - 2.0 * cos(angle + i * apart)));
        lowest = fmin(lowest, angle);
    }
    const CardanEvent *events;
    check_below(off, fmax(1e-9, 1e-3 * options.rtol), "sliders off their branch, pins %g rad apart", apart);
    check_below(scene_energy(sim).drift_max, allowed, "energy, pins %g rad apart", apart);
    assert_true(lowest < -HALF_PI - apart); /* through both poses */
    assert_true(cardan_sim_events(sim, &events, NULL) >= 1);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static const double APART[] = {0.0, 1e-5, 1e-3, 0.01, 0.1, 0.3};

static void poses_at_once_or_next_to_each_other_are_passed(void **state) {
    (void)state;
    const double relative[] = {1e-3, 1e-6, 1e-9, 1e-12};
    for (int i = 0; i < 24; i++)
        for (int space = 0; space < 2; space++)
            swing_twins(space == 0 ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL, APART[i / 4],
                        tolerance(relative[i % 4]), 100.0 * relative[i % 4]);
}

static void fixed_steps_pass_them_too(void **state) {
    (void)state;
    for (int i = 0; i < 6; i++) {
        CardanOptions options = tolerance(1e-6);
        options.stepper = CARDAN_STEPPER_RK4;
        options.step = 0.01;
        swing_twins(CARDAN_SPACE_PLANAR, APART[i], options, 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_at_once_or_next_to_each_other_are_passed),
        cmocka_unit_test(fixed_steps_pass_them_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
