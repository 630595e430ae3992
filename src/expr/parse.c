/* From text to program in one pass, without a tree:
 *     comparison := sum (("<" | "<=" | ...) sum)*        sum := product (("+" | "-") product)*
 *     product := unary (("*" | "/") unary)*              unary := ("+" | "-")* atom ["^" unary]
 *     atom := number | name | name "(" arguments ")" | "(" comparison ")"
 * Each part leaves its instructions behind those of its operands. Operands that are constants stand there as single
 * instructions, so folding is running the last few instructions and putting the result in their place. */
#include "expr/emit.h"

#include "core/memory.h"
#include "core/numbers.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static CardanStatus parse_comparison(CrdParser *parser);

/* How much of a word a message shows. */
static int shown(const CrdToken *token) {
    return token->length < 64 ? (int)token->length : 64;
}

/* ---- calls ---- */

static CardanStatus expect(CrdParser *parser, int kind, int opened) {
    if (parser->lexer.token.kind == kind) return crd_lex_next(&parser->lexer);
    const CrdToken *token = &parser->lexer.token;
    if (token->kind == CRD_TOKEN_END) return crd_parse_refuse(parser, opened, "the bracket opened here is not closed");
    return crd_parse_refuse(parser, token->column, "expected '%c' or an operator before '%.*s'", kind, shown(token),
                            token->start);
}

/* An `if` whose condition is a constant is the branch it takes; the other one is read and dropped. */
static CardanStatus parse_branch(CrdParser *parser, bool guarded, bool dropped) {
    int count = parser->draft->count, points = parser->draft->point_count, depth = parser->depth;
    parser->guarded += guarded;
    CRD_TRY(parse_comparison(parser));
    parser->guarded -= guarded;
    if (dropped) {
        parser->draft->count = count;
        parser->draft->point_count = points;
        parser->depth = depth;
    }
    return CARDAN_OK;
}

static CardanStatus parse_constant_if(CrdParser *parser, bool taken, int opened) {
    CRD_TRY(parse_branch(parser, !taken, !taken));
    CRD_TRY(expect(parser, ',', opened));
    return parse_branch(parser, taken, taken);
}

static CardanStatus parse_if(CrdParser *parser, int column, int opened) {
    CrdDraft *draft = parser->draft;
    int start = draft->count;
    CRD_TRY(parse_comparison(parser));
    CRD_TRY(expect(parser, ',', opened));
    if (crd_emitted_constant(parser, start)) {
        draft->count = start;
        parser->depth--;
        return parse_constant_if(parser, draft->code[start].as.number != 0.0, opened);
    }
    int unless = draft->count;
    CRD_TRY(crd_emit(parser, (CrdInstruction){CRD_OP_UNLESS, column, {.index = 0}, 0}, -1));
    CRD_TRY(parse_branch(parser, true, false));
    CRD_TRY(expect(parser, ',', opened));
    int jump = draft->count;
    CRD_TRY(crd_emit(parser, (CrdInstruction){CRD_OP_JUMP, column, {.index = 0}, 0}, -1));
    CRD_TRY(parse_branch(parser, true, false));
    assert(unless < jump && jump < draft->count);
    draft->code[unless].as.index = jump - unless;
    draft->code[jump].as.index = draft->count - jump - 1;
    return CARDAN_OK;
}

/* The last breakpoint of a table being read; its value when that is known. */
typedef struct Breakpoint {
    bool known;
    int column;
    double x;
} Breakpoint;

/* One pair of a table: its two values, left on the stack. */
static CardanStatus parse_point(CrdParser *parser, Breakpoint *last, bool *constant, int opened) {
    CrdDraft *draft = parser->draft;
    CRD_TRY(expect(parser, ',', opened));
    int column = parser->lexer.token.column, start = draft->count;
    CRD_TRY(parse_comparison(parser));
    Breakpoint x = {.known = crd_emitted_constant(parser, start), .column = column};
    if (x.known) x.x = draft->code[start].as.number;
    if (x.known && last->known && !(x.x > last->x && isfinite(x.x - last->x))) {
        return crd_parse_refuse(parser, column, "breakpoints of table must increase: %.17g after %.17g", x.x, last->x);
    }
    *last = x;
    CRD_TRY(expect(parser, ',', opened));
    start = draft->count;
    CRD_TRY(parse_comparison(parser));
    *constant = *constant && x.known && crd_emitted_constant(parser, start);
    return CARDAN_OK;
}

