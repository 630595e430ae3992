/* Parameters and bindings. Parameter i is variable i of every expression; a parameter may use those before it, so one
 * pass in order brings all of them up to date. */
#include "build/parameters.h"

#include "build/marker.h"

#include "build/checks.h"
#include "core/memory.h"
#include "core/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- near misses ---- */

typedef struct Nearest {
    const char *word, *name;
    size_t length;
    int distance;
} Nearest;

static void compare(Nearest *nearest, const char *name) {
    int distance = crd_edit_distance(nearest->word, nearest->length, name, strlen(name));
    if (distance > nearest->distance || (distance == nearest->distance && nearest->name != NULL)) return;
    nearest->distance = distance;
    nearest->name = name;
}

const char *crd_nearest_of(const CrdDescription *description, unsigned kinds, const char *word, size_t length) {
    Nearest nearest = {.word = word, .length = length, .distance = length / 3 > 1 ? (int)(length / 3) : 1};
    if (length > 64) return NULL; /* no name somebody would mistype */
    if (kinds & (1u << CRD_NAME_BODY)) {
        compare(&nearest, "ground");
        for (int i = 0; i < description->body_count; i++) compare(&nearest, description->bodies[i].name);
    }
    for (int i = 0; i < description->joint_count && (kinds & (1u << CRD_NAME_JOINT)); i++)
        compare(&nearest, description->joints[i].name);
    for (int i = 0; i < description->force_count && (kinds & (1u << CRD_NAME_FORCE)); i++)
        compare(&nearest, description->forces[i].name);
    for (int i = 0; i < description->marker_count && (kinds & (1u << CRD_NAME_MARKER)); i++)
        compare(&nearest, description->markers[i].name);
    for (int i = 0; i < description->parameter_count && (kinds & (1u << CRD_NAME_PARAMETER)); i++)
        compare(&nearest, description->parameters[i].name);
    for (int i = 0; i < description->input_count && (kinds & (1u << CRD_NAME_INPUT)); i++)
        compare(&nearest, description->inputs[i].name);
    return nearest.name;
}

/* ---- numbers as text ---- */

typedef struct Scope {
    const CrdDescription *description;
    int known; /* parameters that may be used */
} Scope;

static int find_parameter(const void *user, const char *name, size_t length) {
    const Scope *scope = user;
    assert(scope->known <= scope->description->parameter_count);
    CrdNamed named = crd_names_find(&scope->description->numbers, name, length);
    return named.kind == CRD_NAME_PARAMETER && named.index < scope->known ? named.index : -1;
}

static const char *suggest_parameter(const void *user, const char *name, size_t length, char *buffer, size_t size) {
    const Scope *scope = user;
    CrdNamed named = crd_names_find(&scope->description->numbers, name, length);
    if (named.kind == CRD_NAME_INPUT) return "it is an input, and numbers of a model may use parameters only";
    if (named.kind == CRD_NAME_PARAMETER) return "a parameter may use only those before it";
    if (length == 1 && name[0] == 't') return "numbers of a model may not depend on the time";
    const char *nearest = crd_nearest_of(scope->description, 1u << CRD_NAME_PARAMETER, name, length);
    if (nearest == NULL) return NULL;
    snprintf(buffer, size, "did you mean '%s'?", nearest);
    return buffer;
}

/* nan, .inf, -Infinity, ...: what other programs write for numbers that are none. */
static bool is_not_finite_word(const char *text, size_t length) {
    static const char *const WORDS[] = {"nan", "inf", "infinity"};
    size_t i = 0;
    while (i < length && (text[i] == '+' || text[i] == '-' || text[i] == '.')) i++;
    for (size_t w = 0; w < sizeof WORDS / sizeof WORDS[0]; w++) {
        size_t n = strlen(WORDS[w]), k = 0;
        if (length - i != n) continue;
        while (k < n && (text[i + k] | 0x20) == WORDS[w][k]) k++;
        if (k == n) return true;
    }
    return false;
}

