/* The factor of M^-1 in the plane (formulas in tree_work.h). An inertia is [A B; B^T C]; moved by d, with e = (-dy,
 * dx): B+ = B + C e,  A+ = A + B . e + e . B+. From a link to the one before it what goes on stays in registers, and
 * the way from one pivot to the next has one division: the root, which only the record needs, is taken aside. */
#include "equations/tree_factor.h"

#include "core/unguarded.h"
#include "equations/tree_arms.h"
#include "equations/tree_walk.h"

#include <string.h>

/* An inertia about o, and the wrench that the links from here outward need at zero q'', gravity taken off. */
typedef struct Inertia {
    double a, bx, by, cxx, cxy, cyy, m, fx, fy;
} Inertia;

static inline void add(Inertia *to, const Inertia *i) {
    to->a += i->a;
    to->bx += i->bx;
    to->by += i->by;
    to->cxx += i->cxx;
    to->cxy += i->cxy;
    to->cyy += i->cyy;
    to->m += i->m;
    to->fx += i->fx;
    to->fy += i->fy;
}

static inline Inertia of_slot(const double *sum) {
    return (Inertia){sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8]};
}

/* The first one there begins the sum. */
static void to_slot(const CrdLink *link, Inertia i, double *sums) {
    if (link->out < 0) return;
    double *to = sums + CRD_PLANE_SUM * link->out;
    if (!link->first) {
        Inertia others = of_slot(to);
        add(&i, &others);
    }
    const double sum[CRD_PLANE_SUM] = {i.a, i.bx, i.by, i.cxx, i.cxy, i.cyy, i.m, i.fx, i.fy};
    memcpy(to, sum, sizeof sum);
}

static inline Inertia moved(const Inertia *i, const double *d) {
    double ex = -d[1], ey = d[0];
    double bx = i->bx + i->cxx * ex + i->cxy * ey, by = i->by + i->cxy * ex + i->cyy * ey;
    return (Inertia){.a = i->a + (i->bx + bx) * ex + (i->by + by) * ey,
                     .bx = bx,
                     .by = by,
                     .cxx = i->cxx,
                     .cxy = i->cxy,
                     .cyy = i->cyy,
                     .m = i->m + ex * i->fx + ey * i->fy,
                     .fx = i->fx,
                     .fy = i->fy};
}

static inline void put_one(double s, double u, double ux, double uy, const CrdPlaneMotion *k, double *out) {
    out[CRD_PLANE_U] = s * u;
    out[CRD_PLANE_U + 1] = s * ux;
    out[CRD_PLANE_U + 2] = s * uy;
    out[CRD_PLANE_D] = k->d[0];
    out[CRD_PLANE_D + 1] = k->d[1];
    out[CRD_PLANE_SCALE] = s;
}

/* A hinge passes on no moment: A and B are used up.
 * Rounding may leave nothing of an inertia where masses are uneven beyond all reason: s is no number then, and what is
 * made of it is refused by the gate. */
static inline void eliminate_hinge(const CrdPlaneMotion *k, Inertia *i, double *out, double *y) {
    double over = 1.0 / i->a, s = sqrt(over), x = over * i->bx, z = over * i->by;
    put_one(s, i->a, i->bx, i->by, k, out);
    *y = -s * i->m;
    i->cxx -= x * i->bx;
    i->cxy -= x * i->by;
    i->cyy -= z * i->by;
    i->fx -= x * i->m;
    i->fy -= z * i->m;
    i->a = i->bx = i->by = i->m = 0.0;
}

static void eliminate_slide(const CrdPlaneMotion *k, const double *n, Inertia *i, double *out, double *y) {
    double nx = n[0], ny = n[1], push = nx * i->fx + ny * i->fy;
    double u = i->bx * nx + i->by * ny, ux = i->cxx * nx + i->cxy * ny, uy = i->cxy * nx + i->cyy * ny;
    double over = 1.0 / (nx * ux + ny * uy), s = sqrt(over);
    put_one(s, u, ux, uy, k, out);
    out[CRD_PLANE_N] = nx;
    out[CRD_PLANE_N + 1] = ny;
    *y = -s * push;
    i->a -= over * u * u;
    i->bx -= over * u * ux;
    i->by -= over * u * uy;
    i->cxx -= over * ux * ux;
    i->cxy -= over * ux * uy;
    i->cyy -= over * uy * uy;
    i->m -= over * push * u;
    i->fx -= over * push * ux;
    i->fy -= over * push * uy;
}

