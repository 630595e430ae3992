/* What the tests of expressions share: five variables, and compiling what must compile. */
#ifndef TEST_EXPR_FIXTURE_H
#define TEST_EXPR_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/expr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define NOTHING ((double)NAN)

/* ---- names: x y z t and J.rate are the variables 0 to 4 ---- */

enum { VARIABLES = 5 };
static const char *const NAMES[VARIABLES] = {"x", "y", "z", "t", "J.rate"};

static int find_name(const void *user, const char *name, size_t length) {
    (void)user;
    for (int i = 0; i < VARIABLES; i++) {
        if (strlen(NAMES[i]) == length && memcmp(NAMES[i], name, length) == 0) return i;
    }
    return -1;
}

static const char *suggest_name(const void *user, const char *name, size_t length, char *buffer, size_t size) {
    (void)user;
    if (name[0] != 'x' || length > 3) return NULL;
    snprintf(buffer, size, "did you mean 'x'?");
    return buffer;
}

static const CrdSymbols SYMBOLS = {find_name, suggest_name, NULL};

static inline CrdExpr *compile(const char *text) {
    CrdError error = {0};
    CrdExpr *e = NULL;
    CardanStatus status = crd_expr_compile(text, &SYMBOLS, &e, &error);
    if (status < 0 || e == NULL) fail_msg("'%s' does not compile: %s", text, error.text);
    return e;
}

#endif
