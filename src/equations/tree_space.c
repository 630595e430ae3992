/* A tree in space: motion of links, forces on them, M. */
#include "equations/tree_space.h"
#include "core/rotation.h"
#include "core/sines.h"
#include "core/unguarded.h"
#include "equations/tree_arms.h"
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

/* Sine and cosine of an angle. */
typedef struct Turn {
    double s, c;
} Turn;

/* R of a turned link, and n: x and y are its axes f[0] and f[1]. */
static inline CrdVec turn_link(const CrdLinkValues *values, const double *from, const Turn *by, double *r) {
    CrdVec e0 = crd_apply(from, values->e[0]), e1 = crd_apply(from, values->e[1]), n = crd_apply(from, values->e[2]);
    if (by != NULL)
        put_axes(crd_add(crd_scale(by->c, e0), crd_scale(by->s, e1)),
                 crd_sub(crd_scale(by->c, e1), crd_scale(by->s, e0)), n, values->f, r);
    else
        put_axes(e0, e1, n, values->f, r);
    return n;
}

static inline void hinge(const CrdLinkValues *values, Turn by, double rate, const CrdLinkMotion *p, CrdLinkMotion *k) {
    k->n = turn_link(values, p->rotation, &by, k->rotation);
    k->d = crd_apply(p->rotation, values->a);
    carry(p, k);
    add_spin(p, crd_scale(rate, k->n), k);
}

/* A prismatic joint, a screw or a weld. */
static void slide(CrdBlockKind kind, const CrdLinkValues *values, double q, Turn by, double rate,
                  const CrdLinkMotion *p, CrdLinkMotion *k) {
    bool turns = kind == CRD_LINK_SCREW;
    double along = turns ? values->pitch : 1.0;
    k->n = turn_link(values, p->rotation, turns ? &by : NULL, k->rotation);
    k->d = crd_axpy(crd_apply(p->rotation, values->a), values->along + along * q, k->n);
    carry(p, k);
    if (turns) add_spin(p, crd_scale(rate, k->n), k);
    k->ac = crd_axpy(k->ac, 2.0, crd_cross(p->w, crd_scale(along * rate, k->n)));
}

static void spherical(const CrdLinkValues *values, const double *q, const double *v, const CrdLinkMotion *p,
                      CrdLinkMotion *k) {
    double own[9];
    put_quaternion(q, own);
    CrdMat turned = crd_mul(p->rotation, own);
    memcpy(k->rotation, turned.m, sizeof turned.m);
    k->d = crd_apply(p->rotation, values->a);
    carry(p, k);
    add_spin(p, crd_apply(k->rotation, crd_vec_of(v)), k);
}

static void free_link(CrdBlockKind kind, const double *q, const double *v, CrdLinkMotion *k) {
    bool turns = kind == CRD_SPATIAL_BODY;
    k->d = crd_vec_of(q);
    if (turns) put_quaternion(q + 3, k->rotation);
    k->w = turns ? crd_apply(k->rotation, crd_vec_of(v + 3)) : crd_vec(0, 0, 0);
    k->al = k->ac = crd_vec(0, 0, 0);
}

/* A link that does not just turn. */
static void other_link(const CrdLink *link, const CrdLinkValues *values, const double *q, const double *v, Turn by,
                       const CrdLinkMotion *p, CrdLinkMotion *k) {
    if (link->free)
        free_link(link->kind, q, v, k);
    else if (link->kind == CRD_LINK_SPHERICAL)
        spherical(values, q, v, p, k);
    else if (link->kind == CRD_LINK_WELD)
        slide(link->kind, values, 0.0, by, 0.0, p, k);
    else
        slide(link->kind, values, q[0], by, v[0], p, k);
}

/* Sines of some links all at once, then the rest. */
CRD_UNGUARDED static void some_motions(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdLink *link = model->structure->tree->links + links.first;
    const CrdLinkValues *values = model->values.links + links.first;
    CrdLinkMotion *motion = system->tree.motion, *k = motion + links.first;
    const double *q = system->tree.q, *v = system->tree.v;
    double angle[CRD_SINES_AT_ONCE], sine[CRD_SINES_AT_ONCE], cosine[CRD_SINES_AT_ONCE];
    const int count = links.end - links.first;
    assert(count > 0 && count <= CRD_SINES_AT_ONCE);
    int known = 0;
    do angle[known] = link[known].nv == 1 ? q[link[known].q] : 0.0;
    while (++known < count);
    crd_sines(count, angle, sine, cosine);
    for (int i = 0; i < count; i++) {
        const CrdLinkMotion *p = &motion[link[i].parent];
        Turn by = {sine[i], cosine[i]};
        if (link[i].kind == CRD_LINK_REVOLUTE)
            hinge(&values[i], by, v[link[i].v], p, &k[i]);
        else
            other_link(&link[i], &values[i], q + link[i].q, v + link[i].v, by, p, &k[i]);
    }
}

