/* The spine: one internal step.
 *
 *     propose  ->  attempt  ->  error test  ->  project, twice  ->  guards  ->  accept  ->  guards
 *
 * Nothing of the state changes before accept, so a step that fails leaves everything as it was. */
#include "core/numbers.h"
#include "integrate/attempt.h"
#include "integrate/beyond.h"
#include "integrate/first_step.h"
#include "integrate/refining.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* s; first step where nothing bounds it. */
#define CRD_FIRST_STEP_MAX 1.0

static bool is_fixed(const CrdIntegrator *integrator) {
    return integrator->options.step > 0.0;
}

/* ---- before the attempts ---- */

/* Work is under error control while there is any, against itself and the kinetic energy: the energy balance that is
 * reported must not be that of a careless quadrature. */
static void set_work_weight(CrdIntegrator *integrator) {
    CrdStepper *stepper = &integrator->stepper;
    const CrdDynamics *dynamics = &integrator->dynamics;
    double work = fabs(*crd_integrator_work(integrator, stepper->y)),
           own = stepper->absolute[stepper->n - 1] + stepper->rtol * work;
    stepper->weight[stepper->n - 1] = 0.0;
    if (work == 0.0 && stepper->f[stepper->n - 1] == 0.0) return;
    double kinetic = crd_kinetic(dynamics->model, &dynamics->system, crd_integrator_v(integrator, stepper->y));
    stepper->weight[stepper->n - 1] = own / (own + stepper->rtol * kinetic);
}

/* A first step from one trial stage; a trial that fails only shortens it. */
static double first_step(CrdIntegrator *integrator, double room) {
    CrdStepper *stepper = &integrator->stepper;
    const CardanOptions *options = &integrator->options;
    CardanStatus status = CARDAN_OK;
    double max = isfinite(room) ? room : CRD_FIRST_STEP_MAX;
    if (options->max_step > 0.0) max = fmin(max, options->max_step);
    CrdScale scale = {stepper->n,    stepper->y,    stepper->y,       stepper->weight,
                      stepper->rtol, stepper->atol, stepper->absolute};
    integrator->stages.project = true;
    double h = crd_first_step(&stepper->ode, stepper->t, &scale, stepper->f, stepper->method->error_order, max,
                              stepper->y_new, stepper->f_new, &status);
    crd_error_clear(stepper->error);
    return fmax(h, crd_smallest_step(stepper->t)); /* a tolerance of next to nothing makes it vanish */
}

/* The size the method would take if nothing were in its way. */
static double proposed_step(CrdIntegrator *integrator, double room) {
    const CardanOptions *options = &integrator->options;
    CrdController *controller = &integrator->controller;
    double t = integrator->stepper.t, left = integrator->grid - t;
    if (is_fixed(integrator)) return left > crd_smallest_step(t) ? left : options->step;
    if (controller->h_next <= 0.0) controller->h_next = first_step(integrator, room);
    return options->max_step > 0.0 ? fmin(controller->h_next, options->max_step) : controller->h_next;
}

/* Lands on the limit: stretches a step that would stop just short of it, halves one that would leave a crumb. */
static double clamp_step(const CrdIntegrator *integrator, double h, double room) {
    if (h * (1.0 + CRD_STEP_STRETCH) >= room) return room;
    if (!is_fixed(integrator) && 2.0 * h > room) return 0.5 * room;
    return h;
}

/* The motion at the present state, and the step that is to be tried from there. */
static CardanStatus propose(CrdIntegrator *integrator, double t_limit, CrdTry *attempt) {
    CrdStepper *stepper = &integrator->stepper;
    *attempt = (CrdTry){.controller = integrator->controller};
    crd_integrator_choose_method(integrator);
    CRD_TRY(crd_integrator_evaluate(integrator));
    set_work_weight(integrator);
    if (stepper->method->begin != NULL) stepper->method->begin(stepper);
    stepper->proposed = proposed_step(integrator, t_limit - stepper->t);
    attempt->limit = crd_guards_limit(&integrator->guards, t_limit, stepper->proposed);
    attempt->h = clamp_step(integrator, stepper->proposed, attempt->limit - stepper->t);
    if (stepper->t + attempt->h > stepper->t) return CARDAN_OK;
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    "a step of %.3g s is too short to move the time on from t = %.9g; look at body '%s' first",
                    attempt->h, stepper->t, crd_fastest_name(integrator));
}

