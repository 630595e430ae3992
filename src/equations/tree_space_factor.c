/* The factor of M^-1 in space (formulas in tree_work.h). An inertia I = [A B; B^T C] is kept as 21 numbers: A and C by
 * xx yy zz xy xz yz, B by rows. The forces that the motion itself needs are swept along: N f of gravity and of what
 * depends on velocities (`bias`), so that loads are all that is left. */
#include "equations/tree_factor.h"

#include "core/unguarded.h"
#include "equations/tree_space.h"

#include <string.h>

/* An inertia and the wrench that the links from here outward need at zero q'', gravity taken off. */
typedef struct Inertia {
    double a[6], b[9], c[6];
    CrdVec m, f;
} Inertia;

/* S v of a symmetric matrix. */
static inline CrdVec symmetric(const double *s, CrdVec v) {
    return crd_vec(s[0] * v.x + s[3] * v.y + s[4] * v.z, s[3] * v.x + s[1] * v.y + s[5] * v.z,
                   s[4] * v.x + s[5] * v.y + s[2] * v.z);
}

static inline void lessen(double *s, CrdVec u) {
    s[0] -= u.x * u.x;
    s[1] -= u.y * u.y;
    s[2] -= u.z * u.z;
    s[3] -= u.x * u.y;
    s[4] -= u.x * u.z;
    s[5] -= u.y * u.z;
}

/* R S R^T */
static inline void turned(const double *r, const double *s, double *out) {
    CrdVec r0 = crd_vec_of(r), r1 = crd_vec_of(r + 3), r2 = crd_vec_of(r + 6);
    CrdVec x = symmetric(s, r0), y = symmetric(s, r1), z = symmetric(s, r2);
    out[0] = crd_dot(r0, x);
    out[1] = crd_dot(r1, y);
    out[2] = crd_dot(r2, z);
    out[3] = crd_dot(r0, y);
    out[4] = crd_dot(r0, z);
    out[5] = crd_dot(r1, z);
}

/* Of a link's own body, about o:
 *     m = J al + mc x ac + w x J w        f = m ac + al x mc + w x (w x mc) */
static inline void body_inertia(const CrdLinkValues *values, const CrdLinkMotion *k, const double *r, CrdVec gravity,
                                Inertia *out) {
    double mass = values->mass;
    CrdVec mc = crd_scale(mass, k->r), ac = crd_sub(k->ac, gravity);
    turned(r, values->about, out->a);
    out->b[0] = out->b[4] = out->b[8] = 0.0;
    out->b[1] = -mc.z;
    out->b[2] = mc.y;
    out->b[3] = mc.z;
    out->b[5] = -mc.x;
    out->b[6] = -mc.y;
    out->b[7] = mc.x;
    out->c[0] = out->c[1] = out->c[2] = mass;
    out->c[3] = out->c[4] = out->c[5] = 0.0;
    out->m = crd_add(symmetric(out->a, k->al), crd_add(crd_cross(mc, ac), crd_cross(k->w, symmetric(out->a, k->w))));
    out->f = crd_add(crd_scale(mass, ac), crd_add(crd_cross(k->al, mc), crd_cross(k->w, crd_cross(k->w, mc))));
}

/* Moves it by d and stores it, or adds it: B+ = B + [d]C, A+ = A - B+[d] + [d]B^T, m+ = m + d x f. Rows of -B+[d] are d
 * crossed with rows of B+, columns of [d]B^T d crossed with rows of B. */
