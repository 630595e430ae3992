/* The custom block and the user rows of random mechanisms, with their exact derivatives. */
#ifndef TESTS_PROPERTY_RECIPE_CALLBACKS_H
#define TESTS_PROPERTY_RECIPE_CALLBACKS_H

#include "cardan/builder.h"
#include "core/rotation.h"

#include <math.h>
#include <string.h>

/* Coordinates (phi, r): a bead on a spoke. The spoke turns about z through `base`, u is its direction at phi = 0. In
 * space the second of its frames also rolls about its own x as the bead moves. T = (J + m r^2) phi'^2 / 2 + m r'^2 / 2
 * + c phi' r',   V = k (r - 1)^2 / 2,   r = 1 + a sin(phi + W t) */
typedef struct Spoke {
    CardanSpace space;
    CrdVec base, u;
    CrdMat twist[2]; /* own axes of its two frames against the spoke's */
    double mass, inertia, mixed, stiffness, wave, speed;
    double q0[2], v0[2];
} Spoke;

typedef struct Link { /* (|p_b - p_a|^2 - length^2) / 2 = 0 */
    CrdVec la, lb;
    double square;
} Link;

typedef struct Blade { /* the point l of the body does not move along e, but for speed * t */
    CrdVec l, e;
    double speed;
} Blade;

static inline CardanStatus spoke_mass(void *user, double t, const double *q, double *m) {
    const Spoke *s = user;
    (void)t;
    m[0] = s->inertia + s->mass * q[1] * q[1];
    m[1] = m[2] = s->mixed;
    m[3] = s->mass;
    return CARDAN_OK;
}

static inline CardanStatus spoke_force(void *user, double t, const double *q, const double *v, const double *inputs,
                                       double *f) {
    const Spoke *s = user;
    (void)t, (void)inputs;
    f[0] = -2.0 * s->mass * q[1] * v[0] * v[1];
    f[1] = s->mass * q[1] * v[0] * v[0] - s->stiffness * (q[1] - 1.0);
    return CARDAN_OK;
}

static inline double spoke_potential(void *user, double t, const double *q) {
    const Spoke *s = user;
    (void)t;
    return 0.5 * s->stiffness * (q[1] - 1.0) * (q[1] - 1.0);
}

static inline CardanStatus spoke_constraint(void *user, double t, const double *q, const double *v, double *g,
                                            double *jacobian, double *rate, double *gamma) {
    const Spoke *s = user;
    double phase = q[0] + s->speed * t, turning = v[0] + s->speed;
    g[0] = q[1] - 1.0 - s->wave * sin(phase);
    jacobian[0] = -s->wave * cos(phase);
    jacobian[1] = 1.0;
    rate[0] = -s->wave * s->speed * cos(phase);
    gamma[0] = -s->wave * sin(phase) * turning * turning;
    return CARDAN_OK;
}

/* rad/m about own x */
static inline double spoke_roll(const Spoke *s, int k) {
    return k == 1 && s->space == CARDAN_SPACE_SPATIAL ? 0.7 : 0.0;
}

/* z in the axes of frame k: how it turns with phi. */
static inline CrdVec spoke_own_z(const Spoke *s, int k, double r) {
    CrdMat roll = crd_matrix_of(crd_quat_of(crd_vec(spoke_roll(s, k) * r, 0, 0)));
    return crd_apply_t(roll.m, crd_apply_t(s->twist[k].m, crd_vec(0, 0, 1)));
}

/* Its derivative in r. */
static inline CrdVec spoke_own_change(const Spoke *s, int k, double r) {
    return crd_cross(spoke_own_z(s, k, r), crd_vec(spoke_roll(s, k), 0, 0));
}

static inline CardanStatus spoke_frame(void *user, int k, double t, const double *q, const double *v,
                                       CardanFrame *frame, double *jacobian, double *bias) {
    const Spoke *s = user;
    (void)t;
    CrdMat turn = crd_matrix_about_z(q[0]), twisted = crd_mul(turn.m, s->twist[k].m);
    CrdVec rolling = crd_vec(spoke_roll(s, k), 0, 0);
    CrdMat roll = crd_matrix_of(crd_quat_of(crd_scale(q[1], rolling))), r = crd_mul(twisted.m, roll.m);
    CrdVec z = crd_vec(0, 0, 1), u = crd_apply(turn.m, s->u), across = crd_cross(z, u);
    CrdVec own = spoke_own_z(s, k, q[1]), slope[2] = {crd_scale(q[1], across), u};
    memcpy(frame->rotation, r.m, sizeof frame->rotation);
    frame->angle = q[0] + atan2(s->twist[k].m[3], s->twist[k].m[0]); /* has a meaning in the plane */
    frame->x = crd_axpy(s->base, q[1], u);
    frame->v = crd_add(crd_scale(v[0], slope[0]), crd_scale(v[1], slope[1]));
    frame->w = crd_axpy(crd_scale(v[0], own), v[1], rolling);
    double columns[2][6] = {{slope[0].x, slope[0].y, slope[0].z, own.x, own.y, own.z},
                            {slope[1].x, slope[1].y, slope[1].z, rolling.x, 0, 0}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 2; j++) jacobian[2 * i + j] = columns[j][i];
    crd_put(bias, crd_axpy(crd_scale(2.0 * v[0] * v[1], across), q[1] * v[0] * v[0], crd_cross(z, across)));
    crd_put(bias + 3, crd_scale(v[0] * v[1], spoke_own_change(s, k, q[1])));
    return CARDAN_OK;
}

