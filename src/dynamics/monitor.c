#include "dynamics/monitor.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"

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

/* Where pivots of S fall below the first, they are compared with those of the geometry at accepted states: before the
 * question is raised, and again after so many steps (a factor in 48 right-hand sides of DOP853). Where masses are what
 * made them fall, they are corrected by that, and raise the question below the second: what they are off by changes as
 * bodies turn. */
#define CRD_MONITOR_COMPARE 0.5
#define CRD_MONITOR_STEPS 4.0
#define CRD_MONITOR_ASK (1.3 * CRD_PASSAGE_WATCH)

/* Pivots grown by this factor make a configuration the new measure of what is healthy. */
#define CRD_MONITOR_GROWN 1.1

/* Watched elements that a thread looks at at a time: some 10 us. Ranges are the same without threads. */
enum { RANGE = 1024 };

static int ranges_of(const CrdStructure *structure) {
    return (structure->watched_count + RANGE - 1) / RANGE;
}

static void layout_health(CrdHealth *health, const CrdStructure *structure, CrdArena *arena) {
    health->rows = crd_take(arena, (size_t)structure->rows, sizeof(double));
    health->elements = crd_take(arena, (size_t)structure->element_count, sizeof(double));
}

void crd_monitor_layout(CrdMonitor *monitor, const CrdStructure *structure, CrdArena *arena) {
    layout_health(&monitor->schur, structure, arena);
    layout_health(&monitor->geometry, structure, arena);
    monitor->bias = crd_take(arena, (size_t)structure->element_count, sizeof(double));
    monitor->shown = crd_take(arena, (size_t)ranges_of(structure), sizeof *monitor->shown);
    monitor->weak = crd_take(arena, (size_t)structure->rows, sizeof(double));
    monitor->singularity = 1.0;
}

/* ---- pivots against what is healthy ---- */

/* Product of the ratios of an element's rows: unlike them it stays as it is when the joint turns against the ground. */
static double element_ratio(const CrdElement *element, const double *ratio) {
    double product = 1.0;
    for (int i = element->first; i < element->first + element->rows; i++) product *= ratio[i];
    return product;
}

static int smallest_row(const CrdElement *element, const double *ratio) {
    int smallest = element->first;
    for (int i = element->first + 1; i < element->first + element->rows; i++)
        if (ratio[i] < ratio[smallest]) smallest = i;
    return smallest;
}

/* Smallest ratio of an element's rows against what is healthy for that row. */
static double weakest_row(const CrdElement *element, const double *ratio, const CrdHealth *health) {
    double min = 1.0;
    for (int i = element->first; i < element->first + element->rows; i++)
        if (ratio[i] < min * health->rows[i]) min = ratio[i] / health->rows[i];
    return min;
}

/* An element's pivots against what is healthy for it, and its weakest row. Their product is blind to rows that change
 * roles as the joint turns, but where two rows vanish together it falls with the square of what each does: then the
 * weaker row tells. Not below `least`: how much above it does not matter, nor in which row. */
static double part_of(const CrdElement *element, const double *ratio, const CrdHealth *health, double healthy,
                      double least, int *weakest) {
    double product = element_ratio(element, ratio);
    if (product >= least * healthy) return least;
    *weakest = smallest_row(element, ratio);
    return fmax(product / healthy, weakest_row(element, ratio, health));
}

/* The root of the smallest part of a watched element, and its weakest row. */
static double measure(const CrdStructure *structure, const double *ratio, const CrdHealth *health, int *weakest) {
    double min = 1.0;
    for (int i = 0; i < structure->watched_count; i++) {
        int e = structure->watched[i], row;
        double part = part_of(&structure->elements[e], ratio, health, health->elements[e], min, &row);
        if (part >= min) continue;
        min = part;
        *weakest = row;
    }
    return sqrt(fmax(min, 0.0));
}

/* Has a product of pivots grown beyond what was healthy so far? */
static bool has_grown(const CrdStructure *structure, const double *ratio, const CrdHealth *health) {
    for (int e = 0; e < structure->element_count; e++) {
        if (element_ratio(&structure->elements[e], ratio) > CRD_MONITOR_GROWN * health->elements[e]) return true;
    }
    return false;
}

static void remember(const CrdStructure *structure, const double *ratio, CrdHealth *health) {
    for (int i = 0; i < structure->rows; i++) health->rows[i] = fmax(health->rows[i], ratio[i]);
    for (int e = 0; e < structure->element_count; e++) {
        health->elements[e] = fmax(health->elements[e], element_ratio(&structure->elements[e], ratio));
    }
}

static void set_weak(CrdMonitor *monitor, int rows) {
    for (int i = 0; i < rows; i++) monitor->weak[i] = CRD_LAND * CRD_LAND * monitor->schur.rows[i];
}

/* ---- question and answer ---- */

