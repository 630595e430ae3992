/* The first steps of fixed ones: k - 1 states of the accuracy of order k, which steps of lower orders would not give.
 * Backward Euler goes over the step in 1, 2 .. k parts, and what it gives is extrapolated (Aitken and Neville):
 *
 *     T_(j,1): by j parts          T_(j,l+1) = T_(j,l) + (T_(j,l) - T_(j-1,l)) / (j / (j - l) - 1)
 *
 * Stiff motions are damped as by backward Euler itself. (Hairer, Wanner, IV.9) */
#include "integrate/methods/bdf.h"
#include "integrate/methods/divided.h"

#include <string.h>

/* Goes over the step in so many parts. */
static CardanStatus go(CrdStepper *stepper, double h, int parts, double *end) {
    CrdBdf *bdf = stepper->memory;
    size_t bytes = (size_t)stepper->n * sizeof *end;
    double part = h / parts;
    memcpy(bdf->base, stepper->y, bytes);
    memcpy(bdf->slope, stepper->f, bytes);
    for (int i = 0; i < parts; i++) {
        CRD_TRY(crd_implicit_attempt(&bdf->implicit, stepper->t + i * part, part, bdf->base, bdf->slope, end));
        memcpy(bdf->base, end, bytes);
        memcpy(bdf->slope, bdf->implicit.k, bytes);
    }
    return CARDAN_OK;
}

CardanStatus crd_bdf_start(CrdStepper *stepper, double h) {
    CrdBdf *bdf = stepper->memory;
    int n = stepper->n;
    bdf->implicit.guess = bdf->implicit.kept = NULL;
    bdf->implicit.origin = NULL;
    for (int j = 1; j <= bdf->order; j++) CRD_TRY(go(stepper, h, j, crd_row(bdf->fresh, n, j)));
    for (int l = 1; l < bdf->order; l++)
        for (int j = bdf->order; j > l; j--) {
            double *here = crd_row(bdf->fresh, n, j), *coarser = crd_row(bdf->fresh, n, j - 1);
            double weight = 1.0 / ((double)j / (j - l) - 1.0);
            for (int i = 0; i < n; i++) here[i] += weight * (here[i] - coarser[i]);
        }
    memcpy(stepper->y_new, crd_row(bdf->fresh, n, bdf->order), (size_t)n * sizeof *stepper->y_new);
    return CARDAN_OK;
}
