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

CrdLawScope crd_law_scope(CardanForceType type) {
    if (type == CARDAN_MOTOR) return CRD_LAW_OF_TIME;
    return type == CARDAN_SPRING || type == CARDAN_TORSION ? CRD_LAW_OF_TWO : CRD_LAW_OF_STATE;
}

const char *crd_law_key(CardanForceType type) {
    static const char *const KEYS[] = {
        [CRD_LAW_OF_STATE] = "value", [CRD_LAW_OF_TWO] = "law", [CRD_LAW_OF_TIME] = "target"};
    return KEYS[crd_law_scope(type)];
}

int crd_find_state(const CrdDescription *d, const char *name, size_t length) {
    const char *dot = memchr(name, '.', length);
    if (dot == NULL) return -1;
    CrdNamed named = crd_names_find(&d->names, name, (size_t)(dot - name));
    if (named.kind != CRD_NAME_STATES || dot + 2 >= name + length || dot[1] != 'z') return -1;
    int k = 0, first = 0;
    for (const char *c = dot + 2; c < name + length; c++) {
        if (*c < '0' || *c > '9' || k >= d->states[named.index].def.count) return -1;
        k = 10 * k + (*c - '0');
    }
    for (int i = 0; i < named.index; i++) first += d->states[i].def.count;
    return k < d->states[named.index].def.count ? first + k : -1;
}

static const CrdMeasureRecord *measure_of(const CrdDescription *d, const char *what, size_t length, CrdMeasureOf of) {
    int measure = crd_measure_find(what, length, of, d->space);
    return measure >= 0 ? &crd_measures[measure] : NULL;
}

/* Does the object of `name.what` have that measure in laws? */
static bool has_measure(const CrdDescription *d, const char *name, const char *dot, size_t length) {
    CrdNamed named = crd_names_find(&d->names, name, (size_t)(dot - name));
    const char *what = dot + 1;
    if (named.kind == CRD_NAME_STATES) return crd_find_state(d, name, length) >= 0;
    size_t n = length - (size_t)(what - name);
    if (named.kind == CRD_NAME_BODY) {
        const CrdMeasureRecord *m = measure_of(d, what, n, CRD_OF_BODY);
        return m != NULL && m->in_laws && !(m->orientation && d->bodies[named.index].particle);
    }
    if (named.kind == CRD_NAME_FORCE)
        return d->forces[named.index].type == CARDAN_SPRING && measure_of(d, what, n, CRD_OF_SPRING) != NULL;
    if (named.kind != CRD_NAME_JOINT) return false;
    const CrdMeasureRecord *m = measure_of(d, what, n, CRD_OF_JOINT);
    const CrdJointDesc *joint = &d->joints[named.index];
    if (m == NULL || !m->in_laws || joint->rows != NULL) return false;
    return m->coordinate == CARDAN_NO_COORDINATE || crd_joint_has(crd_joint_kinds[joint->type], m->coordinate);
}

static int find_name(const void *user, const char *name, size_t length) {
    const Scope *scope = user;
    const CrdDescription *d = scope->description;
    const char *dot = memchr(name, '.', length);
    CrdNamed number = crd_names_find(&d->numbers, name, length);
    bool own = scope->kind == CRD_LAW_OF_TWO && length == 1 && (name[0] == 'x' || name[0] == 'v');
    if (!own && number.kind == CRD_NAME_PARAMETER) return number.index;
    bool known = own || (length == 1 && name[0] == 't') || number.kind == CRD_NAME_INPUT;
    if (dot != NULL) known = scope->kind != CRD_LAW_OF_TIME; /* told by suggest_name */
    if (known && dot != NULL) known = !scope->strict || has_measure(d, name, dot, length);
    if (known) *scope->uses_state = true;
    return known ? d->parameter_count : -1; /* which of them does not matter: only names are checked */
}

/* "it has: x, y, vx, vy" */
static const char *list_measures(const CrdDescription *d, CrdMeasureOf of, const char *name, size_t length,
                                 char *buffer, size_t size) {
    const char *words[CRD_MEASURES];
    char list[160], full[128];
    int count = 0;
    for (int i = 0; i < CRD_MEASURES; i++) {
        const char *what = crd_measures[i].name;
        if (length + strlen(what) + 2 > sizeof full || crd_measures[i].of != of) continue;
        int n = snprintf(full, sizeof full, "%.*s.%s", (int)length, name, what);
        if (has_measure(d, full, full + length, (size_t)n)) words[count++] = what;
    }
    if (count == 0) return "it has no measures for laws";
    snprintf(buffer, size, "it has: %s", crd_word_list(words, count, list, sizeof list));
    return buffer;
}

