#include "step/crossing.h"

#include "core/numbers.h"
#include "solve/regularise.h"
#include "step/run.h"

#include <math.h>

enum { NODES_MOST = CRD_TABLEAU_SLOPES_MAX + 2 };

/* Nodes of the method in rising order, 0 and 1 included. */
static int sorted_nodes(const CrdTableau *method, double *node) {
    int count = 0;
    for (int i = 0; i <= method->stages; i++) {
        int k = count;
        for (; k > 0 && node[k - 1] > method->c[i]; k--) node[k] = node[k - 1];
        node[k] = method->c[i];
        count++;
    }
    return count;
}

/* Distance of the place f in the step from the nearest node. */
static double clearance(const double *node, int count, double f) {
    double least = 1.0;
    for (int i = 0; i < count; i++) least = fmin(least, fabs(node[i] - f));
    return least;
}

/* The middle of the first wide gap at or after f; beyond 1 when there is none. */
static double next_gap(const double *node, int count, double f) {
    for (int i = 1; i < count; i++) {
        double middle = 0.5 * (node[i - 1] + node[i]), half = 0.5 * (node[i] - node[i - 1]);
        if (half >= CRD_CROSSING_CLEAR && middle >= f && middle >= CRD_CROSSING_EARLY) return middle;
    }
    return 1.0 + CRD_CROSSING_PLACE;
}

double crd_crossing_plan(const CrdRun *run, double h) {
    const CrdPassage *p = &run->passage;
    double before = p->w_last, after = crd_closeness(&run->dynamics), lowest = fmin(p->step_lowest, after);
    if (lowest >= CRD_CROSSING_WATCH || run->method->tableau == NULL) return h;
    double node[NODES_MOST];
    int count = sorted_nodes(run->method->tableau, node);
    bool crossed = p->step_lowest < CRD_CROSSING_DIP * after && p->step_lowest < CRD_CROSSING_DIP * before;
    if (crossed) {
        /* Closeness falls and rises with the same slope, so its two ends tell where the pose is. */
        double f = before / (before + after);
        if (clearance(node, count, f) >= CRD_CROSSING_CLEAR) return h;
        return h * f / next_gap(node, count, f);
    }
    if (after >= before) return h;
    double ahead = after / (before - after); /* in steps of this size */
    return ahead < CRD_CROSSING_PLACE ? h * (1.0 + ahead) / (1.0 + CRD_CROSSING_PLACE) : h;
}
