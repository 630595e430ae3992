/* What all verbs of the command share: exit statuses, the tables that describe verbs and options, what was given.
 *
 * One table a verb (its const Verb record, in its own file) drives the parser, the help, the man pages and the shell
 * completion; verbs.c lists the records. */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "cardan/cardan.h"

/* Exit statuses of the command. A run stopped by a signal leaves with 128 + its number. */
enum {
    STATUS_DONE = 0,
    STATUS_FAULT = 1,   /* of the program itself; out of memory */
    STATUS_USAGE = 2,   /* the command line makes no sense */
    STATUS_MODEL = 3,   /* the model makes no sense */
    STATUS_STOPPED = 4, /* the simulation could not go on */
    STATUS_IO = 5,      /* a file could not be read or written */
    STATUS_LIMIT = 6,   /* a documented limit was reached */
    STATUS_SIGNAL = 128
};

typedef struct Option {
    const char *name;           /* without the dashes; NULL ends a table */
    char letter;                /* short form; 0: none */
    int key;                    /* which one it is, for the verb */
    const char *value;          /* stands for the value in the help; NULL: a switch */
    const char *help;           /* a sentence without full stop; NULL: not in this version, refused when given */
    const char *setting;        /* run: name in the model file's `simulation` section; NULL: not one of these */
    const char *(*word)(int i); /* values it takes, NULL after the last; NULL: any */
} Option;

struct Arguments;

typedef struct Verb {
    const char *name;
    const char *operands; /* as in the help: "MODEL" */
    int operands_min, operands_max;
    const char *summary;        /* one line, no full stop; NULL: not in this version, refused when given */
    const char *text;           /* paragraphs for help and man page */
    const char *examples;       /* a command a line; NULL: none */
    const Option *options;      /* ended by a NULL name; NULL: none */
    const char *(*word)(int i); /* what the first operand may be; NULL: a file */
    int (*run)(const struct Arguments *arguments); /* gives the exit status */
} Verb;

typedef struct Given {
    const Option *option;
    const char *value; /* NULL: a switch */
} Given;

typedef struct Arguments {
    const Verb *verb;
    int given_count;
    Given *given;
    int operand_count;
    const char **operands;
} Arguments;

/* ---- verbs.c ---- */

/* All verbs, ended by a NULL name; those of later versions have no summary. */
extern const Verb *const verbs[];
const Verb *verb_find(const char *name);

/* ---- arguments.c ---- */

/* Reads what stands after the verb. Complains and gives STATUS_USAGE when it does not fit the verb's table. --help
 * sets *help. Free in any case. */
int arguments_read(Arguments *arguments, const Verb *verb, int count, char **words, bool *help);
void arguments_free(Arguments *arguments);

/* The value given last for an option; NULL when not given. */
const char *arguments_value(const Arguments *arguments, int key);
bool arguments_has(const Arguments *arguments, int key);

/* ---- suggest.c ---- */

/* The candidate nearest to the word, when near enough to be meant; else NULL. best starts as NULL, distance as any. */
void suggest_consider(const char *word, const char *candidate, const char **best, int *distance);

/* ---- message.c ---- */

/* "cardan: sentence" on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A failure that concerns a file: the sentence as it is when it already starts with the file's name, else after it. */
void complain_about(const char *path, const char *sentence);

/* Why a model is refused with this exit status: of the command line, or of the file. */
void complain_refusal(const Verb *verb, const char *path, int status, const char *reason);

int exit_status(CardanStatus status);

/* Flushes stdout: STATUS_DONE, or STATUS_IO with a complaint when it could not be written. */
int finish_stdout(void);

/* ---- help.c, manual.c, completion.c, completion_fish.c, completion_zsh.c ---- */

void help_overview(FILE *out);
void help_verb(FILE *out, const Verb *verb);
void manual_overview(FILE *out);
void manual_verb(FILE *out, const Verb *verb);
void completion_bash(FILE *out);
void completion_fish(FILE *out);
void completion_zsh(FILE *out);

/* ---- load.c ---- */

/* Reads MODEL, applies every option of this key as PARAM=VALUE, compiles. Complains and gives the exit status. */
int load_model(const char *path, const Arguments *arguments, int set_key, CardanModel **out);

/* The same without a complaint: the sentence goes to text, for complain_refusal. */
int load_model_quietly(const char *path, const Arguments *arguments, int set_key, CardanModel **out, char *text,
                       size_t size);

#endif
