#include "about.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

int about_failed(const About *about, const Arguments *arguments, CardanStatus status) {
    complain_refusal(arguments->verb, arguments->operands[0], exit_status(status), cardan_sim_message(about->sim));
    return exit_status(status);
}

int about_open(About *about, const Arguments *arguments, int set_key, int at_key) {
    const char *at = arguments_value(arguments, at_key);
    double t = 0.0;
    *about = (About){0};
    if (at != NULL && (!parse_number(at, &t) || t < 0.0)) {
        complain("%s: --at wants a time in seconds, not '%s'", arguments->verb->name, at);
        return STATUS_USAGE;
    }
    int status = load_model(arguments->operands[0], arguments, set_key, &about->model);
    if (status != STATUS_DONE) return status;
    CardanStatus st = cardan_sim_create(about->model, NULL, &about->sim);
    if (st >= 0 && t > 0.0) st = cardan_sim_advance(about->sim, t);
    return st < 0 ? about_failed(about, arguments, st) : STATUS_DONE;
}

void about_close(About *about) {
    cardan_sim_destroy(about->sim);
    cardan_model_release(about->model);
}

/* ---- lists ---- */

static bool add_name(Names *names, const char *word, size_t length) {
    char **longer = realloc(names->name, ((size_t)names->count + 1) * sizeof *longer);
    char *copy = malloc(length + 1);
    if (longer != NULL) names->name = longer;
    if (longer == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    memcpy(copy, word, length);
    copy[length] = '\0';
    names->name[names->count++] = copy;
    return true;
}

int names_read(Names *names, const Arguments *arguments, int key) {
    *names = (Names){0};
    for (int i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option->key != key) continue;
        for (const char *at = arguments->given[i].value; *at != '\0';) {
            size_t length = strcspn(at, ",");
            if (length > 0 && !add_name(names, at, length)) {
                complain("out of memory");
                return STATUS_FAULT;
            }
            at += length + (at[length] == ',');
        }
    }
    return STATUS_DONE;
}

void names_free(Names *names) {
    for (int i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
}
