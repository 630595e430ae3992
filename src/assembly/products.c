/* Products with M and G, and S = G W G^T through the slot map made at compile. */
#include "assembly/system.h"

#include <string.h>

/* ---- M ---- */

static void custom_solve(const double *l, int n, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
}

static inline void block_solve(const CrdBlock *block, const CrdBlockNumbers *n, const double *custom, double *x) {
    switch (block->kind) {
    case CRD_SPATIAL_BODY: crd_put(x + 3, crd_apply(n->inverse_inertia, crd_vec_of(x + 3))); /* fall through */
    case CRD_SPATIAL_PARTICLE: crd_put(x, crd_scale(n->inverse_mass, crd_vec_of(x))); break;
    case CRD_PLANAR_BODY: x[2] *= n->inverse_inertia[8]; /* fall through */
    case CRD_PLANAR_PARTICLE:
        x[0] *= n->inverse_mass;
        x[1] *= n->inverse_mass;
        break;
    case CRD_CUSTOM_BLOCK: custom_solve(custom, block->nv, x);
    }
}

void crd_solve_mass(const CardanModel *model, const CrdSystem *w, double *x) {
    const CrdShape *s = model->shape;
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *b = &s->blocks[i];
        const double *custom = b->kind == CRD_CUSTOM_BLOCK ? w->custom_mass + b->mass : NULL;
        block_solve(b, &model->numbers.blocks[i], custom, x + b->v);
    }
}

void crd_times_mass(const CardanModel *model, const CrdSystem *w, const double *x, double *y) {
    const CrdShape *s = model->shape;
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *b = &s->blocks[i];
        const CrdBlockNumbers *n = &model->numbers.blocks[i];
        const double *from = x + b->v;
        double *to = y + b->v;
        switch (b->kind) {
        case CRD_SPATIAL_BODY: crd_put(to + 3, crd_apply(n->inertia, crd_vec_of(from + 3))); /* fall through */
        case CRD_SPATIAL_PARTICLE: crd_put(to, crd_scale(n->mass, crd_vec_of(from))); break;
        case CRD_PLANAR_BODY: to[2] = n->inertia[8] * from[2]; /* fall through */
        case CRD_PLANAR_PARTICLE:
            to[0] = n->mass * from[0];
            to[1] = n->mass * from[1];
            break;
        case CRD_CUSTOM_BLOCK:
            for (int r = 0; r < b->nv; r++) {
                const double *m = w->custom_matrix + b->mass + (size_t)r * (size_t)b->nv;
                to[r] = 0.0;
                for (int c = 0; c < b->nv; c++) to[r] += m[c] * from[c];
            }
        }
    }
}

double crd_kinetic(const CardanModel *model, const CrdSystem *w, const double *v) {
    const CrdShape *s = model->shape;
    double twice = 0.0;
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *b = &s->blocks[i];
        const CrdBlockNumbers *n = &model->numbers.blocks[i];
        const double *u = v + b->v;
        switch (b->kind) {
        case CRD_SPATIAL_BODY: {
            CrdVec spin = crd_vec_of(u + 3);
            twice += crd_dot(spin, crd_apply(n->inertia, spin));
        } /* fall through */
        case CRD_SPATIAL_PARTICLE: twice += n->mass * crd_dot(crd_vec_of(u), crd_vec_of(u)); break;
        case CRD_PLANAR_BODY: twice += n->inertia[8] * u[2] * u[2]; /* fall through */
        case CRD_PLANAR_PARTICLE: twice += n->mass * (u[0] * u[0] + u[1] * u[1]); break;
        case CRD_CUSTOM_BLOCK:
            for (int r = 0; r < b->nv; r++)
                for (int c = 0; c < b->nv; c++) twice += u[r] * w->custom_matrix[b->mass + r * b->nv + c] * u[c];
        }
    }
    return 0.5 * twice;
}

/* ---- G ---- */

void crd_times_g(const CrdShape *s, const double *pieces, const double *x, double *y) {
    for (int i = 0; i < s->incidence_count; i++) {
        const CrdIncidence *in = &s->incidences[i];
        const double *piece = pieces + in->g, *u = x + in->v;
        double *out = y + s->elements[in->element].first;
        for (int r = 0; r < in->rows; r++, piece += in->width) {
            double sum = 0.0;
            for (int k = 0; k < in->width; k++) sum += piece[k] * u[k];
            out[r] += sum;
        }
    }
}

