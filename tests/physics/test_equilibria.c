/* Balance against closed forms: hanging chains, snap-through, a spring-loaded four-bar scanned by hand. */
#include "support/check.h"
#include "support/scene.h"

/* ---- hanging chain ---- */

#define GRAVITY 9.81

static CardanModel *chain_of(int links, double length) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
    double half = 0.5 * links * length, angle = acos(0.5 / half), x = 0.0, y = 0.0;
    CardanBody before = {0};
    cardan_builder_set_gravity(builder, (CardanVec3){0, -GRAVITY, 0});
    for (int i = 0; i <= links; i++) {
        char name[32];
        double turn = i < links / 2 ? -angle : angle;
        CardanBodyDef body = cardan_default_body();
        CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "link%d", i);
        body.name = name;
        body.mass = length;
        body.inertia.zz = length * length * length / 12.0;
        body.pose.p = (CardanVec3){x + 0.5 * length * cos(turn), y + 0.5 * length * sin(turn), 0};
        body.pose.angle = turn;
        joint.a = before;
        if (i < links) joint.b = before = cardan_builder_add_body(builder, &body);
        snprintf(name, sizeof name, "pin%d", i);
        joint.name = name;
        joint.point = (CardanVec3){x, y, 0};
        cardan_builder_add_joint(builder, &joint);
        x += length * cos(turn);
        y += length * sin(turn);
    }
    return scene_compile(builder);
}

/* Of a chain of equal links between two points 1 m apart at one height: link i has the slope of the forces in its
 * middle, tan = (i + 1/2 - n/2) w / H, and H closes the span. */
static double horizontal_force(int links, double length) {
    double low = 1e-9, high = 1e3, weight = length * GRAVITY;
    for (int k = 0; k < 200; k++) {
        double force = 0.5 * (low + high), span = 0.0;
        for (int i = 0; i < links; i++) span += length * force / hypot(force, (i + 0.5 - 0.5 * links) * weight);
        if (span < 1.0)
            low = force;
        else
            high = force;
    }
    return 0.5 * (low + high);
}

static void check_chain(int links, double allowed) {
    double length = 1.2 / links, force = horizontal_force(links, length), x = 0.0, y = 0.0, worst = 0.0;
    CardanModel *model = chain_of(links, length);
    CardanStudy *study = NULL;
    CardanEquilibrium found;
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    if (cardan_study_equilibrium(study, &found) < 0) fail_msg("%s", cardan_study_message(study));
    const double *q = cardan_study_positions(study);
    for (int i = 0; i < links; i++) {
        double rise = (i + 0.5 - 0.5 * links) * length * GRAVITY, tension = hypot(force, rise);
        double dx = length * force / tension, dy = length * rise / tension;
        worst = fmax(worst, fmax(fabs(q[3 * i] - x - 0.5 * dx), fabs(q[3 * i + 1] - y - 0.5 * dy)));
        x += dx;
        y += dy;
    }
    check_near(worst, 0.0, allowed, "a chain of %d links and its catenary", links);
    CardanWrench end;
    assert_int_equal(cardan_study_reaction(study, cardan_model_find_joint(model, "pin0"), &end), CARDAN_OK);
    check_near(end.force.x, -force, 1e-9 * force, "the horizontal force of %d links", links);
    assert_true(found.judged);
    assert_int_equal(found.negative + found.neutral, 0);
    if (getenv("CARDAN_LINKS") != NULL) printf("%d links: %.2g m off, %d iterations\n", links, worst, found.iterations);
    cardan_study_destroy(study);
    cardan_model_release(model);
}

/* Links of 1 m and 1 kg down from a pin, gravity along them (or against). */
static CardanModel *plumb_chain(int links, double gravity) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody before = {0};
    cardan_builder_set_gravity(builder, (CardanVec3){0, -gravity, 0});
    for (int i = 0; i < links; i++) {
        char name[32];
        CardanBodyDef body = cardan_default_body();
        CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "link%d", i);
        body.name = name;
        body.mass = 1.0;
        body.inertia.zz = 1.0 / 12.0;
        body.pose.p = (CardanVec3){0, -i - 0.5, 0};
        joint.a = before;
        joint.b = before = cardan_builder_add_body(builder, &body);
        snprintf(name, sizeof name, "pin%d", i);
        joint.name = name;
        joint.point = (CardanVec3){0, -i, 0};
        cardan_builder_add_joint(builder, &joint);
    }
    return scene_compile(builder);
}

