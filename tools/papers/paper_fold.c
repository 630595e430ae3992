/* Document 003 (PRM97), example 5.2: a slider-crank of two equal rods goes through its dead centre, where two branches
 * of motion cross. The paper gives no start; this one is at rest at th1 = pi/4. Errors are against the true motion on
 * the branch th1 + th2 = pi. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/numbers.h"
#include "paper.h"

enum { STATE = 4, BRANCH = 2, LOOKS = 300, LONG_LOOKS = 500 };
#define PER_SECOND 100.0

/* The largest of everything, looked at every 0.01 as the references do: the peaks behind the dead centre are narrower.
 */
typedef struct Extremes {
    double energy0;
    double error, energy, branch, constraint;
    double off; /* s; when the error first exceeded 0.05; 0: never */
    long calls; /* of the right-hand side */
} Extremes;

static void look(Extremes *extremes, double t, const double *w, double exact) {
    double error = fabs(w[0] - exact);
    if (extremes->off == 0.0 && error > 0.05) extremes->off = t;
    extremes->error = fmax(extremes->error, error);
    extremes->energy = fmax(extremes->energy, fabs(crd_lab_fold_energy(w) - extremes->energy0));
    extremes->branch = fmax(extremes->branch, fabs(w[0] + w[1] - CRD_PI));
    extremes->constraint = fmax(extremes->constraint, fabs(cos(w[0]) + cos(w[1])));
}

/* ---- the true motion ---- */

typedef struct Truth {
    double angle, spin;           /* th1 and th1' at the start */
    double theta[LONG_LOOKS + 1]; /* th1 at every 0.01 */
} Truth;

