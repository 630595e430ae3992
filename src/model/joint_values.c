#include "model/joint_values.h"

#include "build/fields.h"
#include "core/memory.h"
#include "core/rotation.h"
#include "joint/foot.h"

#include <string.h>

/* One side of a joint in the pose as written. */
typedef struct Side {
    const CrdWritten *written;
    int form, side; /* CRD_SIDE_... */
    const CardanFrame *frame;
} Side;

static CrdVec vector_of(const Side *side, const CrdField *field) {
    return crd_vec_of(crd_field_numbers(field, side->written->numbers));
}

/* Does a row in ground axes say where the joint sits in this body? */
static bool has_common_point(const Side *side) {
    for (int i = 0; i < side->written->table.count; i++) {
        const CrdField *field = &side->written->table.fields[i];
        bool point = field->holds == CRD_HOLDS_POINT && crd_field_there(field, side->written->space, side->form);
        if (point && !field->local && (field->sides & side->side) != 0) return true;
    }
    return false;
}

/* The joint's point in own axes: given there, carried over from the pose as written, or by default `centre`; one that
 * only a local row could give is the origin. */
static CrdVec point_of(const Side *side, CrdVec centre) {
    const CrdField *field = crd_side_field(side->written, CRD_HOLDS_POINT, side->form, side->side);
    if (field != NULL)
        return field->local ? vector_of(side, field) : crd_own_point(side->frame, vector_of(side, field));
    return has_common_point(side) ? crd_own_point(side->frame, centre) : crd_vec(0, 0, 0);
}

/* Unit axis in ground axes; false: it has none on this side. */
static bool axis_of(const Side *side, CrdVec *axis) {
    const CrdField *field = crd_side_field(side->written, CRD_HOLDS_AXIS, side->form, side->side);
    if (field == NULL) return false;
    *axis = crd_direction_of(vector_of(side, field));
    if (field->local) *axis = crd_apply(side->frame->rotation, *axis);
    return true;
}

/* Directions across the axis: on a by the common rule; on b those of a, made perpendicular to b's axis, so that the
 * angle is zero in the pose as written. When b's axis is nearly along e1, any direction across it serves. A joint with
 * one axis has it on both sides. */
static void joint_axes(const Side *a, const Side *b, CrdJointData *out) {
    CrdVec ua, ub, e1, e2, f1, f2;
    bool on_a = axis_of(a, &ua), on_b = axis_of(b, &ub);
    if (!on_a && !on_b) return;
    if (!on_a) ua = ub;
    if (!on_b) ub = ua;
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
    out->axis_a = crd_apply_t(a->frame->rotation, ua);
    out->axis_b = crd_apply_t(b->frame->rotation, ub);
    out->ea[0] = crd_apply_t(a->frame->rotation, e1);
    out->ea[1] = crd_apply_t(a->frame->rotation, e2);
    out->eb[0] = crd_apply_t(b->frame->rotation, f1);
    out->eb[1] = crd_apply_t(b->frame->rotation, f2);
}

/* Points of both sides; the default is the centre of mass of b, of a when b is the ground. */
static void joint_points(const CrdWritten *written, const CrdJointDesc *joint, const CardanFrame *frames,
                         CrdJointData *out) {
    const CrdJointNumbers *numbers = crd_joint_numbers(joint);
    const CardanFrame *fa = &frames[numbers->a], *fb = &frames[numbers->b];
    CrdVec centre = numbers->b == 0 ? fa->x : fb->x;
    out->la = point_of(&(Side){written, joint->form, CRD_SIDE_A, fa}, centre);
    out->lb = point_of(&(Side){written, joint->form, CRD_SIDE_B, fb}, centre);
}