/* Turns a table whose points, from the instruction first on, are all constants into one instruction. start: where its
 * x begins. */
static CardanStatus emit_constant_table(CrdParser *parser, int start, int first, int pairs, int column) {
    CrdDraft *draft = parser->draft;
    int points = draft->point_count;
    if (!crd_grow(&draft->points, &draft->point_capacity, 2 * (points + pairs), sizeof *draft->points)) {
        return crd_fail_memory(parser->lexer.error);
    }
    for (int i = 0; i < pairs; i++) { /* each pair: x, y, first or next point */
        draft->points[2 * (points + i)] = draft->code[first + 3 * i].as.number;
        draft->points[2 * (points + i) + 1] = draft->code[first + 3 * i + 1].as.number;
    }
    draft->point_count = points + pairs;
    draft->count = first;
    parser->depth -= 3;
    bool folds = crd_emitted_constant(parser, start);
    CrdInstruction in = {CRD_OP_TABLE, column, {.points = {points, pairs}}, 0};
    CRD_TRY(crd_emit_operation(parser, start, in, 1));
    if (folds && crd_emitted_constant(parser, start)) draft->point_count = points;
    return CARDAN_OK;
}

static CardanStatus parse_table(CrdParser *parser, int arguments, int column, int opened) {
    int start = parser->draft->count;
    CRD_TRY(parse_comparison(parser));
    int first = parser->draft->count, pairs = (arguments - 1) / 2;
    Breakpoint last = {.known = false};
    bool constant = true;
    for (int i = 0; i < pairs; i++) {
        CRD_TRY(parse_point(parser, &last, &constant, opened));
        CrdOp op = i == 0 ? CRD_OP_FIRST_POINT : CRD_OP_NEXT_POINT;
        CRD_TRY(crd_emit(parser, (CrdInstruction){op, last.column, {.index = 0}, 0}, i == 0 ? 1 : -2));
    }
    if (constant) return emit_constant_table(parser, start, first, pairs, column);
    return crd_emit(parser, (CrdInstruction){CRD_OP_END_TABLE, column, {.index = 0}, 0}, -3);
}

static CardanStatus parse_reduction(CrdParser *parser, const CrdFunction *function, int arguments, int column,
                                    int opened) {
    int start = parser->draft->count;
    CRD_TRY(parse_comparison(parser));
    for (int i = 1; i < arguments; i++) {
        CRD_TRY(expect(parser, ',', opened));
        CRD_TRY(parse_comparison(parser));
        CRD_TRY(crd_emit_operation(parser, start, (CrdInstruction){function->op, column, {.index = 0}, 0}, 2));
    }
    return CARDAN_OK;
}

static CardanStatus check_arguments(CrdParser *parser, const CrdFunction *function, int given, int column) {
    bool pairs = function->kind != CRD_CALL_TABLE || given % 2 == 1;
    if (given >= function->min && (function->max < 0 || given <= function->max) && pairs) return CARDAN_OK;
    if (function->kind == CRD_CALL_TABLE) {
        return crd_parse_refuse(
            parser, column, "table expects x and then pairs x0,y0, x1,y1, ... (3, 5, 7, ... arguments), got %d", given);
    }
    return crd_parse_refuse(parser, column, "%s expects %s%d argument%s, got %d", function->name,
                            function->max < 0 ? "at least " : "", function->min, function->min == 1 ? "" : "s", given);
}

static CardanStatus parse_arguments(CrdParser *parser, const CrdFunction *function, int arguments, int column,
                                    int opened) {
    int start = parser->draft->count;
    switch (function->kind) {
    case CRD_CALL_IF:
        return parse_if(parser, column, opened);
    case CRD_CALL_TABLE:
        return parse_table(parser, arguments, column, opened);
    case CRD_CALL_BINARY:
    case CRD_CALL_REDUCE:
        return parse_reduction(parser, function, arguments, column, opened);
    default:
        CRD_TRY(parse_comparison(parser));
        return crd_emit_operation(parser, start, (CrdInstruction){CRD_OP_CALL, column, {.function = function}, 0}, 1);
    }
}