/* Signs and the smallest eigenvalue by the inertia of the sparse matrix, against modes: of a chain that stands on its
 * pin all directions fall, and its weakest is the highest mode of the same chain that hangs. */
static void the_inertia_of_a_chain_is_that_of_its_modes(void **state) {
    (void)state;
    enum { LINKS = 60 };
    CardanModel *hangs = plumb_chain(LINKS, GRAVITY), *stands = plumb_chain(LINKS, -GRAVITY);
    CardanSim *sim = scene_start(hangs, NULL);
    CardanModes *modes = NULL;
    CardanMode lowest, highest;
    assert_int_equal(cardan_sim_modes(sim, 0, &modes), CARDAN_OK);
    int count = cardan_modes_count(modes, CARDAN_MODES_UNDAMPED);
    assert_int_equal(count, LINKS);
    assert_int_equal(cardan_modes_get(modes, CARDAN_MODES_UNDAMPED, 0, &lowest, NULL, NULL), CARDAN_OK);
    assert_int_equal(cardan_modes_get(modes, CARDAN_MODES_UNDAMPED, count - 1, &highest, NULL, NULL), CARDAN_OK);
    for (int k = 0; k < 2; k++) {
        CardanStudy *study = NULL;
        CardanEquilibrium found;
        const CardanMode *mode = k == 0 ? &lowest : &highest;
        assert_int_equal(cardan_study_create(k == 0 ? hangs : stands, &study, NULL, 0), CARDAN_OK);
        if (cardan_study_equilibrium(study, &found) < 0) fail_msg("%s", cardan_study_message(study));
        assert_true(found.judged);
        assert_int_equal(found.negative, k == 0 ? 0 : LINKS);
        assert_int_equal(found.neutral, 0);
        check_near(fabs(found.weakest), mode->im * mode->im, 1e-7 * mode->im * mode->im, "its weakest");
        cardan_study_destroy(study);
    }
    cardan_modes_destroy(modes);
    cardan_sim_destroy(sim);
    cardan_model_release(hangs);
    cardan_model_release(stands);
}

static void a_hanging_chain_is_its_discrete_catenary(void **state) {
    (void)state;
    const char *links = getenv("CARDAN_LINKS"); /* 10000 by hand */
    check_chain(10, 1e-12);
    check_chain(60, 1e-12);
    check_chain(1000, 1e-12);
    if (links != NULL) check_chain(atoi(links), 1e-9);
}

/* ---- snap-through ---- */

/* A particle on a vertical guide between two springs to the walls 1 m away, rest length 1.1 m, pressed down by its
 * weight: k (l - l0) 2 h / l = -m g at height h. The limit load is where that has a double root. */
static double spring_force(double h) {
    double l = sqrt(1.0 + h * h);
    return -2.0 * 1000.0 * (l - 1.1) * h / l; /* upwards */
}

static int roots_of(double weight, double *root) {
    int count = 0;
    for (double h = -1.0; h < 1.0; h += 1e-3) {
        double a = h, b = h + 1e-3, fa = spring_force(a) - weight;
        if (fa * (spring_force(b) - weight) >= 0.0) continue;
        for (int k = 0; k < 100; k++) {
            double c = 0.5 * (a + b), fc = spring_force(c) - weight;
            if (fa * fc <= 0.0)
                b = c;
            else
                a = c;
        }
        root[count++] = 0.5 * (a + b);
    }
    return count;
}

