/* Manual pages in roff (the man macros), from the same tables as the help. */
#include "command.h"

#include <ctype.h>

/* Text with what roff would take as its own made plain. */
static void put_roff(FILE *out, const char *text) {
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

/* Paragraphs are parted by empty lines. */
static void put_paragraphs(FILE *out, const char *text) {
    for (const char *p = text; *p != '\0'; p++) {
        if (p[0] == '\n' && p[1] == '\n') {
            fputs("\n.PP\n", out);
            p++;
        } else {
            char one[2] = {*p, '\0'};
            put_roff(out, one);
        }
    }
    fputc('\n', out);
}

static void put_head(FILE *out, const char *name, const char *summary) {
    fputs(".TH CARDAN", out);
    if (name != NULL) {
        fputs("\\-", out);
        for (const char *c = name; *c != '\0'; c++) fputc(toupper((unsigned char)*c), out);
    }
    fprintf(out, " 1 \"\" \"cardan %s\" \"Cardan\"\n.SH NAME\ncardan%s%s \\- ", cardan_version_text(),
            name != NULL ? "\\-" : "", name != NULL ? name : "");
    put_roff(out, summary);
    fputc('\n', out);
}

static void put_status(FILE *out) {
    fputs(".SH EXIT STATUS\n0 done, 1 internal fault, 2 usage, 3 the model is invalid, 4 the simulation could not go "
          "on, 5 input/output, 6 a limit was reached, 130 or 143 interrupted.\n",
          out);
}

static void put_option(FILE *out, const Option *option) {
    fputs(".TP\n.B ", out);
    if (option->letter != 0) fprintf(out, "\\-%c, ", option->letter);
    fputs("\\-\\-", out);
    put_roff(out, option->name);
    if (option->value != NULL) {
        fputc(' ', out);
        put_roff(out, option->value);
    }
    fputc('\n', out);
    put_roff(out, option->help);
    for (int i = 0; option->word != NULL && option->word(i) != NULL; i++)
        fprintf(out, "%s%s", i == 0 ? " (" : ", ", option->word(i));
    fputs(option->word != NULL ? ").\n" : ".\n", out);
}

void manual_verb(FILE *out, const Verb *verb) {
    bool options = verb->options != NULL && verb->options->name != NULL;
    put_head(out, verb->name, verb->summary);
    fprintf(out, ".SH SYNOPSIS\n.B cardan %s\n", verb->name);
    put_roff(out, verb->operands);
    fputs(options ? " [OPTION]...\n" : "\n", out);
    fputs(".SH DESCRIPTION\n", out);
    put_paragraphs(out, verb->text != NULL ? verb->text : verb->summary);
    if (options) fputs(".SH OPTIONS\n", out);
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++)
        if (option->help != NULL) put_option(out, option);
    if (verb->examples != NULL) {
        fputs(".SH EXAMPLES\n.nf\n", out);
        put_roff(out, verb->examples);
        fputs("\n.fi\n", out);
    }
    put_status(out);
    fputs(".SH SEE ALSO\n.BR cardan (1)\n", out);
}

void manual_overview(FILE *out) {
    put_head(out, NULL, "multibody dynamics of constrained mechanical systems");
    fputs(".SH SYNOPSIS\n.B cardan\nVERB [OPERAND]... [OPTION]...\n.SH DESCRIPTION\n"
          "Simulates mechanisms described in model files.\n.SH VERBS\n",
          out);
    for (const Verb *const *v = verbs; *v != NULL; v++) {
        if ((*v)->summary == NULL) continue;
        fprintf(out, ".TP\n.B %s\n", (*v)->name);
        put_roff(out, (*v)->summary);
        fputs(".\n", out);
    }
    put_status(out);
}
