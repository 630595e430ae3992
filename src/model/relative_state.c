/* States of one kind of coordinates as those of the other: both are functions of the frames. */
#include "core/numbers.h"
#include "core/rotation.h"
#include "model/relative.h"
#include "model/tree.h"

#include <assert.h>
#include <string.h>

/* The two sides of a joint in the ground's axes. */
typedef struct Ends {
    const CardanFrame *p, *c;
    CrdVec e[3], f[3];    /* its axes, on the parent and on the child */
    CrdVec gap, gap_rate; /* from the parent's point to the child's; as the parent sees it change */
    CrdVec turning;       /* spin of the child less that of the parent */
} Ends;

static CrdVec point_rate(const CardanFrame *frame, CrdVec l) {
    return crd_add(frame->v, crd_apply(frame->rotation, crd_cross(frame->w, l)));
}

/* From the first link of a joint's chain to the last. */
static Ends ends_of(const CrdTree *tree, const CrdValues *values, const CardanFrame *frames, int first, int last) {
    const CrdLinkValues *from = &values->links[first], *to = &values->links[last];
    Ends ends = {.p = &frames[crd_link_from(tree, &tree->links[first])], .c = &frames[tree->links[last].pose]};
    int parent = tree->links[first].parent;
    CrdVec lp = parent >= 0 ? crd_sub(from->a, values->masses[parent].c) : from->a,
           lc = crd_neg(values->masses[last].c);
    CrdVec pp = crd_apply(ends.p->rotation, lp), pc = crd_apply(ends.c->rotation, lc);
    CrdVec wp = crd_apply(ends.p->rotation, ends.p->w);
    for (int i = 0; i < 3; i++) {
        ends.e[i] = crd_apply(ends.p->rotation, from->e[i]);
        ends.f[i] = crd_apply(ends.c->rotation, to->f[i]);
    }
    ends.gap = crd_sub(crd_add(crd_sub(ends.c->x, ends.p->x), pc), pp);
    CrdVec seen = crd_sub(point_rate(ends.c, lc), point_rate(ends.p, lp));
    ends.gap_rate = crd_sub(seen, crd_cross(wp, ends.gap));
    ends.turning = crd_sub(crd_apply(ends.c->rotation, ends.c->w), wp);
    return ends;
}

static double nearest_turn(double angle, double near) {
    return angle + 2.0 * CRD_PI * round((near - angle) / (2.0 * CRD_PI));
}

/* Of the axes f against e about the common last one. */
static double angle_between(const CrdVec *e, const CrdVec *f) {
    return atan2(crd_dot(e[1], f[0]) - crd_dot(e[0], f[1]), crd_dot(e[0], f[0]) + crd_dot(e[1], f[1]));
}

static void spherical(const Ends *ends, double *q, double *v) {
    CrdMat back = crd_transpose(ends->p->rotation), turned = crd_mul(back.m, ends->c->rotation);
    CardanQuat o = crd_quat_of_matrix(turned.m);
    q[0] = o.w, q[1] = o.x, q[2] = o.y, q[3] = o.z;
    crd_put(v, crd_apply_t(ends->c->rotation, ends->turning));
}

static void universal(const Ends *ends, double *q, double *v) {
    CrdVec u = ends->e[2], x = ends->f[2], own[3];
    q[0] = atan2(crd_dot(x, ends->e[1]), crd_dot(x, ends->e[0]));
    x = crd_axpy(x, -crd_dot(x, u), u);
    x = crd_scale(1.0 / crd_norm(x), x);
    own[0] = crd_cross(u, x);
    own[1] = u;
    own[2] = x;
    q[1] = angle_between(own, ends->f);
    v[0] = crd_dot(u, ends->turning);
    v[1] = crd_dot(x, ends->turning);
}

static void slide(const Ends *ends, CrdVec n, double along, double *q, double *v) {
    *q = crd_dot(n, ends->gap) - along;
    *v = crd_dot(n, ends->gap_rate);
}

static void hinge(const Ends *ends, double near, double *q, double *v) {
    *q = nearest_turn(angle_between(ends->e, ends->f), near);
    *v = crd_dot(ends->e[2], ends->turning);
}

