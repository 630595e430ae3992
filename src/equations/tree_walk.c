/* Loop rows of a tree: from twist rows on frames to pieces of G and T, by walks to the root. */
#include "core/unguarded.h"
#include "equations/tree.h"

#include <assert.h>
#include <string.h>

static const CrdTreeOps *ops_of(const CrdStructure *structure) {
    return structure->space == CARDAN_SPACE_PLANAR ? &crd_tree_in_plane : &crd_tree_in_space;
}

static bool is_particle(const CrdLink *link) {
    return link->kind == CRD_PLANAR_PARTICLE || link->kind == CRD_SPATIAL_PARTICLE;
}

/* Wrenches of an element's rows: rows of one attachment stand together. */
static double *wrenches_of(const CrdStructure *structure, const CrdSystem *system, int element, int attachment) {
    int rows = structure->elements[element].rows;
    return system->tree.wrenches +
           (size_t)ops_of(structure)->twist * (size_t)(structure->tree->wrench[element] + attachment * rows);
}

/* Brings the wrenches of a step's bodies to those that came up to its link. */
static double *gather(const CrdStructure *structure, const CrdSystem *system, int element, const CrdWalk *step) {
    int numbers = structure->elements[element].rows * ops_of(structure)->twist;
    double *to =
        system->tree.ways + (size_t)step->slot * (size_t)structure->max_rows * (size_t)ops_of(structure)->twist;
    bool fresh = step->fresh;
    for (int i = step->seed; i < step->seed + step->seeds; i++, fresh = false) {
        const double *from = wrenches_of(structure, system, element, structure->tree->seeds[i]);
        for (int k = 0; k < numbers; k++) to[k] = fresh ? from[k] : to[k] + from[k];
    }
    return to;
}

static void pass_on(const CrdStructure *structure, const CrdSystem *system, int element, const CrdWalk *step,
                    const double *from) {
    if (step->up < 0 || step->up == step->slot) return;
    int numbers = structure->elements[element].rows * ops_of(structure)->twist;
    double *to = system->tree.ways + (size_t)step->up * (size_t)structure->max_rows * (size_t)ops_of(structure)->twist;
    for (int k = 0; k < numbers; k++) to[k] += from[k];
}

static void walk(const CardanModel *model, const CrdSystem *system, int element, bool eliminate, double *pieces) {
    const CrdStructure *structure = model->structure;
    const CrdTree *tree = structure->tree;
    const CrdTreeOps *ops = ops_of(structure);
    int rows = structure->elements[element].rows;
    for (int i = tree->walk[element]; i < tree->walk[element + 1]; i++) {
        const CrdWalk *step = &tree->steps[i];
        const CrdLink *link = &tree->links[step->link];
        double *wrenches = gather(structure, system, element, step);
        double *piece = pieces + (step->g >= 0 ? step->g : 0);
        if (eliminate)
            ops->eliminate(link, system->tree.factor + link->factor, rows, wrenches, piece);
        else
            ops->step(model, system, step->link, rows, wrenches, piece);
        pass_on(structure, system, element, step, wrenches);
    }
}

/* G_i M^-1 G_i^T of a row on one body: its size there (tree_sizes.c). */
static inline double size_of(const CrdBlockValues *body, bool planar, const double *row) {
    double push = body->inverse_mass * (row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
    if (planar) return push + body->inverse_inertia[8] * row[5] * row[5];
    CrdVec turn = crd_vec_of(row + 3);
    return push + crd_dot(turn, crd_apply(body->inverse_inertia, turn));
}

/* A frame's twist changes by J q'' + bias: what the bias contributes belongs to gamma. A particle does not turn: of
 * its rows only the part of v counts. */
CRD_UNGUARDED static void see_attachment(const CardanModel *model, CrdSystem *system, int index, int i) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdTreeOps *ops = ops_of(structure);
    int at = structure->attachments[element->attachment + i].frame, link = structure->tree->link_of[at];
    if (link < 0) return;
    const CardanFrame *frame = &system->frames[at];
    bool by_side = element->type == CRD_ELEMENT_JOINT, planar = structure->space == CARDAN_SPACE_PLANAR;
    bool particle = is_particle(&structure->tree->links[link]);
    double bias[6], *to = wrenches_of(structure, system, index, i);
    ops->bias(system, link, at, bias);
    for (int r = 0; r < element->rows; r++, to += ops->twist) {
        double *row = system->twist_rows[by_side ? i * element->rows + r : r * element->attachments + i];
        int n = element->first + r;
        if (particle) row[3] = row[4] = row[5] = 0.0;
        ops->wrench(system, link, at, row, to);
        system->rate[n] += crd_row_rate(row, frame);
        system->gamma[n] -= row[0] * bias[0] + row[1] * bias[1] + row[2] * bias[2] +
                            (row[3] * bias[3] + row[4] * bias[4] + row[5] * bias[5]);
        system->tree.scale[n] += size_of(&model->values.blocks[link], planar, row);
    }
}

void crd_tree_rows(const CardanModel *model, int index, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    for (int r = element->first; r < element->first + element->rows; r++) {
        system->rate[r] = system->rate_t[r];
        system->tree.scale[r] = 0.0;
    }
    for (int i = 0; i < element->attachments; i++) see_attachment(model, system, index, i);
    walk(model, system, index, false, system->G);
}

void crd_tree_schur(const CardanModel *model, CardanMetric metric, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    system->tree.euclidean = metric != CARDAN_METRIC_MASS;
    if (system->tree.euclidean) {
        memcpy(system->T, system->G, (size_t)structure->size_g * sizeof *system->T);
    } else {
        ops_of(structure)->inertias(model, system);
        for (int i = 0; i < structure->tree->loop_elements; i++)
            walk(model, system, structure->tree->loops[i], true, system->T);
    }
    crd_form_product(structure, system->T, system->T, system->S);
}
