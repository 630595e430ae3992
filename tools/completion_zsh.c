/* Completion for zsh from the same tables as the help: verbs by _describe, options and operands by _arguments. */
#include "command.h"

#include <string.h>

/* Inside single quotes; what _arguments takes for its own, brackets and colons, stands behind a backslash. */
static void put_plain(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (strchr("[]:\\", *text) != NULL) fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_words(FILE *out, const char *(*word)(int i)) {
    fputc('(', out);
    for (int i = 0; word(i) != NULL; i++) fprintf(out, "%s%s", i == 0 ? "" : " ", word(i));
    fputc(')', out);
}

/* Any option may be given again, the last one counts; --set adds up. */
static void put_spec(FILE *out, const Option *option, const char *dashes, const char *name) {
    fprintf(out, " \\\n                '*%s%s[", dashes, name);
    put_plain(out, option->help);
    fputc(']', out);
    if (option->value != NULL) {
        fputc(':', out);
        put_plain(out, option->value);
        fputc(':', out);
        if (option->word != NULL)
            put_words(out, option->word);
        else if (strncmp(option->value, "FILE", 4) == 0)
            fputs("_files", out);
    }
    fputc('\'', out);
}

static void put_verb(FILE *out, const Verb *verb) {
    fprintf(out, "        %s)\n            _arguments", verb->name);
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++) {
        const char letter[2] = {option->letter, '\0'};
        if (option->help == NULL) continue;
        put_spec(out, option, "--", option->name);
        if (option->letter != 0) put_spec(out, option, "-", letter);
    }
    fputs(" \\\n                '--help[what this verb does]'", out);
    if (verb->operands_max > 0) {
        fputs(" \\\n                '*:", out);
        put_plain(out, verb->operands);
        fputc(':', out);
        if (verb->word != NULL)
            put_words(out, verb->word);
        else
            fputs("_files", out);
        fputc('\'', out);
    }
    fputs("\n            ;;\n", out);
}

void completion_zsh(FILE *out) {
    fputs("#compdef cardan\n"
          "# zsh completion for cardan; use: source <(cardan completion zsh), or as _cardan in a folder of fpath\n"
          "_cardan() {\n"
          "    local -a verbs=(\n",
          out);
    for (const Verb *const *v = verbs; *v != NULL; v++) {
        if ((*v)->summary == NULL) continue;
        fprintf(out, "        '%s:", (*v)->name);
        put_plain(out, (*v)->summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe verb verbs\n"
          "        _arguments '--help[what there is]' '--version[which version this is]'\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case \"$words[1]\" in\n",
          out);
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if ((*v)->summary != NULL) put_verb(out, *v);
    fputs("    esac\n"
          "}\n"
          "if [[ \"$funcstack[1]\" == _cardan ]]; then _cardan \"$@\"; else compdef _cardan cardan; fi\n",
          out);
}