/* Of the two quaternions the one nearer to that before in q: continuous in time. */
static void free_link(const CrdLink *link, const CardanFrame *frame, double *q, double *v) {
    q[0] = frame->x.x, q[1] = frame->x.y;
    v[0] = frame->v.x, v[1] = frame->v.y;
    if (link->kind == CRD_PLANAR_BODY) q[2] = frame->angle, v[2] = frame->w.z;
    if (link->kind == CRD_PLANAR_BODY || link->kind == CRD_PLANAR_PARTICLE) return;
    q[2] = frame->x.z, v[2] = frame->v.z;
    if (link->kind != CRD_SPATIAL_BODY) return;
    CardanQuat o = crd_quat_of_matrix(frame->rotation);
    double sign = o.w * q[3] + o.x * q[4] + o.y * q[5] + o.z * q[6] < 0.0 ? -1.0 : 1.0;
    q[3] = sign * o.w, q[4] = sign * o.x, q[5] = sign * o.y, q[6] = sign * o.z;
    crd_put(v + 3, frame->w);
}

static void planar_joint(const CrdLink *link, const CrdLinkValues *values, const Ends *ends, double *q, double *v) {
    if (link->kind == CRD_LINK_REVOLUTE) {
        *q = ends->c->angle - ends->p->angle - values->turn;
        *v = ends->c->w.z - ends->p->w.z;
    } else if (link->kind == CRD_LINK_PRISMATIC) {
        slide(ends, ends->e[2], values->along, q, v);
    }
}

/* A joint of several links with massless ones between. Of a planar joint the axes of the first part are turned round.
 */
static void chain(const CrdLink *first, const CrdLinkValues *values, Ends *ends, double near, double *q, double *v) {
    if (first->parts == 3) {
        CrdVec e[3] = {ends->e[2], ends->e[0], ends->e[1]};
        memcpy(ends->e, e, sizeof e);
        slide(ends, e[0], 0.0, q, v);
        slide(ends, e[1], 0.0, q + 1, v + 1);
        hinge(ends, near, q + 2, v + 2);
    } else if (first->kind == CRD_LINK_REVOLUTE) {
        universal(ends, q, v);
    } else {
        slide(ends, ends->e[2], values->along, q, v);
        hinge(ends, near, q + 1, v + 1);
    }
}

static void joint(const CrdStructure *structure, const CrdLinkValues *values, int first, Ends *ends, double near,
                  double *q, double *v) {
    const CrdLink *link = &structure->tree->links[first];
    q += link->q;
    v += link->v;
    if (structure->space == CARDAN_SPACE_PLANAR)
        planar_joint(link, &values[first], ends, q, v);
    else if (link->parts > 1)
        chain(link, &values[first], ends, near, q, v);
    else if (link->kind == CRD_LINK_SPHERICAL)
        spherical(ends, q, v);
    else if (link->kind == CRD_LINK_PRISMATIC)
        slide(ends, ends->e[2], values[first].along, q, v);
    else if (link->kind != CRD_LINK_WELD)
        hinge(ends, near, q, v);
}

void crd_coordinates_of_frames(const CrdStructure *structure, const CrdValues *values, const CardanFrame *frames,
                               const double *tracked, double *q, double *v) {
    const CrdTree *tree = structure->tree;
    for (int k = 0; k < tree->count; k++) {
        const CrdLink *link = &tree->links[k];
        if (link->free) {
            free_link(link, &frames[link->pose], q + link->q, v + link->v);
            continue;
        }
        if (link->part > 0) continue; /* with the first */
        Ends ends = ends_of(tree, values, frames, k, k + link->parts - 1);
        int at = tree->absolute->elements[tree->origins[k].element].tracked;
        double near = at >= 0 && tracked != NULL ? tracked[at] : 0.0;
        joint(structure, values->links, k, &ends, link->reversed ? -near : near, q, v);
    }
}

void crd_relative_from_frames(const CardanModel *relative, const CardanFrame *frames, const double *tracked, double *q,
                              double *v) {
    assert(crd_is_relative(relative->structure));
    crd_coordinates_of_frames(relative->structure, &relative->values, frames, tracked, q, v);
}

void crd_relative_to_absolute(const CardanModel *absolute, const CardanFrame *frames, double *q, double *v) {
    const CrdStructure *structure = absolute->structure;
    assert(!crd_is_relative(structure) && structure->size_custom == 0);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        const CrdLink link = {.kind = block->kind};
        free_link(&link, &frames[block->frame], q + block->q, v + block->v);
    }
}
