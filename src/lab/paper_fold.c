/* Document 003 (PRM97), example 5.2: a slider-crank of two equal rods goes through its dead centre, where two branches
 * of motion cross. The paper gives no start; this one is at rest at th1 = pi/4. The true motion on the branch th1 + th2
 * = pi is integrated beside the regularised one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/paper.h"

enum { STATE = 4, BRANCH = 2, LOOKS = 300 };
#define PER_SECOND 100.0

/* w = (th1, th2, th1', th2', th, th'): the regularised equations and the true motion. */
static CardanStatus pair_rates(const void *user, double t, const double *w, double *out, CrdError *error) {
    const CrdLabSetting *setting = user;
    CrdLabTerms terms;
    CRD_TRY(crd_lab_terms(&crd_lab_fold_branch, t, w + STATE, &terms));
    memcpy(out + STATE, terms.f, BRANCH * sizeof *out);
    return crd_lab_reduced.rates(setting, t, w, out, error);
}

static void start_pair(double angle, double spin, double *w) {
    const double start[STATE + BRANCH] = {angle, CRD_PI - angle, spin, -spin, angle, spin};
    memcpy(w, start, sizeof start);
}

/* The largest of everything, looked at every 0.01 as the references do: the peaks behind the dead centre are narrower.
 */
typedef struct Extremes {
    double energy0;
    double error, energy, branch, constraint;
} Extremes;

static void look(Extremes *x, const double *w) {
    x->error = fmax(x->error, fabs(w[0] - w[STATE]));
    x->energy = fmax(x->energy, fabs(crd_lab_fold_energy(w) - x->energy0));
    x->branch = fmax(x->branch, fabs(w[0] + w[1] - CRD_PI));
    x->constraint = fmax(x->constraint, fabs(cos(w[0]) + cos(w[1])));
}

typedef struct Passage {
    CrdLabLaw law;
    const CrdLabIntegrator *integrator;
    CrdLabTolerance tolerance;
} Passage;

/* From rest at pi/4 to t = looks / 100; w ((looks + 1) x 6) at every 0.01. */
static CardanStatus pass(const Passage *passage, int looks, double (*w)[STATE + BRANCH], Extremes *extremes,
                         CrdError *error) {
    CrdLabSetting setting = {.problem = &crd_lab_fold, .formulation = &crd_lab_reduced, .law = passage->law};
    CrdLabSystem system = {.n = STATE + BRANCH, .user = &setting, .rates = pair_rates};
    start_pair(0.25 * CRD_PI, 0.0, w[0]);
    *extremes = (Extremes){.energy0 = crd_lab_fold_energy(w[0])};
    for (int i = 1; i <= looks; i++) {
        memcpy(w[i], w[i - 1], sizeof w[i]);
        CRD_TRY(passage->integrator->run(&system, passage->tolerance, (i - 1) / PER_SECOND, i / PER_SECOND, w[i],
                                         (CrdLabWatcher){0}, error));
        look(extremes, w[i]);
    }
    return CARDAN_OK;
}

/* ---- the true motion ---- */

static CardanStatus put_exact(CardanTable *sheet) {
    enum { TIMES = 6 };
    static const double times[TIMES] = {0.5, 1.0, 1.5, 2.0, 3.0, 5.0};
    static const char *const keys[TIMES] = {"0.5", "1.0", "1.5", "2.0", "3.0", "5.0"};
    CrdLabSetting setting = {.problem = &crd_lab_fold_branch, .formulation = &crd_lab_reduced};
    double z[BRANCH] = {0.25 * CRD_PI, 0.0}, out[TIMES * BRANCH];
    crd_sheet_object(sheet, "exact_theta1");
    crd_sheet_numbers(sheet, "0.0", z, BRANCH);
    CRD_TRY(crd_lab_reference(&setting, times, TIMES, z, out, &sheet->error));
    for (int i = 0; i < TIMES; i++) crd_sheet_numbers(sheet, keys[i], out + i * BRANCH, BRANCH);
    crd_sheet_end(sheet);
    return CARDAN_OK;
}

/* ---- index 2, gamma = 1000, to t = 3 ---- */

/* Two integrators: where they agree the numbers are those of the regularised equations. */
static CardanStatus put_passage(CardanTable *sheet, const char *key, const CrdLabRegulariser *regulariser, double eps) {
    static const int at[] = {90, 200, 300}; /* 0.9, 2 and 3 s */
    static const struct {
        const CrdLabIntegrator *integrator;
        double tolerance;
    } kinds[] = {{&crd_lab_dop853, 1e-12}, {&crd_lab_radau5, 1e-10}};
    Passage passage = {.law = {.damping = {0.0, 1000.0}, .regulariser = regulariser, .eps = eps}};
    crd_sheet_array(sheet, key);
    for (int k = 0; k < 2; k++) {
        double w[LOOKS + 1][STATE + BRANCH], e[3];
        Extremes x;
        passage.integrator = kinds[k].integrator;
        passage.tolerance = (CrdLabTolerance){kinds[k].tolerance, kinds[k].tolerance, 1e-3};
        CRD_TRY(pass(&passage, LOOKS, w, &x, &sheet->error));
        for (int i = 0; i < 3; i++) e[i] = fabs(w[at[i]][0] - w[at[i]][STATE]);
        const double row[9] = {x.error, e[0], e[1], e[2], x.energy, x.branch, x.constraint, w[at[1]][0], w[at[1]][1]};
        crd_sheet_numbers(sheet, NULL, row, 9);
    }
    crd_sheet_end(sheet);
    return CARDAN_OK;
}

CardanStatus crd_paper_fold(CardanTable *sheet, int variant) {
    static const CrdLabRegulariser *const regularisers[] = {&crd_lab_trust, &crd_lab_direct};
    static const double eps[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    (void)variant;
    crd_sheet_object(sheet, NULL);
    CRD_TRY(put_exact(sheet));
    crd_sheet_text(sheet, "regularized_T3_columns",
                   "largest |e th1|, e(.9), e(2), e(3), largest |dE|, |th1+th2-pi|, |g3|, th1(2), th2(2); rows "
                   "[dop853 1e-12, radau5 1e-10] on [0,3], gam=1e3 index-2");
    crd_sheet_object(sheet, "regularized_T3");
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 5; i++) {
            char key[32];
            snprintf(key, sizeof key, "%s_%g", regularisers[r]->name, eps[i]);
            CRD_TRY(put_passage(sheet, key, regularisers[r], eps[i]));
        }
    crd_sheet_end(sheet);
    crd_sheet_end(sheet);
    return CARDAN_OK;
}
