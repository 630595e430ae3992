/* Each column is what the kernel's `along` gives for a unit change: of a frame, of its motion, of a state. Laws follow
 * by the derivatives of the measures they read. */
#include "assembly/force_derivatives.h"

#include "assembly/force_scene.h"

#include <string.h>

void crd_load_derivatives_layout(CrdLoadDerivatives *out, const CrdShape *s, CrdArena *arena) {
    size_t n = 6 * (size_t)s->most_touched, reads = (size_t)s->most_read, real = sizeof(double);
    out->displacement = crd_take(arena, n * n, real);
    out->twist = crd_take(arena, n * n, real);
    out->state = crd_take(arena, n * reads, real);
    out->rate_displacement = crd_take(arena, CRD_FORCE_STATES * n, real);
    out->rate_twist = crd_take(arena, CRD_FORCE_STATES * n, real);
    out->rate_state = crd_take(arena, CRD_FORCE_STATES * reads, real);
}

typedef struct Work {
    const CardanModel *model;
    int index;
    const CrdForceShape *shape;
    CrdSystem *w;
    CrdForceScene scene;
    CrdError *error;
} Work;

/* Derivatives of the measures that the laws read. */
static void change_measures(Work *work) {
    const CardanModel *model = work->model;
    const CrdShape *s = model->shape;
    CrdSystem *w = work->w;
    for (int i = 0; i < work->shape->measures; i++) {
        int number = s->force_measures[work->shape->measure + i];
        const CrdLawMeasure *m = &s->law_measures[number];
        double *slope = &w->law_jets[crd_law_measures(s) + number].d1;
        if (crd_measures[m->measure].of == CRD_OF_BODY) {
            *slope = crd_measure_body_change(m->measure, &w->frames[m->object], &w->changes[m->object]);
            continue;
        }
        if (crd_measures[m->measure].of == CRD_OF_SPRING) {
            *slope = crd_spring_length_change(&model->numbers.forces[m->object], w->frames, w->changes);
            continue;
        }
        CrdCoordinate change;
        CrdPair pair = crd_pair_of(s, w, m->object);
        crd_joint_coordinate_change(crd_measures[m->measure].coordinate, &model->numbers.joints[m->object], &pair,
                                    &w->changes[crd_element_carrier(s, m->object, 0)],
                                    &w->changes[crd_element_carrier(s, m->object, 1)], &change);
        *slope = crd_measure_joint(m->measure, &change);
    }
}

/* Derivatives of values that follow laws of their own. */
static CardanStatus change_values(Work *work) {
    const CrdForceData *force = &work->model->numbers.forces[work->index];
    CrdExpr *const *laws = &work->model->shape->laws[CRD_FORCE_LAWS * work->index];
    memset(work->scene.value_change, 0, sizeof work->scene.value_change);
    if (force->type != CARDAN_FORCE && force->type != CARDAN_TORQUE) return CARDAN_OK;
    const CrdSide *sides = work->scene.input.law_sides;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        if (laws[k] == NULL) continue;
        CrdJet value;
        work->scene.law = k;
        CRD_TRY(crd_expr_held_slope(laws[k], work->w->law_jets, sides, &value, &work->scene.inner));
        if (sides != NULL) sides += crd_expr_kink_count(laws[k]);
        work->scene.value_change[k] = value.d1;
    }
    return CARDAN_OK;
}

static void change_coordinate(Work *work) {
    const CrdForceData *force = &work->model->numbers.forces[work->index];
    if (force->joint == 0) return;
    const CrdShape *s = work->model->shape;
    int e = s->element_of_joint[force->joint - 1];
    CrdPair pair = crd_pair_of(s, work->w, e);
    crd_joint_coordinate_change(crd_force_coordinate(work->model, work->index), &work->model->numbers.joints[e], &pair,
                                &work->w->changes[work->scene.input.joint_a],
                                &work->w->changes[work->scene.input.joint_b], &work->scene.coordinate_change);
}

