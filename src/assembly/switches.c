/* Switching functions: their zeros are the kinks of forces and laws. Filled from the frames measured last, in this
 * order: for each force those of its record (force.h), then those of its laws (crd_expr_kinks).
 *
 * An event locator compares the signs at both ends of a step; a number that is 0 says nothing (a branch that is not
 * taken, a law that is not active) and is no event by itself. The step that ends at a zero has crossed it. */
#include "assembly/element.h"
#include "assembly/force_scene.h"

#include <string.h>

/* A law in x and v is looked at where the kernel looks at it. */
static void own_variables(const CardanModel *model, int index, const CrdForceScene *scene, CrdSystem *w) {
    const CrdForceData *f = &model->numbers.forces[index];
    double x = 0.0, v = 0.0;
    if (f->type == CARDAN_TORSION) {
        x = scene->coordinate.value - f->angle;
        v = scene->coordinate.rate;
    }
    if (f->type == CARDAN_SPRING) {
        CrdPoint a = crd_point_of(&w->frames[f->a], f->point_a), b = crd_point_of(&w->frames[f->b], f->point_b);
        CrdVec d = crd_sub(b.p, a.p);
        double distance = crd_norm(d);
        x = distance - f->length;
        if (distance > 0.0) v = crd_dot(d, crd_sub(b.u, a.u)) / distance;
    }
    w->law_values[CRD_LAW_X] = x;
    w->law_values[CRD_LAW_V] = v;
}

static CardanStatus force_switches(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *w,
                                   double *values, CrdError *error) {
    const CrdForceKind *kind = crd_force_kinds[model->numbers.forces[index].type];
    CrdForceScene scene;
    CRD_TRY(crd_force_scene(model, index, actions, w, &scene, error));
    if (kind->switches != NULL) kind->switches(&model->numbers.forces[index], &scene.input, values);
    values += kind->switch_count;
    own_variables(model, index, &scene, w);
    const CrdSide *sides = scene.input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = model->shape->laws[CRD_FORCE_LAWS * index + k];
        if (law == NULL) continue;
        scene.law = k;
        CardanStatus status = crd_expr_held_kinks(law, w->law_values, sides, values, &scene.inner);
        if (status < 0) return crd_force_failed(model, index, w, &scene, status, error);
        values += crd_expr_kink_count(law);
        if (sides != NULL) sides += crd_expr_kink_count(law);
    }
    return CARDAN_OK;
}

/* Laws of drives in t, of paths in s where the foot is predicted to be. A law without a value says nothing. */
static void element_kinks(const CardanModel *model, const CrdElement *e, CrdSystem *w, CrdJet *jets) {
    const CrdSide *sides = crd_element_sides(w, e);
    CrdJet t = w->drive_values[0];
    if (e->kind != NULL && (e->kind->needs & CRD_NEEDS_CURVE)) w->drive_values[0].x = w->followers[e->follower];
    for (int k = 0; k < e->laws; k++) {
        const CrdExpr *law = model->shape->drives[e->law + k];
        int count = crd_expr_kink_count(law);
        CrdError ignored = {0};
        if (count == 0) continue;
        if (crd_expr_kink_jets(law, w->drive_values, sides, jets, &ignored) < 0)
            memset(jets, 0, (size_t)count * sizeof *jets);
        if (sides != NULL) sides += count;
        jets += count;
    }
    w->drive_values[0] = t;
}

static bool has_kinks(const CrdShape *s, const CrdElement *e) {
    for (int k = 0; k < e->laws; k++)
        if (crd_expr_kink_count(s->drives[e->law + k]) > 0) return true;
    return false;
}

static void drive_kinks(const CardanModel *model, CrdSystem *w) {
    const CrdShape *s = model->shape;
    if (s->first_drive_switch == s->first_event) return;
    for (int i = 0; i < s->element_count; i++)
        if (has_kinks(s, &s->elements[i]))
            element_kinks(model, &s->elements[i], w, w->switch_jets + s->elements[i].first_switch);
}

