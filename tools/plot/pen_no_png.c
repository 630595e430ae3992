/* Where the program was built without cairo: no PNG. */
#include "plot/pen.h"

int png_write(FILE *out, int width, int height, void (*draw)(void *user, Pen *pen), void *user, const char **reason) {
    (void)out, (void)width, (void)height, (void)draw, (void)user;
    *reason = "this program was built without cairo";
    return -1;
}

bool png_possible(void) {
    return false;
}
