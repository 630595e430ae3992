/* Slider-crank with flexible rod, driven at a constant rate: phi1 crank, phi2 rod, x3 slider; q1, q2 two bending modes,
 * q3 and q4 a quadratic element along the rod, q4 the displacement of its end. A(q) w + G^T l = f        L1 sin phi1 +
 * (L2 + q4) sin phi2 = 0        x3 - L1 cos phi1 - (L2 + q4) cos phi2 = 0 phi1 = Omega t (B. Simeon, Modelling a
 * flexible slider crank mechanism by a mixed system of DAEs and PDEs, Math. Modelling of Systems 2 (1996) 1-18; F.
 * Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, problem "slider crank".) Linear stiffness, no
 * damping, no gravity; pi has the eight digits of the published program. */
#include "block_models.h"

#include <math.h>

enum { N = 7, MODES = 4, ROWS = 3 };

static const double M2 = 0.151104, M3 = 0.075552;     /* kg: rod, slider */
static const double L1 = 0.15, L2 = 0.30;             /* m */
static const double J1 = 0.002727, J2 = 0.0045339259; /* kg m^2 */
static const double YOUNG = 0.20e12, RHO = 7870.0;    /* N/m^2, kg/m^3 */
static const double B = 0.0080, H = 0.0080;           /* m: section of the rod */
static const double OMEGA = 150.0;                    /* rad/s */
static const double PI = 3.1415927;

/* Matrices of the rod's modes: mass MQ, stiffness KQ, coupling BQ, and the vectors c1, c2, c12, c21. */
typedef struct Rod {
    double mass[MODES][MODES], stiffness[MODES][MODES], coupling[MODES][MODES];
    double c1[MODES], c2[MODES], c12[MODES], c21[MODES];
} Rod;

static Rod rod_of(void) {
    const double fm = RHO * B * H * L2, fk = YOUNG * B * H / L2, fb = B * H * L2;
    const double bend = PI * PI * PI * PI / 24.0 * (H / L2) * (H / L2), p3 = PI * PI * PI;
    const double near = 16.0 * fb / p3, far = fb * (8.0 / p3 - 1.0 / PI), second = fb / (2.0 * PI);
    return (Rod){
        .mass = {{0.5 * fm}, {0.0, 0.5 * fm}, {0.0, 0.0, 8.0 * fm, fm}, {0.0, 0.0, fm, 2.0 * fm}},
        .stiffness = {{fk * bend},
                      {0.0, 16.0 * fk * bend},
                      {0.0, 0.0, fk * 16.0 / 3.0, -fk * 8.0 / 3.0},
                      {0.0, 0.0, -fk * 8.0 / 3.0, fk * 7.0 / 3.0}},
        .coupling = {{0.0, 0.0, -near, far}, {0.0, 0.0, 0.0, second}, {near}, {-far, -second}},
        .c1 = {0.0, 0.0, 2.0 * fb / 3.0, fb / 6.0},
        .c2 = {2.0 * fb / PI},
        .c12 = {0.0, 0.0, L2 * fb / 3.0, L2 * fb / 6.0},
        .c21 = {L2 * fb / PI, -L2 * second},
    };
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void times(const double m[MODES][MODES], const double *x, double *y) {
    for (int i = 0; i < MODES; i++) y[i] = dot(m[i], x);
}

static void put(double *m, int i, int k, double value) {
    m[i * N + k] = m[k * N + i] = value;
}

static CardanStatus mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t;
    const Rod rod = rod_of();
    const double *e = q + 3, c = cos(q[0] - q[1]), s = sin(q[0] - q[1]);
    double mq[MODES];
    times(rod.mass, e, mq);
    put(m, 0, 0, J1 + M2 * L1 * L1);
    put(m, 0, 1, 0.5 * L1 * L2 * M2 * c + RHO * L1 * (s * dot(rod.c2, e) + c * dot(rod.c1, e)));
    put(m, 1, 1, J2 + dot(e, mq) + 2.0 * RHO * dot(rod.c12, e));
    put(m, 2, 2, M3);
    for (int i = 0; i < MODES; i++) {
        double transposed = 0.0;
        for (int k = 0; k < MODES; k++) transposed += rod.coupling[k][i] * e[k];
        put(m, 0, 3 + i, RHO * L1 * (-s * rod.c1[i] + c * rod.c2[i]));
        put(m, 1, 3 + i, RHO * (rod.c21[i] + transposed));
        for (int k = 0; k < MODES; k++) m[(3 + i) * N + 3 + k] = rod.mass[i][k];
    }
    return CARDAN_OK;
}

