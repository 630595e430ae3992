/* Document 002 (LEC10), section 10.2: how post-stabilisation keeps the order and what drift it leaves. Runge-Kutta
 * methods of order p on the index-reduced equations; the largest drift of all steps and the error at the end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"

enum { SIZES = 3, STATE = 8 }; /* STATE: of the larger mechanism */

typedef struct Kind {
    const char *name;
    const CrdLabDirections *directions; /* NULL: not stabilised */
    CrdLabScaling scaling;
    int passes;
    bool frozen;
} Kind;

static const Kind none = {.name = "none"};
static const Kind full = {"full", &crd_lab_along_h, CRD_LAB_INVERSE, 1, false};
static const Kind blocks_once = {"blk1", &crd_lab_along_g, CRD_LAB_BLOCKS, 1, false};
static const Kind blocks_twice = {"blk2", &crd_lab_along_g, CRD_LAB_BLOCKS, 2, false};
static const Kind blocks_frozen = {"blk2frozen", &crd_lab_along_g, CRD_LAB_BLOCKS, 2, true};
static const Kind mass_once = {"Mblk1", &crd_lab_along_b, CRD_LAB_BLOCKS, 1, false};
static const Kind mass_twice = {"Mblk2", &crd_lab_along_b, CRD_LAB_BLOCKS, 2, false};

/* A mechanism, the time it is followed and how its table is written. */
typedef struct Subject {
    const CrdLabProblem *problem;
    const double *start;
    double end;
    const char *key, *position, *velocity; /* of the table */
    const Kind *const *kinds;              /* ended by NULL */
    const char *before, *between;          /* of a row's key, around the kind and before the order */
    int orders[5];                         /* ended by 0 */
    int steps_low, steps_high;             /* coarsest number of steps for orders 1, 2 and for 3, 4 */
    CardanStatus (*reference)(const struct Subject *subject, double *z, CrdLabWorkspace *workspace);
    double (*error)(const double *z, const double *exact);
} Subject;

static const char *const stepper_of_order[] = {"", "euler", "midpoint", "kutta3", "rk4"};

/* ---- references ---- */

static CardanStatus pendulum_end(const Subject *subject, double *z, CrdLabWorkspace *workspace) {
    CrdLabSetting swing = {.problem = &crd_lab_swing, .formulation = &crd_lab_reduced};
    double angle[2] = {0.0, 0.0}, end[2];
    CRD_TRY(crd_lab_reference(&swing, &subject->end, 1, angle, end, workspace));
    z[0] = cos(end[0]);
    z[1] = sin(end[0]);
    z[2] = -sin(end[0]) * end[1];
    z[3] = cos(end[0]) * end[1];
    return CARDAN_OK;
}

static CardanStatus slider_crank_end(const Subject *subject, double *z, CrdLabWorkspace *workspace) {
    static const double crank_angle[4] = {1.0, 0.0, 0.0, 0.0};
    CrdLabSetting setting = {
        .problem = subject->problem, .formulation = &crd_lab_state_space, .selection = crank_angle};
    double start[STATE];
    memcpy(start, subject->start, (size_t)crd_lab_state(subject->problem) * sizeof *start);
    return crd_lab_reference(&setting, &subject->end, 1, start, z, workspace);
}

static double pendulum_error(const double *z, const double *exact) {
    double difference[4];
    for (int i = 0; i < 4; i++) difference[i] = z[i] - exact[i];
    return crd_largest(difference, 4);
}

static double slider_error(const double *z, const double *exact) {
    return fabs(crd_lab_slider_by_angle(z) - crd_lab_slider_by_angle(exact));
}

/* ---- runs ---- */

typedef struct Drift {
    const CrdLabProblem *problem;
    double largest[2]; /* 2-norms of g and g' */
} Drift;

static void watch(void *user, const CrdLabPoint *point) {
    Drift *drift = user;
    const CrdLabProblem *problem = drift->problem;
    const double *h = crd_lab_look(problem, point);
    if (h == NULL) return; /* the desk has the sentence, and the next step fails for the same reason */
    for (int level = 0; level < 2; level++) {
        double sum = 0.0;
        for (int i = 0; i < problem->rows; i++) sum += h[level * problem->rows + i] * h[level * problem->rows + i];
        drift->largest[level] = fmax(drift->largest[level], sqrt(sum));
    }
}

static CardanStatus run(const Subject *subject, const Kind *kind, int order, int steps, double *z, Drift *drift,
                        CrdLabWorkspace *workspace) {
    CrdLabMethod method = {.setting = {.problem = subject->problem, .formulation = &crd_lab_reduced},
                           .stepper = crd_lab_stepper(stepper_of_order[order])};
    if (kind->directions != NULL)
        method.setting.stabiliser = (CrdLabStabiliser){.directions = kind->directions,
                                                       .scaling = kind->scaling,
                                                       .correction = &crd_lab_post,
                                                       .passes = kind->passes,
                                                       .frozen = kind->frozen};
    *drift = (Drift){.problem = subject->problem};
    memcpy(z, subject->start, (size_t)crd_lab_state(subject->problem) * sizeof *z);
    return crd_lab_run(&method, 0.0, subject->end / steps, steps, z, (CrdLabObserver){watch, drift}, workspace);
}