static inline CardanStatus link_rows(void *user, double t, const CardanFrame *f, double *g, CardanTwistRow *jacobian,
                                     double *rate, double *gamma) {
    const Link *l = user;
    (void)t, (void)rate;
    CrdVec arm_a = crd_apply(f[0].rotation, l->la), arm_b = crd_apply(f[1].rotation, l->lb);
    CrdVec wa = crd_apply(f[0].rotation, f[0].w), wb = crd_apply(f[1].rotation, f[1].w);
    CrdVec d = crd_sub(crd_add(f[1].x, arm_b), crd_add(f[0].x, arm_a));
    CrdVec rate_d = crd_sub(crd_add(f[1].v, crd_cross(wb, arm_b)), crd_add(f[0].v, crd_cross(wa, arm_a)));
    CrdVec bias = crd_sub(crd_cross(wb, crd_cross(wb, arm_b)), crd_cross(wa, crd_cross(wa, arm_a)));
    g[0] = 0.5 * (crd_dot(d, d) - l->square);
    crd_put(jacobian[0], crd_neg(d));
    crd_put(jacobian[0] + 3, crd_neg(crd_apply_t(f[0].rotation, crd_cross(arm_a, d))));
    crd_put(jacobian[1], d);
    crd_put(jacobian[1] + 3, crd_apply_t(f[1].rotation, crd_cross(arm_b, d)));
    gamma[0] = -(crd_dot(rate_d, rate_d) + crd_dot(d, bias));
    return CARDAN_OK;
}

static inline CardanStatus blade_rows(void *user, double t, const CardanFrame *f, double *g, CardanTwistRow *jacobian,
                                      double *rate, double *gamma) {
    const Blade *k = user;
    (void)g;
    CrdVec e = crd_apply(f[0].rotation, k->e), turning = crd_apply(f[0].rotation, crd_cross(f[0].w, k->e));
    crd_put(jacobian[0], e);
    crd_put(jacobian[0] + 3, crd_cross(k->l, k->e));
    rate[0] = k->speed * t;
    gamma[0] = -(crd_dot(turning, f[0].v) + k->speed);
    return CARDAN_OK;
}

/* ---- their derivatives ---- */

static inline CardanStatus spoke_constraint_gradient(void *user, double t, const double *q, const double *v,
                                                     double *gradient) {
    const Spoke *s = user;
    gradient[0] = s->wave * sin(q[0] + s->speed * t) * v[0];
    return CARDAN_OK;
}

static inline CardanStatus spoke_reaction_gradient(void *user, double t, const double *q, const double *lambda,
                                                   double *gradient) {
    const Spoke *s = user;
    gradient[0] = s->wave * sin(q[0] + s->speed * t) * lambda[0];
    return CARDAN_OK;
}

static inline CardanStatus spoke_mass_gradient(void *user, double t, const double *q, const double *a,
                                               double *gradient) {
    const Spoke *s = user;
    (void)t;
    gradient[1] = 2.0 * s->mass * q[1] * a[0];
    return CARDAN_OK;
}

static inline CardanStatus spoke_force_gradient(void *user, double t, const double *q, const double *v,
                                                const double *inputs, double *by_q, double *by_v) {
    const Spoke *s = user;
    (void)t, (void)inputs;
    by_q[1] = -2.0 * s->mass * v[0] * v[1];
    by_q[3] = s->mass * v[0] * v[0] - s->stiffness;
    by_v[0] = -2.0 * s->mass * q[1] * v[1];
    by_v[1] = -2.0 * s->mass * q[1] * v[0];
    by_v[2] = 2.0 * s->mass * q[1] * v[0];
    return CARDAN_OK;
}

/* The spoke's direction, its derivative in phi, and the second. */
static inline void spoke_directions(const Spoke *s, double phi, CrdVec *u, CrdVec *across, CrdVec *back) {
    CrdVec z = crd_vec(0, 0, 1);
    *u = crd_apply(crd_matrix_about_z(phi).m, s->u);
    *across = crd_cross(z, *u);
    *back = crd_cross(z, *across);
}

