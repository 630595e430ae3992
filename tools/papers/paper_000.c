/* Tables of document 000 (ACR92): table 1.1, example 2, table 3.1; example 4 is in paper_slider_crank.c. */
#include <math.h>
#include <stdio.h>

#include "core/numbers.h"
#include "paper.h"

/* ---- table 1.1: Baumgarte and improvements on example 1, nu = 1000, backward Euler with h = 0.01 ---- */

static const double nu = 1000.0;
enum { STEPS = 100, GAMMAS = 6 };
static const double gammas[GAMMAS] = {0.0, 1.0, 10.0, 100.0, 1000.0, 1e8};

static const struct {
    const char *error, *drift, *largest;
    const CrdLabDirections *directions;
    CrdLabScaling scaling;
} columns11[] = {
    {"Error0", "Drift0", "maxError0", &crd_lab_along_b, CRD_LAB_INVERSE}, /* Baumgarte, 1.6 */
    {"Error1", "Drift1", "maxError1", &crd_lab_along_g, CRD_LAB_INVERSE}, /* 1.7 */
    {"Error2", "Drift2", "maxError2", &crd_lab_along_g, CRD_LAB_PLAIN},   /* 1.8 */
};

static double largest_error(const CrdLinearRun *run) {
    return crd_largest(run->error, 2);
}

static CardanStatus stabilised_columns(PapersTable *table, const CrdLabProblem *problem) {
    for (size_t c = 0; c < sizeof columns11 / sizeof *columns11; c++) {
        CrdLabMethod method = {.setting = {.problem = problem, .formulation = &crd_lab_stabilised},
                               .stepper = crd_lab_stepper("backward_euler")};
        method.setting.stabiliser.directions = columns11[c].directions;
        method.setting.stabiliser.scaling = columns11[c].scaling;
        double error[GAMMAS], drift[GAMMAS], largest[GAMMAS];
        for (int i = 0; i < GAMMAS; i++) {
            CrdLinearRun run;
            method.setting.gamma = gammas[i];
            CRD_TRY(crd_lab_run_linear(&method, STEPS, &run, &table->workspace));
            error[i] = largest_error(&run);
            drift[i] = run.drift[0];
            largest[i] = run.error_max;
        }
        papers_table_numbers(table, columns11[c].error, error, GAMMAS);
        papers_table_numbers(table, columns11[c].drift, drift, GAMMAS);
        papers_table_numbers(table, columns11[c].largest, largest, GAMMAS);
    }
    return CARDAN_OK;
}

/* Backward Euler on the index-2 equations as they stand: gamma = infinity. */
static CardanStatus limit_row(PapersTable *table, const CrdLabProblem *problem) {
    CrdLabMethod method = {.setting = {.problem = problem, .formulation = &crd_lab_as_it_stands},
                           .stepper = crd_lab_stepper("backward_euler")};
    CrdLinearRun run;
    CRD_TRY(crd_lab_run_linear(&method, STEPS, &run, &table->workspace));
    papers_table_object(table, "direct_index2");
    papers_table_number(table, "err_end", largest_error(&run));
    papers_table_number(table, "drift_end", run.drift[0]);
    papers_table_end(table);
    return CARDAN_OK;
}

/* Post-stabilisation (3.9) with alpha = 1 of several steppers. */
static CardanStatus post_stabilised(PapersTable *table, const CrdLabProblem *problem, const char *label) {
    static const struct {
        const char *label, *name;
    } steppers[] = {{"BE", "backward_euler"}, {"FE", "euler"}, {"RK2", "midpoint"}};
    static const struct {
        const char *label;
        const CrdLabDirections *directions;
    } kinds[] = {{"CT", &crd_lab_along_g}, {"B", &crd_lab_along_b}};
    for (int s = 0; s < 3; s++)
        for (int d = 0; d < 2; d++) {
            CrdLabMethod method = {.setting = {.problem = problem, .formulation = &crd_lab_reduced},
                                   .stepper = crd_lab_stepper(steppers[s].name)};
            method.setting.stabiliser = (CrdLabStabiliser){
                .directions = kinds[d].directions, .scaling = CRD_LAB_INVERSE, .correction = &crd_lab_post};
            CrdLinearRun run;
            char key[80];
            CRD_TRY(crd_lab_run_linear(&method, STEPS, &run, &table->workspace));
            snprintf(key, sizeof key, "%s %s D=%s", label, steppers[s].label, kinds[d].label);
            papers_table_numbers(table, key, (double[]){largest_error(&run), run.drift[0]}, 2);
        }
    return CARDAN_OK;
}

