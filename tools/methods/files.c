/* The runs of `cardan methods` as CSV and JSON, and a combination as a command line. */
#include "methods.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "text.h"

/* ---- a command line ---- */

/* The largest number of one digit that is not above x. */
static double rounded_down(double x) {
    double power = pow(10.0, floor(log10(x)));
    return floor(x / power * (1.0 + 1e-9)) * power;
}

/* The keys of a word of the matrix as `cardan run` takes them. */
static void put_word(char *text, size_t size, const char *option, const char *word) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, " --%s %s", option, word);
    for (char *s = text + n; *s != '\0'; s++)
        if (*s == '+') *s = ',';
}

void methods_command(const Matrix *matrix, const Combination *combination, int level, char *text, size_t size) {
    double x = rounded_down(setting_at(combination, level, matrix)),
           ratio = matrix->base.rtol > 0.0 && matrix->base.atol > 0.0 ? matrix->base.atol / matrix->base.rtol : 0.01;
    snprintf(text, size, "cardan run %s --stepper %s", matrix->path, combination->stepper);
    size_t n = strlen(text);
    if (combination->controlled)
        snprintf(text + n, size - n, " --rtol %.0e --atol %.0e", x, ratio * x);
    else
        snprintf(text + n, size - n, " --step %.0e", x);
    put_word(text, size, "stabilise", combination->stabiliser);
    if (strcmp(combination->regulariser, "auto") != 0) put_word(text, size, "regularise", combination->regulariser);
    if (strcmp(combination->formulation, "index1") != 0) put_word(text, size, "formulation", combination->formulation);
    for (int i = 0; i < matrix->arguments->given_count; i++) { /* what makes it the same problem */
        const Given *given = &matrix->arguments->given[i];
        bool same = strcmp(given->option->name, "set") == 0 || given->option->setting != NULL;
        n = strlen(text);
        if (same) snprintf(text + n, size - n, " --%s %s", given->option->name, given->value);
    }
}

/* ---- CSV ---- */

static void put_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('"', out);
}

/* An empty cell for what is not finite. */
static void put_cell(FILE *out, double x) {
    char text[NUMBER_SIZE];
    fprintf(out, ",%s", isfinite(x) ? number_text(x, text) : "");
}

static void put_labels(FILE *out, const Combination *combination, const char *status) {
    fprintf(out, "%s,%s,%s,%s,%s", combination->formulation, combination->stepper, combination->stabiliser,
            combination->regulariser, status);
}

static void put_row(FILE *out, const Combination *combination, const MethodRun *method_run) {
    put_labels(out, combination, method_run->done ? "done" : "failed");
    put_cell(out, method_run->step > 0.0 ? method_run->step : (double)NAN);
    put_cell(out, method_run->step > 0.0 ? (double)NAN : method_run->rtol);
    put_cell(out, method_run->step > 0.0 ? (double)NAN : method_run->atol);
    const double numbers[] = {method_run->error,       method_run->drift[0], method_run->drift[1],
                              method_run->drift_share, method_run->growth,   method_run->energy};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_cell(out, method_run->done ? numbers[i] : (double)NAN);
    fprintf(out, ",%ld,%ld,%ld,%ld,%ld", method_run->work.steps, method_run->work.rejected, method_run->work.rhs,
            method_run->work.factorisations, method_run->work.solves);
    put_cell(out, method_run->cost);
    put_cell(out, method_run->seconds);
    fputc(',', out);
    if (method_run->why != NULL) put_quoted(out, method_run->why);
    fputc('\n', out);
}

