#include "guard/singular/singular.h"

#include "core/numbers.h"

#include <math.h>

/* Crossing a pose: distance from the nearest node of the method, in steps, that is wide enough (dop853's widest gap is
 * twice 0.13, dopri5's twice 0.25); gaps before the second place are left alone, because early stages are far off the
 * constraints; where a pose should be ahead of a step's end, in steps; a dip below both ends by this factor shows that
 * a pose was crossed. A step that begins next to a pose would be laid well only if it were a small part of itself, and
 * then end next to the pose, too: that is no better. */
#define CRD_CROSSING_CLEAR 0.06
#define CRD_CROSSING_EARLY 0.3
#define CRD_CROSSING_PLACE 0.45
#define CRD_CROSSING_DIP 0.9
#define CRD_CROSSING_LEAST 0.3

enum { NODES_MAX = CRD_TABLEAU_SLOPES_MAX + 2 };

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
    double min = 1.0;
    for (int i = 0; i < count; i++) min = fmin(min, fabs(node[i] - f));
    return min;
}

/* The middle of the first wide gap at or after f; beyond 1 when there is none. */
static double next_gap(const double *node, int count, double f) {
    for (int i = 1; i < count; i++) {
        double middle = 0.5 * (node[i - 1] + node[i]), half = 0.5 * (node[i] - node[i - 1]);
        if (half >= CRD_CROSSING_CLEAR && middle >= f && middle >= CRD_CROSSING_EARLY) return middle;
    }
    return 1.0 + CRD_CROSSING_PLACE;
}

/* A step that leaves the pose it begins next to, and meets one again, would be seen as one passage: it is to end
 * between them, at the highest stage from which the measure falls again. */
static double end_between(const CrdIntegrator *integrator, double h) {
    const CrdStages *stages = &integrator->stages;
    double highest = CRD_PASSAGE_LEFT, shorter = h, forwards = h > 0.0 ? 1.0 : -1.0;
    if (stages->accepted >= CRD_PASSAGE_LEFT) return h;
    for (int i = 0; i < stages->seen; i++)
        for (int k = 0; stages->w[i] >= highest && k < stages->seen; k++)
            if (forwards * (stages->w_at[k] - stages->w_at[i]) > 0.0 && stages->w[k] < CRD_CROSSING_DIP * stages->w[i])
                highest = stages->w[i], shorter = stages->w_at[i] - integrator->stepper.t;
    return shorter;
}

double crd_crossing_plan(const CrdIntegrator *integrator, double h) {
    const CrdStages *stages = &integrator->stages;
    double between = end_between(integrator, h);
    if (fabs(between) < fabs(h)) return between;
    double before = stages->accepted, after = crd_singularity_measure(&integrator->dynamics),
           lowest = fmin(stages->lowest, after);
    if (lowest >= CRD_CROSSING_WATCH || integrator->stepper.method->tableau == NULL) return h;
    double node[NODES_MAX];
    int count = sorted_nodes(integrator->stepper.method->tableau, node);
    bool crossed = stages->lowest < CRD_CROSSING_DIP * after && stages->lowest < CRD_CROSSING_DIP * before;
    if (crossed) {
        /* The singularity measure falls and rises with the same slope, so its two ends tell where the pose is. */
        double f = before / (before + after);
        double better = f / next_gap(node, count, f);
        return clearance(node, count, f) >= CRD_CROSSING_CLEAR || better < CRD_CROSSING_LEAST ? h : better * h;
    }
    if (after >= before) return h;
    double ahead = after / (before - after); /* in steps of this size */
    return ahead < CRD_CROSSING_PLACE ? h * (1.0 + ahead) / (1.0 + CRD_CROSSING_PLACE) : h;
}
