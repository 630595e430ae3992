/* Making, copying and freeing descriptions. A half-made object is always fit to be freed, so that running out of memory
 * in the middle of a copy needs no special care. */
#include "build/description.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

CrdDescription *crd_description_create(CardanSpace space) {
    CrdDescription *d = crd_new(1, sizeof *d);
    if (d == NULL) return NULL;
    d->space = space;
    d->options = cardan_default_options();
    d->name = crd_copy_string("unnamed");
    if (d->name == NULL || !crd_grow(&d->carriers, &d->carrier_capacity, 1, sizeof *d->carriers)) {
        crd_description_free(d);
        return NULL;
    }
    d->carrier_count = 1; /* zeroed: the ground */
    return d;
}

static void free_rows(CrdRowsDesc *rows) {
    if (rows == NULL) return;
    crd_delete(rows->carriers);
    crd_delete(rows);
}

static void free_force(CrdForceDesc *force) {
    crd_delete(force->name);
    for (int k = 0; k < 3; k++) crd_delete(force->law[k]);
    crd_delete(force->carriers);
}

static void free_states(CrdStatesDesc *states) {
    crd_delete(states->name);
    crd_delete(states->z0);
    crd_delete(states->carriers);
}

static void free_event(CrdEventDesc *event) {
    crd_delete(event->name);
    crd_delete(event->carriers);
}

static void free_block(CrdBlockDesc *block) {
    crd_delete(block->name);
    crd_delete(block->q0);
    crd_delete(block->v0);
}

static void free_parameter(CrdParameterDesc *parameter) {
    crd_delete(parameter->name);
    crd_expr_free(parameter->expression);
}

static void free_joint(CrdJointDesc *joint) {
    crd_delete(joint->name);
    for (int k = 0; k < 3; k++) crd_delete(joint->law[k]);
    free_rows(joint->rows);
}

void crd_description_free(CrdDescription *d) {
    if (d == NULL) return;
    for (int i = 0; i < d->parameter_count; i++) free_parameter(&d->parameters[i]);
    for (int i = 0; i < d->input_count; i++) crd_delete(d->inputs[i].name);
    for (int i = 0; i < d->body_count; i++) crd_delete(d->bodies[i].name);
    for (int i = 0; i < d->block_count; i++) free_block(&d->blocks[i]);
    for (int i = 0; i < d->joint_count; i++) free_joint(&d->joints[i]);
    for (int i = 0; i < d->force_count; i++) free_force(&d->forces[i]);
    for (int i = 0; i < d->states_count; i++) free_states(&d->states[i]);
    for (int i = 0; i < d->event_count; i++) free_event(&d->events[i]);
    for (int i = 0; i < d->binding_count; i++) crd_expr_free(d->bindings[i].expression);
    for (int i = 0; i < d->output_count; i++) crd_delete(d->outputs[i]);
    void *arrays[] = {d->name,   d->file,   d->parameters, d->parameter_values, d->inputs, d->bodies, d->blocks, d->carriers,
                      d->joints, d->forces, d->states,     d->bindings,         d->rates,  d->output_places, d->terms, d->events};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) crd_delete(arrays[i]);
    crd_delete(d->outputs);
    crd_names_free(&d->names);
    crd_names_free(&d->numbers);
    crd_delete(d);
}

/* ---- copies of single objects: false when out of memory, the copy is fit to be freed in any case ---- */

static bool copy_string(char **copy, const char *text) {
    *copy = text != NULL ? crd_copy_string(text) : NULL;
    return text == NULL || *copy != NULL;
}

static bool copy_array(void *copy, const void *array, int count, size_t size) {
    void *fresh = NULL;
    if (array != NULL) {
        fresh = crd_new((size_t)count, size);
        if (fresh != NULL) memcpy(fresh, array, (size_t)count * size);
    }
    memcpy(copy, &fresh, sizeof fresh);
    return array == NULL || fresh != NULL;
}

static bool copy_expression(CrdExpr **copy, const CrdExpr *expression) {
    *copy = expression != NULL ? crd_expr_clone(expression) : NULL;
    return expression == NULL || *copy != NULL;
}

static bool copy_parameter(CrdParameterDesc *copy, const CrdParameterDesc *parameter) {
    *copy = *parameter;
    bool name = copy_string(&copy->name, parameter->name);
    return copy_expression(&copy->expression, parameter->expression) && name;
}

static bool copy_block(CrdBlockDesc *copy, const CrdBlockDesc *block) {
    *copy = *block;
    int n = block->def.coordinates;
    bool name = copy_string(&copy->name, block->name);
    bool q0 = copy_array(&copy->q0, block->q0, n, sizeof *block->q0);
    return copy_array(&copy->v0, block->v0, n, sizeof *block->v0) && name && q0;
}

