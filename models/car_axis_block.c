/* The car axis: two masses joined by a bar of length L, each on a spring. The left spring stands at the origin, the
 * right one on a point (xb, yb) that is shaken, yb = r sin(w t), xb = sqrt(L^2 - yb^2); the left mass stays on the line
 * through the origin across (xb, yb). K x'' = spring + G^T l - K g e_y        0 = xl xb + yl yb        0 = |pl - pr|^2
 * - L^2 (F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, problem "car axis".) The engine's
 * multipliers are -l. */
#include "block_models.h"

#include <math.h>

static const double EPSILON = 1e-2, MASS = 10.0, LENGTH = 1.0, REST = 0.5, SHAKE = 0.1, OMEGA = 10.0, G = 1.0;

enum { N = 4, ROWS = 2 }; /* xl yl xr yr */

static double inertia(void) {
    return MASS * EPSILON * EPSILON / 2.0;
}

/* The shaken point with its first two derivatives in time. */
typedef struct Shaken {
    double x[3], y[3];
} Shaken;

static Shaken shaken(double t) {
    Shaken s;
    s.y[0] = SHAKE * sin(OMEGA * t);
    s.y[1] = SHAKE * OMEGA * cos(OMEGA * t);
    s.y[2] = -OMEGA * OMEGA * s.y[0];
    s.x[0] = sqrt(LENGTH * LENGTH - s.y[0] * s.y[0]);
    s.x[1] = -s.y[0] * s.y[1] / s.x[0];
    s.x[2] = -(s.y[1] * s.y[1] + s.y[0] * s.y[2] + s.x[1] * s.x[1]) / s.x[0];
    return s;
}

static CardanStatus mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    for (int i = 0; i < N; i++) m[i * N + i] = inertia();
    return CARDAN_OK;
}

/* Springs of stiffness 1: both masses seen from the feet of theirs. */
static void from_feet(double t, const double *q, double d[N]) {
    Shaken s = shaken(t);
    d[0] = q[0];
    d[1] = q[1];
    d[2] = q[2] - s.x[0];
    d[3] = q[3] - s.y[0];
}

static void springs(double t, const double *q, double f[N]) {
    double d[N];
    from_feet(t, q, d);
    for (int i = 0; i < N; i++) f[i] = (REST / hypot(d[i / 2 * 2], d[i / 2 * 2 + 1]) - 1.0) * d[i];
}

static CardanStatus force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)user, (void)v, (void)inputs;
    springs(t, q, f);
    f[1] -= inertia() * G;
    f[3] -= inertia() * G;
    return CARDAN_OK;
}

/* The left spring and the weights have a potential; the foot of the right spring moves, so it is counted by its power.
 */
static double potential(void *user, double t, const double *q) {
    (void)user, (void)t;
    double stretch = hypot(q[0], q[1]) - REST;
    return 0.5 * stretch * stretch + inertia() * G * (q[1] + q[3]);
}

static double power(void *user, double t, const double *q, const double *v, const double *inputs) {
    (void)user, (void)inputs;
    double f[N];
    springs(t, q, f);
    return f[2] * v[2] + f[3] * v[3];
}

static CardanStatus constraint(void *user, double t, const double *q, const double *v, double *g, double *jacobian,
                               double *rate, double *gamma) {
    (void)user;
    Shaken s = shaken(t);
    double x = q[0] - q[2], y = q[1] - q[3], vx = v[0] - v[2], vy = v[1] - v[3];
    g[0] = q[0] * s.x[0] + q[1] * s.y[0];
    rate[0] = q[0] * s.x[1] + q[1] * s.y[1];
    gamma[0] = -(2.0 * (v[0] * s.x[1] + v[1] * s.y[1]) + q[0] * s.x[2] + q[1] * s.y[2]);
    jacobian[0] = s.x[0];
    jacobian[1] = s.y[0];
    g[1] = x * x + y * y - LENGTH * LENGTH;
    gamma[1] = -2.0 * (vx * vx + vy * vy);
    jacobian[N] = 2.0 * x;
    jacobian[N + 1] = 2.0 * y;
    jacobian[N + 2] = -2.0 * x;
    jacobian[N + 3] = -2.0 * y;
    return CARDAN_OK;
}

/* (G v)_q: the first row's G depends on the time alone. */
static CardanStatus constraint_gradient(void *user, double t, const double *q, const double *v, double *gradient) {
    (void)user, (void)t, (void)q;
    for (int i = 0; i < N; i++) gradient[N + i] = 2.0 * (v[i] - v[(i + 2) % N]);
    return CARDAN_OK;
}

/* (G^T lambda)_q, of the bar. */
static CardanStatus reaction_gradient(void *user, double t, const double *q, const double *lambda, double *gradient) {
    (void)user, (void)t, (void)q;
    for (int i = 0; i < N; i++) {
        gradient[i * N + i] = 2.0 * lambda[1];
        gradient[i * N + (i + 2) % N] = -2.0 * lambda[1];
    }
    return CARDAN_OK;
}

CardanBuilder *mechanism_car_axis(void) {
    static const double q0[N] = {0.0, 0.5, 1.0, 0.5}, v0[N] = {-0.5, 0.0, -0.5, 0.0};
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_name(b, "car_axis");
    CardanBlockDef def = cardan_default_block();
    def.name = "axis";
    def.coordinates = N;
    def.q0 = q0;
    def.v0 = v0;
    def.rows = ROWS;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.potential = potential;
    def.power = power;
    def.constraint_gradient = constraint_gradient;
    def.reaction_gradient = reaction_gradient;
    cardan_builder_add_block(b, &def);
    return b;
}
