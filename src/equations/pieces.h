/* What the files of products with pieces of G share. */
#ifndef CRD_EQUATIONS_PIECES_H
#define CRD_EQUATIONS_PIECES_H

#include "equations/system.h"

#if defined(__GNUC__)
#define WITHIN static inline __attribute__((always_inline))
#else
#define WITHIN static inline
#endif

WITHIN double crd_dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* What a range of products is made of. */
typedef struct CrdPieces {
    const CrdStructure *structure;
    const double *a, *b;
    double *out;
} CrdPieces;

#endif
