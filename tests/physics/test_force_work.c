/* Work of force elements beside what it must be: that of a spring is what it has lost, that of a damper what the
 * mechanism has lost, and all together with stored energies the change of the energy. In both kinds of coordinates,
 * with steppers of every family, in rows at steps and between them; put back with the same bits. */
#include "support/check.h"
#include "support/reading.h"
#include "support/scene.h"

#include "mechanisms.h"

static const char ARM[] = "cardan: 1\nname: arm\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                          "  upper: {mass: 2, inertia: {box: [1, 0.1, 0.1]}, position: [0.5, 0, 0]}\n"
                          "  lower: {mass: 1, inertia: {box: [1, 0.1, 0.1]}, position: [1.5, 0, 0]}\n"
                          "joints:\n"
                          "  shoulder: {type: revolute, bodies: [ground, upper], point: [0, 0, 0], axis: [0, 1, 0]}\n"
                          "  elbow: {type: revolute, bodies: [upper, lower], point: [1, 0, 0], axis: [0, 1, 0]}\n"
                          "forces:\n"
                          "  coil: {type: spring, bodies: [ground, lower], points: [[1, 0, 1], [0, 0, 0]], "
                          "stiffness: 40, length: 0.8}\n"
                          "  damper: {type: spring, bodies: [ground, upper], points: [[0, 0, 1], [0.3, 0, 0]], "
                          "stiffness: 0, damping: 3, length: 0}\n"
                          "  motor: {type: torque, joint: elbow, value: '2*sin(3*t)'}\n";

enum { COIL, DAMPER, MOTOR, COIL_ENERGY, ENERGY, COUNT };
static const char *const NAMES[COUNT] = {"coil.work", "damper.work", "motor.work", "coil.energy", "energy"};

typedef struct Row {
    double work[3], coil, kinetic, potential, total; /* J */
} Row;

typedef struct Arm {
    CardanModel *model;
    CardanChannel channel[COUNT];
} Arm;

static Arm arm_of(void) {
    Arm arm;
    CardanBuilder *builder = NULL;
    assert_int_equal(cardan_builder_read_text(ARM, sizeof ARM - 1, "arm", &builder), CARDAN_OK);
    arm.model = scene_compile(builder);
    for (int i = 0; i < COUNT; i++) MUST(cardan_model_find_channel(arm.model, NAMES[i], &arm.channel[i], NULL, 0));
    return arm;
}

static Row row_at(const Arm *arm, CardanSim *sim, double t) {
    Row row;
    assert_int_equal(sizeof row, 7 * sizeof(double));
    MUST(cardan_sim_sample(sim, t, COUNT, arm->channel, row.work));
    return row;
}

static CardanOptions options_of(CardanCoordinates coordinates, CardanStepper stepper) {
    CardanOptions options = cardan_default_options();
    options.coordinates = coordinates;
    options.stepper = stepper;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    options.end = 3.0;
    return options;
}

/* Against the energies that were at work, some 10 J; rows that have no right to be this good are in the caller's hand.
 */
static void check_row(const Row *start, const Row *row, double tolerance) {
    double spring = row->work[COIL] + row->coil - start->coil;
    double all = row->work[COIL] + row->work[DAMPER] + row->work[MOTOR] + row->coil - start->coil;
    double balance = all - (row->total - start->total);
    if (!(fabs(spring) <= tolerance)) fail_msg("the spring's work is off by %.3g J", spring);
    if (!(fabs(balance) <= tolerance)) fail_msg("the balance is off by %.3g J", balance);
}

