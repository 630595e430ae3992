/* Numbers as text: the fewest digits that read back as the same bits. */
#ifndef TOOL_NUMBER_H
#define TOOL_NUMBER_H

#include <stddef.h>

enum { NUMBER_SIZE = 40 }; /* bytes; room for any double as text, and for what is written after its end on the way */

/* Writes x without a locale, as %g does: "0.1", "1e-05"; not finite: "nan", "inf", "-inf". Of the shortest decimals
 * that read back the nearest. Returns the length; text[length] is NUL. */
size_t number_put(double x, char text[NUMBER_SIZE]);

/* The same; returns text. */
const char *number_text(double x, char text[NUMBER_SIZE]);

#endif
