/* Reactions: the wrench that body b of a joint receives, -G_b^T lambda, moved to the joint's place. Of a compliant
 * joint its h stands for lambda. */
#include "assembly/element.h"

#include <string.h>

static const double *forces_of(const CrdElement *e, const CrdSystem *w, const double *lambda) {
    return e->compliant > 0 ? w->elastic + e->elastic : lambda + e->first;
}

static void add_row(double *load, double s, const double *row) {
    for (int k = 0; k < 6; k++) load[k] += s * row[k];
}

static CrdVec joint_load(const CardanModel *model, const CrdSystem *w, int index, const double *force, double *load) {
    const CrdElement *e = &model->shape->elements[index];
    CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
    double g[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS];
    CrdPair pair = crd_pair_of(model->shape, w, index);
    crd_joint_evaluate(e->kind, &model->numbers.joints[index], &pair, (CrdRows){g, gamma, a, b});
    for (int r = 0; r < e->rows + e->compliant; r++) add_row(load, -force[r], b[r]);
    return crd_joint_place(e->kind, &model->numbers.joints[index], &pair);
}

/* All that a coupler puts on b of its first joint. */
static CrdVec coupler_load(const CardanModel *model, const CrdSystem *w, int index, double force, double *load) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    int body = crd_element_carrier(s, index, 1);
    for (int i = 0; i < e->terms; i++) {
        CrdCoordinate x;
        double c = crd_coupler_term(model, e, i, w, &x);
        if (crd_element_carrier(s, index, 2 * i) == body) add_row(load, -force * c, x.a);
        if (crd_element_carrier(s, index, 2 * i + 1) == body) add_row(load, -force * c, x.b);
    }
    const CardanFrame *b = &w->frames[body];
    return crd_add(b->x, crd_apply(b->rotation, model->numbers.joints[index].lb));
}

/* The joint's axes on a, as columns of a rotation in ground axes. */
static CrdMat joint_axes(const CrdJointData *joint, const CardanFrame *a) {
    CrdMat own;
    memcpy(own.m, a->rotation, sizeof own.m);
    if (crd_norm(joint->axis_a) == 0.0) return own;
    CrdVec x = joint->planar ? joint->axis_a : joint->ea[0], y = joint->planar ? joint->ea[0] : joint->ea[1];
    CrdVec z = joint->planar ? crd_vec(0, 0, 1) : joint->axis_a;
    CrdMat axes = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    return crd_mul(a->rotation, axes.m);
}

CrdVec crd_joint_load(const CardanModel *model, const CrdSystem *w, int index, const double *force, double *load) {
    memset(load, 0, sizeof(CardanTwistRow));
    if (model->shape->elements[index].type == CRD_ELEMENT_COUPLER) return coupler_load(model, w, index, force[0], load);
    return joint_load(model, w, index, force, load);
}

CardanWrench crd_joint_reaction(const CardanModel *model, const CrdSystem *w, const double *lambda, int index,
                                bool local) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    double load[6];
    CrdVec place = crd_joint_load(model, w, index, forces_of(e, w, lambda), load);
    const CardanFrame *a = &w->frames[crd_element_carrier(s, index, 0)];
    const CardanFrame *b = &w->frames[crd_element_carrier(s, index, 1)];
    CardanWrench out = {.force = crd_vec_of(load)};
    out.moment = crd_sub(crd_apply(b->rotation, crd_vec_of(load + 3)), crd_cross(crd_sub(place, b->x), out.force));
    if (!local) return out;
    int axes_of = e->type == CRD_ELEMENT_COUPLER ? s->terms[e->term].element : index;
    CrdMat axes = joint_axes(&model->numbers.joints[axes_of], a);
    return (CardanWrench){crd_apply_t(axes.m, out.force), crd_apply_t(axes.m, out.moment)};
}

double crd_joint_effort(const CardanModel *model, const CrdSystem *w, const double *lambda, int index) {
    return -forces_of(&model->shape->elements[index], w, lambda)[0];
}

/* -lambda . G v. */
static double row_power(const CrdSystem *w, const double *lambda, int row) {
    return -lambda[row] * (w->rate[row] - w->rate_t[row]);
}

double crd_joint_power(const CardanModel *model, const CrdSystem *w, const double *lambda, int index) {
    const CrdElement *e = &model->shape->elements[index];
    double power = 0.0;
    for (int r = e->first; r < e->first + e->rows; r++) power += row_power(w, lambda, r);
    return power;
}

/* Of the rows that move with time; in the others the forces do no work. */
double crd_drive_power(const CrdShape *s, const CrdSystem *w, const double *lambda) {
    double power = 0.0;
    for (int r = 0; r < s->rows; r++)
        if (w->rate_t[r] != 0.0) power += row_power(w, lambda, r);
    return power;
}
