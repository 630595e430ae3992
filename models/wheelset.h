/* The wheelset of the Test Set for IVP Solvers, in parts: where its wheels touch the rails, and the creep forces there.
 *
 * p = (x, y, z, theta, phi): sideways, up, along the track, yaw, roll; v = p'. A wheel is a cone of radius r(xi), the
 * rail's head a circle s(X). The point of contact of a side has the place xi along the axle and the angle psi around
 * it. (B. Simeon, C. Fuehrer, P. Rentrop, Surv. Math. Ind. 1, 1991.) */
#ifndef MODELS_WHEELSET_H
#define MODELS_WHEELSET_H

#include <complex.h>

enum { WHEELSET_P = 5 };

/* Half the distance of the rails, m; cone angle; radius of a wheel there and of the rail's head, m. */
#define WHEELSET_HALF_GAUGE 0.1506
#define WHEELSET_CONE 0.0262
#define WHEELSET_RADIUS 0.1
#define WHEELSET_HEAD 0.06
/* Speed of travel, m/s, and the spin of the wheels that goes with it. */
#define WHEELSET_SPEED 30.0
#define WHEELSET_SPIN (WHEELSET_SPEED / WHEELSET_RADIUS)

/* One side's contact. Complex, so that a small imaginary part of p carries a derivative, exact to rounding. */
typedef struct WheelsetContact {
    double complex sin_psi, cos_psi, xi;
    double complex radius;          /* r(xi) */
    double complex slope;           /* s'(X) */
    double complex gap;             /* of the contact condition, 0 when wheel and rail touch */
    double complex row[WHEELSET_P]; /* its derivative by p */
} WheelsetContact;

/* side: +1 left, -1 right. */
WheelsetContact wheelset_contact(double side, const double complex p[WHEELSET_P]);

/* The point of contact of a wheel seen from the axle's middle: derivatives of its place by theta, phi and the spin. */
typedef struct WheelsetArm {
    double by_theta[3], by_phi[3], by_spin[3];
} WheelsetArm;
WheelsetArm wheelset_arm(const WheelsetContact *contact, double theta, double phi);

/* How a wheel slides on its rail, before the normal force is known. */
typedef struct WheelsetCreepage {
    double along, across, spin;                        /* over the speed of rolling; spin in 1/m */
    double curvature;                                  /* 1/m, of wheel and rail together */
    double sin_yaw, cos_yaw, sin_incline, cos_incline; /* of the contact plane */
} WheelsetCreepage;

/* beta: spin beyond WHEELSET_SPIN. */
WheelsetCreepage wheelset_creepage(const WheelsetContact *contact, const double *p, const double *v, double beta);

/* Creep force on the wheel under a normal force. */
void wheelset_creep(const WheelsetCreepage *creepage, double normal, double force[3]);

#endif
