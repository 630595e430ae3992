/* Random expressions as trees: written out as text, and evaluated in long double by nothing but the C library, so that
 * the compiled program of the library has something independent to agree with. Rounding is estimated as Vignes does
 * (CESTAC, 1974): every result is disturbed at random by about a unit of double precision, and the spread of a few such
 * evaluations is what the value cannot be trusted beyond. */
#ifndef TESTS_FUZZ_EXPR_TREE_H
#define TESTS_FUZZ_EXPR_TREE_H

#include "bytes.h"

#include <stdbool.h>

enum { NODES_MAX = 40, ARGUMENTS_MAX = 3, TREE_TEXT = 4096, TREE_VARIABLES = 2 };

#define DISTURBANCE 2e-16L /* relative, of each operation: a unit of rounding of a double */
#define HUGE_INSIDE                                                                                                    \
    1e250L /* beyond, and below its inverse, a double may over- or underflow where a long double does not */

#define TABLE_LARGEST 3.0L /* of the table below, by which its interpolation rounds */

typedef struct TreeKind {
    const char *text; /* '#' stands for an argument */
    int arguments;
    bool kink;
    long double (*value)(const long double *a);
} TreeKind;

static inline long double tree_add(const long double *a) {
    return a[0] + a[1];
}
static inline long double tree_sub(const long double *a) {
    return a[0] - a[1];
}
static inline long double tree_mul(const long double *a) {
    return a[0] * a[1];
}
static inline long double tree_div(const long double *a) {
    return a[1] == 0.0L ? (long double)NAN : a[0] / a[1];
}
static inline long double tree_square(const long double *a) {
    return a[0] * a[0];
}
static inline long double tree_cube(const long double *a) {
    return a[0] * a[0] * a[0];
}
static inline long double tree_inverse(const long double *a) {
    return a[0] == 0.0L ? (long double)NAN : 1.0L / a[0];
}
static inline long double tree_pow(const long double *a) {
    return a[0] <= 0.0L ? (long double)NAN : powl(a[0], a[1]);
}
static inline long double tree_minus(const long double *a) {
    return -a[0];
}
static inline long double tree_sin(const long double *a) {
    return sinl(a[0]);
}
static inline long double tree_cos(const long double *a) {
    return cosl(a[0]);
}
static inline long double tree_tan(const long double *a) {
    return tanl(a[0]);
}
static inline long double tree_asin(const long double *a) {
    return asinl(a[0]);
}
static inline long double tree_acos(const long double *a) {
    return acosl(a[0]);
}
static inline long double tree_atan(const long double *a) {
    return atanl(a[0]);
}
static inline long double tree_sinh(const long double *a) {
    return sinhl(a[0]);
}
static inline long double tree_cosh(const long double *a) {
    return coshl(a[0]);
}
static inline long double tree_tanh(const long double *a) {
    return tanhl(a[0]);
}
static inline long double tree_exp(const long double *a) {
    return expl(a[0]);
}
static inline long double tree_log(const long double *a) {
    return a[0] <= 0.0L ? (long double)NAN : logl(a[0]);
}
static inline long double tree_sqrt(const long double *a) {
    return sqrtl(a[0]);
}
static inline long double tree_abs(const long double *a) {
    return fabsl(a[0]);
}
static inline long double tree_sign(const long double *a) {
    return (long double)((a[0] > 0) - (a[0] < 0));
}
static inline long double tree_floor(const long double *a) {
    return floorl(a[0]);
}
static inline long double tree_step(const long double *a) {
    return a[0] >= 0 ? 1.0L : 0.0L;
}
static inline long double tree_atan2(const long double *a) {
    return atan2l(a[0], a[1]);
}
static inline long double tree_min(const long double *a) {
    return a[1] < a[0] ? a[1] : a[0];
}
static inline long double tree_max(const long double *a) {
    return a[1] > a[0] ? a[1] : a[0];
}
static inline long double tree_less(const long double *a) {
    return a[0] < a[1] ? 1.0L : 0.0L;
}
static inline long double tree_if(const long double *a) {
    return a[0] != 0.0L ? a[1] : a[2];
}
/* table(x, -1,2, 0,0, 1,3) */
static inline long double tree_table(const long double *a) {
    if (a[0] < -1.0L) return 2.0L;
    if (a[0] < 0.0L) return -2.0L * a[0];
    return a[0] < 1.0L ? 3.0L * a[0] : 3.0L;
}

static const TreeKind TREE_KINDS[] = {
    {"(# + #)", 2, false, tree_add},
    {"(# - #)", 2, false, tree_sub},
    {"(# * #)", 2, false, tree_mul},
    {"(# / #)", 2, false, tree_div},
    {"((#)^2)", 1, false, tree_square},
    {"((#)^3)", 1, false, tree_cube},
    {"((#)^-1)", 1, false, tree_inverse},
    {"(# ^ #)", 2, false, tree_pow},
    {"(-#)", 1, false, tree_minus},
    {"sin(#)", 1, false, tree_sin},
    {"cos(#)", 1, false, tree_cos},
    {"tan(#)", 1, false, tree_tan},
    {"asin(#)", 1, false, tree_asin},
    {"acos(#)", 1, false, tree_acos},
    {"atan(#)", 1, false, tree_atan},
    {"sinh(#)", 1, false, tree_sinh},
    {"cosh(#)", 1, false, tree_cosh},
    {"tanh(#)", 1, false, tree_tanh},
    {"exp(#)", 1, false, tree_exp},
    {"log(#)", 1, false, tree_log},
    {"sqrt(#)", 1, false, tree_sqrt},
    {"abs(#)", 1, true, tree_abs},
    {"sign(#)", 1, true, tree_sign},
    {"floor(#)", 1, true, tree_floor},
    {"step(#)", 1, true, tree_step},
    {"atan2(#, #)", 2, true, tree_atan2},
    {"min(#, #)", 2, true, tree_min},
    {"max(#, #)", 2, true, tree_max},
    {"(# < #)", 2, true, tree_less},
    {"if(#, #, #)", 3, true, tree_if},
    {"table(#, -1,2, 0,0, 1,3)", 1, true, tree_table},
};
enum { TREE_KINDS_COUNT = sizeof TREE_KINDS / sizeof TREE_KINDS[0] };

