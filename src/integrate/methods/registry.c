#include "integrate/methods/method.h"

#include <assert.h>

static const CrdMethod *const METHODS[CARDAN_STEPPERS] = {
    [CARDAN_STEPPER_EULER] = &crd_euler,
    [CARDAN_STEPPER_MIDPOINT] = &crd_midpoint,
    [CARDAN_STEPPER_HEUN] = &crd_heun,
    [CARDAN_STEPPER_KUTTA3] = &crd_kutta3,
    [CARDAN_STEPPER_RK4] = &crd_rk4,
    [CARDAN_STEPPER_DOPRI5] = &crd_dopri5,
    [CARDAN_STEPPER_DOP853] = &crd_dop853,
    [CARDAN_STEPPER_AB2] = &crd_ab2,
    [CARDAN_STEPPER_ABM] = &crd_abm,
    [CARDAN_STEPPER_GBS] = &crd_gbs,
    [CARDAN_STEPPER_BACKWARD_EULER] = &crd_backward_euler,
    [CARDAN_STEPPER_TRAPEZOIDAL] = &crd_trapezoidal,
    [CARDAN_STEPPER_IMPLICIT_MIDPOINT] = &crd_implicit_midpoint,
    [CARDAN_STEPPER_GAUSS] = &crd_gauss,
    [CARDAN_STEPPER_VERLET] = &crd_verlet,
    [CARDAN_STEPPER_RATTLE] = &crd_rattle,
    [CARDAN_STEPPER_HEM] = &crd_hem,
    [CARDAN_STEPPER_RADAU5] = &crd_radau5,
    [CARDAN_STEPPER_BDF] = &crd_bdf,
    [CARDAN_STEPPER_GALPHA] = &crd_galpha,
    [CARDAN_STEPPER_SLOW_RK4] = &crd_slow_rk4,
    [CARDAN_STEPPER_AUTO] = &crd_auto,
};

const CrdMethod *crd_method(CardanStepper stepper) {
    assert((int)stepper >= 0 && stepper < CARDAN_STEPPERS && METHODS[stepper]->formulations != 0);
    return METHODS[stepper];
}

CrdWord crd_method_word(int i) {
    if (i < 0 || i >= CARDAN_STEPPERS) return (CrdWord){NULL, NULL};
    return (CrdWord){METHODS[i]->name, METHODS[i]->summary};
}
