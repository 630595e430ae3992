/* Expressions of force laws, drives and numbers of a model: compiled once to a flat program, evaluated without
 * allocation; value, first and second derivative along a direction.
 *
 *     lowest   < <= > >= == !=    1 or 0; left to right
 *              + -                left to right
 *              * /                left to right
 *              - + (one operand)  -2^2 = -4
 *     highest  ^                  right to left; 2^-1 is allowed
 *     numbers (2, .5, 1e-3), pi, names (word or word.word), and the functions listed in functions.c.
 *
 * if(c, a, b) evaluates only the branch it takes. step(0) = 1, sign(0) = 0, 0^0 = 1. min and max of equals take the
 * first. table(x, x0,y0, x1,y1, ...) is piecewise linear, constant outside; its breakpoints increase strictly.
 * Derivatives at a kink are those of the branch the value comes from: abs at 0 that of x, a table at a breakpoint that
 * of the piece to the right.
 *
 * A fault (division by zero, a function outside its domain, overflow) is an error that names the operation, its
 * operands and its column; no function here hands out a NaN or an infinity. Parts without variables are computed when
 * compiled, and a fault there is an error of the expression, unless it stands in a branch of `if` that depends on
 * variables. */
#ifndef CRD_EXPR_EXPR_H
#define CRD_EXPR_EXPR_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CRD_EXPR_MAX_LENGTH = 65536, /* bytes of text */
    CRD_EXPR_MAX_DEPTH = 64,     /* stack slots: values that wait for an operation */
    CRD_EXPR_MAX_NESTING = 128   /* brackets and powers inside each other */
};

typedef struct CrdExpr CrdExpr; /* immutable after compile; may be shared by threads */

/* How names become variable numbers. */
typedef struct CrdSymbols {
    int (*find)(const void *user, const char *name, size_t length); /* number of the variable >= 0, or -1: unknown */
    /* Optional: a sentence such as "did you mean 'r'?", in buffer or elsewhere; NULL: none. */
    const char *(*suggest)(const void *user, const char *name, size_t length, char *buffer, size_t size);
    const void *user;
} CrdSymbols;

/* On failure error->text holds the sentence and error->place.column the 1-based column (in bytes) inside text.
 * CARDAN_ERR_MODEL: the text makes no sense. CARDAN_ERR_LIMIT: it exceeds one of the limits above. symbols NULL: no
 * names but pi. `pi` always is the number. */
CardanStatus crd_expr_compile(const char *text, const CrdSymbols *symbols, CrdExpr **out, CrdError *error);

CrdExpr *crd_expr_clone(const CrdExpr *expr); /* NULL when out of memory */
void crd_expr_free(CrdExpr *expr);

const char *crd_expr_text(const CrdExpr *expr);        /* as it was given */
bool crd_expr_uses(const CrdExpr *expr, int variable); /* does it read this variable? */
bool crd_expr_is_constant(const CrdExpr *expr);        /* reads no variable */
int crd_expr_depth(const CrdExpr *expr);               /* stack slots its evaluation needs */

/* The value. A fault gives CARDAN_ERR_NUMERIC and leaves *value alone. variables may be NULL for a constant. */
CardanStatus crd_expr_value(const CrdExpr *expr, const double *variables, double *value, CrdError *error);

/* Kinks and jumps of the law: how many arguments there are whose sign matters (comparisons, abs, sign, step, floor,
 * min, max, breakpoints of tables, the jump of atan2). */
int crd_expr_kink_count(const CrdExpr *expr);

/* The side of a kink on which a law is held: the piece that holds where the argument has this sign goes on beyond it,
 * so that the law is smooth inside a step. -1, +1, or 0: not held, the argument decides. */
typedef signed char CrdSide;

/* x, and its first and second derivative along one direction. */
typedef struct CrdJet {
    double x, d1, d2;
} CrdJet;

/* The value with held sides (crd_expr_kink_count of them; NULL: none, here and below). Where a held piece has no value,
 * the argument decides after all: `if` may stand guard over a domain. */
CardanStatus crd_expr_held_value(const CrdExpr *expr, const double *variables, const CrdSide *sides, double *value,
                                 CrdError *error);

/* Value and both derivatives, exact up to rounding. A derivative that is infinite or does not exist is a fault (sqrt
 * at 0), unless nothing moves there (d1 = d2 = 0). sqrt(a) with a = 0, d1 = 0, d2 > 0, such as the speed
 * sqrt(vx^2 + vy^2) at rest, has a kink: the first derivative is the one forwards, sqrt(d2/2), the second is 0. */
CardanStatus crd_expr_held_jet(const CrdExpr *expr, const CrdJet *variables, const CrdSide *sides, CrdJet *value,
                               CrdError *error);

/* Value and first derivative: d2 of the variables is not read, value->d2 is 0, and a second derivative that does not
 * exist (max(x, 0)^1.5 at 0) is no fault. Where an inner derivative is 0 and the outer one infinite, their product
 * counts as 0. */
CardanStatus crd_expr_held_slope(const CrdExpr *expr, const CrdJet *variables, const CrdSide *sides, CrdJet *value,
                                 CrdError *error);

/* The arguments of the kinks. Those in a branch that is not taken are 0. */
CardanStatus crd_expr_held_kinks(const CrdExpr *expr, const double *variables, const CrdSide *sides, double *values,
                                 CrdError *error);

/* Kinks with their first and second derivatives. */
CardanStatus crd_expr_kink_jets(const CrdExpr *expr, const CrdJet *variables, const CrdSide *sides, CrdJet *values,
                                CrdError *error);

/* reads[k]: does the argument of kink k depend on a variable for which `moves` says true? */
void crd_expr_kink_reads(const CrdExpr *expr, bool (*moves)(const void *user, int variable), const void *user,
                         bool *reads);

#endif
