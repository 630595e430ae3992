/* One line on stderr that says how far a run is: only on a terminal, gone when the run ends. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>

typedef struct Progress {
    bool shown;         /* stderr is a terminal that can overwrite a line */
    bool dim;           /* colours allowed */
    bool there;         /* a line is on the screen */
    double start, last; /* s; clock at the start and at the last line */
} Progress;

void progress_start(Progress *progress);

/* Cheap when there is nothing to show yet: at most ten lines a second. */
void progress_show(Progress *progress, double t, double end, long steps);

/* The same with words of one's own about what has been done, and the part of all that it is. */
void progress_say(Progress *progress, const char *done, double part);
void progress_erase(Progress *progress);

#endif
