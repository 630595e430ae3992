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

/* How far ahead of a stage two stages tell where a pose is, in steps: the measure bends by a tenth over its way, and
 * the place must be known to half of what is clear. */
#define CRD_CROSSING_AHEAD 0.5

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
    const CrdStageSeen *seen = stages->stage;
    double highest = CRD_PASSAGE_LEFT, shorter = h, forwards = h > 0.0 ? 1.0 : -1.0;
    if (stages->accepted >= CRD_PASSAGE_LEFT) return h;
    for (int i = 0; i < stages->seen; i++)
        for (int k = 0; seen[i].w >= highest && k < stages->seen; k++)
            if (forwards * (seen[k].t - seen[i].t) > 0.0 && seen[k].w < CRD_CROSSING_DIP * seen[i].w)
                highest = seen[i].w, shorter = seen[i].t - integrator->stepper.t;
    return shorter;
}

/* The part of a step that it had better be when a pose lies at f, in steps; 1 where it lies well. */
static double better_part(const CrdIntegrator *integrator, double f) {
    double node[NODES_MAX];
    int count = sorted_nodes(integrator->stepper.method->tableau, node);
    if (f > 1.0) return f < 1.0 + CRD_CROSSING_PLACE ? f / (1.0 + CRD_CROSSING_PLACE) : 1.0;
    double better = f / next_gap(node, count, f);
    return clearance(node, count, f) >= CRD_CROSSING_CLEAR || better < CRD_CROSSING_LEAST ? 1.0 : better;
}

double crd_crossing_plan(const CrdIntegrator *integrator, double h) {
    const CrdStages *stages = &integrator->stages;
    double between = end_between(integrator, h);
    if (fabs(between) < fabs(h)) return between;
    double before = stages->accepted, after = crd_singularity_measure(&integrator->dynamics),
           lowest = fmin(stages->lowest, after);
    if (lowest >= CRD_CROSSING_WATCH || integrator->stepper.method->tableau == NULL) return h;
    bool crossed = stages->lowest < CRD_CROSSING_DIP * after && stages->lowest < CRD_CROSSING_DIP * before;
    /* The singularity measure falls and rises with the same slope, so its two ends tell where the pose is. */
    if (crossed) return h * better_part(integrator, before / (before + after));
    return after < before ? h * better_part(integrator, before / (before - after)) : h;
}

/* ---- while the step is made ---- */

/* The stage next before or after the place of another (direction -1 or 1) that is known by the same measure; NULL:
 * none. */
static const CrdStageSeen *neighbour(const CrdStages *stages, const CrdStageSeen *of, double direction) {
    const CrdStageSeen *nearest = NULL;
    for (const CrdStageSeen *at = stages->stage; at < stages->stage + stages->seen; at++) {
        if (direction * (at->t - of->t) <= 0.0 || at->geometry != of->geometry) continue;
        if (nearest == NULL || direction * (at->t - nearest->t) < 0.0) nearest = at;
    }
    return nearest;
}

static double slope_between(const CrdStageSeen *a, const CrdStageSeen *b) {
    return (a->w - b->w) / (b->t - a->t);
}

/* When the pose is, from the lowest stage and two before it: the measure is the distance from it times a slope, which
 * the two stages that do not have it between them show. NAN: it is not falling. */
static double foreseen_pose(const CrdStages *stages, const CrdStageSeen *lowest) {
    const CrdStageSeen *left = neighbour(stages, lowest, -1.0), *right = neighbour(stages, lowest, 1.0);
    if (left == NULL) return (double)NAN;
    if (right != NULL) return left->t + left->w * (right->t - left->t) / (left->w + right->w);
    const CrdStageSeen *before = neighbour(stages, left, -1.0);
    if (before == NULL) return (double)NAN;
    double last = slope_between(left, lowest), slope = fmax(last, slope_between(before, left));
    if (!(slope > 0.0)) return (double)NAN;
    /* seen from the stage before the lowest: ahead of that, too, or behind it? */
    double ahead = lowest->t + lowest->w / slope, behind = lowest->t - lowest->w / slope,
           from_left = left->t + left->w / slope;
    return fabs(from_left - ahead) <= fabs(from_left - behind) ? ahead : behind;
}

double crd_crossing_foresee(const CrdIntegrator *integrator, double h) {
    const CrdStages *stages = &integrator->stages;
    const CrdStageSeen *lowest = stages->stage;
    if (integrator->stepper.method->tableau == NULL) return h;
    for (int i = 1; i < stages->seen; i++)
        if (stages->stage[i].w < lowest->w) lowest = &stages->stage[i];
    double pose = foreseen_pose(stages, lowest), beyond = pose - (integrator->stepper.t + h);
    if (!(pose - lowest->t <= CRD_CROSSING_AHEAD * h)) return h;
    if (beyond > 0.0 && lowest->w * beyond >= CRD_CROSSING_WATCH * (pose - lowest->t)) return h; /* it ends afar */
    return h * better_part(integrator, (pose - integrator->stepper.t) / h);
}
