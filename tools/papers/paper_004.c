/* Tables of document 004: G. Ariel, J. M. Sanz-Serna, R. Tsai, A multiscale technique for finding slow manifolds of
 * stiff mechanical systems, Multiscale Model. Simul. 10 (2012) 1180-1203, sections 5 and 6.
 *
 * Two unit masses in the plane, the first on a spring to the origin, the second on one to the first, both of length 1
 * and stiffness w^2; g = (r1 - 1, r12 - 1). Rigid rods in their place have the multipliers that w^2 g tends to. The
 * iterated projection P: velocity Verlet with six steps a period, 18 forward and 18 backward, filtered with the cubic
 * kernel, until g and g' change by less than a tolerance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/methods/runge_kutta.h"
#include "paper.h"
#include "slow/slow.h"

enum { N = 4, ITERATIONS_MAX = 50, SIDE = 18 }; /* coordinates x1 y1 x2 y2; micro-steps on each side */

/* Of t = 10, to which section 6 integrates. */
#define END 10.0

typedef struct Point {
    double q[N], p[N];
} Point;

static const Point TABLE1_START = {{1.0, 0.25, 2.0, 0.0}, {0.0, -0.5, 0.0, 0.5}};
static const Point RODS_START = {{1.0, 0.0, 2.0, 0.0}, {0.0, -0.5, 0.0, 0.5}}; /* (31), (32): on the constraints */

static double tolerance_of(double w) {
    return w < 500.0 ? 1e-7 : 1e-9; /* as in the paper's experiments */
}

/* ---- the problem ---- */

/* g, and with it the unit vectors along the springs. */
static void springs(const double *q, double *g, double *u1, double *u2) {
    double r1 = hypot(q[0], q[1]), dx = q[0] - q[2], dy = q[1] - q[3], r2 = hypot(dx, dy);
    g[0] = r1 - 1.0;
    g[1] = r2 - 1.0;
    u1[0] = q[0] / r1;
    u1[1] = q[1] / r1;
    u2[0] = dx / r2;
    u2[1] = dy / r2;
}

/* Accelerations -G^T lambda. */
static void pull(const double *u1, const double *u2, const double *lambda, double *a) {
    for (int k = 0; k < 2; k++) {
        a[k] = -lambda[0] * u1[k] - lambda[1] * u2[k];
        a[2 + k] = lambda[1] * u2[k];
    }
}

static void stiff(double w, const double *q, double *a) {
    double g[2], u1[2], u2[2];
    springs(q, g, u1, u2);
    g[0] *= w * w;
    g[1] *= w * w;
    pull(u1, u2, g, a);
}

/* g1, g2, g1', g2'. */
static void constraints(const Point *z, double *out) {
    double u1[2], u2[2];
    springs(z->q, out, u1, u2);
    out[2] = u1[0] * z->p[0] + u1[1] * z->p[1];
    out[3] = u2[0] * (z->p[0] - z->p[2]) + u2[1] * (z->p[1] - z->p[3]);
}

/* ---- the projection ---- */

static void filter_side(double w, double h, const Point *from, Point *sum) {
    Point z = *from;
    double a[N];
    stiff(w, z.q, a);
    for (int j = 1; j <= SIDE; j++) {
        double weight = crd_slow_kernel(CARDAN_SLOW_CUBIC, (double)j / SIDE) / SIDE;
        for (int i = 0; i < N; i++) {
            z.p[i] += 0.5 * h * a[i];
            z.q[i] += h * z.p[i];
        }
        stiff(w, z.q, a);
        for (int i = 0; i < N; i++) {
            z.p[i] += 0.5 * h * a[i];
            sum->q[i] += weight * z.q[i];
            sum->p[i] += weight * z.p[i];
        }
    }
}

static Point filtered(double w, const Point *z) {
    double h = 2.0 * acos(-1.0) / w / 6.0, middle = crd_slow_kernel(CARDAN_SLOW_CUBIC, 0.0) / SIDE;
    Point sum;
    for (int i = 0; i < N; i++) {
        sum.q[i] = middle * z->q[i];
        sum.p[i] = middle * z->p[i];
    }
    filter_side(w, h, z, &sum);
    filter_side(w, -h, z, &sum);
    return sum;
}

