/* Compliant joints: in place of rows g = 0 the potential (k/2) g^2 with damping, row by row.
 *     load -G^T h,   h = k g + c g',   g' = G v + g_t
 *     potential k g^2 / 2;   power of the rest -c g'^2 + h g_t (the second when a law moves the row) */
#include "equations/element.h"
#include "equations/measures.h"

#include <assert.h>

CrdUnit crd_element_unit(const CrdStructure *structure, const CrdElement *element, int r) {
    assert(r >= 0 && r < element->rows + element->compliant);
    if (element->type == CRD_ELEMENT_JOINT) return crd_joint_unit(element->kind, structure->space, r);
    assert(element->type == CRD_ELEMENT_COUPLER);
    return structure->terms[element->term].coordinate == CARDAN_COORDINATE_ANGLE ? CRD_RADIANS : CRD_METRES;
}

/* g, g_t and the twist rows, in system->twist_rows attachment after attachment. */
static CardanStatus rows_of(const CardanModel *model, int index, CrdSystem *system, double *g, double *rate_t,
                            CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    assert(element->compliant > 0 && element->compliant <= CRD_JOINT_ROWS);
    double gamma[CRD_JOINT_ROWS];
    CrdSlots out = {g, rate_t, gamma};
    if (element->type == CRD_ELEMENT_COUPLER)
        return crd_evaluate_coupler(model, index, system, system->twist_rows, out, error);
    return crd_evaluate_joint(model, index, system, system->twist_rows, system->twist_rows + element->compliant, out,
                              error);
}

static double rate_of(const CrdStructure *structure, const CrdElement *element, const CrdSystem *system, int r) {
    double rate = 0.0;
    for (int i = 0; i < element->attachments; i++)
        rate += crd_row_rate(system->twist_rows[i * element->compliant + r],
                             &system->frames[structure->attachments[element->attachment + i].frame]);
    return rate;
}

CardanStatus crd_compliant_rows(const CardanModel *model, int index, CrdSystem *system, double *h, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    const CrdJointData *joint = &model->values.joints[index];
    double g[CRD_JOINT_ROWS], rate_t[CRD_JOINT_ROWS];
    CRD_TRY(rows_of(model, index, system, g, rate_t, error));
    for (int r = 0; r < element->compliant; r++) {
        CrdUnit unit = crd_element_unit(model->structure, element, r);
        h[r] = joint->stiffness[unit] * g[r] +
               joint->damping[unit] * (rate_of(model->structure, element, system, r) + rate_t[r]);
    }
    return CARDAN_OK;
}

static void add_loads(const CardanModel *model, int index, CrdSystem *system, const double *g, const double *rate_t,
                      CrdLoads *loads) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdJointData *joint = &model->values.joints[index];
    for (int r = 0; r < element->compliant; r++) {
        CrdUnit unit = crd_element_unit(structure, element, r);
        double k = joint->stiffness[unit], c = joint->damping[unit],
               rate = rate_of(structure, element, system, r) + rate_t[r];
        double h = k * g[r] + c * rate;
        system->elastic[element->elastic + r] = h;
        for (int i = 0; i < element->attachments; i++) {
            double *load = loads->load[structure->attachments[element->attachment + i].frame];
            for (int m = 0; m < 6; m++) load[m] -= h * system->twist_rows[i * element->compliant + r][m];
        }
        loads->potential += 0.5 * k * g[r] * g[r];
        loads->power += h * rate_t[r] - c * rate * rate;
    }
}

CardanStatus crd_compliant(const CardanModel *model, CrdSystem *system, CrdLoads *loads, CrdError *error) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; structure->compliant_count > 0 && i < structure->element_count; i++) {
        double g[CRD_JOINT_ROWS], rate_t[CRD_JOINT_ROWS];
        if (structure->elements[i].compliant == 0) continue;
        CRD_TRY(rows_of(model, i, system, g, rate_t, error));
        add_loads(model, i, system, g, rate_t, loads);
    }
    return CARDAN_OK;
}

/* Changes of g and of G v of row r along system->changes: of the frames' places, and of their motion. */
static void row_change(const CrdStructure *structure, const CrdElement *element, const CrdSystem *system, int r,
                       double *dg, double *drate) {
    *dg = *drate = 0.0;
    for (int i = 0; i < element->attachments; i++) {
        const CrdChange *change = &system->changes[structure->attachments[element->attachment + i].frame];
        const double *row = system->twist_rows[i * element->compliant + r],
                     *gradient = system->gradient_rows[i * element->compliant + r];
        *dg += crd_dot(crd_vec_of(row), change->x) + crd_dot(crd_vec_of(row + 3), change->turn);
        *drate += crd_dot(crd_vec_of(gradient), change->x) + crd_dot(crd_vec_of(gradient + 3), change->turn) +
                  crd_dot(crd_vec_of(row), change->v) + crd_dot(crd_vec_of(row + 3), change->w);
    }
}

CardanStatus crd_compliant_alone(const CardanModel *model, int index, CrdSystem *system, bool along, CrdDual *energy,
                                 CrdDual *power, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    const CrdJointData *joint = &model->values.joints[index];
    double g[CRD_JOINT_ROWS], rate_t[CRD_JOINT_ROWS], dg = 0.0, drate = 0.0;
    CRD_TRY(rows_of(model, index, system, g, rate_t, error));
    if (along) crd_element_gradient(model, index, system, system->gradient_rows);
    *energy = *power = crd_d(0.0, 0.0);
    for (int r = 0; r < element->compliant; r++) {
        CrdUnit unit = crd_element_unit(model->structure, element, r);
        double k = joint->stiffness[unit], c = joint->damping[unit];
        if (along) row_change(model->structure, element, system, r, &dg, &drate);
        CrdDual x = crd_d(g[r], dg), rate = crd_d(rate_of(model->structure, element, system, r), drate);
        CrdDual h = crd_d(k * x.x + c * (rate.x + rate_t[r]), k * dg + c * drate);
        *energy = crd_d_add(*energy, crd_d_scale(0.5 * k, crd_d_mul(x, x)));
        *power = crd_d_sub(*power, crd_d_mul(h, rate));
    }
    return CARDAN_OK;
}
