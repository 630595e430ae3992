/* Compliant joints: in place of rows g = 0 the potential (k/2) g^2 with damping, row by row.
 *     load -G^T h,   h = k g + c g',   g' = G v + g_t
 *     potential k g^2 / 2;   power of the rest -c g'^2 + h g_t (the second when a law moves the row) */
#include "assembly/element.h"

CrdUnit crd_element_unit(const CrdShape *s, const CrdElement *e, int r) {
    if (e->type == CRD_ELEMENT_JOINT) return crd_joint_unit(e->kind, s->space, r);
    return s->terms[e->term].coordinate == CARDAN_ANGLE ? CRD_RADIANS : CRD_METRES;
}

/* g, g_t and the twist rows, in w->twist_rows attachment after attachment. */
static CardanStatus rows_of(const CardanModel *model, int index, CrdSystem *w, double *g, double *rate_t,
                            CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    double gamma[CRD_JOINT_ROWS];
    CrdSlots out = {g, rate_t, gamma};
    if (e->type == CRD_ELEMENT_COUPLER) return crd_evaluate_coupler(model, index, w, w->twist_rows, out, error);
    return crd_evaluate_joint(model, index, w, w->twist_rows, w->twist_rows + e->compliant, out, error);
}

static double rate_of(const CrdShape *s, const CrdElement *e, const CrdSystem *w, int r) {
    double rate = 0.0;
    for (int i = 0; i < e->attachments; i++)
        rate +=
            crd_row_rate(w->twist_rows[i * e->compliant + r], &w->frames[s->attachments[e->attachment + i].carrier]);
    return rate;
}

CardanStatus crd_compliant_rows(const CardanModel *model, int index, CrdSystem *w, double *h, CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    const CrdJointData *joint = &model->numbers.joints[index];
    double g[CRD_JOINT_ROWS], rate_t[CRD_JOINT_ROWS];
    CRD_TRY(rows_of(model, index, w, g, rate_t, error));
    for (int r = 0; r < e->compliant; r++) {
        CrdUnit unit = crd_element_unit(model->shape, e, r);
        h[r] = joint->stiffness[unit] * g[r] + joint->damping[unit] * (rate_of(model->shape, e, w, r) + rate_t[r]);
    }
    return CARDAN_OK;
}

static void add_loads(const CardanModel *model, int index, CrdSystem *w, const double *g, const double *rate_t,
                      CrdLoads *loads) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    const CrdJointData *joint = &model->numbers.joints[index];
    for (int r = 0; r < e->compliant; r++) {
        CrdUnit unit = crd_element_unit(s, e, r);
        double k = joint->stiffness[unit], c = joint->damping[unit], rate = rate_of(s, e, w, r) + rate_t[r];
        double h = k * g[r] + c * rate;
        w->elastic[e->elastic + r] = h;
        for (int i = 0; i < e->attachments; i++) {
            double *load = loads->load[s->attachments[e->attachment + i].carrier];
            for (int m = 0; m < 6; m++) load[m] -= h * w->twist_rows[i * e->compliant + r][m];
        }
        loads->potential += 0.5 * k * g[r] * g[r];
        loads->power += h * rate_t[r] - c * rate * rate;
    }
}

CardanStatus crd_compliant(const CardanModel *model, CrdSystem *w, CrdLoads *loads, CrdError *error) {
    const CrdShape *s = model->shape;
    for (int i = 0; s->compliant_count > 0 && i < s->element_count; i++) {
        double g[CRD_JOINT_ROWS], rate_t[CRD_JOINT_ROWS];
        if (s->elements[i].compliant == 0) continue;
        CRD_TRY(rows_of(model, i, w, g, rate_t, error));
        add_loads(model, i, w, g, rate_t, loads);
    }
    return CARDAN_OK;
}
