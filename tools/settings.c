/* Options of a simulation given as words. */
#include "settings.h"

#include <string.h>

enum { SENTENCE_SIZE = 1024, TEXT_SIZE = 256 };

int setting_apply(CardanOptions *opt, const Arguments *arguments, const Option *option, const char *name,
                  const char *text) {
    char sentence[SENTENCE_SIZE] = "";
    if (cardan_options_set(opt, name, text, sentence, sizeof sentence) >= 0) return STATUS_DONE;
    complain("%s: --%s: %s", arguments->verb->name, option->name, sentence);
    return STATUS_USAGE;
}

int setting_section(CardanOptions *opt, const Arguments *arguments, const Option *option, const char *section,
                    const char *value) {
    char text[TEXT_SIZE], name[TEXT_SIZE + 16];
    if ((size_t)snprintf(text, sizeof text, "%s", value) >= sizeof text) {
        complain("%s: --%s: the value is too long", arguments->verb->name, option->name);
        return STATUS_USAGE;
    }
    char *rest = text, *part = text;
    int status = STATUS_DONE;
    for (bool first = true; rest != NULL && status == STATUS_DONE; first = false) {
        part = rest;
        rest = strchr(part, ',');
        if (rest != NULL) *rest++ = '\0';
        char *mark = strchr(part, first ? ':' : '=');
        if (mark != NULL) *mark++ = '\0';
        if (first) {
            snprintf(name, sizeof name, "%s.method", section);
            status = setting_apply(opt, arguments, option, name, part);
            snprintf(name, sizeof name, "%s.passes", section);
            if (status == STATUS_DONE && mark != NULL) status = setting_apply(opt, arguments, option, name, mark);
        } else if (mark != NULL) {
            snprintf(name, sizeof name, "%s.%s", section, part);
            status = setting_apply(opt, arguments, option, name, mark);
        } else {
            complain("%s: --%s: expected KEY=VALUE in place of '%s'", arguments->verb->name, option->name, part);
            status = STATUS_USAGE;
        }
    }
    return status;
}

const char *word_formulation(int i) {
    return cardan_options_word("formulation", i);
}

const char *word_regularise(int i) {
    return cardan_options_word("regularise.method", i);
}

const char *word_coordinates(int i) {
    return cardan_options_word("coordinates", i);
}

const char *word_solver(int i) {
    return cardan_options_word("solver", i);
}

const char *word_stabilise(int i) {
    return cardan_options_word("stabilise.method", i);
}

const char *word_stepper(int i) {
    return cardan_options_word("stepper", i);
}
