/* Numbers of a model file put in place of others: the values change, every other byte stays, comments included. */
#ifndef CRD_READ_REWRITE_H
#define CRD_READ_REWRITE_H

#include "read/yaml_tree.h"

enum { CRD_EDIT_TEXT = 160 };

/* Characters begin to end become this text; begin == end: it is put there. */
typedef struct CrdEdit {
    size_t begin, end;
    int order; /* of edits at the same place */
    char text[CRD_EDIT_TEXT];
} CrdEdit;

typedef struct CrdEdits {
    CrdEdit *list;
    int count, capacity;
} CrdEdits;

/* The numbers of a key: those that differ from the old ones by more than `same` are replaced where they stand, a scalar
 * or a list; a key that is not there is put before the others. */
CardanStatus crd_edit_numbers(CrdEdits *edits, const CrdNode *mapping, const char *key, int count, const double *old,
                              const double *now, double same, CrdError *error);

/* The text with all edits, ending with a NUL; *out is the caller's (crd_delete). */
CardanStatus crd_edits_apply(CrdEdits *edits, const char *text, size_t length, char **out, size_t *out_length,
                             CrdError *error);

#endif
