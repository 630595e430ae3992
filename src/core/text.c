/* A number is handed to strtod as <digits>e<exponent>, without a decimal point, because the point is the only part of
 * strtod that depends on the locale. strtod rounds correctly. */
#include "core/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* The midpoint of two doubles has at most 767 significant digits, so any digit beyond these only says "more". */
    DIGITS = 800,
    /* Past any double whatever the 800 digits are. */
    EXPONENT_LIMIT = 9999,
    WORD_LIMIT = 64
};

static const long long EXPONENT_CLAMP = 1000000000000000LL; /* past any count of digits, far from overflow */

typedef struct Decimal {
    char digits[DIGITS + 32]; /* and room for the exponent */
    int count;
    long long exponent; /* value = digits 10^exponent */
} Decimal;

static bool is_digit(const char *text, size_t length, size_t at) {
    return at < length && text[at] >= '0' && text[at] <= '9';
}

static void add_digit(Decimal *decimal, char digit, bool fraction) {
    if (decimal->count == 0 && digit == '0') {
        decimal->exponent -= fraction;
    } else if (decimal->count < DIGITS) {
        decimal->digits[decimal->count++] = digit;
        decimal->exponent -= fraction;
    } else {
        if (digit != '0') decimal->digits[DIGITS - 1] = '1'; /* sticky: more than the digits before say */
        decimal->exponent += !fraction;
    }
}

/* Adds the exponent at `at`, if there is one; returns where the number ends. */
static size_t scan_exponent(const char *text, size_t length, size_t at, Decimal *decimal) {
    if (at >= length || (text[at] != 'e' && text[at] != 'E')) return at;
    size_t i = at + 1;
    bool negative = i < length && text[i] == '-';
    if (i < length && (text[i] == '+' || text[i] == '-')) i++;
    if (!is_digit(text, length, i)) return at;
    long long exponent = 0;
    for (; is_digit(text, length, i); i++) {
        if (exponent < EXPONENT_CLAMP) exponent = 10 * exponent + (text[i] - '0');
    }
    decimal->exponent += negative ? -exponent : exponent;
    return i;
}

bool crd_scan_number(const char *text, size_t length, double *value, size_t *used) {
    assert(text != NULL || length == 0);
    Decimal d = {.count = 0};
    size_t i = 0;
    *used = 0;
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '+' || text[0] == '-')) i++;
    bool whole = is_digit(text, length, i);
    for (; is_digit(text, length, i); i++) add_digit(&d, text[i], false);
    if (i < length && text[i] == '.' && (whole || is_digit(text, length, i + 1))) {
        for (i++; is_digit(text, length, i); i++) add_digit(&d, text[i], true);
    } else if (!whole) {
        return false;
    }
    *used = scan_exponent(text, length, i, &d);
    assert(*used >= 1 && *used <= length);
    assert(d.count >= 0 && d.count <= DIGITS); /* room for the exponent is left */
    double size = 0.0;
    if (d.count > 0) {
        int exponent = (int)fmax(-EXPONENT_LIMIT, fmin(EXPONENT_LIMIT, (double)d.exponent));
        snprintf(d.digits + d.count, sizeof d.digits - (size_t)d.count, "e%d", exponent);
        size = strtod(d.digits, NULL);
    }
    *value = negative ? -size : size;
    return isfinite(size);
}

static int min(int a, int b) {
    return a < b ? a : b;
}

int crd_edit_distance(const char *a, size_t na, const char *b, size_t nb) {
    if (na > WORD_LIMIT || nb > WORD_LIMIT) return (int)(na > nb ? na : nb);
    int rows[3][WORD_LIMIT + 1]; /* distances of the first i - 2, i - 1, i letters of a to every beginning of b */
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++) above[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = min(above[j], row[j - 1]) + 1;
            row[j] = min(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = min(row[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    assert(above[nb] >= 0 && above[nb] <= (int)(na > nb ? na : nb));
    return above[nb];
}

const char *crd_nearest_name(const char *word, size_t n, const char *const *names, int count) {
    assert(word != NULL && (names != NULL || count == 0));
    if (n > WORD_LIMIT) return NULL;
    int best = n / 3 > 1 ? (int)(n / 3) : 1;
    const char *nearest = NULL;
    for (int i = 0; i < count; i++) {
        int distance = crd_edit_distance(word, n, names[i], strlen(names[i]));
        if (distance < best || (distance == best && nearest == NULL)) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
