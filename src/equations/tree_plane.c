/* A tree in the plane: motion of links, forces on them, M. Twists are (w, vx, vy); al is 0 where coordinates do not
 * accelerate. */
#include "core/sines.h"
#include "core/unguarded.h"
#include "equations/tree_factor.h"
#include "equations/tree_walk.h"

#include <assert.h>
#include <math.h>

/* ---- motion ---- */

static inline void turned(const double *r, CrdVec l, double *out) {
    out[0] = r[0] * l.x + r[1] * l.y;
    out[1] = r[3] * l.x + r[4] * l.y;
}

/* Does its angle turn the frame? */
static inline bool has_angle(const CrdLink *link) {
    return link->element >= 0 || link->kind == CRD_PLANAR_BODY;
}

static inline void put_rotation(double s, double c, CardanFrame *frame) {
    frame->rotation[0] = frame->rotation[4] = c;
    frame->rotation[1] = -s;
    frame->rotation[3] = s;
}

static void joint_link(const CrdLink *link, const CrdLinkValues *values, const double *q, const double *v,
                       const CardanFrame *from, const CrdPlaneMotion *p, CrdPlaneMotion *k) {
    bool turns = link->kind == CRD_LINK_REVOLUTE, slides = link->kind == CRD_LINK_PRISMATIC;
    turned(from->rotation, values->a, k->d);
    if (slides) {
        turned(from->rotation, values->e[2], k->n);
        k->d[0] += (values->along + q[0]) * k->n[0];
        k->d[1] += (values->along + q[0]) * k->n[1];
    }
    k->w = turns ? p->w + v[0] : p->w;
    k->v[0] = p->v[0] - p->w * k->d[1];
    k->v[1] = p->v[1] + p->w * k->d[0];
    k->ac[0] = p->ac[0] - p->w * p->w * k->d[0];
    k->ac[1] = p->ac[1] - p->w * p->w * k->d[1];
    if (!slides) return;
    k->v[0] += v[0] * k->n[0];
    k->v[1] += v[0] * k->n[1];
    k->ac[0] -= 2.0 * p->w * v[0] * k->n[1];
    k->ac[1] += 2.0 * p->w * v[0] * k->n[0];
}

static void free_link(CrdBlockKind kind, const double *q, const double *v, CrdPlaneMotion *k) {
    k->d[0] = q[0];
    k->d[1] = q[1];
    k->v[0] = v[0];
    k->v[1] = v[1];
    k->ac[0] = k->ac[1] = 0.0;
    k->w = kind == CRD_PLANAR_BODY ? v[2] : 0.0;
}

/* Links from which on sines are made all at once. In smaller mechanisms other things are dearer, and their motion stays
 * what it is with the C library, to the last bit: next to a singular pose that bit decides what is tried there. */
enum { MANY = 16 };

/* Angles of all links first, which are sums along the tree; then their sines, all at once. */
static void find_sines(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    const double *q = system->tree.q;
    double *angle = system->tree.sines + 3 * (ptrdiff_t)links.first;
    int count = links.end - links.first;
    assert(count >= 0 && links.end <= tree->count);
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        double turn = link->kind == CRD_LINK_REVOLUTE ? q[link->q] : 0.0;
        if (link->element >= 0)
            turn += system->frames[link->from].angle + model->values.links[i].turn;
        else if (link->kind == CRD_PLANAR_BODY)
            turn = q[link->q + 2];
        if (has_angle(link)) system->frames[link->pose].angle = turn;
        angle[i - links.first] = turn;
    }
    if (tree->count >= MANY) {
        crd_sines(count, angle, angle + count, angle + 2 * (ptrdiff_t)count);
        return;
    }
    for (int i = 0; i < count; i++) {
        angle[count + i] = sin(angle[i]);
        angle[2 * count + i] = cos(angle[i]);
    }
}

CRD_UNGUARDED static void kinematics(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    const double *q = system->tree.q, *v = system->tree.v;
    const ptrdiff_t count = links.end - links.first;
    const double *sine = system->tree.sines + 3 * (ptrdiff_t)links.first + count;
    find_sines(model, system, links);
    for (int i = links.first; i < links.end; i++, sine++) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkValues *values = &model->values.links[i];
        CardanFrame *frame = &system->frames[link->pose], *from = &system->frames[link->from];
        CrdPlaneMotion *k = &system->tree.plane[i], *p = &system->tree.plane[link->parent];
        if (link->element < 0)
            free_link(link->kind, q + link->q, v + link->v, k);
        else
            joint_link(link, values, q + link->q, v + link->v, from, p, k);
        if (has_angle(link)) put_rotation(sine[0], sine[count], frame);
        turned(frame->rotation, values->c, k->r);
        frame->x.x = from->x.x - p->r[0] + (k->d[0] + k->r[0]);
        frame->x.y = from->x.y - p->r[1] + (k->d[1] + k->r[1]);
        frame->v.x = k->v[0] - k->w * k->r[1];
        frame->v.y = k->v[1] + k->w * k->r[0];
        frame->w.z = k->w;
    }
}

