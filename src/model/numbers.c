/* Numbers of a model: masses and inertias, the start as written, and the geometry of forces in body axes. */
#include "model/model.h"

#include "core/memory.h"
#include "core/numbers.h"
#include "core/rotation.h"
#include "model/body_numbers.h"
#include "model/joint_numbers.h"

#include <string.h>

CrdVec crd_unit(const double *v) {
    CrdVec u = crd_vec_of(v);
    double big = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z)));
    u = crd_scale(1.0 / big, u); /* so that the norm neither over- nor underflows */
    return crd_scale(1.0 / crd_norm(u), u);
}

/* ---- the whole ---- */

static CardanStatus allocate(const CrdShape *s, CrdNumbers *out, CrdError *error) {
    out->blocks = crd_new((size_t)s->block_count, sizeof *out->blocks);
    out->joints = crd_new((size_t)s->element_count, sizeof *out->joints);
    out->coefficients = crd_new((size_t)s->term_count, sizeof(double));
    out->followers = crd_new((size_t)s->follower_count, sizeof(double));
    out->forces = crd_new((size_t)s->force_count, sizeof *out->forces);
    out->q0 = crd_new((size_t)s->nq, sizeof(double));
    out->v0 = crd_new((size_t)s->nv, sizeof(double));
    out->z0 = crd_new((size_t)s->first_order, sizeof(double));
    out->parameters = crd_new((size_t)s->parameter_count, sizeof(double));
    bool all = out->blocks != NULL && out->joints != NULL && out->forces != NULL && out->q0 != NULL &&
               out->v0 != NULL && out->z0 != NULL && out->parameters != NULL && out->coefficients != NULL &&
               out->followers != NULL;
    return all ? CARDAN_OK : crd_fail_memory(error);
}

static void resolve_blocks(const CrdShape *s, const CrdDescription *d, CrdNumbers *out) {
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        double *q = out->q0 + block->q, *v = out->v0 + block->v;
        if (block->kind == CRD_CUSTOM_BLOCK) {
            memcpy(q, d->blocks[block->object].q0, (size_t)block->nq * sizeof *q);
            memcpy(v, d->blocks[block->object].v0, (size_t)block->nv * sizeof *v);
        } else {
            crd_resolve_body(&d->bodies[block->object], d->space, &out->blocks[i], q, v);
        }
    }
}

static CardanStatus resolve_elements(const CrdShape *s, const CrdDescription *d, const CardanFrame *frames,
                                     CrdNumbers *out, CrdError *error) {
    double size = 0.0;
    for (int i = 0; i < s->carrier_count; i++) size = fmax(size, crd_norm(frames[i].x));
    for (int i = 0; i < s->term_count; i++) out->coefficients[i] = d->terms[i].coefficient;
    for (int e = 0; e < s->element_count; e++) {
        if (s->elements[e].kind == NULL) continue;
        CRD_TRY(crd_resolve_joint(s, d, e, frames, out, error));
        size = fmax(size, fmax(crd_norm(out->joints[e].la), crd_norm(out->joints[e].lb)));
    }
    for (int i = 0; i < s->force_count; i++) out->forces[i] = crd_resolve_force(d, &d->forces[i], frames);
    out->size = size > 0.0 ? size : 1.0;
    return CARDAN_OK;
}

static CardanStatus resolve(const CrdShape *s, const CrdDescription *d, CardanFrame *frames, CrdNumbers *out,
                            CrdError *error) {
    CRD_TRY(allocate(s, out, error));
    out->gravity = crd_vec_of(d->gravity);
    for (int i = 0; i < s->parameter_count; i++) out->parameters[i] = d->parameters[i].value;
    resolve_blocks(s, d, out);
    for (int i = 0; i < d->states_count; i++)
        memcpy(out->z0 + s->state_of_states[i], d->states[i].z0, (size_t)d->states[i].def.count * sizeof(double));
    CRD_TRY(crd_start_frames(s, d, out, frames, error));
    return resolve_elements(s, d, frames, out, error);
}

CardanStatus crd_numbers_create(const CrdShape *s, const CrdDescription *d, CrdNumbers *out, CrdError *error) {
    memset(out, 0, sizeof *out);
    CardanFrame *frames = crd_new((size_t)s->carrier_count, sizeof *frames);
    CardanStatus status = frames == NULL ? crd_fail_memory(error) : resolve(s, d, frames, out, error);
    crd_delete(frames);
    if (status < 0) crd_numbers_free(out);
    return status;
}

void crd_numbers_free(CrdNumbers *n) {
    void *owned[] = {n->blocks, n->joints, n->forces, n->q0, n->v0, n->z0, n->parameters, n->coefficients, n->followers};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd_delete(owned[i]);
    memset(n, 0, sizeof *n);
}

static CardanStatus custom_frames(const CrdShape *s, const CrdDescription *d, const CrdNumbers *n, int carrier,
                                  double *jacobian, CardanFrame *frame, CrdError *error) {
    const CrdBlock *block = &s->blocks[s->carriers[carrier].block];
    const CrdBlockDesc *desc = &d->blocks[block->object];
    double bias[6] = {0};
    CardanStatus status = desc->def.frame(desc->def.user, s->carriers[carrier].frame, 0.0, n->q0 + block->q,
                                          n->v0 + block->v, frame, jacobian, bias);
    if (status >= 0) return CARDAN_OK;
    return crd_fail(error, status, "block '%s': its frame callback failed in the start configuration", desc->name);
}

CardanStatus crd_start_frames(const CrdShape *s, const CrdDescription *d, const CrdNumbers *n, CardanFrame *frames,
                              CrdError *error) {
    double *jacobian = crd_new(6 * (size_t)s->most_coordinates, sizeof(double));
    if (jacobian == NULL) return crd_fail_memory(error);
    CardanStatus status = CARDAN_OK;
    for (int i = 0; i < s->carrier_count && status >= 0; i++) {
        const CrdCarrier *carrier = &s->carriers[i];
        frames[i] = (CardanFrame){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        if (carrier->kind == CRD_CARRIER_FRAME)
            status = custom_frames(s, d, n, i, jacobian, &frames[i], error);
        else if (carrier->kind == CRD_CARRIER_BODY)
            crd_body_frame(&s->blocks[carrier->block], n->q0, n->v0, &frames[i]);
    }
    crd_delete(jacobian);
    return status;
}
