#include "lab/formulation.h"

#include <string.h>

enum { FIRST = 1 << 1, SECOND = 1 << 2, ANY = 1 | FIRST | SECOND };

/* ---- rates ---- */

/* f^ and, unless NULL, the pull of the stabiliser, both from one evaluation of the terms. */
static CardanStatus reduced_and_pull(const CrdLabSetting *s, double t, const double *z, double *out, CrdLabPull *pull,
                                     CrdLabDesk *desk) {
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(s->problem, t, z, desk, &terms));
    CRD_TRY(crd_lab_rates(s->problem, &s->law, t, z, &terms, out, NULL, desk));
    return pull != NULL ? crd_lab_pull(&s->stabiliser, z, &terms, desk, pull) : CARDAN_OK;
}

static CardanStatus rates_reduced(const void *setting, double t, const double *w, double *out, CrdLabDesk *desk) {
    return reduced_and_pull(setting, t, w, out, NULL, desk);
}

static CardanStatus rates_stabilised(const void *setting, double t, const double *w, double *out, CrdLabDesk *desk) {
    const CrdLabSetting *s = setting;
    CrdLabPull pull;
    CRD_TRY(reduced_and_pull(s, t, w, out, &pull, desk));
    return crd_lab_apply(&pull, s->gamma, pull.h, t, out, desk);
}

static CardanStatus rates_projected(const void *setting, double t, const double *w, double *out, CrdLabDesk *desk) {
    CrdLabPull pull;
    CRD_TRY(reduced_and_pull(setting, t, w, out, &pull, desk));
    crd_lab_add_product(pull.state, pull.rows, 1, 1.0, pull.d, w + pull.state, out);
    memcpy(out + pull.state, pull.h, (size_t)pull.rows * sizeof *out);
    return CARDAN_OK;
}

static CardanStatus rates_overdetermined(const void *setting, double t, const double *w, double *out,
                                         CrdLabDesk *desk) {
    CrdLabPull pull;
    CRD_TRY(reduced_and_pull(setting, t, w, out, &pull, desk));
    memcpy(out + pull.state, pull.h, (size_t)pull.rows * sizeof *out);
    return CARDAN_OK;
}

/* z' with the multipliers y as unknowns, behind the state in w; and the terms. */
static CardanStatus given_multipliers(const CrdLabProblem *p, double t, const double *w, double *out, CrdLabDesk *desk,
                                      CrdLabTerms *terms) {
    int state = crd_lab_state(p);
    double *last = out + state - p->n;
    CRD_TRY(crd_lab_terms(p, t, w, desk, terms));
    if (p->order == 2) memcpy(out, w + p->n, (size_t)p->n * sizeof *out);
    memcpy(last, terms->f, (size_t)p->n * sizeof *last);
    crd_lab_add_product(p->n, p->rows, 1, -1.0, terms->b, w + state, last);
    return CARDAN_OK;
}

static CardanStatus rates_direct(const void *setting, double t, const double *w, double *out, CrdLabDesk *desk) {
    const CrdLabProblem *p = ((const CrdLabSetting *)setting)->problem;
    CrdLabTerms terms;
    CRD_TRY(given_multipliers(p, t, w, out, desk, &terms));
    memcpy(out + crd_lab_state(p), terms.g, (size_t)p->rows * sizeof *out);
    return CARDAN_OK;
}

static CardanStatus rates_index2(const void *setting, double t, const double *w, double *out, CrdLabDesk *desk) {
    const CrdLabProblem *p = ((const CrdLabSetting *)setting)->problem;
    CrdLabTerms terms;
    CRD_TRY(given_multipliers(p, t, w, out, desk, &terms));
    double *h = crd_lab_numbers(desk, crd_lab_invariants(p), 1);
    if (desk->empty) return crd_fail_memory(desk->error);
    crd_lab_invariant(p, w, &terms, h, NULL);
    memcpy(out + crd_lab_state(p), h + p->rows, (size_t)p->rows * sizeof *out);
    return CARDAN_OK;
}

/* w = (p, v, y, mu) */
static CardanStatus rates_stabilised_index2(const void *setting, double t, const double *w, double *out,
                                            CrdLabDesk *desk) {
    const CrdLabSetting *s = setting;
    const CrdLabProblem *p = s->problem;
    int state = crd_lab_state(p), all = crd_lab_invariants(p);
    CrdLabTerms terms;
    CRD_TRY(given_multipliers(p, t, w, out, desk, &terms));
    double *d = crd_lab_numbers(desk, state, all);
    if (desk->empty) return crd_fail_memory(desk->error);
    s->stabiliser.directions->fill(p, w, &terms, s->stabiliser.given, d);
    const double *mu = w + state + p->rows;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->rows; j++) out[i] += d[i * all + j] * mu[j];
    crd_lab_invariant(p, w, &terms, out + state, NULL);
    return CARDAN_OK;
}

/* All of them leave the room they took to this one. */
static CardanStatus rates(const void *setting, double t, const double *w, double *out, CrdLabDesk *desk) {
    CrdLabMark mark = crd_lab_mark(desk);
    CRD_TRY(((const CrdLabSetting *)setting)->formulation->rates(setting, t, w, out, desk));
    crd_lab_back(desk, mark);
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
    const CrdLabFormulation *f = setting->formulation;
    const CrdLabProblem *p = setting->problem;
    int charted = f->charted ? crd_lab_invariants(p) : 0;
    return (CrdLabSystem){
        .n = crd_lab_state(p) - charted,
        .algebraic = f->multipliers == CRD_LAB_HELD ? crd_lab_held(&setting->stabiliser) : f->multipliers * p->rows,
        .index = f->index == CRD_LAB_ORDER_AND_ONE ? p->order + 1 : f->index,
        .affine = p->affine,
        .overdetermined = f->overdetermined,
        .second_order = p->order == 2 && f == &crd_lab_reduced,
        .both_levels = f == &crd_lab_stabilised_index2,
        .user = setting,
        .rates = rates,
    };
}

CardanStatus crd_lab_check_formulation(const CrdLabSetting *setting, CrdError *error) {
    const CrdLabFormulation *f = setting->formulation;
    const CrdLabProblem *p = setting->problem;
    CRD_TRY(crd_lab_check_problem(p, error));
    if ((f->orders & 1u << p->order) == 0)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "formulation '%s' is not made for '%s', a problem of order %d",
                        f->name, p->name, p->order);
    if (f->wants_directions && setting->stabiliser.directions == NULL)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "formulation '%s' needs the directions D of a stabiliser", f->name);
    if (f->charted && p->n == p->rows)
        return crd_fail(error, CARDAN_ERR_ARGUMENT,
                        "formulation '%s': the constraints of '%s' leave no coordinate free", f->name, p->name);
    return CARDAN_OK;
}
