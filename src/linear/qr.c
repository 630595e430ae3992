#include "linear/qr.h"

#include "core/random.h"
#include "equations/kinematic.h"
#include "equations/tree.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

bool crd_qr_fits(const CrdStructure *structure) {
    return structure->rows > 0 && structure->elimination != NULL && structure->elimination->fits;
}

/* ---- what a structure decides ---- */

static void layout(CrdQr *qr, const CrdStructure *structure) {
    CrdArena *arena = &qr->arena;
    size_t rows = (size_t)structure->rows, blocks = (size_t)structure->block_count,
           panels = (size_t)structure->elimination->count;
    crd_mass_root_layout(&qr->root, structure, arena);
    qr->left_alone = crd_take(arena, rows, sizeof *qr->left_alone);
    qr->is_dead = crd_take(arena, rows, sizeof *qr->is_dead);
    qr->r = crd_take(arena, (size_t)structure->elimination->size, sizeof *qr->r);
    qr->scale = crd_take(arena, rows, sizeof *qr->scale);
    qr->y = crd_take(arena, rows, sizeof *qr->y);
    qr->pieces = crd_take(arena, (size_t)structure->size_g, sizeof *qr->pieces);
    qr->first = crd_take(arena, blocks + 1, sizeof *qr->first);
    qr->of = crd_take(arena, (size_t)structure->incidence_count, sizeof *qr->of);
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
static void place_blocks(CrdQr *qr, const CrdStructure *structure) {
    for (int i = 0; i < structure->incidence_count; i++) qr->first[structure->incidences[i].block + 1]++;
    for (int b = 0; b < structure->block_count; b++) qr->first[b + 1] += qr->first[b];
    for (int b = 0; b < structure->block_count; b++)
        qr->next_block[b] = qr->first[b]; /* where the next incidence goes */
    for (int i = 0; i < structure->incidence_count; i++) qr->of[qr->next_block[structure->incidences[i].block]++] = i;
    for (int b = 0; b < structure->block_count; b++) {
        int panel = structure->elimination->count;
        for (int k = qr->first[b]; k < qr->first[b + 1]; k++) {
            const CrdElement *element = &structure->elements[structure->incidences[qr->of[k]].element];
            if (element->rows > 0 && qr->panel_of[element->first] < panel) panel = qr->panel_of[element->first];
        }
        if (panel == structure->elimination->count) continue;
        qr->next_block[b] = qr->block_at[panel];
        qr->block_at[panel] = b;
    }
}

static void place_panels(CrdQr *qr, const CrdElimination *elimination) {
    for (int k = 0; k < elimination->count; k++) {
        qr->block_at[k] = qr->child[k] = qr->sibling[k] = -1;
        for (int c = 0; c < elimination->panels[k].width; c++) qr->panel_of[elimination->panels[k].first + c] = k;
    }
    for (int k = elimination->count; k-- > 0;) {
        if (elimination->panels[k].height == 0) continue;
        int parent = elimination->below[elimination->panels[k].block].panel;
        assert(parent > k && parent < elimination->count);
        qr->sibling[k] = qr->child[parent];
        qr->child[parent] = k;
    }
}

CardanStatus crd_qr_open(CrdQr *qr, const CardanModel *model, CrdError *error) {
    const CrdStructure *structure = model->structure;
    assert(crd_qr_fits(structure));
    memset(qr, 0, sizeof *qr);
    layout(qr, structure);
    if (!crd_arena_allocate(&qr->arena)) return crd_fail_memory(error);
    layout(qr, structure);
    assert(crd_arena_is_full(&qr->arena));
    crd_mass_root_use(&qr->root, model);
    place_panels(qr, structure->elimination);
    place_blocks(qr, structure);
    return CARDAN_OK;
}

static void drop_left(CrdQr *qr, int panel) {
    crd_delete(qr->left[panel]);
    qr->left[panel] = NULL;
}

void crd_qr_close(CrdQr *qr) {
    if (qr->left != NULL)
        for (int k = 0; k < qr->root.model->structure->elimination->count; k++) drop_left(qr, k);
    crd_arena_free(&qr->arena);
    memset(qr, 0, sizeof *qr);
}

/* ---- a front ---- */

/* Columns of fronts are short, and no longer than 1 in all: neither a call nor a scale is worth it. */
static double dot(int n, const double *a, const double *b) {
    double even = 0.0, odd = 0.0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        even += a[i] * b[i];
        odd += a[i + 1] * b[i + 1];
    }
    return i < n ? even + odd + a[i] * b[i] : even + odd;
}

typedef struct Front {
    const CrdPanel *panel;
    int rows, columns;
    double *x; /* (rows x columns) by columns */
} Front;

/* pieces <- those of L^-1 G^T, row by row; of a tree those of N G^T, which are there. */
static void root_rows(CrdQr *qr, const CrdSystem *system) {
    const CrdStructure *structure = qr->root.model->structure;
    bool tree = structure->tree != NULL && !qr->kinematic;
    assert(!tree || crd_stamp_holds(&system->stamp, CRD_HOLDS_SCHUR));
    memcpy(qr->pieces, tree ? system->T : system->G, (size_t)structure->size_g * sizeof *qr->pieces);
    for (int i = 0; i < structure->incidence_count && !tree; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            double *row = qr->pieces + in->g + r * in->width;
            if (qr->kinematic)
                crd_kinematic_root(qr->root.model, system, in->block, true, row);
            else
                crd_mass_root_solve(&qr->root, system, in->block, false, row);
        }
    }
}

