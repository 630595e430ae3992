#include "guard/singular/singular.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"
#include "integrate/hermite.h"
#include "integrate/interpolate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The search: parabolas through three places of the step, this part of it apart, each time so much narrower, as often
 * as it takes to the last width. Beside a pose the square of the measure is a parabola in t but for a part as small as
 * its width, and known to 1e-16: so the time is good to some 1e-9 of the step. Looks at most, where the valley has to
 * be walked to. */
#define CRD_PASSAGE_WIDTH 0.15
#define CRD_PASSAGE_NARROWER 0.05
#define CRD_PASSAGE_NARROWEST 1e-5
#define CRD_PASSAGE_LOOKS 10

/* Stages from which a step has seen its way. */
#define CRD_PASSAGE_STAGES 6

/* A step that starts within this factor of the lowest singularity measure so far may hide the pose before its first
 * stage. */
#define CRD_PASSAGE_BEHIND 1.5

static const CardanRemedy REMEDIES[] = {
    [CRD_REMEDY_NONE] = CARDAN_REMEDY_STEPPED_OVER,
    [CRD_REMEDY_REFINED] = CARDAN_REMEDY_REFINED_SOLVE,
    [CRD_REMEDY_ACROSS] = CARDAN_REMEDY_ACROSS_POSE,
    [CRD_REMEDY_SOFTENED] = CARDAN_REMEDY_SOFTENED_ROWS,
};

/* Singularity measure of the motion between two steps, as the interpolation has it. */
static double singularity_at(CrdSingular *singular, double t) {
    CrdIntegrator *integrator = singular->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStepper *stepper = &integrator->stepper;
    double theta = (t - stepper->t_old) / (stepper->t - stepper->t_old);
    if (integrator->dense == CRD_DENSE_READY)
        crd_integrator_dense_at(integrator, theta, singular->y);
    else
        crd_dense_at(stepper->n, singular->hermite, CRD_HERMITE_ROWS, theta, singular->y);
    crd_normalise(dynamics->model->structure, singular->y);
    if (crd_integrator_evaluate_constraints(integrator, t, singular->y) < 0) return 1.0;
    if (!crd_imperfect_is_spread(dynamics)) return crd_monitor_geometry(dynamics);
    return crd_factor(dynamics, CARDAN_METRIC_MASS) < 0 ? 0.0 : crd_singularity_measure(dynamics);
}

/* A place in a step, and its singularity measure. */
typedef struct Place {
    double t, w;
} Place;

static Place place_at(CrdSingular *singular, double t) {
    return (Place){t, singularity_at(singular, t)};
}

static Place lower(Place a, Place b) {
    return a.w < b.w ? a : b;
}

/* The lowest place of the parabola through w^2 at three places; that in the middle when there is none between them. */
static double lowest_of_parabola(Place a, Place m, Place b) {
    double left = m.t - a.t, right = b.t - m.t, fall = (m.w * m.w - a.w * a.w) / left,
           rise = (b.w * b.w - m.w * m.w) / right;
    if (!(rise > fall)) return m.t;
    double t = 0.5 * (a.t + m.t) - 0.5 * (left + right) * fall / (rise - fall);
    return t > a.t && t < b.t ? t : m.t;
}

/* The lowest place seen from three in the last step, the middle one as near to the lowest so far as it can be. *found:
 * the valley lies between them, or cannot be walked to any further. */
static Place look_around(CrdSingular *singular, Place lowest, double width, bool *found) {
    const CrdStepper *stepper = &singular->integrator->stepper;
    double middle = fmin(fmax(lowest.t, stepper->t_old + width), stepper->t - width);
    Place m = middle == lowest.t ? lowest : place_at(singular, middle), a = place_at(singular, middle - width),
          b = place_at(singular, middle + width), low = lower(lower(a, b), lower(m, lowest));
    bool between = m.w <= a.w && m.w <= b.w;
    *found = between || low.t == lowest.t;
    return between ? lower(low, place_at(singular, lowest_of_parabola(a, m, b))) : low;
}

