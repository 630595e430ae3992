/* The state that an analysis is made about: a model started and, where asked, simulated to a time. */
#ifndef TOOL_ABOUT_H
#define TOOL_ABOUT_H

#include "command.h"

enum { ABOUT_SENTENCE = 2048 };

typedef struct About {
    CardanModel *model;
    CardanSim *sim;
} About;

/* Loads MODEL with the options of set_key and goes to the time given by at_key, 0 without. Complains and gives the exit
 * status. Close in any case. */
int about_open(About *about, const Arguments *arguments, int set_key, int at_key);
void about_close(About *about);

/* Complains of a failed call on the simulation; gives the exit status. */
int about_failed(const About *about, const Arguments *arguments, CardanStatus status);

/* Words of "a,b,c"; those of all options of this key, one after another. Free with names_free. */
typedef struct Names {
    int count;
    char **name;
} Names;
int names_read(Names *names, const Arguments *arguments, int key);
void names_free(Names *names);

#endif