static CardanStatus table11(PapersTable *table, int variant) {
    CrdLabProblem skew = crd_lab_skew(&nu), rotating = crd_lab_rotating(&nu);
    (void)variant;
    papers_table_object(table, NULL);
    papers_table_numbers(table, "gamma", gammas, GAMMAS);
    CRD_TRY(stabilised_columns(table, &skew));
    CRD_TRY(limit_row(table, &skew));
    papers_table_object(table, "poststab_3.9_alpha1_[error,drift]");
    CRD_TRY(post_stabilised(table, &rotating, "Example1_of_001 (C=sin,cos)"));
    CRD_TRY(post_stabilised(table, &skew, "Example1_of_000 = Example2_of_001"));
    papers_table_end(table);
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- example 2: z' = 3 t^2 by the explicit midpoint rule, forward Euler stabilisation (3.4) ---- */

static CrdLabMethod cubic_method(bool stabilised) {
    CrdLabMethod method = {.setting = {.problem = &crd_lab_cubic, .formulation = &crd_lab_reduced},
                           .stepper = crd_lab_stepper("midpoint")};
    if (stabilised)
        method.setting.stabiliser = (CrdLabStabiliser){.directions = &crd_lab_along_h, .correction = &crd_lab_forward};
    return method;
}

static CardanStatus cubic_error(bool stabilised, double h, int steps, double *difference, CrdLabWorkspace *workspace) {
    CrdLabMethod method = cubic_method(stabilised);
    double z = 0.0, t = steps * h;
    CRD_TRY(crd_lab_run(&method, 0.0, h, steps, &z, (CrdLabObserver){0}, workspace));
    *difference = z - t * t * t;
    return CARDAN_OK;
}

/* y' = -(1 + nu (z - t^3)) y by backward Euler beside the steps of z. */
typedef struct Follower {
    double h, y;
} Follower;

static void follow(void *user, const CrdLabPoint *point) {
    Follower *follower = user;
    double t = point->t;
    follower->y /= 1.0 + follower->h * (1.0 + nu * (point->z[0] - t * t * t));
}

static CardanStatus example2(PapersTable *table, int variant) {
    static const double errors_at[] = {0.1, 0.05}, follow_at[] = {0.05, 0.1, 0.125, 0.15, 0.16, 0.2};
    char key[40];
    (void)variant;
    papers_table_object(table, NULL);
    papers_table_object(table, "z");
    for (int i = 0; i < 2; i++) {
        double h = errors_at[i], plain, held;
        int steps = (int)lround(1.0 / h);
        CRD_TRY(cubic_error(false, h, steps, &plain, &table->workspace));
        CRD_TRY(cubic_error(true, h, steps, &held, &table->workspace));
        snprintf(key, sizeof key, "h=%g", h);
        papers_table_object(table, key);
        papers_table_number(table, "unstab_err", plain);
        papers_table_number(table, "expected", -0.25 * steps * h * h * h);
        papers_table_number(table, "stab_err", held);
        papers_table_number(table, "expected_stab", -0.25 * h * h * h);
        papers_table_end(table);
    }
    papers_table_end(table);
    papers_table_object(table, "y");
    for (int i = 0; i < 6; i++) {
        CrdLabMethod method = cubic_method(true);
        double h = follow_at[i], z = 0.0;
        Follower follower = {h, 1.0};
        CRD_TRY(crd_lab_run(&method, 0.0, h, (int)lround(20.0 / h), &z, (CrdLabObserver){follow, &follower},
                            &table->workspace));
        snprintf(key, sizeof key, "nu=1000,h=%g", h);
        papers_table_object(table, key);
        papers_table_number(table, "y_end", follower.y);
        papers_table_number(table, "rate", -(1.0 - 0.25 * nu * h * h * h));
        papers_table_end(table);
    }
    papers_table_end(table);
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- table 3.1: Kepler's problem with the energy held by (3.9) ---- */

static const struct {
    const char *label;
    unsigned moved; /* 0: not stabilised */
} kepler_kinds[] = {{"none", 0},
                    {"E^T", CRD_LAB_ALL},
                    {"velocity-only D=(0,v)", CRD_LAB_VELOCITY},
                    {"position-only D=(p/r^3,0)", CRD_LAB_POSITION}};

static CardanStatus kepler_row(PapersTable *table, const char *key, const char *stepper, double h, unsigned moved) {
    CrdLabMethod method = {.setting = {.problem = &crd_lab_kepler, .formulation = &crd_lab_reduced},
                           .stepper = crd_lab_stepper(stepper)};
    if (moved != 0)
        method.setting.stabiliser = (CrdLabStabiliser){
            .directions = &crd_lab_along_h, .scaling = CRD_LAB_INVERSE, .moved = moved, .correction = &crd_lab_post};
    double z[4], p2[2];
    int round = (int)lround(2.0 / h); /* steps of h pi in 2 pi */
    crd_lab_kepler_start(0.5, z);
    for (int i = 0; i < 2; i++) {
        CRD_TRY(crd_lab_run(&method, 2.0 * i * CRD_PI, h * CRD_PI, round, z, (CrdLabObserver){0}, &table->workspace));
        p2[i] = z[1];
    }
    papers_table_numbers(table, key, p2, 2);
    return CARDAN_OK;
}

static CardanStatus table31(PapersTable *table, int variant) {
    static const struct {
        const char *label, *name;
    } steppers[] = {{"fe", "euler"}, {"emid", "midpoint"}, {"imid", "implicit_midpoint"}};
    static const double sizes[] = {0.001, 0.0005};
    (void)variant;
    papers_table_object(table, NULL);
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 4; k++) {
                char key[64];
                snprintf(key, sizeof key, "%s h=%gpi %s", steppers[s].label, sizes[i], kepler_kinds[k].label);
                CRD_TRY(kepler_row(table, key, steppers[s].name, sizes[i], kepler_kinds[k].moved));
            }
    papers_table_end(table);
    return CARDAN_OK;
}

const CrdPaper crd_papers_000[] = {
    {"000_table1.1", "Baumgarte and improvements on a linear index-2 problem", table11, 0, crd_printed_table11,
     crd_remarks_table11},
    {"000_example2", "forward-Euler stabilisation of z - t^3 and what it does to a neighbour", example2, 0, NULL, NULL},
    {"000_table3.1", "Kepler's problem with the energy held", table31, 0, crd_printed_table31, crd_remarks_table31},
    {"000_example4_slidercrank", "slider-crank by Adams-Bashforth, constraints held or not", crd_paper_slider_crank, 0,
     NULL, NULL},
    {.name = NULL},
};
