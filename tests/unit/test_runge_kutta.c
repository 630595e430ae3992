/* Explicit Runge-Kutta steps: orders seen on a problem with known solution, dense output, step size control, and
 * failures of the right-hand side. (The coefficients: test_tableau.c; the controller's limits:
 * test_controller.c.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/numbers.h"
#include "integrate/controller.h"
#include "integrate/first_step.h"
#include "integrate/methods/runge_kutta.h"

enum { N = 5 };

/* ---- a method with its memory ---- */

typedef struct Rig {
    CrdArena arena;
    CrdRungeKutta rk;
    double *y, *y_new, *f_new; /* (n) */
} Rig;

static void rig_create(Rig *rig, const CrdTableau *method, int n) {
    *rig = (Rig){0};
    for (int pass = 0; pass < 2; ++pass) {
        crd_rk_layout(&rig->rk, method, n, &rig->arena);
        rig->y = crd_take(&rig->arena, (size_t)n, sizeof(double));
        rig->y_new = crd_take(&rig->arena, (size_t)n, sizeof(double));
        rig->f_new = crd_take(&rig->arena, (size_t)n, sizeof(double));
        if (pass == 0) assert_true(crd_arena_allocate(&rig->arena));
    }
}

static void rig_destroy(Rig *rig) {
    crd_arena_free(&rig->arena);
}

/* ---- problems ---- */

/* Planar Kepler orbit and, coupled to nothing, w' = -2 t w^2: nonlinear, with time in the right-hand side. */
typedef struct Kepler {
    double eccentricity;
    int calls, fail_at;       /* fail_at > 0: that call fails */
    double t_last, y_last[N]; /* arguments of the last call */
} Kepler;

static CardanStatus kepler_rhs(void *user, double t, const double *y, double *dydt) {
    Kepler *kepler = user;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    kepler->t_last = t;
    memcpy(kepler->y_last, y, sizeof kepler->y_last);
    if (++kepler->calls == kepler->fail_at) return CARDAN_ERR_LIMIT;
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -y[0] / r3;
    dydt[3] = -y[1] / r3;
    dydt[4] = -2.0 * t * y[4] * y[4];
    return CARDAN_OK;
}

/* Starts in the pericentre at t = 0. */
static void kepler_exact(double e, double t, double *y) {
    double anomaly = t + e * sin(t), root = sqrt(1.0 - e * e);
    for (int i = 0; i < 50; ++i) anomaly -= (anomaly - e * sin(anomaly) - t) / (1.0 - e * cos(anomaly));
    double rate = 1.0 / (1.0 - e * cos(anomaly));
    y[0] = cos(anomaly) - e;
    y[1] = root * sin(anomaly);
    y[2] = -sin(anomaly) * rate;
    y[3] = root * cos(anomaly) * rate;
    y[4] = 1.0 / (1.0 + t * t);
}

static double largest_difference(const double *x, const double *y, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

/* One attempt from the exact solution at t. */
static void kepler_attempt(Rig *rig, Kepler *kepler, double t, double h) {
    CrdOde ode = {.rhs = kepler_rhs, .user = kepler, .n = N};
    kepler_exact(kepler->eccentricity, t, rig->y);
    kepler_rhs(kepler, t, rig->y, rig->rk.k);
    assert_int_equal(crd_rk_attempt(&rig->rk, &ode, t, h, rig->y, rig->rk.method->error_rows > 0, rig->y_new),
                     CARDAN_OK);
}

/* Least-squares slope of log error over log h for h = first, first / 2, ... */
static double fitted_order(const double *error, int count) {
    double sum = 0.0, moment = 0.0, middle = 0.5 * (count - 1);
    for (int i = 0; i < count; ++i) {
        sum += (i - middle) * (i - middle);
        moment += (i - middle) * log2(error[i]);
    }
    return -moment / sum;
}

/* ---- orders seen ---- */

static double global_error(const CrdTableau *method, double t_end, int steps) {
    Kepler kepler = {.eccentricity = 0.2};
    CrdOde ode = {.rhs = kepler_rhs, .user = &kepler, .n = N};
    double h = t_end / steps, exact[N];
    Rig rig;
    rig_create(&rig, method, N);
    kepler_exact(kepler.eccentricity, 0.0, rig.y);
    for (int i = 0; i < steps; ++i) {
        kepler_rhs(&kepler, i * h, rig.y, rig.rk.k);
        assert_int_equal(crd_rk_attempt(&rig.rk, &ode, i * h, h, rig.y, false, rig.y_new), CARDAN_OK);
        memcpy(rig.y, rig.y_new, sizeof exact);
    }
    kepler_exact(kepler.eccentricity, t_end, exact);
    double error = largest_difference(rig.y, exact, N);
    assert_int_equal(kepler.calls, steps * method->stages);
    rig_destroy(&rig);
    return error;
}

static void global_error_falls_with_the_order_of_the_method(void **state) {
    static const int first_steps[CRD_TABLEAUX] = {1000, 100, 100, 100, 60, 80, 16};
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        double error[4];
        int count = crd_tableaux[m].order >= 5 ? 3 : 4; /* before rounding shows */
        for (int i = 0; i < count; ++i) error[i] = global_error(&crd_tableaux[m], 3.0, first_steps[m] << i);
        double order = fitted_order(error, count);
        if (crd_tableaux[m].order == 8)
            assert_true(order > 7.5 && order < 9.0);
        else
            assert_true(fabs(order - crd_tableaux[m].order) < 0.15);
    }
}

