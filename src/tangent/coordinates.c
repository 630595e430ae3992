#include "tangent/coordinates.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What is left of a row of length 1 that depends on others is rounding times the eliminations it went through; a row
 * of its own keeps some hundredths (SINGULARITIES). */
static const double DEPENDENT = 1e-9;

/* A coordinate is as good as the best one when a row decides it at least this well: growth in the elimination stays
 * small. */
static const double AS_GOOD = 0.3;

/* rad/s a body must turn by, against the fastest, to spin. */
static const double SPINS = 1e-3;

typedef struct Column {
    int count;
    int *coordinate;
    double *value;
    int pivot;      /* the coordinate it decides */
    double by;      /* its value there */
    bool holonomic; /* what it decides is a position too */
} Column;

typedef struct Work {
    const CrdTangent *tangent;
    int *row_start, *row_coordinate; /* G by rows */
    double *row_value;
    double *unit; /* (nv) m or rad that a coordinate is measured in */
    int *taste;   /* (nv) higher: rather decided by a row */
    int *block;   /* (nv) whose it is */
    Column *column;
    int columns;
    int *decided_by; /* (nv) column, or -1 */
    double *x;       /* (nv) the row at work */
    int *touched, touches;
    bool *is_touched;
    int *heap, waiting; /* columns to eliminate with, the smallest first */
    bool *is_waiting;   /* (rows) */
} Work;

static bool allocate(Work *w) {
    size_t nv = (size_t)w->tangent->nv, rows = (size_t)w->tangent->rows;
    size_t entries = (size_t)w->tangent->g.start[w->tangent->nv];
    w->row_start = crd_new(rows + 2, sizeof(int));
    w->row_coordinate = crd_new(entries, sizeof(int));
    w->row_value = crd_new(entries, sizeof(double));
    w->unit = crd_new(nv, sizeof(double));
    w->taste = crd_new(nv, sizeof(int));
    w->block = crd_new(nv, sizeof(int));
    w->column = crd_new(rows, sizeof(Column));
    w->decided_by = crd_new(nv, sizeof(int));
    w->x = crd_new(nv, sizeof(double));
    w->touched = crd_new(nv, sizeof(int));
    w->is_touched = crd_new(nv, sizeof(bool));
    w->heap = crd_new(rows + 1, sizeof(int));
    w->is_waiting = crd_new(rows, sizeof(bool));
    return w->row_start != NULL && w->row_coordinate != NULL && w->row_value != NULL && w->unit != NULL &&
           w->taste != NULL && w->block != NULL && w->column != NULL && w->decided_by != NULL && w->x != NULL &&
           w->touched != NULL && w->is_touched != NULL && w->heap != NULL && w->is_waiting != NULL;
}

static void release(Work *w) {
    for (int i = 0; w->column != NULL && i < w->columns; i++)
        CRD_DELETE_ALL(w->column[i].coordinate, w->column[i].value);
    CRD_DELETE_ALL(w->row_start, w->row_coordinate, w->row_value, w->unit, w->taste, w->block, w->column, w->decided_by,
                   w->x, w->touched, w->is_touched, w->heap, w->is_waiting);
}

static void transpose(Work *w) {
    const CrdCompressed *g = &w->tangent->g;
    for (int i = 0; i < g->start[g->columns]; i++) w->row_start[g->row[i] + 2]++;
    for (int r = 0; r < g->rows; r++) w->row_start[r + 2] += w->row_start[r + 1];
    for (int c = 0; c < g->columns; c++)
        for (int i = g->start[c]; i < g->start[c + 1]; i++) {
            int at = w->row_start[g->row[i] + 1]++;
            w->row_coordinate[at] = c;
            w->row_value[at] = g->value[i];
        }
}

static double spin_of(const CrdTangent *tangent, const CrdBlock *block) {
    const double *v = tangent->sim->integrator.stepper.y + tangent->structure->nq + block->v;
    if (block->kind == CRD_PLANAR_BODY) return fabs(v[2]);
    return block->kind == CRD_SPATIAL_BODY ? sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) : 0.0;
}

static void judge(Work *w) {
    const CrdStructure *structure = w->tangent->structure;
    double fastest = 0.0;
    for (int b = 0; b < structure->block_count; b++)
        fastest = fmax(fastest, spin_of(w->tangent, &structure->blocks[b]));
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        int lengths = crd_block_lengths(structure, block);
        bool custom = block->kind == CRD_CUSTOM_BLOCK, spins = spin_of(w->tangent, block) > SPINS * fastest;
        for (int k = 0; k < block->nv; k++) {
            bool length = !custom && k < lengths;
            w->unit[block->v + k] = length ? w->tangent->sim->model->values.size : 1.0;
            w->taste[block->v + k] = length ? 2 : !custom && spins ? 1 : 0;
            w->block[block->v + k] = b;
            w->decided_by[block->v + k] = -1;
        }
    }
}

/* ---- the smallest column that waits ---- */

static void push(Work *w, int column) {
    assert(column >= 0);
    if (w->is_waiting[column]) return;
    w->is_waiting[column] = true;
    int i = w->waiting++;
    for (; i > 0 && w->heap[(i - 1) / 2] > column; i = (i - 1) / 2) w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = column;
}

static int pop(Work *w) {
    int first = w->heap[0], last = w->heap[--w->waiting], i = 0;
    for (int child; (child = 2 * i + 1) < w->waiting; i = child) {
        if (child + 1 < w->waiting && w->heap[child + 1] < w->heap[child]) child++;
        if (w->heap[child] >= last) break;
        w->heap[i] = w->heap[child];
    }
    w->heap[i] = last;
    w->is_waiting[first] = false;
    return first;
}

