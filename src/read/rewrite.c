#include "read/rewrite.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- edits ---- */

static CardanStatus add(CrdEdits *edits, size_t begin, size_t end, const char *text, CrdError *error) {
    assert(begin <= end && strlen(text) < CRD_EDIT_TEXT);
    if (!crd_grow(&edits->list, &edits->capacity, edits->count + 1, sizeof *edits->list)) return crd_fail_memory(error);
    CrdEdit *edit = &edits->list[edits->count];
    *edit = (CrdEdit){.begin = begin, .end = end, .order = edits->count};
    edits->count++;
    snprintf(edit->text, sizeof edit->text, "%s", text);
    return CARDAN_OK;
}

/* The shortest decimals that are read as the same number. */
static void print_number(char *text, size_t size, double x) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, x + 0.0); /* no -0 */
        if (strtod(text, NULL) == x) return;
    }
}

/* In braces before the first key on its line; else on a line of its own, as far in as the first key. */
static CardanStatus insert(CrdEdits *edits, const CrdNode *mapping, const char *key, int count, const double *now,
                           CrdError *error) {
    char text[CRD_EDIT_TEXT];
    const CrdNode *first = mapping->first;
    assert(first != NULL && count <= 4);
    int used = snprintf(text, sizeof text, count > 1 ? "%s: [" : "%s: ", key);
    for (int i = 0; i < count; i++) {
        char number[32];
        print_number(number, sizeof number, now[i]);
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", i > 0 ? ", " : "", number);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "%s", count > 1 ? "]" : "");
    int in = mapping->flow ? 0 : first->place.column - 1;
    if (used + in + 3 > CRD_EDIT_TEXT)
        return crd_fail_at(error, CARDAN_ERR_LIMIT, first->place, "too far in for a line '%s' before it", key);
    snprintf(text + used, sizeof text - (size_t)used, "%s%*s", mapping->flow ? ", " : "\n", in, "");
    return add(edits, first->begin, first->begin, text, error);
}

CardanStatus crd_edit_numbers(CrdEdits *edits, const CrdNode *mapping, const char *key, int count, const double *old,
                              const double *now, double same, CrdError *error) {
    const CrdNode *value = crd_node_get(mapping, key);
    bool changed = false;
    for (int i = 0; i < count; i++) changed = changed || fabs(now[i] - old[i]) > same;
    if (!changed) return CARDAN_OK;
    if (value == NULL) return insert(edits, mapping, key, count, now, error);
    const CrdNode *item = value->kind == CRD_NODE_SEQUENCE ? value->first : value;
    for (int i = 0; i < count; i++, item = item->next) {
        char number[32];
        assert(item != NULL && item->kind == CRD_NODE_SCALAR); /* the file was read */
        if (!(fabs(now[i] - old[i]) > same)) continue;
        print_number(number, sizeof number, now[i]);
        CRD_TRY(add(edits, item->begin, item->end, number, error));
    }
    return CARDAN_OK;
}

/* ---- the text ---- */

static int compare(const void *a, const void *b) {
    const CrdEdit *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The byte where character `to` starts, from byte `at`, which is that of character `from`. */
static size_t byte_of(const char *text, size_t length, size_t at, size_t from, size_t to) {
    while (at < length && from < to) {
        at++;
        while (at < length && ((unsigned char)text[at] & 0xC0u) == 0x80u) at++;
        from++;
    }
    return at;
}

CardanStatus crd_edits_apply(CrdEdits *edits, const char *text, size_t length, char **out, size_t *out_length,
                             CrdError *error) {
    bool marked = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0; /* not counted as a character */
    bool wide = length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
    if (wide) return crd_fail(error, CARDAN_ERR_MODEL, "a file in UTF-16 is not rewritten: save it as UTF-8");
    char *made = crd_new(length + (size_t)edits->count * CRD_EDIT_TEXT + 1, 1);
    if (made == NULL) return crd_fail_memory(error);
    if (edits->count > 0) qsort(edits->list, (size_t)edits->count, sizeof *edits->list, compare);
    size_t at = marked ? 3 : 0, character = 0, used = at;
    memcpy(made, text, at);
    for (int i = 0; i < edits->count; i++) {
        const CrdEdit *edit = &edits->list[i];
        assert(edit->begin >= character);
        size_t begin = byte_of(text, length, at, character, edit->begin);
        memcpy(made + used, text + at, begin - at);
        used += begin - at;
        memcpy(made + used, edit->text, strlen(edit->text));
        used += strlen(edit->text);
        at = byte_of(text, length, begin, edit->begin, edit->end);
        character = edit->end;
    }
    memcpy(made + used, text + at, length - at);
    used += length - at;
    made[used] = '\0';
    *out = made;
    *out_length = used;
    return CARDAN_OK;
}
