/* What a computation of the laboratory needs besides its problem: room for numbers, a place for the sentence of a
 * failure, and counts of the work. Sizes are those of the problem. Room is a stack in blocks that are kept: after the
 * first step nothing is allocated any more.
 *
 * A function marks the stack, takes what it needs and goes back to the mark when it is done. One that fails need not:
 * whoever handles the failure goes back to a mark of its own. */
#ifndef CRD_LAB_WORKSPACE_H
#define CRD_LAB_WORKSPACE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"
#include "linear/dense.h"

enum { CRD_LAB_WORKSPACE_BLOCKS = 24 }; /* each at least twice the one before: more than any memory */

typedef struct CrdLabWorkspace {
    CrdError *error; /* may be NULL */
    struct {
        unsigned char *base;
        size_t size;
    } blocks[CRD_LAB_WORKSPACE_BLOCKS];
    int block;   /* the one in use */
    size_t used; /* of it */
    bool empty;  /* an allocation failed: nothing is given any more, so that one check of the last is enough */
    /* work */
    long rhs;         /* evaluations of terms */
    CrdLuCount count; /* of matrices of any size */
} CrdLabWorkspace;

typedef struct CrdLabMark {
    int block;
    size_t used;
} CrdLabMark;

static inline CrdLabMark crd_lab_mark(const CrdLabWorkspace *workspace) {
    return (CrdLabMark){workspace->block, workspace->used};
}
static inline void crd_lab_back(CrdLabWorkspace *workspace, CrdLabMark mark) {
    assert(mark.block < workspace->block || (mark.block == workspace->block && mark.used <= workspace->used));
    workspace->block = mark.block;
    workspace->used = mark.used;
}

/* Zeroed room for count things of size bytes; NULL when there is none, and ever after. */
void *crd_lab_take(CrdLabWorkspace *workspace, size_t count, size_t size);

/* A zeroed matrix. */
static inline double *crd_lab_numbers(CrdLabWorkspace *workspace, int rows, int columns) {
    assert(rows >= 0 && columns >= 0);
    return crd_lab_take(workspace, (size_t)rows * (size_t)columns, sizeof(double));
}

/* Gives the blocks back; counts stay. */
void crd_lab_clear(CrdLabWorkspace *workspace);

#endif
