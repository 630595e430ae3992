/* Reactions: the wrench that body b of a joint receives, -G_b^T lambda, moved to the joint's place. Of a compliant
 * joint its h stands for lambda. */
#include "equations/element.h"

#include <assert.h>
#include <string.h>

static const double *forces_of(const CrdElement *element, const CrdSystem *system, const double *lambda) {
    return element->compliant > 0 ? system->elastic + element->elastic : lambda + element->first;
}

static void add_row(double *load, double s, const double *row) {
    for (int k = 0; k < 6; k++) load[k] += s * row[k];
}

static CrdVec joint_load(const CardanModel *model, const CrdSystem *system, int index, const double *force,
                         double *load) {
    const CrdElement *element = &model->structure->elements[index];
    assert(element->rows + element->compliant <= CRD_JOINT_ROWS);
    CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
    double g[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS];
    CrdPair pair = crd_pair_of(model->structure, system, index);
    crd_joint_evaluate(element->kind, &model->values.joints[index], &pair, (CrdRows){g, gamma, a, b});
    for (int r = 0; r < element->rows + element->compliant; r++) add_row(load, -force[r], b[r]);
    return crd_joint_place(element->kind, &model->values.joints[index], &pair);
}

/* All that a coupler puts on b of its first joint. */
static CrdVec coupler_load(const CardanModel *model, const CrdSystem *system, int index, double force, double *load) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    assert(element->terms > 0);
    int body = crd_element_frame(structure, index, 1);
    for (int i = 0; i < element->terms; i++) {
        CrdCoordinate x;
        double c = crd_coupler_term(model, element, i, system, &x);
        if (crd_element_frame(structure, index, 2 * i) == body) add_row(load, -force * c, x.a);
        if (crd_element_frame(structure, index, 2 * i + 1) == body) add_row(load, -force * c, x.b);
    }
    const CardanFrame *frame = &system->frames[body];
    return crd_add(frame->x, crd_apply(frame->rotation, model->values.joints[index].lb));
}

/* The joint's axes on a, as columns of a rotation in ground axes. */
static CrdMat joint_axes(const CrdJointData *joint, const CardanFrame *frame) {
    CrdMat own;
    memcpy(own.m, frame->rotation, sizeof own.m);
    if (crd_norm(joint->axis_a) == 0.0) return own;
    CrdVec x = joint->planar ? joint->axis_a : joint->ea[0], y = joint->planar ? joint->ea[0] : joint->ea[1];
    CrdVec z = joint->planar ? crd_vec(0, 0, 1) : joint->axis_a;
    CrdMat axes = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    return crd_mul(frame->rotation, axes.m);
}

CardanWrench crd_joint_reaction(const CardanModel *model, const CrdSystem *system, const double *lambda, int index,
                                bool local) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    assert(element->kind != NULL); /* rows of the user's and of blocks have no place */
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    bool coupler = element->type == CRD_ELEMENT_COUPLER;
    const double *forces = forces_of(element, system, lambda);
    double load[6] = {0}; /* on b: force in ground axes at its origin, moment in own axes */
    CrdVec place =
        coupler ? coupler_load(model, system, index, forces[0], load) : joint_load(model, system, index, forces, load);
    const CardanFrame *frame = &system->frames[crd_element_frame(structure, index, 0)];
    const CardanFrame *b = &system->frames[crd_element_frame(structure, index, 1)];
    CardanWrench out = {.force = crd_vec_of(load)};
    out.moment = crd_sub(crd_apply(b->rotation, crd_vec_of(load + 3)), crd_cross(crd_sub(place, b->x), out.force));
    if (!local) return out;
    int axes_of = coupler ? structure->terms[element->term].element : index;
    CrdMat axes = joint_axes(&model->values.joints[axes_of], frame);
    return (CardanWrench){crd_apply_t(axes.m, out.force), crd_apply_t(axes.m, out.moment)};
}

double crd_joint_effort(const CardanModel *model, const CrdSystem *system, const double *lambda, int index) {
    assert(crd_element_has_effort(&model->structure->elements[index]));
    return -forces_of(&model->structure->elements[index], system, lambda)[0];
}

/* -lambda . G v. */
static double row_power(const CrdSystem *system, const double *lambda, int row) {
    assert(lambda != NULL);
    return -lambda[row] * (system->rate[row] - system->rate_t[row]);
}

double crd_joint_power(const CardanModel *model, const CrdSystem *system, const double *lambda, int index) {
    const CrdElement *element = &model->structure->elements[index];
    assert(crd_element_has_power(element) && crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    double power = 0.0;
    for (int r = element->first; r < element->first + element->rows; r++) power += row_power(system, lambda, r);
    return power;
}

/* Of the rows that move with time; in the others the forces do no work. */
double crd_drive_power(const CrdStructure *structure, const CrdSystem *system, const double *lambda) {
    double power = 0.0;
    for (int r = 0; r < structure->rows; r++)
        if (system->rate_t[r] != 0.0) power += row_power(system, lambda, r);
    return power;
}
