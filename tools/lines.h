/* Lines of numbers with commas between them, held back until there are many: each call to the system has its price. */
#ifndef TOOL_LINES_H
#define TOOL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number as it was last written: it is copied where it comes again. */
typedef struct LastNumber {
    uint64_t bits;
    const char *text; /* NULL: there is none yet */
    size_t length;
} LastNumber;

/* Of two halves the one is filled; in the other is still the last line that was held back before. */
typedef struct Lines {
    int columns; /* t among them */
    LastNumber *last;
    char *room, *begin; /* both halves; the one that is filled */
    size_t half, held;  /* bytes */
} Lines;

/* false: out of memory. Free in any case. */
bool lines_make(Lines *lines, int columns);
void lines_free(Lines *lines);

/* A line more: t, then the other columns. Not when they are full. */
void lines_put(Lines *lines, double t, const double *values);
bool lines_full(const Lines *lines);

/* begin and held were dealt with. */
void lines_pass(Lines *lines);

#endif
