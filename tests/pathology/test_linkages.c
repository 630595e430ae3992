/* Linkages through all their singular poses, and linkages whose rows are redundant in every pose, beside closed forms
 * and one-coordinate equations. Nothing is tuned: default options but for the tolerances. */
#include "mechanisms.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/sample.h"

#define STEPS_MOST 2000
#include "pathology/passage_fixture.h"

/* ---- A02, the N-four-bar: [(N+1)/3 + N] x'' = [(N+1)/2 + N] g sin x, x clockwise from upright ---- */

static Swing bars_swing(int n) {
    return (Swing){.j0 = (n + 1) / 3.0L + n, .c2 = ((n + 1) / 2.0L + n) * (long double)GRAVITY, .v = 1.0L};
}

/* The same with hinges in space: 3 rows of each loop are redundant. */
static CardanBody add_bar(CardanBuilder *b, CardanBodyDef def, char letter, int number) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", letter, number);
    def.name = name;
    def.mass = 1.0;
    def.inertia = letter == 'c' ? (CardanInertia){.xx = 1.0 / 12, .yy = 1.0 / 600, .zz = 1.0 / 12}
                                : (CardanInertia){.xx = 1.0 / 600, .yy = 1.0 / 12, .zz = 1.0 / 12};
    return cardan_builder_add_body(b, &def);
}

static void add_hinge(CardanBuilder *b, char letter, int number, CardanBody a, CardanBody c, CardanVec3 point) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", letter, number);
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE, .a = a,
                                                  .b = c, .point = point, .axis = {0.0, 0.0, 1.0}});
}

static CardanBuilder *spatial_four_bars(int n) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
    CardanBody before = {0};
    for (int i = 0; i <= n; i++) {
        CardanBodyDef crank = {DEFAULTED, .pose.p = {i, 0.5, 0.0}, .velocity = {0.5, 0.0, 0.0},
                               .angular_velocity = {0.0, 0.0, -1.0}};
        CardanBody now = add_bar(b, crank, 'c', i);
        add_hinge(b, 'g', i, (CardanBody){0}, now, (CardanVec3){i, 0.0, 0.0});
        if (i > 0) {
            CardanBodyDef coupler = {DEFAULTED, .pose.p = {i - 0.5, 1.0, 0.0}, .velocity = {1.0, 0.0, 0.0}};
            CardanBody bar = add_bar(b, coupler, 'h', i - 1);
            add_hinge(b, 'a', i - 1, before, bar, (CardanVec3){i - 1.0, 1.0, 0.0});
            add_hinge(b, 'b', i - 1, now, bar, (CardanVec3){i, 1.0, 0.0});
        }
        before = now;
    }
    return b;
}

/* Clockwise turn of a crank from upright, up to whole turns. */
static double lean_of(CardanSim *sim, const CardanModel *model, int i) {
    char name[16];
    snprintf(name, sizeof name, "c%d", i);
    CardanBodyState s = scene_body(sim, model, name);
    if (cardan_model_space(model) == CARDAN_SPACE_PLANAR) return HALF_PI - s.angle;
    return -2.0 * atan2(s.quaternion.z, s.quaternion.w);
}

static double apart(double a, double b) {
    return fabs(remainder(a - b, 4.0 * HALF_PI));
}

