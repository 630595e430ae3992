/* Where a figure goes: a file of a kind that its name says, stdout, or the terminal. */
#ifndef TOOL_PLOT_PICTURE_H
#define TOOL_PLOT_PICTURE_H

#include "plot/figure.h"

typedef struct PictureOrder {
    const char *path;           /* NULL: stdout */
    const char *width, *height; /* pixels, as given; NULL: as usual */
} PictureOrder;

/* Complains and gives STATUS_USAGE when a picture of this name cannot be made. NULL is right. */
int picture_check(const char *path);

/* Complains and gives the exit status. */
int picture_make(Figure *figure, const PictureOrder *order);

#endif
