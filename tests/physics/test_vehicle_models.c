/* Wheels of models/: a vehicle whose four wheels roll beside the kinematics of Ackermann's steering, and the tyre of
 * the quarter car beside the published fit of its measurements. */
#include "support/reading.h"
#include "support/run.h"

#include "core/numbers.h"

/* ---- vehicle with rolling wheels ---- */

static const double WHEELBASE = 2.6, TRACK = 1.4, RADIUS = 0.3;

static double curvature(double t) {
    double u = fmin(t / 3.0, 1.0);
    return 0.1 * u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

/* Velocity of the point of a body at p (from its centre of mass, ground axes). */
static CrdVec velocity_at(CardanBodyState s, CrdVec p) {
    return crd_add(s.velocity, crd_cross(s.angular_velocity, p));
}

/* Where a wheel stands (x forward of the rear axle, y left of the middle) it moves about the centre of the turn. */
static void check_wheel(const Run *run, const char *wheel, const char *axle, double x, double y, double speed, double K,
                        double t) {
    double rate;
    coordinate(run, axle, &rate);
    check_near(rate, speed * hypot(1.0 - K * y, K * x) / RADIUS, 1e-9, "rate of %s at t = %g", axle, t);
    CardanBodyState s = body(run, wheel);
    check_near(crd_norm(velocity_at(s, (CrdVec){0, 0, -RADIUS})), 0.0, 1e-11, "slip of %s at t = %g", wheel, t);
    check_near(s.position.z, RADIUS, 1e-12, "height of %s at t = %g", wheel, t);
}

static void a_vehicle_turns_about_ackermanns_centre(void **state) {
    (void)state;
    Run run = load("models/vehicle.yaml");
    double shift, heading = 0.0, before = 0.0;
    for (int i = 1; i <= 60; i++) {
        double t = 0.1 * i, K = curvature(t);
        scene_advance(run.sim, t);
        CardanBodyState chassis = body(&run, "chassis");
        CrdVec forward = turned(chassis.quaternion, (CrdVec){1, 0, 0}),
               left = turned(chassis.quaternion, (CrdVec){0, 1, 0});
        CrdVec rear = velocity_at(chassis, turned(chassis.quaternion, (CrdVec){-1.2, 0, -0.25}));
        double speed = crd_dot(rear, forward);
        check_near(crd_dot(rear, left), 0.0, 1e-11, "the rear axle goes where it points, t = %g", t);
        check_near(chassis.angular_velocity.z, K * speed, 1e-11, "turn at t = %g", t);
        double l = WHEELBASE, w = 0.5 * TRACK;
        check_near(coordinate(&run, "king_l", NULL), atan2(l * K, 1.0 - K * w), 1e-12, "left steering at t = %g", t);
        check_wheel(&run, "wheel_rl", "rear_left", 0.0, w, speed, K, t);
        check_wheel(&run, "wheel_rr", "rear_right", 0.0, -w, speed, K, t);
        check_wheel(&run, "wheel_fl", "front_left", l, w, speed, K, t);
        check_wheel(&run, "wheel_fr", "front_right", l, -w, speed, K, t);
        assert_int_equal(
            cardan_sim_coordinate(run.sim, joint_of(&run, "rear_right"), CARDAN_COORDINATE_DISPLACEMENT, &shift, NULL),
            CARDAN_OK);
        check_near(shift, 0.0, 1e-10, "the loose wheel stays on its axle, t = %g", t);
        if (t > 3.0) heading += fabs(remainder(atan2(forward.y, forward.x) - before, 2.0 * CRD_PI));
        before = atan2(forward.y, forward.x);
    }
    check_between(heading, 1.2, 1.4, "about 3 s at 4.3 m/s on a circle of 10 m");
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-8, "energy less the motors' work"); /* of 15 kJ */
    finish(&run);
}

/* On the circle the rear axle's middle keeps its distance of 1/K from one point; loads add up to the weight. */
static void a_vehicle_circles_at_its_radius(void **state) {
    (void)state;
    static const char *const ROADS[] = {"road_fl", "road_fr", "road_rl", "road_rr"};
    Run run = load("models/vehicle.yaml");
    CrdVec centre = {0, 0, 0};
    for (int i = 0; i <= 10; i++) {
        scene_advance(run.sim, 3.0 + 0.5 * i);
        CardanBodyState s = body(&run, "chassis");
        CrdVec rear = crd_add(s.position, turned(s.quaternion, (CrdVec){-1.2, 0, -0.25}));
        CrdVec about = crd_add(rear, turned(s.quaternion, (CrdVec){0, 10.0, 0}));
        if (i == 0) centre = about;
        check_near(crd_norm(crd_sub(about, centre)), 0.0, 1e-9, "centre of the circle at t = %g", 3.0 + 0.5 * i);
        double sum = 0.0, load[4];
        for (int k = 0; k < 4; k++) sum += load[k] = scene_reaction(run.sim, run.model, ROADS[k]).force.z;
        check_near(sum, 1136.0 * 9.81, 1e-7, "weight on the road");
        assert_true(load[0] > 0.0 && load[1] > load[0] && load[2] > 0.0 && load[3] > load[2]); /* outer ones more */
    }
    finish(&run);
}