static void swing_four_bars(int n, CardanBuilder *builder, double end) {
    CardanOptions options = tolerance(1e-9);
    CardanModel *model = scene_compile(builder);
    CardanSim *sim = scene_start(model, &options);
    Swing swing = bars_swing(n);
    double error = 0.0, parted = 0.0;
    while (cardan_sim_time(sim) < end) {
        must_step(sim, end);
        swing_advance(&swing, cardan_sim_time(sim));
        double lean = lean_of(sim, model, 0);
        error = fmax(error, apart(lean, (double)swing.x));
        for (int i = 1; i <= n; i++) parted = fmax(parted, apart(lean_of(sim, model, i), lean));
        if (!(fmax(error, parted) <= 1e-6))
            fail_msg("%s, N = %d, t = %.6f: error %.3g, cranks apart by %.3g",
                     cardan_model_space(model) == CARDAN_SPACE_PLANAR ? "planar" : "spatial", n, cardan_sim_time(sim),
                     error, parted);
    }
    long passages;
    const CardanEvent *events;
    cardan_sim_events(sim, &events, &passages);
    const char *space = cardan_model_space(model) == CARDAN_SPACE_PLANAR ? "planar" : "spatial";
    check_below(error, 1e-6, "first crank, %s, N = %d, %ld steps", space, n, work_of(sim).steps);
    check_below(parted, 1e-6, "cranks apart over %ld passages", passages);
    /* twice a turn of about 1.95 s, upright at the start */
    bool looked =
        n < 40 || cardan_model_space(model) == CARDAN_SPACE_PLANAR; /* else too many rows to tell false passages */
    if (end == 10.0 && looked) assert_int_equal(passages, 10);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void planar_four_bars_stay_parallel_through_all_flat_poses(void **state) {
    (void)state;
    const int n[] = {1, 2, 10, 40};
    for (int i = 0; i < 4; i++) swing_four_bars(n[i], mechanism_four_bars(n[i]), 10.0);
}

static void spatial_four_bars_stay_parallel_through_all_flat_poses(void **state) {
    (void)state;
    const int n[] = {1, 2, 10};
    for (int i = 0; i < 3; i++) swing_four_bars(n[i], spatial_four_bars(n[i]), 10.0);
}

/* Largest error of the first crank in ten seconds. */
static double error_of_four_bars(const CardanModel *model, int n, CardanCoordinates coordinates, double relative) {
    CardanOptions options = tolerance(relative);
    options.coordinates = coordinates;
    CardanSim *sim = scene_start(model, &options);
    Swing swing = bars_swing(n);
    double error = 0.0;
    while (cardan_sim_time(sim) < 10.0) {
        must_step(sim, 10.0);
        swing_advance(&swing, cardan_sim_time(sim));
        error = fmax(error, apart(lean_of(sim, model, 0), (double)swing.x));
    }
    cardan_sim_destroy(sim);
    return error;
}

/* Steps that change hands at each pose are seven times as wrong in the mean: errors on the way up and on the way down
 * no longer cancel. One run's error is chance, so it is the mean over tolerances nearby, in tolerances. */
static void auto_coordinates_are_as_accurate_on_four_bars_as_absolute_ones(void **state) {
    (void)state;
    const int n[] = {1, 2, 10, 40}, runs[] = {7, 5, 5, 3};
    for (int i = 0; i < sample_of(4, 2); i++) {
        CardanModel *model = scene_compile(mechanism_four_bars(n[i]));
        double absolute = 0.0, chosen = 0.0;
        for (int k = 0; k < runs[i]; k++) {
            double relative = 1e-8 * pow(10.0, 0.12 * k);
            absolute += error_of_four_bars(model, n[i], CARDAN_COORDINATES_ABSOLUTE, relative) / relative / runs[i];
            chosen += error_of_four_bars(model, n[i], CARDAN_COORDINATES_AUTO, relative) / relative / runs[i];
        }
        check_below(chosen, 3.0 * absolute, "error in tolerances, N = %d", n[i]);
        cardan_model_release(model);
    }
}

/* Ten seconds take seven of one core, and ten times that under a sanitizer: there one pose has to do. */
static void forty_spatial_four_bars_stay_parallel_through_flat_poses(void **state) {
    (void)state;
    swing_four_bars(40, spatial_four_bars(40), sample_of(10, 10));
}

/* Steps up to 0.4 rad long: poses lie anywhere between stages and ends of steps. */
static void coarse_fixed_steps_keep_the_branch_and_log_every_passage(void **state) {
    (void)state;
    const double step[] = {0.01, 0.02, 0.03, 0.05};
    for (int k = 0; k < 12; k++) {
        int n = 1 + k / 4;
        CardanOptions options = tolerance(1e-6);
        options.stepper = CARDAN_STEPPER_RK4;
        options.step = step[k % 4];
        CardanModel *model = scene_compile(mechanism_four_bars(n));
        CardanSim *sim = scene_start(model, &options);
        double parted = 0.0;
        while (cardan_sim_time(sim) < 10.0) {
            must_step(sim, 10.0);
            for (int i = 1; i <= n; i++) parted = fmax(parted, apart(lean_of(sim, model, i), lean_of(sim, model, 0)));
        }
        const CardanEvent *events;
        check_below(parted, 1e-6, "cranks apart, N = %d, steps of %g s", n, step[k % 4]);
        assert_int_equal(cardan_sim_events(sim, &events, NULL), 10);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* Planar bodies in the order of the description: crank 0, then crank and coupler of each cell. */
static void set_lean(CardanSim *sim, int n, double x, double rate) {
    double *q = room((size_t)(6 * n + 3), sizeof *q), *v = room((size_t)(6 * n + 3), sizeof *v);
    for (int body = 0; body <= 2 * n; body++) {
        bool coupler = body > 0 && body % 2 == 0;
        double foot = coupler ? body / 2 - 0.5 : (body + 1) / 2, r = coupler ? 1.0 : 0.5;
        const double pose[] = {foot + r * sin(x), r * cos(x), coupler ? 0.0 : HALF_PI - x};
        const double speed[] = {r * rate * cos(x), -r * rate * sin(x), coupler ? 0.0 : -rate};
        memcpy(q + (ptrdiff_t)3 * body, pose, sizeof pose);
        memcpy(v + (ptrdiff_t)3 * body, speed, sizeof speed);
    }
    assert_true(cardan_sim_set_motion(sim, 0.0, q, v) >= 0);
    free(q);
    free(v);
}

/* In a thousand cells at once rounding grows until pivots turn negative, long before each of them is nothing but
 * rounding. */
static void a_thousand_four_bars_know_their_accelerations_next_to_the_flat_pose(void **state) {
    (void)state;
    enum { N = 1000 };
    CardanModel *model = scene_compile(mechanism_four_bars(N));
    CardanOptions options = tolerance(1e-6);
    CardanSim *sim = scene_start(model, &options);
    double *a = room(6 * N + 3, sizeof *a);
    const double beside[] = {0.1, 1e-2, 1e-3, 1e-4, 3e-5, 1e-5, 1e-6, -3e-5, -1e-3};
    const double rate = 5.0, turn = GRAVITY * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        double x = HALF_PI - beside[i], error = 0.0;
        set_lean(sim, N, x, rate);
        assert_true(cardan_sim_evaluate(sim, a, NULL) >= 0);
        for (int body = 0; body <= 2 * N; body++)
            if (body == 0 || body % 2 == 1) error = fmax(error, fabs(a[3 * body + 2] + turn * sin(x)));
        check_below(error, 1e-6 * turn, "angular accelerations %g rad beside the pose", beside[i]);
    }
    free(a);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- A04, Bricard's linkage ---- */

static void bricard_follows_the_published_motion(void **state) {
    (void)state;
    static const double rows[][4] = {
        {0.5, 9.68283679106777162e-01, -1.22462515943633389e+00, 7.50146609437766902e-01},
        {1.0, 5.10501461187219736e-01, -1.64916759939480631e+00, 1.40123114553185828e-01},
        {2.0, -9.69340344777651603e-01, -1.22124689495631739e+00, 7.54278010779776734e-01},
        {5.0, 9.99999997738048909e-01, -1.00006725769788292e+00, 9.99932740040318119e-01},
        {8.0, -9.64948571670101321e-01, -1.23485954522958506e+00, 7.37560951777691179e-01},
        {9.0, 5.39064288494802275e-01, -1.63845330824037317e+00, 1.57735378358088352e-01},
        {10.0, 9.99999963806349409e-01, -1.00026901269616334e+00, 9.99730951119921308e-01}};
    CardanOptions options = tolerance(1e-9);
    CardanModel *model = scene_load("models/bricard.yaml");
    CardanSim *sim = scene_start(model, &options);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene_advance(sim, rows[i][0]);
        CardanBodyState s = scene_body(sim, model, "bar3");
        CardanQuat q = s.quaternion; /* the bar's end is half a metre along its own z */
        double end[] = {s.position.x + q.x * q.z + q.w * q.y, s.position.y + q.y * q.z - q.w * q.x,
                        s.position.z + 0.5 - q.x * q.x - q.y * q.y};
        double error = 0.0;
        for (int k = 0; k < 3; k++) error = fmax(error, fabs(end[k] - rows[i][k + 1]));
        check_below(error, 1e-7, "Bricard's point at t = %g", rows[i][0]);
    }
    const CardanEvent *events;
    assert_int_equal(cardan_sim_events(sim, &events, NULL), 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- Sarrus' linkage ---- */

static void follow_sarrus(double end, int passages) {
    const CardanEvent *events;
    const double start = 0.5 * HALF_PI;
    Swing swing = {
        .j0 = 9.0L + 4.0L * (1.01L / 12.0L), .j1 = -8.0L, .c1 = -6.0L * (long double)GRAVITY, .x = (long double)start};
    CardanOptions options = tolerance(1e-9);
    CardanModel *model = scene_load("models/sarrus.yaml");
    CardanSim *sim = scene_start(model, &options);
    double error = 0.0, aside = 0.0, tilt = 0.0;
    while (cardan_sim_time(sim) < end) {
        must_step(sim, end);
        swing_advance(&swing, cardan_sim_time(sim));
        CardanBodyState plate = scene_body(sim, model, "plate");
        double legs[] = {start - scene_coordinate(sim, model, "base1", NULL),
                         start + scene_coordinate(sim, model, "base2", NULL)};
        for (int k = 0; k < 2; k++) error = fmax(error, fabs(legs[k] - (double)swing.x));
        error = fmax(error, fabs(plate.position.z - 2.0 * sin((double)swing.x)));
        aside = fmax(aside, hypot(plate.position.x, plate.position.y));
        tilt = fmax(tilt, hypot(hypot(plate.quaternion.x, plate.quaternion.y), plate.quaternion.z));
        if (!(error <= 1e-6))
            fail_msg("a leg is off by %.3g at t = %.9g, inclination %.6f", error, cardan_sim_time(sim),
                     (double)swing.x);
    }
    check_below(error, 1e-6, "Sarrus' legs after %g s, %ld steps", end, work_of(sim).steps);
    check_below(aside, 1e-9, "plate off its line");
    check_below(tilt, 1e-9, "plate tilted");
    assert_int_equal(cardan_sim_events(sim, &events, NULL), passages);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Folded, two directions open at once; stretched, one. No other pose counts as a passage, though the kept rows of a
 * redundant model come close to dependence elsewhere too. */
static void sarrus_plate_keeps_its_line_through_folded_and_stretched_poses(void **state) {
    (void)state;
    follow_sarrus(10.0, 19);
}

/* ---- Bennett's linkage ---- */

static void bennett_keeps_its_relation_of_angles(void **state) {
    (void)state;
    const double al = HALF_PI / 3.0, be = 5.0 * HALF_PI / 6.0, th0 = 7.0 * HALF_PI / 9.0;
    const double k = sin(0.5 * (be + al)) / sin(0.5 * (be - al)), ph0 = 2.0 * atan(k / tan(0.5 * th0));
    CardanOptions options = tolerance(1e-9);
    CardanModel *model = scene_load("models/bennett.yaml");
    CardanSim *sim = scene_start(model, &options);
    double relation = 0.0, opposite = 0.0;
    const CardanEvent *events;
    bool seen = false;
    while (cardan_sim_time(sim) < 10.0) {
        must_step(sim, cardan_sim_time(sim) < 2.0 ? 2.0 : 10.0);
        double c[4];
        for (int i = 0; i < 4; i++) {
            const char *const names[] = {"j1", "j2", "j3", "j4"};
            c[i] = scene_coordinate(sim, model, names[i], NULL);
        }
        double th = 0.5 * (th0 + c[0]), ph = 0.5 * (ph0 + c[1]);
        relation = fmax(relation, fabs(sin(th) * sin(ph) - k * cos(th) * cos(ph)));
        opposite = fmax(opposite, fmax(fabs(c[2] + c[0]), fabs(c[3] + c[1])));
        if (cardan_sim_time(sim) != 2.0) continue;
        seen = true;
        check_below(fabs(c[0] + 2.3486903961264582), 1e-8, "j1.angle after 2 s beside the oracle");
        check_below(fabs(c[1] - 1.2430829626984214), 1e-8, "j2.angle after 2 s beside the oracle");
    }
    assert_true(seen);
    check_below(relation, 1e-11, "Bennett's relation over 10 s");
    check_below(opposite, 1e-11, "difference of opposite angles");
    check_below(scene_energy(sim).drift_max, 1e-7, "energy");
    assert_int_equal(cardan_sim_events(sim, &events, NULL), 0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- parallelogram and antiparallelogram: crank and rocker of half a metre, a metre apart ---- */

typedef struct Quad {
    double angle, rate; /* of the crank */
    bool crossed;       /* antiparallelogram */
} Quad;

static const double QUAD_R = 0.5, QUAD_MASS[] = {1.0, 2.0, 0.7}; /* m; kg: crank, coupler, rocker */

static CardanBody add_rod(CardanBuilder *b, const char *name, double mass, CardanVec3 p, CardanVec3 q, double spin,
                          CardanVec3 vp) {
    double dx = q.x - p.x, dy = q.y - p.y;
    CardanBodyDef def = {DEFAULTED, .name = name, .mass = mass, .inertia.zz = mass * (dx * dx + dy * dy) / 12.0,
                         .angular_velocity.z = spin};
    def.pose = (CardanPose){.p = {0.5 * (p.x + q.x), 0.5 * (p.y + q.y), 0.0}, .angle = atan2(dy, dx)};
    def.velocity = (CardanVec3){vp.x - 0.5 * spin * dy, vp.y + 0.5 * spin * dx, 0.0};
    return cardan_builder_add_body(b, &def);
}

/* End of the rocker: of the parallelogram, or mirrored at the diagonal through the crank's end and the rocker's foot.
 */
static CardanVec3 rocker_end(Quad d, CardanVec3 crank) {
    CardanVec3 c = {crank.x + 1.0, crank.y, 0.0};
    if (!d.crossed) return c;
    double ux = 1.0 - crank.x, uy = -crank.y, n = ux * ux + uy * uy;
    double along = ((c.x - crank.x) * ux + (c.y - crank.y) * uy) / n;
    return (CardanVec3){2.0 * (crank.x + along * ux) - c.x, 2.0 * (crank.y + along * uy) - c.y, 0.0};
}

static CardanModel *quad_model(Quad d) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
    CardanVec3 o = {0}, foot = {1.0, 0.0, 0.0}, p = {QUAD_R * cos(d.angle), QUAD_R * sin(d.angle), 0.0};
    CardanVec3 c = rocker_end(d, p), vp = {-d.rate * p.y, d.rate * p.x, 0.0};
    CardanBody crank = add_rod(b, "crank", QUAD_MASS[0], o, p, d.rate, o);
    CardanBody coupler = add_rod(b, "coupler", QUAD_MASS[1], p, c, 0.0, d.crossed ? o : vp);
    CardanBody rocker = add_rod(b, "rocker", QUAD_MASS[2], foot, c, d.crossed ? 0.0 : d.rate, o);
    CardanJoint main = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "main", .type = CARDAN_JOINT_REVOLUTE, .b = crank});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .a = crank,
                                                  .b = coupler, .point = p});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "wrist", .type = CARDAN_JOINT_REVOLUTE,
                                                  .a = coupler, .b = rocker, .point = c});
    cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "foot", .type = CARDAN_JOINT_REVOLUTE, .b = rocker, .point = foot});
    if (d.crossed) cardan_builder_set_start_rate(b, main, d.rate);
    return scene_compile(b);
}

