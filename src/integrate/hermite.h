/* A polynomial over one step, with th = theta in [0, 1], th1 = 1 - theta and d = y_new - y:
 *     u(theta) = r0 + th (r1 + th1 (r2 + th (r3 + th1 (r4 + th (r5 + ...)))))
 *     r0 = y    r1 = d    r2 = h f - d    r3 = d - h f_new - r2
 * r0 .. r3 alone are the cubic of Hermite; the terms after them vanish with their first derivative at both ends, so
 * the ends and their slopes are met whatever those terms are. (Hairer, Norsett, Wanner, II.6 and II.10) */
#ifndef CRD_INTEGRATE_HERMITE_H
#define CRD_INTEGRATE_HERMITE_H

enum { CRD_HERMITE_ROWS = 4 }; /* r0 .. r3 */

/* Fills the first four of the rows r (count each); f and f_new are the slopes at the ends. */
void crd_dense_hermite(int count, double h, const double *y, const double *f, const double *y_new, const double *f_new,
                       double *r);

/* y (n) at theta from rows >= 4 rows; theta 0 and 1 give the ends to rounding, outside [0, 1] it extrapolates. */
void crd_dense_at(int n, const double *r, int rows, double theta, double *y);

#endif
