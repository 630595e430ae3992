#include "lab/stepper.h"

#include <string.h>

static const CrdLabStepper *const families[] = {crd_lab_explicit_family, crd_lab_one_stage_family,
                                                crd_lab_half_explicit_family, NULL};

const CrdLabStepper *crd_lab_stepper(const char *name) {
    for (const CrdLabStepper *const *family = families; *family != NULL; family++)
        for (const CrdLabStepper *s = *family; s->name != NULL; s++)
            if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

CardanStatus crd_lab_stepping_begin(CrdLabStepping *stepping, const CrdLabStepper *stepper, const CrdLabSystem *system,
                                    CrdError *error) {
    *stepping = (CrdLabStepping){.stepper = stepper, .system = system, .error = error};
    const char *reason = stepper->refuse(system);
    if (reason != NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "stepper '%s' does not fit: %s", stepper->name, reason);
    return CARDAN_OK;
}

void crd_lab_stepping_end(CrdLabStepping *stepping) {
    crd_delete(stepping->arena.base);
    stepping->arena.base = NULL;
}
