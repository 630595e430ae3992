#include "lab/collocation.h"

#define ROOT6 2.44948974278317809820

const CrdLabCollocation crd_lab_radau_stages = {
    .matrix = "step matrix of radau5",
    .stages = 3,
    .c = {(4.0 - ROOT6) / 10.0, (4.0 + ROOT6) / 10.0, 1.0},
    .a = {{(88.0 - 7.0 * ROOT6) / 360.0, (296.0 - 169.0 * ROOT6) / 1800.0, (-2.0 + 3.0 * ROOT6) / 225.0},
          {(296.0 + 169.0 * ROOT6) / 1800.0, (88.0 + 7.0 * ROOT6) / 360.0, (-2.0 - 3.0 * ROOT6) / 225.0},
          {(16.0 - ROOT6) / 36.0, (16.0 + ROOT6) / 36.0, 1.0 / 9.0}},
    .b = {(16.0 - ROOT6) / 36.0, (16.0 + ROOT6) / 36.0, 1.0 / 9.0},
    .at_end = true,
};

static int size_of(const CrdLabStages *s) {
    return s->system->n + s->system->algebraic;
}

CardanStatus crd_lab_stages_begin(CrdLabStages *s) {
    int n = size_of(s), all = s->method->stages * n;
    s->jacobian = crd_lab_numbers(s->desk, n, n);
    s->z = crd_lab_numbers(s->desk, all, 1);
    s->r = crd_lab_numbers(s->desk, all, 1);
    s->at = crd_lab_numbers(s->desk, n, 1);
    for (int i = 0; i < s->method->stages; i++) s->phi[i] = crd_lab_numbers(s->desk, n, 1);
    s->matrix = crd_lab_numbers(s->desk, all, all);
    if (s->desk->empty) return crd_fail_memory(s->desk->error);
    return crd_lab_differentiate(s->system, s->t, s->w, s->jacobian, s->desk);
}

CardanStatus crd_lab_stages_evaluate(CrdLabStages *s) {
    int n = size_of(s);
    for (int i = 0; i < s->method->stages; i++) {
        for (int k = 0; k < n; k++) s->at[k] = s->w[k] + s->z[i * n + k];
        CRD_TRY(s->system->rates(s->system->user, s->t + s->method->c[i] * s->h, s->at, s->phi[i], s->desk));
    }
    return CARDAN_OK;
}

CardanStatus crd_lab_stages_renew(CrdLabStages *s) {
    int n = size_of(s), last = s->method->stages - 1;
    for (int k = 0; k < n; k++) s->at[k] = s->w[k] + s->z[last * n + k];
    return crd_lab_differentiate(s->system, s->t + s->method->c[last] * s->h, s->at, s->jacobian, s->desk);
}

/* Z - h (A (x) I) Phi, and Psi. */
static void residual(const CrdLabStages *s) {
    int n = size_of(s), differential = s->system->n;
    for (int i = 0; i < s->method->stages; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int j = 0; j < s->method->stages; j++) sum += s->method->a[i][j] * s->phi[j][k];
            s->r[i * n + k] = k < differential ? s->z[i * n + k] - s->h * sum : s->phi[i][k];
        }
}

static void newton_matrix(const CrdLabStages *s) {
    int n = size_of(s), stages = s->method->stages, all = stages * n;
    for (int i = 0; i < stages; i++)
        for (int j = 0; j < stages; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) {
                    double derivative = s->jacobian[k * n + l], *entry = &s->matrix[(i * n + k) * all + j * n + l];
                    if (k < s->system->n)
                        *entry = (i == j && k == l ? 1.0 : 0.0) - s->h * s->method->a[i][j] * derivative;
                    else
                        *entry = i == j ? derivative : 0.0;
                }
}

CardanStatus crd_lab_stages_improve(CrdLabStages *s, double *size) {
    int all = s->method->stages * size_of(s);
    CRD_TRY(crd_lab_stages_evaluate(s));
    residual(s);
    newton_matrix(s);
    CRD_TRY(crd_lab_solve((CrdLabPlace){s->method->matrix, s->t, s->desk}, all, 1, s->matrix, s->r));
    for (int k = 0; k < all; k++) s->z[k] -= s->r[k];
    *size = crd_lab_largest(s->r, all);
    return CARDAN_OK;
}
