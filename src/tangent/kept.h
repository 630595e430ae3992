/* Slopes of the stages of steps as they were made, as many as memory is worth: what is not kept is computed again. */
#ifndef CRD_TANGENT_KEPT_H
#define CRD_TANGENT_KEPT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct CrdKept {
    double *slope; /* (room x size) */
    size_t size;   /* numbers of one step */
    long steps, room;
    bool full;
} CrdKept;

/* Keeps those of the next step; NULL, and what does not fit: nothing of it and of later ones. */
void crd_kept_add(CrdKept *kept, const double *slope);

/* Those of step i; NULL: they are not kept. */
const double *crd_kept_of(const CrdKept *kept, long i);

#endif
