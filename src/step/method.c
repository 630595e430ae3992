#include "step/method.h"

static const CrdMethod *const METHODS[CARDAN_STEPPERS] = {
    [CARDAN_EULER] = &crd_euler,   [CARDAN_MIDPOINT] = &crd_midpoint, [CARDAN_HEUN] = &crd_heun,
    [CARDAN_KUTTA3] = &crd_kutta3, [CARDAN_RK4] = &crd_rk4,           [CARDAN_DOPRI5] = &crd_dopri5,
    [CARDAN_DOP853] = &crd_dop853, [CARDAN_AB2] = &crd_ab2,           [CARDAN_ABM] = &crd_abm,
    [CARDAN_GBS] = &crd_gbs,
    [CARDAN_BACKWARD_EULER] = &crd_backward_euler,
    [CARDAN_TRAPEZOIDAL] = &crd_trapezoidal,
    [CARDAN_IMPLICIT_MIDPOINT] = &crd_implicit_midpoint,
    [CARDAN_GAUSS] = &crd_gauss,
    [CARDAN_VERLET] = &crd_verlet,
    [CARDAN_RATTLE] = &crd_rattle,
    [CARDAN_HEM] = &crd_hem,
};

const CrdMethod *crd_method(CardanStepper stepper) {
    return METHODS[stepper];
}

CardanStatus crd_method_check(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    const CrdMethod *method = crd_method(options->stepper);
    return method->check != NULL ? method->check(model, options, error) : CARDAN_OK;
}
