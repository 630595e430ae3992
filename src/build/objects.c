#include "build/objects.h"

#include "core/memory.h"
#include "expr/program.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- names ---- */

static CrdPlace place_of_named(const CrdDescription *d, CrdNamed named) {
    switch (named.kind) {
    case CRD_NAME_BODY:
        return d->bodies[named.index].place;
    case CRD_NAME_BLOCK:
        return d->blocks[named.index].place;
    case CRD_NAME_JOINT:
        return d->joints[named.index].place;
    case CRD_NAME_FORCE:
        return d->forces[named.index].place;
    case CRD_NAME_STATES:
    case CRD_NAME_EVENT:
        break;
    case CRD_NAME_PARAMETER:
        return d->parameters[named.index].place;
    case CRD_NAME_INPUT:
        return d->inputs[named.index].place;
    case CRD_NAME_NONE:
        break;
    }
    return (CrdPlace){0, 0};
}

static CardanStatus check_reserved(CrdNameKind kind, const char *name, size_t length, CrdError *error) {
    const char *why = NULL;
    if (kind == CRD_NAME_PARAMETER || kind == CRD_NAME_INPUT) {
        if (strcmp(name, "t") == 0) why = "the time";
        if (strcmp(name, "pi") == 0) why = "a number";
        if (crd_function_find(name, length) != NULL) why = "a function";
    } else if (strcmp(name, "ground") == 0) {
        why = "what stands still";
    }
    if (why == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "the name '%s' is reserved: it is %s", name, why);
}

CardanStatus crd_check_name(const CrdDescription *d, CrdNameKind kind, const char *name, CrdError *error) {
    const char *word = crd_name_kind_word(kind);
    if (name == NULL || name[0] == '\0') return crd_fail(error, CARDAN_ERR_MODEL, "%s needs a name", word);
    size_t length = strlen(name);
    if (!crd_is_name(name, length)) {
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s' is no name: a name is a letter or _, then letters, digits and _",
                        crd_shown(name, length).text);
    }
    CRD_TRY(check_reserved(kind, name, length, error));
    bool number = kind == CRD_NAME_PARAMETER || kind == CRD_NAME_INPUT;
    CrdNamed taken = crd_names_find(number ? &d->numbers : &d->names, name, length);
    if (taken.kind == CRD_NAME_NONE) return CARDAN_OK;
    CrdPlace place = place_of_named(d, taken);
    if (place.line == 0) {
        return crd_fail(error, CARDAN_ERR_MODEL, "the name '%s' is taken by %s already", crd_shown(name, length).text,
                        crd_name_kind_word(taken.kind));
    }
    return crd_fail(error, CARDAN_ERR_MODEL, "the name '%s' is taken by %s in line %d already",
                    crd_shown(name, length).text, crd_name_kind_word(taken.kind), place.line);
}

/* ---- numbers with names ---- */

CardanStatus crd_add_parameter(CrdDescription *d, const CrdParameterDesc *parameter, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_PARAMETER, parameter->name, error));
    if (!isfinite(parameter->value))
        return crd_fail(error, CARDAN_ERR_MODEL, "parameter '%s' is not finite", parameter->name);
    int n = d->parameter_count;
    if (!crd_grow(&d->parameters, &d->parameter_capacity, n + 1, sizeof *d->parameters) ||
        !crd_grow(&d->parameter_values, &d->value_capacity, n + 1, sizeof *d->parameter_values) ||
        !crd_names_reserve(&d->numbers))
        return crd_fail_memory(error);
    d->parameters[n] = *parameter;
    d->parameter_values[n] = parameter->value;
    d->parameter_count++;
    crd_names_put(&d->numbers, parameter->name, CRD_NAME_PARAMETER, n);
    return CARDAN_OK;
}

CardanStatus crd_add_input(CrdDescription *d, const CrdInputDesc *input, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_INPUT, input->name, error));
    if (!isfinite(input->value)) return crd_fail(error, CARDAN_ERR_MODEL, "input '%s' is not finite", input->name);
    int n = d->input_count;
    if (!crd_grow(&d->inputs, &d->input_capacity, n + 1, sizeof *d->inputs) || !crd_names_reserve(&d->numbers))
        return crd_fail_memory(error);
    d->inputs[n] = *input;
    d->input_count++;
    crd_names_put(&d->numbers, input->name, CRD_NAME_INPUT, n);
    return CARDAN_OK;
}

/* ---- things that move ---- */

CardanStatus crd_add_body(CrdDescription *d, const CrdBodyDesc *body, CrdBlame *blame, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_BODY, body->name, error));
    CRD_TRY(crd_check_body(d, body, blame, error));
    int n = d->body_count;
    if (!crd_grow(&d->bodies, &d->body_capacity, n + 1, sizeof *d->bodies) ||
        !crd_grow(&d->carriers, &d->carrier_capacity, d->carrier_count + 1, sizeof *d->carriers) ||
        !crd_names_reserve(&d->names))
        return crd_fail_memory(error);
    d->bodies[n] = *body;
    d->body_count++;
    d->carriers[d->carrier_count++] = (CrdCarrierDesc){CRD_CARRIER_BODY, n, 0};
    crd_names_put(&d->names, body->name, CRD_NAME_BODY, n);
    return CARDAN_OK;
}

