/* Bushings and compliant joints in space follow the rotation vector phi, which is continued through half a turn
 * (crd_rotation_vector_near). Its rate is Jl^-1(phi) times the spin, and Jl is singular at a whole turn, |phi| = 2 pi:
 * moments across the axis grow like 1 / (2 pi - |phi|) and beyond there is no smooth continuation. So the run stops
 * before: with error control a step is made again to end at the limit, then the next one is refused. */
#include "guard/turn.h"

#include "core/numbers.h"

#include <assert.h>

/* rad; the turn up to which phi is followed: there moments across the axis are already 19 times those along it. */
#define CRD_TURN_LIMIT (1.9 * CRD_PI)

/* rad; a state so near the limit is at it, and a step that is to end there is laid half of that short of it, because
 * it must not end beyond: seconds of arc, which nobody sees, reached by a secant or two. */
#define CRD_TURN_THERE 1e-6
#define CRD_TURN_SHORT (0.5 * CRD_TURN_THERE)

/* The farthest turned of all. */
typedef struct Farthest {
    double angle; /* rad */
    int tracked;  /* its first number */
    const char *what, *name;
} Farthest;

static void compare(const double *tracked, int first, const char *what, const char *name, Farthest *farthest) {
    assert(first >= 0);
    double angle = crd_norm(crd_vec_of(tracked + first));
    if (angle > farthest->angle) *farthest = (Farthest){angle, first, what, name};
}

static Farthest farthest_of(const CrdIntegrator *integrator, double *y) {
    const CardanModel *model = integrator->dynamics.model;
    const CrdStructure *structure = model->structure;
    const double *tracked = crd_integrator_tracked(integrator, y);
    Farthest farthest = {0};
    for (int i = 0; i < structure->force_count; i++)
        if (structure->force_structures[i].tracked >= 0)
            compare(tracked, structure->force_structures[i].tracked, "force", model->description->forces[i].name,
                    &farthest);
    for (int i = 0; i < structure->element_count; i++)
        if (structure->elements[i].turns)
            compare(tracked, structure->elements[i].tracked, "compliant joint", crd_element_name(model, i), &farthest);
    return farthest;
}

/* In the log once, however often the step is asked for again. */
static void log_turn(CrdIntegrator *integrator, const Farthest *who) {
    const CrdLog *log = &integrator->log;
    CardanEvent event = {.kind = CARDAN_EVENT_TURN,
                         .t = integrator->stepper.t,
                         .left_at = integrator->stepper.t,
                         .direction = 1,
                         .name = who->name};
    const CardanEvent *last = log->count > 0 ? &log->events[log->count - 1] : NULL;
    bool known = last != NULL && last->kind == event.kind && last->t == event.t && last->name == event.name;
    if (!known) crd_log_add(&integrator->log, &event, false);
}

static CardanStatus refuse(CrdIntegrator *integrator, const Farthest *who) {
    log_turn(integrator, who);
    return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "%s '%s' is turned by 1.9 pi (342 degrees) at t = %.9g and would go on: next to a whole turn its "
                    "rotation vector has no smooth continuation; a torsion spring on a revolute joint counts turns",
                    who->what, who->name, integrator->stepper.t);
}

static CrdVerdict after_attempt(void *self, CrdTry *attempt, CardanStatus *status) {
    CrdIntegrator *integrator = self;
    CrdStepper *stepper = &integrator->stepper;
    Farthest who = farthest_of(integrator, stepper->y_new);
    if (who.angle <= CRD_TURN_LIMIT) return CRD_ACCEPT;
    const double *tracked = crd_integrator_tracked(integrator, stepper->y);
    double before = crd_norm(crd_vec_of(tracked + who.tracked)), left = CRD_TURN_LIMIT - before;
    double h = attempt->h * (left - CRD_TURN_SHORT) / (who.angle - before);
    bool there = integrator->options.step > 0.0 || left <= CRD_TURN_THERE;
    if (!there && h > crd_smallest_step(stepper->t)) {
        attempt->h = h;
        return CRD_AGAIN;
    }
    *status = refuse(integrator, &who);
    return CRD_RESTART;
}

CardanStatus crd_turns_begin_anew(CrdIntegrator *integrator, double t, double *y) {
    if (integrator->dynamics.model->structure->turn_count == 0) return CARDAN_OK;
    bool any = false;
    for (Farthest who = farthest_of(integrator, y); who.angle > CRD_TURN_LIMIT; who = farthest_of(integrator, y)) {
        crd_put(crd_integrator_tracked(integrator, y) + who.tracked, crd_vec(0, 0, 0));
        any = true;
    }
    if (!any) return CARDAN_OK;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    CRD_TRY(crd_integrator_track(integrator, y));
    return CARDAN_OK;
}

const CrdGuard crd_turn_guard = {.after_attempt = after_attempt};