static void factor_free(CrdBlockKind kind, const Inertia *i, double *out) {
    const double body[6] = {i->a, i->bx, i->cxx, i->by, i->cxy, i->cyy}, particle[3] = {i->cxx, i->cxy, i->cyy};
    if (kind == CRD_PLANAR_BODY)
        memcpy(out, body, sizeof body);
    else
        memcpy(out, particle, sizeof particle);
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

/* Of a link's own body. */
static inline Inertia body_inertia(const CrdPlaneMass *values, const CrdPlaneMotion *k, CrdVec gravity) {
    double m = values->mass, square = k->w * k->w, r[2];
    crd_plane_turned(k, values->c, r);
    double fx = m * (k->ac[0] - gravity.x - square * r[0]), fy = m * (k->ac[1] - gravity.y - square * r[1]);
    return (Inertia){.a = values->about,
                     .bx = -m * r[1],
                     .by = m * r[0],
                     .cxx = m,
                     .cyy = m,
                     .m = r[0] * fy - r[1] * fx,
                     .fx = fx,
                     .fy = fy};
}

static void eliminate_other(const CardanModel *model, const CrdSystem *system, int index, Inertia *i, double *out,
                            double *y) {
    const CrdLink *link = &model->structure->tree->links[index];
    const CrdPlaneMotion *k = &system->tree.plane[index];
    if (link->kind == CRD_LINK_PRISMATIC) {
        double n[2];
        crd_plane_axis(model, system, index, n);
        eliminate_slide(k, n, i, out, y);
    } else if (link->free) {
        const double p[3] = {i->m, i->fx, i->fy};
        factor_free(link->kind, i, out);
        memset(y, 0, (size_t)link->nv * sizeof *y);
        free_inward(link->kind, out, p, y);
    } else {
        memcpy(out, k->d, sizeof k->d);
    }
}

/* Of children the one that stands next to its parent comes last: it carries its sum over, others use slots. */
CRD_UNGUARDED void crd_plane_inertias(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    const CrdVec gravity = model->values.gravity;
    Inertia carried = {0};
    for (int n = links.end - 1; n >= links.first; n--) {
        const CrdLink *link = &tree->links[n];
        const CrdPlaneMotion *k = &work->plane[n];
        double *out = work->factor + link->factor, *y = x + link->v;
        Inertia i = body_inertia(&model->values.plane_masses[n], k, gravity);
        if (crd_reads_slot(tree, links, n)) {
            Inertia others = of_slot(work->sums + CRD_PLANE_SUM * link->in);
            add(&carried, &others);
        }
        add(&i, &carried);
        if (link->kind == CRD_LINK_REVOLUTE) {
            eliminate_hinge(k, &i, out, y);
            carried = moved(&i, k->d);
        } else {
            Inertia other = i; /* so that the one above can stay in registers */
            eliminate_other(model, system, n, &other, out, y);
            carried = moved(&other, k->d);
        }
        if (crd_carries(tree, links, n)) continue;
        to_slot(link, carried, work->sums);
        carried = (Inertia){0};
    }
}

/* One link of N with the wrench p from outward. */
static inline void inward_link(const CrdLink *link, const double *factor, double *p, double *own, double *pushes) {
    if (link->free) {
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
        const double *load = system->loads[link->pose];
        double r[2];
        crd_plane_centre(model, system, i, r);
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

/* From a link to the next that hangs on it the accelerations stay in registers, too. */
CRD_UNGUARDED void crd_plane_outward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    double turn = 0.0, ax = 0.0, ay = 0.0;
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        const double *factor = work->factor + link->factor;
        double *own = x + link->v;
        if (!crd_carries(tree, links, i)) {
            const double *parent = work->extra + 3 * link->parent;
            turn = parent[0], ax = parent[1], ay = parent[2];
        }
        if (link->free) {
            double extra[3];
            free_outward(link->kind, factor, own, extra);
            turn = extra[0], ax = extra[1], ay = extra[2];
        } else {
            const double *d = arm_of(link->kind, factor), *u = factor + CRD_PLANE_U;
            bool moves = link->parent >= 0; /* a root's arm may be long */
            ax = moves ? ax - turn * d[1] : 0.0;
            ay = moves ? ay + turn * d[0] : 0.0;
            if (link->kind != CRD_LINK_WELD)
                own[0] = factor[CRD_PLANE_SCALE] * (own[0] - u[0] * turn - u[1] * ax - u[2] * ay);
            if (link->kind == CRD_LINK_REVOLUTE) {
                turn += own[0];
            } else if (link->kind == CRD_LINK_PRISMATIC) {
                ax += own[0] * factor[CRD_PLANE_N];
                ay += own[0] * factor[CRD_PLANE_N + 1];
            }
        }
        if (!crd_is_read(tree, links, i)) continue;
        double *extra = work->extra + 3 * i;
        extra[0] = turn, extra[1] = ax, extra[2] = ay;
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
    if (link->free) {
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
    double s = factor[CRD_PLANE_SCALE], nx = turns ? 0.0 : s * factor[CRD_PLANE_N],
           ny = turns ? 0.0 : s * factor[CRD_PLANE_N + 1];
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
    int rows = model->structure->elements[element].rows;
    if (rows == CRD_PIN_ROWS)
        crd_walk(model, system, element, CRD_PIN_ROWS, 3, step, system->T);
    else
        crd_walk(model, system, element, rows, 3, step, system->T);
}
