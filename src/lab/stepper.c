#include "lab/stepper.h"

#include <string.h>

static const CrdLabStepper *const families[] = {crd_lab_explicit_family,
                                                crd_lab_one_stage_family,
                                                crd_lab_extrapolation_family,
                                                crd_lab_collocation_family,
                                                crd_lab_rattle_family,
                                                crd_lab_half_explicit_family,
                                                NULL};

const CrdLabStepper *crd_lab_stepper_at(int i) {
    for (const CrdLabStepper *const *family = families; *family != NULL; family++)
        for (const CrdLabStepper *s = *family; s->name != NULL; s++)
            if (i-- == 0) return s;
    return NULL;
}

const CrdLabStepper *crd_lab_stepper(const char *name) {
    const CrdLabStepper *s;
    for (int i = 0; (s = crd_lab_stepper_at(i)) != NULL; i++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

CardanStatus crd_lab_stepping_begin(CrdLabStepping *stepping, const CrdLabStepper *stepper, const CrdLabSystem *system,
                                    CrdLabDesk *desk) {
    *stepping = (CrdLabStepping){.stepper = stepper, .system = system, .desk = desk};
    const char *reason = stepper->refuse(system);
    if (reason != NULL)
        return crd_fail(desk->error, CARDAN_ERR_ARGUMENT, "stepper '%s' does not fit: %s", stepper->name, reason);
    return stepper->prepare != NULL ? stepper->prepare(stepping) : CARDAN_OK;
}

CardanStatus crd_lab_step(CrdLabStepping *stepping, double t, double h, double *w) {
    CrdLabMark mark = crd_lab_mark(stepping->desk);
    CardanStatus status = stepping->stepper->step(stepping, t, h, w);
    crd_lab_back(stepping->desk, mark);
    return status;
}

CardanStatus crd_lab_not_finite(const CrdLabStepping *stepping, double t) {
    return crd_fail(stepping->desk->error, CARDAN_ERR_NUMERIC,
                    "%s: the state is not finite after the step from t = %.9g", stepping->stepper->name, t);
}
