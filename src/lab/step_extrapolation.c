/* Extrapolation of Gragg's midpoint rule in steps of fixed size (Gragg, Bulirsch, Stoer; Hairer, Norsett, Wanner,
 * II.9): s = h / n,   u_1 = w + s f(t, w),   u_(m+1) = u_(m-1) + 2 s f(t + m s, u_m),   T_j1 = u_n for n = n_j = 2 j
 *     T_jk = T_j,k-1 + (T_j,k-1 - T_j-1,k-1) / ((n_j / n_(j-k+1))^2 - 1)
 * With k columns the order is 2 k. */
#include <string.h>

#include "lab/stepper.h"

enum { COLUMNS = 3 };

typedef struct Extrapolation {
    int columns;
} Extrapolation;

static const Extrapolation order4 = {2}, order6 = {3};

/* end (n) after `parts` parts of h from w; before, slope: (n) room. */
static CardanStatus midpoint_rule(const CrdLabStepping *s, double t, double h, int parts, const double *w, double *end,
                                  double *before, double *slope) {
    const CrdLabSystem *system = s->system;
    double part = h / parts;
    memcpy(before, w, (size_t)system->n * sizeof *w);
    CRD_TRY(system->rates(system->user, t, w, slope, s->desk));
    for (int i = 0; i < system->n; i++) end[i] = w[i] + part * slope[i];
    for (int m = 1; m < parts; m++) {
        CRD_TRY(system->rates(system->user, t + m * part, end, slope, s->desk));
        for (int i = 0; i < system->n; i++) {
            double next = before[i] + 2.0 * part * slope[i];
            before[i] = end[i];
            end[i] = next;
        }
    }
    return CARDAN_OK;
}

static CardanStatus step_extrapolation(CrdLabStepping *s, double t, double h, double *w) {
    const Extrapolation *method = s->stepper->data;
    int n = s->system->n;
    double *row[COLUMNS], *before = crd_lab_numbers(s->desk, n, 1), *slope = crd_lab_numbers(s->desk, n, 1);
    for (int k = 0; k < COLUMNS; k++) row[k] = crd_lab_numbers(s->desk, n, 1); /* T_j1, T_j2, ... of the last j */
    double *above = crd_lab_numbers(s->desk, n, 1);
    if (s->desk->empty) return crd_fail_memory(s->desk->error);
    for (int j = 0; j < method->columns; j++) {
        double *fresh = above;
        CRD_TRY(midpoint_rule(s, t, h, 2 * (j + 1), w, fresh, before, slope));
        for (int k = 0; k <= j; k++) { /* row[k] is T_(j-1),k until it has served */
            double ratio = k < j ? (j + 1.0) / (j - k) : 0.0;
            for (int i = 0; i < n; i++) {
                double value = fresh[i];
                if (k < j) fresh[i] = value + (value - row[k][i]) / (ratio * ratio - 1.0);
                row[k][i] = value;
            }
        }
    }
    memcpy(w, row[method->columns - 1], (size_t)n * sizeof *w);
    return crd_lab_finite(w, n) ? CARDAN_OK : crd_lab_not_finite(s, t);
}

const CrdLabStepper crd_lab_extrapolation_family[] = {
    {"gbs4", 4, &order4, false, crd_lab_refuse_explicit, step_extrapolation, NULL, false},
    {"gbs6", 6, &order6, false, crd_lab_refuse_explicit, step_extrapolation, NULL, false},
    {.name = NULL},
};