/* Scales so that columns have length 1. The row in which a number is none; -1: in no row. */
static int measure_columns(CrdQr *qr, const CrdSystem *system) {
    const CrdStructure *structure = qr->root.model->structure;
    memset(qr->scale, 0, (size_t)structure->rows * sizeof *qr->scale);
    root_rows(qr, system);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            const double *row = qr->pieces + in->g + r * in->width;
            qr->scale[structure->elements[in->element].first + r] += dot(in->width, row, row);
        }
    }
    for (int r = 0; r < structure->rows; r++)
        if (!isfinite(qr->scale[r])) return r;
    if (structure->tree != NULL) crd_tree_row_sizes(qr->root.model, system, qr->kinematic, qr->scale);
    for (int r = 0; r < structure->rows; r++) {
        qr->scale[r] = qr->left_alone[r] ? 0.0 : qr->scale[r] > 0.0 ? 1.0 / sqrt(qr->scale[r]) : 1.0;
    }
    return -1;
}

/* Where the rows of the system are in this front. */
static void place_columns(CrdQr *qr, const CrdElimination *elimination, const CrdPanel *panel) {
    for (int c = 0; c < panel->width; c++) qr->place[panel->first + c] = c;
    for (int i = panel->block; i < panel[1].block; i++) {
        const CrdPanel *other = &elimination->panels[elimination->below[i].panel];
        for (int c = 0; c < other->width; c++)
            qr->place[other->first + c] = panel->width + elimination->below[i].at + c;
    }
}

static int count_rows(const CrdQr *qr, int panel) {
    const CrdStructure *structure = qr->root.model->structure;
    int rows = 0;
    for (int b = qr->block_at[panel]; b >= 0; b = qr->next_block[b]) rows += structure->blocks[b].nv;
    for (int c = qr->child[panel]; c >= 0; c = qr->sibling[c]) rows += qr->rows_left[c];
    return rows;
}

static void gather_block(const CrdQr *qr, int block, int at, Front *front) {
    const CrdStructure *structure = qr->root.model->structure;
    for (int k = qr->first[block]; k < qr->first[block + 1]; k++) {
        const CrdIncidence *in = &structure->incidences[qr->of[k]];
        for (int r = 0; r < in->rows; r++) {
            int row = structure->elements[in->element].first + r;
            assert(qr->place[row] < front->columns && at + in->width <= front->rows);
            double *column = front->x + (size_t)qr->place[row] * (size_t)front->rows + at;
            const double *piece = qr->pieces + in->g + r * in->width;
            for (int i = 0; i < in->width; i++) column[i] += qr->scale[row] * piece[i];
        }
    }
}

static void gather_child(CrdQr *qr, const CrdElimination *elimination, int child, int at, Front *front) {
    const CrdPanel *panel = &elimination->panels[child];
    const double *from = qr->left[child];
    int rows = qr->rows_left[child];
    assert(from != NULL || rows == 0);
    if (rows == 0) return;
    for (int i = panel->block; i < panel[1].block; i++) {
        const CrdPanel *other = &elimination->panels[elimination->below[i].panel];
        for (int c = 0; c < other->width; c++, from += rows)
            memcpy(front->x + (size_t)qr->place[other->first + c] * (size_t)front->rows + at, from,
                   (size_t)rows * sizeof *from);
    }
}

/* Reflects column c from row p on to one number, and the columns after it; returns that number, 0: the column is dead.
 */
static double reflect(Front *front, int c, int p, double tolerance) {
    assert(p <= c && p <= front->rows);
    int n = front->rows - p;
    double *u = front->x + (size_t)c * (size_t)front->rows + p, length = sqrt(dot(n, u, u));
    if (length <= tolerance) {
        for (int i = 0; i < n; i++) u[i] = 0.0;
        return 0.0;
    }
    double alpha = u[0] > 0.0 ? -length : length;
    u[0] -= alpha;
    double factor = -1.0 / (alpha * u[0]); /* 2 / |u|^2 */
    for (int k = c + 1; k < front->columns; k++) {
        double *x = front->x + (size_t)k * (size_t)front->rows + p;
        double part = factor * dot(n, u, x);
        if (part == 0.0) continue; /* fronts of joints have many columns that do not meet */
        for (int i = 0; i < n; i++) x[i] -= part * u[i];
    }
    return alpha;
}

/* The panel's own columns; returns how many rows of R it got. */
static int eliminate(CrdQr *qr, Front *front, double tolerance) {
    double *r = qr->r + front->panel->diagonal;
    int p = 0;
    memset(r, 0, (size_t)front->panel->width * (size_t)front->columns * sizeof *r);
    for (int c = 0; c < front->panel->width; c++, r += front->columns) {
        double alpha = reflect(front, c, p, tolerance);
        qr->is_dead[front->panel->first + c] = alpha == 0.0;
        if (alpha == 0.0) continue;
        qr->least = fmin(qr->least, fabs(alpha));
        r[c] = alpha;
        for (int k = c + 1; k < front->columns; k++) r[k] = front->x[(size_t)k * (size_t)front->rows + p];
        p++;
    }
    return p;
}

