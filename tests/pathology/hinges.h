/* What hinges are open by, computed from the places of their bodies alone. */
#ifndef TESTS_PATHOLOGY_HINGES_H
#define TESTS_PATHOLOGY_HINGES_H

#include "support/check.h"
#include "support/scene.h"

typedef struct Hinge {
    const char *a, *b; /* NULL: the ground */
    double point[3], axis[3];
    double point_a[3], point_b[3], axis_a[3], axis_b[3]; /* in axes of a and b */
} Hinge;

/* out = v + 2 w (u x v) + 2 u x (u x v) for the quaternion (w, u); back: by the inverse. */
static inline void hinge_turn(CardanQuat q, bool back, const double *v, double *out) {
    double u[3] = {back ? -q.x : q.x, back ? -q.y : q.y, back ? -q.z : q.z}, c[3], d[3];
    for (int i = 0; i < 3; i++) c[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    for (int i = 0; i < 3; i++) d[i] = u[(i + 1) % 3] * c[(i + 2) % 3] - u[(i + 2) % 3] * c[(i + 1) % 3];
    for (int i = 0; i < 3; i++) out[i] = v[i] + 2.0 * q.w * c[i] + 2.0 * d[i];
}

static inline CardanBodyState hinge_body(CardanSim *sim, const CardanModel *model, const char *body) {
    return body != NULL ? scene_body(sim, model, body) : (CardanBodyState){.quaternion = {1, 0, 0, 0}};
}

static inline void hinge_attach(const CardanBodyState *s, const Hinge *hinge, double *point, double *axis) {
    double arm[3] = {hinge->point[0] - s->position.x, hinge->point[1] - s->position.y, hinge->point[2] - s->position.z};
    hinge_turn(s->quaternion, true, arm, point);
    hinge_turn(s->quaternion, true, hinge->axis, axis);
}

static inline void hinge_place(const CardanBodyState *s, const double *point, const double *axis, double *p,
                               double *n) {
    hinge_turn(s->quaternion, false, point, p);
    p[0] += s->position.x, p[1] += s->position.y, p[2] += s->position.z;
    hinge_turn(s->quaternion, false, axis, n);
    double length = norm_of(n, 3);
    for (int i = 0; i < 3; i++) n[i] /= length;
}

/* Largest component of the gap, and sine of the angle between the axes, of all hinges now. */
static inline void hinges_measure(CardanSim *sim, const CardanModel *model, const Hinge *hinges, int n, double *gap,
                                  double *angle) {
    for (int k = 0; k < n; k++) {
        CardanBodyState a = hinge_body(sim, model, hinges[k].a), b = hinge_body(sim, model, hinges[k].b);
        double pa[3], pb[3], na[3], nb[3], cross[3];
        hinge_place(&a, hinges[k].point_a, hinges[k].axis_a, pa, na);
        hinge_place(&b, hinges[k].point_b, hinges[k].axis_b, pb, nb);
        for (int i = 0; i < 3; i++) cross[i] = na[(i + 1) % 3] * nb[(i + 2) % 3] - na[(i + 2) % 3] * nb[(i + 1) % 3];
        *angle = fmax(*angle, norm_of(cross, 3));
        *gap = fmax(*gap, sqrt(pow(pa[0] - pb[0], 2) + pow(pa[1] - pb[1], 2) + pow(pa[2] - pb[2], 2)));
    }
}

#endif
