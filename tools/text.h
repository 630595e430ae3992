/* Names and bytes as text; numbers that are given as text. */
#ifndef TOOL_TEXT_H
#define TOOL_TEXT_H

#include "number.h"

#include <stdbool.h>

/* A finite number and nothing else. */
bool parse_number(const char *text, double *out);

/* Length in bytes of the valid UTF-8 sequence at s, 0 when there is none. s ends with a NUL somewhere. */
int utf8_length(const unsigned char *s);

/* How a file's name ends, dot included: ".csv"; "" when it has no dot. */
const char *extension_of(const char *path);

#endif
