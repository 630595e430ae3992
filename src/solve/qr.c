#include "solve/qr.h"

#include "core/random.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

bool crd_qr_fits(const CrdShape *s) {
    return s->rows > 0 && s->elimination != NULL && s->elimination->fits;
}

/* ---- what a shape decides ---- */

static void layout(CrdQr *qr, const CrdShape *s) {
    CrdArena *arena = &qr->arena;
    size_t rows = (size_t)s->rows, blocks = (size_t)s->block_count, panels = (size_t)s->elimination->count;
    crd_mass_root_layout(&qr->root, s, arena);
    qr->is_dead = crd_take(arena, rows, sizeof *qr->is_dead);
    qr->r = crd_take(arena, (size_t)s->elimination->size, sizeof *qr->r);
    qr->scale = crd_take(arena, rows, sizeof *qr->scale);
    qr->y = crd_take(arena, rows, sizeof *qr->y);
    qr->piece = crd_take(arena, (size_t)s->nv, sizeof *qr->piece);
    qr->first = crd_take(arena, blocks + 1, sizeof *qr->first);
    qr->of = crd_take(arena, (size_t)s->incidence_count, sizeof *qr->of);
    qr->panel_of = crd_take(arena, rows, sizeof *qr->panel_of);
    qr->next_block = crd_take(arena, blocks, sizeof *qr->next_block);
    qr->block_at = crd_take(arena, panels, sizeof *qr->block_at);
    qr->place = crd_take(arena, rows, sizeof *qr->place);
    qr->child = crd_take(arena, panels, sizeof *qr->child);
    qr->sibling = crd_take(arena, panels, sizeof *qr->sibling);
    qr->left = crd_take(arena, panels, sizeof *qr->left);
    qr->rows_left = crd_take(arena, panels, sizeof *qr->rows_left);
}

/* Incidences by block, and the panel in which each block starts. */
static void place_blocks(CrdQr *qr, const CrdShape *s) {
    for (int i = 0; i < s->incidence_count; i++) qr->first[s->incidences[i].block + 1]++;
    for (int b = 0; b < s->block_count; b++) qr->first[b + 1] += qr->first[b];
    for (int b = 0; b < s->block_count; b++) qr->next_block[b] = qr->first[b]; /* where the next incidence goes */
    for (int i = 0; i < s->incidence_count; i++) qr->of[qr->next_block[s->incidences[i].block]++] = i;
    for (int b = 0; b < s->block_count; b++) {
        int panel = s->elimination->count;
        for (int k = qr->first[b]; k < qr->first[b + 1]; k++) {
            const CrdElement *e = &s->elements[s->incidences[qr->of[k]].element];
            if (e->rows > 0 && qr->panel_of[e->first] < panel) panel = qr->panel_of[e->first];
        }
        if (panel == s->elimination->count) continue;
        qr->next_block[b] = qr->block_at[panel];
        qr->block_at[panel] = b;
    }
}

static void place_panels(CrdQr *qr, const CrdElimination *e) {
    for (int k = 0; k < e->count; k++) {
        qr->block_at[k] = qr->child[k] = qr->sibling[k] = -1;
        for (int c = 0; c < e->panels[k].width; c++) qr->panel_of[e->panels[k].first + c] = k;
    }
    for (int k = e->count; k-- > 0;) {
        if (e->panels[k].height == 0) continue;
        int parent = e->below[e->panels[k].block].panel;
        qr->sibling[k] = qr->child[parent];
        qr->child[parent] = k;
    }
}

CardanStatus crd_qr_open(CrdQr *qr, const CardanModel *model, CrdError *error) {
    const CrdShape *s = model->shape;
    memset(qr, 0, sizeof *qr);
    layout(qr, s);
    if (!crd_arena_allocate(&qr->arena)) return crd_fail_memory(error);
    layout(qr, s);
    crd_mass_root_use(&qr->root, model);
    place_panels(qr, s->elimination);
    place_blocks(qr, s);
    return CARDAN_OK;
}

static void drop_left(CrdQr *qr, int panel) {
    crd_delete(qr->left[panel]);
    qr->left[panel] = NULL;
}

void crd_qr_close(CrdQr *qr) {
    if (qr->left != NULL)
        for (int k = 0; k < qr->root.model->shape->elimination->count; k++) drop_left(qr, k);
    crd_delete(qr->arena.base);
    memset(qr, 0, sizeof *qr);
}

/* ---- a front ---- */

typedef struct Front {
    const CrdPanel *panel;
    int rows, columns;
    double *x; /* (rows x columns) by columns */
} Front;

