#include "lab/method.h"

#include <string.h>

/* Why stepper, formulation and correction do not go together; NULL: they do. */
static const char *refuse(const CrdLabSetting *s, const CrdLabStepper *stepper) {
    if (s->formulation->charted && s->selection == NULL && stepper->remembers)
        return "it remembers slopes, and a state-space form without a given R changes its coordinates";
    if (stepper->between && s->formulation->multipliers != 0 && s->stabiliser.correction == &crd_lab_forward)
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
    double *h = crd_lab_numbers(point->desk, crd_lab_invariants(problem), 1);
    if (crd_lab_terms(problem, point->t, point->z, point->desk, &terms) < 0) return NULL;
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

static CardanStatus step(Run *run, double t, double h, double *z, CrdLabDesk *desk) {
    CrdLabSetting *s = &run->setting;
    size_t bytes = (size_t)crd_lab_state(s->problem) * sizeof *z;
    if (s->formulation->charted)
        CRD_TRY(crd_lab_enter_chart(s, t, z, run->w, desk));
    else
        memcpy(run->w, z, bytes);
    CRD_TRY(crd_lab_step(&run->stepping, t, h, run->w));
    if (s->formulation->charted)
        CRD_TRY(crd_lab_leave_chart(s, t + h, run->w, run->end, desk));
    else
        memcpy(run->end, run->w, bytes);
    if (s->stabiliser.correction != NULL)
        CRD_TRY(s->stabiliser.correction->correct(&s->stabiliser, t, z, t + h, run->end, desk));
    memcpy(z, run->end, bytes);
    return CARDAN_OK;
}

static CardanStatus begin(Run *run, const CrdLabMethod *method, double h, CrdLabDesk *desk) {
    CrdLabSetting *s = &run->setting;
    CRD_TRY(crd_lab_check_method(method, desk->error));
    *s = method->setting;
    s->stabiliser.problem = s->problem;
    if (s->gamma_per_step) s->gamma = 1.0 / h;
    if (s->law.inverse_step) crd_lab_damp(&s->law, s->problem->order, 1.0 / h);
    if (s->formulation->charted) CRD_TRY(crd_lab_open_chart(s, desk));
    run->system = crd_lab_system(s);
    run->w = crd_lab_numbers(desk, crd_lab_state(s->problem) + run->system.algebraic, 1);
    run->end = crd_lab_numbers(desk, crd_lab_state(s->problem), 1);
    if (desk->empty) return crd_fail_memory(desk->error);
    return crd_lab_stepping_begin(&run->stepping, method->stepper, &run->system, desk);
}

CardanStatus crd_lab_run(const CrdLabMethod *method, double t0, double h, int steps, double *z, CrdLabObserver observer,
                         CrdLabDesk *desk) {
    CrdLabMark whole = crd_lab_mark(desk);
    Run run;
    CardanStatus status = begin(&run, method, h, desk);
    CrdLabMark one = crd_lab_mark(desk);
    for (int i = 0; i < steps && status >= 0; i++) {
        status = step(&run, t0 + i * h, h, z, desk);
        if (status >= 0) status = crd_lab_accept(method->setting.problem, t0 + (i + 1) * h, z);
        long rhs = desk->rhs;
        if (status >= 0 && observer.see != NULL)
            observer.see(observer.user, &(CrdLabPoint){i + 1, t0 + (i + 1) * h, z, run.w, desk});
        desk->rhs = rhs;
        crd_lab_back(desk, one);
    }
    crd_lab_back(desk, whole);
    return status;
}
