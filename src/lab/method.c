#include "lab/method.h"

#include <assert.h>
#include <string.h>

/* Why stepper, formulation and correction do not go together; NULL: they do. */
static const char *refuse(const CrdLabSetting *setting, const CrdLabStepper *stepper) {
    if (setting->formulation->charted && setting->selection == NULL && stepper->remembers)
        return "it remembers slopes, and a state-space form without a given R changes its coordinates";
    if (stepper->between && setting->formulation->multipliers != 0 &&
        setting->stabiliser.correction == &crd_lab_forward)
        return "it reflects the drift at the algebraic equations, and a forward correction doubles it with each step";
    return NULL;
}

CardanStatus crd_lab_check_method(const CrdLabMethod *method, CrdError *error) {
    CrdLabSetting s = method->setting;
    s.stabiliser.problem = s.problem;
    CRD_TRY(crd_lab_check_formulation(&s, error));
    if (s.stabiliser.directions != NULL || s.stabiliser.correction != NULL)
        CRD_TRY(crd_lab_check_stabiliser(&s.stabiliser, error));
    const char *reason = method->stepper != NULL ? refuse(&s, method->stepper) : NULL;
    if (reason == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "stepper '%s' does not fit: %s", method->stepper->name, reason);
}

const double *crd_lab_look(const CrdLabProblem *problem, const CrdLabPoint *point) {
    CrdLabTerms terms;
    double *h = crd_lab_numbers(point->workspace, crd_lab_invariants(problem), 1);
    if (crd_lab_terms(problem, point->t, point->z, point->workspace, &terms) < 0) return NULL;
    crd_lab_invariant(problem, point->z, &terms, h, NULL);
    return h;
}

typedef struct Run {
    CrdLabSetting setting;
    CrdLabSystem system;
    CrdLabStepping stepping;
    double *w;   /* (unknowns) */
    double *end; /* (state) */
} Run;

static CardanStatus step(Run *run, double t, double h, double *z, CrdLabWorkspace *workspace) {
    CrdLabSetting *setting = &run->setting;
    size_t bytes = (size_t)crd_lab_state(setting->problem) * sizeof *z;
    if (setting->formulation->charted)
        CRD_TRY(crd_lab_enter_chart(setting, t, z, run->w, workspace));
    else
        memcpy(run->w, z, bytes);
    CRD_TRY(crd_lab_step(&run->stepping, t, h, run->w));
    if (setting->formulation->charted)
        CRD_TRY(crd_lab_leave_chart(setting, t + h, run->w, run->end, workspace));
    else
        memcpy(run->end, run->w, bytes);
    if (setting->stabiliser.correction != NULL)
        CRD_TRY(setting->stabiliser.correction->correct(&setting->stabiliser, t, z, t + h, run->end, workspace));
    memcpy(z, run->end, bytes);
    return CARDAN_OK;
}

static CardanStatus begin(Run *run, const CrdLabMethod *method, double h, CrdLabWorkspace *workspace) {
    CrdLabSetting *setting = &run->setting;
    CRD_TRY(crd_lab_check_method(method, workspace->error));
    *setting = method->setting;
    setting->stabiliser.problem = setting->problem;
    if (setting->gamma_per_step) setting->gamma = 1.0 / h;
    if (setting->law.inverse_step) crd_lab_damp(&setting->law, setting->problem->order, 1.0 / h);
    if (setting->formulation->charted) CRD_TRY(crd_lab_open_chart(setting, workspace));
    run->system = crd_lab_system(setting);
    run->w = crd_lab_numbers(workspace, crd_lab_state(setting->problem) + run->system.algebraic, 1);
    run->end = crd_lab_numbers(workspace, crd_lab_state(setting->problem), 1);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    return crd_lab_stepping_begin(&run->stepping, method->stepper, &run->system, workspace);
}

CardanStatus crd_lab_run(const CrdLabMethod *method, double t0, double h, int steps, double *z, CrdLabObserver observer,
                         CrdLabWorkspace *workspace) {
    CrdLabMark whole = crd_lab_mark(workspace);
    Run run;
    assert(h > 0.0 && steps >= 0);
    CardanStatus status = begin(&run, method, h, workspace);
    CrdLabMark one = crd_lab_mark(workspace);
    for (int i = 0; i < steps && status >= 0; i++) {
        status = step(&run, t0 + i * h, h, z, workspace);
        if (status >= 0) status = crd_lab_accept(method->setting.problem, t0 + (i + 1) * h, z);
        long rhs = workspace->rhs;
        if (status >= 0 && observer.see != NULL)
            observer.see(observer.user, &(CrdLabPoint){i + 1, t0 + (i + 1) * h, z, run.w, workspace});
        workspace->rhs = rhs;
        crd_lab_back(workspace, one);
    }
    crd_lab_back(workspace, whole);
    return status;
}
