/* Momenta and orientations, with their derivatives along system->changes, which are zero where none is asked for:
 *     linear momentum m v,   d = m dv
 *     angular momentum about the centre of mass h = R I w,   d = R (turn x I w + I dw)
 *     about the origin: the sum of x x m v + h
 *     quaternion p of R,   d = p o (0, turn) / 2 */
#include "equations/measures.h"

#include "core/rotation.h"
#include "model/tree.h"

#include <assert.h>

CrdDualVec crd_body_momentum(const CardanModel *model, const CrdSystem *system, int frame) {
    assert(model->structure->frames[frame].kind == CRD_FRAME_BODY);
    double mass = crd_block_values(model, model->structure->frames[frame].block)->mass;
    return crd_dv(crd_scale(mass, system->frames[frame].v), crd_scale(mass, system->changes[frame].v));
}

CrdDualVec crd_body_spin_momentum(const CardanModel *model, const CrdSystem *system, int frame) {
    const CardanFrame *it = &system->frames[frame];
    const CrdChange *change = &system->changes[frame];
    const double *inertia =
        crd_block_values(model, model->structure->frames[frame].block)->inertia; /* of a particle 0 */
    CrdVec own = crd_apply(inertia, it->w);
    return crd_dv(crd_apply(it->rotation, own),
                  crd_add(crd_carried_change(it, change, own), crd_apply(it->rotation, crd_apply(inertia, change->w))));
}

CrdDualVec crd_whole(const CardanModel *model, const CrdSystem *system, CrdMeasure measure) {
    const CrdStructure *structure = model->structure;
    CrdDualVec sum = {{0, 0, 0}, {0, 0, 0}};
    double mass = 0.0;
    for (int i = 0; i < structure->frame_count; i++) {
        if (structure->frames[i].kind != CRD_FRAME_BODY) continue;
        double own = crd_block_values(model, structure->frames[i].block)->mass;
        CrdDualVec x = crd_dv(system->frames[i].x, system->changes[i].x), p = crd_body_momentum(model, system, i);
        mass += own;
        if (measure == CRD_MASS_CENTRE) sum = crd_dv_add(sum, crd_dv_scale(crd_d(own, 0.0), x));
        if (measure == CRD_MOMENTUM) sum = crd_dv_add(sum, p);
        if (measure == CRD_ANGULAR_MOMENTUM)
            sum = crd_dv_add(sum, crd_dv_add(crd_dv_cross(x, p), crd_body_spin_momentum(model, system, i)));
    }
    return measure == CRD_MASS_CENTRE && mass > 0.0 ? crd_dv_scale(crd_d(1.0 / mass, 0.0), sum) : sum;
}

/* ---- orientations ---- */

static int frame_of(const CardanModel *model, int place) {
    int marker = place - model->structure->frame_count;
    return marker < 0 ? place : model->values.markers[marker].frame;
}

static CardanQuat on_to(const CardanModel *model, int place, CardanQuat q) {
    int marker = place - model->structure->frame_count;
    return marker < 0 ? q : crd_quat_mul(q, model->values.markers[marker].q);
}

static CardanQuat frame_quaternion(const CardanModel *model, const CrdSystem *system, int frame) {
    int block = model->structure->frames[frame].block;
    bool own = block >= 0 && model->structure->blocks[block].kind == CRD_SPATIAL_BODY && system->quaternions != NULL;
    return own ? crd_quat_normalised(system->quaternions[frame]) : crd_quat_of_matrix(system->frames[frame].rotation);
}

CardanQuat crd_place_quaternion(const CardanModel *model, const CrdSystem *system, int place) {
    return on_to(model, place, frame_quaternion(model, system, frame_of(model, place)));
}

CardanQuat crd_place_quaternion_change(const CardanModel *model, const CrdSystem *system, int place) {
    int frame = frame_of(model, place);
    CrdVec half = crd_scale(0.5, system->changes[frame].turn);
    CardanQuat turn = {0.0, half.x, half.y, half.z};
    return on_to(model, place, crd_quat_mul(frame_quaternion(model, system, frame), turn));
}
