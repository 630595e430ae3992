/* A tree in space: motion of links, forces on them, M. */
#include "equations/tree_space.h"
#include "core/rotation.h"
#include "core/unguarded.h"
#include "equations/tree_factor.h"
#include "equations/tree_walk.h"

#include <assert.h>
#include <string.h>

/* ---- motion ---- */

/* R = x f0^T + y f1^T + z f2^T */
static inline void put_axes(CrdVec x, CrdVec y, CrdVec z, const CrdVec *f, double *r) {
    const double px[3] = {x.x, x.y, x.z}, py[3] = {y.x, y.y, y.z}, pz[3] = {z.x, z.y, z.z};
    for (int i = 0; i < 3; i++) {
        r[3 * i] = px[i] * f[0].x + py[i] * f[1].x + pz[i] * f[2].x;
        r[3 * i + 1] = px[i] * f[0].y + py[i] * f[1].y + pz[i] * f[2].y;
        r[3 * i + 2] = px[i] * f[0].z + py[i] * f[1].z + pz[i] * f[2].z;
    }
}

static void put_quaternion(const double *q, double *r) {
    CrdMat m = crd_matrix_of(crd_quat_normalised((CardanQuat){q[0], q[1], q[2], q[3]}));
    memcpy(r, m.m, sizeof m.m);
}

/* What a joint point fixed in the parent does: ac, and al, w as the parent's. */
static inline void carry(const CrdLinkMotion *p, CrdLinkMotion *k) {
    CrdVec wd = crd_cross(p->w, k->d);
    k->ac = crd_add(p->ac, crd_add(crd_cross(p->al, k->d), crd_cross(p->w, wd)));
    k->w = p->w;
    k->al = p->al;
}

static inline void add_spin(const CrdLinkMotion *p, CrdVec spin, CrdLinkMotion *k) {
    k->w = crd_add(p->w, spin);
    k->al = crd_add(p->al, crd_cross(p->w, spin));
}

/* R of a turned link, and n: x and y are its axes f[0] and f[1]. */
static inline CrdVec turn_link(const CrdLinkValues *values, const double *from, double q, bool turns, double *r) {
    CrdVec e0 = crd_apply(from, values->e[0]), e1 = crd_apply(from, values->e[1]), n = crd_apply(from, values->e[2]);
    if (turns) {
        double c = cos(q), s = sin(q);
        put_axes(crd_add(crd_scale(c, e0), crd_scale(s, e1)), crd_sub(crd_scale(c, e1), crd_scale(s, e0)), n, values->f,
                 r);
    } else {
        put_axes(e0, e1, n, values->f, r);
    }
    return n;
}

static inline void hinge(const CrdLinkValues *values, const double *from, double q, double rate, const CrdLinkMotion *p,
                         CrdLinkMotion *k, double *r) {
    k->n = turn_link(values, from, q, true, r);
    k->d = crd_apply(from, values->a);
    carry(p, k);
    add_spin(p, crd_scale(rate, k->n), k);
}

/* A prismatic joint, a screw or a weld. */
static void slide(CrdBlockKind kind, const CrdLinkValues *values, const double *from, double q, double rate,
                  const CrdLinkMotion *p, CrdLinkMotion *k, double *r) {
    bool turns = kind == CRD_LINK_SCREW;
    double along = turns ? values->pitch : 1.0;
    k->n = turn_link(values, from, q, turns, r);
    k->d = crd_axpy(crd_apply(from, values->a), values->along + along * q, k->n);
    carry(p, k);
    if (turns) add_spin(p, crd_scale(rate, k->n), k);
    k->ac = crd_axpy(k->ac, 2.0, crd_cross(p->w, crd_scale(along * rate, k->n)));
}

static void spherical(const CrdLinkValues *values, const double *from, const double *q, const double *v,
                      const CrdLinkMotion *p, CrdLinkMotion *k, double *r) {
    double own[9];
    put_quaternion(q, own);
    CrdMat turned = crd_mul(from, own);
    memcpy(r, turned.m, sizeof turned.m);
    k->d = crd_apply(from, values->a);
    carry(p, k);
    add_spin(p, crd_apply(r, crd_vec_of(v)), k);
}

static void free_link(CrdBlockKind kind, const double *q, const double *v, CrdLinkMotion *k, double *r) {
    bool turns = kind == CRD_SPATIAL_BODY;
    k->d = crd_vec_of(q);
    if (turns) put_quaternion(q + 3, r);
    k->w = turns ? crd_apply(r, crd_vec_of(v + 3)) : crd_vec(0, 0, 0);
    k->al = k->ac = crd_vec(0, 0, 0);
}

