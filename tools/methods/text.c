/* The account of `cardan methods` for people. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 12, REASONS_MOST = 64 };

const char *const fate_words[FATES] = {"running", "complete", "stopped", "failed", "refused", "left out"};

/* ---- heading ---- */

static void put_heading(FILE *out, const Matrix *matrix) {
    const Costs *costs = &matrix->costs;
    CardanSizes sizes = cardan_model_sizes(matrix->model);
    int fates[FATES] = {0}, runs = 0;
    for (int i = 0; i < matrix->count; i++) {
        fates[matrix->all[i].fate]++;
        runs += matrix->all[i].count;
    }
    fprintf(out, "%s over %.6g s: %d velocities, %d rows\n", cardan_model_name(matrix->model), matrix->base.end,
            sizes.velocities, sizes.rows);
    fprintf(out, "  reference  %s; they differ by %.1e\n", matrix->reference.text, matrix->reference.error);
    fprintf(out, "  error      largest of positions and velocities against their largest values (%.3g, %.3g), %s\n",
            matrix->reference.size[0], matrix->reference.size[1],
            matrix->reference.landings > 1 ? "at four times" : "at the end");
    fprintf(out, "  work       in evaluations of %.3g us: right-hand side %.3g, factorisation %.3g, solve %.3g us\n",
            1e6 * costs->evaluation, 1e6 * costs->rhs, 1e6 * costs->factorisation, 1e6 * costs->solve);
    fprintf(out,
            "  matrix     %d formulation(s) x %d stepper(s) x %d stabiliser(s) x %d regulariser(s) = %d combinations",
            matrix->choices[0], matrix->choices[1], matrix->choices[2], matrix->choices[3],
            matrix->count - matrix->of_laboratory);
    if (matrix->of_laboratory > 0) fprintf(out, "\n             and %d of the laboratory", matrix->of_laboratory);
    fputs(":\n", out);
    fprintf(out, "             %d complete, %d stopped early, %d left out, %d failed, %d refused; %d runs in %.1f s\n",
            fates[FATE_COMPLETE], fates[FATE_STOPPED], fates[FATE_LEFT_OUT], fates[FATE_FAILED], fates[FATE_REFUSED],
            runs, wall_seconds() - matrix->began);
}

/* ---- the table of one error level ---- */

typedef struct Ranked {
    double work;
    int index;
} Ranked;

static int by_work(const void *a, const void *b) {
    const Ranked *ranked = a, *q = b;
    return ranked->work != q->work ? (ranked->work > q->work) - (ranked->work < q->work) : ranked->index - q->index;
}

static void put_columns(FILE *out) {
    fprintf(out, "    %-18s %-17s %-13s %-11s %-14s %8s %8s %8s %8s %8s %8s %8s %9s %6s\n", "stepper", "stabiliser",
            "regulariser", "formulation", "setting", "error", "drift", "energy J", "rhs", "factor.", "solves",
            "time ms", "work", "ratio");
}

static void put_run(FILE *out, const Combination *combination, const MethodRun *method_run, const char *mark,
                    double work, double least) {
    char setting[32];
    snprintf(setting, sizeof setting, "%s %.2g", combination->controlled ? "rtol" : "step",
             combination->controlled ? method_run->rtol : method_run->step);
    fprintf(out, "  %s %-18s %-17s %-13s %-11s %-14s", mark, combination->stepper, combination->stabiliser,
            combination->regulariser, combination->formulation, setting);
    if (!method_run->done) {
        fprintf(out, " failed: %s\n", method_run->why != NULL ? method_run->why : "");
        return;
    }
    char energy[16] = "-";
    if (!isnan(method_run->energy)) snprintf(energy, sizeof energy, "%.1e", method_run->energy);
    fprintf(out, " %8.1e %8.1e %8s %8ld %8ld %8ld %8.2f %9.0f", method_run->error,
            fmax(method_run->drift[0], method_run->drift[1]), energy, method_run->work.rhs,
            method_run->work.factorisations, method_run->work.solves, 1e3 * method_run->seconds, work);
    if (isnan(least))
        fputc('\n', out);
    else
        fprintf(out, " %6.2f\n", work / least);
}

/* Of combinations that differ in the regulariser alone only the recommended or else the cheapest is shown. */
static bool stands_for_its_row(const Matrix *matrix, int level, int i) {
    const Combination *combination = &matrix->all[i];
    if (matrix->best[level] >= 0 && matrix->all[matrix->best[level]].row == combination->row)
        return i == matrix->best[level];
    for (int k = 0; k < matrix->count; k++) {
        const Combination *other = &matrix->all[k];
        if (other->row != combination->row || isnan(other->at[level])) continue;
        if (other->at[level] < combination->at[level] || (other->at[level] == combination->at[level] && k < i))
            return false;
    }
    return true;
}

static void put_level(FILE *out, const Matrix *matrix, int level, Ranked *ranked) {
    int n = 0, reaching = 0;
    for (int i = 0; i < matrix->count; i++) {
        if (isnan(matrix->all[i].at[level])) continue;
        reaching++;
        if (stands_for_its_row(matrix, level, i)) ranked[n++] = (Ranked){matrix->all[i].at[level], i};
    }
    if (n > 1) qsort(ranked, (size_t)n, sizeof *ranked, by_work);
    fprintf(out, "\nerror %.0e: ", matrix->level[level]);
    if (!level_is_known(matrix, level)) {
        fprintf(out, "not judged: the reference itself is uncertain by %.1e\n", matrix->reference.error);
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
        const Combination *combination = &matrix->all[i];
        const char *mark = i == matrix->best[level] ? "*" : combination->keeps[level] ? " " : "!";
        put_run(out, combination, &combination->runs[combination->reaching[level]], mark, combination->at[level],
                matrix->least[level]);
    }
}

