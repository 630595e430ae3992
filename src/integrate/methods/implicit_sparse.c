#include "integrate/methods/implicit_sparse.h"

#include "core/complex.h"
#include "integrate/methods/implicit_matrix.h"

#include <assert.h>
#include <string.h>

CrdSparseStep *crd_sparse_step_layout(const CrdImplicitTableau *method, const CrdEquations *equations,
                                      CrdArena *arena) {
    if (equations->stage == NULL) return NULL;
    CrdSparseStep measuring = {0}, *taken = crd_take(arena, 1, sizeof *taken),
                  *step = taken != NULL ? taken : &measuring;
    size_t size = (size_t)equations->stage_size, s = (size_t)method->stages, real = sizeof(double);
    size_t ends = (size_t)equations->core + (size_t)equations->multipliers;
    step->modes = crd_modes_of(method);
    step->size = equations->stage_size;
    CRD_TAKE_VECTORS(arena, s * size, &step->right, &step->answer);
    step->vector = crd_take(arena, size, real);
    step->both = crd_take(arena, step->modes.has_pair ? size : 0, sizeof *step->both);
    CRD_TAKE_VECTORS(arena, ends, &step->change, &step->moved, &step->product);
    size_t m = equations->in_slopes ? 0 : (size_t)equations->multipliers, tries = CRD_ENDS_TRIES;
    CRD_TAKE_VECTORS(arena, tries * m, &step->direction, &step->image);
    step->start_move = crd_take(arena, m > 0 ? tries * (size_t)equations->core : 0, real);
    step->left_over = crd_take(arena, m, real);
    step->pushed = crd_take(arena, m > 0 ? (size_t)equations->n : 0, real);
    return taken;
}

const double *crd_sparse_step_moved(const CrdSparseStep *step) {
    return step->moved;
}

CardanStatus crd_sparse_step_linearise(CrdImplicit *im, double at, double end, const double *u) {
    const CrdEquations *equations = &im->equations;
    assert(equations->stage->tiles.n == im->sparse->size);
    size_t n = (size_t)equations->n;
    im->factored = 0.0;
    im->taken[0] = at;
    memcpy(im->taken + 1, im->point, n * sizeof *im->taken);
    if (u != NULL) memcpy(im->taken + 1 + n, u, (size_t)equations->multipliers * sizeof *u);
    CRD_TRY(equations->stage->linearise(equations->stage->user, at, im->point, u));
    return crd_end_multipliers(im) > 0 ? crd_sparse_step_linearise_end(im, end) : CARDAN_OK;
}

CardanStatus crd_sparse_step_take_up(CrdImplicit *im, double end) {
    const CrdEquations *equations = &im->equations;
    size_t size = crd_implicit_point_size(equations), n = (size_t)equations->n;
    bool same = equations->stage->would_be_same == NULL || equations->stage->would_be_same(equations->stage->user);
    if (same && im->factored != 0.0 && memcmp(im->kept, im->taken, size * sizeof *im->taken) == 0) return CARDAN_OK;
    memcpy(im->point, im->kept + 1, n * sizeof *im->point);
    return crd_sparse_step_linearise(im, im->kept[0], end, size > 1 + n ? im->kept + 1 + n : NULL);
}

static void count(const CrdImplicit *im) {
    if (im->equations.count != NULL) im->equations.count->factorisations++;
}

CardanStatus crd_sparse_step_factor(CrdImplicit *im, double h, double *weakest) {
    const CrdStageMatrix *stage = im->equations.stage;
    const CrdModes *modes = &im->sparse->modes;
    *weakest = 1.0;
    if (im->factored == h) return CARDAN_OK;
    im->factored = 0.0;
    count(im);
    if (modes->has_real)
        CRD_TRY(crd_sparse_lu_factor(stage->real, modes->real / h, stage->rates, stage->state, weakest));
    double complex first = crd_complex(creal(modes->pair) / h, cimag(modes->pair) / h);
    if (modes->has_pair) CRD_TRY(crd_sparse_lu_factor_complex(stage->both, first, stage->rates, stage->state, weakest));
    im->factored = h;
    return CARDAN_OK;
}

