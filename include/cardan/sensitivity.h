/* Derivatives of what comes out of a simulation with respect to parameters and start values, along its trajectory.
 *
 * The steps of an explicit Runge-Kutta method, projections included, are made once and then differentiated as they were
 * made, their lengths held: tangent-linear, one direction a parameter, or adjoint, one run backwards for all of them.
 * Both give the same numbers. Equations: docs/LINEAR.md. */
#ifndef CARDAN_SENSITIVITY_H
#define CARDAN_SENSITIVITY_H

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CardanSensitivityMethod {
    CARDAN_SENSITIVITY_TANGENT = 0,
    CARDAN_SENSITIVITY_ADJOINT,
    CARDAN_SENSITIVITY_METHODS
} CardanSensitivityMethod;

/* What of a channel is differentiated. */
typedef enum CardanSensitivityTarget {
    CARDAN_TARGET_END = 0,  /* its value where the run ends */
    CARDAN_TARGET_INTEGRAL, /* its integral over the run, by the quadrature of the steps */
    CARDAN_TARGET_SQUARE,   /* the integral of its square */
    CARDAN_TARGETS
} CardanSensitivityTarget;

typedef struct CardanSensitivityDef {
    int internal; /* by cardan_default_sensitivity */
    CardanSensitivityMethod method;
    CardanSensitivityTarget target;
    const char *channel; /* any but those of the steps themselves; each of its columns is differentiated. Required */
    int count;
    /* Parameters of the model, or start.COORDINATE with a displacement or velocity of a body as `cardan linearise`
     * names it ("start.pole.angle", "start.cart.vx"), put on the constraints. */
    const char *const *names;
    /* Gets the stepper whose steps were differentiated, for it may be another than the options': see below. NULL: not
     * told. Written on success alone. */
    CardanStepper *stepper;
} CardanSensitivityDef;

CARDAN_API CardanSensitivityDef cardan_default_sensitivity(void);

/* Simulates to options->end (NULL: the model's own options), or to an event of the user's that stops the run (then
 * CARDAN_STOPPED; derivatives know that it moves). values gets a number for each column of the channel, derivatives
 * `count` for each, column after column; t, which may be NULL as values may, when the run ended. A stepper that is no
 * explicit Runge-Kutta method is replaced by dop853 (def->stepper tells), and coordinates are absolute.
 *
 * Events are crossed with the jump they make: limits, contacts, kinks of laws and drives, events of users with a
 * `reset` or without a change of the state. On failure nothing is written and message (size bytes, may be NULL) gets
 * the sentence: CARDAN_ERR_MODEL, a name is unknown, or has no derivative; CARDAN_ERR_NUMERIC, something lies on the
 * way across which nothing is differentiated, such as a singular pose, or the simulation could not go on. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_model_sensitivity(const CardanModel *model,
                                                                  const CardanOptions *options,
                                                                  const CardanSensitivityDef *def, double *t,
                                                                  double *values, double *derivatives, char *message,
                                                                  size_t size);

#ifdef __cplusplus
}
#endif
#endif
