/* The same model in absolute and in relative coordinates, at the same state. */
#ifndef TESTS_PROPERTY_RELATIVE_FIXTURE_H
#define TESTS_PROPERTY_RELATIVE_FIXTURE_H

#include "property/recipe.h"

#include "dynamics/dynamics.h"
#include "equations/tree.h"
#include "model/relative.h"

#include <stdlib.h>

/* The equations of one of the two. */
typedef struct Side {
    const CardanModel *model;
    CrdArena arena;
    CrdDynamics d;
    CrdError error;
    double *q, *v;
} Side;

typedef struct Both {
    CardanModel *absolute, *relative; /* relative NULL: there is none */
    Side a, r;
    double t;
    double *accelerations; /* of the absolute coordinates, from the relative equations */
} Both;

static inline void open_side(Side *side, const CardanModel *model) {
    CardanOptions options = cardan_default_options();
    options.regularise.method = CARDAN_REGULARISE_NONE;
    *side = (Side){.model = model};
    crd_dynamics_layout(&side->d, model, &options, &side->arena);
    assert_true(crd_arena_allocate(&side->arena));
    crd_dynamics_layout(&side->d, model, &options, &side->arena);
    side->d.error = &side->error;
    if (crd_dynamics_open(&side->d, &options) < 0) fail_msg("%s", side->error.text);
    side->q = crd_new((size_t)model->structure->nq + 1, sizeof(double));
    side->v = crd_new((size_t)model->structure->nv + 1, sizeof(double));
    side->d.actions.states = model->values.z0;
    side->d.actions.inputs = crd_new((size_t)model->structure->input_count + 1, sizeof(double));
}

static inline void close_side(Side *side) {
    union {
        const double *read;
        double *freed;
    } inputs = {side->d.actions.inputs};
    crd_dynamics_close(&side->d);
    CRD_DELETE_ALL(side->q, side->v, inputs.freed);
    crd_arena_free(&side->arena);
}

/* The relative model of a model that it takes over; false, with the sentence: there is none. */
static inline bool open_both(Both *both, CardanModel *absolute, char *sentence, size_t size) {
    CrdError error = {0};
    *both = (Both){.absolute = absolute, .t = 0.35};
    if (crd_relative_create(absolute, &both->relative, &error) < 0) fail_msg("%s", error.text);
    if (both->relative == NULL) {
        snprintf(sentence, size, "%s", error.text);
        cardan_model_release(absolute);
        return false;
    }
    open_side(&both->a, absolute);
    open_side(&both->r, both->relative);
    both->accelerations = crd_new((size_t)absolute->structure->nv + 1, sizeof(double));
    return true;
}

static inline void close_both(Both *both) {
    close_side(&both->a);
    close_side(&both->r);
    crd_delete(both->accelerations);
    cardan_model_release(both->relative);
    cardan_model_release(both->absolute);
}

/* Off the start by `far`, with random rates; joints of the tree stay closed. */
static inline void move_off(Both *both, Random *random, double far) {
    const CrdStructure *s = both->relative->structure;
    double *dx = crd_new((size_t)s->nv + 1, sizeof *dx);
    memcpy(both->r.q, both->relative->values.q0, (size_t)s->nq * sizeof(double));
    for (int i = 0; i < s->nv; i++) {
        dx[i] = far * random_signed(random);
        both->r.v[i] = random_signed(random);
    }
    crd_move(s, dx, both->r.q);
    crd_delete(dx);
}

static inline CardanStatus evaluate_side(Side *side, double t) {
    if (crd_evaluate_constraints(&side->d, t, side->q, side->v) < 0) return side->error.status;
    if (crd_factor(&side->d, CARDAN_METRIC_MASS) < 0) return side->error.status;
    return crd_solve_accelerations(&side->d, side->q, side->v);
}

