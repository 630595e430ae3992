/* The list of published tables, and what several of them share. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

static const CrdPaper *const documents[] = {crd_papers_000, crd_papers_001, crd_papers_002,
                                            crd_papers_003, crd_papers_004, NULL};

static const CrdPaper *paper(int i) {
    for (const CrdPaper *const *document = documents; *document != NULL; document++)
        for (const CrdPaper *p = *document; p->name != NULL; p++)
            if (i-- == 0) return p;
    return NULL;
}

static const CrdPaper *find_paper(const char *name) {
    for (int i = 0; paper(i) != NULL; i++)
        if (strcmp(paper(i)->name, name) == 0) return paper(i);
    return NULL;
}

const char *papers_name(int i) {
    const CrdPaper *p = i >= 0 ? paper(i) : NULL;
    return p != NULL ? p->name : NULL;
}

const char *papers_title(int i) {
    const CrdPaper *p = i >= 0 ? paper(i) : NULL;
    return p != NULL ? p->title : NULL;
}

static CardanStatus say(char *message, size_t size, CardanStatus status, const char *text) {
    if (message != NULL && size > 0) snprintf(message, size, "%s", text);
    return status;
}

CardanStatus papers_compute(const char *name, PapersTable **out, char *message, size_t size) {
    if (name == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    *out = NULL;
    const CrdPaper *paper = find_paper(name);
    if (paper == NULL) return say(message, size, CARDAN_ERR_ARGUMENT, "there is no table of this name");
    PapersTable *table = crd_new(1, sizeof *table);
    if (table == NULL) return say(message, size, CARDAN_ERR_MEMORY, "out of memory");
    table->workspace.error = &table->error;
    CardanStatus status = paper->compute(table, paper->variant);
    crd_lab_clear(&table->workspace);
    if (status >= 0) papers_table_compare(table, paper->printed, paper->remarks);
    if (table->error.status < 0 || status < 0) {
        status = table->error.status < 0 ? table->error.status : status;
        say(message, size, status, table->error.text);
        papers_table_destroy(table);
        return status;
    }
    *out = table;
    return CARDAN_OK;
}

/* ---- what several tables share ---- */

void crd_lab_exponential(double t, double *z, int n) {
    for (int i = 0; i < n; i++) z[i] = exp(t);
}

typedef struct LinearWatch {
    int state;
    double multiplier, error_max;
    int multipliers; /* index of the last one in w; -1: none */
} LinearWatch;

static void watch_linear(void *user, const CrdLabPoint *point) {
    LinearWatch *watch = user;
    double exact;
    crd_lab_exponential(point->t, &exact, 1);
    for (int i = 0; i < watch->state; i++) watch->error_max = fmax(watch->error_max, fabs(point->z[i] - exact));
    if (watch->multipliers >= 0) watch->multiplier = point->w[watch->multipliers];
}

CardanStatus crd_lab_run_linear(const CrdLabMethod *method, int steps, CrdLinearRun *run, CrdLabWorkspace *workspace) {
    const CrdLabProblem *problem = method->setting.problem;
    CrdLabSetting setting = method->setting;
    double z[4], h[4], exact[4]; /* as CrdLinearRun */
    setting.stabiliser.problem = problem;
    CrdLabSystem system = crd_lab_system(&setting);
    LinearWatch watch = {.state = crd_lab_state(problem), .multipliers = system.n + system.algebraic - 1};
    if (system.algebraic == 0) watch.multipliers = -1;
    CrdLabTerms terms;
    crd_lab_exponential(0.0, z, watch.state);
    CRD_TRY(crd_lab_run(method, 0.0, 1.0 / steps, steps, z, (CrdLabObserver){watch_linear, &watch}, workspace));
    CrdLabMark mark = crd_lab_mark(workspace);
    CRD_TRY(crd_lab_terms(problem, 1.0, z, workspace, &terms));
    crd_lab_invariant(problem, z, &terms, h, NULL);
    crd_lab_exponential(1.0, exact, watch.state);
    *run = (CrdLinearRun){.multiplier = watch.multiplier, .error_max = watch.error_max};
    for (int i = 0; i < watch.state; i++) run->error[i] = z[i] - exact[i];
    for (int i = 0; i < crd_lab_levels(problem); i++) run->drift[i] = fabs(h[i]);
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}

CardanStatus crd_lab_reference(const CrdLabSetting *setting, const double *t, int count, double *z, double *out,
                               CrdLabWorkspace *workspace) {
    const CrdLabTolerance tight = {.rtol = 1e-14, .atol = 1e-14}; /* near the rounding of 1e3 steps */
    CrdLabSetting own = *setting;
    int state = crd_lab_state(setting->problem);
    CrdLabMark mark = crd_lab_mark(workspace);
    double now = 0.0, *w = crd_lab_numbers(workspace, state, 1);
    own.stabiliser.problem = own.problem;
    if (own.formulation->charted) CRD_TRY(crd_lab_open_chart(&own, workspace));
    if (workspace->empty) return crd_fail_memory(workspace->error);
    CrdLabSystem system = crd_lab_system(&own);
    for (int i = 0; i < count; i++) {
        if (own.formulation->charted)
            CRD_TRY(crd_lab_enter_chart(&own, now, z, w, workspace));
        else
            memcpy(w, z, (size_t)state * sizeof *w);
        CRD_TRY(crd_lab_integrate(&crd_dop853, &system, tight, now, t[i], w, (CrdLabWatcher){0}, workspace));
        now = t[i];
        if (own.formulation->charted)
            CRD_TRY(crd_lab_leave_chart(&own, now, w, z, workspace));
        else
            memcpy(z, w, (size_t)state * sizeof *w);
        memcpy(out + i * state, z, (size_t)state * sizeof *out);
    }
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}