/* The lowest singularity measure inside the last step. */
static void find_lowest(CrdSingular *singular, double *t, double *lowest) {
    CrdIntegrator *integrator = singular->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    double h = stepper->t - stepper->t_old, width = CRD_PASSAGE_WIDTH;
    if (crd_integrator_prepare_dense(integrator) < 0) { /* its own stages may come too close to the pose */
        crd_error_clear(stepper->error);
        crd_dense_hermite(stepper->n, h, stepper->y_old, stepper->f_new, stepper->y, stepper->f, singular->hermite);
    }
    Place best = place_at(singular, *t);
    for (int i = 0; i < CRD_PASSAGE_LOOKS && width >= CRD_PASSAGE_NARROWEST; i++) {
        bool found;
        best = look_around(singular, best, width * h, &found);
        if (found) width *= CRD_PASSAGE_NARROWER;
    }
    if (best.w >= *lowest) return;
    *lowest = best.w;
    *t = best.t;
    /* The workspace holds a state next to the pose: its joints are named from it. */
    singularity_at(singular, *t);
}

bool crd_singular_name_joints(CrdSingular *singular, bool *element_mark, CardanEvent *event) {
    CrdDynamics *dynamics = &singular->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    bool confirmed = crd_singular_elements(dynamics, element_mark);
    event->joint_count = 0;
    for (int j = 0; j < structure->joint_count; j++) {
        if (!element_mark[structure->element_of_joint[j]]) continue;
        if (event->joint_count < CARDAN_PASSAGE_JOINTS) event->joint[event->joint_count] = (CardanJoint){j + 1};
        event->joint_count++;
    }
    return confirmed;
}

/* While the measure falls and a pose is not at hand, the lowest point is still to come. Only many stages of a step
 * under error control show that it falls all the way. */
static bool is_still_to_come(const CrdSingular *singular, double at, double lowest) {
    const CrdIntegrator *integrator = singular->integrator;
    const CrdTableau *tableau = integrator->stepper.method->tableau;
    bool seen = integrator->options.step <= 0.0 && tableau != NULL && tableau->stages >= CRD_PASSAGE_STAGES;
    return seen && at == integrator->stepper.t && lowest >= CRD_PASSAGE_LEFT;
}

/* The dip has a new lowest point in the last step, or has its lowest point at the step's start, so that the pose may be
 * right behind it: where exactly, and whose rows? */
static void look_closer(CrdSingular *singular) {
    const CrdStages *stages = &singular->integrator->stages;
    const CrdStepper *stepper = &singular->integrator->stepper;
    double w_start = stages->before, w_end = stages->accepted;
    double lowest = stages->lowest, at = stages->lowest_at;
    if (w_start < lowest) lowest = w_start, at = stepper->t_old;
    if (w_end < lowest) lowest = w_end, at = stepper->t;
    bool behind = at == stepper->t_old && w_start < CRD_PASSAGE_BEHIND * singular->lowest;
    if (lowest >= singular->lowest && !behind) return;
    if (!is_still_to_come(singular, at, lowest)) find_lowest(singular, &at, &lowest);
    if (lowest >= singular->lowest) return;
    singular->lowest = lowest;
    singular->lowest_at = at;
    if (lowest < CRD_PASSAGE)
        singular->confirmed = crd_singular_name_joints(singular, singular->element_mark, &singular->found);
}

/* " (12 evaluations, ...)" where rows were softened. */
typedef struct Softening {
    char text[160];
} Softening;

static Softening softening_of(const CardanEvent *event) {
    Softening softening = {""};
    if (event->softened == 0) return softening;
    int length = snprintf(softening.text, sizeof softening.text,
                          " in %ld evaluations, epsilon up to %.2g, accelerations off by up to %.2g", event->softened,
                          event->epsilon, event->gave_way);
    if (event->radius > 0.0 && length > 0 && (size_t)length < sizeof softening.text)
        snprintf(softening.text + length, sizeof softening.text - (size_t)length, ", radius %.3g", event->radius);
    return softening;
}

