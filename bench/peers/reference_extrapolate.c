/* One step by extrapolating the modified midpoint rule with 2, 4, ..., 2 COLUMNS substeps: order 2 COLUMNS. */
#include "reference.h"

#include <string.h>

static void midpoint(Slope slope, void *user, int n, Real h, int substeps, const Real *y, Real *end, Real *work) {
    Real *before = work, *now = work + n, *rate = work + 2 * n, part = h / substeps;
    memcpy(before, y, (size_t)n * sizeof *y);
    slope(user, y, rate);
    for (int i = 0; i < n; i++) now[i] = y[i] + part * rate[i];
    for (int k = 1; k < substeps; k++) {
        slope(user, now, rate);
        for (int i = 0; i < n; i++) {
            Real next = before[i] + 2 * part * rate[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    slope(user, now, rate);
    for (int i = 0; i < n; i++) end[i] = (before[i] + now[i] + part * rate[i]) / 2;
}

void extrapolate(Slope slope, void *user, int n, Real h, Real *y, Real *work) {
    Real *table = work + 3 * n; /* COLUMNS x n: the last diagonal of Aitken and Neville's scheme */
    for (int k = 0; k < COLUMNS; k++) {
        midpoint(slope, user, n, h, 2 * (k + 1), y, table + k * n, work);
        for (int j = k - 1; j >= 0; j--) {
            Real ratio = (Real)(k + 1) / (j + 1);
            for (int i = 0; i < n; i++)
                table[j * n + i] =
                    table[(j + 1) * n + i] + (table[(j + 1) * n + i] - table[j * n + i]) / (ratio * ratio - 1);
        }
    }
    memcpy(y, table, (size_t)n * sizeof *y);
}