CRD_UNGUARDED static void motions(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    const double *q = system->tree.q, *v = system->tree.v;
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkValues *values = &model->values.links[i];
        CardanFrame *frame = &system->frames[link->pose];
        const CardanFrame *from = &system->frames[link->from];
        CrdLinkMotion *restrict k = &system->tree.motion[i];
        const CrdLinkMotion *p = &system->tree.motion[link->parent];
        if (link->kind == CRD_LINK_REVOLUTE)
            hinge(values, from->rotation, q[link->q], v[link->v], p, k, frame->rotation);
        else if (link->element < 0)
            free_link(link->kind, q + link->q, v + link->v, k, frame->rotation);
        else if (link->kind == CRD_LINK_SPHERICAL)
            spherical(values, from->rotation, q + link->q, v + link->v, p, k, frame->rotation);
        else if (link->kind == CRD_LINK_WELD)
            slide(link->kind, values, from->rotation, 0.0, 0.0, p, k, frame->rotation);
        else
            slide(link->kind, values, from->rotation, q[link->q], v[link->v], p, k, frame->rotation);
        k->r = crd_apply(frame->rotation, values->c);
    }
}

/* Velocity of o. */
static inline CrdVec speed_of(const CrdLink *link, const CrdLinkValues *values, const double *v, const CrdLinkMotion *p,
                              const CrdLinkMotion *k) {
    if (link->element < 0) return crd_vec_of(v);
    CrdVec speed = crd_add(p->v, crd_cross(p->w, k->d));
    if (link->kind == CRD_LINK_PRISMATIC) return crd_axpy(speed, v[0], k->n);
    return link->kind == CRD_LINK_SCREW ? crd_axpy(speed, values->pitch * v[0], k->n) : speed;
}

CRD_UNGUARDED static void frames(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        CardanFrame *frame = &system->frames[link->pose];
        const CardanFrame *from = &system->frames[link->from];
        CrdLinkMotion *k = &system->tree.motion[i];
        const CrdLinkMotion *p = &system->tree.motion[link->parent];
        k->v = speed_of(link, &model->values.links[i], system->tree.v + link->v, p, k);
        frame->x = crd_add(crd_sub(from->x, p->r), crd_add(k->d, k->r));
        frame->v = crd_add(k->v, crd_cross(k->w, k->r));
        frame->w = crd_apply_t(frame->rotation, k->w);
    }
}

static CrdVec centre_acceleration(const CrdLinkMotion *k) {
    return crd_add(k->ac, crd_add(crd_cross(k->al, k->r), crd_cross(k->w, crd_cross(k->w, k->r))));
}

static inline void bias(const CrdSystem *system, int link, int frame, double *out) {
    const CrdLinkMotion *k = &system->tree.motion[link];
    crd_put(out, centre_acceleration(k));
    crd_put(out + 3, crd_apply_t(system->frames[frame].rotation, k->al));
}

static inline void wrench(const CrdSystem *system, int link, int frame, const double *row, double *out) {
    const CrdLinkMotion *k = &system->tree.motion[link];
    CrdVec force = crd_vec_of(row), moment = crd_apply(system->frames[frame].rotation, crd_vec_of(row + 3));
    crd_put(out, crd_add(moment, crd_cross(k->r, force)));
    crd_put(out + 3, force);
}

/* ---- H^T of a wrench, and what goes on to the parent ---- */

static inline void project(const CrdLink *link, const CrdLinkMotion *k, const double *r, double pitch, CrdVec m,
                           CrdVec f, double *out) {
    switch (link->kind) {
    case CRD_LINK_REVOLUTE:
        out[0] = crd_dot(k->n, m);
        break;
    case CRD_LINK_PRISMATIC:
        out[0] = crd_dot(k->n, f);
        break;
    case CRD_LINK_SCREW:
        out[0] = crd_dot(k->n, m) + pitch * crd_dot(k->n, f);
        break;
    case CRD_LINK_SPHERICAL:
        crd_put(out, crd_apply_t(r, m));
        break;
    case CRD_SPATIAL_BODY:
        crd_put(out + 3, crd_apply_t(r, m)); /* fall through */
    case CRD_SPATIAL_PARTICLE:
        crd_put(out, f);
        break;
    default:
        break;
    }
}

/* ---- forces ---- */

static void forces(const CardanModel *model, const CrdSystem *system) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = tree->count - 1; i >= 0; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkMotion *k = &work->motion[i];
        const CardanFrame *frame = &system->frames[link->pose];
        CrdVec m = {0, 0, 0}, f = {0, 0, 0};
        if (link->in >= 0) {
            m = crd_vec_of(work->pushes + 6 * link->in);
            f = crd_vec_of(work->pushes + 6 * link->in + 3);
        }
        if (link->frame >= 0) {
            const CrdBlockValues *body = crd_link_body(model, i);
            const double *load = system->loads[link->frame];
            CrdVec lost = crd_sub(model->values.gravity, centre_acceleration(k));
            CrdVec force = crd_axpy(crd_vec_of(load), body->mass, lost);
            CrdVec spin = crd_apply(body->inertia, crd_apply_t(frame->rotation, k->al));
            spin = crd_add(spin, crd_cross(frame->w, crd_apply(body->inertia, frame->w)));
            CrdVec moment = crd_apply(frame->rotation, crd_sub(crd_vec_of(load + 3), spin));
            m = crd_add(m, crd_add(moment, crd_cross(k->r, force)));
            f = crd_add(f, force);
        }
        project(link, k, frame->rotation, model->values.links[i].pitch, m, f, system->f + link->v);
        crd_push_on(link, k->d, m, f, work->pushes);
    }
}

