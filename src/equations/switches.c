/* Switching functions: their zeros are the kinks of forces and laws. Filled from the frames there are, in this
 * order: for each force those of its record (force.h), then those of its laws (crd_expr_held_kinks).
 *
 * An event locator compares the signs at both ends of a step; a number that is 0 says nothing (a branch that is not
 * taken, a law that is not active) and is no event by itself. The step that ends at a zero has crossed it. */
#include "core/callback.h"
#include "equations/element.h"
#include "equations/force_scene.h"

#include <assert.h>
#include <string.h>

/* A law in x and v is looked at where the kernel looks at it. */
static void own_variables(const CardanModel *model, int index, const CrdForceScene *scene, CrdSystem *system) {
    const CrdForceData *force = &model->values.forces[index];
    const CrdForceKind *kind = crd_force_kinds[force->type];
    double x = 0.0, v = 0.0;
    if (kind->variables != NULL) kind->variables(force, &scene->input, &x, &v);
    system->law_values[CRD_LAW_X] = x;
    system->law_values[CRD_LAW_V] = v;
}

static CardanStatus force_switches(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                   double *values, CrdError *error) {
    const CrdForceKind *kind = crd_force_kinds[model->values.forces[index].type];
    CrdForceScene scene;
    CRD_TRY(crd_force_scene(model, index, actions, system, &scene, error));
    if (kind->switches != NULL) kind->switches(&model->values.forces[index], &scene.input, values);
    values += kind->switch_count;
    own_variables(model, index, &scene, system);
    const CrdSide *sides = scene.input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = model->structure->laws[CRD_FORCE_LAWS * index + k];
        if (law == NULL) continue;
        scene.law = k;
        CardanStatus status = crd_expr_held_kinks(law, system->law_values, sides, values, &scene.inner);
        if (status < 0) return crd_force_failed(model, index, system, &scene, status, error);
        values += crd_expr_kink_count(law);
        if (sides != NULL) sides += crd_expr_kink_count(law);
    }
    return CARDAN_OK;
}

/* Laws of drives in t, of paths in s where the foot is predicted to be. A law without a value says nothing. */
static void element_kinks(const CardanModel *model, const CrdElement *element, CrdSystem *system, CrdJet *jets) {
    const CrdSide *sides = crd_element_sides(system, element);
    CrdJet t = system->drive_values[0];
    assert(element->first_switch >= model->structure->first_drive_switch);
    if (element->kind != NULL && element->kind->curve) system->drive_values[0].x = system->tracked[element->tracked];
    for (int k = 0; k < element->laws; k++) {
        const CrdExpr *law = model->structure->drives[element->law + k];
        int count = crd_expr_kink_count(law);
        CrdError ignored = {0};
        if (count == 0) continue;
        if (crd_expr_kink_jets(law, system->drive_values, sides, jets, &ignored) < 0)
            memset(jets, 0, (size_t)count * sizeof *jets);
        if (sides != NULL) sides += count;
        jets += count;
    }
    system->drive_values[0] = t;
}

static bool has_kinks(const CrdStructure *structure, const CrdElement *element) {
    for (int k = 0; k < element->laws; k++)
        if (crd_expr_kink_count(structure->drives[element->law + k]) > 0) return true;
    return false;
}

static void drive_kinks(const CardanModel *model, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    if (structure->first_drive_switch == structure->first_event) return;
    for (int i = 0; i < structure->element_count; i++)
        if (has_kinks(structure, &structure->elements[i]))
            element_kinks(model, &structure->elements[i], system,
                          system->switch_jets + structure->elements[i].first_switch);
}

/* What a user sees of the state: the frames asked for are gathered. */
static CardanEventView view_of(const CardanModel *model, const CrdEventDesc *event, const double *q, const double *v,
                               const CrdActions *actions, CrdSystem *system) {
    assert(event->def.bodies <= model->structure->max_gathered);
    for (int k = 0; k < event->def.bodies; k++) system->gathered[k] = system->frames[event->frames[k]];
    return (CardanEventView){.t = system->t,
                             .q = q,
                             .v = v,
                             .z = actions->states,
                             .frames = system->gathered,
                             .inputs = actions->inputs,
                             .parameters = model->values.parameters};
}

static CardanStatus user_event(const CardanModel *model, int index, const double *q, const double *v,
                               const CrdActions *actions, CrdSystem *system, double *value, CrdError *error) {
    const CrdEventDesc *event = &model->description->events[index];
    CardanEventView view = view_of(model, event, q, v, actions, system);
    *value = 0.0;
    CardanStatus status = event->def.function(event->def.user, &view, value);
    return crd_callback_ended(error, status, crd_are_finite(value, 1), system->t, "event '%s': its function",
                              event->name);
}

