/* The motion of one mode over time, growth and fading of swings left out:
 *
 *     swings          x(t) = amplitude Re(shape e^(i omega t)), over one period
 *     does not        x(t) = amplitude shape e^(re t), until it has faded, or grown from there to its amplitude */
#ifndef TOOL_MODE_SWING_H
#define TOOL_MODE_SWING_H

#include "mode_files.h"

enum { SWING_ROWS = 48 }; /* after the first: enough for a smooth picture */

typedef struct Swing {
    CardanMode mode;
    int size; /* velocities of the model */
    double amplitude;
    double end; /* s, from 0 */
    double *re, *im;
    double *x, *rate; /* what swing_at finds: displacements and their rates, ground axes and own axes */
} Swing;

/* Complains and gives the exit status. Close in any case. */
int swing_open(Swing *swing, const ModeFile *file);
void swing_at(Swing *swing, double t);
void swing_close(Swing *swing);

#endif
