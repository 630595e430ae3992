/* A compiled expression is one block: the head, the instructions, the points of tables, the text. */
#include "expr/expr.h"
#include "expr/program.h"

#include "core/memory.h"

#include <string.h>

struct CrdExpr {
    size_t size; /* bytes of the block */
    int count;   /* instructions */
    int point_count;
    int depth; /* stack slots */
    int kinks;
    CrdInstruction code[];
};

static const double *points_in(const CrdExpr *e) {
    return (const double *)(e->code + e->count);
}

static CrdProgram program_of(const CrdExpr *e) {
    return (CrdProgram){e->code, e->count, points_in(e), e->kinks};
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
    char near[128];
    excerpt(text, column, near);
    return crd_fail_at(error, status, (CrdPlace){0, column}, "column %d of '%s': %s", column, near, what);
}

static CrdExpr *seal(const CrdDraft *draft, const char *text) {
    size_t code = (size_t)draft->count * sizeof(CrdInstruction);
    size_t points = 2 * (size_t)draft->point_count * sizeof(double);
    size_t size = sizeof(CrdExpr) + code + points + strlen(text) + 1;
    CrdExpr *e = crd_new(1, size);
    if (e == NULL) return NULL;
    e->size = size;
    e->count = draft->count;
    e->point_count = draft->point_count;
    e->depth = draft->deepest;
    memcpy(e->code, draft->code, code);
    e->kinks = crd_kink_number(e->code, e->count);
    unsigned char *rest = (unsigned char *)(e->code + e->count);
    if (points > 0) memcpy(rest, draft->points, points);
    memcpy(rest + points, text, strlen(text) + 1);
    return e;
}

CardanStatus crd_expr_compile(const char *text, const CrdSymbols *symbols, CrdExpr **out, CrdError *error) {
    if (out != NULL) *out = NULL;
    if (text == NULL || out == NULL) return crd_fail(error, CARDAN_ERR_ARGUMENT, "an expression needs a text");
    CrdDraft draft = {.count = 0};
    CardanStatus status = crd_parse(text, symbols, &draft, error);
    if (status >= 0) {
        *out = seal(&draft, text);
        if (*out == NULL) status = crd_fail_memory(error);
    }
    crd_draft_free(&draft);
    return status;
}

CrdExpr *crd_expr_clone(const CrdExpr *e) {
    CrdExpr *copy = e != NULL ? crd_new(1, e->size) : NULL;
    if (copy != NULL) memcpy(copy, e, e->size);
    return copy;
}

void crd_expr_free(CrdExpr *e) {
    crd_delete(e);
}

const char *crd_expr_text(const CrdExpr *e) {
    return (const char *)(points_in(e) + 2 * e->point_count);
}

bool crd_expr_uses(const CrdExpr *e, int variable) {
    for (int i = 0; i < e->count; i++) {
        if (e->code[i].op == CRD_OP_VARIABLE && e->code[i].as.index == variable) return true;
    }
    return false;
}

bool crd_expr_is_constant(const CrdExpr *e) {
    for (int i = 0; i < e->count; i++) {
        if (e->code[i].op == CRD_OP_VARIABLE) return false;
    }
    return true;
}

int crd_expr_depth(const CrdExpr *e) {
    return e->depth;
}

static CardanStatus report(const CrdExpr *e, const CrdFault *fault, CrdError *error) {
    return crd_expr_fail(error, CARDAN_ERR_NUMERIC, crd_expr_text(e), fault->column, fault->what);
}

/* ---- running; a held piece that has no value gives way to the argument ---- */

CardanStatus crd_expr_held_value(const CrdExpr *e, const double *variables, const CrdSide *sides, double *value,
                                 CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    if (e->kinks > 0 && sides != NULL && crd_run_value(&program, variables, sides, value, &fault)) return CARDAN_OK;
    return crd_run_value(&program, variables, NULL, value, &fault) ? CARDAN_OK : report(e, &fault, error);
}

CardanStatus crd_expr_held_kinks(const CrdExpr *e, const double *variables, const CrdSide *sides, double *values,
                                 CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    if (sides != NULL && crd_run_kinks(&program, variables, sides, values, &fault)) return CARDAN_OK;
    return crd_run_kinks(&program, variables, NULL, values, &fault) ? CARDAN_OK : report(e, &fault, error);
}

CardanStatus crd_expr_kink_jets(const CrdExpr *e, const CrdJet *variables, const CrdSide *sides, CrdJet *values,
                                CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    CrdJet value;
    return crd_run_jet(&program, 2, variables, sides, values, &value, &fault) ? CARDAN_OK : report(e, &fault, error);
}

