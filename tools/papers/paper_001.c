/* Tables of document 001 (AP93): backward Euler on many formulations of linear problems. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"

enum { STEPS = 100 };

static CrdLabMethod backward_euler(const CrdLabProblem *problem, const CrdLabFormulation *formulation) {
    return (CrdLabMethod){.setting = {.problem = problem, .formulation = formulation},
                          .stepper = crd_lab_stepper("backward_euler")};
}

/* ---- tables 4.1 and 4.2: examples 1 and 2, nu = 1000, h = 0.01 ---- */

static CardanStatus put_first_order(PapersTable *table, const char *key, const CrdLabMethod *method) {
    CrdLinearRun run;
    CRD_TRY(crd_lab_run_linear(method, STEPS, &run, &table->workspace));
    papers_table_object(table, key);
    papers_table_number(table, "error", crd_largest(run.error, 2));
    papers_table_number(table, "drift", run.drift[0]);
    papers_table_numbers(table, "err_components", run.error, 2);
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus baumgarte_rows(PapersTable *table, const CrdLabProblem *problem, double gamma_last) {
    CrdLabMethod method = backward_euler(problem, &crd_lab_reduced);
    for (double gamma = 0.0; gamma <= gamma_last; gamma = gamma == 0.0 ? 1.0 : 10.0 * gamma) {
        char key[32];
        crd_lab_damp(&method.setting.law, 1, gamma);
        snprintf(key, sizeof key, "Baumgarte_%g", gamma);
        CRD_TRY(put_first_order(table, key, &method));
    }
    return CARDAN_OK;
}

/* variant: which example, 1 or 2 */
static CardanStatus table41(PapersTable *table, int variant) {
    static const double nu = 1000.0, first[2] = {1.0, 0.0};
    CrdLabProblem problem = variant == 1 ? crd_lab_rotating(&nu) : crd_lab_skew(&nu);
    CrdLabMethod direct = backward_euler(&problem, &crd_lab_as_it_stands);
    CrdLabMethod projected = backward_euler(&problem, &crd_lab_projected);
    CrdLabMethod state_space = backward_euler(&problem, &crd_lab_state_space);
    projected.setting.stabiliser.directions = &crd_lab_along_g;
    state_space.setting.selection = first;
    papers_table_object(table, NULL);
    CRD_TRY(baumgarte_rows(table, &problem, variant == 1 ? 1e4 : 1e3));
    CRD_TRY(put_first_order(table, "Baumgarte_inf(direct index-2)", &direct));
    CRD_TRY(put_first_order(table, "projected_invariant(4.7)", &projected));
    CRD_TRY(put_first_order(table, "state_space_R=(1,0)", &state_space));
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- tables 4.3 to 4.8: example 3, h = 0.01 ---- */

static const double unit[2] = {0.0, 1.0};
static const struct {
    const char *name;
    const CrdLabDirections *directions;
} projections[] = {{"B", &crd_lab_along_b}, {"CT", &crd_lab_along_g}, {"unit", &crd_lab_along_given}};
static const double stiffness[] = {1.0, 100.0, 1000.0};

/* A row of numbers, or of nothing where the step matrix is singular: that is a finding, not a failure of the table. */
static CardanStatus put_second_order(PapersTable *table, const char *key, const CrdLabMethod *method, bool multiplier,
                                     int drift) {
    CrdLinearRun run;
    CrdError error = {0};
    CrdLabWorkspace workspace = {.error = &error};
    CardanStatus status = crd_lab_run_linear(method, STEPS, &run, &workspace);
    crd_lab_clear(&workspace);
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return crd_fail(&table->error, status, "%s", error.text);
    papers_table_array(table, key);
    if (status < 0)
        for (int i = 0; i < (drift >= 0 ? 4 : 3); i++) papers_table_none(table, NULL, error.text);
    else {
        if (multiplier)
            papers_table_number(table, NULL, fabs(run.multiplier));
        else
            papers_table_none(table, NULL, "this formulation has no multiplier mu");
        papers_table_number(table, NULL, crd_largest(run.error, 2));
        papers_table_number(table, NULL, crd_largest(run.error + 2, 2));
        if (drift >= 0) papers_table_number(table, NULL, run.drift[drift]);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

/* The three projections with one formulation; drift: level of the constraint that is shown, -1 for none. */
static CardanStatus projection_rows(PapersTable *table, const CrdLabFormulation *formulation, unsigned rows, double c,
                                    int drift) {
    for (int p = 0; p < 3; p++)
        for (int n = 0; n < 3; n++) {
            const double data[2] = {stiffness[n], c};
            CrdLabProblem problem = crd_lab_skew_mass(data);
            CrdLabMethod method = backward_euler(&problem, formulation);
            method.setting.stabiliser =
                (CrdLabStabiliser){.directions = projections[p].directions, .given = unit, .rows = rows, .moved = rows};
            char key[32];
            snprintf(key, sizeof key, "%s%g", projections[p].name, stiffness[n]);
            CRD_TRY(put_second_order(table, key, &method, true, drift));
        }
    return CARDAN_OK;
}

/* Projected invariants (4.14) and the direct index-2 form; variant: c of E = diag(0, c / ((2 + t) nu)). */
static CardanStatus table43(PapersTable *table, int variant) {
    papers_table_object(table, NULL);
    CRD_TRY(projection_rows(table, &crd_lab_projected, CRD_LAB_POSITION, variant, 1));
    for (int n = 0; n < 3; n++) {
        const double data[2] = {stiffness[n], variant};
        CrdLabProblem problem = crd_lab_skew_mass(data);
        CrdLabMethod method = backward_euler(&problem, &crd_lab_index2);
        char key[32];
        snprintf(key, sizeof key, "d2_%g", stiffness[n]);
        CRD_TRY(put_second_order(table, key, &method, false, 0));
    }
    papers_table_end(table);
    return CARDAN_OK;
}

/* Stabilised index 2 (4.15). */
static CardanStatus table44(PapersTable *table, int variant) {
    papers_table_object(table, NULL);
    CRD_TRY(projection_rows(table, &crd_lab_stabilised_index2, CRD_LAB_ALL, variant, -1));
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- table 4.9: example 4 ---- */

static const struct {
    const char *name;
    const CrdLabFormulation *formulation;
    const CrdLabDirections *directions;
    unsigned rows;
} variants49[] = {
    {"Pa", &crd_lab_projected, &crd_lab_along_g, CRD_LAB_POSITION},
    {"Pb", &crd_lab_projected, &crd_lab_along_g, CRD_LAB_ALL},
    {"Pc", &crd_lab_projected, &crd_lab_along_h, CRD_LAB_ALL},
    {"S", &crd_lab_stabilised_index2, &crd_lab_along_g, CRD_LAB_ALL},
};

static CardanStatus row49(PapersTable *table, const CrdLabProblem *problem, int variant, int first, int last) {
    static const struct {
        const char *key;
        int steps;
    } sizes[] = {{".1", 10}, {".01", 100}, {".001", 1000}};
    CrdLabMethod method = backward_euler(problem, variants49[variant].formulation);
    method.setting.stabiliser = (CrdLabStabiliser){.directions = variants49[variant].directions,
                                                   .rows = variants49[variant].rows,
                                                   .moved = variants49[variant].rows};
    papers_table_object(table, variants49[variant].name);
    for (int i = first; i <= last; i++) {
        CrdLinearRun run;
        CRD_TRY(crd_lab_run_linear(&method, sizes[i].steps, &run, &table->workspace));
        const double errors[2] = {crd_largest(run.error, 2), crd_largest(run.error + 2, 2)};
        papers_table_numbers(table, sizes[i].key, errors, 2);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus table49(PapersTable *table, int variant) {
    static const struct {
        const char *key;
        double nu;
        int first; /* step sizes from here on */
    } blocks[] = {{"nu1", 1.0, 1}, {"nu100", 100.0, 0}};
    (void)variant;
    papers_table_object(table, NULL);
    for (int b = 0; b < 2; b++) {
        CrdLabProblem problem = crd_lab_rotating_mass(&blocks[b].nu);
        papers_table_object(table, blocks[b].key);
        for (int v = 0; v < 4; v++) CRD_TRY(row49(table, &problem, v, blocks[b].first, 2));
        papers_table_end(table);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

const CrdPaper crd_papers_001[] = {
    {"001_table4.1", "rapidly turning constraint, index 2", table41, 1, crd_printed_table41, crd_remarks_table41},
    {"001_table4.2", "B nearly orthogonal to the constraint, index 2", table41, 2, crd_printed_table42,
     crd_remarks_table42},
    {"001_table4.3", "unequal masses: projected invariants", table43, 1, crd_printed_table43, NULL},
    {"001_table4.4", "unequal masses: stabilised index 2", table44, 1, crd_printed_table44, crd_remarks_table44},
    {"001_table4.5", "unequal masses without damping: projected invariants", table43, 0, crd_printed_table45,
     crd_remarks_table45},
    {"001_table4.6", "unequal masses without damping: stabilised index 2", table44, 0, crd_printed_table46, NULL},
    {"001_table4.7", "unequal masses, nonstiff: projected invariants", table43, 2, crd_printed_table47,
     crd_remarks_table47},
    {"001_table4.8", "unequal masses, nonstiff: stabilised index 2", table44, 2, crd_printed_table48, NULL},
    {"001_table4.9", "rapidly turning constraint, index 3: Pa, Pb, Pc and S", table49, 0, crd_printed_table49,
     crd_remarks_table49},
    {.name = NULL},
};