static void motions(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    for (int first = links.first; first < links.end; first += CRD_SINES_AT_ONCE) {
        int end = links.end - first < CRD_SINES_AT_ONCE ? links.end : first + CRD_SINES_AT_ONCE;
        some_motions(model, system, (CrdRange){first, end});
    }
}

/* Velocity of o. */
static inline CrdVec speed_of(const CrdLink *link, const CrdLinkValues *values, const double *v, CrdVec of_parent,
                              const CrdLinkMotion *p, const CrdLinkMotion *k) {
    if (link->free) return crd_vec_of(v);
    CrdVec speed = crd_add(of_parent, crd_cross(p->w, k->d));
    if (link->kind == CRD_LINK_PRISMATIC) return crd_axpy(speed, v[0], k->n);
    return link->kind == CRD_LINK_SCREW ? crd_axpy(speed, values->pitch * v[0], k->n) : speed;
}

CRD_UNGUARDED static void frames(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    CrdVec r = {0, 0, 0};
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        CardanFrame *frame = &system->frames[link->pose];
        const CardanFrame *from = &system->frames[crd_link_from(tree, link)];
        const CrdLinkMotion *k = &system->tree.motion[i], *p = &system->tree.motion[link->parent];
        double *speeds = system->tree.speeds;
        CrdVec v = speed_of(link, &model->values.links[i], system->tree.v + link->v,
                            crd_vec_of(speeds + 3 * (ptrdiff_t)link->parent), p, k);
        CrdVec of_parent = link->parent >= 0 ? r : crd_vec(0, 0, 0);
        if (link->parent >= 0 && !crd_carries(tree, links, i))
            of_parent = crd_space_centre(model, system, link->parent);
        r = crd_space_centre(model, system, i);
        crd_put(speeds + 3 * (ptrdiff_t)i, v);
        for (int j = 0; j < 9; j++) frame->rotation[j] = k->rotation[j];
        frame->x = crd_add(crd_sub(from->x, of_parent), crd_add(k->d, r));
        frame->v = crd_add(v, crd_cross(k->w, r));
        frame->w = crd_apply_t(k->rotation, k->w);
    }
}

static CrdVec centre_acceleration(const CrdLinkMotion *k, CrdVec r) {
    return crd_add(k->ac, crd_add(crd_cross(k->al, r), crd_cross(k->w, crd_cross(k->w, r))));
}

static inline void bias_at(const CrdSystem *system, int link, CrdVec r, double *out) {
    const CrdLinkMotion *k = &system->tree.motion[link];
    crd_put(out, centre_acceleration(k, r));
    crd_put(out + 3, crd_apply_t(k->rotation, k->al));
}

static void bias(const CardanModel *model, const CrdSystem *system, int link, double *out) {
    bias_at(system, link, crd_space_centre(model, system, link), out);
}

static inline void wrench(const CrdSystem *system, int link, CrdVec r, const double *row, double *out) {
    CrdVec force = crd_vec_of(row), moment = crd_apply(system->tree.motion[link].rotation, crd_vec_of(row + 3));
    crd_put(out, crd_add(moment, crd_cross(r, force)));
    crd_put(out + 3, force);
}

/* ---- H^T of a wrench, and what goes on to the parent ---- */

static inline void project(const CrdLink *link, const CrdLinkMotion *k, double pitch, CrdVec m, CrdVec f, double *out) {
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
        crd_put(out, crd_apply_t(k->rotation, m));
        break;
    case CRD_SPATIAL_BODY:
        crd_put(out + 3, crd_apply_t(k->rotation, m)); /* fall through */
    case CRD_SPATIAL_PARTICLE:
        crd_put(out, f);
        break;
    default:
        break;
    }
}

/* ---- forces ---- */

static void forces(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    (void)x;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkMotion *k = &work->motion[i];
        const CardanFrame *frame = &system->frames[link->pose];
        CrdVec m = {0, 0, 0}, f = {0, 0, 0};
        if (link->in >= 0) {
            m = crd_vec_of(work->pushes + 6 * link->in);
            f = crd_vec_of(work->pushes + 6 * link->in + 3);
        }
        if (crd_link_has_body(model->structure, link)) {
            const CrdBlockValues *body = crd_link_body(model, i);
            const double *load = system->loads[link->pose];
            CrdVec r = crd_space_centre(model, system, i);
            CrdVec lost = crd_sub(model->values.gravity, centre_acceleration(k, r));
            CrdVec force = crd_axpy(crd_vec_of(load), body->mass, lost);
            CrdVec spin = crd_apply(body->inertia, crd_apply_t(k->rotation, k->al));
            spin = crd_add(spin, crd_cross(frame->w, crd_apply(body->inertia, frame->w)));
            CrdVec moment = crd_apply(k->rotation, crd_sub(crd_vec_of(load + 3), spin));
            m = crd_add(m, crd_add(moment, crd_cross(r, force)));
            f = crd_add(f, force);
        }
        project(link, k, model->values.links[i].pitch, m, f, system->f + link->v);
        crd_push_on(link, k->d, m, f, work->pushes);
    }
}

