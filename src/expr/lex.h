/* Words of an expression: numbers, names, operators. */
#ifndef CRD_EXPR_LEX_H
#define CRD_EXPR_LEX_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum CrdTokenKind {
    CRD_TOKEN_END = 0,
    CRD_TOKEN_NUMBER,
    CRD_TOKEN_NAME,
    CRD_TOKEN_LESS_EQUAL,
    CRD_TOKEN_GREATER_EQUAL,
    CRD_TOKEN_EQUAL,
    CRD_TOKEN_NOT_EQUAL,
    /* the rest are their own characters: + - * / ^ ( ) , < > */
} CrdTokenKind;

typedef struct CrdToken {
    int kind;          /* CrdTokenKind or a character */
    const char *start; /* in the text */
    size_t length;
    int column; /* from 1 */
    double number;
} CrdToken;

typedef struct CrdLexer {
    const char *text, *at, *end;
    CrdToken token; /* the current one */
    CrdError *error;
} CrdLexer;

/* Moves to the next word (the first one when at stands at the beginning). */
CardanStatus crd_lex_next(CrdLexer *lexer);

/* Is the next character but blanks this one? */
bool crd_lex_peek(const CrdLexer *lexer, char c);

/* Arguments of a call whose opening bracket is the current word: 0 for none. -1: the bracket is not closed. */
int crd_lex_count_arguments(const CrdLexer *lexer);

#endif
