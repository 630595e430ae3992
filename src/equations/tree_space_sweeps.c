/* Sweeps in space with the factor at hand: N, N^T, and loop rows (formulas in tree_work.h). */
#include "core/unguarded.h"
#include "equations/tree_arms.h"
#include "equations/tree_space.h"
#include "equations/tree_walk.h"

/* The same as N x, x the forces of loads on frames, added to the bias. */
CRD_UNGUARDED void crd_space_pushed(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        CrdVec m = {0, 0, 0}, f = {0, 0, 0};
        if (link->in >= 0) {
            m = crd_vec_of(work->pushes + 6 * link->in);
            f = crd_vec_of(work->pushes + 6 * link->in + 3);
        }
        if (crd_link_has_body(model->structure, link)) {
            const double *load = system->loads[link->pose];
            CrdVec force = crd_vec_of(load);
            m = crd_sub(m, crd_apply(work->motion[i].rotation, crd_vec_of(load + 3)));
            m = crd_sub(m, crd_cross(crd_space_centre(model, system, i), force));
            f = crd_sub(f, force);
        }
        double *own = x + link->v;
        for (int r = 0; r < link->nv; r++) own[r] = 0.0;
        CrdVec d = crd_space_inward_link(link->kind, work->factor + link->factor, own, &m, &f);
        for (int r = 0; r < link->nv; r++) own[r] += work->bias[link->v + r];
        crd_push_on(link, d, m, f, work->pushes);
    }
}

CRD_UNGUARDED void crd_space_inward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        CrdVec m = {0, 0, 0}, f = {0, 0, 0};
        if (link->in >= 0) {
            m = crd_vec_of(work->pushes + 6 * link->in);
            f = crd_vec_of(work->pushes + 6 * link->in + 3);
        }
        CrdVec d = crd_space_inward_link(link->kind, work->factor + link->factor, x + link->v, &m, &f);
        crd_push_on(link, d, m, f, work->pushes);
    }
}

static void outward_ball(const double *factor, double *x, CrdVec *al, CrdVec ac) {
    const double *l = factor + CRD_BALL_L;
    CrdVec y = crd_sub(crd_vec_of(x), crd_apply(factor + CRD_BALL_X, ac));
    y = crd_sub(y, crd_vec(l[0] * al->x + l[1] * al->y + l[3] * al->z, l[2] * al->y + l[4] * al->z, l[5] * al->z));
    crd_put(x, y);
    crd_lower_solve_t(l, 3, x);
    *al = crd_add(*al, crd_vec_of(x));
    crd_put(x, crd_apply_t(factor + CRD_BALL_R, crd_vec_of(x)));
}

static inline void outward_one(CrdBlockKind kind, const double *factor, double *x, CrdVec *al, CrdVec *ac) {
    CrdVec n = crd_vec_of(factor + CRD_ONE_N);
    double y = x[0] - crd_dot(crd_vec_of(factor + CRD_ONE_U), *al) - crd_dot(crd_vec_of(factor + CRD_ONE_U + 3), *ac);
    x[0] = y = factor[CRD_ONE_SCALE] * y;
    if (kind != CRD_LINK_PRISMATIC) *al = crd_axpy(*al, y, n);
    if (kind == CRD_LINK_PRISMATIC) *ac = crd_axpy(*ac, y, n);
    if (kind == CRD_LINK_SCREW) *ac = crd_axpy(*ac, factor[CRD_ONE_PITCH] * y, n);
}

/* d of a link's record. */
static inline CrdVec arm_of(CrdBlockKind kind, const double *factor) {
    return crd_vec_of(factor + (kind == CRD_LINK_WELD ? 0 : kind == CRD_LINK_SPHERICAL ? CRD_BALL_D : CRD_ONE_D));
}

