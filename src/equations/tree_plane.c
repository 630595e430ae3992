/* A tree in the plane: motion of links, forces on them, M. Twists are (w, vx, vy); al is 0 where coordinates do not
 * accelerate. */
#include "core/sines.h"
#include "core/unguarded.h"
#include "equations/tree_arms.h"
#include "equations/tree_factor.h"
#include "equations/tree_walk.h"

#include <assert.h>
#include <math.h>

/* ---- motion ---- */

/* Does its angle turn the frame? */
static inline bool has_angle(const CrdLink *link) {
    return !link->free || link->kind == CRD_PLANAR_BODY;
}

static inline void hinge(const CrdPlaneArms *arms, double rate, const CrdPlaneMotion *p, CrdPlaneMotion *k) {
    crd_plane_turned(p, arms->a, k->d);
    k->w = p->w + rate;
    k->ac[0] = p->ac[0] - p->w * p->w * k->d[0];
    k->ac[1] = p->ac[1] - p->w * p->w * k->d[1];
}

static void slide(const CrdPlaneArms *arms, double along, double rate, const double *n, const CrdPlaneMotion *p,
                  CrdPlaneMotion *k) {
    crd_plane_turned(p, arms->a, k->d);
    k->d[0] += along * n[0];
    k->d[1] += along * n[1];
    k->w = p->w;
    k->ac[0] = p->ac[0] - p->w * p->w * k->d[0] - 2.0 * p->w * rate * n[1];
    k->ac[1] = p->ac[1] - p->w * p->w * k->d[1] + 2.0 * p->w * rate * n[0];
}

static void free_link(CrdBlockKind kind, const double *q, const double *v, CrdPlaneMotion *k) {
    k->d[0] = q[0];
    k->d[1] = q[1];
    k->ac[0] = k->ac[1] = 0.0;
    k->w = kind == CRD_PLANAR_BODY ? v[2] : 0.0;
}

/* Angles of frames are sums along the tree. */
static inline double angle_of(const CrdLink *link, const CrdPlaneArms *arms, const double *q, const CrdPlaneMotion *p) {
    if (!link->free) return (link->kind == CRD_LINK_REVOLUTE ? q[0] : 0.0) + (p->angle + arms->turn);
    return link->kind == CRD_PLANAR_BODY ? q[2] : 0.0;
}

/* A link that does not just turn. */
static void other_link(const CardanModel *model, const CrdSystem *system, int i, CrdPlaneMotion *k) {
    const CrdLink *link = &model->structure->tree->links[i];
    const CrdPlaneArms *arms = &model->values.plane_arms[i];
    const CrdPlaneMotion *p = &system->tree.plane[link->parent];
    const double *q = system->tree.q + link->q, *v = system->tree.v + link->v;
    double n[2];
    if (link->free) {
        free_link(link->kind, q, v, k);
    } else if (link->kind == CRD_LINK_PRISMATIC) {
        crd_plane_axis(model, system, i, n);
        slide(arms, model->values.links[i].along + q[0], v[0], n, p, k);
    } else {
        hinge(arms, 0.0, p, k);
    }
}

/* Angles of some links first, then their sines all at once, then the rest. */
CRD_UNGUARDED static void some_motions(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdLink *link = model->structure->tree->links + links.first;
    const CrdPlaneArms *arms = model->values.plane_arms + links.first;
    CrdPlaneMotion *plane = system->tree.plane, *k = plane + links.first;
    const double *q = system->tree.q, *v = system->tree.v;
    double angle[CRD_SINES_AT_ONCE], sine[CRD_SINES_AT_ONCE], cosine[CRD_SINES_AT_ONCE];
    const int count = links.end - links.first;
    assert(count > 0 && count <= CRD_SINES_AT_ONCE);
    int known = 0;
    do
        angle[known] = k[known].angle =
            angle_of(&link[known], &arms[known], q + link[known].q, &plane[link[known].parent]);
    while (++known < count);
    crd_sines(count, angle, sine, cosine);
    for (int i = 0; i < count; i++) {
        k[i].sine = sine[i];
        k[i].cosine = cosine[i];
        if (link[i].kind == CRD_LINK_REVOLUTE)
            hinge(&arms[i], v[link[i].v], &plane[link[i].parent], &k[i]);
        else
            other_link(model, system, links.first + i, &k[i]);
    }
}

static void motions(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    for (int first = links.first; first < links.end; first += CRD_SINES_AT_ONCE) {
        int end = links.end - first < CRD_SINES_AT_ONCE ? links.end : first + CRD_SINES_AT_ONCE;
        some_motions(model, system, (CrdRange){first, end});
    }
}

