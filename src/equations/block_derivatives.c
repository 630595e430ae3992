/* Without a callback a derivative is a central difference, column by column: step CRD_DIFFERENCE_STEP of max(1, |q|).
 * All but that of the force are of a matrix of the block (M, G or J) times a fixed vector. */
#include "equations/block_derivatives.h"

#include "core/callback.h"
#include "core/numbers.h"

#include <assert.h>
#include <string.h>

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

size_t crd_probe_size(const CrdStructure *structure) {
    size_t n = (size_t)structure->max_coordinates, rows = (size_t)structure->max_rows;
    size_t high = larger(larger(n, rows), 6);
    return 2 * n + high * n + high + 3 * rows;
}

/* One block and the numbers that are moved; parts of CrdSystem.probe. */
typedef struct Probe {
    const CardanBlockDef *def;
    const char *name;
    double t;
    int n, frame;
    const double *inputs;
    const double *weight; /* what the matrix is multiplied with */
    double *q, *v;        /* (n) copies */
    double *matrix;       /* (height x n) */
    double *value;        /* (height or n) */
    double *rows;         /* (3 rows) */
} Probe;

static Probe probe_of(const CrdScene *scene, int block, CrdSystem *system) {
    const CrdBlock *b = &scene->model->structure->blocks[block];
    assert(b->kind == CRD_CUSTOM_BLOCK);
    const CrdBlockDesc *desc = &scene->model->description->blocks[b->object];
    size_t n = (size_t)b->nv, high = larger(larger(n, (size_t)desc->def.rows), 6);
    Probe p = {.def = &desc->def, .name = desc->name, .t = system->t, .n = b->nv, .q = system->probe};
    p.v = p.q + n;
    p.matrix = p.v + n;
    p.value = p.matrix + high * n;
    p.rows = p.value + high;
    assert(p.rows + 3 * (size_t)desc->def.rows <= p.q + crd_probe_size(scene->model->structure));
    memcpy(p.q, scene->q + b->q, n * sizeof *p.q);
    memcpy(p.v, scene->v + b->v, n * sizeof *p.v);
    return p;
}

/* What a callback left in out, rows x columns. */
static CardanStatus told(const Probe *probe, const char *callback, CardanStatus status, const double *out, int rows,
                         int columns, CrdError *error) {
    bool finite = crd_are_finite(out, (size_t)rows * (size_t)columns);
    return crd_callback_ended(error, status, finite, probe->t, "block '%s': its %s callback", probe->name, callback);
}

static void clear(double *x, int rows, int columns) {
    memset(x, 0, (size_t)rows * (size_t)columns * sizeof *x);
}

/* ---- the matrices ---- */

typedef struct Source {
    const char *callback;
    CardanStatus (*fill)(Probe *p);
} Source;

static CardanStatus fill_mass(Probe *probe) {
    clear(probe->matrix, probe->n, probe->n);
    return probe->def->mass(probe->def->user, probe->t, probe->q, probe->matrix);
}

static CardanStatus fill_rows(Probe *probe) {
    int rows = probe->def->rows;
    clear(probe->matrix, rows, probe->n);
    clear(probe->rows, 3, rows);
    return probe->def->constraint(probe->def->user, probe->t, probe->q, probe->v, probe->rows, probe->matrix,
                                  probe->rows + rows, probe->rows + 2 * rows);
}

static CardanStatus fill_frame(Probe *probe) {
    CardanFrame frame = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double bias[6] = {0};
    clear(probe->matrix, 6, probe->n);
    return probe->def->frame(probe->def->user, probe->frame, probe->t, probe->q, probe->v, &frame, probe->matrix, bias);
}

static const Source MASS = {"mass", fill_mass}, ROWS = {"constraint", fill_rows}, FRAME = {"frame", fill_frame};

/* ---- differences ---- */

static double step_of(double x) {
    return CRD_DIFFERENCE_STEP * fmax(1.0, fabs(x));
}

/* Adds s times the matrix (or its transpose) times the weight to column k. */
static void add_product(const Probe *probe, int height, bool transposed, double s, int k, double *out) {
    for (int i = 0; i < height; i++)
        for (int j = 0; j < probe->n; j++) {
            double entry = s * probe->matrix[i * probe->n + j];
            if (transposed)
                out[j * probe->n + k] += entry * probe->weight[i];
            else
                out[i * probe->n + k] += entry * probe->weight[j];
        }
}

/* out: that of matrix(q) weight, height x n; or of matrix(q)^T weight, n x n. */
static CardanStatus difference(Probe *probe, const Source *source, int height, bool transposed, double *out,
                               CrdError *error) {
    assert(probe->weight != NULL && height >= 0);
    for (int k = 0; k < probe->n; k++) {
        double x = probe->q[k], h = step_of(x);
        for (int side = -1; side <= 1; side += 2) {
            probe->q[k] = x + side * h;
            CardanStatus status = source->fill(probe);
            CRD_TRY(told(probe, source->callback, status, probe->matrix, height, probe->n, error));
            add_product(probe, height, transposed, 0.5 * side / h, k, out);
        }
        probe->q[k] = x;
    }
    return CARDAN_OK;
}

