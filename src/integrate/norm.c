#include "integrate/norm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

static inline double weight_of(const CrdScale *scale, int i) {
    return scale->weight == NULL ? 1.0 : scale->weight[i];
}

/* Size 0: an error of 0 stays 0, any other is too large. */
static inline double size_of(const CrdScale *scale, int i) {
    double absolute = scale->absolute == NULL ? scale->atol : scale->absolute[i];
    return fmax(absolute + scale->rtol * fmax(fabs(scale->y[i]), fabs(scale->y_new[i])), DBL_MIN);
}

/* A component without weight adds weight * v = 0, or NaN when v is not finite. */
double crd_mean_square(const CrdScale *scale, const double *v) {
    double sum = 0.0;
    int counted = 0;
    assert(scale->n >= 0 && scale->rtol >= 0.0 && scale->atol >= 0.0);
    for (int i = 0; i < scale->n; ++i) {
        double ratio = weight_of(scale, i) * v[i] / size_of(scale, i);
        sum += ratio * ratio;
        counted += weight_of(scale, i) > 0.0;
    }
    return counted > 0 ? sum / counted : sum;
}

void crd_mean_squares(const CrdScale *scale, const double *v, const double *w, double out[2]) {
    double sums[2] = {0.0, 0.0};
    int counted = 0;
    assert(scale->n >= 0 && scale->rtol >= 0.0 && scale->atol >= 0.0);
    for (int i = 0; i < scale->n; ++i) {
        double weight = weight_of(scale, i), size = size_of(scale, i);
        double ratios[2] = {weight * v[i] / size, weight * w[i] / size};
        sums[0] += ratios[0] * ratios[0];
        sums[1] += ratios[1] * ratios[1];
        counted += weight > 0.0;
    }
    for (int k = 0; k < 2; ++k) out[k] = counted > 0 ? sums[k] / counted : sums[k];
}

bool crd_all_finite(const double *y, int n) {
    int finite = 1;
    for (int i = 0; i < n; ++i) finite &= fabs(y[i]) <= DBL_MAX;
    return finite != 0;
}