/* Changes of all loads and rates along what stands in w->changes, scene.z_change and the jets of states. */
static CardanStatus look_along(Work *work, double *rates) {
    const CrdForceShape *shape = work->shape;
    const int *carrier = work->model->shape->force_carriers + shape->carrier;
    CrdLoads change = {.load = work->w->load_changes, .z_rate = rates};
    memset(work->w->load_changes[0], 0, sizeof *work->w->load_changes); /* of the ground */
    for (int i = 0; i < shape->carriers; i++)
        memset(work->w->load_changes[carrier[i]], 0, sizeof *work->w->load_changes);
    change_measures(work);
    change_coordinate(work);
    CardanStatus status = change_values(work);
    const CrdForceData *force = &work->model->numbers.forces[work->index];
    if (status >= 0) status = crd_force_kinds[force->type]->along(force, &work->scene.input, &change);
    if (status >= 0) return CARDAN_OK;
    return crd_force_failed(work->model, work->index, work->w, &work->scene, status, work->error);
}

static void put_column(const Work *work, const double *rates, double *loads, double *rate_rows, int width, int column) {
    const int *carrier = work->model->shape->force_carriers + work->shape->carrier;
    for (int i = 0; i < work->shape->carriers; i++)
        for (int r = 0; r < 6; r++)
            loads[(size_t)(6 * i + r) * (size_t)width + (size_t)column] = work->w->load_changes[carrier[i]][r];
    for (int i = 0; i < work->shape->states; i++) rate_rows[(size_t)i * (size_t)width + (size_t)column] = rates[i];
}

static CardanStatus frame_columns(Work *work, CrdLoadDerivatives *out) {
    const CrdShape *s = work->model->shape;
    int width = 6 * work->shape->carriers;
    for (int column = 0; column < 2 * width; column++) {
        int place = column % width, k = place % 6 + (column < width ? 0 : 6);
        double rates[CRD_FORCE_STATES] = {0};
        double *unit = crd_change_component(&work->w->changes[s->force_carriers[work->shape->carrier + place / 6]], k);
        *unit = crd_change_exists(s->space, k) ? 1.0 : 0.0;
        CardanStatus status = look_along(work, rates);
        *unit = 0.0;
        if (status < 0) return status;
        bool position = column < width;
        put_column(work, rates, position ? out->displacement : out->twist,
                   position ? out->rate_displacement : out->rate_twist, width, place);
    }
    return CARDAN_OK;
}

static CardanStatus state_columns(Work *work, CrdLoadDerivatives *out) {
    const CrdShape *s = work->model->shape;
    for (int i = 0; i < work->shape->reads; i++) {
        int state = s->force_states[work->shape->read + i], own = state - work->shape->state;
        double rates[CRD_FORCE_STATES] = {0}, *jet = &work->w->law_jets[crd_law_states(s) + state].d1;
        bool is_own = own >= 0 && own < work->shape->states;
        *jet = 1.0;
        if (is_own) work->scene.z_change[own] = 1.0;
        CardanStatus status = look_along(work, rates);
        *jet = 0.0;
        if (is_own) work->scene.z_change[own] = 0.0;
        if (status < 0) return status;
        put_column(work, rates, out->state, out->rate_state, work->shape->reads, i);
    }
    return CARDAN_OK;
}

CardanStatus crd_force_derivatives(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *w,
                                   CrdLoadDerivatives *out, CrdError *error) {
    const CrdForceShape *shape = &model->shape->force_shapes[index];
    Work work = {.model = model, .index = index, .shape = shape, .w = w, .error = error};
    CRD_TRY(crd_force_scene(model, index, actions, w, &work.scene, error));
    work.scene.input.changes = w->changes;
    work.scene.input.value_change = work.scene.value_change;
    work.scene.input.coordinate_change = &work.scene.coordinate_change;
    work.scene.input.law_jets = w->law_jets;
    work.scene.input.z_change = work.scene.z_change;
    work.scene.input.gathered_changes = w->gathered_changes;
    out->carriers = shape->carriers;
    out->carrier = model->shape->force_carriers + shape->carrier;
    out->reads = shape->reads;
    out->read = model->shape->force_states + shape->read;
    out->states = shape->states;
    CardanStatus status = frame_columns(&work, out);
    if (status >= 0) status = state_columns(&work, out);
    for (int i = 0; i < shape->measures; i++) /* as crd_law_input left them */
        w->law_jets[crd_law_measures(model->shape) + model->shape->force_measures[shape->measure + i]].d1 = 0.0;
    w->law_jets[CRD_LAW_X].d1 = w->law_jets[CRD_LAW_V].d1 = 0.0;
    return status;
}
