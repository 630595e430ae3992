/* The tree of named numbers that a table is written into, entry by entry. It keeps its first failure: after it nothing
 * is written, and one check at the end is enough. */
#ifndef PAPERS_TABLE_H
#define PAPERS_TABLE_H

#include "core/status.h"
#include "lab/workspace.h"
#include "papers.h"

/* What a paper prints for the leaves (numbers, in order) below one entry, named by its keys with '/' between. */
typedef struct CrdPrinted {
    const char *row;
    double value[12]; /* NAN: nothing printed */
    int count;
} CrdPrinted;

/* What is known of a leaf below an entry. */
typedef struct CrdRemark {
    const char *row;
    int leaf; /* from 0; -1: all of them */
    const char *text;
} CrdRemark;

struct PapersTable {
    PapersEntry *entries;
    int count, capacity;
    CrdError error;
    CrdLabWorkspace workspace; /* of the computation; its sentences go to error */
};

/* key NULL: member of an array, or the outermost value. Keys are copied. */
void papers_table_object(PapersTable *table, const char *key);
void papers_table_array(PapersTable *table, const char *key);
void papers_table_end(PapersTable *table);
void papers_table_number(PapersTable *table, const char *key, double value);
void papers_table_numbers(PapersTable *table, const char *key, const double *values, int count);
void papers_table_text(PapersTable *table, const char *key, const char *text);

/* A number that no method gives, with the reason. */
void papers_table_none(PapersTable *table, const char *key, const char *reason);

/* Index of the entry that keys with '/' between lead to, members of arrays by their number; -1 when there is none. */
int papers_table_find(const PapersTable *table, const char *row);

/* Number `leaf`, from 0, at or below entry i; NULL when there are fewer. */
PapersEntry *papers_table_leaf(const PapersTable *table, int i, int leaf);

/* Puts what is printed and remarked beside the numbers. Lists end with a row NULL; they may be NULL. */
void papers_table_compare(PapersTable *table, const CrdPrinted *printed, const CrdRemark *remarks);

#endif
