/* Radau IIA of order 5 with three stages on w' = phi(t, w):
 *     Z_i = h sum_j a_ij phi(t + c_j h, w + Z_j)        w_new = w + Z_3
 * simplified Newton on all stages at once,  (I - h A (x) J) dZ = -(Z - h (A (x) I) Phi),  J at the start of the step.
 * Error estimate, filtered so that stiff components do not spoil it:
 *     e = (I - h gamma0 J)^-1 gamma0 (h phi(t, w) + (-13 - 7 sqrt 6)/3 Z_1 + (-13 + 7 sqrt 6)/3 Z_2 - Z_3/3)
 * of size h^4 (Hairer and Wanner, Solving ODEs II, IV.8). The matrices are small, so the transformation that splits
 * them is left out. */
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/collocation.h"
#include "lab/integrate.h"

enum { STAGES = 3 };

#define ROOT6 2.44948974278317809820
#define GAMMA0 0.27488882959567734 /* inverse of the real eigenvalue 3.6378342527444957 of A^-1 */

static const double estimate_weight[STAGES] = {(-13.0 - 7.0 * ROOT6) / 3.0, (-13.0 + 7.0 * ROOT6) / 3.0, -1.0 / 3.0};

/* Newton from the Z in place, to a tenth of the absolute and a hundredth of the relative tolerance. CARDAN_ERR_LIMIT:
 * too slow for this step size. */
static CardanStatus solve_stages(CrdLabStages *s, CrdLabTolerance asked) {
    enum { PATIENCE = 12 };
    double scale = crd_lab_largest(s->w, s->system->n), tolerance = 0.1 * asked.atol + 0.01 * asked.rtol * scale;
    double size = (double)INFINITY, before;
    for (int i = 0; i < PATIENCE; i++) {
        before = size;
        CRD_TRY(crd_lab_stages_improve(s, &size));
        if (size <= tolerance) return CARDAN_OK;
        if (i > 1 && size >= 0.9 * before) break;
    }
    return size <= 10.0 * CRD_EPS * scale ? CARDAN_OK : CARDAN_ERR_LIMIT;
}

static CardanStatus filtered_estimate(const CrdLabStages *s, const double *rates, double *estimate) {
    int n = s->system->n;
    double *matrix = s->matrix;
    for (int k = 0; k < n; k++) {
        double sum = s->h * rates[k];
        for (int i = 0; i < STAGES; i++) sum += estimate_weight[i] * s->z[i * n + k];
        estimate[k] = GAMMA0 * sum;
        for (int l = 0; l < n; l++) matrix[k * n + l] = (k == l ? 1.0 : 0.0) - s->h * GAMMA0 * s->jacobian[k * n + l];
    }
    return crd_lab_solve((CrdLabPlace){"error matrix of radau5", s->t, s->desk}, n, 1, matrix, estimate);
}

CardanStatus crd_lab_radau_step(const CrdLabSystem *system, double t, double h, const double *w, const double *rates,
                                CrdLabTolerance tolerance, double *end, double *estimate, CrdLabDesk *desk) {
    CrdLabStages s = {.method = &crd_lab_radau_stages, .system = system, .t = t, .h = h, .w = w, .desk = desk};
    int n = system->n;
    CrdLabMark mark = crd_lab_mark(desk);
    CRD_TRY(crd_lab_stages_begin(&s));
    CRD_TRY(solve_stages(&s, tolerance));
    for (int k = 0; k < n; k++) end[k] = w[k] + s.z[(STAGES - 1) * n + k];
    if (estimate != NULL) CRD_TRY(filtered_estimate(&s, rates, estimate));
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

/* ---- step size ---- */

static double error_norm(const CrdLabTolerance *tolerance, int n, const double *w, const double *end, const double *e) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double ratio = e[i] / (tolerance->atol + tolerance->rtol * fmax(fabs(w[i]), fabs(end[i])));
        sum += ratio * ratio;
    }
    return sqrt(sum / n);
}

static CardanStatus run(const CrdLabSystem *system, CrdLabTolerance tolerance, double t0, double t1, double *w,
                        CrdLabWatcher watcher, CrdLabDesk *desk) {
    int n = system->n;
    double t = t0, most = tolerance.h_max > 0.0 ? tolerance.h_max : t1 - t0,
           first = tolerance.h_first > 0.0 ? tolerance.h_first : CRD_FIRST_STEP, h = fmin(most, first);
    CrdLabMark whole = crd_lab_mark(desk);
    double *rates = crd_lab_numbers(desk, n, 1), *end = crd_lab_numbers(desk, n, 1),
           *estimate = crd_lab_numbers(desk, n, 1);
    if (desk->empty) return crd_fail_memory(desk->error);
    CrdLabMark one = crd_lab_mark(desk);
    CRD_TRY(system->rates(system->user, t, w, rates, desk));
    while (t < t1) {
        crd_lab_back(desk, one);
        bool last = t + h * (1.0 + CRD_STEP_STRETCH) >= t1;
        double step = last ? t1 - t : h, norm = (double)INFINITY;
        CardanStatus status = crd_lab_radau_step(system, t, step, w, rates, tolerance, end, estimate, desk);
        if (status == CARDAN_OK) norm = error_norm(&tolerance, n, w, end, estimate);
        if (status < 0 && status != CARDAN_ERR_LIMIT) return status;
        double factor = status < 0 ? CRD_STEP_FAILED
                                   : fmin(CRD_STEP_GROW, fmax(CRD_STEP_SHRINK, CRD_STEP_SAFETY * pow(norm, -0.25)));
        if (!(norm <= 1.0)) {
            h = step * fmin(factor, CRD_STEP_SAFETY);
            if (h < CRD_STEP_MIN_ULP * CRD_EPS * fmax(fabs(t), CRD_STEP_TIME_SCALE))
                return crd_fail(desk->error, CARDAN_ERR_NUMERIC, "radau5: the step became too small at t = %.12g", t);
            continue;
        }
        t = last ? t1 : t + step;
        h = fmin(most, last ? fmax(h, step * factor) : step * factor);
        memcpy(w, end, (size_t)n * sizeof *w);
        CRD_TRY(system->rates(system->user, t, w, rates, desk));
        if (watcher.see != NULL && watcher.see(watcher.user, t, w, rates) != 0) break;
    }
    crd_lab_back(desk, whole);
    return CARDAN_OK;
}

const CrdLabIntegrator crd_lab_radau5 = {"radau5", run};