/* From a link to the next that hangs on it the accelerations stay in registers. */
CRD_UNGUARDED void crd_space_outward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    CrdVec al = {0, 0, 0}, ac = {0, 0, 0};
    for (int i = links.first; i < links.end; i++) {
        const CrdLink *link = &tree->links[i];
        const double *factor = work->factor + link->factor;
        double *own = x + link->v;
        if (!crd_carries(tree, links, i)) {
            al = crd_vec_of(work->extra + 6 * link->parent);
            ac = crd_vec_of(work->extra + 6 * link->parent + 3);
        }
        if (link->parent >= 0) ac = crd_add(ac, crd_cross(al, arm_of(link->kind, factor)));
        switch (link->kind) {
        case CRD_LINK_SPHERICAL:
            outward_ball(factor, own, &al, ac);
            break;
        case CRD_SPATIAL_BODY:
            crd_lower_solve_t(factor + CRD_FREE_L, 6, own);
            al = crd_vec_of(own);
            ac = crd_vec_of(own + 3);
            crd_put(own, ac);
            crd_put(own + 3, crd_apply_t(factor + CRD_FREE_R, al));
            break;
        case CRD_SPATIAL_PARTICLE:
            crd_lower_solve_t(factor, 3, own);
            ac = crd_vec_of(own);
            break;
        case CRD_LINK_WELD:
            break;
        default:
            outward_one(link->kind, factor, own, &al, &ac);
        }
        if (!crd_is_read(tree, links, i)) continue;
        crd_put(work->extra + 6 * i, al);
        crd_put(work->extra + 6 * i + 3, ac);
    }
}

/* ---- rows: T_k = L^-1 H^T P, P - U T_k moved by d ---- */

/* Of a link that does not turn alone; returns d. */
static CrdVec eliminate_row(CrdBlockKind kind, const double *factor, CrdVec *m, CrdVec *f, double *piece) {
    switch (kind) {
    case CRD_LINK_SPHERICAL:
        crd_put(piece, *m);
        crd_lower_solve(factor + CRD_BALL_L, 3, piece);
        *m = crd_vec(0, 0, 0);
        *f = crd_sub(*f, crd_apply_t(factor + CRD_BALL_X, crd_vec_of(piece)));
        return crd_vec_of(factor + CRD_BALL_D);
    case CRD_SPATIAL_BODY:
        crd_put(piece, *m);
        crd_put(piece + 3, *f);
        crd_lower_solve(factor + CRD_FREE_L, 6, piece);
        return crd_vec(0, 0, 0);
    case CRD_SPATIAL_PARTICLE:
        crd_put(piece, *f);
        crd_lower_solve(factor, 3, piece);
        return crd_vec(0, 0, 0);
    case CRD_LINK_WELD:
        return crd_vec_of(factor);
    default:
        piece[0] = factor[CRD_ONE_SCALE] * crd_space_along(kind, factor, *m, *f);
        crd_space_add(factor, -piece[0], m, f);
        return crd_vec_of(factor + CRD_ONE_D);
    }
}

static inline void step(const CardanModel *model, const CrdSystem *system, int index, int rows, double *wrenches,
                        double *piece) {
    const CrdLink *link = &model->structure->tree->links[index];
    const double *factor = system->tree.factor + link->factor;
    if (link->kind == CRD_LINK_REVOLUTE) {
        CrdVec n = crd_scale(factor[CRD_ONE_SCALE], crd_vec_of(factor + CRD_ONE_N)), d = crd_vec_of(factor + CRD_ONE_D);
        CrdVec um = crd_vec_of(factor + CRD_ONE_U), uf = crd_vec_of(factor + CRD_ONE_U + 3);
        for (int i = 0; i < rows; i++, wrenches += 6) {
            double y = crd_dot(n, crd_vec_of(wrenches));
            CrdVec f = crd_axpy(crd_vec_of(wrenches + 3), -y, uf);
            piece[i] = y;
            crd_put(wrenches, crd_add(crd_axpy(crd_vec_of(wrenches), -y, um), crd_cross(d, f)));
            crd_put(wrenches + 3, f);
        }
        return;
    }
    for (int i = 0; i < rows; i++, wrenches += 6, piece += link->nv) {
        CrdVec m = crd_vec_of(wrenches), f = crd_vec_of(wrenches + 3);
        CrdVec d = eliminate_row(link->kind, factor, &m, &f, piece);
        crd_put(wrenches, crd_add(m, crd_cross(d, f)));
        crd_put(wrenches + 3, f);
    }
}

CRD_UNGUARDED void crd_space_eliminate(const CardanModel *model, int element, CrdSystem *system) {
    crd_walk(model, system, element, model->structure->elements[element].rows, 6, step, system->T);
}