CardanStatus crd_sparse_step_stages(CrdImplicit *im) {
    CrdSparseStep *step = im->sparse;
    const CrdModes *modes = &step->modes;
    const CrdStageMatrix *stage = im->equations.stage;
    int s = im->method->stages, size = step->size;
    memset(step->answer, 0, (size_t)s * (size_t)size * sizeof *step->answer);
    if (modes->has_real) {
        memset(step->vector, 0, (size_t)size * sizeof *step->vector);
        for (int i = 0; i < s; i++)
            for (int c = 0; c < size; c++) step->vector[c] += modes->left[i] * step->right[i * size + c];
        CRD_TRY(crd_sparse_lu_solve(stage->real, step->vector));
        for (int i = 0; i < s; i++)
            for (int c = 0; c < size; c++) step->answer[i * size + c] += modes->right[i] * step->vector[c];
    }
    if (!modes->has_pair) return CARDAN_OK;
    for (int c = 0; c < size; c++) {
        double x = 0.0, y = 0.0;
        for (int i = 0; i < s; i++) {
            x += creal(modes->pair_left[i]) * step->right[i * size + c];
            y += cimag(modes->pair_left[i]) * step->right[i * size + c];
        }
        step->both[c] = crd_complex(x, y);
    }
    CRD_TRY(crd_sparse_lu_solve_complex(stage->both, step->both));
    for (int i = 0; i < s; i++) { /* the other of the pair adds the conjugate */
        double x = 2.0 * creal(modes->pair_right[i]), y = 2.0 * cimag(modes->pair_right[i]);
        for (int c = 0; c < size; c++)
            step->answer[i * size + c] += x * creal(step->both[c]) - y * cimag(step->both[c]);
    }
    return CARDAN_OK;
}

void crd_sparse_step_take(CrdImplicit *im, double h) {
    const CrdSparseStep *step = im->sparse;
    int s = im->method->stages, core = im->equations.core, m = crd_stage_multipliers(im);
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) {
            double weight = step->modes.inverse[i][j] / h;
            const double *from = step->answer + j * step->size;
            for (int c = 0; c < core; c++) im->x[i * core + c] += weight * from[c];
        }
        double *u = im->x + s * core + i * m;
        for (int r = 0; r < m; r++) u[r] += step->answer[i * step->size + core + r];
    }
}

/* Right sides of all stages from what the stages miss, which stands in x. */
static void fill_right(CrdImplicit *im, double h) {
    const CrdEquations *equations = &im->equations;
    CrdSparseStep *step = im->sparse;
    int s = im->method->stages, core = equations->core, m = crd_stage_multipliers(im);
    memset(step->right, 0, (size_t)s * (size_t)step->size * sizeof *step->right);
    for (int i = 0; i < s; i++) {
        double *right = step->right + i * step->size;
        memset(step->vector, 0, (size_t)step->size * sizeof *step->vector);
        memcpy(step->vector, im->x + i * core, (size_t)core * sizeof *step->vector);
        crd_tiles_times(&equations->stage->tiles, equations->stage->rates, 1.0, step->vector, right);
        const double *u = im->x + s * core + i * m;
        for (int r = 0; r < m; r++) right[core + r] = equations->held[r] ? h * u[r] : u[r];
    }
}

CardanStatus crd_sparse_step_solve(CrdImplicit *im, double h) {
    int s = im->method->stages, core = im->equations.core;
    fill_right(im, h);
    memset(im->x, 0, (size_t)(s * core + s * crd_stage_multipliers(im)) * sizeof *im->x);
    CRD_TRY(crd_sparse_step_stages(im));
    crd_sparse_step_take(im, h);
    if (im->equations.count != NULL) im->equations.count->solves++;
    return crd_end_multipliers(im) > 0 ? crd_sparse_step_ends(im, h) : CARDAN_OK;
}

/* ---- the end ---- */

CardanStatus crd_sparse_step_linearise_end(CrdImplicit *im, double t) {
    CrdStageMatrix *ends = im->equations.ends;
    double weakest;
    CRD_TRY(ends->linearise(ends->user, t, im->end, NULL));
    if (crd_sparse_lu_factor(ends->real, 0.0, ends->state, ends->state, &weakest) >= 0) return CARDAN_OK;
    return crd_fail(im->equations.error, CARDAN_ERR_NUMERIC,
                    "the matrix of the projection of %s is singular at t = %.9g: pivots %.2g apart", im->method->name,
                    t, weakest);
}

CardanStatus crd_sparse_step_project(CrdImplicit *im) {
    const CrdEquations *equations = &im->equations;
    CrdSparseStep *step = im->sparse;
    int core = equations->core;
    memset(step->moved, 0, (size_t)core * sizeof *step->moved);
    for (int r = 0; r < equations->multipliers; r++)
        step->moved[core + r] = equations->held[r] ? -im->residual[r] : 0.0;
    CRD_TRY(crd_sparse_lu_solve(equations->ends->real, step->moved));
    memcpy(im->trial, step->moved, (size_t)core * sizeof *im->trial);
    return CARDAN_OK;
}
