/* The account of `cardan methods` for people. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 12, REASONS_MOST = 64 };

const char *const fate_words[FATES] = {"running", "complete", "stopped", "failed", "refused", "left out"};

/* ---- heading ---- */

static void put_heading(FILE *out, const Matrix *m) {
    const Costs *c = &m->costs;
    CardanSizes sizes = cardan_model_sizes(m->model);
    int fates[FATES] = {0}, runs = 0;
    for (int i = 0; i < m->count; i++) {
        fates[m->all[i].fate]++;
        runs += m->all[i].count;
    }
    fprintf(out, "%s over %.6g s: %d velocities, %d rows\n", cardan_model_name(m->model), m->base.end, sizes.velocities,
            sizes.rows);
    fprintf(out, "  reference  %s; they differ by %.1e\n", m->reference.text, m->reference.error);
    fprintf(out, "  error      largest of positions and velocities against their largest values (%.3g, %.3g), %s\n",
            m->reference.size[0], m->reference.size[1], m->reference.landings > 1 ? "at four times" : "at the end");
    fprintf(out, "  work       in evaluations of %.3g us: right-hand side %.3g, factorisation %.3g, solve %.3g us\n",
            1e6 * c->evaluation, 1e6 * c->rhs, 1e6 * c->factorisation, 1e6 * c->solve);
    fprintf(out,
            "  matrix     %d formulation(s) x %d stepper(s) x %d stabiliser(s) x %d regulariser(s) = %d combinations",
            m->choices[0], m->choices[1], m->choices[2], m->choices[3], m->count - m->of_laboratory);
    if (m->of_laboratory > 0) fprintf(out, "\n             and %d of the laboratory", m->of_laboratory);
    fputs(":\n", out);
    fprintf(out, "             %d complete, %d stopped early, %d left out, %d failed, %d refused; %d runs in %.1f s\n",
            fates[FATE_COMPLETE], fates[FATE_STOPPED], fates[FATE_LEFT_OUT], fates[FATE_FAILED], fates[FATE_REFUSED],
            runs, wall_seconds() - m->began);
}

/* ---- the table of one error level ---- */

typedef struct Ranked {
    double work;
    int index;
} Ranked;

static int by_work(const void *a, const void *b) {
    const Ranked *p = a, *q = b;
    return p->work != q->work ? (p->work > q->work) - (p->work < q->work) : p->index - q->index;
}

static void put_columns(FILE *out) {
    fprintf(out, "    %-18s %-17s %-13s %-11s %-14s %8s %8s %8s %8s %8s %8s %8s %9s %6s\n", "stepper", "stabiliser",
            "regulariser", "formulation", "setting", "error", "drift", "energy J", "rhs", "factor.", "solves",
            "time ms", "work", "ratio");
}

static void put_run(FILE *out, const Combination *c, const MethodRun *r, const char *mark, double work, double least) {
    char setting[32];
    snprintf(setting, sizeof setting, "%s %.2g", c->controlled ? "rtol" : "step", c->controlled ? r->rtol : r->step);
    fprintf(out, "  %s %-18s %-17s %-13s %-11s %-14s", mark, c->stepper, c->stabiliser, c->regulariser, c->formulation,
            setting);
    if (!r->done) {
        fprintf(out, " failed: %s\n", r->why != NULL ? r->why : "");
        return;
    }
    char energy[16] = "-";
    if (!isnan(r->energy)) snprintf(energy, sizeof energy, "%.1e", r->energy);
    fprintf(out, " %8.1e %8.1e %8s %8ld %8ld %8ld %8.2f %9.0f", r->error, fmax(r->drift[0], r->drift[1]), energy,
            r->work.rhs, r->work.factorisations, r->work.solves, 1e3 * r->seconds, work);
    if (isnan(least))
        fputc('\n', out);
    else
        fprintf(out, " %6.2f\n", work / least);
}

/* Of combinations that differ in the regulariser alone only the recommended or else the cheapest is shown. */
static bool stands_for_its_row(const Matrix *m, int level, int i) {
    const Combination *c = &m->all[i];
    if (m->best[level] >= 0 && m->all[m->best[level]].row == c->row) return i == m->best[level];
    for (int k = 0; k < m->count; k++) {
        const Combination *other = &m->all[k];
        if (other->row != c->row || isnan(other->at[level])) continue;
        if (other->at[level] < c->at[level] || (other->at[level] == c->at[level] && k < i)) return false;
    }
    return true;
}

static void put_level(FILE *out, const Matrix *m, int level, Ranked *ranked) {
    int n = 0, reaching = 0;
    for (int i = 0; i < m->count; i++) {
        if (isnan(m->all[i].at[level])) continue;
        reaching++;
        if (stands_for_its_row(m, level, i)) ranked[n++] = (Ranked){m->all[i].at[level], i};
    }
    if (n > 1) qsort(ranked, (size_t)n, sizeof *ranked, by_work);
    fprintf(out, "\nerror %.0e: ", m->level[level]);
    if (!level_is_known(m, level)) {
        fprintf(out, "not judged: the reference itself is uncertain by %.1e\n", m->reference.error);
        return;
    }
    if (n == 0) {
        fputs("no combination reaches it\n", out);
        return;
    }
    fprintf(out, "reached by %d combinations; the %d cheapest, each with its best regulariser\n", reaching,
            n < ROWS_SHOWN ? n : ROWS_SHOWN);
    put_columns(out);
    for (int k = 0; k < n && k < ROWS_SHOWN; k++) {
        int i = ranked[k].index;
        const Combination *c = &m->all[i];
        const char *mark = i == m->best[level] ? "*" : c->keeps[level] ? " " : "!";
        put_run(out, c, &c->runs[c->reaching[level]], mark, c->at[level], m->least[level]);
    }
}

