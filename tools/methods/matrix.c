/* The combinations: words of the engine's own option tables, or the lists given. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "settings.h"

enum { WORDS_MOST = 64, SENTENCE_SIZE = 1024, LIST_SIZE = 4096 };

/* Ways to use a stabilising method that deserve a row of their own; '+' stands for the ',' of --stabilise. */
static const struct {
    const char *method, *word;
} variants[] = {
    {"post", "post:2"},
    {"post", "post:1"},
    {"post", "post:2+freeze=0"},
    {"post", "post:1+form=full"},
};

/* Steps of the coarsest run, or as many as error control takes at 1e-3: in a stiff model these are many, and methods
 * that are made for it take longer ones. */
static const double first_steps = 40.0;

typedef struct Words {
    int count;
    char word[WORDS_MOST][LABEL_SIZE];
} Words;

/* One axis of the matrix. */
typedef struct Choice {
    int key;
    const char *setting; /* of the option whose words there are */
    const char *section; /* its words may carry keys; NULL: plain words */
} Choice;

static const Choice choices[4] = {
    {KEY_FORMULATIONS, "formulation", NULL},
    {KEY_STEPPERS, "stepper", NULL},
    {KEY_STABILISERS, "stabilise.method", "stabilise"},
    {KEY_REGULARISERS, "regularise.method", "regularise"},
};

static void add_word(Words *words, const char *word) {
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0) return;
    if (words->count < WORDS_MOST) snprintf(words->word[words->count++], LABEL_SIZE, "%s", word);
}

static void all_words(const Choice *choice, Words *words) {
    for (int i = 0; cardan_options_word(choice->setting, i) != NULL; i++) {
        const char *word = cardan_options_word(choice->setting, i);
        bool varied = false;
        if (choice->key == KEY_STEPPERS && strcmp(word, "auto") == 0) continue; /* others in turn; where asked for */
        for (size_t k = 0; choice->key == KEY_STABILISERS && k < sizeof variants / sizeof *variants; k++) {
            if (strcmp(variants[k].method, word) != 0) continue;
            add_word(words, variants[k].word);
            varied = true;
        }
        if (!varied) add_word(words, word);
    }
}

/* Sets what a word of an axis says. Complains when it says nothing. */
static int apply_word(const Choice *choice, const Arguments *arguments, const Option *option, const char *word,
                      CardanOptions *opt) {
    char text[LABEL_SIZE];
    snprintf(text, sizeof text, "%s", word);
    for (char *s = text; *s != '\0'; s++)
        if (*s == '+') *s = ',';
    if (choice->section == NULL) return setting_apply(opt, arguments, option, choice->setting, text);
    return setting_section(opt, arguments, option, choice->section, text);
}

static int given_words(const Choice *choice, const Arguments *arguments, const Given *given, bool laboratory,
                       Words *words) {
    char list[LIST_SIZE];
    CardanOptions scratch = cardan_default_options();
    snprintf(list, sizeof list, "%s", given->value);
    for (char *rest = list, *word; rest != NULL;) {
        word = rest;
        rest = strchr(word, ',');
        if (rest != NULL) *rest++ = '\0';
        if (strlen(word) >= LABEL_SIZE || strlen(given->value) >= sizeof list || words->count == WORDS_MOST) {
            complain("%s: --%s: the list is too long", arguments->verb->name, given->option->name);
            return STATUS_USAGE;
        }
        bool only_there = laboratory && lab_has(choice->key, word) &&
                          cardan_options_set(&scratch, choice->setting, word, NULL, 0) < 0;
        if (only_there) continue;
        int status = apply_word(choice, arguments, given->option, word, &scratch);
        if (status != STATUS_DONE) return status;
        add_word(words, word);
    }
    return STATUS_DONE;
}

static int read_words(const Choice *choice, const Arguments *arguments, bool laboratory, Words *words) {
    bool listed = false;
    for (int i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option->key != choice->key) continue;
        int status = given_words(choice, arguments, &arguments->given[i], laboratory, words);
        listed = true;
        if (status != STATUS_DONE) return status;
    }
    if (!listed) all_words(choice, words);
    return STATUS_DONE;
}

/* ---- combinations ---- */

/* Only implicit steppers take formulations other than the first. */
static bool is_implicit(const Combination *combination) {
    char sentence[SENTENCE_SIZE];
    CardanOptions asked = cardan_default_options();
    asked.stepper = combination->options.stepper;
    asked.step = asked.end;
    asked.formulation = CARDAN_FORMULATION_GGL;
    return cardan_options_check(&asked, sentence, sizeof sentence) >= 0;
}

