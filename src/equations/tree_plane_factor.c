/* The factor of M^-1 in the plane (formulas in tree_work.h). An inertia is [A B; B^T C], kept as A, B0, B1, C00, C01,
 * C11. Moved by d, with e = (-dy, dx):  B+ = B + C e,  A+ = A + B . e + e . B+. */
#include "equations/tree_factor.h"

#include "core/unguarded.h"
#include "equations/tree_walk.h"

#include <string.h>

static inline void inertia_on(const CrdLink *link, const double *d, const double *i, double *sums) {
    if (link->out < 0) return;
    double ex = -d[1], ey = d[0], *to = sums + CRD_PLANE_SUM * link->out;
    double b0 = i[1] + i[3] * ex + i[4] * ey, b1 = i[2] + i[4] * ex + i[5] * ey;
    const double moved[CRD_PLANE_SUM] = {
        i[0] + (i[1] + b0) * ex + (i[2] + b1) * ey, b0, b1, i[3], i[4], i[5], i[6] + ex * i[7] + ey * i[8], i[7], i[8]};
    if (link->first)
        memcpy(to, moved, sizeof moved);
    else
        for (int k = 0; k < CRD_PLANE_SUM; k++) to[k] += moved[k];
}

static inline void lessen(double *i, double u, double ux, double uy) {
    i[0] -= u * u;
    i[1] -= u * ux;
    i[2] -= u * uy;
    i[3] -= ux * ux;
    i[4] -= ux * uy;
    i[5] -= uy * uy;
}

static inline void put_one(const double *u, double s, const CrdPlaneMotion *k, double *out) {
    for (int j = 0; j < 3; j++) out[CRD_PLANE_U + j] = s * u[j];
    out[CRD_PLANE_N] = k->n[0];
    out[CRD_PLANE_N + 1] = k->n[1];
    out[CRD_PLANE_D] = k->d[0];
    out[CRD_PLANE_D + 1] = k->d[1];
    out[CRD_PLANE_SCALE] = s;
}

/* y, and what its U takes along. */
static inline void push_one(double y, const double *u, double *i, double *out) {
    *out = y;
    i[6] += y * u[0];
    i[7] += y * u[1];
    i[8] += y * u[2];
}

/* Rounding may leave nothing of an inertia where masses are uneven beyond all reason: s is no number then, and what is
 * made of it is refused by the gate. */
static inline void eliminate_hinge(const CrdPlaneMotion *k, double *i, double *out, double *y) {
    double u[3] = {i[0], i[1], i[2]}, s = 1.0 / sqrt(i[0]);
    put_one(u, s, k, out);
    push_one(-s * i[6], out + CRD_PLANE_U, i, y);
    i[0] = i[1] = i[2] = 0.0;
    lessen(i, 0.0, out[CRD_PLANE_U + 1], out[CRD_PLANE_U + 2]);
}

static inline void eliminate_slide(const CrdPlaneMotion *k, double *i, double *out, double *y) {
    double nx = k->n[0], ny = k->n[1];
    double u[3] = {i[1] * nx + i[2] * ny, i[3] * nx + i[4] * ny, i[4] * nx + i[5] * ny};
    double d = nx * u[1] + ny * u[2];
    put_one(u, 1.0 / sqrt(d), k, out);
    push_one(-out[CRD_PLANE_SCALE] * (nx * i[7] + ny * i[8]), out + CRD_PLANE_U, i, y);
    lessen(i, out[CRD_PLANE_U], out[CRD_PLANE_U + 1], out[CRD_PLANE_U + 2]);
}

static void factor_free(CrdBlockKind kind, const double *i, double *out) {
    const double body[6] = {i[0], i[1], i[3], i[2], i[4], i[5]};
    if (kind == CRD_PLANAR_BODY)
        memcpy(out, body, sizeof body);
    else
        memcpy(out, i + 3, 3 * sizeof *out);
    crd_lower_factor(out, kind == CRD_PLANAR_BODY ? 3 : 2);
}

/* ---- N and N^T ---- */

static inline double along(CrdBlockKind kind, const double *factor, const double *p) {
    if (kind == CRD_LINK_REVOLUTE) return p[0];
    return factor[CRD_PLANE_N] * p[1] + factor[CRD_PLANE_N + 1] * p[2];
}

