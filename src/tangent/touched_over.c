/* Derivatives of the equations over parameters, by what these touch. */
#include "equations/element.h"
#include "equations/force_scene.h"
#include "equations/measures.h"
#include "tangent/touched.h"

#include <assert.h>
#include <string.h>

/* psi, on velocities of a body, times a load on its frame. */
static double times_load(const CrdStructure *structure, const double *psi, int frame, const double *load) {
    if (structure->frames[frame].block < 0) return 0.0;
    const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
    double sum = 0.0;
    assert(block->kind != CRD_CUSTOM_BLOCK);
    for (int k = 0; k < block->nv; k++) sum += psi[block->v + k] * load[crd_twist_component(block, k)];
    return sum;
}

/* ---- inertia, gravity ---- */

/* psi (M_p a - f_p) of one body, times the width; M and what gravity and turning make of it are linear in it. */
static double inertia_over(const CardanModel *model, const CrdKnob *knob, int index, const CrdWeighed *at) {
    const CrdBlock *block = &model->structure->blocks[index];
    const CrdBlockValues *low = &knob->low->values.blocks[index], *high = &knob->high->values.blocks[index];
    double mass = high->mass - low->mass, inertia[9], sum = 0.0;
    const double g[3] = {model->values.gravity.x, model->values.gravity.y, model->values.gravity.z}, *a = at->a;
    const double *psi = at->dynamics;
    int lengths = crd_block_lengths(model->structure, block);
    assert(!knob->wide && block->kind != CRD_CUSTOM_BLOCK);
    for (int k = 0; k < lengths; k++) sum += psi[block->v + k] * mass * (a[block->v + k] - g[k]);
    for (int k = 0; k < 9; k++) inertia[k] = high->inertia[k] - low->inertia[k];
    if (block->kind == CRD_PLANAR_BODY) sum += psi[block->v + 2] * inertia[8] * a[block->v + 2];
    if (block->kind == CRD_SPATIAL_BODY) {
        CrdVec w = crd_vec_of(at->v + block->v + 3);
        CrdVec moment = crd_add(crd_apply(inertia, crd_vec_of(a + block->v + 3)), crd_cross(w, crd_apply(inertia, w)));
        sum += crd_dot(crd_vec_of(psi + block->v + 3), moment);
    }
    return sum;
}

/* -psi m g_p of all bodies, times the width. */
static double gravity_over(const CardanModel *model, const CrdKnob *knob, const double *psi) {
    CrdVec change = crd_sub(knob->high->values.gravity, knob->low->values.gravity);
    const double g[3] = {change.x, change.y, change.z};
    double sum = 0.0;
    for (int i = 0; i < model->structure->block_count; i++) {
        const CrdBlock *block = &model->structure->blocks[i];
        for (int k = 0; k < crd_block_lengths(model->structure, block); k++)
            sum -= psi[block->v + k] * model->values.blocks[i].mass * g[k];
    }
    return sum;
}

/* ---- forces ---- */

static void use_parameters(const CardanModel *model, const CrdKnob *knob, CrdSystem *system) {
    for (int i = knob->first; i <= knob->last; i++)
        system->law_values[CRD_LAW_OWN + i] = system->law_jets[CRD_LAW_OWN + i].x = model->values.parameters[i];
}

/* Variables of laws as a model has them: the parameter, and the measures that a force reads. */
static CardanStatus use_variables(const CardanModel *model, const CrdKnob *knob, int index, CrdDynamics *dynamics) {
    const CrdStructure *structure = model->structure;
    const CrdForceStructure *force = &structure->force_structures[index];
    CrdSystem *system = &dynamics->system;
    double *values = system->law_values;
    use_parameters(model, knob, system);
    for (int i = 0; i < force->measures; i++) {
        int number = structure->force_measures[force->measure + i], at = crd_law_measures(structure) + number;
        CRD_TRY(crd_measure_value(model, &dynamics->actions, system, &structure->law_measures[number], &values[at],
                                  dynamics->error));
        system->law_jets[at].x = values[at];
    }
    return CARDAN_OK;
}

/* psi times loads and rates of a force with other numbers, its scene made ready. */
static CardanStatus product_of(const CrdTouches *touches, const CardanModel *other, int index, CrdForceScene *scene,
                               const CrdWeighed *at, double *sum) {
    const CrdStructure *structure = other->structure;
    const CrdForceStructure *it = &structure->force_structures[index];
    const CrdForceData *force = &other->values.forces[index];
    assert(it->states <= structure->first_order);
    CrdLoads loads = {.load = touches->load, .z_rate = touches->z_rate};
    CardanStatus status = crd_force_kinds[force->type]->apply(force, &scene->input, &loads);
    *sum = 0.0;
    for (int i = 0; i < it->frames; i++) {
        int frame = structure->force_frames[it->frame + i];
        *sum += times_load(structure, at->dynamics, frame, touches->load[frame]);
        memset(touches->load[frame], 0, sizeof *touches->load);
    }
    memset(touches->load[0], 0, sizeof *touches->load);
    for (int k = 0; k < it->states; k++) *sum += at->states[it->state + k] * touches->z_rate[k];
    return status;
}

