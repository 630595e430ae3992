/* A simulation on the slow manifold: at the start, again from time to time, or before every stage. */
#include "slow/slow.h"

#include "core/cookie.h"
#include "core/numbers.h"
#include "sim/refuse.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How much stiffer the joints are made to extrapolate to rigid ones. */
#define CRD_SLOW_STIFFER 10.0

static CardanSlow wish_of(const CrdDescription *description) {
    CardanSlow wish = cardan_default_slow();
    wish.method = (CardanSlowMethod)description->slow.method;
    wish.kernel = (CardanSlowKernel)description->slow.kernel;
    wish.tolerance = description->slow.tolerance;
    wish.count = description->slow_count;
    wish.names = description->slow_count > 0 ? (const char *const *)description->slow_names : NULL;
    return wish;
}

/* ---- the run ---- */

/* Is it needed after the start? */
static bool goes_on(const CardanSim *sim) {
    return sim->model->description->slow.every > 0.0 || sim->integrator.stepper.method->projects;
}

static CardanStatus project_stage(void *user, double t, double *y) {
    CardanSim *sim = user;
    return crd_slow_project(sim->slow, &sim->integrator.dynamics.actions, t, y);
}

void crd_sim_slow_end(CardanSim *sim) {
    if (sim->slow != NULL) crd_slow_close(sim->slow);
    crd_delete(sim->slow);
    sim->slow = NULL;
}

static CardanStatus open(CardanSim *sim, bool begins) {
    CardanSlow wish = wish_of(sim->model->description);
    sim->slow = crd_new(1, sizeof *sim->slow);
    if (sim->slow == NULL) return crd_fail_memory(&sim->error);
    sim->integrator.stepper.project = project_stage;
    sim->integrator.stepper.project_user = sim;
    return crd_slow_open(sim->slow, &sim->integrator, &wish, begins, 1.0, &sim->error);
}

CardanStatus crd_sim_slow_begin(CardanSim *sim) {
    if (!goes_on(sim) && !sim->model->description->slow.given) return CARDAN_OK;
    const CrdError said = sim->error;
    crd_error_clear(&sim->error);
    CRD_TRY(open(sim, true));
    CrdStepper *stepper = &sim->integrator.stepper;
    memcpy(stepper->y, sim->slow->here, (size_t)stepper->n * sizeof *stepper->y);
    CRD_TRY(crd_slow_project(sim->slow, &sim->integrator.dynamics.actions, stepper->t, stepper->y));
    crd_integrator_touch(&sim->integrator);
    if (!goes_on(sim)) crd_sim_slow_end(sim);
    sim->error = said; /* the start's remark */
    return CARDAN_OK;
}

CardanStatus crd_sim_slow_use(CardanSim *sim) {
    if (!goes_on(sim)) return CARDAN_OK;
    crd_sim_slow_end(sim);
    return open(sim, false);
}

double crd_sim_slow_next(const CardanSim *sim) {
    double every = sim->model->description->slow.every, t = sim->integrator.stepper.t;
    if (!(every > 0.0)) return (double)INFINITY;
    double next = every * (floor(t / every) + 1.0);
    return next - t > CRD_STEP_STRETCH * every ? next : next + every;
}

CardanStatus crd_sim_slow_again(CardanSim *sim) {
    CrdStepper *stepper = &sim->integrator.stepper;
    memcpy(sim->scratch, stepper->y, (size_t)stepper->n * sizeof *stepper->y);
    CRD_TRY(crd_slow_project(sim->slow, &sim->integrator.dynamics.actions, stepper->t, sim->scratch));
    memcpy(stepper->y, sim->scratch, (size_t)stepper->n * sizeof *stepper->y);
    crd_sim_touch(sim);
    stepper->t_old = stepper->t; /* nothing to interpolate across the change */
    return crd_integrator_evaluate(&sim->integrator);
}

/* ---- once, with a report ---- */

