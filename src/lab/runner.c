/* The public side of the laboratory: problems, and runs of methods on them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cookie.h"
#include "core/memory.h"
#include "integrate/controller.h"
#include "integrate/norm.h"
#include "lab/choice.h"
#include "lab/mechanism.h"

struct CardanLabProblem {
    CrdLabProblem problem;
    CardanLabDef def; /* by callbacks */
    char *name;
    CrdLabMechanism *mechanism; /* of a model; NULL: by callbacks */
    CrdError error;
    CrdLabWorkspace workspace;
};

static CardanStatus say(char *message, size_t size, CardanStatus status, const CrdError *error) {
    if (message != NULL && size > 0) snprintf(message, size, "%s", status < 0 ? error->text : "");
    return status;
}

/* ---- problems ---- */

static CardanStatus user_terms(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms) {
    const CardanLabDef *def = data;
    return def->terms(def->user, t, x, v, terms);
}

static CardanStatus user_energy(const void *data, double t, const double *z, double *energy) {
    const CardanLabDef *def = data;
    *energy = def->energy(def->user, t, z);
    return CARDAN_OK;
}

static CardanStatus fill_by_callbacks(CardanLabProblem *problem, const CardanLabDef *def) {
    problem->def = *def;
    problem->name = crd_copy_string(def->name != NULL ? def->name : "problem");
    if (problem->name == NULL) return crd_fail_memory(&problem->error);
    problem->problem = (CrdLabProblem){.name = problem->name,
                                       .order = def->order,
                                       .n = def->n,
                                       .rows = def->rows,
                                       .affine = def->affine,
                                       .data = &problem->def,
                                       .terms = def->terms != NULL ? user_terms : NULL,
                                       .energy = def->energy != NULL ? user_energy : NULL};
    return crd_lab_check_problem(&problem->problem, &problem->error);
}

/* def or model. */
static CardanStatus create(const CardanLabDef *def, const CardanModel *model, CardanLabView view,
                           CardanLabProblem **out, char *message, size_t size) {
    *out = NULL;
    CardanLabProblem *problem = crd_new(1, sizeof *problem);
    CrdError none = {.text = "out of memory"};
    if (problem == NULL) return say(message, size, CARDAN_ERR_MEMORY, &none);
    problem->workspace.error = &problem->error;
    CardanStatus status =
        def != NULL ? fill_by_callbacks(problem, def)
                    : crd_lab_mechanism_create(model, view, &problem->mechanism, &problem->problem, &problem->error);
    say(message, size, status, &problem->error);
    if (status < 0)
        cardan_lab_problem_destroy(problem);
    else
        *out = problem;
    return status;
}

CardanLabDef cardan_default_lab_problem(void) {
    return (CardanLabDef){.internal = CRD_COOKIE};
}

CardanLabMethod cardan_default_lab_method(void) {
    return (CardanLabMethod){.internal = CRD_COOKIE};
}

CardanLabSpan cardan_default_lab_span(void) {
    return (CardanLabSpan){.internal = CRD_COOKIE};
}

static const char PLACE[] = "the place for the problem";

CardanStatus cardan_lab_problem_create(const CardanLabDef *def, CardanLabProblem **out, char *message, size_t size) {
    if (out != NULL) *out = NULL;
    if (def == NULL || out == NULL)
        return crd_refuse_call(message, size, "%s is NULL", def == NULL ? "the definition" : PLACE);
    if (def->internal != CRD_COOKIE)
        return crd_refuse_call(message, size, "the definition was not made by cardan_default_lab_problem()");
    return create(def, NULL, CARDAN_LAB_MECHANISM, out, message, size);
}

CardanStatus cardan_lab_problem_of_model(const CardanModel *model, CardanLabView view, CardanLabProblem **out,
                                         char *message, size_t size) {
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL)
        return crd_refuse_call(message, size, "%s is NULL", model == NULL ? "the model" : PLACE);
    if ((int)view < CARDAN_LAB_MECHANISM || view > CARDAN_LAB_ENERGY)
        return crd_refuse_call(message, size, "there is no view number %d", (int)view);
    return create(NULL, model, view, out, message, size);
}

void cardan_lab_problem_destroy(CardanLabProblem *problem) {
    if (problem == NULL) return;
    crd_lab_mechanism_destroy(problem->mechanism);
    crd_lab_clear(&problem->workspace);
    crd_delete(problem->name);
    crd_delete(problem);
}

CardanLabSizes cardan_lab_problem_sizes(const CardanLabProblem *problem) {
    if (problem == NULL) return (CardanLabSizes){0};
    const CrdLabProblem *p = &problem->problem;
    return (CardanLabSizes){p->order, p->n, p->rows, crd_lab_state(p), crd_lab_invariants(p)};
}

