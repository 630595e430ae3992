/* `cardan`, `cardan help [VERB|TOPIC]`, `cardan VERB --help`, `cardan version`: from the tables. */
#include "verbs.h"

#include <string.h>

enum { WIDTH = 100, OPTION_COLUMN = 30, TOPIC_COLUMN = 22 }; /* characters */

static void put_spaces(FILE *out, int n) {
    for (int i = 0; i < n; i++) fputc(' ', out);
}

/* Text in lines of at most WIDTH characters, indented; starts in the given column. A newline starts a new line. */
static void put_wrapped(FILE *out, const char *text, int column, int indent) {
    bool fresh = true; /* at the start of a line: no space before the word */
    while (*text != '\0') {
        if (*text == '\n') {
            fputc('\n', out);
            text++;
            column = 0;
            fresh = true;
            continue;
        }
        size_t word = strcspn(text, " \n");
        if (!fresh && column + 1 + (int)word > WIDTH) {
            fputc('\n', out);
            column = 0;
            fresh = true;
        }
        if (column < indent) {
            put_spaces(out, indent - column);
            column = indent;
        } else if (!fresh) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, word, out);
        column += (int)word;
        fresh = false;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void put_option(FILE *out, const Option *option) {
    char head[128];
    int n = snprintf(head, sizeof head, "  %c%c%s --%s%s%s", option->letter != 0 ? '-' : ' ',
                     option->letter != 0 ? option->letter : ' ', option->letter != 0 ? "," : " ", option->name,
                     option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
    fputs(head, out);
    if (n >= OPTION_COLUMN) {
        fputc('\n', out);
        n = 0;
    }
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", option->help);
    for (int i = 0; option->word != NULL && option->word(i) != NULL && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? " (" : ", ", option->word(i));
    if (option->word != NULL && used < sizeof text) snprintf(text + used, sizeof text - used, ")");
    put_wrapped(out, text, n, OPTION_COLUMN);
}

void help_verb(FILE *out, const Verb *verb) {
    bool options = verb->options != NULL && verb->options->name != NULL;
    fprintf(out, "usage: cardan %s%s%s%s\n\n", verb->name, verb->operands[0] != '\0' ? " " : "", verb->operands,
            options ? " [OPTION]..." : "");
    if (verb->text != NULL) put_wrapped(out, verb->text, 0, 0);
    if (options) fputs("\noptions:\n", out);
    for (const Option *option = verb->options; option != NULL && option->name != NULL; option++)
        if (option->help != NULL) put_option(out, option);
    if (verb->examples != NULL) {
        fputs("\nexamples:\n", out);
        put_wrapped(out, verb->examples, 0, 2);
    }
}

void help_overview(FILE *out) {
    fprintf(out,
            "cardan %s: multibody dynamics of constrained mechanical systems\n\n"
            "usage: cardan VERB [OPERAND]... [OPTION]...\n\nverbs:\n",
            cardan_version_text());
    for (const Verb *const *v = verbs; *v != NULL; v++) {
        if ((*v)->summary == NULL) continue;
        int n = fprintf(out, "  %s %s", (*v)->name, (*v)->operands);
        put_wrapped(out, (*v)->summary, n, OPTION_COLUMN);
    }
    fputs("\n'cardan help VERB' says more; 'cardan help steppers' what each one is, and so for formulations,\n"
          "stabilisers, regularisers and solvers.\n"
          "Exit status: 0 done, 1 internal fault, 2 usage, 3 the model is invalid, 4 the simulation could not go on,\n"
          "5 input/output, 6 a limit was reached, 130/143 interrupted.\n",
          out);
}

/* Used also by `cardan man`: a verb that exists, or NULL with a complaint. */
static const Verb *known_verb(const char *asking, const char *name) {
    const Verb *verb = verb_find(name);
    if (verb != NULL && verb->summary != NULL) return verb;
    if (verb != NULL)
        complain("%s: the verb '%s' is not in this version", asking, name);
    else
        complain("%s: unknown verb '%s'; 'cardan help' lists what there is", asking, name);
    return NULL;
}

/* ---- topics: the words of an option, each with its sentence ---- */

static const struct {
    const char *name, *option;
} topics[] = {
    {"steppers", "stepper"},
    {"formulations", "formulation"},
    {"stabilisers", "stabilise.method"},
    {"regularisers", "regularise.method"},
    {"solvers", "solver"},
};

enum { TOPICS = sizeof topics / sizeof *topics };

static bool help_topic(FILE *out, const char *name) {
    for (int k = 0; k < TOPICS; k++) {
        if (strcmp(topics[k].name, name) != 0) continue;
        for (int i = 0; cardan_options_word(topics[k].option, i) != NULL; i++) {
            int n = fprintf(out, "  %s", cardan_options_word(topics[k].option, i));
            put_wrapped(out, cardan_options_summary(topics[k].option, i), n, TOPIC_COLUMN);
        }
        return true;
    }
    return false;
}

static int run_help(const Arguments *arguments) {
    if (arguments->operand_count == 0) {
        help_overview(stdout);
        return finish_stdout();
    }
    if (help_topic(stdout, arguments->operands[0])) return finish_stdout();
    const Verb *verb = known_verb("help", arguments->operands[0]);
    if (verb == NULL) return STATUS_USAGE;
    help_verb(stdout, verb);
    return finish_stdout();
}

static int run_man(const Arguments *arguments) {
    if (arguments->operand_count == 0) {
        manual_overview(stdout);
        return finish_stdout();
    }
    const Verb *verb = known_verb("man", arguments->operands[0]);
    if (verb == NULL) return STATUS_USAGE;
    manual_verb(stdout, verb);
    return finish_stdout();
}

static int run_version(const Arguments *arguments) {
    (void)arguments;
    printf("cardan %s\n", cardan_version_text());
    return finish_stdout();
}

static const char *verb_word(int i) {
    int seen = 0;
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if ((*v)->summary != NULL && seen++ == i) return (*v)->name;
    return NULL;
}

static const char *help_word(int i) {
    int n = 0;
    while (verb_word(n) != NULL) n++;
    if (i < n) return verb_word(i);
    return i - n < TOPICS ? topics[i - n].name : NULL;
}

const Verb verb_help = {
    .name = "help",
    .operands = "[VERB|TOPIC]",
    .operands_max = 1,
    .summary = "what the verbs do, which options they take, what the words of these mean",
    .text = "Prints the list of verbs, or what one of them does and which options it takes. Topics are steppers, "
            "formulations, stabilisers, regularisers and solvers: the words that these options take, each with a "
            "sentence.",
    .examples = "cardan help run\ncardan help steppers",
    .word = help_word,
    .run = run_help,
};

const Verb verb_man = {
    .name = "man",
    .operands = "[VERB]",
    .operands_max = 1,
    .summary = "print a manual page (roff)",
    .text = "Prints the manual page of the command or of one verb, in the language of man(1).",
    .examples = "cardan man run | man -l -",
    .word = verb_word,
    .run = run_man,
};

const Verb verb_version = {
    .name = "version",
    .operands = "",
    .summary = "print the version",
    .text = "Prints the version of the library in use.",
    .run = run_version,
};
