/* The norm of the error control: root mean square, over the components with weight > 0, of
 *     weight_i v_i / (atol_i + rtol max(|y_i|, |y_new_i|)) */
#ifndef CRD_INTEGRATE_NORM_H
#define CRD_INTEGRATE_NORM_H

#include <stdbool.h>

/* What an error is measured against. */
typedef struct CrdScale {
    int n;
    const double *y, *y_new; /* (n) ends of the step */
    const double *weight;    /* (n) or NULL: all 1 */
    double rtol, atol;
    const double *absolute; /* (n) atol_i; NULL: atol for all */
} CrdScale;

/* The square of the norm of v (n). NaN when v is not finite, even in a component without weight. */
double crd_mean_square(const CrdScale *scale, const double *v);

/* The same of two vectors, whose components are scaled once. */
void crd_mean_squares(const CrdScale *scale, const double *v, const double *w, double out[2]);

bool crd_all_finite(const double *y, int n);

#endif