static CardanStatus run_jet(const CrdExpr *e, int order, const CrdJet *variables, const CrdSide *sides, CrdJet *value,
                            CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    if (e->kinks > 0 && sides != NULL && crd_run_jet(&program, order, variables, sides, NULL, value, &fault))
        return CARDAN_OK;
    bool done = crd_run_jet(&program, order, variables, NULL, NULL, value, &fault);
    return done ? CARDAN_OK : report(e, &fault, error);
}

CardanStatus crd_expr_held_jet(const CrdExpr *e, const CrdJet *variables, const CrdSide *sides, CrdJet *value,
                               CrdError *error) {
    return run_jet(e, 2, variables, sides, value, error);
}

CardanStatus crd_expr_held_slope(const CrdExpr *e, const CrdJet *variables, const CrdSide *sides, CrdJet *value,
                                 CrdError *error) {
    return run_jet(e, 1, variables, sides, value, error);
}

CardanStatus crd_expr_value(const CrdExpr *e, const double *variables, double *value, CrdError *error) {
    return crd_expr_held_value(e, variables, NULL, value, error);
}

CardanStatus crd_expr_jet(const CrdExpr *e, const CrdJet *variables, CrdJet *value, CrdError *error) {
    return run_jet(e, 2, variables, NULL, value, error);
}

CardanStatus crd_expr_slope(const CrdExpr *e, const CrdJet *variables, CrdJet *value, CrdError *error) {
    return run_jet(e, 1, variables, NULL, value, error);
}

CardanStatus crd_expr_kinks(const CrdExpr *e, const double *variables, double *values, CrdError *error) {
    return crd_expr_held_kinks(e, variables, NULL, values, error);
}

int crd_expr_kink_count(const CrdExpr *e) {
    return e->kinks;
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
static void join_branches(Reading *r, int at) {
    for (; r->branches > 0 && r->branch[r->branches - 1].end == at; r->branches--)
        *r->top = *r->top || r->branch[r->branches - 1].moves;
}

/* Values of the stack from `below` under the top are merged into one, `down` slots under the top. */
static void merge(Reading *r, int below, int down) {
    bool moves = false;
    for (int i = 0; i <= below; i++) moves = moves || r->top[-i];
    r->top -= down;
    *r->top = moves;
}

static void read_instruction(Reading *r, const CrdInstruction *in, int at, bool variable_moves) {
    switch (in->op) {
    case CRD_OP_CONSTANT:
    case CRD_OP_VARIABLE:
        *++r->top = in->op == CRD_OP_VARIABLE && variable_moves;
        break;
    case CRD_OP_NEGATE:
    case CRD_OP_CALL:
    case CRD_OP_TABLE:
        break;
    case CRD_OP_UNLESS:
        r->condition[r->conditions++] = *r->top--;
        break;
    case CRD_OP_JUMP:
        r->conditions--;
        r->branch[r->branches].end = at + 1 + in->as.index;
        r->branch[r->branches++].moves = *r->top || r->condition[r->conditions];
        r->top--;
        break;
    case CRD_OP_FIRST_POINT: /* x  x0 y0 -> x y x0 y0 */
        merge(r, 2, 0);
        r->top[1] = r->top[0];
        r->top++;
        break;
    case CRD_OP_NEXT_POINT: /* x y  x0 y0  x1 y1 -> x y  x1 y1 */
        merge(r, 5, 0);
        r->top[-4] = r->top[0];
        r->top -= 2;
        r->top[0] = r->top[2];
        break;
    case CRD_OP_END_TABLE:
        merge(r, 3, 3);
        break;
    default:
        merge(r, 1, 1);
    }
}

/* Does what the kinks of an instruction compare move? */
static bool operands_move(const Reading *r, const CrdInstruction *in) {
    switch (in->op) {
    case CRD_OP_CALL:
    case CRD_OP_TABLE:
        return r->top[0];
    case CRD_OP_FIRST_POINT: /* x  x0 y0 */
        return r->top[-2] || r->top[-1];
    case CRD_OP_NEXT_POINT: /* x y  x0 y0  x1 y1 */
        return r->top[-5] || r->top[-1];
    default:
        return r->top[-1] || r->top[0];
    }
}

void crd_expr_kink_reads(const CrdExpr *e, bool (*moves)(const void *user, int variable), const void *user, bool *reads) {
    Reading r = {.conditions = 0};
    r.top = r.stack;
    for (int i = 0; i < e->count; i++) {
        const CrdInstruction *in = &e->code[i];
        join_branches(&r, i);
        for (int k = crd_kink_count(in); k > 0; k--) reads[in->kink + k - 1] = operands_move(&r, in);
        read_instruction(&r, in, i, in->op == CRD_OP_VARIABLE && moves(user, in->as.index));
    }
}
