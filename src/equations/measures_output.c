/* Measures that are outputs only: what a force does by itself, accelerations, momenta.
 *     power of a force        sum over its frames of load . twist
 *     angular momentum        about the origin: sum of x x m v + R (I w)
 *     x'' of a coordinate     the change of its rate along the motion: x by v, R by w, v by a, w by alpha */
#include "equations/element.h"
#include "equations/force_scene.h"
#include "equations/measures.h"

#include <assert.h>
#include <string.h>

/* ---- forces ---- */

static CrdVec place_of(const CardanModel *model, int index, const CrdSystem *system, const CrdForceScene *scene,
                       int frame) {
    const CrdForceData *force = &model->values.forces[index];
    const CrdForceKind *kind = crd_force_kinds[force->type];
    if (kind->place != NULL) return kind->place(force, &scene->input, frame);
    if (force->joint == 0) return system->frames[frame].x;
    int e = model->structure->element_of_joint[force->joint - 1];
    CrdPair pair = crd_pair_of(model->structure, system, e);
    if (frame == scene->input.joint_b)
        return crd_joint_place(model->structure->elements[e].kind, &model->values.joints[e], &pair);
    return crd_point_of(pair.a, model->values.joints[e].la).p;
}

/* A load, moment in own axes about the origin, as a wrench at a point, ground axes. */
static CardanWrench wrench_at(const CardanFrame *frame, const double *load, CrdVec point) {
    CardanWrench out = {.force = crd_vec_of(load)};
    out.moment =
        crd_sub(crd_apply(frame->rotation, crd_vec_of(load + 3)), crd_cross(crd_sub(point, frame->x), out.force));
    return out;
}

CardanStatus crd_force_alone(const CardanModel *model, int index, int frame, const CrdActions *actions,
                             CrdSystem *system, CrdForceAlone *out, CrdError *error) {
    const CrdForceData *force = &model->values.forces[index];
    const CrdForceStructure *structure = &model->structure->force_structures[index];
    const int *frames = model->structure->force_frames + structure->frame;
    double rates[CRD_FORCE_STATES] = {0};
    CrdLoads loads = {.load = system->loads, .z_rate = rates};
    CrdForceScene scene;
    memset(system->loads[0], 0, sizeof *system->loads);
    for (int i = 0; i < structure->frames; i++) memset(system->loads[frames[i]], 0, sizeof *system->loads);
    CRD_TRY(crd_law_input(model, actions, system, error));
    CRD_TRY(crd_force_scene(model, index, actions, system, &scene, error));
    CardanStatus status = crd_force_kinds[force->type]->apply(force, &scene.input, &loads);
    if (status < 0) return crd_force_failed(model, index, system, &scene, status, error);
    *out = (CrdForceAlone){.energy = loads.potential};
    for (int i = 0; i < structure->own_frames; i++)
        out->power += crd_row_rate(system->loads[frames[i]], &system->frames[frames[i]]);
    out->wrench =
        wrench_at(&system->frames[frame], system->loads[frame], place_of(model, index, system, &scene, frame));
    return CARDAN_OK;
}

/* ---- accelerations ---- */

static CrdFrameRate rate_of_frame(const CardanModel *model, const CrdSystem *system, const double *a, int frame) {
    const CrdStructure *structure = model->structure;
    const CrdFrame *it = &structure->frames[frame];
    const CardanFrame *at = &system->frames[frame];
    CrdFrameRate rate = {{0, 0, 0}, {0, 0, 0}};
    if (it->kind == CRD_FRAME_GROUND) return rate;
    const CrdBlock *block = &structure->blocks[it->block];
    const double *own = a + block->v;
    double twist[6] = {0};
    switch (block->kind) {
    case CRD_SPATIAL_BODY:
        memcpy(twist + 3, own + 3, 3 * sizeof *own); /* fall through */
    case CRD_SPATIAL_PARTICLE:
        memcpy(twist, own, 3 * sizeof *own);
        break;
    case CRD_PLANAR_BODY:
        twist[5] = own[2]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        memcpy(twist, own, 2 * sizeof *own);
        break;
    default:
        assert(block->kind == CRD_CUSTOM_BLOCK);
        for (int i = 0; i < 6; i++) {
            twist[i] = system->frame_bias[it->bias + i];
            for (int j = 0; j < block->nv; j++)
                twist[i] += system->frame_jacobian[it->jacobian + i * block->nv + j] * own[j];
        }
        break;
    }
    return (CrdFrameRate){crd_vec_of(twist), crd_apply(at->rotation, crd_vec_of(twist + 3))};
}

CrdFrameRate crd_frame_rate(const CardanModel *model, const CrdSystem *system, const double *a, int place) {
    int marker = place - model->structure->frame_count;
    if (marker < 0) return rate_of_frame(model, system, a, place);
    const CrdMarker *it = &model->values.markers[marker];
    CrdFrameRate rate = rate_of_frame(model, system, a, it->frame);
    return crd_marker_rate(it, &system->frames[it->frame], &rate);
}

/* The change of a frame along the motion. */
static CrdChange along_motion(const CardanModel *model, const CrdSystem *system, const double *a, int frame) {
    const CardanFrame *it = &system->frames[frame];
    CrdFrameRate rate = rate_of_frame(model, system, a, frame);
    return (CrdChange){.x = it->v, .turn = it->w, .v = rate.a, .w = crd_apply_t(it->rotation, rate.alpha)};
}

double crd_coordinate_acceleration(const CardanModel *model, const CrdSystem *system, const double *a, int element,
                                   CardanCoordinate which) {
    const CrdStructure *structure = model->structure;
    CrdChange da = along_motion(model, system, a, crd_element_frame(structure, element, 0)),
              db = along_motion(model, system, a, crd_element_frame(structure, element, 1));
    CrdPair pair = crd_pair_of(structure, system, element);
    CrdCoordinate change;
    crd_joint_coordinate_change(which, &model->values.joints[element], &pair, &da, &db, &change);
    return change.rate;
}

/* ---- momenta ---- */

CrdVec crd_body_momentum(const CardanModel *model, const CrdSystem *system, int frame) {
    int block = model->structure->frames[frame].block;
    return crd_scale(model->values.blocks[block].mass, system->frames[frame].v);
}

CrdVec crd_body_spin_momentum(const CardanModel *model, const CrdSystem *system, int frame) {
    const CardanFrame *it = &system->frames[frame];
    int block = model->structure->frames[frame].block;
    CrdVec own = crd_apply(model->values.blocks[block].inertia, it->w); /* of a particle 0 */
    return crd_apply(it->rotation, own);
}

CrdWhole crd_whole(const CardanModel *model, const CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    CrdWhole whole = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double mass = 0.0;
    for (int i = 0; i < structure->frame_count; i++) {
        if (structure->frames[i].kind != CRD_FRAME_BODY) continue;
        double own = model->values.blocks[structure->frames[i].block].mass;
        CrdVec x = system->frames[i].x, p = crd_body_momentum(model, system, i);
        mass += own;
        whole.centre = crd_axpy(whole.centre, own, x);
        whole.momentum = crd_add(whole.momentum, p);
        whole.angular = crd_add(whole.angular, crd_add(crd_cross(x, p), crd_body_spin_momentum(model, system, i)));
    }
    if (mass > 0.0) whole.centre = crd_scale(1.0 / mass, whole.centre);
    return whole;
}
