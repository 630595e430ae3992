#include "guard/singular/singular.h"

#include "core/numbers.h"
#include "integrate/hermite.h"

#include <math.h>
#include <string.h>

/* Attempts to lay a step better. */
#define CRD_CROSSING_ATTEMPTS 4

/* Attempts given up before their end: what stages tell of the pose gets better with each, and the end judges in any
 * case. */
#define CRD_CROSSING_FORESEEN 2

/* Energy and work over a step past a pose balance to this part of their size, or so many tolerances of it. */
#define CRD_BALANCE 0.01
#define CRD_BALANCE_TOLERANCES 1e4

void *crd_singular_layout(CrdIntegrator *integrator, CrdArena *arena) {
    CrdSingular measuring = {0}, *real = crd_take(arena, 1, sizeof *real), *singular = real != NULL ? real : &measuring;
    int elements = integrator->dynamics.model->structure->element_count;
    singular->integrator = integrator;
    singular->element_mark = crd_take(arena, (size_t)elements, sizeof *singular->element_mark);
    singular->look_mark = crd_take(arena, (size_t)elements, sizeof *singular->look_mark);
    singular->y = crd_take(arena, (size_t)integrator->stepper.n, sizeof *singular->y);
    singular->hermite = crd_take(arena, CRD_HERMITE_ROWS * (size_t)integrator->stepper.n, sizeof *singular->hermite);
    crd_branch_layout(&singular->branch, integrator, arena);
    if (real != NULL) crd_gap_forget(singular);
    return real;
}

/* The last line of defence against going on wrongly: energy and work must balance over a step past a pose. */
static bool balances(const CrdIntegrator *integrator) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStepper *stepper = &integrator->stepper;
    double lowest = fmin(integrator->stages.lowest, crd_singularity_measure(dynamics));
    bool exact = dynamics->regularisation.method->in_pose == CRD_IN_POSE_ACROSS && !crd_softens(dynamics);
    if (!exact || lowest >= CRD_APPROACH) return true;
    double kinetic = crd_kinetic(dynamics->model, &dynamics->system, crd_integrator_v(integrator, stepper->y_new));
    double size = kinetic + fabs(crd_potential(dynamics->model, &dynamics->system)) +
                  fabs(*crd_integrator_work(integrator, stepper->y_new));
    double lost = crd_integrator_energy(integrator, stepper->y_new) - integrator->statistics.balance;
    return fabs(lost) <= fmax(CRD_BALANCE * size,
                              CRD_BALANCE_TOLERANCES * (stepper->absolute[stepper->n - 1] + stepper->rtol * size));
}

static double limit(void *self, double t_limit, double h) {
    CrdSingular *singular = self;
    (void)h;
    singular->laid = singular->foreseen = 0;
    crd_branch_begin(&singular->branch, singular->integrator);
    return t_limit;
}

/* Not where branches miss each other: there is no pose to be crossed. */
static double foresee(void *self, double h) {
    CrdSingular *singular = self;
    if (singular->foreseen >= CRD_CROSSING_FORESEEN || singular->integrator->dynamics.near_miss.acts) return h;
    double better = crd_crossing_foresee(singular->integrator, h);
    if (better < h) singular->foreseen++;
    return better;
}

static CrdVerdict after_attempt(void *self, CrdTry *attempt, CardanStatus *status) {
    CrdSingular *singular = self;
    CrdIntegrator *integrator = singular->integrator;
    CrdVerdict verdict = crd_gap_verdict(singular, attempt, status);
    if (verdict == CRD_ACCEPT) verdict = crd_branch_judge(&singular->branch, integrator, attempt, status);
    if (integrator->options.step > 0.0 || verdict != CRD_ACCEPT) return verdict; /* fixed steps are as they come */
    if (!balances(integrator)) {
        *status = crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                           "energy and work do not balance over the step to t = %.9g, which passes a singular pose",
                           attempt->t_new);
        return CRD_REJECT;
    }
    double better = crd_crossing_plan(integrator, attempt->h);
    if (better >= attempt->h || singular->laid++ >= CRD_CROSSING_ATTEMPTS) return CRD_ACCEPT;
    attempt->h = better;
    return CRD_AGAIN;
}