CardanStatus crd_refuse_not_finite(const CrdDescription *description, const char *text, CrdError *error) {
    size_t length = strlen(text);
    if (!is_not_finite_word(text, length)) return CARDAN_OK;
    if (crd_names_find(&description->numbers, text, length).kind != CRD_NAME_NONE) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "expected a finite number, found '%s'", crd_shown(text, length).text);
}

CardanStatus crd_number_of(const CrdDescription *description, const char *text, int known, double *value,
                           CrdExpr **expression, CrdError *error) {
    size_t length = strlen(text), used = 0;
    if (expression != NULL) *expression = NULL;
    bool plain = crd_scan_number(text, length, value, &used);
    if (used > 0 && used == length) {
        if (plain) return CARDAN_OK;
        return crd_fail(error, CARDAN_ERR_MODEL, "the number '%s' is too large", crd_shown(text, length).text);
    }
    Scope scope = {description, known};
    CRD_TRY(crd_refuse_not_finite(description, text, error));
    CrdSymbols symbols = {.find = find_parameter, .suggest = suggest_parameter, .user = &scope};
    CrdExpr *compiled = NULL;
    CRD_TRY(crd_expr_compile(text, &symbols, &compiled, error));
    CardanStatus status = crd_expr_value(compiled, description->parameter_values, value, error);
    if (status == CARDAN_ERR_NUMERIC) { /* here it is the model that makes no sense */
        status = CARDAN_ERR_MODEL;
        if (error != NULL) error->status = status;
    }
    bool keep = status >= 0 && expression != NULL && !crd_expr_is_constant(compiled);
    if (keep) *expression = compiled;
    if (!keep) crd_expr_free(compiled);
    return status;
}

/* ---- bindings ---- */

CardanStatus crd_bind(CrdDescription *description, CrdTarget target, CrdExpr *expression, CrdPlace place,
                      CrdError *error) {
    CrdBinding fresh = {target.owner, target.index, target.offset, expression, place};
    for (int i = 0; i < description->binding_count && place.line == 0; i++) { /* in a file no number is bound twice */
        CrdBinding *old = &description->bindings[i];
        if (old->owner != target.owner || old->index != target.index || old->offset != target.offset) continue;
        crd_expr_free(old->expression);
        memmove(old, old + 1, (size_t)(description->binding_count - i - 1) * sizeof *old);
        description->binding_count--;
        break;
    }
    if (expression == NULL) return CARDAN_OK;
    CardanStatus status = crd_list_append(description, CRD_LIST_BINDINGS, &fresh, error);
    if (status < 0) crd_expr_free(expression);
    return status;
}

/* ---- changing parameters ---- */

/* All numbers that follow from the parameters, before or after a change. */
typedef struct Numbers {
    double *parameters; /* parameter_count */
    double *bound;      /* binding_count */
    bool *set;          /* parameter_count; which are given by hand */
} Numbers;

static CardanStatus take_values(const CrdDescription *description, int count, const char *const *names,
                                const double *values, Numbers *numbers, CrdError *error) {
    for (int i = 0; i < description->parameter_count; i++) numbers->parameters[i] = description->parameter_values[i];
    for (int i = 0; i < count; i++) {
        if (names[i] == NULL) return crd_fail(error, CARDAN_ERR_ARGUMENT, "the name of a parameter is NULL");
        size_t length = strlen(names[i]);
        CrdNamed named = crd_names_find(&description->numbers, names[i], length);
        if (named.kind != CRD_NAME_PARAMETER) {
            const char *near = crd_nearest_of(description, 1u << CRD_NAME_PARAMETER, names[i], length);
            return crd_fail(error, CARDAN_ERR_MODEL, "there is no parameter '%s'%s", crd_shown(names[i], length).text,
                            crd_did_you_mean(near).text);
        }
        if (!isfinite(values[i]))
            return crd_fail(error, CARDAN_ERR_MODEL, "the value of parameter '%s' is not finite", named.name);
        numbers->parameters[named.index] = values[i];
        numbers->set[named.index] = true;
    }
    return CARDAN_OK;
}