/* ---- one row ---- */

static void touch(Work *w, int coordinate, double change) {
    assert(coordinate >= 0);
    w->x[coordinate] += change;
    if (w->is_touched[coordinate]) return;
    w->is_touched[coordinate] = true;
    w->touched[w->touches++] = coordinate;
    if (w->decided_by[coordinate] >= 0) push(w, w->decided_by[coordinate]);
}

/* The row in units of its coordinates, of largest entry 1, less what the columns before it explain. */
static void eliminate(Work *w, int row) {
    assert(row >= 0);
    double max = 0.0;
    for (int i = w->row_start[row]; i < w->row_start[row + 1]; i++)
        max = fmax(max, fabs(w->row_value[i]) * w->unit[w->row_coordinate[i]]);
    for (int i = w->row_start[row]; max > 0.0 && i < w->row_start[row + 1]; i++)
        touch(w, w->row_coordinate[i], w->row_value[i] * w->unit[w->row_coordinate[i]] / max);
    while (w->waiting > 0) {
        const Column *column = &w->column[pop(w)];
        double s = w->x[column->pivot] / column->by;
        for (int i = 0; s != 0.0 && i < column->count; i++) touch(w, column->coordinate[i], -s * column->value[i]);
        w->x[column->pivot] = 0.0;
    }
}

static bool is_better(const Work *w, int c, int best) {
    if (w->taste[c] != w->taste[best]) return w->taste[c] > w->taste[best];
    if (w->block[c] != w->block[best]) return w->block[c] > w->block[best];
    return fabs(w->x[c]) > fabs(w->x[best]);
}

/* The coordinate that the row at work decides; -1: it depends on others. */
static int choose(const Work *w) {
    double max = 0.0;
    int best = -1;
    for (int i = 0; i < w->touches; i++) max = fmax(max, fabs(w->x[w->touched[i]]));
    if (!(max > DEPENDENT)) return -1;
    for (int i = 0; i < w->touches; i++) {
        int c = w->touched[i];
        if (fabs(w->x[c]) < AS_GOOD * max) continue;
        if (best < 0 || is_better(w, c, best)) best = c;
    }
    return best;
}

static bool keep(Work *w, int pivot, bool holonomic) {
    assert(pivot >= 0);
    Column *column = &w->column[w->columns++];
    int count = 0;
    for (int i = 0; i < w->touches; i++) count += w->x[w->touched[i]] != 0.0;
    *column = (Column){
        0, crd_new((size_t)count, sizeof(int)), crd_new((size_t)count, sizeof(double)), pivot, w->x[pivot], holonomic};
    if (column->coordinate == NULL || column->value == NULL) return false;
    for (int i = 0; i < w->touches; i++) {
        int c = w->touched[i];
        if (w->x[c] == 0.0) continue;
        column->coordinate[column->count] = c;
        column->value[column->count++] = w->x[c];
    }
    w->decided_by[pivot] = w->columns - 1;
    return true;
}

static void clear(Work *w) {
    for (int i = 0; i < w->touches; i++) {
        w->x[w->touched[i]] = 0.0;
        w->is_touched[w->touched[i]] = false;
    }
    w->touches = 0;
}

/* ---- all of them ---- */

static CardanStatus eliminate_rows(Work *w, bool holonomic) {
    const CrdTangent *tangent = w->tangent;
    CardanSim *sim = tangent->sim;
    for (int r = 0; r < tangent->rows; r++) {
        if (tangent->dropped[r] || crd_row_is_holonomic(tangent->structure, r) != holonomic) continue;
        eliminate(w, r);
        int pivot = choose(w);
        if (pivot < 0)
            return crd_fail(
                &sim->error, CARDAN_ERR_NUMERIC,
                "the pose is singular: a row of joint '%s' depends on those of other joints here, so several "
                "motions are possible; linearise about another pose",
                crd_element_name(sim->model, tangent->structure->row_element[r]));
        if (!keep(w, pivot, holonomic)) return crd_fail_memory(&sim->error);
        clear(w);
    }
    return CARDAN_OK;
}

static CardanStatus list(const Work *w, CrdIndependent *out) {
    size_t nv = (size_t)w->tangent->nv;
    out->position = crd_new(nv, sizeof(int));
    out->velocity = crd_new(nv, sizeof(int));
    if (out->position == NULL || out->velocity == NULL) return crd_fail_memory(&w->tangent->sim->error);
    for (int i = 0; i < w->tangent->nv; i++) {
        bool free_velocity = w->decided_by[i] < 0;
        if (free_velocity) out->velocity[out->velocities++] = i;
        if (free_velocity || !w->column[w->decided_by[i]].holonomic) out->position[out->positions++] = i;
    }
    return CARDAN_OK;
}

CardanStatus crd_independent_create(const CrdTangent *tangent, CrdIndependent *out) {
    assert(tangent != NULL && out != NULL);
    CardanSim *sim = tangent->sim;
    Work work = {.tangent = tangent};
    *out = (CrdIndependent){0};
    crd_error_clear(&sim->error);
    CardanStatus status = allocate(&work) ? CARDAN_OK : crd_fail_memory(&sim->error);
    if (status >= 0) {
        transpose(&work);
        judge(&work);
        status = eliminate_rows(&work, true);
    }
    if (status >= 0) status = eliminate_rows(&work, false);
    if (status >= 0) status = list(&work, out);
    release(&work);
    if (status < 0) crd_independent_free(out);
    return status < 0 ? crd_sim_report(sim, status) : CARDAN_OK;
}

void crd_independent_free(CrdIndependent *independent) {
    CRD_DELETE_ALL(independent->position, independent->velocity);
    *independent = (CrdIndependent){0};
}
