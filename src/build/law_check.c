#include "build/law_check.h"

#include "build/parameters.h"
#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

typedef struct Scope {
    const CrdDescription *description;
    CrdLawScope kind;
    bool *uses_state; /* written by the finder, which sees its own data as const */
    bool strict;      /* measures must be there */
} Scope;

/* By scope: variables of one letter that hide parameters of that name, and why there are no measures; NULL: there
 * are. */
static const struct {
    const char *own, *refusal;
} RULES[] = {
    [CRD_LAW_OF_STATE] = {"", NULL},
    [CRD_LAW_OF_TWO] = {"xv", NULL},
    [CRD_LAW_OF_TIME] = {"", "a target may use the time and inputs, but no measures"},
    [CRD_LAW_OF_DRIVE] = {"t", "a drive may use t, parameters and inputs, no measures"},
    [CRD_LAW_OF_PATH] = {"s", "a path on a body may use s and parameters only"},
};

int crd_find_state(const CrdDescription *description, const char *name, size_t length) {
    const char *dot = memchr(name, '.', length);
    if (dot == NULL) return -1;
    CrdNamed named = crd_names_find(&description->names, name, (size_t)(dot - name));
    if (named.kind != CRD_NAME_STATES || dot + 2 >= name + length || dot[1] != 'z') return -1;
    int k = 0, first = 0;
    for (const char *c = dot + 2; c < name + length; c++) {
        if (*c < '0' || *c > '9' || k >= description->states[named.index].def.count) return -1;
        k = 10 * k + (*c - '0');
    }
    for (int i = 0; i < named.index; i++) first += description->states[i].def.count;
    return k < description->states[named.index].def.count ? first + k : -1;
}

static const CrdMeasureRecord *measure_of(const CrdDescription *description, const char *what, size_t length,
                                          CrdMeasureOf of) {
    int measure = crd_measure_find(what, length, of, description->space);
    return measure >= 0 ? &crd_measures[measure] : NULL;
}

/* Does the object of `name.what` have that measure in laws? */
static bool has_measure(const CrdDescription *description, const char *name, const char *dot, size_t length) {
    CrdNamed named = crd_names_find(&description->names, name, (size_t)(dot - name));
    const char *what = dot + 1;
    if (named.kind == CRD_NAME_STATES) return crd_find_state(description, name, length) >= 0;
    size_t n = length - (size_t)(what - name);
    if (named.kind == CRD_NAME_BODY) {
        const CrdMeasureRecord *measure = measure_of(description, what, n, CRD_OF_BODY);
        return measure != NULL && measure->in_laws &&
               !(measure->orientation && description->bodies[named.index].particle);
    }
    if (named.kind == CRD_NAME_FORCE)
        return crd_force_kinds[description->forces[named.index].type]->length != NULL &&
               measure_of(description, what, n, CRD_OF_SPRING) != NULL;
    if (named.kind != CRD_NAME_JOINT) return false;
    const CrdMeasureRecord *measure = measure_of(description, what, n, CRD_OF_JOINT);
    const CrdJointDesc *joint = &description->joints[named.index];
    if (measure == NULL || !measure->in_laws || joint->rows != NULL) return false;
    return measure->coordinate == CARDAN_COORDINATE_NONE ||
           crd_joint_has(crd_joint_kinds[joint->type], measure->coordinate);
}

static int find_name(const void *user, const char *name, size_t length) {
    const Scope *scope = user;
    const CrdDescription *description = scope->description;
    const char *dot = memchr(name, '.', length);
    CrdNamed number = crd_names_find(&description->numbers, name, length);
    bool own = length == 1 && strchr(RULES[scope->kind].own, name[0]) != NULL;
    if (!own && number.kind == CRD_NAME_PARAMETER) return number.index;
    bool known = own || (number.kind == CRD_NAME_INPUT && scope->kind != CRD_LAW_OF_PATH);
    if (length == 1 && name[0] == 't' && scope->kind != CRD_LAW_OF_PATH) known = true;
    if (dot != NULL) known = RULES[scope->kind].refusal == NULL; /* told by suggest_name */
    if (known && dot != NULL) known = !scope->strict || has_measure(description, name, dot, length);
    if (known) *scope->uses_state = true;
    return known ? description->parameter_count : -1; /* which of them does not matter: only names are checked */
}

