#include "expr/emit.h"

#include "core/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static CardanStatus refuse_as(CrdParser *parser, CardanStatus status, int column, const char *format,
                              va_list arguments) {
    char what[512];
    vsnprintf(what, sizeof what, format, arguments);
    return crd_expr_fail(parser->lexer.error, status, parser->lexer.text, column, what);
}

CardanStatus crd_parse_refuse(CrdParser *parser, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CardanStatus status = refuse_as(parser, CARDAN_ERR_MODEL, column, format, arguments);
    va_end(arguments);
    return status;
}

CardanStatus crd_parse_exceed(CrdParser *parser, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CardanStatus status = refuse_as(parser, CARDAN_ERR_LIMIT, column, format, arguments);
    va_end(arguments);
    return status;
}

CardanStatus crd_emit(CrdParser *parser, CrdInstruction in, int rise) {
    CrdDraft *draft = parser->draft;
    assert(in.column >= 1 && parser->depth + rise >= 0);
    if (!crd_grow(&draft->code, &draft->code_capacity, draft->count + 1, sizeof in))
        return crd_fail_memory(parser->lexer.error);
    parser->depth += rise;
    if (parser->depth > CRD_EXPR_MAX_DEPTH) {
        return crd_parse_exceed(parser, in.column,
                                "the expression is too deep: more than %d values wait for an operation",
                                CRD_EXPR_MAX_DEPTH);
    }
    if (parser->depth > draft->deepest) draft->deepest = parser->depth;
    draft->code[draft->count++] = in;
    return CARDAN_OK;
}

static bool is_constant(const CrdParser *parser, int at) {
    assert(at >= 0 && at < parser->draft->count);
    return parser->draft->code[at].op == CRD_OP_CONSTANT;
}

bool crd_emitted_constant(const CrdParser *parser, int start) {
    return parser->draft->count == start + 1 && is_constant(parser, start);
}

/* Replaces the instructions since start, which read no variable, by their value. */
static CardanStatus fold(CrdParser *parser, int start) {
    CrdDraft *draft = parser->draft;
    CrdProgram part = {draft->code + start, draft->count - start, draft->points, 0};
    assert(part.count > 0);
    CrdFault fault;
    double value;
    if (!crd_run_value(&part, NULL, NULL, &value, &fault)) {
        return parser->guarded > 0 ? CARDAN_OK : crd_parse_refuse(parser, fault.column, "%s", fault.what);
    }
    draft->code[start] = (CrdInstruction){CRD_OP_CONSTANT, draft->code[start].column, {.number = value}, 0};
    draft->count = start + 1;
    return CARDAN_OK;
}

CardanStatus crd_emit_operation(CrdParser *parser, int start, CrdInstruction in, int operands) {
    assert(operands >= 1 && parser->draft->count - start >= operands);
    bool constant = parser->draft->count - start == operands;
    for (int i = 0; constant && i < operands; i++) constant = is_constant(parser, start + i);
    CRD_TRY(crd_emit(parser, in, 1 - operands));
    return constant ? fold(parser, start) : CARDAN_OK;
}

CardanStatus crd_emit_constant(CrdParser *parser, double number, int column) {
    return crd_emit(parser, (CrdInstruction){CRD_OP_CONSTANT, column, {.number = number}, 0}, 1);
}
