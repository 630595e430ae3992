/* Mechanisms that swing through singular poses, beside one-coordinate equations of the same motion.
 *
 *     J(x) x'' + J'(x)/2 x'^2 = c0 + c1 cos x + c2 sin x,     J = j0 + j1 sin^2 x
 *
 * integrated in extended precision by extrapolation of the modified midpoint rule (Hairer, Norsett, Wanner, II.9),
 * which has nothing in common with the engine. With CARDAN_TELL in the environment, tests print what they measured. */
#ifndef TESTS_PATHOLOGY_PASSAGE_FIXTURE_H
#define TESTS_PATHOLOGY_PASSAGE_FIXTURE_H

#include "support/check.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "support/scene.h"

#define HALF_PI 1.57079632679489661923
static const double GRAVITY = 9.81; /* m/s^2 */

/* ---- telling ---- */

/* value <= limit, a NaN fails; the rest says what it is. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline void
check_below(double value, double limit, const char *format, ...) {
    char what[256];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (getenv("CARDAN_TELL") != NULL) print_message("    %s: %.2e of %.2e\n", what, value, limit);
    if (!(value <= limit)) fail_msg("%s: %.6g, allowed is %.3g", what, value, limit);
}

/* ---- the one-coordinate equation ---- */

typedef struct Swing {
    long double j0, j1;     /* kg m^2 */
    long double c0, c1, c2; /* N m */
    long double t, x, v;    /* s, rad, rad/s: where it is */
} Swing;

static inline long double swing_slope(const Swing *s, long double x, long double v) {
    long double c = cosl(x), sn = sinl(x);
    return (s->c0 + s->c1 * c + s->c2 * sn - s->j1 * sn * c * v * v) / (s->j0 + s->j1 * sn * sn);
}

enum { SWING_COLUMNS = 8 };

/* n steps of the modified midpoint rule over h. */
static inline void swing_midpoint(const Swing *s, long double h, int n, long double *y) {
    long double d = h / n, x0 = s->x, v0 = s->v;
    long double x1 = x0 + d * v0, v1 = v0 + d * swing_slope(s, x0, v0);
    for (int i = 1; i < n; i++) {
        long double x2 = x0 + 2 * d * v1, v2 = v0 + 2 * d * swing_slope(s, x1, v1);
        x0 = x1, v0 = v1, x1 = x2, v1 = v2;
    }
    y[0] = 0.5L * (x0 + x1 + d * v1);
    y[1] = 0.5L * (v0 + v1 + d * swing_slope(s, x1, v1));
}

static inline void swing_leap(Swing *s, long double h) {
    long double table[SWING_COLUMNS][2];
    for (int k = 0; k < SWING_COLUMNS; k++) {
        swing_midpoint(s, h, 2 * (k + 1), table[k]);
        for (int j = k - 1; j >= 0; j--) {
            long double ratio = (long double)(k + 1) / (j + 1);
            for (int i = 0; i < 2; i++)
                table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) / (ratio * ratio - 1);
        }
    }
    s->t += h;
    s->x = table[0][0];
    s->v = table[0][1];
}

/* Goes on (or back) to t, by leaps short enough for 1e-15 and better. */
static inline void swing_advance(Swing *s, double t) {
    const long double most = 0.02L, to = (long double)t;
    long double way = to - s->t;
    int leaps = 1 + (int)(fabsl(way) / most);
    for (int i = 0; i < leaps; i++) swing_leap(s, way / leaps);
    s->t = to;
}

/* When x next passes `to`, and before when; infinity: it does not. The swing goes there. */
static inline double swing_pass(Swing *s, double to, double before) {
    const long double look = 0.01L, target = (long double)to, end = (long double)before;
    swing_leap(s, look); /* off the target, where the last call left it */
    long double side = s->x - target;
    while (s->t < end && (s->x - target) * side > 0) swing_leap(s, look);
    for (int i = 0; i < 10 && s->t < end; i++) swing_leap(s, (target - s->x) / s->v);
    return s->t < end ? (double)s->t : (double)INFINITY;
}

/* ---- the slider-crank of equal lengths (SINGULARITIES) ---- */

typedef struct CrankDef {
    double crank, rod, slider; /* kg; 0: 1 kg */
    double torque;             /* N m on the crank */
    double angle, rate;        /* rad, rad/s: the crank at the start */
} CrankDef;

