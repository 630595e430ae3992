/* Numbers of a model: masses and inertias, the start as written, and the geometry of joints and forces in body axes. */
#include "model/model.h"

#include "core/memory.h"
#include "core/numbers.h"
#include "core/rotation.h"
#include "model/body_numbers.h"

#include <string.h>

static CrdVec unit(const double *v) {
    CrdVec u = crd_vec_of(v);
    double big = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z)));
    u = crd_scale(1.0 / big, u); /* so that the norm neither over- nor underflows */
    return crd_scale(1.0 / crd_norm(u), u);
}

/* ---- joints ---- */

/* Point and axis of one side in its own axes: given there, or carried over from the pose as written. */
static CrdVec own_point(const CardanFrame *f, CrdVec point) {
    return crd_apply_t(f->rotation, crd_sub(point, f->x));
}

static void joint_points(const CrdJointDesc *d, const CardanFrame *a, const CardanFrame *b, CrdJointData *out) {
    CrdVec point = crd_vec_of(d->point);
    if (d->local & CARDAN_POINT_AT_CENTRE) point = d->b == 0 ? a->x : b->x;
    out->la = d->local & CARDAN_LOCAL_POINT_A ? crd_vec_of(d->local_a) : own_point(a, point);
    out->lb = d->local & CARDAN_LOCAL_POINT_B ? crd_vec_of(d->local_b) : own_point(b, point);
}

/* Directions across the axis: on a by the common rule; on b those of a, made perpendicular to b's axis, so that the
 * angle is zero in the pose as written. When b's axis is nearly along e1, any direction across it serves. */
static void joint_axes(const CrdJointDesc *d, const CardanFrame *a, const CardanFrame *b, CrdJointData *out) {
    const double *axis_b = d->axis2_given ? d->axis2 : d->axis;
    CrdVec ua = d->local & CARDAN_LOCAL_AXIS_A ? crd_apply(a->rotation, unit(d->local_axis_a)) : unit(d->axis);
    CrdVec ub = d->local & CARDAN_LOCAL_AXIS_B ? crd_apply(b->rotation, unit(d->local_axis_b)) : unit(axis_b);
    CrdVec e1, e2, f1, f2;
    if (out->planar) {
        e1 = crd_vec(-ua.y, ua.x, 0.0);
        e2 = crd_vec(0, 0, 1);
        f1 = e1;
        f2 = e2;
    } else {
        const double too_close = 0.1;
        crd_across(ua, &e1, &e2);
        f1 = crd_axpy(e1, -crd_dot(e1, ub), ub);
        if (crd_norm(f1) > too_close) {
            f1 = crd_scale(1.0 / crd_norm(f1), f1);
            f2 = crd_cross(ub, f1);
        } else {
            crd_across(ub, &f1, &f2);
        }
    }
    out->axis_a = crd_apply_t(a->rotation, ua);
    out->axis_b = crd_apply_t(b->rotation, ub);
    out->ea[0] = crd_apply_t(a->rotation, e1);
    out->ea[1] = crd_apply_t(a->rotation, e2);
    out->eb[0] = crd_apply_t(b->rotation, f1);
    out->eb[1] = crd_apply_t(b->rotation, f2);
}

static bool has_axis(const CrdJointKind *kind, bool planar) {
    return (kind->needs & CRD_NEEDS_AXIS) || (!planar && (kind->needs & CRD_NEEDS_AXIS_IN_SPACE));
}

