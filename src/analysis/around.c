#include "analysis/around.h"

#include "core/numbers.h"
#include "core/random.h"

#include <string.h>

CardanStatus crd_evaluate_beside(CrdDynamics *dynamics, double t, const double *q, const double *v,
                                 const double *motion, double far) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdNearPose *beside = &dynamics->near_pose;
    double reach = crd_reach(dynamics->model, motion);
    for (int i = 0; i < structure->nv; i++) beside->dx[i] = reach > 0.0 ? far / reach * motion[i] : 0.0;
    memcpy(beside->q, q, (size_t)structure->nq * sizeof *q);
    crd_move(structure, beside->dx, beside->q);
    return crd_evaluate_constraints(dynamics, t, beside->q, v);
}

typedef struct Around {
    double *motion, *correction; /* (nv) */
    double *rows, *scratch;      /* (rows) */
    CrdArena arena;
} Around;

static void layout(Around *around, const CrdStructure *structure) {
    CRD_TAKE_VECTORS(&around->arena, (size_t)structure->nv, &around->motion, &around->correction);
    CRD_TAKE_VECTORS(&around->arena, (size_t)structure->rows, &around->rows, &around->scratch);
}

/* A random motion less what the rows do not allow of it. */
static CardanStatus choose_motion(Around *around, CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    uint64_t state = 1;
    for (int i = 0; i < structure->nv; i++) around->motion[i] = crd_random(&state);
    memset(around->rows, 0, (size_t)structure->rows * sizeof *around->rows);
    crd_times_g(structure, dynamics->system.G, around->motion, around->rows);
    CRD_TRY(crd_correct(dynamics, around->rows, around->scratch, around->correction));
    for (int i = 0; i < structure->nv; i++) around->motion[i] += around->correction[i];
    return CARDAN_OK;
}

/* A side where rows cannot be evaluated (a point that far off has no foot on its curve) shows nothing, and is nothing
 * to refuse a start for. */
static CardanStatus look(Around *around, CrdDynamics *dynamics, double t, const double *q, const double *v) {
    CRD_TRY(choose_motion(around, dynamics));
    for (int side = -1; side <= 1; side += 2) {
        CardanStatus status = crd_evaluate_beside(dynamics, t, q, v, around->motion, side * CRD_NEIGHBOUR_FAR);
        if (status >= 0)
            crd_monitor_accept_geometry(dynamics);
        else if (status == CARDAN_ERR_NUMERIC)
            crd_error_clear(dynamics->error);
        else
            return status;
    }
    return CARDAN_OK;
}

CardanStatus crd_look_around(CrdDynamics *dynamics, double t, const double *q, const double *v) {
    if (!dynamics->geometry.wanted) return CARDAN_OK; /* nobody asks */
    Around around = {0};
    layout(&around, dynamics->model->structure);
    if (!crd_arena_allocate(&around.arena)) return crd_fail_memory(dynamics->error);
    layout(&around, dynamics->model->structure);
    CardanStatus status = look(&around, dynamics, t, q, v);
    crd_arena_free(&around.arena);
    return status;
}