/* Value of an expression of the model; a fault in it is a fault of the model, at the place where it was written. */
static CardanStatus evaluate(const CrdExpr *expression, const double *variables, CrdPlace place, double *value,
                             CrdError *error) {
    CrdError fault = {0};
    CardanStatus status = crd_expr_value(expression, variables, value, &fault);
    if (status >= 0 && isfinite(*value)) return CARDAN_OK;
    return crd_fail_at(error, CARDAN_ERR_MODEL, place, "%s", fault.text);
}

static CardanStatus evaluate_all(const CrdDescription *description, const Numbers *numbers, CrdError *error) {
    for (int i = 0; i < description->parameter_count; i++) {
        const CrdParameterDesc *parameter = &description->parameters[i];
        if (parameter->expression == NULL || numbers->set[i]) continue;
        CRD_TRY(evaluate(parameter->expression, numbers->parameters, parameter->place, &numbers->parameters[i], error));
    }
    for (int i = 0; i < description->binding_count; i++) {
        const CrdBinding *binding = &description->bindings[i];
        CRD_TRY(evaluate(binding->expression, numbers->parameters, binding->place, &numbers->bound[i], error));
    }
    return CARDAN_OK;
}

/* Exchanges the numbers of the description with the others, so that a second call takes the first one back. */
static void exchange(CrdDescription *description, const Numbers *numbers) {
    assert(description->value_count == description->parameter_count);
    for (int i = 0; i < description->parameter_count; i++) {
        double old = description->parameter_values[i];
        description->parameter_values[i] = description->parameters[i].value = numbers->parameters[i];
        numbers->parameters[i] = old;
    }
    for (int i = 0; i < description->binding_count; i++) {
        const CrdBinding *binding = &description->bindings[i];
        double *number = crd_target_number(description, (CrdTarget){binding->owner, binding->index, binding->offset});
        double old = *number;
        *number = numbers->bound[i];
        numbers->bound[i] = old;
    }
    crd_follow_markers(description);
}

static CardanStatus change(CrdDescription *description, int count, const char *const *names, const double *values,
                           Numbers *numbers, CrdError *error) {
    CRD_TRY(take_values(description, count, names, values, numbers, error));
    CRD_TRY(evaluate_all(description, numbers, error));
    exchange(description, numbers);
    CardanStatus status = crd_description_check(description, error);
    if (status < 0) {
        exchange(description, numbers);
        return status;
    }
    for (int i = 0; i < description->parameter_count; i++) {
        if (!numbers->set[i]) continue;
        crd_expr_free(description->parameters[i].expression);
        description->parameters[i].expression = NULL;
    }
    return CARDAN_OK;
}

CardanStatus crd_description_set_parameters(CrdDescription *description, int count, const char *const *names,
                                            const double *values, CrdError *error) {
    Numbers numbers = {
        .parameters = crd_new((size_t)description->parameter_count, sizeof(double)),
        .bound = crd_new((size_t)description->binding_count, sizeof(double)),
        .set = crd_new((size_t)description->parameter_count, sizeof(bool)),
    };
    bool room = numbers.parameters != NULL && numbers.bound != NULL && numbers.set != NULL;
    CardanStatus status = room ? change(description, count, names, values, &numbers, error) : crd_fail_memory(error);
    CRD_DELETE_ALL(numbers.parameters, numbers.bound, numbers.set);
    return status;
}

CardanStatus crd_description_set_parameter(CrdDescription *description, const char *name, double value,
                                           CrdError *error) {
    return crd_description_set_parameters(description, 1, &name, &value, error);
}
