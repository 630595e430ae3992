/* When an event happens, as a function of state and parameters: derivatives of its switching function. */
#include "guard/events/event.h"
#include "tangent/sensitivity.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Of a coordinate, in its unit, for derivatives of switching functions: noise and curvature both below 1e-9. */
static const double SWITCH_STEP = 1e-6;

/* A switching function whose rate is this part of what it is made of grazes zero. */
static const double GRAZING = 1e-7;

/* Switches whose times change alike, as far as differences tell, are one event. */
static const double TOGETHER = 1e-6;

static CardanStatus switches_at(CrdSensitivity *work, const CardanModel *model, double t, const double *y,
                                double *values) {
    CrdIntegrator *integrator = &work->trajectory.at->integrator;
    crd_dynamics_use(&integrator->dynamics, model);
    CardanStatus status = crd_events_values(crd_events_of(integrator), t, y, values);
    crd_dynamics_use(&integrator->dynamics, work->trajectory.at->model);
    return crd_transition_pass_on(work, status);
}

static void mark_block(const CrdStructure *structure, const CrdBlock *block, bool *reads) {
    memset(reads + block->q, 1, (size_t)block->nq * sizeof *reads);
    memset(reads + structure->nq + block->v, 1, (size_t)block->nv * sizeof *reads);
}

/* What a switch may depend on: of a force what this reads, of a user's event everything, of drives the time alone. */
static void find_reads(const CrdTrajectory *trajectory, int who, bool *reads) {
    const CrdStructure *structure = trajectory->structure;
    size_t core = (size_t)trajectory->core;
    memset(reads, who >= structure->first_event, core * sizeof *reads);
    if (who >= structure->first_drive_switch || structure->switches[who].time_event) return;
    const CrdForceStructure *force = &structure->force_structures[structure->switches[who].object];
    for (int i = 0; i < force->frames; i++)
        mark_block(structure, &structure->blocks[structure->frames[structure->force_frames[force->frame + i]].block],
                   reads);
    for (int i = 0; i < force->reads; i++)
        reads[structure->nq + structure->nv + structure->force_states[force->read + i]] = true;
}

/* g_y of one switch. */
static CardanStatus over_state(CrdSensitivity *work, const CrdTransition *transition, int who, double *row) {
    const CrdTrajectory *trajectory = &work->trajectory;
    CrdJump *jump = &work->jump;
    double t = trajectory->t[transition->state], *y = jump->y;
    memcpy(y, transition->before, (size_t)trajectory->n * sizeof *y);
    find_reads(trajectory, who, jump->reads);
    for (int i = 0; i < trajectory->core; i++) {
        row[i] = 0.0;
        if (!jump->reads[i]) continue;
        double kept = y[i], h = SWITCH_STEP * fmax(1.0, fabs(kept));
        y[i] = kept - h;
        CRD_TRY(switches_at(work, work->model, t, y, jump->low));
        y[i] = kept + h;
        CRD_TRY(switches_at(work, work->model, t, y, jump->high));
        y[i] = kept;
        row[i] = (jump->high[who] - jump->low[who]) / (2.0 * h);
    }
    return CARDAN_OK;
}

static CardanStatus over_knobs(CrdSensitivity *work, const CrdTransition *transition, int who, double *row) {
    CrdJump *jump = &work->jump;
    double t = work->trajectory.t[transition->state];
    for (int k = 0; k < work->knobs; k++) {
        row[k] = 0.0;
        if (work->knob[k].low == NULL) continue;
        CRD_TRY(switches_at(work, work->knob[k].low, t, transition->before, jump->low));
        CRD_TRY(switches_at(work, work->knob[k].high, t, transition->before, jump->high));
        row[k] = (jump->high[who] - jump->low[who]) / work->knob[k].width;
    }
    return CARDAN_OK;
}

/* g' along the motion before the event. */
static CardanStatus rate_of(CrdSensitivity *work, const CrdTransition *transition, int who, double *rate) {
    const CrdTrajectory *trajectory = &work->trajectory;
    CrdJump *jump = &work->jump;
    const double *f = jump->before, *y = transition->before;
    double fastest = 1.0, t = trajectory->t[transition->state];
    for (int i = 0; i < trajectory->core; i++) fastest = fmax(fastest, fabs(f[i]) / fmax(1.0, fabs(y[i])));
    double h = SWITCH_STEP / fastest;
    for (int side = -1; side <= 1; side += 2) {
        memcpy(jump->y, y, (size_t)trajectory->n * sizeof *y);
        for (int i = 0; i < trajectory->core; i++) jump->y[i] += side * h * f[i];
        CRD_TRY(switches_at(work, work->model, t + side * h, jump->y, side < 0 ? jump->low : jump->high));
    }
    *rate = (jump->high[who] - jump->low[who]) / (2.0 * h);
    return CARDAN_OK;
}

/* g_y / g' and g_p / g' of one switch: what its time changes by, with the other sign. */
static CardanStatus time_of(CrdSensitivity *work, const CrdTransition *transition, int who, double *row,
                            double *row_p) {
    const CrdTrajectory *trajectory = &work->trajectory;
    double rate, parts = 0.0;
    crd_trajectory_hold(&work->trajectory, transition->state - 1);
    CRD_TRY(over_state(work, transition, who, row));
    CRD_TRY(over_knobs(work, transition, who, row_p));
    CRD_TRY(rate_of(work, transition, who, &rate));
    for (int i = 0; i < trajectory->core; i++) parts += fabs(row[i] * work->jump.before[i]);
    if (rate == 0.0 || fabs(rate) < GRAZING * parts)
        return crd_transition_refuse(work, transition, who, "it is grazed, so that when it happens has no derivative");
    for (int i = 0; i < trajectory->core; i++) row[i] /= rate;
    for (int k = 0; k < work->knobs; k++) row_p[k] /= rate;
    return CARDAN_OK;
}

static bool are_same(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > TOGETHER * fmax(1.0, fabs(a[i]))) return false;
    return true;
}

/* Of the switch that is crossed; others that are crossed with it must go with it. */
CardanStatus crd_transition_time(CrdSensitivity *work, const CrdTransition *transition) {
    CrdJump *jump = &work->jump;
    assert(transition->who >= 0 && transition->state > 0);
    CRD_TRY(time_of(work, transition, transition->who, jump->over_y, jump->over_p));
    for (int i = transition->who + 1; i < work->trajectory.structure->switch_count; i++) {
        if (!transition->crossed[i]) continue;
        CRD_TRY(time_of(work, transition, i, jump->row, jump->row_p));
        if (!are_same(jump->over_y, jump->row, work->trajectory.core) ||
            !are_same(jump->over_p, jump->row_p, work->knobs))
            return crd_transition_refuse(work, transition, i,
                                         "another one happens at the same time, and which is first changes");
    }
    return CARDAN_OK;
}
