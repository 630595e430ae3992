/* The room of a step: sizes from the method and the equations. */
#include "integrate/methods/implicit_matrix.h"
#include "integrate/methods/implicit_sparse.h"

#include <assert.h>

long crd_implicit_unknowns(const CrdImplicitTableau *method, const CrdEquations *equations) {
    long multipliers = equations->overdetermined ? 0 : equations->multipliers;
    return (long)method->stages * equations->core + (equations->in_slopes ? method->stages : 1L) * multipliers;
}

void crd_implicit_layout(CrdImplicit *im, const CrdImplicitTableau *method, const CrdEquations *equations,
                         CrdArena *arena) {
    size_t n = (size_t)equations->n, core = (size_t)equations->core, m = (size_t)equations->multipliers,
           s = (size_t)method->stages;
    size_t real = sizeof(double), ends = equations->in_slopes ? 0 : m;
    bool any = m > 0 && equations->push == NULL;
    bool projects = equations->in_slopes && !method->ends_on_stage && !equations->ends_free;
    assert(!equations->overdetermined || (method->stages == 1 && method->ends_on_stage));
    assert(equations->push != NULL || equations->in_slopes || m == 0);
    im->method = method;
    im->equations = *equations;
    im->origin = NULL;
    im->rests = false;
    im->enough = 0.0;
    im->unknowns = (int)crd_implicit_unknowns(method, equations);
    im->dense = equations->stage == NULL || im->unknowns <= CRD_IMPLICIT_DENSE;
    im->sparse = crd_sparse_step_layout(method, equations, arena);
    crd_lu_layout(&im->newton, im->dense ? im->unknowns : 0, equations->count, arena);
    im->taken =
        crd_take(arena, im->sparse != NULL || equations->stage != NULL ? crd_implicit_point_size(equations) : 0, real);
    crd_acceleration_layout(&im->acceleration, method->filter > 0.0 && m == 0 ? (size_t)im->unknowns : 0, arena);
    im->acceleration.stages = method->stages;
    im->acceleration.core = equations->core;
    im->accelerates = false;
    im->factored = 0.0;
    im->kept = NULL;
    im->x = im->dense ? im->newton.x : crd_take(arena, (size_t)im->unknowns, real);
    im->k = crd_take(arena, s, n * real);
    im->u = crd_take(arena, s, m * real);
    CRD_TAKE_VECTORS(arena, n, &im->slope, &im->stage, &im->base, &im->end, &im->trial, &im->point);
    CRD_TAKE_VECTORS(arena, m, &im->residual, &im->trial_residual, &im->u_start);
    im->u_trial = crd_take(arena, any ? m : 0, real);
    im->direct = crd_take(arena, any ? m : 0, m * real);
    im->mass = equations->mass != NULL ? crd_take(arena, core, core * real) : NULL;
    im->least = crd_take(arena, equations->overdetermined ? crd_implicit_least_squares_size(equations) : 0, real);
    CRD_TAKE_VECTORS(arena, core, &im->scale, &im->measure);
    im->acceleration.measure = im->measure;
    size_t square = im->dense ? core : 0;
    im->jacobian = crd_take(arena, square, core * real);
    CRD_TAKE_VECTORS(arena, square * m, &im->hold, &im->directions, &im->directions_end);
    im->projects = projects && m > 0;
    crd_lu_layout(&im->projection, projects && im->dense ? equations->multipliers : 0, equations->count, arena);
    crd_lu_layout(&im->filter, method->filter > 0.0 && m == 0 && im->dense ? equations->core : 0, equations->count,
                  arena);
    im->pushed = crd_take(arena, square, ends * real);
    im->held_d = crd_take(arena, im->dense ? ends : 0, ends * real);
}
