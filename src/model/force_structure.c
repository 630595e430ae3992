/* What forces have besides their loads: the frames, measures and states that they read, first-order states of their
 * own, switches. */
#include "model/model.h"

#include "build/fields.h"
#include "core/memory.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

int crd_law_states(const CrdStructure *structure) {
    return CRD_LAW_OWN + structure->parameter_count + structure->input_count;
}

int crd_law_measures(const CrdStructure *structure) {
    return crd_law_states(structure) + structure->first_order;
}

int crd_law_variables(const CrdStructure *structure) {
    return crd_law_measures(structure) + structure->law_measure_count;
}

/* ---- growing lists; `first` is where the one being made starts ---- */

typedef struct List {
    int **items;
    int count, capacity;
    int first;
    bool full; /* out of memory */
} List;

static void begin(List *list, int *start) {
    *start = list->first = list->count;
}

/* Adds what is not there yet. */
static void add(List *list, int item) {
    for (int i = list->first; i < list->count; i++)
        if ((*list->items)[i] == item) return;
    if (!crd_grow(list->items, &list->capacity, list->count + 1, sizeof **list->items)) list->full = true;
    if (!list->full) (*list->items)[list->count++] = item;
}

static void add_frame(List *list, int frame) {
    if (frame > 0) add(list, frame);
}

static void add_joint(const CrdStructure *structure, List *list, int element) {
    for (int side = 0; side < 2; side++) add_frame(list, crd_element_frame(structure, element, side));
}

/* ---- one force ---- */

static void own_frames(const CrdStructure *structure, const CrdDescription *description, const CrdForceDesc *force,
                       List *list) {
    CrdFieldTable table = crd_force_kinds[force->type]->fields;
    CardanCoordinate coordinate;
    int joint = crd_force_joint(force, &coordinate);
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        int count = field->holds == CRD_HOLDS_BODIES ? 2 : field->holds == CRD_HOLDS_BODY ? 1 : 0, frames[2];
        if (!crd_field_there(field, structure->space, force->form)) continue;
        memcpy(frames, (const unsigned char *)&force->numbers + field->own, (size_t)count * sizeof *frames);
        for (int k = 0; k < count; k++) add_frame(list, frames[k]);
    }
    if (joint > 0) add_joint(structure, list, structure->element_of_joint[joint - 1]);
    for (int i = force->item; i < force->item + force->items; i++) add_frame(list, description->points[i].frame);
}

static bool laws_use(const CrdStructure *structure, int force, int variable) {
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = structure->laws[CRD_FORCE_LAWS * force + k];
        if (law != NULL && crd_expr_uses(law, variable)) return true;
    }
    return false;
}

static bool has_laws(const CrdStructure *structure, int force) {
    for (int k = 0; k < CRD_FORCE_LAWS; k++)
        if (structure->laws[CRD_FORCE_LAWS * force + k] != NULL) return true;
    return false;
}

typedef struct Lists {
    List frames, measures, states;
} Lists;

/* Frames that a measure of a law depends on. */
static void measured_frames(const CrdStructure *structure, const CrdDescription *description,
                            const CrdLawMeasure *law_measure, List *list) {
    switch (crd_measures[law_measure->measure].of) {
    case CRD_OF_BODY:
        add_frame(list, law_measure->object);
        break;
    case CRD_OF_SPRING:
        own_frames(structure, description, &description->forces[law_measure->object], list);
        break;
    default:
        assert(crd_measures[law_measure->measure].of == CRD_OF_JOINT);
        add_joint(structure, list, law_measure->object);
        break;
    }
}

static void touch(const CrdStructure *structure, const CrdDescription *description, int index, CrdForceStructure *out,
                  Lists *lists) {
    begin(&lists->frames, &out->frame);
    begin(&lists->measures, &out->measure);
    begin(&lists->states, &out->read);
    own_frames(structure, description, &description->forces[index], &lists->frames);
    for (int i = 0; i < out->states; i++) add(&lists->states, out->state + i);
    for (int i = 0; has_laws(structure, index) && i < structure->law_measure_count; i++) {
        if (!laws_use(structure, index, crd_law_measures(structure) + i)) continue;
        add(&lists->measures, i);
        measured_frames(structure, description, &structure->law_measures[i], &lists->frames);
    }
    for (int i = 0; has_laws(structure, index) && i < structure->first_order; i++)
        if (laws_use(structure, index, crd_law_states(structure) + i)) add(&lists->states, i);
    out->frames = lists->frames.count - out->frame;
    out->measures = lists->measures.count - out->measure;
    out->reads = lists->states.count - out->read;
}

static int switches_of(const CrdStructure *structure, const CrdForceDesc *desc, int index) {
    int count = crd_force_kinds[desc->type]->switch_count;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = structure->laws[CRD_FORCE_LAWS * index + k];
        if (law != NULL) count += crd_expr_kink_count(law);
    }
    return count;
}

/* ---- the whole ---- */

CardanStatus crd_structure_states(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    assert(structure->laws == NULL); /* laws may use states */
    long long count = 0;
    structure->states_count = description->states_count;
    structure->state_of_states = crd_new((size_t)description->states_count, sizeof *structure->state_of_states);
    structure->force_structures = crd_new((size_t)description->force_count, sizeof *structure->force_structures);
    if (structure->state_of_states == NULL || structure->force_structures == NULL) return crd_fail_memory(error);
    for (int i = 0; i < description->states_count; i++) {
        structure->state_of_states[i] = (int)count;
        count += description->states[i].def.count;
        if (count > INT_MAX - 2LL * description->force_count) /* room for those of forces */
            return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: a size does not fit 32 bits");
        if (description->states[i].def.bodies > structure->max_gathered)
            structure->max_gathered = description->states[i].def.bodies;
    }
    for (int i = 0; i < description->force_count; i++) {
        const CrdForceKind *kind = crd_force_kinds[description->forces[i].type];
        int states = kind->states != NULL ? kind->states(&description->forces[i].numbers) : 0;
        assert(states <= CRD_FORCE_STATES);
        bool turns = kind->turn != NULL && description->space == CARDAN_SPACE_SPATIAL;
        structure->force_structures[i] = (CrdForceStructure){
            .state = (int)count, .states = states, .tracked = turns ? structure->tracked_count : -1};
        if (turns && structure->tracked_count > INT_MAX - 3)
            return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: a size does not fit 32 bits");
        structure->tracked_count += turns ? 3 : 0;
        structure->turn_count += turns;
        count += structure->force_structures[i].states;
    }
    structure->first_order = (int)count;
    return CARDAN_OK;
}

CardanStatus crd_structure_forces(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    assert(structure->laws != NULL && structure->force_frames == NULL && structure->switch_count == 0);
    Lists lists = {{.items = &structure->force_frames},
                   {.items = &structure->force_measures},
                   {.items = &structure->force_states}};
    for (int i = 0; i < description->force_count; i++) {
        CrdForceStructure *force = &structure->force_structures[i];
        touch(structure, description, i, force, &lists);
        force->first_switch = structure->switch_count;
        force->switches = switches_of(structure, &description->forces[i], i);
        structure->switch_count += force->switches;
        if (force->frames > structure->max_touched) structure->max_touched = force->frames;
        if (force->reads > structure->max_read) structure->max_read = force->reads;
    }
    bool full = lists.frames.full || lists.measures.full || lists.states.full;
    return full ? crd_fail_memory(error) : CARDAN_OK;
}