/* "it has: x, y, vx, vy" */
static const char *list_measures(const CrdDescription *description, CrdMeasureOf of, const char *name, size_t length,
                                 char *buffer, size_t size) {
    const char *words[CRD_MEASURES];
    char list[160], full[128];
    int count = 0;
    for (int i = 0; i < CRD_MEASURES; i++) {
        const char *what = crd_measures[i].name;
        if (length + strlen(what) + 2 > sizeof full || crd_measures[i].of != of) continue;
        int n = snprintf(full, sizeof full, "%.*s.%s", (int)length, name, what);
        if (has_measure(description, full, full + length, (size_t)n)) words[count++] = what;
    }
    if (count == 0) return "it has no measures for laws";
    snprintf(buffer, size, "it has: %s", crd_word_list(words, count, list, sizeof list));
    return buffer;
}

static const char *suggest_measure(const CrdDescription *description, const char *name, const char *dot, size_t length,
                                   char *buffer, size_t size) {
    size_t n = (size_t)(dot - name), rest = length - n - 1;
    CrdNamed named = crd_names_find(&description->names, name, n);
    if (named.kind == CRD_NAME_NONE) {
        unsigned kinds = 1u << CRD_NAME_BODY | 1u << CRD_NAME_JOINT;
        const char *near = crd_nearest_of(description, kinds, name, n);
        if (near == NULL || strcmp(near, "ground") == 0) return NULL;
        snprintf(buffer, size, "did you mean '%s.%.*s'?", near, (int)(rest < 32 ? rest : 32), dot + 1);
        return buffer;
    }
    CrdMeasureOf of = named.kind == CRD_NAME_BODY    ? CRD_OF_BODY
                      : named.kind == CRD_NAME_FORCE ? CRD_OF_SPRING
                                                     : CRD_OF_JOINT;
    const CrdMeasureRecord *measure = measure_of(description, dot + 1, rest, of);
    if (measure != NULL && !measure->in_laws) return "it is for outputs only and refused in laws";
    return list_measures(description, of, name, n, buffer, size);
}

static const char *suggest_name(const void *user, const char *name, size_t length, char *buffer, size_t size) {
    const Scope *scope = user;
    const CrdDescription *description = scope->description;
    const char *dot = memchr(name, '.', length);
    const char *refusal = RULES[scope->kind].refusal;
    if (refusal != NULL && (dot != NULL || (length == 1 && name[0] == 't'))) return refusal;
    if (dot != NULL) return suggest_measure(description, name, dot, length, buffer, size);
    if (refusal == NULL && measure_of(description, name, length, CRD_OF_MODEL) != NULL)
        return "it is for outputs only and refused in laws";
    unsigned kinds = 1u << CRD_NAME_PARAMETER | (scope->kind != CRD_LAW_OF_PATH ? 1u << CRD_NAME_INPUT : 0u);
    const char *near = crd_nearest_of(description, kinds, name, length);
    if (near == NULL) return NULL;
    snprintf(buffer, size, "did you mean '%s'?", near);
    return buffer;
}

static CardanStatus compile(const CrdDescription *description, const char *text, CrdLawScope kind, bool strict,
                            bool *uses, CrdError *error) {
    Scope scope = {description, kind, uses, strict};
    CrdSymbols symbols = {.find = find_name, .suggest = suggest_name, .user = &scope};
    CrdExpr *compiled = NULL;
    *uses = false;
    CRD_TRY(crd_refuse_not_finite(description, text, error));
    CRD_TRY(crd_expr_compile(text, &symbols, &compiled, error));
    crd_expr_free(compiled);
    return CARDAN_OK;
}

CardanStatus crd_law_uses_state(const CrdDescription *description, const char *text, CrdLawScope scope, bool *uses,
                                CrdError *error) {
    return compile(description, text, scope, false, uses, error);
}

CardanStatus crd_law_check(const CrdDescription *description, const char *text, CrdLawScope scope, CrdError *error) {
    bool uses;
    return compile(description, text, scope, true, &uses, error);
}

CardanStatus crd_drive_check(const CrdDescription *description, const char *text, char variable, bool *uses,
                             CrdError *error) {
    return compile(description, text, variable == 's' ? CRD_LAW_OF_PATH : CRD_LAW_OF_DRIVE, true, uses, error);
}
