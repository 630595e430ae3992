#include "integrate/methods/divided.h"

#include <assert.h>
#include <string.h>

void crd_divide(int n, int count, const double *age, double *d) {
    for (int level = 1; level < count; level++)
        for (int j = count - 1; j >= level; j--) {
            double gap = age[j - level] - age[j], *here = crd_row(d, n, j), *newer = crd_row(d, n, j - 1);
            for (int i = 0; i < n; i++) here[i] = (here[i] - newer[i]) / gap;
        }
}

/* Horner's scheme, and that of the derivative. */
void crd_divided_at(int n, int count, const double *age, const double *d, double s, double *value, double *slope) {
    assert(count >= 1);
    memcpy(value, d + (size_t)(count - 1) * (size_t)n, (size_t)n * sizeof *value);
    if (slope != NULL) memset(slope, 0, (size_t)n * sizeof *slope);
    for (int j = count - 2; j >= 0; j--) {
        const double *row = d + (size_t)j * (size_t)n;
        double way = s + age[j];
        for (int i = 0; slope != NULL && i < n; i++) slope[i] = value[i] + way * slope[i];
        for (int i = 0; i < n; i++) value[i] = row[i] + way * value[i];
    }
}
