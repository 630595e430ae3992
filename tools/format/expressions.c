/* Functions of expressions, and the limits of files. */
#include "format.h"

#include "expr/program.h"
#include "read/yaml_tree.h"

#include <stdio.h>

void print_functions(void) {
    static const char *const HEAD[] = {"function", "value", "derivative", "kinks"};
    int count;
    const CrdFunction *functions = crd_function_table(&count);
    print_head(HEAD, 4);
    for (int i = 0; i < count; i++) {
        char call[64];
        snprintf(call, sizeof call, "`%s(%s)`", functions[i].name, functions[i].arguments);
        print_row((const char *const[]){call, functions[i].summary, functions[i].slope, functions[i].kinks}, 4);
    }
}

void print_limits(void) {
    static const char *const HEAD[] = {"limit", ""};
    const struct {
        const char *what;
        int value;
        const char *unit;
    } limits[] = {
        {"size of a file", CRD_YAML_MAX_BYTES >> 20, " MiB"},
        {"values and keys in a file", CRD_YAML_MAX_NODES, ""},
        {"lists and mappings inside each other", CRD_YAML_MAX_DEPTH, ""},
        {"length of an expression", CRD_EXPR_MAX_LENGTH, " bytes"},
        {"brackets and powers of an expression inside each other", CRD_EXPR_MAX_NESTING, ""},
        {"values of an expression that wait for an operation", CRD_EXPR_MAX_DEPTH, ""},
    };
    print_head(HEAD, 2);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        char value[32];
        snprintf(value, sizeof value, "%d%s", limits[i].value, limits[i].unit);
        print_row((const char *const[]){limits[i].what, value}, 2);
    }
}