/* Velocity of o. */
static inline void speed_of(const CardanModel *model, const CrdSystem *system, int i, double *out) {
    const CrdLink *link = &model->structure->tree->links[i];
    const CrdPlaneMotion *k = &system->tree.plane[i], *p = &system->tree.plane[link->parent];
    const double *v = system->tree.v + link->v, *of_parent = system->tree.speeds + 2 * (ptrdiff_t)link->parent;
    double n[2];
    if (link->free) {
        out[0] = v[0];
        out[1] = v[1];
        return;
    }
    out[0] = of_parent[0] - p->w * k->d[1];
    out[1] = of_parent[1] + p->w * k->d[0];
    if (link->kind != CRD_LINK_PRISMATIC) return;
    crd_plane_axis(model, system, i, n);
    out[0] += v[0] * n[0];
    out[1] += v[0] * n[1];
}

CRD_UNGUARDED static void frames(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    double r[2] = {0.0, 0.0}, of_parent[2];
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        const CrdPlaneMotion *k = &work->plane[i];
        CardanFrame *frame = &system->frames[link->pose], *from = &system->frames[crd_link_from(tree, link)];
        double *speed = work->speeds + 2 * (ptrdiff_t)i;
        of_parent[0] = link->parent >= 0 ? r[0] : 0.0;
        of_parent[1] = link->parent >= 0 ? r[1] : 0.0;
        if (link->parent >= 0 && !crd_carries(tree, links, i)) crd_plane_centre(model, system, link->parent, of_parent);
        crd_plane_centre(model, system, i, r);
        speed_of(model, system, i, speed);
        if (has_angle(link)) {
            frame->angle = k->angle;
            frame->rotation[0] = frame->rotation[4] = k->cosine;
            frame->rotation[1] = -k->sine;
            frame->rotation[3] = k->sine;
        }
        frame->x.x = from->x.x - of_parent[0] + (k->d[0] + r[0]);
        frame->x.y = from->x.y - of_parent[1] + (k->d[1] + r[1]);
        frame->v.x = speed[0] - k->w * r[1];
        frame->v.y = speed[1] + k->w * r[0];
        frame->w.z = k->w;
    }
}

static inline void bias_at(const CrdSystem *system, int link, CrdVec r, double *out) {
    const CrdPlaneMotion *k = &system->tree.plane[link];
    out[0] = k->ac[0] - k->w * k->w * r.x;
    out[1] = k->ac[1] - k->w * k->w * r.y;
    out[2] = out[3] = out[4] = out[5] = 0.0;
}

static void bias(const CardanModel *model, const CrdSystem *system, int link, double *out) {
    bias_at(system, link, crd_plane_centre_vec(model, system, link), out);
}

static inline void wrench(const CrdSystem *system, int link, CrdVec r, const double *row, double *out) {
    (void)system, (void)link;
    out[0] = row[5] + r.x * row[1] - r.y * row[0];
    out[1] = row[0];
    out[2] = row[1];
}

static inline double size(const CardanModel *model, int link, const double *row) {
    const CrdPlaneMass *body = &model->values.plane_masses[link];
    return body->per_mass * (row[0] * row[0] + row[1] * row[1]) + body->per_inertia * row[5] * row[5];
}

/* ---- H^T of a wrench, and what goes on to the parent ---- */

static inline void project(const CardanModel *model, const CrdSystem *system, int i, const double *p, double *out) {
    double n[2];
    switch (model->structure->tree->links[i].kind) {
    case CRD_LINK_REVOLUTE:
        out[0] = p[0];
        break;
    case CRD_LINK_PRISMATIC:
        crd_plane_axis(model, system, i, n);
        out[0] = n[0] * p[1] + n[1] * p[2];
        break;
    case CRD_PLANAR_BODY:
        out[2] = p[0]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        out[0] = p[1];
        out[1] = p[2];
        break;
    default:
        break;
    }
}

static inline void push_on(const CrdLink *link, const double *d, const double *p, double *pushes) {
    if (link->out < 0) return;
    double *to = pushes + 3 * link->out, m = p[0] + d[0] * p[2] - d[1] * p[1];
    to[0] = link->first ? m : to[0] + m;
    to[1] = link->first ? p[1] : to[1] + p[1];
    to[2] = link->first ? p[2] : to[2] + p[2];
}

static inline void add_pushes(const CrdLink *link, const double *pushes, double *p) {
    if (link->in < 0) return;
    for (int i = 0; i < 3; i++) p[i] += pushes[3 * link->in + i];
}

/* ---- forces ---- */

