/* What a parser leaves behind: instructions, folded where they are constant, or the sentence of its refusal. */
#ifndef CRD_EXPR_EMIT_H
#define CRD_EXPR_EMIT_H

#include "expr/lex.h"
#include "expr/program.h"

typedef struct CrdParser {
    CrdLexer lexer;
    const CrdSymbols *symbols;
    CrdDraft *draft;
    int depth;   /* stack slots in use after the instructions so far */
    int nesting; /* brackets and powers around the current word */
    int guarded; /* branches of `if` around it that may not be taken: faults there are not yet errors */
} CrdParser;

/* The text makes no sense; the text exceeds a limit. */
CardanStatus crd_parse_refuse(CrdParser *parser, int column, const char *format, ...) CRD_PRINTF(3, 4);
CardanStatus crd_parse_exceed(CrdParser *parser, int column, const char *format, ...) CRD_PRINTF(3, 4);

/* Appends an instruction that changes the height of the stack by rise. */
CardanStatus crd_emit(CrdParser *parser, CrdInstruction in, int rise);

/* Appends an operation on the operands whose instructions begin at start; of constants, its value. */
CardanStatus crd_emit_operation(CrdParser *parser, int start, CrdInstruction in, int operands);

CardanStatus crd_emit_constant(CrdParser *parser, double number, int column);

/* Is everything since start one constant? */
bool crd_emitted_constant(const CrdParser *parser, int start);

#endif
