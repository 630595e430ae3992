/* Writing JSON: one value after another, commas and quotes by themselves. Write errors show in the stream. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { JSON_DEPTH = 12 };

typedef struct Json {
    FILE *out;
    int depth;
    struct {
        char close;  /* '}' or ']' */
        bool tall;   /* each member on a line of its own */
        bool filled; /* has a member */
    } level[JSON_DEPTH];
} Json;

/* Members of objects have a key; members of arrays, and the outermost value, have NULL. */
void json_open_object(Json *json, const char *key, bool tall);
void json_open_array(Json *json, const char *key, bool tall);
void json_close(Json *json); /* after the outermost: a newline */

void json_number(Json *json, const char *key, double x); /* null when not finite */
void json_integer(Json *json, const char *key, long x);
void json_boolean(Json *json, const char *key, bool x);
void json_string(Json *json, const char *key, const char *text); /* bytes that are not UTF-8 become U+FFFD */
void json_null(Json *json, const char *key);
void json_vector(Json *json, const char *key, const double *x, int n);

#endif
