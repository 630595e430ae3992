/* The wheelset of the Test Set for IVP Solvers (Simeon, Fuehrer, Rentrop 1991): a stiff axle with two conical wheels on
 * springs, at 30 m/s on a straight track. Coordinates x y z theta phi b; b' = beta is the spin beyond that of rolling.
 *
 *     M(q) a = f(q, v) + sum over sides J^T T(q, v, N) + D G^T E        g(q) = 0: each wheel touches its rail
 *
 * E are the published multipliers (times 1e4), the negatives of the engine's; N = -E sqrt(1 + s'^2) is the normal
 * force. The published equations are kept as they are: their constraint force on theta is cos(phi) times that of
 * G^T E, D = diag(1, 1, 1, cos(phi), 1, 1), which differs from it by 1e-6 here.
 *
 * Creep forces T read the multipliers, which a force of the engine cannot. They follow from the state: E solves the two
 * equations G a = gamma, by Newton's method inside the force. */
#include "block_models.h"
#include "wheelset.h"

#include <math.h>
#include <string.h>

static const double MASS = 16.08, GRAVITY = 9.81, SPIN_INERTIA = 0.0605, INERTIA = 0.366;
static const double SPRING_X = 6400.0, SPRING_Z = 6400.0, SPRING_ARM = 0.19;

enum { N = 6, P = WHEELSET_P, SIDES = 2 };
static const double SIDE[SIDES] = {1.0, -1.0}; /* left, right */

/* Gaps of the published start, left and right, in m. Index 2 keeps them, and so do the rows here. */
static const double GAP[SIDES] = {5.269749e-10, -4.966841e-10};

/* Imaginary part that carries a derivative: its square is nothing beside 1. */
static const double TINY = 1e-30;
/* Newton's method ends when the multipliers change by less than this part of the weight, near rounding: after 3 to 8
 * iterations. */
static const double SOLVED = 1e-14;
enum { ITERATIONS = 40 };

/* Contact of a side at q, and what moves it along v when that is not NULL. */
static WheelsetContact contact_at(int side, const double *q, const double *direction) {
    double complex p[P];
    for (int i = 0; i < P; i++) p[i] = q[i] + (double complex)I * (direction == NULL ? 0.0 : TINY * direction[i]);
    return wheelset_contact(SIDE[side], p);
}

static double row_times(const WheelsetContact *contact, const double *v) {
    double sum = 0.0;
    for (int i = 0; i < P; i++) sum += creal(contact->row[i]) * v[i];
    return sum;
}

/* (G v)_q v of a row. */
static double row_turns(const WheelsetContact *contact, const double *v) {
    double sum = 0.0;
    for (int i = 0; i < P; i++) sum += cimag(contact->row[i]) / TINY * v[i];
    return sum;
}

static CardanStatus mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t;
    double sp = sin(q[4]), cp = cos(q[4]);
    for (int i = 0; i < 3; i++) m[i * N + i] = MASS;
    m[3 * N + 3] = INERTIA * cp * cp + SPIN_INERTIA * sp * sp;
    m[3 * N + 5] = m[5 * N + 3] = SPIN_INERTIA * sp;
    m[4 * N + 4] = INERTIA;
    m[5 * N + 5] = SPIN_INERTIA;
    return CARDAN_OK;
}

/* a = M^-1 f; sp, cp: of phi */
static void accelerate(double sp, double cp, const double f[N], double a[N]) {
    for (int i = 0; i < 3; i++) a[i] = f[i] / MASS;
    a[3] = (f[3] - sp * f[5]) / (INERTIA * cp * cp);
    a[4] = f[4] / INERTIA;
    a[5] = f[5] / SPIN_INERTIA - sp * a[3];
}

/* Moment of the springs along the track, about the vertical. It turns the wheels too, by its part along the axle. */
static double spring_moment(const double *q) {
    return -2.0 * SPRING_ARM * SPRING_ARM * SPRING_Z * q[3];
}