static inline double or_one(double x) {
    return x > 0.0 ? x : 1.0;
}

static inline CardanBuilder *equal_slider_crank(CrankDef d) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
    double c = cos(d.angle), s = sin(d.angle), w = d.rate, mc = or_one(d.crank), mr = or_one(d.rod);
    CardanBody crank = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "crank", .mass = mc, .inertia.zz = mc / 12.0,
                            .pose = {.p = {0.5 * c, 0.5 * s, 0.0}, .angle = d.angle},
                            .velocity = {-0.5 * s * w, 0.5 * c * w, 0.0}, .angular_velocity.z = w});
    CardanBody rod = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "rod", .mass = mr, .inertia.zz = mr / 12.0,
                            .pose = {.p = {1.5 * c, 0.5 * s, 0.0}, .angle = -d.angle},
                            .velocity = {-1.5 * s * w, 0.5 * c * w, 0.0}, .angular_velocity.z = -w});
    CardanBody slider = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "slider", .mass = or_one(d.slider), .inertia.zz = 0.01,
                            .pose.p = {2.0 * c, 0.0, 0.0}, .velocity = {-2.0 * s * w, 0.0, 0.0}});
    CardanJoint main = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "main", .type = CARDAN_JOINT_REVOLUTE, .b = crank});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .a = crank,
                                                  .b = rod, .point = {c, s, 0.0}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "wrist", .type = CARDAN_JOINT_REVOLUTE, .a = rod,
                                                  .b = slider, .point = {2.0 * c, 0.0, 0.0}});
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "guide", .type = CARDAN_JOINT_PRISMATIC,
                                                  .b = slider, .axis = {1.0, 0.0, 0.0}});
    if (d.torque != 0.0)
        cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "load", .type = CARDAN_FORCE_TORQUE,
                                                      .joint = main, .value.x = d.torque});
    return b;
}

static inline Swing crank_swing(CrankDef d) {
    long double mc = (long double)or_one(d.crank), mr = (long double)or_one(d.rod), ms = (long double)or_one(d.slider);
    return (Swing){.j0 = mc / 3 + mr / 12 + mr / 4,
                   .j1 = 2 * mr + 4 * ms,
                   .c0 = (long double)d.torque,
                   .c1 = -(mc + mr) * (long double)GRAVITY / 2,
                   .x = (long double)d.angle,
                   .v = (long double)d.rate};
}

/* ---- following a motion step by step ---- */

typedef struct Followed {
    double error;    /* largest |crank angle - that of the equation| over all steps, rad */
    double parted;   /* largest |rod angle + crank angle|: 0 on the branch */
    double shortest; /* s; shortest accepted step but the one that lands on the end */
    long steps, remarks;
} Followed;

/* Steps, in all, after which a motion counts as stuck: twice what the longest takes. */
#ifndef STEPS_MOST
#define STEPS_MOST 6000
#endif

/* One step that must not fail, nor be one of too many. */
static inline CardanStatus must_step(CardanSim *sim, double limit) {
    CardanStatus status = cardan_sim_step(sim, limit);
    if (status < 0) fail_msg("t = %.9g: %s", cardan_sim_time(sim), cardan_sim_message(sim));
    if (work_of(sim).steps > STEPS_MOST)
        fail_msg("stuck at t = %.9g with steps of %.3g s", cardan_sim_time(sim), cardan_sim_last_step(sim));
    return status;
}

static inline Followed follow_crank(CardanSim *sim, const CardanModel *model, Swing swing, double end) {
    Followed f = {.shortest = (double)INFINITY};
    while (cardan_sim_time(sim) < end) {
        f.remarks += must_step(sim, end) == CARDAN_REMARK;
        double angle = scene_body(sim, model, "crank").angle;
        swing_advance(&swing, cardan_sim_time(sim));
        f.error = fmax(f.error, fabs(angle - (double)swing.x));
        f.parted = fmax(f.parted, fabs(angle + scene_body(sim, model, "rod").angle));
        if (cardan_sim_time(sim) < end) f.shortest = fmin(f.shortest, cardan_sim_last_step(sim));
        f.steps++;
    }
    return f;
}

static inline CardanOptions tolerance(double relative) {
    return scene_tight(relative, 0.01 * relative);
}

#endif
