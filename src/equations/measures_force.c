/* What a force does by itself, with derivatives by those of its loads L (force.h):
 *     power       sum over its frames of L . twist,        d = dL . twist + L . dtwist
 *     energy      its potential
 *     moment at the point p of a frame x, R that receives (f, m):   R m - (p - x) x f */
#include "equations/force_scene.h"
#include "equations/measures.h"

#include <assert.h>
#include <string.h>

static CrdDualVec place_of(const CardanModel *model, int index, const CrdForceScene *scene, int frame) {
    const CrdForceData *force = &model->values.forces[index];
    const CrdForceKind *kind = crd_force_kinds[force->type];
    if (kind->place != NULL) return kind->place(force, &scene->input, frame);
    if (force->joint == 0) return crd_place_dual(&scene->input, frame, crd_vec(0, 0, 0));
    const CrdJointData *joint = &model->values.joints[model->structure->element_of_joint[force->joint - 1]];
    return crd_place_dual(&scene->input, frame, frame == scene->input.joint_b ? joint->lb : joint->la);
}

/* A load, moment in own axes about the origin, as a wrench at a point, ground axes. */
static void put_wrench(const CardanFrame *frame, const CrdChange *change, const double *load, const double *dload,
                       CrdDualVec point, CrdForceAlone *out) {
    CrdVec own = crd_vec_of(load + 3);
    CrdDualVec moment = {crd_apply(frame->rotation, own), crd_add(crd_carried_change(frame, change, own),
                                                                  crd_apply(frame->rotation, crd_vec_of(dload + 3)))};
    CrdDualVec arm = crd_dv_sub(point, crd_dv(frame->x, change->x));
    out->force = crd_dv(crd_vec_of(load), crd_vec_of(dload));
    out->moment = crd_dv_sub(moment, crd_dv_cross(arm, out->force));
}

static CrdDual power_on(const CardanFrame *frame, const CrdChange *change, const double *load, const double *dload) {
    double along = crd_dot(crd_vec_of(load), change->v) + crd_dot(crd_vec_of(load + 3), change->w);
    return crd_d(crd_row_rate(load, frame), crd_row_rate(dload, frame) + along);
}

/* Loads of the ground, and of the frames that it loads, set to nothing. */
static void clear(const CardanModel *model, const CrdForceStructure *structure, CardanTwistRow *loads) {
    const int *frames = model->structure->force_frames + structure->frame;
    memset(loads[0], 0, sizeof *loads);
    for (int i = 0; i < structure->own_frames; i++) memset(loads[frames[i]], 0, sizeof *loads);
}

CardanStatus crd_force_alone(const CardanModel *model, int index, int frame, const CrdActions *actions,
                             CrdSystem *system, bool along, CrdForceAlone *out, CrdError *error) {
    const CrdForceData *force = &model->values.forces[index];
    const CrdForceStructure *structure = &model->structure->force_structures[index];
    const int *frames = model->structure->force_frames + structure->frame;
    double rates[CRD_FORCE_STATES] = {0}, rate_changes[CRD_FORCE_STATES] = {0};
    CrdLoads loads = {.load = system->alone, .z_rate = rates};
    CrdLoads changes = {.load = system->alone_changes, .z_rate = rate_changes};
    CrdForceScene scene;
    assert(frame >= 0 && frame < model->structure->frame_count && system->alone != NULL);
    clear(model, structure, system->alone);
    clear(model, structure, system->alone_changes);
    CRD_TRY(crd_force_scene(model, index, actions, system, &scene, error));
    CardanStatus status = crd_force_kinds[force->type]->apply(force, &scene.input, &loads);
    if (status >= 0 && along) status = crd_force_scene_along(model, index, system, &scene);
    if (status >= 0 && along) status = crd_force_kinds[force->type]->along(force, &scene.input, &changes);
    if (status < 0) return crd_force_failed(model, index, system, &scene, status, error);
    *out = (CrdForceAlone){.energy = crd_d(loads.potential, changes.potential)};
    for (int i = 0; i < structure->own_frames; i++)
        out->power = crd_d_add(out->power, power_on(&system->frames[frames[i]], &system->changes[frames[i]],
                                                    system->alone[frames[i]], system->alone_changes[frames[i]]));
    if (frame > 0)
        put_wrench(&system->frames[frame], &system->changes[frame], system->alone[frame], system->alone_changes[frame],
                   place_of(model, index, &scene, frame), out);
    return CARDAN_OK;
}
