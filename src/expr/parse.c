/* From text to program in one pass, without a tree:
 *     comparison := sum (("<" | "<=" | ...) sum)*        sum := product (("+" | "-") product)*
 *     product := unary (("*" | "/") unary)*              unary := ("+" | "-")* atom ["^" unary]
 *     atom := number | name | name "(" arguments ")" | "(" comparison ")"
 * Each part leaves its instructions behind those of its operands. Operands that are constants stand there as single
 * instructions, so folding is running the last few instructions and putting the result in their place. */
#include "expr/lex.h"
#include "expr/program.h"

#include "core/memory.h"
#include "core/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Parser {
    CrdLexer lexer;
    const CrdSymbols *symbols;
    CrdDraft *draft;
    int depth;   /* stack slots in use after the instructions so far */
    int nesting; /* brackets and powers around the current word */
    int guarded; /* branches of `if` around it that may not be taken: faults there are not yet errors */
} Parser;

static CardanStatus parse_comparison(Parser *p);

static CardanStatus refuse(Parser *p, int column, const char *format, ...) CRD_PRINTF(3, 4);
static CardanStatus exceed(Parser *p, int column, const char *format, ...) CRD_PRINTF(3, 4);

static CardanStatus refuse_as(Parser *p, CardanStatus status, int column, const char *format, va_list arguments) {
    char what[512];
    vsnprintf(what, sizeof what, format, arguments);
    return crd_expr_fail(p->lexer.error, status, p->lexer.text, column, what);
}

/* The text makes no sense. */
static CardanStatus refuse(Parser *p, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CardanStatus status = refuse_as(p, CARDAN_ERR_MODEL, column, format, arguments);
    va_end(arguments);
    return status;
}

/* The text exceeds a limit. */
static CardanStatus exceed(Parser *p, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CardanStatus status = refuse_as(p, CARDAN_ERR_LIMIT, column, format, arguments);
    va_end(arguments);
    return status;
}

/* How much of a word a message shows. */
static int shown(const CrdToken *token) {
    return token->length < 64 ? (int)token->length : 64;
}

/* ---- emitting ---- */

/* Appends an instruction that changes the height of the stack by rise. */
static CardanStatus emit(Parser *p, CrdInstruction in, int rise) {
    CrdDraft *d = p->draft;
    if (!crd_grow(&d->code, &d->code_capacity, d->count + 1, sizeof in)) return crd_fail_memory(p->lexer.error);
    p->depth += rise;
    if (p->depth > CRD_EXPR_MAX_DEPTH) {
        return exceed(p, in.column, "the expression is too deep: more than %d values wait for an operation",
                      CRD_EXPR_MAX_DEPTH);
    }
    if (p->depth > d->deepest) d->deepest = p->depth;
    d->code[d->count++] = in;
    return CARDAN_OK;
}

static bool is_constant(const Parser *p, int at) {
    return p->draft->code[at].op == CRD_OP_CONSTANT;
}

/* Is everything since start one constant? */
static bool is_one_constant(const Parser *p, int start) {
    return p->draft->count == start + 1 && is_constant(p, start);
}

/* Replaces the instructions since start, which read no variable, by their value. */
static CardanStatus fold(Parser *p, int start) {
    CrdDraft *d = p->draft;
    CrdProgram part = {d->code + start, d->count - start, d->points, 0};
    CrdFault fault;
    double value;
    if (!crd_run_value(&part, NULL, NULL, &value, &fault)) {
        return p->guarded > 0 ? CARDAN_OK : refuse(p, fault.column, "%s", fault.what);
    }
    d->code[start] = (CrdInstruction){CRD_OP_CONSTANT, d->code[start].column, {.number = value}, 0};
    d->count = start + 1;
    return CARDAN_OK;
}

/* Appends an operation on the operands whose instructions begin at start. */
static CardanStatus emit_operation(Parser *p, int start, CrdInstruction in, int operands) {
    bool constant = p->draft->count - start == operands;
    for (int i = 0; constant && i < operands; i++) constant = is_constant(p, start + i);
    CRD_TRY(emit(p, in, 1 - operands));
    return constant ? fold(p, start) : CARDAN_OK;
}

static CardanStatus emit_constant(Parser *p, double number, int column) {
    return emit(p, (CrdInstruction){CRD_OP_CONSTANT, column, {.number = number}, 0}, 1);
}

/* ---- calls ---- */

static CardanStatus expect(Parser *p, int kind, int opened) {
    if (p->lexer.token.kind == kind) return crd_lex_next(&p->lexer);
    const CrdToken *token = &p->lexer.token;
    if (token->kind == CRD_TOKEN_END) return refuse(p, opened, "the bracket opened here is not closed");
    return refuse(p, token->column, "expected '%c' or an operator before '%.*s'", kind, shown(token), token->start);
}