static void error_norm_falls_with_its_order(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        if (crd_tableaux[m].error_rows == 0) continue;
        Kepler kepler = {.eccentricity = 0.2};
        double norm[4];
        Rig rig;
        rig_create(&rig, &crd_tableaux[m], N);
        for (int i = 0; i < 4; ++i) {
            double h = 0.1 / (1 << i);
            kepler_attempt(&rig, &kepler, 0.5, h);
            norm[i] = crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, NULL, 1e-8, 1e-8, NULL);
        }
        assert_true(fabs(fitted_order(norm, 4) - crd_tableaux[m].error_order) < 0.2);
        rig_destroy(&rig);
    }
}

static void error_norm_bounds_the_true_error_of_a_step(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        if (crd_tableaux[m].error_rows == 0) continue;
        Kepler kepler = {.eccentricity = 0.2};
        double exact[N], h = 0.1, atol = 1e-8;
        Rig rig;
        rig_create(&rig, &crd_tableaux[m], N);
        kepler_attempt(&rig, &kepler, 0.5, h);
        kepler_exact(0.2, 0.5 + h, exact);
        double norm = crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, NULL, 0.0, atol, NULL);
        assert_true(largest_difference(rig.y_new, exact, N) / atol < sqrt(N) * norm);
        rig_destroy(&rig);
    }
}

static void dense_output_error_falls_with_its_order(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        Kepler kepler = {.eccentricity = 0.2};
        CrdOde ode = {.rhs = kepler_rhs, .user = &kepler, .n = N};
        double error[4] = {0.0}, exact[N], y[N];
        double first = crd_tableaux[m].order == 8 ? 0.4 : 0.2;
        Rig rig;
        rig_create(&rig, &crd_tableaux[m], N);
        for (int i = 0; i < 4; ++i) {
            double h = first / (1 << i);
            kepler_attempt(&rig, &kepler, 0.5, h);
            kepler_rhs(&kepler, 0.5 + h, rig.y_new, rig.f_new);
            assert_int_equal(crd_rk_prepare_dense(&rig.rk, &ode, 0.5, h, rig.y, rig.y_new, rig.f_new), CARDAN_OK);
            for (int j = 1; j < 20; ++j) {
                crd_rk_interpolate(&rig.rk, j / 20.0, y);
                kepler_exact(0.2, 0.5 + j / 20.0 * h, exact);
                error[i] = fmax(error[i], largest_difference(y, exact, N));
            }
        }
        assert_true(fabs(fitted_order(error, 4) - (crd_tableaux[m].dense_order + 1)) < 0.25);
        rig_destroy(&rig);
    }
}

