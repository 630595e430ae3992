/* Shell completion from the same tables as the help: for bash here, for others in files of their own. */
#include "verbs.h"

#include <string.h>

static void put_words(FILE *out, const char *(*word)(int i)) {
    for (int i = 0; word(i) != NULL; i++) fprintf(out, "%s%s", i == 0 ? "" : " ", word(i));
}

/* Values of options: a case per option that has a list of words or takes a file. */
static void put_values(FILE *out, const Verb *verb) {
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++) {
        if (option->help == NULL || option->value == NULL) continue;
        fprintf(out, "        %s:--%s", verb->name, option->name);
        if (option->letter != 0) fprintf(out, "|%s:-%c", verb->name, option->letter);
        fputs(") ", out);
        if (option->word != NULL) {
            fputs("COMPREPLY=($(compgen -W '", out);
            put_words(out, option->word);
            fputs("' -- \"$word\")); return ;;\n", out);
        } else if (strncmp(option->value, "FILE", 4) == 0) {
            fputs("COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", out);
        } else {
            fputs("return ;;\n", out);
        }
    }
}

static void put_verb(FILE *out, const Verb *verb) {
    fprintf(out, "        %s) words='", verb->name);
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++)
        if (option->help != NULL) fprintf(out, "--%s ", option->name);
    fputs("--help'", out);
    if (verb->word != NULL) {
        fputs("; operands='", out);
        put_words(out, verb->word);
        fputs("'", out);
    } else if (verb->operands_max > 0) {
        fputs("; files=1", out);
    }
    fputs(" ;;\n", out);
}

void completion_bash(FILE *out) {
    fputs("# bash completion for cardan; use: source <(cardan completion bash)\n"
          "_cardan() {\n"
          "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" "
          "verb=\"${COMP_WORDS[1]}\"\n"
          "    local words='' operands='' files=0\n"
          "    COMPREPLY=()\n"
          "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if ((*v)->summary != NULL) fprintf(out, "%s ", (*v)->name);
    fputs("--help --version' -- \"$word\")); return\n    fi\n    case \"$verb:$before\" in\n", out);
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if ((*v)->summary != NULL) put_values(out, *v);
    fputs("    esac\n    case \"$verb\" in\n", out);
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if ((*v)->summary != NULL) put_verb(out, *v);
    fputs("    esac\n"
          "    if [[ \"$word\" == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    elif [[ -n \"$operands\" ]]; then COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
          "    elif [[ $files -eq 1 ]]; then COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
          "}\n"
          "complete -o filenames -F _cardan cardan\n",
          out);
}

static const struct {
    const char *name;
    void (*print)(FILE *out);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

enum { SHELLS = sizeof shells / sizeof *shells };

static const char *shell_word(int i) {
    return i < SHELLS ? shells[i].name : NULL;
}

static int run_completion(const Arguments *arguments) {
    const char *shell = arguments->operands[0];
    for (int i = 0; i < SHELLS; i++) {
        if (strcmp(shells[i].name, shell) != 0) continue;
        shells[i].print(stdout);
        return finish_stdout();
    }
    complain("completion: there is none for '%s' in this version; there is one for bash, zsh and fish", shell);
    return STATUS_USAGE;
}

const Verb verb_completion = {
    .name = "completion",
    .operands = "SHELL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "print shell completion (bash, zsh, fish)",
    .text = "Prints a script that completes verbs, options and their values. `meson install` puts those of the three "
            "shells where they look for them.",
    .examples = "source <(cardan completion bash)\nsource <(cardan completion zsh)\ncardan completion fish | source",
    .word = shell_word,
    .run = run_completion,
};
