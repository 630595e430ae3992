/* The 17 equations of the wheelset as the Test Set for IVP Solvers states them (index 2, straight track), with the four
 * contact parameters and the two multipliers as unknowns of their own: written apart from models/wheelset_block.c,
 * which has neither, to be compared with it.
 *
 * y: x y z theta phi | their rates | beta | psi and xi of the right wheel, of the left one | lambda left, right. */
#ifndef TESTS_REFERENCE_WHEELSET_EQUATIONS_H
#define TESTS_REFERENCE_WHEELSET_EQUATIONS_H

#include <math.h>

enum { WHEELSET_UNKNOWNS = 17 };

/* One wheel on its rail. */
typedef struct PublishedSide {
    double psi, xi, r, dr;   /* contact on the wheel, its profile and slope */
    double s, ds, d2s;       /* the rail's profile at the contact with its derivatives */
    double q[5];             /* row of the constraint */
    double angle;            /* of the contact plane, as the test set counts it */
    double normal, force[3]; /* normal force, creep force */
} PublishedSide;

static void published_profiles(PublishedSide *w, const double *y) {
    const double cone = 0.0262, gauge = 0.1506, radius = 0.1, head = 0.06;
    double st = sin(y[3]), ct = cos(y[3]), sp = sin(y[4]), cp = cos(y[4]), ss = sin(w->psi), cs = cos(w->psi);
    w->r = radius + tan(cone) * (gauge - fabs(w->xi));
    w->dr = -copysign(tan(cone), w->xi);
    double x = y[0] + w->xi * ct * cp + w->r * (ct * sp * cs - st * ss);
    double out = fabs(x) - gauge - head * sin(cone), t = sqrt(head * head - out * out);
    w->s = t - radius - head * cos(cone);
    w->ds = (x < 0.0 ? out : -out) / t;
    w->d2s = -head * head / (t * t * t);
    w->q[0] = w->ds;
    w->q[1] = -1.0;
    w->q[2] = 0.0;
    w->q[3] = w->ds * (w->r * (-ct * ss - cs * sp * st) - cp * st * w->xi);
    w->q[4] = -cs * w->r * sp - cp * w->xi + w->ds * (cp * cs * ct * w->r - ct * sp * w->xi);
}

/* sign: +1 left, -1 right. */
static void published_angle(PublishedSide *w, double sign, const double *y) {
    double st = sin(y[3]), ct = cos(y[3]), sp = sin(y[4]), cp = cos(y[4]), ss = sin(w->psi), cs = cos(w->psi);
    w->angle = atan(((w->dr * cp - sp * cs) * ct + ss * st) / (-sign * (w->dr * sp + cs * cp)));
}

static void published_normals(PublishedSide *left, PublishedSide *right, const double *y) {
    double sl = sin(left->angle), cl = cos(left->angle), sr = sin(right->angle), cr = cos(right->angle);
    double det = -sl * cr - sr * cl, el = 1e4 * y[15], er = 1e4 * y[16];
    double w1 = left->q[0] * el + right->q[0] * er, w2 = left->q[1] * el + right->q[1] * er;
    left->normal = (cr * w1 - sr * w2) / det;
    right->normal = (-cl * w1 - sl * w2) / det;
}

/* Speeds of the contact against the rail. */
static void published_speeds(const PublishedSide *w, const double *y, double yaw, double k[3]) {
    double st = sin(yaw), ct = cos(yaw), sp = sin(y[4]), cp = cos(y[4]), ss = sin(w->psi), cs = cos(w->psi);
    double spin = 30.0 / 0.1 + y[10], r = w->r, xi = w->xi;
    k[0] = -spin * r * (st * cs + ct * sp * ss) + y[5] - y[8] * (r * (st * sp * cs + ct * ss) + xi * st * cp) -
           y[9] * ct * (xi * sp - r * cp * cs);
    k[1] = spin * r * cp * ss + y[6] + y[9] * (xi * cp + r * sp * cs);
    k[2] = -spin * r * (ct * cs - st * sp * ss) + 30.0 + y[7] - y[8] * (xi * ct * cp + r * (ct * sp * cs - st * ss)) +
           y[9] * st * (xi * sp - r * cp * cs);
}

