/* Compliant joints: in place of rows g = 0 the potential (k/2) g^2 with damping, row by row.
 *     load -G^T h,   h = k g + c g',   g' = G v + g_t
 *     potential k g^2 / 2;   power of the rest -c g'^2 + h g_t (the second when a law moves the row) */
#include "assembly/element.h"

static CrdUnit unit_of(const CrdShape *s, const CrdElement *e, int r) {
    if (e->type == CRD_ELEMENT_JOINT) return crd_joint_unit(e->kind, s->space, r);
    return s->terms[e->term].coordinate == CARDAN_ANGLE ? CRD_RADIANS : CRD_METRES;
}

static void add_loads(const CardanModel *model, int index, CrdSystem *w, const double *g, const double *rate_t,
                      CrdLoads *loads) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    const CrdJointData *joint = &model->numbers.joints[index];
    for (int r = 0; r < e->compliant; r++) {
        CrdUnit unit = unit_of(s, e, r);
        double rate = rate_t[r], k = joint->stiffness[unit], c = joint->damping[unit];
        for (int i = 0; i < e->attachments; i++)
            rate += crd_row_rate(w->twist_rows[i * e->compliant + r],
                                 &w->frames[s->attachments[e->attachment + i].carrier]);
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
        const CrdElement *e = &s->elements[i];
        double g[CRD_JOINT_ROWS], rate_t[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS];
        CrdSlots out = {g, rate_t, gamma};
        if (e->compliant == 0) continue;
        if (e->type == CRD_ELEMENT_JOINT)
            CRD_TRY(crd_evaluate_joint(model, i, w, w->twist_rows, w->twist_rows + e->compliant, out, error));
        else
            CRD_TRY(crd_evaluate_coupler(model, i, w, w->twist_rows, out, error));
        add_loads(model, i, w, g, rate_t, loads);
    }
    return CARDAN_OK;
}