static const char *suggest_measure(const CrdDescription *d, const char *name, const char *dot, size_t length,
                                   char *buffer, size_t size) {
    size_t n = (size_t)(dot - name), rest = length - n - 1;
    CrdNamed named = crd_names_find(&d->names, name, n);
    if (named.kind == CRD_NAME_NONE) {
        unsigned kinds = 1u << CRD_NAME_BODY | 1u << CRD_NAME_JOINT;
        const char *near = crd_nearest_of(d, kinds, name, n);
        if (near == NULL || strcmp(near, "ground") == 0) return NULL;
        snprintf(buffer, size, "did you mean '%s.%.*s'?", near, (int)(rest < 32 ? rest : 32), dot + 1);
        return buffer;
    }
    CrdMeasureOf of = named.kind == CRD_NAME_BODY    ? CRD_OF_BODY
                      : named.kind == CRD_NAME_FORCE ? CRD_OF_SPRING
                                                     : CRD_OF_JOINT;
    const CrdMeasureRecord *m = measure_of(d, dot + 1, rest, of);
    if (m != NULL && !m->in_laws) return "it is for outputs only and refused in laws";
    return list_measures(d, of, name, n, buffer, size);
}

static const char *suggest_name(const void *user, const char *name, size_t length, char *buffer, size_t size) {
    const Scope *scope = user;
    const CrdDescription *d = scope->description;
    const char *dot = memchr(name, '.', length);
    if (dot != NULL && scope->kind == CRD_LAW_OF_TIME) return "a target may use the time and inputs, but no measures";
    if (dot != NULL) return suggest_measure(d, name, dot, length, buffer, size);
    if (measure_of(d, name, length, CRD_OF_MODEL) != NULL) return "it is for outputs only and refused in laws";
    unsigned kinds = 1u << CRD_NAME_PARAMETER | 1u << CRD_NAME_INPUT;
    const char *near = crd_nearest_of(d, kinds, name, length);
    if (near == NULL) return NULL;
    snprintf(buffer, size, "did you mean '%s'?", near);
    return buffer;
}

static CardanStatus compile(const CrdDescription *d, const char *text, CrdLawScope kind, bool strict, bool *uses,
                            CrdError *error) {
    Scope scope = {d, kind, uses, strict};
    CrdSymbols symbols = {.find = find_name, .suggest = suggest_name, .user = &scope};
    CrdExpr *compiled = NULL;
    *uses = false;
    CRD_TRY(crd_refuse_not_finite(d, text, error));
    CRD_TRY(crd_expr_compile(text, &symbols, &compiled, error));
    crd_expr_free(compiled);
    return CARDAN_OK;
}

CardanStatus crd_law_uses_state(const CrdDescription *d, const char *text, CrdLawScope scope, bool *uses,
                                CrdError *error) {
    return compile(d, text, scope, false, uses, error);
}

CardanStatus crd_law_check(const CrdDescription *d, const char *text, CrdLawScope scope, CrdError *error) {
    bool uses;
    return compile(d, text, scope, true, &uses, error);
}

/* ---- laws of drives ---- */

typedef struct DriveScope {
    const CrdDescription *description;
    const char *variable;
    bool *uses;
} DriveScope;

static bool is_time(const DriveScope *scope) {
    return strcmp(scope->variable, "t") == 0;
}

static int find_in_drive(const void *user, const char *name, size_t length) {
    const DriveScope *scope = user;
    CrdNamed number = crd_names_find(&scope->description->numbers, name, length);
    bool variable = length == 1 && name[0] == scope->variable[0];
    if (!variable && number.kind == CRD_NAME_PARAMETER) return number.index;
    if (!variable && !(is_time(scope) && number.kind == CRD_NAME_INPUT)) return -1;
    *scope->uses = true;
    return scope->description->parameter_count; /* which of them does not matter: only names are checked */
}

static const char *suggest_in_drive(const void *user, const char *name, size_t length, char *buffer, size_t size) {
    const DriveScope *scope = user;
    unsigned kinds = 1u << CRD_NAME_PARAMETER | (is_time(scope) ? 1u << CRD_NAME_INPUT : 0u);
    if (memchr(name, '.', length) != NULL || (length == 1 && name[0] == 't'))
        return is_time(scope) ? "a drive may use t, parameters and inputs, no measures"
                              : "a path on a body may use s and parameters only";
    const char *near = crd_nearest_of(scope->description, kinds, name, length);
    if (near == NULL) return NULL;
    snprintf(buffer, size, "did you mean '%s'?", near);
    return buffer;
}

CardanStatus crd_drive_check(const CrdDescription *d, const char *text, const char *variable, bool *uses,
                             CrdError *error) {
    DriveScope scope = {d, variable, uses};
    CrdSymbols symbols = {.find = find_in_drive, .suggest = suggest_in_drive, .user = &scope};
    CrdExpr *compiled = NULL;
    *uses = false;
    CRD_TRY(crd_refuse_not_finite(d, text, error));
    CRD_TRY(crd_expr_compile(text, &symbols, &compiled, error));
    crd_expr_free(compiled);
    return CARDAN_OK;
}
