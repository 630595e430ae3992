/* The public side of the laboratory: problems, and runs of methods on them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "lab/choice.h"
#include "lab/mechanism.h"

struct CardanLabProblem {
    CrdLabProblem problem;
    CardanLabDef def; /* by callbacks */
    char *name;
    CrdLabMechanism *mechanism; /* of a model; NULL: by callbacks */
    CrdError error;
    CrdLabDesk desk;
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

static CardanStatus fill_by_callbacks(CardanLabProblem *p, const CardanLabDef *def) {
    p->def = *def;
    p->name = crd_copy_string(def->name != NULL ? def->name : "problem");
    if (p->name == NULL) return crd_fail_memory(&p->error);
    p->problem = (CrdLabProblem){.name = p->name,
                                 .order = def->order,
                                 .n = def->n,
                                 .rows = def->rows,
                                 .affine = def->affine,
                                 .data = &p->def,
                                 .terms = def->terms != NULL ? user_terms : NULL,
                                 .energy = def->energy != NULL ? user_energy : NULL};
    return crd_lab_check_problem(&p->problem, &p->error);
}

/* def or model. */
static CardanStatus create(const CardanLabDef *def, const CardanModel *model, CardanLabView view,
                           CardanLabProblem **out, char *message, size_t size) {
    *out = NULL;
    CardanLabProblem *p = crd_new(1, sizeof *p);
    CrdError none = {.text = "out of memory"};
    if (p == NULL) return say(message, size, CARDAN_ERR_MEMORY, &none);
    p->desk.error = &p->error;
    CardanStatus status = def != NULL ? fill_by_callbacks(p, def)
                                      : crd_lab_mechanism_create(model, view, &p->mechanism, &p->problem, &p->error);
    say(message, size, status, &p->error);
    if (status < 0)
        cardan_lab_problem_destroy(p);
    else
        *out = p;
    return status;
}

CardanStatus cardan_lab_problem_create(const CardanLabDef *def, CardanLabProblem **out, char *message, size_t size) {
    if (out != NULL) *out = NULL;
    if (def == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    return create(def, NULL, CARDAN_LAB_MECHANISM, out, message, size);
}

CardanStatus cardan_lab_problem_of_model(const CardanModel *model, CardanLabView view, CardanLabProblem **out,
                                         char *message, size_t size) {
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL || (int)view < CARDAN_LAB_MECHANISM || view > CARDAN_LAB_ENERGY)
        return CARDAN_ERR_ARGUMENT;
    return create(NULL, model, view, out, message, size);
}

void cardan_lab_problem_destroy(CardanLabProblem *problem) {
    if (problem == NULL) return;
    crd_lab_mechanism_destroy(problem->mechanism);
    crd_lab_clear(&problem->desk);
    crd_delete(problem->name);
    crd_delete(problem);
}

CardanLabSizes cardan_lab_problem_sizes(const CardanLabProblem *problem) {
    if (problem == NULL) return (CardanLabSizes){0};
    const CrdLabProblem *p = &problem->problem;
    return (CardanLabSizes){p->order, p->n, p->rows, crd_lab_state(p), crd_lab_invariants(p)};
}

CardanStatus cardan_lab_problem_start(const CardanLabProblem *problem, double *z) {
    if (problem == NULL || z == NULL || problem->mechanism == NULL) return CARDAN_ERR_ARGUMENT;
    crd_lab_mechanism_start(problem->mechanism, &problem->problem, z);
    return CARDAN_OK;
}

CardanStatus cardan_lab_problem_motion(const CardanLabProblem *problem, const double *z, double *q, double *v) {
    if (problem == NULL || z == NULL || problem->mechanism == NULL) return CARDAN_ERR_ARGUMENT;
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
    const CrdLabProblem *p = &watch->owner->problem;
    CardanLabResult *r = watch->result;
    r->position = crd_lab_largest(h, p->rows);
    r->velocity = p->order == 2 ? crd_lab_largest(h + p->rows, p->rows) : 0.0;
    r->position_max = fmax(r->position_max, r->position);
    r->velocity_max = fmax(r->velocity_max, r->velocity);
}

static CardanStatus see_energy(Watch *watch, double t, const double *z, double *energy) {
    const CrdLabProblem *p = &watch->owner->problem;
    return p->energy != NULL ? p->energy(p->data, t, z, energy) : CARDAN_OK;
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
    CrdLabDesk *desk = &watch->owner->desk;
    CrdLabMark mark = crd_lab_mark(desk);
    (void)rates;
    CrdLabDesk before = *desk; /* looking is no work */
    if (watch->charted != NULL)
        watch->status = crd_lab_leave_chart(watch->charted, t, w, watch->z, desk);
    else
        memcpy(watch->z, w, (size_t)crd_lab_state(&watch->owner->problem) * sizeof *w);
    if (watch->status >= 0) watch->status = crd_lab_accept(&watch->owner->problem, t, watch->z);
    if (watch->status >= 0) see_point(watch, &(CrdLabPoint){.t = t, .z = watch->z, .w = w, .desk = desk});
    crd_lab_back(desk, mark);
    desk->rhs = before.rhs;
    desk->factorisations = before.factorisations;
    desk->solves = before.solves;
    desk->operations = before.operations;
    return watch->status < 0;
}

