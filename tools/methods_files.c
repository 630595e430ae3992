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

void methods_command(const Matrix *m, const Combination *c, int level, char *text, size_t size) {
    double x = rounded_down(setting_at(c, level, m)), ratio = m->base.rtol > 0.0 ? m->base.atol / m->base.rtol : 0.01;
    snprintf(text, size, "cardan run %s --stepper %s", m->path, c->stepper);
    size_t n = strlen(text);
    if (c->controlled)
        snprintf(text + n, size - n, " --rtol %.0e --atol %.0e", x, ratio * x);
    else
        snprintf(text + n, size - n, " --step %.0e", x);
    put_word(text, size, "stabilise", c->stabiliser);
    if (strcmp(c->regulariser, "auto") != 0) put_word(text, size, "regularise", c->regulariser);
    if (strcmp(c->formulation, "index1") != 0) put_word(text, size, "formulation", c->formulation);
    for (int i = 0; i < m->arguments->given_count; i++) { /* what makes it the same problem */
        const Given *given = &m->arguments->given[i];
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

static void put_labels(FILE *out, const Combination *c, const char *status) {
    fprintf(out, "%s,%s,%s,%s,%s", c->formulation, c->stepper, c->stabiliser, c->regulariser, status);
}

static void put_row(FILE *out, const Combination *c, const MethodRun *r) {
    put_labels(out, c, r->done ? "done" : "failed");
    put_cell(out, r->step > 0.0 ? r->step : (double)NAN);
    put_cell(out, r->step > 0.0 ? (double)NAN : r->rtol);
    put_cell(out, r->step > 0.0 ? (double)NAN : r->atol);
    const double numbers[] = {r->error, r->drift[0], r->drift[1], r->drift_share, r->growth, r->energy};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put_cell(out, r->done ? numbers[i] : (double)NAN);
    fprintf(out, ",%ld,%ld,%ld,%ld,%ld", r->work.steps, r->work.rejected, r->work.rhs, r->work.factorisations,
            r->work.solves);
    put_cell(out, r->cost);
    put_cell(out, r->seconds);
    fputc(',', out);
    if (r->why != NULL) put_quoted(out, r->why);
    fputc('\n', out);
}

void methods_csv(FILE *out, const Matrix *m) {
    fputs("formulation,stepper,stabiliser,regulariser,status,step,rtol,atol,error,drift_position,drift_velocity,drift,"
          "drift_growth,energy_drift,steps,rejected,rhs,factorisations,solves,work,seconds,reason\n",
          out);
    for (int i = 0; i < m->count; i++) {
        const Combination *c = &m->all[i];
        for (int k = 0; k < c->count; k++) put_row(out, c, &c->runs[k]);
        if (c->fate == FATE_COMPLETE) continue;
        put_labels(out, c, fate_words[c->fate]);
        fputs(",,,,,,,,,,,,,,,,,", out); /* no run: all cells but the reason are empty */
        put_quoted(out, c->why);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

static void put_choice(Json *json, const Combination *c) {
    json_string(json, "formulation", c->formulation);
    json_string(json, "stepper", c->stepper);
    json_string(json, "stabiliser", c->stabiliser);
    json_string(json, "regulariser", c->regulariser);
    if (c->laboratory) json_boolean(json, "laboratory", true);
}

static void put_run(Json *json, const MethodRun *r) {
    json_open_object(json, NULL, false);
    json_string(json, "status", r->done ? "done" : "failed");
    if (r->why != NULL) json_string(json, "reason", r->why);
    if (r->step > 0.0) json_number(json, "step", r->step);
    if (!(r->step > 0.0)) json_number(json, "rtol", r->rtol);
    if (!(r->step > 0.0)) json_number(json, "atol", r->atol);
    if (r->done) {
        json_number(json, "error", r->error);
        json_number(json, "drift_position", r->drift[0]);
        json_number(json, "drift_velocity", r->drift[1]);
        json_number(json, "drift", r->drift_share);
        json_number(json, "drift_growth", r->growth);
        json_number(json, "energy_drift", r->energy);
    }
    json_integer(json, "steps", r->work.steps);
    json_integer(json, "rejected", r->work.rejected);
    json_integer(json, "rhs", r->work.rhs);
    json_integer(json, "factorisations", r->work.factorisations);
    json_integer(json, "solves", r->work.solves);
    json_number(json, "work", r->cost);
    json_number(json, "seconds", r->seconds);
    json_close(json);
}

static void put_combination(Json *json, const Combination *c) {
    json_open_object(json, NULL, true);
    put_choice(json, c);
    json_string(json, "status", fate_words[c->fate]);
    if (c->why[0] != '\0') json_string(json, "reason", c->why);
    json_number(json, "scale", c->scale);
    json_open_array(json, "runs", c->count > 0);
    for (int k = 0; k < c->count; k++) put_run(json, &c->runs[k]);
    json_close(json);
    json_close(json);
}

static void put_level(Json *json, const Matrix *m, int level) {
    char command[512];
    json_open_object(json, NULL, true);
    json_number(json, "error", m->level[level]);
    json_boolean(json, "known", level_is_known(m, level));
    json_number(json, "least_work", m->least[level]);
    if (m->best[level] >= 0) {
        const Combination *c = &m->all[m->best[level]];
        methods_command(m, c, level, command, sizeof command);
        json_open_object(json, "recommended", false);
        put_choice(json, c);
        json_number(json, c->controlled ? "rtol" : "step", setting_at(c, level, m));
        json_number(json, "work", c->at[level]);
        json_number(json, "ratio", c->at[level] / m->least[level]);
        json_string(json, "command", command);
        json_close(json);
    } else {
        json_null(json, "recommended");
    }
    json_close(json);
}

void methods_json(FILE *out, const Matrix *m) {
    Json json = {.out = out};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(m->model));
    json_number(&json, "end", m->base.end);
    json_open_object(&json, "reference", false);
    json_string(&json, "runs", m->reference.text);
    json_number(&json, "error", m->reference.error);
    json_number(&json, "position_size", m->reference.size[0]);
    json_number(&json, "velocity_size", m->reference.size[1]);
    json_close(&json);
    json_open_object(&json, "cost_seconds", false);
    json_number(&json, "rhs", m->costs.rhs);
    json_number(&json, "factorisation", m->costs.factorisation);
    json_number(&json, "solve", m->costs.solve);
    json_number(&json, "evaluation", m->costs.evaluation);
    json_close(&json);
    json_open_array(&json, "errors", true);
    for (int l = 0; l < m->levels; l++) put_level(&json, m, l);
    json_close(&json);
    if (m->overall >= 0) {
        json_open_object(&json, "overall", false);
        put_choice(&json, &m->all[m->overall]);
        json_number(&json, "worst_ratio", m->overall_worst);
        json_close(&json);
    } else {
        json_null(&json, "overall");
    }
    json_open_array(&json, "combinations", true);
    for (int i = 0; i < m->count; i++) put_combination(&json, &m->all[i]);
    json_close(&json);
    json_number(&json, "seconds", wall_seconds() - m->began);
    json_close(&json);
}
