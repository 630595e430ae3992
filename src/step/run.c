#include "step/run.h"

#include "core/numbers.h"
#include "solve/regularise.h"
#include "step/dense.h"

#include <math.h>
#include <string.h>

static CardanStatus rhs(void *user, double t, const double *y, double *dydt) {
    CrdRun *run = user;
    run->solved = false;
    CRD_TRY(crd_run_measure(run, t, y));
    return crd_run_slope(run, y, dydt, true);
}

void crd_run_layout(CrdRun *run, const CardanModel *model, const CardanOptions *options, CrdArena *arena) {
    const CrdShape *s = model->shape;
    size_t controlled = (size_t)s->nq + (size_t)s->nv + (size_t)s->first_order;
    size_t n = controlled + (size_t)s->follower_count + 1, real = sizeof(double);
    run->options = *options;
    run->n = (int)n;
    crd_dynamics_layout(&run->dynamics, model, options, arena);
    crd_stabiliser_layout(&run->stabiliser, s, options, arena);
    run->method = crd_method(options->stepper);
    run->method->layout(run, arena);
    run->history = crd_take(arena, (size_t)run->history_size, real);
    run->hermite = crd_take(arena, run->method->interpolate == NULL ? CRD_HERMITE_ROWS * n : 0, real);
    double **vectors[] = {&run->weight, &run->y, &run->f, &run->y_new, &run->f_new, &run->y_old,
                          &run->y_stage, &run->y_raw, &run->floor};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = crd_take(arena, n, real);
    run->element_mark = crd_take(arena, (size_t)s->element_count, sizeof *run->element_mark);
    crd_log_layout(&run->log, arena);
    crd_events_layout(run, arena);
    run->passage.w_last = 1.0;
    run->ode = (CrdOde){.rhs = rhs, .user = run, .n = run->n};
    for (size_t i = 0; arena->base != NULL && i < controlled; i++) run->weight[i] = 1.0;
}

void crd_run_look_at(CrdRun *run, const double *y) {
    const CrdShape *s = run->dynamics.model->shape;
    run->dynamics.actions.followers = y + s->nq + s->nv + s->first_order;
}

CardanStatus crd_run_measure(CrdRun *run, double t, const double *y) {
    crd_run_look_at(run, y);
    return crd_measure(&run->dynamics, t, y, y + run->dynamics.model->shape->nq);
}

/* Puts a stage of a step near a singular pose on the constraints; *y then is the stage in y_stage. Right next to the pose, where that
 * could change the branch, the rows that vanish there are left alone. */
static CardanStatus settle_stage(CrdRun *run, const double **y) {
    CrdDynamics *d = &run->dynamics;
    double t = d->system.t, w = crd_closeness(d), *stage = run->y_stage;
    memcpy(stage, *y, (size_t)run->n * sizeof *stage);
    crd_normalise(d->model->shape, stage);
    CardanStatus status = CARDAN_OK;
    if (w >= CRD_PROJECT_CLOSE) status = crd_project(&run->stabiliser, d, t, stage, crd_run_v(run, stage));
    bool good = w >= CRD_PROJECT_CLOSE && status >= 0 &&
                (w >= CRD_APPROACH || crd_run_moved(run, *y, stage) <= CRD_BRANCH_SHARE * w);
    if (!good && w >= CRD_LAND)
        return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                        "a stage at t = %.9g is too far off the constraints next to a singular pose", t);
    if (!good) {
        if (status == CARDAN_ERR_NUMERIC) crd_error_clear(run->error);
        memcpy(stage, *y, (size_t)run->n * sizeof *stage);
        crd_normalise(d->model->shape, stage);
        CRD_TRY(crd_run_measure(run, t, stage));
        CRD_TRY(crd_project_strong(&run->stabiliser, d, t, stage, crd_run_v(run, stage)));
    }
    *y = stage;
    return CARDAN_OK;
}

void crd_run_collect(const CrdRun *run, const double *y, const double *lambda, double *dydt) {
    const CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    crd_position_rates(s, y, y + s->nq, dydt);
    memcpy(dydt + s->nq, d->a, (size_t)s->nv * sizeof *dydt);
    memcpy(dydt + s->nq + s->nv, d->system.z_rate, (size_t)s->first_order * sizeof *dydt);
    crd_follower_rates(d->model, &d->system, dydt + s->nq + s->nv + s->first_order);
    dydt[run->n - 1] = d->system.power + crd_drive_power(s, &d->system, lambda);
}

