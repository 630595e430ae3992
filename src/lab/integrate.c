#include "lab/integrate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "integrate/controller.h"
#include "integrate/first_step.h"
#include "lab/stepping.h"

static const CrdMethod *const integrators[] = {&crd_dop853, &crd_radau5_strict, &crd_bdf};

const CrdMethod *crd_lab_integrator_at(int i) {
    return i >= 0 && i < (int)(sizeof integrators / sizeof *integrators) ? integrators[i] : NULL;
}

typedef struct Run {
    CrdLabStepping stepping;
    CrdController controller;
    double h, h_max; /* next to try; longest */
} Run;

/* An attempt that failed may succeed when shorter, where an iteration failed. */
static CardanStatus shorten(Run *run, CardanStatus status, double h) {
    const CrdStepper *stepper = &run->stepping.stepper;
    run->h = crd_controller_failed(&run->controller, h);
    if (status != CARDAN_ERR_NUMERIC || !stepper->method->implicit || run->h < crd_smallest_step(stepper->t))
        return status;
    crd_error_clear(stepper->error);
    return CARDAN_OK;
}

/* Whether an attempt of size h met the tolerance, and what to try next. */
static CardanStatus judge(Run *run, double h, bool last, bool *accepted) {
    CrdStepper *stepper = &run->stepping.stepper;
    double norm = stepper->method->error_norm(stepper, h, NULL);
    *accepted = crd_controller_accepts(norm);
    double next = crd_resized(&run->controller, stepper, norm, h, *accepted);
    run->h = *accepted ? fmin(run->h_max, last ? fmax(run->h, next) : next) : next;
    if (*accepted || !(run->h < crd_smallest_step(stepper->t))) return CARDAN_OK;
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC, "%s: the step became too small at t = %.12g",
                    stepper->method->name, stepper->t);
}

/* One accepted step, not beyond t1. */
static CardanStatus accepted_step(Run *run, double t1) {
    CrdStepper *stepper = &run->stepping.stepper;
    bool accepted = false, last = false;
    double h = 0.0;
    if (stepper->method->begin != NULL) stepper->method->begin(stepper);
    while (!accepted) {
        last = stepper->t + run->h * (1.0 + CRD_STEP_STRETCH) >= t1;
        h = last ? t1 - stepper->t : run->h;
        stepper->proposed = run->h;
        CardanStatus status = stepper->method->attempt(stepper, h, true);
        CRD_TRY(status < 0 ? shorten(run, status, h) : judge(run, h, last, &accepted));
    }
    crd_lab_move_on(&run->stepping, last ? t1 : stepper->t + h);
    return crd_lab_slope(&run->stepping);
}

/* Implicit methods are careful: their first step costs little, and a guess from slopes says nothing of stiff ones. */
static CardanStatus first_step(Run *run, CrdLabTolerance tolerance) {
    CrdStepper *stepper = &run->stepping.stepper;
    CrdScale scale = {
        .n = stepper->n, .y = stepper->y, .y_new = stepper->y, .rtol = tolerance.rtol, .atol = tolerance.atol};
    CardanStatus status = CARDAN_OK;
    if (stepper->method->implicit)
        run->h = fmin(run->h_max, tolerance.h_first > 0.0 ? tolerance.h_first : CRD_FIRST_STEP);
    else
        run->h = crd_first_step(&stepper->ode, stepper->t, &scale, stepper->f, stepper->method->error_order, run->h_max,
                                stepper->y_new, stepper->f_new, &status);
    run->h = fmax(run->h, crd_smallest_step(stepper->t)); /* a tolerance of next to nothing makes it vanish */
    return status;
}

static CardanStatus steps(Run *run, CrdLabTolerance tolerance, double t1, double *w, CrdLabWatcher watcher) {
    CrdStepper *stepper = &run->stepping.stepper;
    size_t bytes = (size_t)stepper->n * sizeof *w;
    memcpy(stepper->y, w, bytes);
    CRD_TRY(crd_lab_slope(&run->stepping));
    CRD_TRY(first_step(run, tolerance));
    while (stepper->t < t1) {
        CRD_TRY(accepted_step(run, t1));
        memcpy(w, stepper->y, bytes);
        if (watcher.see != NULL && watcher.see(watcher.user, stepper->t, w, stepper->f) != 0) break;
    }
    return CARDAN_OK;
}

CardanStatus crd_lab_integrate(const CrdMethod *method, const CrdLabSystem *system, CrdLabTolerance tolerance,
                               double t0, double t1, double *w, CrdLabWatcher watcher, CrdLabWorkspace *workspace) {
    assert(method->adaptive && system->algebraic == 0 && t1 > t0);
    assert(tolerance.rtol > 0.0 && tolerance.atol > 0.0);
    Run run = {.h_max = tolerance.h_max > 0.0 ? tolerance.h_max : t1 - t0};
    CrdLabMark mark = crd_lab_mark(workspace);
    CRD_TRY(crd_lab_stepping_open(&run.stepping, method, system, workspace));
    run.stepping.stepper.t = t0;
    run.stepping.stepper.rtol = tolerance.rtol;
    run.stepping.stepper.atol = tolerance.atol;
    CardanStatus status = steps(&run, tolerance, t1, w, watcher);
    crd_lab_back(workspace, mark);
    return status;
}
