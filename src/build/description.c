/* Making, copying and freeing descriptions: one table of the lists they are made of. A half-made object is always fit
 * to be freed, so that running out of memory in the middle of a copy needs no special care. */
#include "build/description.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- what objects own besides their name; copies: false when out of memory ---- */

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

static bool copy_parameter(void *copy, const void *object) {
    return copy_expression(&((CrdParameterDesc *)copy)->expression, ((const CrdParameterDesc *)object)->expression);
}

static void free_parameter(void *object) {
    crd_expr_free(((CrdParameterDesc *)object)->expression);
}

static bool copy_block(void *copy, const void *object) {
    const CrdBlockDesc *block = object;
    int n = block->def.coordinates;
    bool q0 = copy_array(&((CrdBlockDesc *)copy)->q0, block->q0, n, sizeof *block->q0);
    return copy_array(&((CrdBlockDesc *)copy)->v0, block->v0, n, sizeof *block->v0) && q0;
}

static void free_block(void *object) {
    crd_delete(((CrdBlockDesc *)object)->q0);
    crd_delete(((CrdBlockDesc *)object)->v0);
}

static bool copy_rows(CrdRowsDesc **copy, const CrdRowsDesc *rows) {
    if (!copy_array(copy, rows, 1, sizeof *rows)) return false;
    return rows == NULL || copy_array(&(*copy)->frames, rows->frames, rows->def.bodies, sizeof *rows->frames);
}

static bool copy_element(void *copy, const void *object) {
    const CrdElementDesc *element = object;
    CrdElementDesc *fresh = copy;
    bool done = copy_rows(&fresh->rows, element->rows);
    for (int k = 0; k < 3; k++) done = copy_string(&fresh->law[k], element->law[k]) && done;
    return done;
}

static void free_element(void *object) {
    CrdElementDesc *element = object;
    for (int k = 0; k < 3; k++) crd_delete(element->law[k]);
    if (element->rows != NULL) crd_delete(element->rows->frames);
    crd_delete(element->rows);
}

void crd_element_free(CrdElementDesc *element) {
    crd_delete(element->name);
    free_element(element);
}

static bool copy_states(void *copy, const void *object) {
    const CrdStatesDesc *states = object;
    bool z0 = copy_array(&((CrdStatesDesc *)copy)->z0, states->z0, states->def.count, sizeof *states->z0);
    return copy_array(&((CrdStatesDesc *)copy)->frames, states->frames, states->def.bodies, sizeof *states->frames) &&
           z0;
}

static void free_states(void *object) {
    crd_delete(((CrdStatesDesc *)object)->z0);
    crd_delete(((CrdStatesDesc *)object)->frames);
}

static bool copy_event(void *copy, const void *object) {
    const CrdEventDesc *event = object;
    return copy_array(&((CrdEventDesc *)copy)->frames, event->frames, event->def.bodies, sizeof *event->frames);
}

static void free_event(void *object) {
    crd_delete(((CrdEventDesc *)object)->frames);
}

static bool copy_invariant(void *copy, const void *object) {
    const CrdInvariantDesc *invariant = object;
    return copy_array(&((CrdInvariantDesc *)copy)->frames, invariant->frames, invariant->def.bodies,
                      sizeof *invariant->frames);
}

static void free_invariant(void *object) {
    crd_delete(((CrdInvariantDesc *)object)->frames);
}

static bool copy_binding(void *copy, const void *object) {
    return copy_expression(&((CrdBinding *)copy)->expression, ((const CrdBinding *)object)->expression);
}

static void free_binding(void *object) {
    crd_expr_free(((CrdBinding *)object)->expression);
}

/* ---- lists ---- */

typedef struct List {
    size_t array, count;                          /* where they stand in a description */
    size_t size;                                  /* of one item */
    bool named;                                   /* items begin with a string of their own */
    CrdNameKind kind;                             /* under which it is known; none: it is not */
    bool (*copy)(void *copy, const void *object); /* of what an item owns besides; NULL: nothing */
    void (*release)(void *object);
} List;

