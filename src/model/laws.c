/* Laws of forces and drives: names become variables, texts become programs. */
#include "model/model.h"

#include "build/law_check.h"
#include "core/memory.h"

#include <string.h>

typedef struct Names {
    CrdShape *shape;
    const CrdDescription *description;
    int capacity;
    CrdLawScope scope;   /* of the law being compiled */
    CardanStatus status; /* of the last measure that was asked for */
} Names;

static bool same(const char *name, const char *text, size_t length) {
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static int measure_variable(Names *names, CrdMeasure measure, int object) {
    CrdShape *s = names->shape;
    int first = crd_law_measures(s);
    for (int i = 0; i < s->law_measure_count; i++)
        if (s->law_measures[i].measure == measure && s->law_measures[i].object == object) return first + i;
    if (!crd_grow(&s->law_measures, &names->capacity, s->law_measure_count + 1, sizeof *s->law_measures)) {
        names->status = CARDAN_ERR_MEMORY;
        return -1;
    }
    s->law_measures[s->law_measure_count] = (CrdLawMeasure){measure, object};
    return first + s->law_measure_count++;
}

static int find(const void *user, const char *name, size_t length) {
    Names *names = *(Names *const *)user;
    const CrdDescription *d = names->description;
    if (same("t", name, length)) return CRD_LAW_TIME;
    if (names->scope == CRD_LAW_OF_TWO && same("x", name, length)) return CRD_LAW_X;
    if (names->scope == CRD_LAW_OF_TWO && same("v", name, length)) return CRD_LAW_V;
    CrdNamed number = crd_names_find(&d->numbers, name, length);
    if (number.kind == CRD_NAME_PARAMETER) return CRD_LAW_OWN + number.index;
    if (number.kind == CRD_NAME_INPUT) return CRD_LAW_OWN + d->parameter_count + number.index;
    if (names->scope == CRD_LAW_OF_TIME) return -1;
    int state = crd_find_state(d, name, length);
    if (state >= 0) return crd_law_states(names->shape) + state;
    CrdMeasure measure;
    int object;
    if (!crd_find_measure(d, names->shape, name, length, &measure, &object) || !crd_measures[measure].in_laws)
        return -1;
    return measure_variable(names, measure, object);
}

static CardanStatus compile_law(Names *names, const CrdForceDesc *force, int k, CrdExpr **out, CrdError *error) {
    Names *handle = names;
    names->scope = crd_law_scope(force->type);
    CrdSymbols symbols = {.find = find, .suggest = NULL, .user = &handle};
    CrdError inner = {0};
    CardanStatus status = crd_expr_compile(force->law[k], &symbols, out, &inner);
    if (status >= 0) return status;
    if (status == CARDAN_ERR_MEMORY || names->status == CARDAN_ERR_MEMORY) return crd_fail_memory(error);
    CrdPlace place = force->law_place[k];
    if (place.line > 0) place.column += inner.place.column > 0 ? inner.place.column - 1 : 0;
    return crd_fail_at(error, CARDAN_ERR_MODEL, place, "force '%s': %s", force->name, inner.text);
}

CardanStatus crd_shape_laws(CrdShape *s, const CrdDescription *d, CrdError *error) {
    Names names = {.shape = s, .description = d};
    s->laws = crd_new(CRD_FORCE_LAWS * (size_t)d->force_count, sizeof(CrdExpr *));
    if (s->laws == NULL) return crd_fail_memory(error);
    for (int i = 0; i < d->force_count; i++)
        for (int k = 0; k < CRD_FORCE_LAWS; k++)
            if (d->forces[i].law[k] != NULL)
                CRD_TRY(compile_law(&names, &d->forces[i], k, &s->laws[CRD_FORCE_LAWS * i + k], error));
    return CARDAN_OK;
}

/* ---- drives ---- */

typedef struct DriveNames {
    const CrdDescription *description;
    char variable; /* t or s */
} DriveNames;

static int find_in_drive(const void *user, const char *name, size_t length) {
    const DriveNames *names = user;
    const CrdDescription *d = names->description;
    if (length == 1 && name[0] == names->variable) return 0;
    CrdNamed named = crd_names_find(&d->numbers, name, length);
    if (named.kind == CRD_NAME_PARAMETER) return 1 + named.index;
    return named.kind == CRD_NAME_INPUT ? 1 + d->parameter_count + named.index : -1;
}

static CardanStatus compile_drive(const CrdDescription *d, const CrdJointDesc *joint, int k, CrdExpr **out,
                                  CrdError *error) {
    DriveNames names = {d, joint->type == CARDAN_CURVE ? 's' : 't'};
    CrdSymbols symbols = {.find = find_in_drive, .user = &names};
    CrdError inner = {0};
    CardanStatus status = crd_expr_compile(joint->law[k], &symbols, out, &inner);
    if (status >= 0) return status;
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(error);
    return crd_fail_at(error, CARDAN_ERR_MODEL, joint->law_place[k], "joint '%s': %s", joint->name, inner.text);
}

CardanStatus crd_shape_drives(CrdShape *s, const CrdDescription *d, CrdError *error) {
    s->drives = crd_new((size_t)s->drive_count, sizeof(CrdExpr *));
    if (s->drives == NULL) return crd_fail_memory(error);
    for (int e = 0; e < s->element_count; e++)
        for (int k = 0; k < s->elements[e].laws; k++)
            CRD_TRY(compile_drive(d, &d->joints[s->elements[e].joint], k, &s->drives[s->elements[e].law + k], error));
    return CARDAN_OK;
}