/* An `if` whose condition is a constant is the branch it takes; the other one is read and dropped. */
static CardanStatus parse_branch(Parser *p, bool guarded, bool dropped) {
    int count = p->draft->count, points = p->draft->point_count, depth = p->depth;
    p->guarded += guarded;
    CRD_TRY(parse_comparison(p));
    p->guarded -= guarded;
    if (dropped) {
        p->draft->count = count;
        p->draft->point_count = points;
        p->depth = depth;
    }
    return CARDAN_OK;
}

static CardanStatus parse_constant_if(Parser *p, bool taken, int opened) {
    CRD_TRY(parse_branch(p, !taken, !taken));
    CRD_TRY(expect(p, ',', opened));
    return parse_branch(p, taken, taken);
}

static CardanStatus parse_if(Parser *p, int column, int opened) {
    CrdDraft *d = p->draft;
    int start = d->count;
    CRD_TRY(parse_comparison(p));
    CRD_TRY(expect(p, ',', opened));
    if (is_one_constant(p, start)) {
        d->count = start;
        p->depth--;
        return parse_constant_if(p, d->code[start].as.number != 0.0, opened);
    }
    int unless = d->count;
    CRD_TRY(emit(p, (CrdInstruction){CRD_OP_UNLESS, column, {.index = 0}, 0}, -1));
    CRD_TRY(parse_branch(p, true, false));
    CRD_TRY(expect(p, ',', opened));
    int jump = d->count;
    CRD_TRY(emit(p, (CrdInstruction){CRD_OP_JUMP, column, {.index = 0}, 0}, -1));
    CRD_TRY(parse_branch(p, true, false));
    d->code[unless].as.index = jump - unless;
    d->code[jump].as.index = d->count - jump - 1;
    return CARDAN_OK;
}

/* The last breakpoint of a table being read; its value when that is known. */
typedef struct Breakpoint {
    bool known;
    int column;
    double x;
} Breakpoint;

/* One pair of a table: its two values, left on the stack. */
static CardanStatus parse_point(Parser *p, Breakpoint *last, bool *constant, int opened) {
    CrdDraft *d = p->draft;
    CRD_TRY(expect(p, ',', opened));
    int column = p->lexer.token.column, start = d->count;
    CRD_TRY(parse_comparison(p));
    Breakpoint x = {.known = is_one_constant(p, start), .column = column};
    if (x.known) x.x = d->code[start].as.number;
    if (x.known && last->known && !(x.x > last->x && isfinite(x.x - last->x))) {
        return refuse(p, column, "breakpoints of table must increase: %.17g after %.17g", x.x, last->x);
    }
    *last = x;
    CRD_TRY(expect(p, ',', opened));
    start = d->count;
    CRD_TRY(parse_comparison(p));
    *constant = *constant && x.known && is_one_constant(p, start);
    return CARDAN_OK;
}

/* Turns a table whose points, from the instruction first on, are all constants into one instruction. start: where its
 * x begins. */
static CardanStatus emit_constant_table(Parser *p, int start, int first, int pairs, int column) {
    CrdDraft *d = p->draft;
    int points = d->point_count;
    if (!crd_grow(&d->points, &d->point_capacity, 2 * (points + pairs), sizeof *d->points)) {
        return crd_fail_memory(p->lexer.error);
    }
    for (int i = 0; i < pairs; i++) { /* each pair: x, y, first or next point */
        d->points[2 * (points + i)] = d->code[first + 3 * i].as.number;
        d->points[2 * (points + i) + 1] = d->code[first + 3 * i + 1].as.number;
    }
    d->point_count = points + pairs;
    d->count = first;
    p->depth -= 3;
    bool folds = is_one_constant(p, start);
    CrdInstruction in = {CRD_OP_TABLE, column, {.points = {points, pairs}}, 0};
    CRD_TRY(emit_operation(p, start, in, 1));
    if (folds && is_one_constant(p, start)) d->point_count = points;
    return CARDAN_OK;
}

static CardanStatus parse_table(Parser *p, int arguments, int column, int opened) {
    int start = p->draft->count;
    CRD_TRY(parse_comparison(p));
    int first = p->draft->count, pairs = (arguments - 1) / 2;
    Breakpoint last = {.known = false};
    bool constant = true;
    for (int i = 0; i < pairs; i++) {
        CRD_TRY(parse_point(p, &last, &constant, opened));
        CrdOp op = i == 0 ? CRD_OP_FIRST_POINT : CRD_OP_NEXT_POINT;
        CRD_TRY(emit(p, (CrdInstruction){op, last.column, {.index = 0}, 0}, i == 0 ? 1 : -2));
    }
    if (constant) return emit_constant_table(p, start, first, pairs, column);
    return emit(p, (CrdInstruction){CRD_OP_END_TABLE, column, {.index = 0}, 0}, -3);
}

