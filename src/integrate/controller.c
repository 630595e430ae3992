/* PI step size control (Gustafsson; Hairer, Norsett, Wanner, II.4, and Hairer, Wanner, IV.2), q = error_order:
 *
 *     accepted:  h_new = h safety norm^-(1/q - 0.75 beta) error_old^beta
 *     rejected:  h_new = h safety norm^-1/q
 *
 * within [SHRINK, GROW] of h. After an accepted step the last error brakes a size that swings; after a rejected one
 * only the error at hand counts, and it always shrinks. */
#include "integrate/controller.h"

#include <math.h>

#include "core/numbers.h"
#include "integrate/methods/method.h"

/* Error norm below which an accepted step counts as this good: a step of no error at all (a rest, a straight line) says
 * nothing about the next (DOPRI5 of Hairer and Wanner). */
#define CRD_STEP_ERROR_FLOOR 1e-4

/* Part of beta taken off the exponent 1/q of the present error (DOPRI5 of Hairer and Wanner). */
#define CRD_STEP_BETA_SHARE 0.75

double crd_smallest_step(double t) {
    return CRD_STEP_MIN_ULP * CRD_EPS * fmax(fabs(t), CRD_STEP_TIME_SCALE);
}

bool crd_controller_accepts(double norm) {
    return norm <= 1.0;
}

double crd_controller_accepted(CrdController *controller, int error_order, double beta, double norm, double h) {
    double exponent = 1.0 / error_order - CRD_STEP_BETA_SHARE * beta;
    double error_old = fmax(controller->error_old, CRD_STEP_ERROR_FLOOR);
    double factor = CRD_STEP_SAFETY * pow(error_old, beta) / pow(norm, exponent); /* norm 0: infinite */
    double largest = controller->rejected_last ? 1.0 : CRD_STEP_GROW;
    controller->error_old = fmax(norm, CRD_STEP_ERROR_FLOOR);
    controller->rejected_last = false;
    return h * fmax(CRD_STEP_SHRINK, fmin(largest, factor));
}

double crd_controller_rejected(CrdController *controller, int error_order, double norm, double h) {
    double factor = CRD_STEP_SAFETY / pow(norm, 1.0 / error_order);
    controller->rejected_last = true;
    if (!(factor > CRD_STEP_SHRINK)) return h * CRD_STEP_SHRINK; /* also NaN */
    return h * fmin(factor, CRD_STEP_SAFETY);
}

double crd_controller_failed(CrdController *controller, double h) {
    controller->rejected_last = true;
    return h * CRD_STEP_FAILED;
}

double crd_resized(CrdController *controller, CrdStepper *stepper, double norm, double h, bool accepted) {
    const CrdMethod *method = stepper->method;
    if (method->resize != NULL) return method->resize(stepper, norm, h, accepted);
    return accepted ? crd_controller_accepted(controller, method->error_order, method->beta, norm, h)
                    : crd_controller_rejected(controller, method->error_order, norm, h);
}