/* A state of a problem made of a model. */
static CardanStatus check_state(const CardanLabProblem *problem, const double *z, char *message, size_t size) {
    if (problem == NULL || z == NULL)
        return crd_refuse_call(message, size, "%s is NULL", problem == NULL ? "the problem" : "the state");
    if (problem->mechanism != NULL) return CARDAN_OK;
    return crd_refuse_call(message, size, "problem '%s' is given by callbacks: it has no model", problem->problem.name);
}

CardanStatus cardan_lab_problem_start(const CardanLabProblem *problem, double *z, char *message, size_t size) {
    CRD_TRY(check_state(problem, z, message, size));
    crd_lab_mechanism_start(problem->mechanism, &problem->problem, z);
    return CARDAN_OK;
}

CardanStatus cardan_lab_problem_motion(const CardanLabProblem *problem, const double *z, double *q, double *v,
                                       char *message, size_t size) {
    CRD_TRY(check_state(problem, z, message, size));
    crd_lab_mechanism_motion(problem->mechanism, &problem->problem, z, q, v);
    return CARDAN_OK;
}

/* ---- looking at a run ---- */

typedef struct Watch {
    CardanLabProblem *owner;
    const CardanLabSpan *span;
    CardanLabResult *result;
    CrdLabSetting *charted; /* the watched numbers are coordinates of this one; NULL: the state itself */
    double *z;              /* (state) the state of an integrator */
    double energy_start;
    CardanStatus status;
} Watch;

static void see_drift(Watch *watch, const double *h) {
    const CrdLabProblem *problem = &watch->owner->problem;
    CardanLabResult *result = watch->result;
    result->position = crd_largest(h, problem->rows);
    result->velocity = problem->order == 2 ? crd_largest(h + problem->rows, problem->rows) : 0.0;
    result->position_max = fmax(result->position_max, result->position);
    result->velocity_max = fmax(result->velocity_max, result->velocity);
}

static CardanStatus see_energy(Watch *watch, double t, const double *z, double *energy) {
    const CrdLabProblem *problem = &watch->owner->problem;
    return problem->energy != NULL ? problem->energy(problem->data, t, z, energy) : CARDAN_OK;
}

static void see_point(void *user, const CrdLabPoint *point) {
    Watch *watch = user;
    double energy = watch->energy_start;
    const double *h = crd_lab_look(&watch->owner->problem, point);
    if (watch->status >= 0 && h == NULL) watch->status = watch->owner->error.status;
    if (watch->status < 0) return;
    see_drift(watch, h);
    watch->status = see_energy(watch, point->t, point->z, &energy);
    watch->result->energy_max = fmax(watch->result->energy_max, fabs(energy - watch->energy_start));
    watch->result->steps++;
    if (watch->span->see != NULL) watch->span->see(watch->span->user, point->t, point->z);
}

static int see_step(void *user, double t, const double *w, const double *rates) {
    Watch *watch = user;
    CrdLabWorkspace *workspace = &watch->owner->workspace;
    CrdLabMark mark = crd_lab_mark(workspace);
    (void)rates;
    CrdLabWorkspace before = *workspace; /* looking is no work */
    if (watch->charted != NULL)
        watch->status = crd_lab_leave_chart(watch->charted, t, w, watch->z, workspace);
    else
        memcpy(watch->z, w, (size_t)crd_lab_state(&watch->owner->problem) * sizeof *w);
    if (watch->status >= 0) watch->status = crd_lab_accept(&watch->owner->problem, t, watch->z);
    if (watch->status >= 0) see_point(watch, &(CrdLabPoint){.t = t, .z = watch->z, .w = w, .workspace = workspace});
    crd_lab_back(workspace, mark);
    workspace->rhs = before.rhs;
    workspace->count = before.count;
    return watch->status < 0;
}

/* ---- runs ---- */

static CardanStatus run_integrator(const CrdLabChosen *chosen, const CardanLabSpan *span, double *z, Watch *watch,
                                   CrdLabWorkspace *workspace) {
    CrdLabSetting s = chosen->method.setting;
    int state = crd_lab_state(s.problem);
    double *w = crd_lab_numbers(workspace, state, 1);
    watch->z = crd_lab_numbers(workspace, state, 1);
    s.stabiliser.problem = s.problem;
    if (s.formulation->charted) CRD_TRY(crd_lab_open_chart(&s, workspace));
    if (workspace->empty) return crd_fail_memory(workspace->error);
    CrdLabSystem system = crd_lab_system(&s);
    memcpy(w, z, (size_t)state * sizeof *w);
    memcpy(watch->z, z, (size_t)state * sizeof *w);
    if (s.formulation->charted) CRD_TRY(crd_lab_enter_chart(&s, span->t0, z, w, workspace));
    watch->charted = s.formulation->charted ? &s : NULL; /* while steps are taken */
    CardanStatus status = crd_lab_integrate(chosen->integrator, &system, chosen->tolerance, span->t0, span->t1, w,
                                            (CrdLabWatcher){see_step, watch}, workspace);
    memcpy(z, watch->z, (size_t)state * sizeof *z);
    watch->charted = NULL;
    return status;
}

