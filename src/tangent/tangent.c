#include "tangent/tangent.h"

#include "core/rotation.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What is at work while the matrices are made. */
typedef struct Work {
    CrdTangent *tangent;
    CrdJacobian jacobian;
    CrdArena arena;
    CrdTiles tiles;
    double *values;
    double *pieces[3];
    int *block_of; /* (nq) block of a coordinate */
} Work;

static void layout(Work *work, CrdArena *arena) {
    const CrdStructure *structure = work->tangent->structure;
    crd_jacobian_layout(&work->jacobian, structure, arena);
    for (int i = 0; i < 3; i++) work->pieces[i] = crd_take(arena, (size_t)structure->size_g, sizeof(double));
    work->block_of = crd_take(arena, (size_t)structure->nq, sizeof(int));
}

static CardanStatus open_work(Work *work, CrdTangent *tangent) {
    CrdDynamics *dynamics = &tangent->sim->integrator.dynamics;
    const CrdStructure *structure = tangent->structure;
    work->tangent = tangent;
    layout(work, &work->arena);
    if (!crd_arena_allocate(&work->arena)) return crd_fail_memory(dynamics->error);
    layout(work, &work->arena);
    work->jacobian.model = dynamics->model;
    work->jacobian.system = &dynamics->system;
    work->jacobian.actions = &dynamics->actions;
    work->jacobian.error = dynamics->error;
    work->jacobian.tiles = &work->tiles;
    for (int b = 0; b < structure->block_count; b++)
        for (int k = 0; k < structure->blocks[b].nq; k++) work->block_of[structure->blocks[b].q + k] = b;
    return CARDAN_OK;
}

static void close_work(Work *work) {
    crd_tiles_free(&work->tiles);
    crd_delete(work->values);
    crd_arena_free(&work->arena);
}

/* ---- D over displacements ---- */

/* Columns of positions become columns of displacements by q' = N x. */
static void add_over_q(const Work *work, const double *q, int row, int column, double value, CrdEntries *entries) {
    assert(row >= 0 && column >= 0);
    const CrdBlock *block = &work->tangent->structure->blocks[work->block_of[column]];
    int k = column - block->q;
    if (block->kind != CRD_SPATIAL_BODY || k < 3) {
        crd_entries_add(entries, row, block->v + k, value);
        return;
    }
    const double *p = q + block->q + 3;
    const double n[4][3] = {{-p[1], -p[2], -p[3]}, {p[0], -p[3], p[2]}, {p[3], p[0], -p[1]}, {-p[2], p[1], p[0]}};
    for (int j = 0; j < 3; j++) crd_entries_add(entries, row, block->v + 3 + j, 0.5 * n[k - 3][j] * value);
}

static CardanStatus put_dynamics(Work *work) {
    const CrdStructure *structure = work->tangent->structure;
    const CrdColumns columns = {0, structure->nq, structure->nq + structure->nv};
    crd_tiles_begin(&work->tiles);
    return crd_jacobian_dynamics(&work->jacobian, 0, structure->nv, columns);
}

static CardanStatus make_dynamics(Work *work) {
    CrdTangent *tangent = work->tangent;
    const CrdStructure *structure = tangent->structure;
    CrdError *error = work->jacobian.error;
    CrdEntries entries = {0};
    crd_tiles_open(&work->tiles, structure->nq + structure->nv + structure->first_order);
    CRD_TRY(put_dynamics(work));
    CRD_TRY(crd_tiles_close(&work->tiles, error));
    work->values = crd_new((size_t)work->tiles.entries, sizeof *work->values);
    if (work->values == NULL) return crd_fail_memory(error);
    work->jacobian.values = work->values;
    CRD_TRY(put_dynamics(work));
    for (int c = 0; c < work->tiles.n; c++)
        for (int i = work->tiles.start[c]; i < work->tiles.start[c + 1]; i++) {
            int row = work->tiles.row[i];
            if (work->values[i] == 0.0) continue;
            if (c < structure->nq)
                add_over_q(work, work->jacobian.q, row, c, work->values[i], &entries);
            else
                crd_entries_add(&entries, row, c - structure->nq + structure->nv, work->values[i]);
        }
    return crd_compressed_create(&entries, tangent->nv + tangent->nz, 2 * tangent->nv + tangent->nz, &tangent->d,
                                 error);
}