/* Row `row` of an incidence as L^-1 G^T has it, in piece. */
static void root_row(CrdQr *qr, const CrdSystem *w, const CrdIncidence *in, int row) {
    memcpy(qr->piece, w->G + in->g + row * in->width, (size_t)in->width * sizeof *qr->piece);
    crd_mass_root_solve(&qr->root, w, in->block, false, qr->piece);
}

/* Scales so that columns have length 1. false: a number is none. */
static bool measure_columns(CrdQr *qr, const CrdSystem *w) {
    const CrdShape *s = qr->root.model->shape;
    memset(qr->scale, 0, (size_t)s->rows * sizeof *qr->scale);
    for (int i = 0; i < s->incidence_count; i++)
        for (int r = 0; r < s->incidences[i].rows; r++) {
            const CrdIncidence *in = &s->incidences[i];
            root_row(qr, w, in, r);
            qr->scale[s->elements[in->element].first + r] += cblas_ddot(in->width, qr->piece, 1, qr->piece, 1);
        }
    for (int r = 0; r < s->rows; r++) {
        if (!isfinite(qr->scale[r])) return false;
        qr->scale[r] = qr->scale[r] > 0.0 ? 1.0 / sqrt(qr->scale[r]) : 1.0;
    }
    return true;
}

/* Where the rows of the system are in this front. */
static void place_columns(CrdQr *qr, const CrdElimination *e, const CrdPanel *p) {
    for (int c = 0; c < p->width; c++) qr->place[p->first + c] = c;
    for (int i = p->block; i < p[1].block; i++) {
        const CrdPanel *other = &e->panels[e->below[i].panel];
        for (int c = 0; c < other->width; c++) qr->place[other->first + c] = p->width + e->below[i].at + c;
    }
}

static int count_rows(const CrdQr *qr, int panel) {
    const CrdShape *s = qr->root.model->shape;
    int rows = 0;
    for (int b = qr->block_at[panel]; b >= 0; b = qr->next_block[b]) rows += s->blocks[b].nv;
    for (int c = qr->child[panel]; c >= 0; c = qr->sibling[c]) rows += qr->rows_left[c];
    return rows;
}

static void gather_block(CrdQr *qr, const CrdSystem *w, int block, int at, Front *f) {
    const CrdShape *s = qr->root.model->shape;
    for (int k = qr->first[block]; k < qr->first[block + 1]; k++) {
        const CrdIncidence *in = &s->incidences[qr->of[k]];
        for (int r = 0; r < in->rows; r++) {
            int row = s->elements[in->element].first + r;
            double *column = f->x + (size_t)qr->place[row] * (size_t)f->rows + at;
            root_row(qr, w, in, r);
            for (int i = 0; i < in->width; i++) column[i] += qr->scale[row] * qr->piece[i];
        }
    }
}

static void gather_child(CrdQr *qr, const CrdElimination *e, int child, int at, Front *f) {
    const CrdPanel *p = &e->panels[child];
    const double *from = qr->left[child];
    int rows = qr->rows_left[child];
    for (int i = p->block; i < p[1].block; i++) {
        const CrdPanel *other = &e->panels[e->below[i].panel];
        for (int c = 0; c < other->width; c++, from += rows)
            memcpy(f->x + (size_t)qr->place[other->first + c] * (size_t)f->rows + at, from, (size_t)rows * sizeof *from);
    }
}

/* Reflects column c from row p on to one number, and the columns after it; returns that number, 0: the column is dead. */
static double reflect(Front *f, int c, int p, double tolerance) {
    int n = f->rows - p;
    double *u = f->x + (size_t)c * (size_t)f->rows + p, length = n > 0 ? cblas_dnrm2(n, u, 1) : 0.0;
    if (length <= tolerance) {
        for (int i = 0; i < n; i++) u[i] = 0.0;
        return 0.0;
    }
    double alpha = u[0] > 0.0 ? -length : length;
    u[0] -= alpha;
    double factor = -1.0 / (alpha * u[0]); /* 2 / |u|^2 */
    for (int k = c + 1; k < f->columns; k++) {
        double *x = f->x + (size_t)k * (size_t)f->rows + p;
        cblas_daxpy(n, -factor * cblas_ddot(n, u, 1, x, 1), u, 1, x, 1);
    }
    return alpha;
}

/* The panel's own columns; returns how many rows of R it got. */
static int eliminate(CrdQr *qr, Front *f, double tolerance) {
    double *r = qr->r + f->panel->diagonal;
    int p = 0;
    memset(r, 0, (size_t)f->panel->width * (size_t)f->columns * sizeof *r);
    for (int c = 0; c < f->panel->width; c++, r += f->columns) {
        double alpha = reflect(f, c, p, tolerance);
        qr->is_dead[f->panel->first + c] = alpha == 0.0;
        if (alpha == 0.0) continue;
        r[c] = alpha;
        for (int k = c + 1; k < f->columns; k++) r[k] = f->x[(size_t)k * (size_t)f->rows + p];
        p++;
    }
    return p;
}

