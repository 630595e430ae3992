#include "dynamics/monitor.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
void crd_monitor_look(CrdDynamics *dynamics) {
    CrdMonitor *monitor = &dynamics->monitor;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR));
    if (dynamics->factor.solver->ratio == NULL) return; /* the back end has no pivots to look at */
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
    monitor->singularity = dynamics->factor.dropped > 0 ? 0.0 : sqrt(fmax(min, 0.0));
}

void crd_monitor_accept(CrdDynamics *dynamics) {
    CrdMonitor *monitor = &dynamics->monitor;
    const double *ratio = dynamics->factor.solver->ratio;
    if (crd_imperfect_is_spread(dynamics)) {
        crd_imperfect_accept(dynamics); /* it has another measure */
        return;
    }
    if (dynamics->factor.dropped > 0 || ratio == NULL) return;
    for (int i = 0; i < dynamics->model->structure->rows; i++) {
        monitor->pivot_top[i] = fmax(monitor->pivot_top[i], ratio[i]);
        monitor->weak[i] = CRD_LAND * CRD_LAND * monitor->pivot_top[i];
    }
    for (int e = 0; e < dynamics->model->structure->element_count; e++) {
        int row;
        monitor->element_top[e] = fmax(monitor->element_top[e], element_ratio(dynamics, e, &row));
    }
}

void crd_monitor_restart(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdMonitor *monitor = &dynamics->monitor;
    memset(monitor->pivot_top, 0, (size_t)structure->rows * sizeof *monitor->pivot_top);
    memset(monitor->element_top, 0, (size_t)structure->element_count * sizeof *monitor->element_top);
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