void crd_times_gt(const CrdShape *s, const double *pieces, double scale, const double *y, double *x) {
    for (int i = 0; i < s->incidence_count; i++) {
        const CrdIncidence *in = &s->incidences[i];
        const double *piece = pieces + in->g, *from = y + s->elements[in->element].first;
        double *u = x + in->v;
        for (int r = 0; r < in->rows; r++, piece += in->width) {
            double lambda = scale * from[r];
            for (int k = 0; k < in->width; k++) u[k] += piece[k] * lambda;
        }
    }
}

/* ---- S ---- */

static void weigh_pieces(const CardanModel *model, CrdSystem *w) {
    const CrdShape *s = model->shape;
    for (int i = 0; i < s->incidence_count; i++) {
        const CrdIncidence *in = &s->incidences[i];
        const CrdBlock *block = &s->blocks[in->block];
        const double *custom = block->kind == CRD_CUSTOM_BLOCK ? w->custom_mass + block->mass : NULL;
        double *t = w->T + in->g;
        memcpy(t, w->G + in->g, (size_t)in->rows * (size_t)in->width * sizeof *t);
        for (int r = 0; r < in->rows; r++, t += in->width)
            block_solve(block, &model->numbers.blocks[in->block], custom, t);
    }
}

/* Inlined with a constant width, so that the inner product is unrolled. */
static inline void add_product(const CrdProduct *p, const double *G, const double *T, int width, double *S) {
    const double *t = T + p->t;
    for (int c = 0; c < p->columns; c++, t += width) {
        double *slot = S + p->base + c * p->above + c * (c + 1) / 2 + p->offset;
        const double *g = G + p->g;
        int rows = p->diagonal ? c + 1 : p->rows;
        for (int r = 0; r < rows; r++, g += width) {
            double sum = 0.0;
            for (int k = 0; k < width; k++) sum += g[k] * t[k];
            slot[r] += sum;
        }
    }
}

void crd_weigh(const CardanModel *model, CardanMetric metric, CrdSystem *w) {
    const CrdShape *s = model->shape;
    if (metric == CARDAN_METRIC_MASS)
        weigh_pieces(model, w);
    else
        memcpy(w->T, w->G, (size_t)s->size_g * sizeof *w->T);
    memset(w->S, 0, (size_t)s->size_s * sizeof *w->S);
    for (int i = 0; i < s->product_count; i++) {
        const CrdProduct *p = &s->products[i];
        switch (p->width) {
        case 6: add_product(p, w->G, w->T, 6, w->S); break;
        case 3: add_product(p, w->G, w->T, 3, w->S); break;
        case 2: add_product(p, w->G, w->T, 2, w->S); break;
        default: add_product(p, w->G, w->T, p->width, w->S); break;
        }
    }
}

/* ---- sizes ---- */

double crd_reach(const CardanModel *model, const double *x) {
    const CrdShape *s = model->shape;
    double most = 0.0;
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        int moves = block->kind == CRD_CUSTOM_BLOCK ? 0 : s->space == CARDAN_PLANAR ? 2 : 3;
        for (int k = 0; k < block->nv; k++)
            most = fmax(most, fabs(x[block->v + k]) / (k < moves ? model->numbers.size : 1.0));
    }
    return most;
}

/* ---- the slow reference ---- */

static double mass_entry(const CrdBlock *b, const CrdBlockNumbers *n, const double *custom, int r, int c) {
    if (b->kind == CRD_CUSTOM_BLOCK) return custom[b->mass + r * b->nv + c];
    if (b->kind == CRD_SPATIAL_BODY && r >= 3 && c >= 3) return n->inertia[3 * (r - 3) + c - 3];
    if (r != c) return 0.0;
    return b->kind == CRD_PLANAR_BODY && r == 2 ? n->inertia[8] : n->mass;
}

void crd_fill_saddle(const CardanModel *model, const CrdSystem *w, CardanMetric metric, double *k, int order) {
    const CrdShape *s = model->shape;
    size_t n = (size_t)order;
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *b = &s->blocks[i];
        for (int r = 0; r < b->nv; r++)
            for (int c = 0; c < b->nv; c++)
                k[(size_t)(b->v + r) + n * (size_t)(b->v + c)] =
                    metric == CARDAN_METRIC_MASS ? mass_entry(b, &model->numbers.blocks[i], w->custom_matrix, r, c)
                                                 : (double)(r == c);
    }
    for (int i = 0; i < s->incidence_count; i++) {
        const CrdIncidence *in = &s->incidences[i];
        int first = s->nv + s->elements[in->element].first;
        for (int r = 0; r < in->rows; r++)
            for (int c = 0; c < in->width; c++)
                k[(size_t)(first + r) + n * (size_t)(in->v + c)] = w->G[in->g + r * in->width + c];
    }
}
