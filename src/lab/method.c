#include "lab/method.h"

#include <string.h>

CardanStatus crd_lab_check_method(const CrdLabMethod *method, CrdError *error) {
    CrdLabSetting s = method->setting;
    s.stabiliser.problem = s.problem;
    CRD_TRY(crd_lab_check_formulation(&s, error));
    if (s.stabiliser.directions != NULL || s.stabiliser.correction != NULL)
        CRD_TRY(crd_lab_check_stabiliser(&s.stabiliser, error));
    if (s.formulation->charted && s.selection == NULL && method->stepper->remembers)
        return crd_fail(error, CARDAN_ERR_ARGUMENT,
                        "stepper '%s' remembers slopes, and '%s' without a given R changes its coordinates",
                        method->stepper->name, s.formulation->name);
    return CARDAN_OK;
}

typedef struct Run {
    CrdLabSetting setting;
    CrdLabSystem system;
    CrdLabStepping stepping;
    double w[CRD_LAB_UNKNOWNS];
} Run;

static CardanStatus step(Run *run, double t, double h, double *z, CrdError *error) {
    CrdLabSetting *s = &run->setting;
    size_t bytes = (size_t)crd_lab_state(s->problem) * sizeof *z;
    double end[CRD_LAB_STATE];
    if (s->formulation->charted)
        CRD_TRY(crd_lab_enter_chart(s, t, z, run->w, error));
    else
        memcpy(run->w, z, bytes);
    CRD_TRY(run->stepping.stepper->step(&run->stepping, t, h, run->w));
    if (s->formulation->charted)
        CRD_TRY(crd_lab_leave_chart(s, t + h, run->w, end, error));
    else
        memcpy(end, run->w, bytes);
    if (s->stabiliser.correction != NULL)
        CRD_TRY(s->stabiliser.correction->correct(&s->stabiliser, t, z, t + h, end, error));
    memcpy(z, end, bytes);
    return CARDAN_OK;
}

CardanStatus crd_lab_run(const CrdLabMethod *method, double t0, double h, int steps, double *z, CrdLabObserver observer,
                         CrdError *error) {
    CRD_TRY(crd_lab_check_method(method, error));
    Run run = {.setting = method->setting};
    run.setting.stabiliser.problem = run.setting.problem;
    if (run.setting.law.inverse_step) crd_lab_damp(&run.setting.law, run.setting.problem->order, 1.0 / h);
    run.system = crd_lab_system(&run.setting);
    CardanStatus status = crd_lab_stepping_begin(&run.stepping, method->stepper, &run.system, error);
    for (int i = 0; i < steps && status >= 0; i++) {
        status = step(&run, t0 + i * h, h, z, error);
        if (status >= 0 && observer.see != NULL)
            observer.see(observer.user, &(CrdLabPoint){i + 1, t0 + (i + 1) * h, z, run.w});
    }
    crd_lab_stepping_end(&run.stepping);
    return status;
}
