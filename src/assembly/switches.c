/* Switching functions: their zeros are the kinks of forces and laws. Filled from the frames measured last, in this
 * order: for each force those of its record (force.h), then those of its laws (crd_expr_kinks).
 *
 * An event locator compares the signs at both ends of a step; a number that is 0 says nothing (a branch that is not
 * taken, a law that is not active) and is no event by itself. The step that ends at a zero has crossed it. */
#include "assembly/force_scene.h"

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
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = model->shape->laws[CRD_FORCE_LAWS * index + k];
        if (law == NULL) continue;
        scene.law = k;
        CardanStatus status = crd_expr_kinks(law, w->law_values, values, &scene.inner);
        if (status < 0) return crd_force_failed(model, index, w, &scene, status, error);
        values += crd_expr_kink_count(law);
    }
    return CARDAN_OK;
}

CardanStatus crd_switches(const CardanModel *model, const CrdActions *actions, CrdSystem *w, double *values,
                          CrdError *error) {
    const CrdShape *s = model->shape;
    if (s->switch_count == 0) return CARDAN_OK;
    crd_law_input(model, actions, w);
    for (int i = 0; i < s->force_count; i++) {
        const CrdForceShape *shape = &s->force_shapes[i];
        if (shape->switches == 0) continue;
        CRD_TRY(force_switches(model, i, actions, w, values + shape->first_switch, error));
    }
    return CARDAN_OK;
}