/* What is below row p of the columns that are not the panel's own goes on, made triangular where that saves rows. */
static CardanStatus leave(CrdQr *qr, int panel, Front *front, int p, CrdError *error) {
    int height = front->panel->height, rows = front->rows - p;
    double *x = front->x + (size_t)front->panel->width * (size_t)front->rows + p;
    qr->rows_left[panel] = 0;
    if (height == 0 || rows <= 0) return CARDAN_OK;
    if (rows > height) {
        double *tau = crd_new((size_t)height, sizeof *tau);
        if (tau == NULL) return crd_fail_memory(error);
        lapack_int info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, height, x, front->rows, tau);
        crd_delete(tau);
        if (info != 0) return info == LAPACK_WORK_MEMORY_ERROR ? crd_fail_memory(error) : CARDAN_ERR_INTERNAL;
        for (int c = 0; c < height; c++)
            for (int i = c + 1; i < height; i++) x[(size_t)c * (size_t)front->rows + (size_t)i] = 0.0;
        rows = height;
    }
    qr->left[panel] = crd_new((size_t)rows, (size_t)height * sizeof(double));
    if (qr->left[panel] == NULL) return crd_fail_memory(error);
    qr->rows_left[panel] = rows;
    for (int c = 0; c < height; c++)
        memcpy(qr->left[panel] + (size_t)c * (size_t)rows, x + (size_t)c * (size_t)front->rows,
               (size_t)rows * sizeof *x);
    return CARDAN_OK;
}

static CardanStatus factor_front(CrdQr *qr, int panel, double tolerance, CrdError *error) {
    const CrdStructure *structure = qr->root.model->structure;
    const CrdElimination *elimination = structure->elimination;
    Front f = {.panel = &elimination->panels[panel], .rows = count_rows(qr, panel)};
    f.columns = f.panel->width + f.panel->height;
    f.x = crd_new((size_t)f.rows, (size_t)f.columns * sizeof *f.x);
    if (f.x == NULL) return crd_fail_memory(error);
    place_columns(qr, elimination, f.panel);
    int at = 0;
    for (int b = qr->block_at[panel]; b >= 0; b = qr->next_block[b]) {
        gather_block(qr, b, at, &f);
        at += structure->blocks[b].nv;
    }
    for (int c = qr->child[panel]; c >= 0; c = qr->sibling[c]) {
        gather_child(qr, elimination, c, at, &f);
        at += qr->rows_left[c];
        drop_left(qr, c);
    }
    assert(at == f.rows);
    int p = eliminate(qr, &f, tolerance);
    qr->rank += p;
    CardanStatus status = leave(qr, panel, &f, p, error);
    crd_delete(f.x);
    return status;
}

CardanStatus crd_qr_take(CrdQr *qr, const CrdSystem *system, double tolerance, CrdError *error) {
    const CrdElimination *elimination = qr->root.model->structure->elimination;
    CardanStatus status = CARDAN_OK;
    assert(qr->r != NULL && tolerance >= 0.0);
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    qr->rank = 0;
    qr->least = 1.0;
    int lost = measure_columns(qr, system);
    if (lost >= 0)
        return crd_fail(error, CARDAN_ERR_NUMERIC, "constraint rows of joint '%s' are not finite at t = %.9g",
                        crd_element_name(qr->root.model, qr->root.model->structure->row_element[lost]), system->t);
    for (int k = 0; status >= 0 && k < elimination->count; k++) status = factor_front(qr, k, tolerance, error);
    for (int k = 0; k < elimination->count; k++) drop_left(qr, k);
    return status;
}

/* R y = 0 from the last column up, dead ones given. */
void crd_qr_dependency(CrdQr *qr) {
    const CrdElimination *elimination = qr->root.model->structure->elimination;
    uint64_t state = 1;
    for (int k = elimination->count; k-- > 0;) {
        const CrdPanel *panel = &elimination->panels[k];
        for (int c = panel->width; c-- > 0;) {
            int row = panel->first + c;
            const double *r = qr->r + panel->diagonal + (size_t)c * (size_t)(panel->width + panel->height);
            if (qr->is_dead[row]) {
                qr->y[row] = 2.0 + crd_random(&state); /* never near 0 */
                continue;
            }
            double sum = 0.0;
            for (int l = c + 1; l < panel->width; l++) sum += r[l] * qr->y[panel->first + l];
            const double *below = r + panel->width;
            for (int i = panel->block; i < panel[1].block; i++) {
                const CrdPanel *other = &elimination->panels[elimination->below[i].panel];
                for (int l = 0; l < other->width; l++) sum += *below++ * qr->y[other->first + l];
            }
            assert(r[c] != 0.0); /* crd_qr_take came before */
            qr->y[row] = -sum / r[c];
        }
    }
}
