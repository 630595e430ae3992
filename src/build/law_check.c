#include "build/law_check.h"

#include "build/fields.h"
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

/* What an object of a name has as measures; 0: nothing. */
static CrdMeasureOf kind_of(CrdNameKind kind) {
    switch (kind) {
    case CRD_NAME_BODY:
        return CRD_OF_BODY;
    case CRD_NAME_MARKER:
        return CRD_OF_MARKER;
    case CRD_NAME_JOINT:
        return CRD_OF_JOINT;
    case CRD_NAME_FORCE:
        return CRD_OF_FORCE;
    default:
        return (CrdMeasureOf)0;
    }
}

static bool is_particle(const CrdDescription *description, CrdNamed named) {
    if (named.kind == CRD_NAME_BODY) return description->bodies[named.index].particle;
    CrdFrameDesc frame = description->frames[description->markers[named.index].frame];
    return frame.kind == CRD_FRAME_BODY && description->bodies[frame.object].particle;
}

/* Has the object this measure, for laws? */
static bool has(const CrdDescription *description, CrdNamed named, const CrdMeasureRecord *measure) {
    if (!measure->in_laws) return false;
    if (named.kind == CRD_NAME_BODY || named.kind == CRD_NAME_MARKER)
        return !(measure->orientation && is_particle(description, named));
    if (named.kind == CRD_NAME_FORCE) return true;
    if (named.kind != CRD_NAME_JOINT) return false;
    const CrdJointDesc *joint = &description->joints[named.index];
    if (measure->has == CRD_HAS_COMPLIANCE) return joint->rows == NULL && crd_is_compliant(joint);
    return joint->rows == NULL && crd_kind_has(crd_joint_kinds[joint->type], measure);
}

/* A law reads one number. */
static bool is_one(const CrdDescription *description, int measure, int column) {
    return column > 0 || crd_measures[measure].width[description->space] == 1;
}

/* wrench.crank.fx: is there such a body and column? Whether the force loads it is found when laws are compiled. */
static bool has_on_body(const CrdDescription *description, CrdNamed named, const char *what, size_t length) {
    const char *end = what + length, *dot = memchr(what, '.', length);
    const char *last = dot != NULL ? memchr(dot + 1, '.', (size_t)(end - dot - 1)) : NULL;
    int column, i = -1;
    if (last == NULL) return false;
    CrdNamed body = crd_names_find(&description->names, dot + 1, (size_t)(last - dot - 1));
    i = crd_measure_next(i, what, (size_t)(dot - what), kind_of(named.kind), description->space, &column);
    return i >= 0 && crd_measures[i].on_bodies && crd_measures[i].in_laws && body.kind == CRD_NAME_BODY &&
           crd_measure_column(&crd_measures[i], description->space, last + 1, (size_t)(end - last - 1)) > 0;
}

/* Of the whole model: momentum.x, and in the plane angular_momentum. */
static bool has_of_all(const CrdDescription *description, const char *name, size_t length) {
    int column, i = crd_measure_next(-1, name, length, CRD_OF_MODEL, description->space, &column);
    return i >= 0 && crd_measures[i].in_laws && is_one(description, i, column);
}

/* Does the object of `name.what` have that measure in laws? */
static bool has_measure(const CrdDescription *description, const char *name, const char *dot, size_t length) {
    CrdNamed named = crd_names_find(&description->names, name, (size_t)(dot - name));
    const char *what = dot + 1;
    size_t n = length - (size_t)(what - name);
    if (named.kind == CRD_NAME_NONE) return has_of_all(description, name, length);
    if (named.kind == CRD_NAME_STATES) return crd_find_state(description, name, length) >= 0;
    if (named.kind == CRD_NAME_FORCE &&
        crd_offer_find(crd_force_kinds[description->forces[named.index].type], description->space, what, n) >= 0)
        return true;
    int column;
    for (int i = -1; (i = crd_measure_next(i, what, n, kind_of(named.kind), description->space, &column)) >= 0;)
        if (is_one(description, i, column) && has(description, named, &crd_measures[i])) return true;
    return has_on_body(description, named, what, n);
}

/* distance(foot, hip): do both places exist, and may the measure be taken there? */
static bool has_pair(const CrdDescription *description, const char *name, size_t length) {
    CrdPairName pair;
    if (!crd_split_pair(name, length, &pair)) return false;
    int column, measure = crd_measure_next(-1, pair.word[0], pair.length[0], CRD_OF_PAIR, description->space, &column);
    bool there = measure >= 0;
    for (int k = 1; k < 3 && there; k++) {
        CrdNamed named = crd_names_find(&description->names, pair.word[k], pair.length[k]);
        there = (named.kind == CRD_NAME_BODY || named.kind == CRD_NAME_MARKER) &&
                has(description, named, &crd_measures[measure]);
    }
    return there;
}