static inline void inertia_on(const CrdLink *link, CrdVec d, const Inertia *from, double *sums) {
    if (link->out < 0) return;
    const double *a = from->a, *b = from->b, *c = from->c;
    double *to = sums + CRD_SPACE_SUM * link->out;
    double b00 = b[0] + d.y * c[4] - d.z * c[3], b01 = b[1] + d.y * c[5] - d.z * c[1],
           b02 = b[2] + d.y * c[2] - d.z * c[5];
    double b10 = b[3] + d.z * c[0] - d.x * c[4], b11 = b[4] + d.z * c[3] - d.x * c[5],
           b12 = b[5] + d.z * c[4] - d.x * c[2];
    double b20 = b[6] + d.x * c[3] - d.y * c[0], b21 = b[7] + d.x * c[1] - d.y * c[3],
           b22 = b[8] + d.x * c[5] - d.y * c[4];
    CrdVec m = crd_add(from->m, crd_cross(d, from->f));
    const double sum[CRD_SPACE_SUM] = {a[0] + d.y * (b02 + b[2]) - d.z * (b01 + b[1]),
                                       a[1] + d.z * (b10 + b[3]) - d.x * (b12 + b[5]),
                                       a[2] + d.x * (b21 + b[7]) - d.y * (b20 + b[6]),
                                       a[3] + d.z * (b00 - b[4]) - d.x * b02 + d.y * b[5],
                                       a[4] + d.y * (b[8] - b00) + d.x * b01 - d.z * b[7],
                                       a[5] + d.x * (b11 - b[8]) - d.y * b10 + d.z * b[6],
                                       b00,
                                       b01,
                                       b02,
                                       b10,
                                       b11,
                                       b12,
                                       b20,
                                       b21,
                                       b22,
                                       c[0],
                                       c[1],
                                       c[2],
                                       c[3],
                                       c[4],
                                       c[5],
                                       m.x,
                                       m.y,
                                       m.z,
                                       from->f.x,
                                       from->f.y,
                                       from->f.z};
    if (link->first)
        for (int i = 0; i < CRD_SPACE_SUM; i++) to[i] = sum[i];
    else
        for (int i = 0; i < CRD_SPACE_SUM; i++) to[i] += sum[i];
}

static inline void add_children(const double *sum, Inertia *to) {
    for (int i = 0; i < 6; i++) to->a[i] += sum[i];
    for (int i = 0; i < 9; i++) to->b[i] += sum[6 + i];
    for (int i = 0; i < 6; i++) to->c[i] += sum[15 + i];
    to->m = crd_add(to->m, crd_vec_of(sum + 21));
    to->f = crd_add(to->f, crd_vec_of(sum + 24));
}

/* ---- by joint ---- */

static inline void eliminate_one(CrdBlockKind kind, int goes_on, double pitch, const CrdLinkMotion *k, Inertia *i,
                                 double *out, double *y) {
    CrdVec n = k->n, um, uf;
    double d, push;
    if (kind == CRD_LINK_REVOLUTE) {
        um = symmetric(i->a, n);
        uf = crd_apply_t(i->b, n);
        d = crd_dot(n, um);
        push = crd_dot(n, i->m);
    } else if (kind == CRD_LINK_PRISMATIC) {
        um = crd_apply(i->b, n);
        uf = symmetric(i->c, n);
        d = crd_dot(n, uf);
        push = crd_dot(n, i->f);
    } else {
        um = crd_axpy(symmetric(i->a, n), pitch, crd_apply(i->b, n));
        uf = crd_axpy(crd_apply_t(i->b, n), pitch, symmetric(i->c, n));
        d = crd_dot(n, um) + pitch * crd_dot(n, uf);
        push = crd_dot(n, i->m) + pitch * crd_dot(n, i->f);
    }
    /* every chain of massless links ends with a body; what rounding left of an inertia that is none the gate refuses */
    double s = 1.0 / sqrt(d);
    um = crd_scale(s, um);
    uf = crd_scale(s, uf);
    crd_put(out + CRD_ONE_U, um);
    crd_put(out + CRD_ONE_U + 3, uf);
    crd_put(out + CRD_ONE_N, n);
    crd_put(out + CRD_ONE_D, k->d);
    out[CRD_ONE_SCALE] = s;
    out[CRD_ONE_PITCH] = pitch;
    *y = -s * push;
    if (goes_on < 0) return;
    lessen(i->a, um);
    lessen(i->c, uf);
    i->b[0] -= um.x * uf.x, i->b[1] -= um.x * uf.y, i->b[2] -= um.x * uf.z;
    i->b[3] -= um.y * uf.x, i->b[4] -= um.y * uf.y, i->b[5] -= um.y * uf.z;
    i->b[6] -= um.z * uf.x, i->b[7] -= um.z * uf.y, i->b[8] -= um.z * uf.z;
    i->m = crd_axpy(i->m, *y, um);
    i->f = crd_axpy(i->f, *y, uf);
}