/* From rest at this angle, or with a rate; the parallelogram is one pendulum. */
static void swing_parallelogram(Quad d, double end) {
    CardanOptions options = tolerance(1e-9);
    CardanModel *model = quad_model(d);
    CardanSim *sim = scene_start(model, &options);
    double ends = QUAD_MASS[0] + QUAD_MASS[2], middle = QUAD_MASS[1], error = 0.0, parted = 0.0;
    Swing swing = {.j0 = (long double)(QUAD_R * QUAD_R * (ends / 3.0 + middle)),
                   .c1 = (long double)(-GRAVITY * QUAD_R * (0.5 * ends + middle)),
                   .x = (long double)d.angle,
                   .v = (long double)d.rate};
    while (cardan_sim_time(sim) < end) {
        must_step(sim, end);
        swing_advance(&swing, cardan_sim_time(sim));
        double crank = scene_body(sim, model, "crank").angle;
        error = fmax(error, fabs(crank - (double)swing.x));
        parted = fmax(parted, fabs(scene_body(sim, model, "rocker").angle - crank));
        parted = fmax(parted, fabs(scene_body(sim, model, "coupler").angle));
        if (!(parted < 1e-6))
            fail_msg("released at %g, %g rad/s: flipped at t = %.6f", d.angle, d.rate, cardan_sim_time(sim));
    }
    check_below(error, 1e-6, "parallelogram released at %g with %g rad/s", d.angle, d.rate);
    check_below(parted, 1e-6, "parting of crank and rocker, %ld steps", work_of(sim).steps);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_parallelogram_does_not_flip(void **state) {
    (void)state;
    const Quad starts[] = {
        {.angle = 1.0}, {.angle = 0.3}, {.angle = 0.05}, {.angle = 0.01}, {.angle = 1.0, .rate = -6.0}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) swing_parallelogram(starts[i], 5.0);
}

/* Rises from below with just enough speed to turn back at this angle beyond the flat pose. */
static Quad turning_at(double beyond) {
    double ends = QUAD_MASS[0] + QUAD_MASS[2], middle = QUAD_MASS[1];
    double ratio = GRAVITY * (0.5 * ends + middle) / (QUAD_R * (ends / 3.0 + middle));
    return (Quad){.angle = -0.5, .rate = sqrt(2.0 * ratio * (sin(0.5) + sin(beyond)))};
}

static void a_parallelogram_that_turns_back_next_to_the_pose_does_not_flip(void **state) {
    (void)state;
    const double beyond[] = {0.1, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, -1e-5, -1e-3};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) swing_parallelogram(turning_at(beyond[i]), 2.0);
}

