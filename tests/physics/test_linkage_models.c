/* Planar linkages of models/ beside their positions by intersecting circles, from the angle of the crank alone, and
 * what they were invented for: Watt's straight line, a dwell, Jansen's flat step, the Geneva wheel's quarter turns. */
#include "support/reading.h"
#include "support/run.h"

#include "core/numbers.h"

typedef struct Point {
    double x, y;
} Point;

static Point along(Point from, double angle, double length) {
    return (Point){from.x + length * cos(angle), from.y + length * sin(angle)};
}

/* Where circles about a and b meet: on the left of the way from a to b, or with side -1 on the right. */
static Point meet(Point a, double ra, Point b, double rb, int side) {
    double dx = b.x - a.x, dy = b.y - a.y, d2 = dx * dx + dy * dy;
    double u = (ra * ra - rb * rb + d2) / (2.0 * d2), v = side * sqrt(ra * ra / d2 - u * u);
    return (Point){a.x + u * dx - v * dy, a.y + u * dy + v * dx};
}

/* Smallest and largest so far. */
typedef struct Span {
    double low, high;
} Span;
static const Span NOTHING = {HUGE_VAL, -HUGE_VAL};

static void widen(Span *span, double x) {
    span->low = fmin(span->low, x);
    span->high = fmax(span->high, x);
}

static double width(Span span) {
    return span.high - span.low;
}

static void watts_piston_is_the_pantographs_image_of_a_straight_line(void **state) {
    (void)state;
    Run run = load("models/watt_six_bar.yaml");
    const double r = 1.0, s = 0.8, c = 0.6, k = 1.0 + r / s, lean = 0.104;
    const Point O = {0, 0}, D = {r + s - c * lean, -c * sqrt(1.0 - lean * lean)};
    Span across = NOTHING, stroke = NOTHING;
    for (int i = 1; i <= 120; i++) {
        double t = i / 60.0;
        scene_advance(run.sim, t);
        Point B = along(O, 0.34 * sin(6.0 * t), r), C = meet(B, c, D, s, -1);
        CardanBodyState piston = body(&run, "piston"), link = body(&run, "link");
        check_near(piston.position.x, k * B.x + C.x - B.x, 1e-12, "x at t = %g", t);
        check_near(piston.position.y, k * B.y + C.y - B.y, 1e-12, "y at t = %g", t);
        /* W divides the link as the rod is to the beam; its image is the piston */
        Point W = along((Point){link.position.x, link.position.y}, link.angle, (1.0 / k - 0.5) * c);
        check_near(piston.position.x, k * W.x, 1e-12, "pantograph, x at t = %g", t);
        check_near(piston.position.y, k * W.y, 1e-12, "pantograph, y at t = %g", t);
        widen(&across, piston.position.x);
        widen(&stroke, piston.position.y);
    }
    check_between(width(stroke), 1.49, 1.51, "stroke");
    check_between(width(across), 0.0, 0.0023, "width of the line");
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-9, "energy less the drive's work"); /* of 1000 J */
    finish(&run);
}

static void a_stephenson_linkage_dwells(void **state) {
    (void)state;
    Run run = load("models/stephenson_six_bar.yaml");
    const double r = 0.1, g = 0.2, l = 0.2, n = 0.4311, m = 0.1, gamma = 1.25 * CRD_PI, window = 40.0 * CRD_PI / 180.0;
    const Point O = {0, 0}, D = {g, 0}, S = {0.2634, 0.0542};
    double first = 0.0, turns = 0.0;
    Span dwell = NOTHING, swing = NOTHING;
    for (int i = 0; i <= 300; i++) {
        if (i > 0) scene_advance(run.sim, 0.01 * i);
        double crank = coordinate(&run, "main", NULL), out = coordinate(&run, "output", NULL);
        Point B = along(O, crank, r), C = meet(B, l, D, l, 1);
        Point P = along(C, atan2(B.y - C.y, B.x - C.x) + gamma, l), Q = meet(S, m, P, n, 1);
        double angle = atan2(Q.y - S.y, Q.x - S.x);
        if (i == 0) first = angle;
        check_near(sin(out - angle + first), 0.0, 1e-12, "output at t = %g", 0.01 * i);
        widen(&swing, out);
        if (fabs(remainder(crank, 2.0 * CRD_PI)) < window) widen(&dwell, out);
        turns = crank / (2.0 * CRD_PI);
    }
    assert_true(turns > 6.0);
    check_between(width(dwell), 0.0005, 0.0014, "dwell over 80 degrees of each turn");
    check_between(width(swing), 0.68, 0.70, "swing");
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-10, "energy less the motor's work");
    finish(&run);
}

