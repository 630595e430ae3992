#include "dynamics/monitor.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A pivot of S below this asks the geometry, too: either rows vanish, or masses are so uneven that S cannot tell. */
#define CRD_MONITOR_PIVOT 1e-7

/* Share of the largest singular value seen from which a configuration is healthy: at most far from a pose the smallest
 * one stops growing with the distance, here it still does. */
#define CRD_MONITOR_HEALTHY 0.4

/* Pivots grown by this factor make a configuration the new measure of what is healthy. */
#define CRD_MONITOR_GROWN 1.1

void crd_monitor_layout(CrdMonitor *monitor, const CrdStructure *structure, CrdArena *arena) {
    size_t rows = (size_t)structure->rows, real = sizeof(double);
    monitor->pivot_top = crd_take(arena, rows, real);
    monitor->weak = crd_take(arena, rows, real);
    monitor->element_top = crd_take(arena, (size_t)structure->element_count, real);
    monitor->singularity = 1.0;
}

/* Product of the ratios of an element's rows: unlike them it stays as it is when the joint turns against the ground. */
static double element_ratio(const CrdDynamics *dynamics, int element, int *weakest) {
    const CrdElement *e = &dynamics->model->structure->elements[element];
    const double *ratio = dynamics->factor.solver->ratio;
    double product = 1.0;
    *weakest = e->first;
    for (int i = e->first; i < e->first + e->rows; i++) {
        product *= ratio[i];
        if (ratio[i] < ratio[*weakest]) *weakest = i;
    }
    return product;
}

/* Smallest ratio of an element's rows against what is healthy for that row. */
static double weakest_row(const CrdDynamics *dynamics, int element) {
    const CrdElement *e = &dynamics->model->structure->elements[element];
    const double *ratio = dynamics->factor.solver->ratio, *top = dynamics->monitor.pivot_top;
    double min = 1.0;
    for (int i = e->first; i < e->first + e->rows; i++)
        if (ratio[i] < min * top[i]) min = ratio[i] / top[i];
    return min;
}

/* Each element's pivots against what is healthy for it. Their product is blind to rows that change roles as the joint
 * turns, but where two rows vanish together it falls with the square of what each does: then the weaker row tells. */
static double pivot_measure(CrdDynamics *dynamics) {
    CrdMonitor *monitor = &dynamics->monitor;
    double min = 1.0;
    for (int e = 0; e < dynamics->model->structure->element_count; e++) {
        int row;
        double product = element_ratio(dynamics, e, &row);
        if (product >= min * monitor->element_top[e]) continue;
        double ratio = fmax(product / monitor->element_top[e], weakest_row(dynamics, e));
        if (ratio >= min) continue;
        min = ratio;
        dynamics->factor.pivot_row = row;
    }
    return dynamics->factor.dropped > 0 ? 0.0 : sqrt(fmax(min, 0.0));
}

void crd_monitor_look(CrdDynamics *dynamics) {
    CrdMonitor *monitor = &dynamics->monitor;
    const CrdFactor *factor = &dynamics->factor;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR));
    if (factor->solver->ratio == NULL) return; /* the back end has no pivots to look at */
    monitor->singularity = pivot_measure(dynamics);
    if (monitor->singularity >= CRD_PASSAGE_WATCH && factor->pivot_last >= CRD_MONITOR_PIVOT) return;
    crd_geometry_look(dynamics);
    double top = dynamics->geometry.top;
    if (top > 0.0)
        monitor->singularity = fmin(dynamics->geometry.sigma / (CRD_MONITOR_HEALTHY * top), 1.0);
    else if (crd_masses_are_uneven(dynamics))
        monitor->singularity = 1.0; /* the first look: the pivots say nothing */
}

/* Has a product of pivots grown beyond what was healthy so far? */
static bool has_grown(const CrdDynamics *dynamics) {
    for (int e = 0; e < dynamics->model->structure->element_count; e++) {
        int row;
        if (element_ratio(dynamics, e, &row) > CRD_MONITOR_GROWN * dynamics->monitor.element_top[e]) return true;
    }
    return false;
}

void crd_monitor_accept(CrdDynamics *dynamics) {
    CrdMonitor *monitor = &dynamics->monitor;
    const double *ratio = dynamics->factor.solver->ratio;
    if (ratio == NULL) return;
    if (crd_masses_are_uneven(dynamics)) crd_geometry_accept(dynamics);
    if (dynamics->factor.dropped > 0 || !has_grown(dynamics)) return;
    for (int i = 0; i < dynamics->model->structure->rows; i++) {
        monitor->pivot_top[i] = fmax(monitor->pivot_top[i], ratio[i]);
        monitor->weak[i] = CRD_LAND * CRD_LAND * monitor->pivot_top[i];
    }
    for (int e = 0; e < dynamics->model->structure->element_count; e++) {
        int row;
        monitor->element_top[e] = fmax(monitor->element_top[e], element_ratio(dynamics, e, &row));
    }
    crd_geometry_look(dynamics);
    crd_geometry_accept(dynamics);
}

void crd_monitor_restart(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdMonitor *monitor = &dynamics->monitor;
    memset(monitor->pivot_top, 0, (size_t)structure->rows * sizeof *monitor->pivot_top);
    memset(monitor->element_top, 0, (size_t)structure->element_count * sizeof *monitor->element_top);
    dynamics->geometry.top = 0.0;
    crd_monitor_accept(dynamics);
    monitor->singularity = 1.0;
}

void crd_monitor_set_pivots(CrdMonitor *monitor, int rows, const double *pivot_top) {
    for (int i = 0; i < rows; i++) {
        monitor->pivot_top[i] = pivot_top[i];
        monitor->weak[i] = CRD_LAND * CRD_LAND * pivot_top[i];
    }
}

double crd_singularity_measure(const CrdDynamics *dynamics) {
    return dynamics->monitor.singularity;
}

bool crd_near_singular(const CrdDynamics *dynamics) {
    return dynamics->model->structure->rows > 0 && crd_singularity_measure(dynamics) < CRD_APPROACH;
}
