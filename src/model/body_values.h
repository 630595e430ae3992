/* Masses, inertias and the start of one body, and the frame of a body from its coordinates. */
#ifndef CRD_MODEL_BODY_VALUES_H
#define CRD_MODEL_BODY_VALUES_H

#include "core/rotation.h"
#include "model/model.h"

void crd_resolve_body(const CrdBodyDesc *body, CardanSpace space, CrdBlockValues *out, double *q, double *v);

/* Frame of a body or particle at the flat q, v. Quaternions need not have length 1. */
static inline void crd_body_frame(const CrdBlock *block, const double *flat_q, const double *flat_v, CardanFrame *out) {
    const double *q = flat_q + block->q, *v = flat_v + block->v;
    switch (block->kind) {
    case CRD_SPATIAL_BODY: {
        CrdMat r = crd_matrix_of(crd_quat_normalised((CardanQuat){q[3], q[4], q[5], q[6]}));
        for (int i = 0; i < 9; i++) out->rotation[i] = r.m[i];
        out->w = crd_vec_of(v + 3);
    } /* fall through */
    case CRD_SPATIAL_PARTICLE:
        out->x = crd_vec_of(q);
        out->v = crd_vec_of(v);
        return;
    case CRD_PLANAR_BODY: {
        double c = cos(q[2]), s = sin(q[2]);
        out->rotation[0] = out->rotation[4] = c;
        out->rotation[1] = -s;
        out->rotation[3] = s;
        out->angle = q[2];
        out->w = crd_vec(0, 0, v[2]);
    } /* fall through */
    case CRD_PLANAR_PARTICLE:
        out->x = crd_vec(q[0], q[1], 0);
        out->v = crd_vec(v[0], v[1], 0);
        return;
    default:
        return;
    }
}

#endif