static bool copy_rows(CrdRowsDesc **copy, const CrdRowsDesc *rows) {
    *copy = NULL;
    if (rows == NULL) return true;
    CrdRowsDesc *fresh = crd_new(1, sizeof *fresh);
    if (fresh == NULL) return false;
    *fresh = *rows;
    *copy = fresh;
    return copy_array(&fresh->carriers, rows->carriers, rows->def.bodies, sizeof *rows->carriers);
}

static bool copy_joint(CrdJointDesc *copy, const CrdJointDesc *joint) {
    *copy = *joint;
    bool done = copy_string(&copy->name, joint->name);
    for (int k = 0; k < 3; k++) done = copy_string(&copy->law[k], joint->law[k]) && done;
    return copy_rows(&copy->rows, joint->rows) && done;
}

static bool copy_force(CrdForceDesc *copy, const CrdForceDesc *force) {
    *copy = *force;
    bool done = copy_string(&copy->name, force->name);
    for (int k = 0; k < 3; k++) done = copy_string(&copy->law[k], force->law[k]) && done;
    return copy_array(&copy->carriers, force->carriers, force->bodies, sizeof *force->carriers) && done;
}

static bool copy_states(CrdStatesDesc *copy, const CrdStatesDesc *states) {
    *copy = *states;
    bool name = copy_string(&copy->name, states->name);
    bool z0 = copy_array(&copy->z0, states->z0, states->def.count, sizeof *states->z0);
    return copy_array(&copy->carriers, states->carriers, states->def.bodies, sizeof *states->carriers) && name && z0;
}

static bool copy_event(CrdEventDesc *copy, const CrdEventDesc *event) {
    *copy = *event;
    bool name = copy_string(&copy->name, event->name);
    return copy_array(&copy->carriers, event->carriers, event->def.bodies, sizeof *event->carriers) && name;
}

/* ---- the whole ---- */

/* Arrays of the copy with the room of the original and nothing in them yet. */
static bool make_room(CrdDescription *copy, const CrdDescription *d) {
    return crd_grow(&copy->parameters, &copy->parameter_capacity, d->parameter_count, sizeof *d->parameters) &&
           crd_grow(&copy->parameter_values, &copy->value_capacity, d->parameter_count, sizeof *d->parameter_values) &&
           crd_grow(&copy->inputs, &copy->input_capacity, d->input_count, sizeof *d->inputs) &&
           crd_grow(&copy->bodies, &copy->body_capacity, d->body_count, sizeof *d->bodies) &&
           crd_grow(&copy->blocks, &copy->block_capacity, d->block_count, sizeof *d->blocks) &&
           crd_grow(&copy->carriers, &copy->carrier_capacity, d->carrier_count, sizeof *d->carriers) &&
           crd_grow(&copy->joints, &copy->joint_capacity, d->joint_count, sizeof *d->joints) &&
           crd_grow(&copy->terms, &copy->term_capacity, d->term_count, sizeof *d->terms) &&
           crd_grow(&copy->forces, &copy->force_capacity, d->force_count, sizeof *d->forces) &&
           crd_grow(&copy->states, &copy->states_capacity, d->states_count, sizeof *d->states) &&
           crd_grow(&copy->events, &copy->event_capacity, d->event_count, sizeof *d->events) &&
           crd_grow(&copy->bindings, &copy->binding_capacity, d->binding_count, sizeof *d->bindings) &&
           crd_grow(&copy->rates, &copy->rate_capacity, d->rate_count, sizeof *d->rates) &&
           crd_grow(&copy->outputs, &copy->output_capacity, d->output_count, sizeof *d->outputs) &&
           crd_grow(&copy->output_places, &copy->output_place_capacity, d->output_count, sizeof *d->output_places);
}

static bool copy_named_numbers(CrdDescription *copy, const CrdDescription *d) {
    for (int i = 0; i < d->parameter_count; i++) {
        copy->parameter_values[i] = d->parameter_values[i];
        if (!copy_parameter(&copy->parameters[copy->parameter_count++], &d->parameters[i])) return false;
        if (!crd_names_reserve(&copy->numbers)) return false;
        crd_names_put(&copy->numbers, copy->parameters[i].name, CRD_NAME_PARAMETER, i);
    }
    for (int i = 0; i < d->input_count; i++) {
        CrdInputDesc *input = &copy->inputs[copy->input_count++];
        *input = d->inputs[i];
        if (!copy_string(&input->name, d->inputs[i].name) || !crd_names_reserve(&copy->numbers)) return false;
        crd_names_put(&copy->numbers, input->name, CRD_NAME_INPUT, i);
    }
    return true;
}

