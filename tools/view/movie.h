/* A run as a viewer shows it: poses of bodies, arrows of forces and reactions, channels, at times that are dense enough
 * for straight lines between them to look right. */
#ifndef TOOL_VIEW_MOVIE_H
#define TOOL_VIEW_MOVIE_H

#include "simulate.h"

/* A force or moment that a body receives. */
typedef struct Arrow {
    int body; /* number among the movie's bodies; -1: the ground */
    CardanBody handle;
    CardanVec3 point; /* m; own axes: where it is drawn */
    int joint, force; /* of which element, from 1; one of them is 0 */
    bool moment;
    bool reversed; /* the reaction on a: b is the ground */
} Arrow;

enum { POSE_NUMBERS = 7, ARROW_NUMBERS = 3 }; /* position and quaternion w x y z; the vector */

typedef struct Movie {
    const CardanModel *model;
    const char *path; /* of the model file */
    int body_count;   /* bodies, then frames of custom blocks that something is attached to */
    CardanBody *bodies;
    int arrow_count;
    Arrow *arrows;
    Record channels;
    double size; /* m; of the mechanism at its start */
    int frames, room;
    double *t;     /* s; frames long */
    float *poses;  /* frames x bodies x POSE_NUMBERS */
    float *forces; /* frames x arrows x ARROW_NUMBERS */
    float *values; /* frames x columns of the channels */
    int event_count;
    CardanEvent *events;
    int status;               /* STATUS_DONE: it got to its end, or was not asked to move */
    char reason[REASON_SIZE]; /* why it did not; empty: it did */
    Remarks remarks;
    bool examined; /* what follows is known */
    CardanCheck check;
    bool *redundant;  /* by joint */
    double *residual; /* 2 by joint: position, velocity */
} Movie;

/* movie_make: what to look at and how. */
typedef struct MovieOrder {
    bool pose;          /* the pose as written alone */
    bool ghost;         /* no arrows */
    int frames;         /* at most; 0: as many as a page can bear */
    const RunFile *run; /* whose rows are shown, instead of a simulation; NULL: none */
} MovieOrder;

/* Simulates and keeps what is seen. A run that cannot start or go on is no failure: movie->status and reason say so,
 * and there is at least one frame. The exit status is of what keeps a page from being made. Free in any case. */
int movie_make(Movie *movie, const char *path, const CardanModel *model, const CardanOptions *options,
               const MovieOrder *order);
void movie_free(Movie *movie);

/* Number of a body among the movie's; -1: the ground, or one that is not shown. */
int movie_body(const Movie *movie, CardanBody body);

/* ---- thin.c ---- */

/* Leaves out frames that straight lines between their neighbours show as well. */
void movie_thin(Movie *movie);

#endif
