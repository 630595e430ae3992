/* Creep forces of a wheel on a rail, after Jaschinski (DLR-FB 90-06, 1990): Kalker's linear law in the creepages nu_x,
 * nu_y and the spin, on the contact ellipse of Hertz, let into the bound mu N by tanh. The slope of the contact plane
 * is the rail's; 3.1415926 is the number that the published solution was computed with. */
#include "wheelset.h"

#include <math.h>

static const double FRICTION = 0.12, POISSON = 0.28, SHEAR = 7.92e10, PI = 3.1415926;
/* Integral and axis ratio of the contact ellipse, Kalker's coefficients. */
static const double ELLIPSE_E = 1.3537956, ELLIPSE_G = 0.7115218;
static const double C11 = 4.72772197, C22 = 4.27526987, C23 = 1.97203505;

/* The wheel's material at the contact goes along with the axle's travel and with its turns; yaw is that in the contact
 * plane. */
WheelsetCreepage wheelset_creepage(const WheelsetContact *contact, const double *p, const double *v, double beta) {
    double slope = creal(contact->slope), cd = 1.0 / sqrt(1.0 + slope * slope), sd = slope * cd;
    double yaw = p[3] / cd, st = sin(yaw), ct = cos(yaw);
    WheelsetArm arm = wheelset_arm(contact, yaw, p[4]);
    const double travel[3] = {v[0], v[1], v[2] + WHEELSET_SPEED};
    double k[3], rolling = 0.0;
    for (int i = 0; i < 3; i++) {
        double turn = arm.by_theta[i] * v[3] + arm.by_phi[i] * v[4] + arm.by_spin[i] * (WHEELSET_SPIN + beta);
        k[i] = travel[i] + turn;
        rolling += 0.25 * (turn - travel[i]) * (turn - travel[i]);
    }
    rolling = sqrt(rolling);
    double wheel = creal(contact->radius) / cos(WHEELSET_CONE);
    return (WheelsetCreepage){.along = (st * k[0] + ct * k[2]) / rolling,
                              .across = (ct * cd * k[0] + sd * k[1] - st * cd * k[2]) / rolling,
                              .spin = (-sd * (WHEELSET_SPIN + beta) + cd * v[3]) / rolling,
                              .curvature = 0.5 / wheel + 0.5 / WHEELSET_HEAD,
                              .sin_yaw = st,
                              .cos_yaw = ct,
                              .sin_incline = sd,
                              .cos_incline = cd};
}

void wheelset_creep(const WheelsetCreepage *creepage, double normal, double force[3]) {
    double bound = FRICTION * fabs(normal), along = 0.0, across = 0.0;
    double c = cbrt(3.0 * fabs(normal) * (1.0 - POISSON) * ELLIPSE_E /
                    (2.0 * PI * creepage->curvature * SHEAR * sqrt(ELLIPSE_G))); /* mean half axis of the ellipse */
    if (bound > 0.0) {
        along = -bound * tanh(SHEAR * c * c * C11 * creepage->along / bound);
        across = -bound * tanh(SHEAR * c * c * (C22 * creepage->across + c * C23 * creepage->spin) / bound);
    }
    double size = sqrt(along * along + across * across), keep = size > bound ? bound / size : 1.0;
    double sideways = creepage->cos_incline * across;
    force[0] = keep * (creepage->sin_yaw * along + creepage->cos_yaw * sideways);
    force[1] = keep * creepage->sin_incline * across;
    force[2] = keep * (creepage->cos_yaw * along - creepage->sin_yaw * sideways);
}
