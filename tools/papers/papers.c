/* cardan papers [TABLE]: the published tables that the methods come from, computed anew beside the printed numbers. */
#include "verbs.h"

#include <cardan/lab.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "papers/papers.h"

enum { KEY_JSON = 1 };
enum { SENTENCE_SIZE = 1024, DEPTH = 8, NAME_SIZE = 64, LABEL_WIDTH = 48 };

/* clang-format off */
static const Option options[] = {
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = NULL},
};
/* clang-format on */

static int list_tables(void) {
    for (int i = 0; papers_name(i) != NULL; i++) printf("%-26s %s\n", papers_name(i), papers_title(i));
    return finish_stdout();
}

/* ---- JSON ---- */

static bool opens(const PapersEntry *entry) {
    return entry->kind == PAPERS_ENTRY_OBJECT || entry->kind == PAPERS_ENTRY_ARRAY;
}

/* Whether the container at entry i holds containers: then its members stand on lines of their own. */
static bool is_tall(const PapersEntry *entries, int i) {
    for (i++; entries[i].kind != PAPERS_ENTRY_END; i++)
        if (opens(&entries[i]) || entries[i].kind == PAPERS_ENTRY_TEXT) return true;
    return false;
}

static void print_json(const char *name, const PapersEntry *entries, int count) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    json_string(&json, "table", name);
    for (int i = 0; i < count; i++) {
        const PapersEntry *entry = &entries[i];
        const char *key = i == 0 ? "computed" : entry->key;
        if (entry->kind == PAPERS_ENTRY_OBJECT) json_open_object(&json, key, is_tall(entries, i));
        if (entry->kind == PAPERS_ENTRY_ARRAY) json_open_array(&json, key, is_tall(entries, i));
        if (entry->kind == PAPERS_ENTRY_END) json_close(&json);
        if (entry->kind == PAPERS_ENTRY_NUMBER) json_number(&json, key, entry->value);
        if (entry->kind == PAPERS_ENTRY_TEXT) json_string(&json, key, entry->text);
    }
    json_close(&json);
}

/* ---- text ---- */

/* The names that lead to an entry, and the number of the next member where there are none. */
typedef struct Trail {
    int depth;
    struct {
        char name[NAME_SIZE];
        int member;
    } level[DEPTH];
    int printed, agreeing; /* numbers with a printed one; those that agree */
} Trail;

static void trail_enter(Trail *trail, const char *key) {
    if (trail->depth == DEPTH) return;
    char *name = trail->level[trail->depth].name;
    if (trail->depth == 0)
        name[0] = '\0';
    else if (key != NULL)
        snprintf(name, NAME_SIZE, "%s", key);
    else
        snprintf(name, NAME_SIZE, "[%d]", trail->level[trail->depth - 1].member);
    if (trail->depth > 0) trail->level[trail->depth - 1].member++;
    trail->level[trail->depth++].member = 0;
}

static void put_label(const Trail *trail) {
    int width = 0;
    for (int i = 1; i < trail->depth; i++) {
        const char *name = trail->level[i].name;
        width += printf("%s%s", i > 1 && name[0] != '[' ? " " : "", name);
    }
    printf("%*s", width < LABEL_WIDTH ? LABEL_WIDTH - width : 1, "");
}

static void put_number(Trail *trail, const PapersEntry *entry) {
    put_label(trail);
    if (isnan(entry->value))
        printf("%14s", "none");
    else
        printf("%14.6e", entry->value);
    if (!isnan(entry->printed)) {
        bool agrees = papers_entry_agrees(entry);
        printf("   printed %9.2e  %s", entry->printed, agrees ? "agrees" : "DIFFERS");
        trail->printed++;
        trail->agreeing += agrees;
    }
    printf("%s%s\n", entry->remark != NULL ? "   " : "", entry->remark != NULL ? entry->remark : "");
}

static void print_text(const PapersEntry *entries, int count) {
    Trail trail = {0};
    for (int i = 0; i < count; i++) {
        const PapersEntry *entry = &entries[i];
        if (entry->kind == PAPERS_ENTRY_END) {
            trail.depth--;
            continue;
        }
        trail_enter(&trail, entry->key);
        if (opens(entry)) continue;
        if (entry->kind == PAPERS_ENTRY_NUMBER) {
            put_number(&trail, entry);
        } else {
            put_label(&trail);
            printf("%s\n", entry->text);
        }
        trail.depth--;
    }
    if (trail.printed > 0) printf("%d of %d printed numbers agree\n", trail.agreeing, trail.printed);
}

/* ---- the verb ---- */

/* A table's name as the user may have mistyped it. */
static int unknown(const char *name) {
    const char *best = NULL;
    int distance = 0;
    for (int i = 0; papers_name(i) != NULL; i++) suggest_consider(name, papers_name(i), &best, &distance);
    if (best != NULL)
        complain("papers: unknown table '%s'; did you mean '%s'?", name, best);
    else
        complain("papers: unknown table '%s'; 'cardan papers' lists them", name);
    return STATUS_USAGE;
}

static bool exists(const char *name) {
    for (int i = 0; papers_name(i) != NULL; i++)
        if (strcmp(papers_name(i), name) == 0) return true;
    return false;
}

static int run(const Arguments *arguments) {
    if (arguments->operand_count == 0) return list_tables();
    const char *name = arguments->operands[0];
    if (!exists(name)) return unknown(name);
    char sentence[SENTENCE_SIZE] = "";
    PapersTable *table = NULL;
    CardanStatus status = papers_compute(name, &table, sentence, sizeof sentence);
    if (status < 0) {
        complain("papers: %s: %s", name, sentence);
        return exit_status(status);
    }
    const PapersEntry *entries;
    int count = papers_table_entries(table, &entries);
    if (arguments_has(arguments, KEY_JSON))
        print_json(name, entries, count);
    else
        print_text(entries, count);
    papers_table_destroy(table);
    return finish_stdout();
}

static const char *table_word(int i) {
    return papers_name(i);
}

const Verb verb_papers = {
    .name = "papers",
    .operands = "[TABLE]",
    .operands_max = 1,
    .summary = "recompute the published tables the methods come from",
    .text =
        "Without TABLE lists the tables of the papers that the methods of this program come from. With it computes the "
        "table and prints each number beside the printed one, with a mark where they agree (printed numbers have two "
        "digits, rounded or cut off) and a remark where something is known, such as a misprint.",
    .examples = "cardan papers\ncardan papers 001_table4.3\ncardan papers 000_table1.1 --json",
    .options = options,
    .word = table_word,
    .run = run,
};