static CardanStatus after_acceptance(void *self) {
    CrdSingular *singular = self;
    crd_trust_region_accept(&singular->integrator->dynamics);
    crd_branch_enter(&singular->branch, singular->integrator);
    CardanStatus followed = crd_passage_follow(singular);
    bool passed = followed == CARDAN_REMARK && singular->lowest < CRD_PASSAGE;
    const CardanEvent *passage = passed ? &singular->logged : NULL;
    CardanStatus judged = crd_branch_accept(&singular->branch, singular->integrator, passage);
    return followed != CARDAN_OK ? followed : judged;
}

static void join(void *self) {
    CrdSingular *singular = self;
    crd_branch_join(&singular->branch, singular->integrator);
}

/* A passage that is not left yet, or whose branch is not judged. */
static bool is_engaged(const void *self) {
    const CrdSingular *singular = self;
    const CrdDip *dip = &singular->branch.dip;
    return singular->open || dip->near || dip->passed || dip->logged;
}

/* ---- memory ---- */

static const CrdStructure *structure_of(const CrdSingular *singular) {
    return singular->integrator->dynamics.model->structure;
}

/* A dip that was open belongs to another motion. */
static void reset(void *self) {
    CrdSingular *singular = self;
    singular->open = false;
    crd_gap_forget(singular);
    crd_branch_reset(&singular->branch, structure_of(singular));
}

enum { DIP = 8, TRUST = 5, GAP = 3 };

static int memory_size(const CrdStructure *structure) {
    return DIP + TRUST + CARDAN_PASSAGE_JOINTS + structure->element_count + GAP + structure->nq +
           crd_branch_memory_size(structure);
}

/* Whether branches cross at the pose that is near, and where that is. */
static double *get_gap(const CrdSingular *singular, double *numbers) {
    const CrdNearMiss *miss = &singular->integrator->dynamics.near_miss;
    size_t nq = (size_t)structure_of(singular)->nq;
    const double gap[GAP] = {singular->crossing, singular->asked, miss->gap};
    memcpy(numbers, gap, sizeof gap);
    memcpy(numbers + GAP, miss->q, nq * sizeof *numbers);
    return numbers + GAP + nq;
}

static const double *set_gap(CrdSingular *singular, const double *numbers) {
    CrdNearMiss *miss = &singular->integrator->dynamics.near_miss;
    size_t nq = (size_t)structure_of(singular)->nq;
    bool known = numbers[0] >= 0.0 && numbers[0] <= CRD_CROSSING_MISSED;
    singular->crossing = known ? (CrdCrossing)numbers[0] : CRD_CROSSING_UNKNOWN;
    singular->asked = numbers[1];
    miss->acts = singular->crossing == CRD_CROSSING_MISSED;
    miss->gap = numbers[2];
    memcpy(miss->q, numbers + GAP, nq * sizeof *numbers);
    return numbers + GAP + nq;
}

static void get(const void *self, double *numbers) {
    const CrdSingular *singular = self;
    const CrdStructure *structure = structure_of(singular);
    const double dip[DIP] = {singular->open,
                             singular->lowest,
                             singular->lowest_at,
                             singular->lambda_max,
                             singular->remedy,
                             singular->confirmed,
                             singular->found.joint_count,
                             singular->integrator->dynamics.near_pose.remedy};
    const CrdTrustRegion *trust = &singular->integrator->dynamics.regularisation.trust;
    const double bounds[TRUST] = {trust->healthy, (double)trust->softened, trust->epsilon_max, trust->radius,
                                  trust->gave_way};
    memcpy(numbers, dip, sizeof dip);
    memcpy(numbers + DIP, bounds, sizeof bounds);
    numbers += DIP + TRUST;
    for (int i = 0; i < CARDAN_PASSAGE_JOINTS; i++) *numbers++ = singular->found.joint[i].index;
    for (int e = 0; e < structure->element_count; e++) *numbers++ = singular->element_mark[e];
    numbers = get_gap(singular, numbers);
    crd_branch_get(&singular->branch, structure, numbers);
}