static void dense_output_meets_corrected_ends_and_their_slopes(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        Kepler kepler = {.eccentricity = 0.2};
        CrdOde ode = {.rhs = kepler_rhs, .user = &kepler, .n = N};
        double h = 0.3, y[N], near[N], step = 1e-7;
        Rig rig;
        rig_create(&rig, &crd_tableaux[m], N);
        kepler_attempt(&rig, &kepler, 0.0, h);
        for (int i = 0; i < N; ++i) rig.y_new[i] += 1e-3 * (i + 1); /* the stabiliser's correction */
        kepler_rhs(&kepler, h, rig.y_new, rig.f_new);
        assert_int_equal(crd_rk_prepare_dense(&rig.rk, &ode, 0.0, h, rig.y, rig.y_new, rig.f_new), CARDAN_OK);
        for (int end = 0; end < 2; ++end) {
            const double *value = end ? rig.y_new : rig.y, *slope = end ? rig.f_new : rig.rk.k;
            crd_rk_interpolate(&rig.rk, end, y);
            assert_true(largest_difference(y, value, N) <= 4.0 * CRD_EPS);
            crd_rk_interpolate(&rig.rk, end + step, near);
            for (int i = 0; i < N; ++i) assert_true(fabs((near[i] - y[i]) / (step * h) - slope[i]) < 1e-5);
        }
        rig_destroy(&rig);
    }
}

/* ---- step size control ---- */

typedef struct Drive {
    int accepted, rejected, failed;
    double error; /* at the end */
} Drive;

/* The first step from the state of a rig at t = 0, where the slope is f. */
static double first_step(Rig *rig, const CrdOde *ode, const double *f, double tolerance, double h_max,
                         CardanStatus *status) {
    const CrdTableau *method = rig->rk.method;
    CrdScale scale = {.n = ode->n, .y = rig->y, .y_new = rig->y, .rtol = tolerance, .atol = tolerance};
    int order = method->error_order > 0 ? method->error_order : method->order + 1;
    return crd_first_step(ode, 0.0, &scale, f, order, h_max, rig->rk.stage, crd_rk_slope(&rig->rk, 1), status);
}

static Drive drive_kepler(const CrdTableau *method, Kepler *kepler, double t_end, double tolerance, double h) {
    CrdOde ode = {.rhs = kepler_rhs, .user = kepler, .n = N};
    CrdController controller = {0};
    CardanStatus status = CARDAN_OK;
    Drive drive = {0};
    double t = 0.0, exact[N];
    Rig rig;
    rig_create(&rig, method, N);
    kepler_exact(kepler->eccentricity, 0.0, rig.y);
    kepler_rhs(kepler, 0.0, rig.y, rig.rk.k);
    if (h == 0.0) h = first_step(&rig, &ode, rig.rk.k, tolerance, t_end, &status);
    while (t < t_end && drive.accepted + drive.rejected < 100000) {
        h = fmin(h, t_end - t);
        status = crd_rk_attempt(&rig.rk, &ode, t, h, rig.y, true, rig.y_new);
        double norm = crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, NULL, tolerance, tolerance, NULL);
        if (status < 0) {
            ++drive.failed;
            h = crd_controller_failed(&controller, h);
        } else if (!crd_controller_accepts(norm)) {
            ++drive.rejected;
            h = crd_controller_rejected(&controller, method->error_order, norm, h);
        } else {
            ++drive.accepted;
            t = t + h < t_end ? t + h : t_end;
            memcpy(rig.y, rig.y_new, sizeof exact);
            kepler_rhs(kepler, t, rig.y, rig.rk.k);
            h = crd_controller_accepted(&controller, method->error_order, method->beta, norm, h);
        }
    }
    kepler_exact(kepler->eccentricity, t, exact);
    drive.error = largest_difference(rig.y, exact, N);
    rig_destroy(&rig);
    return drive;
}

static void controlled_steps_meet_the_tolerance_through_pericentres(void **state) {
    /* From a pericentre (r = 0.2, v = 3) through the next to an apocentre (v = 1/3), 1.5 orbits with semi-axis 1:
     * errors of the tolerance (1 + |y|) tol there change it by da = 2 (v dv + dr / r^2) = 2 (3 * 4 + 25 * 1.2) tol, and
     * the place at the end by 1.5 t v da. Twice that for the two passages. */
    static const double growth = 2.0 * 1.5 * 3.0 * CRD_PI / 3.0 * 2.0 * (3.0 * 4.0 + 25.0 * 1.2);
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        if (crd_tableaux[m].error_rows == 0) continue;
        int rejected = 0;
        for (double tolerance = 1e-4; tolerance > 5e-11; tolerance *= 0.1) {
            Kepler kepler = {.eccentricity = 0.8};
            Drive drive = drive_kepler(&crd_tableaux[m], &kepler, 3.0 * CRD_PI, tolerance, 0.0);
            assert_true(drive.error < growth * tolerance);
            assert_true(drive.rejected < drive.accepted / 3);
            rejected += drive.rejected;
        }
        assert_true(rejected > 0);
    }
}

