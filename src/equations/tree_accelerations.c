/* Accelerations of bodies from those of joints. */
#include "equations/tree.h"
#include "equations/tree_arms.h"

#include <assert.h>

void crd_frame_acceleration(const CardanModel *relative, const CrdSystem *system, int frame, double *out) {
    const CrdStructure *structure = relative->structure;
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    const CrdTreeOps *ops = planar ? &crd_tree_in_plane : &crd_tree_in_space;
    int link = structure->tree->link_of[frame];
    const double *extra = system->tree.extra + ops->twist * link;
    ops->bias(relative, system, link, out);
    CrdVec r = crd_tree_centre(relative, system, link);
    if (planar) {
        out[0] += extra[1] - extra[0] * r.y;
        out[1] += extra[2] + extra[0] * r.x;
        out[5] += extra[0];
        return;
    }
    CrdVec al = crd_vec_of(extra);
    CrdVec ac = crd_add(crd_vec_of(extra + 3), crd_cross(al, r));
    crd_put(out, crd_add(crd_vec_of(out), ac));
    crd_put(out + 3, crd_add(crd_vec_of(out + 3), crd_apply_t(system->frames[frame].rotation, al)));
}

void crd_relative_accelerations(const CardanModel *absolute, const CardanModel *relative, const CrdSystem *system,
                                const double *a, double *a_absolute) {
    const CrdStructure *structure = absolute->structure;
    assert(structure == relative->structure->tree->absolute);
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    crd_tree_spread(relative, system, a);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        double rate[6], *to = a_absolute + block->v;
        crd_frame_acceleration(relative, system, block->frame, rate);
        for (int k = 0; k < block->nv; k++) to[k] = rate[planar && k == 2 ? 5 : k];
    }
}