/* ---- the recommendation ---- */

static void put_name(FILE *out, const Combination *combination) {
    fprintf(out, "%s, %s, %s, %s", combination->stepper, combination->stabiliser, combination->regulariser,
            combination->formulation);
}

static int cheapest(const Matrix *matrix, int level) {
    for (int i = 0; i < matrix->count; i++)
        if (matrix->all[i].at[level] == matrix->least[level]) return i;
    return -1;
}

/* The cheapest one with another stepper. */
static int runner_up(const Matrix *matrix, int level) {
    int next = -1;
    for (int i = 0; i < matrix->count; i++) {
        const Combination *combination = &matrix->all[i];
        if (isnan(combination->at[level]) || !combination->keeps[level] || combination->laboratory) continue;
        if (strcmp(combination->stepper, matrix->all[matrix->best[level]].stepper) == 0) continue;
        if (next < 0 || combination->at[level] < matrix->all[next].at[level]) next = i;
    }
    return next;
}

static void put_why(FILE *out, const Matrix *matrix, int level) {
    const Combination *combination = &matrix->all[matrix->best[level]];
    int first = cheapest(matrix, level), next = runner_up(matrix, level);
    double ratio = combination->at[level] / matrix->least[level];
    fprintf(out, "    %.0f evaluations, %.2f times the least work of all; ", combination->at[level], ratio);
    fprintf(out, "joints closed to %.1e of the motion", combination->runs[combination->reaching[level]].drift_share);
    if (next >= 0) {
        fprintf(out, ";\n    the best other stepper, %s with %s, needs %.2f times as much", matrix->all[next].stepper,
                matrix->all[next].stabiliser, matrix->all[next].at[level] / combination->at[level]);
    }
    fputc('\n', out);
    if (first < 0 || first == matrix->best[level]) return;
    const Combination *f = &matrix->all[first];
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

static void put_recommendation(FILE *out, const Matrix *matrix) {
    char command[512];
    fputs("\nrecommended (* above; ! does not keep the constraints well enough for this error)\n", out);
    for (int l = 0; l < matrix->levels; l++) {
        fprintf(out, "  error %.0e: ", matrix->level[l]);
        if (matrix->best[l] < 0) {
            fputs("none\n", out);
            continue;
        }
        put_name(out, &matrix->all[matrix->best[l]]);
        fputc('\n', out);
        put_why(out, matrix, l);
        methods_command(matrix, &matrix->all[matrix->best[l]], l, command, sizeof command);
        fprintf(out, "    %s\n", command);
    }
    fputs("  one for all of them: ", out);
    if (matrix->overall < 0) {
        fputs("none reaches them all and keeps the constraints\n", out);
        return;
    }
    put_name(out, &matrix->all[matrix->overall]);
    fprintf(out, ", at most %.2f times the least work that keeps the constraints\n", matrix->overall_worst);
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

static bool same_reason(const Combination *combination, const Combination *b) {
    return combination->fate == b->fate && same_words(combination->why, b->why);
}

static bool first_of_its_reason(const Matrix *matrix, int i) {
    for (int k = 0; k < i; k++)
        if (same_reason(&matrix->all[k], &matrix->all[i])) return false;
    return true;
}

static void put_group(FILE *out, const Matrix *matrix, int first, bool everything) {
    int n = 0;
    for (int i = first; i < matrix->count; i++) n += same_reason(&matrix->all[i], &matrix->all[first]);
    fprintf(out, "  %-8s %4d: %s\n", fate_words[matrix->all[first].fate], n, matrix->all[first].why);
    for (int i = first, shown = 0; i < matrix->count; i++) {
        if (!same_reason(&matrix->all[i], &matrix->all[first])) continue;
        if (!everything && shown++ == 1) {
            fprintf(out, "                 and %d more\n", n - 1);
            break;
        }
        fputs("                 ", out);
        put_name(out, &matrix->all[i]);
        fputc('\n', out);
    }
}

static void put_not_run(FILE *out, const Matrix *matrix, bool everything) {
    bool headed = false;
    for (int i = 0; i < matrix->count; i++) {
        if (matrix->all[i].fate == FATE_COMPLETE || !first_of_its_reason(matrix, i)) continue;
        if (!headed)
            fprintf(out, "\nrefused, failed, stopped early or left out%s\n", everything ? "" : " (--all names each)");
        headed = true;
        put_group(out, matrix, i, everything);
    }
}

void methods_text(FILE *out, const Matrix *matrix, bool everything) {
    Ranked *ranked = calloc((size_t)matrix->count + 1, sizeof *ranked);
    put_heading(out, matrix);
    for (int l = 0; l < matrix->levels && ranked != NULL; l++) put_level(out, matrix, l, ranked);
    free(ranked);
    put_recommendation(out, matrix);
    put_not_run(out, matrix, everything);
    if (!everything) return;
    fputs("\nall runs\n", out);
    put_columns(out);
    for (int i = 0; i < matrix->count; i++)
        for (int k = 0; k < matrix->all[i].count; k++)
            put_run(out, &matrix->all[i], &matrix->all[i].runs[k], " ", matrix->all[i].runs[k].cost, (double)NAN);
}