static void a_step_that_failed_is_repeated_shorter(void **state) {
    Kepler kepler = {.eccentricity = 0.3, .fail_at = 32};
    (void)state;
    Drive drive = drive_kepler(crd_tableau_find("dopri5"), &kepler, 3.0, 1e-6, 0.0);
    assert_true(drive.failed == 1 && drive.error < 1e-4);
}

static void far_too_large_and_far_too_small_first_steps_are_mended(void **state) {
    Kepler large = {.eccentricity = 0.3}, small = {.eccentricity = 0.3};
    (void)state;
    Drive from_large = drive_kepler(crd_tableau_find("dop853"), &large, 10.0, 1e-8, 10.0);
    Drive from_small = drive_kepler(crd_tableau_find("dop853"), &small, 10.0, 1e-8, 1e-9);
    assert_true(from_large.rejected > 0 && from_large.error < 1e-5);
    assert_true(from_small.accepted < from_large.accepted + 15 && from_small.error < 1e-5); /* log(1e9) / log(6) = 12 */
}

static void first_step_is_near_the_step_that_the_tolerance_asks_for(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        Kepler kepler = {.eccentricity = 0.5};
        CrdOde ode = {.rhs = kepler_rhs, .user = &kepler, .n = N};
        CardanStatus status = CARDAN_OK;
        double f[N], h_max[] = {10.0, -10.0, 1e-5};
        Rig rig;
        rig_create(&rig, &crd_tableaux[m], N);
        kepler_exact(0.5, 0.0, rig.y);
        kepler_rhs(&kepler, 0.0, rig.y, f);
        for (int i = 0; i < 3; ++i) {
            double h = first_step(&rig, &ode, f, 1e-6, h_max[i], &status);
            assert_true(h * h_max[i] > 0.0 && fabs(h) <= fabs(h_max[i]) && status == CARDAN_OK);
            memcpy(rig.rk.k, f, sizeof f);
            if (rig.rk.method->error_rows == 0) continue;
            assert_int_equal(crd_rk_attempt(&rig.rk, &ode, 0.0, h, rig.y, true, rig.y_new), CARDAN_OK);
            double norm = crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, NULL, 1e-6, 1e-6, NULL);
            assert_true(norm <= 1.0 && (i == 2 || pow(norm, 1.0 / rig.rk.method->error_order) > 0.05));
        }
        kepler.fail_at = kepler.calls + 1;
        first_step(&rig, &ode, f, 1e-6, 1.0, &status);
        assert_int_equal(status, CARDAN_ERR_LIMIT);
        rig_destroy(&rig);
    }
}

/* ---- the small print ---- */

static void components_without_weight_take_no_part_in_the_norm(void **state) {
    static const double none[N] = {0}, all[N] = {1, 1, 1, 1, 1}, four[N] = {1, 1, 1, 1, 0}, one[N] = {0, 0, 2, 0, 0};
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        Kepler kepler = {.eccentricity = 0.2};
        double h = 0.25, tol = 1e-5;
        Rig rig;
        rig_create(&rig, &crd_tableaux[m], N);
        kepler_attempt(&rig, &kepler, 0.0, h);
        double norm = crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, NULL, tol, tol, NULL);
        if (rig.rk.method->error_rows == 0) {
            assert_true(isnan(norm)); /* never mistaken for an error of zero */
        } else {
            double kept = crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, four, tol, tol, NULL);
            assert_true(norm > 0.0 && norm == crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, all, tol, tol, NULL));
            assert_true(crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, none, tol, tol, NULL) == 0.0);
            for (int row = 0; row < rig.rk.method->error_rows; ++row) rig.rk.error[row * N + 4] = 1e6;
            assert_true(kept == crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, four, tol, tol, NULL));
            double alone = crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, one, 0.0, tol, NULL);
            if (rig.rk.method->error_rows == 1)
                assert_true(fabs(alone - 2.0 * h * fabs(rig.rk.error[2]) / tol) <= 8.0 * CRD_EPS * alone);
            rig.rk.error[4] = (double)NAN;
            assert_true(isnan(crd_rk_error_norm(&rig.rk, h, rig.y, rig.y_new, four, tol, tol, NULL)));
        }
        rig_destroy(&rig);
    }
}

