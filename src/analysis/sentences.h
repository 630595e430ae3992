/* Parts of the sentences of a start: which joints are off, which have a part in a dependency. */
#ifndef CRD_ANALYSIS_SENTENCES_H
#define CRD_ANALYSIS_SENTENCES_H

#include "analysis/rank.h"
#include "equations/row_units.h"

/* Appends to a text of this size, as far as there is room. */
void crd_say(char *text, size_t size, const char *format, ...) CRD_PRINTF(3, 4);

/* "joint 'wrist' by 0.2, 'pin' by 0.1": the elements with the largest |row| against what is allowed of it, above
 * `limit` times that. Returns the place of the first. */
CrdPlace crd_list_worst(const CardanModel *model, const CrdSystem *system, const double *rows, CrdAllowed allowed,
                        double limit, char *text, size_t size);

/* Is the largest |row| one of a drive? */
bool crd_worst_is_driven(const CardanModel *model, const double *rows);

typedef struct CrdNameList {
    const CardanModel *model;
    char text[CRD_MESSAGE_SIZE / 2]; /* "'a', 'b' and 3 more" */
    int count;
    CrdPlace place; /* of the first */
} CrdNameList;

/* Joints in the order of the description, then blocks. marked: by element. */
CrdNameList crd_list_marked(const CardanModel *model, const bool *marked);

/* Appends "Within 4.6e-05 it would have 1 (joints 'low', 'high'); set redundancy: 1e-4 to allow openings of that size".
 */
void crd_say_nearly(const CardanModel *model, const CrdRank *rank, const char *joints, char *text, size_t size);

#endif
