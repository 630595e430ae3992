/* Integrals that Adams methods on any grid are made of.
 *
 * With nodes x_0, x_1, ... the polynomial through slopes there is, in Newton's form with scaled differences Phi_j,
 *     P(t) = sum_j Phi_j prod_{i<j} (t - x_i) / d_i
 * and its integral is sum_j Phi_j w_j, w_j = int_a^b prod_{i<j} (t - x_i) / d_i dt. (Hairer, Norsett, Wanner, III.5) */
#ifndef CRD_INTEGRATE_METHODS_ADAMS_H
#define CRD_INTEGRATE_METHODS_ADAMS_H

enum { CRD_ADAMS_MAX = 12 }; /* highest order of a predictor */

/* w_0 .. w_(count-1), count <= CRD_ADAMS_MAX + 2, to rounding. x and d have count - 1 entries. */
void crd_adams_integrals(const double *x, const double *d, int count, double a, double b, double *w);

#endif
