/* Inside of expressions: the flat program, a stack machine whose stack has a depth known when compiled. */
#ifndef CRD_EXPR_PROGRAM_H
#define CRD_EXPR_PROGRAM_H

#include "expr/expr.h"

#if defined(__FAST_MATH__)
#error "faults are found by testing for NaN and infinity: compile without -ffast-math"
#endif

/* What an instruction takes from the stack and puts there. */
typedef enum CrdOp {
    CRD_OP_CONSTANT,    /*                ->  number                                    */
    CRD_OP_VARIABLE,    /*                ->  variables[index]                          */
    CRD_OP_NEGATE,      /* a              -> -a                                         */
    CRD_OP_CALL,        /* a              ->  function(a)                               */
    CRD_OP_JUMP,        /*                    skips index instructions                  */
    CRD_OP_UNLESS,      /* c                  skips index instructions when c = 0       */
    CRD_OP_TABLE,       /* x              ->  y, from constant points                   */
    CRD_OP_FIRST_POINT, /* x  x0 y0       ->  x y0  x0 y0    a table whose points vary: */
    CRD_OP_NEXT_POINT,  /* x y  x0 y0  x1 y1 -> x y  x1 y1   its value so far and the   */
    CRD_OP_END_TABLE,   /* x y  x0 y0     ->  y              last point wait            */
    CRD_OP_ADD,         /* a b            ->  a op b, this and all that follow          */
    CRD_OP_SUBTRACT,
    CRD_OP_MULTIPLY,
    CRD_OP_DIVIDE,
    CRD_OP_POWER,
    CRD_OP_ATAN2,
    CRD_OP_MIN,
    CRD_OP_MAX,
    CRD_OP_LESS,
    CRD_OP_LESS_EQUAL,
    CRD_OP_GREATER,
    CRD_OP_GREATER_EQUAL,
    CRD_OP_EQUAL,
    CRD_OP_NOT_EQUAL
} CrdOp;

/* How the arguments of a function become instructions. */
typedef enum CrdCallKind {
    CRD_CALL_FUNCTION, /* one argument, CRD_OP_CALL              */
    CRD_CALL_BINARY,   /* a op b                                 */
    CRD_CALL_REDUCE,   /* ((a op b) op c) ...                    */
    CRD_CALL_IF,
    CRD_CALL_TABLE
} CrdCallKind;

/* Where a function of one argument has a kink or a jump. */
typedef enum CrdKink { CRD_SMOOTH = 0, CRD_KINK_AT_ZERO, CRD_KINK_AT_WHOLE } CrdKink;

/* The piece of a function with a kink that holds on one side (-1 or +1) of it, also beyond. */
typedef CrdJet (*CrdPiece)(CrdJet x, int side);

typedef struct CrdFunction {
    const char *name;
    CrdCallKind kind;
    int min, max; /* arguments; max < 0: any number */
    CrdOp op;     /* of a binary function or reduction */
    /* Of a function of one argument. Outside the domain value gives NaN, jet infinite derivatives or NaN. */
    double (*value)(double x);
    CrdJet (*jet)(CrdJet x);
    CrdKink kink;
    CrdPiece piece; /* NULL: smooth */
    /* What the format reference prints. */
    const char *arguments, *summary;
    const char *slope; /* its derivative by x */
    const char *kinks; /* where its pieces meet; NULL: smooth */
} CrdFunction;

typedef struct CrdInstruction {
    CrdOp op;
    int column; /* in the text, from 1 */
    union {
        double number;
        int index; /* of CRD_OP_NEXT_POINT: kink of the point before */
        const CrdFunction *function;
        struct {
            int first, count; /* points of the table: x, y at points[2 first], ... */
        } points;
    } as;
    int kink; /* number of its first kink, or of the next one after it */
} CrdInstruction;

typedef struct CrdProgram {
    const CrdInstruction *code;
    int count;
    const double *points; /* x, y of constant tables */
    int kinks;
} CrdProgram;

/* What went wrong, and where. */
typedef struct CrdFault {
    int column;
    char what[160];
} CrdFault;

/* The table of functions. */
const CrdFunction *crd_function_table(int *count);
const CrdFunction *crd_function_find(const char *name, size_t length); /* NULL: none */
const char *crd_function_nearest(const char *name, size_t length);     /* NULL: none is near */

/* Running; false: a fault. order is the highest derivative wanted, 1 or 2. sides: see crd_expr_held_value. kinks may be
 * NULL. */
bool crd_run_value(const CrdProgram *program, const double *variables, const CrdSide *sides, double *value,
                   CrdFault *fault);
bool crd_run_kinks(const CrdProgram *program, const double *variables, const CrdSide *sides, double *kinks,
                   CrdFault *fault);
bool crd_run_jet(const CrdProgram *program, int order, const CrdJet *variables, const CrdSide *sides, CrdJet *kinks,
                 CrdJet *value, CrdFault *fault);

/* Kinks of one instruction, and their arguments where they are due: top is the highest value of the stack before it. */
int crd_kink_count(const CrdInstruction *instruction);
void crd_kink_values(const CrdProgram *program, const CrdInstruction *instruction, const double *top, double *values);
void crd_kink_jets(const CrdProgram *program, const CrdInstruction *instruction, const CrdJet *top, CrdJet *values);

/* Numbers the kinks of a program; returns how many there are. */
int crd_kink_number(CrdInstruction *code, int count);

/* Which operand min and max take, and what a comparison gives, when the sign of a - b is held. */
bool crd_held_takes_second(CrdOp op, int side);
double crd_held_comparison(CrdOp op, int side);

/* What atan2(y, x) wants added to go on beyond its jump. */
double crd_held_turn(double y, double x, int side);

/* What is built while parsing; freed by crd_draft_free whether or not parsing succeeds. */
typedef struct CrdDraft {
    CrdInstruction *code;
    int count, code_capacity;
    double *points; /* x, y */
    int point_count, point_capacity;
    int deepest; /* stack slots */
} CrdDraft;

CardanStatus crd_parse(const char *text, const CrdSymbols *symbols, CrdDraft *draft, CrdError *error);
void crd_draft_free(CrdDraft *draft);

/* Fails with "column 3 of '1/(x-1)': <what>". */
CardanStatus crd_expr_fail(CrdError *error, CardanStatus status, const char *text, int column, const char *what);

#endif
