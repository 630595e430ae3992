/* Walks of loop rows to the root, and what rows are evaluated for on the way: written once, and compiled into the files
 * of the plane and of space with their own functions in place. */
#ifndef CRD_EQUATIONS_TREE_WALK_H
#define CRD_EQUATIONS_TREE_WALK_H

#include "equations/tree.h"

#include <assert.h>

#if defined(__GNUC__)
#define CRD_WALK static inline __attribute__((always_inline))
#else
#define CRD_WALK static inline
#endif

/* One step with all rows: the piece of the link, and the wrenches moved to the parent's o. */
typedef void (*CrdStep)(const CardanModel *model, const CrdSystem *system, int link, int rows, double *wrenches,
                        double *piece);

/* What follows is given `rows`, a constant where its caller knows it: loops over few rows are then no loops.
 *
 * Wrenches of an element's rows: rows of one attachment stand together. */
CRD_WALK double *crd_wrenches_of(const CrdStructure *structure, const CrdSystem *system, int element, int rows,
                                 int attachment, int twist) {
    return system->tree.wrenches + (size_t)twist * (size_t)(structure->tree->wrench[element] + attachment * rows);
}

/* Number by number: there are few rows, and what a compiler makes of a loop of unknown length costs more than they do.
 */
CRD_WALK void crd_take_twists(const double *from, int rows, int twist, bool adds, double *to) {
    for (int r = 0; r < rows; r++, from += twist, to += twist) {
        to[0] = adds ? to[0] + from[0] : from[0];
        to[1] = adds ? to[1] + from[1] : from[1];
        to[2] = adds ? to[2] + from[2] : from[2];
        if (twist == 3) continue;
        to[3] = adds ? to[3] + from[3] : from[3];
        to[4] = adds ? to[4] + from[4] : from[4];
        to[5] = adds ? to[5] + from[5] : from[5];
    }
}

/* Brings the wrenches of a step's bodies to those that came up to its link. */
CRD_WALK void crd_gather(const CrdStructure *structure, const CrdSystem *system, int element, int rows,
                         const CrdWalk *step, int twist, double *to) {
    int first = step->fresh ? 1 : 0;
    const int *seeds = structure->tree->seeds + step->seed;
    if (step->fresh)
        crd_take_twists(crd_wrenches_of(structure, system, element, rows, seeds[0], twist), rows, twist, false, to);
    for (int i = first; i < step->seeds; i++)
        crd_take_twists(crd_wrenches_of(structure, system, element, rows, seeds[i], twist), rows, twist, true, to);
}

CRD_WALK void crd_walk(const CardanModel *model, const CrdSystem *system, int element, int rows, int twist, CrdStep one,
                       double *pieces) {
    const CrdStructure *structure = model->structure;
    const CrdTree *tree = structure->tree;
    assert(rows == structure->elements[element].rows);
    size_t stride = (size_t)rows * (size_t)twist;
    for (int i = tree->walk[element]; i < tree->walk[element + 1]; i++) {
        const CrdWalk *step = &tree->steps[i];
        double *wrenches = system->tree.ways + (size_t)step->slot * stride;
        if (step->seeds > 0) crd_gather(structure, system, element, rows, step, twist, wrenches);
        one(model, system, step->link, rows, wrenches, pieces + (step->g >= 0 ? step->g : 0));
        if (step->up < 0 || step->up == step->slot) continue;
        crd_take_twists(wrenches, rows, twist, true, system->tree.ways + (size_t)step->up * stride);
    }
}

typedef struct CrdRowKernel {
    int twist;
    bool planar;
    CrdBlockKind particle;
    CrdVec (*centre)(const CardanModel *model, const CrdSystem *system, int link); /* of the link's body, r from o */
    void (*bias)(const CrdSystem *system, int link, CrdVec r, double *out);
    void (*wrench)(const CrdSystem *system, int link, CrdVec r, const double *row, double *out);
    /* G_i M^-1 G_i^T of a row on the link's body: its size there (tree_sizes.c) */
    double (*size)(const CardanModel *model, int link, const double *row);
} CrdRowKernel;

/* A frame's twist changes by J q'' + bias: what the bias contributes belongs to gamma. A particle does not turn: of
 * its rows only the part of v counts. */
CRD_WALK void crd_see_attachment(const CardanModel *model, CrdSystem *system, int index, int rows, int i,
                                 const CrdRowKernel *kernel) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    int at = structure->attachments[element->attachment + i].frame, link = structure->tree->link_of[at];
    if (link < 0) return;
    const CardanFrame *frame = &system->frames[at];
    bool by_side = element->type == CRD_ELEMENT_JOINT, particle = structure->blocks[link].kind == kernel->particle;
    double bias[6], *to = crd_wrenches_of(structure, system, index, rows, i, kernel->twist);
    CrdVec r = kernel->centre(model, system, link);
    kernel->bias(system, link, r, bias);
    for (int k = 0; k < rows; k++, to += kernel->twist) {
        double *row = system->twist_rows[by_side ? i * rows + k : k * element->attachments + i];
        int n = element->first + k;
        if (particle) row[3] = row[4] = row[5] = 0.0;
        kernel->wrench(system, link, r, row, to);
        if (kernel->planar) {
            system->rate[n] += row[0] * frame->v.x + row[1] * frame->v.y + row[5] * frame->w.z;
            system->gamma[n] -= row[0] * bias[0] + row[1] * bias[1];
        } else {
            system->rate[n] += crd_row_rate(row, frame);
            system->gamma[n] -=
                crd_dot(crd_vec_of(row), crd_vec_of(bias)) + crd_dot(crd_vec_of(row + 3), crd_vec_of(bias + 3));
        }
        system->tree.scale[n] += kernel->size(model, link, row);
    }
}

/* All that is evaluated of an element's rows, from the twist rows in system->twist_rows. */
CRD_WALK void crd_walk_rows(const CardanModel *model, int index, int rows, CrdSystem *system,
                            const CrdRowKernel *kernel, CrdStep step) {
    const CrdElement *element = &model->structure->elements[index];
    for (int r = element->first; r < element->first + rows; r++) {
        system->rate[r] = system->rate_t[r];
        system->tree.scale[r] = 0.0;
    }
    for (int i = 0; i < element->attachments; i++) crd_see_attachment(model, system, index, rows, i, kernel);
    crd_walk(model, system, index, rows, kernel->twist, step, system->G);
}

#endif
