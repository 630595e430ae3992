#include "nets.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const double G = 9.81; /* m/s^2 */

static const char *named(char *buffer, size_t size, char letter, int i, int k) {
    snprintf(buffer, size, "%c%d_%d", letter, i, k);
    return buffer;
}

/* A number in -1 .. 1 that looks random and is the same everywhere. */
static double crumple(int i, int k, int axis) {
    double x = 0.754877666 * i + 0.569840290 * k + 0.414213562 * axis * (i + 2 * k + 1);
    return 2.0 * (x - floor(x)) - 1.0;
}

static CardanVec3 knot(int i, int k) {
    return (CardanVec3){i + 0.2 * crumple(i, k, 1), k + 0.2 * crumple(i, k, 2), 0.4 * crumple(i, k, 3)};
}

static void tie(CardanBuilder *b, const char *name, CardanBody a, CardanBody c, CardanVec3 p, CardanVec3 q) {
    CardanVec3 middle = {0.5 * (p.x + q.x), 0.5 * (p.y + q.y), 0.5 * (p.z + q.z) + 0.1 * (p.x - q.y)};
    CardanJointDef def = cardan_default_joint(CARDAN_JOINT_SPHERICAL);
    def.name = name;
    def.a = a;
    def.b = c;
    def.point = middle;
    cardan_builder_add_joint(b, &def);
}

static CardanBody lump(CardanBuilder *b, const char *name, CardanVec3 p) {
    CardanBodyDef def = cardan_default_body();
    def.name = name;
    def.mass = 1.0;
    def.inertia = (CardanInertia){.xx = 0.08, .yy = 0.1, .zz = 0.15};
    def.pose.p = p;
    return cardan_builder_add_body(b, &def);
}

CardanBuilder *mechanism_net(int n) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_name(b, "net");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -G});
    char name[48];
    int first = 0; /* handles of bodies follow one another */
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            CardanBody body = lump(b, named(name, sizeof name, 'm', i, k), knot(i, k));
            if (first == 0) first = body.index;
            CardanBody left = {body.index - 1}, lower = {body.index - n};
            if (i > 0) tie(b, named(name, sizeof name, 'x', i, k), left, body, knot(i - 1, k), knot(i, k));
            if (k > 0) tie(b, named(name, sizeof name, 'y', i, k), lower, body, knot(i, k - 1), knot(i, k));
        }
    tie(b, "left", (CardanBody){0}, (CardanBody){first}, knot(-1, 0), knot(0, 0));
    tie(b, "right", (CardanBody){0}, (CardanBody){first + n - 1}, knot(n, 0), knot(n - 1, 0));
    return b;
}

CardanBuilder *mechanism_star(int n) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_name(b, "star");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -G});
    char name[48];
    CardanBody hub = lump(b, "hub", knot(0, 0));
    for (int i = 1; i <= n; i++) {
        CardanBody arm = lump(b, named(name, sizeof name, 'm', i, 0), knot(i % 7 + 1, i % 5));
        tie(b, named(name, sizeof name, 'x', i, 0), hub, arm, knot(0, 0), knot(i % 7 + 1, i % 5));
    }
    return b;
}

/* ---- hinged bars ---- */

static const CardanVec3 PIN = {0.5, 0.0, 0.0}; /* both pins of a rod, in its axes: the end, or the other with a sign */

/* The pin of a body: x + R c, its velocity v + R (w x c). All motion is about z, but rows are those of space. */
static void pin_row(const CardanFrame *f, int axis, double sign, double *g, double *row, double *gamma) {
    const double *r = f->rotation, c = sign * PIN.x;
    double x[3] = {f->x.x, f->x.y, f->x.z};
    *g = x[axis] + r[3 * axis] * c;
    row[axis] = 1.0;
    row[4] = -r[3 * axis + 2] * c; /* w . (c x R^T e), c along the rod */
    row[5] = r[3 * axis + 1] * c;
    /* -e . R (w x (w x c)) = -e . R (w (w.c) - c w.w) */
    double ww = f->w.x * f->w.x + f->w.y * f->w.y + f->w.z * f->w.z, wc = f->w.x * c;
    double turned = r[3 * axis] * f->w.x + r[3 * axis + 1] * f->w.y + r[3 * axis + 2] * f->w.z;
    *gamma = -(turned * wc - r[3 * axis] * c * ww);
}