static CardanStatus refuse_name(CrdParser *parser, const CrdToken *name) {
    if (crd_function_find(name->start, name->length) != NULL) {
        return crd_parse_refuse(parser, name->column, "'%.*s' is a function: write %.*s(...)", shown(name), name->start,
                                shown(name), name->start);
    }
    char buffer[256] = "";
    const CrdSymbols *symbols = parser->symbols;
    const char *hint = symbols != NULL && symbols->suggest != NULL
                           ? symbols->suggest(symbols->user, name->start, name->length, buffer, sizeof buffer)
                           : NULL;
    return crd_parse_refuse(parser, name->column, "unknown name '%.*s'%s%s", shown(name), name->start,
                            hint != NULL ? "; " : "", hint != NULL ? hint : "");
}

/* A variable. */
static CardanStatus emit_name(CrdParser *parser, const CrdToken *name) {
    int index = parser->symbols != NULL ? parser->symbols->find(parser->symbols->user, name->start, name->length) : -1;
    if (index < 0) return refuse_name(parser, name);
    return crd_emit(parser, (CrdInstruction){CRD_OP_VARIABLE, name->column, {.index = index}, 0}, 1);
}

/* distance(foot, hip), angle(foot, hip): no functions of numbers, but names of variables. */
static bool is_pair(const CrdToken *name) {
    static const char *const WORDS[] = {"distance", "angle"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strlen(WORDS[i]) == name->length && memcmp(WORDS[i], name->start, name->length) == 0) return true;
    return false;
}

static CardanStatus parse_pair(CrdParser *parser) {
    CrdToken name = parser->lexer.token;
    CRD_TRY(crd_lex_next(&parser->lexer));
    int opened = parser->lexer.token.column;
    while (parser->lexer.token.kind != ')') {
        if (parser->lexer.token.kind == CRD_TOKEN_END)
            return crd_parse_refuse(parser, opened, "the bracket opened here is not closed");
        CRD_TRY(crd_lex_next(&parser->lexer));
    }
    name.length = (size_t)(parser->lexer.token.start + 1 - name.start);
    CRD_TRY(crd_lex_next(&parser->lexer));
    return emit_name(parser, &name);
}

static CardanStatus parse_call(CrdParser *parser) {
    CrdToken name = parser->lexer.token;
    const CrdFunction *function = crd_function_find(name.start, name.length);
    if (function == NULL && is_pair(&name)) return parse_pair(parser);
    if (function == NULL) {
        const char *near = crd_function_nearest(name.start, name.length);
        return crd_parse_refuse(parser, name.column,
                                near != NULL ? "unknown function '%.*s'; did you mean '%s'?"
                                             : "unknown function '%.*s'",
                                shown(&name), name.start, near);
    }
    CRD_TRY(crd_lex_next(&parser->lexer));
    int opened = parser->lexer.token.column, arguments = crd_lex_count_arguments(&parser->lexer);
    if (arguments < 0) return crd_parse_refuse(parser, opened, "the bracket opened here is not closed");
    CRD_TRY(check_arguments(parser, function, arguments, name.column));
    CRD_TRY(crd_lex_next(&parser->lexer));
    CRD_TRY(parse_arguments(parser, function, arguments, name.column, opened));
    return expect(parser, ')', opened);
}

/* ---- atoms, powers, signs ---- */

static CardanStatus parse_name(CrdParser *parser) {
    if (crd_lex_peek(&parser->lexer, '(')) return parse_call(parser);
    CrdToken name = parser->lexer.token;
    CRD_TRY(crd_lex_next(&parser->lexer));
    if (name.length == 2 && memcmp(name.start, "pi", 2) == 0) return crd_emit_constant(parser, CRD_PI, name.column);
    return emit_name(parser, &name);
}

