/* The tree of named numbers that a table is written into, entry by entry. It keeps its first failure: after it nothing
 * is written, and one check at the end is enough. */
#ifndef CRD_LAB_SHEET_H
#define CRD_LAB_SHEET_H

#include "cardan/lab.h"
#include "core/status.h"
#include "lab/desk.h"

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

struct CardanTable {
    CardanEntry *entries;
    int count, capacity;
    CrdError error;
    CrdLabDesk desk; /* of the computation; its sentences go to error */
};

/* key NULL: member of an array, or the outermost value. Keys are copied. */
void crd_sheet_object(CardanTable *sheet, const char *key);
void crd_sheet_array(CardanTable *sheet, const char *key);
void crd_sheet_end(CardanTable *sheet);
void crd_sheet_number(CardanTable *sheet, const char *key, double value);
void crd_sheet_numbers(CardanTable *sheet, const char *key, const double *values, int count);
void crd_sheet_text(CardanTable *sheet, const char *key, const char *text);

/* A number that no method gives, with the reason. */
void crd_sheet_none(CardanTable *sheet, const char *key, const char *reason);

/* Index of the entry that keys with '/' between lead to, members of arrays by their number; -1 when there is none. */
int crd_sheet_find(const CardanTable *sheet, const char *row);

/* Number `leaf`, from 0, at or below entry i; NULL when there are fewer. */
CardanEntry *crd_sheet_leaf(const CardanTable *sheet, int i, int leaf);

/* Puts what is printed and remarked beside the numbers. Lists end with a row NULL; they may be NULL. */
void crd_sheet_compare(CardanTable *sheet, const CrdPrinted *printed, const CrdRemark *remarks);

#endif