/* A = L L^T, X = L^-1 B: all of A and B goes, of C the part X^T X. */
static void eliminate_ball(const CrdLinkMotion *k, const double *rotation, Inertia *i, double *out) {
    const double l[6] = {i->a[0], i->a[3], i->a[1], i->a[4], i->a[5], i->a[2]};
    double *x = out + CRD_BALL_X;
    memcpy(out + CRD_BALL_L, l, sizeof l);
    crd_lower_factor(out + CRD_BALL_L, 3);
    for (int c = 0; c < 3; c++) {
        double column[3] = {i->b[c], i->b[3 + c], i->b[6 + c]};
        crd_lower_solve(out + CRD_BALL_L, 3, column);
        for (int r = 0; r < 3; r++) x[3 * r + c] = column[r];
    }
    for (int r = 0; r < 3; r++) lessen(i->c, crd_vec_of(x + 3 * r));
    memset(i->a, 0, sizeof i->a);
    memset(i->b, 0, sizeof i->b);
    crd_put(out + CRD_BALL_D, k->d);
    memcpy(out + CRD_BALL_R, rotation, 9 * sizeof *out);
}

static void factor_free(const double *rotation, const Inertia *i, double *out) {
    const double *a = i->a, *b = i->b, *c = i->c;
    const double l[21] = {a[0], a[3], a[1], a[4], a[5], a[2], b[0], b[3], b[6], c[0], b[1],
                          b[4], b[7], c[3], c[1], b[2], b[5], b[8], c[4], c[5], c[2]};
    memcpy(out + CRD_FREE_L, l, sizeof l);
    crd_lower_factor(out + CRD_FREE_L, 6);
    memcpy(out + CRD_FREE_R, rotation, 9 * sizeof *out);
}

static void factor_particle(const Inertia *i, double *out) {
    const double *c = i->c, l[6] = {c[0], c[3], c[1], c[4], c[5], c[2]};
    memcpy(out, l, sizeof l);
    crd_lower_factor(out, 3);
}

/* A link that does not just turn. */
static void eliminate_other(const CrdLink *link, double pitch, const CrdLinkMotion *k, const double *rotation,
                            Inertia *i, double *out, double *y) {
    switch (link->kind) {
    case CRD_LINK_PRISMATIC:
    case CRD_LINK_SCREW:
        eliminate_one(link->kind, link->out, pitch, k, i, out, y);
        return;
    case CRD_LINK_SPHERICAL:
        eliminate_ball(k, rotation, i, out);
        break;
    case CRD_SPATIAL_BODY:
        factor_free(rotation, i, out);
        break;
    case CRD_SPATIAL_PARTICLE:
        factor_particle(i, out);
        break;
    default:
        crd_put(out, k->d);
    }
    for (int r = 0; r < link->nv; r++) y[r] = 0.0;
    crd_space_inward_link(link->kind, out, y, &i->m, &i->f);
}

CRD_UNGUARDED void crd_space_inertias(const CardanModel *model, const CrdSystem *system, CrdRange links) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkValues *values = &model->values.links[i];
        const CrdLinkMotion *k = &work->motion[i];
        const double *rotation = system->frames[link->pose].rotation;
        double *out = work->factor + link->factor;
        Inertia inertia;
        body_inertia(values, k, rotation, model->values.gravity, &inertia);
        if (link->in >= 0) add_children(work->sums + CRD_SPACE_SUM * link->in, &inertia);
        if (link->kind == CRD_LINK_REVOLUTE) {
            eliminate_one(CRD_LINK_REVOLUTE, link->out, 0.0, k, &inertia, out, work->bias + link->v);
            inertia_on(link, k->d, &inertia, work->sums);
        } else {
            Inertia other = inertia; /* so that the one above can stay in registers */
            eliminate_other(link, values->pitch, k, rotation, &other, out, work->bias + link->v);
            inertia_on(link, k->d, &other, work->sums);
        }
    }
}