static CardanStatus resolve_joint(const CrdJointDesc *d, const CrdJointKind *kind, const CardanFrame *frames,
                                  bool planar, CrdJointData *out, CrdError *error) {
    const CardanFrame *a = &frames[d->a], *b = &frames[d->b];
    memset(out, 0, sizeof *out);
    out->planar = planar;
    joint_points(d, a, b, out);
    if (has_axis(kind, planar)) joint_axes(d, a, b, out);
    memcpy(out->start_a, a->rotation, sizeof out->start_a);
    memcpy(out->start_b, b->rotation, sizeof out->start_b);
    out->turn0 = b->angle - a->angle;
    CrdVec pa = crd_add(a->x, crd_apply(a->rotation, out->la)), pb = crd_add(b->x, crd_apply(b->rotation, out->lb));
    CrdVec gap = crd_sub(pb, pa);
    out->along0 = crd_dot(crd_apply(a->rotation, out->axis_a), gap);
    if (!(kind->needs & CRD_NEEDS_LENGTH)) return CARDAN_OK;
    out->length = d->length_given ? d->length : crd_norm(gap);
    if (!(crd_norm(gap) > 0.0))
        return crd_fail_at(error, CARDAN_ERR_MODEL, d->place,
                           "joint '%s': its two points coincide, so the distance has no direction", d->name);
    return CARDAN_OK;
}

/* ---- forces ---- */

static CrdForceData resolve_force(const CrdForceDesc *d, const CardanFrame *frames) {
    CrdForceData out = {.type = d->type, .a = d->a, .b = d->b, .point_a = crd_vec_of(d->point_a),
                        .point_b = crd_vec_of(d->point_b), .stiffness = d->stiffness, .damping = d->damping,
                        .length = d->length, .body = d->body, .joint = d->joint, .point = crd_vec_of(d->point),
                        .follower = d->follower, .bodies = d->bodies, .carriers = d->carriers,
                        .callback = d->callback, .user = d->user};
    memcpy(out.value, d->value, sizeof out.value);
    if (d->type == CARDAN_SPRING && !d->length_given) {
        const CardanFrame *a = &frames[d->a], *b = &frames[d->b];
        CrdVec pa = crd_add(a->x, crd_apply(a->rotation, out.point_a));
        CrdVec pb = crd_add(b->x, crd_apply(b->rotation, out.point_b));
        out.length = crd_norm(crd_sub(pb, pa));
    }
    return out;
}

/* ---- the whole ---- */

static CardanStatus allocate(const CrdShape *s, CrdNumbers *out, CrdError *error) {
    out->blocks = crd_new((size_t)s->block_count, sizeof *out->blocks);
    out->joints = crd_new((size_t)s->element_count, sizeof *out->joints);
    out->forces = crd_new((size_t)s->force_count, sizeof *out->forces);
    out->q0 = crd_new((size_t)s->nq, sizeof(double));
    out->v0 = crd_new((size_t)s->nv, sizeof(double));
    out->parameters = crd_new((size_t)s->parameter_count, sizeof(double));
    bool all = out->blocks != NULL && out->joints != NULL && out->forces != NULL && out->q0 != NULL &&
               out->v0 != NULL && out->parameters != NULL;
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
    for (int e = 0; e < s->element_count; e++) {
        if (s->elements[e].kind == NULL) continue;
        CrdJointData *joint = &out->joints[e];
        CRD_TRY(resolve_joint(&d->joints[s->elements[e].joint], s->elements[e].kind, frames,
                              s->space == CARDAN_PLANAR, joint, error));
        size = fmax(size, fmax(crd_norm(joint->la), crd_norm(joint->lb)));
    }
    for (int i = 0; i < s->force_count; i++) out->forces[i] = resolve_force(&d->forces[i], frames);
    out->size = size > 0.0 ? size : 1.0;
    return CARDAN_OK;
}

static CardanStatus resolve(const CrdShape *s, const CrdDescription *d, CardanFrame *frames, CrdNumbers *out,
                            CrdError *error) {
    CRD_TRY(allocate(s, out, error));
    out->gravity = crd_vec_of(d->gravity);
    for (int i = 0; i < s->parameter_count; i++) out->parameters[i] = d->parameters[i].value;
    resolve_blocks(s, d, out);
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
    void *owned[] = {n->blocks, n->joints, n->forces, n->q0, n->v0, n->parameters};
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
