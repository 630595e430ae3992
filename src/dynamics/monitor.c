#include "dynamics/monitor.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"
#include "model/relative.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A pivot of S below this asks the geometry, too: either rows vanish, or masses are so uneven that S cannot tell. */
#define CRD_MONITOR_PIVOT 1e-7

/* Share of the largest seen from which the geometry is healthy: that far from a pose it stops growing in proportion to
 * the distance. */
#define CRD_MONITOR_HEALTHY 0.6

/* What the measure does not fall below where a pose is missed: solves are refined and stages put on the constraints,
 * but no row is left out. */
#define CRD_MONITOR_MISSED (1.01 * CRD_LAND)

/* Pivots grown by this factor make a configuration the new measure of what is healthy. */
#define CRD_MONITOR_GROWN 1.1

static void layout_health(CrdHealth *health, const CrdStructure *structure, CrdArena *arena) {
    health->rows = crd_take(arena, (size_t)structure->rows, sizeof(double));
    health->elements = crd_take(arena, (size_t)structure->element_count, sizeof(double));
}

void crd_monitor_layout(CrdMonitor *monitor, const CrdStructure *structure, CrdArena *arena) {
    layout_health(&monitor->schur, structure, arena);
    layout_health(&monitor->geometry, structure, arena);
    monitor->weak = crd_take(arena, (size_t)structure->rows, sizeof(double));
    monitor->singularity = 1.0;
}

/* ---- pivots against what is healthy ---- */

/* Product of the ratios of an element's rows: unlike them it stays as it is when the joint turns against the ground. */
static double element_ratio(const CrdElement *element, const double *ratio, int *weakest) {
    double product = 1.0;
    *weakest = element->first;
    for (int i = element->first; i < element->first + element->rows; i++) {
        product *= ratio[i];
        if (ratio[i] < ratio[*weakest]) *weakest = i;
    }
    return product;
}

/* Smallest ratio of an element's rows against what is healthy for that row. */
static double weakest_row(const CrdElement *element, const double *ratio, const CrdHealth *health) {
    double min = 1.0;
    for (int i = element->first; i < element->first + element->rows; i++)
        if (ratio[i] < min * health->rows[i]) min = ratio[i] / health->rows[i];
    return min;
}

/* Each element's pivots against what is healthy for it, the root of the smallest, and its weakest row. Their product is
 * blind to rows that change roles as the joint turns, but where two rows vanish together it falls with the square of
 * what each does: then the weaker row tells. */
static double measure(const CrdStructure *structure, const double *ratio, const CrdHealth *health, int *weakest) {
    double min = 1.0;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        int row;
        double product = element_ratio(element, ratio, &row);
        if (product >= min * health->elements[e]) continue;
        double part = fmax(product / health->elements[e], weakest_row(element, ratio, health));
        if (part >= min) continue;
        min = part;
        *weakest = row;
    }
    return sqrt(fmax(min, 0.0));
}

/* Has a product of pivots grown beyond what was healthy so far? */
static bool has_grown(const CrdStructure *structure, const double *ratio, const CrdHealth *health) {
    for (int e = 0; e < structure->element_count; e++) {
        int row;
        if (element_ratio(&structure->elements[e], ratio, &row) > CRD_MONITOR_GROWN * health->elements[e]) return true;
    }
    return false;
}

static void remember(const CrdStructure *structure, const double *ratio, CrdHealth *health) {
    for (int i = 0; i < structure->rows; i++) health->rows[i] = fmax(health->rows[i], ratio[i]);
    for (int e = 0; e < structure->element_count; e++) {
        int row;
        health->elements[e] = fmax(health->elements[e], element_ratio(&structure->elements[e], ratio, &row));
    }
}

static void set_weak(CrdMonitor *monitor, int rows) {
    for (int i = 0; i < rows; i++) monitor->weak[i] = CRD_LAND * CRD_LAND * monitor->schur.rows[i];
}

/* ---- question and answer ---- */

/* Do the pivots of S raise it? */
static bool raises_question(CrdDynamics *dynamics) {
    CrdFactor *factor = &dynamics->factor;
    CrdMonitor *monitor = &dynamics->monitor;
    monitor->singularity =
        measure(dynamics->model->structure, factor->solver->ratio, &monitor->schur, &factor->pivot_row);
    if (factor->dropped > 0) monitor->singularity = 0.0;
    return monitor->singularity < CRD_PASSAGE_WATCH || factor->pivot_last < CRD_MONITOR_PIVOT;
}

