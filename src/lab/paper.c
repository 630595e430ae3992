/* The list of published tables, and what several of them share. */
#include "lab/paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

static const CrdPaper *const documents[] = {crd_papers_000, crd_papers_001, crd_papers_002, crd_papers_003, NULL};

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

const char *cardan_papers_name(int i) {
    const CrdPaper *p = i >= 0 ? paper(i) : NULL;
    return p != NULL ? p->name : NULL;
}

const char *cardan_papers_title(int i) {
    const CrdPaper *p = i >= 0 ? paper(i) : NULL;
    return p != NULL ? p->title : NULL;
}

static CardanStatus say(char *message, size_t size, CardanStatus status, const char *text) {
    if (message != NULL && size > 0) snprintf(message, size, "%s", text);
    return status;
}

CardanStatus cardan_papers_compute(const char *name, CardanTable **out, char *message, size_t size) {
    if (name == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    *out = NULL;
    const CrdPaper *p = find_paper(name);
    if (p == NULL) return say(message, size, CARDAN_ERR_ARGUMENT, "there is no table of this name");
    CardanTable *sheet = crd_new(1, sizeof *sheet);
    if (sheet == NULL) return say(message, size, CARDAN_ERR_MEMORY, "out of memory");
    sheet->desk.error = &sheet->error;
    CardanStatus status = p->compute(sheet, p->variant);
    crd_lab_clear(&sheet->desk);
    if (status >= 0) crd_sheet_compare(sheet, p->printed, p->remarks);
    if (sheet->error.status < 0 || status < 0) {
        status = sheet->error.status < 0 ? sheet->error.status : status;
        say(message, size, status, sheet->error.text);
        cardan_table_destroy(sheet);
        return status;
    }
    *out = sheet;
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

CardanStatus crd_lab_run_linear(const CrdLabMethod *method, int steps, CrdLinearRun *run, CrdLabDesk *desk) {
    const CrdLabProblem *p = method->setting.problem;
    CrdLabSetting setting = method->setting;
    double z[4], h[4], exact[4]; /* as CrdLinearRun */
    setting.stabiliser.problem = p;
    CrdLabSystem system = crd_lab_system(&setting);
    LinearWatch watch = {.state = crd_lab_state(p), .multipliers = system.n + system.algebraic - 1};
    if (system.algebraic == 0) watch.multipliers = -1;
    CrdLabTerms terms;
    crd_lab_exponential(0.0, z, watch.state);
    CRD_TRY(crd_lab_run(method, 0.0, 1.0 / steps, steps, z, (CrdLabObserver){watch_linear, &watch}, desk));
    CrdLabMark mark = crd_lab_mark(desk);
    CRD_TRY(crd_lab_terms(p, 1.0, z, desk, &terms));
    crd_lab_invariant(p, z, &terms, h, NULL);
    crd_lab_exponential(1.0, exact, watch.state);
    *run = (CrdLinearRun){.multiplier = watch.multiplier, .error_max = watch.error_max};
    for (int i = 0; i < watch.state; i++) run->error[i] = z[i] - exact[i];
    for (int i = 0; i < crd_lab_levels(p); i++) run->drift[i] = fabs(h[i]);
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}

CardanStatus crd_lab_reference(const CrdLabSetting *setting, const double *t, int count, double *z, double *out,
                               CrdLabDesk *desk) {
    const CrdLabTolerance tight = {.rtol = 1e-14, .atol = 1e-14}; /* near the rounding of 1e3 steps */
    CrdLabSetting own = *setting;
    int state = crd_lab_state(setting->problem);
    CrdLabMark mark = crd_lab_mark(desk);
    double now = 0.0, *w = crd_lab_numbers(desk, state, 1);
    own.stabiliser.problem = own.problem;
    if (own.formulation->charted) CRD_TRY(crd_lab_open_chart(&own, desk));
    if (desk->empty) return crd_fail_memory(desk->error);
    CrdLabSystem system = crd_lab_system(&own);
    for (int i = 0; i < count; i++) {
        if (own.formulation->charted)
            CRD_TRY(crd_lab_enter_chart(&own, now, z, w, desk));
        else
            memcpy(w, z, (size_t)state * sizeof *w);
        CRD_TRY(crd_lab_dop853.run(&system, tight, now, t[i], w, (CrdLabWatcher){0}, desk));
        now = t[i];
        if (own.formulation->charted)
            CRD_TRY(crd_lab_leave_chart(&own, now, w, z, desk));
        else
            memcpy(z, w, (size_t)state * sizeof *w);
        memcpy(out + i * state, z, (size_t)state * sizeof *out);
    }
    crd_lab_back(desk, mark);
    return CARDAN_OK;
}
