/* cardan-format SECTION: prints one generated part of docs/FORMAT.md; without an argument the names of all parts.
 * tools/format_reference puts them into the page. */
#include "format.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*print)(void);
} SECTIONS[] = {
    {"keys of bodies", print_body_keys},
    {"keys of markers", print_marker_keys},
    {"joints", print_joints},
    {"keys of joints", print_joint_keys},
    {"forces", print_forces},
    {"keys of forces", print_force_keys},
    {"keys of start", print_start_keys},
    {"functions", print_functions},
    {"measures of bodies", print_body_measures},
    {"measures of joints", print_joint_measures},
    {"measures of forces", print_force_measures},
    {"measures of the model", print_model_measures},
    {"options", print_options},
    {"steppers", print_steppers},
    {"words of options", print_words},
    {"limits", print_limits},
};

enum { SECTION_COUNT = sizeof SECTIONS / sizeof SECTIONS[0] };

static void print_cell(const char *text) {
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '|') putchar('\\');
        putchar(*text);
    }
}

void print_row(const char *const *cells, int count) {
    for (int i = 0; i < count; i++) {
        fputs("| ", stdout);
        print_cell(cells[i]);
        putchar(' ');
    }
    puts("|");
}

void print_head(const char *const *cells, int count) {
    print_row(cells, count);
    for (int i = 0; i < count; i++) fputs("|---", stdout);
    puts("|");
}

int main(int argc, char **argv) {
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (argc < 2) {
            puts(SECTIONS[i].name);
        } else if (strcmp(argv[1], SECTIONS[i].name) == 0) {
            SECTIONS[i].print();
            return 0;
        }
    }
    if (argc < 2) return 0;
    fprintf(stderr, "cardan-format: there is no part '%s'\n", argv[1]);
    return 2;
}