/* ---- an attempt ---- */

/* Where the attempt ends: exactly on the limit if that is where it goes. */
static double end_of(const CrdIntegrator *integrator, const CrdTry *attempt) {
    double t = integrator->stepper.t;
    return attempt->h == attempt->limit - t ? attempt->limit : t + attempt->h;
}

/* The method's stages and its error estimate; anew where the stages show a pose that lies badly in the step. */
static CardanStatus make_stages(CrdIntegrator *integrator, CrdTry *attempt) {
    CardanStatus status;
    do {
        attempt->t_new = end_of(integrator, attempt);
        status = crd_attempt(integrator, attempt);
    } while (attempt->anew);
    return status;
}

static bool passes_error_test(const CrdIntegrator *integrator, const CrdTry *attempt) {
    return is_fixed(integrator) || crd_controller_accepts(attempt->norm);
}

/* The size to try after an attempt. */
static double resized(CrdIntegrator *integrator, const CrdTry *attempt, bool accepted) {
    return crd_resized(&integrator->controller, &integrator->stepper, attempt->norm, attempt->h, accepted);
}

/* A step that failed may succeed when shorter; programmers' and memory errors may not, and fixed steps stay as they
 * are. */
static bool shorten(CrdIntegrator *integrator, CrdTry *attempt, CrdVerdict verdict, CardanStatus status) {
    CrdStepper *stepper = &integrator->stepper;
    integrator->statistics.rejected++;
    if (integrator->conduct.doubts || verdict == CRD_FAIL || (status < 0 && status != CARDAN_ERR_NUMERIC)) return false;
    if (is_fixed(integrator) || attempt->h <= crd_smallest_step(stepper->t)) return false;
    attempt->h =
        status < 0 ? crd_controller_failed(&integrator->controller, attempt->h) : resized(integrator, attempt, false);
    stepper->proposed = attempt->h;
    crd_error_clear(stepper->error);
    return true;
}

/* What a guard says instead of a step; after a failure the state with its memory is that before the step. */
static CardanStatus leave(CrdIntegrator *integrator, const CrdTry *attempt, CardanStatus status) {
    if (status >= 0) return status;
    integrator->controller = attempt->controller;
    crd_integrator_touch(integrator);
    return status;
}

/* Sentences of an iteration name no object: the body that moves fastest is where to look first. */
static CardanStatus name_body(CrdIntegrator *integrator, CardanStatus status) {
    CrdError *error = integrator->stepper.error;
    char text[sizeof error->text];
    if (!integrator->stepper.method->iterates || strstr(error->text, " '") != NULL) return status;
    memcpy(text, error->text, sizeof text);
    crd_error_clear(error);
    return crd_fail(error, status, "%s; look at body '%s' first", text, crd_fastest_name(integrator));
}

/* Why no step succeeds; the state with its memory is that before the step. */
static CardanStatus explain(CrdIntegrator *integrator, CrdTry *attempt, CrdVerdict verdict, CardanStatus status) {
    CrdStepper *stepper = &integrator->stepper;
    attempt->unclosed = integrator->stabiliser.unclosed; /* before the guards try other steps */
    integrator->controller = attempt->controller;
    CardanStatus explained = verdict == CRD_FAIL ? status : CARDAN_OK; /* the guard that gave up has said it */
    if (explained >= 0 && !integrator->conduct.tries)
        explained = crd_guards_explain(&integrator->guards, attempt, status);
    crd_integrator_touch(integrator);
    if (explained < 0) return name_body(integrator, explained);
    if (status < 0 && stepper->error->text[0] != '\0') return name_body(integrator, status);
    if (status < 0)
        return crd_fail(stepper->error, status,
                        "the motion is no longer finite after t = %.9g (step %.3g), that of body '%s' first",
                        stepper->t, attempt->h, crd_fastest_name(integrator));
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC,
                    "the step size fell to %.3g at t = %.9g with an error of %.3g tolerances; the motion cannot be "
                    "resolved: loosen the tolerance or look at the model there, at body '%s' first",
                    attempt->h, stepper->t, attempt->norm, crd_fastest_name(integrator));
}