static CrdRemedy remedy_of(double number) {
    return number >= 0.0 && number <= CRD_REMEDY_SOFTENED ? (CrdRemedy)number : CRD_REMEDY_NONE;
}

static void set(void *self, const double *numbers) {
    CrdSingular *singular = self;
    const CrdStructure *structure = structure_of(singular);
    int joints = structure->joint_count, elements = structure->element_count;
    singular->open = numbers[0] != 0.0;
    singular->lowest = numbers[1];
    singular->lowest_at = numbers[2];
    singular->lambda_max = numbers[3];
    singular->remedy = remedy_of(numbers[4]);
    singular->confirmed = numbers[5] != 0.0;
    singular->found.joint_count = numbers[6] >= 0.0 && numbers[6] <= joints ? (int)numbers[6] : 0;
    singular->integrator->dynamics.near_pose.remedy = remedy_of(numbers[7]);
    CrdTrustRegion *trust = &singular->integrator->dynamics.regularisation.trust;
    trust->healthy = numbers[DIP];
    trust->softened = fabs(numbers[DIP + 1]) < 1e15 ? (long)numbers[DIP + 1] : 0;
    trust->epsilon_max = numbers[DIP + 2];
    trust->radius = numbers[DIP + 3];
    trust->gave_way = numbers[DIP + 4];
    numbers += DIP + TRUST;
    for (int i = 0; i < CARDAN_PASSAGE_JOINTS; i++, numbers++)
        singular->found.joint[i].index = *numbers >= 0.0 && *numbers <= joints ? (int)*numbers : 0;
    for (int e = 0; e < elements; e++) singular->element_mark[e] = *numbers++ != 0.0;
    numbers = set_gap(singular, numbers);
    crd_branch_set(&singular->branch, structure, numbers);
}

static void copy_gap(CrdSingular *singular, const CrdSingular *from) {
    CrdNearMiss *miss = &singular->integrator->dynamics.near_miss;
    const CrdNearMiss *other = &from->integrator->dynamics.near_miss;
    singular->crossing = from->crossing;
    singular->asked = from->asked;
    miss->acts = other->acts;
    miss->gap = other->gap;
    memcpy(miss->q, other->q, (size_t)structure_of(from)->nq * sizeof *miss->q);
}

static void copy(void *self, const void *other) {
    CrdSingular *singular = self;
    const CrdSingular *from = other;
    singular->open = from->open;
    singular->lowest = from->lowest;
    singular->lowest_at = from->lowest_at;
    singular->lambda_max = from->lambda_max;
    singular->remedy = from->remedy;
    singular->found = from->found;
    singular->confirmed = from->confirmed;
    copy_gap(singular, from);
    singular->integrator->dynamics.near_pose.remedy = from->integrator->dynamics.near_pose.remedy;
    memcpy(singular->element_mark, from->element_mark,
           (size_t)structure_of(from)->element_count * sizeof *singular->element_mark);
    CrdTrustRegion *trust = &singular->integrator->dynamics.regularisation.trust;
    const CrdTrustRegion *other_trust = &from->integrator->dynamics.regularisation.trust;
    trust->healthy = other_trust->healthy;
    trust->softened = other_trust->softened;
    trust->epsilon_max = other_trust->epsilon_max;
    trust->radius = other_trust->radius;
    trust->gave_way = other_trust->gave_way;
    crd_branch_copy(&singular->branch, &from->branch, structure_of(from));
}

const CrdGuard crd_singular_guard = {.limit = limit,
                                     .foresee = foresee,
                                     .after_attempt = after_attempt,
                                     .after_acceptance = after_acceptance,
                                     .join = join,
                                     .explain = crd_explain_lock_up,
                                     .is_engaged = is_engaged,
                                     .reset = reset,
                                     .memory_size = memory_size,
                                     .get = get,
                                     .set = set,
                                     .copy = copy};
