/* Names and bytes as text; numbers that are given as text. */
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_number(const char *text, double *out) {
    char *end = NULL;
    if (strspn(text, "+-.0123456789eE") != strlen(text)) return false; /* no hexadecimal, no spaces, no words */
    double x = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x)) return false;
    *out = x;
    return true;
}

int utf8_length(const unsigned char *s) {
    static const struct {
        unsigned char mask, lead;
        unsigned least; /* smaller code points have shorter forms: not valid in this one */
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (int n = 0; n < 4; n++) {
        if ((s[0] & forms[n].mask) != forms[n].lead) continue;
        unsigned code = s[0] & (unsigned char)~forms[n].mask;
        for (int k = 1; k <= n; k++) {
            if ((s[k] & 0xc0) != 0x80) return 0;
            code = code << 6 | (s[k] & 0x3fu);
        }
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        return code < forms[n].least || code > 0x10ffff || surrogate ? 0 : n + 1;
    }
    return 0;
}

const char *extension_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    return dot != NULL ? dot : "";
}
