/* Leaving out frames that nobody would miss: from a frame that is kept, as far on as straight lines show everything
 * between within what is seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/movie.h"

/* Shares that are not seen: of the mechanism's size in positions (and of a turned body's), of the largest in arrows, of
 * the range in channels; and at most so many frames are left out in a row, so that the work stays small. */
static const double SEEN_PLACE = 2e-4, SEEN_ARROW = 1e-2, SEEN_CHANNEL = 2e-3;
enum { RUN_MOST = 32 };

/* Numbers of one sort side by side: how many a frame has, and what is not seen of each. */
typedef struct Track {
    float *numbers;
    int width;
    double *unseen; /* width long */
} Track;

/* Is number k of frames between a and b on the straight line? */
static bool is_straight(const Track *track, const double *t, int a, int b, int f) {
    double part = (t[f] - t[a]) / (t[b] - t[a]);
    const float *x = track->numbers + (size_t)a * (size_t)track->width,
                *y = track->numbers + (size_t)b * (size_t)track->width,
                *z = track->numbers + (size_t)f * (size_t)track->width;
    for (int k = 0; k < track->width; k++) {
        double line = (double)x[k] + part * ((double)y[k] - (double)x[k]);
        if (fabs(line - (double)z[k]) > track->unseen[k]) return false;
    }
    return true;
}

static bool may_leave_out(const Track *tracks, int count, const double *t, int a, int b) {
    for (int f = a + 1; f < b; f++)
        for (int i = 0; i < count; i++)
            if (!is_straight(&tracks[i], t, a, b, f)) return false;
    return true;
}

static void move_frame(Track *tracks, int count, double *t, int from, int to) {
    t[to] = t[from];
    for (int i = 0; i < count; i++)
        memmove(tracks[i].numbers + (size_t)to * (size_t)tracks[i].width,
                tracks[i].numbers + (size_t)from * (size_t)tracks[i].width, (size_t)tracks[i].width * sizeof(float));
}

/* Range of number k over all frames. */
static double range_of(const Track *track, int frames, int k) {
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    for (int f = 0; f < frames; f++) {
        double x = (double)track->numbers[(size_t)f * (size_t)track->width + (size_t)k];
        lo = fmin(lo, x);
        hi = fmax(hi, x);
    }
    return hi > lo ? hi - lo : 0.0;
}

/* Quaternions are continuous in the page too: the sign that is nearer to the frame before. */
static void make_continuous(Movie *movie) {
    for (int f = 1; f < movie->frames; f++)
        for (int i = 0; i < movie->body_count; i++) {
            float *q = movie->poses + ((size_t)f * (size_t)movie->body_count + (size_t)i) * POSE_NUMBERS + 3;
            const float *old = q - (size_t)movie->body_count * POSE_NUMBERS;
            if (q[0] * old[0] + q[1] * old[1] + q[2] * old[2] + q[3] * old[3] < 0.0f)
                for (int k = 0; k < 4; k++) q[k] = -q[k];
        }
}

/* An arrow is compared with the largest of its sort: forces with forces, moments with moments. */
static void arrows_unseen(const Movie *movie, Track *track) {
    double largest[2] = {0.0, 0.0};
    for (int f = 0; f < movie->frames; f++)
        for (int k = 0; k < track->width; k++) {
            double x = fabs((double)track->numbers[(size_t)f * (size_t)track->width + (size_t)k]);
            int sort = movie->arrows[k / ARROW_NUMBERS].moment;
            largest[sort] = fmax(largest[sort], x);
        }
    for (int k = 0; k < track->width; k++)
        track->unseen[k] = SEEN_ARROW * largest[movie->arrows[k / ARROW_NUMBERS].moment];
}

void movie_thin(Movie *movie) {
    int widths[3] = {movie->body_count * POSE_NUMBERS, movie->arrow_count * ARROW_NUMBERS, movie->channels.columns};
    double *unseen = calloc((size_t)widths[0] + (size_t)widths[1] + (size_t)widths[2] + 1, sizeof *unseen);
    if (unseen == NULL || movie->frames < 3) {
        free(unseen);
        return; /* then all stay */
    }
    make_continuous(movie);
    Track tracks[3] = {{movie->poses, widths[0], unseen},
                       {movie->forces, widths[1], unseen + widths[0]},
                       {movie->values, widths[2], unseen + widths[0] + widths[1]}};
    for (int k = 0; k < widths[0]; k++)
        tracks[0].unseen[k] = k % POSE_NUMBERS < 3 ? SEEN_PLACE * movie->size : SEEN_PLACE;
    arrows_unseen(movie, &tracks[1]);
    for (int k = 0; k < widths[2]; k++) tracks[2].unseen[k] = SEEN_CHANNEL * range_of(&tracks[2], movie->frames, k);
    int kept = 0;
    for (int a = 0; a < movie->frames - 1;) {
        int b = a + 1;
        while (b + 1 < movie->frames && b + 1 - a <= RUN_MOST && may_leave_out(tracks, 3, movie->t, a, b + 1)) b++;
        a = b;
        move_frame(tracks, 3, movie->t, a, ++kept);
    }
    movie->frames = kept + 1;
    free(unseen);
}
