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

/* S - u w^T, w along u. */
static inline void lessen(double *s, CrdVec u, CrdVec w) {
    s[0] -= u.x * w.x;
    s[1] -= u.y * w.y;
    s[2] -= u.z * w.z;
    s[3] -= u.x * w.y;
    s[4] -= u.x * w.z;
    s[5] -= u.y * w.z;
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

/* The same of a diagonal matrix, by the columns x and y of R: z 1 + (x - z) x x^T + (y - z) y y^T. */
static inline void turned_diagonal(const double *r, const double *s, double *out) {
    CrdVec x = crd_vec(r[0], r[3], r[6]), y = crd_vec(r[1], r[4], r[7]);
    CrdVec u = crd_scale(s[0] - s[2], x), v = crd_scale(s[1] - s[2], y);
    out[0] = s[2] + u.x * x.x + v.x * y.x;
    out[1] = s[2] + u.y * x.y + v.y * y.y;
    out[2] = s[2] + u.z * x.z + v.z * y.z;
    out[3] = u.x * x.y + v.x * y.y;
    out[4] = u.x * x.z + v.x * y.z;
    out[5] = u.y * x.z + v.y * y.z;
}

/* Adds a link's own body, about o:
 *     m = J al + mc x ac + w x J w        f = m ac + al x mc + w x (w x mc) */
static inline void add_body(const CrdLinkMass *body, const CrdLinkMotion *k, CrdVec gravity, Inertia *to) {
    double mass = body->mass, j[6];
    CrdVec mc = crd_scale(mass, crd_apply(k->rotation, body->c)), ac = crd_sub(k->ac, gravity);
    if (body->principal)
        turned_diagonal(k->rotation, body->about, j);
    else
        turned(k->rotation, body->about, j);
    for (int i = 0; i < 6; i++) to->a[i] += j[i];
    to->b[1] -= mc.z, to->b[2] += mc.y;
    to->b[3] += mc.z, to->b[5] -= mc.x;
    to->b[6] -= mc.y, to->b[7] += mc.x;
    for (int i = 0; i < 3; i++) to->c[i] += mass;
    CrdVec m = crd_add(symmetric(j, k->al), crd_add(crd_cross(mc, ac), crd_cross(k->w, symmetric(j, k->w))));
    CrdVec f = crd_add(crd_scale(mass, ac), crd_add(crd_cross(k->al, mc), crd_cross(k->w, crd_cross(k->w, mc))));
    to->m = crd_add(to->m, m);
    to->f = crd_add(to->f, f);
}

/* Moved by d: B+ = B + [d]C, A+ = A - B+[d] + [d]B^T, m+ = m + d x f. Rows of -B+[d] are d crossed with rows of B+,
 * columns of [d]B^T d crossed with rows of B. */
static inline void moved(const Inertia *from, CrdVec d, Inertia *to) {
    const double *a = from->a, *b = from->b, *c = from->c;
    double b00 = b[0] + d.y * c[4] - d.z * c[3], b01 = b[1] + d.y * c[5] - d.z * c[1],
           b02 = b[2] + d.y * c[2] - d.z * c[5];
    double b10 = b[3] + d.z * c[0] - d.x * c[4], b11 = b[4] + d.z * c[3] - d.x * c[5],
           b12 = b[5] + d.z * c[4] - d.x * c[2];
    double b20 = b[6] + d.x * c[3] - d.y * c[0], b21 = b[7] + d.x * c[1] - d.y * c[3],
           b22 = b[8] + d.x * c[5] - d.y * c[4];
    to->a[0] = a[0] + d.y * (b02 + b[2]) - d.z * (b01 + b[1]);
    to->a[1] = a[1] + d.z * (b10 + b[3]) - d.x * (b12 + b[5]);
    to->a[2] = a[2] + d.x * (b21 + b[7]) - d.y * (b20 + b[6]);
    to->a[3] = a[3] + d.z * (b00 - b[4]) - d.x * b02 + d.y * b[5];
    to->a[4] = a[4] + d.y * (b[8] - b00) + d.x * b01 - d.z * b[7];
    to->a[5] = a[5] + d.x * (b11 - b[8]) - d.y * b10 + d.z * b[6];
    to->b[0] = b00, to->b[1] = b01, to->b[2] = b02;
    to->b[3] = b10, to->b[4] = b11, to->b[5] = b12;
    to->b[6] = b20, to->b[7] = b21, to->b[8] = b22;
    for (int k = 0; k < 6; k++) to->c[k] = c[k];
    to->m = crd_add(from->m, crd_cross(d, from->f));
    to->f = from->f;
}

static void add_slot(const double *sum, Inertia *to) {
    for (int k = 0; k < 6; k++) to->a[k] += sum[k];
    for (int k = 0; k < 9; k++) to->b[k] += sum[6 + k];
    for (int k = 0; k < 6; k++) to->c[k] += sum[15 + k];
    to->m = crd_add(to->m, crd_vec_of(sum + 21));
    to->f = crd_add(to->f, crd_vec_of(sum + 24));
}

/* The first one there begins the sum. */
static void to_slot(const CrdLink *link, Inertia *i, double *sums) {
    if (link->out < 0) return;
    double *to = sums + CRD_SPACE_SUM * link->out;
    if (!link->first) add_slot(to, i);
    memcpy(to, i->a, sizeof i->a);
    memcpy(to + 6, i->b, sizeof i->b);
    memcpy(to + 15, i->c, sizeof i->c);
    crd_put(to + 21, i->m);
    crd_put(to + 24, i->f);
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
    double over = 1.0 / d, s = sqrt(over); /* from one pivot to the next leads a division; the root stands aside */
    crd_put(out + CRD_ONE_U, crd_scale(s, um));
    crd_put(out + CRD_ONE_U + 3, crd_scale(s, uf));
    crd_put(out + CRD_ONE_N, n);
    crd_put(out + CRD_ONE_D, k->d);
    out[CRD_ONE_SCALE] = s;
    if (kind != CRD_LINK_REVOLUTE) out[CRD_ONE_PITCH] = pitch;
    *y = -s * push;
    if (goes_on < 0) return;
    CrdVec wm = crd_scale(over, um), wf = crd_scale(over, uf);
    lessen(i->a, um, wm);
    lessen(i->c, uf, wf);
    i->b[0] -= wm.x * uf.x, i->b[1] -= wm.x * uf.y, i->b[2] -= wm.x * uf.z;
    i->b[3] -= wm.y * uf.x, i->b[4] -= wm.y * uf.y, i->b[5] -= wm.y * uf.z;
    i->b[6] -= wm.z * uf.x, i->b[7] -= wm.z * uf.y, i->b[8] -= wm.z * uf.z;
    i->m = crd_axpy(i->m, -push, wm);
    i->f = crd_axpy(i->f, -push, wf);
}

/* A = L L^T, X = L^-1 B: all of A and B goes, of C the part X^T X. */
static void eliminate_ball(const CrdLinkMotion *k, Inertia *i, double *out) {
    const double l[6] = {i->a[0], i->a[3], i->a[1], i->a[4], i->a[5], i->a[2]};
    double *x = out + CRD_BALL_X;
    memcpy(out + CRD_BALL_L, l, sizeof l);
    crd_lower_factor(out + CRD_BALL_L, 3);
    for (int c = 0; c < 3; c++) {
        double column[3] = {i->b[c], i->b[3 + c], i->b[6 + c]};
        crd_lower_solve(out + CRD_BALL_L, 3, column);
        for (int r = 0; r < 3; r++) x[3 * r + c] = column[r];
    }
    for (int r = 0; r < 3; r++) lessen(i->c, crd_vec_of(x + 3 * r), crd_vec_of(x + 3 * r));
    memset(i->a, 0, sizeof i->a);
    memset(i->b, 0, sizeof i->b);
    crd_put(out + CRD_BALL_D, k->d);
    memcpy(out + CRD_BALL_R, k->rotation, 9 * sizeof *out);
}

static void factor_free(const CrdLinkMotion *k, const Inertia *i, double *out) {
    const double *a = i->a, *b = i->b, *c = i->c;
    const double l[21] = {a[0], a[3], a[1], a[4], a[5], a[2], b[0], b[3], b[6], c[0], b[1],
                          b[4], b[7], c[3], c[1], b[2], b[5], b[8], c[4], c[5], c[2]};
    memcpy(out + CRD_FREE_L, l, sizeof l);
    crd_lower_factor(out + CRD_FREE_L, 6);
    memcpy(out + CRD_FREE_R, k->rotation, 9 * sizeof *out);
}

static void factor_particle(const Inertia *i, double *out) {
    const double *c = i->c, l[6] = {c[0], c[3], c[1], c[4], c[5], c[2]};
    memcpy(out, l, sizeof l);
    crd_lower_factor(out, 3);
}

/* A link that does not just turn. */
static void eliminate_other(const CrdLink *link, double pitch, const CrdLinkMotion *k, Inertia *i, double *out,
                            double *y) {
    switch (link->kind) {
    case CRD_LINK_PRISMATIC:
    case CRD_LINK_SCREW:
        eliminate_one(link->kind, link->out, pitch, k, i, out, y);
        return;
    case CRD_LINK_SPHERICAL:
        eliminate_ball(k, i, out);
        break;
    case CRD_SPATIAL_BODY:
        factor_free(k, i, out);
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

/* Part by part: all at once it would be a string instruction, which takes as long as half a link. */
static inline void clear(Inertia *i) {
    for (int k = 0; k < 6; k++) i->a[k] = 0.0;
    for (int k = 0; k < 9; k++) i->b[k] = 0.0;
    for (int k = 0; k < 6; k++) i->c[k] = 0.0;
    i->m = i->f = crd_vec(0, 0, 0);
}

/* Of children the one that stands next to its parent comes last: it carries its sum over, others use slots. */
CRD_UNGUARDED void crd_space_inertias(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTree *tree = model->structure->tree;
    const CrdTreeWork *work = &system->tree;
    const CrdVec gravity = model->values.gravity;
    bool handed = false;
    Inertia carried;
    for (int i = links.end - 1; i >= links.first; i--) {
        const CrdLink *link = &tree->links[i];
        const CrdLinkMotion *k = &work->motion[i];
        double *out = work->factor + link->factor, *y = x + link->v;
        if (!handed) clear(&carried);
        if (crd_reads_slot(tree, links, i)) add_slot(work->sums + CRD_SPACE_SUM * link->in, &carried);
        Inertia inertia = carried;
        add_body(&model->values.masses[i], k, gravity, &inertia);
        if (link->kind == CRD_LINK_REVOLUTE) {
            eliminate_one(CRD_LINK_REVOLUTE, link->out, 0.0, k, &inertia, out, y);
            if (link->out >= 0) moved(&inertia, k->d, &carried);
        } else {
            Inertia other = inertia; /* so that the one above can stay in registers */
            eliminate_other(link, model->values.links[i].pitch, k, &other, out, y);
            if (link->out >= 0) moved(&other, k->d, &carried);
        }
        handed = crd_carries(tree, links, i);
        if (!handed) to_slot(link, &carried, work->sums);
    }
}
