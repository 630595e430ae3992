/* What the controlled numbers of y = [q | v | z | ...] are of, in ranges, and how large vectors of such are in units of
 * one tolerance each (project/tolerance.h). A chain of a thousand hinges has two ranges: angles and spins. */
#ifndef CRD_INTEGRATE_KINDS_H
#define CRD_INTEGRATE_KINDS_H

#include "core/memory.h"
#include "project/tolerance.h"

typedef enum CrdKind {
    CRD_KIND_LENGTH = 0,
    CRD_KIND_ANGLE,
    CRD_KIND_NUMBER, /* coordinates of custom blocks */
    CRD_KIND_SPEED,
    CRD_KIND_SPIN,
    CRD_KIND_RATE,  /* of those coordinates */
    CRD_KIND_STATE, /* first-order states */
    CRD_KINDS
} CrdKind;

typedef struct CrdKindRange {
    int first, end;
    CrdKind kind;
} CrdKindRange;

typedef struct CrdKinds {
    int count;
    CrdKindRange *ranges;
} CrdKinds;

/* What an error of one tolerance is, by kind. */
typedef struct CrdKindSizes {
    double of[CRD_KINDS];
} CrdKindSizes;

/* Takes the ranges from an arena; called twice, measuring and real. */
void crd_kinds_layout(CrdKinds *kinds, const CrdStructure *structure, CrdArena *arena);

/* One tolerance at the speed of y. */
CrdKindSizes crd_kinds_tolerated(const CrdKinds *kinds, const CrdTolerance *tolerance, const CardanModel *model,
                                 const double *y);

/* The largest of rates, or accelerations (nv), of each kind. */
CrdKindSizes crd_kinds_of_rates(const CrdKinds *kinds, const CrdStructure *structure, const double *rates);

/* The largest of the numbers of x in these units; NaN where one is. */
double crd_kinds_largest(const CrdKinds *kinds, const CrdKindSizes *sizes, const double *x);

#endif