static inline CardanStatus spoke_frame_gradient(void *user, int k, double t, const double *q, const double *v,
                                                double *gradient) {
    CrdVec u, across, back;
    (void)t;
    spoke_directions(user, q[0], &u, &across, &back);
    CrdVec by_phi = crd_axpy(crd_scale(v[1], across), v[0] * q[1], back), by_r = crd_scale(v[0], across);
    CrdVec turning = crd_scale(v[0], spoke_own_change(user, k, q[1]));
    const double columns[2][6] = {{by_phi.x, by_phi.y, by_phi.z, 0, 0, 0},
                                  {by_r.x, by_r.y, by_r.z, turning.x, turning.y, turning.z}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 2; j++) gradient[2 * i + j] = columns[j][i];
    return CARDAN_OK;
}

static inline CardanStatus spoke_load_gradient(void *user, int k, double t, const double *q, const double *load,
                                               double *gradient) {
    CrdVec u, across, back, force = crd_vec_of(load), moment = crd_vec_of(load + 3);
    (void)t;
    spoke_directions(user, q[0], &u, &across, &back);
    gradient[0] = q[1] * crd_dot(back, force);
    gradient[1] = crd_dot(across, force) + crd_dot(spoke_own_change(user, k, q[1]), moment);
    gradient[2] = crd_dot(across, force);
    return CARDAN_OK;
}

/* The link's d = p_b - p_a and its rate. */
static inline void link_vectors(const Link *l, const CardanFrame *f, CrdVec *d, CrdVec *rate) {
    CrdVec a = crd_add(f[0].x, crd_apply(f[0].rotation, l->la)), b = crd_add(f[1].x, crd_apply(f[1].rotation, l->lb));
    *d = crd_sub(b, a);
    *rate = crd_sub(crd_add(f[1].v, crd_apply(f[1].rotation, crd_cross(f[1].w, l->lb))),
                    crd_add(f[0].v, crd_apply(f[0].rotation, crd_cross(f[0].w, l->la))));
}

static inline CardanStatus link_gradient(void *user, double t, const CardanFrame *f, CardanTwistRow *gradient) {
    const Link *l = user;
    CrdVec d, rate;
    (void)t;
    link_vectors(l, f, &d, &rate);
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? -1.0 : 1.0;
        CrdVec arm = i == 0 ? l->la : l->lb, own = crd_apply_t(f[i].rotation, d);
        CrdVec turn = crd_cross(arm, crd_apply_t(f[i].rotation, rate));
        crd_put(gradient[i], crd_scale(sign, rate));
        crd_put(gradient[i] + 3, crd_scale(sign, crd_add(turn, crd_cross(crd_cross(f[i].w, arm), own))));
    }
    return CARDAN_OK;
}

/* Column by column: load -lambda (d, la x Ra^T d) on a, +lambda (d, lb x Rb^T d) on b. */
static inline CardanStatus link_reaction_gradient(void *user, double t, const CardanFrame *f, const double *lambda,
                                                  double *gradient) {
    const Link *l = user;
    CrdVec d, rate;
    (void)t;
    link_vectors(l, f, &d, &rate);
    for (int column = 0; column < 12; column++) {
        double unit[12] = {0};
        unit[column] = 1.0;
        CrdVec moved = crd_vec(0, 0, 0);
        for (int i = 0; i < 2; i++) {
            CrdVec arm = i == 0 ? l->la : l->lb, turn = crd_vec_of(unit + 6 * i + 3);
            CrdVec of = crd_add(crd_vec_of(unit + 6 * i), crd_apply(f[i].rotation, crd_cross(turn, arm)));
            moved = crd_axpy(moved, i == 0 ? -1.0 : 1.0, of);
        }
        for (int i = 0; i < 2; i++) {
            double s = i == 0 ? -lambda[0] : lambda[0];
            CrdVec arm = i == 0 ? l->la : l->lb, turn = crd_vec_of(unit + 6 * i + 3);
            CrdVec own = crd_sub(crd_apply_t(f[i].rotation, moved), crd_cross(turn, crd_apply_t(f[i].rotation, d)));
            CrdVec moment = crd_cross(arm, own);
            const double change[6] = {moved.x, moved.y, moved.z, moment.x, moment.y, moment.z};
            for (int k = 0; k < 6; k++) gradient[(6 * i + k) * 12 + column] = s * change[k];
        }
    }
    return CARDAN_OK;
}

static inline CardanStatus blade_gradient(void *user, double t, const CardanFrame *f, CardanTwistRow *gradient) {
    const Blade *k = user;
    (void)t;
    crd_put(gradient[0] + 3, crd_cross(k->e, crd_apply_t(f[0].rotation, f[0].v)));
    return CARDAN_OK;
}

static inline CardanStatus blade_reaction_gradient(void *user, double t, const CardanFrame *f, const double *lambda,
                                                   double *gradient) {
    const Blade *k = user;
    (void)t;
    for (int i = 0; i < 3; i++) {
        CrdVec turn = crd_vec(i == 0, i == 1, i == 2), e = crd_apply(f[0].rotation, crd_cross(turn, k->e));
        gradient[3 + i] = lambda[0] * e.x;
        gradient[6 + 3 + i] = lambda[0] * e.y;
        gradient[12 + 3 + i] = lambda[0] * e.z;
    }
    return CARDAN_OK;
}

#endif
