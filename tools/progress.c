/* The progress line. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double every = 0.1; /* s between lines */

static double wall_clock(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(Progress *progress) {
    const char *terminal = getenv("TERM"), *no_color = getenv("NO_COLOR");
    bool dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
    double now = wall_clock();
    *progress = (Progress){
        .shown = isatty(STDERR_FILENO) && !dumb,
        .dim = no_color == NULL || no_color[0] == '\0',
        .start = now,
        .last = now,
    };
}

/* Whether it is time for another line. */
static bool is_due(const Progress *progress) {
    return progress->shown && wall_clock() - progress->last >= every;
}

void progress_say(Progress *progress, const char *done, double part) {
    if (!is_due(progress)) return;
    double now = wall_clock(), left = part > 0.0 ? (now - progress->start) * (1.0 - part) / part : 0.0;
    fprintf(stderr, "\r%s%s   %.0f s left%s\033[K", progress->dim ? "\033[2m" : "", done, left,
            progress->dim ? "\033[0m" : "");
    fflush(stderr);
    progress->last = now;
    progress->there = true;
}

void progress_show(Progress *progress, double t, double end, long steps) {
    if (!is_due(progress)) return;
    char done[128];
    double part = end > 0.0 ? t / end : 1.0;
    snprintf(done, sizeof done, "t = %.6g of %.6g s   %3.0f %%   %ld steps", t, end, 100.0 * part, steps);
    progress_say(progress, done, part);
}

void progress_erase(Progress *progress) {
    if (!progress->there) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->there = false;
}
