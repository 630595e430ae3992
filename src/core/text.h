/* Text without locale: numbers as they are written in models, and the nearest of a list of names for "did you mean". */
#ifndef CRD_CORE_TEXT_H
#define CRD_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the decimal number that text[0 .. length) begins with:
 *     [+-] (digits [. [digits]] | . digits) [(e|E) [+-] digits]
 * correctly rounded and whatever the locale. inf, nan and hexadecimal are no numbers. An exponent without digits is not
 * part of the number. Too small for a double is rounded (to a subnormal or 0).
 *     true:             *value, and *used > 0 bytes were read
 *     false, *used > 0: the number overflows
 *     false, *used = 0: there is no number */
bool crd_scan_number(const char *text, size_t length, double *value, size_t *used);

/* Letters to insert, delete, replace or swap with their neighbour to make b of a. Words longer than 64 bytes are not
 * compared: their distance is the longer length. */
int crd_edit_distance(const char *a, size_t na, const char *b, size_t nb);

/* The first of the nearest names, if it lies within max(1, n/3) of the word; otherwise NULL. */
const char *crd_nearest_name(const char *word, size_t n, const char *const *names, int count);

#endif