static CardanStatus two_frames(const CrdWritten *written, const CrdJointDesc *joint, const CardanFrame *frames,
                               CrdJointData *out, CrdError *error) {
    const CrdJointNumbers *numbers = crd_joint_numbers(joint);
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    const CardanFrame *a = &frames[numbers->a], *b = &frames[numbers->b];
    joint_points(written, joint, frames, out);
    joint_axes(&(Side){written, joint->form, CRD_SIDE_A, a}, &(Side){written, joint->form, CRD_SIDE_B, b}, out);
    memcpy(out->start_a, a->rotation, sizeof out->start_a);
    memcpy(out->start_b, b->rotation, sizeof out->start_b);
    out->turn0 = b->angle - a->angle;
    CrdVec pa = crd_add(a->x, crd_apply(a->rotation, out->la)), pb = crd_add(b->x, crd_apply(b->rotation, out->lb));
    CrdVec gap = crd_sub(pb, pa);
    out->along0 = crd_dot(crd_apply(a->rotation, out->axis_a), gap);
    CrdObjection objection;
    if (kind->prepare == NULL || kind->prepare(written, gap, out, &objection)) return CARDAN_OK;
    return crd_fail_at(error, CARDAN_ERR_MODEL, joint->place, "joint '%s': %s", joint->name, objection.text);
}

/* Where the foot of a curve starts. */
static CardanStatus first_foot(const CrdStructure *structure, const CrdDescription *description,
                               const CrdElement *element, const CrdWritten *written, const CardanFrame *frames,
                               const CrdJointData *joint, double *foot, CrdError *error) {
    const CrdJointDesc *desc = &description->joints[element->joint];
    const CardanFrame *a = &frames[crd_joint_numbers(desc)->a], *b = &frames[crd_joint_numbers(desc)->b];
    CrdJet *variables =
        crd_new(1 + (size_t)structure->parameter_count + (size_t)structure->input_count, sizeof *variables);
    if (variables == NULL) return crd_fail_memory(error);
    for (int i = 0; i < structure->parameter_count; i++) variables[1 + i].x = description->parameters[i].value;
    CrdPath path = {structure->drives + element->law, element->laws, variables, NULL};
    CrdVec at = crd_add(b->x, crd_apply(b->rotation, joint->lb));
    CrdError inner = {0};
    *foot = *crd_field_numbers(crd_field_find(written->table, "s", desc->form), written->numbers);
    CardanStatus status = crd_foot_nearest(&path, crd_own_point(a, at), crd_given(written, "s"), foot, &inner);
    crd_delete(variables);
    if (status >= 0) return CARDAN_OK;
    return crd_fail_at(error, CARDAN_ERR_MODEL, desc->law_place[0], "joint '%s': path: %s", desc->name, inner.text);
}

CardanStatus crd_resolve_joint(const CrdStructure *structure, const CrdDescription *description, int element,
                               const CardanFrame *frames, CrdValues *numbers, CrdError *error) {
    const CrdElement *e = &structure->elements[element];
    const CrdJointDesc *desc = &description->joints[e->joint];
    const CrdJointNumbers *given = crd_joint_numbers(desc);
    CrdWritten written = crd_written(description, CRD_OWNER_JOINT, desc);
    CrdJointData *out = &numbers->joints[element];
    *out = (CrdJointData){.planar = structure->space == CARDAN_SPACE_PLANAR, .value = given->value};
    memcpy(out->stiffness, given->stiffness, sizeof out->stiffness);
    memcpy(out->damping, given->damping, sizeof out->damping);
    memcpy(out->own, given->own, sizeof out->own);
    if (e->type == CRD_ELEMENT_COUPLER) { /* where the reaction is taken */
        const CrdJointDesc *first = &description->joints[description->terms[desc->item].joint - 1];
        CrdWritten of = crd_written(description, CRD_OWNER_JOINT, first);
        joint_points(&of, first, frames, out);
        return CARDAN_OK;
    }
    CRD_TRY(two_frames(&written, desc, frames, out, error));
    if (!e->kind->curve) return CARDAN_OK;
    return first_foot(structure, description, e, &written, frames, out, &numbers->tracked[e->tracked], error);
}
