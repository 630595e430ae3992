#include "lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

enum { HELD_BACK = 1 << 16 }; /* bytes, and a line */

bool lines_make(Lines *lines, int columns) {
    assert(columns > 0);
    lines->columns = columns;
    lines->half = HELD_BACK + (size_t)columns * NUMBER_SIZE; /* a comma or the end takes the place of a NUL */
    lines->last = calloc((size_t)columns, sizeof *lines->last);
    lines->begin = lines->room = malloc(2 * lines->half);
    return lines->last != NULL && lines->room != NULL;
}

void lines_free(Lines *lines) {
    free(lines->last);
    free(lines->room);
    *lines = (Lines){0};
}

/* Returns where it ends. All there is room for is copied, whatever the length: it is known. */
static char *put_number(LastNumber *last, double x, char *at) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (last->text != NULL && last->bits == bits) {
        memmove(at, last->text, NUMBER_SIZE);
    } else {
        last->bits = bits;
        last->length = number_put(x, at);
    }
    last->text = at;
    return at + last->length;
}

void lines_put(Lines *lines, double t, const double *values) {
    char *at = put_number(&lines->last[0], t, lines->begin + lines->held);
    assert(!lines_full(lines));
    for (int k = 1; k < lines->columns; k++) {
        *at++ = ',';
        at = put_number(&lines->last[k], values[k - 1], at);
    }
    *at++ = '\n';
    lines->held = (size_t)(at - lines->begin);
}

bool lines_full(const Lines *lines) {
    return lines->held >= HELD_BACK;
}

void lines_pass(Lines *lines) {
    if (lines->held == 0) return; /* the last line stays in the half that is not written to next */
    lines->begin = lines->begin == lines->room ? lines->room + lines->half : lines->room;
    lines->held = 0;
}