#define LIST(items, number, ...)                                                                                       \
    {                                                                                                                  \
        offsetof(CrdDescription, items), offsetof(CrdDescription, number), sizeof *((CrdDescription *)0)->items,       \
            __VA_ARGS__                                                                                                \
    }

static const List LISTS[CRD_LISTS] = {
    [CRD_LIST_PARAMETERS] = LIST(parameters, parameter_count, true, CRD_NAME_PARAMETER, copy_parameter, free_parameter),
    [CRD_LIST_VALUES] = LIST(parameter_values, value_count, .named = false),
    [CRD_LIST_INPUTS] = LIST(inputs, input_count, .named = true, .kind = CRD_NAME_INPUT),
    [CRD_LIST_BODIES] = LIST(bodies, body_count, .named = true, .kind = CRD_NAME_BODY),
    [CRD_LIST_BLOCKS] = LIST(blocks, block_count, true, CRD_NAME_BLOCK, copy_block, free_block),
    [CRD_LIST_FRAMES] = LIST(frames, frame_count, .named = false),
    [CRD_LIST_MARKERS] = LIST(markers, marker_count, .named = true, .kind = CRD_NAME_MARKER),
    [CRD_LIST_JOINTS] = LIST(joints, joint_count, true, CRD_NAME_JOINT, copy_element, free_element),
    [CRD_LIST_TERMS] = LIST(terms, term_count, .named = false),
    [CRD_LIST_POINTS] = LIST(points, point_count, .named = false),
    [CRD_LIST_SHAPES] = LIST(shapes, shape_count, .named = true),
    [CRD_LIST_FORCES] = LIST(forces, force_count, true, CRD_NAME_FORCE, copy_element, free_element),
    [CRD_LIST_STATES] = LIST(states, states_count, true, CRD_NAME_STATES, copy_states, free_states),
    [CRD_LIST_EVENTS] = LIST(events, event_count, true, CRD_NAME_EVENT, copy_event, free_event),
    [CRD_LIST_INVARIANTS] = LIST(invariants, invariant_count, true, CRD_NAME_INVARIANT, copy_invariant, free_invariant),
    [CRD_LIST_BINDINGS] = LIST(bindings, binding_count, false, CRD_NAME_NONE, copy_binding, free_binding),
    [CRD_LIST_RATES] = LIST(rates, rate_count, .named = false),
    [CRD_LIST_COORDINATES] = LIST(coordinates, coordinate_count, .named = false),
    [CRD_LIST_OUTPUTS] = LIST(outputs, output_count, .named = true),
    [CRD_LIST_OUTPUT_PLACES] = LIST(output_places, output_place_count, .named = false),
    [CRD_LIST_SLOW] = LIST(slow_names, slow_count, .named = true),
};

static int *count_of(CrdDescription *description, const List *list) {
    return (int *)(void *)((unsigned char *)description + list->count);
}

static unsigned char *array_of(const CrdDescription *description, const List *list) {
    unsigned char *array;
    memcpy(&array, (const unsigned char *)description + list->array, sizeof array);
    return array;
}

static unsigned char *item_at(const CrdDescription *description, const List *list, int i) {
    assert(array_of(description, list) != NULL);
    return array_of(description, list) + (size_t)i * list->size;
}

static CrdNames *names_of(CrdDescription *description, CrdNameKind kind) {
    bool number = kind == CRD_NAME_PARAMETER || kind == CRD_NAME_INPUT;
    return number ? &description->numbers : &description->names;
}

bool crd_list_reserve(CrdDescription *description, CrdList which, int more) {
    const List *list = &LISTS[which];
    int need = *count_of(description, list) + more;
    return crd_grow((unsigned char *)description + list->array, &description->capacity[which], need, list->size) &&
           (list->kind == CRD_NAME_NONE || crd_names_reserve(names_of(description, list->kind)));
}

void crd_list_put(CrdDescription *description, CrdList which, const void *item) {
    const List *list = &LISTS[which];
    int *count = count_of(description, list), index = (*count)++;
    assert(index < description->capacity[which]); /* it was reserved */
    unsigned char *place = item_at(description, list, index);
    memcpy(place, item, list->size);
    if (list->kind == CRD_NAME_NONE) return;
    char *name;
    memcpy(&name, place, sizeof name);
    crd_names_put(names_of(description, list->kind), name, list->kind, index);
}