/* What pivots of S show of an element less than the geometry would, as far as it is known. */
static double known_bias(const CrdMonitor *monitor, int e) {
    return monitor->bias[e] > 0.0 ? monitor->bias[e] : 1.0;
}

/* The part of an element that the geometry would show, as far as pivots of S tell, and the row of the smallest;
 * *asks: it has to be asked. Not below `least`, and then neither is said. */
static double estimate(const CrdMonitor *monitor, const CrdElement *element, const double *ratio, int e, double least,
                       bool *asks, int *row) {
    const double watch = CRD_PASSAGE_WATCH * CRD_PASSAGE_WATCH, again = CRD_MONITOR_ASK * CRD_MONITOR_ASK;
    double bias = known_bias(monitor, e), healthy = monitor->schur.elements[e], product = element_ratio(element, ratio);
    if (product >= bias * least * healthy) return least;
    double part = fmax(product / healthy, weakest_row(element, ratio, &monitor->schur)) / bias;
    *row = smallest_row(element, ratio);
    if (part < again && (bias < 1.0 || part < watch)) *asks = true;
    return part;
}

static void show_range(void *user, int range) {
    const double again = CRD_MONITOR_ASK * CRD_MONITOR_ASK;
    const CrdDynamics *dynamics = user;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdMonitor *monitor = &dynamics->monitor;
    const double *ratio = dynamics->factor.solver->ratio;
    int first = range * RANGE, left = structure->watched_count - first, end = first + (left < RANGE ? left : RANGE);
    double min = 1.0;
    int weakest = 0;
    bool asks = false;
    for (int i = first; i < end; i++) {
        int e = structure->watched[i], row = 0;
        double part = estimate(monitor, &structure->elements[e], ratio, e, min > again ? min : again, &asks, &row);
        if (part >= min) continue;
        min = part > 0.0 ? part : 0.0; /* NaN: 0 */
        weakest = row;
    }
    monitor->shown[range] = (CrdPivotsShown){min, weakest, asks};
}

/* Do the pivots of S raise it? */
static bool raises_question(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdFactor *factor = &dynamics->factor;
    CrdMonitor *monitor = &dynamics->monitor;
    int ranges = ranges_of(structure);
    CrdPivotsShown all = {.min = 1.0, .row = factor->pivot_row};
    crd_pool_run(dynamics->system.pool, show_range, dynamics, ranges);
    for (int i = 0; i < ranges; i++) {
        const CrdPivotsShown *shown = &monitor->shown[i];
        if (shown->min < all.min) all = (CrdPivotsShown){shown->min, shown->row, all.asks};
        all.asks = all.asks || shown->asks;
    }
    factor->pivot_row = all.row;
    bool dropped = factor->dropped > 0 && structure->watched_count > 0;
    monitor->singularity = dropped ? 0.0 : sqrt(all.min);
    return all.asks || dropped || factor->pivot_last < CRD_MONITOR_PIVOT;
}

/* The singularity measure from the factor of the geometry at hand. */
static double measure_geometry(CrdDynamics *dynamics) {
    const CrdGeometry *geometry = &dynamics->geometry;
    const CrdStructure *structure = dynamics->model->structure;
    if (!(geometry->pivot > 0.0)) return structure->watched_count > 0 ? 0.0 : 1.0;
    double share =
        measure(structure, geometry->solver->ratio, &dynamics->monitor.geometry, &dynamics->factor.pivot_row);
    return fmin(share / CRD_MONITOR_HEALTHY, 1.0);
}

int crd_monitor_weak(const CrdDynamics *dynamics, double singularity) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdHealth *health = &dynamics->monitor.schur;
    const double *ratio = dynamics->factor.solver->ratio;
    int count = 0, row;
    for (int i = 0; ratio != NULL && i < structure->watched_count; i++) {
        int e = structure->watched[i];
        double part = part_of(&structure->elements[e], ratio, health, health->elements[e], 1.0, &row);
        count += part < singularity * singularity;
    }
    return count > 1 ? count : 1;
}

double crd_monitor_geometry(CrdDynamics *dynamics) {
    crd_geometry_look(dynamics);
    return measure_geometry(dynamics);
}

void crd_monitor_look(CrdDynamics *dynamics) {
    CrdMonitor *monitor = &dynamics->monitor;
    assert(crd_stamp_holds(&dynamics->system.stamp, CRD_HOLDS_FACTOR));
    if (!dynamics->geometry.wanted) return;             /* there is nothing to see */
    if (dynamics->factor.solver->ratio == NULL) return; /* the back end has no pivots to look at */
    if (!raises_question(dynamics)) return;
    dynamics->work.alarms++;
    crd_geometry_look(dynamics);
    crd_uneven_judge(dynamics);
    monitor->looked = true;
    monitor->measured = monitor->singularity = measure_geometry(dynamics);
    if (dynamics->near_miss.acts) monitor->singularity = fmax(monitor->singularity, CRD_MONITOR_MISSED);
}