/* ---- acceptance ---- */

void crd_integrator_learn(CrdIntegrator *integrator) {
    CrdDynamics *dynamics = &integrator->dynamics;
    crd_monitor_accept(dynamics);
    if (!crd_redundancy_in_doubt(dynamics)) return;
    crd_stamp_drop(&dynamics->system.stamp, CRD_HOLDS_ACCELERATIONS); /* multipliers of other rows */
    if (crd_redundancy_choose_again(dynamics) < 0) crd_error_clear(integrator->stepper.error);
}

static void count(CrdIntegrator *integrator) {
    CrdStatistics *statistics = &integrator->statistics;
    const CrdSystem *system = &integrator->dynamics.system;
    int rows = integrator->dynamics.model->structure->rows;
    statistics->steps++;
    crd_imperfect_watch(&integrator->dynamics);
    CrdEnergies energies = crd_integrator_energies(integrator, integrator->stepper.y);
    double work = *crd_integrator_work(integrator, integrator->stepper.y);
    statistics->balance = energies.kinetic + energies.potential - work;
    statistics->kinetic_max = fmax(statistics->kinetic_max, energies.kinetic);
    statistics->drift_max = fmax(statistics->drift_max, fabs(statistics->balance - statistics->energy_start));
    statistics->position_max = fmax(statistics->position_max, crd_max_abs(system->g, rows));
    statistics->velocity_max = fmax(statistics->velocity_max, crd_max_abs(system->rate, rows));
}

/* The step becomes the state; then the guards, whose resets enter the same way. */
static CardanStatus accept(CrdIntegrator *integrator, CrdTry *attempt) {
    CrdStepper *stepper = &integrator->stepper;
    double next = is_fixed(integrator) ? 0.0 : resized(integrator, attempt, true);
    bool cut = !is_fixed(integrator) && attempt->h < stepper->proposed;
    integrator->controller.h_next = cut ? fmax(next, stepper->proposed) : next;
    double *before = stepper->y;
    stepper->t_old = stepper->t;
    crd_integrator_enter(integrator, attempt->t_new);
    assert(stepper->y_new == before);
    stepper->y_new = stepper->y_old; /* the state before the step is kept for dense output */
    stepper->y_old = before;
    integrator->dense = CRD_DENSE_POSSIBLE;
    assert(crd_integrator_is_solved(integrator));
    if (stepper->method->accepted != NULL) stepper->method->accepted(stepper);
    crd_integrator_learn(integrator);
    count(integrator);
    crd_stages_accept(&integrator->stages, crd_singularity_measure(&integrator->dynamics));
    return crd_guards_after_acceptance(&integrator->guards);
}

CardanStatus crd_step(CrdIntegrator *integrator, double t_limit) {
    CrdTry attempt;
    crd_integrator_scale(integrator);
    CRD_TRY(propose(integrator, t_limit, &attempt)); /* the motion here; controller and guards say how far */
    for (;;) {
        CrdVerdict verdict = CRD_REJECT;
        CardanStatus status = make_stages(integrator, &attempt);
        if (status >= 0 && passes_error_test(integrator, &attempt)) {
            status = crd_project_step(integrator, attempt.t_new); /* twice, with the factor of the last stage */
            if (status >= 0) verdict = crd_guards_after_attempt(&integrator->guards, &attempt, &status);
        }
        crd_refining_end(integrator);
        if (verdict == CRD_ACCEPT) return accept(integrator, &attempt);
        if (verdict == CRD_RESTART) { /* laws changed where the step begins */
            if (status != CARDAN_OK) return leave(integrator, &attempt, status);
            CRD_TRY(propose(integrator, t_limit, &attempt));
        }
        /* no numbers, or too large an error */
        if (verdict >= CRD_REJECT && !shorten(integrator, &attempt, verdict, status))
            return explain(integrator, &attempt, verdict, status);
        /* CRD_AGAIN: a guard has set another size, to land on an event or to cross a pose well */
    }
}
