/* The equations of a model at its pose as written, dense: for the tests of the solvers. */
#ifndef TESTS_UNIT_MODEL_SYSTEM_H
#define TESTS_UNIT_MODEL_SYSTEM_H

#include "solver_fixture.h"

#include "core/memory.h"
#include "equations/system.h"

typedef struct ModelSystem {
    System y; /* M, G and S; the pattern is the model's, with its elimination */
    CardanModel *model;
    CrdArena arena;
    CrdSystem w;
    double *f;     /* (nv) applied forces */
    double *r;     /* (n) G M^-1 f - gamma */
    double *gamma; /* (n) */
} ModelSystem;

/* Takes the builder. */
static inline ModelSystem model_system(CardanBuilder *builder) {
    ModelSystem s = {0};
    CrdError error = {0};
    if (cardan_builder_compile(builder, &s.model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    const CrdStructure *structure = s.model->structure;
    crd_system_layout(&s.w, structure, &s.arena);
    assert_true(crd_arena_allocate(&s.arena));
    crd_system_layout(&s.w, structure, &s.arena);
    const double *q = s.model->values.q0, *v = s.model->values.v0;
    CrdActions none = {0};
    if (crd_kinematics(s.model, 0.0, q, v, &s.w, &error) < 0 ||
        crd_constraints(s.model, q, v, &none, &s.w, &error) < 0 || crd_forces(s.model, q, v, &none, &s.w, &error) < 0)
        fail_msg("%s", error.text);
    crd_form_schur(s.model, CARDAN_METRIC_MASS, &s.w);

    int n = structure->rows, nv = structure->nv, order = n + nv;
    s.y = system_new(n, nv);
    double *k = room((size_t)order * (size_t)order, sizeof(double));
    crd_fill_saddle(s.model, &s.w, CARDAN_METRIC_MASS, k, order);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++) s.y.m[i + j * nv] = k[i + j * order];
        for (int i = 0; i < n; i++) s.y.g[i + j * n] = k[nv + i + j * order];
    }
    free(k);
    for (int j = 0; j < n; j++)
        for (int i = structure->s_start[j]; i < structure->s_start[j + 1]; i++)
            s.y.s[structure->s_row[i] + j * n] = s.y.s[j + structure->s_row[i] * n] = s.w.S[i];
    s.y.pattern = (CrdPattern){n, structure->s_start, structure->s_row, structure->elimination, NULL};
    memcpy(s.y.value, s.w.S, (size_t)structure->size_s * sizeof(double));
    s.f = s.w.f;
    s.gamma = s.w.gamma;
    s.r = room((size_t)n, sizeof(double));
    double *a = room((size_t)nv, sizeof(double));
    memcpy(a, s.f, (size_t)nv * sizeof(double));
    crd_solve_mass(s.model, &s.w, a);
    for (int i = 0; i < n; i++) s.r[i] = -s.gamma[i];
    crd_times_g(structure, s.w.G, a, s.r);
    free(a);
    return s;
}

static inline void model_system_free(ModelSystem *s) {
    system_free(&s->y);
    free(s->r);
    crd_arena_free(&s->arena);
    cardan_model_release(s->model);
}

/* a = M^-1 (f - G^T lambda) */
static inline void accelerations(const ModelSystem *s, const double *lambda, double *a) {
    memcpy(a, s->f, (size_t)s->y.nv * sizeof(double));
    crd_times_gt(s->model->structure, s->w.G, -1.0, lambda, a);
    crd_solve_mass(s->model, &s->w, a);
}

#endif
