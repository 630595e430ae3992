/* Where a cone touches a rail whose head is a circle. With r' = -side tan(cone), and the wheel's normal upright on the
 * track,
 *
 *     cos(theta) sin(psi) + sin(theta) sin(phi) cos(psi) = r' sin(theta) cos(phi)                       gives psi near
 * 0, s' (r' sin(phi) + cos(phi) cos(psi)) = cos(theta) sin(phi) cos(psi) - sin(theta) sin(psi) - r' cos(theta) cos(phi)
 *
 * gives the rail's slope, thereby the place X on its head, and X = x + xi cos(theta) cos(phi) + r(xi) m gives xi. What
 * the test set keeps as four algebraic unknowns is so a closed function of p, and the contact condition
 *
 *     0 = s(X) - y - xi sin(phi) + r cos(phi) cos(psi)
 *
 * is stationary in psi and xi: its derivative by p is that at fixed psi and xi. */
#include "wheelset.h"

#include <math.h>

/* The place on the rail's head where it has this slope. */
static double complex head_place(double side, double complex slope) {
    double middle = WHEELSET_HALF_GAUGE + WHEELSET_HEAD * sin(WHEELSET_CONE);
    return side * middle - WHEELSET_HEAD * slope / csqrt(1.0 + slope * slope);
}

static double complex head_height(double complex slope) {
    return WHEELSET_HEAD / csqrt(1.0 + slope * slope) - WHEELSET_RADIUS - WHEELSET_HEAD * cos(WHEELSET_CONE);
}

WheelsetContact wheelset_contact(double side, const double complex p[WHEELSET_P]) {
    double taper = -side * tan(WHEELSET_CONE), base = WHEELSET_RADIUS + tan(WHEELSET_CONE) * WHEELSET_HALF_GAUGE;
    double complex st = csin(p[3]), ct = ccos(p[3]), sp = csin(p[4]), cp = ccos(p[4]);
    WheelsetContact c;
    double complex tilt = st * sp, want = taper * st * cp, size = ct * ct + tilt * tilt,
                   root = csqrt(size - want * want);
    double complex ss = (ct * want - tilt * root) / size, cs = (tilt * want + ct * root) / size;
    c.sin_psi = ss;
    c.cos_psi = cs;
    double complex across = ct * sp * cs - st * ss;
    c.slope = (across - taper * ct * cp) / (taper * sp + cp * cs);
    c.xi = (head_place(side, c.slope) - p[0] - base * across) / (ct * cp + taper * across);
    c.radius = base + taper * c.xi;
    c.gap = head_height(c.slope) - p[1] - c.xi * sp + c.radius * cp * cs;
    c.row[0] = c.slope;
    c.row[1] = -1.0;
    c.row[2] = 0.0;
    c.row[3] = -c.slope * (c.radius * (ct * ss + cs * sp * st) + cp * st * c.xi);
    c.row[4] = -cs * c.radius * sp - cp * c.xi + c.slope * ct * (cp * cs * c.radius - sp * c.xi);
    return c;
}

WheelsetArm wheelset_arm(const WheelsetContact *contact, double theta, double phi) {
    double st = sin(theta), ct = cos(theta), sp = sin(phi), cp = cos(phi);
    double r = creal(contact->radius), xi = creal(contact->xi);
    double rs = r * creal(contact->sin_psi), rc = r * creal(contact->cos_psi);
    return (WheelsetArm){
        .by_theta = {-xi * st * cp - rc * st * sp - rs * ct, 0.0, -xi * ct * cp - rc * ct * sp + rs * st},
        .by_phi = {-(xi * sp - rc * cp) * ct, xi * cp + rc * sp, (xi * sp - rc * cp) * st},
        .by_spin = {-rc * st - rs * ct * sp, rs * cp, -rc * ct + rs * st * sp},
    };
}