/* The damper alone takes energy away: with the motor's torque and the coil known, its work is the loss. */
static void run_with(CardanCoordinates coordinates, CardanStepper stepper, double tolerance) {
    Arm arm = arm_of();
    CardanOptions options = options_of(coordinates, stepper);
    CardanSim *sim = scene_start(arm.model, &options);
    Row start = row_at(&arm, sim, 0.0);
    double damper = 0.0;
    assert_true(start.work[COIL] == 0.0 && start.work[DAMPER] == 0.0 && start.work[MOTOR] == 0.0);
    while (cardan_sim_time(sim) < options.end) {
        MUST(cardan_sim_step(sim, options.end));
        double t = cardan_sim_time(sim);
        Row inside = row_at(&arm, sim, t - 0.37 * cardan_sim_last_step(sim)), end = row_at(&arm, sim, t);
        check_row(&start, &inside, tolerance);
        check_row(&start, &end, tolerance);
        assert_true(inside.work[DAMPER] <= damper && end.work[DAMPER] <= inside.work[DAMPER]);
        damper = end.work[DAMPER];
    }
    CardanEnergy energy;
    Row end = row_at(&arm, sim, options.end);
    MUST(cardan_sim_energy(sim, &energy));
    assert_true(damper < -0.1 && fabs(end.work[COIL]) > 0.1 && fabs(end.work[MOTOR]) > 0.1);
    assert_true(fabs(end.work[DAMPER] + end.work[MOTOR] - energy.work) <= tolerance);
    cardan_sim_destroy(sim);
    cardan_model_release(arm.model);
}

static void work_is_what_energies_change_by_in_both_coordinates(void **state) {
    (void)state;
    run_with(CARDAN_COORDINATES_ABSOLUTE, CARDAN_STEPPER_DOP853, 1e-7);
    run_with(CARDAN_COORDINATES_RELATIVE, CARDAN_STEPPER_DOP853, 1e-7);
}

static void so_it_is_with_other_steppers(void **state) {
    (void)state;
    run_with(CARDAN_COORDINATES_RELATIVE, CARDAN_STEPPER_DOPRI5, 1e-7);
    run_with(CARDAN_COORDINATES_ABSOLUTE, CARDAN_STEPPER_ABM, 1e-5);
}

/* The motion is the same to the bit whether its works are followed or not. */
static void following_it_changes_no_bit_of_the_motion(void **state) {
    (void)state;
    Arm arm = arm_of();
    CardanOptions options = options_of(CARDAN_COORDINATES_RELATIVE, CARDAN_STEPPER_DOP853);
    CardanSim *with = scene_start(arm.model, &options), *without = scene_start(arm.model, &options);
    row_at(&arm, with, 0.0);
    MUST(cardan_sim_advance(with, 1.0));
    MUST(cardan_sim_advance(without, 1.0));
    Row a, b;
    MUST(cardan_sim_sample(with, 1.0, 2, arm.channel + COIL_ENERGY, &a.coil));
    MUST(cardan_sim_sample(without, 1.0, 2, arm.channel + COIL_ENERGY, &b.coil));
    assert_memory_equal(&a.coil, &b.coil, 4 * sizeof a.coil);
    /* asked for too late */
    double value;
    assert_int_equal(cardan_sim_sample(without, 1.0, 1, arm.channel, &value), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(cardan_sim_message(without), "the work of force 'coil' was not followed"));
    cardan_sim_destroy(with);
    cardan_sim_destroy(without);
    cardan_model_release(arm.model);
}

static void it_is_part_of_a_saved_state(void **state) {
    (void)state;
    Arm arm = arm_of();
    CardanOptions options = options_of(CARDAN_COORDINATES_RELATIVE, CARDAN_STEPPER_DOP853);
    CardanSim *sim = scene_start(arm.model, &options), *other = scene_start(arm.model, &options), *copy = NULL;
    row_at(&arm, sim, 0.0);
    MUST(cardan_sim_advance(sim, 1.0));
    double *numbers = test_calloc((size_t)cardan_sim_state_size(sim), sizeof *numbers);
    MUST(cardan_sim_get_state(sim, numbers));
    MUST(cardan_sim_set_state(other, numbers));
    assert_int_equal(cardan_sim_clone(sim, &copy), CARDAN_OK);
    MUST(cardan_sim_advance(sim, 2.0));
    MUST(cardan_sim_advance(other, 2.0));
    MUST(cardan_sim_advance(copy, 2.0));
    Row a = row_at(&arm, sim, 2.0), b = row_at(&arm, other, 2.0), c = row_at(&arm, copy, 2.0);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);
    test_free(numbers);
    cardan_sim_destroy(copy);
    cardan_sim_destroy(other);
    cardan_sim_destroy(sim);
    cardan_model_release(arm.model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_what_energies_change_by_in_both_coordinates),
        cmocka_unit_test(so_it_is_with_other_steppers),
        cmocka_unit_test(following_it_changes_no_bit_of_the_motion),
        cmocka_unit_test(it_is_part_of_a_saved_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
