/* The published tables behind the methods, computed anew by the laboratory (docs/PAPERS.md).
 *
 * A table is a tree of named numbers, handed out as a flat list of entries in the order in which JSON would write it.
 */
#ifndef PAPERS_PAPERS_H
#define PAPERS_PAPERS_H

#include <stdbool.h>
#include <stddef.h>

#include "cardan/types.h"

typedef enum PapersEntryKind {
    PAPERS_ENTRY_OBJECT = 0, /* members follow, each with a key, up to its END */
    PAPERS_ENTRY_ARRAY,      /* members follow, without keys, up to its END */
    PAPERS_ENTRY_END,
    PAPERS_ENTRY_NUMBER,
    PAPERS_ENTRY_TEXT
} PapersEntryKind;

typedef struct PapersEntry {
    PapersEntryKind kind;
    const char *key;    /* NULL: member of an array, END, or the outermost value */
    double value;       /* NUMBER: computed; NaN: the method gives none (the remark says why) */
    const char *text;   /* TEXT */
    double printed;     /* NUMBER: as printed in the paper; NaN: not printed */
    const char *remark; /* NUMBER: what is known about it, such as a misprint; NULL: nothing */
} PapersEntry;

/* One computed table. */
typedef struct PapersTable PapersTable;

/* Names and titles of the tables, i from 0; NULL after the last. */
const char *papers_name(int i);
const char *papers_title(int i);

/* Computes the table of this name. On failure *out is NULL and message (size bytes, may be NULL) gets the sentence. */
CardanStatus papers_compute(const char *name, PapersTable **out, char *message, size_t size);
void papers_table_destroy(PapersTable *table);

/* The entries, the outermost value first; their number is returned. */
int papers_table_entries(const PapersTable *table, const PapersEntry **entries);

/* Whether a number agrees with the printed one, which has two digits, rounded or cut off. */
bool papers_entry_agrees(const PapersEntry *entry);

#endif