static CardanModel *snap_of(double weight) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "cardan: 1\nname: snap\nspace: planar\ngravity: [0, -10]\n"
        "bodies:\n  shoe: {mass: %.17g, inertia: 0.01, position: [0, 0.4]}\n"
        "joints:\n  guide: {type: prismatic, bodies: [ground, shoe], point: [0, 0], axis: [0, 1]}\n"
        "forces:\n"
        "  left: {type: spring, bodies: [ground, shoe], points: [[-1, 0], [0, 0]], stiffness: 1000, length: 1.1}\n"
        "  right: {type: spring, bodies: [ground, shoe], points: [[1, 0], [0, 0]], stiffness: 1000, length: 1.1}\n",
        weight / 10.0);
    return scene_read(text);
}

static void check_snap(double weight, int expected) {
    double root[8];
    CardanEquilibrium found[8];
    CardanStudy *study = NULL;
    int count = 0;
    assert_int_equal(roots_of(weight, root), expected);
    CardanModel *model = snap_of(weight);
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    if (cardan_study_equilibria(study, 30, 8, found, &count) < 0) fail_msg("%s", cardan_study_message(study));
    assert_int_equal(count, expected);
    for (int i = 0; i < count; i++) {
        assert_int_equal(cardan_study_take(study, i), CARDAN_OK);
        double h = cardan_study_positions(study)[1], nearest = 1.0;
        for (int k = 0; k < expected; k++) nearest = fmin(nearest, fabs(h - root[k]));
        check_near(nearest, 0.0, 1e-12, "height %g of an equilibrium under %g N", h, weight);
        bool stable = spring_force(h + 1e-5) < spring_force(h - 1e-5);
        assert_true(found[i].judged);
        assert_int_equal(found[i].negative, stable ? 0 : 1);
        assert_int_equal(found[i].neutral, 0);
    }
    cardan_study_destroy(study);
    cardan_model_release(model);
}

static void a_buckling_pair_has_three_equilibria_below_its_limit_load_and_one_above(void **state) {
    (void)state;
    double limit = 0.0;
    for (double h = 0.0; h < 0.5; h += 1e-4) limit = fmax(limit, spring_force(h));
    check_snap(0.98 * limit, 3);
    check_snap(1.02 * limit, 1);
}

/* ---- four-bar ---- */

static const char FOUR_BAR[] =
    "cardan: 1\nname: sprung\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1.0, inertia: 0.01, position: [0.1, 0]}\n"
    "  coupler: {mass: 2.0, inertia: 0.05, position: [0.5, 0.2], angle: 0.4}\n"
    "  rocker: {mass: 1.5, inertia: 0.03, position: [0.85, 0.2], angle: 1.8}\n"
    "joints:\n"
    "  main: {type: revolute, bodies: [ground, crank], local: {a: [0, 0], b: [-0.1, 0]}}\n"
    "  pin: {type: revolute, bodies: [crank, coupler], local: {a: [0.1, 0], b: [-0.35, 0]}}\n"
    "  knee: {type: revolute, bodies: [coupler, rocker], local: {a: [0.35, 0], b: [0.25, 0]}}\n"
    "  base: {type: revolute, bodies: [ground, rocker], local: {a: [0.8, 0], b: [-0.25, 0]}}\n"
    "forces:\n"
    "  spring: {type: spring, bodies: [ground, crank], points: [[0.1, 0.4], [0.1, 0]], stiffness: 120, length: 0.2}\n";

/* Its one-coordinate potential on a circuit (side +1: open, -1: crossed), by the law of cosines. */
static double potential_of(double angle, double side) {
    double ax = 0.2 * cos(angle), ay = 0.2 * sin(angle), dx = 0.8 - ax, dy = -ay, d = hypot(dx, dy);
    double along = (d * d + 0.49 - 0.25) / (2.0 * d), up = side * sqrt(0.49 - along * along);
    double ky = ay + along * dy / d + up * dx / d;
    double stretch = hypot(ax - 0.1, ay - 0.4) - 0.2;
    return 9.81 * (1.0 * 0.5 * ay + 2.0 * 0.5 * (ay + ky) + 1.5 * 0.5 * ky) + 60.0 * stretch * stretch;
}

enum { SCAN = 20000 };

