/* Faster corrections with the same matrix: implicit_accelerate.c. */
#ifndef CRD_INTEGRATE_METHODS_IMPLICIT_ACCELERATE_H
#define CRD_INTEGRATE_METHODS_IMPLICIT_ACCELERATE_H

#include "core/memory.h"

enum { CRD_ACCELERATE_MAX = 4 }; /* differences */

typedef struct CrdAcceleration {
    size_t unknowns;
    int stages, core;
    const double *measure; /* (core) */
    int count, known;      /* corrections seen, differences held */
    double *before;        /* (unknowns) the last correction as it came, and as it was applied */
    double *moved;
    double *left; /* (unknowns) scratch */
    double *iterate[CRD_ACCELERATE_MAX],
        *correction[CRD_ACCELERATE_MAX]; /* (unknowns) X and D, the latter orthogonal */
} CrdAcceleration;

/* Takes the arrays from the arena; called twice, measuring and real. */
void crd_acceleration_layout(CrdAcceleration *ac, size_t unknowns, CrdArena *arena);

/* A new iteration, with another matrix. */
void crd_acceleration_begin(CrdAcceleration *ac);

/* d (unknowns): a correction, then what is to be applied in its place. */
void crd_acceleration_apply(CrdAcceleration *ac, double *d);

#endif