/* Both at the state of the relative one; < 0: one of them has no solution. */
static inline CardanStatus evaluate_both(Both *both) {
    CrdSystem *system = &both->r.d.system;
    CRD_TRY(crd_kinematics(both->relative, both->t, both->r.q, both->r.v, system, &both->r.error));
    crd_relative_to_absolute(both->absolute, system->frames, both->a.q, both->a.v);
    CRD_TRY(evaluate_side(&both->a, both->t));
    CRD_TRY(crd_refine(&both->a.d)); /* the reference without what the squared condition of its S costs */
    CRD_TRY(evaluate_side(&both->r, both->t));
    crd_relative_accelerations(both->absolute, both->relative, system, both->r.d.a, both->accelerations);
    return CARDAN_OK;
}

static inline void refine_relative(Both *both) {
    assert_true(crd_refine(&both->r.d) >= 0);
    crd_relative_accelerations(both->absolute, both->relative, &both->r.d.system, both->r.d.a, both->accelerations);
}

static inline double largest(const double *x, int n) {
    double max = 0.0;
    for (int i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
    return max;
}

/* Largest difference of accelerations as a part of the largest, and of multipliers of loop rows likewise. */
static inline double acceleration_difference(const Both *both) {
    int n = both->absolute->structure->nv;
    double max = 0.0, size = largest(both->a.d.a, n);
    for (int i = 0; i < n; i++) max = fmax(max, fabs(both->a.d.a[i] - both->accelerations[i]));
    return size > 0.0 ? max / size : max;
}

static inline double multiplier_difference(const Both *both) {
    const CrdStructure *s = both->relative->structure, *abs = both->absolute->structure;
    double max = 0.0, size = largest(both->a.d.lambda, abs->rows);
    for (int e = 0; e < s->element_count; e++)
        for (int r = 0; r < s->elements[e].rows; r++)
            max = fmax(max,
                       fabs(both->a.d.lambda[abs->elements[e].first + r] - both->r.d.lambda[s->elements[e].first + r]));
    return size > 0.0 ? max / size : max;
}

/* Largest difference of reactions of all joints, found by the tree's own sweep and by the absolute factor, as a part of
 * the largest of them: forces, and moments over the size of the mechanism. */
static inline double reaction_difference(const Both *both) {
    const CrdStructure *s = both->absolute->structure;
    const CrdDynamics *d = &both->a.d;
    double *rest = crd_new((size_t)s->nv + 1, sizeof *rest), *lambda = crd_new((size_t)s->rows + 1, sizeof *lambda);
    double max = 0.0, size = 0.0, length = both->absolute->values.size;
    crd_tree_multipliers(both->absolute, both->relative, &d->system, both->accelerations, both->r.d.lambda, rest,
                         lambda);
    for (int e = 0; e < s->element_count; e++) {
        if (s->elements[e].kind == NULL || s->elements[e].rows == 0) continue;
        CardanWrench x = crd_joint_reaction(both->absolute, &d->system, d->lambda, e, false),
                     y = crd_joint_reaction(both->absolute, &d->system, lambda, e, false);
        max = fmax(max, crd_norm(crd_sub(x.force, y.force)) + crd_norm(crd_sub(x.moment, y.moment)) / length);
        size = fmax(size, crd_norm(x.force) + crd_norm(x.moment) / length);
    }
    CRD_DELETE_ALL(rest, lambda);
    return size > 0.0 ? max / size : max;
}

/* Largest residual of the absolute rows that are joints of the tree, in g and in rate. */
static inline double tree_residual(const Both *both) {
    const CrdStructure *s = both->relative->structure, *abs = both->absolute->structure;
    double max = 0.0;
    for (int e = 0; e < s->element_count; e++)
        for (int r = abs->elements[e].first; s->tree->is_joint[e] && r < abs->elements[e].first + abs->elements[e].rows;
             r++)
            max = fmax(max, fmax(fabs(both->a.d.system.g[r]), fabs(both->a.d.system.rate[r])));
    return max;
}

static inline double frame_difference(const Both *both) {
    double max = 0.0;
    for (int i = 1; i < both->absolute->structure->frame_count; i++) {
        const double *x = (const double *)&both->a.d.system.frames[i], *y = (const double *)&both->r.d.system.frames[i];
        for (size_t k = 0; k < sizeof(CardanFrame) / sizeof(double); k++) max = fmax(max, fabs(x[k] - y[k]));
    }
    return max;
}

#endif