/* Of the force, while x (q or v of the probe) moves. */
static CardanStatus force_difference(Probe *probe, double *x, double *out, CrdError *error) {
    for (int k = 0; k < probe->n; k++) {
        double kept = x[k], h = step_of(kept);
        for (int side = -1; side <= 1; side += 2) {
            x[k] = kept + side * h;
            clear(probe->value, probe->n, 1);
            CardanStatus status =
                probe->def->force(probe->def->user, probe->t, probe->q, probe->v, probe->inputs, probe->value);
            CRD_TRY(told(probe, "force", status, probe->value, probe->n, 1, error));
            for (int i = 0; i < probe->n; i++) out[i * probe->n + k] += 0.5 * side / h * probe->value[i];
        }
        x[k] = kept;
    }
    return CARDAN_OK;
}

/* ---- each of them ---- */

CardanStatus crd_block_gradient(const CrdScene *scene, int block, CrdSystem *system, double *out, CrdError *error) {
    Probe p = probe_of(scene, block, system);
    clear(out, p.def->rows, p.n);
    p.weight = scene->v + scene->model->structure->blocks[block].v;
    if (p.def->constraint_gradient == NULL) return difference(&p, &ROWS, p.def->rows, false, out, error);
    CardanStatus status = p.def->constraint_gradient(p.def->user, p.t, p.q, p.v, out);
    return told(&p, "constraint_gradient", status, out, p.def->rows, p.n, error);
}

CardanStatus crd_block_reactions(const CrdScene *scene, int block, CrdSystem *system, const double *lambda, double *out,
                                 CrdError *error) {
    Probe p = probe_of(scene, block, system);
    clear(out, p.n, p.n);
    p.weight = lambda;
    if (p.def->reaction_gradient == NULL) return difference(&p, &ROWS, p.def->rows, true, out, error);
    CardanStatus status = p.def->reaction_gradient(p.def->user, p.t, p.q, lambda, out);
    return told(&p, "reaction_gradient", status, out, p.n, p.n, error);
}

CardanStatus crd_block_inertia(const CrdScene *scene, int block, CrdSystem *system, const double *a, double *out,
                               CrdError *error) {
    Probe p = probe_of(scene, block, system);
    clear(out, p.n, p.n);
    p.weight = a;
    if (p.def->mass_gradient == NULL) return difference(&p, &MASS, p.n, false, out, error);
    CardanStatus status = p.def->mass_gradient(p.def->user, p.t, p.q, a, out);
    return told(&p, "mass_gradient", status, out, p.n, p.n, error);
}

CardanStatus crd_block_force(const CrdScene *scene, int block, CrdSystem *system, const double *inputs, double *by_q,
                             double *by_v, CrdError *error) {
    Probe p = probe_of(scene, block, system);
    clear(by_q, p.n, p.n);
    clear(by_v, p.n, p.n);
    p.inputs = inputs;
    if (p.def->force == NULL) return CARDAN_OK;
    if (p.def->force_gradient != NULL) {
        CardanStatus status = p.def->force_gradient(p.def->user, p.t, p.q, p.v, inputs, by_q, by_v);
        CRD_TRY(told(&p, "force_gradient", status, by_q, p.n, p.n, error));
        return told(&p, "force_gradient", status, by_v, p.n, p.n, error);
    }
    CRD_TRY(force_difference(&p, p.q, by_q, error));
    return force_difference(&p, p.v, by_v, error);
}

static Probe frame_probe(const CrdScene *scene, int frame, CrdSystem *system) {
    const CrdFrame *c = &scene->model->structure->frames[frame];
    assert(c->kind == CRD_FRAME_OF_BLOCK);
    Probe p = probe_of(scene, c->block, system);
    p.frame = c->frame;
    return p;
}

CardanStatus crd_frame_gradient(const CrdScene *scene, int frame, CrdSystem *system, double *out, CrdError *error) {
    Probe p = frame_probe(scene, frame, system);
    const CrdStructure *structure = scene->model->structure;
    clear(out, 6, p.n);
    p.weight = scene->v + structure->blocks[structure->frames[frame].block].v;
    if (p.def->frame_gradient == NULL) return difference(&p, &FRAME, 6, false, out, error);
    CardanStatus status = p.def->frame_gradient(p.def->user, p.frame, p.t, p.q, p.v, out);
    return told(&p, "frame_gradient", status, out, 6, p.n, error);
}

CardanStatus crd_frame_loads(const CrdScene *scene, int frame, CrdSystem *system, const double *load, double *out,
                             CrdError *error) {
    Probe p = frame_probe(scene, frame, system);
    clear(out, p.n, p.n);
    p.weight = load;
    if (p.def->load_gradient == NULL) return difference(&p, &FRAME, 6, true, out, error);
    CardanStatus status = p.def->load_gradient(p.def->user, p.frame, p.t, p.q, load, out);
    return told(&p, "load_gradient", status, out, p.n, p.n, error);
}
