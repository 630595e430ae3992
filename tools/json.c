/* Writing JSON (RFC 8259). */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static void put_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int n = utf8_length(s);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n > 0 ? n : 1;
    }
    fputc('"', out);
}

/* What stands before a value: comma, line, key. */
static void begin(Json *json, const char *key) {
    if (json->depth > 0) {
        bool filled = json->level[json->depth - 1].filled, tall = json->level[json->depth - 1].tall;
        if (filled) fputs(tall ? "," : ", ", json->out);
        if (tall) fprintf(json->out, "\n%*s", json->depth, "");
        json->level[json->depth - 1].filled = true;
    }
    if (key != NULL) {
        put_string(json->out, key);
        fputs(": ", json->out);
    }
}

static void open_level(Json *json, const char *key, char open, char close, bool tall) {
    begin(json, key);
    fputc(open, json->out);
    if (json->depth == JSON_DEPTH) abort(); /* a fault of this program */
    json->level[json->depth].close = close;
    json->level[json->depth].tall = tall;
    json->level[json->depth].filled = false;
    json->depth++;
}

void json_open_object(Json *json, const char *key, bool tall) {
    open_level(json, key, '{', '}', tall);
}

void json_open_array(Json *json, const char *key, bool tall) {
    open_level(json, key, '[', ']', tall);
}

void json_close(Json *json) {
    json->depth--;
    bool broken = json->level[json->depth].tall && json->level[json->depth].filled;
    if (broken) fprintf(json->out, "\n%*s", json->depth, "");
    fputc(json->level[json->depth].close, json->out);
    if (json->depth == 0) fputc('\n', json->out);
}

void json_number(Json *json, const char *key, double x) {
    char text[NUMBER_SIZE];
    begin(json, key);
    fputs(isfinite(x) ? number_text(x, text) : "null", json->out);
    if (isfinite(x) && strpbrk(text, ".e") == NULL) fputs(".0", json->out); /* else readers take it for an integer */
}

void json_integer(Json *json, const char *key, long x) {
    begin(json, key);
    fprintf(json->out, "%ld", x);
}

void json_boolean(Json *json, const char *key, bool x) {
    begin(json, key);
    fputs(x ? "true" : "false", json->out);
}

void json_string(Json *json, const char *key, const char *text) {
    begin(json, key);
    put_string(json->out, text);
}

void json_null(Json *json, const char *key) {
    begin(json, key);
    fputs("null", json->out);
}

void json_vector(Json *json, const char *key, const double *x, int n) {
    json_open_array(json, key, false);
    for (int i = 0; i < n; i++) json_number(json, NULL, x[i]);
    json_close(json);
}