/* Work of the engine inside the terms. */
static void count(const CardanLabProblem *problem, int sign, CardanLabResult *result) {
    if (problem->mechanism == NULL) return;
    const CrdDynamics *dynamics = &problem->mechanism->sim->integrator.dynamics;
    double n = problem->mechanism->rows;
    result->factorisations += sign * dynamics->work.factorisations;
    result->solves += sign * dynamics->work.solves;
    result->operations +=
        sign * n * n * (n / 3.0 * (double)dynamics->work.factorisations + (double)dynamics->work.solves);
}

static CardanStatus run(CardanLabProblem *problem, const CrdLabChosen *chosen, const CardanLabSpan *span, double *z,
                        CardanLabResult *result) {
    CrdLabWorkspace *workspace = &problem->workspace;
    Watch watch = {.owner = problem, .span = span, .result = result};
    CRD_TRY(crd_lab_accept(&problem->problem, span->t0, z));
    CRD_TRY(see_energy(&watch, span->t0, z, &watch.energy_start));
    workspace->rhs = 0;
    workspace->count = (CrdLuCount){0};
    count(problem, -1, result);
    CardanStatus status = chosen->integrator != NULL
                              ? run_integrator(chosen, span, z, &watch, workspace)
                              : crd_lab_run(&chosen->method, span->t0, (span->t1 - span->t0) / span->steps, span->steps,
                                            z, (CrdLabObserver){see_point, &watch}, workspace);
    count(problem, 1, result);
    result->rhs += workspace->rhs;
    result->factorisations += workspace->count.factorisations;
    result->solves += workspace->count.solves;
    result->operations += workspace->count.operations;
    if (problem->problem.energy == NULL) result->energy_max = (double)NAN;
    return status < 0 ? status : watch.status;
}

static CardanStatus check_span(const CrdLabProblem *problem, const CrdLabChosen *chosen, const CardanLabSpan *span,
                               const double *z, CrdError *error) {
    if (!isfinite(span->t0) || !isfinite(span->t1) || !isfinite(span->t1 - span->t0) || !(span->t1 > span->t0))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "the span from %g to %g makes no sense", span->t0, span->t1);
    if (chosen->integrator == NULL && span->steps < 1)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "steps of fixed size must be at least one, not %d", span->steps);
    double step = chosen->integrator == NULL ? (span->t1 - span->t0) / span->steps : span->t1 - span->t0;
    if (!(step >= crd_smallest_step(span->t0)))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "steps of %g s are too short to move the time on from t = %g", step,
                        span->t0);
    if (!crd_all_finite(z, crd_lab_state(problem)))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "the start state is not finite");
    return CARDAN_OK;
}

CardanStatus cardan_lab_check(const CardanLabProblem *problem, const CardanLabMethod *method, char *message,
                              size_t size) {
    if (problem == NULL || method == NULL)
        return crd_refuse_call(message, size, "%s is NULL", problem == NULL ? "the problem" : "the method");
    if (method->internal != CRD_COOKIE)
        return crd_refuse_call(message, size, "the method was not made by cardan_default_lab_method()");
    CrdError error = {0};
    CrdLabWorkspace workspace = {.error = &error};
    CrdLabChosen chosen;
    CardanStatus status = crd_lab_choose(&problem->problem, method, &chosen, &error);
    if (status >= 0) status = crd_lab_check_chosen(&chosen, &workspace);
    crd_lab_clear(&workspace);
    return say(message, size, status, &error);
}

CardanStatus cardan_lab_run(CardanLabProblem *problem, const CardanLabMethod *method, const CardanLabSpan *span,
                            double *z, CardanLabResult *result, char *message, size_t size) {
    CardanLabResult own;
    const char *missing = problem == NULL ? "problem" : method == NULL ? "method" : span == NULL ? "span" : "state";
    if (problem == NULL || method == NULL || span == NULL || z == NULL)
        return crd_refuse_call(message, size, "the %s is NULL", missing);
    if (method->internal != CRD_COOKIE || span->internal != CRD_COOKIE)
        return crd_refuse_call(message, size, "the %s was not made by cardan_default_lab_%s()",
                               method->internal != CRD_COOKIE ? "method" : "span",
                               method->internal != CRD_COOKIE ? "method" : "span");
    if (result == NULL) result = &own;
    *result = (CardanLabResult){0};
    crd_error_clear(&problem->error);
    crd_lab_back(&problem->workspace, (CrdLabMark){0});
    CrdLabChosen chosen;
    CardanStatus status = crd_lab_choose(&problem->problem, method, &chosen, &problem->error);
    if (status >= 0) status = crd_lab_check_chosen(&chosen, &problem->workspace);
    if (status >= 0) status = check_span(&problem->problem, &chosen, span, z, &problem->error);
    if (status >= 0) status = run(problem, &chosen, span, z, result);
    return say(message, size, status, &problem->error);
}
