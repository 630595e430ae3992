#include "model/joint_numbers.h"

#include "core/memory.h"
#include "core/rotation.h"
#include "joint/foot.h"

#include <string.h>

static CrdVec unit(const double *v) {
    CrdVec u = crd_vec_of(v);
    double big = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z)));
    u = crd_scale(1.0 / big, u); /* so that the norm neither over- nor underflows */
    return crd_scale(1.0 / crd_norm(u), u);
}

/* Point of one side in its own axes: given there, or carried over from the pose as written. */
static CrdVec own_point(const CardanFrame *f, CrdVec point) {
    return crd_apply_t(f->rotation, crd_sub(point, f->x));
}

static void joint_points(const CrdJointDesc *d, const CardanFrame *a, const CardanFrame *b, CrdJointData *out) {
    CrdVec point = crd_vec_of(d->point);
    if (d->local & CARDAN_POINT_AT_CENTRE) point = d->b == 0 ? a->x : b->x;
    out->la = d->local & CARDAN_LOCAL_POINT_A ? crd_vec_of(d->local_a) : own_point(a, point);
    out->lb = d->local & CARDAN_LOCAL_POINT_B ? crd_vec_of(d->local_b) : own_point(b, point);
    /* Paths are given from the origin of a: of a body on a curve, of the ground a point is led in. */
    if (d->type == CARDAN_CURVE || d->type == CARDAN_DRIVER) out->la = crd_vec(0, 0, 0);
}

/* Unit axes of both sides in ground axes. A wheel has the plane's normal for the axis of a; a ball and an edge have one
 * axis. */
static void ground_axes(const CrdJointDesc *d, const CardanFrame *a, const CardanFrame *b, bool planar, CrdVec *ua,
                        CrdVec *ub) {
    bool wheel = d->type == CARDAN_ROLLING, edge = d->type == CARDAN_KNIFE_EDGE;
    const double *axis_a = wheel ? d->normal : d->axis, *axis_b = d->axis2_given ? d->axis2 : d->axis;
    if (!edge) *ua = d->local & CARDAN_LOCAL_AXIS_A ? crd_apply(a->rotation, unit(d->local_axis_a)) : unit(axis_a);
    if (wheel && (planar || !d->axis_given))
        *ub = *ua;
    else
        *ub = d->local & CARDAN_LOCAL_AXIS_B ? crd_apply(b->rotation, unit(d->local_axis_b)) : unit(axis_b);
    if (edge) *ua = *ub;
}

/* Directions across the axis: on a by the common rule; on b those of a, made perpendicular to b's axis, so that the
 * angle is zero in the pose as written. When b's axis is nearly along e1, any direction across it serves. */
static void joint_axes(const CrdJointDesc *d, const CardanFrame *a, const CardanFrame *b, CrdJointData *out) {
    CrdVec ua, ub, e1, e2, f1, f2;
    ground_axes(d, a, b, out->planar, &ua, &ub);
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
    bool in_space = !planar && (kind->needs & CRD_NEEDS_AXIS_IN_SPACE) != 0;
    return (kind->needs & (CRD_NEEDS_AXIS | CRD_NEEDS_WHEEL)) != 0 || in_space;
}

/* Numbers that are what was written. */
static CrdJointData plain_numbers(const CrdJointDesc *d, bool planar) {
    CrdJointData out = {.planar = planar, .pitch = d->pitch, .radius = d->radius, .value = d->value};
    out.disc = !planar && d->type == CARDAN_ROLLING && d->axis_given;
    memcpy(out.stiffness, d->stiffness, sizeof out.stiffness);
    memcpy(out.damping, d->damping, sizeof out.damping);
    return out;
}

static CardanStatus two_frames(const CrdJointDesc *d, const CrdJointKind *kind, const CardanFrame *a,
                               const CardanFrame *b, CrdJointData *out, CrdError *error) {
    joint_points(d, a, b, out);
    if (has_axis(kind, out->planar)) joint_axes(d, a, b, out);
    memcpy(out->start_a, a->rotation, sizeof out->start_a);
    memcpy(out->start_b, b->rotation, sizeof out->start_b);
    out->turn0 = b->angle - a->angle;
    CrdVec pa = crd_add(a->x, crd_apply(a->rotation, out->la)), pb = crd_add(b->x, crd_apply(b->rotation, out->lb));
    CrdVec gap = crd_sub(pb, pa);
    out->along0 = crd_dot(crd_apply(a->rotation, out->axis_a), gap);
    if (!(kind->needs & CRD_NEEDS_LENGTH)) return CARDAN_OK;
    out->length = d->length_given ? d->length : crd_norm(gap);
    if (d->law[0] != NULL) out->length = 0.0; /* the law is subtracted */
    if (!(crd_norm(gap) > 0.0))
        return crd_fail_at(error, CARDAN_ERR_MODEL, d->place,
                           "joint '%s': its two points coincide, so the distance has no direction", d->name);
    return CARDAN_OK;
}

/* Where the foot of a curve starts. */
static CardanStatus first_foot(const CrdShape *s, const CrdDescription *d, const CrdElement *e, const CardanFrame *a,
                               const CardanFrame *b, const CrdJointData *joint, double *foot, CrdError *error) {
    const CrdJointDesc *desc = &d->joints[e->joint];
    CrdJet *variables = crd_new(1 + (size_t)s->parameter_count + (size_t)s->input_count, sizeof *variables);
    if (variables == NULL) return crd_fail_memory(error);
    for (int i = 0; i < s->parameter_count; i++) variables[1 + i].x = d->parameters[i].value;
    CrdPath path = {s->drives + e->law, e->laws, variables, NULL};
    CrdVec at = crd_add(b->x, crd_apply(b->rotation, joint->lb));
    CrdError inner = {0};
    *foot = desc->s;
    CardanStatus status = crd_foot_nearest(&path, own_point(a, at), desc->s_given, foot, &inner);
    crd_delete(variables);
    if (status >= 0) return CARDAN_OK;
    return crd_fail_at(error, CARDAN_ERR_MODEL, desc->law_place[0], "joint '%s': path: %s", desc->name, inner.text);
}

CardanStatus crd_resolve_joint(const CrdShape *s, const CrdDescription *d, int element, const CardanFrame *frames,
                               CrdNumbers *numbers, CrdError *error) {
    const CrdElement *e = &s->elements[element];
    const CrdJointDesc *desc = &d->joints[e->joint];
    const CardanFrame *a = &frames[desc->a], *b = &frames[desc->b];
    CrdJointData *out = &numbers->joints[element];
    *out = plain_numbers(desc, s->space == CARDAN_PLANAR);
    if (e->type == CRD_ELEMENT_COUPLER) {
        joint_points(&d->joints[d->terms[desc->term].joint - 1], a, b, out); /* where the reaction is taken */
        return CARDAN_OK;
    }
    CRD_TRY(two_frames(desc, e->kind, a, b, out, error));
    if (!(e->kind->needs & CRD_NEEDS_CURVE)) return CARDAN_OK;
    return first_foot(s, d, e, a, b, out, &numbers->followers[e->follower], error);
}