/* The same with everything that it reads made ready for the other model. */
static CardanStatus deep_product(const CrdTouches *touches, const CardanModel *other, const CrdKnob *knob, int index,
                                 CrdDynamics *dynamics, const CrdWeighed *at, double *sum) {
    CrdForceScene scene;
    CRD_TRY(use_variables(other, knob, index, dynamics));
    CRD_TRY(crd_force_scene(other, index, &dynamics->actions, &dynamics->system, &scene, dynamics->error));
    CardanStatus status = product_of(touches, other, index, &scene, at, sum);
    return status < 0 ? crd_force_failed(other, index, &dynamics->system, &scene, status, dynamics->error) : CARDAN_OK;
}

/* The same where the parameter moves values of its laws, and numbers perhaps. */
static CardanStatus law_product(const CrdTouches *touches, const CardanModel *other, const CrdKnob *knob, int index,
                                CrdForceScene *scene, CrdDynamics *dynamics, const CrdWeighed *at, double *sum) {
    use_parameters(other, knob, &dynamics->system);
    CRD_TRY(crd_force_scene_values(other, index, &dynamics->system, scene, dynamics->error));
    return product_of(touches, other, index, scene, at, sum);
}

/* Numbers of another model, where no law gives them. */
static void use_numbers(const CardanModel *other, int index, CrdForceScene *scene) {
    const CrdForceData *force = &other->values.forces[index];
    if (force->scope == CRD_LAW_OF_TIME) return;
    for (int k = 0; k < CRD_FORCE_LAWS; k++)
        if (other->structure->laws[CRD_FORCE_LAWS * index + k] == NULL) scene->value[k] = force->value[k];
}

static CardanStatus force_over(const CrdTouches *touches, const CrdKnob *knob, CrdTouch touch, CrdForceScene *scene,
                               CrdDynamics *dynamics, const CrdWeighed *at, double *out) {
    const CardanModel *const models[2] = {knob->low, knob->high};
    int index = touch.object;
    double side[2];
    for (int i = 0; i < 2; i++) {
        CardanStatus status = CARDAN_OK;
        if (touch.depth == CRD_TOUCHES_READS) {
            CRD_TRY(deep_product(touches, models[i], knob, index, dynamics, at, &side[i]));
            continue;
        }
        use_numbers(models[i], index, scene);
        status = touch.depth == CRD_TOUCHES_LAWS
                     ? law_product(touches, models[i], knob, index, scene, dynamics, at, &side[i])
                     : product_of(touches, models[i], index, scene, at, &side[i]);
        if (status < 0)
            return crd_force_failed(dynamics->model, index, &dynamics->system, scene, status, dynamics->error);
    }
    *out = side[1] - side[0];
    if (touch.depth == CRD_TOUCHES_READS) return use_variables(dynamics->model, knob, index, dynamics);
    use_numbers(dynamics->model, index, scene);
    if (touch.depth == CRD_TOUCHES_NUMBERS) return CARDAN_OK;
    use_parameters(dynamics->model, knob, &dynamics->system);
    return crd_force_scene_values(dynamics->model, index, &dynamics->system, scene, dynamics->error);
}

static CardanStatus forces_over(const CrdTouches *touches, const CrdKnob *knob, CrdDynamics *dynamics,
                                const CrdWeighed *at, double s, double *derivative) {
    CrdForceScene scene;
    int ready = -1;
    for (int i = 0; i < touches->forces.count; i++) {
        CrdTouch touch = touches->forces.touch[i];
        double change = 0.0;
        if (touch.depth != CRD_TOUCHES_READS && ready != touch.object) {
            CRD_TRY(crd_force_scene(dynamics->model, touch.object, &dynamics->actions, &dynamics->system, &scene,
                                    dynamics->error));
            ready = touch.object;
        }
        CRD_TRY(force_over(touches, &knob[touch.knob], touch, &scene, dynamics, at, &change));
        derivative[touch.knob] -= s * change / knob[touch.knob].width;
    }
    return CARDAN_OK;
}

/* ---- elements ---- */

/* Row r of an element times x (nv). */
static double row_times(const CrdStructure *structure, const CrdElement *element, const CrdSystem *system, int r,
                        const double *x) {
    double sum = 0.0;
    for (int i = 0; i < element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[element->incidence + i];
        const double *piece = system->G + in->g + r * in->width;
        for (int k = 0; k < in->width; k++) sum += piece[k] * x[in->v + k];
    }
    return sum;
}

static void use_in_drives(const CardanModel *model, const CrdKnob *knob, CrdSystem *system) {
    for (int i = knob->first; model->structure->drive_count > 0 && i <= knob->last; i++)
        system->drive_values[1 + i].x = model->values.parameters[i];
}

