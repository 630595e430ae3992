#include "fields.h"

#include "format.h"

#include <stdio.h>
#include <string.h>

void append(char *cell, const char *before, const char *word) {
    size_t used = strlen(cell);
    snprintf(cell + used, CELL - used, "%s%s", before, word);
}

bool in_files(const CrdField *field) {
    return field->holds != CRD_HOLDS_POINTER;
}

/* ---- values ---- */

static void append_count(char *cell, int count) {
    char words[32];
    snprintf(words, sizeof words, count == 1 ? "a number" : "%d numbers", count);
    append(cell, "", words);
}

/* "a number", "a vector", "3 numbers (spatial 6)" */
static void append_numbers(char *cell, const CrdField *field) {
    int planar = field->count[CARDAN_SPACE_PLANAR], spatial = field->count[CARDAN_SPACE_SPATIAL];
    bool vector = (planar == 2 || planar == 0) && spatial == 3;
    char more[32];
    if (vector) {
        append(cell, "", "a vector");
        return;
    }
    append_count(cell, planar > 0 ? planar : spatial);
    if (planar == 0 || spatial == 0 || planar == spatial) return;
    snprintf(more, sizeof more, " (in space %d)", spatial);
    append(cell, more, "");
}

static const char *holds_words(CrdHolds holds) {
    static const char *const WORDS[] = {
        [CRD_HOLDS_LAW] = "a law",
        [CRD_HOLDS_TARGET] = "a law in t",
        [CRD_HOLDS_BODY] = "a body",
        [CRD_HOLDS_BODIES] = "`[a, b]`, two bodies",
        [CRD_HOLDS_POINTS] = "`[[body, vector], ...]`",
        [CRD_HOLDS_BODY_LIST] = "a list of bodies",
        [CRD_HOLDS_JOINT] = "a joint",
        [CRD_HOLDS_COORDINATE] = "a word",
        [CRD_HOLDS_TERMS] = "`{joint: number, ...}`",
        [CRD_HOLDS_FRAME] = "`ground` or `body`",
        [CRD_HOLDS_FLAG] = "`true` or `false`",
        [CRD_HOLDS_WORD] = "a word",
        [CRD_HOLDS_GEOMETRY] = "shapes",
        [CRD_HOLDS_POINTER] = "",
    };
    return WORDS[holds] != NULL ? WORDS[holds] : "";
}

static void append_rule(char *cell, const CrdField *field) {
    static const char *const WORDS[] = {
        [CRD_ANY] = "",
        [CRD_NOT_NEGATIVE] = " >= 0",
        [CRD_POSITIVE] = " > 0",
        [CRD_AT_LEAST_ONE] = " >= 1",
        [CRD_UPWARDS] = ", the second larger",
        [CRD_DIRECTION] = ", not zero",
        [CRD_MOVES] = ", not the ground",
        [CRD_TURNS] = ", no particle",
    };
    append(cell, WORDS[field->rule], "");
}

/* The words before and after the rule. */
static void append_value(char *cell, const CrdField *field) {
    char variable[] = {field->variable, '\0'};
    bool several = field->count[CARDAN_SPACE_SPATIAL] > 1;
    append_numbers(cell, field);
    append_rule(cell, field);
    if (field->holds == CRD_HOLDS_PAIR) append(cell, "", ", or one for both");
    if (field->holds == CRD_HOLDS_SHAPE) append(cell, "", ", or a shape");
    if (field->holds == CRD_HOLDS_DRIVEN) append(cell, ", or a law in ", variable);
    if (field->holds == CRD_HOLDS_VALUE) append(cell, "", several ? " of numbers or laws" : ", or a law");
    if (field->holds == CRD_HOLDS_PATH) append(cell, " of laws in ", variable);
}

void value_cell(const CrdField *field, char *cell) {
    cell[0] = '\0';
    if (crd_field_has_numbers(field) || field->holds == CRD_HOLDS_SHAPE || field->holds == CRD_HOLDS_PATH) {
        append_value(cell, field);
    } else {
        append(cell, "", holds_words(field->holds));
        append_rule(cell, field);
    }
    if (field->count[CARDAN_SPACE_PLANAR] == 0) append(cell, "", "; spatial only");
    if (field->count[CARDAN_SPACE_SPATIAL] == 0) append(cell, "", "; planar only");
}

/* Elements of several forms are told apart by the first key of each: a torque has a `joint` or a `body`. */
static const CrdField *first_of_form(CrdFieldTable table, int form, bool other) {
    for (int i = 0; i < table.count; i++)
        if (table.fields[i].form > 0 && (table.fields[i].form == form) != other) return table.fields + i;
    return NULL;
}

static void append_form(CrdFieldTable table, const CrdField *field, char *cell) {
    const CrdField *first = first_of_form(table, field->form, false), *other = first_of_form(table, field->form, true);
    if (other == NULL) return;
    append(cell, first == field ? ", or `" : " with `", first == field ? other->key : first->key);
    append(cell, "", "`");
}

void default_cell(CrdFieldTable table, const CrdField *field, char *cell) {
    cell[0] = '\0';
    if (field->need == CRD_REQUIRED) append(cell, "", "required");
    if (field->need == CRD_REQUIRED_INSIDE) append(cell, "", "required inside");
    if (cell[0] == '\0') append(cell, "", field->fallback != NULL ? field->fallback : "none");
    if (field->need == CRD_REQUIRED && field->form > 0 && field->holds != CRD_HOLDS_SHAPE)
        append_form(table, field, cell);
}

void print_fields(CrdFieldTable table) {
    static const char *const HEAD[] = {"key", "value", "unit", "default", "meaning"};
    print_head(HEAD, 5);
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        char key[64], value[CELL], otherwise[CELL];
        if (!in_files(field)) continue;
        snprintf(key, sizeof key, "`%s`", field->key);
        value_cell(field, value);
        default_cell(table, field, otherwise);
        print_row((const char *const[]){key, value, field->unit, otherwise, field->doc}, 5);
    }
}