/* ---- M, rows and the turning of axes ---- */

static void add_square(CrdEntries *entries, int at, int n, const double *matrix) {
    assert(n > 0);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) crd_entries_add(entries, at + i, at + k, matrix[i * n + k]);
}

static CardanStatus make_mass(Work *work) {
    CrdTangent *tangent = work->tangent;
    const CardanModel *model = work->jacobian.model;
    const CrdStructure *structure = tangent->structure;
    CrdEntries entries = {0};
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        const CrdBlockValues *values = &model->values.blocks[b];
        if (block->kind == CRD_CUSTOM_BLOCK) {
            add_square(&entries, block->v, block->nv, work->jacobian.system->custom_matrix + block->mass);
            continue;
        }
        int lengths = crd_block_lengths(structure, block);
        for (int k = 0; k < lengths; k++) crd_entries_add(&entries, block->v + k, block->v + k, values->mass);
        if (block->kind == CRD_PLANAR_BODY) crd_entries_add(&entries, block->v + 2, block->v + 2, values->inertia[8]);
        if (block->kind == CRD_SPATIAL_BODY) add_square(&entries, block->v + 3, 3, values->inertia);
    }
    return crd_compressed_create(&entries, tangent->nv, tangent->nv, &tangent->mass, work->jacobian.error);
}

/* Adds s times pieces like G. */
static void add_pieces(const CrdStructure *structure, double s, const double *pieces, CrdEntries *entries) {
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        int first = structure->elements[in->element].first;
        for (int r = 0; r < in->rows; r++)
            for (int k = 0; k < in->width; k++) {
                double value = pieces[in->g + r * in->width + k];
                if (value != 0.0) crd_entries_add(entries, first + r, in->v + k, s * value);
            }
    }
}

static CardanStatus rows_of(Work *work, double s, const double *pieces, CrdEntries *entries, CrdCompressed *out) {
    const CrdTangent *tangent = work->tangent;
    add_pieces(tangent->structure, s, pieces, entries);
    return crd_compressed_create(entries, tangent->rows, tangent->nv, out, work->jacobian.error);
}

static CardanStatus make_rows(Work *work) {
    CrdTangent *tangent = work->tangent;
    CrdJacobian *jacobian = &work->jacobian;
    double **pieces = work->pieces;
    CrdEntries entries = {0};
    CRD_TRY(crd_jacobian_gamma(jacobian, pieces[0], pieces[1]));
    CRD_TRY(crd_jacobian_rows_along(jacobian, tangent->a, pieces[2]));
    add_pieces(tangent->structure, 1.0, pieces[2], &entries);
    CRD_TRY(rows_of(work, -1.0, pieces[0], &entries, &tangent->second_x));
    CRD_TRY(rows_of(work, -1.0, pieces[1], &entries, &tangent->second_v));
    CRD_TRY(crd_jacobian_rates(jacobian, pieces[0]));
    CRD_TRY(rows_of(work, 1.0, pieces[0], &entries, &tangent->rate));
    return rows_of(work, 1.0, jacobian->system->G, &entries, &tangent->g);
}

static CardanStatus make_turning(Work *work) {
    CrdTangent *tangent = work->tangent;
    CrdEntries entries = {0};
    for (int b = 0; b < tangent->structure->block_count; b++) {
        const CrdBlock *block = &tangent->structure->blocks[b];
        if (block->kind != CRD_SPATIAL_BODY) continue;
        const double *w = work->jacobian.v + block->v + 3;
        const double minus_cross[9] = {0, w[2], -w[1], -w[2], 0, w[0], w[1], -w[0], 0};
        if (w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0) add_square(&entries, block->v + 3, 3, minus_cross);
    }
    return crd_compressed_create(&entries, tangent->nv, tangent->nv, &tangent->turning, work->jacobian.error);
}

/* ---- all of it ---- */

