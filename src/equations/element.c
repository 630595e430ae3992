#include "equations/element.h"

#include "core/numbers.h"
#include "core/unguarded.h"
#include "joint/foot.h"
#include "model/tree.h"

#include <assert.h>
#include <string.h>

void crd_begin_rows(const CardanModel *model, const CrdActions *actions, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    assert(structure->drive_count == 0 || system->drive_values != NULL);
    system->tracked = actions->tracked != NULL ? actions->tracked : model->values.tracked;
    system->sides = actions->sides;
    if (structure->drive_count == 0) return;
    CrdJet *jet = system->drive_values;
    *jet++ = (CrdJet){system->t, 1.0, 0.0};
    for (int i = 0; i < structure->parameter_count; i++) *jet++ = (CrdJet){model->values.parameters[i], 0.0, 0.0};
    for (int i = 0; i < structure->input_count; i++) /* constant between changes */
        *jet++ = (CrdJet){actions->inputs != NULL ? actions->inputs[i] : model->description->inputs[i].value, 0.0, 0.0};
}

const CrdSide *crd_element_sides(const CrdSystem *system, const CrdElement *element) {
    return system->sides != NULL ? system->sides + element->first_switch : NULL;
}

static CardanStatus fail_law(const CardanModel *model, const CrdElement *element, int k, const CrdSystem *system,
                             const CrdError *inner, CrdError *error) {
    const CrdJointDesc *joint = &model->description->joints[element->joint];
    return crd_fail_at(error, CARDAN_ERR_NUMERIC, joint->law_place[k], "joint '%s': %s at t = %.9g", joint->name,
                       inner->text, system->t);
}

CardanStatus crd_subtract_laws(const CardanModel *model, const CrdElement *element, const CrdSystem *system,
                               CrdSlots out, CrdError *error) {
    const CrdSide *sides = crd_element_sides(system, element);
    for (int k = 0; k < element->laws; k++) {
        const CrdExpr *law = model->structure->drives[element->law + k];
        CrdJet f;
        CrdError inner = {0};
        assert(system->drive_values[0].x == system->t); /* crd_begin_rows came before */
        if (crd_expr_held_jet(law, system->drive_values, sides, &f, &inner) < 0)
            return fail_law(model, element, k, system, &inner, error);
        out.g[k] -= f.x;
        out.rate_t[k] = -f.d1;
        out.gamma[k] += f.d2;
        if (sides != NULL) sides += crd_expr_kink_count(law);
    }
    return CARDAN_OK;
}

/* ---- joints ---- */

CardanStatus crd_find_feet(const CardanModel *model, CrdSystem *system, CrdError *error) {
    const CrdStructure *structure = model->structure;
    CrdJet t = system->drive_values[0];
    assert(structure->curve_count > 0 && t.x == system->t); /* crd_begin_rows came before */
    for (int i = 0; i < structure->element_count; i++) {
        const CrdElement *element = &structure->elements[i];
        if (element->kind == NULL || !element->kind->curve) continue;
        CrdPair pair = crd_pair_of(structure, system, i);
        CrdPath path = {structure->drives + element->law, element->laws, system->drive_values,
                        crd_element_sides(system, element)};
        CrdVec at = crd_add(pair.b->x, crd_apply(pair.b->rotation, model->values.joints[i].lb));
        CrdVec point = crd_apply_t(pair.a->rotation, crd_sub(at, pair.a->x));
        CrdError inner = {0};
        CardanStatus status = crd_foot_find(&path, point, pair.near, &system->feet[element->tracked], &inner);
        system->drive_values[0] = t;
        if (status < 0) return fail_law(model, element, 0, system, &inner, error);
    }
    return CARDAN_OK;
}

CRD_UNGUARDED CardanStatus crd_evaluate_joint(const CardanModel *model, int index, CrdSystem *system,
                                              CardanTwistRow *twist_row, CardanTwistRow *b, CrdSlots out,
                                              CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    assert(element->type == CRD_ELEMENT_JOINT && twist_row != b);
    CrdPair pair = crd_pair_of(model->structure, system, index);
    crd_joint_evaluate(element->kind, &model->values.joints[index], &pair, (CrdRows){out.g, out.gamma, twist_row, b});
    memset(out.rate_t, 0, (size_t)(element->rows + element->compliant) * sizeof *out.rate_t);
    if (element->laws == 0 || element->kind->curve) return CARDAN_OK;
    return crd_subtract_laws(model, element, system, out, error);
}

CardanStatus crd_evaluate_joint_residuals(const CardanModel *model, int index, CrdSystem *system, double *rate,
                                          CrdSlots out, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    CrdPair pair = crd_pair_of(model->structure, system, index);
    crd_joint_residuals(element->kind, &model->values.joints[index], &pair, out.g, rate);
    memset(out.rate_t, 0, (size_t)element->rows * sizeof *out.rate_t);
    if (element->laws == 0 || element->kind->curve) return CARDAN_OK;
    return crd_subtract_laws(model, element, system, out, error);
}