static bool copy_bodies_and_blocks(CrdDescription *copy, const CrdDescription *d) {
    for (int i = 0; i < d->body_count; i++) {
        CrdBodyDesc *body = &copy->bodies[copy->body_count++];
        *body = d->bodies[i];
        if (!copy_string(&body->name, d->bodies[i].name) || !crd_names_reserve(&copy->names)) return false;
        crd_names_put(&copy->names, body->name, CRD_NAME_BODY, i);
    }
    for (int i = 0; i < d->block_count; i++) {
        if (!copy_block(&copy->blocks[copy->block_count++], &d->blocks[i])) return false;
        if (!crd_names_reserve(&copy->names)) return false;
        crd_names_put(&copy->names, copy->blocks[i].name, CRD_NAME_BLOCK, i);
    }
    memcpy(copy->carriers, d->carriers, (size_t)d->carrier_count * sizeof *d->carriers);
    copy->carrier_count = d->carrier_count;
    return true;
}

static bool copy_joints_and_forces(CrdDescription *copy, const CrdDescription *d) {
    for (int i = 0; i < d->joint_count; i++) {
        if (!copy_joint(&copy->joints[copy->joint_count++], &d->joints[i])) return false;
        if (!crd_names_reserve(&copy->names)) return false;
        crd_names_put(&copy->names, copy->joints[i].name, CRD_NAME_JOINT, i);
    }
    if (d->term_count > 0) memcpy(copy->terms, d->terms, (size_t)d->term_count * sizeof *d->terms);
    copy->term_count = d->term_count;
    for (int i = 0; i < d->force_count; i++) {
        if (!copy_force(&copy->forces[copy->force_count++], &d->forces[i])) return false;
        if (!crd_names_reserve(&copy->names)) return false;
        crd_names_put(&copy->names, copy->forces[i].name, CRD_NAME_FORCE, i);
    }
    return true;
}

static bool copy_rest(CrdDescription *copy, const CrdDescription *d) {
    for (int i = 0; i < d->states_count; i++) {
        if (!copy_states(&copy->states[copy->states_count++], &d->states[i])) return false;
        if (!crd_names_reserve(&copy->names)) return false;
        crd_names_put(&copy->names, copy->states[i].name, CRD_NAME_STATES, i);
    }
    for (int i = 0; i < d->event_count; i++) {
        if (!copy_event(&copy->events[copy->event_count++], &d->events[i])) return false;
        if (!crd_names_reserve(&copy->names)) return false;
        crd_names_put(&copy->names, copy->events[i].name, CRD_NAME_EVENT, i);
    }
    for (int i = 0; i < d->binding_count; i++) {
        CrdBinding *binding = &copy->bindings[copy->binding_count++];
        *binding = d->bindings[i];
        if (!copy_expression(&binding->expression, d->bindings[i].expression)) return false;
    }
    if (d->rate_count > 0) memcpy(copy->rates, d->rates, (size_t)d->rate_count * sizeof *d->rates);
    copy->rate_count = d->rate_count;
    for (int i = 0; i < d->output_count; i++) {
        copy->output_places[i] = d->output_places[i];
        if (!copy_string(&copy->outputs[copy->output_count++], d->outputs[i])) return false;
    }
    return true;
}

CrdDescription *crd_description_clone(const CrdDescription *d) {
    CrdDescription *copy = crd_new(1, sizeof *copy);
    if (copy == NULL) return NULL;
    copy->space = d->space;
    memcpy(copy->gravity, d->gravity, sizeof d->gravity);
    copy->start_positions = d->start_positions;
    copy->start_velocities = d->start_velocities;
    copy->options = d->options;
    bool done = copy_string(&copy->name, d->name) && copy_string(&copy->file, d->file) && make_room(copy, d) &&
                copy_named_numbers(copy, d) && copy_bodies_and_blocks(copy, d) && copy_joints_and_forces(copy, d) &&
                copy_rest(copy, d);
    if (done) return copy;
    crd_description_free(copy);
    return NULL;
}

const char *crd_carrier_name(const CrdDescription *d, int carrier, char *buffer, size_t size) {
    CrdCarrierDesc c = d->carriers[carrier];
    if (c.kind == CRD_CARRIER_GROUND) {
        snprintf(buffer, size, "ground");
    } else if (c.kind == CRD_CARRIER_BODY) {
        snprintf(buffer, size, "%s", d->bodies[c.object].name);
    } else {
        snprintf(buffer, size, "%s.%d", d->blocks[c.object].name, c.frame);
    }
    return buffer;
}
