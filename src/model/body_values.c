#include "model/body_values.h"

#include "build/inertia.h"
#include "build/orientation.h"

#include <string.h>

/* Row-major inertia matrix in body axes. */
static void inertia_of(const CrdBodyDesc *body, double *m) {
    double t[6];
    crd_body_inertia(body, t);
    const double full[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};
    memcpy(m, full, sizeof full);
}

/* Inverse of a symmetric positive definite 3 x 3 matrix by its adjugate. */
static void invert(const double *a, double *out) {
    double c00 = a[4] * a[8] - a[5] * a[7], c01 = a[5] * a[6] - a[3] * a[8], c02 = a[3] * a[7] - a[4] * a[6];
    double s = 1.0 / (a[0] * c00 + a[1] * c01 + a[2] * c02);
    out[0] = s * c00;
    out[1] = out[3] = s * c01;
    out[2] = out[6] = s * c02;
    out[4] = s * (a[0] * a[8] - a[2] * a[6]);
    out[5] = out[7] = s * (a[2] * a[3] - a[0] * a[5]);
    out[8] = s * (a[0] * a[4] - a[1] * a[3]);
}

static void planar_start(const CrdBodyDesc *body, double *q, double *v) {
    q[0] = body->position[0], q[1] = body->position[1];
    v[0] = body->velocity[0], v[1] = body->velocity[1];
    if (body->particle) return;
    q[2] = body->orientation_form == CRD_ORIENTATION_ANGLE ? body->orientation[0] : 0.0;
    v[2] = body->angular_velocity[2] + body->body_rates[2];
}

static void spatial_start(const CrdBodyDesc *body, double *q, double *v) {
    memcpy(q, body->position, 3 * sizeof *q);
    memcpy(v, body->velocity, 3 * sizeof *v);
    if (body->particle) return;
    CardanQuat o = crd_orientation_of(body->orientation_form, body->orientation);
    CrdMat r = crd_matrix_of(o);
    q[3] = o.w, q[4] = o.x, q[5] = o.y, q[6] = o.z;
    crd_put(v + 3, crd_add(crd_apply_t(r.m, crd_vec_of(body->angular_velocity)), crd_vec_of(body->body_rates)));
}

void crd_resolve_body(const CrdBodyDesc *body, CardanSpace space, CrdBlockValues *out, double *q, double *v) {
    out->mass = body->mass;
    out->inverse_mass = 1.0 / body->mass;
    if (!body->particle) inertia_of(body, out->inertia);
    if (space == CARDAN_SPACE_PLANAR) {
        planar_start(body, q, v);
        if (!body->particle) out->inverse_inertia[8] = 1.0 / out->inertia[8];
    } else {
        spatial_start(body, q, v);
        if (!body->particle) invert(out->inertia, out->inverse_inertia);
    }
}