/* Rows of an element as a model has them. */
static CardanStatus rows_of(const CardanModel *model, const CrdKnob *knob, int index, const double *q, const double *v,
                            CrdDynamics *dynamics) {
    use_in_drives(model, knob, &dynamics->system);
    return crd_element_rows(model, index, q, v, &dynamics->system, dynamics->error);
}

/* lambda G psi + psi_r (G a - gamma). */
static double weighed_rows(const CrdDynamics *dynamics, int index, const CrdWeighed *at) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdSystem *system = &dynamics->system;
    double sum = 0.0;
    for (int r = 0; r < element->rows; r++) {
        int row = element->first + r;
        sum += at->lambda[row] * row_times(structure, element, system, r, at->dynamics);
        if (dynamics->redundancy.count > 0 && dynamics->redundancy.is_dropped[row]) continue;
        sum += at->rows[row] * (row_times(structure, element, system, r, at->a) - system->gamma[row]);
    }
    return sum;
}

/* -psi f of a compliant joint. */
static CardanStatus compliant_product(const CardanModel *model, const CrdKnob *knob, int index, CrdDynamics *dynamics,
                                      const CrdWeighed *at, double *sum) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    CrdSystem *system = &dynamics->system;
    double h[CRD_JOINT_ROWS];
    use_in_drives(model, knob, system);
    CRD_TRY(crd_compliant_rows(model, index, system, h, dynamics->error));
    *sum = 0.0;
    for (int i = 0; i < element->attachments; i++)
        for (int r = 0; r < element->compliant; r++)
            *sum += h[r] * times_load(structure, at->dynamics, structure->attachments[element->attachment + i].frame,
                                      system->twist_rows[i * element->compliant + r]);
    return CARDAN_OK;
}

static CardanStatus element_over(const CrdKnob *knob, int index, CrdDynamics *dynamics, const CrdWeighed *at,
                                 double *out) {
    const CardanModel *const models[3] = {knob->low, knob->high, dynamics->model}; /* the last puts all back */
    double side[3];
    for (int i = 0; i < 3; i++) {
        if (dynamics->model->structure->elements[index].compliant > 0) {
            CRD_TRY(compliant_product(models[i], knob, index, dynamics, at, &side[i]));
            continue;
        }
        CRD_TRY(rows_of(models[i], knob, index, at->q, at->v, dynamics));
        side[i] = weighed_rows(dynamics, index, at);
    }
    *out = side[1] - side[0];
    return CARDAN_OK;
}

CardanStatus crd_touches_over(const CrdTouches *touches, int knobs, const CrdKnob *knob, CrdDynamics *dynamics,
                              const CrdWeighed *at, double s, double *derivative) {
    const CardanModel *model = dynamics->model;
    for (int i = 0; i < touches->blocks.count; i++) {
        CrdTouch touch = touches->blocks.touch[i];
        derivative[touch.knob] += s * inertia_over(model, &knob[touch.knob], touch.object, at) / knob[touch.knob].width;
    }
    for (int k = 0; k < knobs; k++)
        if (knob[k].heaves && !knob[k].wide)
            derivative[k] += s * gravity_over(model, &knob[k], at->dynamics) / knob[k].width;
    CRD_TRY(forces_over(touches, knob, dynamics, at, s, derivative));
    for (int i = 0; i < touches->elements.count; i++) {
        CrdTouch touch = touches->elements.touch[i];
        double change;
        CRD_TRY(element_over(&knob[touch.knob], touch.object, dynamics, at, &change));
        derivative[touch.knob] += s * change / knob[touch.knob].width;
    }
    return CARDAN_OK;
}

/* ---- rows at the level of places and velocities ---- */

CardanStatus crd_touches_rows(const CrdTouches *touches, const CrdKnob *knob, CrdDynamics *dynamics, const double *q,
                              const double *v, const double *weight, double *derivative) {
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    for (int i = 0; i < touches->elements.count; i++) {
        CrdTouch touch = touches->elements.touch[i];
        const CrdKnob *own = &knob[touch.knob];
        const CrdElement *element = &structure->elements[touch.object];
        const CardanModel *const models[3] = {own->low, own->high, dynamics->model};
        const double sign[3] = {-1.0 / own->width, 1.0 / own->width, 0.0};
        for (int side = 0; element->rows > 0 && side < 3; side++) {
            CRD_TRY(rows_of(models[side], own, touch.object, q, v, dynamics));
            for (int r = 0; r < element->rows; r++) {
                int row = element->first + r;
                double rate = system->rate_t[row] + row_times(structure, element, system, r, v);
                derivative[touch.knob] +=
                    sign[side] * (weight[row] * system->g[row] + weight[structure->rows + row] * rate);
            }
        }
    }
    return CARDAN_OK;
}
