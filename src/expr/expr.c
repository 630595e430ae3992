/* A compiled expression is one block: the head, the instructions, the points of tables, the text. */
#include "expr/expr.h"
#include "expr/program.h"

#include "core/memory.h"

#include <assert.h>
#include <string.h>

struct CrdExpr {
    size_t size; /* bytes of the block */
    int count;   /* instructions */
    int point_count;
    int depth; /* stack slots */
    int kinks;
    CrdInstruction code[];
};

static const double *points_in(const CrdExpr *expr) {
    return (const double *)(expr->code + expr->count);
}

static CrdProgram program_of(const CrdExpr *expr) {
    return (CrdProgram){expr->code, expr->count, points_in(expr), expr->kinks};
}

/* The text around a column, for a message: long ones are cut, what is not printable becomes '?'. */
static void excerpt(const char *text, int column, char *out) {
    enum { BEFORE = 40, AFTER = 40 };
    size_t length = strlen(text), at = (size_t)(column > 0 ? column - 1 : 0);
    size_t first = at > BEFORE + 3 ? at - BEFORE : 0;
    size_t last = length > at + AFTER + 3 ? at + AFTER : length;
    if (first > 0) out = strcpy(out, "...") + 3;
    for (size_t i = first; i < last; i++) *out++ = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    strcpy(out, last < length ? "..." : "");
}

CardanStatus crd_expr_fail(CrdError *error, CardanStatus status, const char *text, int column, const char *what) {
    assert(status < 0 && column >= 1);
    char near[128];
    excerpt(text, column, near);
    return crd_fail_at(error, status, (CrdPlace){0, column}, "column %d of '%s': %s", column, near, what);
}

#ifndef NDEBUG
static bool table_is_valid(const CrdExpr *expr, int first, int count) {
    if (first < 0 || count < 1 || first + count > expr->point_count) return false;
    for (int i = first + 1; i < first + count; i++)
        if (!(points_in(expr)[2 * i] > points_in(expr)[2 * i - 2])) return false;
    return true;
}

/* Jumps go forwards and end inside, points of tables increase, kinks are numbered through. */
static bool is_valid(const CrdExpr *expr) {
    int kinks = 0;
    for (int i = 0; i < expr->count; i++) {
        const CrdInstruction *in = &expr->code[i];
        bool jump = in->op == CRD_OP_JUMP || in->op == CRD_OP_UNLESS;
        if (jump && (in->as.index < 1 || in->as.index > expr->count - i - 1)) return false;
        if (in->op == CRD_OP_TABLE && !table_is_valid(expr, in->as.points.first, in->as.points.count)) return false;
        if (in->kink != kinks || in->column < 1) return false;
        kinks += crd_kink_count(in);
    }
    return kinks == expr->kinks;
}
#endif

static CrdExpr *seal(const CrdDraft *draft, const char *text) {
    assert(draft->count > 0 && draft->deepest >= 1 && draft->deepest <= CRD_EXPR_MAX_DEPTH);
    size_t code = (size_t)draft->count * sizeof(CrdInstruction);
    size_t points = 2 * (size_t)draft->point_count * sizeof(double);
    size_t size = sizeof(CrdExpr) + code + points + strlen(text) + 1;
    CrdExpr *expr = crd_new(1, size);
    if (expr == NULL) return NULL;
    expr->size = size;
    expr->count = draft->count;
    expr->point_count = draft->point_count;
    expr->depth = draft->deepest;
    memcpy(expr->code, draft->code, code);
    expr->kinks = crd_kink_number(expr->code, expr->count);
    unsigned char *rest = (unsigned char *)(expr->code + expr->count);
    if (points > 0) memcpy(rest, draft->points, points);
    memcpy(rest + points, text, strlen(text) + 1);
    return expr;
}

CardanStatus crd_expr_compile(const char *text, const CrdSymbols *symbols, CrdExpr **out, CrdError *error) {
    if (out != NULL) *out = NULL;
    if (text == NULL || out == NULL) return crd_fail(error, CARDAN_ERR_ARGUMENT, "an expression needs a text");
    CrdDraft draft = {.count = 0};
    CardanStatus status = crd_parse(text, symbols, &draft, error);
    if (status >= 0) {
        *out = seal(&draft, text);
        if (*out == NULL) status = crd_fail_memory(error);
        assert(*out == NULL || (is_valid(*out) && strcmp(crd_expr_text(*out), text) == 0));
    }
    crd_draft_free(&draft);
    return status;
}

