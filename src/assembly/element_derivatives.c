/* Rows depend on pairs of frames: of a joint one pair, of a coupler one for each term, so that d(G^T lambda) is made of
 * 12 x 12 blocks (joint.h). With h = k g + c g' the load of a compliant row is -G^T h, and
 *     d load = -G^T (k G + c (G v)_q) dx - (G^T h)_q dx - c G^T G dv */
#include "assembly/element_derivatives.h"

#include "assembly/element.h"

#include <string.h>

static void add_block(double *out, int width, int first, double s, double block[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]) {
    for (int i = 0; i < CRD_PAIR_TWISTS; i++)
        for (int k = 0; k < CRD_PAIR_TWISTS; k++)
            out[(size_t)(first + i) * (size_t)width + (size_t)(first + k)] += s * block[i][k];
}

static void add_row_forces(const CardanModel *model, int index, const CrdSystem *w, double s, const double *lambda,
                           double *out) {
    const CrdShape *shape = model->shape;
    const CrdElement *e = &shape->elements[index];
    double block[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS];
    int width = 6 * e->attachments;
    if (e->type == CRD_ELEMENT_JOINT) {
        CrdPair pair = crd_pair_of(shape, w, index);
        crd_joint_hessian(e->kind, &model->numbers.joints[index], &pair, lambda, block);
        add_block(out, width, 0, s, block);
        return;
    }
    for (int i = 0; i < e->terms; i++) {
        const CrdTerm *term = &shape->terms[e->term + i];
        CrdPair pair = crd_pair_of(shape, w, term->element);
        crd_joint_coordinate_hessian(term->coordinate, &model->numbers.joints[term->element], &pair, block);
        add_block(out, width, CRD_PAIR_TWISTS * i, s * lambda[0] * model->numbers.coefficients[e->term + i], block);
    }
}

static size_t size_of(const CrdElement *e) {
    return 36 * (size_t)e->attachments * (size_t)e->attachments;
}

CardanStatus crd_row_force_derivatives(const CardanModel *model, int index, CrdSystem *w, const double *lambda,
                                       double *out, CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    if (e->type == CRD_ELEMENT_USER) return crd_user_reactions(model, index, w, lambda, out, error);
    memset(out, 0, size_of(e) * sizeof *out);
    add_row_forces(model, index, w, 1.0, lambda, out);
    return CARDAN_OK;
}

/* Adds s u v^T of the rows r of two sets of twist rows, attachment after attachment. */
static void add_product(const CrdElement *e, double s, CardanTwistRow *u, CardanTwistRow *v, int r, double *out) {
    size_t width = 6 * (size_t)e->attachments;
    for (size_t i = 0; i < width; i++)
        for (size_t k = 0; k < width; k++)
            out[i * width + k] += s * u[i / 6 * (size_t)e->compliant + (size_t)r][i % 6] *
                                  v[k / 6 * (size_t)e->compliant + (size_t)r][k % 6];
}

CardanStatus crd_compliant_derivatives(const CardanModel *model, int index, CrdSystem *w, double *displacement,
                                       double *twist, CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    const CrdJointData *joint = &model->numbers.joints[index];
    double h[CRD_JOINT_ROWS];
    CRD_TRY(crd_compliant_rows(model, index, w, h, error));
    crd_element_gradient(model, index, w, w->gradient_rows);
    memset(displacement, 0, size_of(e) * sizeof *displacement);
    memset(twist, 0, size_of(e) * sizeof *twist);
    for (int r = 0; r < e->compliant; r++) {
        CrdUnit unit = crd_element_unit(model->shape, e, r);
        add_product(e, -joint->stiffness[unit], w->twist_rows, w->twist_rows, r, displacement);
        add_product(e, -joint->damping[unit], w->twist_rows, w->gradient_rows, r, displacement);
        add_product(e, -joint->damping[unit], w->twist_rows, w->twist_rows, r, twist);
    }
    add_row_forces(model, index, w, -1.0, h, displacement);
    return CARDAN_OK;
}
