#include "build/objects.h"

#include "core/memory.h"
#include "expr/program.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- names ---- */

static CrdPlace place_of_named(const CrdDescription *description, CrdNamed named) {
    switch (named.kind) {
    case CRD_NAME_BODY:
        return description->bodies[named.index].place;
    case CRD_NAME_BLOCK:
        return description->blocks[named.index].place;
    case CRD_NAME_JOINT:
        return description->joints[named.index].place;
    case CRD_NAME_FORCE:
        return description->forces[named.index].place;
    case CRD_NAME_MARKER:
        return description->markers[named.index].place;
    case CRD_NAME_STATES:
    case CRD_NAME_EVENT:
    case CRD_NAME_INVARIANT:
        break;
    case CRD_NAME_PARAMETER:
        return description->parameters[named.index].place;
    case CRD_NAME_INPUT:
        return description->inputs[named.index].place;
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

CardanStatus crd_check_name(const CrdDescription *description, CrdNameKind kind, const char *name, CrdError *error) {
    const char *word = crd_name_kind_word(kind);
    if (name == NULL || name[0] == '\0') return crd_fail(error, CARDAN_ERR_MODEL, "%s needs a name", word);
    size_t length = strlen(name);
    if (!crd_is_name(name, length))
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s' is no name: a name is a letter or _, then letters, digits and _",
                        crd_shown(name, length).text);
    CRD_TRY(check_reserved(kind, name, length, error));
    bool number = kind == CRD_NAME_PARAMETER || kind == CRD_NAME_INPUT;
    CrdNamed taken = crd_names_find(number ? &description->numbers : &description->names, name, length);
    if (taken.kind == CRD_NAME_NONE) return CARDAN_OK;
    CrdPlace place = place_of_named(description, taken);
    if (place.line == 0)
        return crd_fail(error, CARDAN_ERR_MODEL, "the name '%s' is taken by %s already", crd_shown(name, length).text,
                        crd_name_kind_word(taken.kind));
    return crd_fail(error, CARDAN_ERR_MODEL, "the name '%s' is taken by %s in line %d already",
                    crd_shown(name, length).text, crd_name_kind_word(taken.kind), place.line);
}

/* ---- numbers with names ---- */

CardanStatus crd_add_parameter(CrdDescription *description, const CrdParameterDesc *parameter, CrdError *error) {
    CRD_TRY(crd_check_name(description, CRD_NAME_PARAMETER, parameter->name, error));
    if (!isfinite(parameter->value))
        return crd_fail(error, CARDAN_ERR_MODEL, "parameter '%s' is not finite", parameter->name);
    if (!crd_list_reserve(description, CRD_LIST_VALUES, 1)) return crd_fail_memory(error);
    CRD_TRY(crd_list_append(description, CRD_LIST_PARAMETERS, parameter, error));
    crd_list_put(description, CRD_LIST_VALUES, &parameter->value);
    return CARDAN_OK;
}

CardanStatus crd_add_input(CrdDescription *description, const CrdInputDesc *input, CrdError *error) {
    CRD_TRY(crd_check_name(description, CRD_NAME_INPUT, input->name, error));
    if (!isfinite(input->value)) return crd_fail(error, CARDAN_ERR_MODEL, "input '%s' is not finite", input->name);
    return crd_list_append(description, CRD_LIST_INPUTS, input, error);
}

/* ---- things that move ---- */

CardanStatus crd_add_body(CrdDescription *description, const CrdBodyDesc *body, CrdBlame *blame, CrdError *error) {
    CRD_TRY(crd_check_name(description, CRD_NAME_BODY, body->name, error));
    CRD_TRY(crd_check_body(description, body, blame, error));
    if (!crd_list_reserve(description, CRD_LIST_FRAMES, 1)) return crd_fail_memory(error);
    CRD_TRY(crd_list_append(description, CRD_LIST_BODIES, body, error));
    crd_list_put(description, CRD_LIST_FRAMES, &(CrdFrameDesc){CRD_FRAME_BODY, description->body_count - 1, 0});
    return CARDAN_OK;
}

CardanStatus crd_add_block(CrdDescription *description, const CrdBlockDesc *block, CrdError *error) {
    CRD_TRY(crd_check_name(description, CRD_NAME_BLOCK, block->name, error));
    int frames = block->def.frames;
    bool fits = frames <= INT_MAX - description->frame_count;
    if (!fits || !crd_list_reserve(description, CRD_LIST_FRAMES, frames)) return crd_fail_memory(error);
    CrdBlockDesc placed = *block;
    placed.first_frame = description->frame_count;
    CRD_TRY(crd_list_append(description, CRD_LIST_BLOCKS, &placed, error));
    for (int k = 0; k < frames; k++)
        crd_list_put(description, CRD_LIST_FRAMES,
                     &(CrdFrameDesc){CRD_FRAME_OF_BLOCK, description->block_count - 1, k});
    return CARDAN_OK;
}

/* ---- what joins and drives them ---- */

CardanStatus crd_add_element(CrdDescription *description, CrdOwner owner, const CrdElementDesc *element,
                             CrdBlame *blame, CrdError *error) {
    bool joint = owner == CRD_OWNER_JOINT;
    CRD_TRY(crd_check_name(description, joint ? CRD_NAME_JOINT : CRD_NAME_FORCE, element->name, error));
    CRD_TRY(crd_check_element(description, owner, element, blame, error));
    return crd_list_append(description, joint ? CRD_LIST_JOINTS : CRD_LIST_FORCES, element, error);
}

CardanStatus crd_add_term(CrdDescription *description, CrdJointDesc *joint, const CrdTermDesc *term, CrdError *error) {
    assert(term->joint >= 1 && term->joint <= description->joint_count);
    const CrdJointDesc *of = &description->joints[term->joint - 1];
    CrdTermDesc fresh = *term;
    if (term->coordinate == CARDAN_COORDINATE_NONE && of->rows == NULL)
        fresh.coordinate = crd_joint_kinds[of->type]->coordinates[0];
    CRD_TRY(crd_list_append(description, CRD_LIST_TERMS, &fresh, error));
    if (joint->items++ > 0) return CARDAN_OK;
    joint->item = description->term_count - 1;
    if (of->rows == NULL) memcpy(&joint->numbers, crd_joint_numbers(of), offsetof(CrdJointNumbers, joint)); /* a, b */
    return CARDAN_OK;
}

CardanStatus crd_add_point(CrdDescription *description, CrdForceDesc *force, const CrdForcePoint *point,
                           CrdError *error) {
    assert(point->frame >= 0 && point->frame < description->frame_count);
    CRD_TRY(crd_list_append(description, CRD_LIST_POINTS, point, error));
    if (force->items++ == 0) force->item = description->point_count - 1;
    assert(force->item + force->items == description->point_count);
    return CARDAN_OK;
}

CardanStatus crd_add_states(CrdDescription *description, const CrdStatesDesc *states, CrdError *error) {
    CRD_TRY(crd_check_name(description, CRD_NAME_STATES, states->name, error));
    return crd_list_append(description, CRD_LIST_STATES, states, error);
}

CardanStatus crd_add_event(CrdDescription *description, const CrdEventDesc *event, CrdError *error) {
    CRD_TRY(crd_check_name(description, CRD_NAME_EVENT, event->name, error));
    return crd_list_append(description, CRD_LIST_EVENTS, event, error);
}

CardanStatus crd_add_invariant(CrdDescription *description, const CrdInvariantDesc *invariant, CrdError *error) {
    CRD_TRY(crd_check_name(description, CRD_NAME_INVARIANT, invariant->name, error));
    return crd_list_append(description, CRD_LIST_INVARIANTS, invariant, error);
}

/* ---- start and outputs ---- */

CardanStatus crd_add_rate(CrdDescription *description, const CrdStartRate *rate, CrdError *error) {
    CRD_TRY(crd_check_rate(description, rate, error));
    for (int i = 0; i < description->rate_count; i++) {
        if (description->rates[i].joint != rate->joint) continue;
        description->rates[i] = *rate;
        return CARDAN_OK;
    }
    return crd_list_append(description, CRD_LIST_RATES, rate, error);
}

CardanStatus crd_add_coordinate(CrdDescription *description, const CrdStartRate *coordinate, CrdError *error) {
    CRD_TRY(crd_check_rate(description, coordinate, error));
    for (int i = 0; i < description->coordinate_count; i++) {
        if (description->coordinates[i].joint != coordinate->joint) continue;
        description->coordinates[i] = *coordinate;
        return CARDAN_OK;
    }
    return crd_list_append(description, CRD_LIST_COORDINATES, coordinate, error);
}

CardanStatus crd_add_output(CrdDescription *description, const char *name, CrdPlace place, CrdError *error) {
    if (!crd_list_reserve(description, CRD_LIST_OUTPUTS, 1) ||
        !crd_list_reserve(description, CRD_LIST_OUTPUT_PLACES, 1))
        return crd_fail_memory(error);
    char *copy = crd_copy_string(name);
    if (copy == NULL) return crd_fail_memory(error);
    crd_list_put(description, CRD_LIST_OUTPUTS, &copy);
    crd_list_put(description, CRD_LIST_OUTPUT_PLACES, &place);
    return CARDAN_OK;
}
