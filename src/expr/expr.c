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
    CrdInstruction code[];
};

static const double *points_in(const CrdExpr *e) {
    return (const double *)(e->code + e->count);
}

static CrdProgram program_of(const CrdExpr *e) {
    return (CrdProgram){e->code, e->count, points_in(e)};
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

CardanStatus crd_expr_value(const CrdExpr *e, const double *variables, double *value, CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    return crd_run_value(&program, variables, value, &fault) ? CARDAN_OK : report(e, &fault, error);
}

int crd_expr_kink_count(const CrdExpr *e) {
    int count = 0;
    for (int i = 0; i < e->count; i++) count += crd_kink_count(&e->code[i]);
    return count;
}

CardanStatus crd_expr_kinks(const CrdExpr *e, const double *variables, double *values, CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    return crd_run_kinks(&program, variables, values, &fault) ? CARDAN_OK : report(e, &fault, error);
}

CardanStatus crd_expr_jet(const CrdExpr *e, const CrdJet *variables, CrdJet *value, CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    return crd_run_jet(&program, 2, variables, value, &fault) ? CARDAN_OK : report(e, &fault, error);
}

CardanStatus crd_expr_slope(const CrdExpr *e, const CrdJet *variables, CrdJet *value, CrdError *error) {
    CrdProgram program = program_of(e);
    CrdFault fault;
    return crd_run_jet(&program, 1, variables, value, &fault) ? CARDAN_OK : report(e, &fault, error);
}
