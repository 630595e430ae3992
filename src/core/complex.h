/* Complex numbers from their parts: C11's CMPLX, which clang 14 has not with glibc. */
#ifndef CRD_CORE_COMPLEX_H
#define CRD_CORE_COMPLEX_H

#include <complex.h>
#include <string.h>

static inline double complex crd_complex(double re, double im) {
    const double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z); /* C17 6.2.5: a complex number is laid out as an array of two */
    return z;
}

#endif
