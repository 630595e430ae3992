/* Registries: every record says what it is, its abilities agree with its functions, options know every word, and the
 * tables of docs/ say the same as the records. */
#include "dynamics/regularise.h"
#include "integrate/methods/formulations.h"
#include "integrate/methods/implicit.h"
#include "integrate/methods/method.h"
#include "options/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_word_of_every_option_has_a_sentence_and_a_name_of_its_own(void **state) {
    (void)state;
    const CrdOption *option;
    int choices = 0;
    for (int k = 0; (option = crd_option(k)) != NULL; k++) {
        assert_true(strlen(option->summary) > 5);
        assert_ptr_equal(crd_option_find(option->name), option);
        if (option->kind != CRD_OPTION_WORD) {
            assert_non_null(option->unit);
            assert_non_null(option->rule);
            continue;
        }
        choices++;
        assert_null(option->word(-1).name);
        for (int i = 0; option->word(i).name != NULL; i++) {
            CrdWord word = option->word(i);
            if (word.summary == NULL || strlen(word.summary) < 5 || word.summary[strlen(word.summary) - 1] == '.')
                fail_msg("%s: '%s' needs a sentence without full stop", option->name, word.name);
            assert_string_equal(cardan_options_summary(option->name, i), word.summary);
            for (int j = 0; j < i; j++) assert_string_not_equal(option->word(j).name, word.name);
        }
    }
    assert_int_equal(choices, 11);
    assert_null(cardan_options_summary("end", 0));
    assert_null(cardan_options_summary(NULL, 0));
}

static void defaults_are_in_their_ranges(void **state) {
    (void)state;
    CardanOptions defaults = cardan_default_options();
    const CrdOption *option;
    for (int k = 0; (option = crd_option(k)) != NULL; k++) {
        double value = crd_option_value(&defaults, option);
        if (option->kind == CRD_OPTION_WORD)
            assert_non_null(option->word((int)value).name);
        else
            assert_true(value >= option->min && value <= option->max);
    }
    assert_true(crd_option_value(&defaults, crd_option_find("tolerance.relative")) == defaults.rtol);
    assert_true(crd_option_value(&defaults, crd_option_find("stabilise.passes")) == 2.0);
}

static void abilities_of_steppers_agree_with_their_functions(void **state) {
    (void)state;
    for (int i = 0; i < CARDAN_STEPPERS; i++) {
        const CrdMethod *method = crd_method((CardanStepper)i);
        bool estimates = method->error_norm != NULL;
        if (method->adaptive != estimates || estimates != (method->error_order > 0 || method->resize != NULL))
            fail_msg("%s: is it adaptive?", method->name);
        assert_true((method->formulations & CRD_TAKES_INDEX1) != 0);
        assert_true(method->implicit || method->formulations == CRD_TAKES_INDEX1);
        if (method->tableau != NULL) assert_int_equal(method->tableau->order, method->order);
        const CrdImplicitTableau *implicit = crd_implicit_find(method->name);
        if (implicit != NULL) assert_int_equal(implicit->order, method->order);
    }
}

/* ---- the pages ---- */

static int seen[CARDAN_STEPPERS];

static const CrdMethod *named(const char *name, size_t length, int *index) {
    for (int i = 0; i < CARDAN_STEPPERS; i++) {
        const CrdMethod *method = crd_method((CardanStepper)i);
        *index = i;
        if (strlen(method->name) == length && strncmp(method->name, name, length) == 0) return method;
    }
    return NULL;
}

/* "| `a`, `b` | 1, 2 | fixed | ...": names with their orders; an order of its own choice is no single number. */
static void check_row(const char *page, const char *line) {
    const char *orders = strchr(line + 1, '|'), *steps = strchr(orders + 1, '|'), *name = line;
    bool adaptive = strstr(steps, "| tolerance") == steps;
    orders++;
    for (; (name = strchr(name, '`')) != NULL && name < orders; name = strchr(name + 1, '`') + 1) {
        int i;
        const CrdMethod *method = named(name + 1, strcspn(name + 1, "`"), &i);
        if (method == NULL) fail_msg("%s: not a stepper: %s", page, line);
        int order = (int)strtol(orders, NULL, 10);
        bool range = strstr(orders, " to ") != NULL && strstr(orders, " to ") < steps;
        if (method->order != (range ? 0 : order)) fail_msg("%s: %s has order %d", page, method->name, method->order);
        if (method->adaptive != adaptive) fail_msg("%s: %s: error control or not?", page, method->name);
        seen[i]++;
        orders += strcspn(orders, ",|") + (orders[strcspn(orders, ",|")] == ',');
    }
}

static void read_page(const char *page) {
    char line[512];
    bool table = false;
    FILE *file = fopen(page, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "| stepper |", 11) == 0)
            table = true;
        else if (line[0] != '|')
            table = false;
        else if (table && line[1] == ' ')
            check_row(page, line);
    }
    fclose(file);
}

static void the_pages_have_every_stepper_once_with_its_order_and_steps(void **state) {
    (void)state;
    memset(seen, 0, sizeof seen);
    read_page("docs/STEPPERS.md");
    read_page("docs/IMPLICIT.md");
    for (int i = 0; i < CARDAN_STEPPERS; i++)
        if (seen[i] != 1) fail_msg("%s stands %d times in the tables", crd_method((CardanStepper)i)->name, seen[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_every_option_has_a_sentence_and_a_name_of_its_own),
        cmocka_unit_test(defaults_are_in_their_ranges),
        cmocka_unit_test(abilities_of_steppers_agree_with_their_functions),
        cmocka_unit_test(the_pages_have_every_stepper_once_with_its_order_and_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