/* ---- the recommendation ---- */

static void put_name(FILE *out, const Combination *c) {
    fprintf(out, "%s, %s, %s, %s", c->stepper, c->stabiliser, c->regulariser, c->formulation);
}

static int cheapest(const Matrix *m, int level) {
    for (int i = 0; i < m->count; i++)
        if (m->all[i].at[level] == m->least[level]) return i;
    return -1;
}

/* The cheapest one with another stepper. */
static int runner_up(const Matrix *m, int level) {
    int next = -1;
    for (int i = 0; i < m->count; i++) {
        const Combination *c = &m->all[i];
        if (isnan(c->at[level]) || !c->keeps[level] || c->laboratory) continue;
        if (strcmp(c->stepper, m->all[m->best[level]].stepper) == 0) continue;
        if (next < 0 || c->at[level] < m->all[next].at[level]) next = i;
    }
    return next;
}

static void put_why(FILE *out, const Matrix *m, int level) {
    const Combination *c = &m->all[m->best[level]];
    int first = cheapest(m, level), next = runner_up(m, level);
    double ratio = c->at[level] / m->least[level];
    fprintf(out, "    %.0f evaluations, %.2f times the least work of all; ", c->at[level], ratio);
    fprintf(out, "joints closed to %.1e of the motion", c->runs[c->reaching[level]].drift_share);
    if (next >= 0) {
        fprintf(out, ";\n    the best other stepper, %s with %s, needs %.2f times as much", m->all[next].stepper,
                m->all[next].stabiliser, m->all[next].at[level] / c->at[level]);
    }
    fputc('\n', out);
    if (first < 0 || first == m->best[level]) return;
    const Combination *f = &m->all[first];
    const MethodRun *run = &f->runs[f->reaching[level]];
    fputs("    cheapest of all: ", out);
    put_name(out, f);
    if (f->laboratory)
        fputs("; cardan run does not offer it\n", out);
    else if (f->keeps[level])
        fprintf(out, "; less than %.0f %% cheaper, so the default stands\n", 100.0 * (WORK_TIE - 1.0));
    else
        fprintf(out, "; but its drift is %.1e of the motion, %.1f times that of the first quarter\n", run->drift_share,
                run->growth);
}

static void put_recommendation(FILE *out, const Matrix *m) {
    char command[512];
    fputs("\nrecommended (* above; ! does not keep the constraints well enough for this error)\n", out);
    for (int l = 0; l < m->levels; l++) {
        fprintf(out, "  error %.0e: ", m->level[l]);
        if (m->best[l] < 0) {
            fputs("none\n", out);
            continue;
        }
        put_name(out, &m->all[m->best[l]]);
        fputc('\n', out);
        put_why(out, m, l);
        methods_command(m, &m->all[m->best[l]], l, command, sizeof command);
        fprintf(out, "    %s\n", command);
    }
    fputs("  one for all of them: ", out);
    if (m->overall < 0) {
        fputs("none reaches them all and keeps the constraints\n", out);
        return;
    }
    put_name(out, &m->all[m->overall]);
    fprintf(out, ", at most %.2f times the least work that keeps the constraints\n", m->overall_worst);
}

/* ---- what did not run ---- */

/* The same words but for names in quotes. */
static bool same_words(const char *a, const char *b) {
    for (; *a != '\0' && *a == *b; a++, b++) {
        if (*a != '\'') continue;
        const char *end_a = strchr(a + 1, '\''), *end_b = strchr(b + 1, '\'');
        if (end_a == NULL || end_b == NULL) continue;
        a = end_a;
        b = end_b;
    }
    return *a == *b;
}

static bool same_reason(const Combination *a, const Combination *b) {
    return a->fate == b->fate && same_words(a->why, b->why);
}

static bool first_of_its_reason(const Matrix *m, int i) {
    for (int k = 0; k < i; k++)
        if (same_reason(&m->all[k], &m->all[i])) return false;
    return true;
}

static void put_group(FILE *out, const Matrix *m, int first, bool everything) {
    int n = 0;
    for (int i = first; i < m->count; i++) n += same_reason(&m->all[i], &m->all[first]);
    fprintf(out, "  %-8s %4d: %s\n", fate_words[m->all[first].fate], n, m->all[first].why);
    for (int i = first, shown = 0; i < m->count; i++) {
        if (!same_reason(&m->all[i], &m->all[first])) continue;
        if (!everything && shown++ == 1) {
            fprintf(out, "                 and %d more\n", n - 1);
            break;
        }
        fputs("                 ", out);
        put_name(out, &m->all[i]);
        fputc('\n', out);
    }
}

static void put_not_run(FILE *out, const Matrix *m, bool everything) {
    bool headed = false;
    for (int i = 0; i < m->count; i++) {
        if (m->all[i].fate == FATE_COMPLETE || !first_of_its_reason(m, i)) continue;
        if (!headed)
            fprintf(out, "\nrefused, failed, stopped early or left out%s\n", everything ? "" : " (--all names each)");
        headed = true;
        put_group(out, m, i, everything);
    }
}

void methods_text(FILE *out, const Matrix *m, bool everything) {
    Ranked *ranked = calloc((size_t)m->count + 1, sizeof *ranked);
    put_heading(out, m);
    for (int l = 0; l < m->levels && ranked != NULL; l++) put_level(out, m, l, ranked);
    free(ranked);
    put_recommendation(out, m);
    put_not_run(out, m, everything);
    if (!everything) return;
    fputs("\nall runs\n", out);
    put_columns(out);
    for (int i = 0; i < m->count; i++)
        for (int k = 0; k < m->all[i].count; k++)
            put_run(out, &m->all[i], &m->all[i].runs[k], " ", m->all[i].runs[k].cost, (double)NAN);
}