static inline void bias(const CrdSystem *system, int link, int frame, double *out) {
    (void)frame;
    const CrdPlaneMotion *k = &system->tree.plane[link];
    out[0] = k->ac[0] - k->w * k->w * k->r[0];
    out[1] = k->ac[1] - k->w * k->w * k->r[1];
    out[2] = out[3] = out[4] = out[5] = 0.0;
}

static inline void wrench(const CrdSystem *system, int link, int frame, const double *row, double *out) {
    (void)frame;
    const CrdPlaneMotion *k = &system->tree.plane[link];
    out[0] = row[5] + k->r[0] * row[1] - k->r[1] * row[0];
    out[1] = row[0];
    out[2] = row[1];
}

/* ---- H^T of a wrench, and what goes on to the parent ---- */

static inline void project(const CrdLink *link, const CrdPlaneMotion *k, const double *p, double *out) {
    switch (link->kind) {
    case CRD_LINK_REVOLUTE:
        out[0] = p[0];
        break;
    case CRD_LINK_PRISMATIC:
        out[0] = k->n[0] * p[1] + k->n[1] * p[2];
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

static void forces(const CardanModel *model, const CrdSystem *system) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    CrdVec gravity = model->values.gravity;
    for (int i = tree->count - 1; i >= 0; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdPlaneMotion *k = &work->plane[i];
        double m = model->values.links[i].mass, square = k->w * k->w, p[3];
        const double *load = system->loads[link->frame];
        p[1] = load[0] + m * (gravity.x - k->ac[0] + square * k->r[0]);
        p[2] = load[1] + m * (gravity.y - k->ac[1] + square * k->r[1]);
        p[0] = load[5] + k->r[0] * p[2] - k->r[1] * p[1];

        add_pushes(link, work->pushes, p);
        project(link, k, p, system->f + link->v);
        push_on(link, k->d, p, work->pushes);
    }
}

/* ---- M ---- */

static void spread(const CardanModel *model, const CrdSystem *system, const double *x) {
    const CrdTree *tree = model->structure->tree;
    for (int i = 0; i < tree->count; i++) {
        const CrdLink *link = &tree->links[i];
        const CrdPlaneMotion *k = &system->tree.plane[i];
        const double *parent = system->tree.extra + 3 * link->parent, *own = x + link->v;
        double *extra = system->tree.extra + 3 * i;
        extra[0] = parent[0];
        extra[1] = parent[1] - parent[0] * k->d[1];
        extra[2] = parent[2] + parent[0] * k->d[0];
        if (link->kind == CRD_LINK_REVOLUTE) extra[0] += own[0];
        if (link->kind == CRD_LINK_PRISMATIC) {
            extra[1] += own[0] * k->n[0];
            extra[2] += own[0] * k->n[1];
        }
        if (link->element >= 0) continue;
        extra[1] = own[0];
        extra[2] = own[1];
        if (link->kind == CRD_PLANAR_BODY) extra[0] = own[2];
    }
}

static double momenta(const CardanModel *model, const CrdSystem *system, double *y) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    double twice = 0.0;
    for (int i = tree->count - 1; i >= 0; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdPlaneMotion *k = &work->plane[i];
        const CrdBlockValues *body = crd_link_body(model, i);
        const double *extra = work->extra + 3 * i;
        double ax = extra[1] - extra[0] * k->r[1], ay = extra[2] + extra[0] * k->r[0];
        double p[3] = {body->inertia[8] * extra[0], body->mass * ax, body->mass * ay};
        twice += p[0] * extra[0] + p[1] * ax + p[2] * ay;
        if (y == NULL) continue;
        p[0] += k->r[0] * p[2] - k->r[1] * p[1];
        add_pushes(link, work->pushes, p);
        project(link, k, p, y + link->v);
        push_on(link, k->d, p, work->pushes);
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
        project(link, k, wrenches, piece);
        wrenches[0] += dx * wrenches[2] - dy * wrenches[1];
    }
}

static const CrdRowKernel KERNEL = {3, true, CRD_PLANAR_PARTICLE, bias, wrench};

CRD_UNGUARDED static void rows_of(const CardanModel *model, int element, CrdSystem *system) {
    crd_walk_rows(model, element, system, &KERNEL, step);
}

const CrdTreeOps crd_tree_in_plane = {
    .twist = 3,
    .sum = CRD_PLANE_SUM,
    .kinematics = kinematics,
    .bias = bias,
    .forces = forces,
    .inertias = crd_plane_inertias,
    .pushed = crd_plane_pushed,
    .inward = crd_plane_inward,
    .outward = crd_plane_outward,
    .spread = spread,
    .momenta = momenta,
    .rows = rows_of,
    .eliminate = crd_plane_eliminate,
};