/* tan(rocker/2) = (1 + r)/(1 - r) tan(crank/2) with both from the ground's line, crank turning, or its inverse: which
 * it is at the start it stays. */
static void an_antiparallelogram_does_not_flip_either(void **state) {
    (void)state;
    Quad d = {.angle = 1.0, .rate = -8.0, .crossed = true};
    CardanOptions options = tolerance(1e-9);
    CardanModel *model = quad_model(d);
    CardanSim *sim = scene_start(model, &options);
    double kept = 0.0, ratio = 0.0, parted = 0.0, turned = 0.0;
    while (cardan_sim_time(sim) < 5.0) {
        double crank = scene_body(sim, model, "crank").angle, rocker = scene_body(sim, model, "rocker").angle;
        if (kept == 0.0) ratio = tan(0.5 * rocker) / tan(0.5 * crank), kept = 1.0;
        parted =
            fmax(parted, fabs(sin(0.5 * rocker) * cos(0.5 * crank) - ratio * sin(0.5 * crank) * cos(0.5 * rocker)));
        turned = fabs(crank);
        if (!(parted < 1e-6)) fail_msg("flipped at t = %.6f", cardan_sim_time(sim));
        must_step(sim, 5.0);
    }
    check_near(fabs(ratio), (1.0 + QUAD_R) / (1.0 - QUAD_R), 1e-12, "ratio of the tangents");
    check_below(parted, 1e-6, "antiparallelogram's relation, %.1f turns", turned / (4.0 * HALF_PI));
    check_below(scene_energy(sim).drift_max, 1e-6, "energy");
    assert_true(turned > 20.0);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_four_bars_stay_parallel_through_all_flat_poses),
        cmocka_unit_test(auto_coordinates_are_as_accurate_on_four_bars_as_absolute_ones),
        cmocka_unit_test(spatial_four_bars_stay_parallel_through_all_flat_poses),
        cmocka_unit_test(forty_spatial_four_bars_stay_parallel_through_flat_poses),
        cmocka_unit_test(coarse_fixed_steps_keep_the_branch_and_log_every_passage),
        cmocka_unit_test(a_thousand_four_bars_know_their_accelerations_next_to_the_flat_pose),
        cmocka_unit_test(bricard_follows_the_published_motion),
        cmocka_unit_test(sarrus_plate_keeps_its_line_through_folded_and_stretched_poses),
        cmocka_unit_test(bennett_keeps_its_relation_of_angles),
        cmocka_unit_test(a_parallelogram_does_not_flip),
        cmocka_unit_test(a_parallelogram_that_turns_back_next_to_the_pose_does_not_flip),
        cmocka_unit_test(an_antiparallelogram_does_not_flip_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
