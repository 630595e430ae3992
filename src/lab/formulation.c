#include "lab/formulation.h"

#include <assert.h>
#include <string.h>

enum { FIRST = 1 << 1, SECOND = 1 << 2, ANY = 1 | FIRST | SECOND };

/* ---- rates ---- */

/* f^ and, unless NULL, the pull of the stabiliser, both from one evaluation of the terms. */
static CardanStatus reduced_and_pull(const CrdLabSetting *setting, double t, const double *z, double *out,
                                     CrdLabPull *pull, CrdLabWorkspace *workspace) {
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(setting->problem, t, z, workspace, &terms));
    CRD_TRY(crd_lab_rates(setting->problem, &setting->law, t, z, &terms, out, NULL, workspace));
    return pull != NULL ? crd_lab_pull(&setting->stabiliser, z, &terms, workspace, pull) : CARDAN_OK;
}

static CardanStatus rates_reduced(const void *setting, double t, const double *w, double *out,
                                  CrdLabWorkspace *workspace) {
    return reduced_and_pull(setting, t, w, out, NULL, workspace);
}

static CardanStatus rates_stabilised(const void *setting, double t, const double *w, double *out,
                                     CrdLabWorkspace *workspace) {
    const CrdLabSetting *s = setting;
    CrdLabPull pull;
    CRD_TRY(reduced_and_pull(s, t, w, out, &pull, workspace));
    return crd_lab_apply(&pull, s->gamma, pull.h, t, out, workspace);
}

static CardanStatus rates_projected(const void *setting, double t, const double *w, double *out,
                                    CrdLabWorkspace *workspace) {
    CrdLabPull pull;
    CRD_TRY(reduced_and_pull(setting, t, w, out, &pull, workspace));
    crd_add_product(pull.state, pull.rows, 1, 1.0, pull.d, w + pull.state, out);
    memcpy(out + pull.state, pull.h, (size_t)pull.rows * sizeof *out);
    return CARDAN_OK;
}

static CardanStatus rates_overdetermined(const void *setting, double t, const double *w, double *out,
                                         CrdLabWorkspace *workspace) {
    CrdLabPull pull;
    CRD_TRY(reduced_and_pull(setting, t, w, out, &pull, workspace));
    memcpy(out + pull.state, pull.h, (size_t)pull.rows * sizeof *out);
    return CARDAN_OK;
}

/* z' with the multipliers y as unknowns, behind the state in w; and the terms. */
static CardanStatus given_multipliers(const CrdLabProblem *problem, double t, const double *w, double *out,
                                      CrdLabWorkspace *workspace, CrdLabTerms *terms) {
    int state = crd_lab_state(problem);
    double *last = out + state - problem->n;
    CRD_TRY(crd_lab_terms(problem, t, w, workspace, terms));
    if (problem->order == 2) memcpy(out, w + problem->n, (size_t)problem->n * sizeof *out);
    memcpy(last, terms->f, (size_t)problem->n * sizeof *last);
    crd_add_product(problem->n, problem->rows, 1, -1.0, terms->b, w + state, last);
    return CARDAN_OK;
}

static CardanStatus rates_direct(const void *setting, double t, const double *w, double *out,
                                 CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = ((const CrdLabSetting *)setting)->problem;
    CrdLabTerms terms;
    CRD_TRY(given_multipliers(problem, t, w, out, workspace, &terms));
    memcpy(out + crd_lab_state(problem), terms.g, (size_t)problem->rows * sizeof *out);
    return CARDAN_OK;
}

static CardanStatus rates_index2(const void *setting, double t, const double *w, double *out,
                                 CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = ((const CrdLabSetting *)setting)->problem;
    CrdLabTerms terms;
    assert(problem->order == 2);
    CRD_TRY(given_multipliers(problem, t, w, out, workspace, &terms));
    double *h = crd_lab_numbers(workspace, crd_lab_invariants(problem), 1);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    crd_lab_invariant(problem, w, &terms, h, NULL);
    memcpy(out + crd_lab_state(problem), h + problem->rows, (size_t)problem->rows * sizeof *out);
    return CARDAN_OK;
}