void methods_csv(FILE *out, const Matrix *matrix) {
    fputs("formulation,stepper,stabiliser,regulariser,status,step,rtol,atol,error,drift_position,drift_velocity,drift,"
          "drift_growth,energy_drift,steps,rejected,rhs,factorisations,solves,work,seconds,reason\n",
          out);
    for (int i = 0; i < matrix->count; i++) {
        const Combination *combination = &matrix->all[i];
        for (int k = 0; k < combination->count; k++) put_row(out, combination, &combination->runs[k]);
        if (combination->fate == FATE_COMPLETE) continue;
        put_labels(out, combination, fate_words[combination->fate]);
        fputs(",,,,,,,,,,,,,,,,,", out); /* no run: all cells but the reason are empty */
        put_quoted(out, combination->why);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

static void put_choice(Json *json, const Combination *combination) {
    json_string(json, "formulation", combination->formulation);
    json_string(json, "stepper", combination->stepper);
    json_string(json, "stabiliser", combination->stabiliser);
    json_string(json, "regulariser", combination->regulariser);
    if (combination->laboratory) json_boolean(json, "laboratory", true);
}

static void put_run(Json *json, const MethodRun *method_run) {
    json_open_object(json, NULL, false);
    json_string(json, "status", method_run->done ? "done" : "failed");
    if (method_run->why != NULL) json_string(json, "reason", method_run->why);
    if (method_run->step > 0.0) json_number(json, "step", method_run->step);
    if (!(method_run->step > 0.0)) json_number(json, "rtol", method_run->rtol);
    if (!(method_run->step > 0.0)) json_number(json, "atol", method_run->atol);
    if (method_run->done) {
        json_number(json, "error", method_run->error);
        json_number(json, "drift_position", method_run->drift[0]);
        json_number(json, "drift_velocity", method_run->drift[1]);
        json_number(json, "drift", method_run->drift_share);
        json_number(json, "drift_growth", method_run->growth);
        json_number(json, "energy_drift", method_run->energy);
    }
    json_integer(json, "steps", method_run->work.steps);
    json_integer(json, "rejected", method_run->work.rejected);
    json_integer(json, "rhs", method_run->work.rhs);
    json_integer(json, "factorisations", method_run->work.factorisations);
    json_integer(json, "solves", method_run->work.solves);
    json_number(json, "work", method_run->cost);
    json_number(json, "seconds", method_run->seconds);
    json_close(json);
}

static void put_combination(Json *json, const Combination *combination) {
    json_open_object(json, NULL, true);
    put_choice(json, combination);
    json_string(json, "status", fate_words[combination->fate]);
    if (combination->why[0] != '\0') json_string(json, "reason", combination->why);
    json_number(json, "scale", combination->scale);
    json_open_array(json, "runs", combination->count > 0);
    for (int k = 0; k < combination->count; k++) put_run(json, &combination->runs[k]);
    json_close(json);
    json_close(json);
}

static void put_level(Json *json, const Matrix *matrix, int level) {
    char command[512];
    json_open_object(json, NULL, true);
    json_number(json, "error", matrix->level[level]);
    json_boolean(json, "known", level_is_known(matrix, level));
    json_number(json, "least_work", matrix->least[level]);
    if (matrix->best[level] >= 0) {
        const Combination *combination = &matrix->all[matrix->best[level]];
        methods_command(matrix, combination, level, command, sizeof command);
        json_open_object(json, "recommended", false);
        put_choice(json, combination);
        json_number(json, combination->controlled ? "rtol" : "step", setting_at(combination, level, matrix));
        json_number(json, "work", combination->at[level]);
        json_number(json, "ratio", combination->at[level] / matrix->least[level]);
        json_string(json, "command", command);
        json_close(json);
    } else {
        json_null(json, "recommended");
    }
    json_close(json);
}

void methods_json(FILE *out, const Matrix *matrix) {
    Json json = {.out = out};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(matrix->model));
    json_number(&json, "end", matrix->base.end);
    json_open_object(&json, "reference", false);
    json_string(&json, "runs", matrix->reference.text);
    json_number(&json, "error", matrix->reference.error);
    json_number(&json, "position_size", matrix->reference.size[0]);
    json_number(&json, "velocity_size", matrix->reference.size[1]);
    json_close(&json);
    json_open_object(&json, "cost_seconds", false);
    json_number(&json, "rhs", matrix->costs.rhs);
    json_number(&json, "factorisation", matrix->costs.factorisation);
    json_number(&json, "solve", matrix->costs.solve);
    json_number(&json, "evaluation", matrix->costs.evaluation);
    json_close(&json);
    json_open_array(&json, "errors", true);
    for (int l = 0; l < matrix->levels; l++) put_level(&json, matrix, l);
    json_close(&json);
    if (matrix->overall >= 0) {
        json_open_object(&json, "overall", false);
        put_choice(&json, &matrix->all[matrix->overall]);
        json_number(&json, "worst_ratio", matrix->overall_worst);
        json_close(&json);
    } else {
        json_null(&json, "overall");
    }
    json_open_array(&json, "combinations", true);
    for (int i = 0; i < matrix->count; i++) put_combination(&json, &matrix->all[i]);
    json_close(&json);
    json_number(&json, "seconds", wall_seconds() - matrix->began);
    json_close(&json);
}
