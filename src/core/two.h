/* Two numbers that go the same way, side by side: of two right sides that are solved for together. One register of
 * every processor with 64-bit arithmetic (SSE2, NEON); each lane is what it would be by itself. */
#ifndef CRD_CORE_TWO_H
#define CRD_CORE_TWO_H

#include <string.h>

#if defined(__GNUC__)
#define CRD_OF_TWO static inline __attribute__((always_inline))
typedef double CrdTwo __attribute__((vector_size(16)));

CRD_OF_TWO CrdTwo crd_two_scaled(double s, CrdTwo b) {
    return s * b;
}

CRD_OF_TWO CrdTwo crd_two_plus(CrdTwo a, double s, CrdTwo b) {
    return a + s * b;
}

CRD_OF_TWO CrdTwo crd_two_less(CrdTwo a, double s, CrdTwo b) {
    return a - s * b;
}
#else
#define CRD_OF_TWO static inline
typedef struct CrdTwo {
    double a, b;
} CrdTwo;

CRD_OF_TWO CrdTwo crd_two_scaled(double s, CrdTwo b) {
    return (CrdTwo){s * b.a, s * b.b};
}

CRD_OF_TWO CrdTwo crd_two_plus(CrdTwo a, double s, CrdTwo b) {
    return (CrdTwo){a.a + s * b.a, a.b + s * b.b};
}

CRD_OF_TWO CrdTwo crd_two_less(CrdTwo a, double s, CrdTwo b) {
    return (CrdTwo){a.a - s * b.a, a.b - s * b.b};
}
#endif

/* Pair i of an array of them, whatever its alignment. */
CRD_OF_TWO CrdTwo crd_two_at(const double *x, int i) {
    CrdTwo two;
    memcpy(&two, x + 2 * i, sizeof two);
    return two;
}

CRD_OF_TWO void crd_put_two(double *x, int i, CrdTwo two) {
    memcpy(x + 2 * i, &two, sizeof two);
}

#endif
