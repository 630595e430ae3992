#include "assembly/element.h"

#include "core/numbers.h"
#include "joint/foot.h"

#include <string.h>

void crd_begin_rows(const CardanModel *model, const CrdActions *actions, CrdSystem *w) {
    const CrdShape *s = model->shape;
    w->followers = actions->followers != NULL ? actions->followers : model->numbers.followers;
    w->sides = actions->sides;
    if (s->drive_count == 0) return;
    CrdJet *x = w->drive_values;
    *x++ = (CrdJet){w->t, 1.0, 0.0};
    for (int i = 0; i < s->parameter_count; i++) *x++ = (CrdJet){model->numbers.parameters[i], 0.0, 0.0};
    for (int i = 0; i < s->input_count; i++) /* constant between changes */
        *x++ = (CrdJet){actions->inputs != NULL ? actions->inputs[i] : model->description->inputs[i].value, 0.0, 0.0};
}

const CrdSide *crd_element_sides(const CrdSystem *w, const CrdElement *e) {
    return w->sides != NULL ? w->sides + e->first_switch : NULL;
}

static CardanStatus fail_law(const CardanModel *model, const CrdElement *e, int k, const CrdSystem *w,
                             const CrdError *inner, CrdError *error) {
    const CrdJointDesc *joint = &model->description->joints[e->joint];
    return crd_fail_at(error, CARDAN_ERR_NUMERIC, joint->law_place[k], "joint '%s': %s at t = %.9g", joint->name,
                       inner->text, w->t);
}

static CardanStatus subtract_laws(const CardanModel *model, const CrdElement *e, const CrdSystem *w, CrdSlots out,
                                  CrdError *error) {
    const CrdSide *sides = crd_element_sides(w, e);
    for (int k = 0; k < e->laws; k++) {
        const CrdExpr *law = model->shape->drives[e->law + k];
        CrdJet f;
        CrdError inner = {0};
        if (crd_expr_held_jet(law, w->drive_values, sides, &f, &inner) < 0)
            return fail_law(model, e, k, w, &inner, error);
        out.g[k] -= f.x;
        out.rate_t[k] = -f.d1;
        out.gamma[k] += f.d2;
        if (sides != NULL) sides += crd_expr_kink_count(law);
    }
    return CARDAN_OK;
}

/* ---- joints ---- */

CardanStatus crd_find_feet(const CardanModel *model, CrdSystem *w, CrdError *error) {
    const CrdShape *s = model->shape;
    CrdJet t = w->drive_values[0];
    for (int i = 0; i < s->element_count; i++) {
        const CrdElement *e = &s->elements[i];
        if (e->kind == NULL || !(e->kind->needs & CRD_NEEDS_CURVE)) continue;
        CrdPair pair = crd_pair_of(s, w, i);
        CrdPath path = {s->drives + e->law, e->laws, w->drive_values, crd_element_sides(w, e)};
        CrdVec at = crd_add(pair.b->x, crd_apply(pair.b->rotation, model->numbers.joints[i].lb));
        CrdVec point = crd_apply_t(pair.a->rotation, crd_sub(at, pair.a->x));
        CrdError inner = {0};
        CardanStatus status = crd_foot_find(&path, point, pair.near, &w->feet[e->follower], &inner);
        w->drive_values[0] = t;
        if (status < 0) return fail_law(model, e, 0, w, &inner, error);
    }
    return CARDAN_OK;
}

CardanStatus crd_evaluate_joint(const CardanModel *model, int index, CrdSystem *w, CardanTwistRow *a, CardanTwistRow *b,
                                CrdSlots out, CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    CrdPair pair = crd_pair_of(model->shape, w, index);
    crd_joint_evaluate(e->kind, &model->numbers.joints[index], &pair, (CrdRows){out.g, out.gamma, a, b});
    memset(out.rate_t, 0, (size_t)(e->rows + e->compliant) * sizeof *out.rate_t);
    if (e->laws == 0 || (e->kind->needs & CRD_NEEDS_CURVE)) return CARDAN_OK;
    return subtract_laws(model, e, w, out, error);
}

/* ---- couplers: g = sum c_i x_i - value ---- */

static void scaled(double *to, double s, const double *row) {
    for (int i = 0; i < 6; i++) to[i] = s * row[i];
}