static CardanStatus user_event(const CardanModel *model, int index, const CardanEventView *seen, CrdSystem *w,
                               double *value, CrdError *error) {
    const CrdEventDesc *event = &model->description->events[index];
    CardanEventView view = *seen;
    view.frames = w->gathered;
    for (int k = 0; k < event->def.bodies; k++) w->gathered[k] = w->frames[event->carriers[k]];
    *value = 0.0;
    CardanStatus status = event->def.function(event->def.user, &view, value);
    if (status >= 0 && *value - *value != 0.0) status = CARDAN_ERR_NUMERIC; /* not finite */
    if (status >= 0) return CARDAN_OK;
    return crd_fail(error, status, "event '%s': its function failed at t = %.9g", event->name, w->t);
}

CardanStatus crd_switches(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                          CrdSystem *w, double *values, CrdError *error) {
    const CrdShape *s = model->shape;
    if (s->switch_count == 0) return CARDAN_OK;
    crd_begin_rows(model, actions, w);
    if (s->force_count > 0) crd_law_input(model, actions, w);
    for (int i = 0; i < s->force_count; i++) {
        const CrdForceShape *shape = &s->force_shapes[i];
        if (shape->switches == 0) continue;
        CRD_TRY(force_switches(model, i, actions, w, values + shape->first_switch, error));
    }
    drive_kinks(model, w);
    for (int i = s->first_drive_switch; i < s->first_event; i++) values[i] = w->switch_jets[i].x;
    CardanEventView view = {.t = w->t, .q = q, .v = v, .z = actions->states, .inputs = actions->inputs};
    for (int i = s->first_event; i < s->switch_count; i++)
        CRD_TRY(user_event(model, s->switches[i].object, &view, w, &values[i], error));
    return CARDAN_OK;
}

/* ---- what the time alone decides ---- */

static bool is_timely(const CrdShape *s, int first, int count) {
    for (int i = first; i < first + count; i++)
        if (s->switches[i].timely) return true;
    return false;
}

static void law_kinks_at(const CrdExpr *law, CrdSystem *w, double t, const CrdSide *sides, CrdJet *jets) {
    CrdError ignored = {0};
    int count = crd_expr_kink_count(law);
    CrdJet now = w->law_jets[CRD_LAW_TIME];
    w->law_jets[CRD_LAW_TIME] = (CrdJet){t, 1.0, 0.0};
    CardanStatus status = crd_expr_kink_jets(law, w->law_jets, sides, jets, &ignored);
    w->law_jets[CRD_LAW_TIME] = now;
    if (status < 0) memset(jets, 0, (size_t)count * sizeof *jets);
}

static void force_kinks_at(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *w, double t,
                           CrdJet *jets) {
    const CrdForceKind *kind = crd_force_kinds[model->numbers.forces[index].type];
    CrdForceScene scene;
    CrdError ignored = {0};
    crd_force_scene(model, index, actions, w, &scene, &ignored);
    own_variables(model, index, &scene, w);
    for (int k = CRD_LAW_X; k <= CRD_LAW_V; k++) w->law_jets[k] = (CrdJet){w->law_values[k], 0.0, 0.0};
    jets += kind->switch_count;
    const CrdSide *sides = scene.input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = model->shape->laws[CRD_FORCE_LAWS * index + k];
        if (law == NULL || crd_expr_kink_count(law) == 0) continue;
        law_kinks_at(law, w, t, sides, jets);
        jets += crd_expr_kink_count(law);
        if (sides != NULL) sides += crd_expr_kink_count(law);
    }
}

void crd_timely_switches(const CardanModel *model, const CrdActions *actions, CrdSystem *w, double t) {
    const CrdShape *s = model->shape;
    crd_begin_rows(model, actions, w);
    if (s->force_count > 0) crd_law_input(model, actions, w);
    for (int i = 0; i < s->force_count; i++)
        if (is_timely(s, s->force_shapes[i].first_switch, s->force_shapes[i].switches))
            force_kinks_at(model, i, actions, w, t, w->switch_jets + s->force_shapes[i].first_switch);
    if (s->drive_count > 0) w->drive_values[0].x = t;
    drive_kinks(model, w);
    if (s->drive_count > 0) w->drive_values[0].x = w->t;
}
