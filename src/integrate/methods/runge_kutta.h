/* One step of an explicit Runge-Kutta method on a flat vector: attempt, error norm, dense output.
 *
 * The order of calls in a step from (t, y):
 *     k[0] = f(t, y)            by the caller, once a step: it survives rejected attempts
 *     crd_rk_attempt            y_new; repeated with smaller h until crd_rk_error_norm says 1 or less
 *     (caller)                  may correct y_new a little, evaluates f_new = f(t + h, y_new)
 *     crd_rk_prepare_dense      only when something between t and t + h is wanted
 *     crd_rk_interpolate        any number of times, until the next preparation
 *     k[0] = f_new              by the caller
 * Nothing is allocated after the layout. */
#ifndef CRD_INTEGRATE_METHODS_RUNGE_KUTTA_H
#define CRD_INTEGRATE_METHODS_RUNGE_KUTTA_H

#include "core/memory.h"
#include "integrate/methods/stepper.h"
#include "integrate/methods/tableau.h"

typedef struct CrdRungeKutta {
    const CrdTableau *method;
    int n;
    double *k;     /* ((stages + 1 + extra) x n) slopes, see tableau.h; row 0 is the caller's, the others are filled by
                      crd_rk_attempt, rows stages and after by crd_rk_prepare_dense */
    double *stage; /* (n) argument of the slope being computed; scratch */
    double *error; /* (error_rows x n) y/s; error of the last attempt divided by h; filled by crd_rk_attempt */
    double *dense; /* ((4 + dense_rows) x n) interpolation polynomial; filled by crd_rk_prepare_dense or _sparing */
    int rows;      /* of it */
} CrdRungeKutta;

/* Takes the arrays from the arena; called twice, measuring and real. */
void crd_rk_layout(CrdRungeKutta *rk, const CrdTableau *method, int n, CrdArena *arena);

/* Slope i of the last attempt, n numbers. */
static inline double *crd_rk_slope(const CrdRungeKutta *rk, int i) {
    return rk->k + (size_t)i * (size_t)rk->n;
}

/* out (n) <- the argument of slope i of the last attempt, a step of size h from y. */
void crd_rk_stage(const CrdRungeKutta *rk, int i, double h, const double *y, double *out);

/* One attempt from (t, y) with k[0] = f(t, y) in place; y_new (n) may not overlap y. With want_error the estimate is
 * computed too, which for a method with fsal costs the slope at y_new. The last right-hand side evaluated is that
 * slope, else k[stages - 1]: at t + h for all methods but euler and midpoint. Fails with the status of the right-hand
 * side, with CARDAN_ERR_NUMERIC when y_new is not finite, and with CARDAN_ERR_ARGUMENT when an estimate is wanted of a
 * method that has none. */
CardanStatus crd_rk_attempt(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y, bool want_error,
                            double *y_new);

/* Norm of the error of the last attempt, 1 = just acceptable: root mean square, over the components with weight > 0,
 * of  weight_i error_i / (atol + rtol max(|y_i|, |y_new_i|)).  weight NULL: all 1, absolute (n) NULL: atol for all.
 * With two estimates the norm is that of dop853, e5^2 / sqrt(e5^2 + 0.01 e3^2). NaN when the estimate is not finite,
 * even in a component without weight, and for a method without estimate. */
double crd_rk_error_norm(const CrdRungeKutta *rk, double h, const double *y, const double *y_new, const double *weight,
                         double rtol, double atol, const double *absolute);

/* Makes the polynomial over [t, t + h] through (y, k[0]) and (y_new, f_new) with the slopes of the last attempt, so it
 * joins the next step's with a continuous first derivative though y_new was corrected. f_new may be row stages of k.
 * dop853 evaluates three right-hand sides inside the step, the others none. */
CardanStatus crd_rk_prepare_dense(CrdRungeKutta *rk, const CrdOde *ode, double t, double h, const double *y,
                                  const double *y_new, const double *f_new);

/* The same from the slopes of the last attempt alone, where the method has such an extension: no right-hand side is
 * evaluated. */
void crd_rk_prepare_sparing(CrdRungeKutta *rk, double h, const double *y, const double *y_new, const double *f_new);

/* What its error is judged by, before anything is made of it: h times its last term and the combination `rest` of the
 * tableau, in scratch. Puts f_new in place for crd_rk_interpolate_sparing. */
CrdSparingTerms crd_rk_sparing_terms(CrdRungeKutta *rk, double h, const double *f_new);

/* out (n) at t + theta h by that extension, straight from the slopes and the ends of the step, as they still stand. */
void crd_rk_interpolate_sparing(const CrdRungeKutta *rk, double h, double theta, const double *y, const double *y_new,
                                double *out);

/* h times its derivative there. */
void crd_rk_slope_sparing(const CrdRungeKutta *rk, double h, double theta, const double *y, const double *y_new,
                          double *out);

/* y (n) at t + theta h; theta 0 and 1 give the ends to rounding, outside [0, 1] it extrapolates. */
void crd_rk_interpolate(const CrdRungeKutta *rk, double theta, double *y);

#endif