static CardanStatus note_motion(CrdTangent *tangent) {
    CrdDynamics *dynamics = &tangent->sim->integrator.dynamics;
    tangent->a = crd_new((size_t)tangent->nv, sizeof *tangent->a);
    tangent->lambda = crd_new((size_t)tangent->rows, sizeof *tangent->lambda);
    tangent->dropped = crd_new((size_t)tangent->rows, sizeof *tangent->dropped);
    if (tangent->a == NULL || tangent->lambda == NULL || tangent->dropped == NULL)
        return crd_fail_memory(dynamics->error);
    memcpy(tangent->a, dynamics->a, (size_t)tangent->nv * sizeof *tangent->a);
    memcpy(tangent->lambda, dynamics->lambda, (size_t)tangent->rows * sizeof *tangent->lambda);
    for (int r = 0; dynamics->redundancy.count > 0 && r < tangent->rows; r++)
        tangent->dropped[r] = dynamics->redundancy.is_dropped[r];
    return CARDAN_OK;
}

static CardanStatus make(Work *work, CrdTangent *tangent) {
    CrdIntegrator *integrator = &tangent->sim->integrator;
    const double *y = integrator->stepper.y;
    CRD_TRY(note_motion(tangent));
    CRD_TRY(open_work(work, tangent));
    integrator->dynamics.actions.states = y + tangent->structure->nq + tangent->nv;
    crd_integrator_use_tracked(integrator, y);
    CRD_TRY(crd_jacobian_at(&work->jacobian, integrator->stepper.t, y, y + tangent->structure->nq, tangent->a,
                            tangent->lambda));
    CRD_TRY(make_dynamics(work));
    CRD_TRY(make_mass(work));
    CRD_TRY(make_turning(work));
    return make_rows(work);
}

CardanStatus crd_tangent_create(CardanSim *sim, CrdTangent *out) {
    assert(sim != NULL && out != NULL);
    const CrdStructure *structure = sim->model->structure;
    Work work = {0};
    *out = (CrdTangent){
        .sim = sim, .structure = structure, .nv = structure->nv, .nz = structure->first_order, .rows = structure->rows};
    CRD_TRY(crd_sim_factored_motion(sim));
    CrdCall before = crd_sim_enter(sim);
    crd_error_clear(&sim->error);
    CardanStatus status = make(&work, out);
    close_work(&work);
    crd_sim_leave(sim, before);
    crd_sim_touch(sim);
    if (status < 0) crd_tangent_free(out);
    return status < 0 ? crd_sim_report(sim, status) : CARDAN_OK;
}

void crd_tangent_free(CrdTangent *tangent) {
    CrdCompressed *matrices[] = {&tangent->d,        &tangent->mass,     &tangent->g,      &tangent->rate,
                                 &tangent->second_x, &tangent->second_v, &tangent->turning};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) crd_compressed_free(matrices[i]);
    CRD_DELETE_ALL(tangent->a, tangent->lambda, tangent->dropped);
    tangent->a = tangent->lambda = NULL;
    tangent->dropped = NULL;
}

/* ---- names ---- */

static const char *const PLANAR[2][3] = {{"x", "y", "angle"}, {"vx", "vy", "spin"}};
static const char *const SPATIAL[2][6] = {{"x", "y", "z", "turn_x", "turn_y", "turn_z"},
                                          {"vx", "vy", "vz", "rate_x", "rate_y", "rate_z"}};

const char *crd_tangent_name(const CardanModel *model, int i, bool velocity, char *text, size_t size) {
    assert(i >= 0 && size > 0);
    const CrdStructure *structure = model->structure;
    int b = 0;
    while (i >= structure->blocks[b].v + structure->blocks[b].nv) b++;
    const CrdBlock *block = &structure->blocks[b];
    int k = i - block->v;
    if (block->kind == CRD_CUSTOM_BLOCK)
        snprintf(text, size, "%s.%s%d", model->description->blocks[block->object].name, velocity ? "v" : "q", k);
    else
        snprintf(text, size, "%s.%s", cardan_model_body_name(model, (CardanBody){block->frame}),
                 structure->space == CARDAN_SPACE_PLANAR ? PLANAR[velocity][k] : SPATIAL[velocity][k]);
    return text;
}