CardanStatus crd_list_append(CrdDescription *description, CrdList which, const void *item, CrdError *error) {
    if (!crd_list_reserve(description, which, 1)) return crd_fail_memory(error);
    crd_list_put(description, which, item);
    return CARDAN_OK;
}

/* ---- the whole ---- */

CrdDescription *crd_description_create(CardanSpace space) {
    CrdDescription *description = crd_new(1, sizeof *description);
    if (description == NULL) return NULL;
    description->space = space;
    description->options = cardan_default_options();
    description->name = crd_copy_string("unnamed");
    if (description->name != NULL && crd_list_append(description, CRD_LIST_FRAMES, &(CrdFrameDesc){0}, NULL) >= 0)
        return description; /* zeroed: the ground */
    crd_description_free(description);
    return NULL;
}

void crd_description_free(CrdDescription *description) {
    if (description == NULL) return;
    for (const List *list = LISTS; list < LISTS + CRD_LISTS; list++) {
        for (int i = 0; i < *count_of(description, list); i++) {
            unsigned char *item = item_at(description, list, i);
            char *name = NULL;
            if (list->named) memcpy(&name, item, sizeof name);
            crd_delete(name);
            if (list->release != NULL) list->release(item);
        }
        crd_delete(array_of(description, list));
    }
    crd_delete(description->name);
    crd_delete(description->file);
    crd_names_free(&description->names);
    crd_names_free(&description->numbers);
    crd_delete(description);
}

/* The item joins the copy at once, so that whatever is copied of it is freed with it. */
static bool copy_item(CrdDescription *copy, CrdList which, const unsigned char *object) {
    const List *list = &LISTS[which];
    char *name = NULL;
    if (!crd_list_reserve(copy, which, 1)) return false;
    int *count = count_of(copy, list);
    unsigned char *item = item_at(copy, list, *count);
    memcpy(item, object, list->size);
    if (list->named) memcpy(&name, object, sizeof name);
    bool done = copy_string(&name, name);
    if (list->named) memcpy(item, &name, sizeof name);
    if (list->copy != NULL) done = list->copy(item, object) && done;
    if (done && list->kind != CRD_NAME_NONE) crd_names_put(names_of(copy, list->kind), name, list->kind, *count);
    (*count)++;
    return done;
}

CrdDescription *crd_description_clone(const CrdDescription *description) {
    CrdDescription *copy = crd_new(1, sizeof *copy);
    if (copy == NULL) return NULL;
    copy->space = description->space;
    memcpy(copy->gravity, description->gravity, sizeof description->gravity);
    copy->start_positions = description->start_positions;
    copy->start_velocities = description->start_velocities;
    copy->slow = description->slow;
    copy->options = description->options;
    bool done = copy_string(&copy->name, description->name) && copy_string(&copy->file, description->file);
    for (int which = 0; which < CRD_LISTS && done; which++) {
        const List *list = &LISTS[which];
        int count;
        memcpy(&count, (const unsigned char *)description + list->count, sizeof count);
        done = crd_list_reserve(copy, (CrdList)which, count);
        for (int i = 0; i < count && done; i++) done = copy_item(copy, (CrdList)which, item_at(description, list, i));
    }
    if (done) return copy;
    crd_description_free(copy);
    return NULL;
}

const char *crd_frame_name(const CrdDescription *description, int frame, char *buffer, size_t size) {
    assert(frame >= 0 && frame < description->frame_count);
    CrdFrameDesc c = description->frames[frame];
    if (c.kind == CRD_FRAME_GROUND) {
        snprintf(buffer, size, "ground");
    } else if (c.kind == CRD_FRAME_BODY) {
        snprintf(buffer, size, "%s", description->bodies[c.object].name);
    } else {
        snprintf(buffer, size, "%s.%d", description->blocks[c.object].name, c.frame);
    }
    return buffer;
}