static CardanStatus log_passage(CrdSingular *singular, bool passed) {
    CrdIntegrator *integrator = singular->integrator;
    const CrdTrustRegion *trust = &integrator->dynamics.regularisation.trust;
    CardanEvent event = singular->found;
    event.kind = CARDAN_EVENT_SINGULARITY;
    event.t = singular->lowest_at;
    event.left_at = integrator->stepper.t;
    event.pivot_min = singular->lowest * singular->lowest;
    event.remedy = REMEDIES[singular->remedy];
    event.epsilon = trust->epsilon_max;
    event.radius = trust->radius;
    event.softened = trust->softened;
    event.gave_way = trust->gave_way;
    event.lambda_max = singular->lambda_max;
    event.branch = CARDAN_BRANCH_UNCLEAR; /* until states beyond the pose tell */
    event.jump = -1.0;
    singular->logged = event;
    crd_branch_take_part(&singular->branch, integrator->dynamics.model->structure, singular->element_mark);
    crd_log_add(&integrator->log, &event, true);
    const char *first =
        event.joint_count > 0 ? cardan_model_joint_name(integrator->dynamics.model, event.joint[0]) : "";
    crd_error_clear(integrator->stepper.error); /* of a look that failed in the pose */
    return crd_fail(integrator->stepper.error, CARDAN_REMARK, "%s a singular pose at t = %.9g (joint '%s'%s): %s%s",
                    passed ? "passed" : "came close to", event.t, first, event.joint_count > 1 ? " and others" : "",
                    cardan_remedy_name(event.remedy), softening_of(&event).text);
}

/* Far from all poses: a bound that softened rows without a passage is told now. */
static CardanStatus close_softening(CrdSingular *singular) {
    CrdTrustRegion *trust = &singular->integrator->dynamics.regularisation.trust;
    CardanStatus status = trust->radius > 0.0 ? log_passage(singular, false) : CARDAN_OK;
    if (trust->softened > 0) crd_trust_region_clear(trust);
    return status;
}

CardanStatus crd_passage_follow(CrdSingular *singular) {
    const CrdStages *stages = &singular->integrator->stages;
    CrdDynamics *dynamics = &singular->integrator->dynamics;
    const double w_end = stages->accepted, low = fmin(stages->lowest, w_end);
    bool missed = singular->crossing == CRD_CROSSING_MISSED;
    CRD_TRY(crd_gap_check(singular));
    crd_gap_follow(singular);
    if (missed) singular->open = false;
    if (missed) return CARDAN_OK;
    if (!singular->open && low >= CRD_PASSAGE_WATCH) return close_softening(singular);
    if (!singular->open) {
        singular->open = true;
        singular->lowest = 1.0;
        singular->lambda_max = 0.0;
        singular->remedy = CRD_REMEDY_NONE;
        singular->confirmed = false;
        singular->found.joint_count = 0;
    }
    singular->lambda_max = fmax(singular->lambda_max, crd_max_abs(dynamics->lambda, dynamics->model->structure->rows));
    if (dynamics->near_pose.remedy > singular->remedy) singular->remedy = dynamics->near_pose.remedy;
    if (dynamics->regularisation.trust.softened > 0) singular->remedy = CRD_REMEDY_SOFTENED;
    look_closer(singular);
    if (w_end < CRD_PASSAGE_LEFT) return CARDAN_OK;
    singular->open = false;
    dynamics->near_pose.remedy = CRD_REMEDY_NONE;
    if (singular->lowest >= CRD_PASSAGE || !singular->confirmed) return CARDAN_OK;
    CardanStatus status = log_passage(singular, true);
    crd_trust_region_clear(&dynamics->regularisation.trust);
    return status;
}