CrdExpr *crd_expr_clone(const CrdExpr *expr) {
    CrdExpr *copy = expr != NULL ? crd_new(1, expr->size) : NULL;
    if (copy != NULL) memcpy(copy, expr, expr->size);
    return copy;
}

void crd_expr_free(CrdExpr *expr) {
    crd_delete(expr);
}

const char *crd_expr_text(const CrdExpr *expr) {
    return (const char *)(points_in(expr) + 2 * expr->point_count);
}

bool crd_expr_uses(const CrdExpr *expr, int variable) {
    for (int i = 0; i < expr->count; i++) {
        if (expr->code[i].op == CRD_OP_VARIABLE && expr->code[i].as.index == variable) return true;
    }
    return false;
}

bool crd_expr_is_constant(const CrdExpr *expr) {
    for (int i = 0; i < expr->count; i++) {
        if (expr->code[i].op == CRD_OP_VARIABLE) return false;
    }
    return true;
}

int crd_expr_depth(const CrdExpr *expr) {
    return expr->depth;
}

static CardanStatus report(const CrdExpr *expr, const CrdFault *fault, CrdError *error) {
    return crd_expr_fail(error, CARDAN_ERR_NUMERIC, crd_expr_text(expr), fault->column, fault->what);
}

/* ---- running; a held piece that has no value gives way to the argument ---- */

CardanStatus crd_expr_held_value(const CrdExpr *expr, const double *variables, const CrdSide *sides, double *value,
                                 CrdError *error) {
    CrdProgram program = program_of(expr);
    CrdFault fault;
    if (expr->kinks > 0 && sides != NULL && crd_run_value(&program, variables, sides, value, &fault)) return CARDAN_OK;
    return crd_run_value(&program, variables, NULL, value, &fault) ? CARDAN_OK : report(expr, &fault, error);
}

CardanStatus crd_expr_held_kinks(const CrdExpr *expr, const double *variables, const CrdSide *sides, double *values,
                                 CrdError *error) {
    CrdProgram program = program_of(expr);
    CrdFault fault;
    if (sides != NULL && crd_run_kinks(&program, variables, sides, values, &fault)) return CARDAN_OK;
    return crd_run_kinks(&program, variables, NULL, values, &fault) ? CARDAN_OK : report(expr, &fault, error);
}

CardanStatus crd_expr_kink_jets(const CrdExpr *expr, const CrdJet *variables, const CrdSide *sides, CrdJet *values,
                                CrdError *error) {
    CrdProgram program = program_of(expr);
    CrdFault fault;
    CrdJet value;
    return crd_run_jet(&program, 2, variables, sides, values, &value, &fault) ? CARDAN_OK : report(expr, &fault, error);
}

static CardanStatus run_jet(const CrdExpr *expr, int order, const CrdJet *variables, const CrdSide *sides,
                            CrdJet *value, CrdError *error) {
    CrdProgram program = program_of(expr);
    CrdFault fault;
    if (expr->kinks > 0 && sides != NULL && crd_run_jet(&program, order, variables, sides, NULL, value, &fault))
        return CARDAN_OK;
    bool done = crd_run_jet(&program, order, variables, NULL, NULL, value, &fault);
    return done ? CARDAN_OK : report(expr, &fault, error);
}

CardanStatus crd_expr_held_jet(const CrdExpr *expr, const CrdJet *variables, const CrdSide *sides, CrdJet *value,
                               CrdError *error) {
    return run_jet(expr, 2, variables, sides, value, error);
}

CardanStatus crd_expr_held_slope(const CrdExpr *expr, const CrdJet *variables, const CrdSide *sides, CrdJet *value,
                                 CrdError *error) {
    return run_jet(expr, 1, variables, sides, value, error);
}

CardanStatus crd_expr_value(const CrdExpr *expr, const double *variables, double *value, CrdError *error) {
    return crd_expr_held_value(expr, variables, NULL, value, error);
}