CardanStatus crd_add_block(CrdDescription *d, const CrdBlockDesc *block, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_BLOCK, block->name, error));
    int n = d->block_count, frames = block->def.frames;
    if (frames > INT_MAX - d->carrier_count ||
        !crd_grow(&d->carriers, &d->carrier_capacity, d->carrier_count + frames, sizeof *d->carriers) ||
        !crd_grow(&d->blocks, &d->block_capacity, n + 1, sizeof *d->blocks) || !crd_names_reserve(&d->names))
        return crd_fail_memory(error);
    d->blocks[n] = *block;
    d->blocks[n].first_carrier = d->carrier_count;
    d->block_count++;
    for (int k = 0; k < frames; k++) d->carriers[d->carrier_count++] = (CrdCarrierDesc){CRD_CARRIER_FRAME, n, k};
    crd_names_put(&d->names, block->name, CRD_NAME_BLOCK, n);
    return CARDAN_OK;
}

/* ---- what joins and drives them ---- */

CardanStatus crd_add_joint(CrdDescription *d, const CrdJointDesc *joint, CrdBlame *blame, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_JOINT, joint->name, error));
    CRD_TRY(crd_check_joint(d, joint, blame, error));
    int n = d->joint_count;
    if (!crd_grow(&d->joints, &d->joint_capacity, n + 1, sizeof *d->joints) || !crd_names_reserve(&d->names))
        return crd_fail_memory(error);
    d->joints[n] = *joint;
    d->joint_count++;
    crd_names_put(&d->names, joint->name, CRD_NAME_JOINT, n);
    return CARDAN_OK;
}

CardanStatus crd_add_term(CrdDescription *d, const CrdTermDesc *term, CrdError *error) {
    int n = d->term_count;
    const CrdJointDesc *joint = &d->joints[term->joint - 1];
    if (!crd_grow(&d->terms, &d->term_capacity, n + 1, sizeof *d->terms)) return crd_fail_memory(error);
    d->terms[n] = *term;
    if (term->coordinate == CARDAN_NO_COORDINATE && joint->rows == NULL)
        d->terms[n].coordinate = crd_joint_kinds[joint->type]->coordinates[0];
    d->term_count++;
    return CARDAN_OK;
}

CardanStatus crd_add_force(CrdDescription *d, const CrdForceDesc *force, CrdBlame *blame, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_FORCE, force->name, error));
    CRD_TRY(crd_check_force(d, force, blame, error));
    int n = d->force_count;
    if (!crd_grow(&d->forces, &d->force_capacity, n + 1, sizeof *d->forces) || !crd_names_reserve(&d->names))
        return crd_fail_memory(error);
    d->forces[n] = *force;
    d->force_count++;
    crd_names_put(&d->names, force->name, CRD_NAME_FORCE, n);
    return CARDAN_OK;
}

CardanStatus crd_add_states(CrdDescription *d, const CrdStatesDesc *states, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_STATES, states->name, error));
    int n = d->states_count;
    if (!crd_grow(&d->states, &d->states_capacity, n + 1, sizeof *d->states) || !crd_names_reserve(&d->names))
        return crd_fail_memory(error);
    d->states[n] = *states;
    d->states_count++;
    crd_names_put(&d->names, states->name, CRD_NAME_STATES, n);
    return CARDAN_OK;
}

CardanStatus crd_add_event(CrdDescription *d, const CrdEventDesc *event, CrdError *error) {
    CRD_TRY(crd_check_name(d, CRD_NAME_EVENT, event->name, error));
    int n = d->event_count;
    if (!crd_grow(&d->events, &d->event_capacity, n + 1, sizeof *d->events) || !crd_names_reserve(&d->names))
        return crd_fail_memory(error);
    d->events[n] = *event;
    d->event_count++;
    crd_names_put(&d->names, event->name, CRD_NAME_EVENT, n);
    return CARDAN_OK;
}

/* ---- start and outputs ---- */

CardanStatus crd_add_rate(CrdDescription *d, const CrdStartRate *rate, CrdError *error) {
    CRD_TRY(crd_check_rate(d, rate, error));
    for (int i = 0; i < d->rate_count; i++) {
        if (d->rates[i].joint != rate->joint) continue;
        d->rates[i] = *rate;
        return CARDAN_OK;
    }
    if (!crd_grow(&d->rates, &d->rate_capacity, d->rate_count + 1, sizeof *d->rates)) return crd_fail_memory(error);
    d->rates[d->rate_count++] = *rate;
    return CARDAN_OK;
}

CardanStatus crd_add_output(CrdDescription *d, const char *name, CrdPlace place, CrdError *error) {
    int n = d->output_count;
    if (!crd_grow(&d->outputs, &d->output_capacity, n + 1, sizeof *d->outputs) ||
        !crd_grow(&d->output_places, &d->output_place_capacity, n + 1, sizeof *d->output_places))
        return crd_fail_memory(error);
    d->outputs[n] = crd_copy_string(name);
    if (d->outputs[n] == NULL) return crd_fail_memory(error);
    d->output_places[n] = place;
    d->output_count++;
    return CARDAN_OK;
}