static int find_name(const void *user, const char *name, size_t length) {
    const Scope *scope = user;
    const CrdDescription *description = scope->description;
    const char *dot = memchr(name, '.', length);
    bool pair = memchr(name, '(', length) != NULL;
    CrdNamed number = crd_names_find(&description->numbers, name, length);
    bool own = length == 1 && strchr(RULES[scope->kind].own, name[0]) != NULL;
    if (!own && number.kind == CRD_NAME_PARAMETER) return number.index;
    bool known = own || (number.kind == CRD_NAME_INPUT && scope->kind != CRD_LAW_OF_PATH);
    if (length == 1 && name[0] == 't' && scope->kind != CRD_LAW_OF_PATH) known = true;
    if (pair || dot != NULL) known = RULES[scope->kind].refusal == NULL; /* told by suggest_name */
    if (known && pair) known = !scope->strict || has_pair(description, name, length);
    if (!known && !pair && dot == NULL && RULES[scope->kind].refusal == NULL)
        known = has_of_all(description, name, length);
    if (known && dot != NULL && !pair) known = !scope->strict || has_measure(description, name, dot, length);
    if (known) *scope->uses_state = true;
    return known ? description->parameter_count : -1; /* which of them does not matter: only names are checked */
}

/* "it has: x, y, vx, vy" */
static const char *list_measures(const CrdDescription *description, CrdNamed named, char *buffer, size_t size) {
    const char *words[CRD_MEASURES + CRD_TABLE_ROOM];
    char list[160];
    int count = 0;
    for (int i = 0; i < CRD_MEASURES; i++)
        if ((crd_measures[i].of & kind_of(named.kind)) != 0 && crd_measures[i].space[description->space] &&
            has(description, named, &crd_measures[i]))
            words[count++] = crd_measures[i].name;
    CrdOffers offers = {NULL, 0};
    if (named.kind == CRD_NAME_FORCE) offers = crd_force_kinds[description->forces[named.index].type]->offers;
    for (int i = 0; i < offers.count; i++)
        if (!offers.rows[i].spatial || description->space == CARDAN_SPACE_SPATIAL) words[count++] = offers.rows[i].name;
    if (count == 0) return "it has no measures for laws";
    snprintf(buffer, size, "it has: %s", crd_word_list(words, count, list, sizeof list));
    return buffer;
}

/* Why a measure that is there cannot stand in a law; NULL: it can. */
static const char *refuse_measure(const CrdDescription *description, int measure, int column, const char *name,
                                  size_t length, char *buffer, size_t size) {
    const CrdMeasureRecord *record = &crd_measures[measure];
    if (!record->in_laws) return "it is for outputs only and refused in laws";
    if (is_one(description, measure, column)) return NULL;
    char list[80];
    snprintf(buffer, size, "a law reads one number of it: '%.*s.%s', of %s", (int)(length < 64 ? length : 64), name,
             record->part[description->space][0],
             crd_word_list(record->part[description->space], record->width[description->space], list, sizeof list));
    return buffer;
}

static const char *suggest_measure(const CrdDescription *description, const char *name, const char *dot, size_t length,
                                   char *buffer, size_t size) {
    size_t n = (size_t)(dot - name), rest = length - n - 1;
    CrdNamed named = crd_names_find(&description->names, name, n);
    if (named.kind == CRD_NAME_NONE) {
        unsigned kinds = 1u << CRD_NAME_BODY | 1u << CRD_NAME_JOINT | 1u << CRD_NAME_FORCE | 1u << CRD_NAME_MARKER;
        const char *near = crd_nearest_of(description, kinds, name, n);
        if (near == NULL || strcmp(near, "ground") == 0) return NULL;
        snprintf(buffer, size, "did you mean '%s.%.*s'?", near, (int)(rest < 32 ? rest : 32), dot + 1);
        return buffer;
    }
    int column, measure = crd_measure_next(-1, dot + 1, rest, kind_of(named.kind), description->space, &column);
    const char *refusal =
        measure >= 0 ? refuse_measure(description, measure, column, name, length, buffer, size) : NULL;
    if (refusal != NULL) return refusal;
    return list_measures(description, named, buffer, size);
}

static const char *suggest_name(const void *user, const char *name, size_t length, char *buffer, size_t size) {
    const Scope *scope = user;
    const CrdDescription *description = scope->description;
    const char *dot = memchr(name, '.', length);
    const char *refusal = RULES[scope->kind].refusal;
    if (refusal != NULL && (dot != NULL || memchr(name, '(', length) != NULL || (length == 1 && name[0] == 't')))
        return refusal;
    int column, measure = crd_measure_next(-1, name, length, CRD_OF_MODEL, description->space, &column);
    bool of_all =
        measure >= 0 && refusal == NULL &&
        (dot == NULL || crd_names_find(&description->names, name, (size_t)(dot - name)).kind == CRD_NAME_NONE);
    if (of_all) return refuse_measure(description, measure, column, name, length, buffer, size);
    if (dot != NULL && memchr(name, '(', length) == NULL)
        return suggest_measure(description, name, dot, length, buffer, size);
    if (memchr(name, '(', length) != NULL) return "distance and angle take two markers or bodies: distance(foot, hip)";
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
