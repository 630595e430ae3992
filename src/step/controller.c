/* PI step size control (Gustafsson; Hairer, Norsett, Wanner, II.4, and Hairer, Wanner, IV.2), q = error_order:
 *
 *     accepted:  h_new = h safety norm^-(1/q - 0.75 beta) error_old^beta
 *     rejected:  h_new = h safety norm^-1/q
 *
 * within [SHRINK, GROW] of h. After an accepted step the last error brakes a size that swings; after a rejected one
 * only the error at hand counts, and it always shrinks. */
#include "step/controller.h"

#include <math.h>

#include "core/numbers.h"

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