double crd_coupler_term(const CardanModel *model, const CrdElement *e, int i, const CrdSystem *w, CrdCoordinate *x) {
    const CrdTerm *term = &model->shape->terms[e->term + i];
    CrdPair pair = crd_pair_of(model->shape, w, term->element);
    crd_joint_coordinate(term->coordinate, &model->numbers.joints[term->element], &pair, x);
    return model->numbers.coefficients[e->term + i];
}

CardanStatus crd_evaluate_coupler(const CardanModel *model, int index, CrdSystem *w, CardanTwistRow *twist,
                                  CrdSlots out, CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    out.g[0] = -model->numbers.joints[index].value;
    out.rate_t[0] = out.gamma[0] = 0.0;
    for (int i = 0; i < e->terms; i++) {
        CrdCoordinate x;
        double c = crd_coupler_term(model, e, i, w, &x);
        out.g[0] += c * x.value;
        out.gamma[0] -= c * x.bias;
        scaled(twist[2 * i], c, x.a);
        scaled(twist[2 * i + 1], c, x.b);
    }
    return subtract_laws(model, e, w, out, error);
}

void crd_element_gradient(const CardanModel *model, int index, const CrdSystem *w, CardanTwistRow *twist) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    if (e->type == CRD_ELEMENT_JOINT) {
        CrdPair pair = crd_pair_of(s, w, index);
        CrdRows out = {.a = twist, .b = twist + e->rows + e->compliant};
        crd_joint_gradient(e->kind, &model->numbers.joints[index], &pair, out);
        return;
    }
    for (int i = 0; i < e->terms; i++) {
        const CrdTerm *term = &s->terms[e->term + i];
        double c = model->numbers.coefficients[e->term + i], *a = twist[2 * i], *b = twist[2 * i + 1];
        CrdPair pair = crd_pair_of(s, w, term->element);
        crd_joint_coordinate_gradient(term->coordinate, &model->numbers.joints[term->element], &pair, a, b);
        scaled(a, c, a);
        scaled(b, c, b);
    }
}

/* ---- numbers with memory ---- */

void crd_follower_rates(const CardanModel *model, const CrdSystem *w, double *rates) {
    const CrdShape *s = model->shape;
    for (int i = 0; s->follower_count > 0 && i < s->element_count; i++) {
        const CrdElement *e = &s->elements[i];
        if (e->follower < 0) continue;
        CrdPair pair = crd_pair_of(s, w, i);
        rates[e->follower] = crd_joint_follow_rate(e->kind, &model->numbers.joints[i], &pair);
    }
}

void crd_follow(const CardanModel *model, const CrdSystem *w, double *followers) {
    const CrdShape *s = model->shape;
    for (int i = 0; s->follower_count > 0 && i < s->element_count; i++) {
        const CrdElement *e = &s->elements[i];
        if (e->follower < 0) continue;
        CrdPair pair = crd_pair_of(s, w, i);
        followers[e->follower] = crd_joint_followed(e->kind, &model->numbers.joints[i], &pair);
    }
}

/* ---- rounding ---- */

/* How large the terms are whose difference is a row: angles of bodies and couplers count through turns. */
static double row_scale(const CardanModel *model, const CrdSystem *w, int index, double far) {
    const CrdShape *s = model->shape;
    const CrdElement *e = &s->elements[index];
    if (e->type == CRD_ELEMENT_COUPLER) {
        double sum = fabs(model->numbers.joints[index].value);
        for (int i = 0; i < e->terms; i++) {
            CrdCoordinate x;
            double c = crd_coupler_term(model, e, i, w, &x);
            sum += fabs(c) * (fabs(x.value) + far);
        }
        return sum;
    }
    double scale = far;
    for (int i = 0; i < e->attachments; i++)
        scale = fmax(scale, fabs(w->frames[s->attachments[e->attachment + i].carrier].angle));
    return scale;
}

double crd_position_excess(const CardanModel *model, const CrdSystem *w, double allowed) {
    const CrdShape *s = model->shape;
    double far = model->numbers.size, most = 0.0;
    for (int i = 0; i < s->carrier_count; i++) far = fmax(far, crd_norm(w->frames[i].x));
    for (int i = 0; i < s->element_count; i++) {
        const CrdElement *e = &s->elements[i];
        if (e->rows == 0) continue;
        double unit = fmax(allowed, CRD_RESIDUAL_FLOOR * row_scale(model, w, i, far));
        for (int r = e->first; r < e->first + e->rows; r++) {
            double excess = fabs(w->g[r]) / unit;
            if (!(excess <= most)) most = excess; /* a NaN stays */
        }
    }
    return most;
}
