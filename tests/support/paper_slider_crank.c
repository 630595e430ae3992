#include "support/paper_slider_crank.h"
#include "support/defaulted.h"

#include <math.h>

static const double J1 = 10.0, J2 = 1.0, M2 = 1.0, GRAVITY = 9.81, R = 1.0, L = 3.0, L1 = 2.0;

static CardanStatus mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    m[0] = J1;
    m[5] = m[10] = M2;
    m[15] = J2;
    return CARDAN_OK;
}

static CardanStatus force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)user, (void)q, (void)inputs;
    f[0] = sin(t) - v[0];
    f[2] = -M2 * GRAVITY;
    return CARDAN_OK;
}

static double potential(void *user, double t, const double *q) {
    (void)user, (void)t;
    return M2 * GRAVITY * q[2];
}

static double power(void *user, double t, const double *q, const double *v, const double *inputs) {
    (void)user, (void)q, (void)inputs;
    return (sin(t) - v[0]) * v[0];
}

/* G, 3 x 4 by rows; arrives zeroed. */
static void jacobian(const double *q, double *G) {
    G[0] = R * sin(q[0]);
    G[1] = 1.0;
    G[3] = L1 * sin(q[3]);
    G[4] = R * cos(q[0]);
    G[7] = -L * cos(q[3]);
    G[10] = 1.0;
    G[11] = -(L - L1) * cos(q[3]);
}

static CardanStatus constraint(void *user, double t, const double *q, const double *v, double *g, double *G,
                               double *rate, double *gamma) {
    (void)user, (void)t, (void)rate;
    double c = cos(q[0]), s = sin(q[0]), cp = cos(q[3]), sp = sin(q[3]);
    g[0] = q[1] - R * c - L1 * cp;
    g[1] = R * s - L * sp;
    g[2] = q[2] - (L - L1) * sp;
    jacobian(q, G);
    gamma[0] = -(R * c * v[0] * v[0] + L1 * cp * v[3] * v[3]);
    gamma[1] = R * s * v[0] * v[0] - L * sp * v[3] * v[3];
    gamma[2] = -(L - L1) * sp * v[3] * v[3];
    return CARDAN_OK;
}

static CardanStatus gradient(void *user, double t, const double *q, const double *v, double *out) {
    (void)user, (void)t;
    out[0] = R * cos(q[0]) * v[0];
    out[3] = L1 * cos(q[3]) * v[3];
    out[4] = -R * sin(q[0]) * v[0];
    out[7] = L * sin(q[3]) * v[3];
    out[11] = (L - L1) * sin(q[3]) * v[3];
    return CARDAN_OK;
}

CardanBuilder *paper_slider_crank(void) {
    static const double q0[] = {0.0, 3.0, 0.0, 0.0}, v0[] = {-1.0, 0.0, -1.0 / 3.0, -1.0 / 3.0};
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_add_block(b, &(CardanBlockDef){DEFAULTED, .name = "slider_crank", .coordinates = 4, .q0 = q0,
                                                  .v0 = v0, .rows = 3, .mass = mass, .force = force,
                                                  .constraint = constraint, .constraint_gradient = gradient,
                                                  .potential = potential, .power = power});
    return b;
}

void paper_slider_crank_residuals(const double *q, const double *v, double *g, double *rate) {
    double G[12] = {0};
    g[0] = q[1] - R * cos(q[0]) - L1 * cos(q[3]);
    g[1] = R * sin(q[0]) - L * sin(q[3]);
    g[2] = q[2] - (L - L1) * sin(q[3]);
    jacobian(q, G);
    for (int r = 0; r < 3; r++) {
        rate[r] = 0.0;
        for (int k = 0; k < 4; k++) rate[r] += G[4 * r + k] * v[k];
    }
}
