/* Numbers of a relative model, made of those of the absolute one: constants of links from those of joints and bodies.
 */
#include "core/memory.h"
#include "model/relative.h"
#include "model/tree.h"

#include <assert.h>
#include <string.h>

/* The joint's point, and its axes with the axis last. */
typedef struct Side {
    CrdVec point, axes[3];
} Side;

static Side side_of(const CrdJointData *joint, bool b) {
    if (b) return (Side){joint->lb, {joint->eb[0], joint->eb[1], joint->axis_b}};
    return (Side){joint->la, {joint->ea[0], joint->ea[1], joint->axis_a}};
}

static void set_axes(CrdVec *to, CrdVec x, CrdVec y, CrdVec z) {
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static const CrdVec X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* Joints that do not turn have the same axes on both sides: those of a carried over in the pose as written, or there
 * are none, those of the ground. */
static void parallel_sides(const CrdJointData *joint, bool axes, Side *a, Side *b) {
    const CrdVec ground[3] = {X, Y, Z};
    for (int i = 0; i < 3; i++) {
        if (!axes) a->axes[i] = crd_apply_t(joint->start_a, ground[i]);
        b->axes[i] = crd_apply_t(joint->start_b, crd_apply(joint->start_a, a->axes[i]));
    }
}

/* Axes of one part of a joint's chain, from the parent's side to that of the child. */
static void chain_axes(const CrdLink *link, const CrdVec *parent, const CrdVec *child, CrdLinkValues *out) {
    bool first = link->part == 0, last = link->part == link->parts - 1;
    CrdVec own[3] = {X, Y, Z}, e[3], f[3];
    memcpy(e, first ? parent : own, sizeof e);
    memcpy(f, last ? child : own, sizeof f);
    memcpy(out->e, e, sizeof e);
    memcpy(out->f, f, sizeof f);
    if (link->parts == 3 && link->part == 0) { /* along x of the joint's axes */
        set_axes(out->e, e[1], e[2], e[0]);
        set_axes(out->f, Y, Z, X);
    }
    if (link->parts == 3 && link->part == 1) { /* along y */
        set_axes(out->e, Z, X, Y);
        set_axes(out->f, Z, X, Y);
    }
}

/* The massless cross of a universal joint has its own z along the parent's pin and its x along the child's. */
static void cross_axes(const CrdLink *link, CrdLinkValues *out) {
    if (link->part == 1) set_axes(out->e, Y, Z, X);
}

static void joint_axes(const CrdLink *link, const CrdJointData *joint, int type, CrdLinkValues *out, CrdVec *on_parent,
                       CrdVec *on_child) {
    Side a = side_of(joint, false), b = side_of(joint, true);
    double sign = link->reversed ? -1.0 : 1.0;
    if (type == CARDAN_JOINT_PRISMATIC || type == CARDAN_JOINT_WELD)
        parallel_sides(joint, type == CARDAN_JOINT_PRISMATIC, &a, &b);
    if (type == CARDAN_JOINT_SPHERICAL) {
        set_axes(a.axes, X, Y, Z);
        set_axes(b.axes, X, Y, Z);
    }
    const Side *parent = link->reversed ? &b : &a, *child = link->reversed ? &a : &b;
    chain_axes(link, parent->axes, child->axes, out);
    if (type == CARDAN_JOINT_UNIVERSAL) cross_axes(link, out);
    bool slides = type == CARDAN_JOINT_PRISMATIC || type == CARDAN_JOINT_SCREW ||
                  (type == CARDAN_JOINT_CYLINDRICAL && link->part == 0);
    out->along = slides ? sign * joint->along0 : 0.0;
    out->pitch = type == CARDAN_JOINT_SCREW ? joint->own[0] : 0.0;
    out->turn = sign * joint->turn0;
    *on_parent = parent->point;
    *on_child = child->point;
}

/* Mass, and inertia moved from the centre of mass to o. */
static void body_values(const CrdBlockValues *body, CardanSpace space, CrdLinkMass *out) {
    double m = body->mass;
    const double *i = body->inertia;
    CrdVec c = out->c;
    out->mass = m;
    double square = crd_dot(c, c);
    if (space == CARDAN_SPACE_PLANAR) {
        out->about[2] = i[8] + m * square;
        return;
    }
    out->about[0] = i[0] + m * (square - c.x * c.x);
    out->about[1] = i[4] + m * (square - c.y * c.y);
    out->about[2] = i[8] + m * (square - c.z * c.z);
    out->about[3] = i[1] - m * c.x * c.y;
    out->about[4] = i[2] - m * c.x * c.z;
    out->about[5] = i[5] - m * c.y * c.z;
    out->principal = out->about[3] == 0.0 && out->about[4] == 0.0 && out->about[5] == 0.0;
}

static void link_values(const CrdStructure *structure, const CrdDescription *description, const CrdValues *absolute,
                        CrdLinkValues *out, CrdLinkMass *masses) {
    const CrdTree *tree = structure->tree;
    for (int k = 0; k < tree->count; k++) {
        const CrdLink *link = &tree->links[k];
        CrdVec on_parent = {0, 0, 0}, on_child = {0, 0, 0};
        out[k] = (CrdLinkValues){.along = 0.0};
        masses[k] = (CrdLinkMass){.mass = 0.0};
        set_axes(out[k].e, X, Y, Z);
        set_axes(out[k].f, X, Y, Z);
        int element = tree->origins[k].element, body = tree->origins[k].body;
        if (element >= 0)
            joint_axes(link, &absolute->joints[element], description->joints[structure->elements[element].joint].type,
                       &out[k], &on_parent, &on_child);
        CrdVec parent = link->parent >= 0 ? masses[link->parent].c : crd_vec(0, 0, 0);
        if (link->part == 0) out[k].a = crd_add(on_parent, parent);
        if (body < 0) continue;
        masses[k].c = crd_neg(on_child);
        body_values(&absolute->blocks[body], structure->space, &masses[k]);
    }
}

static void plane_values(const CrdTree *tree, const CrdValues *absolute, const CrdValues *from, CrdPlaneArms *arms,
                         CrdPlaneMass *masses) {
    for (int k = 0; k < tree->count; k++) {
        const CrdLinkValues *link = &from->links[k];
        const CrdLinkMass *body = &from->masses[k];
        arms[k] = (CrdPlaneArms){{link->a.x, link->a.y}, link->turn};
        masses[k] = (CrdPlaneMass){{body->c.x, body->c.y}, body->mass, body->about[2], 0.0, 0.0};
        if (tree->origins[k].body < 0) continue;
        masses[k].per_mass = absolute->blocks[tree->origins[k].body].inverse_mass;
        masses[k].per_inertia = absolute->blocks[tree->origins[k].body].inverse_inertia[8];
    }
}

/* Units of loop rows, from those of the same rows in the absolute model. */
static void copy_units(const CrdStructure *structure, const CrdValues *from, CrdRowUnit *to, bool *known) {
    const CrdStructure *absolute = structure->tree->absolute;
    *known = true;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        bool has_unit = element->type == CRD_ELEMENT_JOINT || element->type == CRD_ELEMENT_COUPLER;
        if (element->rows > 0 && !has_unit) *known = false;
        for (int r = 0; r < element->rows; r++)
            to[element->first + r] = from->row_units[absolute->elements[e].first + r];
    }
}