/* z <- P z; rows (may be NULL): g and g' of each iterate, the start first. The number of iterations is returned. */
static int project(double w, Point *z, double (*rows)[4], int most) {
    double old[4], now[4], tolerance = tolerance_of(w);
    constraints(z, old);
    if (rows != NULL) memcpy(rows[0], old, sizeof old);
    for (int i = 1; i <= ITERATIONS_MAX; i++) {
        *z = filtered(w, z);
        constraints(z, now);
        if (rows != NULL && i < most) memcpy(rows[i], now, sizeof now);
        double change = 0.0;
        for (int k = 0; k < 4; k++) change = fmax(change, fabs(now[k] - old[k]));
        if (change < tolerance) return i;
        memcpy(old, now, sizeof now);
    }
    return ITERATIONS_MAX;
}

/* ---- table 1, points (33) to (36), multipliers ---- */

static CardanStatus table1(PapersTable *table, int variant) {
    (void)variant;
    papers_table_object(table, NULL);
    for (int i = 0; i < 2; i++) {
        double w = i == 0 ? 1000.0 : 10000.0, rows[ITERATIONS_MAX][4], lambda[2];
        Point z = TABLE1_START;
        int iterations = project(w, &z, rows, ITERATIONS_MAX);
        papers_table_object(table, i == 0 ? "1000" : "10000");
        papers_table_number(table, "its", iterations);
        papers_table_array(table, "rows");
        for (int k = 0; k <= iterations; k++) papers_table_numbers(table, NULL, rows[k], 4);
        papers_table_end(table);
        papers_table_numbers(table, "q", z.q, N);
        papers_table_numbers(table, "p", z.p, N);
        for (int k = 0; k < 2; k++) lambda[k] = w * w * rows[iterations][k];
        papers_table_numbers(table, "lam_est", lambda, 2);
        papers_table_end(table);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

static const struct {
    const char *key;
    double w;
} OMEGAS[] = {{"100", 100.0}, {"1000", 1000.0}, {"10000", 10000.0}};

static CardanStatus points(PapersTable *table, int variant) {
    (void)variant;
    papers_table_object(table, NULL);
    for (int i = 0; i < 3; i++) {
        Point z = RODS_START;
        double g[4];
        int iterations = project(OMEGAS[i].w, &z, NULL, 0);
        constraints(&z, g);
        papers_table_object(table, OMEGAS[i].key);
        papers_table_number(table, "its", iterations);
        papers_table_numbers(table, "x", (const double[]){z.q[0], z.q[2]}, 2);
        papers_table_numbers(table, "yd", (const double[]){z.p[1], z.p[3]}, 2);
        papers_table_numbers(table, "g", g, 2);
        papers_table_end(table);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus multipliers(PapersTable *table, int variant) {
    (void)variant;
    double lambda[3][2], extrapolated[2];
    const double exact[2] = {1.5, 1.25};
    papers_table_object(table, NULL);
    for (int i = 0; i < 3; i++) {
        Point z = RODS_START;
        double g[4], w = OMEGAS[i].w;
        project(w, &z, NULL, 0);
        constraints(&z, g);
        for (int k = 0; k < 2; k++) lambda[i][k] = w * w * g[k];
        papers_table_numbers(table, OMEGAS[i].key, lambda[i], 2);
    }
    for (int k = 0; k < 2; k++) extrapolated[k] = (100.0 * lambda[2][k] - lambda[1][k]) / 99.0; /* error ~ w^-2 */
    papers_table_numbers(table, "richardson", extrapolated, 2);
    papers_table_numbers(table, "rods", exact, 2);
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- section 6 ---- */

/* Steps of 1/4 w of DOP853: what they leave is rounding. */
static CardanStatus slope(void *user, double t, const double *y, double *dydt) {
    (void)t;
    memcpy(dydt, y + N, N * sizeof *y);
    stiff(*(const double *)user, y, dydt + N);
    return CARDAN_OK;
}

static CardanStatus integrate(PapersTable *table, double w, double time, Point *z) {
    CrdRungeKutta rk = {0};
    CrdArena arena = {0};
    const CrdTableau *dop853 = crd_tableau_find("dop853");
    CrdOde ode = {.rhs = slope, .user = &w, .n = 2 * N};
    int steps = (int)ceil(4.0 * w * time);
    double h = time / steps, y[2 * N], next[2 * N];
    crd_rk_layout(&rk, dop853, 2 * N, &arena);
    if (!crd_arena_allocate(&arena)) return crd_fail_memory(&table->error);
    crd_rk_layout(&rk, dop853, 2 * N, &arena);
    memcpy(y, z->q, sizeof z->q);
    memcpy(y + N, z->p, sizeof z->p);
    CardanStatus status = CARDAN_OK;
    for (int i = 0; i < steps && status >= 0; i++) {
        slope(&w, 0.0, y, crd_rk_slope(&rk, 0));
        status = crd_rk_attempt(&rk, &ode, i * h, h, y, false, next);
        memcpy(y, next, sizeof y);
    }
    memcpy(z->q, y, sizeof z->q);
    memcpy(z->p, y + N, sizeof z->p);
    crd_arena_free(&arena);
    return status;
}

/* lambda of G M^-1 G^T lambda = r at unit vectors with cosine c between them, the second spring pulling both masses. */
static void solve_rods(double c, const double *r, double *lambda) {
    double det = 2.0 - c * c;
    lambda[0] = (2.0 * r[0] - c * r[1]) / det;
    lambda[1] = (r[1] - c * r[0]) / det;
}

/* One step of RATTLE for the rods: Newton's method on the multipliers of positions, then those of velocities. */
static void rattle(double h, Point *z) {
    double g[2], u1[2], u2[2], v1[2], v2[2], a[N], lambda[2], rate[4];
    Point next = *z;
    springs(z->q, g, u1, u2);
    for (int i = 0; i < N; i++) next.q[i] = z->q[i] + h * z->p[i];
    for (int newton = 0; newton < 30; newton++) {
        springs(next.q, g, v1, v2);
        if (fmax(fabs(g[0]), fabs(g[1])) < 1e-15) break;
        solve_rods(u1[0] * u2[0] + u1[1] * u2[1], g, lambda);
        pull(u1, u2, lambda, a);
        for (int i = 0; i < N; i++) next.q[i] += a[i];
        for (int i = 0; i < N; i++) next.p[i] += a[i] / h;
    }
    springs(next.q, g, v1, v2);
    constraints(&next, rate);
    solve_rods(v1[0] * v2[0] + v1[1] * v2[1], rate + 2, lambda);
    pull(v1, v2, lambda, a);
    for (int i = 0; i < N; i++) next.p[i] += a[i];
    *z = next;
}

/* One step of rk4 with P before each evaluation (37), (38); the iterations of its projections are added. */
static void projected_rk4(double w, double h, Point *z, long *iterations) {
    static const double NODES[4] = {0.0, 0.5, 0.5, 1.0}, WEIGHTS[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const Point from = *z;
    double dq[N] = {0}, dp[N] = {0};
    Point sum = {{0}, {0}};
    for (int s = 0; s < 4; s++) {
        Point stage = from;
        for (int i = 0; s > 0 && i < N; i++) {
            stage.q[i] += NODES[s] * h * dq[i];
            stage.p[i] += NODES[s] * h * dp[i];
        }
        *iterations += project(w, &stage, NULL, 0);
        if (s == 0) sum = stage;
        memcpy(dq, stage.p, sizeof dq);
        stiff(w, stage.q, dp);
        for (int i = 0; i < N; i++) {
            sum.q[i] += WEIGHTS[s] * h * dq[i];
            sum.p[i] += WEIGHTS[s] * h * dp[i];
        }
    }
    *z = sum;
}

static double distance(const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void put_pair(PapersTable *table, const char *key, const Point *z, const Point *truth) {
    const double pair[2] = {distance(z->q, truth->q), distance(z->p, truth->p)};
    papers_table_numbers(table, key, pair, 2);
}

static void put_rattle(PapersTable *table, const Point *truth) {
    enum { RUNS = 11 };
    double q[RUNS], p[RUNS];
    for (int k = 0; k < RUNS; k++) {
        Point z = RODS_START;
        int steps = (int)END * (8 << k);
        for (int i = 0; i < steps; i++) rattle(END / steps, &z);
        q[k] = distance(z.q, truth->q);
        p[k] = distance(z.p, truth->p);
    }
    papers_table_numbers(table, "rattle_q", q, RUNS);
    papers_table_numbers(table, "rattle_p", p, RUNS);
}

static void put_rk4(PapersTable *table, double w, const Point *slow, const Point *truth) {
    enum { RUNS = 7 };
    double q[RUNS], p[RUNS], mean[RUNS];
    for (int k = 0; k < RUNS; k++) {
        Point z = *slow;
        int steps = (int)END * (2 << k);
        long iterations = 0;
        for (int i = 0; i < steps; i++) projected_rk4(w, END / steps, &z, &iterations);
        q[k] = distance(z.q, truth->q);
        p[k] = distance(z.p, truth->p);
        mean[k] = (double)iterations / (4.0 * steps);
    }
    papers_table_numbers(table, "rk4_q", q, RUNS);
    papers_table_numbers(table, "rk4_p", p, RUNS);
    papers_table_numbers(table, "rk4_its", mean, RUNS);
}

/* RATTLE's steps of 1/2048 and 1/4096 extrapolated: of fourth order. */
static Point motion_of_rods(void) {
    Point z[2] = {RODS_START, RODS_START};
    for (int k = 0; k < 2; k++) {
        int steps = (int)END * (2048 << k);
        for (int i = 0; i < steps; i++) rattle(END / steps, &z[k]);
    }
    for (int i = 0; i < N; i++) {
        z[1].q[i] += (z[1].q[i] - z[0].q[i]) / 3.0;
        z[1].p[i] += (z[1].p[i] - z[0].p[i]) / 3.0;
    }
    return z[1];
}

static CardanStatus section6_of(PapersTable *table, const char *key, double w) {
    Point slow = RODS_START, truth, rods, off = RODS_START, again;
    project(w, &slow, NULL, 0);
    truth = again = slow;
    CRD_TRY(integrate(table, w, END, &truth));
    CRD_TRY(integrate(table, w, END, &off));
    for (int second = 1; second <= (int)END; second++) {
        CRD_TRY(integrate(table, w, 1.0, &again));
        if (second < (int)END) project(w, &again, NULL, 0);
    }
    rods = motion_of_rods();
    papers_table_object(table, key);
    papers_table_numbers(table, "truth_q", truth.q, N);
    papers_table_numbers(table, "truth_p", truth.p, N);
    put_pair(table, "from_constraints", &off, &truth);
    put_pair(table, "projected_every_second", &again, &truth);
    put_pair(table, "rods_minus_slow", &rods, &truth);
    put_rattle(table, &truth);
    put_rk4(table, w, &slow, &truth);
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus section6(PapersTable *table, int variant) {
    (void)variant;
    papers_table_object(table, NULL);
    for (int i = 0; i < 3; i++) CRD_TRY(section6_of(table, OMEGAS[i].key, OMEGAS[i].w));
    papers_table_end(table);
    return CARDAN_OK;
}

const CrdPaper crd_papers_004[] = {
    {"004_table1", "iterated projection onto the slow manifold: g and g' in each iteration", table1, 0,
     crd_printed_slow_table1, crd_remarks_slow_table1},
    {"004_points33_36", "slow points of two masses on stiff springs", points, 0, crd_printed_slow_points,
     crd_remarks_slow_points},
    {"004_multipliers", "multipliers w^2 g on the slow manifold, extrapolated", multipliers, 0,
     crd_printed_slow_multipliers, NULL},
    {"004_section6", "errors at t = 10: RATTLE, stiff runs, projections, rk4 on the slow manifold", section6, 0, NULL,
     NULL},
    {.name = NULL},
};
