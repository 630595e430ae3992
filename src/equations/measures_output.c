/* Measures that are outputs only: accelerations.
 *     x'' of a coordinate     the change of its rate along the motion: x by v, R by w, v by a, w by alpha */
#include "equations/measures.h"

#include <assert.h>
#include <string.h>

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

CrdVec crd_shift_acceleration(const CardanModel *model, const CrdSystem *system, const double *a, int element) {
    const CrdStructure *structure = model->structure;
    CrdChange da = along_motion(model, system, a, crd_element_frame(structure, element, 0)),
              db = along_motion(model, system, a, crd_element_frame(structure, element, 1));
    CrdPair pair = crd_pair_of(structure, system, element);
    return crd_measure_shift_change(&model->values.joints[element], &pair, &da, &db).rate;
}
