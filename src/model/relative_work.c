/* Predicted work of a right-hand side in both kinds of coordinates, from counts made when the model was compiled.
 *     absolute   bodies, rows, products of pieces that are added into S, its elimination
 *     relative   links, walks (each link by the loop rows that pass it), products, elimination
 * Floating-point operations, by hand, and nanoseconds each, fitted to chains, trees, rings, ladders and nets: only the
 * ratio of the two is used, and nothing that was tried lies near 1. */
#include "model/relative.h"

#include "model/tree.h"

#include <assert.h>

/* Operations of a link, and of a row that passes it, by its joint in space; in the plane by any. */
typedef struct LinkWork {
    double link, row;
} LinkWork;

static LinkWork link_work(CardanSpace space, CrdBlockKind kind) {
    if (space == CARDAN_SPACE_PLANAR) return (LinkWork){110.0, 10.0};
    switch (kind) {
    case CRD_LINK_SPHERICAL:
        return (LinkWork){900.0, 85.0};
    case CRD_SPATIAL_BODY:
        return (LinkWork){560.0, 85.0};
    case CRD_SPATIAL_PARTICLE:
        return (LinkWork){200.0, 40.0};
    case CRD_LINK_WELD:
        return (LinkWork){350.0, 20.0};
    default:
        return (LinkWork){620.0, 50.0};
    }
}

/* ns an operation: straight sweeps over links; loops of short lengths; in the plane overhead counts, not arithmetic. */
#define CRD_SWEEP_NS 0.145
#define CRD_LOOP_NS 0.32
#define CRD_PLANE_NS 0.9

static double products_work(const CrdStructure *structure) {
    double sum = 0.0;
    for (int i = 0; i < structure->product_count; i++) {
        const CrdProduct *p = &structure->products[i];
        sum += p->width * (double)p->rows * (p->diagonal ? p->columns + 1.0 : 2.0 * p->columns);
    }
    return sum;
}

/* Of LDL^T and a solve. */
static double elimination_work(const CrdStructure *structure) {
    return structure->rows > 0 ? structure->elimination->flops + 5.0 * structure->elimination->lnz : 0.0;
}

static double absolute_work(const CrdStructure *structure) {
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    double bodies = (planar ? 40.0 : 140.0) * structure->block_count, rows = (planar ? 30.0 : 96.0) * structure->rows;
    double ns = planar ? CRD_PLANE_NS : CRD_LOOP_NS;
    return ns * (bodies + rows + products_work(structure)) + CRD_LOOP_NS * elimination_work(structure);
}

static double relative_work(const CrdStructure *structure) {
    const CrdTree *tree = structure->tree;
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    double links = 0.0, loops = (planar ? 30.0 : 96.0) * structure->rows;
    for (int k = 0; k < tree->count; k++) links += link_work(structure->space, tree->links[k].kind).link;
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        loops += 2.0 * in->rows * link_work(structure->space, structure->blocks[in->block].kind).row; /* G and T */
    }
    double ns = planar ? CRD_PLANE_NS : CRD_LOOP_NS;
    return CRD_SWEEP_NS * (planar ? 2.0 : 1.0) * links + ns * (loops + products_work(structure)) +
           CRD_LOOP_NS * elimination_work(structure);
}

double crd_relative_gain(const CardanModel *absolute, const CardanModel *relative) {
    assert(!crd_is_relative(absolute->structure) && crd_is_relative(relative->structure));
    double work = relative_work(relative->structure);
    return work > 0.0 ? absolute_work(absolute->structure) / work : 1.0;
}