int crd_expr_kink_count(const CrdExpr *expr) {
    return expr->kinks;
}

/* ---- what the arguments of kinks read ---- */

typedef struct Reading {
    bool stack[CRD_EXPR_MAX_DEPTH + 2], *top; /* does the value there move? */
    bool condition[CRD_EXPR_MAX_NESTING + 1]; /* of `if`s being looked at */
    int conditions;
    struct {
        int end;
        bool moves;
    } branch[CRD_EXPR_MAX_NESTING + 1]; /* first branches that wait for the second: where it ends */
    int branches;
} Reading;

/* A value of `if` moves when its condition or one of its branches does. */
static void join_branches(Reading *reading, int at) {
    assert(reading->branches == 0 || reading->branch[reading->branches - 1].end >= at); /* none was passed over */
    for (; reading->branches > 0 && reading->branch[reading->branches - 1].end == at; reading->branches--)
        *reading->top = *reading->top || reading->branch[reading->branches - 1].moves;
}

/* Values of the stack from `below` under the top are merged into one, `down` slots under the top. */
static void merge(Reading *reading, int below, int down) {
    assert(reading->top - below > reading->stack && down <= below);
    bool moves = false;
    for (int i = 0; i <= below; i++) moves = moves || reading->top[-i];
    reading->top -= down;
    *reading->top = moves;
}

static void read_instruction(Reading *reading, const CrdInstruction *in, int at, bool variable_moves) {
    switch (in->op) {
    case CRD_OP_CONSTANT:
    case CRD_OP_VARIABLE:
        *++reading->top = in->op == CRD_OP_VARIABLE && variable_moves;
        break;
    case CRD_OP_NEGATE:
    case CRD_OP_CALL:
    case CRD_OP_TABLE:
        break;
    case CRD_OP_UNLESS:
        assert(reading->conditions <= CRD_EXPR_MAX_NESTING);
        reading->condition[reading->conditions++] = *reading->top--;
        break;
    case CRD_OP_JUMP:
        assert(reading->conditions > 0 && reading->branches <= CRD_EXPR_MAX_NESTING);
        reading->conditions--;
        reading->branch[reading->branches].end = at + 1 + in->as.index;
        reading->branch[reading->branches++].moves = *reading->top || reading->condition[reading->conditions];
        reading->top--;
        break;
    case CRD_OP_FIRST_POINT: /* x  x0 y0 -> x y x0 y0 */
        merge(reading, 2, 0);
        reading->top[1] = reading->top[0];
        reading->top++;
        break;
    case CRD_OP_NEXT_POINT: /* x y  x0 y0  x1 y1 -> x y  x1 y1 */
        merge(reading, 5, 0);
        reading->top[-4] = reading->top[0];
        reading->top -= 2;
        reading->top[0] = reading->top[2];
        break;
    case CRD_OP_END_TABLE:
        merge(reading, 3, 3);
        break;
    default:
        merge(reading, 1, 1);
    }
}

/* Does what the kinks of an instruction compare move? */
static bool operands_move(const Reading *reading, const CrdInstruction *in) {
    switch (in->op) {
    case CRD_OP_CALL:
    case CRD_OP_TABLE:
        return reading->top[0];
    case CRD_OP_FIRST_POINT: /* x  x0 y0 */
        return reading->top[-2] || reading->top[-1];
    case CRD_OP_NEXT_POINT: /* x y  x0 y0  x1 y1 */
        return reading->top[-5] || reading->top[-1];
    default:
        return reading->top[-1] || reading->top[0];
    }
}

void crd_expr_kink_reads(const CrdExpr *expr, bool (*moves)(const void *user, int variable), const void *user,
                         bool *reads) {
    Reading r = {.conditions = 0};
    r.top = r.stack;
    for (int i = 0; i < expr->count; i++) {
        const CrdInstruction *in = &expr->code[i];
        join_branches(&r, i);
        for (int k = crd_kink_count(in); k > 0; k--) reads[in->kink + k - 1] = operands_move(&r, in);
        read_instruction(&r, in, i, in->op == CRD_OP_VARIABLE && moves(user, in->as.index));
    }
    assert(r.top == r.stack + 1 && r.conditions == 0);
}
