/* The equations of a random mechanism, measured at a state off its constraints. */
#ifndef TESTS_PROPERTY_SYSTEM_BENCH_H
#define TESTS_PROPERTY_SYSTEM_BENCH_H

#include "property/recipe.h"

#include "equations/element.h"

enum { BENCH_SIZE = 400 }; /* most coordinates of a model */

typedef struct Bench {
    CardanModel *model;
    CrdArena arena;
    CrdSystem w;
    CrdError error;
    double t, q[BENCH_SIZE], v[BENCH_SIZE];
} Bench;

static inline void measure_at(Bench *b, const double *q, const double *v) {
    CrdActions none = {0};
    if (crd_kinematics(b->model, b->t, q, v, &b->w, &b->error) < 0) fail_msg("%s", b->error.text);
    if (crd_constraints(b->model, q, v, &none, &b->w, &b->error) < 0) fail_msg("%s", b->error.text);
}

static inline void open_bench(Bench *b, CardanModel *model, Random *random) {
    *b = (Bench){.model = model, .t = 0.35};
    const CrdStructure *s = model->structure;
    double dx[BENCH_SIZE];
    crd_system_layout(&b->w, s, &b->arena);
    assert_true(crd_arena_allocate(&b->arena));
    crd_system_layout(&b->w, s, &b->arena);
    assert_true(s->nq <= BENCH_SIZE);
    memcpy(b->q, model->values.q0, (size_t)s->nq * sizeof *b->q);
    for (int i = 0; i < s->nv; i++) b->v[i] = random_signed(random);
    for (int i = 0; i < s->nv; i++) dx[i] = 0.2 * random_signed(random);
    crd_move(s, dx, b->q);
    measure_at(b, b->q, b->v);
}

/* The twist of a carrier from the velocities of its block: 6 x width; returns the width (0: the ground), and where its
 * velocities start. */
static inline int velocity_map(const Bench *b, int frame, double e[6][6], int *first) {
    const CrdStructure *s = b->model->structure;
    const CrdFrame *c = &s->frames[frame];
    if (c->block < 0) return 0;
    const CrdBlock *block = &s->blocks[c->block];
    memset(e, 0, 36 * sizeof(double));
    *first = block->v;
    if (block->kind == CRD_CUSTOM_BLOCK) {
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < block->nv; k++) e[i][k] = b->w.frame_jacobian[c->jacobian + i * block->nv + k];
        return block->nv;
    }
    for (int k = 0; k < block->nv; k++) e[block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k][k] = 1.0;
    return block->nv;
}

static inline void close_bench(Bench *b) {
    crd_arena_free(&b->arena);
    cardan_model_release(b->model);
}

#endif