/* Springs, weight and what turning bodies feel. */
static void smooth_force(const double *q, const double *v, double f[N]) {
    double sp = sin(q[4]), cp = cos(q[4]), spin = WHEELSET_SPIN + v[5];
    f[0] = -2.0 * SPRING_X * q[0];
    f[1] = -MASS * GRAVITY;
    f[2] = -2.0 * SPRING_Z * q[2];
    f[3] = spring_moment(q) - cp * SPIN_INERTIA * spin * v[4] + 2.0 * (INERTIA - SPIN_INERTIA) * sp * cp * v[3] * v[4];
    f[4] = SPIN_INERTIA * spin * cp * v[3] + (SPIN_INERTIA - INERTIA) * sp * cp * v[3] * v[3];
    f[5] = sp * spring_moment(q) - SPIN_INERTIA * cp * v[3] * v[4];
}

/* Everything at one state that does not depend on the multipliers. */
typedef struct Wheelset {
    double sin_phi, cos_phi;
    WheelsetContact contact[SIDES];
    WheelsetArm arm[SIDES];
    WheelsetCreepage creepage[SIDES];
    double gamma[SIDES];
    double smooth[N];
} Wheelset;

static Wheelset wheelset_at(const double *q, const double *v) {
    Wheelset w = {.sin_phi = sin(q[4]), .cos_phi = cos(q[4])};
    for (int s = 0; s < SIDES; s++) {
        w.contact[s] = contact_at(s, q, v);
        w.arm[s] = wheelset_arm(&w.contact[s], q[3], q[4]);
        w.creepage[s] = wheelset_creepage(&w.contact[s], q, v, v[5]);
        w.gamma[s] = -row_turns(&w.contact[s], v);
    }
    smooth_force(q, v, w.smooth);
    return w;
}

/* The creep forces of both sides under the multipliers, added. */
static void add_creep(const Wheelset *w, const double multiplier[SIDES], double f[N]) {
    for (int s = 0; s < SIDES; s++) {
        double force[3];
        wheelset_creep(&w->creepage[s], -multiplier[s] / w->creepage[s].cos_incline, force);
        for (int i = 0; i < 3; i++) {
            f[i] += force[i];
            f[3] += w->arm[s].by_theta[i] * force[i];
            f[4] += w->arm[s].by_phi[i] * force[i];
            f[5] += w->arm[s].by_spin[i] * force[i];
        }
    }
}

/* G a - gamma under the multipliers. */
static void row_residual(const Wheelset *w, const double multiplier[SIDES], double residual[SIDES]) {
    double f[N], a[N];
    memcpy(f, w->smooth, sizeof f);
    add_creep(w, multiplier, f);
    for (int s = 0; s < SIDES; s++)
        for (int i = 0; i < P; i++) f[i] += (i == 3 ? w->cos_phi : 1.0) * creal(w->contact[s].row[i]) * multiplier[s];
    accelerate(w->sin_phi, w->cos_phi, f, a);
    for (int s = 0; s < SIDES; s++) residual[s] = row_times(&w->contact[s], a) - w->gamma[s];
}

/* x of A x = b, A by columns. */
static void solve2(double a[SIDES][SIDES], const double b[SIDES], double x[SIDES]) {
    double det = a[0][0] * a[1][1] - a[1][0] * a[0][1];
    x[0] = (b[0] * a[1][1] - a[1][0] * b[1]) / det;
    x[1] = (a[0][0] * b[1] - b[0] * a[0][1]) / det;
}

/* Newton's method with the matrix of the start, which is where each wheel carries half the weight. */
static CardanStatus solve_multipliers(const Wheelset *w, double multiplier[SIDES]) {
    double residual[SIDES], matrix[SIDES][SIDES], weight = 0.5 * MASS * GRAVITY;
    multiplier[0] = multiplier[1] = -weight;
    row_residual(w, multiplier, residual);
    for (int s = 0; s < SIDES; s++) {
        double beside[SIDES] = {multiplier[0], multiplier[1]}, step = 1e-3 * weight;
        beside[s] += step;
        row_residual(w, beside, matrix[s]);
        for (int i = 0; i < SIDES; i++) matrix[s][i] = (matrix[s][i] - residual[i]) / step;
    }
    double last = HUGE_VAL;
    for (int i = 0; i < ITERATIONS; i++) {
        double change[SIDES];
        solve2(matrix, residual, change);
        for (int s = 0; s < SIDES; s++) multiplier[s] -= change[s];
        double size = fmax(fabs(change[0]), fabs(change[1]));
        if (size <= SOLVED * weight || (size <= 1e3 * SOLVED * weight && size >= last)) return CARDAN_OK;
        last = size;
        row_residual(w, multiplier, residual);
    }
    return CARDAN_ERR_NUMERIC;
}

