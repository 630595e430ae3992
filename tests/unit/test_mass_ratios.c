/* The back ends on chains of very unequal masses, beside an extended-precision solve. */
#include "model_system.h"
#include "support/defaulted.h"

#include <stdio.h>

static const double DROP = 1e-12;

/* A chain whose links are light and heavy in turn. */
static CardanBuilder *uneven(CardanSpace space, int n, double ratio) {
    CardanBuilder *b = cardan_builder_create(space);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 0.0});
    CardanBody last = {0};
    double angle = 0.3;
    CardanVec3 p = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++, angle += 0.5) {
        char name[2][16];
        snprintf(name[0], sizeof name[0], "l%d", i);
        snprintf(name[1], sizeof name[1], "j%d", i);
        double mass = i % 2 == 0 ? 1.0 : ratio, thin = mass / 12.0;
        CardanVec3 end = {p.x + cos(angle), p.y + sin(angle), 0.0};
        CardanPose pose = {.p = {0.5 * (p.x + end.x), 0.5 * (p.y + end.y), 0.0}};
        if (space == CARDAN_SPACE_PLANAR)
            pose.angle = angle;
        else
            pose.q = (CardanQuat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
        CardanBody link = cardan_builder_add_body(
            b, &(CardanBodyDef){DEFAULTED, .name = name[0], .mass = mass, .pose = pose,
                                .inertia = space == CARDAN_SPACE_PLANAR
                                               ? (CardanInertia){.zz = thin}
                                               : (CardanInertia){.xx = 0.2 * thin, .yy = thin, .zz = thin}});
        bool across = space == CARDAN_SPACE_SPATIAL && i % 2 == 1;
        CardanVec3 axis = across ? (CardanVec3){cos(angle), sin(angle), 0.5} : (CardanVec3){0.0, 0.0, 1.0};
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name[1], .type = CARDAN_JOINT_REVOLUTE,
                                                      .a = last, .b = link, .point = p, .axis = axis});
        last = link;
        p = end;
    }
    return b;
}

/* x <- A^-1 x for a symmetric positive definite A of order n, in extended precision; A is lost. */
static void solve_extended(int n, long double *a, long double *x) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            long double l = a[i + k * n] / a[k + k * n];
            if (l == 0.0L) continue; /* M is by blocks and S a band */
            for (int j = k + 1; j < n; j++) a[i + j * n] -= l * a[k + j * n];
            x[i] -= l * x[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= a[k + j * n] * x[j];
        x[k] /= a[k + k * n];
    }
}

/* T = M^-1 G^T column by column, then S lambda = T^T f - gamma and a = M^-1 f - T lambda, all extended. */
static void accelerations_extended(const ModelSystem *s, double *a) {
    int n = s->y.n, nv = s->y.nv;
    size_t square = (size_t)nv * (size_t)nv, size = sizeof(long double);
    long double *m = room(square, size), *t = room((size_t)nv * (size_t)(n + 1), size);
    long double *k = room((size_t)n * (size_t)n, size), *lambda = room((size_t)n, size);
    for (int c = 0; c <= n; c++) { /* the last column is M^-1 f */
        for (size_t i = 0; i < square; i++) m[i] = (long double)s->y.m[i];
        for (int i = 0; i < nv; i++) t[i + c * nv] = (long double)(c < n ? s->y.g[c + i * n] : s->f[i]);
        solve_extended(nv, m, t + c * nv);
    }
    for (int i = 0; i < n; i++) {
        lambda[i] = -(long double)s->gamma[i];
        for (int v = 0; v < nv; v++) {
            long double g = (long double)s->y.g[i + v * n];
            for (int j = 0; j < n; j++) k[i + j * n] += g * t[v + j * nv];
            lambda[i] += g * t[v + n * nv];
        }
    }
    solve_extended(n, k, lambda);
    for (int v = 0; v < nv; v++) {
        long double sum = t[v + n * nv];
        for (int j = 0; j < n; j++) sum -= t[v + j * nv] * lambda[j];
        a[v] = (double)sum;
    }
    free(m), free(t), free(k), free(lambda);
}

/* Condition number of S scaled to a unit diagonal: what masses alone cannot spoil. */
static double scaled_condition(const System *y) {
    System scaled = {.n = y->n, .s = room((size_t)y->n * (size_t)y->n, sizeof(double))};
    for (int j = 0; j < y->n; j++)
        for (int i = 0; i < y->n; i++)
            scaled.s[i + j * y->n] = y->s[i + j * y->n] / sqrt(y->s[i + i * y->n] * y->s[j + j * y->n]);
    double ratio = condition(&scaled);
    free(scaled.s);
    return ratio;
}

static void uneven_masses_lose_no_row_and_no_digits_but_those_of_the_condition(void **state) {
    (void)state;
    static const double ratio[] = {1e6, 1e8, 1e10};
    static const int links[][3] = {{20, 120, 5}, {10, 30, 3}}; /* planar, spatial */
    for (int k = 0; k < 9; k++)
        for (int space = 0; space < 2; space++) {
            ModelSystem s = model_system(uneven((CardanSpace)space, links[space][k / 3], ratio[k % 3]));
            double *expected = room((size_t)s.y.nv, sizeof(double)), *a = room((size_t)s.y.nv, sizeof(double));
            double *r = room((size_t)s.y.n, sizeof(double));
            accelerations_extended(&s, expected);
            double bound = 1e-15 * scaled_condition(&s.y) * size_of(expected, s.y.nv);
            for (int b = 0; b < BACK_END_COUNT; b++) {
                CrdPivot pivot;
                CrdSolver *solver = solver_of(BACK_ENDS[b], &s.y);
                solver->drop = DROP;
                if (factor(solver, &s.y, &pivot) < 0)
                    fail_msg("%s, %d rows, ratio %g: refused at %g", solver->ops->name, s.y.n, ratio[k % 3],
                             pivot.ratio);
                assert_int_equal(pivot.dropped, 0);
                if (b < FACTORS_OF_S) assert_true(pivot.ratio > 0.01 / ratio[k % 3]); /* planar 0.4, spatial 0.04 */
                memcpy(r, s.r, (size_t)s.y.n * sizeof(double));
                assert_int_equal(solver->ops->solve(solver, r), CARDAN_OK);
                accelerations(&s, r, a);
                double off = distance(a, expected, s.y.nv);
                if (getenv("CARDAN_TELL") != NULL)
                    print_message("    %s, %d rows, ratio %g: %.2g of what is allowed\n", solver->ops->name, s.y.n,
                                  ratio[k % 3], off / bound);
                if (!(off <= bound))
                    fail_msg("%s, %d rows, ratio %g: %g off, allowed %g", solver->ops->name, s.y.n, ratio[k % 3], off,
                             bound);
                solver->ops->destroy(solver);
            }
            free(expected), free(a), free(r);
            model_system_free(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uneven_masses_lose_no_row_and_no_digits_but_those_of_the_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