static inline const double *arm_of(CrdBlockKind kind, const double *factor) {
    return kind == CRD_LINK_WELD ? factor : factor + CRD_PLANE_D;
}

/* x <- L^-1 x of a free link, in the order (turn, x, y) of wrenches, and back. */
static void free_inward(CrdBlockKind kind, const double *l, const double *p, double *x) {
    if (kind == CRD_PLANAR_PARTICLE) {
        x[0] -= p[1];
        x[1] -= p[2];
        crd_lower_solve(l, 2, x);
        return;
    }
    double u[3] = {x[2] - p[0], x[0] - p[1], x[1] - p[2]};
    crd_lower_solve(l, 3, u);
    memcpy(x, u, sizeof u);
}

static void free_outward(CrdBlockKind kind, const double *l, double *x, double *extra) {
    extra[0] = 0.0;
    if (kind == CRD_PLANAR_PARTICLE) {
        crd_lower_solve_t(l, 2, x);
        memcpy(extra + 1, x, 2 * sizeof *x);
        return;
    }
    crd_lower_solve_t(l, 3, x);
    memcpy(extra, x, 3 * sizeof *x);
    x[0] = extra[1];
    x[1] = extra[2];
    x[2] = extra[0];
}

/* Of a link's own body: inertia about o, and the wrench it needs at zero q'', gravity taken off. */
static inline void body_inertia(const CrdLinkValues *values, const CrdPlaneMotion *k, CrdVec gravity, double *i) {
    double m = values->mass, square = k->w * k->w;
    double fx = m * (k->ac[0] - gravity.x - square * k->r[0]), fy = m * (k->ac[1] - gravity.y - square * k->r[1]);
    i[0] = values->about[2];
    i[1] = -m * k->r[1];
    i[2] = m * k->r[0];
    i[3] = i[5] = m;
    i[4] = 0.0;
    i[6] = k->r[0] * fy - k->r[1] * fx;
    i[7] = fx;
    i[8] = fy;
}

CRD_UNGUARDED void crd_plane_inertias(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int n = links.end - 1; n >= links.first; n--) {
        const CrdLink *link = &tree->links[n];
        const CrdPlaneMotion *k = &work->plane[n];
        double *out = work->factor + link->factor, *y = work->bias + link->v, i[CRD_PLANE_SUM];
        body_inertia(&model->values.links[n], k, model->values.gravity, i);
        if (link->in >= 0)
            for (int j = 0; j < CRD_PLANE_SUM; j++) i[j] += work->sums[CRD_PLANE_SUM * link->in + j];
        if (link->kind == CRD_LINK_REVOLUTE) {
            eliminate_hinge(k, i, out, y);
        } else if (link->kind == CRD_LINK_PRISMATIC) {
            eliminate_slide(k, i, out, y);
        } else if (link->element < 0) {
            factor_free(link->kind, i, out);
            memset(y, 0, (size_t)link->nv * sizeof *y);
            free_inward(link->kind, out, i + 6, y);
        } else {
            memcpy(out, k->d, sizeof k->d);
        }
        inertia_on(link, k->d, i, work->sums);
    }
}

/* One link of N with the wrench p from outward. */
static inline void inward_link(const CrdLink *link, const double *factor, double *p, double *own, double *pushes) {
    if (link->element < 0) {
        free_inward(link->kind, factor, p, own);
        return;
    }
    if (link->kind != CRD_LINK_WELD) {
        own[0] = factor[CRD_PLANE_SCALE] * (own[0] - along(link->kind, factor, p));
        for (int j = 0; j < 3; j++) p[j] += factor[CRD_PLANE_U + j] * own[0];
    }
    if (link->out < 0) return;
    const double *d = arm_of(link->kind, factor);
    double *to = pushes + 3 * link->out;
    p[0] += d[0] * p[2] - d[1] * p[1];
    for (int j = 0; j < 3; j++) to[j] = link->first ? p[j] : to[j] + p[j];
}

