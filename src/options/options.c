/* Defaults, and options set by name from text. */
#include "options/options.h"

#include "core/cookie.h"
#include "core/text.h"
#include "options/table.h"

#include <stdio.h>
#include <string.h>

/* Relative tolerance of the error control when none is given: graphs look exact. The absolute one follows the model
 * (project/tolerance.h). */
#define CRD_DEFAULT_RELATIVE 1e-6

/* Of galpha: a hundred steps leave 2e-10 of what is too fast for them. */
#define CRD_DEFAULT_RHO 0.8

/* Coordinates with 5 and more digits leave less than this; a chain of 300 links, the worst of regular mechanisms, has
 * 100 times as much (RANK_AND_BRANCH 1.3). */
#define CRD_DEFAULT_REDUNDANCY 1e-5

CardanOptions cardan_default_options(void) {
    CardanOptions o = {.internal = CRD_COOKIE,
                       .rtol = CRD_DEFAULT_RELATIVE,
                       .stepper = CARDAN_STEPPER_DOP853,
                       .rho = CRD_DEFAULT_RHO,
                       .solver = CARDAN_SOLVER_AUTO,
                       .redundancy = CRD_DEFAULT_REDUNDANCY};
    o.stabilise.passes = 2;
    o.stabilise.freeze = 1;
    o.stabilise.index = 2;
    return o;
}

CardanStatus crd_options_made(const CardanOptions *options, CrdError *error) {
    if (options != NULL && options->internal == CRD_COOKIE) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "options %s",
                    options == NULL ? "is NULL" : "were not made by cardan_default_options()");
}

CardanOptions crd_options_resolved(const CardanOptions *options) {
    CardanOptions o = *options;
    if (o.stabilise.method == CARDAN_STABILISE_BAUMGARTE && o.stabilise.alpha == 0.0 && o.stabilise.beta == 0.0) {
        o.stabilise.alpha = 20.0; /* 2 w and w^2 with w = 10 1/s */
        o.stabilise.beta = 100.0;
    }
    return o;
}

static CardanStatus choose(const CrdOption *option, const char *text, double *value, CrdError *error) {
    char list[256];
    const char *words[CRD_WORDS_MAX];
    int count = crd_option_words(option, words);
    size_t length = strlen(text);
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], text) != 0) continue;
        *value = i;
        return CARDAN_OK;
    }
    crd_word_list(words, count, list, sizeof list);
    for (int i = 0; option->later != NULL && option->later[i] != NULL; i++) {
        if (strcmp(option->later[i], text) != 0) continue;
        return crd_fail(error, CARDAN_ERR_MODEL, "%s '%s' is not in this version; there are: %s", option->what, text,
                        list);
    }
    const char *near = crd_nearest_name(text, length, words, count);
    if (near != NULL) {
        return crd_fail(error, CARDAN_ERR_MODEL, "unknown %s '%s'; did you mean '%s'?", option->what,
                        crd_shown(text, length).text, near);
    }
    return crd_fail(error, CARDAN_ERR_MODEL, "unknown %s '%s'; there are: %s", option->what,
                    crd_shown(text, length).text, list);
}

static CardanStatus scan(const CrdOption *option, const char *text, double *value, CrdError *error) {
    size_t length = strlen(text), used = 0;
    bool good = crd_scan_number(text, length, value, &used);
    if (good && used == length) return crd_option_range(option, *value, error);
    return crd_fail(error, CARDAN_ERR_MODEL, "%s: expected a number, found '%s'", option->name,
                    crd_shown(text, length).text);
}

static void store(CardanOptions *options, const CrdOption *option, double value) {
    unsigned char *to = (unsigned char *)options + option->offset;
    if (option->kind == CRD_OPTION_NUMBER) {
        memcpy(to, &value, sizeof value);
        return;
    }
    long count = (long)value; /* in range: the table bounds it */
    int word = option->size == sizeof word ? (int)value : 0;
    memcpy(to, option->size == sizeof word ? (const void *)&word : (const void *)&count, option->size);
}

static CardanStatus set_option(CardanOptions *options, const char *name, const char *text, CrdError *error) {
    const CrdOption *option = crd_option_find(name);
    double value = 0.0;
    if (option == NULL) {
        const char *near = crd_option_nearest(name);
        return crd_fail(error, CARDAN_ERR_MODEL, "unknown option '%s'%s", crd_shown_text(name).text,
                        crd_did_you_mean(near).text);
    }
    CRD_TRY(option->kind == CRD_OPTION_WORD ? choose(option, text, &value, error) : scan(option, text, &value, error));
    store(options, option, value);
    return CARDAN_OK;
}

CardanStatus crd_option_report(const CrdError *error, CardanStatus status, char *message, size_t size) {
    if (message != NULL && size > 0) snprintf(message, size, "%s", status < 0 ? error->text : "");
    return status;
}

CardanStatus cardan_options_set(CardanOptions *options, const char *name, const char *text, char *message,
                                size_t size) {
    CrdError error = {0};
    CardanStatus status = crd_options_made(options, &error);
    if (status >= 0)
        status = name == NULL || text == NULL ? crd_fail(&error, CARDAN_ERR_ARGUMENT, "name or text is NULL")
                                              : set_option(options, name, text, &error);
    return crd_option_report(&error, status, message, size);
}
