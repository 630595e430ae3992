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

typedef struct Lists {
    List frames, measures, states;
} Lists;

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

bool crd_force_loads(const CrdStructure *structure, const CrdDescription *description, int force, int frame) {
    int *frames = NULL;
    List list = {.items = &frames};
    bool found = false;
    own_frames(structure, description, &description->forces[force], &list);
    /* cppcheck-suppress nullPointer ; own_frames makes room for what it counts */
    for (int i = 0; i < list.count; i++) found = found || frames[i] == frame;
    crd_delete(frames);
    return found;
}

/* The frame of its last body that is not the ground: b of a joint or pair, the last of a list. */
static int last_frame(const CrdStructure *structure, const CrdDescription *description, const CrdForceDesc *force) {
    CrdFieldTable table = crd_force_kinds[force->type]->fields;
    const CrdField *body = crd_field_holding(table, CRD_HOLDS_BODY, force->form);
    const CrdField *pair = crd_field_holding(table, CRD_HOLDS_BODIES, force->form);
    CardanCoordinate coordinate;
    int joint = crd_force_joint(force, &coordinate), frames[2] = {0, 0};
    if (joint > 0) {
        int e = structure->element_of_joint[joint - 1], b = crd_element_frame(structure, e, 1);
        return b > 0 ? b : crd_element_frame(structure, e, 0);
    }
    for (int i = force->item + force->items - 1; i >= force->item; i--)
        if (description->points[i].frame > 0) return description->points[i].frame;
    if (pair != NULL) memcpy(frames, (const unsigned char *)&force->numbers + pair->own, sizeof frames);
    if (body != NULL) memcpy(&frames[1], (const unsigned char *)&force->numbers + body->own, sizeof frames[1]);
    return frames[1] > 0 ? frames[1] : frames[0];
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

static void add_place(const CrdStructure *structure, const CrdDescription *description, List *list, int place) {
    int marker = place - structure->frame_count;
    add_frame(list, marker < 0 ? place : description->markers[marker].frame);
}

static void law_reads(const CrdStructure *structure, const CrdDescription *description, int index, Lists *lists);

/* Frames that a measure of a law depends on; of what a force does also what its own laws read, which are measures and
 * states of the law that reads it. */
static void measured(const CrdStructure *structure, const CrdDescription *description, const CrdLawMeasure *it,
                     Lists *lists) {
    const CrdElement *element;
    switch (crd_measures[it->measure].of) {
    case CRD_OF_FORCE:
        own_frames(structure, description, &description->forces[it->object], &lists->frames);
        if (!crd_is_dynamic(description, it)) break;
        law_reads(structure, description, it->object, lists);
        for (int i = 0; i < structure->force_structures[it->object].states; i++)
            add(&lists->states, structure->force_structures[it->object].state + i);
        break;
    case CRD_OF_JOINT:
        element = &structure->elements[it->object];
        for (int i = 0; i < element->attachments; i++)
            add_frame(&lists->frames, structure->attachments[element->attachment + i].frame);
        break;
    case CRD_OF_MODEL:
        for (int i = 0; i < structure->frame_count; i++)
            if (structure->frames[i].kind == CRD_FRAME_BODY) add_frame(&lists->frames, i);
        break;
    case CRD_OF_PAIR:
        add_place(structure, description, &lists->frames, it->other); /* fall through */
    default:
        add_place(structure, description, &lists->frames, it->object);
        break;
    }
}

/* What the laws of a force read. A law that reads what another force does comes to that one's laws, and no further: see
 * crd_structure_forces. */
static void law_reads(const CrdStructure *structure, const CrdDescription *description, int index, Lists *lists) {
    for (int i = 0; has_laws(structure, index) && i < structure->law_measure_count; i++) {
        if (!laws_use(structure, index, crd_law_measures(structure) + i)) continue;
        measured(structure, description, &structure->law_measures[i], lists);
        add(&lists->measures, i); /* behind those it depends on */
    }
    for (int i = 0; has_laws(structure, index) && i < structure->first_order; i++)
        if (laws_use(structure, index, crd_law_states(structure) + i)) add(&lists->states, i);
}

static void touch(const CrdStructure *structure, const CrdDescription *description, int index, CrdForceStructure *out,
                  Lists *lists) {
    begin(&lists->frames, &out->frame);
    begin(&lists->measures, &out->measure);
    begin(&lists->states, &out->read);
    own_frames(structure, description, &description->forces[index], &lists->frames);
    out->own_frames = lists->frames.count - out->frame;
    for (int i = 0; i < out->states; i++) add(&lists->states, out->state + i);
    law_reads(structure, description, index, lists);
    out->frames = lists->frames.count - out->frame;
    out->measures = lists->measures.count - out->measure;
    out->reads = lists->states.count - out->read;
}

/* The first variable of its laws that is what another force does; -1: none. */
static int reads_force(const CrdStructure *structure, const CrdDescription *description, int index) {
    for (int i = 0; has_laws(structure, index) && i < structure->law_measure_count; i++)
        if (crd_is_dynamic(description, &structure->law_measures[i]) &&
            laws_use(structure, index, crd_law_measures(structure) + i))
            return i;
    return -1;
}

/* Forces are computed one after the other: a law may read what a force does whose own laws read none. So no circle is
 * possible either. */
static CardanStatus check_reading(const CrdStructure *structure, const CrdDescription *description, int index,
                                  CrdError *error) {
    for (int i = 0; has_laws(structure, index) && i < structure->law_measure_count; i++) {
        const CrdLawMeasure *it = &structure->law_measures[i];
        bool used = crd_is_dynamic(description, it) && laws_use(structure, index, crd_law_measures(structure) + i);
        if (!used || (it->object != index && reads_force(structure, description, it->object) < 0)) continue;
        const CrdForceDesc *force = &description->forces[index], *read = &description->forces[it->object];
        int k = 0;
        while (k + 1 < CRD_FORCE_LAWS && force->law[k] == NULL) k++;
        const char *what = it->measure == CRD_OFFERED ? crd_force_kinds[read->type]->offers.rows[it->other].name
                                                      : crd_measures[it->measure].name;
        return crd_fail_at(error, CARDAN_ERR_MODEL, force->law_place[k],
                           it->object == index
                               ? "force '%s': its law reads '%s.%s', which follows from that law"
                               : "force '%s': its law reads '%s.%s', which follows a law that reads a force itself",
                           force->name, read->name, what);
    }
    return CARDAN_OK;
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
        structure->force_structures[i] =
            (CrdForceStructure){.state = (int)count,
                                .states = states,
                                .tracked = turns ? structure->tracked_count : -1,
                                .last = last_frame(structure, description, &description->forces[i])};
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
    for (int i = 0; i < structure->law_measure_count; i++)
        structure->has_dynamic = structure->has_dynamic || crd_is_dynamic(description, &structure->law_measures[i]);
    for (int i = 0; i < description->force_count; i++) CRD_TRY(check_reading(structure, description, i, error));
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