/* The free end of the crank (frame 0) and the far end of the coupler (frame 1) meet in x and y. */
static CardanStatus point_on_line(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                                  double *rate, double *gamma) {
    (void)user, (void)t, (void)rate;
    for (int axis = 0; axis < 2; axis++) {
        double at[2], bias[2];
        pin_row(&frames[0], axis, 1.0, &at[0], jacobian[2 * axis], &bias[0]);
        pin_row(&frames[1], axis, 1.0, &at[1], jacobian[2 * axis + 1], &bias[1]);
        for (int i = 0; i < 6; i++) jacobian[2 * axis][i] *= -1.0;
        g[axis] = at[1] - at[0];
        gamma[axis] = bias[1] - bias[0];
    }
    return CARDAN_OK;
}

static void close_loop(CardanBuilder *b, const char *name, CardanBody crank, CardanBody coupler) {
    const CardanBody ends[] = {crank, coupler};
    CardanRowsDef def = cardan_default_rows();
    def.name = name;
    def.rows = 2;
    def.bodies = 2;
    def.body = ends;
    def.evaluate = point_on_line;
    cardan_builder_add_rows(b, &def);
}

static void hinge(CardanBuilder *b, const char *name, CardanBody a, CardanBody c, CardanVec3 point) {
    CardanJointDef def = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
    def.name = name;
    def.a = a;
    def.b = c;
    def.point = point;
    def.axis.z = 1.0;
    cardan_builder_add_joint(b, &def);
}

static CardanBody rod(CardanBuilder *b, const char *name, CardanVec3 p, double angle, CardanVec3 v, double rate) {
    CardanBodyDef def = cardan_default_body();
    def.name = name;
    def.mass = 1.0;
    def.inertia = (CardanInertia){.xx = 0.01, .yy = 1.0 / 12.0, .zz = 1.0 / 12.0};
    def.pose = (CardanPose){.p = p, .q = {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)}};
    def.velocity = v;
    def.angular_velocity.z = rate;
    return cardan_builder_add_body(b, &def);
}

static CardanBody add_crank(CardanBuilder *b, int i, double angle, double rate) {
    char name[48];
    double x = cos(angle), y = sin(angle);
    CardanBody crank = rod(b, named(name, sizeof name, 'c', i, 0), (CardanVec3){i + 0.5 * x, 0.5 * y, 0.0}, angle,
                           (CardanVec3){-0.5 * rate * y, 0.5 * rate * x, 0.0}, rate);
    hinge(b, named(name, sizeof name, 'g', i, 0), (CardanBody){0}, crank, (CardanVec3){i, 0.0, 0.0});
    return crank;
}

CardanBuilder *mechanism_hinged_bars(int n, double angle, double rate, bool redundant) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_name(b, redundant ? "hinged_bars" : "bars");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    double x = cos(angle), y = sin(angle);
    char name[48];
    CardanBody left = add_crank(b, 0, angle, rate);
    for (int i = 0; i < n; i++) {
        CardanBody right = add_crank(b, i + 1, angle, rate);
        CardanBody coupler = rod(b, named(name, sizeof name, 'h', i, 0), (CardanVec3){i + 0.5 + x, y, 0.0}, 0.0,
                                 (CardanVec3){-rate * y, rate * x, 0.0}, 0.0);
        hinge(b, named(name, sizeof name, 'a', i, 0), left, coupler, (CardanVec3){i + x, y, 0.0});
        named(name, sizeof name, 'b', i, 0);
        if (redundant)
            hinge(b, name, right, coupler, (CardanVec3){i + 1.0 + x, y, 0.0});
        else
            close_loop(b, name, right, coupler);
        left = right;
    }
    return b;
}

double mechanism_hinged_bars_acceleration(int n, double angle) {
    double cranks = n + 1.0, couplers = n;
    return -G * cos(angle) * (0.5 * cranks + couplers) / (cranks / 3.0 + couplers);
}
