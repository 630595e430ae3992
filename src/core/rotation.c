#include "core/rotation.h"

#include "core/numbers.h"

#include <assert.h>
#include <stdbool.h>

/* |phi|^2 in rad^2 below which the factor of the rotation vector's rate, whose closed form cancels, is taken from its
 * series; the next term there is below one ulp. */
#define CRD_ROTATION_SERIES 1e-2

#ifndef NDEBUG
/* Deviations of lengths and products from 1 and 0 that are rounding. What is not finite passes, as does a quaternion
 * too large to be squared, which normalising makes 0: whoever asks for finite results finds them. */
#define CRD_UNIT_ROUNDING 1e-12

static bool is_unit(CrdVec u) {
    return !(fabs(crd_norm(u) - 1.0) > CRD_UNIT_ROUNDING);
}

static bool is_unit_quat(CardanQuat q) {
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return !(fabs(square - 1.0) > CRD_UNIT_ROUNDING) || square == 0.0;
}
#endif

CardanQuat crd_quat_mul(CardanQuat p, CardanQuat q) {
    return (CardanQuat){p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

CardanQuat crd_quat_normalised(CardanQuat q) {
    double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (CardanQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

CardanQuat crd_quat_of(CrdVec u) {
    double angle = crd_norm(u);
    double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    return (CardanQuat){cos(0.5 * angle), s * u.x, s * u.y, s * u.z};
}

CardanQuat crd_quat_of_rpy(double roll, double pitch, double yaw) {
    CardanQuat x = crd_quat_of(crd_vec(roll, 0, 0)), y = crd_quat_of(crd_vec(0, pitch, 0));
    return crd_quat_mul(crd_quat_of(crd_vec(0, 0, yaw)), crd_quat_mul(y, x));
}

CrdMat crd_matrix_of(CardanQuat q) {
    assert(is_unit_quat(q));
    double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (CrdMat){
        {1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy)}};
}

CrdMat crd_matrix_about_z(double angle) {
    double c = cos(angle), s = sin(angle);
    return (CrdMat){{c, -s, 0, s, c, 0, 0, 0, 1}};
}

CardanQuat crd_quat_of_matrix(const double *r) {
    /* Shepperd: divide by the largest of 2w, 2x, 2y, 2z, so that no digit is lost at any angle. */
    double d[4] = {r[0] + r[4] + r[8], r[0] - r[4] - r[8], r[4] - r[0] - r[8], r[8] - r[0] - r[4]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (d[i] > d[k]) k = i;
    double big = sqrt(1.0 + d[k]), s = 0.5 / big;
    double wx = (r[7] - r[5]) * s, wy = (r[2] - r[6]) * s, wz = (r[3] - r[1]) * s;
    double xy = (r[1] + r[3]) * s, xz = (r[2] + r[6]) * s, yz = (r[5] + r[7]) * s;
    CardanQuat q = k == 0   ? (CardanQuat){0.5 * big, wx, wy, wz}
                   : k == 1 ? (CardanQuat){wx, 0.5 * big, xy, xz}
                   : k == 2 ? (CardanQuat){wy, xy, 0.5 * big, yz}
                            : (CardanQuat){wz, xz, yz, 0.5 * big};
    return q.w < 0.0 ? (CardanQuat){-q.w, -q.x, -q.y, -q.z} : q;
}

CrdVec crd_rotation_vector(const double *c) {
    CardanQuat q = crd_quat_of_matrix(c);
    CrdVec u = crd_vec(q.x, q.y, q.z);
    double s = crd_norm(u);
    return crd_scale(s > 0.0 ? 2.0 * atan2(s, q.w) / s : 2.0, u);
}

CrdVec crd_rotation_vector_near(const double *c, CrdVec near) {
    CrdVec phi = crd_rotation_vector(c);
    double angle = crd_norm(phi), turned = crd_norm(near);
    if (angle == 0.0 && turned == 0.0) return phi;
    CrdVec axis = angle > 0.0 ? crd_scale(1.0 / angle, phi) : crd_scale(1.0 / turned, near);
    double turns = round((crd_dot(axis, near) - angle) / (2.0 * CRD_PI));
    return turns == 0.0 ? phi : crd_scale(angle + 2.0 * CRD_PI * turns, axis);
}

/* k(y) and dk/dy of Jl^-1, y = |phi|^2; not finite at a whole turn, where Jl is singular. Series: k = sum of B_2n
 * (-1)^(n-1) y^(n-1) / (2n)!, Bernoulli numbers. */
static void rate_factor(double y, double *k, double *dk) {
    if (y < CRD_ROTATION_SERIES) {
        *k = 1.0 / 12 + y * (1.0 / 720 + y * (1.0 / 30240 + y * (1.0 / 1209600 + y * (1.0 / 47900160))));
        *dk = 1.0 / 720 + y * (2.0 / 30240 + y * (3.0 / 1209600 + y * (4.0 / 47900160)));
        return;
    }
    double a = sqrt(y), half = 0.5 * a, cot = cos(half) / sin(half);
    *k = (1.0 - half * cot) / y;
    /* d/da [(a/2) cot(a/2)] = cot(a/2)/2 - (a/4)/sin^2(a/2); dk/dy = (dk/da) / (2a). */
    double dhc = 0.5 * cot - 0.25 * a / (sin(half) * sin(half));
    *dk = (-dhc / (2.0 * a) - *k) / y;
}

CrdVec crd_rotation_vector_rate(CrdVec phi, CrdVec x) {
    double k, dk;
    rate_factor(crd_dot(phi, phi), &k, &dk);
    CrdVec px = crd_cross(phi, x);
    return crd_add(crd_axpy(x, -0.5, px), crd_scale(k, crd_cross(phi, px)));
}

/* [phi]^2 = phi phi^T - |phi|^2 I. */
CrdMat crd_rotation_vector_rates(CrdVec phi) {
    double y = crd_dot(phi, phi), k, dk;
    rate_factor(y, &k, &dk);
    CrdVec half = crd_scale(0.5, phi), row = crd_scale(k, phi);
    double one = 1.0 - k * y, xy = row.x * phi.y, xz = row.x * phi.z, yz = row.y * phi.z;
    return (CrdMat){{one + row.x * phi.x, xy + half.z, xz - half.y, xy - half.z, one + row.y * phi.y, yz + half.x,
                     xz + half.y, yz - half.x, one + row.z * phi.z}};
}

CrdVec crd_rotation_vector_rate_change(CrdVec phi, CrdVec dphi, CrdVec x) {
    double k, dk;
    rate_factor(crd_dot(phi, phi), &k, &dk);
    CrdVec px = crd_cross(phi, x), dpx = crd_cross(dphi, x);
    CrdVec second = crd_add(crd_cross(dphi, px), crd_cross(phi, dpx));
    CrdVec change = crd_axpy(crd_scale(k, second), 2.0 * dk * crd_dot(phi, dphi), crd_cross(phi, px));
    return crd_axpy(change, -0.5, dpx);
}

void crd_across(CrdVec u, CrdVec *e1, CrdVec *e2) {
    assert(is_unit(u));
    double x = fabs(u.x), y = fabs(u.y), z = fabs(u.z);
    CrdVec min = x <= y && x <= z ? crd_vec(1, 0, 0) : y <= z ? crd_vec(0, 1, 0) : crd_vec(0, 0, 1);
    CrdVec e = crd_cross(u, min);
    *e1 = crd_scale(1.0 / crd_norm(e), e);
    *e2 = crd_cross(u, *e1);
    assert(is_unit(*e2));
}