/* The farthest a body was moved and turned. */
static void report_moves(const CrdStructure *structure, const double *from, const double *to,
                         CardanSlowReport *report) {
    report->moved_length = report->moved_angle = 0.0;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        int lengths = crd_block_lengths(structure, block), turn = crd_block_quaternion(block);
        double square = 0.0, dot = 0.0;
        for (int k = 0; k < lengths; k++) square += pow(to[block->q + k] - from[block->q + k], 2.0);
        report->moved_length = fmax(report->moved_length, sqrt(square));
        if (block->kind == CRD_PLANAR_BODY)
            report->moved_angle = fmax(report->moved_angle, fabs(to[block->q + 2] - from[block->q + 2]));
        for (int k = 0; turn >= 0 && k < 4; k++) {
            double change = to[block->q + turn + k] - from[block->q + turn + k];
            dot += change * change;
        }
        report->moved_angle = fmax(report->moved_angle, 2.0 * sqrt(dot)); /* small ones */
    }
}

static CardanStatus report_joint(CrdSlow *slow, double t, const double *y, int i, CardanSlowJoint *out) {
    const CrdFast *fast = &slow->fast[i];
    const double *rigid = slow->lambda + (size_t)CRD_SLOW_HERE * (size_t)slow->rows + fast->at;
    *out = (CardanSlowJoint){.name = fast->name, .rows = fast->rows};
    crd_slow_frequencies_of(slow, i, &out->frequency_min, &out->frequency_max);
    memcpy(out->multiplier, rigid, (size_t)fast->rows * sizeof *rigid);
    return crd_slow_elastic(slow, t, y, i, out->elastic);
}

/* K g at infinite stiffness: its error is proportional to 1 / K. */
static CardanStatus extrapolate(CardanSim *sim, const CardanSlow *wish, CardanSlowReport *report) {
    CrdIntegrator *integrator = &sim->integrator;
    CrdSlow stiff;
    double *y = sim->kept, elastic[CARDAN_SLOW_ROWS];
    memcpy(y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *y);
    CardanStatus status = crd_slow_open(&stiff, integrator, wish, false, CRD_SLOW_STIFFER, &sim->error);
    if (status >= 0) status = crd_slow_project(&stiff, &integrator->dynamics.actions, integrator->stepper.t, y);
    for (int i = 0; status >= 0 && i < stiff.count && i < report->room && i < report->joints; i++) {
        CardanSlowJoint *joint = &report->joint[i];
        status = crd_slow_elastic(&stiff, integrator->stepper.t, y, i, elastic);
        for (int r = 0; r < joint->rows; r++)
            joint->extrapolated[r] = (CRD_SLOW_STIFFER * elastic[r] - joint->elastic[r]) / (CRD_SLOW_STIFFER - 1.0);
    }
    crd_slow_close(&stiff);
    return status;
}

static CardanStatus fill_report(CardanSim *sim, CrdSlow *slow, const CardanSlow *wish, CardanSlowReport *report) {
    const CrdSlowResult *result = &slow->result;
    const CrdStepper *stepper = &sim->integrator.stepper;
    report->joints = slow->count;
    report->rows = slow->rows;
    report->frequency_min = result->w_min;
    report->frequency_max = result->w_max;
    report->rate = result->rate;
    report->damping = result->damping;
    report->ringing = result->ringing;
    report->multiplier = result->multiplier;
    report->iterations = result->iterations;
    report->evaluations = result->evaluations;
    report_moves(sim->model->structure, stepper->y, sim->scratch, report);
    if (report->joint == NULL) return CARDAN_OK;
    for (int i = 0; i < slow->count && i < report->room; i++)
        CRD_TRY(report_joint(slow, stepper->t, sim->scratch, i, &report->joint[i]));
    return report->extrapolate ? extrapolate(sim, wish, report) : CARDAN_OK;
}