/* ---- two wheels on one axle ---- */

enum { PAIR = 2048, FLEET = 40 }; /* bytes for one pair of wheels; pairs in a model too large for dense looks */

/* Pairs of wheels side by side. */
static CardanModel *pairs(int count, const char *right_hub) {
    size_t size = (size_t)(count + 1) * PAIR;
    char *text = room(size, 1);
    size_t n = (size_t)snprintf(text, size,
                                "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                                "parameters: {R: 0.3, w: 0.6, v: 1.5, turn: 0.8}\nbodies:\n");
    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(
            text + n, size - n,
            "  axle%d: {mass: 8, inertia: [0.6, 0.2, 0.6], position: [0.05, %d, 0.2], velocity: [v, 'turn*0.05', 0],\n"
            "    angular_velocity: [0, 0, turn]}\n"
            "  left%d: {mass: 2, inertia: [0.05, 0.09, 0.05], position: [0, '%d + w', R],\n"
            "    velocity: ['v - turn*w', 0, 0], angular_velocity: [0, '(v - turn*w)/R', turn]}\n"
            "  right%d: {mass: 2, inertia: [0.05, 0.09, 0.05], position: [0, '%d - w', R],\n"
            "    velocity: ['v + turn*w', 0, 0], angular_velocity: [0, '(v + turn*w)/R', turn]}\n",
            i, 3 * i, i, 3 * i, i, 3 * i);
    n += (size_t)snprintf(text + n, size - n, "joints:\n");
    for (int i = 0; i < count; i++)
        n += (size_t)snprintf(
            text + n, size - n,
            "  hub_l%d: {type: revolute, bodies: [axle%d, left%d], point: [0, '%d + w', R], axis: [0, 1, 0]}\n"
            "  hub_r%d: {type: %s, bodies: [axle%d, right%d], point: [0, '%d - w', R], axis: [0, 1, 0]}\n"
            "  road_l%d: {type: rolling, bodies: [ground, left%d], point: [0, 0, 0], normal: [0, 0, 1], axis: [0, 1, "
            "0], "
            "radius: R}\n"
            "  road_r%d: {type: rolling, bodies: [ground, right%d], point: [0, 0, 0], normal: [0, 0, 1], axis: [0, 1, "
            "0], "
            "radius: R}\n",
            i, i, i, 3 * i, i, right_hub, i, i, 3 * i, i, i, i, i);
    assert_true(n < size);
    CardanModel *model = scene_read(text);
    free(text);
    return model;
}

static void check_pairs(int count, double t) {
    CardanModel *model = pairs(count, "revolute");
    CardanCheck check;
    char message[256];
    if (cardan_model_check(model, &check, NULL, NULL, message, sizeof message) < 0) fail_msg("%s", message);
    assert_int_equal(check.redundant_rows, count);
    assert_int_equal(check.degrees_of_freedom, 3 * count);
    Run coarse = start(model, 1e-6, 1e-8);
    scene_advance(coarse.sim, t);
    check_near(residual_of(coarse.sim).position_max, 0.0, 1e-12, "hubs and roads of %d stay closed", count);
    finish(&coarse);
}

/* Two wheels fixed along one axle are stopped sideways twice: a row of the hub, of places, depends on rows of the
 * roads, of velocities. The hub's row must be the one that is kept, or the wheel would creep along the axle. */
static void wheels_that_are_stopped_sideways_twice_stay_on_their_axle(void **state) {
    (void)state;
    check_pairs(1, 20.0);
    check_pairs(FLEET, 2.0);
    Run fixed = start(pairs(1, "revolute"), 1e-11, 1e-12), loose = start(pairs(1, "cylindrical"), 1e-11, 1e-12);
    scene_advance(fixed.sim, 5.0);
    scene_advance(loose.sim, 5.0);
    CardanBodyState a = body(&fixed, "axle0"), b = body(&loose, "axle0");
    check_near(crd_norm(crd_sub(a.position, b.position)), 0.0, 1e-8, "the same motion");
    check_near(crd_norm(crd_sub(a.velocity, b.velocity)), 0.0, 1e-8, "the same velocity");
    finish(&fixed);
    finish(&loose);
}

/* ---- tyre of the quarter car ---- */

/* One row of the table in Bakker, Nyborg, Pacejka, SAE paper 870421 (1987): load in kN, forces in N, slips in per cent
 * or degrees. */
typedef struct Fit {
    double C, a[8], unit; /* unit: slips of the table in one of ours */
} Fit;
static const Fit BRAKE = {1.65, {-21.3, 1144, 49.6, 226, 0.069, -0.006, 0.056, 0.486}, 100.0};
static const Fit SIDE = {1.30, {-22.1, 1011, 1078, 1.82, 0.208, 0.0, -0.354, 0.707}, 180.0 / CRD_PI};
static const double LOAD = 3.84; /* kN, that the model takes them at */

/* Part of the load at a slip. */
static double published(const Fit *fit, double slip, double *peak) {
    const double *a = fit->a, F = LOAD;
    double D = a[0] * F * F + a[1] * F, E = a[5] * F * F + a[6] * F + a[7];
    double BCD = fit == &BRAKE ? (a[2] * F * F + a[3] * F) / exp(a[4] * F) : a[2] * sin(a[3] * atan(a[4] * F));
    double x = BCD / (fit->C * D) * slip * fit->unit;
    *peak = D / (1000.0 * F);
    return *peak * sin(fit->C * atan((1.0 - E) * x + E * atan(x)));
}

/* Force of the road along it, over the load, with these slips. Nothing else acts along the road but the guide of the
 * carriage, across it. The wheel is steered a little by its suspension: the length counts, with the sign of the slip.
 */
static double grip(const Run *run, double slip, double angle) {
    static const struct {
        double mass;
        bool guided; /* its weight rests on the guide */
    } BODIES[] = {{1, true}, {350, false}, {6, false}, {3, false}, {10, false}, {22, false}};
    double a[36], load = 0.0, across = 0.0, along = 0.0;
    assert_int_equal(cardan_sim_set_first_order(run->sim, (CardanFirstOrder){0}, (double[]){slip, angle}), CARDAN_OK);
    assert_int_equal(cardan_sim_evaluate(run->sim, a, NULL), CARDAN_OK);
    for (int i = 0; i < 6; i++) {
        along += BODIES[i].mass * a[6 * i];
        across += BODIES[i].mass * a[6 * i + 1];
        if (!BODIES[i].guided) load += BODIES[i].mass * (a[6 * i + 2] + 9.81);
    }
    across -= scene_reaction(run->sim, run->model, "drive").force.y;
    return copysign(hypot(along, across) / load, slip == 0.0 ? across : along);
}

static double grip_along(const Run *run, double slip) {
    return grip(run, slip, 0.0);
}

static double grip_across(const Run *run, double angle) {
    return grip(run, 0.0, angle);
}

/* Where the curve is highest, by halving the way to where its slope changes sign. */
static double highest(double (*curve)(const Run *, double), const Run *run) {
    double low = 0.01, high = 0.5, h = 1e-6;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        *(curve(run, middle + h) > curve(run, middle - h) ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static void the_quarter_cars_tyre_is_the_published_one(void **state) {
    (void)state;
    Run run = load("models/quarter_car.yaml");
    double peak_x, peak_y;
    assert_int_equal(cardan_model_sizes(run.model).bodies, 6);
    scene_advance(run.sim, 0.45); /* on its springs, not yet braked */
    for (int i = -20; i <= 20; i++) {
        double s = 0.03 * i;
        check_near(grip_along(&run, s), published(&BRAKE, s, &peak_x), 1e-10, "along the road at slip %g", s);
        check_near(grip_across(&run, s), published(&SIDE, s, &peak_y), 1e-10, "across the road at slip %g", s);
    }
    double best_x = highest(grip_along, &run), best_y = highest(grip_across, &run);
    check_near(published(&BRAKE, best_x, &peak_x), peak_x, 1e-10, "grip at the best slip");
    check_near(published(&SIDE, best_y, &peak_y), peak_y, 1e-10, "grip at the best slip angle");
    check_near(best_x, 0.1045, 1e-4, "best slip for braking"); /* as the model's head says */
    check_near(best_y, 0.1619, 1e-4, "best slip angle");
    check_near(peak_x, 1.0622, 1e-4, "greatest brake force over the load");
    check_near(peak_y, 0.9261, 1e-4, "greatest side force over the load");
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vehicle_turns_about_ackermanns_centre),
        cmocka_unit_test(a_vehicle_circles_at_its_radius),
        cmocka_unit_test(wheels_that_are_stopped_sideways_twice_stay_on_their_axle),
        cmocka_unit_test(the_quarter_cars_tyre_is_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
