#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

enum { PATH_SIZE = 256, DEPTH = 8 };

/* The next entry with its key; NULL after a failure. */
static PapersEntry *add(PapersTable *table, PapersEntryKind kind, const char *key) {
    if (table->error.status < 0) return NULL;
    char *copy = key != NULL ? crd_copy_string(key) : NULL;
    if ((key != NULL && copy == NULL) ||
        !crd_grow(&table->entries, &table->capacity, table->count + 1, sizeof *table->entries)) {
        crd_delete(copy);
        crd_fail_memory(&table->error);
        return NULL;
    }
    PapersEntry *entry = &table->entries[table->count++];
    *entry = (PapersEntry){.kind = kind, .key = copy, .value = (double)NAN, .printed = (double)NAN};
    return entry;
}

void papers_table_object(PapersTable *table, const char *key) {
    add(table, PAPERS_ENTRY_OBJECT, key);
}
void papers_table_array(PapersTable *table, const char *key) {
    add(table, PAPERS_ENTRY_ARRAY, key);
}
void papers_table_end(PapersTable *table) {
    add(table, PAPERS_ENTRY_END, NULL);
}

void papers_table_number(PapersTable *table, const char *key, double value) {
    PapersEntry *entry = add(table, PAPERS_ENTRY_NUMBER, key);
    if (entry != NULL) entry->value = value;
}

void papers_table_numbers(PapersTable *table, const char *key, const double *values, int count) {
    papers_table_array(table, key);
    for (int i = 0; i < count; i++) papers_table_number(table, NULL, values[i]);
    papers_table_end(table);
}

void papers_table_text(PapersTable *table, const char *key, const char *text) {
    PapersEntry *entry = add(table, PAPERS_ENTRY_TEXT, key);
    if (entry == NULL) return;
    entry->text = crd_copy_string(text);
    if (entry->text == NULL) crd_fail_memory(&table->error);
}

void papers_table_none(PapersTable *table, const char *key, const char *reason) {
    PapersEntry *entry = add(table, PAPERS_ENTRY_NUMBER, key);
    if (entry == NULL) return;
    entry->remark = crd_copy_string(reason);
    if (entry->remark == NULL) crd_fail_memory(&table->error);
}

/* ---- rows ---- */

int papers_table_find(const PapersTable *table, const char *row) {
    char path[PATH_SIZE] = "";
    size_t length[DEPTH] = {0};
    int depth = 0, member[DEPTH] = {0};
    for (int i = 0; i < table->count; i++) {
        const PapersEntry *entry = &table->entries[i];
        if (entry->kind == PAPERS_ENTRY_END) {
            depth--;
            continue;
        }
        if (depth > 0) {
            size_t at = length[depth - 1];
            const char *slash = depth > 1 ? "/" : "";
            if (entry->key != NULL)
                snprintf(path + at, sizeof path - at, "%s%s", slash, entry->key);
            else
                snprintf(path + at, sizeof path - at, "%s%d", slash, member[depth - 1]);
            member[depth - 1]++;
            if (strcmp(path, row) == 0) return i;
        }
        if (entry->kind > PAPERS_ENTRY_ARRAY || depth == DEPTH) continue;
        length[depth] = strlen(path);
        member[depth++] = 0;
    }
    return -1;
}

PapersEntry *papers_table_leaf(const PapersTable *table, int i, int leaf) {
    for (int depth = 0; i < table->count; i++) {
        PapersEntry *entry = &table->entries[i];
        if (entry->kind == PAPERS_ENTRY_NUMBER && leaf-- == 0) return entry;
        if (entry->kind <= PAPERS_ENTRY_ARRAY) depth++;
        if (entry->kind == PAPERS_ENTRY_END) depth--;
        if (depth == 0) break;
    }
    return NULL;
}

static void put_remark(PapersTable *table, PapersEntry *entry, const char *text) {
    if (entry->remark != NULL) return; /* what the computation said comes first */
    entry->remark = crd_copy_string(text);
    if (entry->remark == NULL) crd_fail_memory(&table->error);
}

static void remark_row(PapersTable *table, const CrdRemark *remark) {
    int row = papers_table_find(table, remark->row);
    if (row < 0) {
        crd_fail(&table->error, CARDAN_ERR_INTERNAL, "a remark names the row '%s', which is not there", remark->row);
        return;
    }
    PapersEntry *entry;
    int first = remark->leaf < 0 ? 0 : remark->leaf;
    for (int leaf = first; (entry = papers_table_leaf(table, row, leaf)) != NULL; leaf++) {
        put_remark(table, entry, remark->text);
        if (remark->leaf >= 0) return;
    }
}

static void print_row(PapersTable *table, const CrdPrinted *printed) {
    int row = papers_table_find(table, printed->row);
    for (int leaf = 0; leaf < printed->count; leaf++) {
        PapersEntry *entry = row < 0 ? NULL : papers_table_leaf(table, row, leaf);
        if (entry == NULL) {
            crd_fail(&table->error, CARDAN_ERR_INTERNAL, "number %d printed for the row '%s' has no place", leaf,
                     printed->row);
            return;
        }
        entry->printed = printed->value[leaf];
    }
}

void papers_table_compare(PapersTable *table, const CrdPrinted *printed, const CrdRemark *remarks) {
    if (table->error.status < 0) return;
    for (; printed != NULL && printed->row != NULL; printed++) print_row(table, printed);
    for (; remarks != NULL && remarks->row != NULL; remarks++) remark_row(table, remarks);
}

/* ---- public ---- */

void papers_table_destroy(PapersTable *table) {
    if (table == NULL) return;
    for (int i = 0; i < table->count; i++) {
        crd_delete((void *)(size_t)table->entries[i].key);
        crd_delete((void *)(size_t)table->entries[i].text);
        crd_delete((void *)(size_t)table->entries[i].remark);
    }
    crd_delete(table->entries);
    crd_delete(table);
}

int papers_table_entries(const PapersTable *table, const PapersEntry **entries) {
    *entries = table->entries;
    return table->count;
}

/* A unit of the second digit, for it may be cut off; the blown-up numbers of old machines are 2% apart. */
bool papers_entry_agrees(const PapersEntry *entry) {
    double printed = fabs(entry->printed);
    if (printed == 0.0) return fabs(entry->value) < 1e-14;
    double unit = pow(10.0, floor(log10(printed)) - 1.0);
    return fabs(entry->value - entry->printed) <= fmax(unit, 0.02 * printed);
}