/* Jansen's letters and lengths in centimetres (The Great Pretender, 2007). */
static Point jansens_foot(double crank) {
    const double a = 38.0, b = 41.5, c = 39.3, d = 40.1, e = 55.8, f = 39.4, g = 36.7, h = 65.7, i = 49.0, j = 50.0,
                 k = 61.9, l = 7.8, m = 15.0;
    const Point O = {0, 0}, B = {-a, -l};
    Point P = along(O, crank, m), upper = meet(B, b, P, j, 1), knee = meet(B, c, P, k, -1);
    Point tail = meet(B, d, upper, e, 1), heel = meet(tail, f, knee, g, -1);
    return meet(knee, i, heel, h, 1);
}

/* Where the marker is. */
static Point foot_of(const Run *run) {
    double place[2];
    CardanChannel channel[2];
    MUST(cardan_model_find_channel(run->model, "foot.x", &channel[0], NULL, 0));
    MUST(cardan_model_find_channel(run->model, "foot.y", &channel[1], NULL, 0));
    MUST(cardan_sim_sample(run->sim, cardan_sim_time(run->sim), 2, channel, place));
    return (Point){place[0], place[1]};
}

static void jansens_foot_steps_flat_on_a_closed_path(void **state) {
    (void)state;
    Run run = load("models/jansen_leg.yaml");
    const double turn = 2.0 * CRD_PI / 3.0;
    enum { LOOKS = 180 };
    Point path[LOOKS];
    Point first = foot_of(&run);
    Span heights = NOTHING, step = NOTHING;
    for (int i = 0; i < LOOKS; i++) {
        double t = turn * (i + 1) / LOOKS;
        scene_advance(run.sim, t);
        Point foot = path[i] = foot_of(&run), expected = jansens_foot(3.0 * t);
        check_near(foot.x, 0.01 * expected.x, 1e-12, "x at t = %g", t);
        check_near(foot.y, 0.01 * expected.y, 1e-12, "y at t = %g", t);
        widen(&heights, path[i].y);
    }
    check_near(path[LOOKS - 1].x, first.x, 1e-12, "the path closes in x");
    check_near(path[LOOKS - 1].y, first.y, 1e-12, "the path closes in y");
    int down = 0;
    for (int i = 0; i < LOOKS; i++) {
        if (path[i].y > heights.low + 0.005) continue;
        widen(&step, path[i].x);
        down++;
    }
    assert_true(3 * down > LOOKS);
    check_between(width(step), 0.48, 0.51, "length of the flat step");
    check_between(width(heights), 0.22, 0.23, "height of the step");
    check_near(scene_energy(run.sim).drift_max, 0.0, 1e-10, "energy less the drive's work");
    finish(&run);
}

/* The law of a Geneva wheel with four slots, counted on by quarters. */
static double geneva(double shaft, double *rate) {
    double turns = round(shaft / (2.0 * CRD_PI)), a = shaft - 2.0 * CRD_PI * turns, limit = 0.25 * CRD_PI;
    *rate = 0.0;
    if (fabs(a) >= limit) return 0.5 * CRD_PI * turns + copysign(limit, a);
    *rate = (sqrt(2.0) * cos(a) - 1.0) / (3.0 - 2.0 * sqrt(2.0) * cos(a));
    return 0.5 * CRD_PI * turns + atan2(sin(a), sqrt(2.0) - cos(a));
}

static void a_cam_with_a_differential_moves_as_a_geneva_wheel(void **state) {
    (void)state;
    Run run = load("models/geneva.yaml");
    int still = 0;
    for (int i = 1; i <= 400; i++) {
        double t = 0.0123 * i, law_rate, rate, law = geneva(8.0 * t, &law_rate);
        scene_advance(run.sim, t);
        check_near(coordinate(&run, "wheel", &rate), law, 1e-12, "wheel at t = %g", t);
        check_near(rate, 8.0 * law_rate, 1e-10, "rate of the wheel at t = %g", t);
        if (law_rate != 0.0) continue;
        still++;
        check_near(effort_of(&run, "motor"), 0.0, 1e-9, "a wheel that dwells asks for no torque, t = %g", t);
    }
    check_between(still / 400.0, 0.74, 0.76, "part of the time that the wheel stands");
    check_between(coordinate(&run, "wheel", NULL), 3.0 * CRD_PI, 3.25 * CRD_PI, "quarter turns add up");
    finish(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watts_piston_is_the_pantographs_image_of_a_straight_line),
        cmocka_unit_test(a_stephenson_linkage_dwells),
        cmocka_unit_test(jansens_foot_steps_flat_on_a_closed_path),
        cmocka_unit_test(a_cam_with_a_differential_moves_as_a_geneva_wheel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
