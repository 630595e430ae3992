/* Reading the words after the verb by the verb's option table: --name VALUE, --name=VALUE, -o VALUE, -oVALUE, --. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

static const Option help_option = {.name = "help", .letter = 'h', .key = -1};

static const Option *find_by_name(const Verb *verb, const char *name, size_t length) {
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) return option;
    return length == 4 && strncmp(name, "help", 4) == 0 ? &help_option : NULL;
}

static const Option *find_by_letter(const Verb *verb, char letter) {
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++)
        if (option->letter != 0 && option->letter == letter) return option;
    return letter == 'h' ? &help_option : NULL;
}

static int unknown_option(const Verb *verb, const char *word, size_t length) {
    const char *best = NULL;
    char name[64];
    int distance = 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word + 2);
    for (const Option *option = verb->options; word[1] == '-' && option != NULL && option->name != NULL; option++)
        if (option->help != NULL) suggest_consider(name, option->name, &best, &distance);
    if (best != NULL)
        complain("%s: unknown option '%s'; did you mean '--%s'?", verb->name, word, best);
    else
        complain("%s: unknown option '%s'; 'cardan help %s' lists what there is", verb->name, word, verb->name);
    return STATUS_USAGE;
}

/* One option at words[*i]; *i moves to the last word it took. */
static int read_option(Arguments *arguments, int count, char **words, int *i, bool *help) {
    const Verb *verb = arguments->verb;
    const char *word = words[*i], *value = NULL;
    const Option *option = NULL;
    if (word[1] == '-') {
        const char *equals = strchr(word, '=');
        size_t length = equals != NULL ? (size_t)(equals - word) - 2 : strlen(word) - 2;
        value = equals != NULL ? equals + 1 : NULL;
        option = find_by_name(verb, word + 2, length);
        if (option == NULL) return unknown_option(verb, word, length);
    } else {
        option = find_by_letter(verb, word[1]);
        if (option == NULL) return unknown_option(verb, word, 0);
        value = word[2] != '\0' ? word + 2 : NULL;
    }
    if (option == &help_option) {
        *help = true;
        return STATUS_DONE;
    }
    if (option->help == NULL) {
        complain("%s: option '--%s' is not in this version", verb->name, option->name);
        return STATUS_USAGE;
    }
    if (option->value == NULL && value != NULL) {
        complain("%s: option '--%s' takes no value", verb->name, option->name);
        return STATUS_USAGE;
    }
    if (option->value != NULL && value == NULL) {
        if (*i + 1 >= count) {
            complain("%s: option '%s' needs a value: %s", verb->name, word, option->value);
            return STATUS_USAGE;
        }
        value = words[++*i];
    }
    arguments->given[arguments->given_count++] = (Given){.option = option, .value = value};
    return STATUS_DONE;
}

static int check_operands(const Arguments *arguments) {
    const Verb *verb = arguments->verb;
    if (arguments->operand_count < verb->operands_min) {
        complain("%s: %s missing; usage: cardan %s %s", verb->name,
                 arguments->operand_count == 0 ? verb->operands : "an operand is", verb->name, verb->operands);
        return STATUS_USAGE;
    }
    if (arguments->operand_count > verb->operands_max) {
        complain("%s: too many operands: '%s'; usage: cardan %s%s%s", verb->name,
                 arguments->operands[verb->operands_max], verb->name, verb->operands[0] != '\0' ? " " : "",
                 verb->operands);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

int arguments_read(Arguments *arguments, const Verb *verb, int count, char **words, bool *help) {
    *arguments = (Arguments){.verb = verb};
    arguments->given = calloc((size_t)count + 1, sizeof *arguments->given);
    arguments->operands = calloc((size_t)count + 1, sizeof *arguments->operands);
    if (arguments->given == NULL || arguments->operands == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    bool only_operands = false;
    for (int i = 0; i < count; i++) {
        if (only_operands || words[i][0] != '-' || words[i][1] == '\0') {
            arguments->operands[arguments->operand_count++] = words[i];
        } else if (strcmp(words[i], "--") == 0) {
            only_operands = true;
        } else {
            int status = read_option(arguments, count, words, &i, help);
            if (status != STATUS_DONE) return status;
        }
    }
    return *help ? STATUS_DONE : check_operands(arguments);
}

void arguments_free(Arguments *arguments) {
    free(arguments->given);
    free(arguments->operands);
    *arguments = (Arguments){0};
}

const char *arguments_value(const Arguments *arguments, int key) {
    for (int i = arguments->given_count - 1; i >= 0; i--)
        if (arguments->given[i].option->key == key) return arguments->given[i].value;
    return NULL;
}

bool arguments_has(const Arguments *arguments, int key) {
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option->key == key) return true;
    return false;
}