static void a_tolerance_of_zero_on_a_zero_component_wants_no_error_at_all(void **state) {
    Kepler kepler = {.eccentricity = 0.2};
    Rig rig;
    (void)state;
    rig_create(&rig, crd_tableau_find("dopri5"), N);
    kepler_attempt(&rig, &kepler, 0.0, 1e-3);
    rig.y[0] = rig.y_new[0] = rig.rk.error[0] = 0.0;
    assert_true(crd_controller_accepts(crd_rk_error_norm(&rig.rk, 1e-3, rig.y, rig.y_new, NULL, 1e-3, 0.0, NULL)));
    rig.rk.error[0] = 1e-30;
    assert_false(crd_controller_accepts(crd_rk_error_norm(&rig.rk, 1e-3, rig.y, rig.y_new, NULL, 1e-3, 0.0, NULL)));
    rig_destroy(&rig);
}

static void every_failure_of_the_right_hand_side_is_handed_through(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        const CrdTableau *method = &crd_tableaux[m];
        int inside = method->stages - 1 + method->fsal;
        bool want = method->error_rows > 0;
        Rig rig;
        rig_create(&rig, method, N);
        for (int fail_at = 1; fail_at <= inside + method->extra + 1; ++fail_at) {
            Kepler kepler = {.eccentricity = 0.2};
            CrdOde ode = {.rhs = kepler_rhs, .user = &kepler, .n = N};
            double start[N], slope[N];
            kepler_exact(0.2, 0.5, rig.y);
            kepler_rhs(&kepler, 0.5, rig.y, rig.rk.k);
            kepler.calls = 0;
            kepler.fail_at = fail_at;
            memcpy(start, rig.y, sizeof start);
            memcpy(slope, rig.rk.k, sizeof slope);
            CardanStatus status = crd_rk_attempt(&rig.rk, &ode, 0.5, 0.1, rig.y, want, rig.y_new);
            assert_int_equal(status, fail_at <= inside ? CARDAN_ERR_LIMIT : CARDAN_OK);
            if (status == CARDAN_OK) {
                assert_int_equal(kepler.calls, inside);
                status = crd_rk_prepare_dense(&rig.rk, &ode, 0.5, 0.1, rig.y, rig.y_new, slope);
                assert_int_equal(status, fail_at <= inside + method->extra ? CARDAN_ERR_LIMIT : CARDAN_OK);
            }
            assert_memory_equal(start, rig.y, sizeof start); /* ready to try again */
            assert_memory_equal(slope, rig.rk.k, sizeof slope);
        }
        rig_destroy(&rig);
    }
}

static void the_last_evaluation_is_that_of_the_last_stage(void **state) {
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        const CrdTableau *method = &crd_tableaux[m];
        Kepler kepler = {.eccentricity = 0.2};
        CrdOde ode = {.rhs = kepler_rhs, .user = &kepler, .n = N};
        Rig rig;
        rig_create(&rig, method, N);
        kepler_attempt(&rig, &kepler, 0.5, 0.25);
        assert_true(kepler.t_last == 0.5 + 0.25 * method->c[method->stages - 1]);
        if (method->fsal) assert_memory_equal(kepler.y_last, rig.y_new, sizeof kepler.y_last);
        kepler.calls = 0;
        assert_int_equal(crd_rk_attempt(&rig.rk, &ode, 0.5, 0.25, rig.y, false, rig.y_new), CARDAN_OK);
        assert_int_equal(kepler.calls, method->stages - 1);
        if (method->error_rows == 0)
            assert_int_equal(crd_rk_attempt(&rig.rk, &ode, 0.5, 0.25, rig.y, true, rig.y_new), CARDAN_ERR_ARGUMENT);
        rig_destroy(&rig);
    }
}