static CardanStatus force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)user, (void)t, (void)inputs;
    const Rod rod = rod_of();
    const double *e = q + 3, *r = v + 3, c = cos(q[0] - q[1]), s = sin(q[0] - q[1]), v1 = v[0], v2 = v[1];
    double mq[MODES], kq[MODES], br[MODES];
    times(rod.mass, e, mq);
    times(rod.stiffness, e, kq);
    times(rod.coupling, r, br);
    f[0] = -0.5 * L1 * L2 * M2 * v2 * v2 * s + RHO * L1 * v2 * v2 * (-s * dot(rod.c1, e) + c * dot(rod.c2, e)) -
           2.0 * RHO * L1 * v2 * (c * dot(rod.c1, r) + s * dot(rod.c2, r));
    f[1] = 0.5 * L1 * L2 * M2 * v1 * v1 * s + RHO * L1 * v1 * v1 * (s * dot(rod.c1, e) - c * dot(rod.c2, e)) -
           2.0 * RHO * v2 * dot(rod.c12, r) - 2.0 * v2 * dot(r, mq) - RHO * dot(r, br);
    for (int i = 0; i < MODES; i++)
        f[3 + i] = v2 * v2 * mq[i] - kq[i] +
                   RHO * (v2 * v2 * rod.c12[i] + L1 * v1 * v1 * (c * rod.c1[i] + s * rod.c2[i]) + 2.0 * v2 * br[i]);
    return CARDAN_OK;
}

static double potential(void *user, double t, const double *q) {
    (void)user, (void)t;
    const Rod rod = rod_of();
    double kq[MODES];
    times(rod.stiffness, q + 3, kq);
    return 0.5 * dot(q + 3, kq);
}

static CardanStatus constraint(void *user, double t, const double *q, const double *v, double *g, double *jacobian,
                               double *rate, double *gamma) {
    (void)user;
    const double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]), length = L2 + q[6];
    double *across = jacobian, *along = jacobian + N, *drive = jacobian + 2 * N;
    g[0] = L1 * s1 + length * s2;
    across[0] = L1 * c1;
    across[1] = length * c2;
    across[6] = s2;
    gamma[0] = L1 * s1 * v[0] * v[0] + length * s2 * v[1] * v[1] - 2.0 * c2 * v[1] * v[6];
    g[1] = q[2] - L1 * c1 - length * c2;
    along[0] = L1 * s1;
    along[1] = length * s2;
    along[2] = 1.0;
    along[6] = -c2;
    gamma[1] = -(L1 * c1 * v[0] * v[0] + length * c2 * v[1] * v[1] + 2.0 * s2 * v[1] * v[6]);
    g[2] = q[0] - OMEGA * t;
    rate[2] = -OMEGA;
    drive[0] = 1.0;
    return CARDAN_OK;
}

CardanBuilder *mechanism_flexible_slider_crank(void) {
    const double end = 0.169327969e-4, end_rate = -0.268938672e-5; /* of q4; with phi1 = 0 the rod lies along x */
    const double q0[N] = {0.0, 0.0, L1 + L2 + end, 0.0, 0.0, 0.103339863e-4, end};
    const double v0[N] = {OMEGA,          -L1 * OMEGA / (L2 + end), end_rate, 0.444896105,
                          0.463434311e-2, -0.178591076e-5,          end_rate};
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_name(b, "flexible_slider_crank");
    CardanBlockDef def = cardan_default_block();
    def.name = "crank";
    def.coordinates = N;
    def.q0 = q0;
    def.v0 = v0;
    def.rows = ROWS;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.potential = potential;
    cardan_builder_add_block(b, &def);
    return b;
}