/* w = (p, v, y, mu) */
static CardanStatus rates_stabilised_index2(const void *setting, double t, const double *w, double *out,
                                            CrdLabWorkspace *workspace) {
    const CrdLabSetting *s = setting;
    const CrdLabProblem *problem = s->problem;
    int state = crd_lab_state(problem), all = crd_lab_invariants(problem);
    assert(problem->order == 2 && s->stabiliser.directions != NULL);
    CrdLabTerms terms;
    CRD_TRY(given_multipliers(problem, t, w, out, workspace, &terms));
    double *d = crd_lab_numbers(workspace, state, all);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    s->stabiliser.directions->fill(problem, &terms, s->stabiliser.given, d);
    const double *mu = w + state + problem->rows;
    for (int i = 0; i < problem->n; i++)
        for (int j = 0; j < problem->rows; j++) out[i] += d[i * all + j] * mu[j];
    crd_lab_invariant(problem, w, &terms, out + state, NULL);
    return CARDAN_OK;
}

/* All of them leave the room they took to this one. */
static CardanStatus rates(const void *setting, double t, const double *w, double *out, CrdLabWorkspace *workspace) {
    CrdLabMark mark = crd_lab_mark(workspace);
    CRD_TRY(((const CrdLabSetting *)setting)->formulation->rates(setting, t, w, out, workspace));
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

/* ---- records ---- */

/* clang-format off */
const CrdLabFormulation crd_lab_reduced = {.name = "reduced", .orders = ANY, .rates = rates_reduced};
const CrdLabFormulation crd_lab_stabilised = {
    .name = "stabilised", .orders = ANY, .wants_directions = true, .rates = rates_stabilised};
const CrdLabFormulation crd_lab_as_it_stands = {
    .name = "direct", .orders = FIRST | SECOND, .multipliers = 1, .index = CRD_LAB_ORDER_AND_ONE,
    .rates = rates_direct};
const CrdLabFormulation crd_lab_index2 = {
    .name = "index2", .orders = SECOND, .multipliers = 1, .index = 2, .rates = rates_index2};
const CrdLabFormulation crd_lab_stabilised_index2 = {
    .name = "stabilised_index2", .orders = SECOND, .wants_directions = true, .multipliers = 2, .index = 2,
    .rates = rates_stabilised_index2};
const CrdLabFormulation crd_lab_projected = {
    .name = "projected", .orders = ANY, .wants_directions = true, .multipliers = CRD_LAB_HELD, .index = 2,
    .rates = rates_projected};
const CrdLabFormulation crd_lab_overdetermined = {
    .name = "least_squares", .orders = ANY, .wants_directions = true, .multipliers = CRD_LAB_HELD, .index = 2,
    .overdetermined = true, .rates = rates_overdetermined};
const CrdLabFormulation crd_lab_state_space = {
    .name = "state_space", .orders = FIRST | SECOND, .charted = true, .rates = crd_lab_chart_rates};
/* clang-format on */

const CrdLabFormulation *const crd_lab_formulations[] = {
    &crd_lab_reduced,        &crd_lab_stabilised,        &crd_lab_as_it_stands,
    &crd_lab_index2,         &crd_lab_stabilised_index2, &crd_lab_projected,
    &crd_lab_overdetermined, &crd_lab_state_space,       NULL,
};

CrdLabSystem crd_lab_system(const CrdLabSetting *setting) {
    const CrdLabFormulation *formulation = setting->formulation;
    const CrdLabProblem *problem = setting->problem;
    int charted = formulation->charted ? crd_lab_invariants(problem) : 0;
    return (CrdLabSystem){
        .n = crd_lab_state(problem) - charted,
        .algebraic = formulation->multipliers == CRD_LAB_HELD ? crd_lab_held(&setting->stabiliser)
                                                              : formulation->multipliers * problem->rows,
        .index = formulation->index == CRD_LAB_ORDER_AND_ONE ? problem->order + 1 : formulation->index,
        .affine = problem->affine,
        .overdetermined = formulation->overdetermined,
        .second_order = problem->order == 2 && formulation == &crd_lab_reduced,
        .both_levels = formulation == &crd_lab_stabilised_index2,
        .user = setting,
        .rates = rates,
    };
}

CardanStatus crd_lab_check_formulation(const CrdLabSetting *setting, CrdError *error) {
    const CrdLabFormulation *formulation = setting->formulation;
    const CrdLabProblem *problem = setting->problem;
    CRD_TRY(crd_lab_check_problem(problem, error));
    if ((formulation->orders & 1u << problem->order) == 0)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "formulation '%s' is not made for '%s', a problem of order %d",
                        formulation->name, problem->name, problem->order);
    if (formulation->wants_directions && setting->stabiliser.directions == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "formulation '%s' needs the directions D of a stabiliser",
                        formulation->name);
    if (formulation->charted && problem->n == problem->rows)
        return crd_fail(error, CARDAN_ERR_ARGUMENT,
                        "formulation '%s': the constraints of '%s' leave no coordinate free", formulation->name,
                        problem->name);
    return CARDAN_OK;
}