/* The part of the force without potential that is no gyroscopic one. */
static CardanStatus contact_force(const Wheelset *w, double f[N]) {
    double multiplier[SIDES];
    CardanStatus status = solve_multipliers(w, multiplier);
    if (status < 0) return status;
    add_creep(w, multiplier, f);
    for (int s = 0; s < SIDES; s++) f[3] += (w->cos_phi - 1.0) * creal(w->contact[s].row[3]) * multiplier[s];
    return CARDAN_OK;
}

static CardanStatus force(void *user, double t, const double *q, const double *v, const double *inputs, double *f) {
    (void)user, (void)t, (void)inputs;
    Wheelset w = wheelset_at(q, v);
    memcpy(f, w.smooth, sizeof w.smooth);
    return contact_force(&w, f);
}

static double potential(void *user, double t, const double *q) {
    (void)user, (void)t;
    double turn = SPRING_ARM * q[3];
    return SPRING_X * q[0] * q[0] + SPRING_Z * (q[2] * q[2] + turn * turn) + MASS * GRAVITY * q[1];
}

static double power(void *user, double t, const double *q, const double *v, const double *inputs) {
    (void)user, (void)t, (void)inputs;
    Wheelset w = wheelset_at(q, v);
    double f[N] = {0.0}, sum = sin(q[4]) * spring_moment(q) * v[5];
    if (contact_force(&w, f) < 0) return (double)NAN;
    for (int i = 0; i < N; i++) sum += f[i] * v[i];
    return sum;
}

static CardanStatus constraint(void *user, double t, const double *q, const double *v, double *g, double *jacobian,
                               double *rate, double *gamma) {
    (void)user, (void)t, (void)rate;
    for (int s = 0; s < SIDES; s++) {
        WheelsetContact contact = contact_at(s, q, v);
        g[s] = creal(contact.gap) - GAP[s];
        gamma[s] = -row_turns(&contact, v);
        for (int i = 0; i < P; i++) jacobian[s * N + i] = creal(contact.row[i]);
    }
    return CARDAN_OK;
}

/* (G v)_q */
static CardanStatus constraint_gradient(void *user, double t, const double *q, const double *v, double *gradient) {
    (void)user, (void)t;
    for (int s = 0; s < SIDES; s++)
        for (int k = 0; k < P; k++) {
            double along[P] = {0.0};
            along[k] = 1.0;
            WheelsetContact contact = contact_at(s, q, along);
            gradient[s * N + k] = row_turns(&contact, v);
        }
    return CARDAN_OK;
}

/* (G^T lambda)_q */
static CardanStatus reaction_gradient(void *user, double t, const double *q, const double *lambda, double *gradient) {
    (void)user, (void)t;
    for (int s = 0; s < SIDES; s++)
        for (int k = 0; k < P; k++) {
            double along[P] = {0.0};
            along[k] = 1.0;
            WheelsetContact contact = contact_at(s, q, along);
            for (int i = 0; i < P; i++) gradient[i * N + k] += lambda[s] * cimag(contact.row[i]) / TINY;
        }
    return CARDAN_OK;
}

void mechanism_wheelset_contacts(const double *q, double contact[4]) {
    for (int s = 0; s < SIDES; s++) {
        WheelsetContact c = contact_at(s, q, NULL);
        contact[2 - 2 * s] = atan2(creal(c.sin_psi), creal(c.cos_psi));
        contact[3 - 2 * s] = creal(c.xi);
    }
}

CardanBuilder *mechanism_wheelset(void) {
    static const double q0[N] = {0.14941e-02, 0.40089e-06, 0.11241e-05, -0.28573e-03, 0.26459e-03, 0.0};
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_name(b, "wheelset");
    CardanBlockDef def = cardan_default_block();
    def.name = "axle";
    def.coordinates = N;
    def.q0 = q0;
    def.rows = SIDES;
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
