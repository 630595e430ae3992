/* The page: one HTML file with its code, its data and three.js in it. */
#ifndef TOOL_VIEW_PAGE_H
#define TOOL_VIEW_PAGE_H

#include "json.h"
#include "view/movie.h"

/* ---- three.c ---- */

/* A file in memory, with a NUL behind it. */
typedef struct Text {
    char *bytes;
    size_t length;
} Text;

/* The text of three.js: of the file given, else of $CARDAN_THREE, else where packages put it. Complains and gives the
 * exit status; free text->bytes in any case. */
int three_read(const char *given, Text *text);

/* ---- scene.c ---- */

/* A point of a body whose path is drawn. */
typedef struct Trace {
    char name[128];
    CardanBody body;
    CardanVec3 point; /* m; own axes */
} Trace;

/* One run: what there is, and how its numbers are laid out. */
void scene_json(Json *json, const Movie *movie, const char *label);

/* ---- page.c ---- */

typedef struct Page {
    int movies; /* the first is the one that is shown, the others are its ghosts */
    const Movie *movie;
    const char *const *labels; /* by movie */
    int traces;
    const Trace *trace; /* of bodies of the first */
    Text three;
} Page;

/* Write errors show in the stream. */
void page_write(FILE *out, const Page *page);

#endif