static CardanStatus derive(const CrdStructure *structure, const CardanModel *absolute, CardanFrame *frames,
                           CrdValues *values, CrdError *error) {
    const CrdTree *tree = structure->tree;
    const CrdValues *from = &absolute->values;
    CRD_TRY(crd_start_frames(tree->absolute, absolute->description, from, frames, error));
    values->row_units = crd_new((size_t)structure->rows, sizeof *values->row_units);
    values->q0 = crd_new((size_t)structure->nq, sizeof(double));
    values->v0 = crd_new((size_t)structure->nv, sizeof(double));
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    values->links = crd_new((size_t)tree->count, sizeof *values->links);
    values->masses = crd_new((size_t)tree->count, sizeof *values->masses);
    values->plane_arms = crd_new(planar ? (size_t)tree->count : 0, sizeof *values->plane_arms);
    values->plane_masses = crd_new(planar ? (size_t)tree->count : 0, sizeof *values->plane_masses);
    if (values->row_units == NULL || values->q0 == NULL || values->v0 == NULL || values->links == NULL ||
        values->masses == NULL || values->plane_arms == NULL || values->plane_masses == NULL)
        return crd_fail_memory(error);
    link_values(structure, absolute->description, from, values->links, values->masses);
    if (planar) plane_values(tree, from, values, values->plane_arms, values->plane_masses);
    copy_units(structure, from, values->row_units, &values->has_units);
    crd_coordinates_of_frames(structure, values, frames, values->tracked, values->q0, values->v0);
    return CARDAN_OK;
}

CardanStatus crd_relative_values(const CrdStructure *structure, const CardanModel *absolute, CrdValues *out,
                                 CrdError *error) {
    assert(structure->tree->absolute == absolute->structure);
    CardanFrame *frames = crd_new((size_t)structure->frame_count, sizeof *frames);
    *out = absolute->values;
    out->row_units = NULL;
    out->links = NULL;
    out->masses = NULL;
    out->plane_arms = NULL;
    out->plane_masses = NULL;
    out->q0 = out->v0 = NULL;
    CardanStatus status = frames == NULL ? crd_fail_memory(error) : derive(structure, absolute, frames, out, error);
    crd_delete(frames);
    if (status < 0) crd_relative_values_free(out);
    return status;
}

void crd_relative_values_free(CrdValues *values) {
    CRD_DELETE_ALL(values->row_units, values->links, values->masses, values->plane_arms, values->plane_masses,
                   values->q0, values->v0);
    *values = (CrdValues){0};
}
