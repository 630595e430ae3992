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

/* The value of a channel of one column at options->end (NULL: the model's own options) and its derivatives with respect
 * to `count` names: parameters of the model, or start.COORDINATE with a displacement or velocity of a body as
 * `cardan linearise` names it ("start.pole.angle", "start.cart.vx"), put on the constraints. A stepper that is no
 * explicit Runge-Kutta method is replaced by dop853, and coordinates are absolute. On failure nothing is written and
 * message (size bytes, may be NULL) gets the sentence: CARDAN_ERR_MODEL, a name is unknown; CARDAN_ERR_NUMERIC, an
 * event or a singular pose lies on the way, across which nothing is differentiated, or the simulation could not go on.
 */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_model_sensitivity(const CardanModel *model,
                                                                  const CardanOptions *options,
                                                                  CardanSensitivityMethod method, const char *channel,
                                                                  int count, const char *const *names, double *value,
                                                                  double *derivatives, char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