static void forces(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    CrdVec gravity = model->values.gravity;
    (void)x;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdPlaneMotion *k = &work->plane[i];
        double m = model->values.plane_masses[i].mass, square = k->w * k->w, p[3], r[2];
        const double *load = system->loads[link->pose];
        crd_plane_centre(model, system, i, r);
        p[1] = load[0] + m * (gravity.x - k->ac[0] + square * r[0]);
        p[2] = load[1] + m * (gravity.y - k->ac[1] + square * r[1]);
        p[0] = load[5] + r[0] * p[2] - r[1] * p[1];

        add_pushes(link, work->pushes, p);
        project(model, system, i, p, system->f + link->v);
        push_on(link, k->d, p, work->pushes);
    }
}

/* ---- M ---- */

static void spread(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        const CrdPlaneMotion *k = &system->tree.plane[i];
        const double *parent = system->tree.extra + 3 * link->parent, *own = x + link->v;
        double *extra = system->tree.extra + 3 * i, n[2];
        extra[0] = parent[0];
        extra[1] = parent[1] - parent[0] * k->d[1];
        extra[2] = parent[2] + parent[0] * k->d[0];
        if (link->kind == CRD_LINK_REVOLUTE) extra[0] += own[0];
        if (link->kind == CRD_LINK_PRISMATIC) {
            crd_plane_axis(model, system, i, n);
            extra[1] += own[0] * n[0];
            extra[2] += own[0] * n[1];
        }
        if (!link->free) continue;
        extra[1] = own[0];
        extra[2] = own[1];
        if (link->kind == CRD_PLANAR_BODY) extra[0] = own[2];
    }
}

/* Acceleration a of a link's centre, at r, and the momenta p that belong to it. */
static inline void momentum(const CardanModel *model, const CrdSystem *system, int i, double *r, double *a, double *p) {
    const CrdBlockValues *body = crd_link_body(model, i);
    const double *extra = system->tree.extra + 3 * i;
    crd_plane_centre(model, system, i, r);
    a[0] = extra[0];
    a[1] = extra[1] - extra[0] * r[1];
    a[2] = extra[2] + extra[0] * r[0];
    p[0] = body->inertia[8] * a[0];
    p[1] = body->mass * a[1];
    p[2] = body->mass * a[2];
}

static void momenta(const CardanModel *model, const CrdSystem *system, CrdRange links, double *y) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        double r[2], a[3], p[3];
        momentum(model, system, i, r, a, p);
        p[0] += r[0] * p[2] - r[1] * p[1];
        add_pushes(link, work->pushes, p);
        project(model, system, i, p, y + link->v);
        push_on(link, work->plane[i].d, p, work->pushes);
    }
}

static double kinetic(const CardanModel *model, const CrdSystem *system) {
    double twice = 0.0, r[2], a[3], p[3];
    for (int i = model->structure->tree->count - 1; i >= 0; i--) {
        momentum(model, system, i, r, a, p);
        twice += p[0] * a[0] + p[1] * a[1] + p[2] * a[2];
    }
    return 0.5 * twice;
}

/* ---- rows ---- */

static inline void step(const CardanModel *model, const CrdSystem *system, int index, int rows, double *wrenches,
                        double *piece) {
    const CrdLink *link = &model->structure->tree->links[index];
    const CrdPlaneMotion *k = &system->tree.plane[index];
    double dx = k->d[0], dy = k->d[1];
    if (link->kind == CRD_LINK_REVOLUTE) {
        for (int i = 0; i < rows; i++, wrenches += 3) {
            piece[i] = wrenches[0];
            wrenches[0] += dx * wrenches[2] - dy * wrenches[1];
        }
        return;
    }
    for (int i = 0; i < rows; i++, wrenches += 3, piece += link->nv) {
        project(model, system, index, wrenches, piece);
        wrenches[0] += dx * wrenches[2] - dy * wrenches[1];
    }
}

static const CrdRowKernel KERNEL = {3, true, CRD_PLANAR_PARTICLE, crd_plane_centre_vec, bias_at, wrench, size};

CRD_UNGUARDED static void rows_of(const CardanModel *model, int element, CrdSystem *system) {
    int rows = model->structure->elements[element].rows;
    if (rows == CRD_PIN_ROWS)
        crd_walk_rows(model, element, CRD_PIN_ROWS, system, &KERNEL, step);
    else
        crd_walk_rows(model, element, rows, system, &KERNEL, step);
}

const CrdTreeOps crd_tree_in_plane = {
    .twist = 3,
    .sum = CRD_PLANE_SUM,
    .motions = motions,
    .frames = frames,
    .bias = bias,
    .forces = forces,
    .inertias = crd_plane_inertias,
    .pushed = crd_plane_pushed,
    .inward = crd_plane_inward,
    .outward = crd_plane_outward,
    .spread = spread,
    .momenta = momenta,
    .kinetic = kinetic,
    .rows = rows_of,
    .eliminate = crd_plane_eliminate,
};
