/* What is quickly made anew of a link's motion, instead of being kept: sweeps over large trees wait for memory. */
#ifndef CRD_EQUATIONS_TREE_ARMS_H
#define CRD_EQUATIONS_TREE_ARMS_H

#include "equations/system.h"

static inline void crd_plane_turned(const CrdPlaneMotion *by, const double *l, double *out) {
    out[0] = by->cosine * l[0] - by->sine * l[1];
    out[1] = by->sine * l[0] + by->cosine * l[1];
}

/* From o to the centre of mass; ground axes, as all that follow. */
static inline void crd_plane_centre(const CardanModel *model, const CrdSystem *system, int link, double *r) {
    crd_plane_turned(&system->tree.plane[link], model->values.plane_masses[link].c, r);
}
static inline CrdVec crd_space_centre(const CardanModel *model, const CrdSystem *system, int link) {
    return crd_apply(system->tree.motion[link].rotation, model->values.masses[link].c);
}
static inline CrdVec crd_plane_centre_vec(const CardanModel *model, const CrdSystem *system, int link) {
    double r[2];
    crd_plane_centre(model, system, link, r);
    return crd_vec(r[0], r[1], 0.0);
}
static inline CrdVec crd_tree_centre(const CardanModel *model, const CrdSystem *system, int link) {
    bool spatial = model->structure->space == CARDAN_SPACE_SPATIAL;
    return spatial ? crd_space_centre(model, system, link) : crd_plane_centre_vec(model, system, link);
}

/* Axis of a prismatic joint. */
static inline void crd_plane_axis(const CardanModel *model, const CrdSystem *system, int link, double *n) {
    CrdVec e = model->values.links[link].e[2];
    crd_plane_turned(&system->tree.plane[model->structure->tree->links[link].parent], (const double[2]){e.x, e.y}, n);
}

#endif