CardanStatus crd_run_slope(CrdRun *run, const double *y, double *dydt, bool stage) {
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    if (s->rows > 0) {
        CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
        crd_passage_see(&run->passage, d, d->system.t);
        bool moves = crd_stabiliser_moves(&run->stabiliser);
        if (stage && moves && !run->project_stages && crd_approaching(d)) {
            run->wants_projection = true;
            return CARDAN_ERR_NUMERIC;
        }
        if (stage && moves && run->project_stages) CRD_TRY(settle_stage(run, &y));
    }
    const double *v = y + s->nq;
    d->actions.states = v + s->nv;
    CRD_TRY(crd_motion(d, y, v));
    run->stage_noise = fmax(run->stage_noise, d->noise);
    crd_run_collect(run, y, d->lambda, dydt);
    return CARDAN_OK;
}

double crd_run_moved(const CrdRun *run, const double *from, const double *to) {
    const CrdShape *s = run->dynamics.model->shape;
    double most = 0.0;
    for (int b = 0; b < s->block_count; b++) {
        const CrdBlock *block = &s->blocks[b];
        int lengths = block->kind == CRD_CUSTOM_BLOCK ? 0 : s->space == CARDAN_PLANAR ? 2 : 3;
        for (int k = 0; k < block->nq; k++) {
            double scale = k < lengths ? run->dynamics.model->numbers.size : 1.0;
            most = fmax(most, fabs(to[block->q + k] - from[block->q + k]) / scale);
        }
    }
    return most;
}

CardanStatus crd_run_start(CrdRun *run, double *pieces) {
    CrdDynamics *d = &run->dynamics;
    if (d->model->shape->rows == 0) return CARDAN_OK;
    if (!d->factored || d->system.t != run->t) {
        CRD_TRY(crd_run_measure(run, run->t, run->y));
        CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    }
    memcpy(pieces, d->system.T, (size_t)d->model->shape->size_g * sizeof *pieces);
    return CARDAN_OK;
}

CardanStatus crd_run_evaluate(CrdRun *run) {
    if (run->events.count > 0 && !run->events.known) {
        run->slope_known = run->solved = false;
        CRD_TRY(crd_events_know(run));
    }
    if (run->slope_known && run->solved) return CARDAN_OK;
    run->slope_known = run->solved = false;
    CRD_TRY(crd_run_measure(run, run->t, run->y));
    CRD_TRY(crd_run_slope(run, run->y, run->f, false));
    run->balance = crd_run_energy(run, run->y);
    run->slope_known = run->solved = true;
    return CARDAN_OK;
}

void crd_run_follow(CrdRun *run, double *y) {
    crd_follow(run->dynamics.model, &run->dynamics.system, crd_run_followers(run, y));
}

double crd_run_energy(const CrdRun *run, const double *y) {
    const CrdDynamics *d = &run->dynamics;
    return crd_kinetic(d->model, &d->system, y + d->model->shape->nq) + d->system.potential - y[run->n - 1];
}

void crd_run_restart(CrdRun *run) {
    if (run->history_size == 0) return;
    memset(run->history, 0, (size_t)run->history_size * sizeof *run->history);
    run->h_next = 0.0; /* a low order starts again */
}

void crd_run_dense_at(const CrdRun *run, double theta, double *y) {
    if (run->method->interpolate != NULL)
        run->method->interpolate(run, theta, y);
    else
        crd_dense_at(run->n, run->hermite, CRD_HERMITE_ROWS, theta, y);
}

CardanStatus crd_run_prepare_dense(CrdRun *run) {
    if (run->dense_known) return CARDAN_OK;
    /* Its few extra stages may come close to a singular pose that the step itself passed by. */
    run->project_stages = run->passage.step_lowest < CRD_PASSAGE_WATCH;
    if (run->method->prepare_dense != NULL)
        CRD_TRY(run->method->prepare_dense(run));
    else
        crd_dense_hermite(run->n, run->t - run->t_old, run->y_old, run->f_new, run->y, run->f, run->hermite);
    run->dense_known = true;
    return CARDAN_OK;
}

CardanStatus crd_run_interpolate(CrdRun *run, double t, double *y) {
    CrdDynamics *d = &run->dynamics;
    run->solved = false;
    if (run->dense_lost)
        return crd_fail(run->error, CARDAN_ERR_NUMERIC,
                        "the last step can no longer be sampled: a step after it failed at t = %.9g", run->t);
    CRD_TRY(crd_run_prepare_dense(run));
    crd_run_dense_at(run, (t - run->t_old) / (run->t - run->t_old), y);
    crd_normalise(d->model->shape, y);
    crd_run_look_at(run, y);
    bool free = run->options.stabilise.method == CARDAN_STABILISE_NONE ||
                run->options.stabilise.method == CARDAN_STABILISE_BAUMGARTE || d->model->shape->rows == 0;
    CardanStatus status = free ? crd_run_measure(run, t, y)
                               : crd_project(&run->stabiliser, d, t, y, crd_run_v(run, y));
    if (status >= 0) crd_run_follow(run, y);
    return status;
}