CardanStatus crd_switches(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                          CrdSystem *system, double *values, CrdError *error) {
    const CrdStructure *s = model->structure;
    if (s->switch_count == 0) return CARDAN_OK;
    assert(q == NULL || crd_stamp_at(&system->stamp, q));
    crd_begin_rows(model, actions, system);
    if (s->force_count > 0) CRD_TRY(crd_law_input(model, actions, system, error));
    for (int i = 0; i < s->force_count; i++) {
        const CrdForceStructure *structure = &s->force_structures[i];
        if (structure->switches == 0) continue;
        CRD_TRY(force_switches(model, i, actions, system, values + structure->first_switch, error));
    }
    drive_kinks(model, system);
    for (int i = s->first_drive_switch; i < s->first_event; i++) values[i] = system->switch_jets[i].x;
    for (int i = s->first_event; i < s->switch_count; i++)
        CRD_TRY(user_event(model, s->switches[i].object, q, v, actions, system, &values[i], error));
    return CARDAN_OK;
}

CardanStatus crd_event_reset(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                             const double *y, double *changed, CrdError *error) {
    const CrdEventDesc *event = &model->description->events[index];
    const CrdStructure *s = model->structure;
    assert(event->def.reset != NULL && crd_stamp_at(&system->stamp, y));
    CardanEventView view = view_of(model, event, y, y + s->nq, actions, system);
    CardanStatus status = event->def.reset(event->def.user, &view, changed, changed + s->nq, changed + s->nq + s->nv);
    bool finite = crd_are_finite(changed, (size_t)s->nq + (size_t)s->nv + (size_t)s->first_order);
    return crd_callback_ended(error, status, finite, system->t, "event '%s': its reset", event->name);
}

/* ---- what the time alone decides ---- */

static bool is_of_time(const CrdStructure *structure, int first, int count) {
    for (int i = first; i < first + count; i++)
        if (structure->switches[i].time_event) return true;
    return false;
}

static void law_kinks_at(const CrdExpr *law, CrdSystem *system, double t, const CrdSide *sides, CrdJet *jets) {
    CrdError ignored = {0};
    int count = crd_expr_kink_count(law);
    assert(system->law_jets[CRD_LAW_TIME].x == system->t); /* crd_law_input came before */
    CrdJet now = system->law_jets[CRD_LAW_TIME];
    system->law_jets[CRD_LAW_TIME] = (CrdJet){t, 1.0, 0.0};
    CardanStatus status = crd_expr_kink_jets(law, system->law_jets, sides, jets, &ignored);
    system->law_jets[CRD_LAW_TIME] = now;
    if (status < 0) memset(jets, 0, (size_t)count * sizeof *jets);
}

static void force_kinks_at(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system, double t,
                           CrdJet *jets) {
    const CrdForceKind *kind = crd_force_kinds[model->values.forces[index].type];
    CrdForceScene scene;
    CrdError ignored = {0};
    crd_force_scene(model, index, actions, system, &scene, &ignored);
    own_variables(model, index, &scene, system);
    for (int k = CRD_LAW_X; k <= CRD_LAW_V; k++) system->law_jets[k] = (CrdJet){system->law_values[k], 0.0, 0.0};
    jets += kind->switch_count;
    const CrdSide *sides = scene.input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = model->structure->laws[CRD_FORCE_LAWS * index + k];
        if (law == NULL || crd_expr_kink_count(law) == 0) continue;
        law_kinks_at(law, system, t, sides, jets);
        jets += crd_expr_kink_count(law);
        if (sides != NULL) sides += crd_expr_kink_count(law);
    }
}

void crd_time_switches(const CardanModel *model, const CrdActions *actions, CrdSystem *system, double t) {
    const CrdStructure *structure = model->structure;
    crd_begin_rows(model, actions, system);
    if (structure->force_count > 0) (void)crd_law_input(model, actions, system, NULL); /* of time alone: enough */
    for (int i = 0; i < structure->force_count; i++)
        if (is_of_time(structure, structure->force_structures[i].first_switch, structure->force_structures[i].switches))
            force_kinks_at(model, i, actions, system, t,
                           system->switch_jets + structure->force_structures[i].first_switch);
    if (structure->drive_count > 0) system->drive_values[0].x = t;
    drive_kinks(model, system);
    if (structure->drive_count > 0) system->drive_values[0].x = system->t;
}
