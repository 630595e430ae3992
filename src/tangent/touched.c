#include "tangent/touched.h"

#include "equations/force_scene.h"

#include <assert.h>
#include <string.h>

/* ---- what differs ---- */

static bool differ(const void *a, const void *b, size_t count, size_t size) {
    return count > 0 && memcmp(a, b, count * size) != 0;
}

static bool law_reads(const CrdStructure *structure, int parameter) {
    for (int i = 0; i < CRD_FORCE_LAWS * structure->force_count; i++)
        if (structure->laws[i] != NULL && crd_expr_uses(structure->laws[i], CRD_LAW_OWN + parameter)) return true;
    return structure->drive_count > 0; /* their laws are in the rows */
}

static bool is_wide(const CardanModel *model, const CardanModel *other, int parameter) {
    const CrdStructure *structure = model->structure;
    const CrdValues *a = &model->values, *b = &other->values;
    return differ(&a->gravity, &b->gravity, 1, sizeof a->gravity) ||
           differ(a->joints, b->joints, (size_t)structure->element_count, sizeof *a->joints) ||
           differ(a->coefficients, b->coefficients, (size_t)structure->term_count, sizeof *a->coefficients) ||
           differ(a->tracked, b->tracked, (size_t)structure->tracked_count, sizeof *a->tracked) ||
           differ(a->markers, b->markers, (size_t)structure->marker_count, sizeof *a->markers) ||
           structure->size_custom > 0 || structure->states_count > 0 || law_reads(structure, parameter);
}

static bool start_moves(const CardanModel *model, const CardanModel *other) {
    const CrdStructure *structure = model->structure;
    const CrdValues *a = &model->values, *b = &other->values;
    return differ(a->q0, b->q0, (size_t)structure->nq, sizeof *a->q0) ||
           differ(a->v0, b->v0, (size_t)structure->nv, sizeof *a->v0) ||
           differ(a->z0, b->z0, (size_t)structure->first_order, sizeof *a->z0);
}

static bool block_differs(const CrdBlockValues *a, const CrdBlockValues *b) {
    return a->mass != b->mass || differ(a->inertia, b->inertia, 9, sizeof *a->inertia);
}

static bool values_differ(const CrdForceData *a, const CrdForceData *b) {
    return differ(a->value, b->value, CRD_FORCE_LAWS, sizeof *a->value);
}

static bool points_differ(const CrdForceData *a, const CrdForceData *b) {
    for (int i = 0; i < a->points; i++)
        if (a->point[i].frame != b->point[i].frame || differ(a->point[i].local, b->point[i].local, 3, sizeof(double)))
            return true;
    return false;
}

static bool force_differs(const CrdForceData *a, const CrdForceData *b) {
    return values_differ(a, b) || points_differ(a, b) || differ(&a->numbers, &b->numbers, 1, sizeof a->numbers);
}

/* A force with laws has values of them among its own: these are not told apart here. */
static bool has_law(const CrdStructure *structure, int force) {
    for (int k = 0; k < CRD_FORCE_LAWS; k++)
        if (structure->laws[CRD_FORCE_LAWS * force + k] != NULL) return true;
    return false;
}

static void look_at_knob(const CardanModel *model, CrdKnob *knob) {
    const CrdStructure *structure = model->structure;
    const CardanModel *const others[2] = {knob->low, knob->high};
    for (int side = 0; side < 2; side++) {
        const CrdValues *values = &others[side]->values;
        knob->wide |= is_wide(model, others[side], knob->parameter);
        knob->start |= start_moves(model, others[side]);
        for (int i = 0; i < structure->block_count; i++)
            knob->heavy |= block_differs(&model->values.blocks[i], &values->blocks[i]);
        for (int i = 0; !knob->wide && i < structure->force_count; i++)
            knob->wide = has_law(structure, i) && force_differs(&model->values.forces[i], &values->forces[i]);
    }
}

/* ---- lists ---- */

/* Notes who touches what, or counts it where lists are NULL. */
static void list(const CardanModel *model, int knobs, const CrdKnob *knob, CrdTouches *out) {
    const CrdStructure *structure = model->structure;
    out->blocks = out->forces = 0;
    for (int i = 0; i < structure->block_count; i++)
        for (int k = 0; k < knobs; k++) {
            if (knob[k].low == NULL || knob[k].wide) continue;
            if (!block_differs(&knob[k].low->values.blocks[i], &knob[k].high->values.blocks[i])) continue;
            if (out->block != NULL) out->block[out->blocks] = (CrdTouch){i, k};
            out->blocks++;
        }
    for (int i = 0; i < structure->force_count; i++)
        for (int k = 0; k < knobs; k++) {
            if (knob[k].low == NULL || knob[k].wide) continue;
            if (!force_differs(&knob[k].low->values.forces[i], &knob[k].high->values.forces[i])) continue;
            if (out->force != NULL) out->force[out->forces] = (CrdTouch){i, k};
            out->forces++;
        }
}

