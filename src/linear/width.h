/* Kernels are written for any number of columns and inlined with a constant one, so that their loops are unrolled. */
#ifndef CRD_LINEAR_WIDTH_H
#define CRD_LINEAR_WIDTH_H

#include "model/elimination.h"

/* kernel(width, ...) with the width a constant, 1 .. CRD_WIDEST. */
#define CRD_WITH_WIDTH(width, kernel, ...)                                                                             \
    switch (width) {                                                                                                   \
    case 1:                                                                                                            \
        kernel(1, __VA_ARGS__);                                                                                        \
        break;                                                                                                         \
    case 2:                                                                                                            \
        kernel(2, __VA_ARGS__);                                                                                        \
        break;                                                                                                         \
    case 3:                                                                                                            \
        kernel(3, __VA_ARGS__);                                                                                        \
        break;                                                                                                         \
    case 4:                                                                                                            \
        kernel(4, __VA_ARGS__);                                                                                        \
        break;                                                                                                         \
    case 5:                                                                                                            \
        kernel(5, __VA_ARGS__);                                                                                        \
        break;                                                                                                         \
    default:                                                                                                           \
        kernel(CRD_WIDEST, __VA_ARGS__);                                                                               \
    }

#endif