static CardanStatus find_truth(double angle, double spin, int looks, Truth *truth, CrdLabWorkspace *workspace) {
    CrdLabSetting setting = {.problem = &crd_lab_fold_branch, .formulation = &crd_lab_reduced};
    CrdLabMark mark = crd_lab_mark(workspace);
    double z[BRANCH] = {angle, spin}, *t = crd_lab_numbers(workspace, looks, 1),
           *out = crd_lab_numbers(workspace, looks, BRANCH);
    if (workspace->empty) return crd_fail_memory(workspace->error);
    for (int i = 0; i < looks; i++) t[i] = (i + 1) / PER_SECOND;
    CRD_TRY(crd_lab_reference(&setting, t, looks, z, out, workspace));
    *truth = (Truth){.angle = angle, .spin = spin, .theta = {angle}};
    for (int i = 0; i < looks; i++) truth->theta[i + 1] = out[i * BRANCH];
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

/* ---- a passage ---- */

typedef struct Passage {
    const Truth *truth;
    CrdLabLaw law;
    const CrdMethod *integrator;
    CrdLabTolerance tolerance;
} Passage;

typedef struct Counted {
    CrdLabSetting setting;
    long *calls;
} Counted;

static CardanStatus counted_rates(const void *user, double t, const double *w, double *out,
                                  CrdLabWorkspace *workspace) {
    const Counted *counted = user;
    CrdLabMark mark = crd_lab_mark(workspace);
    ++*counted->calls;
    CRD_TRY(crd_lab_reduced.rates(&counted->setting, t, w, out, workspace));
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

/* Looks between the steps of an integrator, by the cubic of Hermite. */
typedef struct Looker {
    const Truth *truth;
    Extremes *extremes;
    double (*w)[STATE]; /* (looks + 1) at every 0.01 */
    int next, looks;
    double t, before[STATE], rates[STATE]; /* the step before */
} Looker;

static int look_between(void *user, double t, const double *w, const double *rates) {
    Looker *looker = user;
    double h = t - looker->t;
    for (; looker->next <= looker->looks && looker->next / PER_SECOND <= t; looker->next++) {
        double x = (looker->next / PER_SECOND - looker->t) / h, y = 1.0 - x, *out = looker->w[looker->next];
        for (int i = 0; i < STATE; i++)
            out[i] = y * y * (1.0 + 2.0 * x) * looker->before[i] + x * x * (1.0 + 2.0 * y) * w[i] +
                     h * x * y * (y * looker->rates[i] - x * rates[i]);
        look(looker->extremes, looker->next / PER_SECOND, out, looker->truth->theta[looker->next]);
    }
    looker->t = t;
    memcpy(looker->before, w, sizeof looker->before);
    memcpy(looker->rates, rates, sizeof looker->rates);
    return 0;
}

/* To t = looks / 100; w (looks + 1) at every 0.01. */
static CardanStatus pass(const Passage *passage, int looks, double (*w)[STATE], Extremes *extremes,
                         CrdLabWorkspace *workspace) {
    Counted counted = {.setting = {.problem = &crd_lab_fold, .formulation = &crd_lab_reduced, .law = passage->law},
                       .calls = &extremes->calls};
    CrdLabSystem system = {.n = STATE, .user = &counted, .rates = counted_rates};
    const Truth *truth = passage->truth;
    double now[STATE] = {truth->angle, CRD_PI - truth->angle, truth->spin, -truth->spin};
    Looker looker = {.truth = truth, .extremes = extremes, .w = w, .next = 1, .looks = looks};
    memcpy(w[0], now, sizeof now);
    memcpy(looker.before, now, sizeof now);
    *extremes = (Extremes){.energy0 = crd_lab_fold_energy(now)};
    CRD_TRY(counted_rates(&counted, 0.0, now, looker.rates, workspace));
    return crd_lab_integrate(passage->integrator, &system, passage->tolerance, 0.0, looks / PER_SECOND, now,
                             (CrdLabWatcher){look_between, &looker}, workspace);
}

/* |th1 - exact| at looks. */
static void errors_at(const double (*w)[STATE], const Truth *truth, const int *at, double *e) {
    for (int i = 0; i < 3; i++) e[i] = fabs(w[at[i]][0] - truth->theta[at[i]]);
}

/* ---- tables ---- */

static CardanStatus put_exact(PapersTable *table) {
    enum { TIMES = 6 };
    static const double times[TIMES] = {0.5, 1.0, 1.5, 2.0, 3.0, 5.0};
    static const char *const keys[TIMES] = {"0.5", "1.0", "1.5", "2.0", "3.0", "5.0"};
    CrdLabSetting setting = {.problem = &crd_lab_fold_branch, .formulation = &crd_lab_reduced};
    double z[BRANCH] = {0.25 * CRD_PI, 0.0}, out[TIMES * BRANCH];
    papers_table_object(table, "exact_theta1");
    papers_table_numbers(table, "0.0", z, BRANCH);
    CRD_TRY(crd_lab_reference(&setting, times, TIMES, z, out, &table->workspace));
    for (int i = 0; i < TIMES; i++) papers_table_numbers(table, keys[i], out + i * BRANCH, BRANCH);
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- index 2, gamma = 1000, to t = 3 ---- */

/* Two integrators: where they agree the numbers are those of the regularised equations. */
static CardanStatus put_passage(PapersTable *table, const char *key, const Truth *truth,
                                const CrdLabRegulariser *regulariser, double eps) {
    static const int at[] = {90, 200, 300}; /* 0.9, 2 and 3 s */
    static const struct {
        const CrdMethod *integrator;
        double tolerance;
    } kinds[] = {{&crd_dop853, 1e-12}, {&crd_radau5_strict, 1e-10}};
    Passage passage = {.truth = truth, .law = {.damping = {0.0, 1000.0}, .regulariser = regulariser, .eps = eps}};
    papers_table_array(table, key);
    for (int k = 0; k < 2; k++) {
        double w[LOOKS + 1][STATE], e[3];
        Extremes x;
        passage.integrator = kinds[k].integrator;
        passage.tolerance = (CrdLabTolerance){kinds[k].tolerance, kinds[k].tolerance, 1e-3, 1e-3};
        CRD_TRY(pass(&passage, LOOKS, w, &x, &table->workspace));
        errors_at((const double(*)[STATE])w, truth, at, e);
        const double row[9] = {x.error, e[0], e[1], e[2], x.energy, x.branch, x.constraint, w[at[1]][0], w[at[1]][1]};
        papers_table_numbers(table, NULL, row, 9);
    }
    papers_table_end(table);
    return CARDAN_OK;
}

/* ---- all methods from three starts, to t = 5 ---- */

static const struct {
    const char *name;
    double angle, spin;
} starts[] = {{"rest pi/4", 0.25 * CRD_PI, 0.0}, {"rest pi/3", CRD_PI / 3.0, 0.0}, {"rot 1, w=6", 1.0, 6.0}};

static const struct {
    const char *name;
    const CrdLabRegulariser *regulariser;
} methods[] = {{"baum", &crd_lab_regular}, {"direct", &crd_lab_direct}, {"trust", &crd_lab_trust}};

/* Levels of the constraint and the damping that holds them; index 3 goes without second derivatives of g. */
static const struct {
    const char *name;
    double damping[2], gamma, loose;
    bool first_derivatives;
} levels[] = {{"idx2", {0.0, 1e3}, 1e3, 1e-5, false},
              {"idx2", {0.0, 1e6}, 1e6, 1e-6, false},
              {"idx3", {2e6, 2e3}, 2e3, 1e-5, true}};

static void describe(char *text, size_t size, const Extremes *extremes, const Truth *truth, const double (*w)[STATE]) {
    char off[16] = "-";
    double e[3];
    static const int at[] = {100, 200, 500}; /* 1, 2 and 5 s */
    errors_at(w, truth, at, e);
    if (extremes->off > 0.0) snprintf(off, sizeof off, "%.2f", extremes->off);
    snprintf(
        text, size,
        "nfev=%ld max|e|=%.2e first>.05 t=%s max|th1+th2-pi|=%.2e max|g3|=%.2e dE=%.2e e(1)=%.2e e(2)=%.2e e(5)=%.2e",
        extremes->calls, extremes->error, off, extremes->branch, extremes->constraint, extremes->energy, e[0], e[1],
        e[2]);
}

/* One line; a run that could not go on says why. */
static CardanStatus put_run(PapersTable *table, const Truth *truth, int level, int method, const CrdMethod *integrator,
                            double tolerance) {
    Passage passage = {.truth = truth,
                       .law = {.damping = {levels[level].damping[0], levels[level].damping[1]},
                               .first_derivatives = levels[level].first_derivatives,
                               .regulariser = methods[method].regulariser,
                               .eps = 1e-6},
                       .integrator = integrator,
                       .tolerance = {tolerance, tolerance, 0.0, 1e-3}};
    double w[LONG_LOOKS + 1][STATE];
    char text[320], found[256];
    Extremes x;
    CrdError error = {0};
    CrdLabWorkspace workspace = {.error = &error};
    CardanStatus status = pass(&passage, LONG_LOOKS, w, &x, &workspace);
    crd_lab_clear(&workspace);
    if (status < 0 && status != CARDAN_ERR_NUMERIC) return crd_fail(&table->error, status, "%s", error.text);
    if (status < 0)
        snprintf(found, sizeof found, "stops: %.200s", error.text);
    else
        describe(found, sizeof found, &x, truth, (const double(*)[STATE])w);
    snprintf(text, sizeof text, "%s %s gam=%g %s tol=%g %s", levels[level].name, methods[method].name,
             levels[level].gamma, integrator == &crd_bdf ? "BDF" : "Radau", tolerance, found);
    papers_table_text(table, NULL, text);
    return CARDAN_OK;
}

static CardanStatus put_runs(PapersTable *table) {
    papers_table_array(table, "runs_T5");
    for (int s = 0; s < 3; s++) {
        char text[32];
        snprintf(text, sizeof text, "IC %s", starts[s].name);
        papers_table_text(table, NULL, text);
        Truth truth;
        CRD_TRY(find_truth(starts[s].angle, starts[s].spin, LONG_LOOKS, &truth, &table->workspace));
        for (int l = 0; l < 3; l++)
            for (int m = 0; m < 3; m++) {
                CRD_TRY(put_run(table, &truth, l, m, &crd_bdf, levels[l].loose));
                CRD_TRY(put_run(table, &truth, l, m, &crd_radau5_strict, levels[l].loose));
                CRD_TRY(put_run(table, &truth, l, m, &crd_radau5_strict, 1e-10));
            }
    }
    papers_table_end(table);
    return CARDAN_OK;
}

CardanStatus crd_paper_fold(PapersTable *table, int variant) {
    static const CrdLabRegulariser *const regularisers[] = {&crd_lab_trust, &crd_lab_direct};
    static const double eps[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    (void)variant;
    Truth truth;
    CRD_TRY(find_truth(0.25 * CRD_PI, 0.0, LOOKS, &truth, &table->workspace));
    papers_table_object(table, NULL);
    CRD_TRY(put_exact(table));
    papers_table_text(table, "regularized_T3_columns",
                      "largest |e th1|, e(.9), e(2), e(3), largest |dE|, |th1+th2-pi|, |g3|, th1(2), th2(2); rows "
                      "[dop853 1e-12, radau5 1e-10] on [0,3], gam=1e3 index-2");
    papers_table_object(table, "regularized_T3");
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 5; i++) {
            char key[32];
            snprintf(key, sizeof key, "%s_%g", regularisers[r]->name, eps[i]);
            CRD_TRY(put_passage(table, key, &truth, regularisers[r], eps[i]));
        }
    papers_table_end(table);
    CRD_TRY(put_runs(table));
    papers_table_end(table);
    return CARDAN_OK;
}
