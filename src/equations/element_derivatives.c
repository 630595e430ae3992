/* Rows depend on pairs of frames: of a joint one pair, of a coupler one for each term, so that d(G^T lambda) is made of
 * 12 x 12 blocks (joint.h). With h = k g + c g' the load of a compliant row is -G^T h, and
 *     d load = -G^T (k G + c (G v)_q) dx - (G^T h)_q dx - c G^T G dv */
#include "equations/element_derivatives.h"

#include "equations/element.h"

#include <assert.h>
#include <string.h>

static void add_block(double *out, int width, int first, double s, double block[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]) {
    assert(first >= 0 && first + CRD_PAIR_TWISTS <= width);
    for (int i = 0; i < CRD_PAIR_TWISTS; i++)
        for (int k = 0; k < CRD_PAIR_TWISTS; k++)
            out[(size_t)(first + i) * (size_t)width + (size_t)(first + k)] += s * block[i][k];
}

static void add_row_forces(const CardanModel *model, int index, const CrdSystem *system, double s, const double *lambda,
                           double *out) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    double block[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS];
    int width = 6 * element->attachments;
    if (element->type == CRD_ELEMENT_JOINT) {
        CrdPair pair = crd_pair_of(structure, system, index);
        crd_joint_hessian(element->kind, &model->values.joints[index], &pair, lambda, block);
        add_block(out, width, 0, s, block);
        return;
    }
    for (int i = 0; i < element->terms; i++) {
        const CrdTerm *term = &structure->terms[element->term + i];
        CrdPair pair = crd_pair_of(structure, system, term->element);
        crd_joint_coordinate_hessian(term->coordinate, &model->values.joints[term->element], &pair, block);
        add_block(out, width, CRD_PAIR_TWISTS * i, s * lambda[0] * model->values.coefficients[element->term + i],
                  block);
    }
}

static size_t size_of(const CrdElement *element) {
    return 36 * (size_t)element->attachments * (size_t)element->attachments;
}

CardanStatus crd_row_force_derivatives(const CardanModel *model, int index, CrdSystem *system, const double *lambda,
                                       double *out, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    assert(element->type != CRD_ELEMENT_BLOCK && lambda != NULL);
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    if (element->type == CRD_ELEMENT_USER) return crd_user_reactions(model, index, system, lambda, out, error);
    memset(out, 0, size_of(element) * sizeof *out);
    add_row_forces(model, index, system, 1.0, lambda, out);
    return CARDAN_OK;
}

/* Adds s u v^T of the rows r of two sets of twist rows, attachment after attachment. */
static void add_product(const CrdElement *element, double s, CardanTwistRow *twist_row, CardanTwistRow *v, int r,
                        double *out) {
    size_t width = 6 * (size_t)element->attachments;
    for (size_t i = 0; i < width; i++)
        for (size_t k = 0; k < width; k++)
            out[i * width + k] += s * twist_row[i / 6 * (size_t)element->compliant + (size_t)r][i % 6] *
                                  v[k / 6 * (size_t)element->compliant + (size_t)r][k % 6];
}

CardanStatus crd_compliant_derivatives(const CardanModel *model, int index, CrdSystem *system, double *displacement,
                                       double *twist, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    const CrdJointData *joint = &model->values.joints[index];
    assert(element->compliant > 0 && crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    double h[CRD_JOINT_ROWS];
    CRD_TRY(crd_compliant_rows(model, index, system, h, error));
    crd_element_gradient(model, index, system, system->gradient_rows);
    memset(displacement, 0, size_of(element) * sizeof *displacement);
    memset(twist, 0, size_of(element) * sizeof *twist);
    for (int r = 0; r < element->compliant; r++) {
        CrdUnit unit = crd_element_unit(model->structure, element, r);
        add_product(element, -joint->stiffness[unit], system->twist_rows, system->twist_rows, r, displacement);
        add_product(element, -joint->damping[unit], system->twist_rows, system->gradient_rows, r, displacement);
        add_product(element, -joint->damping[unit], system->twist_rows, system->twist_rows, r, twist);
    }
    add_row_forces(model, index, system, -1.0, h, displacement);
    return CARDAN_OK;
}
