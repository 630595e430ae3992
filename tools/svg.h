/* What pictures as SVG 1.1 share. */
#ifndef TOOL_SVG_H
#define TOOL_SVG_H

#include <stdio.h>

/* Text as XML wants it. */
void svg_text(FILE *out, const char *text);

/* Colours that people with colour-blindness tell apart, for line number i. */
const char *svg_colour(int i);

/* When the colours are used up: other dashes, 0 none, 1 long, 2 short. */
int svg_dash_number(int i);

/* Dashes as an attribute with a space before it, or "". */
const char *svg_dash_attribute(int number);

/* Those of line number i. */
const char *svg_dash(int i);

#endif