/* ---- couplers: g = sum c_i x_i - value ---- */

static void scaled(double *to, double s, const double *row) {
    for (int i = 0; i < 6; i++) to[i] = s * row[i];
}

double crd_coupler_term(const CardanModel *model, const CrdElement *element, int i, const CrdSystem *system,
                        CrdCoordinate *coordinate) {
    assert(i >= 0 && i < element->terms);
    const CrdTerm *term = &model->structure->terms[element->term + i];
    CrdPair pair = crd_pair_of(model->structure, system, term->element);
    crd_joint_coordinate(term->coordinate, &model->values.joints[term->element], &pair, coordinate);
    return model->values.coefficients[element->term + i];
}

CardanStatus crd_evaluate_coupler(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist,
                                  CrdSlots out, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    assert(element->type == CRD_ELEMENT_COUPLER && element->attachments == 2 * element->terms);
    out.g[0] = -model->values.joints[index].value;
    out.rate_t[0] = out.gamma[0] = 0.0;
    for (int i = 0; i < element->terms; i++) {
        CrdCoordinate x;
        double c = crd_coupler_term(model, element, i, system, &x);
        out.g[0] += c * x.value;
        out.gamma[0] -= c * x.bias;
        scaled(twist[2 * i], c, x.a);
        scaled(twist[2 * i + 1], c, x.b);
    }
    return crd_subtract_laws(model, element, system, out, error);
}

void crd_element_gradient(const CardanModel *model, int index, const CrdSystem *system, CardanTwistRow *twist) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    if (element->type == CRD_ELEMENT_JOINT) {
        CrdPair pair = crd_pair_of(structure, system, index);
        CrdRows out = {.a = twist, .b = twist + element->rows + element->compliant};
        crd_joint_gradient(element->kind, &model->values.joints[index], &pair, out);
        return;
    }
    assert(element->type == CRD_ELEMENT_COUPLER);
    for (int i = 0; i < element->terms; i++) {
        const CrdTerm *term = &structure->terms[element->term + i];
        double c = model->values.coefficients[element->term + i], *a = twist[2 * i], *b = twist[2 * i + 1];
        CrdPair pair = crd_pair_of(structure, system, term->element);
        crd_joint_coordinate_gradient(term->coordinate, &model->values.joints[term->element], &pair, a, b);
        scaled(a, c, a);
        scaled(b, c, b);
    }
}

/* ---- numbers with memory ---- */

typedef void (*OfTracked)(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double *out);

static void each_tracked(const CardanModel *model, const CrdSystem *system, OfTracked of, double *out) {
    const CrdStructure *structure = model->structure;
    assert(crd_stamp_holds_residuals(&system->stamp)); /* frames, and feet on curves */
    const CrdTree *tree = structure->tree;
    int count = tree != NULL ? tree->tracking_count : structure->element_count;
    for (int k = 0; k < count; k++) {
        int i = tree != NULL ? tree->tracking[k] : k;
        const CrdElement *element = &structure->elements[i];
        if (element->tracked < 0) continue;
        CrdPair pair = crd_pair_of(structure, system, i);
        of(element->kind, &model->values.joints[i], &pair, out + element->tracked);
    }
}

/* Rotation vectors of forces, or their rates. */
static void each_turn(const CardanModel *model, const CrdSystem *system, bool rates, double *out) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; structure->turn_count > 0 && i < structure->force_count; i++) {
        int tracked = structure->force_structures[i].tracked;
        if (tracked < 0) continue;
        CrdForceInput input = {.t = system->t, .frames = system->frames, .turn = system->tracked + tracked};
        CrdVec phi, rate;
        crd_force_kinds[model->values.forces[i].type]->turn(&model->values.forces[i], &input, &phi, &rate);
        crd_put(out + tracked, rates ? rate : phi);
    }
}

/* Angles that are coordinates. */
static void each_counted(const CrdStructure *structure, const CrdSystem *system, bool rates, double *out) {
    const CrdTree *tree = structure->tree;
    for (int i = 0; tree != NULL && !crd_counts_itself(structure) && i < tree->counted_count; i++) {
        const CrdCounted *counted = &tree->counted[i];
        out[counted->tracked] = counted->sign * (rates ? system->tree.v[counted->v] : system->tree.q[counted->q]);
    }
}

void crd_tracked_rates(const CardanModel *model, const CrdSystem *system, double *rates) {
    if (model->structure->tracked_count == 0) return;
    each_counted(model->structure, system, true, rates);
    each_tracked(model, system, crd_joint_track_rate, rates);
    each_turn(model, system, true, rates);
}

void crd_track(const CardanModel *model, const CrdSystem *system, double *tracked) {
    if (model->structure->tracked_count == 0) return;
    each_counted(model->structure, system, false, tracked);
    each_tracked(model, system, crd_joint_tracked, tracked);
    each_turn(model, system, false, tracked);
}
