#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/integrate.h"
#include "lab/stepper.h"
#include "step/controller.h"

typedef struct Solve {
    const CrdLabSystem *system;
    CrdLabTolerance tolerance;
    CrdLabWatcher watcher;
    CrdLabDesk *desk;
    double *end; /* (n) */
    CrdOde ode;
    CrdRungeKutta rk;
    CrdController controller;
    double h; /* next to try */
} Solve;

static CardanStatus slope(void *user, double t, const double *w, double *rates) {
    const Solve *s = user;
    return s->system->rates(s->system->user, t, w, rates, s->desk);
}

/* One accepted step, not beyond t1; rk.k[0] is the slope at w before and after. */
static CardanStatus accepted_step(Solve *s, double *t, double t1, double *w) {
    const CrdTableau *method = s->rk.method;
    double *end = s->end;
    for (;;) {
        bool last = *t + s->h * (1.0 + CRD_STEP_STRETCH) >= t1;
        double h = last ? t1 - *t : s->h;
        CRD_TRY(crd_rk_attempt(&s->rk, &s->ode, *t, h, w, true, end));
        double norm = crd_rk_error_norm(&s->rk, h, w, end, NULL, s->tolerance.rtol, s->tolerance.atol);
        if (!crd_controller_accepts(norm)) {
            s->h = crd_controller_rejected(&s->controller, method->error_order, norm, h);
            if (s->h < CRD_STEP_MIN_ULP * CRD_EPS * fmax(fabs(*t), CRD_STEP_TIME_SCALE))
                return crd_fail(s->desk->error, CARDAN_ERR_NUMERIC, "dop853: the step became too small at t = %.12g",
                                *t);
            continue;
        }
        double next = crd_controller_accepted(&s->controller, method->error_order, method->beta, norm, h);
        s->h = last ? fmax(s->h, next) : next;
        *t = last ? t1 : *t + h;
        memcpy(w, end, (size_t)s->system->n * sizeof *w);
        return slope(s, *t, w, s->rk.k);
    }
}

static CardanStatus steps(Solve *s, double t0, double t1, double *w) {
    double t = t0, most = s->tolerance.h_max > 0.0 ? s->tolerance.h_max : t1 - t0;
    CardanStatus status = CARDAN_OK;
    CRD_TRY(slope(s, t, w, s->rk.k));
    s->h = crd_rk_first_step(&s->rk, &s->ode, t, w, s->rk.k, NULL, s->tolerance.rtol, s->tolerance.atol, most, &status);
    CRD_TRY(status);
    while (t < t1) {
        CRD_TRY(accepted_step(s, &t, t1, w));
        s->h = fmin(s->h, most);
        if (s->watcher.see != NULL && s->watcher.see(s->watcher.user, t, w, s->rk.k) != 0) return CARDAN_OK;
    }
    return CARDAN_OK;
}

static CardanStatus run(const CrdLabSystem *system, CrdLabTolerance tolerance, double t0, double t1, double *w,
                        CrdLabWatcher watcher, CrdLabDesk *desk) {
    Solve s = {.system = system, .tolerance = tolerance, .watcher = watcher, .desk = desk};
    CrdLabMark mark = crd_lab_mark(desk);
    s.ode = (CrdOde){slope, &s, system->n};
    s.end = crd_lab_numbers(desk, system->n, 1);
    CRD_TRY(crd_lab_lay_out(&s.rk, crd_tableau_find("dop853"), system->n, desk));
    CardanStatus status = steps(&s, t0, t1, w);
    crd_lab_back(desk, mark);
    return status;
}

const CrdLabIntegrator crd_lab_dop853 = {"dop853", run};