static CardanStatus slow_start(CardanSim *sim, const CardanSlow *wish, bool begins, CardanSlowReport *report) {
    CrdIntegrator *integrator = &sim->integrator;
    CrdStepper *stepper = &integrator->stepper;
    CrdSlow slow;
    CardanStatus status = crd_slow_open(&slow, integrator, wish, begins, 1.0, &sim->error);
    if (status >= 0 && begins) memcpy(stepper->y, slow.here, (size_t)stepper->n * sizeof *stepper->y);
    memcpy(sim->scratch, stepper->y, (size_t)stepper->n * sizeof *stepper->y);
    if (status >= 0) status = crd_slow_project(&slow, &integrator->dynamics.actions, stepper->t, sim->scratch);
    if (status >= 0 && report != NULL) status = fill_report(sim, &slow, wish, report);
    crd_slow_close(&slow);
    if (status < 0) return status;
    memcpy(stepper->y, sim->scratch, (size_t)stepper->n * sizeof *stepper->y);
    stepper->t_old = stepper->t;
    crd_sim_touch(sim);
    CRD_TRY(crd_integrator_evaluate(integrator));
    /* The change of energy was done from outside. */
    integrator->statistics.energy_start = integrator->statistics.balance;
    return CARDAN_OK;
}

static CardanStatus check_wish(CardanSim *sim, const CardanSlow *wish) {
    if (wish->internal != CRD_COOKIE) return crd_refuse(sim, "the wish was not made by cardan_default_slow()");
    if ((int)wish->method < 0 || wish->method >= CARDAN_SLOW_METHODS || (int)wish->kernel < 0 ||
        wish->kernel >= CARDAN_SLOW_KERNELS)
        return crd_refuse(sim, "there is no slow method number %d with kernel %d", (int)wish->method,
                          (int)wish->kernel);
    if (!(wish->tolerance >= 0.0 && isfinite(wish->tolerance)))
        return crd_refuse(sim, "the tolerance of a slow start must be >= 0 and finite, is %g", wish->tolerance);
    if (wish->names != NULL && wish->count < 1) return crd_refuse(sim, "%d names are no list", wish->count);
    for (int i = 0; wish->names != NULL && i < wish->count; i++)
        if (wish->names[i] == NULL) return crd_refuse(sim, "name %d of the list is NULL", i);
    return CARDAN_OK;
}

CardanStatus cardan_sim_slow_start(CardanSim *sim, const CardanSlow *wish, CardanSlowReport *report) {
    CardanSlow defaults = cardan_default_slow();
    CRD_TRY(crd_need_free(sim));
    if (wish == NULL) wish = &defaults;
    CRD_TRY(check_wish(sim, wish));
    crd_error_clear(&sim->error);
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = slow_start(sim, wish, false, report);
    crd_sim_leave(sim, before);
    return crd_sim_report(sim, status);
}

CardanSlow cardan_model_slow(const CardanModel *model) {
    return model == NULL ? cardan_default_slow() : wish_of(model->description);
}

static CardanStatus start_of_model(CardanSim *sim, const CardanSlow *wish, CardanSlowReport *report) {
    CRD_TRY(check_wish(sim, wish));
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = crd_sim_begin(sim, false);
    crd_error_clear(&sim->error);
    if (status >= 0) status = slow_start(sim, wish, true, report);
    crd_sim_leave(sim, before);
    return crd_sim_report(sim, status);
}

CardanStatus cardan_model_slow_start(const CardanModel *model, const CardanSlow *wish, CardanSlowReport *report,
                                     char *message, size_t size) {
    if (model == NULL) return crd_refuse_call(message, size, "the model is NULL");
    CardanSlow own = wish != NULL ? *wish : wish_of(model->description);
    CardanOptions options = cardan_default_options();
    CardanSim *sim = NULL;
    CardanStatus status = crd_sim_open(model, &options, &sim);
    if (status >= 0) status = start_of_model(sim, &own, report);
    if (message != NULL && size > 0)
        snprintf(message, size, "%s", status >= 0 ? "" : sim != NULL ? sim->message : "out of memory");
    cardan_sim_destroy(sim);
    return status;
}