/* ---- M ---- */

/* x + H q'' for the rates of one link. */
static inline void add_motion(const CrdLink *link, const CrdLinkMotion *k, double pitch, const double *x,
                              double *extra) {
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
        al = crd_add(al, crd_apply(k->rotation, crd_vec_of(x)));
        break;
    case CRD_SPATIAL_BODY:
        al = crd_add(al, crd_apply(k->rotation, crd_vec_of(x + 3))); /* fall through */
    case CRD_SPATIAL_PARTICLE:
        ac = crd_add(ac, crd_vec_of(x));
        break;
    default:
        break;
    }
    crd_put(extra, al);
    crd_put(extra + 3, ac);
}

static void spread(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkMotion *k = &system->tree.motion[i];
        double *extra = system->tree.extra + 6 * i, *parent = system->tree.extra + 6 * link->parent;
        CrdVec al = crd_vec_of(parent);
        crd_put(extra, al);
        crd_put(extra + 3, crd_add(crd_vec_of(parent + 3), crd_cross(al, k->d)));
        add_motion(link, k, model->values.links[i].pitch, x + link->v, extra);
    }
}

/* Accelerations of a link, of its centre at r and of turning in its own axes, and the momenta that belong to them. */
typedef struct Momentum {
    CrdVec r, ac, own, f, turn;
} Momentum;

static inline Momentum momentum_of(const CardanModel *model, const CrdSystem *system, int i) {
    const CrdBlockValues *body = crd_link_body(model, i);
    const double *extra = system->tree.extra + 6 * i;
    CrdVec r = crd_space_centre(model, system, i), al = crd_vec_of(extra);
    CrdVec ac = crd_add(crd_vec_of(extra + 3), crd_cross(al, r));
    CrdVec own = crd_apply_t(system->tree.motion[i].rotation, al);
    return (Momentum){r, ac, own, crd_scale(body->mass, ac), crd_apply(body->inertia, own)};
}

static double kinetic(const CardanModel *model, const CrdSystem *system) {
    double twice = 0.0;
    for (int i = model->structure->tree->count - 1; i >= 0; i--) {
        Momentum p = momentum_of(model, system, i);
        twice += crd_dot(p.f, p.ac) + crd_dot(p.own, p.turn);
    }
    return 0.5 * twice;
}

static void momenta(const CardanModel *model, const CrdSystem *system, CrdRange links, double *y) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkMotion *k = &work->motion[i];
        Momentum p = momentum_of(model, system, i);
        CrdVec m = crd_add(crd_apply(k->rotation, p.turn), crd_cross(p.r, p.f)), f = p.f;
        if (link->in >= 0) {
            m = crd_add(m, crd_vec_of(work->pushes + 6 * link->in));
            f = crd_add(f, crd_vec_of(work->pushes + 6 * link->in + 3));
        }
        project(link, k, model->values.links[i].pitch, m, f, y + link->v);
        crd_push_on(link, k->d, m, f, work->pushes);
    }
}

/* ---- rows ---- */

static inline void step(const CardanModel *model, const CrdSystem *system, int index, int rows, double *wrenches,
                        double *piece) {
    const CrdLink *link = &model->structure->tree->links[index];
    const CrdLinkMotion *k = &system->tree.motion[index];
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
        project(link, k, model->values.links[index].pitch, m, f, piece);
        crd_put(wrenches, crd_add(m, crd_cross(k->d, f)));
    }
}

static inline double size(const CardanModel *model, int link, const double *row) {
    const CrdBlockValues *body = crd_link_body(model, link);
    CrdVec push = crd_vec_of(row), turn = crd_vec_of(row + 3);
    return body->inverse_mass * crd_dot(push, push) + crd_dot(turn, crd_apply(body->inverse_inertia, turn));
}

static const CrdRowKernel KERNEL = {6, false, CRD_SPATIAL_PARTICLE, crd_space_centre, bias_at, wrench, size};

CRD_UNGUARDED static void rows_of(const CardanModel *model, int element, CrdSystem *system) {
    crd_walk_rows(model, element, model->structure->elements[element].rows, system, &KERNEL, step);
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
    .kinetic = kinetic,
    .rows = rows_of,
    .eliminate = crd_space_eliminate,
};
