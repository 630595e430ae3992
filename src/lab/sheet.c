#include "lab/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

enum { PATH_SIZE = 256, DEPTH = 8 };

/* The next entry with its key; NULL after a failure. */
static CardanEntry *add(CardanTable *sheet, CardanEntryKind kind, const char *key) {
    if (sheet->error.status < 0) return NULL;
    char *copy = key != NULL ? crd_copy_string(key) : NULL;
    if ((key != NULL && copy == NULL) ||
        !crd_grow(&sheet->entries, &sheet->capacity, sheet->count + 1, sizeof *sheet->entries)) {
        crd_delete(copy);
        crd_fail_memory(&sheet->error);
        return NULL;
    }
    CardanEntry *entry = &sheet->entries[sheet->count++];
    *entry = (CardanEntry){.kind = kind, .key = copy, .value = (double)NAN, .printed = (double)NAN};
    return entry;
}

void crd_sheet_object(CardanTable *sheet, const char *key) {
    add(sheet, CARDAN_ENTRY_OBJECT, key);
}
void crd_sheet_array(CardanTable *sheet, const char *key) {
    add(sheet, CARDAN_ENTRY_ARRAY, key);
}
void crd_sheet_end(CardanTable *sheet) {
    add(sheet, CARDAN_ENTRY_END, NULL);
}

void crd_sheet_number(CardanTable *sheet, const char *key, double value) {
    CardanEntry *entry = add(sheet, CARDAN_ENTRY_NUMBER, key);
    if (entry != NULL) entry->value = value;
}

void crd_sheet_numbers(CardanTable *sheet, const char *key, const double *values, int count) {
    crd_sheet_array(sheet, key);
    for (int i = 0; i < count; i++) crd_sheet_number(sheet, NULL, values[i]);
    crd_sheet_end(sheet);
}

void crd_sheet_text(CardanTable *sheet, const char *key, const char *text) {
    CardanEntry *entry = add(sheet, CARDAN_ENTRY_TEXT, key);
    if (entry == NULL) return;
    entry->text = crd_copy_string(text);
    if (entry->text == NULL) crd_fail_memory(&sheet->error);
}

void crd_sheet_none(CardanTable *sheet, const char *key, const char *reason) {
    CardanEntry *entry = add(sheet, CARDAN_ENTRY_NUMBER, key);
    if (entry == NULL) return;
    entry->remark = crd_copy_string(reason);
    if (entry->remark == NULL) crd_fail_memory(&sheet->error);
}

/* ---- rows ---- */

int crd_sheet_find(const CardanTable *sheet, const char *row) {
    char path[PATH_SIZE] = "";
    size_t length[DEPTH] = {0};
    int depth = 0, member[DEPTH] = {0};
    for (int i = 0; i < sheet->count; i++) {
        const CardanEntry *e = &sheet->entries[i];
        if (e->kind == CARDAN_ENTRY_END) {
            depth--;
            continue;
        }
        if (depth > 0) {
            size_t at = length[depth - 1];
            const char *slash = depth > 1 ? "/" : "";
            if (e->key != NULL)
                snprintf(path + at, sizeof path - at, "%s%s", slash, e->key);
            else
                snprintf(path + at, sizeof path - at, "%s%d", slash, member[depth - 1]);
            member[depth - 1]++;
            if (strcmp(path, row) == 0) return i;
        }
        if (e->kind > CARDAN_ENTRY_ARRAY || depth == DEPTH) continue;
        length[depth] = strlen(path);
        member[depth++] = 0;
    }
    return -1;
}

CardanEntry *crd_sheet_leaf(const CardanTable *sheet, int i, int leaf) {
    for (int depth = 0; i < sheet->count; i++) {
        CardanEntry *e = &sheet->entries[i];
        if (e->kind == CARDAN_ENTRY_NUMBER && leaf-- == 0) return e;
        if (e->kind <= CARDAN_ENTRY_ARRAY) depth++;
        if (e->kind == CARDAN_ENTRY_END) depth--;
        if (depth == 0) break;
    }
    return NULL;
}

static void put_remark(CardanTable *sheet, CardanEntry *entry, const char *text) {
    if (entry->remark != NULL) return; /* what the computation said comes first */
    entry->remark = crd_copy_string(text);
    if (entry->remark == NULL) crd_fail_memory(&sheet->error);
}

static void remark_row(CardanTable *sheet, const CrdRemark *remark) {
    int row = crd_sheet_find(sheet, remark->row);
    if (row < 0) {
        crd_fail(&sheet->error, CARDAN_ERR_INTERNAL, "a remark names the row '%s', which is not there", remark->row);
        return;
    }
    CardanEntry *entry;
    int first = remark->leaf < 0 ? 0 : remark->leaf;
    for (int leaf = first; (entry = crd_sheet_leaf(sheet, row, leaf)) != NULL; leaf++) {
        put_remark(sheet, entry, remark->text);
        if (remark->leaf >= 0) return;
    }
}

static void print_row(CardanTable *sheet, const CrdPrinted *printed) {
    int row = crd_sheet_find(sheet, printed->row);
    for (int leaf = 0; leaf < printed->count; leaf++) {
        CardanEntry *entry = row < 0 ? NULL : crd_sheet_leaf(sheet, row, leaf);
        if (entry == NULL) {
            crd_fail(&sheet->error, CARDAN_ERR_INTERNAL, "number %d printed for the row '%s' has no place", leaf,
                     printed->row);
            return;
        }
        entry->printed = printed->value[leaf];
    }
}

void crd_sheet_compare(CardanTable *sheet, const CrdPrinted *printed, const CrdRemark *remarks) {
    if (sheet->error.status < 0) return;
    for (; printed != NULL && printed->row != NULL; printed++) print_row(sheet, printed);
    for (; remarks != NULL && remarks->row != NULL; remarks++) remark_row(sheet, remarks);
}

/* ---- public ---- */

void cardan_table_destroy(CardanTable *table) {
    if (table == NULL) return;
    for (int i = 0; i < table->count; i++) {
        crd_delete((void *)(size_t)table->entries[i].key);
        crd_delete((void *)(size_t)table->entries[i].text);
        crd_delete((void *)(size_t)table->entries[i].remark);
    }
    crd_delete(table->entries);
    crd_delete(table);
}

int cardan_table_entries(const CardanTable *table, const CardanEntry **entries) {
    *entries = table->entries;
    return table->count;
}

/* A unit of the second digit, for it may be cut off; the blown-up numbers of old machines are 2% apart. */
bool cardan_entry_agrees(const CardanEntry *entry) {
    double printed = fabs(entry->printed);
    if (printed == 0.0) return fabs(entry->value) < 1e-14;
    double unit = pow(10.0, floor(log10(printed)) - 1.0);
    return fabs(entry->value - entry->printed) <= fmax(unit, 0.02 * printed);
}