/* The same as N x, x the forces of loads on frames, added to the bias. */
CRD_UNGUARDED void crd_plane_pushed(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        const double *load = system->loads[link->frame], *r = work->plane[i].r;
        double p[3] = {-load[5] - r[0] * load[1] + r[1] * load[0], -load[0], -load[1]}, *own = x + link->v;
        for (int j = 0; link->in >= 0 && j < 3; j++) p[j] += work->pushes[3 * link->in + j];
        for (int j = 0; j < link->nv; j++) own[j] = 0.0;
        inward_link(link, work->factor + link->factor, p, own, work->pushes);
        for (int j = 0; j < link->nv; j++) own[j] += work->bias[link->v + j];
    }
}

CRD_UNGUARDED void crd_plane_inward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        double p[3] = {0.0, 0.0, 0.0};
        for (int j = 0; link->in >= 0 && j < 3; j++) p[j] = work->pushes[3 * link->in + j];
        inward_link(link, work->factor + link->factor, p, x + link->v, work->pushes);
    }
}

CRD_UNGUARDED void crd_plane_outward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        const double *factor = work->factor + link->factor, *parent = work->extra + 3 * link->parent;
        double *own = x + link->v, *extra = work->extra + 3 * i;
        if (link->element < 0) {
            free_outward(link->kind, factor, own, extra);
            continue;
        }
        const double *d = arm_of(link->kind, factor);
        bool moves = link->parent >= 0; /* a root's arm may be long */
        extra[0] = parent[0];
        extra[1] = moves ? parent[1] - parent[0] * d[1] : 0.0;
        extra[2] = moves ? parent[2] + parent[0] * d[0] : 0.0;
        if (link->kind == CRD_LINK_WELD) continue;
        const double *u = factor + CRD_PLANE_U;
        own[0] = factor[CRD_PLANE_SCALE] * (own[0] - u[0] * extra[0] - u[1] * extra[1] - u[2] * extra[2]);
        if (link->kind == CRD_LINK_REVOLUTE) {
            extra[0] += own[0];
        } else {
            extra[1] += own[0] * factor[CRD_PLANE_N];
            extra[2] += own[0] * factor[CRD_PLANE_N + 1];
        }
    }
}

/* ---- rows ---- */

static void eliminate_free(const CrdLink *link, const double *factor, int rows, const double *wrenches, double *piece) {
    int skip = link->kind == CRD_PLANAR_BODY ? 0 : 1; /* a particle does not turn */
    for (int i = 0; i < rows; i++, wrenches += 3, piece += link->nv) {
        memcpy(piece, wrenches + skip, (size_t)link->nv * sizeof *piece);
        crd_lower_solve(factor, link->nv, piece);
    }
}

static inline void step(const CardanModel *model, const CrdSystem *system, int index, int rows, double *wrenches,
                        double *piece) {
    const CrdLink *link = &model->structure->tree->links[index];
    const double *factor = system->tree.factor + link->factor;
    if (link->element < 0) {
        eliminate_free(link, factor, rows, wrenches, piece);
        return;
    }
    const double *arm = arm_of(link->kind, factor);
    double dx = arm[0], dy = arm[1];
    if (link->kind == CRD_LINK_WELD) {
        for (int i = 0; i < rows; i++, wrenches += 3) wrenches[0] += dx * wrenches[2] - dy * wrenches[1];
        return;
    }
    bool turns = link->kind == CRD_LINK_REVOLUTE;
    double s = factor[CRD_PLANE_SCALE], nx = s * factor[CRD_PLANE_N], ny = s * factor[CRD_PLANE_N + 1];
    double u = factor[CRD_PLANE_U], ux = factor[CRD_PLANE_U + 1], uy = factor[CRD_PLANE_U + 2];
    for (int i = 0; i < rows; i++, wrenches += 3) {
        double y = turns ? s * wrenches[0] : nx * wrenches[1] + ny * wrenches[2];
        double fx = wrenches[1] - ux * y, fy = wrenches[2] - uy * y;
        wrenches[0] += dx * fy - dy * fx - u * y;
        wrenches[1] = fx;
        wrenches[2] = fy;
        piece[i] = y;
    }
}

CRD_UNGUARDED void crd_plane_eliminate(const CardanModel *model, int element, CrdSystem *system) {
    crd_walk(model, system, element, 3, step, system->T);
}