/* ---- runs ---- */

static CardanStatus run_integrator(const CrdLabChosen *chosen, const CardanLabSpan *span, double *z, Watch *watch,
                                   CrdLabDesk *desk) {
    CrdLabSetting s = chosen->method.setting;
    int state = crd_lab_state(s.problem);
    double *w = crd_lab_numbers(desk, state, 1);
    watch->z = crd_lab_numbers(desk, state, 1);
    s.stabiliser.problem = s.problem;
    if (s.formulation->charted) CRD_TRY(crd_lab_open_chart(&s, desk));
    if (desk->empty) return crd_fail_memory(desk->error);
    CrdLabSystem system = crd_lab_system(&s);
    memcpy(w, z, (size_t)state * sizeof *w);
    memcpy(watch->z, z, (size_t)state * sizeof *w);
    if (s.formulation->charted) {
        watch->charted = &s;
        CRD_TRY(crd_lab_enter_chart(&s, span->t0, z, w, desk));
    }
    CardanStatus status = chosen->integrator->run(&system, chosen->tolerance, span->t0, span->t1, w,
                                                  (CrdLabWatcher){see_step, watch}, desk);
    memcpy(z, watch->z, (size_t)state * sizeof *z);
    watch->charted = NULL;
    return status;
}

/* Work of the engine inside the terms. */
static void count(const CardanLabProblem *p, int sign, CardanLabResult *result) {
    if (p->mechanism == NULL) return;
    const CrdDynamics *d = &p->mechanism->sim->run.dynamics;
    double n = p->mechanism->rows;
    result->factorisations += sign * d->factorisations;
    result->solves += sign * d->solves;
    result->operations += sign * n * n * (n / 3.0 * (double)d->factorisations + (double)d->solves);
}

static CardanStatus run(CardanLabProblem *p, const CrdLabChosen *chosen, const CardanLabSpan *span, double *z,
                        CardanLabResult *result) {
    CrdLabDesk *desk = &p->desk;
    Watch watch = {.owner = p, .span = span, .result = result};
    CRD_TRY(crd_lab_accept(&p->problem, span->t0, z));
    CRD_TRY(see_energy(&watch, span->t0, z, &watch.energy_start));
    desk->rhs = desk->factorisations = desk->solves = 0;
    desk->operations = 0.0;
    count(p, -1, result);
    CardanStatus status = chosen->integrator != NULL
                              ? run_integrator(chosen, span, z, &watch, desk)
                              : crd_lab_run(&chosen->method, span->t0, (span->t1 - span->t0) / span->steps, span->steps,
                                            z, (CrdLabObserver){see_point, &watch}, desk);
    count(p, 1, result);
    result->rhs += desk->rhs;
    result->factorisations += desk->factorisations;
    result->solves += desk->solves;
    result->operations += desk->operations;
    if (p->problem.energy == NULL) result->energy_max = (double)NAN;
    return status < 0 ? status : watch.status;
}

static CardanStatus check_span(const CrdLabProblem *p, const CrdLabChosen *chosen, const CardanLabSpan *span,
                               const double *z, CrdError *error) {
    if (!isfinite(span->t0) || !isfinite(span->t1) || !(span->t1 > span->t0))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "the span from %g to %g makes no sense", span->t0, span->t1);
    if (chosen->integrator == NULL && span->steps < 1)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "steps of fixed size must be at least one, not %d", span->steps);
    if (!crd_lab_finite(z, crd_lab_state(p)))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "the start state is not finite");
    return CARDAN_OK;
}

CardanStatus cardan_lab_check(const CardanLabProblem *problem, const CardanLabMethod *method, char *message,
                              size_t size) {
    if (problem == NULL || method == NULL) return CARDAN_ERR_ARGUMENT;
    CrdError error = {0};
    CrdLabDesk desk = {.error = &error};
    CrdLabChosen chosen;
    CardanStatus status = crd_lab_choose(&problem->problem, method, &chosen, &error);
    if (status >= 0) status = crd_lab_check_chosen(&chosen, &desk);
    crd_lab_clear(&desk);
    return say(message, size, status, &error);
}

CardanStatus cardan_lab_run(CardanLabProblem *problem, const CardanLabMethod *method, const CardanLabSpan *span,
                            double *z, CardanLabResult *result, char *message, size_t size) {
    CardanLabResult own;
    if (problem == NULL || method == NULL || span == NULL || z == NULL) return CARDAN_ERR_ARGUMENT;
    if (result == NULL) result = &own;
    *result = (CardanLabResult){0};
    crd_error_clear(&problem->error);
    crd_lab_back(&problem->desk, (CrdLabMark){0});
    CrdLabChosen chosen;
    CardanStatus status = crd_lab_choose(&problem->problem, method, &chosen, &problem->error);
    if (status >= 0) status = crd_lab_check_chosen(&chosen, &problem->desk);
    if (status >= 0) status = check_span(&problem->problem, &chosen, span, z, &problem->error);
    if (status >= 0) status = run(problem, &chosen, span, z, result);
    return say(message, size, status, &problem->error);
}
