/* Cuts the text into words. Blanks separate; only the characters of the language are let through. */
#include "expr/lex.h"
#include "expr/program.h"

#include "core/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Not isalpha and its kin: those depend on the locale. */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The text ends with a NUL, which is none of these, so at[0] may always be read, and at[1] when at[0] is not NUL. */

static const char *skip_blanks(const char *at) {
    while (is_blank(*at)) at++;
    return at;
}

static const char *skip_word(const char *at) {
    while (is_letter(*at) || is_digit(*at)) at++;
    return at;
}

static CardanStatus lex_number(CrdLexer *lexer) {
    CrdToken *token = &lexer->token;
    token->kind = CRD_TOKEN_NUMBER;
    if (!crd_scan_number(lexer->at, (size_t)(lexer->end - lexer->at), &token->number, &token->length)) {
        return crd_expr_fail(lexer->error, CARDAN_ERR_MODEL, lexer->text, token->column, "the number is too large");
    }
    return CARDAN_OK;
}

static void lex_name(CrdLexer *lexer) {
    const char *end = skip_word(lexer->at);
    while (end[0] == '.' && is_letter(end[1])) end = skip_word(end + 1);
    lexer->token.kind = CRD_TOKEN_NAME;
    lexer->token.length = (size_t)(end - lexer->at);
}

static CardanStatus refuse_character(CrdLexer *lexer) {
    char what[64];
    unsigned char c = (unsigned char)*lexer->at;
    if (c == '=')
        snprintf(what, sizeof what, "'=' is no operator; write '==' to compare");
    else if (c > ' ' && c <= '~')
        snprintf(what, sizeof what, "unexpected character '%c'", c);
    else
        snprintf(what, sizeof what, "unexpected byte 0x%02X: expressions are plain ASCII text", c);
    return crd_expr_fail(lexer->error, CARDAN_ERR_MODEL, lexer->text, lexer->token.column, what);
}

static CardanStatus lex_operator(CrdLexer *lexer) {
    static const struct {
        char text[3];
        CrdTokenKind kind;
    } PAIRS[] = {{"<=", CRD_TOKEN_LESS_EQUAL},
                 {">=", CRD_TOKEN_GREATER_EQUAL},
                 {"==", CRD_TOKEN_EQUAL},
                 {"!=", CRD_TOKEN_NOT_EQUAL}};
    CrdToken *token = &lexer->token;
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        if (strncmp(lexer->at, PAIRS[i].text, 2) != 0) continue;
        token->kind = PAIRS[i].kind;
        token->length = 2;
        return CARDAN_OK;
    }
    if (strchr("+-*/^(),<>", *lexer->at) == NULL) return refuse_character(lexer);
    token->kind = (unsigned char)*lexer->at;
    token->length = 1;
    return CARDAN_OK;
}

CardanStatus crd_lex_next(CrdLexer *lexer) {
    assert(lexer->text <= lexer->at && lexer->at <= lexer->end && *lexer->end == '\0');
    lexer->at = skip_blanks(lexer->at);
    char c = *lexer->at;
    lexer->token = (CrdToken){.start = lexer->at, .column = (int)(lexer->at - lexer->text) + 1};
    if (lexer->at == lexer->end) return CARDAN_OK; /* CRD_TOKEN_END */
    if (is_digit(c) || (c == '.' && is_digit(lexer->at[1])))
        CRD_TRY(lex_number(lexer));
    else if (is_letter(c))
        lex_name(lexer);
    else
        CRD_TRY(lex_operator(lexer));
    assert(lexer->token.length > 0); /* or the text does not end */
    lexer->at += lexer->token.length;
    assert(lexer->at <= lexer->end);
    return CARDAN_OK;
}

bool crd_lex_peek(const CrdLexer *lexer, char c) {
    return *skip_blanks(lexer->at) == c;
}

int crd_lex_count_arguments(const CrdLexer *lexer) {
    assert(lexer->token.kind == '(');
    if (crd_lex_peek(lexer, ')')) return 0;
    int open = 1, count = 1;
    for (const char *at = lexer->at; at < lexer->end; at++) {
        if (*at == '(') open++;
        if (*at == ')' && --open == 0) return count;
        if (*at == ',' && open == 1) count++;
    }
    return -1;
}