static void published_creep(PublishedSide *w, double sign, const double *y) {
    const double e = 1.3537956, g = 0.7115218, sigma = 0.28, gm = 7.92e10, mu = 0.12, pi = 3.1415926;
    double sd = sin(w->angle), cd = cos(w->angle), yaw = y[3] / cd, st = sin(yaw), ct = cos(yaw), k[3];
    double a = 0.5 / (w->r * sqrt(1.0 + w->dr * w->dr)), b = 0.5 * -w->d2s / pow(1.0 + w->ds * w->ds, 1.5);
    double c = pow(3.0 * fabs(w->normal) * (1.0 - sigma) * e / (2.0 * pi * (a + b) * gm * sqrt(g)), 1.0 / 3.0);
    published_speeds(w, y, yaw, k);
    double back[3] = {k[0] - 2.0 * y[5], k[1] - 2.0 * y[6], k[2] - 2.0 * y[7] - 60.0};
    double vr = 0.5 * sqrt(back[0] * back[0] + back[1] * back[1] + back[2] * back[2]);
    double nux = (st * k[0] + ct * k[2]) / vr, nuy = (ct * cd * k[0] + sign * sd * k[1] - st * cd * k[2]) / vr;
    double phis = (-sign * sd * (300.0 + y[10]) + cd * y[8]) / vr, wt = mu * w->normal;
    double tx = -wt * tanh(gm * c * c * 4.72772197 * nux / wt);
    double ty = -wt * tanh(gm * c * c * 4.27526987 * nuy / wt + gm * c * c * c * 1.97203505 * phis / wt);
    double size = sqrt(tx * tx + ty * ty);
    if (size > fabs(wt)) tx *= fabs(wt) / size, ty *= fabs(wt) / size;
    w->force[0] = st * tx + ct * cd * ty;
    w->force[1] = sign * sd * ty;
    w->force[2] = ct * tx - st * cd * ty;
}

/* Moments of the creep force in the equations of theta, phi and beta, added. */
static void published_moments(const PublishedSide *w, const double *y, double m[3]) {
    double st = sin(y[3]), ct = cos(y[3]), sp = sin(y[4]), cp = cos(y[4]), ss = sin(w->psi), cs = cos(w->psi);
    const double *t = w->force;
    double r = w->r, xi = w->xi;
    m[0] += -(xi * st + r * ss * ct * cp) * t[0] - r * ss * sp * t[1] + (-xi * ct + r * ss * st * cp) * t[2];
    m[1] += -(xi * ct * sp - r * cs * ct * cp) * t[0] + (xi * cp + r * cs * sp) * t[1] +
            (xi * st * sp - r * cs * st * cp) * t[2];
    m[2] += -r * (cs * st + ss * ct * sp) * t[0] + r * ss * cp * t[1] - r * (cs * ct - ss * st * sp) * t[2];
}

static void published_contact(const PublishedSide *w, const double *y, double equations[2]) {
    double st = sin(y[3]), ct = cos(y[3]), sp = sin(y[4]), cp = cos(y[4]), ss = sin(w->psi), cs = cos(w->psi);
    equations[0] = w->ds * (w->dr * sp + cp * cs) + w->dr * ct * cp - ct * sp * cs + st * ss;
    equations[1] = w->dr * st * cp - st * sp * cs - ct * ss;
}

/* Left sides less right sides; the equations of motion in N and Nm. gap (2): the contact conditions of index 3. */
static void published_residual(const double y[WHEELSET_UNKNOWNS], const double dy[WHEELSET_UNKNOWNS],
                               double residual[WHEELSET_UNKNOWNS], double gap[2]) {
    const double mass = 16.08, spin_inertia = 0.0605, inertia = 0.366, c = 6400.0;
    double sp = sin(y[4]), cp = cos(y[4]), spin = 300.0 + y[10], moment = -2.0 * 0.19 * 0.19 * c * y[3], m[3] = {0.0};
    PublishedSide side[2] = {{.psi = y[13], .xi = y[14]}, {.psi = y[11], .xi = y[12]}}; /* left, right */
    for (int s = 0; s < 2; s++) {
        published_profiles(&side[s], y);
        published_angle(&side[s], s == 0 ? 1.0 : -1.0, y);
    }
    published_normals(&side[0], &side[1], y);
    double pull[5] = {-2.0 * c * y[0], -mass * 9.81, -2.0 * c * y[2], 0.0, 0.0};
    for (int s = 0; s < 2; s++) {
        published_creep(&side[s], s == 0 ? 1.0 : -1.0, y);
        published_moments(&side[s], y, m);
        for (int i = 0; i < 3; i++) pull[i] += side[s].force[i];
        for (int i = 0; i < 5; i++) pull[i] += side[s].q[i] * 1e4 * y[15 + s];
        residual[15 + s] = 0.0;
        for (int i = 0; i < 5; i++) residual[15 + s] += side[s].q[i] * y[5 + i];
        published_contact(&side[s], y, residual + 13 - 2 * s);
        gap[s] = side[s].s - y[1] - side[s].xi * sp + side[s].r * cp * cos(side[s].psi);
    }
    for (int i = 0; i < 5; i++) residual[i] = dy[i] - y[5 + i];
    for (int i = 0; i < 3; i++) residual[5 + i] = mass * dy[5 + i] - pull[i];
    residual[8] = inertia * cp * dy[8] - (inertia * y[8] * y[9] * sp - spin_inertia * spin * y[9] -
                                          (spin_inertia - inertia) * y[8] * sp * y[9] + m[0] + cp * moment + pull[3]);
    residual[9] = inertia * dy[9] -
                  (spin_inertia * spin * y[8] * cp + (spin_inertia - inertia) * y[8] * sp * y[8] * cp + m[1] + pull[4]);
    residual[10] = spin_inertia * (sp * dy[8] + dy[10]) - (-spin_inertia * y[8] * y[9] * cp + m[2] + sp * moment);
}

#endif