void crd_monitor_look(CrdDynamics *dynamics) {
    CrdMonitor *monitor = &dynamics->monitor;
    CrdFactor *factor = &dynamics->factor;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR));
    if (factor->solver->ratio == NULL) return; /* the back end has no pivots to look at */
    if (!raises_question(dynamics)) return;
    if (crd_is_relative(dynamics->model->structure)) { /* absolute coordinates answer it (sim/relative.h) */
        monitor->singularity = 0.0;
        return;
    }
    crd_geometry_look(dynamics);
    crd_uneven_judge(dynamics);
    const CrdGeometry *geometry = &dynamics->geometry;
    monitor->measured = monitor->singularity = 0.0;
    if (!(geometry->pivot > 0.0)) return;
    double share = measure(dynamics->model->structure, geometry->solver->ratio, &monitor->geometry, &factor->pivot_row);
    monitor->measured = monitor->singularity = fmin(share / CRD_MONITOR_HEALTHY, 1.0);
    if (dynamics->near_miss.acts) monitor->singularity = fmax(monitor->singularity, CRD_MONITOR_MISSED);
}

void crd_monitor_accept_geometry(CrdDynamics *dynamics) {
    const CrdGeometry *geometry = &dynamics->geometry;
    crd_geometry_look(dynamics);
    if (geometry->pivot > 0.0)
        remember(dynamics->model->structure, geometry->solver->ratio, &dynamics->monitor.geometry);
}

void crd_monitor_accept(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdMonitor *monitor = &dynamics->monitor;
    const double *ratio = dynamics->factor.solver->ratio;
    if (crd_imperfect_is_spread(dynamics)) {
        crd_imperfect_accept(dynamics); /* it has another measure */
        return;
    }
    if (structure->rows == 0 || ratio == NULL) return;
    /* Where masses are uneven the pivots of S say nothing. */
    if (!dynamics->factor.uneven.acts && !has_grown(structure, ratio, &monitor->schur)) return;
    if (dynamics->factor.dropped == 0) remember(structure, ratio, &monitor->schur);
    set_weak(monitor, structure->rows);
    crd_monitor_accept_geometry(dynamics);
}

void crd_monitor_restart(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdMonitor *monitor = &dynamics->monitor;
    CrdHealth *health[] = {&monitor->schur, &monitor->geometry};
    for (int i = 0; i < 2; i++) {
        memset(health[i]->rows, 0, (size_t)structure->rows * sizeof(double));
        memset(health[i]->elements, 0, (size_t)structure->element_count * sizeof(double));
    }
    crd_monitor_accept(dynamics);
    monitor->singularity = 1.0;
}

/* ---- what is remembered ---- */

int crd_monitor_size(const CrdStructure *structure) {
    return 2 * (structure->rows + structure->element_count);
}

void crd_monitor_get(const CrdDynamics *dynamics, double *numbers) {
    size_t rows = (size_t)dynamics->model->structure->rows,
           elements = (size_t)dynamics->model->structure->element_count;
    const CrdHealth *health[] = {&dynamics->monitor.schur, &dynamics->monitor.geometry};
    for (int i = 0; i < 2; i++, numbers += rows + elements) {
        memcpy(numbers, health[i]->rows, rows * sizeof *numbers);
        memcpy(numbers + rows, health[i]->elements, elements * sizeof *numbers);
    }
}

void crd_monitor_set(CrdDynamics *dynamics, const double *numbers) {
    size_t rows = (size_t)dynamics->model->structure->rows,
           elements = (size_t)dynamics->model->structure->element_count;
    CrdHealth *health[] = {&dynamics->monitor.schur, &dynamics->monitor.geometry};
    for (int i = 0; i < 2; i++, numbers += rows + elements) {
        memcpy(health[i]->rows, numbers, rows * sizeof *numbers);
        memcpy(health[i]->elements, numbers + rows, elements * sizeof *numbers);
    }
    set_weak(&dynamics->monitor, (int)rows);
}

void crd_monitor_copy(CrdDynamics *to, const CrdDynamics *from) {
    size_t rows = (size_t)to->model->structure->rows, elements = (size_t)to->model->structure->element_count;
    CrdHealth *target[] = {&to->monitor.schur, &to->monitor.geometry};
    const CrdHealth *source[] = {&from->monitor.schur, &from->monitor.geometry};
    for (int i = 0; i < 2; i++) {
        memcpy(target[i]->rows, source[i]->rows, rows * sizeof(double));
        memcpy(target[i]->elements, source[i]->elements, elements * sizeof(double));
    }
    set_weak(&to->monitor, (int)rows);
}

double crd_singularity_measure(const CrdDynamics *dynamics) {
    return dynamics->monitor.singularity;
}

bool crd_near_singular(const CrdDynamics *dynamics) {
    return dynamics->model->structure->rows > 0 && crd_singularity_measure(dynamics) < CRD_APPROACH;
}