static CardanStatus parse_reduction(Parser *p, const CrdFunction *f, int arguments, int column, int opened) {
    int start = p->draft->count;
    CRD_TRY(parse_comparison(p));
    for (int i = 1; i < arguments; i++) {
        CRD_TRY(expect(p, ',', opened));
        CRD_TRY(parse_comparison(p));
        CRD_TRY(emit_operation(p, start, (CrdInstruction){f->op, column, {.index = 0}, 0}, 2));
    }
    return CARDAN_OK;
}

static CardanStatus check_arguments(Parser *p, const CrdFunction *f, int given, int column) {
    bool pairs = f->kind != CRD_CALL_TABLE || given % 2 == 1;
    if (given >= f->least && (f->most < 0 || given <= f->most) && pairs) return CARDAN_OK;
    if (f->kind == CRD_CALL_TABLE) {
        return refuse(p, column, "table expects x and then pairs x0,y0, x1,y1, ... (3, 5, 7, ... arguments), got %d",
                      given);
    }
    return refuse(p, column, "%s expects %s%d argument%s, got %d", f->name, f->most < 0 ? "at least " : "", f->least,
                  f->least == 1 ? "" : "s", given);
}

static CardanStatus parse_arguments(Parser *p, const CrdFunction *f, int arguments, int column, int opened) {
    int start = p->draft->count;
    switch (f->kind) {
    case CRD_CALL_IF:
        return parse_if(p, column, opened);
    case CRD_CALL_TABLE:
        return parse_table(p, arguments, column, opened);
    case CRD_CALL_BINARY:
    case CRD_CALL_REDUCE:
        return parse_reduction(p, f, arguments, column, opened);
    default:
        CRD_TRY(parse_comparison(p));
        return emit_operation(p, start, (CrdInstruction){CRD_OP_CALL, column, {.function = f}, 0}, 1);
    }
}

static CardanStatus parse_call(Parser *p) {
    CrdToken name = p->lexer.token;
    const CrdFunction *f = crd_function_find(name.start, name.length);
    if (f == NULL) {
        const char *near = crd_function_nearest(name.start, name.length);
        return refuse(p, name.column,
                      near != NULL ? "unknown function '%.*s'; did you mean '%s'?" : "unknown function '%.*s'",
                      shown(&name), name.start, near);
    }
    CRD_TRY(crd_lex_next(&p->lexer));
    int opened = p->lexer.token.column, arguments = crd_lex_count_arguments(&p->lexer);
    if (arguments < 0) return refuse(p, opened, "the bracket opened here is not closed");
    CRD_TRY(check_arguments(p, f, arguments, name.column));
    CRD_TRY(crd_lex_next(&p->lexer));
    CRD_TRY(parse_arguments(p, f, arguments, name.column, opened));
    return expect(p, ')', opened);
}

/* ---- atoms, powers, signs ---- */

static CardanStatus refuse_name(Parser *p, const CrdToken *name) {
    if (crd_function_find(name->start, name->length) != NULL) {
        return refuse(p, name->column, "'%.*s' is a function: write %.*s(...)", shown(name), name->start, shown(name),
                      name->start);
    }
    char buffer[256] = "";
    const CrdSymbols *s = p->symbols;
    const char *hint =
        s != NULL && s->suggest != NULL ? s->suggest(s->user, name->start, name->length, buffer, sizeof buffer) : NULL;
    return refuse(p, name->column, "unknown name '%.*s'%s%s", shown(name), name->start, hint != NULL ? "; " : "",
                  hint != NULL ? hint : "");
}

static CardanStatus parse_name(Parser *p) {
    if (crd_lex_peek(&p->lexer, '(')) return parse_call(p);
    CrdToken name = p->lexer.token;
    CRD_TRY(crd_lex_next(&p->lexer));
    if (name.length == 2 && memcmp(name.start, "pi", 2) == 0) return emit_constant(p, CRD_PI, name.column);
    int index = p->symbols != NULL ? p->symbols->find(p->symbols->user, name.start, name.length) : -1;
    if (index < 0) return refuse_name(p, &name);
    return emit(p, (CrdInstruction){CRD_OP_VARIABLE, name.column, {.index = index}, 0}, 1);
}

static CardanStatus parse_atom(Parser *p) {
    CrdToken token = p->lexer.token;
    switch (token.kind) {
    case CRD_TOKEN_NUMBER:
        CRD_TRY(crd_lex_next(&p->lexer));
        return emit_constant(p, token.number, token.column);
    case CRD_TOKEN_NAME:
        return parse_name(p);
    case '(':
        CRD_TRY(crd_lex_next(&p->lexer));
        CRD_TRY(parse_comparison(p));
        return expect(p, ')', token.column);
    case CRD_TOKEN_END:
        return refuse(p, token.column, "the expression ends where a value is expected");
    default:
        return refuse(p, token.column, "expected a value before '%.*s'", shown(&token), token.start);
    }
}

