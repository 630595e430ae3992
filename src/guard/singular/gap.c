/* Poses that are missed (dynamics/near_miss.h): what they ask of steps.
 *
 * A step that is long against the gap finds its end put on the constraints beyond it, and no error estimate sees that.
 * So where a step comes near a pose it is asked once whether branches cross there; where they do not, the row that
 * nearly vanishes must not turn round over a step. */
#include "guard/singular/singular.h"

#include "core/numbers.h"

#include <math.h>

/* It is asked again when there was no answer and the measure has fallen to this part. */
#define CRD_GAP_AGAIN 0.5

/* Rounding leaves eps over the gap of the speed where the motion turns; so many tolerances of it are allowed. */
#define CRD_GAP_TOLERANCES 1000.0

/* Longest step towards a gap (lengths of the model, rad), in units of the weakest singular value where it begins: that
 * is some tenths of the way to the pose. */
#define CRD_GAP_STRIDE 3.0

/* A step that jumped over a gap is tried again with this part of it. */
#define CRD_GAP_SHORTER 0.35

void crd_gap_forget(CrdSingular *singular) {
    singular->crossing = CRD_CROSSING_UNKNOWN;
    singular->asked = 1.0;
    singular->integrator->dynamics.near_miss.acts = false;
}

/* Beyond the watch, and farther from the gap than before the step? */
static bool is_behind(const CrdSingular *singular) {
    const CrdIntegrator *integrator = singular->integrator;
    const double *pose = integrator->dynamics.near_miss.q;
    if (integrator->stages.accepted < CRD_PASSAGE_WATCH) return false;
    return singular->crossing != CRD_CROSSING_MISSED ||
           crd_integrator_moved(integrator, pose, integrator->stepper.y) >
               crd_integrator_moved(integrator, pose, integrator->stepper.y_old);
}

void crd_gap_follow(CrdSingular *singular) {
    if (is_behind(singular)) crd_gap_forget(singular);
}

CardanStatus crd_gap_check(CrdSingular *singular) {
    const CrdIntegrator *integrator = singular->integrator;
    double gap = integrator->dynamics.near_miss.gap, left = CRD_EPS / (2.0 * gap), rtol = integrator->stepper.rtol;
    if (singular->crossing != CRD_CROSSING_MISSED || integrator->options.step > 0.0) return CARDAN_OK;
    if (left <= CRD_GAP_TOLERANCES * rtol) return CARDAN_OK;
    return crd_fail(
        integrator->stepper.error, CARDAN_ERR_NUMERIC,
        "a singular pose ahead of t = %.9g is missed by %.2g of the mechanism's length: rounding leaves %.1g "
        "of the speed in the turn, which a tolerance of %.1g does not allow; loosen it, or make the lengths "
        "fit or miss by more",
        integrator->stepper.t, gap, left, rtol);
}

/* The workspace holds the end of the attempt again. */
static CardanStatus restore(CrdIntegrator *integrator, double t_new) {
    CrdStepper *stepper = &integrator->stepper;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t_new, stepper->y_new));
    return crd_integrator_derivative(integrator, stepper->y_new, stepper->f_new, false);
}

/* Asked from where the step begins, or else from where it ends: both lie on the constraints, and several rows that
 * vanish together do so seen from either. true: the attempt was made with what is done about poses, and there is none.
 */
static bool is_news(CrdSingular *singular, double t_new) {
    CrdIntegrator *integrator = singular->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    CrdStepper *stepper = &integrator->stepper;
    double lowest = fmin(integrator->stages.lowest, crd_singularity_measure(dynamics));
    if (singular->crossing != CRD_CROSSING_UNKNOWN || lowest > CRD_GAP_AGAIN * singular->asked) return false;
    singular->asked = lowest;
    const double *end[] = {stepper->y, stepper->y_new}, t[] = {stepper->t, t_new};
    for (int i = 0; i < 2 && singular->crossing == CRD_CROSSING_UNKNOWN && !(i == 1 && dynamics->near_miss.several);
         i++)
        singular->crossing = crd_near_miss_ask(dynamics, t[i], end[i], end[i] + dynamics->model->structure->nq);
    crd_error_clear(stepper->error);
    dynamics->near_miss.acts = singular->crossing == CRD_CROSSING_MISSED;
    return dynamics->near_miss.acts;
}

/* Does the step jump over the gap, or is it so long against the way to it that this cannot be told? */
static bool jumps(CrdIntegrator *integrator, double t_new) {
    CrdStepper *stepper = &integrator->stepper;
    const CrdNearMiss *miss = &integrator->dynamics.near_miss;
    if (crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y) < 0) return false;
    crd_near_miss_remember(&integrator->dynamics);
    double moved = crd_integrator_moved(integrator, stepper->y, stepper->y_new);
    if (integrator->options.step == 0.0 && moved > CRD_GAP_STRIDE * miss->weakness) return true;
    if (crd_integrator_evaluate_constraints(integrator, t_new, stepper->y_new) < 0) return false;
    return crd_near_miss_jumped(&integrator->dynamics);
}

static CardanStatus refuse(CrdIntegrator *integrator, const CrdTry *attempt) {
    return crd_fail(
        integrator->stepper.error, CARDAN_ERR_NUMERIC,
        "a step of %.3g at t = %.9g is too long: a singular pose is missed there by %.2g (of the mechanism's "
        "length), branches do not cross, and the step would jump from one to the other; take a step below "
        "%.1g s, or error control",
        attempt->h, integrator->stepper.t, integrator->dynamics.near_miss.gap,
        sqrt(integrator->dynamics.near_miss.gap) * attempt->h);
}

CrdVerdict crd_gap_verdict(CrdSingular *singular, CrdTry *attempt, CardanStatus *status) {
    CrdIntegrator *integrator = singular->integrator;
    double lowest = fmin(integrator->stages.lowest, crd_singularity_measure(&integrator->dynamics));
    bool known = singular->crossing != CRD_CROSSING_UNKNOWN, missed = singular->crossing == CRD_CROSSING_MISSED;
    bool closed = crd_stabiliser_moves(&integrator->stabiliser); /* else states lie anywhere */
    if ((lowest >= CRD_PASSAGE_WATCH && !missed) || !integrator->dynamics.reveals || !closed) return CRD_ACCEPT;
    if (is_news(singular, attempt->t_new)) return CRD_AGAIN;
    if (missed && jumps(integrator, attempt->t_new)) {
        if (integrator->options.step > 0.0) {
            *status = refuse(integrator, attempt);
            return CRD_FAIL;
        }
        attempt->h *= CRD_GAP_SHORTER;
        return CRD_AGAIN;
    }
    if (missed || !known) *status = restore(integrator, attempt->t_new);
    return *status < 0 ? CRD_REJECT : CRD_ACCEPT;
}
