/* Reactions: the wrench that a body of a joint receives, of b -G_b^T lambda, moved to the joint's place there. Of a
 * compliant joint its h stands for lambda. */
#include "equations/element.h"
#include "joint/change.h"

#include <assert.h>
#include <string.h>

static const double *forces_of(const CrdElement *element, const CrdSystem *system, const double *lambda) {
    return element->compliant > 0 ? system->elastic + element->elastic : lambda + element->first;
}

static void add_row(double *load, double s, const double *row) {
    for (int k = 0; k < 6; k++) load[k] += s * row[k];
}

static CrdVec joint_load(const CardanModel *model, const CrdSystem *system, int index, int frame, const double *force,
                         double *load) {
    const CrdElement *element = &model->structure->elements[index];
    const CrdJointData *joint = &model->values.joints[index];
    bool on_b = frame == crd_element_frame(model->structure, index, 1);
    assert(element->rows + element->compliant <= CRD_JOINT_ROWS);
    CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
    double g[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS];
    CrdPair pair = crd_pair_of(model->structure, system, index);
    crd_joint_evaluate(element->kind, joint, &pair, (CrdRows){g, gamma, a, b});
    for (int r = 0; r < element->rows + element->compliant; r++) add_row(load, -force[r], on_b ? b[r] : a[r]);
    bool touches = element->kind->place != NULL; /* then both receive it there */
    return on_b || touches ? crd_joint_place(element->kind, joint, &pair) : crd_point_of(pair.a, joint->la).p;
}

/* All that a coupler puts on a body; the place is that of the first of its joints there. */
static CrdVec coupler_load(const CardanModel *model, const CrdSystem *system, int index, int body, double force,
                           double *load) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    const CardanFrame *frame = &system->frames[body];
    CrdVec place = frame->x;
    assert(element->terms > 0);
    for (int i = element->terms - 1; i >= 0; i--) {
        CrdCoordinate x;
        double c = crd_coupler_term(model, element, i, system, &x);
        const CrdJointData *joint = &model->values.joints[structure->terms[element->term + i].element];
        bool on_a = crd_element_frame(structure, index, 2 * i) == body,
             on_b = crd_element_frame(structure, index, 2 * i + 1) == body;
        if (on_a) add_row(load, -force * c, x.a);
        if (on_b) add_row(load, -force * c, x.b);
        if (on_a || on_b) place = crd_point_of(frame, on_b ? joint->lb : joint->la).p;
    }
    return place;
}

CardanWrench crd_joint_reaction_on(const CardanModel *model, const CrdSystem *system, const double *lambda, int index,
                                   int frame) {
    const CrdElement *element = &model->structure->elements[index];
    assert(element->kind != NULL); /* rows of the user's and of blocks have no place */
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    const double *forces = forces_of(element, system, lambda);
    const CardanFrame *body = &system->frames[frame];
    double load[6] = {0}; /* force in ground axes at its origin, moment in own axes */
    CrdVec place = element->type == CRD_ELEMENT_COUPLER ? coupler_load(model, system, index, frame, forces[0], load)
                                                        : joint_load(model, system, index, frame, forces, load);
    CardanWrench out = {.force = crd_vec_of(load)};
    out.moment =
        crd_sub(crd_apply(body->rotation, crd_vec_of(load + 3)), crd_cross(crd_sub(place, body->x), out.force));
    return out;
}

CardanWrench crd_joint_reaction(const CardanModel *model, const CrdSystem *system, const double *lambda, int index,
                                bool local) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    CardanWrench out = crd_joint_reaction_on(model, system, lambda, index, crd_element_frame(structure, index, 1));
    if (!local) return out;
    const CardanFrame *frame = &system->frames[crd_element_frame(structure, index, 0)];
    int axes_of = element->type == CRD_ELEMENT_COUPLER ? structure->terms[element->term].element : index;
    CrdMat own = crd_joint_axes(&model->values.joints[axes_of]), axes = crd_mul(frame->rotation, own.m);
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
