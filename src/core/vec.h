/* Vectors and rotations in space, small enough to stand inline. Rotations are row-major 3 x 3 matrices that take a
 * frame's own axes to ground axes. */
#ifndef CRD_CORE_VEC_H
#define CRD_CORE_VEC_H

#include "cardan/types.h"

#include <math.h>

typedef CardanVec3 CrdVec;
typedef struct CrdMat {
    double m[9];
} CrdMat;

static inline CrdVec crd_vec(double x, double y, double z) {
    return (CrdVec){x, y, z};
}
static inline CrdVec crd_vec_of(const double *p) {
    return (CrdVec){p[0], p[1], p[2]};
}
static inline void crd_put(double *p, CrdVec a) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}
static inline CrdVec crd_add(CrdVec a, CrdVec b) {
    return (CrdVec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline CrdVec crd_sub(CrdVec a, CrdVec b) {
    return (CrdVec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline CrdVec crd_neg(CrdVec a) {
    return (CrdVec){-a.x, -a.y, -a.z};
}
static inline CrdVec crd_scale(double s, CrdVec a) {
    return (CrdVec){s * a.x, s * a.y, s * a.z};
}
/* a + s b */
static inline CrdVec crd_axpy(CrdVec a, double s, CrdVec b) {
    return (CrdVec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double crd_dot(CrdVec a, CrdVec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline CrdVec crd_cross(CrdVec a, CrdVec b) {
    return (CrdVec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double crd_norm(CrdVec a) {
    return sqrt(crd_dot(a, a));
}

static inline CrdMat crd_identity(void) {
    return (CrdMat){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}
/* R a */
static inline CrdVec crd_apply(const double *r, CrdVec a) {
    return (CrdVec){r[0] * a.x + r[1] * a.y + r[2] * a.z, r[3] * a.x + r[4] * a.y + r[5] * a.z,
                    r[6] * a.x + r[7] * a.y + r[8] * a.z};
}
/* R^T a */
static inline CrdVec crd_apply_t(const double *r, CrdVec a) {
    return (CrdVec){r[0] * a.x + r[3] * a.y + r[6] * a.z, r[1] * a.x + r[4] * a.y + r[7] * a.z,
                    r[2] * a.x + r[5] * a.y + r[8] * a.z};
}
/* A B */
static inline CrdMat crd_mul(const double *a, const double *b) {
    CrdMat c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    return c;
}
static inline CrdMat crd_transpose(const double *a) {
    return (CrdMat){{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}};
}

#endif
