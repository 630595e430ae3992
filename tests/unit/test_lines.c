/* Lines of numbers (tools/lines.h), passed on at any moment, beside the same numbers one by one. */
#include "support/check.h"

#include "tools/lines.h"
#include "tools/number.h"

enum { COLUMNS = 5, LINES = 6, MOST_PASSES = 3 };

static void put_plain(double t, const double *values, char *text) {
    char number[NUMBER_SIZE];
    strcat(text, number_text(t, number));
    for (int k = 0; k < COLUMNS - 1; k++) strcat(strcat(text, ","), number_text(values[k], number));
    strcat(text, "\n");
}

/* Numbers that stay are copied from the last line: it has to be there, however often nothing was passed on since. */
static void lines_are_those_of_their_numbers_whenever_they_are_passed_on(void **state) {
    (void)state;
    for (int passes = 0; passes <= MOST_PASSES; passes++) {
        Lines lines = {0};
        char text[LINES * COLUMNS * NUMBER_SIZE] = "", plain[sizeof text] = "";
        assert_true(lines_make(&lines, COLUMNS));
        for (int i = 0; i < LINES; i++) {
            const double t = i / 7.0, values[] = {2.5, i < 3 ? 0.0 : -0.0, t * t, 7.25};
            put_plain(t, values, plain);
            lines_put(&lines, t, values);
            strncat(text, lines.begin, passes > 0 || i == LINES - 1 ? lines.held : 0);
            for (int k = 0; k < passes; k++) lines_pass(&lines);
        }
        assert_string_equal(text, plain);
        lines_free(&lines);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_their_numbers_whenever_they_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