/* Extrema over a turn: minima are stable. */
static int scan(double side, int *stable, double *angles) {
    int count = 0;
    *stable = 0;
    for (int i = 0; i < SCAN; i++) {
        double h = 2.0 * 3.14159265358979323846 / SCAN, a = i * h;
        double before = potential_of(a - h, side), here = potential_of(a, side), after = potential_of(a + h, side);
        if ((here < before && here <= after) || (here > before && here >= after)) {
            angles[count++] = a;
            *stable += here < before;
        }
    }
    return count;
}

static void all_equilibria_of_a_spring_loaded_four_bar_are_found_with_their_stability(void **state) {
    (void)state;
    double angles[2][16];
    int stable[2], number[2] = {scan(1.0, &stable[0], angles[0]), scan(-1.0, &stable[1], angles[1])};
    assert_int_equal(number[0] % 2, 0);
    assert_int_equal(number[1] % 2, 0);
    CardanModel *model = scene_read(FOUR_BAR);
    CardanStudy *study = NULL;
    CardanEquilibrium found[32];
    int count = 0, found_stable = 0;
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    if (cardan_study_equilibria(study, 60, 32, found, &count) < 0) fail_msg("%s", cardan_study_message(study));
    assert_int_equal(count, number[0] + number[1]);
    for (int i = 0; i < count; i++) {
        assert_int_equal(cardan_study_take(study, i), CARDAN_OK);
        double nearest = 10.0, angle = cardan_study_positions(study)[2];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < number[s]; k++)
                nearest = fmin(nearest, fabs(remainder(angle - angles[s][k], 2.0 * 3.14159265358979323846)));
        check_near(nearest, 0.0, 4e-4, "crank angle %g of an equilibrium, to the scan's step", angle);
        assert_true(found[i].judged);
        found_stable += found[i].negative == 0;
    }
    assert_int_equal(found_stable, stable[0] + stable[1]);
    cardan_study_destroy(study);
    cardan_model_release(model);
}

/* ---- refusals ---- */

static void a_free_body_that_falls_is_named(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nname: stone\nspace: planar\ngravity: [0, -9.81]\n"
                                    "bodies:\n  stone: {mass: 1, inertia: 1}\n");
    CardanStudy *study = NULL;
    CardanEquilibrium found;
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_study_equilibrium(study, &found), CARDAN_ERR_NUMERIC);
    if (strstr(cardan_study_message(study), "'stone'") == NULL) fail_msg("%s", cardan_study_message(study));
    cardan_study_destroy(study);
    cardan_model_release(model);
}

static void loads_on_a_body_in_balance_sum_to_zero(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/double_wishbone.yaml");
    CardanStudy *study = NULL;
    CardanEquilibrium found;
    CardanLoad loads[16];
    int count = 0;
    assert_int_equal(cardan_study_create(model, &study, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_study_equilibrium(study, &found), CARDAN_OK);
    for (int b = 0; b < cardan_model_sizes(model).bodies; b++) {
        double sum[6] = {0}, most = 0.0;
        assert_int_equal(cardan_study_loads(study, cardan_model_body(model, b), 16, loads, &count), CARDAN_OK);
        for (int i = 0; i < count; i++) {
            const CardanWrench *w = &loads[i].wrench;
            double number[6] = {w->force.x, w->force.y, w->force.z, w->moment.x, w->moment.y, w->moment.z};
            for (int k = 0; k < 6; k++) {
                sum[k] += number[k];
                most = fmax(most, fabs(number[k]));
            }
        }
        check_near(worst_of(sum, 6), 0.0, 1e-10 * most, "loads on body %d", b);
    }
    cardan_study_destroy(study);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_chain_is_its_discrete_catenary),
        cmocka_unit_test(the_inertia_of_a_chain_is_that_of_its_modes),
        cmocka_unit_test(a_buckling_pair_has_three_equilibria_below_its_limit_load_and_one_above),
        cmocka_unit_test(all_equilibria_of_a_spring_loaded_four_bar_are_found_with_their_stability),
        cmocka_unit_test(a_free_body_that_falls_is_named),
        cmocka_unit_test(loads_on_a_body_in_balance_sum_to_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