/* y_i' = rate_i y_i (1 - y_i) sin(t + 1) with rates that differ: each component is a problem of its own. */
static CardanStatus separate_rhs(void *user, double t, const double *y, double *dydt) {
    const int *structure = user; /* n, number of the first component */
    for (int i = 0; i < structure[0]; ++i)
        dydt[i] = (1.0 + (structure[1] + i) % 97 / 97.0) * y[i] * (1.0 - y[i]) * sin(t + 1.0);
    return CARDAN_OK;
}

/* One step with dense output of components first .. first + n - 1. */
static void separate_step(Rig *rig, const CrdTableau *method, int n, int first) {
    int structure[2] = {n, first};
    CrdOde ode = {.rhs = separate_rhs, .user = structure, .n = n};
    rig_create(rig, method, n);
    for (int i = 0; i < n; ++i) rig->y[i] = 0.2 + (first + i) % 13 / 26.0;
    separate_rhs(structure, 0.0, rig->y, rig->rk.k);
    assert_int_equal(crd_rk_attempt(&rig->rk, &ode, 0.0, 0.5, rig->y, method->error_rows > 0, rig->y_new), CARDAN_OK);
    separate_rhs(structure, 0.5, rig->y_new, rig->f_new);
    assert_int_equal(crd_rk_prepare_dense(&rig->rk, &ode, 0.0, 0.5, rig->y, rig->y_new, rig->f_new), CARDAN_OK);
    crd_rk_interpolate(&rig->rk, 0.37, rig->f_new);
}

static void components_do_not_depend_on_how_many_there_are(void **state) {
    static const int sizes[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 100000};
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
            Rig many, alone;
            separate_step(&many, &crd_tableaux[m], sizes[k], 0);
            for (int i = 0; i < sizes[k]; i += i < 100 ? 1 : 997) {
                separate_step(&alone, &crd_tableaux[m], 1, i);
                assert_true(many.y_new[i] == alone.y_new[0] && many.f_new[i] == alone.f_new[0]);
                if (crd_tableaux[m].error_rows > 0) assert_true(many.rk.error[i] == alone.rk.error[0]);
                rig_destroy(&alone);
            }
            rig_destroy(&many);
        }
    }
}

static CardanStatus square_rhs(void *user, double t, const double *y, double *dydt) {
    (void)user, (void)t;
    dydt[0] = y[0] * y[0];
    return CARDAN_OK;
}

static void a_step_that_overflows_fails(void **state) {
    CrdOde ode = {.rhs = square_rhs, .user = NULL, .n = 1};
    (void)state;
    for (int m = 0; m < CRD_TABLEAUX; ++m) {
        Rig rig;
        rig_create(&rig, &crd_tableaux[m], 1);
        rig.y[0] = 1e150;
        square_rhs(NULL, 0.0, rig.y, rig.rk.k);
        assert_int_equal(crd_rk_attempt(&rig.rk, &ode, 0.0, 1e300, rig.y, false, rig.y_new), CARDAN_ERR_NUMERIC);
        rig_destroy(&rig);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_error_falls_with_the_order_of_the_method),
        cmocka_unit_test(error_norm_falls_with_its_order),
        cmocka_unit_test(error_norm_bounds_the_true_error_of_a_step),
        cmocka_unit_test(dense_output_error_falls_with_its_order),
        cmocka_unit_test(dense_output_meets_corrected_ends_and_their_slopes),
        cmocka_unit_test(controlled_steps_meet_the_tolerance_through_pericentres),
        cmocka_unit_test(a_step_that_failed_is_repeated_shorter),
        cmocka_unit_test(far_too_large_and_far_too_small_first_steps_are_mended),
        cmocka_unit_test(first_step_is_near_the_step_that_the_tolerance_asks_for),
        cmocka_unit_test(components_without_weight_take_no_part_in_the_norm),
        cmocka_unit_test(a_tolerance_of_zero_on_a_zero_component_wants_no_error_at_all),
        cmocka_unit_test(every_failure_of_the_right_hand_side_is_handed_through),
        cmocka_unit_test(the_last_evaluation_is_that_of_the_last_stage),
        cmocka_unit_test(components_do_not_depend_on_how_many_there_are),
        cmocka_unit_test(a_step_that_overflows_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
