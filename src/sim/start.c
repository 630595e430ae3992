/* What the start made of the values as given. */
#include "cardan/start.h"

#include "core/rotation.h"
#include "sim/refuse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- bodies ---- */

/* A body's part of q and v (or of accelerations in place of v: angular ones change by the same rotation, since w x w is
 * none). */
static CardanBodyState state_of(const CrdStructure *structure, const CrdBlock *block, const double *q,
                                const double *v) {
    CardanBodyState out = {.quaternion = {.w = 1.0}};
    const double *x = q + block->q, *u = v + block->v;
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    out.position = (CardanVec3){x[0], x[1], planar ? 0.0 : x[2]};
    out.velocity = (CardanVec3){u[0], u[1], planar ? 0.0 : u[2]};
    if (block->kind == CRD_PLANAR_BODY) {
        out.angle = x[2];
        out.spin = u[2];
        out.angular_velocity.z = u[2];
    }
    if (block->kind == CRD_SPATIAL_BODY) {
        out.quaternion = crd_quat_normalised((CardanQuat){x[3], x[4], x[5], x[6]});
        CrdMat r = crd_matrix_of(out.quaternion);
        out.angular_velocity = crd_apply(r.m, (CardanVec3){u[3], u[4], u[5]});
    }
    return out;
}

static double distance(CardanVec3 a, CardanVec3 b) {
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

/* The angle between two orientations. */
static double turn(const CardanBodyState *a, const CardanBodyState *b) {
    CardanQuat p = a->quaternion;
    CardanQuat r = crd_quat_mul((CardanQuat){p.w, -p.x, -p.y, -p.z}, b->quaternion);
    return 2.0 * atan2(hypot(hypot(r.x, r.y), r.z), fabs(r.w)) + fabs(b->angle - a->angle);
}

static void see(double size, CardanBody body, double *largest, CardanBody *whose) {
    if (!(size > *largest)) return;
    *largest = size;
    *whose = body;
}

static CardanStartBody body_of(const CardanSim *sim, int block) {
    const CrdStructure *structure = sim->model->structure;
    const CrdBlock *b = &structure->blocks[block];
    const double *y = sim->integrator.stepper.y, *a = sim->integrator.dynamics.a;
    const CrdValues *values = &sim->model->values;
    CardanBodyState rates = state_of(structure, b, y, a);
    CardanStartBody out = {.given = state_of(structure, b, values->q0, values->v0),
                           .now = state_of(structure, b, y, y + structure->nq),
                           .acceleration = rates.velocity,
                           .angular_acceleration = rates.angular_velocity,
                           .held = sim->model->description->bodies[b->object].hold};
    out.moved = distance(out.given.position, out.now.position);
    out.turned = turn(&out.given, &out.now);
    out.speed = distance(out.given.velocity, out.now.velocity);
    out.spin = distance(out.given.angular_velocity, out.now.angular_velocity);
    return out;
}

static void report_bodies(const CardanSim *sim, CardanStartReport *report) {
    const CrdStructure *structure = sim->model->structure;
    for (int i = 1; i < structure->frame_count; i++) {
        if (structure->frames[i].kind != CRD_FRAME_BODY) continue; /* a frame of a custom block */
        CardanBody body = {i};
        int block = structure->frames[i].block;
        CardanStartBody found = body_of(sim, block);
        see(found.moved, body, &report->moved, &report->moved_body);
        see(found.turned, body, &report->turned, &report->turned_body);
        see(found.speed, body, &report->speed, &report->speed_body);
        see(found.spin, body, &report->spin, &report->spin_body);
        if (report->body != NULL) report->body[structure->blocks[block].object] = found;
    }
}

/* ---- joints ---- */

/* Coordinates at the frames in the workspace. */
static void read_joints(const CardanSim *sim, bool given, CardanStartJoint *joints) {
    const CrdStructure *structure = sim->model->structure;
    const CrdSystem *system = &sim->integrator.dynamics.system;
    for (int i = 0; i < structure->joint_count; i++) {
        CardanStartJoint *joint = &joints[i];
        int e = structure->element_of_joint[i];
        const CrdElement *element = &structure->elements[e];
        if (given) {
            *joint = (CardanStartJoint){.off = crd_max_abs(system->g + element->first, element->rows),
                                        .rate_off = crd_max_abs(system->rate + element->first, element->rows)};
            joint->has_coordinate = element->kind != NULL && element->kind->coordinates[0] != CARDAN_COORDINATE_NONE;
        }
        if (!joint->has_coordinate) continue;
        CrdPair pair = crd_pair_of(structure, system, e);
        crd_joint_read(element->kind->coordinates[0], &sim->model->values.joints[e], &pair,
                       given ? &joint->given : &joint->now, given ? &joint->rate_given : &joint->rate);
    }
}

/* The values as given, in the scratch of the simulation; the workspace then holds their rows. */
static CardanStatus evaluate_given(CardanSim *sim) {
    CrdIntegrator *integrator = &sim->integrator;
    const CrdStructure *structure = sim->model->structure;
    const CrdValues *values = &sim->model->values;
    double *y = sim->scratch;
    memcpy(y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *y);
    memcpy(y, values->q0, (size_t)structure->nq * sizeof *y);
    memcpy(crd_integrator_v(integrator, y), values->v0, (size_t)structure->nv * sizeof *y);
    memcpy(crd_integrator_tracked(integrator, y), values->tracked, (size_t)structure->tracked_count * sizeof *y);
    crd_normalise(structure, y);
    crd_integrator_touch(integrator);
    CrdCall before = crd_sim_enter(sim);
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, y);
    crd_sim_leave(sim, before);
    return status;
}

static CardanStatus report_given_joints(CardanSim *sim, CardanStartJoint *joints) {
    const CrdDescription *description = sim->model->description;
    crd_error_clear(&sim->error);
    CardanStatus status = evaluate_given(sim);
    if (status >= 0) read_joints(sim, true, joints);
    crd_integrator_touch(&sim->integrator);
    if (status < 0) return crd_sim_report(sim, status);
    for (int i = 0; i < description->coordinate_count; i++) joints[description->coordinates[i].joint - 1].held = true;
    for (int i = 0; i < description->rate_count; i++) joints[description->rates[i].joint - 1].rate_held = true;
    return CARDAN_OK;
}

CardanStatus cardan_sim_start_report(CardanSim *sim, CardanStartReport *report) {
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_given(sim, report, "the place for the report"));
    if (sim->integrator.statistics.steps > 0)
        return crd_refuse(sim, "the start is reported before the first step; %ld were made",
                          sim->integrator.statistics.steps);
    *report = (CardanStartReport){.body = report->body,
                                  .joint = report->joint,
                                  .accelerations = report->accelerations,
                                  .multipliers = report->multipliers};
    report->rates = sim->model->description->rate_count;
    report->coordinates = sim->model->description->coordinate_count;
    if (report->joint != NULL) CRD_TRY(report_given_joints(sim, report->joint));
    if (report->joint != NULL) CRD_TRY(crd_sim_configuration(sim));
    if (report->joint != NULL) read_joints(sim, false, report->joint);
    bool motion = report->body != NULL || report->accelerations != NULL || report->multipliers != NULL;
    if (motion) CRD_TRY(crd_sim_motion(sim));
    report_bodies(sim, report);
    return motion ? cardan_sim_evaluate(sim, report->accelerations, report->multipliers) : CARDAN_OK;
}
