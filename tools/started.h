/* What a start made of the values as given: for `check` in full, for `run` in short. */
#ifndef TOOL_STARTED_H
#define TOOL_STARTED_H

#include "cardan/cardan.h"
#include "json.h"

typedef struct Started {
    bool known; /* what follows is */
    bool asked; /* rates or coordinates of joints are given: what moves is meant to */
    CardanSizes sizes;
    CardanStartReport report; /* its lists are NULL in the short form */
} Started;

/* started arrives zeroed; in_full: with lists of bodies, joints and multipliers. False: memory is lacking. What cannot
 * be computed stays unknown. */
bool started_look(Started *started, CardanSim *sim, const CardanModel *model, bool in_full);
void started_free(Started *started);

/* One line of the largest changes with the names of bodies, those of velocities too or not; nothing where none is worth
 * a word. */
void started_print_line(FILE *out, const CardanModel *model, const Started *started, bool velocities,
                        const char *label);

/* Lines of the bodies that moved or were held and of the joints that were asked for something. */
void started_print(FILE *out, const CardanModel *model, const Started *started);

/* Member "start"; in full what there are lists of. */
void started_put(Json *json, const CardanModel *model, const Started *started);

#endif
