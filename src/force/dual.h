/* Numbers and vectors with a derivative: for laws so long that writing each formula twice would hide them. */
#ifndef CRD_FORCE_DUAL_H
#define CRD_FORCE_DUAL_H

#include "core/vec.h"

typedef struct CrdDual {
    double x, d;
} CrdDual;
typedef struct CrdDualVec {
    CrdVec x, d;
} CrdDualVec;

static inline CrdDual crd_d(double x, double d) {
    return (CrdDual){x, d};
}
static inline CrdDual crd_d_add(CrdDual a, CrdDual b) {
    return crd_d(a.x + b.x, a.d + b.d);
}
static inline CrdDual crd_d_sub(CrdDual a, CrdDual b) {
    return crd_d(a.x - b.x, a.d - b.d);
}
static inline CrdDual crd_d_scale(double s, CrdDual a) {
    return crd_d(s * a.x, s * a.d);
}
static inline CrdDual crd_d_mul(CrdDual a, CrdDual b) {
    return crd_d(a.x * b.x, a.d * b.x + a.x * b.d);
}
static inline CrdDual crd_d_div(CrdDual a, CrdDual b) {
    double q = a.x / b.x;
    return crd_d(q, (a.d - q * b.d) / b.x);
}
static inline CrdDual crd_d_sqrt(CrdDual a) { /* a > 0 */
    double r = sqrt(a.x);
    return crd_d(r, a.d / (2.0 * r));
}
static inline CrdDual crd_d_atan(CrdDual a) {
    return crd_d(atan(a.x), a.d / (1.0 + a.x * a.x));
}
static inline CrdDual crd_d_sin(CrdDual a) {
    return crd_d(sin(a.x), cos(a.x) * a.d);
}
/* max(|a|, least) */
static inline CrdDual crd_d_magnitude(CrdDual a, double min) {
    if (fabs(a.x) <= min) return crd_d(min, 0.0);
    return crd_d(fabs(a.x), copysign(1.0, a.x) * a.d);
}

static inline CrdDual crd_d_norm(CrdVec x, CrdVec d) { /* kink at 0: 0 lies between its slopes */
    double r = crd_norm(x);
    return crd_d(r, r > 0.0 ? crd_dot(x, d) / r : 0.0);
}

static inline CrdDualVec crd_dv(CrdVec x, CrdVec d) {
    return (CrdDualVec){x, d};
}
static inline CrdDualVec crd_dv_constant(CrdVec x) {
    return (CrdDualVec){x, {0, 0, 0}};
}
static inline CrdDualVec crd_dv_add(CrdDualVec a, CrdDualVec b) {
    return crd_dv(crd_add(a.x, b.x), crd_add(a.d, b.d));
}
static inline CrdDualVec crd_dv_sub(CrdDualVec a, CrdDualVec b) {
    return crd_dv(crd_sub(a.x, b.x), crd_sub(a.d, b.d));
}
static inline CrdDualVec crd_dv_scale(CrdDual s, CrdDualVec a) {
    return crd_dv(crd_scale(s.x, a.x), crd_axpy(crd_scale(s.d, a.x), s.x, a.d));
}
static inline CrdDual crd_dv_dot(CrdDualVec a, CrdDualVec b) {
    return crd_d(crd_dot(a.x, b.x), crd_dot(a.d, b.x) + crd_dot(a.x, b.d));
}
static inline CrdDualVec crd_dv_cross(CrdDualVec a, CrdDualVec b) {
    return crd_dv(crd_cross(a.x, b.x), crd_add(crd_cross(a.d, b.x), crd_cross(a.x, b.d)));
}

#endif
