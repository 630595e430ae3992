/* The command `cardan`: finds the verb, reads its options, hands over. */
#include "command.h"

#include <string.h>

#include "blas_threads.h"

static int unknown_verb(const char *name) {
    const char *best = NULL;
    int distance = 0;
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if ((*v)->summary != NULL) suggest_consider(name, (*v)->name, &best, &distance);
    if (name[0] == '-')
        complain("unknown option '%s'; 'cardan help' lists what there is", name);
    else if (best != NULL)
        complain("unknown verb '%s'; did you mean '%s'?", name, best);
    else
        complain("unknown verb '%s'; 'cardan help' lists what there is", name);
    return STATUS_USAGE;
}

/* cardan --help and cardan --version are the verbs of those names. */
static const char *verb_name(const char *word) {
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return "help";
    return strcmp(word, "--version") == 0 ? "version" : word;
}

int main(int count, char **words) {
    if (count < 2) {
        help_overview(stdout);
        return finish_stdout();
    }
    const Verb *verb = verb_find(verb_name(words[1]));
    if (verb == NULL) return unknown_verb(words[1]);
    if (verb->summary == NULL) {
        complain("the verb '%s' is not in this version", verb->name);
        return STATUS_USAGE;
    }
    blas_use_one_thread();

    Arguments arguments;
    bool help = false;
    int status = arguments_read(&arguments, verb, count - 2, words + 2, &help);
    if (status == STATUS_DONE && help) {
        help_verb(stdout, verb);
        status = finish_stdout();
    } else if (status == STATUS_DONE) {
        status = verb->run(&arguments);
    }
    arguments_free(&arguments);
    return status;
}
