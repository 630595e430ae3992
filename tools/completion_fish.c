/* Completion for fish from the same tables as the help: one `complete` a verb, an option, a list of operands. */
#include "command.h"

#include <string.h>

/* In single quotes fish takes a backslash and a quote for its own. */
static void put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void put_words(FILE *out, const char *(*word)(int i)) {
    fputs(" -a '", out);
    for (int i = 0; word(i) != NULL; i++) fprintf(out, "%s%s", i == 0 ? "" : " ", word(i));
    fputc('\'', out);
}

static void put_option(FILE *out, const Verb *verb, const Option *option) {
    fprintf(out, "complete -c cardan -n '__cardan_verb %s' -l %s", verb->name, option->name);
    if (option->letter != 0) fprintf(out, " -s %c", option->letter);
    if (option->value != NULL) fputs(strncmp(option->value, "FILE", 4) == 0 ? " -r -F" : " -x", out);
    if (option->word != NULL) put_words(out, option->word);
    fputs(" -d ", out);
    put_quoted(out, option->help);
    fputc('\n', out);
}

static void put_verb(FILE *out, const Verb *verb) {
    fprintf(out, "complete -c cardan -n __cardan_first -a %s -d ", verb->name);
    put_quoted(out, verb->summary);
    fputc('\n', out);
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++)
        if (option->help != NULL) put_option(out, verb, option);
    fprintf(out, "complete -c cardan -n '__cardan_verb %s' -l help -d 'what this verb does'\n", verb->name);
    if (verb->operands_max == 0) return;
    fprintf(out, "complete -c cardan -n '__cardan_verb %s'", verb->name);
    if (verb->word != NULL)
        put_words(out, verb->word);
    else
        fputs(" -F", out);
    fputc('\n', out);
}

void completion_fish(FILE *out) {
    fputs("# fish completion for cardan; use: cardan completion fish | source\n"
          "function __cardan_first\n"
          "    test (count (commandline -opc)) -eq 1\n"
          "end\n"
          "function __cardan_verb\n"
          "    set -l words (commandline -opc)\n"
          "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
          "end\n"
          "complete -c cardan -f\n"
          "complete -c cardan -n __cardan_first -l help -d 'what there is'\n"
          "complete -c cardan -n __cardan_first -l version -d 'which version this is'\n",
          out);
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if ((*v)->summary != NULL) put_verb(out, *v);
}
