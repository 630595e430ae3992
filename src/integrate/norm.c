#include "integrate/norm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

/* A component without weight adds weight * v = 0, or NaN when v is not finite. */
double crd_mean_square(const CrdScale *scale, const double *v) {
    double sum = 0.0;
    int counted = 0;
    assert(scale->n >= 0 && scale->rtol >= 0.0 && scale->atol >= 0.0);
    for (int i = 0; i < scale->n; ++i) {
        double weight = scale->weight == NULL ? 1.0 : scale->weight[i];
        double absolute = scale->absolute == NULL ? scale->atol : scale->absolute[i];
        double size = absolute + scale->rtol * fmax(fabs(scale->y[i]), fabs(scale->y_new[i]));
        double ratio = weight * v[i] / fmax(size, DBL_MIN); /* size 0: 0 stays 0, any error is too large */
        sum += ratio * ratio;
        counted += weight > 0.0;
    }
    return counted > 0 ? sum / counted : sum;
}

bool crd_all_finite(const double *y, int n) {
    int finite = 1;
    for (int i = 0; i < n; ++i) finite &= fabs(y[i]) <= DBL_MAX;
    return finite != 0;
}