/* What is below row p of the columns that are not the panel's own goes on, made triangular where that saves rows. */
static CardanStatus leave(CrdQr *qr, int panel, Front *f, int p, CrdError *error) {
    int height = f->panel->height, rows = f->rows - p;
    double *x = f->x + (size_t)f->panel->width * (size_t)f->rows + p;
    qr->rows_left[panel] = 0;
    if (height == 0 || rows <= 0) return CARDAN_OK;
    if (rows > height) {
        double *tau = crd_new((size_t)height, sizeof *tau);
        if (tau == NULL) return crd_fail_memory(error);
        lapack_int info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, height, x, f->rows, tau);
        crd_delete(tau);
        if (info != 0) return info == LAPACK_WORK_MEMORY_ERROR ? crd_fail_memory(error) : CARDAN_ERR_INTERNAL;
        for (int c = 0; c < height; c++)
            for (int i = c + 1; i < height; i++) x[(size_t)c * (size_t)f->rows + (size_t)i] = 0.0;
        rows = height;
    }
    qr->left[panel] = crd_new((size_t)rows, (size_t)height * sizeof(double));
    if (qr->left[panel] == NULL) return crd_fail_memory(error);
    qr->rows_left[panel] = rows;
    for (int c = 0; c < height; c++)
        memcpy(qr->left[panel] + (size_t)c * (size_t)rows, x + (size_t)c * (size_t)f->rows, (size_t)rows * sizeof *x);
    return CARDAN_OK;
}

static CardanStatus factor_front(CrdQr *qr, const CrdSystem *w, int panel, double tolerance, CrdError *error) {
    const CrdShape *s = qr->root.model->shape;
    const CrdElimination *e = s->elimination;
    Front f = {.panel = &e->panels[panel], .rows = count_rows(qr, panel)};
    f.columns = f.panel->width + f.panel->height;
    f.x = crd_new((size_t)f.rows, (size_t)f.columns * sizeof *f.x);
    if (f.x == NULL) return crd_fail_memory(error);
    place_columns(qr, e, f.panel);
    int at = 0;
    for (int b = qr->block_at[panel]; b >= 0; b = qr->next_block[b]) {
        gather_block(qr, w, b, at, &f);
        at += s->blocks[b].nv;
    }
    for (int c = qr->child[panel]; c >= 0; c = qr->sibling[c]) {
        gather_child(qr, e, c, at, &f);
        at += qr->rows_left[c];
        drop_left(qr, c);
    }
    int p = eliminate(qr, &f, tolerance);
    qr->rank += p;
    CardanStatus status = leave(qr, panel, &f, p, error);
    crd_delete(f.x);
    return status;
}

CardanStatus crd_qr_take(CrdQr *qr, const CrdSystem *w, double tolerance, CrdError *error) {
    const CrdElimination *e = qr->root.model->shape->elimination;
    CardanStatus status = CARDAN_OK;
    qr->rank = 0;
    if (!measure_columns(qr, w))
        return crd_fail(error, CARDAN_ERR_NUMERIC, "the constraint rows are not finite at t = %.9g", w->t);
    for (int k = 0; status >= 0 && k < e->count; k++) status = factor_front(qr, w, k, tolerance, error);
    for (int k = 0; k < e->count; k++) drop_left(qr, k);
    return status;
}

/* R y = 0 from the last column up, dead ones given. */
void crd_qr_dependency(CrdQr *qr) {
    const CrdElimination *e = qr->root.model->shape->elimination;
    uint64_t state = 1;
    for (int k = e->count; k-- > 0;) {
        const CrdPanel *p = &e->panels[k];
        for (int c = p->width; c-- > 0;) {
            int row = p->first + c;
            const double *r = qr->r + p->diagonal + (size_t)c * (size_t)(p->width + p->height);
            if (qr->is_dead[row]) {
                qr->y[row] = 2.0 + crd_random(&state); /* never near 0 */
                continue;
            }
            double sum = 0.0;
            for (int l = c + 1; l < p->width; l++) sum += r[l] * qr->y[p->first + l];
            const double *below = r + p->width;
            for (int i = p->block; i < p[1].block; i++) {
                const CrdPanel *other = &e->panels[e->below[i].panel];
                for (int l = 0; l < other->width; l++) sum += *below++ * qr->y[other->first + l];
            }
            qr->y[row] = -sum / r[c];
        }
    }
}
