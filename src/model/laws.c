/* Laws of forces and drives: names become variables, texts become programs. */
#include "model/model.h"

#include "build/law_check.h"
#include "core/memory.h"

#include <assert.h>
#include <string.h>

typedef struct Names {
    CrdStructure *structure;
    const CrdDescription *description;
    int capacity;
    CrdLawScope scope;   /* of the law being compiled */
    CardanStatus status; /* of the last measure that was asked for */
} Names;

static int measure_variable(Names *names, const CrdLawMeasure *it) {
    CrdStructure *structure = names->structure;
    int first = crd_law_measures(structure);
    for (int i = 0; i < structure->law_measure_count; i++)
        if (memcmp(&structure->law_measures[i], it, sizeof *it) == 0) return first + i;
    if (!crd_grow(&structure->law_measures, &names->capacity, structure->law_measure_count + 1,
                  sizeof *structure->law_measures)) {
        names->status = CARDAN_ERR_MEMORY;
        return -1;
    }
    structure->law_measures[structure->law_measure_count] = *it;
    return first + structure->law_measure_count++;
}

static int find(const void *user, const char *name, size_t length) {
    Names *names = *(Names *const *)user;
    const CrdDescription *description = names->description;
    bool two = names->scope == CRD_LAW_OF_TWO;
    if (length == 1 && name[0] == 't') return CRD_LAW_TIME;
    if (length == 1 && name[0] == 'x' && two) return CRD_LAW_X;
    if (length == 1 && name[0] == 'v' && two) return CRD_LAW_V;
    CrdNamed number = crd_names_find(&description->numbers, name, length);
    if (number.kind == CRD_NAME_PARAMETER) return CRD_LAW_OWN + number.index;
    if (number.kind == CRD_NAME_INPUT) return CRD_LAW_OWN + description->parameter_count + number.index;
    if (names->scope == CRD_LAW_OF_TIME) return -1;
    int state = crd_find_state(description, name, length);
    if (state >= 0) return crd_law_states(names->structure) + state;
    CrdLawMeasure it;
    if (!crd_find_measure(description, names->structure, name, length, &it)) return -1;
    bool one = it.column > 0 || crd_measures[it.measure].width[description->space] == 1;
    bool in_laws = it.measure == CRD_OFFERED || crd_measures[it.measure].in_laws;
    return one && in_laws ? measure_variable(names, &it) : -1;
}

static CardanStatus compile_law(Names *names, const CrdForceDesc *force, int k, CrdExpr **out, CrdError *error) {
    assert(force->law[k] != NULL && force->law[k][0] != '\0');
    Names *handle = names;
    names->scope = crd_law_scope(force);
    CrdSymbols symbols = {.find = find, .suggest = NULL, .user = &handle};
    CrdError inner = {0};
    CardanStatus status = crd_expr_compile(force->law[k], &symbols, out, &inner);
    if (status >= 0) return status;
    if (status == CARDAN_ERR_MEMORY || names->status == CARDAN_ERR_MEMORY) return crd_fail_memory(error);
    CrdPlace place = force->law_place[k];
    if (place.line > 0) place.column += inner.place.column > 0 ? inner.place.column - 1 : 0;
    return crd_fail_at(error, CARDAN_ERR_MODEL, place, "force '%s': %s", force->name, inner.text);
}

CardanStatus crd_structure_laws(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    assert(structure->state_of_states != NULL && structure->laws == NULL); /* states are variables of laws */
    Names names = {.structure = structure, .description = description};
    structure->laws = crd_new(CRD_FORCE_LAWS * (size_t)description->force_count, sizeof(CrdExpr *));
    if (structure->laws == NULL) return crd_fail_memory(error);
    for (int i = 0; i < description->force_count; i++)
        for (int k = 0; k < CRD_FORCE_LAWS; k++) {
            const CrdForceDesc *force = &description->forces[i];
            CrdExpr **law = &structure->laws[CRD_FORCE_LAWS * i + k];
            if (force->law[k] != NULL) CRD_TRY(compile_law(&names, force, k, law, error));
        }
    return CARDAN_OK;
}

/* ---- drives ---- */

typedef struct DriveNames {
    const CrdDescription *description;
    char variable; /* t or s */
} DriveNames;

static int find_in_drive(const void *user, const char *name, size_t length) {
    const DriveNames *names = user;
    const CrdDescription *description = names->description;
    if (length == 1 && name[0] == names->variable) return 0;
    CrdNamed named = crd_names_find(&description->numbers, name, length);
    if (named.kind == CRD_NAME_PARAMETER) return 1 + named.index;
    return named.kind == CRD_NAME_INPUT ? 1 + description->parameter_count + named.index : -1;
}

static CardanStatus compile_drive(const CrdDescription *description, const CrdJointDesc *joint, int k, CrdExpr **out,
                                  CrdError *error) {
    assert(joint->law[k] != NULL);
    DriveNames names = {description, crd_joint_kinds[joint->type]->curve ? 's' : 't'};
    CrdSymbols symbols = {.find = find_in_drive, .user = &names};
    CrdError inner = {0};
    CardanStatus status = crd_expr_compile(joint->law[k], &symbols, out, &inner);
    if (status >= 0) return status;
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(error);
    return crd_fail_at(error, CARDAN_ERR_MODEL, joint->law_place[k], "joint '%s': %s", joint->name, inner.text);
}

CardanStatus crd_structure_drives(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    assert(structure->elements != NULL && structure->drives == NULL);
    structure->drives = crd_new((size_t)structure->drive_count, sizeof(CrdExpr *));
    if (structure->drives == NULL) return crd_fail_memory(error);
    for (int e = 0; e < structure->element_count; e++)
        for (int k = 0; k < structure->elements[e].laws; k++)
            CRD_TRY(compile_drive(description, &description->joints[structure->elements[e].joint], k,
                                  &structure->drives[structure->elements[e].law + k], error));
    return CARDAN_OK;
}