/* ---- M ---- */

/* x + H q'' for the rates of one link. */
static inline void add_motion(const CrdLink *link, const CrdLinkMotion *k, const double *r, double pitch,
                              const double *x, double *extra) {
    CrdVec al = crd_vec_of(extra), ac = crd_vec_of(extra + 3);
    switch (link->kind) {
    case CRD_LINK_REVOLUTE:
        al = crd_axpy(al, x[0], k->n);
        break;
    case CRD_LINK_PRISMATIC:
        ac = crd_axpy(ac, x[0], k->n);
        break;
    case CRD_LINK_SCREW:
        al = crd_axpy(al, x[0], k->n);
        ac = crd_axpy(ac, pitch * x[0], k->n);
        break;
    case CRD_LINK_SPHERICAL:
        al = crd_add(al, crd_apply(r, crd_vec_of(x)));
        break;
    case CRD_SPATIAL_BODY:
        al = crd_add(al, crd_apply(r, crd_vec_of(x + 3))); /* fall through */
    case CRD_SPATIAL_PARTICLE:
        ac = crd_add(ac, crd_vec_of(x));
        break;
    default:
        break;
    }
    crd_put(extra, al);
    crd_put(extra + 3, ac);
}

static void spread(const CardanModel *model, const CrdSystem *system, const double *x) {
    const CrdTree *tree = model->structure->tree;
    for (int i = 0; i < tree->count; i++) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkMotion *k = &system->tree.motion[i];
        double *extra = system->tree.extra + 6 * i, *parent = system->tree.extra + 6 * link->parent;
        CrdVec al = crd_vec_of(parent);
        crd_put(extra, al);
        crd_put(extra + 3, crd_add(crd_vec_of(parent + 3), crd_cross(al, k->d)));
        add_motion(link, k, system->frames[link->pose].rotation, model->values.links[i].pitch, x + link->v, extra);
    }
}

static double momenta(const CardanModel *model, const CrdSystem *system, double *y) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    double twice = 0.0;
    for (int i = tree->count - 1; i >= 0; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkMotion *k = &work->motion[i];
        const double *r = system->frames[link->pose].rotation, *extra = work->extra + 6 * i;
        const CrdBlockValues *body = crd_link_body(model, i);
        CrdVec al = crd_vec_of(extra), ac = crd_add(crd_vec_of(extra + 3), crd_cross(al, k->r));
        CrdVec f = crd_scale(body->mass, ac), own = crd_apply_t(r, al), turn = crd_apply(body->inertia, own);
        twice += crd_dot(f, ac) + crd_dot(own, turn);
        if (y == NULL) continue;
        CrdVec m = crd_add(crd_apply(r, turn), crd_cross(k->r, f));
        if (link->in >= 0) {
            m = crd_add(m, crd_vec_of(work->pushes + 6 * link->in));
            f = crd_add(f, crd_vec_of(work->pushes + 6 * link->in + 3));
        }
        project(link, k, r, model->values.links[i].pitch, m, f, y + link->v);
        crd_push_on(link, k->d, m, f, work->pushes);
    }
    return 0.5 * twice;
}

/* ---- rows ---- */

static inline void step(const CardanModel *model, const CrdSystem *system, int index, int rows, double *wrenches,
                        double *piece) {
    const CrdLink *link = &model->structure->tree->links[index];
    const CrdLinkMotion *k = &system->tree.motion[index];
    const double *r = system->frames[link->pose].rotation;
    if (link->kind == CRD_LINK_REVOLUTE) {
        CrdVec n = k->n, d = k->d;
        for (int i = 0; i < rows; i++, wrenches += 6) {
            CrdVec m = crd_vec_of(wrenches);
            piece[i] = crd_dot(n, m);
            crd_put(wrenches, crd_add(m, crd_cross(d, crd_vec_of(wrenches + 3))));
        }
        return;
    }
    for (int i = 0; i < rows; i++, wrenches += 6, piece += link->nv) {
        CrdVec m = crd_vec_of(wrenches), f = crd_vec_of(wrenches + 3);
        project(link, k, r, model->values.links[index].pitch, m, f, piece);
        crd_put(wrenches, crd_add(m, crd_cross(k->d, f)));
    }
}

static const CrdRowKernel KERNEL = {6, false, CRD_SPATIAL_PARTICLE, bias, wrench};

CRD_UNGUARDED static void rows_of(const CardanModel *model, int element, CrdSystem *system) {
    crd_walk_rows(model, element, system, &KERNEL, step);
}

const CrdTreeOps crd_tree_in_space = {
    .twist = 6,
    .sum = CRD_SPACE_SUM,
    .motions = motions,
    .frames = frames,
    .bias = bias,
    .forces = forces,
    .inertias = crd_space_inertias,
    .pushed = crd_space_pushed,
    .inward = crd_space_inward,
    .outward = crd_space_outward,
    .spread = spread,
    .momenta = momenta,
    .rows = rows_of,
    .eliminate = crd_space_eliminate,
};
