#include "lab/stepper.h"

#include <string.h>

/* ---- what does not fit ---- */

static const char *refuse_nothing(const CrdLabSystem *system) {
    (void)system;
    return NULL;
}

static const char *refuse_explicit(const CrdLabSystem *system) {
    if (system->mass != NULL) return "it is explicit, and the rates stand behind a matrix E";
    if (system->algebraic > 0) return "it is explicit and cannot solve the algebraic equations of this formulation";
    return NULL;
}

static const char *refuse_special(const CrdLabSystem *system) {
    if (system->mass != NULL) return "it takes no matrix E before the rates";
    if (system->overdetermined) return "the least squares of this formulation are those of backward_euler";
    return NULL;
}

/* Velocities of the midpoint rule do not converge at index 3. */
static const char *refuse_index3(const CrdLabSystem *system) {
    if (system->index == 3) return "at index 3 its velocities do not converge; reduce the index first";
    return refuse_special(system);
}

static const char *refuse_start(const CrdLabSystem *system) {
    if (system->algebraic > 0)
        return "the slope at the start of the step would need multipliers that no equation gives";
    return refuse_special(system);
}

static const char *refuse_ends(const CrdLabSystem *system) {
    if (system->algebraic > 0)
        return "its steps end between stages, where no algebraic equation holds; reduce the index and project";
    return refuse_special(system);
}

static const char *refuse_half_explicit(const CrdLabSystem *system) {
    if (system->mass != NULL || system->overdetermined) return "it is made for semi-explicit equations";
    if (system->algebraic == 0) return "there are no algebraic equations; take the explicit method";
    if (system->index > 2) return "the equations have index 3; reduce the index first";
    return NULL;
}

static const char *refuse_rattle(const CrdLabSystem *system) {
    if (!system->both_levels)
        return "it needs positions, velocities and g = 0, g' = 0 with multipliers y: formulation stabilised_index2";
    return NULL;
}

static const char *refuse_verlet(const CrdLabSystem *system) {
    if (!system->second_order) return "it needs accelerations of positions: a problem of order 2 without multipliers";
    return NULL;
}

/* ---- the list ---- */

/* clang-format off */
static const CrdLabStepper steppers[] = {
    {"euler", 1, &crd_euler, refuse_explicit, false, false},
    {"midpoint", 2, &crd_midpoint, refuse_explicit, false, false},
    {"heun", 2, &crd_heun, refuse_explicit, false, false},
    {"kutta3", 3, &crd_kutta3, refuse_explicit, false, false},
    {"rk4", 4, &crd_rk4, refuse_explicit, false, false},
    {"dopri5", 5, &crd_dopri5, refuse_explicit, false, false},
    {"dop853", 8, &crd_dop853, refuse_explicit, false, false},
    {"adams_bashforth2", 2, &crd_adams_bashforth2, refuse_explicit, true, false},
    {"backward_euler", 1, &crd_backward_euler, refuse_nothing, false, false},
    {"trapezoidal", 2, &crd_trapezoidal, refuse_start, false, false},
    {"implicit_midpoint", 2, &crd_implicit_midpoint, refuse_index3, false, true},
    {"gbs4", 4, &crd_gbs4, refuse_explicit, false, false},
    {"gbs6", 6, &crd_gbs6, refuse_explicit, false, false},
    {"gauss4", 4, &crd_gauss4, refuse_ends, false, false},
    {"gauss6", 6, &crd_gauss, refuse_ends, false, false},
    {"radau5", 5, &crd_radau5_strict, refuse_special, false, false},
    {"verlet", 2, &crd_verlet, refuse_verlet, false, false},
    {"rattle", 2, &crd_rattle, refuse_rattle, false, false},
    {"half_explicit_euler", 1, &crd_half_explicit_euler, refuse_half_explicit, false, false},
    {"half_explicit_midpoint", 2, &crd_half_explicit_midpoint, refuse_half_explicit, false, false},
    {"half_explicit_heun", 2, &crd_half_explicit_heun, refuse_half_explicit, false, false},
    {"half_explicit_kutta3", 3, &crd_half_explicit_kutta3, refuse_half_explicit, false, false},
    {"half_explicit_rk4", 4, &crd_half_explicit_rk4, refuse_half_explicit, false, false},
};
/* clang-format on */

const CrdLabStepper *crd_lab_stepper_at(int i) {
    return i >= 0 && i < (int)(sizeof steppers / sizeof *steppers) ? &steppers[i] : NULL;
}

const CrdLabStepper *crd_lab_stepper(const char *name) {
    const CrdLabStepper *stepper;
    for (int i = 0; (stepper = crd_lab_stepper_at(i)) != NULL; i++)
        if (strcmp(stepper->name, name) == 0) return stepper;
    return NULL;
}
