/* The laboratory: the published tables that the methods of this library come from, computed anew.
 *
 * A table is a tree of named numbers, handed out as a flat list of entries in the order in which JSON would write it.
 */
#ifndef CARDAN_LAB_H
#define CARDAN_LAB_H

#include "cardan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CardanEntryKind {
    CARDAN_ENTRY_OBJECT = 0, /* members follow, each with a key, up to its END */
    CARDAN_ENTRY_ARRAY,      /* members follow, without keys, up to its END */
    CARDAN_ENTRY_END,
    CARDAN_ENTRY_NUMBER,
    CARDAN_ENTRY_TEXT
} CardanEntryKind;

typedef struct CardanEntry {
    CardanEntryKind kind;
    const char *key;    /* NULL: member of an array, END, or the outermost value */
    double value;       /* NUMBER: computed; NaN: the method gives none (the remark says why) */
    const char *text;   /* TEXT */
    double printed;     /* NUMBER: as printed in the paper; NaN: not printed */
    const char *remark; /* NUMBER: what is known about it, such as a misprint; NULL: nothing */
} CardanEntry;

/* One computed table. */
typedef struct CardanTable CardanTable;

/* Names and titles of the tables, i from 0; NULL after the last. */
CARDAN_API const char *cardan_papers_name(int i);
CARDAN_API const char *cardan_papers_title(int i);

/* Computes the table of this name. On failure *out is NULL and message (size bytes, may be NULL) gets the sentence. */
CARDAN_API CardanStatus cardan_papers_compute(const char *name, CardanTable **out, char *message, size_t size);
CARDAN_API void cardan_table_destroy(CardanTable *table);

/* The entries, the outermost value first; their number is returned. */
CARDAN_API int cardan_table_entries(const CardanTable *table, const CardanEntry **entries);

/* Whether a number agrees with the printed one, which has two digits, rounded or cut off. */
CARDAN_API bool cardan_entry_agrees(const CardanEntry *entry);

#ifdef __cplusplus
}
#endif
#endif
