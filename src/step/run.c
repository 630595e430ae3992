#include "step/run.h"

#include "core/numbers.h"

#include <math.h>
#include <string.h>

static CardanStatus rhs(void *user, double t, const double *y, double *dydt) {
    CrdRun *run = user;
    run->solved = false;
    CRD_TRY(crd_measure(&run->dynamics, t, y, y + run->dynamics.model->shape->nq));
    return crd_run_slope(run, y, dydt);
}

void crd_run_layout(CrdRun *run, const CardanModel *model, const CardanOptions *options, CrdArena *arena) {
    const CrdShape *s = model->shape;
    size_t n = (size_t)s->nq + (size_t)s->nv + (size_t)s->turn_count + 1, real = sizeof(double);
    run->options = *options;
    run->n = (int)n;
    crd_dynamics_layout(&run->dynamics, model, options, arena);
    crd_stabiliser_layout(&run->stabiliser, s, options, arena);
    crd_rk_layout(&run->rk, crd_tableau_find(cardan_stepper_name(options->stepper)), run->n, arena);
    double **vectors[] = {&run->weight, &run->y, &run->f, &run->y_new, &run->f_new, &run->y_old};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = crd_take(arena, n, real);
    run->ode = (CrdOde){.rhs = rhs, .user = run, .n = run->n};
    for (int i = 0; arena->base != NULL && i < s->nq + s->nv; i++) run->weight[i] = 1.0;
}

static void turn_rates(const CrdRun *run, double *rates) {
    const CrdShape *s = run->dynamics.model->shape;
    for (int e = 0; s->turn_count > 0 && e < s->element_count; e++) {
        if (s->elements[e].turn < 0) continue;
        CrdPair pair = crd_pair_of(s, &run->dynamics.system, e);
        rates[s->elements[e].turn] = crd_joint_turn_rate(&run->dynamics.model->numbers.joints[e], &pair);
    }
}

CardanStatus crd_run_slope(CrdRun *run, const double *y, double *dydt) {
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    const double *v = y + s->nq;
    d->actions.turns = v + s->nv;
    CRD_TRY(crd_motion(d, y, v));
    crd_position_rates(s, y, v, dydt);
    memcpy(dydt + s->nq, d->a, (size_t)s->nv * sizeof *dydt);
    turn_rates(run, dydt + s->nq + s->nv);
    dydt[run->n - 1] = d->system.power;
    return CARDAN_OK;
}

CardanStatus crd_run_evaluate(CrdRun *run) {
    if (run->slope_known && run->solved) return CARDAN_OK;
    run->slope_known = false;
    CRD_TRY(rhs(run, run->t, run->y, run->f));
    run->slope_known = run->solved = true;
    return CARDAN_OK;
}

void crd_run_count_turns(CrdRun *run, double *y) {
    const CrdShape *s = run->dynamics.model->shape;
    double *turns = crd_run_turns(run, y);
    for (int e = 0; s->turn_count > 0 && e < s->element_count; e++) {
        const CrdElement *element = &s->elements[e];
        if (element->turn < 0) continue;
        CrdCoordinate coordinate;
        CrdPair pair = crd_pair_of(s, &run->dynamics.system, e);
        crd_joint_coordinate(element->kind, &run->dynamics.model->numbers.joints[e], &pair, turns[element->turn],
                             &coordinate);
        turns[element->turn] = coordinate.value;
    }
}

double crd_run_energy(const CrdRun *run, const double *y) {
    const CrdDynamics *d = &run->dynamics;
    return crd_kinetic(d->model, &d->system, y + d->model->shape->nq) + d->system.potential - y[run->n - 1];
}

CardanStatus crd_run_interpolate(CrdRun *run, double t, double *y) {
    CrdDynamics *d = &run->dynamics;
    run->solved = false;
    if (!run->dense_known)
        CRD_TRY(crd_rk_prepare_dense(&run->rk, &run->ode, run->t_old, run->t - run->t_old, run->y_old, run->y, run->f));
    run->dense_known = true;
    crd_rk_interpolate(&run->rk, (t - run->t_old) / (run->t - run->t_old), y);
    crd_normalise(d->model->shape, y);
    bool free = run->options.stabilise.method == CARDAN_STABILISE_NONE ||
                run->options.stabilise.method == CARDAN_STABILISE_BAUMGARTE || d->model->shape->rows == 0;
    CardanStatus status = free ? crd_measure(d, t, y, crd_run_v(run, y))
                               : crd_project(&run->stabiliser, d, t, y, crd_run_v(run, y));
    if (status >= 0) crd_run_count_turns(run, y);
    return status;
}