static CardanStatus put_row(PapersTable *table, const Subject *subject, const Kind *kind, int order,
                            const double *exact) {
    double steps[SIZES], position[SIZES], velocity[SIZES], error[SIZES], z[STATE];
    char key[32];
    for (int i = 0; i < SIZES; i++) {
        int count = (order <= 2 ? subject->steps_low : subject->steps_high) << i;
        Drift drift;
        CRD_TRY(run(subject, kind, order, count, z, &drift, &table->workspace));
        steps[i] = count;
        position[i] = drift.largest[0];
        velocity[i] = drift.largest[1];
        error[i] = subject->error(z, exact);
    }
    snprintf(key, sizeof key, "%s%s%s%d", subject->before, kind->name, subject->between, order);
    papers_table_object(table, key);
    papers_table_numbers(table, "N", steps, SIZES);
    papers_table_numbers(table, subject->position, position, SIZES);
    papers_table_numbers(table, subject->velocity, velocity, SIZES);
    papers_table_numbers(table, "err", error, SIZES);
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus put_subject(PapersTable *table, const Subject *subject) {
    double exact[STATE];
    CRD_TRY(subject->reference(subject, exact, &table->workspace));
    papers_table_object(table, subject->key);
    for (const Kind *const *kind = subject->kinds; *kind != NULL; kind++)
        for (const int *order = subject->orders; *order != 0; order++)
            CRD_TRY(put_row(table, subject, *kind, *order, exact));
    papers_table_end(table);
    return CARDAN_OK;
}

/* I - H F of the pendulum with F in blocks: strictly lower triangular, so its square vanishes. */
static CardanStatus put_square(PapersTable *table) {
    static const double z[4] = {0.6, -0.7, 0.3, 0.2};
    CrdLabStabiliser stabiliser = {
        .problem = &crd_lab_pendulum, .directions = &crd_lab_along_g, .scaling = CRD_LAB_BLOCKS};
    CrdLabTerms terms;
    CrdLabPull pull;
    double h[2], jacobian[8], left[4] = {1.0, 0.0, 0.0, 1.0}, square[4] = {0};
    CRD_TRY(crd_lab_terms(&crd_lab_pendulum, 0.0, z, &table->workspace, &terms));
    CRD_TRY(crd_lab_pull(&stabiliser, z, &terms, &table->workspace, &pull));
    crd_lab_invariant(&crd_lab_pendulum, z, &terms, h, jacobian);
    for (int j = 0; j < 2; j++) {
        double unit[2] = {j == 0, j == 1}, column[4] = {0}, product[2] = {0};
        CRD_TRY(crd_lab_apply(&pull, -1.0, unit, 0.0, column, &table->workspace)); /* column j of F */
        crd_add_product(2, 4, 1, 1.0, jacobian, column, product);
        for (int i = 0; i < 2; i++) left[2 * i + j] -= product[i];
    }
    crd_add_product(2, 2, 2, 1.0, left, left, square);
    papers_table_object(table, "IminusHF_at");
    papers_table_numbers(table, "z", z, 4);
    papers_table_array(table, "I_minus_HF");
    for (int i = 0; i < 2; i++) papers_table_numbers(table, NULL, left + 2 * i, 2);
    papers_table_end(table);
    papers_table_text(table, "square", crd_largest(square, 4) < 1e-15 ? "0" : "not 0");
    papers_table_end(table);
    return CARDAN_OK;
}

CardanStatus crd_paper_poststab(PapersTable *table, int variant) {
    static const Kind *const pendulum_kinds[] = {&none, &full, &blocks_once, &blocks_twice, &blocks_frozen, NULL};
    static const Kind *const crank_kinds[] = {&none, &full, &blocks_once, &blocks_twice, &mass_once, &mass_twice, NULL};
    static const Subject pendulum = {
        .problem = &crd_lab_pendulum,
        .start = crd_lab_pendulum_start,
        .end = 2.0,
        .key = "pendulum",
        .position = "posdrift",
        .velocity = "veldrift",
        .before = "",
        .between = "",
        .kinds = pendulum_kinds,
        .orders = {1, 2, 3, 4, 0},
        .steps_low = 200,
        .steps_high = 40,
        .reference = pendulum_end,
        .error = pendulum_error,
    };
    static const Subject crank = {
        .problem = &crd_lab_slider_crank,
        .start = crd_lab_slider_crank_start,
        .end = 3.0,
        .key = "slidercrank",
        .position = "pos",
        .velocity = "vel",
        .before = "sc_",
        .between = "_p",
        .kinds = crank_kinds,
        .orders = {1, 2, 4, 0},
        .steps_low = 60,
        .steps_high = 15,
        .reference = slider_crank_end,
        .error = slider_error,
    };
    (void)variant;
    papers_table_object(table, NULL);
    CRD_TRY(put_subject(table, &pendulum));
    CRD_TRY(put_subject(table, &crank));
    CRD_TRY(put_square(table));
    papers_table_end(table);
    return CARDAN_OK;
}
