/* What pictures as SVG share. */
#include "svg.h"

#include "text.h"

/* Okabe and Ito's set, without its yellow. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
static const char *const dashes[] = {"", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""};
enum { COLOURS = 7, DASHES = 3 };

void svg_text(FILE *out, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int n = utf8_length(s);
        if (*s == '&')
            fputs("&amp;", out);
        else if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (n == 0 || *s < 0x20)
            fputs("?", out); /* control characters are not allowed in XML */
        else
            fwrite(s, 1, (size_t)n, out);
        s += n > 0 ? n : 1;
    }
}

const char *svg_colour(int i) {
    return colours[i % COLOURS];
}

int svg_dash_number(int i) {
    return i / COLOURS % DASHES;
}

const char *svg_dash_attribute(int number) {
    return dashes[number];
}

const char *svg_dash(int i) {
    return svg_dash_attribute(svg_dash_number(i));
}