static CardanStatus parse_unary(Parser *p) {
    if (++p->nesting > CRD_EXPR_MAX_NESTING) {
        return exceed(p, p->lexer.token.column,
                      "the expression is too deep: more than %d brackets and powers inside each other",
                      CRD_EXPR_MAX_NESTING);
    }
    int start = p->draft->count, column = p->lexer.token.column;
    bool negative = false;
    while (p->lexer.token.kind == '-' || p->lexer.token.kind == '+') {
        negative ^= p->lexer.token.kind == '-';
        CRD_TRY(crd_lex_next(&p->lexer));
    }
    CRD_TRY(parse_atom(p));
    if (p->lexer.token.kind == '^') {
        int power = p->lexer.token.column;
        CRD_TRY(crd_lex_next(&p->lexer));
        CRD_TRY(parse_unary(p));
        CRD_TRY(emit_operation(p, start, (CrdInstruction){CRD_OP_POWER, power, {.index = 0}, 0}, 2));
    }
    p->nesting--;
    if (!negative) return CARDAN_OK;
    return emit_operation(p, start, (CrdInstruction){CRD_OP_NEGATE, column, {.index = 0}, 0}, 1);
}

/* ---- operations left to right, by level ---- */

enum { LEVELS = 3 };

static const struct {
    int token, level;
    CrdOp op;
} OPERATORS[] = {
    {'<', 0, CRD_OP_LESS},
    {CRD_TOKEN_LESS_EQUAL, 0, CRD_OP_LESS_EQUAL},
    {'>', 0, CRD_OP_GREATER},
    {CRD_TOKEN_GREATER_EQUAL, 0, CRD_OP_GREATER_EQUAL},
    {CRD_TOKEN_EQUAL, 0, CRD_OP_EQUAL},
    {CRD_TOKEN_NOT_EQUAL, 0, CRD_OP_NOT_EQUAL},
    {'+', 1, CRD_OP_ADD},
    {'-', 1, CRD_OP_SUBTRACT},
    {'*', 2, CRD_OP_MULTIPLY},
    {'/', 2, CRD_OP_DIVIDE},
};

/* The number of the operator at this level the token is, or -1. */
static int find_operator(int token, int level) {
    for (int i = 0; i < (int)(sizeof OPERATORS / sizeof OPERATORS[0]); i++) {
        if (OPERATORS[i].token == token && OPERATORS[i].level == level) return i;
    }
    return -1;
}

static CardanStatus parse_level(Parser *p, int level) {
    if (level == LEVELS) return parse_unary(p);
    int start = p->draft->count;
    CRD_TRY(parse_level(p, level + 1));
    for (int i; (i = find_operator(p->lexer.token.kind, level)) >= 0;) {
        int column = p->lexer.token.column;
        CRD_TRY(crd_lex_next(&p->lexer));
        CRD_TRY(parse_level(p, level + 1));
        CRD_TRY(emit_operation(p, start, (CrdInstruction){OPERATORS[i].op, column, {.index = 0}, 0}, 2));
    }
    return CARDAN_OK;
}

static CardanStatus parse_comparison(Parser *p) {
    return parse_level(p, 0);
}

static CardanStatus check_end(Parser *p) {
    CrdToken token = p->lexer.token;
    switch (token.kind) {
    case CRD_TOKEN_END:
        return CARDAN_OK;
    case ')':
        return refuse(p, token.column, "this ')' closes nothing");
    case ',':
        return refuse(p, token.column, "a ',' stands only between the arguments of a function");
    default:
        return refuse(p, token.column, "expected an operator before '%.*s'", shown(&token), token.start);
    }
}

CardanStatus crd_parse(const char *text, const CrdSymbols *symbols, CrdDraft *draft, CrdError *error) {
    size_t length = strlen(text);
    Parser p = {
        .lexer = {.text = text, .at = text, .end = text + length, .error = error}, .symbols = symbols, .draft = draft};
    if (length > CRD_EXPR_MAX_LENGTH) {
        return exceed(&p, CRD_EXPR_MAX_LENGTH + 1, "the expression is longer than %d bytes", CRD_EXPR_MAX_LENGTH);
    }
    CRD_TRY(crd_lex_next(&p.lexer));
    if (p.lexer.token.kind == CRD_TOKEN_END) return refuse(&p, 1, "the expression is empty");
    CRD_TRY(parse_comparison(&p));
    return check_end(&p);
}

void crd_draft_free(CrdDraft *draft) {
    crd_delete(draft->code);
    crd_delete(draft->points);
}