CardanStatus crd_touches_create(const CardanModel *model, int knobs, CrdKnob *knob, CrdTouches *out, CrdError *error) {
    assert(knobs >= 0 && (knobs == 0 || knob != NULL));
    *out = (CrdTouches){0};
    for (int k = 0; k < knobs; k++)
        if (knob[k].low != NULL) look_at_knob(model, &knob[k]);
    list(model, knobs, knob, out);
    out->block = crd_new((size_t)out->blocks, sizeof *out->block);
    out->force = crd_new((size_t)out->forces, sizeof *out->force);
    out->load = crd_new((size_t)model->structure->frame_count, sizeof *out->load);
    out->z_rate = crd_new((size_t)model->structure->first_order, sizeof *out->z_rate);
    if (out->block == NULL || out->force == NULL || out->load == NULL || out->z_rate == NULL)
        return crd_fail_memory(error);
    list(model, knobs, knob, out);
    return CARDAN_OK;
}

void crd_touches_free(CrdTouches *touches) {
    CRD_DELETE_ALL(touches->block, touches->force, touches->load, touches->z_rate);
}

/* ---- inertia ---- */

/* psi (M_p a - f_p) of one body, times the width; M and what gravity and turning make of it are linear in it. */
static double inertia_over(const CardanModel *model, const CrdKnob *knob, const CrdBlock *block, int index,
                           const double *a, const double *v, const double *psi) {
    assert(knob->low != NULL && !knob->wide && block->kind != CRD_CUSTOM_BLOCK);
    const CrdBlockValues *low = &knob->low->values.blocks[index], *high = &knob->high->values.blocks[index];
    double mass = high->mass - low->mass, inertia[9], sum = 0.0;
    const double g[3] = {model->values.gravity.x, model->values.gravity.y, model->values.gravity.z};
    int lengths = crd_block_lengths(model->structure, block);
    for (int k = 0; k < lengths; k++) sum += psi[block->v + k] * mass * (a[block->v + k] - g[k]);
    for (int k = 0; k < 9; k++) inertia[k] = high->inertia[k] - low->inertia[k];
    if (block->kind == CRD_PLANAR_BODY) sum += psi[block->v + 2] * inertia[8] * a[block->v + 2];
    if (block->kind == CRD_SPATIAL_BODY) {
        CrdVec w = crd_vec_of(v + block->v + 3);
        CrdVec moment = crd_add(crd_apply(inertia, crd_vec_of(a + block->v + 3)), crd_cross(w, crd_apply(inertia, w)));
        sum += crd_dot(crd_vec_of(psi + block->v + 3), moment);
    }
    return sum;
}

/* ---- forces ---- */

static int component(const CrdBlock *block, int k) {
    return block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k;
}

/* psi times loads and rates of a force with other numbers, its scene made ready. */
static CardanStatus product_of(const CrdTouches *touches, const CardanModel *other, int index, CrdForceScene *scene,
                               const double *psi_v, const double *psi_z, double *sum) {
    const CrdStructure *structure = other->structure;
    const CrdForceStructure *it = &structure->force_structures[index];
    const CrdForceData *force = &other->values.forces[index];
    assert(it->states <= structure->first_order);
    CrdLoads loads = {.load = touches->load, .z_rate = touches->z_rate};
    if (!has_law(structure, index)) memcpy(scene->value, force->value, sizeof scene->value);
    CardanStatus status = crd_force_kinds[force->type]->apply(force, &scene->input, &loads);
    *sum = 0.0;
    for (int i = 0; i < it->frames; i++) {
        int frame = structure->force_frames[it->frame + i];
        const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
        for (int k = 0; k < block->nv; k++) *sum += psi_v[block->v + k] * touches->load[frame][component(block, k)];
        memset(touches->load[frame], 0, sizeof *touches->load);
    }
    memset(touches->load[0], 0, sizeof *touches->load);
    for (int k = 0; k < it->states; k++) *sum += psi_z[it->state + k] * touches->z_rate[k];
    return status;
}

static CardanStatus force_over(const CrdTouches *touches, const CrdKnob *knob, int index, CrdForceScene *scene,
                               const double *psi_v, const double *psi_z, double *out) {
    double low, high;
    CRD_TRY(product_of(touches, knob->low, index, scene, psi_v, psi_z, &low));
    CRD_TRY(product_of(touches, knob->high, index, scene, psi_v, psi_z, &high));
    *out = high - low;
    return CARDAN_OK;
}

CardanStatus crd_touches_over(const CrdTouches *touches, const CrdKnob *knob, CrdDynamics *dynamics, const double *a,
                              const double *v, const double *psi_v, const double *psi_z, double s, double *derivative) {
    const CardanModel *model = dynamics->model;
    CrdForceScene scene;
    for (int i = 0; i < touches->blocks; i++) {
        CrdTouch touch = touches->block[i];
        const CrdBlock *block = &model->structure->blocks[touch.object];
        derivative[touch.knob] +=
            s * inertia_over(model, &knob[touch.knob], block, touch.object, a, v, psi_v) / knob[touch.knob].width;
    }
    for (int i = 0; i < touches->forces; i++) {
        CrdTouch touch = touches->force[i];
        assert(i == 0 || touches->force[i - 1].object <= touch.object);
        double change = 0.0;
        if (i == 0 || touches->force[i - 1].object != touch.object)
            CRD_TRY(
                crd_force_scene(model, touch.object, &dynamics->actions, &dynamics->system, &scene, dynamics->error));
        CardanStatus status = force_over(touches, &knob[touch.knob], touch.object, &scene, psi_v, psi_z, &change);
        if (status < 0)
            return crd_force_failed(model, touch.object, &dynamics->system, &scene, status, dynamics->error);
        derivative[touch.knob] -= s * change / knob[touch.knob].width;
    }
    return CARDAN_OK;
}
