/* What the switches of a model are: those of forces (their records', then their laws'), then the kinks of the laws of
 * drives and paths, then the events of users. */
#include "model/model.h"

#include "core/memory.h"

#include <assert.h>
#include <limits.h>

typedef struct Variables {
    const CrdStructure *structure;
    bool path; /* variable 0 is the parameter of a curve */
} Variables;

/* Variables of laws of forces: t, x, v, parameters, inputs, states, measures. */
static bool moves_in_law(const void *user, int variable) {
    const CrdStructure *structure = ((const Variables *)user)->structure;
    return variable == CRD_LAW_X || variable == CRD_LAW_V || variable >= crd_law_states(structure);
}

/* Variables of laws of drives: t or s, parameters, inputs. */
static bool moves_in_drive(const void *user, int variable) {
    return variable == 0 && ((const Variables *)user)->path;
}

/* The kinks of a law, from *count on. */
static void add_law(CrdStructure *structure, const CrdExpr *law, bool path, CrdSwitch made, bool *reads, int *count) {
    Variables variables = {structure, path};
    bool drive = made.kind == CARDAN_EVENT_DRIVE;
    assert(!path || drive);
    crd_expr_kink_reads(law, drive ? moves_in_drive : moves_in_law, &variables, reads);
    for (int k = 0; k < crd_expr_kink_count(law); k++) {
        made.time_event = !reads[k];
        structure->time_event_count += made.time_event;
        structure->switches[(*count)++] = made;
    }
}

static void add_force(CrdStructure *structure, const CrdDescription *description, int index, bool *reads, int *count) {
    const CrdForceKind *kind = crd_force_kinds[description->forces[index].type];
    CrdSwitch made = {.kind = CARDAN_EVENT_KINK, .object = index};
    assert(structure->force_structures[index].first_switch == *count);
    assert(kind->event_switches <= kind->switch_count);
    for (int k = 0; k < kind->switch_count; k++) {
        structure->switches[*count] = made;
        if (k < kind->event_switches) structure->switches[*count].kind = kind->event;
        (*count)++;
    }
    for (int k = 0; k < CRD_FORCE_LAWS; k++)
        if (structure->laws[CRD_FORCE_LAWS * index + k] != NULL)
            add_law(structure, structure->laws[CRD_FORCE_LAWS * index + k], false, made, reads, count);
}

static void add_element(CrdStructure *structure, CrdElement *element, bool *reads, int *count) {
    CrdSwitch made = {.kind = CARDAN_EVENT_DRIVE, .object = element->joint};
    bool path = element->kind != NULL && element->kind->curve;
    element->first_switch = *count;
    for (int k = 0; k < element->laws; k++)
        add_law(structure, structure->drives[element->law + k], path, made, reads, count);
}

CardanStatus crd_structure_switches(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    assert(structure->laws != NULL && structure->drives != NULL && structure->switches == NULL);
    long long total = structure->switch_count, max = 0;
    for (int i = 0; i < structure->drive_count; i++) total += crd_expr_kink_count(structure->drives[i]);
    total += description->event_count;
    if (total > INT_MAX)
        return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: a size does not fit 32 bits");
    for (int i = 0; i < CRD_FORCE_LAWS * description->force_count; i++)
        if (structure->laws[i] != NULL && crd_expr_kink_count(structure->laws[i]) > max)
            max = crd_expr_kink_count(structure->laws[i]);
    for (int i = 0; i < structure->drive_count; i++)
        if (crd_expr_kink_count(structure->drives[i]) > max) max = crd_expr_kink_count(structure->drives[i]);
    structure->switches = crd_new((size_t)total, sizeof *structure->switches);
    bool *reads = crd_new((size_t)max, sizeof *reads);
    if (structure->switches == NULL || reads == NULL) {
        crd_delete(reads);
        return crd_fail_memory(error);
    }
    int count = 0;
    for (int i = 0; i < description->force_count; i++) add_force(structure, description, i, reads, &count);
    assert(count == structure->switch_count); /* those of forces */
    structure->first_drive_switch = count;
    for (int i = 0; i < structure->element_count; i++) add_element(structure, &structure->elements[i], reads, &count);
    structure->first_event = count;
    for (int i = 0; i < description->event_count; i++)
        structure->switches[count++] = (CrdSwitch){.kind = CARDAN_EVENT_USER, .object = i};
    assert(count == total);
    structure->switch_count = count;
    crd_delete(reads);
    return CARDAN_OK;
}