/* Asks the engine whether it takes the options, with error control or else with fixed steps. */
static void probe(Combination *combination) {
    char sentence[SENTENCE_SIZE] = "";
    combination->implicit = is_implicit(combination);
    combination->options.step = 0.0;
    combination->controlled = cardan_options_check(&combination->options, sentence, sizeof sentence) >= 0;
    if (combination->controlled) return;
    combination->options.step = combination->options.max_step > 0.0
                                    ? fmin(combination->options.max_step, combination->options.end)
                                    : combination->options.end;
    if (cardan_options_check(&combination->options, sentence, sizeof sentence) >= 0) return;
    combination->fate = FATE_REFUSED;
    snprintf(combination->why, sizeof combination->why, "%s", sentence);
}

static int fill(Matrix *matrix, const Arguments *arguments, const Words words[4], int i) {
    Combination *combination = &matrix->all[i];
    const Option named = {.name = "steppers"}; /* the words are known to be good */
    int rest = i, index[4];
    char *labels[4] = {combination->formulation, combination->stepper, combination->stabiliser,
                       combination->regulariser};
    static const char *const usual[4] = {"index1", NULL, "post:2", "auto"};
    combination->options = matrix->base;
    for (int k = 3; k >= 0; k--) {
        index[k] = rest % words[k].count;
        rest /= words[k].count;
    }
    for (int k = 0; k < 4; k++) {
        const char *word = words[k].word[index[k]];
        int status = apply_word(&choices[k], arguments, &named, word, &combination->options);
        if (status != STATUS_DONE) return status;
        snprintf(labels[k], LABEL_SIZE, "%s", word);
        combination->departures += usual[k] != NULL && strcmp(word, usual[k]) != 0;
    }
    combination->row = i / words[3].count;
    combination->first_regulariser = index[3] == 0;
    probe(combination);
    if (cardan_model_sizes(matrix->model).rows == 0 && combination->fate == FATE_RUNNING && index[2] + index[3] > 0) {
        combination->fate = FATE_LEFT_OUT;
        snprintf(combination->why, sizeof combination->why,
                 "the model has no constraint rows: nothing to stabilise or regularise");
    }
    combination->runs = calloc(RUNGS, sizeof *combination->runs);
    return combination->runs != NULL ? STATUS_DONE : STATUS_FAULT;
}

int matrix_make(Matrix *matrix, const Arguments *arguments, bool laboratory) {
    Words *words = calloc(4, sizeof *words);
    CardanOptions defaults = cardan_default_options();
    int status = words != NULL ? STATUS_DONE : STATUS_FAULT;
    matrix->base.stabilise = defaults.stabilise;
    matrix->base.regularise = defaults.regularise;
    matrix->count = 1;
    for (int k = 0; k < 4 && status == STATUS_DONE; k++) {
        status = read_words(&choices[k], arguments, laboratory, &words[k]);
        matrix->choices[k] = words[k].count;
        matrix->count *= words[k].count;
    }
    if (status == STATUS_DONE) matrix->all = calloc((size_t)matrix->count + 1, sizeof *matrix->all);
    if (status == STATUS_DONE && matrix->all == NULL) status = STATUS_FAULT;
    for (int i = 0; i < matrix->count && status == STATUS_DONE; i++) status = fill(matrix, arguments, words, i);
    if (status == STATUS_FAULT) complain("out of memory");
    if (status == STATUS_DONE && laboratory) status = lab_add(matrix, arguments);
    free(words);
    return status;
}

void matrix_free(Matrix *matrix) {
    for (int i = 0; matrix->all != NULL && i < matrix->count; i++) {
        for (int k = 0; matrix->all[i].runs != NULL && k < matrix->all[i].count; k++) free(matrix->all[i].runs[k].why);
        free(matrix->all[i].runs);
    }
    free(matrix->all);
    reference_free(&matrix->reference);
}

/* ---- rungs ---- */

CardanOptions matrix_options(const Matrix *matrix, const Combination *combination, int k) {
    CardanOptions o = combination->options;
    if (combination->controlled) {
        double ratio =
            matrix->base.rtol > 0.0 && matrix->base.atol > 0.0 ? matrix->base.atol / matrix->base.rtol : 0.01;
        o.step = 0.0;
        o.rtol = pow(10.0, -1.0 - 0.5 * k);
        o.atol = ratio * o.rtol;
    } else {
        double parts = ceil(fmin((double)matrix->reference.coarse_steps, first_steps) / matrix->reference.landings);
        o.step = o.end / matrix->reference.landings / (parts * exp2(k));
    }
    return o;
}
