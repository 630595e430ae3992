/* One link of the sweeps in space, with the record that the factor has of it. */
#ifndef CRD_EQUATIONS_TREE_SPACE_H
#define CRD_EQUATIONS_TREE_SPACE_H

#include "equations/tree_factor.h"

/* H^T (m; f) of a one-freedom joint. */
static inline double crd_space_along(CrdBlockKind kind, const double *factor, CrdVec m, CrdVec f) {
    CrdVec n = crd_vec_of(factor + CRD_ONE_N);
    if (kind == CRD_LINK_REVOLUTE) return crd_dot(n, m);
    if (kind == CRD_LINK_PRISMATIC) return crd_dot(n, f);
    return crd_dot(n, m) + factor[CRD_ONE_PITCH] * crd_dot(n, f);
}

static inline void crd_space_add(const double *factor, double y, CrdVec *m, CrdVec *f) {
    *m = crd_axpy(*m, y, crd_vec_of(factor + CRD_ONE_U));
    *f = crd_axpy(*f, y, crd_vec_of(factor + CRD_ONE_U + 3));
}

/* One link of N: x <- y, (m, f) <- what goes on. Returns d. */
static inline CrdVec crd_space_inward_link(CrdBlockKind kind, const double *factor, double *x, CrdVec *m, CrdVec *f) {
    switch (kind) {
    case CRD_LINK_SPHERICAL: {
        CrdVec own = crd_apply(factor + CRD_BALL_R, crd_vec_of(x));
        crd_put(x, crd_sub(own, *m));
        crd_lower_solve(factor + CRD_BALL_L, 3, x);
        *m = own;
        *f = crd_add(*f, crd_apply_t(factor + CRD_BALL_X, crd_vec_of(x)));
        return crd_vec_of(factor + CRD_BALL_D);
    }
    case CRD_SPATIAL_BODY: {
        CrdVec turn = crd_sub(crd_apply(factor + CRD_FREE_R, crd_vec_of(x + 3)), *m);
        crd_put(x + 3, crd_sub(crd_vec_of(x), *f));
        crd_put(x, turn);
        crd_lower_solve(factor + CRD_FREE_L, 6, x);
        break;
    }
    case CRD_SPATIAL_PARTICLE:
        crd_put(x, crd_sub(crd_vec_of(x), *f));
        crd_lower_solve(factor, 3, x);
        break;
    case CRD_LINK_WELD:
        return crd_vec_of(factor);
    default:
        x[0] = factor[CRD_ONE_SCALE] * (x[0] - crd_space_along(kind, factor, *m, *f));
        crd_space_add(factor, x[0], m, f);
        return crd_vec_of(factor + CRD_ONE_D);
    }
    return crd_vec(0, 0, 0);
}

/* Hands a moment and a force, moved by d, on to the link before; the first one there begins the sum. */
static inline void crd_push_on(const CrdLink *link, CrdVec d, CrdVec m, CrdVec f, double *pushes) {
    if (link->out < 0) return;
    double *to = pushes + 6 * link->out;
    m = crd_add(m, crd_cross(d, f));
    if (!link->first) {
        m = crd_add(m, crd_vec_of(to));
        f = crd_add(f, crd_vec_of(to + 3));
    }
    crd_put(to, m);
    crd_put(to + 3, f);
}

#endif