typedef struct TreeNode {
    int kind; /* -1: a number, -2 - i: variable i */
    double number;
    int argument[ARGUMENTS_MAX];
} TreeNode;

typedef struct Tree {
    TreeNode node[NODES_MAX];
    int count;
    char text[TREE_TEXT];
    size_t length;
} Tree;

/* Where an evaluation stands: disturbed or not, and what it saw on the way. */
typedef struct TreeWalk {
    const double *variables;
    uint64_t random; /* 0: undisturbed */
    uint64_t pieces; /* which pieces of kinked functions it went through */
    long double largest;
    long double phase; /* of all that oscillates: a mixture of the arguments of sines, cosines and tangents */
    bool defined;
} TreeWalk;

static inline int tree_make(Tree *tree, Bytes *b, int depth) {
    int here = tree->count++;
    unsigned choice = bytes_one(b);
    TreeNode *node = &tree->node[here];
    node->kind = -1;
    if (depth == 0 || tree->count > NODES_MAX - 2 * ARGUMENTS_MAX - 6 || choice < 40) {
        if (choice % 3 == 0)
            node->number = 0.125 * (double)bytes_one(b);
        else
            node->kind = -2 - (int)(choice % TREE_VARIABLES);
        return here;
    }
    node->kind = (int)(choice % TREE_KINDS_COUNT);
    for (int i = 0; i < TREE_KINDS[node->kind].arguments; i++) node->argument[i] = tree_make(tree, b, depth - 1);
    return here;
}

static inline void tree_put(Tree *tree, const char *text, size_t length) {
    if (tree->length + length >= TREE_TEXT) return;
    memcpy(tree->text + tree->length, text, length);
    tree->text[tree->length += length] = '\0';
}

static inline void tree_write(Tree *tree, int at) {
    static const char *const names[TREE_VARIABLES] = {"x", "y"};
    const TreeNode *node = &tree->node[at];
    char number[32];
    if (node->kind == -1) {
        tree_put(tree, number, (size_t)snprintf(number, sizeof number, "%.17g", node->number));
        return;
    }
    if (node->kind < -1) {
        tree_put(tree, names[-2 - node->kind], 1);
        return;
    }
    int next = 0;
    for (const char *s = TREE_KINDS[node->kind].text; *s != '\0'; s++) {
        if (*s == '#')
            tree_write(tree, node->argument[next++]);
        else
            tree_put(tree, s, 1);
    }
}

/* Which piece of a kinked function its arguments choose; numbers near enough to the border to matter are seen because
 * disturbed and shifted walks choose another one. */
static inline unsigned tree_piece(const TreeKind *kind, const long double *a) {
    if (kind->value == tree_floor) return fabsl(a[0]) < 1e9L ? (unsigned)(long)floorl(a[0]) : 0u;
    if (kind->value == tree_table) return (unsigned)((a[0] >= -1) + (a[0] >= 0) + (a[0] >= 1));
    if (kind->value == tree_atan2) return (unsigned)(2 * (a[0] > 0) + (a[0] < 0) + 4 * (a[1] > 0));
    if (kind->value == tree_if) return a[0] != 0.0L;
    long double side = kind->arguments == 1 ? a[0] : a[0] - a[1];
    return (unsigned)((side > 0) + 2 * (side < 0));
}

static inline long double tree_value(const Tree *tree, int at, TreeWalk *walk) {
    const TreeNode *node = &tree->node[at];
    if (node->kind == -1) return (long double)node->number;
    if (node->kind < -1) return (long double)walk->variables[-2 - node->kind];
    const TreeKind *kind = &TREE_KINDS[node->kind];
    long double a[ARGUMENTS_MAX] = {0};
    a[0] = tree_value(tree, node->argument[0], walk);
    for (int i = 1; i < kind->arguments; i++) {
        bool skipped = kind->value == tree_if && (i == 1) != (a[0] != 0.0L);
        if (!skipped) a[i] = tree_value(tree, node->argument[i], walk);
    }
    if (kind->kink) walk->pieces = walk->pieces * 1099511628211u + tree_piece(kind, a) + 1;
    if (kind->value == tree_sin || kind->value == tree_cos || kind->value == tree_tan)
        walk->phase = 1.618L * walk->phase + a[0];
    long double value = kind->value(a);
    if (walk->random != 0) {
        walk->random = walk->random * 6364136223846793005u + 1442695040888963407u;
        long double by = DISTURBANCE * ((long double)(walk->random >> 40) / 8388608.0L - 1.0L);
        value += by * (kind->value == tree_table ? TABLE_LARGEST : value);
    }
    bool lost = kind->value == tree_floor && fabsl(a[0]) > 1e9L; /* its pieces are not told apart there */
    bool tiny = value != 0.0L && fabsl(value) < 1.0L / HUGE_INSIDE;
    if (!isfinite(value) || lost || tiny) walk->defined = false;
    walk->largest = fmaxl(walk->largest, fabsl(value));
    return value;
}

#endif
