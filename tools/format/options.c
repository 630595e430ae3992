/* Keys of the section simulation, and the words of those that take one. */
#include "options/options.h"
#include "fields.h"
#include "format.h"
#include "integrate/methods/formulations.h"
#include "integrate/methods/method.h"

#include <stdio.h>
#include <string.h>

/* 1e-06 as 1e-6. */
static void shorten_exponent(char *cell) {
    char *zero = strstr(cell, "e-0");
    if (zero != NULL) memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
}

static void option_default(const CardanOptions *options, const CrdOption *option, char *cell) {
    double value = crd_option_value(options, option);
    if (option->kind == CRD_OPTION_WORD)
        snprintf(cell, CELL, "`%s`", option->word((int)value).name);
    else if (option->unset != NULL && value == 0.0)
        snprintf(cell, CELL, "%s", option->unset);
    else
        snprintf(cell, CELL, "%.15g", value);
    shorten_exponent(cell);
}

void print_options(void) {
    static const char *const HEAD[] = {"key", "value", "unit", "default", "meaning"};
    CardanOptions defaults = cardan_default_options();
    const CrdOption *option;
    print_head(HEAD, 5);
    for (int i = 0; (option = crd_option(i)) != NULL; i++) {
        char name[64], otherwise[CELL];
        bool word = option->kind == CRD_OPTION_WORD;
        snprintf(name, sizeof name, "`%s`", option->name);
        option_default(&defaults, option, otherwise);
        print_row((const char *const[]){name, word ? "a word, below" : option->rule, word ? NULL : option->unit,
                                        otherwise, option->summary},
                  5);
    }
}

/* ---- words ---- */

static void formulations_cell(const CrdMethod *method, char *cell) {
    cell[0] = '\0';
    for (int i = 0; i < CARDAN_FORMULATIONS; i++) {
        size_t used = strlen(cell);
        if ((method->formulations & 1u << i) != 0)
            snprintf(cell + used, CELL - used, "%s`%s`", used > 0 ? ", " : "", crd_formulation_word(i).name);
    }
}

void print_steppers(void) {
    static const char *const HEAD[] = {"`stepper`", "", "order", "steps", "formulations", "needs"};
    print_head(HEAD, 6);
    for (int i = 0; i < CARDAN_STEPPERS; i++) {
        const CrdMethod *method = crd_method((CardanStepper)i);
        char name[64], order[32] = "variable", formulations[CELL];
        snprintf(name, sizeof name, "`%s`", method->name);
        if (method->order > 0) snprintf(order, sizeof order, "%d", method->order);
        formulations_cell(method, formulations);
        print_row((const char *const[]){name, method->summary, order,
                                        method->adaptive ? "by tolerance, or fixed" : "fixed", formulations,
                                        method->needs},
                  6);
    }
}

void print_words(void) {
    const CrdOption *option;
    bool first = true;
    for (int i = 0; (option = crd_option(i)) != NULL; i++) {
        char heading[64], name[64];
        if (option->kind != CRD_OPTION_WORD || strcmp(option->name, "stepper") == 0) continue;
        if (!first) putchar('\n');
        first = false;
        snprintf(heading, sizeof heading, "`%s`", option->name);
        print_head((const char *const[]){heading, ""}, 2);
        for (int k = 0; option->word(k).name != NULL; k++) {
            snprintf(name, sizeof name, "`%s`", option->word(k).name);
            print_row((const char *const[]){name, option->word(k).summary}, 2);
        }
    }
}
