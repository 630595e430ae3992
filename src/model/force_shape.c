/* What forces have besides their loads: the carriers, measures and states that they read, first-order states of their
 * own, switches. */
#include "model/model.h"

#include "core/memory.h"

#include <limits.h>

int crd_law_states(const CrdShape *s) {
    return CRD_LAW_OWN + s->parameter_count + s->input_count;
}

int crd_law_measures(const CrdShape *s) {
    return crd_law_states(s) + s->first_order;
}

int crd_law_variables(const CrdShape *s) {
    return crd_law_measures(s) + s->law_measure_count;
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

static void add_carrier(List *list, int carrier) {
    if (carrier > 0) add(list, carrier);
}

static void add_joint(const CrdShape *s, List *list, int element) {
    for (int side = 0; side < 2; side++) add_carrier(list, crd_element_carrier(s, element, side));
}

/* ---- one force ---- */

static void own_carriers(const CrdShape *s, const CrdForceDesc *force, List *list) {
    bool two = force->type == CARDAN_SPRING || force->type == CARDAN_BUSHING;
    if (two) add_carrier(list, force->a);
    if (two) add_carrier(list, force->b);
    if (force->joint > 0) add_joint(s, list, s->element_of_joint[force->joint - 1]);
    add_carrier(list, force->body);
    for (int i = 0; i < force->bodies; i++) add_carrier(list, force->carriers[i]);
}

static bool laws_use(const CrdShape *s, int force, int variable) {
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = s->laws[CRD_FORCE_LAWS * force + k];
        if (law != NULL && crd_expr_uses(law, variable)) return true;
    }
    return false;
}

static bool has_laws(const CrdShape *s, int force) {
    for (int k = 0; k < CRD_FORCE_LAWS; k++)
        if (s->laws[CRD_FORCE_LAWS * force + k] != NULL) return true;
    return false;
}

typedef struct Lists {
    List carriers, measures, states;
} Lists;

/* Carriers that a measure of a law depends on. */
static void measured_carriers(const CrdShape *s, const CrdDescription *d, const CrdLawMeasure *m, List *list) {
    switch (crd_measures[m->measure].of) {
    case CRD_OF_BODY: add_carrier(list, m->object); break;
    case CRD_OF_SPRING: own_carriers(s, &d->forces[m->object], list); break;
    default: add_joint(s, list, m->object); break;
    }
}

static void touch(const CrdShape *s, const CrdDescription *d, int index, CrdForceShape *out, Lists *lists) {
    begin(&lists->carriers, &out->carrier);
    begin(&lists->measures, &out->measure);
    begin(&lists->states, &out->read);
    own_carriers(s, &d->forces[index], &lists->carriers);
    for (int i = 0; i < out->states; i++) add(&lists->states, out->state + i);
    for (int i = 0; has_laws(s, index) && i < s->law_measure_count; i++) {
        if (!laws_use(s, index, crd_law_measures(s) + i)) continue;
        add(&lists->measures, i);
        measured_carriers(s, d, &s->law_measures[i], &lists->carriers);
    }
    for (int i = 0; has_laws(s, index) && i < s->first_order; i++)
        if (laws_use(s, index, crd_law_states(s) + i)) add(&lists->states, i);
    out->carriers = lists->carriers.count - out->carrier;
    out->measures = lists->measures.count - out->measure;
    out->reads = lists->states.count - out->read;
}

static int switches_of(const CrdShape *s, const CrdForceDesc *desc, int index) {
    int count = crd_force_kinds[desc->type]->switch_count;
    for (int k = 0; k < CRD_FORCE_LAWS; k++) {
        const CrdExpr *law = s->laws[CRD_FORCE_LAWS * index + k];
        if (law != NULL) count += crd_expr_kink_count(law);
    }
    return count;
}

/* ---- the whole ---- */

CardanStatus crd_shape_states(CrdShape *s, const CrdDescription *d, CrdError *error) {
    long long count = 0;
    s->states_count = d->states_count;
    s->state_of_states = crd_new((size_t)d->states_count, sizeof *s->state_of_states);
    s->force_shapes = crd_new((size_t)d->force_count, sizeof *s->force_shapes);
    if (s->state_of_states == NULL || s->force_shapes == NULL) return crd_fail_memory(error);
    for (int i = 0; i < d->states_count; i++) {
        s->state_of_states[i] = (int)count;
        count += d->states[i].def.count;
        if (count > INT_MAX - 2LL * d->force_count) /* room for those of forces */
            return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: a size does not fit 32 bits");
        if (d->states[i].def.bodies > s->most_gathered) s->most_gathered = d->states[i].def.bodies;
    }
    for (int i = 0; i < d->force_count; i++) {
        bool lags = d->forces[i].type == CARDAN_TYRE && d->forces[i].relaxation_given;
        s->force_shapes[i] = (CrdForceShape){.state = (int)count, .states = lags ? CRD_FORCE_STATES : 0};
        count += s->force_shapes[i].states;
    }
    s->first_order = (int)count;
    return CARDAN_OK;
}

CardanStatus crd_shape_forces(CrdShape *s, const CrdDescription *d, CrdError *error) {
    Lists lists = {{.items = &s->force_carriers}, {.items = &s->force_measures}, {.items = &s->force_states}};
    for (int i = 0; i < d->force_count; i++) {
        CrdForceShape *force = &s->force_shapes[i];
        touch(s, d, i, force, &lists);
        force->first_switch = s->switch_count;
        force->switches = switches_of(s, &d->forces[i], i);
        s->switch_count += force->switches;
        if (force->carriers > s->most_touched) s->most_touched = force->carriers;
        if (force->reads > s->most_read) s->most_read = force->reads;
    }
    bool full = lists.carriers.full || lists.measures.full || lists.states.full;
    return full ? crd_fail_memory(error) : CARDAN_OK;
}