static CardanStatus parse_atom(CrdParser *parser) {
    CrdToken token = parser->lexer.token;
    switch (token.kind) {
    case CRD_TOKEN_NUMBER:
        CRD_TRY(crd_lex_next(&parser->lexer));
        return crd_emit_constant(parser, token.number, token.column);
    case CRD_TOKEN_NAME:
        return parse_name(parser);
    case '(':
        CRD_TRY(crd_lex_next(&parser->lexer));
        CRD_TRY(parse_comparison(parser));
        return expect(parser, ')', token.column);
    case CRD_TOKEN_END:
        return crd_parse_refuse(parser, token.column, "the expression ends where a value is expected");
    default:
        return crd_parse_refuse(parser, token.column, "expected a value before '%.*s'", shown(&token), token.start);
    }
}

static CardanStatus parse_unary(CrdParser *parser) {
    if (++parser->nesting > CRD_EXPR_MAX_NESTING) {
        return crd_parse_exceed(parser, parser->lexer.token.column,
                                "the expression is too deep: more than %d brackets and powers inside each other",
                                CRD_EXPR_MAX_NESTING);
    }
    int start = parser->draft->count, column = parser->lexer.token.column;
    bool negative = false;
    while (parser->lexer.token.kind == '-' || parser->lexer.token.kind == '+') {
        negative ^= parser->lexer.token.kind == '-';
        CRD_TRY(crd_lex_next(&parser->lexer));
    }
    CRD_TRY(parse_atom(parser));
    if (parser->lexer.token.kind == '^') {
        int power = parser->lexer.token.column;
        CRD_TRY(crd_lex_next(&parser->lexer));
        CRD_TRY(parse_unary(parser));
        CRD_TRY(crd_emit_operation(parser, start, (CrdInstruction){CRD_OP_POWER, power, {.index = 0}, 0}, 2));
    }
    parser->nesting--;
    if (!negative) return CARDAN_OK;
    return crd_emit_operation(parser, start, (CrdInstruction){CRD_OP_NEGATE, column, {.index = 0}, 0}, 1);
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

static CardanStatus parse_level(CrdParser *parser, int level) {
    if (level == LEVELS) return parse_unary(parser);
    int start = parser->draft->count;
    CRD_TRY(parse_level(parser, level + 1));
    for (int i; (i = find_operator(parser->lexer.token.kind, level)) >= 0;) {
        int column = parser->lexer.token.column;
        CRD_TRY(crd_lex_next(&parser->lexer));
        CRD_TRY(parse_level(parser, level + 1));
        CRD_TRY(crd_emit_operation(parser, start, (CrdInstruction){OPERATORS[i].op, column, {.index = 0}, 0}, 2));
    }
    return CARDAN_OK;
}

static CardanStatus parse_comparison(CrdParser *parser) {
    return parse_level(parser, 0);
}

static CardanStatus check_end(CrdParser *parser) {
    CrdToken token = parser->lexer.token;
    switch (token.kind) {
    case CRD_TOKEN_END:
        return CARDAN_OK;
    case ')':
        return crd_parse_refuse(parser, token.column, "this ')' closes nothing");
    case ',':
        return crd_parse_refuse(parser, token.column, "a ',' stands only between the arguments of a function");
    default:
        return crd_parse_refuse(parser, token.column, "expected an operator before '%.*s'", shown(&token), token.start);
    }
}

CardanStatus crd_parse(const char *text, const CrdSymbols *symbols, CrdDraft *draft, CrdError *error) {
    size_t length = strlen(text);
    CrdParser p = {
        .lexer = {.text = text, .at = text, .end = text + length, .error = error}, .symbols = symbols, .draft = draft};
    if (length > CRD_EXPR_MAX_LENGTH) {
        return crd_parse_exceed(&p, CRD_EXPR_MAX_LENGTH + 1, "the expression is longer than %d bytes",
                                CRD_EXPR_MAX_LENGTH);
    }
    CRD_TRY(crd_lex_next(&p.lexer));
    if (p.lexer.token.kind == CRD_TOKEN_END) return crd_parse_refuse(&p, 1, "the expression is empty");
    CRD_TRY(parse_comparison(&p));
    assert(p.depth == 1 && p.nesting == 0 && p.guarded == 0);
    return check_end(&p);
}

void crd_draft_free(CrdDraft *draft) {
    crd_delete(draft->code);
    crd_delete(draft->points);
}