/* The part of a watched element that S shows, as far as it is below what is compared. */
static double shown_by_schur(const CrdDynamics *dynamics, int e) {
    const CrdMonitor *monitor = &dynamics->monitor;
    int row;
    return part_of(&dynamics->model->structure->elements[e], dynamics->factor.solver->ratio, &monitor->schur,
                   monitor->schur.elements[e], CRD_MONITOR_COMPARE * CRD_MONITOR_COMPARE, &row);
}

/* What S shows of an element against what the geometry does; 1: all, or a pose may be near. */
static double bias_of(const CrdDynamics *dynamics, int e) {
    const CrdMonitor *monitor = &dynamics->monitor;
    const double healthy = CRD_MONITOR_HEALTHY * CRD_MONITOR_HEALTHY;
    int row;
    if (!(dynamics->geometry.pivot > 0.0)) return 1.0;
    double part = shown_by_schur(dynamics, e),
           known = part_of(&dynamics->model->structure->elements[e], dynamics->geometry.solver->ratio,
                           &monitor->geometry, monitor->geometry.elements[e], healthy, &row) /
                   healthy;
    return known >= CRD_MONITOR_ASK * CRD_MONITOR_ASK && part < known ? part / known : 1.0;
}

/* At an accepted state: what pivots of S are off by, where they are low. */
static void compare(CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    CrdMonitor *monitor = &dynamics->monitor;
    bool any = false, fresh = false;
    for (int i = 0; i < structure->watched_count; i++) {
        double *bias = &monitor->bias[structure->watched[i]];
        bool low = shown_by_schur(dynamics, structure->watched[i]) < CRD_MONITOR_COMPARE * CRD_MONITOR_COMPARE;
        if (!low) *bias = 0.0;
        any = any || low;
        fresh = fresh || (low && *bias == 0.0);
    }
    if (!any || dynamics->factor.dropped > 0) return;
    bool due = fresh || ++monitor->since >= CRD_MONITOR_STEPS;
    if (!due && !monitor->looked) return;
    if (!monitor->looked) crd_geometry_look(dynamics);
    monitor->since = 0.0;
    for (int i = 0; i < structure->watched_count; i++) {
        int e = structure->watched[i];
        bool low = shown_by_schur(dynamics, e) < CRD_MONITOR_COMPARE * CRD_MONITOR_COMPARE;
        if (low) monitor->bias[e] = bias_of(dynamics, e);
    }
}

void crd_monitor_accept_geometry(CrdDynamics *dynamics) {
    const CrdGeometry *geometry = &dynamics->geometry;
    if (dynamics->model->structure->watched_count == 0) return;
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
    if (!dynamics->geometry.wanted || ratio == NULL) return;
    compare(dynamics);
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
    memset(monitor->bias, 0, (size_t)structure->element_count * sizeof(double));
    crd_monitor_accept(dynamics);
    monitor->singularity = 1.0;
}

/* ---- what is remembered ---- */

int crd_monitor_size(const CrdStructure *structure) {
    return 2 * structure->rows + 3 * structure->element_count + 1;
}

void crd_monitor_get(const CrdDynamics *dynamics, double *numbers) {
    size_t rows = (size_t)dynamics->model->structure->rows,
           elements = (size_t)dynamics->model->structure->element_count;
    const CrdHealth *health[] = {&dynamics->monitor.schur, &dynamics->monitor.geometry};
    for (int i = 0; i < 2; i++, numbers += rows + elements) {
        memcpy(numbers, health[i]->rows, rows * sizeof *numbers);
        memcpy(numbers + rows, health[i]->elements, elements * sizeof *numbers);
    }
    memcpy(numbers, dynamics->monitor.bias, elements * sizeof *numbers);
    numbers[elements] = dynamics->monitor.since;
}

void crd_monitor_set(CrdDynamics *dynamics, const double *numbers) {
    size_t rows = (size_t)dynamics->model->structure->rows,
           elements = (size_t)dynamics->model->structure->element_count;
    CrdHealth *health[] = {&dynamics->monitor.schur, &dynamics->monitor.geometry};
    for (int i = 0; i < 2; i++, numbers += rows + elements) {
        memcpy(health[i]->rows, numbers, rows * sizeof *numbers);
        memcpy(health[i]->elements, numbers + rows, elements * sizeof *numbers);
    }
    memcpy(dynamics->monitor.bias, numbers, elements * sizeof *numbers);
    dynamics->monitor.since = numbers[elements];
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
    memcpy(to->monitor.bias, from->monitor.bias, elements * sizeof(double));
    to->monitor.since = from->monitor.since;
    set_weak(&to->monitor, (int)rows);
}

double crd_singularity_measure(const CrdDynamics *dynamics) {
    return dynamics->monitor.singularity;
}

bool crd_near_singular(const CrdDynamics *dynamics) {
    return dynamics->model->structure->rows > 0 && crd_singularity_measure(dynamics) < CRD_APPROACH;
}
